//! What a started script must not reach. A script in a tree that is linted with `--run` tries each attack; the test checks the
//! effect outside.

#![expect(
    clippy::disallowed_methods,
    reason = "what happens outside the sandbox is looked at directly"
)]

use std::fmt::Write as _;
use std::net::{TcpListener, UdpSocket};
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::net::{SocketAddr, UnixListener};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use aris_testkit::{Helper, Project, Run};

use super::body;

/// Runs the attack, which is Python code, as a script's `--help`. `None`, with the reason printed, where there is no sandbox.
fn attacked(attack: &str) -> Option<Run> {
    attacked_in(&Project::bare(), attack)
}

fn attacked_in(project: &Project, attack: &str) -> Option<Run> {
    let help = "print('Usage: x\\nExamples:\\n  x')\n";
    let tries = attack.lines().map(|line| format!("    {line}\n"));
    let script = format!(
        "#!/usr/bin/env python3\nimport ctypes, os, signal, socket, subprocess\ntry:\n{}except Exception as e:\n    print('failed:', e)\nopen('ended', 'w')\n{help}",
        tries.collect::<String>()
    );
    project.write("skills/a/SKILL.md", body("Body."));
    project.write("skills/a/scripts/x.py", script);
    let run = lint(project, &[]);
    if run.code() == 5 {
        eprintln!("skipped: {}", run.error());
        return None;
    }
    // The script reached its end, whether or not the attack failed: it left its last file and printed its help.
    let data = run.data();
    let found: Vec<&str> = (data.as_array().expect("a list").iter())
        .map(|item| item["message"].as_str().expect("text"))
        .collect();
    assert_eq!(
        found,
        ["--help left files behind: ./ended"],
        "{}",
        run.stderr()
    );
    assert_eq!(run.envelope()["meta"]["sandbox"]["by"], "bubblewrap");
    Some(run)
}

fn lint(project: &Project, more: &[&str]) -> Run {
    Helper::at(env!("CARGO_BIN_EXE_skill_lint"))
        .call(project.path())
        .args([
            "--json",
            "--no-config",
            "--fail-on",
            "never",
            "--rule",
            "SR301,SR302,SR308",
            "--run",
        ])
        .args(more)
        .args(["skills"])
        .run()
}

fn victim() -> Child {
    let mut sleep = Command::new("sleep");
    sleep.arg("60").stdout(Stdio::null());
    sleep.spawn().expect("a process")
}

#[test]
fn without_bubblewrap_nothing_runs_unless_it_is_said() {
    let project = Project::bare();
    let at = project.path().display();
    project.write("skills/a/SKILL.md", body("Body."));
    let script = format!("#!/bin/sh\necho x >'{at}/ran'\necho 'Usage: x'; echo 'Examples: x'\n");
    project.write("skills/a/scripts/x.sh", script);
    project.write("path/keep", "");
    for program in ["sh", "rm", "chmod"] {
        let from = Path::new("/bin").join(program);
        std::os::unix::fs::symlink(from, project.at(&format!("path/{program}"))).expect("a link");
    }
    let call = |flags: &[&str]| {
        Helper::at(env!("CARGO_BIN_EXE_skill_lint"))
            .call(project.path())
            .env("PATH", project.at("path"))
            .args(["--json", "--no-config", "--rule", "SR3", "--run"])
            .args(flags)
            .args(["skills"])
            .run()
    };
    let refused = call(&[]).expect_code(5);
    let said = refused.error()["message"].to_string();
    assert!(
        said.contains("not sandboxed: bubblewrap is not installed"),
        "{said}"
    );
    assert!(!project.at("ran").exists());
    let ran = call(&["--unsandboxed"]).expect_code(0);
    assert!(ran.stderr().contains("not sandboxed"), "{}", ran.stderr());
    assert!(project.at("ran").exists());
}

#[test]
fn a_tree_that_holds_the_homes_is_not_started() {
    let run = Helper::at(env!("CARGO_BIN_EXE_skill_lint"))
        .call("/")
        .args([
            "--json",
            "--no-config",
            "--allow-empty",
            "--rule",
            "SR301",
            "--run",
            "/run",
        ])
        .run();
    assert_eq!(run.code(), 5, "{}", run.stdout());
}

#[test]
fn files_stay_as_they_are_below_submounts_too() {
    let project = Project::bare();
    project.write("skills/a/mnt/x", "");
    let below = project.at("skills/a/mnt");
    let outside = tempfile::tempdir().expect("temp");
    let mount = |program: &str, args: &[&str], at: &Path| {
        let done = aris_proc::command(program, "/").args(args).arg(at);
        done.run(Duration::from_secs(5))
            .is_ok_and(|done| done.success())
    };
    let places = [below.as_path(), outside.path()];
    let mounted: Vec<&Path> = (places.into_iter())
        .filter(|at| mount("mount", &["-t", "tmpfs", "none"], at))
        .collect();
    if mounted.len() < places.len() {
        eprintln!("note: no submount could be made, plain folders are tried");
    }
    let mut attack = String::new();
    for at in places {
        std::fs::write(at.join("kept"), "old").expect("file");
        for name in ["kept", "added"] {
            writeln!(
                attack,
                "try: open('{}/{name}', 'w').write('new')",
                at.display()
            )
            .expect("text");
            writeln!(attack, "except OSError: pass").expect("text");
        }
    }
    let made =
        ["/etc", "/usr", "/dev/shm", "/var/tmp"].map(|at| Path::new(at).join("skill-lint-escape"));
    for at in &made {
        writeln!(
            attack,
            "try: open('{}', 'w').write('new')\nexcept OSError: pass",
            at.display()
        )
        .expect("text");
    }
    attacked_in(&project, &attack);
    let changed = places.iter().any(|at| {
        std::fs::read_to_string(at.join("kept")).expect("file") != "old"
            || at.join("added").exists()
    });
    for at in mounted {
        assert!(mount("umount", &[], at));
    }
    assert!(!changed && !made.iter().any(|at| at.exists()));
}

#[test]
fn sockets_of_the_user_are_out_of_reach() {
    let name = format!("skill-lint-escape-{}", std::process::id());
    let folder = ["/run/user/0", "/run", "/tmp"]
        .iter()
        .map(Path::new)
        .find(|at| std::fs::write(at.join(&name), "").is_ok());
    let at = folder.expect("a folder").join(&name);
    std::fs::remove_file(&at).expect("removed");
    let listener = UnixListener::bind(&at).expect("a socket");
    let address = SocketAddr::from_abstract_name(&name).expect("a name");
    let hidden = UnixListener::bind_addr(&address).expect("a socket");
    for listener in [&listener, &hidden] {
        listener.set_nonblocking(true).expect("set");
    }
    let by_path = attacked(&format!(
        "s = socket.socket(socket.AF_UNIX)\ns.connect('{}')",
        at.display()
    ));
    let by_name = attacked(&format!(
        "s = socket.socket(socket.AF_UNIX)\ns.connect('\\0{name}')"
    ));
    std::fs::remove_file(&at).expect("removed");
    if by_path.is_some() && by_name.is_some() {
        assert!(listener.accept().is_err() && hidden.accept().is_err());
    }
}

#[test]
fn there_is_no_network() {
    let tcp = TcpListener::bind("127.0.0.1:0").expect("a port");
    tcp.set_nonblocking(true).expect("set");
    let udp = UdpSocket::bind("127.0.0.1:0").expect("a port");
    udp.set_nonblocking(true).expect("set");
    let (tcp_port, udp_port) = (
        tcp.local_addr().expect("an address").port(),
        udp.local_addr().expect("an address").port(),
    );
    let tcp_ran = attacked(&format!(
        "socket.create_connection(('127.0.0.1', {tcp_port}), 2)"
    ));
    let udp_ran = attacked(&format!(
        "socket.socket(type=socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', {udp_port}))"
    ));
    if tcp_ran.is_some() && udp_ran.is_some() {
        assert!(tcp.accept().is_err() && udp.recv(&mut [0]).is_err());
    }
}

#[test]
fn temporary_folders_and_homes_are_the_call_s_own() {
    let secret = tempfile::NamedTempFile::new().expect("a file");
    let home = std::env::home_dir().expect("a home");
    let entries = std::fs::read_dir(&home)
        .expect("a list")
        .filter_map(Result::ok);
    let files = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()));
    let seen: Vec<String> = files
        .map(|entry| entry.path())
        .chain([secret.path().to_path_buf()])
        .map(|path| format!("{:?}", path.display().to_string()))
        .collect();
    let made = format!("/tmp/skill-lint-escape-{}", std::process::id());
    let ran = attacked(&format!(
        "open('{made}', 'w').write('x')\nif any(map(os.path.exists, [{}])): os._exit(9)",
        seen.join(", ")
    ));
    assert!(ran.is_none() || !Path::new(&made).exists());
}

#[test]
fn other_processes_are_out_of_reach() {
    let mut child = victim();
    let id = child.id();
    let killed = attacked(&format!("os.kill({id}, signal.SIGKILL)"));
    // 16 is PTRACE_ATTACH; the attached process would stop.
    let traced = attacked(&format!(
        "if ctypes.CDLL(None).ptrace(16, {id}, 0, 0) == 0 or os.path.exists('/proc/{id}/mem') and b'sleep' in open('/proc/{id}/cmdline', 'rb').read(): os._exit(9)"
    ));
    let alive = child.try_wait().expect("asked").is_none();
    let state = std::fs::read_to_string(format!("/proc/{id}/stat")).expect("read");
    child.kill().expect("killed");
    child.wait().expect("gone");
    if killed.is_some() && traced.is_some() {
        assert!(alive && state.contains(") S "), "{state}");
    }
}

/// A finding quotes what a script prints, and so could leak keys and passwords of the machine.
#[test]
fn secrets_of_the_machine_are_not_shown() {
    for secret in [
        "/etc/shadow",
        "/etc/ssl/private",
        "/etc/ssh",
        "/etc/hostname",
    ] {
        attacked(&format!(
            "if os.path.exists('{secret}'): open('leaked', 'w')"
        ));
    }
    // The parts that programs need are visible.
    attacked("if not os.path.exists('/etc/passwd'): open('missing', 'w')");
}
