//! Jobs added to a manifest, changed in it and taken out of it, on its tree.

use std::collections::{BTreeMap, BTreeSet};

use super::named;
use crate::json;
use crate::problem::nearest;
use crate::tree::{Node, Value, made, pair};

/// Adds the jobs of `more`, each to the phase of the same name, and phases that are not there; `more` is a manifest, of which only
/// phases and jobs count. Of a phase that is there nothing else changes.
///
/// **Errors**: a job or a phase that cannot be added; then nothing has changed.
pub fn add(root: &mut Node, more: &Node) -> Result<(), String> {
    let known: BTreeMap<String, &str> = lists(root)
        .flat_map(|(_, jobs)| jobs.items())
        .map(|job| (id_of(job).to_lowercase(), id_of(job)))
        .collect();
    let there: Vec<String> = lists(more)
        .flat_map(|(_, jobs)| jobs.items())
        .filter_map(|job| known.get(&id_of(job).to_lowercase()))
        .map(|id| (*id).to_owned())
        .collect();
    if !there.is_empty() {
        return Err(format!("there already: {}", named(&there)));
    }
    let flat = root.get("phases").is_none();
    let phases = more.get("phases").map_or(&[][..], Node::items);
    let own = root.get("phases").map_or(&[][..], Node::items);
    for phase in phases {
        let Some(own) = own.iter().find(|own| name_of(own) == name_of(phase)) else {
            continue;
        };
        let other = phase.entries().iter().find(|(key, value)| {
            key.text != "jobs" && own.get(&key.text).map(json::value) != Some(json::value(value))
        });
        if let Some((key, _)) = other {
            return Err(format!(
                "phase {:?} is there already with another {}; leave {} out, or give the phase another name",
                name_of(phase),
                key.text,
                key.text
            ));
        }
    }
    let mut new = Vec::new();
    for (phase, jobs) in lists(more) {
        let own = lists_mut(root).find(|(name, _)| *name == phase);
        match own.map(|(_, jobs)| &mut jobs.value) {
            Some(Value::List(own)) => own.extend_from_slice(jobs.items()),
            _ => new.push(phase.to_owned()),
        }
    }
    if let (Some(first), true) = (new.first(), flat) {
        return Err(format!(
            "the manifest has no phases, so that there is no place for phase {first:?}"
        ));
    }
    if let Some(Value::List(own)) = value_mut(root, "phases") {
        let fresh = phases
            .iter()
            .filter(|phase| new.iter().any(|name| name == name_of(phase)));
        own.extend(fresh.cloned());
    }
    Ok(())
}

/// Gives each of these jobs the keys of the map `keys`; a null takes the key out.
///
/// **Errors**: a job that is not there, a key that cannot be changed; then nothing has changed.
pub fn edit(root: &mut Node, ids: &[String], keys: &Node) -> Result<(), String> {
    if keys.get("id").is_some() {
        return Err(String::from(
            "the id of a job cannot be changed; add another job and remove this one",
        ));
    }
    all_there(root, ids)?;
    for (_, jobs) in lists_mut(root) {
        let Value::List(jobs) = &mut jobs.value else {
            continue;
        };
        for job in jobs
            .iter_mut()
            .filter(|job| ids.iter().any(|id| id == id_of(job)))
        {
            let Value::Map(entries) = &mut job.value else {
                continue;
            };
            for (key, value) in keys.entries() {
                entries.retain(|(known, _)| known.text != key.text);
                if !value.is_null() {
                    entries.push((key.clone(), value.clone()));
                }
            }
        }
    }
    Ok(())
}

/// Takes these jobs out.
///
/// **Errors**: a job that is not there; then nothing has changed.
pub fn remove(root: &mut Node, ids: &[String]) -> Result<(), String> {
    all_there(root, ids)?;
    let gone: BTreeSet<&str> = ids.iter().map(String::as_str).collect();
    for (_, jobs) in lists_mut(root) {
        if let Value::List(jobs) = &mut jobs.value {
            jobs.retain(|job| !gone.contains(id_of(job)));
        }
    }
    Ok(())
}

/// Gives the manifest itself a key in the place of the one it may have.
pub fn set(root: &mut Node, key: &str, value: Node) {
    if let Value::Map(entries) = &mut root.value {
        entries.retain(|(known, _)| known.text != key);
        entries.push(pair(key, value));
    }
}

/// The ids of all jobs.
pub fn ids(root: &Node) -> Vec<String> {
    let jobs = lists(root).flat_map(|(_, jobs)| jobs.items());
    jobs.map(|job| id_of(job).to_owned()).collect()
}

/// The names of the phases; `main` when the jobs stand at the top.
pub fn phase_names(root: &Node) -> Vec<String> {
    lists(root).map(|(name, _)| name.to_owned()).collect()
}

/// A tree as JSON.
pub fn text(root: &Node) -> String {
    json::value(root)
}

fn all_there(root: &Node, ids: &[String]) -> Result<(), String> {
    let known: BTreeSet<&str> = lists(root)
        .flat_map(|(_, jobs)| jobs.items())
        .map(id_of)
        .collect();
    match ids.iter().find(|id| !known.contains(id.as_str())) {
        None => Ok(()),
        Some(id) => {
            let near = nearest(id, known.iter().copied());
            let near = near.map_or_else(String::new, |near| format!("; did you mean {near:?}?"));
            Err(format!("no job has the id {id:?}{near}"))
        }
    }
}

pub(super) fn id_of(job: &Node) -> &str {
    job.get("id").and_then(Node::text).unwrap_or_default()
}

pub(super) fn name_of(phase: &Node) -> &str {
    phase.get("name").and_then(Node::text).unwrap_or_default()
}

/// The jobs of each phase.
pub(super) fn lists(root: &Node) -> impl Iterator<Item = (&str, &Node)> {
    let phases = root.get("phases").map_or(&[][..], Node::items);
    let flat = root.get("jobs").map(|jobs| ("main", jobs));
    phases
        .iter()
        .filter_map(|phase| Some((name_of(phase), phase.get("jobs")?)))
        .chain(flat)
}

fn lists_mut(root: &mut Node) -> impl Iterator<Item = (String, &mut Node)> {
    let mut found = Vec::new();
    if let Value::Map(entries) = &mut root.value {
        for (key, node) in entries {
            if key.text == "jobs" && matches!(node.value, Value::List(_)) {
                found.push((String::from("main"), node));
                continue;
            }
            let (Value::List(phases), "phases") = (&mut node.value, key.text.as_str()) else {
                continue;
            };
            for phase in phases {
                let name = name_of(phase).to_owned();
                if let Value::Map(entries) = &mut phase.value {
                    let jobs = entries.iter_mut().find(|(key, _)| key.text == "jobs");
                    found.extend(jobs.map(|(_, jobs)| (name, jobs)));
                }
            }
        }
    }
    found.into_iter()
}

fn value_mut<'a>(root: &'a mut Node, key: &str) -> Option<&'a mut Value> {
    let Value::Map(entries) = &mut root.value else {
        return None;
    };
    let found = entries.iter_mut().find(|(known, _)| known.text == key);
    found.map(|(_, node)| &mut node.value)
}

/// A map of these values, as if it had been read.
pub fn map(entries: Vec<(&str, Node)>) -> Node {
    let entries = entries.into_iter().map(|(name, node)| pair(name, node));
    made(&Node::default(), Value::Map(entries.collect()))
}

/// A text in quotes, as if it had been read.
pub fn quoted(text: &str) -> Node {
    crate::tree::quoted(&Node::default(), text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::read;

    #[test]
    fn a_manifest_survives_being_written() {
        let source = "project: p\nmax_parallel: 2\nphases:\n- name: a\n  jobs:\n  - {id: x, cmd: \"a: 'b'\", params: {lr: 1e-4, on: true}}\n  - {id: y, cmd: y}\n- {name: b, depends_on: a, jobs: []}\n";
        let root = read(source).expect("a tree");
        let again = read(&text(&root)).expect("JSON");
        assert_eq!(text(&again), text(&root));
        assert_eq!(crate::manifest::read(&again), crate::manifest::read(&root));
    }
}
