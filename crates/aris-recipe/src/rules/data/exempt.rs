//! Names that a rule passes over where a given text stands.

use super::fields::{self, DataError};

/// Pairs for the skills of `AutoSkillit`. **Source**: its public recipes.
const PUBLIC: &str = include_str!("exempt.yaml");

/// Pairs of a name and a text. The default is what the public recipes of `AutoSkillit` need.
#[derive(Clone, Debug, PartialEq, Eq)]
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

    /// These and others.
    #[must_use]
    pub fn and(mut self, others: Self) -> Self {
        self.pairs.extend(others.pairs);
        self
    }

    /// Whether `name` is exempt where `text` stands.
    pub fn covers(&self, name: &str, text: &str) -> bool {
        self.pairs
            .iter()
            .any(|(known, part)| known == name && text.contains(part.as_str()))
    }
}

impl Default for Exemptions {
    fn default() -> Self {
        Self::parse(PUBLIC).unwrap_or(Self { pairs: Vec::new() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn public_recipes_need_no_file() {
        let known = Exemptions::default();
        assert!(known.covers("pr_url", "/autoskillit:compose-pr x"));
        assert!(!known.covers("pr_url", "/autoskillit:other x"));
        let more = known.and(Exemptions::parse("[[kept, keep-it]]").unwrap());
        assert!(more.covers("kept", "/keep-it") && more.covers("slug", "/generate-report"));
    }
}
