//! The program's messages for common mistakes, as an outside tester met them.

use aris_testkit::Run;

use crate::support::{Paper, program, status, text};

const VALUE: &str = "select max(x) from \"results/v.csv\"";

fn paper() -> Paper {
    let body = "\\newcommand{\\acc}{34.2}\nWe saw 12 ms here. We saw 12 ms there, \\num{\\acc e3} in all, and 0.05 at most.\n% hidden 5 words\n\\iffalse secret 7 words\\fi\nIt was -0.0 at last.";
    Paper::new(body).with("results/v.csv", "x\n12\n")
}

fn bind(paper: &Paper, text: &str, more: &[&str]) -> Run {
    let place = ["--in", "main.tex", "--text", text, "--value", VALUE];
    paper.run("bind", &[&place, more].concat())
}

/// Checks the exit code, and that the output contains all parts.
fn expect(run: &Run, code: i32, parts: &[&str]) {
    let said = format!("{}{}", run.stdout(), run.stderr());
    assert_eq!(run.code(), code, "{run}");
    for part in parts {
        assert!(said.contains(part), "{part}: {run}");
    }
}

#[test]
fn bind_takes_the_place_that_is_meant_of_several() {
    let paper = paper();
    expect(
        &bind(&paper, "saw [[12]] ms", &[]),
        4,
        &["2 times", "--nth"],
    );
    expect(
        &bind(&paper, "saw [[12]] ms", &["--nth", "0"]),
        2,
        &["--nth"],
    );
    expect(
        &bind(&paper, "saw [[12]] ms", &["--nth", "3"]),
        4,
        &["`nth`"],
    );
    bind(&paper, "saw [[12]] ms", &["--nth", "2"]).expect_code(0);
    let entry = paper.audit().of("claim-3")[0].clone();
    assert_eq!(
        (status(&entry), entry["column"].as_u64()),
        ("exact_match", Some(27))
    );
}

#[test]
fn bind_says_what_is_missing_and_what_the_relation_is() {
    let paper = paper();
    let run = bind(&paper, "they saw [[12]] ms", &[]);
    expect(&run, 4, &["does not contain the text"]);
    assert!(!run.stderr().contains("any more"), "{run}");
    let run = paper.run("bind", &["--text", "saw [[12]] ms", "--value", VALUE]);
    expect(&run, 2, &["--text needs --in"]);
    let run = paper.run("bind", &["--in", "main.tex", "--value", VALUE]);
    expect(&run, 2, &["--in needs --text"]);
    let below = "select max(x) / 1000.0 from \"results/v.csv\"";
    let args = ["--in", "main.tex", "--text", "and [[0.05]] at", "--value"];
    let run = paper.run("bind", &[&args[..], &[below, "--relation", "<"]].concat());
    expect(&run, 0, &["0.05", "0.012", "<"]);
    let args = [
        &args[..],
        &[below, "--relation", "about", "--tolerance", "0.04"],
    ]
    .concat();
    expect(&paper.run("bind", &args), 0, &["about", "0.04"]);
}

#[test]
fn an_anchor_that_readers_do_not_see_is_told_apart() {
    for text in ["hidden [[5]] words", "secret [[7]] words"] {
        expect(&bind(&paper(), text, &[]), 4, &["readers do not see"]);
    }
}

#[test]
fn a_file_in_the_place_of_the_paper_folder_is_there_and_wrong() {
    let paper = paper();
    for (folder, code) in [("none", 3), ("paper/main.tex", 4)] {
        paper.call(&[folder]).run().expect_code(code);
    }
}

#[test]
fn a_mark_that_holds_more_than_a_number_is_named() {
    let run = bind(&paper(), "saw [[12 ms]] here", &[]);
    expect(&run, 4, &["`[[12 ms]]`", "`[[12]] ms`"]);
}

#[test]
fn a_macro_in_the_middle_of_a_number_is_bound_where_it_is_defined() {
    let paper = paper();
    let run = paper.run("bind", &["--macro", "acc", "--value", VALUE]);
    expect(&run, 10, &["the paper shows 34.2"]);
}

#[test]
fn a_minus_sign_before_zero_is_no_exact_match_and_wrong_for_a_positive_value() {
    let paper =
        Paper::new("Now -0.0 one, -0.0 two and -0.0 three.").with("results/v.csv", "x\n0\n");
    let claim = |id: &str, sql: &str| {
        format!(
            "[[claim]]\nid = \"{id}\"\nin = \"main.tex\"\ntext = \"[[-0.0]] {id}\"\nvalue = 'select x + {sql} from \"results/v.csv\"'\n"
        )
    };
    let claims = [
        claim("one", "0"),
        claim("two", "-0.04"),
        claim("three", "0.04"),
    ];
    let audit = paper.claims(&claims.concat()).audit();
    audit.expect("one", "rounding_ok");
    audit.expect("two", "rounding_ok");
    audit.expect("three", "number_mismatch");
}

#[test]
fn utf_16_is_named_with_what_to_do() {
    let paper = paper();
    let source = paper.read("main.tex");
    let wide = "\u{feff}".encode_utf16().chain(source.encode_utf16());
    paper.write(
        "main.tex",
        wide.flat_map(u16::to_le_bytes).collect::<Vec<_>>(),
    );
    let run = paper.call(&["paper"]).run();
    expect(&run, 10, &["main.tex is UTF-16", "iconv"]);
}

#[test]
fn the_help_says_the_exit_code_of_a_missing_paper() {
    let paper = paper();
    let run = paper.call(&["--help"]).run();
    expect(&run, 0, &["an input does not exist"]);
    expect(&paper.call(&["gone"]).run(), 3, &["gone"]);
}

#[test]
fn a_file_that_cannot_be_written_is_named_with_what_it_was_to_hold() {
    let claim = "[[claim]]\nmacro = \"acc\"\nvalue = 'select max(x) from \"results/v.csv\"'\n";
    let paper = paper().claims(claim).with("file", "");
    let run = paper.run("emit", &["-o", "paper/file/claims.tex"]);
    expect(&run, 5, &["the macros", "file/claims.tex"]);
    let run = paper.run("show", &["--html", "paper/file/page.html"]);
    expect(&run, 5, &["the page", "file/page.html"]);
}

#[test]
fn what_is_asked_for_must_be_possible_and_there() {
    let place = [
        "--text", "x [[1]]", "--value", "select 1", "--in", "none.tex",
    ];
    let bound = paper().run("bind", &place);
    expect(&bound, 3, &["none.tex does not exist"]);
    let typo = paper().run("suggest", &["--claims", "typo.toml"]);
    expect(&typo, 3, &["typo.toml does not exist"]);
    let none = paper().run("suggest", &["--limit", "0"]);
    expect(&none, 2, &["--limit"]);
}

#[test]
fn a_root_that_is_no_folder_is_named_with_its_line() {
    let paper = paper().with(
        "claims.toml",
        "version = 1\n[data]\nroot = \"../nothing\"\n",
    );
    let run = paper.call(&["paper"]).run();
    expect(&run, 4, &["claims.toml:3:8", "/nothing", "`root`"]);
}

#[test]
fn a_file_setting_that_fits_nothing_is_not_silent() {
    let setting = "[[data.file]]\npath = \"results/gone.csv\"\nformat = \"csv\"\n";
    let audit = paper().claims(setting).audit();
    let findings = audit.artifact["details"]["findings"].as_array();
    let findings = findings.expect("findings");
    let lost = |finding: &&serde_json::Value| text(finding, "id") == "data_file_lost";
    let finding = findings.iter().find(lost).expect("a finding");
    assert!(
        text(finding, "message").contains("results/gone.csv"),
        "{finding}"
    );
    assert_eq!(text(finding, "file"), "claims.toml");
}

#[test]
fn two_of_three_are_67_per_cent() {
    let claims = "[[claim]]\nin = \"main.tex\"\ntext = \"saw [[12.5]], [[13.5]]\"\nvalue = ['select x from \"results/v.csv\"', 'select x from \"results/v.csv\"']\n";
    let paper = Paper::new("We saw 12.5, 13.5 and 14.5.")
        .with("results/v.csv", "x\n12.5\n")
        .claims(claims);
    paper.run("show", &["--html", "page.html"]);
    let page = paper.project.read("page.html");
    assert!(page.contains("67 %") && !page.contains("66 %"));
    // The page is the program's own file and is overwritten.
    paper.run("show", &["--html", "page.html"]).expect_code(0);
    // The audit writes the same page.
    let audit = program().call(paper.project.path());
    let run = audit.args(["paper", "--html", "audit.html"]).run();
    run.expect_code(10);
    assert_eq!(paper.project.read("audit.html"), page);
}

#[test]
fn data_in_another_encoding_is_an_error_of_every_query_that_reads_the_file() {
    let claims = "[[claim]]\nid = \"x\"\nin = \"main.tex\"\ntext = \"there, \\\\num\"\nholds = 'select max(x) = 12 from \"results/v.csv\"'\n";
    let paper = paper().claims(claims);
    paper.write("results/v.csv", b"name,x\ncafe,11\ncaf\xe9,12\n");
    let audit = paper.audit();
    audit.expect("x", "binding_error");
    audit.expect_message(&["results/v.csv", "line 3", "UTF-8"]);
}
