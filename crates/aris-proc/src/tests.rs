use std::time::{Duration, Instant};

use aris_contract::{ErrorKind, Failure as _};

use super::*;

const LONG: Duration = Duration::from_secs(20);

fn sh(script: &str) -> Command {
    command("sh", "/").args(["-c", script])
}

fn timed(command: Command, deadline: Duration) -> (Finished, Duration) {
    let start = Instant::now();
    let finished = command.run(deadline).expect("ran");
    (finished, start.elapsed())
}

#[test]
fn exit_codes_and_signals_are_told_apart() {
    for (script, end) in [
        ("exit 0", End::Exited(0)),
        ("exit 10", End::Exited(10)),
        ("exit 255", End::Exited(255)),
        ("kill -9 $$", End::Signalled(9)),
        ("kill -15 $$", End::Signalled(15)),
    ] {
        let finished = sh(script).run(LONG).expect("ran");
        assert_eq!(finished.end, end, "{script}");
        assert_eq!(finished.code().is_ok(), matches!(end, End::Exited(_)));
    }
    let killed = sh("kill -9 $$")
        .run(LONG)
        .expect("ran")
        .code()
        .expect_err("signal");
    assert_eq!(
        (killed.kind(), killed.to_string().as_str()),
        (ErrorKind::Internal, "sh was ended by signal 9")
    );
}

#[test]
fn a_deadline_ends_the_child_and_keeps_what_it_wrote() {
    let (finished, took) = timed(sh("echo begun; exec sleep 10"), Duration::from_millis(300));
    assert_eq!(finished.end, End::TimedOut);
    assert_eq!(finished.stdout.text(), "begun\n");
    assert!(
        took >= Duration::from_millis(300) && took < Duration::from_secs(5),
        "{took:?}"
    );
    let error = finished.code().expect_err("timed out");
    assert_eq!(
        (error.kind(), error.to_string().as_str()),
        (ErrorKind::Timeout, "sh did not finish within 0.300 s")
    );
    assert!(error.hint().is_some());
}

#[test]
fn a_child_that_ignores_the_first_signal_gets_the_second() {
    let (finished, took) = timed(
        sh("trap '' TERM; while :; do sleep 1; done"),
        Duration::from_millis(200),
    );
    assert_eq!(finished.end, End::TimedOut);
    assert!(
        took >= Duration::from_millis(600) && took < Duration::from_secs(3),
        "{took:?}"
    );
}

#[test]
fn the_whole_group_is_gone_after_the_deadline() {
    let folder = tempfile::tempdir().expect("temp");
    let mark = folder.path().join("mark");
    let script = "(trap '' TERM; sleep 2; echo alive > mark) & (trap '' TERM; sleep 2; echo alive > mark) & wait";
    let finished = command("sh", folder.path())
        .args(["-c", script])
        .run(Duration::from_millis(200))
        .expect("ran");
    assert_eq!(finished.end, End::TimedOut);
    // The process that would write the mark is dead, so all the test can do is wait as long as it would have taken.
    std::thread::sleep(Duration::from_millis(2200));
    assert!(!mark.exists());
}

#[test]
fn a_grandchild_that_holds_the_pipes_does_not_hold_the_caller() {
    let (finished, took) = timed(sh("sleep 30 & echo done; exit 4"), LONG);
    assert_eq!((finished.end, finished.pipe_held), (End::Exited(4), true));
    assert_eq!(finished.stdout.text(), "done\n");
    assert!(took < Duration::from_secs(8), "{took:?}");
    // Signals do not reach a process that left the group.
    let (finished, took) = timed(sh("setsid sleep 12 & sleep 30"), Duration::from_millis(200));
    assert_eq!((finished.end, finished.pipe_held), (End::TimedOut, true));
    assert!(took < Duration::from_secs(8), "{took:?}");
}

#[test]
fn a_quick_grandchild_is_still_heard() {
    let finished = sh("(sleep 0.1; echo late) & exit 0")
        .run(LONG)
        .expect("ran");
    assert_eq!(
        (finished.stdout.text().as_ref(), finished.pipe_held),
        ("late\n", false)
    );
}

#[test]
fn a_flood_is_bounded_counted_and_does_not_starve_the_deadline() {
    let total = 3_000_000_u64;
    let finished = sh(&format!(
        "head -c {total} /dev/zero; head -c 7 /dev/zero >&2"
    ))
    .capture_limit(1000)
    .run(LONG)
    .expect("ran");
    assert_eq!(
        (finished.stdout.bytes.len(), finished.stdout.dropped),
        (1000, total - 1000)
    );
    assert_eq!(
        (finished.stderr.bytes.len(), finished.stderr.dropped),
        (7, 0)
    );
    assert_eq!(finished.stdout.whole_text(), None);
    let (finished, took) = timed(
        sh("exec cat /dev/zero").capture_limit(10),
        Duration::from_millis(200),
    );
    assert_eq!(finished.end, End::TimedOut);
    assert!(took < Duration::from_secs(8), "{took:?}");
}

#[test]
fn stdin_is_the_bytes_or_nothing() {
    let bytes: Vec<u8> = (0..200_000_u32).map(|n| n.to_le_bytes()[0]).collect();
    let finished = command("cat", "/")
        .stdin(bytes.clone())
        .run(LONG)
        .expect("ran");
    assert_eq!(finished.stdout.bytes, bytes);
    assert!(
        command("cat", "/")
            .stdin(Vec::new())
            .run(LONG)
            .expect("ran")
            .stdout
            .bytes
            .is_empty()
    );
    assert!(
        command("cat", "/")
            .run(LONG)
            .expect("ran")
            .stdout
            .bytes
            .is_empty()
    );
    // A child that does not read its input is not an error.
    assert!(sh("exit 0").stdin(bytes).run(LONG).expect("ran").success());
}

#[test]
fn what_cannot_start_says_why_and_what_to_do() {
    let folder = tempfile::tempdir().expect("temp");
    std::fs::write(folder.path().join("plain"), "text").expect("write");
    let cases = [
        (
            command("no-such-program-anywhere", "/"),
            "is not installed",
            "PATH",
        ),
        (
            command("./absent", folder.path()),
            "is not installed",
            "check that",
        ),
        (
            command("./plain", folder.path()),
            "cannot start",
            "executable",
        ),
        (
            command("true", folder.path().join("nowhere")),
            "is not a directory",
            "create",
        ),
        (
            command("true", folder.path().join("plain")),
            "is not a directory",
            "create",
        ),
    ];
    for (command, message, hint) in cases {
        let error = command.run(LONG).expect_err("cannot start");
        assert_eq!(error.kind(), ErrorKind::Precondition);
        assert!(error.to_string().contains(message), "{error}");
        assert!(
            error.hint().is_some_and(|text| text.contains(hint)),
            "{error}: {:?}",
            error.hint()
        );
    }
}

#[test]
fn arguments_directory_and_environment_arrive_as_given() {
    let folder = tempfile::tempdir().expect("temp");
    let awkward = ["", "a b", "$HOME", "'\"", "*", "new\nline"];
    let finished = command("printf", folder.path())
        .arg("<%s>")
        .args(awkward)
        .run(LONG)
        .expect("ran");
    assert_eq!(finished.stdout.text(), "<><a b><$HOME><'\"><*><new\nline>");
    let real = folder.path().canonicalize().expect("real");
    let finished = command("sh", folder.path())
        .args(["-c", "pwd -P"])
        .run(LONG)
        .expect("ran");
    assert_eq!(finished.stdout.whole_text(), real.to_str());
    let script = r#"printf '%s|%s' "${ARIS_A-unset}" "${PATH:+set}""#;
    for (command, expected) in [
        (sh(script), "unset|set"),
        (sh(script).env("ARIS_A", "x y"), "x y|set"),
        (
            sh(script).env("ARIS_A", "x").env_remove("ARIS_A"),
            "unset|set",
        ),
        (
            command("/bin/sh", "/")
                .args(["-c", r#"printf '%s' "${HOME-unset}""#])
                .env_clear(),
            "unset",
        ),
    ] {
        assert_eq!(command.run(LONG).expect("ran").stdout.text(), expected);
    }
}

#[test]
fn a_relative_program_with_a_slash_is_found_in_the_directory_it_runs_in() {
    let folder = tempfile::tempdir().expect("temp");
    // A link, because a new script may still be open for writing in a child of another test (text file busy).
    std::os::unix::fs::symlink("/bin/sh", folder.path().join("tool")).expect("link");
    let finished = command("./tool", folder.path())
        .args(["-c", "exit 7"])
        .run(LONG)
        .expect("ran");
    assert_eq!(finished.end, End::Exited(7));
}

#[test]
fn nobody_is_a_zombie_afterwards_and_many_run_at_once() {
    std::thread::scope(|scope| {
        for code in 0..8 {
            scope.spawn(move || {
                for _ in 0..5 {
                    assert_eq!(
                        sh(&format!("exit {code}")).run(LONG).expect("ran").end,
                        End::Exited(code)
                    );
                }
            });
        }
    });
}

#[test]
fn an_attached_child_ends_as_it_wants_or_at_its_deadline() {
    for (script, deadline, end) in [
        ("exit 0", None, End::Exited(0)),
        ("exit 200", Some(LONG), End::Exited(200)),
        ("kill -9 $$", None, End::Signalled(9)),
        (
            "exec sleep 600",
            Some(Duration::from_millis(100)),
            End::TimedOut,
        ),
        (
            "trap '' TERM; sleep 600",
            Some(Duration::from_millis(100)),
            End::TimedOut,
        ),
    ] {
        let found = sh(script)
            .run_attached(Stdout::Stderr, deadline)
            .expect("ran");
        assert_eq!(found, end, "{script}");
    }
    let absent = command("/nowhere/at/all", "/").run_attached(Stdout::Same, None);
    assert!(
        matches!(absent, Err(ProcError::Absent { .. })),
        "{absent:?}"
    );
    let nowhere = command("sh", "/nowhere").run_attached(Stdout::Same, None);
    assert!(
        matches!(nowhere, Err(ProcError::NoDirectory { .. })),
        "{nowhere:?}"
    );
}

#[test]
fn a_stream_is_given_on_whole_and_not_kept() {
    let (mut bytes, mut pieces) = (0_u64, 0);
    let finished = sh("cat; head -c 8000000 /dev/zero; echo err >&2; exit 3")
        .stdin(vec![b'x'; 3_000_000])
        .run_streamed(LONG, &mut |piece| {
            bytes += piece.len() as u64;
            pieces += 1;
        })
        .expect("ran");
    assert_eq!((finished.end, bytes), (End::Exited(3), 11_000_000));
    assert!(pieces > 1);
    assert_eq!(finished.stdout, Captured::default());
    assert_eq!(finished.stderr.whole_text(), Some("err"));
}

#[test]
fn a_silent_child_is_ended_and_a_talking_one_is_not() {
    let silence = Duration::from_millis(400);
    let silent = sh("echo begun; exec sleep 60").silence_limit(silence);
    let finished = silent.run(LONG).expect("ran");
    assert_eq!(finished.end, End::TimedOut);
    assert_eq!(finished.stdout.whole_text(), Some("begun"));
    let talking = sh("for i in 1 2 3 4 5 6 7 8; do echo $i >&2; sleep 0.1; done");
    let finished = talking
        .silence_limit(Duration::from_secs(20))
        .run(LONG)
        .expect("ran");
    assert_eq!(finished.end, End::Exited(0));
}

#[test]
fn whoever_may_stop_a_child_ends_its_group_with_the_grace_he_gives() {
    for (script, end) in [
        (
            "trap 'echo saved; exit 0' TERM; echo up; while :; do sleep 0.01; done",
            "saved",
        ),
        ("trap '' TERM; echo up; while :; do sleep 0.01; done", "up"),
    ] {
        let (reader, mut writer) = std::io::pipe().expect("a pipe");
        let mut said = Vec::new();
        let command = sh(script).stop_when(reader, Duration::from_millis(300));
        let finished = command
            .run_streamed(Duration::from_mins(1), &mut |piece| {
                if said.is_empty() {
                    std::io::Write::write_all(&mut writer, b"x").expect("told");
                }
                said.extend_from_slice(piece);
            })
            .expect("ran");
        assert_eq!(finished.end, End::TimedOut);
        assert!(
            String::from_utf8_lossy(&said).trim_end().ends_with(end),
            "{script}"
        );
    }
}
