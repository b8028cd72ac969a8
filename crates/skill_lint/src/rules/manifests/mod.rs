//! `SR6xx`: manifests of plugins and marketplaces, and what Codex reads beside a skill.

mod codex;
mod hooks;
mod json;
mod marketplace;
mod places;
mod plugin;
mod problem;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use aris_skills::tree::EntryKind;
use aris_skills::{Skill, Text, Tree};

use self::json::Json;
use self::places::{Places, join, parent};
use self::problem::Problem;
use crate::catalogue::Severity;
use crate::config::Config;
use crate::finding::Sink;
use crate::fix::Fix;

/// What the rules across skills need to know about one skill: nothing, the tree tells it.
#[derive(Debug, Default)]
pub struct Facts;

const PLUGIN: &str = ".claude-plugin/plugin.json";
const MARKETPLACE: &str = ".claude-plugin/marketplace.json";
const HOOKS: &str = "hooks/hooks.json";

/// Folders for manifests alone. **Source**: documentation of plugins of Claude Code and Codex.
const MANIFEST_FOLDERS: [&str; 2] = [".claude-plugin", ".codex-plugin"];

/// What belongs to the root of a plugin and is not looked for in its manifest folder.
const COMPONENTS: [&str; 12] = [
    ".app.json",
    ".lsp.json",
    ".mcp.json",
    "agents",
    "bin",
    "commands",
    "hooks",
    "monitors",
    "output-styles",
    "skills",
    "themes",
    "workflows",
];

/// Looks at one skill.
pub fn skill(skill: &Skill, _tree: &Tree, _config: &Config, sink: &mut Sink<'_>) -> Facts {
    let file = skill.file("agents/openai.yaml");
    if let Some(file) = file
        && let Some(text) = &file.text
    {
        for fault in codex::check(text.raw()) {
            sink.found("SR614", file.path(), fault.line, fault.col, fault.message);
        }
    }
    Facts
}

/// Looks across skills.
pub fn tree(tree: &Tree, _facts: &[Facts], _config: &Config, sink: &mut Sink<'_>) {
    let places = places(tree);
    let mut plugins: BTreeMap<String, Json> = BTreeMap::new();
    let mut roots: BTreeSet<String> = BTreeSet::new();
    for path in places.files_ending(PLUGIN) {
        let root = parent(parent(path));
        roots.insert(root.to_owned());
        let Some((text, json)) = read(tree, path, "SR601", "the plugin's manifest", sink) else {
            continue;
        };
        if json.is_object() {
            put(plugin::check(&json, root, &places), path, &text, sink);
            plugins.insert(root.to_owned(), json);
        } else {
            let message = format!("the plugin's manifest is {}, not an object", json.kind());
            put(
                vec![Problem::new("SR601", json.offset, message)],
                path,
                &text,
                sink,
            );
        }
    }
    for path in places.files_ending(MARKETPLACE) {
        let Some((text, json)) = read(tree, path, "SR605", "the marketplace", sink) else {
            continue;
        };
        let root = parent(parent(path));
        let mut problems = Vec::new();
        let local = marketplace::check(&json, root, &places, &mut problems);
        for entry in &local {
            roots.insert(entry.root.clone());
            let manifest = plugins.get(&entry.root);
            problems.extend(manifest.and_then(|manifest| marketplace::version(entry, manifest)));
        }
        put(problems, path, &text, sink);
    }
    for root in &roots {
        let path = join(root, HOOKS);
        if places.is_file(&path)
            && let Some((text, json)) = read(tree, &path, "SR611", "the hooks file", sink)
        {
            put(hooks::check(&json, root, &places), &path, &text, sink);
        }
    }
    misplaced(&places, sink);
}

/// The files and folders of a tree; links count as what they lead to.
fn places(tree: &Tree) -> Places {
    let leads_to_folder = |kind: &EntryKind| {
        matches!(
            kind,
            EntryKind::Link {
                to_folder: true,
                ..
            }
        )
    };
    let exists = |kind: &EntryKind| !matches!(kind, EntryKind::Link { dangling: true, .. });
    let files = (tree.files.iter())
        .filter(|file| exists(&file.kind) && !leads_to_folder(&file.kind))
        .map(|file| (file.path.clone(), file.executable));
    let links = tree.files.iter().filter(|file| leads_to_folder(&file.kind));
    let folders = (links.map(|link| link.path.clone()))
        .chain(tree.folders.iter().map(|folder| folder.path.clone()));
    Places::new(files, folders)
}

/// Reads a manifest; a fault in it is a finding of `rule`.
fn read(
    tree: &Tree,
    path: &str,
    rule: &'static str,
    what: &str,
    sink: &mut Sink<'_>,
) -> Option<(Text, Json)> {
    let text = match tree.text(path) {
        Ok(text) => text,
        Err(error) => {
            sink.skipped(rule, path, error.to_string());
            return None;
        }
    };
    match json::parse(text.raw()) {
        Ok(json) => Some((text, json)),
        Err(fault) => {
            let (line, col) = text.place(fault.offset);
            let message = format!("{what} is not JSON: {}", fault.message);
            sink.found(rule, path, line, col, message);
            None
        }
    }
}

fn put(problems: Vec<Problem>, path: &str, text: &Text, sink: &mut Sink<'_>) {
    for problem in problems {
        let (line, col) = text.place(problem.offset);
        let found = sink.found(problem.rule, path, line, col, problem.message);
        if problem.mild {
            found.at_most(Severity::Warn);
        }
    }
}

/// Things in the wrong folder: SR609 and SR610.
fn misplaced(places: &Places, sink: &mut Sink<'_>) {
    const NAME: &str = "marketplace.json";
    for name in COMPONENTS {
        for folder in MANIFEST_FOLDERS {
            for path in places.ending(&join(folder, name)) {
                let message = format!("`{name}` is not looked for in `{folder}`");
                let hint = format!("move it to {}", join(parent(parent(path)), name));
                sink.found("SR609", path, 1, 1, message).hint(hint);
            }
        }
    }
    if places.is_file(NAME) {
        let message = format!("a marketplace is read from {MARKETPLACE}, not from the root");
        let found = sink.found("SR610", NAME, 1, 1, message);
        if !places.exists(MARKETPLACE) {
            found.fix(Fix::rename(NAME, MARKETPLACE));
        }
    }
}
