//! `doctor`: faults of an installation, each with a stable id, the path and a hint.
//!
//! Changes nothing. Starts only the helpers' own binaries, with `--version`.

mod blocks;
mod entries;
mod finding;
mod hosts;
mod launchers;
mod record;
mod tools;

use std::io::{self, Write};

use aris_cli::{Outcome, Product, Style};
use aris_contract::text::counted;
use serde::Serialize;

use finding::{Finding, Findings, Severity};
use hosts::HostView;
use record::{Installation, Record};
use tools::HelperView;

use crate::project::Project;
use crate::report::word;

/// Schema id of [`Doctor`].
pub(crate) const SCHEMA: &str = "aris.contract_check.doctor/v1";

/// The state of an installation.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Doctor {
    /// The project, absolute.
    project: String,
    /// Version of this program.
    version: &'static str,
    /// Which installer's record exists.
    installation: Installation,
    /// The skills that each host sees.
    hosts: Vec<HostView>,
    /// Every helper of the contract.
    helpers: Vec<HelperView>,
    /// Number of errors.
    errors: usize,
    /// Number of warnings.
    warnings: usize,
    /// Sorted by severity, then path.
    findings: Vec<Finding>,
}

/// Runs all checks.
pub(crate) fn run(project: &Project) -> Outcome<Doctor> {
    let mut findings = Findings::default();
    let record = Record::read(project, &mut findings);
    entries::check(project, &record, &mut findings);
    blocks::check(project, &record, &mut findings);
    let hosts = hosts::check(project, &record, &mut findings);
    launchers::check(project, &record, &mut findings);
    let helpers = tools::check(project, &record, &mut findings);
    let mut findings = findings.0;
    findings.sort();
    findings.dedup_by(|a, b| a.id == b.id && a.path == b.path && a.message == b.message);
    let count = |severity| {
        let findings = findings.iter();
        findings.filter(|one| one.severity == severity).count()
    };
    let found = !findings.is_empty();
    let doctor = Doctor {
        project: project.root.display().to_string(),
        version: env!("CARGO_PKG_VERSION"),
        installation: record.installation(),
        hosts,
        helpers,
        errors: count(Severity::Error),
        warnings: count(Severity::Warning),
        findings,
    };
    Outcome::found(doctor, found)
}

impl Product for Doctor {
    fn schema(&self) -> &'static str {
        SCHEMA
    }

    fn render(&self, out: &mut dyn Write, _style: Style) -> io::Result<()> {
        writeln!(out, "installation\t{}", self.installation.words())?;
        for HostView { host, skills, .. } in &self.hosts {
            writeln!(out, "host\t{host}\tsees {skills} skills of this project")?;
        }
        for helper in &self.helpers {
            let found = match (&helper.path, helper.layer) {
                (Some(path), Some(layer)) => format!("layer {layer}\t{path}"),
                _ => String::from("not found"),
            };
            let not_shipped = "\tnot shipped by this suite";
            let shipped = if helper.shipped { "" } else { not_shipped };
            writeln!(out, "helper\t{}\t{found}{shipped}", helper.name)?;
        }
        for found in &self.findings {
            let (severity, id) = (word(found.severity), word(found.id));
            let (path, message, hint) = (&found.path, &found.message, &found.hint);
            writeln!(out, "{severity}\t{id}\t{path}\t{message}\t(hint: {hint})")?;
        }
        let errors = counted(self.errors, "error");
        writeln!(out, "{errors}, {}", counted(self.warnings, "warning"))
    }
}
