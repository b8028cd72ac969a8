//! Reads `claims.toml`.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::marker::PhantomData;
use std::ops::Range;

use aris_evidence::{FileSetting, Format, Header, View};
use serde::Deserialize;
use serde::de::value::{F64Deserializer, I64Deserializer, SeqAccessDeserializer, StrDeserializer};
use serde::de::{self, Deserializer, SeqAccess, Visitor};
use serde_spanned::Spanned;

use super::{
    Agreement, Anchor, Claim, Claims, Data, Expected, Relation, Rounding, Spot, Subject,
    TableBinding, WaivedSubject, Waiver,
};
use crate::decimal::Decimal;

/// Most bytes of `claims.toml`: room for some ten thousand bindings.
pub const MAX_BYTES: usize = 16 << 20;

/// Why `claims.toml` cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}:{}: {message}", at.line, at.column)]
pub struct Malformed {
    /// The place of the error.
    pub at: Spot,
    /// What is wrong.
    pub message: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawFile {
    version: Spanned<i64>,
    #[serde(default)]
    data: RawData,
    #[serde(default, rename = "claim")]
    claims: Vec<Spanned<RawClaim>>,
    #[serde(default, rename = "table")]
    tables: Vec<Spanned<RawTable>>,
    #[serde(default, rename = "waive")]
    waivers: Vec<Spanned<RawWaiver>>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawData {
    root: Option<Spanned<String>>,
    include: Option<Vec<Spanned<String>>>,
    #[serde(default)]
    exclude: Vec<Spanned<String>>,
    #[serde(default, rename = "file")]
    files: Vec<RawDataFile>,
    #[serde(default)]
    view: BTreeMap<String, Spanned<String>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawDataFile {
    path: Spanned<String>,
    format: Option<Format>,
    #[serde(default)]
    header: Header,
    #[serde(default)]
    na: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawClaim {
    id: Option<Spanned<String>>,
    #[serde(rename = "in")]
    file: Option<String>,
    text: Option<Spanned<String>>,
    #[serde(default, deserialize_with = "from_one")]
    nth: Option<usize>,
    r#macro: Option<Spanned<String>>,
    value: Option<Spanned<Each<String>>>,
    holds: Option<String>,
    relation: Option<Spanned<Each<Relation>>>,
    round: Option<Spanned<Each<Rounding>>>,
    tolerance: Option<Spanned<Each<Amount>>>,
    format: Option<String>,
    #[serde(default)]
    proposed: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawTable {
    id: Option<String>,
    label: String,
    value: String,
    #[serde(default)]
    rows: BTreeMap<String, String>,
    #[serde(default)]
    columns: BTreeMap<String, String>,
    #[serde(default, deserialize_with = "from_one")]
    cell: Option<usize>,
    #[serde(default)]
    relation: Relation,
    #[serde(default)]
    round: Rounding,
    tolerance: Option<Amount>,
    #[serde(default)]
    proposed: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawWaiver {
    #[serde(rename = "in")]
    file: Option<String>,
    text: Option<Spanned<String>>,
    #[serde(default, deserialize_with = "from_one")]
    nth: Option<usize>,
    label: Option<String>,
    r#macro: Option<String>,
    reason: Spanned<String>,
}

fn from_one<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<usize>, D::Error> {
    match usize::deserialize(deserializer)? {
        0 => Err(de::Error::custom("this counts from 1")),
        number => Ok(Some(number)),
    }
}

/// A tolerance: a number that is not negative.
#[derive(Clone)]
struct Amount(Decimal);

impl<'de> Deserialize<'de> for Amount {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let number = Decimal::from_f64(f64::deserialize(deserializer)?);
        let amount = number.filter(|number| !number.is_negative()).map(Self);
        amount.ok_or_else(|| de::Error::custom("a tolerance is a number that is not negative"))
    }
}

/// One value for all marks, or a list with one for each.
enum Each<T> {
    All(T),
    List(Vec<T>),
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Each<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(EachVisitor(PhantomData))
    }
}

struct EachVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for EachVisitor<T> {
    type Value = Each<T>;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("one value or a list with one for each mark")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Self::Value, E> {
        T::deserialize(StrDeserializer::new(text)).map(Each::All)
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<Self::Value, E> {
        T::deserialize(I64Deserializer::new(number)).map(Each::All)
    }

    fn visit_f64<E: de::Error>(self, number: f64) -> Result<Self::Value, E> {
        T::deserialize(F64Deserializer::new(number)).map(Each::All)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Self::Value, A::Error> {
        Vec::deserialize(SeqAccessDeserializer::new(list)).map(Each::List)
    }
}

/// A byte range of the file and what is wrong there.
type Wrong = (Range<usize>, String);

fn wrong<T>(span: Range<usize>, message: impl Into<String>) -> Result<T, Wrong> {
    Err((span, message.into()))
}

/// A text and its line ends, to turn byte offsets into lines and columns.
struct Places<'t> {
    text: &'t str,
    line_ends: Vec<usize>,
}

impl Places<'_> {
    fn spot(&self, span: &Range<usize>) -> Spot {
        let line = self.line_ends.partition_point(|end| *end < span.start);
        let before = line.checked_sub(1);
        let start = before.and_then(|before| self.line_ends.get(before));
        let before = self.text.get(start.map_or(0, |end| end + 1)..span.start);
        Spot {
            line: line + 1,
            column: before.unwrap_or("").chars().count() + 1,
        }
    }
}

impl Claims {
    /// Reads the text of `claims.toml`.
    ///
    /// **Errors**: the first error, with its place.
    pub fn read(text: &str) -> Result<Self, Malformed> {
        // A byte order mark is not part of the text.
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let line_ends = text.match_indices('\n').map(|(at, _)| at).collect();
        let places = Places { text, line_ends };
        let raw = toml_edit::de::from_str(text).map_err(|error| {
            let lines: Vec<&str> = error.message().lines().collect();
            (error.span().unwrap_or(0..0), lines.join(" "))
        });
        let claims = raw.and_then(|raw| file(raw, &places));
        claims.map_err(|(span, message)| Malformed {
            at: places.spot(&span),
            message,
        })
    }
}

fn file(raw: RawFile, places: &Places<'_>) -> Result<Claims, Wrong> {
    let version = raw.version.get_ref();
    if *version != 1 {
        let message = format!("version {version} is not known; this program reads version 1");
        return wrong(raw.version.span(), message);
    }
    let mut out = Claims {
        data: data(raw.data, places)?,
        ..Claims::default()
    };
    let mut ids = BTreeSet::new();
    let mut unique = |id: &str, span: Range<usize>| {
        if ids.insert(id.to_owned()) {
            return Ok(());
        }
        let message = format!("id `{id}` is used twice; give one of them another `id`");
        wrong(span, message)
    };
    for raw in raw.claims {
        let span = raw.span();
        let claim = claim(raw.into_inner(), &span, places.spot(&span))?;
        unique(&claim.id, span)?;
        out.claims.push(claim);
    }
    let mut seen: BTreeMap<(String, usize), usize> = BTreeMap::new();
    for raw in raw.tables {
        let span = raw.span();
        let table = table(raw.into_inner(), &mut seen, &span, places.spot(&span))?;
        unique(&table.id, span)?;
        out.tables.push(table);
    }
    for raw in raw.waivers {
        let span = raw.span();
        out.waivers.push(Waiver {
            at: places.spot(&span),
            reason: raw.get_ref().reason.get_ref().clone(),
            subject: waived(raw.into_inner(), span)?,
        });
    }
    Ok(out)
}

fn data(raw: RawData, places: &Places<'_>) -> Result<Data, Wrong> {
    let glob = |pattern: Spanned<String>| match aris_evidence::check_glob(pattern.get_ref()) {
        Ok(()) => Ok(pattern.into_inner()),
        Err(error) => wrong(pattern.span(), error.message),
    };
    let globs = |patterns: Vec<Spanned<String>>| patterns.into_iter().map(glob).collect();
    let file = |file: RawDataFile| {
        let at = places.spot(&file.path.span());
        let setting = FileSetting {
            path: glob(file.path)?,
            format: file.format,
            header: file.header,
            na: file.na,
        };
        Ok((setting, at))
    };
    let view = |(name, sql): (String, Spanned<String>)| {
        let plain = name.chars().all(|c| c.is_alphanumeric() || c == '_');
        let taken = ["json_each", "json_tree", ""].contains(&name.as_str());
        if !plain || taken || name.starts_with("sqlite_") {
            let message = "is no name for a view; use letters, digits and `_`";
            return wrong(sql.span(), format!("`{name}` {message}"));
        }
        let sql = sql.into_inner();
        Ok(View { name, sql })
    };
    Ok(Data {
        root: raw
            .root
            .map(|root| (places.spot(&root.span()), root.into_inner())),
        include: raw.include.map(globs).transpose()?,
        exclude: globs(raw.exclude)?,
        files: raw.files.into_iter().map(file).collect::<Result<_, _>>()?,
        views: raw.view.into_iter().map(view).collect::<Result<_, _>>()?,
    })
}

fn claim(raw: RawClaim, span: &Range<usize>, at: Spot) -> Result<Claim, Wrong> {
    let id = match (&raw.id, &raw.r#macro) {
        (Some(id), _) if id.get_ref().trim().is_empty() => {
            return wrong(id.span(), "`id` is empty");
        }
        (Some(id), _) if id.get_ref().contains(char::is_control) => {
            return wrong(id.span(), "`id` holds a control character");
        }
        (Some(id), _) => id.get_ref().clone(),
        (None, Some(name)) => bare(name.get_ref()),
        (None, None) => format!("claim-{}", at.line),
    };
    Ok(Claim {
        id,
        at,
        proposed: raw.proposed,
        subject: subject(&raw, span)?,
        format: raw.format,
    })
}

/// The name of a macro without its backslash.
fn bare(name: &str) -> String {
    name.trim_start_matches('\\').to_owned()
}

fn subject(raw: &RawClaim, span: &Range<usize>) -> Result<Subject, Wrong> {
    if let Some(name) = &raw.r#macro {
        let (bare, span_of_name) = (bare(name.get_ref()), name.span());
        if raw.text.is_some() || raw.holds.is_some() {
            return wrong(span_of_name, "a claim has either `macro` or `text`");
        }
        let is_letter = |c: char| c.is_alphabetic() || matches!(c, '@' | '*');
        if bare.is_empty() || !bare.chars().all(is_letter) {
            return wrong(span_of_name, format!("`{bare}` is no name of a macro"));
        }
        return match expected(raw, 1, span)?.pop() {
            Some(value) => Ok(Subject::Macro { name: bare, value }),
            None => wrong(span.clone(), NO_VALUE),
        };
    }
    let (Some(file), Some(text)) = (&raw.file, &raw.text) else {
        let message = "a claim needs `in` and `text`, or `macro`, to say where its number stands";
        return wrong(span.clone(), message);
    };
    let anchor = anchor(file, text, raw.nth)?;
    match (&raw.value, &raw.holds, anchor.marks()) {
        (Some(value), Some(_), _) => wrong(value.span(), "a claim has either `value` or `holds`"),
        (None, None, _) => wrong(span.clone(), NO_VALUE),
        (None, Some(sql), 0) => Ok(Subject::Statement {
            anchor,
            sql: sql.clone(),
        }),
        (None, Some(_), _) => {
            let message = "a statement has no marks; give its numbers a claim with `value`";
            wrong(text.span(), message)
        }
        (Some(_), None, 0) => {
            let message =
                "`text` marks no number; put `[[` and `]]` around each number that has a value";
            wrong(text.span(), message)
        }
        (Some(_), None, marks) => Ok(Subject::Sentence {
            values: expected(raw, marks, span)?,
            anchor,
        }),
    }
}

const NO_VALUE: &str =
    "a claim needs `value` (a query for each mark) or `holds` (a query that is true)";

fn anchor(file: &str, text: &Spanned<String>, nth: Option<usize>) -> Result<Anchor, Wrong> {
    Anchor::new(file, text.get_ref(), nth).or_else(|message| wrong(text.span(), message))
}

/// The values of a claim with this many marks.
fn expected(raw: &RawClaim, marks: usize, span: &Range<usize>) -> Result<Vec<Expected>, Wrong> {
    let queries = for_each(raw.value.as_ref(), marks, false)?;
    let relations = for_each(raw.relation.as_ref(), marks, true)?;
    let rounds = for_each(raw.round.as_ref(), marks, true)?;
    let tolerances = for_each(raw.tolerance.as_ref(), marks, true)?;
    let span = raw.relation.as_ref().map_or(span.clone(), Spanned::span);
    let hows = relations.into_iter().zip(rounds).zip(tolerances);
    let values = queries.into_iter().zip(hows);
    let value = |(sql, ((relation, round), tolerance)): (Option<String>, _)| {
        let Some(sql) = sql else {
            return wrong(span.clone(), NO_VALUE);
        };
        let agreement = agreement(relation, round, tolerance, &span)?;
        Ok(Expected { sql, agreement })
    };
    values.map(value).collect()
}

fn agreement(
    relation: Option<Relation>,
    round: Option<Rounding>,
    tolerance: Option<Amount>,
    span: &Range<usize>,
) -> Result<Agreement, Wrong> {
    if relation == Some(Relation::About) && tolerance.is_none() {
        return wrong(span.clone(), "`relation = \"about\"` needs a `tolerance`");
    }
    Ok(Agreement {
        relation: relation.unwrap_or_default(),
        round: round.unwrap_or_default(),
        tolerance: tolerance.map(|Amount(amount)| amount),
    })
}

/// One value for each mark. A single value applies to all marks if `shared`.
fn for_each<T: Clone>(
    values: Option<&Spanned<Each<T>>>,
    marks: usize,
    shared: bool,
) -> Result<Vec<Option<T>>, Wrong> {
    let Some(values) = values else {
        return Ok(vec![None; marks]);
    };
    let found = match values.get_ref() {
        Each::All(one) if shared || marks == 1 => return Ok(vec![Some(one.clone()); marks]),
        Each::List(list) if list.len() == marks => {
            return Ok(list.iter().cloned().map(Some).collect());
        }
        Each::All(_) => 1,
        Each::List(list) => list.len(),
    };
    let message = format!(
        "the text marks {marks} numbers, but {found} given here; give one for each, in their order"
    );
    wrong(values.span(), message)
}

fn table(
    raw: RawTable,
    seen: &mut BTreeMap<(String, usize), usize>,
    span: &Range<usize>,
    at: Spot,
) -> Result<TableBinding, Wrong> {
    let cell = raw.cell.unwrap_or(1);
    let entry = seen.entry((raw.label.clone(), cell)).or_default();
    *entry += 1;
    let id = raw.id.unwrap_or_else(|| {
        let suffix = |sign: char, number: usize| match number {
            1 => String::new(),
            number => format!("{sign}{number}"),
        };
        format!("{}{}{}", raw.label, suffix('#', cell), suffix('@', *entry))
    });
    Ok(TableBinding {
        id,
        at,
        proposed: raw.proposed,
        label: raw.label,
        cell,
        sql: raw.value,
        agreement: agreement(Some(raw.relation), Some(raw.round), raw.tolerance, span)?,
        rows: raw.rows,
        columns: raw.columns,
    })
}

fn waived(raw: RawWaiver, span: Range<usize>) -> Result<WaivedSubject, Wrong> {
    if raw.reason.get_ref().trim().is_empty() {
        return wrong(raw.reason.span(), "a waiver says its `reason`");
    }
    match (raw.file, raw.text, raw.label, raw.r#macro) {
        (Some(file), Some(text), None, None) => {
            anchor(&file, &text, raw.nth).map(WaivedSubject::Sentence)
        }
        (Some(file), None, None, None) => Ok(WaivedSubject::File(file)),
        (None, None, Some(label), None) => Ok(WaivedSubject::Table(label)),
        (None, None, None, Some(name)) => Ok(WaivedSubject::Macro(bare(&name))),
        _ => {
            let message = "a waiver names `in` with `text`, or `in` alone, or `label`, or `macro`";
            wrong(span, message)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_that_may_stand_in_the_file_is_read() {
        let text = r#"
version = 1
[data]
root = ".."
include = ["results/**"]
[[data.file]]
path = "r.txt"
format = "tsv"
header = "row-names"
na = ["NA"]
[data.view]
base = "select 1"
[[claim]]
in = "a.tex"
text = "from [[1]] to [[2]] ms"
value = ["select 1", "select 2"]
relation = ["<", "about"]
tolerance = 0.5
[[claim]]
macro = '\best'
value = "select 3"
format = "%.1f"
[[claim]]
id = "s"
in = "a.tex"
text = "all"
holds = "select 1"
[[table]]
label = "tab:a"
value = "select 1, 2, 3"
[[table]]
label = "tab:a"
value = "select 1, 2, 3"
rows = { x = "X" }
[[table]]
label = "tab:a"
cell = 2
value = "select 1, 2, 3"
[[waive]]
in = "a.tex"
text = "the [[175]]B"
reason = "cited"
"#;
        let read = Claims::read(text).unwrap();
        let ids: Vec<_> = read.claims.iter().map(|claim| claim.id.as_str()).collect();
        assert_eq!(ids, ["claim-13", "best", "s"]);
        let ids: Vec<_> = read.tables.iter().map(|table| table.id.as_str()).collect();
        assert_eq!(ids, ["tab:a", "tab:a@2", "tab:a#2"]);
        assert_eq!(read.data.files[0].0.header, Header::RowNames);
        let Subject::Sentence { values, .. } = &read.claims[0].subject else {
            panic!("{:?}", read.claims[0]);
        };
        assert_eq!(values[0].agreement.relation, Relation::Less);
        assert_eq!(values[1].agreement.tolerance, Decimal::parse("0.5"));
    }

    #[test]
    fn what_is_wrong_has_its_place() {
        for (text, place, part) in [
            ("version = 2\n", (1, 11), "version 2"),
            ("version = 1\nfoo = 2\n", (2, 1), "unknown field `foo`"),
            (
                "version = 1\n[[claim]]\nin = \"a\"\nvalu = \"x\"\n",
                (4, 1),
                "valu",
            ),
            (
                "version = 1\n[[claim]]\nin = \"a\"\ntext = \"[[1\"\nvalue = \"x\"\n",
                (4, 8),
                "]]",
            ),
            (
                "version = 1\n[[claim]]\nin = \"a\"\ntext = \"no\"\nvalue = \"x\"\n",
                (4, 8),
                "marks no number",
            ),
            (
                "version = 1\n[[claim]]\nin = \"a\"\ntext = \"a [[1]] [[2]]\"\nvalue = \"x\"\n",
                (5, 9),
                "marks 2",
            ),
            (
                "version = 1\n[[claim]]\nin = \"a\"\ntext = \"a [[1]]\"\nvalue = \"x\"\nrelation = \"about\"\n",
                (6, 12),
                "tolerance",
            ),
            (
                "version = 1\n[[claim]]\nin = \"a\"\ntext = \"a [[1]]\"\nvalue = 3\n",
                (5, 9),
                "",
            ),
            (
                "version = 1\n[[waive]]\nin = \"a\"\nreason = \" \"\n",
                (4, 10),
                "reason",
            ),
            (
                "version = 1\n[[table]]\nlabel = \"t\"\nvalue = \"x\"\ncell = 0\n",
                (5, 8),
                "from 1",
            ),
            ("a = \n", (1, 5), ""),
        ] {
            let wrong = Claims::read(text).unwrap_err();
            assert_eq!((wrong.at.line, wrong.at.column), place, "{text}: {wrong}");
            assert!(wrong.message.contains(part), "{text}: {wrong}");
        }
    }
}
