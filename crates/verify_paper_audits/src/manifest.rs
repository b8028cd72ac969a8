//! The paper's own list of further audits, `<paper>/.aris/audits.json`. It can add audits and make optional ones mandatory, but
//! not remove any.

use std::collections::BTreeSet;

use aris_contract::artifact::Slug;
use aris_contract::{json, schema};
use serde::{Deserialize, Serialize};

use crate::policy::{AuditRule, is_artifact_name};

/// Path of the manifest, relative to the paper directory.
pub(crate) const PATH: &str = ".aris/audits.json";
/// Limits of the file: a manifest is a short list.
pub(crate) const LIMITS: json::Limits = json::Limits {
    bytes: 1 << 20,
    depth: 8,
};

/// The manifest file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Manifest {
    /// `aris.verify_paper_audits.manifest/v1`.
    pub schema: String,
    /// Audits that are mandatory for this paper, besides those of the policy.
    pub audits: Vec<Added>,
}

/// An audit that the paper adds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Added {
    /// File name of the artifact in the paper directory.
    pub artifact: String,
    /// `audit_skill` that the artifact must name.
    pub skill: String,
    /// Audits of one group must not share a reviewer thread.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub independent_group: Option<String>,
}

/// Why a manifest is invalid: the message, and line and column (from 1) if known.
pub(crate) type ManifestError = (String, Option<(usize, usize)>);

impl Manifest {
    /// Reads a manifest.
    pub(crate) fn read(bytes: &[u8]) -> Result<Self, ManifestError> {
        let manifest: Self = json::typed(bytes, LIMITS)
            .map_err(|error| (error.to_string(), Some((error.line, error.column))))?;
        let wrong = |message| Err((message, None));
        if manifest.schema != schema::id::PAPER_MANIFEST {
            return wrong(format!(
                "schema is {:?}, not {:?}",
                manifest.schema,
                schema::id::PAPER_MANIFEST
            ));
        }
        let mut seen = BTreeSet::new();
        for added in &manifest.audits {
            if !is_artifact_name(&added.artifact) {
                return wrong(format!(
                    "{:?} is not the name of a .json file in the paper directory",
                    added.artifact
                ));
            }
            if let Err(error) = added.skill.parse::<Slug>() {
                return wrong(format!("skill {error}"));
            }
            if !seen.insert(&added.artifact) {
                return wrong(format!("{:?} is listed twice", added.artifact));
            }
        }
        Ok(manifest)
    }

    /// The audits of a paper: the policy's, then the paper's own.
    pub(crate) fn extend(&self, audits: &[AuditRule]) -> Result<Vec<AuditRule>, ManifestError> {
        let mut all = audits.to_vec();
        for added in &self.audits {
            let same = |rule: &&mut AuditRule| {
                rule.artifact == added.artifact || rule.skill == added.skill
            };
            match all.iter_mut().find(same) {
                Some(rule) if rule.artifact == added.artifact && rule.skill == added.skill => {
                    rule.mandatory = true;
                }
                Some(rule) => {
                    let message = format!(
                        "{} of skill {} does not agree with {} of skill {} in the policy",
                        added.artifact, added.skill, rule.artifact, rule.skill
                    );
                    return Err((message, None));
                }
                None => all.push(AuditRule {
                    artifact: added.artifact.clone(),
                    skill: added.skill.clone(),
                    mandatory: true,
                    independent_group: added.independent_group.clone(),
                    deterministic: Vec::new(),
                    rerun: None,
                }),
            }
        }
        Ok(all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::Policy;

    fn read(audits: &str) -> Result<Manifest, ManifestError> {
        Manifest::read(
            format!(
                "{{\"schema\": \"{}\", \"audits\": {audits}}}",
                schema::id::PAPER_MANIFEST
            )
            .as_bytes(),
        )
    }

    #[test]
    fn a_manifest_adds_and_never_removes() {
        let policy = Policy::built_in().expect("valid");
        let manifest = read(
            r#"[{"artifact": "KILL_ARGUMENT.json", "skill": "kill-argument"}, {"artifact": "MY.json", "skill": "mine"}]"#,
        );
        let all = manifest
            .expect("valid")
            .extend(&policy.audits)
            .expect("agrees");
        assert_eq!(
            (all.len(), all.iter().filter(|rule| rule.mandatory).count()),
            (5, 5)
        );
        for bad in [
            r#"[{"artifact": "PROOF_AUDIT.json", "skill": "proof-checker", "mandatory": false}]"#,
            r#"[{"artifact": "../x.json", "skill": "x"}]"#,
            r#"[{"artifact": "x.json", "skill": "../x"}]"#,
            r#"[{"artifact": "x.json", "skill": "x"}, {"artifact": "x.json", "skill": "y"}]"#,
            "null",
        ] {
            assert!(read(bad).is_err(), "{bad}");
        }
        let other =
            read(r#"[{"artifact": "PROOF_AUDIT.json", "skill": "other"}]"#).expect("valid alone");
        assert!(other.extend(&policy.audits).is_err());
    }

    proptest::proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "[\\[\\]{}:,\"a-z/.]{0,80}") {
            drop(read(&text));
        }
    }
}
