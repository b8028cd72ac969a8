//! Checks sample sizes, units of analysis and the plan against the repetitions in the results.
//!
//! A sentence may be about other data than the given results, and results may restart the numbering of units in every
//! condition. So only contradictions under every such reading are reported; a finding that assumes that the sentence is about
//! these results is left to a person.
//!
//! **Source**: citation gates, §8.6.

use std::collections::BTreeSet;

use aris_claims::number::{Number, scan};
use aris_evidence::Value;
use aris_review::Severity;

use super::{Check, METHODOLOGICAL, RERUN, quoted};
use crate::feature::Feature;
use crate::plan::Plan;
use crate::prose::Prose;
use crate::prose::passage::{before, from};
use crate::results::{
    Interval, Intervals, NoStudy, Results, Study, compact, number, same_noun, singular,
};
use crate::statement::Statement;

/// The rules of this file.
pub(super) const RULES: [&str; 3] = [
    "sample-size-mismatch",
    "unit-of-analysis",
    "protocol-deviation",
];

pub(super) fn check(
    documents: &[Prose],
    statements: &[Vec<Statement>],
    plan: Option<&Plan>,
    (results, repetition): (&[Results], &[String]),
    out: &mut Check,
) {
    let own = documents.iter().find_map(|prose| {
        let file = prose.files.first()?;
        Plan::of_front_matter(file, prose.front_matter.as_deref()?)
    });
    let plan = plan.or(own.as_ref());
    let mut named = repetition.to_vec();
    named.extend(plan.and_then(|plan| plan.unit.clone()));
    let mut studies = Vec::new();
    for file in results {
        match Study::of(file, &named) {
            Ok(study) => studies.push(study),
            Err(NoStudy::Unrepeated) => {}
            Err(NoStudy::Several(columns)) => {
                let reason = format!(
                    "{}: several columns name repetitions ({}); say with --repetition which one tells independent units apart",
                    file.path,
                    columns.join(", ")
                );
                out.not_checked(RULES, &reason);
            }
        }
    }
    studies.sort_by_key(|study: &Study<'_>| study.path);
    if studies.is_empty() {
        out.not_checked(
            RULES,
            "no table of the results has a column that names repetitions (seed, run, subject, fold; --repetition names another)",
        );
        return;
    }
    let rows: usize = results.iter().map(|file| file.table.rows.len()).sum();
    for (prose, statements) in documents.iter().zip(statements) {
        for statement in statements {
            sizes(prose, statement, &studies, rows, out);
            widths(prose, statement, &studies, out);
        }
    }
    for study in &studies {
        if study.intervals.is_none() {
            let reason = format!("{}: too many means to compare intervals with", study.path);
            out.not_checked(["unit-of-analysis"], &reason);
        }
        if !study.iterates && study.row_counts.last() > Some(&study.most_units) {
            let reason = format!(
                "{}: `{}` has several rows for each value, which may be independent units; pass --repetition {} if they are not",
                study.path, study.noun, study.noun
            );
            out.not_checked(["unit-of-analysis"], &reason);
        }
    }
    match plan {
        Some(plan) => deviations(documents, plan, &studies, results, out),
        None => out.not_checked(["protocol-deviation"], "no plan was given or found"),
    }
}

fn count(length: usize) -> u64 {
    u64::try_from(length).unwrap_or(u64::MAX)
}

/// Checks sizes such as "n = 20" and "over twelve seeds".
fn sizes(
    prose: &Prose,
    statement: &Statement,
    studies: &[Study<'_>],
    rows: usize,
    out: &mut Check,
) {
    // A cited work's sample size is not the authors'.
    if statement.is_cited() && !statement.features.any(&[Feature::We, Feature::Own]) {
        return;
    }
    let text = statement.text(prose);
    let infers = statement
        .features
        .any(&[Feature::Interval, Feature::PValue]);
    for number in scan(text) {
        let Some(value) = whole(&number) else {
            continue;
        };
        let noun = counted(text, &number);
        let counts = |study: &&Study<'_>| match &noun {
            Counted::Units(noun) => same_noun(&study.noun, noun),
            Counted::Size => true,
            Counted::Nothing => false,
        };
        let of: Vec<&Study<'_>> = studies.iter().filter(counts).collect();
        if of.is_empty() {
            continue;
        }
        let units: usize = of.iter().map(|study| study.most_units).sum();
        let shown = text.get(number.range.clone()).unwrap_or("");
        // The number equals a number of rows where units have several rows, and exceeds the number of units.
        let of_rows = of.iter().any(|study| {
            study.iterates
                && value > count(study.most_units)
                && study.row_counts.iter().any(|rows| count(*rows) == value)
        });
        if infers && of_rows && value > count(units) {
            let message = format!(
                "{} counts {shown} rows as independent units; the results have {units} units",
                quoted(text)
            );
            rerun("unit-of-analysis", statement.place(), message, out);
            continue;
        }
        let (most, things) = match &noun {
            Counted::Units(noun) => (units, format!("{units} (column `{noun}`)")),
            _ => (rows, format!("{rows} rows")),
        };
        if infers && value == 1 && units == 1 && matches!(noun, Counted::Size) {
            let message = format!("{} gives an interval or a test for one unit", quoted(text));
            rerun("unit-of-analysis", statement.place(), message, out);
        } else if value > count(most) {
            let message = format!(
                "{}: the text says {shown}, the results have {things}",
                quoted(text)
            );
            let finding = rerun("sample-size-mismatch", statement.place(), message, out);
            finding.requires_decision = true;
        }
    }
}

fn whole(number: &Number) -> Option<u64> {
    (number.value.is_integer() && number.unit.is_none())
        .then(|| number.value.to_string().parse().ok())?
}

/// What a number counts.
enum Counted {
    /// A sample size: `n = 20`, `(N=20`.
    Size,
    /// Units, "six plots" or "five random seeds": the plural noun among the next two words, in the singular.
    Units(String),
    /// Something else.
    Nothing,
}

fn counted(text: &str, number: &Number) -> Counted {
    let before = before(text, number.range.start).trim_end();
    let before = before.strip_suffix('=').map(str::trim_end);
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '\\');
    let rest = before.and_then(|before| before.strip_suffix(['n', 'N']));
    if rest.is_some_and(|rest| !rest.ends_with(is_part)) {
        return Counted::Size;
    }
    let after = from(text, number.end);
    if !after.starts_with([' ', '\u{a0}', '-']) {
        return Counted::Nothing;
    }
    let words = after.split(|c: char| !c.is_alphanumeric());
    let words = words.filter(|word| !word.is_empty()).take(2);
    let mut words = words.map(str::to_lowercase);
    match words.find(|word| word.ends_with('s') || word == "mice") {
        Some(word) => Counted::Units(singular(&word).to_owned()),
        None => Counted::Nothing,
    }
}

fn rerun<'c>(
    rule: &'static str,
    place: (&str, usize),
    message: String,
    out: &'c mut Check,
) -> &'c mut aris_review::Finding {
    let finding = out.add(rule, Severity::Critical, METHODOLOGICAL, place, message);
    finding.suggested_strategy = Some(String::from(RERUN));
    finding
}

/// Checks whether a printed 95 % interval equals the one over rows, digit by digit, and not the one over units.
fn widths(prose: &Prose, statement: &Statement, studies: &[Study<'_>], out: &mut Check) {
    let text = statement.text(prose);
    if !statement.features.has(Feature::Interval) || !text.contains("95") {
        return;
    }
    let numbers = scan(text);
    for (at, number) in numbers.iter().enumerate() {
        let mean = number.uncertainty_of.and_then(|of| numbers.get(of));
        let low = numbers
            .get(at.wrapping_sub(1))
            .filter(|low| is_interval(text, low, number));
        let shown = |interval: Interval| match (mean, low) {
            (Some(mean), _) => interval.shows(|middle, width| (middle, width), (mean, number)),
            (_, Some(low)) => interval.shows(
                |middle, width| (middle - width, middle + width),
                (low, number),
            ),
            (None, None) => false,
        };
        let all = || {
            studies
                .iter()
                .flat_map(|study| study.intervals.iter().flatten())
        };
        let over = |which: fn(&Intervals) -> Interval| all().any(|found| shown(which(found)));
        if over(|found| found.of_rows) && !over(|found| found.of_units) {
            let message = format!(
                "{} prints an interval that takes every row for an independent unit",
                quoted(text)
            );
            rerun("unit-of-analysis", statement.place(), message, out);
        }
    }
}

/// Whether two numbers form an interval: "[41.2, 44.8]".
fn is_interval(text: &str, low: &Number, high: &Number) -> bool {
    let before = before(text, low.range.start);
    let between = text.get(low.end..high.range.start).unwrap_or("").trim();
    before.ends_with(['[', '(']) && matches!(between, "," | "–" | "-" | ";" | "to")
}

impl Interval {
    /// Whether two printed numbers equal what `ends` computes from mean and half-width, directly or as percentages.
    fn shows(&self, ends: fn(f64, f64) -> (f64, f64), (one, other): (&Number, &Number)) -> bool {
        [1.0, 100.0].iter().any(|scale| {
            self.half_widths.iter().any(|width| {
                let (first, second) = ends(self.mean * scale, width * scale);
                is_shown(one, first) && is_shown(other, second)
            })
        })
    }
}

/// Whether a value, rounded to the digits of a number, equals it.
fn is_shown(number: &Number, value: f64) -> bool {
    let half = 0.5 * 10_f64.powi(number.last_digit);
    (number.value.to_f64() - value).abs() <= half * (1.0 + 1e-9)
}

/// Compares the plan with the results.
fn deviations(
    documents: &[Prose],
    plan: &Plan,
    studies: &[Study<'_>],
    results: &[Results],
    out: &mut Check,
) {
    let file = documents.first().and_then(|prose| prose.files.first());
    let file = file.map_or("", String::as_str);
    let mut messages = Vec::new();
    if let Some(planned) = plan.replicates {
        for study in studies {
            let other = |unit: &&String| !same_noun(&study.noun, singular(&unit.to_lowercase()));
            if let Some(unit) = plan.unit.as_ref().filter(other) {
                let reason = format!("{} repeats `{}`, the plan `{unit}`", study.path, study.noun);
                out.not_checked(["protocol-deviation"], &reason);
                continue;
            }
            messages.extend(fewer(plan, planned, study));
        }
    }
    missing_systems(plan, results, &mut messages, out);
    let names = names(results);
    for metric in &plan.metrics {
        let wanted = compact(metric);
        // `p95` in the plan matches `p95_ms` in the results.
        let like = |name: &String| {
            let is_in = |short: &str, long: &str| short.len() >= 3 && long.contains(short);
            *name == wanted || is_in(name, &wanted) || is_in(&wanted, name)
        };
        if !names.iter().any(like) {
            let reason =
                format!("no column of the results has the name of the planned metric `{metric}`");
            out.not_checked(["protocol-deviation"], &reason);
        }
    }
    thresholds(plan, results, &mut messages);
    for message in messages {
        let message = format!("{message} (plan: {})", plan.file);
        rerun("protocol-deviation", (file, 0), message, out);
    }
}

/// Reports fewer repetitions than planned, in total or for one planned system. Fewer distinct unit numbers can never be more
/// units, whatever they mean.
fn fewer(plan: &Plan, planned: u64, study: &Study<'_>) -> Option<String> {
    let units = count(study.units);
    let place = format!("`{}` in {}", study.noun, study.path);
    if units < planned {
        return Some(format!(
            "{planned} replicates were planned, the results have {units} ({place})"
        ));
    }
    plan.systems.iter().find_map(|system| {
        let units = count(study.units_of(system));
        (0 < units && units < planned).then(|| {
            format!("{planned} replicates were planned, the results of `{system}` have {units} ({place})")
        })
    })
}

/// Reports planned systems that the results lack, if a column names some of the planned systems and has fewer values than were
/// planned. Otherwise an absent name may only be spelled differently.
fn missing_systems(plan: &Plan, results: &[Results], messages: &mut Vec<String>, out: &mut Check) {
    let planned: BTreeSet<String> = plan.systems.iter().map(|name| compact(name)).collect();
    let mut found: BTreeSet<String> = BTreeSet::new();
    for table in results.iter().map(|file| &file.table) {
        for column in 0..table.columns.len() {
            let cells = table.rows.iter().filter_map(|row| row.get(column));
            let texts: BTreeSet<String> = cells.filter_map(name).collect();
            if texts.iter().any(|text| planned.contains(text)) {
                found.extend(texts);
            }
        }
    }
    let is_absent = |system: &&String| !found.contains(&compact(system));
    let absent = plan.systems.iter().filter(is_absent);
    let absent: Vec<String> = absent.map(|name| format!("`{name}`")).collect();
    let absent = absent.join(", ");
    if absent.is_empty() {
        return;
    }
    if !found.is_empty() && found.len() < planned.len() {
        let (planned, found) = (planned.len(), found.len());
        messages.push(format!(
            "{planned} systems were planned, the results have {found}, and none called {absent}"
        ));
    } else {
        let reason = format!("the results do not name the planned systems {absent}");
        out.not_checked(["protocol-deviation"], &reason);
    }
}

/// The text of a cell in the form in which names are compared.
fn name(value: &Value) -> Option<String> {
    match value {
        Value::Text(text) => Some(compact(text)),
        Value::Null | Value::Integer(_) | Value::Real(_) => None,
    }
}

/// Names of columns and texts of cells.
fn names(results: &[Results]) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for table in results.iter().map(|file| &file.table) {
        names.extend(table.columns.iter().map(|name| compact(name)));
        names.extend(table.rows.iter().flatten().filter_map(name));
    }
    names.remove("");
    names
}

/// Reports columns `NAME_threshold` whose value differs from the plan.
fn thresholds(plan: &Plan, results: &[Results], messages: &mut Vec<String>) {
    for (name, planned) in &plan.thresholds {
        let wanted = compact(name);
        let bare = wanted.strip_suffix("threshold").unwrap_or(&wanted);
        let is_threshold = |column: &str| {
            let column = compact(column);
            column == format!("{bare}threshold") || column == format!("threshold{bare}")
        };
        for table in results.iter().map(|file| &file.table) {
            let Some(at) = table.columns.iter().position(|column| is_threshold(column)) else {
                continue;
            };
            let mut values = table.rows.iter().filter_map(|row| number(row.get(at)?));
            if let Some(found) = values.find(|found| (found - planned).abs() > 1e-9) {
                messages.push(format!(
                    "threshold `{name}` was planned as {planned}, the results say {found}"
                ));
            }
        }
    }
}
