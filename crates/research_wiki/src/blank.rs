//! The text of a new page, byte for byte as the reference writes it.

use aris_wiki::node::Kind;
use aris_wiki::page::scalar::{list, quoted};
use aris_wiki::page::{CONNECTIONS, CONNECTIONS_PLACEHOLDER};

/// A section that nobody has written yet, as (heading, placeholder).
pub(crate) fn section(heading: &str) -> (&str, &str) {
    match heading {
        CONNECTIONS => (heading, CONNECTIONS_PLACEHOLDER),
        heading => (heading, "_TODO._"),
    }
}

/// A new page of the node `node`. `fields` are frontmatter lines that go between title and tags; `sections` are (heading, text).
pub(crate) fn page(
    kind: Kind,
    node: &str,
    title: &str,
    fields: &str,
    tags: &[String],
    now: &str,
    sections: &[(&str, &str)],
) -> String {
    let (written, tags) = (quoted(title), list(tags));
    let mut text = format!(
        "---\ntype: {kind}\nnode_id: {node}\ntitle: {written}\n{fields}tags: {tags}\nadded: {now}\n---\n\n# {title}\n"
    );
    for (heading, body) in sections {
        text.extend(["\n## ", heading, "\n", body, "\n"]);
    }
    text
}
