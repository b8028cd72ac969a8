//! `gap_map.md`: the gaps of the research field, as people write them.

/// One gap.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Gap {
    /// `G1`.
    pub(crate) id: String,
    /// The rest of the first line; the identifier if there is no rest.
    pub(crate) title: String,
    /// The whole text about it, on one line.
    pub(crate) text: String,
    /// Whether it is marked as resolved.
    pub(crate) resolved: bool,
}

impl Gap {
    /// Its anchor on the site's page of gaps.
    pub(crate) fn anchor(&self) -> String {
        format!("gap-{}", self.id)
    }
}

/// The gaps of a map, each once. A gap begins at the first heading, list item or table row that starts with its identifier (`## G1: …`,
/// `- **G2** …`, `3. G3 …`) and ends where the next gap begins. Later text under the same identifier is added to it.
pub(crate) fn parse(text: &str) -> Vec<Gap> {
    let mut gaps: Vec<Gap> = Vec::new();
    let mut current = None;
    for line in text.lines() {
        if let Some((id, rest)) = begins(line) {
            let known = gaps.iter().position(|gap| gap.id == id);
            current = Some(known.unwrap_or(gaps.len()));
            if known.is_none() {
                gaps.push(Gap {
                    id: id.to_owned(),
                    title: title(rest).unwrap_or(id).to_owned(),
                    text: String::new(),
                    resolved: false,
                });
            }
        } else if line.starts_with("# ") {
            continue;
        }
        let Some(gap) = current.and_then(|at| gaps.get_mut(at)) else {
            continue;
        };
        let words = match begins(line) {
            // The opening marks before the identifier were cut off, so their closing marks are removed, too.
            Some((id, rest)) => {
                let rest = rest.trim_start_matches(['*', '_', '`', ']']);
                [id, rest.trim_end()].concat()
            }
            None => line
                .trim()
                .trim_start_matches(['#', '-', '*', '+', ' '])
                .to_owned(),
        };
        if !words.is_empty() {
            if !gap.text.is_empty() {
                gap.text.push(' ');
            }
            gap.text.push_str(&words);
        }
        let low = line.to_lowercase();
        gap.resolved |= low.contains("[x]")
            || (low.contains("resolved")
                && !low.contains("unresolved")
                && !low.contains("not resolved"));
    }
    gaps
}

/// Whether `map` names the gap `id`. In a map in which no line begins a gap, any mention counts.
pub(crate) fn names(map: &str, gaps: &[Gap], id: &str) -> bool {
    let mut words = map.split(|c: char| !c.is_alphanumeric() && !matches!(c, '-' | '_'));
    gaps.iter().any(|gap| gap.id == id) || (gaps.is_empty() && words.any(|word| word == id))
}

/// The identifier at the beginning of a heading, list item or table row, and the rest of the line.
fn begins(line: &str) -> Option<(&str, &str)> {
    /// Most digits of an identifier; longer numbers are something else.
    const DIGITS: usize = 6;
    let line = line.trim_start();
    let unnumbered = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let rest = if unnumbered.len() < line.len() {
        let rest = unnumbered.strip_prefix(['.', ')']);
        rest.filter(|rest| rest.starts_with([' ', '\t']))?
    } else {
        line.strip_prefix(['#', '-', '*', '+', '|', '['])?
    };
    let rest = rest.trim_start_matches(['#', ' ', '*', '`', '[', 'x', 'X', ']']);
    let rest = rest.strip_prefix("gap:").unwrap_or(rest);
    let number = rest.strip_prefix('G')?;
    let digits = number.bytes().take_while(u8::is_ascii_digit).count();
    let (id, rest) = rest.split_at_checked(1 + digits)?;
    let ends = rest.chars().next().is_none_or(|c| !c.is_alphanumeric());
    ((1..=DIGITS).contains(&digits) && ends).then_some((id, rest))
}

/// The text of the line's first cell after the identifier.
fn title(rest: &str) -> Option<&str> {
    let rest = rest.trim_matches(|c: char| c.is_whitespace() || "*_`:.|-–—)]".contains(c));
    let cell = rest.split('|').next().unwrap_or_default().trim();
    (!cell.is_empty()).then_some(cell)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_are_found_as_people_write_them() {
        let text = "# Gap Map\n\n_Field gaps._\n\n## G1: No data\nWe have none.\n- **G2** slow (resolved)\n- [x] G3 done\n- G4x is no gap\n";
        let gaps = parse(text);
        let ids: Vec<(&str, bool)> = gaps
            .iter()
            .map(|gap| (gap.id.as_str(), gap.resolved))
            .collect();
        assert_eq!(ids, [("G1", false), ("G2", true), ("G3", true)]);
        assert_eq!(gaps.first().expect("one").text, "G1: No data We have none.");
    }

    #[test]
    fn a_gap_has_one_title_however_often_it_is_named() {
        let text = "# Gaps\n## G1: No proof\ntext about G9\n- **G2** — slow | x\n| G3 | Table | open |\n- G1 again\n- GPU\n- G4\n";
        let found: Vec<(String, String)> = parse(text)
            .into_iter()
            .map(|gap| (gap.id, gap.title))
            .collect();
        let expected = [
            ("G1", "No proof"),
            ("G2", "slow"),
            ("G3", "Table"),
            ("G4", "G4"),
        ];
        assert_eq!(
            found,
            expected.map(|(id, title)| (id.to_owned(), title.to_owned()))
        );
        assert!(parse(text)[0].text.ends_with("G1 again GPU"));
        for (map, id, named) in [
            (text, "G2", true),
            (text, "G9", false),
            ("No proof (G1), too-slow.", "G1", true),
            ("No proof (G1), too-slow.", "too-slow", true),
            ("No proof (G1), too-slow.", "slow", false),
            ("", "G1", false),
        ] {
            assert_eq!(names(map, &parse(map), id), named, "{id} in {map:?}");
        }
    }

    proptest::proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "(?s)[-#*G0-9x \\n\\[\\]|é]{0,60}|.{0,60}") {
            parse(&text);
        }
    }
}
