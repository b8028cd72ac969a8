//! From the tree of a file to a [`Manifest`].

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use std::sync::Arc;

use super::fields::{Fields, Problems, texts};
use super::settings::{self, Settings};
use super::{
    Conda, Engine, Job, MAX_ID, Manifest, OnDepFailure, Phase, Release, SCHEMA, Slurm, graph,
};
use crate::problem::{Invalid, Problem};
use crate::shell;
use crate::tree::{self, Kind, Node, Value};

pub(crate) const TOP_KEYS: &[&str] = &[
    "schema",
    "project",
    "cwd",
    "conda",
    "conda_hook",
    "gpus",
    "max_parallel",
    "gpu_free_threshold_mib",
    "phases",
    "jobs",
    "default_cmd",
    "engine",
    "gpus_per_job",
    "exclusive",
    "max_cpu_jobs",
    "reserve_after",
    "on_dep_failure",
    "release",
    "slurm",
    "ssh",
    "analyze_on_complete",
    "poll",
];
pub(crate) const PHASE_KEYS: &[&str] = &[
    "name",
    "depends_on",
    "jobs",
    "default_cmd",
    "on_dep_failure",
    "max_parallel",
    "gpus",
    "cwd",
];
pub(crate) const JOB_KEYS: &[&str] = &[
    "id",
    "cmd",
    "args",
    "expected_output",
    "output_check",
    "needs",
    "params",
    "gpus",
    "cwd",
];
const DEP_FAILURE: &[(&str, OnDepFailure)] =
    &[("block", OnDepFailure::Block), ("run", OnDepFailure::Run)];

/// What a map is called in messages.
struct Named<'a>(&'a str, &'a str);

impl fmt::Display for Named<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} {:?}", self.0, self.1)
    }
}

/// Reads the manifest in `text`, which came from the file `path`.
/// **Errors**: every mistake found, up to [`MOST_PROBLEMS`](crate::problem::MOST_PROBLEMS).
pub fn parse(path: &Path, text: &str) -> Result<Manifest, Invalid> {
    tree::read(text)
        .map_err(|problem| vec![problem])
        .and_then(|node| read(&node))
        .map_err(|problems| Invalid::new(path, problems))
}

/// Whether the file lists grids that must be expanded first, [`grid`](crate::grid).
pub fn has_grid(root: &Node) -> bool {
    let grids = |node: &Node| {
        ["grid", "template", "zip", "seeds", "include"]
            .iter()
            .any(|key| node.get(key).is_some())
    };
    let phases = match root.get("phases").map(|node| &node.value) {
        Some(Value::List(phases)) => phases.as_slice(),
        _ => &[],
    };
    grids(root) || phases.iter().any(grids)
}

/// Reads a manifest from its tree.
pub fn read(root: &Node) -> Result<Manifest, Vec<Problem>> {
    let mut problems = Problems::default();
    let manifest = top(root, &mut problems);
    match manifest {
        Some(manifest) if problems.0.is_empty() => Ok(manifest),
        _ => Err(problems.0),
    }
}

fn top(root: &Node, problems: &mut Problems) -> Option<Manifest> {
    let mut fields = Fields::of(root, &"the manifest", problems)?;
    let schema = fields.text("schema", problems);
    if let Some(schema) = &schema
        && schema != SCHEMA
    {
        problems.at(
            root,
            format!("schema is {schema:?}"),
            Some("this program reads aris.queue_manifest/v1, and manifests without schema"),
        );
    }
    let project = fields.text("project", problems);
    let cwd = fields.text("cwd", problems);
    let conda = conda(&mut fields, schema.is_some(), problems);
    let cards = cards(&mut fields, problems);
    let max_parallel = positive(&mut fields, "max_parallel", problems);
    let gpu_free_threshold_mib = fields.whole("gpu_free_threshold_mib", problems);
    let engine = fields.word(
        "engine",
        &[("local", Engine::Local), ("slurm", Engine::Slurm)],
        problems,
    );
    let exclusive = fields.flag("exclusive", problems);
    let max_cpu_jobs = positive(&mut fields, "max_cpu_jobs", problems);
    let reserve_after_ms = fields.duration_ms("reserve_after", problems);
    let on_dep_failure = fields.word("on_dep_failure", DEP_FAILURE, problems);
    let release = fields.word(
        "release",
        &[("manager", Release::Manager), ("engine", Release::Engine)],
        problems,
    );
    let slurm = fields
        .take("slurm")
        .map_or_else(Slurm::default, |node| slurm(node, problems));
    // For other programs and other machines; nothing here depends on them.
    for key in ["ssh", "analyze_on_complete", "poll"] {
        fields.take(key);
    }
    let default_cmd = fields.text("default_cmd", problems);
    let mut base = Settings::default();
    if cards.as_ref().is_some_and(Vec::is_empty) {
        base.gpus = 0;
    }
    let base = settings::take(&mut fields, &base, "gpus_per_job", None, problems).unwrap_or(base);
    let phases = fields.take("phases");
    let jobs = fields.take("jobs");
    let mut reader = Reader {
        phases: Vec::new(),
        jobs: Vec::new(),
        links: graph::Links::default(),
        on_dep_failure: on_dep_failure.unwrap_or_default(),
        problems,
    };
    let shared = Shared {
        settings: Arc::new(base),
        command: default_cmd.as_deref(),
    };
    match (phases, jobs) {
        (Some(node), None) => match &node.value {
            Value::List(items) => {
                for item in items {
                    reader.phase(item, &shared);
                }
            }
            _ => reader.problems.at(
                node,
                format!("phases must be a list, not {}", node.noun()),
                None,
            ),
        },
        // The flat form of the reference's skill: one phase.
        (None, Some(node)) => reader.flat(node, &shared),
        (Some(_), Some(node)) => reader.problems.at(
            node,
            "the manifest has phases and jobs",
            Some("move the jobs into a phase"),
        ),
        (None, None) => reader.problems.at(
            root,
            "the manifest has neither phases nor jobs",
            Some("see the skill experiment-queue for an example"),
        ),
    }
    let (mut phases, mut jobs, links) = (reader.phases, reader.jobs, reader.links);
    fields.finish(&[TOP_KEYS, settings::KEYS], problems);
    graph::link(&links, &mut phases, &mut jobs, problems);
    Some(Manifest {
        project: project.unwrap_or_else(|| String::from("unknown")),
        cwd: cwd.unwrap_or_else(|| String::from(".")).into(),
        conda,
        cards,
        max_parallel,
        max_cpu_jobs,
        gpu_free_threshold_mib: gpu_free_threshold_mib.unwrap_or(500),
        exclusive: exclusive.unwrap_or(false),
        reserve_after_ms: reserve_after_ms.unwrap_or(600_000),
        engine: engine.unwrap_or_default(),
        slurm,
        release: release.unwrap_or_default(),
        phases,
        jobs,
    })
}

fn positive(fields: &mut Fields<'_>, key: &str, problems: &mut Problems) -> Option<u32> {
    let node = fields.take(key)?;
    if let Some(Kind::Integer(number @ 1..=1_000_000)) = node.kind() {
        return u32::try_from(number).ok();
    }
    problems.at(
        node,
        format!("{key} must be a whole number from 1 on"),
        None,
    );
    None
}

/// `base` means "if there is a conda" when nobody named it: the reference's `build_manifest` writes it into every manifest.
fn conda(fields: &mut Fields<'_>, ours: bool, problems: &mut Problems) -> Option<Conda> {
    let hook = fields.text("conda_hook", problems);
    let env = fields.text("conda", problems)?;
    Some(Conda {
        if_there: env == "base" && !ours && hook.is_none(),
        env,
        hook,
    })
}

fn cards(fields: &mut Fields<'_>, problems: &mut Problems) -> Option<Vec<u32>> {
    let node = fields.take("gpus")?;
    let Value::List(items) = &node.value else {
        problems.at(
            node,
            format!("gpus must be a list of card numbers, not {}", node.noun()),
            Some("gpus: [0, 1]; the number of cards of each job is gpus_per_job"),
        );
        return None;
    };
    let mut cards = Vec::new();
    for item in items {
        match item.kind() {
            Some(Kind::Integer(card @ 0..=1023)) => cards.extend(u32::try_from(card)),
            _ => problems.at(item, "a card is a number as nvidia-smi shows it", None),
        }
    }
    cards.sort_unstable();
    cards.dedup();
    Some(cards)
}

fn slurm(node: &Node, problems: &mut Problems) -> Slurm {
    const OPTIONS: &[&str] = &[
        "partition",
        "account",
        "qos",
        "time",
        "cpus",
        "mem",
        "constraint",
    ];
    let Some(mut fields) = Fields::of(node, &"slurm", problems) else {
        return Slurm::default();
    };
    let mut options = BTreeMap::new();
    for key in OPTIONS {
        if let Some(text) = fields.text(key, problems) {
            options.insert((*key).to_owned(), text);
        }
    }
    let extra = fields.texts("extra", problems).unwrap_or_default();
    fields.finish(&[OPTIONS, &["extra"]], problems);
    Slurm { options, extra }
}

/// What a level hands to those below it.
struct Shared<'a> {
    settings: Arc<Settings>,
    command: Option<&'a str>,
}

struct Reader<'p> {
    phases: Vec<Phase>,
    jobs: Vec<Job>,
    links: graph::Links,
    on_dep_failure: OnDepFailure,
    problems: &'p mut Problems,
}

impl Reader<'_> {
    fn index(count: usize) -> u32 {
        u32::try_from(count).unwrap_or(u32::MAX)
    }

    fn flat(&mut self, node: &Node, shared: &Shared<'_>) {
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

    fn phase(&mut self, node: &Node, above: &Shared<'_>) {
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
                        return;
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
        match fields.take("id").map(|node| (node, node.text())) {
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
            .filter_map(|(key, value)| Some((key.text.as_str().into(), value.text()?.into())))
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
