//! What a page is related to, and what mentions it.

use std::collections::{BTreeMap, BTreeSet};

use crate::site::model::Model;

/// Relations of one kind that a page shows; the graph's data has all.
const SHOWN: usize = 500;

/// Relations with one type and direction, or the pages that mention this one.
pub(super) struct Group {
    pub(super) title: String,
    pub(super) relations: Vec<Related>,
}

pub(super) struct Related {
    pub(super) href: String,
    pub(super) title: String,
    pub(super) why: String,
}

pub(super) fn groups(
    model: &Model,
    number: usize,
    mentions: Option<&BTreeSet<usize>>,
) -> Vec<Group> {
    let mut found: BTreeMap<(bool, &str), Vec<Related>> = BTreeMap::new();
    let node = model.nodes.get(number);
    let relations = node.into_iter().flat_map(|node| &node.relations);
    let mut related = BTreeSet::new();
    for relation in relations.filter_map(|at| model.relations.get(*at)) {
        let arrives = relation.from != number;
        let other = if arrives { relation.from } else { relation.to };
        related.insert(other);
        if let Some(node) = model.nodes.get(other) {
            found
                .entry((arrives, &relation.kind))
                .or_default()
                .push(Related {
                    href: node.href.clone(),
                    title: node.title.clone(),
                    why: relation.evidence.clone(),
                });
        }
    }
    let mut groups: Vec<Group> = found
        .into_iter()
        .map(|((arrives, kind), relations)| {
            let kind = kind.replace('_', " ");
            let title = if arrives {
                format!("← {kind} this")
            } else {
                format!("This {kind} →")
            };
            Group { title, relations }
        })
        .collect();
    let mentions = mentions
        .into_iter()
        .flatten()
        .filter(|other| **other != number && !related.contains(other));
    let mentions: Vec<Related> = mentions
        .filter_map(|other| model.nodes.get(*other))
        .map(|node| Related {
            href: node.href.clone(),
            title: node.title.clone(),
            why: String::new(),
        })
        .collect();
    if !mentions.is_empty() {
        groups.push(Group {
            title: String::from("Mentioned by"),
            relations: mentions,
        });
    }
    for group in &mut groups {
        if group.relations.len() > SHOWN {
            group.title = format!(
                "{} (first {SHOWN} of {})",
                group.title,
                group.relations.len()
            );
            group.relations.truncate(SHOWN);
        }
    }
    groups
}
