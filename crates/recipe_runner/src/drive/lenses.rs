//! A step with lenses: several attempts at the same time, each with its own folder, log and outcome.
//!
//! They are in the folder of the step's attempt, numbered from 1; `lenses.json` has their names.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;

use aris_recipe::engine::{Lens, Outcome, OutcomeStatus};

use super::{Call, Made, Source, Work, go_on};
use crate::attempt::{self, LENSES, Left, Program, below, parts_of};
use crate::error::Error;
use crate::store::ticket;

/// Does the work of all lenses, or takes what an earlier call left. `None` where a person must look first, or somebody else does the work.
pub(crate) fn outcome(source: &Source, call: &Call<'_>) -> Result<Option<Outcome>, Error> {
    let (step, state, context) = (call.step, call.state, call.context);
    let lenses = match call.machine.lenses(step, state) {
        Ok(lenses) => lenses,
        Err(why) => return Ok(Some(Outcome::noted(OutcomeStatus::Failure, why))),
    };
    let folder = call.store.attempts().join(ticket(state));
    if !source.carries_out(step, state) {
        return left_behind(call, &folder, names(&lenses));
    }
    aris_fs::create_dir(&folder)?;
    attempt::write(&folder.join(LENSES), &names(&lenses))?;
    let mut works = Vec::new();
    let parts = parts_of(&folder, names(&lenses), Some(&call.store.started()))?;
    for (at, (lens, part)) in lenses.iter().zip(parts).enumerate() {
        // A lens that succeeded in an earlier attempt of the step is not run again.
        let done = match part.left {
            Left::Ended(ref outcome) if !part.folder.starts_with(&folder) => {
                Some((**outcome).clone()).filter(|outcome| outcome.is_success(step))
            }
            _ => None,
        };
        let name = format!("{}[{}]", step.name, lens.name);
        let mut work = Work::new(source, call, name, below(&folder, at), Some(lens));
        let starts =
            done.is_none() && work.makes_room(&part.left, source.args.rerun_interrupted)?;
        works.push((work, done, starts));
    }
    let started = works.iter().filter(|(_, _, starts)| *starts);
    let started = started.map(|(work, _, _)| (work.folder.as_path(), work.request.digest()));
    let started = call.store.start(state, &started.collect::<Vec<_>>())?;
    let (name, below_it, go_on) = (&step.name, folder.display(), go_on(call.store));
    let words = format!(
        "interrupted; the lenses of {name} that still run go on, their outputs are below {below_it}; {go_on}"
    );
    source.interrupt.say(move || words.clone());
    let program = Program::this(context)?;
    let (clock, attempt) = (context.clock(), state.attempts + 1);
    let cancelled = AtomicBool::new(false);
    let one = |(work, done, _): &(Work, Option<Outcome>, bool), say: &mpsc::Sender<String>| {
        let told = None;
        if let Some(outcome) = done {
            let left = Left::Ended(Box::new(outcome.clone()));
            return Ok(Made { left, told });
        }
        // After a cancellation nothing new begins.
        if cancelled.load(Ordering::SeqCst) {
            let left = Left::Nothing;
            return Ok(Made { left, told });
        }
        let tell = |line: String| say.send(line).unwrap_or_default();
        let left = attempt::left(&work.folder, Some(&started))?;
        if let Some(begun) = work.begins(&left, attempt) {
            tell(begun);
        }
        let made = work.make(&started, &program, clock)?;
        match &made.left {
            Left::Ended(outcome) => tell(format!("{}: {}", work.name, outcome.status.word())),
            Left::Cancelled => cancelled.store(true, Ordering::SeqCst),
            _ => {}
        }
        Ok(made)
    };
    let (say, said) = mpsc::channel();
    let made: Vec<Result<Made, Error>> = std::thread::scope(|scope| {
        let all = scope.spawn(|| {
            // Dropped with the last lens, so that the loop below ends.
            let say = say;
            aris_fs::map_in_parallel(source.jobs(), &works, |work| one(work, &say))
        });
        for line in &said {
            context.note(&line);
        }
        all.join()
            .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    });
    source.interrupt.say_nothing();
    let mut ended = Vec::new();
    let mut waits = false;
    for (made, ((work, ..), name)) in made.into_iter().zip(works.iter().zip(names(&lenses))) {
        let made = made?;
        match source.judged(call, made, work) {
            Some(outcome) => ended.push((name, outcome)),
            None => waits = true,
        }
    }
    Ok((!waits).then(|| Outcome::of_lenses(step, ended)))
}

fn names(lenses: &[Lens]) -> Vec<String> {
    lenses.iter().map(|lens| lens.name.clone()).collect()
}

/// Takes what an earlier call began: it is neither given to somebody else nor started again.
fn left_behind(
    call: &Call<'_>,
    folder: &Path,
    names: Vec<String>,
) -> Result<Option<Outcome>, Error> {
    let mut ended = Vec::new();
    let mut is_whole = true;
    for part in parts_of(folder, names, Some(&call.store.started()))? {
        match (part.left, part.lens) {
            (Left::AtWork(work), _) => return Err(work.refuses(&call.step.name)),
            (Left::Ended(outcome), Some(lens)) => ended.push((lens, *outcome)),
            _ => is_whole = false,
        }
    }
    Ok(is_whole.then(|| Outcome::of_lenses(call.step, ended)))
}
