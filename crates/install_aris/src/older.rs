//! Older installs: the reference's links from another source, its manifest for Codex, its link `.aris/tools`, and the nested
//! `.claude/skills/aris`. They are taken over only when the user asks for it, and never destroyed.

use std::collections::BTreeMap;
use std::path::Path;

use aris_contract::artifact::install::{
    Content, Entry, EntryKind, INSTALLED_TOOLS, InstallMode, Origin,
};
use aris_contract::artifact::record::{CODEX_SKILLS, PLACES, is_safe_name};
use aris_contract::text::shell_line;
use aris_fs::EntryKind as OnDisk;
use aris_skills::names::file_name as base;

use crate::cli::MigrateCopy;
use crate::error::Error;
use crate::project::Shape;
use crate::source::{self, SUPPORT};
use crate::step::{Inputs, Plan, migrates};
use crate::wanted::{From, tool};

/// Where the reference installed skills before 2026-04-20.
const NESTED: &str = ".claude/skills/aris";

/// Adds the entries of the reference's manifests to the installed entries. A manifest of another source counts only with
/// `--from-old`.
pub(crate) fn take_over(
    inputs: &Inputs<'_>,
    plan: &mut Plan,
    owned: &mut BTreeMap<String, Vec<Entry>>,
) -> Result<(), Error> {
    let project = inputs.project;
    for (path, reference) in &inputs.records.reference {
        let repo_root = &reference.repo_root;
        let is_older = *path == CODEX_SKILLS || *repo_root != inputs.source.text;
        if is_older && !inputs.cli.from_old {
            let hint = format!(
                "pass --from-old to take it over: names that both have are re-pointed, the others stay; or name its source: --aris-repo {}",
                shell_line(&[repo_root])
            );
            let reason = format!("an older install from {repo_root}");
            plan.log.conflict(path, reason, hint);
            // Continue as if the flag were given: the plan shows its effect, and the conflict keeps it from being applied.
        }
        for entry in &reference.entries {
            let mut entry = entry.clone();
            if !is_older {
                entry.origin = Origin::Source;
            }
            owned.entry(entry.path.clone()).or_default().push(entry);
        }
        let target = format!("{repo_root}/tools");
        if project.shape(INSTALLED_TOOLS) == Shape::Link((&target).into()) {
            let link = tool(INSTALLED_TOOLS, "tools", Content::Link { target });
            owned.entry(link.path.clone()).or_default().push(link);
        }
        if is_older {
            if !plan.wanted.contains_key(INSTALLED_TOOLS) {
                spread_tools(plan, &Path::new(repo_root).join("tools"))?;
            }
            let to = plan.kept_name(project, base(path), inputs.now);
            plan.archive(path, to);
        }
    }
    Ok(())
}

/// Skills of both sources read `shared-references` in the same folder. A link that an older install put there becomes a folder
/// with the files of both; returns these links. A folder that an earlier run made this way stays a folder.
pub(crate) fn unite_references(
    inputs: &Inputs<'_>,
    plan: &mut Plan,
    owned: &mut BTreeMap<String, Vec<Entry>>,
) -> Result<Vec<String>, Error> {
    let (project, source) = (inputs.project, inputs.source);
    let mut linked = Vec::new();
    for place in PLACES {
        let folder = format!("{place}/{SUPPORT}");
        let inner = format!("{folder}/");
        let older = owned.get(&folder).into_iter().flatten().find_map(|entry| {
            let Content::Link { target } = &entry.content else {
                return None;
            };
            let is_there = project.shape(&folder) == Shape::Link(target.into());
            let theirs = entry.origin == Origin::Older && Path::new(target).is_dir();
            (is_there && theirs).then(|| target.clone())
        });
        let is_united = owned.keys().any(|path| path.starts_with(&inner));
        if older.is_none() && !is_united {
            continue;
        }
        if plan.wanted.remove(&folder).is_some() {
            let from = source.at(&format!("skills/{SUPPORT}"));
            let files = source::tree(&source.root, &from)?.unwrap_or_default();
            for file in files {
                let name = file.path;
                let (content, made) = match inputs.choices.mode {
                    InstallMode::Symlink => {
                        let target = format!("{}/skills/{SUPPORT}/{name}", source.text);
                        (Content::Link { target }, From::Link)
                    }
                    InstallMode::Copy => {
                        let content = Content::File {
                            digest: file.digest,
                            executable: file.executable,
                        };
                        (content, From::File(from.join(&name)))
                    }
                };
                let entry = Entry {
                    path: format!("{inner}{name}"),
                    kind: EntryKind::Support,
                    name: SUPPORT.to_owned(),
                    origin: Origin::Source,
                    content,
                };
                plan.want(entry, made);
            }
        }
        let Some(older) = older else { continue };
        owned.remove(&folder);
        let target = older.clone();
        plan.remove_first(&folder, Content::Link { target });
        for entry in aris_fs::list_sorted(Path::new(&older))? {
            let (Some(name), Some(target)) = (entry.name.to_str(), entry.path.to_str()) else {
                continue;
            };
            let path = format!("{inner}{name}");
            if plan.wanted.contains_key(&path) {
                let reason = format!("{target} has the same name, and is not linked");
                plan.log.leave(&path, reason);
            } else {
                plan.want_older(path, EntryKind::Support, SUPPORT, target);
            }
        }
        linked.push(folder);
    }
    Ok(linked)
}

/// Adds links to those tools of an older install that this source does not have, so that old skills still find them.
pub(crate) fn spread_tools(plan: &mut Plan, folder: &Path) -> Result<(), Error> {
    let mut open = vec![(folder.to_path_buf(), String::new())];
    while let Some((folder, prefix)) = open.pop() {
        if !folder.is_dir() {
            continue;
        }
        for entry in aris_fs::list_sorted(&folder)? {
            let Some(name) = entry.name.to_str().filter(|name| is_safe_name(name)) else {
                continue;
            };
            let name = format!("{prefix}{name}");
            let path = format!("{INSTALLED_TOOLS}/{name}");
            let inner = format!("{path}/");
            if plan.wanted.contains_key(&path) {
                continue;
            }
            if plan.wanted.keys().any(|known| known.starts_with(&inner)) {
                if entry.kind == OnDisk::Folder {
                    open.push((entry.path, format!("{name}/")));
                }
                continue;
            }
            if let Some(target) = entry.path.to_str() {
                plan.want_older(path, EntryKind::Tool, &name, target);
            }
        }
    }
    Ok(())
}

/// Plans what happens to the nested `.claude/skills/aris`.
pub(crate) fn nested(inputs: &Inputs<'_>, plan: &mut Plan) {
    let (records, cli) = (inputs.records, inputs.cli);
    let known = |target: &Path| {
        let references = records.reference.iter();
        let roots = references.map(|(_, reference)| &reference.repo_root);
        roots
            .chain([&inputs.source.text])
            .any(|root| target == Path::new(root).join("skills"))
    };
    let (reason, hint) = match inputs.project.shape(NESTED) {
        Shape::Absent => return,
        Shape::Link(target) if known(&target) => {
            if cli.from_old {
                let target = target.to_string_lossy().into_owned();
                plan.remove_first(NESTED, Content::Link { target });
                return;
            }
            (
                "an old nested install, which Claude Code does not see",
                "pass --from-old to replace it",
            )
        }
        Shape::Folder if migrates(cli, MigrateCopy::KeepUser) => {
            let reason = "an old nested copy; kept as you asked";
            return plan.log.leave(NESTED, reason);
        }
        Shape::Folder if migrates(cli, MigrateCopy::PreferUpstream) => {
            let to = format!(
                ".aris/legacy-copy-backup-{}",
                inputs.now.replace([':', '-'], "")
            );
            return plan.archive(NESTED, to);
        }
        // The user has kept it in an earlier run, so it is the user's; do not ask again.
        Shape::Folder if records.manifest.is_some() => return,
        Shape::Folder => (
            "an old nested copy, perhaps with your edits",
            "pass --from-old with --migrate-copy keep-user, or with --migrate-copy prefer-upstream to move it to .aris/",
        ),
        Shape::Link(_) => ("a link to somewhere else", "move it away and run again"),
        Shape::File | Shape::Special | Shape::Behind(_) => {
            ("not a folder", "move it away and run again")
        }
    };
    plan.log.conflict(NESTED, reason, hint);
}
