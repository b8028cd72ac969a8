//! What must hold for any text and any results.
#![cfg(test)]

use aris_claims::audit::{Locate, audit_paper};
use aris_claims::passage::{CellPlace, Grid, Paper, Passage, PassageKind};
use aris_claims::{ClaimPlace, EvidenceReader, Pins, number};
use proptest::prelude::*;

struct Nowhere;

impl Locate for Nowhere {
    fn locate(&self, passage: usize, offset: usize) -> (ClaimPlace, String) {
        let place = ClaimPlace {
            file: String::from("a"),
            line: passage,
            column: offset,
        };
        (place, String::new())
    }
}

fn passage(kind: PassageKind, text: String) -> Passage {
    Passage {
        kind,
        text,
        masks: Vec::new(),
        section: None,
        cell: None,
    }
}

const RESULTS: &str = "method,dataset,seed,accuracy,latency_ms\nours,cifar,0,0.847,12\nours,cifar,1,0.851,13\nbase,cifar,0,0.823,20\n";

/// Words and numbers as papers mix them.
const PROSE: &str = "((ours|base|accuracy|cifar|84\\.7|0\\.8|12|ms|%|±|×|e-3|10\\^\\{-3\\}|seeds|best|mean|all|than|by|points|[ ,.;()$]){1,1}){0,40}";

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn scanning_never_panics_and_stays_in_the_text(text in "\\PC{0,80}") {
        let mut last = 0;
        for number in number::scan(&text) {
            prop_assert!(text.get(number.range.clone()).is_some());
            prop_assert!(text.get(number.range.start..number.end.max(number.range.end)).is_some());
            prop_assert!(number.range.end > last);
            last = number.range.end;
        }
    }

    #[test]
    fn intervals_are_symmetric_and_hold_the_number(whole in 0_u32..100_000, fraction in 0_u32..1000) {
        let text = format!("{whole}.{fraction:03}");
        let numbers = number::scan(&text);
        prop_assert_eq!(numbers.len(), 1);
        let (low, high) = numbers[0].interval();
        prop_assert_eq!(high.minus(numbers[0].value), numbers[0].value.minus(low));
        prop_assert!(low < numbers[0].value && numbers[0].value < high);
    }

    #[test]
    fn any_results_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..120), kind in 0_usize..5) {
        let name = ["a.json", "a.jsonl", "a.csv", "a.tsv", "a.yaml"][kind];
        let mut reader = EvidenceReader::default();
        let _outcome = reader.add(name, &bytes);
        let _evidence = reader.finish();
    }

    #[test]
    fn any_text_is_judged(text in PROSE, wild in "\\PC{0,60}", cell in "\\PC{0,12}") {
        let mut reader = EvidenceReader::default();
        reader.add("results/all.csv", RESULTS.as_bytes()).unwrap();
        let evidence = reader.finish();
        let mut place = passage(PassageKind::Cell, cell);
        place.cell = Some(CellPlace { table: 0, row: 1, column: 1 });
        let paper = Paper {
            passages: vec![
                passage(PassageKind::Abstract, text),
                passage(PassageKind::Text, wild),
                passage(PassageKind::Cell, String::from("ours")),
                place,
                passage(PassageKind::Cell, String::from("accuracy")),
            ],
            tables: vec![Grid {
                caption: None,
                rows: vec![vec![None, Some(4)], vec![Some(2), Some(3)]],
                header: vec![true, false],
                group: vec![false, false],
            }],
            ..Paper::default()
        };
        let first = audit_paper(&paper, &evidence, &Pins::default(), &Nowhere);
        prop_assert_eq!(&first, &audit_paper(&paper, &evidence, &Pins::default(), &Nowhere));
    }
}

/// Twice the text takes about twice the time; a quadratic reader would take minutes here.
#[test]
fn long_inputs_are_read_in_one_pass() {
    let text = "84.7 ± 0.3 × 10^{-3} and ".repeat(40_000);
    assert_eq!(number::scan(&text).len(), 80_000);
    for (name, text) in [
        ("a.json", "[".repeat(1_000_000)),
        ("a.csv", "a,b\n".to_owned() + &"1,\"".repeat(300_000)),
        ("a.jsonl", "{\"a\": 1}\n".repeat(50_000)),
        ("a.yaml", "a: 1\n".to_owned() + &"# x\n".repeat(100_000)),
    ] {
        let mut reader = EvidenceReader::default();
        let _outcome = reader.add(name, text.as_bytes());
    }
}
