//! Randomly changed YAML and JSON: what both parsers accept has the same value, and JSON that Python accepts is accepted here
//! too.

use std::collections::BTreeMap;

use aris_testkit::{Mutator, setting};
use aris_yaml::{Node, Value};
use serde_json::{Value as Json, json};

use super::python;

/// Loads YAML with scalars as written.
const YAML: &str = r"
import json, sys, yaml
for text in json.load(sys.stdin):
    try:
        print(json.dumps([yaml.load(text, Loader=yaml.BaseLoader)]))
    except Exception:
        print('null')
";

/// Loads JSON with numbers as written. Refuses repeated keys and half surrogate pairs, as this project does.
const JSON: &str = r"
import json, sys
def refuse(word):
    raise ValueError(word)
def once(pairs):
    if len(dict(pairs)) < len(pairs):
        refuse('twice')
    return dict(pairs)
for text in json.load(sys.stdin):
    try:
        tree = [json.loads(text, parse_int=str, parse_float=str, parse_constant=refuse, object_pairs_hook=once)]
        json.dumps(tree, ensure_ascii=False).encode()
        print(json.dumps(tree))
    except (ValueError, RecursionError):
        print('null')
";

const YAML_FILES: [&str; 4] = [
    "name: r\nlist:\n  - one\n  - 'two: #3'\n  - \"a\\tb\\u00e9\"\nmap: {a: 1, b: [x, y], 'c d': z}\n",
    "text: |\n  one\n    two\n\nfolded: >-\n  a\n  b\n\n  c\nplain: a b\n  c # note\n? k\n: v\n",
    "&a x: &b [1, *a]\ny: *b\nz: !!str 5\nempty:\n",
    "--- # head\n- - a\n  - b: c\n    d: e\n-\n  f\n...\n",
];

const JSON_FILES: [&str; 2] = [
    "{\"a\": [1, -2.50, 3e-7, true, null, {\"b\": \"\\u00e9\\n\\ud83d\\ude00\"}], \"\": 0, \"c\": {}}",
    "[[], \"x\\\\y\\/\", 0.1, 1E400, 12345678901234567890, \" \", {\"k\": [false]}]\n",
];

/// A missing value is an empty text, not `~`.
fn shown(text: &str) -> &str {
    if text == "~" { "" } else { text }
}

/// The tree with every scalar as its text; of two equal keys the last counts.
fn plain(node: &Node) -> Json {
    match &node.value {
        Value::Scalar { text, .. } => json!(shown(text)),
        Value::List(items) => items.iter().map(plain).collect(),
        Value::Map(entries) => {
            let entries = entries
                .iter()
                .map(|(key, value)| (shown(&key.text).to_owned(), plain(value)));
            json!(entries.collect::<BTreeMap<String, Json>>())
        }
    }
}

/// Truth values and null as JSON's words.
fn worded(value: Json) -> Json {
    match value {
        Json::Array(items) => items.into_iter().map(worded).collect(),
        Json::Object(entries) => {
            let entries = entries.into_iter();
            entries.map(|(key, value)| (key, worded(value))).collect()
        }
        Json::String(text) => json!(text),
        other => json!(other.to_string()),
    }
}

/// Changed files, with Python's value of each; `None` where Python refuses it.
fn answers(files: &[&str], script: &str) -> Option<Vec<(String, Option<Json>)>> {
    let seeds: Vec<Vec<u8>> = files.iter().map(|file| file.as_bytes().to_vec()).collect();
    let seed = setting("ARIS_SEED", 22);
    println!("ARIS_SEED={seed}");
    let mut mutator = Mutator::new(seed, &seeds);
    let count = setting("ARIS_STORIES", 600).try_into().expect("a number");
    let texts = std::iter::repeat_with(|| String::from_utf8(mutator.input()));
    let short = texts.flatten().filter(|text| text.len() < 2000);
    let texts: Vec<String> = short.take(count).collect();
    let python = python(script, &json!(texts))?;
    let read = |line: &str| serde_json::from_str::<Option<[Json; 1]>>(line).expect("JSON");
    let lines = python.stdout().lines();
    let answers = lines.map(|line| read(line).map(|[answer]| answer));
    Some(texts.into_iter().zip(answers).collect())
}

#[test]
fn yaml_is_read_as_pyyaml_reads_it() {
    let Some(answers) = answers(&YAML_FILES, YAML) else {
        return;
    };
    let (mut both, mut one) = (0, 0);
    // Line breaks in YAML 1.1 but not in 1.2.
    let breaks = ['\u{85}', '\u{2028}', '\u{2029}'];
    for (text, theirs) in answers
        .into_iter()
        .filter(|(text, _)| !text.contains(breaks))
    {
        match (aris_yaml::read(&text), theirs) {
            (Ok(ours), Some(theirs)) => {
                let ours = ours.map_or(json!(""), |node| plain(&node));
                assert_eq!(ours, theirs, "{text:?}");
                both += 1;
            }
            (Ok(_), None) | (Err(_), Some(_)) => one += 1,
            (Err(_), None) => {}
        }
    }
    println!("{both} read by both, {one} by one of them");
}

#[test]
fn json_is_read_as_python_reads_it() {
    let Some(answers) = answers(&JSON_FILES, JSON) else {
        return;
    };
    let mut both = 0;
    for (text, theirs) in answers {
        if let Some(theirs) = theirs {
            let ours = aris_yaml::read_json(&text).map(|node| plain(&node));
            assert_eq!(ours, Ok(worded(theirs)), "{text:?}");
            both += 1;
        }
    }
    println!("{both} read by both");
}
