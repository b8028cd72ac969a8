//! Changes of the file.

use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};

use aris_testkit::Project;

use super::GOOD;

#[test]
fn a_changed_figure_is_drawn_again_however_it_is_written() {
    let project = Project::bare().file("good.json", GOOD);
    let mut child = Command::new(env!("CARGO_BIN_EXE_figure_renderer"))
        .current_dir(project.path())
        .args(["watch", "good.json", "--changes", "3"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("started");
    let mut lines = BufReader::new(child.stdout.take().expect("stdout")).lines();
    let mut drawn = || assert_eq!(lines.next().expect("a line").expect("text"), "good.svg");
    drawn();
    // Written in place.
    project.write("good.json", GOOD.replace("\"A\"", "\"B\""));
    drawn();
    assert!(project.read("good.svg").contains(">B</text>"));
    // Briefly not a figure: a warning, and the picture stays.
    project.write("good.json", "{");
    let mut errors = BufReader::new(child.stderr.take().expect("stderr")).lines();
    let said = errors
        .by_ref()
        .map(|line| line.expect("text"))
        .find(|line| line.contains("good.json:1:2"));
    assert!(said.is_some());
    assert!(project.read("good.svg").contains(">B</text>"));
    // Replaced, as editors do.
    project.write("new", GOOD.replace("\"A\"", "\"C\""));
    std::fs::rename(project.at("new"), project.at("good.json")).expect("renamed");
    drawn();
    assert!(project.read("good.svg").contains(">C</text>"));
    drop(errors);
    assert!(child.wait().expect("its end").success());
}

#[test]
fn a_missing_figure_is_said_and_strict_counts_its_problems() {
    let crowded = r#"{"canvas": {"width": 200, "height": 100}, "nodes": [{"id": "a", "label": "A", "x": 60, "y": 50}, {"id": "b", "label": "B", "x": 70, "y": 50}]}"#;
    let project = Project::bare()
        .file("crowded.json", crowded)
        .file("good.json", GOOD);
    for (arguments, exit) in [
        (&["watch", "figures/good.json", "--changes", "0"][..], 3),
        (&["watch", "good.json", "--changes", "0", "--strict"], 0),
        (&["watch", "crowded.json", "--changes", "0"], 0),
        (&["watch", "crowded.json", "--changes", "0", "--strict"], 10),
    ] {
        let run = Command::new(env!("CARGO_BIN_EXE_figure_renderer"))
            .current_dir(project.path())
            .args(arguments)
            .output()
            .expect("started");
        assert_eq!(run.status.code(), Some(exit), "{arguments:?}: {run:?}");
    }
}
