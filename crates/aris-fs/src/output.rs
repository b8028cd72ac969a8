//! Where an output may go: never over an input, and never over a file that is something else.

use std::path::Path;

use serde_json::{Map, Value};

use crate::error::FsError;
use crate::path::real;
use crate::{read, write};

/// By what an earlier output of a command is told from other files.
#[derive(Clone, Copy, Debug)]
pub enum Form<'a> {
    /// It begins with one of these texts; white space before it and case do not count.
    Begins(&'a [&'a [u8]]),
    /// It is a JSON object with all of these keys, or a list of such objects.
    Json(&'a [&'a str]),
    /// The function knows it.
    Is(fn(&[u8]) -> bool),
    /// Text without such a mark. Its name decides: no ending, or that of a text or a log.
    Text,
}

impl Form<'static> {
    /// A page.
    pub const PAGE: Self = Self::Begins(&[b"<!doctype html>"]);
}

/// Endings of files that hold text for people and nothing else.
const TEXTS: &[&str] = &["", "txt", "text", "log", "out", "err"];

/// Checks that an output may be written to `path`: nothing is there, or an empty file, or an earlier output of this form. It must not be
/// one of `taken`, nor inside one: the inputs of the call, and the paths of its other outputs.
///
/// **Errors**: [`FsError::Taken`]; what is there cannot be read, or is a folder, FIFO or device.
pub fn check_output(path: &Path, form: Form<'_>, taken: &[&Path]) -> Result<(), FsError> {
    let refused = |why| {
        let path = path.to_path_buf();
        Err(FsError::Taken { path, why })
    };
    let target = real(path);
    if target.is_dir() {
        return Err(write::in_the_way(path));
    }
    if taken.iter().any(|taken| target.starts_with(real(taken))) {
        return refused("it is an input or another output of this command");
    }
    let file = match read::open(path) {
        Err(error) if error.is_not_found() => return Ok(()),
        file => file?,
    };
    let bytes = match form {
        Form::Json(_) | Form::Is(_) => file.read_all(read::READ_LIMIT)?,
        Form::Begins(_) | Form::Text => file.head(4096)?,
    };
    let text = bytes.trim_ascii_start();
    let earlier = match form {
        Form::Begins(marks) => marks.iter().any(|mark| begins(text, mark)),
        Form::Json(keys) => is_json(text, keys),
        Form::Is(known) => known(&bytes),
        Form::Text => {
            let ending = target.extension().unwrap_or_default();
            TEXTS.iter().any(|text| ending.eq_ignore_ascii_case(text))
        }
    };
    if earlier || text.is_empty() {
        Ok(())
    } else {
        refused("it is a file that this program did not write")
    }
}

fn begins(text: &[u8], mark: &[u8]) -> bool {
    let start = text.get(..mark.len());
    start.is_some_and(|start| start.eq_ignore_ascii_case(mark))
}

fn is_json(text: &[u8], keys: &[&str]) -> bool {
    let has = |object: &Map<String, Value>| keys.iter().all(|key| object.contains_key(*key));
    match serde_json::from_slice(text) {
        Ok(Value::Object(object)) => has(&object),
        Ok(Value::Array(items)) => items.iter().all(|item| item.as_object().is_some_and(has)),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use aris_contract::{ErrorKind, Failure as _};

    use super::*;

    #[test]
    fn an_output_replaces_only_an_earlier_one_and_never_an_input() {
        let folder = tempfile::tempdir().expect("folder");
        let png = Form::Begins(&[b"\x89PNG"]);
        let keyed = Form::Json(&["tool"]);
        let cases: &[(&str, &[u8], Form<'_>, bool)] = &[
            ("a.html", b"\n<!DOCTYPE html>\n<html>", Form::PAGE, true),
            ("a.tex", b"\\documentclass{article}", Form::PAGE, false),
            ("b.tex", b"% <!doctype html>", Form::PAGE, false),
            ("a.png", b"\x89PNG\r\n\x1a\n", png, true),
            ("b.png", b"%PDF-1.5", png, false),
            ("a.json", br#"{"tool": "x", "more": 1}"#, keyed, true),
            ("b.json", br#"[{"tool": "x"}, {"tool": "y"}]"#, keyed, true),
            ("c.json", b"[]", keyed, true),
            ("d.json", br#"{"name": "tool"}"#, keyed, false),
            ("e.json", br#"{"tool": "#, keyed, false),
            ("f.json", br#"[{"tool": "x"}, 1]"#, keyed, false),
            ("g.json", b" \n", keyed, true),
            ("a.txt", b"anything", Form::Text, true),
            ("a", b"anything", Form::Text, true),
            ("a.py", b"anything", Form::Text, false),
        ];
        for (name, bytes, form, may) in cases {
            let path = folder.path().join(name);
            write::write_atomic(&path, bytes).expect("written");
            let checked = check_output(&path, *form, &[]);
            assert_eq!(checked.is_ok(), *may, "{name}: {checked:?}");
            if let Err(error) = checked {
                assert_eq!(error.kind(), ErrorKind::Usage);
                assert!(error.to_string().contains(name), "{error}");
            }
        }
        let at = |name: &str| folder.path().join(name);
        symlink(at("a.html"), at("link.html")).expect("linked");
        let input = at("a.html");
        for (name, may) in [
            ("a.html", false),
            ("link.html", false),
            ("no/new.html", true),
        ] {
            let checked = check_output(&at(name), Form::PAGE, &[&input]);
            assert_eq!(checked.is_ok(), may, "{name}: {checked:?}");
        }
        assert!(check_output(&at("no/new.html"), Form::PAGE, &[folder.path()]).is_err());
        let file = crate::list_sorted(&input).expect_err("a file");
        assert!(matches!(file, FsError::NotFolder { .. }), "{file}");
        let whole = check_output(folder.path(), Form::PAGE, &[]).expect_err("a folder");
        assert_eq!(whole.kind(), ErrorKind::Precondition);
    }
}
