//! Faults planted into papers whose bindings hold: every fault is found, and nothing that does not depend on it is accused.
//!
//! The places of the faults come from claims.toml and the sources only.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use crate::subject::{Cell, Edit, Fault, Sentence, Subject, printed, rounds_to};
use crate::support::Key;

/// Plants faults of one class into every paper.
fn experiment(class: &str, plan: impl Fn(&Subject) -> Vec<Fault>) {
    let mut problems = Vec::new();
    for subject in Subject::all() {
        let tally = subject.plant(plan(&subject));
        tally.print(class, &subject.name);
        assert!(
            tally.planted > 0 || subject.name != "invented",
            "no {class} fault"
        );
        problems.extend(tally.problems);
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

/// A changed number: file, place, new text, and the entry of the number.
fn change(file: &str, place: Range<usize>, text: String, key: Key) -> Fault {
    Fault {
        edits: vec![edit(file, place, text)],
        expected: BTreeSet::from([key]),
        status: "number_mismatch",
    }
}

fn edit(file: &str, place: Range<usize>, text: String) -> Edit {
    Edit {
        file: file.to_owned(),
        place,
        text,
    }
}

/// Marks that are compared for equality: (sentence, index of the number, place, text).
fn marks(subject: &Subject) -> impl Iterator<Item = (&Sentence, usize, Range<usize>, &str)> {
    subject.sentences.iter().flat_map(|sentence| {
        let source = &subject.sources[&sentence.file];
        let numbers = sentence.marks.iter().zip(&sentence.equal).enumerate();
        let equal = numbers.filter(|(_, (_, equal))| **equal);
        equal.map(move |(number, (place, _))| {
            (sentence, number, place.clone(), &source[place.clone()])
        })
    })
}

/// Cells and macros that are compared for equality.
fn cells(subject: &Subject) -> impl Iterator<Item = &Cell> {
    let equal = |cell: &&Cell| rounds_to(&cell.shown, cell.value).unwrap_or(true);
    subject.cells.iter().filter(equal)
}

/// Byte offsets of the digits before a power of ten.
fn digits(text: &str) -> Vec<usize> {
    let mantissa = text.split(r"\times").next().unwrap_or(text);
    let digits = mantissa
        .bytes()
        .enumerate()
        .filter(|(_, byte)| byte.is_ascii_digit());
    digits.map(|(at, _)| at).collect()
}

/// Byte offsets of a cell's digits. At its place the source must show the text in the artifact.
fn digits_of(cell: &Cell, source: &str) -> Vec<usize> {
    let mantissa = cell.shown.split(['e', 'E', '\\', '×']).next().unwrap_or("");
    let mut places =
        (cell.offset..source.len()).filter(|at| source.as_bytes()[*at].is_ascii_digit());
    let wanted = mantissa.bytes().filter(u8::is_ascii_digit);
    let found: Vec<usize> = wanted
        .map(|digit| {
            let place = places.next().filter(|at| source.as_bytes()[*at] == digit);
            place.unwrap_or_else(|| {
                panic!(
                    "{:?} does not show {} at line {}",
                    cell.key, cell.shown, cell.line
                )
            })
        })
        .collect();
    assert!(
        !found.is_empty() && found[0] < cell.offset + 60,
        "{:?}",
        cell.key
    );
    found
}

/// The digit plus five (modulo 10), so that no rounding of the value gives the new number.
fn other(digit: u8) -> String {
    char::from(b'0' + (digit - b'0' + 5) % 10).to_string()
}

#[test]
fn a_changed_digit_of_any_bound_number_is_a_mismatch() {
    experiment("digit", |subject| {
        let mut faults = Vec::new();
        for (number, (sentence, mark, place, shown)) in marks(subject).enumerate() {
            let key = (sentence.id.clone(), mark);
            let digits = digits(shown);
            let (place, text) = match digits.get((number * 7 + 3) % digits.len().max(1)) {
                Some(at) => (
                    place.start + at..place.start + at + 1,
                    other(shown.as_bytes()[*at]),
                ),
                None if shown == "two" => (place, "seven".to_owned()),
                None => (place, "two".to_owned()),
            };
            faults.push(change(&sentence.file, place, text, key));
        }
        for (number, cell) in cells(subject).enumerate() {
            let source = &subject.sources[&cell.file];
            let digits = digits_of(cell, source);
            let at = digits[(number * 7 + 3) % digits.len()];
            let mut text = other(source.as_bytes()[at]);
            if text == "0" && source[at + 1..].starts_with(',') {
                // `0,590` is not a grouped number, and its meaning is ambiguous.
                text = String::from("8");
            }
            faults.push(change(&cell.file, at..at + 1, text, cell.key.clone()));
        }
        faults
    });
}

/// The edit that flips the sign of the number at `place`; `None` if the sign belongs to the anchor.
fn flipped(source: &str, place: &Range<usize>) -> Option<(Range<usize>, String)> {
    let (before, shown) = (&source[..place.start], &source[place.clone()]);
    for sign in ["$-$", "-", "−"] {
        if shown.starts_with(sign) {
            return Some((place.start..place.start + sign.len(), String::new()));
        }
    }
    let last = |text: &str| before.rfind(text).map_or(0, |at| at + 1);
    let paragraph = &before[last("\n\n")..];
    let math = last(r"\(").max(last(r"\[")) > last(r"\)").max(last(r"\]"))
        || paragraph.replace(r"\$", "").matches('$').count() % 2 == 1;
    let sign = if math { "-" } else { "$-$" };
    let visible = shown.bytes().any(|byte| (b'1'..=b'9').contains(&byte));
    (visible && !before.ends_with("$-$")).then(|| (place.start..place.start, sign.to_owned()))
}

#[test]
fn a_flipped_sign_is_a_mismatch() {
    experiment("sign", |subject| {
        let mut faults = Vec::new();
        for (sentence, mark, place, _) in marks(subject) {
            if let Some((place, text)) = flipped(&subject.sources[&sentence.file], &place) {
                faults.push(change(
                    &sentence.file,
                    place,
                    text,
                    (sentence.id.clone(), mark),
                ));
            }
        }
        for cell in cells(subject) {
            let source = &subject.sources[&cell.file];
            let digits = digits_of(cell, source);
            let signed = ["$-$", "-", "−"]
                .iter()
                .any(|sign| source[cell.offset..].starts_with(sign));
            let start = if signed { cell.offset } else { digits[0] };
            let place = start..digits[digits.len() - 1] + 1;
            if let Some((place, text)) = flipped(source, &place) {
                faults.push(change(&cell.file, place, text, cell.key.clone()));
            }
        }
        faults
    });
}

/// Whether two numbers differ so much that neither is a rounding of the other.
fn differ(a: &str, b: &str) -> bool {
    let (Some((x, of_x)), Some((y, of_y))) = (printed(a), printed(b)) else {
        return false;
    };
    (x - y).abs() > of_x.max(of_y)
}

#[test]
fn two_numbers_of_a_sentence_that_change_places_are_mismatches() {
    experiment("swap", |subject| {
        let all: Vec<_> = marks(subject).collect();
        let mut faults = Vec::new();
        for pair in all.windows(2) {
            let [(sentence, a, first, of_a), (next, b, second, of_b)] = pair else {
                continue;
            };
            let of_one = sentence.id == next.id && sentence.whole == next.whole;
            if !of_one || a % 2 == 1 || !differ(of_a, of_b) {
                continue;
            }
            faults.push(Fault {
                edits: vec![
                    edit(&sentence.file, first.clone(), (*of_b).to_owned()),
                    edit(&sentence.file, second.clone(), (*of_a).to_owned()),
                ],
                expected: BTreeSet::from([(sentence.id.clone(), *a), (sentence.id.clone(), *b)]),
                status: "number_mismatch",
            });
        }
        faults
    });
}

/// Cells of a row by table and column.
type Row<'a> = BTreeMap<(&'a str, &'a str), &'a Cell>;

#[test]
fn two_rows_of_a_table_that_change_places_are_mismatches() {
    experiment("row", |subject| {
        let mut rows: BTreeMap<(&str, usize), Row<'_>> = BTreeMap::new();
        for cell in cells(subject) {
            let id = &cell.key.0;
            if let (Some((table, _)), Some((_, column))) = (id.split_once('/'), id.rsplit_once('/'))
            {
                let row = rows.entry((&cell.file, cell.line)).or_default();
                row.insert((table, column), cell);
            }
        }
        let rows: Vec<_> = rows.into_iter().collect();
        let mut faults = Vec::new();
        for pair in rows.windows(2).step_by(2) {
            let [((file, a), of_a), ((next, b), of_b)] = pair else {
                continue;
            };
            let mut expected = BTreeSet::new();
            for (column, cell) in of_a {
                if let Some(other) = of_b
                    .get(column)
                    .filter(|other| differ(&cell.shown, &other.shown))
                {
                    expected.extend([cell.key.clone(), other.key.clone()]);
                }
            }
            let source = &subject.sources[*file];
            let (Some(first), Some(second)) = (numbers_of(source, *a), numbers_of(source, *b))
            else {
                continue;
            };
            if file == next && !expected.is_empty() {
                let edits = vec![
                    edit(file, first.clone(), source[second.clone()].to_owned()),
                    edit(file, second, source[first].to_owned()),
                ];
                faults.push(Fault {
                    edits,
                    expected,
                    status: "number_mismatch",
                });
            }
        }
        faults
    });
}

/// The range after the row head, in a table row that is one line.
fn numbers_of(source: &str, line: usize) -> Option<Range<usize>> {
    let start: usize = source
        .split_inclusive('\n')
        .take(line - 1)
        .map(str::len)
        .sum();
    let text = source[start..].lines().next()?;
    let (first, end) = (
        text.find('&')?,
        text.rfind(r"\\").unwrap_or(text.trim_end().len()),
    );
    (first < end).then_some(start + first..start + end)
}

#[test]
fn a_changed_word_of_a_sentence_loses_its_binding() {
    experiment("word", |subject| {
        let lost = |sentence: &Sentence| {
            let source = &subject.sources[&sentence.file];
            // A letter inside a word that is no command or mark; it is replaced by another letter.
            let mut places = sentence.whole.clone().skip(1).filter(|at| {
                let around = source.get(at - 1..at + 2).unwrap_or("");
                let word =
                    around.len() == 3 && around.bytes().all(|byte| byte.is_ascii_lowercase());
                let start = source[..*at].rfind(|other: char| !other.is_ascii_alphabetic());
                let command = start.is_some_and(|start| source[start..].starts_with('\\'));
                let marked = sentence.marks.iter().any(|mark| mark.contains(at));
                let comment = source[..*at]
                    .rsplit('\n')
                    .next()
                    .unwrap_or("")
                    .replace(r"\%", "")
                    .contains('%');
                word && !command && !marked && !comment
            });
            let at = places.next()?;
            let letter = if source[at..].starts_with('q') {
                "x"
            } else {
                "q"
            };
            Some(Fault {
                edits: vec![edit(&sentence.file, at..at + 1, letter.to_owned())],
                expected: BTreeSet::from([(sentence.id.clone(), 0)]),
                status: "binding_lost",
            })
        };
        subject.sentences.iter().filter_map(lost).collect()
    });
}

#[test]
fn a_sentence_that_stands_twice_loses_its_binding() {
    experiment("twice", |subject| {
        let twice = |sentence: &Sentence| {
            let source = &subject.sources[&sentence.file];
            let copy = &source[sentence.whole.clone()];
            let count = |what: &str| copy.matches(what).count();
            let whole =
                count("{") == count("}") && count("$") % 2 == 0 && count(r"\(") == count(r"\)");
            let end = source.find(r"\end{document}").unwrap_or(source.len());
            (whole && !copy.contains(['&', '%'])).then(|| Fault {
                edits: vec![edit(
                    &sentence.file,
                    end..end,
                    format!("\n\nAgain: {copy}\n"),
                )],
                expected: BTreeSet::from([(sentence.id.clone(), 0)]),
                status: "binding_lost",
            })
        };
        // Testing faults one by one would take long: faults that do not overlap are planted together.
        let mut groups: Vec<Fault> = Vec::new();
        for fault in subject.sentences.iter().filter_map(twice) {
            match groups
                .iter_mut()
                .find(|group| group.edits[0].file == fault.edits[0].file)
            {
                Some(group) => {
                    group.edits[0].text.push_str(&fault.edits[0].text);
                    group.expected.extend(fault.expected);
                }
                None => groups.push(fault),
            }
        }
        groups
    });
}
