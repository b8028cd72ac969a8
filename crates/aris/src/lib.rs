//! `aris`: every helper in one program, and the front door for people.
//!
//! `aris <helper> …` is that helper, with the same flags, streams and exit codes; so is a link to this file under the helper's
//! name, current or legacy. `aris help` lists the helpers by what they are for; `aris completions` and `aris man` print what
//! shells and `man` want, made from the helpers' own parsers. What helpers there are is generated: `table.rs`, and the
//! dependencies in `Cargo.toml`.

#![warn(missing_docs)]

mod cli;
mod entry;
mod error;
mod page;
mod table;

use std::ffi::{OsStr, OsString};
use std::path::Path;

use aris_cli::{Example, Network, Process, Sample, Spec};
use aris_contract::Exit;

const SPEC: Spec = Spec {
    name: "aris",
    version: env!("CARGO_PKG_VERSION"),
    summary: "Run a helper, or list them all by what they are for",
    input: "the name of a helper and its arguments, or one of the commands above",
    output: "what the helper prints; a list, a help text, completions or a manual page",
    stderr: "what the helper says; errors",
    examples: &[
        Example {
            command: "",
            line: "aris",
            what: "List the helpers by what they are for",
        },
        Example {
            command: "",
            line: "aris verify_paper_audits paper/ --assurance submission",
            what: "Run one of them",
        },
        Example {
            command: "help",
            line: "aris help save_trace",
            what: "All that one of them can do",
        },
        Example {
            command: "completions",
            line: "aris completions bash > ~/.local/share/bash-completion/completions/aris",
            what: "Completions for aris and the helpers below it",
        },
        Example {
            command: "man",
            line: "aris man citation_audit | man -l -",
            what: "A manual page",
        },
    ],
    signals: &[],
    ok: "done; of a helper: what its own help says",
    errors: &[],
    schemas: &[page::SCHEMA],
    samples: &[Sample {
        args: &["help", "--json"],
        exit: &[0],
    }],
    network: Network::None,
    deadline: None,
};

/// Becomes the helper that the program's own name or the first word asks for; everything else is for `aris` itself.
pub fn dispatch(mut process: Process) -> Exit {
    let own = process.args.first().map(Path::new);
    let own = own.and_then(Path::file_name).unwrap_or_default();
    if let Some(entry) = entry::find(own) {
        return (entry.run)(process);
    }
    // Flags that every helper has may stand before its name.
    let is_word = |arg: &OsString| !arg.as_encoded_bytes().starts_with(b"-");
    let word = process
        .args
        .iter()
        .skip(1)
        .position(is_word)
        .map(|at| at + 1);
    if let Some(at) = word {
        let name = process
            .args
            .get(at)
            .map_or(OsStr::new(""), OsString::as_os_str);
        if let Some(entry) = entry::find(name) {
            process.args.remove(at);
            return (entry.run)(process);
        }
        if !cli::is_command(name) {
            // Help on an unknown name says which name is meant.
            let name = name.to_owned();
            let json = process.args.iter().any(|arg| arg == "--json");
            process.args = vec!["aris".into(), "help".into(), "--".into(), name];
            if json {
                process.args.insert(1, "--json".into());
            }
        }
    }
    aris_cli::run(&SPEC, cli::run, process)
}
