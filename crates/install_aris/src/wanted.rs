//! What should be in the project: a function of the source, the hosts and the mode.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use aris_audit::Digest;
use aris_contract::artifact::install::{
    CANONICAL_SKILLS, CLAUDE_SKILLS, Content, Entry, EntryKind, Host, INSTALLED_TOOLS, InstallMode,
    Origin, TreeFile,
};

use crate::error::Error;
use crate::source::{self, Source};

/// One thing that should be there.
#[derive(Debug)]
pub(crate) struct Wanted {
    pub(crate) entry: Entry,
    /// What a link leads to in the end: one with another text that leads there will do.
    pub(crate) leads_to: Option<PathBuf>,
    pub(crate) from: From,
}

/// Where the content comes from.
#[derive(Debug)]
pub(crate) enum From {
    /// The entry says it all: a link.
    Link,
    /// The text of a tool.
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
}

impl Choices {
    /// Whether `.claude/skills` is filled. Codex and Gemini read the canonical place.
    pub(crate) fn has_claude_folder(&self) -> bool {
        self.hosts.contains(&Host::Claude) || self.hosts.contains(&Host::Cursor)
    }

    /// Links in `.claude/skills` lead to the canonical place, but for Cursor, which did not show linked skills.
    fn copies_for_claude_folder(&self) -> bool {
        self.hosts.contains(&Host::Cursor)
    }
}

/// Everything that should be there, by path; what cannot be installed, with the reason.
pub(crate) fn wanted(
    source: &Source,
    choices: &Choices,
) -> Result<(BTreeMap<String, Wanted>, Vec<String>), Error> {
    let mut all = BTreeMap::new();
    let mut refused = Vec::new();
    let mut add = |path: String, kind, name: &str, content, from, leads_to| {
        let entry = Entry {
            path: path.clone(),
            kind,
            name: name.to_owned(),
            origin: Origin::Source,
            content,
        };
        all.insert(
            path,
            Wanted {
                entry,
                leads_to,
                from,
            },
        );
    };
    let copies = choices.mode == InstallMode::Copy
        || (choices.has_claude_folder() && choices.copies_for_claude_folder());
    for (name, kind) in &source.skills {
        let folder = source.at(&format!("skills/{name}"));
        let files: Vec<TreeFile> = if copies {
            match source::tree(&source.root, &folder)? {
                Ok(files) => files,
                Err(reason) => {
                    refused.push(format!("skill {name}: {reason}"));
                    continue;
                }
            }
        } else {
            Vec::new()
        };
        let linked = |target: String| (Content::Link { target }, From::Link);
        let copied = || {
            let files = files.clone();
            (Content::Tree { files }, From::Folder(folder.clone()))
        };
        let (content, from) = match choices.mode {
            InstallMode::Symlink => linked(format!("{}/skills/{name}", source.text)),
            InstallMode::Copy => copied(),
        };
        let leads_to = match choices.mode {
            InstallMode::Symlink => std::fs::canonicalize(&folder).ok(),
            InstallMode::Copy => None,
        };
        add(
            format!("{CANONICAL_SKILLS}/{name}"),
            *kind,
            name,
            content,
            from,
            leads_to.clone(),
        );
        if choices.has_claude_folder() {
            let (content, from) = if choices.copies_for_claude_folder() {
                copied()
            } else {
                linked(format!("../../{CANONICAL_SKILLS}/{name}"))
            };
            add(
                format!("{CLAUDE_SKILLS}/{name}"),
                *kind,
                name,
                content,
                from,
                leads_to,
            );
        }
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
                    add(
                        path,
                        EntryKind::Tool,
                        alias,
                        content,
                        From::Text(text),
                        None,
                    );
                }
            }
        }
        // A source without a helper table has its tools as scripts in one folder: linked, as its own installer does.
        None if source.at("tools").is_dir() => {
            let target = format!("{}/tools", source.text);
            let content = Content::Link { target };
            add(
                INSTALLED_TOOLS.to_owned(),
                EntryKind::Tool,
                "tools",
                content,
                From::Link,
                None,
            );
        }
        None => {}
    }
    Ok((all, refused))
}
