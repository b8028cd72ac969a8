//! Which file is the root document.

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    IncludeKind,
    read::{
        lexer::{self, Letters},
        names::Names,
        path,
        reader::File,
        token::{Kind, Token},
    },
};

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
    #[error("several root documents: {}; name one `main.tex` or pass its path", candidates.join(", "))]
    Several {
        /// Their paths, sorted.
        candidates: Vec<String>,
    },
}

/// Finds the root document among `(path, text)` pairs (paths '/'-separated, relative to the paper directory).
///
/// A candidate has `\documentclass` and `\begin{document}` outside comments, one of them perhaps in a file that it includes; its
/// class is not `subfiles` or `standalone`, and no other file includes it. Among several, a `% !TEX root = …` that all hints agree on wins,
/// then `main.tex`, `paper.tex`, `ms.tex` at the top, then such a name anywhere when it is the only one.
pub fn find_root<P: AsRef<str>, T: AsRef<str>>(files: &[(P, T)]) -> Result<String, RootError> {
    let all = facts(files);
    let includers = includers(&all);
    let mut hints = BTreeSet::new();
    for (name, facts) in &all {
        hints.extend(
            facts
                .hint
                .iter()
                .map(|hint| path::join(path::parent(name), hint)),
        );
    }
    // The files that have no class and get what `wanted` finds in a file through what they include.
    let inherits = |wanted: &dyn Fn(&Facts) -> bool, into: &dyn Fn(&Facts) -> bool| {
        let mut open: Vec<&str> = Vec::new();
        open.extend(
            all.iter()
                .filter(|(_, facts)| wanted(facts))
                .map(|(name, _)| name.as_str()),
        );
        let mut found = BTreeSet::new();
        while let Some(name) = open.pop() {
            for includer in includers.get(name).into_iter().flatten() {
                if all.get(*includer).is_some_and(into) && found.insert(*includer) {
                    open.push(includer);
                }
            }
        }
        found
    };
    let is_whole = |facts: &Facts| {
        let class = facts.class.as_deref();
        class.is_some_and(|class| !PART_CLASSES.contains(&class))
    };
    let classed = inherits(&is_whole, &|facts| facts.class.is_none());
    let begun = inherits(&|facts| facts.begins && facts.class.is_none(), &|_| true);
    let candidates: BTreeSet<String> = all
        .iter()
        .filter(|(name, facts)| {
            (is_whole(facts) || classed.contains(name.as_str()))
                && (facts.begins || begun.contains(name.as_str()))
                && (facts.begins || facts.class.is_some())
        })
        .map(|(name, _)| name.clone())
        .collect();
    let mut free: Vec<String> = candidates
        .iter()
        .filter(|name| !includers.contains_key(name.as_str()))
        .cloned()
        .collect();
    if free.is_empty() {
        // Something that is no document by itself includes the document.
        free.extend(candidates.iter().cloned());
    }
    let hinted: Vec<&String> = hints
        .iter()
        .filter(|hint| candidates.contains(*hint))
        .collect();
    if let [hint] = hinted.as_slice()
        && free.len() != 1
    {
        return Ok((*hint).clone());
    }
    choose(free)
}

/// The files that no other file includes, by name: the parts of a paper whose root document is not among them. All of them where
/// they include each other in a circle.
pub fn free_files<P: AsRef<str>, T: AsRef<str>>(files: &[(P, T)]) -> Vec<String> {
    let all = facts(files);
    let includers = includers(&all);
    let is_free = |name: &&String| !includers.contains_key(name.as_str());
    let free: Vec<String> = all.keys().filter(is_free).cloned().collect();
    if free.is_empty() {
        all.into_keys().collect()
    } else {
        free
    }
}

fn facts<P: AsRef<str>, T: AsRef<str>>(files: &[(P, T)]) -> BTreeMap<String, Facts> {
    files
        .iter()
        .map(|(name, text)| (path::normalise(name.as_ref()), Facts::of(text.as_ref())))
        .collect()
}

/// For each file that others include, those others.
fn includers(all: &BTreeMap<String, Facts>) -> BTreeMap<&str, Vec<&str>> {
    let mut includers: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (name, facts) in all {
        // TeX looks below the root document's folder, which is one of those above.
        let above = std::iter::successors(Some(path::parent(name)), |dir| {
            (!dir.is_empty()).then(|| path::parent(dir))
        });
        for base in above.take(MAX_BASES).chain(std::iter::once("")) {
            for target in &facts.targets {
                for full in path::tex_candidates(target).map(|file| path::join(base, &file)) {
                    if let Some((file, _)) = all.get_key_value(&full).filter(|_| full != *name) {
                        includers.entry(file).or_default().push(name);
                    }
                }
            }
        }
    }
    includers
}

fn choose(free: Vec<String>) -> Result<String, RootError> {
    if let [only] = free.as_slice() {
        return Ok(only.clone());
    }
    if free.is_empty() {
        return Err(RootError::None);
    }
    let only = |name: &str, of: fn(&str) -> &str| {
        let mut named = free.iter().filter(|path| of(path) == name);
        named.next().filter(|_| named.next().is_none()).cloned()
    };
    let at_top = PREFERRED.iter().find_map(|name| only(name, |path| path));
    let anywhere = || {
        PREFERRED
            .iter()
            .find_map(|name| only(name, path::file_name))
    };
    if let Some(found) = at_top.or_else(anywhere) {
        return Ok(found);
    }
    Err(RootError::Several { candidates: free })
}

/// Folders above a file where what it includes is looked up.
const MAX_BASES: usize = 16;

/// What the choice needs to know of one file.
#[derive(Default)]
struct Facts {
    class: Option<String>,
    begins: bool,
    hint: Option<String>,
    targets: Vec<String>,
}

impl Facts {
    fn of(text: &str) -> Self {
        let mut comments = text
            .lines()
            .take(HINT_LINES)
            .filter_map(|line| line.split_once('%'));
        let mut facts = Self {
            hint: comments.find_map(|(_, comment)| hint(comment)),
            ..Self::default()
        };
        let mut tokens = Tokens {
            text,
            file: File::new(0, text.into(), IncludeKind::Input),
            names: Names::default(),
        };
        let mut token = tokens.next();
        while token.kind != Kind::Stop {
            let Kind::Name(name) = token.kind else {
                token = tokens.next();
                continue;
            };
            let name = tokens.names.shared(name);
            let argument;
            (argument, token) = match &*name {
                "documentclass" | "begin" | "input" | "include" | "subfile" | "subfileinclude" => {
                    tokens.argument(&*name == "documentclass")
                }
                _ => (None, tokens.next()),
            };
            match &*name {
                "documentclass" => facts.class = facts.class.or(argument),
                "begin" => facts.begins |= argument.is_some_and(|env| env == "document"),
                _ => facts.targets.extend(argument),
            }
        }
        facts
    }
}

/// The tokens of a file, each looked at once.
struct Tokens<'t> {
    text: &'t str,
    file: File,
    names: Names,
}

impl Tokens<'_> {
    fn next(&mut self) -> Token {
        lexer::next(&mut self.file, Letters::default(), &mut self.names)
    }

    fn visible(&mut self) -> Token {
        let mut token = self.next();
        while token.kind == Kind::Space {
            token = self.next();
        }
        token
    }

    /// The argument in braces after an optional one in brackets, or the primitive form, `\input file`; and the token behind. Only where
    /// they `may` do options hold commands.
    fn argument(&mut self, may: bool) -> (Option<String>, Token) {
        let mut token = self.visible();
        if token.of(self.text) == "[" {
            while token.of(self.text) != "]" {
                token = self.next();
                if token.kind == Kind::Stop || matches!(token.kind, Kind::Name(_)) && !may {
                    return (None, token);
                }
            }
            token = self.visible();
        }
        let is_group = token.kind == Kind::Begin;
        if is_group {
            token = self.next();
        }
        let mut found = String::new();
        while matches!(token.kind, Kind::Word | Kind::Sub) || is_group && token.kind == Kind::Space
        {
            found.push_str(token.of(self.text));
            token = self.next();
        }
        let found = found.trim();
        let is_whole = if is_group {
            token.kind == Kind::End
        } else {
            !found.is_empty()
        };
        (is_whole.then(|| found.to_owned()), token)
    }
}

fn hint(comment: &str) -> Option<String> {
    let comment = comment.trim_start_matches('%').trim_start();
    let (words, target) = comment.strip_prefix('!')?.split_once('=')?;
    let mut words = words.split_whitespace();
    let is_hint = ["tex", "root"].iter().all(|word| {
        words
            .next()
            .is_some_and(|next| next.eq_ignore_ascii_case(word))
    });
    let target = target.trim();
    (is_hint && words.next().is_none() && !target.is_empty()).then(|| target.to_owned())
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
        ];
        for (files, expected) in cases {
            assert_eq!(&find_root(files), expected, "{files:?}");
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
        ] {
            let text = opener.repeat(200_000) + DOC;
            let wanted = if opener.contains("class") {
                Err(RootError::None)
            } else {
                Ok("a.tex".to_owned())
            };
            assert_eq!(find_root(&[("a.tex", text.as_str())]), wanted, "{opener}");
        }
    }

    proptest::proptest! {
        #[test]
        fn never_panics(text in "(\\\\documentclass|\\\\input|[\\[\\]{}%!\\\\ a-z\n=é])*") {
            drop(find_root(&[("a.tex", text.as_str())]));
        }
    }
}
