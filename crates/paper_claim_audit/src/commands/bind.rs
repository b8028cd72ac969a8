//! Checks one binding against paper and data and appends it to `claims.toml`.

use std::io::{self, Write};
use std::num::NonZeroUsize;

use aris_claims::bindings::{Claim, Draft, DraftSubject, append};
use aris_claims::decimal::Decimal;
use aris_claims::project::{Project, ProjectError, claims_text};
use aris_claims::{Claims, Status};
use aris_cli::{Context, Outcome, Product, Shown, Style};
use aris_contract::ErrorKind;
use aris_fs::Lock;
use serde::Serialize;

use crate::cli::BindArgs;
use crate::error::Error;
use crate::session;
use aris_claims::Row;

/// Schema id of [`BindReport`].
pub(crate) const SCHEMA: &str = "aris.paper_claim_audit.bind/v1";

/// What `bind` answers.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub(crate) struct BindReport {
    /// The file of bindings.
    pub(crate) path: String,
    /// Whether the file held this binding before.
    pub(crate) unchanged: bool,
    /// The numbers of the binding as the paper shows them and as the data give them.
    pub(crate) claims: Vec<Row>,
}

pub(crate) fn run(args: &BindArgs, context: &Context) -> Result<Shown, Error> {
    let mut project = session::begin(&args.paper, context)?;
    session::document(&project)?;
    let draft = draft(args)?;
    let alone = append("", std::slice::from_ref(&draft)).and_then(|text| Claims::read(&text));
    let new = alone.map_err(|wrong| refused(wrong.message))?.claims;
    let same = |claims: &[Claim]| {
        let mut known = claims.iter().filter(|claim| !claim.proposed);
        known.any(|claim| new.first().is_some_and(|new| new.subject == claim.subject))
    };
    let is_known = same(&project.claims.claims);
    project.claims = Claims {
        data: std::mem::take(&mut project.claims.data),
        claims: new.clone(),
        ..Claims::default()
    };
    let audit = project.audit();
    let name = project.claims_name();
    let bound = audit.entries.iter().filter(|entry| entry.query.is_some());
    let rows = bound.map(|entry| Row {
        binding: None,
        ..Row::new(entry, &name)
    });
    let rows: Vec<Row> = rows.collect();
    for row in &rows {
        let folder = project.claims_path.parent();
        let named = args
            .file
            .as_ref()
            .zip(folder)
            .map(|(file, folder)| folder.join(file));
        if row.status == Status::BindingLost
            && let Some(path) = named.filter(|path| !path.exists())
        {
            let hint = "--in is relative to the folder of claims.toml; nothing was written";
            let message = "{} does not exist";
            return Err(ProjectError::about(ErrorKind::NotFound, &path, message, hint).into());
        }
        let hint = match row.status {
            Status::BindingLost => {
                "--in is relative to the folder of claims.toml; copy the sentence exactly, line breaks may differ, with [[ ]] around each number; where it occurs several times, --nth says which; nothing was written"
            }
            Status::BindingError => "correct the query; nothing was written",
            _ => continue,
        };
        let message = format!("{}: {}", row.location, row.detail);
        return Err(ProjectError::input(ErrorKind::Validation, message, hint).into());
    }
    let unchanged = is_known || !add(&project, &[draft], &same)?;
    let differs = rows.iter().any(|row| row.status.contradicts());
    let report = BindReport {
        path: project.claims_path.display().to_string(),
        unchanged,
        claims: rows,
    };
    Ok(Outcome::found(report, differs).boxed())
}

fn refused(message: impl Into<String>) -> Error {
    ProjectError::input(ErrorKind::Validation, message, "nothing was written").into()
}

/// Appends, under a lock, to the current content of the file. Returns `false` if `present` says that nothing is missing.
pub(crate) fn add(
    project: &Project,
    drafts: &[Draft],
    present: &dyn Fn(&[Claim]) -> bool,
) -> Result<bool, Error> {
    let path = &project.claims_path;
    let failed = |error| Error::write("the binding", path, error);
    let locks = project.files.project.join(".aris");
    aris_fs::create_dir(&locks).map_err(failed)?;
    let lock = Lock::acquire(&locks.join("claims.lock")).map_err(failed)?;
    let text = claims_text(path)?.unwrap_or_default();
    let malformed = |wrong| ProjectError::claims(path, &wrong);
    if !text.trim().is_empty() && present(&Claims::read(&text).map_err(malformed)?.claims) {
        return Ok(false);
    }
    let new = append(&text, drafts).map_err(malformed)?;
    aris_fs::write_atomic(path, new.as_bytes()).map_err(failed)?;
    drop(lock);
    Ok(true)
}

fn draft(args: &BindArgs) -> Result<Draft, Error> {
    let unclear = |message| {
        let hint = "either --in FILE and --text TEXT, or --macro NAME; nothing was written";
        Err(ProjectError::input(ErrorKind::Usage, message, hint).into())
    };
    let (file, text) = (args.file.clone(), args.text.clone());
    let subject = match (&args.macro_name, file, text, &args.holds) {
        (Some(name), ..) => match args.value.as_slice() {
            [value] => DraftSubject::Macro {
                name: name.trim_start_matches('\\').to_owned(),
                value: value.clone(),
            },
            _ => return Err(refused("a macro holds one number and takes one --value")),
        },
        (None, Some(file), Some(text), Some(sql)) => DraftSubject::Statement {
            file,
            text,
            sql: sql.clone(),
        },
        (None, Some(file), Some(text), None) => DraftSubject::Sentence {
            file,
            text,
            values: args.value.clone(),
        },
        (None, None, Some(_), _) => {
            return unclear("--text needs --in, the file with the sentence");
        }
        (None, Some(_), None, _) => return unclear("--in needs --text, the sentence in that file"),
        (None, None, None, _) => return unclear("the place of the number is missing"),
    };
    let tolerance = args.tolerance.map(|amount| {
        let amount = Decimal::from_f64(amount).filter(|amount| !amount.is_negative());
        amount.ok_or_else(|| refused("a tolerance is a number that is not negative"))
    });
    Ok(Draft {
        id: args.id.clone().unwrap_or_default(),
        subject,
        nth: args.nth.map(NonZeroUsize::get),
        relation: args.relation.unwrap_or_default(),
        round: args.round.unwrap_or_default(),
        tolerance: tolerance.transpose()?,
        ..Draft::default()
    })
}

impl Product for BindReport {
    fn schema(&self) -> &'static str {
        SCHEMA
    }

    fn render(&self, out: &mut dyn Write, style: Style) -> io::Result<()> {
        for row in &self.claims {
            let word = row.status.word();
            let bad = style.bad(word);
            let status = if row.status.holds() { word } else { &bad };
            let shown = row.shown.as_deref();
            let shown = shown.map(|shown| format!("the paper shows {shown}"));
            let shown = shown.unwrap_or_else(|| String::from("the statement"));
            let value = row.value.as_deref().unwrap_or("nothing");
            let both = format!("{shown}, the data give {value}");
            let said = row.detail.strip_prefix(&both).unwrap_or(&row.detail);
            let said = said.trim_start_matches("; ");
            let said = if said.is_empty() {
                String::new()
            } else {
                format!("; {said}")
            };
            writeln!(out, "{}: {status}: {both}{said}", row.location)?;
            for file in &row.evidence {
                writeln!(out, "  {}", file.path)?;
            }
        }
        let already = if self.unchanged { " already" } else { "" };
        writeln!(out, "bound{already} in {}", self.path)
    }
}
