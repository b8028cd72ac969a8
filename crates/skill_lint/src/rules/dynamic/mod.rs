//! `SR3xx`: what the programs of a skill do when they are run.
//!
//! Nothing runs without `--run`, and then it runs in [`crate::sandbox`]. `--run=help` calls `--help`; `--run=flags` adds an
//! unknown flag; `--run=all` adds the samples that a script's header or a contract file declares. A program that could not be
//! run is reported as skipped and breaks no rule.

mod answer;
mod calls;
mod contract;
mod envelope;
mod interpreter;
mod judge;
mod program;
mod sample;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use aris_skills::{Skill, Tree};

use self::calls::Interpreters;
pub use self::program::Program;
use self::program::Start;
use super::Facts;
use crate::Error;
use crate::catalogue;
use crate::config::Config;
use crate::finding::Sink;
use crate::sandbox::{Isolation, Sandbox};

/// Lists the programs of a skill that can be run. Runs nothing.
pub fn skill(skill: &Skill, config: &Config, sink: &mut Sink<'_>) -> Vec<Program> {
    match config.cli.run {
        Some(_) => program::programs(skill, sink),
        None => Vec::new(),
    }
}

/// Runs the programs of all skills in parallel, and reports in their order.
///
/// **Errors**: the sandbox cannot be set up.
pub fn tree(
    tree: &Tree,
    facts: &[Facts],
    config: &Config,
    sink: &mut Sink<'_>,
) -> Result<Option<Isolation>, Error> {
    let Some(level) = config.cli.run else {
        return Ok(None);
    };
    // A skipped program is reported under the first dynamic rule that runs.
    let dynamic = catalogue::all()
        .iter()
        .filter(|rule| catalogue::family(rule.id) == "dynamic");
    let Some(rule) = dynamic.map(|rule| rule.id).find(|id| sink.wants(id)) else {
        return Ok(None);
    };
    let programs: Vec<&Program> = facts.iter().flat_map(|facts| &facts.programs).collect();
    let sandbox = Sandbox::prepare(
        config.path(),
        &std::env::temp_dir(),
        &tree.root,
        config.timeout(),
        config.cli.unsandboxed,
    )?;
    let interpreters = interpreters(&programs, &sandbox);
    let judged = aris_fs::map_in_parallel(config.threads(), &programs, |program| {
        calls::problems(program, level, &sandbox, &interpreters)
    });
    for (program, result) in programs.into_iter().zip(judged) {
        match result {
            Ok(problems) => {
                for ((path, line), (rule, message)) in problems {
                    let found = sink.found(rule, &path, (line, 1), message);
                    found.skill = Some(program.skill_name.clone());
                }
            }
            Err(reason) => sink.skipped(rule, &program.path, reason),
        }
    }
    Ok(Some(sandbox.isolation().clone()))
}

fn interpreters(programs: &[&Program], sandbox: &Sandbox) -> Interpreters {
    let wanted = programs.iter().flat_map(|program| match &program.start {
        Start::Interpreter(candidates) => candidates.as_slice(),
        Start::Itself | Start::Never(_) => &[],
    });
    let wanted: BTreeSet<&str> = wanted.copied().collect();
    let located = wanted
        .into_iter()
        .map(|one| (one, interpreter::locate(one, sandbox)));
    located.collect()
}
