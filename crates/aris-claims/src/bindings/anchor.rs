//! Anchors: quotes from a source file with their numbers marked. They are found again after the numbers have changed.
//!
//! Anchor and source are compared with comments removed and white space and `~` folded. A mark matches any text between its
//! neighbours that reads as one number.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::number;

/// Most bytes of a number in the source: `\SI[separate-uncertainty]{1.234567e-12}{\kilo\gram\per\cubic\metre}` has 71.
const LONGEST_NUMBER: usize = 160;

/// Most marks in one anchor. A sentence of 800 numbers is a table.
const MOST_MARKS: usize = 1_000;

/// Most steps of the search for one anchor in one file. Stops hostile anchors, such as a thousand marks separated by commas.
const MOST_STEPS: usize = 200_000;

/// A quote from a file with marked numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Anchor {
    /// The file, relative to the folder of `claims.toml`.
    pub file: String,
    /// Which match is meant if there are several, from 1.
    pub nth: Option<usize>,
    /// The text as written, with its marks.
    pub text: String,
    /// The folded text around the marks: one piece more than there are marks.
    pieces: Vec<String>,
    /// The text inside the marks. It is only displayed, never compared.
    pub(crate) marked: Vec<String>,
}

/// One place where an anchor matches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fit<N> {
    /// Byte range of the whole match in the file.
    pub(crate) whole: Range<usize>,
    /// The number read at each mark.
    pub(crate) numbers: Vec<N>,
}

/// The places where an anchor matches.
pub(crate) struct Fits<N> {
    /// Matches that readers see, in the order of the file.
    seen: Vec<Fit<N>>,
    /// Whether there are also matches that readers do not see.
    hides: bool,
}

/// Why an anchor has no single match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Lost {
    /// Its words are not in the file.
    Gone,
    /// Its words are in the file, but one of its marks does not match a number.
    NoNumber,
    /// It matches only in text that readers do not see.
    Unseen,
    /// It matches this many times.
    Several(usize),
}

impl Anchor {
    /// Reads an anchor. **Errors**: a message that says what is wrong with the marks.
    pub fn new(file: &str, text: &str, nth: Option<usize>) -> Result<Self, String> {
        let (mut pieces, mut marked) = (Vec::new(), Vec::new());
        let mut rest = text;
        while let Some(at) = rest.find("[[") {
            // Of three brackets, the first belongs to the text and the other two open the mark.
            let brackets = rest.bytes().skip(at).take_while(|byte| *byte == b'[');
            let (before, mark) = rest.split_at(at + brackets.count() - 2);
            let Some((inner, after)) = mark.get(2..).and_then(|mark| mark.split_once("]]")) else {
                return Err(String::from("a mark `[[` has no `]]`"));
            };
            if inner.trim().is_empty() {
                return Err(String::from("a mark is empty; write the number into it"));
            }
            pieces.push(before.to_owned());
            marked.push(inner.trim().to_owned());
            rest = after;
        }
        pieces.push(rest.to_owned());
        if marked.len() > MOST_MARKS {
            let marks = marked.len();
            return Err(format!("{marks} marks; at most {MOST_MARKS} are read"));
        }
        let last = marked.len();
        for (at, piece) in pieces.iter_mut().enumerate() {
            let mut folded = Folded::new(piece, is_tex(file)).text;
            if at > 0 && at < last && folded.is_empty() {
                let message = "two marks touch; something must stand between them";
                return Err(String::from(message));
            }
            if at == 0 {
                folded.drain(..folded.len() - folded.trim_start().len());
            }
            if at == last {
                folded.truncate(folded.trim_end().len());
            }
            *piece = folded;
        }
        if pieces.iter().all(|piece| piece.trim().is_empty()) {
            let message = "`text` has no words around its marks to find them by";
            return Err(String::from(message));
        }
        Ok(Self {
            file: file.to_owned(),
            nth,
            text: text.to_owned(),
            pieces,
            marked,
        })
    }

    /// Number of marks.
    pub fn marks(&self) -> usize {
        self.marked.len()
    }

    fn piece(&self, at: usize) -> &str {
        self.pieces.get(at).map_or("", String::as_str)
    }

    /// The one match that is meant. `read` and `counts` as for `fits`.
    pub(crate) fn find<N: Clone>(
        &self,
        source: &Folded,
        read: &dyn Fn(Range<usize>) -> Option<N>,
        counts: &dyn Fn(Range<usize>) -> bool,
    ) -> Result<Fit<N>, Lost> {
        self.meant(&self.fits(source, read, counts), source, counts)
    }

    /// Every match of the anchor. `read` reads a byte range of the file as one number; `counts` returns whether readers see a
    /// byte range.
    pub(crate) fn fits<N>(
        &self,
        source: &Folded,
        read: &dyn Fn(Range<usize>) -> Option<N>,
        counts: &dyn Fn(Range<usize>) -> bool,
    ) -> Fits<N> {
        let mut search = Search {
            anchor: self,
            source,
            read,
            steps: MOST_STEPS,
            dead: BTreeSet::new(),
        };
        let begin = self.piece(0);
        let mut fits: Vec<Fit<N>> = if begin.is_empty() {
            let ends = places(&source.text, self.piece(1));
            ends.filter_map(|end| search.up_to(end)).collect()
        } else {
            let starts = places(&source.text, begin);
            let fit = |at: usize| search.from(at, 1, at + begin.len(), Vec::new());
            starts.filter_map(fit).collect()
        };
        let found = fits.len();
        fits.retain(|fit| counts(fit.whole.clone()));
        Fits {
            hides: fits.len() < found,
            seen: fits,
        }
    }

    /// The match that is meant: the `nth`, or the only one.
    pub(crate) fn meant<N: Clone>(
        &self,
        fits: &Fits<N>,
        source: &Folded,
        counts: &dyn Fn(Range<usize>) -> bool,
    ) -> Result<Fit<N>, Lost> {
        let one = match (self.nth, fits.seen.as_slice()) {
            (Some(nth), seen) => seen.get(nth - 1),
            (None, seen) => seen.first().filter(|_| seen.len() == 1),
        };
        one.cloned()
            .ok_or_else(|| match (fits.seen.len(), self.words(source)) {
                (0, _) if fits.hides => Lost::Unseen,
                (0, Some(whole)) if counts(whole.clone()) => Lost::NoNumber,
                (0, Some(_)) => Lost::Unseen,
                (0, None) => Lost::Gone,
                (count, _) => Lost::Several(count),
            })
    }

    /// Byte range of the first place where all its words follow each other, with anything between them.
    pub(crate) fn words(&self, source: &Folded) -> Option<Range<usize>> {
        let (mut start, mut at) = (None, 0);
        for piece in &self.pieces {
            let found = at + source.text.get(at..)?.find(piece)?;
            start = start.or(Some(found).filter(|_| !piece.is_empty()));
            at = found + piece.len();
        }
        Some(source.source(start?..at))
    }
}

/// Byte offsets of every occurrence of a piece, overlapping ones included.
fn places<'t>(text: &'t str, piece: &'t str) -> impl Iterator<Item = usize> + 't {
    let mut from = 0;
    std::iter::from_fn(move || {
        let at = from
            + text
                .get(from..)
                .filter(|_| !piece.is_empty())?
                .find(piece)?;
        from = text.ceil_char_boundary(at + 1);
        Some(at)
    })
}

struct Search<'s, N> {
    anchor: &'s Anchor,
    source: &'s Folded,
    read: &'s dyn Fn(Range<usize>) -> Option<N>,
    steps: usize,
    /// Marks and offsets from which the rest of the anchor is known not to match.
    dead: BTreeSet<(usize, usize)>,
}

impl<N> Search<'_, N> {
    fn number(&mut self, folded: Range<usize>) -> Option<N> {
        self.steps = self.steps.checked_sub(1)?;
        let text = self.source.text.get(folded.clone())?.trim();
        if text.is_empty() || text.len() > LONGEST_NUMBER {
            return None;
        }
        // Text without markup is printed as it is. Reading it directly is cheaper than calling `read`.
        let words = !text.contains(' ') || text.contains(char::is_alphabetic);
        let plain = words && !text.contains(['\\', '$', '{', '}', '-', '`']);
        if plain && number::whole(text).is_none() {
            return None;
        }
        (self.read)(self.source.source(folded))
    }

    /// The match that begins at `start` and whose mark number `mark` begins at `at`. `first` holds the numbers before it.
    fn from(&mut self, start: usize, mark: usize, at: usize, first: Vec<N>) -> Option<Fit<N>> {
        let (mut rest, end) = self.after(mark, at)?;
        rest.extend(first);
        rest.reverse();
        Some(Fit {
            whole: self.source.source(start..end),
            numbers: rest,
        })
    }

    /// The numbers of this mark and all later ones, last first, and the end of the match. The mark begins at `from`.
    fn after(&mut self, mark: usize, from: usize) -> Option<(Vec<N>, usize)> {
        if mark > self.anchor.marks() {
            return Some((Vec::new(), from));
        }
        if self.dead.contains(&(mark, from)) {
            return None;
        }
        let (anchor, source) = (self.anchor, self.source);
        let text = source.text.as_str();
        let piece = anchor.piece(mark);
        let window = from + LONGEST_NUMBER + piece.len();
        let window = text.get(from..text.floor_char_boundary(window))?;
        let ends: Vec<usize> = if piece.is_empty() {
            (1..=window.len()).collect()
        } else {
            places(window, piece).filter(|at| *at > 0).collect()
        };
        // The longest first: in `0.85.` a mark before the full stop means `0.85`, not `0`.
        for end in ends.into_iter().rev().map(|at| from + at) {
            if let Some(number) = self.number(from..end)
                && let Some((mut numbers, end)) = self.after(mark + 1, end + piece.len())
            {
                numbers.push(number);
                return Some((numbers, end));
            }
            if self.steps == 0 {
                return None;
            }
        }
        self.dead.insert((mark, from));
        None
    }

    /// The match that begins with a mark that ends at `end`. The mark takes the longest number possible.
    fn up_to(&mut self, end: usize) -> Option<Fit<N>> {
        let first = end.saturating_sub(LONGEST_NUMBER);
        let next = end + self.anchor.piece(1).len();
        let (start, number) =
            (first..end).find_map(|start| Some((start, self.number(start..end)?)))?;
        self.from(start, 2, next, vec![number])
    }
}

/// A text without comments, with white space and `~` folded to one space, and the offsets to map it back to the source.
#[derive(Debug, Clone, Default)]
pub(crate) struct Folded {
    pub(crate) text: String,
    /// The offset in the source of each byte of the text.
    from: Vec<u32>,
}

impl Folded {
    pub(crate) fn new(source: &str, is_tex: bool) -> Self {
        let mut out = Self::default();
        let mut chars = source.char_indices().peekable();
        while let Some((at, c)) = chars.next() {
            if is_tex && c == '%' {
                // A comment includes its line end and the blanks at the start of the next line.
                while chars.next_if(|(_, c)| *c != '\n').is_some() {}
                chars.next();
                while chars.next_if(|(_, c)| matches!(c, ' ' | '\t')).is_some() {}
            } else if c.is_whitespace() || is_tex && c == '~' {
                if !out.text.ends_with(' ') {
                    out.push(at, ' ');
                }
            } else {
                out.push(at, c);
                // `\%` does not begin a comment and `\~` is not a space.
                let escapes = is_tex && c == '\\';
                if let Some((at, c)) = chars.next_if(|(_, c)| escapes && !c.is_whitespace()) {
                    out.push(at, c);
                }
            }
        }
        out
    }

    fn push(&mut self, at: usize, c: char) {
        self.text.push(c);
        let bytes = (at..at + c.len_utf8()).map(|at| u32::try_from(at).unwrap_or(u32::MAX));
        self.from.extend(bytes);
    }

    fn offset(&self, folded: usize) -> usize {
        let at = self.from.get(folded).or(self.from.last());
        at.map_or(0, |at| usize::try_from(*at).unwrap_or(usize::MAX))
    }

    /// The range of the source for a range of the folded text.
    pub(crate) fn source(&self, folded: Range<usize>) -> Range<usize> {
        let start = self.offset(folded.start);
        let last = folded.end.checked_sub(1);
        let last = last.filter(|last| *last >= folded.start);
        start..last.map_or(start, |last| self.offset(last) + 1)
    }

    /// The offset in the folded text for an offset in the source. If that byte was folded away: the next offset that was kept.
    pub(crate) fn at(&self, source: usize) -> usize {
        self.from
            .partition_point(|at| usize::try_from(*at).is_ok_and(|at| at < source))
    }
}

/// Whether a file is LaTeX, judged by its name: its text then has comments and `~`.
pub(crate) fn is_tex(path: &str) -> bool {
    let extension = path.rsplit_once('.').map_or("", |(_, extension)| extension);
    let plain = ["md", "markdown", "txt", "rst"];
    !plain
        .iter()
        .any(|known| known.eq_ignore_ascii_case(extension))
}

/// `file` relative to the paper folder, with `.` and `..` resolved as far as possible.
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
