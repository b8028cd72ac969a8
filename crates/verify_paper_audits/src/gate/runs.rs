//! The runs that made the data behind the numbers, and the gaps in that chain.

use std::collections::{BTreeMap, BTreeSet};

use aris_claims::Audit;
use aris_claims::project::Project;
use aris_claims::runs::{Gap, GapId, Runs, short};
use aris_runs::Record;

use super::Gate;
use crate::finding::{Finding, FindingId, Severity};
use crate::sources::{RunBehind, Sources};

/// Most findings of one kind; `trace-back` shows all of them.
const LISTED: usize = 20;

/// Adds the runs and the gaps to the sources. A missing ledger is reported only if the policy requires one, because not every project
/// has a ledger.
pub(super) fn look(project: &Project, audit: &Audit, gate: Gate<'_>, sources: &mut Sources) {
    let runs = match Runs::of(project, &audit.entries, gate.now) {
        Ok(runs) => runs,
        Err(error) => {
            let message = format!("the ledger of runs cannot be read: {error}");
            let fix = "make .aris/runs readable";
            let found = Finding::new(FindingId::RecordDamaged, message, fix);
            return sources.findings.push(found);
        }
    };
    let weight = gate.policy.severity.get(&FindingId::UnexplainedEvidence);
    if runs.ledger.is_none() && weight.is_none_or(|weight| *weight == Severity::Info) {
        return;
    }
    let used = audit.entries.iter().flat_map(|entry| &entry.evidence);
    let used: BTreeSet<&str> = used.map(|file| file.sha256.as_str()).collect();
    if let Some(ledger) = &runs.ledger {
        let made = runs.ids();
        // Also the runs that wrote the inputs of these runs, and so on. A damaged record is one of the gaps.
        let behind = ledger.sources(made.iter().map(|id| String::from(*id)));
        let behind = behind.unwrap_or_default();
        let ids = behind.keys().map(String::as_str);
        let ids: BTreeSet<&str> = ids.chain(made.iter().copied()).collect();
        let records = ids.into_iter();
        let records = records.filter_map(|id| Some((id, ledger.read(id).ok()?)));
        let records: BTreeMap<&str, Record> = records.collect();
        let inputs = records.values().flat_map(|record| &record.run.inputs);
        let inputs: BTreeSet<&str> = inputs.map(|file| file.sha256.as_str()).collect();
        for (id, record) in &records {
            let used = if made.contains(id) { &used } else { &inputs };
            match RunBehind::new(id, record, used) {
                Ok(run) => sources.runs.push(run),
                Err(damage) => sources.findings.push(finding(&Gap {
                    id: GapId::RecordDamaged,
                    file: String::new(),
                    message: format!("run {}: {damage}", short(id)),
                })),
            }
        }
    }
    let gaps = runs.all_gaps(&audit.entries);
    for kind in gaps.chunk_by(|one, other| one.id == other.id) {
        let findings = &mut sources.findings;
        findings.extend(kind.iter().take(LISTED).map(finding));
        let more = kind.len().saturating_sub(LISTED);
        if let Some(gap) = kind.first().filter(|_| more > 0) {
            findings.push(finding(&Gap {
                id: gap.id,
                file: String::new(),
                message: format!("the same of {more} more files"),
            }));
        }
    }
}

fn finding(gap: &Gap) -> Finding {
    let fix = match gap.id {
        GapId::UnexplainedEvidence => {
            "run the job again under queue_manager, or take its run over with `queue_manager record`"
        }
        GapId::RunFailed => "look at its log, and run it again",
        GapId::EndUnknown => "ask the tool that ran it whether it ended well, or run it again",
        GapId::NoCommit => "keep the code under git, and run it again",
        GapId::OtherPath => "let the paper's data name the file that the run wrote",
        GapId::InputChanged => "run it again",
        GapId::InputUnknown => "name fewer or smaller files, or compare them by hand",
        GapId::RunClock => "set the clock, and run it again",
        GapId::UncommittedSource => "commit, and run it again",
        GapId::MixedCommits => "run the older ones again",
        GapId::ContestedFile => "give each job a file of its own, and run them again",
        GapId::SupersededRun => "decide which of the two the paper means",
        GapId::RecordDamaged => "restore the record, or run the job again",
    };
    // Gaps and findings have the same names.
    let id: FindingId = gap.id.word().parse().unwrap_or(FindingId::Internal);
    let message = match gap.file.as_str() {
        "" => gap.message.clone(),
        file => format!("{file}: {}", gap.message),
    };
    let issue = format!("{}:{}", id.word(), gap.file);
    Finding::new(id, message, fix).issue(issue)
}

#[cfg(test)]
mod tests {
    use strum::VariantArray as _;

    use super::*;

    #[test]
    fn every_gap_is_a_finding_of_its_name() {
        for id in GapId::VARIANTS {
            let found = finding(&Gap {
                id: *id,
                file: String::new(),
                message: String::new(),
            });
            assert_eq!(found.id.word(), id.word());
        }
    }
}
