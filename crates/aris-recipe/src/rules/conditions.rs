//! Rules for conditions and templates: whether they can be read, what they read, and which branches are ever taken.

use super::{Findings, Id, Scope};
use std::collections::BTreeSet;

use crate::expression::{Expression, FILTERS, Namespace, Reference};
use crate::finding::Severity;
use crate::model::Step;
use crate::near::nearest;
use crate::template::Template;

/// Where a condition or template is.
struct Place<'a> {
    step: &'a Step,
    field: String,
    line: u32,
}

pub(super) fn check(scope: &Scope<'_>, out: &mut Findings) {
    for (_, facts) in scope.steps() {
        let step = facts.step;
        let at = |field, line| Place { step, field, line };
        readable(step, out);
        for (key, template) in &facts.with {
            templated(&at(format!("with.{}", key.text), key.line), template, out);
        }
        for capture in step.captures() {
            let place = at(capture.field.clone(), capture.value.line);
            filters(&place, capture.template.references(), out);
        }
        for (branch, text, expression) in step.conditions() {
            let place = at(format!("on_result[{branch}]"), text.line);
            filters(&place, expression.references().into_iter(), out);
            for reference in expression.references() {
                declared(scope, Id::UndeclaredRefInWhen, &place, reference, out);
            }
        }
        if let Some(message) = &step.message {
            let place = at(String::from("message"), message.line);
            let template = Template::parse(message);
            templated(&place, &template, out);
            for reference in template.references() {
                declared(scope, Id::UndeclaredRefInMessage, &place, reference, out);
            }
        }
        branches(step, out);
    }
}

/// Reports conditions that cannot be read.
fn readable(step: &Step, out: &mut Findings) {
    for (at, branch) in step.branches().iter().enumerate() {
        if let Some(condition) = &branch.when
            && let Err(error) = &condition.parsed
        {
            let message = format!(
                "the condition `{}` cannot be read: {error}",
                condition.text.text
            );
            out.step(Id::BadWhenExpression, step, message)
                .place(format!("on_result[{at}]"), condition.text.line);
        }
    }
}

fn templated(at: &Place<'_>, template: &Template, out: &mut Findings) {
    filters(at, template.references(), out);
    for (text, error) in &template.problems {
        let message = format!("`{text}` cannot be read and stays as it is: {error}");
        let finding = out.step(Id::BadWhenExpression, at.step, message);
        finding.place(&at.field, at.line).severity = Severity::Warning;
    }
}

fn filters<'r>(
    at: &Place<'_>,
    references: impl Iterator<Item = &'r Reference>,
    out: &mut Findings,
) {
    let filters = references.flat_map(|reference| &reference.filters);
    for filter in filters.filter(|filter| !filter.is_known()) {
        let name = filter.name.as_str();
        let message = match name {
            "default" => String::from("filter `default` is written like this: default('x')"),
            known if FILTERS.contains(&known) => {
                format!("filter `{known}` is written like this: {known}")
            }
            _ => {
                let near = nearest(name, FILTERS.into_iter());
                format!("there is no filter `{name}`{near}")
            }
        };
        out.step(Id::UnknownFilter, at.step, message)
            .place(&at.field, at.line);
    }
}

/// Reports a reference to something that does not exist. A sub-recipe that is not placed yet may capture its variable.
fn declared(
    scope: &Scope<'_>,
    rule: Id,
    at: &Place<'_>,
    reference: &Reference,
    out: &mut Findings,
) {
    let name = reference.name();
    let message = match reference.namespace {
        Namespace::Inputs => {
            let Some(near) = scope.no_input(name) else {
                return;
            };
            format!("`{reference}` is no input of this recipe{near}")
        }
        Namespace::Context
            if !scope.producers.contains_key(name)
                && !scope.recipe.elsewhere.contains(name)
                && !at.step.may_lack(name) =>
        {
            let near = scope.near_variable(name);
            format!("`{reference}` is captured by no step{near}")
        }
        Namespace::Context | Namespace::Result => return,
    };
    out.step(rule, at.step, message).place(&at.field, at.line);
}

/// Reports branches after a default or an equal condition, and lists without a default.
fn branches(step: &Step, out: &mut Findings) {
    let mut seen: BTreeSet<&Expression> = BTreeSet::new();
    let mut default = false;
    for (at, branch) in step.branches().iter().enumerate() {
        // A value that is given twice is a duplicate key, which another rule reports.
        let twice =
            branch.value.is_none() && branch.condition().is_some_and(|one| !seen.insert(one));
        let why = match (default, twice) {
            (true, _) => "stands behind a default",
            (false, true) => "has the condition of an earlier one",
            (false, false) => "",
        };
        if !why.is_empty() {
            let message = format!("the branch {why} and is never taken");
            out.step(Id::ShadowedCondition, step, message)
                .place(format!("on_result[{at}]"), branch.line);
        }
        // A condition that cannot be read does not make its branch a default.
        let unreadable = branch.when.is_none() && !branch.is_open;
        default |= branch.is_default() && !unreadable;
    }
    let has_default = default || step.by_field().is_some();
    if let Some(last) = step.branches().last().filter(|_| !has_default) {
        let message = "no branch is a default: a result that fits none of them counts as a failure";
        out.step(Id::OnResultNoDefault, step, message)
            .place("on_result", last.line);
    }
}
