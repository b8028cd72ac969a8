//! Pipe tables of Markdown: a header row, a rule, then rows.

/// A cell: its text without the space around it, and the byte of its line at which the text begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Cell<'a> {
    pub(super) text: &'a str,
    pub(super) byte: usize,
}

/// A table with the numbers of its lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Table<'a> {
    pub(super) header: (usize, Vec<Cell<'a>>),
    pub(super) rows: Vec<(usize, Vec<Cell<'a>>)>,
}

impl Table<'_> {
    /// Which column has this header, ignoring case.
    pub(super) fn column(&self, name: &str) -> Option<usize> {
        (self.header.1.iter()).position(|cell| cell.text.eq_ignore_ascii_case(name))
    }

    /// Text of the first header cell.
    pub(super) fn title(&self) -> &str {
        self.header.1.first().map_or("", |cell| cell.text)
    }
}

/// The tables in lines that stand outside fences, given with their numbers.
pub(super) fn tables<'a>(lines: impl Iterator<Item = (usize, &'a str)>) -> Vec<Table<'a>> {
    let mut found: Vec<Table<'a>> = Vec::new();
    // The line before, if it could be a header; then whether its table is open.
    let mut header: Option<(usize, &str)> = None;
    let mut open = false;
    for (number, line) in lines {
        if !line.contains('|') {
            (header, open) = (None, false);
            continue;
        }
        if open && let Some(table) = found.last_mut() {
            table.rows.push((number, cells(line)));
        } else if let Some((at, titles)) = header
            && at + 1 == number
            && is_rule(line)
        {
            found.push(Table {
                header: (at, cells(titles)),
                rows: Vec::new(),
            });
            open = true;
        } else {
            header = Some((number, line));
        }
    }
    found
}

/// Whether a line is the rule under a header: only `|`, `-`, `:` and space, with at least one `-`.
pub(super) fn is_rule(line: &str) -> bool {
    line.contains('-') && line.contains('|') && line.bytes().all(|b| b"|-: \t".contains(&b))
}

/// The cells of a row. `\|` does not end a cell; nor does a `|` in a code span, as authors expect but not every renderer does.
fn cells(line: &str) -> Vec<Cell<'_>> {
    let mut found = Vec::new();
    let indent = line.len() - line.trim_start().len();
    let first = indent + usize::from(line.trim_start().starts_with('|'));
    let mut start = first;
    let mut in_code = false;
    let mut escaped = false;
    for (at, c) in line.char_indices().skip_while(|(at, _)| *at < first) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '`' => in_code = !in_code && line.get(at + 1..).is_some_and(|rest| rest.contains('`')),
            '|' if !in_code => {
                found.push(cell(line, start, at));
                start = at + 1;
            }
            _ => {}
        }
    }
    if !line.get(start..).unwrap_or_default().trim().is_empty() {
        found.push(cell(line, start, line.len()));
    }
    found
}

fn cell(line: &str, start: usize, end: usize) -> Cell<'_> {
    let raw = line.get(start..end).unwrap_or_default();
    Cell {
        text: raw.trim(),
        byte: start + raw.len() - raw.trim_start().len(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn rows(text: &str) -> Vec<(usize, Vec<(usize, String)>)> {
        let lines = text.lines().zip(1..).map(|(line, at)| (at, line));
        let tables = tables(lines);
        (tables.iter())
            .flat_map(|table| [&table.header].into_iter().chain(&table.rows))
            .map(|(at, cells)| {
                let cells = cells.iter().map(|cell| (cell.byte, cell.text.to_owned()));
                (*at, cells.collect())
            })
            .collect()
    }

    #[test]
    fn tables_have_a_rule_under_their_header() {
        let text = "a | b\nx | y\n\n| A | B |\n|---|:-:|\n| 1 | `x|y` |\n  | 2\\|3 |\n\n|---|\n";
        assert_eq!(
            rows(text),
            [
                (4, vec![(2, "A".to_owned()), (6, "B".to_owned())]),
                (6, vec![(2, "1".to_owned()), (6, "`x|y`".to_owned())]),
                (7, vec![(4, "2\\|3".to_owned())]),
            ]
        );
    }

    #[test]
    fn columns_are_found_by_name() {
        let lines = [(3, "Helper | Policy"), (4, "---|---"), (5, "`a` | B")];
        let tables = tables(lines.into_iter());
        assert_eq!(tables[0].column("policy"), Some(1));
        assert_eq!(tables[0].column("owner"), None);
        assert_eq!(tables[0].title(), "Helper");
    }

    proptest! {
        #[test]
        fn no_text_breaks_it(text in "[|\\\\`:\\- a\né]{0,60}") {
            for (_, cells) in rows(&text) {
                prop_assert!(cells.iter().all(|(byte, _)| *byte <= text.len()));
            }
        }
    }
}
