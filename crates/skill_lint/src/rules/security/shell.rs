//! Dangerous commands in shell scripts: SR404 (`eval`), SR405 (downloads into a shell), SR407 (`rm -rf` on a variable), SR411
//! (certificates off, `chmod 777`).

use std::collections::BTreeSet;

use crate::code::Hit;
use crate::code::download;
use crate::code::shell::{Command, Script, Word};

/// What the commands of a script do.
pub(crate) fn hits(script: &Script<'_>) -> Vec<Hit> {
    let mut hits: Vec<Hit> = download::in_script(script)
        .into_iter()
        .map(|at| Hit::new("SR405", at, download::MESSAGE))
        .collect();
    let kept = never_empty(script);
    for command in &script.commands {
        let Some((name, arguments)) = script.called(command) else {
            continue;
        };
        let at = command.words.first().map_or(0, |word| word.range.start);
        let raw = |word: &Word| script.raw(word);
        match name.as_str() {
            "eval" if arguments.iter().any(|word| raw(word).contains(['$', '`'])) => {
                hits.push(Hit::new("SR404", at, "eval of a text with expansions"));
            }
            "rm" => hits.extend(removed_variable(script, arguments, &kept)),
            "curl" if arguments.iter().any(|word| switches_off(raw(word))) => {
                hits.push(Hit::new("SR411", at, "curl does not check the certificate"));
            }
            "wget"
                if arguments
                    .iter()
                    .any(|word| raw(word) == "--no-check-certificate") =>
            {
                hits.push(Hit::new("SR411", at, "wget does not check the certificate"));
            }
            "chmod"
                if arguments
                    .iter()
                    .any(|word| matches!(raw(word), "777" | "0777" | "a+rwx")) =>
            {
                hits.push(Hit::new("SR411", at, "chmod lets everybody write"));
            }
            _ => {}
        }
    }
    hits
}

/// `-k`, also among other letters (`-sk`), and `--insecure`. A letter that takes a value ends the cluster.
fn switches_off(argument: &str) -> bool {
    if argument == "--insecure" {
        return true;
    }
    let Some(letters) = argument.strip_prefix('-') else {
        return false;
    };
    letters
        .chars()
        .take_while(|c| c.is_ascii_alphabetic() && !"AbcCdDeEFhHKmoPQrtTuUwxXyYz".contains(*c))
        .any(|c| c == 'k')
}

/// Names that are never empty: every value they get comes from `mktemp` or holds a letter or digit of its own.
fn never_empty<'a>(script: &Script<'a>) -> BTreeSet<&'a str> {
    let (mut safe, mut other) = (BTreeSet::new(), BTreeSet::new());
    let assignments = script.commands.iter().flat_map(assigned);
    for (name, value) in assignments.filter_map(|word| script.raw(word).split_once('=')) {
        if value.contains("mktemp") || has_text(value) {
            safe.insert(name);
        } else {
            other.insert(name);
        }
    }
    &safe - &other
}

/// Whether a value holds a letter or digit outside expansions. A value with a command in it is not taken apart.
fn has_text(value: &str) -> bool {
    if value.contains(['`', '(']) {
        return false;
    }
    let mut parts = value.split('$');
    let own = parts
        .next()
        .is_some_and(|part| part.contains(char::is_alphanumeric));
    own || parts.any(|part| {
        let after = match part.strip_prefix('{') {
            Some(inner) => inner.split_once('}').map_or("", |(_, after)| after),
            None => part.trim_start_matches(|c: char| c.is_alphanumeric() || c == '_'),
        };
        after.contains(char::is_alphanumeric)
    })
}

/// Assignments before a command, and those that `local`, `declare` or `export` make.
fn assigned(command: &Command) -> impl Iterator<Item = &Word> {
    command.assignments.iter().chain(&command.words)
}

/// SR407: the operands of `rm -r -f` that are a bare variable, or start with one and a slash.
fn removed_variable<'a>(
    script: &Script<'a>,
    arguments: &[Word],
    never_empty: &BTreeSet<&'a str>,
) -> Vec<Hit> {
    let options: Vec<&str> = arguments
        .iter()
        .map(|word| script.raw(word))
        .filter(|word| word.starts_with('-'))
        .collect();
    let has = |letters: [char; 2], long: &str| {
        options.iter().any(|option| {
            *option == long || (!option.starts_with("--") && option.contains(letters))
        })
    };
    if !(has(['r', 'R'], "--recursive") && has(['f', 'f'], "--force")) {
        return Vec::new();
    }
    let operands = arguments
        .iter()
        .filter(|word| !script.raw(word).starts_with('-'));
    operands
        .filter_map(|word| {
            let name = unguarded(script.raw(word))?;
            (!never_empty.contains(name)).then(|| {
                let message = format!("rm -rf on ${name}, which may be empty");
                Hit::new("SR407", word.range.start, message)
            })
        })
        .collect()
}

/// The variable of `$x`, `"${x}"`, `$x/…` and the like.
fn unguarded(word: &str) -> Option<&str> {
    let bare = word.strip_prefix('"').unwrap_or(word);
    let after = bare.strip_prefix('$')?;
    let (name, rest) = if let Some(inner) = after.strip_prefix('{') {
        inner.split_once('}')?
    } else {
        let end = after
            .find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
            .unwrap_or(after.len());
        after.split_at_checked(end)?
    };
    let plain = !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    let rest = rest.strip_prefix('"').unwrap_or(rest);
    (plain && (rest.is_empty() || rest.starts_with('/'))).then_some(name)
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
            ("rm -rf $dir", vec!["SR407"]),
            ("rm -rf \"$dir\"", vec!["SR407"]),
            ("rm -r -f \"${dir}\"/x", vec!["SR407"]),
            ("rm -fr \"$dir/\"*", vec!["SR407"]),
            ("rm --recursive --force -- \"$1\"", vec!["SR407"]),
            ("rm -rf \"${dir:?}/x\"", vec![]),
            ("rm -rf \"build-$x\" ./x /tmp/x", vec![]),
            ("rm -rf \"$dir-x\"", vec![]),
            ("rm -f \"$file\"", vec![]),
            ("d=$(mktemp -d)\nrm -rf \"$d\"", vec![]),
            ("d=/tmp/x-$$\nrm -rf \"$d\"", vec![]),
            ("d=\"${HOME}/.x\"\nrm -rf \"$d/\"", vec![]),
            ("d=\"$a/$b\"\nrm -rf \"$d\"", vec!["SR407"]),
            ("d=x; d=$1; rm -rf \"$d\"", vec!["SR407"]),
            ("d=$(pwd); rm -rf \"$d\"", vec!["SR407"]),
            ("f() { local d=$(mktemp -d); rm -rf \"$d\"; }", vec![]),
            ("curl -sk x", vec!["SR411"]),
            ("curl --insecure x", vec!["SR411"]),
            ("curl -o mask x -K k", vec![]),
            ("wget --no-check-certificate x", vec!["SR411"]),
            ("chmod -R 777 x; chmod 755 y", vec!["SR411"]),
        ] {
            assert_eq!(rules(source), expected, "{source}");
        }
    }

    #[test]
    fn places_are_those_of_the_command() {
        let script = Script::read("a\n  rm -rf x $y");
        assert_eq!(hits(&script)[0].at, 13);
    }
}
