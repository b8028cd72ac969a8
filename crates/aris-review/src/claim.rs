//! A claim of a report: a sentence that needs backing.

use serde::{Deserialize, Serialize};
use strum::{IntoStaticStr, VariantArray};

/// What kind of backing a claim needs.
//
// The word of each but `experimental` is also the dimension of findings about such a claim.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "lowercase")]
#[derive(strum::Display, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "lowercase")]
pub enum ClaimType {
    /// A result of the report's own experiments: its numbers are compared with the results, it needs no citation.
    Experimental,
    /// Something that others found: it needs a citation.
    External,
    /// Why something was done as it was: it needs a citation or a reason.
    Methodological,
    /// Better or worse than something else: it needs to say than what, and where that stands.
    Comparative,
}

/// A claim in `claims_{pr}.json`.
///
/// **Source**: citation gates, §2.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    /// Path in the repository.
    pub file: String,
    /// Line of the new file, from 1; absent when it is unknown.
    pub line: Option<u32>,
    /// The sentence as it is written there.
    pub claim_text: String,
    /// What backing it needs.
    pub claim_type: ClaimType,
    /// The heading above it; empty before the first one.
    #[serde(default)]
    pub section: String,
    /// Whether a citation covers it.
    #[serde(default)]
    pub cited: bool,
    /// How sure the rules are that it is a claim, 0 to 1; absent for a claim from an agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
    /// The features that the rules found in it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub features: Vec<String>,
}
