//! Runs the program `aris` as people and scripts do.
#![cfg(test)]
#![allow(clippy::disallowed_methods, reason = "tests prepare files directly")]

use std::os::unix::fs::symlink;

use aris_contract::helpers::{self, Helper as Row};
use aris_testkit::{Helper, Project, Run};

fn aris() -> Helper {
    Helper::at(env!("CARGO_BIN_EXE_aris"))
}

/// Every shipped helper, with all names that a link to the program can have.
fn rows() -> impl Iterator<Item = (&'static Row, Vec<&'static str>)> {
    helpers::all().iter().map(|row| {
        let names = row.names();
        let last = |name: &'static str| name.rsplit('/').next().unwrap_or(name);
        // `aris` is an alias of the installer, but means this program itself.
        let others = names.into_iter().map(last).filter(|name| *name != "aris");
        (row, others.collect())
    })
}

/// The output without the commit, because the two programs of a test run may be built from different commits.
fn without_commit(run: &Run) -> &str {
    match run.stdout().split_once(" (") {
        Some((version, _)) if !version.contains(['{', '\n']) => version,
        _ => run.stdout(),
    }
}

#[test]
fn every_helper_is_the_same_by_name_by_link_and_alone() {
    let project = Project::new();
    for (row, names) in rows() {
        let alone = Helper::named(&row.name);
        for args in [
            &["--help"][..],
            &["--version"],
            &["--no-such-flag", "--json"],
            &["--print-contract"],
        ] {
            let expected = alone.call(project.path()).args(args).run();
            for name in &names {
                let by_name = aris().call(project.path()).args([name]).args(args).run();
                let link = project.at(name);
                symlink(env!("CARGO_BIN_EXE_aris"), &link).expect("link");
                let by_link = Helper::at(&link).call(project.path()).args(args).run();
                std::fs::remove_file(&link).expect("removed");
                for run in [by_name, by_link] {
                    assert_eq!(
                        (run.code(), without_commit(&run), run.stderr()),
                        (
                            expected.code(),
                            without_commit(&expected),
                            expected.stderr()
                        ),
                        "{name} {args:?}"
                    );
                }
            }
        }
        let help = aris()
            .call(project.path())
            .args(["help", &row.name])
            .run()
            .expect_code(0);
        let own = alone.call(project.path()).args(["--help"]).run();
        assert_eq!(help.stdout(), own.stdout());
    }
}

#[test]
fn flags_that_every_helper_has_may_stand_before_its_name() {
    let project = Project::new();
    let run = aris()
        .call(project.path())
        .args(["--json", "save_trace"])
        .run()
        .expect_code(2);
    assert_eq!(run.envelope()["error"]["code"], "USAGE");
    assert!(run.stderr().starts_with("save_trace: error: "), "{run}");
}

#[test]
fn help_and_man_know_the_commands_of_aris() {
    let project = Project::new();
    for name in ["help", "completions", "man", "install", "source", "demo"] {
        let print = |args: &[&str]| aris().call(project.path()).args(args).run().expect_code(0);
        let help = print(&["help", name]);
        assert_eq!(help.stdout(), print(&[name, "--help"]).stdout(), "{name}");
        let man = print(&["man", name]);
        assert!(man.stdout().contains(".SH SYNOPSIS"), "{name}: {man}");
    }
}

#[test]
fn the_front_door_lists_every_helper() {
    let project = Project::new();
    let text = aris()
        .call(project.path())
        .run()
        .expect_code(0)
        .stdout()
        .to_owned();
    for args in [&["help"][..], &["--help"], &["-h"]] {
        let help = aris().call(project.path()).args(args).run();
        assert_eq!(help.expect_code(0).stdout(), text, "{args:?}");
    }
    let json = aris()
        .call(project.path())
        .args(["help", "--json"])
        .run()
        .expect_code(0);
    let data = &json.envelope()["data"];
    assert_eq!(data["text"], text);
    let mut listed: Vec<&str> = data["helpers"]
        .as_array()
        .expect("helpers")
        .iter()
        .filter_map(|helper| helper["name"].as_str())
        .collect();
    listed.sort_unstable();
    let all: Vec<&str> = helpers::all().iter().map(|row| row.name.as_str()).collect();
    assert_eq!(listed, all);
    for name in all {
        assert_eq!(
            text.lines()
                .filter(|line| line.split_whitespace().next() == Some(name))
                .count(),
            1
        );
    }
}

#[test]
fn an_unknown_name_is_a_usage_error_that_names_the_nearest() {
    let project = Project::new();
    for (args, nearest) in [
        (&["sav_trace"][..], Some("save_trace")),
        (&["instal"], Some("install")),
        (&["help", "citation-audit"], Some("citation_audit")),
        (&["man", "verify_paper_audit"], Some("verify_paper_audits")),
        (&["completions", "bash", "save_trac"], Some("save_trace")),
        (&["xylophone", "--help", "-x", "y"], None),
        (&["--json", "xylophone"], None),
        (&["-q", "\u{e9}\u{fc}"], None),
    ] {
        let run = aris().call(project.path()).args(args).run().expect_code(2);
        let expected = match nearest {
            Some(name) => format!("hint: did you mean {name}? aris help lists all"),
            None => String::from("hint: aris help lists all"),
        };
        assert!(
            run.stderr().contains("there is no command or helper"),
            "{args:?} {run}"
        );
        assert!(run.stderr().contains(&expected), "{args:?} {run}");
        let args = args
            .iter()
            .copied()
            .filter(|arg| *arg != "--json")
            .chain(["--json"]);
        let error = aris()
            .call(project.path())
            .args(args)
            .run()
            .expect_code(2)
            .envelope();
        assert_eq!(error["error"]["code"], "USAGE");
    }
    // A name that is not a helper's is handled by aris itself.
    aris()
        .call(project.path())
        .args(["--version"])
        .run()
        .expect_code(0);
    let help = aris()
        .call(project.path())
        .args(["--help"])
        .run()
        .expect_code(0);
    assert!(help.stdout().contains("EXIT CODES:"), "{help}");
    aris()
        .call(project.path())
        .args(["--no-such-flag"])
        .run()
        .expect_code(2);
    aris()
        .call(project.path())
        .args(["completions", "tcsh"])
        .run()
        .expect_code(2);
}

#[test]
fn completions_and_manual_pages_know_every_helper_and_flag() {
    let project = Project::new();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let all = aris()
            .call(project.path())
            .args(["completions", shell])
            .run()
            .expect_code(0);
        for (row, _) in rows() {
            assert!(all.stdout().contains(&row.name), "{shell} {}", row.name);
            let one = aris()
                .call(project.path())
                .args(["completions", shell, &row.name])
                .run();
            assert!(
                one.expect_code(0).stdout().contains("quiet"),
                "{shell} {}",
                row.name
            );
        }
        assert!(all.stdout().contains("assurance"), "{shell}");
    }
    for (row, _) in rows() {
        let page = aris()
            .call(project.path())
            .args(["man", &row.name])
            .run()
            .expect_code(0);
        assert!(
            page.stdout().contains(&format!("\n.TH {} 1", row.name)),
            "{page}"
        );
        assert!(page.stdout().contains("EXIT CODES"), "{page}");
    }
}

#[test]
fn bash_completes_helpers_and_their_flags() {
    let project = Project::new();
    let completions = aris()
        .call(project.path())
        .args(["completions", "bash"])
        .run()
        .expect_code(0);
    project.write("aris.bash", completions.stdout());
    // As the shell does when Tab is pressed after `aris verify_paper_audits --assur`.
    let script = "source aris.bash; COMP_WORDS=(aris verify_paper_audits --assur); COMP_CWORD=2; \
                  _aris aris --assur verify_paper_audits; printf '%s\\n' \"${COMPREPLY[@]}\"; \
                  COMP_WORDS=(aris sav); COMP_CWORD=1; _aris aris sav aris; printf '%s\\n' \"${COMPREPLY[@]}\"";
    let run = Helper::at("/bin/bash")
        .call(project.path())
        .args(["-c", script])
        .run()
        .expect_code(0);
    assert_eq!(run.stdout(), "--assurance\nsave_trace\n", "{run}");
}
