//! The exit record while it comes together.

use std::io::Write as _;
use std::path::Path;
use std::time::{Duration, SystemTime};

use crate::format::{
    CLAIM, EXIT_SCHEMA, EndedByUs, Ending, Exit, OutputSeen, SPEC, START, Spec, Start,
};
use aris_contract::failure::ErrorBody;
use aris_runs::{End, Ledger, Look};

use crate::clock;
use crate::error::AttemptError;
use crate::outputs::{self, Before};
use crate::records;
use crate::runner::control_group::OomKills;
use crate::runner::record::Heartbeat;
use crate::runner::wake::Wake;
use crate::runner::{oom_text, record};

/// Between two tries to write the exit record. **Source**: queue design, disk full.
const AGAIN: Duration = Duration::from_secs(5);

/// Between two looks at outputs that are late.
const LOOK: Duration = Duration::from_millis(200);

/// The exit record, and what it is made from.
pub(super) struct ExitRecord<'a> {
    spec: &'a Spec,
    folder: &'a Path,
    before: Option<(Before<'a>, OomKills)>,
    look: Option<Look>,
    /// Where the setup lines found the interpreter.
    pub(super) interpreter: Option<String>,
    pub(super) exit: Exit,
}

impl<'a> ExitRecord<'a> {
    pub(super) fn new(spec: &'a Spec, folder: &'a Path) -> Self {
        Self {
            spec,
            folder,
            before: None,
            look: None,
            interpreter: None,
            exit: Exit {
                schema: String::from(EXIT_SCHEMA),
                ended: clock::wall(),
                ..Exit::default()
            },
        }
    }

    /// The command never ran.
    pub(super) fn not_started(mut self, what: String, wake: &mut Wake) -> Result<(), AttemptError> {
        self.exit.ending = Ending::StartFailed(what);
        self.exit.ended = clock::wall();
        self.write(wake)
    }

    /// Keeps what is compared later: outputs, and the count of processes killed for memory.
    pub(super) fn look_before(&mut self) {
        let outputs = Before::look(&self.spec.outputs, &self.spec.cwd);
        self.before = Some((outputs, OomKills::now()));
        self.look = self.spec.ledger.as_deref().map(|ledger| {
            let (command, cwd, env) = (self.spec.command.line(), &self.spec.cwd, &self.spec.env);
            let mut look = Look::now(Ledger::at(ledger), cwd, &command, env);
            // Setup lines choose another.
            let interpreter = aris_runs::interpreter(&command);
            if let Some(interpreter) = interpreter.filter(|_| self.spec.setup.is_empty()) {
                look.ask(&interpreter, cwd, env);
            }
            look
        });
    }

    /// Leaves the record of the run in the project's ledger: a file without one is unexplained, so that a record which cannot be written
    /// is no reason to hold the end of the attempt back.
    fn keep_record(&mut self) {
        let (Some(look), Some((outputs, _))) = (&mut self.look, &self.before) else {
            return;
        };
        let mut beat = Heartbeat::of(self.folder);
        look.outputs(&outputs.fresh(), || {
            beat.beat();
        });
        if let Some(interpreter) = &self.interpreter {
            look.ask(interpreter, &self.spec.cwd, &self.spec.env);
        }
        look.setup(&self.spec.setup);
        name(look, self.spec, self.folder);
        let run = &mut look.run;
        run.started = self.exit.started.map(|started| started.to_string());
        run.ended = Some(self.exit.ended.to_string());
        let (end, how) = match (&self.exit.ending, self.exit.ended_by_us) {
            (_, EndedByUs::TimeLimit) => (End::Failed, String::from("time limit")),
            (_, EndedByUs::Cancelled) => (End::Failed, String::from("cancelled")),
            (Ending::Code(0), _) => (End::Completed, String::from("exit 0")),
            (Ending::Code(code), _) => (End::Failed, format!("exit {code}")),
            (Ending::Signal(signal), _) => (End::Failed, format!("signal {signal}")),
            (Ending::StartFailed(_), _) => (End::Failed, String::from("a setup line failed")),
        };
        let outputs = self.exit.outputs.iter();
        let unwritten = outputs.filter(|output| output.matches == 0);
        let unwritten: Vec<&str> = unwritten.map(|output| output.pattern.as_str()).collect();
        look.ended(end, how, &unwritten);
        let unread = look.run.outputs_unread.join(", ");
        self.exit.record_problem = match look.keep() {
            Err(error) => Some(format!("the record of the run cannot be kept: {error}")),
            Ok(_) if !unread.is_empty() => {
                Some(format!("the record of the run leaves out {unread}"))
            }
            Ok(_) => None,
        };
    }

    /// Compares outputs, waits for late ones after a good end, and looks for the text of a full GPU after a bad one or where they
    /// do not come.
    pub(super) fn look_after(&mut self, wake: &mut Wake) -> Result<(), AttemptError> {
        let Some((outputs, kills)) = &self.before else {
            return Ok(());
        };
        let exit = &mut self.exit;
        exit.oom_kill = kills.rose();
        exit.outputs = outputs.compare();
        let mut beat = Heartbeat::of(self.folder);
        let missing = |seen: &[OutputSeen]| seen.iter().any(|seen| seen.matches == 0);
        if exit.ending == Ending::Code(0) {
            let until = clock::steady() + Duration::from_millis(self.spec.output_wait_ms);
            while missing(&exit.outputs) && clock::steady() < until && !wake.told_to_end() {
                wake.wait(until.min(clock::steady() + LOOK))?;
                beat.beat();
                exit.outputs = outputs.compare();
            }
        }
        // The status is that of the last program of a pipe: `python … | tee log` exits with 0.
        if exit.ending != Ending::Code(0) || missing(&exit.outputs) {
            // A log that cannot be read has no text in it that anybody could act on.
            let (log, patterns) = (&self.spec.log, &self.spec.oom_patterns);
            let found = oom_text::search(log, exit.log_offset, patterns, || {
                beat.beat();
            });
            exit.oom = found.unwrap_or_default();
        }
        Ok(())
    }

    /// Writes the record, however long the disk is full.
    pub(super) fn write(mut self, wake: &mut Wake) -> Result<(), AttemptError> {
        self.keep_record();
        let mut beat = Heartbeat::of(self.folder);
        let mut said = false;
        while let Err(error) = record::exit(self.folder, &self.exit) {
            if !self.folder.is_dir() {
                // The whole folder is gone: there is nobody left to tell.
                return Err(error.into());
            }
            if !std::mem::replace(&mut said, true) {
                // For whoever waits for this process.
                let why = ErrorBody::of(&error).message;
                let message = "the command has ended, but its result cannot be written down yet; trying again";
                writeln!(std::io::stdout(), "{message}: {why}").unwrap_or_default();
            }
            let until = clock::steady() + AGAIN;
            while clock::steady() < until {
                wake.wait(until)?;
            }
            beat.beat();
        }
        Ok(())
    }
}

/// Leaves the record of an attempt whose runner is gone: how it ended is not known, and of its files only that they were changed after
/// its start. **Errors**: in words.
pub fn record_lost(folder: &Path) -> Result<(), String> {
    let words = |error: AttemptError| error.to_string();
    let Some(spec) = records::read_optional::<Spec>(&folder.join(SPEC)).map_err(words)? else {
        return Ok(());
    };
    let start = records::read_optional::<Start>(&folder.join(START)).map_err(words)?;
    let Some(ledger) = &spec.ledger else {
        return Ok(());
    };
    // The times of files come from the file system's clock, which lags some milliseconds behind the time of day. So this is one of them.
    let claimed = folder.join(CLAIM).metadata();
    let claimed = claimed.and_then(|data| data.modified());
    let began = start.as_ref().map(|start| SystemTime::from(start.time));
    let Some(since) = claimed.ok().or(began) else {
        return Ok(());
    };
    let files = spec.outputs.iter();
    let files = files.flat_map(|pattern| outputs::files(&spec.cwd, pattern));
    let mut files: Vec<_> = files.collect();
    files.retain(|path| {
        let changed = path.metadata().and_then(|data| data.modified());
        changed.is_ok_and(|changed| changed >= since)
    });
    // A quick command may kill its runner before that has said that it runs; its files show that it did.
    if start.is_none() && files.is_empty() {
        return Ok(());
    }
    let mut look = Look::empty(Ledger::at(ledger), &spec.cwd);
    look.outputs(&files, || {});
    look.command(&spec.command.line());
    look.setup(&spec.setup);
    name(&mut look, &spec, folder);
    look.run.started = start.map(|start| start.time.to_string());
    look.run.how = String::from("its runner was killed");
    look.keep().map_err(|error| error.to_string())?;
    Ok(())
}

/// Which attempt of which job it was.
fn name(look: &mut Look, spec: &Spec, folder: &Path) {
    // `<queue>/a/<hh>/<slug>/<n>`
    let queue = folder.ancestors().nth(4).unwrap_or(folder);
    let queue = look.ledger.name(queue);
    let run = &mut look.run;
    String::from("queue").clone_into(&mut run.origin);
    run.job.clone_from(&spec.id);
    run.attempt = spec.attempt;
    run.queue = queue;
    run.host = crate::host();
}
