//! `cancel`, `retry`, `hold`, `release`, `pause`, `resume`, `set`, `adopt`: requests of people to a queue.
//!
//! A request is a file that the manager reads. If no manager runs the queue, this process takes the queue's lock, carries the request out
//! without starting jobs, and exits.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::thread::park_timeout;
use std::time::Duration;

use aris_cli::{Context, Outcome, Shown};
use aris_contract::text::{counted, shell_line};
use aris_queue::state::{Queue, Reason, State};
use schemars::JsonSchema;
use serde::Serialize;

use crate::cli::{QueueArgs, RetryArgs, RunFlags, SelectArgs};
use crate::commands::{CommandResult, look, start, used_by};
use crate::error::Error;
use crate::load;
use crate::lock;
use crate::manager::{self, Options, Request, Verb, is_repeat, repeat};
use crate::place::Place;
use crate::report;
use crate::results::words::tallied;

/// How long to wait for a manager's answer. It answers within milliseconds unless its disk hangs.
const PATIENCE: Duration = Duration::from_secs(10);
const LOOK_AGAIN: Duration = Duration::from_millis(5);

/// The result of a request.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub(crate) struct Asked {
    /// What was requested.
    pub(crate) request: &'static str,
    /// The jobs that it concerns.
    pub(crate) jobs: Vec<String>,
    /// Whether it was carried out for at least some of the jobs. False: all of it was refused, or the manager has not answered yet and will
    /// still find it.
    pub(crate) done: bool,
    /// For how many of the jobs it was carried out; `None`: there is no answer yet.
    #[serde(skip)]
    changed: Option<usize>,
    /// What was refused, and why; the rest was done.
    pub(crate) refused: Vec<String>,
    /// Notes for people.
    pub(crate) notes: Vec<String>,
}

impl Asked {
    /// A request that concerns no job and was carried out.
    fn done(request: &'static str, notes: Vec<String>) -> Self {
        Self {
            request,
            done: true,
            changed: Some(0),
            notes,
            ..Self::default()
        }
    }

    /// For how many jobs it was carried out, in words.
    pub(crate) fn summary(&self) -> String {
        let counted = counted(self.jobs.len(), "job");
        let refused = self.refused.len();
        match self.changed {
            None => format!("{counted}, requested; the manager has not answered yet"),
            _ if !self.done => String::from("refused"),
            Some(0) => String::from("done"),
            _ if refused == 0 => format!("{counted}, done"),
            Some(all) if all == self.jobs.len() => format!("{counted}, done; {refused} refused"),
            Some(some) => format!("{some} of {counted}, done; {refused} refused"),
        }
    }

    pub(super) fn outcome(self) -> Shown {
        let found = !self.refused.is_empty();
        Outcome::found(self, found).shown(report::id::ASKED, report::asked)
    }
}

pub(crate) fn jobs(verb: Verb, args: &SelectArgs, context: &Context) -> CommandResult {
    Ok(ask_for_jobs(verb, args, false, context)?.outcome())
}

fn ask_for_jobs(
    verb: Verb,
    args: &SelectArgs,
    again: bool,
    context: &Context,
) -> Result<Asked, Error> {
    let look = look(&args.queue, context)?;
    // Completed jobs, and jobs that may still run under the previous manager, are retried only if they are named.
    let (queue, retries) = (&look.queue, verb == Verb::Retry);
    let may_run = |job| {
        let (state, reason) = (queue.state(job), queue.reason(job));
        (state, reason) == (State::Lost, Some(Reason::Imported))
    };
    let meant = |job| {
        let unasked = queue.state(job) == State::Completed || may_run(job);
        verb.fits(queue, job) && !(retries && unasked)
    };
    let mut chosen = select(meant, args, queue)?;
    if retries && args.jobs.is_empty() {
        let jobs = (0..queue.len()).filter(|job| may_run(*job));
        let why = "was running when it was taken over, and may still run: retry it by its name";
        let refused = jobs.map(|job| format!("{} {why}", queue.job(job).id));
        chosen.refused.extend(refused);
    }
    if retries && !again {
        let completed = |id: &String| queue.find(id).is_some_and(|job| is_repeat(queue, job));
        let (completed, others) = chosen.ids.into_iter().partition(completed);
        let completed: Vec<String> = completed;
        chosen.refused.extend(completed.iter().map(|id| repeat(id)));
        chosen.ids = others;
    }
    if retries {
        used_by::warn(&chosen.ids, look.place.folder(), "repeating", context);
    }
    let wanted = if again { Verb::Again } else { verb };
    let request = |ids| Request::Jobs(BTreeMap::from([(wanted, ids)]));
    chosen.ask(verb.words().0, request, &look.place, context)
}

/// `retry`: also says which commands the jobs will run, and which manager will run them.
pub(crate) fn retry(args: &RetryArgs, context: &Context) -> CommandResult {
    let mut asked = ask_for_jobs(Verb::Retry, &args.select, args.again, context)?;
    let place = super::place(&args.select.queue, context)?;
    let managed = lock::holder(&place, context.now()).is_some();
    let state = place.state.display().to_string();
    if managed && load::is_stale(&place) {
        let (manifest, state) = (lock::parts(&place).manifest, shell_line(&[&state]));
        asked.notes.push(format!(
            "{manifest} has changed since the queue read it, and this retry runs the commands as they were then; queue_manager reload --state {state} takes the changes up"
        ));
    }
    if !managed && args.start {
        let started = start::detached(&idle(None, place), context)?;
        let (pid, log) = (started.pid, started.log);
        asked.notes.extend(started.changes);
        let kept_back = started.kept_back.map(|why| format!("queue: {why}"));
        asked.notes.extend(kept_back);
        let started = format!("manager {pid} was started; log {log}");
        asked.notes.push(started);
    } else if !managed && !asked.jobs.is_empty() {
        let how = format!("{}, or retry with --start", nobody(&place));
        asked.notes.push(how);
    }
    Ok(asked.outcome())
}

/// The selected jobs, and why names select none.
#[derive(Default)]
pub(super) struct Chosen {
    pub(super) ids: Vec<String>,
    refused: Vec<String>,
}

impl Chosen {
    /// Makes the request for the selected jobs; the answer also says what was refused.
    pub(super) fn ask(
        self,
        word: &'static str,
        request: impl FnOnce(Vec<String>) -> Request,
        place: &Place,
        context: &Context,
    ) -> Result<Asked, Error> {
        let Self { ids, mut refused } = self;
        let mut asked = if !ids.is_empty() {
            ask(word, request(ids.clone()), ids, place, context)?
        } else if refused.is_empty() {
            Asked::done(word, vec![format!("there is nothing to {word}")])
        } else {
            Asked {
                done: false,
                ..Asked::done(word, Vec::new())
            }
        };
        asked.refused.append(&mut refused);
        Ok(asked)
    }
}

/// Selects jobs by id, pattern, phase or state. `able` says which jobs can be selected without naming them by id.
pub(super) fn select(
    able: impl Fn(u32) -> bool,
    args: &SelectArgs,
    queue: &Queue,
) -> Result<Chosen, Error> {
    if !args.jobs.is_empty() {
        return by_name(able, &args.jobs, queue);
    }
    let manifest = queue.manifest();
    let names = manifest.phases.iter().map(|phase| phase.name.as_str());
    if let Some(name) = &args.phase
        && !names.clone().any(|known| known == name)
    {
        return Err(Error::no_phase(name, names));
    }
    let wanted = |job: &u32| {
        let phase = manifest.phase_of(*job).map(|phase| phase.name.as_str());
        args.phase.as_deref().is_none_or(|name| phase == Some(name))
            && (!args.failed || matches!(queue.state(*job), State::Failed | State::Lost))
            && able(*job)
    };
    let jobs = (0..queue.len()).filter(wanted);
    let ids = jobs.map(|job| queue.job(job).id.to_string()).collect();
    let refused = Vec::new();
    Ok(Chosen { ids, refused })
}

/// Selects jobs by id or pattern.
pub(super) fn by_name(
    able: impl Fn(u32) -> bool,
    names: &[String],
    queue: &Queue,
) -> Result<Chosen, Error> {
    let (mut ids, mut refused, mut first) = (Vec::new(), Vec::new(), None);
    for name in names {
        match super::jobs_of(queue, name) {
            Ok(all) => {
                let named = queue.find(name).is_some();
                let before = ids.len();
                let these = all.iter().filter(|job| named || able(**job));
                ids.extend(these.map(|job| queue.job(*job).id.to_string()));
                if ids.len() == before {
                    let which = format!("none of the jobs that match {name:?}");
                    refused.push(which + " is in a state for this");
                }
            }
            Err(error) => {
                refused.push(error.to_string());
                first = first.or(Some(error));
            }
        }
    }
    // If no name is known at all, the call was wrong.
    if let Some(error) = first.filter(|_| ids.is_empty() && refused.len() == names.len()) {
        return Err(error);
    }
    let mut known = BTreeSet::new();
    ids.retain(|id| known.insert(id.clone()));
    Ok(Chosen { ids, refused })
}

/// A request that concerns no job.
pub(crate) fn plain(
    word: &'static str,
    request: Request,
    args: &QueueArgs,
    context: &Context,
) -> CommandResult {
    let place = super::place(args, context)?;
    Ok(ask(word, request, Vec::new(), &place, context)?.outcome())
}

/// How to start a manager for a queue that has none.
pub(super) fn nobody(place: &Place) -> String {
    let state = shell_line(&[place.state.to_string_lossy()]);
    format!("to run it: queue_manager start --state {state}")
}

/// Makes a request: a manager carries it out, or this process if there is none.
pub(super) fn ask(
    word: &'static str,
    request: Request,
    jobs: Vec<String>,
    place: &Place,
    context: &Context,
) -> Result<Asked, Error> {
    let path = manager::leave(place, &request, context.now())?;
    // A change is made completely or not at all. In other requests, each refusal concerns one job.
    let whole = matches!(request, Request::Change(_));
    let mut waited = Duration::ZERO;
    let mut notes = Vec::new();
    while path.exists() && waited < PATIENCE {
        if lock::holder(place, context.now()).is_none() {
            match settle(None, place.clone(), context) {
                Ok(told) => notes = told,
                // A manager has taken the queue meanwhile, and will find the request.
                Err(Error::Taken(_)) => {}
                Err(error) => {
                    aris_fs::remove_file(&path)?;
                    return Err(error);
                }
            }
        } else {
            park_timeout(LOOK_AGAIN);
            waited += LOOK_AGAIN;
        }
    }
    let answered = !path.exists();
    let refused = answered.then(|| manager::take_answer(&path));
    let refused = refused.unwrap_or_default();
    let changed = match refused.len() {
        0 => jobs.len(),
        refused if !whole => jobs.len().saturating_sub(refused),
        _ => 0,
    };
    Ok(Asked {
        request: word,
        done: answered && (refused.is_empty() || changed > 0),
        jobs,
        changed: answered.then_some(changed),
        refused,
        notes,
    })
}

pub(crate) fn adopt(
    args: &QueueArgs,
    manifest: Option<PathBuf>,
    context: &Context,
) -> CommandResult {
    let place = if manifest.is_some() {
        let state = args.state.as_deref();
        let state = state.unwrap_or(Path::new("queue_state.json"));
        Place::of(&context.absolute(state), None)
    } else {
        super::place(args, context)?
    };
    let manifest = manifest.map(|path| context.absolute(&path));
    let notes = settle(manifest, place, context)?;
    Ok(Asked::done("adopt", notes).outcome())
}

/// Options for taking a queue without running it.
fn idle(manifest: Option<PathBuf>, place: Place) -> Options {
    Options {
        manifest,
        place,
        flags: RunFlags::default(),
        answers: true,
    }
}

/// Takes the queue, carries out pending requests, writes the state, and gives the queue back.
fn settle(
    manifest: Option<PathBuf>,
    place: Place,
    context: &Context,
) -> Result<Vec<String>, Error> {
    let ended = manager::settle(&idle(manifest, place), context)?;
    let counts = match tallied(&manager::counts(&ended.queue), ", ") {
        none if none.is_empty() => String::from("the queue has no jobs"),
        counts => format!("jobs: {counts}"),
    };
    Ok(vec![format!("no manager is running; {counts}")])
}
