//! A report is a function of the recipe, the data and the profile. No input makes a rule panic, and none takes too much time.

use std::fmt::Write as _;

use aris_recipe::model::load;
use aris_recipe::rules::ProjectRule;
use aris_recipe::rules::data::{Manifest, Tools, budgets};
use aris_recipe::{Data, Profile, check};
use proptest::prelude::*;

use crate::bench::{Base, File, data, data_of, found, recipe, report};

const PROFILES: [Profile; 3] = [Profile::Core, Profile::Compat, Profile::Strict];

/// Changes that make many things in a recipe wrong.
const FAULTY: &[crate::bench::Change] = &[
    (File::Recipe, "    retries: 2\n", ""),
    (File::Recipe, "    retries: 1\n", ""),
    (File::Recipe, "    on_skip: number\n", ""),
    (
        File::Recipe,
        "style=${{ inputs.style }}",
        "style=${{ inputs.styel }}",
    ),
    (
        File::Recipe,
        "late: decide",
        "late: decide, slow: announce, odd: nowhere",
    ),
    (File::Recipe, "    optional_context_refs: [verdict]\n", ""),
    (
        File::Recipe,
        "      count: three\n",
        "      count: three\n      kept: 1\n",
    ),
    (File::Manifest, "'plan_path\\s*=\\s*/.+'", "'plan_path('"),
    (
        File::Budgets,
        "run_cmd: 1, mcp_tools: 1",
        "run_cmd: 0, mcp_tools: 0",
    ),
];

#[test]
fn the_same_bytes_give_the_same_report_a_hundred_times() {
    let first = report(Base::Core, FAULTY);
    assert!(first.findings.len() > 10, "{:#?}", first.findings);
    for _ in 0..100 {
        assert_eq!(report(Base::Core, FAULTY), first);
    }
}

/// A block of YAML with the entries of its mapping, each with the lines below it, in another order.
fn shuffled(text: &str, indent: usize, order: &[usize]) -> String {
    let mut entries: Vec<String> = Vec::new();
    let mut head = String::new();
    for line in text.split_inclusive('\n') {
        let depth = line.len() - line.trim_start().len();
        let begins = depth == indent && !line.trim().is_empty();
        match entries.last_mut() {
            _ if begins => entries.push(line.to_owned()),
            Some(entry) => entry.push_str(line),
            None => head.push_str(line),
        }
    }
    let mut keyed: Vec<(usize, String)> = entries
        .into_iter()
        .enumerate()
        .map(|(at, entry)| (order[at % order.len()], entry))
        .collect();
    keyed.sort_by_key(|(key, _)| *key);
    head + &keyed
        .into_iter()
        .map(|(_, entry)| entry)
        .collect::<String>()
}

/// Findings without their lines, in a fixed order.
fn essence(findings: &[aris_recipe::Finding]) -> Vec<String> {
    let mut all: Vec<String> = findings
        .iter()
        .map(|finding| {
            format!(
                "{} {} {} {:?} {}",
                finding.rule, finding.severity, finding.step, finding.field, finding.message
            )
        })
        .collect();
    all.sort();
    all
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// The order of keys in a step, and of entries in the data files, does not matter.
    #[test]
    fn the_order_of_keys_changes_nothing(order in prop::collection::vec(0..1000_usize, 1..40)) {
        for base in [Base::Core, Base::Compat] {
            let changes: &[_] = if base == Base::Core { FAULTY } else { &[] };
            let mut files = base.changed(changes);
            let expected = report(base, changes);
            let text = files[&File::Recipe].clone();
            let (head, steps) = text.split_once("\nsteps:\n").unwrap();
            // The keys of each step are moved, and the steps stay in their order, which has a meaning.
            let mut moved = format!("{head}\nsteps:\n");
            let mut step = String::new();
            for line in steps.split_inclusive('\n').chain(["  end:\n"]) {
                if line.starts_with("  ") && !line.starts_with("   ") && !step.is_empty() {
                    moved.push_str(&shuffled(&step, 4, &order));
                    step.clear();
                }
                step.push_str(line);
            }
            files.insert(File::Recipe, moved);
            let manifest = files[&File::Manifest].clone();
            files.insert(File::Manifest, shuffled(&shuffled(&manifest, 2, &order), 0, &order));
            let moved = check(&recipe(&files), &data_of(base, &files), base.profile());
            prop_assert_eq!(essence(&moved.findings), essence(&expected.findings));
        }
    }

    #[test]
    fn no_recipe_makes_a_rule_panic(
        steps in prop::collection::vec((0..6_usize, 0..12_usize, 0..12_usize, 0..14_usize), 0..12),
        junk in "(name|steps|on_result|capture|when|route|with|state|resume|gate|sub_recipe|retries|: |\n|\n  |\n    |- |\\[|\\]|\\{|\\}|a|1|true|\\$\\{\\{ context.x \\}\\}){0,60}",
    ) {
        let mut text = String::from("name: x\ningredients: {a: {default: 1}, b: {}}\nkitchen_rules: [x]\nstate: {x: MUTABLE, y: z}\nresume: [{tier: x}, 3]\nsteps:\n");
        for (at, (kind, to, other, odd)) in steps.iter().enumerate() {
            let kind = ["tool: run_skill", "tool: run_cmd", "action: route", "action: stop", "constant: 1", "sub_recipe: s"][*kind];
            let odd = [
                "", "retries: two", "retries: -1", "skip_when_false: inputs.a", "on_exhausted: s1", "max_visits: 1",
                "on_result: [{when: 'context.x == a', route: s2}, {when: '((', route: s3}, 7]",
                "on_result: {field: x, routes: {a: s1, b: [1]}}", "capture: {x: '${{ result.x }}', y: [1]}",
                "with: {cmd: 'echo ${{ context.x }} ${{ inputs.q | z }}', skill_command: '/a:b ${{ context.x }}'}",
                "block: k", "optional_context_refs: x", "capture_list: {x: '${{ result.l }}'}", "with: 3",
            ][*odd];
            let _written = writeln!(text, "  s{at}: {{{kind}, on_success: s{to}, on_failure: s{other}{}{odd}}}", if odd.is_empty() { "" } else { ", " });
        }
        for text in [text, junk] {
            if let Ok(recipe) = load(&text, "t") {
                let data = data_of(Base::Compat, &Base::Core.files());
                for profile in PROFILES {
                    let one = check(&recipe, &data, profile);
                    prop_assert_eq!(&one, &check(&recipe, &data, profile));
                    let _bare = check(&recipe, &Data::default(), profile);
                }
            }
        }
    }

    #[test]
    fn no_data_file_makes_a_reader_panic(text in "(skills|inputs|outputs|name|type|version|DEFAULT|run_cmd|rule|severity|step|any|none|: |\n|\n  |\n    |- |\\[|\\]|\\{|\\}|,|a|1|true|\\PC){0,60}") {
        let _manifest = aris_yaml::typed::<Manifest>(&text, aris_yaml::Keys::Open);
        let _tools = aris_yaml::typed::<Tools>(&text, aris_yaml::Keys::Open);
        let _budgets = budgets(&text);
        let _exempt = aris_yaml::typed::<Vec<(String, String)>>(&text, aris_yaml::Keys::Open);
        let _rules = ProjectRule::parse_all(&text);
    }
}

/// Inputs that crash the reference.
#[test]
fn what_makes_the_reference_crash_is_a_finding() {
    let retries = found(
        Base::Core,
        &[(File::Recipe, "    retries: 2\n", "    retries: two\n")],
        "schema",
    );
    assert_eq!(retries.len(), 1);
    for odd in ["true", "3", "1.5", "[a]", "{a: 1}"] {
        let change = format!("default: {odd}");
        let files = Base::Core.files();
        let text = files[&File::Recipe].replacen("default: \"true\"", &change, 1);
        let report = check(
            &load(&text, "t").unwrap(),
            &Data::default(),
            Profile::Strict,
        );
        assert!(
            report
                .findings
                .iter()
                .any(|finding| finding.rule == "ingredient-default-type"),
            "{odd}"
        );
    }
    for odd in ["1.5", "2026-01-01", "[1]", "latest", "true"] {
        let files = Base::Compat.files();
        let text = files[&File::Recipe].replacen("\"0.9.0\"", odd, 1);
        let data = data_of(Base::Compat, &files);
        let report = check(&load(&text, "t").unwrap(), &data, Profile::Compat);
        let fired = report
            .findings
            .iter()
            .any(|finding| finding.rule == "outdated-recipe-version");
        assert_eq!(
            fired,
            !matches!(odd, "1.5" | "2026-01-01"),
            "{odd}: {:?}",
            report.findings
        );
    }
}

/// Rules without data are reported as skipped, so that nothing passes silently.
#[test]
fn rules_without_their_data_are_named() {
    let files = Base::Core.files();
    let report = check(&recipe(&files), &Data::default(), Profile::Core);
    let named: Vec<&str> = report
        .skipped_rules
        .iter()
        .map(|skipped| skipped.rule.as_str())
        .collect();
    for rule in [
        "unknown-sub-recipe",
        "unknown-required-pack",
        "unknown-skill-command",
        "missing-ingredient",
        "dead-with-param",
        "block-run-cmd-budget",
        "impossible-comparison",
    ] {
        assert!(named.contains(&rule), "{rule}: {named:?}");
    }
    assert!(!named.contains(&"dead-output"));
    assert!(
        check(&recipe(&files), &data(&files), Profile::Core)
            .skipped_rules
            .is_empty()
    );
}

#[test]
fn profiles_differ_as_they_should() {
    let change = [(File::Recipe, "    on_skip: number\n", "")];
    let files = Base::Core.changed(&change);
    let severity = |profile| {
        let report = check(&recipe(&files), &data(&files), profile);
        let found = report
            .findings
            .into_iter()
            .find(|finding| finding.rule == "ambiguous-skip-route");
        found.map(|finding| finding.severity.to_string())
    };
    let severities = PROFILES.map(severity);
    assert_eq!(
        severities,
        [Some("warning"), None, Some("error")].map(|word| word.map(str::to_owned))
    );
}

/// A long chain, a large loop, and a variable captured and read at every step.
#[test]
fn five_thousand_steps_are_checked() {
    let mut text =
        String::from("name: x\nkitchen_rules: [x]\ningredients: {a: {description: b}}\nsteps:\n");
    for at in 0..5000 {
        let next = (at + 1) % 5000;
        let before = if at == 0 { 4999 } else { at - 1 };
        let _written = write!(
            text,
            "  s{at}:\n    tool: run_cmd\n    with: {{cmd: \"echo \\\"v{at}=1\\\"; x ${{{{ context.v{before} | shq }}}}\"}}\n    \
             optional_context_refs: [v{before}]\n    capture: {{v{at}: \"${{{{ result.v{at} }}}}\"}}\n    \
             on_result:\n      - {{when: \"context.v{at} == a\", route: s{next}}}\n      - {{route: s{next}}}\n    on_failure: done\n"
        );
    }
    let recipe = load(&text, "t").unwrap();
    for profile in PROFILES {
        let report = check(&recipe, &Data::default(), profile);
        assert!(
            report
                .findings
                .iter()
                .any(|finding| finding.rule == "unbounded-cycle")
        );
    }
}
