//! The keys of a manifest's file, and their types.

use std::collections::BTreeMap;
use std::fmt;

use aris_attempt::cards::CardId;
use serde::de::{self, Deserialize, Deserializer, IgnoredAny, Visitor};

pub(crate) mod grid;
#[cfg(test)]
pub(crate) mod schema_tests;
pub(crate) mod slurm;

#[cfg(test)]
use schema_tests::{Level, Scalar};
use slurm::Slurm;

use super::choices::{DoneWhen, Engine, OnDepFailure, OtherGpu};
use aris_yaml::typed::{Many, Written};

/// Keys at the top.
#[derive(Debug, Default, serde::Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub(crate) struct Top {
    /// `aris.queue_manager.manifest/v1`; manifests of the reference have none.
    pub(super) schema: Option<String>,
    /// Name of the project, for people.
    pub(super) project: Option<String>,
    /// Working directory of the jobs; a relative one is resolved against the directory in which the queue was started.
    pub(super) cwd: Option<String>,
    /// The conda environment to activate; `none` for no environment.
    pub(super) conda: Option<String>,
    /// Shell text that defines the `conda` function, or the path of a conda program.
    pub(super) conda_hook: Option<String>,
    /// Cards that may be used; by default all.
    pub(super) gpus: Option<Cards>,
    /// Number of cards that each job gets.
    pub(super) gpus_per_job: Option<u32>,
    /// Most jobs that run at the same time.
    pub(super) max_parallel: Option<Positive>,
    /// Most jobs without cards that run at the same time.
    pub(super) max_cpu_jobs: Option<Positive>,
    /// After this many failed jobs, no new job is started.
    pub(super) max_failures: Option<Positive>,
    /// Shell command that is run for each job that has failed.
    pub(super) on_failure: Option<String>,
    /// Shell command that is run when the queue is over.
    pub(super) on_end: Option<String>,
    /// Whether each run leaves a record in the project's ledger, `.aris/runs`; the default is true.
    pub(super) provenance: Option<bool>,
    /// A card counts as free if less memory than this is in use, in MiB.
    pub(super) gpu_free_threshold_mib: Option<u64>,
    /// Whether a card is left alone as soon as any process of somebody else is on it.
    pub(super) exclusive: Option<bool>,
    /// How long a job waits for several cards before cards that become free are kept for it.
    pub(super) reserve_after: Option<Seconds>,
    /// What happens to jobs whose dependency did not complete.
    pub(super) on_dep_failure: Option<OnDepFailure>,
    /// Where jobs run.
    pub(super) engine: Option<Engine>,
    /// The command of jobs that have no `cmd`.
    pub(super) default_cmd: Option<String>,
    /// Groups of jobs.
    #[cfg_attr(test, schemars(with = "Option<Vec<Level<Phase>>>"))]
    phases: IgnoredAny,
    /// Jobs of a single phase `main`.
    #[cfg_attr(test, schemars(with = "Option<Vec<Level<Job>>>"))]
    jobs: IgnoredAny,
    /// For other programs.
    #[cfg_attr(test, schemars(with = "Option<serde_json::Value>"))]
    ssh: IgnoredAny,
    /// For other programs.
    #[cfg_attr(test, schemars(with = "Option<serde_json::Value>"))]
    analyze_on_complete: IgnoredAny,
    /// For other programs.
    #[cfg_attr(test, schemars(with = "Option<serde_json::Value>"))]
    poll: IgnoredAny,
}

/// Keys of a phase.
#[derive(Debug, Default, serde::Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub(crate) struct Phase {
    /// Its name, unique.
    pub(super) name: Option<String>,
    /// Phases that must be completed before any job of this one starts.
    #[cfg_attr(test, schemars(with = "Option<Many<Parent>>"))]
    depends_on: IgnoredAny,
    /// What happens to jobs whose dependency did not complete.
    pub(super) on_dep_failure: Option<OnDepFailure>,
    /// Most jobs of this phase that run at the same time.
    pub(super) max_parallel: Option<Positive>,
    /// The command of jobs that have no `cmd`.
    pub(super) default_cmd: Option<String>,
    /// Number of cards that each job gets.
    pub(super) gpus: Option<u32>,
    /// Working directory of its jobs; a relative one is resolved against the queue's.
    pub(super) cwd: Option<String>,
    /// Its jobs.
    #[cfg_attr(test, schemars(with = "Option<Vec<Level<Job>>>"))]
    jobs: IgnoredAny,
}

/// Keys of a job.
#[derive(Debug, Default, serde::Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub(crate) struct Job {
    /// Its id, unique also when upper and lower case count as equal.
    pub(super) id: Option<String>,
    /// Its command, shell text.
    pub(super) cmd: Option<String>,
    /// Arguments that are appended to the command: `--key value`.
    #[cfg_attr(test, schemars(with = "Option<BTreeMap<String, serde_json::Value>>"))]
    args: IgnoredAny,
    /// Globs of files that it writes.
    pub(super) expected_output: Option<Many<String>>,
    /// Another name of `expected_output`.
    pub(super) output_check: Option<Many<String>>,
    /// Jobs that must be completed before it starts.
    pub(super) needs: Option<Many<String>>,
    /// The values of its grid cell.
    #[cfg_attr(test, schemars(with = "Option<BTreeMap<String, serde_json::Value>>"))]
    params: IgnoredAny,
    /// Number of cards that it gets.
    pub(super) gpus: Option<u32>,
    /// Its working directory; a relative one is resolved against the queue's.
    pub(super) cwd: Option<String>,
}

/// Keys that may be set for one job, for a phase and for all jobs.
#[derive(Debug, Default, PartialEq, serde::Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub(crate) struct Common {
    /// CPUs that each job needs. The jobs that run together never need more than the machine has.
    pub(super) cpus: Option<Positive>,
    /// Main memory that each job needs. The jobs that run together never need more than the machine has.
    pub(super) mem: Option<Memory>,
    /// MiB that each job needs of each card. Jobs that set this may share a card.
    pub(super) gpu_mem_mib: Option<u64>,
    /// How long each attempt may run.
    pub(super) time_limit: Option<Seconds>,
    /// A signal that each attempt gets before its time limit.
    pub(super) notice: Option<Notice>,
    /// Time between SIGTERM and SIGKILL.
    pub(super) kill_grace: Option<Seconds>,
    /// How long child processes may run after the command has exited.
    pub(super) linger: Option<Seconds>,
    /// How long outputs may appear after the command has exited.
    pub(super) output_wait: Option<Seconds>,
    /// Which failures are retried, how often and when.
    pub(super) retry: Option<Retry>,
    /// Retries after an out-of-memory error, in the form of the reference.
    pub(super) oom_retry: Option<OomRetry>,
    /// Environment variables.
    #[cfg_attr(test, schemars(with = "Option<BTreeMap<String, Scalar>>"))]
    pub(super) env: Option<Variables>,
    /// What completes a job.
    pub(super) done_when: Option<DoneWhen>,
    /// Further texts in a log that mean that a GPU's memory ran out.
    pub(super) oom_patterns: Option<Many<String>>,
    /// Shell lines that run before the command.
    pub(super) setup: Option<Many<String>>,
    /// Jobs with a higher priority start first.
    pub(super) priority: Option<i32>,
    /// Files that must exist before a job starts.
    pub(super) preconditions: Option<Vec<Precondition>>,
    /// Options for Slurm.
    pub(super) slurm: Option<Slurm>,
}

impl Common {
    /// Whether `slurm.gres` is set here.
    pub(super) fn asks_slurm_for_cards(&self) -> bool {
        self.slurm
            .as_ref()
            .is_some_and(|slurm| slurm.gres.is_some())
    }
}

/// A phase that another depends on; a text is its name.
#[derive(Debug, serde::Deserialize)]
#[serde(expecting = "a name or a map\ndepends_on: {phase: teachers, match: [N]}")]
pub(crate) struct Parent {
    /// Its name.
    pub(super) phase: String,
    /// Each job depends on the parent's jobs with the same values of these parameters.
    #[serde(default, rename = "match")]
    pub(super) same: Many<String>,
}

/// A type that functions read from one scalar. `$expected` says what the scalar must be; its second line is the hint.
macro_rules! scalar {
    ($type:ident: $expected:literal; $($visit:ident($given:ident: $from:ty) $read:expr;)*) => {
        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                struct Read;
                impl Visitor<'_> for Read {
                    type Value = $type;

                    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                        out.write_str($expected)
                    }

                    $(fn $visit<E: de::Error>(self, $given: $from) -> Result<$type, E> {
                        $read.map($type).ok_or_else(|| E::custom(concat!("must be ", $expected)))
                    })*
                }
                from.deserialize_any(Read)
            }
        }
    };
}

/// Milliseconds; written in seconds, or as `H:MM:SS`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Seconds(pub(super) u64);

/// One leap year; a larger value is probably in another unit.
const MOST_SECONDS: u64 = 366 * 24 * 3600;

scalar! {
    Seconds: "a number of seconds or H:MM:SS\nfor example 3600 or 1:00:00";
    visit_i64(seconds: i64) u64::try_from(seconds).ok().filter(|it| *it <= MOST_SECONDS).map(|it| it * 1000);
    visit_f64(seconds: f64) (0.0..=31_622_400.0).contains(&seconds)
        .then(|| std::time::Duration::from_secs_f64(seconds).as_millis())
        .and_then(|it| u64::try_from(it).ok());
    visit_str(text: &str) clock(text).filter(|it| *it <= MOST_SECONDS).map(|it| it * 1000);
}

/// The seconds of `H:MM:SS`. `1:30` is refused, because it could mean hours and minutes, or minutes and seconds.
fn clock(text: &str) -> Option<u64> {
    let mut parts = text.split(':').map(|part| {
        let digits = !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        part.parse::<u64>().ok().filter(|_| digits)
    });
    let [hours, minutes, seconds] = [parts.next()??, parts.next()??, parts.next()??];
    let places = text.rsplit(':').take(2).all(|part| part.len() == 2);
    if parts.next().is_some() || minutes > 59 || seconds > 59 || !places {
        return None;
    }
    hours.checked_mul(3600)?.checked_add(minutes * 60 + seconds)
}

/// A whole number, 1 or more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Positive(pub(super) u32);

impl Positive {
    /// The number.
    #[must_use]
    pub fn get(self) -> u32 {
        self.0
    }
}

const MOST: u32 = 1_000_000;

scalar! {
    Positive: "a whole number, 1 or more";
    visit_i64(number: i64) u32::try_from(number).ok().filter(|it| (1..=MOST).contains(it));
    visit_str(text: &str) text.parse::<u32>().ok().filter(|it| (1..=MOST).contains(it));
}

/// Memory in MiB; written with a unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Memory(pub(super) u64);

scalar! {
    Memory: "a number with its unit\nfor example mem: \"16 GiB\" or \"512 MiB\"";
    visit_str(text: &str) memory_mib(text);
}

/// MiB of a text such as `16 GiB`, rounded up. **Source**: units of IEC 80000-13; a letter alone is a binary unit, as in Slurm.
fn memory_mib(text: &str) -> Option<u64> {
    let text = text.trim();
    let end = text.find(|char: char| char.is_ascii_alphabetic())?;
    let (number, unit) = text.split_at(end);
    let bytes: u64 = match unit {
        "M" | "MiB" => 1 << 20,
        "G" | "GiB" => 1 << 30,
        "T" | "TiB" => 1 << 40,
        "MB" => 1_000_000,
        "GB" => 1_000_000_000,
        "TB" => 1_000_000_000_000,
        _ => return None,
    };
    let number: f64 = number.trim().parse().ok()?;
    if !(0.0..1e6).contains(&number) {
        return None;
    }
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "at most 1e6 TiB, and not negative"
    )]
    let mib = (number * bytes as f64 / f64::from(1 << 20)).ceil() as u64;
    (mib > 0).then_some(mib)
}

/// The factor by which pauses grow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Factor(pub(super) f64);

scalar! {
    Factor: "a number from 1 to 100";
    visit_i64(factor: i64) i32::try_from(factor).ok().filter(|it| (1..=100).contains(it)).map(f64::from);
    visit_f64(factor: f64) Some(factor).filter(|it| (1.0..=100.0).contains(it));
}

/// Cards and slices of cards, sorted.
#[derive(Debug)]
pub(crate) struct Cards(pub(super) Vec<CardId>);

impl<'de> Deserialize<'de> for Cards {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Numbers;
        impl<'de> Visitor<'de> for Numbers {
            type Value = Cards;

            fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str(
                    "a list of card numbers\ngpus: [0, 1]; the number of cards of each job is gpus_per_job",
                )
            }

            fn visit_seq<A: de::SeqAccess<'de>>(self, mut items: A) -> Result<Cards, A::Error> {
                let mut cards = Vec::new();
                while let Some(card) = items.next_element::<CardId>()? {
                    cards.push(card);
                }
                cards.sort_unstable();
                let twice = cards.windows(2).find(|two| two[0] == two[1]);
                match twice {
                    Some(two) => Err(de::Error::custom(format!("names card {} twice", two[0]))),
                    None => Ok(Cards(cards)),
                }
            }
        }
        from.deserialize_any(Numbers)
    }
}

/// Environment variables.
#[derive(Debug, PartialEq, serde::Deserialize)]
#[serde(try_from = "BTreeMap<String, Written>")]
pub(crate) struct Variables(pub(super) BTreeMap<String, String>);

impl TryFrom<BTreeMap<String, Written>> for Variables {
    type Error = String;

    fn try_from(variables: BTreeMap<String, Written>) -> Result<Self, String> {
        let texts = variables.into_iter().map(|(name, text)| (name, text.0));
        let variables: BTreeMap<String, String> = texts.collect();
        let safe = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
        let bad = variables.iter().find(|(name, text)| {
            !name.bytes().all(safe)
                || name.is_empty()
                || name.starts_with(|first: char| first.is_ascii_digit())
                || text.contains('\0')
        });
        match bad {
            None => Ok(Self(variables)),
            Some((name, _)) => Err(format!(
                "needs names of letters, digits and _ with a text each, not {name:?}"
            )),
        }
    }
}

/// Signals that a program can handle. **Source**: signal(7).
#[derive(Clone, Copy, Debug, PartialEq, serde::Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "UPPERCASE")]
pub(crate) enum Signal {
    Hup = 1,
    Int = 2,
    Usr1 = 10,
    Usr2 = 12,
    Term = 15,
}

#[derive(Clone, Copy, Debug, PartialEq, serde::Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(expecting = "a map\nnotice: {signal: USR1, before: 60}")]
pub(crate) struct Notice {
    /// The signal that the job gets.
    pub(super) signal: Signal,
    /// How long before the time limit.
    pub(super) before: Seconds,
}

#[derive(Debug, PartialEq, serde::Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(expecting = "a map\noom_retry: {delay: 120, max_attempts: 3}")]
pub(crate) struct OomRetry {
    /// Pause before the first retry.
    pub(super) delay: Option<Seconds>,
    /// Most attempts in all.
    pub(super) max_attempts: Option<u32>,
}

#[derive(Debug, PartialEq, serde::Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(expecting = "a map\nretry: {oom: 2, infra: 5, other: 1, delay: 120}")]
pub(crate) struct Retry {
    /// Most retries after an out-of-memory error, of the GPU or the host.
    pub(super) oom: Option<u32>,
    /// Most retries after a node failure or preemption.
    pub(super) infra: Option<u32>,
    /// Most retries after the time limit; each follows at once.
    pub(super) time_limit: Option<u32>,
    /// Most retries after any other failure.
    pub(super) other: Option<u32>,
    /// Most retries after an attempt whose end is unknown.
    pub(super) lost: Option<u32>,
    /// Pause before the first retry.
    pub(super) delay: Option<Seconds>,
    /// Factor by which each further pause grows.
    pub(super) factor: Option<Factor>,
    /// The longest pause.
    pub(super) max_delay: Option<Seconds>,
    /// Which card a retry after an out-of-memory error takes.
    pub(super) other_gpu: Option<OtherGpu>,
}

/// A condition on files. **Source**: the reference's skill: `{type: checkpoint_exists, path: …}`.
#[derive(Debug, PartialEq, serde::Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(expecting = "a list of maps\n- {type: file_exists, path: data/train.bin}")]
pub(crate) struct Precondition {
    #[serde(rename = "type")]
    _kind: PreconditionKind,
    /// Globs; `{name}` is replaced by that parameter of the job.
    pub(super) path: Many<String>,
}

#[derive(Debug, PartialEq, serde::Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
enum PreconditionKind {
    #[serde(rename = "checkpoint_exists")]
    Checkpoint,
    #[serde(rename = "file_exists")]
    File,
    #[serde(rename = "path_exists")]
    Path,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_has_a_unit() {
        for (text, expected) in [
            ("16 GiB", Some(16_384)),
            ("16G", Some(16_384)),
            ("0.5 GiB", Some(512)),
            ("1GB", Some(954)),
            ("16", None),
            ("0G", None),
            ("-1G", None),
            ("16 Gib", None),
            ("GiB", None),
        ] {
            assert_eq!(memory_mib(text), expected, "{text}");
        }
    }
}
