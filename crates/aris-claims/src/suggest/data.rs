//! The evidence as columns: tables as they are, the leaves of documents by their paths, and files of one shape as their union.

use std::collections::BTreeMap;

use aris_evidence::{Settings, Value, read_table};
use aris_yaml::{Kind, Node, read_json};

use super::words::whole;

/// Files that are read.
const MOST_FILES: usize = 1_000;
/// Bytes of one file.
const MOST_BYTES: u64 = 256 << 20;
/// Cells of all files together: 10^6 rows of twenty columns.
const MOST_CELLS: usize = 20_000_000;
/// Columns of one table, leaves of one document, keys of a list, lists.
const MOST_COLUMNS: usize = 500;
/// Different texts, and different numbers, of a column whose values may be conditions.
const MOST_LABELS: usize = 300;
const MOST_NUMBERS: usize = 60;
/// Unions of files.
const MOST_UNIONS: usize = 200;
/// What stands for a missing number in a column of numbers.
const MISSING: [&str; 9] = ["NA", "N/A", "NaN", "nan", "NULL", "null", "None", "-", "--"];
/// What it costs to calculate over files whose names differ in words, in the measure of [`super::words`].
const MIXED: f64 = 2.0;

/// Rows that one `from` gives.
#[derive(Debug, Clone)]
pub(super) struct Source {
    /// Path or glob.
    pub(super) path: String,
    /// What stands after the path.
    rest: String,
    pub(super) columns: Vec<Column>,
    pub(super) rows: usize,
    /// How improbable it is that just this file, or this union, is meant, in the measure of [`super::words`].
    pub(super) cost: f64,
}

/// One column.
#[derive(Debug, Clone, Default)]
pub(super) struct Column {
    /// Its name, or the path of a leaf with blanks between the keys.
    pub(super) name: String,
    /// How a query calls it.
    pub(super) sql: String,
    /// A number for each row, not a number where there is none; empty when this is no column of numbers.
    pub(super) numbers: Vec<f64>,
    /// The word that stands for a missing number.
    pub(super) missing: Option<String>,
    texts: Vec<String>,
    /// The different values as text, at most one more than may be conditions, and for each row the place of its own.
    pub(super) labels: Vec<Label>,
    pub(super) label_of: Vec<Option<u32>>,
    /// Whether the values may be conditions.
    pub(super) is_label: bool,
}

/// A value that may be a condition.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Label {
    pub(super) text: String,
    pub(super) is_number: bool,
    /// As [`whole`] has it.
    pub(super) whole: String,
}

impl Source {
    pub(super) fn from(&self) -> String {
        format!("{}{}", quoted(&self.path, '"'), self.rest)
    }
}

impl Label {
    pub(super) fn sql(&self) -> String {
        if self.is_number {
            self.text.clone()
        } else {
            quoted(&self.text, '\'')
        }
    }
}

/// Everything that can be read; says what was left out.
pub(super) fn sources(
    settings: &Settings,
    evidence: &[String],
    left_out: &mut Vec<String>,
) -> Vec<Source> {
    if let Some(first) = evidence.get(MOST_FILES) {
        left_out.push(format!(
            "{first} and later files; {MOST_FILES} files are read"
        ));
    }
    let mut cells = 0;
    let mut out = Vec::new();
    for name in evidence.iter().take(MOST_FILES) {
        match read(settings, name, &mut cells, &mut out) {
            Ok(()) => {}
            Err(message) => left_out.push(message),
        }
    }
    unions(&mut out, left_out);
    out
}

fn read(
    settings: &Settings,
    name: &str,
    cells: &mut usize,
    out: &mut Vec<Source>,
) -> Result<(), String> {
    let setting = settings.files.iter().find(|file| file.path == name);
    let bytes = aris_fs::read(&settings.root.join(name), MOST_BYTES);
    let bytes = bytes.map_err(|error| format!("{name}: {error}"))?;
    let table = read_table(name, &bytes, setting).map_err(|error| error.to_string())?;
    *cells += table.rows.len() * table.columns.len();
    if *cells > MOST_CELLS || table.columns.len() > MOST_COLUMNS {
        return Err(format!(
            "{name}: {MOST_COLUMNS} columns of a table and {MOST_CELLS} cells of all files are looked at"
        ));
    }
    if table.columns == ["doc"]
        && let Some([Value::Text(json)]) = table.rows.first().map(Vec::as_slice)
        && let Ok(node) = read_json(json)
    {
        document(name, &node, out);
        return Ok(());
    }
    let columns = table.columns.iter().enumerate().map(|(at, name)| {
        let values = table.rows.iter().filter_map(|row| row.get(at));
        Column::new(at, name, identifier(name), values)
    });
    push(name, "", columns.collect(), table.rows.len(), out);
    Ok(())
}

fn push(name: &str, rest: &str, columns: Vec<Column>, rows: usize, out: &mut Vec<Source>) {
    let (path, rest) = (name.to_owned(), rest.to_owned());
    if !columns.is_empty() {
        out.push(Source {
            path,
            rest,
            columns,
            rows,
            cost: 0.0,
        });
    }
}

impl Column {
    fn new<'v>(
        at: usize,
        name: &str,
        sql: String,
        values: impl Iterator<Item = &'v Value>,
    ) -> Self {
        let mut column = Self {
            name: name.to_owned(),
            sql,
            ..Self::default()
        };
        let mut known: BTreeMap<String, u32> = BTreeMap::new();
        for value in values {
            let (number, text) = match value {
                Value::Null => (f64::NAN, None),
                #[expect(clippy::cast_precision_loss, reason = "as SQLite's avg does")]
                Value::Integer(number) => (*number as f64, Some(number.to_string())),
                Value::Real(number) => (*number, Some(number.to_string())),
                Value::Text(text) => (f64::NAN, Some(text.clone())),
            };
            let is_number = !number.is_nan();
            column.numbers.push(number);
            if let Some(text) = text.as_ref().filter(|_| !is_number) {
                column.note(text);
            }
            let text = text.filter(|_| known.len() <= MOST_LABELS);
            column.label_of.push(text.map(|text| {
                let next = u32::try_from(known.len()).unwrap_or(u32::MAX);
                *known.entry(text.clone()).or_insert_with(|| {
                    let whole = whole(&text);
                    column.labels.push(Label {
                        text,
                        is_number,
                        whole,
                    });
                    next
                })
            }));
        }
        column.judge(at);
        column
    }

    /// Keeps the first three different texts.
    fn note(&mut self, text: &str) {
        if self.texts.len() < 3 && !self.texts.iter().any(|known| known == text) {
            self.texts.push(text.to_owned());
        }
    }

    /// Decides what the values of the column at this place may be.
    fn judge(&mut self, at: usize) {
        let (count, rows) = (self.labels.len(), self.label_of.len());
        let numeric = self.numbers.iter().any(|number| !number.is_nan());
        let is = |text: &String, word: &str| text.eq_ignore_ascii_case(word);
        self.missing = None;
        match self.texts.as_slice() {
            [] if numeric => {}
            [only] if numeric && MISSING.contains(&only.as_str()) => {
                self.missing = Some(only.clone());
            }
            // Truth values as R and Python write them count as 1 and 0.
            [one, ..]
                if !numeric
                    && self
                        .texts
                        .iter()
                        .all(|text| is(text, "true") || is(text, "false")) =>
            {
                let truth = self
                    .texts
                    .iter()
                    .find(|text| is(text, "true"))
                    .unwrap_or(one);
                let at = self.labels.iter().position(|label| label.text == *truth);
                let number = |label: &Option<u32>| {
                    label.map_or(f64::NAN, |label| {
                        f64::from(u8::from(at == Some(label as usize)))
                    })
                };
                self.numbers = self.label_of.iter().map(number).collect();
                self.sql = format!("({} = {})", self.sql, quoted(truth, '\''));
                self.labels.clear();
            }
            _ => self.numbers.clear(),
        }
        self.is_label = if self.labels.iter().any(|label| label.is_number) {
            (2..=MOST_NUMBERS).contains(&count) && (at == 0 || count * 2 <= rows)
        } else {
            (2..=MOST_LABELS).contains(&self.labels.len())
        };
    }

    /// Adds the rows of another file.
    fn append(&mut self, other: &Self) {
        if self.numbers.is_empty() || other.numbers.is_empty() {
            self.numbers.clear();
        } else {
            self.numbers.extend(&other.numbers);
        }
        let mut places = Vec::new();
        for label in &other.labels {
            let known = self.labels.iter().position(|known| known == label);
            places.push(known.unwrap_or(self.labels.len()));
            if known.is_none() {
                self.labels.push(label.clone());
            }
        }
        let place = |at: &Option<u32>| u32::try_from(*places.get((*at)? as usize)?).ok();
        self.label_of.extend(other.label_of.iter().map(place));
        other.texts.iter().for_each(|text| self.note(text));
    }
}

/// The leaves of a document as one row, and each list in it as rows.
fn document(name: &str, node: &Node, out: &mut Vec<Source>) {
    let (mut leaves, mut lists) = (Vec::new(), Vec::new());
    walk(node, &mut Vec::new(), &mut leaves, &mut lists);
    let columns = leaves.iter().map(|(path, value)| {
        let sql = format!("doc ->> {}", json_path(path));
        Column::new(1, &path.join(" "), sql, std::iter::once(value))
    });
    push(name, "", columns.collect(), 1, out);
    for (path, items) in lists {
        let mut keys: Vec<&str> = Vec::new();
        for (key, _) in items.iter().flat_map(Node::entries) {
            if keys.len() < MOST_COLUMNS && !keys.contains(&key.text.as_str()) {
                keys.push(&key.text);
            }
        }
        let value = |item: Option<&Node>| item.and_then(scalar).unwrap_or(Value::Null);
        let mut columns = Vec::new();
        for (at, key) in keys.iter().enumerate() {
            let values: Vec<Value> = items.iter().map(|item| value(item.get(key))).collect();
            let sql = format!("value ->> {}", json_path(&[*key]));
            columns.push(Column::new(at, key, sql, values.iter()));
        }
        if keys.is_empty() {
            let values: Vec<Value> = items.iter().map(|item| value(Some(item))).collect();
            let sql = String::from("value");
            columns.push(Column::new(1, &path.join(" "), sql, values.iter()));
        }
        let rest = format!(", json_each(doc, {})", json_path(&path));
        push(name, &rest, columns, items.len(), out);
    }
}

type Leaves<'n, T> = Vec<(Vec<&'n str>, T)>;

fn walk<'n>(
    node: &'n Node,
    path: &mut Vec<&'n str>,
    leaves: &mut Leaves<'n, Value>,
    lists: &mut Leaves<'n, &'n [Node]>,
) {
    if leaves.len().max(lists.len()) >= MOST_COLUMNS {
        return;
    }
    if !node.items().is_empty() {
        lists.push((path.clone(), node.items()));
    }
    for (key, value) in node.entries() {
        path.push(&key.text);
        walk(value, path, leaves, lists);
        path.pop();
    }
    leaves.extend(scalar(node).map(|value| (path.clone(), value)));
}

fn scalar(node: &Node) -> Option<Value> {
    Some(match node.kind()? {
        Kind::Null => return None,
        Kind::Bool(truth) => Value::Integer(truth.into()),
        Kind::Integer(number) => Value::Integer(number),
        Kind::Float(number) if number.is_finite() => Value::Real(number),
        _ => Value::Text(node.written()?.to_owned()),
    })
}

fn json_path(keys: &[&str]) -> String {
    let plain = |key: &str| key.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let step = |key: &&str| {
        if plain(key) && !key.is_empty() {
            format!(".{key}")
        } else {
            format!(".\"{key}\"")
        }
    };
    quoted(
        &format!("${}", keys.iter().map(step).collect::<String>()),
        '\'',
    )
}

/// A text as SQL, in single quotes, or a name in double ones.
pub(super) fn quoted(text: &str, quote: char) -> String {
    let doubled = format!("{quote}{quote}");
    format!("{quote}{}{quote}", text.replace(quote, &doubled))
}

/// The name of a column as SQL.
fn identifier(name: &str) -> String {
    /// What SQLite takes for a word of its grammar where a column may stand.
    const WORDS: &str = " add all alter and as between by case check collate commit constraint create cross default delete distinct do drop else end escape except exists foreign from full group having if in index inner insert intersect into is isnull join left like limit match natural no not nothing notnull null of offset on or order outer primary references returning right row rows select set table then to transaction union unique update using values view when where with without ";
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let digit = name.starts_with(|c: char| c.is_ascii_digit());
    let word = WORDS.contains(&format!(" {} ", name.to_lowercase()));
    if name.chars().all(plain) && !name.is_empty() && !digit && !word {
        name.to_owned()
    } else {
        quoted(name, '"')
    }
}

/// Adds the unions of files of one shape whose paths differ in their digits or in one component.
fn unions(sources: &mut Vec<Source>, left_out: &mut Vec<String>) {
    let mut found: BTreeMap<(bool, String, String), Vec<usize>> = BTreeMap::new();
    for (at, source) in sources.iter().enumerate() {
        let columns = source.columns.iter().map(|column| column.sql.as_str());
        let shape = format!(
            "{}\n{}",
            source.rest,
            columns.collect::<Vec<_>>().join("\n")
        );
        for (mixed, glob) in globs(&source.path) {
            let alike = found.entry((mixed, glob, shape.clone())).or_default();
            alike.push(at);
        }
    }
    let mut seen: Vec<Vec<usize>> = Vec::new();
    for ((mixed, glob, _), members) in found {
        if members.len() < 2 || seen.contains(&members) {
            continue;
        }
        if seen.len() == MOST_UNIONS {
            left_out.push(format!(
                "{glob} and later; {MOST_UNIONS} unions of files are made"
            ));
            break;
        }
        let mut parts = members.iter().filter_map(|at| sources.get(*at)).cloned();
        let Some(mut union) = parts.next() else {
            continue;
        };
        for part in parts {
            for (column, other) in union.columns.iter_mut().zip(&part.columns) {
                column.append(other);
            }
            union.rows += part.rows;
        }
        for (at, column) in union.columns.iter_mut().enumerate() {
            // What counts truths does so already.
            if !column.labels.is_empty() || column.numbers.is_empty() {
                column.judge(at);
            }
        }
        union.path = glob;
        union.cost = if mixed { MIXED } else { 0.0 };
        for at in members.iter().filter(|_| !mixed) {
            if let Some(member) = sources.get_mut(*at) {
                #[expect(clippy::cast_precision_loss, reason = "at most MOST_FILES")]
                let choice = (members.len() as f64).ln();
                member.cost = member.cost.max(choice);
            }
        }
        seen.push(members);
        sources.push(union);
    }
}

/// A path with all digits open; and, marked, with one component open.
fn globs(path: &str) -> Vec<(bool, String)> {
    let mut digits = path.replace(|c: char| c.is_ascii_digit(), "*");
    while digits.contains("**") {
        digits = digits.replace("**", "*");
    }
    let mut out = vec![(false, digits)];
    let parts: Vec<&str> = path.split('/').collect();
    for (at, part) in parts.iter().enumerate() {
        let end = part.rsplit_once('.').filter(|_| at + 1 == parts.len());
        let star = end.map_or(String::from("*"), |(_, end)| format!("*.{end}"));
        let (before, after) = (parts.iter().take(at), parts.iter().skip(at + 1));
        let open = before.copied().chain([star.as_str()]).chain(after.copied());
        out.push((true, open.collect::<Vec<_>>().join("/")));
    }
    out.retain(|(_, glob)| glob != path);
    out
}
