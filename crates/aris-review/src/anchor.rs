//! Puts findings on lines that can carry a comment.

use std::collections::BTreeMap;

use crate::claim::Claim;
use crate::diff::{Diff, DiffFile};
use crate::finding::{Also, Finding};
use crate::text::{letters, plain_path};

/// The shortest claim text that is looked for, in letters and digits; shorter texts are in too many places.
const ENOUGH: usize = 12;

/// Gives each finding a line that can carry a comment, or none.
///
/// A line that the diff shows on the new side is kept. For any other line, the text of the claim that was made on this line is looked for
/// in the same file: if it begins on exactly one line, the finding moves there, else it has no line. Paths lose a leading `./`.
///
/// **Source**: citation gates, §4.7.
pub fn anchor(findings: Vec<Finding>, diff: &Diff, claims: &[Claim]) -> Vec<Finding> {
    let mut texts: BTreeMap<&str, Text> = BTreeMap::new();
    let anchored = findings.into_iter().map(|mut finding| {
        finding.file = plain_path(&finding.file).to_owned();
        let file = diff.file(&finding.file);
        finding.quote.clear();
        let (Some(line), Some(file)) = (finding.line, file) else {
            finding.line = None;
            return finding;
        };
        if !file.has_line(line) {
            let text = texts.entry(file.path.as_str());
            let text = text.or_insert_with(|| Text::of(file));
            let here = |claim: &&Claim| {
                claim.line == Some(line) && plain_path(&claim.file) == finding.file
            };
            let claim = claims.iter().find(here);
            finding.line = claim.and_then(|claim| text.only_line(&claim.claim_text));
        }
        let mut lines = file.lines.iter();
        let line = lines.find(|line| Some(line.number) == finding.line);
        finding.quote = line.map_or_else(String::new, |line| letters(&line.text));
        finding.suggest(line.map(|line| line.text.as_str()));
        finding
    });
    identified(anchored.collect(), &BTreeMap::new())
}

/// Gives each finding its fingerprint. Findings on lines of equal text get different ones: from the second line on, its number is part of
/// it. `known` has the line of the comment of each fingerprint that has one, `None` where that line was changed: where one of the lines is
/// gone, the others keep their comments.
pub(crate) fn identified(
    findings: Vec<Finding>,
    known: &BTreeMap<String, Option<u32>>,
) -> Vec<Finding> {
    let mut equal = BTreeMap::new();
    for finding in findings.iter().filter(|finding| !finding.quote.is_empty()) {
        for kind in kinds(finding) {
            let lines = equal.entry(finding.numbered(kind, 1));
            let (.., lines) = lines.or_insert_with(|| (finding, kind, Vec::new()));
            if !lines.contains(&finding.line) {
                lines.push(finding.line);
            }
        }
    }
    let mut numbers: BTreeMap<(String, Option<u32>), usize> = BTreeMap::new();
    for (first, (finding, kind, mut lines)) in equal {
        let free = 1..=lines.len() + known.len().min(KNOWN);
        let free = free.map(|number| (known.get(&finding.numbered(kind, number)), number));
        let mut free: Vec<_> = free.collect();
        lines.retain(|line| {
            let here = free.iter().position(|(there, _)| *there == Some(line));
            let here = here.map(|at| free.remove(at).1);
            numbers.extend(here.map(|number| ((first.clone(), *line), number)));
            here.is_none()
        });
        // Comments on other lines first, then those whose lines were changed, then new ones.
        free.sort_by_key(|(there, number)| match there {
            Some(Some(line)) => (0, *line, *number),
            Some(None) => (1, 0, *number),
            None => (2, 0, *number),
        });
        let rest = lines.into_iter().zip(free);
        numbers.extend(rest.map(|(line, (_, number))| ((first.clone(), line), number)));
    }
    let identified = findings.into_iter().map(|finding| {
        let mut finding = finding.identified();
        if finding.quote.is_empty() {
            return finding;
        }
        let number = |kind: &str| {
            let key = (finding.numbered(kind, 1), finding.line);
            numbers.get(&key).copied().unwrap_or(1)
        };
        let prints = kinds(&finding).map(|kind| finding.numbered(kind, number(kind)));
        let prints: Vec<String> = prints.collect();
        finding.quote = finding.quote_of(number(finding.kind()));
        let also = finding.also.iter_mut().map(|also| &mut also.fingerprint);
        let all = std::iter::once(&mut finding.fingerprint).chain(also);
        for (there, print) in all.zip(prints) {
            *there = print;
        }
        finding
    });
    identified.collect()
}

/// The most comments that are looked through for lines of equal text.
const KNOWN: usize = 50;

/// What a finding says about its place, and then what those say that were merged into it.
fn kinds(finding: &Finding) -> impl Iterator<Item = &str> {
    std::iter::once(finding.kind()).chain(finding.also.iter().map(Also::kind))
}

/// The letters and digits of a file's new side, and where each line begins in them. Line breaks and markup play no part.
struct Text {
    letters: String,
    /// Offset of the line's first letter in bytes, and the line's number.
    starts: Vec<(usize, u32)>,
}

impl Text {
    fn of(file: &DiffFile) -> Self {
        let mut text = Self {
            letters: String::new(),
            starts: Vec::new(),
        };
        for line in &file.lines {
            text.starts.push((text.letters.len(), line.number));
            text.letters.push_str(&letters(&line.text));
        }
        text
    }

    /// The line on which the words begin, if they are in exactly one place.
    fn only_line(&self, words: &str) -> Option<u32> {
        let wanted = letters(words);
        if wanted.chars().count() < ENOUGH {
            return None;
        }
        let mut places = self.letters.match_indices(&wanted);
        let (place, _) = places.next()?;
        if places.next().is_some() {
            return None;
        }
        let after = self.starts.partition_point(|(start, _)| *start <= place);
        let (_, line) = self.starts.get(after.checked_sub(1)?)?;
        Some(*line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ClaimType, Severity};

    const DIFF: &[u8] = b"+++ b/r.md\n@@ -0,0 +10,5 @@\n+Prior work reaches\n+90 points on **every** task.\n+Twice said here.\n+Twice said here.\n+End.\n";

    fn claim(line: u32, text: &str) -> Claim {
        Claim {
            file: String::from("r.md"),
            line: Some(line),
            claim_text: text.to_owned(),
            claim_type: ClaimType::External,
            section: String::new(),
            cited: false,
            score: None,
            features: Vec::new(),
        }
    }

    #[test]
    fn a_finding_goes_where_its_claim_is_or_nowhere() {
        let diff = Diff::read(DIFF);
        let claims = [
            claim(3, "Prior work reaches 90 points on every task."),
            claim(4, "Twice said here."),
            claim(5, "It is nowhere to be found."),
            claim(6, "End."),
        ];
        for (file, line, wanted) in [
            ("r.md", Some(12), Some(12)),
            ("./r.md", Some(12), Some(12)),
            ("r.md", Some(3), Some(10)),
            ("r.md", Some(4), None),
            ("r.md", Some(5), None),
            ("r.md", Some(6), None),
            ("r.md", Some(7), None),
            ("r.md", None, None),
            ("x.md", Some(12), None),
        ] {
            let finding = Finding::of_rule("r", Severity::Warning, "external", (file, line), "m");
            let anchored = anchor(vec![finding], &diff, &claims);
            assert_eq!(anchored[0].line, wanted, "{file} {line:?}");
            assert!(!anchored[0].file.starts_with("./"));
        }
    }

    #[test]
    fn an_anchored_finding_stays_where_it_is() {
        let diff = Diff::read(DIFF);
        let claims = [claim(3, "Prior work reaches 90 points on every task.")];
        let finding = Finding::of_rule("r", Severity::Warning, "external", ("r.md", Some(3)), "m");
        let once = anchor(vec![finding], &diff, &claims);
        assert_eq!(anchor(once.clone(), &diff, &claims), once);
    }

    #[test]
    fn lines_of_equal_text_keep_the_fingerprints_of_their_comments() {
        let at = |lines: &[u32]| -> Vec<Finding> {
            let finding = |line: &u32| Finding {
                quote: String::from("wewin"),
                ..Finding::of_rule(
                    "r",
                    Severity::Warning,
                    "external",
                    ("r.md", Some(*line)),
                    "m",
                )
            };
            lines.iter().map(finding).collect()
        };
        let prints = |lines: &[u32], known: &BTreeMap<String, Option<u32>>| -> Vec<String> {
            let all = identified(at(lines), known).into_iter();
            all.map(|finding| finding.fingerprint).collect()
        };
        let all = prints(&[1, 3, 5], &BTreeMap::new());
        let known = |lines: [Option<u32>; 3]| all.iter().cloned().zip(lines).collect();
        for (lines, comments, wanted) in [
            (vec![1, 3, 5], [Some(1), Some(3), Some(5)], vec![0, 1, 2]),
            // The first or the second is gone.
            (vec![2, 4], [None, Some(2), Some(4)], vec![1, 2]),
            (vec![1, 4], [Some(1), None, Some(4)], vec![0, 2]),
            // One was moved, and its comment is said to be of a line that was changed.
            (vec![9, 1], [Some(1), None, None], vec![1, 0]),
            // The lines of the comments are of an earlier state.
            (vec![2, 4, 6], [Some(1), Some(3), Some(5)], vec![0, 1, 2]),
            // One more.
            (vec![1, 3], [None, Some(3), None], vec![0, 1]),
        ] {
            let wanted: Vec<String> = wanted.iter().map(|at: &usize| all[*at].clone()).collect();
            assert_eq!(prints(&lines, &known(comments)), wanted, "{lines:?}");
        }
    }
}
