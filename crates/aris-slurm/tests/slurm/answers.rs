//! The meaning of each answer of Slurm's commands.

use std::fmt::Write as _;

use aris_queue::manifest::Extra;
use aris_slurm::{
    Access, BatchSystem as _, Cause, Found, Says, Silent, SlurmEngine, SubmitError, Task,
};

use crate::place::Place;

const TOKEN: &str = "aq-run-1";

fn refs(job: &str, indices: &[u32]) -> Vec<Task> {
    let refs = indices.iter().map(|index| Task {
        job: String::from(job),
        index: *index,
        token: String::from(TOKEN),
    });
    refs.collect()
}

#[test]
fn a_submission_is_one_command_with_a_constant_script() {
    let place = Place::new();
    place.program(
        "sbatch",
        "printf '%s\\n' \"$@\" >\"$here/words\"; cat >\"$here/script\"; echo '42;cluster'",
    );
    let wave = place.wave(TOKEN, &["true", "false", "rm -rf '$x'"]);
    let submitted = place.engine().submit(&wave).expect("taken");
    assert_eq!(submitted, refs("42", &[0, 1, 2]));
    let words = std::fs::read_to_string(place.at("words")).expect("there");
    assert!(words.lines().any(|word| word == "--array=0-2"), "{words}");
    let script = std::fs::read_to_string(place.at("script")).expect("there");
    assert!(script.starts_with("#!/bin/sh\nexec "), "{script}");
    let end = format!(" slurm-task '{}' {TOKEN}\n", place.path().display());
    assert!(script.ends_with(&end), "{script}");
    assert!(!words.contains("rm -rf") && !script.contains("rm -rf"));
    for (index, attempt) in wave.attempts.iter().enumerate() {
        let found = aris_slurm::attempt_of(place.path(), TOKEN, &index.to_string());
        assert_eq!(&found.expect("there"), attempt);
    }
}

#[test]
fn slurms_own_variables_do_not_reach_its_commands() {
    let place = Place::new();
    place.program("squeue", "env >\"$here/env\"");
    let mut environment: Vec<_> = std::env::vars_os().collect();
    environment.retain(|(name, _)| name != "SLURM_CONF");
    for name in [
        "SLURM_CONF",
        "SLURM_JOB_ID",
        "SBATCH_ACCOUNT",
        "SQUEUE_FORMAT",
        "SACCT_FORMAT",
    ] {
        environment.push((name.into(), "odd".into()));
    }
    let mut engine = SlurmEngine::new(Access {
        commands: Some(place.at("bin")),
        environment,
        task_program: Vec::new(),
        run: place.path().to_path_buf(),
    });
    engine.observe(&refs("1", &[0])).expect("answered");
    let found = std::fs::read_to_string(place.at("env")).expect("there");
    let odd: Vec<&str> = found
        .lines()
        .filter(|line| line.ends_with("=odd"))
        .collect();
    assert_eq!(odd, ["SLURM_CONF=odd"]);
    assert!(found.lines().any(|line| line == "LC_ALL=C"), "{found}");
}

#[test]
fn refusals_are_told_apart() {
    const FAILED: &str = "sbatch: error: Batch job submission failed";
    let check = |body: &str, expected: fn(&SubmitError) -> bool| {
        let place = Place::new();
        place.program("sbatch", body);
        let wave = place.wave(TOKEN, &["true"]);
        let error = place.engine().submit(&wave).expect_err("refused");
        assert!(expected(&error), "{body}: {error}");
    };
    let says = |words: &str| format!("echo '{FAILED}: {words}' >&2; exit 1");
    let unclear = |error: &SubmitError| matches!(error, SubmitError::Unclear(_));
    let rejected = |error: &SubmitError| matches!(error, SubmitError::Rejected(_));
    let unavailable = |error: &SubmitError| matches!(error, SubmitError::Unavailable(_));
    check(
        &says("Unable to contact slurm controller (connect failure)"),
        unavailable,
    );
    check(&says("Socket timed out on send/recv operation"), unclear);
    check(&says("Invalid partition name specified"), rejected);
    check("kill -KILL $$", unclear);
    let unknown = |error: &SubmitError| matches!(error, SubmitError::Unknown(_));
    // sbatch ended without naming a job: the caller looks for one, and counts the tries.
    check("exit 0", unknown);
    check("echo Welcome to the cluster", unknown);
    check("exit 1", unknown);
    check(&says("The moon is full"), unknown);
    check(
        "echo 'sbatch: error: AssocMaxSubmitJobLimit' >&2; exit 1",
        |error| matches!(error, SubmitError::Full(_)),
    );
    let place = Place::new();
    let wave = place.wave(TOKEN, &["true"]);
    let error = place
        .engine()
        .submit(&wave)
        .expect_err("there is no sbatch");
    assert!(unavailable(&error), "{error}");
}

#[test]
fn what_cannot_be_submitted_at_all_is_rejected_without_asking() {
    let place = Place::new();
    place.program("sbatch", "touch \"$here/asked\"; echo 1");
    let good = place.wave(TOKEN, &["true"]);
    let rejected = |wave| matches!(place.engine().submit(&wave), Err(SubmitError::Rejected(_)));
    let mut wave = good.clone();
    wave.token = String::from("A b");
    assert!(rejected(wave));
    let mut wave = good.clone();
    wave.run = place.at("100%");
    assert!(rejected(wave));
    let mut wave = good.clone();
    wave.options.extra = Some(Extra(vec![String::from("other.sh")]));
    assert!(rejected(wave));
    let mut wave = good;
    wave.attempts.clear();
    assert!(rejected(wave));
    assert!(!place.at("asked").exists());
}

#[test]
fn a_lost_submission_is_found_by_its_name_or_not_told() {
    let place = Place::new();
    place.program("sbatch", "echo 'error: Socket timed out' >&2; exit 1");
    place.program("squeue", "cat \"$here/squeue\"");
    place.program(
        "sacct",
        "cat \"$here/sacct\" 2>/dev/null || { cat \"$here/sacct.error\" >&2; exit 1; }",
    );
    let mut engine = place.engine();
    let wave = place.wave(TOKEN, &["true", "true"]);
    let error = engine.submit(&wave).expect_err("lost");
    assert!(matches!(error, SubmitError::Unclear(_)), "{error}");
    let write = |name: &str, text: &str| std::fs::write(place.at(name), text).expect("written");
    let cannot_tell = |found| match found {
        Ok(Found::CannotTell(why)) => why,
        other => panic!("{other:?}"),
    };
    write("squeue", "50_0|50|50|0|PENDING|None||x|y|another\n");
    write(
        "sacct.error",
        "sacct: error: Problem talking to the database: Connection refused",
    );
    assert!(cannot_tell(engine.find(TOKEN)).contains("refused"));
    // All sources answered, but the submission may still appear.
    write("sacct.error", "Slurm accounting storage is disabled");
    assert!(cannot_tell(engine.find(TOKEN)).contains("30 s"));
    let row = format!("51_[0-1]|51|{TOKEN}|PENDING|0:0|0:0|None|n|s|s|e|0|\n");
    write("sacct", &row);
    assert_eq!(engine.find(TOKEN), Ok(Found::Here(refs("51", &[0, 1]))));
    // Two submissions: the first one counts, compared as numbers and not as texts.
    let rows = format!(
        "10_1|53|10|1|RUNNING|None|n1|x|y|{TOKEN}\n9_1|52|9|1|RUNNING|None|n1|x|y|{TOKEN}\n"
    );
    write("squeue", &rows);
    assert_eq!(engine.find(TOKEN), Ok(Found::Here(refs("9", &[0, 1]))));
    let never = engine.find("aq-never");
    assert!(matches!(never, Err(Silent(_))), "{never:?}");
    place.program(
        "squeue",
        "echo 'error: Unable to contact slurm controller' >&2; exit 1",
    );
    let silent = engine.find(TOKEN);
    assert!(matches!(silent, Err(Silent(_))), "{silent:?}");
}

#[test]
fn tasks_are_seen_by_number_and_name() {
    let place = Place::new();
    place.program(
        "squeue",
        &format!(
            "echo '7_0|8|7|0|RUNNING|None|n2|x|y|{TOKEN}'; echo '7_1|9|7|1|RUNNING|None|n2|x|y|else'; \
             echo '7_2|9|7|2|PENDING|Resources||x|y|{TOKEN}'"
        ),
    );
    place.program(
        "sacct",
        &format!(
            "echo \"$@\" >>\"$here/words\"; echo '7_3|10|{TOKEN}|CANCELLED by 0|0:0|0:0|None|n1|s|s|e|0|'; \
             echo '7_4|10|{TOKEN}|ASLEEP|0:0|0:0|None|n1|s|s|e|0|'"
        ),
    );
    let asked = refs("7", &[0, 1, 2, 3, 4, 5]);
    let seen = place.engine().observe(&asked).expect("answered");
    assert_eq!(
        seen,
        [
            Says::Running(String::from("n2")),
            Says::NotListed,
            Says::Queued(String::from("Resources")),
            Says::Ended(Cause::Cancelled, String::from("CANCELLED")),
            Says::NotListed,
            // Cancelled before it ran: the array is listed, and the task is not.
            Says::Ended(Cause::Cancelled, String::from("CANCELLED")),
        ]
    );
    let words = std::fs::read_to_string(place.at("words")).expect("asked");
    assert_eq!(words.lines().count(), 1);
    assert!(words.contains("--jobs=7_1,7_3,7_4,7_5"), "{words}");
    place.program(
        "sacct",
        "echo 'sacct: error: Connection refused' >&2; exit 1",
    );
    let seen = place.engine().observe(&refs("7", &[5]));
    assert_eq!(seen, Ok(vec![Says::NotListed]));
}

/// **Source**: Slurm's page "Job State Codes" of October 2024, all states and flags. States that say nothing about a job by themselves have
/// no meaning.
#[test]
fn every_documented_state_is_known_for_what_it_is() {
    let waits = "PENDING CONFIGURING POWER_UP_NODE REQUEUED REQUEUE_FED REQUEUE_HOLD RESV_DEL_HOLD SPECIAL_EXIT";
    let runs = "RUNNING SUSPENDED COMPLETING RESIZING SIGNALING STAGE_OUT STOPPED";
    let unsaid = "LAUNCH_FAILED RECONFIG_FAIL REVOKED UPDATE_DB";
    let ended = |cause| Some(Says::Ended(cause, String::new()));
    let place = Place::new();
    let mut rows = String::new();
    let mut expected = Vec::new();
    for (words, says) in [
        (waits, None),
        (runs, Some(Says::Running(String::from("n1")))),
        ("BOOT_FAIL NODE_FAIL", ended(Cause::Node)),
        ("CANCELLED", ended(Cause::Cancelled)),
        ("COMPLETED FAILED", ended(Cause::Untold)),
        ("DEADLINE TIMEOUT", ended(Cause::Time)),
        ("OUT_OF_MEMORY", ended(Cause::Memory)),
        ("PREEMPTED", ended(Cause::Preempted)),
        (unsaid, Some(Says::NotListed)),
    ] {
        for word in words.split(' ') {
            let index = expected.len();
            writeln!(rows, "7_{index}|9|7|{index}|{word}|None|n1|x|y|{TOKEN}").expect("text");
            expected.push(match &says {
                None => Says::Queued(String::from(word)),
                Some(Says::Ended(cause, _)) => Says::Ended(*cause, String::from(word)),
                Some(says) => says.clone(),
            });
        }
    }
    std::fs::write(place.at("rows"), rows).expect("written");
    place.program("squeue", "cat \"$here/rows\"");
    place.program("sacct", "true");
    let count = u32::try_from(expected.len()).expect("few");
    let asked = refs("7", &(0..count).collect::<Vec<u32>>());
    let seen = place.engine().observe(&asked).expect("answered");
    assert_eq!(seen, expected);
}

#[test]
fn an_end_without_a_cause_is_one_for_memory_where_the_log_names_the_job() {
    let place = Place::new();
    place.program(
        "squeue",
        &format!(
            "echo '7_0|8|7|0|FAILED|NonZeroExitCode|n1|x|y|{TOKEN}'; echo '7_1|9|7|1|FAILED|NonZeroExitCode|n1|x|y|{TOKEN}'; \
             echo '7_2|10|7|2|CANCELLED|None|n1|x|y|{TOKEN}'"
        ),
    );
    place.program(
        "sacct",
        &format!("echo '7_3|11|{TOKEN}|FAILED|0:9|0:9|None|n1|s|s|e|0|'"),
    );
    let line = |raw| {
        format!(
            "slurmstepd-n1: error: StepId={raw}.batch exceeded memory limit (2 > 1), being killed"
        )
    };
    std::fs::create_dir_all(place.at("slurm")).expect("made");
    let log = [8, 10, 11, 90].map(line).join("\n");
    std::fs::write(place.at(&format!("slurm/{TOKEN}.log")), log).expect("written");
    let seen = place.engine().observe(&refs("7", &[0, 1, 2, 3]));
    let memory = |raw| Says::Ended(Cause::Memory, format!("FAILED ({})", line(raw)));
    assert_eq!(
        seen.expect("answered"),
        [
            memory(8),
            Says::Ended(Cause::Untold, String::from("FAILED")),
            Says::Ended(Cause::Cancelled, String::from("CANCELLED")),
            memory(11),
        ]
    );
}

#[test]
fn what_nobody_lists_is_not_over() {
    let place = Place::new();
    place.program(
        "squeue",
        "echo 'slurm_load_jobs error: Invalid job id specified' >&2; exit 1",
    );
    place.program(
        "sacct",
        "echo 'sacct: error: Connection refused' >&2; exit 1",
    );
    let seen = place.engine().observe(&refs("7", &[0]));
    assert_eq!(seen, Ok(vec![Says::NotListed]));
    place.program(
        "squeue",
        "echo 'slurm_load_jobs error: Socket timed out on send/recv operation' >&2; exit 1",
    );
    let silent = place.engine().observe(&refs("7", &[0]));
    assert!(matches!(silent, Err(Silent(_))), "{silent:?}");
}

#[test]
fn only_what_has_our_name_is_cancelled_and_in_the_state_it_is_in() {
    let place = Place::new();
    place.program(
        "squeue",
        &format!(
            "echo '7_0|8|7|0|RUNNING|None|n2|x|y|{TOKEN}'; echo '7_1|7|7|1|PENDING|None||x|y|{TOKEN}'; \
             echo '7_2|7|7|2|PENDING|None||x|y|{TOKEN}'; echo '7_4|9|7|4|COMPLETED|None|n1|x|y|{TOKEN}'; \
             echo '8_0|8|8|0|RUNNING|None|n2|x|y|else'"
        ),
    );
    place.program(
        "scancel",
        "echo \"$@\" >>\"$here/words\"; \
         echo 'scancel: error: Kill job error on job id 7_1: Job/step already completing or completed' >&2; exit 1",
    );
    let mut all = refs("7", &[0, 1, 2, 4, 5]);
    all.extend(refs("8", &[0]));
    place.engine().cancel(&all).expect("done");
    let words = std::fs::read_to_string(place.at("words")).expect("asked");
    // Never with `--state`, which would cancel other waiting tasks, too.
    assert_eq!(
        words,
        "--verbose 7_[1-2]\n--verbose --batch --signal=TERM 7_0\n"
    );
    place.program(
        "scancel",
        "echo 'scancel: error: Unable to contact slurm controller (connect failure)' >&2; exit 8",
    );
    let silent = place.engine().cancel(&all);
    assert!(matches!(silent, Err(Silent(_))), "{silent:?}");
}
