//! `--syntax`: installed interpreters parse scripts without running them (SR212).
//!
//! Each interpreter runs without the caller's environment, so that no `BASH_ENV`, `NODE_OPTIONS` or profile is executed, and
//! with standard input closed. If an interpreter is missing or gives no answer in time, the check is reported as *skipped*.

use aris_proc::{End, Finished, ProcError};
use aris_skills::script::ScriptKind;
use aris_skills::{Skill, SourceFile, names};

use crate::config::Config;
use crate::finding::Sink;

/// Prints each parse error of the file in `SKILL_LINT_FILE` as `line:column:message`; exits with 1 when there is one.
const POWERSHELL: &str = "$e=$null; \
    [void][System.Management.Automation.Language.Parser]::ParseFile($env:SKILL_LINT_FILE,[ref]$null,[ref]$e); \
    foreach($x in $e){\"$($x.Extent.StartLineNumber):$($x.Extent.StartColumnNumber):$($x.Message)\"}; \
    if($e){exit 1}";

/// A fault in a script: line, column, message.
type Fault = (usize, usize, String);

/// Checks the scripts of one skill.
pub(crate) fn check(skill: &Skill, config: &Config, sink: &mut Sink<'_>) {
    for file in &skill.files {
        let Some(script) = &file.script else {
            continue;
        };
        let extension = names::extension(file.path());
        let shell = script.shebang.as_ref();
        let shell = shell.map(|shebang| shebang.program.as_str());
        match script.kind {
            // zsh and ksh have other grammars.
            ScriptKind::Sh if matches!(shell, Some("zsh" | "ksh" | "mksh")) => {
                let reason = "written for a shell that is neither bash nor sh";
                sink.skipped("SR212", file.path(), reason);
            }
            ScriptKind::Sh if !extension.is_empty() && sink.wants("SR212") => {
                report(bash(skill, file, config), file, sink);
            }
            ScriptKind::Js if sink.wants("SR212") => report(node(skill, file, config), file, sink),
            ScriptKind::Ps1 if sink.wants("SR212") => {
                report(powershell(skill, file, config), file, sink);
            }
            _ => {}
        }
    }
}

/// The result of a check: the fault, if any; or the reason why the check was not possible.
type Checked = Result<Option<Fault>, String>;

fn report(checked: Checked, file: &SourceFile, sink: &mut Sink<'_>) {
    match checked {
        Ok(None) => {}
        Ok(Some((line, col, said))) => {
            let message = format!("refused by the interpreter: {said}");
            sink.found("SR212", file.path(), (line, col), message);
        }
        Err(reason) => sink.skipped("SR212", file.path(), reason),
    }
}

/// The path of a file within its skill, so that it cannot look like an option.
fn operand(file: &SourceFile) -> String {
    format!("./{}", file.skill_path)
}

/// Runs a program in the skill's directory. **Errors**: the reason why there is no result.
fn run(command: aris_proc::Command, config: &Config) -> Result<Finished, String> {
    let done = command
        .env_clear()
        .env("PATH", config.path())
        .env("LC_ALL", "C.UTF-8")
        .env("NO_COLOR", "1")
        .run(config.timeout());
    match done {
        Ok(done) => match done.end {
            End::Exited(_) => Ok(done),
            End::Signalled(signal) => Err(format!("{} was ended by signal {signal}", done.program)),
            End::TimedOut => Err(format!("{} did not answer in time", done.program)),
        },
        Err(ProcError::Absent { program }) => Err(format!("{program} is not installed")),
        Err(error) => Err(error.to_string()),
    }
}

/// Interprets an interpreter's exit and output; `fault` finds the fault in a failed run.
fn judged(done: &Finished, fault: impl FnOnce(&Finished) -> Option<Fault>) -> Checked {
    if done.success() {
        return Ok(None);
    }
    fault(done).map(Some).ok_or_else(|| {
        let text = done.stderr.text();
        let mut lines = text.lines().filter(|line| !line.trim().is_empty());
        let said = lines.next().unwrap_or("no message");
        format!("{} gave no answer: {said}", done.program)
    })
}

fn bash(skill: &Skill, file: &SourceFile, config: &Config) -> Checked {
    let command = aris_proc::command("bash", &skill.location)
        .args(["--norc", "--noprofile", "-n", "--"])
        .arg(operand(file));
    judged(&run(command, config)?, |done| {
        bash_fault(&done.stderr.text(), &operand(file))
    })
}

/// The first `<file>: line N: message`.
fn bash_fault(text: &str, file: &str) -> Option<Fault> {
    text.lines().find_map(|line| {
        let rest = line.strip_prefix(file)?.strip_prefix(": line ")?;
        let (number, message) = rest.split_once(": ")?;
        Some((number.parse().ok()?, 1, message.to_owned()))
    })
}

fn node(skill: &Skill, file: &SourceFile, config: &Config) -> Checked {
    let command = aris_proc::command("node", &skill.location)
        .arg("--check")
        .arg(operand(file));
    let mut done = run(command, config)?;
    let text = done.stderr.text().into_owned();
    // Older versions of node parse a `.js` file as a script, not as a module.
    if !done.success()
        && (text.contains("outside a module") || text.contains("Unexpected token 'export'"))
    {
        let source = file.text.as_ref().map(|text| text.raw().to_owned());
        let command = aris_proc::command("node", &skill.location)
            .args(["--input-type=module", "--check", "-"])
            .stdin(source.unwrap_or_default());
        done = run(command, config)?;
    }
    judged(&done, |done| node_fault(&done.stderr.text()))
}

/// Parses node's message: `<file>:N`, the line, a line with `^` below the fault, an empty line, `SyntaxError: message`.
fn node_fault(text: &str) -> Option<Fault> {
    let mut errors = text
        .lines()
        .filter_map(|line| line.split_once("SyntaxError: "));
    let (_, message) = errors.next()?;
    let (_, number) = text.lines().next()?.rsplit_once(':')?;
    let marks = text.lines().nth(2).and_then(|marks| marks.find('^'));
    let col = marks.map_or(1, |at| at + 1);
    Some((number.trim().parse().ok()?, col, message.to_owned()))
}

fn powershell(skill: &Skill, file: &SourceFile, config: &Config) -> Checked {
    let command = aris_proc::command("pwsh", &skill.location)
        .args(["-NoProfile", "-NonInteractive", "-Command", POWERSHELL])
        .env("SKILL_LINT_FILE", skill.location.join(&file.skill_path));
    judged(&run(command, config)?, |done| {
        powershell_fault(&done.stdout.text())
    })
}

/// `line:column:message`.
fn powershell_fault(text: &str) -> Option<Fault> {
    text.lines().find_map(|line| {
        let (line, rest) = line.split_once(':')?;
        let (col, message) = rest.split_once(':')?;
        Some((
            line.trim().parse().ok()?,
            col.trim().parse().ok()?,
            message.trim().to_owned(),
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(line: usize, col: usize, message: &str) -> Fault {
        (line, col, String::from(message))
    }

    #[test]
    fn answers_are_read() {
        assert_eq!(
            bash_fault(
                "./a b.sh: line 2: syntax error: unexpected end of file\n./a b.sh: line 3: x\n",
                "./a b.sh"
            ),
            Some(fault(2, 1, "syntax error: unexpected end of file"))
        );
        assert_eq!(
            bash_fault("bash: ./a.sh: Permission denied", "./a.sh"),
            None
        );
        assert_eq!(
            node_fault(
                "/tmp/a:b.js:7\nconst a = ;\n          ^\n\nSyntaxError: Unexpected token ';'\n    at x\n"
            ),
            Some(fault(7, 11, "Unexpected token ';'"))
        );
        assert_eq!(node_fault("node: bad option\n"), None);
        assert_eq!(
            powershell_fault("3:5:Missing closing '}' in: x\n"),
            Some(fault(3, 5, "Missing closing '}' in: x"))
        );
        assert_eq!(powershell_fault(""), None);
    }
}
