//! What a section is for, by its heading: the only thing that is said about a heading's words.

use serde::Serialize;

/// The parts that research papers conventionally have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
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

/// Headings as they are conventionally written, lower case, by role.
const CONVENTIONAL: &[(Role, &str)] = &[
    (Role::Abstract, "abstract"),
    (
        Role::Introduction,
        "introduction|motivation|introduction and motivation|introduction and background",
    ),
    (
        Role::RelatedWork,
        "related work|related works|prior work|previous work|related literature|literature review|background and related work",
    ),
    (Role::RelatedWork, "related work and background"),
    (
        Role::Background,
        "background|preliminaries|notation|preliminaries and notation|notation and preliminaries|definitions",
    ),
    (
        Role::Problem,
        "problem formulation|problem setup|problem setting|problem statement|problem definition|setup|statement of need",
    ),
    (
        Role::Contributions,
        "contributions|our contributions|overview",
    ),
    (
        Role::Data,
        "data|dataset|datasets|data set|data sets|materials",
    ),
    (
        Role::Method,
        "materials and methods|method|methods|methodology|approach|our approach|our method|proposed method|proposed approach",
    ),
    (
        Role::Method,
        "model|the model|framework|algorithm|the algorithm|algorithms|architecture",
    ),
    (
        Role::Theory,
        "theory|analysis|theoretical analysis|convergence analysis|proofs|omitted proofs",
    ),
    (
        Role::Implementation,
        "implementation|implementation details|installation",
    ),
    (
        Role::Experiments,
        "experiments|experiment|experimental setup|experimental results|experiments and results|numerical experiments|evaluation",
    ),
    (Role::Experiments, "empirical evaluation|simulations|tests"),
    (
        Role::Results,
        "results|main results|findings|results and discussion",
    ),
    (
        Role::Ablation,
        "ablation study|ablation studies|ablations|additional experiments",
    ),
    (
        Role::Applications,
        "applications|case study|case studies|examples",
    ),
    (Role::Discussion, "discussion"),
    (
        Role::Conclusion,
        "discussion and conclusion|discussion and conclusions|conclusion|conclusions|conclusion and future work|summary",
    ),
    (Role::Conclusion, "concluding remarks|future work"),
    (
        Role::Limitations,
        "limitations|limitations and future work|threats to validity",
    ),
    (Role::Impact, "broader impact|ethics statement"),
    (
        Role::Statements,
        "acknowledgements|acknowledgments|reproducibility statement|data availability|author contributions",
    ),
    (Role::References, "references|bibliography"),
    (Role::Appendix, "appendix"),
];

/// Beginnings of words that give a heading its role when it is not conventional as a whole. The first that fits decides.
const STEMS: &[(Role, &str)] = &[
    (
        Role::Statements,
        "acknowledg|availability|reproducib|funding",
    ),
    (Role::Appendix, "appendi|supplement"),
    (Role::References, "reference"),
    (Role::Limitations, "limitation"),
    (Role::Impact, "ethic|societal|impact"),
    (Role::Ablation, "ablation"),
    (Role::Conclusion, "conclu|summary|outlook"),
    (Role::Discussion, "discuss"),
    (Role::Introduction, "introduc|motivat"),
    (Role::RelatedWork, "related|literature"),
    (Role::Background, "background|preliminar|notation"),
    (Role::Contributions, "contribution|overview"),
    (Role::Implementation, "implement|install|software"),
    (
        Role::Experiments,
        "experiment|evaluat|benchmark|simulat|test",
    ),
    (Role::Results, "result|finding"),
    (Role::Data, "dataset"),
    (Role::Theory, "proof|theor|convergence"),
    (Role::Method, "method|approach|algorithm"),
    (Role::Problem, "problem"),
    (Role::Applications, "application"),
];

impl Role {
    /// The role of a heading, and whether the whole heading is a conventional one.
    pub(crate) fn of(title: &str) -> (Self, bool) {
        let folded = folded(title);
        let is_whole = |(_, names): &&(Self, &str)| names.split('|').any(|name| name == folded);
        if let Some((role, _)) = CONVENTIONAL.iter().find(is_whole) {
            return (*role, true);
        }
        let begins = |stem: &str| folded.split(' ').any(|word| word.starts_with(stem));
        let found = STEMS.iter().find(|(_, stems)| stems.split('|').any(begins));
        (found.map_or(Self::Body, |(role, _)| *role), false)
    }

    /// What it is called in the profile.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Opening => "Text before the first heading",
            Self::Abstract => "Abstract",
            Self::Introduction => "Introduction",
            Self::RelatedWork => "Related Work",
            Self::Background => "Background",
            Self::Problem => "Problem",
            Self::Contributions => "Contributions",
            Self::Data => "Data",
            Self::Method => "Method",
            Self::Theory => "Theory",
            Self::Implementation => "Implementation",
            Self::Experiments => "Experiments",
            Self::Results => "Results",
            Self::Ablation => "Ablations",
            Self::Applications => "Applications",
            Self::Discussion => "Discussion",
            Self::Limitations => "Limitations",
            Self::Impact => "Broader Impact",
            Self::Conclusion => "Conclusion",
            Self::Statements => "Statements and Acknowledgements",
            Self::References => "References",
            Self::Appendix => "Appendix",
            Self::Body => "Body",
        }
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
            // The first stem decides, not the first word.
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

    /// The entries of a table, one by one.
    fn entries(table: &[(Role, &'static str)]) -> Vec<(Role, &'static str)> {
        let rows = table.iter();
        rows.flat_map(|(role, names)| names.split('|').map(|name| (*role, name)))
            .collect()
    }

    #[test]
    fn the_tables_are_folded_and_name_each_heading_once() {
        let mut names = std::collections::BTreeSet::new();
        for (role, name) in entries(CONVENTIONAL) {
            assert_eq!(folded(name), name);
            assert_eq!(Role::of(&name.to_uppercase()), (role, true));
            assert!(names.insert(name), "{name}");
        }
        let stems = entries(STEMS);
        for (_, stem) in &stems {
            assert_eq!(folded(stem), *stem);
            let (role, is_whole) = Role::of(stem);
            let first = stems.iter().find(|(_, other)| stem.starts_with(other));
            assert!(
                is_whole || Some(role) == first.map(|(role, _)| *role),
                "{stem}"
            );
        }
    }
}
