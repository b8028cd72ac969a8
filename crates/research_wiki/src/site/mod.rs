//! The wiki as a web site: static files that need no server, no network and no program but a browser.
//!
//! The same wiki always gives the same bytes. Page content is escaped; the Content-Security-Policy of every page allows only the site's
//! own scripts. Search and graph load their data in small parts, so that a site of ten thousand pages opens as fast as one of ten.

mod body;
mod files;
mod graph;
mod markdown;
mod model;
mod pages;
mod publish;
mod words;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::error::Error;
use crate::search::document::columns;
use crate::search::words::words as search_words;
use crate::wiki::{Unreadable, Wiki};
use aris_wiki::node::Kind;
use aris_wiki::summary::Summary;
use files::Files;
use model::Model;
use words::Words;

/// The fixed files.
const ASSETS: [(&str, &str); 5] = [
    ("site.css", include_str!("../../assets/site.css")),
    ("site.js", include_str!("../../assets/site.js")),
    ("search.js", include_str!("../../assets/search.js")),
    ("home.js", include_str!("../../assets/home.js")),
    ("graph.js", include_str!("../../assets/graph.js")),
];

/// What was exported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exported {
    /// Pages of the wiki.
    pub pages: usize,
    /// Relations between nodes.
    pub relations: usize,
    /// Files of the site.
    pub files: usize,
    /// Bytes of the site.
    pub bytes: u64,
    /// Files among the pages that could not be read.
    pub left_out: Vec<Unreadable>,
}

/// Exports `wiki` as the folder `target`, with `title` as its name.
pub fn export(wiki: &Wiki, target: &Path, title: &str) -> Result<Exported, Error> {
    let (files, exported) = files(wiki, title)?;
    publish::publish(target, wiki.root(), &files)?;
    Ok(exported)
}

/// Refuses to export to a file that belongs to the wiki.
pub(crate) fn check_file(target: &Path, wiki: &Path) -> Result<(), Error> {
    let target = aris_fs::real(target);
    let beside = target.parent() == Some(&aris_fs::real(wiki));
    // index.md, log.md and the like lie there; a bibliography may lie beside them.
    if beside && target.extension().is_some_and(|end| end == "md") {
        return Err(publish::among_pages(&target));
    }
    publish::check_outside(&target, wiki)
}

/// A page's text as HTML, the nodes that it mentions, and its words.
struct Rendered {
    body: String,
    empty: Vec<String>,
    mentioned: BTreeSet<usize>,
    columns: [Vec<String>; 4],
}

/// All files of the site.
fn files(wiki: &Wiki, title: &str) -> Result<(Files, Exported), Error> {
    let site = crate::text::clean(title);
    let map = wiki.gap_map()?;
    let gaps = crate::gaps::parse(&map);
    let edges = wiki.edges()?;
    let model = Model::new(wiki.pages(), &gaps, &edges);

    let rendered = render_all(wiki, &model);
    let mut left_out = wiki.unreadable().to_vec();
    let (mut mentions, mut words) = (BTreeMap::<usize, BTreeSet<usize>>::new(), Words::default());
    for (number, result) in &rendered {
        match result {
            Ok(page) => {
                words.add(*number, &page.columns);
                for other in &page.mentioned {
                    mentions.entry(*other).or_default().insert(*number);
                }
            }
            Err(problem) => left_out.push(problem.clone()),
        }
    }

    // Gaps and nodes without a page are searched by name only.
    let pageless = model.nodes.iter().enumerate();
    for (number, node) in pageless.filter(|(_, node)| node.page.is_none()) {
        let columns = [
            search_words(&node.title),
            search_words(&node.name),
            Vec::new(),
            Vec::new(),
        ];
        words.add(number, &columns);
    }

    let mut files = Files::new();
    for (name, text) in ASSETS {
        files.insert(format!("assets/{name}"), text.as_bytes().to_vec());
    }
    let mut pages = 0;
    for (number, result) in &rendered {
        let (Ok(page), Some(node)) = (result, model.nodes.get(*number)) else {
            continue;
        };
        let Some(summary) = &node.page else { continue };
        let shown = (page.body.as_str(), page.empty.as_slice());
        let html = pages::node(&site, &model, *number, summary, shown, mentions.get(number))?;
        files.insert(node.href.clone(), html.into_bytes());
        pages += 1;
    }
    for kind in Kind::ALL {
        for (path, html) in pages::lists(&site, &model, kind)? {
            files.insert(path, html.into_bytes());
        }
    }
    let map = markdown::render(&map, "", "", &model, &mut BTreeSet::new());
    for (path, html) in [
        (
            "gaps.html",
            pages::gaps(&site, &model, &gaps, &map, &mentions)?,
        ),
        ("index.html", pages::home(&site, &model, &gaps)?),
        ("graph.html", pages::graph(&site, &model)?),
    ] {
        files.insert(path.to_owned(), html.into_bytes());
    }
    graph::write(&model, &mut files);
    words.write(&mut files);
    let exported = Exported {
        pages,
        relations: model.relations.len(),
        files: files.len(),
        bytes: files.values().map(|bytes| bytes.len() as u64).sum(),
        left_out,
    };
    Ok((files, exported))
}

/// Reads and renders every page, in parallel. Each result has the node's number.
fn render_all(wiki: &Wiki, model: &Model) -> Vec<(usize, Result<Rendered, Unreadable>)> {
    let pages: Vec<(usize, &Summary)> = model
        .nodes
        .iter()
        .enumerate()
        .filter_map(|(number, node)| Some((number, node.page.as_ref()?)))
        .collect();
    aris_fs::map_in_parallel(aris_fs::processors(), &pages, |(number, page)| {
        (*number, render(wiki, model, page))
    })
}

fn render(wiki: &Wiki, model: &Model, summary: &Summary) -> Result<Rendered, Unreadable> {
    let page = wiki
        .page(summary.kind, summary.file)
        .map_err(|error| Unreadable {
            path: summary.path(),
            why: error.to_string(),
        })?;
    let (text, empty) = body::shown(&page);
    let mut mentioned = BTreeSet::new();
    Ok(Rendered {
        body: markdown::render(&text, summary.kind.folder(), "../", model, &mut mentioned),
        empty,
        mentioned,
        columns: columns(summary, &page),
    })
}

#[cfg(test)]
mod tests;
