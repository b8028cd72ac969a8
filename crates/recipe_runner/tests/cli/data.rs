//! The files that `validate` checks a recipe with.

use aris_testkit::Project;
use serde_json::json;

use super::{call, project};

const MANIFEST: &str = "skills:\n  review:\n    outputs:\n      - {name: verdict, type: string}\n";

/// A recipe that calls a skill and captures a field that the skill does not give.
const RECIPE: &str = "\
name: sample
kitchen_rules: [do as it says]
steps:
  review:
    tool: run_skill
    with: {skill_command: /review it, speed: fast}
    capture: {mood: '${{ result.mood }}'}
    on_success: end
    on_failure: end
    on_context_limit: end
  end: {action: stop, message: 'It is ${{ context.mood }}.'}
";

fn sample() -> Project {
    project().file("recipe.yaml", RECIPE)
}

/// The rules that found something, and whether `rule` was skipped.
fn checked(project: &Project, flags: &[&str], code: i32, rule: &str) -> (Vec<String>, bool) {
    let words = [&["validate", "recipe.yaml"], flags].concat();
    let data = call(project, &words).run().expect_code(code).data();
    let names = |key: &str| -> Vec<String> {
        let entries = data[key].as_array().expect("a list");
        let name = |entry: &serde_json::Value| entry["rule"].as_str().expect("a rule").to_owned();
        entries.iter().map(name).collect()
    };
    let skipped = names("skipped_rules").iter().any(|name| name == rule);
    (names("findings"), skipped)
}

#[test]
fn what_is_missing_in_a_manifest_is_said() {
    let project = sample().file("manifest.yaml", MANIFEST);
    let last = |flags: &[&str]| {
        let run = aris_testkit::Helper::at(env!("CARGO_BIN_EXE_recipe_runner"))
            .call(project.path())
            .args(["validate", "recipe.yaml"])
            .args(flags)
            .run()
            .expect_code(0);
        run.stdout().lines().last().expect("a line").to_owned()
    };
    assert!(last(&[]).contains("--manifest"));
    let said = last(&["--manifest", "manifest.yaml"]);
    assert!(
        said.contains("`packs` in the manifest") && !said.contains("--manifest"),
        "{said}"
    );
}

#[test]
fn each_kind_of_data_brings_its_rules() {
    let project = sample()
        .file("manifest.yaml", MANIFEST)
        .file("tools.json", r#"{"run_skill": ["skill_command", "cwd"]}"#)
        .file("skills/look/SKILL.md", "---\nname: look\n---\n")
        .file("budgets.yaml", "DEFAULT: {run_cmd: 1}\n")
        .file(
            "rules.yaml",
            "- {rule: no-review, severity: error, says: 'a review', step: {skill: review}}\n",
        );
    for (flags, code, rule) in [
        (
            &["--manifest", "manifest.yaml"][..],
            0,
            "undeclared-capture-key",
        ),
        (&["--tools", "tools.json"], 0, "dead-with-param"),
        (&["--skills-dir", "skills"], 10, "unknown-skill-command"),
    ] {
        let (found, skipped) = checked(&project, flags, code, rule);
        assert!(
            found.iter().any(|found| found == rule) && !skipped,
            "{rule}: {found:?}"
        );
        let (found, skipped) = checked(&project, &[], 0, rule);
        assert!(
            !found.iter().any(|found| found == rule) && skipped,
            "{rule} without its data: {found:?}"
        );
    }
    let (_, skipped) = checked(
        &project,
        &["--budgets", "budgets.yaml"],
        0,
        "block-run-cmd-budget",
    );
    assert!(!skipped);
    let (found, _) = checked(&project, &["--rules", "rules.yaml"], 10, "");
    assert!(found.iter().any(|rule| rule == "no-review"), "{found:?}");
}

/// The rules of the `AutoSkillit` profile report which data they did not have.
#[test]
fn rules_of_a_project_are_skipped_without_their_data() {
    let rule = "undefined-bash-placeholder";
    let project = sample().file("skills/review/SKILL.md", "```bash\ncp {plan} x\n```\n");
    let profile = ["--profile", "compat"];
    assert!(checked(&project, &profile, 0, rule).1);
    let with = [&profile[..], &["--skills-dir", "skills"]].concat();
    let (found, skipped) = checked(&project, &with, 0, rule);
    assert!(found.iter().any(|found| found == rule) && !skipped);
}

#[test]
fn an_exemption_silences_a_capture_that_nobody_reads() {
    let unread = RECIPE.replace("It is ${{ context.mood }}.", "Done.");
    let project = project()
        .file("recipe.yaml", unread)
        .file("exempt.yaml", "- [mood, review it]\n")
        .file("other.yaml", "- [mood, another]\n");
    let found = |flags: &[&str], code| checked(&project, flags, code, "").0;
    assert_eq!(found(&[], 10), ["dead-output"]);
    assert_eq!(found(&["--exempt", "other.yaml"], 10), ["dead-output"]);
    assert!(found(&["--exempt", "exempt.yaml"], 0).is_empty());
}

#[test]
fn data_that_cannot_be_used_are_named_with_their_line() {
    let project = sample()
        .file("twice.yaml", "skills:\n  a: {}\n  a: {}\n")
        .file("list.yaml", "skills: []\n")
        .file("torn.yaml", "skills: {\n")
        .file("budget.yaml", "front:\n  run_cmd: -1\n")
        .file(
            "misspelt.yaml",
            "skills:\n  review:\n    outputs:\n    - name: verdict\n      allowed_value: [GO]\n",
        );
    for (flag, file, code, line, part) in [
        ("--manifest", "twice.yaml", 4, Some(3), "twice"),
        (
            "--manifest",
            "list.yaml",
            4,
            Some(1),
            "skills must be a mapping, not a list",
        ),
        (
            "--manifest",
            "misspelt.yaml",
            4,
            Some(5),
            "did you mean \"allowed_values\"?",
        ),
        ("--manifest", "torn.yaml", 4, None, ""),
        (
            "--tools",
            "budget.yaml",
            4,
            Some(2),
            "front must be a list, not a mapping",
        ),
        ("--budgets", "budget.yaml", 4, Some(2), "whole number"),
        ("--exempt", "twice.yaml", 4, Some(3), "twice"),
        (
            "--rules",
            "list.yaml",
            4,
            Some(1),
            "the file must be a list, not a mapping",
        ),
        ("--manifest", "absent.yaml", 3, None, "absent.yaml"),
        ("--skills-dir", "absent", 3, None, "absent"),
        ("--rules", "absent", 3, None, "absent"),
    ] {
        let run = call(&project, &["validate", "recipe.yaml", flag, file])
            .run()
            .expect_code(code);
        let error = run.error();
        let message = error["message"].as_str().expect("a message");
        let told = format!("{message}\n{}", error["hint"]).replace("\\\"", "\"");
        assert!(told.contains(part), "{flag} {file}: {told}");
        if let Some(line) = line {
            assert_eq!(
                error["details"]["line"],
                json!(line),
                "{flag} {file}: {error}"
            );
            assert!(message.contains(&format!("{file}:{line}: ")), "{message}");
        }
    }
}

#[test]
fn all_mistakes_of_a_file_are_told_at_once() {
    let project = sample()
        .file(
            "rules.yaml",
            "- rule: a\n  severity: loud\n  says: x\n- {rule: b, severity: error, sayz: y}\n- {rule: c, severity: error, says: z, step: {name: [a, {}]}}\n",
        )
        .file("skills.yaml", "skills:\n  a: {inputs: x, outputs: [{type: 1}]}\n");
    for (flag, file, places) in [
        (
            "--rules",
            "rules.yaml",
            &[(2, 13), (4, 3), (4, 30), (5, 56)][..],
        ),
        ("--manifest", "skills.yaml", &[(2, 15), (2, 28)]),
    ] {
        let run = call(&project, &["validate", "recipe.yaml", flag, file])
            .run()
            .expect_code(4);
        let error = run.error();
        let problems = error["details"]["problems"].as_array().expect("problems");
        let place = |one: &serde_json::Value| (one["line"].as_u64(), one["column"].as_u64());
        let found: Vec<_> = problems.iter().map(place).collect();
        let wanted: Vec<_> = places
            .iter()
            .map(|(line, column)| (Some(*line), Some(*column)))
            .collect();
        assert_eq!(found, wanted, "{error}");
        let message = error["message"].as_str().expect("a message");
        assert_eq!(message.matches(file).count(), places.len(), "{message}");
    }
}
