//! Compares the headings found in real PDFs with those of the sources they were made from.

use std::path::{Path, PathBuf};

use serde_json::Value;

use aris_testkit::Project;

use super::paper::{has_poppler, outline};
use crate::{call, profile};

/// Names a folder in which PDFs lie beside their sources: `paper.pdf` and `paper.tex`.
const FOLDER: &str = "ARIS_STYLE_PAPERS";

/// Fewest sections and words of a source that counts as a paper.
const PAPER: (usize, u64) = (3, 300);

/// The sections, each by role and words of its heading, and the number of subsections.
fn headings(profile: &Value) -> (Vec<String>, u64) {
    let sections = profile["sections"].as_array().expect("sections");
    let names = sections
        .iter()
        .map(|section| format!("{} {}", section["role"], section["title_words"]));
    let below = sections
        .iter()
        .filter_map(|section| section["subsections"].as_u64());
    (names.collect(), below.sum())
}

/// Number of headings: in both, in the source, in the PDF.
fn compared(source: &Value, pdf: &Value) -> [u64; 3] {
    let ((wanted, wanted_below), (found, found_below)) = (headings(source), headings(pdf));
    let all = |names: &[String], below: u64| names.len() as u64 + below;
    let (count, mut rest) = (all(&found, found_below), found);
    let hits = wanted.iter().filter(|name| {
        let at = rest.iter().position(|other| other == *name);
        at.map(|at| rest.swap_remove(at)).is_some()
    });
    let both = hits.count() as u64 + wanted_below.min(found_below);
    [both, all(&wanted, wanted_below), count]
}

fn pairs(folder: &Path) -> Vec<PathBuf> {
    let entries = aris_fs::walk_sorted(folder, &mut |_| true).expect("the folder");
    let pdfs = entries.into_iter().map(|entry| entry.path);
    pdfs.filter(|path| path.extension().is_some_and(|ending| ending == "pdf"))
        .filter(|path| path.with_extension("tex").is_file())
        .collect()
}

#[test]
fn headings_of_real_papers_are_counted() {
    let Some(folder) = std::env::var_os(FOLDER).filter(|_| has_poppler()) else {
        eprintln!("skipped: {FOLDER} names no folder with PDFs beside their sources");
        return;
    };
    let mut rows: Vec<(Value, u64, [u64; 3])> = Vec::new();
    let project = Project::new();
    for pdf in pairs(Path::new(&folder)) {
        let measured = |path: &Path| {
            let run = call(&project, path.to_str().expect("UTF-8"));
            (run.code() == 0).then(|| (profile(&run), outline(&run)))
        };
        let Some((source, _)) = measured(&pdf.with_extension("tex")) else {
            continue;
        };
        let is_paper = headings(&source).0.len() >= PAPER.0
            && source["words"]
                .as_u64()
                .is_some_and(|words| words >= PAPER.1);
        if !is_paper {
            continue;
        }
        let (numbers, used) = if let Some((found, used)) = measured(&pdf) {
            (compared(&source, &found), used)
        } else {
            let (names, below) = headings(&source);
            ([0, names.len() as u64 + below, 0], Value::from("not read"))
        };
        for kind in [used, Value::from("all")] {
            match rows.iter_mut().find(|(other, ..)| *other == kind) {
                Some((_, papers, sums)) => {
                    *papers += 1;
                    for (sum, number) in sums.iter_mut().zip(numbers) {
                        *sum += number;
                    }
                }
                None => rows.push((kind, 1, numbers)),
            }
        }
    }
    println!("| outline | papers | found of the sources' headings | right of those found | F1 |");
    for (kind, papers, [both, wanted, found]) in rows {
        let kind = kind.as_str().unwrap_or_default();
        let tenths = 2_000 * both / (wanted + found).max(1);
        println!(
            "| {kind} | {papers} | {both} of {wanted} | {both} of {found} | {}.{} % |",
            tenths / 10,
            tenths % 10
        );
    }
}
