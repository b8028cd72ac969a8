//! Sentences of running text, with their citation marks and with the later marks that cover them.

use std::ops::Range;

use aris_claims::stretches::Stretches;

use super::Prose;
use super::mark::Mark;
use super::passage::{MaskKind, Passage, PassageKind};
use crate::words;

/// One sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sentence {
    /// Index of the passage.
    pub passage: usize,
    /// Its byte range in the passage's text, without blanks around it.
    pub range: Range<usize>,
    /// Indices of its marks among the passage's, including those after its full stop.
    pub marks: Range<usize>,
    /// Whether a mark is in it or directly after it.
    pub marked: bool,
    /// Whether a later mark covers it.
    pub covered: bool,
}

impl Sentence {
    /// Whether it has a source.
    pub fn is_cited(&self) -> bool {
        self.marked || self.covered
    }

    /// The text as a reader sees it.
    pub fn text<'p>(&self, prose: &'p Prose) -> &'p str {
        let passage = prose.passages.get(self.passage);
        let text = passage.and_then(|passage| passage.text.get(self.range.clone()));
        text.unwrap_or("")
    }
}

/// Fewest words of a heading or cell that may be a sentence; shorter ones are names.
const LABEL: usize = 6;

/// The sentences of a document, in reading order. Skips formulas, lists of references, and headings and cells that are names or
/// numbers.
pub fn sentences(prose: &Prose) -> Vec<Sentence> {
    let mut all = Vec::new();
    for (at, passage) in prose.passages.iter().enumerate() {
        let is_text = match passage.kind {
            PassageKind::Text | PassageKind::Abstract | PassageKind::Caption => true,
            PassageKind::Heading | PassageKind::Cell => {
                let words = passage.text.split_whitespace();
                words.filter(|word| has_words(word)).count() >= LABEL
            }
            PassageKind::Other => false,
        };
        if is_text {
            all.extend(of_passage(at, passage, prose.marks_of(at)));
        }
    }
    all
}

fn of_passage(at: usize, passage: &Passage, marks: &[Mark]) -> Vec<Sentence> {
    let text = passage.text.as_str();
    let stretches: Stretches = marks.iter().map(|mark| mark.range.clone()).collect();
    let mut found: Vec<Sentence> = Vec::new();
    let mut next = 0;
    let code = passage.masked(&[MaskKind::Code]);
    for range in split(text, &stretches, &code) {
        let mut own = Vec::new();
        let first = next;
        while let Some(mark) = marks.get(next)
            && (mark.range.start < range.end
                || mark.range.is_empty() && mark.range.start == range.end)
        {
            if !mark.range.is_empty() {
                own.push(mark.range.clone());
            }
            next += 1;
        }
        let marked = first < next;
        let range = trimmed(text, range);
        let alone = marked && only_marks(text, &range, &own);
        if alone {
            cover(&mut found, text);
            if let Some(last) = found.last_mut() {
                last.marks.end = next;
            }
        } else if !range.is_empty() {
            let lower = text.get(range.clone()).unwrap_or("").to_lowercase();
            if marked
                && words::opens("back", &lower)
                && !words::has("against", &lower)
                && !words::has("we", &lower)
            {
                // "Both steps have been followed by …" refers to two sentences.
                let count = if lower.starts_with("both ") { 2 } else { 1 };
                for sentence in found.iter_mut().rev().take(count) {
                    sentence.covered = true;
                }
            }
            let goes_on = |last: &Sentence| goes_on_about(text, last, &lower);
            let covered = !marked && found.last().is_some_and(goes_on);
            found.push(Sentence {
                passage: at,
                range,
                marks: first..next,
                marked,
                covered,
            });
        }
    }
    found
}

/// "Their data come from …" after a marked sentence that is not about the authors: the mark covers both.
fn goes_on_about(text: &str, last: &Sentence, lower: &str) -> bool {
    let before = text.get(last.range.clone()).unwrap_or("").to_lowercase();
    last.marked
        && (words::opens("onward", lower) || any(lower, &["their"]))
        && !words::has("anew", lower)
        && !words::has("we", lower)
        && !any(&before, &["our", "ours"])
}

fn any(text: &str, wanted: &[&str]) -> bool {
    text.split(|c: char| !c.is_alphanumeric())
        .any(|word| wanted.contains(&word))
}

/// A mark alone at the end covers the sentences since the previous mark, except those that contain a digit.
fn cover(found: &mut [Sentence], text: &str) {
    // The mark directly follows the last sentence, so it belongs to it in any case.
    if let Some(last) = found.last_mut() {
        last.marked = true;
    }
    for sentence in found.iter_mut().rev().skip(1) {
        if sentence.marked {
            break;
        }
        let own = text.get(sentence.range.clone()).unwrap_or("");
        sentence.covered |= !own.bytes().any(|byte| byte.is_ascii_digit());
    }
}

fn trimmed(text: &str, range: Range<usize>) -> Range<usize> {
    let whole = text.get(range.clone()).unwrap_or("");
    let start = range.start + (whole.len() - whole.trim_start().len());
    start..(start + whole.trim().len())
}

fn only_marks(text: &str, range: &Range<usize>, marks: &[Range<usize>]) -> bool {
    let mut at = range.start;
    for mark in marks {
        if text.get(at..mark.start).is_none_or(has_words) {
            return false;
        }
        at = mark.end;
    }
    !has_words(text.get(at..range.end).unwrap_or(""))
}

fn has_words(text: &str) -> bool {
    text.chars().any(char::is_alphanumeric)
}

/// Byte ranges of the sentences, in order; together they cover the whole text.
fn split(text: &str, marks: &Stretches, code: &Stretches) -> Vec<Range<usize>> {
    let mut out = Vec::new();
    let mut start = 0;
    for (at, _) in text.match_indices(['.', '!', '?']) {
        if at < start || marks.contains(at) {
            continue;
        }
        let Some(end) = ends(text, start, at, marks, code) else {
            continue;
        };
        out.push(start..end);
        start = end;
    }
    if start < text.len() || out.is_empty() {
        out.push(start..text.len());
    }
    out
}

/// The end of the sentence whose full stop is at `at`; `None` when the sentence continues.
fn ends(text: &str, start: usize, at: usize, marks: &Stretches, code: &Stretches) -> Option<usize> {
    let mut end = at + 1;
    loop {
        // Skip closing quotes, and marks after the full stop: "as shown.[3] Next".
        let rest = text.get(end..)?;
        if let Some(mark) = marks.at(end) {
            end = mark.end;
        } else if let Some(c) = rest.chars().next().filter(|c| ")\"'”’]*_".contains(*c)) {
            end += c.len_utf8();
        } else {
            break;
        }
    }
    let rest = text.get(end..)?;
    if !rest.starts_with(char::is_whitespace) {
        return None;
    }
    let gap = rest.len() - rest.trim_start().len();
    let next = rest.trim_start().chars().next()?;
    let begins = next.is_uppercase() || next.is_ascii_digit() || "[(§“\"\\‘@$*".contains(next);
    // The next sentence may begin in lower case with a mark ("[3] shows") or with a command's name.
    let begins = begins || marks.contains(end + gap) || code.contains(end + gap);
    let before = text.get(start..at)?;
    (begins && !goes_on(text, at, before)).then_some(end)
}

/// Whether the sentence continues after this full stop: abbreviations and initials do not end one.
fn goes_on(text: &str, at: usize, before: &str) -> bool {
    let mut words = before.rsplit(|c: char| c.is_whitespace() || "([~".contains(c));
    let last = words.next().unwrap_or("");
    let dotted = last.contains('.')
        && last
            .split('.')
            .all(|part| part.chars().count() == 1 && part.chars().all(char::is_alphabetic));
    let initial = last.chars().count() == 1 && last.chars().all(char::is_uppercase);
    // In "a write costs 1.1 J. Next" the letter is a unit, not an initial.
    let unit = last.chars().count() == 1
        && before
            .strip_suffix(last)
            .is_some_and(|before| before.trim_end().ends_with(|c: char| c.is_ascii_digit()));
    text.get(at..).is_some_and(|rest| rest.starts_with('.'))
        && !unit
        && (words::is("abbreviations", last) || initial || dotted)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (Prose, Vec<Sentence>) {
        let prose = Prose::read("a.md", text, &mut |_: &str| aris_latex::Loaded::Absent).unwrap();
        let found = sentences(&prose);
        (prose, found)
    }

    #[test]
    fn sentences_end_where_readers_see_it() {
        for (text, expected) in [
            ("One. Two.", &["One.", "Two."][..]),
            (
                "See e.g. Fig. 3 and Sec. 2. It holds.",
                &["See e.g. Fig. 3 and Sec. 2.", "It holds."],
            ),
            (
                "Smith et al. (2020) ran it. J. R. Lee did not.",
                &["Smith et al. (2020) ran it.", "J. R. Lee did not."],
            ),
            (
                "It is 3.5 times. And 4.2 more.",
                &["It is 3.5 times.", "And 4.2 more."],
            ),
            ("As shown.[3] Next one.", &["As shown.[3]", "Next one."]),
            ("As is. [3] shows more.", &["As is.", "[3] shows more."]),
            ("In the U.S. Army it is.", &["In the U.S. Army it is."]),
            ("He said “so.” We did.", &["He said “so.”", "We did."]),
            ("A question? Yes!", &["A question?", "Yes!"]),
        ] {
            let (prose, found) = read(text);
            let texts: Vec<&str> = found.iter().map(|sentence| sentence.text(&prose)).collect();
            assert_eq!(texts, expected, "{text}");
        }
    }

    #[test]
    fn marks_cover_their_sentence_and_those_before_one_that_stands_alone() {
        for (text, expected) in [
            ("A is so [3]. B is not.", &[true, false][..]),
            ("A is so. B is so. [3]", &[true, true]),
            ("A is 5. B is so. [3]", &[false, true]),
            ("A is so. This was shown by [3].", &[true, true]),
            ("A is so. Others did B [3].", &[false, true]),
            ("A is so.[3] B is not.", &[true, false]),
            ("A is so[^1].\n\n[^1]: Lee, Title, 2020.", &[true, false]),
            ("A is so[^1].\n\n[^1]: only on Sundays.", &[false, false]),
            ("A is [so](https://example.org/paper).", &[true]),
        ] {
            let (_, found) = read(text);
            let cited: Vec<bool> = found.iter().map(Sentence::is_cited).collect();
            assert_eq!(cited, expected, "{text}");
        }
    }
}
