//! The checks of one audit after all files are hashed: its verdict, evidence, inputs, time, and trace.

use std::collections::BTreeMap;
use std::path::PathBuf;

use aris_contract::artifact::audit::Verdict;
use aris_contract::time;

use super::{CLAIMS, Case, Gate, bound};
use crate::artifact::RecordedInput;
use crate::case::why;
use crate::finding::{Finding, FindingId};
use crate::paper::{Paper, Unusable, is_source};
use crate::sources::{Sources, describe};
use crate::text::short;
use crate::trace::{self, TraceSummary};
use aris_audit::ledger::{Ledger, NoDigest};

impl Case {
    /// Runs all checks that need the hashes of all files.
    pub(super) fn check(
        &self,
        gate: Gate<'_>,
        sources: &Sources,
        ledger: &mut Ledger,
    ) -> (Option<TraceSummary>, Vec<Finding>) {
        let (paper, policy) = (gate.paper, gate.policy);
        let mut findings = Vec::new();
        self.verdict(sources, &mut findings);
        self.evidence(sources, ledger, &mut findings);
        findings.extend(bound::check(self, sources.coverage.as_ref(), policy));
        self.inputs(paper, ledger, &mut findings);
        let Some(audit) = &self.artifact.audit else {
            return (None, findings);
        };
        self.time(&audit.generated_at, gate, &mut findings);
        let check = trace::Check {
            paper,
            policy,
            rule: &self.rule,
            artifact: &self.artifact,
            audit,
            inputs: &self.inputs,
            sources,
        };
        let (trace, found) = check.run(ledger);
        findings.extend(found.into_iter().map(|finding| match finding.file {
            Some(_) => finding,
            None => self.artifact.at_field(finding, "trace_path"),
        }));
        (trace, findings)
    }

    fn verdict(&self, sources: &Sources, findings: &mut Vec<Finding>) {
        let Some(verdict) = self.artifact.verdict else {
            return;
        };
        let audit = self.artifact.audit.as_ref();
        if verdict.blocks() || verdict == Verdict::Warn {
            let word = verdict.word();
            let reason = audit.map_or_else(String::new, |audit| short(&audit.reason_code));
            let message = match audit.map(|audit| short(&audit.summary)) {
                Some(summary) if !summary.is_empty() => format!("the audit says {word}: {summary}"),
                _ => format!("the audit says {word}"),
            };
            let (id, fix) = if verdict.blocks() {
                let fix = "clear what the audit found and run it again";
                (FindingId::BlockingVerdict, fix)
            } else {
                let fix = "read what the audit doubts and decide; it does not block";
                (FindingId::DoubtfulVerdict, fix)
            };
            let finding = Finding::new(id, message, fix)
                .evidence("verdict", word)
                .evidence("reason_code", reason)
                .issue(format!("{}:{word}", id.word()));
            findings.push(self.artifact.at_field(finding, "verdict"));
        }
        let by_program = audit.is_some_and(|audit| trace::is_program(&audit.reviewer_model));
        let contradiction = match self.rule.skill.as_str() {
            "citation-audit" => sources.cites.as_ref(),
            "proof-checker" => sources.proves.as_ref(),
            // The program knows better than this check which numbers are claims.
            CLAIMS if !by_program => sources.measures.as_ref(),
            _ => None,
        };
        if let Some(evidence) = contradiction.filter(|_| verdict == Verdict::NotApplicable) {
            let what = &evidence.what;
            let message = format!("the audit says NOT_APPLICABLE, and the paper has {what}");
            let fix = "run the audit on the whole paper";
            let finding = Finding::new(FindingId::VerdictContradicted, message, fix)
                .evidence("artifact", &self.rule.artifact)
                .issue("verdict_contradicted:NOT_APPLICABLE");
            findings.push(sources.place(finding, &evidence.place));
        }
    }

    /// Reports a claim audit that compared the numbers with nothing: it passes a paper with measured numbers, but besides sources it
    /// hashed only files without any number.
    fn evidence(&self, sources: &Sources, ledger: &Ledger, findings: &mut Vec<Finding>) {
        let passes = matches!(self.artifact.verdict, Some(Verdict::Pass | Verdict::Warn));
        let audit = self.artifact.audit.as_ref();
        let by_program = audit.is_none_or(|audit| trace::is_program(&audit.reviewer_model));
        let Some(measured) = sources.measures.as_ref() else {
            return;
        };
        if self.rule.skill != CLAIMS || !passes || by_program || self.inputs.is_empty() {
            return;
        }
        let is_result = |(input, real): &(RecordedInput, Result<PathBuf, Unusable>)| {
            !is_source(&input.name) && real.as_ref().map_or(true, |real| ledger.holds_digit(real))
        };
        if !self.inputs.iter().any(is_result) {
            let message = format!(
                "the audit says {} and hashed no result: numbers such as {} were compared with nothing",
                self.artifact.verdict_text, measured.what
            );
            let fix =
                "run the audit again with the raw results; without any, its verdict is BLOCKED";
            let place = &measured.place;
            let finding = Finding::new(FindingId::NoAuditedInputs, message, fix)
                .evidence("number_at", format!("{}:{}", place.path, place.line))
                .issue("no_audited_inputs:results");
            findings.push(self.artifact.at_field(finding, "audited_input_hashes"));
        }
    }

    fn inputs(&self, paper: &Paper, ledger: &Ledger, findings: &mut Vec<Finding>) {
        let mut first: BTreeMap<&PathBuf, &RecordedInput> = BTreeMap::new();
        for (input, real) in &self.inputs {
            let name = short(&input.name);
            let places = &self.artifact.places;
            let place = places.inner("audited_input_hashes", &input.name);
            let artifact = &self.rule.artifact;
            let recorded = place.map(|(line, _)| format!("{artifact}:{line}"));
            let recorded = recorded.unwrap_or_else(|| artifact.clone());
            let about = |id: FindingId, issue: String, message: String| {
                Finding::new(id, message, "run the audit again on the paper as it is now")
                    .file(name.clone())
                    .evidence("recorded_at", recorded.clone())
                    .issue(issue)
            };
            let unreadable = |issue: &str, message: String| {
                let issue = format!("stale:{name}:{issue}");
                about(FindingId::InputUnreadable, issue, message)
            };
            // The reason why it has no digest, whether this check or the ledger found it.
            let digest = match real {
                Ok(real) => ledger.digest(real).cloned(),
                Err(Unusable::Gone) => Some(Err(NoDigest::Gone)),
                Err(Unusable::Unreadable(reason)) => {
                    Some(Err(NoDigest::Unreadable(reason.clone())))
                }
                Err(problem @ (Unusable::Escapes { .. } | Unusable::Case { .. })) => {
                    let why = describe(problem);
                    let message = format!("the audited path {name:?} cannot be used: {why}");
                    let issue = format!("path_escape:{name}");
                    let finding = about(FindingId::PathEscape, issue, message);
                    findings.push(self.artifact.at(finding, place));
                    continue;
                }
            };
            match (digest, input.digest) {
                (Some(Ok(found)), Some(expected)) if found != expected => {
                    let message = format!("{name} changed after the audit");
                    let finding = about(FindingId::StaleInput, format!("stale:{name}"), message);
                    let finding = finding.evidence("expected", expected.to_string());
                    findings.push(finding.evidence("found", found.to_string()));
                }
                // The digest matches, or was reported as invalid when the artifact was parsed.
                (Some(Ok(_)), _) => {}
                (Some(Err(NoDigest::Gone)), _) => {
                    let message = format!("{name} was audited and is not there any more");
                    let issue = format!("stale:{name}:file_gone");
                    findings.push(about(FindingId::InputGone, issue, message));
                }
                (Some(Err(reason @ NoDigest::NotRegular(_))), _) => {
                    let message = format!("{name} cannot be judged: {}", why(&reason));
                    findings.push(unreadable("file_gone", message));
                }
                (Some(Err(NoDigest::Unreadable(reason))), _) => {
                    let message = format!("{name} cannot be read: {reason}");
                    findings.push(unreadable(&format!("read_error_{reason}"), message));
                }
                (None, _) => {
                    let message = format!("{name} was not hashed by the gate");
                    let issue = format!("internal:{name}");
                    findings.push(about(FindingId::Internal, issue, message));
                }
            }
            let Ok(real) = real else { continue };
            if let Some(other) = first.insert(real, input)
                && other.digest != input.digest
            {
                let other = short(&other.name);
                let message = format!("{name} and {other} are one file and have two hashes");
                let issue = format!("duplicate_input:{name}");
                let finding = about(FindingId::DuplicateInput, issue, message);
                findings.push(finding.evidence("file", paper.shown(real)));
            }
        }
    }

    fn time(&self, written: &str, gate: Gate<'_>, findings: &mut Vec<Finding>) {
        let skew = gate.policy.clock_skew_seconds;
        let latest = gate.now.as_second().saturating_add(skew);
        let (moment, written) = (time::parse_utc(written), short(written));
        let problem = match moment {
            None => format!("generated_at {written:?} is not an RFC 3339 time in UTC"),
            Some(moment) if moment.as_second() > latest => {
                format!("generated_at {written} is in the future")
            }
            Some(_) => return,
        };
        let fix = "run the audit again on a machine whose clock is right";
        let finding = Finding::new(FindingId::Clock, problem, fix)
            .evidence("expected", "2026-01-31T12:00:00Z, not later than now")
            .evidence("found", &written)
            .issue(format!("clock:{written}"));
        findings.push(self.artifact.at_field(finding, "generated_at"));
    }
}
