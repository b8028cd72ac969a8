//! Changing a wiki: one writer at a time.
//!
//! Pages are written whole and durably before what is made from them. A writer that is killed leaves pages that are whole and derived
//! files that are old; every writer makes them anew at its end, so the next one repairs.

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

/// Times that the graph is read again because somebody appended to it.
const REWRITES: u32 = 20;

/// Threads that wait for the disk.
const WAITING: usize = 32;

/// A wiki that this process alone may change, until it is dropped.
#[derive(Debug)]
pub struct Writer {
    wiki: Wiki,
    now: Timestamp,
    /// Pages that were written.
    written: usize,
    _lock: Lock,
}

impl Writer {
    /// Waits for the wiki's lock and opens it. `now` is the time that is written into it.
    pub fn open(root: &Path, now: Timestamp) -> Result<Self, Error> {
        Self::open_after(root, now, None)
    }

    /// The same, when this process has opened the wiki to look at it just before: what the index gave then is used again.
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

    /// The wiki, with everything that was written so far.
    pub fn wiki(&self) -> &Wiki {
        &self.wiki
    }

    /// How many pages were written so far.
    pub fn written(&self) -> usize {
        self.written
    }

    /// The time that is written.
    pub fn now(&self) -> String {
        time::stamp(self.now)
    }

    /// Writes a page, durably and as a whole; `false` when it says that already.
    pub fn write(&mut self, kind: Kind, name: &str, page: &Page) -> Result<bool, Error> {
        let written = write_page(&self.wiki, kind, name, page)?;
        if written {
            self.remember(kind, name, page);
        }
        Ok(written)
    }

    /// Writes many pages, each whole and durable. Syncs are made together by the file system when many wait for one, so many threads wait.
    ///
    /// **Errors**: [`Error::ChangedMeanwhile`] for a page that somebody else has made or changed by now; the others are there.
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

    /// Removes a page that still is what was read.
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

    /// Rewrites the graph with what `name` makes of each edge, each once; `None` takes one out. Lines that are no edges stay, and so does
    /// what somebody appends meanwhile.
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

    /// The same; `None` when somebody appended an edge meanwhile.
    fn try_rewrite_edges(
        &mut self,
        name: &dyn Fn(&Edge) -> Option<Edge>,
    ) -> Result<Option<Edges>, Error> {
        let path = self.wiki.root.join("graph/edges.jsonl");
        let old = aris_fs::read_optional(&path, aris_fs::READ_LIMIT)?.unwrap_or_default();
        // Each line as it is from now on with its edge; `None` for a line that is no edge and stays.
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

    /// Appends lines to the log, with the time. Line feeds in a message become blanks.
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

    /// Takes a page that was written into the list.
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

    /// Makes the derived files anew: `index.md`, query pack, and, when many pages had to be read, the index. Gives the pack.
    pub fn refresh(&self, edges: &Edges) -> Result<Pack, Error> {
        self.refresh_with(edges, &pack::Wish::default())
    }

    /// The same with a pack that is made to wish.
    pub fn refresh_with(&self, edges: &Edges, wish: &pack::Wish) -> Result<Pack, Error> {
        self.refresh_index()?;
        let pack = Pack::make(&self.wiki, edges, wish)?;
        file::refresh(&self.wiki.root.join("query_pack.md"), &pack.text)?;
        self.keep();
        Ok(pack)
    }

    /// Makes the index anew.
    pub fn refresh_index(&self) -> Result<(), Error> {
        file::refresh(&self.wiki.root.join("index.md"), &index::render(&self.wiki))?;
        Ok(())
    }

    /// Keeps what was read for the next run, when it was much. A failure costs time and nothing else.
    fn keep(&self) {
        const MUCH: usize = 64;
        if self.wiki.read < MUCH {
            return;
        }
        Index::update(&self.wiki.root).unwrap_or_default();
    }
}

/// Whether a page's frontmatter has no end: nobody can say what of it is a field and what is prose.
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
    // An editor knows nothing of the lock: what it saved since the page was read is never overwritten.
    // The folder's entry is made durable with the line of the log that follows each new page.
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
