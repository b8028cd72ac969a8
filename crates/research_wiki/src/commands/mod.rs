//! The subcommands.

mod authors;
mod batch;
pub(crate) mod doctor;
pub(crate) mod edge;
pub(crate) mod export;
pub(crate) mod ingest;
pub(crate) mod look;
pub(crate) mod merge;
pub(crate) mod rebuild;
pub(crate) mod sync;
pub(crate) mod update;
pub(crate) mod upsert;

use std::collections::BTreeSet;
use std::path::PathBuf;

use aris_cli::Context;
use aris_contract::ErrorKind;

use crate::cli::Root;
use crate::connections;
use crate::error::Error;
use crate::report::{Action, Changed, Touched};
use crate::wiki::{Wiki, Writer};
use aris_wiki::edges::Edges;
use aris_wiki::node::Kind;
use aris_wiki::page::{CONNECTIONS, Page, one_line};
use aris_wiki::summary::Summary;

impl Root {
    /// The folder as the user gave it, without a trailing slash: for messages.
    pub(crate) fn shown(&self) -> PathBuf {
        self.wiki_root.components().collect()
    }

    /// The folder's absolute path.
    pub(crate) fn folder(&self, context: &Context) -> PathBuf {
        context.absolute(&self.shown())
    }

    /// The page of a node.
    pub(crate) fn find<'a>(&self, wiki: &'a Wiki, node: &str) -> Result<&'a Summary, Error> {
        wiki.find(node).ok_or_else(|| {
            if let Some(why) = wiki.why_unreadable(node) {
                return Error::page(&self.shown().join(&why.path), &why.why);
            }
            let root = self.shown();
            let what = format!("there is no page of {node} in {}", root.display());
            let hint =
                "names of pages are listed in index.md, such as paper:vaswani2017_attention_all_you";
            Error::absent(what, hint)
        })
    }

    /// An empty product for this wiki.
    pub(crate) fn changed(&self) -> Changed {
        Changed {
            wiki: self.shown().display().to_string(),
            ..Changed::default()
        }
    }
}

/// The items of a comma-separated list.
pub(crate) fn items(text: &str) -> Vec<String> {
    let items = text.split(',').map(one_line);
    items.filter(|item| !item.is_empty()).collect()
}

/// The record of a page that a command touched.
pub(crate) fn touched(node: &str, kind: Kind, file: &str, action: Action) -> Touched {
    Touched {
        node: node.to_owned(),
        path: format!("{}/{file}", kind.folder()),
        action,
    }
}

/// Updates the section "Connections" of the pages of `nodes` from the graph. Warns about pages that cannot be changed.
pub(crate) fn connect<'a>(
    writer: &mut Writer,
    edges: &Edges,
    nodes: impl IntoIterator<Item = &'a str>,
    changed: &mut Changed,
) -> Result<(), Error> {
    let nodes: BTreeSet<&str> = nodes.into_iter().collect();
    let wiki = writer.wiki();
    let by_node = wiki.by_node();
    let linked = edges.by_node(|node| nodes.contains(node));
    let content = |page: &Summary| {
        let own = linked.get(page.node);
        let content = own.map(|own| connections::render(page.node, own, &by_node));
        (page.kind, page.file, content.unwrap_or_default())
    };
    // Several files may have the same node; all of them are updated.
    let pages = wiki.pages().filter(|page| nodes.contains(page.node));
    let contents: Vec<(Kind, &str, String)> = pages.map(content).collect();
    let pages = aris_fs::map_in_parallel(aris_fs::processors(), &contents, |content| {
        connected(wiki, content)
    });
    let mut drawn = Vec::new();
    for page in pages {
        match page {
            Ok(page) => drawn.extend(page),
            Err(error) => changed.notes.push(error.to_string()),
        }
    }
    writer.write_all(&drawn)
}

/// The page with an updated section "Connections"; `None` when nothing has to change.
fn connected(
    wiki: &Wiki,
    (kind, file, content): &(Kind, &str, String),
) -> Result<Option<(Kind, String, Page)>, Error> {
    let mut page = wiki.page(*kind, file)?;
    if crate::wiki::is_open(page.text()) {
        return Err(crate::wiki::open_front(&wiki.path(*kind, file)));
    }
    // A page that never had edges gets no generated part.
    if content.is_empty() && matches!(page.generated(connections::PART), Ok(None)) {
        return Ok(None);
    }
    page.set_generated(CONNECTIONS, connections::PART, content)
        .map_err(|problem| {
            Error::told(
                ErrorKind::Validation,
                format!("{}: {problem}", wiki.path(*kind, file).display()),
                "remove the marker line, or put its counterpart back; nothing was changed",
            )
        })?;
    Ok(Some((*kind, (*file).to_owned(), page)))
}

/// The page's path for messages: relative if the wiki's path was given as relative.
pub(crate) fn below(root: &Root, kind: Kind, file: &str) -> String {
    let path = root.shown().join(kind.folder()).join(file);
    path.display().to_string()
}
