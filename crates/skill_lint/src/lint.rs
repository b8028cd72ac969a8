//! The run over one tree: skills in parallel, then the rules across skills.

use aris_skills::{Skill, Tree};

use crate::Error;
use crate::config::Config;
use crate::finding::{Finding, Sink, Skipped};
use crate::fingerprint::Fingerprints;
use crate::fix::{self, Seen};
use crate::rules::{self, Facts};
use crate::sandbox::Isolation;
use crate::selection::Selection;
use crate::suppress::{self, Directives};

/// What a run over one tree found, before suppressions.
#[derive(Debug, Default)]
pub struct Found {
    /// Findings, in no particular order.
    pub findings: Vec<Finding>,
    /// What rules could not look at.
    pub skipped: Vec<Skipped>,
    /// The isolation under which programs of the tree ran; `None` when none ran.
    pub sandbox: Option<Isolation>,
    /// Inline suppressions in files of skills.
    pub directives: Directives,
    /// Digests of the files that repairs are to change.
    pub seen: Seen,
}

/// Lints one tree.
///
/// **Errors**: programs should run, and the sandbox cannot be set up.
pub fn tree(tree: &Tree, config: &Config, selection: &Selection) -> Result<Found, Error> {
    let skills: Vec<usize> = (0..tree.skills.len()).collect();
    let results = aris_fs::map_in_parallel(config.threads(), &skills, |at| {
        let skill = tree.load(*at)?;
        let mut sink = Sink::new(selection, Some(&skill));
        let facts = rules::skill(&skill, tree, config, &mut sink);
        Some((facts, of_skill(&skill, sink.into_parts())))
    });
    let mut found = Found::default();
    let mut facts: Vec<Facts> = Vec::with_capacity(results.len());
    for (of_skill, mut of_one) in results.into_iter().flatten() {
        facts.push(of_skill);
        found.findings.append(&mut of_one.findings);
        found.skipped.append(&mut of_one.skipped);
        found.directives.append(&mut of_one.directives);
        found.seen.append(&mut of_one.seen);
    }
    let mut sink = Sink::new(selection, None);
    found.sandbox = rules::tree(tree, &facts, config, &mut sink)?;
    let (findings, skipped) = sink.into_parts();
    for path in edited(&findings) {
        if !found.seen.contains_key(path)
            && let Ok(text) = tree.text(path)
            && text.was_utf8()
        {
            found.seen.insert(path.to_owned(), fix::seen(&text));
        }
    }
    found.findings.extend(findings);
    found.skipped.extend(skipped);
    Ok(found)
}

/// Adds what needs the text of a skill, while it is in memory: fingerprints, suppressions, and the digests for repairs.
fn of_skill(skill: &Skill, parts: (Vec<Finding>, Vec<Skipped>)) -> Found {
    let mut found = Found {
        findings: parts.0,
        skipped: parts.1,
        ..Found::default()
    };
    let by_path = |path: &str| {
        let path = match skill.dir.as_str() {
            "" => path,
            dir => path.strip_prefix(dir)?.strip_prefix('/')?,
        };
        skill.file(path)
    };
    found.findings.sort_by(|a, b| a.path.cmp(&b.path));
    let mut prints = Fingerprints::default();
    for finding in &mut found.findings {
        let Some(file) = by_path(&finding.path) else {
            continue;
        };
        finding.fingerprint = prints.of(finding, file.text.as_ref());
    }
    for file in &skill.files {
        if let Some(text) = &file.text {
            let here = suppress::directives(file.path(), text, file.markdown.as_ref());
            if !here.is_empty() {
                found.directives.insert(file.path().to_owned(), here);
            }
        }
    }
    for path in edited(&found.findings) {
        let text = by_path(path).and_then(|file| file.text.as_ref());
        // The digest of what the rules read; the file on disk may have changed since.
        if let Some(text) = text.filter(|text| text.was_utf8()) {
            found.seen.insert(path.to_owned(), fix::seen(text));
        }
    }
    found
}

/// The files that repairs are to change.
fn edited(findings: &[Finding]) -> impl Iterator<Item = &str> {
    let fixes = findings.iter().filter_map(|finding| finding.fix.as_ref());
    fixes.map(|fix| fix.path.as_str())
}
