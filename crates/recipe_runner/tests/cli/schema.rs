//! The published schema and the program refuse the same recipes, and the program names the place of the fault.

use std::path::Path;

use aris_testkit::{Helper, Project, assert_follows, assert_valid, follows, workspace_root};
use serde_json::Value;

use super::call;

const ID: &str = "aris.recipe_runner.recipe/v1";

const RECIPE: &str = "\
name: r
kitchen_rules: [one]
ingredients:
  task: {description: d, default: x, enum: [x, y]}
  gate: {default: 'false', hidden: true}
state: {verdict: MUTABLE}
resume: [{tier: 1, present: verdict, start: judge}]
steps:
  judge:
    tool: run_skill
    with: {skill_command: \"/judge ${{ inputs.task }}\", n: 3}
    capture: {verdict: \"${{ result.verdict }}\"}
    retries: 2
    on_result:
      - {when: \"${{ result.verdict }} == GO\", route: by_state}
      - {route: bad}
    on_failure: bad
  by_state:
    python: tools.state
    cache: [a.csv]
    on_result: {field: state, routes: {ok: ask, late: bad}}
    on_failure: bad
  ask: {action: confirm, message: \"${{ context.verdict }}?\", on_success: more, on_failure: bad}
  more: {sub_recipe: more, gate: gate, on_success: number}
  number: {constant: '3', capture: {verdict: three}, on_success: end}
  end: {action: stop, message: good}
  bad: {action: stop, failed: true, message: bad}
";

fn as_json(text: &str) -> Value {
    let tree = aris_yaml::read(text).expect("YAML").expect("a document");
    tree.to_json()
}

/// Each change of the recipe, the place at which it is reported, and a part of the message.
const WRONG: &[(&str, &str, &str, &str)] = &[
    ("name: r\n", "", "", "no `name`"),
    (
        "name: r",
        "name: [r]",
        "1:7",
        "name is a list; it must be a text",
    ),
    (
        "kitchen_rules: [one]",
        "kitchen_rules: []",
        "",
        "no `kitchen_rules`",
    ),
    (
        "kitchen_rules: [one]",
        "kitchen_rules: [[one]]",
        "2:17",
        "an item is a list",
    ),
    (
        "hidden: true",
        "hidden: maybe",
        "5:36",
        "hidden is `maybe`; it must be true or false",
    ),
    (
        "hidden: true",
        "hiden: true",
        "5:28",
        "did you mean `hidden`?",
    ),
    ("MUTABLE", "MUTABEL", "6:18", "did you mean `MUTABLE`?"),
    ("tier: 1", "tier: one", "7:17", "a whole number"),
    ("present: verdict, ", "", "7:10", "no `present`"),
    ("    tool: run_skill\n", "", "9:3", "the step does nothing"),
    (
        "    tool: run_skill\n",
        "    tool: run_skill\n    action: route\n",
        "9:3",
        "tool and action",
    ),
    (
        "    tool: run_skill\n",
        "    tool: run_skill\n    on_sucess: end\n",
        "11:5",
        "did you mean `on_success`?",
    ),
    (
        "    tool: run_skill\n",
        "    tool: run_skill\n    on_success: end\n",
        "9:3",
        "only one of them can decide",
    ),
    (
        "    tool: run_skill\n",
        "    tool: run_skill\n    optional: true\n",
        "9:3",
        "skip_when_false",
    ),
    (
        "retries: 2",
        "retries: -1",
        "13:14",
        "retries is `-1`; it must be a whole number from 0",
    ),
    ("retries: 2", "retries: '2'", "13:14", "a whole number"),
    ("retries: 2", "max_visits: 0", "13:17", "from 1"),
    (
        "      - {route: bad}",
        "      - {rout: bad}",
        "16:9",
        "no `route`",
    ),
    (
        "      - {route: bad}",
        "      - {route: [bad]}",
        "16:17",
        "the name of a step",
    ),
    ("tools.state", "state", "19:13", "module.function"),
    ("cache: [a.csv]", "cache: 3", "20:12", "a list of files"),
    ("field: state, ", "", "21:16", "`field`"),
    (
        "routes: {ok: ask, late: bad}",
        "routes: {}",
        "21:39",
        "not empty",
    ),
    (
        "on_success: more, on_failure: bad",
        "on_success: more",
        "23:3",
        "no `on_failure`",
    ),
    ("gate: gate, ", "", "24:3", "no `gate`"),
    (
        "constant: '3', ",
        "constant: '3', with: {a: 1}, ",
        "25:3",
        "takes no arguments",
    ),
    (
        "capture: {verdict: three}",
        "capture: three",
        "25:36",
        "a mapping",
    ),
    (
        "{action: stop, message: good}",
        "{action: stop}",
        "26:3",
        "no `message`",
    ),
    (
        "{action: stop, message: good}",
        "{action: halt, message: good}",
        "26:3",
        "no action `halt`",
    ),
    (
        "{action: stop, message: good}",
        "stop",
        "26:8",
        "it must be a mapping",
    ),
];

#[test]
fn the_schema_and_the_program_refuse_the_same() {
    assert_valid(ID, &as_json(RECIPE), "the recipe");
    let project = Project::new().file("r.yaml", RECIPE);
    let report = call(&project, &["validate", "r.yaml"]).run().expect_code(0);
    assert_eq!(
        report.data()["findings"]
            .to_string()
            .matches("schema")
            .count(),
        0
    );
    let mut odd = Vec::new();
    for (from, to, place, part) in WRONG {
        let text = RECIPE.replacen(from, to, 1);
        assert_ne!(text, RECIPE, "{from}");
        if follows(ID, &as_json(&text)) {
            odd.push(format!("{to:?}: the schema has nothing against it"));
        }
        project.write("r.yaml", &text);
        let run = call(&project, &["validate", "r.yaml"]).run();
        let data = run.data();
        let findings = data["findings"].as_array().expect("findings");
        let told = findings.iter().any(|finding| {
            let number = |key: &str| finding[key].as_u64().map(|number| number.to_string());
            let at: Vec<String> = ["line", "column"].into_iter().filter_map(number).collect();
            at.join(":") == *place
                && finding["message"]
                    .as_str()
                    .is_some_and(|said| said.contains(part))
                && ["schema", "unknown-key"].contains(&finding["rule"].as_str().unwrap_or_default())
        });
        if !told {
            odd.push(format!(
                "{to:?}: not told at {place} with {part:?}: {:#}",
                data["findings"]
            ));
        }
    }
    assert!(odd.is_empty(), "{}", odd.join("\n"));
}

#[test]
fn the_schema_is_printed_for_editors() {
    let project = Project::new();
    let run = Helper::at(env!("CARGO_BIN_EXE_recipe_runner"))
        .call(project.path())
        .args(["--schema"])
        .run()
        .expect_code(0);
    let schema: Value = serde_json::from_str(run.stdout()).expect("JSON");
    assert_follows(&schema, &as_json(RECIPE), "the recipe");
    // The text that an editor shows for a key.
    let step = &schema["$defs"]["StepFile"]["properties"];
    assert!(
        step["on_failure"]["description"]
            .as_str()
            .expect("text")
            .contains("failure"),
        "{step}"
    );
    assert_eq!(
        call(&project, &["--schema"]).run().expect_code(0).data()["schema"],
        schema
    );
}

#[test]
fn our_recipes_follow_the_schema() {
    let folder = workspace_root().join("skills/research-recipe/assets/recipes");
    let mut seen = 0;
    for folder in [folder.clone(), folder.join("sub-recipes")] {
        for entry in std::fs::read_dir(folder).expect("recipes") {
            let path = entry.expect("an entry").path();
            if path.extension().is_some_and(|ending| ending == "yaml") {
                valid(&path);
                seen += 1;
            }
        }
    }
    assert!(seen >= 4, "{seen}");
    // Also recipes of others, where a checkout of them is available.
    if let Some(root) = std::env::var_os("AUTOSKILLIT_DIR") {
        for name in [
            "implementation",
            "implementation-groups",
            "remediation",
            "merge-prs",
            "research",
            "sub-recipes/sprint-prefix",
        ] {
            valid(&Path::new(&root).join(format!("src/autoskillit/recipes/{name}.yaml")));
        }
    }
}

fn valid(path: &Path) {
    let text = std::fs::read_to_string(path).expect("readable");
    assert_valid(ID, &as_json(&text), &path.display().to_string());
}
