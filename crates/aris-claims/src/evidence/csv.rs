//! CSV and TSV (RFC 4180 quoting), with the line of every record.

use super::tree::Malformed;

/// A record: the line where it starts (1-based) and its fields, unquoted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Record {
    pub(crate) line: u32,
    pub(crate) fields: Vec<String>,
}

/// Reads all records; blank lines are skipped, lines that start with `#` before the header are comments.
///
/// A record with more fields than the first one is refused: its values would sit under the wrong heads. A shorter one is
/// filled with empty fields.
pub(crate) fn read(text: &str, separator: char) -> Result<Vec<Record>, Malformed> {
    let mut records: Vec<Record> = Vec::new();
    let mut line = 1_u32;
    let mut rest = text;
    while !rest.is_empty() {
        let start = line;
        if records.is_empty() && rest.starts_with('#') || rest.starts_with(['\n', '\r']) {
            let end = rest.find('\n').map_or(rest.len(), |at| at + 1);
            rest = rest.get(end..).unwrap_or("");
            line = line.saturating_add(1);
            continue;
        }
        let (fields, used, lines) = record(rest, separator).map_err(|message| Malformed {
            line: usize::try_from(start).unwrap_or(0),
            column: 1,
            message: message.to_owned(),
        })?;
        rest = rest.get(used..).unwrap_or("");
        line = line.saturating_add(lines);
        if fields.iter().all(|field| field.trim().is_empty()) {
            continue;
        }
        if let Some(width) = records
            .first()
            .map(|first| first.fields.len())
            .filter(|width| fields.len() > *width)
        {
            return Err(Malformed {
                line: usize::try_from(start).unwrap_or(0),
                column: 1,
                message: format!("{} fields where the header has {width}", fields.len()),
            });
        }
        records.push(Record {
            line: start,
            fields,
        });
    }
    Ok(records)
}

/// One record: fields, bytes used with the line end, lines used.
fn record(text: &str, separator: char) -> Result<(Vec<String>, usize, u32), &'static str> {
    let mut fields = Vec::new();
    let mut field = String::new();
    let mut quoted = false;
    let mut lines = 0_u32;
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        if quoted {
            match c {
                '"' if chars.peek().is_some_and(|(_, next)| *next == '"') => {
                    field.push('"');
                    chars.next();
                }
                '"' => quoted = false,
                '\n' => {
                    lines = lines.saturating_add(1);
                    field.push('\n');
                }
                other => field.push(other),
            }
            continue;
        }
        match c {
            '"' if field.trim().is_empty() => {
                field.clear();
                quoted = true;
            }
            '\n' => {
                fields.push(field);
                return Ok((trimmed(fields), at + 1, lines.saturating_add(1)));
            }
            c if c == separator => fields.push(std::mem::take(&mut field)),
            '\r' if chars.peek().is_some_and(|(_, next)| *next == '\n') => {}
            other => field.push(other),
        }
    }
    if quoted {
        return Err("a quoted field is not closed");
    }
    fields.push(field);
    Ok((trimmed(fields), text.len(), lines.saturating_add(1)))
}

fn trimmed(fields: Vec<String>) -> Vec<String> {
    fields
        .into_iter()
        .map(|field| field.trim().to_owned())
        .collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn quotes_lines_and_short_records() {
        let records = read(
            "# made by eval.py\na,b,c\r\n\"x, y\",\"say \"\"hi\"\"\n there\",3\n\n1,2\n",
            ',',
        )
        .unwrap();
        assert_eq!(records.len(), 3);
        assert_eq!(records[0].line, 2);
        assert_eq!(records[1].fields, ["x, y", "say \"hi\"\n there", "3"]);
        assert_eq!((records[2].line, records[2].fields.len()), (6, 2));
    }

    #[test]
    fn refuses_what_would_shift_columns() {
        let error = read("a,b\n1,2\n1,2,3\n", ',').unwrap_err();
        assert_eq!(
            (error.line, error.message.as_str()),
            (3, "3 fields where the header has 2")
        );
        assert_eq!(
            read("a,b\n\"1,2\n", ',').unwrap_err().message,
            "a quoted field is not closed"
        );
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(96))]
        #[test]
        fn never_panics(text in "[\",;\t\r\na-c0-9 é]{0,80}") {
            let _records = read(&text, ',');
        }
    }
}
