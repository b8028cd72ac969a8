//! The differences between two manifests, as lines for people.

use std::collections::{BTreeMap, BTreeSet};

use super::edit::{id_of, lists, name_of};
use crate::tree::{Node, present};

/// Most jobs that a line names; the others are counted.
const NAMED: usize = 5;

/// Most characters of a value that are shown.
const SHOWN: usize = 100;

/// By id: the name of the job's phase, and the job.
type Listed<'a> = BTreeMap<&'a str, (&'a str, &'a Node)>;

/// What is new, removed and changed in `new`, compared with `old`. Both are manifests whose grids were expanded.
pub fn differences(old: &Node, new: &Node) -> Vec<String> {
    let mut lines = Vec::new();
    let change = |old: &Node, new: &Node, key: &str| {
        let (was, is) = (shown(old.get(key)), shown(new.get(key)));
        format!(": {was} is now {is}")
    };
    for key in differing(old, new, &["phases", "jobs", "schema"]) {
        lines.push(format!("{key}{}", change(old, new, key)));
    }
    let (was, is) = (phases(old), phases(new));
    for (name, node) in &is {
        let Some(before) = was.get(name) else {
            lines.push(format!("new phase: {name}"));
            continue;
        };
        for key in differing(before, node, &["jobs", "name"]) {
            let change = change(before, node, key);
            lines.push(format!("phase {name}: {key}{change}"));
        }
    }
    let (was, is) = (listed(old), listed(new));
    let absent = |from: &Listed<'_>, all: &Listed<'_>| -> Vec<String> {
        let absent = all.keys().filter(|id| !from.contains_key(*id));
        absent.map(|id| (*id).to_owned()).collect()
    };
    for (what, ids) in [("new", absent(&was, &is)), ("removed", absent(&is, &was))] {
        if !ids.is_empty() {
            lines.push(format!("{what}: {}", named(&ids)));
        }
    }
    // Jobs whose same keys changed share a line, which shows the values if they are the same for all these jobs.
    let mut groups: BTreeMap<String, (Vec<String>, BTreeSet<String>)> = BTreeMap::new();
    for (id, (phase, node)) in &is {
        let Some((before_phase, before)) = was.get(id) else {
            continue;
        };
        let mut keys = differing(before, node, &[]);
        if phase != before_phase {
            keys.push("phase");
        }
        let values = match keys.as_slice() {
            [] => continue,
            [key] if phase == before_phase => change(before, node, key),
            _ => String::new(),
        };
        let (ids, all) = groups.entry(keys.join(", ")).or_default();
        ids.push((*id).to_owned());
        all.insert(values);
    }
    for (keys, (ids, values)) in groups {
        let alike = values.first().filter(|_| values.len() == 1);
        let values = alike.map_or("", String::as_str);
        lines.push(format!("changed {keys} of {}{values}", named(&ids)));
    }
    lines
}

/// The first few ids, and the number of the others.
pub fn named(ids: &[String]) -> String {
    let first: Vec<&str> = ids.iter().take(NAMED).map(String::as_str).collect();
    match ids.len().saturating_sub(NAMED) {
        0 => first.join(", "),
        more => format!("{} and {more} more", first.join(", ")),
    }
}

fn shown(node: Option<&Node>) -> String {
    let text = node.map_or_else(|| String::from("unset"), Node::spaced_json);
    if text.chars().count() <= SHOWN {
        return text;
    }
    let cut: String = text.chars().take(SHOWN).collect();
    format!("{cut}…")
}

/// Keys whose values differ, or that only one of the two has.
fn differing<'a>(one: &'a Node, other: &'a Node, without: &[&str]) -> Vec<&'a str> {
    let value = |node: &Node, key: &str| present(node, key).map(Node::spaced_json);
    let keys = one.entries().iter().chain(other.entries());
    let keys = keys.map(|(key, _)| key.text.as_str());
    let keys = keys.filter(|key| !without.contains(key) && value(one, key) != value(other, key));
    let keys: BTreeSet<&str> = keys.collect();
    keys.into_iter().collect()
}

fn phases(root: &Node) -> BTreeMap<&str, &Node> {
    let phases = root.get("phases").map_or(&[][..], Node::items);
    phases.iter().map(|phase| (name_of(phase), phase)).collect()
}

fn listed(root: &Node) -> Listed<'_> {
    let jobs = lists(root).flat_map(|(phase, jobs)| {
        let jobs = jobs.items().iter();
        jobs.map(move |job| (id_of(job), (phase, job)))
    });
    jobs.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::read;

    #[test]
    fn what_differs_is_named_once() {
        let of = |text: &str| read(text).expect("a tree");
        let old = of(
            "max_parallel: 2\nphases: [{name: p, jobs: [{id: a, cmd: x}, {id: b, cmd: x}, {id: c, cmd: x}]}]",
        );
        let new = of(
            "max_parallel: 4\nphases: [{name: p, depends_on: q, jobs: [{id: a, cmd: y}, {id: b, cmd: y}, {id: d, cmd: x}]}, {name: q, jobs: []}]",
        );
        assert_eq!(
            differences(&old, &new),
            [
                "max_parallel: 2 is now 4",
                "phase p: depends_on: unset is now \"q\"",
                "new phase: q",
                "new: d",
                "removed: c",
                "changed cmd of a, b: \"x\" is now \"y\"",
            ]
        );
        let new = of(
            "max_parallel: 2\nphases: [{name: p, jobs: [{id: a, cmd: y}, {id: b, cmd: z}, {id: c, cmd: x}]}]",
        );
        assert_eq!(differences(&old, &new), ["changed cmd of a, b"]);
        assert!(differences(&old, &old).is_empty());
    }
}
