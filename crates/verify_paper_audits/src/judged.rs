//! Audits by a reviewer: makes the prompt, and the artifact from the stored answer, so that nobody hashes by hand.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use aris_audit::ledger::Ledger;
use aris_audit::trace::{self, TraceRecord};
use aris_audit::{Digest, PaperFiles, digest_files};
use aris_claims::project::{Options, Project};
use aris_cli::{Context, Product, Style};
use aris_contract::artifact::audit::{Audit, Verdict};
use aris_contract::text::shell_line;
use aris_contract::{ErrorKind, Failure as _, schema, time};
use serde::Serialize;
use serde_json::json;

use crate::cli::{PaperArgs, PromptArgs, RecordArgs};
use crate::error::Error;
use crate::gate;
use crate::output::{self, write_dated};
use crate::paper::Paper;
use crate::policy::{AuditRule, Policy, SourceKind};
use crate::sources::Sources;
use crate::text::clean;

/// Schema id of [`Prompt`].
pub(crate) const PROMPT_SCHEMA: &str = "aris.verify_paper_audits.prompt/v1";
/// Schema id of [`Recorded`].
pub(crate) const RECORD_SCHEMA: &str = "aris.verify_paper_audits.record/v1";

/// What `prompt` answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[expect(clippy::struct_field_names, reason = "programs read this name")]
pub(crate) struct Prompt {
    /// Skill of the audit.
    pub audit: String,
    /// What to send to the reviewer.
    pub prompt: String,
    /// The files that it names, relative to the project where they lie in it.
    pub files: Vec<String>,
    /// The commands that follow: one keeps the answer, one writes the artifact.
    pub next: Vec<String>,
}

/// What `record` answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub(crate) struct Recorded {
    /// Skill of the audit.
    pub audit: String,
    /// The verdict that the answer states.
    #[schemars(with = "String")]
    pub verdict: Verdict,
    /// Path of the artifact.
    pub artifact: String,
    /// The record that it rests on.
    pub record: String,
    /// Number of files that were reviewed.
    pub inputs: usize,
    /// Files of the audit's subject that were not: the gate blocks for each.
    pub not_reviewed: Vec<String>,
    /// Whether an earlier artifact said the same and was kept.
    pub unchanged: bool,
}

/// An open paper, with the rule of one audit.
struct Opened {
    paper: Paper,
    policy: Policy,
    rule: AuditRule,
    sources: Sources,
}

impl Opened {
    fn of(args: &PaperArgs, skill: &str, context: &Context) -> Result<Self, Error> {
        let (paper, policy) = output::opened(args, context)?;
        let rule = rule(&paper, &policy, skill)?;
        let mut files = PaperFiles::new(&paper.dir);
        files.allow(paper.roots());
        let document = files.document(args.root.as_deref());
        let mut sources = Sources::of(&paper, &mut files, &document);
        if let Ok(project) = Project::of(files, document, &Options::default()) {
            sources.add_evidence(&paper, &project);
        }
        Ok(Self {
            paper,
            policy,
            rule,
            sources,
        })
    }

    /// The files that are the audit's subject, including every local style.
    fn subject(&self) -> impl Iterator<Item = &Path> {
        let skill = &self.rule.skill;
        let files = self.sources.files.iter();
        let about = files.filter(|file| {
            let mut kinds = self.policy.coverage.iter();
            let demanded = kinds.any(|of| of.kind == file.kind && of.audits.contains(skill));
            demanded && (file.holds.concerns(skill) || file.holds.support)
        });
        about.map(|file| file.real.as_path())
    }

    /// All text files of the paper: a reviewer who says that there is nothing to prove must see all of them.
    fn texts(&self) -> impl Iterator<Item = &Path> {
        let files = self.sources.files.iter();
        let texts = files.filter(|file| file.kind == SourceKind::Tex);
        texts.map(|file| file.real.as_path())
    }
}

fn rule(paper: &Paper, policy: &Policy, skill: &str) -> Result<AuditRule, Error> {
    let mut ignored = Vec::new();
    let rules = gate::rules(paper, policy, &mut Ledger::default(), &mut ignored);
    let known: Vec<String> = rules.iter().map(|rule| rule.skill.clone()).collect();
    let rule = rules.into_iter().find(|rule| rule.skill == skill);
    rule.ok_or_else(|| {
        let message = format!("no audit of this paper is called {skill:?}");
        let hint = format!("one of {}", known.join(", "));
        Error::new(ErrorKind::Usage, message, hint)
    })
}

/// The prompt for an audit.
pub(crate) fn prompt(args: &PromptArgs, context: &Context) -> Result<Prompt, Error> {
    let opened = Opened::of(&args.paper, &args.audit, context)?;
    let (paper, skill) = (&opened.paper, &opened.rule.skill);
    let subject: BTreeSet<&Path> = opened.texts().chain(opened.subject()).collect();
    if subject.is_empty() {
        let said = opened.sources.findings.first();
        let message = said.map_or_else(
            || String::from("the paper has no source"),
            |finding| finding.message.clone(),
        );
        let hint = said.map_or_else(String::new, |finding| finding.fix.clone());
        return Err(Error::new(ErrorKind::Validation, message, hint));
    }
    let name = |path: &Path| aris_fs::display_relative(path, &paper.project);
    let files: Vec<String> = subject.into_iter().map(name).collect();
    let listed = format!("- {}", files.join("\n- "));
    let (what, questions) = task(skill);
    let prompt = format!(
        "{what} You have no other context.\n\nRead these files, and only these; paths are relative to the project:\n\n{listed}\n\n{questions}\n\n\
         Name the file and line of everything that you hold against the paper. End with one line that holds `VERDICT: ` and one of these words: \
         PASS (nothing is wrong), WARN (doubts that do not make the paper wrong), FAIL (something makes the paper wrong), NOT_APPLICABLE (you \
         looked, and there is nothing of the kind).\n"
    );
    // In another working directory (the paper is a repository of its own, or a link), paths relative to the project would be wrong.
    let cwd = context.cwd().canonicalize();
    let is_here = cwd.is_ok_and(|cwd| cwd == paper.project);
    let (project, given) = if is_here {
        (String::new(), shell_line(&files))
    } else {
        let all = files.iter();
        let all = all.map(|file| paper.project.join(file).display().to_string());
        let project = paper.project.display().to_string();
        let option = format!(" --project {}", shell_line(&[project]));
        (option, shell_line(&all.collect::<Vec<_>>()))
    };
    let keep = format!(
        "save_trace{project} --skill {skill} --purpose audit --model MODEL --thread-id THREAD --executor YOU --prompt-file prompt.md --response-file answer.md --files {given}"
    );
    let root = args.paper.root.as_deref();
    let root = root.map(|root| format!(" --root {}", shell_line(&[root])));
    let (name, root) = (crate::SPEC.name, root.unwrap_or_default());
    let record = format!("{name} record {{paper}} --audit {skill}{root}");
    Ok(Prompt {
        audit: skill.clone(),
        prompt,
        files,
        next: vec![paper.command(&keep), paper.command(&record)],
    })
}

/// The reviewer's task: its role and its questions.
fn task(skill: &str) -> (&'static str, &'static str) {
    match skill {
        "proof-checker" => (
            "You check the proofs of a research paper.",
            "Answer three questions:\n\n\
             1. Does the paper state a theorem, lemma, proposition or corollary, or give a proof, in an environment of its own or in running text? \
             Say how you looked.\n\
             2. If so: for each, list the steps, the assumptions that each step needs, and every gap.\n\
             3. Does any conclusion in the text rest on a mathematical statement that the paper does not prove?",
        ),
        "kill-argument" => (
            "You are the reviewer who wants this paper rejected, and you argue honestly.",
            "Find the one argument that, if it holds, makes the main claim of the paper wrong or empty: a missing control, a simpler explanation, \
             a result that the data do not carry. State it in full, then say whether the paper answers it, and where.",
        ),
        "paper-claim-audit" => (
            "You check the numbers of a research paper against its raw results.",
            "For each number that the paper states as a result, name the file and the value that it comes from, and say whether the two agree as \
             rounded. List every number that you cannot trace.",
        ),
        "citation-audit" => (
            "You check the citations of a research paper.",
            "For each citation: does the work exist, are its authors, title, year and venue right, and does it say what the paper says that it says?",
        ),
        _ => (
            "You review a research paper.",
            "Say what is wrong in it, and how you looked.",
        ),
    }
}

/// Writes an audit's artifact from the reviewer's last answer.
pub(crate) fn record(args: &RecordArgs, context: &Context) -> Result<Recorded, Error> {
    let opened = Opened::of(&args.paper, &args.audit, context)?;
    let (paper, rule) = (&opened.paper, &opened.rule);
    let run = run_folder(paper, &rule.skill, args.trace.as_deref(), context)?;
    let kept = trace::read(&run, Some(&paper.project)).map_err(|source| Error::Read {
        what: "the trace",
        kind: source.kind(),
        source,
    })?;
    let answers = answers(&kept.records, args.thread_id.as_deref(), &run)?;
    let Some(last) = answers.last().copied() else {
        return Err(Error::no_paper(run));
    };
    let name = clean(&last.prefix);
    let shown = paper.shown(&run);
    let precondition =
        |message: String, hint: &str| Error::new(ErrorKind::Precondition, message, hint);
    if let Some(other) = kept.run.as_ref().filter(|run| run.skill != rule.skill) {
        let message = format!("{shown} is a trace of the skill {:?}", other.skill);
        let hint = "name a trace of this audit with --trace";
        return Err(precondition(message, hint));
    }
    let Some(verdict) = last.verdict else {
        let message = format!("the answer in record {name} of {shown} states no verdict");
        let hint = "ask the reviewer for a last line `VERDICT: PASS`, WARN, FAIL or NOT_APPLICABLE with nothing after the word, and keep that answer in the same thread";
        return Err(Error::new(ErrorKind::Validation, message, hint));
    };
    let request = last.request.as_ref();
    // A follow-up lists only the files that it is about; earlier records list the rest.
    let held = answers
        .iter()
        .filter_map(|record| record.request.as_ref()?.input_digests.as_ref());
    let held: BTreeMap<&String, &String> = held.flatten().collect();
    if request.is_none_or(|request| request.input_digests.is_none()) {
        let message = format!("record {name} of {shown} does not say which bytes were reviewed");
        let hint = "repeat the review and keep it with save_trace, giving the files with --files";
        return Err(precondition(message, hint));
    }
    let inputs = reviewed(paper, &held)?;
    if inputs.is_empty() {
        let message = format!("record {name} of {shown} holds no file of this project");
        let hint = "repeat the review and give save_trace the files with --files";
        return Err(precondition(message, hint));
    }
    let not_reviewed = opened.subject().map(|real| paper.shown(real));
    let not_reviewed = not_reviewed.filter(|file| !inputs.contains_key(file));
    let not_reviewed: BTreeSet<String> = not_reviewed.collect();
    let reasoning = ["reasoning_effort", "model_reasoning_effort", "reasoning"];
    let reasoning = reasoning.iter().find_map(|key| {
        let config = &request?.config;
        let value = config.get(*key).or(config.get("config")?.get(*key))?;
        value.as_str()
    });
    let model = last.model().unwrap_or_default().trim();
    let said = verdict.word();
    let usual = || format!("{} says {said} in record {name}", clean(model));
    let mut audit = Audit {
        schema: Some(String::from(schema::id::AUDIT)),
        producer: Some(format!("{}@{}", crate::SPEC.name, crate::SPEC.version)),
        audit_skill: rule.skill.clone(),
        verdict,
        reason_code: format!("reviewer_{}", said.to_lowercase()),
        summary: args.summary.clone().unwrap_or_else(usual),
        audited_input_hashes: inputs,
        trace_path: format!("{}/", aris_fs::display_relative(&run, &paper.project)),
        thread_id: last.thread_id().unwrap_or_default().trim().to_owned(),
        reviewer_model: model.to_owned(),
        reviewer_reasoning: reasoning.unwrap_or("unknown").to_owned(),
        generated_at: time::stamp(context.now()),
        details: json!({ "record": last.prefix }),
    };
    let path = paper.dir.join(&rule.artifact);
    if path.is_symlink() {
        let message = format!("{} is a link", path.display());
        let hint = "remove it; the artifact is a file of the paper";
        return Err(precondition(message, hint));
    }
    let now = context.now();
    let what = "the artifact";
    let unchanged = write_dated(what, &path, &mut audit, |it| &mut it.generated_at, now)?;
    Ok(Recorded {
        audit: rule.skill.clone(),
        verdict,
        artifact: path.display().to_string(),
        record: format!("{shown}/{}", last.prefix),
        inputs: audit.audited_input_hashes.len(),
        not_reviewed: not_reviewed.into_iter().collect(),
        unchanged,
    })
}

/// The folder of the run: the named one, else the latest run of the skill.
fn run_folder(
    paper: &Paper,
    skill: &str,
    named: Option<&Path>,
    context: &Context,
) -> Result<PathBuf, Error> {
    let home = paper.project.join(trace::FOLDER).join(skill);
    let found = if let Some(named) = named {
        let mut bases = [context.cwd(), &paper.project, &paper.dir].into_iter();
        bases.find_map(|base| base.join(named).canonicalize().ok())
    } else {
        let mut runs = aris_fs::list_sorted(&home).unwrap_or_default().into_iter();
        let last = runs.rfind(|entry| entry.path.join(trace::RUN_META).is_file());
        last.map(|entry| entry.path)
    };
    found.ok_or_else(|| {
        let message = match named {
            Some(named) => format!("{} is not there", named.display()),
            None => format!("{} holds no run", home.display()),
        };
        let hint = "keep the reviewer's answer with save_trace; it prints the folder";
        Error::new(ErrorKind::NotFound, message, hint)
    })
}

/// The successful answers of a thread, oldest first. Without `named`, of the thread that answered last.
fn answers<'t>(
    records: &'t [TraceRecord],
    thread: Option<&str>,
    run: &Path,
) -> Result<Vec<&'t TraceRecord>, Error> {
    let chained = records.iter().any(|record| record.chained);
    let id = |record: &TraceRecord| record.thread_id().unwrap_or_default().trim().to_owned();
    let usable = |record: &&TraceRecord| {
        let status = record.meta.as_ref().map_or("", |meta| meta.status.trim());
        let whole = record.answered && (record.chained || !chained);
        whole && status.eq_ignore_ascii_case("ok")
    };
    let mut usable: Vec<&TraceRecord> = records.iter().filter(usable).collect();
    usable.sort_by_key(|record| {
        let time = record.timestamp().unwrap_or_default();
        time.trim().parse::<jiff::Timestamp>().ok()
    });
    let last = usable.last().copied();
    usable.retain(|record| !id(record).is_empty());
    // It may be the last word of any thread.
    if let Some(last) = last.filter(|last| id(last).is_empty() && !usable.is_empty()) {
        let said = last.verdict.map_or("no verdict", Verdict::word);
        let (name, run) = (clean(&last.prefix), run.display());
        let message = format!(
            "the last answer in {run} (record {name}) says {said} and names no thread: an earlier answer does not count"
        );
        let hint = "save that answer again with save_trace --thread-id ID; the answer of another review goes into a run of its own, with --new-run";
        return Err(Error::new(ErrorKind::Precondition, message, hint));
    }
    let thread = thread.map(ToOwned::to_owned);
    let thread = thread.or_else(|| usable.last().map(|record| id(record)));
    usable.retain(|record| Some(id(record)) == thread);
    if usable.is_empty() {
        let run = run.display();
        let message = format!("{run} holds no usable answer of a reviewer");
        let hint = "save one with save_trace: it needs --thread-id, a response that is not empty, and the status ok";
        return Err(Error::new(ErrorKind::NotFound, message, hint));
    }
    Ok(usable)
}

/// The reviewed files with their digests, for the artifact. An error if one has changed since.
fn reviewed(
    paper: &Paper,
    held: &BTreeMap<&String, &String>,
) -> Result<BTreeMap<String, String>, Error> {
    let mut files = Vec::new();
    for (name, digest) in held {
        let real = paper.project.join(name).canonicalize();
        files.push((name, Digest::parse(digest), real.ok()));
    }
    let paths = files.iter();
    let paths = paths.map(|(_, _, real)| real.as_deref().unwrap_or(Path::new("")));
    let paths: Vec<&Path> = paths.collect();
    let mut inputs = BTreeMap::new();
    let mut changed = Vec::new();
    for ((name, then, real), now) in files.iter().zip(digest_files(&paths)) {
        match (real, then, now) {
            (Some(real), Some(then), Ok(now)) if now == *then => {
                inputs.insert(paper.shown(real), now.to_string());
            }
            _ => changed.push(clean(name)),
        }
    }
    match changed.first() {
        None => Ok(inputs),
        Some(first) => {
            let more = match changed.len() - 1 {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            let message = format!("{first}{more} changed after the review");
            let hint = "repeat the review on the paper as it is: a verdict is about the bytes that the reviewer was given";
            Err(Error::new(ErrorKind::Precondition, message, hint))
        }
    }
}

impl Product for Recorded {
    fn schema(&self) -> &'static str {
        RECORD_SCHEMA
    }

    fn render(&self, out: &mut dyn Write, style: Style) -> io::Result<()> {
        for file in &self.not_reviewed {
            let mark = style.doubtful("not reviewed");
            writeln!(out, "{}: {mark}; the gate will block", clean(file))?;
        }
        let (verdict, record) = (self.verdict.word(), clean(&self.record));
        let kept = if self.unchanged { " (unchanged)" } else { "" };
        let (inputs, artifact) = (self.inputs, &self.artifact);
        writeln!(
            out,
            "{verdict}, from {record}, {inputs} files\n{artifact}{kept}"
        )
    }
}
