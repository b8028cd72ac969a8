//! Sample sizes, units of analysis, and the plan, against how the study was repeated.
//!
//! **Source**: citation gates, §8.6.

use std::collections::BTreeSet;

use aris_claims::Evidence;
use aris_claims::design::{Design, all_units, designs};
use aris_claims::number::{Number, scan};
use aris_review::Severity;

use super::{Check, METHODOLOGICAL, RERUN, quoted};
use crate::feature::Feature;
use crate::plan::{NOUNS, Plan};
use crate::prose::Prose;
use crate::statement::Statement;

/// The rules of this file.
pub(super) const RULES: [&str; 3] = [
    "sample-size-mismatch",
    "unit-of-analysis",
    "protocol-deviation",
];

/// Letters from which a name may be part of another one.
const SHORT: usize = 3;

/// By how much a printed half-width may miss a computed one, as a part of it.
const WIDTH: f64 = 0.05;

pub(super) fn check(
    documents: &[Prose],
    statements: &[Vec<Statement>],
    plan: Option<&Plan>,
    evidence: &Evidence,
    out: &mut Check,
) {
    let designs = designs(evidence);
    if designs.is_empty() {
        for rule in RULES {
            out.not_checked(
                rule,
                "the results name no repetitions (seed, run, subject, fold)",
            );
        }
        return;
    }
    let repeated = Repeated::new(&designs, evidence);
    for (prose, statements) in documents.iter().zip(statements) {
        for statement in statements {
            sizes(prose, statement, &repeated, out);
            widths(prose, statement, &designs, out);
        }
    }
    let own = documents.iter().find_map(|prose| {
        let file = prose.files.first()?;
        Plan::of_front_matter(file, prose.front_matter.as_deref()?)
    });
    match plan.or(own.as_ref()) {
        Some(plan) => deviations(documents, plan, &designs, evidence, out),
        None => out.not_checked("protocol-deviation", "no plan was given or found"),
    }
}

/// How often things were repeated.
struct Repeated {
    /// Units of each design, and of all together.
    units: BTreeSet<u64>,
    /// Most units of a design, and of all together.
    most: u64,
    /// Rows of designs that have more rows than units.
    rows: BTreeSet<u64>,
    /// Rows of all designs of one measure.
    totals: BTreeSet<u64>,
    /// Nouns for units: the columns' names.
    nouns: BTreeSet<String>,
}

fn count(length: usize) -> u64 {
    u64::try_from(length).unwrap_or(u64::MAX)
}

impl Repeated {
    fn new(designs: &[Design], evidence: &Evidence) -> Self {
        let mut units: BTreeSet<u64> = designs
            .iter()
            .map(|design| count(design.units.len()))
            .collect();
        units.insert(count(all_units(designs).len()));
        let most = units.last().copied().unwrap_or(0);
        let rows = designs
            .iter()
            .filter(|design| design.rows > design.units.len())
            .map(|design| count(design.rows))
            .collect();
        let measures: BTreeSet<&str> = designs
            .iter()
            .map(|design| design.measure.as_str())
            .collect();
        let totals = measures
            .into_iter()
            .map(|measure| {
                let of = designs.iter().filter(|design| design.measure == measure);
                count(of.map(|design| design.rows).sum())
            })
            .collect();
        let mut nouns: BTreeSet<String> = evidence
            .repetitions
            .iter()
            .map(|name| singular(&name.to_lowercase()))
            .collect();
        // Seeds are runs, and runs are repetitions.
        if nouns.iter().any(|noun| NOUNS.contains(&noun.as_str())) {
            nouns.extend(NOUNS.map(str::to_owned));
            nouns.remove("fold");
        }
        Self {
            units,
            most,
            rows,
            totals,
            nouns,
        }
    }
}

fn singular(noun: &str) -> String {
    match noun {
        "mice" => String::from("mouse"),
        other => other.strip_suffix('s').unwrap_or(other).to_owned(),
    }
}

/// Words by which a sentence speaks of rows, not of units.
const MEASUREMENTS: [&str; 8] = [
    "measurement",
    "observation",
    "reading",
    "sample",
    "row",
    "iteration",
    "request",
    "record",
];

/// "n = 20", "over twelve seeds".
fn sizes(prose: &Prose, statement: &Statement, repeated: &Repeated, out: &mut Check) {
    // A size that a cited work had is not ours.
    if statement.is_cited() && !statement.features().any(&[Feature::We, Feature::Own]) {
        return;
    }
    let text = statement.text(prose);
    let lower = text.to_lowercase();
    for number in scan(text) {
        let Some(value) = whole(&number) else {
            continue;
        };
        let said = if is_size(text, &number) {
            Said::Size
        } else if counts_units(text, &number, &repeated.nouns) {
            Said::Units
        } else {
            continue;
        };
        let fits = repeated.units.contains(&value)
            || match said {
                // Of six plots, two may be spoken of; more than there are cannot.
                Said::Units => value <= repeated.most || repeated.totals.contains(&value),
                Said::Size => repeated.totals.contains(&value) && repeated.rows.is_empty(),
            };
        let infers = statement
            .features()
            .any(&[Feature::Interval, Feature::PValue]);
        let shown = text.get(number.range.clone()).unwrap_or("");
        if fits {
            if said == Said::Size && value == 1 && infers {
                let message = format!("{} gives an interval or a test for one unit", quoted(text));
                rerun("unit-of-analysis", statement, message, out);
            }
            continue;
        }
        let rows = repeated.rows.contains(&value) || repeated.totals.contains(&value);
        let units = repeated.most;
        if rows && infers {
            let message = format!(
                "{} takes {shown} rows for independent units; the results have {units} units",
                quoted(text)
            );
            rerun("unit-of-analysis", statement, message, out);
        } else if !(rows && MEASUREMENTS.iter().any(|word| lower.contains(word))) {
            let message = format!(
                "{} says {shown}; the results have {units} independent units",
                quoted(text)
            );
            rerun("sample-size-mismatch", statement, message, out);
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Said {
    Size,
    Units,
}

fn whole(number: &Number) -> Option<u64> {
    (number.value.is_integer() && number.unit.is_none())
        .then(|| number.value.to_string().parse().ok())?
}

/// `n = 20`, `(N=20`.
fn is_size(text: &str, number: &Number) -> bool {
    let before = text.get(..number.range.start).unwrap_or("").trim_end();
    before.strip_suffix('=').is_some_and(|before| {
        let before = before.trim_end();
        before.strip_suffix(['n', 'N']).is_some_and(|rest| {
            !rest.ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '\\'))
        })
    })
}

/// "six plots", "five random seeds": the repetition column's name in plural, at most one word further on.
fn counts_units(text: &str, number: &Number, nouns: &BTreeSet<String>) -> bool {
    let after = text.get(number.end..).unwrap_or("");
    if !after.starts_with([' ', '\u{a0}', '-']) {
        return false;
    }
    after
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .take(2)
        .map(str::to_lowercase)
        .any(|word| (word.ends_with('s') || word == "mice") && nouns.contains(&singular(&word)))
}

fn rerun(rule: &'static str, statement: &Statement, message: String, out: &mut Check) {
    let place = (statement.file.as_str(), statement.line);
    if let Some(finding) = out.add(rule, Severity::Critical, METHODOLOGICAL, place, message) {
        finding.suggested_strategy = Some(String::from(RERUN));
    }
}

/// A printed confidence interval that fits the rows and not the units.
fn widths(prose: &Prose, statement: &Statement, designs: &[Design], out: &mut Check) {
    if !statement.features().has(Feature::Interval) {
        return;
    }
    let text = statement.text(prose);
    let lower = text.to_lowercase();
    let says_interval = lower.contains("confidence")
        || lower
            .split(|c: char| !c.is_alphanumeric())
            .any(|word| word == "ci");
    if !says_interval {
        return;
    }
    let numbers = scan(text);
    for (at, number) in numbers.iter().enumerate() {
        let width = if number.uncertainty_of.is_some() {
            Some(number.value.to_f64())
        } else {
            // "[41.2, 44.8]"
            let bracketed = text
                .get(..number.range.start)
                .is_some_and(|before| before.ends_with(['[', '(']));
            let next = numbers.get(at + 1).filter(|_| bracketed);
            next.filter(|next| {
                let between = text.get(number.end..next.range.start).unwrap_or("");
                matches!(between.trim(), "," | "–" | "-" | ";" | "to")
            })
            .map(|next| (next.value.to_f64() - number.value.to_f64()) / 2.0)
        };
        let Some(width) = width.filter(|width| *width > 0.0) else {
            continue;
        };
        // What is printed is rounded.
        let slack = 0.5 * 10_f64.powi(number.last_digit);
        let near = |computed: Option<f64>| {
            computed.is_some_and(|computed| {
                [1.0, 100.0, 1_000.0].iter().any(|scale| {
                    let scaled = computed * scale;
                    (scaled - width).abs() <= (WIDTH * scaled).max(slack)
                })
            })
        };
        let rows_only = designs.iter().any(|design| {
            design.rows > design.units.len()
                && near(design.row_half_width)
                && !near(design.unit_half_width)
        });
        let units_too = designs.iter().any(|design| near(design.unit_half_width));
        if rows_only && !units_too {
            let message = format!(
                "{} prints an interval that takes every row for an independent unit",
                quoted(text)
            );
            rerun("unit-of-analysis", statement, message, out);
        }
    }
}

/// What was planned against what the results contain.
fn deviations(
    documents: &[Prose],
    plan: &Plan,
    designs: &[Design],
    evidence: &Evidence,
    out: &mut Check,
) {
    let file = documents
        .first()
        .and_then(|prose| prose.files.first())
        .cloned()
        .unwrap_or_default();
    let mut add = |message: String| {
        let place = (file.as_str(), 0);
        let message = format!("{message} (plan: {})", plan.file);
        let found = out.add(
            "protocol-deviation",
            Severity::Critical,
            METHODOLOGICAL,
            place,
            message,
        );
        if let Some(finding) = found {
            finding.suggested_strategy = Some(String::from(RERUN));
        }
    };
    if let Some(planned) = plan.replicates {
        let mut other: Vec<(String, u64)> = designs
            .iter()
            .filter(|design| count(design.units.len()) != planned)
            .map(|design| {
                let name = design.labels.join(" ");
                (name, count(design.units.len()))
            })
            .collect();
        other.sort();
        other.dedup();
        if let Some((name, found)) = other.first() {
            let more = match other.len() {
                1 => String::new(),
                all => format!(", and {} more", all - 1),
            };
            add(format!(
                "{planned} replicates were planned, the results of `{name}` have {found}{more}"
            ));
        }
    }
    let names = aris_claims::design::names(evidence);
    for (what, planned) in [("system", &plan.systems), ("metric", &plan.metrics)] {
        for name in planned {
            // `p95` in the plan is `p95_ms` in the results.
            let wanted = aris_claims::design::compact(name);
            let known = |name: &String| {
                *name == wanted
                    || wanted.len() >= SHORT && name.contains(&wanted)
                    || name.len() >= SHORT && wanted.contains(name.as_str())
            };
            if !names.iter().any(known) {
                add(format!(
                    "{what} `{name}` was planned, the results have none of that name"
                ));
            }
        }
    }
    for (name, planned) in &plan.thresholds {
        for found in aris_claims::design::thresholds(evidence, name) {
            if (found - planned).abs() > 1e-9 {
                add(format!(
                    "threshold `{name}` was planned as {planned}, the results say {found}"
                ));
            }
        }
    }
}
