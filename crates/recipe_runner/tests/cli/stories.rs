//! Random graphs with random outcomes, and a runner that is killed at random times. The commands that ran, their order and the end must
//! equal those of a short reference that walks the graph. `ARIS_STORIES` is the number of cases, and `ARIS_SEED` selects them.

use std::fmt::Write as _;
use std::process::{Child, Command, Stdio};

use aris_testkit::Project;
use proptest::prelude::*;

use super::call;

/// How often a step may be executed.
const VISITS: usize = 2;

/// A step that runs a command. Targets are the numbers of steps, followed by those of [`ENDS`].
#[derive(Clone, Debug)]
struct Step {
    /// The outcome of each visit: 0 is a failure, another number is the result.
    plan: [u8; VISITS],
    success: usize,
    failure: usize,
    exhausted: usize,
    /// Routes by result, which replace `success`.
    results: Option<Vec<(u8, usize)>>,
    /// The target when an input skips the step.
    skip: Option<usize>,
}

/// Ends: their names and exit codes.
const ENDS: [(&str, i32); 4] = [("end", 0), ("bad", 13), ("done", 0), ("escalate", 10)];

fn step() -> impl Strategy<Value = Step> {
    let target = 0..9_usize;
    (
        [0..4_u8, 0..4_u8],
        (target.clone(), target.clone(), target.clone()),
        prop::option::weighted(0.4, prop::collection::vec((1..4_u8, target.clone()), 1..3)),
        prop::option::weighted(0.3, target),
    )
        .prop_map(
            |(plan, (success, failure, exhausted), results, skip)| Step {
                plan,
                success,
                failure,
                exhausted,
                results,
                skip,
            },
        )
}

/// The name of a target in a recipe with `steps` steps.
fn name(target: usize, steps: usize) -> String {
    match target % (steps + 3) {
        at if at < steps => format!("s{at}"),
        at => String::from(ENDS[at - steps].0),
    }
}

fn recipe(steps: &[Step]) -> String {
    let name = |target| name(target, steps.len());
    let mut text =
        String::from("name: r\nkitchen_rules: [a]\ningredients:\n  on: {description: d}\nsteps:\n");
    for (at, step) in steps.iter().enumerate() {
        let [first, second] = step.plan;
        let cmd = format!(
            "echo s{at} >> trace; if test $(grep -c s{at} trace) = 1; then x={first}; else x={second}; fi; echo x=$x; test $x != 0"
        );
        writeln!(
            text,
            "  s{at}:\n    tool: run_cmd\n    with: {{cmd: '{cmd}'}}\n    capture: {{c: '${{{{ result.x }}}}'}}\n    max_visits: {VISITS}\n    \
             on_failure: {}\n    on_exhausted: {}",
            name(step.failure),
            name(step.exhausted),
        )
        .expect("text");
        match &step.results {
            None => writeln!(text, "    on_success: {}", name(step.success)).expect("text"),
            Some(results) => {
                text.push_str("    on_result:\n");
                for (value, target) in results {
                    let route = name(*target);
                    writeln!(
                        text,
                        "      - {{when: '${{{{ result.x }}}} == {value}', route: {route}}}"
                    )
                    .expect("text");
                }
            }
        }
        if let Some(target) = step.skip {
            writeln!(
                text,
                "    skip_when_false: inputs.on\n    on_skip: {}",
                name(target)
            )
            .expect("text");
        }
    }
    text.push_str(
        "  end: {action: stop, message: m}\n  bad: {action: stop, message: m, failed: true}\n",
    );
    text
}

/// The commands that run, in order, and the exit code; `None` when it does not end.
fn walk(steps: &[Step], on: bool) -> Option<(String, i32)> {
    let mut trace = String::new();
    let mut visits = vec![0; steps.len()];
    let mut at = 0;
    for _ in 0..20 {
        let step = &steps[at];
        let target = if let (Some(skip), false) = (step.skip, on) {
            skip
        } else if visits[at] == VISITS {
            step.exhausted
        } else {
            writeln!(trace, "s{at}").expect("text");
            let value = step.plan[visits[at]];
            visits[at] += 1;
            let matched = |results: &Vec<(u8, usize)>| {
                let found = results.iter().find(|(wanted, _)| *wanted == value);
                found.map_or(step.failure, |(_, target)| *target)
            };
            match &step.results {
                _ if value == 0 => step.failure,
                Some(results) => matched(results),
                None => step.success,
            }
        };
        at = target % (steps.len() + 3);
        if let Some(end) = at.checked_sub(steps.len()) {
            return Some((trace, ENDS[end].1));
        }
    }
    None
}

fn runner(project: &Project, words: &[&str]) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_recipe_runner"));
    let (nothing, said) = (Stdio::null(), Stdio::piped());
    command.args(words).current_dir(project.path());
    let child = command
        .stdin(nothing)
        .stdout(Stdio::null())
        .stderr(said)
        .spawn();
    child.expect("started")
}

proptest! {
    #![proptest_config(aris_testkit::stories(120))]

    #[test]
    fn a_recipe_goes_where_its_graph_says_whoever_is_killed(
        steps in prop::collection::vec(step(), 1..5),
        on in any::<bool>(),
        kills in prop::collection::vec(0..60_u64, 0..4),
    ) {
        let Some((trace, code)) = walk(&steps, on) else {
            return Ok(());
        };
        let project = Project::new().file("r.yaml", recipe(&steps));
        let rest = ["--state", "run.json", "--exec", "cmd"];
        let input = if on { "on=yes" } else { "on=no" };
        let run = [&["run", "r.yaml", "--allow-invalid", "--inputs", input], &rest[..]].concat();
        let resume = [&["resume"], &rest[..]].concat();
        let mut begun = false;
        for after in kills {
            let mut child = runner(&project, if begun { &resume } else { &run });
            std::thread::sleep(std::time::Duration::from_millis(after));
            child.kill().expect("killed");
            child.wait().expect("reaped");
            begun |= project.at("run.json").exists();
        }
        let last = call(&project, if begun { &resume } else { &run }).run();
        prop_assert_eq!(last.code(), code, "{}\n{}", project.read("r.yaml"), last);
        let ran = std::fs::read_to_string(project.at("trace")).unwrap_or_default();
        prop_assert_eq!(ran, trace, "{}", project.read("r.yaml"));
    }
}
