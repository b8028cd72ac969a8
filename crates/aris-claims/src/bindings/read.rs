//! Reads `claims.toml`.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::ops::Range;

use aris_evidence::{FileSetting, Format, Header, View};
use serde::Deserialize;
use serde::de::{self, Deserializer, SeqAccess, Visitor};
use serde_spanned::Spanned;

use super::{
    Agreement, Anchor, Claim, Claims, Data, Expected, Relation, Rounding, Spot, Subject,
    TableBinding, WaivedSubject, Waiver,
};
use crate::decimal::Decimal;

/// Bytes of `claims.toml`: room for some ten thousand bindings.
pub const MAX_BYTES: usize = 16 << 20;

/// Why `claims.toml` cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}:{}: {message}", at.line, at.column)]
pub struct Malformed {
    /// Where.
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
    root: Option<String>,
    include: Option<Vec<Spanned<String>>>,
    #[serde(default)]
    exclude: Vec<Spanned<String>>,
    #[serde(default, rename = "file")]
    files: Vec<RawDataFile>,
    #[serde(default)]
    view: BTreeMap<String, String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawDataFile {
    path: Spanned<String>,
    format: Option<RawFormat>,
    header: Option<RawHeader>,
    #[serde(default)]
    na: Vec<String>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum RawFormat {
    Csv,
    Tsv,
    Jsonl,
    Json,
    Yaml,
    Toml,
    Sqlite,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum RawHeader {
    First,
    None,
    RowNames,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawClaim {
    id: Option<Spanned<String>>,
    #[serde(rename = "in")]
    file: Option<String>,
    text: Option<Spanned<String>>,
    nth: Option<Spanned<usize>>,
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
    id: Option<Spanned<String>>,
    label: String,
    value: String,
    #[serde(default)]
    rows: BTreeMap<String, String>,
    #[serde(default)]
    columns: BTreeMap<String, String>,
    cell: Option<Spanned<usize>>,
    relation: Option<Relation>,
    round: Option<Rounding>,
    tolerance: Option<Spanned<Amount>>,
    #[serde(default)]
    proposed: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawWaiver {
    #[serde(rename = "in")]
    file: Option<String>,
    text: Option<Spanned<String>>,
    nth: Option<Spanned<usize>>,
    label: Option<String>,
    r#macro: Option<String>,
    reason: Spanned<String>,
}

/// One value, or a list with one for each mark.
#[derive(Clone)]
enum Each<T> {
    One(T),
    List(Vec<T>),
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Each<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either<T>(std::marker::PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Either<T> {
            type Value = Each<T>;

            fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str("one value or a list with one for each mark")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Self::Value, E> {
                T::deserialize(de::value::StrDeserializer::new(text)).map(Each::One)
            }

            fn visit_i64<E: de::Error>(self, number: i64) -> Result<Self::Value, E> {
                T::deserialize(de::value::I64Deserializer::new(number)).map(Each::One)
            }

            fn visit_f64<E: de::Error>(self, number: f64) -> Result<Self::Value, E> {
                T::deserialize(de::value::F64Deserializer::new(number)).map(Each::One)
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
                let mut all = Vec::new();
                while let Some(next) = list.next_element()? {
                    all.push(next);
                }
                Ok(Each::List(all))
            }
        }
        deserializer.deserialize_any(Either(std::marker::PhantomData))
    }
}

/// A tolerance: a number that is not negative.
#[derive(Clone, Copy)]
struct Amount(Decimal);

impl<'de> Deserialize<'de> for Amount {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let number = f64::deserialize(deserializer)?;
        let decimal = Decimal::from_f64(number).filter(|number| !number.is_negative());
        decimal
            .map(Self)
            .ok_or_else(|| de::Error::custom("a tolerance is a number that is not negative"))
    }
}

/// Line and column of byte offsets.
struct Places<'t>(&'t str);

impl Places<'_> {
    fn spot(&self, offset: usize) -> Spot {
        let before = self.0.get(..offset).unwrap_or(self.0);
        let start = before.rfind('\n').map_or(0, |at| at + 1);
        Spot {
            line: before.matches('\n').count() + 1,
            column: before.get(start..).unwrap_or("").chars().count() + 1,
        }
    }

    fn wrong<T>(&self, span: &Range<usize>, message: impl Into<String>) -> Result<T, Malformed> {
        Err(Malformed {
            at: self.spot(span.start),
            message: message.into(),
        })
    }
}

impl Claims {
    /// Reads the text of `claims.toml`.
    ///
    /// **Errors**: the first thing that is wrong, with its place.
    pub fn read(text: &str) -> Result<Self, Malformed> {
        // A byte order mark is no part of the file.
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let places = Places(text);
        let raw: RawFile = toml_edit::de::from_str(text).map_err(|error| Malformed {
            at: places.spot(error.span().map_or(0, |span| span.start)),
            message: error.message().lines().collect::<Vec<_>>().join(" "),
        })?;
        if *raw.version.get_ref() != 1 {
            let found = raw.version.get_ref();
            return places.wrong(
                &raw.version.span(),
                format!("version {found} is not known; this program reads version 1"),
            );
        }
        let mut ids = BTreeSet::new();
        let mut claims = Vec::new();
        for raw in raw.claims {
            let claim = claim(raw, &places)?;
            unique(&mut ids, &claim.id, claim.at)?;
            claims.push(claim);
        }
        let mut seen: BTreeMap<(String, usize), usize> = BTreeMap::new();
        let mut tables = Vec::new();
        for raw in raw.tables {
            let table = table(raw, &mut seen, &places)?;
            unique(&mut ids, &table.id, table.at)?;
            tables.push(table);
        }
        let waivers = raw.waivers.into_iter().map(|raw| waiver(raw, &places));
        Ok(Self {
            data: data(raw.data, &places)?,
            claims,
            tables,
            waivers: waivers.collect::<Result<_, _>>()?,
        })
    }
}

fn unique(ids: &mut BTreeSet<String>, id: &str, at: Spot) -> Result<(), Malformed> {
    if ids.insert(id.to_owned()) {
        return Ok(());
    }
    Err(Malformed {
        at,
        message: format!("id `{id}` is used twice; give one of them another `id`"),
    })
}

fn data(raw: RawData, places: &Places<'_>) -> Result<Data, Malformed> {
    let glob = |pattern: Spanned<String>| match aris_evidence::check_glob(pattern.get_ref()) {
        Ok(()) => Ok(pattern.into_inner()),
        Err(error) => places.wrong(&pattern.span(), error.message),
    };
    let globs = |patterns: Vec<Spanned<String>>| patterns.into_iter().map(glob).collect();
    let file = |file: RawDataFile| {
        Ok(FileSetting {
            path: glob(file.path)?,
            format: file.format.map(|format| match format {
                RawFormat::Csv => Format::Csv,
                RawFormat::Tsv => Format::Tsv,
                RawFormat::Jsonl => Format::JsonLines,
                RawFormat::Json => Format::Json,
                RawFormat::Yaml => Format::Yaml,
                RawFormat::Toml => Format::Toml,
                RawFormat::Sqlite => Format::Sqlite,
            }),
            header: match file.header.unwrap_or(RawHeader::First) {
                RawHeader::First => Header::First,
                RawHeader::None => Header::None,
                RawHeader::RowNames => Header::RowNames,
            },
            na: file.na,
        })
    };
    for name in raw.view.keys() {
        let plain = name.chars().all(|c| c.is_alphanumeric() || c == '_');
        let taken = ["json_each", "json_tree"].contains(&name.as_str());
        if !plain || taken || name.starts_with("sqlite_") || name.is_empty() {
            let at = places.0.find(name.as_str()).unwrap_or(0);
            return places.wrong(
                &(at..at),
                format!("`{name}` is no name for a view; use letters, digits and `_`"),
            );
        }
    }
    let views = raw.view.into_iter();
    Ok(Data {
        root: raw.root,
        include: raw.include.map(globs).transpose()?,
        exclude: globs(raw.exclude)?,
        files: raw.files.into_iter().map(file).collect::<Result<_, _>>()?,
        views: views.map(|(name, sql)| View { name, sql }).collect(),
    })
}

fn claim(raw: Spanned<RawClaim>, places: &Places<'_>) -> Result<Claim, Malformed> {
    let span = raw.span();
    let at = places.spot(span.start);
    let raw = raw.into_inner();
    let id = match (&raw.id, &raw.r#macro) {
        (Some(id), _) if id.get_ref().trim().is_empty() => {
            return places.wrong(&id.span(), "`id` is empty");
        }
        (Some(id), _) if id.get_ref().contains(char::is_control) => {
            return places.wrong(&id.span(), "`id` holds a control character");
        }
        (Some(id), _) => id.get_ref().clone(),
        (None, Some(name)) => name.get_ref().trim_start_matches('\\').to_owned(),
        (None, None) => format!("claim-{}", at.line),
    };
    let subject = subject(&raw, &span, places)?;
    Ok(Claim {
        id,
        at,
        proposed: raw.proposed,
        subject,
        format: raw.format,
    })
}

fn subject(raw: &RawClaim, span: &Range<usize>, places: &Places<'_>) -> Result<Subject, Malformed> {
    if let Some(name) = &raw.r#macro {
        let bare = name.get_ref().trim_start_matches('\\').to_owned();
        if raw.text.is_some() || raw.holds.is_some() {
            return places.wrong(&name.span(), "a claim has either `macro` or `text`");
        }
        if bare.is_empty()
            || !bare
                .chars()
                .all(|c| c.is_alphabetic() || matches!(c, '@' | '*'))
        {
            return places.wrong(&name.span(), format!("`{bare}` is no name of a macro"));
        }
        let mut values = expected(raw, 1, span, places)?;
        let value = values.pop();
        return match value {
            Some(value) => Ok(Subject::Macro { name: bare, value }),
            None => places.wrong(span, "a claim needs `value`"),
        };
    }
    let (Some(file), Some(text)) = (&raw.file, &raw.text) else {
        return places.wrong(
            span,
            "a claim needs `in` and `text`, or `macro`, to say where its number stands",
        );
    };
    let anchor = anchor(file, text, raw.nth.as_ref(), places)?;
    match (&raw.value, &raw.holds) {
        (Some(value), Some(_)) => {
            places.wrong(&value.span(), "a claim has either `value` or `holds`")
        }
        (None, None) => places.wrong(
            span,
            "a claim needs `value` (a query for each mark) or `holds` (a query that is true)",
        ),
        (None, Some(_)) if anchor.marks() > 0 => places.wrong(
            &text.span(),
            "a statement has no marks; give its numbers a claim with `value`",
        ),
        (None, Some(sql)) => Ok(Subject::Statement {
            anchor,
            sql: sql.clone(),
        }),
        (Some(_), None) if anchor.marks() == 0 => places.wrong(
            &text.span(),
            "`text` marks no number; put `[[` and `]]` around each number that has a value",
        ),
        (Some(_), None) => {
            let values = expected(raw, anchor.marks(), span, places)?;
            Ok(Subject::Sentence { anchor, values })
        }
    }
}

fn anchor(
    file: &str,
    text: &Spanned<String>,
    nth: Option<&Spanned<usize>>,
    places: &Places<'_>,
) -> Result<Anchor, Malformed> {
    if let Some(nth) = nth
        && *nth.get_ref() == 0
    {
        return places.wrong(&nth.span(), "`nth` counts from 1");
    }
    let nth = nth.map(|nth| *nth.get_ref());
    match Anchor::new(file, text.get_ref(), nth) {
        Ok(anchor) => Ok(anchor),
        Err(message) => places.wrong(&text.span(), message),
    }
}

/// The values of a claim with so many marks.
fn expected(
    raw: &RawClaim,
    marks: usize,
    span: &Range<usize>,
    places: &Places<'_>,
) -> Result<Vec<Expected>, Malformed> {
    let Some(value) = &raw.value else {
        return places.wrong(span, "a claim needs `value`, a query that gives the number");
    };
    let queries = spread(value, marks, false, places)?;
    let settings = |list: usize| -> Result<Agreement, Malformed> {
        let relation = raw.relation.as_ref();
        let round = raw.round.as_ref();
        let tolerance = raw.tolerance.as_ref();
        let agreement = Agreement {
            relation: nth(relation, list, marks, places)?.unwrap_or_default(),
            round: nth(round, list, marks, places)?.unwrap_or_default(),
            tolerance: nth(tolerance, list, marks, places)?.map(|Amount(amount)| amount),
        };
        let where_from = relation.map_or(span.clone(), Spanned::span);
        about_has_tolerance(agreement, &where_from, places)
    };
    let mut out = Vec::new();
    for (at, sql) in queries.into_iter().enumerate() {
        out.push(Expected {
            sql,
            agreement: settings(at)?,
        });
    }
    Ok(out)
}

fn about_has_tolerance(
    agreement: Agreement,
    span: &Range<usize>,
    places: &Places<'_>,
) -> Result<Agreement, Malformed> {
    if agreement.relation == Relation::About && agreement.tolerance.is_none() {
        return places.wrong(span, "`relation = \"about\"` needs a `tolerance`");
    }
    Ok(agreement)
}

/// One for each mark; a single one stands for all where `shared`.
fn spread<T: Clone>(
    values: &Spanned<Each<T>>,
    marks: usize,
    shared: bool,
    places: &Places<'_>,
) -> Result<Vec<T>, Malformed> {
    let list = match values.get_ref() {
        Each::One(one) if shared || marks == 1 => vec![one.clone(); marks],
        Each::One(one) => vec![one.clone()],
        Each::List(list) => list.clone(),
    };
    if list.len() == marks {
        return Ok(list);
    }
    let found = list.len();
    places.wrong(
        &values.span(),
        format!("{marks} marked numbers and {found} here; give one for each, in their order"),
    )
}

fn nth<T: Clone>(
    values: Option<&Spanned<Each<T>>>,
    at: usize,
    marks: usize,
    places: &Places<'_>,
) -> Result<Option<T>, Malformed> {
    match values {
        None => Ok(None),
        Some(values) => Ok(spread(values, marks, true, places)?.get(at).cloned()),
    }
}

fn table(
    raw: Spanned<RawTable>,
    seen: &mut BTreeMap<(String, usize), usize>,
    places: &Places<'_>,
) -> Result<TableBinding, Malformed> {
    let span = raw.span();
    let raw = raw.into_inner();
    if let Some(cell) = &raw.cell
        && *cell.get_ref() == 0
    {
        return places.wrong(&cell.span(), "`cell` counts from 1");
    }
    let cell = raw.cell.map_or(1, Spanned::into_inner);
    let agreement = Agreement {
        relation: raw.relation.unwrap_or_default(),
        round: raw.round.unwrap_or_default(),
        tolerance: raw.tolerance.map(|amount| amount.into_inner().0),
    };
    let agreement = about_has_tolerance(agreement, &span, places)?;
    let label = raw.label;
    let entry = seen.entry((label.clone(), cell)).or_default();
    *entry += 1;
    let id = raw.id.map_or_else(
        || {
            let cell = if cell > 1 {
                format!("#{cell}")
            } else {
                String::new()
            };
            let again = if *entry > 1 {
                format!("@{entry}")
            } else {
                String::new()
            };
            format!("{label}{cell}{again}")
        },
        Spanned::into_inner,
    );
    Ok(TableBinding {
        id,
        at: places.spot(span.start),
        proposed: raw.proposed,
        label,
        cell,
        sql: raw.value,
        agreement,
        rows: raw.rows,
        columns: raw.columns,
    })
}

fn waiver(raw: Spanned<RawWaiver>, places: &Places<'_>) -> Result<Waiver, Malformed> {
    let span = raw.span();
    let raw = raw.into_inner();
    if raw.reason.get_ref().trim().is_empty() {
        return places.wrong(&raw.reason.span(), "a waiver says its `reason`");
    }
    let subject = match (raw.file, raw.text, raw.label, raw.r#macro) {
        (Some(file), Some(text), None, None) => {
            WaivedSubject::Sentence(anchor(&file, &text, raw.nth.as_ref(), places)?)
        }
        (Some(file), None, None, None) => WaivedSubject::File(file),
        (None, None, Some(label), None) => WaivedSubject::Table(label),
        (None, None, None, Some(name)) => {
            WaivedSubject::Macro(name.trim_start_matches('\\').to_owned())
        }
        _ => {
            return places.wrong(
                &span,
                "a waiver names `in` with `text`, or `in` alone, or `label`, or `macro`",
            );
        }
    };
    Ok(Waiver {
        at: places.spot(span.start),
        subject,
        reason: raw.reason.into_inner(),
    })
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
        assert_eq!(read.data.files[0].header, Header::RowNames);
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
                "2 marked",
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
