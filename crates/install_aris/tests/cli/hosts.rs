//! What each set of hosts gets, a choice of skills, and the lines for `.gitignore`.

use std::fs;

use aris_testkit::{Helper, Project};

use super::{SKILL, call, install, paths, project, uninstall};

fn is_link(project: &Project, path: &str) -> bool {
    fs::symlink_metadata(project.at(path)).is_ok_and(|found| found.is_symlink())
}

/// `OpenCode` reads both places, and lists a skill twice that is in both.
#[test]
fn skills_are_in_one_place_unless_hosts_need_both() {
    for (hosts, agents, claude) in [
        ("claude", false, true),
        ("cursor", false, true),
        ("claude,cursor", false, true),
        ("codex", true, false),
        ("codex,gemini", true, false),
        ("claude,gemini", true, true),
        ("cursor,codex", true, true),
    ] {
        let project = project();
        install(&project, &["--mode", "symlink", "--host", hosts]);
        for (place, is_used) in [(".agents", agents), (".claude", claude)] {
            assert_eq!(
                project
                    .at(&format!("paper/{place}/skills/reading"))
                    .exists(),
                is_used,
                "{hosts}: {place}"
            );
        }
        // This path is the same for every set of hosts.
        assert!(
            project
                .at("paper/.aris/skills/writing/references/more.md")
                .exists()
        );
        assert_eq!(
            is_link(&project, "paper/.claude/skills/reading"),
            claude && !hosts.contains("cursor"),
            "{hosts}"
        );
        let run = call(&project, &[]).expect_code(0);
        assert!(paths(&run.data(), "changes").is_empty(), "{hosts}: {run}");
    }
}

/// Codex names a linked skill after the plugin that contains its target.
#[test]
fn codex_gets_copies_from_a_source_that_is_a_plugin() {
    for plugin in [false, true] {
        let project = project();
        if plugin {
            project.write(
                "source/.codex-plugin/plugin.json",
                "{\"name\": \"suite\"}\n",
            );
        }
        let args = ["--mode", "symlink", "--host", "claude,codex"];
        let run = call(&project, &[&["--aris-repo", "source"], &args[..]].concat()).expect_code(0);
        assert_eq!(run.stderr().contains("--update"), plugin, "{run}");
        assert_eq!(is_link(&project, "paper/.agents/skills/reading"), !plugin);
        assert!(is_link(&project, "paper/.claude/skills/reading"));
        // No SKILL.md is a link or is below a plugin's manifest.
        let skill = project.at("paper/.agents/skills/reading/SKILL.md");
        assert!(!fs::symlink_metadata(&skill).expect("there").is_symlink());
        let real = fs::canonicalize(&skill).expect("there");
        let below = real
            .ancestors()
            .any(|above| above.join(".codex-plugin/plugin.json").exists());
        assert!(!below, "{}", real.display());
        install(&project, &["--host", "claude"]);
        assert!(is_link(&project, "paper/.claude/skills/reading"));
        assert!(!project.at("paper/.agents").exists());
    }
}

#[test]
fn what_a_host_wants_is_said() {
    for (hosts, word) in [
        ("gemini", "trustedFolders.json"),
        ("claude,gemini", "OpenCode"),
    ] {
        let project = project();
        let run = call(&project, &["--aris-repo", "source", "--host", hosts]).expect_code(0);
        assert!(run.stderr().contains(word), "{hosts}: {run}");
    }
}

const TABLE: &str = "[[helper]]\nname = \"tool\"\naliases = []\nowner = \"reading\"\ncallers = [\"reading\", \"writing\"]\n\
    [[helper]]\nname = \"far\"\naliases = []\nowner = \"third\"\ncallers = [\"third\", \"reading\"]\n";

/// The names in `.claude/skills` and `.aris/tools`.
fn installed(project: &Project) -> Vec<String> {
    let mut names = Vec::new();
    for folder in [".claude/skills", ".aris/tools"] {
        let entries = fs::read_dir(project.at(&format!("paper/{folder}"))).expect("a folder");
        names.extend(entries.map(|entry| {
            entry
                .expect("entry")
                .file_name()
                .into_string()
                .expect("text")
        }));
    }
    names.sort();
    names
}

#[test]
fn a_choice_of_skills_comes_with_what_it_calls_and_is_remembered() {
    let project = project()
        .file("source/skills/third/SKILL.md", SKILL)
        .file("source/skills/fourth/SKILL.md", SKILL)
        .file("source/skills/install-aris/SKILL.md", SKILL)
        .file("source/skills/contract-check/SKILL.md", SKILL)
        .file("source/skills/shared-references/helpers.toml", TABLE);
    let free = ["--allow-missing-binaries"];
    let chosen = |names: &str| {
        let args = [&["--aris-repo", "source", "--skills", names], &free[..]].concat();
        call(&project, &args)
    };
    let before = project.snapshot();
    let error = chosen("fourth,raeding").expect_code(2).error();
    let message = error["message"].as_str().expect("text");
    assert!(
        message.contains("raeding") && error["hint"].to_string().contains("reading"),
        "{error}"
    );
    before.assert_same(&project.snapshot(), "a wrong name");

    chosen("fourth").expect_code(0);
    // The skills that update, check and remove the install come with every choice.
    let kept = [
        "contract-check",
        "fourth",
        "install-aris",
        "shared-references",
    ];
    assert_eq!(installed_skills(&project), kept);
    let run = chosen("writing").expect_code(0);
    // A skill that calls a helper also brings the helper's owner, transitively.
    assert!(
        run.stderr().contains("reading") && run.stderr().contains("third"),
        "{run}"
    );
    let all = [
        "contract-check",
        "far",
        "install-aris",
        "reading",
        "shared-references",
        "third",
        "tool",
        "writing",
    ];
    assert_eq!(installed(&project), all);
    for action in [&[][..], &["--reconcile"], &["--update"]] {
        let run = call(&project, &[action, &free].concat()).expect_code(0);
        assert!(paths(&run.data(), "changes").is_empty(), "{run}");
    }
    assert_eq!(installed(&project), all);
    chosen("all").expect_code(0);
    assert!(installed(&project).contains(&String::from("fourth")));
    uninstall(&project);
    before.assert_same(&project.snapshot(), "uninstalled");
}

fn installed_skills(project: &Project) -> Vec<String> {
    let entries = fs::read_dir(project.at("paper/.claude/skills")).expect("a folder");
    let names = entries.map(|entry| {
        entry
            .expect("entry")
            .file_name()
            .into_string()
            .expect("text")
    });
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}

#[test]
fn lines_for_git_to_ignore_are_printed_until_they_are_there() {
    for own in [false, true] {
        let project = project().file("paper/.git/HEAD", "ref: refs/heads/main\n");
        if own {
            project.write("paper/.claude/skills/mine/SKILL.md", "mine\n");
        }
        let data = install(&project, &[]);
        let lines: Vec<&str> = data["ignore"]
            .as_array()
            .expect("lines")
            .iter()
            .map(|item| item["line"].as_str().expect("a line"))
            .collect();
        assert!(
            data["ignore"][0]["why"]
                .as_str()
                .is_some_and(|why| !why.is_empty())
        );
        assert!(lines.contains(&"/.aris/install.json") && lines.contains(&"/.aris/tools/"));
        assert_eq!(lines.contains(&"/.claude/skills/"), !own, "{lines:?}");
        assert_eq!(lines.contains(&"/.claude/skills/reading"), own, "{lines:?}");
        // With these lines git ignores what was installed, and none of the user's files.
        project.write("paper/.gitignore", lines.join("\n") + "\n");
        let git = |args: &[&str]| {
            let call = Helper::at("git").call(project.at("paper"));
            call.args(args).run().expect_code(0).stdout().to_owned()
        };
        fs::remove_dir_all(project.at("paper/.git")).expect("removed");
        git(&["init", "--quiet"]);
        let mut seen = vec![".gitignore", "main.tex"];
        if own {
            seen.insert(0, ".claude/skills/mine/SKILL.md");
        }
        let untracked = git(&["ls-files", "--others", "--exclude-standard"]);
        let mut found: Vec<&str> = untracked.lines().collect();
        found.sort_unstable();
        seen.sort_unstable();
        assert_eq!(found, seen);
        let data = call(&project, &["--mode", "copy"]).expect_code(0).data();
        assert_eq!(data["ignore"], serde_json::json!([]));
    }
}

/// A link that somebody made by hand leads to the skill: it is accepted, also where other skills are copied.
#[test]
fn a_right_link_is_adopted_in_either_mode() {
    for mode in ["copy", "symlink"] {
        for target in ["../../../source/skills/reading", "@/source/skills/reading"] {
            let project = project();
            let target = target.replace('@', &project.path().display().to_string());
            fs::create_dir_all(project.at("paper/.claude/skills")).expect("folder");
            std::os::unix::fs::symlink(&target, project.at("paper/.claude/skills/reading"))
                .expect("link");
            let base = ["--aris-repo", "source", "--mode", mode];
            let run = call(&project, &base).expect_code(0);
            assert!(
                run.data()["left"]
                    .to_string()
                    .contains("--adopt-existing reading"),
                "{run}"
            );
            for word in ["reading", "all"] {
                call(&project, &[&base[..], &["--adopt-existing", word]].concat()).expect_code(0);
                let link = fs::read_link(project.at("paper/.claude/skills/reading")).expect("link");
                assert_eq!(
                    link.to_str(),
                    Some(target.as_str()),
                    "as its maker wrote it"
                );
            }
            let run = call(&project, &base).expect_code(0);
            assert!(paths(&run.data(), "changes").is_empty(), "{run}");
            uninstall(&project);
            assert!(!project.at("paper/.claude/skills/reading").exists());
            assert!(project.at("source/skills/reading/SKILL.md").exists());
        }
    }
}

#[test]
fn an_installed_program_takes_the_recorded_source_and_no_folder_above() {
    let project = project()
        .file("skills/shared-references/helpers.toml", TABLE)
        .file("skills/other/SKILL.md", SKILL);
    call(&project, &["--aris-repo", "source"]).expect_code(0);
    let program = project.at("paper/.agents/install_aris");
    fs::create_dir_all(project.at("paper/.agents")).expect("folder");
    // Copy with another process. A child process of a parallel test could inherit this test's handle for writing, and the copy
    // could then not be run.
    let copied = std::process::Command::new("cp")
        .arg(env!("CARGO_BIN_EXE_install_aris"))
        .arg(&program)
        .status();
    assert!(copied.expect("cp runs").success());
    let run = Helper::at(program.to_str().expect("text")).call(project.path());
    let run = run.args(["paper", "--dry-run"]).run().expect_code(0);
    assert!(run.stdout().contains("0 changes"), "{run}");
}
