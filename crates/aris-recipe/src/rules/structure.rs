//! Rules for names in routes, captures and arguments: what they name exists. The shape of the file is checked while it is read.

use std::collections::BTreeSet;

use super::scope::{Facts, argument, argument_line};
use super::{Findings, Id, Scope};
use crate::expression::{Namespace, Reference};
use crate::finding::Severity;
use crate::model::{AGENT_TOOL, COMMAND_TOOL, Kind, Step, Target, Via, Written};
use crate::near::nearest;

pub(super) fn check(scope: &Scope<'_>, out: &mut Findings) {
    for (rule, fault) in &scope.recipe.faults {
        out.tell(*rule as usize, fault.clone());
    }
    let mut captured: BTreeSet<&str> = BTreeSet::new();
    for (_, facts) in scope.steps() {
        let step = facts.step;
        if step.sub_recipe.is_some() {
            gate(scope, step, out);
        } else {
            capture(step, out);
            reads(scope, facts, &captured, out);
        }
        routes(scope, step, out);
        work(scope, step, out);
        captured.extend(step.captures().map(|capture| &*capture.variable));
    }
}

/// Reports steps without a command or skill, and timeouts that are not a number of seconds.
fn work(scope: &Scope<'_>, step: &Step, out: &mut Findings) {
    if step.failed && !step.is_stop() {
        let message = "nothing reads the key `failed` here; it says of a stop that a run which ends there has failed";
        out.step(Id::UnknownKey, step, message).field = Some(String::from("failed"));
    }
    let key = match step.kind() {
        Kind::Command => "cmd",
        Kind::Agent => "skill_command",
        Kind::Tool(name) if scope.data.tools.is_none() => {
            let near = nearest(name, [COMMAND_TOOL, AGENT_TOOL].into_iter());
            if !near.is_empty() {
                let message =
                    format!("a run hands `{name}` to the program that --exec-tools names{near}");
                out.step(Id::UnknownTool, step, message).severity = Severity::Warning;
            }
            return;
        }
        _ => return,
    };
    if argument(step, key).is_none_or(|text| text.trim().is_empty()) {
        let tool = step.tool.as_deref().unwrap_or_default();
        let message = format!("{tool} without `with: {{{key}: ...}}` does nothing");
        out.step(Id::Schema, step, message)
            .place("with", argument_line(step, key));
    }
    // The value of a template is known only during the run.
    let timeout = argument(step, "timeout").filter(|text| !text.contains("${{"));
    if let Some(text) = timeout.filter(|text| text.trim().parse::<u32>().unwrap_or(0) == 0) {
        let message = format!("`timeout` is {text:?}, not a whole number of seconds from 1");
        out.step(Id::Schema, step, message)
            .place("with", argument_line(step, "timeout"));
    }
}

fn gate(scope: &Scope<'_>, step: &Step, out: &mut Findings) {
    if let Some(gate) = &step.gate
        && let Some(near) = scope.no_input(gate)
    {
        let message = format!("gate `{}` is no input of this recipe{near}", gate.text);
        out.step(Id::SubRecipeUnknownGate, step, message)
            .place("gate", gate.line);
    }
}

fn routes(scope: &Scope<'_>, step: &Step, out: &mut Findings) {
    for Written { via, field, to } in step.routes() {
        if field.starts_with("on_result") && to.trim().is_empty() {
            continue;
        }
        let message = match scope.recipe.target(to) {
            Some(Target::Step(_) | Target::Done) => continue,
            Some(Target::Escalate) if via == Via::Exhausted || scope.recipe.may_escalate => {
                continue;
            }
            Some(Target::Escalate) => format!(
                "only on_exhausted may lead to escalate, {field} may not (unless a step has that name)"
            ),
            None => {
                let near = scope.near_step(to, step.origin.as_ref());
                let to = &to.text;
                format!("{field} leads to `{to}`, and there is no such step{near}")
            }
        };
        out.step(Id::UnknownRouteTarget, step, message)
            .place(field, to.line);
    }
}

fn capture(step: &Step, out: &mut Findings) {
    if step.constant.is_some() {
        return;
    }
    for capture in step.captures() {
        let template = &capture.template;
        let foreign = |reference: &&Reference| reference.namespace != Namespace::Result;
        let (rule, message) = if let Some(reference) = template.references().find(foreign) {
            let message = format!("the capture reads `{reference}`; it can read result.* only");
            (Id::CaptureWrongNamespace, message)
        } else if let Some((text, error)) = template.problems.first() {
            let message =
                format!("the capture reads `{text}`, which is no field of the result: {error}");
            (Id::CaptureWrongNamespace, message)
        } else if template.references().next().is_none() {
            let message = format!(
                "the capture reads nothing; write ${{{{ result.{} }}}}",
                capture.variable.text
            );
            (Id::CaptureNoResultRef, message)
        } else {
            continue;
        };
        out.step(rule, step, message)
            .place(&capture.field, capture.value.line);
    }
}

fn reads(scope: &Scope<'_>, facts: &Facts<'_>, captured: &BTreeSet<&str>, out: &mut Findings) {
    let step = facts.step;
    for (key, reference) in facts.reads(Namespace::Inputs) {
        let name = reference.name();
        if let Some(near) = scope.no_input(name) {
            let message = format!("`{name}` is no input of this recipe{near}");
            out.step(Id::UndeclaredInputRef, step, message)
                .at_argument(key);
        }
    }
    for (key, reference) in facts.reads(Namespace::Context) {
        let name = reference.name();
        if captured.contains(name) || scope.recipe.elsewhere.contains(name) || step.may_lack(name) {
            continue;
        }
        let message = if scope.producers.contains_key(name) {
            format!(
                "`context.{name}` is captured by no earlier step of the file; if a loop brings it, list it in optional_context_refs"
            )
        } else {
            let near = scope.near_variable(name);
            format!("no step captures `context.{name}`{near}")
        };
        out.step(Id::UndeclaredContextRef, step, message)
            .at_argument(key);
    }
}
