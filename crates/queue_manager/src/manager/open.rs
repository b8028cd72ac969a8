//! Opens a queue for a manager.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::Duration;

use crate::snapshot;
use aris_attempt::cards::lease::{DEFAULT_LEASES, LEASES_VARIABLE};
use aris_attempt::{Runner, Watch};
use aris_cli::Context;
use aris_queue::manifest::Engine;
use aris_queue::schedule::Slots;
use aris_queue::state::Event;

use super::hooks::Hooks;
use super::signals::Signals;
use super::spec::Common;
use super::{Cards, Kept, Manager, Options, machine, renames_into, requests, this_program};
use crate::error::Error;
use crate::load::{self, Current};
use crate::lock;
use crate::place::Owner;
impl<'a> Manager<'a> {
    pub(super) fn open(
        mut current: Current,
        kept: Option<Kept>,
        options: &'a Options,
        context: &'a Context,
    ) -> Result<Self, Error> {
        let place = &options.place;
        let boot = aris_attempt::boot_id();
        let owner = Owner {
            pid: std::process::id(),
            host: aris_attempt::host(),
            boot: boot.clone(),
            since: aris_contract::time::stamp(context.now()),
        };
        let kept = match kept {
            Some(kept) => kept,
            None => Kept {
                signals: Signals::listen()?,
                held: lock::take(place, &owner, options.flags.takeover)?,
                answered: Vec::new(),
                spare: None,
                hooks: Hooks::new(place.queue.join("hooks.log")),
                any_end: false,
            },
        };
        if current.is_outdated(place) {
            // Another process had the queue between reading the manifest and taking the lock.
            let given = options.manifest.as_ref().unwrap_or(&current.path);
            current = load::user(place, Some(given), context)?.on(place, options.flags.engine)?;
        }
        let before = lock::parts(place);
        aris_fs::create_dir(&place.logs)?;
        aris_fs::create_dir(&place.requests())?;
        requests::sweep_answers(place);
        let manifest = current.manifest.clone();
        let common = Common::of(&manifest, context)?;
        let leases = Path::new(context.env(LEASES_VARIABLE).unwrap_or(DEFAULT_LEASES));
        let engine = manifest.engine;
        let local = engine == Engine::Local;
        let cards = Cards::open(&manifest, leases, local && manifest.wants_cards())?;
        let project = manifest.project.clone();
        let loaded = load::open(place, manifest, context.now())?;
        let queue = &loaded.queue;
        let other = |job: &u32| queue.run(*job).last().engine_ref.is_some() == local;
        if let Some(job) = queue.active().find(other) {
            let (id, engine) = (&queue.job(job).id, engine.word());
            return Err(Error::precondition(format!(
                "job {id:?} is under way, and not with engine {engine}: run the queue with the engine it had until it is over, or cancel it there"
            )));
        }
        if options.flags.strict {
            load::unchanged(&loaded, &current.path, &current.parts(place), &before)?;
        }
        let unwatched = Error::system("watch for requests");
        let mut manager = Self {
            context,
            options,
            queue: loaded.queue,
            journal: loaded.journal,
            watch: Watch::new()?,
            runner: runner(context)?,
            spare: kept.spare,
            common,
            cards,
            signals: kept.signals,
            requests: renames_into(&place.requests()).map_err(unwatched)?,
            asked: true,
            answered: kept.answered,
            stuck_requests: BTreeSet::new(),
            machine: machine(),
            slots: Slots::default(),
            boot: boot.clone(),
            owner: owner.clone(),
            notices: BTreeMap::new(),
            kept_back: None,
            not_before: Duration::ZERO,
            dirty: true,
            written: snapshot::meta_of(&place.state),
            last_snapshot: None,
            snapshot_cost: Duration::ZERO,
            last_sweep: Cards::now(),
            next_beat: Duration::ZERO,
            failed_starts: BTreeMap::new(),
            short: BTreeMap::new(),
            hooks: kept.hooks,
            any_end: kept.any_end,
            too_many_failed: false,
            peaks: BTreeMap::new(),
            held: kept.held,
            manifest: current.path.clone(),
            reloads: false,
        };
        for line in &current.differences {
            manager.say(&format!("the manifest has changed: {line}"));
        }
        // Reported once, when the changed manifest is loaded.
        let new = !current.differences.is_empty();
        let changes = loaded.changes.iter().filter(|_| new);
        let notices = current.notices.iter().chain(&loaded.notices);
        for notice in notices.chain(changes) {
            manager.say(notice);
        }
        if manager.queue.began().is_none() {
            manager.happen(Event::Began {
                project,
                manifest: current.path.display().to_string(),
                boot,
                pid: owner.pid,
                host: owner.host,
            })?;
        }
        current.keep(place)?;
        // A queue whose journal cannot be written is not run.
        manager.journal.sync()?;
        for (id, number) in loaded.removed {
            manager.end_removed(id, number)?;
        }
        Ok(manager)
    }
}

/// How to start this program as the runner of an attempt.
fn runner(context: &Context) -> Result<Runner, Error> {
    let (program, mut arguments) = this_program(context)?;
    arguments.push(crate::ATTEMPT.into());
    Ok(Runner { program, arguments })
}
