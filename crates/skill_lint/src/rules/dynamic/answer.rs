//! What one call gave, and what its output says about why it failed.

use std::path::Path;

use aris_proc::{End, Finished};
use aris_skills::pattern::{Pattern, compiled};

use crate::sandbox::Scratch;

/// Characters of a program's own words that a message quotes.
const QUOTED: usize = 160;

/// Name of the copy in the working directory: that of the skill, which its programs may look at.
pub(super) fn copy_name(skill: &Path) -> &Path {
    skill.file_name().map_or(Path::new("skill"), Path::new)
}

/// What one call gave.
#[derive(Clone, Debug)]
pub(super) struct Answer {
    pub(super) finished: Finished,
    /// Files that lay in the working directory or the home afterwards.
    pub(super) left: Vec<String>,
    /// Folders whose names no message may hold, the longest first, and what it holds instead.
    folders: Vec<(String, &'static str)>,
}

impl Answer {
    /// What a call gave in this scratch, for a program of this skill; `left` is what lay in the scratch afterwards.
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

    /// The exit code; a signal as a shell says it, 128 and its number. 124 for a time-out, as `timeout` has it.
    pub(super) fn exit(&self) -> i32 {
        match self.finished.end {
            End::Exited(code) => code,
            End::Signalled(signal) => 128 + signal,
            End::TimedOut => 124,
        }
    }

    /// How it ended, for a message: `exit 1`.
    pub(super) fn ending(&self) -> String {
        let code = self.exit();
        if (129..=192).contains(&code) {
            format!("exit {code} (signal {})", code - 128)
        } else {
            format!("exit {code}")
        }
    }

    /// What it said about its failure, to go behind a message: `: error: no such file`. Empty when it did not fail or said
    /// nothing.
    pub(super) fn because(&self) -> String {
        let line = self.telling_line().filter(|_| !self.finished.success());
        line.map_or_else(String::new, |line| format!(": {line}"))
    }

    /// The line of stderr, or else of stdout, that says most: the first that speaks of an error, or the last.
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

    /// A line as a message can hold it: short, without escape sequences, and without folders whose names differ from machine to
    /// machine.
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

/// Sequences that colour text or name a window.
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
