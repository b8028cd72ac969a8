//! The page that `timeline` makes.

use aris_testkit::Project;
use serde_json::json;

use super::call;

const AGENT: &str = "#!/bin/sh\nread -r line\nif [ ! -e tried ]; then touch tried; sleep 60; fi\n\
    printf '{\"type\": \"result\", \"subtype\": \"success\", \"is_error\": false, \"total_cost_usd\": 0.25, \
    \"usage\": {\"input_tokens\": 1000, \"cache_read_input_tokens\": 500, \"output_tokens\": 40}, \"result\": \"x = <b>%s\"}' \"$1\"\n";

const RECIPE: &str = "name: r <1>\nkitchen_rules: [a]\nsteps:\n  \
    ask: {tool: run_skill, retries: 1, idle_output_timeout: 1, with: {skill_command: /a}, capture: {x: '${{ result.x }}'}, on_success: look, on_failure: bad}\n  \
    look: {tool: run_cmd, lenses: {eye: [left, right]}, with: {cmd: 'sleep 0.1; test {eye} = left'}, on_success: sure, on_failure: sure}\n  \
    sure: {action: confirm, message: 'sure ${{ context.x }}', on_success: end, on_failure: end}\n  \
    end: {action: stop, message: m}\n  bad: {action: stop, message: m}\n";

fn project() -> Project {
    let project = Project::new().file("r.yaml", RECIPE).file("agent", AGENT);
    project.mode("agent", 0o755);
    let words = [
        "run", "r.yaml", "--state", "run.json", "--exec", "cmd", "--agent", "./agent",
    ];
    call(&project, &words).run().expect_code(11);
    project
}

#[test]
fn a_page_shows_steps_tries_waiting_and_costs() {
    let project = project();
    let data = call(&project, &["timeline", "run.json"])
        .run()
        .expect_code(0)
        .data();
    let rows = data["steps"].as_array().expect("steps");
    let listed: Vec<_> = rows
        .iter()
        .map(|row| {
            json!([
                row["step"],
                row["status"],
                row["attempts"].as_array().unwrap().len()
            ])
        })
        .collect();
    assert_eq!(
        json!(listed),
        json!([
            ["ask", "success", 2],
            ["look", "failure", 2],
            ["sure", "waiting", 0]
        ])
    );
    assert_eq!(
        data["usage"],
        json!({"input_tokens": 1500, "output_tokens": 40, "cost_usd": 0.25})
    );
    let bars = &rows[0]["attempts"];
    assert_eq!(
        (&bars[0]["status"], &bars[1]["status"]),
        (&json!("stale"), &json!("success"))
    );
    assert_eq!(
        (
            &rows[1]["attempts"][1]["lens"],
            &rows[1]["attempts"][1]["status"]
        ),
        (&json!("right"), &json!("failure"))
    );
    // An attempt that was ended after a second without output counts as work.
    assert!(data["work_s"].as_f64().unwrap() >= 1.0, "{data}");

    let page = project.read("run.html");
    for part in [
        "r &#60;1&#62;",
        "try 1 · stale",
        "1\u{2009}500 tokens in, 40 out, $0.25",
        "right",
        "1 of 2 lenses succeeded",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
    // The page loads nothing and has no scripts.
    for part in ["<script", "http:", "https:", "src=", "url("] {
        assert!(!page.contains(part), "{part}: {page}");
    }

    // A step whose outcome somebody records takes no time of work.
    let words = [
        "complete", "--state", "run.json", "--step", "sure", "--status", "success",
    ];
    call(&project, &words).run().expect_code(0);
    let data = call(&project, &["timeline", "run.json", "-o", "page.html"])
        .run()
        .expect_code(0)
        .data();
    assert_eq!(
        (&data["status"], &data["steps"][3]["status"]),
        (&json!("completed"), &json!("stop"))
    );
    assert!(data["waiting_s"].as_f64().unwrap() > 0.0, "{data}");
    assert!(project.at("page.html").exists());
}

#[test]
fn a_page_never_takes_the_place_of_a_run() {
    let project = project();
    let state = project.read("run.json");
    project.write("notes.tex", "mine");
    let kept = project.snapshot();
    for output in ["run.json", "r.yaml", "run.json.d/1.1/stdout", "notes.tex"] {
        let run = call(&project, &["timeline", "run.json", "-o", output]).run();
        let message = run.expect_code(2).error()["message"].to_string();
        assert!(message.contains("would be overwritten"), "{message}");
    }
    assert_eq!(project.snapshot(), kept);
    for _ in 0..2 {
        let words = ["timeline", "--state", "run.json", "-o", "new/page.html"];
        call(&project, &words).run().expect_code(0);
    }
    for flag in ["--html", "-o"] {
        let run = call(&project, &["timeline", "run.json", flag, "-"]).run();
        let message = run.expect_code(2).error()["message"].to_string();
        assert!(message.contains("never to standard output"), "{message}");
        assert!(!project.at("-").exists());
    }
    call(&project, &["timeline", "none.json"])
        .run()
        .expect_code(3);
    assert_eq!(project.read("run.json"), state);
}
