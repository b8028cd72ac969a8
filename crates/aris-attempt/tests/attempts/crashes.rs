//! A runner that is killed before each of its changes on disk: the command runs at most once, and every record is complete or missing.

use std::os::unix::process::ExitStatusExt as _;
use std::process::{Command, Stdio};

use aris_attempt::format::Ending;
use aris_attempt::{Standing, Watch, prepare, standing};

use crate::place::{Place, ended, until};

/// More than the number of changes that a runner makes.
const MANY: u32 = 100;

#[test]
fn a_runner_may_die_anywhere() {
    let mut seen = std::collections::BTreeSet::new();
    for number in 1..MANY {
        let place = Place::new();
        let spec = place.spec("echo ran >>count");
        prepare(&place.attempt(), &spec).expect("prepared");
        let status = Command::new(env!("CARGO_BIN_EXE_attempt_runner"))
            .arg(place.attempt())
            .env("ARIS_FAULT_AT", number.to_string())
            .stdin(Stdio::null())
            .status()
            .expect("started");
        let runs = || {
            std::fs::read_to_string(place.at("count"))
                .unwrap_or_default()
                .lines()
                .count()
        };
        if status.signal().is_none() {
            assert!(status.success());
            assert!(
                number > 3,
                "{number} changes: the crash points are not compiled in"
            );
            assert!(matches!(standing(&place.attempt()), Ok(Standing::Ended(_))));
            // All three cases have occurred: unclaimed, claimed, ended.
            assert_eq!(seen.len(), 3, "{seen:?}");
            return;
        }
        let stands = || standing(&place.attempt()).expect("readable");
        let orphan =
            |stands: Standing| matches!(stands, Standing::Running { orphan, .. } if orphan);
        // The command may outlive its runner.
        until("its job is over", || !orphan(stands()));
        match stands() {
            Standing::Unclaimed => {
                seen.insert("unclaimed");
                assert_eq!(runs(), 0, "crash {number}");
                let mut watch = Watch::new().expect("a watch");
                place.start(&mut watch, &spec);
                assert_eq!(ended(&mut watch).ending, Ending::Code(0), "crash {number}");
            }
            Standing::Lost { claim, start } => {
                seen.insert("lost");
                assert!(claim.is_some(), "crash {number}");
                if start.is_some() {
                    until("the command ran", || runs() == 1);
                }
            }
            Standing::Ended(exit) => {
                seen.insert("ended");
                assert_eq!(exit.ending, Ending::Code(0), "crash {number}");
            }
            Standing::Running { .. } => panic!("crash {number}: it is dead"),
        }
        assert!(runs() <= 1, "crash {number}");
    }
    panic!("more than {MANY} changes");
}
