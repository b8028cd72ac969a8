//! Reads a unified diff as `git diff` writes it; its new side says where a comment can be put.

use crate::diff_path::{path_of, same_path};
use crate::text::plain_path;
use aris_contract::text::counted;

/// A diff, file by file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Diff {
    /// Files that exist afterwards and whose text the diff shows, in their order.
    pub files: Vec<DiffFile>,
    /// Files that exist afterwards and whose text the diff does not show.
    pub hidden: Vec<Hidden>,
    /// Paths of deleted files.
    pub deleted: Vec<String>,
    /// How much it changes.
    pub size: Size,
    /// The first sign that the diff is damaged or cut off.
    pub fault: Option<String>,
}

/// How much a diff changes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Size {
    /// Files, also deleted and binary ones.
    pub files: u64,
    /// Added lines.
    pub additions: u64,
    /// Deleted lines.
    pub deletions: u64,
}

/// A file that exists afterwards and whose text the diff does not show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hidden {
    /// Its path afterwards.
    pub path: String,
    /// Its path before, where it was renamed without a change.
    pub was: Option<String>,
    /// Why the diff does not show its text.
    pub why: &'static str,
    /// Whether it is a file, and not a link or a submodule.
    pub is_file: bool,
}

impl Hidden {
    /// A diff that adds the file with this text.
    pub fn as_new(&self, text: &str) -> String {
        let path = &self.path;
        let count = text.lines().count();
        let mut part = format!("diff --git a/{path} b/{path}\n");
        // A hunk needs at least one line, and git would quote a path with a line break.
        if count > 0 && !path.contains(|letter: char| letter.is_control() || letter == '"') {
            let range = format!("@@ -0,0 +1,{count} @@\n");
            part.extend(["--- /dev/null\n+++ b/", path, "\n", &range]);
            for line in text.lines() {
                part.extend(["+", line, "\n"]);
            }
        }
        part
    }
}

/// A file of a diff.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiffFile {
    /// Its path after the change.
    pub path: String,
    /// Its path before the change; that of a new file is the same.
    pub old_path: String,
    /// The lines of its hunks that exist afterwards, in their order.
    pub lines: Vec<NewLine>,
    /// The lines that the diff deletes, in their order.
    pub deleted: Vec<OldLine>,
}

/// A line on the new side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewLine {
    /// Its number in the new file, from 1.
    pub number: u32,
    /// Its text, without the first character (`+` or blank) and without the line break.
    pub text: String,
    /// Its number in the old file; `None` where the diff adds it.
    pub old: Option<u32>,
}

/// A line of the old file that the diff deletes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OldLine {
    /// Its number in the old file.
    pub number: u32,
    /// The number in the new file of the line that follows it.
    pub before: u32,
    /// Its text, without the first character and the line break.
    pub text: String,
}

impl Diff {
    /// Reads a diff. Bytes that are not UTF-8 are replaced, and text outside of hunks that is no header is ignored. Line breaks may be CR
    /// LF.
    ///
    /// The header of a hunk says how many lines it has, so a line of a file that looks like a header is not taken for one.
    pub fn read(bytes: &[u8]) -> Self {
        let text = String::from_utf8_lossy(bytes);
        let mut diff = Self::default();
        let mut header = Header::default();
        let mut hunk: Option<Hunk> = None;
        let whole = text.strip_suffix('\n');
        if whole.is_none() && !text.is_empty() {
            diff.fault(0, "it ends inside a line");
        }
        for (at, line) in (1..).zip(whole.unwrap_or(&text).split('\n')) {
            if let Some(current) = &mut hunk {
                if let Some((old, new)) = current.takes(line) {
                    diff.size.additions += u64::from(old.is_none() && new.is_some());
                    diff.size.deletions += u64::from(old.is_some() && new.is_none());
                    if let (true, Some(file)) = (header.shown, diff.files.last_mut()) {
                        file.take(old, new, current.number, line);
                    }
                    if current.is_over() {
                        hunk = None;
                    }
                    continue;
                }
                diff.fault(at, SHORT);
                hunk = None;
            }
            let line = line.strip_suffix('\r').unwrap_or(line);
            if let Some(names) = line.strip_prefix("diff --git ") {
                diff.close(std::mem::take(&mut header));
                diff.size.files += 1;
                header = Header {
                    path: same_path(names),
                    named: true,
                    ..Header::default()
                };
            } else if let Some(range) = line.strip_prefix("@@ ") {
                hunk = Hunk::of(range);
                header.has_text = true;
                if hunk.is_none() {
                    diff.fault(at, "a hunk has no readable header");
                }
            } else if line.starts_with("@@@ ") {
                diff.fault(at, "it is the diff of a merge with both its parents");
            } else if let Some(path) = line.strip_prefix("+++ ") {
                // A diff that git did not write has no `diff --git` line.
                diff.size.files += u64::from(!std::mem::take(&mut header.named));
                header.new_path(path, &mut diff);
            } else {
                header.line(line);
            }
        }
        if hunk.is_some() {
            diff.fault(0, SHORT);
        }
        diff.close(header);
        diff
    }

    /// Checks that the diff is whole, and as large as GitHub or GitLab says. **Errors**: why it is not.
    pub fn is_whole(&self, said: Size) -> Result<(), String> {
        let words = |size: Size| {
            let (files, lines) = (counted(size.files, "file"), counted(size.additions, "line"));
            format!("{files}, {lines} added and {} deleted", size.deletions)
        };
        if let Some(fault) = &self.fault {
            return Err(format!("the diff cannot be read: {fault}"));
        }
        if self.size == said {
            return Ok(());
        }
        let (shown, has) = (words(self.size), words(said));
        Err(format!(
            "the diff is not whole: it shows {shown}, and the pull request has {has}"
        ))
    }

    /// Notes the first fault, in a line counted from 1, or in line 0 at the end of the diff.
    fn fault(&mut self, line: usize, what: &str) {
        if self.fault.is_none() {
            self.fault = Some(match line {
                0 => what.to_owned(),
                line => format!("line {line}: {what}"),
            });
        }
    }

    /// Ends the part about a file, and notes a file whose text it did not show.
    fn close(&mut self, header: Header) {
        let why = match header.mode.as_deref() {
            _ if header.deleted => {
                self.deleted.extend(header.path.or(header.old_path));
                return;
            }
            Some("120000") => "it is a link",
            Some("160000") => "it is another repository",
            _ if header.binary => "the diff says that it is binary, or leaves its text out",
            _ if header.was.is_some() && !header.has_text => "it was renamed as it is",
            _ => return,
        };
        if let Some(path) = header.path {
            self.files.retain(|file| file.path != path);
            let is_file = header.mode.is_none();
            let was = header.was.filter(|_| !header.binary && is_file);
            self.hidden.push(Hidden {
                path,
                was,
                why,
                is_file,
            });
        }
    }

    /// The file at this path after the change; a leading `./` is ignored.
    pub fn file(&self, path: &str) -> Option<&DiffFile> {
        let path = plain_path(path);
        self.files.iter().find(|file| file.path == path)
    }
}

impl DiffFile {
    /// Whether a comment can be put on this line.
    pub fn has_line(&self, number: u32) -> bool {
        self.line(number).is_some()
    }

    /// A line that the diff shows on the new side.
    pub fn line(&self, number: u32) -> Option<&NewLine> {
        let found = self.lines.binary_search_by_key(&number, |line| line.number);
        self.lines.get(found.ok()?)
    }

    /// Whether the diff adds a line to it.
    pub fn grows(&self) -> bool {
        self.lines.iter().any(|line| line.old.is_none())
    }

    /// The lines that the diff shows of the old file, each with its number there.
    pub fn shown_before(&self) -> Vec<(u32, &str)> {
        let kept = self.lines.iter();
        let kept = kept.filter_map(|line| Some((line.old?, line.text.as_str())));
        let gone = self.deleted.iter();
        let gone = gone.map(|line| (line.number, line.text.as_str()));
        let mut all: Vec<(u32, &str)> = kept.chain(gone).collect();
        all.sort_by_key(|(number, _)| *number);
        all
    }

    /// The text of the old file, made from the new text and the diff.
    pub fn text_before(&self, now: &str) -> String {
        let mut before = String::new();
        let mut gone = self.deleted.iter().peekable();
        let mut add = |line: &str| before.extend([line, "\n"]);
        for (number, line) in (1..).zip(now.lines()) {
            while let Some(old) = gone.next_if(|old| old.before <= number) {
                add(&old.text);
            }
            if self.line(number).is_none_or(|line| line.old.is_some()) {
                add(line);
            }
        }
        gone.for_each(|old| add(&old.text));
        before
    }

    /// Adds a line of a hunk. `old` and `new` are its numbers; `next` is the number of the next line in the new file.
    fn take(&mut self, old: Option<u32>, new: Option<u32>, next: u32, line: &str) {
        let text = rest(line);
        if let Some(number) = new {
            self.lines.push(NewLine { number, text, old });
        } else if let Some(number) = old {
            let before = next;
            self.deleted.push(OldLine {
                number,
                before,
                text,
            });
        }
    }
}

const SHORT: &str = "a hunk ends before the lines that its header announces";

/// The lines above the hunks of a file.
#[derive(Default)]
struct Header {
    path: Option<String>,
    old_path: Option<String>,
    /// The path before, of a renamed or copied file.
    was: Option<String>,
    mode: Option<String>,
    deleted: bool,
    binary: bool,
    /// Whether the last line that named the file was `diff --git`.
    named: bool,
    /// Whether the file has hunks.
    has_text: bool,
    /// Whether its hunks are of a file that exists afterwards.
    shown: bool,
}

impl Header {
    fn new_path(&mut self, text: &str, diff: &mut Diff) {
        let path = path_of(text, "b/");
        self.shown = path.is_some();
        self.deleted |= path.is_none();
        if let Some(path) = path {
            // An earlier part said that the text is not shown, and this part shows it.
            diff.hidden.retain(|hidden| hidden.path != path);
            diff.files.push(DiffFile {
                old_path: self.old_path.take().unwrap_or_else(|| path.clone()),
                path: path.clone(),
                lines: Vec::new(),
                deleted: Vec::new(),
            });
            self.path = Some(path);
        }
    }

    /// Reads any other line.
    fn line(&mut self, line: &str) {
        let special = |mode: &str| matches!(mode, "120000" | "160000").then(|| mode.to_owned());
        let after = |one: &str, other: &str| {
            let rest = line.strip_prefix(one);
            rest.or_else(|| line.strip_prefix(other))
        };
        if let Some(path) = line.strip_prefix("--- ") {
            self.old_path = path_of(path, "a/");
        } else if let Some(mode) = after("new file mode ", "new mode ") {
            self.mode = special(mode);
        } else if let Some(rest) = line.strip_prefix("index ") {
            let known = self.mode.take();
            self.mode = known.or_else(|| special(rest.rsplit_once(' ')?.1));
        } else if line.starts_with("deleted file mode ") {
            self.deleted = true;
        } else if let Some(path) = after("rename from ", "copy from ") {
            self.was = path_of(path, "");
        } else if let Some(path) = after("rename to ", "copy to ") {
            self.path = path_of(path, "");
        } else if line.starts_with("Binary files ") || line == "GIT binary patch" {
            self.binary = true;
        }
    }
}

/// The lines of a hunk that are still to come, and the numbers of the next ones.
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
        // The number of a side without lines is that of the line above.
        let number = number.saturating_add(u32::from(new == 0));
        let hunk = Self {
            old,
            new,
            old_number,
            number,
        };
        (words.next() == Some("@@") && old + new > 0).then_some(hunk)
    }

    /// Counts a line, and returns its numbers in the old and the new file; `None` when it is not part of the hunk.
    fn takes(&mut self, line: &str) -> Option<(Option<u32>, Option<u32>)> {
        let (is_old, is_new) = match line.as_bytes().first() {
            Some(b'+') => (false, true),
            Some(b'-') => (true, false),
            // Some programs strip the blank of an empty line.
            Some(b' ' | b'\r') | None => (true, true),
            // git's note that a file ends without a line break.
            Some(b'\\') => (false, false),
            Some(_) => return None,
        };
        let [old, new] = [is_old, is_new].map(u32::from);
        (self.old, self.new) = (self.old.checked_sub(old)?, self.new.checked_sub(new)?);
        let numbers = (
            is_old.then_some(self.old_number),
            is_new.then_some(self.number),
        );
        self.old_number = self.old_number.saturating_add(old);
        self.number = self.number.saturating_add(new);
        Some(numbers)
    }

    fn is_over(&self) -> bool {
        self.old == 0 && self.new == 0
    }
}

/// Start and length; a missing length is 1. The length is capped so that two of them can be added.
fn range(text: &str) -> Option<(u32, u32)> {
    let (start, length) = text.split_once(',').unwrap_or((text, "1"));
    let length: u32 = length.parse().ok()?;
    Some((start.parse().ok()?, length.min(u32::MAX / 2)))
}

fn rest(line: &str) -> String {
    let text = line.get(1..).unwrap_or_default();
    text.strip_suffix('\r').unwrap_or(text).to_owned()
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
        let before = [(1, "# T"), (2, "old"), (3, "last"), (10, "ten")];
        assert_eq!(file.shown_before(), before);
        let now = "# T\nnew\n++ b/not-a-header.md\nlast\n5\n6\n7\n8\n9\n10\n\nten\n";
        let was = "# T\nold\nlast\n5\n6\n7\n8\n9\n10\nten\n";
        assert_eq!(file.text_before(now), was);
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
