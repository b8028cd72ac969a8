//! The text of a new page, with the reference's bytes.

use aris_wiki::node::Kind;
use aris_wiki::page::scalar::{list, quoted};
use aris_wiki::page::{CONNECTIONS, CONNECTIONS_PLACEHOLDER};

/// A section that nobody has written yet.
pub(crate) fn section(heading: &str) -> (&str, &str) {
    match heading {
        CONNECTIONS => (heading, CONNECTIONS_PLACEHOLDER),
        heading => (heading, "_TODO._"),
    }
}

/// A page of `node` with the lines `fields` of frontmatter between title and tags, and with sections, each a heading and a text.
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
