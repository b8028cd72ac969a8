//! Reading a trace, whoever wrote it, and checking its chain.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use aris_contract::artifact::trace::{ChainLine, Event, Request, ResponseMeta, Run, TraceMode};
use aris_contract::json::{self, Limits};
use aris_fs::{EntryKind, FsError};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::{CHAIN, EVENTS, FOLDER, RUN_META};
use crate::digest::{Digest, Hasher};

/// Most files a trace may have. An honest run has a few hundred; the bound keeps a hostile folder from costing minutes.
const MAX_FILES: usize = 300_000;

/// Everything a trace holds.
#[derive(Clone, Debug)]
pub struct Trace {
    /// Description of the run, when there is a readable one.
    pub run: Option<Run>,
    /// Records in the order of the chain, else of their names.
    pub records: Vec<TraceRecord>,
    /// What the chain says.
    pub chain: Chain,
    /// Files that were there and could not be read as what their names say.
    pub warnings: Vec<TraceWarning>,
}

/// One reviewer call.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TraceRecord {
    /// File prefix, `001-round-1-review`; the file's name for a response that stands alone.
    pub prefix: String,
    /// The request, when readable.
    pub request: Option<Request>,
    /// The response's description, when readable.
    pub meta: Option<ResponseMeta>,
    /// Bytes of the response; of the response that was not kept, in meta mode.
    pub response_length: u64,
    /// Whether the response holds anything but white space. In meta mode: whether it had any bytes.
    pub answered: bool,
}

impl TraceRecord {
    /// The reviewer's conversation.
    pub fn thread_id(&self) -> Option<&str> {
        self.meta.as_ref().map(|meta| meta.thread_id.as_str())
    }

    /// The reviewer model, from the response's description, else from the request.
    pub fn model(&self) -> Option<&str> {
        let model = self
            .meta
            .as_ref()
            .map(|meta| &meta.model)
            .or(self.request.as_ref().map(|request| &request.model));
        model.map(String::as_str)
    }

    /// When the response came, RFC 3339 as written.
    pub fn timestamp(&self) -> Option<&str> {
        let time = self
            .meta
            .as_ref()
            .map(|meta| &meta.timestamp)
            .or(self.request.as_ref().map(|request| &request.timestamp));
        time.map(String::as_str)
    }
}

/// What the chain of a run proves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Chain {
    /// There is none: written by hand, or by another program.
    Absent,
    /// Every record is as it was when it was written, and none is missing.
    Valid {
        /// Lines, void ones included.
        lines: u64,
        /// Digest of the last line.
        head: Digest,
    },
    /// Something was changed, removed or added; in the order of discovery.
    Broken(Vec<String>),
}

/// A file of the trace that is not what its name says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceWarning {
    /// Name within the trace.
    pub file: String,
    /// Why it was not read.
    pub reason: String,
}

/// Reads the trace at `path`: the folder of a run, or a single file that holds a response.
///
/// With `project` the log of events is consulted too: it knows how many records a run had, so that cutting the end off
/// a chain does not go unnoticed. **Errors**: what cannot be listed or opened at all; a record that cannot be read is a
/// warning, and breaks the chain if there is one.
pub fn read(path: &Path, project: Option<&Path>) -> Result<Trace, FsError> {
    if !path.is_dir() {
        let (length, answered, _) = response(path)?;
        let prefix = path
            .file_name()
            .map(|name| name.to_string_lossy().into_owned())
            .unwrap_or_default();
        let record = TraceRecord {
            prefix,
            response_length: length,
            answered,
            ..TraceRecord::default()
        };
        return Ok(Trace {
            run: None,
            records: vec![record],
            chain: Chain::Absent,
            warnings: Vec::new(),
        });
    }
    let mut reader = Reader {
        folder: path,
        warnings: Vec::new(),
    };
    let mut names = BTreeSet::new();
    for entry in aris_fs::list_sorted(path)?.into_iter().take(MAX_FILES) {
        if entry.kind == EntryKind::File
            && let Some(name) = entry.name.to_str()
        {
            names.insert(name.to_owned());
        }
    }
    let (run, run_digest) = match reader.json::<Run>(RUN_META, &names) {
        Some((run, digest)) => (Some(run), Some(digest)),
        None => (None, None),
    };
    if !names.contains(CHAIN) {
        let records = reader.loose(&names);
        return Ok(Trace {
            run,
            records,
            chain: Chain::Absent,
            warnings: reader.warnings,
        });
    }
    let (records, chain) = reader.chained(&names, run_digest)?;
    let chain = match (chain, project) {
        (Chain::Valid { lines, head }, Some(project)) => match cut_off(path, project, lines) {
            Some(problem) => Chain::Broken(vec![problem]),
            None => Chain::Valid { lines, head },
        },
        (chain, _) => chain,
    };
    Ok(Trace {
        run,
        records,
        chain,
        warnings: reader.warnings,
    })
}

struct Reader<'a> {
    folder: &'a Path,
    warnings: Vec<TraceWarning>,
}

impl Reader<'_> {
    fn json<T: serde::de::DeserializeOwned>(
        &mut self,
        name: &str,
        names: &BTreeSet<String>,
    ) -> Option<(T, Digest)> {
        if !names.contains(name) {
            return None;
        }
        let bytes = match aris_fs::read(&self.folder.join(name), Limits::ARTIFACT.bytes as u64) {
            Ok(bytes) => bytes,
            Err(error) => return self.warn(name, &error.to_string()),
        };
        match json::typed(&bytes, Limits::ARTIFACT) {
            Ok(value) => Some((value, Digest::of(&bytes))),
            Err(error) => self.warn(name, &error.to_string()),
        }
    }

    fn warn<T>(&mut self, name: &str, reason: &str) -> Option<T> {
        self.warnings.push(TraceWarning {
            file: name.to_owned(),
            reason: reason.to_owned(),
        });
        None
    }

    fn response(&mut self, name: &str, names: &BTreeSet<String>) -> Option<(u64, bool, Digest)> {
        if !names.contains(name) {
            return None;
        }
        match response(&self.folder.join(name)) {
            Ok(found) => Some(found),
            Err(error) => self.warn(name, &error.to_string()),
        }
    }

    /// Records of a run without chain: grouped by prefix; a Markdown or text file of its own is a response.
    fn loose(&mut self, names: &BTreeSet<String>) -> Vec<TraceRecord> {
        let mut records: BTreeMap<String, TraceRecord> = BTreeMap::new();
        for name in names {
            if name == RUN_META || name.starts_with('.') {
                continue;
            }
            if let Some(prefix) = name.strip_suffix(".request.json") {
                let request = self
                    .json::<Request>(name, names)
                    .map(|(request, _)| request);
                records.entry(prefix.to_owned()).or_default().request = request;
            } else if let Some(prefix) = name.strip_suffix(".meta.json") {
                let meta = self.json::<ResponseMeta>(name, names).map(|(meta, _)| meta);
                records.entry(prefix.to_owned()).or_default().meta = meta;
            } else {
                let prefix = name.strip_suffix(".response.md").unwrap_or(name);
                if let Some((length, answered, _)) = self.response(name, names) {
                    let record = records.entry(prefix.to_owned()).or_default();
                    (record.response_length, record.answered) = (length, answered);
                }
            }
        }
        records
            .into_iter()
            .map(|(prefix, mut record)| {
                // In meta mode the reference keeps only the length.
                let length = record
                    .request
                    .as_ref()
                    .and_then(|request| request.response_length)
                    .unwrap_or(0);
                if record.response_length == 0
                    && length > 0
                    && !names.contains(&format!("{prefix}.response.md"))
                {
                    (record.response_length, record.answered) = (length, true);
                }
                TraceRecord { prefix, ..record }
            })
            .collect()
    }

    fn chained(
        &mut self,
        names: &BTreeSet<String>,
        run: Option<Digest>,
    ) -> Result<(Vec<TraceRecord>, Chain), FsError> {
        let bytes = aris_fs::read(&self.folder.join(CHAIN), Limits::ARTIFACT.bytes as u64)?;
        let mut problems = Vec::new();
        let mut previous = run;
        if run.is_none() {
            problems.push(format!("{RUN_META} is missing or unreadable"));
        }
        let mut lines: Vec<&[u8]> = bytes.split(|byte| *byte == b'\n').collect();
        // After the last line feed there is nothing, or the torn line of a writer that was killed.
        lines.pop();
        let mut records = Vec::new();
        let mut count = 0_u64;
        for line in lines {
            count += 1;
            let at = format!("line {count} of {CHAIN}");
            match json::typed::<ChainLine>(line, Limits::ARTIFACT) {
                Err(error) => problems.push(format!("{at} is no chain line: {}", error.message)),
                Ok(parsed) => {
                    if parsed.record != count {
                        problems.push(format!("{at} is for record {}", parsed.record));
                    }
                    if previous.is_none_or(|digest| Digest::parse(&parsed.previous) != Some(digest))
                    {
                        let what = if count == 1 {
                            RUN_META
                        } else {
                            "the line before it"
                        };
                        problems.push(format!("{at} does not continue {what}"));
                    }
                    if parsed.mode != TraceMode::Off {
                        records.push(self.record(&parsed, names, &mut problems));
                    }
                }
            }
            previous = Some(Digest::of(line));
        }
        let chain = match previous {
            Some(head) if problems.is_empty() => Chain::Valid { lines: count, head },
            _ => Chain::Broken(problems),
        };
        Ok((records, chain))
    }

    fn record(
        &mut self,
        line: &ChainLine,
        names: &BTreeSet<String>,
        problems: &mut Vec<String>,
    ) -> TraceRecord {
        let number = format!("{:03}-", line.record);
        if !line.prefix.starts_with(&number) || line.prefix.contains('/') {
            problems.push(format!(
                "record {} is called {:?}",
                line.record, line.prefix
            ));
        }
        let name = |suffix: &str| format!("{}.{suffix}", line.prefix);
        let mut compare = |file: String, chained: Option<&String>, found: Option<Digest>| {
            let chained = chained.and_then(|text| Digest::parse(text));
            match (chained, found) {
                (Some(chained), Some(found)) if chained == found => {}
                (None, _) => problems.push(format!(
                    "record {} chains no digest for {file}",
                    line.record
                )),
                (_, None) => problems.push(format!("{file} is missing or unreadable")),
                _ => problems.push(format!("{file} is not what was recorded")),
            }
        };
        let request = self.json::<Request>(&name("request.json"), names);
        compare(
            name("request.json"),
            line.request.as_ref(),
            request.as_ref().map(|(_, digest)| *digest),
        );
        let meta = self.json::<ResponseMeta>(&name("meta.json"), names);
        compare(
            name("meta.json"),
            line.meta.as_ref(),
            meta.as_ref().map(|(_, digest)| *digest),
        );
        let request = request.map(|(request, _)| request);
        // In meta mode nobody can recompute it; the line's own digest in the next line protects it there.
        if line.mode == TraceMode::Full {
            let prompt = request.as_ref().and_then(prompt_digest);
            compare(
                format!("the prompt of record {}", line.record),
                line.prompt.as_ref(),
                prompt,
            );
        }
        let (response_length, answered) = if line.mode == TraceMode::Full {
            let response = self.response(&name("response.md"), names);
            compare(
                name("response.md"),
                line.response.as_ref(),
                response.map(|(_, _, digest)| digest),
            );
            response.map_or((0, false), |(length, answered, _)| (length, answered))
        } else {
            let length = request
                .as_ref()
                .and_then(|request| request.response_length)
                .unwrap_or(0);
            (length, length > 0)
        };
        TraceRecord {
            prefix: line.prefix.clone(),
            request,
            meta: meta.map(|(meta, _)| meta),
            response_length,
            answered,
        }
    }
}

/// Digest of the prompt that a request holds.
fn prompt_digest(request: &Request) -> Option<Digest> {
    match (&request.prompt, &request.prompt_base64) {
        (Some(text), None) => Some(Digest::of(text.as_bytes())),
        (None, Some(text)) => STANDARD.decode(text).ok().map(|bytes| Digest::of(&bytes)),
        _ => None,
    }
}

/// Length, whether there is more than white space, and digest of a response.
fn response(path: &Path) -> Result<(u64, bool, Digest), FsError> {
    let mut hasher = Hasher::default();
    let (mut length, mut answered) = (0_u64, false);
    aris_fs::open(path)?.stream(&mut vec![0_u8; 64 << 10], |piece| {
        hasher.update(piece);
        length += piece.len() as u64;
        answered = answered || !piece.trim_ascii().is_empty();
    })?;
    Ok((length, answered, hasher.finish()))
}

/// Says so when the log of events knows a later record of this run than its chain.
fn cut_off(folder: &Path, project: &Path, lines: u64) -> Option<String> {
    let relative = folder.strip_prefix(project).ok()?;
    relative.starts_with(FOLDER).then_some(())?;
    let name = format!(
        "{}/",
        relative
            .components()
            .map(|part| part.as_os_str().to_string_lossy())
            .collect::<Vec<_>>()
            .join("/")
    );
    let log =
        aris_fs::read_optional(&project.join(EVENTS), Limits::ARTIFACT.bytes as u64).ok()??;
    let last = log
        .split(|byte| *byte == b'\n')
        .filter_map(|line| serde_json::from_slice::<Event>(line).ok())
        .filter(|event| event.trace_path == name)
        .map(|event| event.call_number)
        .max()?;
    (last > lines).then(|| format!("{EVENTS} knows record {last}, and {CHAIN} ends at {lines}"))
}
