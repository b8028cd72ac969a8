//! Finds the features of a sentence.

use crate::feature::{Feature, Features};
use crate::numbers;
use crate::prose::Prose;
use crate::prose::passage::{MaskKind, Passage, PassageKind, from};
use crate::prose::sentence::{Sentence, sentences};
use crate::words;

/// A word of a sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Word {
    /// The word in lower case.
    text: String,
    /// Whether it begins with or contains a capital.
    capital: bool,
    /// Whether all its letters are capitals.
    acronym: bool,
}

/// Longest sentence that is examined, in bytes. A longer stretch without a full stop is a listing or a list of data.
pub const LONGEST: usize = 4_000;

/// Whether a sentence is skipped because of its length.
pub(crate) fn is_too_long(sentence: &Sentence) -> bool {
    sentence.range.len() > LONGEST
}

/// The word that replaces a cross reference.
const REFERENCE: &str = "§ref";

/// Every sentence of a document, with its features.
pub(crate) fn observe(prose: &Prose) -> impl Iterator<Item = (Sentence, Features)> {
    let classes = prose.section_classes();
    let sentences = sentences(prose).into_iter();
    let short = sentences.filter(|sentence| !is_too_long(sentence));
    short.filter_map(move |sentence| {
        let passage = prose.passages.get(sentence.passage)?;
        let class = match passage.kind {
            PassageKind::Abstract => Some(Feature::InDiscussion),
            // A title does not get its own section's class: the class was derived from it.
            PassageKind::Heading => None,
            _ => passage.section.and_then(|at| *classes.get(at)?),
        };
        let features = of_sentence(&sentence, &window(passage, &sentence), class);
        Some((sentence, features))
    })
}

/// The sentence as a passage of its own, so that examining it costs time in proportion to the sentence, not the passage.
fn window(passage: &Passage, sentence: &Sentence) -> Passage {
    let (start, end) = (sentence.range.start, sentence.range.end);
    let masks = passage.masks.as_slice();
    let first = masks.partition_point(|(range, _)| range.start < start);
    let masks = masks.get(first..).unwrap_or(&[]).iter();
    let masks = masks.take_while(|(range, _)| range.start < end);
    let masks = masks.map(|(range, kind)| (range.start - start..range.end.min(end) - start, *kind));
    Passage {
        kind: passage.kind,
        text: passage.text.get(start..end).unwrap_or("").to_owned(),
        masks: masks.collect(),
        section: passage.section,
    }
}

fn of_sentence(sentence: &Sentence, window: &Passage, class: Option<Feature>) -> Features {
    let found = words_of(window);
    let lower: Vec<&str> = found.iter().map(|word| word.text.as_str()).collect();
    let mut features = numbers::features(window);
    // "Note: …" is a label, not an instruction.
    let first = window.text.split_whitespace().next();
    let labels = first.is_some_and(|first| first.ends_with(':'));
    let instructs = |word: &Word| word.capital && !labels && words::is("imperatives", &word.text);
    features.extend([
        (Feature::Cited, sentence.is_cited()),
        (Feature::Caption, window.kind == PassageKind::Caption),
        (Feature::Short, found.len() < 6),
        (Feature::Question, window.text.ends_with('?')),
        (Feature::Instruction, found.first().is_some_and(instructs)),
    ]);
    features.extend(class.map(|feature| (feature, true)));
    for at in 0..lower.len() {
        let row = lower.get(at..).unwrap_or(&[]);
        features.extend(words::features(row).map(|feature| (feature, true)));
    }
    compared(&found, &mut features);
    refine(&window.text, &lower, &mut features);
    features
}

/// Whether `words` contain `row` as consecutive words.
fn has(words: &[&str], row: &[&str]) -> bool {
    words.windows(row.len()).any(|window| window == row)
}

/// "than" is a comparison, unless a number follows "more" or "less", or it is "rather than". Also finds named works.
fn compared(found: &[Word], features: &mut Features) {
    let text = |at: usize| found.get(at).map_or("", |word| word.text.as_str());
    for at in (0..found.len()).filter(|at| text(*at) == "than") {
        let previous = at.checked_sub(1).map_or("", text);
        let quantity = matches!(
            previous,
            "more" | "less" | "fewer" | "greater" | "smaller" | "larger" | "higher" | "lower"
        ) && text(at + 1).starts_with(|c: char| c.is_ascii_digit());
        if !quantity && !matches!(previous, "rather" | "other") {
            features.add(Feature::Comparison);
        }
    }
    // "Okuda and Feld": two names in the middle of a sentence are authors.
    let authors = found.windows(3).skip(1).any(|window| match window {
        [one, and, two] => and.text == "and" && is_surname(one) && is_surname(two),
        _ => false,
    });
    // A method named in a comparison is the work of others, unless the sentence has own results.
    let outside =
        features.has(Feature::Comparison) && !features.any(&[Feature::InResults, Feature::Number]);
    let method = |at: usize| {
        let behind = found.get(at + 1..).unwrap_or(&[]).iter();
        let mut behind = behind.skip_while(|word| words::is("before_method", &word.text));
        behind.next().is_some_and(|word| word.capital)
    };
    let named = |at: usize| words::is("before_name", text(at)) && method(at);
    if authors || outside && (0..found.len()).any(named) {
        features.add(Feature::NamedWork);
    }
}

/// Whether a word can be a surname: a capital, letters only, at least three, not an acronym.
fn is_surname(word: &Word) -> bool {
    word.capital
        && !word.acronym
        && word.text.chars().count() >= 3
        && word.text.chars().all(char::is_alphabetic)
}

/// Whether the text has a clause that gives a reason: ", as cameras attracted jays". ", as shown in Table 2" does not.
///
/// After a choice that is called right the comma is optional: "enough as the intervals no longer overlapped".
fn clause_of_reason(text: &str, judged: bool) -> bool {
    let clause = |opening: &str, fits: &dyn Fn(&str) -> bool| {
        text.match_indices(opening).any(|(at, _)| {
            let mut behind = from(text, at + opening.len()).split(|c: char| !c.is_alphanumeric());
            fits(behind.next().unwrap_or(""))
        })
    };
    judged
        && clause(" as ", &|word| words::is("subject_of_reason", word))
        && !text.contains("same ")
        || clause(", as ", &|word| {
            !word.is_empty() && !words::is("no_reason", word)
        })
}

/// Adjusts the features by combinations of words and features.
fn refine(text: &str, found: &[&str], features: &mut Features) {
    let we = features.has(Feature::We);
    if features.has(Feature::Plan) {
        features.remove(Feature::Justified);
    }
    if clause_of_reason(text, features.has(Feature::Justified)) {
        features.add(Feature::Rationale);
    }
    // "X was chosen over Y" names the rejected option, which is a reason.
    let chosen = found.contains(&"over") && found.iter().any(|word| words::is("chosen", word));
    let choice = we || features.any(&[Feature::Procedure, Feature::InMethods]);
    if chosen || features.has(Feature::Rationale) && choice {
        features.add(Feature::Reasoned);
    }
    // "A fifth layer would have broken the limit" is a reason; "if it were so, broods should fail" is a hypothesis.
    if features.any(&[Feature::Reasoned, Feature::Justified]) {
        features.remove(Feature::Hedge);
    } else if found.first() == Some(&"if") {
        features.add(Feature::Hedge);
    }
    // "The only difference" is not a claim of priority.
    if has(found, &["the", "only", "difference"]) || has(found, &["the", "only", "change"]) {
        features.remove(Feature::Universal);
    }
    // "Table 2 shows that 5 of 6 runs …" is the authors' own result.
    let table = found.windows(2).any(|pair| match pair {
        [word, next] => {
            matches!(*word, "table" | "figure" | "fig" | REFERENCE)
                && (*next == REFERENCE || next.starts_with(|c: char| c.is_ascii_digit()))
        }
        _ => false,
    });
    let states = features.any(&[
        Feature::Number,
        Feature::Comparison,
        Feature::Change,
        Feature::Comparative,
    ]);
    if table && states || we && features.has(Feature::Finding) {
        features.add(Feature::Own);
    }
}

/// Words in lower case, split at hyphens too. A cross reference becomes `§ref`; comparison signs are words.
fn words_of(window: &Passage) -> Vec<Word> {
    let hidden = window.masked(&[MaskKind::Cite, MaskKind::Code]);
    let references = window.masked(&[MaskKind::Reference]);
    let text = window.text.as_str();
    let mut out: Vec<Word> = Vec::new();
    let mut skip = 0;
    let mut open: Option<usize> = None;
    let sign = |text: String| Word {
        text,
        capital: false,
        acronym: false,
    };
    let close = |open: &mut Option<usize>, end: usize, out: &mut Vec<Word>| {
        if let Some(start) = open.take() {
            let word = text.get(start..end).unwrap_or("");
            let word = word.trim_end_matches(['.', '\'', '’']);
            if !word.is_empty() {
                out.push(Word {
                    text: word.to_lowercase(),
                    capital: word.chars().any(char::is_uppercase),
                    acronym: !word.chars().any(char::is_lowercase),
                });
            }
        }
    };
    for (at, c) in text.char_indices() {
        if at < skip {
            continue;
        }
        if let Some(range) = hidden.at(at).or_else(|| references.at(at)) {
            close(&mut open, at, &mut out);
            skip = range.end;
            if references.contains(at) {
                out.push(sign(String::from(REFERENCE)));
            }
            continue;
        }
        if c.is_alphanumeric() || (open.is_some() && matches!(c, '.' | '\'' | '’' | '%')) {
            open.get_or_insert(at);
            continue;
        }
        close(&mut open, at, &mut out);
        if matches!(c, '<' | '>' | '=' | '≤' | '≥' | '±') {
            out.push(sign(c.to_string()));
        }
    }
    close(&mut open, text.len(), &mut out);
    out
}
