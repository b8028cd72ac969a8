//! Names that a rule passes over where a given text stands.

use super::fields::{self, DataError};

/// Pairs of a name and a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Exemptions {
    pairs: Vec<(String, String)>,
}

impl Exemptions {
    /// Reads a list of `[name, text]`.
    ///
    /// **Errors**: no YAML, or an item that is not a list of two texts.
    pub fn parse(text: &str) -> Result<Self, DataError> {
        let root = fields::document(text)?;
        let mut pairs = Vec::new();
        for item in fields::items(&root, "the list of exemptions")? {
            let pair: Vec<String> = fields::texts(item, "an exemption")?;
            let Ok([name, text]) = <[String; 2]>::try_from(pair) else {
                let message =
                    "an exemption is a name and a text, for instance [report_path, write-report]";
                return Err(DataError::at(item.line, message));
            };
            pairs.push((name, text));
        }
        Ok(Self { pairs })
    }

    /// Whether `name` is exempt where `text` stands.
    pub fn covers(&self, name: &str, text: &str) -> bool {
        self.pairs
            .iter()
            .any(|(known, part)| known == name && text.contains(part.as_str()))
    }
}
