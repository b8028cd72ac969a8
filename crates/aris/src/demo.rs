//! `aris demo`: runs the gate on an example paper in a temporary project, in the way a skill does.
//!
//! Every command is shown with its output and exit code. The demo fails if the gate does not block the paper with planted faults,
//! or still blocks it after the fixes.

use std::io;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use aris_cli::Context;
use aris_proc::Command;

use crate::error::Error;
use crate::store::FILES;

/// Path of the example in the source of the skills.
const EXAMPLE: &str = "skills/paper-writing/assets/example/";

/// Most lines shown of a step's output; the reports contain everything.
const SHOWN: usize = 24;

/// Time limit of a step; steps take milliseconds.
const STEP: Duration = Duration::from_mins(1);

/// Time between SIGTERM and SIGKILL for a step that must end early.
const GRACE: Duration = Duration::from_secs(2);

/// SIGHUP, SIGINT and SIGTERM. **Source**: POSIX; the numbers are the same on all supported systems.
const SIGNALS: [i32; 3] = [1, 2, 15];

const TRACE: [&str; 15] = [
    "--skill",
    "proof-checker",
    "--purpose",
    "proof-audit",
    "--model",
    "example-reviewer-1",
    "--thread-id",
    "example-proof-thread",
    "--prompt-file",
    "reviews/prompt.md",
    "--response-file",
    "reviews/response.md",
    "--executor",
    "demo",
    "--new-run",
];

/// Runs the gate on the example with and without its faults, and tells where the reports are. Returns the printed text.
pub(crate) fn run(context: &Context) -> Result<String, Error> {
    let temp = tempfile::Builder::new()
        .prefix("aris-demo-")
        .tempdir()
        .map_err(Error::Temporary)?;
    // The project stays, so that the user can look at it.
    let root = temp.keep();
    let mut demo = Demo {
        context,
        root,
        text: String::new(),
        told: Told::watch().map_err(Error::Made)?,
    };
    if let Err(error) = demo.play() {
        context.warn(&format!(
            "the demo was not finished; its files are left in {}",
            demo.root.display()
        ));
        // End as if the signal had not been caught. Without a signal, the error is reported.
        if let Ok(signal @ 1..) = i32::try_from(demo.told.signal.load(Ordering::SeqCst)) {
            signal_hook::low_level::emulate_default_handler(signal).map_err(Error::Made)?;
        }
        return Err(error);
    }
    // Without --json the text has been printed already.
    Ok(if context.json() {
        demo.text
    } else {
        String::new()
    })
}

struct Demo<'a> {
    context: &'a Context,
    /// The project's folder.
    root: PathBuf,
    text: String,
    told: Told,
}

/// Records a signal that asks this process to end.
struct Told {
    /// The signal's number, or 0.
    signal: Arc<AtomicUsize>,
    /// Readable once a signal has arrived.
    readable: UnixStream,
}

impl Told {
    fn watch() -> io::Result<Self> {
        let signal = Arc::new(AtomicUsize::new(0));
        let (readable, writer) = UnixStream::pair()?;
        for number in SIGNALS {
            let value = usize::try_from(number).unwrap_or_default();
            // Registered first, so that the number is set before the pipe becomes readable.
            signal_hook::flag::register_usize(number, Arc::clone(&signal), value)?;
            signal_hook::low_level::pipe::register(number, writer.try_clone()?)?;
        }
        Ok(Self { signal, readable })
    }
}

impl Demo<'_> {
    fn play(&mut self) -> Result<(), Error> {
        let start = Instant::now();
        self.title("A project with the skills in it");
        for version in ["results", "reviews", "paper"] {
            self.copy(version, version)?;
        }
        self.install()?;

        self.title("1. A paper with planted faults");
        self.copy("faulty", "paper")?;
        self.say(
            "  the files contain four faults; see skills/paper-writing/assets/example/faults.md",
        );
        self.audits()?;
        self.say("\n  The page for co-authors shows each number with its query, value and files:");
        self.helper(
            "paper_claim_audit",
            &["show", "paper", "--html", "numbers.html"],
            &[0],
            "0",
        )?;
        self.say("\n  Now, after the audits, somebody edits a section:");
        self.say("  $ cp late-edit/sections/discussion.tex paper/sections/discussion.tex");
        self.copy("late-edit", "paper")?;
        self.gate(
            "blocked.html",
            1,
            "1: the gate must block a paper with faults",
        )?;

        self.title("2. The fixes, and the audits again");
        self.say("  $ cp example/paper/… paper/");
        self.copy("paper", "paper")?;
        self.audits()?;
        self.gate(
            "open.html",
            0,
            "0: the gate must find no blocker after the fixes",
        )?;

        self.title("3. From a number to the run that made it");
        self.say("  A queue of two runs: the audit of the citations, on the first version of the paper and on the last.");
        for (version, to) in [("paper", "first"), ("faulty", "first"), ("runs", "")] {
            self.copy(version, to)?;
        }
        aris_fs::create_dir(&self.root.join("counts"))?;
        let queue = [
            "run",
            "--manifest",
            "queue.json",
            "--state",
            "counts/queue_state.json",
        ];
        self.helper("queue_manager", &queue, &[0], "0")?;
        self.say("\n  The paper \"note\" states the number 2; `trace-back` shows which run made it (without git it reports that the commit is missing):");
        self.helper(
            "paper_claim_audit",
            &["trace-back", "first", "note"],
            &[0, 10],
            "0 or 10: every step must be there but the commit, which takes git",
        )?;

        self.title("Reports");
        for (what, file) in [
            ("blocked:", "blocked.html"),
            ("open:", "open.html"),
            ("numbers:", "numbers.html"),
        ] {
            self.say(&format!("  {what:8} {}", self.root.join(file).display()));
        }
        self.say(&format!("  all of it: {}", self.root.display()));
        self.say(&format!("\n{:.1} s.", start.elapsed().as_secs_f64()));
        Ok(())
    }

    /// Installs the skills as a user does, for every host. The user's home folder is not changed.
    fn install(&mut self) -> Result<(), Error> {
        let program = std::env::current_exe().map_err(Error::Program)?;
        let args = ["install", ".", "--host", "claude,codex,cursor,gemini"];
        let command = aris_proc::command(program, &self.root)
            .args(args)
            .env("XDG_DATA_HOME", self.root.join("share"));
        self.step(command, &format!("aris {}", args.join(" ")), &[0], "0")?;
        Ok(())
    }

    /// Records the trace and the artifact of the proof review, then runs the two audits that need no reviewer.
    fn audits(&mut self) -> Result<(), Error> {
        self.say(
            "\n  The proof audit needs a reviewer; here a recorded answer that says there is nothing to prove.",
        );
        let kept = self.helper("save_trace.sh", &TRACE, &[0], "0")?;
        let args = [
            "record",
            "paper",
            "--audit",
            "proof-checker",
            "--trace",
            kept.trim(),
        ];
        self.helper("verify_paper_audits", &args, &[0], "0")?;
        self.helper("paper_claim_audit", &["paper"], &[0, 10], "0 or 10")?;
        self.helper("citation_audit", &["paper"], &[0, 10], "0 or 10")?;
        Ok(())
    }

    fn gate(&mut self, html: &str, code: i32, expected: &'static str) -> Result<(), Error> {
        let args = ["paper", "--assurance", "submission", "--html", html];
        self.helper("verify_paper_audits.sh", &args, &[code], expected)?;
        Ok(())
    }

    /// Runs a helper as a skill does: through `sh`, by the path where the installer put it. Returns its output.
    fn helper(
        &mut self,
        name: &str,
        args: &[&str],
        codes: &[i32],
        expected: &'static str,
    ) -> Result<String, Error> {
        let shown = format!("sh .aris/tools/{name} {}", args.join(" "));
        let command = aris_proc::command("sh", &self.root)
            .arg(format!(".aris/tools/{name}"))
            .args(args);
        self.step(command, &shown, codes, expected)
    }

    fn step(
        &mut self,
        command: Command,
        shown: &str,
        codes: &[i32],
        expected: &'static str,
    ) -> Result<String, Error> {
        self.say(&format!("\n  $ {shown}"));
        let begin = Instant::now();
        let readable = self.told.readable.try_clone().map_err(Error::Made)?;
        let done = command.stop_when(readable, GRACE).run(STEP)?;
        let took = begin.elapsed();
        let code = done.code()?;
        let stdout = done.stdout.text();
        for line in done.stderr.text().lines().chain(stdout.lines().take(SHOWN)) {
            self.say(&format!("    {line}"));
        }
        let more = stdout.lines().count().saturating_sub(SHOWN);
        if more > 0 {
            self.say(&format!("    … and {more} lines more"));
        }
        self.say(&format!(
            "    (exit {code}, {:.0} ms)",
            took.as_secs_f64() * 1e3
        ));
        if !codes.contains(&code) {
            return Err(Error::Demo {
                command: shown.to_owned(),
                code: code.to_string(),
                expected,
            });
        }
        Ok(stdout.into_owned())
    }

    /// Copies one version of the example into a folder of the project, over existing files.
    fn copy(&self, version: &str, to: &str) -> Result<(), Error> {
        let prefix = format!("{EXAMPLE}{version}/");
        for file in FILES {
            let Some(path) = file.path.strip_prefix(&prefix) else {
                continue;
            };
            let path = self.root.join(to).join(path);
            aris_fs::create_dir(path.parent().unwrap_or(Path::new("")))?;
            aris_fs::write_atomic(&path, file.bytes)?;
        }
        Ok(())
    }

    fn title(&mut self, text: &str) {
        let line = "=".repeat(text.chars().count());
        self.say(&format!("\n{text}\n{line}"));
    }

    fn say(&mut self, text: &str) {
        self.context.line(text);
        self.text.push_str(text);
        self.text.push('\n');
    }
}
