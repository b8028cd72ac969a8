//! A wiki on the disk: opening, locking, writing pages, and what is made from them.

mod catalogue;
mod writer;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use aris_fs::EntryKind;
use catalogue::{Catalogue, Stamp};

use crate::edges::Edges;
use crate::error::Error;
use crate::file;
use crate::identity::{Identity, Known};
use crate::node::Kind;
use crate::page::Page;
use crate::summary::Summary;

pub use writer::Writer;

/// Bytes of a page at most: 16 MiB, thousands of times a page that somebody wrote.
pub const PAGE_LIMIT: u64 = 16 << 20;

/// Folder below the wiki for what this program keeps: the lock, the catalogue. Nothing in it is worth keeping.
pub const KEEP: &str = ".wiki";

/// A wiki as it is now.
#[derive(Debug)]
pub struct Wiki {
    root: PathBuf,
    /// By kind, then by file name: the order of the index.
    pages: Vec<Entry>,
    unreadable: Vec<Unreadable>,
    /// Pages that the catalogue did not have.
    read: usize,
}

/// A page, and what the file system says about it.
#[derive(Debug)]
struct Entry {
    summary: Box<Summary>,
    stamp: Stamp,
    /// Whether it came from the catalogue, and was not read in this run.
    kept: bool,
}

impl Entry {
    fn place(&self) -> (Kind, &str) {
        (self.summary.kind, &self.summary.file)
    }
}

/// A file among the pages that is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreadable {
    /// Relative to the wiki.
    pub path: String,
    /// What is wrong.
    pub why: String,
}

impl Wiki {
    /// Opens the wiki at `root` for looking at. Nothing is written, no lock is taken.
    ///
    /// **Errors**: [`Error::NoWiki`] when there is no folder `papers`; a page that cannot be read is no error but one of
    /// [`Wiki::unreadable`].
    pub fn open(root: &Path) -> Result<Self, Error> {
        if !root.join(Kind::Paper.folder()).is_dir() {
            return Err(Error::NoWiki {
                root: root.to_path_buf(),
            });
        }
        refuse_ways_out(root)?;
        let kept = file::text_optional(&root.join(KEEP).join("catalogue")).unwrap_or_default();
        Self::look(root, Catalogue::parse(&kept.unwrap_or_default()))
    }

    /// Looks again. What the catalogue gave is still known; pages that were read are read again, because they may have changed within
    /// the file system's clock tick.
    fn again(self) -> Result<Self, Error> {
        let kept = self.pages.into_iter().filter(|entry| entry.kept);
        let known = kept.map(|entry| (entry.stamp, entry.summary)).collect();
        Self::look(&self.root, known)
    }

    fn look(root: &Path, mut known: Catalogue) -> Result<Self, Error> {
        let mut wiki = Self {
            root: root.to_path_buf(),
            pages: Vec::new(),
            unreadable: Vec::new(),
            read: 0,
        };
        let mut unknown: Vec<(Kind, String, Stamp)> = Vec::new();
        for kind in Kind::ALL {
            let folder = root.join(kind.folder());
            if !folder.is_dir() {
                continue;
            }
            for (entry, metadata) in aris_fs::list_with_metadata(&folder)? {
                let name = entry.name.to_string_lossy();
                let page = name.ends_with(".md")
                    && !name.starts_with('.')
                    && entry.kind != EntryKind::Folder;
                if !page {
                    continue;
                }
                let mut unreadable = |why: &str| {
                    wiki.unreadable.push(Unreadable {
                        path: format!("{}/{name}", kind.folder()),
                        why: why.to_owned(),
                    });
                };
                if entry.kind == EntryKind::Link && way_out(root, &entry.path).is_some() {
                    unreadable("it is a link that leads out of the wiki");
                    continue;
                }
                let (Some(name), Some(metadata)) = (entry.name.to_str(), metadata) else {
                    unreadable("its name is not UTF-8, or it is a link to nothing");
                    continue;
                };
                let stamp = Stamp::of(&metadata);
                match known.take(kind, name, stamp) {
                    Some(summary) => wiki.pages.push(Entry {
                        summary,
                        stamp,
                        kept: true,
                    }),
                    None => unknown.push((kind, name.to_owned(), stamp)),
                }
            }
        }
        wiki.read = unknown.len();
        wiki.read_pages(&unknown);
        wiki.pages.sort_by(|one, two| one.place().cmp(&two.place()));
        Ok(wiki)
    }

    /// Reads pages, on all processors.
    fn read_pages(&mut self, pages: &[(Kind, String, Stamp)]) {
        let root = self.root.as_path();
        for result in aris_fs::map_in_parallel(aris_fs::processors(), pages, |page| {
            read_summary(root, page)
        }) {
            match result {
                Ok(page) => self.pages.push(page),
                Err(problem) => self.unreadable.push(problem),
            }
        }
    }

    /// The wiki's folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The pages, by kind and file name.
    pub fn pages(&self) -> impl Iterator<Item = &Summary> + Clone {
        self.pages.iter().map(|entry| &*entry.summary)
    }

    /// The pages of one kind, by file name.
    pub fn of_kind(&self, kind: Kind) -> impl Iterator<Item = &Summary> + Clone {
        self.pages().filter(move |page| page.kind == kind)
    }

    /// Files among the pages that are none.
    pub fn unreadable(&self) -> &[Unreadable] {
        &self.unreadable
    }

    /// The page of the node called `node`.
    pub fn find(&self, node: &str) -> Option<&Summary> {
        self.pages().find(|page| page.node == node)
    }

    /// Pages by node, the first of several with the same name.
    pub fn by_node(&self) -> BTreeMap<&str, &Summary> {
        let mut nodes = BTreeMap::new();
        for page in self.pages() {
            nodes.entry(page.node.as_str()).or_insert(page);
        }
        nodes
    }

    /// The papers by identity, with the names of their files.
    pub fn papers(&self) -> Known<String> {
        let mut known = Known::default();
        for page in self.of_kind(Kind::Paper) {
            known.add(&page.identity(), page.file.clone());
            for alias in &page.aliases {
                let of = |kind| alias.strip_prefix(kind);
                let other = Identity::new(of("arxiv:"), of("doi:"), "", "", 0);
                known.add(&other, page.file.clone());
            }
        }
        known
    }

    /// The graph.
    pub fn edges(&self) -> Result<Edges, Error> {
        Edges::read(&self.root)
    }

    /// Where a page is.
    pub fn path(&self, kind: Kind, file: &str) -> PathBuf {
        self.root.join(kind.folder()).join(file)
    }

    /// Reads a whole page that is to be changed.
    /// Many editors empty a file before they write it: an empty one is looked at again for a moment.
    pub fn page(&self, kind: Kind, file: &str) -> Result<Page, Error> {
        let path = self.path(kind, file);
        for _ in 0..20 {
            let page = read_page(&path)?;
            if !page.text().is_empty() {
                return Ok(page);
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        read_page(&path)
    }
}

/// Refuses a wiki with a file or folder of ours that is a link to a place outside of it: what is written there would change others' files.
pub(crate) fn refuse_ways_out(root: &Path) -> Result<(), Error> {
    let files = [
        KEEP,
        "graph",
        "graph/edges.jsonl",
        "gap_map.md",
        "index.md",
        "log.md",
        "query_pack.md",
        "LINT_REPORT.md",
    ];
    for name in Kind::ALL.map(Kind::folder).into_iter().chain(files) {
        let path = root.join(name);
        if let Some(target) = way_out(root, &path) {
            return Err(Error::Outside { path, target });
        }
    }
    Ok(())
}

/// Where the link `path` leads, when that is not in the folder `root`.
fn way_out(root: &Path, path: &Path) -> Option<PathBuf> {
    let target = std::fs::read_link(path).ok()?;
    let inside = root.canonicalize().ok()?;
    match path.canonicalize() {
        Ok(real) if real.starts_with(&inside) => None,
        Ok(real) => Some(real),
        // It leads nowhere yet: a write would make the file there.
        Err(_) => {
            let real = aris_fs::lexical(&path.parent()?.canonicalize().ok()?.join(&target));
            (!real.starts_with(&inside)).then_some(real)
        }
    }
}

/// Reads a whole page; one that is not UTF-8 is an error, because it could not be written back as it was.
pub(crate) fn read_page(path: &Path) -> Result<Page, Error> {
    let bytes = aris_fs::read(path, PAGE_LIMIT)?;
    match String::from_utf8(bytes) {
        Ok(text) => Ok(Page::read(text)),
        Err(error) => Err(Error::Page {
            path: path.to_path_buf(),
            why: format!("byte {} is not UTF-8", error.utf8_error().valid_up_to()),
        }),
    }
}

fn read_summary(
    root: &Path,
    (kind, name, stamp): &(Kind, String, Stamp),
) -> Result<Entry, Unreadable> {
    match read_page(&root.join(kind.folder()).join(name)) {
        Ok(page) => Ok(Entry {
            summary: Box::new(Summary::of(*kind, name, &page)),
            stamp: *stamp,
            kept: false,
        }),
        Err(error) => Err(Unreadable {
            path: format!("{}/{name}", kind.folder()),
            why: error.to_string(),
        }),
    }
}
