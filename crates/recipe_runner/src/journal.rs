//! The journal of a run: it grows by one line for each change, and no line is ever changed.
//!
//! ```text
//! {"seq":1,"begin":{…the state at the beginning…},"crc":"89abcdef"}
//! {"seq":2,"entries":[{…}],"standing":{…},"crc":"89abcdef"}
//! ```
//!
//! A long captured value is in a file of its own in `STATE.d/captured`, and the line has its SHA-256. A file that is one JSON object
//! without a `seq` was written by hand as the beginning of a run; the first change makes it a journal.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use aris_contract::ErrorKind;
use aris_fs::Log;
use aris_recipe::engine::state::{RecipeRef, STATE_SCHEMA, sha256_hex};
use aris_recipe::engine::{Entry, Event, State, Status};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::error::Error;

/// Longest captured value in the journal itself, in bytes: verdicts, paths and numbers, so that people can read it.
const SHORT: usize = 1024;
/// Largest captured value, in bytes.
const LIMIT: u64 = 256 << 20;
/// How a journal begins.
const BEGIN: &[u8] = b"{\"seq\":";

#[derive(Default, Serialize, Deserialize)]
struct Line {
    seq: u64,
    /// The whole state; of the first line only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    begin: Option<Box<State>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    entries: Vec<Entry>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    standing: Option<Standing>,
    /// Attempts of the step at the cursor that are about to be started, by their folder below `STATE.d`: the digests of their requests.
    /// They count until the next entry.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    started: BTreeMap<String, String>,
}

/// Declares the part of a state that does not follow from the entries, with the fields of the state.
macro_rules! standing {
    ($($(#[$attribute:meta])* $field:ident: $type:ty,)*) => {
        /// The part of a state that does not follow from the entries.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        struct Standing {
            $($(#[$attribute])* $field: $type,)*
            /// The recipe, where it is another one than before.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            recipe: Option<RecipeRef>,
        }

        impl Standing {
            fn of(state: &State) -> Self {
                let recipe = None;
                Self { $($field: state.$field.clone(),)* recipe }
            }

            fn put(self, state: &mut State) {
                $(state.$field = self.$field;)*
                if let Some(recipe) = self.recipe {
                    state.recipe = recipe;
                }
            }
        }
    };
}

standing! {
    status: Status,
    cursor: Option<String>,
    attempts: u32,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    notes: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    halt: Option<String>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    tainted: bool,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    failed: bool,
    max_steps: u64,
    head: Option<String>,
}

/// A captured value that is in a file. Captured values are texts and lists, so an object cannot be a captured value itself.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Stored {
    sha256: String,
    bytes: u64,
    list: bool,
}

/// What was read.
pub(crate) struct Read {
    pub(crate) state: State,
    /// Bytes of an incomplete line at the end, which a killed writer left.
    pub(crate) torn: u64,
    /// Continues the journal.
    pub(crate) writer: Writer,
}

/// Adds lines to a journal.
#[derive(Debug, Default)]
pub(crate) struct Writer {
    /// Opened when the first line is added.
    log: Option<Log>,
    /// Number of the last line; 0 when there is no journal yet.
    seq: u64,
    /// Length of the journal up to the end of that line, in bytes.
    good: u64,
    /// How many entries it has.
    entries: usize,
    begun: bool,
    recipe: RecipeRef,
    standing: Option<Standing>,
    /// Attempts that were started since the last entry.
    started: BTreeMap<String, String>,
}

impl Writer {
    /// Writes what is new.
    pub(crate) fn save(&mut self, path: &Path, state: &State) -> Result<(), Error> {
        self.start(path, state, BTreeMap::new())
    }

    /// Writes what is new, and which attempts are about to be started.
    pub(crate) fn start(
        &mut self,
        path: &Path,
        state: &State,
        started: BTreeMap<String, String>,
    ) -> Result<(), Error> {
        // What was not begun may have got its inputs and its start only now.
        if self.seq == 0 || !self.begun {
            self.begin(path, state)?;
        }
        let new = state.journal.get(self.entries..).unwrap_or_default();
        let entries: Result<Vec<Entry>, Error> =
            new.iter().map(|entry| put_away(path, entry)).collect();
        let standing = Standing {
            recipe: (state.recipe != self.recipe).then(|| state.recipe.clone()),
            ..Standing::of(state)
        };
        if new.is_empty() && started.is_empty() && self.standing.as_ref() == Some(&standing) {
            return Ok(());
        }
        if !new.is_empty() {
            self.started.clear();
        }
        let line = Line {
            seq: self.seq + 1,
            entries: entries?,
            standing: Some(standing),
            started: started.clone(),
            ..Line::default()
        };
        let text = text(path, &line)?;
        if self.log.is_none() {
            let (mut log, there) = Log::open(path)?;
            if there.len() as u64 > self.good {
                log.cut(self.good)?;
            }
            self.log = Some(log);
        }
        if let Some(log) = &mut self.log {
            log.append(text.as_bytes())?;
        }
        self.seq += 1;
        self.started.extend(started);
        self.saved(state);
        Ok(())
    }

    /// Attempts of the step at the cursor that were started.
    pub(crate) const fn started(&self) -> &BTreeMap<String, String> {
        &self.started
    }

    /// Whether the file is the beginning of a run that somebody wrote, or is not there yet.
    pub(crate) const fn is_new(&self) -> bool {
        self.seq == 0
    }

    fn begin(&mut self, path: &Path, state: &State) -> Result<(), Error> {
        let line = Line {
            seq: 1,
            begin: Some(Box::new(state.clone())),
            ..Line::default()
        };
        let text = text(path, &line)?;
        aris_fs::write_atomic(path, text.as_bytes())?;
        self.log = None;
        self.seq = 1;
        self.good = text.len() as u64;
        self.saved(state);
        Ok(())
    }

    fn saved(&mut self, state: &State) {
        self.entries = state.journal.len();
        self.begun = state.start.is_some();
        self.recipe.clone_from(&state.recipe);
        self.standing = Some(Standing::of(state));
    }
}

fn text(path: &Path, line: &Line) -> Result<String, Error> {
    let json = serde_json::to_string(line).map_err(|error| wrong(path, error.to_string()))?;
    let mut text = String::new();
    aris_fs::seal(&mut text, &json);
    Ok(text)
}

/// Reads a run; without `captured`, values in files of their own are not read. `None` where there is no file.
///
/// **Errors**: [`wrong`] when it is malformed, or when a captured value was changed.
pub(crate) fn read(path: &Path, captured: bool) -> Result<Option<Read>, Error> {
    let Some(bytes) = aris_fs::read_optional(path, Log::LIMIT)? else {
        return Ok(None);
    };
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Err(wrong(path, String::from("the file is empty")));
    }
    if !bytes.starts_with(BEGIN) {
        let state = serde_json::from_slice(&bytes).map_err(|error| wrong(path, error.to_string()));
        let state = checked(path, state?)?;
        if state.start.is_some() {
            return Err(wrong(path, String::from(aris_recipe::engine::BY_HAND)));
        }
        return Ok(Some(Read {
            state,
            torn: 0,
            writer: Writer::default(),
        }));
    }
    let parse = |line: &[u8]| {
        let line: Line = serde_json::from_slice(line).map_err(|error| error.to_string())?;
        Ok((line.seq, line))
    };
    let (lines, good) = aris_fs::sealed(&bytes, parse)
        .map_err(|damaged| wrong(path, format!("line {}: {}", damaged.line, damaged.why)))?;
    let seq = lines.len() as u64;
    let mut lines = lines.into_iter();
    let first = lines.next().filter(|first| first.seq == 1);
    let Some(begin) = first.and_then(|first| first.begin) else {
        let reason = String::from("line 1: it is not the beginning of a run");
        return Err(wrong(path, reason));
    };
    let mut state = checked(path, *begin)?;
    let mut started = BTreeMap::new();
    for (number, line) in (2..).zip(lines) {
        let Some(standing) = line.standing else {
            let reason = format!("line {number}: it does not say how the run stands");
            return Err(wrong(path, reason));
        };
        if !line.entries.is_empty() {
            started.clear();
        }
        started.extend(line.started);
        for mut entry in line.entries {
            if captured {
                bring_back(path, number, &mut entry)?;
            }
            if matches!(entry.event, Event::Executed | Event::Stop) {
                state.visits.insert(entry.step.clone(), entry.visit);
            }
            state.context.extend(entry.captured.clone());
            state.journal.push(entry);
        }
        standing.put(&mut state);
    }
    let mut writer = Writer {
        seq,
        good,
        started,
        ..Writer::default()
    };
    writer.saved(&state);
    Ok(Some(Read {
        state,
        torn: bytes.len() as u64 - good,
        writer,
    }))
}

fn checked(path: &Path, mut state: State) -> Result<State, Error> {
    if state.schema.is_empty() {
        STATE_SCHEMA.clone_into(&mut state.schema);
    }
    if state.schema == STATE_SCHEMA {
        return Ok(state);
    }
    let reason = format!("its schema is {:?}, not {STATE_SCHEMA:?}", state.schema);
    Err(wrong(path, reason))
}

/// The entry, with its long values moved into files.
fn put_away(path: &Path, entry: &Entry) -> Result<Entry, Error> {
    let mut entry = entry.clone();
    for value in entry.captured.values_mut() {
        let (bytes, list) = match &*value {
            Value::String(text) => (text.clone().into_bytes(), false),
            other => (other.to_string().into_bytes(), true),
        };
        if bytes.len() <= SHORT {
            continue;
        }
        let folder = attempts_of(path).join("captured");
        let sha256 = sha256_hex(&bytes);
        aris_fs::create_dir(&folder)?;
        // The file comes first, so that a line never names an absent file.
        aris_fs::write_changed(&folder.join(&sha256), &bytes)?;
        *value = json!({"sha256": sha256, "bytes": bytes.len(), "list": list});
    }
    Ok(entry)
}

/// Replaces references to files in an entry by the values in them.
fn bring_back(path: &Path, number: usize, entry: &mut Entry) -> Result<(), Error> {
    for (variable, value) in &mut entry.captured {
        if !value.is_object() {
            continue;
        }
        let bad = |why: String| {
            let step = &entry.step;
            let reason = format!("line {number}: what step {step} captured as {variable} {why}");
            wrong(path, reason)
        };
        let stored: Stored = serde_json::from_value(value.take())
            .map_err(|error| bad(format!("is unclear: {error}")))?;
        let file = attempts_of(path).join("captured").join(&stored.sha256);
        let bytes = aris_fs::read_optional(&file, LIMIT)?
            .ok_or_else(|| bad(format!("is missing: {}", file.display())))?;
        if sha256_hex(&bytes) != stored.sha256 {
            return Err(bad(format!("was changed: {}", file.display())));
        }
        let text = String::from_utf8(bytes).map_err(|error| bad(error.to_string()))?;
        *value = if stored.list {
            serde_json::from_str(&text).map_err(|error| bad(error.to_string()))?
        } else {
            Value::from(text)
        };
    }
    Ok(())
}

const HINT: &str = "if this is not the state of a run, name another file with --state; else restore it from a backup, or write a new one with recipe.path, inputs and context";

/// The error that a state is malformed.
pub(crate) fn wrong(path: &Path, reason: String) -> Error {
    let reason = format!("{}: {reason}", path.display());
    Error::refused_at(path, ErrorKind::Validation, reason, HINT)
}

/// The folder of the attempts of a state.
pub(crate) fn attempts_of(state: &Path) -> PathBuf {
    beside(state, ".d")
}

/// The path with something added to its name.
pub(crate) fn beside(path: &Path, more: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(more);
    PathBuf::from(name)
}
