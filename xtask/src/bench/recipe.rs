//! Validating a recipe of 60 steps, and one of 5,000, beside `PyYAML` reading the same file.

use std::fmt::Write as _;

use super::Binaries;
use super::measure::{Call, heading, pair, row};
use crate::fault::Fault;

/// Limit for 60 steps, whole process, in milliseconds. **Source**: the project's own promise to users.
const LIMIT_MS: f64 = 20.0;

const RUNS: usize = 40;

pub(super) fn run(binaries: &Binaries) -> Result<(), Fault> {
    heading(&format!(
        "recipe_runner validate, {RUNS} paired runs, min / median / max"
    ));
    let temp = tempfile::tempdir().map_err(Fault::from_error)?;
    let nothing = Call::new("true", &[], temp.path());
    for steps in [60, 5000] {
        let name = format!("recipe-{steps}.yaml");
        aris_fs::write_atomic(&temp.path().join(&name), recipe(steps).as_bytes())
            .map_err(Fault::from_error)?;
        let validate = Call::new(
            binaries.path("recipe_runner"),
            &["validate", &name, "-q"],
            temp.path(),
        );
        let (own, start) = pair(&validate, &nothing, RUNS)?;
        row(&format!("{steps} steps"), own.millis());
        row("  an empty process", start.millis());
        if steps == 60 {
            row(
                "  limit / median",
                format!("{:.1} x", LIMIT_MS / (own.median() * 1e3)),
            );
        }
        let script = format!("import yaml; yaml.safe_load(open('{name}'))");
        let peer = Call::new("python3", &["-c", &script], temp.path());
        if peer.once().is_err() {
            row("  PyYAML, reading only", "not installed");
            continue;
        }
        let runs = if steps == 60 { 10 } else { 3 };
        let (peer, own) = pair(&peer, &validate, runs)?;
        row("  PyYAML, reading only", peer.millis());
        row("  PyYAML / recipe_runner", peer.over(&own).ratio());
    }
    Ok(())
}

/// A recipe of work, decisions, bounded loops and skips, of the shape and density of public ones.
fn recipe(steps: usize) -> String {
    let mut text = String::from(
        "name: bench\nkitchen_rules: [do what the step says]\ningredients:\n  task: {description: what to do, required: true}\n  \
         review: {description: whether work is reviewed, default: \"true\"}\nsteps:\n",
    );
    let groups = steps / 4;
    for n in 0..groups {
        let next = if n + 1 == groups {
            String::from("end")
        } else {
            format!("work_{}", n + 1)
        };
        // Writing to a text cannot fail.
        write!(
            text,
            "  work_{n}:\n    tool: run_skill\n    with:\n      skill_command: \"/bench:work ${{{{ inputs.task }}}}\"\n    capture:\n      \
             out_{n}: \"${{{{ result.path }}}}\"\n    on_success: check_{n}\n    on_failure: failed\n    on_context_limit: failed\n  \
             check_{n}:\n    tool: run_skill\n    with:\n      skill_command: \"/bench:check ${{{{ context.out_{n} }}}}\"\n    capture:\n      \
             verdict_{n}: \"${{{{ result.verdict }}}}\"\n    skip_when_false: inputs.review\n    retries: 2\n    on_exhausted: {next}\n    \
             on_failure: {next}\n    on_context_limit: {next}\n    on_result:\n      - when: \"${{{{ result.verdict }}}} == GO\"\n        \
             route: route_{n}\n      - route: work_{n}\n  route_{n}:\n    action: route\n    on_result:\n      - when: \
             \"${{{{ context.verdict_{n} }}}} == GO and not ${{{{ inputs.review }}}} == off\"\n        route: keep_{n}\n      \
             - route: {next}\n  keep_{n}:\n    tool: run_cmd\n    with:\n      cmd: \"test -n ${{{{ context.out_{n} | shq }}}}\"\n    \
             on_success: {next}\n    on_failure: {next}\n"
        )
        .unwrap_or_default();
    }
    text.push_str(
        "  end: {action: stop, message: done}\n  failed: {action: stop, message: failed}\n",
    );
    text
}
