//! Checks the artifacts of an integration: whether each exists and is valid. The edge that reads them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::str::Utf8Error;

use aris_contract::artifact::audit::{Audit, GateReport};
use aris_contract::ids::{ArxivId, arxiv_mentions};
use aris_contract::integrations::{Artifact, Covers, Form};
use aris_contract::json::{self, Limits};
use aris_contract::schema;
use aris_fs::{EntryKind, FsError};
use serde::Serialize;

use crate::files;

/// The eight bytes that every PNG begins with. **Source**: PNG specification §5.2.
const PNG: &[u8] = b"\x89PNG\r\n\x1a\n";

/// Most names that a reason lists; it counts the others.
const NAMED: usize = 5;

/// Largest text artifact that is read, in bytes. Pages and logs are far smaller.
const TEXT_LIMIT: u64 = 64 << 20;

/// The state of one artifact.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Left {
    /// Path in the project; the pattern when no file matches it.
    pub(crate) path: String,
    /// Its state.
    pub(crate) state: State,
    /// Why it is not valid.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) reason: Option<String>,
}

/// State of an artifact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub(crate) enum State {
    /// It exists and is valid.
    Valid,
    /// It does not exist.
    Missing,
    /// It exists and is not valid.
    Invalid,
    /// It is valid, and reports something other than success.
    Contrary,
    /// It is valid, and is about files that have changed since.
    Stale,
    /// It could not be read.
    Unreadable,
}

impl Left {
    fn new(path: &str, state: State, reason: impl Into<String>) -> Self {
        Self {
            path: path.to_owned(),
            state,
            reason: Some(reason.into()),
        }
    }
}

/// Checks every file below `root` that `artifact` stands for. Empty only for an artifact with `covers` that has nothing to
/// cover.
pub(crate) fn left(root: &Path, artifact: &Artifact) -> Vec<Left> {
    let mut folders: Vec<&str> = artifact.path.split('/').collect();
    let name = folders.pop().unwrap_or_default();
    let mut places = vec![String::new()];
    for folder in folders {
        let mut below = Vec::new();
        for place in &places {
            if !folder.contains('*') {
                below.push(format!("{place}{folder}/"));
                continue;
            }
            match names(root, place, folder, true) {
                Ok(names) => below.extend(names.into_iter().map(|name| format!("{place}{name}/"))),
                Err(error) => return vec![Left::new(place, State::Unreadable, error.to_string())],
            }
        }
        places = below;
    }
    if places.is_empty() {
        let why = "no folder matches";
        return vec![Left::new(&artifact.path, State::Missing, why)];
    }
    let found = places
        .iter()
        .map(|place| in_folder(root, place, name, artifact));
    let mut found: Vec<Left> = found.collect();
    if matches!(
        artifact.covers,
        Some(Covers::ArxivIds(_) | Covers::Folders(_))
    ) {
        // A missing file alone is not a fault here: `uncovered` decides what needs a file.
        found.retain(|left| left.state != State::Missing);
        let problem = match uncovered(root, artifact) {
            Ok(names) if names.is_empty() => None,
            Ok(names) => {
                let shown = names.get(..NAMED).unwrap_or(&names).join(", ");
                let more = match names.len().saturating_sub(NAMED) {
                    0 => String::new(),
                    more => format!(" and {more} more"),
                };
                Some((State::Missing, format!("nothing of {shown}{more}")))
            }
            Err(error) => Some((State::Unreadable, error.to_string())),
        };
        found.extend(problem.map(|(state, reason)| Left::new(&artifact.path, state, reason)));
    }
    found
}

/// The arXiv identifiers in `eprint` fields of BibTeX. Identifiers of other archives do not parse as one.
fn eprints(text: &str) -> Vec<ArxivId> {
    let folded = text.to_ascii_lowercase();
    let fields = folded.match_indices("eprint").filter_map(|(at, name)| {
        let rest = text.get(at + name.len()..)?.trim_start();
        let value = rest.strip_prefix('=')?.trim_start();
        let value = value.strip_prefix(['{', '"'])?;
        let end = value.find(['}', '"'])?;
        value.get(..end)?.trim().parse().ok()
    });
    fields.collect()
}

/// The names that the artifact's files should contain and do not, sorted.
pub(crate) fn uncovered(root: &Path, artifact: &Artifact) -> Result<Vec<String>, FsError> {
    let wanted: BTreeSet<String> = match &artifact.covers {
        None | Some(Covers::Inputs { .. }) => return Ok(Vec::new()),
        Some(Covers::ArxivIds(patterns)) => (files::texts(root, patterns)?.iter())
            .flat_map(|(_, text)| {
                let mentions = arxiv_mentions(text).into_iter();
                let announced = mentions.filter_map(|mention| mention.id.ok());
                announced.chain(eprints(text)).collect::<Vec<_>>()
            })
            .map(|id| id.without_version().as_str().to_owned())
            .collect(),
        Some(Covers::Folders(pattern)) => (files::matching(root, &[pattern])?.iter())
            .filter_map(|path| Some(Path::new(path).parent()?.file_name()?.to_str()?.to_owned()))
            .collect(),
    };
    let pages = files::texts(root, &[&artifact.path])?;
    let is_named = |name: &String| {
        let mut pages = pages.iter();
        pages.any(|(path, text)| path.contains(name) || text.contains(name))
    };
    Ok(wanted.into_iter().filter(|name| !is_named(name)).collect())
}

/// The artifact in one folder: the file; with a pattern the first valid match, else the first match.
fn in_folder(root: &Path, place: &str, name: &str, artifact: &Artifact) -> Left {
    if !name.contains('*') {
        return judge(root, &format!("{place}{name}"), artifact);
    }
    let pattern = format!("{place}{name}");
    let names = match names(root, place, name, false) {
        Ok(names) => names,
        Err(error) => return Left::new(&pattern, State::Unreadable, error.to_string()),
    };
    let mut first = None;
    for name in names {
        let left = judge(root, &format!("{place}{name}"), artifact);
        if left.state == State::Valid {
            return left;
        }
        first.get_or_insert(left);
    }
    first.unwrap_or_else(|| Left::new(&pattern, State::Missing, "no file matches"))
}

/// Names in a folder that match `pattern`, sorted; none where there is no such folder. A link counts as its target.
fn names(root: &Path, place: &str, pattern: &str, folders: bool) -> Result<Vec<String>, FsError> {
    let entries = match aris_fs::list_sorted(&root.join(place)) {
        Err(FsError::NotFound { .. } | FsError::NotFolder { .. }) => return Ok(Vec::new()),
        other => other?,
    };
    let wanted = |entry: &aris_fs::Entry| match entry.kind {
        EntryKind::Folder => folders,
        EntryKind::File | EntryKind::Special => !folders,
        EntryKind::Link => entry.path.is_dir() == folders,
    };
    let names = entries.iter().filter(|entry| wanted(entry));
    let names = names.filter_map(|entry| entry.name.to_str());
    let names = names.filter(|name| matches(pattern, name));
    Ok(names.map(str::to_owned).collect())
}

/// Whether `name` matches `pattern`. A hidden name matches only a pattern that begins with a dot.
fn matches(pattern: &str, name: &str) -> bool {
    let is_hidden = name.starts_with('.') && !pattern.starts_with('.');
    !is_hidden && files::is_named(&[pattern], name)
}

fn judge(root: &Path, path: &str, artifact: &Artifact) -> Left {
    let limit = match &artifact.form {
        Form::Schema(_) | Form::Json => Limits::ARTIFACT.bytes as u64,
        Form::Text | Form::Png => TEXT_LIMIT,
    };
    let at = root.join(path);
    let read = match &artifact.form {
        Form::Png => aris_fs::open(&at).and_then(|file| file.head(PNG.len() as u64)),
        _ => aris_fs::read(&at, limit),
    };
    let bytes = match read {
        Ok(bytes) => bytes,
        Err(error) if error.is_not_found() && at.symlink_metadata().is_err() => {
            return Left::new(path, State::Missing, "does not exist");
        }
        Err(error @ (FsError::NotRegular { .. } | FsError::TooLarge { .. })) => {
            return Left::new(path, State::Invalid, error.to_string());
        }
        Err(error) => return Left::new(path, State::Unreadable, error.to_string()),
    };
    let folder = at.parent().unwrap_or(root);
    let judged = verdict(&bytes, artifact, root, folder);
    let (state, reason) =
        judged.map_or_else(|(state, why)| (state, Some(why)), |()| (State::Valid, None));
    let path = path.to_owned();
    Left {
        path,
        state,
        reason,
    }
}

/// The first input file that the artifact should know and does not.
fn unknown_input(
    artifact: &Artifact,
    value: &serde_json::Value,
    known: &[PathBuf],
    root: &Path,
) -> Result<Option<String>, FsError> {
    let Some(Covers::Inputs {
        files,
        except,
        when,
    }) = &artifact.covers
    else {
        return Ok(None);
    };
    let asked = |when: &String| value.pointer(when) == Some(&serde_json::Value::Bool(true));
    if !when.as_ref().is_none_or(asked) {
        return Ok(None);
    }
    let known: BTreeSet<PathBuf> = known.iter().map(|path| aris_fs::lexical(path)).collect();
    let found = files::matching(root, files)?;
    let is_known = |path: &String| {
        files::is_named(except, path) || known.contains(&aris_fs::lexical(&root.join(path)))
    };
    Ok(found.into_iter().find(|path| !is_known(path)))
}

/// The inputs with their digests as the document writes them: `{path: digest}`, or a list of `{path, sha256}`.
fn digests(list: &serde_json::Value) -> Vec<(&str, Option<&str>)> {
    let listed = list.as_array().into_iter().flatten();
    let listed = listed.filter_map(|file| Some((file["path"].as_str()?, file["sha256"].as_str())));
    let mapped = list.as_object().into_iter().flatten();
    let mapped = mapped.map(|(path, digest)| (path.as_str(), digest.as_str()));
    mapped.chain(listed).collect()
}

fn verdict(
    bytes: &[u8],
    artifact: &Artifact,
    root: &Path,
    folder: &Path,
) -> Result<(), (State, String)> {
    let invalid = |why: String| (State::Invalid, why);
    let id = match &artifact.form {
        Form::Png if bytes == PNG => return Ok(()),
        Form::Png => return Err(invalid(String::from("is not a PNG image"))),
        Form::Text => {
            let not_utf8 =
                |error: Utf8Error| format!("is not UTF-8 at byte {}", error.valid_up_to());
            let text = str::from_utf8(bytes).map_err(|error| invalid(not_utf8(error)))?;
            let is_empty = text.trim().is_empty();
            return if is_empty {
                Err(invalid(String::from("is empty")))
            } else {
                Ok(())
            };
        }
        Form::Json => None,
        Form::Schema(id) => Some(id),
    };
    let value = json::value(bytes, Limits::ARTIFACT)
        .map_err(|error| invalid(format!("is not JSON: {error}")))?;
    if let Some(id) = id {
        // serde would read a list as the fields in their order.
        if !value.is_object() {
            return Err(invalid(format!("is not {id}: not an object")));
        }
        follows(id, bytes).map_err(|why| invalid(format!("is not {id}: {why}")))?;
    }
    for expect in &artifact.expect {
        let found = value.pointer(&expect.pointer);
        if found.and_then(serde_json::Value::as_str) != Some(expect.is.as_str()) {
            let found = found.map_or_else(|| String::from("nothing"), ToString::to_string);
            let why = format!("says {found} at {}, not {:?}", expect.pointer, expect.is);
            return Err((State::Contrary, why));
        }
    }
    let hashed = artifact.hashed.as_ref();
    let inputs = hashed.and_then(|pointer| value.pointer(pointer));
    let inputs = inputs.map(digests).unwrap_or_default();
    // A file in `.aris` is about the folder that `.aris` lies in.
    let base = match folder.parent() {
        Some(parent) if folder.ends_with(".aris") => parent,
        _ => folder,
    };
    let paths: Vec<PathBuf> = inputs.iter().map(|(path, _)| base.join(path)).collect();
    let unknown = unknown_input(artifact, &value, &paths, root)
        .map_err(|error| (State::Unreadable, error.to_string()))?;
    if let Some(path) = unknown {
        return Err((State::Contrary, format!("does not know {path}")));
    }
    for ((path, digest), now) in inputs.iter().zip(aris_audit::digest_files(&paths)) {
        match now {
            Ok(now) if digest.and_then(aris_audit::Digest::parse) == Some(now) => {}
            Err(error) if !error.is_not_found() => {
                return Err((State::Unreadable, error.to_string()));
            }
            _ => {
                let why = format!("is about an earlier state of {path}");
                return Err((State::Stale, why));
            }
        }
    }
    Ok(())
}

/// Parses a document as the type that its writer and its readers share. **Errors**: what is wrong with it, with line and
/// column.
fn follows(id: &str, bytes: &[u8]) -> Result<(), String> {
    let read = match id {
        schema::id::AUDIT => serde_json::from_slice::<Audit>(bytes).map(|_| ()),
        schema::id::GATE_REPORT => serde_json::from_slice::<GateReport>(bytes).map(|_| ()),
        _ => return Err(String::from("no type is known for it")),
    };
    read.map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use aris_contract::integrations::{Expect, Step};
    use aris_testkit::Project;
    use proptest::prelude::*;

    use super::*;

    fn artifact(path: &str, form: Form) -> Artifact {
        Artifact {
            path: path.to_owned(),
            form,
            expect: Vec::new(),
            hashed: None,
            covers: None,
            backfill: Step::Skill {
                skill: String::from("/x"),
            },
        }
    }

    fn expect(pointer: &str, is: &str) -> Vec<Expect> {
        vec![Expect {
            pointer: pointer.to_owned(),
            is: is.to_owned(),
        }]
    }

    #[test]
    fn every_schema_of_the_table_has_its_type() {
        let rows = aris_contract::integrations::all().iter();
        let forms = rows
            .flat_map(|row| &row.artifacts)
            .map(|artifact| &artifact.form);
        let mut seen = 0;
        for form in forms {
            if let Form::Schema(id) = form {
                let why = follows(id, b"{}").expect_err(id);
                assert!(why.starts_with("missing field `"), "{id}: {why}");
                seen += 1;
            }
        }
        assert!(seen > 1);
        assert!(
            follows("aris.other/v1", b"{}")
                .expect_err("no type")
                .contains("no type")
        );
    }

    #[test]
    fn what_is_no_audit_is_said_with_its_line() {
        let audit = "{\"audit_skill\": \"x\",\n\"verdict\": \"MAYBE\"}";
        for (text, reason) in [
            (audit, "unknown variant `MAYBE`, expected one of `PASS`"),
            (audit, "at line 2 column 18"),
            (
                "{\"audit_skill\":\n null}",
                "invalid type: null, expected a string at line 2",
            ),
            ("[]", "not an object"),
        ] {
            let project = Project::bare().file("a.json", text);
            let form = Form::Schema(schema::id::AUDIT.to_owned());
            let left = &left(project.path(), &artifact("a.json", form))[0];
            assert_eq!(left.state, State::Invalid);
            assert!(
                left.reason
                    .as_deref()
                    .is_some_and(|why| why.contains(reason)),
                "{left:?}"
            );
        }
    }

    fn states(project: &Project, artifact: &Artifact) -> Vec<(String, State)> {
        left(project.path(), artifact)
            .into_iter()
            .map(|left| (left.path, left.state))
            .collect()
    }

    #[test]
    fn every_form_is_judged_by_its_content() {
        let project = Project::new()
            .file("ok.json", "{\"a\": \"b\"}")
            .file("twice.json", "{\"a\": 1, \"a\": 2}")
            .file("ok.md", "x")
            .file("empty.md", " \n")
            .file("latin.md", b"\xff")
            .file("ok.png", b"\x89PNG\r\n\x1a\nrest")
            .file("no.png", "GIF89a")
            .file("folder.md/x", "");
        for (path, form, expected) in [
            ("ok.json", Form::Json, State::Valid),
            ("twice.json", Form::Json, State::Invalid),
            ("ok.md", Form::Json, State::Invalid),
            ("ok.md", Form::Text, State::Valid),
            ("empty.md", Form::Text, State::Invalid),
            ("latin.md", Form::Text, State::Invalid),
            ("folder.md", Form::Text, State::Invalid),
            ("absent.md", Form::Text, State::Missing),
            ("ok.png", Form::Png, State::Valid),
            ("no.png", Form::Png, State::Invalid),
            ("absent.png", Form::Png, State::Missing),
            (
                "ok.json",
                Form::Schema(String::from("aris.verify_paper_audits.audit/v1")),
                State::Invalid,
            ),
        ] {
            assert_eq!(
                states(&project, &artifact(path, form.clone())),
                [(path.to_owned(), expected)],
                "{path} {form:?}"
            );
        }
    }

    #[test]
    fn a_valid_file_may_still_say_something_else() {
        let project = Project::new().file("a.json", "{\"a\": \"b\"}");
        let mut expecting = artifact("a.json", Form::Json);
        expecting.expect = expect("/a", "b");
        assert_eq!(left(project.path(), &expecting)[0].state, State::Valid);
        expecting.expect = expect("/a", "c");
        let found = left(project.path(), &expecting);
        assert_eq!(found[0].state, State::Contrary);
        assert_eq!(
            found[0].reason.as_deref(),
            Some("says \"b\" at /a, not \"c\"")
        );
        expecting.expect = expect("/z", "c");
        assert_eq!(left(project.path(), &expecting)[0].state, State::Contrary);
    }

    #[test]
    fn a_star_in_a_folder_asks_every_folder_and_in_a_file_any_file() {
        let project = Project::new()
            .file("runs/a/m.json", "{}")
            .file("runs/b/other", "")
            .file("runs/file", "")
            .file("runs/.hidden/x", "")
            .file("wiki/p/1.md", " ")
            .file("wiki/p/2.md", "x");
        assert_eq!(
            states(&project, &artifact("runs/*/m.json", Form::Json)),
            [
                (String::from("runs/a/m.json"), State::Valid),
                (String::from("runs/b/m.json"), State::Missing)
            ]
        );
        assert_eq!(
            states(&project, &artifact("wiki/p/*.md", Form::Text)),
            [(String::from("wiki/p/2.md"), State::Valid)]
        );
        assert_eq!(
            states(&project, &artifact("wiki/p/1*.md", Form::Text)),
            [(String::from("wiki/p/1.md"), State::Invalid)]
        );
        for absent in ["none/*/m.json", "wiki/q/*.md"] {
            assert_eq!(
                states(&project, &artifact(absent, Form::Text)),
                [(absent.to_owned(), State::Missing)]
            );
        }
    }

    #[test]
    fn stars_match_any_text() {
        for (pattern, name, expected) in [
            ("*", "a", true),
            ("*", ".a", false),
            (".*", ".a", true),
            ("a*b*c", "aXbYc", true),
            ("a*b*c", "abc", true),
            ("a*b*c", "acb", false),
            ("a*a", "a", false),
            ("a", "a", true),
            ("a", "b", false),
        ] {
            assert_eq!(matches(pattern, name), expected, "{pattern} {name}");
        }
    }

    proptest! {
        #[test]
        fn no_bytes_make_a_verdict_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            for form in [Form::Json, Form::Text, Form::Png, Form::Schema(String::from("aris.verify_paper_audits.audit/v1"))] {
                verdict(&bytes, &artifact("x", form), Path::new("/"), Path::new("/")).unwrap_or_default();
            }
        }

        #[test]
        fn matching_takes_any_text(pattern in "[a*.]{0,12}", name in "[ab.]{0,12}") {
            let whole = pattern.replace('*', "");
            prop_assert!(!matches(&pattern, &name) || name.len() >= whole.len());
        }
    }
}
