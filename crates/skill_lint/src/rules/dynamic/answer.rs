//! The result of one call, and the line of its output that explains a failure.

use std::path::Path;

use aris_proc::{End, Finished};
use aris_skills::pattern::{Pattern, compiled};

use crate::sandbox::Scratch;

/// Longest quotation of a program's output in a message, in characters.
const QUOTED: usize = 160;

/// Name of the skill's copy in the working directory. It is the skill's own name, which its programs may rely on.
pub(super) fn copy_name(skill: &Path) -> &Path {
    skill.file_name().map_or(Path::new("skill"), Path::new)
}

/// The result of one call.
#[derive(Clone, Debug)]
pub(super) struct Answer {
    pub(super) finished: Finished,
    /// Files that were in the working directory or the home afterwards.
    pub(super) left: Vec<String>,
    /// Folders whose names must not appear in messages, longest first, each with its replacement.
    folders: Vec<(String, &'static str)>,
}

impl Answer {
    /// The result of a call in this scratch, for a program of this skill; `left` lists the files in the scratch afterwards.
    pub(super) fn new(
        finished: Finished,
        left: Vec<String>,
        scratch: &Scratch,
        skill: &Path,
    ) -> Self {
        let folder = |path: &Path, slash: &str| format!("{}{slash}", path.display());
        let folders = vec![
            (folder(&scratch.cwd().join(copy_name(skill)), "/"), ""),
            (folder(&scratch.cwd(), ""), "."),
            (folder(&scratch.home(), ""), "~"),
            (folder(scratch.root(), ""), "…"),
            (folder(skill, "/"), ""),
        ];
        Self {
            finished,
            left,
            folders,
        }
    }

    /// The exit code. A signal gives 128 plus its number, as in a shell; a time-out gives 124, as with `timeout`.
    pub(super) fn exit(&self) -> i32 {
        match self.finished.end {
            End::Exited(code) => code,
            End::Signalled(signal) => 128 + signal,
            End::TimedOut => 124,
        }
    }

    /// How the call ended, for a message: `exit 1`.
    pub(super) fn ending(&self) -> String {
        let code = self.exit();
        if (129..=192).contains(&code) {
            format!("exit {code} (signal {})", code - 128)
        } else {
            format!("exit {code}")
        }
    }

    /// The program's own words about its failure, to append to a message: `: error: no such file`. Empty when it did not fail
    /// or printed nothing.
    pub(super) fn because(&self) -> String {
        let line = self.telling_line().filter(|_| !self.finished.success());
        line.map_or_else(String::new, |line| format!(": {line}"))
    }

    /// The most informative line of stderr, else of stdout: the first that mentions an error, else the last.
    fn telling_line(&self) -> Option<String> {
        [&self.finished.stderr, &self.finished.stdout]
            .iter()
            .find_map(|stream| {
                let text = stream.text();
                let mut lines = text.lines().filter(|line| !line.trim().is_empty());
                let telling = lines.clone().find(|line| TELLING.is_match(line));
                telling
                    .or_else(|| lines.next_back())
                    .map(|line| self.quoted(line))
            })
    }

    /// A line for a message: shortened, without escape sequences, and without folder names that differ between machines.
    fn quoted(&self, line: &str) -> String {
        let mut line = line.trim().to_owned();
        for (folder, short) in &self.folders {
            line = line.replace(folder, short);
        }
        let line = ESCAPE.replace_all(&line, "");
        let blanked = |c: char| if c.is_control() { ' ' } else { c };
        let mut visible: String = line.chars().map(blanked).take(QUOTED).collect();
        if line.chars().count() > QUOTED {
            visible.push('…');
        }
        visible
    }
}

/// Escape sequences that colour text or set a window title.
static ESCAPE: Pattern = Pattern::new(|| {
    compiled(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?|\x1b[ -/]*[0-~]")
});

static TELLING: Pattern = Pattern::new(|| {
    compiled(
        r"(?i)^\w*error\b|\berror:|exception:|fatal|not found|no such|denied|invalid|unknown|unrecognized",
    )
});

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use aris_proc::Captured;

    use super::*;

    fn answer(end: End, stdout: &str, stderr: &str) -> Answer {
        let stream = |text: &str| Captured {
            bytes: text.as_bytes().to_vec(),
            dropped: 0,
        };
        let finished = Finished {
            program: String::from("x"),
            end,
            stdout: stream(stdout),
            stderr: stream(stderr),
            pipe_held: false,
            deadline: Duration::from_secs(5),
        };
        let folders = vec![
            (String::from("/tmp/skill-lint-abc/1/work"), "."),
            (String::from("/home/u/skill/"), ""),
        ];
        Answer {
            finished,
            left: Vec::new(),
            folders,
        }
    }

    #[test]
    fn a_message_quotes_the_line_that_says_most_and_no_folder_of_this_machine() {
        for (end, stdout, stderr, expected) in [
            (End::Exited(1), "", "", "exit 1"),
            (End::Exited(1), "out\nlast\n", "", "exit 1: last"),
            (End::Exited(0), "out\n", "error: x", "exit 0"),
            (
                End::Exited(1),
                "out",
                "Traceback:\n  File\nValueError: bad\n\nbye\n",
                "exit 1: ValueError: bad",
            ),
            (
                End::Exited(2),
                "",
                "usage: x\nx: error: no FILE\n",
                "exit 2: x: error: no FILE",
            ),
            (
                End::Exited(1),
                "",
                "a\u{1b}[1;31mb\u{1b}[0m\tc\u{7}/tmp/skill-lint-abc/1/work/f\n",
                "exit 1: ab c ./f",
            ),
            (
                End::Exited(1),
                "",
                "/home/u/skill/scripts/x.sh: line 3: bad",
                "exit 1: scripts/x.sh: line 3: bad",
            ),
            (End::Signalled(9), "", "", "exit 137 (signal 9)"),
            (End::Exited(139), "", "", "exit 139 (signal 11)"),
        ] {
            let answer = answer(end, stdout, stderr);
            assert_eq!(answer.ending() + &answer.because(), expected);
        }
        let long = answer(End::Exited(1), "", &"é".repeat(500)).because();
        assert_eq!(long.chars().count(), ": ".len() + QUOTED + 1);
    }
}
