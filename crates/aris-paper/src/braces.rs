//! Matches opening and closing braces in one pass over the whole file.
//!
//! This keeps the reader linear: without it, an opening brace that is never closed would cost a scan to the end of the file,
//! once per damaged entry.

/// The pairs of `{` and `}`. Backslashes do not escape braces, as in BibTeX.
#[derive(Debug)]
pub(crate) struct Braces {
    /// Offset of each `{`, and of its `}` if it has one; sorted by the first.
    pairs: Vec<(usize, Option<usize>)>,
}

impl Braces {
    pub(crate) fn new(text: &str) -> Self {
        let mut pairs: Vec<(usize, Option<usize>)> = Vec::new();
        let mut open: Vec<usize> = Vec::new();
        for (offset, byte) in text.bytes().enumerate() {
            match byte {
                b'{' => {
                    open.push(pairs.len());
                    pairs.push((offset, None));
                }
                b'}' => {
                    if let Some(pair) = open.pop().and_then(|index| pairs.get_mut(index)) {
                        pair.1 = Some(offset);
                    }
                }
                _ => {}
            }
        }
        Self { pairs }
    }

    /// Offset of the `}` that closes the `{` at this offset.
    pub(crate) fn close_of(&self, open: usize) -> Option<usize> {
        let index = self.pairs.binary_search_by_key(&open, |pair| pair.0).ok()?;
        self.pairs.get(index)?.1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inner_pairs_match_when_the_outer_is_open() {
        let braces = Braces::new("}{a{b}{c\\}");
        assert_eq!(braces.close_of(1), None);
        assert_eq!(braces.close_of(3), Some(5));
        assert_eq!(braces.close_of(6), Some(9));
        assert_eq!(braces.close_of(0), None);
        let balanced = Braces::new("}{a{b}{c}}");
        assert_eq!(balanced.close_of(1), Some(9));
    }
}
