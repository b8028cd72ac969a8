//! `preflight`: checks what would prevent a run. Changes nothing.

use std::collections::BTreeSet;
use std::path::Path;

use aris_attempt::cards::{CardId, Memory, Smi};
use aris_cli::{Context, Outcome};
use aris_queue::manifest::{Manifest, named};
use aris_slurm::{BatchSystem, Silent, SubmitError};
use schemars::JsonSchema;
use serde::Serialize;

use crate::cli::RunArgs;
use crate::commands::{CommandResult, run};
use crate::error::Error;
use crate::explain;
use crate::load;
use crate::lock;
use crate::manager;
use crate::manager::cluster;
use crate::manager::spec::{Common, environment};
use crate::place::Place;
use crate::report;

/// MiB that should be free for logs and records. An estimate, without the jobs' own results.
const LEAST_MIB: u64 = 100;

/// The results of all checks.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Preflight {
    /// Project of the manifest.
    pub(crate) project: String,
    /// Jobs in all.
    pub(crate) jobs: usize,
    /// Name and number of jobs of each phase, in order.
    pub(crate) phases: Vec<PlannedPhase>,
    /// One entry for each check.
    pub(crate) checks: Vec<Check>,
}

/// A phase.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct PlannedPhase {
    /// Its name.
    pub(crate) name: String,
    /// Its jobs.
    pub(crate) jobs: u32,
}

/// The result of a check.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Check {
    /// What was checked.
    pub(crate) subject: &'static str,
    /// `ok`, `problem`, or `unknown` if it could not be checked.
    pub(crate) verdict: &'static str,
    /// The facts.
    pub(crate) detail: String,
}

impl Check {
    fn new(subject: &'static str, verdict: &'static str, detail: String) -> Self {
        Self {
            subject,
            verdict,
            detail,
        }
    }
}

pub(crate) fn preflight(args: RunArgs, context: &Context) -> CommandResult {
    let options = run::options(args.manifest, args.rest, context)?;
    let manifest = manager::current(&options, manager::Stage::Looking, context)?.manifest;
    cluster::installed(manifest.engine, context)?;
    let mut checks = Vec::new();
    let mut add = |subject, good: &str, bad: Option<String>| {
        let verdict = if bad.is_none() { "ok" } else { "problem" };
        let detail = bad.unwrap_or_else(|| good.to_owned());
        checks.push(Check::new(subject, verdict, detail));
    };
    let sound = "names, dependencies and settings are sound";
    add("manifest", sound, None);
    for (subject, remark) in load::remarks(&manifest) {
        add(subject, "", Some(remark));
    }
    let owner = lock::holder(&options.place, context.now());
    let owner = owner.map(|owner| format!("the queue is run by {owner}"));
    add("lock", "no manager is running this queue", owner);
    if Place::is_queue(&options.place.queue) {
        let queue = load::look(&options.place, manifest.clone(), context.now())?;
        let good = "neither paused nor kept back by held jobs";
        add("queue", good, explain::kept_back(&queue));
    }
    match Common::of(&manifest, context) {
        Ok(common) => {
            if let Some(said) = environment(&manifest, &common) {
                add("conda", &said, None);
            }
            let lacks = |all: &[String], what| {
                let some = !all.is_empty();
                some.then(|| format!("{} is {what}", named(all)))
            };
            let jobs = || (0..).zip(&manifest.jobs);
            let folders: BTreeSet<_> = jobs().map(|(job, _)| common.cwd(&manifest, job)).collect();
            let absent = folders.iter().filter(|folder| !folder.is_dir());
            let absent: Vec<String> = absent.map(|path| path.display().to_string()).collect();
            let there = format!("{} there", folders.len());
            add("working directories", &there, lacks(&absent, "not there"));
            // Files that later phases need are written by earlier ones.
            let first = jobs().filter(|(_, job)| {
                job.needs.is_empty() && manifest.phases[job.phase as usize].after.is_empty()
            });
            let missing = first.filter_map(|(at, job)| {
                let path = common.missing(&manifest, at)?;
                Some(format!("{path} ({})", job.id))
            });
            let missing: Vec<String> = missing.collect();
            let good = "of all jobs without dependencies";
            add("preconditions", good, lacks(&missing, "missing"));
        }
        Err(error) => add("conda", "", Some(error.to_string())),
    }
    // The folder, or the nearest existing one above it.
    let mut above = options.place.queue.ancestors();
    let folder = above.find(|folder| folder.is_dir());
    let folder = folder.unwrap_or(Path::new("/"));
    let (name, access) = (folder.display(), rustix::fs::Access::WRITE_OK);
    let refused = rustix::fs::access(folder, access).err();
    let refused = refused.map(|error| format!("{name}: {error}"));
    add("state folder", &format!("{name} can be written"), refused);
    match rustix::fs::statvfs(folder) {
        Ok(space) => {
            let free = space.f_bavail.saturating_mul(space.f_frsize) >> 20;
            let few = (free < LEAST_MIB).then(|| format!("{free} MiB"));
            add("free space", &format!("more than {LEAST_MIB} MiB"), few);
        }
        Err(error) => checks.push(Check::new("free space", "unknown", error.to_string())),
    }
    let found = match cluster::engine(manifest.engine, context, &options.place.queue)? {
        Some(system) => batch_system(system, &manifest, &options.place.queue)?,
        None => cards(&manifest),
    };
    checks.extend(found);
    let found = checks.iter().any(|check| check.verdict != "ok");
    let phases = manifest.phases.iter().map(|phase| PlannedPhase {
        name: phase.name.clone(),
        jobs: phase.end - phase.first,
    });
    let preflight = Preflight {
        project: manifest.project.clone(),
        jobs: manifest.jobs.len(),
        phases: phases.collect(),
        checks,
    };
    Ok(Outcome::found(preflight, found).shown(report::id::PREFLIGHT, report::preflight))
}

/// Asks the batch system whether it would accept the jobs, once for each class of equal jobs.
fn batch_system(
    mut system: Box<dyn BatchSystem>,
    manifest: &Manifest,
    queue: &Path,
) -> Result<Vec<Check>, Error> {
    let check = |verdict, detail| Check::new(manifest.engine.word(), verdict, detail);
    match system.config() {
        Ok(config) => cluster::check_config(&config)?,
        Err(Silent(why)) => return Ok(vec![check("unknown", why)]),
    }
    let classes = cluster::classes(manifest, queue);
    let checks = classes.iter().map(|(wave, jobs)| {
        let (verdict, said) = match system.test(wave) {
            Ok(said) => ("ok", said.trim().to_owned()),
            Err(SubmitError::Unavailable(why)) => ("unknown", why),
            Err(error) => ("problem", error.to_string()),
        };
        let detail = format!("{} ({})", named(jobs), system.asks(wave));
        let detail = if said.is_empty() {
            detail
        } else {
            format!("{detail}: {said}")
        };
        check(verdict, detail)
    });
    Ok(checks.collect())
}

/// Checks the cards that jobs may use.
fn cards(manifest: &Manifest) -> Vec<Check> {
    if !manifest.wants_cards() {
        return Vec::new();
    }
    let wanted: BTreeSet<CardId> = manifest.cards.iter().flatten().copied().collect();
    let sample = Smi::default().sample(&wanted, false);
    let problem = sample.problem.into_iter();
    let mut checks: Vec<_> = problem
        .map(|why| Check::new("cards", "problem", why))
        .collect();
    for (index, card) in &sample.cards {
        if !wanted.is_empty() && !wanted.iter().any(|one| one.has(*index)) {
            continue;
        }
        let (verdict, what) = match &card.memory {
            Memory::Known { used, total } => {
                let text = format!("{used} of {total} MiB in use");
                if *used < manifest.gpu_free_threshold_mib {
                    ("ok", text)
                } else {
                    ("problem", text + ", jobs would wait")
                }
            }
            Memory::Unknown(why) => ("unknown", why.clone()),
        };
        checks.push(Check::new("card", verdict, format!("{index}: {what}")));
    }
    checks
}
