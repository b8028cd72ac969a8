//! Output of paper records: in an envelope, one per line, as a bibliography, or in the format that the reference's skills read.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::Path;

use aris_cli::{Product, Style};
use aris_contract::artifact::papers::{Author, Identifiers, Kind, Links, Origin, Paper, Source};
use aris_contract::ids::ArxivId;
use aris_paper::records;
use aris_sources::Answer;
use jiff::Timestamp;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::{Map, Value};

/// Flags that choose the form of the output. `--json` goes before all of them.
#[derive(Clone, Copy, Debug, Default, clap::Args)]
pub struct FormArgs {
    /// Print one record a line, as JSON
    #[arg(long, conflicts_with_all = ["bibtex", "compat"], display_order = 790)]
    pub jsonl: bool,
    /// Print a bibliography entry for each record
    #[arg(long, conflicts_with = "compat", display_order = 791)]
    pub bibtex: bool,
    /// Print the JSON of the original ARIS script of this name
    #[arg(long, display_order = 792)]
    pub compat: bool,
}

/// Records and how to print them.
#[derive(Clone, Debug)]
pub struct Papers {
    /// Schema id of the list.
    pub schema: &'static str,
    /// The records.
    pub papers: Vec<Paper>,
    /// Further entries for the envelope's `meta`: totals, missing papers, where to continue.
    pub more: Map<String, Value>,
    /// The requested output format.
    pub form: FormArgs,
    /// The text output without a format flag and with `--compat`.
    pub plain: String,
}

impl Papers {
    /// The records of an answer. The total, where to continue, and the number of items that are not papers go into `meta`.
    pub fn of(schema: &'static str, found: Answer, plain: String, form: FormArgs) -> Self {
        let is_other = |(item, paper): &&(Value, Option<Paper>)| !item.is_null() && paper.is_none();
        let others = found.items.iter().filter(is_other).count();
        let known = [
            ("total", found.total.map(Value::from)),
            ("next", found.next.map(Value::from)),
            ("token", found.token.clone().map(Value::from)),
            ("without_record", (others > 0).then(|| Value::from(others))),
        ];
        let known = known.into_iter();
        Self {
            schema,
            papers: found.papers(),
            more: known
                .filter_map(|(key, value)| Some((key.to_owned(), value?)))
                .collect(),
            form,
            plain,
        }
    }

    /// Adds a value to the envelope's `meta`.
    #[must_use]
    pub fn with(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.more.insert(key.to_owned(), value.into());
        self
    }
}

impl Serialize for Papers {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.papers.serialize(serializer)
    }
}

impl Product for Papers {
    fn schema(&self) -> &'static str {
        self.schema
    }

    fn count(&self) -> Option<usize> {
        Some(self.papers.len())
    }

    fn meta(&self) -> Map<String, Value> {
        self.more.clone()
    }

    fn render(&self, out: &mut dyn Write, _style: Style) -> io::Result<()> {
        if self.form.jsonl {
            jsonl(&self.papers, out)
        } else if self.form.bibtex {
            out.write_all(bibliography(&self.papers).as_bytes())
        } else {
            writeln!(out, "{}", self.plain.trim_end_matches('\n'))
        }
    }
}

/// Writes one record per line, as JSON.
pub fn jsonl(papers: &[Paper], out: &mut dyn Write) -> io::Result<()> {
    for paper in papers {
        serde_json::to_writer(&mut *out, paper)?;
        writeln!(out)?;
    }
    Ok(())
}

/// A bibliography of all records. Equal keys get a letter, in the order of the records.
pub fn bibliography(papers: &[Paper]) -> String {
    let mut used: BTreeMap<String, usize> = BTreeMap::new();
    let mut text = String::new();
    for paper in papers {
        let key = records::key(paper);
        let count = used.entry(key.clone()).or_insert(0);
        *count += 1;
        let key = if *count == 1 {
            key
        } else {
            format!("{key}{}", letters(*count - 1))
        };
        text.push_str(&records::bibtex(paper, &key));
        text.push('\n');
    }
    text.trim_end_matches('\n').to_owned() + if text.is_empty() { "" } else { "\n" }
}

/// A number as letters: 1 is `a`, 26 is `z`, 27 is `aa`.
fn letters(mut number: usize) -> String {
    let mut text = Vec::new();
    while number > 0 {
        number -= 1;
        let letter = u8::try_from(number % 26).unwrap_or_default();
        text.push(char::from(b'a' + letter));
        number /= 26;
    }
    text.into_iter().rev().collect()
}

/// An entry of the list that `arxiv_fetch search` prints without a flag; its fields are those of the reference's script.
#[derive(Deserialize)]
struct Plain {
    id: ArxivId,
    title: String,
    authors: Vec<String>,
    r#abstract: String,
    published: String,
    categories: Vec<String>,
    pdf_url: String,
    abs_url: String,
}

impl Plain {
    /// The record. The entry does not say when arXiv answered; the file's time is used instead.
    fn record(self, file: &Path) -> Paper {
        let said = |text: String| Some(text).filter(|text| !text.is_empty());
        let written = file.metadata().and_then(|found| found.modified()).ok();
        let written = written.and_then(|time| Timestamp::try_from(time).ok());
        Paper {
            title: self.title,
            authors: self
                .authors
                .iter()
                .map(|name| Author::named(name))
                .collect(),
            year: self.published.get(..4).and_then(|year| year.parse().ok()),
            date: said(self.published),
            kind: Some(Kind::Preprint),
            summary: said(self.r#abstract),
            ids: Identifiers {
                arxiv_version: self.id.version(),
                arxiv: Some(self.id.without_version()),
                ..Identifiers::default()
            },
            links: Links {
                page: said(self.abs_url),
                pdf: said(self.pdf_url),
            },
            fields: self.categories,
            origins: vec![Origin {
                source: Source::Arxiv,
                record: self.id.as_str().to_owned(),
                retrieved_at: aris_contract::time::stamp(written.unwrap_or_default()),
            }],
            ..Paper::default()
        }
    }
}

/// Reads records from a file that a helper printed: one JSON value (a record, a list of them, or an envelope with them in `data` or `papers`),
/// one record per line, or the plain list of `arxiv_fetch search`.
///
/// **Errors**: the line, from 1, and what is wrong with it.
pub fn read(file: &Path, bytes: &[u8]) -> Result<Vec<Paper>, (usize, String)> {
    let record = |value: Value| {
        if value.get("origins").is_some() {
            return serde_json::from_value(value).map_err(|error| format!("not a record: {error}"));
        }
        // Other objects with titles are not records: a record names its source.
        let plain = Plain::deserialize(&value).ok();
        let record = plain.map(|plain| plain.record(file));
        record.ok_or_else(|| String::from("not a record of a helper: the field origins is missing"))
    };
    let whole = match serde_json::from_slice(bytes) {
        Ok(value) => {
            let papers = listed(value).into_iter().map(record);
            return papers.collect::<Result<_, _>>().map_err(|why| (1, why));
        }
        Err(whole) => whole,
    };
    let text = String::from_utf8_lossy(bytes);
    let lines = text.lines().enumerate();
    lines
        .filter(|(_, line)| !line.trim().is_empty())
        .map(|(at, line)| match serde_json::from_str(line) {
            Ok(value) => record(value).map_err(|why| (at + 1, why)),
            // The first line decides whether the text is one value or one record per line.
            Err(_) if at == 0 => Err((whole.line(), whole.to_string())),
            Err(error) => Err((at + 1, error.to_string())),
        })
        .collect()
}

fn listed(value: Value) -> Vec<Value> {
    match value {
        Value::Array(list) => list,
        Value::Object(mut map) => match map.remove("data").or_else(|| map.remove("papers")) {
            Some(inner) => listed(inner),
            None => vec![Value::Object(map)],
        },
        other => vec![other],
    }
}

/// JSON in the layout of Python's `json.dumps(indent=2)`.
pub fn indented(value: &Value) -> String {
    format!("{value:#}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_keys_of_a_bibliography_are_told_apart() {
        let paper = Paper {
            title: String::from("Deep learning"),
            year: Some(2015),
            ..Paper::default()
        };
        let text = bibliography(&vec![paper; 3]);
        for key in ["{2015deep,", "{2015deepa,", "{2015deepb,"] {
            assert_eq!(text.matches(key).count(), 1, "{key} in {text}");
        }
        assert_eq!(bibliography(&[]), "");
        assert_eq!((letters(26), letters(27)), ("z".into(), "aa".into()));
    }

    #[test]
    fn a_line_of_jsonl_is_a_record() {
        let paper = Paper {
            title: String::from("One\ntwo"),
            ..Paper::default()
        };
        let mut out = Vec::new();
        jsonl(&[paper.clone(), paper.clone()], &mut out).expect("written");
        let text = String::from_utf8(out).expect("text");
        let read: Vec<Paper> = text
            .lines()
            .map(|line| serde_json::from_str(line).expect("a record"))
            .collect();
        assert_eq!(read, [paper.clone(), paper]);
    }

    #[test]
    fn records_come_as_lines_list_or_envelope() {
        let one = r#"{"title":"A","origins":[]}"#;
        for (text, wanted) in [
            (format!("{one}\n\n{one}\n"), 2),
            (format!("[{one},{one}]"), 2),
            (format!(r#"{{"data":[{one}],"meta":{{}}}}"#), 1),
            (format!(r#"{{"data":{{"papers":[{one}]}}}}"#), 1),
            (one.to_owned(), 1),
            (String::new(), 0),
        ] {
            let found = read(Path::new(""), text.as_bytes()).expect("records");
            assert_eq!(found.len(), wanted, "{text}");
        }
        for bad in [
            "[{\"title\":\"A\"}]",
            "not JSON",
            "{\"title\":\"A\",\"origins\":[]}\n{",
            "[1]",
        ] {
            assert!(read(Path::new(""), bad.as_bytes()).is_err(), "{bad}");
        }
        let error = read(Path::new(""), format!("{one}\n{{\n").as_bytes()).expect_err("broken");
        assert_eq!(error.0, 2, "{error:?}");
    }
}
