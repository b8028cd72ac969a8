#![allow(clippy::disallowed_methods, reason = "tests prepare files directly")]

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};

use aris_proc::End;
use tempfile::TempDir;

use super::*;
use crate::Exit;
use crate::tests::{PATIENCE, shells};

fn contract() -> Contract {
    Contract {
        name: String::from("tool"),
        version: String::from("1.2.3"),
        summary: String::from("Do a thing"),
        usage: String::from("tool [OPTIONS]"),
        input: String::from("a file"),
        output: String::from("a line"),
        stderr: String::from("notes"),
        exit: vec![
            Exit {
                code: 0,
                meaning: String::from("done"),
            },
            Exit {
                code: 2,
                meaning: String::from("usage"),
            },
        ],
        json_schemas: Vec::new(),
        examples: vec![String::from("tool --json x"), String::from("tool y")],
    }
}

/// A skill folder with the launcher, and a shell as its binary: `launcher -c 'exit 7'` exits with 7.
struct Skill {
    folder: TempDir,
}

impl Skill {
    fn new() -> Self {
        let folder = tempfile::Builder::new()
            .prefix("a skill ")
            .tempdir()
            .expect("temp");
        let skill = Self { folder };
        fs::create_dir_all(skill.at("scripts/bin")).expect("folders");
        fs::create_dir_all(skill.at("home")).expect("folders");
        fs::write(
            skill.at("scripts/tool"),
            launcher(&contract()).expect("launcher"),
        )
        .expect("write");
        skill
    }

    fn with_binary() -> Self {
        let skill = Self::new();
        copy_shell(&skill.binary());
        fs::set_permissions(skill.binary(), fs::Permissions::from_mode(0o755)).expect("mode");
        skill
    }

    fn at(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    fn binary(&self) -> PathBuf {
        self.at(&format!(
            "scripts/bin/tool-{}-unknown-linux-gnu",
            std::env::consts::ARCH
        ))
    }

    fn run(&self, interpreter: &[&str], launcher: &Path, args: &[&str]) -> (End, String, String) {
        let done = interpreted(interpreter, self.folder.path())
            .arg(launcher)
            .args(args)
            .env("HOME", self.at("home"))
            .env_remove("XDG_CACHE_HOME")
            .run(PATIENCE)
            .expect("ran");
        (
            done.end,
            done.stdout.text().into_owned(),
            done.stderr.text().into_owned(),
        )
    }
}

fn interpreted(interpreter: &[&str], folder: &Path) -> aris_proc::Command {
    aris_proc::command(interpreter[0], folder).args(&interpreter[1..])
}

/// Copies a shell to `path` with `cp`. If this process wrote the file, a child of another test could still hold it open, and the system
/// would refuse to run it.
fn copy_shell(path: &Path) {
    let shell = fs::canonicalize("/bin/sh").expect("a shell");
    let done = aris_proc::command("cp", "/")
        .args([shell.as_path(), path])
        .run(PATIENCE)
        .expect("ran");
    assert!(done.success(), "{}", done.stderr.text());
}

/// Arguments that any quoting mistake would change.
const AWKWARD: [&str; 7] = [
    "-c",
    r#"printf '<%s>' "$@"; exit 7"#,
    "name",
    "a  b",
    "*",
    "$HOME",
    "",
];

fn assert_awkward(result: &(End, String, String)) {
    let expected = (
        End::Exited(7),
        String::from("<a  b><*><$HOME><>"),
        String::new(),
    );
    assert_eq!(*result, expected);
}

#[test]
fn arguments_and_exit_code_pass_through_every_way_of_calling_it() {
    let skill = Skill::with_binary();
    let launcher = skill.at("scripts/tool");
    fs::create_dir(skill.at("links")).expect("folder");
    symlink(&launcher, skill.at("links/absolute")).expect("link");
    symlink("../scripts/tool", skill.at("links/relative")).expect("link");
    symlink("relative", skill.at("links/twice")).expect("link");
    symlink("scripts", skill.at("folder")).expect("link");
    for interpreter in &shells() {
        for path in [
            "scripts/tool",
            "./scripts/tool",
            "links/absolute",
            "links/relative",
            "links/twice",
            "folder/tool",
        ] {
            assert_awkward(&skill.run(interpreter, Path::new(path), &AWKWARD));
        }
        assert_awkward(&skill.run(interpreter, &launcher, &AWKWARD));
    }
    fs::set_permissions(&launcher, fs::Permissions::from_mode(0o755)).expect("mode");
    let direct = aris_proc::command(&launcher, "/")
        .args(AWKWARD)
        .run(PATIENCE)
        .expect("ran");
    assert_eq!(
        (direct.end, direct.stdout.text().as_ref()),
        (End::Exited(7), "<a  b><*><$HOME><>")
    );
    // From the launcher's own folder, called without a slash in the name.
    for interpreter in &shells() {
        let command = interpreted(interpreter, &skill.at("scripts"));
        let done = command
            .arg("tool")
            .args(["-c", "exit 3"])
            .run(PATIENCE)
            .expect("ran");
        assert_eq!(done.end, End::Exited(3), "{}", done.stderr.text());
    }
}

#[test]
fn a_lost_execute_bit_is_restored() {
    let skill = Skill::with_binary();
    fs::set_permissions(skill.binary(), fs::Permissions::from_mode(0o644)).expect("mode");
    assert_awkward(&skill.run(&["sh"], &skill.at("scripts/tool"), &AWKWARD));
    assert_ne!(
        fs::metadata(skill.binary())
            .expect("meta")
            .permissions()
            .mode()
            & 0o111,
        0
    );
}

#[test]
fn where_the_bit_cannot_be_set_a_copy_in_the_cache_runs() {
    let skill = Skill::with_binary();
    fs::set_permissions(skill.binary(), fs::Permissions::from_mode(0o644)).expect("mode");
    // Root may change any mode, so this `chmod` fails for files in `bin`, as on a read-only file system.
    let tools = skill.at("tools");
    fs::create_dir(&tools).expect("folder");
    fs::write(
        tools.join("chmod"),
        "#!/bin/sh\ncase $2 in */bin/tool-*) exit 1 ;; esac\nexec /bin/chmod \"$@\"\n",
    )
    .expect("write");
    fs::set_permissions(tools.join("chmod"), fs::Permissions::from_mode(0o755)).expect("mode");
    let path = format!("{}:/usr/bin:/bin", tools.display());
    let run = |interpreter: &[&str]| {
        interpreted(interpreter, skill.folder.path())
            .arg("scripts/tool")
            .args(AWKWARD)
            .env("PATH", &path)
            .env("HOME", skill.at("home"))
            .env("XDG_CACHE_HOME", "not/absolute")
            .run(PATIENCE)
            .expect("ran")
    };
    let cached = || {
        let folder = skill.at("home/.cache/aris/bin");
        let names = fs::read_dir(folder)
            .expect("cache")
            .map(|entry| entry.expect("entry").path());
        names.collect::<Vec<_>>()
    };
    for interpreter in &shells() {
        let done = run(interpreter);
        assert_awkward(&(
            done.end,
            done.stdout.text().into_owned(),
            done.stderr.text().into_owned(),
        ));
        assert_eq!(cached().len(), 1, "one copy and no temporary file");
    }
    assert_eq!(
        fs::metadata(skill.binary())
            .expect("meta")
            .permissions()
            .mode()
            & 0o111,
        0
    );
    let name = cached()[0]
        .file_name()
        .expect("name")
        .to_string_lossy()
        .into_owned();
    assert!(name.starts_with("tool-1.2.3-"), "{name}");
    // Where no copy can be made either, the error says so.
    let stuck = aris_proc::command("sh", skill.folder.path())
        .args(["scripts/tool", "--json"])
        .env("PATH", &path)
        .env("HOME", "/dev/null")
        .env_remove("XDG_CACHE_HOME")
        .run(PATIENCE)
        .expect("ran");
    assert_eq!(stuck.end, End::Exited(5));
    assert!(
        stuck.stdout.text().contains("cannot be made executable"),
        "{}",
        stuck.stdout.text()
    );
    assert!(
        stuck.stderr.text().contains("scripts/bin/tool-"),
        "{}",
        stuck.stderr.text()
    );
    // A copy that differs from the binary is replaced, never run.
    fs::write(&cached()[0], "#!/bin/sh\nexit 0\n").expect("write");
    assert_eq!(run(&["sh"]).end, End::Exited(7));
}

#[test]
fn without_a_binary_it_says_what_is_missing_and_leaves_with_five() {
    let skill = Skill::new();
    let launcher = skill.at("scripts/tool");
    for interpreter in &shells() {
        let (end, stdout, stderr) = skill.run(interpreter, &launcher, &["x"]);
        assert_eq!((end, stdout.as_str()), (End::Exited(5), ""));
        assert_eq!(stderr.lines().count(), 1, "{stderr}");
        assert!(
            stderr.contains(std::env::consts::ARCH)
                && stderr.contains("cargo xtask install-skills"),
            "{stderr}"
        );
        let (end, stdout, _) = skill.run(interpreter, &launcher, &["x", "--json"]);
        let envelope: serde_json::Value = serde_json::from_str(&stdout).expect("one envelope");
        assert_eq!(
            (end, &envelope["error"]["code"]),
            (End::Exited(5), &"PRECONDITION".into())
        );
        // After `--` it is an argument, not a flag.
        assert_eq!(skill.run(interpreter, &launcher, &["--", "--json"]).1, "");
    }
}

#[test]
fn an_empty_binary_is_none() {
    let skill = Skill::new();
    fs::write(skill.binary(), "").expect("write");
    fs::set_permissions(skill.binary(), fs::Permissions::from_mode(0o755)).expect("mode");
    assert_eq!(
        skill.run(&["sh"], &skill.at("scripts/tool"), &[]).0,
        End::Exited(5)
    );
}

#[test]
fn path_comes_last_and_never_leads_back_to_a_launcher() {
    let skill = Skill::new();
    let launcher = skill.at("scripts/tool");
    fs::set_permissions(&launcher, fs::Permissions::from_mode(0o755)).expect("mode");
    let elsewhere = skill.at("elsewhere");
    fs::create_dir(&elsewhere).expect("folder");
    let path = format!(
        "relative:{}:{}:/usr/bin:/bin",
        skill.at("scripts").display(),
        elsewhere.display()
    );
    let run = || {
        let command = aris_proc::command("sh", skill.folder.path())
            .arg(&launcher)
            .args(AWKWARD)
            .env("PATH", &path);
        command
            .env("HOME", skill.at("home"))
            .run(PATIENCE)
            .expect("ran")
    };
    assert_eq!(run().end, End::Exited(5));
    copy_shell(&elsewhere.join("tool"));
    let done = run();
    assert_eq!(
        (done.end, done.stdout.text().as_ref()),
        (End::Exited(7), "<a  b><*><$HOME><>")
    );
    assert!(
        done.stderr.text().contains("no binary beside the launcher"),
        "{}",
        done.stderr.text()
    );
    // A binary beside the launcher comes first.
    copy_shell(&skill.binary());
    assert_eq!(run().stderr.text(), "");
}

#[test]
fn the_head_holds_the_contract_in_twenty_five_lines() {
    let whole = launcher(&contract()).expect("launcher");
    let head: Vec<&str> = whole.lines().take(HEAD).collect();
    assert_eq!(head[0], "#!/bin/sh");
    for (label, body) in [
        ("Usage", "tool [OPTIONS]"),
        ("Input", "a file"),
        ("Exit", "0 done; 2 usage"),
        ("Examples", "tool --json x"),
    ] {
        let line = format!("# {:<10} {body}", format!("{label}:"));
        assert!(head.contains(&line.as_str()), "{line:?} in {head:?}");
    }
    for placeholder in ["@HEADER@", "@HELPER@", "@VERSION@"] {
        assert!(!whole.contains(placeholder), "{whole}");
    }
    let mut long = contract();
    long.examples = (0..40).map(|n| format!("tool {n}")).collect();
    let text_of_long = launcher(&long).expect("as many examples as fit");
    assert!(
        text_of_long
            .lines()
            .nth(HEAD)
            .is_some_and(|line| !line.starts_with('#')),
        "{text_of_long}"
    );
    long.input = "word ".repeat(600);
    assert!(launcher(&long).is_err());
    long = contract();
    long.examples.clear();
    assert!(launcher(&long).is_err());
}
