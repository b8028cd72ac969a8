//! Papers as subjects of experiments: finds the places of their bound numbers from claims.toml and the sources only, plants
//! faults there, and checks the program's answer.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::{Path, PathBuf};

use aris_testkit::shared;
use serde_json::Value;

use crate::support::{ACCUSED, Audit, Key, Paper, agrees, number, status, text};

/// A parsed anchor: the source's text, and the byte ranges of its marks.
pub(crate) struct Anchor {
    pub(crate) text: String,
    marks: Vec<Range<usize>>,
}

impl Anchor {
    /// Parses `a [[1]] b`; three brackets are one bracket and a mark.
    pub(crate) fn of(marked: &str) -> Self {
        let (mut text, mut marks, mut rest) = (String::new(), Vec::new(), marked);
        while let Some(at) = rest.find("[[") {
            let open = at + usize::from(rest[at + 2..].starts_with('['));
            let Some(length) = rest[open + 2..].find("]]") else {
                break;
            };
            text.push_str(&rest[..open]);
            let start = text.len();
            text.push_str(&rest[open + 2..open + 2 + length]);
            marks.push(start..text.len());
            rest = &rest[open + 2 + length + 2..];
        }
        text.push_str(rest);
        Self { text, marks }
    }
}

/// The text without comments, with each run of white space and `~` as one space, and each byte's offset in the source.
fn folded(source: &str) -> (String, Vec<usize>) {
    let (mut text, mut places) = (String::new(), Vec::new());
    let mut characters = source.char_indices().peekable();
    let mut escaped = false;
    while let Some((at, character)) = characters.next() {
        if character == '%' && !escaped {
            while characters.next_if(|(_, next)| *next != '\n').is_some() {}
            while characters
                .next_if(|(_, next)| next.is_whitespace())
                .is_some()
            {}
            continue;
        }
        let blank = character.is_whitespace() || character == '~';
        escaped = character == '\\' && !escaped;
        if blank && text.ends_with(' ') {
            continue;
        }
        let character = if blank { ' ' } else { character };
        places.extend(std::iter::repeat_n(at, character.len_utf8()));
        text.push(character);
    }
    (text, places)
}

/// A binding of text, with its place in the file.
pub(crate) struct Sentence {
    pub(crate) id: String,
    pub(crate) file: String,
    pub(crate) whole: Range<usize>,
    pub(crate) marks: Vec<Range<usize>>,
    /// For each mark, whether it is compared for equality.
    pub(crate) equal: Vec<bool>,
}

impl Sentence {
    /// Finds the anchor, which must match once, or have the match that `nth` names.
    fn of(claim: &Value, sources: &BTreeMap<String, String>) -> Option<Self> {
        let (id, file) = (text(claim, "id").to_owned(), text(claim, "in").to_owned());
        let anchor = Anchor::of(claim["text"].as_str()?);
        let (source, places) = folded(sources.get(&file)?);
        let (wanted, origins) = folded(&anchor.text);
        let found: Vec<usize> = source.match_indices(&wanted).map(|(at, _)| at).collect();
        let nth = claim["nth"].as_u64();
        let at = match (found.as_slice(), nth) {
            ([at], None) => *at,
            (many, Some(nth)) => many[usize::try_from(nth).expect("small") - 1],
            (other, None) => panic!("{id}: its text fits {} times in {file}", other.len()),
        };
        let after = |end: usize| places.get(end).copied().unwrap_or(places[end - 1] + 1);
        let index = |byte: usize| origins.partition_point(|origin| *origin < byte);
        let mark = |mark: &Range<usize>| {
            let (start, end) = (at + index(mark.start), at + index(mark.end));
            places[start]..places[end - 1] + 1
        };
        let marks: Vec<_> = anchor.marks.iter().map(mark).collect();
        let relation = |number: usize| match &claim["relation"] {
            Value::Array(each) => each[number] == "=",
            other => other.is_null(),
        };
        let equal = (0..marks.len())
            .map(|number| claim["tolerance"].is_null() && relation(number))
            .collect();
        Some(Self {
            id,
            file,
            whole: places[at]..after(at + wanted.len()),
            marks,
            equal,
        })
    }

    /// Whether an edit changes text outside of the marks.
    fn literal_is_hit(&self, edit: &Edit) -> bool {
        let inside =
            |mark: &Range<usize>| mark.start <= edit.place.start && edit.place.end <= mark.end;
        self.is_hit(edit) && !self.marks.iter().any(inside)
    }

    fn is_hit(&self, edit: &Edit) -> bool {
        edit.file == self.file && overlap(&edit.place, &self.whole)
    }
}

/// A number in a table or a macro, at the place that the artifact names.
pub(crate) struct Cell {
    pub(crate) key: Key,
    pub(crate) file: String,
    pub(crate) line: usize,
    pub(crate) offset: usize,
    pub(crate) shown: String,
    pub(crate) value: f64,
}

/// A change of a source.
#[derive(Clone)]
pub(crate) struct Edit {
    pub(crate) file: String,
    pub(crate) place: Range<usize>,
    pub(crate) text: String,
}

/// Changes that belong together, the numbers that they make wrong, and the expected status of each.
pub(crate) struct Fault {
    pub(crate) edits: Vec<Edit>,
    pub(crate) expected: BTreeSet<Key>,
    pub(crate) status: &'static str,
}

/// The results of the faults in one paper.
#[derive(Default)]
pub(crate) struct Tally {
    pub(crate) planted: usize,
    pub(crate) found: usize,
    /// Faults that were not found, and wrong accusations.
    pub(crate) problems: Vec<String>,
}

impl Tally {
    /// Prints the row that the bench shows.
    pub(crate) fn print(&self, class: &str, subject: &str) {
        let wrong = self.problems.len() - (self.planted - self.found);
        println!(
            "| {class} | {subject} | {} of {} | {wrong} |",
            self.found, self.planted
        );
    }
}

/// A paper with its bindings, all of which hold.
pub(crate) struct Subject {
    pub(crate) name: String,
    /// The unchanged paper, data and claims.toml; audits run over copies.
    original: Paper,
    pub(crate) claims: Value,
    pub(crate) sources: BTreeMap<String, String>,
    pub(crate) sentences: Vec<Sentence>,
    pub(crate) cells: Vec<Cell>,
    pub(crate) audit: Audit,
}

/// Folders of the public papers; empty if they are absent.
pub(crate) fn public() -> Vec<PathBuf> {
    let named = std::env::var_os("PAPER_CLAIM_AUDIT_PAPERS").map(PathBuf::from);
    let Some(folder) = named.or_else(|| shared("papers")) else {
        return Vec::new();
    };
    let entries = std::fs::read_dir(folder).expect("a folder of papers");
    let mut folders: Vec<_> = entries.map(|entry| entry.expect("entry").path()).collect();
    folders.retain(|folder| folder.join("claims.toml").is_file());
    folders.sort();
    folders
}

impl Subject {
    /// The invented paper and the public ones.
    pub(crate) fn all() -> Vec<Self> {
        let invented = crate::invented::invented();
        let mut subjects = vec![Self::read("invented", &invented.project.at("paper"))];
        for folder in public() {
            let name = folder.file_name().expect("a name").to_string_lossy();
            subjects.push(Self::read(&name, &folder));
        }
        subjects
    }

    /// Audits the unchanged paper and finds the places of its numbers.
    pub(crate) fn read(name: &str, folder: &Path) -> Self {
        let paper = Paper::copied(folder);
        let claims = claims(folder);
        let mut sources = BTreeMap::new();
        let of_claims = claims["claim"].as_array().into_iter().flatten();
        for file in of_claims.clone().filter_map(|claim| claim["in"].as_str()) {
            sources.insert(file.to_owned(), paper.read(file));
        }
        let sentences: Vec<Sentence> = of_claims
            .filter_map(|claim| Sentence::of(claim, &sources))
            .collect();
        let audit = paper.audit();
        let mut cells = Vec::new();
        for (key, entry) in audit.bound() {
            let file = text(entry, "file").to_owned();
            if sentences.iter().any(|sentence| sentence.id == key.0) || !agrees(status(entry)) {
                continue;
            }
            let source = sources
                .entry(file.clone())
                .or_insert_with(|| paper.read(&file));
            let (line, offset) = place(entry, source);
            let value = number(&entry["value"]).unwrap_or(f64::NAN);
            let shown = text(entry, "shown").to_owned();
            cells.push(Cell {
                key,
                file,
                line,
                offset,
                shown,
                value,
            });
        }
        Self {
            name: name.to_owned(),
            original: Paper::copied(folder),
            claims,
            sources,
            sentences,
            cells,
            audit,
        }
    }

    /// The folder of the unchanged paper.
    pub(crate) fn folder(&self) -> &Path {
        self.original.project.path()
    }

    /// Audits a copy with the edits.
    pub(crate) fn edited(&self, edits: &[&Edit]) -> Audit {
        let paper = Paper::copied(self.folder());
        let mut edits = edits.to_vec();
        edits.sort_by_key(|edit| std::cmp::Reverse((edit.place.start, edit.place.end)));
        let mut sources = self.sources.clone();
        for edit in edits {
            let source = sources.get_mut(&edit.file).expect("a source of the paper");
            source.replace_range(edit.place.clone(), &edit.text);
        }
        for (file, text) in sources {
            if Some(&text) != self.sources.get(&file) {
                paper.write(&file, text);
            }
        }
        paper.audit()
    }

    /// Plants all faults, in batches that do not disturb each other.
    pub(crate) fn plant(&self, faults: Vec<Fault>) -> Tally {
        let mut batches: Vec<Vec<Fault>> = Vec::new();
        for fault in faults {
            let free =
                |batch: &&mut Vec<Fault>| batch.iter().all(|other| !self.clash(other, &fault));
            match batches.iter_mut().find(free) {
                Some(batch) => batch.push(fault),
                None => batches.push(vec![fault]),
            }
        }
        let mut tally = Tally::default();
        for batch in &batches {
            self.judge(batch, &mut tally);
        }
        tally
    }

    fn clash(&self, a: &Fault, b: &Fault) -> bool {
        let breaks = |a: &Fault, b: &Fault| {
            let expected = |sentence: &&Sentence| b.expected.iter().any(|key| key.0 == sentence.id);
            let mut sentences = self.sentences.iter().filter(expected);
            sentences.any(|sentence| a.edits.iter().any(|edit| sentence.literal_is_hit(edit)))
        };
        let same_place = a.edits.iter().any(|x| {
            let mut others = b.edits.iter();
            others.any(|y| x.file == y.file && overlap(&x.place, &y.place))
        });
        same_place || breaks(a, b) || breaks(b, a)
    }

    fn judge(&self, batch: &[Fault], tally: &mut Tally) {
        let edits: Vec<&Edit> = batch.iter().flat_map(|fault| &fault.edits).collect();
        let audit = self.edited(&edits);
        let bound = audit.bound();
        let became = |key: &Key| bound.get(key).map_or("absent", |entry| status(entry));
        for fault in batch {
            for key in &fault.expected {
                tally.planted += 1;
                if became(key) == fault.status {
                    tally.found += 1;
                } else {
                    let edits: Vec<&str> = fault.edits.iter().map(|edit| &*edit.text).collect();
                    tally.problems.push(format!(
                        "{}: {key:?} is {}, not {}, with {edits:?}: {:?}",
                        self.name,
                        became(key),
                        fault.status,
                        bound.get(key)
                    ));
                }
            }
        }
        // An input that is missing in a public paper may make the verdict ERROR.
        if !["FAIL", "ERROR"].contains(&audit.verdict()) {
            tally.problems.push(format!("{}: {audit}", self.name));
        }
        for (key, entry) in &bound {
            let expected = batch.iter().any(|fault| fault.expected.contains(key));
            if ACCUSED.contains(&status(entry)) && !expected && !self.depends(key, &edits) {
                tally
                    .problems
                    .push(format!("{}: wrongly {key:?} {entry}", self.name));
            }
        }
        // A sentence whose words are changed is lost, even if the edit was meant for another sentence.
        for sentence in &self.sentences {
            let hit = edits
                .iter()
                .any(|edit| sentence.literal_is_hit(edit) && !edit.text.contains('&'));
            let key = (sentence.id.clone(), 0);
            if hit && became(&key) != "binding_lost" {
                let said = became(&key);
                tally
                    .problems
                    .push(format!("{}: {key:?} is {said}, not lost", self.name));
            }
        }
    }

    /// Whether an entry may change because of the edits.
    fn depends(&self, key: &Key, edits: &[&Edit]) -> bool {
        if let Some(sentence) = self.sentences.iter().find(|sentence| sentence.id == key.0) {
            return edits.iter().any(|edit| sentence.is_hit(edit));
        }
        let Some(cell) = self.cells.iter().find(|cell| cell.key == *key) else {
            return false;
        };
        let source = &self.sources[&cell.file];
        let lines =
            |place: &Range<usize>| line_of(source, place.start)..=line_of(source, place.end);
        edits
            .iter()
            .any(|edit| edit.file == cell.file && lines(&edit.place).contains(&cell.line))
    }
}

/// The claims.toml of a folder.
pub(crate) fn claims(folder: &Path) -> Value {
    let text = std::fs::read_to_string(folder.join("claims.toml")).expect("claims.toml");
    toml_edit::de::from_str(&text).expect("claims.toml")
}

/// Line (from 1) and byte offset of an entry's place; its columns count characters from 1.
pub(crate) fn place(entry: &Value, source: &str) -> (usize, usize) {
    let of = |field: &str| {
        let number = entry[field]
            .as_u64()
            .and_then(|it| usize::try_from(it).ok());
        number.unwrap_or_else(|| panic!("no {field}: {entry}"))
    };
    let (line, column) = (of("line"), of("column"));
    let start: usize = source
        .split_inclusive('\n')
        .take(line - 1)
        .map(str::len)
        .sum();
    let within = source[start..].char_indices().nth(column - 1);
    (line, start + within.map_or(0, |(at, _)| at))
}

/// Line, from 1, of a byte offset.
pub(crate) fn line_of(source: &str, byte: usize) -> usize {
    1 + source[..byte].matches('\n').count()
}

/// Whether two ranges overlap; an empty range counts as one byte long.
fn overlap(a: &Range<usize>, b: &Range<usize>) -> bool {
    a.start < b.end.max(b.start + 1) && b.start < a.end.max(a.start + 1)
}

/// A printed number: its value, and the value of one unit in its last digit.
pub(crate) fn printed(text: &str) -> Option<(f64, f64)> {
    const WORDS: [&str; 13] = [
        "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
        "eleven", "twelve",
    ];
    if let Some(number) = WORDS
        .iter()
        .position(|word| text.eq_ignore_ascii_case(word))
    {
        return Some((f64::from(u8::try_from(number).ok()?), 1.0));
    }
    let mut plain = text
        .replace('−', "-")
        .replace(r"\times", "e")
        .replace("10^", "");
    plain.retain(|character| character.is_ascii_digit() || "-.e".contains(character));
    let (mantissa, exponent) = plain.split_once('e').unwrap_or((&plain, "0"));
    let decimals = mantissa.split_once('.').map_or(0, |(_, after)| after.len());
    let unit = exponent.parse::<i32>().ok()? - i32::try_from(decimals).ok()?;
    let value = format!("{mantissa}e{exponent}").parse().ok()?;
    Some((value, 10_f64.powi(unit)))
}

/// Whether a value rounds to the shown number; `None` if that depends on the last bits.
pub(crate) fn rounds_to(shown: &str, value: f64) -> Option<bool> {
    let (number, unit) = printed(shown)?;
    let halves = 2.0 * (number - value).abs() / unit;
    ((halves - 1.0).abs() > 1e-6).then_some(halves < 1.0)
}
