#![cfg(test)]
#![allow(
    clippy::disallowed_methods,
    reason = "tests read recorded answers directly"
)]
//! How well correct and wrong references are distinguished, on recorded answers: `cargo xtask bench literature` prints what these
//! tests print.

mod faults;
mod labelled;
mod read_by_hand;
mod replay;

use std::collections::BTreeMap;

use aris_contract::artifact::papers::Source;
use aris_verify::{Checked, Existence, Options, Severity, Status, verify};

use crate::faults::FAULTS;
use crate::replay::{Cited, Replay};

fn recordings() -> Option<String> {
    let folder = aris_testkit::shared("citation_bench")?;
    Some(std::fs::read_to_string(folder.join("candidates.jsonl")).expect("recordings"))
}

fn check(replay: &Replay, cited: &[Cited], options: &Options) -> Vec<Checked> {
    let references: Vec<_> = cited.iter().map(Cited::reference).collect();
    verify(&references, replay, options, &mut |_| ())
}

/// Whether a reader would see a fault or a doubt.
fn is_flagged(checked: &Checked) -> bool {
    checked.has(Severity::Doubt) || checked.existence == Existence::NotFound
}

/// Whether the reference is flagged as wrong, not merely doubtful.
fn is_refused(checked: &Checked) -> bool {
    checked.has(Severity::Error) || checked.existence == Existence::NotFound
}

#[test]
fn no_real_reference_is_called_non_existent() {
    let Some(text) = recordings() else { return };
    let (replay, cited, answered) = Replay::read(&text);
    let checked = check(&replay, &cited, &Options::default());
    let count = |existence: Existence| {
        checked
            .iter()
            .filter(|one| one.existence == existence)
            .count()
    };
    println!(
        "| citation_bench: {} references of real papers, {} with recorded answers: {} exist, {} inconclusive, {} not found",
        cited.len(),
        answered.len(),
        count(Existence::Exists),
        count(Existence::Inconclusive),
        count(Existence::NotFound)
    );
    assert_eq!(count(Existence::NotFound), 0);
    assert!(
        count(Existence::Exists) >= 300,
        "{}",
        count(Existence::Exists)
    );
    // The result if three sources were enough to call a work not found.
    let three = Options {
        title_sources: vec![Source::Openalex, Source::Crossref, Source::Dblp],
        ..Options::default()
    };
    let checked = check(&replay, &cited, &three);
    let wrong = checked
        .iter()
        .filter(|one| one.existence == Existence::NotFound);
    println!(
        "| were three sources (OpenAlex, Crossref, DBLP) enough, {} of them would be called not found",
        wrong.clone().count()
    );
    for one in wrong {
        println!("  would be lost: {}", one.id);
    }
}

/// Two of the six papers, with 126 references, that were not used when the thresholds were measured.
const APART: [&str; 2] = ["openreview_lfsjVdi72l", "openreview_nspzrcvzcB"];

#[test]
fn faults_put_into_real_references() {
    let Some(text) = recordings() else { return };
    let is_apart = |id: &str| APART.iter().any(|paper| id.starts_with(paper));
    let all = measured(&text, &|_| true, true);
    for (what, figures) in [
        (
            "on the four papers that thresholds were measured on",
            measured(&text, &|id| !is_apart(id), false),
        ),
        (
            "on the two papers kept apart",
            measured(&text, &is_apart, false),
        ),
        ("on all six papers", all),
    ] {
        let Figures {
            references,
            faults,
            recall,
            alarms,
            really,
            refused,
        } = figures;
        // Precision at equal numbers of faulty and correct references.
        let precision = recall / (recall + alarms);
        println!(
            "| {what}: {references} references, {faults} faults, recall {recall:.3}, precision {precision:.3} at equal numbers, F1 {:.3}, \
             false alarms {alarms:.3} (refused: {refused:.3}; without those that are really wrong: {really:.3})",
            2.0 * precision * recall / (precision + recall),
        );
    }
    assert!(all.recall >= 0.93, "{all:?}");
    assert!(all.alarms < 0.091 && all.really < 0.02, "{all:?}");
}

/// The results.
#[derive(Clone, Copy, Debug)]
struct Figures {
    references: usize,
    faults: usize,
    /// Share of faulty references that are flagged.
    recall: f64,
    /// Share of unchanged references that are flagged.
    alarms: f64,
    /// The same without references that a person found to be wrong.
    really: f64,
    /// Share of unchanged references that are refused.
    refused: f64,
}

/// Measures on the references that are `wanted`; with `tables` prints each flagged reference and each kind of fault.
fn measured(text: &str, wanted: &dyn Fn(&str) -> bool, tables: bool) -> Figures {
    let (mut replay, mut cited, answered) = Replay::read(text);
    cited.retain(|one| wanted(&one.id));
    let checked = check(&replay, &cited, &Options::default());
    let (asked, said) = *replay.asked.lock().expect("no panic");
    if tables {
        println!(
            "\n| requests for {} references as they stand in papers: {asked}, of which {said} were recorded: {:.2} answers for each",
            cited.len(),
            ratio(said, cited.len())
        );
    }
    let known: Vec<&Cited> = cited
        .iter()
        .filter(|one| answered.contains(&one.id))
        .collect();
    let by_id: BTreeMap<&str, &Checked> =
        checked.iter().map(|one| (one.id.as_str(), one)).collect();
    // Unchanged references with an answer. They are taken from papers, so some contain faults of the authors.
    let mut alarms = (0, 0);
    for one in &known {
        let checked = by_id[one.id.as_str()];
        if is_flagged(checked) && tables {
            let why: Vec<String> = checked
                .findings
                .iter()
                .filter(|finding| finding.severity <= Severity::Doubt)
                .map(|finding| {
                    format!("{:?} {}: {}", finding.severity, finding.id, finding.message)
                })
                .collect();
            println!(
                "  {} {:?} {:?} [{}] {}: {why:?}",
                one.id, one.title, one.authors, one.year, one.venue
            );
        }
        alarms.0 += usize::from(is_flagged(checked));
        alarms.1 += usize::from(is_refused(checked));
    }
    let row = |name: &str, all: usize, flagged: usize, refused: usize, lost: usize, good: usize| {
        if tables {
            println!("| {name} | {all} | {flagged} | {refused} | {lost} | {good} |");
        }
    };
    if tables {
        println!("| fault | references | flagged | refused | not found | verified |");
    }
    let verified = |one: &&&Cited| by_id[one.id.as_str()].status == Status::Verified;
    row(
        "(as cited)",
        known.len(),
        alarms.0,
        alarms.1,
        0,
        known.iter().filter(verified).count(),
    );
    let wrong = read_by_hand::WRONG.iter().filter(|(id, _)| wanted(id));
    let found = wrong
        .clone()
        .filter(|(id, _)| by_id.get(id).is_some_and(|checked| is_flagged(checked)))
        .count();
    let really = ratio(alarms.0 - found, known.len() - wrong.count());
    // Faults can be recognised only in references that were not flagged before.
    let sound: Vec<&Cited> = known
        .iter()
        .copied()
        .filter(|one| {
            let checked = by_id[one.id.as_str()];
            checked.status == Status::Verified && !is_flagged(checked)
        })
        .collect();
    let (mut all, mut flagged) = (0, 0);
    for fault in FAULTS {
        let mut faulty = Vec::new();
        for (at, one) in sound.iter().enumerate() {
            let other = sound[(at + 7) % sound.len()];
            faulty.extend((fault.apply)(one, other, &mut replay));
        }
        let checked = check(&replay, &faulty, &Options::default());
        let count =
            |test: &dyn Fn(&Checked) -> bool| checked.iter().filter(|one| test(one)).count();
        row(
            fault.name,
            checked.len(),
            count(&is_flagged),
            count(&is_refused),
            count(&|one| one.existence == Existence::NotFound),
            count(&|one| one.status == Status::Verified && !is_flagged(one)),
        );
        all += checked.len();
        flagged += count(&is_flagged);
    }
    Figures {
        references: known.len(),
        faults: all,
        recall: ratio(flagged, all),
        alarms: ratio(alarms.0, known.len()),
        really,
        refused: ratio(alarms.1, known.len()),
    }
}

#[expect(clippy::cast_precision_loss, reason = "a few thousand at most")]
fn ratio(part: usize, whole: usize) -> f64 {
    part as f64 / whole as f64
}
