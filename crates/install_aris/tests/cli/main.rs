//! The program from outside: one attack for each safety rule, older installs, and the usual install, update and uninstall.
#![cfg(test)]
#![allow(clippy::disallowed_methods, reason = "tests prepare files directly")]

mod hosts;
mod kept;
mod older;

use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use aris_testkit::{Helper, Project, Run};
use serde_json::Value;

const SKILL: &str = "---\nname: reading\ndescription: d\n---\n";
const TABLE: &str =
    "[[helper]]\nname = \"tool\"\naliases = [\"tool.sh\", \"old/tool.py\"]\nowner = \"reading\"\n";

/// `source/` with two skills and a helper, and an empty `paper/`.
fn project() -> Project {
    let project = Project::bare()
        .file("source/skills/reading/SKILL.md", SKILL)
        .file(
            "source/skills/reading/scripts/tool",
            "#!/bin/sh\necho ran \"$@\"\n",
        )
        .file("source/skills/writing/SKILL.md", SKILL)
        .file("source/skills/writing/references/more.md", "more\n")
        .file("source/skills/shared-references/helpers.toml", TABLE)
        .file("paper/main.tex", "mine\n");
    for target in [
        "x86_64-unknown-linux-gnu",
        "aarch64-unknown-linux-gnu",
        "x86_64-apple-darwin",
        "aarch64-apple-darwin",
    ] {
        project.write(
            &format!("source/skills/reading/scripts/bin/tool-{target}"),
            "binary",
        );
    }
    project
}

/// The installer, in a place where the tree around it is not taken for the source.
fn installer() -> Helper {
    Helper::at(env!("CARGO_BIN_EXE_install_aris")).outside_the_workspace()
}

fn call(project: &Project, args: &[&str]) -> Run {
    installer()
        .call(project.path())
        .args(["--json", "paper"])
        .args(args)
        .run()
}

/// Installs from `source/`, with further arguments.
fn install(project: &Project, args: &[&str]) -> Value {
    let all = [&["--aris-repo", "source"], args].concat();
    call(project, &all).expect_code(0).data()
}

fn uninstall(project: &Project) -> Value {
    call(project, &["--uninstall"]).expect_code(0).data()
}

/// Paths of one list of a report.
fn paths<'a>(data: &'a Value, list: &str) -> Vec<&'a str> {
    let items = data[list].as_array().expect("a list");
    items
        .iter()
        .filter_map(|item| item["path"].as_str())
        .collect()
}

#[test]
fn every_mode_and_host_comes_and_goes_and_leaves_nothing() {
    for mode in ["symlink", "copy"] {
        for hosts in [
            "claude",
            "codex",
            "cursor",
            "gemini",
            "claude,codex,cursor,gemini",
        ] {
            let project = project().file("paper/CLAUDE.md", "mine\r\nwithout an end");
            let modified = || {
                fs::metadata(project.at("paper/CLAUDE.md"))
                    .and_then(|found| found.modified())
                    .expect("time")
            };
            let (before, time) = (project.snapshot(), modified());
            install(&project, &["--mode", mode, "--host", hosts]);
            let after = project.snapshot();
            assert!(after.paths().contains(&"paper/.aris/skills"));
            assert!(after.paths().contains(&"paper/.aris/tools/old/tool.py"));
            // The source is recorded by now.
            let run = call(&project, &["--reconcile"]).expect_code(0);
            assert!(
                paths(&run.data(), "changes").is_empty(),
                "{mode} {hosts}: {run}"
            );
            after.assert_same(&project.snapshot(), "a second run");
            assert_eq!(
                uninstall(&project)["left"],
                serde_json::json!([]),
                "{mode} {hosts}"
            );
            before.assert_same(&project.snapshot(), &format!("{mode} {hosts}"));
            assert_eq!(modified(), time);
        }
    }
}

#[test]
fn people_read_zero_changes() {
    let project = project();
    install(&project, &[]);
    let run = installer()
        .call(project.path())
        .args(["paper"])
        .run()
        .expect_code(0);
    assert_eq!(run.stdout(), "0 changes\n");
}

#[test]
fn links_follow_the_source_and_copies_do_not() {
    for (mode, expected) in [("symlink", "new\n"), ("copy", "more\n")] {
        let project = project();
        install(&project, &["--mode", mode, "--host", "claude,codex"]);
        project.write("source/skills/writing/references/more.md", "new\n");
        for place in [".agents", ".claude"] {
            assert_eq!(
                project.read(&format!("paper/{place}/skills/writing/references/more.md")),
                expected
            );
        }
    }
}

#[test]
fn a_dry_run_and_a_check_say_what_would_change_and_write_nothing() {
    let project = project();
    let before = project.snapshot();
    let run = call(&project, &["--aris-repo", "source", "--dry-run"]).expect_code(10);
    assert!(paths(&run.data(), "changes").contains(&".claude/skills/writing"));
    before.assert_same(&project.snapshot(), "a dry run");
    install(&project, &["--mode", "copy"]);
    for action in [
        &["--dry-run"][..],
        &["--check"],
        &["--reconcile", "--dry-run"],
    ] {
        call(&project, action).expect_code(0);
    }
    project.write("source/skills/writing/new.md", "new\n");
    let before = project.snapshot();
    for action in [
        &["--dry-run"][..],
        &["--check"],
        &["--uninstall", "--dry-run"],
    ] {
        call(&project, action).expect_code(10);
        before.assert_same(&project.snapshot(), "a plan");
    }
}

/// S1, S3, S8: only content that is recorded and unchanged is removed.
#[test]
fn uninstall_leaves_what_the_user_changed_or_made() {
    let project = project();
    install(&project, &["--mode", "copy", "--host", "cursor,codex"]);
    project.write(
        "paper/.agents/skills/writing/references/more.md",
        "edited\n",
    );
    project.write("paper/.agents/skills/reading/mine.md", "mine\n");
    project.write("paper/.agents/skills/own/SKILL.md", "mine\n");
    project.write("paper/.aris/tools/tool", "edited\n");
    project.write("paper/.aris/traces/x", "mine\n");
    fs::remove_dir_all(project.at("paper/.claude/skills/reading")).expect("remove");
    symlink("/nowhere", project.at("paper/.claude/skills/reading")).expect("link");
    let data = uninstall(&project);
    let left = paths(&data, "left");
    for path in [
        ".agents/skills/writing",
        ".agents/skills/reading",
        ".aris/tools/tool",
        ".claude/skills/reading",
    ] {
        assert!(left.contains(&path), "{path}: {data}");
    }
    let mut files: Vec<String> = project
        .snapshot()
        .paths()
        .iter()
        .filter(|path| path.starts_with("paper/."))
        .map(ToString::to_string)
        .collect();
    files.retain(|path| !project.at(path).is_dir());
    assert_eq!(
        files,
        [
            "paper/.agents/skills/own/SKILL.md",
            "paper/.agents/skills/reading/mine.md",
            "paper/.agents/skills/writing/references/more.md",
            "paper/.aris/tools/tool",
            "paper/.aris/traces/x",
            "paper/.claude/skills/reading",
        ]
    );
}

/// S2: a link that leads out of the source is never replaced, with any flags.
#[test]
fn a_link_that_leads_elsewhere_stays() {
    let project = project().file("elsewhere/SKILL.md", "mine\n");
    fs::create_dir_all(project.at("paper/.claude/skills")).expect("folders");
    symlink(
        project.at("elsewhere"),
        project.at("paper/.claude/skills/reading"),
    )
    .expect("link");
    let before = project.snapshot();
    let run = call(
        &project,
        &["--aris-repo", "source", "--replace-link", "reading"],
    )
    .expect_code(10);
    assert_eq!(paths(&run.data(), "conflicts"), [".claude/skills/reading"]);
    before.assert_same(&project.snapshot(), "S2");
    // A wrong link into the source is replaced when it is named.
    fs::remove_file(project.at("paper/.claude/skills/reading")).expect("remove");
    symlink(
        project.at("source/skills/writing"),
        project.at("paper/.claude/skills/reading"),
    )
    .expect("link");
    call(&project, &["--aris-repo", "source"]).expect_code(10);
    install(
        &project,
        &["--replace-link", "reading", "--mode", "symlink"],
    );
    assert_eq!(
        fs::read_link(project.at("paper/.claude/skills/reading")).expect("link"),
        project.at("source/skills/reading")
    );
}

/// S4: creating never overwrites anything.
#[test]
fn what_is_there_is_a_conflict_and_nothing_is_installed() {
    let places = [
        (".claude/skills/writing/SKILL.md", ".claude/skills/writing"),
        (".aris/tools", ".aris/tools"),
    ];
    for (mode, (mine, place)) in ["symlink", "copy"]
        .into_iter()
        .flat_map(|mode| places.map(|place| (mode, place)))
    {
        let project = project().file(&format!("paper/{mine}"), "mine\n");
        let before = project.snapshot();
        let run = call(&project, &["--aris-repo", "source", "--mode", mode]).expect_code(10);
        let data = run.data();
        assert_eq!(paths(&data, "conflicts"), [place]);
        assert!(
            data["conflicts"][0]["hint"]
                .as_str()
                .is_some_and(|hint| !hint.is_empty())
        );
        assert_eq!(data["applied"], false);
        before.assert_same(&project.snapshot(), "S4");
    }
}

/// S6: the reference's lock is respected, and removed only when its owner has ended.
#[test]
fn a_lock_of_another_installer_is_respected() {
    let project = project().file("paper/.aris/.install.lock.d/owner.pid", "1\n");
    let host = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    project.write("paper/.aris/.install.lock.d/owner.host", &host);
    let before = project.snapshot();
    for args in [
        &["--aris-repo", "source"][..],
        &["--aris-repo", "source", "--clear-stale-lock"],
        &["--uninstall"],
    ] {
        let error = call(&project, args).expect_code(5).error();
        assert!(
            error["message"]
                .as_str()
                .is_some_and(|text| text.contains("process 1 on")),
            "{error}"
        );
    }
    before.assert_same(&project.snapshot(), "a living owner");
    // No system has a process with this id.
    project.write("paper/.aris/.install.lock.d/owner.pid", "2147483646\n");
    let error = call(&project, &["--aris-repo", "source"])
        .expect_code(5)
        .error();
    assert!(
        error["hint"]
            .as_str()
            .is_some_and(|hint| hint.contains("--clear-stale-lock")),
        "{error}"
    );
    install(&project, &["--clear-stale-lock"]);
    assert!(!project.at("paper/.aris/.install.lock.d").exists());
}

#[test]
fn a_journal_that_is_not_ours_is_never_touched() {
    // A run that was killed while it wrote its first line leaves such a file.
    for text in ["", "\n", "\n{\"to"] {
        let project = project().file("paper/.aris-install.journal", text);
        install(&project, &[]);
        assert!(!project.at("paper/.aris-install.journal").exists());
    }
    for text in ["my notes\n", "{}\n"] {
        let project = project().file("paper/.aris-install.journal", text);
        call(&project, &["--aris-repo", "source"]).expect_code(5);
        call(&project, &["--uninstall"]).expect_code(5);
        assert_eq!(project.read("paper/.aris-install.journal"), text);
    }
    let project = project();
    symlink(
        project.at("paper/main.tex"),
        project.at("paper/.aris-install.journal"),
    )
    .expect("link");
    call(&project, &["--aris-repo", "source"]).expect_code(5);
    assert_eq!(project.read("paper/main.tex"), "mine\n");
}

/// S9: nothing is installed through a link.
#[test]
fn folders_that_are_links_are_refused() {
    for folder in [
        ".aris",
        ".aris/kept",
        ".agents",
        ".agents/skills",
        ".claude",
        ".claude/skills",
    ] {
        let project = project().file("elsewhere/x", "mine\n");
        let path = project.at(&format!("paper/{folder}"));
        fs::create_dir_all(path.parent().expect("parent")).expect("folders");
        symlink(project.at("elsewhere"), &path).expect("link");
        let before = project.snapshot();
        for args in [&["--aris-repo", "source"][..], &["--uninstall"]] {
            call(&project, args).expect_code(5);
            before.assert_same(&project.snapshot(), folder);
        }
    }
}

#[test]
fn tools_behind_a_link_of_the_user_s_stay() {
    let project = project()
        .file("elsewhere/tool", "mine\n")
        .file("paper/.aris/x", "");
    symlink(project.at("elsewhere"), project.at("paper/.aris/tools")).expect("link");
    let data = install(&project, &[]);
    assert_eq!(paths(&data, "left"), [".aris/tools"]);
    assert_eq!(project.read("elsewhere/tool"), "mine\n");
    uninstall(&project);
    assert_eq!(project.read("paper/.aris/tools/tool"), "mine\n");
}

/// S10: entries of the source that lead out of it are not installed.
#[test]
fn source_entries_that_leave_the_source_are_left_out() {
    let project = project()
        .file("outside/SKILL.md", "secret\n")
        .file("source/skills/linked/SKILL.md", SKILL);
    symlink(project.at("outside"), project.at("source/skills/evil")).expect("link");
    symlink(
        project.at("outside/SKILL.md"),
        project.at("source/skills/linked/secret.md"),
    )
    .expect("link");
    symlink(
        project.at("source/skills/writing"),
        project.at("source/skills/same"),
    )
    .expect("link");
    let run = call(&project, &["--aris-repo", "source", "--mode", "copy"]).expect_code(0);
    assert!(
        run.stderr().contains("skill evil") && run.stderr().contains("skill linked"),
        "{run}"
    );
    for (skill, there) in [
        ("evil", false),
        ("linked", false),
        ("same", true),
        ("reading", true),
    ] {
        assert_eq!(
            project
                .at(&format!("paper/.claude/skills/{skill}"))
                .exists(),
            there,
            "{skill}"
        );
    }
}

/// S13 and untrusted records: paths outside the program's own places are refused.
#[test]
fn records_that_name_other_paths_are_damaged() {
    let project = project();
    install(&project, &["--mode", "copy"]);
    let good = project.read("paper/.aris/install.json");
    for (from, to) in [
        ("\".claude/skills/reading\"", "\"../source/skills/reading\""),
        ("\".claude/skills/reading\"", "\"main.tex\""),
        ("\"SKILL.md\"", "\"../../../main.tex\""),
        ("\".claude/skills\"", "\"..\""),
        (
            "aris.install_aris.manifest/v1",
            "aris.install_aris.manifest/v2",
        ),
    ] {
        assert!(good.contains(from), "{from}");
        project.write("paper/.aris/install.json", good.replace(from, to));
        let before = project.snapshot();
        for args in [&["--reconcile"][..], &["--uninstall"]] {
            let error = call(&project, args).expect_code(4).error();
            assert!(
                error["details"]["path"]
                    .as_str()
                    .is_some_and(|path| path.ends_with("install.json")),
                "{error}"
            );
        }
        before.assert_same(&project.snapshot(), to);
    }
    project.write("paper/.aris/install.json", good);
    project.write("paper/.aris/installed-skills.txt", "version\t1\nrepo_root\t/r\nkind\tname\tsource_rel\ttarget_rel\tmode\nskill\tx\tskills/x\t../main.tex\tsymlink\n");
    let error = call(&project, &["--uninstall"]).expect_code(4).error();
    assert_eq!(error["details"]["line"], 4, "{error}");
    for (folder, code) in [("none", 3), ("paper/.aris/install.json", 4)] {
        let run = installer().call(project.path()).args([folder]).run();
        run.expect_code(code);
    }
}

#[test]
fn unsafe_names_of_the_source_are_left_out() {
    let project = project()
        .file("source/skills/-rf/SKILL.md", SKILL)
        .file("source/skills/a b/SKILL.md", SKILL);
    let run = call(&project, &["--aris-repo", "source"]).expect_code(0);
    assert!(run.stderr().contains("not a safe name"), "{run}");
    assert!(
        !project.at("paper/.claude/skills/-rf").exists()
            && !project.at("paper/.claude/skills/a b").exists()
    );
}

#[test]
fn reconcile_repairs_what_is_gone_and_removes_what_is_no_longer_wanted() {
    for mode in ["symlink", "copy"] {
        let project = project();
        install(&project, &["--mode", mode]);
        let before = project.snapshot();
        let gone = project.at("paper/.claude/skills/writing");
        if mode == "copy" {
            fs::remove_file(gone.join("references/more.md")).expect("remove");
        } else {
            fs::remove_file(gone).expect("remove");
        }
        fs::remove_file(project.at("paper/.aris/tools/tool.sh")).expect("remove");
        let data = call(&project, &["--reconcile"]).expect_code(0).data();
        let changes = data["changes"].as_array().expect("changes");
        assert!(
            changes.len() == 2 && changes.iter().all(|change| change["what"] == "repair"),
            "{data}"
        );
        let is_record = |path: &str| path.starts_with("paper/.aris/install");
        before
            .clone()
            .without(is_record)
            .assert_same(&project.snapshot().without(is_record), mode);
        fs::remove_dir_all(project.at("source/skills/writing")).expect("remove");
        call(&project, &["--host", "codex", "--no-doc"]).expect_code(0);
        let snapshot = project.snapshot();
        assert!(
            !snapshot
                .paths()
                .iter()
                .any(|path| path.contains("skills/writing") || path.contains(".claude/skills/")),
            "{mode}"
        );
    }
}

#[test]
fn a_changed_mode_turns_links_into_copies_and_back() {
    let project = project();
    let before = project.snapshot();
    for mode in ["symlink", "copy", "symlink"] {
        install(&project, &["--mode", mode]);
        let is_link = fs::symlink_metadata(project.at("paper/.claude/skills/writing"))
            .expect("there")
            .is_symlink();
        assert_eq!(is_link, mode == "symlink");
        assert_eq!(
            project.read("paper/.claude/skills/writing/references/more.md"),
            "more\n"
        );
    }
    uninstall(&project);
    before.assert_same(&project.snapshot(), "three modes");
}

#[test]
fn a_right_link_of_the_user_s_stays_the_user_s_unless_adopted() {
    for adopt in [false, true] {
        let project = project();
        fs::create_dir_all(project.at("paper/.claude/skills")).expect("folders");
        symlink(
            project.at("source/skills/writing"),
            project.at("paper/.claude/skills/writing"),
        )
        .expect("link");
        let args: &[&str] = if adopt {
            &["--mode", "symlink", "--adopt-existing", "writing"]
        } else {
            &["--mode", "symlink"]
        };
        install(&project, args);
        uninstall(&project);
        assert_eq!(
            fs::symlink_metadata(project.at("paper/.claude/skills/writing")).is_ok(),
            !adopt
        );
    }
}

#[test]
fn missing_binaries_are_said_before_anything_is_changed() {
    let project = project();
    fs::remove_dir_all(project.at("source/skills/reading/scripts/bin")).expect("remove");
    let before = project.snapshot();
    let error = call(&project, &["--aris-repo", "source"])
        .expect_code(5)
        .error();
    assert!(
        error["hint"]
            .as_str()
            .is_some_and(|hint| hint.contains("cargo xtask install-skills")),
        "{error}"
    );
    before.assert_same(&project.snapshot(), "no binaries");
    install(&project, &["--allow-missing-binaries"]);
}

#[test]
fn instruction_files_that_lead_out_of_the_project_are_not_followed() {
    let project = project()
        .file("dotfiles/CLAUDE.md", "mine\n")
        .file("paper/AGENTS.md", "agents\n");
    symlink(
        project.at("dotfiles/CLAUDE.md"),
        project.at("paper/CLAUDE.md"),
    )
    .expect("link");
    let data = install(&project, &["--host", "claude,codex"]);
    assert!(paths(&data, "left").contains(&"CLAUDE.md"));
    assert_eq!(project.read("dotfiles/CLAUDE.md"), "mine\n");
    uninstall(&project);
    assert_eq!(project.read("paper/AGENTS.md"), "agents\n");
    // If two instruction files are the same file, it gets two blocks, and loses both.
    fs::remove_file(project.at("paper/CLAUDE.md")).expect("remove");
    symlink("AGENTS.md", project.at("paper/CLAUDE.md")).expect("link");
    install(&project, &["--host", "claude,codex"]);
    assert!(project.read("paper/AGENTS.md").matches(":BEGIN").count() == 2);
    assert!(paths(&call(&project, &[]).expect_code(0).data(), "changes").is_empty());
    uninstall(&project);
    assert_eq!(project.read("paper/AGENTS.md"), "agents\n");
}

#[test]
fn the_home_folder_gets_skills_and_no_instruction_files() {
    let project = project().file("paper/AGENTS.md", "mine\n");
    let run = |args: &[&str]| {
        installer()
            .call(project.path())
            .env("HOME", project.at("paper"))
            .args(["--json"])
            .args(args)
            .run()
    };
    run(&["--user", "--aris-repo", "source", "--host", "claude,codex"]).expect_code(0);
    assert_eq!(project.read("paper/AGENTS.md"), "mine\n");
    assert!(project.at("paper/.agents/skills/reading").exists());
    run(&["--user", "--uninstall"]).expect_code(0);
    assert!(!project.at("paper/.aris").exists());
}

#[test]
fn a_failed_first_install_is_rolled_back() {
    let project = project().file("paper/AGENTS.md", "mine\n");
    // The name is too long for the file system; the run notices only in the middle.
    let long = "x".repeat(300);
    let table =
        format!("[[helper]]\nname = \"tool\"\naliases = [\"{long}\"]\nowner = \"reading\"\n");
    project.write("source/skills/shared-references/helpers.toml", table);
    let before = project.snapshot();
    for mode in ["symlink", "copy"] {
        let run = call(
            &project,
            &["--aris-repo", "source", "--host", "codex", "--mode", mode],
        )
        .expect_code(5);
        let message = run.error()["message"].to_string();
        assert!(message.contains("/paper/.aris/tools/"), "{run}");
        before.assert_same(&project.snapshot(), "rolled back");
    }
}

/// S11: a file that appears between plan and change is the user's. The run stops and leaves nothing of its own.
#[test]
fn what_the_user_makes_while_the_installer_runs_stays() {
    let mut stopped = 0;
    for mode in ["symlink", "copy"].repeat(12) {
        let project = project();
        let place = project.at("paper/.claude/skills/writing");
        let is_done = AtomicBool::new(false);
        let (is_mine, run) = std::thread::scope(|scope| {
            let user = scope.spawn(|| {
                while !is_done.load(Ordering::Acquire) {
                    // When the installer creates folders, its plan is complete.
                    match fs::create_dir(&place) {
                        Ok(()) => {
                            fs::write(place.join("mine"), "mine\n").expect("write");
                            return true;
                        }
                        Err(error) if error.kind() == ErrorKind::AlreadyExists => return false,
                        Err(_) => std::thread::yield_now(),
                    }
                }
                false
            });
            let run = call(&project, &["--aris-repo", "source", "--mode", mode]);
            is_done.store(true, Ordering::Release);
            (user.join().expect("ended"), run)
        });
        if is_mine {
            stopped += 1;
            run.expect_code(5);
            assert_eq!(project.read("paper/.claude/skills/writing/mine"), "mine\n");
            let snapshot = project.snapshot();
            let rest = snapshot
                .paths()
                .into_iter()
                .filter(|path| path.starts_with("paper/.") && !path.starts_with("paper/.claude"));
            assert_eq!(rest.count(), 0, "{:?}", snapshot.paths());
        } else {
            run.expect_code(0);
        }
    }
    println!("the user was faster in {stopped} of 24 runs");
}

/// S12: everything is staged beside its place, so that a rename suffices; no folder for temporary files is used.
#[test]
fn no_folder_for_temporary_files_is_needed() {
    for mode in ["symlink", "copy"] {
        let project = project();
        let run = installer()
            .call(project.path())
            .args(["paper", "--aris-repo", "source", "--mode", mode])
            .env("TMPDIR", project.at("absent"))
            .run();
        run.expect_code(0);
    }
}

/// Runs as a user without write permission. The superuser could write anywhere, so a test as superuser switches to another
/// user.
#[test]
fn a_project_that_cannot_be_written_is_as_it_was() {
    let project = project().file("paper/.claude/skills/x", "");
    let installer = "installer";
    // That user must be able to read the program and its input.
    fs::copy(env!("CARGO_BIN_EXE_install_aris"), project.at(installer)).expect("copy");
    for path in ["", installer] {
        project.mode(path, 0o755);
    }
    let is_root = fs::read_dir("/root").is_ok();
    for folder in ["paper", "paper/.claude/skills"] {
        project.mode(folder, 0o555);
        if is_root && folder != "paper" {
            let own = "chown 65534 paper paper/.claude";
            let chown = Helper::at("/bin/sh").call(project.path());
            chown.args(["-c", own]).run().expect_code(0);
        }
        let before = project.snapshot();
        for mode in ["symlink", "copy"] {
            let args = ["--json", "paper", "--aris-repo", "source", "--mode", mode];
            let call = if is_root {
                let user = ["--reuid=65534", "--regid=65534", "--clear-groups"];
                Helper::at("setpriv")
                    .call(project.path())
                    .args(user)
                    .args([project.at(installer)])
            } else {
                Helper::at(project.at(installer)).call(project.path())
            };
            let error = call.args(args).run().expect_code(5).error();
            let message = error["message"].as_str().unwrap_or_default();
            assert!(message.contains("ermission denied"), "{error}");
            before.assert_same(&project.snapshot(), folder);
        }
        project.mode(folder, 0o755);
    }
}

#[test]
fn a_tool_that_is_a_file_and_a_folder_at_once_is_refused_before_anything_is_made() {
    let project = project();
    let table = "[[helper]]\nname = \"tool\"\naliases = [\"tool/x\"]\nowner = \"reading\"\n";
    project.write("source/skills/shared-references/helpers.toml", table);
    let before = project.snapshot();
    for args in [&["--dry-run"][..], &[]] {
        let args = [&["--aris-repo", "source"], args].concat();
        let error = call(&project, &args).expect_code(4).error();
        let message = error["message"].as_str().unwrap_or_default();
        assert!(
            message.contains("helpers.toml") && message.contains("a folder"),
            "{error}"
        );
        before.assert_same(&project.snapshot(), "refused");
    }
}

#[test]
fn a_purge_removes_our_cached_binaries_and_no_others() {
    let project = project()
        .file("cache/aris/bin/save_trace-0.1.0-abc-x86_64", "x")
        .file("cache/aris/bin/other", "mine\n");
    install(&project, &[]);
    installer()
        .call(project.path())
        .env("XDG_CACHE_HOME", project.at("cache"))
        .args(["paper", "--uninstall", "--purge"])
        .run()
        .expect_code(0);
    assert!(
        !project
            .at("cache/aris/bin/save_trace-0.1.0-abc-x86_64")
            .exists()
    );
    assert!(project.at("cache/aris/bin/other").exists());
}

#[test]
fn paths_that_cannot_be_recorded_are_refused() {
    let project = project();
    fs::rename(project.at("source"), project.at("so\turce")).expect("rename");
    let run = call(&project, &["--aris-repo", "so\turce"]).expect_code(5);
    assert!(
        run.error()["message"]
            .as_str()
            .is_some_and(|text| text.contains("cannot be recorded"))
    );
    assert!(!Path::new(&project.at("paper/.aris")).exists());
}
