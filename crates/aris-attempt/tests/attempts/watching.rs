//! The manager's part: what a manager sees, and what the next one finds.

use aris_attempt::format::{Ending, Start};
use aris_attempt::{Runner, Standing, Watch, prepare};

use crate::place::{Place, ended, line_of, next, runner};

fn started(watch: &mut Watch) -> Start {
    match next(watch).remove(0) {
        (
            _,
            Ok(Standing::Running {
                start: Some(start), ..
            }),
        ) => start,
        other => panic!("{other:?}"),
    }
}

#[test]
fn start_and_end_are_told_once_each() {
    let place = Place::new();
    let mut watch = Watch::new().expect("a watch");
    place.start(
        &mut watch,
        &place.spec("until [ -e go ]; do sleep 0.01; done"),
    );
    let start = started(&mut watch);
    assert_eq!(start.pgid, start.process.pid);
    assert!(watch.sweep().is_empty());
    assert_eq!(watch.len(), 1);
    std::fs::write(place.at("go"), "").expect("written");
    assert_eq!(ended(&mut watch).ending, Ending::Code(0));
    assert!(watch.is_empty() && watch.sweep().is_empty() && watch.seen().is_empty());
}

#[test]
fn the_next_manager_finds_the_attempt_and_sees_its_end() {
    let place = Place::new();
    let mut first = Watch::new().expect("a watch");
    place.start(
        &mut first,
        &place.spec("until [ -e go ]; do sleep 0.01; done; exit 5"),
    );
    let start = started(&mut first);
    let mut second = Watch::new().expect("a watch");
    let Standing::Running { start: found, .. } =
        second.adopt(7, &place.attempt()).expect("adopted")
    else {
        panic!("not running");
    };
    assert_eq!(found, Some(start));
    drop(first);
    std::fs::write(place.at("go"), "").expect("written");
    match next(&mut second).remove(0) {
        (7, Ok(Standing::Ended(exit))) => assert_eq!(exit.ending, Ending::Code(5)),
        other => panic!("{other:?}"),
    }
    assert!(matches!(
        second.adopt(7, &place.attempt()).expect("adopted"),
        Standing::Ended(_)
    ));
    assert!(second.is_empty());
}

#[test]
fn an_attempt_that_nobody_has_is_adopted_as_that() {
    let place = Place::new();
    prepare(&place.attempt(), &place.spec("true")).expect("prepared");
    let mut watch = Watch::new().expect("a watch");
    assert_eq!(
        watch.adopt(1, &place.attempt()).expect("adopted"),
        Standing::Unclaimed
    );
    watch
        .launch(1, &runner(), &place.attempt(), &[])
        .expect("launched");
    assert_eq!(watch.len(), 1);
    assert_eq!(ended(&mut watch).ending, Ending::Code(0));
    assert_eq!(
        watch.adopt(2, &place.at("nothing")).expect("adopted"),
        Standing::Unclaimed
    );
    watch.remove(2);
    assert!(watch.is_empty());
}

#[test]
fn a_program_that_cannot_be_started_is_an_error_and_nothing_is_watched() {
    let place = Place::new();
    prepare(&place.attempt(), &place.spec("true")).expect("prepared");
    let mut watch = Watch::new().expect("a watch");
    let absent = Runner {
        program: place.at("no runner"),
        arguments: Vec::new(),
    };
    let error = watch
        .launch(1, &absent, &place.attempt(), &[])
        .expect_err("absent");
    assert!(error.to_string().contains("no runner"), "{error}");
    assert!(watch.is_empty());
}

#[test]
fn a_runner_that_is_not_let_begin_claims_nothing_and_goes() {
    let place = Place::new();
    prepare(&place.attempt(), &place.spec("touch ran")).expect("prepared");
    let mut watch = Watch::new().expect("a watch");
    let start = || runner().start(&place.attempt()).expect("started");
    watch.dismiss(start());
    // As if the manager were killed.
    drop(start());
    let untouched = || {
        let stands = aris_attempt::standing(&place.attempt()).expect("readable");
        stands == Standing::Unclaimed && !place.at("attempt/alive").exists()
    };
    crate::place::until("both are gone", || {
        let mut ps = std::process::Command::new("ps");
        let calls = ps.args(["-A", "-o", "args="]).output().expect("ps").stdout;
        let calls = String::from_utf8_lossy(&calls).into_owned();
        let folder = place.attempt().display().to_string();
        // A process that has ended has no arguments.
        !calls.contains(&folder)
    });
    assert!(untouched());
    let waiting = start();
    watch
        .begin(1, waiting, &place.attempt(), &[])
        .expect("begun");
    assert_eq!(ended(&mut watch).ending, Ending::Code(0));
}

#[test]
fn many_attempts_end_each_with_its_own_record() {
    let place = Place::new();
    let mut watch = Watch::new().expect("a watch");
    for number in 0..60_u64 {
        let folder = place.at(&format!("many/{number}"));
        let mut spec = place.spec(&format!("exit {number}"));
        spec.log = place.at("shared log");
        prepare(&folder, &spec).expect("prepared");
        watch
            .launch(number, &runner(), &folder, &[])
            .expect("launched");
    }
    let mut codes = std::collections::BTreeMap::new();
    while codes.len() < 60 {
        for (key, seen) in next(&mut watch) {
            if let Ok(Standing::Ended(exit)) = seen {
                assert_eq!(codes.insert(key, exit.ending), None);
            }
        }
    }
    for (key, ending) in codes {
        assert_eq!(ending, Ending::Code(i32::try_from(key).expect("small")));
    }
    assert!(watch.is_empty());
}

#[test]
fn a_sweep_alone_finds_everything() {
    let place = Place::new();
    let mut watch = Watch::new().expect("a watch");
    place.start(&mut watch, &place.spec("echo here >ready; exit 4"));
    line_of(&place.at("ready"));
    let mut endings = Vec::new();
    crate::place::until("the end", || {
        for (_, seen) in watch.sweep() {
            if let Ok(Standing::Ended(exit)) = seen {
                endings.push(exit.ending);
            }
        }
        !endings.is_empty()
    });
    assert_eq!(endings, [Ending::Code(4)]);
}
