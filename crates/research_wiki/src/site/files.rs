//! The files of a site before they are written.

use std::collections::BTreeMap;

/// Content by path, relative to the site's root, with `/`.
pub(crate) type Files = BTreeMap<String, Vec<u8>>;

/// Adds `data/<name>.js`, which gives `value` to the page that loads it.
pub(crate) fn script(files: &mut Files, name: &str, value: &str) {
    let text = format!("wiki.put(\"{name}\",{value})\n");
    files.insert(format!("data/{name}.js"), text.into_bytes());
}
