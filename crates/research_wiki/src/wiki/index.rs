//! The index of a wiki: stored summaries and words of its pages, so that a command reads only pages that changed.
//!
//! One `SQLite` file, `.wiki/index.sqlite`. It is derived and disposable: an index of another version or a damaged one is removed and
//! built again; where nothing can be written it is built in memory. A page is read again when its size, times or inode differ from those
//! in the index, or when it changed after the last update of the index began: a second change within the same tick of the file system's
//! clock would be invisible.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::Metadata;
use std::ops::Range;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use aris_fs::{EntryKind, FsError, Lock};
use aris_wiki::node::Kind;
use aris_wiki::summary::Summary;
use rusqlite::types::Type;
use rusqlite::{Connection, OpenFlags, Row, params};
use serde::Serialize;

use super::{KEEP, Unreadable, keep_folder, read_page};
use crate::error::Error;
use crate::search::document::{WEIGHTS, columns};
use crate::search::words::Phrase;

/// Must be raised when tables, fields, words or weights change, or when pages are parsed in another way.
const VERSION: i64 = 5;

/// How long a statement waits while another process commits.
const BUSY: Duration = Duration::from_secs(10);

/// Pages that are read before their words are written to the index.
const PART: usize = 2048;

/// Words are stored as [`words`](crate::search::words::words) gives them: the tokenizer only has to split at spaces.
const TABLES: &str = "
    CREATE TABLE page (id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, stamp BLOB, summary BLOB NOT NULL);
    CREATE VIRTUAL TABLE word USING fts5(title, names, thesis, body,
                                         content='', contentless_delete=1, tokenize='ascii');";

/// Inode, size, and the two [`Moment`]s when the content and the inode of a page last changed.
pub(super) type Stamp = [u8; 48];

/// Seconds and nanoseconds on the file system's clock.
pub(super) type Moment = (i64, i64);

pub(super) fn stamp(metadata: &Metadata) -> Stamp {
    let [inode, size] = [metadata.ino(), metadata.size()].map(u64::cast_signed);
    let times = [metadata.mtime(), metadata.mtime_nsec()];
    let (seconds, nanoseconds) = changed(metadata);
    let mut stamp = [0; 48];
    for (bytes, number) in stamp
        .chunks_exact_mut(8)
        .zip([inode, size, seconds, nanoseconds].into_iter().chain(times))
    {
        bytes.copy_from_slice(&number.to_le_bytes());
    }
    stamp
}

fn changed(metadata: &Metadata) -> Moment {
    (metadata.ctime(), metadata.ctime_nsec())
}

/// A page's file.
#[derive(Clone, Debug)]
pub(super) struct Listed {
    pub(super) kind: Kind,
    /// Relative to the wiki.
    pub(super) path: String,
    pub(super) stamp: Stamp,
    changed: Moment,
}

impl Listed {
    pub(super) fn file(&self) -> &str {
        let start = self.kind.folder().len() + 1;
        self.path.get(start..).unwrap_or_default()
    }
}

/// The pages of the wiki at `root`, sorted by path, and the files among them that are not pages.
pub(super) fn list(root: &Path) -> Result<(Vec<Listed>, Vec<Unreadable>), FsError> {
    let (mut pages, mut odd) = (Vec::new(), Vec::new());
    for kind in Kind::ALL {
        let folder = root.join(kind.folder());
        if !folder.is_dir() {
            continue;
        }
        let look = |name: OsString, entry: EntryKind, metadata: Option<Metadata>| {
            let shown = name.to_string_lossy();
            let page = shown.ends_with(".md") && !shown.starts_with('.');
            if !page || entry == EntryKind::Folder {
                return None;
            }
            let path = [kind.folder(), "/", &shown].concat();
            let odd = |why: &str, path| {
                let why = why.to_owned();
                Some(Err(Unreadable { path, why }))
            };
            if entry == EntryKind::Link && super::way_out(root, &folder.join(&name)).is_some() {
                return odd("it is a link that leads out of the wiki", path);
            }
            if shown.contains(char::is_control) {
                return odd("its name has a line break or a control character", path);
            }
            match metadata {
                Some(metadata) if name.to_str().is_some() => Some(Ok(Listed {
                    kind,
                    path,
                    stamp: stamp(&metadata),
                    changed: changed(&metadata),
                })),
                _ => odd("its name is not UTF-8, or it is a link to nothing", path),
            }
        };
        for entry in aris_fs::map_entries(&folder, look)? {
            match entry {
                Ok(page) => pages.push(page),
                Err(why) => odd.push(why),
            }
        }
    }
    pages.sort_unstable_by(|one, two| one.path.cmp(&two.path));
    odd.sort_unstable_by(|one, two| one.path.cmp(&two.path));
    Ok((pages, odd))
}

/// The current time of the file system's clock, the only one comparable with the times of pages. [`KEEP`] must exist and be writable.
fn clock(root: &Path) -> Result<Moment, FsError> {
    let path = root.join(KEEP).join("clock");
    aris_fs::replace_unsynced(&path, b".\n")?;
    Ok(changed(aris_fs::open(&path)?.metadata()))
}

/// One page that was found.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Hit {
    /// Name of the node.
    pub node: String,
    /// The page, relative to the wiki.
    pub path: String,
    /// Title.
    pub title: String,
    /// Year; 0 when unknown.
    pub year: u32,
    /// BM25; higher is better. Comparable within one answer only.
    pub score: f64,
    /// The line of the page that has most of the query.
    pub snippet: String,
}

/// The index's entry for a page, with the stamp that the page had when it was read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Kept {
    pub(super) stamp: Stamp,
    pub(super) summary: &'static Summary,
}

/// An open index.
#[derive(Debug)]
pub(crate) struct Index {
    connection: Connection,
}

/// The path of the index of the wiki at `root`.
pub(crate) fn place(root: &Path) -> PathBuf {
    root.join(KEEP).join("index.sqlite")
}

impl Index {
    /// The entries in the index of the wiki at `root`; empty if there is none.
    pub(super) fn known(root: &Path) -> Vec<Kept> {
        let known = Self::open(root).and_then(|index| index.summaries());
        known.unwrap_or_default()
    }

    /// The result of `ask` on the index of the wiki at `root`. The index is updated first if pages changed.
    pub(crate) fn ask<T>(
        root: &Path,
        ask: &dyn Fn(&Self) -> Result<T, rusqlite::Error>,
    ) -> Result<T, Error> {
        // An unreadable index is no error here: it is built again.
        if let Ok(index) = Self::open(root) {
            // The query runs while the pages are listed, because the index is nearly always up to date.
            let (listed, answer) = std::thread::scope(|scope| {
                let listed = scope.spawn(|| list(root));
                let answer = ask(&index);
                (listed.join().unwrap_or_else(|_| list(root)), answer)
            });
            if let (pages, _) = listed?
                && let Ok(answer) = answer
                && index.has(&pages).unwrap_or(false)
            {
                return Ok(answer);
            }
        }
        keep_folder(root)?;
        Self::update(root)?;
        Ok(ask(&Self::open(root)?)?)
    }

    /// Builds an index of all pages in memory.
    pub(crate) fn in_memory(root: &Path) -> Result<Self, Error> {
        let mut connection = Connection::open_in_memory()?;
        bring_up_to_date(&mut connection, root, (i64::MIN, 0))?;
        Ok(Self { connection })
    }

    /// Updates the index of the wiki at `root`. One that cannot be used is built again.
    pub(super) fn update(root: &Path) -> Result<(), Error> {
        let path = place(root);
        let _lock = Lock::acquire(&root.join(KEEP).join("index.lock"))?;
        let update = || -> Result<(), Error> {
            let since = clock(root)?;
            let mut connection = Connection::open(&path)?;
            connection.busy_timeout(BUSY)?;
            bring_up_to_date(&mut connection, root, since)
        };
        update().or_else(|_| {
            for suffix in ["", "-journal"] {
                let mut path = path.as_os_str().to_owned();
                path.push(suffix);
                aris_fs::remove_file(Path::new(&path))?;
            }
            update()
        })
    }

    /// Opens the existing index and begins a transaction, so that all queries see the same state.
    fn open(root: &Path) -> rusqlite::Result<Self> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE;
        let connection = Connection::open_with_flags(place(root), flags)?;
        connection.busy_timeout(BUSY)?;
        connection.execute_batch("PRAGMA mmap_size = 268435456; BEGIN")?;
        match version(&connection)? {
            VERSION => Ok(Self { connection }),
            _ => Err(rusqlite::Error::InvalidQuery),
        }
    }

    /// Whether the index has exactly these pages (sorted by path) with the same stamps.
    fn has(&self, pages: &[Listed]) -> rusqlite::Result<bool> {
        let mut all = self
            .connection
            .prepare("SELECT path, stamp FROM page ORDER BY path")?;
        let mut rows = all.query([])?;
        for page in pages {
            let Some(row) = rows.next()? else {
                return Ok(false);
            };
            if row.get_ref(0)?.as_str()? != page.path
                || row.get_ref(1)?.as_blob_or_null()? != Some(&page.stamp)
            {
                return Ok(false);
            }
        }
        Ok(rows.next()?.is_none())
    }

    /// The entries of all pages, in no particular order.
    fn summaries(&self) -> rusqlite::Result<Vec<Kept>> {
        let mut all = self
            .connection
            .prepare("SELECT stamp, summary FROM page WHERE stamp IS NOT NULL")?;
        let mut rows = all.query([])?;
        // All texts go into one block: allocating strings for ten thousand pages takes longer than reading them.
        let mut texts = Vec::new();
        let mut places = Vec::new();
        while let Some(row) = rows.next()? {
            let start = texts.len();
            texts.extend_from_slice(row.get_ref(1)?.as_blob()?);
            places.push((start..texts.len(), row.get(0)?));
        }
        let texts: &'static [u8] = texts.leak();
        let mut summaries = Vec::with_capacity(places.len());
        let mut stamps = Vec::with_capacity(places.len());
        for (place, stamp) in places {
            // A page that is not UTF-8 has no fields.
            let bytes = texts.get::<Range<usize>>(place).unwrap_or_default();
            if let Ok(summary) = postcard::from_bytes(bytes) {
                summaries.push(summary);
                stamps.push(stamp);
            }
        }
        let pairs = stamps.into_iter().zip(summaries.leak());
        Ok(pairs
            .map(|(stamp, summary)| Kept { stamp, summary })
            .collect())
    }

    /// The best `limit` pages for `phrases`, without snippets, and the total number of matches. Pages need all phrases, or one if `any`.
    pub(crate) fn find(
        &self,
        phrases: &[Phrase],
        any: bool,
        kind: Option<Kind>,
        limit: usize,
    ) -> rusqlite::Result<(Vec<Hit>, usize)> {
        let texts: Vec<String> = phrases.iter().map(expression).collect();
        let expression = texts.join(if any { " OR " } else { " AND " });
        let folder = kind.map_or("", Kind::folder);
        let [title, names, thesis, body] = WEIGHTS;
        // The total is counted in a separate query without scores: a window function would keep all hits in memory.
        let mut all = self.connection.prepare(
            "SELECT path, summary, score,
                    (SELECT count(*) FROM word JOIN page ON id = word.rowid WHERE word MATCH ?1 AND path GLOB ?6)
             FROM (SELECT id, score
                   FROM (SELECT rowid AS id, -bm25(word, ?2, ?3, ?4, ?5) AS score FROM word WHERE word MATCH ?1)
                   JOIN page USING (id) WHERE path GLOB ?6 ORDER BY score DESC, path LIMIT ?7)
             JOIN page USING (id) ORDER BY score DESC, path",
        )?;
        let most = i64::try_from(limit.max(1)).unwrap_or(i64::MAX);
        let folder = format!("{folder}*");
        let mut rows = all.query(params![
            expression, title, names, thesis, body, folder, most
        ])?;
        let (mut found, mut total) = (Vec::new(), 0);
        while let Some(row) = rows.next()? {
            total = usize::try_from(row.get::<_, i64>(3)?).unwrap_or(usize::MAX);
            let summary = fields(row, 1)?;
            found.push(Hit {
                node: summary.node.to_owned(),
                path: row.get(0)?,
                title: summary.title.to_owned(),
                year: summary.year,
                score: row.get(2)?,
                snippet: String::new(),
            });
        }
        found.truncate(limit);
        Ok((found, total))
    }
}

fn version(connection: &Connection) -> rusqlite::Result<i64> {
    connection.query_row("PRAGMA user_version", [], |row| row.get(0))
}

/// The summary in a column.
fn fields(row: &Row<'_>, at: usize) -> rusqlite::Result<Summary> {
    postcard::from_bytes(row.get_ref(at)?.as_blob()?.to_vec().leak())
        .map_err(|error| rusqlite::Error::FromSqlConversionFailure(at, Type::Blob, Box::new(error)))
}

/// Number and stamp of each page by its path.
fn stamps(connection: &Connection) -> rusqlite::Result<BTreeMap<String, (i64, Option<Stamp>)>> {
    let mut all = connection.prepare("SELECT path, id, stamp FROM page ORDER BY path")?;
    let rows = all.query_map([], |row| Ok((row.get(0)?, (row.get(1)?, row.get(2)?))))?;
    rows.collect()
}

/// Reads changed pages into the index. Pages that changed at or after `since` are read again the next time.
fn bring_up_to_date(connection: &mut Connection, root: &Path, since: Moment) -> Result<(), Error> {
    let change = connection.transaction()?;
    if version(&change)? != VERSION {
        // Fails if the file has the tables of another version; the caller then removes it.
        change.execute_batch(TABLES)?;
        change.pragma_update(None, "user_version", VERSION)?;
    }
    let mut known = stamps(&change)?;
    let (pages, _) = list(root)?;
    let mut wanted: Vec<&Listed> = Vec::new();
    for page in &pages {
        match known.get(&page.path) {
            Some((_, stamp)) if *stamp == Some(page.stamp) => {
                known.remove(&page.path);
            }
            _ => wanted.push(page),
        }
    }
    // The rows that are left belong to pages that are gone or have changed.
    let mut remove = [
        change.prepare("DELETE FROM word WHERE rowid = ?1")?,
        change.prepare("DELETE FROM page WHERE id = ?1")?,
    ];
    for (id, _) in known.values() {
        for statement in &mut remove {
            statement.execute([id])?;
        }
    }
    let mut page = change.prepare("INSERT INTO page (path, stamp, summary) VALUES (?1, ?2, ?3)")?;
    let mut word = change.prepare(
        "INSERT INTO word (rowid, title, names, thesis, body) VALUES (?1, ?2, ?3, ?4, ?5)",
    )?;
    for part in wanted.chunks(PART) {
        let read = aris_fs::map_in_parallel(aris_fs::processors(), part, |listed| {
            let page = read_page(&root.join(&listed.path)).ok()?;
            let summary = Summary::of(listed.kind, listed.file(), &page);
            let fields = postcard::to_allocvec(&summary).ok()?;
            Some((fields, columns(&summary, &page)))
        });
        for (listed, read) in part.iter().zip(read) {
            let stamp = (listed.changed < since).then_some(listed.stamp);
            // A page that is not UTF-8 has no words; commands that report the reason read it again.
            let (fields, document): (Vec<u8>, [Vec<String>; 4]) = read.unwrap_or_default();
            let id = page.insert(params![listed.path, stamp, fields])?;
            let [title, names, thesis, body] = document.each_ref().map(|words| words.join(" "));
            word.execute(params![id, title, names, thesis, body])?;
        }
    }
    drop((page, word, remove));
    change.commit()?;
    Ok(())
}

/// A phrase in FTS5's query syntax. Words contain only letters and digits, so nothing has to be escaped.
fn expression(phrase: &Phrase) -> String {
    let star = if phrase.prefix { " *" } else { "" };
    format!("\"{}\"{star}", phrase.words.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The rows do not describe their layout. If this test fails, raise `VERSION`, or old rows are misread.
    #[test]
    fn the_version_is_that_of_the_layout() {
        let page = aris_wiki::page::Page::parse(String::from(
            "---\nnode_id: paper:a\ntitle: \"T\"\nauthors: [\"A\"]\nyear: 2020\n---\n## One-line thesis\nWhy.\n",
        ));
        let summary = Summary::of(Kind::Paper, "a.md", &page);
        let row: &'static [u8] = postcard::to_allocvec(&summary).expect("a row").leak();
        let mut expected = b"\x00\x04a.md\x07paper:a\x01T\x01t\x01\x01A\xe4\x0f".to_vec();
        // Venue, three identifiers, tags.
        expected.extend([0; 5]);
        expected.extend(b"\x04Why.");
        // Relevance, stage, outcome, status, added, lesson, questions, names, aliases.
        expected.extend([0; 9]);
        assert_eq!(postcard::from_bytes(row), Ok(summary));
        assert_eq!((VERSION, row), (5, expected.as_slice()));
    }
}
