//! Inputs, classes of variables, tiers of resume.

use crate::rules::Id;
use std::collections::BTreeSet;

use super::findings::Findings;
use super::scope::Scope;
use crate::model::{Class, Ingredient};
use crate::near::nearest;
use aris_yaml::Kind;

pub(super) fn check(scope: &Scope<'_>, out: &mut Findings) {
    for ingredient in &scope.recipe.ingredients {
        default(ingredient, out);
    }
    for (_, facts) in scope.steps() {
        let gate = facts.step.sub_recipe.as_ref().and(facts.step.gate.as_ref());
        let shown = gate
            .and_then(|gate| scope.recipe.ingredient(&gate.text))
            .filter(|ingredient| !ingredient.hidden);
        if let (Some(gate), Some(_)) = (gate, shown) {
            let message = format!(
                "input `{}` switches a sub-recipe on; hide it (hidden: true), so that it is not offered as a choice",
                gate.text
            );
            out.text(Id::GateNotHidden, facts.step, "gate", gate, message);
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
    let field = format!("ingredients.{name}.default");
    if !matches!(node.kind(), Some(Kind::Text(_))) {
        let message = format!(
            "the default of input `{name}` is {}; inputs are texts, so put it in quotes",
            node.noun()
        );
        out.file(Id::IngredientDefaultType, node.line, message)
            .field = Some(field.clone());
    }
    let default = ingredient.default.as_deref().unwrap_or_default();
    if ingredient.secret && !default.is_empty() && !crate::model::is_place(default) {
        let message = format!(
            "the default of the secret input `{name}` is written out; write env:VARIABLE or file:PATH"
        );
        out.file(Id::SecretDefault, node.line, message).field = Some(field.clone());
    }
    if !ingredient.values.is_empty() && !ingredient.values.iter().any(|value| value == default) {
        let message = format!(
            "the default `{default}` of input `{name}` is none of {}",
            ingredient.values.join(", ")
        );
        out.file(Id::IngredientEnum, node.line, message).field = Some(field);
    }
}

fn classes(scope: &Scope<'_>, out: &mut Findings) {
    for declaration in &scope.recipe.state {
        let name = &declaration.variable;
        let field = format!("state.{}", name.text);
        let Some(class) = declaration.class else {
            continue;
        };
        let producer = scope
            .producers
            .get(name.text.as_str())
            .and_then(|steps| steps.first());
        let is_input = scope.inputs.contains(name.text.as_str());
        match (class, producer) {
            (Class::InitOnly | Class::Derived, Some(at)) => {
                let step = scope.step(*at);
                let capture = step
                    .captures()
                    .find(|capture| capture.variable.text == name.text);
                let line = capture.map_or(step.line, |capture| capture.variable.line);
                let message = format!(
                    "`{}` is {class}, which no step may write, and this step captures it",
                    name.text
                );
                out.field(
                    Id::ClassConflict,
                    step,
                    format!("capture.{}", name.text),
                    line,
                    message,
                );
            }
            (Class::Derived, None) | (_, Some(_)) => {}
            (Class::InitOnly, None) if is_input => {}
            (_, None) => {
                let near = nearest(&name.text, scope.producers.keys().copied());
                let message = format!("no step captures `{}`{near}", name.text);
                out.file(Id::ClassConflict, name.line, message).field = Some(field);
            }
        }
    }
}

fn tiers(scope: &Scope<'_>, out: &mut Findings) {
    let mut seen = BTreeSet::new();
    for (at, tier) in scope.recipe.resume.iter().enumerate() {
        let field = Some(format!("resume[{at}]"));
        if scope.recipe.step(&tier.start.text).is_none() {
            let near = nearest(
                &tier.start.text,
                scope.recipe.steps.iter().map(|step| step.name.as_str()),
            );
            let message = format!(
                "the tier starts at `{}`, and there is no such step{near}",
                tier.start.text
            );
            out.file(Id::ResumeTargetUnknown, tier.start.line, message)
                .field
                .clone_from(&field);
        }
        if let Some(number) = tier.tier.filter(|number| !seen.insert(*number)) {
            let message = format!(
                "two tiers have the number {number}; the highest is tried first, so no two may be alike"
            );
            out.file(Id::ResumeTargetUnknown, tier.line, message)
                .field
                .clone_from(&field);
        }
        if !scope.producers.contains_key(tier.present.text.as_str()) {
            let near = nearest(&tier.present.text, scope.producers.keys().copied());
            let message = format!(
                "the tier looks at `{}`, which no step captures{near}",
                tier.present.text
            );
            out.file(Id::ResumeVariableUncaptured, tier.present.line, message)
                .field = field;
        }
    }
}
