//! What a job may set for itself, a phase for its jobs, and a manifest for all.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::fields::{Fields, Problems, texts};
use crate::tree::{Kind, Node, Value};
use aris_attempt::format::Notice;

/// Settings of a job.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Cards it needs; 0: none, it takes a CPU slot.
    pub gpus: u32,
    /// MiB it needs of each card; given, it shares a card with others that say so.
    pub gpu_mem_mib: Option<u64>,
    /// Milliseconds an attempt may run.
    pub time_limit_ms: Option<u64>,
    /// What it is told before its time limit; then it may leave with [`CONTINUE`](crate::judge::CONTINUE) to go on in its next attempt.
    pub notice: Option<Notice>,
    /// Milliseconds between SIGTERM and SIGKILL. Default 30 s.
    pub kill_grace_ms: u64,
    /// Milliseconds that children may outlive the command. Default 10 s.
    pub linger_ms: u64,
    /// Milliseconds that outputs may be late after exit 0. Default 10 s.
    pub output_wait_ms: u64,
    /// What is tried again, how often and when.
    pub retry: Retry,
    /// Its working directory; relative to the queue's.
    pub cwd: Option<PathBuf>,
    /// Variables of its environment.
    pub env: BTreeMap<String, String>,
    /// Whether outputs alone complete it.
    pub done_when: DoneWhen,
    /// Texts that mean GPU out of memory, beside those known everywhere.
    pub oom_patterns: Vec<String>,
    /// Shell lines before the command.
    pub setup: Vec<String>,
    /// Higher ones start first. Default 0.
    pub priority: i32,
    /// What must hold before it starts.
    pub preconditions: Vec<Precondition>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            gpus: 1,
            gpu_mem_mib: None,
            time_limit_ms: None,
            notice: None,
            kill_grace_ms: 30_000,
            linger_ms: 10_000,
            output_wait_ms: 10_000,
            retry: Retry::default(),
            cwd: None,
            env: BTreeMap::new(),
            done_when: DoneWhen::default(),
            oom_patterns: Vec::new(),
            setup: Vec::new(),
            priority: 0,
            preconditions: Vec::new(),
        }
    }
}

/// Budgets of retries by cause, and the pause before them.
///
/// **Source**: queue design §8. `oom_retry.max_attempts` of the reference counts runs, these count runs after the first.
#[derive(Clone, Debug, PartialEq)]
pub struct Retry {
    /// After out of memory, of the GPU or the host. Default 2: the reference's three runs.
    pub oom: u32,
    /// After a node failure or preemption. Default 5.
    pub infra: u32,
    /// After its time limit, at once; `None`: it counts as any other failure.
    pub time_limit: Option<u32>,
    /// After any other failure. Default 0.
    pub other: u32,
    /// After an attempt whose end nobody knows. Default 0: it may have finished.
    pub lost: u32,
    /// Milliseconds before the first retry. Default 2 minutes.
    pub delay_ms: u64,
    /// By which each further pause grows. Default 1.
    pub factor: f64,
    /// The longest pause, milliseconds. Default 30 minutes.
    pub max_delay_ms: u64,
    /// Whether another card is to be tried.
    pub other_gpu: OtherGpu,
}

impl Default for Retry {
    fn default() -> Self {
        Self {
            oom: 2,
            infra: 5,
            time_limit: None,
            other: 0,
            lost: 0,
            delay_ms: 120_000,
            factor: 1.0,
            max_delay_ms: 1_800_000,
            other_gpu: OtherGpu::default(),
        }
    }
}

/// Which card a retry after out of memory takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OtherGpu {
    /// Another one when one is free.
    #[default]
    Prefer,
    /// Whichever is free.
    Any,
}

/// What completes a job.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DoneWhen {
    /// Exit 0, and every declared output is there and new or changed.
    #[default]
    Strict,
    /// The declared outputs are there, whatever the exit status and however old they are.
    Output,
}

/// Something that must hold before a job starts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Precondition {
    /// A file matches this glob; relative to the job's working directory; `{name}` and `${name}` mean the job's params.
    Exists(String),
}

/// Keys of [`Settings`] that a job, a phase and the top level share. `gpus` is a list of cards at the top, so it is not here.
pub(crate) const KEYS: &[&str] = &[
    "gpu_mem_mib",
    "time_limit",
    "notice",
    "kill_grace",
    "linger",
    "output_wait",
    "retry",
    "oom_retry",
    "env",
    "done_when",
    "oom_patterns",
    "setup",
    "priority",
    "preconditions",
];

/// Takes the shared keys; `None` when there is none of them.
pub(crate) fn take(
    fields: &mut Fields<'_>,
    base: &Settings,
    gpus_key: &str,
    cwd_key: Option<&str>,
    problems: &mut Problems,
) -> Option<Settings> {
    let mut changed: Option<Settings> = None;
    macro_rules! set {
        ($field:ident, $value:expr) => {
            if let Some(value) = $value {
                changed.get_or_insert_with(|| base.clone()).$field = value;
            }
        };
    }
    set!(gpus, fields.count(gpus_key, problems));
    set!(gpu_mem_mib, fields.whole("gpu_mem_mib", problems).map(Some));
    set!(
        time_limit_ms,
        fields.duration_ms("time_limit", problems).map(Some)
    );
    if let Some(node) = fields.take("notice") {
        set!(notice, notice(node, problems).map(Some));
    }
    set!(kill_grace_ms, fields.duration_ms("kill_grace", problems));
    set!(linger_ms, fields.duration_ms("linger", problems));
    set!(output_wait_ms, fields.duration_ms("output_wait", problems));
    set!(
        done_when,
        fields.word(
            "done_when",
            &[("strict", DoneWhen::Strict), ("output", DoneWhen::Output)],
            problems
        )
    );
    if let Some(key) = cwd_key {
        set!(
            cwd,
            fields.text(key, problems).map(|text| Some(text.into()))
        );
    }
    set!(setup, fields.texts("setup", problems));
    if let Some(more) = fields.texts("oom_patterns", problems) {
        let settings = changed.get_or_insert_with(|| base.clone());
        settings
            .oom_patterns
            .extend(more.into_iter().filter(|pattern| !pattern.is_empty()));
    }
    if let Some(more) = fields.variables("env", problems) {
        changed.get_or_insert_with(|| base.clone()).env.extend(more);
    }
    if let Some(node) = fields.take("priority") {
        match node.kind() {
            Some(Kind::Integer(number)) if i32::try_from(number).is_ok() => {
                set!(priority, i32::try_from(number).ok());
            }
            _ => problems.at(node, "priority must be a whole number", None),
        }
    }
    if let Some(node) = fields.take("oom_retry") {
        let retry = &mut changed.get_or_insert_with(|| base.clone()).retry;
        oom_retry(node, retry, problems);
    }
    if let Some(node) = fields.take("retry") {
        let budgets = &mut changed.get_or_insert_with(|| base.clone()).retry;
        retry(node, budgets, problems);
    }
    if let Some(node) = fields.take("preconditions") {
        changed
            .get_or_insert_with(|| base.clone())
            .preconditions
            .extend(preconditions(node, problems));
    }
    changed
}

/// Signals that a program may handle, and their numbers on Linux. **Source**: signal(7).
const SIGNALS: &[(&str, i32)] = &[
    ("HUP", 1),
    ("INT", 2),
    ("USR1", 10),
    ("USR2", 12),
    ("TERM", 15),
];

fn notice(node: &Node, problems: &mut Problems) -> Option<Notice> {
    const HINT: &str = "notice: {signal: USR1, before: 60}";
    let mut fields = Fields::of(node, &"notice", problems)?;
    let given = ["signal", "before"].map(|key| node.get(key).is_some());
    let signal = fields.word("signal", SIGNALS, problems);
    let before_ms = fields.duration_ms("before", problems);
    fields.finish(&[&["signal", "before"]], problems);
    if given != [true, true] {
        problems.at(node, "notice needs a signal and before", Some(HINT));
    }
    Some(Notice {
        signal: signal?,
        before_ms: before_ms?,
    })
}

fn oom_retry(node: &Node, retry: &mut Retry, problems: &mut Problems) {
    let Some(mut fields) = Fields::of(node, &"oom_retry", problems) else {
        return;
    };
    if let Some(delay) = fields.duration_ms("delay", problems) {
        retry.delay_ms = delay;
    }
    if let Some(runs) = fields.count("max_attempts", problems) {
        retry.oom = runs.saturating_sub(1);
    }
    fields.finish(&[&["delay", "max_attempts"]], problems);
}

fn retry(node: &Node, retry: &mut Retry, problems: &mut Problems) {
    const KEYS: &[&str] = &[
        "oom",
        "infra",
        "time_limit",
        "other",
        "lost",
        "delay",
        "factor",
        "max_delay",
        "other_gpu",
    ];
    let Some(mut fields) = Fields::of(node, &"retry", problems) else {
        return;
    };
    for (key, budget) in [
        ("oom", &mut retry.oom),
        ("infra", &mut retry.infra),
        ("other", &mut retry.other),
        ("lost", &mut retry.lost),
    ] {
        if let Some(count) = fields.count(key, problems) {
            *budget = count;
        }
    }
    if let Some(count) = fields.count("time_limit", problems) {
        retry.time_limit = Some(count);
    }
    for (key, time) in [
        ("delay", &mut retry.delay_ms),
        ("max_delay", &mut retry.max_delay_ms),
    ] {
        if let Some(ms) = fields.duration_ms(key, problems) {
            *time = ms;
        }
    }
    if let Some(node) = fields.take("factor") {
        match node.kind() {
            #[expect(clippy::cast_precision_loss, reason = "small numbers only")]
            Some(Kind::Integer(factor)) if (1..=100).contains(&factor) => {
                retry.factor = factor as f64;
            }
            Some(Kind::Float(factor)) if (1.0..=100.0).contains(&factor) => retry.factor = factor,
            _ => problems.at(node, "factor must be a number from 1 to 100", None),
        }
    }
    if let Some(word) = fields.word(
        "other_gpu",
        &[("prefer", OtherGpu::Prefer), ("any", OtherGpu::Any)],
        problems,
    ) {
        retry.other_gpu = word;
    }
    fields.finish(&[KEYS], problems);
}

/// **Source**: the reference's skill: `{type: checkpoint_exists, path: …}`.
fn preconditions(node: &Node, problems: &mut Problems) -> Vec<Precondition> {
    let Value::List(items) = &node.value else {
        problems.at(
            node,
            format!("preconditions must be a list, not {}", node.noun()),
            Some("- {type: file_exists, path: data/train.bin}"),
        );
        return Vec::new();
    };
    let mut found = Vec::new();
    for item in items {
        let Some(mut fields) = Fields::of(item, &"a precondition", problems) else {
            continue;
        };
        let known = [
            ("checkpoint_exists", ()),
            ("file_exists", ()),
            ("path_exists", ()),
        ];
        if fields.word("type", &known, problems).is_none() && item.get("type").is_none() {
            problems.at(
                item,
                "a precondition needs a type",
                Some("type: file_exists"),
            );
        }
        match fields.take("path") {
            Some(path) => found.extend(
                texts(path, "path", problems)
                    .into_iter()
                    .map(Precondition::Exists),
            ),
            None => problems.at(item, "a precondition needs a path", None),
        }
        fields.finish(&[&["type", "path"]], problems);
    }
    found
}
