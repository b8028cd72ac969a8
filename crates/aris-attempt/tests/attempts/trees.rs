//! Commands that start other processes: which of these are waited for, which are ended, and which hold the cards.

use aris_attempt::cards::lease::Leases;
use aris_attempt::format::{EndedByUs, Ending, SPEC};
use aris_attempt::{Standing, Watch, prepare};
use rustix::process::{Pid, Signal, kill_process};

use crate::place::{Place, ended, left, line_of, lives, runner, until};

/// Starts a child in its own session that writes its process id and keeps running.
const AWAY: &str =
    "setsid sh -c 'echo $$ >away; exec sleep 1000' & until [ -s away ]; do :; done; ";

#[test]
fn children_that_end_by_themselves_are_waited_for() {
    let place = Place::new();
    let exit =
        place.run(&place.spec(
            "{ until [ -e go ]; do :; done; echo late >late; } & echo early; touch go; exit 7",
        ));
    assert_eq!((exit.ending, exit.left_behind), (Ending::Code(7), 0));
    assert_eq!(line_of(&place.at("late")), "late");
}

#[test]
fn children_that_stay_are_ended_after_the_linger_wherever_they_went() {
    let place = Place::new();
    let mut spec = place.spec(&format!("{AWAY} exit 0"));
    spec.linger_ms = 100;
    let exit = place.run(&spec);
    assert_eq!(
        (exit.ending, exit.ended_by_us, exit.left_behind),
        (Ending::Code(0), EndedByUs::None, 1)
    );
    assert!(!lives(&line_of(&place.at("away"))));
}

#[test]
fn children_that_ignore_sigterm_in_sessions_of_their_own_are_killed() {
    let place = Place::new();
    let mut spec = place.spec(
        "for n in 1 2 3; do setsid bash -c \"trap '' TERM; echo \\$\\$ >child\\$0; while :; do sleep 1000; done\" $n & done; \
         until [ -s child1 ] && [ -s child2 ] && [ -s child3 ]; do :; done; trap '' TERM; while :; do sleep 1000; done",
    );
    (spec.time_limit_ms, spec.kill_grace_ms) = (Some(1000), 200);
    let exit = place.run(&spec);
    assert_eq!(
        (exit.ending, exit.ended_by_us),
        (Ending::Signal(9), EndedByUs::TimeLimit)
    );
    for child in ["child1", "child2", "child3"] {
        assert!(!lives(&line_of(&place.at(child))), "{child}");
    }
}

#[test]
fn a_tree_that_grows_while_it_is_killed_is_gone_in_the_end() {
    let place = Place::new();
    let mut spec = place.spec("f() { trap '' TERM; echo >>grown; sleep 0.05; f & sleep 1000; }; f");
    (spec.time_limit_ms, spec.kill_grace_ms, spec.linger_ms) = (Some(500), 100, 0);
    place.run(&spec);
    let marked = |entry: &std::fs::DirEntry| {
        let environment = std::fs::read(entry.path().join("environ")).unwrap_or_default();
        let mark = place.path().display().to_string();
        environment
            .windows(mark.len())
            .any(|window| window == mark.as_bytes())
    };
    let family = std::fs::read_dir("/proc")
        .expect("listed")
        .flatten()
        .filter(marked);
    assert_eq!(family.count(), 0);
}

#[test]
fn a_lease_is_held_until_the_last_process_of_the_job_is_gone() {
    let place = Place::new();
    let leases = Leases::open(&place.at("leases")).expect("a folder");
    let lease = leases.take("GPU-1").expect("works").expect("free");
    let mut spec = place.spec(&format!("{AWAY} exec sleep 1000"));
    spec.leases = vec![lease.path().to_path_buf()];
    prepare(&place.attempt(), &spec).expect("prepared");
    let mut watch = Watch::new().expect("a watch");
    watch
        .launch(1, &runner(), &place.attempt(), &[lease])
        .expect("launched");
    let away = line_of(&place.at("away"));
    let taken = || leases.take("GPU-1").expect("works").is_none();
    assert!(taken());

    // The runner is killed. Its children live on and keep the cards, so the job still runs, and its end will be unknown.
    let Standing::Running {
        claim,
        start: Some(start),
        ..
    } = aris_attempt::standing(&place.attempt()).expect("readable")
    else {
        panic!("not running");
    };
    let kill = |pid: i32| {
        kill_process(Pid::from_raw(pid).expect("a number"), Signal::KILL).expect("killed");
    };
    kill(claim.runner.pid);
    let orphan = || {
        let stands = aris_attempt::standing(&place.attempt()).expect("readable");
        matches!(stands, Standing::Running { orphan, .. } if orphan)
    };
    until("the runner is gone", orphan);
    assert!(taken());
    kill(start.process.pid);
    until("the command is gone", || {
        !lives(&start.process.pid.to_string())
    });
    assert!(taken() && orphan());
    kill(away.parse().expect("a number"));
    until("the card is free", || !taken());
    let over = |watch: &mut Watch| {
        let told = watch.seen().into_iter().chain(watch.sweep());
        told.into_iter().find_map(|(_, seen)| match seen {
            Ok(stands @ Standing::Lost { .. }) => Some(stands),
            _ => None,
        })
    };
    until("the end is told", || {
        over(&mut watch).is_some_and(|stands| {
            matches!(
                stands,
                Standing::Lost {
                    claim: Some(_),
                    start: Some(_)
                }
            )
        })
    });
    assert!(watch.is_empty());
}

#[test]
fn a_lease_is_free_when_the_end_is_told() {
    let place = Place::new();
    let leases = Leases::open(&place.at("leases")).expect("a folder");
    let cards = ["GPU-1", "GPU-2"].map(|card| leases.take(card).expect("works").expect("free"));
    let mut spec = place.spec("ls /proc/self/fd; exit 0");
    spec.leases = cards
        .iter()
        .map(|lease| lease.path().to_path_buf())
        .collect();
    prepare(&place.attempt(), &spec).expect("prepared");
    let mut watch = Watch::new().expect("a watch");
    watch
        .launch(1, &runner(), &place.attempt(), &cards)
        .expect("launched");
    drop(cards);
    assert_eq!(ended(&mut watch).ending, Ending::Code(0));
    // A parallel test that is starting a process may still have these leases open, so they are tried again.
    for card in ["GPU-1", "GPU-2"] {
        until(card, || leases.take(card).expect("works").is_some());
    }
    // The leases are open, and besides them only what every program has.
    let usual = std::process::Command::new("ls")
        .arg("/proc/self/fd")
        .output()
        .expect("run");
    let usual = String::from_utf8_lossy(&usual.stdout).into_owned();
    let log = place.log();
    let more: Vec<&str> = log
        .lines()
        .filter(|line| !usual.lines().any(|one| one == *line))
        .collect();
    // Besides the two cards, the lock of the tree is open.
    assert_eq!(more.len(), 3, "{more:?}");
    let beyond_scripts = |fd: &&str| fd.parse::<u32>().is_ok_and(|fd| fd >= 20);
    assert!(more.iter().all(beyond_scripts), "{more:?}");
}

#[test]
fn a_runner_without_its_leases_runs_nothing_and_leaves_the_attempt_unclaimed() {
    let place = Place::new();
    Leases::open(&place.at("leases")).expect("a folder");
    let card = place.at("leases/GPU-1.lock");
    // Another process holds the card: if this one did, processes that parallel tests start could inherit the lease for a moment.
    let mut holder = place.spec("touch held; until [ -e go ]; do sleep 0.01; done");
    (holder.leases, holder.log) = (vec![card.clone()], place.at("log of the holder"));
    prepare(&place.at("holder"), &holder).expect("prepared");
    let mut holding = Watch::new().expect("a watch");
    holding
        .launch(1, &runner(), &place.at("holder"), &[])
        .expect("launched");
    until("the card is held", || place.at("held").exists());

    let mut spec = place.spec("touch ran");
    spec.leases = vec![card];
    let mut watch = Watch::new().expect("a watch");
    place.start(&mut watch, &spec);
    assert_eq!(left(&mut watch), Standing::Unclaimed);
    let complaint = aris_attempt::runner::complaint(&place.attempt()).expect("there");
    assert!(complaint.contains("held by another job"), "{complaint}");
    assert!(!place.at("ran").exists());

    std::fs::write(place.at("go"), "").expect("written");
    assert_eq!(ended(&mut holding).ending, Ending::Code(0));
    // The card is free now, so the next runner takes it by name.
    place.start(&mut watch, &spec);
    assert_eq!(ended(&mut watch).ending, Ending::Code(0));
    assert!(place.at("ran").exists());
}

#[test]
fn a_runner_without_a_readable_specification_runs_nothing() {
    let place = Place::new();
    let mut watch = Watch::new().expect("a watch");
    for text in ["", "{}", "{\"schema\": 3}", "\u{1}"] {
        std::fs::create_dir_all(place.attempt()).expect("created");
        std::fs::write(place.attempt().join(SPEC), text).expect("written");
        watch
            .launch(1, &runner(), &place.attempt(), &[])
            .expect("launched");
        assert_eq!(left(&mut watch), Standing::Unclaimed, "{text}");
        let complaint = aris_attempt::runner::complaint(&place.attempt()).expect("there");
        assert!(complaint.contains("spec.json line"), "{complaint}");
    }
}
