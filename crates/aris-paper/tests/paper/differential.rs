//! Comparison with the `biblatex` crate, on the files that it can read.

use aris_paper::bib::{self, Bibliography};

use crate::fixtures::{bib_files, folder};

/// Letters and digits only, because the two sides treat markup and blanks differently.
fn letters(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).collect()
}

fn compare(name: &str, text: &str, read: &Bibliography) -> usize {
    let Ok(theirs) = biblatex::RawBibliography::parse(text) else {
        println!(
            "{name}: biblatex refuses the file; ours has {} entries",
            read.entries.len()
        );
        return 0;
    };
    let ours: Vec<(&str, &str)> = read
        .entries
        .iter()
        .filter(|entry| !entry.commented)
        .map(|entry| (entry.kind.as_str(), entry.key.as_str()))
        .collect();
    let kinds: Vec<String> = theirs
        .entries
        .iter()
        .map(|entry| entry.v.kind.v.to_lowercase())
        .collect();
    let other: Vec<(&str, &str)> = theirs
        .entries
        .iter()
        .zip(&kinds)
        .map(|(entry, kind)| (kind.as_str(), entry.v.key.v))
        .collect();
    assert_eq!(ours, other, "{name}");
    let mut fields = 0;
    for (ours, theirs) in read
        .entries
        .iter()
        .filter(|entry| !entry.commented)
        .zip(&theirs.entries)
    {
        let names: Vec<&str> = ours
            .fields
            .iter()
            .map(|field| field.name.as_str())
            .collect();
        let other: Vec<String> = theirs
            .v
            .fields
            .iter()
            .map(|field| field.key.v.to_lowercase())
            .collect();
        assert_eq!(names, other, "{name}: {}", ours.key);
        fields += names.len();
    }
    fields
}

#[test]
fn structure_is_the_same() {
    let Some(root) = folder("") else { return };
    let mut fields = 0;
    for path in bib_files(&root) {
        let bytes = std::fs::read(&path).unwrap();
        let Ok(text) = String::from_utf8(bytes) else {
            continue;
        };
        let Ok(read) = bib::read_bytes(text.as_bytes()) else {
            continue;
        };
        fields += compare(&path.display().to_string(), &text, &read);
    }
    println!("{fields} fields compared");
    assert!(fields > 2000, "{fields}");
}

#[test]
fn values_are_the_same() {
    let Some(root) = folder("") else { return };
    let mut compared = 0;
    for path in bib_files(&root) {
        let Ok(text) = String::from_utf8(std::fs::read(&path).unwrap()) else {
            continue;
        };
        let Ok(theirs) = biblatex::Bibliography::parse(&text) else {
            continue;
        };
        let read = bib::read(&text);
        for entry in &read.entries {
            let Some(other) = theirs.get(&entry.key) else {
                continue;
            };
            for name in ["title", "booktitle", "publisher", "volume", "series"] {
                let (Some(ours), Ok(other)) = (entry.text(name), other.get_as::<String>(name))
                else {
                    continue;
                };
                // The crate keeps commands and maths that it does not know.
                if other.contains(['\\', '$'])
                    || entry
                        .field(name)
                        .is_some_and(|f| f.raw.contains(['\\', '$']))
                {
                    continue;
                }
                assert_eq!(
                    letters(ours),
                    letters(&other),
                    "{}: {} {name}",
                    path.display(),
                    entry.key
                );
                compared += 1;
            }
        }
    }
    println!("{compared} values compared");
    assert!(compared > 300, "{compared}");
}
