//! A specification with its grids expanded: a manifest in which each part keeps its place in the specification.

use std::collections::BTreeSet;

use super::Keys;
use super::phase::{check_texts, is_grid_key, phase};
use crate::manifest::{self, Common, Manifest, PhaseKeys, TopKeys};
use crate::problem::{Problem, Problems, problem};
use crate::tree::{Node, Value, made, pair, present, quoted};
use aris_yaml::typed::{check_keys, keys};

/// A specification that was read, checked and expanded.
pub struct Plan {
    root: Node,
    warnings: Vec<Problem>,
    /// `None`: it was not checked.
    manifest: Option<Manifest>,
}

impl Plan {
    /// Reads, checks and expands a specification: names, values, placeholders, unique ids, and whether the result is a valid manifest.
    /// **Errors**: all mistakes that were found.
    pub fn read(root: &Node) -> Result<Self, Vec<Problem>> {
        let mut plan = Self::expand(root)?;
        let manifest = manifest::read(&plan.root)?;
        let shared = manifest.shared_output();
        let shared = shared.map(|what| problem(root, what, None));
        plan.warnings.extend(shared);
        plan.manifest = Some(manifest);
        Ok(plan)
    }

    /// Like [`Plan::read`], without checking the resulting manifest: for phases to be added to a manifest, which may depend on phases
    /// there.
    pub fn expand(root: &Node) -> Result<Self, Vec<Problem>> {
        let mut problems = Problems::default();
        let expanded = top(root, &mut problems);
        match expanded {
            Some(root) if problems.0.is_empty() => Ok(Self {
                root,
                warnings: problems.take_warnings(),
                manifest: None,
            }),
            _ => Err(problems.0),
        }
    }

    /// The resulting manifest, if it was checked.
    pub fn manifest(&self) -> Option<&Manifest> {
        self.manifest.as_ref()
    }

    /// Probable mistakes, each with its place in the specification.
    pub fn warnings(&self) -> &[Problem] {
        &self.warnings
    }

    /// Project as the manifest names it.
    pub fn project(&self) -> &str {
        let project = self.root.get("project").and_then(Node::text);
        project.unwrap_or_default()
    }

    /// Name and number of jobs of each phase, in order.
    pub fn phases(&self) -> impl Iterator<Item = (&str, usize)> {
        phases(&self.root).iter().map(|phase| {
            let name = phase.get("name").and_then(Node::text);
            let jobs = phase.get("jobs").map_or(0, |jobs| jobs.items().len());
            (name.unwrap_or_default(), jobs)
        })
    }

    /// The manifest as a tree.
    pub fn into_root(self) -> Node {
        self.root
    }

    /// The manifest as JSON, one job per line.
    pub fn text(&self) -> String {
        let keys = |map: &Node, without: &str, between: &str| {
            let entries = map.entries().iter();
            let pairs = entries.filter(|(key, _)| key.text != without);
            let pairs = pairs.map(|(key, node)| {
                let key = serde_json::Value::from(key.text.as_str());
                format!("{key}: {}{between}", node.spaced_json())
            });
            pairs.collect::<String>()
        };
        let phases = phases(&self.root).iter().map(|phase| {
            let jobs = phase.get("jobs").map_or(&[][..], Node::items).iter();
            let jobs: Vec<String> = jobs.map(|job| format!("\n{}", job.spaced_json())).collect();
            let keys = keys(phase, "jobs", ", ");
            format!("\n{{{keys}\"jobs\": [{}]}}", jobs.join(","))
        });
        let phases: Vec<String> = phases.collect();
        let keys = keys(&self.root, "phases", ",\n");
        format!("{{{keys}\"phases\": [{}\n]}}\n", phases.join(","))
    }
}

fn phases(root: &Node) -> &[Node] {
    root.get("phases").map_or(&[], Node::items)
}

fn top(root: &Node, problems: &mut Problems) -> Option<Node> {
    let entries = problems.map(root, "the specification must be a map", None)?;
    let flat = entries
        .iter()
        .any(|(key, _)| key.text == "jobs" || is_grid_key(&key.text));
    let known = [keys::<TopKeys>(), keys::<Common>(), keys::<Keys>()];
    check_keys(root, &"the specification", &known, problems);
    check_texts(root, &["schema", "project", "default_cmd"], problems);
    let default_cmd = present(root, "default_cmd");
    let project = root.get("project").and_then(Node::text);
    let project = quoted(root, project.unwrap_or("unknown"));
    let schema = quoted(root, manifest::SCHEMA);
    let mut top = vec![pair("schema", schema), pair("project", project)];
    if root.get("cwd").is_none() {
        top.push(pair("cwd", quoted(root, ".")));
    }
    let own = ["schema", "project", "phases", "jobs", "default_cmd"];
    let is_own = |key: &str| own.contains(&key) || is_grid_key(key);
    let others = entries.iter().filter(|(key, _)| !is_own(&key.text));
    top.extend(others.cloned());
    let ids = &mut BTreeSet::new();
    let mut phases = Vec::new();
    match root.get("phases") {
        None if flat => phases.push(phase(root, "main", true, default_cmd, ids, problems)),
        None => {
            let message = "the specification has no phases, no grid and no jobs";
            let hint = "see the skill experiment-queue for an example";
            problems.at(root, message, Some(hint));
        }
        Some(node) if flat => {
            let message = "phases, and a grid or jobs at the top";
            problems.at(node, message, Some("move the grid into a phase"));
        }
        Some(node) => {
            let items = problems.list(node, "phases must be a list", None);
            for (at, item) in items.unwrap_or_default().iter().enumerate() {
                let name = item.get("name").and_then(Node::text);
                let name = name.map_or_else(|| format!("phase_{at}"), str::to_owned);
                if problems.map(item, "a phase must be a map", None).is_some() {
                    let what = format!("phase {name:?}");
                    let known = [keys::<PhaseKeys>(), keys::<Common>(), keys::<Keys>()];
                    check_keys(item, &what, &known, problems);
                    check_texts(item, &["name", "default_cmd"], problems);
                    phases.push(phase(item, &name, false, default_cmd, ids, problems));
                }
            }
        }
    }
    let place = root.get("phases").unwrap_or(root);
    top.push(pair("phases", made(place, Value::List(phases))));
    Some(made(root, Value::Map(top)))
}
