//! Stored contract cards and diagrams against the recipe as it is.

use super::super::blocks::{self, sha256};
use super::super::data::{BlockFingerprint, Card};
use super::super::findings::Findings;
use super::super::scope::Scope;
use crate::rules::Id;

/// Format of diagrams. **Source**: the reference, at version 0.9.0.
const DIAGRAM_FORMAT: &str = "v7";
const DIAGRAM_HASH_MARK: &str = "autoskillit-recipe-hash:";
const DIAGRAM_FORMAT_MARK: &str = "autoskillit-diagram-format:";

pub(super) fn check(scope: &Scope<'_>, out: &mut Findings) {
    let Some(stored) = &scope.data.contracts else {
        return;
    };
    if let Some(card) = &stored.card {
        requirements(scope, card, out);
        stale(scope, card, out);
    }
    if let Some(diagram) = &stored.diagram {
        let fault = match diagram {
            None => Some("there is none"),
            Some(text)
                if mark(text, DIAGRAM_HASH_MARK)
                    != Some(format!("sha256:{}", stored.recipe_sha256).as_str()) =>
            {
                Some("it was drawn from another version of the recipe")
            }
            Some(text) if mark(text, DIAGRAM_FORMAT_MARK) != Some(DIAGRAM_FORMAT) => {
                Some("it has another format")
            }
            Some(_) => None,
        };
        if let Some(fault) = fault {
            out.file(
                Id::StaleDiagram,
                0,
                format!("the diagram of the recipe is stale: {fault}"),
            );
        }
    }
}

/// The word behind a mark in a comment of HTML.
fn mark<'a>(text: &'a str, mark: &str) -> Option<&'a str> {
    text.lines()
        .filter_map(|line| {
            line.trim()
                .strip_prefix("<!--")?
                .strip_suffix("-->")?
                .trim()
                .strip_prefix(mark)
        })
        .map(str::trim)
        .next()
}

fn requirements(scope: &Scope<'_>, card: &Card, out: &mut Findings) {
    for entry in &card.dataflow {
        for name in &entry.required {
            let (rule, message) = if entry.available.contains(name) {
                let message = format!(
                    "the contract card says that the step requires `{name}`, which is there, and does not refer to it"
                );
                (Id::ContractUnreferencedRequired, message)
            } else {
                let message = format!(
                    "the contract card says that the step requires `{name}`, which is not there yet"
                );
                (Id::ContractUnsatisfiedInput, message)
            };
            match scope.recipe.step(&entry.step) {
                Some(step) => out.step(rule, step, message),
                None => out.file(
                    rule,
                    0,
                    format!("{message} (step `{}`, which is gone)", entry.step),
                ),
            };
        }
    }
}

fn stale(scope: &Scope<'_>, card: &Card, out: &mut Findings) {
    let mut stale = |what: String| {
        out.file(
            Id::StaleContract,
            0,
            format!("the contract card is stale: {what}"),
        );
    };
    if let Some(manifest) = &scope.data.manifest
        && manifest.version != card.manifest_version
    {
        stale(format!(
            "it was made from version `{}` of the manifest, which is `{}` now",
            card.manifest_version, manifest.version
        ));
    }
    if let Some(skills) = &scope.data.skills {
        for (skill, stored) in &card.skill_hashes {
            let changed = skills
                .texts
                .get(skill)
                .is_some_and(|text| sha256(text.as_bytes()) != *stored);
            if changed {
                stale(format!("the text of skill `{skill}` has changed"));
            }
        }
    }
    if card.blocks.is_empty() {
        return;
    }
    let current: Vec<BlockFingerprint> = blocks::all(scope)
        .iter()
        .map(|block| block.fingerprint(scope))
        .collect();
    for stored in &card.blocks {
        match current.iter().find(|block| block.name == stored.name) {
            None => stale(format!("block `{}` is gone", stored.name)),
            Some(block) if block != stored => {
                stale(format!("block `{}` has other steps", stored.name));
            }
            Some(_) => {}
        }
    }
}
