//! `--help` and `-h`.

use super::for_every_helper;

#[test]
fn help_is_on_stdout_with_every_section_and_touches_nothing() {
    for_every_helper(|subject| {
        let mut paths: Vec<Vec<&str>> = vec![vec![]];
        paths.extend(
            subject
                .contract
                .commands()
                .into_iter()
                .map(|command| vec![command]),
        );
        for path in paths {
            for flag in ["--help", "-h"] {
                let project = (subject.cases.project)();
                let before = project.snapshot();
                let run = subject
                    .helper
                    .call(project.path())
                    .args(&path)
                    .args([flag])
                    .run()
                    .expect_code(0);
                before.assert_same(&project.snapshot(), flag);
                assert_eq!(run.stderr(), "", "{path:?} {flag}");
                let text = run.stdout();
                assert!(
                    !text.contains('\u{1b}'),
                    "escape sequences where there is no terminal: {run}"
                );
                for section in ["USAGE:", "EXAMPLES:", "EXIT CODES:"] {
                    let body = text
                        .split_once(&format!("\n{section}\n"))
                        .map(|(_, body)| body);
                    let first = body
                        .and_then(|body| body.lines().next())
                        .unwrap_or_default();
                    assert!(
                        first.starts_with("  "),
                        "{path:?} {flag} has no {section}: {run}"
                    );
                }
                for (command, long) in subject.contract.flags() {
                    if command == path.first().copied() {
                        assert!(text.contains(long), "{path:?} {flag} does not show {long}");
                    }
                }
                for code in subject.contract.exits_of(path.first().copied()) {
                    let line = format!("\n  {code} ");
                    assert!(
                        text.contains(&line),
                        "{path:?} {flag} does not show exit code {code}"
                    );
                }
            }
        }
    });
}
