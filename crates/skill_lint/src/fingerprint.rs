//! Names of findings that survive when code moves.

use std::collections::BTreeMap;

use aris_contract::hex::hex;
use aris_skills::Text;
use sha2::{Digest as _, Sha256};

use crate::finding::Finding;

/// The fingerprint of a finding: a digest over rule, path, the trimmed line, and how many equal lines stand before it. For a rule
/// that counts, only over rule and path: its number is kept beside it. 32 hexadecimal digits.
pub fn of(finding: &Finding, text: Option<&Text>, ordinals: &mut Ordinals) -> String {
    let (line, ordinal) = match (finding.count, text) {
        (None, Some(text)) => (
            text.line(finding.line).trim(),
            ordinals.of(text, finding.line),
        ),
        _ => ("", 0),
    };
    let mut digest = Sha256::new();
    for part in [finding.rule.id, &finding.path, line, &ordinal.to_string()] {
        digest.update(part.as_bytes());
        digest.update([0]);
    }
    hex(digest.finalize().iter().take(16))
}

/// For the lines of one file: how many equal lines stand before each. Computed when it is first asked for.
#[derive(Debug, Default)]
pub struct Ordinals {
    by_line: Option<Vec<usize>>,
}

impl Ordinals {
    fn of(&mut self, text: &Text, line: usize) -> usize {
        let ordinals = self.by_line.get_or_insert_with(|| {
            let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
            text.lines()
                .map(|(_, line)| {
                    let count = seen.entry(line.trim()).or_default();
                    *count += 1;
                    *count - 1
                })
                .collect()
        });
        let found = line.checked_sub(1).and_then(|at| ordinals.get(at));
        found.copied().unwrap_or(0)
    }
}
