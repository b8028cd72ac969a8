//! Drawing in place on a terminal.

use std::io::{IsTerminal as _, Write as _};

use aris_cli::{Context, Style};

/// Size of a terminal that does not report one. **Source**: the VT100.
const USUAL: (usize, usize) = (80, 24);

/// Control sequences to switch to the alternate screen and back, so that the terminal is unchanged afterwards. **Source**: xterm's control
/// sequences: 1049 alternate screen, 25 cursor, 7 wrapping of lines.
const ENTER: &str = "\u{1b}[?1049h\u{1b}[?25l\u{1b}[?7l\u{1b}[2J";
const LEAVE: &str = "\u{1b}[?7h\u{1b}[?25h\u{1b}[?1049l";

/// A terminal on stderr.
pub(super) struct Screen {
    style: Style,
}

impl Screen {
    /// `None`: stderr is no terminal or cannot be drawn on, or the output is quiet.
    pub(super) fn open(context: &Context) -> Option<Self> {
        let able = context.env("TERM").is_some_and(|kind| kind != "dumb");
        if !able || context.is_quiet() || !std::io::stderr().is_terminal() {
            return None;
        }
        show(ENTER);
        Some(Self {
            style: context.stderr_style(),
        })
    }

    /// Replaces the screen by the lines that `lines` makes for its size.
    pub(super) fn draw(&self, lines: impl FnOnce((usize, usize), Style) -> Vec<String>) {
        let text = lines(size(), self.style).join("\u{1b}[K\r\n");
        show(&format!("\u{1b}[H{text}\u{1b}[K\u{1b}[J"));
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        show(LEAVE);
    }
}

/// Columns and rows of the terminal.
fn size() -> (usize, usize) {
    match rustix::termios::tcgetwinsize(std::io::stderr()) {
        Ok(size) if size.ws_col > 0 && size.ws_row > 0 => {
            (usize::from(size.ws_col), usize::from(size.ws_row))
        }
        _ => USUAL,
    }
}

fn show(text: &str) {
    // Failures are ignored, as for all messages to people.
    std::io::stderr()
        .write_all(text.as_bytes())
        .unwrap_or_default();
}
