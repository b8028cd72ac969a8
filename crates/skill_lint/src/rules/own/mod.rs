//! `SR9xx`: the linter's own. Those about suppressions are found where suppressions are applied.

use aris_skills::{Skill, Tree};

use crate::config::Config;
use crate::finding::Sink;

/// Nothing is needed across skills.
#[derive(Debug, Default)]
pub struct Facts;

/// Looks at one skill.
pub fn skill(skill: &Skill, _tree: &Tree, _config: &Config, sink: &mut Sink<'_>) -> Facts {
    if let Some(file) = skill.skill_md()
        && file.text.is_none()
        && file.error.is_none()
    {
        let message = "no host can read it: it is not a text file";
        sink.found("SR905", file.path(), 1, 1, message);
    }
    for file in &skill.files {
        if let Some(error) = &file.error {
            sink.found("SR905", file.path(), 1, 1, error.clone());
        }
        if let Some(text) = file.text.as_ref().filter(|text| !text.was_utf8())
            && file.path().to_ascii_lowercase().ends_with(".md")
        {
            let bad = text.raw().find('\u{FFFD}').unwrap_or(0);
            let (line, col) = text.place(bad);
            sink.found("SR905", file.path(), line, col, "not UTF-8")
                .hint("convert the file, for example with iconv");
        }
    }
    Facts
}

/// Looks across skills.
pub fn tree(tree: &Tree, _facts: &[Facts], _config: &Config, sink: &mut Sink<'_>) {
    for (folder, error) in &tree.unreadable {
        sink.found("SR905", folder, 1, 1, error.clone());
    }
}
