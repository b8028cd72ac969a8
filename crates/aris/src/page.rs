//! The data product of `aris` itself: a text, and for the front door the helpers in it.

use std::fmt::Write as _;
use std::io::{self, Write};

use aris_cli::{Product, Style};
use serde::Serialize;

use crate::SPEC;
use crate::table::GROUPS;

pub(crate) const SCHEMA: &str = aris_contract::schema::id::PAGE;

/// What the text is.
#[derive(Clone, Copy, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub(crate) enum Kind {
    /// The list of helpers.
    FrontDoor,
    /// One helper's help.
    HelperHelp,
    /// Completions for a shell.
    Completions,
    /// A manual page, roff.
    Man,
    /// The path of the folder that holds the skills.
    Source,
    /// What the demo did.
    Demo,
}

/// A text for people, a shell or `man`.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Page {
    pub(crate) kind: Kind,
    /// The text, with its newlines.
    pub(crate) text: String,
    /// The helpers that a front door lists, in its order; otherwise empty.
    pub(crate) helpers: Vec<Listed>,
}

/// One line of the front door.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Listed {
    name: &'static str,
    /// The job it is for.
    job: &'static str,
    /// What it does, in one line.
    summary: &'static str,
}

impl Page {
    /// The list of all helpers on one screen: one line each, grouped by job.
    pub(crate) fn front_door() -> Self {
        let mut text = format!(
            "aris {}: helpers for research agents, by what they are for\n\n",
            SPEC.version
        );
        let mut helpers = Vec::new();
        let width = GROUPS.iter().flat_map(|group| group.entries);
        let width = width.map(|entry| entry.spec.name.len()).max().unwrap_or(0);
        for group in GROUPS {
            push(&mut text, format_args!("{}\n", group.title));
            for entry in group.entries {
                let (name, summary) = (entry.spec.name, entry.spec.summary);
                let brief = if entry.brief.is_empty() {
                    summary
                } else {
                    entry.brief
                };
                push(&mut text, format_args!("  {name:width$}  {brief}\n"));
                helpers.push(Listed {
                    name,
                    job: group.title,
                    summary,
                });
            }
        }
        text.push_str(
            "\naris HELPER ...         run it             aris help HELPER  all it can do\n\
             aris install PROJECT    add the skills     aris demo         see the gate work\n\
             aris completions SHELL  for your shell     aris man HELPER   a manual page\n\
             EXIT CODES: 0 done, 1 error, 2 usage, 5 disk, permissions; all: aris help HELPER\n",
        );
        Self {
            kind: Kind::FrontDoor,
            text,
            helpers,
        }
    }

    pub(crate) fn generated(kind: Kind, text: &[u8]) -> Self {
        let text = String::from_utf8_lossy(text).into_owned();
        Self {
            kind,
            text,
            helpers: Vec::new(),
        }
    }
}

fn push(text: &mut String, piece: std::fmt::Arguments<'_>) {
    // Writing to a String cannot fail.
    text.write_fmt(piece).unwrap_or_default();
}

impl Product for Page {
    fn schema(&self) -> &'static str {
        SCHEMA
    }

    fn render(&self, out: &mut dyn Write, _style: Style) -> io::Result<()> {
        out.write_all(self.text.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schemas_are_current() {
        aris_testkit::check_schema::<Page>(SCHEMA);
    }

    #[test]
    fn the_front_door_fits_a_screen() {
        // 80 columns; one line for each helper of the contract, plus the jobs, the head and the foot.
        let text = Page::front_door().text;
        assert!(text.lines().count() <= 38, "{text}");
        for line in text.lines() {
            assert!(line.chars().count() <= 80, "{line}");
        }
    }
}
