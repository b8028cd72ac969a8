//! Numbers of the text against the results, through the number engine of `aris-claims`.
//!
//! **Source**: citation gates, §8.4.

use aris_claims::audit::Locate;
use aris_claims::decimal::Decimal;
use aris_claims::number::scan;
use aris_claims::passage::{Paper, PassageKind};
use aris_claims::{Claim, ClaimPlace, Evidence, Explained, Kind, Pins, Status};
use aris_review::{ClaimType, Severity};

use super::{Check, METHODOLOGICAL, quoted};
use crate::feature::Feature;
use crate::prose::Prose;
use crate::statement::Statement;

/// The rules of this file.
pub(super) const RULES: [&str; 5] = [
    "numeric-mismatch",
    "numeric-unsupported",
    "relative-absolute-confusion",
    "direction-mismatch",
    "uncertainty-mislabelled",
];

/// Bytes of the longest paragraph whose numbers are compared: the engine reads a number's whole paragraph.
const LONGEST: usize = 20_000;

/// Answers with passage and byte instead of a place in a file.
struct Coordinates;

impl Locate for Coordinates {
    fn locate(&self, passage: usize, offset: usize) -> (ClaimPlace, String) {
        let place = ClaimPlace {
            file: String::new(),
            line: passage,
            column: offset,
        };
        (place, String::new())
    }
}

pub(super) fn check(prose: &Prose, statements: &[Statement], evidence: &Evidence, out: &mut Check) {
    for statement in statements.iter().filter(|statement| states_own(statement)) {
        let text = statement.text(prose);
        if let Some((from, to, verb)) = against_its_numbers(text) {
            let message = format!(
                "{} says {verb}, and goes from {from} to {to}; turn the sentence round",
                quoted(text)
            );
            let place = (statement.file.as_str(), statement.line);
            out.add(
                "direction-mismatch",
                Severity::Critical,
                METHODOLOGICAL,
                place,
                message,
            );
        }
    }
    let paper = readable(&prose.paper, out);
    let report = aris_claims::audit_paper(&paper, evidence, &Pins::default(), &Coordinates);
    for claim in &report.claims {
        let (passage, offset) = (claim.place.line, claim.place.column);
        let statement = containing(statements, passage, offset);
        let Some((rule, severity, what)) = verdict(claim, statement, prose) else {
            continue;
        };
        let place = prose.place(passage, offset);
        let sentence = statement.map_or_else(String::new, |statement| {
            format!(" in {}", quoted(statement.text(prose)))
        });
        let message = format!("`{}`{sentence}: {what}", claim.text);
        out.at(rule, severity, METHODOLOGICAL, &place, message);
    }
}

/// The paper without paragraphs that are no prose.
fn readable(paper: &Paper, out: &mut Check) -> Paper {
    let mut paper = paper.clone();
    for passage in &mut paper.passages {
        if passage.text.len() > LONGEST {
            passage.kind = PassageKind::Other;
            out.not_checked(
                "numeric-mismatch",
                "a paragraph is longer than 20,000 bytes",
            );
        }
    }
    paper
}

fn containing(statements: &[Statement], passage: usize, offset: usize) -> Option<&Statement> {
    let place = |statement: &Statement| {
        let sentence = &statement.observed.sentence;
        (sentence.passage, sentence.range.start)
    };
    let after = statements.partition_point(|statement| place(statement) <= (passage, offset));
    let found = statements.get(after.checked_sub(1)?)?;
    let sentence = &found.observed.sentence;
    (sentence.passage == passage && sentence.range.contains(&offset)).then_some(found)
}

/// Rule, severity and message for a judged number; `None` when nothing is to be said.
fn verdict(
    claim: &Claim,
    statement: Option<&Statement>,
    prose: &Prose,
) -> Option<(&'static str, Severity, String)> {
    // Numbers of others are theirs; numbers of what is no claim are settings and pointers.
    if statement.is_some_and(|statement| !states_own(statement)) {
        return None;
    }
    let text = statement.map_or("", |statement| statement.text(prose));
    if claim.status.is_match() {
        if let Some(contrary) = &claim.contrary {
            let message = format!("{contrary}; turn the sentence round");
            return Some(("direction-mismatch", Severity::Critical, message));
        }
        let message = confusion(claim, text)?;
        return Some(("relative-absolute-confusion", Severity::Critical, message));
    }
    let explained = claim.explained.unwrap_or(Explained::Nowhere);
    if explained == Explained::Setting || is_level(claim, text) {
        return None;
    }
    if explained == Explained::Points {
        let message = String::from(
            "only a difference in percentage points shows this number; write points, or give the relative change",
        );
        return Some(("relative-absolute-confusion", Severity::Critical, message));
    }
    match claim.status {
        Status::DeltaError | Status::NumberMismatch => {
            if let Some(message) = confusion(claim, text) {
                return Some(("relative-absolute-confusion", Severity::Critical, message));
            }
            // "Our best model" chooses a system, not its best run: then a mean is no wrong extreme.
            let chosen = explained == Explained::Elsewhere
                && claim.evidence.iter().any(|reference| {
                    let derived = reference.derived.as_deref().unwrap_or("");
                    derived.starts_with("minimum") || derived.starts_with("maximum")
                });
            (explained < Explained::Named && !chosen)
                .then(|| ("numeric-mismatch", Severity::Critical, claim.detail.clone()))
        }
        Status::ScopeOverclaim => {
            Some(("numeric-mismatch", Severity::Critical, claim.detail.clone()))
        }
        // How many runs there were is the design's to say; another aggregate than the stated one is still a value.
        Status::AggregationMismatch => (claim.kind == Kind::Uncertainty).then(|| {
            (
                "uncertainty-mislabelled",
                Severity::Warning,
                claim.detail.clone(),
            )
        }),
        Status::MissingEvidence => {
            let experimental = statement?.claim_type() == Some(ClaimType::Experimental);
            let measured = is_measured(claim);
            (experimental && measured && explained == Explained::Nowhere).then(|| {
                let message = String::from(
                    "no value of the results, and nothing that follows from them, shows this number",
                );
                ("numeric-unsupported", Severity::Warning, message)
            })
        }
        Status::ConfigMismatch
        | Status::ExactMatch
        | Status::RoundingOk
        | Status::AmbiguousMapping => None,
    }
}

/// A claim about the authors' own work: not one that a citation answers for.
fn states_own(statement: &Statement) -> bool {
    let own = statement.features().any(&[Feature::We, Feature::Own]);
    matches!(
        statement.claim_type(),
        Some(ClaimType::Experimental | ClaimType::Comparative)
    ) && (own || !statement.is_cited())
}

/// Verbs that say which way a value goes.
const RISES: [&str; 14] = [
    "climbs",
    "climbed",
    "lifts",
    "lifted",
    "raised",
    "growing",
    "rise",
    "rises",
    "rose",
    "increases",
    "increased",
    "grows",
    "grew",
    "raises",
];
const FALLS: [&str; 18] = [
    "sinks",
    "sank",
    "declines",
    "declined",
    "shrinks",
    "shrank",
    "reduced",
    "lowered",
    "cuts",
    "fall",
    "falls",
    "fell",
    "drops",
    "dropped",
    "decreases",
    "decreased",
    "reduces",
    "lowers",
];

/// Nouns of a change, and whether it goes up.
const CHANGES: [(&str, bool); 9] = [
    ("rise", true),
    ("increase", true),
    ("growth", true),
    ("gain", true),
    ("fall", false),
    ("drop", false),
    ("decrease", false),
    ("decline", false),
    ("reduction", false),
];

/// "Falls from 6.1 to 7.4": both numbers as written, and the verb.
fn against_its_numbers(text: &str) -> Option<(&str, &str, String)> {
    let numbers = scan(text);
    numbers.windows(2).find_map(|pair| {
        let [from, to] = pair else { return None };
        let before = text.get(..from.range.start)?.trim_end();
        let before = before.strip_suffix("from")?;
        let between = text.get(from.end..to.range.start)?.trim();
        if !(between == "to" || between.ends_with(" to") && between.split_whitespace().count() <= 3)
        {
            return None;
        }
        let clause = before.rsplit([',', ';', ':']).next()?.to_lowercase();
        let verb = clause
            .split(|c: char| !c.is_alphabetic())
            .rev()
            .take(6)
            .find(|word| RISES.contains(word) || FALLS.contains(word))?
            .to_owned();
        let against = |rises: bool| {
            if rises {
                from.value > to.value
            } else {
                from.value < to.value
            }
        };
        // "falls from 5 to 3, a rise of 40 %": the noun behind them is held to it, too.
        let behind = text.get(to.end..).unwrap_or("").to_lowercase();
        let noun = behind
            .split_once(", a")
            .map_or("", |(_, rest)| rest.trim_start_matches('n').trim_start());
        let noun = noun.split(' ').next().unwrap_or("");
        let (verb, rises) = if CHANGES
            .iter()
            .any(|(known, rises)| *known == noun && against(*rises))
        {
            (format!("\"{noun}\""), against(true))
        } else {
            let rises = RISES.contains(&verb.as_str());
            (verb, rises)
        };
        against(rises).then_some((
            text.get(from.range.clone())?,
            text.get(to.range.clone())?,
            verb,
        ))
    })
}

/// The level of a test or an interval: "p < 0.01", "95 % confidence".
fn is_level(claim: &Claim, sentence: &str) -> bool {
    let Some(at) = sentence.find(&claim.text) else {
        return false;
    };
    let before = sentence.get(..at).unwrap_or("").trim_end();
    let sign = before.ends_with(['<', '>', '=', '≤', '≥']);
    let p = before
        .trim_end_matches(['<', '>', '=', '≤', '≥', ' '])
        .ends_with(['p', 'P', 'α']);
    let after = sentence
        .get(at + claim.text.len()..)
        .unwrap_or("")
        .trim_start_matches([' ', '%', '\u{a0}', '-']);
    let after = after
        .strip_prefix("per cent ")
        .unwrap_or(after)
        .to_lowercase();
    sign && p
        || after.starts_with("confidence")
        || after.starts_with("ci")
        || after.starts_with("credib")
}

/// It is written as measured values are: with decimals, as per cent or as a factor. Whole numbers are mostly settings.
fn is_measured(claim: &Claim) -> bool {
    !matches!(claim.kind, Kind::Count | Kind::Configuration | Kind::Scope)
        && (claim.text.contains('.')
            || matches!(
                claim.kind,
                Kind::Difference | Kind::RelativeChange | Kind::Ratio | Kind::Uncertainty
            ))
}

/// Written as per cent, and only the difference in points fits, or the reverse.
fn confusion(claim: &Claim, sentence: &str) -> Option<String> {
    if !matches!(claim.kind, Kind::RelativeChange | Kind::Difference) {
        return None;
    }
    let [one, two] = claim.evidence.as_slice() else {
        return None;
    };
    let (a, b) = (one.value, two.value);
    let number = scan(&claim.text).into_iter().next()?;
    let (low, high) = (number.interval().0.abs(), number.interval().1.abs());
    let (low, high) = if low <= high {
        (low, high)
    } else {
        (high, low)
    };
    let shows = |value: Decimal| low <= value.abs() && value.abs() <= high;
    let fraction = a.abs() <= Decimal::ONE && b.abs() <= Decimal::ONE;
    let gap = a.minus(b);
    let points = if fraction { gap.shift(2) } else { gap };
    let relative = [a, b]
        .into_iter()
        .filter_map(|whole| gap.over(whole))
        .map(|part| part.shift(2));
    let as_points = shows(points);
    let as_relative = relative.clone().any(shows);
    let lower = sentence.to_lowercase();
    let says_points = lower.contains("point");
    let nearest = relative
        .map(|value| value.abs().rounded_at(-1))
        .min_by_key(|value| value.minus(number.value.abs()).abs())?;
    match (claim.kind, as_points, as_relative) {
        (Kind::RelativeChange, true, false) if !says_points => Some(format!(
            "the difference is {} percentage points; relative to the other value it is {nearest} per cent",
            points.abs()
        )),
        (Kind::Difference, false, true) if says_points => Some(format!(
            "the relative change is {nearest} per cent; the difference is {} points",
            points.abs()
        )),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::against_its_numbers;

    #[test]
    fn a_verb_agrees_with_the_two_numbers_behind_it() {
        for (text, contrary) in [
            ("The pH rose from 6.1 to 7.4.", false),
            ("The pH fell from 6.1 to 7.4.", true),
            ("It lowers latency from 3.6 ms to 1.2 ms.", false),
            ("It raises latency from 3.6 ms to 1.2 ms.", true),
            ("The pH fell from 7.4 to 6.1, a decrease of 18%.", false),
            ("The pH fell from 7.4 to 6.1, an increase of 18%.", true),
            ("The depth shrank from 3 m to 5 m.", true),
            ("Plots range from 6.1 to 7.4.", false),
            ("The error fell, while the score went from 3 to 4.", false),
        ] {
            assert_eq!(against_its_numbers(text).is_some(), contrary, "{text}");
        }
    }
}
