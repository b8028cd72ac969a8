//! The public recipes of the reference, where a checkout of it is at hand: `AUTOSKILLIT_DIR` names its root. Nothing of it is kept here.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use aris_recipe::model::load;
use aris_recipe::rules::data::budgets;
use aris_yaml::{Keys, typed};

use crate::bench::project_rules;
use aris_recipe::{Data, Profile, Recipe, Severity, check, compose, rules};

/// Recipes and how many steps each has at version 0.9.0.
const RECIPES: [(&str, usize); 8] = [
    ("src/autoskillit/recipes/implementation.yaml", 68),
    ("src/autoskillit/recipes/implementation-groups.yaml", 68),
    ("src/autoskillit/recipes/remediation.yaml", 68),
    ("src/autoskillit/recipes/merge-prs.yaml", 55),
    ("src/autoskillit/recipes/research.yaml", 54),
    ("src/autoskillit/recipes/sub-recipes/sprint-prefix.yaml", 7),
    (".autoskillit/recipes/smoke-test.yaml", 14),
    (".autoskillit/recipes/full-audit.yaml", 6),
];

fn checkout() -> Option<PathBuf> {
    let root = std::env::var_os("AUTOSKILLIT_DIR").map(PathBuf::from);
    if root.is_none() {
        println!("skipped: AUTOSKILLIT_DIR does not name a checkout of the public reference");
    }
    root
}

fn text(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn recipe(path: &Path) -> Recipe {
    load(&text(path), ".autoskillit/temp")
        .unwrap_or_else(|finding| panic!("{}: {finding:?}", path.display()))
}

fn data(root: &Path, profile: Profile) -> Data {
    let own = root.join("src/autoskillit");
    let mut skills = BTreeMap::new();
    for folder in ["skills", "skills_extended"] {
        for entry in fs::read_dir(own.join(folder)).unwrap() {
            let path = entry.unwrap().path();
            if let Ok(text) = fs::read_to_string(path.join("SKILL.md")) {
                skills.insert(
                    path.file_name().unwrap().to_string_lossy().into_owned(),
                    text,
                );
            }
        }
    }
    Data {
        manifest: Some(typed(&text(&own.join("recipe/skill_contracts.yaml")), Keys::Open).unwrap()),
        budgets: Some(budgets(&text(&own.join("recipe/block_budgets.yaml"))).unwrap()),
        skills: Some(skills),
        rules: if profile == Profile::Compat {
            project_rules()
        } else {
            Vec::new()
        },
        sub_recipes: Some(BTreeMap::from([(
            String::from("sprint-prefix"),
            Vec::new(),
        )])),
        tools: std::env::var_os("AUTOSKILLIT_TOOLS")
            .map(|path| typed(&text(Path::new(&path)), Keys::Open).unwrap()),
        ..Data::default()
    }
}

/// Findings as `rule step severity`, for a comparison with those of the reference.
fn listed(report: &rules::Report) -> Vec<String> {
    report
        .findings
        .iter()
        .map(|finding| format!("{} {} {}", finding.rule, finding.step, finding.severity))
        .collect()
}

#[test]
fn public_recipes_are_valid() {
    let Some(root) = checkout() else { return };
    for (path, steps) in RECIPES {
        let recipe = recipe(&root.join(path));
        assert_eq!(recipe.steps.len(), steps, "{path}");
        for profile in [Profile::Core, Profile::Compat] {
            let report = check(&recipe, &data(&root, profile), profile);
            let errors: Vec<_> = report
                .findings
                .iter()
                .filter(|finding| finding.severity == Severity::Error)
                .collect();
            assert!(errors.is_empty(), "{path} under {profile:?}: {errors:#?}");
            if let Some(folder) = std::env::var_os("RULES_OUT") {
                let stem = Path::new(path)
                    .file_stem()
                    .unwrap()
                    .to_string_lossy()
                    .into_owned();
                let out = PathBuf::from(folder).join(format!("{stem}.{profile:?}.txt"));
                fs::write(out, listed(&report).join("\n")).unwrap();
            }
        }
    }
}

/// Both with the sub-recipe in its place and with the placeholder removed.
#[test]
fn public_recipes_are_valid_in_both_compositions() {
    let Some(root) = checkout() else { return };
    let data = data(&root, Profile::Core);
    for (path, steps) in RECIPES {
        for gate in ["true", "false"] {
            let given = BTreeMap::from([(String::from("sprint_mode"), gate.to_owned())]);
            let mut find = |name: &str| {
                let file = format!("src/autoskillit/recipes/sub-recipes/{name}.yaml");
                Some(Ok(recipe(&root.join(file))))
            };
            let composed = compose(recipe(&root.join(path)), &given, &mut find).unwrap();
            assert!(composed.recipe.steps.len() + 1 >= steps, "{path}");
            let report = check(&composed.recipe, &data, Profile::Core);
            assert!(
                report.is_valid(),
                "{path} with {gate}: {:#?}",
                report.findings
            );
        }
    }
}

/// The fixtures of the reference's own tests: one without rules for the executor, two whose rules are no list.
#[test]
fn public_fixtures_are_invalid_or_refused() {
    let Some(root) = checkout() else { return };
    let folder = root.join("tests/recipe/fixtures");
    let loaded = recipe(&folder.join("spec_diagram_recipe.yaml"));
    let report = check(&loaded, &Data::default(), Profile::Core);
    assert!(
        report
            .findings
            .iter()
            .any(|finding| finding.rule == "schema" && finding.message.contains("kitchen_rules"))
    );
    for name in [
        "clone_local_with_remote_url_capture_invalid",
        "clone_local_without_remote_url_capture_valid",
    ] {
        let text = text(&folder.join(format!("{name}.yaml")));
        let refused = load(&text, ".autoskillit/temp").unwrap_err();
        assert_eq!(refused.rule, "kitchen-rules-not-list", "{name}");
    }
}

#[test]
fn false_reports_of_the_reference_are_absent() {
    let Some(root) = checkout() else { return };
    let data = data(&root, Profile::Compat);
    for (path, _) in RECIPES {
        let report = check(&recipe(&root.join(path)), &data, Profile::Compat);
        let named = |rule: &str| {
            report
                .findings
                .iter()
                .filter(|finding| finding.rule == rule)
                .count()
        };
        assert_eq!(named("unreachable-step"), 0, "{path}");
        let loops: BTreeSet<_> = report
            .findings
            .iter()
            .filter(|finding| finding.rule == "unbounded-cycle")
            .map(|finding| finding.steps.clone().unwrap())
            .collect();
        assert_eq!(
            loops.len(),
            named("unbounded-cycle"),
            "{path}: one finding for each loop"
        );
    }
}
