//! Rules for inputs, classes of variables, and tiers of `resume`.

use super::{Findings, Id, Scope};
use std::collections::BTreeSet;

use crate::model::{Class, Ingredient};
use aris_yaml::Kind;

pub(super) fn check(scope: &Scope<'_>, out: &mut Findings) {
    for ingredient in &scope.recipe.ingredients {
        default(ingredient, out);
    }
    for (_, facts) in scope.steps() {
        let step = facts.step;
        let Some(gate) = step.gate.as_ref().filter(|_| step.sub_recipe.is_some()) else {
            continue;
        };
        if scope.recipe.ingredient(gate).is_some_and(|one| !one.hidden) {
            let message = format!(
                "input `{}` switches a sub-recipe on; hide it (hidden: true), so that it is not offered as a choice",
                gate.text
            );
            out.step(Id::GateNotHidden, step, message)
                .place("gate", gate.line);
        }
    }
    classes(scope, out);
    tiers(scope, out);
}

fn default(ingredient: &Ingredient, out: &mut Findings) {
    let Some(node) = &ingredient.written else {
        return;
    };
    let name = &ingredient.name.text;
    let mut tell = |rule, message: String| {
        let field = format!("ingredients.{name}.default");
        out.file(rule, node.line, message).field = Some(field);
    };
    if !matches!(node.kind(), Some(Kind::Text(_))) {
        let message = format!(
            "the default of input `{name}` is {}; inputs are texts, so put it in quotes",
            node.noun()
        );
        tell(Id::IngredientDefaultType, message);
    }
    let default = ingredient.default.as_deref().unwrap_or_default();
    if ingredient.secret && !default.is_empty() && !crate::model::is_place(default) {
        let message = format!(
            "the default of the secret input `{name}` is written out; write env:VARIABLE or file:PATH"
        );
        tell(Id::SecretDefault, message);
    }
    if !ingredient.values.is_empty() && !ingredient.values.iter().any(|value| value == default) {
        let message = format!(
            "the default `{default}` of input `{name}` is none of {}",
            ingredient.values.join(", ")
        );
        tell(Id::IngredientEnum, message);
    }
}

fn classes(scope: &Scope<'_>, out: &mut Findings) {
    for declaration in &scope.recipe.state {
        let name = &declaration.variable;
        let Some(class) = declaration.class else {
            continue;
        };
        let producers = scope.producers.get(&**name);
        let producer = producers.and_then(|steps| steps.first());
        match (class, producer) {
            (Class::InitOnly | Class::Derived, Some(at)) => {
                let step = scope.step(*at);
                let message = format!(
                    "`{}` is {class}, which no step may write, and this step captures it",
                    name.text
                );
                let finding = out.step(Id::ClassConflict, step, message);
                let mut captures = step.captures();
                if let Some(capture) = captures.find(|one| one.variable.text == name.text) {
                    finding.place(&capture.field, capture.variable.line);
                }
            }
            (Class::Derived, None) | (_, Some(_)) => {}
            (Class::InitOnly, None) if scope.inputs.contains(&**name) => {}
            (_, None) => {
                let near = scope.near_variable(name);
                let message = format!("no step captures `{}`{near}", name.text);
                out.file(Id::ClassConflict, name.line, message).field =
                    Some(format!("state.{}", name.text));
            }
        }
    }
}

fn tiers(scope: &Scope<'_>, out: &mut Findings) {
    let mut seen = BTreeSet::new();
    for (at, tier) in scope.recipe.resume.iter().enumerate() {
        let (start, present) = (&tier.start, &tier.present);
        let mut tell = |rule, line, message: String| {
            out.file(rule, line, message).field = Some(format!("resume[{at}]"));
        };
        if scope.recipe.step(start).is_none() {
            let message = format!(
                "the tier starts at `{}`, and there is no such step{}",
                start.text,
                scope.near_step(start, None)
            );
            tell(Id::ResumeTargetUnknown, start.line, message);
        }
        if let Some(number) = tier.tier.filter(|number| !seen.insert(*number)) {
            let message = format!(
                "two tiers have the number {number}; the highest is tried first, so no two may be alike"
            );
            tell(Id::ResumeTargetUnknown, tier.line, message);
        }
        if !scope.producers.contains_key(&**present) {
            let message = format!(
                "the tier looks at `{}`, which no step captures{}",
                present.text,
                scope.near_variable(present)
            );
            tell(Id::ResumeVariableUncaptured, present.line, message);
        }
    }
}
