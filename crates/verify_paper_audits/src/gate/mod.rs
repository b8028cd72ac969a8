//! The judgement: makes a report from a paper and a policy. Reads through the ledger; writes only the list of obligations.

mod again;
mod assemble;
mod bound;
mod checks;
mod runs;

use std::collections::BTreeSet;
use std::path::PathBuf;

use aris_audit::PaperFiles;
use aris_contract::artifact::audit::Assurance;
use jiff::Timestamp;

use crate::artifact;
use crate::case::{Case, why};
use crate::cover;
use crate::error::Error;
use crate::finding::{Finding, FindingId};
use crate::guard::guarded;
use crate::independence::{self, Reviewed};
use crate::manifest::{self, Manifest};
use crate::obligations;
use crate::paper::{Paper, Unusable};
use crate::policy::{AuditRule, Policy};
use crate::report::Report;
use crate::sources::{Sources, describe};
use crate::text::short;
use aris_audit::ledger::{Ledger, Role};

/// The audit of the paper's numbers.
const CLAIMS: &str = "paper-claim-audit";

/// The paper, the policy and the settings of a run.
#[derive(Clone, Copy)]
pub(crate) struct Gate<'a> {
    pub paper: &'a Paper,
    /// The root document, if the user named one.
    pub root: Option<&'a str>,
    pub policy: &'a Policy,
    pub assurance: Assurance,
    pub now: Timestamp,
}

/// Judges a paper. Returns the report, and an error if the list of obligations could not be written.
pub(crate) fn judge(gate: Gate<'_>, kept: &mut Ledger) -> Result<(Report, Option<Error>), Error> {
    let (paper, policy) = (gate.paper, gate.policy);
    let mut general = Vec::new();
    let mut files = PaperFiles::new(&paper.dir);
    files.allow(paper.roots());
    let rules = rules(paper, policy, &mut files.ledger, &mut general);
    let cases = rules.into_iter();
    let cases = cases.map(|rule| Case::open(gate, rule, &mut files.ledger));
    let mut cases: Vec<Case> = cases.collect();
    let sources = guarded("the sources of the paper", &mut general, || {
        read(gate, &mut files, &mut cases)
    })
    .unwrap_or_default();
    *kept = files.ledger;
    let ledger = kept;
    let inputs = cases.iter().flat_map(|case| &case.inputs);
    let inputs = inputs.filter_map(|(_, real)| real.as_ref().ok().cloned());
    let inputs: BTreeSet<PathBuf> = inputs.collect();
    guarded("the audited files", &mut general, || {
        ledger.hash(&inputs, Role::Input);
    });
    // Results that no audit hashed have a finding; hashing them, which may take long, would add nothing.
    let included = sources.files.iter();
    let included = included.filter(|file| file.asked.is_some());
    let included: BTreeSet<PathBuf> = included.map(|file| file.real.clone()).collect();
    guarded("the included files", &mut general, || {
        ledger.hash(&included, Role::Source);
    });
    for case in &mut cases {
        let mut found = Vec::new();
        let name = format!("the audit {}", case.rule.skill);
        let result = guarded(&name, &mut found, || case.check(gate, &sources, ledger));
        if let Some((trace, findings)) = result {
            case.trace = trace;
            found.extend(findings);
        }
        case.findings.extend(found);
    }
    let found = guarded("coverage", &mut general, || {
        cover::check(&cases, &sources, policy)
    })
    .unwrap_or_default();
    deal(found, &mut cases, &mut general);
    let found = guarded("the reviewers", &mut general, || {
        let reviewed: Vec<Reviewed<'_>> = cases.iter().filter_map(Case::reviewed).collect();
        independence::check(&reviewed, policy)
    });
    deal(found.unwrap_or_default(), &mut cases, &mut general);
    general.extend(sources.findings.iter().cloned());
    if !policy.weakened.is_empty() {
        let (source, weakened) = (short(&policy.source), policy.weakened.join(", "));
        let message = format!("the policy {source} is weaker than the built-in one in {weakened}");
        let fix = "run the gate without --policy, or with one that weakens nothing";
        general.push(Finding::new(FindingId::PolicyWeakened, message, fix));
    }
    for path in ledger.changed() {
        let shown = paper.shown(path);
        let message = "the file changed while the gate was judging it";
        let fix = "let nothing write to the paper and run the gate again";
        let found = Finding::new(FindingId::ChangedDuringRun, message, fix);
        let issue = format!("changed_during_run:{shown}");
        general.push(found.issue(issue).file(shown));
    }
    let named = sources.root.as_deref().unwrap_or("");
    let (open, unkept) = obligations::keep(gate, named, &cases, ledger)?;
    for (skill, finding) in open {
        if let Some(case) = cases.iter_mut().find(|case| case.rule.skill == skill) {
            case.findings.push(finding);
        }
    }
    let report = assemble::report(gate, ledger, &sources, cases, general);
    Ok((report, unkept))
}

/// Reads the paper, and repeats the audits of programs.
fn read(gate: Gate<'_>, files: &mut PaperFiles, cases: &mut [Case]) -> Sources {
    let document = files.document(gate.root);
    let mut sources = Sources::of(gate.paper, files, &document);
    if let (Some(root), findings) = (&sources.root, &mut sources.findings) {
        // A link to the root is no other document.
        let real = |name: &String| gate.paper.dir.join(name).canonicalize().ok();
        let others = files.other_roots.iter();
        for other in others.filter(|other| real(other) != real(root)) {
            let message = format!(
                "{} is another root document; the audits are about {root}",
                short(other)
            );
            let fix = "audit and gate it in a copy of its own with --root, include it in the paper, or move it away";
            let finding = Finding::new(FindingId::RootNotAudited, message, fix);
            let finding = finding.issue(format!("root_not_audited:{}", short(other)));
            findings.push(finding.file(other.clone()));
        }
    }
    again::citations(cases, files, &document, gate.now);
    if let Some(project) = again::claims(gate, cases, files, document, &mut sources) {
        sources.add_evidence(gate.paper, &project);
    }
    sources
}

/// The audits of a paper. If the paper's manifest is invalid: the policy's audits and a finding.
pub(crate) fn rules(
    paper: &Paper,
    policy: &Policy,
    ledger: &mut Ledger,
    findings: &mut Vec<Finding>,
) -> Vec<AuditRule> {
    let extended = extended(paper, policy, ledger);
    extended.unwrap_or_else(|finding| {
        let finding = finding.file(manifest::PATH).issue("manifest_invalid");
        findings.push(finding);
        policy.audits.clone()
    })
}

/// **Errors**: what is wrong with the manifest.
fn extended(
    paper: &Paper,
    policy: &Policy,
    ledger: &mut Ledger,
) -> Result<Vec<AuditRule>, Box<Finding>> {
    let invalid = |message: String| {
        let fix = "correct the manifest, or remove it";
        Finding::new(FindingId::ManifestInvalid, message, fix)
    };
    let real = match paper.resolve(&paper.dir, manifest::PATH) {
        Ok(real) => real,
        Err(Unusable::Gone) if aris_fs::leads_nowhere(&paper.dir.join(manifest::PATH)) => {
            let message = String::from("the manifest is a link that leads to nothing");
            return Err(invalid(message).into());
        }
        Err(Unusable::Gone) => return Ok(policy.audits.clone()),
        Err(unusable) => {
            let why = describe(&unusable);
            return Err(invalid(format!("the manifest cannot be used: {why}")).into());
        }
    };
    let bytes = ledger.read(&real, manifest::LIMITS.bytes as u64);
    let bytes = bytes
        .map_err(|reason| invalid(format!("the manifest cannot be read: {}", why(&reason))))?;
    ledger.mark(&real, Role::Manifest);
    let read = Manifest::read(&bytes).and_then(|manifest| manifest.extend(&policy.audits));
    read.map_err(|(error, place)| {
        let text = artifact::lossy(manifest::PATH, &bytes);
        let finding = invalid(format!("the manifest is invalid: {error}"));
        Box::new(finding.at(place, &text))
    })
}

/// Moves each finding that names an audit to that audit's case, and the others to `general`.
fn deal(findings: Vec<Finding>, cases: &mut [Case], general: &mut Vec<Finding>) {
    for finding in findings {
        let mut cases = cases.iter_mut();
        match cases.find(|case| finding.audit.as_ref() == Some(&case.rule.skill)) {
            Some(case) => case.findings.push(finding),
            None => general.push(finding),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crash_is_a_finding_that_blocks() {
        let mut findings = Vec::new();
        let result: Option<()> = guarded("x", &mut findings, || panic!("at the {}", "disco"));
        assert_eq!((result, findings.len()), (None, 1));
        assert!(
            findings[0].id == FindingId::Internal && findings[0].message.contains("at the disco")
        );
        let policy = Policy::built_in().expect("valid");
        let weighed = policy.weigh(findings.remove(0));
        assert_eq!(weighed.severity, crate::finding::Severity::Block);
    }
}
