//! `skill_lint`: checks whether the hosts load these skills, and whether the scripts they ship behave as their contract says.
//! It judges structure, not style.
//!
//! **Input**: folders: repositories, skills trees, single skills. **Output**: findings, each with rule, place, message and
//! hint, as text, JSON, SARIF or workflow commands. **Exit**: 0 no finding as severe as `--fail-on`; 10 findings; 2 usage; 3 a
//! PATH does not exist; 4 the input cannot be checked (malformed configuration, nothing to check); 5 an output or a repair
//! cannot be written.
//!
//! Starts and writes nothing unless a flag asks for it: `--run`, `--syntax`, `--fix`, `--output`, `--write-baseline`.

pub mod baseline;
pub mod catalogue;
mod check;
mod cli;
mod code;
pub mod config;
mod error;
pub mod finding;
pub mod fingerprint;
pub mod fix;
pub mod lint;
pub mod profile;
pub mod report;
pub mod rules;
pub mod sandbox;
pub mod selection;
pub mod suppress;
#[cfg(test)]
mod tests;

#[cfg(test)]
use tests::testing;

use std::path::{Path, PathBuf};

use aris_cli::{Context, Network, Outcome, Sample, Spec, Style};
use aris_contract::ErrorKind;
use aris_fs::Form;

pub use check::lint;
pub use cli::{Cli, FixMode, Options};
pub use error::Error;
pub use report::{Answer, Report};

use report::Format;

/// The helper's name, version and help.
pub static SPEC: Spec = Spec {
    name: "skill_lint",
    version: env!("CARGO_PKG_VERSION"),
    summary: "Check agent skills: whether hosts will load them, and whether their scripts behave as declared",
    input: "folders: repositories, skills trees or single skills; skill-lint.toml in them or above",
    output: "findings, one per line with a hint; with --json, --format sarif or --format github for programs",
    stderr: "one line with the number of findings, warnings, errors",
    commands: &[],
    examples: &[
        "skill_lint  # check all skills below the working directory",
        "skill_lint --profile portable --fail-on warn skills/my-skill  # is one skill ready for upload and for every host?",
        "skill_lint --fix=dry-run --rule SR2 .  # show the mechanical repairs of scripts as a diff",
        "skill_lint --run=all --syntax --json .  # also start the scripts in a sandbox, and answer in JSON",
    ],
    signals: &[(10, "findings at or above --fail-on")],
    ok: "nothing at or above --fail-on",
    errors: &[
        ErrorKind::NotFound,
        ErrorKind::Validation,
        ErrorKind::Precondition,
    ],
    schemas: &[
        report::SCHEMA,
        report::RULES_SCHEMA,
        report::RULE_SCHEMA,
        baseline::SCHEMA,
    ],
    samples: &[
        Sample {
            args: &["--json", "--no-config", "--profile", "portable", "."],
            exit: &[0],
        },
        Sample {
            args: &["--json", "--list-rules"],
            exit: &[0],
        },
        Sample {
            args: &["--json", "no-such-folder"],
            exit: &[3],
        },
    ],
    network: Network::None,
    deadline: None,
};

/// Runs the command line.
pub fn run(cli: Cli, context: &Context) -> Result<Outcome<Answer>, Error> {
    if cli.list_rules {
        return Ok(Outcome::done(Answer::Rules(catalogue::all())));
    }
    if let Some(id) = &cli.explain {
        let rule = catalogue::find(&id.to_ascii_uppercase())
            .ok_or_else(|| Error::Usage(catalogue::unknown(id)))?;
        return Ok(Outcome::done(Answer::Rule(rule)));
    }
    let output = match &cli.output {
        Some(path) => Some((context.absolute(path), format_of(path)?)),
        None => None,
    };
    let write_baseline = cli.write_baseline.as_ref();
    let write_baseline = write_baseline.map(|path| context.absolute(path));
    let read = [&cli.baseline, &cli.config].into_iter().flatten();
    let read: Vec<PathBuf> = read.map(|path| context.absolute(path)).collect();
    if let Some((path, format)) = &output {
        let form = match format {
            Format::Json => Form::Json(&["data", "meta"]),
            Format::Sarif => Form::Json(&["version", "runs"]),
            Format::Text | Format::Github => Form::Text,
        };
        let taken: Vec<&Path> = read.iter().chain(&write_baseline).map(|it| &**it).collect();
        aris_fs::check_output(path, form, &taken)?;
    }
    if let Some(path) = &write_baseline {
        let taken = cli.config.as_ref().map(|path| context.absolute(path));
        let taken: Vec<&Path> = taken.iter().map(|it| &**it).collect();
        aris_fs::check_output(path, baseline::FORM, &taken)?;
    }
    let report = lint(&Options {
        cli,
        cwd: context.cwd().to_path_buf(),
        today: context.now().to_zoned(jiff::tz::TimeZone::UTC).date(),
        search_path: context.env("PATH").map(str::to_owned),
    })?;
    if let Some((path, format)) = &output {
        let mut bytes = Vec::new();
        let written = report.write(*format, &mut bytes, Style::plain());
        written.map_err(|error| Error::Usage(error.to_string()))?;
        aris_fs::write_output(path, &bytes)?;
    }
    if let Some(path) = &write_baseline {
        baseline::write(path, &report.items)?;
    }
    if !report.fixed.files.is_empty() {
        context.note(&format!("repaired: {}", report.fixed.files.join(", ")));
    }
    if report.fixed.more {
        context.note("more can be repaired now: look at --fix=dry-run again, then run --fix again");
    }
    if matches!(&report.sandbox, Some(sandbox) if sandbox["by"].is_null()) {
        context.note("not sandboxed: the scripts ran with your rights");
    }
    context.note(&report.summary());
    let failed = report.failed;
    Ok(Outcome::found(Answer::Findings(Box::new(report)), failed))
}

/// The format that a file's extension names.
fn format_of(path: &Path) -> Result<Format, Error> {
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("json") => Ok(Format::Json),
        Some("sarif") => Ok(Format::Sarif),
        Some("txt") => Ok(Format::Text),
        _ => Err(Error::Usage(format!(
            "--output {}: the name must end in .json, .sarif or .txt",
            path.display()
        ))),
    }
}
