//! Invented papers in the style of four venues, with data in every format and hand-labelled numbers. Each label is a binding; the id of
//! a binding begins with `wrong-` if its number was made wrong.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::support::{Paper, agrees, status, text};

const PAPERS: [&str; 4] = ["acl", "hpc", "ieee", "thesis"];

/// The marked numbers of each binding, as in its anchor.
fn marks(claims: &str) -> BTreeMap<String, Vec<String>> {
    let (mut found, mut id) = (BTreeMap::new(), String::new());
    for line in claims.lines() {
        if let Some(value) = line.strip_prefix("id = ") {
            value.trim_matches('"').clone_into(&mut id);
        }
        if let Some(anchor) = line.strip_prefix("text = ") {
            let marks = anchor.split("[[").skip(1);
            let marks = marks.filter_map(|rest| rest.split_once("]]"));
            let marks = marks.map(|(number, _)| number.to_owned()).collect();
            found.insert(id.clone(), marks);
        }
    }
    found
}

/// The digits of a number without the 10 of `× 10^{…}`, which `1e-8` does not have.
fn digits(text: &str) -> String {
    let power = text.replace("\\times10^", "e").replace("× 10^", "e");
    power.chars().filter(char::is_ascii_digit).collect()
}

#[test]
fn every_label_is_what_its_binding_gives() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/labelled");
    let mut numbers = [0, 0];
    for name in PAPERS {
        let source = folder.join(name).join("paper/claims.toml");
        let marks = marks(&fs::read_to_string(source).expect("bindings"));
        let audit = Paper::beside_data(&folder.join(name)).audit();
        for (id, marks) in &marks {
            let found = audit.of(id);
            assert_eq!(found.len(), marks.len(), "{name}: {id}: {audit}");
            let wrong = id.starts_with("wrong-");
            for (entry, mark) in found.into_iter().zip(marks) {
                let right = if wrong {
                    status(entry) == "number_mismatch"
                } else {
                    agrees(status(entry))
                };
                assert!(right, "{name}: {entry:#}");
                let shown = digits(text(entry, "shown"));
                // Words and macros have no digits.
                let same = digits(mark).is_empty() || shown == digits(mark);
                assert!(same, "{name}: {mark} is shown as {entry:#}");
                numbers[usize::from(wrong)] += 1;
            }
        }
        assert_eq!(
            audit.bound().len(),
            marks.values().map(Vec::len).sum::<usize>()
        );
    }
    assert_eq!(numbers, [446, 77]);
}
