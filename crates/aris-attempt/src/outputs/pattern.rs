//! Patterns of names.

use regex::bytes::Regex;

/// A pattern: `*` matches any text, `?` one character.
#[derive(Clone, Debug)]
pub struct Pattern {
    expression: Regex,
    /// Whether a name with a leading dot may match.
    hidden: bool,
}

/// Whether a component has wildcards.
pub(super) fn is_magic(component: &str) -> bool {
    component.contains(['*', '?', '['])
}

impl Pattern {
    /// A pattern for any names; `None`: it is too large to compile.
    pub fn new(pattern: &str) -> Option<Self> {
        Self::compiled(pattern, false)
    }

    /// A pattern for file names in one folder, as in a shell: `[ab]`, `[a-z]` and `[!a]` match one character in or not in a set, and a
    /// leading dot must be written out. A `[` without a `]` matches itself. `None`: also if a set is invalid, such as `[z-a]`.
    pub(super) fn of_files(pattern: &str) -> Option<Self> {
        Self::compiled(pattern, true)
    }

    fn compiled(pattern: &str, files: bool) -> Option<Self> {
        let mut text = String::from("^");
        let mut rest = pattern;
        while let Some(char) = rest.chars().next() {
            let (before, after) = rest.split_at(char.len_utf8());
            let set = if files && char == '[' {
                set(after)
            } else {
                None
            };
            rest = set.as_ref().map_or(after, |(_, after)| *after);
            match (char, set) {
                (_, Some((set, _))) => text.push_str(&set),
                ('*', _) => text.push_str("(?s-u:.)*"),
                ('?', _) => text.push_str("(?s:.)"),
                _ => text.push_str(&regex::escape(before)),
            }
        }
        Some(Self {
            expression: Regex::new(&(text + "$")).ok()?,
            hidden: !files || pattern.starts_with('.'),
        })
    }

    /// Whether a name matches.
    pub fn matches(&self, name: &[u8]) -> bool {
        (self.hidden || !name.starts_with(b".")) && self.expression.is_match(name)
    }
}

/// The expression for the set in this text, which starts after the `[`, and the text after the set.
fn set(text: &str) -> Option<(String, &str)> {
    let negated = text.starts_with(['!', '^']);
    let members = text.get(usize::from(negated)..)?;
    // A `]` in the first place is a member of the set.
    let first = members.chars().next()?.len_utf8();
    let end = first + members.get(first..)?.find(']')?;
    let (members, after) = members.split_at(end);
    let mut escaped = String::new();
    let mut last = None;
    for char in members.chars() {
        // In a regular expression, `--` would mean the difference of two sets.
        let second = char == '-' && last == Some('-');
        if second || matches!(char, '\\' | '[' | ']' | '^' | '&' | '~') {
            escaped.push('\\');
        }
        escaped.push(char);
        last = Some(char);
    }
    let not = if negated { "^" } else { "" };
    Some((format!("[{not}{escaped}]"), after.get(1..)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(pattern: &str, name: &str) -> bool {
        Pattern::of_files(pattern).is_some_and(|pattern| pattern.matches(name.as_bytes()))
    }

    #[test]
    fn names_match_as_in_a_shell() {
        for (pattern, name, expected) in [
            ("*", "a.json", true),
            ("*", ".hidden", false),
            (".*", ".hidden", true),
            ("*.json", "a.json", true),
            ("*.json", "a.json.tmp", false),
            ("a*b*c", "aXbYbZc", true),
            ("a*b*c", "aXbYbZ", false),
            ("", "", true),
            ("", "a", false),
            ("**", "a", true),
            ("seed?.json", "seed1.json", true),
            ("seed?.json", "seed12.json", false),
            ("?", "é", true),
            ("??", "é", false),
            ("[ab]x", "bx", true),
            ("[ab]x", "cx", false),
            ("[a-c]", "b", true),
            ("[!a-c]", "b", false),
            ("[^a-c]", "d", true),
            ("[]]", "]", true),
            ("[]a]", "a", true),
            ("[a-]", "-", true),
            ("run[1", "run[1", true),
            ("run[[]1]", "run[1]", true),
            ("*[", "a[", true),
        ] {
            assert_eq!(matches(pattern, name), expected, "{pattern} {name}");
        }
    }

    #[test]
    fn only_files_have_sets_and_hide_behind_a_dot() {
        for (pattern, name, expected) in [
            ("a*.pt", "a1.pt", true),
            ("a*.pt", "a1.pt2", false),
            ("*", "", true),
            ("*", ".a", true),
            ("?", "", false),
            ("*a*b", "xxaybab", true),
            ("s[0]?", "s[0]x", true),
            ("s[0]?", "s0x", false),
        ] {
            let found = Pattern::new(pattern).expect("a pattern");
            assert_eq!(found.matches(name.as_bytes()), expected, "{pattern} {name}");
        }
    }

    #[test]
    fn many_stars_against_a_long_name_end() {
        let pattern = "a*".repeat(2000) + "b";
        assert!(!matches(&pattern, &"a".repeat(4000)));
    }

    proptest::proptest! {
        #[test]
        fn nothing_panics(pattern in "([\\[\\]!^*?\\\\&~-]|\\PC){0,40}", name in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..40)) {
            let _file = Pattern::of_files(&pattern).is_some_and(|pattern| pattern.matches(&name));
            let _name = Pattern::new(&pattern).is_some_and(|pattern| pattern.matches(&name));
        }

        #[test]
        fn a_name_without_magic_matches_itself_only(name in "[a-z]{1,5}", other in "[a-z]{1,5}") {
            proptest::prop_assert_eq!(matches(&name, &other), name == other);
        }

        #[test]
        fn few_letters_match_as_the_definition_says(pattern in "[ab?*]{0,7}", name in "[ab]{0,7}") {
            proptest::prop_assert_eq!(matches(&pattern, &name), defined(pattern.as_bytes(), name.as_bytes()));
        }
    }

    /// The definition of matching, without regard to running time.
    fn defined(pattern: &[u8], name: &[u8]) -> bool {
        match (pattern.split_first(), name.split_first()) {
            (None, None) => true,
            (Some((b'*', rest)), _) => {
                defined(rest, name)
                    || name
                        .split_first()
                        .is_some_and(|(_, name)| defined(pattern, name))
            }
            (Some((b'?', rest)), Some((_, name))) => defined(rest, name),
            (Some((one, rest)), Some((byte, name))) => one == byte && defined(rest, name),
            _ => false,
        }
    }
}
