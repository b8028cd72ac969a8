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
    /// Another content that will do: links as an older installer made them.
    pub(crate) alternative: Option<Content>,
    pub(crate) from: From,
}

/// Where the content comes from.
#[derive(Debug)]
pub(crate) enum From {
    /// The entry says it all: a link.
    Link,
    /// The text of a tool.
    Text(String),
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
    let mut add = |path: String, kind, name: &str, content, from, alternative| {
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
                alternative,
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
        // A clone's own link text is what an older installer put into `.claude/skills`.
        let alternative = (choices.mode == InstallMode::Symlink).then(|| content.clone());
        add(
            format!("{CANONICAL_SKILLS}/{name}"),
            *kind,
            name,
            content,
            from,
            None,
        );
        if choices.has_claude_folder() {
            let (content, from, alternative) = if choices.copies_for_claude_folder() {
                let (content, from) = copied();
                (content, from, None)
            } else {
                let (content, from) = linked(format!("../../{CANONICAL_SKILLS}/{name}"));
                (content, from, alternative)
            };
            add(
                format!("{CLAUDE_SKILLS}/{name}"),
                *kind,
                name,
                content,
                from,
                alternative,
            );
        }
    }
    match &source.helpers {
        Some(rows) => {
            for row in rows {
                for alias in std::iter::once(&row.name).chain(&row.aliases) {
                    let text = aris_launch::shim(&row.name, &row.owner, alias);
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
