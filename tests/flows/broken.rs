//! A helper that is missing, broken or outdated is always noticed: the doctor reports it, `contract_check run` applies the
//! policy, and the resolver block with the launcher exits with a code that is not a verdict.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use aris_contract::helpers::{self, Helper as Row};
use aris_contract::policy::Policy;
use aris_testkit::{Helper, Project, Run, workspace_root};

use crate::conformance::for_every_row;

/// The result of a call of the helper.
#[derive(Clone, Copy, Debug)]
enum Call {
    /// It runs, and exits with 0.
    Works,
    /// The launcher or the shim reports that it cannot run: exit 5.
    Refused,
    /// The program cannot be started or dies: 126 and above.
    Dies,
    /// No usable file is found.
    Unresolved,
}

struct Fault {
    what: &'static str,
    plant: fn(&Project, &Row),
    /// The doctor's finding: id, and a part of its path.
    named: (&'static str, fn(&Row) -> String),
    call: Call,
}

const FAULTS: &[Fault] = &[
    Fault {
        what: "no launcher, here nor in the source",
        plant: |project, row| {
            remove(&project.at(&launcher(row)));
            no_source(project);
        },
        named: ("entry_missing", launcher_in_project),
        call: Call::Refused,
    },
    Fault {
        what: "no launcher here",
        plant: |project, row| remove(&project.at(&launcher(row))),
        named: ("launcher_broken", launcher_in_project),
        call: Call::Works,
    },
    Fault {
        what: "a link to nothing for a launcher",
        plant: |project, row| {
            remove(&project.at(&launcher(row)));
            symlink("nowhere", project.at(&launcher(row))).expect("link");
            no_source(project);
        },
        named: ("launcher_broken", launcher_in_project),
        call: Call::Refused,
    },
    Fault {
        what: "a folder for a launcher",
        plant: |project, row| {
            remove(&project.at(&launcher(row)));
            fs::create_dir(project.at(&launcher(row))).expect("folder");
        },
        named: ("launcher_broken", launcher_in_project),
        call: Call::Refused,
    },
    Fault {
        what: "an edited launcher",
        plant: |project, row| {
            let text = project.read(&launcher(row));
            project.write(&launcher(row), text + "# edited\n");
        },
        named: ("digest_mismatch", launcher_in_project),
        call: Call::Works,
    },
    Fault {
        what: "a launcher of another version",
        plant: |project, row| {
            let text = project.read(&launcher(row));
            let version = format!("aris_version={}", env!("CARGO_PKG_VERSION"));
            assert!(text.contains(&version));
            project.write(&launcher(row), text.replace(&version, "aris_version=0.0.1"));
        },
        named: ("version_mismatch", |row| format!("bin/{}-", row.name)),
        call: Call::Works,
    },
    Fault {
        what: "no binary",
        plant: |project, row| remove(&project.at(&binary(row))),
        named: ("binary_missing", |row| format!("{}/scripts/bin", row.owner)),
        call: Call::Refused,
    },
    Fault {
        what: "an empty binary",
        plant: |project, row| overwrite(project, row, b""),
        named: ("binary_missing", |row| format!("{}/scripts/bin", row.owner)),
        call: Call::Refused,
    },
    Fault {
        what: "the beginning of a binary",
        plant: |project, row| {
            let whole = fs::read(Helper::named(&row.name).path()).expect("binary");
            overwrite(project, row, whole.get(..5000).expect("longer"));
        },
        named: ("binary_broken", |row| format!("bin/{}-", row.name)),
        call: Call::Dies,
    },
    Fault {
        what: "a binary of another machine",
        plant: |project, row| {
            let whole = fs::read(Helper::named(&row.name).path()).expect("binary");
            let mut other = whole.get(..5000).expect("longer").to_vec();
            // ELF: bytes 18 and 19 are the machine; 0xf7 is one that runs no Rust programs. Mach-O: bytes 4 to 7.
            other[18] = 0xf7;
            other[5] = if cfg!(target_os = "macos") {
                0xf7
            } else {
                other[5]
            };
            overwrite(project, row, &other);
        },
        named: ("binary_broken", |row| format!("bin/{}-", row.name)),
        call: Call::Dies,
    },
    Fault {
        what: "a binary of an old version",
        plant: |project, row| overwrite(project, row, said(row, "0.0.1").as_bytes()),
        named: ("version_mismatch", |row| format!("bin/{}-", row.name)),
        call: Call::Works,
    },
    Fault {
        what: "another program for a binary",
        plant: |project, row| overwrite(project, row, b"#!/bin/sh\necho something 1.0.0\n"),
        named: ("binary_broken", |row| format!("bin/{}-", row.name)),
        call: Call::Works,
    },
    Fault {
        what: "another program of the name on PATH",
        plant: |project, row| {
            let path = format!("on path/{}", row.name);
            project.write(&path, "#!/bin/sh\nexit 99\n");
            project.mode(&path, 0o755);
        },
        named: ("path_differs", |row| format!("on path/{}", row.name)),
        call: Call::Works,
    },
    Fault {
        what: "a source that is gone",
        plant: |project, _| no_source(project),
        named: ("repo_root_gone", |_| String::from(".aris/install.json")),
        call: Call::Works,
    },
    Fault {
        what: "no name of the helper under .aris/tools",
        plant: |project, row| {
            for name in row.names() {
                remove(&project.at(&format!("project/.aris/tools/{name}")));
            }
        },
        named: ("helper_unresolved", |row| row.name.clone()),
        // The launcher in the installed skill is found.
        call: Call::Works,
    },
    Fault {
        what: "a folder in the place of every name",
        plant: |project, row| {
            for name in row.names() {
                remove(&project.at(&format!("project/.aris/tools/{name}")));
                fs::create_dir(project.at(&format!("project/.aris/tools/{name}"))).expect("folder");
            }
        },
        named: ("helper_unusable", |row| format!(".aris/tools/{}", row.name)),
        call: Call::Unresolved,
    },
];

fn launcher(row: &Row) -> String {
    format!("project/{}", launcher_in_project(row))
}

fn launcher_in_project(row: &Row) -> String {
    format!(".agents/skills/{}/scripts/{}", row.owner, row.name)
}

fn binary(row: &Row) -> String {
    let system = if cfg!(target_os = "macos") {
        "apple-darwin"
    } else {
        "unknown-linux-gnu"
    };
    let folder = format!("project/.agents/skills/{}/scripts/bin", row.owner);
    format!("{folder}/{}-{}-{system}", row.name, std::env::consts::ARCH)
}

fn said(row: &Row, version: &str) -> String {
    format!("#!/bin/sh\necho '{} {version} (commit)'\n", row.name)
}

fn overwrite(project: &Project, row: &Row, bytes: &[u8]) {
    // Replace the file, as an installer would. A file that still runs as a program cannot be written to.
    remove(&project.at(&binary(row)));
    project.write(&binary(row), bytes);
    project.mode(&binary(row), 0o755);
}

fn remove(path: &Path) {
    fs::remove_file(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
}

fn no_source(project: &Project) {
    if project.at("source").exists() {
        fs::rename(project.at("source"), project.at("moved source")).expect("moved");
    }
}

fn command(project: &Project, line: &str) -> Run {
    Helper::at("/bin/sh")
        .call(project.path())
        .args(["-c", line])
        .run()
        .expect_code(0)
}

/// A copy of a project with every skill that has launchers, installed as copies from `source/` into `project/`, with programs
/// that only print their version. The copy is the state from which each case begins.
fn installed() -> Project {
    let project = Project::bare().file("project/.git/HEAD", "ref: refs/heads/main\n");
    fs::create_dir_all(project.at("home")).expect("folder");
    let skills = workspace_root().join("skills");
    for row in helpers::all() {
        for file in [
            format!("scripts/{}", row.name),
            format!("scripts/{}.contract.json", row.name),
            String::from("SKILL.md"),
        ] {
            let path = format!("{}/{file}", row.owner);
            let text =
                fs::read(skills.join(&path)).unwrap_or_else(|error| panic!("{path}: {error}"));
            project.write(&format!("source/skills/{path}"), text);
        }
        let program = binary(row).replace("project/.agents", "source");
        project.write(&program, said(row, env!("CARGO_PKG_VERSION")));
        project.mode(
            &format!("source/skills/{}/scripts/{}", row.owner, row.name),
            0o755,
        );
        project.mode(&program, 0o755);
    }
    let table = fs::read(skills.join("shared-references/helpers.toml")).expect("table");
    project.write("source/skills/shared-references/helpers.toml", table);
    let args = [
        "project",
        "--aris-repo",
        "source",
        "--mode",
        "copy",
        "--host",
        "claude,codex",
        "--quiet",
    ];
    Helper::named("install_aris")
        .call(project.path())
        .args(args)
        .run()
        .expect_code(0);
    command(&project, "cp -a project first");
    project
}

fn begin_again(project: &Project) {
    command(
        project,
        "rm -rf project 'on path' && cp -a first project && if [ -d 'moved source' ]; then mv 'moved source' source; fi",
    );
}

fn in_project(project: &Project, helper: &Helper, args: &[&str]) -> Run {
    let path = format!("{}:/usr/bin:/bin", project.at("on path").display());
    let call = helper.call(project.at("project")).args(args);
    call.env("PATH", path).env("HOME", project.at("home")).run()
}

/// The exit code of `contract_check run` under a policy.
fn by_policy(policy: Policy, code: i32) -> i32 {
    match policy {
        _ if code == 0 => 0,
        Policy::A => code,
        Policy::B | Policy::E => 0,
        Policy::C => 20,
        Policy::D1 => 21,
        Policy::D2 => 22,
    }
}

#[test]
fn a_helper_that_is_missing_broken_or_stale_is_never_silent() {
    let checker = Helper::named("contract_check");
    let project = installed();
    in_project(&project, &checker, &["doctor"]).expect_code(0);
    let rows = helpers::all();
    for (at, fault) in FAULTS.iter().enumerate() {
        // First in one helper while the others are intact, another one for each fault; then in all helpers, each of which must
        // be reported.
        let alone = rows.get(at % rows.len()..).expect("rows");
        for rows in [alone.get(..1).expect("a row"), rows] {
            begin_again(&project);
            for row in rows {
                (fault.plant)(&project, row);
            }
            is_named(&project, &checker, rows, fault);
            for row in rows {
                is_said(&project, &checker, row, fault);
            }
        }
    }
}

fn is_named(project: &Project, checker: &Helper, rows: &[Row], fault: &Fault) {
    let doctor = in_project(project, checker, &["doctor", "--json"]);
    assert_eq!(doctor.code(), 10, "{}: {doctor}", fault.what);
    let data = doctor.data();
    let findings = data["findings"].as_array().expect("findings");
    for row in rows {
        let (id, path) = (fault.named.0, (fault.named.1)(row));
        let is_named = findings.iter().any(|finding| {
            finding["id"] == id
                && finding["path"]
                    .as_str()
                    .is_some_and(|text| text.contains(&path))
        });
        let what = fault.what;
        assert!(is_named, "{what}: no {id} for {path}: {doctor}");
    }
}

fn is_said(project: &Project, checker: &Helper, row: &Row, fault: &Fault) {
    let when = format!("{}: {}", row.name, fault.what);
    let block = aris_launch::find_block("another", &[(&row.owner, row.names())]);
    let script =
        format!("set -eu\nTOOL=$(\n{block}) || exit 77\nsh \"$TOOL\" --version || exit \"$?\"");
    let block = in_project(project, &Helper::at("/bin/sh"), &["-c", &script]);
    let run = in_project(project, checker, &["run", &row.name, "--", "--version"]);
    let code = match fault.call {
        Call::Works => 0,
        Call::Refused => 5,
        Call::Unresolved => 1,
        // As in a shell: 126, 127, or 128 plus the signal. The block gives the same code.
        Call::Dies => block.code(),
    };
    match fault.call {
        Call::Works => assert_eq!(block.code(), 0, "{when}: {block}"),
        Call::Refused => assert_eq!(block.code(), 5, "{when}: {block}"),
        Call::Unresolved => assert_eq!(block.code(), 77, "{when}: {block}"),
        Call::Dies => assert!(block.code() >= 126, "{when}: {block}"),
    }
    assert_eq!(run.code(), by_policy(row.policy, code), "{when}: {run}");
    let is_said = run.stderr().contains(&format!("{} (policy ", row.name));
    assert_eq!(is_said, code != 0, "{when}: {run}");
}

/// The superuser can read every file, so a test as superuser switches to another user.
#[test]
fn a_launcher_that_may_not_be_read_is_not_passed_over() {
    let project = installed();
    // That user must be able to read the program and its input.
    let from = Helper::named("contract_check");
    command(
        &project,
        &format!(
            "cp '{}' checker && chmod 755 . checker",
            from.path().display()
        ),
    );
    let run = |program: &Path, args: &[&str]| {
        let is_superuser = fs::read_dir("/root").is_ok();
        let mut call = if is_superuser {
            let user = ["--reuid=65534", "--regid=65534", "--clear-groups"];
            Helper::at("setpriv")
                .call(project.at("project"))
                .args(user)
                .args([program])
        } else {
            Helper::at(program).call(project.at("project"))
        };
        call = call.args(args).env("HOME", project.at("home"));
        // git refuses repositories of another user.
        call.env("GIT_CEILING_DIRECTORIES", project.path()).run()
    };
    for row in helpers::all() {
        project.mode(&launcher(row), 0);
    }
    let doctor = run(&project.at("checker"), &["doctor", "--json"]).expect_code(10);
    let data = doctor.data();
    let findings = data["findings"].as_array().expect("findings");
    for_every_row(|row| {
        let is_named = findings.iter().any(|finding| {
            finding["id"] == "launcher_broken" && finding["path"] == launcher_in_project(row)
        });
        assert!(is_named, "{doctor}");
        let ran = run(
            &project.at("checker"),
            &["run", &row.name, "--", "--version"],
        );
        assert_eq!(ran.code(), by_policy(row.policy, 5), "{ran}");
        assert!(ran.stderr().contains("cannot be read"), "{ran}");
    });
}
