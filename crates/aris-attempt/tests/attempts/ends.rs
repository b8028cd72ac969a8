//! All ways in which a command ends or fails to start.

use aris_attempt::format::{CLAIM, Claim, Command, EndedByUs, Ending, Spec};
use aris_attempt::{Runner, Watch};

use crate::place::{Place, batch_runner, ended, line_of, lives, runner, until};

#[test]
fn the_end_is_recorded_as_it_was() {
    for (command, ending) in [
        ("true", Ending::Code(0)),
        ("exit 3", Ending::Code(3)),
        ("exit 255", Ending::Code(255)),
        ("kill -SEGV $$", Ending::Signal(11)),
        ("kill -KILL $$", Ending::Signal(9)),
        ("false | true", Ending::Code(0)),
        ("for x in 1 2; do :; done # a comment", Ending::Code(0)),
        ("no_such_program", Ending::Code(127)),
    ] {
        let place = Place::new();
        let exit = place.run(&place.spec(command));
        assert_eq!(exit.ending, ending, "{command}");
        assert_eq!(exit.ended_by_us, EndedByUs::None);
        assert!(exit.started.is_some());
    }
}

#[test]
fn a_command_is_one_argument_and_its_environment_real_variables() {
    let place = Place::new();
    let mut spec = place.spec("printf '%s|%s|%s' \"$0\" \"$ODD\" \"$CUDA_VISIBLE_DEVICES\"; cat; readlink /proc/self/fd/0");
    spec.env.insert(
        String::from("ODD"),
        String::from("$(touch hacked); 'x' \"y\" \\ \n`z`"),
    );
    spec.env
        .insert(String::from("CUDA_VISIBLE_DEVICES"), String::from("2,3"));
    assert_eq!(place.run(&spec).ending, Ending::Code(0));
    assert_eq!(
        place.log(),
        "bash|$(touch hacked); 'x' \"y\" \\ \n`z`|2,3/dev/null\n"
    );
    assert!(!place.at("hacked").exists());

    let place = Place::new();
    let mut spec = place.spec("");
    spec.command = Command::Argv(
        ["printf", "[%s]", "a b", "$HOME", "*", ""]
            .map(String::from)
            .to_vec(),
    );
    assert_eq!(place.run(&spec).ending, Ending::Code(0));
    assert_eq!(place.log(), "[a b][$HOME][*][]");
}

#[test]
fn setup_lines_come_first_and_reach_the_command() {
    for argv in [false, true] {
        let place = Place::new();
        let mut spec = place.spec("printf %s \"$A$B\"");
        if argv {
            spec.command = Command::Argv(
                ["sh", "-c", "printf %s \"$A$B\""]
                    .map(String::from)
                    .to_vec(),
            );
        }
        spec.setup = [
            "export A=1",
            "B='x y'; export B",
            "set -- clobbered; shift",
            "echo set up",
        ]
        .map(String::from)
        .to_vec();
        assert_eq!(place.run(&spec).ending, Ending::Code(0), "{}", place.log());
        assert_eq!(place.log(), "set up\n1x y");
    }
}

#[test]
fn without_bash_the_other_shell_does_the_same() {
    let place = Place::new();
    std::fs::create_dir(place.at("bin")).expect("created");
    std::os::unix::fs::symlink("/bin/sh", place.at("bin/sh")).expect("linked");
    let with = |setup: &[&str], command: &str| {
        let mut spec = place.spec(command);
        let path = place.at("bin").display().to_string();
        spec.env.insert(String::from("PATH"), path);
        spec.setup = setup.iter().map(|line| String::from(*line)).collect();
        std::fs::remove_dir_all(place.attempt()).unwrap_or_default();
        place.run(&spec).ending
    };
    assert_eq!(with(&[], "echo \"$0 $BASH_VERSION\""), Ending::Code(0));
    let setup = ["export A='x y'", "set -- clobbered; shift"];
    assert_eq!(with(&setup, "echo \"$A\""), Ending::Code(0));
    for setup in ["false", "exit 0", "no_such_program", "echo 'open", "if"] {
        let ending = with(&[setup], "echo ran");
        assert!(
            matches!(ending, Ending::StartFailed(_)),
            "{setup}: {ending:?}"
        );
    }
    let log = place.log();
    assert!(
        log.starts_with("sh \nx y\n") && !log.contains("\nran\n"),
        "{log}"
    );
}

#[test]
fn a_failing_setup_line_is_no_failed_experiment() {
    for setup in [
        &["false", "touch after"][..],
        &["exit 0"],
        &["no_such_program"],
        &["echo 'open"],
        &["if"],
        &["_aris_command=(touch ran)"],
        &["kill -KILL $$"],
    ] {
        let place = Place::new();
        let mut spec = place.spec("touch ran");
        spec.setup = setup.iter().map(|line| String::from(*line)).collect();
        let exit = place.run(&spec);
        assert!(
            matches!(&exit.ending, Ending::StartFailed(what) if what.contains("setup line failed")),
            "{setup:?}: {:?}",
            exit.ending
        );
        assert!(
            !place.at("ran").exists() && !place.at("after").exists(),
            "{setup:?}"
        );
    }
}

#[test]
fn what_cannot_start_says_why() {
    let check = |change: &dyn Fn(&Place, &mut Spec), expected: &str| {
        let place = Place::new();
        let mut spec = place.spec("touch ran");
        change(&place, &mut spec);
        let exit = place.run(&spec);
        assert!(
            matches!(&exit.ending, Ending::StartFailed(what) if what.contains(expected)),
            "{expected}: {:?}",
            exit.ending
        );
        assert!(
            exit.started.is_none() && !place.at("ran").exists(),
            "{expected}"
        );
    };
    check(
        &|place, spec| spec.cwd = place.at("nowhere"),
        "nowhere is not a directory",
    );
    check(
        &|place, spec| spec.log = place.at("no/folder/log"),
        "cannot open the log",
    );
    check(
        &|_, spec| spec.command = Command::Argv(vec![String::from("/no/such/program")]),
        "/no/such/program",
    );
    check(
        &|_, spec| spec.command = Command::Argv(Vec::new()),
        "no words",
    );
    check(
        &|_, spec| spec.cards = 2,
        "2 cards were asked for, CUDA_VISIBLE_DEVICES is \"\"",
    );
    check(
        &|_, spec| {
            spec.cards = 2;
            spec.env
                .insert(String::from("CUDA_VISIBLE_DEVICES"), String::from("7"));
        },
        "is \"7\"",
    );
}

#[test]
fn the_right_number_of_cards_starts() {
    let place = Place::new();
    let mut spec = place.spec("printf %s $CUDA_VISIBLE_DEVICES");
    spec.cards = 2;
    spec.env.insert(
        String::from("CUDA_VISIBLE_DEVICES"),
        String::from("GPU-1,GPU-2"),
    );
    assert_eq!(place.run(&spec).ending, Ending::Code(0));
    assert_eq!(place.log(), "GPU-1,GPU-2");
}

#[test]
fn a_time_limit_ends_the_command_and_says_so() {
    let place = Place::new();
    let mut spec = place
        .spec("trap 'echo told; exit 143' TERM; echo ready; while :; do read -t 1 <> <(:); done");
    spec.time_limit_ms = Some(300);
    let exit = place.run(&spec);
    assert_eq!(
        (exit.ending, exit.ended_by_us),
        (Ending::Code(143), EndedByUs::TimeLimit)
    );
    assert!(exit.ran_ms >= 300, "{}", exit.ran_ms);
    assert_eq!(place.log(), "ready\ntold\n");
}

#[test]
fn a_command_that_ignores_sigterm_is_killed_after_the_grace() {
    let place = Place::new();
    let mut spec = place.spec("trap '' TERM; echo $$ >pid; while :; do sleep 1000; done");
    (spec.time_limit_ms, spec.kill_grace_ms) = (Some(100), 200);
    let exit = place.run(&spec);
    assert_eq!(
        (exit.ending, exit.ended_by_us),
        (Ending::Signal(9), EndedByUs::TimeLimit)
    );
    assert!(exit.ran_ms >= 300, "{}", exit.ran_ms);
    assert!(!lives(&line_of(&place.at("pid"))));
}

#[test]
fn a_stopped_command_hears_that_it_is_to_end() {
    let place = Place::new();
    let mut spec = place.spec("kill -STOP $$");
    spec.time_limit_ms = Some(100);
    let exit = place.run(&spec);
    assert_eq!(
        (exit.ending, exit.ended_by_us),
        (Ending::Signal(15), EndedByUs::TimeLimit)
    );
}

#[test]
fn cancelling_ends_the_command_at_once() {
    let place = Place::new();
    let mut watch = Watch::new().expect("a watch");
    place.start(&mut watch, &place.spec("echo here >ready; exec sleep 1000"));
    line_of(&place.at("ready"));
    aris_attempt::cancel(&place.attempt(), "no longer needed").expect("cancelled");
    let exit = ended(&mut watch);
    assert_eq!(
        (exit.ending, exit.ended_by_us),
        (Ending::Signal(15), EndedByUs::Cancelled)
    );
}

#[test]
fn what_is_cancelled_before_it_starts_never_runs() {
    let place = Place::new();
    let spec = place.spec("touch ran");
    aris_attempt::prepare(&place.attempt(), &spec).expect("prepared");
    aris_attempt::cancel(&place.attempt(), "changed my mind").expect("cancelled");
    let exit = place.run(&spec);
    assert!(matches!(exit.ending, Ending::StartFailed(_)));
    assert_eq!(
        (exit.ended_by_us, exit.started),
        (EndedByUs::Cancelled, None)
    );
    assert!(!place.at("ran").exists());
}

#[test]
fn a_log_is_appended_to_and_only_the_new_part_is_looked_at() {
    let place = Place::new();
    std::fs::write(place.at("log"), "CUDA out of memory, yesterday\n").expect("written");
    let exit = place.run(&place.spec("echo today; exit 1"));
    assert_eq!((exit.oom, exit.log_offset), (None, 30));
    assert_eq!(place.log(), "CUDA out of memory, yesterday\ntoday\n");
}

#[test]
fn memory_texts_count_only_after_a_failure_and_wherever_they_stand() {
    let far =
        "printf 'CUDA out of memory\\377\\n'; head -c 50000000 /dev/zero | tr '\\0' '\\377'; ";
    for (command, found) in [
        (format!("{far} exit 1"), Some(0)),
        (format!("{far} exit 0"), None),
        (
            String::from("echo; echo CUDA out of memory >&2; kill -ABRT $$"),
            Some(1),
        ),
        (String::from("echo CUDA out of memor; exit 1"), None),
    ] {
        let place = Place::new();
        let exit = place.run(&place.spec(&command));
        assert_eq!(exit.oom.map(|oom| oom.offset), found, "{command}");
    }
}

/// A batch system, or a machine that shuts down, signals the runner and the job together; either may be noticed first.
#[test]
fn a_job_that_is_told_to_end_together_with_its_runner_was_ended_from_outside() {
    for (command, ending) in [
        ("echo $$ >pid; exec sleep 600", Ending::Signal(15)),
        (
            "trap 'exit 0' TERM; echo $$ >pid; while :; do sleep 0.01; done",
            Ending::Code(0),
        ),
    ] {
        let place = Place::new();
        let (mut watch, job, runner) = begun(&place, command);
        signal("STOP", &runner);
        signal("TERM", &job);
        until("the job's end", || !lives(&job));
        signal("TERM", &runner);
        signal("CONT", &runner);
        let exit = ended(&mut watch);
        assert_eq!(
            (exit.ending, exit.ended_by_us),
            (ending, EndedByUs::Cancelled)
        );
    }
}

/// Signals are sent one after the other, and on a busy machine the runner's may come late.
#[test]
fn a_job_that_is_told_to_end_just_before_its_runner_was_ended_from_outside() {
    for (by, command, ending) in [
        (runner(), "echo $$ >pid; exec sleep 600", Ending::Signal(15)),
        // The exit status of a shell whose last program was ended by SIGTERM.
        (
            runner(),
            "trap 'exit 143' TERM; echo $$ >pid; while :; do sleep 0.01; done",
            Ending::Code(143),
        ),
        // Slurm signals every process of a job that it ends, and a command that handles the signal may exit with any status.
        (
            batch_runner(),
            "trap 'exit 7' TERM; echo $$ >pid; while :; do sleep 0.01; done",
            Ending::Code(7),
        ),
    ] {
        let place = Place::new();
        let (mut watch, job, runner) = begun_by(&place, command, &by);
        signal("TERM", &job);
        until("the job's end", || !lives(&job));
        signal("TERM", &runner);
        let exit = ended(&mut watch);
        assert_eq!(
            (exit.ending, exit.ended_by_us),
            (ending, EndedByUs::Cancelled)
        );
    }
    let place = Place::new();
    let exit = place.run(&place.spec("kill -TERM $$"));
    assert_eq!(
        (exit.ending, exit.ended_by_us),
        (Ending::Signal(15), EndedByUs::None)
    );
}

/// Starts a command that writes its process id to `pid`; gives this and its runner's id.
fn begun(place: &Place, command: &str) -> (Watch, String, String) {
    begun_by(place, command, &runner())
}

fn begun_by(place: &Place, command: &str, by: &Runner) -> (Watch, String, String) {
    let mut watch = Watch::new().expect("a watch");
    place.start_by(&mut watch, &place.spec(command), by);
    let job = line_of(&place.at("pid"));
    let claim = std::fs::read(place.attempt().join(CLAIM)).expect("claimed");
    let claim: Claim = serde_json::from_slice(&claim).expect("a claim");
    (watch, job, claim.runner.pid.to_string())
}

fn signal(name: &str, pid: &str) {
    let sent = std::process::Command::new("kill")
        .args(["-s", name, pid])
        .status();
    assert!(sent.is_ok_and(|status| status.success()));
}
