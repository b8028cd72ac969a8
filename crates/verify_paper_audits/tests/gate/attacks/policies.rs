//! Requirements of the policy beyond the audits, and files beside the paper.

use std::fs;

use serde_json::json;

use crate::support::{BINDINGS, CLAIMS, Project};

/// The gate counts the bound numbers itself, because anybody can edit the count in an artifact.
#[test]
fn numbers_that_nothing_binds_block_where_the_policy_asks_for_them() {
    let all = json!({"bound": 9, "waived": 0, "unbound": 0});
    let all = json!({"coverage": {"abstract": all, "tables": all, "text": all}});
    let half = "version = 1\n[data]\nroot = \"..\"\n[[claim]]\nin = \"sections/results.tex\"\ntext = 'reaches [[84.7]]'\n\
        value = \"\"\"select 100 * (doc ->> '$.accuracy') from \"results/run_1.json\\\"\"\"\"\n";
    let waived = "[[waive]]\nin = \"sections/results.tex\"\ntext = '[[2.3]] points'\nreason = \"said in the talk\"\n";
    let alone = format!("version = 1\n{waived}");
    let waived = format!("{half}{waived}");
    let table = r"\begin{abstract}We reach 84.7\,\%.\end{abstract}\begin{tabular}{lr}\toprule run & accuracy\\\midrule one & 84.7\\\bottomrule\end{tabular}\input{sections/intro}";
    // The bindings, whether the program audits, the policy's minimum, and the parts in which too little is bound.
    let rows: [(&str, bool, &str, &[&str]); 11] = [
        ("", false, "\"text\": 1", &["text"]),
        ("", true, "\"text\": 0.1", &["text"]),
        ("", false, "\"abstract\": 1, \"tables\": 1", &[]),
        (BINDINGS, false, "\"text\": 1", &[]),
        (BINDINGS, true, "\"text\": 1", &[]),
        (half, false, "\"text\": 0.6", &["text"]),
        (half, false, "\"text\": 0.5", &[]),
        (&waived, true, "\"text\": 1", &[]),
        (&alone, true, "\"text\": 0.6667", &["text"]),
        (
            BINDINGS,
            false,
            "\"abstract\": 1, \"tables\": 0.5, \"text\": 1",
            &["abstract", "tables"],
        ),
        ("version = ", false, "\"text\": 1", &["text"]),
    ];
    for (bindings, by_program, asked, parts) in rows {
        let project = Project::new();
        let policy = format!(
            r#"{{"schema": "aris.verify_paper_audits.policy/v1", "min_bound": {{{asked}}}}}"#
        );
        project.write("../policy.json", &policy);
        if parts.len() > 1 {
            project.edit("main.tex", r"\input{sections/intro}", table);
        }
        if !bindings.is_empty() {
            project.write("claims.toml", bindings);
        }
        if by_program {
            project.audit_claims(&[]);
        } else {
            project.seal();
            if !bindings.is_empty() {
                project.also(CLAIMS, "claims.toml");
            }
            project.set(CLAIMS, "details", all.clone());
        }
        let gated = project.run(&["--assurance", "submission", "--policy", "policy.json"]);
        let findings = gated.report["findings"].as_array().into_iter().flatten();
        let findings = findings
            .filter(|finding| finding["id"] == "claims_unbound" && finding["severity"] == "block");
        let found: Vec<&str> = findings
            .filter_map(|finding| finding["evidence"]["part"].as_str())
            .collect();
        assert_eq!(found, parts, "{asked} {bindings}: {}", gated.stdout);
        if parts.is_empty() {
            assert_eq!(gated.code, 0, "{asked} {bindings}: {}", gated.stdout);
        }
        for (share, wanted) in [("0.6", "60"), ("0.6667", "66.6")] {
            let said = format!(
                "1 of 2 numbers of the part text are bound or waived, 50 %; the policy asks for {wanted} %"
            );
            let says = gated.stdout.contains(&said);
            assert!(
                says || asked != format!("\"text\": {share}"),
                "{}",
                gated.stdout
            );
        }
        let usual = project.gate().ids("block");
        let usual = usual.contains(&String::from("claims_unbound"));
        assert!(!usual, "the built-in policy asks for none");
    }
    // A verdict that says that nothing was checked blocks already.
    for (verdict, expected) in [
        ("NOT_APPLICABLE", &["claims_unbound"] as &[&str]),
        ("FAIL", &["blocking_verdict", "claims_unbound"]),
        ("BLOCKED", &["blocking_verdict"]),
        ("ERROR", &["blocking_verdict"]),
    ] {
        let project = Project::new();
        let policy =
            r#"{"schema": "aris.verify_paper_audits.policy/v1", "min_bound": {"text": 1}}"#;
        project
            .write("../policy.json", policy)
            .write("sections/results.tex", "Our gate is 2.3 points better.\n")
            .seal()
            .says(CLAIMS, verdict);
        let ran = project.run(&["--assurance", "submission", "--policy", "policy.json"]);
        assert_eq!(ran.ids("block"), expected, "{verdict}: {}", ran.stdout);
        project.remove(CLAIMS);
        let ran = project.run(&["--assurance", "submission", "--policy", "policy.json"]);
        let unbound = ran.audits("claims_unbound");
        assert!(unbound.is_empty(), "no audit, no share: {}", ran.stdout);
    }
}

/// If no run explains the results, the list of findings is limited, because one for each would hide the others.
#[test]
fn results_that_no_run_made_are_listed_to_a_bound() {
    let policy = r#"{"schema": "aris.verify_paper_audits.policy/v1", "severity": {"unexplained_evidence": "block"}}"#;
    for (files, listed, more) in [(20, 20, None), (22, 20, Some("the same of 2 more files"))] {
        let project = Project::new();
        let bindings = BINDINGS.replace(
            "100 * (doc ->> '$.accuracy')",
            "100 * avg(doc ->> '$.accuracy')",
        );
        let bindings = bindings.replacen("results/run_1.json", "results/runs/*.json", 1);
        project.write("claims.toml", bindings);
        for run in 1..files {
            let result = format!("{{\"accuracy\": 0.847, \"seed\": {run}}}\n");
            project.write(&format!("../results/runs/{run}.json"), result);
        }
        project.write("../policy.json", policy).audit_claims(&[]);
        let ran = project.run(&["--assurance", "submission", "--policy", "policy.json"]);
        assert_eq!(ran.ids("block"), ["unexplained_evidence"], "{}", ran.stdout);
        let findings = ran.report["findings"].as_array().expect("list").iter();
        let messages = findings.filter_map(|finding| finding["message"].as_str());
        let (rest, each): (Vec<&str>, Vec<&str>) =
            messages.partition(|message| message.starts_with("the same of "));
        assert_eq!((each.len(), rest), (listed, more.into_iter().collect()));
        assert!(each.iter().all(|message| message.starts_with("results/")));
    }
}

#[test]
fn a_ledger_of_runs_that_cannot_be_read_is_no_absent_one() {
    let project = Project::new();
    project.bind().audit_claims(&[]);
    fs::create_dir_all(project.root.join(".aris/runs/outputs")).expect("folder");
    let ran = project.gate();
    assert_eq!(ran.ids("warn"), ["record_damaged"], "{}", ran.stdout);
}

#[test]
fn policies_and_manifests_beside_the_paper() {
    let lax =
        r#"{"schema": "aris.verify_paper_audits.policy/v1", "severity": {"stale_input": "info"}}"#;
    let project = Project::new();
    for place in [
        "policy.json",
        "audit-policy.json",
        ".aris/policy.json",
        ".aris/audit-policy.json",
        "../.aris/policy.json",
        "../policy.json",
    ] {
        project.write(place, lax);
    }
    project.edit("sections/results.tex", "84.7", "89.2");
    assert_eq!(
        project.gate().code,
        1,
        "a policy that nobody named has an effect"
    );

    let weak = project.run(&["--assurance", "submission", "--policy", "policy.json"]);
    assert_eq!(
        weak.report["policy"]["weakened"],
        json!(["severity.stale_input"])
    );
    assert!(
        weak.ids("warn").contains(&String::from("policy_weakened"))
            && weak.stdout.contains("weakens severity.stale_input")
    );

    let manifest = |audits: &str| {
        format!("{{\"schema\": \"aris.verify_paper_audits.manifest/v1\", \"audits\": {audits}}}")
    };
    let cases = [
        (
            manifest(r#"[{"artifact": "KILL_ARGUMENT.json", "skill": "kill-argument"}]"#),
            "missing_artifact",
        ),
        (
            manifest(
                r#"[{"artifact": "PROOF_AUDIT.json", "skill": "proof-checker", "mandatory": false}]"#,
            ),
            "manifest_invalid",
        ),
        (
            manifest(r#"[{"artifact": "OTHER.json", "skill": "proof-checker"}]"#),
            "manifest_invalid",
        ),
        (String::from("{}"), "manifest_invalid"),
        (String::from("[]"), "manifest_invalid"),
    ];
    for (text, expected) in cases {
        let project = Project::new();
        project.write(".aris/audits.json", &text);
        let ran = project.gate();
        assert!(
            ran.code == 1 && ran.ids("block").contains(&expected.to_owned()),
            "{text}: {}",
            ran.stderr
        );
    }
}

#[test]
fn what_is_wrong_in_one_place_is_said_once() {
    type Case = (fn(&Project), &'static str);
    let cases: [Case; 3] = [
        (
            |p| {
                p.remove("../results/run_1.json");
            },
            "input_gone",
        ),
        (
            |p| {
                p.set(CLAIMS, "audited_input_hashes", json!({}));
            },
            "no_audited_inputs",
        ),
        (
            |p| {
                p.set(CLAIMS, "generated_at", "2090-11-20");
            },
            "clock",
        ),
    ];
    for (damage, expected) in cases {
        let project = Project::new();
        damage(&project);
        let ran = project.gate();
        assert_eq!(ran.audits(expected), ["paper-claim-audit"]);
        let all = ran.report["findings"].as_array().map(Vec::len);
        assert_eq!(all, Some(1), "{}", ran.stdout);
    }
}
