//! `doctor`: an intact installation has no findings; each planted fault is reported with its path.

use std::fs;
use std::os::unix::fs::symlink;

use aris_contract::artifact::install::{
    Block, Content, Entry, EntryKind, Host, InstallManifest, InstallMode, Origin, TreeFile,
};
use aris_contract::helpers;
use aris_testkit::Project;
use serde_json::Value;

use super::{call, program};

const VERSION: &str = env!("CARGO_PKG_VERSION");
const BLOCK: &str = "<!-- ARIS:BEGIN -->\ntext\n<!-- ARIS:END -->";

fn digest(bytes: &[u8]) -> String {
    aris_audit::Digest::of(bytes).to_string()
}

fn launcher(name: &str) -> String {
    format!("#!/bin/sh\naris_helper={name}\naris_version={VERSION}\n")
}

fn binary(owner: &str, name: &str) -> String {
    let target = match std::env::consts::OS {
        "linux" => "unknown-linux-gnu",
        "macos" => "apple-darwin",
        other => other,
    };
    format!(
        "repo/skills/{owner}/scripts/bin/{name}-{}-{target}",
        std::env::consts::ARCH
    )
}

fn entry(path: &str, kind: EntryKind, name: &str, content: Content) -> Entry {
    Entry {
        path: path.to_owned(),
        kind,
        name: name.to_owned(),
        origin: Origin::Source,
        content,
    }
}

/// A project with every shipped helper installed from `repo/`: skills as links, one of them as a copy, tools as files.
fn sound() -> (Project, InstallManifest) {
    let project = Project::new().file("CLAUDE.md", format!("mine\n{BLOCK}\n"));
    let mut entries = Vec::new();
    for helper in helpers::all() {
        let scripts = format!("repo/skills/{}/scripts", helper.owner);
        project.write(
            &format!("repo/skills/{}/SKILL.md", helper.owner),
            "---\n---\n",
        );
        let said = format!("#!/bin/sh\necho '{} {VERSION} (commit)'\n", helper.name);
        for (path, text) in [
            (format!("{scripts}/{}", helper.name), launcher(&helper.name)),
            (binary(&helper.owner, &helper.name), said),
        ] {
            project.write(&path, text);
            project.mode(&path, 0o755);
        }
        project.write(
            &format!("{scripts}/{}.contract.json", helper.name),
            format!("{{\"version\": \"{VERSION}\"}}"),
        );
        let tool = format!(".aris/tools/{}", helper.name);
        project.write(&tool, "#!/bin/sh\naris_self=$0\n");
        project.mode(&tool, 0o755);
        entries.push(entry(
            &tool,
            EntryKind::Tool,
            &helper.name,
            Content::File {
                digest: digest(b"#!/bin/sh\naris_self=$0\n"),
                executable: true,
            },
        ));
        for place in [".agents/skills", ".claude/skills"] {
            let path = format!("{place}/{}", helper.owner);
            if project.at(&path).exists() {
                continue;
            }
            fs::create_dir_all(project.at(place)).expect("folders");
            let target = project.at(&format!("repo/skills/{}", helper.owner));
            symlink(&target, project.at(&path)).expect("link");
            let target = target.display().to_string();
            entries.push(entry(
                &path,
                EntryKind::Skill,
                &helper.owner,
                Content::Link { target },
            ));
        }
    }
    let copy = ".agents/skills/copied";
    project.write(&format!("{copy}/SKILL.md"), "copied");
    symlink(project.at(copy), project.at(".claude/skills/copied")).expect("link");
    let files = vec![TreeFile {
        path: String::from("SKILL.md"),
        digest: digest(b"copied"),
        executable: false,
    }];
    entries.push(entry(
        copy,
        EntryKind::Skill,
        "copied",
        Content::Tree { files },
    ));
    let manifest = InstallManifest {
        schema: String::from("aris.install_aris.manifest/v1"),
        helper_version: VERSION.to_owned(),
        repo_root: project.at("repo").display().to_string(),
        source_version: None,
        project_root: project.path().display().to_string(),
        generated: String::from("2026-01-01T00:00:00Z"),
        mode: InstallMode::Symlink,
        hosts: Host::ALL.to_vec(),
        skills: Vec::new(),
        entries,
        folders: Vec::new(),
        blocks: vec![Block {
            path: String::from("CLAUDE.md"),
            digest: digest(BLOCK.as_bytes()),
            before: String::new(),
            after: String::from("\n"),
            created: false,
            original_digest: None,
            original_modified: None,
        }],
    };
    record(&project, &manifest);
    (project, manifest)
}

fn record(project: &Project, manifest: &InstallManifest) {
    let text = serde_json::to_string(manifest).expect("json");
    project.write(".aris/install.json", text);
    let (repo, root) = (&manifest.repo_root, &manifest.project_root);
    project.write(
        ".aris/installed-skills.txt",
        format!("version\t1\nrepo_root\t{repo}\nproject_root\t{root}\ngenerated\tx\n"),
    );
}

fn findings(data: &Value) -> Vec<(String, String)> {
    data["findings"]
        .as_array()
        .expect("findings")
        .iter()
        .map(|finding| {
            assert!(
                !finding["hint"].as_str().expect("hint").is_empty(),
                "{finding}"
            );
            let field = |name: &str| finding[name].as_str().expect("text").to_owned();
            (field("id"), field("path"))
        })
        .collect()
}

#[test]
fn a_sound_installation_has_no_findings_and_says_who_sees_what() {
    let (project, manifest) = sound();
    let data = call(&project, &["doctor", "--json"]).expect_code(0).data();
    assert_eq!(findings(&data), []);
    assert_eq!(data["installation"], "full");
    let skills = manifest
        .entries
        .iter()
        .filter(|entry| entry.path.starts_with(".agents/skills/"))
        .count();
    for host in data["hosts"].as_array().expect("hosts") {
        assert_eq!(host["skills"], skills, "{host}");
    }
    let rows = data["helpers"].as_array().expect("helpers");
    assert!(rows.iter().all(|row| row["shipped"] == true), "{rows:?}");
    let before = project.snapshot();
    call(&project, &["doctor"]).expect_code(0);
    assert_eq!(
        before.differences(&project.snapshot()),
        Vec::<String>::new()
    );
}

#[test]
fn a_block_whose_line_ends_were_changed_is_the_one_that_was_installed() {
    let (project, manifest) = sound();
    record(&project, &manifest);
    project.write("CLAUDE.md", BLOCK.replace('\n', "\r\n"));
    let run = call(&project, &["--json", "doctor"]).expect_code(0);
    assert_eq!(findings(&run.data()), []);
}

#[test]
fn a_skill_of_an_older_install_is_for_the_host_it_was_installed_for() {
    let (project, mut manifest) = sound();
    for entry in &mut manifest.entries {
        if entry.name == "copied" {
            entry.origin = Origin::Older;
        }
    }
    record(&project, &manifest);
    fs::remove_file(project.at(".claude/skills/copied")).expect("removed");
    let data = call(&project, &["doctor", "--json"]).expect_code(0).data();
    assert_eq!(findings(&data), []);
    fs::remove_dir_all(project.at(".agents/skills/copied")).expect("removed");
    let data = call(&project, &["doctor", "--json"]).expect_code(10).data();
    let named = findings(&data);
    let missed = named.iter().filter(|(id, _)| id == "host_misses_skill");
    // Codex, Cursor and Gemini read the folder that it was in; Claude Code does not.
    assert_eq!(missed.count(), 3, "{named:?}");
}

type Plant = fn(&Project, &mut InstallManifest);

const TRACING: &str = "repo/skills/review-tracing/scripts";

fn replace(project: &Project, path: &str, text: &str) {
    project.write(path, text);
    project.mode(path, 0o755);
}

#[test]
fn the_advice_for_a_record_that_cannot_be_read_is_not_a_call_that_refuses_it() {
    for file in [".aris/install.json", ".aris/installed-skills.txt"] {
        let (project, _) = sound();
        project.write(file, "{");
        let run = call(&project, &["doctor"]).expect_code(10);
        let advice = "restore the file from a backup, or move it away and install again";
        assert!(run.stdout().contains(advice), "{run}");
    }
}

/// Every fault, with the id and the path of the finding it must give.
const FAULTS: &[(&str, &str, Plant)] = &[
    ("manifest_invalid", ".aris/install.json", |project, _| {
        project.write(".aris/install.json", "{");
    }),
    (
        "manifest_invalid",
        ".aris/installed-skills.txt",
        |project, _| {
            project.write(".aris/installed-skills.txt", "version\t9\n");
        },
    ),
    (
        "manifest_invalid",
        ".aris/installed-skills.txt",
        |project, _| {
            let text = project.read(".aris/installed-skills.txt");
            project.write(".aris/installed-skills.txt", text.replace('\n', "\r\n"));
        },
    ),
    (
        "manifest_foreign",
        ".aris/install.json",
        |project, manifest| {
            manifest.project_root = String::from("/somewhere/else");
            record(project, manifest);
        },
    ),
    (
        "manifests_disagree",
        ".aris/installed-skills.txt",
        |project, _| {
            fs::create_dir_all(project.at("old/skills")).expect("folders");
            let text = format!("version\t1\nrepo_root\t{}\n", project.at("old").display());
            project.write(".aris/installed-skills.txt", text);
        },
    ),
    (
        "repo_root_gone",
        ".aris/install.json",
        |project, manifest| {
            manifest.repo_root = project.at("gone").display().to_string();
            record(project, manifest);
        },
    ),
    (
        "version_mismatch",
        ".aris/install.json",
        |project, manifest| {
            manifest.helper_version = String::from("0.0.1");
            record(project, manifest);
        },
    ),
    ("entry_missing", ".aris/tools/save_trace", |project, _| {
        fs::remove_file(project.at(".aris/tools/save_trace")).expect("removed");
    }),
    (
        "entry_missing",
        ".agents/skills/copied/SKILL.md",
        |project, _| {
            fs::remove_file(project.at(".agents/skills/copied/SKILL.md")).expect("removed");
        },
    ),
    (
        "entry_missing",
        ".claude/skills/review-tracing",
        |project, _| {
            fs::remove_file(project.at(".claude/skills/review-tracing")).expect("removed");
        },
    ),
    (
        "entry_replaced",
        ".claude/skills/review-tracing",
        |project, _| {
            fs::remove_file(project.at(".claude/skills/review-tracing")).expect("removed");
            project.write(".claude/skills/review-tracing/SKILL.md", "mine");
        },
    ),
    (
        "link_elsewhere",
        ".claude/skills/review-tracing",
        |project, _| {
            fs::remove_file(project.at(".claude/skills/review-tracing")).expect("removed");
            symlink(
                project.at("repo/skills/paper-writing"),
                project.at(".claude/skills/review-tracing"),
            )
            .expect("link");
        },
    ),
    ("link_dangling", ".claude/skills/stray", |project, _| {
        symlink("nowhere", project.at(".claude/skills/stray")).expect("link");
    }),
    ("digest_mismatch", ".aris/tools/save_trace", |project, _| {
        replace(project, ".aris/tools/save_trace", "#!/bin/sh\n# edited\n");
    }),
    (
        "digest_mismatch",
        ".agents/skills/copied/SKILL.md",
        |project, _| {
            project.write(".agents/skills/copied/SKILL.md", "edited");
        },
    ),
    ("not_executable", ".aris/tools/save_trace", |project, _| {
        project.mode(".aris/tools/save_trace", 0o644);
    }),
    (
        "launcher_broken",
        ".agents/skills/review-tracing/scripts/save_trace",
        |project, _| {
            replace(
                project,
                &format!("{TRACING}/save_trace"),
                "#!/bin/sh\nexit 0\n",
            );
        },
    ),
    (
        "launcher_broken",
        ".agents/skills/review-tracing/scripts/save_trace",
        |project, _| {
            fs::remove_file(project.at(&format!("{TRACING}/save_trace"))).expect("removed");
        },
    ),
    (
        "not_executable",
        ".agents/skills/review-tracing/scripts/save_trace",
        |project, _| {
            project.mode(&format!("{TRACING}/save_trace"), 0o644);
        },
    ),
    (
        "version_mismatch",
        ".agents/skills/review-tracing/scripts/save_trace.contract.json",
        |project, _| {
            project.write(
                &format!("{TRACING}/save_trace.contract.json"),
                "{\"version\": \"9\"}",
            );
        },
    ),
    (
        "entry_missing",
        ".agents/skills/review-tracing/scripts/save_trace.contract.json",
        |project, _| {
            fs::remove_file(project.at(&format!("{TRACING}/save_trace.contract.json")))
                .expect("removed");
        },
    ),
    (
        "binary_missing",
        ".agents/skills/review-tracing/scripts/bin",
        |project, _| {
            fs::remove_file(project.at(&binary("review-tracing", "save_trace"))).expect("removed");
        },
    ),
    (
        "binary_missing",
        ".agents/skills/review-tracing/scripts/bin",
        |project, _| {
            project.write(&binary("review-tracing", "save_trace"), "");
        },
    ),
    ("binary_broken", "BINARY", |project, _| {
        replace(
            project,
            &binary("review-tracing", "save_trace"),
            "#!/bin/sh\nexit 1\n",
        );
    }),
    ("binary_broken", "BINARY", |project, _| {
        replace(
            project,
            &binary("review-tracing", "save_trace"),
            "#!/bin/sh\necho citation_audit 0.1.0\n",
        );
    }),
    ("binary_broken", "BINARY", |project, _| {
        replace(
            project,
            &binary("review-tracing", "save_trace"),
            "#!/bin/sh\nsleep 600\n",
        );
    }),
    ("version_mismatch", "BINARY", |project, _| {
        replace(
            project,
            &binary("review-tracing", "save_trace"),
            "#!/bin/sh\necho save_trace 9.9.9\n",
        );
    }),
    ("not_executable", "BINARY", |project, _| {
        project.mode(&binary("review-tracing", "save_trace"), 0o644);
    }),
    ("helper_unresolved", "save_trace", |project, manifest| {
        manifest
            .entries
            .retain(|entry| entry.path != ".aris/tools/save_trace");
        record(project, manifest);
        fs::remove_file(project.at(".aris/tools/save_trace")).expect("removed");
    }),
    (
        "helper_unusable",
        ".aris/tools/research_wiki.py",
        |project, _| {
            project.write(".aris/tools/research_wiki.py/x", "");
        },
    ),
    ("helper_shadowed", "tools/save_trace.sh", |project, _| {
        project.write("tools/save_trace.sh", "older");
    }),
    ("path_differs", "PATH", |project, _| {
        replace(project, "on path/save_trace", "another");
    }),
    ("host_misses_skill", ".claude/skills", |project, _| {
        fs::remove_file(project.at(".claude/skills/copied")).expect("removed");
    }),
    ("block_damaged", "CLAUDE.md", |project, _| {
        project.write("CLAUDE.md", "<!-- ARIS:BEGIN -->\ntext\n");
    }),
    ("block_damaged", "AGENTS.md", |project, _| {
        project.write("AGENTS.md", "<!-- ARIS-CODEX:END -->\n");
    }),
    ("block_missing", "CLAUDE.md", |project, _| {
        project.write("CLAUDE.md", "mine\n");
    }),
    ("block_edited", "CLAUDE.md", |project, _| {
        project.write("CLAUDE.md", BLOCK.replace("text", "other"));
    }),
    ("unreadable", "GEMINI.md", |project, _| {
        project.write("GEMINI.md/x", "");
    }),
];

#[test]
fn every_planted_fault_is_named_with_its_path() {
    for (id, path, plant) in FAULTS {
        let (project, mut manifest) = sound();
        plant(&project, &mut manifest);
        let on_path = format!("{}:/usr/bin:/bin", project.at("on path").display());
        let run = program()
            .call(project.path())
            .args(["doctor", "--json"])
            .env("PATH", on_path)
            .run()
            .expect_code(10);
        let path = match *path {
            "BINARY" => {
                binary("review-tracing", "save_trace").replace("repo/skills", ".agents/skills")
            }
            "PATH" => project.at("on path/save_trace").display().to_string(),
            path => path.to_owned(),
        };
        let found = findings(&run.data());
        assert!(
            found.contains(&((*id).to_owned(), path.clone())),
            "{id} {path}: {found:?}"
        );
        // A fault may have consequences for each of the four hosts, but not more.
        assert!(found.len() <= 5, "{id} {path}: {found:?}");
    }
}

#[test]
fn where_nothing_is_installed_one_finding_says_so() {
    let data = call(&Project::bare(), &["doctor", "--json"])
        .expect_code(10)
        .data();
    assert_eq!(
        findings(&data),
        [(String::from("not_installed"), String::from("."))]
    );
    let strays = Project::new().file(".aris/tools/save_trace.sh", "x");
    let data = call(&strays, &["doctor", "--json"]).expect_code(10).data();
    assert!(findings(&data).contains(&(
        String::from("manifest_missing"),
        String::from(".aris/tools")
    )));
}

#[test]
fn an_installation_of_the_reference_is_checked_by_its_links() {
    let project = Project::new()
        .file("repo/skills/arxiv/SKILL.md", "x")
        .file("repo/tools/save_trace.sh", "x");
    fs::create_dir_all(project.at(".claude/skills")).expect("folders");
    fs::create_dir_all(project.at(".aris")).expect("folders");
    symlink(project.at("repo/tools"), project.at(".aris/tools")).expect("link");
    symlink(
        project.at("repo/skills/arxiv"),
        project.at(".claude/skills/arxiv"),
    )
    .expect("link");
    let (repo, root) = (project.at("repo"), project.path());
    project.write(
        ".aris/installed-skills.txt",
        format!(
            "version\t1\nrepo_root\t{}\nproject_root\t{}\ngenerated\tx\nkind\tname\tsource_rel\ttarget_rel\tmode\n\
             skill\tarxiv\tskills/arxiv\t.claude/skills/arxiv\tsymlink\nskill\tgone\tskills/gone\t.claude/skills/gone\tsymlink\n",
            repo.display(),
            root.display()
        ),
    );
    let data = call(&project, &["doctor", "--json"]).expect_code(10).data();
    assert_eq!(data["installation"], "reference");
    let found = findings(&data);
    assert!(
        found.contains(&(
            String::from("entry_missing"),
            String::from(".claude/skills/gone")
        )),
        "{found:?}"
    );
    assert!(
        !found.iter().any(|(_, path)| path.contains("skills/arxiv")),
        "{found:?}"
    );
    assert!(
        !found.contains(&(
            String::from("helper_unresolved"),
            String::from("save_trace")
        )),
        "{found:?}"
    );
}

/// The scripts that the installer and a source generate under one name differ only in the source they name.
#[test]
fn generated_starters_of_one_helper_hide_nothing() {
    let (project, _) = sound();
    for (path, source) in [(".aris/tools", "/one"), ("tools", "/another")] {
        let text = format!("#!/bin/sh\naris_self=$0\naris_look \"{source}/skills\"\n");
        project.write(&format!("{path}/save_trace"), text);
    }
    let data = call(&project, &["doctor", "--json"]).expect_code(10).data();
    let shadowed = findings(&data)
        .into_iter()
        .filter(|(id, _)| id == "helper_shadowed");
    assert_eq!(shadowed.count(), 0);
}
