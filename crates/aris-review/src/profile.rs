//! The two gates as data: they share all code and differ in their words.

use serde::{Deserialize, Serialize};

/// A gate.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "lowercase")]
#[derive(strum::EnumString, strum::VariantArray)]
#[strum(serialize_all = "lowercase", parse_err_ty = String, parse_err_fn = no_gate)]
pub enum Gate {
    /// Do the report's claims have evidence?
    #[default]
    Claims,
    /// Is the research sound?
    Review,
}

fn no_gate(_: &str) -> String {
    String::from("claims or review")
}

impl Gate {
    /// The words of the gate.
    pub const fn profile(self) -> &'static Profile {
        match self {
            Self::Claims => &CLAIMS,
            Self::Review => &REVIEW,
        }
    }
}

/// The name of a group, and the dimensions that one agent looks at together.
pub type Group = (&'static str, &'static [&'static str]);

/// The words of a gate.
///
/// **Source**: citation gates, §6 and §10.
#[derive(Debug)]
pub struct Profile {
    /// Name in the gate's invisible marks, and of its output folder.
    pub marker: &'static str,
    /// Name of the step that settles the comments, and of its output folder.
    pub resolve: &'static str,
    /// Subjects of its findings.
    pub dimensions: &'static [&'static str],
    /// Groups of dimensions; every other dimension is in [`Profile::UNKNOWN`].
    pub groups: &'static [Group],
    /// Strategies that settle a finding by an edit, in the order in which they are applied.
    pub edits: &'static [&'static str],
    /// Reasons to reject a finding.
    pub categories: &'static [&'static str],
    /// Scope in the subject of commits.
    pub commit_scope: &'static str,
    /// Reply to a rejected finding; `{category}` and `{evidence}` are replaced.
    pub reject_reply: &'static str,
    /// Summary of an approval.
    pub approved: &'static str,
    /// Summary of a request for changes: for one finding, and for several; their number comes before it.
    pub changes: [&'static str; 2],
    /// Summary when a person has to decide.
    pub human: &'static str,
}

static CLAIMS: Profile = Profile {
    marker: "audit-claims",
    resolve: "resolve-claims-review",
    dimensions: &["external", "methodological", "comparative"],
    groups: &[
        ("citations", &["external"]),
        ("methodology", &["methodological"]),
        ("comparisons", &["comparative"]),
    ],
    edits: &["add_citation", "qualify_claim", "remove_claim"],
    categories: &[
        "claim_is_supported",
        "citation_not_required",
        "experimental_claim_misclassified",
        "out_of_scope",
        "stale_comment",
    ],
    commit_scope: "claims-review",
    reject_reply: "Investigated — {category}. {evidence}",
    approved: "no unsupported claims found",
    changes: [
        "claim lacks evidence, see the inline comment",
        "claims lack evidence, see inline comments",
    ],
    human: "uncertain citation requirements, please review",
};

static REVIEW: Profile = Profile {
    marker: "review-research-pr",
    resolve: "resolve-research-review",
    dimensions: &[
        "methodology",
        "reproducibility",
        "report-quality",
        "statistical-rigor",
        "isolation",
        "data-integrity",
        "slop",
        "data-scope",
    ],
    groups: &[
        ("statistical", &["statistical-rigor", "data-integrity"]),
        ("methodology", &["methodology"]),
        ("reproducibility", &["reproducibility", "isolation"]),
        ("reporting", &["report-quality"]),
        ("hygiene", &["slop"]),
    ],
    edits: &["config_fix", "script_fix", "report_edit"],
    categories: &[
        "methodology_misunderstanding",
        "false_positive_intentional",
        "inconclusive_not_deficiency",
        "out_of_scope",
        "stale_comment",
    ],
    commit_scope: "research-review",
    reject_reply: "Investigated — intentional research design. {evidence}",
    approved: "no deficiency of the research found",
    changes: [
        "deficiency of the research, see the inline comment",
        "deficiencies of the research, see inline comments",
    ],
    human: "findings that a person has to decide, please review",
};

impl Profile {
    /// The group of every dimension that is in no other group.
    pub const UNKNOWN: &'static str = "unknown";
    /// The strategy for what only a new run of the experiment can settle.
    pub const RERUN: &'static str = "rerun_required";
    /// The strategy for what no run of this experiment can settle.
    pub const DESIGN: &'static str = "design_flaw";

    /// The group of a dimension.
    pub fn group_of(&self, dimension: &str) -> &'static str {
        let mut groups = self.groups.iter();
        let group = groups.find(|(_, dimensions)| dimensions.contains(&dimension));
        group.map_or(Self::UNKNOWN, |(name, _)| name)
    }

    /// Names of all groups, [`Profile::UNKNOWN`] last.
    pub fn group_names(&self) -> impl Iterator<Item = &'static str> {
        let names = self.groups.iter().map(|(name, _)| *name);
        names.chain([Self::UNKNOWN])
    }

    /// Strategies that settle a finding, in the order in which they are applied; those that no edit can carry out are last.
    pub fn strategies(&self) -> impl Iterator<Item = &'static str> {
        let edits = self.edits.iter().copied();
        edits.chain([Self::RERUN, Self::DESIGN])
    }

    /// Whether no edit can carry out a strategy: the finding is passed on, and no file is changed.
    pub fn escalates(strategy: &str) -> bool {
        matches!(strategy, Self::RERUN | Self::DESIGN)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_gates_group_their_own_dimensions() {
        for (gate, dimension, group) in [
            (Gate::Claims, "external", "citations"),
            (Gate::Claims, "methodological", "methodology"),
            (Gate::Claims, "comparative", "comparisons"),
            (Gate::Claims, "slop", "unknown"),
            (Gate::Review, "statistical-rigor", "statistical"),
            (Gate::Review, "data-integrity", "statistical"),
            (Gate::Review, "isolation", "reproducibility"),
            (Gate::Review, "report-quality", "reporting"),
            (Gate::Review, "slop", "hygiene"),
            (Gate::Review, "data-scope", "unknown"),
            (Gate::Review, "external", "unknown"),
        ] {
            assert_eq!(gate.profile().group_of(dimension), group, "{dimension}");
        }
    }

    #[test]
    fn groups_name_dimensions_of_their_gate_and_two_strategies_escalate() {
        for gate in [Gate::Claims, Gate::Review] {
            let profile = gate.profile();
            for (name, dimensions) in profile.groups {
                let mut dimensions = dimensions.iter();
                assert!(
                    dimensions.all(|one| profile.dimensions.contains(one)),
                    "{name}"
                );
            }
            let strategies = profile.strategies();
            let escalating: Vec<&str> = strategies.filter(|one| Profile::escalates(one)).collect();
            assert_eq!(escalating, [Profile::RERUN, Profile::DESIGN]);
        }
    }
}
