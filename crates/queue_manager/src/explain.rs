//! Why a job is in its state: the chain of facts, each with where it can be looked up.

use aris_attempt::cards::CardId;
use serde::{Deserialize, Serialize};

use aris_queue::manifest::{Engine, OnDepFailure};
use aris_queue::schedule::{self, Availability, Card, Obstacle, Slots};
use aris_queue::state::{Life, Queue, Reason, Run, State, Verdict};

/// Parents that are named before the rest is only counted.
const NAMED: usize = 5;

/// What is known about the surroundings; empty when no manager runs.
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

/// One fact, and where it stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Fact {
    /// One sentence.
    pub text: String,
    /// File, job or program that says so; empty where the manifest does.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub evidence: String,
}

/// A fact, and who says so.
pub(crate) fn fact(text: impl Into<String>, evidence: impl Into<String>) -> Fact {
    Fact {
        text: text.into(),
        evidence: evidence.into(),
    }
}

/// The facts behind a job's state, the decisive one first.
pub(crate) fn explain(queue: &Queue, job: u32, around: Option<Surroundings<'_>>) -> Vec<Fact> {
    let run = queue.run(job);
    let mut facts = Vec::new();
    match queue.state(job) {
        State::Waiting => waiting(queue, job, &mut facts),
        State::Blocked => {
            blocked(queue, job, &mut facts);
            if queue.run(job).held {
                facts.push(fact("a person holds it back", "journal"));
            }
        }
        State::Ready => ready(queue, job, around, &mut facts),
        State::Hold => facts.push(fact("a person holds it back", "journal")),
        State::Backoff => {
            if let (Life::Backoff(at), Some(around)) = (run.life, around) {
                let seconds = at.saturating_sub(around.now).div_ceil(1000);
                facts.push(fact(
                    format!("attempt {} follows in {seconds} s", run.attempt + 1),
                    "journal",
                ));
            } else {
                facts.push(fact(
                    format!("attempt {} follows after a pause", run.attempt + 1),
                    "journal",
                ));
            }
        }
        State::Submitting => facts.push(fact(
            run.engine_says
                .as_deref()
                .unwrap_or("it is being submitted"),
            run.engine_ref.as_deref().unwrap_or_default(),
        )),
        State::Queued => {
            let says = run.engine_says.as_deref();
            let says = says.map(|says| format!("; it says {says}"));
            facts.push(fact(
                format!(
                    "the engine has it and has not started it{}",
                    says.unwrap_or_default()
                ),
                run.engine_ref.as_deref().unwrap_or_default(),
            ));
        }
        State::Starting | State::Running | State::Cancelling => {
            let on = if run.cards.is_empty() {
                String::new()
            } else {
                let cards: Vec<String> = run.cards.iter().map(CardId::to_string).collect();
                format!(" on card {}", cards.join(", "))
            };
            facts.push(fact(
                format!("attempt {} is under way{on}", run.attempt),
                "start.json of the attempt",
            ));
            if run.life == Life::Cancelling {
                facts.push(fact("a person asked for its end", "journal"));
            }
        }
        State::Unknown => facts.push(fact(
            "nothing is heard of its attempt; it may be running",
            run.engine_ref.as_deref().unwrap_or_default(),
        )),
        // Without an attempt nothing else tells of it.
        State::Cancelled if run.verdict.is_none() => {
            facts.push(fact("a person cancelled it before it ran", "journal"));
        }
        State::Completed | State::Failed | State::Cancelled | State::Lost => {}
    }
    if let Some(verdict) = run.verdict.as_deref() {
        let text = match (&verdict.error, &verdict.warning) {
            // About no attempt.
            (Some(error), _) if verdict.reason == Some(Reason::Precondition) => error.clone(),
            (Some(error), _) if verdict.reason == Some(Reason::EngineRejected) => error.clone(),
            (Some(error), _) if run.attempt == 0 => error.clone(),
            (Some(error), Some(warning)) => {
                format!("attempt {}: {error}; {warning}", run.attempt)
            }
            (Some(error), None) => format!("attempt {}: {error}", run.attempt),
            (None, Some(warning)) => format!("attempt {} completed: {warning}", run.attempt),
            (None, None) => format!("attempt {} completed", run.attempt),
        };
        facts.push(fact(text, witness(run, verdict)));
        if verdict.output_present {
            facts.push(fact(
                "all declared outputs are there and new; done_when: output would have completed it",
                "exit.json of the attempt",
            ));
        }
    }
    // An engine may not have begun it.
    if let Some(log) = run.log.as_deref()
        && std::path::Path::new(log).exists()
    {
        facts.push(fact(format!("the log of attempt {}", run.attempt), log));
    }
    facts
}

/// Who says what a verdict says.
fn witness(run: &Run, verdict: &Verdict) -> String {
    let engine = run
        .engine_ref
        .as_deref()
        .map(|name| format!("Slurm, {name}"));
    let text = match verdict.reason {
        Some(Reason::Precondition) => "the disk, when it was to start",
        Some(Reason::Imported) => "the state file that was taken over",
        Some(Reason::Lost) => "no exit.json of the attempt",
        Some(Reason::EngineRejected) => "the engine's answer to the submission",
        Some(Reason::NodeFail | Reason::Preempted) => {
            return engine.unwrap_or_else(|| String::from("exit.json of the attempt, boot_id"));
        }
        _ if run.attempt == 0 => "journal",
        // An attempt of ours has one.
        _ if run.command.is_none() => "the state file that was taken over",
        _ => "exit.json of the attempt",
    };
    text.to_owned()
}

/// The parent that blocks a job, followed to the one that is not itself blocked.
pub(crate) fn culprit(queue: &Queue, job: u32) -> Option<u32> {
    let mut at = job;
    // No path is longer than the queue.
    for _ in 0..queue.len() {
        let parent = failed_parents(queue, at).next()?;
        if queue.state(parent) != State::Blocked {
            return Some(parent);
        }
        at = parent;
    }
    None
}

/// Jobs that this one depends on, by itself or through its phase.
fn parents(queue: &Queue, job: u32) -> impl Iterator<Item = u32> + '_ {
    let manifest = queue.manifest();
    let needs = manifest.jobs[job as usize].needs.iter().copied();
    let phases = manifest
        .phase_of(job)
        .into_iter()
        .flat_map(|phase| &phase.after)
        .filter_map(|at| manifest.phases.get(*at as usize))
        .flat_map(|phase| phase.first..phase.end);
    needs.chain(phases)
}

fn failed_parents(queue: &Queue, job: u32) -> impl Iterator<Item = u32> + '_ {
    parents(queue, job).filter(|parent| {
        let state = queue.state(*parent);
        state.is_final() && state != State::Completed
    })
}

fn waiting(queue: &Queue, job: u32, facts: &mut Vec<Fact>) {
    let any = queue
        .manifest()
        .phase_of(job)
        .is_some_and(|phase| phase.on_dep_failure == OnDepFailure::Run);
    let open: Vec<u32> = parents(queue, job)
        .filter(|parent| {
            let state = queue.state(*parent);
            !(state == State::Completed || any && state.is_final())
        })
        .collect();
    list(queue, &open, "waits for", facts);
}

fn blocked(queue: &Queue, job: u32, facts: &mut Vec<Fact>) {
    let failed: Vec<u32> = failed_parents(queue, job).collect();
    list(queue, &failed, "cannot start because of", facts);
    if let Some(root) = culprit(queue, job)
        && !failed.iter().take(NAMED).any(|parent| *parent == root)
    {
        list(queue, &[root], "all of this goes back to", facts);
    }
    if let Some(root) = culprit(queue, job) {
        let id = &queue.manifest().jobs[root as usize].id;
        facts.push(fact(
            format!("once {id:?} is tried again (retry), this job waits for it"),
            "",
        ));
    }
}

fn list(queue: &Queue, jobs: &[u32], what: &str, facts: &mut Vec<Fact>) {
    for job in jobs.iter().take(NAMED) {
        let spec = &queue.manifest().jobs[*job as usize];
        let error = queue
            .run(*job)
            .verdict
            .as_ref()
            .and_then(|verdict| verdict.error.clone())
            .map(|error| format!(": {error}"))
            .unwrap_or_default();
        facts.push(fact(
            format!(
                "{what} {:?}, which is {}{error}",
                spec.id,
                queue.state(*job).word()
            ),
            format!("job {}", spec.id),
        ));
    }
    if jobs.len() > NAMED {
        facts.push(fact(format!("and {} more", jobs.len() - NAMED), ""));
    }
}

fn ready(queue: &Queue, job: u32, around: Option<Surroundings<'_>>, facts: &mut Vec<Fact>) {
    if queue.paused() {
        facts.push(fact("the queue is paused (resume)", "journal"));
    }
    let unmanaged = "no manager runs that could start it";
    let Some(around) = around else {
        facts.push(fact(
            format!("nothing stands against it; {unmanaged}"),
            "lock",
        ));
        return;
    };
    if !around.managed {
        facts.push(fact(unmanaged, "lock"));
    }
    if queue.manifest().engine != Engine::Local {
        // The engine's machines decide, and not this one's.
        let says = queue.run(job).engine_says.as_deref();
        let text = says.unwrap_or("it is submitted with the next wave");
        facts.push(fact(text, "state file"));
        return;
    }
    match schedule::obstacle(queue, job, around.cards, around.slots) {
        None => {
            let before = schedule::next_jobs(queue, 1000)
                .iter()
                .position(|next| *next == job);
            facts.push(fact(
                match before {
                    Some(0) => String::from("it is the next to start"),
                    Some(count) => format!("{count} jobs come before it"),
                    None => String::from("more than 1000 jobs come before it"),
                },
                "",
            ));
        }
        Some(Obstacle::MaxParallel(limit)) => facts.push(fact(
            format!("{limit} jobs with cards run, as many as may (max_parallel)"),
            "",
        )),
        Some(Obstacle::CpuSlots(limit)) => facts.push(fact(
            format!("{limit} jobs without cards run, as many as may (max_cpu_jobs)"),
            "",
        )),
        Some(Obstacle::PhaseParallel(limit)) => facts.push(fact(
            format!("{limit} jobs of its phase run, as many as may (max_parallel of the phase)"),
            "",
        )),
        Some(Obstacle::Cpus(needed, left, all)) => facts.push(fact(
            format!("it needs {needed} processors, and {left} of {all} are left"),
            "",
        )),
        Some(Obstacle::Memory(needed, left, all)) => facts.push(fact(
            format!("it needs {needed} MiB of main memory, and {left} of {all} MiB are left"),
            "",
        )),
        Some(Obstacle::LargerCard(mib)) => facts.push(fact(
            format!("it ran out of memory, and waits for a card with {mib} MiB: a tenth more than it was seen to use"),
            "journal, cards",
        )),
        Some(Obstacle::Cards(needed, free)) => {
            let spec = &queue.manifest().jobs[job as usize];
            if let (true, Some(problem)) = (around.cards.is_empty(), around.problem) {
                facts.push(fact(format!("no card is known: {problem}"), "nvidia-smi"));
            } else if let Some((_, able)) = schedule::impossible(spec, around.cards) {
                let memory = spec.settings.gpu_mem_mib;
                let memory = memory.map_or_else(String::new, |mib| format!(" with {mib} MiB each"));
                facts.insert(
                    0,
                    fact(
                        format!("it cannot run: it needs {needed} cards{memory}, and {able} of the cards here could be given to it"),
                        "nvidia-smi",
                    ),
                );
            } else {
                facts.push(fact(
                    format!("it needs {needed} cards, {free} can be given"),
                    "",
                ));
            }
            for card in around.cards {
                let (text, evidence) = match &card.availability {
                    Availability::Free => match on_card(queue, card.id) {
                        Some(other) => (format!("is used by {other:?}"), "journal"),
                        None => continue,
                    },
                    Availability::Busy(why) => (format!("is in use: {why}"), "nvidia-smi, leases"),
                    Availability::Unknown(why) => (format!("is unknown: {why}"), "nvidia-smi"),
                };
                facts.push(fact(format!("card {} {text}", card.id), evidence));
            }
        }
    }
}

fn on_card(queue: &Queue, card: CardId) -> Option<String> {
    let job = queue
        .active()
        .find(|job| queue.run(*job).cards.contains(&card))?;
    Some(queue.manifest().jobs[job as usize].id.to_string())
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
        assert!(texts(&queue, "c", None).contains("waits for \"b\", which is waiting"));
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
            "goes back to \"a\", which is failed: data.bin is missing",
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
        assert!(texts(&queue, "b", None).contains("no manager runs"));
    }
}
