//! A folder of public papers, one subfolder for each, named by `ARIS_LATEX_CORPUS`.
#![cfg(test)]
#![allow(clippy::disallowed_methods, reason = "tests read files directly")]

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use aris_latex::{Document, Loaded, RootError, find_root};

fn files(dir: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<_> = std::fs::read_dir(dir)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            files(&path, found);
        } else {
            found.push(path);
        }
    }
}

fn text(path: &Path) -> Option<String> {
    let bytes = std::fs::read(path).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

#[test]
fn public_papers_are_read_without_a_false_problem() {
    let Some(corpus) = std::env::var_os("ARIS_LATEX_CORPUS").map(PathBuf::from) else {
        println!("skipped: ARIS_LATEX_CORPUS names no folder of papers");
        return;
    };
    let mut papers: Vec<_> = std::fs::read_dir(&corpus).expect("the corpus").map(|e| e.expect("an entry").path()).filter(|p| p.is_dir()).collect();
    papers.sort();
    for paper in papers {
        let mut all = Vec::new();
        files(&paper, &mut all);
        let tex: Vec<(String, String)> = all.iter().filter(|p| p.extension().is_some_and(|e| e == "tex" || e == "ltx"))
            .filter_map(|p| Some((p.strip_prefix(&paper).expect("below").to_string_lossy().into_owned(), text(p)?))).collect();
        let roots = match find_root(&tex) {
            Ok(root) => vec![root],
            Err(RootError::None) => { println!("== {} NO ROOT", paper.display()); continue }
            Err(RootError::Several { candidates }) => candidates,
        };
        for root in roots.iter().take(40) {
            let dir = Path::new(root).parent().expect("parent");
            let name = Path::new(root).file_name().expect("name").to_string_lossy().into_owned();
            let base = paper.join(dir);
            let document = Document::read(&name, &mut |path: &str| match text(&base.join(path)) {
                Some(text) => Loaded::Text(text.into()),
                None => Loaded::Absent,
            });
            match document {
                Ok(document) => {
                    println!("== {} {root}: {} files {} blocks {} headings", paper.file_name().expect("n").to_string_lossy(), document.files.len(), document.blocks.len(), document.headings.len());
                    let mut kinds: BTreeMap<_, usize> = BTreeMap::new();
                    for problem in &document.problems {
                        *kinds.entry(problem.kind).or_default() += 1;
                        println!("{:?}\t{}\t{}", problem.kind, document.position(problem.place), problem.message);
                    }
                }
                Err(error) => println!("== {} {root}: {error}", paper.display()),
            }
        }
    }
}
