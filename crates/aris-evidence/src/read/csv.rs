//! CSV and TSV as a stream of rows.

use csv_core::{ReadRecordResult, Reader, ReaderBuilder};

use super::cell::{Cell, check_encoding, part_of, small};
use super::{Each, check_columns};
use crate::QueryError;
use crate::settings::{COLUMNS, FileSetting, Header, VALUE_BYTES};

/// The names of the columns, from the beginning of a file. `None` if the header continues after `head`.
///
/// **Errors**: two columns with one name, too many columns, an empty file.
pub(crate) fn columns(
    separator: u8,
    setting: &FileSetting,
    head: &[u8],
    complete: bool,
) -> Result<Option<Vec<String>>, QueryError> {
    check_encoding(head)?;
    let mut first = None;
    let mut records = Records::new(separator);
    let mut take = |record: Record<'_>| {
        if first.is_none() {
            first = Some(names(&record, setting)?);
        }
        Ok(first.is_none())
    };
    records.feed(head, &mut take)?;
    if complete {
        records.finish(&mut take)?;
    }
    if complete && first.is_none() {
        return Err(QueryError::malformed("the file is empty; it has no header").at(1, 0));
    }
    check_columns(first.as_deref().unwrap_or_default())?;
    Ok(first)
}

/// The separator, judged by the first line: a comma; else a semicolon; else a tab; a comma if there is none of them.
pub(crate) fn separator(head: &[u8]) -> u8 {
    let line = head.split(|byte| matches!(byte, b'\n' | b'\r')).next();
    let line = line.unwrap_or_default();
    let known = [b',', b';', b'\t'].into_iter();
    let mut found = known.filter(|byte| line.contains(byte));
    found.next().unwrap_or(b',')
}

fn names(record: &Record<'_>, setting: &FileSetting) -> Result<Vec<String>, QueryError> {
    let mut names = Vec::new();
    if setting.header == Header::RowNames {
        names.push(String::from("row_name"));
    }
    for at in 0..record.ends.len() {
        let name = part_of(record.field(at))?.trim();
        names.push(if setting.header == Header::None || name.is_empty() {
            format!("c{}", names.len() + 1)
        } else {
            name.to_owned()
        });
    }
    Ok(names)
}

/// Splits the pieces of a file into rows.
pub(crate) struct Rows<'s> {
    records: Records,
    shape: Shape<'s>,
}

/// What is known about the rows of the file, to check them.
struct Shape<'s> {
    setting: &'s FileSetting,
    columns: &'s [String],
    wanted: &'s [usize],
    rows: u64,
    header: bool,
}

impl<'s> Rows<'s> {
    /// `columns`: those from [`columns`]. Rows contain only the columns whose indexes are in `wanted`.
    pub(crate) fn new(
        separator: u8,
        setting: &'s FileSetting,
        columns: &'s [String],
        wanted: &'s [usize],
    ) -> Self {
        let header = setting.header != Header::None;
        Self {
            records: Records::new(separator),
            shape: Shape {
                setting,
                columns,
                wanted,
                rows: 0,
                header,
            },
        }
    }

    /// Reads the next piece of the file. **Errors**: a record with a different number of fields than the header; those of `each`.
    pub(crate) fn feed(&mut self, piece: &[u8], each: Each<'_>) -> Result<(), QueryError> {
        let Self { records, shape } = self;
        records.feed(piece, &mut |record| {
            shape.take(&record, each).map(|()| true)
        })
    }

    /// Ends the file. **Errors**: those of [`Rows::feed`], and a quote that is still open.
    pub(crate) fn finish(mut self, each: Each<'_>) -> Result<(), QueryError> {
        let Self { records, shape } = &mut self;
        records.finish(&mut |record| shape.take(&record, each).map(|()| true))
    }
}

impl Shape<'_> {
    fn take(&mut self, record: &Record<'_>, each: Each<'_>) -> Result<(), QueryError> {
        if std::mem::take(&mut self.header) {
            if names(record, self.setting)? == self.columns {
                return Ok(());
            }
            return Err(QueryError::malformed("the file changed while it was read"));
        }
        let (found, columns) = (record.ends.len(), self.columns.len());
        if found != columns {
            if found == 1 && record.field(0).trim_ascii().is_empty() {
                return Ok(());
            }
            return Err(self.ragged(found).at(record.line, 0));
        }
        // Columns that no query reads are checked as well: a file in another encoding cannot be relied on.
        let last = record.ends.last().copied().unwrap_or(0);
        part_of(record.bytes.get(..last).unwrap_or_default())
            .map_err(|error| error.at(record.line, 0))?;
        let cell = |at: &usize| Cell::of_field(record.field(*at), &self.setting.na);
        let cells: Vec<Cell<'_>> = self.wanted.iter().map(cell).collect();
        self.rows += 1;
        each(record.line, &cells)
    }

    fn ragged(&self, found: usize) -> QueryError {
        let columns = self.columns.len();
        let row_names = self.setting.header == Header::RowNames;
        let hint = if self.rows == 0 && found == columns + 1 && !row_names {
            "; if the first field of each row is its name, say header = \"row-names\""
        } else if self.rows == 0 && found + 1 == columns && row_names {
            "; the header names every column, so header = \"row-names\" does not fit"
        } else {
            "; is a separator inside a field that is not quoted?"
        };
        let message =
            format!("this row has {found} fields where the file has {columns} columns{hint}");
        QueryError::malformed(message)
    }
}

/// One record of a file.
struct Record<'r> {
    bytes: &'r [u8],
    ends: &'r [usize],
    line: u32,
}

impl<'r> Record<'r> {
    fn field(&self, at: usize) -> &'r [u8] {
        let start = at.checked_sub(1).and_then(|before| self.ends.get(before));
        let end = self.ends.get(at).copied().unwrap_or_default();
        self.bytes
            .get(start.copied().unwrap_or(0)..end)
            .unwrap_or_default()
    }
}

/// Receives a record. Returns `false` if it wants no more.
type Take<'t> = &'t mut dyn FnMut(Record<'_>) -> Result<bool, QueryError>;

/// Splits the pieces of a file into records, with limits on their size and number of fields.
struct Records {
    core: Reader,
    bytes: Vec<u8>,
    length: usize,
    ends: Vec<usize>,
    fields: usize,
    /// Line of the next byte, and of the first byte of the current record.
    line: u32,
    start: u32,
    /// Whether anything but empty lines of the current record has been read.
    begun: bool,
    marked: bool,
}

impl Records {
    fn new(separator: u8) -> Self {
        Self {
            core: ReaderBuilder::new().delimiter(separator).build(),
            bytes: vec![0; 1 << 10],
            length: 0,
            ends: vec![0; 64],
            fields: 0,
            line: 1,
            start: 1,
            begun: false,
            marked: false,
        }
    }

    fn feed(&mut self, mut piece: &[u8], take: Take<'_>) -> Result<(), QueryError> {
        // A byte order mark is at the start of the first piece, which is never shorter than the mark.
        if !std::mem::replace(&mut self.marked, true) {
            piece = piece.strip_prefix(b"\xef\xbb\xbf").unwrap_or(piece);
        }
        while !piece.is_empty() {
            let (result, read, written, ends) = self.core.read_record(
                piece,
                self.bytes.get_mut(self.length..).unwrap_or_default(),
                self.ends.get_mut(self.fields..).unwrap_or_default(),
            );
            let (eaten, rest) = piece.split_at(read.min(piece.len()));
            piece = rest;
            self.length += written;
            self.fields += ends;
            let lines = eaten.iter().filter(|byte| **byte == b'\n').count();
            if !self.begun {
                // csv_core skips empty lines together with the record after them.
                let is_text = |byte: &u8| !matches!(byte, b'\n' | b'\r');
                let text = eaten.iter().position(is_text);
                let blank = eaten.get(..text.unwrap_or(0)).unwrap_or_default();
                let blank = blank.iter().filter(|byte| **byte == b'\n').count();
                self.start = self.line.saturating_add(small(blank));
                self.begun = text.is_some();
            }
            self.line = self.line.saturating_add(small(lines));
            match result {
                ReadRecordResult::InputEmpty | ReadRecordResult::End => {}
                ReadRecordResult::OutputFull => {
                    if self.bytes.len() >= VALUE_BYTES {
                        let message = format!(
                            "a row has more than {VALUE_BYTES} bytes; does a quote never end?"
                        );
                        return Err(QueryError::too_large(message).at(self.start, 0));
                    }
                    self.bytes.resize(self.bytes.len() * 2, 0);
                }
                ReadRecordResult::OutputEndsFull => {
                    if self.ends.len() > COLUMNS {
                        let message = format!("a row has more than {COLUMNS} fields");
                        return Err(QueryError::too_large(message).at(self.start, 0));
                    }
                    self.ends.resize(self.ends.len() * 2, 0);
                }
                ReadRecordResult::Record => {
                    let record = Record {
                        bytes: self.bytes.get(..self.length).unwrap_or_default(),
                        ends: self.ends.get(..self.fields).unwrap_or_default(),
                        line: self.start,
                    };
                    (self.length, self.fields, self.begun) = (0, 0, false);
                    if !take(record)? {
                        return Ok(());
                    }
                }
            }
        }
        Ok(())
    }

    /// Ends the last record with a line end. If a quote is open, the line end becomes part of the record, which shows that the
    /// quote never ends.
    fn finish(&mut self, take: Take<'_>) -> Result<(), QueryError> {
        let mut going = true;
        self.feed(b"\n", &mut |record| {
            going = take(record)?;
            Ok(going)
        })?;
        if going && self.begun {
            let message = "a quoted field begins in this row and never ends";
            return Err(QueryError::malformed(message).at(self.start, 0));
        }
        Ok(())
    }
}
