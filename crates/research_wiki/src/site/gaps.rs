//! The gaps of the field: `gap_map.md`, a text in which lines name gaps by a stable identifier (`G1`).

/// A gap.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Gap {
    /// `G1`.
    pub(crate) id: String,
    /// What the line says beside the identifier.
    pub(crate) title: String,
}

impl Gap {
    /// Its place in the page of gaps.
    pub(crate) fn anchor(&self) -> String {
        format!("gap-{}", self.id)
    }
}

/// The gaps that headings, list items and table rows of `text` begin with, each once.
pub(crate) fn find(text: &str) -> Vec<Gap> {
    let mut gaps: Vec<Gap> = Vec::new();
    for line in text.lines() {
        let marked = line.trim_start().starts_with(['#', '-', '*', '|', '[']);
        let rest = line.trim_start_matches(|c: char| !c.is_alphanumeric());
        let rest = rest.strip_prefix("gap:").unwrap_or(rest);
        let end = rest
            .find(|c: char| !c.is_ascii_alphanumeric())
            .unwrap_or(rest.len());
        let (id, title) = rest.split_at_checked(end).unwrap_or((rest, ""));
        let shaped = id.strip_prefix('G').is_some_and(|digits| {
            (1..=6).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit())
        });
        if !(marked && shaped) || gaps.iter().any(|gap| gap.id == id) {
            continue;
        }
        let title = title.trim_matches(|c: char| c.is_whitespace() || "*_:.|-–—)]".contains(c));
        let title = title.split('|').next().unwrap_or_default().trim();
        gaps.push(Gap {
            id: id.to_owned(),
            title: if title.is_empty() {
                id.to_owned()
            } else {
                title.to_owned()
            },
        });
    }
    gaps
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_are_lines_that_begin_with_their_name() {
        let text = "# Gaps\n## G1: No proof\ntext about G9\n- **G2** — slow | x\n| G3 | Table | open |\n- G1 again\n- GPU\n";
        let found: Vec<(String, String)> = find(text)
            .into_iter()
            .map(|gap| (gap.id, gap.title))
            .collect();
        let expected = [("G1", "No proof"), ("G2", "slow"), ("G3", "Table")];
        assert_eq!(
            found,
            expected.map(|(id, title)| (id.to_owned(), title.to_owned()))
        );
    }

    proptest::proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "(?s).{0,100}") {
            find(&text);
        }
    }
}
