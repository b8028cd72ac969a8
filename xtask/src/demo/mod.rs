//! `cargo xtask demo`: a real paper, gated, in a temporary project, the way a skill does it.
//!
//! Every command is shown as it is run, with what it printed and its exit code. The demo fails when the gate does not block
//! the paper with planted faults, or does not open after the fixes.

mod project;

use std::time::{Duration, Instant};

use crate::fault::Fault;
use crate::install;
use crate::workspace::Workspace;

use project::Project;

/// What the demo runs; nothing else is built for it.
const HELPERS: [&str; 5] = [
    "citation_audit",
    "install_aris",
    "paper_claim_audit",
    "save_trace",
    "verify_paper_audits",
];

/// Lines of a step's output that are shown; the reports hold everything.
const SHOWN: usize = 24;

/// Any step of the demo, builds apart, takes milliseconds.
const STEP: Duration = Duration::from_mins(1);

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Profile to build the helpers with. `dev` takes what is built for the tests; `release` is faster at work and takes minutes to build
    #[arg(long, default_value = "dev")]
    profile: String,
}

/// Builds the helpers, gates the example paper with its faults and without, and says where the reports lie.
pub(crate) fn run(workspace: &Workspace, args: &Args) -> Result<u8, Fault> {
    say(&format!(
        "building the {} helpers that the demo runs (the first time takes a minute or two) …",
        HELPERS.len()
    ));
    let code = install::run(workspace, &install::Args::of(&args.profile, &HELPERS))?;
    if code != 0 {
        return Ok(code);
    }
    let start = Instant::now();
    title("A project with the skills in it");
    say("  helpers go to .aris/tools, under their own and their legacy names");
    let project = Project::create(workspace)?;

    title("1. A paper with planted faults");
    project.copy_example("faulty")?;
    say("  four faults stand in the files; see skills/paper-writing/assets/example/faults.md");
    audits(&project)?;
    say("\n  The page for co-authors shows each number with its query, value and files:");
    let page = ["show", "paper", "--html", "numbers.html"];
    project.run("paper_claim_audit", &page, &[0])?;
    say("\n  Now, after the audits, somebody edits a section:");
    say("  $ cp late-edit/sections/discussion.tex paper/sections/discussion.tex");
    project.copy_example("late-edit")?;
    let blocked = gate(&project, "blocked.html")?;
    expect(
        blocked == 1,
        "the gate must block a paper with faults (exit 1)",
        blocked,
    )?;

    title("2. The fixes, and the audits again");
    say("  $ cp example/paper/… paper/");
    project.copy_example("paper")?;
    audits(&project)?;
    let open = gate(&project, "open.html")?;
    expect(
        open == 0,
        "the gate must find no blocker after the fixes (exit 0)",
        open,
    )?;

    title("Reports");
    say(&format!(
        "  blocked: {}",
        project.at("blocked.html").display()
    ));
    say(&format!("  open:    {}", project.at("open.html").display()));
    say(&format!(
        "  numbers: {}",
        project.at("numbers.html").display()
    ));
    say(&format!("  all of it: {}", project.root().display()));
    say(&format!(
        "\n{:.1} s after the build.",
        start.elapsed().as_secs_f64()
    ));
    Ok(0)
}

/// Trace of the proof review, its artifact, then the two audits that a program can do.
fn audits(project: &Project) -> Result<(), Fault> {
    say(
        "\n  The proof audit needs a reviewer; here a recorded answer that says there is nothing to prove.",
    );
    let trace_path = project.run(
        "save_trace.sh",
        &[
            "--skill",
            "proof-checker",
            "--purpose",
            "proof-audit",
            "--model",
            "example-reviewer-1",
            "--thread-id",
            "example-proof-thread",
            "--prompt-file",
            "reviews/prompt.md",
            "--response-file",
            "reviews/response.md",
            "--executor",
            "demo",
            "--new-run",
        ],
        &[0],
    )?;
    let trace = trace_path.stdout.trim();
    let record = [
        "record",
        "paper",
        "--audit",
        "proof-checker",
        "--trace",
        trace,
    ];
    project.run("verify_paper_audits", &record, &[0])?;
    project.run("paper_claim_audit", &["paper"], &[0, 10])?;
    project.run("citation_audit", &["paper"], &[0, 10])?;
    Ok(())
}

fn gate(project: &Project, html: &str) -> Result<i32, Fault> {
    let args = ["paper", "--assurance", "submission", "--html", html];
    Ok(project.run("verify_paper_audits.sh", &args, &[0, 1])?.code)
}

fn expect(holds: bool, what: &str, code: i32) -> Result<(), Fault> {
    if holds {
        Ok(())
    } else {
        Err(Fault::new(format!("{what}; it left with {code}")))
    }
}

fn title(text: &str) {
    println!("\n{text}\n{}", "=".repeat(text.chars().count()));
}

fn say(text: &str) {
    println!("{text}");
}

/// What a step printed and how it ended.
struct Step {
    stdout: String,
    code: i32,
}

fn step(command: aris_proc::Command, shown: &str, codes: &[i32]) -> Result<Step, Fault> {
    println!("\n  $ {shown}");
    let begin = Instant::now();
    let done = command.run(STEP)?;
    let took = begin.elapsed();
    let code = done.code()?;
    for line in done.stderr.text().lines() {
        println!("    {line}");
    }
    let stdout = done.stdout.text();
    for line in stdout.lines().take(SHOWN) {
        println!("    {line}");
    }
    let more = stdout.lines().count().saturating_sub(SHOWN);
    if more > 0 {
        println!("    … and {more} lines more");
    }
    println!("    (exit {code}, {:.0} ms)", took.as_secs_f64() * 1e3);
    if !codes.contains(&code) {
        return Err(Fault::new(format!(
            "{shown} left with {code}, not one of {codes:?}"
        )));
    }
    Ok(Step {
        stdout: done.stdout.text().into_owned(),
        code,
    })
}
