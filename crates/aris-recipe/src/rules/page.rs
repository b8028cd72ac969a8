//! The rules as a page of documentation.

use std::fmt::Write as _;

use strum::VariantArray as _;

use super::table::{RULES, Section};
use crate::finding::Severity;

const INTRODUCTION: &str = "\
# Rules of `recipe_runner validate`

Made from the table in the program. An error keeps a recipe from running; a warning is most likely a mistake; an info is worth knowing.
A rule in the column *needs* names the flag without which it is skipped and reported as skipped.

| Profile | Has |
|---|---|
| `core` (default) | all rules |
| `strict` | the same; warnings under *Beyond the reference* are errors |
| `compat` | all but those under *Beyond the reference*, and the rules of AutoSkillit 0.9.0 for its own tools and skills |

Rules of a project are data: `--rules FILE` adds those of a file. The ones of `compat` are such a file, `crates/recipe_runner/assets/autoskillit.yaml`.

";

/// The page `rules.md` of the skill that owns the helper, in Markdown.
pub fn page() -> String {
    let mut text = String::from(INTRODUCTION);
    for section in Section::VARIANTS {
        // Writing to a text cannot fail.
        write!(
            text,
            "## {section}\n\n| Rule | Severity | Needs | Demands |\n|---|---|---|---|\n"
        )
        .unwrap_or_default();
        for rule in RULES.iter().filter(|rule| rule.section == *section) {
            let severity = match (rule.severity, rule.or_warning) {
                (Severity::Error, true) => String::from("error or warning"),
                (severity, _) => severity.to_string(),
            };
            let needs = rule.needs.iter().map(|need| format!("`{}`", need.flag().0));
            let mut needs: Vec<String> = needs.collect();
            needs.dedup();
            let demands = rule.text.replace('|', "\\|");
            writeln!(
                text,
                "| `{}` | {severity} | {} | {demands} |",
                rule.id,
                needs.join(" ")
            )
            .unwrap_or_default();
        }
        text.push('\n');
    }
    text.truncate(text.trim_end().len());
    text.push('\n');
    text
}
