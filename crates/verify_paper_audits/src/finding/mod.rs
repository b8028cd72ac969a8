//! The gate's findings.

mod id;

use std::collections::BTreeMap;

use aris_latex::SourceFile;
use serde::Serialize;

pub(crate) use id::{FindingId, Severity};

/// One line of a source file, for people.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub(crate) struct SourceLine {
    /// Line, from 1.
    pub line: usize,
    /// Its text; of a long line 240 characters.
    pub text: String,
}

impl SourceLine {
    /// Longest quote of a line, in characters: a line of a paper fits, and a line of minified data does not flood the report.
    pub(crate) const MAX: usize = 240;
    /// Lines quoted before and after the finding's line.
    const AROUND: usize = 1;

    /// The line of `text` that a finding is about, with its neighbours unless they are blank.
    ///
    /// Of a long line, the part around `column` is quoted. The time does not depend on the position of the line.
    pub(crate) fn around(text: &SourceFile, line: usize, column: usize) -> Vec<Self> {
        let numbers = line.saturating_sub(Self::AROUND).max(1)..=line.saturating_add(Self::AROUND);
        let lines = numbers.map(|number| (number, text.line(number)));
        let lines = lines.filter(|(number, text)| *number == line || !text.trim().is_empty());
        lines
            .map(|(number, text)| {
                let column = if number == line { column } else { 1 };
                Self {
                    line: number,
                    text: cut(text, column),
                }
            })
            .collect()
    }
}

/// Longest line whose characters are counted, in bytes. Paragraphs written on one line are far shorter.
const COUNTED: usize = 64 << 10;

/// At most [`SourceLine::MAX`] characters of a line: the first ones, or those around `column` if it is further right.
fn cut(line: &str, column: usize) -> String {
    let skipped = if column > SourceLine::MAX {
        column - SourceLine::MAX / 2
    } else {
        0
    };
    // Counting characters is cheap here only for short lines; a longer line is machine output, and its bytes count as characters.
    let start = if line.len() <= COUNTED {
        line.char_indices()
            .nth(skipped)
            .map_or(line.len(), |(at, _)| at)
    } else {
        line.floor_char_boundary(skipped)
    };
    let mut characters = line.get(start..).unwrap_or("").chars();
    let mut shown: String = if skipped > 0 {
        String::from("…")
    } else {
        String::new()
    };
    shown.extend(characters.by_ref().take(SourceLine::MAX));
    if characters.next().is_some() {
        shown.push('…');
    }
    shown
}

/// One thing that is wrong, with its evidence and what clears it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub(crate) struct Finding {
    /// What was proved.
    pub id: FindingId,
    /// Its weight under the policy in force.
    pub severity: Severity,
    /// Skill of the audit it is about; absent when it is about the paper as a whole.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub audit: Option<String>,
    /// File it is about, relative to the paper directory; absolute outside the project.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Line in that file, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// Column in that line, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<usize>,
    /// What is wrong, one sentence without final stop.
    pub message: String,
    /// Facts behind it: `expected`, `found`, `recorded_at` and the like.
    pub evidence: BTreeMap<String, String>,
    /// The source lines it is about.
    pub context: Vec<SourceLine>,
    /// What clears it, in words.
    pub fix: String,
    /// What clears it, as a command.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// The string that readers of the older report expect in `issues`.
    #[serde(skip)]
    pub issue: String,
    /// The weight that it has under any policy; a policy may give it more.
    #[serde(skip)]
    pub floor: Severity,
}

impl Finding {
    /// A finding of weight [`Severity::Block`], until the policy sets its weight.
    pub(crate) fn new(id: FindingId, message: impl Into<String>, fix: impl Into<String>) -> Self {
        Self {
            id,
            severity: Severity::Block,
            audit: None,
            file: None,
            line: None,
            column: None,
            message: message.into(),
            evidence: BTreeMap::new(),
            context: Vec::new(),
            fix: fix.into(),
            command: None,
            issue: id.word().to_owned(),
            floor: Severity::Info,
        }
    }

    /// Sets the file.
    #[must_use]
    pub(crate) fn file(mut self, file: impl Into<String>) -> Self {
        self.file = Some(file.into());
        self
    }

    /// Sets line and column, and quotes the line from `text`.
    #[must_use]
    pub(crate) fn at(mut self, place: Option<(usize, usize)>, text: &SourceFile) -> Self {
        if let Some((line, column)) = place {
            self.line = Some(line);
            self.column = Some(column.max(1));
            self.context = SourceLine::around(text, line, column);
        }
        self
    }

    /// Adds evidence.
    #[must_use]
    pub(crate) fn evidence(mut self, name: &str, value: impl Into<String>) -> Self {
        self.evidence.insert(name.to_owned(), value.into());
        self
    }

    /// Sets the string for `issues`.
    #[must_use]
    pub(crate) fn issue(mut self, issue: impl Into<String>) -> Self {
        self.issue = issue.into();
        self
    }

    /// Sets the lowest weight; a policy can only raise it.
    #[must_use]
    pub(crate) const fn at_least(mut self, floor: Severity) -> Self {
        self.floor = floor;
        self
    }

    /// File, line and column in the format of editors; empty without a file.
    pub(crate) fn place(&self) -> String {
        let mut place = self.file.clone().unwrap_or_default();
        for number in [self.line, self.column].into_iter().flatten() {
            place.push(':');
            place.push_str(&number.to_string());
        }
        place
    }

    /// Sort key for the findings of one audit.
    pub(crate) fn order(&self) -> impl Ord + '_ {
        (
            std::cmp::Reverse(self.severity),
            self.id,
            &self.file,
            self.line,
            self.column,
            &self.message,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn context_is_the_line_with_its_neighbours() {
        let text = format!("one\r\ntwo\n\n{}\n", "x".repeat(1000));
        let text = SourceFile::new("x", text.into());
        let lines = |line| {
            SourceLine::around(&text, line, 1)
                .iter()
                .map(|line| line.line)
                .collect::<Vec<_>>()
        };
        assert_eq!(
            (lines(1), lines(2), lines(4)),
            (vec![1, 2], vec![1, 2], vec![4])
        );
        assert_eq!(SourceLine::around(&text, 1, 1)[0].text, "one");
        let accents = SourceFile::new("x", format!("{}here", "é".repeat(300)).into());
        let shown = &SourceLine::around(&accents, 1, 300)[0].text;
        assert_eq!(*shown, format!("…{}here", "é".repeat(120)));
        for (column, length) in [
            (1, SourceLine::MAX + 1),
            (SourceLine::MAX, SourceLine::MAX + 1),
            (500, SourceLine::MAX + 2),
            (1000, 121),
            (5000, 1),
        ] {
            assert_eq!(
                SourceLine::around(&text, 4, column)[0].text.chars().count(),
                length,
                "{column}"
            );
        }
    }
}
