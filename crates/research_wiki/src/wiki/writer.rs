//! Changes a wiki: one writer at a time.
//!
//! Pages are written as whole files and durably, before the files derived from them. A killed writer leaves whole pages and outdated
//! derived files; every writer rebuilds the derived files at its end, so the next one repairs them.

use std::borrow::Cow;
use std::path::Path;

use aris_contract::time;
use aris_fs::Lock;
use jiff::Timestamp;

use super::{Entry, Index, Wiki, index::stamp, keep_folder};
use crate::error::Error;
use crate::file;
use crate::index;
use crate::pack::{self, Pack};
use aris_wiki::edges::{Edge, Edges};
use aris_wiki::node::Kind;
use aris_wiki::page::{Page, one_line};
use aris_wiki::summary::Summary;

/// Attempts to rewrite the graph when somebody appends to it.
const REWRITES: u32 = 20;

/// Threads that wait for the disk at the same time.
const WAITING: usize = 32;

/// A wiki under an exclusive lock, which is held until the writer is dropped.
#[derive(Debug)]
pub struct Writer {
    wiki: Wiki,
    now: Timestamp,
    /// Number of pages written.
    written: usize,
    _lock: Lock,
}

impl Writer {
    /// Waits for the wiki's lock and opens the wiki. `now` is the time for log and pages.
    pub fn open(root: &Path, now: Timestamp) -> Result<Self, Error> {
        Self::open_after(root, now, None)
    }

    /// Like [`Writer::open`]. `before` is the wiki if this process has just opened it for reading: its entries from the index are reused.
    pub fn open_after(root: &Path, now: Timestamp, before: Option<Wiki>) -> Result<Self, Error> {
        super::check_root(root)?;
        let lock = Lock::acquire(&keep_folder(root)?.join("lock"))?;
        Ok(Self {
            wiki: match before {
                Some(wiki) => wiki.again()?,
                None => Wiki::open(root)?,
            },
            now,
            written: 0,
            _lock: lock,
        })
    }

    /// The wiki, including everything written so far.
    pub fn wiki(&self) -> &Wiki {
        &self.wiki
    }

    /// How many pages were written so far.
    pub fn written(&self) -> usize {
        self.written
    }

    /// The time for log and pages, as text.
    pub fn now(&self) -> String {
        time::stamp(self.now)
    }

    /// Writes a page durably and as a whole. Returns `false` when the file already has this content.
    pub fn write(&mut self, kind: Kind, name: &str, page: &Page) -> Result<bool, Error> {
        let written = write_page(&self.wiki, kind, name, page)?;
        if written {
            self.remember(kind, name, page);
        }
        Ok(written)
    }

    /// Writes many pages, each whole and durably. Many threads do so, because the file system combines concurrent syncs.
    ///
    /// **Errors**: [`Error::ChangedMeanwhile`] if somebody else made or changed a page meanwhile; the other pages are written.
    pub fn write_all(&mut self, pages: &[(Kind, String, Page)]) -> Result<(), Error> {
        let wiki = &self.wiki;
        let written = aris_fs::map_in_parallel(WAITING, pages, |(kind, name, page)| {
            write_page(wiki, *kind, name, page)
        });
        for ((kind, name, page), written) in pages.iter().zip(written) {
            if written? {
                self.remember(*kind, name, page);
            }
        }
        Ok(())
    }

    /// Removes a page if it is unchanged since it was read.
    pub fn remove(&mut self, kind: Kind, name: &str, page: &Page) -> Result<(), Error> {
        let path = self.wiki.path(kind, name);
        let there = aris_fs::read_optional(&path, super::PAGE_LIMIT)?;
        if there
            .as_deref()
            .is_some_and(|bytes| Some(bytes) != page.origin().map(str::as_bytes))
        {
            return Err(Error::ChangedMeanwhile { path });
        }
        aris_fs::remove_file(&path)?;
        self.wiki
            .pages
            .retain(|entry| entry.place() != (kind, name));
        Ok(())
    }

    /// Appends edges to the graph.
    pub fn append_edges(&mut self, edges: &[Edge]) -> Result<(), Error> {
        aris_fs::create_dir(&self.wiki.root.join("graph"))?;
        let lines: Vec<String> = edges.iter().map(Edge::line).collect();
        file::append(&self.wiki.root.join("graph/edges.jsonl"), &lines)?;
        Ok(())
    }

    /// Rewrites the graph: `name` gives the new form of each edge, or `None` to remove it; repeated edges are dropped. Lines that are no
    /// edges stay, and so do edges that somebody appends meanwhile.
    pub fn rewrite_edges(&mut self, name: &dyn Fn(&Edge) -> Option<Edge>) -> Result<Edges, Error> {
        for _ in 0..REWRITES {
            if let Some(edges) = self.try_rewrite_edges(name)? {
                return Ok(edges);
            }
        }
        Err(Error::ChangedMeanwhile {
            path: self.wiki.root.join("graph/edges.jsonl"),
        })
    }

    /// One attempt; `None` when somebody appended an edge meanwhile.
    fn try_rewrite_edges(
        &mut self,
        name: &dyn Fn(&Edge) -> Option<Edge>,
    ) -> Result<Option<Edges>, Error> {
        let path = self.wiki.root.join("graph/edges.jsonl");
        let old = aris_fs::read_optional(&path, aris_fs::READ_LIMIT)?.unwrap_or_default();
        // New text of each line, and its edge; `None` for a line that is not an edge and stays.
        let mut lines: Vec<(Cow<'_, [u8]>, Option<Edge>)> = Vec::new();
        for line in old.split_inclusive(|byte| *byte == b'\n') {
            let edge = std::str::from_utf8(line).ok().and_then(Edge::parse);
            match edge.as_ref().map(name) {
                Some(None) => {}
                Some(Some(renamed)) if edge.as_ref() != Some(&renamed) => {
                    let line = format!("{}\n", renamed.line());
                    lines.push((Cow::Owned(line.into_bytes()), Some(renamed)));
                }
                _ => lines.push((Cow::Borrowed(line), edge)),
            }
        }
        let edges: Vec<Edge> = lines.iter().filter_map(|(_, edge)| edge.clone()).collect();
        let mut first = Edges::first_of_equal(&edges).into_iter();
        lines.retain(|(_, edge)| edge.is_none() || first.next().unwrap_or_default());
        let out = lines.into_iter().map(|(line, _)| line);
        let out = out.collect::<Vec<_>>().concat();
        if out != old {
            let same = || {
                let there = aris_fs::read_optional(&path, aris_fs::READ_LIMIT)
                    .ok()
                    .flatten();
                there.as_deref().unwrap_or_default() == old.as_slice()
            };
            if !file::replace_and_follow(&path, &out, old.len() as u64, &same)? {
                return Ok(None);
            }
        }
        Ok(Some(Edges::parse(&String::from_utf8_lossy(&out))))
    }

    /// Appends lines with the time to the log. Line feeds in a message become spaces.
    pub fn log(&mut self, messages: &[String]) -> Result<(), Error> {
        let path = self.wiki.root.join("log.md");
        if !path.exists() {
            aris_fs::write_new(&path, b"# Research Wiki Log\n\n")?;
        }
        let stamp = self.now();
        let line = |message: &String| format!("- `{stamp}` {}", one_line(message));
        let lines: Vec<String> = messages.iter().map(line).collect();
        file::append(&path, &lines)?;
        Ok(())
    }

    /// Adds a written page to the list of pages.
    fn remember(&mut self, kind: Kind, name: &str, page: &Page) {
        let Ok(metadata) = std::fs::metadata(self.wiki.path(kind, name)) else {
            return;
        };
        self.wiki.read += 1;
        self.written += 1;
        let new = Entry {
            summary: Box::leak(Box::new(Summary::of(kind, name, page))),
            stamp: stamp(&metadata),
            kept: false,
        };
        let place = self
            .wiki
            .pages
            .binary_search_by(|entry| entry.place().cmp(&(kind, name)));
        match place {
            Ok(at) => {
                if let Some(entry) = self.wiki.pages.get_mut(at) {
                    *entry = new;
                }
            }
            Err(at) => self.wiki.pages.insert(at, new),
        }
    }

    /// Rebuilds the derived files: `index.md`, the query pack, and, if many pages had to be read, the index. Returns the pack.
    pub fn refresh(&self, edges: &Edges) -> Result<Pack, Error> {
        self.refresh_with(edges, &pack::Wish::default())
    }

    /// Like [`Writer::refresh`], with the pack that `wish` asks for.
    pub fn refresh_with(&self, edges: &Edges, wish: &pack::Wish) -> Result<Pack, Error> {
        self.refresh_index()?;
        let pack = Pack::make(&self.wiki, edges, wish)?;
        file::refresh(&self.wiki.root.join("query_pack.md"), &pack.text)?;
        self.keep();
        Ok(pack)
    }

    /// Rebuilds `index.md`.
    pub fn refresh_index(&self) -> Result<(), Error> {
        file::refresh(&self.wiki.root.join("index.md"), &index::render(&self.wiki))?;
        Ok(())
    }

    /// Updates the index if many pages had to be read. A failure only costs time and is ignored.
    fn keep(&self) {
        const MUCH: usize = 64;
        if self.wiki.read < MUCH {
            return;
        }
        Index::update(&self.wiki.root).unwrap_or_default();
    }
}

/// Whether a page's frontmatter lacks its end: then fields and prose cannot be told apart.
pub(crate) fn is_open(text: &str) -> bool {
    text.trim_start_matches('\u{feff}').starts_with("---")
        && Page::parse(text.to_owned()).has_open_front()
}

pub(crate) fn open_front(path: &Path) -> Error {
    Error::page(path, "its frontmatter has no end: no second ---")
}

fn write_page(wiki: &Wiki, kind: Kind, name: &str, page: &Page) -> Result<bool, Error> {
    let path = wiki.path(kind, name);
    let bytes = page.text().as_bytes();
    let old = aris_fs::read_optional(&path, super::PAGE_LIMIT)?;
    if old.as_deref() == Some(bytes) {
        return Ok(false);
    }
    if page.origin().is_some_and(is_open) {
        return Err(open_front(&path));
    }
    aris_fs::create_dir(&wiki.root.join(kind.folder()))?;
    // An editor does not use the lock: what it saved since the page was read must not be overwritten.
    // The directory entry becomes durable with the log line that follows each new page.
    let written = match page.origin() {
        None => aris_fs::write_new(&path, bytes)?,
        Some(origin) => {
            old.is_some() && aris_fs::write_atomic_over(&path, bytes, origin.as_bytes())?
        }
    };
    if written {
        Ok(true)
    } else {
        Err(Error::ChangedMeanwhile { path })
    }
}
