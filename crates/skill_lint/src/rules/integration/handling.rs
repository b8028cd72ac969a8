//! Whether the code after a resolver block does what the helper's policy says (SR505). A heuristic on words of shell: it reads the
//! rest of the block's fence, and is silent when nothing stands there, because then the prose decides.
//!
//! **Source**: integration contract §2, failure policies.

use crate::code::shell::Script;

use super::call::has_word;
use super::policy::Policy;

/// What the shell after a block visibly does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Does {
    /// Leaves with a code that is not 0.
    leaves: bool,
    /// Says something.
    says: bool,
    /// Has a second way: `else`, `elif` or `||`.
    turns: bool,
    /// Writes a file, or announces in a comment that it does.
    writes: bool,
    /// Has a condition.
    asks: bool,
}

/// What is missing for the policy in the code after a block; `None` when it fits, or when there is no code.
pub(super) fn misfit(policy: Policy, variable: &str, code: &[&str]) -> Option<&'static str> {
    let code: Vec<&str> = (code.iter().map(|line| line.trim()))
        .filter(|line| !line.is_empty())
        .collect();
    if code.iter().all(|line| line.starts_with('#')) || !mentions(&code, variable) {
        return None;
    }
    let does = read(&code);
    match policy {
        Policy::Gate => {
            (!does.leaves).then_some("a gate leaves with a code other than 0 when it is missing")
        }
        Policy::SideEffect | Policy::Diagnostic if does.leaves => {
            Some("the work goes on without this helper, so nothing may exit")
        }
        Policy::SideEffect | Policy::Diagnostic => {
            (!does.says).then_some("a warning says that the helper is missing")
        }
        Policy::Forensic => (!does.turns && !does.writes)
            .then_some("the record is written directly when the helper is missing"),
        Policy::Cascade => {
            (!does.turns && !does.asks).then_some("the next source is tried when one fails")
        }
        Policy::Aggregate => {
            (!does.asks && !does.turns).then_some("a source that is missing or fails is recorded")
        }
    }
}

fn mentions(code: &[&str], variable: &str) -> bool {
    code.iter().any(|line| has_word(line, variable))
}

fn read(code: &[&str]) -> Does {
    let mut does = Does {
        leaves: leaves(&code.join("\n")),
        ..Does::default()
    };
    for line in code {
        let words = |words: &[&str]| words.iter().any(|word| has_word(line, word));
        if line.starts_with('#') {
            does.writes |= words(&["write", "Write", "written", "fallback", "Fallback"]);
            continue;
        }
        does.says |= words(&["echo", "printf", "cat", "WARN"]);
        does.turns |= words(&["else", "elif"]) || line.contains("||");
        does.writes |= line.contains("> ") || words(&["tee", "mkdir"]);
        does.asks |= words(&["if", "case", "while", "for"]) || line.contains("&&");
    }
    does
}

/// Whether the code calls `exit` or `return` with a number other than 0 or with a variable.
fn leaves(code: &str) -> bool {
    let script = Script::read(code);
    script.commands.iter().any(|command| {
        let called = script.called(command);
        called.is_some_and(|(name, arguments)| {
            matches!(name.as_str(), "exit" | "return")
                && arguments
                    .first()
                    .is_some_and(|code| script.raw(code) != "0")
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_policy_has_its_handling() {
        let gate = "[ -n \"$X\" ] || {\n  echo \"ERROR\" >&2\n  exit 1\n}";
        let warn =
            "[ -n \"$X\" ] || echo \"WARN: no helper\" >&2\n[ -n \"$X\" ] && python3 \"$X\" a";
        let forensic = "if [ -n \"$X\" ]; then\n  sh \"$X\"\nelse\n  printf x > record.json\nfi";
        let bare = "python3 \"$X\" run";
        for (policy, code, fits) in [
            (Policy::Gate, gate, true),
            (Policy::Gate, warn, false),
            (Policy::Gate, bare, false),
            (Policy::Gate, "[ -n \"$X\" ] || exit 0", false),
            (Policy::SideEffect, warn, true),
            (Policy::SideEffect, gate, false),
            (
                Policy::SideEffect,
                "sh \"$X\" || echo \"exit $?\" >&2 # exit 2: usage",
                true,
            ),
            (Policy::Gate, "sh \"$X\"; exit \"$?\"", true),
            (Policy::SideEffect, bare, false),
            (Policy::Diagnostic, warn, true),
            (Policy::Diagnostic, bare, false),
            (Policy::Forensic, forensic, true),
            (Policy::Forensic, bare, false),
            (Policy::Cascade, forensic, true),
            (Policy::Cascade, bare, false),
            (Policy::Aggregate, warn, true),
            (Policy::Aggregate, bare, false),
            // Nothing to judge.
            (Policy::Gate, "", true),
            (Policy::Gate, "# later", true),
            (Policy::Gate, "other command", true),
        ] {
            let code: Vec<&str> = code.lines().collect();
            assert_eq!(
                misfit(policy, "X", &code).is_none(),
                fits,
                "{policy:?} {code:?}"
            );
        }
    }
}
