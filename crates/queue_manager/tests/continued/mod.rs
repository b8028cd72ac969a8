//! Jobs that know their attempt, and jobs that get a signal before their time limit and continue in the next attempt.

use std::fs;

use serde_json::json;

use crate::queue::Place;

#[test]
fn a_job_knows_its_attempt_its_folder_and_how_the_last_attempt_ended() {
    let place = Place::new();
    let cmd = "echo $ARIS_ATTEMPT ${ARIS_LAST_END-none} >> said; echo $ARIS_ATTEMPT >> \"$ARIS_RUN_DIR/checkpoint\"; \
               test $ARIS_ATTEMPT -gt 2 && cat \"$ARIS_RUN_DIR/checkpoint\" > all || exit 4";
    place.manifest(&json!([{"name": "p", "jobs": [
        {"id": "a", "cmd": cmd, "retry": {"other": 2, "delay": 0.05}},
    ]}]));
    assert_eq!(place.run().status.code(), Some(0));
    let read = |file: &str| fs::read_to_string(place.at(file)).expect("ran");
    assert_eq!(read("said"), "1 none\n2 exit\n3 exit\n");
    assert_eq!(read("all"), "1\n2\n3\n");
    // A start that was refused is no attempt.
    let place = Place::new();
    let cmd = "echo $ARIS_ATTEMPT ${ARIS_LAST_END-none} >> said";
    let wants = json!([{"type": "file_exists", "path": "there"}]);
    place.manifest(&json!([{"name": "p", "jobs": [
        {"id": "a", "cmd": cmd, "preconditions": wants},
    ]}]));
    assert_eq!(place.run().status.code(), Some(10));
    fs::write(place.at("there"), "").expect("written");
    place.data(&["retry", "a", "--state", "s.json"]);
    assert_eq!(place.run().status.code(), Some(0));
    let said = fs::read_to_string(place.at("said")).expect("ran");
    assert_eq!(said, "1 none\n");
}

#[test]
fn a_job_is_told_before_its_time_limit_and_goes_on_in_its_next_attempt() {
    let place = Place::new();
    // The shell around the program ignores the signal, so it does not exit before the program has saved.
    let cmd = "echo $ARIS_ATTEMPT ${ARIS_LAST_END-none} >> said; \
               sh -c 'trap \"echo saved >> said; exit 75\" USR1; test $ARIS_ATTEMPT = 3 && exit 0; while :; do sleep 0.05; done'; exit $?";
    place.manifest(&json!([{"name": "p", "jobs": [{
        "id": "a", "cmd": cmd, "time_limit": 3, "notice": {"signal": "USR1", "before": 2}, "retry": {"time_limit": 2, "delay": 60},
    }]}]));
    assert_eq!(place.run().status.code(), Some(0));
    let said = fs::read_to_string(place.at("said")).expect("ran");
    assert_eq!(said, "1 none\nsaved\n2 time_limit\nsaved\n3 time_limit\n");
    // With a budget for time limits, a job may also ask for another attempt without a notice.
    let place = Place::new();
    place.manifest(&json!([{"name": "p", "jobs": [{
        "id": "a", "cmd": "echo $ARIS_ATTEMPT >> said; test $ARIS_ATTEMPT = 3 || exit 75", "retry": {"time_limit": 2, "delay": 60},
    }]}]));
    assert_eq!(place.run().status.code(), Some(0));
    let said = fs::read_to_string(place.at("said")).expect("ran");
    assert_eq!(said, "1\n2\n3\n");
    // When its budget is used up, the job has failed.
    let place = Place::new();
    place.manifest(&json!([{"name": "p", "jobs": [{
        "id": "a", "cmd": "exit 75", "time_limit": 60, "notice": {"signal": "USR1", "before": 2},
    }]}]));
    assert_eq!(place.run().status.code(), Some(10));
    let row = &place.state()["a"];
    assert_eq!(row["reason"], "time_limit");
    let error = row["error"].as_str().expect("why");
    assert!(error.contains("75") && error.contains("retry"), "{error}");
}

#[test]
fn a_notice_that_is_due_at_the_start_is_told() {
    for (before, code) in [(59, 0), (60, 10)] {
        let place = Place::new();
        let notice = json!({"signal": "USR1", "before": before});
        place.manifest(&json!([{"name": "p", "jobs": [{"id": "a", "cmd": "true", "time_limit": 60, "notice": notice}]}]));
        let told = place.call(&["preflight", "--manifest", "m.json", "--state", "s.json"]);
        assert_eq!(told.status.code(), Some(code), "{told:?}");
        let text = String::from_utf8_lossy(&told.stdout).into_owned();
        assert_eq!(text.contains("\"a\" has a notice"), before == 60, "{text}");
    }
}

#[test]
fn a_notice_that_cannot_be_is_refused_with_its_line() {
    for (notice, words) in [
        (json!({"signal": "KILL", "before": 5}), "signal must be"),
        (json!({"before": 5}), "signal"),
        (json!({"signal": "USR1"}), "before"),
        (json!("USR1"), "notice"),
    ] {
        let place = Place::new();
        place.manifest(&json!([{"name": "p", "jobs": [{"id": "a", "cmd": "true", "time_limit": 60, "notice": notice}]}]));
        let output = place.run();
        assert_eq!(output.status.code(), Some(4), "{output:?}");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(said.contains(words) && said.contains("m.json:"), "{said}");
    }
}

#[test]
fn a_job_under_the_id_of_another_finds_neither_its_files_nor_its_end() {
    let place = Place::new();
    let cmd = "echo old >> \"$ARIS_RUN_DIR/checkpoint\"; exit 1";
    place.manifest(&json!([{"name": "p", "jobs": [{"id": "a", "cmd": cmd}]}]));
    assert_eq!(place.run().status.code(), Some(10));
    place.data(&["remove", "a", "--state", "s.json"]);
    let cmd = "echo $ARIS_ATTEMPT ${ARIS_LAST_END-none} >> said; echo new >> \"$ARIS_RUN_DIR/checkpoint\"; \
               test $ARIS_ATTEMPT = 3 && cat \"$ARIS_RUN_DIR/checkpoint\" > all";
    let again = "retry={other: 1, delay: 0.05}";
    place.data(&[
        "add", "a", "--cmd", cmd, "--set", again, "--state", "s.json",
    ]);
    assert_eq!(place.run().status.code(), Some(0));
    let read = |file: &str| fs::read_to_string(place.at(file)).expect("ran");
    assert_eq!(read("said"), "2 none\n3 exit\n");
    assert_eq!(read("all"), "new\nnew\n");
}
