//! Lines and columns of byte offsets.

use super::Place;

/// Characters between two checkpoints on one line; bounds the work per question on very long lines.
const STRIDE: usize = 512;

/// Where a text begins.
const START: Place = Place {
    offset: 0,
    line: 1,
    column: 1,
};

/// Answers which line and column an offset lies in, in logarithmic time.
#[derive(Debug)]
pub(super) struct Positions<'a> {
    text: &'a str,
    /// Offset, line and column of each line's start and of every [`STRIDE`]th character of long lines.
    checkpoints: Vec<Place>,
}

impl<'a> Positions<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        let mut checkpoints = vec![START];
        let mut place = START;
        for character in text.chars() {
            place.offset += character.len_utf8();
            if character == '\n' {
                (place.line, place.column) = (place.line + 1, 1);
            } else {
                place.column += 1;
            }
            if character == '\n' || place.column.is_multiple_of(STRIDE) {
                checkpoints.push(place);
            }
        }
        Self { text, checkpoints }
    }

    /// The place of an offset; one inside a character counts as that character's.
    pub(super) fn place(&self, offset: usize) -> Place {
        let offset = offset.min(self.text.len());
        let after = self
            .checkpoints
            .partition_point(|place| place.offset <= offset);
        let base = after
            .checked_sub(1)
            .and_then(|index| self.checkpoints.get(index))
            .copied()
            .unwrap_or(START);
        let between = self
            .text
            .as_bytes()
            .get(base.offset..offset)
            .unwrap_or_default();
        // Every byte that does not continue a character begins one.
        let characters = between
            .iter()
            .filter(|byte| (**byte & 0xC0) != 0x80)
            .count();
        Place {
            offset,
            line: base.line,
            column: base.column + characters,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_characters() {
        let text = format!("äb\n{}ö!", "é".repeat(2000));
        let positions = Positions::new(&text);
        let cases = [
            (0, 1, 1),
            (2, 1, 2),
            (3, 1, 3),
            (4, 2, 1),
            (4 + 4000, 2, 2001),
            (4 + 4002, 2, 2002),
        ];
        for (offset, line, column) in cases {
            assert_eq!(
                positions.place(offset),
                Place {
                    offset,
                    line,
                    column
                }
            );
        }
        assert_eq!(positions.place(9_999_999).offset, text.len());
    }
}
