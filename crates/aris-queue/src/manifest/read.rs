//! Reads the tree of a file into a [`Manifest`].

use std::path::Path;
use std::sync::Arc;

use super::file::{self, Common};
use super::settings::Settings;
use super::{Conda, Engine, Job, MAX_ID, Manifest, OnDepFailure, Phase, SCHEMA, TopKeys, graph};
use crate::problem::{Invalid, Problem, Problems};
use crate::shell;
use crate::tree::{self, Node, Value, present};
use aris_yaml::typed::{self, Keys};

/// Reads the manifest in `text`; `path` is its file, for messages. **Errors**: all mistakes that were found.
pub fn parse(path: &Path, text: &str) -> Result<Manifest, Invalid> {
    tree(text)
        .map_err(|problem| vec![problem])
        .and_then(|node| read(&node))
        .map_err(|problems| Invalid::new(path, problems))
}

/// The tree of a manifest or of a specification of grids. **Errors**: as [`tree::read`](crate::tree::read).
pub fn tree(text: &str) -> Result<Node, Problem> {
    Ok(own_anchors(tree::read(text)?, text))
}

/// Marks unknown keys at the top whose value is an anchor with `x_`: they only hold values for other places.
fn own_anchors(mut node: Node, text: &str) -> Node {
    if !text.contains('&') {
        return node;
    }
    let lines: Vec<&str> = text.lines().collect();
    if let Value::Map(entries) = &mut node.value {
        for (key, _) in entries {
            let line = usize::try_from(key.line)
                .ok()
                .and_then(|line| lines.get(line.checked_sub(1)?));
            let value = line.and_then(|line| line.trim_start().strip_prefix(key.text.as_str()));
            let value = value.and_then(|rest| rest.trim_start().strip_prefix(':'));
            if value.is_some_and(|value| value.trim_start().starts_with('&'))
                && !is_top_key(&key.text)
            {
                key.text.insert_str(0, "x_");
            }
        }
    }
    node
}

/// Whether a manifest or a specification of grids may have this key at its top.
fn is_top_key(key: &str) -> bool {
    let known = [
        typed::keys::<TopKeys>(),
        typed::keys::<Common>(),
        typed::keys::<file::grid::Keys>(),
    ];
    known.iter().any(|known| known.contains(&key))
}

/// Whether the file has grids, which [`grid`](crate::grid) must expand first.
pub fn has_grid(root: &Node) -> bool {
    let grids = |node: &Node| {
        let mut keys = ["grid", "template", "zip", "seeds", "include"].iter();
        keys.any(|key| node.get(key).is_some())
    };
    let phases = root.get("phases").map_or(&[][..], Node::items);
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

/// The keys of this level, and the settings that all levels share; `None`, with a problem, if the node is no map.
fn level<'de, T: for<'any> serde::Deserialize<'any> + Default>(
    node: &'de Node,
    what: &str,
    problems: &mut Problems,
) -> Option<(T, Common)> {
    problems.map(node, format_args!("{what} must be a map"), None)?;
    let own = typed::read(node, what, Keys::Known, problems).unwrap_or_default();
    let common: Common = typed::read(node, what, Keys::Known, problems).unwrap_or_default();
    if common.time_limit == Some(file::Seconds(0)) {
        let message = format!("{what}: time_limit: 0 would end each job as it begins");
        let hint = "leave time_limit out for none";
        problems.at(node.get("time_limit").unwrap_or(node), message, Some(hint));
    }
    let known = [typed::keys::<T>(), typed::keys::<Common>()];
    typed::check_keys(node, &what, &known, problems);
    Some((own, common))
}

fn top(root: &Node, problems: &mut Problems) -> Option<Manifest> {
    let (top, common): (file::Top, _) = level(root, "the manifest", problems)?;
    if let Some(schema) = top.schema.as_ref().filter(|schema| *schema != SCHEMA) {
        let place = root.get("schema").unwrap_or(root);
        let hint = format!("this program reads {SCHEMA}, and manifests without schema");
        problems.at(place, format!("schema is {schema:?}"), Some(&hint));
    }
    let cards = top.gpus.map(|cards| cards.0);
    let gpus = top.gpus_per_job;
    let none = cards.as_ref().is_some_and(Vec::is_empty);
    let mut settings = Settings::usual(gpus.unwrap_or(u32::from(!none)));
    settings.apply(common);
    let engine = top.engine.unwrap_or_default();
    let mut reader = Reader {
        phases: Vec::new(),
        jobs: Vec::new(),
        links: graph::Links::default(),
        on_dep_failure: top.on_dep_failure.unwrap_or_default(),
        engine,
        problems,
    };
    let shared = Shared {
        settings: Arc::new(settings),
        cards_given: gpus.is_some(),
        command: top.default_cmd.as_deref(),
    };
    match (present(root, "phases"), present(root, "jobs")) {
        (Some(node), None) => reader.phases(node, &shared),
        // The reference's skill also writes jobs without phases.
        (None, Some(node)) => reader.flat(node, &shared),
        (Some(_), Some(node)) => {
            let hint = "move the jobs into a phase";
            let message = "the manifest has phases and jobs";
            reader.problems.at(node, message, Some(hint));
        }
        (None, None) => {
            let hint = "see the skill experiment-queue for an example";
            let message = "the manifest has neither phases nor jobs";
            reader.problems.at(root, message, Some(hint));
        }
    }
    let (mut phases, mut jobs, links) = (reader.phases, reader.jobs, reader.links);
    graph::link(&links, &mut phases, &mut jobs, problems);
    let (ours, setup) = (top.schema.is_some(), present(root, "setup").is_some());
    Some(Manifest {
        project: top.project.unwrap_or_else(|| String::from("unknown")),
        cwd: top.cwd.unwrap_or_else(|| String::from(".")).into(),
        conda: conda(top.conda, top.conda_hook, ours, setup),
        cards,
        max_parallel: top.max_parallel.map(file::Positive::get),
        max_cpu_jobs: top.max_cpu_jobs.map(file::Positive::get),
        max_failures: top.max_failures.map(file::Positive::get),
        on_failure: top.on_failure,
        on_end: top.on_end,
        provenance: top.provenance.unwrap_or(true),
        gpu_free_threshold_mib: top.gpu_free_threshold_mib.unwrap_or(500),
        exclusive: top.exclusive.unwrap_or(false),
        reserve_after_ms: top.reserve_after.map_or(600_000, |it| it.0),
        engine,
        phases,
        jobs,
    })
}

/// The conda environment. If the manifest says nothing, `base` is activated where conda exists, as in the reference. An explicit `base`
/// means the same in a manifest of the reference, whose `build_manifest` always writes it.
fn conda(given: Option<String>, hook: Option<String>, ours: bool, setup: bool) -> Option<Conda> {
    let unasked = given.is_none();
    let env = given.unwrap_or_else(|| String::from("base"));
    // A manifest with its own `setup` gets no conda unless it asks for it.
    if matches!(env.as_str(), "" | "none" | "false") || (unasked && hook.is_none() && setup) {
        return None;
    }
    Some(Conda {
        if_there: (unasked || (env == "base" && !ours)) && hook.is_none(),
        env,
        hook,
    })
}

/// What a level passes down to those below it.
struct Shared<'a> {
    settings: Arc<Settings>,
    /// Whether the number of cards comes from `gpus` or `gpus_per_job`, with no `gres` set at a lower level.
    cards_given: bool,
    command: Option<&'a str>,
}

struct Reader<'p> {
    phases: Vec<Phase>,
    jobs: Vec<Job>,
    links: graph::Links,
    on_dep_failure: OnDepFailure,
    engine: Engine,
    problems: &'p mut Problems,
}

impl Reader<'_> {
    fn index(count: usize) -> u32 {
        u32::try_from(count).unwrap_or(u32::MAX)
    }

    fn phases(&mut self, node: &Node, shared: &Shared<'_>) {
        let items = self.problems.list(node, "phases must be a list", None);
        if items.is_some_and(<[Node]>::is_empty) {
            self.problems.at(
                node,
                "phases is empty: there is nothing to run",
                Some("phases: [{name: main, jobs: [{id: a, cmd: \"python run.py\"}]}]"),
            );
        }
        for item in items.unwrap_or_default() {
            self.phase(item, shared);
        }
    }

    fn flat(&mut self, node: &Node, shared: &Shared<'_>) {
        self.links.phases.push(graph::PhaseLinks::at(node));
        let on_dep_failure = self.on_dep_failure;
        let name = String::from("main");
        self.push_phase(name, on_dep_failure, None, Some(node), shared);
    }

    /// The settings of a level: those of the level above, replaced by its own.
    fn settings(
        above: &Arc<Settings>,
        gpus: Option<u32>,
        cwd: Option<String>,
        common: Common,
    ) -> Arc<Settings> {
        if gpus.is_none() && cwd.is_none() && common == Common::default() {
            return above.clone();
        }
        let mut settings = Settings::clone(above);
        settings.gpus = gpus.unwrap_or(settings.gpus);
        settings.cwd = cwd.map(Into::into).or(settings.cwd);
        settings.apply(common);
        Arc::new(settings)
    }

    fn phase(&mut self, node: &Node, above: &Shared<'_>) {
        let what = named("phase", node, "name");
        let Some((phase, common)) = level::<file::Phase>(node, &what, self.problems) else {
            return;
        };
        // The reference numbers phases without a name.
        let name = phase.name.filter(|name| !name.is_empty());
        let name = name.unwrap_or_else(|| format!("phase_{}", self.phases.len()));
        let mut links = graph::PhaseLinks::at(node);
        if let Some(node) = present(node, "depends_on") {
            links.add(node, self.problems);
        }
        self.links.phases.push(links);
        let above_counts = above.cards_given && !common.asks_slurm_for_cards();
        let shared = Shared {
            settings: Self::settings(&above.settings, phase.gpus, phase.cwd, common),
            cards_given: above_counts || phase.gpus.is_some(),
            command: phase.default_cmd.as_deref().or(above.command),
        };
        let on_dep_failure = phase.on_dep_failure.unwrap_or(self.on_dep_failure);
        let most = phase.max_parallel.map(file::Positive::get);
        self.push_phase(name, on_dep_failure, most, present(node, "jobs"), &shared);
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
        let problems = &mut *self.problems;
        let jobs = jobs.and_then(|node| problems.list(node, "jobs must be a list", None));
        for item in jobs.unwrap_or_default() {
            if self.problems.full() {
                break;
            }
            self.job(item, shared);
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
        let what = named("job", node, "id");
        let Some((job, common)) = level::<file::Job>(node, &what, self.problems) else {
            return;
        };
        let at = |key| node.get(key).unwrap_or(node);
        match job.id.as_deref().map(valid_id) {
            None => {
                let hint = Some("give every job an id of its own");
                self.problems.at(node, "a job has no id", hint);
            }
            Some(Err(message)) => self.problems.at(at("id"), message, None),
            Some(Ok(())) => {}
        }
        let command = job.cmd.as_deref().or(shared.command);
        if command.is_none_or(|command| command.trim().is_empty()) {
            let hint = "give it a cmd, or the manifest a default_cmd";
            let message = format!("{what} has no cmd");
            self.problems.at(at("cmd"), message, Some(hint));
        }
        let mut command = command.unwrap_or_default().trim_end().to_owned();
        if command.contains('\0') {
            let message = format!("{what}: cmd holds a null character");
            self.problems.at(node, message, None);
        }
        if let Some(args) = present(node, "args") {
            shell::append_arguments(&mut command, args, self.problems, shell::as_written);
        }
        let outputs = [job.expected_output, job.output_check].into_iter();
        let outputs: Vec<String> = outputs.flatten().flat_map(|many| many.0).collect();
        if let Some(output) = outputs.iter().find(|output| shell::is_for_a_shell(output)) {
            let message = format!(
                "{what}: no shell reads expected_output, so that {output:?} would be looked for as it stands"
            );
            let hint = "write the path out, from / or from cwd, or put it into the grid as an axis";
            self.problems.at(at("expected_output"), message, Some(hint));
        }
        if let (Some(names), Some(node)) = (job.needs, node.get("needs")) {
            let needs = (self.jobs.len(), names.0, node.into());
            self.links.needs.push(needs);
        }
        let params = present(node, "params");
        let params = params.and_then(|node| self.problems.map(node, "params must be a map", None));
        let params = params.unwrap_or_default().iter();
        let params =
            params.map(|(name, value)| (name.text.as_str().into(), tree::printed(value).into()));
        let params = params.collect();
        let above_counts = shared.cards_given && !common.asks_slurm_for_cards();
        let cards_given = above_counts || job.gpus.is_some();
        let settings = Self::settings(&shared.settings, job.gpus, job.cwd, common);
        let settings = self.with_slurms_cards(settings, cards_given, node, &what);
        self.links.places.push(node.into());
        let outputs = outputs.into_iter().filter(|output| !output.is_empty());
        self.jobs.push(Job {
            id: job.id.unwrap_or_default().into(),
            cmd: command.into(),
            outputs: outputs.map(Box::from).collect(),
            phase: Self::index(self.phases.len()),
            needs: Vec::new(),
            params,
            settings,
        });
    }

    /// On Slurm, `gres` sets a job's number of cards unless `gpus` does; the runner checks the number before it starts the job.
    fn with_slurms_cards(
        &mut self,
        settings: Arc<Settings>,
        cards_given: bool,
        node: &Node,
        what: &str,
    ) -> Arc<Settings> {
        let gpus = settings.gpus;
        let cards = settings.slurm.gres.as_ref().and_then(super::Gres::cards);
        let differ = |cards: &u32| self.engine == Engine::Slurm && *cards != gpus;
        let Some(cards) = cards.filter(differ) else {
            return settings;
        };
        if cards_given {
            let message = format!("{what} has gpus: {gpus} and slurm.gres with {cards} cards");
            let hint = "give one of the two; gpus: 2 is gres: \"gpu:2\"";
            self.problems.at(node, message, Some(hint));
        }
        Arc::new(Settings {
            gpus: cards,
            ..Settings::clone(&settings)
        })
    }
}

/// The name of a level in messages.
fn named(noun: &str, node: &Node, key: &str) -> String {
    let name = node.get(key).and_then(Node::text).unwrap_or_default();
    format!("{noun} {name:?}")
}

/// Checks an id. **Source**: queue design §6: up to 200 bytes of UTF-8, without control characters.
fn valid_id(id: &str) -> Result<(), String> {
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
