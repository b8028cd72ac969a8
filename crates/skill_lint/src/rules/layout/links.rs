//! Links between the files of a tree: SR110, SR111.

use std::path::PathBuf;

use aris_skills::{Skill, SourceFile, Tree, names};

use crate::config::Config;
use crate::finding::Sink;

/// Where a link leads: number of levels above the root of the tree, and the path from there.
type Place = (usize, String);

/// Checks the relative links of a skill's instruction files.
///
/// Links in templates and samples are skipped: they are written for the project that the file is copied to.
pub(super) fn check(skill: &Skill, tree: &Tree, config: &Config, sink: &mut Sink<'_>) {
    for (file, _, document) in skill.instructions() {
        for link in &document.links {
            let Some(path) = link.relative_path() else {
                continue;
            };
            match resolved(tree, skill, file, &path) {
                None => {
                    let message = missing(tree, skill, file, &path);
                    sink.found("SR110", file.path(), (link.line, link.col), message);
                }
                Some((above, place)) => {
                    let mut shared = config.shared_dirs();
                    let shared = above == 0 && shared.any(|dir| names::lies_in(&place, dir));
                    if !shared && (above > 0 || !names::lies_in(&place, &skill.dir)) {
                        let message = format!("link target `{path}` is outside the skill");
                        sink.found("SR111", file.path(), (link.line, link.col), message);
                    }
                }
            }
        }
    }
}

/// Where a path leads: relative to the file's directory, else relative to the skill's.
fn resolved(tree: &Tree, skill: &Skill, file: &SourceFile, path: &str) -> Option<Place> {
    let places = [names::folder(file.path()), &skill.dir].map(|dir| names::joined(dir, path));
    places.into_iter().find(|place| exists(tree, place))
}

fn exists(tree: &Tree, (above, path): &Place) -> bool {
    if *above == 0 {
        return tree.exists(path);
    }
    let mut location: PathBuf = tree.root.clone();
    // `pop` fails at the top of the file system: nothing is above it.
    (0..*above).all(|_| location.pop()) && location.join(path).exists()
}

fn missing(tree: &Tree, skill: &Skill, file: &SourceFile, path: &str) -> String {
    let wanted = [names::folder(file.path()), &skill.dir].map(|dir| names::joined(dir, path));
    let mut paths = tree.files.iter().map(|file| &file.path);
    let is_meant =
        |(above, wanted): &Place, path: &str| *above == 0 && wanted.eq_ignore_ascii_case(path);
    let other = paths.find(|path| wanted.iter().any(|wanted| is_meant(wanted, path)));
    let other = other.map(|other| format!("; case counts, there is `{other}`"));
    format!(
        "link target `{path}` does not exist{}",
        other.unwrap_or_default()
    )
}
