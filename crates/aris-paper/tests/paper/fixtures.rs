//! Real files from other projects, read from `shared/fixtures` beside the workspace where that exists.

use std::path::{Path, PathBuf};

use aris_paper::bib::{self, EncodingError};
use aris_paper::names;

/// The fixture folder; `None`, with the reason printed, when it is missing.
pub(crate) fn folder(name: &str) -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../../shared/fixtures")
        .join(name);
    if root.is_dir() {
        return Some(root);
    }
    println!("skipped: {} does not exist", root.display());
    None
}

/// Every `.bib` file below the folder, sorted.
pub(crate) fn bib_files(root: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![root.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "bib") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// Number of entry heads that a plain search finds: lines that begin with `@type{`, where the type is one word of any
/// characters.
fn heads(text: &str) -> usize {
    text.lines()
        .filter_map(|line| line.trim_start().strip_prefix('@'))
        .filter_map(|line| line.split_once('{'))
        .filter(|(kind, _)| {
            let kind = kind.trim().to_ascii_lowercase();
            !["comment", "string", "preamble"].contains(&kind.as_str())
                && !kind.is_empty()
                && !kind.contains(char::is_whitespace)
        })
        .count()
}

#[test]
fn every_entry_of_real_files_is_read() {
    let Some(root) = folder("") else { return };
    let (mut files, mut entries, mut refused) = (0, 0, 0);
    for path in bib_files(&root) {
        let bytes = std::fs::read(&path).unwrap();
        files += 1;
        match bib::read_bytes(&bytes) {
            Ok(read) => {
                let text = std::str::from_utf8(&bytes).unwrap();
                assert_eq!(
                    read.entries.len(),
                    heads(text),
                    "{}: {:?}",
                    path.display(),
                    read.problems
                );
                for entry in &read.entries {
                    assert!(entry.complete, "{}: {}", path.display(), entry.key);
                    let from = |place: bib::Place| text.get(place.offset..).unwrap();
                    assert!(from(entry.place).starts_with('@'), "{}", entry.key);
                    assert!(from(entry.key_place).starts_with(&entry.key));
                }
                entries += read.entries.len();
                let errors: Vec<_> = read
                    .problems
                    .iter()
                    .filter(|problem| problem.kind.is_error())
                    .collect();
                println!(
                    "{}: {} entries, {errors:?}",
                    path.display(),
                    read.entries.len()
                );
            }
            Err(error) => {
                assert!(
                    matches!(error, EncodingError::Utf16 { .. }),
                    "{}: {error}",
                    path.display()
                );
                assert!(
                    path.to_string_lossy().contains("tiny-"),
                    "{}",
                    path.display()
                );
                refused += 1;
            }
        }
    }
    println!("{files} files, {entries} entries, {refused} refused");
    assert_eq!(refused, 2, "the two UTF-16 files");
    assert!(entries > 200, "{entries}");
}

fn entry_of<'b>(read: &'b bib::Bibliography, key: &str) -> &'b bib::Entry {
    let mut entries = read.entries.iter();
    entries.find(|entry| entry.key == key).unwrap()
}

#[test]
fn difficult_files_read_as_their_authors_meant() {
    let Some(root) = folder("bib/jabref") else {
        return;
    };
    let read = |name: &str| bib::read_bytes(&std::fs::read(root.join(name)).unwrap()).unwrap();

    let twente = read("twente.bib");
    assert_eq!(twente.macros.len(), 67);
    let authors = names::parse_list(&twente.entries[0].field("author").unwrap().raw);
    assert_eq!(authors.names.len(), 10);
    assert_eq!(authors.names[2].last, "Asanovíc");

    let complex = read("complex.bib");
    let entry = entry_of(&complex, "10250999");
    let names: Vec<String> = names::parse_list(&entry.field("author").unwrap().raw)
        .names
        .iter()
        .map(|name| format!("{}|{}|{}|{}", name.first, name.von, name.last, name.jr))
        .collect();
    assert_eq!(
        names,
        [
            "Eric|von|Hippel|",
            "Joseph M.||Reagle|Jr.",
            "Jr.||Sherry|John F.",
            "Johan A|van den|Huevel|Jr."
        ]
    );

    assert_eq!(read("utf8-bom.bib").entries.len(), 2);

    let importer = read("BibtexImporter.examples.bib");
    let aksin = entry_of(&importer, "aksin");
    assert!(aksin.text("author").unwrap().contains("Büyükgüngör, Orhan"));
    assert!(
        importer
            .problems
            .iter()
            .any(|problem| problem.kind.id() == "bibtex_unknown_macro" && problem.key == "aksin")
    );

    let software = read("biblatex-software.bib");
    let index = bib::Index::new([&software]);
    let module = index.resolve(entry_of(&software, "cgal:lp-gi-20a"));
    assert_eq!(module.text("version"), Some("5.0.2"));
    assert_eq!(
        module.text("title"),
        Some("The Computational Geometry Algorithms Library")
    );
    assert_eq!(module.text("author"), Some("Menelaos Karavelas"));
}
