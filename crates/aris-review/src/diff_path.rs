//! Paths in the headers of a diff.

/// The path in `a/path b/path`; `None` where the two differ.
pub(crate) fn same_path(names: &str) -> Option<String> {
    let half = names.len().checked_sub(1)? / 2;
    let (old, new) = (names.get(..half)?, names.get(half + 1..)?);
    path_of(old, "a/").filter(|old| path_of(new, "b/").as_ref() == Some(old))
}

/// The path in a `+++` or `---` line, without the prefix `side`; `None` for a file that does not exist on that side.
pub(crate) fn path_of(text: &str, side: &str) -> Option<String> {
    let text = text.strip_suffix('\r').unwrap_or(text);
    // git writes a tab after a path that has blanks.
    let text = text.strip_suffix('\t').unwrap_or(text);
    let path = match text.strip_prefix('"') {
        Some(quoted) => unquoted(quoted.strip_suffix('"')?)?,
        None => text.to_owned(),
    };
    if path == "/dev/null" {
        return None;
    }
    Some(path.strip_prefix(side).unwrap_or(&path).to_owned())
}

/// Decodes a path that git quotes like a C string.
fn unquoted(text: &str) -> Option<String> {
    let mut bytes = Vec::new();
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        bytes.push(match rest.next()? {
            b'a' => 7,
            b'b' => 8,
            b't' => b'\t',
            b'n' => b'\n',
            b'v' => 11,
            b'f' => 12,
            b'r' => b'\r',
            first @ b'0'..=b'3' => {
                let mut value = first - b'0';
                for _ in 0..2 {
                    match rest.next()? {
                        digit @ b'0'..=b'7' => value = value.wrapping_mul(8) + (digit - b'0'),
                        _ => return None,
                    }
                }
                value
            }
            other => other,
        });
    }
    Some(String::from_utf8_lossy(&bytes).into_owned())
}
