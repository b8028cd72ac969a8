//! Whether a number is separate from the digits beside it.
//!
//! `56,7` is one number with a decimal comma, or two numbers of a list. `56 000` and `3.141 59` are one number if blanks group
//! digits, or two. If both parts are marked, they are two numbers. Otherwise the audit does not know which of them readers see,
//! so it neither accepts nor rejects such a number.

use std::sync::LazyLock;

use aris_latex::{BlockKind, MarkKind};
use regex::{Captures, Regex};

use super::numbers::is_pointer;
use super::{Paper, Shown};
use crate::number::{Style, compiled};

/// Text after a number that may continue it.
static BEHIND: LazyLock<Regex> = LazyLock::new(|| {
    compiled(
        r"(?x)^(?: (?<any> [¼½¾⅐-⅞⁰¹²³⁴-⁹] )
        | (?: [.'’·\u{2009}\u{202f}] | \\, ) (?<any_digit> [0-9] )
        | (?: , | \{,\} ) (?<decimals> [0-9] )
        | [\ \u{a0}] (?<group> [0-9]{1,3} ) (?: \.? (?: [^0-9.] | $ ) ) )",
    )
});

/// Text before a number that may be the beginning of it.
static BEFORE: LazyLock<Regex> = LazyLock::new(|| {
    compiled(
        r"(?x)(?: ^ | [^0-9.] )(?: [0-9.]* (?<any> [0-9] ) (?: [.'’·\u{2009}\u{202f}] | \\, )
        | (?: [0-9]* (?<decimals> [0-9] ) | [1-9][0-9]{0,2} (?: \. [0-9]{3} )* \. [0-9]{2} (?<grouped> [0-9] ) ) (?: , | \{,\} )
        | (?<group> [0-9]{1,3} | [0-9]+ \. (?: [0-9]{3} )+ ) [\ \u{a0}] )$",
    )
});

/// A number with another value if commas mark decimals and points group digits.
static EITHER: LazyLock<Regex> = LazyLock::new(|| {
    compiled(r"^[-−–+]?[1-9][0-9]{0,2}(?:\.[0-9]{3}|(?:,[0-9]{3})+(?:\.[0-9]+)?)$")
});

/// A number whose point may group digits.
static GROUPED: LazyLock<Regex> =
    LazyLock::new(|| compiled(r"^[-−–+]?[1-9][0-9]{0,2}(?:\.[0-9]{3})+$"));

/// Bytes to each side of a number that are examined.
const NEAR: usize = 24;

/// Whether digits after this text belong to a name or refer to a part of the paper: `CIFAR-10 500`, `Llama 3 405`, `Table 2 100`.
fn names(before: &str) -> bool {
    let word = before.trim_end();
    let attached = word.len() == before.len()
        && word.ends_with(|c: char| c.is_alphanumeric() || "-_".contains(c));
    let last = word.rsplit(char::is_whitespace).next().unwrap_or("");
    attached || last.starts_with(char::is_uppercase) || is_pointer(before)
}

fn told(all: &str, own: &str) -> String {
    let hint = "write a number with a decimal point and without blanks, or with \\num; mark each number of a list";
    format!("readers may see one number in `{all}`, of which the audit reads `{own}`; {hint}")
}

impl Paper<'_> {
    /// Why readers may see more than this number: it touches digits that are in none of `marks`. `None` if it stands alone.
    pub(crate) fn touched(&self, shown: &Shown, marks: &[Shown]) -> Option<String> {
        let (text, range) = (self.text(shown.block), &shown.range);
        let own = text.get(range.clone())?;
        let from = text.floor_char_boundary(range.start.saturating_sub(NEAR));
        let to = text.ceil_char_boundary(range.end + NEAR);
        let (before, behind) = (text.get(from..range.start)?, text.get(range.end..to)?);
        // siunitx reads its own numbers in one way only.
        let is_set = self.document.blocks.get(shown.block).is_some_and(|block| {
            let mut marks = block
                .marks
                .iter()
                .filter(|mark| mark.kind == MarkKind::Number);
            marks.any(|mark| mark.range.start <= range.start && range.end <= mark.range.end)
        });
        if self.has_commas && !is_set && EITHER.is_match(own) {
            return Some(format!(
                "the paper declares decimal commas, so that `{own}` may be either of two numbers; write it with \\num"
            ));
        }
        if let Some(all) = self.beside(shown) {
            return Some(told(&all, own));
        }
        let has_sign = !own.starts_with(|c: char| c.is_ascii_digit() || c == '.');
        let is_whole = shown.number.style == Style::Digits && !own.contains('.');
        let groups = GROUPED.is_match(own);
        let digits = |text: &str| text.chars().rev().take_while(char::is_ascii_digit).count();
        let place = |found: &Captures<'_>, grouped: bool| {
            let name = |name, counts: bool| found.name(name).filter(|_| counts);
            // In `1.779,5` the point groups digits and the comma marks decimals; `(0.1,5)` is a list.
            let comma = name("decimals", is_whole || groups).or(name("grouped", is_whole));
            let comma = comma.or(name("group", grouped));
            let any = name("any", true).or(found.name("any_digit"));
            any.or(comma).map(|found| found.end() - 1)
        };
        let behind_at = BEHIND.captures(behind).and_then(|found| {
            let group = found.name("group").map_or(0, |group| group.len());
            let decimals = own.contains('.') && digits(own) % 3 == 0;
            place(
                &found,
                decimals || is_whole && digits(own) <= 3 && group == 3,
            )
        });
        let before_at = BEFORE.captures(before).filter(|_| !has_sign);
        let before_at = before_at.and_then(|found| {
            let group = found.name("group");
            let digits = group.map_or("", |group| group.as_str());
            let counts = own.starts_with('0')
                || group.is_none_or(|group| {
                    let word = before.get(..group.start()).unwrap_or("");
                    !names(word) && shown.number.multiplier == 0
                });
            let decimals = digits.contains('.') && own.len() <= 3;
            place(&found, counts && is_whole && (decimals || own.len() == 3))
        });
        let at = [
            behind_at.map(|at| range.end + at),
            before_at.map(|at| from + at),
        ];
        let is_marked = |at: &usize| {
            let mut marks = marks.iter().filter(|mark| mark.block == shown.block);
            marks.any(|mark| mark.range.contains(at))
        };
        at.into_iter().flatten().find(|at| !is_marked(at))?;
        let part =
            |c: char| c.is_ascii_digit() || ".,'’·{}\\ \u{a0}\u{2009}\u{202f}¼½¾".contains(c);
        let start = from + before.trim_end_matches(part).len();
        let end = to - behind.trim_start_matches(part).len();
        let all = text
            .get(start..end)
            .unwrap_or(own)
            .trim_matches([' ', ',', '.']);
        Some(told(all, own))
    }

    /// The joined text of two cells, if no space separates their columns (`r@{}l`) and this number is at their border.
    fn beside(&self, shown: &Shown) -> Option<String> {
        let text = self.text(shown.block);
        let place = self.document.blocks.get(shown.block);
        let BlockKind::Cell {
            table,
            row,
            col,
            colspan,
            ..
        } = place.map(|block| &block.kind)?
        else {
            return None;
        };
        let table = self.document.tables.get(*table)?;
        let cells = &table.rows.get(*row)?.cells;
        let at = cells.iter().position(|cell| *cell == shown.block)?;
        let cell = |at: usize| cells.get(at).map(|cell| self.text(*cell).trim());
        let left = at.checked_sub(1).and_then(cell);
        let ends =
            |left: &&str| left.ends_with(|c: char| c.is_ascii_digit() || "+-−–.,".contains(c));
        let is_first = text.get(..shown.range.start)?.trim().is_empty();
        if let Some(left) = left
            .filter(ends)
            .filter(|_| is_first && table.touching.contains(col))
        {
            return Some([left, text.trim()].concat());
        }
        let begins = |right: &&str| {
            let digits = right.trim_start_matches(['.', ',']);
            digits.starts_with(|c: char| c.is_ascii_digit())
        };
        let is_last = text.get(shown.range.end..)?.trim().is_empty();
        let right = cell(at + 1).filter(begins);
        let right = right.filter(|_| is_last && table.touching.contains(&(col + colspan)))?;
        Some([text.trim(), right].concat())
    }
}
