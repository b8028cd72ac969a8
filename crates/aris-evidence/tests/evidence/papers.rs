//! Public papers with their data and bindings.

use std::path::Path;

use aris_evidence::{Limits, Question, Settings, Value, View, evaluate};
use toml_edit::{DocumentMut, Item};

/// The queries of a `claims.toml`.
fn queries(document: &DocumentMut) -> Vec<String> {
    let mut found = Vec::new();
    for tables in ["claim", "table"] {
        for table in document
            .get(tables)
            .and_then(Item::as_array_of_tables)
            .into_iter()
            .flatten()
        {
            for key in ["value", "holds"] {
                match table.get(key) {
                    Some(item) if item.is_str() => found.push(item.as_str().unwrap().to_owned()),
                    Some(item) => found.extend(
                        item.as_array()
                            .unwrap()
                            .iter()
                            .map(|sql| sql.as_str().unwrap().to_owned()),
                    ),
                    None => {}
                }
            }
        }
    }
    found
}

#[test]
fn every_query_of_the_public_papers_has_an_answer() {
    let Some(papers) = aris_testkit::shared("papers") else {
        return;
    };
    for (paper, at_least) in [
        ("cxxsat", 10),
        ("nhanes", 100),
        ("traversal", 10),
        ("vegmap", 10),
    ] {
        let folder = papers.join(paper);
        let text = std::fs::read_to_string(folder.join("claims.toml")).unwrap();
        let document: DocumentMut = text.parse().unwrap();
        let data = document.get("data");
        let root = data
            .and_then(|data| data.get("root"))
            .and_then(Item::as_str)
            .unwrap_or(".");
        let root = folder.join(root).canonicalize().unwrap();
        let views = data
            .and_then(|data| data.get("view"))
            .and_then(Item::as_table_like);
        let views = views.into_iter().flat_map(|views| {
            views
                .iter()
                .map(|(name, sql)| View {
                    name: name.to_owned(),
                    sql: sql.as_str().unwrap().to_owned(),
                })
                .collect::<Vec<_>>()
        });
        let settings = Settings {
            exclude: Vec::new(),
            root: root.clone(),
            allowed: vec![root],
            views: views.collect(),
            files: Vec::new(),
        };
        let sql = queries(&document);
        assert!(sql.len() >= at_least, "{paper}: {}", sql.len());
        let questions: Vec<Question> = sql
            .iter()
            .map(|sql| Question {
                sql: sql.clone(),
                most_rows: 1000,
            })
            .collect();
        let evaluation = evaluate(&settings, &questions, &Limits::default());
        for (sql, answer) in sql.iter().zip(&evaluation.answers) {
            match answer {
                Ok(answer) => assert!(
                    !answer.rows.is_empty() && !answer.files.is_empty(),
                    "{paper}: {sql}: {answer:?}"
                ),
                Err(error) => panic!("{paper}: {sql}: {error}"),
            }
        }
        check_some(paper, &settings, &folder);
    }
}

/// Checks some values that are calculated here in another way.
fn check_some(paper: &str, settings: &Settings, folder: &Path) {
    if paper != "cxxsat" {
        return;
    }
    // The mean of a column.
    let text = std::fs::read_to_string(folder.join("bit16.csv")).unwrap();
    let mut lines = text.lines();
    let column = lines
        .next()
        .unwrap()
        .split(',')
        .position(|name| name.trim() == "z3")
        .unwrap();
    let values: Vec<f64> = lines
        .map(|line| line.split(',').nth(column).unwrap().trim().parse().unwrap())
        .collect();
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let question = Question {
        sql: String::from("select avg(z3) from \"bit16.csv\""),
        most_rows: 1,
    };
    let answer = evaluate(settings, &[question], &Limits::default())
        .answers
        .remove(0)
        .unwrap();
    let Value::Real(found) = answer.rows[0][0] else {
        panic!("{answer:?}")
    };
    assert!((found - mean).abs() < 1e-9 * mean.abs(), "{found} {mean}");
}
