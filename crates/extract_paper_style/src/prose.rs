//! Words and sentences of running text.
//!
//! A word is a run of visible characters that contains a letter or digit. A formula, a verbatim piece and an address count as one
//! word each, a citation as none. Each Chinese character and kana is one word, as word processors count them.

use std::ops::Range;

use serde::Serialize;

/// A stretch of text that is not read character by character.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Opaque {
    /// Byte range in the text, on character boundaries.
    pub(crate) range: Range<usize>,
    pub(crate) stands_for: StandsFor,
}

/// What a stretch of text that is not read counts as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StandsFor {
    /// A word: a formula, a piece of code.
    Word,
    /// A citation: no word, and no part of a sentence.
    Nothing,
    /// A citation that prints names: no word, but a sentence may begin with it.
    Authors,
}

/// How a count is spread.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Spread {
    /// Number of things counted.
    pub(crate) count: usize,
    /// Arithmetic mean, one decimal.
    pub(crate) mean: f64,
    /// The middle one, the lower of two.
    pub(crate) median: usize,
    /// Nine tenths are not longer (nearest rank).
    pub(crate) p90: usize,
}

impl Spread {
    /// The spread of lengths; `None` when there are none.
    pub(crate) fn of(mut lengths: Vec<usize>) -> Option<Self> {
        lengths.sort_unstable();
        let count = lengths.len();
        let rank = |tenths: usize| {
            let at = (count * tenths).div_ceil(10).max(1) - 1;
            lengths.get(at).copied()
        };
        let total: usize = lengths.iter().sum();
        Some(Self {
            count,
            mean: tenths(total, count)?,
            median: rank(5)?,
            p90: rank(9)?,
        })
    }
}

/// `part / whole` with one decimal, halves up; `None` when there is no whole.
pub(crate) fn tenths(part: usize, whole: usize) -> Option<f64> {
    let tenths = (20 * part + whole).checked_div(2 * whole)?;
    u32::try_from(tenths)
        .ok()
        .map(|tenths| f64::from(tenths) / 10.0)
}

/// Words that take a point in the middle of a sentence; without the point, in lower case.
///
/// **Source**: abbreviations before a name or number in the style guides of journals (Chicago Manual of Style, 10.42 and 10.43;
/// the IEEE editorial style manual), and the Latin ones before a capital letter. The same for [`REFERENCES`].
const ABBREVIATIONS: [&str; 22] = [
    "al", "approx", "ca", "cf", "dept", "dr", "e.g", "ed", "eds", "eg", "i.e", "ie", "mr", "mrs",
    "prof", "resp", "s.t", "st", "univ", "v", "viz", "vs",
];

/// Words that are abbreviations before a number or, written with a capital, before a letter: `App. B`, `Fig. S1`. Some are also
/// words that may end a sentence: "We use the app. We go on."
const REFERENCES: [&str; 33] = [
    "alg", "algs", "app", "ch", "chap", "chs", "cor", "def", "defs", "eq", "eqn", "eqns", "eqs",
    "ex", "fig", "figs", "lem", "p", "pp", "prop", "props", "ref", "refs", "rev", "sec", "secs",
    "sect", "tab", "tabs", "thm", "thms", "vol", "vols",
];

/// Words that are abbreviations only before a number; elsewhere they are words or units that may end a sentence.
const BEFORE_NUMBERS: [&str; 6] = ["art", "max", "min", "no", "nos", "op"];

/// Whether the last word may end the sentence.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Ending {
    /// It does not: the sentence goes on.
    #[default]
    None,
    /// A point that ends the sentence unless a lower-case letter follows.
    Unless,
    /// A point that ends it unless a number, a formula or a lower-case letter follows.
    UnlessNumber,
    /// The same, and also not before a word in capital letters.
    UnlessReference,
    /// It does: a question or exclamation mark, or a Chinese or Japanese full stop.
    Sure,
}

/// Counts the words and sentences of text that arrives in pieces.
#[derive(Debug, Default)]
pub(crate) struct Counter {
    /// Number of words of each finished sentence.
    lengths: Vec<usize>,
    /// Number of words of the sentence in progress.
    open: usize,
    ending: Ending,
    words: usize,
}

/// Number of words of one text.
pub(crate) fn words(text: &str, opaque: &[Opaque]) -> usize {
    let mut counter = Counter::default();
    counter.read(text, opaque);
    counter.words()
}

/// The word being read.
#[derive(Default)]
struct Word {
    /// Byte offset of its first letter, digit or formula.
    start: usize,
    /// Number of words it counts for: 0 for a lone dash, more in Chinese.
    count: usize,
    /// Whether it has begun.
    begun: bool,
    /// Whether it contains a letter or digit that is not a Chinese character or kana.
    lettered: bool,
    /// Whether it contains a formula or another opaque stretch.
    opaque: bool,
}

impl Counter {
    /// Words so far.
    pub(crate) fn words(&self) -> usize {
        self.words
    }

    /// The number of words of each sentence; an unfinished one counts as a sentence.
    pub(crate) fn sentences(mut self) -> Vec<usize> {
        self.close();
        self.lengths
    }

    /// Ends the sentence in progress, at the end of a paragraph, item or heading.
    pub(crate) fn close(&mut self) {
        if self.open > 0 {
            self.lengths.push(self.open);
        }
        (self.open, self.ending) = (0, Ending::None);
    }

    /// A displayed formula inside the running text: one word, and the sentence goes on unless the formula ends with a full stop.
    pub(crate) fn formula(&mut self, text: &str) {
        self.settle("");
        self.words += 1;
        self.open += 1;
        if text.trim_end().ends_with('.') {
            self.close();
        }
    }

    /// Whether the sentence in progress goes on with `text`, which follows a displayed formula.
    pub(crate) fn goes_on_with(&self, text: &str) -> bool {
        let text = text.trim_start();
        self.open > 0 && !text.is_empty() && !text.starts_with(char::is_uppercase)
    }

    /// Reads a piece of text. `opaque` is sorted and does not overlap.
    pub(crate) fn read(&mut self, text: &str, opaque: &[Opaque]) {
        let mut word = Word::default();
        let mut at = 0;
        for stretch in opaque {
            at = self.letters(text, &mut word, at, stretch.range.start);
            if stretch.range.end > at {
                if stretch.stands_for == StandsFor::Word {
                    self.begin(&mut word, at, "");
                    word.opaque = true;
                } else {
                    self.end(text, &mut word, at);
                }
                if stretch.stands_for == StandsFor::Authors {
                    self.settle("");
                }
                at = stretch.range.end;
            }
        }
        at = self.letters(text, &mut word, at, text.len());
        self.end(text, &mut word, at);
    }

    /// Reads the characters from byte `at` to `to`; returns where it stopped.
    fn letters(&mut self, text: &str, word: &mut Word, at: usize, to: usize) -> usize {
        let piece = text.get(at..to).unwrap_or_default();
        for (offset, letter) in piece.char_indices() {
            let at = at + offset;
            if word.lettered && letter.is_ascii_alphanumeric() {
                // The usual case: the word goes on.
            } else if letter.is_alphanumeric() && !is_ideograph(letter) {
                self.begin(word, at, piece.get(offset..).unwrap_or_default());
                word.lettered = true;
            } else if is_ideograph(letter) {
                self.begin(word, at, "");
                word.count += 1;
            } else if letter.is_whitespace() {
                self.end(text, word, at);
            } else if matches!(letter, '。' | '！' | '？') {
                self.end(text, word, at);
                self.ending = Ending::Sure;
            } else if !word.begun && self.open > 0 {
                // After a citation: the point belongs to the word before it.
                match letter {
                    '.' => self.ending = Ending::Unless,
                    '!' | '?' => self.ending = Ending::Sure,
                    _ => {}
                }
            }
        }
        at.max(to)
    }

    /// Begins a word, unless one is open. Its beginning decides whether the last sentence has ended.
    fn begin(&mut self, word: &mut Word, at: usize, next: &str) {
        if !word.begun {
            self.settle(next);
            (word.begun, word.start) = (true, at);
        }
    }

    /// Decides whether the last sentence has ended. `next` begins with the letters or digits that follow; it is empty for a
    /// formula.
    fn settle(&mut self, next: &str) {
        let is_small = next.starts_with(char::is_lowercase);
        let word = || {
            let word = next.split_whitespace().next();
            word.filter(|word| !is_small && !word.contains(char::is_numeric))
        };
        let is_over = match std::mem::take(&mut self.ending) {
            Ending::None => false,
            Ending::Unless => !is_small,
            Ending::UnlessNumber => word().is_some(),
            Ending::UnlessReference => word().is_some_and(|word| word.contains(char::is_lowercase)),
            Ending::Sure => true,
        };
        if is_over {
            self.close();
        }
    }

    /// Ends the word in progress, at white space, a citation or the end of the piece.
    fn end(&mut self, text: &str, word: &mut Word, at: usize) {
        let word = std::mem::take(word);
        if !word.begun {
            return;
        }
        let count = word.count + usize::from(word.lettered || word.opaque && word.count == 0);
        let first = self.open == 0;
        self.words += count;
        self.open += count;
        let body = text.get(word.start..at).unwrap_or_default();
        let body = body.trim_end_matches([')', ']', '}', '"', '\'', '”', '’', '»']);
        self.ending = match body.as_bytes().last() {
            Some(b'!' | b'?') => Ending::Sure,
            Some(b'.') => point(body.trim_end_matches('.'), first, word.opaque),
            _ => Ending::None,
        };
    }
}

/// Whether a full stop after `body` ends the sentence.
fn point(body: &str, first: bool, opaque: bool) -> Ending {
    if opaque {
        return Ending::Unless;
    }
    let mut letters = body.chars();
    let single = letters.next().is_some_and(char::is_uppercase) && letters.next().is_none();
    // An initial, or the number of an item.
    if single || first && body.bytes().all(|byte| byte.is_ascii_digit()) {
        return Ending::None;
    }
    let is_one_of = |words: &[&str]| words.iter().any(|word| word.eq_ignore_ascii_case(body));
    if is_one_of(&ABBREVIATIONS) {
        Ending::None
    } else if is_one_of(&REFERENCES) && body.starts_with(char::is_uppercase) {
        Ending::UnlessReference
    } else if is_one_of(&REFERENCES) || is_one_of(&BEFORE_NUMBERS) {
        Ending::UnlessNumber
    } else {
        Ending::Unless
    }
}

/// Whether a character is a Chinese character or kana, which are written without spaces.
///
/// **Source**: the Unicode blocks Hiragana, Katakana, CJK Unified Ideographs with extension A, and their compatibility forms.
fn is_ideograph(letter: char) -> bool {
    matches!(letter, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lengths(text: &str) -> Vec<usize> {
        let mut counter = Counter::default();
        counter.read(text, &[]);
        counter.sentences()
    }

    #[test]
    fn sentences_end_where_a_reader_says() {
        for (text, expected) in [
            ("One two three. Four five.", vec![3, 2]),
            ("No end here", vec![3]),
            (
                "It takes 10 ms. We saw No. 5 and no. We go on.",
                vec![4, 6, 3],
            ),
            (
                "The max. 3 of art. 7 count. We go on at the max. Then it ends.",
                vec![7, 6, 3],
            ),
            (
                "We follow Smith et al. [3] and Fig. 2 closely. Next one!",
                vec![10, 2],
            ),
            ("Smith et al. Show it.", vec![5]),
            ("We use the app. We go on.", vec![4, 3]),
            ("He ate a fig. A user has the app. I do.", vec![4, 5, 2]),
            (
                "See App. B and app. 3, Fig. S1, fig. 2 and Sec. IV here.",
                vec![14],
            ),
            (
                "It is in the App. We go on. Is it? No. I saw No. 5.",
                vec![5, 3, 2, 1, 4],
            ),
            ("It is 3.14 percent, i.e. 2.5 times. Good?", vec![7, 1]),
            (
                "As in Eq. (2) of Sec. 4.1, cf. Thm. 3. Then we stop.",
                vec![10, 3],
            ),
            ("Apples, pears, etc. Then more.", vec![3, 2]),
            ("Apples, etc. and more.", vec![4]),
            ("J. R. Smith wrote it. So did A. Jones.", vec![5, 4]),
            ("He said \"stop.\" Then he left.)", vec![3, 3]),
            ("1. First item here. 2. Second.", vec![4, 2]),
            ("Wait... what? Yes!! Fine.", vec![2, 1, 1]),
            ("The file.txt name. Use numpy. pandas too.", vec![3, 4]),
            ("- -- a — b", vec![2]),
            ("这是一个句子。第二句！", vec![6, 3]),
            ("Über alles. Élan vital.", vec![2, 2]),
            ("", vec![]),
            (". . .", vec![]),
        ] {
            assert_eq!(lengths(text), expected, "{text}");
        }
    }

    #[test]
    fn formulas_are_words_and_citations_are_none() {
        let text = "Let x = 3. 5 hold [cite]. Then k-means [cite].";
        let opaque = |piece: &str, stands_for| {
            let start = text.find(piece).expect("there");
            Opaque {
                range: start..start + piece.len(),
                stands_for,
            }
        };
        let second = text.rfind("[cite]").expect("there");
        let stretches = [
            opaque("x = 3. 5", StandsFor::Word),
            opaque("[cite]", StandsFor::Nothing),
            Opaque {
                range: second..second + 6,
                stands_for: StandsFor::Nothing,
            },
        ];
        let mut counter = Counter::default();
        counter.read(text, &stretches);
        assert_eq!(counter.words(), 5);
        assert_eq!(counter.sentences(), [3, 2]);
        let mut counter = Counter::default();
        counter.read("It holds. Then", &[]);
        counter.formula("x = y,");
        assert!(counter.goes_on_with("where y"));
        counter.read("where y is left.", &[]);
        counter.formula("z.");
        counter.read("End.", &[]);
        assert_eq!(counter.sentences(), [2, 6, 1, 1]);
    }

    #[test]
    fn a_spread_is_by_nearest_rank() {
        assert_eq!(Spread::of(Vec::new()), None);
        let spread = |lengths: &[usize]| {
            let spread = Spread::of(lengths.to_vec()).expect("some");
            (spread.count, spread.mean, spread.median, spread.p90)
        };
        assert_eq!(spread(&[4]), (1, 4.0, 4, 4));
        assert_eq!(spread(&[1, 2]), (2, 1.5, 1, 2));
        let ten: Vec<usize> = (1..=10).rev().collect();
        assert_eq!(spread(&ten), (10, 5.5, 5, 9));
        assert_eq!(tenths(1, 3), Some(0.3));
        assert_eq!(tenths(1, 0), None);
    }

    proptest::proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "([a-zA-Z0-9 .!?()\\[\\]\"'。é中—]|\\PC){0,80}", cuts in proptest::collection::vec(0usize..90, 0..6)) {
            let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| text.floor_char_boundary(cut.min(text.len()))).collect();
            cuts.sort_unstable();
            let opaque: Vec<Opaque> = cuts.chunks_exact(2).map(|pair| Opaque { range: pair[0]..pair[1], stands_for: [StandsFor::Word, StandsFor::Nothing, StandsFor::Authors][pair[0] % 3] }).collect();
            let mut counter = Counter::default();
            counter.read(&text, &opaque);
            let words = counter.words();
            proptest::prop_assert_eq!(counter.sentences().iter().sum::<usize>(), words);
            proptest::prop_assert!(words <= text.len());
        }
    }
}
