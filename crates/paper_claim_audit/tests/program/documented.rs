//! Runs the examples of the skill's reference unchanged.

use aris_testkit::workspace_root;

use crate::support::{ACCUSED, Paper, status};

/// The fences of a text: language, the name in backquotes on the last line before it, and content.
fn fences(text: &str) -> Vec<(String, String, String)> {
    let mut found = Vec::new();
    let (mut open, mut named) = (None, String::new());
    for line in text.lines() {
        match (line.strip_prefix("```"), &mut open) {
            (Some(_), Some(_)) => found.extend(open.take()),
            (Some(language), None) => {
                open = Some((language.to_owned(), named.clone(), String::new()));
            }
            (None, Some((_, _, content))) => {
                content.push_str(line);
                content.push('\n');
            }
            (None, None) if line.is_empty() => {}
            (None, None) => named = line.split('`').nth(1).unwrap_or_default().to_owned(),
        }
    }
    found
}

#[test]
fn the_bindings_of_the_reference_bind_its_paper() {
    let path = workspace_root().join("skills/paper-claim-audit/references/bindings.md");
    let text = std::fs::read_to_string(path).expect("the reference");
    let (mut claims, mut paper) = (String::new(), Paper::new(""));
    for (language, name, content) in fences(&text) {
        match language.as_str() {
            "toml" => claims.push_str(&content),
            "latex" | "text" => paper.project.write(&name, content),
            other => panic!("a fence of {other:?}"),
        }
    }
    paper = paper.with("claims.toml", &claims);
    let audit = paper.audit();
    for entry in audit.entries() {
        assert!(!ACCUSED.contains(&status(entry)), "{audit}");
    }
    assert_eq!(
        (audit.verdict(), audit.reason()),
        ("PASS", "all_numbers_match"),
        "{audit}"
    );
}

#[test]
fn the_findings_of_the_reference_are_what_the_program_prints() {
    let path = workspace_root().join("skills/paper-claim-audit/references/claim-statuses.md");
    let text = std::fs::read_to_string(path).expect("the reference");
    let fences = fences(&text);
    let all = |wanted: &str| {
        let of = fences.iter().filter(|(language, ..)| language == wanted);
        of.map(|(.., content)| content.as_str()).collect::<Vec<_>>()
    };
    let (body, data, claims) = (all("latex")[0], all("text")[0], all("toml").join("\n"));
    let findings = all("text");
    let paper = |body: &str, data: &str| {
        let paper = Paper::new(body.trim_end()).with("results/top1.csv", data);
        paper.with("claims.toml", &claims)
    };
    let right = paper(body, data).audit();
    assert_eq!(right.verdict(), "PASS", "{right}");
    for (wrong, finding) in [
        (paper(&body.replace("84.7", "85.3"), data), findings[1]),
        (paper(body, &data.replace("85.33", "n/a")), findings[2]),
    ] {
        let audit = wrong.audit();
        assert!(audit.run.stdout().contains(finding), "{finding}: {audit}");
    }
    let beaten = paper(body, &data.replace("82.21", "86.0")).audit();
    beaten.expect("every-seed", "scope_overclaim");
}
