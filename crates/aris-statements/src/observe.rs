//! From a sentence to its features.

use aris_claims::Kind;
use aris_claims::passage::{MaskKind, Passage, PassageKind};
use aris_claims::quantity::{Quantity, quantities};

use crate::feature::{Feature, Features};
use crate::phrases::{IMPERATIVES, INDEX};
use crate::prose::Prose;
use crate::sentence::Sentence;
use crate::stretch::Stretches;

/// A sentence with what can be seen of it.
#[derive(Debug, Clone)]
pub struct Observed {
    /// The sentence.
    pub sentence: Sentence,
    /// Its features.
    pub features: Features,
    /// Its numbers; ranges are bytes of the sentence.
    pub quantities: Vec<Quantity>,
}

/// A word of a sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Word {
    text: String,
    capital: bool,
    /// All letters are capitals.
    acronym: bool,
}

/// Bytes of the longest sentence that is read; a longer stretch without a stop is a listing or a list of data.
pub const LONGEST: usize = 4_000;

/// Observes every sentence of a document.
pub fn observe(prose: &Prose) -> Vec<Observed> {
    let classes = prose.section_classes();
    let mut masks: Option<(usize, Vec<usize>)> = None;
    crate::sentence::sentences(prose)
        .into_iter()
        .filter(|sentence| sentence.range.len() <= LONGEST)
        .filter_map(|sentence| {
            let passage = prose.paper.passages.get(sentence.passage)?;
            // Masks by their beginning, sorted once for each passage.
            if masks.as_ref().is_none_or(|(at, _)| *at != sentence.passage) {
                let mut order: Vec<usize> = (0..passage.masks.len()).collect();
                order.sort_by_key(|at| start_of(passage, *at));
                masks = Some((sentence.passage, order));
            }
            let order = masks.as_ref().map_or(&[][..], |(_, order)| order);
            let window = window(passage, &sentence, order);
            let class = if passage.kind == PassageKind::Abstract {
                Some(Feature::InDiscussion)
            } else {
                passage.section.and_then(|at| *classes.get(at)?)
            };
            Some(of_sentence(sentence, &window, class))
        })
        .collect()
}

fn start_of(passage: &Passage, mask: usize) -> usize {
    passage.masks.get(mask).map_or(0, |(range, _)| range.start)
}

/// The sentence as a passage of its own: looking at it costs its own length, not the passage's.
fn window(passage: &Passage, sentence: &Sentence, order: &[usize]) -> Passage {
    let (start, end) = (sentence.range.start, sentence.range.end);
    let from = order.partition_point(|at| start_of(passage, *at) < start);
    let masks = order
        .get(from..)
        .unwrap_or(&[])
        .iter()
        .filter_map(|at| passage.masks.get(*at))
        .take_while(|(range, _)| range.start < end)
        .map(|(range, kind)| (range.start - start..range.end.min(end) - start, *kind))
        .collect();
    Passage {
        kind: passage.kind,
        text: passage.text.get(start..end).unwrap_or("").to_owned(),
        masks,
        section: passage.section,
        cell: None,
    }
}

fn of_sentence(sentence: Sentence, window: &Passage, class: Option<Feature>) -> Observed {
    let words = words(window);
    let quantities = quantities(window);
    let mut features = Features::default();
    if let Some(feature) = class {
        features.add(feature);
    }
    if sentence.is_cited() {
        features.add(Feature::Cited);
    }
    if window.kind == PassageKind::Caption {
        features.add(Feature::Caption);
    }
    if words.len() < 6 {
        features.add(Feature::Short);
    }
    if window.text.ends_with('?') {
        features.add(Feature::Question);
    }
    let lower: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
    for at in 0..lower.len() {
        for (feature, _) in INDEX.at(lower.get(at..).unwrap_or(&[])) {
            features.add(feature);
        }
    }
    numbers(&quantities, &lower, &mut features);
    compared(&words, &mut features);
    let first = lower.first().copied().unwrap_or("");
    if IMPERATIVES.contains(&first) && words.first().is_some_and(|word| word.capital) {
        features.add(Feature::Instruction);
    }
    refine(&window.text, &lower, &mut features);
    Observed {
        sentence,
        features,
        quantities,
    }
}

fn numbers(quantities: &[Quantity], words: &[&str], features: &mut Features) {
    for quantity in quantities {
        let number = &quantity.number;
        // A whole number without unit ("three sites") may be anything; one that is written in words is mostly a count.
        if quantity.strong || number.style != aris_claims::number::Style::Spelled {
            features.add(Feature::Number);
        }
        if number.unit.is_some() {
            features.add(Feature::Unit);
        }
        if number.is_percent() {
            features.add(Feature::Percent);
        }
        if number.times || quantity.kind == Kind::Ratio {
            features.add(Feature::Factor);
        }
        if number.uncertainty_of.is_some() {
            features.add(Feature::Interval);
        }
    }
    // "Two thirds of all objects" is a number, too.
    let fraction = FRACTIONS.iter().any(|row| has(words, row));
    if fraction {
        features.add(Feature::Number);
    }
    if words.contains(&"ci") || words.contains(&"±") || has(words, &["confidence", "interval"]) {
        features.add(Feature::Interval);
    }
    if has(words, &["n", "="]) {
        features.add(Feature::SampleSize);
    }
}

/// Parts of a whole, in words.
const FRACTIONS: [&[&str]; 12] = [
    &["half", "of"],
    &["third", "of"],
    &["thirds", "of"],
    &["quarter", "of"],
    &["quarters", "of"],
    &["fifth", "of"],
    &["tenth", "of"],
    &["one", "in"],
    &["two", "thirds"],
    &["three", "quarters"],
    &["percent", "of"],
    &["per", "cent"],
];

/// Whether these words stand in a row.
pub(crate) fn has(words: &[&str], row: &[&str]) -> bool {
    words.windows(row.len()).any(|window| window == row)
}

/// "than": a comparison, unless a number follows "more" or "less" or it is "rather than". A name behind it is a named work.
fn compared(words: &[Word], features: &mut Features) {
    const BEFORE_NAME: [&str; 16] = [
        "than",
        "over",
        "to",
        "with",
        "versus",
        "vs",
        "outperforms",
        "outperform",
        "outperformed",
        "beats",
        "beat",
        "surpasses",
        "exceeds",
        "matches",
        "matched",
        "behind",
    ];
    let text = |at: usize| words.get(at).map_or("", |word| word.text.as_str());
    for (at, word) in words.iter().enumerate() {
        let previous = at.checked_sub(1).map_or("", text);
        if word.text == "than" {
            let quantity = matches!(
                previous,
                "more" | "less" | "fewer" | "greater" | "smaller" | "larger" | "higher" | "lower"
            ) && text(at + 1).starts_with(|c: char| c.is_ascii_digit());
            if !quantity && !matches!(previous, "rather" | "other") {
                features.add(Feature::Comparison);
            }
        }
        if word.text == "al" && previous == "et" {
            features.add(Feature::NamedWork);
        }
    }
    // "Okuda and Feld": two names in the middle of a sentence are authors.
    for (at, window) in words.windows(3).enumerate() {
        if let [one, and, two] = window
            && at > 0
            && and.text == "and"
            && one.capital
            && two.capital
            && [one, two].iter().all(|word| is_surname(word))
        {
            features.add(Feature::NamedWork);
        }
    }
    // A method that is named behind a comparison stands outside, unless it was measured here.
    if !features.has(Feature::Comparison) || features.any(&[Feature::InResults, Feature::Number]) {
        return;
    }
    for (at, word) in words.iter().enumerate() {
        if !BEFORE_NAME.contains(&word.text.as_str()) {
            continue;
        }
        let behind = words.get(at + 1..).unwrap_or(&[]).iter();
        let named = behind
            .skip_while(|word| BEFORE_METHOD.contains(&word.text.as_str()))
            .take(1)
            .any(|word| word.capital);
        if named {
            features.add(Feature::NamedWork);
        }
    }
}

/// Words between a comparison and the name of a method.
const BEFORE_METHOD: [&str; 11] = [
    "the", "that", "of", "those", "both", "plain", "standard", "fine", "tuned", "stock", "default",
];

/// Letters only, and more than an abbreviation has.
fn is_surname(word: &Word) -> bool {
    word.text.chars().count() >= 3 && word.text.chars().all(char::is_alphabetic) && !word.acronym
}

/// Verbs of a choice: what follows "over" was not chosen.
const CHOSEN: [&str; 12] = [
    "chose",
    "chosen",
    "choose",
    "picked",
    "pick",
    "prefer",
    "preferred",
    "select",
    "selected",
    "favour",
    "favoured",
    "favored",
];

/// ", as cameras attracted jays": a clause that gives a reason. ", as shown in Table 2" gives none.
///
/// Behind a choice that is called right no comma is needed: "enough as the intervals no longer overlapped".
fn clause_of_reason(text: &str, judged: bool) -> bool {
    const NO_REASON: [&str; 14] = [
        "well",
        "shown",
        "reported",
        "described",
        "expected",
        "usual",
        "before",
        "in",
        "did",
        "does",
        "do",
        "found",
        "seen",
        "can",
    ];
    const SUBJECTS: [&str; 6] = [
        " as the ",
        " as they ",
        " as it ",
        " as these ",
        " as its ",
        " as no ",
    ];
    if judged && SUBJECTS.iter().any(|opening| text.contains(opening)) && !text.contains("same ") {
        return true;
    }
    text.match_indices(", as ").any(|(at, comma)| {
        let next = text.get(at + comma.len()..).unwrap_or("");
        let word = next
            .split(|c: char| !c.is_alphanumeric())
            .next()
            .unwrap_or("");
        !word.is_empty() && !NO_REASON.contains(&word)
    })
}

/// What several words together say.
fn refine(text: &str, words: &[&str], features: &mut Features) {
    let we = features.has(Feature::We);
    if features.has(Feature::Plan) {
        features.remove(Feature::Justified);
    }
    if clause_of_reason(text, features.has(Feature::Justified)) {
        features.add(Feature::Rationale);
    }
    let chosen = words.iter().any(|word| CHOSEN.contains(word)) && words.contains(&"over");
    let choice = we || features.any(&[Feature::Procedure, Feature::InMethods]);
    if chosen || features.has(Feature::Rationale) && choice {
        features.add(Feature::Reasoned);
    }
    // "A fifth layer would have broken the limit" is a reason, no guess; "if it were so, broods should fail" is a guess.
    if features.any(&[Feature::Reasoned, Feature::Justified]) {
        features.remove(Feature::Hedge);
    } else if words.first() == Some(&"if") {
        features.add(Feature::Hedge);
    }
    // "First," counts, "the first layer" orders: neither says that nobody was earlier.
    if features.has(Feature::Universal)
        && (has(words, &["the", "only", "difference"]) || has(words, &["the", "only", "change"]))
    {
        features.remove(Feature::Universal);
    }
    // "Table 2 shows that 5 of 6 runs …": a result with its table.
    let table = words.iter().enumerate().any(|(at, word)| {
        matches!(*word, "table" | "figure" | "fig" | "§ref")
            && words.get(at + 1).is_some_and(|next| {
                *next == "§ref" || next.starts_with(|c: char| c.is_ascii_digit())
            })
    });
    if table
        && features.any(&[
            Feature::Number,
            Feature::Comparison,
            Feature::Change,
            Feature::Comparative,
        ])
    {
        features.add(Feature::Own);
    }
    if we && features.has(Feature::Finding) {
        features.add(Feature::Own);
    }
}

/// Words in lower case, hyphens taken as blanks; a cross reference is the word `§ref`, signs of comparison are words.
fn words(window: &Passage) -> Vec<Word> {
    let hidden = Stretches::masks(window, &[MaskKind::Cite, MaskKind::Code]);
    let references = Stretches::masks(window, &[MaskKind::Reference]);
    let text = window.text.as_str();
    let mut out: Vec<Word> = Vec::new();
    let mut skip = 0;
    let mut open: Option<usize> = None;
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
                out.push(Word {
                    text: String::from("§ref"),
                    capital: false,
                    acronym: false,
                });
            }
            continue;
        }
        if c.is_alphanumeric() || (open.is_some() && matches!(c, '.' | '\'' | '’' | '%')) {
            open.get_or_insert(at);
            continue;
        }
        close(&mut open, at, &mut out);
        if matches!(c, '<' | '>' | '=' | '≤' | '≥' | '±') {
            out.push(Word {
                text: c.to_string(),
                capital: false,
                acronym: false,
            });
        }
    }
    close(&mut open, text.len(), &mut out);
    out
}
