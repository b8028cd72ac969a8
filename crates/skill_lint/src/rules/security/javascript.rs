//! Dangerous calls in JavaScript and TypeScript: SR403 (`exec` of `child_process`), SR404 (`eval`, `new Function`).

use std::collections::BTreeSet;

use crate::code::Hit;
use crate::code::javascript::{Kind, Script};

/// Most tokens between two that belong together: names of an import, arguments of a call.
const WINDOW: usize = 300;

/// What the calls of a script do.
pub(crate) fn hits(script: &Script<'_>) -> Vec<Hit> {
    let mut hits = Vec::new();
    let bound = Bound::of(script);
    for index in 0..script.tokens.len() {
        let at = script
            .tokens
            .get(index)
            .map_or(0, |token| token.range.start);
        if let Some(open) = bound.call(script, index)
            && is_computed(script, open)
        {
            hits.push(Hit::new(
                "SR403",
                at,
                "a shell runs a command that is put together",
            ));
        }
        let method = index > 0 && (script.is(index - 1, ".") || script.is(index - 1, "function"));
        if script.is(index, "eval")
            && script.is(index + 1, "(")
            && !method
            && !is_definition(script, index + 1)
        {
            hits.push(Hit::new("SR404", at, "eval runs a text as code"));
        }
        if script.is(index, "new") && script.is(index + 1, "Function") && script.is(index + 2, "(")
        {
            hits.push(Hit::new("SR404", at, "new Function runs a text as code"));
        }
    }
    hits
}

/// Names that a file gives to `child_process` and its functions.
#[derive(Default)]
struct Bound<'a> {
    modules: BTreeSet<&'a str>,
    functions: BTreeSet<&'a str>,
    /// Tokens `exec` of `require("child_process").exec(`.
    direct: BTreeSet<usize>,
}

impl<'a> Bound<'a> {
    fn of(script: &Script<'a>) -> Self {
        let mut bound = Self::default();
        for index in 0..script.tokens.len() {
            if !matches!(
                script.string(index),
                Some("child_process" | "node:child_process")
            ) {
                continue;
            }
            let Some(before) = index.checked_sub(1) else {
                continue;
            };
            if script.is(before, "from") {
                bound.import(script, before);
            } else if script.is(before, "(") && before > 0 {
                bound.require(script, before - 1, index + 2);
            }
        }
        bound
    }

    /// `import … from`: the names between, backwards from `from`.
    fn import(&mut self, script: &Script<'a>, from: usize) {
        let first = (from.saturating_sub(WINDOW)..from)
            .rev()
            .find(|at| script.is(*at, "import"));
        if let Some(first) = first {
            self.names(script, first + 1, from);
        }
    }

    /// `… = require("child_process")`: `callee` is `require` or `import`, `after` the token behind the parenthesis.
    fn require(&mut self, script: &Script<'a>, callee: usize, after: usize) {
        if !(script.is(callee, "require") || script.is(callee, "import")) {
            return;
        }
        let function = script.is(after, ".") && is_exec(script.raw(after + 1));
        if function && script.is(after + 2, "(") {
            self.direct.insert(after + 1);
            return;
        }
        let mut equals = callee.saturating_sub(1);
        while equals > 0 && (script.is(equals, "await") || script.is(equals, "(")) {
            equals -= 1;
        }
        if !script.is(equals, "=") || equals == 0 {
            return;
        }
        let last = equals - 1;
        if script.kind(last) == Some(Kind::Name) {
            if function {
                self.functions.insert(script.raw(last));
            } else if !script.is(after, ".") {
                self.modules.insert(script.raw(last));
            }
            return;
        }
        let open = (equals.saturating_sub(WINDOW)..equals)
            .rev()
            .find(|at| script.is(*at, "{"));
        if let (Some(open), true) = (open, script.is(last, "}")) {
            self.names(script, open, equals);
        }
    }

    /// The names in a list: `cp`, `* as cp`, `{ exec, execSync as run }`, `{ exec: run }`.
    fn names(&mut self, script: &Script<'a>, start: usize, end: usize) {
        let mut in_braces = false;
        for at in start..end {
            if script.is(at, "{") {
                in_braces = true;
            }
            if script.kind(at) != Some(Kind::Name) || script.is(at, "as") || script.is(at, "type") {
                continue;
            }
            let renamed = at > start && (script.is(at - 1, "as") || script.is(at - 1, ":"));
            if !in_braces {
                self.modules.insert(script.raw(at));
            } else if renamed {
                // The name of the module's function stands before `as` or `:`.
                if at >= 2 && is_exec(script.raw(at - 2)) {
                    self.functions.insert(script.raw(at));
                }
            } else if is_exec(script.raw(at)) && !script.is(at + 1, "as") && !script.is(at + 1, ":")
            {
                self.functions.insert(script.raw(at));
            }
        }
    }

    /// The opening parenthesis when a call of `exec` or `execSync` starts at this token.
    fn call(&self, script: &Script<'_>, index: usize) -> Option<usize> {
        if script.kind(index) != Some(Kind::Name) {
            return None;
        }
        let name = script.raw(index);
        let after_dot = index > 0 && script.is(index - 1, ".");
        let open = if self.direct.contains(&index) {
            index + 1
        } else if after_dot {
            return None;
        } else if self.functions.contains(name) && !(index > 0 && script.is(index - 1, "function"))
        {
            index + 1
        } else if self.modules.contains(name)
            && script.is(index + 1, ".")
            && is_exec(script.raw(index + 2))
        {
            index + 3
        } else {
            return None;
        };
        script.is(open, "(").then_some(open)
    }
}

fn is_exec(name: &str) -> bool {
    matches!(name, "exec" | "execSync")
}

/// Whether the first argument is a template with substitutions, a concatenation that is not of literals only, or a bare variable.
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
        // Tokens of a template's substitutions.
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

/// Whether the parentheses are those of a method's definition: `{` follows.
fn is_definition(script: &Script<'_>, open: usize) -> bool {
    let mut level = 0_usize;
    for at in open..open + WINDOW {
        match script.kind(at) {
            Some(Kind::Mark(b'(')) => level += 1,
            Some(Kind::Mark(b')')) => {
                level = level.saturating_sub(1);
                if level == 0 {
                    return script.is(at + 1, "{");
                }
            }
            None => return false,
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
