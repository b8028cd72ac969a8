//! `export`

mod bibtex;
mod graphml;

use std::io::{self, Write};

use aris_cli::{Context, Product, Sink, Style};
use aris_contract::text::counted;
use serde::Serialize;

use crate::cli::ExportArgs;
use crate::error::Error;
use crate::site;
use crate::wiki::{Unreadable, Wiki};
use aris_wiki::edges::Edge;
use aris_wiki::node::Kind;
use aris_wiki::summary::Summary;

/// Schema id of [`Exported`].
pub(crate) const EXPORT: &str = "aris.research_wiki.export/v1";

/// What a wiki is written as.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub(crate) enum Form {
    Site,
    Bibtex,
    Graphml,
    #[default]
    Data,
}

/// What was exported.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Exported {
    pub(crate) wiki: String,
    pub(crate) form: Form,
    /// The file or folder that was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) path: Option<String>,
    /// Pages that are in it.
    pub(crate) pages: usize,
    /// Edges that are in it; 0 in a bibliography.
    pub(crate) edges: usize,
    /// Files of the site.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) files: Option<usize>,
    /// Bytes that were written.
    pub(crate) bytes: u64,
    /// Files among the pages that could not be read.
    pub(crate) left_out: Vec<Unreadable>,
    /// The bibliography or the graph, when it is not in a file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) text: Option<String>,
    /// Pages and edges, when they are not in a file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) graph: Option<Graph>,
}

/// Pages and edges as data.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Graph {
    pub(crate) nodes: Vec<Page>,
    pub(crate) edges: Vec<Edge>,
}

/// A page without its text.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Page {
    /// Relative to the wiki.
    pub(crate) path: String,
    #[serde(flatten)]
    pub(crate) page: Summary,
}

pub(crate) fn run(args: &ExportArgs, context: &Context) -> Result<Exported, Error> {
    let wiki = Wiki::open(&args.root.folder(context))?;
    let output = args.output.as_ref().and_then(Sink::file);
    if let Some(file) = output {
        let file = context.absolute(file);
        site::check_file(&file, wiki.root())?;
        let form = if args.bibtex {
            aris_fs::Form::Is(bibtex::is_export)
        } else if args.graphml {
            aris_fs::Form::Begins(&[graphml::START.as_bytes()])
        } else {
            aris_fs::Form::Json(&["nodes", "edges"])
        };
        aris_fs::check_output(&file, form, &[])?;
    }
    let mut exported = Exported {
        wiki: args.root.shown().display().to_string(),
        left_out: wiki.unreadable().to_vec(),
        ..Exported::default()
    };
    if let Some(folder) = &args.site {
        let site = site::export(&wiki, &context.absolute(folder), &args.title)?;
        exported.form = Form::Site;
        exported.path = Some(folder.display().to_string());
        exported.pages = site.pages;
        exported.edges = site.relations;
        exported.files = Some(site.files);
        exported.bytes = site.bytes;
        exported.left_out = site.left_out;
    } else {
        let graph = graph(&wiki)?;
        exported.pages = graph.nodes.len();
        exported.edges = graph.edges.len();
        let text = if args.bibtex {
            exported.form = Form::Bibtex;
            exported.edges = 0;
            exported.pages = wiki.of_kind(Kind::Paper).count();
            bibtex::bibliography(&wiki)?
        } else if args.graphml {
            exported.form = Form::Graphml;
            graphml::document(&graph)
        } else {
            let text = serde_json::to_string_pretty(&graph);
            text.unwrap_or_default() + "\n"
        };
        exported.bytes = text.len() as u64;
        if let Some(file) = output {
            aris_fs::write_output(&context.absolute(file), text.as_bytes())?;
            exported.path = Some(file.display().to_string());
        } else if exported.form == Form::Data {
            exported.graph = Some(graph);
        } else {
            exported.text = Some(text);
        }
    }
    for page in &exported.left_out {
        context.warn(&format!("{} is left out: {}", page.path, page.why));
    }
    Ok(exported)
}

fn graph(wiki: &Wiki) -> Result<Graph, Error> {
    let page = |page: &Summary| Page {
        path: page.path(),
        page: page.clone(),
    };
    Ok(Graph {
        nodes: wiki.pages().map(page).collect(),
        edges: wiki.edges()?.list().to_vec(),
    })
}

impl Product for Exported {
    fn schema(&self) -> &'static str {
        EXPORT
    }

    fn render(&self, out: &mut dyn Write, _: Style) -> io::Result<()> {
        if let Some(path) = &self.path {
            let what = if self.form == Form::Site {
                "a site"
            } else {
                "an export"
            };
            return writeln!(out, "{path}: {what} of {}", counted(self.pages, "page"));
        }
        if let Some(text) = &self.text {
            return out.write_all(text.as_bytes());
        }
        serde_json::to_writer_pretty(&mut *out, &self.graph)?;
        writeln!(out)
    }
}
