//! Writes the audit of a program: first the trace, then the report for people, then the artifact, each completely or not at all.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use aris_contract::artifact::Slug;
use aris_contract::artifact::audit::{Audit, Verdict, deterministic_reviewer};
use aris_contract::artifact::slug::SlugError;
use aris_contract::artifact::trace::TraceMode;
use aris_contract::json::{self, Limits};
use aris_contract::{schema, time};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, json};
use sha2::{Digest as _, Sha256};

use crate::digest::Digest;
use crate::project;
use crate::trace::{self, Chain, NewRecord, RunChoice, Saved, TraceError};

/// The result of a deterministic audit, ready to be written.
#[derive(Clone, Debug)]
pub struct Emission<'a, D> {
    /// Canonical name of the helper.
    pub helper: &'a str,
    /// Its version.
    pub version: &'a str,
    /// Skill the audit belongs to, `paper-claim-audit`.
    pub skill: &'a str,
    /// File name of the artifact without extension, `PAPER_CLAIM_AUDIT`.
    pub stem: &'a str,
    /// The verdict.
    pub verdict: Verdict,
    /// Short reason.
    pub reason_code: &'a str,
    /// One line for people.
    pub summary: &'a str,
    /// Digest of every file that was read. Keys are paths relative to the paper folder, `../results/a.json` outside it.
    pub inputs: BTreeMap<String, Digest>,
    /// The audit's own data.
    pub details: D,
    /// The report for people, Markdown.
    pub report: &'a str,
}

/// The paths of what was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Emitted {
    /// The artifact.
    pub artifact: PathBuf,
    /// The report for people.
    pub report: PathBuf,
    /// `trace_path` of the artifact.
    pub trace_path: String,
    /// Whether an earlier artifact was identical, so that nothing was written.
    pub unchanged: bool,
}

/// Writes artifact, report and trace of an audit of the paper in `paper` (absolute).
///
/// An artifact with the same content (except its time and its trace), whose trace is still valid and whose report is the same, is not
/// changed: the same input changes no byte.
pub fn emit<D: Serialize>(
    paper: &Path,
    emission: &Emission<'_, D>,
    now: Timestamp,
) -> Result<Emitted, TraceError> {
    let project = project::of_paper(paper);
    let artifact = paper.join(format!("{}.json", emission.stem));
    let report = paper.join(format!("{}.md", emission.stem));
    let prompt = prompt(emission);
    let mut audit = audit(emission, &prompt);
    let earlier = same(
        &artifact,
        &report,
        emission.report,
        &mut audit,
        &project,
        now,
    );
    if let Some(trace_path) = earlier {
        return Ok(Emitted {
            artifact,
            report,
            trace_path,
            unchanged: true,
        });
    }
    let slug = |text: &str| {
        text.parse()
            .map_err(|error: SlugError| TraceError::Damaged {
                path: artifact.clone(),
                reason: error.to_string(),
            })
    };
    let (skill, purpose): (Slug, Slug) = (slug(emission.skill)?, slug("deterministic-audit")?);
    let new = NewRecord {
        skill: &skill,
        purpose: &purpose,
        model: &audit.reviewer_model,
        thread_id: &audit.thread_id,
        tool: emission.helper,
        executor: None,
        config: Map::new(),
        files: emission.inputs.keys().cloned().collect(),
        input_digests: None,
        duration_ms: None,
        status: "ok",
        prompt: &prompt,
        response: emission.report.as_bytes(),
        mode: TraceMode::Full,
        run: RunChoice::Latest,
    };
    let mut saved = trace::record(&project, &new, now);
    let holds = |saved: &Saved| {
        let trace = trace::read(&project.join(&saved.trace_path), Some(&project));
        trace.is_ok_and(|trace| matches!(trace.chain, Chain::Valid { .. }))
    };
    // Nothing can be added to a damaged run; the record goes into a new run, and the damaged one stays as evidence.
    if !saved.as_ref().is_ok_and(holds) && !matches!(saved, Err(TraceError::Fs(_))) {
        saved = trace::record(
            &project,
            &NewRecord {
                run: RunChoice::New,
                ..new.clone()
            },
            now,
        );
    }
    let saved = saved?;
    audit.trace_path.clone_from(&saved.trace_path);
    audit.generated_at = time::stamp(now);
    if let Some(path) = [&report, &artifact]
        .into_iter()
        .find(|path| path.is_symlink())
    {
        let path = path.clone();
        return Err(TraceError::Link { path });
    }
    aris_fs::write_atomic(&report, emission.report.as_bytes())?;
    let text = json::pretty(&audit).map_err(|error| TraceError::Damaged {
        path: artifact.clone(),
        reason: error.to_string(),
    })?;
    aris_fs::write_atomic(&artifact, &text)?;
    Ok(Emitted {
        artifact,
        report,
        trace_path: saved.trace_path,
        unchanged: false,
    })
}

/// The prompt in the trace of a program's audit: the program, and the bytes that it read.
///
/// **Shape**: one JSON object `{"helper", "version", "inputs": {path: digest}}`; the gate compares `inputs` with the artifact's.
fn prompt<D>(emission: &Emission<'_, D>) -> Vec<u8> {
    let prompt = json!({
        "helper": emission.helper,
        "version": emission.version,
        "inputs": hashes(&emission.inputs),
    });
    prompt.to_string().into_bytes()
}

/// The thread id of a program's audit: the helper and 16 hex digits of a digest.
///
/// A program has no conversation; instead, the run is identified by what it read (`prompt`), its report, and its judgement (verdict,
/// reason code, summary). The gate computes the id again: it does not match an artifact whose verdict was changed by hand.
pub fn program_thread(helper: &str, prompt: &[u8], report: &[u8], judged: [&str; 3]) -> String {
    let mut hasher = Sha256::new();
    hasher.update(prompt);
    hasher.update(report);
    for part in judged {
        // A separator that does not occur in JSON text, so that different parts cannot give the same bytes.
        hasher.update([0]);
        hasher.update(part);
    }
    let digest = Digest::from_bytes(hasher.finalize().into());
    format!("{helper}-{:.16}", digest.hex())
}

fn hashes(inputs: &BTreeMap<String, Digest>) -> BTreeMap<String, String> {
    let inputs = inputs.iter();
    let inputs = inputs.map(|(path, digest)| (path.clone(), digest.to_string()));
    inputs.collect()
}

fn audit<'a, D>(emission: &'a Emission<'_, D>, prompt: &[u8]) -> Audit<&'a D> {
    let judged = [
        emission.verdict.word(),
        emission.reason_code,
        emission.summary,
    ];
    Audit {
        schema: Some(String::from(schema::id::AUDIT)),
        producer: Some(format!("{}@{}", emission.helper, emission.version)),
        audit_skill: emission.skill.to_string(),
        verdict: emission.verdict,
        reason_code: emission.reason_code.to_owned(),
        summary: emission.summary.to_owned(),
        audited_input_hashes: hashes(&emission.inputs),
        trace_path: String::new(),
        thread_id: program_thread(emission.helper, prompt, emission.report.as_bytes(), judged),
        reviewer_model: deterministic_reviewer(emission.helper, emission.version),
        reviewer_reasoning: String::from("none"),
        generated_at: String::new(),
        details: &emission.details,
    }
}

/// Whether a file with the content `earlier` equals `value` except for a time that is not after `now`; `value` then gets that time.
pub fn says_the_same<T: Serialize>(
    value: &mut T,
    time: fn(&mut T) -> &mut String,
    earlier: &[u8],
    now: Timestamp,
) -> bool {
    #[derive(Deserialize)]
    struct Dated {
        generated_at: String,
    }
    let Ok(Dated { generated_at }) = serde_json::from_slice(earlier) else {
        return false;
    };
    if time::parse_utc(&generated_at).is_none_or(|moment| moment > now) {
        return false;
    }
    let present = std::mem::replace(time(value), generated_at);
    let same = json::pretty(value).is_ok_and(|bytes| bytes == earlier);
    if !same {
        *time(value) = present;
    }
    same
}

/// The part of an earlier artifact that names its trace.
#[derive(Deserialize)]
struct Earlier {
    trace_path: String,
}

/// The trace path of an earlier artifact that has the same content and a valid trace.
fn same<D: Serialize>(
    artifact: &Path,
    report: &Path,
    markdown: &str,
    audit: &mut Audit<&D>,
    project: &Path,
    now: Timestamp,
) -> Option<String> {
    let limit = Limits::ARTIFACT.bytes as u64;
    let bytes = aris_fs::read(artifact, limit).ok()?;
    let earlier: Earlier = json::typed(&bytes, Limits::ARTIFACT).ok()?;
    audit.trace_path.clone_from(&earlier.trace_path);
    if !says_the_same(audit, |audit| &mut audit.generated_at, &bytes, now)
        || aris_fs::read(report, limit).ok()? != markdown.as_bytes()
    {
        return None;
    }
    let trace = trace::read(&project.join(&earlier.trace_path), Some(project)).ok()?;
    let mut records = trace.records.iter();
    let recorded = records.any(|record| record.thread_id() == Some(&audit.thread_id));
    (recorded && matches!(trace.chain, Chain::Valid { .. })).then_some(earlier.trace_path)
}

#[cfg(test)]
mod tests {
    #![expect(
        clippy::disallowed_methods,
        reason = "tests prepare and damage files directly"
    )]

    use std::fs;

    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(1_776_000_000 + second).expect("in range")
    }

    #[test]
    fn the_same_result_changes_no_byte_and_another_one_does() {
        let temp = tempfile::tempdir().expect("temp");
        let paper = temp.path().join("paper");
        fs::create_dir_all(&paper).expect("folder");
        let mut emission = Emission {
            helper: "paper_claim_audit",
            version: "0.1.0",
            skill: "paper-claim-audit",
            stem: "PAPER_CLAIM_AUDIT",
            verdict: Verdict::Pass,
            reason_code: "all_numbers_match",
            summary: "3 numbers match",
            inputs: BTreeMap::from([(String::from("main.tex"), Digest::of(b"x"))]),
            details: json!({"total_claims": 3}),
            report: "# Report\n",
        };
        let first = emit(&paper, &emission, at(0)).expect("written");
        let bytes = fs::read(&first.artifact).expect("artifact");
        let second = emit(&paper, &emission, at(60)).expect("kept");
        assert!(second.unchanged && !first.unchanged);
        assert!(first.trace_path.ends_with("_run01/"), "{first:?}");
        assert_eq!(fs::read(&first.artifact).expect("artifact"), bytes);
        // An edited report, then a trace of another conversation.
        fs::write(&first.report, "# Edited\n").expect("write");
        assert!(!emit(&paper, &emission, at(70)).expect("written").unchanged);
        assert_eq!(fs::read(&first.report).expect("report"), b"# Report\n");
        let other = Emission {
            stem: "OTHER",
            skill: "other-audit",
            summary: "another",
            ..emission.clone()
        };
        let other = emit(&paper, &other, at(80)).expect("written").trace_path;
        let text = fs::read_to_string(&first.artifact).expect("artifact");
        let text = text.replace(&first.trace_path, &other);
        fs::write(&first.artifact, text).expect("write");
        assert!(!emit(&paper, &emission, at(90)).expect("written").unchanged);
        // A damaged trace proves nothing: the audit is written again, in a new run.
        let run = temp.path().join(&first.trace_path);
        fs::write(run.join("001-deterministic-audit.response.md"), "forged").expect("write");
        let third = emit(&paper, &emission, at(120)).expect("written");
        assert!(!third.unchanged && third.trace_path != first.trace_path);
        assert!(emit(&paper, &emission, at(150)).expect("kept").unchanged);
        emission.details = json!({"total_claims": 4});
        assert!(!emit(&paper, &emission, at(160)).expect("written").unchanged);
        emission.verdict = Verdict::Fail;
        let fourth = emit(&paper, &emission, at(180)).expect("written");
        assert!(!fourth.unchanged);
        let audit: Audit = json::typed(
            &fs::read(&fourth.artifact).expect("artifact"),
            Limits::ARTIFACT,
        )
        .expect("audit");
        assert_eq!(
            (audit.verdict, audit.generated_at),
            (Verdict::Fail, time::stamp(at(180)))
        );
    }
}
