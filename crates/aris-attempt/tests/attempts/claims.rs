//! Several runners for one attempt.

use aris_attempt::format::{EndedByUs, Ending, HEARTBEAT_FILE};
use aris_attempt::{AttemptError, Standing, Watch, prepare, withdraw};

use crate::place::{Place, left, next, runner};

#[test]
fn of_many_runners_of_one_attempt_one_runs_it() {
    let place = Place::new();
    let spec = place.spec("echo ran >>count; until [ -e go ]; do sleep 0.01; done");
    prepare(&place.attempt(), &spec).expect("prepared");
    let mut watches: Vec<Watch> = (0..8)
        .map(|_| {
            let mut watch = Watch::new().expect("a watch");
            watch
                .launch(1, &runner(), &place.attempt(), &[])
                .expect("launched");
            watch
        })
        .collect();
    crate::place::line_of(&place.at("count"));
    std::fs::write(place.at("go"), "").expect("written");
    // Each manager sees the same end, whether its own runner was the first or not.
    for watch in &mut watches {
        let exit = crate::place::ended(watch);
        assert_eq!(exit.ending, Ending::Code(0));
    }
    assert_eq!(
        std::fs::read_to_string(place.at("count")).expect("there"),
        "ran\n"
    );
}

#[test]
fn an_attempt_that_is_over_is_not_run_again() {
    let place = Place::new();
    let spec = place.spec("echo ran >>count");
    place.run(&spec);
    let mut watch = Watch::new().expect("a watch");
    watch
        .launch(1, &runner(), &place.attempt(), &[])
        .expect("launched");
    let seen = next(&mut watch);
    assert!(matches!(seen.as_slice(), [.., (1, Ok(Standing::Ended(_)))]));
    assert_eq!(
        std::fs::read_to_string(place.at("count")).expect("there"),
        "ran\n"
    );
}

#[test]
fn a_runner_whose_attempt_was_given_up_ends_its_job() {
    let place = Place::new();
    let mut watch = Watch::new().expect("a watch");
    place.start(&mut watch, &place.spec("exec sleep 1000"));
    // The next attempt is claimed, as if somebody had believed the runner dead.
    let second = place.at("2");
    std::fs::create_dir(&second).expect("created");
    withdraw(&second).expect("claimed");
    // The runner notices this at its next heartbeat.
    let exit = crate::place::ended(&mut watch);
    assert_eq!(exit.ended_by_us, EndedByUs::Cancelled);
    assert!(place.attempt().join(HEARTBEAT_FILE).exists());
}

#[test]
fn a_withdrawn_attempt_is_never_run() {
    let place = Place::new();
    let spec = place.spec("touch ran");
    prepare(&place.attempt(), &spec).expect("prepared");
    withdraw(&place.attempt()).expect("withdrawn");
    assert!(matches!(
        withdraw(&place.attempt()),
        Err(AttemptError::Taken { .. })
    ));
    let mut watch = Watch::new().expect("a watch");
    watch
        .launch(1, &runner(), &place.attempt(), &[])
        .expect("launched");
    assert!(matches!(left(&mut watch), Standing::Lost { .. }));
    assert!(!place.at("ran").exists());
}
