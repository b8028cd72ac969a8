//! Calls cargo and its tools.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use aris_proc::{End, Stdout};
use serde_json::Value;

use crate::fault::Fault;
use crate::workspace::Workspace;

/// Time limit of builds; a cold release build of everything takes some minutes on two cores.
pub(crate) const BUILD: Duration = Duration::from_mins(40);

/// Time limit of commands that only print.
pub(crate) const PRINT: Duration = Duration::from_mins(1);

/// The `cargo` that runs xtask, in the workspace's root.
pub(crate) fn cargo(workspace: &Workspace) -> aris_proc::Command {
    tool(workspace, "CARGO", "cargo")
}

/// Another tool; the environment variable `variable` may replace it.
pub(crate) fn tool(workspace: &Workspace, variable: &str, name: &str) -> aris_proc::Command {
    let program = crate::workspace::variable(variable).unwrap_or_else(|| name.into());
    aris_proc::command(program, &workspace.root)
}

/// Builds the binaries of `helpers` (nothing if empty) and shows cargo's output. Returns their folder.
pub(crate) fn build(
    workspace: &Workspace,
    helpers: &[&str],
    profile: &str,
) -> Result<PathBuf, Fault> {
    if !helpers.is_empty() {
        let end =
            build_command(workspace, helpers, profile).run_attached(Stdout::Stderr, Some(BUILD))?;
        if end != End::Exited(0) {
            return Err(Fault::new(format!(
                "cargo build: {end:?}; why stands above"
            )));
        }
    }
    let folder = if profile == "dev" { "debug" } else { profile };
    Ok(target_folder(workspace)?.join(folder))
}

/// Builds the whole workspace, so that crates are built once, with the same features in every command and in the tests.
fn build_command(workspace: &Workspace, helpers: &[&str], profile: &str) -> aris_proc::Command {
    let command =
        cargo(workspace).args(["build", "--keep-going", "--workspace", "--profile", profile]);
    helpers
        .iter()
        .fold(command, |command, helper| command.args(["--bin", helper]))
}

/// Builds helpers for their contracts; returns the first error line, if any.
fn build_quietly(workspace: &Workspace, helpers: &[&str]) -> Result<Option<String>, Fault> {
    let done = build_command(workspace, helpers, "dev")
        .arg("--quiet")
        .run(BUILD)?;
    Ok((done.code()? != 0).then(|| first_error(&done.stderr.text())))
}

/// Cargo's target folder.
pub(crate) fn target_folder(workspace: &Workspace) -> Result<PathBuf, Fault> {
    let done = cargo(workspace)
        .args(["metadata", "--no-deps", "--format-version", "1"])
        .run(PRINT)?;
    if done.code()? != 0 {
        return Err(Fault::new(format!(
            "cargo metadata: {}",
            first_error(&done.stderr.text())
        )));
    }
    let metadata: Value = serde_json::from_slice(&done.stdout.bytes)
        .map_err(|error| Fault::new(format!("cargo metadata: {error}")))?;
    let folder = metadata.get("target_directory").and_then(Value::as_str);
    folder
        .map(PathBuf::from)
        .ok_or_else(|| Fault::new("cargo metadata names no target directory"))
}

/// Runs a command for its effect and shows its output if it fails. Returns whether it succeeded.
pub(crate) fn succeeds(command: aris_proc::Command) -> Result<bool, Fault> {
    let done = command.run(BUILD)?;
    let ok = done.code()? == 0;
    if !ok {
        eprint!("{}{}", done.stdout.text(), done.stderr.text());
    }
    Ok(ok)
}

/// The contract that each helper's binary printed, or the reason why there is none.
pub(crate) type Contracts = BTreeMap<String, Result<String, String>>;

/// Builds the helpers and gets the contract of each.
pub(crate) fn contracts(workspace: &Workspace) -> Result<Contracts, Fault> {
    let has_crate = |name: &str| {
        workspace
            .at(&format!("crates/{name}/src/main.rs"))
            .is_file()
    };
    let names: Vec<&str> = workspace
        .rows
        .iter()
        .map(|row| row.name.as_str())
        .filter(|name| has_crate(name))
        .collect();
    let mut contracts = Contracts::new();
    for row in &workspace.rows {
        contracts.insert(
            row.name.clone(),
            Err(format!("there is no crate crates/{}", row.name)),
        );
    }
    // One build for all is faster. Only if it fails are the helpers built one by one, so that a broken helper does not hide the
    // others.
    if names.is_empty() {
        return Ok(contracts);
    }
    let problem = build_quietly(workspace, &names)?;
    let folder = target_folder(workspace)?.join("debug");
    for name in names {
        let problem = if problem.is_some() {
            build_quietly(workspace, &[name])?
        } else {
            None
        };
        let contract = match problem {
            Some(problem) => Err(format!("crates/{name} does not build: {problem}")),
            None => print_contract(workspace, &folder.join(name)),
        };
        contracts.insert(name.to_owned(), contract);
    }
    Ok(contracts)
}

fn print_contract(workspace: &Workspace, binary: &std::path::Path) -> Result<String, String> {
    let done = aris_proc::command(binary, &workspace.root)
        .arg("--print-contract")
        .run(PRINT)
        .map_err(|error| error.to_string())?;
    match done.stdout.whole_text() {
        Some(text) if done.success() && text.starts_with('{') => Ok(format!("{text}\n")),
        _ => Err(format!(
            "{} --print-contract gave no contract ({:?})",
            binary.display(),
            done.end
        )),
    }
}

/// Formats Rust source as `cargo fmt` would.
pub(crate) fn rustfmt(workspace: &Workspace, source: String) -> Result<String, Fault> {
    let done = tool(workspace, "RUSTFMT", "rustfmt")
        .args(["--edition", "2024"])
        .stdin(source)
        .run(PRINT)?;
    match done.stdout.whole_text() {
        Some(text) if done.success() => Ok(format!("{text}\n")),
        _ => Err(Fault::new(format!(
            "rustfmt: {}",
            first_error(&done.stderr.text())
        ))),
    }
}

/// Target triple of this machine's compiler.
pub(crate) fn host_triple(workspace: &Workspace) -> Result<String, Fault> {
    let done = tool(workspace, "RUSTC", "rustc").arg("-vV").run(PRINT)?;
    let text = done.stdout.text().into_owned();
    let triple = text.lines().find_map(|line| line.strip_prefix("host: "));
    triple
        .map(str::to_owned)
        .ok_or_else(|| Fault::new("rustc -vV names no host"))
}

/// The line in cargo's stderr that names the error.
pub(crate) fn first_error(stderr: &str) -> String {
    let line = stderr.lines().find(|line| line.starts_with("error"));
    line.or_else(|| stderr.lines().next())
        .unwrap_or("no message")
        .to_owned()
}
