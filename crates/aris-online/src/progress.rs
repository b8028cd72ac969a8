//! A line on stderr for people who wait: how much is done, how fast, how long it may take, and what it waits for now.
//!
//! Only on a terminal, and never with `--quiet`; a program that reads stderr sees nothing of it.

use std::time::Duration;

use aris_cli::Context;
use aris_sources::Event;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Shown after this time only: what is quick needs no progress.
const PATIENCE: Duration = Duration::from_millis(400);

/// The line. Clones show the same line.
#[derive(Clone, Debug)]
pub struct Progress {
    bar: ProgressBar,
}

impl Progress {
    /// A line for work of `total` steps, or of unknown length.
    pub fn new(context: &Context, total: Option<u64>) -> Self {
        if context.is_quiet() {
            return Self::silent();
        }
        let bar = ProgressBar::with_draw_target(total, ProgressDrawTarget::stderr_with_hz(8));
        let template = if total.is_some() {
            "{pos}/{len} {bar:24} {per_sec}, {eta} left  {wide_msg}"
        } else {
            "{spinner} {pos} asked, {elapsed}  {wide_msg}"
        };
        // The templates are constants; a wrong one would show the plain bar.
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        Self { bar }
    }

    /// No line at all.
    pub fn silent() -> Self {
        Self {
            bar: ProgressBar::hidden(),
        }
    }

    /// One step is done.
    pub fn step(&self) {
        self.bar.inc(1);
    }

    /// Does what writes to the terminal, too: the line goes out of its way.
    pub fn around(&self, write: impl FnOnce()) {
        self.bar.suspend(write);
    }

    /// Takes the line away; the answer follows.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }

    /// Shows what the client does.
    pub(crate) fn hear(&self, event: &Event) {
        match event {
            Event::Asking(host) => {
                if self.bar.elapsed() >= PATIENCE {
                    self.bar.set_message(format!("asking {host}"));
                }
            }
            Event::Waiting(host, time, why) => {
                if *time >= PATIENCE {
                    self.bar.set_message(format!(
                        "waiting {:.0} s for {host}: {why}",
                        time.as_secs_f64()
                    ));
                }
            }
            Event::Answered => {
                if self.bar.length().is_none() {
                    self.bar.inc(1);
                }
            }
        }
    }
}
