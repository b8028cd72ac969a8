//! One phase of a specification: its jobs, listed or in a grid.

use super::Keys;
use super::MOST_JOBS;
use super::cells::{Axis, Cells};
use super::template::{self, Cell, Use};
use crate::json;
use crate::manifest::{Common, JobKeys};
use crate::problem::Problems;
use crate::shell;
use crate::tree::{Node, Value, present};
use crate::typed;

pub(super) struct Phase {
    pub(super) name: String,
    pub(super) line: u32,
    pub(super) column: u32,
    /// The keys of the phase before its jobs.
    pub(super) head: String,
    /// Id and text of each job that is listed.
    pub(super) listed: Vec<(String, String)>,
    pub(super) grid: Option<Grid>,
}

/// A grid and the template of its jobs.
pub(super) struct Grid {
    cells: Cells,
    phase: String,
    template: Node,
    default_cmd: Option<Node>,
}

impl Phase {
    /// Calls `each` with the id of every job, in order, until it fails.
    pub(super) fn ids<E>(&self, mut each: impl FnMut(&str) -> Result<(), E>) -> Result<(), E> {
        self.listed.iter().try_for_each(|(id, _)| each(id))?;
        let Some(grid) = &self.grid else {
            return Ok(());
        };
        // What is wrong was told when the grid was checked.
        let problems = &mut Problems::default();
        grid.cells
            .each(|at| each(&grid.id(grid.cells.cell(at), problems)))
    }

    /// Calls `each` with the text of every job, in order, until it fails.
    pub(super) fn jobs<E>(&self, mut each: impl FnMut(&str) -> Result<(), E>) -> Result<(), E> {
        self.listed.iter().try_for_each(|(_, job)| each(job))?;
        let Some(grid) = &self.grid else {
            return Ok(());
        };
        let problems = &mut Problems::default();
        grid.cells
            .each(|at| each(&grid.job(grid.cells.cell(at), problems)))
    }
}

/// Whether a key belongs to the grid of its level.
pub(super) fn is_grid_key(key: &str) -> bool {
    typed::keys::<Keys>().contains(&key)
}

/// Names what is no text under keys that the expansion reads itself.
pub(super) fn check_texts(node: &Node, keys: &[&str], problems: &mut Problems) {
    for key in keys {
        if let Some(value) = node.get(key)
            && !value.is_null()
            && value.text().is_none()
        {
            let found = value.noun();
            problems.at(value, format!("{key} must be a text, not {found}"), None);
        }
    }
}

pub(super) fn phase(
    node: &Node,
    name: &str,
    flat: bool,
    default_cmd: Option<&Node>,
    problems: &mut Problems,
) -> Phase {
    let default_cmd = present(node, "default_cmd").or(default_cmd);
    let mut keys = vec![("name", json::string(name))];
    if let (false, Value::Map(entries)) = (flat, &node.value) {
        for (key, value) in entries {
            let own = matches!(key.text.as_str(), "name" | "jobs" | "default_cmd")
                || is_grid_key(&key.text);
            if !own {
                let mut text = json::value(value);
                if key.text == "depends_on" && value.text().is_some() {
                    // The reference reads a text letter by letter.
                    text = format!("[{text}]");
                }
                keys.push((&key.text, text));
            }
        }
    }
    let head = format!("{{{}, \"jobs\": [", json::pairs(keys));
    let mut listed = Vec::new();
    if let Some(jobs) = present(node, "jobs") {
        if let Value::List(items) = &jobs.value {
            for item in items {
                listed.push(listed_job(item, default_cmd, problems));
            }
        } else {
            problems.at(
                jobs,
                format!("jobs must be a list, not {}", jobs.noun()),
                None,
            );
        }
    }
    let template = present(node, "template");
    let has_grid = node
        .entries()
        .iter()
        .any(|(key, _)| key.text != "template" && is_grid_key(&key.text));
    let grid = match template {
        Some(template) => {
            let cells = Cells::read(node, problems);
            grid(template, name, cells, default_cmd, problems)
        }
        None if has_grid => {
            problems.at(
                node,
                format!("phase {name:?} has a grid and no template"),
                Some("template: {id: \"s${seed}\", cmd: \"python run.py --seed ${seed}\"}"),
            );
            None
        }
        None => None,
    };
    Phase {
        name: name.to_owned(),
        line: node.line,
        column: node.column,
        head,
        listed,
        grid,
    }
}

/// A job that is written out: its text is kept, its arguments become part of its command.
pub(super) fn listed_job(
    item: &Node,
    default_cmd: Option<&Node>,
    problems: &mut Problems,
) -> (String, String) {
    let Value::Map(entries) = &item.value else {
        problems.at(
            item,
            format!("a job must be a map, not {}", item.noun()),
            None,
        );
        return Default::default();
    };
    let id = item.get("id").and_then(Node::text).unwrap_or_default();
    let known = [typed::keys::<JobKeys>(), typed::keys::<Common>()];
    typed::check_keys(item, &format!("job {id:?}"), &known, problems);
    let mut command = item
        .get("cmd")
        .or(default_cmd)
        .and_then(Node::text)
        .unwrap_or_default()
        .trim_end()
        .to_owned();
    if let Some(args) = present(item, "args") {
        shell::append_arguments(&mut command, args, problems, shell::as_written);
    }
    let mut keys = vec![("id", json::string(id))];
    if !command.is_empty() {
        keys.push(("cmd", json::string(&command)));
    }
    for (key, value) in entries {
        if !matches!(key.text.as_str(), "id" | "cmd" | "args") {
            keys.push((&key.text, json::value(value)));
        }
    }
    (id.to_owned(), json::map(keys))
}

pub(super) fn grid(
    template: &Node,
    phase: &str,
    cells: Cells,
    default_cmd: Option<&Node>,
    problems: &mut Problems,
) -> Option<Grid> {
    if !template.is_map() {
        problems.at(
            template,
            format!("template must be a map, not {}", template.noun()),
            None,
        );
        return None;
    }
    let known = [typed::keys::<JobKeys>(), typed::keys::<Common>()];
    typed::check_keys(template, &"the template", &known, problems);
    if cells
        .product()
        .is_none_or(|product| product > MOST_JOBS * 100)
    {
        problems.at(
            template,
            format!("phase {phase:?} has more cells than anybody can go through"),
            Some("make the grid smaller"),
        );
        return None;
    }
    check_texts(template, &["id"], problems);
    if let Some(params) = present(template, "params")
        && !params.is_map()
    {
        let message = format!("params must be a map, not {}", params.noun());
        problems.at(params, message, None);
    }
    let cmd = present(template, "cmd");
    if cmd.or(default_cmd).is_none() {
        problems.at(
            template,
            "the template has no cmd",
            Some("give it a cmd, or the specification a default_cmd"),
        );
    }
    let grid = Grid {
        cells,
        phase: phase.to_owned(),
        template: template.clone(),
        default_cmd: default_cmd.cloned(),
    };
    grid.check(problems);
    Some(grid)
}

impl Grid {
    /// Puts every value of every axis into its places once: what is wrong with one does not depend on the others.
    fn check(&self, problems: &mut Problems) {
        let axes = &self.cells.axes;
        let mut at = vec![0; axes.len()];
        self.job(self.cells.cell(&at), problems);
        for (axis, Axis { values, .. }) in axes.iter().enumerate() {
            for value in 1..values.len() {
                at[axis] = value;
                self.job(self.cells.cell(&at), problems);
            }
            at[axis] = 0;
        }
    }

    fn id(&self, cell: Cell<'_>, problems: &mut Problems) -> String {
        if let Some(id) = self.template.get("id") {
            return template::text(id, Use::Plain, cell, problems);
        }
        let pairs = cell.axes.iter().zip(cell.values());
        pairs.fold(self.phase.clone(), |id, (axis, value)| {
            id + "_" + &axis.name + &value.text
        })
    }

    /// The text of the job of a cell.
    fn job(&self, cell: Cell<'_>, problems: &mut Problems) -> String {
        let template = &self.template;
        let mut keys = vec![("id", json::string(&self.id(cell, problems)))];
        let cmd = present(template, "cmd");
        if let Some(cmd) = cmd.or(self.default_cmd.as_ref()) {
            let command = template::text(cmd, Use::Shell, cell, problems);
            let mut command = command.trim_end().to_owned();
            if let Some(args) = present(template, "args") {
                shell::append_arguments(&mut command, args, problems, |node, problems| {
                    template::text(node, Use::Plain, cell, problems)
                });
            }
            keys.push(("cmd", json::string(&command)));
        }
        for (key, value) in template.entries() {
            let (name, usage) = match key.text.as_str() {
                "params" | "id" | "cmd" | "args" => continue,
                // The reference's name for the same thing is the one old readers know.
                "expected_output" | "output_check" => ("expected_output", Use::Glob),
                "setup" => ("setup", Use::Shell),
                name => (name, Use::Plain),
            };
            keys.push((name, template::value(value, usage, cell, problems)));
        }
        if !cell.axes.is_empty() {
            let values = cell.axes.iter().zip(cell.values());
            let params = values.map(|(axis, value)| (axis.name.as_str(), value.json.clone()));
            keys.push(("params", json::map(params)));
        }
        json::map(keys)
    }
}
