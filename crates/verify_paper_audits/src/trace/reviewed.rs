//! Checks that the bytes which an artifact hashed are those that the reviewer was given.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use aris_audit::Digest;
use aris_audit::ledger::Ledger;
use aris_audit::trace::TraceRecord;

use super::Check;
use crate::finding::{Finding, FindingId, Severity};
use crate::policy::SourceKind;
use crate::text::short;

/// Most inputs named in one finding.
const LISTED: usize = 5;

impl Check<'_> {
    /// Compares the artifact's digests with those recorded at the thread's calls; the last record counts.
    pub(super) fn reviewed(&self, real: &Path, words: &[&TraceRecord]) -> Vec<Finding> {
        let Some((last, earlier)) = words.split_last() else {
            return Vec::new();
        };
        let bases = self.bases(real);
        let now = held(last, &bases);
        let earlier = earlier.iter().rev().map(|record| held(record, &bases));
        let earlier: Vec<_> = earlier.collect();
        let (mut findings, mut unseen) = (Vec::new(), Vec::new());
        for (input, path) in self.inputs {
            let (Some(digest), Ok(path)) = (input.digest, path) else {
                continue;
            };
            // A follow-up lists only the files that it is about; earlier records list the rest.
            let before = || earlier.iter().find_map(|held| held.get(path));
            match now.get(path) {
                Some(seen) if *seen == digest => {}
                Some(seen) => {
                    let (name, record) = (short(&input.name), short(&last.prefix));
                    let message = format!(
                        "{name} is not what the reviewer was given: it changed between record {record} and the audit"
                    );
                    let id = FindingId::InputChangedAfterReview;
                    let finding = self.input(id, &input.name, message);
                    let finding = finding.evidence("expected", seen.to_string());
                    findings.push(finding.evidence("found", digest.to_string()));
                }
                None if before() == Some(&digest) => {}
                None => unseen.push(input.name.as_str()),
            }
        }
        findings.extend(self.unseen(last, &unseen));
        findings
    }

    /// Text files of the paper that the reviewer was given, that the artifact does not name, and that have changed since: naming
    /// fewer files must not make an outdated review valid. Other files that the reviewer was given may be unrelated to the audit.
    pub(super) fn left_out(
        &self,
        real: &Path,
        words: &[&TraceRecord],
        ledger: &Ledger,
    ) -> Vec<Finding> {
        let bases = self.bases(real);
        // For each file, the last record that lists it counts.
        let given: BTreeMap<PathBuf, Digest> = words
            .iter()
            .flat_map(|record| held(record, &bases))
            .collect();
        let named = self.inputs.iter();
        let named = named.filter(|(input, _)| input.digest.is_some());
        let named: BTreeSet<&PathBuf> = named.filter_map(|(_, path)| path.as_ref().ok()).collect();
        let texts = self.sources.files.iter();
        let texts =
            texts.filter(|file| file.kind == SourceKind::Tex && !named.contains(&file.real));
        let changed = texts.filter(|file| {
            let is_same =
                |then: &Digest| matches!(ledger.digest(&file.real), Some(Ok(now)) if now == then);
            given.get(&file.real).is_some_and(|then| !is_same(then))
        });
        let changed = changed.map(|file| (file.shown.as_str(), "changed"));
        // Files that only earlier records list may have been removed from the paper since.
        let last = words.last().and_then(|record| record.request.as_ref());
        let last = last.and_then(|request| request.input_digests.as_ref());
        let names = last.into_iter().flat_map(BTreeMap::keys);
        let gone = names.filter(|name| is_tex(name) && located(name, &bases).is_none());
        let gone = gone.map(|name| (name.as_str(), "is gone"));
        let found = changed.chain(gone).map(|(name, what)| {
            let message = format!(
                "{} {what} after the reviewer was given it, and the artifact does not name it",
                short(name)
            );
            self.input(FindingId::InputChangedAfterReview, name, message)
        });
        found.collect()
    }

    /// Findings for inputs that the record does not list: they block if the caller declared the files that the reviewer was given.
    fn unseen(&self, last: &TraceRecord, inputs: &[&str]) -> Vec<Finding> {
        let (name, id) = (short(&last.prefix), FindingId::InputNotReviewed);
        let Some(first) = inputs.first() else {
            return Vec::new();
        };
        let request = last.request.as_ref();
        let Some(request) = request.filter(|request| request.input_digests.is_some()) else {
            let message = format!("record {name} does not say which bytes were reviewed");
            return vec![self.input(id, first, message)];
        };
        if !request.files_referenced.is_empty() {
            let given = |input: &&str| {
                let input = short(input);
                format!("{input} is none of the files that the reviewer was given in record {name}")
            };
            let inputs = inputs.iter();
            let each = inputs.map(|input| self.input(id, input, given(input)));
            let each = each.map(|finding| finding.at_least(Severity::Block));
            return each.collect();
        }
        let listed = inputs.iter().take(LISTED).map(|input| short(input));
        let listed: Vec<String> = listed.collect();
        let more = match inputs.len().saturating_sub(LISTED) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let message = format!(
            "the prompt of record {name} does not name {}{more}: nothing shows that the reviewer saw the bytes that the audit hashed",
            listed.join(", ")
        );
        vec![self.input(id, first, message)]
    }

    fn input(&self, id: FindingId, input: &str, message: String) -> Finding {
        let place = self.artifact.places.inner("audited_input_hashes", input);
        let fix =
            "repeat the review on the paper as it is, and give save_trace the files with --files";
        let finding = Finding::new(id, message, fix)
            .evidence("input", short(input))
            .issue(format!("{}:{}", id.word(), short(input)));
        self.artifact.at(finding, place)
    }

    /// Folders to which a record's paths may be relative: the project that contains the trace, this project, the paper.
    fn bases(&self, real: &Path) -> Vec<PathBuf> {
        let bases = [self.keeper(real), &self.paper.project, &self.paper.dir];
        bases.map(Path::to_path_buf).to_vec()
    }
}

fn is_tex(name: &str) -> bool {
    let ending = Path::new(name).extension();
    ending.is_some_and(|ending| ending.eq_ignore_ascii_case("tex"))
}

/// The real path of a file that a record names; `None` if it is gone.
fn located(name: &str, bases: &[PathBuf]) -> Option<PathBuf> {
    let mut bases = bases.iter();
    bases.find_map(|base| base.join(name).canonicalize().ok())
}

/// The digests in a record, by the real paths of those files that still exist.
fn held(record: &TraceRecord, bases: &[PathBuf]) -> BTreeMap<PathBuf, Digest> {
    let digests = record.request.iter();
    let digests = digests.filter_map(|request| request.input_digests.as_ref());
    let digests = digests.flatten();
    let held =
        digests.filter_map(|(path, digest)| Some((located(path, bases)?, Digest::parse(digest)?)));
    held.collect()
}
