//! Checks whether evidence quotes text that exists.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use regex::Regex;

use crate::classification::Quoted;
use crate::text::letters;

/// Shortest quotation that identifies a place, in letters and digits.
const ENOUGH: usize = 6;

/// Fewest words of a quotation that can be a reason; fewer words are a term.
const CLAUSE: usize = 4;

/// The files that evidence may quote.
#[derive(Clone, Debug, Default)]
pub struct Files {
    /// Text by path in the repository.
    pub texts: BTreeMap<String, String>,
}

impl Quoted for Files {
    /// Evidence names a line that the commented file has (`line 12`, `lines 3-5`, `L12`, `report.md:12`), or quotes text in quotation marks
    /// that is in one of the files, or names a citation key that is in one of them.
    fn exists(&self, evidence: &str, path: &str) -> bool {
        let lines = self.texts.get(path).map_or(0, |text| text.lines().count());
        names_line(evidence, lines) || self.quotes_text(evidence) || self.names_key(evidence)
    }

    fn gives_reason(&self, evidence: &str, path: &str, line: Option<u32>) -> bool {
        let at = line.and_then(|line| usize::try_from(line).ok());
        let text = self.texts.get(path).map_or("", String::as_str);
        let lines = text.lines().enumerate();
        let rest = lines.filter(|(index, _)| Some(index + 1) != at);
        let rest: String = rest.map(|(_, line)| letters(line)).collect();
        let mut pieces = quotations(evidence);
        pieces.retain(|piece| piece.split_whitespace().count() >= CLAUSE);
        pieces.into_iter().any(|piece| is_in(piece, &rest))
    }
}

impl Files {
    fn quotes_text(&self, evidence: &str) -> bool {
        let pieces = quotations(evidence);
        self.texts.values().any(|text| {
            let text = letters(text);
            pieces.iter().any(|piece| is_in(piece, &text))
        })
    }

    /// Whether evidence names a citation key of the files: a word with letters and digits (`lee2024`) in a bibliography or a citation
    /// command.
    fn names_key(&self, evidence: &str) -> bool {
        let is_key =
            |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '-' | ':' | '.');
        let words = evidence.split(|letter: char| !is_key(letter));
        let words = words.map(|word| word.trim_matches([':', '.', '-']));
        let keys = words.filter(|word| {
            word.chars().count() >= ENOUGH
                && word.contains(|letter: char| letter.is_ascii_digit())
                && word.contains(char::is_alphabetic)
        });
        let marks = keys.flat_map(|word| {
            let (begin, only) = (format!("{{{word},"), format!("{{{word}}}"));
            [begin, only, format!("@{word}"), format!(",{word}")]
        });
        let marks: Vec<String> = marks.collect();
        let mut texts = self.texts.values();
        texts.any(|text| marks.iter().any(|mark| text.contains(mark.as_str())))
    }
}

/// Whether a quotation is in `text`, which has only letters and digits, and is long enough to identify a place.
fn is_in(piece: &str, text: &str) -> bool {
    let piece = letters(piece);
    piece.chars().count() >= ENOUGH && text.contains(&piece)
}

/// A line number in evidence: `line 12`, `lines 3-5` (the first one), `L12`, `report.md:12`.
static LINE: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?i)(?:\b(?:lines?|zeile)[ \u{a0}]*|\bl|[^\W\d]:)(\d+)").ok());

/// Whether evidence names a line of a file that has `lines` lines.
fn names_line(evidence: &str, lines: usize) -> bool {
    let named = LINE.iter().flat_map(|line| line.captures_iter(evidence));
    let mut numbers = named.filter_map(|found| found.get(1)?.as_str().parse::<usize>().ok());
    numbers.any(|number| (1..=lines).contains(&number))
}

/// The texts in quotation marks or backticks.
fn quotations(evidence: &str) -> Vec<&str> {
    const PAIRS: [(char, char); 6] = [
        ('"', '"'),
        ('`', '`'),
        ('“', '”'),
        ('„', '“'),
        ('‘', '’'),
        ('\'', '\''),
    ];
    let mut pieces = Vec::new();
    for (open, close) in PAIRS {
        let mut rest = evidence;
        while let Some((_, after)) = rest.split_once(open) {
            let Some((piece, left)) = after.split_once(close) else {
                break;
            };
            pieces.push(piece);
            rest = left;
        }
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn evidence_quotes_what_is_there() {
        let files = Files {
            texts: BTreeMap::from([
                (
                    String::from("r.md"),
                    String::from("# T\n\nWe gain **4** points over [@lee2024gains].\nEnd.\n"),
                ),
                (
                    String::from("refs.bib"),
                    String::from("@article{kim2021fast,\n title={x}}\n"),
                ),
            ]),
        };
        for (evidence, wanted) in [
            ("line 3 has no mark", true),
            ("Lines 2-4", true),
            ("see L3", true),
            ("r.md:3", true),
            ("line 30", false),
            ("line 0", false),
            ("the baseline 3", false),
            ("at 3:3 o.clock", false),
            ("we say \"gain 4 points\" there", true),
            ("`We gain **4** points`", true),
            ("\"gain 9 points\"", false),
            ("\"gain\"", false),
            ("kim2021fast is in the bibliography", true),
            ("lee2024gains is cited", true),
            ("kim2022slow is in the bibliography", false),
            ("obviously fine", false),
            ("", false),
        ] {
            assert_eq!(files.exists(evidence, "r.md"), wanted, "{evidence}");
        }
        assert!(!files.exists("line 3", "absent.md"));
    }

    #[test]
    fn a_reason_is_a_clause_of_the_report_and_not_the_fault_itself() {
        let text = "Over three seeds (n = 3) it gains.\nTwo seeds were lost when the\nmachine burnt down.\n";
        let files = Files {
            texts: BTreeMap::from([(String::from("r.md"), text.to_owned())]),
        };
        for (evidence, wanted) in [
            ("\"seeds were lost when the machine burnt down\"", true),
            ("line 2", false),
            ("\"Two seeds\"", false),
            ("\"Over three seeds (n = 3) it gains\"", false),
            ("\"two seeds were not needed at all\"", false),
            ("Two seeds were lost when the machine burnt down", false),
        ] {
            let found = files.gives_reason(evidence, "r.md", Some(1));
            assert_eq!(found, wanted, "{evidence}");
        }
        assert!(!files.gives_reason("\"Two seeds were lost when\"", "absent.md", None));
    }

    proptest::proptest! {
        #[test]
        fn no_text_makes_it_panic(evidence in ".{0,80}", lines in 0_usize..9) {
            names_line(&evidence, lines);
            quotations(&evidence);
        }
    }
}
