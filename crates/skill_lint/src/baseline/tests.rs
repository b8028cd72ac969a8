use super::*;
use crate::catalogue;
use crate::config::Config;
use crate::finding::{FILE, Sink};
use crate::selection::Selection;

fn item(rule: &str, path: &str, print: &str, count: Option<u64>) -> Finding {
    let selection = Selection::of(&Config::default());
    let mut sink = Sink::new(&selection, None);
    let rule = catalogue::find(rule).expect("a rule").id;
    let found = sink.found(rule, path, FILE, "");
    found.count = count;
    found.fingerprint = print.to_owned();
    found.clone()
}

#[test]
fn each_entry_hides_one_finding_and_counts_must_not_grow() {
    let folder = tempfile::tempdir().expect("temp");
    let path = folder.path().join("baseline.json");
    let before = [
        item("SR110", "a", "1", None),
        item("SR101", "a", "2", Some(600)),
        item("SR101", "b", "3", Some(600)),
    ];
    write(&path, &before).expect("written");
    let entries = read(&path).expect("read");
    let mut now = [
        item("SR110", "a", "1", None),
        item("SR110", "a", "1", None),
        item("SR110", "a", "9", None),
        item("SR101", "a", "2", Some(599)),
        item("SR101", "b", "3", Some(601)),
    ];
    apply(&entries, &mut now);
    let hidden: Vec<bool> = now.iter().map(|item| item.suppressed.is_some()).collect();
    assert_eq!(hidden, [true, false, false, true, false]);
    // A new baseline keeps what the old one hides.
    write(&path, &now).expect("written");
    assert_eq!(read(&path).expect("read").len(), 5);
}
