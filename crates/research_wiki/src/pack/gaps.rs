//! `gap_map.md`: the gaps of the field, as people write them.

/// One gap.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Gap {
    /// `G1`.
    pub(crate) id: String,
    /// Everything that is said about it, on one line.
    pub(crate) text: String,
    /// Whether it is marked as resolved.
    pub(crate) resolved: bool,
}

/// The gaps of a map: each begins at a heading or list item that names it first (`## G1: …`, `- **G2** …`) and goes on to the next one.
pub(crate) fn parse(text: &str) -> Vec<Gap> {
    let mut gaps: Vec<Gap> = Vec::new();
    for line in text.lines() {
        if let Some(id) = begins(line) {
            gaps.push(Gap {
                id: id.to_owned(),
                text: String::new(),
                resolved: false,
            });
        } else if line.starts_with("# ") {
            continue;
        }
        let Some(gap) = gaps.last_mut() else { continue };
        let words = line.trim().trim_start_matches(['#', '-', '*', '+', ' ']);
        if !words.is_empty() {
            if !gap.text.is_empty() {
                gap.text.push(' ');
            }
            gap.text.push_str(words);
        }
        let low = line.to_lowercase();
        gap.resolved |= low.contains("[x]")
            || (low.contains("resolved")
                && !low.contains("unresolved")
                && !low.contains("not resolved"));
    }
    gaps
}

/// The identifier that a heading or list item begins with.
fn begins(line: &str) -> Option<&str> {
    let marked = line.trim_start();
    let rest = marked.strip_prefix(['#', '-', '*', '+', '|'])?;
    let rest = rest.trim_start_matches(['#', ' ', '*', '`', '[', 'x', 'X', ']']);
    let rest = rest.strip_prefix("gap:").unwrap_or(rest);
    let digits = rest
        .strip_prefix('G')?
        .bytes()
        .take_while(u8::is_ascii_digit)
        .count();
    let ends = rest
        .get(1 + digits..)?
        .chars()
        .next()
        .is_none_or(|c| !c.is_alphanumeric());
    (digits > 0 && ends).then(|| rest.get(..=digits)).flatten()
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

    proptest::proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "[-#*G0-9x \\n\\[\\]é]{0,60}") {
            parse(&text);
        }
    }
}
