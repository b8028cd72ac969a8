//! Composes recipes: replaces placeholders by the steps of their sub-recipes, or removes them, until none is left.

use std::collections::{BTreeMap, BTreeSet};

use crate::expression::Namespace;
use crate::finding::{Finding, Severity};
use crate::model::{DONE, ESCALATE, Kind, Loaded, Origin, Recipe, Step};
use crate::rules::Id;
use crate::value::is_truthy;
use aris_yaml::Text;

/// Most steps of a composed recipe. **Source**: ours; recipes that include each other twice at each level grow without end.
const MAX_STEPS: usize = 20_000;

/// A recipe without placeholders.
#[derive(Clone, Debug)]
pub struct Composed {
    /// The recipe.
    pub recipe: Recipe,
    /// What a reader should know, such as gates whose value is neither on nor off.
    pub notes: Vec<String>,
    /// The sub-recipes of the placeholders that were on, in the order of their replacement.
    pub included: Vec<String>,
    /// The sub-recipes whose placeholders were off.
    pub left_out: Vec<String>,
}

/// Loads the sub-recipe of a name; `None` when there is no such file.
pub type Find<'a> = dyn FnMut(&str) -> Option<Loaded> + 'a;

/// Replaces all placeholders.
///
/// `given` are the inputs of the run: a gate is on for `true`, `1` and `yes` in any case, and off for every other text.
///
/// **Errors**: the finding that stands in the way: `unknown-sub-recipe`, `circular-sub-recipe`, `sub-recipe-collision` (a renamed
/// step has the name of another), `schema` for an empty sub-recipe, or why its file cannot be loaded.
pub fn compose(
    recipe: Recipe,
    given: &BTreeMap<String, String>,
    find: &mut Find<'_>,
) -> Result<Composed, Box<Finding>> {
    let composed = Composed {
        notes: Vec::new(),
        included: Vec::new(),
        left_out: Vec::new(),
        recipe,
    };
    let mut work = Work {
        defaults: BTreeMap::new(),
        lineage: BTreeMap::new(),
        composed,
    };
    work.remember_defaults(&work.composed.recipe.clone());
    let is_placeholder = |step: &Step| matches!(step.kind(), Kind::SubRecipe(_));
    while let Some(at) = work.composed.recipe.steps.iter().position(is_placeholder) {
        work.replace(at, given, find)?;
    }
    Ok(work.composed)
}

struct Work {
    /// Defaults of inputs by name, also of the hidden inputs of sub-recipes: gates are usually hidden.
    defaults: BTreeMap<String, String>,
    /// For each placeholder, the recipes that it is in, the outermost first.
    lineage: BTreeMap<String, Vec<String>>,
    composed: Composed,
}

impl Work {
    fn remember_defaults(&mut self, recipe: &Recipe) {
        for ingredient in &recipe.ingredients {
            if let Some(default) = &ingredient.default {
                let known = self.defaults.entry(ingredient.name.text.clone());
                known.or_insert_with(|| default.clone());
            }
        }
    }

    fn replace(
        &mut self,
        at: usize,
        given: &BTreeMap<String, String>,
        find: &mut Find<'_>,
    ) -> Result<(), Box<Finding>> {
        let mut steps = self.composed.recipe.steps.clone();
        let placeholder = steps.remove(at);
        let mut failure = None;
        let is_on = self.is_on(&placeholder, given);
        let (inserted, entry) = if is_on {
            let inserted = self.expand(&placeholder, given, find)?;
            let entry = inserted.first().map(|step| step.name.clone());
            (inserted, entry)
        } else {
            let left_out = name_of(&placeholder).to_owned();
            self.composed.left_out.push(left_out);
            self.note_odd_gate(&placeholder, given);
            // A failure must not go on as if the sub-recipe had dealt with it.
            failure = Some(self.failure_of(&placeholder, given));
            (Vec::new(), steps.get(at).map(|step| step.name.clone()))
        };
        // After the last step of a file the run ends.
        let entry = entry.unwrap_or_else(|| DONE.to_owned());
        let failure = failure.unwrap_or_else(|| entry.clone());
        steps.splice(at..at, inserted);
        let mended = chain(&steps, placeholder.on_success.as_deref());
        for step in &mut steps {
            if let Some(route) = &mut step.implied_exhausted
                && *route == placeholder.name
            {
                route.clone_from(&failure);
            }
            if !is_on {
                let by_name = refuse_by_result(step, &placeholder, (&entry, &mended), &failure);
                let notes = by_name.into_iter().map(|branch| {
                    format!(
                        "{} is off: branch {branch} of {} leads to {failure}, as its failures do, because what follows would skip what was refused",
                        placeholder.name, step.name
                    )
                });
                self.composed.notes.extend(notes);
            }
            for (route, is_failure) in step.routes_mut() {
                if route.text == placeholder.name {
                    let target = if is_failure { &failure } else { &entry };
                    route.text.clone_from(target);
                    self.composed.recipe.may_escalate |= route.text == ESCALATE;
                }
            }
        }
        let mut names = BTreeSet::new();
        if let Some(twice) = steps.iter().find(|step| !names.insert(step.name.as_str())) {
            let message = format!(
                "a step of sub-recipe {} is called {} here, and so is another step",
                name_of(&placeholder),
                twice.name
            );
            return Err(refuse("sub-recipe-collision", &placeholder, message));
        }
        if steps.len() > MAX_STEPS {
            let message = format!("sub-recipes grow beyond {MAX_STEPS} steps");
            return Err(refuse(Id::CircularSubRecipe.name(), &placeholder, message));
        }
        self.composed.recipe.set_steps(steps);
        Ok(())
    }

    /// The value of a placeholder's gate.
    fn gate<'a>(&'a self, placeholder: &Step, given: &'a BTreeMap<String, String>) -> &'a str {
        let gate = placeholder.gate.as_deref().unwrap_or_default();
        let value = given.get(gate).or_else(|| self.defaults.get(gate));
        value.map_or("false", String::as_str)
    }

    fn is_on(&self, placeholder: &Step, given: &BTreeMap<String, String>) -> bool {
        let word = self.gate(placeholder, given).trim().to_ascii_lowercase();
        matches!(word.as_str(), "true" | "1" | "yes")
    }

    fn note_odd_gate(&mut self, placeholder: &Step, given: &BTreeMap<String, String>) {
        let value = self.gate(placeholder, given);
        if is_truthy(value) {
            let gate = placeholder.gate.as_deref().unwrap_or_default();
            let note = format!(
                "gate {gate} is {value:?}, which is neither on (true, 1, yes) nor off: {} is left out",
                placeholder.name
            );
            self.composed.notes.push(note);
        }
    }

    /// Where a failure of a placeholder's steps leads: past other placeholders that are off, by their failure routes.
    fn failure_of(&self, placeholder: &Step, given: &BTreeMap<String, String>) -> String {
        let mut seen = BTreeSet::from([placeholder.name.as_str()]);
        let mut at = placeholder;
        loop {
            let route = at.on_failure.as_deref().unwrap_or(ESCALATE);
            match self.composed.recipe.step(route) {
                Some(next)
                    if matches!(next.kind(), Kind::SubRecipe(_)) && !self.is_on(next, given) =>
                {
                    if !seen.insert(next.name.as_str()) {
                        return ESCALATE.to_owned();
                    }
                    at = next;
                }
                _ => return route.to_owned(),
            }
        }
    }

    /// Where a placeholder's steps lead when they are done: past other placeholders that are off, to the step that follows in the file.
    fn success_of(&self, placeholder: &Step, given: &BTreeMap<String, String>) -> String {
        let steps = &self.composed.recipe.steps;
        let mut route = placeholder.on_success.as_deref().unwrap_or(DONE);
        for _ in 0..steps.len() {
            let Some(at) = steps.iter().position(|step| step.name == route) else {
                break;
            };
            let is_off = steps.get(at).is_some_and(|step| {
                matches!(step.kind(), Kind::SubRecipe(_)) && !self.is_on(step, given)
            });
            if !is_off {
                break;
            }
            route = steps.get(at + 1).map_or(DONE, |next| &next.name);
        }
        route.to_owned()
    }

    /// The steps of a sub-recipe with the names and routes that they have in its parent.
    fn expand(
        &mut self,
        placeholder: &Step,
        given: &BTreeMap<String, String>,
        find: &mut Find<'_>,
    ) -> Result<Vec<Step>, Box<Finding>> {
        let name = name_of(placeholder);
        let failure = self.failure_of(placeholder, given);
        let success = self.success_of(placeholder, given);
        let own = || vec![self.composed.recipe.name.clone()];
        let mut lineage = self.lineage.remove(&placeholder.name).unwrap_or_else(own);
        if lineage.iter().any(|known| known == name) {
            let way = lineage.join(" > ");
            let message = format!("sub-recipes go in a circle: {way} > {name}");
            return Err(refuse(Id::CircularSubRecipe.name(), placeholder, message));
        }
        let Some(found) = find(name) else {
            let message = format!("there is no sub-recipe {name}");
            return Err(refuse(Id::UnknownSubRecipe.name(), placeholder, message));
        };
        let sub = found.map_err(|mut finding| {
            finding.message = format!("in sub-recipe {name}: {}", finding.message);
            finding.line = finding.line.filter(|_| finding.file.is_some());
            finding
        })?;
        if sub.steps.is_empty() {
            let message = format!("sub-recipe {name} has no steps");
            return Err(refuse(Id::Schema.name(), placeholder, message));
        }
        lineage.push(name.to_owned());
        let before = self.composed.included.iter().filter(|other| *other == name);
        let prefix = match before.count() {
            0 => prefix(name),
            more => format!("{}{}_", prefix(name), more + 1),
        };
        self.composed.included.push(name.to_owned());
        self.remember_defaults(&sub);
        self.unite(&sub);

        let text = |text: String| Text {
            text,
            line: 0,
            column: 0,
        };
        let origin = Origin {
            file: sub.file.clone().unwrap_or_else(|| name.to_owned()),
            prefix: prefix.clone(),
        };
        let names: BTreeSet<String> = sub.steps.iter().map(|step| step.name.clone()).collect();
        for (rule, mut fault) in sub.faults {
            if !fault.step.is_empty() {
                fault.step = format!("{prefix}{}", fault.step);
                fault.file = Some(origin.file.clone());
                self.composed.recipe.faults.push((rule, fault));
            }
        }
        let mut steps = sub.keys.steps;
        for step in &mut steps {
            step.name = format!("{prefix}{}", step.name);
            step.origin = Some(origin.clone());
            if matches!(step.kind(), Kind::SubRecipe(_)) {
                self.lineage.insert(step.name.clone(), lineage.clone());
            }
            // Where no route is given, the sub-recipe ends, and not the run.
            if step.on_success.is_none() && step.on_result.is_none() && !step.is_stop() {
                step.on_success = Some(text(DONE.to_owned()));
            }
            step.implied_exhausted = Some(match step.implied_exhausted.take() {
                Some(route) if names.contains(&route) => format!("{prefix}{route}"),
                Some(_) | None => failure.clone(),
            });
            for (route, _) in step.routes_mut() {
                route.text = match route.text.as_str() {
                    DONE => success.clone(),
                    ESCALATE => failure.clone(),
                    own if names.contains(own) => format!("{prefix}{own}"),
                    unknown => unknown.to_owned(),
                };
            }
        }
        Ok(steps)
    }

    /// Adds what a sub-recipe brings besides steps: inputs, rules, packs and classes.
    fn unite(&mut self, sub: &Recipe) {
        let recipe = &mut self.composed.recipe;
        for ingredient in &sub.ingredients {
            if !ingredient.hidden && recipe.ingredient(&ingredient.name.text).is_none() {
                recipe.keys.ingredients.push(ingredient.clone());
            }
        }
        let recipe = &mut recipe.keys;
        for (all, more) in [
            (&mut recipe.kitchen_rules, &sub.kitchen_rules),
            (&mut recipe.requires_packs, &sub.requires_packs),
        ] {
            for item in more {
                if !all.iter().any(|known| known.text == item.text) {
                    all.push(item.clone());
                }
            }
        }
        for declaration in &sub.state {
            let name = &declaration.variable.text;
            if !recipe.state.iter().any(|own| own.variable.text == *name) {
                recipe.state.push(declaration.clone());
            }
        }
    }
}

/// The steps that follow each other by `on_success` from `from` on, up to the first that has `on_result`.
fn chain(steps: &[Step], from: Option<&str>) -> Vec<String> {
    let mut chain: Vec<String> = Vec::new();
    let mut next = from.map(str::to_owned);
    while let Some(name) = next.take().filter(|name| !chain.contains(name)) {
        let step = steps.iter().find(|step| step.name == name);
        next = step
            .filter(|step| step.on_result.is_none())
            .and_then(|step| Some(step.on_success.as_ref()?.text.clone()));
        chain.push(name);
    }
    chain
}

/// For a placeholder that is off: finds the branches of `on_result` that lead to it and by which a step refused something, and sends them
/// to `failure`, where failures of the placeholder go. Returns the numbers of those that have a condition, because only their routes tell
/// what they mean.
///
/// A branch is a refusal if the step reads what a step wrote, has other branches, and one of these holds:
/// - it is the default, and no other branch leads where the step's failures go;
/// - the step's failures lead to the placeholder too;
/// - what follows the placeholder in the file, or its `on_success`, is the target of another branch;
/// - its `on_success` leads back to the step without a choice: the placeholder mends what the step refused.
///
/// Every other branch chose the part of the work that is left out.
fn refuse_by_result(
    step: &mut Step,
    placeholder: &Step,
    (entry, mended): (&str, &[String]),
    failure: &str,
) -> Vec<usize> {
    let asks_work = step.by_field().is_some()
        || step
            .asks()
            .any(|reference| reference.namespace != Namespace::Inputs);
    let others = step.branches().iter();
    let others = others.filter_map(|branch| branch.route.as_ref());
    let others: BTreeSet<&str> = others
        .map(|route| route.text.as_str())
        .filter(|route| *route != placeholder.name)
        .collect();
    if !asks_work || others.is_empty() {
        return Vec::new();
    }
    let fails = step.on_failure.as_ref().map(|route| route.text.as_str());
    let mends = fails == Some(&placeholder.name)
        || others.contains(entry)
        || (mended.first()).is_some_and(|next| others.contains(next.as_str()))
        || mended.contains(&step.name);
    let is_refusal_named = fails.is_some_and(|fails| others.contains(fails));
    let mut by_name = Vec::new();
    for (number, branch) in step.branches_mut().enumerate() {
        let is_default = branch.is_default();
        let leads_there = |route: &&mut Text| {
            route.text == placeholder.name && (mends || is_default && !is_refusal_named)
        };
        if let Some(route) = branch.route.as_mut().filter(leads_there) {
            failure.clone_into(&mut route.text);
            by_name.extend((!is_default).then_some(number));
        }
    }
    by_name
}

/// Variables that sub-recipes capture, also those nested in them. A sub-recipe that cannot be read captures nothing.
pub fn captured_by(names: &[String], find: &mut Find<'_>) -> BTreeSet<String> {
    let mut variables = BTreeSet::new();
    let mut seen = BTreeSet::new();
    let mut open = names.to_vec();
    while let Some(name) = open.pop() {
        if !seen.insert(name.clone()) {
            continue;
        }
        let Some(Ok(sub)) = find(&name) else {
            continue;
        };
        for step in &sub.steps {
            let captures = step.captures();
            variables.extend(captures.map(|capture| capture.variable.text.clone()));
            if step.sub_recipe.is_some() {
                open.push(name_of(step).to_owned());
            }
        }
    }
    variables
}

fn name_of(placeholder: &Step) -> &str {
    placeholder.sub_recipe.as_deref().unwrap_or_default().trim()
}

/// The prefix for names of steps of a sub-recipe: its name in lower case, everything but `a-z0-9` as `_`, and a `_`. When the same
/// sub-recipe is placed again, a number and another `_` follow.
pub fn prefix(name: &str) -> String {
    let plain = |sign: char| sign.is_ascii_lowercase() || sign.is_ascii_digit();
    let name = name.to_lowercase();
    let signs = name
        .chars()
        .map(|sign| if plain(sign) { sign } else { '_' });
    signs.chain(['_']).collect()
}

fn refuse(rule: &'static str, placeholder: &Step, message: impl Into<String>) -> Box<Finding> {
    let mut finding = Finding::about_file(rule, Severity::Error, message).at(placeholder.line);
    finding.step.clone_from(&placeholder.name);
    let origin = placeholder.origin.as_ref();
    finding.file = origin.map(|origin| origin.file.clone());
    Box::new(finding)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::Graph;
    use crate::model::parse;

    const PARENT: &str = "name: parent\nkitchen_rules: [one]\ningredients:\n  gate: {default: 'false', hidden: true}\n\
        steps:\n  a: {tool: t, on_success: p, on_failure: p}\n  p: {sub_recipe: My-Sub, gate: gate, on_success: c, on_failure: f}\n  \
        b: {tool: t, on_success: c}\n  c: {action: stop, message: m}\n  f: {action: stop, message: m}\n";
    const SUB: &str = "name: My-Sub\nkitchen_rules: [one, two]\ningredients:\n  own: {default: x}\n  deep: {hidden: true, default: 'no'}\n\
        steps:\n  done: {tool: t, on_success: two, on_failure: escalate}\n  two: {tool: t, retries: 2, on_failure: done}\n  \
        escalate: {action: stop, message: m}\n";

    fn composed(given: &str, sub: &str) -> Result<Composed, Box<Finding>> {
        let given = BTreeMap::from([(String::from("gate"), given.to_owned())]);
        compose(parse(PARENT).unwrap(), &given, &mut |name| {
            (name == "My-Sub").then(|| parse(sub))
        })
    }

    #[test]
    fn off_takes_the_placeholder_out() {
        let done = composed("0", SUB).unwrap();
        let names: Vec<_> = done
            .recipe
            .steps
            .iter()
            .map(|step| step.name.as_str())
            .collect();
        assert_eq!(names, ["a", "b", "c", "f"]);
        assert_eq!(done.recipe.steps[0].on_success.as_ref().unwrap().text, "b");
        assert_eq!(done.recipe.steps[0].on_failure.as_ref().unwrap().text, "f");
        assert!(done.notes.is_empty());
        assert!(composed("maybe", SUB).unwrap().notes[0].contains("maybe"));
    }

    #[test]
    fn on_puts_the_steps_in_its_place() {
        let done = composed("Yes", SUB).unwrap();
        let names: Vec<_> = done
            .recipe
            .steps
            .iter()
            .map(|step| step.name.as_str())
            .collect();
        assert_eq!(
            names,
            [
                "a",
                "my_sub_done",
                "my_sub_two",
                "my_sub_escalate",
                "b",
                "c",
                "f"
            ]
        );
        let route = |step: &str, field: &str| {
            let step = done.recipe.step(step).unwrap();
            let found = step.routes().into_iter().find(|way| way.field == field);
            found.map(|way| way.to.text.clone())
        };
        assert_eq!(route("a", "on_success").as_deref(), Some("my_sub_done"));
        assert_eq!(route("my_sub_done", "on_failure").as_deref(), Some("f"));
        assert_eq!(route("my_sub_two", "on_failure").as_deref(), Some("c"));
        assert_eq!(route("my_sub_two", "on_success").as_deref(), Some("c"));
        assert_eq!(
            done.recipe.step("my_sub_two").unwrap().exhausted_route(),
            "f"
        );
        assert!(Graph::of(&done.recipe).bounds.is_empty());
        let rules: Vec<_> = done
            .recipe
            .kitchen_rules
            .iter()
            .map(|rule| rule.text.as_str())
            .collect();
        assert_eq!(rules, ["one", "two"]);
        assert!(
            done.recipe.ingredient("own").is_some() && done.recipe.ingredient("deep").is_none()
        );
        assert_eq!(done.recipe.steps[1].origin.as_ref().unwrap().file, "My-Sub");
    }

    #[test]
    fn what_cannot_be_composed_is_refused() {
        let nested = |name: &str| {
            format!("name: s\nsteps:\n  q: {{sub_recipe: {name}, gate: gate, on_success: done}}\n")
        };
        for (sub, rule) in [
            (nested("My-Sub"), "circular-sub-recipe"),
            (nested("parent"), "circular-sub-recipe"),
            (nested("absent"), "unknown-sub-recipe"),
            (String::from("name: s\n"), "schema"),
            (String::from("- x\n"), "not-a-mapping"),
        ] {
            assert_eq!(composed("1", &sub).unwrap_err().rule, rule, "{sub}");
        }
        let twice = PARENT.replace("  b: {tool: t", "  my_sub_two: {tool: t");
        let given = BTreeMap::from([(String::from("gate"), String::from("1"))]);
        let refused = compose(parse(&twice).unwrap(), &given, &mut |_| Some(parse(SUB)));
        assert_eq!(refused.unwrap_err().rule, "sub-recipe-collision");
    }
}
