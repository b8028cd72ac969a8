//! The index: a full-text table in `SQLite` below the cache directory, derived from the pages and thrown away at any doubt.
//!
//! One writer at a time holds a lock beside the file; readers need none. An index that is of another version, or damaged, is removed and
//! made again.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

use aris_contract::hex::hex;
use aris_fs::{FsError, Lock};
use rusqlite::{Connection, OpenFlags, OptionalExtension as _, Statement, params};
use sha2::{Digest as _, Sha256};

use crate::node::Kind;
use crate::search::Hit;
use crate::search::document::{Document, WEIGHTS};
use crate::search::read;
use crate::search::stamps::{Stamped, digest, stamps};
use crate::search::words::Phrase;

/// Raised whenever tables, words or weights change.
const VERSION: i64 = 1;
/// How long a statement waits while another process commits.
const BUSY: Duration = Duration::from_secs(10);

/// The words are stored as [`words`](crate::search::words::words) finds them: the tokenizer only has to split at spaces.
const TABLES: &str = "
    CREATE TABLE page (id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, stamp TEXT NOT NULL,
                       node TEXT NOT NULL, title TEXT NOT NULL, year INTEGER NOT NULL);
    CREATE TABLE state (digest TEXT);
    INSERT INTO state VALUES (NULL);
    CREATE VIRTUAL TABLE word USING fts5(title, names, thesis, body,
                                         content='', contentless_delete=1, tokenize='ascii');";

/// Why there is no answer from the index.
#[derive(Debug, thiserror::Error)]
pub enum IndexError {
    /// `SQLite`.
    #[error("the search index {}: {error}", path.display())]
    Sqlite {
        /// The file.
        path: PathBuf,
        /// What it says.
        error: rusqlite::Error,
    },
    /// The disk.
    #[error(transparent)]
    Fs(#[from] FsError),
    /// The wiki.
    #[error(transparent)]
    Wiki(#[from] crate::error::Error),
}

/// Hits, and how many there are in all.
pub(crate) type Found = (Vec<Hit>, usize);

/// The index of one wiki.
#[derive(Debug)]
pub(crate) struct Index {
    root: PathBuf,
    path: PathBuf,
    now: i64,
}

impl Index {
    /// The index of the wiki at `root` below the folder `cache`; `now` in seconds since 1970.
    pub(crate) fn of(root: &Path, cache: &Path, now: i64) -> Result<Self, FsError> {
        let folder = cache.join("wiki");
        aris_fs::create_dir(&folder)?;
        let place = std::fs::canonicalize(root).unwrap_or_else(|_| root.to_path_buf());
        let name = hex(Sha256::digest(place.as_os_str().as_encoded_bytes())
            .iter()
            .take(12));
        Ok(Self {
            path: folder.join(format!("{name}.sqlite")),
            root: root.to_path_buf(),
            now,
        })
    }

    /// The best `limit` pages for `phrases`: all of them, or with `any` at least one. The index is brought up to date first.
    pub(crate) fn find(
        &self,
        phrases: &[Phrase],
        any: bool,
        kind: Option<Kind>,
        limit: usize,
    ) -> Result<Found, IndexError> {
        // An index that cannot be read is not an error yet: it is made again below.
        if let Some(current) = digest(&stamps(&self.root, self.now)?)
            && let Ok(Some(found)) = self.ask(Some(&current), phrases, any, kind, limit)
        {
            return Ok(found);
        }
        let mut lock = self.path.as_os_str().to_owned();
        lock.push(".lock");
        let _lock = Lock::acquire(Path::new(&lock))?;
        if self.update().is_err() {
            self.remove()?;
            self.update()?;
        }
        let found = self.ask(None, phrases, any, kind, limit)?;
        Ok(found.unwrap_or_default())
    }

    /// Asks the index as it is; `None` when it is not of the state `wanted`.
    fn ask(
        &self,
        wanted: Option<&str>,
        phrases: &[Phrase],
        any: bool,
        kind: Option<Kind>,
        limit: usize,
    ) -> Result<Option<Found>, IndexError> {
        let read = || -> rusqlite::Result<Option<Found>> {
            let mut connection =
                Connection::open_with_flags(&self.path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
            connection.busy_timeout(BUSY)?;
            let view = connection.transaction()?;
            if let Some(wanted) = wanted {
                let state = view
                    .query_row("SELECT digest FROM state", [], |row| {
                        row.get::<_, Option<String>>(0)
                    })
                    .optional()?
                    .flatten();
                if version(&view)? != VERSION || state.as_deref() != Some(wanted) {
                    return Ok(None);
                }
            }
            query(&view, phrases, any, kind, limit).map(Some)
        };
        read().map_err(|error| self.failed(error))
    }

    /// Brings the index up to date. The caller holds the lock.
    fn update(&self) -> Result<(), IndexError> {
        let failed = |error| self.failed(error);
        let mut connection = Connection::open(&self.path).map_err(failed)?;
        connection.busy_timeout(BUSY).map_err(failed)?;
        let change = connection.transaction().map_err(failed)?;
        if version(&change).map_err(failed)? != VERSION {
            let tables: i64 = change
                .query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))
                .map_err(failed)?;
            if tables != 0 {
                return Err(failed(rusqlite::Error::InvalidQuery));
            }
            change.execute_batch(TABLES).map_err(failed)?;
            change
                .pragma_update(None, "user_version", VERSION)
                .map_err(failed)?;
        }
        let pages = stamps(&self.root, self.now)?;
        let mut known = known(&change).map_err(failed)?;
        let mut wanted = Vec::new();
        for page in &pages {
            match known.remove(&page.path()) {
                Some((_, stamp)) if !page.fresh && stamp == page.stamp.to_string() => {}
                old => wanted.push((page, old.map(|(id, _)| id))),
            }
        }
        let gone = known.into_values().map(|(id, _)| id);
        let changed = wanted.iter().filter_map(|(_, old)| *old);
        let mut statements = Change::prepare(&change).map_err(failed)?;
        for id in gone.chain(changed) {
            statements.remove(id).map_err(failed)?;
        }
        let files: Vec<&Stamped> = wanted.iter().map(|(page, _)| *page).collect();
        for part in files.chunks(2048) {
            for (page, document) in part.iter().zip(read::documents(&self.root, part)) {
                if let Some(document) = document {
                    statements.add(page, &document).map_err(failed)?;
                }
            }
        }
        drop(statements);
        change
            .execute("UPDATE state SET digest = ?1", params![digest(&pages)])
            .map_err(failed)?;
        change.commit().map_err(failed)
    }

    /// Removes an index that cannot be used. The caller holds the lock.
    fn remove(&self) -> Result<(), FsError> {
        for suffix in ["", "-journal", "-wal", "-shm"] {
            let mut path = self.path.as_os_str().to_owned();
            path.push(suffix);
            aris_fs::remove_file(Path::new(&path))?;
        }
        Ok(())
    }

    fn failed(&self, error: rusqlite::Error) -> IndexError {
        IndexError::Sqlite {
            path: self.path.clone(),
            error,
        }
    }
}

fn version(connection: &Connection) -> rusqlite::Result<i64> {
    connection.query_row("PRAGMA user_version", [], |row| row.get(0))
}

fn known(connection: &Connection) -> rusqlite::Result<BTreeMap<String, (i64, String)>> {
    let mut all = connection.prepare("SELECT path, id, stamp FROM page")?;
    let rows = all.query_map([], |row| Ok((row.get(0)?, (row.get(1)?, row.get(2)?))))?;
    rows.collect()
}

/// The statements that change the index, prepared once.
struct Change<'c> {
    remove: [Statement<'c>; 2],
    page: Statement<'c>,
    word: Statement<'c>,
}

impl<'c> Change<'c> {
    fn prepare(connection: &'c Connection) -> rusqlite::Result<Self> {
        Ok(Self {
            remove: [
                connection.prepare("DELETE FROM word WHERE rowid = ?1")?,
                connection.prepare("DELETE FROM page WHERE id = ?1")?,
            ],
            page: connection.prepare(
                "INSERT INTO page (path, stamp, node, title, year) VALUES (?1, ?2, ?3, ?4, ?5)",
            )?,
            word: connection.prepare(
                "INSERT INTO word (rowid, title, names, thesis, body) VALUES (?1, ?2, ?3, ?4, ?5)",
            )?,
        })
    }

    fn remove(&mut self, id: i64) -> rusqlite::Result<()> {
        for statement in &mut self.remove {
            statement.execute([id])?;
        }
        Ok(())
    }

    fn add(&mut self, page: &Stamped, document: &Document) -> rusqlite::Result<()> {
        // A page that may change unseen is read again the next time.
        let stamp = if page.fresh {
            String::new()
        } else {
            page.stamp.to_string()
        };
        let id = self.page.insert(params![
            document.path,
            stamp,
            document.node,
            document.title,
            document.year
        ])?;
        let [title, names, thesis, body] = document.columns.each_ref().map(|words| words.join(" "));
        self.word.execute(params![id, title, names, thesis, body])?;
        Ok(())
    }
}

fn query(
    connection: &Connection,
    phrases: &[Phrase],
    any: bool,
    kind: Option<Kind>,
    limit: usize,
) -> rusqlite::Result<Found> {
    let texts: Vec<String> = phrases.iter().map(expression).collect();
    let expression = texts.join(if any { " OR " } else { " AND " });
    let [title, names, thesis, body] = WEIGHTS;
    let mut all = connection
        .prepare("SELECT rowid, -bm25(word, ?2, ?3, ?4, ?5) FROM word WHERE word MATCH ?1")?;
    let rows = all.query_map(params![expression, title, names, thesis, body], |row| {
        Ok((row.get(0)?, row.get(1)?))
    })?;
    let mut scored: Vec<(i64, f64)> = rows.collect::<rusqlite::Result<_>>()?;
    if let Some(kind) = kind {
        let folder = format!("{}/", kind.folder());
        let mut pages =
            connection.prepare("SELECT id FROM page WHERE substr(path, 1, length(?1)) = ?1")?;
        let ids = pages.query_map([folder], |row| row.get(0))?;
        let ids: BTreeSet<i64> = ids.collect::<rusqlite::Result<_>>()?;
        scored.retain(|(id, _)| ids.contains(id));
    }
    let total = scored.len();
    scored.sort_by(|(_, one), (_, two)| two.total_cmp(one));
    // Of pages with the score of the last one, those with the first paths are shown: all of them are looked at.
    let least = limit
        .checked_sub(1)
        .and_then(|last| scored.get(last))
        .map(|(_, score)| *score);
    match least {
        Some(least) => scored.retain(|(_, score)| *score >= least),
        None if limit == 0 => scored.clear(),
        None => {}
    }
    let mut page = connection.prepare("SELECT node, path, title, year FROM page WHERE id = ?1")?;
    let mut hits = Vec::with_capacity(scored.len());
    for (id, score) in scored {
        hits.push(page.query_row([id], |row| {
            Ok(Hit {
                node: row.get(0)?,
                path: row.get(1)?,
                title: row.get(2)?,
                year: row.get(3)?,
                score,
                snippet: String::new(),
            })
        })?);
    }
    hits.sort_by(|one, two| {
        two.score
            .total_cmp(&one.score)
            .then_with(|| one.path.cmp(&two.path))
    });
    hits.truncate(limit);
    Ok((hits, total))
}

/// A phrase in FTS5's language. Words hold letters and digits only, so nothing needs an escape.
fn expression(phrase: &Phrase) -> String {
    let star = if phrase.prefix { " *" } else { "" };
    format!("\"{}\"{star}", phrase.words.join(" "))
}
