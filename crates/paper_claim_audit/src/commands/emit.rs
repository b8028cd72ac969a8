//! Writes a `\newcommand` for every bound macro, so that its number always matches the data.

use std::io::{self, Write};

use aris_claims::bindings::Subject;
use aris_claims::project::ProjectError;
use aris_cli::{Context, Outcome, Shown};
use aris_contract::ErrorKind;
use aris_evidence::{Limits, Question};
use aris_fs::Form;
use serde::Serialize;

use crate::cli::EmitArgs;
use crate::error::Error;
use crate::format::formatted;
use crate::session;

/// Schema id of [`EmitReport`].
pub(crate) const SCHEMA: &str = "aris.paper_claim_audit.emit/v1";

/// First line of an emitted file.
const FIRST_LINE: &str = "% Written by `paper_claim_audit emit`";

/// What `emit` answers.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub(crate) struct EmitReport {
    /// The file.
    pub(crate) path: String,
    /// Whether the file holds what it must hold: before, with `--check`; else now.
    pub(crate) current: bool,
    /// Whether the file held it before.
    pub(crate) unchanged: bool,
    /// The macros in the order of the bindings.
    pub(crate) macros: Vec<MacroRow>,
}

/// One macro.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub(crate) struct MacroRow {
    /// Name without backslash.
    pub(crate) name: String,
    /// The exact value.
    pub(crate) value: String,
    /// What LaTeX prints.
    pub(crate) text: String,
}

pub(crate) fn run(args: &EmitArgs, context: &Context) -> Result<Shown, Error> {
    let project = session::open(&args.paper, context)?;
    if !project.has_claims {
        return Err(ProjectError::no_claims(&project.claims_path).into());
    }
    let bound = project.claims.claims.iter().filter(|claim| !claim.proposed);
    let bound = bound.filter_map(|claim| match &claim.subject {
        Subject::Macro { name, value } => Some((name, value, claim.format.as_deref())),
        _ => None,
    });
    let questions = bound.clone().map(|(_, value, _)| Question {
        sql: value.sql.clone(),
        most_rows: 1,
    });
    let questions: Vec<Question> = questions.collect();
    let evaluation = aris_evidence::evaluate(&project.settings, &questions, &Limits::default());
    let mut macros = Vec::new();
    for ((name, _, format), answer) in bound.zip(&evaluation.answers) {
        let written = aris_claims::single(answer).and_then(|value| {
            let value = aris_claims::value_as_decimal(&value)?;
            Ok((formatted(&value, format)?, value))
        });
        let (text, value) = written.map_err(|message| {
            let message = format!("macro `\\{name}`: {message}");
            let hint = "correct its `value` or `format` in claims.toml";
            ProjectError::input(ErrorKind::Validation, message, hint)
        })?;
        macros.push(MacroRow {
            name: name.clone(),
            value: value.to_string(),
            text,
        });
    }
    let claims = project.claims_name();
    let mut text = format!("{FIRST_LINE} from {claims}. Edits are lost.\n");
    for row in &macros {
        text.extend(["\\newcommand{\\", &row.name, "}{", &row.text, "}\n"]);
    }
    let path = context.absolute(&args.output);
    let was_current = aris_fs::holds(&path, text.as_bytes());
    let write = !args.check && !was_current;
    if write {
        super::write_own(
            &path,
            "the macros",
            Form::Begins(&[FIRST_LINE.as_bytes()]),
            &text,
        )?;
    }
    let report = EmitReport {
        path: path.display().to_string(),
        current: was_current || write,
        unchanged: was_current,
        macros,
    };
    let stale = !report.current;
    Ok(Outcome::found(report, stale).shown(SCHEMA, EmitReport::render))
}

impl EmitReport {
    /// Writes the text output.
    fn render(&self, out: &mut dyn Write) -> io::Result<()> {
        for row in &self.macros {
            writeln!(out, "\\{} = {} ({})", row.name, row.text, row.value)?;
        }
        if self.macros.is_empty() {
            writeln!(out, "no macro is bound")?;
        }
        let what = match (self.unchanged, self.current) {
            (true, _) => "unchanged",
            (false, true) => "written",
            (false, false) => "not current; run `paper_claim_audit emit` without --check",
        };
        writeln!(out, "{}: {what}", self.path)
    }
}
