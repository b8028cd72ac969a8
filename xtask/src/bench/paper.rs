//! A paper with four honest audits, for the gate's benches.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use crate::fault::Fault;
use aris_audit::digest_files;
use aris_audit::trace::{self, NewRecord, RunChoice};
use aris_contract::artifact::Slug;
use aris_contract::artifact::audit::{Audit, Verdict};
use aris_contract::artifact::trace::TraceMode;
use aris_contract::time;
use jiff::Timestamp;

/// Artifact, skill.
const AUDITS: [(&str, &str); 4] = [
    ("PROOF_AUDIT.json", "proof-checker"),
    ("PAPER_CLAIM_AUDIT.json", "paper-claim-audit"),
    ("CITATION_AUDIT.json", "citation-audit"),
    ("KILL_ARGUMENT.json", "kill-argument"),
];

/// A temporary project with a paper in it.
pub(super) struct Paper {
    _temp: tempfile::TempDir,
    folder: PathBuf,
}

impl Paper {
    /// A paper with `files` data files of `size` bytes beside its text, all of them read by each of four audits.
    pub(super) fn new(files: usize, size: usize) -> Result<Self, Fault> {
        let temp = tempfile::tempdir().map_err(Fault::from_error)?;
        let folder = temp.path().join("paper");
        aris_fs::create_dir(&folder.join("data")).map_err(Fault::from_error)?;
        let paper = Self {
            folder,
            _temp: temp,
        };
        paper.fill(files, size, "")?;
        Ok(paper)
    }

    /// The same with sentences that state `count` numbers, bound to a result.
    pub(super) fn bound(files: usize, size: usize, count: usize) -> Result<Self, Fault> {
        let paper = Self::new(files, size)?;
        let mut rows = String::from("run,score\n");
        let (mut text, mut bindings) = (String::new(), String::from("version = 1\n"));
        for run in 0..count {
            let score = format!("{}.{}", 10 + run, run % 10);
            let name = char::from(b'a' + u8::try_from(run % 26).unwrap_or(0));
            writeln!(rows, "{run},{score}").map_err(Fault::from_error)?;
            writeln!(text, "Variant {name} scores {score} points.").map_err(Fault::from_error)?;
            writeln!(
                bindings,
                "[[claim]]\nin = \"main.tex\"\ntext = 'Variant {name} scores [[{score}]] points'\nvalue = 'select score from \"data/runs.csv\" where run = {run}'"
            )
            .map_err(Fault::from_error)?;
        }
        paper.write("data/runs.csv", rows.as_bytes())?;
        paper.write("claims.toml", bindings.as_bytes())?;
        paper.fill(files, size, &text)?;
        Ok(paper)
    }

    /// The paper's folder.
    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    fn fill(&self, files: usize, size: usize, sentences: &str) -> Result<(), Fault> {
        let text = format!(
            "\\documentclass{{article}}\n\\begin{{document}}\n{sentences}Nothing to see~\\cite{{k}}.\n\\bibliography{{refs}}\n\\end{{document}}\n"
        );
        let mut names = vec![String::from("main.tex"), String::from("refs.bib")];
        self.write("main.tex", text.as_bytes())?;
        self.write(
            "refs.bib",
            b"@misc{k, title = {T}, author = {A, B}, year = 2020}\n",
        )?;
        let mut bytes = vec![0_u8; size];
        for n in 0..files.saturating_sub(2) {
            let name = format!("data/{n}.bin");
            bytes
                .iter_mut()
                .take(8)
                .zip(n.to_le_bytes())
                .for_each(|(byte, new)| *byte = new);
            self.write(&name, &bytes)?;
            names.push(name);
        }
        let paths: Vec<PathBuf> = names.iter().map(|name| self.folder.join(name)).collect();
        let mut hashes = BTreeMap::new();
        for (name, digest) in names.iter().zip(digest_files(&paths)) {
            hashes.insert(name.clone(), digest.map_err(Fault::from_error)?.to_string());
        }
        for (artifact, skill) in AUDITS {
            let audit = self.audit(skill, hashes.clone())?;
            let text = serde_json::to_vec_pretty(&audit).map_err(Fault::from_error)?;
            self.write(artifact, &text)?;
        }
        Ok(())
    }

    fn audit(&self, skill: &str, hashes: BTreeMap<String, String>) -> Result<Audit, Fault> {
        let slug: Slug = skill.parse().map_err(Fault::from_error)?;
        let purpose: Slug = "audit".parse().map_err(Fault::from_error)?;
        let now = Timestamp::from_second(1_780_000_000).map_err(Fault::from_error)?;
        let thread_id = format!("thread-{skill}");
        let project = self.folder.parent().unwrap_or(&self.folder);
        let record = NewRecord {
            skill: &slug,
            purpose: &purpose,
            model: "reviewer-1",
            thread_id: &thread_id,
            tool: "bench",
            executor: Some("bench"),
            config: serde_json::Map::new(),
            files: hashes.keys().take(2).cloned().collect(),
            input_digests: None,
            duration_ms: None,
            status: "ok",
            prompt: b"read the paper",
            response: b"nothing found",
            mode: TraceMode::Full,
            run: RunChoice::Latest,
        };
        let saved = trace::record(project, &record, now).map_err(Fault::from_error)?;
        Ok(Audit {
            schema: None,
            producer: None,
            audit_skill: skill.to_owned(),
            verdict: Verdict::Pass,
            reason_code: String::from("nothing_found"),
            summary: String::from("nothing found"),
            audited_input_hashes: hashes,
            trace_path: saved.trace_path,
            thread_id,
            reviewer_model: String::from("reviewer-1"),
            reviewer_reasoning: String::from("high"),
            generated_at: time::stamp(now),
            details: serde_json::Value::Null,
        })
    }

    fn write(&self, name: &str, bytes: &[u8]) -> Result<(), Fault> {
        aris_fs::write_atomic(&self.folder.join(name), bytes).map_err(Fault::from_error)
    }
}
