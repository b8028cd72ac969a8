//! Carries out the requests of people.

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
                // The request stays in its folder, and is answered when the journal can be written.
                self.asked = true;
                self.cannot_write(&error);
                self.answer();
                return Ok(());
            }
            self.answered.push((path, refused));
            if self.reloads {
                // The other requests are carried out on the changed queue.
                break;
            }
        }
        // A changed queue is in the state file only after it was loaded again.
        if !self.reloads && !self.answered.is_empty() {
            self.write_state();
            self.answer();
        }
        if let Some(cluster) = cluster {
            self.tell_cluster(cluster);
        }
        Ok(())
    }

    /// Answers the requests that were carried out. The state file shows their effect already.
    pub(super) fn answer(&mut self) {
        for (path, refused) in std::mem::take(&mut self.answered) {
            requests::answer(&path, &refused);
            if let Err(error) = aris_fs::remove_file(&path) {
                self.say(&format!("a request stays in its folder: {error}"));
                self.stuck_requests.insert(path);
            }
        }
    }

    /// Changes the manifest; gives what is wrong with the change.
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
        let left = load::left(&current.manifest, &self.queue);
        check(&left)?;
        check_cards(&left, Stage::Working)?;
        Common::of(&current.manifest, self.context)?;
        if let Change::Add { .. } = change {
            // Written before the manifest has the jobs: if this manager is killed in between, the new jobs are not mistaken for the removed
            // ones.
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
