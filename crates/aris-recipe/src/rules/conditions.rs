//! Conditions and templates: whether they can be read, what they read, which branches are ever taken.

use super::findings::Findings;
use super::scope::Scope;
use crate::expression::{Expression, FILTERS, Namespace, Reference};
use crate::finding::Severity;
use crate::model::{OnResult, Step};
use crate::near::nearest;
use crate::rules::Id;
use crate::template::Template;
use aris_yaml::Text;

pub(super) fn check(scope: &Scope<'_>, out: &mut Findings) {
    for (_, facts) in scope.steps() {
        let step = facts.step;
        readable(step, out);
        for (key, template) in &facts.with {
            templated(step, &format!("with.{}", key.text), key.line, template, out);
        }
        for (key, captures) in [
            ("capture", &step.capture),
            ("capture_list", &step.capture_list),
        ] {
            for capture in captures {
                let field = format!("{key}.{}", capture.variable.text);
                filters(
                    step,
                    &field,
                    capture.value.line,
                    capture.template.references(),
                    out,
                );
            }
        }
        for (branch, text, expression) in step.conditions() {
            let field = format!("on_result[{branch}]");
            filters(
                step,
                &field,
                text.line,
                expression.references().into_iter(),
                out,
            );
            for reference in expression.references() {
                declared(
                    scope,
                    Id::UndeclaredRefInWhen,
                    step,
                    &field,
                    text.line,
                    reference,
                    out,
                );
            }
        }
        if let Some(message) = &step.message {
            said(scope, step, message, out);
        }
        branches(step, out);
    }
}

/// Conditions that cannot be read. One that is no text would count as a default.
fn readable(step: &Step, out: &mut Findings) {
    let Some(OnResult::List(branches)) = &step.on_result else {
        return;
    };
    for (at, branch) in branches.iter().enumerate() {
        if let Some(condition) = &branch.when
            && let Err(error) = &condition.parsed
        {
            let message = format!(
                "the condition `{}` cannot be read: {error}",
                condition.text.text
            );
            let field = format!("on_result[{at}]");
            out.text(Id::BadWhenExpression, step, field, &condition.text, message);
        }
    }
}

fn templated(step: &Step, field: &str, line: u32, template: &Template, out: &mut Findings) {
    filters(step, field, line, template.references(), out);
    for (text, error) in &template.problems {
        let message = format!("`${{{{{text}}}}}` cannot be read and stays as it is: {error}");
        out.field(Id::BadWhenExpression, step, field, line, message)
            .severity = Severity::Warning;
    }
}

fn filters<'r>(
    step: &Step,
    field: &str,
    line: u32,
    references: impl Iterator<Item = &'r Reference>,
    out: &mut Findings,
) {
    for filter in references
        .flat_map(|reference| &reference.filters)
        .filter(|filter| !filter.is_known())
    {
        let message = if FILTERS.contains(&filter.name.as_str()) {
            format!(
                "filter `{}` is written like this: {}",
                filter.name,
                if filter.name == "default" {
                    "default('x')"
                } else {
                    &filter.name
                }
            )
        } else {
            format!(
                "there is no filter `{}`{}",
                filter.name,
                nearest(&filter.name, FILTERS.into_iter())
            )
        };
        out.field(Id::UnknownFilter, step, field, line, message);
    }
}

/// Whether what a reference reads exists. Steps of a sub-recipe that is not placed yet may capture anything.
fn declared(
    scope: &Scope<'_>,
    rule: Id,
    step: &Step,
    field: &str,
    line: u32,
    reference: &Reference,
    out: &mut Findings,
) {
    let name = reference.name();
    let near = match reference.namespace {
        Namespace::Inputs if !scope.inputs.contains(name) => {
            nearest(name, scope.inputs.iter().copied())
        }
        Namespace::Context
            if !scope.producers.contains_key(name)
                && !scope.recipe.elsewhere.contains(name)
                && !step
                    .optional_context_refs
                    .iter()
                    .any(|optional| optional.text == name) =>
        {
            nearest(name, scope.producers.keys().copied())
        }
        _ => return,
    };
    let what = if reference.namespace == Namespace::Inputs {
        "is no input of this recipe"
    } else {
        "is captured by no step"
    };
    out.field(
        rule,
        step,
        field,
        line,
        format!("`{reference}` {what}{near}"),
    );
}

fn said(scope: &Scope<'_>, step: &Step, message: &Text, out: &mut Findings) {
    let template = Template::parse(&message.text);
    templated(step, "message", message.line, &template, out);
    for reference in template.references() {
        declared(
            scope,
            Id::UndeclaredRefInMessage,
            step,
            "message",
            message.line,
            reference,
            out,
        );
    }
}

/// Branches behind a default or an equal condition, and lists without a default.
fn branches(step: &Step, out: &mut Findings) {
    let Some(OnResult::List(branches)) = &step.on_result else {
        return;
    };
    let mut seen: std::collections::BTreeSet<&Expression> = std::collections::BTreeSet::new();
    let mut default = false;
    for (at, branch) in branches.iter().enumerate() {
        let field = format!("on_result[{at}]");
        let expression = branch
            .when
            .as_ref()
            .and_then(|condition| condition.parsed.as_ref().ok());
        if default {
            let message = "the branch stands behind a default and is never taken";
            out.field(Id::ShadowedCondition, step, field, branch.line, message);
        } else if expression.is_some_and(|expression| !seen.insert(expression)) {
            let message = "the branch has the condition of an earlier one and is never taken";
            out.field(Id::ShadowedCondition, step, field, branch.line, message);
        }
        // What cannot be read is no default, whatever it was meant to be.
        let unreadable = branch.when.is_none() && !branch.is_open;
        default |= branch.is_default() && !unreadable;
    }
    if !default && !branches.is_empty() {
        let message = "no branch is a default: a result that fits none of them counts as a failure";
        out.field(
            Id::OnResultNoDefault,
            step,
            "on_result",
            branches.last().map_or(0, |branch| branch.line),
            message,
        );
    }
}
