//! The parts of an install that git should ignore because they are specific to this machine. Only reports them: `.gitignore` is
//! the user's file.

use aris_contract::artifact::install::{
    Content, INSTALL_MANIFEST, INSTALLED_TOOLS, InstallManifest, LINKED_SKILLS,
};
use aris_contract::artifact::record::PLACES;
use aris_skills::names::{file_name as base, folder as parent};

use crate::project::{Project, Shape};
use crate::report::Ignore;

/// Largest `.gitignore`, in bytes.
const LIMIT: u64 = 1 << 20;

const RECORDS: &str = "records with paths of this machine";
const TOOLS: &str = "made for this machine by the installer";
const LINKS: &str = "links to paths of this machine";
const COPIES: &str =
    "copies with programs for this machine; commit them only where everyone has the same system";

/// Lines that the project's `.gitignore` lacks; none outside a git repository.
pub(crate) fn lines(project: &Project, manifest: &InstallManifest) -> Vec<Ignore> {
    let is_repository = project.shape(".git") != Shape::Absent;
    if project.is_home || !(is_repository || project.outer_repository().is_some()) {
        return Vec::new();
    }
    let mut lines = vec![
        (format!("/{INSTALL_MANIFEST}"), RECORDS),
        (String::from("/.aris/installed-skills*.txt"), RECORDS),
        (format!("/{INSTALLED_TOOLS}/"), TOOLS),
        (format!("/{LINKED_SKILLS}"), TOOLS),
    ];
    for place in PLACES {
        let ours = || {
            let entries = manifest.entries.iter();
            entries.filter(|entry| entry.path.starts_with(place))
        };
        let Some(first) = ours().next() else { continue };
        let why = match &first.content {
            Content::Link { .. } => LINKS,
            _ => COPIES,
        };
        let others = aris_fs::list_sorted(&project.at(place)).unwrap_or_default();
        let is_mine = |name: &str| ours().any(|entry| top(&entry.path, place) == name);
        let has_others = others.iter().any(|entry| {
            let name = entry.name.to_string_lossy();
            !name.starts_with('.') && !is_mine(&name)
        });
        if has_others {
            let mut names: Vec<&str> = ours().map(|entry| top(&entry.path, place)).collect();
            names.dedup();
            let names = names.into_iter();
            lines.extend(names.map(|name| (format!("/{place}/{name}"), why)));
        } else {
            lines.push((format!("/{place}/"), why));
        }
    }
    let known = aris_fs::read_optional(&project.at(".gitignore"), LIMIT);
    let known = known.ok().flatten().unwrap_or_default();
    let known = String::from_utf8_lossy(&known);
    let is_new = |line: &str| {
        !known.lines().any(|known| {
            let known = known.trim();
            let known = known.trim_matches('/');
            let is_it = |line: &str| known == line.trim_matches('/') && !line.is_empty();
            is_it(line) || is_it(parent(line))
        })
    };
    lines.retain(|(line, _)| is_new(line));
    let lines = lines.into_iter();
    lines.map(|(line, why)| Ignore { line, why }).collect()
}

/// The first component below `place`: the entry itself, also for a path inside it.
fn top<'a>(path: &'a str, place: &str) -> &'a str {
    let below = path.get(place.len() + 1..).unwrap_or_default();
    below.split('/').next().unwrap_or(base(path))
}
