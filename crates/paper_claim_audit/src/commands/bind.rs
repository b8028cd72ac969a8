//! Checks one binding against paper and data, and appends it to `claims.toml`.

use std::io::{self, Write};

use aris_claims::bindings::{Draft, DraftSubject, Relation, Rounding, append};
use aris_claims::decimal::Decimal;
use aris_claims::project::{ProjectError, claims_text};
use aris_claims::{Claims, Status};
use aris_cli::{Context, Outcome, Style};
use aris_fs::Lock;
use serde::Serialize;

use crate::Report;
use crate::artifact::Row;
use crate::cli::BindArgs;
use crate::error::Error;
use crate::session::Session;

/// Schema id of [`BindReport`].
pub(crate) const SCHEMA: &str = "aris.paper_claim_audit.bind/v1";

/// What `bind` answers.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct BindReport {
    /// The file of bindings.
    pub(crate) path: String,
    /// The numbers of the binding as the paper shows them and as the data give them.
    pub(crate) claims: Vec<Row>,
}

pub(crate) fn run(args: &BindArgs, context: &Context) -> Result<Outcome<Report>, Error> {
    let mut session = Session::begin(&args.paper, context)?;
    session.require_document()?;
    let draft = draft(args)?;
    let alone = append("", std::slice::from_ref(&draft)).map_err(|wrong| refused(wrong.message))?;
    let bound = Claims::read(&alone).map_err(|wrong| refused(wrong.message))?;
    let known = std::mem::take(&mut session.claims.claims);
    (session.claims.tables, session.claims.waivers) = (Vec::new(), Vec::new());
    session.claims.claims.clone_from(&bound.claims);
    let audit = session.audit();
    let name = session.claims_name();
    let rows: Vec<Row> = audit
        .entries
        .iter()
        .filter(|entry| !matches!(entry.status, Status::Unbound | Status::Waived))
        .map(|entry| Row {
            binding: None,
            ..Row::new(entry, &name)
        })
        .collect();
    if let Some(wrong) = rows
        .iter()
        .find(|row| matches!(row.status, Status::BindingLost | Status::BindingError))
    {
        let hint = if wrong.status == Status::BindingLost {
            "copy the sentence as the source has it, with [[ ]] around each number; nothing was written"
        } else {
            "correct the query; nothing was written"
        };
        return Err(Error::Binding {
            message: format!("{}: {}", wrong.location, wrong.detail),
            hint,
        });
    }
    let same = |claims: &[aris_claims::bindings::Claim]| {
        let new = bound.claims.first().map(|claim| &claim.subject);
        claims
            .iter()
            .any(|claim| !claim.proposed && Some(&claim.subject) == new)
    };
    if !same(&known) {
        add(&session, &[draft], &same)?;
    }
    let differs = rows.iter().any(|row| row.status.contradicts());
    let report = BindReport {
        path: session.claims_path.display().to_string(),
        claims: rows,
    };
    Ok(Outcome::found(Report::Bind(report), differs))
}

fn refused(message: String) -> Error {
    Error::Binding {
        message,
        hint: "nothing was written",
    }
}

/// Appends under a lock to what stands in the file by now; false where `present` says that nothing is missing.
pub(crate) fn add(
    session: &Session,
    drafts: &[Draft],
    present: &dyn Fn(&[aris_claims::bindings::Claim]) -> bool,
) -> Result<bool, Error> {
    let locks = session.files.project.join(".aris");
    aris_fs::create_dir(&locks).map_err(Error::Write)?;
    let lock = Lock::acquire(&locks.join("claims.lock")).map_err(Error::Write)?;
    let text = claims_text(&session.claims_path)?.unwrap_or_default();
    let malformed = |wrong| ProjectError::Claims {
        path: session.claims_path.clone(),
        wrong,
    };
    if !text.trim().is_empty() && present(&Claims::read(&text).map_err(malformed)?.claims) {
        return Ok(false);
    }
    let new = append(&text, drafts).map_err(malformed)?;
    aris_fs::write_atomic(&session.claims_path, new.as_bytes()).map_err(Error::Write)?;
    drop(lock);
    Ok(true)
}

fn draft(args: &BindArgs) -> Result<Draft, Error> {
    let subject = match (&args.macro_name, &args.file, &args.text, &args.holds) {
        (Some(name), ..) => DraftSubject::Macro {
            name: name.trim_start_matches('\\').to_owned(),
            value: args.value.first().cloned().unwrap_or_default(),
        },
        (None, Some(file), Some(text), Some(sql)) => DraftSubject::Statement {
            file: file.clone(),
            text: text.clone(),
            sql: sql.clone(),
        },
        (None, file, text, _) => DraftSubject::Sentence {
            file: file.clone().unwrap_or_default(),
            text: text.clone().unwrap_or_default(),
            values: args.value.clone(),
        },
    };
    if args.macro_name.is_some() && args.value.len() != 1 {
        return Err(refused(String::from(
            "a macro holds one number and takes one --value",
        )));
    }
    let tolerance = match args.tolerance {
        None => None,
        Some(amount) => Some(
            Decimal::from_f64(amount)
                .filter(|amount| !amount.is_negative())
                .ok_or_else(|| {
                    refused(String::from("a tolerance is a number that is not negative"))
                })?,
        ),
    };
    Ok(Draft {
        id: args.id.clone().unwrap_or_default(),
        subject,
        relation: match args.relation.as_deref() {
            Some("<") => Relation::Less,
            Some("<=") => Relation::AtMost,
            Some(">") => Relation::Greater,
            Some(">=") => Relation::AtLeast,
            Some("about") => Relation::About,
            _ => Relation::Equal,
        },
        round: match args.round.as_deref() {
            Some("down") => Rounding::Down,
            Some("up") => Rounding::Up,
            Some("truncate") => Rounding::Truncate,
            _ => Rounding::Nearest,
        },
        tolerance,
        ..Draft::default()
    })
}

impl BindReport {
    /// Writes the form for people.
    pub(crate) fn render(&self, out: &mut dyn Write, style: Style) -> io::Result<()> {
        for row in &self.claims {
            let status = if row.status.holds() {
                row.status.word().to_owned()
            } else {
                style.bad(row.status.word()).clone()
            };
            let shown = row.shown.as_deref().map_or_else(
                || String::from("the statement"),
                |shown| format!("the paper shows {shown}"),
            );
            let value = row.value.as_deref().unwrap_or("nothing");
            writeln!(
                out,
                "{}: {status}: {shown}, the data give {value}",
                row.location
            )?;
            for file in &row.evidence {
                writeln!(out, "  {}", file.path)?;
            }
        }
        writeln!(out, "bound in {}", self.path)
    }
}
