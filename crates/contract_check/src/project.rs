//! The project as the resolver chain sees it, and the command that starts a helper. The edge to the disk.

use std::path::{Path, PathBuf};

use aris_cli::Context;
use aris_contract::helpers::Helper;
use aris_contract::resolve::{Probe, Resolution, ResolveEnv, resolve};

use crate::cli::Cli;
use crate::error::Error;

/// Largest `.aris/installed-skills.txt` that is read, in bytes. With every skill of the reference it has about 10 KB.
const MANIFEST_LIMIT: u64 = 4 << 20;

/// Bytes at a file's beginning that are searched for its interpreter.
const HEAD: u64 = 256;

/// A project.
#[derive(Debug)]
pub(crate) struct Project {
    /// Absolute.
    pub(crate) root: PathBuf,
    pub(crate) env: ResolveEnv,
    /// `PATH`.
    pub(crate) search_path: String,
}

impl Project {
    /// The project from the arguments and the environment.
    pub(crate) fn open(cli: &Cli, context: &Context) -> Result<Self, Error> {
        let root = match &cli.project {
            Some(folder) => {
                let path = context.absolute(folder);
                aris_fs::need_folder(&path).map_err(Error::Folder)?;
                path
            }
            None => aris_audit::project::of_directory(context.cwd()),
        };
        let manifest = root.join(aris_contract::artifact::install::INSTALLED_SKILLS);
        let installed_skills = match aris_fs::read_optional(&manifest, MANIFEST_LIMIT) {
            Ok(bytes) => bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()),
            Err(error) => {
                context.warn(&format!(
                    "the record of what is installed is left out: {error}"
                ));
                None
            }
        };
        let given = cli.skill_dir.clone();
        // A host that does not know the variable leaves its name in the skill's text.
        let skill_dir = given
            .filter(|dir| !dir.to_string_lossy().starts_with('$') && !dir.as_os_str().is_empty())
            .or_else(|| context.env("CLAUDE_SKILL_DIR").map(PathBuf::from));
        Ok(Self {
            env: ResolveEnv {
                project_root: root.clone(),
                skill_dir: skill_dir.map(|dir| context.absolute(&dir)),
                skill_name: None,
                aris_repo: context
                    .env("ARIS_REPO")
                    .map(|path| context.absolute(Path::new(path))),
                installed_skills,
            },
            root,
            search_path: context.env("PATH").unwrap_or_default().to_owned(),
        })
    }

    /// The project's folder as an argument for a program that runs in it.
    pub(crate) fn argument(&self) -> String {
        self.root.to_str().unwrap_or(".").to_owned()
    }

    /// Resolves the helper along the chain.
    pub(crate) fn find(&self, helper: &Helper) -> Resolution {
        resolve(&helper.names(), &helper.owner, &self.env, &probe)
    }

    /// Program and first arguments that start the helper. **Errors**: why it cannot be started.
    pub(crate) fn argv(&self, helper: &Helper) -> Result<Vec<PathBuf>, String> {
        let resolution = self.find(helper);
        let Some((path, _)) = resolution.hit() else {
            return Err(resolution.miss().unwrap_or_default());
        };
        let interpreter = interpreter(path).map(PathBuf::from);
        Ok(interpreter
            .into_iter()
            .chain([path.to_path_buf()])
            .collect())
    }
}

/// Probes a candidate of the chain. A file that is started without an interpreter needs its execute bit.
pub(crate) fn probe(path: &Path) -> Probe {
    match aris_fs::probe(path) {
        Probe::Usable if interpreter(path).is_none() => aris_fs::usable_helper(path),
        found => found,
    }
}

/// The interpreter of a helper, by its legacy name, else by its first line; `None` when the file is executed directly.
///
/// Scripts run through their interpreter, so a lost execute bit does not matter.
pub(crate) fn interpreter(path: &Path) -> Option<&'static str> {
    let legacy = match path.extension().and_then(|extension| extension.to_str()) {
        Some("sh") => return Some("bash"),
        Some("py") => Some("python3"),
        _ => None,
    };
    // A shebang for a shell wins, even under a name that callers give to python3.
    first_line(path)
        .filter(|name| legacy.is_none() || *name == "sh")
        .or(legacy)
}

/// The interpreter in a file's first line.
fn first_line(path: &Path) -> Option<&'static str> {
    let head = aris_fs::open(path).and_then(|file| file.head(HEAD)).ok()?;
    let line = head
        .strip_prefix(b"#!")?
        .split(|byte| *byte == b'\n')
        .next()?;
    let line = String::from_utf8_lossy(line);
    let mut words = line.split_ascii_whitespace();
    let program = |word: &str| word.rsplit('/').next().unwrap_or_default().to_owned();
    let first = words.next().map(program)?;
    let name = if first == "env" {
        words.find(|word| !word.starts_with('-')).map(program)?
    } else {
        first
    };
    match name.as_str() {
        "sh" | "dash" => Some("sh"),
        "bash" => Some("bash"),
        name if name.starts_with("python") => Some("python3"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::disallowed_methods, reason = "tests prepare files directly")]

    use super::*;

    #[test]
    fn legacy_names_and_first_lines_choose_the_interpreter() {
        let temp = tempfile::tempdir().expect("temp");
        for (name, text, expected) in [
            ("a.py", "", Some("python3")),
            ("a.sh", "#!/bin/sh\n", Some("bash")),
            ("b.py", "#!/usr/bin/env perl\n", Some("python3")),
            ("c.py", "#!/bin/sh\n\'\'\':\'\n", Some("sh")),
            ("a", "#!/bin/sh\n", Some("sh")),
            ("b", "#!/usr/bin/env bash\n", Some("bash")),
            ("c", "#! /usr/bin/env -S python3.12 -I\n", Some("python3")),
            ("d", "\u{7f}ELF", None),
            ("e", "#!", None),
            ("f", "#!/usr/bin/env\n", None),
            ("g", "#!/usr/bin/perl\n", None),
            ("h", "", None),
        ] {
            let path = temp.path().join(name);
            std::fs::write(&path, text).expect("write");
            assert_eq!(interpreter(&path), expected, "{name}");
        }
        assert_eq!(interpreter(&temp.path().join("absent")), None);
        assert!(
            matches!(probe(&temp.path().join("d")), Probe::Unusable(why) if why == "is not executable")
        );
        assert_eq!(probe(&temp.path().join("a")), Probe::Usable);
    }
}
