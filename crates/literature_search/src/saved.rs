//! Records in files: lines of JSON, a list, or the envelope of a helper.

use std::path::Path;

use aris_contract::artifact::papers::Paper;
use serde_json::Value;

use crate::error::Error;

/// Reads the records of `text`, which stands in `path`.
pub(crate) fn read(path: &Path, text: &str) -> Result<Vec<Paper>, Error> {
    let bad = |line: usize, why: String| Error::Records {
        path: path.to_path_buf(),
        line,
        why,
    };
    if let Ok(whole) = serde_json::from_str::<Value>(text) {
        let data = whole.get("data").unwrap_or(&whole);
        let list = data.get("papers").unwrap_or(data);
        let list = match list {
            Value::Array(list) => list.clone(),
            one => vec![one.clone()],
        };
        return list
            .into_iter()
            .map(|value| record(value).map_err(|why| bad(1, why)))
            .collect();
    }
    let lines = text.lines().enumerate();
    lines
        .filter(|(_, line)| !line.trim().is_empty())
        .map(|(at, line)| {
            serde_json::from_str(line)
                .map_err(|error| error.to_string())
                .and_then(record)
                .map_err(|why| bad(at + 1, why))
        })
        .collect()
}

/// A record has a title, and says who described it; another list of objects with titles is not one of records.
fn record(value: Value) -> Result<Paper, String> {
    if value.get("origins").is_none() {
        return Err(String::from("not a record: it has no origins"));
    }
    serde_json::from_value(value).map_err(|error| format!("not a record: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

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
            assert_eq!(
                read(Path::new("f"), &text).expect("records").len(),
                wanted,
                "{text}"
            );
        }
        for bad in [
            "[{\"title\":\"A\"}]",
            "not JSON",
            "{\"title\":\"A\",\"origins\":[]}\n{",
            "[1]",
        ] {
            assert!(read(Path::new("f"), bad).is_err(), "{bad}");
        }
        let error = read(Path::new("f"), &format!("{one}\n{{\n")).expect_err("broken");
        assert!(error.to_string().starts_with("f:2: "), "{error}");
    }
}
