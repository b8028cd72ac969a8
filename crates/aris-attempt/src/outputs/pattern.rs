//! One name against one component of a pattern.

/// Whether a component means more than itself.
pub(super) fn is_magic(component: &[u8]) -> bool {
    component.iter().any(|byte| b"*?[".contains(byte))
}

/// Whether `name` matches `pattern`: `*` any bytes, `?` one character, `[ab]`, `[a-z]`, `[!a]` one byte of a set or not of it. A `[`
/// without its `]` is itself. A leading dot must be named, as in a shell.
///
/// Linear in the name for each `*`: only the last `*` is ever tried again.
pub(super) fn matches(pattern: &[u8], name: &[u8]) -> bool {
    if name.first() == Some(&b'.') && pattern.first() != Some(&b'.') {
        return false;
    }
    let (mut at, mut position) = (0, 0);
    let mut last_star: Option<(usize, usize)> = None;
    loop {
        match pattern.get(at) {
            Some(b'*') => {
                last_star = Some((at, position));
                at += 1;
                continue;
            }
            None if position == name.len() => return true,
            Some(_) if position < name.len() => {
                if let Some((taken, used)) = one(pattern, at, name, position) {
                    at += used;
                    position += taken;
                    continue;
                }
            }
            _ => {}
        }
        // A dead end: the last star takes one byte more.
        match last_star {
            Some((star, taken)) if taken < name.len() => {
                last_star = Some((star, taken + 1));
                at = star + 1;
                position = taken + 1;
            }
            _ => return false,
        }
    }
}

/// Matches what stands at `at` of the pattern, which is no star, with the name at `position`: how many bytes of the name and of the
/// pattern that takes.
fn one(pattern: &[u8], at: usize, name: &[u8], position: usize) -> Option<(usize, usize)> {
    let byte = *name.get(position)?;
    match pattern.get(at)? {
        b'?' => Some((character(name, position), 1)),
        b'[' => match set(pattern, at) {
            Some((negated, members, used)) => {
                (contains(members, byte) != negated).then_some((1, used))
            }
            None => (byte == b'[').then_some((1, 1)),
        },
        literal => (*literal == byte).then_some((1, 1)),
    }
}

/// Length of the character at `position`, 1 where the bytes are no UTF-8.
fn character(name: &[u8], position: usize) -> usize {
    let width = match name.get(position) {
        Some(0xC2..=0xDF) => 2,
        Some(0xE0..=0xEF) => 3,
        Some(0xF0..=0xF4) => 4,
        _ => 1,
    };
    let piece = name.get(position..position + width);
    if piece.is_some_and(|piece| str::from_utf8(piece).is_ok()) {
        width
    } else {
        1
    }
}

/// The set that begins with the `[` at `at`: whether it is negated, its members, and its length in the pattern.
fn set(pattern: &[u8], at: usize) -> Option<(bool, &[u8], usize)> {
    let negated = matches!(pattern.get(at + 1), Some(b'!' | b'^'));
    let begin = at + 1 + usize::from(negated);
    // A `]` in first place is a member.
    let length = pattern
        .get(begin + 1..)?
        .iter()
        .position(|byte| *byte == b']')?
        + 1;
    let members = pattern.get(begin..begin + length)?;
    Some((negated, members, begin + length + 1 - at))
}

fn contains(members: &[u8], byte: u8) -> bool {
    let mut at = 0;
    while let Some(low) = members.get(at) {
        if let (Some(b'-'), Some(high)) = (members.get(at + 1), members.get(at + 2)) {
            if (*low..=*high).contains(&byte) {
                return true;
            }
            at += 3;
        } else {
            if *low == byte {
                return true;
            }
            at += 1;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

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
            assert_eq!(
                matches(pattern.as_bytes(), name.as_bytes()),
                expected,
                "{pattern} {name}"
            );
        }
    }

    #[test]
    fn many_stars_against_a_long_name_end() {
        let pattern = "a*".repeat(2000) + "b";
        assert!(!matches(pattern.as_bytes(), "a".repeat(4000).as_bytes()));
    }

    proptest::proptest! {
        #[test]
        fn nothing_panics(pattern in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..40), name in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..40)) {
            matches(&pattern, &name);
        }

        #[test]
        fn a_name_without_magic_matches_itself_only(name in "[a-z]{1,5}", other in "[a-z]{1,5}") {
            proptest::prop_assert_eq!(matches(name.as_bytes(), other.as_bytes()), name == other);
        }

        #[test]
        fn few_letters_match_as_the_definition_says(pattern in "[ab?*]{0,7}", name in "[ab]{0,7}") {
            proptest::prop_assert_eq!(matches(pattern.as_bytes(), name.as_bytes()), defined(pattern.as_bytes(), name.as_bytes()));
        }
    }

    /// The definition, without any care for time.
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
