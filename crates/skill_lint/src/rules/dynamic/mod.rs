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
use self::judge::{Place, Problem};
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
    let programs = program::programs(skill);
    for program in &programs {
        for (line, fault) in program
            .samples
            .iter()
            .filter_map(|sample| Some((sample.line, sample.args.as_ref().err()?)))
        {
            sink.found(
                "SR306",
                &program.path,
                (line, 1),
                format!("the sample cannot be run: {fault}"),
            );
        }
    }
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
    let judged: Vec<Result<Vec<Problem>, String>> =
        aris_fs::map_in_parallel(config.threads(), &programs, |program| {
            let answers = calls::answers(program, level, &sandbox, &interpreters)?;
            Ok(judge::problems(&answers))
        });
    for (program, result) in programs.into_iter().zip(judged) {
        match result {
            Ok(problems) => problems
                .into_iter()
                .for_each(|problem| report(program, problem, sink)),
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

fn report(program: &Program, (rule, place, message): Problem, sink: &mut Sink<'_>) {
    let (path, line) = match (place, &program.contract) {
        (Place::Script(line), _) => (&program.path, line),
        (Place::Contract, Some(file)) => (&file.path, file.samples_line),
        (Place::Contract, None) => (&program.path, 1),
    };
    sink.found(rule, path, (line, 1), message).skill = Some(program.skill_name.clone());
}
