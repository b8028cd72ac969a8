//! The programs of a skill that can be run, and what is known of each without running it.

use std::path::PathBuf;

use aris_skills::binary::{Binary, Format, Machine};
use aris_skills::{Skill, SourceFile, names};

use super::contract::Contract;
use super::interpreter;
use super::sample::{self, Sample};

/// One entry point or binary.
#[derive(Clone, Debug)]
pub(super) struct Program {
    /// Path in the tree.
    pub(super) path: String,
    /// Path in the skill.
    pub(super) skill_path: String,
    /// The skill on the disk.
    pub(super) skill: PathBuf,
    /// Name of the skill.
    pub(super) skill_name: String,
    pub(super) start: Start,
    pub(super) contract: Option<ContractFile>,
    /// Samples that its comments declare.
    pub(super) samples: Vec<Sample>,
    /// The name of a compiled helper, which its `--version` prints: for binaries and their launchers.
    pub(super) compiled: Option<String>,
}

/// How a program is started.
#[derive(Clone, Debug)]
pub(super) enum Start {
    /// By one of these.
    Interpreter(Vec<&'static str>),
    /// As it is.
    Itself,
    /// Not on this machine, and why.
    Never(&'static str),
}

/// A contract file.
#[derive(Clone, Debug)]
pub(super) struct ContractFile {
    /// Path in the tree.
    pub(super) path: String,
    /// Line of its samples, from 1.
    pub(super) samples_line: usize,
    pub(super) contract: Contract,
}

/// The programs of a skill, in the order of its files.
pub(super) fn programs(skill: &Skill) -> Vec<Program> {
    skill
        .files
        .iter()
        .filter_map(|file| program(skill, file))
        .collect()
}

fn program(skill: &Skill, file: &SourceFile) -> Option<Program> {
    let stem = names::stem(&file.skill_path);
    let folder = names::folder(&file.skill_path);
    let (start, contract, samples, compiled) = match (&file.script, &file.binary) {
        (Some(script), _) if script.entry_point => {
            let contract = contract_at(skill, folder, stem);
            let text = file.text.as_ref()?;
            let start = Start::Interpreter(interpreter::candidates(
                script.kind,
                script.shebang.as_ref(),
            ));
            let compiled = contract.as_ref().map(|file| file.contract.name.clone());
            (start, contract, sample::samples(text.lines()), compiled)
        }
        (None, Some(binary)) if names::may_be_entry_point(&file.skill_path) => {
            // `scripts/bin/<helper>-<target>` has its contract beside the launcher, `scripts/<helper>.contract.json`.
            let above = names::folder(folder);
            let helpers = stem
                .match_indices('-')
                .map(|(at, _)| at)
                .chain([stem.len()]);
            let found = helpers
                .filter_map(|end| stem.get(..end))
                .find_map(|helper| {
                    contract_at(skill, folder, helper).or_else(|| contract_at(skill, above, helper))
                });
            let name = found
                .as_ref()
                .map_or_else(|| stem.to_owned(), |file| file.contract.name.clone());
            // The launcher answers for the contract where there is one.
            let launched = found.as_ref().is_some_and(|found| {
                let launcher = found.path.strip_suffix(CONTRACT).unwrap_or_default();
                skill
                    .files
                    .iter()
                    .any(|file| file.path() == launcher && file.is_entry_point())
            });
            (
                itself(file, *binary),
                found.filter(|_| !launched),
                Vec::new(),
                Some(name),
            )
        }
        _ => return None,
    };
    Some(Program {
        path: file.path().to_owned(),
        skill_path: file.skill_path.clone(),
        skill: skill.location.clone(),
        skill_name: skill.name.clone(),
        start,
        contract,
        samples,
        compiled,
    })
}

const CONTRACT: &str = ".contract.json";

fn contract_at(skill: &Skill, folder: &str, helper: &str) -> Option<ContractFile> {
    let file = skill.file(&names::join(folder, &format!("{helper}{CONTRACT}")))?;
    let text = file.text.as_ref()?;
    let contract = Contract::of(text.raw())?;
    let mut lines = text.lines();
    let samples = lines.find(|(_, line)| line.contains("\"samples\""));
    Some(ContractFile {
        path: file.path().to_owned(),
        samples_line: samples.map_or(1, |(number, _)| number),
        contract,
    })
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
