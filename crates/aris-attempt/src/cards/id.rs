//! The name of a card, or of a slice of one, in manifests, records and messages.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// The largest number of a card or a slice.
const LARGEST: u32 = 1023;

/// A whole card, `1`, or a slice of a divided card, `1:0`. Ordered by card, then by slice.
///
/// **Source**: NVIDIA, MIG User Guide, "Device Enumeration": `<GPU index>:<MIG device index>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(into = "Written", try_from = "Written")]
pub struct CardId {
    /// The card's number in nvidia-smi or rocm-smi.
    pub card: u32,
    /// The number of the slice on this card.
    pub slice: Option<u32>,
}

impl CardId {
    /// A whole card.
    pub const fn whole(card: u32) -> Self {
        Self { card, slice: None }
    }

    /// A slice of a card.
    pub const fn slice(card: u32, slice: u32) -> Self {
        Self {
            card,
            slice: Some(slice),
        }
    }

    /// Whether `other` is this card, or a slice of it.
    pub fn has(self, other: Self) -> bool {
        self == other || (self.slice.is_none() && self.card == other.card)
    }
}

impl From<u32> for CardId {
    fn from(card: u32) -> Self {
        Self::whole(card)
    }
}

impl fmt::Display for CardId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.slice {
            None => self.card.fmt(out),
            Some(slice) => out.pad(&format!("{}:{slice}", self.card)),
        }
    }
}

/// The text is neither the number of a card nor a card and a slice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be the number of a card as nvidia-smi shows it, or a card and a slice as in \"1:0\"")]
pub struct NoCardId;

impl FromStr for CardId {
    type Err = NoCardId;

    fn from_str(text: &str) -> Result<Self, NoCardId> {
        let number = |text: &str| {
            let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
            let number = text.parse().ok().filter(|number| *number <= LARGEST);
            number.filter(|_| digits).ok_or(NoCardId)
        };
        Ok(match text.split_once(':') {
            None => Self::whole(number(text)?),
            Some((card, slice)) => Self::slice(number(card)?, number(slice)?),
        })
    }
}

/// The form in files: a number, or a text for a slice.
#[derive(Serialize, Deserialize)]
#[serde(
    untagged,
    expecting = "must hold numbers of cards\n1, or \"1:0\" for a slice of card 1"
)]
enum Written {
    Number(u32),
    Text(String),
}

impl From<CardId> for Written {
    fn from(id: CardId) -> Self {
        match id.slice {
            None => Self::Number(id.card),
            Some(_) => Self::Text(id.to_string()),
        }
    }
}

impl TryFrom<Written> for CardId {
    type Error = NoCardId;

    fn try_from(written: Written) -> Result<Self, NoCardId> {
        match written {
            Written::Number(card) if card <= LARGEST => Ok(Self::whole(card)),
            Written::Number(_) => Err(NoCardId),
            Written::Text(text) => text.parse(),
        }
    }
}

impl schemars::JsonSchema for CardId {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "CardId".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "description": "The number of a card, or \"CARD:SLICE\" for a slice of a divided one.",
            "anyOf": [
                {"type": "integer", "minimum": 0, "maximum": LARGEST},
                {"type": "string", "pattern": "^[0-9]{1,4}:[0-9]{1,4}$"}
            ]
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_slices_are_read_and_written() {
        for (json, id) in [
            ("3", CardId::whole(3)),
            ("\"1:0\"", CardId::slice(1, 0)),
            ("\"7\"", CardId::whole(7)),
        ] {
            assert_eq!(serde_json::from_str::<CardId>(json).expect("read"), id);
        }
        assert_eq!(
            serde_json::to_string(&[CardId::whole(3), CardId::slice(1, 0)]).expect("written"),
            "[3,\"1:0\"]"
        );
        for wrong in [
            "-1",
            "1.5",
            "\"\"",
            "\"1:\"",
            "\":1\"",
            "\"+1\"",
            "\"1:0:0\"",
            "1024",
            "null",
        ] {
            serde_json::from_str::<CardId>(wrong).expect_err(wrong);
        }
        assert!(CardId::whole(1).has(CardId::slice(1, 2)));
        assert!(!CardId::slice(1, 2).has(CardId::whole(1)));
        assert!(CardId::whole(1) < CardId::slice(1, 0));
        assert!(CardId::slice(1, 9) < CardId::whole(2));
    }
}
