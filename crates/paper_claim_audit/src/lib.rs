//! `paper_claim_audit`: every number of a paper against the raw results, without a model and without a network.
//!
//! **Input**: the paper's folder (LaTeX from the root document through everything it includes) and raw results: JSON, JSONL,
//! CSV, TSV and YAML under `results/` and `outputs/` in the paper, beside it and in the project, files such as `metrics.json`
//! and `config.yaml` by name, and what `--results` names. **Output**: `PAPER_CLAIM_AUDIT.json` (verdict, digests of what was
//! read, every claim with its values), `PAPER_CLAIM_AUDIT.md` for people, and a trace; on stdout the findings in short.
//! **Exit**: 0 audit written and nothing found, 10 audit written with findings, 2 usage or no such folder, 3 and 4 the file of
//! pins is absent or invalid, 5 the audit cannot be written.
//!
//! Absence of evidence is never evidence: a claim without a value is `missing_evidence`, never wrong; a claim is contradicted
//! only where its words single out a value that shows otherwise. Notes and summaries (`.md`) are no evidence.
//!
//! ```text
//! paper_claim_audit paper
//! paper_claim_audit paper --results runs/final --json
//! paper_claim_audit paper --suggest-pins paper/claims.toml
//! ```

mod cli;
mod details;
mod error;
mod finding;
mod report;
mod source;
mod verdict;

use std::path::{Path, PathBuf};

use aris_audit::{Digest, Emission, PaperFiles};
use aris_claims::{ClaimReport, Pins, Status};
use aris_cli::{Context, Example, Network, Outcome, Sample, Spec};
use aris_contract::artifact::audit::Verdict;
use aris_contract::{ErrorKind, schema};

pub use cli::Cli;
pub use error::Error;
pub use report::Report;

use crate::details::{Details, Row};
use crate::finding::Finding;

/// What the helper says about itself.
pub static SPEC: Spec = Spec {
    name: "paper_claim_audit",
    version: env!("CARGO_PKG_VERSION"),
    summary: "Check every number of a paper against raw results and write PAPER_CLAIM_AUDIT.json",
    input: "the paper's LaTeX sources and raw results (JSON, JSONL, CSV, TSV, YAML)",
    output: "findings in short, the verdict, and the path of the artifact; with --json one envelope",
    stderr: "warnings, errors",
    examples: &[
        Example {
            command: "",
            line: "paper_claim_audit paper",
            what: "audit the paper in ./paper against ./results",
        },
        Example {
            command: "",
            line: "paper_claim_audit paper --results runs/final --json",
            what: "also read results in ./runs/final, answer in JSON",
        },
        Example {
            command: "",
            line: "paper_claim_audit paper --suggest-pins paper/claims.toml",
            what: "write proposals for the claims that no or several values fit",
        },
    ],
    signals: &[(
        10,
        "audit written: it has findings (verdict FAIL, ERROR, BLOCKED or WARN)",
    )],
    ok: "audit written: every number follows from the results, or there is none",
    errors: &[
        ErrorKind::NotFound,
        ErrorKind::Validation,
        ErrorKind::Precondition,
    ],
    schemas: &[report::SCHEMA, schema::id::AUDIT, details::SCHEMA],
    samples: &[Sample {
        args: &["--json", "no-such-paper"],
        exit: &[2],
    }],
    network: Network::None,
};

/// Bytes of a file of pins: thousands of them.
const PINS_LIMIT: u64 = 4 << 20;

/// Audits the paper and writes what it found.
pub fn run(cli: Cli, context: &Context) -> Result<Outcome<Report>, Error> {
    let folder = aris_fs::lexical(&context.absolute(&cli.paper));
    if !folder.is_dir() {
        return Err(Error::Paper { path: folder });
    }
    // Project, results and traces are where the paper really lies, whatever link leads to it; the gate looks there too.
    let folder = folder.canonicalize().unwrap_or(folder);
    let suggested = cli.suggest_pins.map(|path| context.absolute(&path));
    if let Some(path) = &suggested {
        only_proposals(path)?;
    }
    let mut files = PaperFiles::new(&folder);
    let mut findings = Vec::new();
    let named_pins = cli.claims.as_deref().map(|path| context.absolute(path));
    let pins = pins(named_pins, &mut files)?;
    let document = source::paper(&mut files, cli.root.as_deref(), &mut findings);
    let named: Vec<PathBuf> = cli
        .results
        .iter()
        .map(|path| aris_fs::lexical(&context.absolute(path)))
        .map(|path| path.canonicalize().unwrap_or(path))
        .collect();
    let evidence = source::results(&mut files, &named, &mut findings)?;
    let claims = document
        .as_ref()
        .map_or_else(ClaimReport::default, |document| {
            aris_claims::audit(document, &evidence, &pins)
        });
    findings.sort();
    let (verdict, reason_code) = verdict::decide(&findings, &claims, !evidence.is_empty());
    let details = Details {
        schema: details::SCHEMA,
        root: document
            .as_ref()
            .map(|document| document.root.clone())
            .unwrap_or_default(),
        results: Details::files(&evidence),
        unusable_values: evidence
            .unusable
            .iter()
            .map(|value| format!("{} is {}", value.path, value.text))
            .collect(),
        counts: claims.counts.clone(),
        not_claims: claims.not_claims,
        findings: findings
            .into_iter()
            .chain(claims.claims.iter().filter_map(Finding::of_claim))
            .collect(),
        unused_pins: claims.unused_pins.clone(),
        claims: claims.claims.iter().map(Row::from).collect(),
    };
    let summary = summary(verdict, &details);
    let markdown = details.markdown(verdict.word(), reason_code, &summary);
    let emission = Emission {
        helper: SPEC.name,
        version: SPEC.version,
        skill: "paper-claim-audit",
        stem: "PAPER_CLAIM_AUDIT",
        verdict,
        reason_code,
        summary: &summary,
        inputs: files.digests,
        details: serde_json::to_value(&details).map_err(Error::Details)?,
        report: &markdown,
    };
    let emitted = aris_audit::emit(&folder, &emission, context.now())?;
    if let Some(path) = &suggested {
        aris_fs::write_atomic(path, aris_claims::pins::suggest(&claims).as_bytes())
            .map_err(Error::Suggest)?;
    }
    let report = Report {
        verdict,
        reason_code,
        summary,
        artifact: emitted.artifact.display().to_string(),
        markdown: emitted.report.display().to_string(),
        trace_path: emitted.trace_path,
        unchanged: emitted.unchanged,
        total_claims: details.claims.len(),
        counts: details.counts,
        findings: details
            .findings
            .into_iter()
            .filter(Finding::is_obstacle)
            .collect(),
        claims: details
            .claims
            .into_iter()
            .filter(|row| !row.status.is_match())
            .collect(),
        suggested_pins: suggested.map(|path| path.display().to_string()),
    };
    Ok(Outcome::found(
        report,
        !matches!(verdict, Verdict::Pass | Verdict::NotApplicable),
    ))
}

/// The pins: the file named, else `claims.toml` of the paper when it is there.
fn pins(named: Option<PathBuf>, files: &mut PaperFiles) -> Result<Pins, Error> {
    let own = files.folder.join("claims.toml");
    let path = match named {
        Some(path) => path,
        None if own.is_file() => own,
        None => return Ok(Pins::default()),
    };
    let bytes = aris_fs::read(&path, PINS_LIMIT).map_err(Error::PinsRead)?;
    files.digests.insert(files.name(&path), Digest::of(&bytes));
    let invalid = |message: String| Error::Pins {
        path: path.clone(),
        message,
    };
    let text =
        std::str::from_utf8(&bytes).map_err(|error| invalid(format!("not UTF-8: {error}")))?;
    Pins::parse(text).map_err(|message| invalid(message.trim_end().to_owned()))
}

/// Refuses to replace a file that is no earlier proposal: all of whose lines are comments. Pins that somebody took over, a source
/// of the paper or a result would be lost.
fn only_proposals(path: &Path) -> Result<(), Error> {
    let found = aris_fs::read_optional(path, PINS_LIMIT).map_err(Error::Suggest)?;
    let text = found.unwrap_or_default();
    let mut lines = text.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
    if lines.all(|line| line.is_empty() || line.starts_with(b"#")) {
        return Ok(());
    }
    Err(Error::Overwrite {
        path: path.to_path_buf(),
    })
}

fn summary(verdict: Verdict, details: &Details) -> String {
    if let (Verdict::Error, Some(first)) = (verdict, details.obstacles().next()) {
        return format!("the audit is not whole: {}", first.message);
    }
    let total = details.claims.len();
    match verdict {
        Verdict::NotApplicable => {
            return String::from("the paper states no number that needs evidence");
        }
        Verdict::Blocked => {
            return format!(
                "{total} claims and no result file: put raw results under results/ or name them with --results"
            );
        }
        Verdict::Pass | Verdict::Warn | Verdict::Fail | Verdict::Error => {}
    }
    let counted =
        |count: usize, thing: &str| format!("{count} {thing}{}", if count == 1 { "" } else { "s" });
    let mut parts = vec![format!(
        "{} against {}",
        counted(total, "claim"),
        counted(details.results.len(), "result file")
    )];
    for status in Status::ALL {
        let count = details.counts.get(status.name()).copied().unwrap_or(0);
        if count > 0 {
            parts.push(format!("{count} {}", status.name()));
        }
    }
    parts.join(", ")
}

#[cfg(test)]
mod tests {
    use aris_testkit::check_schema;

    use super::*;

    #[test]
    fn schemas_are_current() {
        check_schema::<Report>(report::SCHEMA);
        check_schema::<Details>(details::SCHEMA);
    }
}
