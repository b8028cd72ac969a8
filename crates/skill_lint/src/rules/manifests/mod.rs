//! `SR6xx`: manifests of plugins and marketplaces, and the file that Codex reads beside a skill.

mod hooks;
mod manifest;
mod marketplace;
mod places;
mod plugin;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use aris_skills::names::{folder, join};
use aris_skills::{Skill, Tree};

use self::manifest::{CODEX, Manifest, Problem};
use self::places::Places;
use crate::catalogue::Severity;
use crate::finding::{FILE, Sink};
use crate::fix::Fix;

const PLUGIN: &str = ".claude-plugin/plugin.json";
const MARKETPLACE: &str = ".claude-plugin/marketplace.json";
const HOOKS: &str = "hooks/hooks.json";

/// Folders that may contain only manifests. **Source**: documentation of plugins of Claude Code and Codex.
const MANIFEST_FOLDERS: [&str; 2] = [".claude-plugin", ".codex-plugin"];

/// Parts of a plugin that belong to its root; hosts do not look for them in the manifest folder.
const COMPONENTS: &str = ".app.json .lsp.json .mcp.json agents bin commands hooks monitors output-styles skills themes workflows";

/// Looks at one skill.
pub fn skill(skill: &Skill, sink: &mut Sink<'_>) {
    if let Some(file) = skill.file("agents/openai.yaml")
        && let Some(text) = &file.text
    {
        match Manifest::of_yaml(text) {
            Ok(Some(manifest)) => {
                put(manifest.faults(&CODEX, |_, _| "SR614"), file.path(), sink);
            }
            Ok(None) => {}
            Err((place, message)) => {
                let message = format!("not YAML: {message}");
                sink.found("SR614", file.path(), place, message);
            }
        }
    }
}

/// Looks across skills. Returns the folders that manifests name as skills: hosts find these at any depth.
pub fn tree(tree: &Tree, sink: &mut Sink<'_>) -> BTreeSet<String> {
    let places = Places(tree);
    let mut plugins: BTreeMap<String, Manifest> = BTreeMap::new();
    let mut roots: BTreeSet<String> = BTreeSet::new();
    let mut skills: BTreeSet<String> = BTreeSet::new();
    for path in places.files_ending(PLUGIN) {
        let root = folder(folder(path));
        roots.insert(root.to_owned());
        if let Some(manifest) = read(tree, path, "SR601", "the plugin's manifest", sink) {
            put(plugin::check(&manifest, root, &places), path, sink);
            plugin::listed(root, &manifest.value, &mut skills);
            plugins.insert(root.to_owned(), manifest);
        }
    }
    for path in places.files_ending(MARKETPLACE) {
        let Some(file) = read(tree, path, "SR605", "the marketplace", sink) else {
            continue;
        };
        let root = folder(folder(path));
        plugin::listed(root, &file.value, &mut skills);
        let mut problems = Vec::new();
        for entry in marketplace::check(&file, root, &places, &mut problems) {
            let manifest = plugins.get(&entry.root);
            let manifest = manifest.filter(|manifest| manifest.value.is_object());
            problems.extend(
                manifest.and_then(|manifest| marketplace::version(&file, &entry, manifest)),
            );
            roots.insert(entry.root);
        }
        put(problems, path, sink);
    }
    for root in &roots {
        let path = join(root, HOOKS);
        if places.file(&path).is_some()
            && let Some(hooks) = read(tree, &path, "SR611", "the hooks file", sink)
        {
            put(hooks::check(&hooks, root, &places), &path, sink);
        }
    }
    misplaced(&places, sink);
    skills
}

/// Reads a manifest; `rule` reports a fault in it.
fn read(
    tree: &Tree,
    path: &str,
    rule: &'static str,
    what: &str,
    sink: &mut Sink<'_>,
) -> Option<Manifest> {
    let text = match tree.text(path) {
        Ok(text) => text,
        Err(error) => {
            sink.skipped(rule, path, error.to_string());
            return None;
        }
    };
    match Manifest::of_json(&text) {
        Ok(manifest) => Some(manifest),
        Err((place, message)) => {
            let message = format!("{what} is not JSON: {message}");
            sink.found(rule, path, place, message);
            None
        }
    }
}

fn put(problems: Vec<Problem>, path: &str, sink: &mut Sink<'_>) {
    for problem in problems {
        let found = sink.found(problem.rule, path, problem.place, problem.message);
        if problem.mild {
            found.at_most(Severity::Warn);
        }
    }
}

/// Files and folders in the wrong place: SR609 and SR610.
fn misplaced(places: &Places<'_>, sink: &mut Sink<'_>) {
    const NAME: &str = "marketplace.json";
    for name in COMPONENTS.split(' ') {
        for around in MANIFEST_FOLDERS {
            for path in places.ending(&join(around, name)) {
                let message = format!("`{name}` is not looked for in `{around}`");
                let hint = format!("move it to {}", join(folder(folder(path)), name));
                sink.found("SR609", path, FILE, message).hint(hint);
            }
        }
    }
    if places.file(NAME).is_some() {
        let message = format!("a marketplace is read from {MARKETPLACE}, not from the root");
        let found = sink.found("SR610", NAME, FILE, message);
        if !places.exists(MARKETPLACE) {
            found.fix(Fix::rename(NAME, MARKETPLACE));
        }
    }
}
