//! A file as rows: planned from its header and read later, when it must still be the same file.

use std::path::Path;

use super::database;
use crate::files::{DataFile, Stamp};
use crate::read::cell::{Cell, text_of};
use crate::read::{self, Each, HEAD_BYTES, Layout, csv, tree};
use crate::settings::{FileSetting, STREAM_BYTES, VALUE_BYTES, WHOLE_BYTES};
use crate::{Format, QueryError};

/// Bytes that are read at a time.
const PIECE_BYTES: usize = 256 << 10;

/// A file, or a table of a database, with known columns.
#[derive(Debug)]
pub(crate) struct Source {
    pub(crate) file: DataFile,
    pub(crate) stamp: Stamp,
    pub(crate) layout: Layout,
    /// The table, if the file is a database.
    pub(crate) table: Option<String>,
    setting: FileSetting,
}

impl Source {
    /// Reads as much of the file as is needed to know its columns.
    pub(crate) fn plan(
        file: DataFile,
        table: Option<String>,
        setting: FileSetting,
    ) -> Result<Self, QueryError> {
        let disk = |error| QueryError::disk(&error, &file.name);
        let open = || aris_fs::open(&file.path).map_err(disk);
        let opened = open()?;
        let stamp = Stamp::of(opened.metadata());
        let head = opened.head(HEAD_BYTES).map_err(disk)?;
        let format = read::format(&file.name, &head, &setting)?;
        let layout = if format == Format::Sqlite {
            let columns = database::columns(&file.path, table.as_deref().unwrap_or_default())?;
            Layout::of_database(columns)?
        } else if table.is_some() {
            let message = "this is no database, so a table after a `#` does not fit";
            return Err(QueryError::malformed(message));
        } else {
            let streamed = matches!(format, Format::Csv | Format::Tsv);
            let (most, needed) = if streamed {
                (STREAM_BYTES, VALUE_BYTES as u64)
            } else {
                (WHOLE_BYTES, WHOLE_BYTES)
            };
            if stamp.bytes > most {
                let message = format!("the file has more than {most} bytes");
                return Err(QueryError::too_large(message));
            }
            let complete = (head.len() as u64) < HEAD_BYTES;
            let mut layout = Layout::of(format, &setting, &head, complete)?;
            if layout.is_none() {
                let head = open()?.head(needed).map_err(disk)?;
                layout = Layout::of(format, &setting, &head, true)?;
            }
            layout.ok_or_else(|| QueryError::malformed("the file has no header"))?
        };
        Ok(Self {
            file,
            stamp,
            layout,
            table,
            setting,
        })
    }

    /// Reads the file. Passes its bytes to `piece`, and its rows to `each`, with the columns whose indexes are in `wanted`.
    ///
    /// **Errors**: among others, the file has changed since it was planned.
    pub(crate) fn rows(
        &self,
        wanted: &[usize],
        piece: &mut dyn FnMut(&[u8]),
        each: Each<'_>,
    ) -> Result<(), QueryError> {
        let disk = |error| QueryError::disk(&error, &self.file.name);
        let open = || {
            let open = aris_fs::open(&self.file.path).map_err(disk)?;
            if Stamp::of(open.metadata()) == self.stamp {
                Ok(open)
            } else {
                Err(QueryError::malformed("the file changed while it was read"))
            }
        };
        let (opened, layout) = (open()?, &self.layout);
        let mut buffer = vec![0; PIECE_BYTES];
        if layout.is_streamed() {
            let mut rows = csv::Rows::new(layout.separator, &self.setting, &layout.columns, wanted);
            let mut result = Ok(());
            let read = opened.stream_while(&mut buffer, |bytes| {
                piece(bytes);
                result = rows.feed(bytes, each);
                result.is_ok()
            });
            read.map_err(disk)?;
            result?;
            rows.finish(each)?;
        } else if let Some(table) = &self.table {
            opened
                .stream(&mut buffer, |bytes| piece(bytes))
                .map_err(disk)?;
            let columns = wanted.iter().filter_map(|at| layout.columns.get(*at));
            database::rows(&self.file.path, table, &columns.collect::<Vec<_>>(), each)?;
        } else {
            let bytes = opened.read_all(WHOLE_BYTES).map_err(disk)?;
            piece(&bytes);
            tree::rows(layout, &bytes, wanted, each)?;
        }
        open().map(drop)
    }

    /// The place of a text: line, column in characters (0 if unknown), and the name of the table's column.
    pub(crate) fn place(
        &self,
        text: &str,
        is_read: impl Fn(&str) -> bool,
    ) -> Option<(u32, u32, String)> {
        if self.layout.document {
            return document_place(&self.file.path, self.layout.format, text);
        }
        let columns = self.layout.columns.iter().enumerate();
        let wanted = columns.filter(|(_, name)| is_read(name)).map(|(at, _)| at);
        let wanted: Vec<usize> = wanted.collect();
        let mut found = None;
        let searched = self.rows(&wanted, &mut |_| {}, &mut |line, cells| {
            let is_it = |cell: &Cell<'_>| matches!(cell, Cell::Text(known) if known == text);
            let column = cells.iter().position(is_it).and_then(|at| wanted.get(at));
            let Some(name) = column.and_then(|at| self.layout.columns.get(*at)) else {
                return Ok(());
            };
            found = Some((line, 0, name.clone()));
            // Found: an error ends the reading.
            Err(QueryError::malformed(""))
        });
        searched.err().and(found)
    }
}

fn document_place(path: &Path, format: Format, text: &str) -> Option<(u32, u32, String)> {
    let bytes = aris_fs::read(path, WHOLE_BYTES).ok()?;
    let tree = tree::tree(format, text_of(&bytes).ok()?).ok()?;
    let mut open = vec![&tree];
    while let Some(node) = open.pop() {
        if node.written() == Some(text) {
            return Some((node.line, node.column, String::new()));
        }
        open.extend(node.children());
    }
    None
}
