//! DeepXiv, through its own program `deepxiv`, which manages the account and its token.
//!
//! **Source**: the program's `--help` and its package `deepxiv-sdk` (commands, flags, the fields of a result). Its answers have no fixed
//! form; a missing field is unknown.

use std::path::Path;
use std::time::Duration;

use aris_contract::ErrorKind;
use aris_contract::artifact::papers::{Author, Identifiers, Kind, Links, Paper, Source};
use aris_contract::ids::ArxivId;
use aris_proc::ProcError;
use jiff::Timestamp;
use serde_json::Value;

use crate::FetchError;
use crate::json::{at, count, day, doi, list, names, text, texts, year, year_of};

/// Name of the program.
pub const PROGRAM: &str = "deepxiv";

/// Most bytes of an answer.
const LIMIT: usize = 32 << 20;

/// The error for output that cannot be used; `why` is the reason.
fn no_answer(why: impl std::fmt::Display) -> FetchError {
    FetchError::told(
        ErrorKind::Unavailable,
        format!("{PROGRAM} printed no usable answer: {why}"),
        "update it: pip install --upgrade deepxiv-sdk",
    )
}

/// Runs the program with `args` in `folder` and returns its output, trimmed.
pub fn run(folder: &Path, args: &[String], deadline: Duration) -> Result<String, FetchError> {
    let finished = aris_proc::command(PROGRAM, folder)
        .args(args)
        .capture_limit(LIMIT)
        .run(deadline)
        .map_err(|error| match error {
            ProcError::Absent { .. } => FetchError::told(
                ErrorKind::Precondition,
                format!("the program {PROGRAM} is not installed"),
                "install it: pip install deepxiv-sdk",
            ),
            other => FetchError::of(&other),
        })?;
    let code = finished.code().map_err(|error| FetchError::of(&error))?;
    if code != 0 {
        // No network, no token, or no such paper: the program does not distinguish them in a machine-readable way.
        let said = [finished.stderr.text(), finished.stdout.text()];
        let mut last = said.iter().filter_map(|text| {
            let mut lines = text.lines().map(str::trim);
            lines.rfind(|line| !line.is_empty())
        });
        let said = last.next().unwrap_or("it said nothing");
        return Err(FetchError::told(
            ErrorKind::Unavailable,
            format!("{PROGRAM} failed with {code}: {said}"),
            "run deepxiv health, or use another source",
        ));
    }
    if finished.stdout.dropped > 0 {
        return Err(no_answer(format!("more than {LIMIT} bytes")));
    }
    let text = String::from_utf8(finished.stdout.bytes).map_err(no_answer)?;
    Ok(text.trim().to_owned())
}

/// Like [`run`], for commands that print JSON.
pub fn run_json(folder: &Path, args: &[String], deadline: Duration) -> Result<Value, FetchError> {
    let text = run(folder, args, deadline)?;
    serde_json::from_str(&text).map_err(|error| no_answer(format!("no JSON: {error}")))
}

/// Searches papers by words.
pub fn search(
    folder: &Path,
    words: &str,
    wanted: usize,
    deadline: Duration,
    now: Timestamp,
) -> Result<Vec<Paper>, FetchError> {
    let args = [
        "search",
        words,
        "--limit",
        &wanted.to_string(),
        "--mode",
        "hybrid",
        "--format",
        "json",
    ]
    .map(String::from);
    records(&run_json(folder, &args, deadline)?, now)
}

/// The records of an answer: a list of papers, bare or under `results`, `papers`, `data` or `result`, or one paper.
///
/// **Errors**: an answer that is none of these.
pub fn records(answer: &Value, now: Timestamp) -> Result<Vec<Paper>, FetchError> {
    let listed = ["results", "papers", "data", "result"]
        .iter()
        .find_map(|key| at(answer, &[key]).as_array());
    let items = match (answer.as_array().or(listed), answer) {
        (Some(items), _) => items.as_slice(),
        (None, Value::Object(_)) => std::slice::from_ref(answer),
        _ => return Err(no_answer("neither a paper nor a list of papers")),
    };
    Ok(items.iter().filter_map(|item| paper(item, now)).collect())
}

/// The record of one result; `None` if it is not a paper.
fn paper(item: &Value, now: Timestamp) -> Option<Paper> {
    let first = |keys: &[&str]| keys.iter().find_map(|key| text(item, &[key]));
    let arxiv = first(&["arxiv_id", "arxivId", "id"]).and_then(|id| ArxivId::parse(&id).ok());
    let title = first(&["title"]);
    if arxiv.is_none() && title.is_none() {
        return None;
    }
    let date = ["publish_at", "published", "publication_date", "date"];
    let date = date.iter().find_map(|key| day(item, &[key]));
    let bare = arxiv.as_ref().map(ArxivId::without_version);
    let page = bare
        .as_ref()
        .map(|id| format!("https://arxiv.org/abs/{id}"));
    let name = bare.as_ref().map(ToString::to_string);
    let name = name.or_else(|| first(&["id", "url"])).unwrap_or_default();
    Some(Paper {
        title: title.unwrap_or_default(),
        authors: authors(at(item, &["authors"])),
        year: year(item, &["year"]).or_else(|| year_of(date.as_ref())),
        date,
        venue: first(&["venue", "journal_name"]),
        kind: bare.is_some().then_some(Kind::Preprint),
        summary: first(&["abstract", "tldr"]),
        ids: Identifiers {
            arxiv_version: arxiv.as_ref().and_then(ArxivId::version),
            doi: doi(item, &["doi"]).into_iter().collect(),
            arxiv: bare,
            ..Identifiers::default()
        },
        links: Links {
            page: page.or_else(|| first(&["url"])),
            pdf: first(&["pdf_url", "src_url"]),
        },
        citation_count: ["citation", "citations", "citationCount"]
            .iter()
            .find_map(|key| count(item, &[key])),
        fields: texts(list(item, &["categories"]), &[]),
        ..crate::record(Source::Deepxiv, &name, now)
    })
}

/// Authors from a list of names, a list of objects with a name, or a comma-separated text.
fn authors(value: &Value) -> Vec<Author> {
    match value {
        Value::Array(people) => people
            .iter()
            .filter_map(|person| text(person, &[]).or_else(|| text(person, &["name"])))
            .map(|name| Author::named(&name))
            .collect(),
        Value::String(text) => names(text),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn papers_are_found_wherever_they_stand() {
        let paper = json!({"arxiv_id": "2409.05591v2", "title": "Memo", "authors": "H. Qian, P. Zhang", "citation": 4});
        for answer in [
            json!([paper]),
            json!({ "results": [paper] }),
            json!({ "papers": [paper, {"score": 1}] }),
            paper.clone(),
        ] {
            let found = records(&answer, Timestamp::UNIX_EPOCH).expect("records");
            assert_eq!(found.len(), 1, "{answer}");
            let first = found.first().expect("one");
            assert_eq!(first.ids.arxiv_version, Some(2));
            assert_eq!((first.authors.len(), first.citation_count), (2, Some(4)));
        }
        assert!(records(&json!("no such paper"), Timestamp::UNIX_EPOCH).is_err());
        assert!(
            records(&json!({}), Timestamp::UNIX_EPOCH)
                .expect("an answer")
                .is_empty()
        );
    }

    proptest::proptest! {
        #[test]
        fn no_answer_makes_it_panic(id in "\\PC{0,30}", date in "\\PC{0,20}", names in "\\PC{0,40}") {
            let answer = json!([{"arxiv_id": id, "title": names, "publish_at": date, "authors": names}, null, [1]]);
            drop(records(&answer, Timestamp::UNIX_EPOCH));
        }
    }
}
