//! What the rules say that only an experiment can mend, and which answers weaken it.

use serde::{Deserialize, Serialize};

use crate::classification::{Entry, Quoted};
use crate::finding::Finding;
use crate::group::Grouped;
use crate::profile::Profile;
use crate::{Decision, Severity};

/// A finding of the rules about the sample, the unit of analysis or the plan.
///
/// **Source**: citation gates, §8.6.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Signal {
    /// `unit-of-analysis`, `sample-size-mismatch` or `protocol-deviation`.
    pub rule: String,
    /// Path of the report in the repository.
    pub file: String,
    /// Its line; none when it is about the report as a whole.
    pub line: Option<u32>,
    /// What it is about.
    pub dimension: String,
    /// How bad it is.
    pub severity: Severity,
    /// What is wrong, in a sentence.
    pub message: String,
    /// How it is to be settled: `rerun_required`.
    pub suggested_strategy: String,
}

/// Dimensions of comments that ask for a source: what the sample was does not settle them.
const SOURCES: [&str; 2] = ["external", "comparative"];

impl Signal {
    /// The signal in a finding of the rules; none when an edit could mend it.
    pub fn of(finding: Finding) -> Option<Self> {
        Some(Self {
            rule: finding.rule?,
            file: finding.file,
            line: finding.line,
            dimension: finding.dimension,
            severity: finding.severity,
            message: finding.message,
            suggested_strategy: finding.suggested_strategy?,
        })
    }

    /// Whether a comment is about the same thing: on its line, or, where it has none, of its dimension.
    fn binds(&self, finding: &Grouped) -> bool {
        self.file == finding.path
            && match self.line {
                Some(_) => {
                    self.line == finding.line && !SOURCES.contains(&finding.dimension.as_str())
                }
                None => self.dimension == finding.dimension,
            }
    }

    /// Whether an entry does less than the signal asks for. Statistics over the wrong unit may also go together with their claim.
    ///
    /// **Source**: citation gates, §6.3.
    fn is_weakened(&self, entry: &Entry) -> bool {
        match (entry.verdict, entry.fix_strategy.as_deref()) {
            (Decision::Discuss, _) | (Decision::Accept, Some(Profile::RERUN | Profile::DESIGN)) => {
                false
            }
            (Decision::Accept, Some("remove_claim")) => self.rule != "unit-of-analysis",
            _ => true,
        }
    }
}

/// Holds an entry against the signals. **Errors**: which one it weakens without a reason that the report gives.
pub(crate) fn hold(
    signals: &[Signal],
    finding: &Grouped,
    entry: &Entry,
    quoted: &dyn Quoted,
) -> Result<(), String> {
    let weakened = signals.iter().find(|signal| {
        signal.binds(finding)
            && signal.is_weakened(entry)
            && !quoted.gives_reason(&entry.evidence, &signal.file, signal.line)
    });
    weakened.map_or(Ok(()), |signal| {
        Err(format!(
            "it weakens the signal {} and quotes no reason from {}: {}",
            signal.rule, signal.file, signal.message
        ))
    })
}
