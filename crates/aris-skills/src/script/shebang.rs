//! The first line of a script.

use crate::names;
use crate::text::Text;

/// A first line that begins with `#!`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shebang {
    /// The line after `#!`, unchanged, including a CR at its end.
    pub raw: String,
    /// The interpreter's name without its folder; with `env`, the program that `env` starts.
    pub program: String,
    /// The interpreter's arguments.
    pub args: Vec<String>,
    /// Whether the line ends in CR. The kernel takes it for a part of the interpreter's name.
    pub ends_in_cr: bool,
}

impl Shebang {
    /// The shebang of a text.
    pub fn of(text: &Text) -> Option<Self> {
        let end = text.start(2);
        let line = text.raw().get(..end)?.trim_end_matches('\n');
        let raw = line.strip_prefix("#!")?;
        let mut words = raw.split_whitespace();
        let mut program = names::file_name(words.next().unwrap_or_default());
        if program == "env" {
            // Options and assignments come before the program.
            program = words
                .find(|word| !word.starts_with('-') && !word.contains('='))
                .map(names::file_name)
                .unwrap_or_default();
        }
        Some(Self {
            program: program.to_owned(),
            args: words.map(str::to_owned).collect(),
            ends_in_cr: raw.ends_with('\r'),
            raw: raw.to_owned(),
        })
    }
}
