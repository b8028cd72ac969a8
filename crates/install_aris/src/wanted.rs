//! The entries that should be in the project, computed from the source, the hosts and the mode.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use aris_audit::Digest;
use aris_contract::artifact::install::{
    CANONICAL_SKILLS, CLAUDE_SKILLS, Content, Entry, EntryKind, Host, INSTALLED_TOOLS, InstallMode,
    LINKED_SKILLS, Origin, TreeFile,
};

use crate::error::Error;
use crate::source::{self, Source};

/// One entry that should be in the project.
#[derive(Debug)]
pub(crate) struct Wanted {
    pub(crate) entry: Entry,
    /// Final target of a link. A link with another text but this target is accepted.
    pub(crate) leads_to: Option<PathBuf>,
    pub(crate) from: From,
}

/// Where the content comes from.
#[derive(Debug)]
pub(crate) enum From {
    /// The entry is a link and needs no content.
    Link,
    /// A generated text of a tool.
    Text(String),
    /// A file of the source.
    File(PathBuf),
    /// A folder of the source.
    Folder(PathBuf),
}

/// How to install.
#[derive(Clone, Debug)]
pub(crate) struct Choices {
    pub(crate) mode: InstallMode,
    pub(crate) hosts: BTreeSet<Host>,
    /// The chosen skills; empty means all.
    pub(crate) skills: Vec<String>,
}

impl Choices {
    /// Whether skills are installed in `.agents/skills`.
    pub(crate) fn uses_agents(&self) -> bool {
        self.hosts.contains(&Host::Codex) || self.hosts.contains(&Host::Gemini)
    }

    /// Whether skills are installed in `.claude/skills`.
    pub(crate) fn uses_claude(&self) -> bool {
        self.hosts.contains(&Host::Claude) || self.hosts.contains(&Host::Cursor)
    }

    /// Places where skills are installed; the first one has the content, the second may link to it.
    ///
    /// Only places that a host needs: `OpenCode` reads both, and lists a skill twice that is in both.
    pub(crate) fn places(&self) -> Vec<&'static str> {
        let agents = self.uses_agents().then_some(CANONICAL_SKILLS);
        let claude = self.uses_claude().then_some(CLAUDE_SKILLS);
        agents.into_iter().chain(claude).collect()
    }

    /// Whether `.agents/skills` gets copies.
    pub(crate) fn copies_for_agents(&self, source: &Source) -> bool {
        self.mode == InstallMode::Copy || (self.hosts.contains(&Host::Codex) && source.is_plugin())
    }
}

/// An entry for a tool of the source.
pub(crate) fn tool(path: &str, name: &str, content: Content) -> Entry {
    Entry {
        path: path.to_owned(),
        kind: EntryKind::Tool,
        name: name.to_owned(),
        origin: Origin::Source,
        content,
    }
}

/// All entries that should be in the project, by path; and what cannot be installed, with the reason.
pub(crate) fn wanted(
    source: &Source,
    choices: &Choices,
) -> Result<(BTreeMap<String, Wanted>, Vec<String>), Error> {
    let mut all = BTreeMap::new();
    let mut refused = Vec::new();
    let mut add = |entry: Entry, from, leads_to| {
        let wanted = Wanted {
            entry,
            leads_to,
            from,
        };
        all.insert(wanted.entry.path.clone(), wanted);
    };
    for (name, kind) in &source.skills {
        let folder = source.at(&format!("skills/{name}"));
        let mut files: Option<Vec<TreeFile>> = None;
        for place in choices.places() {
            let is_second = place == CLAUDE_SKILLS && choices.uses_agents();
            // Cursor does not show linked skills.
            let copies = match place {
                CANONICAL_SKILLS => choices.copies_for_agents(source),
                _ => {
                    choices.hosts.contains(&Host::Cursor)
                        || (choices.mode == InstallMode::Copy && !is_second)
                }
            };
            let (content, from) = if copies {
                if files.is_none() {
                    match source::tree(&source.root, &folder)? {
                        Ok(found) => files = Some(found),
                        Err(reason) => {
                            refused.push(format!("skill {name}: {reason}"));
                            break;
                        }
                    }
                }
                let files = files.clone().unwrap_or_default();
                (Content::Tree { files }, From::Folder(folder.clone()))
            } else {
                let target = if is_second {
                    format!("../../{CANONICAL_SKILLS}/{name}")
                } else {
                    format!("{}/skills/{name}", source.text)
                };
                (Content::Link { target }, From::Link)
            };
            // Codex renames a linked skill of a plugin, and Cursor does not show it. There a link does not replace a copy.
            let needs_copy = copies && choices.mode != InstallMode::Copy;
            let leads_to = if needs_copy || (is_second && choices.copies_for_agents(source)) {
                None
            } else {
                std::fs::canonicalize(&folder).ok()
            };
            let entry = Entry {
                path: format!("{place}/{name}"),
                kind: *kind,
                name: name.clone(),
                origin: Origin::Source,
                content,
            };
            add(entry, from, leads_to);
        }
    }
    if let Some(place) = choices.places().last() {
        let target = format!("../{place}");
        let entry = tool(LINKED_SKILLS, "skills", Content::Link { target });
        add(entry, From::Link, None);
    }
    match &source.helpers {
        Some(rows) => {
            for row in rows {
                for alias in std::iter::once(&row.name).chain(&row.aliases) {
                    let text = aris_launch::shim(&row.name, &row.owner, alias, Some(&source.text));
                    let content = Content::File {
                        digest: Digest::of(text.as_bytes()).to_string(),
                        executable: true,
                    };
                    let path = format!("{INSTALLED_TOOLS}/{alias}");
                    add(tool(&path, alias, content), From::Text(text), None);
                }
            }
        }
        // A source without a helper table has its tools as scripts in one folder. Link that folder, as the source's own
        // installer does.
        None if source.at("tools").is_dir() => {
            let target = format!("{}/tools", source.text);
            let entry = tool(INSTALLED_TOOLS, "tools", Content::Link { target });
            add(entry, From::Link, None);
        }
        None => {}
    }
    Ok((all, refused))
}
