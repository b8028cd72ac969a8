//! Dangerous commands in shell scripts: SR404 (`eval`), SR405 (downloads into a shell).

use crate::code::Hit;
use crate::code::download;
use crate::code::shell::{Script, Word};

/// The dangerous commands of a script.
pub(crate) fn hits(script: &Script<'_>) -> Vec<Hit> {
    let hits = download::in_script(script).into_iter();
    let hits = hits.map(|at| Hit::new("SR405", at, download::MESSAGE));
    let mut hits: Vec<Hit> = hits.collect();
    let expands = |word: &Word| script.raw(word).contains(['$', '`']);
    for command in &script.commands {
        if let Some((name, arguments)) = script.called(command)
            && name == "eval"
            && arguments.iter().any(expands)
        {
            let at = command.words.first().map_or(0, |word| word.start);
            hits.push(Hit::new("SR404", at, "eval of a text with expansions"));
        }
    }
    hits
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(source: &str) -> Vec<&'static str> {
        let script = Script::read(source);
        hits(&script).iter().map(|hit| hit.rule).collect()
    }

    #[test]
    fn what_is_dangerous_is_found() {
        for (source, expected) in [
            ("eval \"$x\"", vec!["SR404"]),
            ("eval \"$(tool shellenv)\"", vec!["SR404"]),
            ("sudo eval `x`", vec!["SR404"]),
            ("eval 'echo a'", vec![]),
            ("# eval $x", vec![]),
            ("echo eval $x", vec![]),
            ("echo 'eval $x'", vec![]),
            ("cat <<EOF\neval $x\nEOF", vec![]),
            ("curl x | sh", vec!["SR405"]),
        ] {
            assert_eq!(rules(source), expected, "{source}");
        }
    }

    #[test]
    fn places_are_those_of_the_command() {
        let script = Script::read("a\n  eval x $y");
        assert_eq!(hits(&script)[0].at, 4);
    }
}
