//! What one call gave, and what its output says about why it failed.

use std::path::Path;
use std::sync::LazyLock;

use aris_proc::{Captured, End, Finished};
use regex::Regex;

use crate::pattern::compiled;

use super::calls::copy_name;
use crate::sandbox::Scratch;

/// Characters of a program's own words that a message quotes.
const QUOTED: usize = 160;

/// What one call gave.
#[derive(Clone, Debug)]
pub(super) struct Answer {
    end: End,
    stdout: Captured,
    stderr: Captured,
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
        let Finished {
            end,
            stdout,
            stderr,
            ..
        } = finished;
        Self {
            end,
            stdout,
            stderr,
            left,
            folders,
        }
    }

    pub(super) fn timed_out(&self) -> bool {
        self.end == End::TimedOut
    }

    /// The exit code; a signal as a shell says it, 128 and its number. 124 for a time-out, as `timeout` has it.
    pub(super) fn exit(&self) -> i32 {
        match self.end {
            End::Exited(code) => code,
            End::Signalled(signal) => 128 + signal,
            End::TimedOut => 124,
        }
    }

    pub(super) fn succeeded(&self) -> bool {
        self.end == End::Exited(0)
    }

    /// Whether it left with 0 and wrote something to stdout.
    pub(super) fn is_help(&self) -> bool {
        self.succeeded() && !is_blank(&self.stdout)
    }

    pub(super) fn stdout(&self) -> &[u8] {
        &self.stdout.bytes
    }

    pub(super) fn text(&self) -> String {
        self.stdout.text().into_owned()
    }

    pub(super) fn wrote_only_to_stderr(&self) -> bool {
        is_blank(&self.stdout) && !is_blank(&self.stderr)
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
        let line = if self.succeeded() {
            None
        } else {
            self.telling_line()
        };
        line.map_or_else(String::new, |line| format!(": {line}"))
    }

    /// The line that says that something is not installed, when the call failed for that.
    pub(super) fn missing_dependency(&self) -> Option<String> {
        if self.timed_out() || self.succeeded() {
            return None;
        }
        let mut found = self.line_with(&MISSING);
        // Python says the same of a file that it opens and of a program that it starts; the traceback tells which it was.
        if found.is_none() && self.stderr.text().contains(" in _execute_child") {
            found = self.line_with(&NO_PROGRAM);
        }
        // 127 is how a shell says that a command does not exist, in whatever language it says it.
        if self.exit() == 127 {
            found.or_else(|| self.telling_line())
        } else {
            found
        }
    }

    fn line_with(&self, pattern: &Regex) -> Option<String> {
        [&self.stderr, &self.stdout].iter().find_map(|stream| {
            stream
                .text()
                .lines()
                .find(|line| pattern.is_match(line))
                .map(|line| self.quoted(line))
        })
    }

    /// The line of stderr, or else of stdout, that says most: the first that speaks of an error, or the last.
    fn telling_line(&self) -> Option<String> {
        [&self.stderr, &self.stdout].iter().find_map(|stream| {
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
        let mut visible: String = line
            .chars()
            .map(|character| {
                if character.is_control() {
                    ' '
                } else {
                    character
                }
            })
            .take(QUOTED)
            .collect();
        if line.chars().count() > QUOTED {
            visible.push('…');
        }
        visible
    }
}

fn is_blank(stream: &Captured) -> bool {
    stream.bytes.iter().all(u8::is_ascii_whitespace)
}

/// What languages print when an import fails, what shells print when a command does not exist, and how programs that notice it
/// themselves tell a user to install something.
static MISSING: LazyLock<Regex> = LazyLock::new(|| {
    compiled(concat!(
        r"^(?:ModuleNotFoundError|ImportError): ",
        r"|Cannot find (?:module|package) '[^./]",
        r"|cannot load such file -- ",
        r"|Can't locate \S+ in @INC",
        r"|: command not found$",
        r"|: \d+: \S+: not found$",
        r"|is not recognized as a name of a cmdlet",
        r"|\bspawn \S+ ENOENT\b",
        r"|(?i:\b(?:pip3?|pipx|npm|pnpm|yarn|brew|apt|apt-get|dnf|gem|cargo|go|conda) install\b)",
        r"|(?i:\buv (?:add|pip install)\b)",
        r"|(?i:\bnot installed\b)",
    ))
});

static NO_PROGRAM: LazyLock<Regex> = LazyLock::new(|| compiled(r"^FileNotFoundError: "));

/// Sequences that colour text or name a window.
static ESCAPE: LazyLock<Regex> = LazyLock::new(|| {
    compiled(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?|\x1b[ -/]*[0-~]")
});

static TELLING: LazyLock<Regex> = LazyLock::new(|| {
    compiled(
        r"(?i)^\w*error\b|\berror:|exception:|fatal|not found|no such|denied|invalid|unknown|unrecognized",
    )
});

#[cfg(test)]
pub(super) mod tests {
    use std::time::Duration;

    use super::*;

    pub(in super::super) fn answer(end: End, stdout: &str, stderr: &str) -> Answer {
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
        let Finished {
            end,
            stdout,
            stderr,
            ..
        } = finished;
        let folders = vec![
            (String::from("/tmp/skill-lint-abc/1/work"), "."),
            (String::from("/home/u/skill/"), ""),
        ];
        Answer {
            end,
            stdout,
            stderr,
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

    #[test]
    fn a_failed_import_or_a_missing_command_is_a_missing_dependency() {
        for (code, stderr, expected) in [
            (
                1,
                "Traceback\nModuleNotFoundError: No module named 'torch'",
                true,
            ),
            (1, "ImportError: cannot import name 'x' from 'y'", true),
            (1, "Error: Cannot find module 'yaml'\nRequire stack:", true),
            (
                1,
                "Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'yaml' imported from /x",
                true,
            ),
            (1, "Error: Cannot find module './own'", false),
            (127, "x.sh: line 3: jq: command not found", true),
            (127, "x.sh: 3: jq: not found", true),
            (127, "x.sh: ligne 3: jq : commande introuvable", true),
            (1, "Please run: pip install requests", true),
            (5, "gh is not installed", true),
            (
                1,
                "x.rb:1:in `require': cannot load such file -- nokogiri (LoadError)",
                true,
            ),
            (
                2,
                "Can't locate JSON/XS.pm in @INC (you may need to install it)",
                true,
            ),
            (
                1,
                "line 7, in _execute_child\nFileNotFoundError: [Errno 2] No such file or directory: 'soffice'",
                true,
            ),
            (
                1,
                "line 7, in open\nFileNotFoundError: [Errno 2] No such file or directory: '--help'",
                false,
            ),
            (1, "Error: spawn ffmpeg ENOENT", true),
            (1, "error: file not found", false),
            (2, "usage: x", false),
            (0, "pip install x", false),
        ] {
            assert_eq!(
                answer(End::Exited(code), "", stderr)
                    .missing_dependency()
                    .is_some(),
                expected,
                "{stderr}"
            );
        }
        assert_eq!(
            answer(End::TimedOut, "", "pip install x").missing_dependency(),
            None
        );
    }
}
