//! The purpose of a section, from its heading. The profile says nothing else about the words of a heading.

use std::sync::LazyLock;

use serde::de::value::StrDeserializer;
use serde::{Deserialize, Serialize};

/// The parts that research papers conventionally have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) enum Role {
    /// Text before the first heading.
    #[default]
    Opening,
    /// The abstract.
    Abstract,
    /// Introduction, motivation.
    Introduction,
    /// Related or prior work.
    RelatedWork,
    /// Background, preliminaries, notation.
    Background,
    /// The problem, its formulation or setting.
    Problem,
    /// Contributions, overview.
    Contributions,
    /// Data, data sets, materials.
    Data,
    /// Method, approach, model, algorithm.
    Method,
    /// Theory, analysis, guarantees, proofs.
    Theory,
    /// Implementation, software, system.
    Implementation,
    /// Experiments, their setup, evaluation.
    Experiments,
    /// Results, findings.
    Results,
    /// Ablations, further or sensitivity analyses.
    Ablation,
    /// Case studies, applications, examples.
    Applications,
    /// Discussion, interpretation.
    Discussion,
    /// Limitations, threats to validity.
    Limitations,
    /// Ethics, broader impact.
    Impact,
    /// Conclusions, summary, future work.
    Conclusion,
    /// Acknowledgements, funding, author contributions, availability, reproducibility and other statements.
    Statements,
    /// References.
    References,
    /// Appendix, supplementary material.
    Appendix,
    /// A part of the body whose heading says nothing conventional.
    Body,
}

/// A line of `roles.txt`.
struct Row {
    role: Role,
    name: &'static str,
    headings: Vec<&'static str>,
    beginnings: Vec<&'static str>,
}

static ROWS: LazyLock<Vec<Row>> = LazyLock::new(|| {
    let lines = include_str!("roles.txt").lines();
    let rows = lines.filter_map(|line| {
        let (role, rest) = line.split_once(": ")?;
        let role = StrDeserializer::<serde::de::value::Error>::new(role);
        let mut parts = rest.split('|').map(str::trim);
        let name = parts.next()?;
        let mut words = || {
            let words = parts.next().unwrap_or_default().split(", ");
            words.filter(|word| !word.is_empty()).collect()
        };
        Some(Row {
            role: Role::deserialize(role).ok()?,
            name,
            headings: words(),
            beginnings: words(),
        })
    });
    rows.collect()
});

impl Role {
    /// The role of a heading, and whether the whole heading is a conventional one.
    pub(crate) fn of(title: &str) -> (Self, bool) {
        let folded = folded(title);
        let is_whole = |row: &&Row| row.headings.contains(&folded.as_str());
        if let Some(row) = ROWS.iter().find(is_whole) {
            return (row.role, true);
        }
        let begins = |stem: &&str| folded.split(' ').any(|word| word.starts_with(stem));
        let found = ROWS.iter().find(|row| row.beginnings.iter().any(begins));
        (found.map_or(Self::Body, |row| row.role), false)
    }

    /// Its name in the profile.
    pub(crate) fn name(self) -> &'static str {
        let row = ROWS.iter().find(|row| row.role == self);
        row.map_or("Body", |row| row.name)
    }
}

/// Lower case, letters only, single spaces, `&` as "and".
fn folded(title: &str) -> String {
    let title = title.replace('&', " and ");
    let words = title.split(|letter: char| !letter.is_alphabetic());
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    words.join(" ").to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_have_the_role_that_convention_gives_them() {
        for (title, expected) in [
            ("Introduction", (Role::Introduction, true)),
            ("1. INTRODUCTION", (Role::Introduction, true)),
            ("Background & Related Work", (Role::RelatedWork, true)),
            ("Experiments on ImageNet", (Role::Experiments, false)),
            ("Conclusions, with thanks", (Role::Conclusion, false)),
            ("The Quantum Zeno Machine", (Role::Body, false)),
            ("Latest news", (Role::Body, false)),
            ("", (Role::Body, false)),
            // The order of the table decides, not the order of the words.
            ("Testing the conclusions", (Role::Conclusion, false)),
            ("Problems, methods", (Role::Method, false)),
        ] {
            assert_eq!(Role::of(title), expected, "{title}");
        }
    }

    proptest::proptest! {
        #[test]
        fn a_folded_heading_is_its_words(title in "[a-zA-Zéß& 1.,İ日\\-\t]{0,20}") {
            let spaced: String = title
                .chars()
                .flat_map(|letter| match letter {
                    '&' => " and ".chars().collect(),
                    _ if letter.is_alphabetic() => letter.to_lowercase().collect(),
                    _ => vec![' '],
                })
                .collect();
            let words: Vec<&str> = spaced.split_whitespace().collect();
            proptest::prop_assert_eq!(folded(&title), words.join(" "));
        }
    }

    #[test]
    fn the_table_is_folded_and_names_each_role_and_heading_once() {
        assert_eq!(ROWS.len(), 23);
        let mut names = std::collections::BTreeSet::new();
        for row in ROWS.iter() {
            assert!(names.insert(row.name));
            assert_eq!(row.role.name(), row.name);
            for name in &row.headings {
                assert_eq!(folded(name), *name);
                assert_eq!(Role::of(&name.to_uppercase()), (row.role, true));
            }
            for stem in &row.beginnings {
                assert_eq!(folded(stem), *stem);
                let (role, is_whole) = Role::of(stem);
                assert!(is_whole || role == row.role, "{stem}");
            }
        }
    }
}
