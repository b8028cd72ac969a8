//! Adds, changes and removes jobs in the tree of a manifest.

use std::collections::{BTreeMap, BTreeSet};

use super::named;
use crate::problem::nearest;
use crate::tree::{Node, Value, made, one_or_many, pair, present};

/// Adds the jobs of `more` to the phases of the same name, and adds the phases that are missing. `more` is a manifest, of which only the
/// phases and jobs are used. Nothing else in an existing phase changes.
///
/// **Errors**: a job or a phase that cannot be added; then nothing has changed.
pub fn add(root: &mut Node, more: &Node) -> Result<(), String> {
    let known = ids(root).into_iter().map(|id| (id.to_lowercase(), id));
    let known: BTreeMap<String, String> = known.collect();
    let more_ids = ids(more).into_iter().map(|id| id.to_lowercase());
    let there: Vec<String> = more_ids.filter_map(|id| known.get(&id).cloned()).collect();
    if !there.is_empty() {
        return Err(format!("there already: {}", named(&there)));
    }
    let flat = root.get("phases").is_none();
    let phases = more.get("phases").map_or(&[][..], Node::items);
    // Jobs without phases form one phase without settings.
    let main = map(vec![("name", quoted("main"))]);
    let own = root.get("phases");
    let own = own.map_or(std::slice::from_ref(&main), Node::items);
    for phase in phases {
        let Some(own) = own.iter().find(|own| name_of(own) == name_of(phase)) else {
            continue;
        };
        let other = phase.entries().iter().find(|(key, value)| {
            let own = present(own, &key.text).map(Node::spaced_json);
            key.text != "jobs" && !value.is_null() && own != Some(value.spaced_json())
        });
        if let Some((key, _)) = other {
            let (name, key) = (name_of(phase), &key.text);
            return Err(format!(
                "phase {name:?} is there already with another {key}; leave {key} out, or give the phase another name"
            ));
        }
    }
    let mut new = Vec::new();
    for (phase, jobs) in lists(more) {
        let mut own = lists_mut(root).into_iter();
        match own.find(|(name, _)| name == phase) {
            Some((_, own)) => own.extend_from_slice(jobs.items()),
            None => new.push(phase.to_owned()),
        }
    }
    // A manifest with `jobs` at the top is one phase. It becomes `phases` with the phase `main`, so that others can be added.
    if let (false, true, Value::Map(entries)) = (new.is_empty(), flat, &mut root.value) {
        for (key, jobs) in entries.iter_mut().filter(|(key, _)| key.text == "jobs") {
            key.text = String::from("phases");
            let jobs_of = std::mem::take(jobs);
            let main = map(vec![("name", quoted("main")), ("jobs", jobs_of)]);
            *jobs = made(&main, Value::List(vec![main.clone()]));
        }
    }
    if let Some(own) = list_mut(root, "phases") {
        let is_new = |phase: &&Node| new.iter().any(|name| name == name_of(phase));
        own.extend(phases.iter().filter(is_new).cloned());
    }
    Ok(())
}

/// Sets the keys of the map `keys` in each of these jobs; null removes a key.
///
/// **Errors**: a job that does not exist, or the key `id`; then nothing has changed.
pub fn edit(root: &mut Node, ids: &[String], keys: &Node) -> Result<(), String> {
    if keys.get("id").is_some() {
        return Err(String::from(
            "the id of a job cannot be changed; add another job and remove this one",
        ));
    }
    all_there(root, ids)?;
    let jobs = lists_mut(root).into_iter().flat_map(|(_, jobs)| jobs);
    for job in jobs.filter(|job| ids.iter().any(|id| id == id_of(job))) {
        for (key, value) in keys.entries() {
            take_out(job, &key.text);
            if let (Value::Map(entries), false) = (&mut job.value, value.is_null()) {
                entries.push((key.clone(), value.clone()));
            }
        }
    }
    Ok(())
}

/// Removes these jobs.
///
/// **Errors**: a job that does not exist, or that another job needs; then nothing has changed.
pub fn remove(root: &mut Node, ids: &[String]) -> Result<(), String> {
    all_there(root, ids)?;
    let gone: BTreeSet<&str> = ids.iter().map(String::as_str).collect();
    let jobs = lists(root).flat_map(|(_, jobs)| jobs.items());
    for job in jobs.filter(|job| !gone.contains(id_of(job))) {
        let needs = job.get("needs").map_or(&[][..], one_or_many).iter();
        let mut needs = needs.filter_map(Node::text);
        if let Some(needed) = needs.find(|needed| gone.contains(needed)) {
            return Err(format!(
                "{needed:?} is needed by {:?}: remove that, too, or edit its needs first",
                id_of(job)
            ));
        }
    }
    take(root, |id| gone.contains(id));
    Ok(())
}

/// Removes the jobs with these ids, also those that others need.
pub fn take(root: &mut Node, gone: impl Fn(&str) -> bool) {
    for (_, jobs) in lists_mut(root) {
        jobs.retain(|job| !gone(id_of(job)));
    }
}

/// Sets a key at the top of the manifest.
pub fn set(root: &mut Node, key: &str, value: Node) {
    take_out(root, key);
    if let Value::Map(entries) = &mut root.value {
        entries.push(pair(key, value));
    }
}

pub(super) fn take_out(map: &mut Node, key: &str) {
    if let Value::Map(entries) = &mut map.value {
        entries.retain(|(known, _)| known.text != key);
    }
}

/// The ids of all jobs.
pub fn ids(root: &Node) -> Vec<String> {
    let jobs = lists(root).flat_map(|(_, jobs)| jobs.items());
    jobs.map(|job| id_of(job).to_owned()).collect()
}

/// The names of the phases; `main` for jobs at the top.
pub fn phase_names(root: &Node) -> Vec<String> {
    lists(root).map(|(name, _)| name.to_owned()).collect()
}

/// A tree as JSON.
pub fn text(root: &Node) -> String {
    root.spaced_json()
}

fn all_there(root: &Node, ids: &[String]) -> Result<(), String> {
    let known: BTreeSet<String> = self::ids(root).into_iter().collect();
    match ids.iter().find(|id| !known.contains(*id)) {
        None => Ok(()),
        Some(id) => {
            let near = nearest(id, known.iter().map(String::as_str));
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

/// The name and the list of jobs of each phase.
pub(super) fn lists(root: &Node) -> impl Iterator<Item = (&str, &Node)> {
    let phases = root.get("phases").map_or(&[][..], Node::items);
    let flat = root.get("jobs").map(|jobs| ("main", jobs));
    let phases = phases.iter();
    let phases = phases.filter_map(|phase| Some((name_of(phase), phase.get("jobs")?)));
    phases.chain(flat)
}

fn lists_mut(root: &mut Node) -> Vec<(String, &mut Vec<Node>)> {
    let mut found = Vec::new();
    let Value::Map(entries) = &mut root.value else {
        return found;
    };
    for (key, node) in entries {
        match (key.text.as_str(), &mut node.value) {
            ("jobs", Value::List(jobs)) => found.push((String::from("main"), jobs)),
            ("phases", Value::List(phases)) => {
                let lists = phases.iter_mut().filter_map(|phase| {
                    let name = name_of(phase).to_owned();
                    Some((name, list_mut(phase, "jobs")?))
                });
                found.extend(lists);
            }
            _ => {}
        }
    }
    found
}

pub(super) fn list_mut<'a>(map: &'a mut Node, key: &str) -> Option<&'a mut Vec<Node>> {
    let Value::Map(entries) = &mut map.value else {
        return None;
    };
    let (_, node) = entries.iter_mut().find(|(known, _)| known.text == key)?;
    match &mut node.value {
        Value::List(items) => Some(items),
        _ => None,
    }
}

/// A map of these values, without places in a file.
pub fn map(entries: Vec<(&str, Node)>) -> Node {
    let entries = entries.into_iter().map(|(name, node)| pair(name, node));
    made(&Node::default(), Value::Map(entries.collect()))
}

/// A text in quotes, without a place in a file.
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
