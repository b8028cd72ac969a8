//! Settings that a job, a phase or the manifest may set.

use std::collections::BTreeMap;
use std::path::PathBuf;

use aris_attempt::format::Notice;

use super::Slurm;
use super::choices::{DoneWhen, OtherGpu};
use super::file::{Common, Positive};

/// Settings of a job.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Settings {
    /// Number of cards that it needs; with 0 it takes a CPU slot.
    pub gpus: u32,
    /// MiB that it needs of each card; if set, it shares cards with other jobs that set it.
    pub gpu_mem_mib: Option<u64>,
    /// CPUs that it needs; `None`: not counted.
    pub cpus: Option<Positive>,
    /// MiB of main memory that it needs; `None`: not counted.
    pub mem_mib: Option<u64>,
    /// Options for Slurm.
    pub slurm: Slurm,
    /// Milliseconds that an attempt may run; `None`: no limit.
    pub time_limit_ms: Option<u64>,
    /// The signal that it gets before its time limit. It may then exit with [`CONTINUE`](crate::judge::CONTINUE) to be continued in its
    /// next attempt.
    pub notice: Option<Notice>,
    /// Milliseconds between SIGTERM and SIGKILL. Default 30 s.
    pub kill_grace_ms: u64,
    /// Milliseconds that child processes may run after the command has exited. Default 10 s.
    pub linger_ms: u64,
    /// Milliseconds that outputs may be late after exit status 0. Default 10 s.
    pub output_wait_ms: u64,
    /// Which failures are retried, how often and when.
    pub retry: Retry,
    /// Its working directory; a relative one is resolved against the queue's.
    pub cwd: Option<PathBuf>,
    /// Its environment variables.
    pub env: BTreeMap<String, String>,
    /// What completes it.
    pub done_when: DoneWhen,
    /// Texts in its log that mean that a GPU's memory ran out, in addition to [`OOM_PATTERNS`](crate::judge::OOM_PATTERNS).
    pub oom_patterns: Vec<String>,
    /// Shell lines that run before the command.
    pub setup: Vec<String>,
    /// Jobs with a higher priority start first. Default 0.
    pub priority: i32,
    /// Globs of files that must exist before it starts, relative to its working directory; `{name}` and `${name}` are replaced by its
    /// parameters.
    pub preconditions: Vec<String>,
}

impl Settings {
    /// Whether an attempt may exit with [`CONTINUE`](crate::judge::CONTINUE) to be continued in the next one.
    pub fn continues(&self) -> bool {
        self.notice.is_some() || self.retry.time_limit.is_some()
    }
}

/// Most retries for each cause, and the pause before them.
///
/// **Source**: queue design §8. `oom_retry.max_attempts` of the reference counts all attempts; these count retries.
#[derive(Clone, Debug, PartialEq)]
pub struct Retry {
    /// After an out-of-memory error, of the GPU or the host. Default 2, which makes the reference's three attempts.
    pub oom: u32,
    /// After a node failure or preemption. Default 5.
    pub infra: u32,
    /// After the time limit; each follows at once. `None`: the time limit counts as any other failure.
    pub time_limit: Option<u32>,
    /// After any other failure. Default 0.
    pub other: u32,
    /// After an attempt whose end is unknown. Default 0: it may have finished.
    pub lost: u32,
    /// Milliseconds before the first retry. Default 2 minutes.
    pub delay_ms: u64,
    /// Factor by which each further pause grows. Default 1.
    pub factor: f64,
    /// The longest pause, milliseconds. Default 30 minutes.
    pub max_delay_ms: u64,
    /// Which card a retry after an out-of-memory error takes.
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
    /// The settings of a manifest that sets nothing but the number of cards.
    pub(super) fn usual(gpus: u32) -> Self {
        Self {
            gpus,
            kill_grace_ms: 30_000,
            linger_ms: 10_000,
            output_wait_ms: 10_000,
            ..Self::default()
        }
    }
    /// Replaces settings by those that a lower level sets. OOM patterns, variables and preconditions are added to the ones from above.
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
