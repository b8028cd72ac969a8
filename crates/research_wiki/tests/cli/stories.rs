//! Two concurrent writers with random actions: everything that the program reported as done is in the wiki afterwards. `ARIS_STORIES` is
//! the number of runs, `ARIS_SEED` the seed.

use std::fs;
use std::path::Path;

use aris_testkit::Project;
use proptest::prelude::*;

use crate::{call, done, wiki};

/// An action of a writer, on claims by number.
#[derive(Clone, Copy, Debug)]
enum Act {
    Create(u8),
    Field(u8),
    Log,
    Edge(u8),
    Merge(u8, u8),
    Index,
}

fn act() -> impl Strategy<Value = Act> {
    let claim = 0..4_u8;
    prop_oneof![
        2 => claim.clone().prop_map(Act::Create),
        4 => claim.clone().prop_map(Act::Field),
        1 => Just(Act::Log),
        3 => claim.clone().prop_map(Act::Edge),
        1 => (claim.clone(), claim).prop_map(|(keep, other)| Act::Merge(keep, other)),
        1 => Just(Act::Index),
    ]
}

/// Runs the acts; returns a word for each one that succeeded and must be found in the wiki.
fn write(project: &Project, writer: &str, acts: &[Act]) -> Vec<String> {
    let claim = |number: u8| format!("claim:C{number}");
    let done = |(at, act): (usize, &Act)| {
        let word = format!("{writer}{at}x");
        let words = match *act {
            Act::Create(number) => vec!["upsert_claim".into(), "wiki".into(), claim(number)],
            Act::Field(number) => vec![
                "update".into(),
                "wiki".into(),
                claim(number),
                format!("field_{writer}_{at}"),
                word.clone(),
            ],
            Act::Log => vec!["log".into(), "wiki".into(), word.clone()],
            Act::Edge(number) => {
                let words = [
                    "add_edge",
                    "wiki",
                    "--type",
                    "addresses_gap",
                    "--allow-missing",
                    "--from",
                ];
                let ends = [claim(number), String::from("--to"), format!("gap:{word}")];
                words.map(String::from).into_iter().chain(ends).collect()
            }
            Act::Merge(keep, other) => {
                vec!["merge".into(), "wiki".into(), claim(keep), claim(other)]
            }
            Act::Index => vec!["rebuild_index".into(), "wiki".into()],
        };
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let run = call(project, &words);
        // 2: merge with itself; 3: the node does not exist (any more); 5: somebody else wrote at the same time.
        assert!(matches!(run.code(), 0 | 2 | 3 | 5), "{words:?}: {run}");
        let leaves = matches!(act, Act::Field(_) | Act::Log | Act::Edge(_));
        (run.code() == 0 && leaves).then_some(word)
    };
    acts.iter().enumerate().filter_map(done).collect()
}

/// All text of a folder.
fn text(folder: &Path) -> String {
    let entries = fs::read_dir(folder).expect("folder").flatten();
    let read = |path: &Path| fs::read_to_string(path).expect("text");
    let texts = entries.map(|entry| entry.path());
    texts
        .map(|path| {
            if path.is_dir() {
                text(&path)
            } else {
                read(&path)
            }
        })
        .collect()
}

proptest! {
    #![proptest_config(aris_testkit::stories(100))]

    #[test]
    fn what_two_writers_were_told_is_done_is_there(
        one in prop::collection::vec(act(), 1..8),
        two in prop::collection::vec(act(), 1..8),
    ) {
        let project = wiki();
        let kept = std::thread::scope(|scope| {
            let other = scope.spawn(|| write(&project, "b", &two));
            let mut kept = write(&project, "a", &one);
            kept.extend(other.join().expect("no panic"));
            kept
        });
        for command in ["rebuild_index", "doctor"] {
            let found = text(&project.at("wiki"));
            let lost: Vec<&String> = kept.iter().filter(|word| !found.contains(*word)).collect();
            prop_assert!(lost.is_empty(), "before {}: {:?}\n{}", command, lost, found);
            done(&project, &[command, "wiki"]);
        }
        let found = text(&project.at("wiki"));
        prop_assert!(kept.iter().all(|word| found.contains(word)), "{:?}\n{}", kept, found);
        prop_assert!(matches!(call(&project, &["lint", "wiki"]).code(), 0 | 10));
    }
}
