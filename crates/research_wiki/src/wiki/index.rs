//! The index of a wiki: what is kept of its pages, so that a command reads only those that changed.
//!
//! One `SQLite` file, `.wiki/index.sqlite`, with the short fields of each page and its words. It is derived and disposable: an index of
//! another version, or a damaged one, is removed and made again; where nothing may be written it is made in memory. A page is read again
//! when its size, times or inode are not those that the index knows, or when it changed after the index began to read: then a second
//! change within the file system's clock tick could hide.

use std::collections::BTreeMap;
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use aris_fs::{EntryKind, FsError, Lock};
use aris_wiki::node::Kind;
use aris_wiki::summary::Summary;
use rusqlite::types::Type;
use rusqlite::{Connection, OpenFlags, params};

use super::{KEEP, keep_folder, read_page};
use crate::error::Error;
use crate::search::document::{WEIGHTS, columns};
use crate::search::words::Phrase;

/// Raised whenever tables, fields, words or weights change.
const VERSION: i64 = 1;

/// How long a statement waits while another process commits.
const BUSY: Duration = Duration::from_secs(10);

/// Pages that are read before their words are written.
const PART: usize = 2048;

/// The words are stored as [`words`](crate::search::words::words) finds them: the tokenizer only has to split at spaces.
const TABLES: &str = "
    CREATE TABLE page (id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, stamp TEXT NOT NULL, summary TEXT NOT NULL);
    CREATE VIRTUAL TABLE word USING fts5(title, names, thesis, body,
                                         content='', contentless_delete=1, tokenize='ascii');";

/// What the file system says about a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stamp {
    size: u64,
    inode: u64,
    modified: i128,
    changed: i128,
}

impl Stamp {
    pub(super) fn of(metadata: &Metadata) -> Self {
        let nanoseconds =
            |seconds: i64, rest: i64| i128::from(seconds) * 1_000_000_000 + i128::from(rest);
        Self {
            size: metadata.size(),
            inode: metadata.ino(),
            modified: nanoseconds(metadata.mtime(), metadata.mtime_nsec()),
            changed: nanoseconds(metadata.ctime(), metadata.ctime_nsec()),
        }
    }

    /// As it is stored.
    pub(super) fn text(&self) -> String {
        let Self {
            size,
            inode,
            modified,
            changed,
        } = self;
        format!("{size:x} {inode:x} {modified:x} {changed:x}")
    }
}

/// A page's file.
#[derive(Clone, Debug)]
pub(crate) struct Listed {
    pub(super) kind: Kind,
    pub(super) file: String,
    pub(super) stamp: Stamp,
}

impl Listed {
    fn path(&self) -> String {
        format!("{}/{}", self.kind.folder(), self.file)
    }
}

/// Path and why a file among the pages is none.
pub(super) type Odd = (String, &'static str);

/// The pages of the wiki at `root`, by kind and name, and the files among them that are none.
pub(super) fn list(root: &Path) -> Result<(Vec<Listed>, Vec<Odd>), FsError> {
    let (mut pages, mut odd) = (Vec::new(), Vec::new());
    for kind in Kind::ALL {
        let folder = root.join(kind.folder());
        if !folder.is_dir() {
            continue;
        }
        for (entry, metadata) in aris_fs::list_with_metadata(&folder)? {
            let name = entry.name.to_string_lossy();
            let page =
                name.ends_with(".md") && !name.starts_with('.') && entry.kind != EntryKind::Folder;
            if !page {
                continue;
            }
            let mut is_odd = |why| odd.push((format!("{}/{name}", kind.folder()), why));
            if entry.kind == EntryKind::Link && super::way_out(root, &entry.path).is_some() {
                is_odd("it is a link that leads out of the wiki");
                continue;
            }
            match (entry.name.to_str(), metadata) {
                (Some(file), Some(metadata)) => pages.push(Listed {
                    kind,
                    file: file.to_owned(),
                    stamp: Stamp::of(&metadata),
                }),
                _ => is_odd("its name is not UTF-8, or it is a link to nothing"),
            }
        }
    }
    Ok((pages, odd))
}

/// The file system's clock: the only one that can be compared with the times of pages. The caller may write into the folder [`KEEP`].
pub(super) fn clock(root: &Path) -> Result<i128, FsError> {
    let path = root.join(KEEP).join("clock");
    aris_fs::write_unsynced(&path, b".\n")?;
    Ok(Stamp::of(aris_fs::open(&path)?.metadata()).changed)
}

/// A page that was found.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    /// Relative to the wiki.
    pub(crate) path: String,
    pub(crate) summary: Summary,
    /// BM25; higher is better.
    pub(crate) score: f64,
}

/// Short fields that the index has, with the stamp of the page that they were read from.
#[derive(Debug)]
pub(super) struct Kept {
    pub(super) stamp: String,
    pub(super) summary: Box<Summary>,
}

impl Kept {
    pub(super) fn place(&self) -> (Kind, &str) {
        (self.summary.kind, &self.summary.file)
    }
}

/// An index that can be asked.
#[derive(Debug)]
pub(crate) struct Index {
    connection: Connection,
}

/// Where the index of the wiki at `root` is kept.
pub(crate) fn place(root: &Path) -> PathBuf {
    root.join(KEEP).join("index.sqlite")
}

impl Index {
    /// The short fields that the index of the wiki at `root` has, if it has one.
    pub(super) fn known(root: &Path) -> Vec<Kept> {
        let known = Self::open(root).and_then(|index| index.summaries());
        known.unwrap_or_default()
    }

    /// The index of the wiki at `root`, brought up to date.
    pub(crate) fn current(root: &Path) -> Result<Self, Error> {
        // An index that cannot be read is no error yet: it is made again.
        if let Ok(index) = Self::open(root)
            && let (pages, _) = list(root)?
            && index.has(&pages).unwrap_or(false)
        {
            return Ok(index);
        }
        keep_folder(root)?;
        Self::update(root)?;
        Ok(Self::open(root)?)
    }

    /// An index of the pages as they are, in memory.
    pub(crate) fn in_memory(root: &Path) -> Result<Self, Error> {
        let mut connection = Connection::open_in_memory()?;
        bring_up_to_date(&mut connection, root, i128::MIN)?;
        Ok(Self { connection })
    }

    /// Brings the index of the wiki at `root` up to date. One that cannot be used is made again.
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

    /// Opens the index as it is, and holds its state.
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

    /// Whether these are the pages that it has.
    fn has(&self, pages: &[Listed]) -> rusqlite::Result<bool> {
        let known = stamps(&self.connection)?;
        let same = |page: &Listed| {
            let known = known.get(&page.path());
            known.is_some_and(|(_, stamp)| *stamp == page.stamp.text())
        };
        Ok(known.len() == pages.len() && pages.iter().all(same))
    }

    /// By path.
    fn summaries(&self) -> rusqlite::Result<Vec<Kept>> {
        let mut all = self
            .connection
            .prepare("SELECT stamp, summary FROM page WHERE stamp <> '' ORDER BY path")?;
        let mut rows = all.query([])?;
        let mut known = Vec::new();
        while let Some(row) = rows.next()? {
            // Another version's fields are no fields.
            if let Ok(summary) = serde_json::from_str(row.get_ref(1)?.as_str()?) {
                let stamp = row.get(0)?;
                known.push(Kept { stamp, summary });
            }
        }
        Ok(known)
    }

    /// The best `limit` pages for `phrases`, and how many there are: pages with all of them, or with `any` at least one.
    pub(crate) fn find(
        &self,
        phrases: &[Phrase],
        any: bool,
        kind: Option<Kind>,
        limit: usize,
    ) -> rusqlite::Result<(Vec<Found>, usize)> {
        let texts: Vec<String> = phrases.iter().map(expression).collect();
        let expression = texts.join(if any { " OR " } else { " AND " });
        let folder = kind.map_or("", Kind::folder);
        let [title, names, thesis, body] = WEIGHTS;
        let mut all = self.connection.prepare(
                "WITH hit AS MATERIALIZED
                     (SELECT rowid AS id, -bm25(word, ?2, ?3, ?4, ?5) AS score FROM word WHERE word MATCH ?1),
                     top AS MATERIALIZED
                     (SELECT id, score, count(*) OVER () AS total FROM hit JOIN page USING (id)
                      WHERE path GLOB ?6 ORDER BY score DESC, path LIMIT ?7)
                 SELECT path, summary, score, total FROM top JOIN page USING (id) ORDER BY score DESC, path",
            )?;
        let most = i64::try_from(limit.max(1)).unwrap_or(i64::MAX);
        let folder = format!("{folder}*");
        let mut rows = all.query(params![
            expression, title, names, thesis, body, folder, most
        ])?;
        let (mut found, mut total) = (Vec::new(), 0);
        while let Some(row) = rows.next()? {
            total = usize::try_from(row.get::<_, i64>(3)?).unwrap_or(usize::MAX);
            let summary = serde_json::from_str(row.get_ref(1)?.as_str()?);
            found.push(Found {
                path: row.get(0)?,
                summary: summary.map_err(|error| {
                    rusqlite::Error::FromSqlConversionFailure(1, Type::Text, Box::new(error))
                })?,
                score: row.get(2)?,
            });
        }
        found.truncate(limit);
        Ok((found, total))
    }
}

fn version(connection: &Connection) -> rusqlite::Result<i64> {
    connection.query_row("PRAGMA user_version", [], |row| row.get(0))
}

/// Number and stamp of each page by its path.
fn stamps(connection: &Connection) -> rusqlite::Result<BTreeMap<String, (i64, String)>> {
    let mut all = connection.prepare("SELECT path, id, stamp FROM page")?;
    let rows = all.query_map([], |row| Ok((row.get(0)?, (row.get(1)?, row.get(2)?))))?;
    rows.collect()
}

/// Reads the pages that changed into the index. Those that changed at or after the moment `since` are read again the next time.
fn bring_up_to_date(connection: &mut Connection, root: &Path, since: i128) -> Result<(), Error> {
    let change = connection.transaction()?;
    if version(&change)? != VERSION {
        // Tables of another version are in the way: an error, and the file is removed.
        change.execute_batch(TABLES)?;
        change.pragma_update(None, "user_version", VERSION)?;
    }
    let mut known = stamps(&change)?;
    let (pages, _) = list(root)?;
    let mut wanted: Vec<&Listed> = Vec::new();
    for page in &pages {
        match known.get(&page.path()) {
            Some((_, stamp)) if *stamp == page.stamp.text() => {
                known.remove(&page.path());
            }
            _ => wanted.push(page),
        }
    }
    // What is left is of pages that are gone or have changed.
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
            let page = read_page(&root.join(listed.path())).ok()?;
            let summary = Summary::of(listed.kind, &listed.file, &page);
            let fields = serde_json::to_string(&summary).ok()?;
            Some((fields, columns(&summary, &page)))
        });
        for (listed, read) in part.iter().zip(read) {
            let settled = listed.stamp.changed < since;
            let stamp = if settled {
                listed.stamp.text()
            } else {
                String::new()
            };
            // What is no text has no words; whoever wants to know why reads it again.
            let (fields, document): (String, [Vec<String>; 4]) = read.unwrap_or_default();
            let id = page.insert(params![listed.path(), stamp, fields])?;
            let [title, names, thesis, body] = document.each_ref().map(|words| words.join(" "));
            word.execute(params![id, title, names, thesis, body])?;
        }
    }
    drop((page, word, remove));
    change.commit()?;
    Ok(())
}

/// A phrase in FTS5's language. Words hold letters and digits only, so nothing needs an escape.
fn expression(phrase: &Phrase) -> String {
    let star = if phrase.prefix { " *" } else { "" };
    format!("\"{}\"{star}", phrase.words.join(" "))
}
