//! `watch`: follows a queue, drawn in place on a terminal, otherwise with a line for each change.

mod cells;
mod frame;
mod terminal;
mod wake;

use std::thread::park_timeout;
use std::time::Duration;

use aris_cli::Context;

use crate::cli::QueueArgs;
use crate::commands::status::{NAMED, Status, of};
use crate::commands::{CommandResult, place};

use terminal::Screen;
pub(crate) use wake::Wake;

/// Least time between two updates.
const LEAST: Duration = Duration::from_millis(200);

/// Default of the longest time between two updates, so that times on the screen advance.
pub(crate) const INTERVAL: Duration = Duration::from_secs(1);

/// Most jobs of each list that are read to fill a screen.
const ON_SCREEN: usize = 200;

/// Follows a queue until it ends, no manager runs it any more, or the user stops.
pub(crate) fn watch(args: &QueueArgs, interval: Duration, context: &Context) -> CommandResult {
    let place = place(args, context)?;
    // Before the terminal is changed: from here on, signals do not end the process, so the terminal is always restored.
    let mut wake = Wake::new(place.folder())?;
    let screen = Screen::open(context);
    let named = if screen.is_some() { ON_SCREEN } else { NAMED };
    let mut before = String::new();
    loop {
        let now = context.now();
        let status = of(&place, false, named, now)?;
        let line = status.line();
        if let Some(screen) = &screen {
            screen.draw(|size, style| frame::lines(&status, now, size, style));
        } else if line != before {
            context.note(&line);
            before = line;
        }
        if status.over || status.manager.is_none() || !wake.wait(interval.max(LEAST)) {
            drop(screen);
            return Ok(short(status).outcome());
        }
        park_timeout(LEAST);
    }
}

/// The status for the terminal after the screen was left, with shorter lists.
fn short(mut status: Status) -> Status {
    status.running.truncate(NAMED);
    status.retries.truncate(NAMED);
    status.blocked.truncate(NAMED);
    status.problems.truncate(NAMED);
    status
}
