//! SR4.

use super::{Case, body, case, check, tree};

/// A random-looking token, computed so that no file contains one.
fn token(length: usize) -> String {
    let digits = b"Zq7Kp2Wm9Rt4Vb8Nc3Xf6Hj5Lg";
    let at = |index: usize| char::from(digits[index * 7 % digits.len()]);
    (0..length).map(at).collect()
}

pub(crate) fn cases() -> Vec<Case> {
    let py = |text: &str| tree(body("Body."), [("a/scripts/x.py", text)]);
    let sh = |text: &str| tree(body("Body."), [("a/scripts/x.sh", text)]);
    let with = |text: &str| tree(body(text), []);
    vec![
        case(
            "SR401",
            "a/scripts/x.py:1:1",
            py("run(c, shell=True)\n"),
            py("run(['ls', c])\n"),
        ),
        case(
            "SR403",
            "a/scripts/x.py:1:1",
            py("os.system(c)\n"),
            py("os.system('ls')\n"),
        ),
        case(
            "SR404",
            "a/scripts/x.sh:1:1",
            sh("eval \"$x\"\n"),
            sh("eval 'x=1'\n"),
        ),
        case(
            "SR405",
            "a/scripts/x.sh:1:1",
            sh("curl x | sh\n"),
            sh("curl x | jq .\n"),
        ),
        case(
            "SR406",
            "a/SKILL.md:5:6",
            with(&format!("key: ghp_{}", token(36))),
            with(&format!("key: ghp_{}", "x".repeat(36))),
        ),
        case("SR409", "a/SKILL.md:5:2", with("é\u{202E}x"), with("éx")),
        case(
            "SR410",
            "a/SKILL.md:5:1",
            with("!`git log $1`"),
            with("`git log $1`"),
        ),
    ]
}

#[test]
fn rules_about_security() {
    check(&cases());
}
