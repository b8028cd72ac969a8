//! Whether the bytes that an artifact hashed are those that the reviewer was given.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use aris_audit::Digest;
use aris_audit::trace::TraceRecord;

use super::Check;
use crate::finding::{Finding, FindingId, Severity};
use crate::text::short;

/// Names of inputs that one finding lists.
const LISTED: usize = 5;

impl Check<'_> {
    /// Compares the artifact's digests with those that the thread's records (`words`, `last` the last of them) took at the call.
    pub(super) fn reviewed(
        &self,
        real: &Path,
        last: &TraceRecord,
        words: &[&TraceRecord],
    ) -> Vec<Finding> {
        let bases = self.bases(real);
        let (now, earlier) = (
            held(last, &bases),
            words.split_last().map_or(&[][..], |(_, earlier)| earlier),
        );
        let earlier: Vec<_> = earlier
            .iter()
            .rev()
            .map(|record| held(record, &bases))
            .collect();
        let name = short(&last.prefix);
        let declared = last.request.as_ref().is_some_and(|request| {
            request.input_digests.is_some() && !request.files_referenced.is_empty()
        });
        let (mut findings, mut unseen) = (Vec::new(), Vec::new());
        for (input, path) in self.inputs {
            let (Some(digest), Ok(path)) = (input.digest, path) else {
                continue;
            };
            // A follow-up names only what it is about: the rest was given before.
            let before = || earlier.iter().find_map(|held| held.get(path));
            match now.get(path) {
                Some(seen) if *seen == digest => {}
                Some(seen) => findings.push(
                    self.input(
                        FindingId::InputChangedAfterReview,
                        &input.name,
                        format!("{} is not what the reviewer was given: it changed between record {name} and the audit", short(&input.name)),
                    )
                    .evidence("expected", seen.to_string())
                    .evidence("found", digest.to_string()),
                ),
                None if before() == Some(&digest) => {}
                None => unseen.push(&input.name),
            }
        }
        if declared {
            findings.extend(unseen.into_iter().map(|input| {
                let message = format!(
                    "{} is none of the files that the reviewer was given in record {name}",
                    short(input)
                );
                self.input(FindingId::InputNotReviewed, input, message)
                    .at_least(Severity::Block)
            }));
        } else if let Some(first) = unseen.first() {
            let listed: Vec<String> = unseen
                .iter()
                .take(LISTED)
                .map(|input| short(input))
                .collect();
            let what = if last
                .request
                .as_ref()
                .is_some_and(|request| request.input_digests.is_some())
            {
                format!(
                    "the prompt of record {name} does not name {}",
                    listed.join(", ")
                )
            } else {
                format!("record {name} does not say which bytes were reviewed")
            };
            let more = unseen.len().saturating_sub(LISTED);
            let more = if more == 0 {
                String::new()
            } else {
                format!(" and {more} more")
            };
            let message =
                format!("{what}{more}: nothing shows that the reviewer saw what the audit hashed");
            findings.push(self.input(FindingId::InputNotReviewed, first, message));
        }
        findings
    }

    fn input(&self, id: FindingId, input: &str, message: String) -> Finding {
        let place = self.artifact.places.inner("audited_input_hashes", input);
        let fix =
            "repeat the review on the paper as it is, and give save_trace the files with --files";
        Finding::new(id, message, fix)
            .file(self.rule.artifact.clone())
            .at(place, &self.artifact.text)
            .evidence("input", short(input))
            .issue(format!("{}:{}", id.word(), short(input)))
    }

    /// Folders that the paths of a record may be relative to: the project that keeps the trace, this one, the paper.
    fn bases(&self, real: &Path) -> Vec<PathBuf> {
        [self.keeper(real), &self.paper.project, &self.paper.dir]
            .map(Path::to_path_buf)
            .to_vec()
    }
}

/// The digests that a record took, by the real paths of the files as far as they are still there.
fn held(record: &TraceRecord, bases: &[PathBuf]) -> BTreeMap<PathBuf, Digest> {
    let digests = record
        .request
        .iter()
        .filter_map(|request| request.input_digests.as_ref());
    let real = |path: &str| {
        bases
            .iter()
            .find_map(|base| base.join(path).canonicalize().ok())
    };
    digests
        .flatten()
        .filter_map(|(path, digest)| Some((real(path)?, Digest::parse(digest)?)))
        .collect()
}
