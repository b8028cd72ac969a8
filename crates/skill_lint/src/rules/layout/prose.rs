//! What is written inside a line: machine paths, backslash paths, template text. Pure functions over one line.

/// A part of a line: where it starts, in bytes, and its text.
pub(crate) type Part<'a> = (usize, &'a str);

/// Account names that examples use; a path with one of them is nobody's machine.
const EXAMPLE_ACCOUNTS: [&str; 18] = [
    "user",
    "users",
    "username",
    "user_name",
    "user-name",
    "you",
    "youruser",
    "yourname",
    "your_username",
    "your-username",
    "your-name",
    "your_name",
    "name",
    "me",
    "xxx",
    "someone",
    "runner",
    "x",
];

/// The first path of somebody's machine in a line: `/Users/x`, `/home/x`, `C:\Users\x`.
///
/// Not: paths of a placeholder account (`/home/user`), of a variable (`/home/$USER`), and parts of a longer path or address.
pub(crate) fn machine_path(line: &str) -> Option<Part<'_>> {
    const HOMES: [&str; 4] = ["/Users/", "/home/", ":\\Users\\", ":\\\\Users\\\\"];
    if !line.contains("Users") && !line.contains("home") {
        return None;
    }
    HOMES
        .iter()
        .flat_map(|home| line.match_indices(home))
        .filter_map(|(at, home)| machine_path_at(line, at, home))
        .min_by_key(|(at, _)| *at)
}

fn machine_path_at<'a>(line: &'a str, at: usize, home: &str) -> Option<Part<'a>> {
    let before = line.get(..at)?;
    let start = if home.starts_with(':') {
        let drive = before
            .chars()
            .next_back()
            .filter(char::is_ascii_alphabetic)?;
        at - drive.len_utf8()
    } else {
        at
    };
    let outside = line.get(..start)?.chars().next_back();
    if outside.is_some_and(|char| char.is_alphanumeric() || "_-./~$}>*".contains(char)) {
        return None;
    }
    let rest = line.get(at + home.len()..)?;
    let account_end = rest
        .find(|char: char| !(char.is_ascii_alphanumeric() || "._-".contains(char)))
        .unwrap_or(rest.len());
    let account = rest.get(..account_end)?.trim_end_matches('.');
    let lower = account.to_ascii_lowercase();
    if account.is_empty()
        || !account.starts_with(|char: char| char.is_ascii_alphanumeric())
        || EXAMPLE_ACCOUNTS.contains(&lower.as_str())
        || rest.get(account.len()..)?.starts_with(['*', '<', '{', '$'])
    {
        return None;
    }
    let end = at + home.len() + account.len();
    Some((start, line.get(start..end)?))
}

/// Directories of a skill that a backslash path is recognised by.
const SKILL_DIRECTORIES: [&str; 5] = ["scripts", "references", "reference", "assets", "bin"];

/// The relative paths with backslashes into a directory of a skill (`scripts\x.py`, `..\assets\x.png`) in a line.
///
/// They must end in a file name with an extension, so that `references\n` in a string is not a path. Absolute Windows paths
/// and paths below a variable are left alone: they are not portable whatever the separator. So are lines that show what not
/// to write, by a cross.
pub(crate) fn backslash_paths(line: &str) -> Vec<Part<'_>> {
    let mut found = Vec::new();
    if line.contains(['❌', '✗', '✘']) {
        return found;
    }
    let mut start = 0;
    for run in line.split_inclusive(|char: char| !is_path_char(char)) {
        let path =
            run.trim_end_matches(|char: char| !is_path_char(char) || matches!(char, '.' | '\\'));
        let before = line.get(..start).and_then(|text| text.chars().next_back());
        if is_backslash_path(path) && !before.is_some_and(|char| "%:$}/>]".contains(char)) {
            found.push((start, path));
        }
        start += run.len();
    }
    found
}

fn is_path_char(char: char) -> bool {
    char.is_ascii_alphanumeric() || "_.-\\".contains(char)
}

fn is_backslash_path(path: &str) -> bool {
    let mut parts = path
        .split('\\')
        .skip_while(|part| matches!(*part, "." | ".."));
    let inside = parts
        .next()
        .is_some_and(|first| SKILL_DIRECTORIES.contains(&first));
    let Some(name) = parts.clone().last() else {
        return false;
    };
    let has_extension = name.rsplit_once('.').is_some_and(|(stem, extension)| {
        !stem.is_empty()
            && (1..=5).contains(&extension.len())
            && extension.bytes().all(|byte| byte.is_ascii_alphanumeric())
    });
    inside && has_extension && parts.all(|part| !part.is_empty())
}

/// The first template text that was left in a line: `[TODO` or `TODO:`.
pub(crate) fn template_text(line: &str) -> Option<Part<'_>> {
    line.match_indices("TODO").find_map(|(at, word)| {
        let before = line.get(..at)?.chars().next_back();
        let after = line.get(at + word.len()..)?.chars().next();
        if before == Some('[') && !after.is_some_and(char::is_alphanumeric) {
            return Some((at - 1, line.get(at - 1..at + word.len())?));
        }
        let whole = !before.is_some_and(|char| char.is_alphanumeric() || "_-/".contains(char));
        (whole && after == Some(':')).then_some((at, "TODO:"))
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{backslash_paths, machine_path, template_text};

    #[test]
    fn machine_paths_are_those_of_a_named_account() {
        for (line, found) in [
            ("open /Users/ann/paper", Some((5, "/Users/ann"))),
            ("`/home/bob`", Some((1, "/home/bob"))),
            ("in C:\\Users\\Ann\\x", Some((3, "C:\\Users\\Ann"))),
            ("\"D:\\\\Users\\\\ann\"", Some((1, "D:\\\\Users\\\\ann"))),
            ("/home/user/x", None),
            ("/Users/<you>/x", None),
            ("/home/$USER", None),
            ("https://x.org/Users/ann", None),
            ("src/home/ann", None),
            ("/home/", None),
            ("~/home/ann", None),
            ("/home/*/x", None),
        ] {
            assert_eq!(machine_path(line), found, "{line}");
        }
    }

    #[test]
    fn backslash_paths_are_relative_and_name_a_file() {
        for (line, found) in [
            ("run scripts\\x.py now", vec![(4, "scripts\\x.py")]),
            ("`.\\scripts\\a\\b.ps1`", vec![(1, ".\\scripts\\a\\b.ps1")]),
            (
                "é assets\\a.md, ..\\bin\\b.sh.",
                vec![(3, "assets\\a.md"), (16, "..\\bin\\b.sh")],
            ),
            ("C:\\x\\scripts\\a.py", vec![]),
            ("C:\\Program Files\\Git\\bin\\a.exe", vec![]),
            ("%USERPROFILE%\\scripts\\a.py", vec![]),
            ("$env:HOME\\scripts\\a.py", vec![]),
            ("\"references\\n\"", vec![]),
            ("scripts/x.py", vec![]),
            ("a\\b.md", vec![]),
            ("\\scripts\\a.py", vec![]),
            ("scripts\\\\a.py", vec![]),
            ("❌ scripts\\a.py", vec![]),
        ] {
            assert_eq!(backslash_paths(line), found, "{line}");
        }
    }

    #[test]
    fn template_text_is_a_mark_and_not_a_word() {
        for (line, found) in [
            ("description: [TODO: write]", Some((13, "[TODO"))),
            ("TODO: finish", Some((0, "TODO:"))),
            ("[TODO]", Some((0, "[TODO"))),
            ("a TODO list", None),
            ("no-TODO: x", None),
            ("TODOS: x", None),
            ("[TODOs](x)", None),
        ] {
            assert_eq!(template_text(line), found, "{line}");
        }
    }

    proptest! {
        #[test]
        fn parts_lie_where_they_say(line in r"[a-zA-Z.:/\\\[\] é$]{0,40}|\PC{0,40}") {
            let all = backslash_paths(&line).into_iter();
            for (at, part) in all.chain(machine_path(&line)).chain(template_text(&line)) {
                prop_assert!(line.get(at..).is_some_and(|rest| rest.starts_with(part)));
            }
        }
    }
}
