//! The policy file, and its validation.

use std::collections::{BTreeMap, BTreeSet};

use aris_audit::Digest;
use aris_contract::artifact::Slug;
use aris_contract::{json, schema};
use serde::{Deserialize, Serialize};

use super::{AuditRule, MinBound, Policy, PolicyError};
use crate::finding::{FindingId, Severity};

/// Limits of the file: a policy is about a page.
pub(crate) const LIMITS: json::Limits = json::Limits {
    bytes: 1 << 20,
    depth: 16,
};
/// Largest clock skew, in seconds; a longer one would make the checks of times pointless.
const MAX_SKEW: i64 = 86_400;

/// A policy file. Every field but `schema` may be left out and then keeps its built-in value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PolicyFile {
    /// `aris.verify_paper_audits.policy/v1`.
    pub schema: String,
    /// For people; not read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The audits; replaces the built-in list as a whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub audits: Option<Vec<AuditRule>>,
    /// Weights of the ids named here.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub severity: BTreeMap<FindingId, Severity>,
    /// Seconds, 0 to 86400.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock_skew_seconds: Option<i64>,
    /// Whether a trace without a chain blocks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub require_chain: Option<bool>,
    /// Further folders that audited files and traces may lie in; absolute, or relative to the project.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub allowed_roots: Option<Vec<String>>,
    /// Which kinds of included sources must be in whose hashes; replaces the built-in list as a whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub coverage: Option<Vec<Coverage>>,
    /// Model families; replaces the built-in table as a whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub families: Option<BTreeMap<String, Vec<String>>>,
    /// How many numbers of the paper must be bound to data or waived; the built-in policy asks for none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_bound: Option<MinBound>,
}

/// Included sources of one kind, and the audits that must have hashed them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Coverage {
    /// The kind.
    pub kind: SourceKind,
    /// Skills: each of them that is required must have the file in its hashes where it is that audit's subject. A file that is the
    /// subject of none of them must be in those of any required audit.
    #[serde(default)]
    pub audits: Vec<String>,
}

/// What an included file is.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
#[derive(strum::Display)]
#[strum(serialize_all = "snake_case")]
pub(crate) enum SourceKind {
    /// Text of the paper: the root, `\input`, `\include`, `\subfile`, `\import`.
    Tex,
    /// `\bibliography`, `\addbibresource`.
    Bibliography,
    /// Tables and plots made from a file, and the raw results.
    Data,
    /// `\includegraphics`.
    Graphics,
    /// `\lstinputlisting`, `\verbatiminput`, `\includepdf`.
    Listing,
}

impl SourceKind {
    /// Its name for people.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Tex => "source",
            Self::Bibliography => "bibliography",
            Self::Data => "data file",
            Self::Graphics => "figure",
            Self::Listing => "printed file",
        }
    }
}

impl PolicyFile {
    fn read(bytes: &[u8]) -> Result<Self, PolicyError> {
        let file: Self = json::typed(bytes, LIMITS)?;
        if file.schema == schema::id::POLICY {
            return Ok(file);
        }
        let message = format!("schema is {:?}, not {:?}", file.schema, schema::id::POLICY);
        Err(at(bytes, &file.schema, message))
    }

    /// The file with omitted fields taken from `base`.
    fn over(self, base: Self) -> Self {
        Self {
            audits: self.audits.or(base.audits),
            severity: base.severity.into_iter().chain(self.severity).collect(),
            clock_skew_seconds: self.clock_skew_seconds.or(base.clock_skew_seconds),
            require_chain: self.require_chain.or(base.require_chain),
            allowed_roots: self.allowed_roots.or(base.allowed_roots),
            coverage: self.coverage.or(base.coverage),
            families: self.families.or(base.families),
            min_bound: self.min_bound.or(base.min_bound),
            ..self
        }
    }
}

/// Parses `bytes`; omitted fields come from `base`.
pub(super) fn resolve(
    bytes: &[u8],
    source: &str,
    base: Option<&[u8]>,
) -> Result<Policy, PolicyError> {
    let mut file = PolicyFile::read(bytes)?;
    if let Some(base) = base {
        file = file.over(PolicyFile::read(base)?);
    }
    let wrong = |needle: &str, message: String| Err(at(bytes, needle, message));
    let policy = Policy {
        audits: file.audits.unwrap_or_default(),
        severity: file.severity,
        clock_skew_seconds: file.clock_skew_seconds.unwrap_or(0),
        require_chain: file.require_chain.unwrap_or(false),
        allowed_roots: file.allowed_roots.unwrap_or_default(),
        coverage: file.coverage.unwrap_or_default(),
        families: file.families.unwrap_or_default(),
        min_bound: file.min_bound.unwrap_or_default(),
        digest: Digest::of(bytes),
        source: source.to_owned(),
        weakened: Vec::new(),
    };
    let (mut artifacts, mut skills) = (BTreeSet::new(), BTreeSet::new());
    for rule in &policy.audits {
        let name = &rule.artifact;
        if !is_artifact_name(name) {
            let message =
                format!("{name:?} is not the name of a .json file in the paper directory");
            return wrong(name, message);
        }
        if let Err(error) = rule.skill.parse::<Slug>() {
            return wrong(&rule.skill, format!("skill {error}"));
        }
        if !artifacts.insert(name) || !skills.insert(&rule.skill) {
            let message = format!("artifact {name:?} or its skill is listed twice");
            return wrong(name, message);
        }
    }
    if !policy.audits.iter().any(|rule| rule.mandatory) {
        let message = "no audit is mandatory: such a policy would let everything pass";
        return wrong("audits", message.to_owned());
    }
    if !(0..=MAX_SKEW).contains(&policy.clock_skew_seconds) {
        let message = format!("clock_skew_seconds must be 0 to {MAX_SKEW}");
        return wrong("clock_skew_seconds", message);
    }
    let mut asked = policy.min_bound.parts().into_iter();
    if let Some((part, share)) = asked.find(|(_, share)| !(0.0..=1.0).contains(share)) {
        let message = format!("min_bound asks for a share of {share} in {part}; a share is 0 to 1");
        return wrong("min_bound", message);
    }
    let covering = policy.coverage.iter().flat_map(|coverage| &coverage.audits);
    if let Some(unknown) = covering.into_iter().find(|skill| !skills.contains(skill)) {
        let message =
            format!("coverage names {unknown:?}, which is no skill of an audit in this policy");
        return wrong(unknown, message);
    }
    let mut roots = policy.allowed_roots.iter();
    if let Some(bad) = roots.find(|root| root.is_empty() || root.contains('\0')) {
        return wrong("allowed_roots", format!("{bad:?} is not a folder"));
    }
    let mut starts = policy.families.values().flatten();
    let wanting = |start: &&String| start.is_empty() || **start != start.to_lowercase();
    if let Some(empty) = starts.find(wanting) {
        let message = format!("{empty:?} is not the beginning of a model name in lower case");
        return wrong("families", message);
    }
    Ok(policy)
}

/// Whether `name` is a plain name that ends in `.json`, neither hidden nor a path.
pub(crate) fn is_artifact_name(name: &str) -> bool {
    let stem = name.strip_suffix(".json");
    stem.is_some_and(|stem| stem.parse::<Slug>().is_ok())
}

/// An error at the position of the first string `needle` in the file.
fn at(bytes: &[u8], needle: &str, message: String) -> PolicyError {
    let text = String::from_utf8_lossy(bytes);
    let before = text.find(&format!("\"{needle}\""));
    let before = before.and_then(|at| text.get(..at)).unwrap_or("");
    PolicyError {
        message,
        line: 1 + before.matches('\n').count(),
        column: 1 + before.rsplit('\n').next().unwrap_or("").chars().count(),
    }
}
