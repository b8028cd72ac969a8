//! The memory limit applies to the whole process, so it is tested in a process of its own.

#![cfg(test)]
#![allow(clippy::disallowed_methods, reason = "tests prepare files directly")]

use std::fmt::Write as _;

use aris_evidence::{Limits, QueryErrorKind, Question, Settings, Value, evaluate};

/// The tests run one after the other: a query that uses all memory would make the others fail.
#[test]
fn memory_is_bounded() {
    a_query_that_needs_too_much_memory_is_ended_and_the_next_one_is_answered();
    a_file_larger_than_the_cache_is_answered();
}

fn a_query_that_needs_too_much_memory_is_ended_and_the_next_one_is_answered() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    let mut content = String::from("x,label\n");
    for row in 0..1_000 {
        writeln!(content, "{row},l{}", row % 7).unwrap();
    }
    std::fs::write(root.join("a.csv"), content).unwrap();
    let settings = Settings {
        root: root.clone(),
        allowed: vec![root],
        ..Settings::default()
    };
    let endless = "with recursive c(x) as (select 1 union all select x + 1 from c)";
    let questions = [
        format!(
            "{endless} select max(length(y)) from (select printf('%.100000c', 'x') || x as y from c order by y)"
        ),
        format!("{endless} select x, printf('%.100000c', 'x') from c"),
        format!("{endless} select group_concat(distinct printf('%.100000c', 'x') || x) from c"),
        String::from("select sum(x) from \"a.csv\" where label < 'l9'"),
        String::from("select max(length(a.label || b.label)) from \"a.csv\" a, \"a.csv\" b"),
    ];
    let questions = questions.map(|sql| Question {
        sql,
        most_rows: usize::MAX,
    });
    let limits = Limits {
        bytes: 32 << 20,
        ..Limits::default()
    };
    let answers = evaluate(&settings, &questions, &limits).answers;
    for answer in &answers[..3] {
        let kind = answer.as_ref().unwrap_err().kind;
        assert!(
            matches!(kind, QueryErrorKind::Memory | QueryErrorKind::TooLarge),
            "{answer:?}"
        );
    }
    assert_eq!(
        answers[0].as_ref().unwrap_err().kind,
        QueryErrorKind::Memory
    );
    assert_eq!(
        answers[1].as_ref().unwrap_err().kind,
        QueryErrorKind::Memory
    );
    assert_eq!(
        answers[3].as_ref().unwrap().rows,
        [[Value::Integer(499_500)]]
    );
    assert_eq!(answers[4].as_ref().unwrap().rows, [[Value::Integer(4)]]);
}

fn a_file_larger_than_the_cache_is_answered() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    let mut content = String::from("x,text\n");
    let filler = "y".repeat(1_000);
    for row in 0..100_000 {
        writeln!(content, "{row},{filler}{row}").unwrap();
    }
    std::fs::write(root.join("a.csv"), content).unwrap();
    let settings = Settings {
        root: root.clone(),
        allowed: vec![root],
        ..Settings::default()
    };
    let question = Question {
        sql: String::from(
            "select sum(x), max(length(text)), count(distinct substr(text, 1, 10)) from \"a.csv\"",
        ),
        most_rows: 1,
    };
    let limits = Limits {
        bytes: 32 << 20,
        ..Limits::default()
    };
    let answer = evaluate(&settings, &[question], &limits)
        .answers
        .remove(0)
        .unwrap();
    let values = [4_999_950_000, 1_005, 1].map(Value::Integer);
    assert_eq!(answer.rows, [values]);
}
