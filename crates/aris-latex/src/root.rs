//! Which file is the root document.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use regex::Regex;

use crate::path;

/// File names that win among several candidates, in this order: the names that arXiv's `AutoTeX` guide and the
/// venue templates use.
const PREFERRED: [&str; 3] = ["main.tex", "paper.tex", "ms.tex"];
/// Classes of files that are parts of another document.
const PART_CLASSES: [&str; 2] = ["subfiles", "standalone"];
/// `% !TEX root = …` is a magic comment of the editors only near the top (`TeXworks` reads the first 1024 bytes).
const HINT_LINES: usize = 20;

/// Why there is no single root document.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RootError {
    /// No file qualifies.
    #[error(
        "no root document: no file has `\\documentclass` and `\\begin{{document}}` outside comments"
    )]
    None,
    /// Several files qualify and nothing chooses among them.
    #[error("several root documents: {}", candidates.join(", "))]
    Several {
        /// Their paths, sorted.
        candidates: Vec<String>,
    },
}

/// The root document, and the others that were not chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Root {
    /// Its path.
    pub path: String,
    /// The paths of other root documents, sorted.
    pub others: Vec<String>,
}

/// Finds the root document among `(path, text)` pairs (paths '/'-separated, relative to the paper directory).
///
/// A candidate has `\documentclass` and `\begin{document}` outside comments, one of them possibly in a file that it includes. Its
/// class is not `subfiles` or `standalone`, and no other candidate includes it. Among several, a `% !TEX root = …` that all hints
/// agree on wins, then `main.tex`, `paper.tex`, `ms.tex` at the top, then such a name in any folder if it is the only one.
pub fn find_root<P: AsRef<str>, T: AsRef<str>>(files: &[(P, T)]) -> Result<Root, RootError> {
    let all = facts(files);
    let (parts, includers) = links(&all);
    // The files that include a `wanted` file, directly or through others. Every file on the way, and the one found, must satisfy
    // `into`.
    let inherits = |wanted: &dyn Fn(&str, &Facts) -> bool, into: &dyn Fn(&Facts) -> bool| {
        let from = all.iter().filter(|(name, facts)| wanted(name, facts));
        let from = from.map(|(name, _)| name.as_str()).collect();
        reached(&includers, from, |name| all.get(name).is_some_and(into))
    };
    let is_whole = |facts: &Facts| {
        let class = facts.class.as_deref();
        class.is_some_and(|class| !PART_CLASSES.contains(&class))
    };
    let classed = inherits(&|_, facts| is_whole(facts), &|facts| facts.class.is_none());
    // A file with a class of its own that both begins and ends is a separate document.
    let goes_on = |facts: &Facts| facts.begins && (facts.class.is_none() || !facts.ends);
    let begun = inherits(&|_, facts| goes_on(facts), &|_| true);
    // A file that only includes others is the paper if they begin and end the document. If one of them is a whole paper, that one is
    // it, and this file a wrapper.
    let is_paper = |name: &str, facts: &Facts| {
        facts.begins && (facts.class.is_some() || classed.contains(name))
    };
    let ended = inherits(
        &|name, facts| facts.ends && !is_paper(name, facts),
        &|facts| !facts.begins && facts.class.is_none(),
    );
    let candidates = all.iter().map(|(name, facts)| (name.as_str(), facts));
    let candidates = candidates.filter(|(name, facts)| {
        let is_end = facts.class.is_some() || facts.ends || ended.contains(name);
        let is_begun = facts.begins || begun.contains(name) && is_end;
        is_begun && (is_whole(facts) || classed.contains(name))
    });
    let candidates: Vec<&str> = candidates.map(|(name, _)| name).collect();
    let free = free(&candidates, &parts);
    let hints = all.values().filter_map(|facts| facts.hint.as_deref());
    let hints: BTreeSet<&str> = hints.filter(|hint| candidates.contains(hint)).collect();
    let path = match only(hints) {
        Some(hint) if free.len() != 1 => hint,
        _ => choose(&free)?,
    };
    let others = free.iter().filter(|other| **other != path);
    Ok(Root {
        path: path.to_owned(),
        others: others.map(|other| (*other).to_owned()).collect(),
    })
}

/// The files that no other file includes, by name: the parts of a paper whose root document is not among them. All of them if
/// they include each other in a cycle. Files with a class that do not begin a document are left out if there are others: they are
/// preambles without text.
pub fn free_files<P: AsRef<str>, T: AsRef<str>>(files: &[(P, T)]) -> Vec<String> {
    let mut all = facts(files);
    let is_part = |facts: &Facts| facts.class.is_none() || facts.begins;
    if all.values().any(is_part) {
        all.retain(|_, facts| is_part(facts));
    }
    let names: Vec<&str> = all.keys().map(String::as_str).collect();
    let free = free(&names, &links(&all).0);
    free.into_iter().map(str::to_owned).collect()
}

/// For each file, the files that it is linked to.
type Links<'n> = BTreeMap<&'n str, Vec<&'n str>>;

/// The files that links lead to, directly or through files that `into` allows.
fn reached<'n>(
    links: &Links<'n>,
    mut open: Vec<&'n str>,
    into: impl Fn(&str) -> bool,
) -> BTreeSet<&'n str> {
    let mut found = BTreeSet::new();
    while let Some(name) = open.pop() {
        let next = links.get(name).into_iter().flatten();
        open.extend(next.filter(|next| into(next) && found.insert(**next)));
    }
    found
}

/// The names that no other of them includes, directly or through other files; all of them if there is none.
fn free<'n>(all: &[&'n str], parts: &Links<'n>) -> Vec<&'n str> {
    let included = reached(parts, all.to_vec(), |_| true);
    let free = all.iter().filter(|name| !included.contains(*name)).copied();
    let free: Vec<_> = free.collect();
    if free.is_empty() { all.to_vec() } else { free }
}

fn facts<P: AsRef<str>, T: AsRef<str>>(files: &[(P, T)]) -> BTreeMap<String, Facts> {
    let facts = files.iter().map(|(name, text)| {
        let name = path::normalise(name.as_ref());
        let facts = Facts::of(&name, text.as_ref());
        (name, facts)
    });
    facts.collect()
}

/// Two maps: from each file to those that it includes, and to those that include it.
fn links(all: &BTreeMap<String, Facts>) -> (Links<'_>, Links<'_>) {
    let (mut parts, mut includers) = (Links::new(), Links::new());
    for (name, facts) in all {
        // TeX looks below the root document's folder, which is that of the file or one above it.
        let above = std::iter::successors(Some(path::parent(name)), |dir| {
            (!dir.is_empty()).then(|| path::parent(dir))
        });
        for base in above.take(MAX_BASES).chain(std::iter::once("")) {
            let files = facts
                .targets
                .iter()
                .flat_map(|target| path::tex_candidates(target));
            for file in files {
                let part = all.get_key_value(&path::join(base, &file));
                if let Some((part, _)) = part.filter(|(part, _)| *part != name) {
                    parts.entry(name).or_default().push(part);
                    includers.entry(part).or_default().push(name);
                }
            }
        }
    }
    (parts, includers)
}

/// The only item; `None` if there are none or several.
pub(crate) fn only<T>(all: impl IntoIterator<Item = T>) -> Option<T> {
    let mut all = all.into_iter();
    all.next().filter(|_| all.next().is_none())
}

fn choose<'n>(free: &[&'n str]) -> Result<&'n str, RootError> {
    let named = |of: fn(&str) -> &str| {
        let mut names = PREFERRED.iter();
        names.find_map(|name| only(free.iter().filter(|path| of(path) == *name)))
    };
    let found = only(free).or_else(|| named(|path| path));
    let found = found.or_else(|| named(path::file_name)).copied();
    found.ok_or_else(|| match free {
        [] => RootError::None,
        _ => RootError::Several {
            candidates: free.iter().map(|path| (*path).to_owned()).collect(),
        },
    })
}

/// Most folders above a file in which its includes are looked up.
const MAX_BASES: usize = 16;

/// What the choice needs to know of one file.
#[derive(Default)]
struct Facts {
    class: Option<String>,
    begins: bool,
    ends: bool,
    /// The root document that a comment names.
    hint: Option<String>,
    targets: Vec<String>,
}

/// `% !TEX root = ../main.tex`
static HINT: LazyLock<Regex> =
    LazyLock::new(|| compiled(r"(?i)%\s*!\s*tex\s+root\s*=\s*(\S.*?)\s*$"));

/// A command that the choice depends on, with its argument in braces after an optional one, or in the primitive form, `\input file`.
/// Options hold no brackets, so that no text is looked through twice.
static COMMAND: LazyLock<Regex> = LazyLock::new(|| {
    const BLANK: &str = r"(?-u:\b)(?:\s|%[^\r\n]*[\r\n])*(?:\[[^\[\]]*\]\s*)?";
    compiled(&format!(
        r"\\(?:(begin|end){BLANK}\{{\s*document\s*\}}|(documentclass|input|include|subfile|subfileinclude){BLANK}(?:\{{([^{{}}\\]*)\}}|([^\s\\\[\]{{}}%]+)))",
    ))
});

pub(crate) fn compiled(pattern: &str) -> Regex {
    match Regex::new(pattern) {
        Ok(regex) => regex,
        Err(error) => unreachable!("a pattern of this crate: {error}"),
    }
}

impl Facts {
    fn of(name: &str, text: &str) -> Self {
        let lines = text.lines().take(HINT_LINES);
        let mut hints = lines.filter_map(|line| HINT.captures(line)?.get(1));
        let mut facts = Self {
            hint: (hints.next()).map(|hint| path::join(path::parent(name), hint.as_str())),
            ..Self::default()
        };
        let mut from = 0;
        while let Some(found) = COMMAND.captures_at(text, from)
            && let Some(whole) = found.get(0)
        {
            let before = text.get(from..whole.start()).unwrap_or("");
            let line = before.rsplit(['\r', '\n']).next().unwrap_or("");
            from = whole.end();
            if let Some(sign) = hiding(line) {
                // A comment goes on to the end of its line, a line break to the backslash.
                let rest = text.get(whole.start()..).unwrap_or("");
                let comment = || rest.find(['\r', '\n']).unwrap_or(rest.len());
                from = whole.start() + if sign == b'%' { comment() } else { 1 };
                continue;
            }
            let argument = found.get(3).or(found.get(4));
            let argument = argument.map_or("", |found| found.as_str().trim());
            let command = found.get(1).or(found.get(2));
            match command.map_or("", |name| name.as_str()) {
                "begin" => facts.begins = true,
                "end" => facts.ends = true,
                "documentclass" => facts.class = facts.class.or(Some(argument.to_owned())),
                _ => facts.targets.push(argument.to_owned()),
            }
        }
        facts
    }
}

/// The character in `line` that hides a command right after it: a comment sign, or a backslash at the end.
pub(crate) fn hiding(line: &str) -> Option<u8> {
    let mut bytes = line.bytes();
    while let Some(byte) = bytes.next() {
        if byte == b'%' || byte == b'\\' && bytes.next().is_none() {
            return Some(byte);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    type Case<'a> = (&'a [(&'a str, &'a str)], Result<String, RootError>);

    const DOC: &str = "\\documentclass{article}\n\\begin{document}x\\end{document}";

    #[test]
    fn chooses_the_root() {
        let sub = "\\documentclass[../main.tex]{subfiles}\\begin{document}\\end{document}";
        let child = "\\documentclass{article}\\begin{document}\\end{document}";
        let parent = "\\documentclass{article}\\begin{document}\\input{part}\\end{document}";
        let several = |names: &[&str]| {
            Err(RootError::Several {
                candidates: names.iter().map(|n| (*n).into()).collect(),
            })
        };
        let cases: &[Case<'_>] = &[
            (&[("a.tex", DOC)], Ok("a.tex".into())),
            (&[("a.tex", DOC), ("b.tex", "text")], Ok("a.tex".into())),
            (
                &[("a.tex", DOC), ("b.tex", DOC)],
                several(&["a.tex", "b.tex"]),
            ),
            (
                &[("a.tex", DOC), ("main.tex", DOC), ("ms.tex", DOC)],
                Ok("main.tex".into()),
            ),
            (&[("a.tex", DOC), ("ms.tex", DOC)], Ok("ms.tex".into())),
            (
                &[("a.tex", DOC), ("sub/ms.tex", DOC)],
                Ok("sub/ms.tex".into()),
            ),
            (
                &[("a/ms.tex", DOC), ("b/ms.tex", DOC)],
                several(&["a/ms.tex", "b/ms.tex"]),
            ),
            (
                &[("x.tex", parent), ("part.tex", child)],
                Ok("x.tex".into()),
            ),
            (&[("main.tex", sub), ("x.tex", DOC)], Ok("x.tex".into())),
            (
                &[("a.tex", "% \\documentclass{article}\n\\begin{document}")],
                Err(RootError::None),
            ),
            (
                &[("a.tex", "\\documentclass{article}\n%\\begin{document}")],
                Err(RootError::None),
            ),
            (
                &[("a.tex", "\\documentclass{article} 5\\% \\begin{document}")],
                Ok("a.tex".into()),
            ),
            (
                &[
                    ("a.tex", DOC),
                    ("b.tex", DOC),
                    ("s/c.tex", "% !TEX root = ../b.tex\nhi"),
                ],
                Ok("b.tex".into()),
            ),
            (&[], Err(RootError::None)),
            // Two wrappers of a paper whose text is in a file of its own.
            (
                &[
                    ("anon.tex", "\\def\\anonymous{1}\\input{paper}"),
                    ("body.tex", "\\begin{document}\\end{document}"),
                    ("paper.tex", "\\documentclass{article}\\input{body}"),
                    ("print.tex", "\\input{paper}"),
                ],
                Ok("paper.tex".into()),
            ),
            // A wrapper of the paper beside another document; a paper that one file begins and another one ends.
            (
                &[
                    ("cover.tex", DOC),
                    ("main.tex", DOC),
                    ("print.tex", "\\input{main}"),
                ],
                Ok("main.tex".into()),
            ),
            (
                &[
                    ("foot.tex", "\\end{document}"),
                    ("head.tex", "\\documentclass{article}\\begin{document}"),
                    ("text.tex", "\\input{head}text\\input{foot}"),
                ],
                Ok("text.tex".into()),
            ),
            // The preamble, or the body, in a file of its own; a wrapper around a whole document.
            (
                &[
                    ("a/main.tex", "\\input{pre/amble}\\begin{document}"),
                    ("a/pre/amble.tex", "\\input{pre/class}"),
                    ("a/pre/class.tex", "\\documentclass{article}"),
                ],
                Ok("a/main.tex".into()),
            ),
            (
                &[
                    ("m.tex", "\\documentclass{article}\\input{body}"),
                    ("body.tex", "\\begin{document}"),
                    ("macros.tex", "\\input{m}"),
                ],
                Ok("m.tex".into()),
            ),
            // The preamble with its `\begin{document}` in a file of its own.
            (
                &[
                    ("m.tex", "\\input{pre}text\\end{document}"),
                    ("pre.tex", "\\documentclass{article}\\begin{document}"),
                ],
                Ok("m.tex".into()),
            ),
            (
                &[("x.tex", "\\input{paper}"), ("paper.tex", DOC)],
                Ok("paper.tex".into()),
            ),
            (
                &[
                    ("a.tex", "\\input{b}\\begin{document}"),
                    ("b.tex", "\\input{a}"),
                ],
                Err(RootError::None),
            ),
            (
                &[
                    ("fig.tex", "\\input{p}\\begin{document}"),
                    ("p.tex", "\\documentclass{standalone}"),
                    ("x.tex", DOC),
                ],
                Ok("x.tex".into()),
            ),
            // A comment hides up to the end of its line, a line break the word behind it; an escaped percent sign hides nothing.
            (
                &[
                    (
                        "a.tex",
                        "% \\input{b}\n\\documentclass{article}\\begin{document}",
                    ),
                    ("b.tex", DOC),
                ],
                several(&["a.tex", "b.tex"]),
            ),
            (
                &[
                    ("a.tex", "5 \\% \\input{b}"),
                    ("b.tex", "\\\\input{a}"),
                    ("c.tex", DOC),
                ],
                Ok("c.tex".into()),
            ),
            (
                &[("a.tex", "\\\\documentclass{article}\\begin{document}")],
                Err(RootError::None),
            ),
            (
                &[(
                    "a.tex",
                    "5 \\% \\documentclass{article}\\\\\\begin{document}",
                )],
                Ok("a.tex".into()),
            ),
        ];
        for (files, expected) in cases {
            let found = find_root(files).map(|root| root.path);
            assert_eq!(&found, expected, "{files:?}");
        }
    }

    #[test]
    fn hostile_text_is_searched_once() {
        for opener in [
            "\\input{",
            "\\input[",
            "\\documentclass[",
            "\\begin{",
            "\\input a",
            "% \\input{a}",
            "\\\\input{a}",
        ] {
            let text = opener.repeat(200_000) + "\n" + DOC;
            let found = find_root(&[("a.tex", text.as_str())]);
            assert_eq!(
                found.map(|root| root.path),
                Ok("a.tex".to_owned()),
                "{opener}"
            );
        }
    }

    proptest::proptest! {
        #[test]
        fn never_panics(text in "(\\\\documentclass|\\\\input|[\\[\\]{}%!\\\\ a-z\n=é])*") {
            drop(find_root(&[("a.tex", text.as_str())]));
        }
    }
}
