//! Finds the record on which an audit depends: its reviewer's last answer.

use std::collections::BTreeSet;
use std::path::Path;

use aris_audit::trace::{Trace, TraceRecord};
use aris_audit::{Digest, program_thread};
use aris_contract::artifact::audit::{Verdict, deterministic_reviewer};
use aris_contract::{json, time};
use jiff::Timestamp;
use serde_json::Value;

use super::{Check, is_program};
use crate::finding::{Finding, FindingId};
use crate::text::short;
use aris_audit::ledger::Ledger;

/// Most bytes of a response that is read to recompute a program's thread id.
const RESPONSE_LIMIT: u64 = 16 << 20;
/// Status of a call that brought an answer.
const OK: &str = "ok";

impl Check<'_> {
    /// The successful records of the audit's thread from before the audit, oldest first. The audit depends on the last one.
    ///
    /// **Errors**: why the most similar record does not fit, if there is one.
    pub(super) fn words<'t>(
        &self,
        real: &Path,
        trace: &'t Trace,
        ledger: &mut Ledger,
    ) -> Result<Vec<&'t TraceRecord>, Option<String>> {
        // If the chain has records of the thread, records outside of the chain do not count.
        let mut records = trace.records.iter();
        let chained = records.any(|record| record.chained && self.of_thread(record));
        let mut reasons = BTreeSet::new();
        let mut words = Vec::new();
        for record in &trace.records {
            match self.answered_at(record, self.of_thread(record)) {
                Ok(time) if record.chained || !chained => words.push((time, record)),
                Ok(_) => {}
                Err(reason) => {
                    reasons.insert(reason);
                }
            }
        }
        words.sort_by_key(|(time, _)| *time);
        let model = self.audit.reviewer_model.trim();
        // A program's thread id is computed from its answer, so there is no later answer in it.
        if let Some((time, last)) = words.last().filter(|_| !is_program(model)) {
            if let Some(why) = self.unnamed(trace, *time, last) {
                return Err(Some(why));
            }
            let thread = self.audit.thread_id.trim();
            let others = aris_audit::trace::elsewhere(self.keeper(real), real, thread);
            let mut before = others.iter().filter(|other| !self.is_after(other.at));
            if let Some(other) = before
                .clone()
                .find(|other| (other.at, other.follows) > (*time, false))
            {
                let path = short(&other.trace_path);
                let why = format!("the reviewer went on in {path}: the last answer counts");
                return Err(Some(why));
            }
            // As within a run: if another run has the thread in a chain, an unchained record does not count.
            if let Some(other) = before.find(|other| other.chained && !last.chained) {
                let (name, path) = (short(&last.prefix), short(&other.trace_path));
                let why = format!(
                    "record {name} has no chain, and {path} keeps this thread with one: `trace_path` must name that run"
                );
                return Err(Some(why));
            }
        }
        let words: Vec<&TraceRecord> = words.into_iter().map(|(_, record)| record).collect();
        let Some(last) = words.last().copied() else {
            return Err(reasons.into_iter().max().map(|(_, reason)| reason));
        };
        let name = short(&last.prefix);
        let found = last.model().unwrap_or_default().trim();
        if !found.eq_ignore_ascii_case(model) {
            let found = if found.is_empty() { "none" } else { found };
            return Err(Some(format!("record {name} is of model {}", short(found))));
        }
        if !last.answered {
            return Err(Some(format!("the response in record {name} is empty")));
        }
        if is_program(model) {
            let request = last.request.as_ref();
            let prompt = request.and_then(|request| request.prompt.as_deref());
            let prompt = prompt.unwrap_or_default();
            let other = self.other_listed(prompt);
            let other = other.or_else(|| self.other_thread(real, last, prompt, ledger));
            if let Some(reason) = other {
                return Err(Some(format!("record {name}: {reason}")));
            }
        }
        Ok(words)
    }

    /// Why a later answer without a thread, which may be the reviewer's last word, contradicts the audit.
    fn unnamed(&self, trace: &Trace, time: Timestamp, last: &TraceRecord) -> Option<String> {
        let later = trace.records.iter();
        let mut later = later.skip_while(|record| record.prefix != last.prefix);
        let other = later.find(|record| {
            let is_nameless = record.thread_id().is_some_and(|id| id.trim().is_empty());
            let answered = self.answered_at(record, is_nameless);
            let differs = record
                .verdict
                .is_some_and(|said| said != self.audit.verdict);
            differs && record.chained == last.chained && answered.is_ok_and(|at| at >= time)
        })?;
        let (name, said) = (
            short(&other.prefix),
            other.verdict.map_or("", Verdict::word),
        );
        let last = short(&last.prefix);
        Some(format!(
            "record {name} is later than {last}, names no thread and says {said}"
        ))
    }

    fn of_thread(&self, record: &TraceRecord) -> bool {
        let thread = self.audit.thread_id.trim();
        !thread.is_empty() && record.thread_id().map(str::trim) == Some(thread)
    }

    /// The time of a record's answer if the record may belong to this audit (`is_its`: by its thread); otherwise how similar it is (larger is more) and what
    /// differs.
    fn answered_at(&self, record: &TraceRecord, is_its: bool) -> Result<Timestamp, (u8, String)> {
        let name = short(&record.prefix);
        if !is_its {
            let found = record.thread_id();
            let found = found.map_or_else(|| String::from("none"), short);
            return Err((0, format!("record {name} is of thread {found}")));
        }
        let status = record.meta.as_ref().map_or("", |meta| meta.status.trim());
        if !status.eq_ignore_ascii_case(OK) {
            let status = short(status);
            let why = format!("record {name} has the status {status:?}, not ok");
            return Err((1, why));
        }
        let time = record.timestamp().unwrap_or_default().trim();
        let Ok(answered) = time.parse::<Timestamp>() else {
            return Err((2, format!("record {name} has no time")));
        };
        if self.is_after(answered) {
            let why = format!("record {name} is of {answered}, later than the audit");
            return Err((3, why));
        }
        Ok(answered)
    }

    /// Whether a time is later than the audit. An invalid time in the artifact has its own finding.
    fn is_after(&self, moment: Timestamp) -> bool {
        let skew = self.policy.clock_skew_seconds;
        let audited = time::parse_utc(&self.audit.generated_at);
        audited.is_some_and(|audited| moment.as_second() > audited.as_second().saturating_add(skew))
    }

    /// A finding if the artifact's verdict is not that of the reviewer's last answer.
    pub(super) fn verdict(&self, last: &TraceRecord) -> Option<Finding> {
        let (says, name) = (self.audit.verdict, short(&last.prefix));
        // An artifact that blocks needs no check.
        if says.blocks() || last.verdict == Some(says) {
            return None;
        }
        let issue = |finding: Finding| {
            let word = last.verdict.map_or("none", Verdict::word);
            let issue = format!("{}:{word}", finding.id.word());
            let finding = finding.evidence("record", name.clone()).issue(issue);
            self.artifact.at_field(finding, "verdict")
        };
        let says = says.word();
        let Some(said) = last.verdict else {
            let message = format!(
                "the answer in record {name} states no verdict that can be recognised: nothing shows that it is {says}"
            );
            let fix = "ask for a last line `VERDICT: PASS` (WARN, FAIL, NOT_APPLICABLE), and keep the answer with --trace-mode full";
            let mut finding = self.finding(FindingId::VerdictUnstated, message);
            fix.clone_into(&mut finding.fix);
            return Some(issue(finding));
        };
        let said = said.word();
        let message = format!(
            "the artifact says {says}, and the last answer of the reviewer (record {name}) says {said}"
        );
        let finding = self.finding(FindingId::VerdictContradicted, message);
        Some(
            issue(finding)
                .evidence("expected", said)
                .evidence("found", says),
        )
    }

    /// Compares the list of files in a program's record with the artifact's hashes.
    fn other_listed(&self, prompt: &str) -> Option<String> {
        let limits = json::Limits::ARTIFACT;
        let listed = json::value(prompt.as_bytes(), limits).ok();
        let field = |name: &str| listed.as_ref().and_then(|value| value.get(name));
        let word = |name: &str| field(name).and_then(Value::as_str).unwrap_or_default();
        let Some(listed) = field("inputs").and_then(Value::as_object) else {
            let why = "the record of a program lists the files it read, and this one does not";
            return Some(why.to_owned());
        };
        let made_by = deterministic_reviewer(word("helper"), word("version"));
        if self.audit.reviewer_model.trim() != made_by {
            return Some(format!("it was made by {}", short(&made_by)));
        }
        for (input, _) in self.inputs {
            let recorded = listed.get(&input.name).and_then(Value::as_str);
            let recorded = recorded.and_then(Digest::parse);
            if recorded.is_none() || recorded != input.digest {
                let name = short(&input.name);
                return Some(format!("the program read another {name}, or none"));
            }
        }
        let names = self.inputs.iter().map(|(input, _)| input.name.as_str());
        let names: BTreeSet<&str> = names.collect();
        let left_out = listed.keys().find(|name| !names.contains(name.as_str()))?;
        let name = short(left_out);
        Some(format!(
            "the program also read {name}, which the audit does not list"
        ))
    }

    /// Recomputes a program's thread id from what it read, its answer and its verdict.
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
        // The helper's name is compared elsewhere, with the prompt.
        let right = program_thread("", prompt.as_bytes(), &bytes, judged);
        let fits = self.audit.thread_id.trim().ends_with(&right);
        (!fits).then(|| {
            String::from(
                "its thread id does not belong to what the program read, said and judged: the artifact or its trace was edited",
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_known_however_spelled() {
        for name in ["deterministic/x@1", " Deterministic/x", "DETERMINISTIC"] {
            assert!(is_program(name), "{name}");
        }
        assert!(!is_program("gpt-5.5"));
    }
}
