//! For any recipe and any outcomes: the state is the same every time, its journal is valid, and every cut of the journal is found.

use aris_recipe::engine::state::RecipeRef;
use std::fmt::Write as _;

use aris_recipe::engine::{Machine, Outcome, OutcomeStatus, Poll, State, Status};
use aris_recipe::model::parse;
use proptest::prelude::*;
use serde_json::{Map, Value};
use strum::VariantArray as _;

/// A recipe of up to eight steps with routes anywhere.
fn recipe() -> impl Strategy<Value = String> {
    let target = prop_oneof![
        6 => (0..8_usize).prop_map(|at| format!("s{at}")),
        1 => Just(String::from("done")),
        1 => Just(String::from("escalate")),
        1 => Just(String::from("nowhere")),
    ];
    let field = |name: &'static str, target: BoxedStrategy<String>| {
        prop_oneof![
            1 => Just(String::new()),
            2 => target.prop_map(move |target| format!(", {name}: {target}")),
        ]
    };
    let target = target.boxed();
    let step = (
        prop::sample::select(vec![
            "tool: run_skill",
            "tool: run_cmd",
            "action: route",
            "action: stop, message: m",
            "action: confirm, message: m",
            "constant: 3",
            "action: dance",
        ]),
        field("on_success", target.clone()),
        field("on_failure", target.clone()),
        field("on_exhausted", target.clone()),
        prop_oneof![
            1 => Just(String::new()),
            1 => (target.clone(), target.clone()).prop_map(|(one, other)| format!(
                ", on_result: [{{when: '${{{{ result.v }}}} == 1', route: {one}}}, {{when: '${{{{ context.x }}}} > 1', route: {other}}}]"
            )),
            1 => target.clone().prop_map(|to| format!(", on_result: {{field: v, routes: {{1: {to}}}}}")),
        ],
        prop::sample::select(vec![
            "",
            ", retries: 1",
            ", max_visits: 2",
            ", skip_when_false: inputs.off",
            ", capture: {x: '${{ result.v }}'}",
            ", capture_list: {x: '${{ result.v }}'}, retries: 2",
        ]),
    );
    prop::collection::vec(step, 1..8).prop_map(|steps| {
        let mut text = String::from("name: r\nstate: {x: APPEND_ONLY}\nsteps:\n");
        for (at, (kind, success, failure, exhausted, result, more)) in steps.iter().enumerate() {
            writeln!(
                text,
                "  s{at}: {{{kind}{success}{failure}{exhausted}{result}{more}}}"
            )
            .unwrap();
        }
        text
    })
}

fn outcomes() -> impl Strategy<Value = Vec<Outcome>> {
    let outcome = (
        prop::sample::select(OutcomeStatus::VARIANTS.to_vec()),
        0..3_u8,
    )
        .prop_map(|(status, value)| {
            let mut outcome = Outcome::of(status);
            if value > 0 {
                outcome.result = Some(Map::from_iter([(String::from("v"), Value::from(value))]));
            }
            outcome
        });
    prop::collection::vec(outcome, 0..30)
}

fn begin(machine: &Machine) -> State {
    let mut state = State::new(
        RecipeRef::default(),
        [(String::from("off"), String::from("no"))].into(),
        40,
    );
    machine.begin(&mut state, "s0");
    state
}

/// Makes one step of a run; false when the run is over or needs an outcome that is not there.
fn step(
    machine: &Machine,
    state: &mut State,
    outcomes: &mut impl Iterator<Item = Outcome>,
) -> bool {
    let outcome = match machine.poll(state) {
        Poll::Over => return false,
        Poll::Ready(_) => None,
        Poll::Optional(_) | Poll::Needs(_) => match outcomes.next() {
            Some(outcome) => Some(outcome),
            None => return false,
        },
    };
    machine.apply(state, outcome.as_ref(), Some("2026-01-01T00:00:00Z"));
    state.status != Status::LoopGuard
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn a_state_is_what_its_journal_says(text in recipe(), outcomes in outcomes()) {
        let machine = Machine::new(parse(&text).unwrap(), None);
        let mut state = begin(&machine);
        let mut given = outcomes.clone().into_iter();
        let mut steps = 0;
        while step(&machine, &mut state, &mut given) {
            steps += 1;
            prop_assert!(steps < 1000);
            // The state is written and read again between two steps.
            let written = serde_json::to_string(&state).unwrap();
            let mut read: State = serde_json::from_str(&written).unwrap();
            prop_assert_eq!(machine.verify(&mut read), Ok(()), "{}", text);
            prop_assert_eq!(&read, &state);
        }
        // The same outcomes give the same state.
        let mut again = begin(&machine);
        let mut given = outcomes.into_iter();
        while step(&machine, &mut again, &mut given) {}
        prop_assert_eq!(&again, &state);
        // Every prefix of the journal, and every entry taken out, is found.
        for cut in 0..state.journal.len() {
            let mut shorter = state.clone();
            shorter.journal.truncate(cut);
            prop_assert!(machine.verify(&mut shorter).is_err());
            let mut holed = state.clone();
            holed.journal.remove(cut);
            prop_assert!(machine.verify(&mut holed).is_err());
        }
    }
}
