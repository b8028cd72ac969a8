//! The verdict of the whole audit, and the program's arguments.

use std::os::unix::fs::symlink;

use aris_testkit::Project;
use serde_json::Value;

use crate::support::{Paper, program, status, text};

/// A claim on the one number of `results/v.csv`.
fn claim(id: &str, text: &str, more: &str) -> String {
    format!(
        "[[claim]]\nid = \"{id}\"\nin = \"main.tex\"\ntext = \"{text}\"\nvalue = 'select x from \"results/v.csv\"'\n{more}\n"
    )
}

fn coverage(artifact: &Value, place: &str) -> [u64; 3] {
    ["bound", "waived", "unbound"].map(|kind| {
        let count = &artifact["details"]["coverage"][place][kind];
        count
            .as_u64()
            .unwrap_or_else(|| panic!("no {kind} of {place}: {}", artifact["details"]["coverage"]))
    })
}

const BODY: &str = "\\begin{abstract}\nOurs needs 12.4 ms.\n\\end{abstract}\n\\section{Results}\nIt was 37.5\\% faster and took 12.4 ms.\n\
                    \\begin{table}\n\\caption{S.}\\label{t}\n\\begin{tabular}{lr}\nMethod & Time \\\\\nBase & 19.8 \\\\\nOurs & 12.4 \\\\\n\\end{tabular}\n\\end{table}";

#[test]
fn without_claims_toml_everything_is_unbound_and_one_command_to_begin_is_named() {
    let paper = Paper::new(BODY).with("results/v.csv", "x\n12.4\n");
    let audit = paper.audit();
    assert_eq!(
        (audit.verdict(), audit.reason()),
        ("WARN", "unbound_claims"),
        "{audit}"
    );
    assert!(audit.bound().is_empty(), "{audit}");
    assert_eq!(
        audit.unbound(),
        ["12.4", "37.5", "12.4", "19.8", "12.4"],
        "{audit}"
    );
    for entry in audit.entries() {
        assert!(
            !text(entry, "kind").is_empty()
                && !text(entry, "file").is_empty()
                && entry["line"].is_u64(),
            "{entry}"
        );
    }
    assert_eq!(
        ["abstract", "tables", "text"].map(|place| coverage(&audit.artifact, place)),
        [[0, 0, 1], [0, 0, 2], [0, 0, 2]]
    );
    let said = audit.said();
    let commands = ["paper_claim_audit suggest", "paper_claim_audit bind"]
        .iter()
        .filter(|command| said.contains(**command))
        .count();
    assert_eq!(commands, 1, "{said}");
    assert!(text(&audit.artifact, "summary").contains('5'), "{audit}");
    // The same with a claims.toml without bindings.
    let empty = Paper::new(BODY)
        .with("results/v.csv", "x\n12.4\n")
        .claims("")
        .audit();
    assert_eq!(
        (empty.verdict(), empty.reason()),
        ("WARN", "unbound_claims"),
        "{empty}"
    );
}

#[test]
fn numbers_without_results_block_and_text_without_numbers_is_not_applicable() {
    let blocked = Paper::new("We reach an accuracy of 84.9\\%.").audit();
    assert_eq!(blocked.verdict(), "BLOCKED", "{blocked}");
    let none = Paper::new("See the book of Knuth.").audit();
    assert_eq!(
        (none.verdict(), none.run.code()),
        ("NOT_APPLICABLE", 0),
        "{none}"
    );
}

#[test]
fn all_bound_or_waived_is_a_pass() {
    let waive = "[[waive]]\nin = \"main.tex\"\ntext = \"It was [[37.5]]\\\\% faster\"\nreason = \"cited, not ours\"\n";
    let table = "[[table]]\nlabel = \"t\"\nvalue = '''select 'Ours', 'Time', x from \"results/v.csv\" union all select 'Base', 'Time', y from \"results/v.csv\"'''\n";
    let bindings = [
        claim("abstract", "Ours needs [[12.4]] ms.", ""),
        claim("text", "and took [[12.4]] ms", ""),
        waive.to_owned(),
        table.to_owned(),
    ]
    .concat();
    let paper = Paper::new(BODY)
        .with("results/v.csv", "x,y\n12.4,19.8\n")
        .claims(&bindings);
    let audit = paper.audit();
    assert_eq!((audit.verdict(), audit.run.code()), ("PASS", 0), "{audit}");
    assert_eq!(
        ["abstract", "tables", "text"].map(|place| coverage(&audit.artifact, place)),
        [[1, 0, 0], [2, 0, 0], [1, 1, 0]]
    );
    let waived: Vec<&Value> = audit
        .entries()
        .iter()
        .filter(|entry| status(entry) == "waived")
        .collect();
    assert_eq!(waived.len(), 1, "{audit}");
    assert_eq!(
        (text(waived[0], "shown"), text(waived[0], "reason")),
        ("37.5", "cited, not ours")
    );
    assert!(
        paper
            .read("PAPER_CLAIM_AUDIT.md")
            .contains("cited, not ours")
    );
    // With one number uncovered it is a warning again.
    paper.write("claims.toml", paper.read("claims.toml").replace(waive, ""));
    let audit = paper.audit();
    assert_eq!(
        (audit.verdict(), audit.unbound()),
        ("WARN", vec!["37.5"]),
        "{audit}"
    );
}

#[test]
fn a_waiver_whose_sentence_is_gone_is_not_silent() {
    let waive =
        "[[waive]]\nin = \"main.tex\"\ntext = \"another [[37.5]] sentence\"\nreason = \"cited\"\n";
    let audit = Paper::new("It took 12.4 ms.")
        .with("results/v.csv", "x\n12.4\n")
        .claims(&[claim("x", "took [[12.4]] ms", "").as_str(), waive].concat())
        .audit();
    audit.expect("x", "exact_match");
    assert!(audit.verdict() != "PASS", "{audit}");
    audit.expect_message(&["claims.toml"]);
}

#[test]
fn a_proposal_never_counts() {
    let body = "It took 12.4 ms.";
    let right = Paper::new(body)
        .with("results/v.csv", "x\n12.4\n")
        .claims(&claim("x", "took [[12.4]] ms", "proposed = true"))
        .audit();
    assert_eq!(
        (right.verdict(), right.unbound()),
        ("WARN", vec!["12.4"]),
        "{right}"
    );
    let wrong = Paper::new(body)
        .with("results/v.csv", "x\n9.9\n")
        .claims(&claim("x", "took [[12.4]] ms", "proposed = true"))
        .audit();
    assert_eq!(
        (wrong.verdict(), wrong.unbound()),
        ("WARN", vec!["12.4"]),
        "{wrong}"
    );
    let lost = Paper::new(body)
        .with("results/v.csv", "x\n12.4\n")
        .claims(&claim("x", "needs [[12.4]] ms", "proposed = true"))
        .audit();
    assert_eq!(lost.verdict(), "WARN", "{lost}");
    let counted = Paper::new(body)
        .with("results/v.csv", "x\n12.4\n")
        .claims(&claim("x", "took [[12.4]] ms", "proposed = false"))
        .audit();
    assert_eq!(counted.verdict(), "PASS", "{counted}");
}

#[test]
fn the_worst_status_decides() {
    let body = "Good took 12.4 ms. Bad took 12.5 ms. Broken took 12.4 ms. Unbound took 99.5 ms. Ours is best.";
    let good = claim("good", "Good took [[12.4]] ms", "");
    let bad = claim("bad", "Bad took [[12.5]] ms", "");
    let broken = claim("broken", "Broken took [[12.4]] ms", "").replace("select x", "select y");
    let lost = claim("lost", "Lost took [[12.4]] ms", "");
    let holds = "[[claim]]\nid = \"holds\"\nin = \"main.tex\"\ntext = \"Ours is best.\"\nholds = 'select x < 1 from \"results/v.csv\"'\n".to_owned();
    for (bindings, verdict) in [
        (good.clone(), "WARN"),
        ([good.clone(), bad.clone()].concat(), "FAIL"),
        ([good.clone(), lost].concat(), "FAIL"),
        ([good.clone(), holds.clone()].concat(), "FAIL"),
        ([good.clone(), broken.clone()].concat(), "ERROR"),
    ] {
        let audit = Paper::new(body)
            .with("results/v.csv", "x\n12.4\n")
            .claims(&bindings)
            .audit();
        assert_eq!(audit.verdict(), verdict, "{bindings}: {audit}");
        assert_eq!(audit.run.code(), 10);
    }
    let all = Paper::new(body)
        .with("results/v.csv", "x\n12.4\n")
        .claims(&[good, bad, broken, holds].concat())
        .audit();
    assert!(["FAIL", "ERROR"].contains(&all.verdict()), "{all}");
    for (id, status) in [
        ("good", "exact_match"),
        ("bad", "number_mismatch"),
        ("broken", "binding_error"),
        ("holds", "scope_overclaim"),
    ] {
        all.expect(id, status);
    }
    assert!(
        !all.said().to_lowercase().contains("replace"),
        "{}",
        all.said()
    );
    assert!(
        !Paper::new(body)
            .with("results/v.csv", "x\n1\n")
            .audit()
            .said()
            .to_lowercase()
            .contains("replace")
    );
}

#[test]
fn text_that_was_not_read_is_reported() {
    let missing = Paper::new("\\input{gone}It took 12.4 ms.")
        .with("results/v.csv", "x\n12.4\n")
        .claims(&claim("x", "took [[12.4]] ms", ""))
        .audit();
    missing.expect("x", "exact_match");
    assert!(missing.verdict() != "PASS", "{missing}");
    missing.expect_message(&["gone"]);
    let undefined = Paper::new("It took 12.4 ms and \\howmany{} runs.")
        .with("results/v.csv", "x\n12.4\n")
        .claims(&claim("x", "took [[12.4]] ms", ""))
        .audit();
    undefined.expect("x", "exact_match");
    undefined.expect_message(&["howmany"]);
    let latin = Paper::new("\\input{latin}It took 12.4 ms.")
        .with("latin.tex", b"caf\xe9 84.9")
        .with("results/v.csv", "x\n12.4\n")
        .audit();
    assert!(
        !["PASS", "NOT_APPLICABLE"].contains(&latin.verdict()),
        "{latin}"
    );
    latin.expect_message(&["latin.tex"]);
}

#[test]
fn a_folder_without_a_root_document_is_an_error() {
    let project = Project::new().file("paper/notes.txt", "none");
    let run = program().call(project.path()).args(["paper"]).run();
    assert_eq!(run.code(), 10, "{run}");
    assert_eq!(
        project.json("paper/PAPER_CLAIM_AUDIT.json")["verdict"],
        "ERROR"
    );
}

#[test]
fn the_paper_is_the_folder_named_or_paper_or_the_current_one() {
    let make = || {
        Paper::new("It took 12.4 ms.")
            .with("results/v.csv", "x\n12.4\n")
            .claims(&claim("x", "took [[12.4]] ms", ""))
    };
    let paper = make();
    paper.call(&[]).run().expect_code(0);
    assert_eq!(
        paper.project.json("paper/PAPER_CLAIM_AUDIT.json")["verdict"],
        "PASS"
    );
    let paper = make();
    program()
        .call(paper.project.at("paper"))
        .run()
        .expect_code(0);
    assert_eq!(
        paper.project.json("paper/PAPER_CLAIM_AUDIT.json")["verdict"],
        "PASS"
    );
    let elsewhere = tempfile::tempdir().expect("temp");
    symlink(paper.project.at("paper"), elsewhere.path().join("link")).expect("link");
    let before = paper.project.snapshot();
    program()
        .call(elsewhere.path())
        .args(["link"])
        .run()
        .expect_code(0);
    before.assert_same(&paper.project.snapshot(), "the same paper through a link");
    assert!(
        !elsewhere.path().join(".aris").exists(),
        "the trace belongs to the project"
    );
}

#[test]
fn claims_may_stand_in_another_file() {
    let paper = Paper::new("It took 12.4 ms.")
        .with("results/v.csv", "x\n12.4\n")
        .with(
            "other.toml",
            format!("version = 1\n{}", claim("x", "took [[12.4]] ms", "")),
        );
    assert_eq!(paper.audit().verdict(), "WARN");
    let audit = paper.audit_with(&["--claims", "paper/other.toml"]);
    audit.expect("x", "exact_match");
    assert_eq!(audit.verdict(), "PASS", "{audit}");
    assert!(
        audit.artifact["audited_input_hashes"]
            .to_string()
            .contains("other.toml"),
        "{audit}"
    );
}

#[test]
fn usage_errors_and_absent_inputs_have_their_exit_codes_and_write_nothing() {
    let paper = Paper::new("It took 12.4 ms.").with("results/v.csv", "x\n12.4\n");
    let elsewhere = tempfile::tempdir().expect("temp");
    let outside = elsewhere.path().to_str().expect("text").to_owned();
    let before = paper.project.snapshot();
    for (args, codes) in [
        (&["paper", "--no-such-flag"][..], &[2][..]),
        (&["gone"], &[2, 3]),
        (&["paper", "--claims"], &[2]),
        (&["paper", "--claims", "gone.toml"], &[3]),
        (&["paper", "--results", "gone"], &[3]),
        (&["paper", "--results", &outside], &[2]),
        (&["paper", "--root", "gone"], &[2, 3]),
        (&["paper", "--exclude", "results/[v.csv"], &[2]),
        (&["suggest", "paper", "--limit", "many"], &[2]),
        (&["bind", "paper"], &[2]),
        (&["emit", "paper"], &[2]),
        (&["show", "gone"], &[2, 3]),
    ] {
        let run = paper.call(args).run();
        assert!(codes.contains(&run.code()), "{args:?}: {run}");
        before.assert_same(&paper.project.snapshot(), &format!("{args:?}"));
        let json = paper.call(&[args, &["--json"]].concat()).run();
        assert!(
            json.code() == run.code() && json.error()["message"].as_str().is_some(),
            "{args:?}: {json}"
        );
    }
}

#[test]
fn the_json_answer_is_one_envelope_with_the_verdict() {
    let paper = Paper::new("It took 12.4 ms.")
        .with("results/v.csv", "x\n12.4\n")
        .claims(&claim("x", "took [[12.4]] ms", ""));
    let run = paper.call(&["paper", "--json"]).run();
    assert_eq!(
        (run.data()["verdict"].as_str(), run.code()),
        (Some("PASS"), 0)
    );
    paper.write("claims.toml", "version = 1\n[[claim]]\nx = 1\n");
    let run = paper.call(&["paper", "--json"]).run().expect_code(4);
    assert!(run.error().to_string().contains("claims.toml:3:1"), "{run}");
}

#[test]
fn exact_checks_warn_and_never_accuse_a_binding() {
    let body = "The time fell from 20.0 to 15.0 ms (35\\%), and 3 of 4 runs (80\\%) ended.";
    let audit = Paper::new(body)
        .with("results/v.csv", "x\n15\n")
        .claims(&claim("x", "to [[15.0]] ms", ""))
        .audit();
    audit.expect("x", "exact_match");
    assert_eq!(
        (audit.verdict(), audit.bound().len()),
        ("WARN", 1),
        "{audit}"
    );
    audit.expect_message(&["35", "25"]);
    audit.expect_message(&["80", "75"]);
    let right =
        Paper::new("The time fell from 20.0 to 15.0 ms (25\\%), and 3 of 4 runs (75\\%) ended.")
            .with("results/v.csv", "x\n15\n")
            .audit();
    assert!(!right.said().contains("33.3"), "{right}");
}

#[test]
fn numbers_that_may_not_be_set_are_neither_accused_nor_counted() {
    let body = "Sure took 12.4 ms. \\ifluatex Maybe took 12.5 ms, free 99.5 ms.\\fi";
    let sure = claim("sure", "Sure took [[12.4]] ms", "");
    let maybe = claim("maybe", "Maybe took [[12.5]] ms", "");
    let audit = Paper::new(body)
        .with("results/v.csv", "x\n12.4\n")
        .claims(&[sure, maybe].concat())
        .audit();
    audit.expect("sure", "exact_match");
    audit.expect("maybe", "undecided");
    assert_eq!(audit.verdict(), "WARN", "{audit}");
    assert!(audit.said().contains("\\ifluatex"), "{}", audit.said());
    // A number in such text is listed, but not counted for the coverage.
    let open = Paper::new("\\ifluatex free 99.5 ms\\fi").audit();
    assert_eq!(open.verdict(), "WARN", "{open}");
}
