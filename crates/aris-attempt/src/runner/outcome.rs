//! The exit record while it comes together.

use std::path::Path;
use std::time::Duration;

use crate::format::{EXIT_SCHEMA, EndedByUs, Ending, Exit, OutputSeen, Spec};
use aris_runs::{End, Ledger, Look};
use jiff::Timestamp;

use crate::clock;
use crate::error::AttemptError;
use crate::outputs::Before;
use crate::runner::control_group::OomKills;
use crate::runner::record::Heartbeat;
use crate::runner::wake::Wake;
use crate::runner::{oom_text, record};

/// Between two tries to write the exit record. **Source**: queue design, disk full.
const AGAIN: Duration = Duration::from_secs(5);

/// Between two looks at outputs that are late.
const LOOK: Duration = Duration::from_millis(200);

/// Everything that the exit record will say.
pub(super) struct ExitRecord<'a> {
    spec: &'a Spec,
    folder: &'a Path,
    before: Option<(Before<'a>, OomKills)>,
    look: Option<Look>,
    outputs: Vec<OutputSeen>,
    oom: Option<crate::format::OomText>,
    oom_kill: Option<bool>,
    /// Where the setup lines found the interpreter.
    pub(super) interpreter: Option<String>,
    pub(super) ending: Ending,
    pub(super) ended_by_us: EndedByUs,
    pub(super) left_behind: u32,
    pub(super) peak_kib: Option<u64>,
    pub(super) log_offset: u64,
    pub(super) started: Option<(Timestamp, Duration)>,
    pub(super) ended: Option<(Timestamp, Duration)>,
}

impl<'a> ExitRecord<'a> {
    pub(super) fn new(spec: &'a Spec, folder: &'a Path) -> Self {
        Self {
            spec,
            folder,
            before: None,
            look: None,
            outputs: Vec::new(),
            oom: None,
            oom_kill: None,
            interpreter: None,
            ending: Ending::StartFailed(String::new()),
            ended_by_us: EndedByUs::None,
            left_behind: 0,
            peak_kib: None,
            log_offset: 0,
            started: None,
            ended: None,
        }
    }

    /// The command never ran.
    pub(super) fn not_started(&mut self, what: String) {
        self.ending = Ending::StartFailed(what);
    }

    /// Keeps what is compared later: outputs, and the count of processes killed for memory.
    pub(super) fn look_before(&mut self) {
        let outputs = Before::look(&self.spec.outputs, &self.spec.cwd);
        self.before = Some((outputs, OomKills::now()));
        self.look = self.spec.ledger.as_deref().map(|ledger| {
            let (command, cwd, env) = (self.spec.command.line(), &self.spec.cwd, &self.spec.env);
            let mut look = Look::now(Ledger::at(ledger), cwd, &command, env);
            // Setup lines choose another.
            if let Some(interpreter) =
                aris_runs::interpreter(&command).filter(|_| self.spec.setup.is_empty())
            {
                look.ask(&interpreter, cwd, env);
            }
            look
        });
    }

    /// Leaves the record of the run in the project's ledger: a file without one is unexplained, so that a record which cannot be written
    /// is no reason to hold the end of the attempt back.
    fn keep_record(&mut self, ended: Timestamp) {
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
        let run = &mut look.run;
        String::from("queue").clone_into(&mut run.origin);
        run.job.clone_from(&self.spec.id);
        run.attempt = self.spec.attempt;
        // `<queue>/a/<hh>/<slug>/<n>`
        let queue = self.folder.ancestors().nth(4).unwrap_or(self.folder);
        run.queue = look.ledger.name(queue);
        run.host = crate::host();
        run.started = self.started.map(|(wall, _)| wall.to_string());
        run.ended = Some(ended.to_string());
        (run.end, run.how) = match (&self.ending, self.ended_by_us) {
            (_, EndedByUs::TimeLimit) => (End::Failed, String::from("time limit")),
            (_, EndedByUs::Cancelled) => (End::Failed, String::from("cancelled")),
            (Ending::Code(0), _) => (End::Completed, String::from("exit 0")),
            (Ending::Code(code), _) => (End::Failed, format!("exit {code}")),
            (Ending::Signal(signal), _) => (End::Failed, format!("signal {signal}")),
            (Ending::StartFailed(_), _) => (End::Failed, String::from("a setup line failed")),
        };
        let unwritten = self.outputs.iter().filter(|output| output.matches == 0);
        let unwritten: Vec<&str> = unwritten.map(|output| output.pattern.as_str()).collect();
        if run.end == End::Completed && !unwritten.is_empty() {
            run.end = End::Failed;
            run.how = format!("{}, but did not write {}", run.how, unwritten.join(", "));
        }
        if let Err(error) = look.keep() {
            let message = format!("the record of the run cannot be kept: {error}");
            aris_fs::write_unsynced(&self.folder.join(super::COMPLAINT), message.as_bytes())
                .unwrap_or_default();
        }
    }

    /// Compares outputs, waits for late ones after a good end, and looks for the text of a full GPU after a bad one or where they
    /// do not come.
    pub(super) fn look_after(&mut self, wake: &mut Wake) -> Result<(), AttemptError> {
        let Some((outputs, kills)) = &self.before else {
            return Ok(());
        };
        self.oom_kill = kills.rose();
        self.outputs = outputs.compare();
        let mut beat = Heartbeat::of(self.folder);
        let missing = |seen: &[OutputSeen]| seen.iter().any(|seen| seen.matches == 0);
        if self.ending == Ending::Code(0) {
            let until = clock::steady() + Duration::from_millis(self.spec.output_wait_ms);
            while missing(&self.outputs) && clock::steady() < until && !wake.told_to_end() {
                wake.wait(until.min(clock::steady() + LOOK))?;
                beat.beat();
                self.outputs = outputs.compare();
            }
        }
        // The status is that of the last program of a pipe: `python … | tee log` leaves with 0.
        if self.ending != Ending::Code(0) || missing(&self.outputs) {
            // A log that cannot be read has no text in it that anybody could act on.
            let (log, patterns) = (&self.spec.log, &self.spec.oom_patterns);
            let found = oom_text::search(log, self.log_offset, patterns, || {
                beat.beat();
            });
            self.oom = found.unwrap_or_default();
        }
        Ok(())
    }

    /// Writes the record, however long the disk is full.
    pub(super) fn write(mut self, wake: &mut Wake) -> Result<(), AttemptError> {
        let now = (clock::wall(), clock::steady());
        let (ended, ended_steady) = self.ended.unwrap_or(now);
        self.keep_record(ended);
        let record = Exit {
            schema: String::from(EXIT_SCHEMA),
            ending: self.ending,
            ended_by_us: self.ended_by_us,
            oom: self.oom,
            oom_kill: self.oom_kill,
            outputs: self.outputs,
            left_behind: self.left_behind,
            started: self.started.map(|(wall, _)| wall),
            ended,
            ran_ms: self.started.map_or(0, |(_, steady)| {
                clock::milliseconds(ended_steady.saturating_sub(steady))
            }),
            log_offset: self.log_offset,
            peak_rss_kib: self.peak_kib,
        };
        let mut beat = Heartbeat::of(self.folder);
        while let Err(error) = record::exit(self.folder, &record) {
            if !self.folder.is_dir() {
                // The whole folder is gone: there is nobody left to tell.
                return Err(error.into());
            }
            let until = clock::steady() + AGAIN;
            while clock::steady() < until {
                wake.wait(until)?;
            }
            beat.beat();
        }
        record::sync_exit(self.folder)
    }
}
