//! What routes, captures and arguments name: it exists. The shape of the file is checked where it is read.

use crate::rules::Id;
use std::collections::BTreeSet;

use super::findings::Findings;
use super::scope::{Facts, Scope, argument, argument_line};
use crate::expression::Namespace;
use crate::finding::Severity;
use crate::model::keys::Wrong;
use crate::model::{AGENT_TOOL, COMMAND_TOOL, ESCALATE, Kind, Step, Target};
use crate::near::nearest;

pub(super) fn check(scope: &Scope<'_>, out: &mut Findings) {
    for fault in &scope.recipe.faults {
        let rule = match fault.wrong {
            Wrong::Shape => Id::Schema,
            Wrong::UnknownKey => Id::UnknownKey,
            Wrong::DuplicateKey => Id::DuplicateKey,
        };
        let finding = out.file(rule, fault.line, fault.message.clone());
        finding.column = (fault.column > 0).then_some(fault.column);
        let field = match fault.path.as_slice() {
            [top, step, field @ ..] if top == "steps" => {
                finding.step.clone_from(step);
                field
            }
            path => path,
        };
        let field = field.join(".").replace(".[", "[");
        finding.field = (!field.is_empty()).then_some(field);
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
        captured.extend(
            step.captures()
                .map(|capture| capture.variable.text.as_str()),
        );
    }
}

/// What a step that runs a command, or calls a skill, cannot do without.
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
        let tool = step.tool.as_ref().map_or("", |tool| tool.text.as_str());
        let message = format!("{tool} without `with: {{{key}: ...}}` does nothing");
        let line = argument_line(step, key);
        out.field(Id::Schema, step, "with", line, message);
    }
    // A template says only in the run how long.
    let timeout = argument(step, "timeout").filter(|text| !text.contains("${{"));
    if let Some(text) = timeout.filter(|text| text.trim().parse::<u32>().unwrap_or(0) == 0) {
        let message = format!("`timeout` is {text:?}, not a whole number of seconds from 1");
        let line = argument_line(step, "timeout");
        out.field(Id::Schema, step, "with", line, message);
    }
}

fn gate(scope: &Scope<'_>, step: &Step, out: &mut Findings) {
    if let Some(gate) = step
        .gate
        .as_ref()
        .filter(|gate| !scope.inputs.contains(gate.text.as_str()))
    {
        let near = nearest(&gate.text, scope.inputs.iter().copied());
        let message = format!("gate `{}` is no input of this recipe{near}", gate.text);
        out.text(Id::SubRecipeUnknownGate, step, "gate", gate, message);
    }
}

fn routes(scope: &Scope<'_>, step: &Step, out: &mut Findings) {
    for (field, route) in step.routes() {
        if field.starts_with("on_result") && route.text.trim().is_empty() {
            continue;
        }
        let known = match scope.recipe.target(&route.text) {
            Some(Target::Escalate) => field == "on_exhausted" || scope.recipe.may_escalate,
            Some(Target::Step(_) | Target::Done) => true,
            None => false,
        };
        if !known {
            let message = if route.text == ESCALATE {
                format!(
                    "only on_exhausted may lead to escalate, {field} may not (unless a step has that name)"
                )
            } else {
                let near = nearest(
                    &route.text,
                    scope.recipe.steps.iter().map(|step| step.name.as_str()),
                );
                format!(
                    "{field} leads to `{}`, and there is no such step{near}",
                    route.text
                )
            };
            out.text(Id::UnknownRouteTarget, step, field, route, message);
        }
    }
}

fn capture(step: &Step, out: &mut Findings) {
    if step.constant.is_some() {
        return;
    }
    for (key, list) in [
        ("capture", &step.capture),
        ("capture_list", &step.capture_list),
    ] {
        for capture in list {
            let field = format!("{key}.{}", capture.variable.text);
            let line = capture.value.line;
            let template = &capture.template;
            let foreign = template
                .references()
                .find(|reference| reference.namespace != Namespace::Result);
            if let Some(reference) = foreign {
                let message = format!("the capture reads `{reference}`; it can read result.* only");
                out.field(Id::CaptureWrongNamespace, step, field, line, message);
            } else if let Some((text, error)) = template.problems.first() {
                let message = format!(
                    "the capture reads `{}`, which is no field of the result: {error}",
                    text.trim()
                );
                out.field(Id::CaptureWrongNamespace, step, field, line, message);
            } else if template.references().next().is_none() {
                let message = format!(
                    "the capture reads nothing; write ${{{{ result.{} }}}}",
                    capture.variable.text
                );
                out.field(Id::CaptureNoResultRef, step, field, line, message);
            }
        }
    }
}

fn reads(scope: &Scope<'_>, facts: &Facts<'_>, captured: &BTreeSet<&str>, out: &mut Findings) {
    let step = facts.step;
    for (key, reference) in facts.reads(Namespace::Inputs) {
        let name = reference.name();
        if !scope.inputs.contains(name) {
            let near = nearest(name, scope.inputs.iter().copied());
            let message = format!("`{name}` is no input of this recipe{near}");
            out.field(
                Id::UndeclaredInputRef,
                step,
                format!("with.{}", key.text),
                key.line,
                message,
            );
        }
    }
    for (key, reference) in facts.reads(Namespace::Context) {
        let name = reference.name();
        let allowed = captured.contains(name)
            || scope.recipe.elsewhere.contains(name)
            || step
                .optional_context_refs
                .iter()
                .any(|optional| optional.text == name);
        if !allowed {
            let later = scope.producers.contains_key(name);
            let message = if later {
                format!(
                    "`context.{name}` is captured by no earlier step of the file; if a loop brings it, list it in optional_context_refs"
                )
            } else {
                let near = nearest(name, scope.producers.keys().copied());
                format!("no step captures `context.{name}`{near}")
            };
            out.field(
                Id::UndeclaredContextRef,
                step,
                format!("with.{}", key.text),
                key.line,
                message,
            );
        }
    }
}
