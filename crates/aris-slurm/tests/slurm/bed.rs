//! Tests on a real Slurm, the test bed that `SLURM_TESTBED_DIR` names, with its faults.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use aris_attempt::format::{CANCEL, EndedByUs, Ending, Exit};
use aris_attempt::{Standing, standing};
use aris_slurm::{BatchSystem as _, Cause, Found, Says, Silent, SlurmEngine, SubmitError, Task};

use crate::place::Place;

/// Longer than anything here takes on a test bed that works.
const HANG: Duration = Duration::from_mins(3);

fn bed() -> Option<PathBuf> {
    let folder = std::env::var_os("SLURM_TESTBED_DIR").map(PathBuf::from);
    let answers = || {
        let asked = Command::new("sinfo").arg("-h").output();
        asked.is_ok_and(|done| done.status.success() && !done.stdout.is_empty())
    };
    if let Some(folder) = folder.filter(|_| answers()) {
        return Some(folder);
    }
    println!("skipped: SLURM_TESTBED_DIR names no Slurm that is up");
    None
}

/// Unique unless the clock is set back.
fn token(what: &str) -> String {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    format!("aq-{what}-{}", now.expect("after").as_nanos())
}

fn until<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let began = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(began.elapsed() < HANG, "not yet: {what}");
        std::thread::park_timeout(Duration::from_millis(100));
    }
}

fn ended(place: &Place, token: &str, number: usize) -> Exit {
    until("its end", || {
        match standing(&place.attempt(token, number)).expect("readable") {
            Standing::Ended(exit) => Some(*exit),
            _ => None,
        }
    })
}

/// Waits until Slurm reports all of them as ended.
fn all_over(engine: &mut SlurmEngine, refs: &[Task]) {
    until("Slurm's own ends", || {
        let seen = engine.observe(refs).ok()?;
        let over = |seen: &Says| matches!(seen, Says::Ended(..));
        seen.iter().all(over).then_some(())
    });
}

fn control(bed: &Path, words: &[&str]) {
    let script =
        PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/testbed/slurm/ctl.sh");
    let done = Command::new(script).arg(bed).args(words).output();
    let done = done.expect("run");
    let said = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{words:?}: {said}");
}

/// One test after the other, because a fault of the test bed affects everything that runs on it.
#[test]
fn a_real_slurm() {
    let Some(bed) = bed() else {
        return;
    };
    ends_are_recorded();
    waiting_and_running_tasks_are_cancelled();
    neighbours_of_a_cancelled_task_stay();
    refusals_are_final();
    preemption_is_told_from_a_request();
    cards_are_checked();
    a_hung_controller_takes_a_submission_once(&bed);
    a_dead_controller_is_no_end(&bed);
    if accounting() {
        silent_accounting_proves_nothing(&bed);
    } else {
        println!("skipped: this Slurm has no accounting that could fall silent");
        without_accounting_the_queue_decides();
    }
    a_dead_nodes_word_is_not_the_jobs_end(&bed);
    a_controller_killed_at_once_runs_nothing_twice(&bed);
}

fn ends_are_recorded() {
    let place = Place::new();
    let token = token("ends");
    let mut engine = place.engine_of(None);
    let mut commands = vec![
        "exit 0",
        "exit 3",
        "kill -KILL $$",
        "echo \"$SLURM_ARRAY_TASK_ID\" >third",
    ];
    commands.resize(40, "exit 0");
    let wave = place.wave(&token, &commands);
    engine.test(&wave).expect("it would be taken");
    let refs = engine.submit(&wave).expect("taken");
    assert_eq!(refs.len(), 40);
    assert_eq!(engine.find(&token), Ok(Found::Here(refs.clone())));
    let exits: Vec<Exit> = (0..40)
        .map(|number| ended(&place, &token, number))
        .collect();
    assert_eq!(exits[0].ending, Ending::Code(0));
    assert_eq!(exits[1].ending, Ending::Code(3));
    assert_eq!(exits[2].ending, Ending::Signal(9));
    let third = std::fs::read_to_string(place.at("third"));
    assert_eq!(third.expect("there"), "3\n");
    all_over(&mut engine, &refs);
    // Submitted a second time, as if by mistake: no attempt runs twice.
    std::fs::remove_file(place.at("third")).expect("removed");
    let again = engine.submit(&wave).expect("taken");
    all_over(&mut engine, &again);
    assert!(!place.at("third").exists());
}

fn waiting_and_running_tasks_are_cancelled() {
    const ON: &str = "trap 'exit 9' TERM; echo on >running; while :; do sleep 0.1; done";
    let place = Place::new();
    let token = token("cancel");
    let mut engine = place.engine_of(None);
    let mut wave = place.wave(&token, &[ON; 6]);
    wave.throttle = Some(1);
    let refs = engine.submit(&wave).expect("taken");
    until("the start", || place.at("running").exists().then_some(()));
    let seen = engine.observe(&refs).expect("answered");
    assert!(
        matches!(seen.as_slice(), [Says::Running(_), Says::Queued(_), ..]),
        "{seen:?}"
    );
    engine.cancel(&refs).expect("asked");
    let exit = ended(&place, &token, 0);
    assert_eq!(
        (exit.ending, exit.ended_by_us),
        (Ending::Code(9), EndedByUs::Cancelled)
    );
    all_over(&mut engine, &refs);
    for number in 1..6 {
        let stands = standing(&place.attempt(&token, number));
        assert_eq!(stands.expect("readable"), Standing::Unclaimed);
    }
    engine.cancel(&refs).expect("twice is no harm");
}

/// Cancels one waiting and one running task of an array in which others wait and run.
fn neighbours_of_a_cancelled_task_stay() {
    const ON: &str = "trap 'exit 9' TERM; echo on >running.$SLURM_ARRAY_TASK_ID; until [ -e go ]; do sleep 0.1; done";
    let place = Place::new();
    let token = token("neighbours");
    let mut engine = place.engine_of(None);
    let mut wave = place.wave(&token, &[ON; 6]);
    wave.throttle = Some(2);
    let refs = engine.submit(&wave).expect("taken");
    until("two starts", || {
        let on = |number: &str| place.at(&format!("running.{number}")).exists();
        (on("0") && on("1")).then_some(())
    });
    engine
        .cancel(&[refs[1].clone(), refs[4].clone()])
        .expect("asked");
    assert_eq!(ended(&place, &token, 1).ending, Ending::Code(9));
    std::fs::write(place.at("go"), "").expect("written");
    for number in [0, 2, 3, 5] {
        let exit = ended(&place, &token, number);
        assert_eq!(
            (exit.ending, exit.ended_by_us),
            (Ending::Code(0), EndedByUs::None),
            "{number}"
        );
    }
    let others: Vec<Task> = refs.iter().filter(|one| one.index != 4).cloned().collect();
    all_over(&mut engine, &others);
    // Slurm lists the array, and not the task that was cancelled while it waited.
    let taken_out = Says::Ended(Cause::Cancelled, String::from("CANCELLED"));
    assert_eq!(engine.observe(&refs[4..5]), Ok(vec![taken_out]));
    let stands = standing(&place.attempt(&token, 4));
    assert_eq!(stands.expect("readable"), Standing::Unclaimed);
}

fn refusals_are_final() {
    let place = Place::new();
    let mut engine = place.engine_of(None);
    let mut wave = place.wave(&token("refused"), &["true"]);
    wave.options.partition = Some(String::from("nowhere"));
    for refused in [
        engine.test(&wave).expect_err("refused"),
        engine.submit(&wave).expect_err("refused"),
    ] {
        assert!(
            matches!(&refused, SubmitError::Rejected(why) if why.contains("partition")),
            "{refused}"
        );
    }
    wave.options.partition = None;
    wave.gpus = 99;
    let refused = engine.submit(&wave).expect_err("refused");
    assert!(matches!(refused, SubmitError::Rejected(_)), "{refused}");
    assert!(engine.config().expect("told").wave >= 100);
}

/// In both cases the runner ends its job in order. Without a request in the folder, the cluster ended it.
fn preemption_is_told_from_a_request() {
    let place = Place::new();
    let token = token("preempted");
    let mut engine = place.engine_of(None);
    let mut wave = place.wave(
        &token,
        &["trap 'exit 7' TERM; while :; do sleep 0.1; done"; 2],
    );
    // One on each node, so that the next job needs their places.
    wave.options.partition = Some(String::from("lowcancel"));
    wave.options.mem = Some(String::from("3000"));
    let refs = engine.submit(&wave).expect("taken");
    until("the starts", || {
        let seen = engine.observe(&refs).ok()?;
        let on = |seen: &Says| matches!(seen, Says::Running(_));
        seen.iter().all(on).then_some(())
    });
    let words = "--parsable -p high -N2 --mem=3000 -o /dev/null --wrap true";
    let other = Command::new("sbatch").args(words.split(' ')).output();
    assert!(other.expect("run").status.success());
    all_over(&mut engine, &refs);
    let preempted = Says::Ended(Cause::Preempted, String::from("PREEMPTED"));
    assert_eq!(engine.observe(&refs), Ok(vec![preempted; 2]));
    for number in 0..2 {
        let exit = ended(&place, &token, number);
        assert_eq!(
            (exit.ending, exit.ended_by_us),
            (Ending::Code(7), EndedByUs::Cancelled)
        );
        assert!(!place.attempt(&token, number).join(CANCEL).exists());
    }
}

fn cards_are_checked() {
    const GIVEN: &str = "printf %s \"$CUDA_VISIBLE_DEVICES\" >cards";
    let place = Place::new();
    let token = token("cards");
    let mut engine = place.engine_of(None);
    let mut wave = place.wave(&token, &[GIVEN, "touch ran"]);
    for (number, command, cards) in [(0, GIVEN, 2), (1, "touch ran", 3)] {
        let mut spec = place.spec(&token, number, command);
        spec.cards = cards;
        aris_attempt::prepare(&place.attempt(&token, number), &spec).expect("prepared");
    }
    wave.gpus = 2;
    engine.submit(&wave).expect("taken");
    assert_eq!(ended(&place, &token, 0).ending, Ending::Code(0));
    let given = std::fs::read_to_string(place.at("cards")).expect("there");
    assert_eq!(given.split(',').count(), 2, "{given}");
    let ending = ended(&place, &token, 1).ending;
    assert!(
        matches!(&ending, Ending::StartFailed(why) if why.contains("3 cards were asked for")),
        "{ending:?}"
    );
    assert!(!place.at("ran").exists());
}

/// Only the answer is lost: the submission is found, and nothing runs twice.
fn a_hung_controller_takes_a_submission_once(bed: &Path) {
    let place = Place::new();
    let token = token("hung");
    let mut engine = place.engine_of(None);
    let wave = place.wave(&token, &["echo ran >>count"]);
    control(bed, &["pause", "ctld"]);
    let error = engine.submit(&wave).expect_err("no answer");
    control(bed, &["resume", "ctld"]);
    assert!(matches!(error, SubmitError::Unclear(_)), "{error}");
    let there = until("an answer", || match engine.find(&token) {
        Ok(Found::Here(_)) => Some(true),
        Ok(Found::NotThere) => Some(false),
        Ok(Found::CannotTell(_)) | Err(_) => None,
    });
    if !there {
        engine.submit(&wave).expect("taken");
    }
    ended(&place, &token, 0);
    let count = std::fs::read_to_string(place.at("count")).expect("there");
    assert_eq!(count, "ran\n");
}

fn a_dead_controller_is_no_end(bed: &Path) {
    let place = Place::new();
    let token = token("dead");
    let mut engine = place.engine_of(None);
    let wave = place.wave(
        &token,
        &["echo on >running; until [ -e go ]; do sleep 0.1; done"],
    );
    let refs = engine.submit(&wave).expect("taken");
    until("the start", || place.at("running").exists().then_some(()));
    control(bed, &["stop", "ctld"]);
    let silent = engine.observe(&refs);
    let other = place.wave(&format!("{token}-2"), &["true"]);
    let refused = engine.submit(&other);
    // The runner works without a controller.
    std::fs::write(place.at("go"), "").expect("written");
    let ending = ended(&place, &token, 0).ending;
    control(bed, &["start", "ctld"]);
    assert_eq!(ending, Ending::Code(0));
    assert!(matches!(silent, Err(Silent(_))), "{silent:?}");
    assert!(
        matches!(refused, Err(SubmitError::Unavailable(_))),
        "{refused:?}"
    );
    all_over(&mut engine, &refs);
}

fn accounting() -> bool {
    let asked = Command::new("scontrol").args(["show", "config"]).output();
    String::from_utf8_lossy(&asked.expect("run").stdout).contains("accounting_storage/slurmdbd")
}

fn without_accounting_the_queue_decides() {
    let place = Place::new();
    let token = token("none");
    let mut engine = place.engine_of(None);
    let mut wave = place.wave(&token, &["true"]);
    wave.options.partition = Some(String::from("nowhere"));
    engine.submit(&wave).expect_err("refused");
    let found = until("an answer", || match engine.find(&token) {
        Ok(Found::CannotTell(_)) => None,
        other => Some(other),
    });
    assert_eq!(found, Ok(Found::NotThere));
}

fn silent_accounting_proves_nothing(bed: &Path) {
    let place = Place::new();
    let token = token("silent");
    let mut engine = place.engine_of(None);
    let mut wave = place.wave(&token, &["true"]);
    wave.options.partition = Some(String::from("nowhere"));
    engine.submit(&wave).expect_err("refused");
    let unknown = Task {
        job: String::from("99999999"),
        index: 0,
        token: token.clone(),
    };
    control(bed, &["stop", "dbd"]);
    let found = engine.find(&token);
    let seen = engine.observe(std::slice::from_ref(&unknown));
    control(bed, &["start", "dbd"]);
    assert!(matches!(found, Ok(Found::CannotTell(_))), "{found:?}");
    assert_eq!(seen, Ok(vec![Says::NotListed]));
}

/// Slurm believes the node dead while the job runs; the records show that it runs.
fn a_dead_nodes_word_is_not_the_jobs_end(bed: &Path) {
    let place = Place::new();
    let token = token("node");
    let mut engine = place.engine_of(None);
    let wave = place.wave(
        &token,
        &["echo on >running; until [ -e go ]; do sleep 0.1; done"],
    );
    let refs = engine.submit(&wave).expect("taken");
    until("the start", || place.at("running").exists().then_some(()));
    let node = until("the node", || match engine.observe(&refs).ok()?.pop()? {
        Says::Running(node) => Some(node),
        _ => None,
    });
    control(bed, &["kill", &node]);
    all_over(&mut engine, &refs);
    let seen = engine.observe(&refs);
    let stands = standing(&place.attempt(&token, 0)).expect("readable");
    control(bed, &["start", &node]);
    assert_eq!(
        seen,
        Ok(vec![Says::Ended(Cause::Node, String::from("NODE_FAIL"))])
    );
    assert!(matches!(stands, Standing::Running { .. }), "{stands:?}");
    std::fs::write(place.at("go"), "").expect("written");
    // Its end is recorded, unless the daemon ended the job when it came back.
    let ending = ended(&place, &token, 0).ending;
    assert!(!matches!(ending, Ending::StartFailed(_)), "{ending:?}");
}

/// Slurm may forget a job that it accepted seconds ago, and run it all the same.
fn a_controller_killed_at_once_runs_nothing_twice(bed: &Path) {
    let place = Place::new();
    let token = token("killed");
    let mut engine = place.engine_of(None);
    let commands = ["0", "1", "2"].map(|number| format!("echo ran >>count.{number}; sleep 2"));
    let commands = commands.each_ref().map(String::as_str);
    let wave = place.wave(&token, &commands);
    engine.submit(&wave).expect("taken");
    control(bed, &["kill", "ctld"]);
    control(bed, &["start", "ctld"]);
    let there = until("an answer", || match engine.find(&token) {
        Ok(Found::Here(_)) => Some(true),
        Ok(Found::NotThere) => Some(false),
        Ok(Found::CannotTell(_)) | Err(_) => None,
    });
    if !there {
        engine.submit(&wave).expect("taken");
    }
    for number in 0..3 {
        assert_eq!(ended(&place, &token, number).ending, Ending::Code(0));
        let count = std::fs::read_to_string(place.at(&format!("count.{number}")));
        assert_eq!(count.expect("there"), "ran\n");
    }
}
