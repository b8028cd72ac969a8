//! A helper's description of itself; `--help`, `--version` and the contract file are made from it.

use std::time::Duration;

use aris_contract::ErrorKind;
use serde::Serialize;

/// A helper's description of itself.
#[derive(Debug)]
pub struct Spec {
    /// Canonical name, equal to crate, binary and launcher.
    pub name: &'static str,
    /// `env!("CARGO_PKG_VERSION")`.
    pub version: &'static str,
    /// What it does, one line, imperative, without a full stop.
    pub summary: &'static str,
    /// What it reads: arguments, files, standard input.
    pub input: &'static str,
    /// What stdout carries.
    pub output: &'static str,
    /// What stderr carries.
    pub stderr: &'static str,
    /// What each subcommand reads, prints and ends with; empty for a helper without subcommands.
    pub commands: &'static [CommandSpec],
    /// Worked calls as a shell reads them: `helper command …  # what it does`.
    pub examples: &'static [&'static str],
    /// Exit codes other than 0 and those of `errors`, with their meaning.
    pub signals: &'static [(u8, &'static str)],
    /// What 0 means for this helper.
    pub ok: &'static str,
    /// Classes of failure it can exit with. [`ErrorKind::Internal`] and [`ErrorKind::Usage`] are always included.
    pub errors: &'static [ErrorKind],
    /// Schema ids of its JSON: the envelope's data first, then the files it writes.
    pub schemas: &'static [&'static str],
    /// Calls that a linter or a test may run in a copy of the owner skill's folder.
    pub samples: &'static [Sample],
    /// Whether it can reach the network.
    pub network: Network,
    /// Default of `--deadline`, after which a run ends with [`ErrorKind::Timeout`]; `None` if the helper has no such flag.
    pub deadline: Option<Duration>,
}

/// The deadline of helpers that read a paper.
pub const DEADLINE: Duration = Duration::from_mins(5);

/// What `--help` and the contract say about one subcommand.
#[derive(Clone, Copy, Debug)]
pub struct CommandSpec {
    /// Its name.
    pub name: &'static str,
    /// What it reads.
    pub input: &'static str,
    /// What it prints.
    pub output: &'static str,
    /// Exit codes other than 1, 2 and the deadline's 6, with their meaning; an empty text stands for the meaning that all helpers
    /// share.
    pub exits: &'static [(u8, &'static str)],
}

impl CommandSpec {
    /// A subcommand.
    pub const fn new(
        name: &'static str,
        input: &'static str,
        output: &'static str,
        exits: &'static [(u8, &'static str)],
    ) -> Self {
        Self {
            name,
            input,
            output,
            exits,
        }
    }
}

/// A call with known exit codes, safe to run anywhere.
#[derive(Clone, Copy, Debug)]
pub struct Sample {
    /// Arguments; paths are relative to the owner skill's folder.
    pub args: &'static [&'static str],
    /// Allowed exit codes.
    pub exit: &'static [u8],
}

/// Whether a helper can reach the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Network {
    /// It never does.
    None,
    /// It does unless told not to.
    Optional,
    /// It cannot work without.
    Required,
}

impl Spec {
    /// All exit codes with their meaning, ascending.
    pub fn exits(&self) -> Vec<(u8, &'static str)> {
        let mut own = self.signals.to_vec();
        own.push((0, self.ok));
        self.with_usual(own, self.errors)
    }

    /// The worked calls, each with its comment.
    pub(crate) fn examples(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        let examples = self.examples.iter();
        examples.map(|example| example.split_once("  # ").unwrap_or((example, "")))
    }

    /// The description of a subcommand.
    pub(crate) fn command(&self, name: &str) -> Option<&'static CommandSpec> {
        self.commands.iter().find(|command| command.name == name)
    }

    /// All exit codes of a subcommand with their meaning, ascending.
    pub(crate) fn exits_of(&self, command: &CommandSpec) -> Vec<(u8, &'static str)> {
        let usual = |code: u8| {
            let mut kinds = ErrorKind::ALL.into_iter();
            let kind = kinds.find(|kind| kind.exit().code() == code);
            kind.map_or("done", ErrorKind::meaning)
        };
        let mut own = command.exits.to_vec();
        if !own.iter().any(|(code, _)| *code == 0) {
            own.push((0, ""));
        }
        for (code, meaning) in &mut own {
            if meaning.is_empty() {
                *meaning = usual(*code);
            }
        }
        self.with_usual(own, &[])
    }

    /// `codes`, the codes of `errors`, and those with which every call can end, in ascending order. A gate has two meanings of 1; its
    /// own comes first.
    fn with_usual(
        &self,
        mut codes: Vec<(u8, &'static str)>,
        errors: &[ErrorKind],
    ) -> Vec<(u8, &'static str)> {
        let can_be = |kind: &ErrorKind| self.is_usual(*kind) || errors.contains(kind);
        let kinds = ErrorKind::ALL.into_iter().filter(can_be);
        codes.extend(kinds.map(|kind| (kind.exit().code(), kind.meaning())));
        codes.sort_by_key(|(code, _)| *code);
        codes
    }

    /// Whether every call can end with this kind of error.
    fn is_usual(&self, kind: ErrorKind) -> bool {
        match kind {
            ErrorKind::Internal | ErrorKind::Usage => true,
            ErrorKind::Timeout => self.deadline.is_some(),
            _ => false,
        }
    }
}
