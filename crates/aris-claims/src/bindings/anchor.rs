//! Anchors: stretches of a source with their numbers marked, found again after the numbers have changed.
//!
//! Anchor and source are compared after comments are removed and white space and `~` are folded. A mark stands for whatever reads
//! as one number between the text before and after it.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::number;

/// Bytes of a number in the source: `\SI[separate-uncertainty]{1.234567e-12}{\kilo\gram\per\cubic\metre}` has 71.
const LONGEST_NUMBER: usize = 160;

/// Marks in one anchor. A sentence of 800 numbers is a table.
const MOST_MARKS: usize = 1_000;

/// Steps of the search for one anchor in one file: bounds hostile anchors such as one of a thousand marks between commas.
const MOST_STEPS: usize = 200_000;

/// A stretch of a file with marked numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Anchor {
    /// The file, relative to the folder of `claims.toml`.
    pub file: String,
    /// Which of several fits is meant, from 1.
    pub nth: Option<usize>,
    /// The text as written, with its marks.
    pub text: String,
    /// The folded text around the marks; one more than there are marks.
    pieces: Vec<String>,
}

/// One place where an anchor fits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fit<N> {
    /// Bytes of the whole anchor in the file.
    pub(crate) whole: Range<usize>,
    /// What was read at each mark.
    pub(crate) numbers: Vec<N>,
}

/// Why an anchor has no single place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Lost {
    /// Its words stand nowhere.
    Gone,
    /// Its words stand somewhere; at a mark stands no number.
    NoNumber,
    /// It fits only where readers do not see it.
    Unseen,
    /// It fits this often.
    Several(usize),
}

impl Anchor {
    /// Reads an anchor. **Errors**: what is wrong with its marks.
    pub fn new(file: &str, text: &str, nth: Option<usize>) -> Result<Self, String> {
        let is_tex = is_tex(file);
        let mut pieces = Vec::new();
        let mut piece = String::new();
        let mut rest = text;
        while let Some(at) = rest.find("[[") {
            let brackets = rest.get(at..).unwrap_or("");
            let count = brackets.bytes().take_while(|byte| *byte == b'[').count();
            let open = at + count;
            piece.push_str(rest.get(..open - 2).unwrap_or(""));
            let inner = rest.get(open..).unwrap_or("");
            let Some(close) = inner.find("]]") else {
                return Err(String::from("a mark `[[` has no `]]`"));
            };
            if inner
                .get(..close)
                .is_none_or(|inner| inner.trim().is_empty())
            {
                return Err(String::from("a mark is empty; write the number into it"));
            }
            pieces.push(std::mem::take(&mut piece));
            rest = inner.get(close + 2..).unwrap_or("");
        }
        piece.push_str(rest);
        pieces.push(piece);
        let last = pieces.len() - 1;
        if last > MOST_MARKS {
            return Err(format!("{last} marks; at most {MOST_MARKS} are read"));
        }
        let mut folded: Vec<String> = pieces
            .iter()
            .map(|piece| Folded::new(piece, is_tex).text)
            .collect();
        if let Some(first) = folded.first_mut() {
            *first = first.trim_start().to_owned();
        }
        if let Some(last) = folded.last_mut() {
            *last = last.trim_end().to_owned();
        }
        let inner = folded.get(1..last).unwrap_or_default();
        if inner.iter().any(String::is_empty) {
            return Err(String::from(
                "two marks touch; something must stand between them",
            ));
        }
        if folded.iter().all(|piece| piece.trim().is_empty()) {
            return Err(String::from(
                "`text` has no words around its marks to find them by",
            ));
        }
        Ok(Self {
            file: file.to_owned(),
            nth,
            text: text.to_owned(),
            pieces: folded,
        })
    }

    /// Number of marks.
    pub fn marks(&self) -> usize {
        self.pieces.len() - 1
    }

    /// The one place where the anchor fits. `read` says what number a stretch of the file is; `counts` whether a fit is one that
    /// readers see.
    pub(crate) fn find<N>(
        &self,
        source: &Folded,
        read: &dyn Fn(Range<usize>) -> Option<N>,
        counts: &dyn Fn(Range<usize>) -> bool,
    ) -> Result<Fit<N>, Lost> {
        let mut fits = Vec::new();
        let mut search = Search {
            anchor: self,
            source,
            read,
            steps: MOST_STEPS,
            dead: BTreeSet::new(),
        };
        let begin = self.pieces.first().map_or("", String::as_str);
        if begin.is_empty() {
            let next = self.pieces.get(1).map_or("", String::as_str);
            for at in places(&source.text, next) {
                if let Some(fit) = search.before(at) {
                    fits.push(fit);
                }
            }
        } else {
            for at in places(&source.text, begin) {
                if let Some((numbers, end)) = search.after(1, at + begin.len()) {
                    let whole = source.source(at..end);
                    fits.push(Fit { whole, numbers });
                }
            }
        }
        let found = fits.len();
        fits.retain(|fit| counts(fit.whole.clone()));
        match (fits.len(), self.nth) {
            (0, _) if found > 0 => Err(Lost::Unseen),
            (0, _) if self.has_words(source) => Err(Lost::NoNumber),
            (0, _) => Err(Lost::Gone),
            (1, None | Some(1)) => fits.pop().ok_or(Lost::Gone),
            (count, Some(nth)) if nth <= count => fits.into_iter().nth(nth - 1).ok_or(Lost::Gone),
            (count, _) => Err(Lost::Several(count)),
        }
    }

    /// Whether all its words stand one after the other in the source.
    fn has_words(&self, source: &Folded) -> bool {
        let mut rest = source.text.as_str();
        self.pieces.iter().all(|piece| {
            let Some(at) = rest.find(piece.as_str()) else {
                return false;
            };
            rest = rest.get(at + piece.len()..).unwrap_or("");
            true
        })
    }
}

/// Every place of a piece, overlapping ones included.
fn places<'t>(text: &'t str, piece: &'t str) -> impl Iterator<Item = usize> + 't {
    let mut from = 0;
    std::iter::from_fn(move || {
        if piece.is_empty() {
            return None;
        }
        let at = from + text.get(from..)?.find(piece)?;
        let step = text.get(at..)?.chars().next().map_or(1, char::len_utf8);
        from = at + step;
        Some(at)
    })
}

struct Search<'s, N> {
    anchor: &'s Anchor,
    source: &'s Folded,
    read: &'s dyn Fn(Range<usize>) -> Option<N>,
    steps: usize,
    /// Marks and the places from which the rest of the anchor does not fit.
    dead: BTreeSet<(usize, usize)>,
}

impl<N> Search<'_, N> {
    fn number(&mut self, folded: Range<usize>) -> Option<N> {
        self.steps = self.steps.checked_sub(1)?;
        let text = self.source.text.get(folded.clone())?;
        let trimmed = text.trim();
        if trimmed.is_empty() || trimmed.len() > LONGEST_NUMBER {
            return None;
        }
        // Without markup the text prints itself, which is quicker to look at.
        let words = !trimmed.contains(' ') || trimmed.contains(char::is_alphabetic);
        if words
            && !trimmed.contains(['\\', '$', '{', '}', '-', '`'])
            && number::whole(trimmed).is_none()
        {
            return None;
        }
        (self.read)(self.source.source(folded))
    }

    /// The numbers from a mark on, whose text begins at `from`, and the end of the anchor.
    fn after(&mut self, mark: usize, from: usize) -> Option<(Vec<N>, usize)> {
        let mut numbers: Vec<N> = Vec::new();
        // Where each mark read so far begins, and the ends that are still to be tried for it, nearest first.
        let mut open: Vec<(usize, Vec<usize>)> = Vec::new();
        let mut at = from;
        loop {
            let here = mark + open.len();
            if here >= self.anchor.pieces.len() {
                return Some((numbers, at));
            }
            let ends = if self.dead.contains(&(here, at)) {
                Vec::new()
            } else {
                self.ends(here, at)
            };
            open.push((at, ends));
            loop {
                let (start, ends) = open.last_mut()?;
                let start = *start;
                let Some(end) = ends.pop() else {
                    self.dead.insert((mark + open.len() - 1, start));
                    open.pop();
                    numbers.pop();
                    if open.is_empty() || self.steps == 0 {
                        return None;
                    }
                    continue;
                };
                if let Some(number) = self.number(start..end) {
                    let piece = mark + open.len() - 1;
                    numbers.push(number);
                    at = end + self.anchor.pieces.get(piece).map_or(0, String::len);
                    break;
                }
            }
        }
    }

    /// Where the number of a mark that begins at `from` may end, the nearest first.
    fn ends(&self, mark: usize, from: usize) -> Vec<usize> {
        let text = &self.source.text;
        let piece = self.anchor.pieces.get(mark).map_or("", String::as_str);
        let limit = text.floor_char_boundary(from + LONGEST_NUMBER);
        if piece.is_empty() {
            return (from + 1..=limit)
                .filter(|at| text.is_char_boundary(*at))
                .collect();
        }
        let window = text.floor_char_boundary(limit + piece.len());
        let Some(window) = text.get(from..window) else {
            return Vec::new();
        };
        places(window, piece)
            .filter(|at| *at > 0)
            .map(|at| from + at)
            .collect()
    }

    /// A fit whose first mark ends at `end`, with the longest number that does.
    fn before(&mut self, end: usize) -> Option<Fit<N>> {
        let next = self.anchor.pieces.get(1).map_or(0, String::len);
        let first = self
            .source
            .text
            .ceil_char_boundary(end.saturating_sub(LONGEST_NUMBER));
        let starts: Vec<usize> = (first..end)
            .filter(|at| self.source.text.is_char_boundary(*at))
            .collect();
        for start in starts {
            let Some(number) = self.number(start..end) else {
                continue;
            };
            let (rest, anchor_end) = self.after(2, end + next)?;
            let mut numbers = vec![number];
            numbers.extend(rest);
            return Some(Fit {
                whole: self.source.source(start..anchor_end),
                numbers,
            });
        }
        None
    }
}

/// A text without comments, its white space and `~` folded, and the way back to the source.
#[derive(Debug, Clone, Default)]
pub(crate) struct Folded {
    pub(crate) text: String,
    /// Folded offset and source offset where a run of unchanged text begins.
    runs: Vec<(usize, usize)>,
    length: usize,
}

impl Folded {
    pub(crate) fn new(source: &str, is_tex: bool) -> Self {
        let mut out = Self {
            length: source.len(),
            ..Self::default()
        };
        let mut chars = source.char_indices().peekable();
        let mut unbroken = false;
        let mut space = None;
        while let Some((at, c)) = chars.next() {
            if is_tex && c == '%' {
                // A comment takes its line end and the blanks that begin the next line with it.
                while chars.next_if(|(_, c)| *c != '\n').is_some() {}
                chars.next();
                while chars.next_if(|(_, c)| matches!(c, ' ' | '\t')).is_some() {}
                unbroken = false;
                continue;
            }
            if c.is_whitespace() || is_tex && c == '~' {
                space = space.or(Some(at));
                unbroken = false;
                continue;
            }
            if let Some(first) = space.take() {
                out.runs.push((out.text.len(), first));
                out.text.push(' ');
            }
            if !unbroken {
                out.runs.push((out.text.len(), at));
                unbroken = true;
            }
            out.text.push(c);
            if is_tex && c == '\\' {
                // `\%` is no comment and `\~` no space.
                if let Some((_, escaped)) = chars.next_if(|(_, c)| !c.is_whitespace()) {
                    out.text.push(escaped);
                }
            }
        }
        if let Some(first) = space {
            out.runs.push((out.text.len(), first));
            out.text.push(' ');
        }
        out
    }

    /// The stretch of the source that a folded stretch stands for.
    pub(crate) fn source(&self, folded: Range<usize>) -> Range<usize> {
        let start = self.offset(folded.start);
        let end = match folded.end.checked_sub(1) {
            Some(last) if last >= folded.start => {
                let width = self
                    .text
                    .get(self.text.floor_char_boundary(last)..)
                    .and_then(|rest| rest.chars().next())
                    .map_or(1, char::len_utf8);
                self.offset(self.text.floor_char_boundary(last)) + width
            }
            _ => start,
        };
        start..end.min(self.length)
    }

    /// Where a place of the source stands in the folded text; for one that was folded away, where the text goes on.
    pub(crate) fn at(&self, source: usize) -> usize {
        let after = self.runs.partition_point(|(_, at)| *at <= source);
        let end = self.runs.get(after).map_or(self.text.len(), |(at, _)| *at);
        match after.checked_sub(1).and_then(|at| self.runs.get(at)) {
            Some((folded, at)) => (folded + (source - at)).min(end),
            None => 0,
        }
    }

    fn offset(&self, folded: usize) -> usize {
        let after = self.runs.partition_point(|(at, _)| *at <= folded);
        match after.checked_sub(1).and_then(|at| self.runs.get(at)) {
            Some((at, source)) => source + (folded - at),
            None => folded,
        }
    }
}

/// Whether a file is LaTeX by its name, with comments and `~`.
pub(crate) fn is_tex(path: &str) -> bool {
    let extension = path.rsplit_once('.').map_or("", |(_, extension)| extension);
    let plain = ["md", "markdown", "txt", "rst"];
    !plain
        .iter()
        .any(|known| known.eq_ignore_ascii_case(extension))
}

/// A path relative to the paper folder, without `.` and `..` where they can be resolved.
pub(crate) fn joined(folder: &str, file: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in folder.split('/').chain(file.split('/')) {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::number::whole;

    fn find(anchor: &str, source: &str) -> Result<Vec<String>, Lost> {
        let folded = Folded::new(source, true);
        let anchor = Anchor::new("a.tex", anchor, None).unwrap();
        let read = |range: Range<usize>| {
            let text = source.get(range)?;
            whole(text.trim()).map(|_| text.trim().to_owned())
        };
        anchor
            .find(&folded, &read, &|_| true)
            .map(|fit| fit.numbers)
    }

    #[test]
    fn marks_are_whole_numbers_between_their_neighbours() {
        for (anchor, source, expected) in [
            (
                "from [[12.4]] to [[9.1]] ms",
                "falls from 13.4\n to~9.2 ms.",
                vec!["13.4", "9.2"],
            ),
            ("tau=[[0.8]].", "x tau=0.85. y", vec!["0.85"]),
            (r"\{[[100]],[[500]]\}", r"n \{100,500\}", vec!["100", "500"]),
            ("[[60.0]] non", "x 61.5 non-Hispanic", vec!["61.5"]),
            ("15.1 [[[14.3]], 15.9]", "15.1 [14.2, 15.9]", vec!["14.2"]),
            ("14.3, [[15.9]]]", "[14.3, 16.0]", vec!["16.0"]),
            ("to [[9.1]]", "falls to 9.25 ms", vec!["9.25"]),
            (
                "([[25]]th Aug, [[5]]th)",
                "(25th Aug, 6th)",
                vec!["25", "6"],
            ),
            ("a [[5]] b", "a 6 % comment 7\n b", vec!["6"]),
        ] {
            let found = find(anchor, source).unwrap_or_else(|lost| panic!("{anchor}: {lost:?}"));
            assert_eq!(found, expected, "{anchor}");
        }
        assert_eq!(find("a [[5]]", "a 5 and a 6"), Err(Lost::Several(2)));
        assert_eq!(find("a [[5]] b", "a five c"), Err(Lost::Gone));
        assert_eq!(find("an [[5]] b", "an x b"), Err(Lost::NoNumber));
    }

    #[test]
    fn anchors_need_words_and_whole_marks() {
        for text in ["[[5", "[[]]", "[[5]]", "[[5]] [[6]]", "a [[5]][[6]]"] {
            assert!(Anchor::new("a.tex", text, None).is_err(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn an_anchor_made_of_a_stretch_is_found_there(before in "[a-z ]{1,20}x", number in "[1-9][0-9]{0,3}(\\.[0-9]{1,3})?", after in "y[a-z ,.]{0,20}") {
            let source = format!("Intro. {before} {number} {after} end");
            let anchor = format!("{before} [[{number}]] {after}");
            prop_assert_eq!(find(&anchor, &source), Ok(vec![number]));
        }

        #[test]
        fn folding_keeps_the_way_back(source in "[a-c%~ \\n\\\\é]{0,40}") {
            let folded = Folded::new(&source, true);
            for (at, c) in folded.text.char_indices().filter(|(_, c)| *c != ' ') {
                let range = folded.source(at..at + c.len_utf8());
                prop_assert_eq!(source.get(range).map(str::to_owned), Some(c.to_string()));
            }
        }

        #[test]
        fn no_anchor_and_no_source_makes_it_panic(anchor in "[\\[\\]a1, ]{0,30}", source in "[\\[\\]a1, ]{0,60}") {
            if let Ok(anchor) = Anchor::new("a.tex", &anchor, None) {
                let folded = Folded::new(&source, true);
                let read = |range: Range<usize>| whole(source.get(range)?.trim());
                let _found = anchor.find(&folded, &read, &|_| true);
            }
        }
    }
}
