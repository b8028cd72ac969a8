//! What a job may set for itself, a phase for its jobs, and a manifest for all.

use std::collections::BTreeMap;
use std::path::PathBuf;

use aris_attempt::format::Notice;

use super::Slurm;
use super::choices::{DoneWhen, OtherGpu};
use super::file::{Common, Positive};

/// Settings of a job.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Settings {
    /// Cards it needs; 0: none, it takes a CPU slot.
    pub gpus: u32,
    /// MiB it needs of each card; given, it shares a card with others that say so.
    pub gpu_mem_mib: Option<u64>,
    /// Processors it needs; `None`: nobody counts them.
    pub cpus: Option<Positive>,
    /// MiB of main memory it needs; `None`: nobody counts them.
    pub mem_mib: Option<u64>,
    /// What Slurm gives it.
    pub slurm: Slurm,
    /// Milliseconds an attempt may run.
    pub time_limit_ms: Option<u64>,
    /// What it is told before its time limit; then it may exit with [`CONTINUE`](crate::judge::CONTINUE) to go on in its next attempt.
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
    /// Globs of files that must be there before it starts; relative to its working directory; `{name}` and `${name}` mean its params.
    pub preconditions: Vec<String>,
}

impl Settings {
    /// Whether an attempt may exit with [`CONTINUE`](crate::judge::CONTINUE) to go on in its next one.
    pub fn continues(&self) -> bool {
        self.notice.is_some() || self.retry.time_limit.is_some()
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

impl Settings {
    /// Of a manifest that says nothing but how many cards each job has.
    pub(super) fn usual(gpus: u32) -> Self {
        Self {
            gpus,
            kill_grace_ms: 30_000,
            linger_ms: 10_000,
            output_wait_ms: 10_000,
            ..Self::default()
        }
    }
    /// Puts what a level below says in the place of what stands above it; texts, variables and preconditions are added.
    pub(super) fn apply(&mut self, below: Common) {
        macro_rules! set {
            ($($field:expr => $value:expr;)*) => {
                $(if let Some(value) = $value {
                    $field = value.into();
                })*
            };
        }
        let ms = |given: Option<super::file::Seconds>| given.map(|it| it.0);
        set! {
            self.gpu_mem_mib => below.gpu_mem_mib;
            self.cpus => below.cpus.map(Some);
            self.mem_mib => below.mem.map(|it| Some(it.0));
            self.time_limit_ms => ms(below.time_limit);
            self.kill_grace_ms => ms(below.kill_grace);
            self.linger_ms => ms(below.linger);
            self.output_wait_ms => ms(below.output_wait);
            self.done_when => below.done_when;
            self.setup => below.setup.map(|it| it.0);
            self.priority => below.priority;
        }
        if let Some(notice) = below.notice {
            self.notice = Some(Notice {
                signal: notice.signal as i32,
                before_ms: notice.before.0,
            });
        }
        let more = below.oom_patterns.unwrap_or_default().0;
        let more = more.into_iter().filter(|pattern| !pattern.is_empty());
        self.oom_patterns.extend(more);
        self.env.extend(below.env.into_iter().flat_map(|it| it.0));
        if let Some(given) = below.oom_retry {
            set! {
                self.retry.delay_ms => ms(given.delay);
                self.retry.oom => given.max_attempts.map(|runs| runs.saturating_sub(1));
            }
        }
        if let Some(given) = below.retry {
            set! {
                self.retry.oom => given.oom;
                self.retry.infra => given.infra;
                self.retry.time_limit => given.time_limit;
                self.retry.other => given.other;
                self.retry.lost => given.lost;
                self.retry.delay_ms => ms(given.delay);
                self.retry.max_delay_ms => ms(given.max_delay);
                self.retry.factor => given.factor.map(|it| it.0);
                self.retry.other_gpu => given.other_gpu;
            }
        }
        let more = below.preconditions.into_iter().flatten();
        self.preconditions.extend(more.flat_map(|it| it.path.0));
        if let Some(slurm) = &below.slurm {
            self.slurm = self.slurm.with(slurm);
        }
    }
}
