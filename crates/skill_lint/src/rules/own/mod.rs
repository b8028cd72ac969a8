//! `SR9xx`: rules about the linter's own input. [`crate::suppress`] reports those about suppressions.

use aris_skills::{Skill, Tree};

use crate::finding::{FILE, Sink};

/// Looks at one skill.
pub fn skill(skill: &Skill, sink: &mut Sink<'_>) {
    if let Some(file) = skill.skill_md()
        && file.text.is_none()
        && file.error.is_none()
    {
        let message = "no host can read it: it is not a text file";
        sink.found("SR905", file.path(), FILE, message);
    }
    for file in &skill.files {
        if let Some(error) = &file.error {
            sink.found("SR905", file.path(), FILE, error.clone());
        }
        if let Some(text) = file.text.as_ref().filter(|text| !text.was_utf8())
            && file.path().to_ascii_lowercase().ends_with(".md")
        {
            let bad = text.raw().find('\u{FFFD}').unwrap_or(0);
            sink.found("SR905", file.path(), text.place(bad), "not UTF-8")
                .hint("convert the file, for example with iconv");
        }
    }
}

/// Looks across skills.
pub fn tree(tree: &Tree, sink: &mut Sink<'_>) {
    for (folder, error) in &tree.unreadable {
        sink.found("SR905", folder, FILE, error.clone());
    }
}
