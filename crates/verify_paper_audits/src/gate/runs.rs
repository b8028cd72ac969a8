//! Which runs made the data behind the numbers, and where that way has a gap.

use std::collections::BTreeSet;

use aris_claims::Audit;
use aris_claims::project::Project;
use aris_claims::runs::{Gap, GapId, Runs};
use aris_runs::Run;
use jiff::Timestamp;

use crate::finding::{Finding, FindingId, Severity};
use crate::policy::Policy;
use crate::sources::{RunBehind, Sources};

/// Findings of one kind that are listed; `trace-back` has all.
const LISTED: usize = 20;

/// Adds the runs and the gaps to what is known of the sources. A project without a ledger never promised one: it is held against the paper
/// only where the policy asks for it.
pub(super) fn look(
    project: &Project,
    audit: &Audit,
    policy: &Policy,
    now: Timestamp,
    sources: &mut Sources,
) {
    let runs = match Runs::of(project, &audit.entries, now) {
        Ok(runs) => runs,
        Err(error) => {
            let message = format!("the ledger of runs cannot be read: {error}");
            let fix = "make .aris/runs readable";
            sources
                .findings
                .push(Finding::new(FindingId::RecordDamaged, message, fix));
            return;
        }
    };
    let weight = policy.severity.get(&FindingId::UnexplainedEvidence);
    if runs.ledger.is_none() && weight.is_none_or(|weight| *weight == Severity::Info) {
        return;
    }
    let used: BTreeSet<&str> = audit
        .entries
        .iter()
        .flat_map(|entry| &entry.evidence)
        .map(|file| file.sha256.as_str())
        .collect();
    let records = runs.records();
    sources.runs = records
        .iter()
        .map(|(id, run)| RunBehind::new(id, run, &used))
        .collect();
    // The runs that wrote what these read, and so on. One whose record is damaged is among the gaps.
    if let Some(ledger) = &runs.ledger {
        let ids = records.keys().map(|id| (*id).to_owned());
        let behind = ledger.sources(ids).unwrap_or_default();
        let earlier: Vec<(&String, Run)> = behind
            .keys()
            .filter(|id| !records.contains_key(id.as_str()))
            .filter_map(|id| Some((id, ledger.read(id).ok()?)))
            .collect();
        let read = records
            .values()
            .copied()
            .chain(earlier.iter().map(|(_, run)| run));
        let inputs = read.flat_map(|run| &run.inputs);
        let inputs: BTreeSet<&str> = inputs.map(|file| file.sha256.as_str()).collect();
        let earlier = earlier.iter();
        let earlier = earlier.map(|(id, run)| RunBehind::new(id, run, &inputs));
        sources.runs.extend(earlier);
    }
    let gaps = runs.all_gaps(&audit.entries);
    for kind in gaps.chunk_by(|one, other| one.id == other.id) {
        sources
            .findings
            .extend(kind.iter().take(LISTED).map(finding));
        if let (Some(gap), Some(more)) = (
            kind.first(),
            kind.len().checked_sub(LISTED).filter(|more| *more > 0),
        ) {
            let message = format!("the same of {more} more files");
            sources.findings.push(finding(&Gap {
                message,
                file: String::new(),
                ..gap.clone()
            }));
        }
    }
}

fn finding(gap: &Gap) -> Finding {
    let (id, fix) = match gap.id {
        GapId::UnexplainedEvidence => (
            FindingId::UnexplainedEvidence,
            "run the job again under queue_manager, or take its run over with `queue_manager record`",
        ),
        GapId::RunFailed => (FindingId::RunFailed, "look at its log, and run it again"),
        GapId::EndUnknown => (
            FindingId::EndUnknown,
            "ask the tool that ran it whether it ended well, or run it again",
        ),
        GapId::NoCommit => (
            FindingId::NoCommit,
            "keep the code under git, and run it again",
        ),
        GapId::OtherPath => (
            FindingId::OtherPath,
            "let the paper's data name the file that the run wrote",
        ),
        GapId::InputChanged => (FindingId::InputChanged, "run it again"),
        GapId::InputUnknown => (
            FindingId::InputUnknown,
            "name fewer or smaller files, or compare them by hand",
        ),
        GapId::RunClock => (FindingId::RunClock, "set the clock, and run it again"),
        GapId::UncommittedSource => (FindingId::UncommittedSource, "commit, and run it again"),
        GapId::MixedCommits => (FindingId::MixedCommits, "run the older ones again"),
        GapId::ContestedFile => (
            FindingId::ContestedFile,
            "give each job a file of its own, and run them again",
        ),
        GapId::SupersededRun => (
            FindingId::SupersededRun,
            "decide which of the two the paper means",
        ),
        GapId::RecordDamaged => (
            FindingId::RecordDamaged,
            "bring the record back, or run the job again",
        ),
    };
    let message = match gap.file.as_str() {
        "" => gap.message.clone(),
        file => format!("{file}: {}", gap.message),
    };
    let issue = format!("{}:{}", id.word(), gap.file);
    Finding::new(id, message, fix).issue(issue)
}
