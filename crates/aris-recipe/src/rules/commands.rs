//! Rules for commands, and for fields that only another kind of step has.

use std::sync::LazyLock;

use regex::Regex;

use aris_yaml::Text;

use super::Profile;
use super::quoting::around;
use super::scope::{argument, argument_line, captured_field};
use super::{Findings, Id, Scope};
use crate::expression::{Namespace, Reference};
use crate::finding::Severity;
use crate::model::Kind;

/// Fields of the result of every command.
const RAW_FIELDS: [&str; 3] = ["stdout", "stderr", "exit_code"];

static REDISCOVERY: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"\bfind\b.+\|[ \t]*sort\b.+\|[ \t]*(?:tail|head)\b").ok());

pub(super) fn check(scope: &Scope<'_>, out: &mut Findings) {
    for (_, facts) in scope.steps() {
        let step = facts.step;
        if let Some(model) = step.model.as_ref().filter(|_| step.kind() != Kind::Agent) {
            let message = "only agent steps have a model; here it does nothing";
            out.step(Id::ModelOnNonSkillStep, step, message)
                .place("model", model.line);
        }
        let Some(command) = argument(step, "cmd").filter(|_| step.kind() == Kind::Command) else {
            continue;
        };
        for capture in step.captures() {
            let Some(field) = captured_field(capture) else {
                continue;
            };
            if !RAW_FIELDS.contains(&field) && !echoes(command, field) {
                let message = format!(
                    "no echo or printf of the command prints `{field}=…`; if nothing else does, the capture stays empty"
                );
                let found = out.step(Id::RunCmdEmitAlignment, step, message);
                found.place(&capture.field, capture.variable.line);
                // Another program of the command may print it, so this is an error only for those who switch from the reference.
                if scope.profile != Profile::Compat {
                    found.severity = Severity::Warning;
                }
            }
        }
        let pattern = REDISCOVERY.as_ref();
        if pattern.is_some_and(|pattern| pattern.is_match(command)) {
            let message = "the command searches for a file by find, sort and head or tail; capture its path where it is made";
            out.step(Id::RunCmdFindRediscovery, step, message)
                .place("with.cmd", argument_line(step, "cmd"));
        }
        let mut told: Vec<String> = Vec::new();
        let mut tell = |key: &Text, message: String| {
            if !told.contains(&message) {
                let found = out.step(Id::ShellInterpolation, step, message.clone());
                found.at_argument(key);
                told.push(message);
            }
        };
        for (key, template) in facts.with.iter().filter(|(key, _)| key.text == "cmd") {
            for (before, reference) in template.places() {
                let last = reference.filters.last();
                let quoted = last.is_some_and(|filter| filter.name == "shq");
                let around = around(&before).filter(|_| quoted);
                if let Some(around) = around {
                    tell(
                        key,
                        exposed(&format!("${{{{ {reference} | shq }}}}"), around),
                    );
                } else if !quoted && is_foreign(scope, reference) {
                    let message = format!(
                        "text from outside becomes part of the command; write ${{{{ {reference} | shq }}}}, without quotes around it"
                    );
                    tell(key, message);
                }
            }
            for (lens, _) in &step.lenses {
                let sign = format!("{{{}}}", lens.text);
                let places = command.match_indices(&sign);
                let mut around = places.filter_map(|(at, _)| {
                    let before = command.get(..at)?;
                    around(before).filter(|_| !before.ends_with('$'))
                });
                if let Some(around) = around.next() {
                    tell(key, exposed(&sign, around));
                }
            }
        }
    }
}

fn exposed(sign: &str, around: &str) -> String {
    format!(
        "{sign} stands in {around}, where its own quotes protect nothing and its text becomes part of the command; write it as a word of its own"
    )
}

/// `echo "field=` or `printf "field=`, with either quote or none.
static ECHO: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r#"(?:^|\W)(?:echo|printf)\s+["']?([^\s"'=]+)="#).ok());

/// Whether a command prints a line `field=…`.
fn echoes(command: &str, field: &str) -> bool {
    ECHO.as_ref().is_some_and(|pattern| {
        let mut printed = pattern.captures_iter(command);
        printed.any(|found| found.get(1).is_some_and(|name| name.as_str() == field))
    })
}

/// Whether a reference brings text that people or agents wrote.
fn is_foreign(scope: &Scope<'_>, reference: &Reference) -> bool {
    match reference.namespace {
        Namespace::Inputs => true,
        Namespace::Result => false,
        Namespace::Context => {
            let mut producers = scope.producers.get(reference.name()).into_iter().flatten();
            producers.any(|at| scope.step(*at).kind() == Kind::Agent)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_for_a_known_path_is_seen() {
        let found = |command| {
            REDISCOVERY
                .as_ref()
                .is_some_and(|pattern| pattern.is_match(command))
        };
        assert!(found("D=$(find . -name 'x*' | sort | tail -1)"));
        assert!(!found("find . -name x\nls | sort | tail -1") && !found("find . | sort > list"));
    }

    #[test]
    fn echoes_are_found() {
        for (command, found) in [
            ("echo \"path=$x\"", true),
            ("true && echo path=1", true),
            ("printf 'path=%s\\n' x", true),
            ("echo \"a_path=$x\"", false),
            ("echo \"paths=1\"", false),
            ("myecho path=1", false),
            ("path=1; echo $path", false),
        ] {
            assert_eq!(echoes(command, "path"), found, "{command}");
        }
    }
}
