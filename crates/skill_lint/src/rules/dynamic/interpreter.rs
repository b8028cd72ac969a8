//! What runs a script: named explicitly, never through the execute bit.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use aris_skills::script::{ScriptKind, Shebang};

use crate::sandbox::{Call, Sandbox};

/// A program that runs scripts, and the words between it and the script.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Interpreter {
    /// Its name on `PATH`.
    pub(super) name: &'static str,
    /// Arguments before the script.
    before: &'static [&'static str],
    /// Arguments that make it print its own path: version managers put a wrapper on `PATH` that works only in the user's
    /// home.
    whereabouts: &'static [&'static str],
}

const fn plain(name: &'static str) -> Interpreter {
    Interpreter {
        name,
        before: &[],
        whereabouts: &[],
    }
}

/// `-B`: no compiled files beside the script.
const PYTHON: Interpreter = Interpreter {
    name: "python3",
    before: &["-B"],
    whereabouts: &["-I", "-c", "import sys; print(sys.executable)"],
};
const UV: Interpreter = Interpreter {
    name: "uv",
    before: &["run", "--script"],
    whereabouts: &[],
};
const NODE: Interpreter = Interpreter {
    name: "node",
    before: &[],
    whereabouts: &["-p", "process.execPath"],
};
const DENO: Interpreter = Interpreter {
    name: "deno",
    before: &["run", "--allow-all"],
    whereabouts: &[],
};
const POWERSHELL: Interpreter = Interpreter {
    name: "pwsh",
    before: &["-NoProfile", "-NonInteractive", "-File"],
    whereabouts: &[],
};
const RUBY: Interpreter = Interpreter {
    name: "ruby",
    before: &[],
    whereabouts: &["-e", "require 'rbconfig'; print RbConfig.ruby"],
};

/// Seconds that an interpreter may take to say where it is, or which version it has.
const PROBE: Duration = Duration::from_secs(10);

/// The interpreters that will do for a script, the best first.
pub(super) fn candidates(kind: ScriptKind, shebang: Option<&Shebang>) -> Vec<Interpreter> {
    let names = |name: &str| {
        shebang.is_some_and(|shebang| {
            shebang.program == name || shebang.args.iter().any(|word| word == name)
        })
    };
    match kind {
        ScriptKind::Sh => ["sh", "dash", "zsh", "ksh", "ash"]
            .into_iter()
            .find(|name| names(name))
            .map_or_else(|| vec![plain("bash")], |name| vec![plain(name)]),
        ScriptKind::Py if names("uv") => vec![UV],
        ScriptKind::Py => vec![PYTHON],
        ScriptKind::Js | ScriptKind::Ts if names("bun") => vec![plain("bun")],
        ScriptKind::Js | ScriptKind::Ts if names("deno") => vec![DENO],
        ScriptKind::Js => vec![NODE],
        ScriptKind::Ts if names("node") => vec![NODE],
        ScriptKind::Ts => vec![plain("tsx"), plain("bun"), DENO],
        ScriptKind::Ps1 => vec![POWERSHELL],
        ScriptKind::Rb => vec![RUBY],
        ScriptKind::Pl => vec![plain("perl")],
    }
}

impl Interpreter {
    /// The words that run a script up to its path; `None` when the interpreter is absent or does not work in the sandbox.
    ///
    /// Runs the interpreter itself, outside to learn where it is and inside to see that it starts; nothing of the tree.
    pub(super) fn locate(&self, sandbox: &Sandbox) -> Option<Vec<OsString>> {
        let found = on_path(self.name, sandbox)?;
        let real = if self.whereabouts.is_empty() {
            found
        } else {
            let answer = aris_proc::command(&found, "/")
                .args(self.whereabouts)
                .run(PROBE)
                .ok()?;
            let path = answer
                .stdout
                .whole_text()
                .map(|text| PathBuf::from(text.trim()));
            if answer.success() {
                path.filter(|path| path.is_file()).unwrap_or(found)
            } else {
                return None;
            }
        };
        let scratch = sandbox.scratch().ok()?;
        let command = [
            real.clone().into_os_string(),
            OsString::from(self.version_flag()),
        ];
        let call = Call {
            command: &command,
            cwd: None,
        };
        let works = sandbox
            .run(&call, &scratch)
            .is_ok_and(|finished| finished.success());
        scratch.remove().ok()?;
        works.then(|| {
            let mut words = vec![real.into_os_string()];
            words.extend(self.before.iter().map(OsString::from));
            words
        })
    }

    /// dash knows no version flag; checking the syntax of no input is as good.
    fn version_flag(&self) -> &'static str {
        if matches!(self.name, "sh" | "dash" | "ash" | "ksh") {
            "-n"
        } else {
            "--version"
        }
    }
}

fn on_path(name: &str, sandbox: &Sandbox) -> Option<PathBuf> {
    std::env::split_paths(sandbox.path())
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join(name))
        .find(|file| is_executable(file))
}

fn is_executable(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    file.metadata()
        .is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
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
            let found: Vec<&str> = candidates(kind, shebang_of.as_ref())
                .iter()
                .map(|one| one.name)
                .collect();
            assert_eq!(found, expected, "{kind:?} {shebang}");
        }
    }
}
