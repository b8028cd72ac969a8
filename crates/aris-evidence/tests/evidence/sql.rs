//! The SQL that questions can use.

use aris_evidence::QueryErrorKind::*;
use aris_evidence::Value::{Integer, Null, Real};
use aris_evidence::{Limits, Question, evaluate};

use crate::project::{Project, question, text};

const RUNS: &str = "method,seed,acc\nours,1,0.90\nours,2,0.94\nbase,1,0.80\nbase,2,NA\n";

fn project() -> Project {
    Project::new(&[
        ("results/a.csv", "x,y\n1,2.5\n2,\n3,4.5\n"),
        ("results/b.csv", "y,x,z\n2.5,1,0\n4.5,3,0\n1,1,0\n"),
        ("results/runs.csv", RUNS),
        (
            "runs/a/metrics.json",
            "{\"eval\": {\"top1\": 76.5}, \"n\": 3}",
        ),
        (
            "runs/b/metrics.json",
            "{\"eval\": {\"top1\": 78.5}, \"n\": 4}",
        ),
        (
            "log.jsonl",
            "{\"step\": 1, \"loss\": 0.5}\n\n{\"step\": 2, \"loss\": 0.25, \"extra\": [1, 2]}\n",
        ),
        (
            "c.yaml",
            "base: &b {lr: 1e-4, n: 3}\nrun:\n  <<: *b\n  n: 5\n",
        ),
        (
            "c.toml",
            "[model]\nlayers = 12\nrate = 5e-4\n[[run]]\nname = 'a'\n",
        ),
        (
            "list.json",
            "[{\"a\": 1, \"b\": \"x\"}, {\"b\": null, \"c\": true}]",
        ),
    ])
}

#[test]
fn files_are_tables() {
    let project = project();
    assert_eq!(
        project.values("select sum(x), avg(y), count(y), count(*) from \"results/a.csv\""),
        [Integer(6), Real(3.5), Integer(2), Integer(3)]
    );
    assert_eq!(
        project.values(
            "select a.x from [results/a.csv] a join `./results/a.csv` b on a.x = b.x + 1 order by 1"
        ),
        [Integer(2), Integer(3)]
    );
    assert_eq!(
        project.values("select step, loss, extra from \"log.jsonl\""),
        [
            Integer(1),
            Real(0.5),
            Null,
            Integer(2),
            Real(0.25),
            text("[1,2]")
        ]
    );
    assert_eq!(
        project.values("select a, b, c from \"list.json\""),
        [Integer(1), text("x"), Null, Null, Null, Integer(1)]
    );
    assert_eq!(
        project.values("select doc ->> '$.run.n', doc ->> '$.run.lr' from \"c.yaml\""),
        [Integer(5), Real(1e-4)]
    );
    assert_eq!(project.values("select doc ->> '$.model.layers', doc ->> '$.model.rate', doc ->> '$.run[0].name' from \"c.toml\""), [Integer(12), Real(5e-4), text("a")]);
    assert_eq!(
        project
            .values("select _path, doc ->> '$.eval.top1' from \"runs/*/metrics.json\" order by 1"),
        [
            text("runs/a/metrics.json"),
            Real(76.5),
            text("runs/b/metrics.json"),
            Real(78.5)
        ]
    );
    assert_eq!(
        project.values("select distinct _path from \"results/a.csv\""),
        [text("results/a.csv")]
    );
    let answer = project
        .ask("select * from \"results/a.csv\" limit 1")
        .unwrap();
    assert_eq!(answer.columns, ["x", "y", "_path"]);
    assert_eq!(answer.files, ["results/a.csv"]);
    assert_eq!(
        project.values("select count(*) from \"results/a.csv\", (select 1)"),
        [Integer(3)]
    );
}

#[test]
fn unions_match_columns_by_name_and_keep_a_column_called_path() {
    let project = Project::new(&[
        ("u/1.csv", "a,b\n1,2\n"),
        ("u/2.csv", "B,c\n3,4\n"),
        ("u/sub/3.csv", "a\n9\n"),
        ("p.csv", "_path,n\nmine,1\n"),
    ]);
    assert_eq!(
        project.values("select a, b, c from \"u/*.csv\" order by _path"),
        [Integer(1), Integer(2), Null, Null, Integer(3), Integer(4)]
    );
    assert_eq!(project.number("select sum(a) from \"u/**/*.csv\""), 10);
    assert_eq!(
        project.ask("select * from \"p.csv\"").unwrap().rows,
        [[text("mine"), Integer(1)]]
    );
    // A file in two tables is read once and is used by both.
    let evaluation = project
        .evaluate(&["select (select sum(a) from \"u/*.csv\") + (select sum(a) from \"u/1.csv\")"]);
    assert_eq!(evaluation.answers[0].as_ref().unwrap().rows, [[Integer(2)]]);
    assert_eq!(evaluation.files["u/1.csv"].as_ref().unwrap().rows, Some(1));
}

#[test]
fn what_sqlite_can_is_there() {
    let project = project();
    for (sql, expected) in [
        (
            "select sum(x) over (order by x rows between 1 preceding and current row) from \"results/a.csv\"",
            vec![Integer(1), Integer(3), Integer(5)],
        ),
        (
            "select avg(x) over (order by x rows 1 preceding) from \"results/a.csv\"",
            vec![Real(1.0), Real(1.5), Real(2.5)],
        ),
        (
            "select total(x) filter (where x > 1) from \"results/a.csv\"",
            vec![Real(5.0)],
        ),
        (
            "select value from json_each('[1, 2.5]')",
            vec![Integer(1), Real(2.5)],
        ),
        (
            "select e.value from \"log.jsonl\" l, json_each(l.extra) e",
            vec![Integer(1), Integer(2)],
        ),
        (
            "select (x, x) = (1, 1) and (x, x) < (1, 2) from \"results/a.csv\" where (x, x) in (values (1, 1))",
            vec![Integer(1)],
        ),
        (
            "select case when x > 2 then 'big' else 'small' end || '!' from \"results/a.csv\" order by x desc limit 1",
            vec![text("big!")],
        ),
        (
            "with m as (select max(x) as m from \"results/a.csv\") select x * 100 / m from \"results/a.csv\", m order by 1",
            vec![Integer(33), Integer(66), Integer(100)],
        ),
        (
            "select method, max(seed) from \"results/runs.csv\" where acc <> 'NA' group by method order by 1",
            vec![text("base"), Integer(1), text("ours"), Integer(2)],
        ),
        (
            "select rank() over (order by x desc) from \"results/a.csv\" order by 1",
            vec![Integer(1), Integer(2), Integer(3)],
        ),
        (
            "with recursive c(n) as (select 1 union all select n + 1 from c where n < 5) select sum(n) from c",
            vec![Integer(15)],
        ),
        (
            "select x, acc from \"results/a.csv\" join (select seed as x, acc from \"results/runs.csv\" where method = 'ours') using (x) order by 1",
            vec![Integer(1), Real(0.9), Integer(2), Real(0.94)],
        ),
        (
            "select count(*) from \"results/a.csv\" join \"results/b.csv\" using (x, y)",
            vec![Integer(2)],
        ),
        (
            "select strftime('%Y', '2020-05-17'), date('2020-01-31', '+1 month')",
            vec![text("2020"), text("2020-03-02")],
        ),
        (
            "select trim('  a '), trim('xxaxx', 'x'), ltrim('xa', 'x'), instr('héllo', 'l'), replace('a-b', '-', '+')",
            vec![text("a"), text("a"), text("a"), Integer(3), text("a+b")],
        ),
        (
            "values (1, null), (2, 'b')",
            vec![Integer(1), Null, Integer(2), text("b")],
        ),
        (
            "select rowid from \"results/a.csv\" where rowid <= 2",
            vec![Integer(1), Integer(2)],
        ),
        (
            "select cast('12' as integer) > '5', round(2.567, 1), abs(-3), -x from \"results/a.csv\" limit 1",
            vec![Integer(1), Real(2.6), Integer(3), Integer(-1)],
        ),
    ] {
        assert_eq!(project.values(sql), expected, "{sql}");
    }
    // A column beside `max` comes from the row with the largest value.
    assert_eq!(
        project.values(
            "select seed, max(acc) from (select * from \"results/runs.csv\" where acc <> 'NA')"
        ),
        [Integer(2), Real(0.94)]
    );
}

#[test]
fn views_use_each_other_and_their_mistakes_are_theirs() {
    let project = project()
        .view("twice", "select 2 * x as t, x from a")
        .view("a", "select *, x + 1 from \"results/a.csv\"")
        .view("round", "select * from round2")
        .view("round2", "select * from round")
        .view("broken", "selct 1")
        .view("gone", "select * from \"results/gone.csv\"")
        .view("writes", "select 1; select 2");
    assert_eq!(project.number("select sum(t) from twice"), 12);
    assert_eq!(project.number("select sum(\"x + 1\") from A"), 9);
    assert_eq!(
        project.ask("select t from twice").unwrap().files,
        ["results/a.csv"]
    );
    project.fails("select * from round", Syntax, "", "circular");
    project.fails("select * from broken", Syntax, "", "view `broken`");
    project.fails(
        "select * from gone",
        NoSuchFile,
        "",
        "no such file `results/gone.csv`",
    );
    project.fails("select * from writes", Refused, "", "view `writes`");
    project.fails(
        "select * from twic",
        NoSuchFile,
        "",
        "did you mean `twice`?",
    );
}

#[test]
fn mistakes_say_where_and_what_was_meant() {
    let project = project();
    project.fails(
        "select x from \"result/a.csv\"",
        NoSuchFile,
        "",
        "no such file `result/a.csv`; did you mean `results/a.csv`?",
    );
    project.fails(
        "select x from \"results/*.tsv\"",
        NoSuchFile,
        "",
        "no file fits",
    );
    project.fails(
        "select acu from \"results/runs.csv\"",
        Syntax,
        "1:8",
        "no such column `acu`; did you mean `acc`?",
    );
    // By default, SQLite reads an unknown name in double quotes as a text.
    project.fails(
        "select sum(\"accc\") from \"results/runs.csv\"",
        Syntax,
        "1:12",
        "did you mean `acc`?",
    );
    project.fails(
        "select x\n  from \"results/a.csv\" wher x",
        Syntax,
        "2:29",
        "near \"x\"",
    );
    project.fails("select log(10)", Syntax, "1:8", "ln(), log10() or log2()");
    project.fails("select 1 from", Syntax, "", "incomplete input");
    project.fails("select '{' ->> '$.a'", Malformed, "", "malformed JSON");
    project.fails(
        "select * from \"results\"",
        Unreadable,
        "results:0",
        "folder",
    );
    project.fails(
        "select * from \"Results/A.csv\"",
        NoSuchFile,
        "",
        "did you mean `results/a.csv`?",
    );
    project.fails(
        "select * from \"log.jsonl#t\"",
        Malformed,
        "log.jsonl:0",
        "no database",
    );
    for (sql, shown) in [
        (
            "select acu from \"results/runs.csv\"",
            "SQL, line 1, column 8: no such column",
        ),
        ("select * from \"results\"", "results: this is a folder"),
        ("select 1 from", "incomplete input"),
    ] {
        let found = project.error(sql).to_string();
        assert!(found.starts_with(shown), "{found}");
    }
    // Only the first twenty missing files get a hint from the names in the project.
    let missing: Vec<String> = (0..21)
        .map(|at| format!("select x from \"results/a.csv{at}\""))
        .collect();
    let missing: Vec<&str> = missing.iter().map(String::as_str).collect();
    let answers = project.evaluate(&missing).answers;
    let hinted = answers.iter().map(|answer| {
        let error = answer.as_ref().unwrap_err();
        error.message.contains("did you mean `results/a.csv`?")
    });
    let expected: Vec<bool> = (0..21).map(|at| at < 20).collect();
    assert_eq!(hinted.collect::<Vec<_>>(), expected);
    // A file that was found by its exact name is not found by a name that differs in case.
    let evaluation = project.evaluate(&[
        "select count(*) from \"results/a.csv\"",
        "select count(*) from \"Results/a.csv\"",
    ]);
    assert!(evaluation.answers[0].is_ok());
    let error = evaluation.answers[1].as_ref().unwrap_err();
    assert_eq!(error.kind, NoSuchFile, "{error:?}");
}

#[test]
fn a_mistake_in_one_question_or_file_touches_no_other() {
    let project = project();
    project.write("results/bad.csv", b"a,b\n1,2\n1,2,3\n");
    let evaluation = project.evaluate(&[
        "select sum(x) from \"results/a.csv\"",
        "select sum(a) from \"results/bad.csv\"",
        "selec",
        "select (select sum(x) from \"results/a.csv\") + (select sum(a) from \"results/bad.csv\")",
        "select sum(x) from \"results/a.csv\"",
        "select 1",
    ]);
    let kinds: Vec<_> = evaluation
        .answers
        .iter()
        .map(|answer| answer.as_ref().err().map(|error| error.kind))
        .collect();
    assert_eq!(
        kinds,
        [
            None,
            Some(Malformed),
            Some(Syntax),
            Some(Malformed),
            None,
            None
        ]
    );
    assert!(evaluation.files["results/a.csv"].is_ok());
    assert_eq!(
        evaluation.files["results/bad.csv"]
            .as_ref()
            .unwrap_err()
            .line,
        3
    );
}

#[test]
fn answers_and_questions_have_limits() {
    let project = project();
    let few = Question {
        sql: String::from("select x from \"results/a.csv\""),
        most_rows: 2,
    };
    let answer = evaluate(&project.settings, &[few], &Limits::default())
        .answers
        .remove(0);
    assert_eq!(answer.unwrap_err().kind, TooLarge);
    let most = vec![question("select 1"); 100_000];
    let answers = evaluate(&project.settings, &most, &Limits::default()).answers;
    assert!(answers.len() == most.len() && answers.iter().all(Result::is_ok));
    let many = vec![question("select 1"); 100_001];
    let answers = evaluate(&project.settings, &many, &Limits::default()).answers;
    assert!(
        answers.len() == many.len()
            && answers
                .iter()
                .all(|answer| answer.as_ref().unwrap_err().kind == TooLarge)
    );
    project.fails(
        &format!("select {}", "1 + ".repeat(30_000)),
        TooLarge,
        "",
        "bytes",
    );
    let longest = format!("select 1{}", " ".repeat(99_992));
    assert_eq!(project.number(&longest), 1);
    project.fails(&format!("{longest} "), TooLarge, "", "100000 bytes");
}

#[test]
fn an_answer_is_bounded_with_the_texts_in_it() {
    let mut project = project();
    project.limits.bytes = 1 << 20;
    assert_eq!(
        project.number("select length(printf('%.900000c', 'x'))"),
        900_000
    );
    let row = "select printf('%.400000c', 'x')";
    assert!(project.ask(&format!("{row} union all {row}")).is_ok());
    project.fails(
        &format!("{row} union all {row} union all {row}"),
        Memory,
        "",
        "the answer needs more than 1048576 bytes",
    );
    // Numbers count as memory, too: for each row and each of its values.
    let rows = |count: usize, columns: usize| {
        let values = vec!["n"; columns].join(", ");
        format!(
            "with recursive c(n) as (select 1 union all select n + 1 from c limit {count}) select {values} from c"
        )
    };
    assert!(project.ask(&rows(5_000, 1)).is_ok());
    for wide in [rows(100_000, 1), rows(1_000, 100)] {
        project.fails(
            &wide,
            Memory,
            "",
            "the answer needs more than 1048576 bytes",
        );
    }
}

#[test]
fn a_name_in_double_quotes_may_have_been_meant_as_a_text() {
    let project = project();
    let said = |name: &str| {
        let sql = format!("select y from \"results/a.csv\" where x = {name}");
        project.error(&sql).message
    };
    assert_eq!(
        said("\"qqqqqq\""),
        "no such column `qqqqqq`; write text in single quotes"
    );
    assert_eq!(said("qqqqqq"), "no such column `qqqqqq`");
}

#[test]
fn a_text_that_a_question_makes_is_named_with_the_file_that_it_reads() {
    let project = project();
    project.fails(
        "select sum(x || 'q') from \"results/a.csv\"",
        NotNumber,
        "results/a.csv:0",
        "text `1q`: sum needs numbers",
    );
}

#[test]
fn facts_of_files_are_digests_and_rows() {
    let project = project();
    let evaluation = project.evaluate(&["select max(x) from \"results/a.csv\""]);
    let facts = evaluation.files["results/a.csv"].clone().unwrap();
    let name = String::from("results/a.csv");
    let digests =
        aris_evidence::digests(&project.settings, &[name.clone(), String::from("gone.csv")]);
    let alone = digests[&name].clone().unwrap();
    assert_eq!((facts.sha256, facts.bytes), (alone.sha256, alone.bytes));
    assert_eq!((facts.rows, alone.rows), (Some(3), None));
    let digest = facts.sha256.map(|byte| format!("{byte:02x}")).concat();
    // The digest is from sha256sum.
    assert_eq!(
        (facts.bytes, digest.as_str()),
        (
            19,
            "8b5e7d2b62ce7caef902aba946eb6b8f39080fa1bd539030c5738186526419fd"
        )
    );
    assert_eq!(digests["gone.csv"].as_ref().unwrap_err().kind, NoSuchFile);
    // A sparse file one byte larger than the limit.
    project.write("hole.csv", b"");
    let file = std::fs::File::options()
        .write(true)
        .open(project.root().join("hole.csv"));
    file.unwrap().set_len((4 << 30) + 1).unwrap();
    let hole = [String::from("hole.csv")];
    let digests = aris_evidence::digests(&project.settings, &hole);
    assert_eq!(digests["hole.csv"].as_ref().unwrap_err().kind, TooLarge);
}
