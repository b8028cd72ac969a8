//! SR1.

use super::{Case, Files, body, case, check, named, tree};

const SCRIPT: &str = "#!/usr/bin/env python3\n";

pub(crate) fn cases() -> Vec<Case> {
    let with = |text: &str| -> Files { tree(body(text), []) };
    let one = |path: &'static str, text: &str| tree(body("Body."), [(path, text)]);
    let both = |text: &str, path: &'static str, content: &str| tree(body(text), [(path, content)]);
    let lines = |count: usize| "text\n".repeat(count);
    vec![
        case(
            "SR101",
            "a/SKILL.md:1:1",
            with(&lines(500)),
            with(&lines(490)),
        ),
        case(
            "SR106",
            "a/references/b.md:1:1",
            both("See c.md.", "a/references/b.md", "x"),
            both("See b.md.", "a/references/b.md", "x"),
        ),
        case(
            "SR108",
            "a/scripts/x.py:1:1",
            both("Run y.py.", "a/scripts/x.py", SCRIPT),
            both("Run x.py.", "a/scripts/x.py", SCRIPT),
        ),
        case(
            "SR110",
            "a/SKILL.md:5:5",
            with("See [b](b.md)."),
            with("See [b](SKILL.md)."),
        ),
        case(
            "SR111",
            "a/SKILL.md:5:1",
            both("[b](../b.md)", "b.md", "x"),
            both("[b](b.md)", "a/b.md", "x"),
        ),
        case(
            "SR113",
            "a/assets/b.txt:1:1",
            one("a/assets/b.txt", &"x".repeat(512_001)),
            one("a/assets/b.txt", &"x".repeat(512_000)),
        ),
        case(
            "SR114",
            "a/b/SKILL.md:1:1",
            one("a/b/SKILL.md", &named("b", "")),
            one("b/SKILL.md", &named("b", "")),
        ),
        case(
            "SR118",
            "a/dead:1:1",
            tree(body("x"), [("a/dead -> nowhere", "")]),
            tree(body("x"), [("a/alive -> SKILL.md", "")]),
        ),
        case(
            "SR119",
            "a/SKILL.md:6:1",
            with("x\n```sh\ny"),
            with("x\n```sh\ny\n```"),
        ),
        case(
            "SR125",
            "a/SKILL.md:5:6",
            both("Run `scripts/z.py`.", "a/scripts/x.py", SCRIPT),
            both("Run `scripts/x.py`.", "a/scripts/x.py", SCRIPT),
        ),
    ]
}

#[test]
fn rules_about_layout() {
    check(&cases());
}
