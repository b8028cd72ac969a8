//! Imports a state file that has no journal of ours.

use std::path::Path;

use aris_attempt::cards::CardId;
use serde::Deserialize;

use super::not_a_state_file;
use aris_queue::problem::Invalid;
use aris_queue::state::{Event, Imported, Queue};

/// The imported events, and notices for people.
pub(crate) type Taken = (Vec<Event>, Vec<String>);

/// Imports a state file without a journal: the reference's, or ours after its folder was removed.
///
/// **Errors**: the file is no state file. It is not changed.
pub(crate) fn import(path: &Path, text: &str, queue: &Queue) -> Result<Taken, Invalid> {
    #[derive(Deserialize)]
    struct Old {
        jobs: Vec<OldJob>,
    }
    // Only the keys that are imported: files of other programs and versions may have more, and other values.
    #[derive(Deserialize)]
    struct OldJob {
        id: String,
        status: String,
        #[serde(default)]
        attempts: u32,
        gpu: Option<CardId>,
        pid: Option<i32>,
        started: Option<String>,
        completed: Option<String>,
    }
    let time = |text: Option<String>| super::moment(&text?);
    let hint = "move the file away to begin anew, or restore it from a copy; nothing was started";
    let old: Old =
        serde_json::from_str(text).map_err(|error| not_a_state_file(path, &error, Some(hint)))?;
    let (mut events, mut notices) = (Vec::new(), Vec::new());
    for job in old.jobs {
        let id = &job.id;
        let Some(known) = queue.find(id) else {
            notices.push(format!("{id:?} of the state file is not in the manifest"));
            continue;
        };
        let retries = queue.job(known).settings.retry.oom;
        let state = match job.status.as_str() {
            "pending" if job.attempts == 0 => continue,
            "pending" => Imported::OutOfMemory,
            "failed_oom" if job.attempts <= retries => Imported::OutOfMemory,
            "completed" => Imported::Completed,
            "running" => {
                let pid = match job.pid {
                    Some(pid) if aris_attempt::runs(pid) => {
                        format!("a process {pid}, which the file names, runs on this machine")
                    }
                    Some(pid) => {
                        format!("process {pid}, which the file names, is not on this machine")
                    }
                    None => String::from("the file names no process"),
                };
                notices.push(format!(
                    "{id:?} was running when the other manager ended, and may still run ({pid}): look for its screen session EQ_{id} before you retry it"
                ));
                Imported::Running
            }
            _ => Imported::Stuck,
        };
        events.push(Event::Imported {
            id: job.id,
            state,
            attempts: job.attempts,
            cards: job.gpu.into_iter().collect(),
            started: time(job.started),
            ended: time(job.completed),
        });
    }
    Ok((events, notices))
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;
    use aris_queue::manifest;
    use aris_queue::state::{Reason, State};

    #[test]
    fn the_references_state_file_is_taken_over_once() {
        let manifest = "jobs: [{id: a, cmd: x}, {id: b, cmd: x, needs: a}]";
        let mut queue = Queue::new(manifest::parse(Path::new("m"), manifest).expect("manifest"));
        let text = r#"{"meta": {}, "phases": [], "jobs": [{"id": "a", "status": "completed", "attempts": 1, "x": 1}, {"id": "b", "status": "running", "attempts": 2}, {"id": "gone", "status": "stuck"}]}"#;
        let (events, notices) = import(Path::new("s"), text, &queue).expect("state file");
        for event in &events {
            queue
                .apply(event, Timestamp::UNIX_EPOCH, 0, 0)
                .expect("legal");
        }
        assert_eq!(
            (queue.state(0), queue.state(1)),
            (State::Completed, State::Lost)
        );
        assert_eq!(queue.reason(1), Some(Reason::Imported));
        assert!(
            notices.len() == 2 && notices[0].contains("EQ_b"),
            "{notices:?}"
        );
        let torn = import(Path::new("s"), "{\"meta\": {\"project\"", &queue).expect_err("torn");
        assert!(torn.to_string().contains("s:1:"), "{torn}");
    }
}
