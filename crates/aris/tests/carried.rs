//! The skills in the program: unpacked, installed into projects, and used in the demo.
#![cfg(test)]
#![allow(clippy::disallowed_methods, reason = "tests prepare files directly")]

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::{MetadataExt as _, symlink};
use std::path::{Path, PathBuf};
use std::time::Duration;

use aris_proc::End;
use aris_testkit::{Call, Helper, Project, Run, brought, workspace_root};

fn aris(project: &Project, args: &[&str]) -> Call {
    // Outside of the checkout, as when it is installed.
    let program = project.at("aris");
    if !program.exists() {
        brought(Path::new(env!("CARGO_BIN_EXE_aris")), &program);
    }
    let data = project.at("share");
    Helper::at(program)
        .call(project.path())
        .args(args)
        .env("XDG_DATA_HOME", data)
        .deadline(Duration::from_mins(2))
}

fn source(project: &Project) -> PathBuf {
    let run = aris(project, &["source"]).run().expect_code(0);
    PathBuf::from(run.stdout().trim_end())
}

/// Files below a folder, except those made when it is unpacked.
fn files(root: &Path) -> BTreeSet<String> {
    let (mut open, mut found) = (vec![root.to_owned()], BTreeSet::new());
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).expect("listed") {
            let path = entry.expect("entry").path();
            let relative = path.strip_prefix(root).expect("below");
            let is_made = ["bin", "tools", ".aris-source"]
                .iter()
                .any(|made| relative.starts_with(made));
            match path.is_dir() {
                _ if is_made || path.ends_with("scripts/bin") => {}
                true => open.push(path),
                false => drop(found.insert(relative.to_string_lossy().into_owned())),
            }
        }
    }
    found
}

#[test]
fn it_carries_what_is_committed_and_nothing_else() {
    let project = Project::bare();
    let source = source(&project);
    assert_eq!(source, project.at("share/aris/source"));
    let found = files(&source);
    let roots = [
        "skills",
        "schemas",
        ".agents",
        ".claude-plugin",
        ".codex-plugin",
        "CHANGELOG.md",
        "LICENSE-MIT",
    ];
    let git = Helper::at("/usr/bin/env")
        .call(workspace_root())
        .args(["git", "ls-files", "-c", "-o", "--exclude-standard", "--"])
        .args(roots)
        .args(["LICENSE-APACHE"])
        .run();
    if git.code() != 0 {
        println!("skipped: this is no checkout of git");
        return;
    }
    let committed: BTreeSet<String> = git.stdout().lines().map(str::to_owned).collect();
    assert_eq!(found, committed);
    for path in &found {
        let [here, there] = [source.as_path(), workspace_root()]
            .map(|root| fs::read(root.join(path)).expect("read"));
        assert!(here == there, "{path}");
    }
    // One program (hard links) under the names of all helpers.
    let scripts = source.join("skills/citation-audit/scripts/bin");
    let program = fs::read_dir(scripts)
        .expect("listed")
        .next()
        .expect("one")
        .expect("entry");
    assert!(program.metadata().expect("there").nlink() > 20);
    for skill in [
        "citation-audit/scripts/citation_audit",
        "paper-writing/scripts/verify_paper_audits",
    ] {
        let launcher = source.join("skills").join(skill);
        let run = Helper::at("/bin/sh")
            .call(project.path())
            .args([&launcher])
            .args(["--version"])
            .run();
        let name = skill.rsplit('/').next().expect("a name");
        assert!(run.expect_code(0).stdout().starts_with(name));
    }
}

#[test]
fn a_project_gets_all_skills_and_helpers_and_loses_them_again() {
    let project = Project::bare().file("paper/main.tex", "\\documentclass{article}");
    let install = |args: &[&str]| aris(&project, &[&["install", "paper"], args].concat()).run();
    install(&["--dry-run"]).expect_code(10);
    assert!(!project.at("paper/.claude").exists());
    let first = install(&["--json"]).expect_code(0).envelope();
    assert_eq!(first["meta"]["helper"], "install_aris");
    let skill = fs::canonicalize(project.at("paper/.claude/skills/paper-writing")).expect("there");
    assert!(
        skill.starts_with(project.at("share/aris/source")),
        "{}",
        skill.display()
    );
    let again = install(&[]).expect_code(0);
    assert!(again.stdout().contains("0 changes"), "{again}");
    let tool = project.at("paper/.aris/tools/verify_paper_audits.sh");
    let run = Helper::at("/bin/sh")
        .call(project.path())
        .args([tool])
        .args(["--version"])
        .run();
    assert!(
        run.expect_code(0)
            .stdout()
            .starts_with("verify_paper_audits ")
    );
    // The program itself is one of the installed tools and lists them.
    let tool = project.at("paper/.aris/tools/aris");
    let run = Helper::at("/bin/sh").call(project.path());
    let run = run.args([tool]).args(["--help"]).run().expect_code(0);
    assert!(
        run.stdout().contains("Before a paper is submitted"),
        "{run}"
    );
    install(&["--uninstall"]).expect_code(0);
    assert!(!project.at("paper/.claude/skills/paper-writing").exists());
    assert!(!project.at("paper/.aris/tools").exists());
    // In copy mode, too, the program occupies the disk once.
    install(&["--mode", "copy", "--host", "claude,codex"]).expect_code(0);
    let copy = |place: &str, name: &str| {
        let folder = project.at(&format!("paper/{place}/skills/{name}/scripts/bin"));
        let program = fs::read_dir(folder)
            .expect("listed")
            .next()
            .expect("one")
            .expect("entry");
        program.metadata().expect("there").ino()
    };
    let inode = copy(".claude", "citation-audit");
    assert_eq!(inode, copy(".claude", "paper-writing"));
    assert_eq!(inode, copy(".agents", "skill-lint"));
    aris(&project, &["install", "nowhere"]).run().expect_code(3);
    let help = aris(&project, &["install", "--help"]).run().expect_code(0);
    assert!(help.stdout().contains("--uninstall"), "{help}");
}

#[test]
fn another_version_takes_the_place_and_edited_files_are_kept() {
    let project = Project::bare();
    let source = source(&project);
    let entries = || {
        let folder = project.at("share/aris");
        let names = fs::read_dir(folder).expect("listed");
        let names = names.map(|entry| {
            entry
                .expect("entry")
                .file_name()
                .into_string()
                .expect("text")
        });
        names
            .filter(|name| name != ".lock")
            .collect::<BTreeSet<_>>()
    };
    let only = BTreeSet::from([String::from("source")]);
    let sums = source.join(".aris-source");
    // As an older version would have left it: one more file, with its digest.
    let old = "skills/old/SKILL.md";
    fs::create_dir(source.join("skills/old")).expect("made");
    fs::write(source.join(old), "").expect("written");
    let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
    let text = fs::read_to_string(&sums).expect("read");
    fs::write(&sums, format!("{text}{empty}  {old}\n")).expect("written");
    let run = aris(&project, &["source"]).run().expect_code(0);
    assert!(
        run.stderr().contains("now holds the skills of aris"),
        "{run}"
    );
    assert_eq!(entries(), only);
    assert!(!source.join(old).exists());
    // The same, with an edited file.
    fs::write(&sums, format!("{text}\n")).expect("written");
    fs::write(source.join("skills/arxiv/SKILL.md"), "mine").expect("written");
    let run = aris(&project, &["source"]).run().expect_code(0);
    assert!(
        run.stderr()
            .contains("not as it left them: skills/arxiv/SKILL.md; they are now in"),
        "{run}"
    );
    assert_ne!(
        fs::read(source.join("skills/arxiv/SKILL.md")).expect("read"),
        b"mine"
    );
    let kept = entries()
        .into_iter()
        .find(|name| name.starts_with("kept-"))
        .expect("kept");
    let mine = project.at(&format!("share/aris/{kept}/skills/arxiv/SKILL.md"));
    assert_eq!(fs::read(mine).expect("read"), b"mine");
    assert_eq!(files(&project.at(&format!("share/aris/{kept}"))).len(), 1);
    // Leftovers of a killed writer do not matter.
    fs::create_dir_all(project.at("share/aris/.new/skills")).expect("made");
    fs::remove_file(&sums).expect("removed");
    fs::remove_dir_all(project.at(&format!("share/aris/{kept}"))).expect("removed");
    aris(&project, &["source"]).run().expect_code(0);
    assert!(!project.at("share/aris/.new").exists());
}

#[test]
fn what_is_damaged_is_mended_and_what_somebody_wrote_stays() {
    let project = Project::bare();
    let source = source(&project);
    let whole = files(&source);
    fs::write(source.join("skills/arxiv/SKILL.md"), "mine").expect("written");
    let mended = |run: Run| {
        run.expect_code(0);
        assert_eq!(files(&source), whole);
        let tool = Helper::at("/bin/sh").call(project.path());
        let tool = tool.args([
            &source.join("tools/save_trace").display().to_string(),
            "--version",
        ]);
        tool.run().expect_code(0);
    };
    // Nothing to report.
    mended(aris(&project, &["source"]).run());
    assert_eq!(
        fs::read(source.join("skills/arxiv/SKILL.md")).expect("read"),
        b"mine"
    );
    let programs: Vec<_> = fs::read_dir(source.join("bin/bin"))
        .expect("listed")
        .flatten()
        .collect();
    fs::write(programs[0].path(), "").expect("emptied");
    mended(aris(&project, &["source"]).run());
    for gone in ["skills/citation-audit/SKILL.md", "tools/save_trace"] {
        fs::remove_file(source.join(gone)).expect("removed");
        mended(aris(&project, &["source"]).run());
    }
    let kept: Vec<_> = fs::read_dir(project.at("share/aris"))
        .expect("listed")
        .flatten()
        .map(|entry| entry.path())
        .collect();
    let kept: Vec<_> = kept
        .iter()
        .filter(|path| path.to_string_lossy().contains("kept-"))
        .collect();
    assert_eq!(kept.len(), 1, "{kept:?}");
    assert_eq!(
        fs::read(kept[0].join("skills/arxiv/SKILL.md")).expect("read"),
        b"mine"
    );
}

#[test]
fn what_cannot_be_unpacked_leaves_nothing_half_made() {
    let project = Project::bare().file("outside/keep", "mine");
    aris(&project, &["--version"]).run().expect_code(0);
    // A limit on file sizes acts as a full disk; its signal is ignored, so that the write fails instead.
    let script = "trap '' XFSZ; ulimit -f 1000; ./aris source";
    let run = Helper::at("/bin/bash")
        .call(project.path())
        .args(["-c", script])
        .env("XDG_DATA_HOME", project.at("share"));
    let run = run.run().expect_code(5);
    assert!(run.stderr().contains("bin/bin/aris-"), "{run}");
    let names = || -> BTreeSet<_> {
        let entries = fs::read_dir(project.at("share/aris")).expect("listed");
        entries
            .map(|entry| entry.expect("entry").file_name())
            .collect()
    };
    assert_eq!(names(), BTreeSet::from([".lock".into()]));
    // A link in the place of the working folder is removed, and its target stays.
    symlink(project.at("outside"), project.at("share/aris/.new")).expect("link");
    aris(&project, &["source"]).run().expect_code(0);
    assert_eq!(names(), BTreeSet::from([".lock".into(), "source".into()]));
    assert_eq!(project.read("outside/keep"), "mine");
}

#[test]
fn many_at_once_leave_one_whole_folder() {
    let project = Project::bare();
    aris(&project, &["--version"]).run().expect_code(0);
    std::thread::scope(|scope| {
        let all: Vec<_> = (0..4).map(|_| scope.spawn(|| source(&project))).collect();
        for one in all {
            assert_eq!(one.join().expect("ran"), project.at("share/aris/source"));
        }
    });
    let names: BTreeSet<_> = fs::read_dir(project.at("share/aris"))
        .expect("listed")
        .map(|entry| entry.expect("entry").file_name())
        .collect();
    assert_eq!(names, BTreeSet::from([".lock".into(), "source".into()]));
}

#[test]
fn without_a_home_it_says_so() {
    let project = Project::bare();
    for args in [
        &["source"][..],
        &["install", "."],
        &["install", ".", "--json"],
    ] {
        let run = aris(&project, args)
            .env("XDG_DATA_HOME", "relative")
            .env("HOME", "")
            .run()
            .expect_code(5);
        assert!(
            run.stderr().contains("neither XDG_DATA_HOME nor HOME"),
            "{run}"
        );
        if args.contains(&"--json") {
            assert_eq!(run.envelope()["error"]["code"], "PRECONDITION");
        }
    }
    assert!(!project.at("relative").exists());
}

#[test]
fn the_demo_blocks_the_faulty_paper_and_opens_for_the_mended_one() {
    let project = Project::bare().file("tmp/x", "");
    let run = aris(&project, &["demo"])
        .env("TMPDIR", project.at("tmp"))
        .run()
        .expect_code(0);
    for text in [
        "blocks the submission",
        "(exit 1, ",
        "no blocker found",
        "rebello2020fsync",
    ] {
        assert!(run.stdout().contains(text), "{run}");
    }
    assert!(
        !project.at("share").exists(),
        "the user's folder is left alone"
    );
    let json = aris(&project, &["demo", "--json"])
        .env("TMPDIR", project.at("tmp"))
        .run()
        .expect_code(0);
    let text = json.envelope()["data"]["text"]
        .as_str()
        .expect("text")
        .to_owned();
    assert!(text.contains("no blocker found"), "{text}");
}

#[test]
fn a_demo_that_is_told_to_end_takes_its_step_with_it_and_names_its_folder() {
    for (signal, number, deaf) in [
        ("INT", 2, ""),
        ("TERM", 15, "trap '' TERM; "),
        ("HUP", 1, ""),
    ] {
        let script =
            format!("#!/bin/bash\necho $$ > \"$TMPDIR/pid\"; {deaf}kill -{signal} $PPID; sleep 60");
        let project = Project::bare().file("bin/sh", script).file("tmp/x", "");
        project.mode("bin/sh", 0o755);
        let path = format!("{}:/usr/bin:/bin", project.at("bin").display());
        let run = aris(&project, &["demo"])
            .env("PATH", path)
            .env("TMPDIR", project.at("tmp"))
            .run();
        assert_eq!(run.end(), End::Signalled(number), "{run}");
        let left = fs::read_dir(project.at("tmp")).expect("listed");
        let left = left.map(|entry| entry.expect("entry").path());
        let folder = left.filter(|path| path.is_dir()).collect::<Vec<_>>();
        assert_eq!(folder.len(), 1, "{run}");
        let named = format!("left in {}", folder[0].display());
        assert!(run.stderr().contains(&named), "{run}");
        // Dead processes that are not reaped yet have state Z.
        let group = project.read("tmp/pid").trim().to_owned();
        let all = Helper::at("/bin/ps").call(project.path());
        let all = all.args(["-eo", "pgid=,stat="]).run().expect_code(0);
        let lines = all.stdout().lines().map(str::trim);
        let alive: Vec<&str> = lines
            .filter(|line| line.starts_with(&format!("{group} ")) && !line.contains('Z'))
            .collect();
        assert!(alive.is_empty(), "{alive:?}");
    }
}

#[test]
fn launchers_call_it_by_helper_and_target() {
    let project = Project::bare();
    let link = project.at("citation_audit-x86_64-unknown-linux-gnu");
    symlink(env!("CARGO_BIN_EXE_aris"), &link).expect("link");
    let run = Helper::at(&link)
        .call(project.path())
        .args(["--version"])
        .run();
    assert!(run.expect_code(0).stdout().starts_with("citation_audit "));
}
