//! The files of a site, in memory.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::text::script_json;

/// Content by path, relative to the site's root, with `/`.
pub(crate) type Files = BTreeMap<String, Vec<u8>>;

/// Adds `data/<name>.js`, a script that passes `value` to the page that loads it.
pub(crate) fn script(files: &mut Files, name: &str, value: &impl Serialize) {
    let text = format!("wiki.put(\"{name}\",{})\n", script_json(value));
    files.insert(format!("data/{name}.js"), text.into_bytes());
}
