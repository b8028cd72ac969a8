//! SR9.

use super::{Case, body, case, check, tree};

pub(crate) fn cases() -> Vec<Case> {
    let allow = |words: &str| {
        let text = body(&format!("<!-- skill-lint: allow {words} -->\n[x](no.md)"));
        let mut files = tree(text, []);
        files.push(("skill-lint.toml", b"".to_vec()));
        files
    };
    let until = |date: &str| {
        let config = format!(
            "[[allow]]\nrule = \"SR110\"\npath = \"a/SKILL.md\"\nreason = \"made later\"\nuntil = \"{date}\"\n"
        );
        tree(body("[x](no.md)"), [("skill-lint.toml", &config)])
    };
    // A suppression is checked only when its rule runs.
    let judged = |mut case: Case| {
        case.flags = &["--rule", "SR110"];
        case
    };
    let mut latin = tree(body("Body."), []);
    latin.push(("a/b.md", b"caf\xE9\n".to_vec()));
    vec![
        case(
            "SR901",
            "a/SKILL.md:5:1",
            allow("SR110"),
            allow("SR110 reason=\"later\""),
        ),
        judged(case(
            "SR902",
            "a/SKILL.md:5:1",
            tree(
                body("<!-- skill-lint: allow SR110 reason=\"x\" -->\nText."),
                [],
            ),
            allow("SR110 reason=\"later\""),
        )),
        case(
            "SR903",
            "a/SKILL.md:5:1",
            allow("SR999 reason=\"later\""),
            allow("SR110 reason=\"later\""),
        ),
        judged(case(
            "SR904",
            "skill-lint.toml:1:1",
            until("2020-01-01"),
            until("2999-01-01"),
        )),
        case(
            "SR905",
            "a/b.md:1:4",
            latin,
            tree(body("Body."), [("a/b.md", "café\n")]),
        ),
    ]
}

#[test]
fn rules_of_the_linter_itself() {
    check(&cases());
}
