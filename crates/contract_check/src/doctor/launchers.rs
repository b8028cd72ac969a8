//! Launchers, their contract files and their binaries, in every place with skills.

use std::collections::BTreeSet;
use std::fs::Metadata;
use std::path::{Path, PathBuf};
use std::time::Duration;

use aris_contract::artifact::install::{CANONICAL_SKILLS, CLAUDE_SKILLS};
use aris_contract::helpers::{self, Helper};
use aris_contract::resolve::{Layer, targets};
use aris_fs::display_relative;
use strum::EnumMessage as _;

use super::entries::is_executable;
use super::finding::{Findings, Id, Severity};
use super::record::Record;
use crate::project::Project;

/// Largest launcher or contract file that is read, in bytes.
const LIMIT: u64 = 4 << 20;

/// How long a binary may take to print its version.
const DEADLINE: Duration = Duration::from_secs(5);

pub(crate) fn check(project: &Project, record: &Record, findings: &mut Findings) {
    let mut roots = vec![
        project.root.join(CANONICAL_SKILLS),
        project.root.join(CLAUDE_SKILLS),
    ];
    let repositories = [record.repo_root(), project.env.aris_repo.clone()];
    roots.extend(
        repositories
            .into_iter()
            .flatten()
            .map(|root| root.join("skills")),
    );
    // Several links can lead to the same skill.
    let mut seen = BTreeSet::new();
    let mut launchers: Vec<(&Helper, PathBuf)> = Vec::new();
    for helper in helpers::all() {
        let own = aris_contract::resolve::folders(&helper.owner, &project.env);
        let own = own.into_iter().filter(|(layer, _)| *layer == Layer::Skill);
        let scripts = format!("{}/scripts", helper.owner);
        let folders = roots.iter().map(|root| root.join(&scripts));
        for folder in folders.chain(own.map(|(_, folder)| folder)) {
            if let Ok(real) = folder.canonicalize()
                && seen.insert((&helper.name, real))
            {
                launchers.push((helper, folder));
            }
        }
    }
    // Start the binaries in parallel: each takes a millisecond or two, and there are many.
    let found = aris_fs::map_in_parallel(launchers.len(), &launchers, |(helper, folder)| {
        one(project, helper, folder)
    });
    let found = found.into_iter().flat_map(|found| found.0);
    findings.0.extend(found);
}

/// Checks one launcher with its contract and its binary.
fn one(project: &Project, helper: &Helper, folder: &Path) -> Findings {
    let mut findings = Findings::default();
    let launcher = folder.join(&helper.name);
    let show = |path: &Path| display_relative(path, &project.root);
    let text = match aris_fs::read(&launcher, LIMIT) {
        Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
        Err(error) => {
            findings.add(Id::LauncherBroken, show(&launcher), error.to_string());
            return findings;
        }
    };
    let said = |name: &str| text.lines().find_map(|line| line.strip_prefix(name));
    let version = match (said("aris_helper="), said("aris_version=")) {
        (Some(name), Some(version)) if name == helper.name && text.starts_with("#!/bin/sh\n") => {
            version
        }
        _ => {
            let message = format!("is not a launcher of {}", helper.name);
            findings.add(Id::LauncherBroken, show(&launcher), message);
            return findings;
        }
    };
    if !is_executable(&launcher) {
        findings.not_executable(&show(&launcher));
    }
    let contract = folder.join(format!("{}.contract.json", helper.name));
    let read = aris_fs::read(&contract, LIMIT).map_err(|error| error.to_string());
    let parse = |bytes: Vec<u8>| serde_json::from_slice::<serde_json::Value>(&bytes);
    let read = read.and_then(|bytes| parse(bytes).map_err(|error| format!("is not JSON: {error}")));
    match read {
        Ok(contract_file) => {
            let found = contract_file["version"].as_str().unwrap_or("none");
            if found != version {
                let message = format!(
                    "is of version {found}, and the launcher beside it is of version {version}"
                );
                findings.add(Id::VersionMismatch, show(&contract), message);
            }
        }
        Err(why) => {
            let found = findings.add(Id::EntryMissing, show(&contract), why);
            found.severity = Severity::Warning;
            found.hint("install the skill again");
        }
    }
    match binary(folder, &helper.name) {
        None => {
            let targets = targets().join(" or ");
            let message = format!("has no binary of {} for {targets}", helper.name);
            findings.add(Id::BinaryMissing, show(&folder.join("bin")), message);
        }
        Some(binary) if !is_executable(&binary) => findings.not_executable(&show(&binary)),
        Some(binary) => match version_of(&binary) {
            Ok((name, found)) if name == helper.name && found == version => {}
            Ok((name, found)) if name == helper.name => {
                let message =
                    format!("is of version {found}, and its launcher is of version {version}");
                let found = findings.add(Id::VersionMismatch, show(&binary), message);
                found.hint(Id::BinaryMissing.get_message().unwrap_or_default());
            }
            Ok((name, _)) => {
                let message = format!("is {name}, not {}", helper.name);
                findings.add(Id::BinaryBroken, show(&binary), message);
            }
            Err(why) => {
                findings.add(Id::BinaryBroken, show(&binary), why);
            }
        },
    }
    findings
}

/// The binary that the launcher in `folder` would start: the first non-empty one for this machine's targets.
pub(crate) fn binary(folder: &Path, helper: &str) -> Option<PathBuf> {
    let targets = targets().into_iter();
    let mut paths = targets.map(|target| folder.join(format!("bin/{helper}-{target}")));
    let is_whole = |found: Metadata| found.is_file() && found.len() > 0;
    paths.find(|path| path.metadata().is_ok_and(is_whole))
}

/// Name and version that a binary prints.
fn version_of(binary: &Path) -> Result<(String, String), String> {
    let done = aris_proc::command(binary, "/")
        .arg("--version")
        .run(DEADLINE);
    let done = done.map_err(|error| match std::error::Error::source(&error) {
        Some(cause) => format!("{error}: {cause}"),
        None => error.to_string(),
    })?;
    if done.code().map_err(|error| error.to_string())? != 0 {
        return Err(String::from("does not say its version"));
    }
    let text = done.stdout.text().into_owned();
    let mut words = text.split_whitespace();
    match (words.next(), words.next()) {
        (Some(name), Some(version)) => Ok((name.to_owned(), version.to_owned())),
        _ => Err(String::from("does not say its version")),
    }
}
