//! What a diff shows of the files that it touches, and which of their sentences it makes.

use std::collections::{BTreeMap, BTreeSet};

use aris_review::DiffFile;
use aris_statements::prose::{Excerpt, Prose};
use aris_statements::statement::{Statement, statements};

/// A file as far as the diff shows it: now, and before.
pub(crate) fn excerpts(file: &DiffFile) -> [Excerpt<'_>; 2] {
    let wide = |number: u32| usize::try_from(number).unwrap_or(usize::MAX);
    let now = file.lines.iter();
    let now = now.map(|line| (wide(line.number), line.text.as_str()));
    let before = file.shown_before().into_iter();
    let before = before.map(|(number, text)| (wide(number), text));
    [now.collect(), before.collect()].map(|lines| Excerpt {
        file: &file.path,
        lines,
    })
}

/// The sentences of a document, each with whether a source is named for it.
pub(crate) struct Sentences(BTreeSet<(String, bool)>);

impl Sentences {
    /// Those of a document as it was before.
    pub(crate) fn of(prose: &Prose) -> Self {
        let all = statements(prose);
        Self(all.iter().map(|one| sentence(prose, one)).collect())
    }

    /// The lines of the sentences of a document that are new: those with a line that the diff adds, and those that the document before does not
    /// have. For each line of its file the line that a comment about it can be put on: itself, else the first of the sentence that the diff shows.
    pub(crate) fn new_lines(
        &self,
        file: &DiffFile,
        prose: &Prose,
        statements: &[Statement],
    ) -> BTreeMap<u32, u32> {
        let mut new = BTreeMap::new();
        for statement in statements.iter().filter(|one| one.file == file.path) {
            let lines = lines(prose, statement);
            let is_new = |line: u32| file.line(line).is_some_and(|line| line.old.is_none());
            if self.0.contains(&sentence(prose, statement)) && !lines.clone().any(is_new) {
                continue;
            }
            let shown = lines.clone().find(|line| file.has_line(*line));
            for line in lines {
                let place = if file.has_line(line) {
                    line
                } else {
                    shown.unwrap_or(line)
                };
                new.insert(line, place);
            }
        }
        new
    }
}

/// The lines of a sentence, from 1.
pub(crate) fn lines(prose: &Prose, statement: &Statement) -> std::ops::RangeInclusive<u32> {
    let sentence = &statement.sentence;
    let last = sentence.range.end.saturating_sub(1);
    let end = prose.place(sentence.passage, last).line.max(statement.line);
    let narrow = |line: usize| u32::try_from(line).unwrap_or(u32::MAX);
    narrow(statement.line)..=narrow(end)
}

fn sentence(prose: &Prose, statement: &Statement) -> (String, bool) {
    let words: Vec<&str> = statement.text(prose).split_whitespace().collect();
    (words.join(" "), statement.is_cited())
}
