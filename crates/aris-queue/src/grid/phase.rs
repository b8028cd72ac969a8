//! One phase of a specification: its jobs, listed or made from a grid.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use super::cells::Cells;
use super::template::{self, Cell, Use};
use super::{Keys, MOST_JOBS};
use crate::manifest::{Common, JobKeys};
use crate::problem::Problems;
use crate::shell;
use crate::tree::{Node, Value, made, pair, present, quoted};
use aris_yaml::typed;

/// Whether a key belongs to the grid of a phase.
pub(super) fn is_grid_key(key: &str) -> bool {
    typed::keys::<Keys>().contains(&key)
}

/// Reports values that are no text, for keys that the expansion reads itself.
pub(super) fn check_texts(node: &Node, keys: &[&str], problems: &mut Problems) {
    for key in keys {
        if let Some(value) = present(node, key).filter(|value| value.text().is_none()) {
            let found = value.noun();
            problems.at(value, format!("{key} must be a text, not {found}"), None);
        }
    }
}

/// The phase with its grid expanded. `ids` holds the ids that grids have made so far, in lower case.
pub(super) fn phase(
    node: &Node,
    name: &str,
    flat: bool,
    default_cmd: Option<&Node>,
    ids: &mut BTreeSet<String>,
    problems: &mut Problems,
) -> Node {
    let default_cmd = present(node, "default_cmd").or(default_cmd);
    let mut keys = vec![pair("name", quoted(node, name))];
    if let (false, Value::Map(entries)) = (flat, &node.value) {
        for (key, value) in entries {
            let own = matches!(key.text.as_str(), "name" | "jobs" | "default_cmd")
                || is_grid_key(&key.text);
            if own {
                continue;
            }
            let mut value = value.clone();
            if key.text == "depends_on" && value.text().is_some() {
                // The reference iterates over a text letter by letter, so a single name is written as a list.
                value = made(&value, Value::List(vec![value.clone()]));
            }
            keys.push((key.clone(), value));
        }
    }
    let mut jobs = Vec::new();
    if let Some(listed) = present(node, "jobs") {
        let listed = problems.list(listed, "jobs must be a list", None);
        let listed = listed.unwrap_or_default().iter();
        jobs.extend(listed.map(|item| listed_job(item, default_cmd, problems)));
    }
    let mut entries = node.entries().iter();
    let has_grid = entries.any(|(key, _)| key.text != "template" && is_grid_key(&key.text));
    match present(node, "template") {
        Some(template) => {
            let grid = Grid {
                phase: name,
                template,
                cmd: present(template, "cmd").or(default_cmd),
            };
            let before = jobs.len();
            grid.expand(&Cells::read(node, problems), ids, &mut jobs, problems);
            if jobs.len() == before && problems.0.is_empty() {
                let why = "when and exclude leave no cell";
                let message = format!("phase {name:?} gets no job from its grid: {why}");
                let hint = "change the conditions, or remove the grid";
                problems.at(node, message, Some(hint));
            }
        }
        None if has_grid => {
            let message = format!("phase {name:?} has a grid and no template");
            let hint = "template: {id: \"s${seed}\", cmd: \"python run.py --seed ${seed}\"}";
            problems.at(node, message, Some(hint));
        }
        None => {}
    }
    keys.push(pair("jobs", made(node, Value::List(jobs))));
    made(node, Value::Map(keys))
}

/// A digest of what a job does when it runs: all keys by which the jobs of a template can differ for their program.
fn what_runs(job: &Node) -> u64 {
    let mut hasher = DefaultHasher::new();
    for key in ["cmd", "cwd", "env", "setup"] {
        job.get(key).map(Node::spaced_json).hash(&mut hasher);
    }
    hasher.finish()
}

/// A listed job: its keys are kept as written, and its arguments are appended to its command.
fn listed_job(item: &Node, default_cmd: Option<&Node>, problems: &mut Problems) -> Node {
    let Some(entries) = problems.map(item, "a job must be a map", None) else {
        return item.clone();
    };
    let id = item.get("id").and_then(Node::text).unwrap_or_default();
    let known = [typed::keys::<JobKeys>(), typed::keys::<Common>()];
    typed::check_keys(item, &format!("job {id:?}"), &known, problems);
    let cmd = item.get("cmd").or(default_cmd);
    check_command(&format!("job {id:?}"), item, cmd, problems);
    let command = cmd.and_then(Node::text).unwrap_or_default();
    let mut command = command.trim_end().to_owned();
    if let Some(args) = present(item, "args") {
        shell::append_arguments(&mut command, args, problems, shell::as_written);
    }
    let mut keys = vec![pair("id", quoted(item.get("id").unwrap_or(item), id))];
    if !command.is_empty() {
        keys.push(pair("cmd", quoted(cmd.unwrap_or(item), &command)));
    }
    let rest = entries
        .iter()
        .filter(|(key, _)| !matches!(key.text.as_str(), "id" | "cmd" | "args"));
    keys.extend(rest.cloned());
    made(item, Value::Map(keys))
}

/// Reports a command that is no text, and arguments without a command, which would become the command.
fn check_command(what: &str, node: &Node, cmd: Option<&Node>, problems: &mut Problems) {
    let hint = Some("cmd: \"python run.py\"");
    if let Some(cmd) = cmd.filter(|cmd| cmd.written().is_none()) {
        let message = format!("{what}: cmd must be a text, not {}", cmd.noun());
        problems.at(cmd, message, hint);
        return;
    }
    let empty = cmd
        .and_then(Node::text)
        .is_none_or(|it| it.trim().is_empty());
    if let Some(args) = present(node, "args").filter(|_| empty) {
        problems.at(args, format!("{what} has args and no cmd"), hint);
    }
}

/// A grid's template, and the command that its jobs have.
struct Grid<'a> {
    phase: &'a str,
    template: &'a Node,
    cmd: Option<&'a Node>,
}

impl Grid<'_> {
    /// Adds one job for each cell.
    fn expand(
        &self,
        cells: &Cells,
        ids: &mut BTreeSet<String>,
        jobs: &mut Vec<Node>,
        problems: &mut Problems,
    ) {
        let (phase, template) = (self.phase, self.template);
        let entries = problems.map(template, "template must be a map", None);
        if entries.is_none() {
            return;
        }
        let known = [typed::keys::<JobKeys>(), typed::keys::<Common>()];
        typed::check_keys(template, &"the template", &known, problems);
        check_command("the template", template, self.cmd, problems);
        let product = cells.product();
        if product.is_none_or(|product| product > MOST_JOBS * 100) {
            let message = format!("phase {phase:?} has more cells than anybody can go through");
            problems.at(template, message, Some("make the grid smaller"));
            return;
        }
        check_texts(template, &["id"], problems);
        if let Some(params) = present(template, "params") {
            problems.map(params, "params must be a map", None);
        }
        if self.cmd.is_none() {
            let hint = "give it a cmd, or the specification a default_cmd";
            problems.at(template, "the template has no cmd", Some(hint));
        }
        let place = present(template, "id").unwrap_or(template);
        let mut done_before = BTreeMap::new();
        let mut equal = None;
        let done = cells.each(|at| {
            let cell = cells.cell(at);
            let id = self.id(cell, problems);
            let new = ids.insert(id.to_lowercase());
            if !new {
                let message = format!("phase {phase:?}: several jobs have the id {id:?}");
                let hint =
                    "put every axis of the grid into the id, with values that print differently: true and \"True\" do not, and upper and lower case count as equal";
                problems.at(place, message, Some(hint));
            }
            let job = self.job(&id, cell, problems);
            if equal.is_none() {
                let first = done_before
                    .entry(what_runs(&job))
                    .or_insert_with(|| (id.clone(), at.to_vec()));
                if first.1 != at {
                    equal = Some((first.clone(), (id.clone(), at.to_vec())));
                }
            }
            jobs.push(job);
            let more = new && !problems.full() && ids.len() as u64 <= MOST_JOBS;
            more.then_some(()).ok_or(())
        });
        if let Some(((one, at), (other, and))) = equal {
            let axes = cells.axes.iter().zip(at.iter().zip(&and));
            let axes = axes.filter(|(_, (one, other))| one != other);
            let axes: Vec<String> = axes
                .map(|(axis, _)| format!("${{{}}}", axis.name))
                .collect();
            let axes = axes.join(" and ");
            problems.warn(
                self.cmd.unwrap_or(template),
                format!("jobs {one:?} and {other:?} run the same command in the same folder and environment: {axes} is not in it; write it where the program is to get its value"),
            );
        }
        if done.is_err() && problems.0.is_empty() {
            let message = format!("phase {phase:?}: more than {MOST_JOBS} jobs");
            problems.at(template, message, Some("make the grid smaller"));
        }
    }

    fn id(&self, cell: Cell<'_>, problems: &mut Problems) -> String {
        if let Some(id) = self.template.get("id") {
            return template::text(id, Use::Plain, cell, problems);
        }
        let pairs = cell.axes.iter().zip(cell.values());
        pairs.fold(self.phase.to_owned(), |id, (axis, value)| {
            id + "_" + &axis.name + &value.text
        })
    }

    /// The job of a cell.
    fn job(&self, id: &str, cell: Cell<'_>, problems: &mut Problems) -> Node {
        let template = self.template;
        let place = present(template, "id").unwrap_or(template);
        let mut keys = vec![pair("id", quoted(place, id))];
        if let Some(cmd) = self.cmd {
            let command = template::text(cmd, Use::Shell, cell, problems);
            let mut command = command.trim_end().to_owned();
            if let Some(args) = present(template, "args") {
                shell::append_arguments(&mut command, args, problems, |node, problems| {
                    template::text(node, Use::Plain, cell, problems)
                });
            }
            keys.push(pair("cmd", quoted(cmd, &command)));
        }
        for (key, value) in template.entries() {
            let (name, usage) = match key.text.as_str() {
                "params" | "id" | "cmd" | "args" => continue,
                // Written under one name: the reference's programs read only `expected_output`.
                "expected_output" | "output_check" => ("expected_output", Use::Glob),
                "setup" => ("setup", Use::Shell),
                "preconditions" => ("preconditions", Use::Braces),
                name => (name, Use::Plain),
            };
            keys.push(pair(name, template::value(value, usage, cell, problems)));
        }
        if !cell.axes.is_empty() {
            let values = cell.axes.iter().zip(cell.values());
            let params = values.map(|(axis, value)| pair(&axis.name, value.node.clone()));
            keys.push(pair("params", made(template, Value::Map(params.collect()))));
        }
        made(template, Value::Map(keys))
    }
}
