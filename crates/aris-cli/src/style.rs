//! Colour and width of text for people.

use anstyle::{AnsiColor, Effects};

/// How text for people may look on one stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    colour: bool,
    width: usize,
}

impl Style {
    /// Width when the stream is not a terminal.
    pub const WIDTH: usize = 100;

    /// No colour, [`Style::WIDTH`] columns.
    pub const fn plain() -> Self {
        Self {
            colour: false,
            width: Self::WIDTH,
        }
    }

    #[cfg(test)]
    pub(crate) const fn coloured() -> Self {
        Self {
            colour: true,
            width: Self::WIDTH,
        }
    }

    /// Whether text may be coloured.
    pub(crate) const fn has_colour(self) -> bool {
        self.colour
    }

    pub(crate) fn terminal(no_colour: bool) -> Self {
        let width =
            terminal_size::terminal_size().map_or(Self::WIDTH, |(width, _)| usize::from(width.0));
        Self {
            colour: !no_colour,
            width: width.max(40),
        }
    }

    /// Width in columns.
    pub const fn width(self) -> usize {
        self.width
    }

    /// `text` in bold.
    pub fn bold(self, text: &str) -> String {
        self.paint(anstyle::Style::new().effects(Effects::BOLD), text)
    }

    /// `text` in the style of an error.
    pub fn bad(self, text: &str) -> String {
        self.paint(AnsiColor::Red.on_default().effects(Effects::BOLD), text)
    }

    /// `text` in the style of a doubtful result.
    pub fn doubtful(self, text: &str) -> String {
        self.paint(AnsiColor::Yellow.on_default(), text)
    }

    /// `text` in the style of a good result.
    pub fn good(self, text: &str) -> String {
        self.paint(AnsiColor::Green.on_default(), text)
    }

    /// `text` in the style of an aside.
    pub fn dim(self, text: &str) -> String {
        self.paint(anstyle::Style::new().effects(Effects::DIMMED), text)
    }

    fn paint(self, style: anstyle::Style, text: &str) -> String {
        if self.colour {
            format!("{style}{text}{style:#}")
        } else {
            text.to_owned()
        }
    }
}
