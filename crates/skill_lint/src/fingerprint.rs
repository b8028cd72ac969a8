//! Identifiers of findings that stay the same when lines move.

use std::collections::BTreeMap;

use aris_contract::hex::hex;
use aris_skills::Text;
use sha2::{Digest as _, Sha256};

use crate::finding::Finding;

/// Makes fingerprints. The findings must come sorted by path.
///
/// A fingerprint is a digest of the rule, the path, the trimmed line and the number of equal lines before it. For a rule that
/// counts it covers only rule and path, because the baseline keeps the count separately. 32 hexadecimal digits.
#[derive(Debug, Default)]
pub struct Fingerprints {
    path: String,
    /// For each line of the file at `path`, the number of equal lines before it. Filled by the first finding in the file.
    ordinals: Vec<usize>,
    /// Fingerprints in this file by rule and line, so that a long line with many findings is digested once for each rule.
    known: BTreeMap<(&'static str, usize), String>,
}

impl Fingerprints {
    /// The fingerprint of a finding in this text.
    pub fn of(&mut self, finding: &Finding, text: Option<&Text>) -> String {
        let Some(text) = text.filter(|_| finding.count.is_none()) else {
            return digest(finding, "", 0);
        };
        let ordinal = self.ordinal(finding, text);
        let known = self.known.entry((finding.rule, finding.line));
        let new = || digest(finding, text.line(finding.line).trim(), ordinal);
        known.or_insert_with(new).clone()
    }

    fn ordinal(&mut self, finding: &Finding, text: &Text) -> usize {
        if self.path != finding.path {
            self.path.clone_from(&finding.path);
            self.ordinals.clear();
            self.known.clear();
            let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
            for (_, line) in text.lines() {
                let count = seen.entry(line.trim()).or_default();
                self.ordinals.push(*count);
                *count += 1;
            }
        }
        let found = finding.line.checked_sub(1);
        let found = found.and_then(|at| self.ordinals.get(at));
        found.copied().unwrap_or(0)
    }
}

fn digest(finding: &Finding, line: &str, ordinal: usize) -> String {
    let mut digest = Sha256::new();
    for part in [finding.rule, &finding.path, line, &ordinal.to_string()] {
        digest.update(part.as_bytes());
        digest.update([0]);
    }
    hex(digest.finalize().iter().take(16))
}
