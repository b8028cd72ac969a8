//! Installation: killed at any point, many in parallel, and found afterwards by the skills' resolver.

use std::cell::RefCell;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::time::SystemTime;

use aris_testkit::{Call, Helper, Project, Snapshot, crash_at_every_change, workspace_root};

const SKILL: &str = "---\nname: reading\ndescription: d\n---\n";
const MINE: &str = "mine\r\nwithout an end";

/// A small source beside a paper that has the user's own files in every place that an install writes to.
fn project() -> Project {
    let project = Project::bare()
        .file("source/skills/reading/SKILL.md", SKILL)
        .file("source/skills/reading/references/more.md", "more\n")
        .file(
            "source/skills/shared-references/helpers.toml",
            "[[helper]]\nname = \"tool\"\naliases = [\"old/tool.py\"]\nowner = \"reading\"\n",
        )
        .file("paper/CLAUDE.md", MINE)
        .file("paper/.claude/skills/own/SKILL.md", "mine\n");
    project.mode("paper/CLAUDE.md", 0o640);
    project
}

/// The installer, in a place where the tree around it is not taken for the source.
fn installer() -> Helper {
    Helper::named("install_aris").outside_the_workspace()
}

fn call(helper: &Helper, project: &Project, args: &[&str]) -> Call {
    let common = ["paper", "--allow-missing-binaries", "--quiet"];
    helper.call(project.path()).args(common).args(args)
}

const COPY: [&str; 6] = [
    "--aris-repo",
    "source",
    "--mode",
    "copy",
    "--host",
    "claude,codex",
];
const LINK: [&str; 6] = [
    "--aris-repo",
    "source",
    "--mode",
    "symlink",
    "--host",
    "claude,codex",
];

fn modified(project: &Project) -> SystemTime {
    let found = fs::metadata(project.at("paper/CLAUDE.md")).expect("there");
    found.modified().expect("time")
}

/// The records contain the time of the run.
fn without_records(snapshot: Snapshot) -> Snapshot {
    snapshot.without(|path| path.starts_with("paper/.aris/install"))
}

/// Crashes a call at every change, each time in a project from `prepare`; `check` examines each.
fn crashes(
    args: &[&str],
    prepare: impl Fn(&Helper) -> Project,
    check: impl Fn(&Helper, &Project, &str),
) {
    let helper = installer();
    let current = RefCell::new(None);
    let crashes = crash_at_every_change(
        |_| {
            let project = prepare(&helper);
            let crashing = call(&helper, &project, args);
            current.replace(Some(project));
            crashing
        },
        |number, _| {
            let project = current.borrow_mut().take().expect("a project");
            check(&helper, &project, &format!("{args:?}, crash {number}"));
        },
    );
    assert_eq!(crashes.last.code(), 0, "{}", crashes.last);
    assert!(crashes.count > 10, "{} crashes only", crashes.count);
}

fn installed(helper: &Helper, args: &[&str]) -> Project {
    let project = project();
    call(helper, &project, args).run().expect_code(0);
    project
}

#[test]
fn a_killed_install_is_finished_by_the_next() {
    for args in [LINK, COPY] {
        let whole = RefCell::new(None);
        crashes(
            &args,
            |_| project(),
            |helper, project, when| {
                assert_eq!(
                    project.read("paper/.claude/skills/own/SKILL.md"),
                    "mine\n",
                    "{when}"
                );
                assert!(project.read("paper/CLAUDE.md").starts_with(MINE), "{when}");
                call(helper, project, &args).run().expect_code(0);
                let run = call(helper, project, &["--reconcile"]).run().expect_code(0);
                assert_eq!(run.stdout(), "0 changes\n", "{when}");
                let mut whole = whole.borrow_mut();
                let whole = whole.get_or_insert_with(|| {
                    without_records(installed(helper, &args).snapshot())
                        .paths()
                        .join("\n")
                });
                assert_eq!(
                    *whole,
                    without_records(project.snapshot()).paths().join("\n"),
                    "{when}"
                );
            },
        );
    }
}

#[test]
fn a_killed_install_is_taken_away_without_a_trace() {
    for args in [LINK, COPY] {
        let before = RefCell::new(None);
        crashes(
            &args,
            |_| {
                let project = project();
                before.replace(Some((project.snapshot(), modified(&project))));
                project
            },
            |helper, project, when| {
                call(helper, project, &["--uninstall"]).run().expect_code(0);
                let (snapshot, time) = before.borrow_mut().take().expect("before");
                snapshot.assert_same(&project.snapshot(), when);
                assert_eq!(modified(project), time, "{when}");
            },
        );
    }
}

#[test]
fn a_killed_uninstall_is_finished_by_the_next() {
    for args in [LINK, COPY] {
        let before = project().snapshot();
        crashes(
            &["--uninstall"],
            |helper| installed(helper, &args),
            |helper, project, when| {
                call(helper, project, &["--uninstall"]).run().expect_code(0);
                before.assert_same(&project.snapshot(), when);
            },
        );
    }
}

#[test]
fn a_killed_update_loses_no_edit() {
    crashes(
        &["--update"],
        |helper| {
            let project = installed(helper, &COPY);
            project.write("paper/.agents/skills/reading/SKILL.md", "edited\n");
            project.write("source/skills/reading/references/more.md", "newer\n");
            project
        },
        |helper, project, when| {
            let edits = |project: &Project| {
                let snapshot = project.snapshot();
                let paths = snapshot.paths();
                let edited = paths
                    .iter()
                    .filter(|path| snapshot.bytes(path) == Some(b"edited\n"));
                edited.count()
            };
            assert_eq!(edits(project), 1, "{when}");
            call(helper, project, &["--update"]).run().expect_code(0);
            assert_eq!(edits(project), 1, "{when}, repaired");
            assert_eq!(
                project.read("paper/.agents/skills/reading/references/more.md"),
                "newer\n",
                "{when}"
            );
            let run = call(helper, project, &["--reconcile"]).run().expect_code(0);
            assert_eq!(run.stdout(), "0 changes\n", "{when}");
        },
    );
}

/// Arguments for an install that adopts and replaces links of the user.
const LINKS: [&str; 8] = [
    "--mode",
    "symlink",
    "--host",
    "codex",
    "--replace-link",
    "reading",
    "--adopt-existing",
    "shared-references",
];

#[test]
fn a_killed_first_install_gives_back_what_it_adopted_and_replaced() {
    let args = [&["--aris-repo", "source"], &LINKS[..]].concat();
    let before = RefCell::new(None);
    crashes(
        &args,
        |_| {
            let project = project();
            fs::create_dir_all(project.at("paper/.agents/skills")).expect("folders");
            for name in ["reading", "shared-references"] {
                let link = project.at(&format!("paper/.agents/skills/{name}"));
                symlink(project.at("source/skills/shared-references"), link).expect("link");
            }
            before.replace(Some(project.snapshot()));
            project
        },
        |helper, project, when| {
            let before = before.borrow_mut().take().expect("before");
            // Once the record is written, these links count as installed.
            if !project.at("paper/.aris/install.json").exists() {
                call(helper, project, &["--uninstall"]).run().expect_code(0);
                before.assert_same(&project.snapshot(), when);
            }
            call(helper, project, &args).run().expect_code(0);
            let run = call(helper, project, &["--reconcile"]).run().expect_code(0);
            assert_eq!(run.stdout(), "0 changes\n", "{when}");
        },
    );
}

/// A project as the reference's installer leaves it, from `old/`.
fn older() -> Project {
    let project = project()
        .file("old/skills/reading/SKILL.md", "old\n")
        .file("old/skills/only-old/SKILL.md", "old\n")
        .file("old/skills/only-old/scripts/own.py", "old\n")
        .file("old/skills/shared-references/a.md", "old\n")
        .file("old/tools/old/other.py", "old\n");
    let old = project.at("old");
    let mut record = format!(
        "version\t1\nrepo_root\t{}\nproject_root\t{}\ngenerated\tx\nkind\tname\tsource_rel\ttarget_rel\tmode\n",
        old.display(),
        project.at("paper").display()
    );
    for (kind, name) in [
        ("skill", "reading"),
        ("skill", "only-old"),
        ("support", "shared-references"),
    ] {
        let link = project.at(&format!("paper/.claude/skills/{name}"));
        symlink(old.join("skills").join(name), link).expect("link");
        let row = format!("{kind}\t{name}\tskills/{name}\t.claude/skills/{name}\tsymlink\n");
        record.push_str(&row);
    }
    project.write("paper/.aris/installed-skills.txt", record);
    symlink(old.join("tools"), project.at("paper/.aris/tools")).expect("link");
    project
}

#[test]
fn a_killed_take_over_is_finished_by_the_next_and_loses_nothing() {
    let args = [&LINK[..], &["--from-old"]].concat();
    let whole = RefCell::new(None);
    crashes(
        &args,
        |_| older(),
        |helper, project, when| {
            call(helper, project, &args).run().expect_code(0);
            let run = call(helper, project, &["--reconcile"]).run().expect_code(0);
            assert_eq!(run.stdout(), "0 changes\n", "{when}");
            let now = without_records(project.snapshot()).paths().join("\n");
            for path in [
                ".claude/skills/only-old",
                ".claude/skills/shared-references/a.md",
                ".aris/tools/old/other.py",
                ".aris/tools/old/tool.py",
                ".aris/skills",
            ] {
                assert!(now.contains(path), "{when}: {path} in {now}");
            }
            assert_eq!(
                *whole.borrow_mut().get_or_insert(now.clone()),
                now,
                "{when}"
            );
        },
    );
}

/// The user may edit content that the killed run had moved aside.
#[test]
fn an_edit_of_what_a_killed_update_put_aside_is_kept() {
    crashes(
        &["--update"],
        |helper| {
            let project = installed(helper, &COPY);
            project.write("source/skills/reading/references/more.md", "newer\n");
            project
        },
        |helper, project, when| {
            let snapshot = project.snapshot();
            let aside = snapshot.paths().into_iter().find(|path| {
                path.ends_with(".aris-stage/reading/references/more.md")
                    && snapshot.bytes(path) == Some(b"more\n")
            });
            if let Some(path) = aside {
                project.write(path, "edited\n");
            }
            call(helper, project, &["--update"]).run().expect_code(0);
            let snapshot = project.snapshot();
            let paths = snapshot.paths();
            let mut edits = paths
                .iter()
                .filter(|path| snapshot.bytes(path) == Some(b"edited\n"));
            let kept = edits.next();
            assert_eq!(kept.is_some(), aside.is_some(), "{when}: {paths:?}");
            assert!(
                !paths.iter().any(|path| path.contains(".aris-stage")),
                "{when}"
            );
        },
    );
}

#[test]
fn of_many_installers_each_finishes_or_is_told_who_is_at_work() {
    let helper = installer();
    let project = project();
    let before = project.snapshot();
    let codes: Vec<i32> = std::thread::scope(|scope| {
        let runs: Vec<_> = (0..12)
            .map(|number| {
                let (helper, project) = (&helper, &project);
                let args = if number % 2 == 0 { LINK } else { COPY };
                scope.spawn(move || {
                    let run = call(helper, project, &args).args(["--json"]).run();
                    let code = run.code();
                    if code == 5 {
                        let text = run.error()["message"].to_string();
                        assert!(
                            text.contains("another installer") || text.contains("changed while"),
                            "{run}"
                        );
                    }
                    code
                })
            })
            .collect();
        runs.into_iter()
            .map(|run| run.join().expect("ended"))
            .collect()
    });
    assert!(
        codes.contains(&0) && codes.iter().all(|code| [0, 5].contains(code)),
        "{codes:?}"
    );
    call(&helper, &project, &LINK).run().expect_code(0);
    call(&helper, &project, &["--uninstall"])
        .run()
        .expect_code(0);
    before.assert_same(&project.snapshot(), "many installers");
}

/// A source as in a release: the skills of this workspace with the binary of one helper, and `tools/`.
fn release(helper: &Helper) -> Project {
    let project = Project::bare().copied(&workspace_root().join("skills"));
    let source = project.at("a source/skills");
    let entries: Vec<_> = fs::read_dir(project.path())
        .expect("skills")
        .map(|entry| entry.expect("entry").path())
        .collect();
    fs::create_dir_all(&source).expect("folder");
    for entry in entries {
        fs::rename(&entry, source.join(entry.file_name().expect("name"))).expect("moved");
    }
    let bin = project.at("a source/skills/review-tracing/scripts/bin");
    if bin.exists() {
        fs::remove_dir_all(&bin).expect("other builds");
    }
    fs::create_dir_all(&bin).expect("folder");
    let system = if cfg!(target_os = "macos") {
        "apple-darwin"
    } else {
        "unknown-linux-gnu"
    };
    let binary = bin.join(format!("save_trace-{}-{system}", std::env::consts::ARCH));
    Helper::at("/bin/cp")
        .call(project.path())
        .args([helper.path().as_os_str(), binary.as_os_str()])
        .run()
        .expect_code(0);
    fs::create_dir_all(project.at("pr öject/paper")).expect("folder");
    project
}

/// The block of a skill that finds its helper, from the skill's text.
fn block(skill: &str) -> String {
    let text = fs::read_to_string(workspace_root().join("skills").join(skill).join("SKILL.md"))
        .expect("a skill");
    let start = text.find("# aris-find: save_trace").expect("a block");
    let block = text.get(start..).unwrap_or_default();
    let end = block.find("# aris-find end").expect("an end");
    format!("TRACE_HELPER=$(\n{})", block.get(..end).unwrap_or_default())
}

/// Runs the block and the helper that it finds. Returns the helper's path.
fn resolve(shell: &str, project: &Project, block: &str, variables: &[(&str, &Path)]) -> String {
    let script = format!(
        "set -eu\n{block}\nprintf '%s\\n' \"$TRACE_HELPER\"\nsh \"$TRACE_HELPER\" --version\n"
    );
    let mut run = Helper::at(shell)
        .call(project.at("pr öject"))
        .args(["-c", &script]);
    for (name, value) in variables {
        run = run.env(name, value);
    }
    let run = run.run().expect_code(0);
    let (path, version) = run.stdout().split_once('\n').expect("two lines");
    assert!(version.starts_with("save_trace "), "{run}");
    path.to_owned()
}

#[test]
fn every_layer_of_the_resolver_finds_a_helper_that_runs() {
    let installer = installer();
    let helper = Helper::named("save_trace");
    let block = block("review-tracing");
    // Older skills try three places, in this order.
    let older = "TRACE_HELPER=\nROOT=$(sed -n 's/^repo_root.//p' .aris/installed-skills.txt)\nfor F in .aris/tools tools \"$ROOT/tools\"; do\n  [ -z \"$TRACE_HELPER\" ] && [ -f \"$F/save_trace.sh\" ] && TRACE_HELPER=$F/save_trace.sh || :\ndone";
    for mode in ["symlink", "copy"] {
        let project = release(&helper);
        let before = project.snapshot();
        let args = [
            "pr öject",
            "--aris-repo",
            "a source",
            "--mode",
            mode,
            "--allow-missing-binaries",
            "--quiet",
        ];
        installer
            .call(project.path())
            .args(args)
            .run()
            .expect_code(0);
        let tools = project.at("pr öject/.aris/tools");
        for shell in ["/bin/sh", "/bin/bash"] {
            let skill = project.at("pr öject/.claude/skills/review-tracing");
            let found = resolve(shell, &project, &block, &[("CLAUDE_SKILL_DIR", &skill)]);
            assert_eq!(
                found,
                skill.join("scripts/save_trace").display().to_string(),
                "layer 0, {mode}"
            );
            assert_eq!(
                resolve(shell, &project, &block, &[]),
                tools.join("save_trace").display().to_string()
            );
            assert_eq!(
                resolve(shell, &project, older, &[]),
                ".aris/tools/save_trace.sh"
            );
        }
        // A copy of a tool in the project's own tools/, then the source's tool, through the variable and through the record
        // alone.
        let hidden = project.at("pr öject/.aris/hidden");
        let own = project.at("pr öject/tools");
        fs::rename(&tools, &hidden).expect("moved");
        Helper::at("/bin/cp")
            .call(project.path())
            .args(["-r".as_ref(), hidden.as_os_str(), own.as_os_str()])
            .run()
            .expect_code(0);
        assert_eq!(
            resolve("/bin/sh", &project, &block, &[]),
            own.join("save_trace").display().to_string()
        );
        fs::rename(&own, project.at("a source/tools")).expect("moved");
        let last = project
            .at("a source/tools/save_trace")
            .display()
            .to_string();
        assert_eq!(resolve("/bin/sh", &project, &block, &[]), last);
        assert_eq!(
            resolve(
                "/bin/sh",
                &project,
                &block,
                &[("ARIS_REPO", &project.at("a source"))]
            ),
            last
        );
        fs::rename(&hidden, &tools).expect("moved back");
        fs::remove_dir_all(project.at("a source/tools")).expect("removed");
        installer
            .call(project.path())
            .args(["pr öject", "--uninstall", "--quiet"])
            .run()
            .expect_code(0);
        before.assert_same(&project.snapshot(), mode);
    }
}
