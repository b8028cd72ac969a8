//! Checks the stdout of a sample against the resource protocol.

use serde_json::Value;

/// What is wrong with the stdout of a declared sample, each as the end of a finding's message.
///
/// **Source**: SRP §4: exactly one JSON document, `{data, meta}` or `{error}`, the second only with a failing exit code.
pub(super) fn sample_faults(stdout: &[u8], exit: i32) -> Vec<String> {
    let value = match one_document(stdout) {
        Ok(value) => value,
        Err(fault) => return vec![fault],
    };
    let Value::Object(top) = &value else {
        return vec![format!(
            "stdout is {}, not an object with data and meta, or error",
            kind(&value)
        )];
    };
    match (top.get("error"), top.get("data")) {
        (Some(_), Some(_)) => vec![String::from("stdout has both data and error")],
        (Some(error), None) => error_faults(error, exit),
        (None, Some(data)) => data_faults(data, top.get("meta")),
        (None, None) => vec![String::from("stdout has neither data nor error")],
    }
}

fn one_document(stdout: &[u8]) -> Result<Value, String> {
    if stdout.iter().all(u8::is_ascii_whitespace) {
        return Err(String::from("stdout is empty"));
    }
    let mut documents = serde_json::Deserializer::from_slice(stdout).into_iter::<Value>();
    match documents.next() {
        Some(Ok(value)) => match documents.next() {
            None => Ok(value),
            Some(Ok(_)) => Err(String::from("stdout holds more than one JSON document")),
            Some(Err(_)) => Err(String::from(
                "stdout has other text after its JSON document",
            )),
        },
        Some(Err(error)) => Err(format!(
            "stdout is not JSON (line {}, column {})",
            error.line(),
            error.column()
        )),
        None => Err(String::from("stdout is empty")),
    }
}

fn error_faults(error: &Value, exit: i32) -> Vec<String> {
    let mut faults = Vec::new();
    for field in ["code", "message"] {
        if !is_text(error.get(field)) {
            faults.push(format!("error.{field} is not a text"));
        }
    }
    if exit == 0 {
        faults.push(String::from("exit 0 with an error on stdout"));
    }
    faults
}

fn data_faults(data: &Value, meta: Option<&Value>) -> Vec<String> {
    let mut faults = Vec::new();
    if data.is_null() {
        faults.push(String::from("data is null; write [] for an empty list"));
    }
    let Some(Value::Object(meta)) = meta else {
        faults.push(String::from("meta is not an object"));
        return faults;
    };
    if !is_text(meta.get("schema")) {
        faults.push(String::from("meta.schema is not a text"));
    }
    if let Value::Array(items) = data {
        match meta.get("count").map(Value::as_u64) {
            Some(Some(count)) if count == items.len() as u64 => {}
            Some(Some(count)) => {
                faults.push(format!("meta.count is {count}, data has {}", items.len()));
            }
            Some(None) => faults.push(String::from("meta.count is not a number")),
            None => faults.push(String::from("meta.count is missing, data is an array")),
        }
    }
    faults
}

fn is_text(value: Option<&Value>) -> bool {
    value
        .and_then(Value::as_str)
        .is_some_and(|text| !text.trim().is_empty())
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a truth value",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_sample_writes_one_document_of_the_two_forms() {
        for (stdout, exit, expected) in [
            (
                r#"{"data": [], "meta": {"schema": "a/v1", "count": 0}}"#,
                0,
                &[][..],
            ),
            (
                r#"{"data": {"a": null}, "meta": {"schema": "a/v1"}}"#,
                10,
                &[],
            ),
            (r#"{"error": {"code": "X", "message": "no"}}"#, 3, &[]),
            (
                r#"{"error": {"code": "X", "message": "no"}}"#,
                0,
                &["exit 0 with an error on stdout"],
            ),
            (
                r#"{"error": "no"}"#,
                3,
                &["error.code is not a text", "error.message is not a text"],
            ),
            (
                r#"{"error": {"code": 3, "message": " "}}"#,
                3,
                &["error.code is not a text", "error.message is not a text"],
            ),
            (
                r#"{"data": [1], "meta": {"schema": "a", "count": 2}}"#,
                0,
                &["meta.count is 2, data has 1"],
            ),
            (
                r#"{"data": [1], "meta": {"schema": "a"}}"#,
                0,
                &["meta.count is missing, data is an array"],
            ),
            (
                r#"{"data": [1], "meta": {"schema": "a", "count": "1"}}"#,
                0,
                &["meta.count is not a number"],
            ),
            (
                r#"{"data": null, "meta": {"schema": "a"}}"#,
                0,
                &["data is null; write [] for an empty list"],
            ),
            (r#"{"data": 1}"#, 0, &["meta is not an object"]),
            (
                r#"{"data": 1, "meta": {}}"#,
                0,
                &["meta.schema is not a text"],
            ),
            (
                r#"{"data": 1, "error": {}, "meta": {}}"#,
                1,
                &["stdout has both data and error"],
            ),
            ("{}", 0, &["stdout has neither data nor error"]),
            (
                "[]",
                0,
                &["stdout is an array, not an object with data and meta, or error"],
            ),
            (" \n", 0, &["stdout is empty"]),
            ("{}\n{}", 0, &["stdout holds more than one JSON document"]),
            (
                "{} x",
                0,
                &["stdout has other text after its JSON document"],
            ),
            ("ok\n", 0, &["stdout is not JSON (line 1, column 1)"]),
            (
                "{\"data\": \n",
                0,
                &["stdout is not JSON (line 2, column 0)"],
            ),
        ] {
            assert_eq!(sample_faults(stdout.as_bytes(), exit), expected, "{stdout}");
        }
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200), exit in 0..200) {
            let faults = sample_faults(&bytes, exit);
            prop_assert_eq!(faults, sample_faults(&bytes, exit));
        }
    }
}
