//! A valid project to start from, and runs of the gate in this process with a fixed clock.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::{Mutex, PoisonError};

use aris_audit::trace::{NewRecord, RunChoice, record, reviewed};
use aris_audit::{Digest, Emission};
use aris_cli::{Clock, Process, Style};
use aris_contract::artifact::Slug;
use aris_contract::artifact::audit::Verdict;
use aris_contract::artifact::trace::TraceMode;
use aris_testkit::Helper;
use jiff::Timestamp;
use serde_json::{Map, Value, json};

/// Artifact and skill of the mandatory audits.
pub(crate) const AUDITS: [(&str, &str); 3] = [
    ("PROOF_AUDIT.json", "proof-checker"),
    ("PAPER_CLAIM_AUDIT.json", "paper-claim-audit"),
    ("CITATION_AUDIT.json", "citation-audit"),
];
/// The artifact that most tests modify.
pub(crate) const CLAIMS: &str = "PAPER_CLAIM_AUDIT.json";

const MAIN: &str = r"\documentclass{article}
\usepackage{graphicx}
\begin{document}
\title{On the width of gates}
\input{sections/intro}
\include{sections/results}
\bibliographystyle{plain}
\bibliography{refs}
\end{document}
";
const INTRO: &str = r"\section{Introduction}
Gates have been studied before~\cite{knuth1984}.
% \input{sections/dropped}
";
const RESULTS: &str = r"\section{Results}
Our gate reaches 84.7\,\% on the test set, 2.3 points above the baseline.
";
const BIB: &str = "@book{knuth1984,\n  author = {Donald E. Knuth},\n  title = {The TeXbook},\n  publisher = {Addison-Wesley},\n  year = {1984}\n}\n";

/// Bindings of both numbers in the paper.
pub(crate) const BINDINGS: &str = r#"version = 1
[data]
root = ".."
[[claim]]
in = "sections/results.tex"
text = 'reaches [[84.7]]\,\% on the test set, [[2.3]] points'
value = [
  """select 100 * (doc ->> '$.accuracy') from "results/run_1.json\"""",
  """select 100 * ((doc ->> '$.accuracy') - (doc ->> '$.baseline')) from "results/run_1.json\"""",
]
"#;

/// A change that makes something wrong.
pub(crate) type Damage = fn(&Project);

/// The time of every test: later than any audit that a program makes while the tests run.
pub(crate) fn now() -> Timestamp {
    "2090-11-20T12:00:00Z".parse().expect("time")
}

/// A project with a paper and its audits.
pub(crate) struct Project {
    _temp: tempfile::TempDir,
    pub(crate) root: PathBuf,
    pub(crate) paper: PathBuf,
}

/// A reviewer call to record.
#[derive(Clone, Copy)]
pub(crate) struct Review<'a> {
    pub(crate) skill: &'a str,
    pub(crate) thread: &'a str,
    pub(crate) prompt: &'a str,
    /// Declared files, relative to the paper.
    pub(crate) files: &'a [&'a str],
    pub(crate) answer: &'a [u8],
    pub(crate) status: &'a str,
    pub(crate) executor: &'a str,
    pub(crate) mode: TraceMode,
    pub(crate) at: &'a str,
    /// Whether the record is an older one, without input digests.
    pub(crate) older: bool,
    pub(crate) new_run: bool,
}

impl Default for Review<'_> {
    fn default() -> Self {
        Self {
            skill: "paper-claim-audit",
            thread: "t-review",
            prompt: "You are an auditor. Read paper/main.tex.",
            files: &["main.tex", "sections/intro.tex", "../results/run_1.json"],
            answer: b"Looks right.\n\nVERDICT: PASS\n",
            status: "ok",
            executor: "claude-code",
            mode: TraceMode::Full,
            at: "2090-11-20T11:00:00Z",
            older: false,
            new_run: false,
        }
    }
}

/// The result of a run of the gate.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: u8,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) report: Value,
}

impl Ran {
    /// The audits of the findings with this id.
    pub(crate) fn audits(&self, id: &str) -> Vec<&Value> {
        let findings = self.report["findings"].as_array().into_iter().flatten();
        let findings = findings.filter(|finding| finding["id"] == id);
        findings.map(|finding| &finding["audit"]).collect()
    }

    /// Ids of the findings with a severity, each once.
    pub(crate) fn ids(&self, severity: &str) -> Vec<String> {
        let mut ids: Vec<String> = self.report["findings"]
            .as_array()
            .into_iter()
            .flatten()
            .filter(|finding| finding["severity"] == severity)
            .filter_map(|finding| finding["id"].as_str().map(ToOwned::to_owned))
            .collect();
        ids.sort();
        ids.dedup();
        ids
    }
}

impl Project {
    /// A folder with the sources of a paper only.
    pub(crate) fn bare() -> Self {
        // In memory, because traces are synced to the disk and nothing here has to survive.
        let temp = tempfile::tempdir_in("/dev/shm")
            .or_else(|_| tempfile::tempdir())
            .expect("temp");
        let root = fs::canonicalize(temp.path()).expect("real").join("project");
        let project = Self {
            _temp: temp,
            paper: root.join("paper"),
            root,
        };
        project.write("../.git/HEAD", "ref: refs/heads/main\n");
        project.write("main.tex", MAIN);
        project.write("sections/intro.tex", INTRO);
        project.write("sections/results.tex", RESULTS);
        project.write("refs.bib", BIB);
        project.write(
            "../results/run_1.json",
            "{\"accuracy\": 0.847, \"baseline\": 0.824}\n",
        );
        project
    }

    /// A valid project: three audits by a reviewer with chained traces.
    pub(crate) fn new() -> Self {
        let project = Self::bare();
        project.seal();
        project
    }

    /// Writes a file, relative to the paper.
    pub(crate) fn write(&self, path: &str, text: impl AsRef<[u8]>) -> &Self {
        let path = self.paper.join(path);
        fs::create_dir_all(path.parent().expect("folder")).expect("folder");
        fs::write(path, text).expect("write");
        self
    }

    pub(crate) fn read(&self, path: &str) -> String {
        fs::read_to_string(self.paper.join(path)).expect("read")
    }

    pub(crate) fn remove(&self, path: &str) -> &Self {
        let path = self.paper.join(path);
        if path.is_dir() {
            fs::remove_dir_all(path)
        } else {
            fs::remove_file(path)
        }
        .expect("remove");
        self
    }

    pub(crate) fn link(&self, target: impl AsRef<Path>, name: &str) -> &Self {
        std::os::unix::fs::symlink(target, self.paper.join(name)).expect("link");
        self
    }

    pub(crate) fn fifo(&self, name: &str) -> &Self {
        let path = self.paper.join(name);
        rustix::fs::mknodat(
            rustix::fs::CWD,
            &path,
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::from(0o644),
            0,
        )
        .expect("fifo");
        self
    }

    /// Digest of a file in the artifacts' format.
    pub(crate) fn hash(&self, path: &str) -> String {
        Digest::of(&fs::read(self.paper.join(path)).expect("read")).to_string()
    }

    pub(crate) fn hashes(&self, paths: &[&str]) -> Map<String, Value> {
        paths
            .iter()
            .map(|path| ((*path).to_owned(), Value::from(self.hash(path))))
            .collect()
    }

    /// The files that the default audits hash.
    pub(crate) fn inputs(skill: &str) -> &'static [&'static str] {
        match skill {
            "proof-checker" => &["main.tex", "sections/intro.tex", "sections/results.tex"],
            "citation-audit" => &[
                "main.tex",
                "sections/intro.tex",
                "sections/results.tex",
                "refs.bib",
            ],
            _ => &[
                "main.tex",
                "sections/intro.tex",
                "sections/results.tex",
                "../results/run_1.json",
            ],
        }
    }

    /// Makes all three audits on the current files.
    pub(crate) fn seal(&self) -> &Self {
        for (artifact, skill) in AUDITS {
            self.audit(artifact, skill, Self::inputs(skill));
        }
        self
    }

    /// Makes one audit by a reviewer: its trace and its artifact.
    pub(crate) fn audit(&self, artifact: &str, skill: &str, inputs: &[&str]) -> &Self {
        self.audited(artifact, skill, inputs, Review::default().at)
    }

    /// Like [`Project::audit`], on the usual files, at another time.
    pub(crate) fn audit_at(&self, artifact: &str, skill: &str, at: &str) -> &Self {
        self.audited(artifact, skill, Self::inputs(skill), at)
    }

    fn audited(&self, artifact: &str, skill: &str, inputs: &[&str], at: &str) -> &Self {
        let thread = format!("thread-{skill}");
        // Two reviews of different files never have identical answers.
        let hashes = Value::Object(self.hashes(inputs)).to_string();
        let answer = format!(
            "Looks right, {}.\n\nVERDICT: PASS\n",
            Digest::of(hashes.as_bytes())
        );
        let trace = self.review(&Review {
            skill,
            thread: &thread,
            files: inputs,
            answer: answer.as_bytes(),
            at,
            ..Review::default()
        });
        let value = json!({
            "audit_skill": skill,
            "verdict": "PASS",
            "reason_code": "all_fine",
            "summary": "nothing is wrong",
            "audited_input_hashes": self.hashes(inputs),
            "trace_path": trace,
            "thread_id": thread,
            "reviewer_model": "gpt-5.5",
            "reviewer_reasoning": "xhigh",
            "generated_at": at.replace(":00Z", ":59Z"),
            "details": {"checked": 2}
        });
        self.put(artifact, &value)
    }

    /// Repeats an audit with one more file.
    pub(crate) fn also(&self, artifact: &str, path: &str) -> &Self {
        let old = self.artifact(artifact);
        let hashes = old["audited_input_hashes"].as_object().expect("object");
        let inputs: Vec<&str> = hashes.keys().map(String::as_str).chain([path]).collect();
        self.audit(
            artifact,
            old["audit_skill"].as_str().expect("skill"),
            &inputs,
        )
    }

    /// Changes the reviewer's verdict and the artifact's.
    pub(crate) fn says(&self, artifact: &str, verdict: &str) -> &Self {
        let skill = self.artifact(artifact)["audit_skill"]
            .as_str()
            .expect("skill")
            .to_owned();
        self.review(&Review {
            skill: &skill,
            thread: &format!("thread-{skill}"),
            answer: format!("VERDICT: {verdict}").as_bytes(),
            files: Self::inputs(&skill),
            ..Review::default()
        });
        self.set(artifact, "verdict", verdict)
    }

    /// Makes the claim audit from an answer, recorded with its thread.
    pub(crate) fn rests_on(&self, review: &Review<'_>, verdict: &str) -> &Self {
        let path = self.review(review);
        self.set(CLAIMS, "trace_path", path)
            .set(CLAIMS, "thread_id", review.thread)
            .set(CLAIMS, "verdict", verdict)
    }

    /// Records a reviewer call on the files of the claim audit; returns `trace_path`.
    pub(crate) fn trace(
        &self,
        skill: &str,
        thread: &str,
        answer: &[u8],
        mode: TraceMode,
    ) -> String {
        self.review(&Review {
            skill,
            thread,
            answer,
            mode,
            ..Review::default()
        })
    }

    /// Records a reviewer call as `save_trace` does; returns `trace_path`.
    pub(crate) fn review(&self, review: &Review<'_>) -> String {
        let slug = |text: &str| -> Slug { text.parse().expect("slug") };
        let (skill, purpose) = (slug(review.skill), slug("audit"));
        let name = |file: &&str| aris_fs::lexical(&Path::new("paper").join(file));
        let files = review
            .files
            .iter()
            .map(|file| name(file).display().to_string());
        let files: Vec<String> = files.collect();
        let prompt = review.prompt.as_bytes();
        let digests = reviewed(&self.root, &self.root, &files, prompt).digests;
        let new = NewRecord {
            skill: &skill,
            purpose: &purpose,
            model: "gpt-5.5",
            thread_id: review.thread,
            tool: "mcp__codex__codex",
            executor: Some(review.executor),
            config: Map::new(),
            files,
            input_digests: (!review.older).then_some(digests),
            duration_ms: Some(1000),
            status: review.status,
            prompt,
            response: review.answer,
            mode: review.mode,
            run: if review.new_run {
                RunChoice::New
            } else {
                RunChoice::Latest
            },
        };
        let at = review.at.parse().expect("time");
        record(&self.root, &new, at).expect("recorded").trace_path
    }

    /// Binds both numbers to the result.
    pub(crate) fn bind(&self) -> &Self {
        self.write("claims.toml", BINDINGS)
    }

    /// Runs the program for the claim audit, with further arguments.
    pub(crate) fn audit_claims(&self, more: &[&str]) -> &Self {
        self.audit_by("paper_claim_audit", more)
    }

    /// Runs the program for the citation audit.
    pub(crate) fn audit_citations(&self) -> &Self {
        self.audit_by("citation_audit", &[])
    }

    fn audit_by(&self, helper: &str, more: &[&str]) -> &Self {
        let args = [&[self.paper.to_str().expect("utf-8")], more].concat();
        let ran = Helper::named(helper).call(&self.root).args(args).run();
        assert!([0, 10].contains(&ran.code()), "{}", ran.stderr());
        self
    }

    /// Forges an artifact of a program, with a valid trace and thread: with its last details, or as if it had found nothing.
    pub(crate) fn forge(&self, helper: &str, skill: &str, stem: &str, verdict: Verdict) -> &Self {
        let name = format!("{stem}.json");
        let old = self
            .paper
            .join(&name)
            .exists()
            .then(|| self.artifact(&name));
        let details = old
            .as_ref()
            .map_or(Value::Null, |old| old["details"].clone());
        self.forge_details(helper, skill, stem, verdict, details)
    }

    /// Forges the claim audit.
    pub(crate) fn forge_claims(&self, verdict: Verdict) -> &Self {
        let (skill, stem) = ("paper-claim-audit", "PAPER_CLAIM_AUDIT");
        self.forge("paper_claim_audit", skill, stem, verdict)
    }

    /// Forges an audit with these details.
    pub(crate) fn forge_details(
        &self,
        helper: &str,
        skill: &str,
        stem: &str,
        verdict: Verdict,
        details: Value,
    ) -> &Self {
        let name = format!("{stem}.json");
        let old = self
            .paper
            .join(&name)
            .exists()
            .then(|| self.artifact(&name));
        let said = |key: &str, other: &str| {
            let old = old.as_ref().filter(|old| old["verdict"] == verdict.word());
            old.map_or(other, |old| old[key].as_str().expect("text"))
                .to_owned()
        };
        let (reason_code, summary) = (said("reason_code", "all_fine"), said("summary", "2 of 2"));
        let mut inputs: Vec<String> = Self::inputs(skill)
            .iter()
            .map(ToString::to_string)
            .collect();
        inputs.extend(
            Some(String::from("claims.toml")).filter(|name| self.paper.join(name).exists()),
        );
        let digests = inputs.into_iter().map(|path| {
            let digest = Digest::of(&fs::read(self.paper.join(&path)).expect("read"));
            (path, digest)
        });
        let emission = Emission {
            helper,
            version: verify_paper_audits::SPEC.version,
            skill,
            stem,
            verdict,
            reason_code: &reason_code,
            summary: &summary,
            inputs: digests.collect(),
            details,
            report: "# Report\n\nAll fine.\n",
        };
        aris_audit::emit(&self.paper, &emission, made()).expect("emitted");
        self
    }

    pub(crate) fn artifact(&self, name: &str) -> Value {
        serde_json::from_str(&self.read(name)).expect("json")
    }

    pub(crate) fn put(&self, name: &str, value: &Value) -> &Self {
        self.write(name, format!("{value:#}\n"))
    }

    /// Changes one field of an artifact.
    pub(crate) fn set(&self, name: &str, field: &str, value: impl Into<Value>) -> &Self {
        let mut artifact = self.artifact(name);
        artifact[field] = value.into();
        self.put(name, &artifact)
    }

    /// Sets or adds one recorded hash of an artifact.
    pub(crate) fn set_hash(&self, name: &str, path: &str, hash: impl Into<Value>) -> &Self {
        let mut artifact = self.artifact(name);
        artifact["audited_input_hashes"][path] = hash.into();
        self.put(name, &artifact)
    }

    /// Edits the text of a file.
    pub(crate) fn edit(&self, path: &str, from: &str, to: &str) -> &Self {
        let text = self.read(path);
        assert!(text.contains(from), "{path} has no {from}");
        self.write(path, text.replace(from, to))
    }

    /// Folder of an audit's trace.
    pub(crate) fn run_of(&self, artifact: &str) -> PathBuf {
        self.root.join(
            self.artifact(artifact)["trace_path"]
                .as_str()
                .expect("path"),
        )
    }

    /// Runs the gate at `submission` on the paper.
    pub(crate) fn gate(&self) -> Ran {
        self.run(&["--assurance", "submission"])
    }

    /// Runs the gate on the paper with further arguments.
    pub(crate) fn run(&self, more: &[&str]) -> Ran {
        let paper = self.paper.to_str().expect("utf-8");
        let args: Vec<&str> = std::iter::once(paper).chain(more.iter().copied()).collect();
        let mut ran = call(&self.root, &args, &[]);
        let at = more
            .iter()
            .position(|arg| *arg == "--json-out")
            .and_then(|at| more.get(at + 1));
        let report = at.map_or_else(
            || self.paper.join(".aris/audit-verifier-report.json"),
            |path| self.root.join(path),
        );
        ran.report = fs::read(report)
            .ok()
            .and_then(|bytes| serde_json::from_slice(&bytes).ok())
            .unwrap_or_default();
        ran
    }
}

/// Runs the gate in this process.
pub(crate) fn call(cwd: &Path, args: &[&str], env: &[(&str, &str)]) -> Ran {
    call_at(cwd, args, env, now())
}

/// Runs the gate in this process at another time.
pub(crate) fn call_at(cwd: &Path, args: &[&str], env: &[(&str, &str)], time: Timestamp) -> Ran {
    // The runner replaces the process-wide panic hook while it works; two runs at once would leave the wrong hook.
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let _one = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let (stdout, stderr) = (Shared::default(), Shared::default());
    let process = Process {
        args: std::iter::once("verify_paper_audits")
            .chain(args.iter().copied())
            .map(OsString::from)
            .collect(),
        env: env
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect::<BTreeMap<_, _>>(),
        cwd: cwd.to_path_buf(),
        clock: Clock::Fixed(time),
        stdout_style: Style::plain(),
        stderr_style: Style::plain(),
        stdout: Box::new(stdout.clone()),
        stderr: Box::new(stderr.clone()),
    };
    let code = aris_cli::run(
        &verify_paper_audits::SPEC,
        verify_paper_audits::run,
        process,
    )
    .code();
    Ran {
        code,
        stdout: stdout.text(),
        stderr: stderr.text(),
        report: Value::Null,
    }
}

/// The time at which forgers make their audits.
fn made() -> Timestamp {
    "2090-11-20T11:30:00Z".parse().expect("time")
}

#[derive(Clone, Default)]
struct Shared(Rc<RefCell<Vec<u8>>>);

impl Shared {
    fn text(&self) -> String {
        String::from_utf8(self.0.borrow().clone()).expect("utf-8")
    }
}

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
