//! Numbers for comparison: whole numbers stay exact, however many digits they have.

use std::cmp::Ordering;

/// A number as written. Seeds and counts of bytes or nanoseconds can be larger than a double represents exactly.
#[derive(Clone, Copy, Debug)]
pub enum Number {
    /// Without a fraction and an exponent.
    Whole(i128),
    /// Any other number.
    Float(f64),
}

impl Number {
    /// Parses a number, ignoring blanks around it; `None` for other text, infinity and NaN.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let float = || text.parse().ok().filter(|float: &f64| float.is_finite());
        text.parse()
            .map(Self::Whole)
            .ok()
            .or_else(|| float().map(Self::Float))
    }

    #[expect(clippy::cast_precision_loss, reason = "beside a double")]
    fn float(self) -> f64 {
        match self {
            Self::Whole(number) => number as f64,
            Self::Float(number) => number,
        }
    }
}

impl PartialEq for Number {
    fn eq(&self, other: &Self) -> bool {
        self.partial_cmp(other) == Some(Ordering::Equal)
    }
}

impl PartialOrd for Number {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        match (self, other) {
            (Self::Whole(one), Self::Whole(other)) => Some(one.cmp(other)),
            _ => self.float().partial_cmp(&other.float()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_are_compared_exactly() {
        let number = |text| Number::parse(text).expect("a number");
        assert!(number("9007199254740993") > number("9007199254740992"));
        assert!(number("18446744073709551614") < number(" 18446744073709551615 "));
        assert!(number("10") > number("9.5") && number("1e1") == number("10"));
        assert!(Number::parse("inf").is_none() && Number::parse("x").is_none());
    }
}
