//! Phases and jobs, from the tree of a file.

use std::sync::Arc;

use super::fields::{Fields, Problems, texts};
use super::read::{DEP_FAILURE, JOB_KEYS, Named, PHASE_KEYS, positive};
use super::settings::{self, Settings};
use super::{Job, MAX_ID, OnDepFailure, Phase, graph};
use crate::shell;
use crate::tree::{Node, Value};

/// What a level hands to those below it.
pub(super) struct Shared<'a> {
    pub(super) settings: Arc<Settings>,
    pub(super) command: Option<&'a str>,
}

pub(super) struct Reader<'p> {
    pub(super) phases: Vec<Phase>,
    pub(super) jobs: Vec<Job>,
    pub(super) links: graph::Links,
    pub(super) on_dep_failure: OnDepFailure,
    pub(super) problems: &'p mut Problems,
}

impl Reader<'_> {
    fn index(count: usize) -> u32 {
        u32::try_from(count).unwrap_or(u32::MAX)
    }

    pub(super) fn flat(&mut self, node: &Node, shared: &Shared<'_>) {
        self.links.phases.push(graph::PhaseLinks::at(node));
        let on_dep_failure = self.on_dep_failure;
        self.push_phase(
            String::from("main"),
            on_dep_failure,
            None,
            Some(node),
            shared,
        );
    }

    pub(super) fn phase(&mut self, node: &Node, above: &Shared<'_>) {
        let name = node.get("name").and_then(Node::text).unwrap_or_default();
        let what = Named("phase", name);
        let Some(mut fields) = Fields::of(node, &what, self.problems) else {
            return;
        };
        let name = match fields.text("name", self.problems) {
            Some(name) if !name.is_empty() => name,
            // The reference numbers phases that have no name.
            _ => format!("phase_{}", self.phases.len()),
        };
        let mut links = graph::PhaseLinks::at(node);
        if let Some(depends) = fields.take("depends_on") {
            links.read(depends, self.problems);
        }
        self.links.phases.push(links);
        let on_dep_failure = fields
            .word("on_dep_failure", DEP_FAILURE, self.problems)
            .unwrap_or(self.on_dep_failure);
        let max_parallel = positive(&mut fields, "max_parallel", self.problems);
        let command = fields.text("default_cmd", self.problems);
        let settings = settings::take(
            &mut fields,
            &above.settings,
            "gpus",
            Some("cwd"),
            self.problems,
        )
        .map_or_else(|| above.settings.clone(), Arc::new);
        let jobs = fields.take("jobs");
        fields.finish(&[PHASE_KEYS, settings::KEYS], self.problems);
        let shared = Shared {
            settings,
            command: command.as_deref().or(above.command),
        };
        self.push_phase(name, on_dep_failure, max_parallel, jobs, &shared);
    }

    fn push_phase(
        &mut self,
        name: String,
        on_dep_failure: OnDepFailure,
        max_parallel: Option<u32>,
        jobs: Option<&Node>,
        shared: &Shared<'_>,
    ) {
        let first = Self::index(self.jobs.len());
        match jobs.map(|node| (&node.value, node)) {
            None => {}
            Some((Value::List(items), _)) => {
                self.jobs.reserve(items.len());
                for item in items {
                    if self.problems.full() {
                        break;
                    }
                    self.job(item, shared);
                }
            }
            Some((_, node)) => {
                self.problems.at(
                    node,
                    format!("jobs must be a list, not {}", node.noun()),
                    None,
                );
            }
        }
        self.phases.push(Phase {
            name,
            after: Vec::new(),
            matched: Vec::new(),
            on_dep_failure,
            max_parallel,
            first,
            end: Self::index(self.jobs.len()),
        });
    }

    fn job(&mut self, node: &Node, shared: &Shared<'_>) {
        let id = node.get("id").and_then(Node::text).unwrap_or_default();
        let what = Named("job", id);
        let Some(mut fields) = Fields::of(node, &what, self.problems) else {
            return;
        };
        match fields.take("id").map(|node| (node, node.written())) {
            None => self.problems.at(
                node,
                "a job has no id",
                Some("give every job an id of its own"),
            ),
            Some((node, text)) => {
                if let Err(message) = valid_id(text.unwrap_or_default()) {
                    self.problems.at(node, message, None);
                }
            }
        }
        let own = fields.text("cmd", self.problems);
        let args = fields.take("args");
        let command = own.as_deref().or(shared.command);
        if command.is_none() {
            self.problems.at(
                node,
                format!("{what} has no cmd"),
                Some("give it a cmd, or the manifest a default_cmd"),
            );
        }
        let mut command = command.unwrap_or_default().trim_end().to_owned();
        if command.contains('\0') {
            self.problems
                .at(node, format!("{what}: cmd holds a null character"), None);
        }
        if let Some(args) = args {
            shell::append_arguments(&mut command, args, self.problems);
        }
        let mut outputs = fields
            .texts("expected_output", self.problems)
            .unwrap_or_default();
        outputs.extend(
            fields
                .texts("output_check", self.problems)
                .unwrap_or_default(),
        );
        outputs.retain(|output| !output.is_empty());
        let needs = fields
            .take("needs")
            .map(|needs| (texts(needs, "needs", self.problems), needs));
        let params = fields
            .take("params")
            .map(|params| self.params(params))
            .unwrap_or_default();
        let settings = settings::take(
            &mut fields,
            &shared.settings,
            "gpus",
            Some("cwd"),
            self.problems,
        )
        .map_or_else(|| shared.settings.clone(), Arc::new);
        fields.finish(&[JOB_KEYS, settings::KEYS], self.problems);
        if let Some((names, node)) = needs {
            self.links.needs(self.jobs.len(), names, node);
        }
        self.links.places.push((node.line, node.column));
        self.jobs.push(Job {
            id: id.into(),
            cmd: command.into(),
            outputs: outputs.into_iter().map(Box::from).collect(),
            phase: Self::index(self.phases.len()),
            needs: Vec::new(),
            params,
            settings,
        });
    }

    fn params(&mut self, node: &Node) -> Vec<(Box<str>, Box<str>)> {
        let Value::Map(entries) = &node.value else {
            self.problems.at(
                node,
                format!("params must be a map, not {}", node.noun()),
                None,
            );
            return Vec::new();
        };
        entries
            .iter()
            .filter_map(|(key, value)| Some((key.text.as_str().into(), value.written()?.into())))
            .collect()
    }
}

/// **Source**: queue design §6: any UTF-8 without control characters up to 200 bytes.
pub(crate) fn valid_id(id: &str) -> Result<(), String> {
    if id.is_empty() {
        Err(String::from("a job's id is empty"))
    } else if id.len() > MAX_ID {
        Err(format!("a job's id has more than {MAX_ID} bytes"))
    } else if id.chars().any(char::is_control) {
        Err(format!("the id {id:?} holds a control character"))
    } else {
        Ok(())
    }
}
