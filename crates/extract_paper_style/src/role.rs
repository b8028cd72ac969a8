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

/// Headings as they are conventionally written, lower case, with the role of each.
const CONVENTIONAL: &[(&str, Role)] = &[
    ("abstract", Role::Abstract),
    ("introduction", Role::Introduction),
    ("motivation", Role::Introduction),
    ("introduction and motivation", Role::Introduction),
    ("introduction and background", Role::Introduction),
    ("related work", Role::RelatedWork),
    ("related works", Role::RelatedWork),
    ("prior work", Role::RelatedWork),
    ("previous work", Role::RelatedWork),
    ("related literature", Role::RelatedWork),
    ("literature review", Role::RelatedWork),
    ("background and related work", Role::RelatedWork),
    ("related work and background", Role::RelatedWork),
    ("background", Role::Background),
    ("preliminaries", Role::Background),
    ("notation", Role::Background),
    ("preliminaries and notation", Role::Background),
    ("notation and preliminaries", Role::Background),
    ("definitions", Role::Background),
    ("problem formulation", Role::Problem),
    ("problem setup", Role::Problem),
    ("problem setting", Role::Problem),
    ("problem statement", Role::Problem),
    ("problem definition", Role::Problem),
    ("setup", Role::Problem),
    ("statement of need", Role::Problem),
    ("contributions", Role::Contributions),
    ("our contributions", Role::Contributions),
    ("overview", Role::Contributions),
    ("data", Role::Data),
    ("dataset", Role::Data),
    ("datasets", Role::Data),
    ("data set", Role::Data),
    ("data sets", Role::Data),
    ("materials", Role::Data),
    ("materials and methods", Role::Method),
    ("method", Role::Method),
    ("methods", Role::Method),
    ("methodology", Role::Method),
    ("approach", Role::Method),
    ("our approach", Role::Method),
    ("our method", Role::Method),
    ("proposed method", Role::Method),
    ("proposed approach", Role::Method),
    ("model", Role::Method),
    ("the model", Role::Method),
    ("framework", Role::Method),
    ("algorithm", Role::Method),
    ("the algorithm", Role::Method),
    ("algorithms", Role::Method),
    ("architecture", Role::Method),
    ("theory", Role::Theory),
    ("analysis", Role::Theory),
    ("theoretical analysis", Role::Theory),
    ("convergence analysis", Role::Theory),
    ("proofs", Role::Theory),
    ("omitted proofs", Role::Theory),
    ("implementation", Role::Implementation),
    ("implementation details", Role::Implementation),
    ("installation", Role::Implementation),
    ("experiments", Role::Experiments),
    ("experiment", Role::Experiments),
    ("experimental setup", Role::Experiments),
    ("experimental results", Role::Experiments),
    ("experiments and results", Role::Experiments),
    ("numerical experiments", Role::Experiments),
    ("evaluation", Role::Experiments),
    ("empirical evaluation", Role::Experiments),
    ("simulations", Role::Experiments),
    ("tests", Role::Experiments),
    ("results", Role::Results),
    ("main results", Role::Results),
    ("findings", Role::Results),
    ("results and discussion", Role::Results),
    ("ablation study", Role::Ablation),
    ("ablation studies", Role::Ablation),
    ("ablations", Role::Ablation),
    ("additional experiments", Role::Ablation),
    ("applications", Role::Applications),
    ("case study", Role::Applications),
    ("case studies", Role::Applications),
    ("examples", Role::Applications),
    ("discussion", Role::Discussion),
    ("discussion and conclusion", Role::Conclusion),
    ("discussion and conclusions", Role::Conclusion),
    ("limitations", Role::Limitations),
    ("limitations and future work", Role::Limitations),
    ("threats to validity", Role::Limitations),
    ("broader impact", Role::Impact),
    ("ethics statement", Role::Impact),
    ("conclusion", Role::Conclusion),
    ("conclusions", Role::Conclusion),
    ("conclusion and future work", Role::Conclusion),
    ("summary", Role::Conclusion),
    ("concluding remarks", Role::Conclusion),
    ("future work", Role::Conclusion),
    ("acknowledgements", Role::Statements),
    ("acknowledgments", Role::Statements),
    ("reproducibility statement", Role::Statements),
    ("data availability", Role::Statements),
    ("author contributions", Role::Statements),
    ("references", Role::References),
    ("bibliography", Role::References),
    ("appendix", Role::Appendix),
];

/// Beginnings of words that give a heading its role when it is not conventional as a whole. The first that fits decides.
const STEMS: &[(&str, Role)] = &[
    ("acknowledg", Role::Statements),
    ("availability", Role::Statements),
    ("reproducib", Role::Statements),
    ("funding", Role::Statements),
    ("appendi", Role::Appendix),
    ("supplement", Role::Appendix),
    ("reference", Role::References),
    ("limitation", Role::Limitations),
    ("ethic", Role::Impact),
    ("societal", Role::Impact),
    ("impact", Role::Impact),
    ("ablation", Role::Ablation),
    ("conclu", Role::Conclusion),
    ("summary", Role::Conclusion),
    ("outlook", Role::Conclusion),
    ("discuss", Role::Discussion),
    ("introduc", Role::Introduction),
    ("motivat", Role::Introduction),
    ("related", Role::RelatedWork),
    ("literature", Role::RelatedWork),
    ("background", Role::Background),
    ("preliminar", Role::Background),
    ("notation", Role::Background),
    ("contribution", Role::Contributions),
    ("overview", Role::Contributions),
    ("implement", Role::Implementation),
    ("install", Role::Implementation),
    ("software", Role::Implementation),
    ("experiment", Role::Experiments),
    ("evaluat", Role::Experiments),
    ("benchmark", Role::Experiments),
    ("simulat", Role::Experiments),
    ("test", Role::Experiments),
    ("result", Role::Results),
    ("finding", Role::Results),
    ("dataset", Role::Data),
    ("proof", Role::Theory),
    ("theor", Role::Theory),
    ("convergence", Role::Theory),
    ("method", Role::Method),
    ("approach", Role::Method),
    ("algorithm", Role::Method),
    ("problem", Role::Problem),
    ("application", Role::Applications),
];

impl Role {
    /// The role of a heading, and whether the whole heading is a conventional one.
    pub(crate) fn of(title: &str) -> (Self, bool) {
        let folded = folded(title);
        if let Some((_, role)) = CONVENTIONAL.iter().find(|(name, _)| *name == folded) {
            return (*role, true);
        }
        let begins = |stem: &str| folded.split(' ').any(|word| word.starts_with(stem));
        let found = STEMS.iter().find(|(stem, _)| begins(stem));
        (found.map_or(Self::Body, |(_, role)| *role), false)
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

    #[test]
    fn the_tables_are_folded_and_name_each_heading_once() {
        for (index, (name, _)) in CONVENTIONAL.iter().enumerate() {
            assert_eq!(folded(name), *name);
            assert_eq!(
                Role::of(&name.to_uppercase()),
                (CONVENTIONAL[index].1, true)
            );
            assert!(
                CONVENTIONAL
                    .iter()
                    .skip(index + 1)
                    .all(|(other, _)| other != name),
                "{name}"
            );
        }
        for (stem, _) in STEMS {
            assert_eq!(folded(stem), *stem);
            let (role, is_whole) = Role::of(stem);
            let first = STEMS.iter().find(|(other, _)| stem.starts_with(other));
            assert!(
                is_whole || Some(role) == first.map(|(_, role)| *role),
                "{stem}"
            );
        }
    }
}
