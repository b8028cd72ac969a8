//! The new side of a unified diff, as `git diff` writes it: what a comment can be put on.

/// A diff, file by file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Diff {
    /// Files that exist afterwards, in their order.
    pub files: Vec<DiffFile>,
}

/// A file of a diff.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiffFile {
    /// Its path afterwards.
    pub path: String,
    /// Its path before; the same for a new file.
    pub old_path: String,
    /// The lines of its hunks that exist afterwards, in their order.
    pub lines: Vec<NewLine>,
}

/// A line on the new side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewLine {
    /// Its number in the new file, from 1.
    pub number: u32,
    /// Its text without the mark in front and without the line feed.
    pub text: String,
    /// Its number in the old file; none where the diff adds it.
    pub old: Option<u32>,
}

impl Diff {
    /// Reads a diff. Bytes that are not UTF-8 are replaced; what belongs to no hunk is passed over.
    ///
    /// Lines are counted by the headers of hunks, so that a line of a file that looks like a header is none.
    pub fn read(bytes: &[u8]) -> Self {
        let text = String::from_utf8_lossy(bytes);
        let mut diff = Self::default();
        // The new path that was announced and has no hunk yet, and the open hunk.
        let mut hunk: Option<Hunk> = None;
        let mut open = false;
        let mut old_path: Option<String> = None;
        for line in text.split('\n') {
            if let Some(current) = &mut hunk {
                if let Some(place) = current.takes(line) {
                    if let (Place::New { old }, true, Some(file)) =
                        (place, open, diff.files.last_mut())
                    {
                        file.lines.push(NewLine {
                            number: current.number,
                            text: rest(line),
                            old,
                        });
                        current.number = current.number.saturating_add(1);
                    }
                    if current.is_over() {
                        hunk = None;
                    }
                    continue;
                }
                hunk = None;
            }
            if let Some(path) = line.strip_prefix("+++ ") {
                open = match path_of(path, "b/") {
                    Some(path) => {
                        diff.files.push(DiffFile {
                            old_path: old_path.take().unwrap_or_else(|| path.clone()),
                            path,
                            lines: Vec::new(),
                        });
                        true
                    }
                    None => false,
                };
            } else if let Some(path) = line.strip_prefix("--- ") {
                old_path = path_of(path, "a/");
            } else if line.starts_with("diff --git ") {
                (open, old_path) = (false, None);
            } else if let Some(header) = line.strip_prefix("@@ ") {
                hunk = Hunk::of(header);
            }
        }
        diff
    }

    /// The file at this path.
    pub fn file(&self, path: &str) -> Option<&DiffFile> {
        let path = path.strip_prefix("./").unwrap_or(path);
        self.files.iter().find(|file| file.path == path)
    }
}

impl DiffFile {
    /// Whether a comment can be put on this line.
    pub fn has_line(&self, number: u32) -> bool {
        self.lines
            .binary_search_by_key(&number, |line| line.number)
            .is_ok()
    }
}

/// Lines that are still to come of a hunk, and the numbers of the next ones.
struct Hunk {
    old: u32,
    new: u32,
    old_number: u32,
    number: u32,
}

impl Hunk {
    /// Reads `-1,2 +3,4 @@ …`.
    fn of(header: &str) -> Option<Self> {
        let mut words = header.split(' ');
        let (old_number, old) = range(words.next()?.strip_prefix('-')?)?;
        let (number, new) = range(words.next()?.strip_prefix('+')?)?;
        (words.next() == Some("@@") && old + new > 0).then_some(Self {
            old,
            new,
            old_number,
            number,
        })
    }

    /// Counts a line; `None` when it belongs to no hunk.
    fn takes(&mut self, line: &str) -> Option<Place> {
        match line.as_bytes().first() {
            Some(b'+') => {
                self.new = self.new.checked_sub(1)?;
                Some(Place::New { old: None })
            }
            Some(b'-') => {
                self.old = self.old.checked_sub(1)?;
                self.old_number = self.old_number.saturating_add(1);
                Some(Place::Elsewhere)
            }
            // Some tools strip the blank of an empty line.
            Some(b' ') | None => {
                let (old, new) = (self.old.checked_sub(1)?, self.new.checked_sub(1)?);
                (self.old, self.new) = (old, new);
                let number = self.old_number;
                self.old_number = number.saturating_add(1);
                Some(Place::New { old: Some(number) })
            }
            Some(b'\\') => Some(Place::Elsewhere),
            Some(_) => None,
        }
    }

    fn is_over(&self) -> bool {
        self.old == 0 && self.new == 0
    }
}

/// Where a line of a hunk stands.
enum Place {
    /// In the new file.
    New { old: Option<u32> },
    /// In the old file only, or nowhere.
    Elsewhere,
}

/// Start and length; a missing length is 1. Longer files than four milliards of lines are none.
fn range(text: &str) -> Option<(u32, u32)> {
    let (start, length) = text.split_once(',').unwrap_or((text, "1"));
    let length: u32 = length.parse().ok()?;
    Some((start.parse().ok()?, length.min(u32::MAX / 2)))
}

fn rest(line: &str) -> String {
    let text = line.get(1..).unwrap_or_default();
    text.strip_suffix('\r').unwrap_or(text).to_owned()
}

/// The path of a `+++` or `---` line, with `side` in front; none for a file that does not exist on that side.
fn path_of(text: &str, side: &str) -> Option<String> {
    let text = text.strip_suffix('\r').unwrap_or(text);
    // git ends a path that has blanks in it with a tab.
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

/// A path that git quotes like a C string.
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

#[cfg(test)]
mod tests {
    use super::*;

    const DIFF: &str = "diff --git a/r.md b/r.md\nindex 1..2 100644\n--- a/r.md\n+++ b/r.md\n@@ -1,3 +1,4 @@ x\n # T\n-old\n+new\n+++ b/not-a-header.md\n last\n\
                        @@ -10 +11,2 @@\n+\n ten\n\\ No newline at end of file\n\
                        diff --git a/gone.md b/gone.md\n--- a/gone.md\n+++ /dev/null\n@@ -1 +0,0 @@\n-gone\n\
                        diff --git \"a/\\303\\244 b.md\" \"b/\\303\\244 b.md\"\n--- /dev/null\n+++ \"b/\\303\\244 b.md\"\n@@ -0,0 +1 @@\n+one\n\
                        diff --git a/i.png b/i.png\nBinary files differ\n";

    #[test]
    fn lines_are_numbered_as_in_the_new_file() {
        let diff = Diff::read(DIFF.as_bytes());
        let shown: Vec<String> = diff
            .files
            .iter()
            .flat_map(|file| {
                file.lines.iter().map(move |line| {
                    let old = line.old.map_or(String::from("+"), |old| format!("<{old} "));
                    format!("{}:{}{old}{}", file.path, line.number, line.text)
                })
            })
            .collect();
        assert_eq!(
            shown,
            [
                "r.md:1<1 # T",
                "r.md:2+new",
                "r.md:3+++ b/not-a-header.md",
                "r.md:4<3 last",
                "r.md:11+",
                "r.md:12<10 ten",
                "ä b.md:1+one",
            ]
        );
        let file = diff.file("./r.md").expect("a file");
        assert!(file.has_line(3) && !file.has_line(5) && file.has_line(12));
        assert_eq!(diff.file("gone.md"), None);
    }

    #[test]
    fn what_is_no_diff_has_no_files() {
        for text in ["", "hello", "@@ -1 +1 @@\n+x", "+++ ", "@@ -a +b @@"] {
            let diff = Diff::read(text.as_bytes());
            assert!(
                diff.files.iter().all(|file| file.lines.is_empty()),
                "{text}"
            );
        }
    }

    proptest::proptest! {
        #[test]
        fn no_bytes_make_it_panic(bytes in proptest::collection::vec(proptest::num::u8::ANY, 0..300)) {
            Diff::read(&bytes);
        }

        #[test]
        fn diff_like_text_never_panics(
            lines in proptest::collection::vec("(\\+\\+\\+ |--- |@@ -|@@ |\\+|-| |\\\\|diff --git )[ab0-9,+@ \"\\\\/-]{0,12}", 0..40)
        ) {
            let diff = Diff::read(lines.join("\n").as_bytes());
            for file in &diff.files {
                for line in &file.lines {
                    proptest::prop_assert!(!line.text.contains('\n'));
                }
            }
        }
    }
}
