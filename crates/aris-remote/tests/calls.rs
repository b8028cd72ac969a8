//! Calls through a fake ssh, and through the test bed's real sshd where there is one.
#![cfg(test)]
#![allow(clippy::disallowed_methods, reason = "tests prepare files directly")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use aris_contract::failure::Told;
use aris_contract::{ErrorKind, Failure as _};
use aris_remote::{Program, Request, Server};
use aris_testkit::{Sshd, executable};
use tempfile::TempDir;

/// A fake ssh: runs the command line in a shell on this machine, with another home folder. The file `plan` has a line for each connection,
/// which says what it does; each connection uses the first line and removes it.
const SSH: &str = r#"#!/bin/sh
here=$(dirname "$0")
for line do :; done
printf '%s\n' "$*" >> "$here/connections"
do=$(head -n 1 "$here/plan" 2>/dev/null)
sed -i 1d "$here/plan" 2>/dev/null
export HOME="$here/home"
case "$do" in
  down) echo "ssh: connect to host gpu port 22: Connection refused" >&2; exit 255 ;;
  key) echo "Host key verification failed." >&2; exit 255 ;;
  denied) echo "user@gpu: Permission denied (publickey)." >&2; exit 255 ;;
  deaf) cat >/dev/null; exit 255 ;;
  cut) sh -c "$line" >/dev/null 2>&1; exit 255 ;;
  torn) sh -c "$line" | head -c 40; exit 255 ;;
  short) head -c 1000 | sh -c "$line"; exit $? ;;
  noise) printf 'Welcome to gpu\naris-agent 00 5\n\377\376 no line end'; exec sh -c "$line" ;;
  *) exec sh -c "$line" ;;
esac
"#;

struct Bed {
    folder: TempDir,
    server: Server,
    program: Program,
}

fn agent() -> Program {
    Program::read(
        Path::new(env!("CARGO_BIN_EXE_remote_agent")),
        "remote_agent",
    )
    .expect("built")
}

fn bed(plan: &[&str]) -> Bed {
    let folder = tempfile::Builder::new()
        .prefix("a b ")
        .tempdir()
        .expect("temp");
    let ssh = folder.path().join("ssh");
    fs::write(&ssh, SSH).expect("written");
    executable(&ssh);
    fs::create_dir(folder.path().join("home")).expect("home");
    fs::write(folder.path().join("plan"), plan.join("\n") + "\n").expect("written");
    Bed {
        server: Server::new("gpu", None, folder.path())
            .expect("a host")
            .with_ssh(ssh),
        program: agent(),
        folder,
    }
}

impl Bed {
    fn home(&self) -> PathBuf {
        self.folder.path().join("home/.aris_queue")
    }

    fn connections(&self) -> String {
        fs::read_to_string(self.folder.path().join("connections")).unwrap_or_default()
    }
}

fn request(args: &[&str]) -> Request {
    let mut request = Request::new("grid-1");
    request.files = BTreeMap::from([(String::from("manifest.json"), String::from("{\"é\": 1}\n"))]);
    request.args = args.iter().map(|arg| (*arg).to_owned()).collect();
    request
}

const HOSTILE: [&str; 5] = [
    "$(touch pwned)",
    "'; touch pwned; '",
    "a\nb",
    "--x=\u{202e}",
    "`id`",
];

/// Checks that an error is of this kind and contains these words.
#[track_caller]
fn is(error: &Told, kind: ErrorKind, words: &str) {
    assert_eq!(error.kind(), kind, "{error}");
    assert!(error.to_string().contains(words), "{error}");
}

#[test]
fn a_program_is_put_there_once_and_called_with_arguments_of_any_kind() {
    let bed = bed(&["noise", "noise", "noise", "noise"]);
    bed.server.deploy(&bed.program).expect("deployed");
    let answer = bed
        .server
        .call(&bed.program, &request(&HOSTILE))
        .expect("an answer");
    assert_eq!((answer.code, answer.stdout), (10, HOSTILE.join("\n")));
    assert_eq!(answer.stderr, "said");
    let run = bed.home().join("runs/grid-1");
    assert_eq!(
        fs::read_to_string(run.join("manifest.json")).expect("there"),
        "{\"é\": 1}\n"
    );
    let before = bed.connections().lines().count();
    bed.server.deploy(&bed.program).expect("there already");
    assert_eq!(
        bed.connections().lines().count(),
        before + 1,
        "one question, no second copy"
    );
    for line in bed.connections().lines() {
        assert!(
            !line.contains("pwned") && !line.contains("grid-1"),
            "{line}"
        );
    }
    let everything = Command::new("find")
        .arg(bed.folder.path())
        .output()
        .expect("find");
    assert!(!String::from_utf8_lossy(&everything.stdout).contains("pwned"));
}

#[test]
fn cuts_are_tried_again_and_end_as_unreachable() {
    let bed = bed(&["", "", "", "down", "torn", ""]);
    bed.server.deploy(&bed.program).expect("deployed");
    let answer = bed.server.call(&bed.program, &request(&["status"]));
    assert_eq!(answer.expect("an answer").stdout, "status");

    for plan in ["down", "cut", "torn", "deaf"] {
        let bed = self::bed(&["", "", "", plan, plan, plan, ""]);
        bed.server.deploy(&bed.program).expect("deployed");
        let error = bed
            .server
            .call(&bed.program, &request(&["status"]))
            .expect_err(plan);
        is(&error, ErrorKind::Unavailable, "cannot be reached: ");
        let answer = bed.server.call(&bed.program, &request(&["status"]));
        assert_eq!(
            answer.expect("an answer").stdout,
            "status",
            "{plan}: up again"
        );
    }
}

#[test]
fn refusals_are_not_tried_again() {
    for plan in ["key", "denied"] {
        let bed = bed(&[plan]);
        let error = bed
            .server
            .call(&bed.program, &request(&["status"]))
            .expect_err(plan);
        is(&error, ErrorKind::Precondition, " refuses the connection: ");
        assert_eq!(bed.connections().lines().count(), 1);
    }
}

#[test]
fn a_program_that_is_not_there_is_said_to_be_absent() {
    let bed = bed(&[]);
    let error = bed
        .server
        .call(&bed.program, &request(&[]))
        .expect_err("absent");
    is(&error, ErrorKind::Precondition, "the program is not on ");
    assert!(!bed.home().exists(), "nothing was made");
}

#[test]
fn a_cut_while_the_program_is_brought_leaves_nothing_that_runs() {
    let bed = bed(&["", "short", "", "", ""]);
    let error = bed.server.deploy(&bed.program).expect_err("cut");
    is(&error, ErrorKind::Unavailable, "cannot be reached: ");
    let left: Vec<_> = fs::read_dir(bed.home().join("bin"))
        .expect("folders")
        .flat_map(|entry| fs::read_dir(entry.expect("entry").path()).expect("folder"))
        .collect();
    assert!(left.is_empty(), "{left:?}");
    bed.server.deploy(&bed.program).expect("deployed at last");
}

#[test]
fn a_program_for_another_machine_is_named() {
    let bed = bed(&[]);
    let foreign = bed.folder.path().join("foreign");
    fs::write(&foreign, b"\x7fELF\x02\x01\x01 not for this machine").expect("written");
    let program = Program::read(&foreign, "remote_agent").expect("read");
    let error = bed.server.deploy(&program).expect_err("cannot run");
    is(
        &error,
        ErrorKind::Precondition,
        "the program does not run on ",
    );
}

#[test]
fn names_cannot_leave_their_place() {
    let bed = bed(&[]);
    for name in [
        "",
        ".",
        "..",
        "a/b",
        "-x",
        ".ssh",
        "a b",
        "a\nb",
        &"x".repeat(101),
    ] {
        let mut unsafe_run = request(&["x"]);
        unsafe_run.folder = (*name).to_owned();
        let error = bed.server.call(&bed.program, &unsafe_run).expect_err(name);
        is(&error, ErrorKind::Usage, "run ");
        let mut unsafe_file = request(&["x"]);
        unsafe_file.files.insert((*name).to_owned(), String::new());
        let error = bed.server.call(&bed.program, &unsafe_file).expect_err(name);
        is(&error, ErrorKind::Usage, "file ");
    }
    for host in ["", "-oProxyCommand=touch pwned", "a b", "a\n"] {
        let error = Server::new(host, None, bed.folder.path()).expect_err(host);
        is(&error, ErrorKind::Usage, "host ");
    }
    assert_eq!(bed.connections(), "", "nobody was asked");
}

fn server(sshd: &Sshd, folder: &TempDir, host: &str) -> Server {
    Server::new(host, Some(&sshd.config()), folder.path()).expect("a host")
}

#[test]
fn a_real_sshd_serves_refuses_and_is_cut() {
    let Some(sshd) = Sshd::up() else { return };
    let here = tempfile::tempdir().expect("temp");
    let program = agent();
    // The run is in the home folder of the user who runs the tests, so it has a unique name and is removed at the end.
    let name = format!("aris-remote-test-{}", std::process::id());
    let mut call = request(&HOSTILE);
    call.folder.clone_from(&name);
    let there = server(&sshd, &here, "gpu");
    there.deploy(&program).expect("deployed");
    let answer = there.call(&program, &call).expect("an answer");
    assert_eq!((answer.code, answer.stdout), (10, HOSTILE.join("\n")));

    let error = server(&sshd, &here, "gpu-dead")
        .call(&program, &call)
        .expect_err("nobody listens");
    is(&error, ErrorKind::Unavailable, "cannot be reached: ");
    let error = server(&sshd, &here, "gpu-badkey")
        .call(&program, &call)
        .expect_err("another key");
    is(&error, ErrorKind::Precondition, " refuses the connection: ");

    sshd.control("relay-start");
    let relayed = server(&sshd, &here, "gpu-cut");
    assert_eq!(relayed.call(&program, &call).expect("an answer").code, 10);
    sshd.control("relay-cut");
    let again = relayed.call(&program, &call);
    if let Err(error) = again {
        is(&error, ErrorKind::Unavailable, "cannot be reached: ");
    }

    Sshd::forget(Path::new(env!("CARGO_BIN_EXE_remote_agent")));
    fs::remove_dir_all(Sshd::home().join("runs").join(&name)).expect("removed");
}
