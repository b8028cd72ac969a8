//! Links between the files of a tree: SR110, SR111, SR112.

use std::collections::BTreeMap;
use std::path::PathBuf;

use aris_skills::markdown::{Document, Link};
use aris_skills::{Frontmatter, Skill, SourceFile, Tree, names};

use super::place::{joined, lies_in};
use crate::config::Config;
use crate::finding::Sink;

/// Where a link leads: levels above the root of the tree, and the path from there.
type Place = (usize, String);

/// Checks the relative links of a skill's instruction files.
///
/// Only those: links in templates and samples are for the project that they are copied to.
pub(super) fn check(skill: &Skill, tree: &Tree, config: &Config, sink: &mut Sink<'_>) {
    let mut targets = Targets {
        tree,
        of_other_files: BTreeMap::new(),
    };
    for (file, _, document) in skill.instructions() {
        for link in &document.links {
            let Some(path) = link.relative_path() else {
                if link.target.starts_with('#') {
                    fragment(file, link, document, file.path(), sink);
                }
                continue;
            };
            match resolved(tree, skill, file, &path) {
                None => {
                    let message = missing(tree, skill, file, &path);
                    sink.found("SR110", file.path(), link.line, link.col, message);
                }
                Some((above, place)) => {
                    let shared = above == 0
                        && config
                            .shared_dirs
                            .iter()
                            .any(|shared| lies_in(&place, shared));
                    if !shared && (above > 0 || !lies_in(&place, &skill.dir)) {
                        let message = format!("link target `{path}` lies outside the skill");
                        sink.found("SR111", file.path(), link.line, link.col, message);
                    }
                    if above == 0
                        && link.target.contains('#')
                        && names::extension(&place) == "md"
                        && let Some(target) = targets.of(skill, &place)
                    {
                        fragment(file, link, target, &place, sink);
                    }
                }
            }
        }
    }
}

/// What a path leads to: from the file's directory, else from the skill's.
fn resolved(tree: &Tree, skill: &Skill, file: &SourceFile, path: &str) -> Option<Place> {
    [names::folder(file.path()), &skill.dir]
        .into_iter()
        .map(|directory| joined(directory, path))
        .find(|place| exists(tree, place))
}

fn exists(tree: &Tree, (above, path): &Place) -> bool {
    if *above == 0 {
        return tree.exists(path);
    }
    let mut location: PathBuf = tree.root.clone();
    // At the top of the file system there is nothing above.
    (0..*above).all(|_| location.pop()) && location.join(path).exists()
}

fn missing(tree: &Tree, skill: &Skill, file: &SourceFile, path: &str) -> String {
    let wanted = [names::folder(file.path()), &skill.dir].map(|dir| joined(dir, path));
    let other_case = tree.files.iter().map(|file| &file.path).find(|path| {
        wanted
            .iter()
            .any(|(above, wanted)| *above == 0 && wanted.eq_ignore_ascii_case(path))
    });
    match other_case {
        Some(other) => {
            format!("link target `{path}` does not exist; case counts, there is `{other}`")
        }
        None => format!("link target `{path}` does not exist"),
    }
}

/// Checks a link's fragment against the anchors of its target, a Markdown file at `path`.
fn fragment(file: &SourceFile, link: &Link, target: &Document, path: &str, sink: &mut Sink<'_>) {
    let Some(wanted) = link.fragment().filter(|wanted| !wanted.is_empty()) else {
        return;
    };
    let known = target.anchors.contains(&wanted)
        || target.anchors.contains(&wanted.to_lowercase())
        || wanted == "top"
        || is_line_number(&wanted)
        || is_declared(target, &wanted);
    if !known {
        let message = format!("no heading of `{path}` makes the fragment `#{wanted}`");
        sink.found("SR112", file.path(), link.line, link.col, message);
    }
}

/// Whether a heading declares the fragment itself, as `## Title {#fragment}`.
fn is_declared(target: &Document, fragment: &str) -> bool {
    let mark = format!("{{#{fragment}}}");
    let mut headings = target.headings.iter();
    headings.any(|heading| heading.text.ends_with(&mark))
}

/// Fragments by which forges name lines: `L10`, `L10-L20`.
fn is_line_number(fragment: &str) -> bool {
    fragment.split('-').all(|part| {
        part.strip_prefix('L').is_some_and(|digits| {
            !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
        })
    })
}

/// The Markdown files that links lead to.
struct Targets<'a> {
    tree: &'a Tree,
    of_other_files: BTreeMap<String, Option<Document>>,
}

impl Targets<'_> {
    /// A Markdown file by its path in the tree; none when it cannot be read.
    fn of<'s>(&'s mut self, skill: &'s Skill, path: &str) -> Option<&'s Document> {
        let inside = if skill.dir.is_empty() {
            Some(path)
        } else {
            path.strip_prefix(&skill.dir)
                .and_then(|rest| rest.strip_prefix('/'))
        };
        let own = inside
            .and_then(|path| skill.file(path))
            .and_then(|file| file.markdown.as_ref());
        if let Some(document) = own {
            return Some(document);
        }
        self.of_other_files
            .entry(path.to_owned())
            .or_insert_with(|| read(self.tree, path))
            .as_ref()
    }
}

fn read(tree: &Tree, path: &str) -> Option<Document> {
    let text = tree.text(path).ok()?;
    let first = aris_skills::frontmatter::first_body_line(Frontmatter::of(&text).as_ref());
    Some(Document::parse(&text, first))
}
