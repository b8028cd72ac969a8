//! The relations of a page, and the pages that mention it.

use std::collections::{BTreeMap, BTreeSet};

use crate::site::model::{Model, Node};

/// Most relations of one kind on a page; the graph's data has all of them.
const SHOWN: usize = 500;

/// Relations with the same type and direction, or the pages that mention this one, each with its evidence if any.
pub(super) struct Group<'a> {
    pub(super) title: String,
    pub(super) relations: Vec<(&'a Node, &'a str)>,
}

pub(super) fn groups<'a>(
    model: &'a Model,
    number: usize,
    mentions: Option<&BTreeSet<usize>>,
) -> Vec<Group<'a>> {
    let mut found: BTreeMap<(bool, &str), Vec<(&Node, &str)>> = BTreeMap::new();
    let mut related = BTreeSet::new();
    for relation in model.relations_of(number) {
        let arrives = relation.from != number;
        let other = if arrives { relation.from } else { relation.to };
        related.insert(other);
        if let Some(node) = model.nodes.get(other) {
            let same = found.entry((arrives, &relation.kind)).or_default();
            same.push((node, relation.evidence.as_str()));
        }
    }
    let related_by = |((arrives, kind), relations): ((bool, &str), _)| {
        let kind = kind.replace('_', " ");
        let title = if arrives {
            format!("← {kind} this")
        } else {
            format!("This {kind} →")
        };
        Group { title, relations }
    };
    let mut groups: Vec<Group<'_>> = found.into_iter().map(related_by).collect();
    let others = mentions.into_iter().flatten();
    let others = others.filter(|other| **other != number && !related.contains(other));
    groups.push(Group {
        title: String::from("Mentioned by"),
        relations: others
            .filter_map(|other| Some((model.nodes.get(*other)?, "")))
            .collect(),
    });
    groups.retain(|group| !group.relations.is_empty());
    for group in &mut groups {
        let count = group.relations.len();
        if count > SHOWN {
            group.title = format!("{} (first {SHOWN} of {count})", group.title);
            group.relations.truncate(SHOWN);
        }
    }
    groups
}
