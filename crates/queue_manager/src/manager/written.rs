//! What the manager writes: messages, the journal and the state file.

use std::time::Duration;

use crate::snapshot;
use aris_queue::state::Event;
use jiff::Timestamp;

use super::{Cards, Manager, SNAPSHOT_EVERY, now_ms};
use crate::error::Error;

impl Manager<'_> {
    pub(super) fn say(&self, line: &str) {
        self.context.note(line);
        if let Some(log) = &self.options.flags.log {
            // The journal is authoritative; the log is for people.
            aris_fs::append_line(log, &line.replace('\n', " ")).unwrap_or_default();
        }
    }

    /// Sets or clears a notice, and writes a message when it changes.
    pub(super) fn notice(&mut self, about: &'static str, text: Option<String>) {
        let before = self.notices.get(about);
        if before == text.as_ref() {
            return;
        }
        if let Some(text) = text {
            self.say(&format!("{about}: {text}"));
            self.notices.insert(about, text);
        } else {
            self.say(&format!("{about}: all right again"));
            self.notices.remove(about);
        }
        self.dirty = true;
    }

    /// Applies an event and adds it to the journal, without a sync.
    pub(super) fn happen(&mut self, event: Event) -> Result<(), Error> {
        // The journal gets the same time, so that a replay gives the same queue.
        let time = self.context.now();
        self.apply(&event, time)?;
        self.journal.push(&event, time);
        Ok(())
    }

    /// Applies an event that is in the journal, or is about to be added.
    pub(super) fn apply(&mut self, event: &Event, time: Timestamp) -> Result<(), Error> {
        self.dirty = true;
        let applied = self.queue.apply(event, time, now_ms(), 0);
        applied.map_err(Error::illegal(&self.place().queue))
    }

    pub(super) fn sync(&mut self) {
        match self.journal.sync() {
            Ok(()) => self.notice("journal", None),
            Err(error) => self.cannot_write(&error),
        }
    }

    /// Writes the state file if it has changed and was not written too recently.
    pub(super) fn write_state_if_due(&mut self) {
        let last = self.last_snapshot;
        let due = last.is_none_or(|last| Cards::now() >= last + self.snapshot_interval());
        if self.dirty && due {
            self.replace_state();
        }
    }

    /// Least time between two snapshots. Large ones are written less often, so that writing takes at most a twentieth of the time.
    pub(super) fn snapshot_interval(&self) -> Duration {
        SNAPSHOT_EVERY.max(self.snapshot_cost * 20)
    }

    /// Writes the state file, unless it has the same content already.
    pub(super) fn write_state(&mut self) {
        // Compared without the time and the process that wrote it.
        let same = self.written.as_ref().is_some_and(|written| {
            let text = self.state_text(snapshot::Meta {
                updated: written.updated.clone(),
                manager_pid: written.manager_pid,
                ..self.meta()
            });
            aris_fs::holds(&self.place().state, &text)
        });
        if same {
            self.dirty = false;
        } else {
            self.replace_state();
        }
    }

    fn replace_state(&mut self) {
        if !self.held.is_there() {
            // Otherwise a second state file would be written to the old place; the next turn ends the manager.
            return;
        }
        let began = Cards::now();
        let meta = self.meta();
        match aris_fs::write_atomic(&self.place().state, &self.state_text(meta.clone())) {
            Ok(()) => {
                self.dirty = false;
                self.written = Some(meta);
                self.notice("state", None);
            }
            Err(error) => self.notice("state", Some(error.to_string())),
        }
        let ended = Cards::now();
        self.snapshot_cost = ended.saturating_sub(began);
        self.last_snapshot = Some(ended);
    }

    fn meta(&self) -> snapshot::Meta {
        snapshot::Meta {
            manifest_path: self.manifest.display().to_string(),
            updated: Some(aris_contract::time::stamp(self.context.now())),
            manager_pid: Some(self.owner.pid),
            manager_host: Some(self.owner.host.clone()),
            ..snapshot::Meta::default()
        }
    }

    fn state_text(&self, meta: snapshot::Meta) -> Vec<u8> {
        let about = self.notices.iter();
        let notices: Vec<String> = about
            .map(|(about, text)| format!("{about}: {text}"))
            .collect();
        snapshot::text(&self.queue, self.journal.seq(), meta, &notices)
    }
}
