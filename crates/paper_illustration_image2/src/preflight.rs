//! Checks that the program that makes images exists and that its server answers.

use std::time::Duration;

use aris_cli::Context;
use aris_contract::failure::ErrorBody;
use aris_contract::time;
use aris_proc::{End, Finished};

use crate::cli::Preflight;
use crate::error::Error;
use crate::report::{PreflightResult, Status};
use crate::workspace::Workspace;

/// Most characters of the program's own message that are passed on.
const SAID: usize = 500;

/// Sends a ping to the server of codex.
pub(crate) fn run(args: &Preflight, context: &Context) -> Result<PreflightResult, Error> {
    let workspace = Workspace::of(&args.place, context)?;
    workspace.create_output()?;
    let folders = context.env("PATH").unwrap_or_default();
    let program = aris_fs::on_path("codex", folders, context.cwd());
    let (status, returncode, error) = match &program {
        None => {
            let error = "the program codex is not on PATH; install it, or take another way to make the illustration";
            (Status::Absent, None, Some(error.to_owned()))
        }
        Some(program) => {
            let command = aris_proc::command(program, &workspace.root)
                .args(["debug", "app-server", "send-message-v2", "ping"])
                .capture_limit(64 << 10);
            match command.run(Duration::from_secs(args.deadline)) {
                Ok(finished) => judged(&finished, args.deadline),
                Err(error) => (Status::Unusable, None, Some(ErrorBody::of(&error).message)),
            }
        }
    };
    Ok(PreflightResult {
        ok: status == Status::Ready,
        status,
        workspace: workspace.root.display().to_string(),
        output_dir: workspace.output().display().to_string(),
        codex_bin: program.map(|path| path.display().to_string()),
        checked_at: time::stamp(context.now()),
        returncode,
        error,
    })
}

fn judged(finished: &Finished, seconds: u64) -> (Status, Option<i32>, Option<String>) {
    match finished.end {
        End::Exited(0) => (Status::Ready, Some(0), None),
        End::Exited(code) => {
            let said = said(finished);
            (Status::Failed, Some(code), Some(said))
        }
        End::Signalled(signal) => {
            let error = format!("codex was ended by signal {signal}");
            (Status::Failed, None, Some(error))
        }
        End::TimedOut => {
            let error = format!(
                "the server of codex did not answer within {seconds} s, and was ended; allow it more with --command-timeout"
            );
            (Status::TimedOut, None, Some(error))
        }
    }
}

/// The program's message about its failure, shortened to one line.
fn said(finished: &Finished) -> String {
    let (stderr, stdout) = (finished.stderr.text(), finished.stdout.text());
    let text = if stderr.trim().is_empty() {
        stdout
    } else {
        stderr
    };
    let words: Vec<&str> = text.split_whitespace().collect();
    let line: String = words
        .join(" ")
        .chars()
        .filter(|letter| !letter.is_control())
        .take(SAID)
        .collect();
    if line.is_empty() {
        String::from("the server of codex failed and says nothing")
    } else {
        line
    }
}
