//! Compares the published schema of specifications with what `build_manifest` accepts.
#![cfg(test)]

use aris_queue::grid::Plan;
use aris_queue::tree;
use jsonschema::Validator;
use proptest::prelude::*;
use serde_json::{Value, json};

const SCHEMA: &str = include_str!("../../../schemas/aris.build_manifest.grid.v1.json");

fn schema() -> Value {
    serde_json::from_str(SCHEMA).expect("JSON")
}

fn validator() -> Validator {
    jsonschema::validator_for(&schema()).expect("a schema")
}

fn built(specification: &Value) -> Result<(), String> {
    let node = tree::read(&specification.to_string()).map_err(|problem| problem.message)?;
    let plan = Plan::read(&node).map_err(|problems| {
        problems
            .iter()
            .map(|one| one.message.as_str())
            .collect::<Vec<_>>()
            .join("; ")
    })?;
    // The template of a grid without cells makes no job, so it is not checked.
    let empty = plan.phases().find(|(_, jobs)| *jobs == 0);
    empty.map_or(Ok(()), |(name, _)| Err(format!("{name} has no jobs")))
}

/// The keys of a level in the schema.
fn keys(level: &str) -> Vec<String> {
    let schema = schema();
    let keys = schema
        .pointer(&format!("{level}/properties"))
        .and_then(Value::as_object);
    keys.expect("keys").keys().cloned().collect()
}

fn base() -> Value {
    json!({
        "project": "p",
        "phases": [
            {"name": "a", "jobs": [{"id": "one", "cmd": "true"}]},
            {"name": "b", "grid": {"N": [1, 2]}, "template": {"id": "b${N}", "cmd": "run ${N}"}}
        ]
    })
}

/// The place of each level in [`base`], and in the schema.
const LEVELS: [(&str, &str); 4] = [
    ("", ""),
    ("/phases/1", "/$defs/Phase"),
    ("/phases/0/jobs/0", "/$defs/Level_for_Job"),
    ("/phases/1/template", "/$defs/Template"),
];

fn scalars() -> impl Strategy<Value = Value> {
    let known = [
        json!(null),
        json!(true),
        json!(0),
        json!(1),
        json!(2),
        json!(-1),
        json!(0.5),
        json!(4_000_000_000_u64),
        json!(1e30),
        json!(""),
        json!("a"),
        json!("N"),
        json!("one"),
        json!("1"),
        json!("+1"),
        json!("${N}"),
        json!("1:00:00"),
        json!("61:00"),
        json!("16 GiB"),
        json!(" 2G "),
        json!("16"),
        json!("gpu:2"),
        json!("1:0"),
        json!("--x=y"),
        json!("out/*.json"),
        json!("N >= 1"),
        json!("slurm"),
        json!("local"),
        json!("block"),
        json!("run"),
        json!("USR1"),
        json!("output"),
        json!("prefer"),
        json!("file_exists"),
    ];
    proptest::sample::select(known.to_vec())
}

fn values() -> impl Strategy<Value = Value> {
    let names = [
        "oom",
        "infra",
        "other",
        "lost",
        "delay",
        "factor",
        "max_delay",
        "other_gpu",
        "max_attempts",
        "signal",
        "before",
        "type",
        "path",
        "N",
        "seed",
        "phase",
        "match",
        "partition",
        "mem",
        "cpus",
        "gres",
        "extra",
        "nodes",
        "time",
        "A_B",
        "x_own",
        "nobody",
    ];
    scalars().prop_recursive(3, 12, 3, move |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            proptest::collection::btree_map(
                proptest::sample::select(names.to_vec()).prop_map(str::to_owned),
                inner,
                0..3
            )
            .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

/// A specification in which some keys of some levels are set to random values.
fn specifications() -> impl Strategy<Value = Value> {
    let all: Vec<(&str, String)> = LEVELS
        .iter()
        .flat_map(|(place, level)| keys(level).into_iter().map(|key| (*place, key)))
        .collect();
    let edit = (
        proptest::sample::select(all),
        prop_oneof![scalars(), values()],
    );
    proptest::collection::vec(edit, 1..3).prop_map(|edits| {
        let mut specification = base();
        for ((place, key), value) in edits {
            if let Some(level) = specification
                .pointer_mut(place)
                .and_then(Value::as_object_mut)
            {
                level.insert(key, value);
            }
        }
        specification
    })
}

#[test]
fn what_is_built_is_valid() {
    let validator = validator();
    let config = ProptestConfig {
        cases: 6000,
        failure_persistence: None,
        ..ProptestConfig::default()
    };
    let mut runner = proptest::test_runner::TestRunner::new(config);
    let (good, bad) = (std::cell::Cell::new(0), std::cell::Cell::new(0));
    runner
        .run(&specifications(), |specification| {
            let (built, errors) = (built(&specification), validator.iter_errors(&specification));
            let errors: Vec<String> = errors
                .map(|error| format!("{}: {error}", error.instance_path()))
                .collect();
            prop_assert!(built.is_err() || errors.is_empty(), "built, but {errors:?}");
            let count = if built.is_ok() { &good } else { &bad };
            count.set(count.get() + 1);
            Ok(())
        })
        .unwrap_or_else(|error| panic!("{error}"));
    assert!(
        good.get() > 300 && bad.get() > 300,
        "{good:?} built, {bad:?} not"
    );
}

#[test]
fn keys_that_nobody_knows_and_values_of_the_wrong_type_are_refused_by_both() {
    let validator = validator();
    for (place, level) in LEVELS {
        let unknown = [
            ("nobody", json!(1)),
            ("retry", json!({"nobody": 1})),
            ("time_limit", json!("61:00")),
            ("priority", json!([])),
        ];
        let typed = keys(level).into_iter().filter(|key| {
            !key.starts_with("x_")
                && !["ssh", "analyze_on_complete", "poll", "params"].contains(&key.as_str())
        });
        let typed: Vec<String> = typed.collect();
        let wrong = typed
            .iter()
            .map(|key| (key.as_str(), json!([{"nobody": [{}]}])));
        for (key, value) in unknown.into_iter().chain(wrong) {
            let mut specification = base();
            let map = specification
                .pointer_mut(place)
                .and_then(Value::as_object_mut)
                .expect("a map");
            map.insert(key.to_owned(), value);
            assert!(built(&specification).is_err(), "built: {specification}");
            assert!(
                !validator.is_valid(&specification),
                "valid: {specification}"
            );
        }
    }
    assert_eq!(built(&base()), Ok(()));
    assert!(validator.is_valid(&base()));
}

#[test]
fn the_example_is_valid() {
    let text = include_str!("../assets/example.yaml");
    let node = tree::read(text).expect("YAML");
    let errors: Vec<String> = validator()
        .iter_errors(&plain(&node))
        .map(|error| error.to_string())
        .collect();
    assert_eq!(errors, [""; 0]);
}

fn plain(node: &tree::Node) -> Value {
    match (&node.value, node.kind()) {
        (tree::Value::List(items), _) => items.iter().map(plain).collect(),
        (tree::Value::Map(entries), _) => Value::Object(
            entries
                .iter()
                .map(|(key, value)| (key.text.clone(), plain(value)))
                .collect(),
        ),
        (_, Some(tree::Kind::Bool(flag))) => json!(flag),
        (_, Some(tree::Kind::Integer(number))) => json!(number),
        (_, Some(tree::Kind::Float(number))) => json!(number),
        (_, Some(tree::Kind::Text(text))) => json!(text),
        (_, Some(tree::Kind::Null) | None) => Value::Null,
    }
}
