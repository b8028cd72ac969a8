//! `SR3xx`: what the programs of a skill do when they are run.
//!
//! Nothing runs unless the caller asked for it, and then in [`crate::sandbox`]. `--run=help` makes the calls `--help` and `-h`;
//! `--run=flags` adds an unknown flag and, for compiled helpers, `--version`; `--run=all` adds the samples that a script's
//! header or a contract file declares. A program that could not be run is reported as passed over, and breaks no rule.

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
use self::program::{Program, Start};
use crate::catalogue;
use crate::config::Config;
use crate::finding::Sink;
use crate::sandbox::Sandbox;

/// The programs of one skill.
#[derive(Debug, Default)]
pub struct Facts {
    programs: Vec<Program>,
}

/// Looks for what could be run; nothing is run yet.
pub fn skill(skill: &Skill, config: &Config, sink: &mut Sink<'_>) -> Facts {
    if config.cli.run.is_none() {
        return Facts::default();
    }
    let programs = program::programs(skill, sink);
    Facts { programs }
}

/// Runs the programs of all skills, several at once, and reports in their order.
pub fn tree<'f>(
    tree: &Tree,
    facts: impl Iterator<Item = &'f Facts>,
    config: &Config,
    sink: &mut Sink<'_>,
) {
    let Some(level) = config.cli.run else { return };
    // What is passed over is said in the name of the first rule that would have looked.
    let dynamic = catalogue::all()
        .iter()
        .filter(|rule| catalogue::family(rule.id) == "dynamic");
    let Some(rule) = dynamic.map(|rule| rule.id).find(|id| sink.wants(id)) else {
        return;
    };
    let programs: Vec<&Program> = facts.flat_map(|facts| &facts.programs).collect();
    let temporary = std::env::temp_dir();
    let prepared = Sandbox::prepare(
        config.path(),
        &temporary,
        &tree.root,
        config.timeout(),
        config.cli.unsandboxed,
    );
    let sandbox = match prepared {
        Ok(sandbox) => sandbox,
        Err(error) => {
            sink.ran_under(Err(error));
            return;
        }
    };
    sink.ran_under(Ok(sandbox.isolation().clone()));
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
}

fn interpreters(programs: &[&Program], sandbox: &Sandbox) -> Interpreters {
    let wanted: BTreeSet<&str> = programs
        .iter()
        .filter_map(|program| match &program.start {
            Start::Interpreter(candidates) => Some(candidates),
            Start::Itself | Start::Never(_) => None,
        })
        .flatten()
        .copied()
        .collect();
    wanted
        .into_iter()
        .map(|one| (one, interpreter::locate(one, sandbox)))
        .collect()
}
