//! One phase of a specification: its jobs, listed or in a grid.

use super::Keys;
use super::MOST_JOBS;
use super::cells::Cells;
use super::template::{self, Text, Use};
use crate::json;
use crate::manifest::{Common, JobKeys};
use crate::problem::{Problems, unknown_key};
use crate::shell;
use crate::tree::{Key, Node, Value};
use crate::typed;

pub(super) struct Phase {
    pub(super) name: String,
    pub(super) line: u32,
    pub(super) column: u32,
    /// The keys of the phase before its jobs.
    pub(super) head: String,
    /// Jobs that are listed one by one.
    pub(super) listed: Vec<Text>,
    /// The grid and its jobs' id and whole text.
    pub(super) grid: Option<Grid>,
}

pub(super) struct Grid {
    pub(super) cells: Cells,
    pub(super) id: Text,
    pub(super) job: Text,
}

impl Phase {
    pub(super) fn ids<E>(
        &self,
        mut each: impl FnMut(&Text, &[usize]) -> Result<(), E>,
    ) -> Result<(), E> {
        // The ids of listed jobs stand in their text; they were pushed beside it.
        for pair in self.listed.chunks(2) {
            if let Some(id) = pair.first() {
                each(id, &[])?;
            }
        }
        match &self.grid {
            None => Ok(()),
            Some(grid) => grid.cells.each(|cell| each(&grid.id, cell)),
        }
    }

    pub(super) fn jobs<E>(
        &self,
        mut each: impl FnMut(&mut dyn FnMut(&mut String)) -> Result<(), E>,
    ) -> Result<(), E> {
        for pair in self.listed.chunks(2) {
            if let Some(job) = pair.get(1) {
                each(&mut |out| job.render(&[], out))?;
            }
        }
        match &self.grid {
            None => Ok(()),
            Some(grid) => grid
                .cells
                .each(|cell| each(&mut |out| grid.job.render(cell, out))),
        }
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
    let default_cmd = node
        .get("default_cmd")
        .filter(|node| !node.is_null())
        .or(default_cmd);
    let mut head = format!("{{\"name\": {}", json::string(name));
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
                head.push_str(", ");
                json::entry(&mut head, &key.text, &text, "");
            }
        }
    }
    head.push_str(", \"jobs\": [");
    let empty = Cells::read(
        &Node {
            value: Value::Map(Vec::new()),
            ..*node
        },
        problems,
    );
    let mut listed = Vec::new();
    if let Some(jobs) = node.get("jobs").filter(|jobs| !jobs.is_null()) {
        if let Value::List(items) = &jobs.value {
            for item in items {
                let (id, job) = listed_job(item, default_cmd, problems);
                listed.push(id);
                listed.push(job);
            }
        } else {
            problems.at(
                jobs,
                format!("jobs must be a list, not {}", jobs.noun()),
                None,
            );
        }
    }
    let template = node.get("template").filter(|node| !node.is_null());
    let has_grid = node
        .entries()
        .iter()
        .any(|(key, _)| key.text != "template" && is_grid_key(&key.text));
    let grid = match template {
        Some(template) => {
            let cells = if has_grid {
                Cells::read(node, problems)
            } else {
                empty
            };
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
) -> (Text, Text) {
    let (mut id, mut job) = (Text::default(), Text::default());
    let Value::Map(entries) = &item.value else {
        problems.at(
            item,
            format!("a job must be a map, not {}", item.noun()),
            None,
        );
        return (id, job);
    };
    let name = item.get("id").and_then(Node::text).unwrap_or_default();
    check_keys(
        entries,
        &format!("job {name:?}"),
        &[typed::keys::<JobKeys>(), typed::keys::<Common>()],
        problems,
    );
    id.push_literal(name);
    let mut command = item
        .get("cmd")
        .or(default_cmd)
        .and_then(Node::text)
        .unwrap_or_default()
        .trim_end()
        .to_owned();
    if let Some(args) = item.get("args").filter(|args| !args.is_null()) {
        shell::append_arguments(&mut command, args, problems);
    }
    job.push_literal(&format!("{{\"id\": {}", json::string(name)));
    if !command.is_empty() {
        job.push_literal(&format!(", \"cmd\": {}", json::string(&command)));
    }
    for (key, value) in entries {
        if !matches!(key.text.as_str(), "id" | "cmd" | "args") {
            job.push_literal(&format!(
                ", {}: {}",
                json::string(&key.text),
                json::value(value)
            ));
        }
    }
    job.push_literal("}");
    (id, job)
}

pub(super) fn grid(
    template: &Node,
    phase: &str,
    cells: Cells,
    default_cmd: Option<&Node>,
    problems: &mut Problems,
) -> Option<Grid> {
    let Value::Map(entries) = &template.value else {
        problems.at(
            template,
            format!("template must be a map, not {}", template.noun()),
            None,
        );
        return None;
    };
    check_keys(
        entries,
        "the template",
        &[typed::keys::<JobKeys>(), typed::keys::<Common>()],
        problems,
    );
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
    let id_text = |problems: &mut Problems| {
        if let Some(id) = template.get("id") {
            return template::text(id, Use::Plain, &cells, problems);
        }
        let axes = cells.axes.iter().fold(String::new(), |axes, axis| {
            axes + "_" + &axis.name + "${" + &axis.name + "}"
        });
        let made = Node {
            value: Value::Scalar {
                text: phase.to_owned() + &axes,
                plain: false,
            },
            ..*template
        };
        template::text(&made, Use::Plain, &cells, problems)
    };
    let id = id_text(problems);
    let mut job = Text::default();
    job.push_literal("{\"id\": ");
    job.append(id_text(&mut Problems::default()).json_string());
    if let Some(cmd) = template
        .get("cmd")
        .filter(|cmd| !cmd.is_null())
        .or(default_cmd)
    {
        let mut command = template::text(cmd, Use::Shell, &cells, problems);
        command.trim_end();
        if let Some(args) = template.get("args").filter(|args| !args.is_null()) {
            command.append(template::arguments(args, &cells, problems));
        }
        job.push_literal(", \"cmd\": ");
        job.append(command.json_string());
    } else {
        problems.at(
            template,
            "the template has no cmd",
            Some("give it a cmd, or the specification a default_cmd"),
        );
    }
    for (key, value) in entries {
        let usage = match key.text.as_str() {
            "params" => {
                if !matches!(value.value, Value::Map(_)) && !value.is_null() {
                    let found = value.noun();
                    problems.at(value, format!("params must be a map, not {found}"), None);
                }
                continue;
            }
            "id" | "cmd" | "args" => continue,
            "expected_output" | "output_check" => Use::Glob,
            "setup" => Use::Shell,
            _ => Use::Plain,
        };
        // The reference's name for the same thing is the one old readers know.
        let name = match key.text.as_str() {
            "output_check" => "expected_output",
            name => name,
        };
        job.push_literal(&format!(", {}: ", json::string(name)));
        job.append(template::value(value, usage, &cells, problems));
    }
    if !cells.axes.is_empty() {
        job.push_literal(", \"params\": {");
        for (at, axis) in cells.axes.iter().enumerate() {
            if at > 0 {
                job.push_literal(", ");
            }
            job.push_literal(&format!("{}: ", json::string(&axis.name)));
            job.append(template::of_axis(at, axis));
        }
        job.push_literal("}");
    }
    job.push_literal("}");
    Some(Grid { cells, id, job })
}

pub(super) fn check_keys(
    entries: &[(Key, Node)],
    what: &str,
    known: &[&[&str]],
    problems: &mut Problems,
) {
    for (key, _) in entries {
        let name = key.text.as_str();
        if name.starts_with("x_") || known.iter().any(|keys| keys.contains(&name)) {
            continue;
        }
        problems.push(unknown_key(&what, key, known));
    }
}
