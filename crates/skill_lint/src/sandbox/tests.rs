//! The sandbox against hostile programs.
//!
//! Each case runs with every layer of isolation that this system offers, and with none unless it would harm the machine then.

#![expect(clippy::disallowed_methods, reason = "tests prepare files directly")]

use std::os::unix::fs::PermissionsExt as _;
use std::time::Instant;

use aris_proc::End;

use super::*;

struct Case {
    sandbox: Sandbox,
    /// Keeps the tree on the disk.
    world: tempfile::TempDir,
    /// Dropped last, because the sandbox removes its folders in it.
    scratch_root: tempfile::TempDir,
}

fn prepared(timeout_s: u64, unsandboxed: bool) -> Option<Case> {
    let world = tempfile::tempdir().expect("temp");
    let scratch_root = tempfile::tempdir().expect("temp");
    let sandbox = Sandbox::prepare(
        &std::env::var("PATH").expect("PATH"),
        scratch_root.path(),
        world.path(),
        Duration::from_secs(timeout_s),
        unsandboxed,
    );
    match sandbox {
        Err(Error::Unconfined(reason)) => {
            eprintln!("skipped: {reason}");
            None
        }
        sandbox => Some(Case {
            sandbox: sandbox.expect("prepared"),
            world,
            scratch_root,
        }),
    }
}

/// A case with limits only.
fn bare(timeout_s: u64) -> Case {
    prepared(timeout_s, true).expect("nothing is needed")
}

/// Both isolations, or the one that works here.
fn both(timeout_s: u64) -> Vec<Case> {
    [prepared(timeout_s, false), Some(bare(timeout_s))]
        .into_iter()
        .flatten()
        .collect()
}

impl Case {
    fn run(&self, script: &str) -> (Finished, Scratch) {
        self.call(&["bash", "-c", script])
    }

    fn call(&self, command: &[&str]) -> (Finished, Scratch) {
        let scratch = self.sandbox.scratch().expect("scratch");
        let command: Vec<OsString> = command.iter().map(OsString::from).collect();
        let finished = self.sandbox.run(&command, &scratch.cwd(), &scratch);
        let finished = finished.expect("ran");
        (finished, scratch)
    }

    fn contained(&self) -> bool {
        self.sandbox.isolation.by.is_some()
    }
}

fn text(finished: &Finished) -> String {
    finished.stdout.text().into_owned()
}

/// Waits until no process on this machine has `mark` on its command line.
fn gone(mark: &str) -> bool {
    let until = Instant::now() + Duration::from_secs(10);
    while Instant::now() < until {
        let found = aris_proc::command("pgrep", "/")
            .args(["-f", mark])
            .run(Duration::from_secs(5))
            .expect("pgrep");
        if !found.success() {
            return true;
        }
    }
    false
}

#[test]
fn a_program_gets_its_arguments_its_exit_code_and_no_input() {
    for case in both(10) {
        let (finished, scratch) = case.call(&[
            "sh",
            "-c",
            r#"printf '<%s>' "$@"; cat; exit 7"#,
            "sh",
            "a b",
            "--",
            "*",
        ]);
        assert_eq!(
            (text(&finished).as_str(), finished.end),
            ("<a b><--><*>", End::Exited(7))
        );
        scratch.remove().expect("removed");
    }
}

#[test]
fn the_environment_is_the_fixed_one() {
    for case in both(10) {
        let (finished, scratch) = case.call(&["env"]);
        let text = text(&finished);
        let mut names: Vec<&str> = text
            .lines()
            .filter_map(|line| line.split_once('='))
            .map(|(name, _)| name)
            .collect();
        names.sort_unstable();
        // The shell sets the last one.
        let mut expected: Vec<&str> = FIXED_ENVIRONMENT
            .iter()
            .chain(&HOMES)
            .map(|(name, _)| *name)
            .chain(["PATH", "TMPDIR", "PWD"])
            .collect();
        expected.sort_unstable();
        assert_eq!(names, expected);
        assert!(
            text.lines()
                .any(|line| line == format!("HOME={}", scratch.home().display())),
            "{text}"
        );
    }
}

#[test]
fn what_is_written_lands_in_the_scratch_and_is_seen_and_removed() {
    for case in both(10) {
        let (finished, scratch) = case.run(
            r#"echo x >here; mkdir -p "$HOME/.config/tool" deep/er empty; echo x >"$HOME/.config/tool/a"; echo x >deep/er/b
            ln -s / link; mktemp >/dev/null; mkfifo pipe; chmod 000 deep "$HOME/.config"; echo x >>~/rc"#,
        );
        assert!(finished.success(), "{finished:?}");
        assert_eq!(
            scratch.left_behind(),
            [
                "./deep/er/b",
                "./here",
                "./link",
                "./pipe",
                "~/.config/tool/a",
                "~/rc"
            ]
        );
        let root = scratch.cwd().parent().expect("root").to_path_buf();
        scratch.remove().expect("removed");
        assert!(!root.exists());
    }
}

#[test]
fn a_link_in_the_place_of_the_home_leads_nowhere() {
    for case in both(10) {
        let kept = case.world.path().join("kept");
        std::fs::create_dir_all(kept.join("inner")).expect("folder");
        let locked = std::fs::Permissions::from_mode(0o500);
        std::fs::set_permissions(kept.join("inner"), locked).expect("mode");
        let (finished, scratch) = case.run(&format!(
            "rmdir \"$HOME\"; ln -s '{}' \"$HOME\"",
            kept.display()
        ));
        assert!(finished.success(), "{finished:?}");
        assert_eq!(scratch.left_behind(), ["~"]);
        scratch.remove().expect("removed");
        let mode = kept
            .join("inner")
            .metadata()
            .expect("kept")
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, 0o500);
    }
}

#[test]
fn nothing_left_is_nothing_listed() {
    for case in both(10) {
        let (_, scratch) = case.run("mkdir made; ls >/dev/null");
        assert_eq!(scratch.left_behind(), Vec::<String>::new());
    }
}

#[test]
fn a_folder_too_deep_for_any_path_is_removed() {
    let case = both(20).remove(0);
    let (finished, scratch) = case.call(&[
        "perl",
        "-e",
        "for (1..3000) { mkdir 'd' x 50 or die; chdir 'd' x 50 or die } open F, '>f'; chmod 0, '.'",
    ]);
    assert!(finished.success(), "{finished:?}");
    let root = scratch.cwd().parent().expect("root").to_path_buf();
    scratch.remove().expect("removed");
    assert!(!root.exists());
}

#[test]
fn a_program_that_prints_forever_is_cut_and_ended() {
    for case in both(1) {
        let (finished, _scratch) = case.run("trap '' TERM; yes; yes >&2");
        assert_eq!(finished.end, End::TimedOut);
        assert_eq!(finished.stdout.bytes.len(), OUTPUT_LIMIT);
        assert!(finished.stdout.dropped > 0);
    }
}

#[test]
fn one_that_ignores_term_or_stops_itself_ends_at_the_deadline() {
    for case in both(1) {
        for script in [
            "trap '' TERM INT HUP; while :; do sleep 1; done",
            "kill -STOP $$",
            "exec sleep 100",
        ] {
            let (finished, _scratch) = case.run(script);
            assert_eq!(finished.end, End::TimedOut, "{script}");
        }
    }
}

#[test]
fn children_do_not_survive() {
    // A process in the group dies in both cases. One in its own session, forked twice, dies only with the process namespace.
    for (at, case) in both(5).into_iter().enumerate() {
        let mark = format!("98{}{at}", std::process::id());
        let (finished, _scratch) = case.run(&format!(
            "sleep {mark}.1 & (sleep {mark}.1 &) ; sleep 0.1; exit 3"
        ));
        assert_eq!(finished.end, End::Exited(3));
        assert!(gone(&format!("sleep {mark}.1")));
        if case.contained() {
            let script = format!(
                "(setsid sh -c 'trap \"\" TERM HUP; setsid sleep {mark}.2 >/dev/null 2>&1 & sleep {mark}.2' >/dev/null 2>&1 &); exit 4"
            );
            let (finished, _scratch) = case.run(&script);
            assert_eq!(finished.end, End::Exited(4));
            assert!(gone(&format!("sleep {mark}.2")));
        }
    }
}

#[test]
fn one_that_kills_everything_it_sees_reaches_only_itself() {
    for case in both(10) {
        let (finished, _scratch) = case.run("kill -9 0; sleep 50");
        assert!(
            !finished.success() && finished.end != End::TimedOut,
            "{finished:?}"
        );
        // Without a process namespace this would end every process of the user.
        if case.contained() {
            let (finished, _scratch) =
                case.run("kill -9 -1; kill -9 $PPID 1; sleep 0.1; echo alive");
            assert!(finished.end != End::TimedOut, "{finished:?}");
        }
    }
}

#[test]
fn a_signal_shows_as_a_signal_or_as_the_code_that_stands_for_it() {
    let (finished, _scratch) = both(10).remove(0).run("kill -9 $$");
    assert!(
        matches!(finished.end, End::Exited(137) | End::Signalled(9)),
        "{finished:?}"
    );
    let (finished, _scratch) = bare(10).run("kill -9 $$");
    assert!(
        matches!(finished.end, End::Exited(137) | End::Signalled(9)),
        "{finished:?}"
    );
}

#[test]
fn a_file_cannot_outgrow_its_limit() {
    for case in both(20) {
        let Some(limit) = case.sandbox.isolation.limits.file_bytes else {
            continue;
        };
        let (finished, scratch) = case.run("head -c 200000000 /dev/zero >big; echo done");
        let length = std::fs::metadata(scratch.cwd().join("big"))
            .expect("file")
            .len();
        assert!(length <= limit && length > 0, "{finished:?}");
    }
}

#[test]
fn memory_and_processes_are_bounded_where_that_was_promised() {
    let case = both(20).remove(0);
    let limits = &case.sandbox.isolation.limits;
    if limits.data_bytes.is_some() {
        let (finished, _scratch) =
            case.call(&["perl", "-e", "my $x = 'x' x 3000000000; print length $x"]);
        assert!(
            !finished.success() && text(&finished).is_empty(),
            "{finished:?}"
        );
        let (finished, _scratch) =
            case.call(&["perl", "-e", "my $x = 'x' x 300000000; print length $x"]);
        assert_eq!(text(&finished), "300000000", "{finished:?}");
    }
    if let Some(most) = limits.processes {
        let script = "my $n = 0; while ($n < 2000) { my $p = fork; last unless defined $p; if (!$p) { sleep 100; exit } $n++ } print $n";
        let (finished, _scratch) = case.call(&["perl", "-e", script]);
        let started: u32 = text(&finished).parse().expect("number");
        assert!(started > 50 && started < most, "{started}");
    }
}

#[test]
fn a_run_leaves_nothing_and_removes_what_a_killed_one_left() {
    let case = bare(5);
    let temporary = case.scratch_root.path().to_path_buf();
    let folders = || aris_fs::list_sorted(&temporary).expect("list").len();
    // A killed run, whose lock is free; a folder that is being made; and a file that is not the linter's.
    let dead = temporary.join("skill-lint-dead");
    std::fs::create_dir_all(dead.join("1/home/x")).expect("folder");
    std::fs::write(dead.join("lock"), "").expect("file");
    std::fs::create_dir(temporary.join("skill-lint-new")).expect("folder");
    std::fs::write(temporary.join("skill-lint-file"), "").expect("file");
    assert_eq!(folders(), 4);
    let other = Sandbox::prepare(
        "/usr/bin:/bin",
        &temporary,
        case.world.path(),
        Duration::from_secs(5),
        true,
    )
    .expect("prepared");
    assert!(!dead.exists());
    assert_eq!(folders(), 4);
    let scratch = other.scratch().expect("scratch");
    std::fs::write(scratch.cwd().join("x"), "").expect("file");
    drop(other);
    assert_eq!(folders(), 3);
    let (finished, _scratch) = case.run("echo the first one still works");
    assert!(finished.success());
    drop(case.sandbox);
    assert_eq!(folders(), 2);
}

/// Environment variable that marks the process to be killed.
const VICTIM: &str = "SKILL_LINT_TEST_VICTIM";

#[test]
#[ignore = "runs until it is killed; started by the next test"]
fn runs_until_it_is_killed() {
    if let Ok(mark) = std::env::var(VICTIM) {
        let (finished, _scratch) = both(60)
            .remove(0)
            .run(&format!("setsid sleep {mark} & sleep {mark}"));
        assert!(finished.success());
    }
}

#[test]
fn a_killed_linter_leaves_no_process() {
    let ends = both(5).remove(0).contained();
    let mark = format!("97{}", std::process::id());
    let mut linter = std::process::Command::new(std::env::current_exe().expect("this test"))
        .args([
            "--exact",
            "sandbox::tests::runs_until_it_is_killed",
            "--ignored",
        ])
        .env(VICTIM, &mark)
        .stdout(std::process::Stdio::null())
        .spawn()
        .expect("started");
    let until = Instant::now() + Duration::from_mins(1);
    let is_running = || {
        let found = aris_proc::command("pgrep", "/")
            .args(["-c", "-f", &format!("^sleep {mark}")])
            .run(Duration::from_secs(5));
        found.is_ok_and(|found| found.stdout.text().trim() == "2")
    };
    while !is_running() {
        assert!(Instant::now() < until, "the victim did not start");
    }
    linter.kill().expect("killed");
    linter.wait().expect("gone");
    if ends {
        assert!(gone(&format!("^sleep {mark}")));
    }
}
