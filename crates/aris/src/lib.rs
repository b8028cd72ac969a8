//! `aris`: every helper in one program, and the front door for people.
//!
//! `aris <helper> …` runs that helper, with the same flags, streams and exit codes; a link to this file with the helper's name (current or
//! legacy) does the same. `aris help` lists the helpers by job; `aris completions` and `aris man` print shell completions and manual
//! pages, made from the helpers' own parsers. `aris install` installs the skills that the program contains into a project, and `aris demo`
//! shows the gate at work: this one file is all that a user without Rust needs. The list of helpers is generated: `table.rs`, and the
//! dependencies in `Cargo.toml`.

#![warn(missing_docs)]

mod cli;
mod demo;
mod entry;
mod error;
mod lookup;
mod page;
mod store;
mod table;

use std::cell::RefCell;
use std::ffi::{OsStr, OsString};
use std::io::{self, Write};
use std::path::Path;
use std::rc::Rc;

use aris_cli::{Network, Process, Sample, Spec};
use aris_contract::{ErrorKind, Exit};

const SPEC: Spec = Spec {
    name: "aris",
    version: env!("CARGO_PKG_VERSION"),
    summary: "Run a helper, or list them all by what they are for",
    input: "the name of a helper and its arguments, or one of the commands of aris",
    output: "what the helper prints; a list, a help text, completions, a manual page, a path, or what the demo did",
    stderr: "what the helper says; errors",
    commands: &[],
    examples: &[
        "aris  # List the helpers by what they are for",
        "aris verify_paper_audits paper/ --assurance submission  # Run one of them",
        "aris help save_trace  # All that one of them can do",
        "aris completions bash > ~/.local/share/bash-completion/completions/aris  # Completions for aris and the helpers below it",
        "aris install ~/my-paper --host claude,codex  # Install the skills and helpers into a project",
        "aris demo  # See the gate block a paper with planted faults, and open after the fixes",
        "export ARIS_REPO=$(aris source)  # The folder of the skills",
        "aris man citation_audit | man -l -  # A manual page",
    ],
    signals: &[],
    ok: "done; of a helper: what its own help says",
    errors: &[ErrorKind::Precondition],
    schemas: &[page::SCHEMA],
    samples: &[Sample {
        args: &["help", "--json"],
        exit: &[0],
    }],
    network: Network::None,
    deadline: None,
};

/// Runs the helper that the program's own name or the first word names; otherwise runs `aris` itself.
pub fn dispatch(mut process: Process) -> Exit {
    let own = process.args.first().map(Path::new);
    let own = own.and_then(Path::file_name).unwrap_or_default();
    // The installer's launcher `.aris/tools/aris` passes this.
    let is_front = process.args.get(1).is_some_and(|arg| arg == "--as-aris");
    if is_front {
        process.args.remove(1);
    } else if let Some(entry) = lookup::of_program(own) {
        return (entry.run)(process);
    }
    // Newcomers get the list of helpers; `aris help HELPER` shows the rest.
    if matches!(process.args.as_slice(), [_, flag] if flag == "--help" || flag == "-h") {
        process.args = vec![SPEC.name.into(), "help".into()];
    }
    // Flags that all helpers have may precede the helper's name.
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
        if let Some(entry) = lookup::find(name) {
            process.args.remove(at);
            return (entry.run)(process);
        }
        if name == "install" {
            process.args.remove(at);
            return install(process);
        }
        if !cli::is_command(name) {
            // Help on an unknown name suggests the name that was probably meant.
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

/// Runs `aris install` as `install_aris`. Unless the arguments name a source, the source is what this program contains.
fn install(mut process: Process) -> Exit {
    let has = |names: &[&str]| {
        process
            .args
            .iter()
            .any(|arg| names.iter().any(|name| arg == name))
    };
    let names_source = |arg: &OsString| arg.as_encoded_bytes().starts_with(b"--aris-repo");
    let needs_none = has(&["--uninstall", "--help", "-h", "--version", "-V"]);
    if !needs_none && !process.args.iter().any(names_source) {
        let printed = Printed::default();
        let flags = ["--json", "--quiet", "-q"]
            .into_iter()
            .filter(|flag| has(&[flag]));
        let args = ["aris", "source"].into_iter().chain(flags);
        let code = aris_cli::run(
            &SPEC,
            cli::run,
            Process {
                args: args.map(OsString::from).collect(),
                env: process.env.clone(),
                cwd: process.cwd.clone(),
                clock: process.clock,
                stdout_style: process.stdout_style,
                stderr_style: process.stderr_style,
                stdout: Box::new(printed.clone()),
                stderr: Box::new(io::stderr()),
            },
        );
        let place = store::location(|name| process.env.get(name).map(String::as_str));
        let (Exit::OK, Ok(place)) = (code, place) else {
            // Pass on the error as printed (an envelope with --json). A failure to write it cannot be reported.
            drop(process.stdout.write_all(&printed.0.borrow()));
            return code;
        };
        process.args.push("--aris-repo".into());
        process.args.push(place.join("source").into());
    }
    match lookup::find(OsStr::new("install_aris")) {
        Some(entry) => (entry.run)(process),
        None => Exit::OK,
    }
}

/// Captures the standard output of a part of the work.
#[derive(Clone, Default)]
struct Printed(Rc<RefCell<Vec<u8>>>);

impl Write for Printed {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
