//! What a section is for, by its title.

use crate::feature::Feature;

/// Words of titles, the first row that has one decides. Stems: "result" is "results", too.
const TITLES: [(Feature, &[&str]); 6] = [
    (
        Feature::InBackMatter,
        &[
            "acknowledg",
            "availab",
            "contribution",
            "ethic",
            "funding",
            "competing",
            "conflict",
            "reproducib",
            "checklist",
            "how to",
            "usage",
            "install",
            "quick start",
            "future",
            "next step",
            "outlook",
            "plan",
        ],
    ),
    (
        Feature::InDiscussion,
        &[
            "abstract",
            "summary",
            "tl;dr",
            "discussion",
            "conclu",
            "limitation",
            "threat",
            "implication",
        ],
    ),
    // "Experimental setup" says what was done.
    (
        Feature::InMethods,
        &[
            "setup",
            "set-up",
            "experimental design",
            "study design",
            "statistical analys",
        ],
    ),
    (
        Feature::InResults,
        &[
            "result",
            "experiment",
            "evaluation",
            "ablation",
            "finding",
            "analys",
            "performance",
            "comparison",
            "benchmark",
        ],
    ),
    (
        Feature::InBackground,
        &[
            "introduction",
            "background",
            "related",
            "motivation",
            "prior",
            "previous",
            "literature",
            "context",
            "overview",
        ],
    ),
    (
        Feature::InMethods,
        &[
            "method",
            "material",
            "implementation",
            "protocol",
            "design",
            "procedure",
            "data",
            "corpus",
            "model",
            "approach",
            "architecture",
            "statistic",
            "study area",
            "study site",
            "site",
            "cohort",
            "participant",
            "workload",
            "training",
            "sampling",
            "preregist",
            "hardware",
            "polic",
            "algorithm",
            "scheme",
            "measurement",
            "test bed",
            "testbed",
            "subjects",
            "animals",
            "samples",
            "system",
        ],
    ),
];

/// What the section is for; `None` when the title does not tell.
pub(crate) fn class(title: &str) -> Option<Feature> {
    let title = title.to_lowercase();
    TITLES
        .iter()
        .find(|(_, stems)| {
            stems.iter().any(|stem| {
                title.match_indices(stem).any(|(at, _)| {
                    !title
                        .get(..at)
                        .is_some_and(|before| before.ends_with(char::is_alphabetic))
                })
            })
        })
        .map(|(feature, _)| *feature)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_tell_what_sections_are_for() {
        for (title, expected) in [
            ("4. Results", Some(Feature::InResults)),
            ("Related work", Some(Feature::InBackground)),
            ("Materials and methods", Some(Feature::InMethods)),
            ("Experimental setup", Some(Feature::InMethods)),
            ("Abstract", Some(Feature::InDiscussion)),
            ("Acknowledgements", Some(Feature::InBackMatter)),
            ("Tail latency", None),
        ] {
            assert_eq!(class(title), expected, "{title}");
        }
    }
}
