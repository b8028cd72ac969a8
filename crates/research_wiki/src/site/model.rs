//! The wiki as the site shows it: nodes by name, relations between them.

use std::collections::{BTreeMap, BTreeSet};

use aris_contract::hex::hex;
use aris_contract::text::counted;
use sha2::{Digest as _, Sha256};

use crate::gaps::Gap;
use crate::text::clean;
use aris_wiki::edges::Edges;
use aris_wiki::node::{self, Kind};
use aris_wiki::summary::Summary;

/// A node of the graph.
#[derive(Debug)]
pub(crate) struct Node {
    /// `paper:x`.
    pub(crate) name: String,
    /// Title; the name if there is no page.
    pub(crate) title: String,
    /// Address relative to the site's root; empty if the site has no page for the node.
    pub(crate) href: String,
    /// Its page, if it has one.
    pub(crate) page: Option<Summary>,
    /// Numbers of its relations, in the order of the file.
    pub(crate) relations: Vec<usize>,
}

impl Node {
    /// `1 relation`, `2 relations`.
    pub(crate) fn related(&self) -> String {
        counted(self.relations.len(), "relation")
    }
}

/// A relation between two nodes, by number.
#[derive(Debug)]
pub(crate) struct Relation {
    pub(crate) from: usize,
    pub(crate) to: usize,
    pub(crate) kind: String,
    pub(crate) evidence: String,
}

/// Everything that the site shows, except the text of pages.
#[derive(Debug)]
pub(crate) struct Model {
    /// Sorted by name in UTF-16 order, because scripts compare strings that way.
    pub(crate) nodes: Vec<Node>,
    pub(crate) relations: Vec<Relation>,
    numbers: BTreeMap<String, usize>,
    /// Numbers of nodes by the path of the page without `.md`: `papers/x`.
    files: BTreeMap<String, usize>,
}

impl Model {
    /// Combines pages, gaps and edges. Of two pages with the same node, the first is the node; the other appears under its path.
    pub(crate) fn new<'a>(
        pages: impl Iterator<Item = &'a Summary>,
        gaps: &[Gap],
        edges: &Edges,
    ) -> Self {
        let mut nodes: BTreeMap<Vec<u16>, Node> = BTreeMap::new();
        let mut add = |name: &str, title: &str, href: String, page: Option<&Summary>| {
            let name = clean(name);
            let key: Vec<u16> = name.encode_utf16().collect();
            nodes.entry(key).or_insert_with(|| Node {
                name,
                title: clean(title),
                href,
                page: page.cloned(),
                relations: Vec::new(),
            });
        };
        let mut taken = BTreeSet::new();
        for page in pages {
            let path = format!("{}/{}", page.kind.folder(), page.stem());
            let name = if taken.insert(page.node) {
                page.node
            } else {
                &path
            };
            let href = format!("{}/{}.html", page.kind.folder(), file_name(page.stem()));
            add(name, page.title, href, Some(page));
        }
        for gap in gaps {
            let href = format!("gaps.html#{}", gap.anchor());
            add(&format!("gap:{}", gap.id), &gap.title, href, None);
        }
        for edge in edges.list() {
            for end in [&edge.from, &edge.to] {
                add(end, end, String::new(), None);
            }
        }
        let mut model = Self {
            nodes: nodes.into_values().collect(),
            relations: Vec::new(),
            numbers: BTreeMap::new(),
            files: BTreeMap::new(),
        };
        for (number, node) in model.nodes.iter().enumerate() {
            model.numbers.insert(node.name.clone(), number);
            if let Some(page) = &node.page {
                let path = format!("{}/{}", page.kind.folder(), page.stem());
                model.files.insert(path, number);
            }
        }
        for edge in edges.list() {
            let number = |end| model.number(&clean(end));
            let (Some(from), Some(to)) = (number(&edge.from), number(&edge.to)) else {
                continue;
            };
            let number = model.relations.len();
            for end in BTreeSet::from([from, to]) {
                if let Some(node) = model.nodes.get_mut(end) {
                    node.relations.push(number);
                }
            }
            model.relations.push(Relation {
                from,
                to,
                kind: clean(&edge.kind),
                evidence: clean(&edge.evidence),
            });
        }
        model
    }

    /// The node called `name`.
    pub(crate) fn number(&self, name: &str) -> Option<usize> {
        self.numbers.get(name).copied()
    }

    /// The relations of node `number`.
    pub(crate) fn relations_of(&self, number: usize) -> impl Iterator<Item = &Relation> {
        let relations = self.nodes.get(number).into_iter();
        let relations = relations.flat_map(|node| &node.relations);
        relations.filter_map(|at| self.relations.get(*at))
    }

    /// The node whose page is `path` without `.md`, relative to the wiki.
    pub(crate) fn of_file(&self, path: &str) -> Option<usize> {
        self.files.get(path).copied()
    }

    /// The nodes that have a page.
    pub(crate) fn pages(&self) -> impl Iterator<Item = (&Node, &Summary)> {
        self.nodes
            .iter()
            .filter_map(|node| Some((node, node.page.as_ref()?)))
    }

    /// The nodes of one kind that have a page.
    pub(crate) fn of_kind(&self, kind: Kind) -> impl Iterator<Item = (&Node, &Summary)> {
        self.pages().filter(move |(_, page)| page.kind == kind)
    }
}

/// The file name of a page on the site, without extension: the wiki's own name if it is valid on every system.
fn file_name(stem: &str) -> String {
    if node::is_safe_name(stem) && !stem.contains("..") {
        return stem.to_owned();
    }
    format!(
        "page-{}",
        hex(Sha256::digest(stem.as_bytes()).iter().take(8))
    )
}
