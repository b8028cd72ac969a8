//! Which skills of the project each host sees.

use std::collections::BTreeSet;
use std::path::Path;

use aris_contract::artifact::install::{EntryKind, Host, Origin};
use aris_fs::Entry;
use serde::Serialize;

use super::finding::{Findings, Id};
use super::record::Record;
use crate::project::Project;

/// The skills that one host sees.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct HostView {
    /// The host.
    pub(crate) host: String,
    /// Folders of the project that it reads.
    pub(crate) folders: Vec<&'static str>,
    /// Number of different skills it sees there.
    pub(crate) skills: usize,
}

/// Folders of a project that a host reads skills from.
///
/// **Source**: the hosts' documentation and loaders, as the skill conventions §1.1 list them.
const fn folders(host: Host) -> &'static [&'static str] {
    match host {
        Host::Claude => &[".claude/skills"],
        Host::Codex => &[".agents/skills", ".codex/skills"],
        Host::Cursor => &[
            ".agents/skills",
            ".claude/skills",
            ".codex/skills",
            ".cursor/skills",
        ],
        Host::Gemini => &[".agents/skills", ".gemini/skills"],
    }
}

pub(crate) fn check(project: &Project, record: &Record, findings: &mut Findings) -> Vec<HostView> {
    let mut views = Vec::new();
    for host in Host::ALL {
        let folders = folders(host);
        let mut seen = BTreeSet::new();
        for folder in folders {
            skills(project, host, folder, &mut seen, findings);
        }
        let full = record.full.as_ref();
        if let Some(full) = full.filter(|full| full.hosts.contains(&host)) {
            // An older install's entries were meant for the hosts that read their folder.
            let skills = full.entries.iter().filter(|entry| {
                let place = |folder: &&str| Path::new(&entry.path).starts_with(folder);
                entry.kind == EntryKind::Skill
                    && (entry.origin == Origin::Source || folders.iter().any(place))
            });
            let names: BTreeSet<&str> = skills.map(|entry| entry.name.as_str()).collect();
            for name in names.into_iter().filter(|name| !seen.contains(*name)) {
                let message =
                    format!("{host} does not see the skill {name}, which was installed for it");
                findings.add(Id::HostMissesSkill, folders.join(", "), message);
            }
        }
        views.push(HostView {
            host: host.to_string(),
            folders: folders.to_vec(),
            skills: seen.len(),
        });
    }
    views
}

/// Adds the names of the skills in `folder` that `host` loads.
fn skills(
    project: &Project,
    host: Host,
    folder: &str,
    seen: &mut BTreeSet<String>,
    findings: &mut Findings,
) {
    let path = project.root.join(folder);
    if !path.is_dir() {
        return;
    }
    match aris_fs::list_sorted(&path) {
        Ok(entries) => {
            let loaded = |entry: &&Entry| loads(host, &entry.path.join("SKILL.md"));
            let skills = entries.iter().filter(loaded);
            seen.extend(skills.map(|skill| skill.name.to_string_lossy().into_owned()));
        }
        Err(error) => {
            let found = findings.add(Id::Unreadable, folder, error.to_string());
            found.hint("make it readable");
        }
    }
}

/// Codex follows links to folders, but does not read a SKILL.md that is itself a link.
fn loads(host: Host, skill: &Path) -> bool {
    skill.is_file() && (host != Host::Codex || !skill.is_symlink())
}
