//! Collects the exit record and writes it.

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

/// Pause between two tries to write the exit record. **Source**: queue design, disk full.
const AGAIN: Duration = Duration::from_secs(5);

/// Pause between two checks for late outputs.
const LOOK: Duration = Duration::from_millis(200);

/// The exit record, and what is needed to complete it.
pub(super) struct ExitRecord<'a> {
    spec: &'a Spec,
    folder: &'a Path,
    before: Option<(Before<'a>, OomKills)>,
    look: Option<Look>,
    /// Path of the interpreter after the setup lines.
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

    /// Writes the record of a command that never ran.
    pub(super) fn not_started(mut self, what: String, wake: &mut Wake) -> Result<(), AttemptError> {
        self.exit.ending = Ending::StartFailed(what);
        self.exit.ended = clock::wall();
        self.write(wake)
    }

    /// Records the state before the start: the outputs, and the number of processes killed for memory.
    pub(super) fn look_before(&mut self) {
        let outputs = Before::look(&self.spec.outputs, &self.spec.cwd);
        self.before = Some((outputs, OomKills::now()));
        self.look = self.spec.ledger.as_deref().map(|ledger| {
            let (command, cwd, env) = (self.spec.command.line(), &self.spec.cwd, &self.spec.env);
            let mut look = Look::now(Ledger::at(ledger), cwd, &command, env);
            // Setup lines may choose another interpreter.
            let interpreter = aris_runs::interpreter(&command);
            if let Some(interpreter) = interpreter.filter(|_| self.spec.setup.is_empty()) {
                look.ask(&interpreter, cwd, env);
            }
            look
        });
    }

    /// Writes the record of the run into the project's ledger. If that fails, the attempt ends all the same: without a record, the origin
    /// of its files is merely unknown.
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

    /// Compares outputs, and waits for late ones after exit status 0. After a failure, or if outputs stay missing, it looks for an
    /// out-of-memory message in the log.
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
        // The exit status may be that of a pipe's last program: `python … | tee log` exits with 0.
        if exit.ending != Ending::Code(0) || missing(&exit.outputs) {
            // If the log cannot be read, there is no message.
            let (log, patterns) = (&self.spec.log, &self.spec.oom_patterns);
            let found = oom_text::search(log, exit.log_offset, patterns, || {
                beat.beat();
            });
            exit.oom = found.unwrap_or_default();
        }
        Ok(())
    }

    /// Writes the record; while the disk is full, it tries again.
    pub(super) fn write(mut self, wake: &mut Wake) -> Result<(), AttemptError> {
        self.keep_record();
        let mut beat = Heartbeat::of(self.folder);
        let mut said = false;
        while let Err(error) = record::exit(self.folder, &self.exit) {
            if !self.folder.is_dir() {
                // The whole folder was removed, so nobody needs the record.
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

/// Writes the record of an attempt whose runner died. How it ended is unknown; its files are those that changed after its start.
/// **Errors**: a message for people.
pub fn record_lost(folder: &Path) -> Result<(), String> {
    let words = |error: AttemptError| error.to_string();
    let Some(spec) = records::read_optional::<Spec>(&folder.join(SPEC)).map_err(words)? else {
        return Ok(());
    };
    let start = records::read_optional::<Start>(&folder.join(START)).map_err(words)?;
    let Some(ledger) = &spec.ledger else {
        return Ok(());
    };
    // File times come from the file system's clock, which is some milliseconds behind the time of day, so they are compared with another
    // file's time.
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
    // A quick command may kill its runner before the start record is written; changed files show that it ran.
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

/// Names the job and the attempt in the record.
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
