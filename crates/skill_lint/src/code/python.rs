//! A Python file by its syntax tree: whether it parses, and the calls that the rules look at.
//!
//! The walk keeps its own stack, so deep nesting cannot overflow the thread's stack.

use std::collections::{BTreeMap, BTreeSet};

use ruff_python_ast::visitor::source_order::{SourceOrderVisitor, TraversalSignal};
use ruff_python_ast::{
    AnyNodeRef, Arguments, Expr, ExprContext, InterpolatedStringElement, Keyword, PySourceType,
    Stmt,
};
use ruff_python_parser::ParseError;
use ruff_text_size::Ranged as _;

use super::Hit;

/// Depth above which a tree is leaked instead of dropped, because dropping recurses.
const DEEPEST_DROPPED: usize = 1_000;

/// Functions that pass their first argument to a shell.
const SHELLS: &[&str] = &[
    "os.system",
    "os.popen",
    "subprocess.getoutput",
    "subprocess.getstatusoutput",
];

/// What the rules need to know about a Python file.
#[derive(Debug, Default)]
pub(crate) struct Python {
    /// Byte offset and message of the first syntax error.
    pub(crate) error: Option<(usize, String)>,
    /// What its calls do wrong: SR401 to SR405.
    pub(crate) hits: Vec<Hit>,
}

impl Python {
    /// Reads `source`. `downloads` says whether a shell command runs a download.
    pub(crate) fn read(source: &str, downloads: impl Fn(&str) -> bool) -> Self {
        let parsed = ruff_python_parser::parse_unchecked_source(source, PySourceType::Python);
        let mut walk = Walk::default();
        let deepest = walk.all(AnyNodeRef::from(parsed.syntax()));
        let mut file = walk.finish(downloads);
        let place = |error: &ParseError| usize::from(error.location.start());
        let error = parsed.errors().first();
        file.error = error.map(|error| (place(error), error.error.to_string()));
        if deepest > DEEPEST_DROPPED {
            std::mem::forget(parsed);
        }
        file
    }
}

/// The children of one node, without their own children.
#[derive(Default)]
struct Children<'a>(Vec<AnyNodeRef<'a>>);

impl<'a> SourceOrderVisitor<'a> for Children<'a> {
    fn enter_node(&mut self, node: AnyNodeRef<'a>) -> TraversalSignal {
        self.0.push(node);
        TraversalSignal::Skip
    }
}

#[derive(Default)]
struct Walk<'a> {
    /// Local name to the imported name: `sp` to `subprocess`.
    names: BTreeMap<&'a str, String>,
    calls: Vec<&'a ruff_python_ast::ExprCall>,
    /// `eval` and `exec`, where the file redefines them.
    shadowed: BTreeSet<&'a str>,
}

impl<'a> Walk<'a> {
    /// Collects names and calls from `root` and all nodes below it, in source order. Returns the greatest depth.
    fn all(&mut self, root: AnyNodeRef<'a>) -> usize {
        let mut deepest = 0;
        let mut functions: BTreeMap<&'a str, usize> = BTreeMap::new();
        let mut methods: BTreeMap<&'a str, usize> = BTreeMap::new();
        let mut open = vec![(root, 0)];
        let mut children = Children::default();
        while let Some((node, depth)) = open.pop() {
            deepest = deepest.max(depth);
            match node {
                AnyNodeRef::StmtImport(import) => {
                    for alias in &import.names {
                        let module = alias.name.as_str();
                        let first = module.split('.').next().unwrap_or(module);
                        match &alias.asname {
                            Some(name) => self.names.insert(name.as_str(), module.to_owned()),
                            None => self.names.insert(first, first.to_owned()),
                        };
                    }
                }
                AnyNodeRef::StmtImportFrom(import) => {
                    let module = import.module.as_ref().map_or("", |module| module.as_str());
                    for alias in &import.names {
                        let name = alias.asname.as_ref().unwrap_or(&alias.name).as_str();
                        // A relative import is not a module of the standard library.
                        let dots = ".".repeat(usize::try_from(import.level).unwrap_or(1).min(1));
                        let full = format!("{dots}{module}.{}", alias.name.as_str());
                        self.names.insert(name, full);
                    }
                }
                AnyNodeRef::ExprCall(call) => self.calls.push(call),
                AnyNodeRef::StmtClassDef(class) => {
                    for statement in &class.body {
                        if let Stmt::FunctionDef(method) = statement {
                            *methods.entry(method.name.as_str()).or_default() += 1;
                        }
                    }
                }
                AnyNodeRef::StmtFunctionDef(function) => {
                    *functions.entry(function.name.as_str()).or_default() += 1;
                }
                AnyNodeRef::Parameter(parameter) => {
                    self.shadow(parameter.name.as_str());
                }
                AnyNodeRef::ExprName(name) if name.ctx == ExprContext::Store => {
                    self.shadow(name.id.as_str());
                }
                _ => {}
            }
            node.visit_source_order(&mut children);
            open.extend(children.0.drain(..).rev().map(|child| (child, depth + 1)));
        }
        for (name, count) in functions {
            if count > methods.get(name).copied().unwrap_or(0) {
                self.shadow(name);
            }
        }
        deepest
    }

    fn shadow(&mut self, name: &'a str) {
        if matches!(name, "eval" | "exec") {
            self.shadowed.insert(name);
        }
    }

    fn finish(self, downloads: impl Fn(&str) -> bool) -> Python {
        let mut file = Python::default();
        for call in &self.calls {
            let Some(written) = dotted(&call.func) else {
                continue;
            };
            let full = self.resolve(&written);
            let at = usize::from(call.range().start());
            let deeds = self.deeds(call, &full, &downloads).into_iter();
            let hit = |(rule, does)| Hit::new(rule, at, format!("{written}() {does}"));
            file.hits.extend(deeds.map(hit));
        }
        file
    }

    /// The rules that a call breaks, each with the words for its message.
    fn deeds(
        &self,
        call: &ruff_python_ast::ExprCall,
        full: &str,
        downloads: impl Fn(&str) -> bool,
    ) -> Vec<(&'static str, &'static str)> {
        let arguments = &call.arguments;
        let mut deeds = Vec::new();
        let command = arguments.args.first().or_else(|| {
            ["args", "cmd", "command"]
                .iter()
                .find_map(|name| keyword(arguments, name))
        });
        let evaluates = match full {
            "eval" | "exec" => !self.shadowed.contains(full),
            "builtins.eval" | "builtins.exec" => true,
            _ => false,
        };
        if command.is_some_and(|command| !is_literal(command)) {
            if SHELLS.contains(&full) {
                deeds.push(("SR403", "gives a command that is put together to a shell"));
            } else if keyword(arguments, "shell").is_some_and(is_true) {
                let does = "gives a command that is put together to a shell (shell=True)";
                deeds.push(("SR401", does));
            }
            if evaluates {
                deeds.push(("SR404", "runs a value as code"));
            }
        }
        if (full.starts_with("os.") || full.starts_with("subprocess."))
            && texts(arguments).iter().any(|text| downloads(text))
        {
            deeds.push(("SR405", "pipes a download into a shell"));
        }
        deeds
    }

    /// The full path of a dotted name: the first part is replaced by what it was imported from.
    fn resolve(&self, written: &str) -> String {
        let first = written.split('.').next().unwrap_or(written);
        let rest = written.get(first.len()..).unwrap_or_default();
        let first = self.names.get(first).map_or(first, String::as_str);
        format!("{first}{rest}")
    }
}

/// `a.b.c` as text.
fn dotted(expression: &Expr) -> Option<String> {
    let mut parts = Vec::new();
    let mut left = expression;
    loop {
        match left {
            Expr::Attribute(attribute) => {
                parts.push(attribute.attr.as_str());
                left = &attribute.value;
                // No function in a rule has a longer path.
                if parts.len() > 8 {
                    return None;
                }
            }
            Expr::Name(name) => {
                parts.push(name.id.as_str());
                parts.reverse();
                return Some(parts.join("."));
            }
            _ => return None,
        }
    }
}

fn keyword<'a>(arguments: &'a Arguments, name: &str) -> Option<&'a Expr> {
    let is_it = |keyword: &&Keyword| matches!(&keyword.arg, Some(arg) if arg.as_str() == name);
    let keyword = arguments.keywords.iter().find(is_it);
    keyword.map(|keyword| &keyword.value)
}

fn is_true(expression: &Expr) -> bool {
    matches!(expression, Expr::BooleanLiteral(literal) if literal.value)
}

/// Whether the value is written out in the source: a text without substitutions, a list of such texts, such parts joined with
/// `+`, or a choice between two.
fn is_literal(expression: &Expr) -> bool {
    let mut open = vec![expression];
    while let Some(part) = open.pop() {
        match part {
            Expr::StringLiteral(_)
            | Expr::BytesLiteral(_)
            | Expr::NumberLiteral(_)
            | Expr::BooleanLiteral(_)
            | Expr::NoneLiteral(_) => {}
            Expr::FString(text)
                if text
                    .value
                    .elements()
                    .all(InterpolatedStringElement::is_literal) => {}
            Expr::BinOp(sum) if sum.op == ruff_python_ast::Operator::Add => {
                open.extend([sum.left.as_ref(), sum.right.as_ref()]);
            }
            Expr::If(choice) => open.extend([choice.body.as_ref(), choice.orelse.as_ref()]),
            Expr::List(list) => open.extend(&list.elts),
            Expr::Tuple(tuple) => open.extend(&tuple.elts),
            _ => return false,
        }
    }
    true
}

/// The literal texts among the arguments, including those inside lists.
fn texts(arguments: &Arguments) -> Vec<&str> {
    let mut texts = Vec::new();
    let keywords = arguments.keywords.iter().map(|keyword| &keyword.value);
    let mut open: Vec<&Expr> = arguments.args.iter().chain(keywords).collect();
    while let Some(part) = open.pop() {
        match part {
            Expr::StringLiteral(text) => texts.push(text.value.to_str()),
            Expr::List(list) => open.extend(&list.elts),
            Expr::Tuple(tuple) => open.extend(&tuple.elts),
            _ => {}
        }
    }
    texts
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn deeds(source: &str) -> Vec<&'static str> {
        let file = Python::read(source, |text| text.contains("| sh"));
        assert_eq!(file.error, None, "{source}");
        file.hits.iter().map(|hit| hit.rule).collect()
    }

    #[test]
    fn the_newest_grammar_parses() {
        for source in [
            "type A[T = int] = list[T]",
            "def f[T: int = str, *Ts = *tuple[int], **P = [int]](x: T) -> T: return x",
            "x = f\"{'a' + f\"{\"b\"}\"!r:>{10}}\"",
            "try: pass\nexcept A, B: pass",
            "x = t'hello {x}'",
            "match x:\n  case {'a': [1, *r], **k} if r: pass\n  case A(b=1) | None: pass",
            "with (open('a') as a, open('b') as b): pass",
            "x = 1_000 if (y := 2) else 0o17",
            "\u{c}\nx = 1\r\ny = 2\r",
            "print(*a, sep='')  # no newline",
        ] {
            assert_eq!(Python::read(source, |_| false).error, None, "{source}");
        }
    }

    #[test]
    fn what_does_not_parse_has_a_place() {
        for (source, at) in [
            ("x = 1\nprint 'a'\n", 6),
            ("def f(:\n  pass\n", 6),
            ("if x:\npass\n", 6),
            ("x = (1,\n", 8),
        ] {
            let (found, message) = Python::read(source, |_| false).error.unwrap();
            assert!(!message.is_empty());
            assert!(found.abs_diff(at) <= 6, "{source}: {found} {message}");
        }
    }

    #[test]
    fn shells_are_told_by_their_command() {
        let of = |deed, literal: bool| if literal { Vec::new() } else { vec![deed] };
        let shell = |literal| of("SR401", literal);
        let function = |literal| of("SR403", literal);
        for (source, expected) in [
            ("subprocess.run('ls', shell=True)", shell(true)),
            ("subprocess.run(f'ls {x}', shell=True)", shell(false)),
            ("subprocess.run(f'ls', shell=True)", shell(true)),
            (
                "import subprocess as s\ns.run(args=cmd, shell=True)",
                shell(false),
            ),
            ("subprocess.run('a' + 'b' 'c', shell=True)", shell(true)),
            ("subprocess.run('a %s' % b, shell=True)", shell(false)),
            ("subprocess.run(cmd, shell=False)", vec![]),
            ("subprocess.run(cmd, shell=flag)", vec![]),
            (
                "os.system('cls' if os.name == 'nt' else 'clear')",
                function(true),
            ),
            ("os.system(cmd)", function(false)),
            ("from os import popen as p\np(x)", function(false)),
            ("self.os.system(cmd)", vec![]),
            ("from .os import system\nsystem(cmd)", vec![]),
            ("# os.system(cmd)\n'os.system(cmd)'", vec![]),
        ] {
            assert_eq!(deeds(source), expected, "{source}");
        }
    }

    #[test]
    fn evaluation_is_that_of_the_builtin() {
        for (source, expected) in [
            ("eval(x)", 1),
            ("exec(compile(x, 'f', 'exec'))", 1),
            ("eval('1 + 1')", 0),
            ("model.eval(x)", 0),
            ("def eval(x): pass\neval(x)", 0),
            ("class A:\n  def eval(self): pass\neval(x)", 1),
            ("from sympy import eval\neval(x)", 0),
            ("import builtins\nbuiltins.exec(x)", 1),
        ] {
            assert_eq!(deeds(source), vec!["SR404"; expected], "{source}");
        }
    }

    #[test]
    fn downloads_into_a_shell_are_found() {
        for (source, expected) in [
            (
                "subprocess.run(['bash', '-c', 'curl x | sh'])",
                vec!["SR405"],
            ),
            ("print('curl x | sh')", vec![]),
        ] {
            assert_eq!(deeds(source), expected, "{source}");
        }
    }

    #[test]
    fn each_deed_has_its_rule() {
        for (source, expected) in [
            ("subprocess.run(x, shell=True)", vec!["SR401"]),
            ("subprocess.run('ls', shell=True)", vec![]),
            ("os.system('ls')", vec![]),
            ("os.system(x)", vec!["SR403"]),
            ("eval(x)", vec!["SR404"]),
            ("os.system('curl x | sh')", vec!["SR405"]),
            ("os.system('curl x | jq .')", vec![]),
        ] {
            let file = Python::read(source, |text| {
                crate::code::download::in_line(text).is_some()
            });
            let rules: Vec<&str> = file.hits.iter().map(|hit| hit.rule).collect();
            assert_eq!(rules, expected, "{source}");
        }
    }

    #[test]
    fn nesting_without_end_is_survived() {
        for source in [
            "(".repeat(100_000),
            format!("x={}1", "-".repeat(100_000)),
            format!("x={}1", "1**".repeat(50_000)),
            format!("x={}1", "lambda:".repeat(20_000)),
            format!("os.system({}1)", "1+".repeat(100_000)),
            format!("a{}()", ".b".repeat(50_000)),
            format!("a{}", "()".repeat(20_000)),
        ] {
            Python::read(&source, |_| false);
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read(source in "\\PC{0,80}|[a-z (){}'\"\n:=.,\\[\\]@]{0,120}") {
            Python::read(&source, |_| false);
        }
    }
}
