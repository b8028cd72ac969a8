//! The catalogue as a Markdown document, for people who read several rules at once.

use std::fmt::Write as _;

use super::{FAMILIES, TABLE, all, family};

/// All rules at length, in Markdown, with a list of contents.
pub fn document() -> String {
    let mut text = String::from(
        "# Rules\n\n<!-- Generated from the rules of skill_lint; change them there. -->\n\n## Contents\n\n",
    );
    for (prefix, name, about) in FAMILIES {
        let title = format!("{prefix}: {name}");
        let anchor = title.to_lowercase().replace(':', "").replace(' ', "-");
        writeln!(text, "- [{title}](#{anchor}): {about}").unwrap_or_default();
    }
    text.push_str("- [Retired](#retired): ids that were rules once\n");
    text.push_str(
        "\nSources: SPEC Agent Skills specification; ANT Anthropic's packaging check and upload rules; CC Claude Code's \
         documentation; CDX, GEM, CUR loaders or documentation of Codex CLI, Gemini CLI, Cursor; SRP skill resource protocol; \
         INT integration contract; PEER other linters; OWN ours.\n",
    );
    for (prefix, name, _) in FAMILIES {
        write!(text, "\n## {prefix}: {name}\n").unwrap_or_default();
        for rule in all().iter().filter(|rule| family(rule.id) == name) {
            write!(text, "\n### {}: {}\n\n{}", rule.id, rule.title, rule.body())
                .unwrap_or_default();
        }
    }
    let retired = TABLE.retired.join(", ");
    write!(text, "\n## Retired\n\nOnce rules, and no more: they judged taste, or guessed from text.\n\n{retired}\n")
        .unwrap_or_default();
    text
}
