//! Typical calls: exit codes without `--json`, and repeated runs.

use std::time::{SystemTime, UNIX_EPOCH};

use super::for_every_helper;

/// Helpers that print the report of a failed check, as the reference documents it.
const REPORT_ERRORS: &[&str] = &["verify_papers"];

#[test]
fn the_exit_code_does_not_depend_on_the_form_of_the_output() {
    for_every_helper(|subject| {
        for call in subject.cases.calls {
            let project = (subject.cases.project)();
            let run = subject.run(&project, call, &[]).expect_code(call.code);
            assert!(
                !run.stdout().contains('\u{1b}') && !run.stderr().contains('\u{1b}'),
                "{}: {run}",
                call.what
            );
            let is_error =
                (1..10).contains(&call.code) && !subject.contract.signals().contains(&call.code);
            if is_error {
                if !REPORT_ERRORS.contains(&subject.cases.helper) {
                    assert_eq!(run.stdout(), "", "{}: an error has no data", call.what);
                }
                assert!(
                    run.stderr()
                        .starts_with(&format!("{}: error: ", subject.cases.helper)),
                    "{}: {run}",
                    call.what
                );
            }
            // `--quiet` removes notes and does not change the exit code.
            let project = (subject.cases.project)();
            subject
                .run(&project, call, &["--quiet"])
                .expect_code(call.code);
        }
    });
}

#[test]
fn the_same_input_a_second_time_changes_no_byte() {
    for_every_helper(|subject| {
        let first: Vec<_> = subject
            .cases
            .calls
            .iter()
            .map(|call| {
                let project = (subject.cases.project)();
                let run = subject
                    .run(&project, call, &["--json"])
                    .expect_code(call.code);
                let snapshot = project.snapshot();
                (call, project, run, snapshot)
            })
            .collect();
        // Repeat in another second, so that a time in an artifact would make a difference.
        wait_for_the_next_second();
        for (call, project, run, before) in first {
            let again = subject
                .run(&project, call, &["--json"])
                .expect_code(call.code);
            let differences = before.differences(&project.snapshot());
            match subject.cases.repeat_adds {
                None => {
                    assert!(
                        differences.is_empty(),
                        "{}: {}",
                        call.what,
                        differences.join(", ")
                    );
                    assert_eq!(
                        without_unchanged(&run.envelope()),
                        without_unchanged(&again.envelope()),
                        "{}",
                        call.what
                    );
                }
                // Existing files stay, except for logs that grow.
                Some(why) => {
                    for line in differences {
                        // Records are added. Logs, the run's count of records and the number of attempts grow.
                        let growing = [
                            "chain.jsonl",
                            "events.jsonl",
                            "run.meta.json",
                            "validation_7.json",
                        ];
                        let grows = line.starts_with("added ")
                            || growing
                                .iter()
                                .any(|name| line.starts_with("changed ") && line.ends_with(name));
                        assert!(grows, "{}: {line}, although only: {why}", call.what);
                    }
                }
            }
        }
    });
}

/// The envelope without the flag that tells whether this run wrote anything, and without the time of a check.
fn without_unchanged(envelope: &serde_json::Value) -> serde_json::Value {
    let mut envelope = envelope.clone();
    if let Some(data) = envelope["data"].as_object_mut() {
        data.shift_remove("unchanged");
        data.shift_remove("checkedAt");
    }
    // `deepxiv` is called each time. Answers of other services come from the cache with the time of their arrival.
    let papers = envelope.pointer_mut("/data/papers");
    for paper in papers
        .and_then(|papers| papers.as_array_mut())
        .into_iter()
        .flatten()
    {
        let origins = paper.get_mut("origins");
        for origin in origins
            .and_then(|origins| origins.as_array_mut())
            .into_iter()
            .flatten()
        {
            if origin["source"] == "deepxiv" {
                origin["retrieved_at"].take();
            }
        }
    }
    envelope
}

fn wait_for_the_next_second() {
    let since_epoch = || {
        SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .expect("after 1970")
    };
    let start = since_epoch();
    while since_epoch().as_secs() == start.as_secs() {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
}
