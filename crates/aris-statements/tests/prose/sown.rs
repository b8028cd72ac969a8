//! Seeds faults into clean documents, one at a time.

use crate::documents::{Document, Label};

/// Most faults of one kind in one document.
const MOST: usize = 6;

/// A copy of a document with one fault.
pub(crate) struct Fault {
    pub(crate) kind: &'static str,
    /// Rules that may report it.
    pub(crate) rules: &'static [&'static str],
    pub(crate) document: Document,
    /// Line at which it must be reported; 0 for any.
    pub(crate) line: usize,
    /// The change, for people.
    pub(crate) what: String,
}

/// All faults for one document; the same in every run.
pub(crate) fn faults(document: &Document) -> Vec<Fault> {
    let mut out = Vec::new();
    for (kind, sown) in [
        ("direction flipped", directions(document)),
        ("key misspelled", keys(document)),
        ("mark removed", marks(document)),
        ("state of the art", superlatives(document)),
        ("n inflated", sizes(document)),
        ("seeds dropped", dropped(document)),
        ("entry unverified", papers(document, "unverified", false)),
        ("entry retracted", papers(document, "verified", true)),
    ] {
        let step = sown.len().div_ceil(MOST).max(1);
        let taken = sown.into_iter().step_by(step);
        out.extend(taken.map(|(rules, document, line, what)| Fault {
            kind,
            rules,
            document,
            line,
            what,
        }));
    }
    out
}

type Sown = Vec<(&'static [&'static str], Document, usize, String)>;

/// Replaces part of a label's text in the document; line ends match blanks.
fn replaced(document: &Document, label: &Label, from: &str, to: &str) -> Option<Document> {
    let line = document
        .text
        .split_inclusive('\n')
        .take(label.line - 1)
        .map(str::len)
        .sum::<usize>();
    // The sentence in the source has as many words as the label.
    let words = label.text.split_whitespace().count();
    let rest = &document.text[line..];
    let first = label.text.split_whitespace().next()?;
    let start = line + rest.find(first)?;
    let mut end = start;
    for word in document.text[start..]
        .split_inclusive(char::is_whitespace)
        .filter({
            let mut seen = 0;
            move |word| {
                let counts = seen < words || word.trim().is_empty() && seen == 0;
                seen += usize::from(!word.trim().is_empty());
                counts
            }
        })
    {
        end += word.len();
    }
    let sentence = &document.text[start..end];
    let at = start + sentence.find(from)?;
    let mut copy = document.clone();
    copy.text.replace_range(at..at + from.len(), to);
    Some(copy)
}

fn experimental(document: &Document) -> impl Iterator<Item = &Label> {
    let labels = document.labels.iter();
    labels.filter(|label| label.kind.as_deref() == Some("experimental"))
}

/// Words and their opposites.
const OPPOSITE: [(&str, &str); 14] = [
    (" higher ", " lower "),
    (" faster", " slower"),
    (" above ", " below "),
    (" lowers ", " raises "),
    (" raise ", " lower "),
    (" rose from ", " fell from "),
    (" falls by ", " rises by "),
    (" fell by ", " rose by "),
    (" increased by ", " decreased by "),
    (" reduction of ", " increase of "),
    (" increases ", " decreases "),
    (" reduces ", " increases "),
    (" larger ", " smaller "),
    (" outperforms ", " underperforms "),
];

fn directions(document: &Document) -> Sown {
    const RULES: &[&str] = &["direction-mismatch"];
    let mut out = Vec::new();
    for label in experimental(document) {
        if !label.text.bytes().any(|byte| byte.is_ascii_digit()) {
            continue;
        }
        let both = OPPOSITE
            .iter()
            .flat_map(|(one, two)| [(one, two), (two, one)]);
        if let Some((from, to)) = both
            .into_iter()
            .find(|(from, _)| label.text.contains(**from))
            && let Some(copy) = replaced(document, label, from.trim(), to.trim())
        {
            out.push((
                RULES,
                copy,
                label.line,
                format!("{from} -> {to} in {}", label.text),
            ));
        }
    }
    out
}

/// Misspells keys of a bibliography or numbers of a list, where they are cited.
fn keys(document: &Document) -> Sown {
    const RULES: &[&str] = &["cite-key-missing", "citation-number-missing"];
    let mut out = Vec::new();
    let bibliography = document
        .bibliography
        .as_ref()
        .map_or("", |(_, text)| text.as_str());
    for entry in bibliography.split('@').skip(1) {
        let Some(key) = entry
            .split_once('{')
            .and_then(|(_, rest)| rest.split_once(','))
            .map(|(key, _)| key.trim())
        else {
            continue;
        };
        let mut copy = document.clone();
        let middle = key.len() / 2;
        let wrong = format!("{}q{}", &key[..middle], &key[middle + 1..]);
        if let Some(at) = copy.text.find(key)
            && wrong != key
        {
            copy.text.replace_range(at..at + key.len(), &wrong);
            out.push((RULES, copy, 0, format!("{key} -> {wrong}")));
        }
    }
    if bibliography.is_empty() {
        for number in 1..=9 {
            let mut copy = document.clone();
            let mark = format!("[{number}]");
            if let Some(at) = copy.text.find(&mark) {
                copy.text
                    .replace_range(at..at + mark.len(), &format!("[{}]", number + 60));
                out.push((RULES, copy, 0, mark));
            }
        }
    }
    out
}

/// Removes bracketed marks inside the sentence from external claims.
fn marks(document: &Document) -> Sown {
    const RULES: &[&str] = &["external-uncited"];
    let mut out = Vec::new();
    for (at, label) in document.labels.iter().enumerate() {
        let external = label.kind.as_deref() == Some("external") && label.cited;
        // Only where no neighbour shares the mark; otherwise the change would affect more than one sentence.
        let around = [at.wrapping_sub(1), at + 1];
        let alone = around.iter().all(|at| {
            document
                .labels
                .get(*at)
                .is_none_or(|near| !near.cited || has_mark(&near.text))
        });
        if !external || !alone {
            continue;
        }
        let found = [
            ("~\\cite", '}'),
            (" \\cite", '}'),
            ("~\\parencite", '}'),
            (" \\parencite", '}'),
            ("~\\autocite", '}'),
            (" \\autocite", '}'),
            ("\\footcite", '}'),
            (" [@", ']'),
            (" [", ']'),
        ]
        .iter()
        .find_map(|(open, close)| {
            let start = label.text.find(open)?;
            let mark = &label.text[start..];
            let end = start + mark.find(*close)? + 1;
            (!label.text[start..].starts_with("~\\citet")
                && !label.text[start..].starts_with(" \\citet"))
            .then(|| &label.text[start..end])
        });
        let rest = found.map(|mark| label.text.replacen(mark, "", 1));
        if let (Some(mark), Some(rest)) = (found, rest)
            && !has_mark(&rest)
            && !mark.contains('\n')
            && let Some(copy) = replaced(document, label, mark, "")
        {
            out.push((
                RULES,
                copy,
                label.line,
                format!("{mark} out of {}", label.text),
            ));
        }
    }
    out
}

fn has_mark(text: &str) -> bool {
    text.contains("cite")
        || text.contains("[@")
        || text.contains("et al")
        || text.contains("(19")
        || text.contains("(20")
        || text.contains(" @")
        || text.contains(", 20")
        || text.contains("arXiv")
        || text
            .split('[')
            .skip(1)
            .any(|rest| rest.starts_with(|c: char| c.is_ascii_digit() || c == '-'))
}

/// Adds sentences that claim to be best after a result.
fn superlatives(document: &Document) -> Sown {
    const RULES: &[&str] = &["sota-unattributed"];
    const SENTENCES: [&str; 5] = [
        " This sets a new state of the art for the task.",
        " It is the best published result on this problem.",
        " Ours is the first method to reach this level.",
        " No other system comes close to these figures.",
        " We thus exceed the state of the art by a wide margin.",
    ];
    let mut out = Vec::new();
    let labels: Vec<&Label> = experimental(document)
        .filter(|label| !label.text.contains("footnote"))
        .collect();
    for (label, sentence) in labels.iter().rev().zip(SENTENCES) {
        let last = label.text.split_whitespace().last().unwrap_or("");
        if let Some(copy) = replaced(document, label, last, &format!("{last}{sentence}")) {
            out.push((RULES, copy, label.line, sentence.to_owned()));
        }
    }
    out
}

/// Whether this unit is repeated in the results.
fn is_unit(document: &Document, noun: &str) -> bool {
    let one = noun.trim_end_matches('s');
    document.results.iter().any(|(_, text)| {
        let head = text.lines().next().unwrap_or("");
        head.split(',').any(|name| name == one)
            || text.contains(&format!("\"{one}\""))
            || text.contains(&format!("by_{one}"))
    })
}

/// Claims more units than there are.
fn sizes(document: &Document) -> Sown {
    const RULES: &[&str] = &["sample-size-mismatch", "unit-of-analysis"];
    const COUNTS: [&str; 12] = [
        "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
        "thirteen",
    ];
    const NOUNS: [&str; 10] = [
        "seeds",
        "runs",
        "folds",
        "plots",
        "donors",
        "readers",
        "days",
        "weeks",
        "farms",
        "repetitions",
    ];
    let mut out = Vec::new();
    for label in &document.labels {
        for noun in NOUNS.into_iter().filter(|noun| is_unit(document, noun)) {
            for count in COUNTS {
                let from = format!("{count} {noun}");
                if label.text.to_lowercase().contains(&from)
                    && let Some(copy) =
                        replaced(document, label, &from, &format!("nineteen {noun}"))
                {
                    out.push((RULES, copy, label.line, format!("{from} in {}", label.text)));
                }
            }
        }
        for sign in ["n = ", "n=", "n~=~"] {
            if let Some(at) = label.text.find(sign) {
                let rest = &label.text[at + sign.len()..];
                let end = rest
                    .find(|c: char| !c.is_ascii_digit())
                    .unwrap_or(rest.len());
                let from = format!("{sign}{}", &rest[..end]);
                if end > 0
                    && let Some(copy) = replaced(document, label, &from, &format!("{from}3"))
                {
                    out.push((RULES, copy, label.line, format!("{from} in {}", label.text)));
                }
            }
        }
    }
    out
}

/// Drops the last units from the results; the text still mentions all.
fn dropped(document: &Document) -> Sown {
    const RULES: &[&str] = &["protocol-deviation", "sample-size-mismatch"];
    let mut out = Vec::new();
    for (at, (name, text)) in document.results.iter().enumerate() {
        // CSV begins with a name, JSON with a bracket.
        if !text.starts_with(char::is_alphabetic) {
            continue;
        }
        let head: Vec<&str> = text.lines().next().unwrap_or("").split(',').collect();
        let Some(column) = head.iter().position(|name| {
            [
                "seed", "run", "fold", "plot", "donor", "reader", "farm", "day", "week",
            ]
            .contains(name)
        }) else {
            continue;
        };
        let unit = |line: &str| line.split(',').nth(column).unwrap_or("").to_owned();
        let mut units: Vec<String> = text.lines().skip(1).map(unit).collect();
        units.dedup();
        let mut seen: Vec<String> = Vec::new();
        for unit in units {
            if !seen.contains(&unit) {
                seen.push(unit);
            }
        }
        for count in 1..=3.min(seen.len() - 1) {
            let gone = &seen[seen.len() - count..];
            let kept: Vec<&str> = text
                .lines()
                .filter(|line| !gone.contains(&unit(line)))
                .collect();
            let mut copy = document.clone();
            copy.results[at].1 = kept.join("\n") + "\n";
            out.push((RULES, copy, 0, format!("{name} without {gone:?}")));
        }
    }
    out
}

/// A papers cache in which one cited work has this status.
fn papers(document: &Document, status: &str, retracted: bool) -> Sown {
    let rules: &[&str] = if retracted {
        &["retracted-citation"]
    } else {
        &["bib-entry-unverified"]
    };
    let bibliography = document
        .bibliography
        .as_ref()
        .map_or("", |(_, text)| text.as_str());
    let keys: Vec<&str> = bibliography
        .split('@')
        .skip(1)
        .filter_map(|entry| {
            entry
                .split_once('{')?
                .1
                .split_once(',')
                .map(|(key, _)| key.trim())
        })
        .filter(|key| document.text.contains(key))
        .collect();
    keys.iter()
        .map(|wrong| {
            let rows: Vec<serde_json::Value> = keys
                .iter()
                .map(|key| {
                    let bad = key == wrong;
                    serde_json::json!({"id": key, "status": if bad { status } else { "verified" }, "retracted": bad && retracted})
                })
                .collect();
            let mut copy = document.clone();
            copy.papers = Some(serde_json::json!({"papers": rows}).to_string());
            (rules, copy, 0, (*wrong).to_owned())
        })
        .collect()
}
