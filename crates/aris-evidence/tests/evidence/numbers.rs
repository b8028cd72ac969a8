//! Results of calculations, compared with SQLite and with plain Rust, and refused calculations.

use aris_evidence::Limits;
use aris_evidence::QueryErrorKind::{Memory, NotFinite, NotNumber};
use aris_evidence::Value::{Integer, Null, Real};
use proptest::prelude::*;

use crate::project::{Project, text};

const MIXED: &str =
    "name,acc,ms,n\na,0.5,1.5,3\nb,NaN,2.5,4\n\"c\nd\",0.7,n/a,5\ne,-inf,4,\"1,234\"\n";

#[test]
fn texts_among_numbers_are_refused_with_their_place() {
    let project = Project::new(&[("results/a.csv", MIXED)]);
    for (what, kind, line, part) in [
        (
            "avg(acc)",
            NotFinite,
            3,
            "text `NaN` in column acc: avg needs numbers",
        ),
        (
            "sum(ms)",
            NotNumber,
            4,
            "text `n/a` in column ms: sum needs numbers",
        ),
        ("total(distinct ms)", NotNumber, 4, "total needs numbers"),
        (
            "sum(ms) over (order by rowid)",
            NotNumber,
            4,
            "sum needs numbers",
        ),
        (
            "median(n)",
            NotNumber,
            6,
            "text `1,234` in column n: median needs numbers",
        ),
        ("quantile(acc, 0.5)", NotFinite, 3, "quantile"),
        ("corr(ms, n)", NotNumber, 4, "corr"),
        ("max(acc)", NotFinite, 3, "max needs numbers"),
        ("min(acc)", NotFinite, 3, "min"),
        ("max(1, acc)", NotFinite, 3, "max"),
        ("100 * acc", NotFinite, 3, "arithmetic needs numbers"),
        ("avg(100 * ms)", NotNumber, 4, "arithmetic"),
        ("-ms", NotNumber, 4, "arithmetic"),
        ("sum(ms > 2)", NotNumber, 4, "a comparison"),
        ("sum(-1 <= ms)", NotNumber, 4, "a comparison"),
        ("sum(acc > ms)", NotFinite, 3, "a comparison"),
        ("cast(acc as real)", NotFinite, 3, "cast"),
        ("round(ms, 1)", NotNumber, 4, "round"),
        ("abs(ms)", NotNumber, 4, "abs"),
        ("ln(ms)", NotNumber, 4, "ln"),
        ("cast(ms as integer)", NotNumber, 4, "cast needs numbers"),
        ("rank() over (order by acc desc)", NotFinite, 3, "sorting"),
        (
            "rank() over (order by ms)",
            NotNumber,
            4,
            "sorting needs numbers, or texts alone",
        ),
        ("printf('%.1f', ms)", NotNumber, 4, "printf needs numbers"),
        ("format('%s %d', name, ms)", NotNumber, 4, "format needs"),
        ("ms | 0", NotNumber, 4, "arithmetic"),
        ("~ms", NotNumber, 4, "arithmetic"),
        ("2 * lower(ms)", NotNumber, 4, "arithmetic"),
        (".5 * ms", NotNumber, 4, "arithmetic"),
        ("'it''s', 2 * ms", NotNumber, 4, "arithmetic"),
        ("2 * /* ' 1 + */ ms", NotNumber, 4, "arithmetic"),
        ("2 * -- ' 1 +\n ms", NotNumber, 4, "arithmetic"),
        ("2 * \"results/a.csv\".ms", NotNumber, 4, "arithmetic"),
        ("\"results/a.csv\".ms * 2", NotNumber, 4, "arithmetic"),
        ("1 + (case when 1 then ms end)", NotNumber, 4, "arithmetic"),
        (
            "1 + first_value(ms) over (partition by name)",
            NotNumber,
            4,
            "arithmetic",
        ),
        (
            "first_value(ms) over (partition by name) + 1",
            NotNumber,
            4,
            "arithmetic",
        ),
        (
            "1 + min(name) filter (where n = 3)",
            NotNumber,
            2,
            "arithmetic",
        ),
        (
            "1 + min(name) filter (where n = 3) over (partition by name)",
            NotNumber,
            2,
            "arithmetic",
        ),
        ("(ms) * 2", NotNumber, 4, "arithmetic"),
        ("2 * (ms)", NotNumber, 4, "arithmetic"),
        ("-\"ms\"", NotNumber, 4, "arithmetic"),
        ("[ms] + 1", NotNumber, 4, "arithmetic"),
        ("1 + `ms`", NotNumber, 4, "arithmetic"),
        ("abs(n) + ms", NotNumber, 4, "arithmetic"),
        (
            "case when n <> 7 then ms end * 2",
            NotNumber,
            4,
            "arithmetic",
        ),
        ("sum(n between 1 and 9 and ms)", NotNumber, 4, "a condition"),
        (
            "sum(n between (1) and 9 and ms)",
            NotNumber,
            4,
            "a condition",
        ),
        ("1 << ms", NotNumber, 4, "arithmetic"),
        ("ms / 2", NotNumber, 4, "arithmetic"),
        ("1 / 2 + ms", NotNumber, 4, "arithmetic"),
        ("1-ms", NotNumber, 4, "arithmetic"),
        ("0x1e-ms", NotNumber, 4, "arithmetic"),
        ("2 * 1 || ms", NotNumber, 0, "`1n/a`: arithmetic"),
        ("sum(name > -1)", NotNumber, 2, "a comparison"),
        ("sum((ms) > 2)", NotNumber, 4, "a comparison"),
        ("sum(2 between 1 and ms)", NotNumber, 4, "a comparison"),
        ("not ms", NotNumber, 4, "a condition needs numbers"),
        ("ms and 1", NotNumber, 4, "a condition"),
        ("0 or (n <> 3 and ms)", NotNumber, 4, "a condition"),
        ("iif(ms, 1, 0)", NotNumber, 4, "a condition"),
        ("case when ms then 1 end", NotNumber, 4, "a condition"),
        ("count(*) filter (where ms)", NotNumber, 4, "a condition"),
        ("min(ms)", NotNumber, 4, "min needs numbers, or texts alone"),
        (
            "max(case when n <> 7 then ms end)",
            NotNumber,
            4,
            "max needs",
        ),
        ("min(2, ms)", NotNumber, 4, "min needs"),
        (
            "sum(ms between 1 and 2)",
            NotNumber,
            4,
            "a comparison needs numbers",
        ),
        ("sum(ms not between -1 and 2)", NotNumber, 4, "a comparison"),
        ("sum(2 between ms and 9)", NotNumber, 4, "a comparison"),
        (
            "sum(name > ms)",
            NotNumber,
            2,
            "a comparison needs numbers, or texts alone",
        ),
    ] {
        let sql = format!("select {what} from \"results/a.csv\"");
        project.fails(&sql, kind, &format!("results/a.csv:{line}"), part);
    }
    for (end, kind, line, part) in [
        ("order by acc desc limit 1", NotFinite, 3, "sorting"),
        ("order by ms", NotNumber, 4, "sorting"),
        ("where ms", NotNumber, 4, "a condition"),
    ] {
        let sql = format!("select name from \"results/a.csv\" {end}");
        project.fails(&sql, kind, &format!("results/a.csv:{line}"), part);
    }
    for sql in [
        "select 1 + first_value(ms) over w from \"results/a.csv\" window w as (partition by name)",
        "select cast(chars as real) from (select ms as chars from \"results/a.csv\")",
    ] {
        project.fails(sql, NotNumber, "results/a.csv:4", "needs numbers");
    }
    let shown = project
        .error("select sum(ms) from \"results/a.csv\"")
        .to_string();
    assert!(
        shown.starts_with("results/a.csv, line 4: text `n/a`"),
        "{shown}"
    );
    // Rows with only numbers give answers, and texts may be used as texts.
    for (sql, expected) in [
        (
            "select avg(acc) from \"results/a.csv\" where acc not in ('NaN', '-inf')",
            vec![Real(0.6)],
        ),
        (
            "select acc from \"results/a.csv\" where name = 'b'",
            vec![text("NaN")],
        ),
        (
            "select sum(case name when 'a' then n when 'b' then 0 end), max(case when name is not 'b' and n = 3 then n end) from \"results/a.csv\" where name is not 'x'",
            vec![Integer(3), Integer(3)],
        ),
        (
            "select max(name), cast(max(acc) filter (where name in ('a', 'c\nd')) as text), cast(ms as text) from \"results/a.csv\" where ms = 'n/a'",
            vec![text("c\nd"), text("0.7"), text("n/a")],
        ),
        (
            "select name, max(n) from \"results/a.csv\" where name <> 'e' and n between 3 and 5",
            vec![text("c\nd"), Integer(5)],
        ),
        (
            "select sum(name between 'a' and 'b') from \"results/a.csv\"",
            vec![Integer(2)],
        ),
        (
            "select sum(name between lower('A') and 'b'), sum(name between case when 1 then 'a' end and 'b') from \"results/a.csv\"",
            vec![Integer(2), Integer(2)],
        ),
        (
            "select printf('%s: %.1f%%', name, 100 * acc) from \"results/a.csv\" where name between 'a' and 'b' and not (acc = 'NaN') and 1",
            vec![text("a: 50.0%")],
        ),
        (
            "select count(ms), count(*) from \"results/a.csv\"",
            vec![Integer(4), Integer(4)],
        ),
        (
            "select substr('18-25', 1, 2) + 0, '7' * 1.5, ' 2.5 ' * 2, '-5' > -1",
            vec![Integer(18), Real(10.5), Real(5.0), Integer(0)],
        ),
        (
            "select sum(name between 'a' and 'b') from (select name, 1 as end from \"results/a.csv\") where end = 1",
            vec![Integer(2)],
        ),
        (
            "select end, name between 'a' and 'b' from (select name, n as end from \"results/a.csv\" limit 1)",
            vec![Integer(3), Integer(1)],
        ),
        (
            "select sum(replace(n, ',', '') + 0) from \"results/a.csv\"",
            vec![Integer(1246)],
        ),
        (
            "select name from \"results/a.csv\" where name > 'b' order by name",
            vec![text("c\nd"), text("e")],
        ),
    ] {
        assert_eq!(project.values(sql), expected, "{sql}");
    }
    project.fails(
        "select '18-25' + 0",
        NotNumber,
        "0:0",
        "text `18-25`: arithmetic",
    );
}

/// Identifiers from clocks have 20 digits: as doubles, neighbours would be equal.
#[test]
fn whole_numbers_of_any_length_are_compared_exactly() {
    let project = Project::new(&[
        (
            "a.csv",
            "id,v\n20261130123456000001,80\n20261130123456000002,89.4\n-20261130123456000001,1\n7,2\n",
        ),
        (
            "a.tsv",
            "id\tv\n 20261130123456000001 \t80\n20261130123456000002\t89.4\n",
        ),
        (
            "a.json",
            "[{\"id\": 20261130123456000001, \"v\": 80}, {\"id\": 20261130123456000002, \"v\": 89.4}]",
        ),
        (
            "a.jsonl",
            "{\"id\": 20261130123456000001, \"v\": 80}\n{\"id\": 20261130123456000002, \"v\": 89.4}\n",
        ),
        (
            "d.json",
            "{\"runs\": [{\"id\": 20261130123456000001, \"v\": 80}, {\"id\": 20261130123456000002, \"v\": 89.4}]}",
        ),
        (
            "d.yaml",
            "runs:\n- {id: 20261130123456000001, v: 80}\n- {id: 20261130123456000002, v: 89.4}\n",
        ),
        (
            "flops.csv",
            "flops\n18446744073709551616\n314000000000000000000000\n",
        ),
        (
            "tall.csv",
            "id\n20261130123456000001\n120261130123456000001\n",
        ),
    ]);
    let second = "20261130123456000002";
    for file in ["a.csv", "a.tsv", "a.json", "a.jsonl"] {
        for (condition, value) in [
            (format!("id = {second}"), Real(89.4)),
            (format!("id in (1, {second})"), Real(89.4)),
            (format!("id = '{second}'"), Real(89.4)),
        ] {
            let sql = format!("select avg(v) from \"{file}\" where {condition}");
            assert_eq!(project.values(&sql), [value], "{sql}");
        }
    }
    for (sql, value) in [
        ("select max(id) from \"a.tsv\"", text(second)),
        ("select count(distinct id) from \"a.csv\"", Integer(4)),
        (
            "select v from \"a.csv\" where id = '-20261130123456000001'",
            Integer(1),
        ),
        ("select v from \"a.csv\" where id = 7", Integer(2)),
        (
            "select avg(b.v) from \"a.csv\" a join \"a.jsonl\" b using (id) where a.v > 85",
            Real(89.4),
        ),
        (
            "select v from \"a.tsv\" where id >= 20261130123456000002",
            Real(89.4),
        ),
        (
            "select r.value ->> 'v' from \"d.json\", json_each(doc, '$.runs') r where r.value ->> 'id' = 20261130123456000002",
            Real(89.4),
        ),
        (
            "select r.value ->> 'v' from \"d.yaml\", json_each(doc, '$.runs') r where r.value ->> 'id' = 20261130123456000002",
            Real(89.4),
        ),
        // Arithmetic is that of doubles.
        (
            "select sum(flops) / 1e21 from \"flops.csv\" where flops > 1e20",
            Real(314.0),
        ),
        (
            "select count(*) from \"flops.csv\" where flops > 2",
            Integer(2),
        ),
    ] {
        assert_eq!(project.values(sql), [value], "{sql}");
    }
    for sql in [
        "select max(id) from \"tall.csv\"",
        "select id from \"tall.csv\" order by id",
        "select id from \"a.csv\" order by id",
    ] {
        project.fails(sql, NotNumber, "", "sort like numbers only if");
    }
}

#[test]
fn the_first_text_among_numbers_is_named_and_no_other_question_is_touched() {
    let project = Project::new(&[("a.csv", "n,t,m\n1,x,y\n2,x,z\n3,x,4\n")]);
    project.fails(
        "select max(m) from \"a.csv\"",
        NotNumber,
        "a.csv:2",
        "text `y`",
    );
    let questions = ["n", "t", "n"].map(|column| format!("select max({column}) from \"a.csv\""));
    let evaluation = project.evaluate(&questions.each_ref().map(String::as_str));
    let values: Vec<_> = evaluation
        .answers
        .into_iter()
        .map(|answer| answer.expect("an answer").rows.concat().remove(0))
        .collect();
    assert_eq!(values, [Integer(3), text("x"), Integer(3)]);
    let project = project.view("v", "select n, max(m, m) as most from \"a.csv\"");
    let evaluation = project.evaluate(&[
        "select most from v where n = 3",
        "select most from v where n = 1",
    ]);
    let answers: Vec<_> = evaluation.answers.into_iter().map(Result::unwrap).collect();
    assert_eq!(answers[0].rows.concat(), [Integer(4)]);
    assert_eq!(answers[1].rows.concat(), [text("y")]);
}

#[test]
fn texts_in_documents_have_their_place() {
    let project = Project::new(&[
        (
            "m.json",
            "{\"a\": 1,\n \"b\": {\"loss\": NaN, \"note\": \"x\"}}",
        ),
        ("l.json", "[{\"v\": 1},\n {\"v\": Infinity}]"),
    ]);
    project.fails(
        "select 2 * (doc ->> '$.b.loss') from \"m.json\"",
        NotFinite,
        "m.json:2",
        "text `NaN`",
    );
    project.fails(
        "select 2 * doc ->> '$.b.note' from \"m.json\"",
        NotNumber,
        "m.json:2",
        "text `x`",
    );
    project.fails(
        "select avg(v) from \"l.json\"",
        NotFinite,
        "l.json:2",
        "in column v",
    );
    assert_eq!(
        project.number("select 2 * doc ->> '$.a' from \"m.json\""),
        2
    );
}

#[test]
fn what_has_no_finite_result_is_refused() {
    let project = Project::new(&[("a.csv", "x,y\n1,5\n2,5\n")]);
    for sql in [
        "select ln(0)",
        "select ln(-3)",
        "select sqrt(-1)",
        "select exp(1000)",
        "select pow(0, -1)",
        "select pow(-8, 1.0 / 3)",
        "select geomean(-x) from \"a.csv\"",
        "select corr(x, y) from \"a.csv\"",
        "select quantile(x, 1.5) from \"a.csv\"",
        "select 1e308 * 10",
        "select avg(1e308 * 10) from \"a.csv\"",
        "select sum(9223372036854775807) from \"a.csv\"",
    ] {
        let error = project.error(sql);
        assert_eq!(error.kind, NotFinite, "{sql}: {error:?}");
    }
    project.fails(
        "select geomean(1 - x) from \"a.csv\"",
        NotFinite,
        "",
        "geomean has no value with -1, which is negative",
    );
    for (sql, expected) in [
        (
            "select ln(null), pow(2, null), median(null), stddev(1), sem(1), corr(1, 2), avg(null), sum(null), total(null)",
            vec![Null, Null, Null, Null, Null, Null, Null, Null, Real(0.0)],
        ),
        (
            "select stddev_pop(1), geomean(0), mae(1, 3), rmse(1, 3)",
            vec![Real(0.0), Real(0.0), Real(2.0), Real(2.0)],
        ),
        (
            "select stddev_pop(null), geomean(null), mae(null, 1), rmse(1, null), quantile(null, 0.5)",
            vec![Null, Null, Null, Null, Null],
        ),
        (
            "select geomean(x - 1), quantile(x, 0), quantile(x, 1), stddev(x) from \"a.csv\"",
            vec![Real(0.0), Real(1.0), Real(2.0), Real(0.5_f64.sqrt())],
        ),
        (
            "select floor(-1.5), ceil(1.2), log2(8), log10(1000), sqrt(16), power(2, 10)",
            vec![
                Real(-2.0),
                Real(2.0),
                Real(3.0),
                Real(3.0),
                Real(4.0),
                Real(1024.0),
            ],
        ),
        ("select 1 / 0, 7 / 2", vec![Null, Integer(3)]),
    ] {
        assert_eq!(project.values(sql), expected, "{sql}");
    }
}

#[test]
fn memory_of_medians_is_bounded() {
    let mut project = Project::new(&[("a.csv", "x\n1\n2\n3\n")]);
    project.limits = Limits {
        bytes: 16,
        ..Limits::default()
    };
    project.fails(
        "select median(x) from \"a.csv\"",
        Memory,
        "",
        "at most 2 numbers",
    );
}

fn csv(pairs: &[(f64, f64)]) -> String {
    let rows: Vec<String> = pairs.iter().map(|(x, y)| format!("{x},{y}\n")).collect();
    format!("x,y\n{}", rows.concat())
}

fn close(found: f64, expected: f64) -> bool {
    (found - expected).abs() <= 1e-9 * expected.abs().max(1e-3)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn aggregates_are_what_their_definitions_say(
        pairs in proptest::collection::vec((-1e3..1e3f64, -1e3..1e3f64), 2..40),
        share in 0.0..=1.0f64,
    ) {
        let project = Project::new(&[("a.csv", &csv(&pairs))]);
        let n = pairs.len() as f64;
        let mut x: Vec<f64> = pairs.iter().map(|(x, _)| *x).collect();
        let mean = |values: &mut dyn Iterator<Item = f64>| values.sum::<f64>() / n;
        let (mx, my) = (mean(&mut x.iter().copied()), mean(&mut pairs.iter().map(|(_, y)| *y)));
        let square = |difference: f64| difference * difference;
        let variance = mean(&mut x.iter().map(|x| square(x - mx)));
        let covariance = mean(&mut pairs.iter().map(|(x, y)| (x - mx) * (y - my)));
        let of_y = mean(&mut pairs.iter().map(|(_, y)| square(y - my)));
        x.sort_by(f64::total_cmp);
        let quantile = |share: f64| {
            let place = share * (n - 1.0);
            let low = x[place.floor() as usize];
            low + (x[place.ceil() as usize] - low) * place.fract()
        };
        let sql = format!(
            "select avg(x), sum(x), median(x), quantile(x, {share}), stddev(x), stddev_pop(x), sem(x),
                    geomean(abs(x) + 1), rmse(x, y), mae(x, y), corr(x, y) from \"a.csv\""
        );
        let found = project.values(&sql);
        let stddev = (variance * n / (n - 1.0)).sqrt();
        let expected = [
            mx, mx * n, quantile(0.5), quantile(share), stddev, variance.sqrt(), stddev / n.sqrt(),
            mean(&mut x.iter().map(|x| (x.abs() + 1.0).ln())).exp(),
            mean(&mut pairs.iter().map(|(x, y)| square(x - y))).sqrt(),
            mean(&mut pairs.iter().map(|(x, y)| (x - y).abs())),
            covariance / (variance * of_y).sqrt(),
        ];
        for (at, (found, expected)) in found.iter().zip(expected).enumerate() {
            let Real(found) = found else { panic!("{found:?}") };
            prop_assert!(close(*found, expected), "{at}: {found} {expected}");
        }
    }

    #[test]
    fn checked_queries_give_what_sqlite_gives(
        rows in proptest::collection::vec((-9i64..9, -9i64..9), 1..12),
        expression in expression(),
        order in "(x|y|x \\+ y|1|z|-y|x desc|y nulls last|t\\.x|x collate nocase desc)",
    ) {
        let lines: Vec<String> = rows.iter().map(|(x, y)| format!("{x},{y},l{x}\n")).collect();
        let project = Project::new(&[("a.csv", &format!("x,y,label\n{}", lines.concat()))]);
        let plain = rusqlite::Connection::open_in_memory().unwrap();
        plain.execute_batch("create table t (x, y, label)").unwrap();
        for (x, y) in &rows {
            plain.execute("insert into t values (?, ?, ?)", (x, y, format!("l{x}"))).unwrap();
        }
        for sql in [
            format!("select {expression} as z, x, y, label from t as t order by {order}, x, y"),
            format!("select sum({expression}), avg(y) as x, max({expression}) from t as t group by label order by x, 1"),
            format!("select sum({expression}) over (order by y, x rows 1 preceding), label from t as t where {expression} > -3"),
        ] {
            let mut statement = plain.prepare(&sql).unwrap();
            let columns = statement.column_count();
            let mut rows = statement.query([]).unwrap();
            let mut expected = Vec::new();
            let mut wrong = None;
            loop {
                match rows.next() {
                    Ok(Some(row)) => for at in 0..columns {
                        expected.push(match row.get_unwrap::<_, rusqlite::types::Value>(at) {
                            rusqlite::types::Value::Integer(number) => Integer(number),
                            rusqlite::types::Value::Real(real) => Real(real),
                            rusqlite::types::Value::Text(written) => text(&written),
                            _ => Null,
                        });
                    },
                    Ok(None) => break,
                    Err(error) => {
                        wrong = Some(error);
                        break;
                    }
                }
            }
            let asked = project.ask(&sql.replace("from t as t", "from \"a.csv\" as t"));
            match (asked, wrong) {
                (Ok(answer), None) => prop_assert_eq!(answer.rows.concat(), expected, "{}", sql),
                (Err(error), wrong) => prop_assert!(
                    wrong.is_some() || matches!(error.kind, NotFinite | NotNumber),
                    "{}: {}",
                    sql,
                    error
                ),
                (Ok(answer), Some(wrong)) => prop_assert!(false, "{sql}: {answer:?} {wrong}"),
            }
        }
    }
}

/// Expressions on the columns x, y and label, nested a few levels. Comparisons have no texts that are numbers: this crate
/// compares those as numbers, SQLite does not.
fn expression() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("x"),
        Just("t.y"),
        Just("\"y\""),
        Just("3"),
        Just("-2.5"),
        Just("length(label)"),
        Just("'4' * 1"),
        Just("(select max(x) from t as t)"),
        Just("json_extract('[1,2]', '$[1]')"),
        Just("'[5]' ->> '$[0]'"),
    ]
    .prop_map(str::to_owned);
    leaf.prop_recursive(3, 24, 3, |inner| {
        let operator = prop_oneof![
            Just("+"),
            Just("-"),
            Just("*"),
            Just("/"),
            Just("%"),
            Just("<"),
            Just(">="),
            Just("="),
            Just("and"),
            Just("is not")
        ];
        prop_oneof![
            (inner.clone(), operator, inner.clone()).prop_map(|(a, op, b)| format!("{a} {op} {b}")),
            inner.clone().prop_map(|a| format!("({a})")),
            inner.clone().prop_map(|a| format!("- {a}")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("length({a} || {b})")),
            inner.clone().prop_map(|a| format!("abs({a})")),
            inner.clone().prop_map(|a| format!("cast({a} as integer)")),
            inner.clone().prop_map(|a| format!("x in ({a}, 2)")),
            inner.clone().prop_map(|a| format!("(({a}, 1) < (2, y))")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("max({a}, {b})")),
            (inner.clone(), inner.clone())
                .prop_map(|(a, b)| format!("case when {a} then {b} else x end")),
            (inner.clone(), inner.clone())
                .prop_map(|(a, b)| format!("case {a} when {b} then 1 end")),
            (inner.clone(), inner).prop_map(|(a, b)| format!("x between {a} and {b}")),
        ]
    })
}
