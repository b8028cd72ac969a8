//! Compares random queries on random tables with Python's `sqlite3`, which gets the same query text and the values as converted
//! by Python, and statistics with pandas.

use std::fmt::Write as _;

use aris_evidence::Value;
use aris_testkit::Helper;
use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::TestRunner;
use serde_json::{Value as Json, json};

use crate::project::Project;

/// Reads a list of tables with their queries and prints the rows of each query; integers and reals are marked.
const PYTHON: &str = r#"
import json, sqlite3, sys
def number(text, kind):
    return kind(text) if text else None
for rows, queries in json.load(sys.stdin):
    db = sqlite3.connect(":memory:")
    db.execute('create table "t.csv" (k text, n integer, x real)')
    db.executemany('insert into "t.csv" values (?, ?, ?)', [(k or None, number(n, int), number(x, float)) for k, n, x in rows])
    answers = []
    for query in queries:
        try:
            answers.append([[["r", repr(v)] if isinstance(v, float) else v for v in row] for row in db.execute(query)])
        except sqlite3.Error as error:
            answers.append(str(error))
    print(json.dumps(answers))
"#;

fn number() -> BoxedStrategy<String> {
    let leaf = prop_oneof!["n", "x", "-?[0-9]{1,3}", "[0-9]\\.[0-9]{1,3}"].boxed();
    let deeper = |inner: BoxedStrategy<String>| {
        let two = (inner.clone(), "[-+*/]", inner.clone());
        prop_oneof![
            two.prop_map(|(one, sign, other)| format!("({one} {sign} {other})")),
            inner.clone().prop_map(|inner| format!("abs({inner})")),
            inner
                .clone()
                .prop_map(|inner| format!("coalesce({inner}, 0)")),
            (inner.clone(), inner).prop_map(|(one, other)| format!(
                "case when {one} > {other} then {one} else 0 end"
            )),
        ]
    };
    leaf.prop_recursive(2, 6, 2, move |inner| deeper(inner).boxed())
        .boxed()
}

fn condition() -> BoxedStrategy<String> {
    let leaf = prop_oneof![
        (
            number(),
            prop::sample::select(vec!["<", "<=", "=", "<>", ">", ">="]),
            number()
        )
            .prop_map(|(one, sign, other)| format!("{one} {sign} {other}")),
        "k = '[abc]'",
        "k in \\('a', '[bc]'\\)",
        "k like '%[ab]%'",
        "n is null",
        "x is not null",
        "n between -?[0-9] and [0-9]{2}",
    ];
    let deeper = |inner: BoxedStrategy<String>| {
        prop_oneof![
            (inner.clone(), "(and|or)", inner.clone())
                .prop_map(|(one, sign, other)| format!("({one} {sign} {other})")),
            inner.prop_map(|inner| format!("not ({inner})")),
        ]
    };
    leaf.boxed()
        .prop_recursive(2, 4, 2, move |inner| deeper(inner).boxed())
        .boxed()
}

fn aggregate() -> impl Strategy<Value = String> {
    let name = prop::sample::select(vec![
        "sum",
        "avg",
        "min",
        "max",
        "count",
        "total",
        "count(distinct k), sum",
    ]);
    prop_oneof![
        6 => (name, number()).prop_map(|(name, number)| format!("{name}({number})")),
        1 => Just(String::from("count(*)")),
    ]
}

/// Queries with several rows have a total order.
fn query() -> impl Strategy<Value = String> {
    let table = "\"t.csv\"";
    prop_oneof![
        (aggregate(), aggregate(), condition())
            .prop_map(move |(one, other, when)| format!("select {one}, {other} from {table} where {when}")),
        (aggregate(), aggregate(), condition())
            .prop_map(move |(one, other, when)| format!("select k, {one} from {table} where {when} group by k having {other} > 0 order by k")),
        (number(), condition(), 1..9_u8)
            .prop_map(move |(one, when, most)| format!("select n, x, {one} from {table} where {when} order by n, x desc, k, 3 limit {most}")),
        aggregate().prop_map(move |one| format!(
            "with g as (select k, {one} as v from {table} group by k) select a.k, b.k, a.v from g a join g b on a.k < b.k order by 1, 2"
        )),
        number().prop_map(move |one| format!(
            "select n, x, sum({one}) over (order by n, x, k rows 2 preceding) from {table} where k is not null order by n, x, k, 3"
        )),
        (number(), number()).prop_map(move |(one, other)| format!(
            "select (select max({one}) from {table} b where b.k = a.k), {other} from {table} a order by 1, 2 limit 5"
        )),
    ]
}

/// A row of `t.csv`: a name, an integer and a real, each of which may be missing.
type Row = (String, String, String);

fn row() -> impl Strategy<Value = Row> {
    (
        "[abc]?",
        "|0|-?[1-9][0-9]{0,2}",
        "|-?[0-9]\\.[0-9]{1,3}|[1-9][0-9]{3}\\.5",
    )
}

fn csv(rows: &[Row]) -> String {
    let mut csv = String::from("k,n,x\n");
    for (k, n, x) in rows {
        writeln!(csv, "{k},{n},{x}").expect("text");
    }
    csv
}

/// Whether two values are the same up to rounding. `size`: the largest intermediate sum.
fn same(ours: &Value, theirs: &Json, size: f64) -> bool {
    match (ours, theirs) {
        (Value::Null, Json::Null) => true,
        (Value::Integer(ours), Json::Number(theirs)) => theirs.as_i64() == Some(*ours),
        (Value::Text(ours), Json::String(theirs)) => ours == theirs,
        (Value::Real(ours), Json::Array(theirs)) => {
            let theirs: f64 = theirs[1].as_str().expect("text").parse().expect("a number");
            // Versions of SQLite add differently: before 3.43, a sum over a moving window keeps the rounding error of its largest
            // value.
            (ours - theirs).abs() <= 1e-11 * size.max(ours.abs()).max(theirs.abs()).max(1.0)
        }
        _ => false,
    }
}

#[test]
fn queries_are_answered_as_sqlite_answers_them() {
    let config = aris_testkit::stories(12);
    let count = config.cases;
    let mut runner = TestRunner::new(config);
    let story = (
        prop::collection::vec(row(), 1..12),
        prop::collection::vec(query(), 25),
    );
    let stories: Vec<_> = (0..count)
        .map(|_| story.new_tree(&mut runner).expect("a story").current())
        .collect();
    let asked = Helper::at("/usr/bin/env")
        .call(std::env::temp_dir())
        .args(["python3", "-c", PYTHON])
        .stdin(json!(stories).to_string())
        .run();
    if asked.code() != 0 {
        println!("skipped: there is no python3 with sqlite3");
        return;
    }
    let (mut right, mut refused) = (0, 0);
    for ((rows, queries), answers) in stories.iter().zip(asked.stdout().lines()) {
        let csv = csv(rows);
        let project = Project::new(&[("t.csv", &csv)]);
        let texts: Vec<&str> = queries.iter().map(String::as_str).collect();
        let ours = project.evaluate(&texts).answers;
        let answers: Vec<Json> = serde_json::from_str(answers).expect("a list");
        for ((sql, ours), theirs) in queries.iter().zip(&ours).zip(&answers) {
            let Ok(ours) = ours else {
                refused += 1;
                continue;
            };
            let theirs = theirs.as_array().expect("rows");
            let reals = ours.rows.iter().flatten().filter_map(|value| match value {
                Value::Real(real) if sql.contains(" over ") => Some(real.abs()),
                _ => None,
            });
            let size = reals.fold(0.0, f64::max);
            let alike = ours.rows.len() == theirs.len()
                && ours.rows.iter().zip(theirs).all(|(ours, theirs)| {
                    let theirs = theirs.as_array().expect("a row");
                    ours.iter()
                        .zip(theirs)
                        .all(|(ours, theirs)| same(ours, theirs, size))
                });
            assert!(alike, "{sql}\n{csv}here {:?}, there {theirs:?}", ours.rows);
            right += 1;
        }
    }
    println!("{right} answers are those of sqlite3, {refused} are refused");
    assert!(refused < right / 4, "{refused} of {right}");
}

/// Statistics by pandas: of each group, then of the whole table, and the correlation; none if there is no value.
const PANDAS: &str = r"
import json, math, sys, warnings
import pandas
warnings.simplefilter('ignore')
def given(value):
    return None if value is None or math.isnan(value) else float(value)
def statistics(rows):
    return [given(value) for value in (rows.n.median(), rows.x.quantile(0.25), rows.x.std(), rows.n.std(ddof=0), rows.x.sem(), rows.n.mean(),
        rows.x.sum(min_count=1), rows.x.min(), rows.n.max(), rows.x.count())]
for rows in json.load(sys.stdin):
    table = pandas.DataFrame([(k or None, n or None, x or None) for k, n, x in rows], columns=list('knx'))
    table[['n', 'x']] = table[['n', 'x']].astype(float)
    answers = [statistics(group) for _, group in table.dropna(subset=['k']).groupby('k')]
    print(json.dumps([answers + [statistics(table)], given(table.n.corr(table.x))]))
";

#[test]
fn statistics_are_those_of_pandas() {
    let statistics = "median(n), quantile(x, 0.25), stddev(x), stddev_pop(n), sem(x), avg(n), sum(x), min(x), max(n), count(x)";
    let grouped =
        format!("select {statistics} from \"t.csv\" where k is not null group by k order by k");
    let whole = format!("select {statistics} from \"t.csv\"");
    let correlation = "select corr(n, x) from \"t.csv\"";
    let config = aris_testkit::stories(100);
    let count = config.cases;
    let mut runner = TestRunner::new(config);
    let tables = prop::collection::vec(row(), 1..30);
    let tables: Vec<_> = (0..count)
        .map(|_| tables.new_tree(&mut runner).expect("a table").current())
        .collect();
    let asked = Helper::at("/usr/bin/python3")
        .call(std::env::temp_dir())
        .args(["-c", PANDAS])
        .stdin(json!(tables).to_string())
        .run();
    if asked.code() != 0 {
        println!("skipped: there is no /usr/bin/python3 with pandas");
        return;
    }
    let number = |value: &Value| match value {
        Value::Null => None,
        #[expect(clippy::cast_precision_loss, reason = "small numbers")]
        Value::Integer(number) => Some(*number as f64),
        Value::Real(number) => Some(*number),
        Value::Text(text) => panic!("{text}"),
    };
    let alike = |ours: Option<f64>, theirs: Option<f64>| match (ours, theirs) {
        (Some(ours), Some(theirs)) => (ours - theirs).abs() <= 1e-9 * theirs.abs().max(1.0),
        (ours, theirs) => ours == theirs,
    };
    let mut compared = 0;
    for (rows, theirs) in tables.iter().zip(asked.stdout().lines()) {
        let csv = csv(rows);
        let project = Project::new(&[("t.csv", &csv)]);
        let answers = project.evaluate(&[&grouped, &whole, correlation]).answers;
        let (theirs, together): (Vec<Vec<Option<f64>>>, Option<f64>) =
            serde_json::from_str(theirs).expect("numbers");
        let (correlation, statistics) = answers.split_last().expect("three answers");
        let ours = statistics
            .iter()
            .flat_map(|answer| &answer.as_ref().expect("an answer").rows);
        for (ours, theirs) in ours.zip(&theirs) {
            let ours: Vec<Option<f64>> = ours.iter().map(number).collect();
            let same = ours
                .iter()
                .zip(theirs)
                .all(|(one, other)| alike(*one, *other));
            assert!(same, "{csv}here {ours:?}, there {theirs:?}");
            compared += ours.len();
        }
        // Equal numbers have no correlation; here that is an error.
        let correlation = correlation.as_ref().ok();
        let correlation = correlation.and_then(|answer| number(&answer.rows[0][0]));
        assert!(
            alike(correlation, together),
            "{csv}here {correlation:?}, there {together:?}"
        );
    }
    println!("{compared} statistics are those of pandas");
}
