//! Proposals for numbers with a labelled binding. A proposal is right if it has the same place, the same value (1e-9) and the same data
//! files.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use aris_testkit::Project;
use serde_json::Value;

use crate::subject::{claims, public};
use crate::support::{Paper, agrees, number, status, text};

/// By file, line and column: the values at that place, each with its data files.
type Given = BTreeMap<(String, u64, u64), Vec<(f64, BTreeSet<String>)>>;

/// Counts of: numbers; those with proposals; those whose first proposal is right; those with a right one among the first three.
type Counts = [usize; 4];

#[test]
#[ignore = "it measures; cargo xtask bench claims runs it"]
fn the_first_proposal_is_right_for_most_numbers_with_a_proposal() {
    let all = public()
        .iter()
        .map(|folder| count(folder, folder))
        .collect();
    let [numbers, proposed, first, third] = sum("all", all);
    assert!(
        proposed <= numbers && first * 4 >= proposed * 3 && third >= first,
        "{first} of {proposed}"
    );
}

/// The chance level: proposals over the data of another paper.
#[test]
#[ignore = "it measures; cargo xtask bench claims runs it"]
fn proposals_over_the_data_of_other_papers() {
    let mut all = Vec::new();
    for folder in public() {
        for source in public().iter().filter(|source| **source != folder) {
            all.push(count(&folder, source));
        }
    }
    let [numbers, proposed, ..] = sum("with each other paper's data", all);
    assert!(proposed * 100 <= numbers, "{proposed} of {numbers}");
}

fn sum(what: &str, all: Vec<Counts>) -> Counts {
    let add = |one: Counts, other: Counts| std::array::from_fn(|at| one[at] + other[at]);
    let sum = all.into_iter().fold(Counts::default(), add);
    print(what, sum);
    sum
}

/// Proposals for a paper without its bindings, over the data of `source`.
fn count(folder: &Path, source: &Path) -> Counts {
    let audit = Paper::copied(folder).audit();
    let holds = |entry: &&Value| agrees(status(entry)) && !text(entry, "shown").is_empty();
    // A number may have two bindings.
    let truth = given(audit.entries().iter().filter(holds));
    let found = proposed(folder, source);
    let mut counts = [truth.len(), 0, 0, 0];
    for (place, right) in truth {
        let Some(proposals) = found.get(&place) else {
            continue;
        };
        let same = |one: f64, other: f64| (one - other).abs() <= 1e-9 * other.abs();
        let is_right = |(value, files): &(f64, BTreeSet<String>)| {
            right
                .iter()
                .any(|right| same(*value, right.0) && *files == right.1)
        };
        counts[1] += 1;
        counts[2] += usize::from(proposals.iter().take(1).any(is_right));
        counts[3] += usize::from(proposals.iter().take(3).any(is_right));
    }
    let name = |path: &Path| path.file_name().expect("a name").display().to_string();
    let of_others = if source == folder {
        String::new()
    } else {
        format!(" with the data of {}", name(source))
    };
    print(&format!("{}{of_others}", name(folder)), counts);
    counts
}

/// Prints the row that the bench shows.
fn print(what: &str, [numbers, proposed, first, third]: Counts) {
    println!(
        "| proposals | {what} | {numbers} numbers, proposals for {proposed}, first right {first}, one of three right {third} |"
    );
}

fn given<'a>(entries: impl IntoIterator<Item = &'a Value>) -> Given {
    let mut all = Given::new();
    for entry in entries {
        let [line, column] = ["line", "column"].map(|field| entry[field].as_u64());
        let value = number(&entry["value"]);
        let files = entry["evidence"].as_array();
        let (Some(line), Some(column), Some(value), Some(files)) = (line, column, value, files)
        else {
            continue;
        };
        let files = files
            .iter()
            .map(|file| text(file, "path").to_owned())
            .collect();
        let place = (text(entry, "file").to_owned(), line, column);
        all.entry(place).or_default().push((value, files));
    }
    all
}

/// Proposals for each place, best first.
fn proposed(folder: &Path, source: &Path) -> Given {
    let project = Project::new().copied(source);
    if source != folder {
        exchange_text(&project, folder);
    }
    let mut table = claims(source);
    let table = table.as_object_mut().expect("a table");
    table.retain(|key, _| ["version", "data"].contains(&key.as_str()));
    if let Some(data) = table.get_mut("data").and_then(Value::as_object_mut) {
        data.remove("view");
    }
    std::fs::remove_file(project.at("claims.toml")).expect("removed");
    let toml = toml_edit::ser::to_string(&table).expect("TOML");
    project.write("claims.toml", toml);
    let run = crate::support::program()
        .call(project.path())
        .args(["suggest", ".", "--limit", "1000000", "--json"])
        .deadline(crate::support::DEADLINE)
        .run();
    assert!([0, 10].contains(&run.code()), "{run}");
    given(run.data()["proposals"].as_array().expect("proposals"))
}

/// Replaces the LaTeX of a project by that of another paper.
fn exchange_text(project: &Project, folder: &Path) {
    let is_text = |path: &Path| path.extension().is_some_and(|ending| ending == "tex");
    let files = |root: &Path| aris_fs::walk_sorted(root, &mut |_| true).expect("a folder");
    for entry in files(project.path()) {
        if is_text(&entry.path) {
            std::fs::remove_file(&entry.path).expect("removed");
        }
    }
    for entry in files(folder).iter().filter(|entry| is_text(&entry.path)) {
        let path = entry.path.strip_prefix(folder).expect("below the folder");
        let bytes = std::fs::read(&entry.path).expect("read");
        project.write(path.to_str().expect("a name"), bytes);
    }
}
