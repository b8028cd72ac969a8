//! Any bytes: no panic, spans inside the file, linear time, and no dependence on the order of files.
#![cfg(test)]

use aris_latex::Loaded;
use aris_paper::bib::BibFile;
use aris_statements::papers::PapersCache;
use aris_statements::plan::Plan;
use aris_statements::prose::{Excerpt, Prose};
use aris_statements::results::Results;
use aris_statements::rules::{Sources, check};
use aris_statements::statement::{claims, statements};
use proptest::prelude::*;

fn read(file: &str, text: &str) -> Prose {
    Prose::read(file, text, &mut |_: &str| Loaded::Absent).unwrap()
}

/// Pieces of documents, well-formed or not.
fn piece() -> impl Strategy<Value = String> {
    prop_oneof![
        Just(String::from("\\citep[see][]{a,b}")),
        Just(String::from("[@key; see @b]")),
        Just(String::from("[2, 5-7]")),
        Just(String::from("(Lee et al., 2020)")),
        Just(String::from(
            "We find that accuracy rises from 81.2 to 84.7%. "
        )),
        Just(String::from("\n\n## Results\n\n")),
        Just(String::from("\\section{Results}\n")),
        Just(String::from("| a | b |\n|---|---|\n| 1 | 2 |\n")),
        Just(String::from("$n = 5 \\pm 0.3$")),
        Just(String::from("[^1]\n\n[^1]: Note.\n\n")),
        Just(String::from("\\footnote{See \\url{x}.}")),
        Just(String::from("---\nplan: {seeds: 3}\n---\n")),
        Just(String::from("`code` **bold** <b> <!-- c --> ")),
        Just(String::from("10.1145/1 arXiv:2401.00001 ")),
        "\\PC{0,12}",
    ]
}

fn document() -> impl Strategy<Value = String> {
    prop_oneof![
        proptest::collection::vec(piece(), 0..24).prop_map(|pieces| pieces.concat()),
        "(?s).{0,300}",
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn no_text_makes_it_panic_and_every_claim_has_its_line(text in document()) {
        let lines = text.split('\n').count();
        for file in ["a.tex", "a.md"] {
            let prose = read(file, &text);
            let all = statements(&prose);
            for statement in &all {
                prop_assert!(!statement.text(&prose).is_empty());
                prop_assert!((1..=lines).contains(&statement.line), "{file}: {} of {lines}", statement.line);
                prop_assert!((0.0..=1.0).contains(&statement.score));
            }
            for claim in claims(&prose, &all) {
                prop_assert!(claim.line.is_some());
            }
        }
    }

    #[test]
    fn excerpts_keep_their_line_numbers(text in document(), first in 1_usize..5_000) {
        let lines: Vec<(usize, &str)> = (first..).zip(text.lines()).collect();
        for file in ["a.tex", "a.md"] {
            let prose = Prose::read_excerpt(&Excerpt { file, lines: lines.clone() }).unwrap();
            for statement in statements(&prose) {
                prop_assert!(statement.line >= first && statement.line < first + lines.len().max(1));
            }
        }
    }

    #[test]
    fn the_order_of_files_changes_no_finding(one in document(), two in document()) {
        let csv = [("a.csv", "system,seed,acc\nx,1,81.2\nx,2,81.4\n"), ("b.csv", "system,seed,acc\ny,1,84.7\ny,2,84.9\n")];
        let bibs = [("a.bib", "@misc{a, title={T}, year=2020}"), ("b.bib", "@misc{key, title={T}, year=2020}")];
        let found = |turned: bool| {
            let mut documents = vec![read("one.md", &one), read("two.md", &two)];
            let mut results = csv.to_vec();
            if turned {
                documents.reverse();
                results.reverse();
            }
            let results: Vec<Results> = results
                .iter()
                .map(|(path, text)| Results { path: (*path).to_owned(), table: aris_evidence::read_table(path, text.as_bytes(), None).unwrap() })
                .collect();
            let bibliographies: Vec<BibFile> = bibs
                .iter()
                .map(|(path, text)| BibFile::read((*path).to_owned(), text, &[]))
                .collect();
            let sources = Sources { bibliographies: Some(&bibliographies), results: Some(&results), ..Sources::default() };
            let check = check(&documents, &sources);
            let findings: Vec<_> = check.findings.into_iter().filter(|finding| finding.rule.as_deref() != Some("protocol-deviation")).collect();
            (findings, check.not_checked)
        };
        prop_assert_eq!(found(false), found(true));
    }

    #[test]
    fn plans_and_papers_are_read_or_refused(text in "(?s).{0,200}") {
        for file in ["p.json", "p.yaml", "p.md"] {
            drop(Plan::read(file, &text));
        }
        drop(PapersCache::read(text.as_bytes()));
    }
}

/// A quadratic step takes minutes for 100 kB. The bound only detects hanging; it does not measure.
#[test]
fn long_monotonous_documents_end() {
    let units = [
        "We find that accuracy rises by 2.1 points over the baseline. ",
        "word ",
        "[",
        "(",
        "[3] ",
        "\\cite{a} ",
        "@a ",
        ".",
        "a.b. ",
        "3.5 ",
        "-10.",
        "| ",
        "*a",
        "$x$ ",
        "\u{a0}",
    ];
    let begin = std::time::Instant::now();
    for file in ["a.tex", "a.md"] {
        for unit in units {
            let text = unit.repeat(100_000 / unit.len());
            let prose = read(file, &text);
            let check = check(std::slice::from_ref(&prose), &Sources::default());
            assert!(check.statements.iter().all(|all| all.len() <= 100_000));
            assert!(begin.elapsed().as_secs() < 120, "{file} {unit:?}");
        }
    }
}
