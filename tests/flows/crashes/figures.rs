//! Figures under crashes: an image is either the old or the new one, and the figure's source is unchanged.

use std::cell::RefCell;

use aris_testkit::{Helper, Project, crash_at_every_change};

const FIGURE: &str = r#"{"canvas": {"width": 200, "height": 80}, "nodes": [{"id": "a", "label": "A", "x": 100, "y": 40}]}"#;

#[test]
fn a_picture_is_old_or_new() {
    let helper = Helper::named("figure_renderer");
    let args = ["render", "f.json", "-o", "out/f", "--format", "svg,pdf,png"];
    let whole = Project::bare().file("f.json", FIGURE);
    assert_eq!(helper.call(whole.path()).args(args).run().code(), 0);
    let names = ["out/f.svg", "out/f.pdf", "out/f.png"];
    let read = |project: &Project, name: &str| std::fs::read(project.at(name)).ok();
    let current = RefCell::new(None::<Project>);
    let crashes = crash_at_every_change(
        |_| {
            let project = Project::bare()
                .file("f.json", FIGURE)
                .file("out/f.svg", "<svg/>");
            let call = helper.call(project.path()).args(args);
            current.replace(Some(project));
            call
        },
        |number, _| {
            let project = current.borrow_mut().take().expect("a project");
            for name in names {
                let found = read(&project, name);
                let old = (name == "out/f.svg").then(|| b"<svg/>".to_vec());
                assert!(
                    found == old || found == read(&whole, name),
                    "{number}: {name}"
                );
            }
            assert_eq!(project.read("f.json"), FIGURE);
            assert_eq!(helper.call(project.path()).args(args).run().code(), 0);
            for name in names {
                assert_eq!(read(&project, name), read(&whole, name), "{number}: {name}");
            }
            let count = std::fs::read_dir(project.at("out"))
                .expect("the folder")
                .count();
            assert_eq!(count, names.len(), "{number}: nothing half-written stays");
        },
    );
    assert_eq!(crashes.last.code(), 0, "{}", crashes.last);
}
