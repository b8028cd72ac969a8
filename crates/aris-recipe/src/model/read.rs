//! From text to recipe. What has no use is left out here and reported by rules, which see the tree; only what cannot be a recipe at
//! all is refused.

use crate::expression;
use crate::finding::{Finding, Severity};
use crate::model::route::{Branch, Capture, Condition, OnResult};
use crate::model::{Class, Declaration, Ingredient, Recipe, Step, Tier};
use crate::template::Template;
use aris_yaml::{Node, Text};

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
        return Err(refuse(
            "temp-dir-unsafe",
            0,
            format!(
                "the folder for temporary files must have no line break and no \": \": {temp:?}"
            ),
        ));
    }
    let text = TEMP_PLACEHOLDERS
        .into_iter()
        .fold(text.to_owned(), |text, placeholder| {
            text.replace(placeholder, temp)
        });
    parse(&text)
}

/// Reads a recipe whose placeholders are replaced already. **Errors**: as [`load`].
pub fn parse(text: &str) -> Loaded {
    let node = aris_yaml::read(text).map_err(|wrong| {
        let message = format!(
            "not valid YAML: {} (column {})",
            wrong.message, wrong.column
        );
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
        if let Some(value) = node.get(key)
            && !value.is_list()
            && !value.is_null()
        {
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
    let mut recipe = Recipe {
        name: text_of(&node, "name").map_or_else(String::new, |name| name.text.trim().to_owned()),
        version: text_of(&node, "recipe_version").or_else(|| text_of(&node, "autoskillit_version")),
        ingredients: ingredients(&node),
        kitchen_rules: texts(&node, "kitchen_rules"),
        requires_packs: texts(&node, "requires_packs"),
        steps: Vec::new(),
        odd_steps: Vec::new(),
        state: state(&node),
        resume: resume(&node),
        manifest: text_of(&node, "manifest"),
        tools: text_of(&node, "tools"),
        elsewhere: std::collections::BTreeSet::new(),
        may_escalate: false,
        index: std::collections::BTreeMap::new(),
        node: Node {
            value: aris_yaml::Value::List(Vec::new()),
            ..node
        },
    };
    let mut steps: Vec<Step> = Vec::new();
    let mut known = std::collections::BTreeMap::new();
    for (name, value) in entries {
        if !value.is_map() {
            recipe.odd_steps.push((name.clone(), value.clone()));
            continue;
        }
        let step = Step::read(name, value);
        let earlier = known
            .get(&name.text)
            .and_then(|at: &usize| steps.get_mut(*at));
        if let Some(earlier) = earlier {
            *earlier = step;
        } else {
            known.insert(name.text.clone(), steps.len());
            steps.push(step);
        }
    }
    recipe.set_steps(steps);
    recipe.node = node;
    Ok(recipe)
}

fn refuse(rule: &'static str, line: u32, message: impl Into<String>) -> Box<Finding> {
    Box::new(Finding::about_file(rule, Severity::Error, message).at(line))
}

fn text_of(node: &Node, key: &str) -> Option<Text> {
    node.get(key).and_then(as_text)
}

fn as_text(node: &Node) -> Option<Text> {
    node.text().map(|text| Text {
        text: text.to_owned(),
        line: node.line,
        column: node.column,
    })
}

/// The texts of a list.
fn texts(node: &Node, key: &str) -> Vec<Text> {
    let items = node.get(key).map(Node::items).unwrap_or_default();
    items.iter().filter_map(as_text).collect()
}

/// `cache: true`, or a list of files.
fn cache(node: Option<&Node>) -> Option<Vec<String>> {
    let node = node?;
    if node.is_list() {
        let files = node.items().iter().filter_map(Node::text);
        return Some(files.map(str::to_owned).collect());
    }
    node.truth().filter(|wanted| *wanted).map(|_| Vec::new())
}

fn ingredients(node: &Node) -> Vec<Ingredient> {
    let entries = node
        .get("ingredients")
        .map(Node::entries)
        .unwrap_or_default();
    let mut all: std::collections::BTreeMap<&str, Ingredient> = std::collections::BTreeMap::new();
    let mut order: Vec<&str> = Vec::new();
    for (name, value) in entries {
        if all
            .insert(&name.text, Ingredient::read(name, value))
            .is_none()
        {
            order.push(&name.text);
        }
    }
    order
        .into_iter()
        .filter_map(|name| all.remove(name))
        .collect()
}

fn state(node: &Node) -> Vec<Declaration> {
    let entries = node.get("state").map(Node::entries).unwrap_or_default();
    entries
        .iter()
        .map(|(variable, value)| {
            let word = as_text(value).unwrap_or_else(|| Text {
                text: String::new(),
                line: value.line,
                column: value.column,
            });
            Declaration {
                variable: variable.clone(),
                class: Class::from_word(word.text.trim()),
                word,
            }
        })
        .collect()
}

fn resume(node: &Node) -> Vec<Tier> {
    let items = node.get("resume").map(Node::items).unwrap_or_default();
    let text = |item: &Node, key: &str| {
        text_of(item, key).unwrap_or_else(|| Text {
            text: String::new(),
            line: item.line,
            column: item.column,
        })
    };
    items
        .iter()
        .map(|item| Tier {
            tier: item.get("tier").and_then(Node::integer),
            present: text(item, "present"),
            start: text(item, "start"),
        })
        .collect()
}

impl Step {
    fn read(name: &Text, node: &Node) -> Self {
        let text = |key| text_of(node, key);
        Self {
            name: name.text.clone(),
            line: name.line,
            origin: None,
            tool: text("tool"),
            action: text("action"),
            python: text("python"),
            constant: node
                .get("constant")
                .filter(|constant| !constant.is_null())
                .cloned(),
            sub_recipe: text("sub_recipe"),
            gate: text("gate"),
            with: node
                .get("with")
                .map(Node::entries)
                .unwrap_or_default()
                .to_vec(),
            capture: captures(node, "capture"),
            capture_list: captures(node, "capture_list"),
            capture_partial: texts(node, "capture_partial"),
            on_success: text("on_success"),
            on_failure: text("on_failure"),
            on_context_limit: text("on_context_limit"),
            on_result: node.get("on_result").and_then(on_result),
            on_exhausted: text("on_exhausted"),
            implied_exhausted: None,
            on_skip: text("on_skip"),
            skip_when_false: text("skip_when_false"),
            optional: node.get("optional").and_then(Node::truth).unwrap_or(false),
            failed: node.get("failed").and_then(Node::truth).unwrap_or(false),
            optional_context_refs: texts(node, "optional_context_refs"),
            message: text("message"),
            note: text("note"),
            description: text("description"),
            model: text("model"),
            block: text("block"),
            observability: texts(node, "observability"),
            cache: cache(node.get("cache")),
            node: node.clone(),
        }
    }
}

fn captures(node: &Node, key: &str) -> Vec<Capture> {
    let entries = node.get(key).map(Node::entries).unwrap_or_default();
    entries
        .iter()
        .map(|(variable, value)| Capture {
            variable: variable.clone(),
            template: Template::parse(value.text().unwrap_or_default()),
            value: value.clone(),
        })
        .collect()
}

fn on_result(node: &Node) -> Option<OnResult> {
    if node.is_map() {
        let routes = node.get("routes").map(Node::entries).unwrap_or_default();
        return Some(OnResult::Field {
            field: text_of(node, "field"),
            routes: routes
                .iter()
                .filter_map(|(key, route)| Some((key.clone(), as_text(route)?)))
                .collect(),
        });
    }
    node.is_list().then(|| {
        OnResult::List(
            node.items()
                .iter()
                .map(|item| Branch {
                    when: text_of(item, "when").map(|text| Condition {
                        parsed: expression::parse(&text.text),
                        text,
                    }),
                    route: text_of(item, "route"),
                    line: item.line,
                })
                .collect(),
        )
    })
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
            .map(|(field, to)| (field, to.text.clone()))
            .collect();
        assert_eq!(
            routes[0],
            (String::from("on_result.routes.NO"), String::from("two"))
        );
        assert_eq!(routes[1].0, "on_result.routes.NO GO");
        assert_eq!(recipe.target("done"), Some(Target::Done));
        assert_eq!(recipe.target("nowhere"), None);
        assert_eq!(
            (recipe.odd_steps.len(), recipe.odd_steps[0].0.line),
            (1, 15)
        );
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
        assert_eq!(recipe.node.get("steps").unwrap().entries().len(), 3);
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
