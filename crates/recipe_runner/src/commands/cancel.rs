//! `cancel`: ends the step at work.

use std::io::{self, Write};
use std::time::{Duration, Instant};

use aris_cli::{Context, Outcome};
use serde::Serialize;

use crate::attempt::{self, GRACE, Left};
use crate::cli::StatusArgs;
use crate::commands::status::folder;
use crate::drive::ticket;
use crate::error::Error;
use crate::store;

/// Schema id of [`Cancelled`].
pub(crate) const SCHEMA: &str = "aris.recipe_runner.cancel/v1";
/// What the end of a step takes beyond its grace: SIGKILL, and the record on a busy disk.
const MARGIN: Duration = Duration::from_secs(20);
/// Between two looks whether it has ended.
const AGAIN: Duration = Duration::from_millis(20);

/// What was ended.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Cancelled {
    /// The step that was at work; null when none was.
    step: Option<String>,
    /// The process that did its work.
    #[serde(skip_serializing_if = "Option::is_none")]
    process: Option<u64>,
}

/// Tells the step at work to end, and waits until it has: SIGTERM, and SIGKILL after ten seconds.
pub(crate) fn run(args: &StatusArgs, context: &Context) -> Result<Outcome<Cancelled>, Error> {
    let path = context.absolute(&args.state);
    let state = store::load(&path)?;
    let folder = folder(&path, &ticket(&state));
    let Left::AtWork(work) = attempt::left(&folder)? else {
        return Ok(Outcome::done(Cancelled {
            step: None,
            process: None,
        }));
    };
    attempt::end(&work)?;
    let until = Instant::now() + GRACE + MARGIN;
    while matches!(attempt::left(&folder)?, Left::AtWork(_)) {
        if Instant::now() >= until {
            return Err(Error::NotEnded {
                process: work.process,
                reason: String::from("it is still there"),
            });
        }
        std::thread::park_timeout(AGAIN);
    }
    Ok(Outcome::done(Cancelled {
        step: state.cursor,
        process: Some(work.process),
    }))
}

impl Cancelled {
    pub(crate) fn render(&self, out: &mut dyn Write) -> io::Result<()> {
        match &self.step {
            Some(step) => writeln!(out, "{step}: ended; recipe_runner resume starts it again"),
            None => writeln!(out, "no step is at work"),
        }
    }
}
