//! `paper_illustration_image2` from the outside.
#![cfg(test)]
#![allow(clippy::disallowed_methods, reason = "tests prepare files directly")]

use std::os::unix::fs::symlink;
use std::time::Duration;

use aris_testkit::{Helper, Project, Run, assert_valid};
use serde_json::{Value, json};

/// A picture that is not blank.
fn png(width: u32, height: u32) -> Vec<u8> {
    drawn(width, height, 7)
}

fn drawn(width: u32, height: u32, seed: u32) -> Vec<u8> {
    let mut out = Vec::new();
    let mut encoder = png::Encoder::new(&mut out, width, height);
    encoder.set_color(png::ColorType::Grayscale);
    let mut writer = encoder.write_header().expect("header");
    let pixels: Vec<u8> = (0..width * height)
        .map(|at| u8::try_from(at * seed % 256).expect("a byte"))
        .collect();
    writer.write_image_data(&pixels).expect("pixels");
    drop(writer);
    out
}

fn project() -> Project {
    Project::new().file("figures/ai_generated/figure_v2.png", png(2000, 100))
}

fn call(project: &Project, args: &[&str]) -> Run {
    let helper = Helper::at(env!("CARGO_BIN_EXE_paper_illustration_image2"));
    helper
        .call(project.path())
        .env(
            "PATH",
            format!("{}:/usr/bin:/bin", project.at("bin").display()),
        )
        .args(args)
        .run()
}

const FINALIZE: [&str; 8] = [
    "--json",
    "finalize",
    "--best-image",
    "figures/ai_generated/figure_v2.png",
    "--caption",
    "Fast & 50% better_than {all}",
    "--label",
    "fig:overview",
];

fn finalize(project: &Project, more: &[&str]) -> Run {
    call(project, &[&FINALIZE[..], more].concat())
}

fn verify(project: &Project, code: i32) -> Value {
    call(project, &["--json", "verify"])
        .expect_code(code)
        .data()
}

fn has(list: &Value, text: &str) -> bool {
    let list = list.as_array().expect("a list");
    list.iter()
        .any(|one| one.as_str().is_some_and(|one| one.contains(text)))
}

#[test]
fn an_accepted_image_becomes_final_and_is_verified() {
    let project = project();
    let run = finalize(&project, &["--score", "9.5", "--review-summary", "Clear."]).expect_code(0);
    let data = run.data();
    assert_eq!(
        (&data["ok"], &data["score"], &data["dpi"]),
        (&json!(true), &json!(9.5), &json!(323))
    );
    assert_eq!(data["warnings"], json!([]));
    let folder = "figures/ai_generated";
    assert_eq!(
        std::fs::read(project.at(&format!("{folder}/figure_final.png"))).expect("a file"),
        png(2000, 100)
    );
    let latex = project.read(&format!("{folder}/latex_include.tex"));
    assert!(
        latex.contains(
            "\\caption{Fast \\& 50\\% better\\_than \\{all\\}}\n    \\label{fig:overview}"
        ),
        "{latex}"
    );
    let log = project.json(&format!("{folder}/review_log.json"));
    assert_valid(
        "aris.paper_illustration_image2.review_log/v1",
        &log,
        "the review log",
    );
    assert_eq!(log["finalSha256"], data["finalSha256"]);
    assert_eq!(log["caption"], "Fast & 50% better_than {all}");
    let before = project.snapshot();
    let again =
        finalize(&project, &["--score", "9.5", "--review-summary", "Clear."]).expect_code(0);
    assert_eq!(again.data(), data);
    before.assert_same(&project.snapshot(), "the same once more");
    let verified = verify(&project, 0);
    assert_eq!(
        (&verified["errors"], &verified["warnings"]),
        (&json!([]), &json!([]))
    );
    before.assert_same(&project.snapshot(), "verify");
}

#[test]
fn an_image_that_is_not_the_accepted_one_is_found() {
    let project = project();
    finalize(&project, &[]).expect_code(0);
    let path = "figures/ai_generated/figure_final.png";
    project.write(path, drawn(2000, 100, 3));
    assert!(has(
        &verify(&project, 1)["errors"],
        "is not the accepted image"
    ));
    project.write(path, &png(2000, 100)[..300]);
    assert!(has(&verify(&project, 1)["errors"], "damaged PNG"));
    // A final image made by somebody else is kept when another one becomes final.
    project.write(path, drawn(2000, 100, 3));
    let data = finalize(&project, &[]).expect_code(0).data();
    assert!(has(&data["warnings"], "it is kept as"));
    let folder = std::fs::read_dir(project.at("figures/ai_generated")).expect("a folder");
    let kept = folder.filter(|one| {
        one.as_ref()
            .is_ok_and(|one| one.file_name().to_string_lossy().contains("kept-"))
    });
    assert_eq!(kept.count(), 1);
    verify(&project, 0);
}

#[test]
fn what_is_missing_or_does_not_fit_is_named() {
    let project = project();
    let errors = verify(&project, 1)["errors"].clone();
    for name in ["figure_final.png", "latex_include.tex", "review_log.json"] {
        assert!(has(&errors, name), "{errors}");
    }
    finalize(&project, &[]).expect_code(0);
    let folder = "figures/ai_generated";
    let log = project.read(&format!("{folder}/review_log.json"));
    for (from, to, wanted) in [
        ("\"ok\": true", "\"ok\": false", "accepted"),
        ("figure_final.png", "figure_v2.png", "does not point"),
        ("\"finalSha256\"", "\"other\"", "no finalSha256"),
        ("{", "[", "review_log.json:"),
    ] {
        project.write(
            &format!("{folder}/review_log.json"),
            log.replacen(from, to, 1),
        );
        let found = verify(&project, 1);
        assert!(has(&found["errors"], wanted), "{wanted}: {found}");
    }
}

#[test]
fn latex_that_was_edited_is_kept() {
    let project = project();
    finalize(&project, &[]).expect_code(0);
    let path = "figures/ai_generated/latex_include.tex";
    let edited = project.read(path).replace("Fast", "Our own words, fast");
    project.write(path, &edited);
    let data = finalize(&project, &["--score", "9"]).expect_code(0).data();
    assert!(has(&data["warnings"], "was edited and is kept"));
    assert_eq!(project.read(path), edited);
    verify(&project, 0);
    // If it was not edited, it follows the flags.
    std::fs::remove_file(project.at(path)).expect("removed");
    finalize(&project, &[]).expect_code(0);
    let new = FINALIZE.map(|arg| {
        if arg == "fig:overview" {
            "fig:new"
        } else {
            arg
        }
    });
    call(&project, &new).expect_code(0);
    assert!(project.read(path).contains("fig:new"));
}

#[test]
fn images_that_cannot_be_final_are_refused() {
    let project = project()
        .file("small.png", png(500, 50))
        .file("text.png", "no picture")
        .file("cut.png", &png(2000, 100)[..300])
        .file("blank.png", drawn(2000, 10, 0));
    let outside = Project::new().file("x.png", png(2000, 20));
    symlink(outside.at("x.png"), project.at("link.png")).expect("a link");
    let far = outside.at("x.png").display().to_string();
    for (image, code, wanted) in [
        ("absent.png", 3, "no such image"),
        ("text.png", 4, "not a PNG"),
        ("cut.png", 4, "damaged PNG"),
        ("blank.png", 4, "nothing is drawn"),
        ("small.png", 4, "80 dots per inch, fewer than 150"),
        (far.as_str(), 4, "outside the project"),
        ("link.png", 4, "outside the project"),
    ] {
        let run = call(&project, &["--json", "finalize", "--best-image", image]).expect_code(code);
        let error = run.error();
        assert!(
            error["message"]
                .as_str()
                .is_some_and(|text| text.contains(wanted)),
            "{image}: {error}"
        );
        assert!(error["hint"].is_string());
        assert!(!project.at("figures/ai_generated/figure_final.png").exists());
    }
    let bad = [
        "--json",
        "finalize",
        "--best-image",
        "small.png",
        "--label",
        "a}b",
    ];
    call(&project, &bad).expect_code(2);
    call(
        &project,
        &["finalize", "--best-image", "small.png", "--score", "11"],
    )
    .expect_code(2);
    call(
        &project,
        &["finalize", "--best-image", far.as_str(), "--outside"],
    )
    .expect_code(0);
    call(
        &project,
        &[
            "finalize",
            "--best-image",
            "small.png",
            "--print-width",
            "84",
        ],
    )
    .expect_code(0);
    assert!(has(&verify(&project, 0)["warnings"], "placeholder"));
    call(&project, &["--json", "verify", "--workspace", "absent"]).expect_code(3);
}

#[test]
fn nothing_is_read_or_written_outside_through_links() {
    let far = Project::new()
        .file("figure_final.png", png(2000, 100))
        .file("keep.txt", "mine");
    // The folder of the figures, the output folder and each artifact are links that lead out of the project.
    for (link, target, code) in [
        ("figures", "", 4),
        ("figures/ai_generated", "", 4),
        (
            "figures/ai_generated/figure_final.png",
            "figure_final.png",
            4,
        ),
        ("figures/ai_generated/latex_include.tex", "keep.txt", 4),
        ("figures/ai_generated/review_log.json", "keep.txt", 4),
    ] {
        let project = Project::new().file("v1.png", png(2000, 100));
        let parent = project.at(link);
        std::fs::create_dir_all(parent.parent().expect("a parent")).expect("folders");
        symlink(far.at(target), project.at(link)).expect("a link");
        let before = far.snapshot();
        let out = ["--json-out", "figures/ai_generated/result.json"];
        let run = call(
            &project,
            &[&["--json", "finalize", "--best-image", "v1.png"], &out[..]].concat(),
        );
        let error = run.expect_code(code).error();
        assert!(
            error["message"]
                .as_str()
                .is_some_and(|text| text.contains("is a link")),
            "{link}: {error}"
        );
        assert!(error["hint"].is_string());
        // A missing picture, or a link in its place, is not final.
        let checked = call(&project, &["--json", "verify"]).expect_code(1).data();
        assert_eq!(
            checked["artifacts"]["figureFinal"]["exists"], false,
            "{link}"
        );
        if link.starts_with("figures/ai") && target.is_empty() || link == "figures" {
            call(&project, &["--json", "preflight"]).expect_code(4);
            call(&project, &[&["--json", "verify"], &out[..]].concat()).expect_code(4);
        }
        before.assert_same(&far.snapshot(), link);
    }
}

#[test]
fn a_result_is_written_in_the_project_and_nowhere_else() {
    let project = Project::new()
        .file("paper/figures/ai_generated/figure_v2.png", png(2000, 100))
        .file("far/keep.txt", "mine");
    symlink(project.at("far"), project.at("paper/away")).expect("a link");
    let far = project.at("far/new.json").display().to_string();
    let before = project.snapshot();
    for (path, code) in [
        ("far/new.json", 2),
        (far.as_str(), 2),
        ("paper/../far/new.json", 2),
        ("result.json", 2),
        ("paper", 2),
        ("paper/away/new.json", 4),
    ] {
        for command in [
            &[
                "finalize",
                "--best-image",
                "paper/figures/ai_generated/figure_v2.png",
            ][..],
            &["preflight"],
            &["verify"],
        ] {
            // A path that is outside by its name is refused before anything is written.
            if code == 4 && command != ["verify"] {
                continue;
            }
            let more = ["--project", "paper", "-o", path, "--json"];
            let run = call(&project, &[command, &more[..]].concat()).expect_code(code);
            assert!(run.error()["hint"].is_string(), "{path}: {run}");
            before.assert_same(&project.snapshot(), path);
        }
    }
    let inside = "paper/figures/result.json";
    call(&project, &["verify", "--project", "paper", "-o", inside]).expect_code(1);
    assert!(project.at(inside).is_file());
}

#[test]
fn a_result_is_not_written_over_what_it_speaks_of() {
    let project = project();
    finalize(&project, &[]).expect_code(0);
    let before = project.snapshot();
    let own = ["figure_final.png", "latex_include.tex", "review_log.json"];
    let own = own.map(|name| format!("figures/ai_generated/{name}"));
    for path in &own {
        for command in ["verify", "preflight"] {
            let run = call(&project, &[command, "-o", path, "--json"]).expect_code(2);
            assert!(run.error()["hint"].is_string(), "{run}");
        }
        let other = format!("./figures/../{path}");
        finalize(&project, &["-o", &other]).expect_code(2);
    }
    finalize(&project, &["-o", "figures/ai_generated/figure_v2.png"]).expect_code(2);
    before.assert_same(&project.snapshot(), "nothing is written");
    verify(&project, 0);
    let other = "figures/ai_generated/verify.json";
    call(&project, &["verify", "-o", other]).expect_code(0);
    assert_eq!(project.json(other)["ok"], true);
}

#[test]
fn an_image_is_read_from_where_it_was_checked() {
    // A program swaps a folder with a link while images are finalised: only the project's own image may be read.
    let project = Project::new().file("a/v1.png", png(2000, 100));
    let far = Project::new().file("v1.png", drawn(2000, 100, 9));
    let theirs = std::fs::read(far.at("v1.png")).expect("a file");
    let stop = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !stop.load(std::sync::atomic::Ordering::Relaxed) {
                std::fs::rename(project.at("a"), project.at("b")).expect("moved");
                symlink(far.path(), project.at("a")).expect("a link");
                std::fs::remove_file(project.at("a")).expect("removed");
                std::fs::rename(project.at("b"), project.at("a")).expect("moved");
            }
        });
        for _ in 0..40 {
            let run = call(
                &project,
                &["--json", "finalize", "--best-image", "a/v1.png"],
            );
            assert!(matches!(run.code(), 0 | 3 | 4), "{run}");
            let made = std::fs::read(project.at("figures/ai_generated/figure_final.png"));
            assert!(
                made.is_err() || made.is_ok_and(|made| made != theirs),
                "{run}"
            );
        }
        stop.store(true, std::sync::atomic::Ordering::Relaxed);
    });
}

#[test]
fn a_folder_is_no_artifact() {
    let project = project();
    finalize(&project, &[]).expect_code(0);
    let path = project.at("figures/ai_generated/figure_final.png");
    std::fs::remove_file(&path).expect("removed");
    std::fs::create_dir(&path).expect("a folder");
    let checked = verify(&project, 1);
    assert_eq!(checked["artifacts"]["figureFinal"]["exists"], false);
    assert!(has(&checked["errors"], "is a directory"), "{checked}");
    assert!(finalize(&project, &[]).code() != 0);
    call(&project, &["--json", "finalize", "--best-image", "figures"]).expect_code(4);
}

#[test]
fn no_result_is_written_over_an_image() {
    let project = project();
    finalize(&project, &[]).expect_code(0);
    let before = project.snapshot();
    let image = "figures/ai_generated/figure_v2.png";
    call(&project, &["--json", "verify", "--output", image]).expect_code(2);
    before.assert_same(&project.snapshot(), image);
}

#[test]
fn a_caption_in_latex_is_kept() {
    let project = project();
    let image = [
        "--json",
        "finalize",
        "--best-image",
        "figures/ai_generated/figure_v2.png",
    ];
    let with = |more: &[&str]| call(&project, &[&image[..], more].concat());
    let latex = "The gain of $x_1$, 50\\,\\% of \\emph{all}";
    with(&["--caption-tex", latex]).expect_code(0);
    let made = std::fs::read_to_string(project.at("figures/ai_generated/latex_include.tex"));
    assert!(
        made.expect("a file")
            .contains(&format!("\\caption{{{latex}}}\n"))
    );
    let log = std::fs::read(project.at("figures/ai_generated/review_log.json")).expect("a file");
    let log: Value = serde_json::from_slice(&log).expect("JSON");
    assert_eq!(
        (&log["caption"], &log["captionTex"]),
        (&json!(latex), &json!(true))
    );
    verify(&project, 0);
    let before = project.snapshot();
    for (bad, place) in [
        ("50 % of all", "line 1, column 4: has a comment"),
        ("of all %", "line 1, column 8: has a comment"),
        ("{a", "line 1, column 1: "),
        ("a}b{", "line 1, column 2: "),
        ("a\n\nb", "line 1, column 1: is empty, or has a blank line"),
        ("", "line 1, column 1: "),
        ("a \\end{figure} b", "line 1, column 3: "),
        ("a \\end{figure}b\\begin{figure}", "line 1, column 3: "),
        ("ours \nR&D", "line 2, column 2: has & without a backslash"),
        ("run #1", "line 1, column 5: has # without a backslash"),
        ("costs $5", "line 1, column 7: "),
        ("model a_b", "line 1, column 8: has _ or ^"),
        ("a \\fi", "line 1, column 3: has \\fi"),
        ("$\\left( x$", "line 1, column 2: has \\left"),
        ("a \\] b", "line 1, column 3: closes maths"),
        ("a \\[x\\]", "has a displayed formula or a list"),
        (
            "\\begin{equation}x\\end{equation}",
            "has a displayed formula or a list",
        ),
        (
            "\\begin{itemize}\\item a\\end{itemize}",
            "has a displayed formula or a list",
        ),
        ("a \\end{document} b", "line 1, column 3: ends the document"),
    ] {
        let run = with(&["--caption-tex", bad]).expect_code(2);
        let message = run.error()["message"].as_str().expect("text").to_owned();
        assert!(message.contains(place), "{bad}: {message}");
        before.assert_same(&project.snapshot(), bad);
    }
    for good in [
        "\\#1: 50\\,\\% of \\textbf{R\\&D}, see~\\ref{fig:a_b} and \\ours",
        "two\nlines",
        "$a_{1}$",
    ] {
        with(&["--caption-tex", good]).expect_code(0);
    }
    with(&["--caption-tex", "a", "--caption", "a"]).expect_code(2);
}

fn codex(project: &Project, script: &str) {
    project.write("bin/codex", format!("#!/bin/sh\n{script}\n"));
    project.mode("bin/codex", 0o755);
}

#[test]
fn preflight_says_whether_images_can_be_made() {
    let project = Project::new();
    let run = call(&project, &["preflight", "--json-out", "out/preflight.json"]).expect_code(1);
    let printed: Value = serde_json::from_str(run.stdout()).expect("JSON");
    assert_eq!(printed, project.json("out/preflight.json"));
    assert_eq!(
        (&printed["ok"], &printed["status"], &printed["codexBin"]),
        (&json!(false), &json!("absent"), &Value::Null)
    );
    codex(
        &project,
        "[ \"$*\" = 'debug app-server send-message-v2 ping' ] && pwd > asked",
    );
    let data = call(&project, &["--json", "preflight"])
        .expect_code(0)
        .data();
    assert_eq!(
        (&data["status"], &data["returncode"]),
        (&json!("ready"), &json!(0))
    );
    assert!(
        project.read("asked").trim().ends_with(
            &project
                .path()
                .file_name()
                .expect("a name")
                .to_string_lossy()
                .into_owned()
        )
    );
    codex(&project, "echo 'not signed in' >&2; exit 3");
    let data = call(&project, &["--json", "preflight"])
        .expect_code(1)
        .data();
    assert_eq!(
        (&data["status"], &data["returncode"], &data["error"]),
        (&json!("failed"), &json!(3), &json!("not signed in"))
    );
    codex(&project, "kill -9 $$");
    assert_eq!(
        call(&project, &["--json", "preflight"])
            .expect_code(1)
            .data()["status"],
        "failed"
    );
}

#[test]
fn a_server_that_does_not_answer_is_ended_with_all_that_it_started() {
    let project = Project::new();
    codex(&project, "sleep 600 & echo $! > child; sleep 600");
    let helper = Helper::at(env!("CARGO_BIN_EXE_paper_illustration_image2"));
    let run = helper
        .call(project.path())
        .env(
            "PATH",
            format!("{}:/usr/bin:/bin", project.at("bin").display()),
        )
        .args(["--json", "preflight", "--timeout", "1"])
        .deadline(Duration::from_mins(1))
        .run()
        .expect_code(1);
    assert_eq!(run.data()["status"], "timed_out");
    let child = project.read("child");
    // A killed process may need a moment to go.
    let gone = (0..100).any(|_| {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", child.trim()));
        let gone = stat.map_or(true, |stat| stat.contains(") Z "));
        if !gone {
            std::thread::sleep(Duration::from_millis(50));
        }
        gone
    });
    assert!(gone, "the child {child} is still there");
}

/// Files that a killed finalisation left are not taken for the user's.
#[test]
fn what_a_killed_finalisation_wrote_is_written_over() {
    let folder = "figures/ai_generated";
    let words = |project: &Project, caption: &str| {
        let helper = Helper::at(env!("CARGO_BIN_EXE_paper_illustration_image2"));
        helper.call(project.path()).args([
            "--json",
            "finalize",
            "--best-image",
            &format!("{folder}/figure_v2.png"),
            "--caption",
            caption,
        ])
    };
    for before in [None, Some("The first")] {
        let project = std::cell::RefCell::new(Project::new());
        let crashes = aris_testkit::crash_at_every_change(
            |_| {
                let fresh = self::project();
                if let Some(caption) = before {
                    words(&fresh, caption).run().expect_code(0);
                    fresh.write(&format!("{folder}/figure_v2.png"), drawn(2000, 100, 9));
                }
                let call = words(&fresh, "The second");
                *project.borrow_mut() = fresh;
                call
            },
            |number, _| {
                let project = project.borrow();
                let text = |name: &str| {
                    let path = project.at(&format!("{folder}/{name}"));
                    std::fs::read_to_string(path).unwrap_or_default()
                };
                let checked = call(&project, &["--json", "verify"]);
                if checked.code() == 0 {
                    let written = text("latex_include.tex");
                    let caption = written.contains("The second");
                    let logged = text("review_log.json").contains("The second");
                    assert_eq!(caption, logged, "crash {number}: {written}");
                }
                let data = words(&project, "The third").run().expect_code(0).data();
                assert!(!has(&data["warnings"], "edited"), "crash {number}: {data}");
                let written = text("latex_include.tex");
                assert!(written.contains("The third"), "crash {number}: {written}");
                assert_eq!(verify(&project, 0)["errors"], json!([]));
            },
        );
        crashes.last.expect_code(0);
        assert!(crashes.count >= 3, "{}", crashes.count);
    }
}

#[test]
fn the_picture_that_latex_sets_counts() {
    let project = project();
    finalize(&project, &[]).expect_code(0);
    let path = "figures/ai_generated/latex_include.tex";
    let written = project.read(path);
    let own = written.find("\\includegraphics").expect("a picture");
    let (before, own) = written.split_at(own);
    let (own, after) = own.split_once('\n').expect("a line");
    let parent = project.path().file_name().expect("a name");
    let above = parent.to_string_lossy();
    project.write("body.tex", own);
    let (folder, image) = ("figures/ai_generated", "figure_final.png");
    let set = |name: &str| format!("\\includegraphics{{{name}}}");
    let full = format!("{folder}/{image}");
    for shown in [
        own,
        "\\iffalse\\else OWN\\fi",
        "\\iftrue OWN\\else\\includegraphics{other.png}\\fi",
        "\\newcommand\\mine{OWN}\\mine",
        "\\resizebox{\\textwidth}{!}{OWN} \\includegraphics{other.png}",
        "\\input{body}",
        &set("figures/ai_generated/figure_final"),
        &set(image),
        &set(&format!("../{full}")),
        &set(&format!("{above}/{full}")),
        &set(&project.at(&full).to_string_lossy()),
    ] {
        let shown = shown.replace("OWN", own);
        project.write(path, format!("{before}{shown}\n{after}"));
        let found = verify(&project, 0);
        assert!(!has(&found["warnings"], "not decided"), "{shown}: {found}");
    }
    for hidden in [
        "\\includegraphics{other.png}\\caption{redrawn from figure_final.png}",
        "% OWN",
        "\\begin{comment}\nOWN\n\\end{comment}",
        "\\begin{verbatim}\nOWN\n\\end{verbatim}",
        "\\verb|OWN|",
        "\\iffalse OWN\\fi",
        "\\iftrue\\includegraphics{other.png}\\else OWN\\fi",
        "\\endinput\nOWN",
        "\\newcommand\\mine{OWN}",
        "\\includegraphics{other.png}\\caption{\\ours{} is fast}",
        "\\includegraphics{figure_final.pdf}",
        &set(&format!("old/{full}")),
        &set(&format!("{full}.bak.png")),
        &set(&format!("/{full}")),
    ] {
        project.write(
            path,
            format!("{before}{}\n{after}", hidden.replace("OWN", own)),
        );
        let found = verify(&project, 1);
        assert!(
            has(&found["errors"], "does not include"),
            "{hidden}: {found}"
        );
    }
    for (undecided, why) in [
        (
            "\\ifdraft OWN\\else\\includegraphics{other.png}\\fi",
            "\\ifdraft",
        ),
        ("\\ourpicture{OWN}", "`\\ourpicture`"),
        ("\\ourpicture", "`\\ourpicture`"),
        (
            "\\includegraphics{\\figures/figure_final.png}",
            "`\\figures",
        ),
        ("\\input{absent}", "absent.tex"),
    ] {
        project.write(
            path,
            format!("{before}{}\n{after}", undecided.replace("OWN", own)),
        );
        let warnings = verify(&project, 0)["warnings"].clone();
        let place = format!("is not decided: {path}:3:");
        assert!(
            has(&warnings, &place) && has(&warnings, why),
            "{undecided}: {warnings}"
        );
    }
    // pdfTeX takes a PDF before a PNG.
    project.write("figures/ai_generated/figure_final.pdf", "x");
    project.write(path, set("figures/ai_generated/figure_final"));
    assert!(has(&verify(&project, 1)["errors"], "does not include"));
}

#[test]
fn an_edit_of_the_users_outlives_a_killed_finalisation() {
    let folder = "figures/ai_generated";
    let latex = format!("{folder}/latex_include.tex");
    let project = std::cell::RefCell::new(Project::new());
    let crashes = aris_testkit::crash_at_every_change(
        |_| {
            let fresh = self::project();
            finalize(&fresh, &[]).expect_code(0);
            fresh.write(&latex, fresh.read(&latex).replace("Fast", "Ours, fast"));
            fresh.write(&format!("{folder}/figure_v2.png"), drawn(2000, 100, 9));
            let helper = Helper::at(env!("CARGO_BIN_EXE_paper_illustration_image2"));
            let call = helper.call(fresh.path()).args(FINALIZE);
            *project.borrow_mut() = fresh;
            call
        },
        |number, _| {
            let project = project.borrow();
            let data = finalize(&project, &[]).expect_code(0).data();
            assert!(has(&data["warnings"], "edited"), "crash {number}: {data}");
            assert!(project.read(&latex).contains("Ours, fast"), "{number}");
        },
    );
    crashes.last.expect_code(0);
    let checked = verify(&project.borrow(), 0);
    assert!(has(&checked["warnings"], "latex_include.tex"), "{checked}");
}

#[test]
fn no_result_is_written_over_a_file_of_the_users() {
    let project = project();
    project.write("main.tex", "\\documentclass{article}\n");
    let run = call(&project, &["--json", "verify", "--output", "main.tex"]).expect_code(2);
    assert!(
        run.error()["message"].to_string().contains("main.tex"),
        "{run}"
    );
    assert_eq!(project.read("main.tex"), "\\documentclass{article}\n");
    for _ in 0..2 {
        call(&project, &["verify", "--output", "result.json"]).expect_code(1);
    }
    assert!(project.read("result.json").contains("\"ok\": false"));
}
