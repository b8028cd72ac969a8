//! Installs of older installers: not touched until the user asks, then taken over without loss.

use std::fs;
use std::os::unix::fs::symlink;

use aris_testkit::Project;

use super::{SKILL, call, install, paths, project, uninstall};

/// Creates what the reference's installer leaves in a project, from `old/`.
fn reference_install(project: &Project, old: &str) {
    let old = project.at(old);
    fs::create_dir_all(project.at("paper/.claude/skills")).expect("folders");
    let mut manifest = format!(
        "version\t1\nrepo_root\t{}\nproject_root\t{}\ngenerated\t2026-01-01T00:00:00Z\nkind\tname\tsource_rel\ttarget_rel\tmode\n",
        old.display(),
        project.at("paper").display()
    );
    for (kind, name) in [
        ("skill", "reading"),
        ("skill", "only-old"),
        ("support", "shared-references"),
    ] {
        if !old.join("skills").join(name).is_dir() {
            continue;
        }
        symlink(
            old.join("skills").join(name),
            project.at(&format!("paper/.claude/skills/{name}")),
        )
        .expect("link");
        let row = format!("{kind}\t{name}\tskills/{name}\t.claude/skills/{name}\tsymlink\n");
        manifest.push_str(&row);
    }
    project.write("paper/.aris/installed-skills.txt", manifest);
    symlink(old.join("tools"), project.at("paper/.aris/tools")).expect("link");
}

#[test]
fn an_install_of_another_source_is_taken_over_only_when_asked_and_nothing_is_lost() {
    let project = project()
        .file("old/skills/reading/SKILL.md", "old\n")
        .file("old/skills/only-old/SKILL.md", "old\n")
        .file("old/tools/tool.sh", "old\n")
        .file("old/tools/old/other.py", "old\n")
        .file("old/tools/research_wiki.py", "old\n");
    reference_install(&project, "old");
    let before = project.snapshot();
    let run = call(&project, &["--aris-repo", "source", "--mode", "symlink"]).expect_code(10);
    assert!(
        run.data()["conflicts"][0]["hint"]
            .as_str()
            .is_some_and(|hint| hint.contains("--from-old")),
        "{run}"
    );
    before.assert_same(&project.snapshot(), "without the flag");
    let run = call(
        &project,
        &["--aris-repo", "source", "--mode", "symlink", "--from-old"],
    );
    assert!(!run.stderr().contains("somebody changed"), "{run}");
    let kept = fs::read_dir(project.at("paper/.aris/kept")).expect("the old record");
    assert_eq!(kept.count(), 1, "{run}");
    assert_eq!(project.read("paper/.claude/skills/reading/SKILL.md"), SKILL);
    assert_eq!(
        project.read("paper/.claude/skills/only-old/SKILL.md"),
        "old\n"
    );
    assert!(
        project
            .read("paper/.aris/tools/tool.sh")
            .contains("reading"),
        "our tool of that name"
    );
    for kept in ["old/other.py", "research_wiki.py"] {
        assert_eq!(project.read(&format!("paper/.aris/tools/{kept}")), "old\n");
    }
    let run = call(&project, &[]).expect_code(0);
    assert!(paths(&run.data(), "changes").is_empty(), "{run}");
    let data = uninstall(&project);
    // A skill that only the older install has stays and is reported; its record is kept.
    let theirs = ".claude/skills/only-old";
    assert!(paths(&data, "left").contains(&theirs), "{data}");
    assert_eq!(
        fs::read_link(project.at(&format!("paper/{theirs}"))).expect("a link"),
        project.at("old/skills/only-old")
    );
    for path in project.snapshot().paths() {
        let is_kept = path.starts_with("paper/.aris/kept")
            || path == "paper/.aris"
            || path.starts_with("paper/.claude");
        let is_theirs = path == format!("paper/{theirs}");
        assert!(
            !path.starts_with("paper/.") || is_theirs || (is_kept && !path.contains("skills/")),
            "{path}"
        );
    }
    // A second take-over changes nothing. If the user removes the skill by hand, it is no longer reported.
    let args = ["--aris-repo", "source", "--mode", "symlink"];
    call(&project, &args).expect_code(0);
    fs::remove_file(project.at(&format!("paper/{theirs}"))).expect("removed");
    assert!(!paths(&uninstall(&project), "left").contains(&theirs));
}

#[test]
fn an_install_of_the_same_source_is_taken_over_as_it_is() {
    let project = project().file("source/tools/tool", "x");
    reference_install(&project, "source");
    let data = install(&project, &["--mode", "symlink"]);
    assert!(
        !paths(&data, "changes").contains(&".claude/skills/reading"),
        "{data}"
    );
    assert_eq!(
        fs::read_link(project.at("paper/.claude/skills/reading")).expect("link"),
        project.at("source/skills/reading")
    );
    assert!(paths(&call(&project, &[]).expect_code(0).data(), "changes").is_empty());
    uninstall(&project);
    assert!(fs::symlink_metadata(project.at("paper/.claude/skills/reading")).is_err());
}

#[test]
fn an_install_of_the_reference_can_be_removed_too() {
    let project = project()
        .file("old/skills/reading/SKILL.md", "old\n")
        .file("old/skills/only-old/SKILL.md", "old\n")
        .file("old/tools/x", "");
    reference_install(&project, "old");
    project.write("paper/.claude/skills/mine/SKILL.md", "mine\n");
    uninstall(&project);
    let snapshot = project.snapshot();
    let rest: Vec<&str> = snapshot
        .paths()
        .into_iter()
        .filter(|path| path.starts_with("paper/."))
        .collect();
    assert_eq!(
        rest,
        [
            "paper/.aris",
            "paper/.claude",
            "paper/.claude/skills",
            "paper/.claude/skills/mine",
            "paper/.claude/skills/mine/SKILL.md"
        ]
    );
}

#[test]
fn a_nested_install_goes_only_as_the_user_says() {
    let linked = project();
    fs::create_dir_all(linked.at("paper/.claude/skills")).expect("folders");
    symlink(
        linked.at("source/skills"),
        linked.at("paper/.claude/skills/aris"),
    )
    .expect("link");
    call(&linked, &["--aris-repo", "source"]).expect_code(10);
    install(&linked, &["--from-old"]);
    assert!(fs::symlink_metadata(linked.at("paper/.claude/skills/aris")).is_err());
    for choice in ["keep-user", "prefer-upstream"] {
        let copied = project().file("paper/.claude/skills/aris/reading/SKILL.md", "mine\n");
        call(&copied, &["--aris-repo", "source"]).expect_code(10);
        call(&copied, &["--aris-repo", "source", "--from-old"]).expect_code(10);
        install(&copied, &["--from-old", "--migrate-copy", choice]);
        let texts: Vec<String> = copied
            .snapshot()
            .paths()
            .iter()
            .filter(|path| path.ends_with("reading/SKILL.md") && copied.read(path) == "mine\n")
            .map(ToString::to_string)
            .collect();
        assert_eq!(texts.len(), 1, "{texts:?}");
        assert_eq!(
            texts[0].contains(".aris/legacy-copy-backup-"),
            choice == "prefer-upstream"
        );
        assert!(paths(&call(&copied, &[]).expect_code(0).data(), "changes").is_empty());
    }
    let foreign = project();
    fs::create_dir_all(foreign.at("paper/.claude/skills")).expect("folders");
    symlink("/usr", foreign.at("paper/.claude/skills/aris")).expect("link");
    call(&foreign, &["--aris-repo", "source", "--from-old"]).expect_code(10);
    assert!(fs::symlink_metadata(foreign.at("paper/.claude/skills/aris")).is_ok());
}

/// Creates what the reference's installer for Codex leaves in a project, from `old/`.
fn codex_install(project: &Project) {
    let old = project.at("old");
    fs::create_dir_all(project.at("paper/.agents/skills")).expect("folders");
    let mut manifest = format!(
        "version\t1\nrepo_root\t{}\nproject_root\t{}\ngenerated\t2026-01-01T00:00:00Z\npackages\tskills-codex\nkind\tname\tsource_rel\ttarget_rel\tmode\n",
        old.display(),
        project.at("paper").display()
    );
    for (kind, name) in [
        ("skill", "reading"),
        ("skill", "only-old"),
        ("support", "shared-references"),
    ] {
        let source = format!("skills/skills-codex/{name}");
        symlink(
            old.join(&source),
            project.at(&format!("paper/.agents/skills/{name}")),
        )
        .expect("link");
        let row = format!("{kind}\t{name}\t{source}\t.agents/skills/{name}\tsymlink\n");
        manifest.push_str(&row);
    }
    project.write("paper/.aris/installed-skills-codex.txt", manifest);
    project.write(
        "paper/AGENTS.md",
        "mine\n<!-- ARIS-CODEX:BEGIN -->\ntheirs\n<!-- ARIS-CODEX:END -->\nmine too\n",
    );
}

#[test]
fn an_install_for_codex_is_taken_over_only_when_asked_and_nothing_is_lost() {
    let project = project()
        .file("old/skills/skills-codex/reading/SKILL.md", "old\n")
        .file("old/skills/skills-codex/only-old/SKILL.md", "old\n")
        .file("old/skills/skills-codex/shared-references/a.md", "old\n");
    codex_install(&project);
    let before = project.snapshot();
    let args = [
        "--aris-repo",
        "source",
        "--mode",
        "symlink",
        "--host",
        "codex",
    ];
    let run = call(&project, &args).expect_code(10);
    let data = run.data();
    let named = &data["conflicts"][0];
    assert_eq!(named["path"], ".aris/installed-skills-codex.txt", "{run}");
    assert!(
        named["hint"]
            .as_str()
            .is_some_and(|hint| hint.contains("--from-old")),
        "{run}"
    );
    before.assert_same(&project.snapshot(), "without the flag");

    call(&project, &[&args[..], &["--from-old"]].concat()).expect_code(0);
    assert_eq!(project.read("paper/.agents/skills/reading/SKILL.md"), SKILL);
    assert_eq!(
        project.read("paper/.agents/skills/only-old/SKILL.md"),
        "old\n"
    );
    let doc = project.read("paper/AGENTS.md");
    assert!(
        doc.starts_with("mine\n") && doc.ends_with("mine too\n") && !doc.contains("theirs"),
        "{doc}"
    );
    // The old record is kept elsewhere.
    let kept = project.snapshot();
    assert!(
        kept.paths()
            .iter()
            .any(|path| path.starts_with("paper/.aris/kept")
                && path.contains("installed-skills-codex.txt")),
        "the old record"
    );
    let run = call(&project, &["--host", "codex"]).expect_code(0);
    assert!(paths(&run.data(), "changes").is_empty(), "{run}");
    uninstall(&project);
    // Only the text between the markers was the installer's: the line end after it stays.
    assert_eq!(project.read("paper/AGENTS.md"), "mine\n\nmine too\n");
    assert_eq!(
        project.read("old/skills/skills-codex/only-old/SKILL.md"),
        "old\n"
    );
    assert!(project.at("paper/.agents/skills/only-old").is_symlink());
}

/// Output of a script that looks where the reference's skills look: relative to their own place, and through the records'
/// `repo_root`.
fn read_by(project: &Project, script: &str) -> String {
    let run = aris_testkit::Helper::at("/bin/bash").call(project.at("paper"));
    let run = run.args(["-c", script]).run().expect_code(0);
    run.stdout().to_owned()
}

const CODEX_ROOT: &str =
    "ROOT=$(awk -F'\\t' '$1==\"repo_root\"{print $2; exit}' .aris/installed-skills-codex.txt)\n";

/// Remaining skills of the older install read their own references, and this source's skills read theirs, in the same folder.
#[test]
fn shared_references_of_both_sources_are_together_after_a_take_over() {
    for mode in ["symlink", "copy"] {
        let project = project()
            .file("old/skills/reading/SKILL.md", "old\n")
            .file("old/skills/only-old/SKILL.md", "old\n")
            .file("old/skills/only-old/scripts/own.py", "own\n")
            .file("old/skills/shared-references/theirs.md", "theirs\n")
            .file("old/skills/shared-references/both.md", "theirs\n")
            .file("source/skills/shared-references/both.md", "ours\n")
            .file("old/tools/x.py", "old\n");
        let before = project.snapshot();
        reference_install(&project, "old");
        let data = install(&project, &["--mode", mode, "--from-old"]);
        let place = "paper/.claude/skills/shared-references";
        for (file, text) in [
            ("theirs.md", "theirs\n"),
            ("both.md", "ours\n"),
            ("helpers.toml", super::TABLE),
        ] {
            assert_eq!(project.read(&format!("{place}/{file}")), text, "{mode}");
        }
        assert!(
            paths(&data, "left").contains(&".claude/skills/shared-references/both.md"),
            "{data}"
        );
        // Where the reference's skills look for their own scripts.
        assert_eq!(
            project.read("paper/.aris/skills/only-old/scripts/own.py"),
            "own\n"
        );
        let run = call(&project, &[]).expect_code(0);
        assert!(paths(&run.data(), "changes").is_empty(), "{mode}: {run}");
        project.write("source/skills/shared-references/both.md", "newer\n");
        project.write("source/skills/shared-references/new.md", "new\n");
        call(&project, &["--update"]).expect_code(0);
        assert_eq!(project.read(&format!("{place}/both.md")), "newer\n");
        assert_eq!(project.read(&format!("{place}/new.md")), "new\n");
        assert_eq!(project.read(&format!("{place}/theirs.md")), "theirs\n");
        project.write("source/skills/shared-references/both.md", "ours\n");
        fs::remove_file(project.at("source/skills/shared-references/new.md")).expect("removed");
        uninstall(&project);
        before.assert_same(
            &project
                .snapshot()
                .without(|path| path.starts_with("paper/.")),
            mode,
        );
        assert!(!project.at(place).exists());
    }
}

/// Skills for Codex find helpers through a record of their own, also after a take-over.
#[test]
fn the_record_for_codex_names_a_folder_in_which_all_tools_are() {
    for older in [false, true] {
        let project = project()
            .file("old/skills/skills-codex/reading/SKILL.md", "old\n")
            .file("old/skills/skills-codex/only-old/SKILL.md", "old\n")
            .file("old/skills/skills-codex/shared-references/a.md", "old\n")
            .file("old/tools/theirs.py", "theirs\n")
            .file("old/tools/old/tool.py", "theirs\n");
        let args = ["--mode", "copy", "--host", "codex"];
        if older {
            codex_install(&project);
            install(&project, &[&args[..], &["--from-old"]].concat());
            assert_eq!(
                read_by(
                    &project,
                    &format!("{CODEX_ROOT}cat $ROOT/tools/theirs.py .agents/skills/shared-references/a.md")
                        .replace("$ROOT/", "\"$ROOT\"/")
                ),
                "theirs\nold\n"
            );
        } else {
            install(&project, &args);
        }
        let found = format!("{CODEX_ROOT}grep -c reading \"$ROOT/tools/old/tool.py\"");
        assert_ne!(read_by(&project, &found), "0\n");
        assert!(paths(&call(&project, &[]).expect_code(0).data(), "changes").is_empty());
        // A lost record is written again; without the host it is removed.
        let record = "paper/.aris/installed-skills-codex.txt";
        let text = project.read(record);
        fs::remove_file(project.at(record)).expect("removed");
        call(&project, &["--reconcile"]).expect_code(0);
        let without_time = |text: &str| -> Vec<String> {
            let lines = text.lines().filter(|line| !line.starts_with("generated"));
            lines.map(str::to_owned).collect()
        };
        assert_eq!(without_time(&project.read(record)), without_time(&text));
        call(&project, &["--host", "claude"]).expect_code(0);
        assert_eq!(project.at(record).exists(), older);
        uninstall(&project);
        assert!(!project.at(record).exists());
    }
}

/// Skills read these files with `awk`, which takes the carriage return for a part of the path.
#[test]
fn records_with_carriage_returns_are_written_anew() {
    let project = project();
    install(&project, &["--host", "claude,codex"]);
    for record in ["installed-skills.txt", "installed-skills-codex.txt"] {
        let path = format!("paper/.aris/{record}");
        let text = project.read(&path);
        project.write(&path, text.replace('\n', "\r\n"));
        let data = call(&project, &[]).expect_code(0).data();
        assert_eq!(data["changes"].as_array().map(Vec::len), Some(1), "{data}");
        assert!(!project.read(&path).contains('\r'));
        assert!(paths(&call(&project, &[]).expect_code(0).data(), "changes").is_empty());
    }
}

#[test]
fn a_correct_link_made_by_hand_is_adopted_however_it_is_written() {
    for relative in [false, true] {
        for place in [".claude/skills", ".agents/skills"] {
            let project = project();
            let folder = project.at(&format!("paper/{place}"));
            fs::create_dir_all(&folder).expect("folders");
            let target = if relative {
                "../../../source/skills/reading".into()
            } else {
                project.at("source/skills/reading")
            };
            symlink(&target, folder.join("reading")).expect("link");
            let args = ["--mode", "symlink", "--host", "claude,codex"];
            let data = install(&project, &args);
            let path = format!("{place}/reading");
            assert!(paths(&data, "left").contains(&path.as_str()), "{data}");
            let adopt = [&args[..], &["--adopt-existing", "reading"]].concat();
            let data = install(&project, &adopt);
            let change = &data["changes"][0];
            assert_eq!(
                (&change["what"], &change["path"]),
                (&"adopt".into(), &path.as_str().into())
            );
            assert_eq!(fs::read_link(folder.join("reading")).expect("link"), target);
            let data = call(&project, &[]).expect_code(0).data();
            assert!(paths(&data, "changes").is_empty() && paths(&data, "left").is_empty());
            uninstall(&project);
            assert!(fs::symlink_metadata(folder.join("reading")).is_err());
        }
    }
}

/// Follows the advice in the reference's message about a missing helper.
#[test]
fn one_helper_copied_by_hand_into_tools_works() {
    let project = project();
    install(&project, &["--mode", "copy"]);
    fs::create_dir_all(project.at("other/tools")).expect("folders");
    project.write("other/.git/HEAD", "ref: refs/heads/main\n");
    fs::create_dir_all(project.at("paper/tools")).expect("folders");
    for to in ["paper", "other"] {
        fs::copy(
            project.at("paper/.aris/tools/tool.sh"),
            project.at(&format!("{to}/tools/tool.sh")),
        )
        .expect("copied");
        for interpreter in ["sh", "python3"] {
            let call = aris_testkit::Helper::at(interpreter).call(project.at(to));
            let run = call.args(["tools/tool.sh", "now"]).run().expect_code(0);
            assert_eq!(run.stdout(), "ran now\n", "{to} {interpreter}");
        }
    }
}
