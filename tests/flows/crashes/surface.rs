//! Helpers that produce and check the look of a paper: killed at any point, and many in parallel.

use std::cell::RefCell;

use aris_testkit::{Helper, Project, crash_at_every_change};

use super::all_whole;

const STYLE: [&str; 5] = ["--source", "paper", "--out", "styles", "--json"];

fn paper() -> Project {
    super::project()
}

/// The files of the project's only profile, without the time of their creation.
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
    let binary = Helper::named("extract_paper_style");
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
            assert_eq!(last.data()["unchanged"], true, "{when}");
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

const FIRST: &[u8] = include_bytes!("../conformance/picture.png");
const SECOND: &[u8] = include_bytes!("other.png");
const FINAL: &str = "figures/ai_generated/figure_final.png";

/// 12 pixels are enough for 10 mm at 30 dpi.
fn finalize(image: &'static str) -> [&'static str; 8] {
    let best = "--best-image";
    let [width, dpi] = ["--print-width", "--min-dpi"];
    ["--json", "finalize", best, image, width, "10", dpi, "30"]
}

/// A project with a final image, and text around its figure that the user has edited.
fn illustrated(helper: &Helper) -> Project {
    let project = paper().file("v1.png", FIRST).file("v2.png", SECOND);
    let call = helper.call(project.path()).args(finalize("v1.png"));
    call.run().expect_code(0);
    project.write(
        "figures/ai_generated/latex_include.tex",
        "\\includegraphics{figure_final.png} % our own",
    );
    project
}

#[test]
fn a_final_image_is_the_old_or_the_new_one_and_never_passes_for_the_other() {
    let plain = Helper::named("paper_illustration_image2");
    let binary = Helper::named("paper_illustration_image2");
    let current = RefCell::new(None::<Project>);
    let crashes = crash_at_every_change(
        |_| {
            let project = illustrated(&plain);
            let call = binary.call(project.path()).args(finalize("v2.png"));
            current.replace(Some(project));
            call
        },
        |number, _| {
            let when = format!("crash {number}");
            let project = current.borrow_mut().take().expect("a project");
            all_whole(&project, &when);
            let image = std::fs::read(project.at(FINAL)).expect("an image");
            assert!(image == FIRST || image == SECOND, "{when}: half an image");
            let verify = || plain.call(project.path()).args(["--json", "verify"]).run();
            let log = project.json("figures/ai_generated/review_log.json");
            let best = log["bestImage"].as_str().expect("a path");
            let fits = image == std::fs::read(best).expect("an image");
            assert_eq!(verify().code(), i32::from(!fits), "{when}");
            let again = binary.call(project.path()).args(finalize("v2.png"));
            again.run().expect_code(0);
            assert_eq!(
                std::fs::read(project.at(FINAL)).expect("an image"),
                SECOND,
                "{when}"
            );
            verify().expect_code(0);
            let text = project.read("figures/ai_generated/latex_include.tex");
            assert!(text.ends_with("our own"), "{when}: {text}");
        },
    );
    assert!(crashes.count >= 2, "{crashes:?}");
}

#[test]
fn many_finalizers_leave_an_image_that_its_log_speaks_of() {
    let helper = Helper::named("paper_illustration_image2");
    let project = illustrated(&helper);
    std::thread::scope(|scope| {
        for number in 0..8 {
            let (helper, project) = (&helper, &project);
            let image = if number % 2 == 0 { "v1.png" } else { "v2.png" };
            scope.spawn(move || {
                let call = helper.call(project.path()).args(finalize(image));
                call.run().expect_code(0);
            });
        }
    });
    let verify = helper.call(project.path()).args(["--json", "verify"]);
    verify.run().expect_code(0);
    let left = project.snapshot();
    let clean = |path: &&str| !path.contains("aris-tmp") && !path.contains("kept-");
    assert!(left.paths().iter().all(clean), "{:?}", left.paths());
}
