//! Changing a wiki: one writer at a time.
//!
//! Pages are written whole and durably before what is made from them. A writer that is killed leaves pages that are whole and derived
//! files that are old; every writer makes them anew at its end, so the next one repairs.

use std::path::Path;

use aris_contract::time;
use aris_fs::Lock;
use jiff::Timestamp;

use super::catalogue::{self, Stamp};
use super::{KEEP, Wiki};
use crate::edges::Edge;
use crate::error::Error;
use crate::file;
use crate::node::Kind;
use crate::page::Page;
use crate::summary::Summary;

/// A wiki that this process alone may change, until it is dropped.
#[derive(Debug)]
pub struct Writer {
    wiki: Wiki,
    /// The file system's clock before the first page was read.
    since: i128,
    now: Timestamp,
    _lock: Lock,
}

impl Writer {
    /// Waits for the wiki's lock and opens it. `now` is the time that is written into it.
    pub fn open(root: &Path, now: Timestamp) -> Result<Self, Error> {
        if !root.join(Kind::Paper.folder()).is_dir() {
            return Err(Error::NoWiki {
                root: root.to_path_buf(),
            });
        }
        let keep = root.join(KEEP);
        aris_fs::create_dir(&keep)?;
        let lock = Lock::acquire(&keep.join("lock"))?;
        let ignore = keep.join(".gitignore");
        if !ignore.exists() {
            aris_fs::write_unsynced(&ignore, b"*\n")?;
        }
        // The only clock that can be compared with the times of pages.
        let clock = keep.join("clock");
        aris_fs::write_unsynced(&clock, b".\n")?;
        let since = match std::fs::metadata(&clock) {
            Ok(metadata) => Stamp::of(&metadata).changed(),
            // Without it nothing in the catalogue counts as unchanged.
            Err(_) => i128::MIN,
        };
        Ok(Self {
            wiki: Wiki::open(root)?,
            since,
            now,
            _lock: lock,
        })
    }

    /// The wiki, with everything that was written so far.
    pub fn wiki(&self) -> &Wiki {
        &self.wiki
    }

    /// The time that is written.
    pub fn now(&self) -> String {
        time::stamp(self.now)
    }

    /// Writes a page, durably and as a whole; `false` when it says that already.
    pub fn write(&mut self, kind: Kind, name: &str, page: &Page) -> Result<bool, Error> {
        let path = self.wiki.path(kind, name);
        let old = aris_fs::read_optional(&path, super::PAGE_LIMIT)?;
        if old.as_deref() == Some(page.text().as_bytes()) {
            return Ok(false);
        }
        let folder = self.wiki.root.join(kind.folder());
        aris_fs::create_dir(&folder)?;
        aris_fs::write_atomic(&path, page.text().as_bytes())?;
        let stamp = std::fs::metadata(&path).map(|found| Stamp::of(&found));
        let Ok(stamp) = stamp else { return Ok(true) };
        let summary = Summary::of(kind, name, page);
        let place = self
            .wiki
            .pages
            .binary_search_by(|(page, _)| (page.kind, page.file.as_str()).cmp(&(kind, name)));
        match place {
            Ok(at) => {
                if let Some(entry) = self.wiki.pages.get_mut(at) {
                    *entry = (summary, stamp);
                }
            }
            Err(at) => self.wiki.pages.insert(at, (summary, stamp)),
        }
        Ok(true)
    }

    /// Removes a page.
    pub fn remove(&mut self, kind: Kind, name: &str) -> Result<(), Error> {
        aris_fs::remove_file(&self.wiki.path(kind, name))?;
        self.wiki
            .pages
            .retain(|(page, _)| (page.kind, page.file.as_str()) != (kind, name));
        Ok(())
    }

    /// Appends edges to the graph.
    pub fn append_edges(&mut self, edges: &[Edge]) -> Result<(), Error> {
        aris_fs::create_dir(&self.wiki.root.join("graph"))?;
        let lines: Vec<String> = edges.iter().map(Edge::line).collect();
        file::append(&self.wiki.root.join("graph/edges.jsonl"), &lines)?;
        Ok(())
    }

    /// Appends lines to the log, with the time. Line feeds in a message become blanks.
    pub fn log(&mut self, messages: &[String]) -> Result<(), Error> {
        let path = self.wiki.root.join("log.md");
        if !path.exists() {
            aris_fs::write_new(&path, b"# Research Wiki Log\n\n")?;
        }
        let stamp = self.now();
        let line = |message: &String| format!("- `{stamp}` {}", message.replace(['\n', '\r'], " "));
        let lines: Vec<String> = messages.iter().map(line).collect();
        file::append(&path, &lines)?;
        Ok(())
    }

    /// Keeps what was read for the next run. A failure costs time and nothing else.
    pub fn keep(&self) {
        let pages = self
            .wiki
            .pages
            .iter()
            .map(|(summary, stamp)| (summary, *stamp));
        let text = catalogue::render(self.since, pages);
        let path = self.wiki.root.join(KEEP).join("catalogue");
        file::refresh(&path, &text).unwrap_or_default();
    }
}
