//! Installs of older installers: left alone until the user says so, then taken over without loss.

use std::fs;
use std::os::unix::fs::symlink;

use aris_testkit::Project;

use super::{SKILL, call, install, paths, project, uninstall};

/// A project as the reference's installer leaves it, from `old/`.
fn reference_install(project: &Project, old: &str) {
    let old = project.at(old);
    fs::create_dir_all(project.at("paper/.claude/skills")).expect("folders");
    let mut manifest = format!(
        "version\t1\nrepo_root\t{}\nproject_root\t{}\ngenerated\t2026-01-01T00:00:00Z\nkind\tname\tsource_rel\ttarget_rel\tmode\n",
        old.display(),
        project.at("paper").display()
    );
    for name in ["reading", "only-old"] {
        if !old.join("skills").join(name).is_dir() {
            continue;
        }
        symlink(
            old.join("skills").join(name),
            project.at(&format!("paper/.claude/skills/{name}")),
        )
        .expect("link");
        let row = format!("skill\t{name}\tskills/{name}\t.claude/skills/{name}\tsymlink\n");
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
    install(&project, &["--mode", "symlink", "--from-old"]);
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
    uninstall(&project);
    for path in project.snapshot().paths() {
        let is_kept = path.starts_with("paper/.aris/kept")
            || path == "paper/.aris"
            || path.starts_with("paper/.claude");
        assert!(
            !path.starts_with("paper/.") || (is_kept && !path.contains("skills/")),
            "{path}"
        );
    }
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

/// A project as the reference's installer for Codex leaves it, from `old/`.
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
    // One record says what is installed; the old one is kept aside.
    assert!(fs::symlink_metadata(project.at("paper/.aris/installed-skills-codex.txt")).is_err());
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
    // Only what stands between the markers was theirs: the line end behind it stays.
    assert_eq!(project.read("paper/AGENTS.md"), "mine\n\nmine too\n");
    assert_eq!(
        project.read("old/skills/skills-codex/only-old/SKILL.md"),
        "old\n"
    );
    assert!(fs::symlink_metadata(project.at("paper/.agents/skills/only-old")).is_err());
}
