//! A specification, read and checked, ready to be written as a manifest.

use sha2::{Digest as _, Sha256};

use super::cells::{self, Cells};
use super::template::{self, Text, Use};
use super::{MOST_JOBS, json};
use crate::manifest::{
    self, JOB_KEYS, PHASE_KEYS, Problems, SETTINGS_KEYS, TOP_KEYS, nearest, valid_id,
};
use crate::problem::Problem;
use crate::shell;
use crate::tree::{self, Key, Node, Value};

/// Jobs up to which the whole manifest is read again before it is given out; beyond, one job of each phase is.
const READ_AGAIN: u64 = 20_000;

/// A specification whose grids are ready to be expanded.
pub struct Plan {
    /// Everything before the list of phases, ready to be written.
    head: String,
    phases: Vec<Phase>,
    summary: Summary,
}

/// What a plan will write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    /// Project as the manifest names it.
    pub project: String,
    /// Name and number of jobs of each phase, in order.
    pub phases: Vec<(String, u64)>,
    /// Jobs in all.
    pub jobs: u64,
}

struct Phase {
    name: String,
    line: u32,
    /// The keys of the phase before its jobs.
    head: String,
    /// Jobs that are listed one by one.
    listed: Vec<Text>,
    /// The grid and its jobs' id and whole text.
    grid: Option<Grid>,
}

struct Grid {
    cells: Cells,
    id: Text,
    job: Text,
}

impl Plan {
    /// Reads and checks a specification: names, values, placeholders, that ids are unique, and that the manifest it gives is one.
    /// **Errors**: every mistake found.
    pub fn read(root: &Node) -> Result<Self, Vec<Problem>> {
        let mut problems = Problems::default();
        let plan = top(root, &mut problems);
        match plan {
            Some(mut plan) if problems.0.is_empty() => {
                plan.count(root)?;
                plan.check()?;
                Ok(plan)
            }
            _ => Err(problems.0),
        }
    }

    /// What will be written.
    pub fn summary(&self) -> &Summary {
        &self.summary
    }

    /// Writes the manifest in pieces of some 64 KiB. **Errors**: the first one of `sink`.
    pub fn write<E>(&self, mut sink: impl FnMut(&[u8]) -> Result<(), E>) -> Result<(), E> {
        const PIECE: usize = 64 << 10;
        let mut out = String::with_capacity(PIECE + 4096);
        out.push_str(&self.head);
        for (at, phase) in self.phases.iter().enumerate() {
            out.push_str(if at > 0 { ",\n" } else { "\n" });
            out.push_str(&phase.head);
            let mut first = true;
            phase.jobs(|render| {
                out.push_str(if first { "\n" } else { ",\n" });
                first = false;
                render(&mut out);
                if out.len() >= PIECE {
                    sink(out.as_bytes())?;
                    out.clear();
                }
                Ok(())
            })?;
            out.push_str("]}");
        }
        out.push_str("\n]}\n");
        sink(out.as_bytes())
    }

    /// The whole manifest as text.
    pub fn text(&self) -> String {
        let mut text = Vec::new();
        let written: Result<(), std::convert::Infallible> = self.write(|piece| {
            text.extend_from_slice(piece);
            Ok(())
        });
        match written {
            Ok(()) => String::from_utf8(text).unwrap_or_default(),
            Err(never) => match never {},
        }
    }

    /// Counts the jobs and finds ids that are no ids, or that two jobs have.
    fn count(&mut self, root: &Node) -> Result<(), Vec<Problem>> {
        let mut problems = Problems::default();
        let mut seen: Vec<[u8; 16]> = Vec::new();
        let mut id = String::new();
        for phase in &self.phases {
            let before = seen.len();
            let counted: Result<(), Problem> = phase.ids(|text, cell| {
                id.clear();
                text.render(cell, &mut id);
                let wrong = |message: String| Problem {
                    line: phase.line,
                    column: 0,
                    message: format!("phase {:?}: {message}", phase.name),
                    hint: None,
                };
                valid_id(&id).map_err(wrong)?;
                seen.push(digest(&id));
                if seen.len() as u64 > MOST_JOBS {
                    return Err(wrong(format!("more than {MOST_JOBS} jobs")));
                }
                Ok(())
            });
            if let Err(problem) = counted {
                problems.push(problem);
            }
            let jobs = (seen.len() - before) as u64;
            self.summary.phases.push((phase.name.clone(), jobs));
        }
        self.summary.jobs = seen.len() as u64;
        seen.sort_unstable();
        if let Some(pair) = seen.windows(2).find(|pair| pair[0] == pair[1]) {
            self.name_duplicate(pair[0], root, &mut problems);
        }
        if problems.0.is_empty() {
            Ok(())
        } else {
            Err(problems.0)
        }
    }

    fn name_duplicate(&self, twice: [u8; 16], root: &Node, problems: &mut Problems) {
        for phase in &self.phases {
            let mut id = String::new();
            let found: Result<(), ()> = phase.ids(|text, cell| {
                id.clear();
                text.render(cell, &mut id);
                if digest(&id) == twice {
                    Err(())
                } else {
                    Ok(())
                }
            });
            if found.is_err() {
                problems.push(Problem {
                    line: phase.line.max(root.line),
                    column: 0,
                    message: format!("several jobs have the id {id:?}"),
                    hint: Some(String::from(
                        "put every axis of the grid into the id; upper and lower case count as equal",
                    )),
                });
                return;
            }
        }
    }

    /// Whether what would be written is a manifest.
    fn check(&self) -> Result<(), Vec<Problem>> {
        if self.summary.jobs <= READ_AGAIN {
            let node = tree::read(&self.text()).map_err(|problem| vec![problem])?;
            return manifest::read(&node)
                .map(|_| ())
                .map_err(|problems| self.placed(problems));
        }
        // One job of each phase; what jobs say about each other is checked by whoever loads the manifest.
        let mut text = self.head.clone();
        for (at, phase) in self.phases.iter().enumerate() {
            text.push_str(if at > 0 { ",\n" } else { "\n" });
            text.push_str(&phase.head);
            let _stopped: Result<(), ()> = phase.jobs(|render| {
                text.push('\n');
                render(&mut text);
                Err(())
            });
            text.push_str("]}");
        }
        text.push_str("\n]}\n");
        let node = tree::read(&text).map_err(|problem| vec![problem])?;
        match manifest::read(&node) {
            Ok(_) => Ok(()),
            Err(problems) => {
                let problems: Vec<Problem> = problems
                    .into_iter()
                    .filter(|problem| {
                        !problem.message.contains("there is no job")
                            && !problem.message.contains("has no job with the same")
                    })
                    .collect();
                if problems.is_empty() {
                    Ok(())
                } else {
                    Err(self.placed(problems))
                }
            }
        }
    }

    /// Problems of the manifest with the place in the specification: that of the phase the job came from.
    fn placed(&self, problems: Vec<Problem>) -> Vec<Problem> {
        // Lines of the manifest: the head's, then for each phase its own and one for each job.
        let mut next = 1 + u32::try_from(self.head.lines().count()).unwrap_or(0);
        let mut starts = Vec::new();
        for (phase, (_, jobs)) in self.phases.iter().zip(&self.summary.phases) {
            starts.push((next, phase));
            next = next.saturating_add(1 + u32::try_from(*jobs).unwrap_or(u32::MAX));
        }
        problems
            .into_iter()
            .map(|problem| {
                let phase = starts
                    .iter()
                    .rev()
                    .find(|(start, _)| *start <= problem.line);
                match phase {
                    Some((_, phase)) => Problem {
                        line: phase.line,
                        column: 0,
                        message: format!("phase {:?}: {}", phase.name, problem.message),
                        hint: problem.hint,
                    },
                    None => Problem {
                        line: 0,
                        column: 0,
                        ..problem
                    },
                }
            })
            .collect()
    }
}

impl Phase {
    fn ids<E>(&self, mut each: impl FnMut(&Text, &[usize]) -> Result<(), E>) -> Result<(), E> {
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

    fn jobs<E>(
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

fn digest(id: &str) -> [u8; 16] {
    let digest = if id.is_ascii() && !id.bytes().any(|byte| byte.is_ascii_uppercase()) {
        Sha256::digest(id)
    } else {
        Sha256::digest(id.to_lowercase())
    };
    let mut short = [0; 16];
    for (to, from) in short.iter_mut().zip(digest) {
        *to = from;
    }
    short
}

fn top(root: &Node, problems: &mut Problems) -> Option<Plan> {
    let Value::Map(entries) = &root.value else {
        problems.at(
            root,
            format!("the specification must be a map, not {}", root.noun()),
            None,
        );
        return None;
    };
    let flat = ["grid", "template", "jobs", "zip", "seeds"]
        .iter()
        .any(|key| root.get(key).is_some());
    check_keys(
        entries,
        "the specification",
        &[TOP_KEYS, SETTINGS_KEYS, cells::KEYS, &["template"]],
        problems,
    );
    let default_cmd = root.get("default_cmd").filter(|node| !node.is_null());
    let project = root
        .get("project")
        .and_then(Node::text)
        .unwrap_or("unknown");
    let mut head = format!("{{\"schema\": {},\n", json::string(manifest::SCHEMA));
    json::entry(&mut head, "project", &json::string(project), ",\n");
    if root.get("cwd").is_none() {
        head.push_str("\"cwd\": \".\",\n");
    }
    for (key, node) in entries {
        let own = matches!(
            key.text.as_str(),
            "schema" | "project" | "phases" | "jobs" | "template" | "default_cmd"
        ) || cells::KEYS.contains(&key.text.as_str());
        if !own {
            json::entry(&mut head, &key.text, &json::value(node), ",\n");
        }
    }
    head.push_str("\"phases\": [");
    let mut phases = Vec::new();
    match root.get("phases").map(|node| (&node.value, node)) {
        None if flat => phases.push(phase(root, "main", true, default_cmd, problems)),
        None => problems.at(
            root,
            "the specification has no phases, no grid and no jobs",
            Some("see the skill experiment-queue for an example"),
        ),
        Some((_, node)) if flat => problems.at(
            node,
            "phases, and a grid or jobs at the top",
            Some("move the grid into a phase"),
        ),
        Some((Value::List(items), _)) => {
            for (at, item) in items.iter().enumerate() {
                let name = item
                    .get("name")
                    .and_then(Node::text)
                    .map_or_else(|| format!("phase_{at}"), str::to_owned);
                if let Value::Map(entries) = &item.value {
                    let what = format!("phase {name:?}");
                    let known: [&[&str]; 4] =
                        [PHASE_KEYS, SETTINGS_KEYS, cells::KEYS, &["template"]];
                    check_keys(entries, &what, &known, problems);
                    phases.push(phase(item, &name, false, default_cmd, problems));
                } else {
                    problems.at(
                        item,
                        format!("a phase must be a map, not {}", item.noun()),
                        None,
                    );
                }
            }
        }
        Some((_, node)) => problems.at(
            node,
            format!("phases must be a list, not {}", node.noun()),
            None,
        ),
    }
    Some(Plan {
        head,
        phases,
        summary: Summary {
            project: project.to_owned(),
            phases: Vec::new(),
            jobs: 0,
        },
    })
}

fn phase(
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
            let own = matches!(
                key.text.as_str(),
                "name" | "jobs" | "template" | "default_cmd"
            ) || cells::KEYS.contains(&key.text.as_str());
            if !own {
                head.push_str(", ");
                json::entry(&mut head, &key.text, &json::value(value), "");
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
    let has_grid = cells::KEYS.iter().any(|key| node.get(key).is_some());
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
        head,
        listed,
        grid,
    }
}

/// A job that is written out: its text is kept, its arguments become part of its command.
fn listed_job(item: &Node, default_cmd: Option<&Node>, problems: &mut Problems) -> (Text, Text) {
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
        &[JOB_KEYS, SETTINGS_KEYS],
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

fn grid(
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
        &[JOB_KEYS, SETTINGS_KEYS],
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
            "id" | "cmd" | "args" | "params" => continue,
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

fn check_keys(entries: &[(Key, Node)], what: &str, known: &[&[&str]], problems: &mut Problems) {
    for (key, _) in entries {
        let name = key.text.as_str();
        if name.starts_with("x_") || known.iter().any(|keys| keys.contains(&name)) {
            continue;
        }
        let near = nearest(name, known.iter().flat_map(|keys| keys.iter().copied()));
        problems.push(Problem {
            line: key.line,
            column: key.column,
            message: format!("{what} has the unknown key {name:?}"),
            hint: Some(near.map_or_else(
                || String::from("remove it, or begin its name with x_ if it is your own"),
                |near| format!("did you mean {near:?}? keys of your own begin with x_"),
            )),
        });
    }
}
