//! A wiki on the disk: opens and locks it, writes its pages and derived files.

mod index;
mod writer;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use aris_contract::ErrorKind;
pub use index::Hit;
pub(crate) use index::{Index, place as index_place};
use index::{Kept, Listed, Stamp};

use crate::error::Error;
use crate::file;
use aris_fs::FsError;
use aris_wiki::edges::Edges;
use aris_wiki::identity::{Identity, Known};
use aris_wiki::node::Kind;
use aris_wiki::page::Page;
use aris_wiki::summary::Summary;
use serde::Serialize;

pub use writer::Writer;
pub(crate) use writer::{is_open, open_front};

/// Largest page, in bytes: 16 MiB, thousands of times the size of a page written by hand.
pub const PAGE_LIMIT: u64 = 16 << 20;

/// Folder in the wiki for this program's own files: the lock and the index. All of it can be deleted.
pub const KEEP: &str = ".wiki";

/// A wiki as it was when it was opened.
#[derive(Debug)]
pub struct Wiki {
    root: PathBuf,
    /// Sorted by kind, then by file name: the order of `index.md`.
    pages: Vec<Entry>,
    unreadable: Vec<Unreadable>,
    /// Number of pages that were read from their files, because the index did not have them.
    read: usize,
}

/// A page, and what the file system says about it.
#[derive(Debug)]
struct Entry {
    /// Leaked on purpose, with its texts: it lives as long as the process, and freeing ten thousand pages takes a tenth of a command's
    /// time.
    summary: &'static Summary,
    stamp: Stamp,
    /// Whether it came from the index.
    kept: bool,
}

impl Entry {
    fn place(&self) -> (Kind, &str) {
        (self.summary.kind, self.summary.file)
    }
}

/// A file among the pages that is no page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Unreadable {
    /// Relative to the wiki.
    pub path: String,
    /// What is wrong.
    pub why: String,
}

impl Wiki {
    /// Opens the wiki at `root` for reading. Writes nothing and takes no lock.
    ///
    /// **Errors**: there is no folder `papers`, or a folder cannot be listed. A page that cannot be read is no error: see
    /// [`Wiki::unreadable`].
    pub fn open(root: &Path) -> Result<Self, Error> {
        check_root(root)?;
        // The other thread lists the pages while this one reads the index.
        std::thread::scope(|scope| {
            let listed = scope.spawn(|| index::list(root));
            let known = Index::known(root);
            let listed = listed.join().unwrap_or_else(|_| index::list(root))?;
            Ok(Self::look(root, listed, known))
        })
    }

    /// Opens the wiki again. Entries from the index are reused; pages that were read are read again, because they may have changed within
    /// the file system's clock tick.
    fn again(self) -> Result<Self, Error> {
        let kept = self.pages.iter().filter(|entry| entry.kept);
        let known = kept.map(|entry| Kept {
            stamp: entry.stamp,
            summary: entry.summary,
        });
        Ok(Self::look(
            &self.root,
            index::list(&self.root)?,
            known.collect(),
        ))
    }

    fn look(
        root: &Path,
        (listed, unreadable): (Vec<Listed>, Vec<Unreadable>),
        mut known: Vec<Kept>,
    ) -> Self {
        let mut wiki = Self {
            root: root.to_path_buf(),
            pages: Vec::new(),
            unreadable,
            read: 0,
        };
        let mut unknown = Vec::new();
        let place = |kept: &Kept| (kept.summary.kind.folder(), kept.summary.file);
        known.sort_unstable_by_key(place);
        let mut known = known.into_iter().peekable();
        for page in listed {
            let wanted = (page.kind.folder(), page.file());
            while known.next_if(|kept| place(kept) < wanted).is_some() {}
            match known.next_if(|kept| place(kept) == wanted) {
                Some(kept) if kept.stamp == page.stamp => wiki.pages.push(Entry {
                    summary: kept.summary,
                    stamp: page.stamp,
                    kept: true,
                }),
                _ => unknown.push(page),
            }
        }
        wiki.read = unknown.len();
        wiki.read_pages(&unknown);
        wiki.pages.sort_by(|one, two| one.place().cmp(&two.place()));
        wiki
    }

    /// Reads pages, in parallel.
    fn read_pages(&mut self, pages: &[Listed]) {
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
        self.pages.iter().map(|entry| entry.summary)
    }

    /// The pages of one kind, by file name.
    pub fn of_kind(&self, kind: Kind) -> impl Iterator<Item = &Summary> + Clone {
        self.pages().filter(move |page| page.kind == kind)
    }

    /// Files among the pages that are not pages.
    pub fn unreadable(&self) -> &[Unreadable] {
        &self.unreadable
    }

    /// The page of `node`. Of several files with this node, such as sync conflict copies, the one named after it.
    pub fn find(&self, node: &str) -> Option<&Summary> {
        let mut pages = self.pages().filter(|page| page.node == node);
        let own = pages.clone().find(|page| page.has_own_name());
        own.or_else(|| pages.next())
    }

    /// The unreadable file with `node`'s name, and why it is unreadable.
    pub fn why_unreadable(&self, node: &str) -> Option<&Unreadable> {
        let (_, name) = node.split_once(':')?;
        let path = format!("{}/{name}.md", Kind::of(node)?.folder());
        self.unreadable.iter().find(|page| page.path == path)
    }

    /// Pages by node, each as [`Wiki::find`] gives it.
    pub fn by_node(&self) -> BTreeMap<&str, &Summary> {
        let mut nodes: BTreeMap<&str, &Summary> = BTreeMap::new();
        for page in self.pages() {
            let known = nodes.entry(page.node).or_insert(page);
            if page.has_own_name() {
                *known = page;
            }
        }
        nodes
    }

    /// The papers by identity, with the names of their files.
    pub fn papers(&self) -> Known<String> {
        let mut known = Known::default();
        for page in self.of_kind(Kind::Paper) {
            known.add(&page.identity(), page.file.to_owned());
            for alias in &page.aliases {
                let of = |kind| alias.strip_prefix(kind);
                let other = Identity::new(of("arxiv:"), of("doi:"), "", "", 0);
                known.add(&other, page.file.to_owned());
            }
        }
        known
    }

    /// The graph.
    pub fn edges(&self) -> Result<Edges, Error> {
        let text = file::text_optional(&self.root.join("graph/edges.jsonl"))?;
        Ok(Edges::parse(&text.unwrap_or_default()))
    }

    /// The text of `gap_map.md`; empty where there is none.
    pub fn gap_map(&self) -> Result<String, Error> {
        let text = file::text_optional(&self.root.join("gap_map.md"))?;
        Ok(text.unwrap_or_default())
    }

    /// The path of a page.
    pub fn path(&self, kind: Kind, file: &str) -> PathBuf {
        self.root.join(kind.folder()).join(file)
    }

    /// Reads a whole page.
    pub fn page(&self, kind: Kind, file: &str) -> Result<Page, Error> {
        read_page(&self.path(kind, file))
    }
}

/// Refuses a folder that is not a wiki, or that [`refuse_ways_out`] refuses.
pub(crate) fn check_root(root: &Path) -> Result<(), Error> {
    if root.join(Kind::Paper.folder()).is_dir() {
        return refuse_ways_out(root);
    }
    let root = root.display();
    let what = format!("{root} is not an initialized wiki (papers/ missing)");
    let hint = format!("make one: research_wiki init {root}");
    Err(Error::absent(what, &hint))
}

/// Refuses a wiki in which one of our files or folders is a link to a place outside: writing there would change other people's files.
pub(crate) fn refuse_ways_out(root: &Path) -> Result<(), Error> {
    let files = [
        KEEP,
        "graph",
        "graph/edges.jsonl",
        ".wiki/lock",
        ".wiki/index.lock",
        ".wiki/site.lock",
        "gap_map.md",
        "index.md",
        "log.md",
        "query_pack.md",
        "LINT_REPORT.md",
    ];
    for name in Kind::ALL.map(Kind::folder).into_iter().chain(files) {
        let path = root.join(name);
        if let Some(target) = way_out(root, &path) {
            let (path, target) = (path.display(), target.display());
            return Err(Error::told(
                ErrorKind::Precondition,
                format!("{path} leads out of the wiki, to {target}"),
                "put a file or folder in the place of the link; nothing was changed",
            ));
        }
    }
    Ok(())
}

/// The target of the link `path` if it is outside of `root`.
fn way_out(root: &Path, path: &Path) -> Option<PathBuf> {
    let target = std::fs::read_link(path).ok()?;
    let inside = root.canonicalize().ok()?;
    match path.canonicalize() {
        Ok(real) if real.starts_with(&inside) => None,
        Ok(real) => Some(real),
        // The target does not exist yet: a write through the link would create it.
        Err(_) => {
            let real = aris_fs::lexical(&path.parent()?.canonicalize().ok()?.join(&target));
            (!real.starts_with(&inside)).then_some(real)
        }
    }
}

/// Reads a whole page. A page that is not UTF-8 is an error: it could not be written back unchanged.
pub(crate) fn read_page(path: &Path) -> Result<Page, Error> {
    let bytes = aris_fs::read_settled(path, PAGE_LIMIT)?;
    match String::from_utf8(bytes) {
        Ok(text) => Ok(Page::read(text)),
        Err(error) => {
            let at = error.utf8_error().valid_up_to();
            Err(Error::page(path, &format!("byte {at} is not UTF-8")))
        }
    }
}

fn read_summary(root: &Path, listed: &Listed) -> Result<Entry, Unreadable> {
    match read_page(&root.join(&listed.path)) {
        Ok(page) => Ok(Entry {
            summary: Box::leak(Box::new(Summary::of(listed.kind, listed.file(), &page))),
            stamp: listed.stamp,
            kept: false,
        }),
        Err(error) => Err(Unreadable {
            path: listed.path.clone(),
            why: error.to_string(),
        }),
    }
}

/// Creates the folder for this program's own files, which git ignores.
pub(crate) fn keep_folder(root: &Path) -> Result<PathBuf, FsError> {
    let keep = root.join(KEEP);
    aris_fs::create_dir(&keep)?;
    let ignore = keep.join(".gitignore");
    if !ignore.exists() {
        aris_fs::write_unsynced(&ignore, b"*\n")?;
    }
    Ok(keep)
}
