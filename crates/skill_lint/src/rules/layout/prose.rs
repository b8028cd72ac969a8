//! What is written inside a line: machine paths. Pure functions over one line.

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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::machine_path;

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

    proptest! {
        #[test]
        fn parts_lie_where_they_say(line in r"[a-zA-Z.:/\\\[\] é$]{0,40}|\PC{0,40}") {
            if let Some((at, part)) = machine_path(&line) {
                prop_assert!(line.get(at..).is_some_and(|rest| rest.starts_with(part)));
            }
        }
    }
}
