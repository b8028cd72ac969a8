//! The experiment queue on trivial jobs, beside the least that any manager must do for them; recipes, beside `PyYAML` reading them.

use std::os::unix::fs::PermissionsExt as _;

use aris_fs::Log;

use super::Bench;
use super::measure::{Limit::Median, Limit::Unlimited, Place, compare, heading, row, timed};
use crate::fault::Fault;

const RUN: &str = "queue_manager run --manifest manifest.json -q";

/// Two cards that nobody uses, in the words of nvidia-smi.
const CARDS: &str = "#!/bin/sh
case \"$*\" in
*query-compute-apps*) ;;
*) printf '0, GPU-bench-0, 1, 24576, [N/A]\\n1, GPU-bench-1, 1, 24576, [N/A]\\n' ;;
esac
";

/// What each job on a card says: the card, and when it begins and ends; then the milliseconds that a card waits between two jobs, sorted.
const WAITS: &str = "for f in logs/*.1.log; do tr '\\n' ' ' < $f; echo; done | sort -k1,1 -k2,2n \
    | awk '$1 == card { print ($2 - end) / 1e6 } { card = $1; end = $4 }' | sort -n";

pub(super) fn run(bench: &Bench<'_>) -> Result<(), Fault> {
    for (jobs, runs, limit) in [(10, 5, 300.0), (1_000, 3, 3_000.0), (10_000, 1, 30_000.0)] {
        heading(format!(
            "queue: {jobs} trivial jobs one after the other, {runs} runs"
        ));
        let mut last = manifest(jobs, r#""max_cpu_jobs": 1"#, "true")?;
        let ours = || {
            last = manifest(jobs, r#""max_cpu_jobs": 1"#, "true")?;
            bench.call(RUN, last.path()).once()
        };
        // As many shells one after the other, each with one line of a journal made durable before it.
        let least = || {
            let place = Place::new()?;
            let (mut journal, _) = Log::open(&place.at("least"))?;
            let shell = bench.call("bash -c true", place.path());
            timed(|| {
                (0..jobs).try_for_each(|_| {
                    journal.append(&[b'x'; 300])?;
                    shell.once().map(drop)
                })
            })
        };
        compare(
            "queue_manager run",
            ours,
            "bash -c true and one synced line each",
            least,
            runs,
            Median(limit),
        )?;
        if jobs < 10_000 {
            continue;
        }
        let restart = bench.call(RUN, last.path());
        let read = || {
            timed(|| {
                for file in [
                    "manifest.json",
                    "queue_state.json",
                    ".queue_state.queue/journal.jsonl",
                ] {
                    std::hint::black_box(aris_fs::read(&last.at(file), Log::LIMIT)?);
                }
                Ok(())
            })
        };
        compare(
            "restart, all jobs over",
            &restart,
            "reading its files alone",
            read,
            5,
            Median(200.0),
        )?;
        let fresh = manifest(jobs, r#""max_cpu_jobs": 8"#, "true")?;
        bench.call(RUN, fresh.path()).memory(30.0)?;
    }
    idle(bench)
}

/// How long a card waits between two jobs, with an nvidia-smi that answers at once.
fn idle(bench: &Bench<'_>) -> Result<(), Fault> {
    heading("queue: 60 jobs of 50 ms on two cards");
    let command = "echo $GPU $(date +%s%N); sleep 0.05; echo $GPU $(date +%s%N)";
    let place = manifest(60, r#""gpus": [0, 1]"#, command)?;
    place.write("nvidia-smi", CARDS)?;
    std::fs::set_permissions(
        place.at("nvidia-smi"),
        std::fs::Permissions::from_mode(0o755),
    )
    .map_err(Fault::from_error)?;
    let script = "ARIS_QUEUE_LEASES=\"$PWD/leases\" PATH=\"$PWD:$PATH\" exec \"$0\" run --manifest manifest.json -q";
    bench
        .shell(script, bench.path("queue_manager"), place.path())
        .once()?;
    let waits = aris_proc::command("sh", place.path())
        .args(["-c", WAITS])
        .run(crate::cargo::PRINT)?;
    let waits: Vec<f64> = waits
        .stdout
        .text()
        .lines()
        .filter_map(|line| line.parse().ok())
        .collect();
    let at = |part: usize| {
        waits
            .get(waits.len() * part / 100)
            .copied()
            .unwrap_or(f64::NAN)
    };
    row(
        "a card waits between two jobs",
        format!("median {:.1} ms, p95 {:.1} ms", at(50), at(95)),
    );
    row(
        "  limit / p95",
        format!("{:.1} x (limit 250 ms)", 250.0 / at(95)),
    );
    Ok(())
}

/// A folder with a manifest of so many jobs.
fn manifest(jobs: usize, settings: &str, command: &str) -> Result<Place, Fault> {
    let place = Place::new()?;
    let cards = usize::from(settings.contains("gpus"));
    let row = |job| format!(r#"{{"id": "j{job}", "cmd": "{command}", "gpus": {cards}}}"#);
    let rows: Vec<String> = (0..jobs).map(row).collect();
    let (cwd, rows) = (place.path().display(), rows.join(",\n"));
    let text = format!(
        r#"{{"project": "bench", "cwd": "{cwd}", {settings}, "phases": [{{"name": "p", "jobs": [{rows}]}}]}}"#
    );
    place.write("manifest.json", text)?;
    Ok(place)
}

/// Four steps of a recipe; `@` is their number, `NEXT` the step after them.
const STEPS: &str = "  work_@:
    tool: run_skill
    with:
      skill_command: \"/bench:work ${{ inputs.task }}\"
    capture:
      out_@: \"${{ result.path }}\"
    on_success: check_@
    on_failure: failed
    on_context_limit: failed
  check_@:
    tool: run_skill
    with:
      skill_command: \"/bench:check ${{ context.out_@ }}\"
    capture:
      verdict_@: \"${{ result.verdict }}\"
    skip_when_false: inputs.review
    retries: 2
    on_exhausted: NEXT
    on_failure: NEXT
    on_context_limit: NEXT
    on_result:
      - when: \"${{ result.verdict }} == GO\"
        route: route_@
      - route: work_@
  route_@:
    action: route
    on_result:
      - when: \"${{ context.verdict_@ }} == GO and not ${{ inputs.review }} == off\"
        route: keep_@
      - route: NEXT
  keep_@:
    tool: run_cmd
    with:
      cmd: \"test -n ${{ context.out_@ | shq }}\"
    on_success: NEXT
    on_failure: NEXT
";

/// A recipe of work, decisions, bounded loops and skips, of the shape and density of public ones.
fn recipe(groups: usize) -> String {
    let mut text = String::from(
        "name: bench\nkitchen_rules: [do what the step says]\ningredients:\n  task: {description: what to do, required: true}\n  \
         review: {description: whether work is reviewed, default: \"true\"}\nsteps:\n",
    );
    for n in 1..=groups {
        let next = if n == groups {
            String::from("end")
        } else {
            format!("work_{}", n + 1)
        };
        text.push_str(&STEPS.replace('@', &n.to_string()).replace("NEXT", &next));
    }
    text + "  end: {action: stop, message: done}\n  failed: {action: stop, message: failed}\n"
}

pub(super) fn recipes(bench: &Bench<'_>) -> Result<(), Fault> {
    for (steps, runs, limit) in [(60, 40, Median(20.0)), (5000, 10, Unlimited)] {
        heading(format!(
            "recipe_runner validate: {steps} steps, {runs} runs"
        ));
        let place = Place::new()?;
        place.write("recipe.yaml", recipe(steps / 4))?;
        let validate = bench.call("recipe_runner validate recipe.yaml -q", place.path());
        let nothing = bench.call("true", place.path());
        compare(
            "validate",
            &validate,
            "an empty process",
            &nothing,
            runs,
            limit,
        )?;
        let peer = bench
            .call("python3 -c", place.path())
            .arg("import yaml; yaml.safe_load(open('recipe.yaml'))");
        if peer.once().is_ok() {
            compare(
                "validate",
                &validate,
                "PyYAML, reading only",
                &peer,
                3,
                Unlimited,
            )?;
        } else {
            row("  PyYAML, reading only", "not installed");
        }
    }
    Ok(())
}
