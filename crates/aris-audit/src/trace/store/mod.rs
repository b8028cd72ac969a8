//! Writes a record.
//!
//! Order of a write, under the lock: a note with the record's name; the record's files, each synced; the folder, synced; the chain
//! line, synced: from here on the record exists; the note is removed. After a writer was killed, the next one finds its note, removes
//! the incomplete record's files, and adds a void line for its number, so that a number never stands for two contents.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use aris_contract::artifact::Slug;
use aris_contract::artifact::trace::{ChainLine, Event, Request, ResponseMeta, Run, TraceMode};
use aris_contract::{ErrorKind, Failure, json, schema, time};
use aris_fs::{EntryKind, FsError, Lock};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use jiff::Timestamp;
use serde::Serialize;
use serde_json::{Map, Value};

use super::{CHAIN, EVENT, EVENTS, FOLDER, PENDING, RUN_META, events, prefix};
use crate::digest::Digest;
use crate::{gitignore, verdict};

/// Files of a record, after its prefix.
const FILES: [&str; 3] = [".request.json", ".response.md", ".meta.json"];
/// Most records of another program that may be skipped at the end of a chain; each costs a void line.
const MOST: u64 = 1_000;

/// A reviewer call to record.
#[derive(Clone, Debug)]
pub struct NewRecord<'a> {
    /// Skill that made the call.
    pub skill: &'a Slug,
    /// Short label of the call.
    pub purpose: &'a Slug,
    /// Reviewer model.
    pub model: &'a str,
    /// The reviewer's conversation.
    pub thread_id: &'a str,
    /// Tool the reviewer was called through.
    pub tool: &'a str,
    /// The agent that ran the skill, if known.
    pub executor: Option<&'a str>,
    /// Configuration of the call.
    pub config: Map<String, Value>,
    /// Files the prompt points at.
    pub files: Vec<String>,
    /// Digests of the files that the reviewer was given, from [`reviewed`](super::reviewed()); `None` if they were not taken.
    pub input_digests: Option<BTreeMap<String, String>>,
    /// Milliseconds the call took.
    pub duration_ms: Option<u64>,
    /// `ok`, or what the caller reports.
    pub status: &'a str,
    /// The prompt as sent.
    pub prompt: &'a [u8],
    /// The response as received.
    pub response: &'a [u8],
    /// Full or meta. [`TraceMode::Off`] is the caller's business and means meta here.
    pub mode: TraceMode,
    /// The run it belongs to.
    pub run: RunChoice<'a>,
}

/// The choice of a record's run.
#[derive(Clone, Copy, Debug)]
pub enum RunChoice<'a> {
    /// The skill's latest run of the day, or its first.
    Latest,
    /// A new run.
    New,
    /// The run with this id, created when absent.
    Named(&'a Slug),
}

/// The place of a record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Saved {
    /// Folder of the run relative to the project, with a final `/`: the value of `trace_path` in an audit.
    pub trace_path: String,
    /// Id of the run.
    pub run_id: String,
    /// Number of the record, from 1.
    pub call_number: u64,
    /// File prefix of the record.
    pub prefix: String,
    /// Digest of the record's chain line.
    pub chain_digest: String,
}

/// Why a record could not be written.
#[derive(Debug, thiserror::Error)]
pub enum TraceError {
    /// A disk error.
    #[error(transparent)]
    Fs(#[from] FsError),
    /// The chain of the run is damaged, so nothing can be added.
    #[error("{} is damaged: {reason}", path.display())]
    Damaged {
        /// The chain.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// There is a link in the place of a report.
    #[error("{} is a link; nothing is written through it", path.display())]
    Link {
        /// The link.
        path: PathBuf,
    },
    /// No run number is left for this day.
    #[error("{} has {count} runs for {day} already", path.display())]
    Runs {
        /// Folder of the skill's traces.
        path: PathBuf,
        /// The day.
        day: String,
        /// Highest number.
        count: u64,
    },
}

impl Failure for TraceError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Fs(error) => error.kind(),
            Self::Damaged { .. } => ErrorKind::Validation,
            Self::Link { .. } | Self::Runs { .. } => ErrorKind::Precondition,
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::Fs(error) => error.hint(),
            Self::Damaged { .. } => Some(String::from(
                "keep the run as evidence and start another with --new-run",
            )),
            Self::Link { .. } => Some(String::from("remove the link; the report takes its place")),
            Self::Runs { .. } => Some(String::from("name the run with --run-id")),
        }
    }

    fn details(&self) -> Map<String, Value> {
        match self {
            Self::Fs(error) => error.details(),
            Self::Damaged { path, .. } | Self::Link { path } | Self::Runs { path, .. } => {
                Map::from_iter([(
                    String::from("path"),
                    Value::from(path.display().to_string()),
                )])
            }
        }
    }
}

/// Adds a record to the traces of `project` (absolute) and an event to its log.
///
/// Any number of writers on one machine may call it at once; a killed writer leaves a complete record or none.
pub fn record(project: &Path, new: &NewRecord<'_>, now: Timestamp) -> Result<Saved, TraceError> {
    let traces = project.join(FOLDER).join(new.skill.as_str());
    aris_fs::create_dir(&traces)?;
    let lock = Lock::acquire(&traces.join(".lock"))?;
    let known = events::runs(project, new.skill.as_str());
    let run_id = choose(&traces, new.run, &time::day(now), &known)?;
    let run = traces.join(&run_id);
    let mut chain = ChainEnd::open(&run, new, &run_id, project, now)?;
    chain.clear_pending()?;
    let saved = loop {
        if let Some(saved) = chain.add(new, &run_id, now)? {
            break saved;
        }
    };
    drop(lock);
    log_event(project, new, &saved, now)?;
    gitignore::ignore_traces(project)?;
    Ok(saved)
}

/// The run's id; the folder may not exist yet.
///
/// `known` are the runs in the log of events. A known run that no longer exists (deleted, or not in this clone) is never started again,
/// because its number stands for what was recorded then.
fn choose(
    traces: &Path,
    choice: RunChoice<'_>,
    day: &str,
    known: &BTreeSet<String>,
) -> Result<String, TraceError> {
    if let RunChoice::Named(id) = choice {
        let others = (2_u64..).map(|number| format!("{id}-{number}"));
        let mut ids = std::iter::once(id.as_str().to_owned()).chain(others);
        let free = |id: &String| traces.join(id).is_dir() || !known.contains(id);
        return Ok(ids.find(free).unwrap_or_default());
    }
    let number = |name: &str| name.strip_prefix(day)?.strip_prefix("_run")?.parse().ok();
    let folders = aris_fs::list_sorted(traces)?;
    let folders = folders
        .iter()
        .filter(|entry| entry.kind == EntryKind::Folder);
    let there: Option<u64> = folders
        .filter_map(|entry| number(entry.name.to_str()?))
        .max();
    let gone = known.iter().filter_map(|id| number(id)).max();
    let latest = there.max(gone).unwrap_or(0);
    let number = match choice {
        RunChoice::Latest if there == Some(latest) => Some(latest),
        _ => latest.checked_add(1),
    };
    let number = number.ok_or_else(|| TraceError::Runs {
        path: traces.to_path_buf(),
        day: day.to_owned(),
        count: latest,
    })?;
    Ok(format!("{day}_run{number:02}"))
}

/// The end of a run's chain, to which the next line is added.
struct ChainEnd {
    run: PathBuf,
    path: PathBuf,
    last: u64,
    previous: Digest,
    /// Numbers of records in the folder that are not in the chain, written by other programs.
    taken: BTreeSet<u64>,
}

impl ChainEnd {
    fn open(
        run: &Path,
        new: &NewRecord<'_>,
        run_id: &str,
        project: &Path,
        now: Timestamp,
    ) -> Result<Self, TraceError> {
        aris_fs::create_dir(run)?;
        let (meta, path) = (run.join(RUN_META), run.join(CHAIN));
        let bytes = if let Some(bytes) =
            aris_fs::read_optional(&meta, json::Limits::ARTIFACT.bytes as u64)?
        {
            bytes
        } else {
            let text = pretty(&Run {
                schema: Some(String::from(schema::id::TRACE_RUN)),
                skill: new.skill.to_string(),
                run_id: run_id.to_owned(),
                started_at: time::stamp(now),
                executor: new.executor.map(ToOwned::to_owned),
                project_dir: project.display().to_string(),
            });
            aris_fs::write_atomic(&meta, &text)?;
            text
        };
        let damaged = |reason: String| TraceError::Damaged {
            path: path.clone(),
            reason,
        };
        let entries = aris_fs::list_sorted(run)?;
        let (last, previous) = if let Some(line) = aris_fs::last_line(&path)? {
            let parsed: ChainLine = json::typed(line.as_bytes(), json::Limits::ARTIFACT)
                .map_err(|error| damaged(format!("its last line is no chain line: {error}")))?;
            (parsed.record, Digest::of(line.as_bytes()))
        } else {
            // A writer that was killed before the first line may have left temporary files.
            aris_fs::sweep_folder(run)?;
            // Created here so that its directory entry is durable before the first line is.
            aris_fs::write_unsynced(&path, b"")?;
            (0, Digest::of(&bytes))
        };
        let numbers = entries
            .iter()
            .filter_map(|entry| number(entry.name.to_str()?));
        let taken = numbers
            .filter(|it| *it > last && it - last <= MOST)
            .collect();
        Ok(Self {
            run: run.to_path_buf(),
            path,
            last,
            previous,
            taken,
        })
    }

    /// Removes the leftovers of a killed writer, and makes its number void.
    fn clear_pending(&mut self) -> Result<(), TraceError> {
        let note = self.run.join(PENDING);
        let Some(bytes) = aris_fs::read_optional(&note, 4096)? else {
            return Ok(());
        };
        aris_fs::sweep_folder(&self.run)?;
        let text = String::from_utf8_lossy(&bytes).into_owned();
        // A note with the number of the last line belongs to a writer that was killed after its record was complete. A truncated note
        // names no record; its files would then block the next writer, who makes the number void.
        if let Some((number, purpose)) = text.split_once('-')
            && number == format!("{:03}", self.last + 1)
            && purpose.parse::<Slug>().is_ok()
        {
            let mut took = false;
            for suffix in FILES {
                let path = self.run.join(format!("{text}{suffix}"));
                took |= path.exists();
                aris_fs::remove_file(&path)?;
            }
            if took {
                self.void()?;
            }
        }
        aris_fs::remove_file(&note)?;
        Ok(())
    }

    /// Writes the record with the next number; `None` if that number was taken and is now void.
    fn add(
        &mut self,
        new: &NewRecord<'_>,
        run_id: &str,
        now: Timestamp,
    ) -> Result<Option<Saved>, TraceError> {
        // A number never stands for two records, so the chain skips the numbers of other programs' records.
        while self.taken.range(self.last + 1..).next().is_some() {
            self.void()?;
        }
        let number = self.last + 1;
        let prefix = prefix(number, new.purpose.as_str());
        let full = new.mode == TraceMode::Full;
        let request = pretty(&request(new, number, now));
        let stated = verdict::stated(&String::from_utf8_lossy(new.response));
        let meta = pretty(&ResponseMeta {
            schema: Some(String::from(schema::id::TRACE_META)),
            call_number: number,
            purpose: new.purpose.to_string(),
            timestamp: time::stamp(now),
            thread_id: new.thread_id.to_owned(),
            model: new.model.to_owned(),
            duration_ms: new.duration_ms,
            status: new.status.to_owned(),
            verdict: stated.filter(|_| !full),
        });
        let file = |suffix: &str| self.run.join(format!("{prefix}.{suffix}"));
        let note = self.run.join(PENDING);
        aris_fs::write_unsynced(&note, prefix.as_bytes())?;
        let free = aris_fs::write_new(&file("request.json"), &request)?
            && (!full || aris_fs::write_new(&file("response.md"), new.response)?)
            && aris_fs::write_new(&file("meta.json"), &meta)?;
        if !free {
            // Another program's file has this name and stays; our files with this number are removed.
            for (suffix, bytes) in [("request.json", &*request), ("response.md", new.response)] {
                if aris_fs::holds(&file(suffix), bytes) {
                    aris_fs::remove_file(&file(suffix))?;
                }
            }
            self.void()?;
            aris_fs::remove_file(&note)?;
            return Ok(None);
        }
        aris_fs::sync_dir(&self.run)?;
        let digest = self.append(&ChainLine {
            record: number,
            prefix: prefix.clone(),
            mode: if full {
                TraceMode::Full
            } else {
                TraceMode::Meta
            },
            request: Some(Digest::of(&request).to_string()),
            response: Some(Digest::of(new.response).to_string()),
            meta: Some(Digest::of(&meta).to_string()),
            prompt: Some(Digest::of(new.prompt).to_string()),
            previous: self.previous.to_string(),
        })?;
        aris_fs::remove_file(&note)?;
        Ok(Some(Saved {
            trace_path: format!("{FOLDER}/{}/{run_id}/", new.skill),
            run_id: run_id.to_owned(),
            call_number: number,
            prefix,
            chain_digest: digest.to_string(),
        }))
    }

    fn void(&mut self) -> Result<(), TraceError> {
        self.append(&ChainLine {
            record: self.last + 1,
            prefix: String::new(),
            mode: TraceMode::Off,
            request: None,
            response: None,
            meta: None,
            prompt: None,
            previous: self.previous.to_string(),
        })?;
        Ok(())
    }

    fn append(&mut self, line: &ChainLine) -> Result<Digest, TraceError> {
        let text = serde_json::to_string(line).map_err(|error| TraceError::Damaged {
            path: self.path.clone(),
            reason: error.to_string(),
        })?;
        aris_fs::append_line(&self.path, &text)?;
        self.last = line.record;
        self.previous = Digest::of(text.as_bytes());
        Ok(self.previous)
    }
}

/// The number in the name of a record's file.
fn number(name: &str) -> Option<u64> {
    let (number, rest) = name.split_once('-')?;
    let of_record = FILES.iter().any(|suffix| rest.ends_with(suffix));
    number.parse().ok().filter(|_| of_record)
}

fn request(new: &NewRecord<'_>, number: u64, now: Timestamp) -> Request {
    let full = new.mode == TraceMode::Full;
    let text = std::str::from_utf8(new.prompt).ok();
    // Escapes make JSON up to six times as long as the text, base64 only a third longer: so every prompt can be read back.
    let escaped = |text: &str| serde_json::to_string(text).map_or(0, |json| json.len());
    let text = text.filter(|text| escaped(text) / 4 <= text.len() / 3 + 1);
    Request {
        schema: Some(String::from(schema::id::TRACE_REQUEST)),
        call_number: number,
        purpose: new.purpose.to_string(),
        timestamp: time::stamp(now),
        tool: new.tool.to_owned(),
        model: new.model.to_owned(),
        config: new.config.clone(),
        executor: new.executor.map(ToOwned::to_owned),
        files_referenced: new.files.clone(),
        input_digests: new.input_digests.clone(),
        prompt_length: Some(new.prompt.len() as u64),
        response_length: Some(new.response.len() as u64),
        prompt: text.filter(|_| full).map(ToOwned::to_owned),
        prompt_base64: (full && text.is_none()).then(|| STANDARD.encode(new.prompt)),
    }
}

fn log_event(
    project: &Path,
    new: &NewRecord<'_>,
    saved: &Saved,
    now: Timestamp,
) -> Result<(), TraceError> {
    let path = project.join(EVENTS);
    if let Some(folder) = path.parent() {
        aris_fs::create_dir(folder)?;
    }
    let event = Event {
        event: String::from(EVENT),
        skill: new.skill.to_string(),
        purpose: new.purpose.to_string(),
        thread_id: new.thread_id.to_owned(),
        trace_path: saved.trace_path.clone(),
        call_number: saved.call_number,
        timestamp: time::stamp(now),
        status: new.status.to_owned(),
        chain: Some(saved.chain_digest.clone()),
    };
    let line = serde_json::to_string(&event).map_err(|error| TraceError::Damaged {
        path: path.clone(),
        reason: error.to_string(),
    })?;
    Ok(aris_fs::append_line(&path, &line)?)
}

/// Indented JSON with a final line feed. Serialisation cannot fail: keys are strings and numbers are finite.
fn pretty<T: Serialize>(value: &T) -> Vec<u8> {
    json::pretty(value).unwrap_or_default()
}

#[cfg(test)]
mod tests;
