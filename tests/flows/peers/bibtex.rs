//! Random bibliographies, compared with bibtexparser.

use aris_paper::bib;
use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::TestRunner;
use serde_json::{Value as Json, json};

use super::python;

const SCRIPT: &str = r"
import bibtexparser, json, logging, sys
from bibtexparser.bparser import BibTexParser
logging.disable(logging.CRITICAL)
for text in json.load(sys.stdin):
    parser = BibTexParser(common_strings=True, ignore_nonstandard_types=False)
    print(json.dumps([{k: ' '.join(v.split()) for k, v in e.items()} for e in bibtexparser.loads(text, parser).entries]))
";

/// A value: braces, quotes, a number or a macro, or several of these joined.
fn value() -> impl Strategy<Value = String> {
    let text = "[A-Za-z][a-z0-9 ,.:-]{0,12}";
    let part = prop_oneof![
        text.prop_map(|text| format!("{{{text}}}")),
        (text, text).prop_map(|(one, two)| format!("{{{one}{{{two}}}}}")),
        text.prop_map(|text| format!("\"{text}\"")),
        (text, text).prop_map(|(one, two)| format!("\"{one}{{\"{two}}}\"")),
    ];
    let more = prop::collection::vec(
        prop_oneof![Just(String::from("mac")), Just(String::from("{ x}"))],
        0..2,
    );
    let joined = (part, more).prop_map(|(part, more)| {
        let parts = std::iter::once(part).chain(more);
        parts.collect::<Vec<_>>().join(" # ")
    });
    // bibtexparser cannot join numbers.
    prop_oneof![4 => joined, 1 => "[12][0-9]{3}"]
}

fn entry() -> impl Strategy<Value = String> {
    let field = ("( = |=)", value());
    let kind = prop::sample::select(vec!["article", "Book", "MISC", "inproceedings"]);
    let fields = prop::collection::vec(field, 1..5);
    (kind, "[a-z][a-z0-9:_-]{2,6}", fields, "(,\n|\n| )").prop_map(|(kind, key, fields, end)| {
        let names = ["title", "author", "Note", "year", "journal"].iter();
        let fields = names
            .zip(&fields)
            .map(|(name, (is, value))| format!("  {name}{is}{value}"));
        format!(
            "@{kind}{{{key},\n{}{end}}}\n",
            fields.collect::<Vec<_>>().join(",\n")
        )
    })
}

/// An entry in bibtexparser's form.
fn as_there(entry: &bib::Entry) -> Json {
    let own = [("ENTRYTYPE", &entry.kind), ("ID", &entry.key)];
    let fields = entry
        .fields
        .iter()
        .map(|field| (field.name.as_str(), &field.raw));
    let all = own.into_iter().chain(fields);
    let pairs = all.map(|(name, value)| (name.to_owned(), json!(value.trim())));
    Json::Object(pairs.collect())
}

#[test]
fn bibliographies_are_read_as_bibtexparser_reads_them() {
    let config = aris_testkit::stories(40);
    let count = config.cases;
    let mut runner = TestRunner::new(config);
    let between = prop_oneof![Just(""), Just("\n% a note\n"), Just("words between\n")];
    let file = prop::collection::vec((entry(), between), 1..5);
    let text = |_| {
        let entries = file.new_tree(&mut runner).expect("a file").current();
        let text: String = entries
            .iter()
            .flat_map(|(entry, between)| [entry.as_str(), between])
            .collect();
        format!("@string{{mac = \"Macro\"}}\n{text}")
    };
    let texts: Vec<String> = (0..count).map(text).collect();
    let Some(python) = python(SCRIPT, &json!(texts)) else {
        return;
    };
    let mut same = 0;
    for (text, theirs) in texts.iter().zip(python.stdout().lines()) {
        let theirs: Vec<Json> = serde_json::from_str(theirs).expect("a list");
        let ours = bib::read(text).entries;
        let ours: Vec<Json> = ours.iter().map(as_there).collect();
        assert_eq!(ours, theirs, "{text}");
        same += ours.len();
    }
    println!("{same} entries alike");
}
