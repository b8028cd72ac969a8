//! From the tree of a file to a [`Manifest`].

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use std::sync::Arc;

use super::fields::{Fields, Problems};
use super::jobs::{Reader, Shared};
use super::settings::{self, Settings};
use super::{Conda, Engine, Manifest, OnDepFailure, Release, SCHEMA, Slurm, graph};
use crate::problem::{Invalid, Problem};
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
    "max_failures",
    "on_failure",
    "on_end",
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
pub(super) const DEP_FAILURE: &[(&str, OnDepFailure)] =
    &[("block", OnDepFailure::Block), ("run", OnDepFailure::Run)];

/// What a map is called in messages.
pub(super) struct Named<'a>(pub(super) &'a str, pub(super) &'a str);

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
    let setup = root.get("setup").is_some_and(|node| !node.is_null());
    let conda = conda(&mut fields, schema.is_some(), setup, problems);
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
    let max_failures = positive(&mut fields, "max_failures", problems);
    let on_failure = fields.text("on_failure", problems);
    let on_end = fields.text("on_end", problems);
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
        max_failures,
        on_failure,
        on_end,
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

pub(super) fn positive(fields: &mut Fields<'_>, key: &str, problems: &mut Problems) -> Option<u32> {
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

/// Without any word about conda `base` is activated where there is one, as the reference does. `base` means that, too, in a manifest of
/// the reference, whose `build_manifest` writes it everywhere.
fn conda(
    fields: &mut Fields<'_>,
    ours: bool,
    setup: bool,
    problems: &mut Problems,
) -> Option<Conda> {
    let hook = fields.text("conda_hook", problems);
    let given = fields.text("conda", problems);
    let unasked = given.is_none();
    let env = given.unwrap_or_else(|| String::from("base"));
    // An own setup stands in the place of conda.
    if matches!(env.as_str(), "" | "none" | "false") || (unasked && hook.is_none() && setup) {
        return None;
    }
    Some(Conda {
        if_there: (unasked || (env == "base" && !ours)) && hook.is_none(),
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
