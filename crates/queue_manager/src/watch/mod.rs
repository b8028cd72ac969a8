//! `watch`: a queue as it goes on, drawn in place on a terminal, else a line for each change.

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

/// Between two looks at least, however much happens.
const LEAST: Duration = Duration::from_millis(200);

/// Between two looks at most: times on the screen go on.
pub(crate) const INTERVAL: Duration = Duration::from_secs(1);

/// Jobs of a kind that are looked for to fill a screen.
const ON_SCREEN: usize = 200;

/// Follows a queue until it is over, nobody runs it any more, or a person has seen enough.
pub(crate) fn watch(args: &QueueArgs, interval: Duration, context: &Context) -> CommandResult {
    let place = place(args, context)?;
    // Before the terminal is changed: from here on it is always given back.
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

/// What stays on the terminal.
fn short(mut status: Status) -> Status {
    status.running.truncate(NAMED);
    status.retries.truncate(NAMED);
    status.blocked.truncate(NAMED);
    status.problems.truncate(NAMED);
    status
}
