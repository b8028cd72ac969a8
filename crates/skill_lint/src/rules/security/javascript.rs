//! Dangerous calls in JavaScript and TypeScript: SR403 (`exec` of `child_process`), SR404 (`eval`, `new Function`).

use std::collections::BTreeSet;

use crate::code::Hit;
use crate::code::javascript::{Kind, Script, Token};

/// Most tokens that are searched for the parts of one construct: names of an import, arguments of a call.
const WINDOW: usize = 300;

/// The word for a literal that names the module.
const MODULE: &str = "\"child_process\"";

/// The dangerous calls of a script.
pub(crate) fn hits(script: &Script<'_>) -> Vec<Hit> {
    let mut hits = Vec::new();
    let words = words(script);
    let bound = Bound::of(&words);
    for (index, token) in script.tokens.iter().enumerate() {
        let at = token.range.start;
        let (before, here) = words.split_at(index);
        if let Some(open) = bound.call(before, here)
            && is_computed(script, index + open)
        {
            let message = "a shell runs a command that is put together";
            hits.push(Hit::new("SR403", at, message));
        }
        match (before, here) {
            ([.., "." | "function"], _) => {}
            (_, ["eval", "(", ..]) if !is_definition(here) => {
                hits.push(Hit::new("SR404", at, "eval runs a text as code"));
            }
            (_, ["new", "Function", "(", ..]) => {
                hits.push(Hit::new("SR404", at, "new Function runs a text as code"));
            }
            _ => {}
        }
    }
    hits
}

/// Names and punctuation as text. A literal becomes a fixed word, which says only whether it names the module.
fn words<'a>(script: &Script<'a>) -> Vec<&'a str> {
    let word = |(at, token): (usize, &Token)| match token.kind {
        Kind::Name | Kind::Mark(_) => script.raw(at),
        _ => match script.string(at) {
            Some("child_process" | "node:child_process") => MODULE,
            _ => "\"\"",
        },
    };
    script.tokens.iter().enumerate().map(word).collect()
}

/// The last words of a list, at most [`WINDOW`].
fn near<'w, 'a>(words: &'w [&'a str]) -> &'w [&'a str] {
    words
        .get(words.len().saturating_sub(WINDOW)..)
        .unwrap_or_default()
}

fn is_name(word: &str) -> bool {
    word.starts_with(|c: char| c.is_alphabetic() || matches!(c, '_' | '$'))
}

fn is_exec(word: &str) -> bool {
    matches!(word, "exec" | "execSync")
}

/// Names in this file for `child_process` and its functions.
#[derive(Default)]
struct Bound<'a> {
    modules: BTreeSet<&'a str>,
    functions: BTreeSet<&'a str>,
}

impl<'a> Bound<'a> {
    fn of(words: &[&'a str]) -> Self {
        let mut bound = Self::default();
        let modules = words.iter().enumerate();
        for (at, _) in modules.filter(|(_, word)| **word == MODULE) {
            let (before, here) = words.split_at(at);
            match before {
                [names @ .., "from"] => {
                    // `import … from`: take the names between.
                    let names = near(names);
                    if let Some(first) = names.iter().rposition(|word| *word == "import") {
                        bound.names(names.get(first + 1..).unwrap_or_default());
                    }
                }
                [left @ .., "require" | "import", "("] => bound.assigned(left, here),
                _ => {}
            }
        }
        bound
    }

    /// `… = require("child_process")`: `left` is what comes before, `here` begins at the literal.
    fn assigned(&mut self, left: &[&'a str], here: &[&'a str]) {
        let mut left = left;
        while let [rest @ .., "await" | "("] = left {
            left = rest;
        }
        match (left, here) {
            // Called immediately, not assigned.
            (_, [_, _, ".", name, "(", ..]) if is_exec(name) => {}
            ([.., name, "="], [_, _, ".", function, ..]) if is_name(name) && is_exec(function) => {
                self.functions.insert(name);
            }
            ([.., name, "="], _) if is_name(name) && here.get(2) != Some(&".") => {
                self.modules.insert(name);
            }
            ([names @ .., "}", "="], _) => {
                let names = near(names);
                if let Some(open) = names.iter().rposition(|word| *word == "{") {
                    self.names(names.get(open..).unwrap_or_default());
                }
            }
            _ => {}
        }
    }

    /// The names in a list: `cp`, `* as cp`, `{ exec, execSync as run }`, `{ exec: run }`.
    fn names(&mut self, list: &[&'a str]) {
        let (modules, functions) = match list.iter().position(|word| *word == "{") {
            Some(open) => list.split_at(open),
            None => (list, [].as_slice()),
        };
        let named = |word: &&str| is_name(word) && !matches!(*word, "as" | "type");
        self.modules.extend(modules.iter().copied().filter(named));
        for item in functions.split(|word| matches!(*word, "{" | "," | "}")) {
            // The function's own name comes before `as` or `:`.
            let item = item.strip_prefix(&["type"]).unwrap_or(item);
            match item {
                [function, "as" | ":", name, ..]
                | [function @ name]
                | [function @ name, "=", ..]
                    if is_exec(function) =>
                {
                    self.functions.insert(name);
                }
                _ => {}
            }
        }
    }

    /// When a call of `exec` or `execSync` starts at the first of the words `here`: index of its opening parenthesis.
    fn call(&self, before: &[&str], here: &[&str]) -> Option<usize> {
        match (before, here) {
            ([.., "require" | "import", "(", MODULE, ")", "."], [name, "(", ..])
                if is_exec(name) =>
            {
                Some(1)
            }
            ([.., "."], _) => None,
            ([.., "function"], [name, "(", ..]) if self.functions.contains(name) => None,
            (_, [name, "(", ..]) if self.functions.contains(name) => Some(1),
            (_, [module, ".", name, "(", ..]) if self.modules.contains(module) && is_exec(name) => {
                Some(3)
            }
            _ => None,
        }
    }
}

/// Whether the first argument is a template with substitutions, a concatenation with a part that is not a literal, or a bare
/// variable.
fn is_computed(script: &Script<'_>, open: usize) -> bool {
    let mut level = 0_usize;
    let mut plus = false;
    let mut literals_only = true;
    let mut parts = 0_usize;
    let mut names = 0_usize;
    let mut inside_until = 0_usize;
    for at in open + 1..(open + WINDOW).min(script.tokens.len()) {
        let Some(token) = script.tokens.get(at) else {
            break;
        };
        // Skip the tokens inside a template's substitutions.
        if token.range.start < inside_until {
            continue;
        }
        match token.kind {
            Kind::Mark(b'(' | b'[' | b'{') => level += 1,
            Kind::Mark(b')' | b']' | b'}') if level > 0 => level -= 1,
            Kind::Mark(b')') => break,
            Kind::Mark(b',') if level == 0 => break,
            _ => {}
        }
        if level > 0 {
            literals_only = false;
            parts += 1;
            continue;
        }
        match token.kind {
            Kind::Template => {
                inside_until = token.range.end;
                if parts == 0 || plus {
                    return true;
                }
                literals_only = false;
            }
            Kind::Mark(b'+') => plus = true,
            Kind::Text | Kind::Number => {}
            Kind::Name => {
                names += 1;
                literals_only = false;
            }
            _ => literals_only = false,
        }
        parts += 1;
    }
    (plus && !literals_only) || (parts == 1 && names == 1)
}

/// Whether the parentheses belong to a method definition, that is whether `{` follows them.
fn is_definition(words: &[&str]) -> bool {
    let mut level = 0_usize;
    for (at, word) in words.iter().enumerate().take(WINDOW) {
        match *word {
            "(" => level += 1,
            ")" if level <= 1 => return words.get(at + 1) == Some(&"{"),
            ")" => level -= 1,
            _ => {}
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn rules(source: &str) -> Vec<&'static str> {
        hits(&Script::read(source))
            .iter()
            .map(|hit| hit.rule)
            .collect()
    }

    #[test]
    fn shells_are_those_of_child_process() {
        let import = "import { exec, execSync as run } from 'node:child_process';\n";
        for (source, expected) in [
            (format!("{import}exec(`ls ${{x}}`)"), 1),
            (format!("{import}run('ls ' + x, done)"), 1),
            (format!("{import}exec(command, done)"), 1),
            (format!("{import}exec('ls', done)"), 0),
            (format!("{import}exec(`ls`)"), 0),
            (format!("{import}exec('a' + 'b')"), 0),
            (format!("{import}exec(build(x))"), 0),
            (format!("{import}execSync(x)"), 0),
            (format!("{import}/a/.exec(x); re.exec(x)"), 0),
            (
                String::from("const cp = require('child_process'); cp.exec(x); cp.spawn(x)"),
                1,
            ),
            (
                String::from("const { execSync: sh } = require(\"child_process\"); sh(`a ${b}`)"),
                1,
            ),
            (String::from("require('child_process').execSync(x)"), 1),
            (
                String::from("const exec = require('child_process').exec; exec(x)"),
                1,
            ),
            (
                String::from("import * as cp from 'child_process'\ncp.execSync('a' + (b))"),
                1,
            ),
            (
                String::from("const cp = await import('node:child_process'); cp.exec(x)"),
                1,
            ),
            (String::from("exec(x)"), 0),
            (
                String::from("import { spawn } from 'child_process'; exec(x)"),
                0,
            ),
        ] {
            assert_eq!(rules(&source), vec!["SR403"; expected], "{source}");
        }
    }

    #[test]
    fn evaluation_is_that_of_the_language() {
        for (source, expected) in [
            ("eval(x)", vec!["SR404"]),
            ("f = new Function('a', b)", vec!["SR404"]),
            ("page.eval(x); // eval(y)\n'eval(z)'", vec![]),
            ("class A { eval(x) { return x } }", vec![]),
            ("if (eval(x)) { y }", vec!["SR404"]),
        ] {
            assert_eq!(rules(source), expected, "{source}");
        }
    }

    #[test]
    fn many_openings_take_linear_time() {
        rules(&format!(
            "import {{ exec }} from 'child_process';{}",
            "exec(".repeat(50_000)
        ));
        rules(&"eval(".repeat(50_000));
        rules(&"= require('child_process')".repeat(20_000));
    }

    proptest! {
        #[test]
        fn any_text_is_read(source in "(exec|eval|require|'child_process'|import|from|as|[(){}.,=+`$ ]|a){0,60}") {
            rules(&source);
        }
    }
}
