//! The keys of a manifest's file, and what they may hold.

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

use super::choices::{DoneWhen, Engine, OnDepFailure, OtherGpu, Release};
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
    /// Working directory of the jobs; a relative one counts from where the queue was begun.
    pub(super) cwd: Option<String>,
    /// The conda environment to activate; `none`: nothing.
    pub(super) conda: Option<String>,
    /// Shell text, or path of a conda program, that brings the `conda` function.
    pub(super) conda_hook: Option<String>,
    /// Cards that may be used; absent: all there are.
    pub(super) gpus: Option<Cards>,
    /// Cards of each job.
    pub(super) gpus_per_job: Option<u32>,
    /// Jobs that run at the same time.
    pub(super) max_parallel: Option<Positive>,
    /// Jobs without cards that run at the same time.
    pub(super) max_cpu_jobs: Option<Positive>,
    /// Jobs that may fail before nothing new is started.
    pub(super) max_failures: Option<Positive>,
    /// Shell command that is told of each job that has failed.
    pub(super) on_failure: Option<String>,
    /// Shell command that is told when the queue is over.
    pub(super) on_end: Option<String>,
    /// Whether each run leaves a record in the project's ledger, `.aris/runs`; by default it does.
    pub(super) provenance: Option<bool>,
    /// MiB below which a card counts as free.
    pub(super) gpu_free_threshold_mib: Option<u64>,
    /// Whether a card with any foreign process is left alone.
    pub(super) exclusive: Option<bool>,
    /// How long a job waits for several cards before those that fall free are kept for it.
    pub(super) reserve_after: Option<Seconds>,
    /// What becomes of jobs whose dependency did not complete.
    pub(super) on_dep_failure: Option<OnDepFailure>,
    /// Where jobs run.
    pub(super) engine: Option<Engine>,
    /// Who releases a phase when its parents are through.
    pub(super) release: Option<Release>,
    /// The command of jobs that have none.
    pub(super) default_cmd: Option<String>,
    /// Groups of jobs.
    #[cfg_attr(test, schemars(with = "Option<Vec<Level<Phase>>>"))]
    phases: IgnoredAny,
    /// Jobs of one phase `main`.
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
    /// What becomes of jobs whose dependency did not complete.
    pub(super) on_dep_failure: Option<OnDepFailure>,
    /// Jobs of this phase that run at the same time.
    pub(super) max_parallel: Option<Positive>,
    /// The command of jobs that have none.
    pub(super) default_cmd: Option<String>,
    /// Cards of each job.
    pub(super) gpus: Option<u32>,
    /// Working directory of its jobs; a relative one counts from the queue's.
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
    /// Unique, also when upper and lower case count as equal.
    pub(super) id: Option<String>,
    /// Text for the shell.
    pub(super) cmd: Option<String>,
    /// Arguments that are appended to the command: `--key value`.
    #[cfg_attr(test, schemars(with = "Option<BTreeMap<String, serde_json::Value>>"))]
    args: IgnoredAny,
    /// Globs of files that it writes.
    pub(super) expected_output: Option<Many<String>>,
    /// The same.
    pub(super) output_check: Option<Many<String>>,
    /// Jobs that must be completed before it starts.
    pub(super) needs: Option<Many<String>>,
    /// The grid cell it came from.
    #[cfg_attr(test, schemars(with = "Option<BTreeMap<String, serde_json::Value>>"))]
    params: IgnoredAny,
    /// Its cards.
    pub(super) gpus: Option<u32>,
    /// Its working directory; a relative one counts from the queue's.
    pub(super) cwd: Option<String>,
}

/// Keys that a job sets for itself, a phase for its jobs and the top for all.
#[derive(Debug, Default, PartialEq, serde::Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub(crate) struct Common {
    /// Processors of each job: the machine never runs more than it has.
    pub(super) cpus: Option<Positive>,
    /// Main memory of each job: the machine never runs more than it has.
    pub(super) mem: Option<Memory>,
    /// MiB of each card; given, jobs may share one.
    pub(super) gpu_mem_mib: Option<u64>,
    /// For each attempt.
    pub(super) time_limit: Option<Seconds>,
    /// A signal before the time limit.
    pub(super) notice: Option<Notice>,
    /// Between SIGTERM and SIGKILL.
    pub(super) kill_grace: Option<Seconds>,
    /// That children may outlive the command.
    pub(super) linger: Option<Seconds>,
    /// That outputs may be late.
    pub(super) output_wait: Option<Seconds>,
    /// What is tried again, how often and when.
    pub(super) retry: Option<Retry>,
    /// After out of memory, as the reference has it.
    pub(super) oom_retry: Option<OomRetry>,
    /// Variables of the environment.
    #[cfg_attr(test, schemars(with = "Option<BTreeMap<String, Scalar>>"))]
    pub(super) env: Option<Variables>,
    /// What completes a job.
    pub(super) done_when: Option<DoneWhen>,
    /// Further texts that mean GPU out of memory.
    pub(super) oom_patterns: Option<Many<String>>,
    /// Shell lines before the command.
    pub(super) setup: Option<Many<String>>,
    /// Higher ones start first.
    pub(super) priority: Option<i32>,
    /// What must hold before a job starts.
    pub(super) preconditions: Option<Vec<Precondition>>,
    /// What Slurm gives each job.
    pub(super) slurm: Option<Slurm>,
}

impl Common {
    /// Whether `gres` stands here.
    pub(super) fn asks_slurm_for_cards(&self) -> bool {
        self.slurm
            .as_ref()
            .is_some_and(|slurm| slurm.gres.is_some())
    }
}

/// A phase that another depends on; a name stands for it, too.
#[derive(Debug, serde::Deserialize)]
#[serde(expecting = "a name or a map\ndepends_on: {phase: teachers, match: [N]}")]
pub(crate) struct Parent {
    /// Its name.
    pub(super) phase: String,
    /// Parameters that tie each job to the parent's of the same values.
    #[serde(default, rename = "match")]
    pub(super) same: Many<String>,
}

/// A type that is read from one scalar by a function; the text is what the scalar must be, a second line the hint.
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

/// Milliseconds; written as seconds, or as `H:MM:SS`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Seconds(pub(super) u64);

/// A year; more is a mistake of units.
const MOST_SECONDS: u64 = 366 * 24 * 3600;

scalar! {
    Seconds: "a number of seconds or H:MM:SS\nfor example 3600 or 1:00:00";
    visit_i64(seconds: i64) u64::try_from(seconds).ok().filter(|it| *it <= MOST_SECONDS).map(|it| it * 1000);
    visit_f64(seconds: f64) (0.0..=31_622_400.0).contains(&seconds)
        .then(|| std::time::Duration::from_secs_f64(seconds).as_millis())
        .and_then(|it| u64::try_from(it).ok());
    visit_str(text: &str) clock(text).filter(|it| *it <= MOST_SECONDS).map(|it| it * 1000);
}

/// Seconds in `H:MM:SS`. Two parts would be hours and minutes to one reader and minutes and seconds to another.
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

/// A whole number from 1 on.
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

/// Memory in MiB; written with its unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Memory(pub(super) u64);

scalar! {
    Memory: "a number with its unit\nfor example mem: \"16 GiB\" or \"512 MiB\"";
    visit_str(text: &str) memory_mib(text);
}

/// **Source**: units as in IEC 80000-13; a letter alone means the binary one, as in Slurm.
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

/// By which pauses grow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Factor(pub(super) f64);

scalar! {
    Factor: "a number from 1 to 100";
    visit_i64(factor: i64) i32::try_from(factor).ok().filter(|it| (1..=100).contains(it)).map(f64::from);
    visit_f64(factor: f64) Some(factor).filter(|it| (1.0..=100.0).contains(it));
}

/// Cards and slices, ascending.
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

/// Variables of an environment.
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

/// Signals that a program may handle. **Source**: signal(7).
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
    /// What the job is told.
    pub(super) signal: Signal,
    /// So long before its time limit.
    pub(super) before: Seconds,
}

#[derive(Debug, PartialEq, serde::Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(expecting = "a map\noom_retry: {delay: 120, max_attempts: 3}")]
pub(crate) struct OomRetry {
    /// Before the first retry.
    pub(super) delay: Option<Seconds>,
    /// Runs in all.
    pub(super) max_attempts: Option<u32>,
}

#[derive(Debug, PartialEq, serde::Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(expecting = "a map\nretry: {oom: 2, infra: 5, other: 1, delay: 120}")]
pub(crate) struct Retry {
    /// After out of memory, of the GPU or the host.
    pub(super) oom: Option<u32>,
    /// After a node failure or preemption.
    pub(super) infra: Option<u32>,
    /// After its time limit, at once.
    pub(super) time_limit: Option<u32>,
    /// After any other failure.
    pub(super) other: Option<u32>,
    /// After an attempt whose end nobody knows.
    pub(super) lost: Option<u32>,
    /// Before the first retry.
    pub(super) delay: Option<Seconds>,
    /// By which each further pause grows.
    pub(super) factor: Option<Factor>,
    /// The longest pause.
    pub(super) max_delay: Option<Seconds>,
    /// Which card a retry after out of memory takes.
    pub(super) other_gpu: Option<OtherGpu>,
}

/// **Source**: the reference's skill: `{type: checkpoint_exists, path: …}`.
#[derive(Debug, PartialEq, serde::Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(expecting = "a list of maps\n- {type: file_exists, path: data/train.bin}")]
pub(crate) struct Precondition {
    #[serde(rename = "type")]
    _kind: PreconditionKind,
    /// Globs; `{name}` is a parameter of the job.
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
