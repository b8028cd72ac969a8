//! The user's content is never lost: edits, adopted and replaced links, and changes made while the installer works.

use std::fs;
use std::os::unix::fs::symlink;
use std::thread;

use aris_testkit::Project;

use super::{SKILL, call, install, paths, project, uninstall};

/// Paths below `paper/` that contain a text.
fn places_of(project: &Project, text: &str) -> Vec<String> {
    let snapshot = project.snapshot();
    let holds = |path: &&str| snapshot.bytes(path) == Some(text.as_bytes());
    let paths = snapshot.paths().into_iter().filter(holds);
    paths.map(str::to_owned).collect()
}

#[test]
fn an_edited_copy_stays_until_update_is_said() {
    let project = project();
    let edited = "paper/.agents/skills/writing/SKILL.md";
    install(&project, &["--mode", "copy", "--host", "codex"]);
    project.write(edited, "edited\n");
    for newer in [false, true] {
        if newer {
            project.write("source/skills/writing/references/more.md", "newer\n");
        }
        for action in [&[][..], &["--reconcile"]] {
            let data = call(&project, action).expect_code(0).data();
            assert_eq!(paths(&data, "left"), [".agents/skills/writing"], "{data}");
            let reason = data["left"][0]["reason"].as_str().expect("a reason");
            assert!(reason.contains("--update"), "{reason}");
            assert_eq!(reason.contains("newer"), newer, "{reason}");
            assert_eq!(project.read(edited), "edited\n");
        }
    }
    call(&project, &["--check"]).expect_code(10);
    let data = call(&project, &["--update"]).expect_code(0).data();
    let kept = data["changes"][0]["kept_as"].as_str().expect("kept");
    assert!(kept.starts_with(".aris/kept/writing.local-"), "{kept}");
    assert_eq!(project.read(&format!("paper/{kept}/SKILL.md")), "edited\n");
    assert_eq!(project.read(edited), SKILL);
    assert_eq!(
        project.read("paper/.agents/skills/writing/references/more.md"),
        "newer\n"
    );
    // An edit of another update of the same source gets its own name.
    project.write(edited, "edited again\n");
    let data = call(&project, &["--update"]).expect_code(0).data();
    assert_eq!(data["changes"][0]["kept_as"], format!("{kept}-2"));
    uninstall(&project);
    assert_eq!(
        project.read(&format!("paper/{kept}-2/SKILL.md")),
        "edited again\n"
    );
}

/// The run fails in its last steps: a tool's name is too long for the file system.
#[test]
fn a_failed_first_install_gives_back_what_it_adopted_and_replaced() {
    let long = "x".repeat(300);
    let table =
        format!("[[helper]]\nname = \"tool\"\naliases = [\"{long}\"]\nowner = \"reading\"\n");
    for mode in ["symlink", "copy"] {
        let project = project().file("paper/AGENTS.md", "mine\n");
        project.write("source/skills/shared-references/helpers.toml", &table);
        fs::create_dir_all(project.at("paper/.agents/skills")).expect("folders");
        for (name, to) in [("reading", "writing"), ("writing", "writing")] {
            let link = project.at(&format!("paper/.agents/skills/{name}"));
            symlink(project.at(&format!("source/skills/{to}")), link).expect("link");
        }
        let before = project.snapshot();
        let args = ["--aris-repo", "source", "--host", "codex", "--mode", mode];
        let how = match mode {
            "symlink" => "--adopt-existing",
            _ => "--replace-link",
        };
        let args = [&args[..], &["--replace-link", "reading", how, "writing"]].concat();
        call(&project, &args).expect_code(5);
        before.assert_same(&project.snapshot(), mode);
    }
}

/// Somebody edits a large copy while its replacement is staged.
#[test]
fn an_edit_made_while_an_update_copies_is_kept() {
    let mut seen = 0;
    for round in 0..4 {
        let project = project();
        for number in 0..400 {
            let path = format!("source/skills/writing/references/{number}.md");
            project.write(&path, "text\n".repeat(200));
        }
        install(&project, &["--mode", "copy", "--host", "codex"]);
        for number in 0..400 {
            let path = format!("source/skills/writing/references/{number}.md");
            project.write(&path, "newer\n".repeat(200));
        }
        let stage = project.at("paper/.agents/skills/.aris-stage");
        let edited = project.at("paper/.agents/skills/writing/SKILL.md");
        let is_done = std::sync::atomic::AtomicBool::new(false);
        let run = thread::scope(|scope| {
            let user = scope.spawn(|| {
                while !is_done.load(std::sync::atomic::Ordering::Acquire) {
                    if fs::read_dir(&stage).is_ok_and(|mut inside| inside.next().is_some()) {
                        fs::write(&edited, "my edit\n").expect("written");
                        return true;
                    }
                    thread::yield_now();
                }
                false
            });
            let run = call(&project, &["--update"]);
            is_done.store(true, std::sync::atomic::Ordering::Release);
            seen += usize::from(user.join().expect("ended"));
            run
        });
        assert!([0, 5].contains(&run.code()), "{run}");
        if seen > 0 {
            assert_eq!(places_of(&project, "my edit\n").len(), 1, "{round}: {run}");
        }
        // The next run finishes the interrupted one and keeps the edit.
        call(&project, &["--update"]).expect_code(0);
        assert_eq!(
            places_of(&project, "my edit\n").len(),
            usize::from(seen > 0)
        );
        if seen > 0 {
            return;
        }
    }
    panic!("the editor was never fast enough");
}
