//! The findings in small documents with a bibliography, results and a plan.
#![cfg(test)]

use aris_latex::Loaded;
use aris_paper::bib::BibFile;
use aris_paper::facts::Month;
use aris_statements::plan::Plan;
use aris_statements::prose::Prose;
use aris_statements::results::Results;
use aris_statements::rules::{Check, Sources, check};

fn document(file: &str, text: &str) -> Prose {
    Prose::read(file, text, &mut |_: &str| Loaded::Absent).unwrap()
}

/// Rule, line and `requires_decision` of the findings of these rules.
fn found(check: &Check, rules: &[&str]) -> Vec<(String, Option<u32>, bool)> {
    let findings = check.findings.iter().filter_map(|finding| {
        let rule = finding
            .rule
            .clone()
            .filter(|rule| rules.contains(&rule.as_str()))?;
        Some((rule, finding.line, finding.requires_decision))
    });
    findings.collect()
}

fn not_checked(check: &Check, rule: &str, part: &str) -> bool {
    let mut all = check.not_checked.iter();
    all.any(|not| not.rule == rule && not.reason.contains(part))
}

const DESIGN: [&str; 3] = [
    "sample-size-mismatch",
    "unit-of-analysis",
    "protocol-deviation",
];

fn designed(text: &str, csv: &str, plan: Option<&str>) -> Check {
    let results = [Results {
        path: String::from("runs.csv"),
        table: aris_evidence::read_table("runs.csv", csv.as_bytes(), None).unwrap(),
    }];
    let plan = plan.map(|text| Plan::read("plan.yaml", text).unwrap());
    let sources = Sources {
        results: Some(&results),
        plan: plan.as_ref(),
        ..Sources::default()
    };
    check(
        &[document("report.md", &format!("## Results\n\n{text}\n"))],
        &sources,
    )
}

/// Two systems with two units each, and two iterations for each unit.
const ITERATED: &str = "system,seed,iteration,ms\na,1,1,10\na,1,2,12\na,2,1,14\na,2,2,16\nb,1,1,20\nb,1,2,22\nb,2,1,24\nb,2,2,26\n";
/// Depths are conditions or repetitions; the table does not say.
const NESTED: &str = "subject,depth,ph\n1,5,6.1\n1,10,6.3\n2,5,6.2\n2,10,6.4\n";

#[test]
fn samples_are_held_to_the_units_of_the_results() {
    let size = |decides| vec![(String::from("sample-size-mismatch"), Some(3), decides)];
    let unit = || vec![(String::from("unit-of-analysis"), Some(3), false)];
    for (text, csv, expected) in [
        ("We ran two seeds.", ITERATED, Vec::new()),
        ("We ran nine seeds.", ITERATED, size(true)),
        (
            "The difference was significant (n = 8, p < 0.01).",
            ITERATED,
            unit(),
        ),
        (
            "The difference was significant (n = 4, p < 0.01).",
            ITERATED,
            unit(),
        ),
        (
            "The difference was significant (n = 2, p < 0.01).",
            ITERATED,
            Vec::new(),
        ),
        // Part of the rows, or other data.
        (
            "The difference was significant (n = 7, p < 0.01).",
            ITERATED,
            Vec::new(),
        ),
        ("The sample was large (n = 90).", ITERATED, size(true)),
        ("We ran five farms.", ITERATED, Vec::new()),
        (
            "The difference was significant (n = 4, p < 0.01).",
            NESTED,
            Vec::new(),
        ),
        // Rows of system a: 13 ± 4.108; means of its units: 13 ± 25.4.
        (
            "The mean time of a was 13.0 ± 4.1 ms (95% CI).",
            ITERATED,
            unit(),
        ),
        (
            "The mean time of a was 13.0 ms (95% CI [8.9, 17.1]).",
            ITERATED,
            unit(),
        ),
        (
            "The mean time of a was 13.0 ± 25.4 ms (95% CI).",
            ITERATED,
            Vec::new(),
        ),
        (
            "The mean time of a was 13.4 ± 4.1 ms (95% CI).",
            ITERATED,
            Vec::new(),
        ),
    ] {
        let check = designed(text, csv, None);
        assert_eq!(found(&check, &DESIGN), expected, "{text}");
    }
    let open = designed("We visited two subjects.", NESTED, None);
    assert!(not_checked(
        &open,
        "unit-of-analysis",
        "--repetition subject"
    ));
    let none = designed("We visited two sites.", "site,ph\na,6.1\n", None);
    for rule in DESIGN {
        assert!(not_checked(&none, rule, "no table of the results"));
    }
}

#[test]
fn a_plan_is_broken_only_where_numbers_show_it() {
    let broken = || vec![(String::from("protocol-deviation"), None, false)];
    for (plan, expected, open) in [
        ("seeds: 2", Vec::new(), ""),
        ("seeds: 3", broken(), ""),
        ("replicates: 3", broken(), ""),
        // Run numbers may restart in every system: two seeds can be four runs.
        ("replicates: 1", Vec::new(), ""),
        ("replicates: 3\nunit: patient", Vec::new(), "repeats `seed`"),
        ("systems: [a, b, c]", broken(), ""),
        ("systems: [a, c]", Vec::new(), "the planned systems `c`"),
        (
            "systems: [p, q, r]",
            Vec::new(),
            "the planned systems `p`, `q`, `r`",
        ),
        ("metrics: [ms]", Vec::new(), ""),
        ("metrics: [accuracy]", Vec::new(), "`accuracy`"),
    ] {
        let check = designed("We ran it.", ITERATED, Some(plan));
        assert_eq!(found(&check, &DESIGN), expected, "{plan}");
        let said = not_checked(&check, "protocol-deviation", open);
        assert_eq!(said, !open.is_empty(), "{plan}: {:?}", check.not_checked);
    }
    let csv = "seed,auc,auc_threshold\n1,0.9,0.8\n2,0.7,0.8\n";
    for (plan, expected) in [("0.8", Vec::new()), ("0.85", broken())] {
        let plan = format!("thresholds: {{auc: {plan}}}");
        assert_eq!(
            found(&designed("We ran it.", csv, Some(&plan)), &DESIGN),
            expected
        );
    }
}

#[test]
fn references_are_judged_as_in_the_citation_audit() {
    let text = "## Introduction\n\nA is known [@one; @Two].\nB is known [@thre2020; @one].\nC is known [@four].\n";
    let bib = "@article{one, title={A}, author={A. Uthor}, journal={J}, year=2020}\n\
        @misc{two, title={T}}\n@misc{three2020, title={U}}\n@article{four, title={V}, year=2031}\n@article{five, title={W}}\n@misc{one, title={Other}}\n";
    let bibliographies = [BibFile::read(String::from("refs.bib"), bib, &[])];
    let documents = [document("report.md", text)];
    let with = |now| Sources {
        bibliographies: Some(&bibliographies),
        now,
        ..Sources::default()
    };
    let now = Some(Month {
        year: 2026,
        month: 5,
    });
    let checked = check(&documents, &with(now));
    let said: Vec<(&str, &str, Option<u32>, &str)> = checked
        .findings
        .iter()
        .filter_map(|finding| {
            let rule = finding.rule.as_deref().unwrap_or("");
            let about = finding.message.split('`').nth(1)?;
            let known = rule.starts_with("bib") || rule.starts_with("cite");
            let severity: &str = finding.severity.into();
            known.then_some((rule, severity, finding.line, about))
        })
        .collect();
    assert_eq!(
        said,
        [
            ("bib-entry-unused", "info", Some(2), "two"),
            ("bib-entry-unused", "info", Some(3), "three2020"),
            ("bib-entry-doubtful", "critical", Some(4), "four"),
            ("bib-entry-incomplete", "warning", Some(4), "four"),
            ("bib-entry-incomplete", "warning", Some(4), "four"),
            ("bib-entry-unused", "info", Some(5), "five"),
            ("bib-duplicate", "critical", Some(6), "one"),
            ("cite-key-missing", "warning", Some(3), "Two"),
            ("cite-key-missing", "critical", Some(4), "thre2020"),
        ]
    );
    let near = checked
        .findings
        .iter()
        .any(|finding| finding.message.contains("did you mean `three2020`?"));
    assert!(near);
    assert!(not_checked(
        &check(&documents, &with(None)),
        "bib-entry-doubtful",
        "date"
    ));
    let nothing = check(&documents, &Sources::default());
    assert!(not_checked(&nothing, "cite-key-missing", "no bibliography"));
    assert!(not_checked(&nothing, "bib-duplicate", "no bibliography"));
}
