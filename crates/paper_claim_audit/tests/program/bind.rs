//! `bind`: a binding is checked and appended; the rest of the user's file stays unchanged.

use std::thread;

use aris_testkit::{Helper, crash_at_every_change};

use crate::support::{Paper, agrees, status};
use crate::writing::{OWN, paper};

/// Arguments that bind the maximum and give the binding a name.
const MAXIMUM: [&str; 8] = [
    "--in",
    "main.tex",
    "--text",
    "a maximum of [[4.25]] ms",
    "--value",
    "select max(x) from \"results/v.csv\"",
    "--id",
    "most",
];

#[test]
fn bind_checks_one_binding_prints_what_it_gives_and_appends_it() {
    let paper = paper();
    let run = paper.run("bind", &MAXIMUM).expect_code(0);
    assert!(run.stdout().contains("4.25"), "{run}");
    let made = paper.read("claims.toml");
    assert!(
        made.contains("version = 1")
            && made.contains("id = \"most\"")
            && !made.contains("proposed"),
        "{made}"
    );
    let audit = paper.audit();
    audit.expect("most", "exact_match");
    let count = "select count(*) from \"results/v.csv\"";
    let json = paper.run(
        "bind",
        &[
            "--json",
            "--in",
            "main.tex",
            "--text",
            "and [[3]] runs",
            "--value",
            count,
        ],
    );
    assert!(
        json.code() == 0 && json.data().to_string().contains("exact_match"),
        "{json}"
    );
    let audit = paper.audit();
    assert_eq!(audit.bound().len(), 2, "{audit}");
    assert!(
        audit.bound().values().all(|entry| agrees(status(entry))),
        "{audit}"
    );
}

#[test]
fn bind_keeps_the_users_file_byte_for_byte_before_what_it_appends() {
    for own in [
        OWN.to_owned(),
        format!("{OWN}\n"),
        format!("{OWN}\n\n\n"),
        OWN.replace('\n', "\r\n"),
        format!("{}\r\n", OWN.replace('\n', "\r\n")),
    ] {
        let paper = paper().with("claims.toml", &own);
        paper.run("bind", &MAXIMUM).expect_code(0);
        let after = paper.read("claims.toml");
        assert!(
            after.starts_with(&own) && after.len() > own.len(),
            "{after:?}"
        );
        if own.contains('\r') {
            assert_eq!(
                after.matches('\n').count(),
                after.matches("\r\n").count(),
                "{after:?}"
            );
        } else {
            assert!(!after.contains('\r'), "{after:?}");
        }
        let audit = paper.audit();
        audit.expect("most", "exact_match");
        audit.expect("mean", "exact_match");
    }
}

#[test]
fn bind_takes_every_kind_of_binding() {
    let paper = Paper::new("\\newcommand{\\best}{4.25}\nWe saw 1 to \\best{} ms, 3 runs, p $<$ 0.01, about 2 ms. Nobody was slower. It was 4.3 ms.")
        .with("results/v.csv", "x\n1\n2.25\n4.25\n");
    let value = |sql: &str| format!("select {sql} from \"results/v.csv\"");
    let (least, count, most, mean, small) = (
        value("min(x)"),
        value("count(*)"),
        value("max(x)"),
        value("avg(x)"),
        value("min(x) / 1000"),
    );
    let slower = value("max(x) < 5");
    let place = |text: &'static str| ["--in", "main.tex", "--text", text];
    let bind = |id: &str, parts: &[&[&str]]| {
        let args = [&parts.concat()[..], &["--id", id]].concat();
        paper.run("bind", &args).expect_code(0);
    };
    bind(
        "two",
        &[
            &place("We saw [[1]] to \\best{} ms, [[3]] runs"),
            &["--value", &least, "--value", &count],
        ],
    );
    bind("best", &[&["--macro", "best", "--value", &most]]);
    bind(
        "p",
        &[
            &place("p $<$ [[0.01]], about"),
            &["--value", &small, "--relation", "<"],
        ],
    );
    bind(
        "about",
        &[
            &place("about [[2]] ms"),
            &["--value", &mean, "--relation", "about", "--tolerance", "1"],
        ],
    );
    bind(
        "slower",
        &[&place("Nobody was slower."), &["--holds", &slower]],
    );
    bind(
        "up",
        &[
            &place("It was [[4.3]] ms."),
            &["--value", &most, "--round", "up"],
        ],
    );
    let audit = paper.audit();
    for id in ["two", "best", "p", "about", "slower", "up"] {
        audit.expect(id, "agrees");
    }
    assert_eq!(
        (audit.bound().len(), audit.verdict()),
        (7, "PASS"),
        "{audit}"
    );
}

#[test]
fn bind_appends_nothing_that_cannot_be_evaluated() {
    let value = "select max(x) from \"results/v.csv\"";
    for own in [None, Some(OWN)] {
        let paper = paper();
        if let Some(own) = own {
            paper.write("claims.toml", own);
        }
        let before = paper.project.snapshot();
        for args in [
            &[
                "--in",
                "main.tex",
                "--text",
                "a minimum of [[4.25]] ms",
                "--value",
                value,
            ][..],
            &[
                "--in",
                "main.tex",
                "--text",
                "[[4.25]] ms, and",
                "--value",
                "select max(y) from \"results/v.csv\"",
            ],
            &[
                "--in",
                "main.tex",
                "--text",
                "[[4.25]] ms, and",
                "--value",
                "drop table x",
            ],
            &[
                "--in",
                "main.tex",
                "--text",
                "[[4.25]] ms, and",
                "--value",
                "select x from \"results/v.csv\"",
            ],
            &[
                "--in",
                "main.tex",
                "--text",
                "[[4.25]] ms, and",
                "--value",
                "select x from \"results/gone.csv\"",
            ],
            &[
                "--in",
                "main.tex",
                "--text",
                "[[4.25 ms, and",
                "--value",
                value,
            ],
            &[
                "--in",
                "main.tex",
                "--text",
                "4.25 ms, and",
                "--value",
                value,
            ],
            &["--in", "main.tex", "--text", " ms", "--value", value],
            &[
                "--in",
                "main.tex",
                "--text",
                "of [[2.5]] ms",
                "--value",
                value,
                "--value",
                value,
            ],
            &[
                "--in",
                "main.tex",
                "--text",
                "of [[2.5]] ms",
                "--value",
                value,
                "--relation",
                "about",
            ],
            &[
                "--in",
                "main.tex",
                "--text",
                "of [[2.5]] ms",
                "--value",
                value,
                "--relation",
                "like",
            ],
            &[
                "--in",
                "gone.tex",
                "--text",
                "of [[2.5]] ms",
                "--value",
                value,
            ],
            &[
                "--in",
                "../../main.tex",
                "--text",
                "of [[2.5]] ms",
                "--value",
                value,
            ],
            &["--macro", "nothing", "--value", value],
            &["--text", "of [[2.5]] ms", "--value", value],
            &["--in", "main.tex", "--text", "of [[2.5]] ms"],
        ] {
            let run = paper.run("bind", args);
            assert!(run.code() != 0, "{args:?}: {run}");
            before.assert_same(&paper.project.snapshot(), &format!("{args:?}: {run}"));
        }
    }
    let paper = paper().with("claims.toml", OWN);
    let before = paper.read("claims.toml");
    let run = paper.run(
        "bind",
        &[
            "--in",
            "main.tex",
            "--text",
            "a maximum of [[4.25]] ms",
            "--value",
            value,
            "--id",
            "mean",
        ],
    );
    assert!(run.code() != 0, "the same id twice: {run}");
    paper.write("claims.toml", "version = 1\n[[claim]\n");
    paper.run("bind", &MAXIMUM).expect_code(4);
    assert_eq!(paper.read("claims.toml"), "version = 1\n[[claim]\n");
    assert!(before.starts_with("# our numbers"));
}

#[test]
fn bind_says_what_paper_and_data_give_when_they_differ() {
    let paper = paper();
    let run = paper.run(
        "bind",
        &[
            "--in",
            "main.tex",
            "--text",
            "a maximum of [[4.25]] ms",
            "--value",
            "select min(x) from \"results/v.csv\"",
            "--id",
            "most",
        ],
    );
    let said = format!("{}{}", run.stdout(), run.stderr());
    assert!(
        said.contains("4.25") && said.contains("number_mismatch"),
        "{run}"
    );
    assert!(!said.to_lowercase().contains("replace"), "{run}");
    // The program may accept the binding or not; if it does, the audit must agree.
    if paper.project.at("paper/claims.toml").exists() {
        assert_eq!(run.code(), 10, "{run}");
        paper.audit().expect("most", "number_mismatch");
    } else {
        assert!(run.code() != 0, "{run}");
    }
}

#[test]
fn many_binds_at_once_lose_nothing() {
    const WRITERS: u32 = 20;
    let name = |number: u32| char::from_u32(u32::from('a') + number).expect("a letter");
    let (mut body, mut data) = (String::new(), String::from("k,x\n"));
    for number in 0..WRITERS {
        let (name, value) = (name(number), number + 100);
        body = format!("{body}The run called {name} took {value}.5 ms.\n\n");
        data = format!("{data}{name},{value}.5\n");
    }
    let paper = Paper::new(&body)
        .with("results/v.csv", data)
        .with("claims.toml", "# mine\nversion = 1\n");
    thread::scope(|scope| {
        for number in 0..WRITERS {
            let (paper, name) = (&paper, name(number));
            scope.spawn(move || {
                let text = format!("The run called {name} took [[{}.5]] ms.", number + 100);
                let value = format!("select x from \"results/v.csv\" where k = '{name}'");
                let id = format!("run-{name}");
                paper
                    .run(
                        "bind",
                        &[
                            "--in", "main.tex", "--text", &text, "--value", &value, "--id", &id,
                        ],
                    )
                    .expect_code(0);
            });
        }
    });
    let audit = paper.audit();
    assert_eq!(
        (audit.bound().len(), audit.verdict()),
        (20, "PASS"),
        "{audit}"
    );
    assert!(
        paper
            .read("claims.toml")
            .starts_with("# mine\nversion = 1\n")
    );
    let left: Vec<String> = paper
        .project
        .snapshot()
        .paths()
        .into_iter()
        .filter(|path| path.contains("aris-tmp"))
        .map(str::to_owned)
        .collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn bind_killed_at_any_point_leaves_the_old_file_or_the_new_one() {
    let helper = Helper::named("paper_claim_audit");
    let done = paper().with("claims.toml", OWN);
    done.run("bind", &MAXIMUM).expect_code(0);
    let new = done.read("claims.toml");
    let paper = paper();
    let args = [&["bind", "paper"], &MAXIMUM[..]].concat();
    let crashes = crash_at_every_change(
        |_| {
            paper.write("claims.toml", OWN);
            paper.call_of(&helper, &args)
        },
        |number, _| {
            let now = paper.read("claims.toml");
            assert!(now == OWN || now == new, "crash {number}: {now}");
        },
    );
    assert_eq!(crashes.last.code(), 0);
    assert_eq!(paper.read("claims.toml"), new);
}
