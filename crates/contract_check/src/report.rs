//! Shared formatting of the reports.

use serde::Serialize;

/// A reason as the last column of a row.
pub(crate) fn last_column(reason: Option<&str>) -> String {
    reason.map_or_else(String::new, |why| format!("\t{why}"))
}

/// The serialized word of a value without fields.
pub(crate) fn word(value: impl Serialize) -> String {
    let value = serde_json::to_value(value).unwrap_or_default();
    value.as_str().unwrap_or_default().to_owned()
}
