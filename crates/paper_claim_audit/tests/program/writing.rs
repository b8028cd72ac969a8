//! The program's output besides bindings: proposals, macros, the page, the artifact and its trace.

use aris_testkit::{Helper, crash_at_every_change};
use serde_json::Value;

use crate::support::{Paper, text};

/// The user's own file; its order, comments, spaces and quotes must be kept.
pub(crate) const OWN: &str = "# our numbers\nversion = 1\n\n[data]\ninclude = [\"results/**\"]   # everything\n\n[[claim]]  # the first\nid = 'mean'\nin = \"main.tex\"\n\
                   text = 'mean of [[2.5]] ms'\nvalue = \"\"\"select avg(x) from \"results/v.csv\" \"\"\"\n# the end";

/// A paper with numbers to bind.
pub(crate) fn paper() -> Paper {
    Paper::new("We saw a mean of 2.5 ms, a maximum of 4.25 ms, and 3 runs.")
        .with("results/v.csv", "x\n1\n2.25\n4.25\n")
}

#[test]
fn an_audit_killed_at_any_point_leaves_a_whole_artifact_or_the_old_one() {
    let helper = Helper::named("paper_claim_audit");
    let paper = paper().with("claims.toml", OWN);
    paper.audit();
    let old = paper.read("PAPER_CLAIM_AUDIT.json");
    let crashes = crash_at_every_change(
        |_| {
            paper.write("PAPER_CLAIM_AUDIT.json", &old);
            paper.write("results/v.csv", "x\n1\n2.25\n5\n");
            paper.call_of(&helper, &["paper"])
        },
        |number, _| {
            let now = paper.read("PAPER_CLAIM_AUDIT.json");
            assert!(
                now == old
                    || serde_json::from_str::<Value>(&now).is_ok_and(|it| it["verdict"] == "FAIL"),
                "crash {number}: {now}"
            );
        },
    );
    assert_eq!(crashes.last.code(), 10);
    assert_eq!(
        paper.project.json("paper/PAPER_CLAIM_AUDIT.json")["verdict"],
        "FAIL"
    );
}

/// A paper whose second sentence shares words with a file, a column and a label; `v.csv` has the same maximum under meaningless names.
fn clear() -> Paper {
    let data = "decoder,latency\nlattice,1\nlattice,2.25\nlattice,4.25\ngreedy,3.5\ngreedy,8.75\n";
    Paper::new("We saw a mean of 2.5 ms. The lattice decoder has a maximum latency of 4.25 ms over 3 runs.")
        .with("results/v.csv", "x\n1\n2.25\n4.25\n")
        .with("results/latency.csv", data)
}

/// The right query for 4.25 in that paper.
const MAXIMUM: &str = "select max(latency) from \"results/latency.csv\" where decoder = 'lattice'";

#[test]
fn suggest_proposes_and_writes_nothing_unless_it_is_told_to() {
    let paper = clear();
    let before = paper.project.snapshot();
    let run = paper.run("suggest", &[]).expect_code(0);
    assert!(
        run.stdout().contains("4.25 could come from 4.25") && run.stdout().contains(MAXIMUM),
        "{run}"
    );
    let json = paper.run("suggest", &["--json", "--limit", "1"]);
    let proposals = &json.data()["proposals"];
    assert_eq!(proposals.as_array().map(Vec::len), Some(1), "{json}");
    let all = paper.run("suggest", &["--json"]);
    let all = all.data()["proposals"].as_array().cloned();
    let all = all.expect("proposals");
    let best = all.iter().filter(|row| row["rank"] == 1);
    let best: Vec<&Value> = best.filter(|row| row["shown"] == "4.25").collect();
    assert_eq!(best.len(), 1, "{all:?}");
    assert_eq!(best[0]["query"], MAXIMUM);
    assert_eq!(best[0]["others"], 1, "{all:?}");
    assert!(
        all.iter().all(|row| row["shown"] != "3"),
        "whole numbers below 100 are everywhere: {all:?}"
    );
    before.assert_same(&paper.project.snapshot(), "suggest");
}

#[test]
fn nothing_is_proposed_where_paper_and_data_share_no_words() {
    let paper = Paper::new("We need 4.25 ms.").with("results/v.csv", "x\n1\n2.25\n4.25\n");
    let before = paper.project.snapshot();
    let run = paper.run("suggest", &["--write"]).expect_code(0);
    assert!(run.stdout().contains("no proposals"), "{run}");
    before.assert_same(&paper.project.snapshot(), "suggest");
}

#[test]
fn a_table_is_proposed_as_a_whole() {
    let table = "\\begin{table}\\caption{Accuracy of the decoders.}\\label{tab:acc}\\begin{tabular}{lrr}\nDecoder & Mean & Max \\\\\n\
                 Lattice & 71.5 & 73.0 \\\\\nGreedy & 64.2 & 65.1 \\\\\n\\end{tabular}\\end{table}\n";
    let data = "decoder,accuracy\nlattice,70\nlattice,73\ngreedy,63.3\ngreedy,65.1\nrandom,10\n";
    let paper = Paper::new(table).with("results/accuracy.csv", data);
    paper.run("suggest", &["--write"]).expect_code(0);
    let written = paper.read("claims.toml");
    let claims: Value = toml_edit::de::from_str(&written).expect("TOML");
    assert_eq!(
        claims["table"].as_array().map(Vec::len),
        Some(1),
        "{written}"
    );
    assert_eq!(claims["table"][0]["proposed"], true, "{written}");
    paper.write("claims.toml", written.replace("proposed = true\n", ""));
    let audit = paper.audit();
    assert_eq!(audit.verdict(), "PASS", "{audit}\n{written}");
    assert_eq!(audit.bound().len(), 4, "{audit}\n{written}");
}

#[test]
fn proposals_are_appended_as_such_and_never_count() {
    let paper = clear().with("claims.toml", OWN);
    let before = paper.audit();
    paper.run("suggest", &["--write"]).expect_code(0);
    let written = paper.read("claims.toml");
    assert!(written.starts_with(OWN), "{written}");
    let own: Value = toml_edit::de::from_str(OWN).expect("TOML");
    let now: Value = toml_edit::de::from_str(&written).expect("TOML");
    let claims = now["claim"].as_array().expect("claims");
    let proposals: Vec<&Value> = claims
        .iter()
        .filter(|claim| claim["proposed"] == true)
        .collect();
    // The mean is bound already, and the number of runs is a small integer.
    assert_eq!(proposals.len(), 1, "{written}");
    assert_eq!(
        claims.len(),
        1 + own["claim"].as_array().expect("claims").len(),
        "{written}"
    );
    assert!(text(proposals[0], "text").contains("[[4.25]]"), "{written}");
    assert_eq!(proposals[0]["value"], MAXIMUM, "{written}");
    let after = paper.audit();
    assert_eq!(
        (after.verdict(), after.unbound()),
        (before.verdict(), before.unbound()),
        "{after}"
    );
    assert!(after.unbound().contains(&"4.25"), "{after}");
    // The user has checked them and removed the word `proposed`.
    let confirmed: Vec<&str> = written
        .lines()
        .filter(|line| !line.contains("proposed"))
        .collect();
    paper.write("claims.toml", confirmed.join("\n"));
    let confirmed = paper.audit();
    assert!(!confirmed.unbound().contains(&"4.25"), "{confirmed}");
    // A second run proposes nothing again.
    paper.write("claims.toml", &written);
    paper.run("suggest", &["--write"]).expect_code(0);
    assert_eq!(paper.read("claims.toml"), written);
}

/// A paper whose best score comes from a macro.
fn with_macros() -> Paper {
    let source = "\\documentclass{article}\n\\input{claims}\n\\begin{document}\nWe reach \\best{} ms in \\runs{} runs.\n\\end{document}\n";
    let of = |name: &str, sql: &str, format: &str| {
        format!(
            "[[claim]]\nmacro = \"{name}\"\nvalue = '''select {sql} from \"results/v.csv\"'''\nformat = \"{format}\"\n"
        )
    };
    Paper::new("")
        .with("main.tex", source)
        .with("results/v.csv", "x\n1\n2.25\n4.26\n")
        .claims(&[of("best", "max(x)", "%.1f"), of("runs", "count(*)", "%d")].concat())
}

#[test]
fn emit_defines_a_command_for_every_macro_and_check_says_when_it_is_stale() {
    let paper = with_macros();
    let emit = |more: &[&str]| paper.run("emit", &[&["-o", "paper/claims.tex"], more].concat());
    assert_eq!(emit(&["--check"]).code(), 10, "there is no file yet");
    assert!(!paper.project.at("paper/claims.tex").exists());
    emit(&[]).expect_code(0);
    let made = paper.read("claims.tex");
    assert!(
        made.contains("\\newcommand{\\best}{4.3}") && made.contains("\\newcommand{\\runs}{3}"),
        "{made}"
    );
    let before = paper.project.snapshot();
    emit(&["--check"]).expect_code(0);
    emit(&[]).expect_code(0);
    before.assert_same(&paper.project.snapshot(), "nothing has changed");
    assert_eq!(paper.audit().verdict(), "PASS");
    paper.write("results/v.csv", "x\n1\n2.25\n9.96\n");
    assert_eq!(emit(&["--check"]).code(), 10);
    assert_eq!(paper.read("claims.tex"), made);
    assert_eq!(paper.audit().verdict(), "FAIL");
    emit(&[]).expect_code(0);
    assert!(paper.read("claims.tex").contains("{10.0}"));
    assert_eq!(paper.audit().verdict(), "PASS");
}

#[test]
fn emit_writes_nothing_when_a_value_is_missing() {
    let paper = with_macros();
    paper
        .run("emit", &["-o", "paper/claims.tex"])
        .expect_code(0);
    let made = paper.read("claims.tex");
    paper.write("results/v.csv", "y\n1\n");
    let run = paper.run("emit", &["-o", "paper/claims.tex"]);
    assert!(run.code() != 0, "{run}");
    assert_eq!(paper.read("claims.tex"), made);
    let stale = Paper::new("None.").claims("");
    let run = stale.run("emit", &["-o", "paper/main.tex/claims.tex"]);
    assert!(run.code() != 0, "{run}");
}

/// An emitted file of an earlier run.
const OLD: &str = "% Written by `paper_claim_audit emit` before\n";

#[test]
fn emit_killed_at_any_point_leaves_the_old_file_or_the_new_one() {
    let helper = Helper::named("paper_claim_audit");
    let paper = with_macros();
    paper
        .run("emit", &["-o", "paper/claims.tex"])
        .expect_code(0);
    let new = paper.read("claims.tex");
    let crashes = crash_at_every_change(
        |_| {
            paper.write("claims.tex", OLD);
            paper.call_of(&helper, &["emit", "paper", "-o", "paper/claims.tex"])
        },
        |number, _| {
            assert!(
                [OLD, new.as_str()].contains(&paper.read("claims.tex").as_str()),
                "crash {number}"
            );
        },
    );
    assert_eq!(crashes.last.code(), 0);
}

#[test]
fn show_gives_the_paper_with_its_numbers_and_a_page_that_needs_nothing_else() {
    let paper = paper().with("claims.toml", OWN);
    let run = paper.run("show", &[]);
    assert!([0, 10].contains(&run.code()), "{run}");
    assert!(
        run.stdout().contains("2.5") && run.stdout().contains("4.25"),
        "{run}"
    );
    let run = paper.run("show", &["--html", "page.html"]);
    assert!([0, 10].contains(&run.code()), "{run}");
    let page = paper.project.read("page.html");
    for part in [
        "<!doctype html",
        "2.5",
        "4.25",
        "exact_match",
        "unbound",
        "results/v.csv",
        "avg(x)",
    ] {
        assert!(page.to_lowercase().contains(part), "the page has no {part}");
    }
    for part in ["src=\"http", "href=\"http", "@import", "<script src"] {
        assert!(!page.contains(part), "the page loads {part}");
    }
    let hostile = Paper::new("We saw 2.5 ms, <script>alert(1)</script> \\& \"quotes\".").with("results/v.csv", "x\n2.5\n").claims(
        "[[claim]]\nid = '<b>'\nin = \"main.tex\"\ntext = \"saw [[2.5]] ms\"\nvalue = '''select max(x) as \"<i>\" from \"results/v.csv\"'''\n",
    );
    hostile.run("show", &["--html", "page.html"]);
    let page = hostile.project.read("page.html");
    assert!(
        !page.contains("<script>alert") && !page.contains("as \"<i>\""),
        "the paper's text is markup of the page"
    );
}

#[test]
fn a_second_run_changes_no_byte_and_a_changed_input_is_seen() {
    let paper = paper().with("claims.toml", OWN);
    let first = paper.audit();
    first.expect("mean", "exact_match");
    let before = paper.project.snapshot();
    let second = paper.audit();
    before.assert_same(&paper.project.snapshot(), "the second run");
    assert_eq!(second.verdict(), first.verdict());
    assert!(paper.project.at("paper/PAPER_CLAIM_AUDIT.md").is_file());
    paper.write("results/v.csv", "x\n1\n2.25\n5\n");
    let third = paper.audit();
    third.expect("mean", "number_mismatch");
    let digest = |audit: &crate::support::Audit| {
        audit.artifact["audited_input_hashes"]["results/v.csv"]
            .as_str()
            .map(str::to_owned)
    };
    assert!(digest(&first).is_some() && digest(&first) != digest(&third));
    paper.write("results/v.csv", "x\n1\n2.25\n4.25\n");
    paper.audit().expect("mean", "exact_match");
}

#[test]
fn an_audit_leaves_a_trace_in_the_project() {
    let paper = paper().with("claims.toml", OWN);
    let audit = paper.audit();
    let trace = text(&audit.artifact, "trace_path");
    let found = [
        paper.project.at(trace),
        paper.project.at(&paper.inside(trace)),
    ]
    .iter()
    .any(|path| path.exists());
    assert!(!trace.is_empty() && found, "{trace}");
    assert!(paper.project.at(".aris/traces/paper-claim-audit").is_dir());
    assert!(
        text(&audit.artifact, "reviewer_model").starts_with("deterministic/paper_claim_audit@")
    );
    assert_eq!(audit.artifact["audit_skill"], "paper-claim-audit");
}

#[test]
fn where_nothing_can_be_written_the_exit_is_five_and_nothing_is_half_written() {
    let paper = paper().with("claims.toml", OWN);
    // A folder in the artifact's place prevents the write, even for root.
    paper.project.write("paper/PAPER_CLAIM_AUDIT.json/x", "");
    let before = paper.project.snapshot();
    let run = paper.call(&["paper"]).run().expect_code(5);
    assert!(run.stderr().contains("PAPER_CLAIM_AUDIT.json"), "{run}");
    let traces = |path: &str| path.starts_with(".aris") || path.ends_with("AUDIT.md");
    before
        .without(traces)
        .assert_same(&paper.project.snapshot().without(traces), "nothing");
}
