//! Every call that a skill documents, as a reader makes it: from an installed copy in which no file is executable, under each
//! shell.
//!
//! A fence marked `sh` is such a call. What a program prints, or an excerpt that is no call, is marked as something else. A fence
//! of a new skill is run as it stands and must leave with 0; what it needs beyond the example paper stands in [`NEEDS`].

mod fences;
mod needs;

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use aris_contract::helpers;
use aris_testkit::{Answer, Helper, Project, Run, Server, workspace_root};

use fences::{Fence, fences};
use needs::NEEDS;

const EXAMPLE: &str = "skills/paper-writing/assets/example";

/// A project with the skills installed, and services that know no paper.
struct Place {
    project: Project,
    services: Server,
    /// Environment variables that lead helpers to the services.
    variables: Vec<String>,
}

/// What shells say of a text that is no script of theirs.
const COMPLAINTS: [&str; 4] = [
    ": not found",
    "command not found",
    "unexpected",
    "yntax error",
];

/// What is needed is needed by one fence.
#[test]
fn every_need_is_of_a_fence() {
    let fences = fences();
    for need in NEEDS {
        let found = fences.iter().filter(|fence| need.is_of(fence)).count();
        assert_eq!(found, 1, "{}: {}", need.file, need.line);
    }
}

/// A host that fills in the skill's directory.
#[test]
fn every_documented_call_runs_under_sh_where_no_file_is_executable() {
    every_call_runs("/bin/sh", true);
}

// Hosts that show the text as it is.

#[test]
fn every_documented_call_runs_under_dash_where_no_file_is_executable() {
    every_call_runs("/bin/dash", false);
}

#[test]
fn every_documented_call_runs_under_bash_where_no_file_is_executable() {
    every_call_runs("/bin/bash", false);
}

fn every_call_runs(shell_path: &str, fills_in: bool) {
    if !Path::new(shell_path).is_file() {
        println!("skipped: no {shell_path} on this machine");
        return;
    }
    let place = Place {
        project: installed(),
        services: Server::start(|_| Answer::status(404)),
        variables: variables(),
    };
    let mut failed = Vec::new();
    for fence in fences() {
        let skill = fence.file.split('/').next().unwrap_or_default();
        // A call that waits for a service, at the service's pace, is made under one shell; the text around it is alike in all.
        if !fills_in && reaches_the_network(skill) {
            continue;
        }
        let folder = place.project.at(&format!("project/.claude/skills/{skill}"));
        let folder = fills_in.then_some(folder.as_path());
        failed.extend(check(&place, &fence, shell_path, folder).err());
    }
    let advice = "mend the text, or say in needs.rs what the fence needs and how it leaves";
    assert!(failed.is_empty(), "{}\n\n{advice}", failed.join("\n\n"));
    let uninstall = "sh .aris/tools/install_aris --uninstall --quiet";
    place.shell("/bin/sh", uninstall, None).expect_code(0);
    for folder in [".agents", ".claude", ".aris/tools"] {
        assert!(
            !place.project.at(&format!("project/{folder}")).exists(),
            "{folder}"
        );
    }
}

fn check(
    place: &Place,
    fence: &Fence,
    shell_path: &str,
    folder: Option<&Path>,
) -> Result<(), String> {
    let need = NEEDS.iter().find(|need| need.is_of(fence));
    let calls = fence.calls();
    let codes = need.map_or_else(
        || vec![[0].as_slice(); calls.len()],
        |need| need.codes.to_vec(),
    );
    let when = format!(
        "{} line {} under {shell_path}, folder {folder:?}",
        fence.file, fence.line
    );
    if codes.len() != calls.len() {
        return Err(format!(
            "{when}: {} calls and {} exit codes",
            calls.len(),
            codes.len()
        ));
    }
    fresh(&place.project);
    if let Some(need) = need {
        (need.prepare)(place);
    }
    for (call, codes) in calls.iter().zip(codes) {
        let run = place.shell(shell_path, call, folder);
        let complaint = COMPLAINTS.iter().find(|word| run.stderr().contains(*word));
        let warning = run
            .stderr()
            .lines()
            .find(|line| line.starts_with("WARN") || line.starts_with("ERROR"));
        let is_as_said =
            complaint.is_none() && warning.is_some() == need.is_some_and(|need| need.warns);
        if !codes.contains(&run.code()) || !is_as_said {
            return Err(format!(
                "{when}: expected exit {codes:?}, complaint {complaint:?}, warning {warning:?}\n{call}\n{run}"
            ));
        }
    }
    Ok(())
}

impl Place {
    /// Runs a script in the project, with the skill's folder filled in.
    fn shell(&self, path: &str, script: &str, folder: Option<&Path>) -> Run {
        let script = folder.map_or_else(
            || script.to_owned(),
            |folder| script.replace("${CLAUDE_SKILL_DIR}", &folder.display().to_string()),
        );
        let cwd = self.project.at("project");
        let mut call = Helper::at(path).call(cwd).args(["-c", &script]);
        for variable in &self.variables {
            call = call.env(variable, self.services.url());
        }
        call.env("HOME", self.project.at("home")).run()
    }
}

/// Whether a helper of the skill asks services.
fn reaches_the_network(skill: &str) -> bool {
    let rows = helpers::all().iter().filter(|row| row.owner == skill);
    rows.into_iter().any(|row| {
        let path = format!("skills/{skill}/scripts/{}.contract.json", row.name);
        let text = fs::read_to_string(workspace_root().join(path)).expect("a contract");
        let contract: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        contract["network"] != "none"
    })
}

/// The variables that name another address for a service, as the sources' own list has them.
fn variables() -> Vec<String> {
    let path = workspace_root().join("crates/aris-sources/src/hosts.rs");
    let text = fs::read_to_string(path).expect("hosts.rs");
    let found: Vec<String> = text
        .lines()
        .filter_map(|line| {
            line.trim()
                .strip_prefix("base_variable: \"")?
                .strip_suffix("\",")
        })
        .map(str::to_owned)
        .collect();
    assert!(found.len() > 4, "{found:?}");
    found
}

/// Skills and helpers as a download leaves them: every file at mode 0644; installed as copies into `project/`.
fn installed() -> Project {
    let project = Project::bare().file("project/.git/HEAD", "ref: refs/heads/main\n");
    let cp = |from: &Path, to: &Path| {
        let call = Helper::at("/bin/cp").call(project.path());
        call.args(["-R".as_ref(), from.as_os_str(), to.as_os_str()])
            .run()
            .expect_code(0);
    };
    for folder in ["home", "source", "first"] {
        fs::create_dir_all(project.at(folder)).expect("folder");
    }
    cp(&workspace_root().join("skills"), &project.at("source"));
    let system = if cfg!(target_os = "macos") {
        "apple-darwin"
    } else {
        "unknown-linux-gnu"
    };
    for row in helpers::all() {
        let bin = project.at(&format!("source/skills/{}/scripts/bin", row.owner));
        fs::create_dir_all(&bin).expect("folder");
        let musl = bin.join(format!(
            "{}-{}-unknown-linux-musl",
            row.name,
            std::env::consts::ARCH
        ));
        if musl.exists() {
            fs::remove_file(&musl).expect("another build");
        }
        let binary = bin.join(format!("{}-{}-{system}", row.name, std::env::consts::ARCH));
        cp(Helper::with_faults(row.name).path(), &binary);
    }
    not_executable(&project.at("source"));
    let script = "sh ../source/skills/install-aris/scripts/install_aris . --host claude,codex --no-doc --quiet";
    let call = Helper::at("/bin/sh").call(project.at("project"));
    call.args(["-c", script])
        .env("HOME", project.at("home"))
        .run()
        .expect_code(0);
    // What is no clone is copied.
    assert!(
        !project
            .at("project/.agents/skills/install-aris")
            .is_symlink()
    );
    project
}

/// The project's own files as the example paper has them, and every installed file at mode 0644.
fn fresh(project: &Project) {
    let keep = [".git", ".agents", ".claude", ".aris"];
    for entry in fs::read_dir(project.at("project")).expect("project") {
        let path = entry.expect("entry").path();
        if path.is_dir() && !keep.iter().any(|name| path.ends_with(name)) {
            fs::remove_dir_all(&path).expect("removed");
        }
    }
    for made in ["project/.aris/traces", "project/.aris/meta"] {
        if project.at(made).exists() {
            fs::remove_dir_all(project.at(made)).expect("removed");
        }
    }
    let example = workspace_root().join(EXAMPLE);
    let call = Helper::at("/bin/cp").call(project.path());
    let from = ["paper", "results"].map(|folder| example.join(folder));
    call.args([
        "-R".into(),
        from[0].clone(),
        from[1].clone(),
        project.at("project"),
    ])
    .run()
    .expect_code(0);
    project.write(
        "project/skills/my-skill/SKILL.md",
        "---\nname: my-skill\ndescription: \"Counts words in a text. Use when the user asks how long a text is.\"\nlicense: MIT\n---\n\n# My skill\n\nCount the words.\n",
    );
    not_executable(&project.at("project"));
}

fn not_executable(folder: &Path) {
    for entry in fs::read_dir(folder).expect("folder") {
        let entry = entry.expect("entry");
        let kind = entry.file_type().expect("type");
        if kind.is_dir() {
            not_executable(&entry.path());
        } else if kind.is_file() {
            fs::set_permissions(entry.path(), fs::Permissions::from_mode(0o644)).expect("mode");
        }
    }
}
