//! Many writers of one picture.

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
