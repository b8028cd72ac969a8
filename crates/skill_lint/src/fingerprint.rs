//! Names of findings that survive when code moves.

use std::collections::BTreeMap;

use aris_contract::hex::hex;
use aris_skills::Text;
use sha2::{Digest as _, Sha256};

use crate::finding::Finding;

/// Makes the fingerprints of findings that are sorted by path.
///
/// A fingerprint is a digest over rule, path, the trimmed line, and how many equal lines stand before it. For a rule that counts, only
/// over rule and path: its number is kept beside it. 32 hexadecimal digits.
#[derive(Debug, Default)]
pub struct Fingerprints {
    path: String,
    /// For each line of the file at `path` how many equal lines stand before it; empty until a finding asks.
    ordinals: Vec<usize>,
}

impl Fingerprints {
    /// The fingerprint of a finding in this text.
    pub fn of(&mut self, finding: &Finding, text: Option<&Text>) -> String {
        let (line, ordinal) = match (finding.count, text) {
            (None, Some(text)) => (text.line(finding.line).trim(), self.ordinal(finding, text)),
            _ => ("", 0),
        };
        let mut digest = Sha256::new();
        for part in [finding.rule, &finding.path, line, &ordinal.to_string()] {
            digest.update(part.as_bytes());
            digest.update([0]);
        }
        hex(digest.finalize().iter().take(16))
    }

    fn ordinal(&mut self, finding: &Finding, text: &Text) -> usize {
        if self.path != finding.path {
            self.path.clone_from(&finding.path);
            self.ordinals.clear();
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
