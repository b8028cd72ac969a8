//! What people asked for, carried out.

use aris_queue::state::{Event, Life};

use super::cluster::Cluster;
use super::ends::BY_A_PERSON;
use super::requests::Request;
use super::spec::Common;
use super::{Manager, Stage, check, check_cards, requests};
use crate::change::Change;
use crate::error::Error;
use crate::load::{self, Current};

impl Manager<'_> {
    pub(super) fn take_requests(&mut self, mut cluster: Option<&mut Cluster>) -> Result<(), Error> {
        self.asked = false;
        for (path, request) in requests::waiting(self.place()) {
            if self.stuck_requests.contains(&path) {
                continue;
            }
            let refused = match request {
                Ok(Request::Change(change)) => {
                    let name = path.file_name().unwrap_or_default().to_string_lossy();
                    self.change(&change, &name)
                }
                Ok(request) => {
                    let (events, mut refused) = requests::events(request, &self.queue);
                    for event in events {
                        match self.request(event, cluster.as_deref_mut()) {
                            Err(Error::Illegal { source, .. }) => refused.push(source.to_string()),
                            other => other?,
                        }
                    }
                    refused
                }
                Err(why) => vec![format!("a request cannot be read: {why}")],
            };
            for line in refused.iter().filter(|_| !self.options.answers) {
                self.say(line);
            }
            if let Err(error) = self.journal.sync() {
                // It stays, and is answered when it can be written down.
                self.asked = true;
                self.cannot_write(&error);
                self.answer();
                return Ok(());
            }
            self.answered.push((path, refused));
            if self.reloads {
                // What else was asked is answered by the queue as it is then.
                break;
            }
        }
        // A changed queue shows in the state once it has been taken up.
        if !self.reloads && !self.answered.is_empty() {
            self.write_state();
            self.answer();
        }
        if let Some(cluster) = cluster {
            self.tell_cluster(cluster);
        }
        Ok(())
    }

    /// Answers what was carried out and stands in the state: whoever asked may look there.
    pub(super) fn answer(&mut self) {
        for (path, refused) in std::mem::take(&mut self.answered) {
            requests::answer(&path, &refused);
            if let Err(error) = aris_fs::remove_file(&path) {
                self.say(&format!("a request stays in its folder: {error}"));
                self.stuck_requests.insert(path);
            }
        }
    }

    /// Takes another manifest up; gives what is wrong with it.
    fn change(&mut self, change: &Change, request: &str) -> Vec<String> {
        match self.take_up(change, request) {
            Ok(current) => {
                let differences = current.differences.iter();
                for line in differences.filter(|_| !self.options.answers) {
                    self.say(&format!("the manifest has changed: {line}"));
                }
                self.reloads = true;
                Vec::new()
            }
            Err(error) => vec![error.to_string()],
        }
    }

    fn take_up(&mut self, change: &Change, request: &str) -> Result<Current, Error> {
        let current = load::apply(change, request, self.place(), &self.queue, self.context)?;
        check(&current.manifest)?;
        check_cards(&current.manifest, Stage::Working)?;
        Common::of(&current.manifest, self.context)?;
        if let Change::Add { .. } = change {
            // Before the manifest has them: a manager that was killed in between does not take them for the jobs that are gone.
            for id in current.anew(&self.queue) {
                self.happen(Event::Removed { id })?;
            }
            self.journal.sync()?;
        }
        current.keep(self.place())?;
        Ok(current)
    }

    fn request(&mut self, event: Event, cluster: Option<&mut Cluster>) -> Result<(), Error> {
        let cancelled = match &event {
            Event::Cancel { id } => self.queue.find(id),
            _ => None,
        };
        self.happen(event)?;
        if let Some(job) = cancelled
            && self.queue.run(job).life == Life::Cancelling
        {
            let folder = self.folder(job);
            self.ask_to_end(&folder, BY_A_PERSON);
            if let Some(cluster) = cluster {
                self.cancel_there(cluster, job)?;
            }
        }
        Ok(())
    }
}
