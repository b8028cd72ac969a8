//! What can go wrong.

use std::path::PathBuf;

use aris_contract::ids::ArxivIdError;
use aris_contract::{ErrorKind, Failure};
use aris_fs::FsError;
use aris_sources::HttpError;
use serde_json::{Map, Value};

use crate::site::Place;
use crate::wiki::IndexError;
use aris_wiki::page::DamagedMarkers;

/// Errors of `research_wiki`.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// There is no wiki.
    #[error("{} is not an initialized wiki (papers/ missing)", root.display())]
    NoWiki {
        /// Where it should be.
        root: PathBuf,
    },
    /// No page has this name.
    #[error("there is no page of {node} in {}", root.display())]
    NoNode {
        /// The name.
        node: String,
        /// The wiki.
        root: PathBuf,
    },
    /// An argument makes no sense.
    #[error("{what}")]
    Usage {
        /// What is wrong.
        what: String,
        /// What to do.
        hint: &'static str,
    },
    /// An arXiv identifier is none.
    #[error(transparent)]
    ArxivId(#[from] ArxivIdError),
    /// arXiv answered, and has no such paper.
    #[error("arXiv has no paper {id}")]
    NoPaper {
        /// Its identifier.
        id: String,
    },
    /// A page is to be changed that is not text, or whose place is taken.
    #[error("{} cannot be changed: {why}", path.display())]
    Page {
        /// The page.
        path: PathBuf,
        /// What is wrong.
        why: String,
    },
    /// A file or folder of the wiki is a link to a place outside of it.
    #[error("{} leads out of the wiki, to {}", path.display(), target.display())]
    Outside {
        /// The link.
        path: PathBuf,
        /// Where it leads.
        target: PathBuf,
    },
    /// Somebody else wrote to a file while it was being changed; what they wrote stays.
    #[error("{} was changed by somebody else meanwhile, and stays as it is now", path.display())]
    ChangedMeanwhile {
        /// The file.
        path: PathBuf,
    },
    /// Two pages of papers whose identifiers say that they are two.
    #[error("{keep} and {other} are two papers: {why}")]
    TwoPapers {
        /// The page that would stay.
        keep: String,
        /// The other one.
        other: String,
        /// Which identifiers and titles differ.
        why: String,
    },
    /// A paper that no source described, and neither did the caller.
    #[error("{id} cannot be described: {source}")]
    Undescribed {
        /// Its identifier.
        id: String,
        /// Why there is no description.
        source: HttpError,
    },
    /// A node that an edge is to lead to or from is not there.
    #[error("there is no page of {node}, which the edge names")]
    NoEnd {
        /// The node.
        node: String,
        /// The nearest name that is there.
        near: Option<String>,
    },
    /// An edge that is to be removed is not there.
    #[error("there is no edge {from} --{kind}--> {to}")]
    NoEdge {
        /// Where it would start.
        from: String,
        /// Where it would lead.
        to: String,
        /// Its type.
        kind: String,
    },
    /// The markers of a page's generated part do not match.
    #[error("{}: {problem}", path.display())]
    Markers {
        /// The page.
        path: PathBuf,
        /// Where.
        problem: DamagedMarkers,
    },
    /// A file of descriptions is none.
    #[error("{}: line {line}: {why}", path.display())]
    Metadata {
        /// The file.
        path: PathBuf,
        /// Line, from 1.
        line: usize,
        /// What is wrong.
        why: String,
    },
    /// A source did not answer; what had been answered is in the wiki.
    #[error("{} papers were not answered for, {ingested} are in the wiki", unanswered.len())]
    Unanswered {
        /// Papers that were ingested or were there.
        ingested: usize,
        /// The papers that are missing for that reason.
        unanswered: Vec<String>,
        /// Why.
        source: HttpError,
    },
    /// A site, or another export, cannot be put there.
    #[error("{} {why}", path.display())]
    Place {
        /// Where it was to be.
        path: PathBuf,
        /// Why not.
        why: Place,
    },
    /// A template of the site.
    #[error("a page of the site cannot be made: {0}")]
    Template(#[from] askama::Error),
    /// The index.
    #[error(transparent)]
    Index(#[from] IndexError),
    /// The network.
    #[error(transparent)]
    Http(#[from] HttpError),
    /// The disk.
    #[error(transparent)]
    Fs(#[from] FsError),
}

impl Error {
    /// A usage error.
    pub(crate) fn usage(what: impl Into<String>, hint: &'static str) -> Self {
        Self::Usage {
            what: what.into(),
            hint,
        }
    }
}

impl Failure for Error {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::NoWiki { .. }
            | Self::NoNode { .. }
            | Self::NoPaper { .. }
            | Self::NoEnd { .. }
            | Self::NoEdge { .. } => ErrorKind::NotFound,
            Self::Usage { .. } | Self::ArxivId(_) | Self::Place { .. } => ErrorKind::Usage,
            Self::Page { .. }
            | Self::Markers { .. }
            | Self::Metadata { .. }
            | Self::TwoPapers { .. } => ErrorKind::Validation,
            Self::ChangedMeanwhile { .. } | Self::Outside { .. } => ErrorKind::Precondition,
            Self::Template(_) | Self::Index(IndexError::Sqlite { .. }) => ErrorKind::Internal,
            Self::Unanswered { source, .. } | Self::Undescribed { source, .. } => source.kind(),
            Self::Http(error) => error.kind(),
            Self::Fs(error) | Self::Index(IndexError::Fs(error)) => error.kind(),
        }
    }

    fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::NoWiki { root } => {
                return Some(format!("make one: research_wiki init {}", root.display()));
            }
            Self::NoNode { .. } => {
                "names of pages stand in index.md, such as paper:vaswani2017_attention_all_you"
            }
            Self::Usage { hint, .. } => hint,
            Self::ArxivId(_) => "for example 2501.12345 or hep-th/9901001",
            Self::NoPaper { .. } => {
                "check the identifier; give --title, --authors and --year to ingest without arXiv"
            }
            Self::Page { .. } => "mend it by hand; nothing was changed",
            Self::Outside { .. } => {
                "put a file or folder in the place of the link; nothing was changed"
            }
            Self::ChangedMeanwhile { .. } => "call again; nothing of it was overwritten",
            Self::TwoPapers { .. } => {
                "if they are one paper, give both pages the same title first, with update"
            }
            Self::Undescribed { .. } => {
                "give --title, --authors and --year, or --metadata FILE; then nobody is asked"
            }
            Self::NoEnd {
                near: Some(near), ..
            } => return Some(format!("did you mean {near}?")),
            Self::NoEnd { .. } => {
                "make its page first, or give --allow-missing where many are imported"
            }
            Self::NoEdge { .. } => "show NODE lists the edges of a page",
            Self::Markers { .. } => {
                "remove the marker line, or put its counterpart back; nothing was changed"
            }
            Self::Metadata { .. } => "the file holds records like those of arxiv_fetch --json",
            Self::Unanswered { .. } => {
                "run the same command again later: what is there is not asked for again"
            }
            Self::Place {
                why: Place::Changed(_),
                ..
            } => "move that file away, or choose another folder; nothing was changed",
            Self::Place {
                why: Place::Wiki, ..
            } => "choose a place outside the wiki's pages; nothing was changed",
            Self::Place { .. } => {
                "name a folder that is absent, empty, or an earlier export; nothing was changed"
            }
            Self::Template(_) | Self::Index(IndexError::Sqlite { .. }) => return None,
            Self::Http(error) => return error.hint(),
            Self::Fs(error) | Self::Index(IndexError::Fs(error)) => return error.hint(),
        };
        Some(hint.to_owned())
    }

    fn details(&self) -> Map<String, Value> {
        match self {
            Self::Fs(error) => error.details(),
            Self::Http(error) => error.details(),
            Self::Undescribed { source, .. } => source.details(),
            Self::Unanswered {
                ingested,
                unanswered,
                ..
            } => Map::from_iter([
                (String::from("ingested"), Value::from(*ingested)),
                (String::from("unanswered"), Value::from(unanswered.clone())),
            ]),
            _ => Map::new(),
        }
    }
}
