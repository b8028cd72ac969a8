//! What makes and guards a paper's surface: killed at any point, and many at once.

use std::cell::RefCell;

use aris_testkit::{Helper, Project, crash_at_every_change};

use super::all_whole;

const STYLE: [&str; 5] = ["--source", "paper", "--out", "styles", "--json"];

fn paper() -> Project {
    super::project()
}

/// The files of the one profile of a project, without what says when it was made.
fn profile(project: &Project) -> Vec<(String, Vec<u8>)> {
    let snapshot = project.snapshot();
    let wanted = |path: &&&str| path.contains("style_profile.") && !path.contains("aris-tmp");
    let paths = snapshot.paths();
    let found = paths.iter().filter(wanted);
    found
        .map(|path| {
            let bytes = snapshot.bytes(path).unwrap_or_default();
            ((*path).to_owned(), bytes.to_vec())
        })
        .collect()
}

#[test]
fn a_style_profile_is_whole_or_made_again() {
    let whole = paper();
    let helper = Helper::named("extract_paper_style");
    helper.call(whole.path()).args(STYLE).run().expect_code(0);
    let names = |files: &[(String, Vec<u8>)]| -> Vec<Vec<u8>> {
        files.iter().map(|(_, bytes)| bytes.clone()).collect()
    };
    let wanted = names(&profile(&whole));
    assert_eq!(wanted.len(), 2);
    let binary = Helper::with_faults("extract_paper_style");
    let current = RefCell::new(None::<Project>);
    let crashes = crash_at_every_change(
        |_| {
            let project = paper();
            let call = binary.call(project.path()).args(STYLE);
            current.replace(Some(project));
            call
        },
        |number, _| {
            let when = format!("crash {number}");
            let project = current.borrow_mut().take().expect("a project");
            all_whole(&project, &when);
            for bytes in names(&profile(&project)) {
                assert!(wanted.contains(&bytes), "{when}: half a profile");
            }
            let again = binary.call(project.path()).args(STYLE).run().expect_code(0);
            assert_eq!(names(&profile(&project)), wanted, "{when}: {again}");
            all_whole(&project, &when);
            let last = binary.call(project.path()).args(STYLE).run().expect_code(0);
            assert_eq!(last.data()["cached"], true, "{when}");
        },
    );
    assert!(crashes.count >= 4, "{crashes:?}");
}

#[test]
fn many_extractors_of_one_paper_leave_one_profile() {
    let project = paper();
    let helper = Helper::named("extract_paper_style");
    std::thread::scope(|scope| {
        for number in 0..8 {
            let (helper, project) = (&helper, &project);
            scope.spawn(move || {
                let force: &[&str] = if number % 2 == 0 { &["--force"] } else { &[] };
                let call = helper.call(project.path()).args(STYLE).args(force);
                call.run().expect_code(0);
            });
        }
    });
    assert_eq!(profile(&project).len(), 2);
    all_whole(&project, "many extractors");
    let left = project.snapshot();
    assert!(left.paths().iter().all(|path| !path.contains("aris-tmp")));
}
