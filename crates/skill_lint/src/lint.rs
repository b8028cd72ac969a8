//! The run over one tree: skills in parallel, then the rules across skills.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use aris_skills::Tree;

use crate::config::Config;
use crate::finding::{Finding, Sink, Skipped};
use crate::profile::Selection;
use crate::rules::{self, Facts};
use crate::sandbox::Isolation;

/// What a run over one tree found, before suppressions.
#[derive(Debug, Default)]
pub struct Found {
    /// Findings, in no particular order.
    pub findings: Vec<Finding>,
    /// What rules could not look at.
    pub skipped: Vec<Skipped>,
    /// Under what isolation programs of the tree ran; `None` when none ran.
    pub sandbox: Option<Isolation>,
}

/// Lints one tree.
pub fn tree(tree: &Tree, config: &Config, selection: &Selection) -> Found {
    let (mut results, workers) = (
        Vec::new(),
        config.threads.clamp(1, tree.skills.len().max(1)),
    );
    let next = AtomicUsize::new(0);
    let done = Mutex::new(&mut results);
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(skill) = tree.load(at) else {
                        return;
                    };
                    let mut sink = Sink::new(selection, Some(&skill));
                    let facts = rules::skill(&skill, tree, config, &mut sink);
                    let result = (at, facts, sink.into_parts());
                    // A worker that panicked ends the run through the scope; its poison is no news.
                    let mut done = done
                        .lock()
                        .unwrap_or_else(std::sync::PoisonError::into_inner);
                    done.push(result);
                }
            });
        }
    });
    results.sort_by_key(|(at, ..)| *at);
    let mut found = Found::default();
    let mut facts: Vec<Facts> = Vec::with_capacity(results.len());
    for (_, of_skill, (findings, skipped)) in results {
        facts.push(of_skill);
        found.findings.extend(findings);
        found.skipped.extend(skipped);
    }
    let mut sink = Sink::new(selection, None);
    rules::tree(tree, facts, config, &mut sink);
    found.sandbox = sink.isolation().cloned();
    let (findings, skipped) = sink.into_parts();
    found.findings.extend(findings);
    found.skipped.extend(skipped);
    found
}
