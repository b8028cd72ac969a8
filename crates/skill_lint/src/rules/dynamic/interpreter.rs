//! Finds the interpreter of a script. It is started by name; the script's execute bit is not needed.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use aris_proc::Finished;
use aris_skills::script::{ScriptKind, Shebang};

use crate::sandbox::Sandbox;

/// Longest time that an interpreter may take to print its location or version.
const PROBE: Duration = Duration::from_secs(10);

/// Names on `PATH` of interpreters that can run a script, best first.
pub(super) fn candidates(kind: ScriptKind, shebang: Option<&Shebang>) -> Vec<&'static str> {
    let names = |name: &&str| {
        shebang.is_some_and(|shebang| {
            shebang.program == *name || shebang.args.iter().any(|word| word == name)
        })
    };
    let (named, others): (&[&str], &[&str]) = match kind {
        ScriptKind::Sh => (&["sh", "dash", "zsh", "ksh", "ash"], &["bash"]),
        ScriptKind::Py => (&["uv"], &["python3"]),
        ScriptKind::Js => (&["bun", "deno"], &["node"]),
        ScriptKind::Ts => (&["bun", "deno", "node"], &["tsx", "bun", "deno"]),
        ScriptKind::Ps1 => (&[], &["pwsh"]),
        ScriptKind::Rb => (&[], &["ruby"]),
        ScriptKind::Pl => (&[], &["perl"]),
    };
    match named.iter().find(|name| names(name)) {
        Some(name) => vec![*name],
        None => others.to_vec(),
    }
}

/// Arguments before the script. `-B` keeps Python from writing compiled files.
fn before(name: &str) -> &'static [&'static str] {
    match name {
        "python3" => &["-B"],
        "uv" => &["run", "--script"],
        "deno" => &["run", "--allow-all"],
        "pwsh" => &["-NoProfile", "-NonInteractive", "-File"],
        _ => &[],
    }
}

/// Arguments that make an interpreter print its own path. Version managers put wrappers on `PATH` that work only in the user's
/// home.
fn whereabouts(name: &str) -> &'static [&'static str] {
    match name {
        "python3" => &["-I", "-c", "import sys; print(sys.executable)"],
        "node" => &["-p", "process.execPath"],
        "ruby" => &["-e", "require 'rbconfig'; print RbConfig.ruby"],
        _ => &[],
    }
}

/// The command line of an interpreter, up to the script's path; `None` when it is absent or does not work in the sandbox.
///
/// Runs only the interpreter: outside the sandbox to locate it, inside to see that it starts.
pub(super) fn locate(name: &str, sandbox: &Sandbox) -> Option<Vec<OsString>> {
    let path = sandbox.path().to_string_lossy();
    let folders = path.split(':').filter(|folder| folder.starts_with('/'));
    let folders = folders.collect::<Vec<_>>().join(":");
    let mut real = aris_fs::on_path(name, &folders, Path::new("/"))?;
    if !whereabouts(name).is_empty() {
        let command = aris_proc::command(&real, "/").args(whereabouts(name));
        let answer = command.run(PROBE).ok().filter(Finished::success)?;
        let path = answer.stdout.whole_text();
        let path = path.map(|text| PathBuf::from(text.trim()));
        real = path.filter(|path| path.is_file()).unwrap_or(real);
    }
    // dash has no version flag; a syntax check of empty input serves as well.
    let flag = match name {
        "sh" | "dash" | "ash" | "ksh" => "-n",
        _ => "--version",
    };
    let real = real.into_os_string();
    let scratch = sandbox.scratch().ok()?;
    let command = [real.clone(), flag.into()];
    let tried = sandbox.run(&command, &scratch.cwd(), &scratch);
    let works = tried.is_ok_and(|finished| finished.success());
    scratch.remove().ok()?;
    let words = before(name).iter().map(OsString::from);
    works.then(|| std::iter::once(real).chain(words).collect())
}

#[cfg(test)]
mod tests {
    use aris_skills::Text;

    use super::*;

    #[test]
    fn the_kind_chooses_and_the_shebang_may_be_more_exact() {
        for (kind, shebang, expected) in [
            (ScriptKind::Sh, "", &["bash"][..]),
            (ScriptKind::Sh, "#!/bin/sh", &["sh"]),
            (ScriptKind::Sh, "#!/usr/bin/env -S bash -eu", &["bash"]),
            (ScriptKind::Sh, "#!/usr/bin/zsh", &["zsh"]),
            (ScriptKind::Py, "#!/usr/bin/env python3.11", &["python3"]),
            (ScriptKind::Py, "#!/usr/bin/env -S uv run --script", &["uv"]),
            (ScriptKind::Js, "#!/usr/bin/env node", &["node"]),
            (ScriptKind::Js, "#!/usr/bin/env bun", &["bun"]),
            (ScriptKind::Ts, "", &["tsx", "bun", "deno"]),
            (ScriptKind::Ts, "#!/usr/bin/env -S deno run", &["deno"]),
            (ScriptKind::Ps1, "", &["pwsh"]),
            (ScriptKind::Rb, "#!/usr/bin/ruby", &["ruby"]),
            (ScriptKind::Pl, "#!/usr/bin/perl -w", &["perl"]),
        ] {
            let shebang_of = Shebang::of(&Text::new(shebang.as_bytes()));
            let found = candidates(kind, shebang_of.as_ref());
            assert_eq!(found, expected, "{kind:?} {shebang}");
        }
    }
}
