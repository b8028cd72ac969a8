//! Other people's hosts, asked which skills they see, and the public installer of skills. No test uses a model or the network;
//! where the system allows it, the programs run without a network.
//!
//! The programs are npm packages of some hundred megabytes. They are searched in the folder `ARIS_HOSTS` (one with
//! `node_modules`); with `ARIS_HOSTS_INSTALL=1` npm installs them there first. Without them the tests print that they are
//! skipped.
//!
//! Not tested, because it cannot be tested offline: which skill a host chooses for a task; and Claude Code, which is not
//! started: `skill_lint` and `xtask verify` check against its documentation.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use aris_testkit::{Helper, Project, workspace_root};
use serde_json::Value;

use crate::documented::{every_look_up_resolves, installed};

/// Versions for which these tests were written.
const PACKAGES: [&str; 4] = [
    "@openai/codex@0.169",
    "@google/gemini-cli@0.61",
    "opencode-ai@1.18",
    "skills@1.5",
];

/// The folder with the hosts' programs.
fn programs() -> Option<PathBuf> {
    let Some(folder) = std::env::var_os("ARIS_HOSTS").map(PathBuf::from) else {
        println!("skipped: ARIS_HOSTS names no folder with the npm packages {PACKAGES:?}");
        return None;
    };
    let programs = folder.join("node_modules/.bin");
    if !programs.is_dir() && std::env::var_os("ARIS_HOSTS_INSTALL").is_some() {
        let prefix = folder.display().to_string();
        let npm = ["install", "--no-audit", "--no-fund", "--prefix", &prefix];
        let run = Helper::at("npm").call("/").args(npm).args(PACKAGES);
        let run = run.env("HOME", &folder).deadline(Duration::from_mins(10));
        println!("npm exited with {}", run.run().code());
    }
    if !programs.is_dir() {
        println!("skipped: no {}", programs.display());
        return None;
    }
    Some(programs)
}

/// Output of a host in the project, with its own home and without a network; `None` when its package is not installed.
fn host(project: &Project, name: &str, args: &[&str]) -> Option<String> {
    let programs = programs()?;
    let program = programs.join(name);
    if !program.exists() {
        println!("skipped: no {}", program.display());
        return None;
    }
    let cut = Helper::at("unshare").call("/").args(["-rn", "true"]);
    let alone = if cut.run().code() == 0 {
        "unshare -rn"
    } else {
        println!("not tried: {name} without a network, which cannot be taken away here");
        ""
    };
    // Into a file: some programs exit before a pipe has taken all their output.
    let script = format!("{alone} \"$0\" \"$@\" >../said 2>../warned </dev/null");
    let call = Helper::at("/bin/sh").call(project.at("project"));
    let call = call.args(["-c", &script]).args([&program]).args(args);
    let path = std::env::var("PATH").unwrap_or_default();
    let path = format!("{}:{path}", programs.display());
    let run = call.env("PATH", path).env("HOME", project.at("home")).run();
    assert_eq!(run.code(), 0, "{name}: {}", project.read("warned"));
    Some(project.read("said"))
}

fn skills() -> BTreeSet<String> {
    let folder = fs::read_dir(workspace_root().join("skills")).expect("skills");
    let skills: BTreeSet<String> = folder
        .map(|entry| entry.expect("entry"))
        .filter(|entry| entry.path().join("SKILL.md").is_file())
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    assert!(skills.len() > 20, "{skills:?}");
    skills
}

/// A project as `install_aris` leaves it, which is a git repository; `None` without the hosts' programs.
fn project() -> Option<Project> {
    programs()?;
    let project = installed();
    let git = Helper::at("/bin/sh").call(project.at("project"));
    let run = git.args(["-c", "rm -r .git && git init -q"]).run();
    run.expect_code(0);
    Some(project)
}

/// Replaces the project by one without the installation.
fn nothing_installed(project: &Project) {
    let own = project.at("project");
    fs::rename(&own, project.at("installed by us")).expect("moved");
    fs::create_dir(&own).expect("folder");
    let git = Helper::at("git").call(&own).args(["init", "-q"]);
    git.run().expect_code(0);
}

#[test]
fn codex_sees_every_skill_by_its_name() {
    let Some(project) = project() else {
        return;
    };
    let Some(said) = host(&project, "codex", &["debug", "prompt-input", "hello"]) else {
        return;
    };
    for skill in skills() {
        let line = format!("\\n- {skill}: ");
        assert!(said.contains(&line), "{skill}: {said}");
    }
}

#[test]
fn a_plugin_of_codex_has_every_skill_and_finds_their_helpers() {
    let Some(project) = project() else {
        return;
    };
    nothing_installed(&project);
    for manifests in [".agents", ".codex-plugin"] {
        let from = workspace_root().join(manifests);
        let cp = Helper::at("/bin/cp").call(project.at("source"));
        cp.args(["-R".as_ref(), from.as_os_str(), ".".as_ref()])
            .run()
            .expect_code(0);
    }
    // The repository that Codex clones.
    let commit = "git init -q && git -c core.compression=0 add -A && git -c user.name=a -c user.email=a@b commit -q -m release";
    let sh = Helper::at("/bin/sh").call(project.at("source"));
    sh.args(["-c", commit]).run().expect_code(0);
    let source = project.at("source").display().to_string();
    let add = ["plugin", "marketplace", "add", &source];
    if host(&project, "codex", &add).is_none() {
        return;
    }
    host(
        &project,
        "codex",
        &["plugin", "add", "aris-helpers@aris-helpers"],
    );
    let said = host(&project, "codex", &["debug", "prompt-input", "hello"]).expect("is there");
    for skill in skills() {
        let line = format!("\\n- aris-helpers:{skill}: ");
        assert!(said.contains(&line), "{skill}: {said}");
    }
    let cache = "home/.codex/plugins/cache/aris-helpers/aris-helpers";
    let version = fs::read_dir(project.at(cache)).expect("the plugin").next();
    let plugin = version.expect("a version").expect("entry").path();
    every_look_up_resolves(&project, Some(&plugin.join("skills")));
}

#[test]
fn gemini_sees_every_skill_of_a_trusted_folder() {
    let Some(project) = project() else {
        return;
    };
    let list = ["skills", "list", "--all"];
    let Some(untrusted) = host(&project, "gemini", &list) else {
        return;
    };
    let folder = project.at("project").canonicalize().expect("real");
    let folder = folder.display().to_string();
    let seen = |said: &str| {
        let is_seen =
            |skill: &String| said.contains(&format!("{folder}/.agents/skills/{skill}/SKILL.md"));
        skills()
            .into_iter()
            .filter(is_seen)
            .collect::<BTreeSet<_>>()
    };
    // README and install-aris warn about this.
    assert_eq!(seen(&untrusted), BTreeSet::new());
    let trusted = serde_json::json!({folder.clone(): "TRUST_FOLDER"});
    project.write("home/.gemini/trustedFolders.json", trusted.to_string());
    let trusted = host(&project, "gemini", &list).expect("is there");
    assert_eq!(seen(&trusted), skills(), "{trusted}");
}

#[test]
fn opencode_sees_every_skill_once() {
    let Some(project) = project() else {
        return;
    };
    let Some(said) = host(&project, "opencode", &["debug", "skill"]) else {
        return;
    };
    let list: Value = serde_json::from_str(&said).expect("JSON");
    let list = list.as_array().expect("a list").iter();
    let names: Vec<&str> = list
        .filter(|skill| skill["location"] != "<built-in>")
        .filter_map(|skill| skill["name"].as_str())
        .collect();
    assert_eq!(names.len(), skills().len(), "{said}");
    let names: BTreeSet<String> = names.into_iter().map(str::to_owned).collect();
    assert_eq!(names, skills());
}

#[test]
fn the_public_installer_takes_every_skill_from_a_release_and_their_helpers_are_found() {
    let Some(project) = project() else {
        return;
    };
    nothing_installed(&project);
    let own = project.at("project");
    let source = project.at("source").display().to_string();
    let agents = ["codex", "gemini-cli", "claude-code", "opencode"];
    let mut args = vec!["add", &source, "-s", "*", "--copy", "-y"];
    args.extend(agents.iter().flat_map(|agent| ["-a", agent]));
    if host(&project, "skills", &args).is_none() {
        return;
    }
    for skill in skills() {
        for folder in [".agents", ".claude"] {
            let text = own
                .join(folder)
                .join("skills")
                .join(&skill)
                .join("SKILL.md");
            assert!(text.is_file(), "{}", text.display());
        }
    }
    assert!(!own.join(".aris").exists());
    every_look_up_resolves(&project, None);
}
