//! Runs a recipe, one step at a time.

use serde_json::{Map, Value, json};

use super::capture::{self, Captured};
use super::outcome::{Outcome, OutcomeStatus};
use super::routing::{self, Taken};
use super::state::{Entry, Event, Start, State, Status, digest_of};
use super::tokens::Reading;
use super::values::ListedValues;
use crate::expression::{Expression, Namespace};
use crate::graph::{Graph, Skip};
use crate::model::{Kind, Recipe, Step, Target, Via};
use crate::rules::data::Manifest;
use crate::value::is_truthy;

/// A recipe that is ready to run: composed, and with its graph.
#[derive(Debug)]
pub struct Machine {
    /// The recipe, without placeholders.
    pub recipe: Recipe,
    /// Its graph.
    pub graph: Graph,
    /// The outputs of skills, from their contracts.
    listed: ListedValues,
}

/// What the step at the cursor needs.
#[derive(Clone, Copy, Debug)]
pub enum Poll<'a> {
    /// The run is over, or the cursor names no step.
    Over,
    /// No outcome: [`Machine::apply`] goes on without one.
    Ready(&'a Step),
    /// An outcome, if there is one.
    Optional(&'a Step),
    /// An outcome: somebody has to do its work.
    Needs(&'a Step),
}

impl Machine {
    /// How the answer of an agent's step is read; `calls` are the filled-in arguments of the call, or of each.
    pub fn reading(&self, step: &Step, calls: &[Map<String, Value>]) -> Reading {
        let is_tool = matches!(step.kind(), Kind::Tool(_) | Kind::Python(_));
        Reading {
            lists: step.list_fields(),
            paths: self.listed.lists(step, calls),
            single: self.listed.decisive(step, calls),
            with_colon: step.result_fields().filter(|_| is_tool).collect(),
        }
    }

    /// Makes a recipe ready. With a `manifest`, an answer outside the values that a skill's contract lists is a failure of its step.
    pub fn new(recipe: Recipe, manifest: Option<&Manifest>) -> Self {
        let listed = manifest.map(ListedValues::of);
        Self {
            graph: Graph::of(&recipe),
            listed: listed.unwrap_or_default(),
            recipe,
        }
    }

    /// Starts a state that has no journal at a step.
    pub fn begin(&self, state: &mut State, step: &str) {
        let start = Start {
            step: step.to_owned(),
            context: state.context.clone(),
        };
        state.head = Some(Self::start_digest(state, &start));
        state.start = Some(start);
        state.cursor = Some(step.to_owned());
        let declared = self.recipe.state.iter();
        let classes =
            declared.filter_map(|one| Some((one.variable.text.clone(), one.class?.to_string())));
        state.classes = classes.collect();
    }

    pub(super) fn start_digest(state: &State, start: &Start) -> String {
        digest_of(&json!({"inputs": state.inputs, "start": start}))
    }

    /// What the step at the cursor needs.
    pub fn poll(&self, state: &State) -> Poll<'_> {
        if state.status.is_over() {
            return Poll::Over;
        }
        let cursor = state.cursor.as_deref().unwrap_or_default();
        let Some(step) = self.recipe.step(cursor) else {
            return Poll::Over;
        };
        if step.is_stop() || Self::is_skipped(step, state) || self.is_used_up(step, state) {
            return Poll::Ready(step);
        }
        match step.kind() {
            Kind::Agent | Kind::Command | Kind::Tool(_) | Kind::Python(_) | Kind::Confirm => {
                Poll::Needs(step)
            }
            Kind::Route => Poll::Optional(step),
            Kind::Constant
            | Kind::Stop
            | Kind::SubRecipe(_)
            | Kind::UnknownAction(_)
            | Kind::Nothing => Poll::Ready(step),
        }
    }

    /// Goes on by one step, or by one attempt of it. `at` is the time, which only the journal keeps.
    ///
    /// Nothing happens when the run is over, or when the step needs an outcome and there is none.
    pub fn apply(&self, state: &mut State, outcome: Option<&Outcome>, at: Option<&str>) {
        let (step, outcome) = match (self.poll(state), outcome) {
            (Poll::Over, _) | (Poll::Needs(_), None) => return,
            (Poll::Ready(step), _) => (step, None),
            (Poll::Optional(step) | Poll::Needs(step), outcome) => (step, outcome),
        };
        if state.journal.len() as u64 >= state.max_steps {
            state.status = Status::LoopGuard;
            return;
        }
        state.status = Status::Running;
        let mut entry = Entry {
            seq: state.journal.len() as u64 + 1,
            step: step.name.clone(),
            visit: state.visits.get(&step.name).copied().unwrap_or(0),
            outcome: outcome.map(digest_of),
            at: at.map(str::to_owned),
            ..Entry::default()
        };
        if step.is_stop() {
            entry.event = Event::Stop;
            entry.visit += 1;
            self.record(state, entry, None);
        } else if Self::is_skipped(step, state) {
            entry.event = Event::Skipped;
            self.skip(state, step, entry);
        } else if self.is_used_up(step, state) {
            entry.event = Event::Exhausted;
            entry.status = Some(OutcomeStatus::Exhausted.word().to_owned());
            let taken = Taken::new(Via::Exhausted, Some(step.exhausted_route()));
            self.finish(state, entry, taken);
        } else {
            self.execute(state, step, outcome, entry);
        }
    }

    fn skip(&self, state: &mut State, step: &Step, mut entry: Entry) {
        let skip = self.skip_of(step);
        let guessed = skip.filter(|skip| skip.how.is_guess());
        entry.inferred = guessed.map(|skip| skip.how.to_string());
        let target = skip.and_then(|skip| skip.target.as_ref());
        let taken = Taken::new(Via::Skip, target.map(Target::name));
        self.finish(state, entry, taken);
    }

    fn skip_of(&self, step: &Step) -> Option<&Skip> {
        self.graph.skips.get(&self.recipe.position(&step.name)?)
    }

    fn execute(&self, state: &mut State, step: &Step, given: Option<&Outcome>, mut entry: Entry) {
        let constant = match (step.kind(), &step.constant) {
            (Kind::Constant, Some(node)) => {
                let result = Map::from_iter([(String::from("value"), node.to_json())]);
                Some(Outcome::success(result))
            }
            _ => None,
        };
        let nothing = Outcome::success(Map::new());
        let outcome = constant.as_ref().or(given).unwrap_or(&nothing);
        let mut notes: Vec<String> = outcome.note.iter().cloned().collect();
        if outcome.is_tainted() {
            state.tainted = true;
            notes.push(String::from("tainted"));
        }
        let mut status = outcome.meaning(step);
        let calls = self.calls(step, state);
        let refuse = |partial| self.listed.refuse(step, &calls, outcome, partial);
        let problem = match status {
            OutcomeStatus::Success => refuse(false),
            OutcomeStatus::ContextLimit => refuse(true),
            OutcomeStatus::Failure if !outcome.results.is_empty() => refuse(true),
            _ => None,
        };
        let refused = problem.is_some();
        if refused {
            status = OutcomeStatus::Failure;
        }
        notes.extend(problem);
        if status == OutcomeStatus::Stale {
            if state.attempts < step.retries() {
                state.attempts += 1;
                state.notes.append(&mut notes);
                return;
            }
            status = OutcomeStatus::Exhausted;
        }
        entry.visit += 1;
        entry.attempts = state.attempts + 1;
        entry.status = Some(status.word().to_owned());
        let captures = |partial| capture::of(&self.recipe, step, state, outcome, partial);
        let mut captured = match status {
            OutcomeStatus::Success => captures(false),
            OutcomeStatus::ContextLimit => captures(true),
            // Some of the lenses succeeded.
            OutcomeStatus::Failure if !outcome.results.is_empty() && !refused => captures(true),
            _ => Captured::default(),
        };
        let mut all = std::mem::take(&mut state.notes);
        all.append(&mut notes);
        all.append(&mut captured.notes);
        // Routing sees what was just captured.
        state.context.extend(captured.values.clone());
        entry.captured = captured.values;
        let mut taken = routing::route(state, step, status, outcome);
        all.append(&mut taken.notes);
        taken.notes = all;
        self.finish(state, entry, taken);
    }

    /// Continues a run that halted for lack of a route, under a recipe that has one now. The step is not executed again.
    ///
    /// Returns whether there was such a route.
    pub fn reroute(&self, state: &mut State, at: Option<&str>) -> bool {
        let last = state.journal.last();
        let Some(last) = last.filter(|_| state.status == Status::Halted) else {
            return false;
        };
        let Some(mut taken) = self.way_now(last) else {
            return false;
        };
        taken.notes.push(String::from("rerouted"));
        let entry = Entry {
            seq: last.seq + 1,
            attempts: 0,
            captured: Map::new(),
            outcome: None,
            at: at.map(str::to_owned),
            ..last.clone()
        };
        self.finish(state, entry, taken);
        true
    }

    /// Where the step of an entry leads by the same edge under this recipe.
    fn way_now(&self, entry: &Entry) -> Option<Taken> {
        let step = self.recipe.step(&entry.step)?;
        let via = entry.edge.clone()?;
        let route = match &via {
            Via::Failure | Via::NoMatch => step.on_failure.as_deref(),
            Via::ContextLimit => step.on_context_limit.as_deref(),
            Via::Exhausted => Some(step.exhausted_route()),
            Via::Skip => self.skip_of(step)?.target.as_ref().map(Target::name),
            // A route that a result names, or success without a route, does not halt.
            Via::Success | Via::Default | Via::Result(_) | Via::Bypass => None,
        };
        self.recipe.target(route?)?;
        Some(Taken::new(via, route))
    }

    /// Looks up the target of the route, and records the entry.
    fn finish(&self, state: &mut State, mut entry: Entry, mut taken: Taken) {
        let route = taken.route.as_deref();
        let target = route.and_then(|route| self.recipe.target(route));
        let halt = match (&taken.route, &target) {
            (_, Some(_)) => None,
            (Some(route), None) => {
                taken.notes.push(format!("no step is called {route}"));
                Some("unknown_target")
            }
            (None, None) if taken.notes.iter().any(|note| note == "unknown_action") => {
                Some("unknown_action")
            }
            (None, None) if entry.event == Event::Skipped => Some("missing_skip_route"),
            (None, None) => Some("missing_route"),
        };
        entry.edge = Some(taken.via);
        entry.target = target.as_ref().map(|target| target.name().to_owned());
        entry.note = (!taken.notes.is_empty()).then(|| taken.notes.join("; "));
        self.record(state, entry, target.as_ref());
        state.halt = halt.map(str::to_owned);
    }

    /// Adds an entry to the journal, and updates everything that follows from it.
    fn record(&self, state: &mut State, mut entry: Entry, target: Option<&Target>) {
        entry.prev.clone_from(&state.head);
        state.head = Some(digest_of(&entry));
        self.fold(state, &entry, target);
        state.journal.push(entry);
    }

    /// Updates everything but the journal.
    pub(super) fn fold(&self, state: &mut State, entry: &Entry, target: Option<&Target>) {
        let from = self.recipe.position(&entry.step);
        if matches!(entry.event, Event::Executed | Event::Stop) {
            state.visits.insert(entry.step.clone(), entry.visit);
        }
        let bounded = from.is_some_and(|at| self.graph.bounds.contains_key(&at));
        if entry.event == Event::Executed && entry.attempts > 0 && bounded {
            *state.budget.entry(entry.step.clone()).or_default() += 1;
        }
        state.context.extend(entry.captured.clone());
        let to = self.recipe.place(target);
        if let (Some(from), Some(to)) = (from, to)
            && self.is_progress(from, entry.edge.as_ref())
            && self.graph.components.same(from, to)
        {
            for member in self.graph.components.members(from) {
                if let Some(step) = self.recipe.steps.get(*member) {
                    state.budget.remove(&step.name);
                }
            }
        }
        state.attempts = 0;
        let stop = self.recipe.step(&entry.step);
        state.failed = entry.event == Event::Stop && stop.is_some_and(|stop| stop.failed);
        (state.status, state.cursor) = match (entry.event, target) {
            (Event::Stop, _) | (_, Some(Target::Done)) => (Status::Completed, None),
            (_, Some(Target::Escalate)) => (Status::Escalated, None),
            (_, Some(Target::Step(name))) => (Status::Running, Some(name.clone())),
            (_, None) => (Status::Halted, Some(entry.step.clone())),
        };
    }

    /// Whether a routing step took an edge because of a result, which begins the next item of work.
    fn is_progress(&self, from: usize, edge: Option<&Via>) -> bool {
        let step = self.recipe.steps.get(from);
        let Some((step, via)) = step
            .zip(edge)
            .filter(|(step, _)| step.kind() == Kind::Route)
        else {
            return false;
        };
        let condition = step.branch(via).and_then(|(_, taken)| taken.condition());
        let mut reads = condition.into_iter().flat_map(Expression::references);
        reads.any(|one| one.namespace == Namespace::Result)
    }

    fn is_skipped(step: &Step, state: &State) -> bool {
        let input = step.skip_input().and_then(|name| state.inputs.get(name));
        step.skip_when_false.is_some() && !input.is_some_and(|value| is_truthy(value))
    }

    fn is_used_up(&self, step: &Step, state: &State) -> bool {
        let at = self.recipe.position(&step.name);
        let bound = at.and_then(|at| self.graph.bounds.get(&at));
        let used = state.budget.get(&step.name).copied().unwrap_or(0);
        // A visit that has begun may use all its attempts.
        state.attempts == 0 && bound.is_some_and(|bound| used >= *bound)
    }
}
