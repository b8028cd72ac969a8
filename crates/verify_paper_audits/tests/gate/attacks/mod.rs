//! Forgeries, each made from a valid project by one change. None may pass, and each is found for the right reason.

mod artifacts;
mod inputs;
mod policies;
mod traces;

use crate::support::Project;

type Attack = (&'static str, fn(&Project), &'static str);

fn check(attacks: &[Attack]) {
    for (name, attack, expected) in attacks {
        let project = Project::new();
        attack(&project);
        let ran = project.gate();
        assert_eq!(ran.code, 1, "{name} passed: {}", ran.stderr);
        let blocking = ran.ids("block");
        assert!(
            blocking.iter().any(|id| id == expected),
            "{name}: {expected} is not in {blocking:?}\n{}",
            ran.stderr
        );
        assert_eq!(ran.report["submission_blocking"], true, "{name}");
    }
}

#[test]
fn the_valid_project_itself_passes_without_any_finding() {
    let ran = Project::new().gate();
    assert_eq!(
        (ran.code, ran.report["findings"].as_array().map(Vec::len)),
        (0, Some(0)),
        "{}",
        ran.stderr
    );
}

/// Adds a line before the bibliography of the root document.
fn adds(p: &Project, line: &str) {
    let found = "\\bibliographystyle";
    p.edit("main.tex", found, &format!("{line}\n{found}"));
}

/// Makes the root document write a file with this text and read it.
fn writes(p: &Project, text: &str) {
    let begin = "\\begin{document}";
    let written =
        format!("\\begin{{filecontents*}}{{best.tex}}\n{text}\n\\end{{filecontents*}}\n{begin}");
    p.edit("main.tex", begin, &written);
    adds(p, "\\input{best}");
}

/// Declares a statement and uses it in a new section, while the proof audit says that it does not apply.
fn declares(p: &Project, declaration: &str) {
    p.write(
        "sections/theory.tex",
        "\\begin{satz}Gates close.\\end{satz}",
    );
    p.edit(
        "main.tex",
        "\\begin{document}",
        &format!("{declaration}\n\\begin{{document}}"),
    );
    adds(p, "\\input{sections/theory}");
    p.seal().says("PROOF_AUDIT.json", "NOT_APPLICABLE");
}
