//! `save_trace`: records one reviewer call, prompt and response. The records of a run form a hash chain, which reveals accidents and
//! careless edits.
//!
//! **Input**: flags; prompt and response as text, as files or pipes, or one of them from standard input. The files that the reviewer was
//! given (`--files`, and every path below the project that the prompt names) are hashed as they are now: call it before anything is edited.
//! **Output**: a record in `<project>/.aris/traces/<skill>/<date>_runNN/` (three files and a line of `chain.jsonl`) and an event in
//! `.aris/meta/events.jsonl`; on stdout the run's folder relative to the project, which is the `trace_path` of an audit.
//! **Exit**: 0 recorded, or nothing to record in mode `off`; 2 usage; 3 a named file is absent; 4 a file is not readable as what it must
//! be, or the run's chain is damaged; 5 the project cannot be written.
//!
//! Two equal calls make two records, because the reviewer was called twice.

mod cli;
mod error;
mod report;

use std::io::Read as _;
use std::path::Path;

use aris_audit::project;
use aris_audit::trace::{self, NewRecord, RunChoice, TEXT_LIMIT};
use aris_cli::{Context, Network, Outcome, Sample, Spec};
use aris_contract::ErrorKind;
use aris_contract::artifact::trace::TraceMode;
use aris_contract::json::{self, Limits};
use aris_contract::schema::id;

pub use cli::Cli;
pub use error::Error;
pub use report::Report;

/// Limits of `--config`, so that the request can be read again: it holds the configuration two levels deep.
const CONFIG: Limits = Limits {
    depth: Limits::ARTIFACT.depth - 2,
    ..Limits::ARTIFACT
};

/// What the helper says about itself.
pub static SPEC: Spec = Spec {
    name: "save_trace",
    version: env!("CARGO_PKG_VERSION"),
    summary: "Keep one reviewer call, prompt and response, as a chained trace record",
    input: "flags; prompt and response as text, as files or pipes, or one of them from standard input (-); the files they are about are hashed",
    output: "the run's folder relative to the project, for trace_path; with --json where the record went",
    stderr: "the record's name, warnings, errors",
    commands: &[],
    examples: &[
        "save_trace --skill paper-claim-audit --purpose audit --model gpt-5.5 --thread-id 019d8fe0 --prompt-file prompt.txt --response-file response.md  # keep a call whose prompt and response are in files",
        "save_trace --skill auto-review-loop --purpose round-2 --model gpt-5.5 --thread-id 019d8fe0 --prompt 'Review paper/main.tex' --response-file - --new-run < answer.md  # start a new run and read the response from standard input",
        "save_trace --skill idea-critique --purpose critique --trace-mode meta --prompt-file p --response-file r --json  # keep digests and lengths only",
    ],
    signals: &[],
    ok: "the record is kept, or the mode is off",
    errors: &[
        ErrorKind::NotFound,
        ErrorKind::Validation,
        ErrorKind::Precondition,
    ],
    schemas: &[
        report::SCHEMA,
        id::TRACE_RUN,
        id::TRACE_REQUEST,
        id::TRACE_META,
        id::TRACE_CHAIN,
        id::TRACE_EVENT,
    ],
    samples: &[
        Sample {
            args: &[
                "--json",
                "--skill",
                "sample",
                "--purpose",
                "sample",
                "--prompt",
                "p",
                "--response",
                "r",
                "--trace-mode",
                "off",
            ],
            exit: &[0],
        },
        Sample {
            args: &["--json", "--skill", "../escape", "--purpose", "sample"],
            exit: &[2],
        },
    ],
    network: Network::None,
    deadline: None,
};

/// Records the call that `cli` describes.
pub fn run(cli: Cli, context: &Context) -> Result<Outcome<Report>, Error> {
    let mode = match (cli.trace_mode, context.env("ARIS_TRACE_MODE")) {
        (Some(mode), _) => mode,
        (None, Some(text)) => text.parse().map_err(Error::Mode)?,
        (None, None) => TraceMode::Full,
    };
    if mode == TraceMode::Off {
        context.note("tracing is off: nothing is kept");
        return Ok(Outcome::done(Report::off()));
    }
    if is_stdin(cli.prompt_file.as_deref()) && is_stdin(cli.response_file.as_deref()) {
        return Err(Error::StdinTwice);
    }
    let prompt = text(context, cli.prompt.as_deref(), cli.prompt_file.as_deref())?;
    let response = text(
        context,
        cli.response.as_deref(),
        cli.response_file.as_deref(),
    )?;
    let config = match &cli.config {
        None => serde_json::Map::new(),
        Some(text) => json::typed(text.as_bytes(), CONFIG).map_err(Error::Config)?,
    };
    if response.trim_ascii().is_empty() {
        context.warn("the response is empty: no audit can rest on this record");
    } else if cli.thread_id.trim().is_empty() && cli.status == "ok" {
        context.warn(
            "no --thread-id: no audit can rest on this record, nor on earlier answers of its run",
        );
    }
    let project = match &cli.project {
        Some(folder) => {
            let folder = context.absolute(folder);
            if !folder.is_dir() {
                return Err(Error::Project { path: folder });
            }
            folder
        }
        None => project::of_directory(context.cwd()),
    };
    let run = match (&cli.run_id, cli.new_run) {
        (Some(id), _) => RunChoice::Named(id),
        (None, true) => RunChoice::New,
        (None, false) => RunChoice::Latest,
    };
    let reviewed = trace::reviewed(&project, context.cwd(), &cli.files, &prompt);
    for problem in &reviewed.missing {
        context.warn(&format!(
            "--files: {problem}; the call is recorded without its bytes, and no audit that needs them accepts the record"
        ));
    }
    let saved = trace::record(
        &project,
        &NewRecord {
            skill: &cli.skill,
            purpose: &cli.purpose,
            model: &cli.model,
            thread_id: &cli.thread_id,
            tool: &cli.tool,
            executor: cli.executor.as_deref(),
            config,
            files: cli.files,
            input_digests: Some(reviewed.digests),
            duration_ms: cli.duration_ms,
            status: &cli.status,
            prompt: &prompt,
            response: &response,
            mode,
            run,
        },
        context.now(),
    )?;
    context.note(&format!(
        "Trace saved: {}{}",
        saved.trace_path, saved.prefix
    ));
    Ok(Outcome::done(Report::saved(mode, saved)))
}

fn is_stdin(path: Option<&Path>) -> bool {
    let names = ["-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"];
    path.is_some_and(|path| names.iter().any(|name| path == Path::new(name)))
}

/// The bytes of a prompt or response, from its flag, its file or standard input; empty when none is given.
fn text(
    context: &Context,
    inline: Option<&std::ffi::OsStr>,
    file: Option<&Path>,
) -> Result<Vec<u8>, Error> {
    match (inline, file) {
        (Some(text), _) => Ok(text.as_encoded_bytes().to_vec()),
        (None, None) => Ok(Vec::new()),
        (None, Some(path)) if is_stdin(Some(path)) => {
            let mut bytes = Vec::new();
            let count = std::io::stdin()
                .lock()
                .take(TEXT_LIMIT + 1)
                .read_to_end(&mut bytes)
                .map_err(Error::Stdin)?;
            if count as u64 > TEXT_LIMIT {
                Err(Error::StdinTooLarge)
            } else {
                Ok(bytes)
            }
        }
        (None, Some(path)) => Ok(aris_fs::read_given(&context.absolute(path), TEXT_LIMIT)?),
    }
}

#[cfg(test)]
mod tests {
    use aris_contract::artifact::trace::{ChainLine, Event, Request, ResponseMeta, Run};
    use aris_testkit::check_schema;

    use super::*;

    #[test]
    fn schemas_are_current() {
        check_schema::<Report>(report::SCHEMA);
        check_schema::<Run>(id::TRACE_RUN);
        check_schema::<Request>(id::TRACE_REQUEST);
        check_schema::<ResponseMeta>(id::TRACE_META);
        check_schema::<ChainLine>(id::TRACE_CHAIN);
        check_schema::<Event>(id::TRACE_EVENT);
    }
}
