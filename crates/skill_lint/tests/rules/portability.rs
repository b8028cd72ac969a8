//! SR7.

use super::{Case, body, case, check, files, tree};

pub(crate) fn cases() -> Vec<Case> {
    let skill = body("Body.");
    let one = |path: &'static str| tree(body("Body."), [(path, "x")]);
    vec![
        case(
            "SR701",
            "skills/group/a/SKILL.md:1:1",
            files([("skills/group/a/SKILL.md", &skill)]),
            files([("skills/a/SKILL.md", &skill)]),
        ),
        case(
            "SR703",
            "a/SKILL.md:5:5",
            tree(body("See _notes.md."), [("a/_notes.md", "x")]),
            tree(body("See notes.md."), [("a/notes.md", "x")]),
        ),
        case(
            "SR705",
            "a/X.txt:1:1",
            tree(body(""), [("a/X.txt", "x"), ("a/x.txt", "y")]),
            tree(body(""), [("a/X.txt", "x"), ("a/b/x.txt", "y")]),
        ),
        case(
            "SR706",
            "a/aux.txt:1:1",
            one("a/aux.txt"),
            one("a/auxiliary.txt"),
        ),
        case(
            "SR707",
            "a/SKILL.md:9:4",
            tree(body("```sh\nF=x\n```\n```sh\nwc $F\n```"), []),
            tree(body("```sh\nF=x; wc $F\n```\n```sh\nwc '$F'\n```"), []),
        ),
    ]
}

#[test]
fn rules_about_portability() {
    check(&cases());
}
