//! `cancel`: ends the running step.

use std::io::{self, Write};
use std::time::{Duration, Instant};

use aris_cli::{Context, Outcome, Shown};
use aris_contract::ErrorKind;
use serde::Serialize;

use crate::attempt::{self, GRACE, Left};
use crate::cli::StatusArgs;
use crate::commands::status::folder;
use crate::error::Error;
use crate::store::{self, ticket};

/// Schema id of [`Cancelled`].
pub(crate) const SCHEMA: &str = "aris.recipe_runner.cancel/v1";
/// Time that the end of a step takes beyond its grace, for SIGKILL and for the record on a busy disk.
const MARGIN: Duration = Duration::from_secs(20);
/// Time between two looks whether it has ended.
const AGAIN: Duration = Duration::from_millis(20);

/// What was ended.
#[derive(Debug, Default, Serialize, schemars::JsonSchema)]
pub(crate) struct Cancelled {
    /// The step that was at work; null when none was.
    step: Option<String>,
    /// The process that did its work.
    #[serde(skip_serializing_if = "Option::is_none")]
    process: Option<u64>,
    /// The lenses that were at work, of a step that has several.
    lenses: Vec<String>,
}

/// Tells the running step, or each of its lenses, to end, and waits until it has: SIGTERM, and SIGKILL after ten seconds.
pub(crate) fn run(args: &StatusArgs, context: &Context) -> Result<Shown, Error> {
    let path = context.absolute(&args.state);
    let (state, _) = store::load(&path)?;
    let folder = folder(&path, &ticket(&state));
    let until = Instant::now() + GRACE + MARGIN;
    let mut done = Cancelled::default();
    let mut told: Vec<u64> = Vec::new();
    loop {
        let mut at_work = None;
        for part in attempt::parts(&folder, None)? {
            let Left::AtWork(work) = part.left else {
                continue;
            };
            at_work = Some(work.process);
            if !told.contains(&work.process) {
                aris_attempt::cancel(&part.folder, "recipe_runner cancel")?;
                told.push(work.process);
                done.step.clone_from(&state.cursor);
                done.process.get_or_insert(work.process);
                done.lenses.extend(part.lens);
            }
        }
        let Some(process) = at_work else {
            return Ok(Outcome::done(done).shown(SCHEMA, Cancelled::render));
        };
        if Instant::now() >= until {
            let reason = format!("process {process} was not ended: it is still there");
            let hint = "check the process, and end it by hand";
            return Err(Error::refused(ErrorKind::Precondition, reason, hint));
        }
        std::thread::park_timeout(AGAIN);
    }
}

impl Cancelled {
    fn render(&self, out: &mut dyn Write) -> io::Result<()> {
        match &self.step {
            Some(step) => writeln!(out, "{step}: stopped; recipe_runner resume starts it again"),
            None => writeln!(out, "no step is running"),
        }
    }
}
