//! Answers recorded from a real Slurm; skipped where they are not beside the workspace.

use std::path::PathBuf;

use aris_slurm::{BatchSystem as _, Says, Task};

use crate::place::Place;

fn fixtures() -> Option<PathBuf> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../../../shared/testbed/slurm/fixtures/slurm-22.05.8");
    if folder.is_dir() {
        return Some(folder);
    }
    println!("skipped: no recorded answers at {}", folder.display());
    None
}

fn seen(place: &Place, tasks: &[(&str, u32)]) -> Vec<String> {
    let refs: Vec<Task> = tasks
        .iter()
        .map(|(job, index)| Task {
            job: String::from(*job),
            index: *index,
            token: String::from("aq-fixture"),
        })
        .collect();
    let seen = place.engine().observe(&refs).expect("answered");
    let words = seen.into_iter().map(|seen| match seen {
        Says::Queued(why) => format!("queued {why}"),
        Says::Running(node) => format!("running {node}"),
        Says::Ended(_, word) => word,
        Says::NotListed => String::from("not listed"),
    });
    words.collect()
}

#[test]
fn recorded_rows_are_read() {
    let Some(folder) = fixtures() else {
        return;
    };
    let place = Place::new();
    let squeue = folder.join("squeue_r_all.txt");
    place.program("squeue", &format!("cat '{}'", squeue.display()));
    place.program("sacct", "exit 0");
    assert_eq!(
        seen(
            &place,
            &[
                ("2502", 0),
                ("2507", 4),
                ("2503", 5),
                ("2503", 2),
                ("99", 0)
            ]
        ),
        [
            "CANCELLED",
            "CANCELLED",
            "COMPLETED",
            "COMPLETED",
            "not listed"
        ]
    );
    place.program("squeue", "exit 0");
    let sacct = folder.join("sacct_X.txt");
    place.program("sacct", &format!("tail -n +2 '{}'", sacct.display()));
    assert_eq!(
        seen(
            &place,
            &[
                ("2514", 0),
                ("2515", 0),
                ("2516", 0),
                ("2517", 0),
                ("2519", 0),
                ("2520", 0),
                ("2523", 0),
            ]
        ),
        [
            "COMPLETED",
            "FAILED",
            "FAILED",
            "TIMEOUT",
            // Accounting reports it as waiting, and the controller does not list it.
            "not listed",
            "CANCELLED",
            "running n2",
        ]
    );
}

#[test]
fn recorded_limits_are_read() {
    let Some(folder) = fixtures() else {
        return;
    };
    let place = Place::new();
    let config = folder.join("scontrol_config.txt");
    place.program("scontrol", &format!("cat '{}'", config.display()));
    assert_eq!(place.engine().config().expect("told").wave, 1000);
    place.program("scontrol", "echo 'MaxArraySize = 101'");
    assert_eq!(place.engine().config().expect("told").wave, 101);
    place.program("scontrol", "echo nothing");
    assert!(place.engine().config().is_err());
}
