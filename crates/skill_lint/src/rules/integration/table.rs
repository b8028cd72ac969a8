//! Tables of a Markdown page, with the place of each cell.

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

/// A cell: its trimmed text, and the byte of the page at which that begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Cell<'a> {
    pub(super) text: &'a str,
    pub(super) at: usize,
}

/// The rows of a table, the header first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Table<'a>(pub(super) Vec<Vec<Cell<'a>>>);

impl<'a> Table<'a> {
    /// Index of the column with this header, ignoring case.
    pub(super) fn column(&self, name: &str) -> Option<usize> {
        let header = self.0.first()?;
        (header.iter()).position(|cell| cell.text.eq_ignore_ascii_case(name))
    }

    /// The first header cell.
    pub(super) fn title(&self) -> Option<&Cell<'a>> {
        self.0.first()?.first()
    }
}

/// The tables of a page; its body begins at byte `body`.
pub(super) fn tables(page: &str, body: usize) -> Vec<Table<'_>> {
    let text = page.get(body..).unwrap_or_default();
    let mut found: Vec<Table<'_>> = Vec::new();
    let parser = Parser::new_ext(text, Options::ENABLE_TABLES).into_offset_iter();
    for (event, range) in parser {
        let rows = found.last_mut().map(|table| &mut table.0);
        match (event, rows) {
            (Event::Start(Tag::Table(_)), _) => found.push(Table::default()),
            (Event::Start(Tag::TableHead | Tag::TableRow), Some(rows)) => rows.push(Vec::new()),
            (Event::End(TagEnd::TableCell), Some(rows)) => {
                let raw = text.get(range.clone()).unwrap_or_default();
                let cell = Cell {
                    text: raw.trim(),
                    at: body + range.start + raw.len() - raw.trim_start().len(),
                };
                rows.last_mut()
                    .into_iter()
                    .for_each(|row| row.push(cell.clone()));
            }
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_keep_their_places() {
        let page = "# C\n\n| Helper | Policy |\n|---|:-:|\n| `a \\| b` é | B |\n| x |\n\n```\n| no | no |\n|-|-|\n```\n";
        let found = tables(page, 4);
        assert_eq!(found.len(), 1);
        let texts: Vec<Vec<&str>> = (found[0].0.iter())
            .map(|row| row.iter().map(|cell| cell.text).collect())
            .collect();
        assert_eq!(
            texts,
            [
                vec!["Helper", "Policy"],
                vec!["`a \\| b` é", "B"],
                vec!["x", ""]
            ]
        );
        for cell in found[0]
            .0
            .iter()
            .flatten()
            .filter(|cell| !cell.text.is_empty())
        {
            assert!(page.split_at(cell.at).1.starts_with(cell.text), "{cell:?}");
        }
        assert_eq!(found[0].column("policy"), Some(1));
        assert_eq!(tables("a | b\n- | -\n", 0)[0].column("owner"), None);
    }
}
