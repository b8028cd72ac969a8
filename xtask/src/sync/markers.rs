//! Generated parts of hand-written files: everything between two marker lines.

/// Replaces the text between the lines `begin` and `end` by `body`. `None` unless both occur exactly once and in this order.
pub(crate) fn replace(text: &str, begin: &str, end: &str, body: &str) -> Option<String> {
    let (head, rest) = split_after_line(text, begin)?;
    let at = line_start(rest, end)?;
    let tail = rest.get(at..)?;
    if line_start(rest, begin).is_some() || line_start(tail.get(end.len()..)?, end).is_some() {
        return None;
    }
    Some(format!("{head}{body}{tail}"))
}

fn split_after_line<'a>(text: &'a str, line: &str) -> Option<(&'a str, &'a str)> {
    let start = line_start(text, line)?;
    let end = text.get(start..)?.find('\n')? + start + 1;
    Some((text.get(..end)?, text.get(end..)?))
}

/// Offset of the first line that equals `line`, ignoring trailing white space.
fn line_start(text: &str, line: &str) -> Option<usize> {
    let mut at = 0;
    for candidate in text.split_inclusive('\n') {
        if candidate.trim_end() == line {
            return Some(at);
        }
        at += candidate.len();
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_between_the_markers_changes() {
        assert_eq!(
            replace("a\n<b>\nold\n<e>\nz", "<b>", "<e>", "new\n").as_deref(),
            Some("a\n<b>\nnew\n<e>\nz")
        );
        assert_eq!(
            replace("<b>\n<e>", "<b>", "<e>", "x\n").as_deref(),
            Some("<b>\nx\n<e>")
        );
        for broken in [
            "",
            "<b>\n",
            "<e>\n<b>\n",
            "<b>\n<e>\n<e>\n",
            "<b>\n<b>\n<e>\n",
            "text <b>\n<e>\n",
        ] {
            assert_eq!(replace(broken, "<b>", "<e>", "x\n"), None, "{broken:?}");
        }
    }
}
