//! Whether a record of a trace is the one of an audit.

use std::collections::BTreeSet;
use std::path::Path;

use aris_audit::trace::TraceRecord;
use aris_audit::{Digest, program_thread};
use aris_contract::artifact::audit::{Verdict, deterministic_reviewer};
use aris_contract::{json, time};
use jiff::Timestamp;
use serde_json::Value;

use super::{Check, is_program};
use crate::ledger::Ledger;
use crate::text::short;

/// Bytes of a response that is read to recompute a program's thread id.
const RESPONSE_LIMIT: u64 = 16 << 20;

/// How a record belongs to an audit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Relation {
    /// It names digests of the audit's inputs.
    Proved,
    /// Nothing in it contradicts.
    Possible,
    /// It was made for something else, and this is how one knows.
    Other(String),
}

impl Check<'_> {
    /// Whether a record can be this audit's; otherwise how near it came (larger is nearer) and what is missing.
    pub(super) fn fits(&self, record: &TraceRecord) -> Result<(), (u8, String)> {
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

    /// How a fitting record belongs to this audit, as far as it says what it was made for.
    ///
    /// `here` says that the run was recorded in this project: then a prompt that points at other files is no contradiction, because
    /// a reviewer may be sent extracts.
    pub(super) fn relation(
        &self,
        real: &Path,
        record: &TraceRecord,
        here: bool,
        ledger: &mut Ledger,
    ) -> Relation {
        let request = record.request.as_ref();
        let prompt = request.and_then(|request| request.prompt.as_deref());
        if is_program(&self.audit.reviewer_model) {
            let prompt = prompt.unwrap_or_default();
            let other = self.other_listed(prompt);
            let other = other.or_else(|| self.other_thread(real, record, prompt, ledger));
            return other.map_or(Relation::Proved, Relation::Other);
        }
        if let Some(said) = self.answered_worse(real, record, ledger) {
            return Relation::Other(said);
        }
        let audited: BTreeSet<Digest> = self
            .inputs
            .iter()
            .filter_map(|input| input.digest)
            .collect();
        let mentioned = prompt.map(digests_in).unwrap_or_default();
        if !mentioned.is_disjoint(&audited) {
            return Relation::Proved;
        }
        if !mentioned.is_empty() {
            return Relation::Other(String::from(
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
        match referenced.first() {
            Some(first) if !here && !named && !names.is_empty() => Relation::Other(format!(
                "it is about {} and other files that are not in this audit",
                short(first)
            )),
            _ => Relation::Possible,
        }
    }

    /// A reviewer's answer that ends with a blocking verdict, under an audit that passes.
    ///
    /// Says nothing about an answer without a line `VERDICT: …`, or of which only the digest was kept.
    fn answered_worse(
        &self,
        real: &Path,
        record: &TraceRecord,
        ledger: &mut Ledger,
    ) -> Option<String> {
        if self.audit.verdict.blocks() {
            return None;
        }
        let response = real.join(format!("{}.response.md", record.prefix));
        let bytes = ledger.read(&response, RESPONSE_LIMIT).ok()?;
        let said = last_verdict(&String::from_utf8_lossy(&bytes))?;
        said.blocks().then(|| {
            format!(
                "the reviewer's answer ends with the verdict {}, and the audit says {}",
                said.word(),
                self.audit.verdict.word()
            )
        })
    }

    /// Compares the list of files in a program's record with the artifact's hashes.
    fn other_listed(&self, prompt: &str) -> Option<String> {
        let limits = json::Limits::ARTIFACT;
        let listed = json::value(prompt.as_bytes(), limits).ok();
        let field = |name: &str| listed.as_ref().and_then(|value| value.get(name));
        let word = |name: &str| field(name).and_then(Value::as_str).unwrap_or_default();
        let Some(listed) = field("inputs").and_then(Value::as_object) else {
            return Some(String::from(
                "the record of a program lists the files it read, and this one does not",
            ));
        };
        let made_by = deterministic_reviewer(word("helper"), word("version"));
        if self.audit.reviewer_model.trim() != made_by {
            return Some(format!("it was made by {}", short(&made_by)));
        }
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

    /// A program's thread id is made from what it read, what it said and how it judged: computes it again.
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
        let judged = [
            self.audit.verdict.word(),
            &self.audit.reason_code,
            &self.audit.summary,
        ];
        // The helper's name is compared where the prompt is.
        let right = program_thread("", prompt.as_bytes(), &bytes, judged);
        let fits = self.audit.thread_id.trim().ends_with(&right);
        (!fits).then(|| {
            String::from(
                "its thread id does not belong to what the program read, said and judged: the artifact or its trace was edited",
            )
        })
    }
}

/// The verdict on the last line of the form `VERDICT: FAIL`, whatever Markdown stands around it.
fn last_verdict(answer: &str) -> Option<Verdict> {
    answer.lines().rev().find_map(|line| {
        let bare = |c: char| c.is_whitespace() || "*_#>`:=.-".contains(c);
        let mut words = line.split(bare).filter(|word| !word.is_empty());
        let heads = words
            .next()
            .is_some_and(|word| word.eq_ignore_ascii_case("verdict"));
        // `_` parts words here, because Markdown uses it; of the verdicts only NOT_APPLICABLE has one, and it does not block.
        let word = words.next().filter(|_| heads)?.to_ascii_uppercase();
        Verdict::ALL
            .into_iter()
            .find(|verdict| verdict.word() == word)
    })
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
    fn the_last_verdict_of_an_answer_counts() {
        for (answer, verdict) in [
            ("VERDICT: FAIL", Some(Verdict::Fail)),
            ("Verdict: FAIL\n\nVERDICT: PASS\n", Some(Verdict::Pass)),
            ("**Verdict**: `BLOCKED` (no data)", Some(Verdict::Blocked)),
            ("## Verdict: fail.", Some(Verdict::Fail)),
            ("I would not FAIL this. The verdict is FAIL if x.", None),
            ("verdict: unsure", None),
            ("", None),
        ] {
            assert_eq!(last_verdict(answer), verdict, "{answer:?}");
        }
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
