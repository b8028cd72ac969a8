//! What a path in FROM provides: formats, headers, names, and files that cannot be read.

use std::fmt::Write as _;
use std::os::unix::fs::symlink;

use aris_testkit::{Helper, Project};

use crate::support::{Audit, Paper, cases, sentences, status, text};

/// Audits a sentence for each case over these files.
#[track_caller]
fn expect(files: &[(&str, &[u8])], head: &str, table: &str) -> Audit {
    Paper::cases(files, head, table).expect_all(table)
}

#[test]
fn every_format_gives_rows_or_a_document() {
    let audit = expect(
        &[
            ("results/a.csv", b"method,acc\nbase,0.5\nours,\"0.75\"\n\"a, b\",0.25\n"),
            ("results/a.tsv", b"method\tacc\nbase\t0.5\nours\t0.75\n"),
            ("results/a.jsonl", b"{\"method\": \"base\", \"acc\": 0.5}\n{\"method\": \"ours\", \"acc\": 0.75, \"more\": {\"x\": 7}}\n"),
            ("results/a.json", b"[{\"method\": \"base\", \"acc\": 0.5}, {\"method\": \"ours\", \"acc\": 0.75}]"),
            ("results/doc.json", b"{\"eval\": {\"top1\": 76.25, \"runs\": [1.5, 2.5, 3.5]}, \"note\": \"a\\tb\"}"),
            ("results/doc.yaml", b"eval:\n  top1: 76.25\n  runs: [1.5, 2.5]\n"),
            ("results/doc.yml", b"top1: 76.25\n"),
            ("results/doc.toml", b"[eval]\ntop1 = 76.25\n"),
        ],
        "",
        r#"
            csv | 0.75 | select acc from "results/a.csv" where method = 'ours' | exact_match
            quoted | 0.25 | select acc from "results/a.csv" where method = 'a, b' | exact_match
            tsv | 0.75 | select acc from "results/a.tsv" where method = 'ours' | exact_match
            jsonl | 0.75 | select acc from "results/a.jsonl" where method = 'ours' | exact_match
            nested | 7 | select more ->> '$.x' from "results/a.jsonl" where method = 'ours' | exact_match
            array | 0.75 | select acc from "results/a.json" where method = 'ours' | exact_match
            json | 76.25 | select doc ->> '$.eval.top1' from "results/doc.json" | exact_match
            each | 2.5 | select avg(value) from "results/doc.json", json_each(doc, '$.eval.runs') | exact_match
            yaml | 76.25 | select doc ->> '$.eval.top1' from "results/doc.yaml" | exact_match
            yml | 76.25 | select doc ->> '$.top1' from "results/doc.yml" | exact_match
            toml | 76.25 | select doc ->> '$.eval.top1' from "results/doc.toml" | exact_match
            rows | 3 | select count(*) from "results/a.csv" | exact_match
            window | 0.25 | select max(step) from (select acc - lag(acc) over (order by acc) as step from "results/a.csv") | exact_match
        "#,
    );
    assert_eq!(
        text(&audit.one("csv")["evidence"][0], "path"),
        "results/a.csv"
    );
    let hashes = audit.artifact["audited_input_hashes"]
        .as_object()
        .expect("hashes");
    assert!(hashes.contains_key("results/doc.yaml"), "{hashes:?}");
}

#[test]
fn tables_of_a_sqlite_file_are_named_behind_a_hash() {
    let table = r#"
        rows | 34.2 | select max(bleu) from "results/runs.sqlite#scores" | exact_match
        name | 31.2 | select min(bleu) from "results/runs.sqlite#two words" | exact_match
        absent | 34.2 | select max(bleu) from "results/runs.sqlite#none" | binding_error
    "#;
    let paper = Paper::cases(&[("results/other.csv", b"x\n1\n")], "", table);
    let script = "import sqlite3, sys\nb = sqlite3.connect(sys.argv[1])\nb.execute('create table scores(bleu real)')\n\
                  b.execute('create table \"two words\"(bleu real)')\nb.execute('insert into scores values (31.2), (34.2)')\n\
                  b.execute('insert into \"two words\" values (31.2), (34.2)')\nb.commit()";
    let made = Helper::at("/usr/bin/env")
        .call(paper.project.at("paper/results"))
        .args(["python3", "-c", script, "runs.sqlite"])
        .run();
    if made.code() != 0 {
        println!("skipped: no python3 with sqlite3: {made}");
        return;
    }
    let before = paper
        .project
        .snapshot()
        .bytes("paper/results/runs.sqlite")
        .map(<[u8]>::to_vec);
    paper.expect_all(table);
    let after = paper.project.snapshot();
    assert_eq!(
        after.bytes("paper/results/runs.sqlite").map(<[u8]>::to_vec),
        before
    );
    let beside = after
        .paths()
        .into_iter()
        .filter(|path| path.contains("runs.sqlite"))
        .count();
    assert_eq!(beside, 1, "{:?}", after.paths());
}

#[test]
fn data_file_says_format_header_and_what_is_missing() {
    let of = |path: &str, more: &str| format!("[[data.file]]\npath = \"{path}\"\n{more}\n");
    let head = [
        of("results/r.txt", "format = \"tsv\"\nheader = \"row-names\""),
        of("results/bare.csv", "header = \"none\""),
        of("results/na.csv", "na = [\"NA\", \"-\"]"),
        of("results/lines.log", "format = \"jsonl\""),
    ]
    .concat();
    expect(
        &[
            (
                "results/r.txt",
                b"\"mpg\"\t\"cyl\"\n\"Mazda\"\t21\t6\n\"Fiat\"\t32.5\t4\n",
            ),
            ("results/bare.csv", b"base,0.5\nours,0.75\n"),
            ("results/na.csv", b"x\n1\nNA\n\n-\n3\n"),
            ("results/lines.log", b"{\"x\": 7}\n"),
            ("results/plain.csv", b"m,x\na,1\nb,NA\nc,3\nd,\n"),
        ],
        &head,
        r#"
            rownames | 32.5 | select mpg from "results/r.txt" where row_name = 'Fiat' | exact_match
            numbered | 0.75 | select c2 from "results/bare.csv" where c1 = 'ours' | exact_match
            all | 2 | select count(*) from "results/bare.csv" | exact_match
            missing | 2 | select avg(x) from "results/na.csv" | exact_match
            log | 7 | select x from "results/lines.log" | exact_match
            # Without `na` it is text: counted, compared, and refused by avg.
            counted | 3 | select count(x) from "results/plain.csv" | exact_match
            compared | 2 | select avg(x) from "results/plain.csv" where x <> 'NA' | exact_match
            refused | 2 | select avg(x) from "results/plain.csv" | binding_error
            empty | 1 | select count(*) from "results/plain.csv" where x is null | exact_match
        "#,
    );
}

#[test]
fn an_r_table_with_row_names_needs_the_header_mode_and_says_so() {
    let audit = expect(
        &[
            ("results/r.csv", b"mpg,cyl\nMazda,21,6\nFiat,32.5,4\n"),
            ("results/v.csv", b"x\n1\n"),
        ],
        "",
        r#"
            r | 32.5 | select max(mpg) from "results/r.csv" | binding_error
            other | 1 | select x from "results/v.csv" | exact_match
        "#,
    );
    audit.expect_message(&["results/r.csv", "2"]);
}

#[test]
fn values_are_typed_one_by_one() {
    expect(
        &[(
            "results/v.csv",
            b"x,y\n1,a\n2.5,b\n-3e2,c\n 7 ,d\n007,e\n1_000,f\n0x10,g\n,h\n+5,i\n",
        )],
        "",
        r#"
            integer | 1 | select count(*) from "results/v.csv" where y = 'a' and typeof(x) = 'integer' | exact_match
            real | 1 | select count(*) from "results/v.csv" where y in ('b', 'c') and x < 3 and typeof(x) = 'real' and x > 0 | exact_match
            power | $-$300 | select x from "results/v.csv" where y = 'c' | exact_match
            underscore | 1 | select count(*) from "results/v.csv" where y = 'f' and typeof(x) = 'text' | exact_match
            hexadecimal | 1 | select count(*) from "results/v.csv" where y = 'g' and typeof(x) = 'text' | exact_match
            empty | 1 | select count(*) from "results/v.csv" where x is null | exact_match
        "#,
    );
}

#[test]
fn a_glob_is_the_union_of_its_files_with_their_paths() {
    let audit = expect(
        &[
            ("results/ours/seed_1.csv", b"acc,extra\n0.5,1\n"),
            ("results/ours/seed_2.csv", b"extra,acc\n1,0.75\n"),
            ("results/ours/seed_3.csv", b"acc\n1\n"),
            ("results/base/seed_1.csv", b"acc\n0.25\n"),
            ("results/docs/a.json", b"{\"x\": 1}"),
            ("results/docs/b.json", b"{\"x\": 2}"),
        ],
        "",
        r#"
            mean | 0.75 | select avg(acc) from "results/ours/seed_*.csv" | exact_match
            one | 0.5 | select acc from "results/ours/seed_*.csv" where _path = 'results/ours/seed_1.csv' | exact_match
            deep | 4 | select count(*) from "results/**/seed_*.csv" | exact_match
            set | 0.625 | select avg(acc) from "results/ours/seed_[12].csv" | exact_match
            files | 3 | select count(distinct _path) from "results/ours/*.csv" | exact_match
            single | 1 | select count(*) from "results/ours/seed_3.csv" where _path = 'results/ours/seed_3.csv' | exact_match
            docs | 3 | select sum(doc ->> '$.x') from "results/docs/*.json" | exact_match
            nothing | 3 | select count(*) from "results/none_*.csv" | binding_error
        "#,
    );
    let evidence = audit.one("mean")["evidence"].as_array().expect("evidence");
    let paths: Vec<&str> = evidence.iter().map(|file| text(file, "path")).collect();
    assert_eq!(
        paths,
        [
            "results/ours/seed_1.csv",
            "results/ours/seed_2.csv",
            "results/ours/seed_3.csv"
        ]
    );
}

#[test]
fn views_serve_several_bindings_and_name_the_files_behind_them() {
    let audit = expect(
        &[
            ("results/v.csv", b"m,x\na,1\na,3\nb,9\n"),
            ("results/w.csv", b"x\n1\n"),
        ],
        "[data.view]\nmeans = 'select m, avg(x) as x from \"results/v.csv\" group by m'\nbroken = 'select nothing from \"results/w.csv\"'\nunused = 'select x from \"results/gone.csv\"'\n",
        r"
            first | 2 | select x from means where m = 'a' | exact_match
            second | 9 | select x from means where m = 'b' | exact_match
            broken | 9 | select * from broken | binding_error
        ",
    );
    assert_eq!(
        text(&audit.one("first")["evidence"][0], "path"),
        "results/v.csv"
    );
    audit.expect_message(&["nothing"]);
}

/// Files that cannot be read, and a part of the message besides the file's name.
const UNREADABLE: [(&str, &[u8], &str); 10] = [
    ("results/bad.json", b"{\"a\": 1,\n \"b\": }", "2"),
    ("results/wide.csv", b"a,b\n1,2\n1,2,3\n", "3"),
    ("results/short.csv", b"a,b\n1,2\n1\n", "3"),
    ("results/quote.csv", b"a,b\n1,\"2\n3,4\n", ""),
    ("results/twice.csv", b"a,b,a\n1,2,3\n", "a"),
    ("results/empty.csv", b"", ""),
    ("results/bad.yaml", b"a: [1, 2\nb: 3\n", "2"),
    ("results/bad.toml", b"a = 1\nb = = 2\n", "2"),
    ("results/bad.jsonl", b"{\"a\": 1}\n{\"a\": \n", "2"),
    ("results/fake.sqlite", b"this is no database, but it is long enough to have a header of its own........................", ""),
];

#[test]
fn a_file_that_cannot_be_read_is_an_error_of_its_bindings_and_of_nothing_else() {
    let mut table = String::from("good | 7 | select x from \"results/good.csv\" | exact_match\n");
    let name = |path: &str| path.replace(|letter: char| !letter.is_alphanumeric(), "");
    for (path, ..) in UNREADABLE {
        let inner = if path.ends_with("sqlite") { "#a" } else { "" };
        writeln!(
            table,
            "{} | 7 | select count(*) from \"{path}{inner}\" | binding_error",
            name(path)
        )
        .expect("text");
    }
    let mut files: Vec<(&str, &[u8])> = UNREADABLE
        .iter()
        .map(|(path, bytes, _)| (*path, *bytes))
        .collect();
    files.push(("results/good.csv", b"x\n7\n"));
    // A file that no query reads may be invalid.
    files.push(("results/unread.json", b"{{{"));
    let audit = expect(&files, "", &table);
    for (path, _, place) in UNREADABLE {
        audit.expect_message(&[path, place]);
    }
    assert_eq!(audit.verdict(), "ERROR", "{audit}");
    let spoken = [audit.run.stdout(), audit.run.stderr()].concat();
    assert!(!spoken.contains("unread.json"), "{spoken}");
}

#[test]
fn paths_that_are_no_readable_file_of_the_project_are_refused() {
    let outside = tempfile::tempdir().expect("temp");
    std::fs::write(outside.path().join("secret.csv"), "x\n7\n").expect("write");
    let table = format!(
        r#"
            link | 7 | select x from "results/link.csv" | binding_error
            folder | 7 | select x from "results/linked/secret.csv" | binding_error
            glob | 7 | select x from "results/linked/*.csv" | binding_error
            above | 7 | select x from "../../../secret.csv" | binding_error
            absolute | 7 | select x from "{}/secret.csv" | binding_error
            gone | 7 | select x from "results/gone.csv" | binding_error
            directory | 7 | select x from "results/folder.csv" | binding_error
            pipe | 7 | select x from "results/pipe.csv" | binding_error
        "#,
        outside.path().display()
    );
    let paper = Paper::cases(&[("results/folder.csv/x", b"1")], "", &table);
    symlink(
        outside.path().join("secret.csv"),
        paper.project.at("paper/results/link.csv"),
    )
    .expect("link");
    symlink(outside.path(), paper.project.at("paper/results/linked")).expect("link");
    Helper::at("/usr/bin/env")
        .call(paper.project.at("paper/results"))
        .args(["mkfifo", "pipe.csv"])
        .run()
        .expect_code(0);
    let audit = paper.expect_all(&table);
    audit.expect_message(&["link.csv"]);
    assert!(
        !audit.artifact["audited_input_hashes"]
            .to_string()
            .contains("secret"),
        "{audit}"
    );
}

#[test]
fn encodings_and_line_ends_are_read_or_named() {
    let utf16: Vec<u8> = [0xff, 0xfe]
        .into_iter()
        .chain("m,x\na,7\n".encode_utf16().flat_map(u16::to_le_bytes))
        .collect();
    expect(
        &[
            ("results/bom.csv", b"\xef\xbb\xbfx,y\n7,8\n"),
            ("results/bom.json", b"\xef\xbb\xbf{\"x\": 7}"),
            ("results/crlf.csv", b"x,y\r\n3,\r\n4,1\r\n"),
            ("results/mixed.csv", b"x,y\r\n3,1\n4,1\r\n"),
            ("results/last.csv", b"x,y\n3,1\n4,1"),
            ("results/utf16.csv", &utf16),
            ("results/nul.csv", b"m,x\na,7\nb,\0\n"),
            ("results/inside.csv", b"x,y\n3,\"two\r\nlines\"\n4,1\n"),
        ],
        "",
        r#"
            bom | 7 | select x from "results/bom.csv" | exact_match
            bomjson | 7 | select doc ->> '$.x' from "results/bom.json" | agrees/binding_error
            crlf | 7 | select sum(x) from "results/crlf.csv" | exact_match
            null | 1 | select count(y) from "results/crlf.csv" | exact_match
            mixed | 7 | select sum(x) from "results/mixed.csv" | exact_match
            last | 7 | select sum(x) from "results/last.csv" | exact_match
            utf | 7 | select sum(x) from "results/utf16.csv" | agrees/binding_error
            nul | 7 | select x from "results/nul.csv" where m = 'a' | exact_match
            inside | 7 | select sum(x) from "results/inside.csv" | exact_match
        "#,
    );
}

#[test]
fn excluded_files_are_no_evidence() {
    let paper = Paper::cases(
        &[
            ("results/seed_1.csv", b"x\n7\n"),
            ("results/seed_2.csv", b"x\n9\n"),
            ("results/old/seed_3.csv", b"x\n{{\n"),
        ],
        "",
        r#"
            first | 7 | select avg(x) from "results/seed_*.csv" | number_mismatch
            both | 8 | select avg(x) from "results/seed_*.csv" | exact_match
            named | 9 | select x from "results/seed_2.csv" | exact_match
        "#,
    );
    let audit = paper.audit();
    audit.expect("first", "number_mismatch");
    audit.expect("both", "exact_match");
    audit.expect("named", "exact_match");
    let audit = paper.audit_with(&["--exclude", "results/seed_2.csv"]);
    audit.expect("first", "exact_match");
    audit.expect("both", "number_mismatch");
    audit.expect("named", "binding_error");
    let claims = paper.read("claims.toml").replace(
        "version = 1\n",
        "version = 1\n[data]\nexclude = [\"results/seed_2.csv\"]\n",
    );
    paper.write("claims.toml", claims);
    paper.audit().expect("first", "exact_match");
}

#[test]
fn data_beside_the_paper_is_reached_through_root_and_results() {
    let (body, claims) = sentences(&cases(
        r#"x | 7 | select x from "runs/v.csv" | exact_match"#,
    ));
    let paper = Paper::new(&body).claims(&claims);
    paper.project.write("runs/v.csv", "x\n7\n");
    paper.write(
        "claims.toml",
        format!("version = 1\n[data]\nroot = \"..\"\ninclude = [\"runs/**\"]\n{claims}"),
    );
    let audit = paper.audit();
    audit.expect("x", "exact_match");
    assert_eq!(text(&audit.one("x")["evidence"][0], "path"), "runs/v.csv");
    assert_eq!(audit.verdict(), "PASS", "{audit}");
}

#[test]
fn a_project_without_git_is_as_good() {
    let (body, claims) = sentences(&cases(
        r#"x | 7 | select x from "results/v.csv" | exact_match"#,
    ));
    let paper = Paper::holding(Project::bare(), &body)
        .with("results/v.csv", "x\n7\n")
        .claims(&claims);
    let audit = paper.audit();
    audit.expect("x", "exact_match");
    assert_eq!(audit.verdict(), "PASS", "{audit}");
    paper
        .audit_with(&["--root", "main.tex"])
        .expect("x", "exact_match");
}

#[test]
fn a_statement_is_true_false_or_an_error() {
    let holds = |sql: &str| format!("holds = '''select {sql} from \"results/v.csv\"'''");
    let (yes, no, null, word, many) = (
        holds("min(x) > 0"),
        holds("min(x) > 1"),
        holds("null"),
        holds("'yes'"),
        holds("x"),
    );
    let body = "Ours is better. Theirs is better. Nobody knows. Somebody knows. Many know.";
    let claim = |id: &str, text: &str, holds: &str| {
        format!("[[claim]]\nid = \"{id}\"\nin = \"main.tex\"\ntext = \"{text}\"\n{holds}\n")
    };
    let audit = Paper::new(body)
        .with("results/v.csv", "x\n1\n2\n")
        .claims(
            &[
                claim("yes", "Ours is better.", &yes),
                claim("no", "Theirs is better.", &no),
                claim("null", "Nobody knows.", &null),
                claim("word", "Somebody knows.", &word),
                claim("many", "Many know.", &many),
                claim("lost", "Everybody knows.", &yes),
            ]
            .concat(),
        )
        .audit();
    for (id, status) in [
        ("yes", "agrees"),
        ("no", "scope_overclaim"),
        ("null", "binding_error"),
        ("many", "binding_error"),
        ("lost", "binding_lost"),
    ] {
        audit.expect(id, status);
    }
    assert!(
        ["binding_error", "scope_overclaim"].contains(&status(audit.one("word"))),
        "{audit}"
    );
}
