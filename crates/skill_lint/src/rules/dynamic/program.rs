//! The programs of a skill that can be run, and what is known about each before it runs.

use std::path::PathBuf;

use aris_skills::binary::{Binary, Format, Machine};
use aris_skills::{Skill, SourceFile, Text, names};

use super::contract::Contract;
use super::interpreter;
use super::sample::declared;
use crate::finding::Sink;

/// One entry point or binary.
#[derive(Clone, Debug)]
pub struct Program {
    /// Path relative to the tree's root.
    pub(super) path: String,
    /// Path relative to the skill.
    pub(super) skill_path: String,
    /// The skill's folder on the disk.
    pub(super) skill: PathBuf,
    /// Name of the skill.
    pub(super) skill_name: String,
    pub(super) start: Start,
    /// Whether it is checked against a contract file.
    pub(super) has_contract: bool,
    /// Samples from its comments, then those from its contract.
    pub(super) samples: Vec<Sample>,
}

/// A path relative to the tree's root, and a line from 1.
pub(super) type Place = (String, usize);

/// A call that a program declares.
#[derive(Clone, Debug)]
pub(super) struct Sample {
    pub(super) place: Place,
    pub(super) args: Vec<String>,
    /// The allowed exit codes; empty allows any.
    pub(super) exits: Vec<i64>,
}

/// How a program is started.
#[derive(Clone, Debug)]
pub(super) enum Start {
    /// By the first of these interpreters that works.
    Interpreter(Vec<&'static str>),
    /// Directly, as a binary.
    Itself,
    /// Not on this machine; with the reason.
    Never(&'static str),
}

/// The programs of a skill, in the order of its files. A sample that cannot be run is a finding.
pub(super) fn programs(skill: &Skill, sink: &mut Sink<'_>) -> Vec<Program> {
    let files = skill.files.iter();
    files
        .filter_map(|file| program(skill, file, sink))
        .collect()
}

fn program(skill: &Skill, file: &SourceFile, sink: &mut Sink<'_>) -> Option<Program> {
    let stem = names::stem(&file.skill_path);
    let folder = names::folder(&file.skill_path);
    let mut samples = Vec::new();
    let (start, contract) = match (&file.script, &file.binary) {
        (Some(script), _) if script.entry_point => {
            for (line, args) in declared(file.text.as_ref()?.lines()) {
                match args {
                    Ok(args) => samples.push(Sample {
                        place: (file.path().to_owned(), line),
                        args,
                        exits: Vec::new(),
                    }),
                    Err(fault) => {
                        let message = format!("the sample cannot be run: {fault}");
                        sink.found("SR306", file.path(), (line, 1), message);
                    }
                }
            }
            let candidates = interpreter::candidates(script.kind, script.shebang.as_ref());
            let contract = contract_at(skill, folder, stem);
            (Start::Interpreter(candidates), contract)
        }
        (None, Some(binary)) if names::may_be_entry_point(&file.skill_path) => {
            // The contract of `scripts/bin/<helper>-<target>` is beside the launcher: `scripts/<helper>.contract.json`.
            let above = names::folder(folder);
            let ends = stem.match_indices('-').map(|(at, _)| at);
            let mut helpers = ends.chain([stem.len()]).filter_map(|end| stem.get(..end));
            let found = helpers.find_map(|helper| {
                contract_at(skill, folder, helper).or_else(|| contract_at(skill, above, helper))
            });
            // Where there is a launcher, it is checked against the contract, and the binary is not.
            let launched = |(contract, _): &(&SourceFile, _)| {
                let launcher = contract.skill_path.strip_suffix(CONTRACT);
                let launcher = launcher.and_then(|launcher| skill.file(launcher));
                launcher.is_some_and(SourceFile::is_entry_point)
            };
            (
                itself(file, *binary),
                found.filter(|found| !launched(found)),
            )
        }
        _ => return None,
    };
    if let Some((file, contract)) = &contract {
        let mut lines = file.text.iter().flat_map(Text::lines);
        let line = lines.find(|(_, line)| line.contains("\"samples\""));
        let line = line.map_or(1, |(number, _)| number);
        let promises = contract.samples.iter();
        samples.extend(promises.map(|promise| Sample {
            place: (file.path().to_owned(), line),
            args: promise.args.clone(),
            exits: promise.exits.clone(),
        }));
    }
    Some(Program {
        path: file.path().to_owned(),
        skill_path: file.skill_path.clone(),
        skill: skill.location.clone(),
        skill_name: skill.name.clone(),
        start,
        has_contract: contract.is_some(),
        samples,
    })
}

const CONTRACT: &str = ".contract.json";

fn contract_at<'s>(
    skill: &'s Skill,
    folder: &str,
    helper: &str,
) -> Option<(&'s SourceFile, Contract)> {
    let file = skill.file(&names::join(folder, &format!("{helper}{CONTRACT}")))?;
    Some((file, Contract::of(file.text.as_ref()?.raw())?))
}

fn itself(file: &SourceFile, binary: Binary) -> Start {
    let format = if cfg!(target_os = "macos") {
        Format::MachO
    } else {
        Format::Elf
    };
    let fits = match binary.machine {
        Some(Machine::Universal) => true,
        Some(machine) => machine.word() == Some(std::env::consts::ARCH),
        None => false,
    };
    if binary.format != format || !fits {
        Start::Never("it is made for another system")
    } else if !file.entry.executable_on_disk {
        Start::Never("it has no execute permission")
    } else {
        Start::Itself
    }
}
