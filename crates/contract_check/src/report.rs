//! Words of the data products.

use serde::Serialize;

/// The word of a value without fields, as reports have it.
pub(crate) fn word(value: impl Serialize) -> String {
    let value = serde_json::to_value(value).unwrap_or_default();
    value.as_str().unwrap_or_default().to_owned()
}
