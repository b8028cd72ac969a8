//! A progress line on stderr: how much is done, the rate, the remaining time, and what is being waited for.
//!
//! Only shown on a terminal and without `--quiet`.

use std::time::Duration;

use aris_cli::Context;
use aris_sources::Event;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// The line appears after this time, because quick work needs no progress.
const PATIENCE: Duration = Duration::from_millis(400);

/// The progress line. Clones share the same line.
#[derive(Clone, Debug)]
pub struct Progress {
    bar: ProgressBar,
}

impl Progress {
    /// A line for `total` steps, or for an unknown number.
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
        // The template is a constant; a wrong one would show the default bar.
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        Self { bar }
    }

    /// No progress line.
    pub fn silent() -> Self {
        Self {
            bar: ProgressBar::hidden(),
        }
    }

    /// Counts one finished step.
    pub fn step(&self) {
        self.bar.inc(1);
    }

    /// Hides the line while `write` writes to the terminal.
    pub fn around(&self, write: impl FnOnce()) {
        self.bar.suspend(write);
    }

    /// Removes the line, before the answer is printed.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }

    /// Shows an event of the client.
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
