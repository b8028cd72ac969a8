//! What a diff shows of the files that it touches, and which of their sentences are new.

use std::collections::{BTreeMap, BTreeSet};

use aris_paper::titles;
use aris_review::DiffFile;
use aris_statements::prose::{Excerpt, Prose};
use aris_statements::statement::{Statement, statements};

/// The lines of a file that the diff shows: now, and before.
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

/// A citation mark in words, and what it leads to.
type Cited = (String, Option<String>);

/// The sentences of a document by their words, each with whether it is cited, and what it cites.
pub(crate) struct Sentences(BTreeMap<String, Vec<(bool, Vec<Cited>)>>);

impl Sentences {
    /// The sentences of a document before the change.
    pub(crate) fn of(prose: &Prose) -> Self {
        let mut all: BTreeMap<String, Vec<_>> = BTreeMap::new();
        for one in statements(prose) {
            let cited = prose.sources(&one.sentence).into_iter();
            let cited = cited.map(|(mark, to)| (mark, to.map(str::to_owned)));
            let same = all.entry(words(prose, &one)).or_default();
            same.push((one.is_cited(), cited.collect()));
        }
        Self(all)
    }

    /// Whether the document before has this sentence, and it is cited there if and only if it is cited now.
    fn has(&self, prose: &Prose, one: &Statement) -> bool {
        let same = self.0.get(&words(prose, one)).into_iter().flatten();
        same.map(|(cited, _)| *cited)
            .any(|cited| cited == one.is_cited())
    }

    /// For a sentence that cites another source than before, or one that is gone: the first such mark, what it led to, and what it leads
    /// to.
    pub(crate) fn replaced(
        &self,
        prose: &Prose,
        one: &Statement,
    ) -> Option<(&str, &str, Option<String>)> {
        let now = prose.sources(&one.sentence);
        let mut first = None;
        for (_, before) in self.0.get(&words(prose, one))? {
            let mut pairs = before.iter().zip(&now);
            let other = pairs.find_map(|((mark, before), (_, now))| {
                let before = before.as_ref()?;
                let is_other = now.is_none_or(|now| !is_same_source(before, now));
                is_other.then(|| (mark.as_str(), before.as_str(), now.map(str::to_owned)))
            });
            first = first.or(Some(other?));
        }
        first
    }

    /// The lines of new sentences: those with a line that the diff adds, and those that the document before does not have. Each line is
    /// mapped to the line that can carry a comment about it: itself, else the first line of the sentence that the diff shows.
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
            if self.has(prose, statement) && !lines.clone().any(is_new) {
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

fn words(prose: &Prose, statement: &Statement) -> String {
    let words: Vec<&str> = statement.text(prose).split_whitespace().collect();
    words.join(" ")
}

/// Whether two entries, addresses or footnotes name the same source: the same address, or words of which the one has all those of the
/// other, and at most twice as many. An empty text counts as the same source, because nothing is known of it.
fn is_same_source(one: &str, other: &str) -> bool {
    let address = |text: &str| {
        let (_, address) = text.split_once("://").filter(|_| !text.contains(' '))?;
        let address = address.trim_end_matches('/');
        // On arXiv, all versions of a paper are one source.
        let unversioned = address.trim_end_matches(|c: char| c.is_ascii_digit());
        let unversioned = unversioned.strip_suffix('v');
        let unversioned = unversioned.filter(|_| address.contains("arxiv.org/"));
        Some(unversioned.unwrap_or(address).to_owned())
    };
    if let (Some(one), Some(other)) = (address(one), address(other)) {
        return one == other;
    }
    let [one, other] = [one, other].map(titles::normalise);
    let [one, other] = [&one, &other].map(|text| text.split(' ').collect::<BTreeSet<_>>());
    let (few, many) = if one.len() < other.len() {
        (one, other)
    } else {
        (other, one)
    };
    few == BTreeSet::from([""]) || few.is_subset(&many) && few.len() * 2 >= many.len()
}
