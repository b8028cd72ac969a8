//! Kinds of jobs, and the result of each, however often its manager is killed.

use serde_json::{Value, json};

/// A kind of jobs: the command, and the expected result.
pub(super) struct Kind {
    pub(super) name: &'static str,
    /// Runs after a line was added to the job's file of runs; `N` is the job's number.
    command: &'static str,
    /// Further keys of the job in the manifest, as JSON; `N` as above, `N-3` is the job three before.
    more: &'static str,
    pub(super) state: &'static str,
    pub(super) reason: Option<&'static str>,
    pub(super) runs: u64,
}

const fn kind(
    name: &'static str,
    command: &'static str,
    more: &'static str,
    (state, reason, runs): (&'static str, Option<&'static str>, u64),
) -> Kind {
    Kind {
        name,
        command,
        more,
        state,
        reason,
        runs,
    }
}

const DONE: (&str, Option<&str>, u64) = ("completed", None, 1);
const TWICE: (&str, Option<&str>, u64) = ("completed", None, 2);

/// Marks its cards as used, and notes if another job has them.
const ON_CARDS: &str = "for card in $(echo $CUDA_VISIBLE_DEVICES | tr , ' '); do mkdir cards/$card || echo N >> overlaps; done; \
                        sleep 0.1; for card in $(echo $CUDA_VISIBLE_DEVICES | tr , ' '); do rmdir cards/$card; done";

/// The kind whose output exists before its start.
pub(super) const OUT_OLD: usize = 11;
/// The kind that is cancelled while it runs.
pub(super) const CANCELLED_LATER: usize = 17;

pub(super) const KINDS: [Kind; 21] = [
    kind("ok", "true", "{}", DONE),
    kind("crash", "exit 5", "{}", ("failed", Some("exit"), 1)),
    kind("segv", "kill -SEGV $$", "{}", ("failed", Some("signal"), 1)),
    kind(
        "oomonce",
        "test $(wc -l < ran/N) -gt 1 || { echo 'CUDA out of memory'; exit 1; }",
        "{}",
        TWICE,
    ),
    kind(
        "oom",
        "echo 'RuntimeError: CUDA out of memory. Tried to allocate'; exit 1",
        "{}",
        ("failed", Some("gpu_oom"), 3),
    ),
    kind("slow", "sleep 0.3", "{}", DONE),
    kind(
        "hang",
        "sleep 600",
        r#"{"time_limit": 0.3}"#,
        ("failed", Some("time_limit"), 1),
    ),
    kind(
        "deaf",
        "trap '' TERM INT HUP; while :; do sleep 1; done",
        r#"{"time_limit": 0.3}"#,
        ("failed", Some("time_limit"), 1),
    ),
    kind(
        "children",
        "(setsid sleep 0.2 &); sleep 0.2 & true",
        "{}",
        DONE,
    ),
    kind(
        "writes",
        "echo N > out/N",
        r#"{"expected_output": "out/N"}"#,
        DONE,
    ),
    kind(
        "silent",
        "true",
        r#"{"expected_output": "out/N"}"#,
        ("failed", Some("no_output"), 1),
    ),
    kind(
        "stale",
        "true",
        r#"{"expected_output": "out/N"}"#,
        ("failed", Some("output_unchanged"), 1),
    ),
    // This kind needs the output of the one that writes it.
    kind(
        "child",
        "test -e out/$((N - 3))",
        r#"{"needs": ["writesN-3"]}"#,
        DONE,
    ),
    kind(
        "grandchild",
        "test -e out/$((N - 4))",
        r#"{"needs": ["childN-1"]}"#,
        DONE,
    ),
    kind(
        "orphan",
        "true",
        r#"{"needs": ["staleN-3"]}"#,
        ("blocked", Some("dependency"), 0),
    ),
    kind("card", ON_CARDS, r#"{"gpus": 1}"#, DONE),
    kind("cards", ON_CARDS, r#"{"gpus": 2}"#, DONE),
    kind(
        "late",
        "sleep 600",
        "{}",
        ("cancelled", Some("cancelled"), 1),
    ),
    kind("early", "true", "{}", ("cancelled", Some("cancelled"), 0)),
    kind(
        "nodata",
        "true",
        r#"{"preconditions": [{"type": "file_exists", "path": "data/N"}]}"#,
        ("failed", Some("precondition"), 0),
    ),
    kind(
        "second",
        "test $(wc -l < ran/N) -gt 1",
        r#"{"retry": {"other": 1, "delay": 0.05}}"#,
        TWICE,
    ),
];

/// A job in the manifest.
pub(super) fn job(number: usize) -> Value {
    let kind = &KINDS[number % KINDS.len()];
    let filled = |text: &str| {
        let mut text = text.to_owned();
        for back in 1..5 {
            let earlier = number.saturating_sub(back).to_string();
            text = text.replace(&format!("N-{back}"), &earlier);
        }
        text.replace('N', &number.to_string())
    };
    let mut job: Value = serde_json::from_str(&filled(kind.more)).expect("JSON");
    job["id"] = json!(format!("{}{number}", kind.name));
    job["cmd"] = json!(format!("echo $$ >> ran/{number}; {}", filled(kind.command)));
    job
}
