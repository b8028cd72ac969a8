//! `explain`: why a job is in its state.

use std::path::Path;

use crate::explain::{Fact, Surroundings, explain as facts, fact};
use aris_attempt::cards::lease::{DEFAULT_LEASES, LEASES_VARIABLE};
use aris_cli::{Context, Outcome, Shown};
use aris_queue::manifest::Engine;
use aris_queue::schedule;
use aris_queue::state::State;
use schemars::JsonSchema;
use serde::Serialize;

use crate::cli::JobArgs;
use crate::commands::{CommandResult, job, look, status};
use crate::load;
use crate::lock;
use crate::manager::{self, Cards};
use crate::place::Place;
use crate::report;

/// Why a job is in its state.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Explanation {
    /// The job.
    pub(crate) id: String,
    /// Its state.
    pub(crate) state: &'static str,
    /// Why, if the state has a reason.
    pub(crate) reason: Option<&'static str>,
    /// The facts, the decisive one first.
    pub(crate) facts: Vec<Fact>,
    /// Folder of the last attempt with its records; absent: there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) records: Option<String>,
}

/// The explanation from the state file alone, for a queue that has no journal yet.
fn of_file(place: &Place, id: &str) -> Option<Explanation> {
    let snapshot = load::state(place).ok()?;
    let row = snapshot.jobs.iter().find(|row| row.id == id)?;
    let card = row.gpu.map(|card| format!(" on card {card}"));
    let error = row.error.as_ref().map(|error| format!(": {error}"));
    let (card, error) = (card.unwrap_or_default(), error.unwrap_or_default());
    let (status, attempt) = (&row.status, row.attempts);
    let text = format!("the state file has it as {status}, attempt {attempt}{card}{error}");
    Some(Explanation {
        id: id.to_owned(),
        state: status::state_of(row).word(),
        reason: None,
        facts: vec![
            fact(text, place.state.display().to_string()),
            fact(
                "its journal is missing: queue_manager adopt makes one from the state file",
                "no journal",
            ),
        ],
        records: None,
    })
}

pub(crate) fn explain(args: &JobArgs, context: &Context) -> CommandResult {
    let place = super::place(&args.queue, context)?;
    let foreign = !Place::is_queue(&place.queue);
    if let Some(found) = foreign.then(|| of_file(&place, &args.job)).flatten() {
        return Ok(shown(found));
    }
    let look = look(&args.queue, context)?;
    let (queue, at) = (&look.queue, job(&look.queue, &args.job)?);
    let state = queue.state(at);
    let runs = lock::holder(&look.place, context.now()).is_some();
    let local = queue.manifest().engine == Engine::Local;
    let wants = local && queue.job(at).settings.gpus > 0;
    let mut found = if (runs || wants) && matches!(state, State::Ready | State::Backoff) {
        // Queried again, because the manager does not write down what it last saw.
        let leases = context.env(LEASES_VARIABLE).unwrap_or(DEFAULT_LEASES);
        let mut cards = Cards::open(queue.manifest(), Path::new(leases), wants)?;
        let ours = manager::cards_of(queue);
        if wants {
            cards.look_now(&ours);
        }
        let views = cards.views(&ours, Cards::now());
        let problem = cards.problem();
        let around = Surroundings {
            cards: &views,
            problem: problem.as_deref(),
            managed: runs,
            slots: schedule::slots(queue, views.len(), manager::machine()),
            now: manager::now_ms(),
        };
        facts(queue, at, Some(around))
    } else {
        facts(queue, at, None)
    };
    let folder = manager::folder(&look.place, queue, at);
    let there = queue.run(at).attempt() > 0 && folder.is_dir();
    let records = there.then(|| folder.display().to_string());
    if manager::is_orphan(&folder) {
        let text = match lock::moved(&look.place) {
            Some(original) => format!(
                "this folder was moved or copied from {original}: whether its runner lives cannot be told here"
            ),
            None => String::from(
                "its runner is gone and its command runs on: how it ends will not be known",
            ),
        };
        found.push(fact(text, "start.json of the attempt"));
    }
    Ok(shown(Explanation {
        id: args.job.clone(),
        state: state.word(),
        reason: queue.reason(at).map(aris_queue::state::Reason::word),
        facts: found,
        records,
    }))
}

fn shown(found: Explanation) -> Shown {
    Outcome::done(found).shown(report::id::EXPLANATION, report::explanation)
}
