//! Reads a recipe from text. What is wrong with it is noted as a fault, which rules report; only a file that cannot be a recipe at all is
//! refused.

use super::ingredient::Inputs;
use super::keys::{Reader, demand, keys};
use super::kinds::{Truth, Word, Words};
use super::state::{Classes, Tiers};
use super::step::Steps;
use crate::finding::{Finding, Severity};
use crate::model::{Declaration, Ingredient, Recipe, Step, Tier};
use crate::rules::Id;
use aris_yaml::{Node, Problem, Text};

/// Placeholders for the folder of temporary files.
const TEMP_PLACEHOLDERS: [&str; 2] = ["{{AUTOSKILLIT_TEMP}}", "{{TEMP}}"];

/// A recipe, or the one finding that keeps a file from being one.
pub type Loaded = Result<Recipe, Box<Finding>>;

/// Reads a recipe; `temp` replaces `{{AUTOSKILLIT_TEMP}}` and `{{TEMP}}` before parsing.
///
/// **Errors**: the one finding that keeps the file from being a recipe: `temp-dir-unsafe`, `yaml-parse-error`, `not-a-mapping`,
/// `kitchen-rules-not-list`, `requires-packs-not-list`, `retry-block-removed`.
pub fn load(text: &str, temp: &str) -> Loaded {
    if temp.contains(['\n', '\r']) || temp.contains(": ") {
        let message = format!(
            "the folder for temporary files must have no line break and no \": \": {temp:?}"
        );
        return Err(refuse("temp-dir-unsafe", 0, message));
    }
    let [one, other] = TEMP_PLACEHOLDERS;
    parse(&text.replace(one, temp).replace(other, temp))
}

/// Reads a recipe whose placeholders are replaced already. **Errors**: as [`load`].
pub fn parse(text: &str) -> Loaded {
    let node = aris_yaml::read(text).map_err(|wrong| {
        let Problem {
            message, column, ..
        } = &wrong;
        let message = format!("not valid YAML: {message} (column {column})");
        refuse("yaml-parse-error", wrong.line, message)
    })?;
    let node = node.unwrap_or_default();
    if !node.is_map() {
        let message = format!("a recipe is a mapping, this is {}", node.noun());
        return Err(refuse("not-a-mapping", node.line, message));
    }
    for (key, rule) in [
        ("kitchen_rules", "kitchen-rules-not-list"),
        ("requires_packs", "requires-packs-not-list"),
    ] {
        let value = node.get(key);
        if let Some(value) = value.filter(|value| !value.is_list() && !value.is_null()) {
            let message = format!("{key} must be a list, this is {}", value.noun());
            return Err(refuse(rule, value.line, message));
        }
    }
    let entries = node.get("steps").map(Node::entries).unwrap_or_default();
    for (name, step) in entries {
        if let Some((key, _)) = step.entries().iter().find(|(key, _)| key.text == "retry") {
            let message = "the retry block is no longer part of the language: write retries: N";
            let mut finding = refuse("retry-block-removed", key.line, message);
            finding.step.clone_from(&name.text);
            return Err(finding);
        }
    }
    let mut faults = Vec::new();
    let mut reader = Reader::new(&mut faults);
    let mut keys = RecipeKeys::read_keys(&node, &mut reader);
    reader.twice(&node);
    let name = keys.name.as_deref().unwrap_or_default().trim().to_owned();
    let mut need = |is_there: bool, message: &str| {
        if !is_there {
            reader.tell(Id::Schema, (0, 0), message.to_owned());
        }
    };
    let is_said = |rule: &Text| !rule.trim().is_empty();
    need(!name.is_empty(), "the recipe has no `name`");
    need(
        keys.kitchen_rules.iter().any(is_said),
        "the recipe has no `kitchen_rules`: list the rules that its executor must follow",
    );
    need(!keys.steps.is_empty(), "the recipe has no `steps`");
    let steps = std::mem::take(&mut keys.steps);
    let mut recipe = Recipe {
        name,
        keys,
        faults,
        file: None,
        elsewhere: std::collections::BTreeSet::new(),
        may_escalate: false,
        index: std::collections::BTreeMap::new(),
    };
    recipe.set_steps(steps);
    Ok(recipe)
}

keys! {
    /// A recipe: steps, and where control goes after each.
    pub RecipeKeys, schema pub RecipeFile refined by refine_recipe, keys of others &[];
    /// Its name.
    name: Word => Option<Text>,
    /// For people; never interpreted.
    description: Word => Option<Text>,
    /// For people; never interpreted.
    summary: Word => Option<Text>,
    /// Version of `AutoSkillit` that it was written for.
    autoskillit_version: Word => Option<Text>,
    /// Version that it was written for.
    recipe_version: Word => Option<Text>,
    /// Inputs, by name. All values are texts.
    ingredients: Inputs => Vec<Ingredient>,
    /// Rules that its executor must follow.
    kitchen_rules: Words => Vec<Text>,
    /// Packs of skills that must be enabled.
    requires_packs: Words => Vec<Text>,
    /// Whether lists of recipes leave it out.
    experimental: Truth => bool,
    /// Steps, by name, in order; a run begins with the first.
    steps: Steps => Vec<Step>,
    /// Who may write which variable.
    state: Classes => Vec<Declaration>,
    /// Where a run without a journal is resumed.
    resume: Tiers => Vec<Tier>,
    /// File with the contracts of skills, relative to the recipe.
    manifest: Word => Option<Text>,
    /// File with the tools and their parameters, relative to the recipe.
    tools: Word => Option<Text>,
}

fn refuse(rule: &'static str, line: u32, message: impl Into<String>) -> Box<Finding> {
    Box::new(Finding::about_file(rule, Severity::Error, message).at(line))
}

fn refine_recipe(schema: &mut schemars::Schema) {
    demand("name kitchen_rules steps")(schema);
    if let Some(rules) = schema.pointer_mut("/properties/kitchen_rules") {
        rules["minItems"] = serde_json::json!(1);
    }
    if let Some(name) = schema.pointer_mut("/properties/name") {
        name["pattern"] = serde_json::json!("\\S");
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::model::{Kind, Target};

    #[test]
    fn what_is_no_recipe_is_refused() {
        for (text, temp, rule, line) in [
            ("name: x\nsteps: : : [\n", "t", "yaml-parse-error", Some(2)),
            ("- a\n", "t", "not-a-mapping", Some(1)),
            ("", "t", "not-a-mapping", Some(1)),
            (
                "name: x\nkitchen_rules: one\n",
                "t",
                "kitchen-rules-not-list",
                Some(2),
            ),
            (
                "requires_packs: p\n",
                "t",
                "requires-packs-not-list",
                Some(1),
            ),
            (
                "steps:\n  a:\n    tool: run_cmd\n    retry: {max_attempts: 3}\n",
                "t",
                "retry-block-removed",
                Some(4),
            ),
            ("name: x\n", "a\nb", "temp-dir-unsafe", None),
            ("name: x\n", "a: b", "temp-dir-unsafe", None),
        ] {
            let finding = load(text, temp).unwrap_err();
            assert_eq!(
                (finding.rule.as_ref(), finding.line),
                (rule, line),
                "{text:?}"
            );
        }
        assert!(load("kitchen_rules:\nsteps:\n", "t").is_ok());
    }

    #[test]
    fn texts_keep_their_spelling_and_truths_have_many() {
        let recipe = load(
            "name: r\ningredients:\n  a: {default: NO, hidden: yes}\n  b: {default: 1.10}\n  c: {default: True}\n\
             steps:\n  one:\n    tool: run_cmd\n    optional: on\n    with: {cmd: 'x {{TEMP}}', n: 3}\n    on_result:\n      \
             field: verdict\n      routes: {NO: two, NO GO: done, yes: escalate}\n  two: {action: stop, message: m}\n  odd: text\n",
            ".t",
        )
        .unwrap();
        let defaults: Vec<_> = recipe
            .ingredients
            .iter()
            .map(|i| i.default.as_deref())
            .collect();
        assert_eq!(defaults, [Some("NO"), Some("1.10"), Some("true")]);
        assert!(recipe.ingredients[0].hidden);
        let one = recipe.entry().unwrap();
        assert!(one.optional && one.kind() == Kind::Command);
        assert_eq!(one.with[0].1.text(), Some("x .t"));
        let routes: Vec<_> = one
            .routes()
            .into_iter()
            .map(|way| (way.field, way.to.text.clone()))
            .collect();
        assert_eq!(
            routes[0],
            (String::from("on_result.routes.NO"), String::from("two"))
        );
        assert_eq!(routes[1].0, "on_result.routes.NO GO");
        assert_eq!(recipe.target("done"), Some(Target::Done));
        assert_eq!(recipe.target("nowhere"), None);
        let told: Vec<_> = recipe
            .faults
            .iter()
            .map(|(_, finding)| finding)
            .filter(|finding| finding.step == "odd" && finding.field.is_none())
            .collect();
        let place = (told[0].line, told[0].column);
        assert_eq!((told.len(), place), (1, (Some(15), Some(8))));
        assert_eq!(one.retries(), 3);
    }

    #[test]
    fn of_two_steps_of_one_name_the_later_counts_in_the_earlier_place() {
        let recipe =
            parse("steps:\n  a: {action: stop}\n  b: {action: stop}\n  a: {action: route}\n")
                .unwrap();
        let kinds: Vec<_> = recipe
            .steps
            .iter()
            .map(|step| (step.name.as_str(), step.kind()))
            .collect();
        assert_eq!(kinds, [("a", Kind::Route), ("b", Kind::Stop)]);
        assert!(
            recipe
                .faults
                .iter()
                .any(|(rule, fault)| *rule == Id::DuplicateKey && fault.line == Some(4))
        );
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(
            text in "\\PC{0,80}",
            near in "(name|steps|ingredients|kitchen_rules|on_result|capture|when|route|with|state|resume|: |\n|\n  |\n    |- |\\[|\\]|\\{|\\}|a|1|\\$\\{\\{ result.x \\}\\}){0,40}",
        ) {
            let _one = load(&text, "t");
            let _other = load(&near, "t");
        }
    }
}
