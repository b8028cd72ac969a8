//! The evidence as columns: of tables their own, of documents the paths of their leaves; files with the same columns also as a
//! union.

use std::collections::{BTreeMap, BTreeSet};

use aris_evidence::{Settings, Value, read_table};
use aris_yaml::{Kind, Node, read_json};

use super::words::{Names, whole};

/// Most files that are read.
const MOST_FILES: usize = 1_000;
/// Most bytes of one file.
const MOST_BYTES: u64 = 256 << 20;
/// Most cells of all files together: 10^6 rows of ten columns.
const MOST_CELLS: usize = 10_000_000;
/// Most columns of one table, or leaves of one document.
const MOST_COLUMNS: usize = 500;
/// Most different values of a column that may be conditions: any values, and numbers.
const MOST_LABELS: usize = 300;
const MOST_NUMBERS: usize = 60;

/// The evidence, and messages about what was left out.
#[derive(Debug, Default)]
pub(super) struct Data {
    pub(super) sources: Vec<Source>,
    pub(super) names: Names,
    pub(super) left_out: Vec<String>,
}

/// The data of one `from` clause: a file, or a glob of files.
#[derive(Debug)]
pub(super) struct Source {
    /// The path, as a name in [`Names`].
    pub(super) name: u32,
    /// Path or glob as it is written in SQL.
    pub(super) from: String,
    pub(super) columns: Vec<Column>,
    pub(super) rows: usize,
    /// Number of files with the same columns that may be meant instead, including this one.
    pub(super) alike: usize,
}

/// One column.
#[derive(Debug, Default)]
pub(super) struct Column {
    /// Its name, in [`Names`].
    pub(super) name: u32,
    /// The SQL expression for it.
    pub(super) sql: String,
    /// A number for each row, NaN if the row has none. Empty if this is not a column of numbers.
    pub(super) numbers: Vec<f64>,
    /// The only text among its numbers, which marks missing values.
    pub(super) missing: Option<String>,
    /// The values that may be conditions, and for each row the index of its label.
    pub(super) labels: Vec<Label>,
    pub(super) label_of: Vec<Option<u32>>,
}

/// A value that a query can use as a condition.
#[derive(Debug)]
pub(super) struct Label {
    pub(super) text: String,
    pub(super) is_number: bool,
    /// Its name, in [`Names`].
    pub(super) name: u32,
    /// Its text in the form of [`whole`].
    pub(super) whole: String,
}

/// The rows of one file.
struct Content {
    path: String,
    /// Name and SQL expression of each column.
    columns: Vec<(String, String)>,
    rows: Vec<Vec<Value>>,
}

/// Reads all evidence within the limits.
pub(super) fn read(settings: &Settings, evidence: &[String]) -> Data {
    let mut data = Data::default();
    let (mut read, mut cells) = (Vec::new(), 0);
    for (at, path) in evidence.iter().enumerate() {
        let found = match rows(settings, path) {
            Ok(found) => found,
            Err(message) => {
                data.left_out.push(message);
                continue;
            }
        };
        cells += found.rows.len() * found.columns.len();
        if at >= MOST_FILES || cells > MOST_CELLS {
            data.left_out.push(format!(
                "{path} and later files; {MOST_FILES} files and {MOST_CELLS} cells are looked at"
            ));
            break;
        }
        read.push(found);
    }
    for rows in &read {
        let source = Source::new(&rows.path, &[rows], &mut data.names);
        data.sources.push(source);
    }
    for (places, glob) in unions(&read) {
        for place in &places {
            if let Some(member) = data.sources.get_mut(*place) {
                member.alike = member.alike.max(places.len());
            }
        }
        let members: Vec<&Content> = places.iter().filter_map(|at| read.get(*at)).collect();
        let source = Source::new(&glob, &members, &mut data.names);
        data.sources.push(source);
    }
    data
}

fn rows(settings: &Settings, path: &str) -> Result<Content, String> {
    let setting = settings.files.iter().find(|file| file.path == path);
    let bytes = aris_fs::read(&settings.root.join(path), MOST_BYTES);
    let bytes = bytes.map_err(|error| format!("{path}: {error}"))?;
    let table = read_table(path, &bytes, setting).map_err(|error| error.to_string())?;
    let names = table.columns.iter().take(MOST_COLUMNS);
    let mut rows = Content {
        path: path.to_owned(),
        columns: names.map(|name| (name.clone(), identifier(name))).collect(),
        rows: table.rows,
    };
    if table.columns == ["doc"]
        && let Some([Value::Text(json)]) = rows.rows.first().map(Vec::as_slice)
        && let Ok(node) = read_json(json)
    {
        (rows.columns, rows.rows) = document(&node);
    }
    Ok(rows)
}

/// The leaves of a document as one row.
fn document(node: &Node) -> (Vec<(String, String)>, Vec<Vec<Value>>) {
    let (mut columns, mut values) = (Vec::new(), Vec::new());
    let mut rest: Vec<(Vec<&str>, &Node)> = vec![(Vec::new(), node)];
    while let Some((keys, node)) = rest.pop().filter(|_| values.len() < MOST_COLUMNS) {
        if let Some(value) = scalar(node) {
            let steps = keys.iter().map(|key| format!(".{}", identifier(key)));
            let path = format!("${}", steps.collect::<String>());
            columns.push((keys.join(" "), format!("doc ->> {}", quoted(&path, '\''))));
            values.push(value);
        }
        for (key, value) in node.entries().iter().rev() {
            rest.push(([keys.as_slice(), &[key.text.as_str()]].concat(), value));
        }
    }
    (columns, vec![values])
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

/// Files with the same columns whose paths differ in one component: their indexes, and the glob that covers them.
fn unions(read: &[Content]) -> BTreeMap<Vec<usize>, String> {
    let mut found: BTreeMap<_, Vec<usize>> = BTreeMap::new();
    for (at, rows) in read.iter().enumerate() {
        let parts: Vec<&str> = rows.path.split('/').collect();
        for (open, part) in parts.iter().enumerate() {
            let end = part.rfind('.').filter(|_| open + 1 == parts.len());
            let star = format!("*{}", end.and_then(|end| part.get(end..)).unwrap_or(""));
            let mut glob = parts.clone();
            glob.splice(open..=open, [star.as_str()]);
            let shape = (glob.join("/"), &rows.columns);
            found.entry(shape).or_default().push(at);
        }
    }
    let several = found.into_iter().filter(|(_, members)| members.len() > 1);
    several
        .map(|((glob, _), members)| (members, glob))
        .collect()
}

impl Source {
    fn new(path: &str, members: &[&Content], names: &mut Names) -> Self {
        let first = members.first();
        let columns = first.map_or(&[][..], |rows| rows.columns.as_slice());
        let columns = columns.iter().enumerate().map(|(at, column)| {
            let rows = members.iter().flat_map(|rows| &rows.rows);
            Column::new(at, column, rows.filter_map(|row| row.get(at)), names)
        });
        let columns = columns.collect();
        let stem = path.rsplit_once('.').map_or(path, |(stem, _)| stem);
        Self {
            name: names.add(stem),
            from: quoted(path, '"'),
            columns,
            rows: members.iter().map(|rows| rows.rows.len()).sum(),
            alike: 1,
        }
    }
}

impl Column {
    fn new<'v>(
        at: usize,
        (name, sql): &(String, String),
        values: impl Iterator<Item = &'v Value>,
        names: &mut Names,
    ) -> Self {
        let mut column = Self {
            name: names.add(name),
            sql: sql.clone(),
            ..Self::default()
        };
        // Up to three different texts decide which kind of column this is; labels are all different values.
        let (mut texts, mut has_numbers) = (BTreeSet::new(), false);
        let mut labels: BTreeMap<(String, bool), u32> = BTreeMap::new();
        for value in values {
            let (number, text) = match value {
                Value::Null => (f64::NAN, None),
                #[expect(clippy::cast_precision_loss, reason = "as SQLite's avg does")]
                Value::Integer(number) => (*number as f64, None),
                Value::Real(number) => (*number, None),
                Value::Text(text) => (truth(text).unwrap_or(f64::NAN), Some(text.as_str())),
            };
            column.numbers.push(number);
            has_numbers |= text.is_none() && !number.is_nan();
            texts.extend(text.filter(|_| texts.len() < 3));
            let is_label = *value != Value::Null && labels.len() <= MOST_LABELS;
            column.label_of.push(is_label.then(|| {
                let next = u32::try_from(labels.len()).unwrap_or(u32::MAX);
                let label = text.map_or_else(|| number.to_string(), str::to_owned);
                *labels.entry((label, text.is_none())).or_insert(next)
            }));
        }
        let words = texts.iter().copied();
        let word = words.max_by_key(|text| truth(text) == Some(1.0));
        let is_truth = !has_numbers && texts.iter().all(|text| truth(text).is_some());
        match word {
            None => {}
            Some(word) if is_truth => {
                column.sql = format!("({sql} = {})", quoted(word, '\''));
                return column;
            }
            Some(word) if has_numbers && texts.len() == 1 => column.missing = Some(word.to_owned()),
            Some(_) => column.numbers.clear(),
        }
        // Numbers are labels if they repeat or if the column is the first.
        let (count, rows) = (labels.len(), column.label_of.len());
        let few = (2..=MOST_NUMBERS).contains(&count) && (at == 0 || count * 2 <= rows);
        if few || !has_numbers && (2..=MOST_LABELS).contains(&count) {
            let mut labels: Vec<_> = labels.into_iter().collect();
            labels.sort_unstable_by_key(|(_, place)| *place);
            let label = |((text, is_number), _): ((String, bool), u32)| Label {
                name: names.add(&text),
                whole: whole(&text),
                is_number,
                text,
            };
            column.labels = labels.into_iter().map(label).collect();
        }
        column
    }
}

impl Label {
    pub(super) fn sql(&self) -> String {
        if self.is_number {
            return self.text.clone();
        }
        quoted(&self.text, '\'')
    }
}

/// The value of a truth value as R and Python write it: 1 or 0.
fn truth(text: &str) -> Option<f64> {
    match text {
        "TRUE" | "True" | "true" => Some(1.0),
        "FALSE" | "False" | "false" => Some(0.0),
        _ => None,
    }
}

/// A text in SQL with single quotes, or a name with double quotes.
pub(super) fn quoted(text: &str, quote: char) -> String {
    let doubled = format!("{quote}{quote}");
    format!("{quote}{}{quote}", text.replace(quote, &doubled))
}

/// The name of a column in SQL, quoted if needed.
fn identifier(name: &str) -> String {
    /// Words that SQLite reads as keywords in place of a column.
    const WORDS: &str = " add all alter and as between by case check collate commit constraint create cross default delete distinct do drop else end escape except exists foreign from full group having if in index inner insert intersect into is isnull join left like limit match natural no not nothing notnull null of offset on or order outer primary references returning right row rows select set table then to transaction union unique update using values view when where with without ";
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let digit = name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit());
    let word = WORDS.contains(&format!(" {} ", name.to_lowercase()));
    if name.chars().all(plain) && !digit && !word {
        name.to_owned()
    } else {
        quoted(name, '"')
    }
}
