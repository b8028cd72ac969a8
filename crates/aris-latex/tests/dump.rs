//! Prints what the reader makes of a file: `ARIS_DUMP=path cargo test -p aris-latex --test dump -- --ignored --nocapture`.
#![cfg(test)]
#![allow(clippy::disallowed_methods, reason = "tests read files directly")]

use aris_latex::{Document, Loaded};

#[test]
#[ignore = "prints one file for a person to read"]
fn dump() {
    let path = std::env::var("ARIS_DUMP").expect("ARIS_DUMP names a file");
    let path = std::path::Path::new(&path);
    let dir = path.parent().expect("a parent").to_owned();
    let root = path
        .file_name()
        .expect("a name")
        .to_str()
        .expect("UTF-8")
        .to_owned();
    let mut files = |path: &str| match std::fs::read_to_string(dir.join(path)) {
        Ok(text) => Loaded::Text(text.into()),
        Err(_) => Loaded::Absent,
    };
    let document = Document::read(&root, &mut files).expect("readable");
    for block in &document.blocks {
        let at = document.position(block.start);
        println!(
            "{at} {:?} §{:?} {:?}\n    {}",
            block.kind, block.section, block.environments, block.text
        );
        if std::env::var_os("ARIS_MARKS").is_some() {
            for mark in &block.marks {
                println!(
                    "      {:?} {:?}",
                    block.text.get(mark.range.clone()),
                    mark.kind
                );
            }
        }
    }
    for problem in &document.problems {
        println!("! {} {}", document.position(problem.place), problem.message);
    }
    for include in &document.includes {
        println!(
            "> {:?} {} {:?} {:?}",
            include.kind, include.target, include.candidates, include.outcome
        );
    }
    for table in &document.tables {
        println!(
            "T {:?} {:?} {} columns {} rows",
            table.label,
            table.caption,
            table.columns,
            table.rows.len()
        );
    }
    println!(
        "{} blocks, {} citations, {} refs, {} labels, {} headings, {} definitions",
        document.blocks.len(),
        document.citations.len(),
        document.refs.len(),
        document.labels.len(),
        document.headings.len(),
        document.definitions.len()
    );
}
