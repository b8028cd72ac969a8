//! Finds the sections of a page.

use std::ops::Range;

use super::lines::lines;

/// One section: a heading `# …` and the text after it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// The heading's text.
    pub title: String,
    /// Number of `#`.
    pub level: usize,
    /// Byte range of the heading's line without its line end.
    pub heading: Range<usize>,
    /// From the line after the heading to the next heading of the same or a higher level. The title (`#`) ends at the next
    /// heading of any level.
    pub body: Range<usize>,
}

/// The sections of `text` from byte `from` on. Lines in fenced code are not headings.
pub(crate) fn find(text: &str, from: usize) -> Vec<Section> {
    let mut found: Vec<Section> = Vec::new();
    // Indices of sections whose end is not known yet, by increasing level.
    let mut open: Vec<usize> = Vec::new();
    let mut fence: Option<(char, usize)> = None;
    let rest = text.get(from..).unwrap_or_default();
    for (content, whole) in lines(rest) {
        let line = rest.get(content.clone()).unwrap_or_default();
        if let Some((mark, count)) = fence_of(line) {
            match fence {
                None => fence = Some((mark, count)),
                Some((open, least)) => {
                    let closes =
                        mark == open && count >= least && line.trim().chars().all(|c| c == mark);
                    if closes {
                        fence = None;
                    }
                }
            }
            continue;
        }
        let level = line.bytes().take_while(|byte| *byte == b'#').count();
        let title = line.get(level..).unwrap_or_default();
        if fence.is_some() || !(1..=6).contains(&level) || !title.starts_with([' ', '\t']) {
            continue;
        }
        let start = from + whole.start;
        while let Some(last) = open.last().copied() {
            let Some(section) = found.get_mut(last) else {
                break;
            };
            if section.level < level && section.level > 1 {
                break;
            }
            section.body.end = start;
            open.pop();
        }
        open.push(found.len());
        found.push(Section {
            title: title.trim().trim_end_matches('#').trim_end().to_owned(),
            level,
            heading: start..from + content.end,
            body: from + whole.end..text.len(),
        });
    }
    found
}

/// The character and length of a code fence.
fn fence_of(line: &str) -> Option<(char, usize)> {
    let indent = line.len() - line.trim_start_matches(' ').len();
    let line = line.trim_start_matches(' ');
    let mark = line.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let count = line.chars().take_while(|c| *c == mark).count();
    (indent < 4 && count >= 3).then_some((mark, count))
}
