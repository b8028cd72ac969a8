//! A skill after an installation: copied, every file at mode 0644, in its own project.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use aris_contract::helpers::Helper as Row;
use aris_testkit::{Call, Helper, Project, workspace_root};
use serde_json::Value;

use crate::conformance::for_every_row;

/// A project with the owner's skill folder, and the helper's binary where `install-skills` puts it.
fn installed(row: &Row, helper: &Helper) -> Project {
    let skill = workspace_root().join("skills").join(&row.owner);
    let project = Project::new();
    copy(&skill, &project.at(&row.owner));
    let system = if cfg!(target_os = "macos") {
        "apple-darwin"
    } else {
        "unknown-linux-gnu"
    };
    let binary = format!(
        "{}/scripts/bin/{}-{}-{system}",
        row.owner,
        row.name,
        std::env::consts::ARCH
    );
    fs::create_dir_all(project.at(&format!("{}/scripts/bin", row.owner))).expect("folder");
    // Copy with another process: a program that this process writes may still be open in a child of another test.
    let cp = Helper::at("/bin/cp")
        .call(project.path())
        .args([helper.path().as_os_str(), binary.as_ref()]);
    cp.run().expect_code(0);
    project.mode(&binary, 0o644);
    project
}

/// Copies files at mode 0644 and leaves out `bin`, as a release archive for another machine would.
fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("folder");
    for entry in fs::read_dir(from).unwrap_or_else(|error| panic!("{}: {error}", from.display())) {
        let entry = entry.expect("entry");
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            if entry.file_name() != "bin" {
                copy(&entry.path(), &target);
            }
        } else {
            fs::write(&target, fs::read(entry.path()).expect("read")).expect("write");
            fs::set_permissions(&target, fs::Permissions::from_mode(0o644)).expect("mode");
        }
    }
}

fn through_launcher(project: &Project, row: &Row) -> Call {
    let launcher = format!("scripts/{}", row.name);
    Helper::at("/bin/sh")
        .call(project.at(&row.owner))
        .args([launcher])
        .env("HOME", project.path())
}

#[test]
fn a_copied_skill_runs_its_helper_although_no_file_is_executable() {
    for_every_row(|row| {
        let helper = Helper::named(&row.name);
        let project = installed(row, &helper);
        let direct = helper
            .call(project.path())
            .args(["--help"])
            .run()
            .expect_code(0);
        let launched = through_launcher(&project, row)
            .args(["--help"])
            .run()
            .expect_code(0);
        assert_eq!(launched.stdout(), direct.stdout(), "{}", row.name);
        assert_eq!(launched.stderr(), "", "{}", row.name);
    });
}

#[test]
fn every_name_that_skills_know_starts_its_helper_in_each_of_their_languages() {
    for_every_row(|row| {
        let helper = Helper::named(&row.name);
        let skill = installed(row, &helper);
        let project = Project::new();
        let folder = project.at(".agents/skills");
        fs::create_dir_all(&folder).expect("folder");
        fs::rename(skill.at(&row.owner), folder.join(&row.owner)).expect("moved");
        let direct = helper.call(project.path()).args(["--help"]).run();
        let direct = direct.expect_code(0);
        // `aris` is the program that contains all helpers; this binary is a single helper.
        for name in row.names().into_iter().filter(|name| *name != "aris") {
            let tool = format!(".aris/tools/{name}");
            project.write(&tool, aris_launch::shim(&row.name, &row.owner, name, None));
            project.mode(&tool, 0o644);
            for interpreter in ["sh", "bash", "python3"] {
                let Some(interpreter) = on_path(interpreter, &project) else {
                    println!("not tried: no {interpreter} on this machine");
                    continue;
                };
                let call = Helper::at(interpreter).call(project.path());
                let run = call.args([&tool, "--help"]).env("HOME", project.path());
                let run = run.run().expect_code(0);
                assert_eq!(run.stdout(), direct.stdout(), "{name}");
                assert_eq!(run.stderr(), "", "{name}");
            }
        }
    });
}

/// The first program of this name that works in a test's environment. Some are wrappers that need another environment.
fn on_path(program: &str, project: &Project) -> Option<PathBuf> {
    let works = |file: &PathBuf| {
        let call = Helper::at(file).call(project.path());
        file.is_file() && call.args(["-c", ""]).run().code() == 0
    };
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path)
        .map(|folder| folder.join(program))
        .find(works)
}

#[test]
fn declared_samples_leave_with_a_declared_code() {
    for_every_row(|row| {
        let helper = Helper::named(&row.name);
        let contract = workspace_root().join(format!(
            "skills/{}/scripts/{}.contract.json",
            row.owner, row.name
        ));
        let text = fs::read_to_string(&contract)
            .unwrap_or_else(|error| panic!("{}: {error}", contract.display()));
        let contract: Value = serde_json::from_str(&text).expect("a contract");
        let samples = contract["samples"].as_array().expect("samples");
        assert!(!samples.is_empty(), "{} declares no sample", row.name);
        for sample in samples {
            let args: Vec<&str> = sample["args"]
                .as_array()
                .expect("args")
                .iter()
                .filter_map(Value::as_str)
                .collect();
            let project = installed(row, &helper);
            let run = through_launcher(&project, row).args(&args).run();
            let codes = sample["exit"].as_array().expect("exit");
            assert!(
                codes
                    .iter()
                    .any(|code| code.as_i64() == Some(run.code().into())),
                "{args:?}: {run}"
            );
            if args.contains(&"--json") {
                run.envelope();
            }
        }
    });
}
