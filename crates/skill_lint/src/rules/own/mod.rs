//! `SR9xx`: the linter's own. Those about suppressions are found where suppressions are applied.

use aris_skills::{Skill, Tree};

use crate::catalogue::{Rule, Severity};
use crate::config::Config;
use crate::finding::Sink;

/// The rules of this family.
pub const RULES: &[Rule] = &[
    Rule {
        id: "SR901",
        severity: Severity::Error,
        title: "suppression without a reason",
        what: "A suppression must say why: `reason=\"…\"` with something in it. Without one it hides nothing.",
        hint: "add reason=\"…\"",
        source: "OWN",
        ..Rule::BASE
    },
    Rule {
        id: "SR902",
        title: "suppression that hides nothing",
        what: "A suppression, inline or in the configuration, names a rule that found nothing where the suppression holds. Only \
               suppressions of rules that ran are judged.",
        hint: "remove it",
        source: "OWN",
        ..Rule::BASE
    },
    Rule {
        id: "SR903",
        severity: Severity::Error,
        title: "unknown rule id",
        what: "A suppression names a rule that does not exist.",
        hint: "see --list-rules",
        source: "OWN",
        ..Rule::BASE
    },
    Rule {
        id: "SR904",
        title: "suppression past its date",
        what: "The last day of an `[[allow]]` entry, its `until`, has passed. It hides nothing any more.",
        hint: "mend the cause, or give a new date",
        source: "OWN",
        ..Rule::BASE
    },
    Rule {
        id: "SR905",
        severity: Severity::Error,
        title: "file that cannot be read",
        what: "A file or folder cannot be read, or a `.md` file is not UTF-8. What the rules could not see they cannot judge.",
        hint: "mend permissions, size or encoding",
        source: "OWN",
        ..Rule::BASE
    },
];

/// Nothing is needed across skills.
#[derive(Debug, Default)]
pub struct Facts;

/// Looks at one skill.
pub fn skill(skill: &Skill, _tree: &Tree, _config: &Config, sink: &mut Sink<'_>) -> Facts {
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
