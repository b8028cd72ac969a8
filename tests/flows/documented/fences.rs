//! The instructions in the skills' texts: files to write, and calls.

use std::fs;
use std::path::{Path, PathBuf};

use aris_testkit::workspace_root;

/// Beginning of a helper's call in an installed project.
pub(super) const CALL: &str = "sh .aris/tools/";

/// One text of a skill.
pub(super) struct Page {
    /// Path relative to `skills/`.
    pub(super) file: String,
    pub(super) steps: Vec<Step>,
}

/// One instruction, with its line in the text.
pub(super) struct Step {
    pub(super) line: usize,
    pub(super) what: What,
}

pub(super) enum What {
    /// A fence after a line that ends in `write`, a path in backquotes and a colon.
    Write { path: String, text: String },
    /// A fence marked `sh`.
    Fence(String),
    /// A call in the first cell of a table.
    Cell(String),
}

impl What {
    /// The script for the shell.
    pub(super) fn script(&self) -> Option<&str> {
        match self {
            Self::Fence(text) | Self::Cell(text) => Some(text),
            Self::Write { .. } => None,
        }
    }
}

impl Page {
    pub(super) fn skill(&self) -> &str {
        self.file.split('/').next().unwrap_or_default()
    }

    pub(super) fn is_skill_md(&self) -> bool {
        self.file.ends_with("/SKILL.md")
    }
}

/// Every text of every skill, sorted.
pub(super) fn pages() -> Vec<Page> {
    let root = workspace_root().join("skills");
    let mut pages = Vec::new();
    for skill in sorted(&root) {
        for path in [
            vec![skill.join("SKILL.md")],
            sorted(&skill.join("references")),
        ]
        .concat()
        {
            if path.extension().is_some_and(|extension| extension == "md") && path.is_file() {
                let file = path.strip_prefix(&root).expect("below").display();
                let text = fs::read_to_string(&path).expect("text");
                pages.push(Page {
                    file: file.to_string(),
                    steps: steps(&file.to_string(), &text),
                });
            }
        }
    }
    let fences = pages.iter().flat_map(|page| &page.steps);
    let fences = fences
        .filter(|step| matches!(step.what, What::Fence(_)))
        .count();
    assert!(fences > 50, "{fences} fences only");
    pages
}

fn sorted(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else {
        return Vec::new();
    };
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("entry").path()).collect();
    paths.sort();
    paths
}

/// The instructions in a text. Fences lose their indentation.
fn steps(file: &str, text: &str) -> Vec<Step> {
    const LANGUAGES: [&str; 8] = ["", "sh", "json", "toml", "yaml", "text", "latex", "bibtex"];
    let mut found = Vec::new();
    let mut before = "";
    let mut lines = text.lines().zip(1..);
    while let Some((line, number)) = lines.next() {
        let inner = line.trim_start();
        let indent = line.len() - inner.len();
        let Some(language) = inner.strip_prefix("```").map(str::trim) else {
            if let Some((cell, _)) = inner
                .strip_prefix("| `")
                .and_then(|rest| rest.split_once("` |"))
                && cell.starts_with(CALL)
            {
                let what = What::Cell(cell.to_owned());
                found.push(Step { line: number, what });
            }
            if !inner.is_empty() {
                before = inner;
            }
            continue;
        };
        assert!(
            LANGUAGES.contains(&language),
            "{file} line {number}: what is a fence of {language:?}?"
        );
        let mut body = String::new();
        loop {
            let (line, _) = lines
                .next()
                .unwrap_or_else(|| panic!("{file} line {number}: a fence does not end"));
            if line.trim() == "```" {
                break;
            }
            body.push_str(line.get(indent..).unwrap_or_default());
            body.push('\n');
        }
        let path = before
            .strip_suffix("`:")
            .and_then(|line| line.rsplit_once("rite `"));
        let what = match (language, path) {
            ("sh", _) => What::Fence(body),
            (_, Some((_, path))) => What::Write {
                path: path.to_owned(),
                text: body,
            },
            _ => {
                let call = body
                    .lines()
                    .find(|line| line.starts_with("sh ") || line.starts_with("$ "));
                assert_eq!(
                    call, None,
                    "{file} line {number}: a call in a fence that is not marked sh"
                );
                continue;
            }
        };
        found.push(Step { line: number, what });
    }
    found
}

#[test]
fn steps_are_found_with_their_kind_and_without_their_indentation() {
    let text = "a\n```sh\nx\n  y\n```\n1. Then write `a/b.json`:\n\n   ```json\n   {\n   }\n   ```\n\n| `sh .aris/tools/x y` | z |\n```\nz\n```\n";
    let found: Vec<(usize, String)> = steps("file", text)
        .into_iter()
        .map(|Step { line, what }| match what {
            What::Write { path, text } => (line, format!("{path}={text}")),
            What::Fence(text) | What::Cell(text) => (line, text),
        })
        .collect();
    let expected = [
        (2, "x\n  y\n"),
        (8, "a/b.json={\n}\n"),
        (13, "sh .aris/tools/x y"),
    ];
    assert_eq!(found, expected.map(|(line, text)| (line, text.to_owned())));
}
