//! Hostile or far too large input: the answer is bounded and names the input, and no file is left incomplete.

use std::fmt::Write as _;

use crate::support::{Paper, expect_cases, status, text};

/// Cases `name | query` that are errors, plus a good one.
fn with_good(rows: &str) -> String {
    let mut table = String::from("good | 7 | select x from \"results/v.csv\" | exact_match\n");
    for (name, query) in rows.lines().filter_map(|row| row.split_once(" | ")) {
        writeln!(table, "{name} | 7 | {query} | binding_error").expect("text");
    }
    table
}

#[test]
fn sql_that_does_more_than_read_is_an_error_of_its_binding_and_changes_nothing() {
    let hostile = r#"
        delete | delete from "results/v.csv"
        insert | insert into "results/v.csv" values (1)
        update | update "results/v.csv" set x = 7
        returning | delete from "results/v.csv" returning x
        drop | drop table "results/v.csv"
        create | create table other(x)
        temporary | create temp table other as select 7 as x
        attach | attach 'results/new.sqlite' as other
        attachmemory | attach ':memory:' as other
        detach | detach main
        pragma | pragma user_version
        pragmatable | select * from pragma_database_list
        schema | pragma writable_schema = 1
        vacuum | vacuum into 'results/new.sqlite'
        begin | begin
        analyze | analyze
        reindex | reindex
        extension | select load_extension('results/x')
        read | select readfile('/etc/passwd')
        write | select writefile('results/new.csv', 'x')
        edit | select edit('x')
        tokenizer | select fts3_tokenizer('simple')
        two | select x from "results/v.csv"; select 7
        twowrites | select 7; drop table "results/v.csv"
        random | select random() * 0 + 7
        blob | select length(randomblob(7))
        now | select 7 where date('now') > '2000'
        current | select 7 where current_timestamp > '2000'
        comment | -- select 7
        words | the number seven
        explain | explain select 7
        parameter | select ?1
        shell | select x from "results/v.csv|cat"
    "#;
    let table = with_good(hostile);
    let paper = Paper::cases(&[("results/v.csv", b"x\n7\n")], "", &table);
    let before = paper.project.snapshot();
    let audit = paper.expect_all(&table);
    assert_eq!(audit.verdict(), "ERROR");
    let ours = |path: &str| path.starts_with(".aris") || path.contains("PAPER_CLAIM_AUDIT");
    before.assert_same(
        &paper.project.snapshot().without(ours),
        "something else was written",
    );
}

#[test]
fn queries_without_end_and_results_without_bound_are_cut_off_by_a_named_limit() {
    let endless = r"
        recursion | with recursive t(n) as (select 1 union all select n + 1 from t) select count(*) from t
        zeros | select length(hex(zeroblob(900000000)))
        repeated | with recursive t(s) as (select 'aaaaaaaaaaaaaaaa' union all select s || s from t limit 60) select max(length(s)) from t
        joined | with recursive t(n) as (select 1 union all select n + 1 from t limit 50000000) select length(group_concat(n)) from t
        sorted | with recursive t(n) as (select 1 union all select n + 1 from t limit 100000000) select n from t order by -n limit 1
        pattern | select 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa' like replace(hex(zeroblob(20000)), '0', '%a') || 'b'
    ";
    let table = with_good(endless);
    let audit = expect_cases("x\n7\n", &table);
    audit.expect_message(&["recursion", "10"]);
}

#[test]
fn rows_without_number_for_a_table_are_cut_off_by_a_named_limit() {
    let table = "\\begin{table}\n\\caption{S.}\\label{t}\n\\begin{tabular}{lr}\nM & B \\\\\nBase & 31.2 \\\\\n\\end{tabular}\n\\end{table}";
    let query = "with recursive t(n) as (select 1 union all select n + 1 from t limit 30000000) select 'row ' || n, 'B', n from t";
    let audit = Paper::new(table)
        .with("results/v.csv", "x\n7\n")
        .claims(&format!(
            "[[table]]\nlabel = \"t\"\nvalue = '''{query}'''\n"
        ))
        .audit();
    let statuses: Vec<&str> = audit.bound().values().map(|entry| status(entry)).collect();
    assert!(
        !statuses.is_empty()
            && statuses
                .iter()
                .all(|status| ["binding_error", "binding_lost"].contains(status)),
        "{audit}"
    );
    assert!(statuses.len() < 100_000, "{}", statuses.len());
}

/// A complete and correct binding.
const GOOD: &str = "version = 1\n[[claim]]\nid = \"x\"\nin = \"main.tex\"\ntext = \"runs in [[7]] ms\"\nvalue = 'select x from \"results/v.csv\"'\n";

#[test]
fn mistakes_in_claims_toml_are_named_with_line_and_column_and_nothing_is_written() {
    let with = |from: &str, to: &str| {
        assert!(GOOD.contains(from), "{from}");
        GOOD.replace(from, to)
    };
    let add = |more: &str| format!("{GOOD}{more}\n");
    let cases: [(&str, String, std::ops::RangeInclusive<usize>); 37] = [
        ("not TOML", with("version = 1", "version = "), 1..=1),
        ("unclosed", add("[[claim"), 7..=7),
        ("twice", add("id = \"y\""), 7..=7),
        ("no version", with("version = 1\n", ""), 1..=2),
        ("other version", with("version = 1", "version = 2"), 1..=1),
        (
            "version as text",
            with("version = 1", "version = \"1\""),
            1..=1,
        ),
        (
            "unknown key",
            with("version = 1\n", "version = 1\nnotes = 1\n"),
            2..=2,
        ),
        ("unknown key of a claim", add("texts = \"y\""), 7..=7),
        ("unknown key of data", add("[data]\nroots = \"..\""), 8..=8),
        (
            "unknown key of a file",
            add("[[data.file]]\npath = \"results/v.csv\"\nheaders = \"none\""),
            9..=9,
        ),
        (
            "unknown header",
            add("[[data.file]]\npath = \"results/v.csv\"\nheader = \"maybe\""),
            9..=9,
        ),
        (
            "unknown format",
            add("[[data.file]]\npath = \"results/v.csv\"\nformat = \"xlsx\""),
            9..=9,
        ),
        (
            "unknown key of a table",
            add("[[table]]\nlabel = \"t\"\nvalue = \"select 1, 2, 3\"\nrow = {}"),
            10..=10,
        ),
        (
            "unknown key of a waiver",
            add("[[waive]]\nin = \"main.tex\"\ntext = \"[[7]] ms\"\nreason = \"x\"\nwhy = \"y\""),
            11..=11,
        ),
        ("unknown table", add("[[claims]]\nid = \"y\""), 7..=7),
        (
            "text as number",
            with("text = \"runs in [[7]] ms\"", "text = 7"),
            5..=5,
        ),
        (
            "value as number",
            with("'select x from \"results/v.csv\"'", "7"),
            6..=6,
        ),
        (
            "claim as table",
            add("[table]\nlabel = \"t\"").replace("[[claim]]", "[claim]"),
            2..=2,
        ),
        ("unclosed mark", with("[[7]]", "[[7"), 5..=5),
        ("unopened mark", with("[[7]]", "7]]"), 5..=5),
        ("no mark", with("[[7]]", "7"), 5..=5),
        (
            "more marks than values",
            with("[[7]] ms", "[[7]] ms, [[8]] ms"),
            5..=6,
        ),
        (
            "fewer marks than values",
            with(
                "'select x from \"results/v.csv\"'",
                "['select 1', 'select 2']",
            ),
            5..=6,
        ),
        ("no text", with("text = \"runs in [[7]] ms\"\n", ""), 2..=5),
        ("no place", with("in = \"main.tex\"\n", ""), 2..=5),
        (
            "no value",
            with("value = 'select x from \"results/v.csv\"'\n", ""),
            2..=5,
        ),
        ("value and holds", add("holds = \"select 1\""), 2..=7),
        ("macro and text", add("macro = \"best\""), 2..=7),
        (
            "same id twice",
            add(
                "[[claim]]\nid = \"x\"\nin = \"main.tex\"\ntext = \"in [[7]] ms\"\nvalue = \"select 7\"",
            ),
            7..=8,
        ),
        (
            "about without tolerance",
            add("relation = \"about\""),
            2..=7,
        ),
        ("unknown relation", add("relation = \"~\""), 7..=7),
        ("unknown rounding", add("round = \"even\""), 7..=7),
        ("negative tolerance", add("tolerance = -1"), 7..=7),
        ("tolerance without number", add("tolerance = nan"), 7..=7),
        ("second from zero", add("nth = 0"), 7..=7),
        (
            "waiver without reason",
            add("[[waive]]\nin = \"main.tex\"\ntext = \"in [[7]] ms\""),
            7..=9,
        ),
        (
            "cell from zero",
            add("[[table]]\nlabel = \"t\"\ncell = 0\nvalue = \"select 1, 2, 3\""),
            9..=9,
        ),
    ];
    let paper = Paper::new("It runs in 7 ms.")
        .with("results/v.csv", "x\n7\n")
        .with("claims.toml", GOOD);
    assert_eq!(paper.audit().verdict(), "PASS");
    let artifact = paper.read("PAPER_CLAIM_AUDIT.json");
    for (what, toml, mut lines) in cases {
        paper.write("claims.toml", &toml);
        let before = paper.project.snapshot();
        let run = paper.call(&["paper"]).run();
        assert_eq!(run.code(), 4, "{what}: {run}");
        let place = |line: usize| {
            let after = run
                .stderr()
                .split(&format!("claims.toml:{line}:"))
                .nth(1)
                .map(str::to_owned);
            after.is_some_and(|rest| rest.starts_with(|first: char| first.is_ascii_digit()))
        };
        assert!(lines.any(place), "{what}: line and column: {run}");
        before.assert_same(&paper.project.snapshot(), what);
    }
    assert_eq!(paper.read("PAPER_CLAIM_AUDIT.json"), artifact);
}

#[test]
fn claims_toml_that_is_no_text_too_large_or_no_file_is_named() {
    let paper = Paper::new("It runs in 7 ms.").with("results/v.csv", "x\n7\n");
    let huge = format!("{GOOD}# {}\n", "x".repeat(64 << 20));
    let deep = format!(
        "version = 1\nx = {}1{}\n",
        "[".repeat(100_000),
        "]".repeat(100_000)
    );
    let many = format!("version = 1\n{}", "[[claim]]\n".repeat(300_000));
    let anchor = GOOD.replace("runs in", &"runs in ".repeat(1 << 20));
    let cases: [(&str, Vec<u8>); 7] = [
        ("bytes", b"version = 1\n\xff\xfe\n".to_vec()),
        (
            "utf16",
            GOOD.encode_utf16().flat_map(u16::to_le_bytes).collect(),
        ),
        ("nul", GOOD.replace("runs", "ru\0ns").into_bytes()),
        ("huge", huge.into_bytes()),
        ("deep", deep.into_bytes()),
        ("many", many.into_bytes()),
        ("anchor", anchor.into_bytes()),
    ];
    for (what, bytes) in cases {
        paper.write("claims.toml", bytes);
        let run = paper.call(&["paper"]).run();
        // An anchor may have any length; it just matches nowhere.
        let codes: &[i32] = if what == "anchor" { &[4, 10] } else { &[4] };
        assert!(
            codes.contains(&run.code())
                && (what == "anchor" || run.stderr().contains("claims.toml")),
            "{what}: {run}"
        );
    }
    std::fs::remove_file(paper.project.at("paper/claims.toml")).expect("remove");
    std::fs::create_dir(paper.project.at("paper/claims.toml")).expect("folder");
    let run = paper.call(&["paper"]).run();
    assert!([3, 4].contains(&run.code()), "{run}");
}

#[test]
fn bindings_may_not_leave_the_project() {
    for (from, to) in [
        ("\"main.tex\"", "\"../../../etc/hostname\""),
        ("\"main.tex\"", "\"/etc/hostname\""),
        ("version = 1\n", "version = 1\n[data]\nroot = \"/\"\n"),
        (
            "version = 1\n",
            "version = 1\n[data]\nroot = \"../../..\"\n",
        ),
        (
            "version = 1\n",
            "version = 1\n[data]\ninclude = [\"/etc/*\"]\n",
        ),
    ] {
        let paper = Paper::new("It runs in 7 ms.")
            .with("results/v.csv", "x\n7\n")
            .with("claims.toml", GOOD.replacen(from, to, 1));
        let run = paper.call(&["paper"]).run();
        assert!([4, 10].contains(&run.code()), "{to}: {run}");
        if run.code() == 10 {
            let artifact = paper.read("PAPER_CLAIM_AUDIT.json");
            assert!(
                (to.contains("include") || !artifact.contains("\"exact_match\""))
                    && !artifact.contains("etc/hostname\": \"sha"),
                "{to}: {artifact}"
            );
        }
    }
}

#[test]
fn eight_hundred_numbers_in_one_sentence_beside_three_thousand_values() {
    let mut data = String::from("k,v\n");
    for row in 0..3000 {
        writeln!(data, "{row},{}.{:02}", 100 + row / 7, row % 97).expect("text");
    }
    let mut body = String::from("The values are");
    for row in 0..800 {
        write!(body, " {}.{:02},", 100 + row / 7, row % 97).expect("text");
    }
    body += " and 7 more.";
    let query = "select count(*) * 0 + 7 from \"results/v.csv\"";
    let paper = Paper::new(&body)
        .with("results/v.csv", &data)
        .claims(&format!("[[claim]]\nid = \"x\"\nin = \"main.tex\"\ntext = \" and [[7]] more.\"\nvalue = '''{query}'''\n"));
    let audit = paper.audit();
    audit.expect("x", "exact_match");
    assert_eq!(audit.unbound().len(), 800, "{audit}");
    let proposals = paper.run("suggest", &["--limit", "100000", "--json"]);
    assert!([0, 10].contains(&proposals.code()), "{proposals}");
}

#[test]
fn a_thousand_includes_in_one_paragraph() {
    let mut body = String::from("Begin ");
    let mut paper = Paper::new("");
    for number in 0..1000 {
        write!(body, "\\input{{parts/p{number}}} ").expect("text");
        paper = paper.with(
            &format!("parts/p{number}.tex"),
            format!("part shows {}.5 ms ", 100 + number),
        );
    }
    body += "and in all 7 ms.";
    paper.write("main.tex", crate::support::document(&body));
    let audit = paper
        .with("results/v.csv", "x\n7\n107.5\n")
        .claims(
            "[[claim]]\nid = \"x\"\nin = \"main.tex\"\ntext = \"in all [[7]] ms\"\nvalue = 'select min(x) from \"results/v.csv\"'\n\
             [[claim]]\nid = \"part\"\nin = \"parts/p7.tex\"\ntext = \"part shows [[107.5]] ms\"\nvalue = 'select max(x) from \"results/v.csv\"'\n",
        )
        .audit();
    audit.expect("x", "exact_match");
    audit.expect("part", "exact_match");
    assert_eq!(audit.unbound().len(), 999, "{audit}");
}

#[test]
fn a_paper_that_includes_itself_ends() {
    let paper = Paper::new("It runs in 7 ms. \\input{main} \\input{a}")
        .with("a.tex", "\\input{b}")
        .with("b.tex", "\\input{a} 8 ms")
        .with("results/v.csv", "x\n7\n");
    paper.write("claims.toml", GOOD);
    let run = paper.call(&["paper"]).run();
    assert!([0, 10].contains(&run.code()), "{run}");
}

#[test]
fn a_table_of_twenty_thousand_rows() {
    let (mut lines, mut data) = (String::new(), String::from("r,v\n"));
    for row in 0..20_000 {
        writeln!(lines, "row {row}x & {}.5 \\\\", 100 + row).expect("text");
        writeln!(
            data,
            "row {row}x,{}.5",
            if row == 12_345 { 7 } else { 100 + row }
        )
        .expect("text");
    }
    let body = format!(
        "\\begin{{longtable}}{{lr}}\n\\caption{{S.}}\\label{{t}}\\\\\nName & Value \\\\\n{lines}\\end{{longtable}}"
    );
    let audit = Paper::new(&body)
        .with("results/t.csv", data)
        .claims("[[table]]\nlabel = \"t\"\nvalue = \"\"\"select r, 'Value', v from \"results/t.csv\"\"\"\"\n")
        .audit();
    let bound = audit.bound();
    if bound.len() < 20_000 {
        // Exceeding a limit is a valid answer if the message names the limit.
        assert_eq!(audit.verdict(), "ERROR", "{}", audit.verdict());
        audit.expect_message(&["limit"]);
        return;
    }
    let wrong: Vec<&str> = bound
        .values()
        .filter(|entry| status(entry) != "exact_match")
        .map(|entry| text(entry, "id"))
        .collect();
    assert_eq!(wrong, ["t/row 12345x/Value"]);
}

#[test]
fn a_million_rows_of_csv() {
    let mut data = String::with_capacity(16 << 20);
    data += "g,x\n";
    for row in 0..1_000_000_u32 {
        writeln!(
            data,
            "{},{}",
            char::from(b'a' + u8::try_from(row % 7).expect("small")),
            row % 1000
        )
        .expect("text");
    }
    // 1,000,000 = 7 * 142,857 + 1
    expect_cases(
        &data,
        r#"
            count | 1,000,000 | select count(*) from "results/v.csv" | exact_match
            mean | 499.5 | select avg(x) from "results/v.csv" | exact_match
            median | 499.5 | select median(x) from "results/v.csv" | exact_match
            group | 142,858 | select count(*) from "results/v.csv" where g = 'a' | exact_match
        "#,
    );
}

#[test]
fn wide_and_long_rows_are_read_or_named() {
    let columns: Vec<String> = (0..5000).map(|column| format!("c{column}")).collect();
    let cells = vec!["7"; 5000].join(",");
    let wide = format!("{}\n{cells}\n", columns.join(","));
    let long = format!("x,y\n7,\"{}\"\n", "z".repeat(20 << 20));
    let files: [(&str, &[u8]); 3] = [
        ("results/wide.csv", wide.as_bytes()),
        ("results/long.csv", long.as_bytes()),
        ("results/v.csv", b"x\n7\n"),
    ];
    let table = r#"
        wide | 7 | select c4999 from "results/wide.csv" | exact_match/binding_error
        long | 7 | select x from "results/long.csv" | exact_match/binding_error
        good | 7 | select x from "results/v.csv" | exact_match
    "#;
    Paper::cases(&files, "", table).expect_all(table);
}

#[test]
fn sources_nested_without_end_are_bounded() {
    for body in [
        "{".repeat(200_000),
        "\\textbf{".repeat(50_000),
        "$".repeat(100_001),
        "\\begin{table}".repeat(5_000),
        "&\\\\".repeat(100_000),
    ] {
        let paper = Paper::new(&format!("It runs in 7 ms. {body}"))
            .with("results/v.csv", "x\n7\n")
            .with("claims.toml", GOOD);
        let run = paper.call(&["paper"]).run();
        assert!([0, 10].contains(&run.code()), "{run}");
        assert!(paper.read("PAPER_CLAIM_AUDIT.json").ends_with("}\n"));
    }
}
