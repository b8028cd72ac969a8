//! Whether the trace of an audit is there, whole, and of this audit.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use aris_audit::trace::{Chain, Trace, TraceRecord};
use aris_audit::{Digest, Hasher};
use aris_contract::artifact::audit::Audit;
use aris_contract::{json, schema, time};
use aris_fs::EntryKind;
use jiff::Timestamp;
use serde::Serialize;
use serde_json::Value;

use crate::artifact::RecordedInput;
use crate::finding::{Finding, FindingId};
use crate::ledger::{Ledger, Role};
use crate::paper::{Paper, Unusable};
use crate::policy::{AuditRule, Policy};
use crate::sources::describe;
use crate::text::short;

/// Files of a trace that are hashed for the attestation. An honest run has a few hundred.
const HASHED_FILES: usize = 2_000;
/// Bytes of a response that is read to recompute a program's thread id.
const RESPONSE_LIMIT: u64 = 16 << 20;
/// Prefix of `reviewer_model` of an audit that a program made.
const PROGRAM: &str = "deterministic/";

const RERUN: &str = "run the audit again; the reviewer call must be kept with save_trace";

/// What the report says about a trace that was read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct TraceSummary {
    /// Skill of the audit.
    pub audit: String,
    /// Folder or file, relative to the paper directory.
    pub path: String,
    /// Number of records.
    pub records: usize,
    /// File prefix of the record that is the audit's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub record: Option<String>,
    /// `valid`, `absent` or `broken`.
    pub chain: &'static str,
    /// Digest of the chain's last line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub head: Option<String>,
    /// The agent that ran the skill, where the run names one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub executor: Option<String>,
}

/// Everything a check of a trace needs.
#[derive(Debug)]
pub(crate) struct Check<'a> {
    /// The paper.
    pub paper: &'a Paper,
    /// The policy.
    pub policy: &'a Policy,
    /// The audit's rule.
    pub rule: &'a AuditRule,
    /// The artifact.
    pub audit: &'a Audit,
    /// Its inputs.
    pub inputs: &'a [RecordedInput],
}

/// Whether a reviewer is a program, however it is spelled.
pub(crate) fn is_program(reviewer_model: &str) -> bool {
    reviewer_model
        .trim()
        .to_lowercase()
        .starts_with(PROGRAM.trim_end_matches('/'))
}

impl Check<'_> {
    /// Checks the trace of one audit.
    pub(crate) fn run(&self, ledger: &mut Ledger) -> (Option<TraceSummary>, Vec<Finding>) {
        let path = &self.audit.trace_path;
        let (real, only) = match self.locate() {
            Ok(found) => found,
            Err(finding) => return (None, vec![*finding]),
        };
        // Hashed before it is read: a change in between shows at the end of the run.
        let files = files(&real);
        ledger.hash(&files, Role::Trace);
        let mut trace = match aris_audit::trace::read(&real, Some(&self.paper.project)) {
            Ok(trace) => trace,
            Err(error) => {
                let finding = self.finding(
                    FindingId::TraceUnreadable,
                    format!("the trace cannot be read: {error}"),
                );
                return (
                    None,
                    vec![finding.issue(format!("trace_path_unreadable:{}", short(path)))],
                );
            }
        };
        if let Some(prefix) = only {
            trace.records.retain(|record| record.prefix == prefix);
        }
        let mut findings = Vec::new();
        let record = self.records(&real, &trace, ledger, &mut findings);
        self.chain(&trace, &mut findings);
        self.project(&trace, &mut findings);
        let (chain, head) = match &trace.chain {
            Chain::Valid { head, .. } => ("valid", Some(head.to_string())),
            Chain::Absent => ("absent", None),
            Chain::Broken(_) => ("broken", None),
        };
        let summary = TraceSummary {
            audit: self.rule.skill.clone(),
            path: self.paper.shown(&real),
            records: trace.records.len(),
            record,
            chain,
            head,
            executor: trace.run.and_then(|run| run.executor),
        };
        (Some(summary), findings)
    }

    /// The trace's folder, with the prefix of the one record that `trace_path` names when it names a record's file.
    fn locate(&self) -> Result<(PathBuf, Option<String>), Box<Finding>> {
        let path = &self.audit.trace_path;
        let missing = |message: String| {
            self.finding(FindingId::TraceMissing, message)
                .issue(format!("trace_path_missing:{}", short(path)))
        };
        if path.trim().is_empty() {
            return Err(Box::new(missing(String::from("the audit names no trace"))));
        }
        let mut problem = None;
        for base in [&self.paper.dir, &self.paper.project] {
            match self.paper.resolve(base, path) {
                Ok(real) => return Ok(record_file(&real).unwrap_or((real, None))),
                Err(Unusable::Gone) => {}
                Err(other) => problem = problem.or(Some(other)),
            }
        }
        Err(Box::new(match problem {
            None => missing(format!(
                "nothing is at {:?}, seen from the paper and from the project",
                short(path)
            )),
            Some(unusable @ (Unusable::Escapes { .. } | Unusable::Case { .. })) => self
                .finding(
                    FindingId::PathEscape,
                    format!(
                        "trace_path {:?} cannot be used: {}",
                        short(path),
                        describe(&unusable)
                    ),
                )
                .issue(format!("trace_path_escape:{}", short(path))),
            Some(unusable) => self
                .finding(
                    FindingId::TraceUnreadable,
                    format!("the trace cannot be read: {}", describe(&unusable)),
                )
                .issue(format!("trace_path_unreadable:{}", short(path))),
        }))
    }

    /// Finds the audit's record; gives its prefix.
    fn records(
        &self,
        real: &Path,
        trace: &Trace,
        ledger: &mut Ledger,
        findings: &mut Vec<Finding>,
    ) -> Option<String> {
        let path = &self.audit.trace_path;
        if trace.records.is_empty() && trace.chain == Chain::Absent && trace.warnings.is_empty() {
            let finding = self.finding(
                FindingId::TraceEmpty,
                String::from("the trace holds no record"),
            );
            findings.push(finding.issue(format!("trace_path_empty:{}", short(path))));
            return None;
        }
        let mut reasons = BTreeSet::new();
        let fitting = trace.records.iter().find(|record| match self.fits(record) {
            Ok(()) => true,
            Err(reason) => {
                reasons.insert(reason);
                false
            }
        });
        let Some(record) = fitting else {
            let warnings = trace
                .warnings
                .iter()
                .map(|warning| format!("{}: {}", warning.file, warning.reason));
            let nearest = reasons
                .into_iter()
                .max()
                .map_or_else(|| String::from("it holds no record"), |(_, reason)| reason);
            let only_file = real.is_file()
                && trace
                    .records
                    .iter()
                    .all(|record| record.response_length == 0);
            if only_file {
                let finding = self.finding(
                    FindingId::TraceEmpty,
                    String::from("the trace is an empty file"),
                );
                findings.push(finding.issue(format!("trace_path_empty_file:{}", short(path))));
                return None;
            }
            let mut finding = self
                .finding(
                    FindingId::TraceUnrelated,
                    format!("the trace holds no record of this audit: {nearest}"),
                )
                .evidence("thread_id", short(&self.audit.thread_id))
                .evidence("reviewer_model", short(&self.audit.reviewer_model))
                .issue(format!("trace_unrelated:{}", short(path)));
            if let Some(warning) = warnings.into_iter().next() {
                finding = finding.evidence("unreadable", short(&warning));
            }
            findings.push(finding);
            return None;
        };
        if let Some(reason) = self.other_inputs(real, record, ledger) {
            findings.push(
                self.finding(
                    FindingId::TraceUnrelated,
                    format!("record {} is not of this audit: {reason}", record.prefix),
                )
                .issue(format!("trace_unrelated:{}", short(path))),
            );
        }
        Some(record.prefix.clone())
    }

    /// Whether a record can be this audit's; otherwise how near it came (larger is nearer) and what is missing.
    fn fits(&self, record: &TraceRecord) -> Result<(), (u8, String)> {
        let name = short(&record.prefix);
        let thread = self.audit.thread_id.trim();
        if record.thread_id().map(str::trim) != Some(thread) || thread.is_empty() {
            let found = record
                .thread_id()
                .map_or_else(|| String::from("none"), short);
            return Err((0, format!("record {name} is of thread {found}")));
        }
        let model = self.audit.reviewer_model.trim();
        if !record
            .model()
            .is_some_and(|found| found.trim().eq_ignore_ascii_case(model))
        {
            let found = record.model().map_or_else(|| String::from("none"), short);
            return Err((1, format!("record {name} is of model {found}")));
        }
        if !record.answered {
            return Err((2, format!("the response in record {name} is empty")));
        }
        let Some(answered) = record
            .timestamp()
            .and_then(|text| text.trim().parse::<Timestamp>().ok())
        else {
            return Err((3, format!("record {name} has no time")));
        };
        // A wrong time in the artifact has its own finding.
        if let Some(audited) = time::parse_utc(&self.audit.generated_at)
            && answered.as_second()
                > audited
                    .as_second()
                    .saturating_add(self.policy.clock_skew_seconds)
        {
            return Err((
                4,
                format!("record {name} is of {answered}, later than the audit"),
            ));
        }
        Ok(())
    }

    /// Why a fitting record was made for other inputs, as far as it says what it was made for.
    fn other_inputs(
        &self,
        real: &Path,
        record: &TraceRecord,
        ledger: &mut Ledger,
    ) -> Option<String> {
        let request = record.request.as_ref();
        let prompt = request.and_then(|request| request.prompt.as_deref());
        let audited: BTreeSet<Digest> = self
            .inputs
            .iter()
            .filter_map(|input| input.digest)
            .collect();
        if is_program(&self.audit.reviewer_model) {
            let Some(prompt) = prompt else {
                return Some(String::from(
                    "the record of a program lists the files it read, and this one does not",
                ));
            };
            return self
                .other_listed(prompt)
                .or_else(|| self.other_thread(real, record, prompt, ledger));
        }
        let mentioned = prompt.map(digests_in).unwrap_or_default();
        if !mentioned.is_empty() && mentioned.is_disjoint(&audited) {
            return Some(String::from(
                "its prompt names digests, and none of them is of a file of this audit",
            ));
        }
        let referenced: Vec<&str> = request
            .into_iter()
            .flat_map(|request| &request.files_referenced)
            .filter_map(|path| file_name(path))
            .collect();
        let names: BTreeSet<&str> = self
            .inputs
            .iter()
            .filter_map(|input| file_name(&input.name))
            .collect();
        let named = referenced.iter().any(|name| names.contains(name));
        if !referenced.is_empty() && !names.is_empty() && !named {
            return Some(format!(
                "it is about {} and other files that are not in this audit",
                short(referenced.first().copied()?)
            ));
        }
        None
    }

    /// Compares the list of files in a program's record with the artifact's hashes.
    fn other_listed(&self, prompt: &str) -> Option<String> {
        let limits = json::Limits::ARTIFACT;
        let listed = json::value(prompt.as_bytes(), limits).ok();
        let listed = listed
            .as_ref()
            .and_then(|value| value.get("inputs"))
            .and_then(Value::as_object);
        let Some(listed) = listed else {
            return Some(String::from(
                "the record of a program lists the files it read, and this one does not",
            ));
        };
        for input in self.inputs {
            let recorded = listed
                .get(&input.name)
                .and_then(Value::as_str)
                .and_then(Digest::parse);
            if recorded.is_none() || recorded != input.digest {
                return Some(format!(
                    "the program read another {}, or none",
                    short(&input.name)
                ));
            }
        }
        let names: BTreeSet<&str> = self
            .inputs
            .iter()
            .map(|input| input.name.as_str())
            .collect();
        let left_out = listed.keys().find(|name| !names.contains(name.as_str()))?;
        Some(format!(
            "the program also read {}, which the audit does not list",
            short(left_out)
        ))
    }

    /// A program's thread id is made from what it read and what it said (see `aris_audit::emit`): recomputes it.
    fn other_thread(
        &self,
        real: &Path,
        record: &TraceRecord,
        prompt: &str,
        ledger: &mut Ledger,
    ) -> Option<String> {
        let response = real.join(format!("{}.response.md", record.prefix));
        let Ok(bytes) = ledger.read(&response, RESPONSE_LIMIT) else {
            return Some(String::from("its response cannot be read"));
        };
        let mut hasher = Hasher::default();
        hasher.update(prompt.as_bytes());
        hasher.update(&bytes);
        let hex: String = hasher.finish().hex().chars().take(16).collect();
        let right = self.audit.thread_id.trim().ends_with(&format!("-{hex}"));
        (!right)
            .then(|| String::from("its thread id does not belong to what it read and what it said"))
    }

    fn chain(&self, trace: &Trace, findings: &mut Vec<Finding>) {
        let path = short(&self.audit.trace_path);
        match &trace.chain {
            Chain::Valid { .. } => {}
            // `save_trace` marks its runs and always chains them: where the mark is and the chain is not, it was taken away.
            Chain::Absent if chained_once(trace) => findings.push(
                self.finding(
                    FindingId::TraceTampered,
                    String::from("the chain of the trace is gone: the run was recorded with one"),
                )
                .issue(format!("trace_tampered:{path}")),
            ),
            Chain::Absent => findings.push(
                self.finding(
                    FindingId::TraceUnchained,
                    String::from(
                        "the trace has no chain: nothing shows that it is as it was written",
                    ),
                )
                .issue(format!("trace_unchained:{path}")),
            ),
            Chain::Broken(problems) => {
                let first = problems.first().map_or("it does not hold", String::as_str);
                findings.push(
                    self.finding(
                        FindingId::TraceTampered,
                        format!("the chain of the trace is broken: {}", short(first)),
                    )
                    .evidence("problems", problems.len().to_string())
                    .issue(format!("trace_tampered:{path}")),
                );
            }
        }
    }

    /// Whether the run is of this skill and of this project.
    fn project(&self, trace: &Trace, findings: &mut Vec<Finding>) {
        let Some(run) = &trace.run else { return };
        let path = short(&self.audit.trace_path);
        if run.skill != self.rule.skill {
            findings.push(
                self.finding(
                    FindingId::TraceUnrelated,
                    format!("the trace is of skill {:?}", short(&run.skill)),
                )
                .evidence("expected", &self.rule.skill)
                .evidence("found", short(&run.skill))
                .issue(format!("trace_unrelated:{path}")),
            );
        }
        let recorded = Some(Path::new(&run.project_dir)).filter(|path| path.is_absolute());
        let ours = [&self.paper.project, &self.paper.dir];
        match recorded.map_or(Err(()), |path| path.canonicalize().map_err(drop)) {
            Ok(real)
                if ours
                    .iter()
                    .any(|dir| dir.starts_with(&real) || real.starts_with(dir)) => {}
            Ok(real) => findings.push(
                self.finding(
                    FindingId::TraceUnrelated,
                    String::from("the trace was recorded in another project"),
                )
                .evidence("expected", self.paper.project.display().to_string())
                .evidence("found", short(&real.display().to_string()))
                .issue(format!("trace_unrelated:{path}")),
            ),
            Err(()) => findings.push(
                self.finding(
                    FindingId::TraceMoved,
                    String::from(
                        "the trace was recorded in a folder that this machine does not have",
                    ),
                )
                .evidence("found", short(&run.project_dir))
                .issue(format!("trace_moved:{path}")),
            ),
        }
    }

    fn finding(&self, id: FindingId, message: String) -> Finding {
        Finding::new(id, message, RERUN).evidence("trace_path", short(&self.audit.trace_path))
    }
}

fn chained_once(trace: &Trace) -> bool {
    let mark = trace.run.as_ref().and_then(|run| run.schema.as_deref());
    mark == Some(schema::id::TRACE_RUN) && !trace.records.is_empty()
}

/// The folder and prefix of a record's file, when a path names one.
fn record_file(real: &Path) -> Option<(PathBuf, Option<String>)> {
    let name = real.file_name()?.to_str()?;
    let folder = real.parent().filter(|_| !real.is_dir())?.to_path_buf();
    if name == aris_audit::trace::RUN_META || name == aris_audit::trace::CHAIN {
        return Some((folder, None));
    }
    let prefix = [".request.json", ".response.md", ".meta.json"]
        .iter()
        .find_map(|suffix| name.strip_suffix(suffix))?;
    Some((folder, Some(prefix.to_owned())))
}

/// The files of a trace; of a large one only as many as are hashed.
fn files(real: &Path) -> BTreeSet<PathBuf> {
    if real.is_dir() {
        let entries = aris_fs::list_sorted(real).unwrap_or_default();
        let files = entries
            .into_iter()
            .filter(|entry| entry.kind == EntryKind::File);
        files.take(HASHED_FILES).map(|entry| entry.path).collect()
    } else {
        BTreeSet::from([real.to_path_buf()])
    }
}

/// Every run of exactly 64 hex digits in `text`.
fn digests_in(text: &str) -> BTreeSet<Digest> {
    text.split(|c: char| !c.is_ascii_hexdigit())
        .filter_map(Digest::parse)
        .collect()
}

/// The last part of a path that names a file: with an extension.
fn file_name(path: &str) -> Option<&str> {
    let name = path.trim_end_matches('/').rsplit(['/', '\\']).next()?;
    name.contains('.').then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_are_found_in_prose() {
        let hex = "ab".repeat(32);
        let text = format!("read main.tex (sha256:{hex}), not {}", "a".repeat(63));
        assert_eq!(
            digests_in(&text)
                .into_iter()
                .map(|digest| digest.hex())
                .collect::<Vec<_>>(),
            [hex]
        );
    }

    #[test]
    fn programs_are_known_however_spelled() {
        for name in ["deterministic/x@1", " Deterministic/x", "DETERMINISTIC"] {
            assert!(is_program(name), "{name}");
        }
        assert!(!is_program("gpt-5.5"));
    }

    #[test]
    fn file_names_have_an_extension() {
        for (path, name) in [
            ("paper/a.tex", Some("a.tex")),
            ("sections/", None),
            ("a.json", Some("a.json")),
            ("", None),
        ] {
            assert_eq!(file_name(path), name);
        }
    }
}
