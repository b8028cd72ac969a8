//! Reads a trace, written by any program, and checks its chain.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use aris_contract::artifact::audit::Verdict;
use aris_contract::artifact::trace::{ChainLine, Request, ResponseMeta, Run, TraceMode};
use aris_contract::json::{self, Limits};
use aris_contract::schema;
use aris_fs::{EntryKind, FsError};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::{CHAIN, EVENTS, PENDING, REQUEST, RUN_META, TEXT_LIMIT, events};
use crate::digest::Digest;
use crate::verdict;

/// Most files in a trace. An honest run has a few hundred; the limit keeps a hostile folder from costing minutes.
const MAX_FILES: usize = 300_000;

/// The contents of a trace.
#[derive(Clone, Debug)]
pub struct Trace {
    /// Description of the run, if readable.
    pub run: Option<Run>,
    /// Records in the order of the chain, otherwise sorted by name.
    pub records: Vec<TraceRecord>,
    /// State of the chain.
    pub chain: Chain,
    /// Files that could not be read or that do not contain what their names say.
    pub warnings: Vec<TraceWarning>,
}

/// One reviewer call.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TraceRecord {
    /// File prefix, `001-round-1-review`; for a response that stands alone, the file's name.
    pub prefix: String,
    /// The request, if readable.
    pub request: Option<Request>,
    /// The response's description, if readable.
    pub meta: Option<ResponseMeta>,
    /// Length of the response in bytes, also in meta mode, where the response is not kept.
    pub response_length: u64,
    /// Whether the response contains more than white space. In meta mode: whether it is not empty.
    pub answered: bool,
    /// The verdict that the response states.
    pub verdict: Option<Verdict>,
    /// Whether the run's chain contains it. Records of other programs may lie beside chained ones.
    pub chained: bool,
}

impl TraceRecord {
    /// The reviewer's conversation.
    pub fn thread_id(&self) -> Option<&str> {
        self.meta.as_ref().map(|meta| meta.thread_id.as_str())
    }

    /// The reviewer model, from the response's description, else from the request.
    pub fn model(&self) -> Option<&str> {
        let model = self.meta.as_ref().map(|meta| &meta.model);
        let model = model.or(self.request.as_ref().map(|request| &request.model));
        model.map(String::as_str)
    }

    /// The agent that made the call, if the record names one.
    pub fn executor(&self) -> Option<&str> {
        self.request.as_ref()?.executor.as_deref()
    }

    /// Whether `save_trace` wrote it, which always chains its records.
    fn marked(&self) -> bool {
        let mark = self.meta.as_ref().and_then(|meta| meta.schema.as_deref());
        mark == Some(schema::id::TRACE_META)
    }

    /// When the response arrived: RFC 3339, as written.
    pub fn timestamp(&self) -> Option<&str> {
        let time = self.meta.as_ref().map(|meta| &meta.timestamp);
        let time = time.or(self.request.as_ref().map(|request| &request.timestamp));
        time.map(String::as_str)
    }
}

/// The state of a run's chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Chain {
    /// There is no chain: the trace was written by hand or by another program.
    Absent,
    /// Every record is unchanged and none is missing.
    Valid {
        /// Number of lines, including void ones.
        lines: u64,
        /// Digest of the last line.
        head: Digest,
    },
    /// Records were changed, removed or added; the problems in the order of discovery.
    Broken(Vec<String>),
}

/// A file of the trace that could not be read or does not contain what its name says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceWarning {
    /// Name within the trace.
    pub file: String,
    /// Why it was not read.
    pub reason: String,
}

/// Reads the trace at `path`: the folder of a run, or a single file that holds a response.
///
/// With `project` the log of events is used as well: it contains a run's records and their chain lines, so that a truncated, rewritten
/// or removed chain is noticed. **Errors**: the trace cannot be listed or opened. A record that cannot be read is a warning, and breaks
/// the chain if there is one.
pub fn read(path: &Path, project: Option<&Path>) -> Result<Trace, FsError> {
    if !path.is_dir() {
        let name = path.file_name().unwrap_or_default();
        let mut record = TraceRecord {
            prefix: name.to_string_lossy().into_owned(),
            ..TraceRecord::default()
        };
        Response::of(&aris_fs::read(path, TEXT_LIMIT)?).tell(&mut record);
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
    let (run, run_digest) = reader.json::<Run>(RUN_META, &names, Limits::ARTIFACT);
    let chained = names.contains(CHAIN);
    let (mut records, lines, mut problems) = if chained {
        reader.chained(&names, run_digest)?
    } else {
        (Vec::new(), Vec::new(), Vec::new())
    };
    let mut loose = reader.loose(&names, &records, chained);
    // Leftovers of a killed writer are not a record; the next writer removes them.
    let pending = aris_fs::read_optional(&path.join(PENDING), 4096);
    let pending = pending.ok().flatten();
    loose.retain(|record| pending.as_deref() != Some(record.prefix.as_bytes()));
    // `save_trace` marks its records and always chains them: if a marked record has no line, the line was removed.
    let unchained = loose.iter().filter(|record| record.marked());
    problems.extend(unchained.map(|record| {
        let prefix = &record.prefix;
        format!("{prefix} was recorded with a chain, and {CHAIN} does not have it")
    }));
    records.extend(loose);
    if let Some(project) = project {
        problems.extend(contradicted(path, project, &lines, &records));
    }
    let chain = match lines.last().copied().or(run_digest) {
        _ if !problems.is_empty() => Chain::Broken(problems),
        Some(head) if chained => Chain::Valid {
            lines: lines.len() as u64,
            head,
        },
        _ => Chain::Absent,
    };
    Ok(Trace {
        run,
        records,
        chain,
        warnings: reader.warnings,
    })
}

/// The records in a chain, the digests of its lines, and the problems.
type Chained = (Vec<TraceRecord>, Vec<Digest>, Vec<String>);

struct Reader<'a> {
    folder: &'a Path,
    warnings: Vec<TraceWarning>,
}

impl Reader<'_> {
    /// Parses a JSON file, and computes the digest of its bytes; each is `None` on failure.
    fn json<T: serde::de::DeserializeOwned>(
        &mut self,
        name: &str,
        names: &BTreeSet<String>,
        limits: Limits,
    ) -> (Option<T>, Option<Digest>) {
        let Some(bytes) = self.bytes(name, names, limits.bytes as u64) else {
            return (None, None);
        };
        let value = self.told(name, json::typed(&bytes, limits));
        (value, Some(Digest::of(&bytes)))
    }

    fn response(&mut self, name: &str, names: &BTreeSet<String>) -> Option<Response> {
        let bytes = self.bytes(name, names, TEXT_LIMIT)?;
        Some(Response::of(&bytes))
    }

    /// Reads a file of at most `limit` bytes; `None` if it does not exist or cannot be read.
    fn bytes(&mut self, name: &str, names: &BTreeSet<String>, limit: u64) -> Option<Vec<u8>> {
        let is_there = names.contains(name);
        let read = is_there.then(|| aris_fs::read(&self.folder.join(name), limit))?;
        self.told(name, read)
    }

    /// The result, or `None` after adding a warning.
    fn told<T, E: ToString>(&mut self, name: &str, read: Result<T, E>) -> Option<T> {
        let warning = |error: E| TraceWarning {
            file: name.to_owned(),
            reason: error.to_string(),
        };
        read.map_err(|error| self.warnings.push(warning(error)))
            .ok()
    }

    /// Records outside of the chain, grouped by prefix. In a run without a chain, files with any other name are responses.
    fn loose(
        &mut self,
        names: &BTreeSet<String>,
        chained: &[TraceRecord],
        run_chained: bool,
    ) -> Vec<TraceRecord> {
        let known: BTreeSet<&str> = chained.iter().map(|it| it.prefix.as_str()).collect();
        let mut records: BTreeMap<String, TraceRecord> = BTreeMap::new();
        for name in names {
            if name == RUN_META || name == CHAIN || name.starts_with('.') {
                continue;
            }
            let suffix = [".request.json", ".meta.json", ".response.md"]
                .into_iter()
                .find(|suffix| name.ends_with(suffix));
            let prefix = suffix.and_then(|suffix| name.strip_suffix(suffix));
            if known.contains(prefix.unwrap_or(name)) || (run_chained && suffix.is_none()) {
                continue;
            }
            let prefix = prefix.unwrap_or(name).to_owned();
            match suffix {
                Some(".request.json") => {
                    let request = self.json(name, names, REQUEST).0;
                    records.entry(prefix).or_default().request = request;
                }
                Some(".meta.json") => {
                    let meta = self.json(name, names, Limits::ARTIFACT).0;
                    records.entry(prefix).or_default().meta = meta;
                }
                _ => {
                    if let Some(response) = self.response(name, names) {
                        response.tell(records.entry(prefix).or_default());
                    }
                }
            }
        }
        records
            .into_iter()
            .map(|(prefix, mut record)| {
                if !names.contains(&format!("{prefix}.response.md")) && record.response_length == 0
                {
                    record.tell_unkept();
                }
                TraceRecord { prefix, ..record }
            })
            .collect()
    }

    fn chained(
        &mut self,
        names: &BTreeSet<String>,
        run: Option<Digest>,
    ) -> Result<Chained, FsError> {
        let bytes = aris_fs::read(&self.folder.join(CHAIN), Limits::ARTIFACT.bytes as u64)?;
        let mut problems = Vec::new();
        let mut previous = run;
        if run.is_none() {
            problems.push(format!("{RUN_META} is missing or unreadable"));
        }
        let mut lines: Vec<&[u8]> = bytes.split(|byte| *byte == b'\n').collect();
        // The last part is empty, an incomplete line of a killed writer, or a complete line that lacks only its line feed.
        lines.pop_if(|last| !aris_fs::is_record(last));
        let (mut records, mut digests) = (Vec::new(), Vec::new());
        for (line, count) in lines.into_iter().zip(1_u64..) {
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
            let digest = Digest::of(line);
            digests.push(digest);
            previous = Some(digest);
        }
        Ok((records, digests, problems))
    }

    fn record(
        &mut self,
        line: &ChainLine,
        names: &BTreeSet<String>,
        problems: &mut Vec<String>,
    ) -> TraceRecord {
        let number = format!("{:03}-", line.record);
        if !line.prefix.starts_with(&number) || line.prefix.contains('/') {
            let (record, prefix) = (line.record, &line.prefix);
            problems.push(format!("record {record} is called {prefix:?}"));
        }
        let name = |suffix: &str| format!("{}.{suffix}", line.prefix);
        let mut compare = |file: String, chained: Option<&String>, found: Option<Digest>| {
            let chained = chained.and_then(|text| Digest::parse(text));
            match (chained, found) {
                (Some(chained), Some(found)) if chained == found => {}
                (None, _) => {
                    let record = line.record;
                    problems.push(format!("record {record} chains no digest for {file}"));
                }
                (_, None) => problems.push(format!("{file} is missing or unreadable")),
                _ => problems.push(format!("{file} is not what was recorded")),
            }
        };
        let (request, digest) = self.json::<Request>(&name("request.json"), names, REQUEST);
        compare(name("request.json"), line.request.as_ref(), digest);
        let (meta, digest) = self.json::<ResponseMeta>(&name("meta.json"), names, Limits::ARTIFACT);
        compare(name("meta.json"), line.meta.as_ref(), digest);
        let mut record = TraceRecord {
            prefix: line.prefix.clone(),
            request,
            meta,
            chained: true,
            ..TraceRecord::default()
        };
        if line.mode != TraceMode::Full {
            // The digests of contents that were not kept cannot be recomputed; the line's own digest in the next line protects them.
            record.tell_unkept();
            return record;
        }
        let prompt = record.request.as_ref().and_then(prompt_digest);
        compare(
            format!("the prompt of record {}", line.record),
            line.prompt.as_ref(),
            prompt,
        );
        let response = self.response(&name("response.md"), names);
        let digest = response.as_ref().map(|response| response.digest);
        compare(name("response.md"), line.response.as_ref(), digest);
        if let Some(response) = response {
            response.tell(&mut record);
        }
        record
    }
}

impl TraceRecord {
    /// Sets the fields that describe a response that was not kept.
    fn tell_unkept(&mut self) {
        let request = self.request.as_ref();
        let length = request.and_then(|request| request.response_length);
        self.response_length = length.unwrap_or(0);
        self.answered = self.response_length > 0;
        self.verdict = self.meta.as_ref().and_then(|meta| meta.verdict);
    }
}

/// Digest of the prompt in a request.
fn prompt_digest(request: &Request) -> Option<Digest> {
    match (&request.prompt, &request.prompt_base64) {
        (Some(text), None) => Some(Digest::of(text.as_bytes())),
        (None, Some(text)) => STANDARD.decode(text).ok().map(|bytes| Digest::of(&bytes)),
        _ => None,
    }
}

/// A response in a file.
struct Response {
    length: u64,
    answered: bool,
    digest: Digest,
    verdict: Option<Verdict>,
}

impl Response {
    fn of(bytes: &[u8]) -> Self {
        Self {
            length: bytes.len() as u64,
            answered: !bytes.trim_ascii().is_empty(),
            digest: Digest::of(bytes),
            verdict: verdict::stated(&String::from_utf8_lossy(bytes)),
        }
    }

    fn tell(&self, record: &mut TraceRecord) {
        record.response_length = self.length;
        (record.answered, record.verdict) = (self.answered, self.verdict);
    }
}

/// The claims of the log of events about the run in `folder` that the run does not confirm.
///
/// `lines` are the digests of the chain's lines. An event whose record exists with another thread belongs to an earlier run of the same
/// name.
fn contradicted(
    folder: &Path,
    project: &Path,
    lines: &[Digest],
    records: &[TraceRecord],
) -> Option<String> {
    let count = lines.len() as u64;
    let events = match events::of_run(project, folder) {
        Ok(events) => events,
        Err(error) => return Some(format!("the log of events cannot be read: {error}")),
    };
    events.into_iter().find_map(|event| {
        let number = event.call_number;
        if lines.is_empty() {
            let thread = |record: &&TraceRecord| record.thread_id() == Some(&event.thread_id);
            let begins = format!("{number:03}-");
            let mut same = records.iter().filter(thread);
            let same = same.any(|record| record.prefix.starts_with(&begins));
            return (same && event.chain.is_some()).then(|| {
                format!("{EVENTS} knows a chain with record {number}, and {CHAIN} is gone")
            });
        }
        if number > count {
            let message = format!("{EVENTS} knows record {number}, and {CHAIN} ends at {count}");
            return Some(message);
        }
        let chained = event.chain.as_deref().and_then(Digest::parse)?;
        let at = usize::try_from(number.checked_sub(1)?).ok()?;
        (lines.get(at) != Some(&chained))
            .then(|| format!("{EVENTS} knows another record {number} than {CHAIN}"))
    })
}
