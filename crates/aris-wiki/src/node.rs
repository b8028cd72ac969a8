//! The kinds of nodes (papers, ideas, experiments, claims, and gaps) and their names.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A kind of page.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// A paper that was read.
    Paper,
    /// An idea, tried or not.
    Idea,
    /// An experiment that was run.
    Experiment,
    /// A claim that experiments support or invalidate.
    Claim,
}

impl Kind {
    /// All kinds, in the order of the index.
    pub const ALL: [Self; 4] = [Self::Paper, Self::Idea, Self::Experiment, Self::Claim];

    /// Its name, the prefix of node names, the folder of its pages, and its heading in the index.
    const fn names(self) -> [&'static str; 4] {
        match self {
            Self::Paper => ["paper", "paper", "papers", "Papers"],
            Self::Idea => ["idea", "idea", "ideas", "Ideas"],
            Self::Experiment => ["experiment", "exp", "experiments", "Experiments"],
            Self::Claim => ["claim", "claim", "claims", "Claims"],
        }
    }

    /// The prefix of node names, before the colon.
    pub const fn prefix(self) -> &'static str {
        self.names()[1]
    }

    /// Folder of its pages, relative to the wiki.
    pub const fn folder(self) -> &'static str {
        self.names()[2]
    }

    /// Heading in the index.
    pub const fn heading(self) -> &'static str {
        self.names()[3]
    }

    /// The kind of the node called `name`; `None` for a gap and for text that is not a node's name.
    pub fn of(name: &str) -> Option<Self> {
        let (prefix, _) = name.split_once(':')?;
        Self::ALL.into_iter().find(|kind| kind.prefix() == prefix)
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.names()[0])
    }
}

/// Whether the part after the colon can be a file name: not empty, no separator, no leading dot, at most 120 bytes.
pub fn is_safe_name(name: &str) -> bool {
    let safe = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
    !name.is_empty()
        && name.len() <= 120
        && !name.starts_with(['.', '-'])
        && name.chars().all(|c| safe(c) || mark(c))
}

fn mark(c: char) -> bool {
    unicode_normalization::char::is_combining_mark(c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_their_kind() {
        assert_eq!(Kind::of("exp:E1"), Some(Kind::Experiment));
        for other in ["gap:G1", "exp", "", "papers:x"] {
            assert_eq!(Kind::of(other), None, "{other}");
        }
    }

    #[test]
    fn a_file_name_stays_in_its_folder() {
        for good in ["C1", "001", "vaswani2017_attention", "王2024_图", "a.b"] {
            assert!(is_safe_name(good), "{good}");
        }
        for bad in [
            "",
            "..",
            "a/b",
            "a\\b",
            ".x",
            "-x",
            "a b",
            "a\nb",
            &"x".repeat(121),
        ] {
            assert!(!is_safe_name(bad), "{bad}");
        }
    }
}
