//! A specification, read and checked, ready to be written as a manifest.

use sha2::{Digest as _, Sha256};

use super::phase::{Phase, check_texts, is_grid_key, phase};
use super::{Keys, MOST_JOBS};
use crate::json;
use crate::manifest::{self, Common, PhaseKeys, TopKeys, valid_id};
use crate::problem::{Problem, Problems};
use crate::tree::{self, Node, Value, present};
use crate::typed::{check_keys, keys};

/// Jobs up to which the whole manifest is read again before it is given out; beyond, one job of each phase is.
const READ_AGAIN: u64 = 20_000;

/// A specification whose grids are ready to be expanded.
pub struct Plan {
    /// Everything before the list of phases, ready to be written.
    head: String,
    phases: Vec<Phase>,
    summary: Summary,
    warnings: Vec<Problem>,
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

impl Plan {
    /// Reads and checks a specification: names, values, placeholders, that ids are unique, and that the manifest it gives is one.
    /// **Errors**: every mistake found.
    pub fn read(root: &Node) -> Result<Self, Vec<Problem>> {
        let mut problems = Problems::default();
        let plan = top(root, &mut problems);
        match plan {
            Some(mut plan) if problems.0.is_empty() => {
                plan.warnings = problems.take_warnings();
                plan.count(root)?;
                plan.check()?;
                Ok(plan)
            }
            _ => Err(problems.0),
        }
    }

    /// What is often a slip: each with its place in the specification.
    pub fn warnings(&self) -> &[Problem] {
        &self.warnings
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
            phase.jobs(|job| {
                out.push_str(if first { "\n" } else { ",\n" });
                first = false;
                out.push_str(job);
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
        for phase in &self.phases {
            let before = seen.len();
            let counted: Result<(), Problem> = phase.ids(|id| {
                let wrong = |message: String| Problem {
                    line: phase.line,
                    column: phase.column,
                    message: format!("phase {:?}: {message}", phase.name),
                    hint: None,
                };
                valid_id(id).map_err(wrong)?;
                seen.push(digest(id));
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
            let found = phase.ids(|id| {
                let again = digest(id) == twice;
                again.then(|| id.to_owned()).map_or(Ok(()), Err)
            });
            if let Err(id) = found {
                problems.push(Problem {
                    line: phase.line.max(root.line),
                    column: phase.column.max(root.column),
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
            let _stopped: Result<(), ()> = phase.jobs(|job| {
                text.push('\n');
                text.push_str(job);
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
                        column: phase.column,
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
    let flat = entries
        .iter()
        .any(|(key, _)| key.text == "jobs" || is_grid_key(&key.text));
    let known = [keys::<TopKeys>(), keys::<Common>(), keys::<Keys>()];
    check_keys(root, &"the specification", &known, problems);
    check_texts(root, &["schema", "project", "default_cmd"], problems);
    let default_cmd = present(root, "default_cmd");
    let project = root
        .get("project")
        .and_then(Node::text)
        .unwrap_or("unknown");
    let mut head = vec![
        ("schema", json::string(manifest::SCHEMA)),
        ("project", json::string(project)),
    ];
    if root.get("cwd").is_none() {
        head.push(("cwd", json::string(".")));
    }
    for (key, node) in entries {
        let own = matches!(
            key.text.as_str(),
            "schema" | "project" | "phases" | "jobs" | "default_cmd"
        ) || is_grid_key(&key.text);
        if !own {
            head.push((&key.text, json::value(node)));
        }
    }
    let lines = head
        .iter()
        .map(|(key, value)| format!("{}: {value},\n", json::string(key)));
    let head = format!("{{{}\"phases\": [", lines.collect::<String>());
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
                if item.is_map() {
                    let what = format!("phase {name:?}");
                    let known = [keys::<PhaseKeys>(), keys::<Common>(), keys::<Keys>()];
                    check_keys(item, &what, &known, problems);
                    check_texts(item, &["name", "default_cmd"], problems);
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
        warnings: Vec::new(),
    })
}
