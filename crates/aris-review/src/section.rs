//! Sections: the parts of a report that a diff touches. An agent is asked about one section at a time.

use std::collections::BTreeSet;

use regex::Regex;
use serde::Serialize;

use crate::diff::{Diff, DiffFile, Hidden};

/// Lines below one heading.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Section {
    /// Path of the file.
    pub file: String,
    /// The heading; empty before the first one that the diff shows.
    pub title: String,
    /// Its lines that the diff adds, and those around a deletion inside a paragraph, at least one, in their order.
    pub lines: Vec<SectionLine>,
}

/// A line that the diff adds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct SectionLine {
    /// Its number in the new file, from 1.
    pub line: u32,
    /// Its text.
    pub text: String,
}

/// Extensions of text files.
const PROSE: [&str; 7] = ["md", "markdown", "qmd", "rmd", "rst", "tex", "txt"];

/// Extensions of documents whose text is not read.
const UNREAD: [&str; 13] = [
    "adoc", "asciidoc", "docx", "epub", "htm", "html", "ipynb", "mdx", "odt", "org", "pdf", "rtf",
    "typ",
];

/// Globs of reports by default; they match in upper and lower case. **Source**: citation gates, §4.3.
const USUAL: [&str; 4] = ["research/**", "*.md", "*.markdown", "*.tex"];

/// Which files are reports: text files whose names match one of the globs.
#[derive(Clone, Debug)]
pub struct Reports {
    globs: Vec<Glob>,
}

impl Reports {
    /// The reports of these globs, and without globs those of `USUAL`.
    pub fn of(globs: &[String]) -> Self {
        let given = globs.iter().filter_map(|glob| Glob::of(glob, ""));
        let usual = USUAL.iter().filter_map(|glob| Glob::of(glob, "i"));
        let globs = if globs.is_empty() {
            usual.collect()
        } else {
            given.collect()
        };
        Self { globs }
    }

    /// Whether the name of a file makes it a report.
    pub fn has(&self, path: &str) -> bool {
        is_prose(path) && self.globs.iter().any(|glob| glob.matches(path))
    }

    /// Whether the diff touches any report, also one that is gone now.
    pub fn any(&self, diff: &Diff) -> bool {
        let gone = diff.deleted.iter();
        self.shown(diff).next().is_some()
            || gone
                .chain(diff.hidden.iter().map(|hidden| &hidden.path))
                .any(|path| self.has(path))
    }

    /// Paths of files in a diff that match the globs and have a format that is not read.
    pub fn unread<'d>(&self, diff: &'d Diff) -> impl Iterator<Item = &'d str> {
        let shown = diff.files.iter().map(|file| file.path.as_str());
        let hidden = diff.hidden.iter().map(|file| file.path.as_str());
        shown.chain(hidden).filter(|path| {
            has_ending(path, &UNREAD) && self.globs.iter().any(|glob| glob.matches(path))
        })
    }

    /// The reports of a diff whose text it does not show. A report that was renamed without a change is left out: it has nothing new.
    pub fn hidden<'d>(&self, diff: &'d Diff) -> Vec<&'d Hidden> {
        let was_report = |hidden: &Hidden| hidden.was.as_ref().is_some_and(|was| self.has(was));
        let hidden = diff.hidden.iter();
        hidden
            .filter(|hidden| self.has(&hidden.path) && !was_report(hidden))
            .collect()
    }

    /// The reports of a diff whose text it shows, at least in part.
    pub fn shown<'d>(&self, diff: &'d Diff) -> impl Iterator<Item = &'d DiffFile> {
        diff.files.iter().filter(|file| self.has(&file.path))
    }

    /// The sections of the reports in a diff to which the diff adds a line, or in which it deletes lines inside a paragraph.
    pub fn sections(&self, diff: &Diff) -> Vec<Section> {
        self.shown(diff).flat_map(sections_of).collect()
    }
}

fn sections_of(file: &DiffFile) -> Vec<Section> {
    let mut sections = Vec::new();
    let is_latex = file.path.to_ascii_lowercase().ends_with(".tex");
    let begin = |title| Section {
        file: file.path.clone(),
        title,
        lines: Vec::new(),
    };
    let mut current = begin(String::new());
    let mut fenced = false;
    let mut before = 0;
    let joined = joined(file);
    for line in &file.lines {
        if line.number != before + 1 {
            // A new hunk begins; an open fence may be closed between the two.
            fenced = false;
        }
        before = line.number;
        let trimmed = line.text.trim_start();
        if !is_latex && (trimmed.starts_with("```") || trimmed.starts_with("~~~")) {
            fenced = !fenced;
        }
        let title = if is_latex {
            latex_heading(trimmed)
        } else {
            markdown_heading(&line.text).filter(|_| !fenced)
        };
        if let Some(title) = title {
            sections.push(std::mem::replace(&mut current, begin(title)));
        }
        if line.old.is_none() || joined.contains(&line.number) {
            current.lines.push(SectionLine {
                line: line.number,
                text: line.text.clone(),
            });
        }
    }
    sections.push(current);
    sections.retain(|section| !section.lines.is_empty());
    sections
}

/// The lines of paragraphs from which the diff deletes lines without adding any in their place: the text around the gap has changed.
fn joined(file: &DiffFile) -> BTreeSet<u32> {
    let has_text = |text: &str| !text.trim().is_empty();
    let kept = |number: &u32| {
        let line = file.line(*number);
        line.is_some_and(|line| line.old.is_some() && has_text(&line.text))
    };
    let mut joined = BTreeSet::new();
    for run in file.deleted.chunk_by(|one, next| one.before == next.before) {
        let Some(at) = run.first().map(|line| line.before) else {
            continue;
        };
        let above = run.first().filter(|line| has_text(&line.text));
        let below = run.last().filter(|line| has_text(&line.text));
        let is_new = |number: u32| file.line(number).is_some_and(|line| line.old.is_none());
        if is_new(at) || is_new(at.saturating_sub(1)) {
            continue;
        }
        joined.extend(
            above
                .into_iter()
                .flat_map(|_| (1..at).rev().take_while(kept)),
        );
        joined.extend(below.into_iter().flat_map(|_| (at..).take_while(kept)));
    }
    joined
}

fn is_prose(path: &str) -> bool {
    has_ending(path, &PROSE)
}

fn has_ending(path: &str, endings: &[&str]) -> bool {
    let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending);
    endings.contains(&ending.to_ascii_lowercase().as_str())
}

/// The title of a heading of the first or second level.
fn markdown_heading(line: &str) -> Option<String> {
    let rest = line.strip_prefix("##").or_else(|| line.strip_prefix('#'))?;
    let title = rest.strip_prefix([' ', '\t'])?;
    Some(title.trim().trim_end_matches('#').trim_end().to_owned())
}

/// The title of `\section{…}`, `\section*{…}` and the abstract.
fn latex_heading(line: &str) -> Option<String> {
    if line.starts_with("\\begin{abstract}") {
        return Some(String::from("Abstract"));
    }
    let rest = line.strip_prefix("\\section")?;
    let rest = rest.strip_prefix('*').unwrap_or(rest).trim_start();
    let title = rest.strip_prefix('{')?;
    let mut depth = 1_usize;
    let end = title.char_indices().find_map(|(at, letter)| {
        match letter {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        (depth == 0).then_some(at)
    });
    Some(title.get(..end.unwrap_or(title.len()))?.to_owned())
}

/// A compiled glob. `*` and `?` match within one part of a path, `**` across parts; a glob without `/` matches the last part.
#[derive(Clone, Debug)]
struct Glob {
    pattern: Regex,
    has_folder: bool,
}

impl Glob {
    /// `flags` are regular expression flags. `None` for a glob that is too large to compile.
    fn of(glob: &str, flags: &str) -> Option<Self> {
        let mut pattern = format!("(?s{flags})^");
        let mut starts_part = true;
        let pieces: Vec<&str> = glob.split("**").collect();
        for (at, piece) in pieces.iter().enumerate() {
            // `a/**/b` also matches `a/b`: where a part begins, the slash after `**` is optional.
            let (any, piece) = match piece.strip_prefix('/') {
                _ if at == 0 => ("", *piece),
                None if piece.is_empty() && at + 1 < pieces.len() => continue,
                Some(below) if starts_part => ("(?:.*/)?", below),
                _ => (".*", *piece),
            };
            starts_part &= piece.is_empty();
            starts_part |= piece.ends_with('/');
            let piece = regex::escape(piece).replace(r"\*", "[^/]*");
            pattern.extend([any, &piece.replace(r"\?", "[^/]")]);
        }
        Some(Self {
            pattern: Regex::new(&(pattern + "$")).ok()?,
            has_folder: glob.contains('/'),
        })
    }

    fn matches(&self, path: &str) -> bool {
        let last = path.rsplit('/').next().filter(|_| !self.has_folder);
        self.pattern.is_match(last.unwrap_or(path))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(glob: &str, path: &str) -> bool {
        Glob::of(glob, "").is_some_and(|glob| glob.matches(path))
    }

    #[test]
    fn globs_are_about_parts_of_paths() {
        for (glob, path, wanted) in [
            ("*.md", "report.md", true),
            ("*.md", "deep/er/report.md", true),
            ("*.md", "report.mdx", false),
            ("research/**", "research/a.md", true),
            ("research/**", "research/a/b.md", true),
            ("research/**", "other/research/a.md", false),
            ("**/report.md", "report.md", true),
            ("**/report.md", "a/b/report.md", true),
            ("a/**/b.md", "a/b.md", true),
            ("a/**/b.md", "a/x/y/b.md", true),
            ("a/**/b.md", "a/xb.md", false),
            ("a/*/b.md", "a/x/b.md", true),
            ("a/*/b.md", "a/x/y/b.md", false),
            ("a/?.md", "a/x.md", true),
            ("a/?.md", "a//.md", false),
            ("*", "anything", true),
            ("**", "any/thing", true),
            ("docs/*.tex", "docs/a.tex", true),
            ("docs/*.tex", "docs/a/b.tex", false),
            ("ä*.md", "äöü.md", true),
            ("", "x", false),
        ] {
            assert_eq!(matches(glob, path), wanted, "{glob} {path}");
        }
    }

    #[test]
    fn headings_divide_what_was_added() {
        let diff = Diff::read(
            b"+++ b/research/r.md\n@@ -1,5 +1,9 @@\n # Title\n+intro\n ## Results\n+We win.\n ```\n+## no heading\n ```\n \n ## Quiet\n\
              +++ b/p.tex\n@@ -0,0 +1,4 @@\n+\\begin{abstract}\n+We do.\n+\\section*{On {\\em x}}\n+text\n\
              +++ b/data.csv\n@@ -0,0 +1 @@\n+1,2\n+++ b/src/notes.md\n@@ -0,0 +1 @@\n+x\n",
        );
        let globs: Vec<String> = ["research/**", "*.tex"].map(str::to_owned).to_vec();
        let shown: Vec<String> = Reports::of(&globs)
            .sections(&diff)
            .iter()
            .map(|section| {
                let lines: Vec<String> = section
                    .lines
                    .iter()
                    .map(|line| line.line.to_string())
                    .collect();
                format!("{}|{}|{}", section.file, section.title, lines.join(","))
            })
            .collect();
        assert_eq!(
            shown,
            [
                "research/r.md|Title|2",
                "research/r.md|Results|4,6",
                "p.tex|Abstract|1,2",
                "p.tex|On {\\em x}|3,4",
            ]
        );
    }

    proptest::proptest! {
        #[test]
        fn no_glob_and_no_path_make_it_panic(glob in "[a*?/ä]{0,20}", path in "[ab/ä.]{0,40}") {
            matches(&glob, &path);
        }

        #[test]
        fn a_path_matches_itself(path in "[ab/.]{1,20}") {
            proptest::prop_assert!(matches(&path, &path));
        }

        #[test]
        fn no_line_makes_it_panic(line in ".{0,60}") {
            drop(markdown_heading(&line));
            drop(latex_heading(&line));
            drop(latex_heading(&format!("\\section{{{line}")));
        }
    }
}
