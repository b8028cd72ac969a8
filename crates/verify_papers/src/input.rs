//! Reads the references to check, from every kind of input. The only module that reads files.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read as _;
use std::path::Path;

use aris_audit::PaperFiles;
use aris_cli::Context;
use aris_contract::ErrorKind;
use aris_contract::ids::ArxivId;
use aris_latex::IncludeKind;
use aris_paper::bib::{self, Bibliography, Index};
use aris_paper::facts::Month;
use aris_verify::Reference;
use serde_json::Value;

use crate::Error;

/// Largest input, in bytes. A list of 10,000 papers has about three million.
const LIMIT: u64 = 64 << 20;

/// An error for an input that exists but is malformed.
fn invalid(path: &Path, why: &str, hint: &str) -> Error {
    let what = format!("{}: {why}", path.display());
    Error::told(ErrorKind::Validation, what, hint).with("path", path.display().to_string())
}

fn absent(path: &Path, hint: &str) -> Error {
    let what = format!("{} does not exist", path.display());
    Error::absent(what, hint).with("path", path.display().to_string())
}

/// Hint for a list of papers.
const LIST: &str = "give a JSON list such as [{\"id\": \"p1\", \"title\": \"…\", \"doi\": null}]; see --help for other inputs";

/// Hint for a file of titles.
const TITLES: &str = "give a text in UTF-8 with one title on each line";

/// Hint for a bibliography.
const BIB: &str = "give a BibTeX file in UTF-8";

/// A bibliography file.
pub(crate) struct BibFile {
    /// Its path, for messages.
    pub(crate) name: String,
    pub(crate) text: String,
    pub(crate) read: Bibliography,
}

/// References, each with the entry it was made from: index of the file and of the entry within it.
#[derive(Default)]
pub(crate) struct Input {
    pub(crate) references: Vec<Reference>,
    pub(crate) files: Vec<BibFile>,
    pub(crate) entries: Vec<(usize, usize)>,
}

impl Input {
    /// References that do not come from a bibliography.
    fn of(references: Vec<Reference>) -> Self {
        Self {
            references,
            ..Self::default()
        }
    }
}

/// Reads a JSON list of papers.
pub(crate) fn json(context: &Context, path: &Path, now: Month) -> Result<Input, Error> {
    let bytes = bytes(context, path, LIST)?;
    let refuse = |why: String| invalid(path, &why, LIST);
    if bytes.trim_ascii().is_empty() {
        return Err(refuse(String::from("the file is empty")));
    }
    let value: Value = serde_json::from_slice(&bytes)
        .map_err(|error| refuse(format!("this is not JSON: {error}")))?;
    let list = value
        .as_array()
        .ok_or_else(|| refuse(String::from("not a list of papers")))?;
    if let Some(at) = list.iter().position(|row| !row.is_object()) {
        return Err(refuse(format!("paper {} is not an object", at + 1)));
    }
    let rows = list.iter().enumerate();
    let references = rows.map(|(at, row)| paper(row, at, now)).collect();
    Ok(Input::of(references))
}

/// One paper of the list. A value that is not a text (null, a list) is ignored, as in the reference.
fn paper(row: &Value, at: usize, now: Month) -> Reference {
    let text = |name: &str| match row.get(name) {
        Some(Value::String(text)) => text.trim().to_owned(),
        Some(Value::Number(number)) => number.to_string(),
        _ => String::new(),
    };
    let id = match text("id") {
        id if id.is_empty() => format!("paper-{at}"),
        id => id,
    };
    let authors = match row.get("authors") {
        Some(Value::Array(names)) => names
            .iter()
            .filter_map(|name| name.as_str().or_else(|| name.get("name")?.as_str()))
            .map(one_name)
            .collect::<Vec<_>>()
            .join(" and "),
        _ => text("authors"),
    };
    let arxiv = text("arxiv_id");
    let kind = if arxiv.is_empty() { "" } else { "arXiv" };
    let (title, doi, year, venue) = (text("title"), text("doi"), text("year"), text("venue"));
    let fields: Vec<(&str, &str)> = [
        ("title", title.as_str()),
        ("author", &authors),
        ("year", &year),
        ("journal", &venue),
        ("doi", &doi),
        ("eprint", &arxiv),
        ("archiveprefix", kind),
    ]
    .into_iter()
    .filter(|(_, value)| !value.is_empty())
    .collect();
    Reference::from_fields(&id, &fields, now)
}

/// One name of a list. A name with "and" in it is a group, and gets braces.
fn one_name(name: &str) -> String {
    let name = name.replace(['{', '}'], "");
    if name
        .split_whitespace()
        .any(|word| word.eq_ignore_ascii_case("and"))
    {
        format!("{{{name}}}")
    } else {
        name
    }
}

/// Papers of which only the arXiv identifier is known, with the ids that the reference gives them.
///
/// **Errors**: a usage error for an invalid identifier.
pub(crate) fn arxiv_ids(list: &str, now: Month) -> Result<Input, Error> {
    let ids = list.split(',').map(str::trim).filter(|id| !id.is_empty());
    let references = ids.enumerate().map(|(at, id)| {
        let hint = "identifiers look like 2501.12345 or cs/0601001";
        ArxivId::parse(id).map_err(|error| Error::usage(error.to_string(), hint))?;
        let fields = [("eprint", id), ("archiveprefix", "arXiv")];
        Ok(Reference::from_fields(&format!("arxiv-{at}"), &fields, now))
    });
    Ok(Input::of(references.collect::<Result<_, Error>>()?))
}

/// Papers of which only the title is known, with the ids that the reference gives them.
pub(crate) fn titles(context: &Context, path: &Path, now: Month) -> Result<Input, Error> {
    let bytes = bytes(context, path, TITLES)?;
    let text =
        String::from_utf8(bytes).map_err(|error| invalid(path, &error.to_string(), TITLES))?;
    let titles = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let references = titles.enumerate().map(|(at, title)| {
        let made = Reference::from_fields(&format!("title-{at}"), &[("title", title)], now);
        Reference {
            listed_kind: true,
            ..made
        }
    });
    Ok(Input::of(references.collect()))
}

/// All entries of a bibliography.
pub(crate) fn bibliography(context: &Context, path: &Path, now: Month) -> Result<Input, Error> {
    let bytes = bytes(context, path, BIB)?;
    let file =
        bib_file(&path.display().to_string(), &bytes).map_err(|why| invalid(path, &why, BIB))?;
    Ok(collect(vec![file], None, now))
}

/// The cited entries of a paper.
pub(crate) fn paper_folder(
    context: &Context,
    path: &Path,
    root: Option<&str>,
    now: Month,
) -> Result<Input, Error> {
    let told = |why: &str, hint| {
        Error::usage(format!("{}: {why}", path.display()), hint)
            .with("path", path.display().to_string())
    };
    let hint = "name the folder with the paper's LaTeX sources, or a bibliography with --bib";
    let refuse = |why: String| told(&why, hint);
    let folder = aris_fs::lexical(&context.absolute(path));
    if folder.is_file() {
        let hint =
            "name the folder with the paper's LaTeX sources, and the root document with --root";
        return Err(told("this is a file", hint));
    }
    if !folder.is_dir() {
        return Err(absent(path, hint));
    }
    let mut files = PaperFiles::new(&folder);
    let document = files
        .document(root)
        .map_err(|obstacle| told(&obstacle.message, obstacle.action))?;
    let mut read: Vec<BibFile> = Vec::new();
    let mut meant: BTreeMap<usize, usize> = BTreeMap::new();
    let asked = document.includes.iter().enumerate();
    for (at, include) in asked.filter(|(_, asked)| asked.kind == IncludeKind::Bibliography) {
        for candidate in &include.candidates {
            match files.source(candidate) {
                Ok(None) => continue,
                Ok(Some(bytes)) => {
                    let known = read.iter().position(|file| &file.name == candidate);
                    meant.insert(at, known.unwrap_or(read.len()));
                    if known.is_none() {
                        let file = bib_file(candidate, &bytes)
                            .map_err(|why| refuse(format!("{candidate}: {why}")))?;
                        read.push(file);
                    }
                }
                Err(why) => return Err(refuse(format!("{candidate}: {why}"))),
            }
            break;
        }
    }
    if read.is_empty() {
        return Err(refuse(String::from(
            "the document names no bibliography that is there",
        )));
    }
    // Each part of the document cites from bibliographies of its own; `*` stands for all entries.
    let mut cited = BTreeSet::new();
    let parts = document.ref_sections.iter().map(|part| {
        let requests = part.bibliographies.iter();
        requests.filter_map(|at| meant.get(at).copied()).collect()
    });
    let parts: Vec<Vec<usize>> = parts.collect();
    let keys = document.citations.iter();
    let keys = keys.map(|citation| (citation.ref_section, citation.key.to_ascii_lowercase()));
    let all = document.ref_sections.iter().enumerate();
    let all = all.filter(|(_, part)| part.nocite_all);
    for (part, key) in keys.chain(all.map(|(at, _)| (at, String::from("*")))) {
        let files = parts.get(part).into_iter().flatten();
        cited.extend(files.map(|file| (*file, key.clone())));
    }
    Ok(collect(read, Some(&cited), now))
}

fn bib_file(name: &str, bytes: &[u8]) -> Result<BibFile, String> {
    let text = bib::decode(bytes).map_err(|error| format!("{error}; {}", error.hint()))?;
    Ok(BibFile {
        name: name.to_owned(),
        read: bib::read(text),
        text: text.to_owned(),
    })
}

/// References for all entries, or for those that are cited, by file and key.
fn collect(files: Vec<BibFile>, cited: Option<&BTreeSet<(usize, String)>>, now: Month) -> Input {
    let mut input = Input::default();
    let index = Index::new(files.iter().map(|file| &file.read));
    for (number, file) in files.iter().enumerate() {
        for (at, entry) in file.read.entries.iter().enumerate() {
            let wanted = cited.is_none_or(|keys| {
                let key = [entry.key.to_ascii_lowercase(), String::from("*")];
                key.into_iter().any(|key| keys.contains(&(number, key)))
            });
            let holds_others = matches!(entry.kind.as_str(), "xdata" | "set");
            if wanted && !holds_others && !entry.commented {
                input
                    .references
                    .push(Reference::of(&index.resolve(entry), now));
                input.entries.push((number, at));
            }
        }
    }
    input.files = files;
    input
}

/// The bytes of a file or of standard input, up to [`LIMIT`].
fn bytes(context: &Context, path: &Path, hint: &'static str) -> Result<Vec<u8>, Error> {
    if path != Path::new("-") {
        return aris_fs::read(&context.absolute(path), LIMIT).map_err(|error| {
            if error.is_not_found() {
                absent(path, hint)
            } else {
                Error::from(error)
            }
        });
    }
    let mut bytes = Vec::new();
    std::io::stdin()
        .lock()
        .take(LIMIT + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| {
            let what = format!("cannot read standard input: {error}");
            Error::told(ErrorKind::Precondition, what, "")
        })?;
    if bytes.len() as u64 > LIMIT {
        return Err(invalid(path, &format!("more than {LIMIT} bytes"), hint));
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const NOW: Month = Month {
        year: 2026,
        month: 11,
    };

    #[test]
    fn rows_as_skills_write_them() {
        let row = json!({"id": "p1", "arxiv_id": "2307.03172v2", "doi": null, "title": "Lost in the Middle",
            "authors": ["Nelson F. Liu", {"name": "Percy Liang"}, "Fish and Chips Group"], "year": 2023});
        let made = paper(&row, 0, NOW);
        assert_eq!((made.key.as_str(), made.year), ("p1", Some(2023)));
        assert_eq!(made.arxiv[0].as_str(), "2307.03172");
        assert_eq!(made.authors.len(), 3);
        let bare = paper(&json!({"title": "T"}), 4, NOW);
        assert_eq!(bare.key, "paper-4");
        assert!(bare.listed_kind);
        assert!(paper(&json!({"id": 7}), 0, NOW).is_empty());
    }

    proptest::proptest! {
        #[test]
        fn no_value_makes_it_panic(text in "\\PC{0,200}") {
            let row = json!({"id": text, "arxiv_id": text, "doi": text, "title": text, "authors": [text.clone()], "year": text});
            paper(&row, 0, NOW);
            drop(arxiv_ids(&text, NOW));
        }
    }
}
