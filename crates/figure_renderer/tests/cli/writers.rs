//! Several writers of one picture at the same time.

use std::thread;

use aris_testkit::Project;

use super::{GOOD, call};

#[test]
fn many_writers_leave_a_whole_picture() {
    let other = GOOD.replace("\"A\"", "\"Z\"");
    let project = Project::bare()
        .file("one.json", GOOD)
        .file("two.json", &other);
    let specs = ["one.json", "two.json"];
    thread::scope(|scope| {
        for number in 0..8 {
            let path = project.path();
            scope.spawn(move || {
                call(path, &["render", specs[number % 2], "-o", "x.pdf", "-q"]).expect_code(0);
            });
        }
    });
    let drawn = std::fs::read(project.at("x.pdf")).expect("a picture");
    let alone = specs.map(|spec| {
        call(project.path(), &["render", spec, "-o", "y.pdf"]).expect_code(0);
        std::fs::read(project.at("y.pdf")).expect("a picture")
    });
    assert!(alone.contains(&drawn));
    let names = std::fs::read_dir(project.path())
        .expect("the folder")
        .count();
    assert_eq!(names, 4, "nothing half-written stays");
}

#[test]
fn a_long_label_is_drawn_in_pieces() {
    let node = |id: &str, x: u32| {
        format!("{{\"id\": \"{id}\", \"label\": \"{id}\", \"x\": {x}, \"y\": 50}}")
    };
    let spec = format!(
        "{{\"canvas\": {{\"width\": 800, \"height\": 100}}, \"nodes\": [{}, {}], \"edges\": [{{\"from\": \"a\", \"to\": \"b\", \"label\": \"{}\"}}]}}",
        node("a", 100),
        node("b", 700),
        "x".repeat(100_000)
    );
    let project = Project::bare().file("long.json", spec);
    for ending in ["svg", "png", "pdf"] {
        let out = format!("long.{ending}");
        // Its overlaps are reported as problems.
        let run = call(project.path(), &["render", "long.json", "-o", &out, "-q"]);
        assert!(matches!(run.code(), 0 | 10), "{run}");
        assert!(project.at(&out).is_file());
    }
    // An element has at most a thousand characters, because the time for a PDF grows with the square of its length.
    let svg = std::fs::read_to_string(project.at("long.svg")).expect("a picture");
    let longest = svg.lines().map(str::len).max();
    assert!(
        longest.is_some_and(|longest| longest < 1_300),
        "{longest:?}"
    );
    assert!(svg.matches('x').count() > 100_000);
}
