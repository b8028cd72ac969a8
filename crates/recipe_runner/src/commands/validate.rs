//! `validate`: reports everything that is wrong with a recipe.

use std::collections::BTreeSet;
use std::io::{self, Write};

use aris_cli::{Context, Outcome, Shown};
use aris_contract::text::counted;
use aris_recipe::rules::{Counts, SkippedRule};
use aris_recipe::{Finding, check};
use serde::Serialize;

use crate::cli::{self, ValidateArgs};
use crate::data;
use crate::error::Error;
use crate::load;

/// Schema id of [`Validation`].
pub(crate) const SCHEMA: &str = "aris.recipe_runner.validate/v1";

/// What the rules found in a recipe.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub(crate) struct Validation {
    /// Name of the recipe.
    recipe: String,
    /// The file as given.
    path: String,
    /// Its digest.
    sha256: String,
    /// Whether there is no error.
    valid: bool,
    /// Findings by severity.
    counts: Counts,
    /// In the order of the file.
    findings: Vec<Finding>,
    /// Rules that were not applied because their data were not given.
    skipped_rules: Vec<SkippedRule>,
}

/// Checks a recipe.
pub(crate) fn run(args: &ValidateArgs, context: &Context) -> Result<Shown, Error> {
    let read = load::named(&args.recipe, context)?;
    let mut placing = Vec::new();
    let recipe = if args.compose.compose {
        let given = cli::map(&args.compose.set)?;
        match load::composed(&read, &given, &args.recipe.reading, context) {
            Ok((composed, _)) => composed.recipe,
            // The recipe can be read, so what is wrong with it is a finding like any other.
            Err(Error::Recipe { findings, .. }) => {
                placing = findings;
                load::with_placeholders(&read, &args.recipe.reading, context)
            }
            Err(error) => return Err(error),
        }
    } else {
        load::with_placeholders(&read, &args.recipe.reading, context)
    };
    let folders = load::folders(&read.path, &args.recipe.reading, context);
    let checked = (read.path.as_path(), &recipe);
    let data = data::read(&args.data, args.profile, checked, &folders, context)?;
    let mut report = check(&recipe, &data, args.profile);
    let known = |new: &Finding, old: &Finding| (&new.rule, &new.step) == (&old.rule, &old.step);
    placing.retain(|new| {
        let old = report.findings.iter_mut().find(|old| known(new, old));
        // A finding that prevented this composition has the severity that it had there.
        old.is_none_or(|old| {
            old.severity = new.severity;
            false
        })
    });
    report.findings.append(&mut placing);
    let valid = report.is_valid();
    let validation = Validation {
        recipe: recipe.name.clone(),
        path: read.path.display().to_string(),
        sha256: read.sha256,
        valid,
        counts: report.counts(),
        findings: report.findings,
        skipped_rules: report.skipped_rules,
    };
    Ok(Outcome::found(validation, !valid).shown(SCHEMA, Validation::render))
}

impl Validation {
    /// One line for each finding, and one with their number.
    fn render(&self, out: &mut dyn Write) -> io::Result<()> {
        for finding in &self.findings {
            let line = match (finding.line, finding.column) {
                (None, _) => String::new(),
                (Some(line), None) => format!(":{line}"),
                (Some(line), Some(column)) => format!(":{line}:{column}"),
            };
            let path = finding.file.as_ref().unwrap_or(&self.path);
            let step = match finding.step.as_str() {
                "" => String::new(),
                step => format!(" step {step}:"),
            };
            writeln!(
                out,
                "{}{line}: {} {}:{step} {}",
                path, finding.severity, finding.rule, finding.message
            )?;
        }
        let Counts {
            error,
            warning,
            info,
        } = self.counts;
        let word = if self.valid { "valid" } else { "invalid" };
        let (errors, warnings) = (counted(error, "error"), counted(warning, "warning"));
        let infos = counted(info, "info");
        writeln!(out, "{word}: {errors}, {warnings}, {infos}")?;
        let skipped = self.skipped_rules.iter();
        let flags: BTreeSet<&str> = skipped
            .filter_map(|rule| rule.why.rsplit_once('(')?.1.strip_suffix(')'))
            .collect();
        if flags.is_empty() {
            return Ok(());
        }
        let flags = flags.into_iter().collect::<Vec<_>>().join(", ");
        let count = self.skipped_rules.len();
        let (rules, them) = (
            counted(count, "rule"),
            if count == 1 { "it" } else { "them" },
        );
        writeln!(out, "{rules} skipped; to check {them}, pass {flags}")
    }
}
