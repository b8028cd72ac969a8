//! Markdown as far as the rules need it: fences, code spans and links, each with its place.

mod fence;
mod inline;
#[cfg(test)]
mod tests;

use std::ops::Range;

use percent_encoding::percent_decode_str;

pub use fence::{Fence, fences};

use crate::frontmatter::Frontmatter;
use crate::text::Text;

/// The parsed content of a Markdown file.
#[derive(Clone, Debug, Default)]
pub struct Document {
    /// The YAML at its top.
    pub frontmatter: Option<Frontmatter>,
    /// First line of the body, after the frontmatter.
    pub first_line: usize,
    /// Code fences, in order; they do not overlap.
    pub fences: Vec<Fence>,
    /// Code spans outside fences, in order.
    pub spans: Vec<Span>,
    /// Links, images and link definitions outside fences and code spans, in order.
    pub links: Vec<Link>,
}

/// A code span.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    /// Line of the opening backticks.
    pub line: usize,
    /// Column of the opening backticks, from 1.
    pub col: usize,
    /// Byte range in [`Text::raw`], including the backticks.
    pub range: Range<usize>,
    /// The text between the backticks; line ends become blanks.
    pub text: String,
}

/// A link, image or link definition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// The target, without `<…>` around it and without the title.
    pub target: String,
    /// Line of the opening bracket, or of the `!` of an image.
    pub line: usize,
    /// Column of that character, from 1.
    pub col: usize,
}

impl Document {
    /// Reads a Markdown file.
    pub fn parse(text: &Text) -> Self {
        let frontmatter = Frontmatter::of(text);
        let first_line = frontmatter.as_ref().map_or(1, |found| found.last + 1);
        let fences = fences(text, first_line);
        let mut document = Self {
            frontmatter,
            first_line,
            ..Self::default()
        };
        inline::read(text, first_line, &fences, &mut document);
        document.fences = fences;
        document
    }

    /// Whether a line is part of a fence, including its opening and closing lines.
    pub fn in_fence(&self, line: usize) -> bool {
        let holds = |fence: &Fence| (fence.open..=fence.last).contains(&line);
        self.fences.iter().any(holds)
    }

    /// The code span that contains a byte of [`Text::raw`].
    pub fn span_at(&self, byte: usize) -> Option<&Span> {
        let after = self.spans.partition_point(|span| span.range.start <= byte);
        let span = self.spans.get(after.checked_sub(1)?)?;
        (byte < span.range.end).then_some(span)
    }
}

impl Link {
    /// The path of a *relative link*. Its target is not empty, has no URI scheme, does not start with `#`, `/` or `~`, and
    /// contains none of `< > { } $ * |`, backtick, `...`, `…`. Query and fragment are removed, percent escapes decoded.
    pub fn relative_path(&self) -> Option<String> {
        let target = self.target.as_str();
        let placeholder = target.contains(['<', '>', '{', '}', '$', '*', '|', '`', '…']);
        if target.is_empty()
            || target.starts_with(['#', '/', '~'])
            || placeholder
            || target.contains("...")
            || has_scheme(target)
        {
            return None;
        }
        let path = target.split(['?', '#']).next().unwrap_or_default();
        (!path.is_empty()).then(|| percent_decode_str(path).decode_utf8_lossy().into_owned())
    }
}

/// Whether a target begins with a URI scheme: a letter, then letters, digits, `+`, `-`, `.`, then `:` (RFC 3986 §3.1). A single
/// letter is a Windows drive and not a scheme.
fn has_scheme(target: &str) -> bool {
    let Some((scheme, _)) = target.split_once(':') else {
        return false;
    };
    scheme.len() > 1
        && scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'))
}

/// The number of block-quote marks at the beginning of a line, at most `limit`, and the line without them.
fn unquoted(line: &str, limit: usize) -> (usize, &str) {
    let mut rest = line;
    let mut depth = 0;
    while depth < limit {
        let Some(inner) = rest.trim_start().strip_prefix('>') else {
            break;
        };
        rest = inner;
        depth += 1;
    }
    (depth, rest)
}
