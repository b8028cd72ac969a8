//! The fences of the skills' texts.

use std::fs;
use std::path::{Path, PathBuf};

use aris_testkit::workspace_root;

/// One call or script of a skill's text.
pub(super) struct Fence {
    pub(super) file: String,
    pub(super) line: usize,
    /// Resolver blocks above it in the same skill, which set the variables it uses.
    before: String,
    pub(super) text: String,
}

impl Fence {
    /// A list of calls is taken line by line, so that each shows its exit code; a script as a whole.
    pub(super) fn calls(&self) -> Vec<String> {
        let lines: Vec<&str> = self
            .text
            .lines()
            .filter(|line| !line.trim().is_empty())
            .collect();
        if lines.iter().all(|line| line.starts_with("sh \"$")) {
            lines
                .iter()
                .map(|line| format!("{}\n{line}\n", self.before))
                .collect()
        } else {
            vec![format!("{}\n{}", self.before, self.text)]
        }
    }
}

/// The fences of every skill's texts, in order.
pub(super) fn fences() -> Vec<Fence> {
    let root = workspace_root().join("skills");
    let mut all = Vec::new();
    for skill in sorted(&root) {
        let mut blocks = String::new();
        // References use the variables that SKILL.md sets.
        for file in [
            vec![skill.join("SKILL.md")],
            sorted(&skill.join("references")),
        ]
        .concat()
        {
            if file.extension().is_none_or(|extension| extension != "md") || !file.is_file() {
                continue;
            }
            let name = file
                .strip_prefix(&root)
                .expect("below")
                .display()
                .to_string();
            for (line, language, text) in of_text(&fs::read_to_string(&file).expect("text")) {
                if language != "sh" {
                    let known = ["", "json", "toml", "yaml", "text", "latex", "bibtex"]
                        .contains(&language.as_str());
                    assert!(
                        known,
                        "{name} line {line}: what is a fence of {language:?}?"
                    );
                    let call = text
                        .lines()
                        .find(|line| line.starts_with("sh ") || line.starts_with("$ "));
                    assert_eq!(
                        call, None,
                        "{name} line {line}: a call in a fence that is not marked sh"
                    );
                    continue;
                }
                all.push(Fence {
                    file: name.clone(),
                    line,
                    before: blocks.clone(),
                    text: text.clone(),
                });
                blocks.push_str(&resolvers(&text));
            }
        }
    }
    assert!(all.len() > 10, "{} fences only", all.len());
    all
}

fn sorted(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else {
        return Vec::new();
    };
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("entry").path()).collect();
    paths.sort();
    paths
}

/// Line, language and text of each fence, without its indentation.
fn of_text(text: &str) -> Vec<(usize, String, String)> {
    let mut found = Vec::new();
    let mut open: Option<(usize, usize, String, String)> = None;
    for (number, line) in text.lines().enumerate() {
        let inner = line.trim_start();
        match open.take() {
            None => {
                if let Some(language) = inner.strip_prefix("```") {
                    open = Some((
                        number + 1,
                        line.len() - inner.len(),
                        language.trim().to_owned(),
                        String::new(),
                    ));
                }
            }
            Some((at, _, language, text)) if inner.trim_end() == "```" => {
                found.push((at, language, text));
            }
            Some((at, indent, language, mut text)) => {
                text.push_str(line.get(indent..).unwrap_or_default());
                text.push('\n');
                open = Some((at, indent, language, text));
            }
        }
    }
    assert!(open.is_none(), "a fence does not end");
    found
}

/// The resolver blocks of a fence.
fn resolvers(text: &str) -> String {
    let mut inside = false;
    let mut found = String::new();
    for line in text.lines() {
        inside |= line.starts_with("# aris-resolver v2:");
        if inside {
            found.extend([line, "\n"]);
        }
        inside &= line != "# aris-resolver end";
    }
    found
}

#[test]
fn fences_are_found_with_their_language_and_without_their_indentation() {
    let found = of_text("a\n```sh\nx\n  y\n```\n   ```json\n   {\n   }\n   ```\n```\nz\n```\n");
    let expected = [
        (2, "sh", "x\n  y\n"),
        (6, "json", "{\n}\n"),
        (10, "", "z\n"),
    ];
    assert_eq!(
        found,
        expected.map(|(line, language, text)| (line, language.to_owned(), text.to_owned()))
    );
}
