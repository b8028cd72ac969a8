//! Why a job is in its state: the facts, each with its source.

use aris_attempt::cards::CardId;
use aris_contract::text::counted;
use schemars::JsonSchema;

use crate::snapshot;
use serde::{Deserialize, Serialize};

use aris_queue::manifest::{Engine, Job, OnDepFailure, named};
use aris_queue::schedule::{self, Availability, Card, Obstacle, Slots};
use aris_queue::state::{Life, Queue, Reason, Run, State, Verdict};

/// Most parents that are named; the others are counted.
const NAMED: usize = 5;

/// What is known about cards and slots. `managed` says whether a manager runs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Surroundings<'a> {
    /// The cards as last seen.
    pub cards: &'a [Card],
    /// Whether a manager runs.
    pub managed: bool,
    /// What is wrong with the last answer about the cards.
    pub problem: Option<&'a str>,
    /// How many jobs may run at once.
    pub slots: Slots,
    /// The clock of [`Queue::tick`].
    pub now: u64,
}

/// A fact and its source.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Fact {
    /// The fact in one sentence.
    pub text: String,
    /// The file, job or program that it comes from; empty: the manifest.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub evidence: String,
}

/// Makes a fact from its text and its source.
pub(crate) fn fact(text: impl Into<String>, evidence: impl Into<String>) -> Fact {
    Fact {
        text: text.into(),
        evidence: evidence.into(),
    }
}

/// The facts that explain a job's state, the decisive one first.
pub(crate) fn explain(queue: &Queue, job: u32, around: Option<Surroundings<'_>>) -> Vec<Fact> {
    let run = queue.run(job);
    let (attempt, last) = (run.attempt(), run.last());
    let engine = last.engine_ref.as_deref().unwrap_or_default();
    let mut facts = Vec::new();
    let mut add = |text: String, evidence: &str| facts.push(fact(text, evidence));
    let held = || String::from("held by the command hold; release lets it go");
    match queue.state(job) {
        State::Waiting => waiting(queue, job, &mut facts),
        State::Blocked => {
            blocked(queue, job, &mut facts);
            facts.extend(run.held.then(|| fact(held(), "journal")));
        }
        State::Ready => ready(queue, job, around, &mut facts),
        State::Hold => add(held(), "journal"),
        State::Backoff => {
            let when = match (run.life, around) {
                (Life::Backoff(at), Some(around)) => {
                    let ms = at.saturating_sub(around.now);
                    format!("in {} s", ms.div_ceil(1000))
                }
                _ => String::from("after a pause"),
            };
            add(format!("attempt {} follows {when}", attempt + 1), "journal");
        }
        State::Submitting => {
            let says = run.engine_says.as_deref();
            add(says.unwrap_or("it is being submitted").to_owned(), engine);
        }
        State::Queued => {
            let says = run.engine_says.as_deref();
            let says = says.map_or_else(String::new, |says| format!("; it says {says}"));
            let text = format!("the engine has it and has not started it{says}");
            add(text, engine);
        }
        State::Starting | State::Running | State::Cancelling => {
            let cards = match last.cards.as_slice() {
                [] => String::new(),
                cards => format!(" on card {}", listed(cards, ", ")),
            };
            let text = format!("attempt {attempt} is under way{cards}");
            let started = queue.state(job) == State::Running || last.pid.is_some();
            add(
                text,
                if started {
                    "start.json of the attempt"
                } else {
                    "journal"
                },
            );
            if run.life == Life::Cancelling {
                add(String::from("a person asked for its end"), "journal");
            }
        }
        State::Unknown => {
            let text = "nothing is heard of its attempt; it may be running";
            let evidence = if engine.is_empty() {
                "state file"
            } else {
                engine
            };
            add(text.to_owned(), evidence);
        }
        // A job that had no attempt has no other fact.
        State::Cancelled if run.verdict().is_none() => {
            let text = "a person cancelled it before it ran";
            add(text.to_owned(), "journal");
        }
        State::Completed | State::Failed | State::Cancelled | State::Lost => {}
    }
    let imported = last.command.is_none();
    // For an imported job that was completed, its state says everything.
    let verdict = run.verdict();
    let verdict = verdict.filter(|verdict| !imported || verdict.error.is_some());
    if let Some(verdict) = verdict {
        let reason = verdict.reason;
        let never = matches!(reason, Some(Reason::Precondition | Reason::EngineRejected));
        let about_none = attempt == 0 || never;
        let text = match (&verdict.error, &snapshot::warning(queue, job)) {
            (Some(error), _) if about_none => error.clone(),
            (Some(error), Some(warning)) => format!("attempt {attempt}: {error}; {warning}"),
            (Some(error), None) => format!("attempt {attempt}: {error}"),
            (None, Some(warning)) => format!("attempt {attempt} completed: {warning}"),
            (None, None) => format!("attempt {attempt} completed"),
        };
        facts.push(fact(text, witness(run, verdict)));
        if verdict.output_present {
            let text =
                "all declared outputs are there and new; done_when: output would have completed it";
            facts.push(fact(text, "exit.json of the attempt"));
        }
    }
    // The log is empty until an engine has started the attempt.
    let waits = matches!(queue.state(job), State::Submitting | State::Queued);
    if let Some(log) = last.log.as_deref()
        && !waits
        && std::path::Path::new(log).exists()
    {
        facts.push(fact(format!("the log of attempt {attempt}"), log));
    }
    facts
}

/// Why nothing in the queue starts until a person says so: it is paused, or all that is left waits for held jobs.
pub(crate) fn kept_back(queue: &Queue) -> Option<String> {
    if queue.open_jobs() == 0 {
        return None;
    }
    if queue.paused() {
        return Some(String::from(
            "it is paused and starts nothing new; queue_manager resume ends the pause",
        ));
    }
    let jobs = || (0..queue.len()).map(|job| (job, queue.state(job)));
    let moves = |state: State| !(state.is_final() || matches!(state, State::Hold | State::Waiting));
    if jobs().any(|(_, state)| moves(state)) {
        return None;
    }
    let held = jobs().filter(|(_, state)| *state == State::Hold);
    let held: Vec<String> = held.map(|(job, _)| queue.job(job).id.to_string()).collect();
    (!held.is_empty()).then(|| {
        let held = named(&held);
        format!("all that is left waits for held jobs: {held}; queue_manager release lets them go")
    })
}

/// The source of a verdict.
fn witness(run: &Run, verdict: &Verdict) -> String {
    let last = run.last();
    let engine = last.engine_ref.as_deref();
    let engine = engine.map(|name| format!("Slurm, {name}"));
    let text = match verdict.reason {
        Some(Reason::Precondition) => "the disk, when it was to start",
        Some(Reason::Imported) => "the state file that was taken over",
        Some(Reason::Lost) => "no exit.json of the attempt",
        Some(Reason::EngineRejected) => "the engine's answer to the submission",
        Some(Reason::NodeFail | Reason::Preempted) => {
            return engine.unwrap_or_else(|| String::from("exit.json of the attempt, boot_id"));
        }
        _ if last.number == 0 => "journal",
        // Attempts of our own have a command's digest; imported ones do not.
        _ if last.command.is_none() => "the state file that was taken over",
        _ => "exit.json of the attempt",
    };
    text.to_owned()
}

/// The first job in the chain of parents that blocks this one which is not itself blocked.
pub(crate) fn culprit(queue: &Queue, job: u32) -> Option<u32> {
    let mut at = job;
    // A chain of parents is no longer than the queue.
    for _ in 0..queue.len() {
        let parent = failed_parents(queue, at).next()?;
        if queue.state(parent) != State::Blocked {
            return Some(parent);
        }
        at = parent;
    }
    None
}

/// Jobs that this one depends on, directly or through its phase.
fn parents(queue: &Queue, job: u32) -> impl Iterator<Item = u32> + '_ {
    let manifest = queue.manifest();
    let needs = queue.job(job).needs.iter().copied();
    let phases = manifest.phase_of(job).into_iter();
    let phases = phases.flat_map(|phase| &phase.after);
    let phases = phases.filter_map(|at| manifest.phases.get(*at as usize));
    needs.chain(phases.flat_map(|phase| phase.first..phase.end))
}

fn failed_parents(queue: &Queue, job: u32) -> impl Iterator<Item = u32> + '_ {
    parents(queue, job).filter(|parent| {
        let state = queue.state(*parent);
        state.is_final() && state != State::Completed
    })
}

fn waiting(queue: &Queue, job: u32, facts: &mut Vec<Fact>) {
    let phase = queue.manifest().phase_of(job);
    let any = phase.is_some_and(|phase| phase.on_dep_failure == OnDepFailure::Run);
    let open = parents(queue, job).filter(|parent| {
        let state = queue.state(*parent);
        !(state == State::Completed || any && state.is_final())
    });
    list(queue, &open.collect::<Vec<_>>(), "waits for", facts);
}

fn blocked(queue: &Queue, job: u32, facts: &mut Vec<Fact>) {
    let failed: Vec<u32> = failed_parents(queue, job).collect();
    list(queue, &failed, "cannot start because of", facts);
    if let Some(root) = culprit(queue, job) {
        if !failed.iter().take(NAMED).any(|parent| *parent == root) {
            list(queue, &[root], "all of this goes back to", facts);
        }
        let id = &queue.job(root).id;
        let text = format!("once {id:?} is tried again (retry), this job waits for it");
        facts.push(fact(text, ""));
    }
}

fn list(queue: &Queue, jobs: &[u32], what: &str, facts: &mut Vec<Fact>) {
    for job in jobs.iter().take(NAMED) {
        let (id, state) = (&queue.job(*job).id, queue.state(*job).word());
        let verdict = queue.run(*job).verdict();
        let error = verdict.and_then(|verdict| verdict.error.as_ref());
        let error = error.map_or_else(String::new, |error| format!(": {error}"));
        let text = format!("{what} {id:?} ({state}){error}");
        facts.push(fact(text, format!("job {id}")));
    }
    if jobs.len() > NAMED {
        facts.push(fact(format!("and {} more", jobs.len() - NAMED), ""));
    }
}

fn ready(queue: &Queue, job: u32, around: Option<Surroundings<'_>>, facts: &mut Vec<Fact>) {
    if queue.paused() {
        facts.push(fact("the queue is paused (resume)", "journal"));
    }
    let unmanaged = "no manager is running";
    let Some(around) = around else {
        let text = format!("the job could start, but {unmanaged}");
        facts.push(fact(text, "lock"));
        return;
    };
    if !around.managed {
        facts.push(fact(unmanaged, "lock"));
    }
    if queue.manifest().engine != Engine::Local {
        // The engine's machines decide, not this one's cards.
        let says = queue.run(job).engine_says.as_deref();
        let text = says.unwrap_or("it is submitted with the next wave");
        facts.push(fact(text, "state file"));
        return;
    }
    let obstacle = schedule::obstacle(queue, job, around.cards, around.slots);
    let Some(obstacle) = obstacle else {
        let next = schedule::next_jobs(queue, 1000);
        let text = match next.iter().position(|next| *next == job) {
            Some(0) => String::from("it is the next to start"),
            Some(1) => String::from("1 job comes before it"),
            Some(count) => format!("{count} jobs come before it"),
            None => String::from("more than 1000 jobs come before it"),
        };
        facts.push(fact(text, ""));
        return;
    };
    let evidence = match obstacle {
        Obstacle::LargerCard(_) => "journal, cards",
        _ => "",
    };
    let spec = queue.job(job);
    let Obstacle::Cards(..) = obstacle else {
        facts.push(fact(obstacle.to_string(), evidence));
        return;
    };
    if let (true, Some(problem)) = (around.cards.is_empty(), around.problem) {
        facts.push(fact(format!("no card is known: {problem}"), "nvidia-smi"));
    } else if let Some(why) = needs_more(spec, around.cards) {
        let text = format!("it cannot run: it {why} could be given to it");
        facts.insert(0, fact(text, "nvidia-smi"));
    } else {
        facts.push(fact(obstacle.to_string(), evidence));
    }
    for card in around.cards {
        let (text, evidence) = match &card.availability {
            Availability::Free => match given(queue, card) {
                Some(to) => (to, "journal"),
                None => continue,
            },
            Availability::Busy(why) => (format!("is in use: {why}"), "nvidia-smi, leases"),
            Availability::Unknown(why) => (format!("is unknown: {why}"), "nvidia-smi"),
        };
        facts.push(fact(format!("card {} {text}", card.id), evidence));
    }
}

/// Why a job can never run on these cards, as the middle of a sentence; `None`: it can.
pub(crate) fn needs_more(job: &Job, cards: &[Card]) -> Option<String> {
    let (needed, able) = schedule::impossible(job, cards)?;
    let memory = job.settings.gpu_mem_mib;
    let memory = memory.map_or_else(String::new, |mib| format!(" with {mib} MiB each"));
    let cards = counted(needed, "card");
    Some(format!(
        "needs {cards}{memory}, and {able} of the cards here"
    ))
}

/// Cards as text.
pub(crate) fn listed(cards: &[CardId], between: &str) -> String {
    let cards: Vec<String> = cards.iter().map(CardId::to_string).collect();
    cards.join(between)
}

/// Which jobs use the card, and how much of it they asked for; `None`: no job uses it.
fn given(queue: &Queue, card: &Card) -> Option<String> {
    let has_it = |job: &u32| queue.run(*job).last().cards.contains(&card.id);
    let jobs: Vec<&Job> = queue
        .active()
        .filter(has_it)
        .map(|job| queue.job(job))
        .collect();
    let (first, others) = jobs.split_first()?;
    let more = match others.len() {
        0 => String::new(),
        count => format!(" and {count} more"),
    };
    let whom = format!("{:?}{more}", first.id);
    let asked: Option<u64> = jobs.iter().map(|job| job.settings.gpu_mem_mib).sum();
    Some(match asked.zip(card.total_mib) {
        Some((asked, total)) => format!("has {total} MiB, of which {asked} are given to {whom}"),
        None => format!("is used by {whom}"),
    })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use jiff::Timestamp;

    use super::*;
    use aris_queue::manifest;
    use aris_queue::state::Event;

    fn queue(text: &str) -> Queue {
        Queue::new(manifest::parse(Path::new("m"), text).expect("manifest"))
    }

    fn apply(queue: &mut Queue, event: &Event) {
        queue
            .apply(event, Timestamp::UNIX_EPOCH, 0, 0)
            .expect("legal");
    }

    fn texts(queue: &Queue, id: &str, around: Option<Surroundings<'_>>) -> String {
        let facts = explain(queue, queue.find(id).expect("job"), around);
        facts.into_iter().map(|fact| fact.text + "\n").collect()
    }

    #[test]
    fn a_blocked_job_names_the_root_of_the_matter() {
        let mut queue =
            queue("jobs: [{id: a, cmd: x}, {id: b, cmd: x, needs: a}, {id: c, cmd: x, needs: b}]");
        assert!(texts(&queue, "c", None).contains("waits for \"b\" (waiting)"));
        apply(
            &mut queue,
            &Event::Refused {
                id: String::from("a"),
                verdict: Verdict::failed(Reason::Precondition, "data.bin is missing"),
            },
        );
        let why = texts(&queue, "c", None);
        for part in [
            "cannot start because of \"b\"",
            "goes back to \"a\" (failed): data.bin is missing",
            "once \"a\"",
        ] {
            assert!(why.contains(part), "{why}");
        }
        assert_eq!(culprit(&queue, 2), Some(0));
    }

    #[test]
    fn a_ready_job_says_what_is_missing() {
        let queue = queue("jobs: [{id: a, cmd: x, gpus: 2}, {id: b, cmd: x, gpus: 0}]");
        let cards = [
            Card {
                id: CardId::whole(0),
                total_mib: Some(24_576),
                availability: Availability::Busy(String::from("20000 MiB in use")),
            },
            Card {
                id: CardId::whole(1),
                total_mib: Some(24_576),
                availability: Availability::Free,
            },
        ];
        let around = |without_cards| Surroundings {
            cards: &cards,
            managed: true,
            problem: None,
            slots: Slots {
                with_cards: 2,
                without_cards,
                ..Slots::default()
            },
            now: 0,
        };
        let why = texts(&queue, "a", Some(around(1)));
        assert!(
            why.contains("needs 2 cards, 1 can be given")
                && why.contains("card 0 is in use: 20000 MiB"),
            "{why}"
        );
        assert!(texts(&queue, "b", Some(around(0))).contains("max_cpu_jobs"));
        assert!(texts(&queue, "b", None).contains("no manager is running"));
    }
}
