//! Finds the scripts of a skill that its texts or its users start.

use regex::Match;

use crate::file::SourceFile;
use crate::mention::Matcher;
use crate::names;
use crate::pattern::{Pattern, compiled};
use crate::script::ScriptKind;
use crate::text::Text;

/// Marks the *entry points* among a skill's files: files of a script kind under `scripts/` or `bin/` whose path allows it
/// ([`names::may_be_entry_point`]) and that have a shebang, or are PowerShell, or are Python with a main guard, or are called
/// in an instruction file.
pub(crate) fn decide(files: &mut [SourceFile]) {
    let mut open: Vec<usize> = Vec::new();
    for (at, file) in files.iter_mut().enumerate() {
        let Some(script) = &mut file.script else {
            continue;
        };
        if !names::may_be_entry_point(&file.skill_path) {
            continue;
        }
        script.entry_point = script.shebang.is_some()
            || script.kind == ScriptKind::Ps1
            || (script.kind == ScriptKind::Py && file.text.as_ref().is_some_and(has_main_guard));
        if !script.entry_point {
            open.push(at);
        }
    }
    if open.is_empty() {
        return;
    }
    let paths = open.iter().filter_map(|at| files.get(*at));
    let matcher = Matcher::new(paths.map(|file| names::file_name(&file.skill_path)));
    let mut called: Vec<usize> = Vec::new();
    for file in files.iter().filter(|file| file.is_instruction()) {
        for (_, line) in file.text.iter().flat_map(Text::lines) {
            matcher.find(line, &mut |name, at| {
                if is_called(line, at) {
                    called.extend(open.get(name));
                }
            });
        }
    }
    for at in called {
        if let Some(script) = files.get_mut(at).and_then(|file| file.script.as_mut()) {
            script.entry_point = true;
        }
    }
}

/// An interpreter's name, followed by at most 80 characters.
static CALL: Pattern = Pattern::new(|| {
    compiled(
        r"(?:^|[^A-Za-z0-9_.-])(?:python3?|uv run|bash|sh|node|bun|deno|tsx|ruby|perl)[^A-Za-z0-9_.-].{0,79}$",
    )
});

/// Whether an interpreter's name ends within the 80 characters before byte `at` of a line.
pub(crate) fn is_called(line: &str, at: usize) -> bool {
    CALL.is_match(line.get(..at).unwrap_or_default())
}

/// A main guard, with the text after its colon.
static GUARD: Pattern = Pattern::new(|| {
    compiled(
        r#"^if[\s(]*(?:__name__[\s()]*==[\s()]*["']__main__["']|["']__main__["'][\s()]*==[\s()]*__name__)[\s()]*:(.*)$"#,
    )
});

/// Whether a Python file has `if __name__ == "__main__":` with a body that does more than refuse to run. A lone `raise`
/// refuses, unless its exception calls something: `raise SystemExit(main())`.
pub(crate) fn has_main_guard(text: &Text) -> bool {
    text.lines().any(|(number, line)| {
        let Some(guard) = GUARD.captures(line) else {
            return false;
        };
        let mut body: Vec<&str> = guard.get(1).iter().map(Match::as_str).collect();
        let below = text.lines_from(number + 1).map(|(_, line)| line);
        let is_in = |line: &&str| line.trim().is_empty() || line.starts_with([' ', '\t', '#']);
        body.extend(below.take_while(is_in));
        let lines = body.iter().map(|line| line.trim());
        let statements = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
        let statements: Vec<&str> = statements.collect();
        let Some(first) = statements.first() else {
            return false;
        };
        let all = statements.join(" ");
        let calls = all.matches('(').count();
        let raises = first.strip_prefix("raise");
        let raises = raises.is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '(']));
        let one = statements.len() == 1 || calls == 1 && all.ends_with(')');
        !(raises && one && calls <= 1)
    })
}
