//! Adopts the attempts that an earlier manager left behind.

use std::path::Path;

use aris_attempt::{Standing, format};
use aris_queue::state::{Event, Life};

use super::Manager;
use super::cluster::Cluster;
use super::ends::{BY_A_PERSON, withdraw, withdrew};
use crate::error::Error;

impl Manager<'_> {
    /// Adopts all attempts that an earlier manager began. Gives the cluster, if jobs run on one.
    pub(super) fn adopt_all(&mut self) -> Result<Option<Cluster>, Error> {
        let mut cluster = Cluster::open(self)?;
        if let Some(cluster) = &mut cluster {
            self.adopt_cluster(cluster);
            self.look_at_records(cluster)?;
        } else {
            for job in self.queue.active().collect::<Vec<u32>>() {
                self.adopt(job)?;
            }
        }
        // Not earlier: until its folder was read, a running job has the state `starting`.
        self.journal.sync()?;
        self.write_state();
        self.answer();
        Ok(cluster)
    }

    /// Reads the state of an attempt that this process did not start from its folder.
    pub(super) fn adopt(&mut self, job: u32) -> Result<(), Error> {
        let folder = self.folder(job);
        let mut stands = self.watch.adopt(u64::from(job), &folder);
        let boot = self.queue.run(job).last().boot.as_deref();
        let other_boot = boot.is_some_and(|boot| *boot != *self.boot);
        if matches!(stands, Ok(Standing::Unclaimed)) {
            self.watch.remove(u64::from(job));
            if other_boot {
                // It is unknown whether it was claimed before the machine went down, because claims are not synced.
                return self.lost(job);
            }
            if withdraw(&folder) {
                let why = "no runner had claimed it when its manager was gone";
                return self.withdrawn(job, why, false);
            }
            stands = self.watch.adopt(u64::from(job), &folder);
        }
        match stands {
            Ok(stands @ Standing::Running { .. }) => {
                self.runs(job, &stands);
                if self.queue.run(job).life == Life::Cancelling {
                    self.ask_to_end(&folder, BY_A_PERSON);
                }
                self.say(&format!("{} continues", self.id(job)));
                Ok(())
            }
            Ok(Standing::Ended(exit)) => self.ended(job, &exit),
            Ok(Standing::Lost { claim, start }) => {
                if start.is_none() && withdrew(&folder, claim.as_ref()) {
                    return self.withdrawn(job, "an earlier manager withdrew it", false);
                }
                self.lost(job)
            }
            Ok(Standing::Unclaimed) | Err(_) => {
                self.queue.seen_nothing(job);
                self.dirty = true;
                Ok(())
            }
        }
    }

    /// Records that the current attempt never ran.
    pub(super) fn withdrawn(&mut self, job: u32, why: &str, free: bool) -> Result<(), Error> {
        self.happen(Event::Withdrawn {
            id: self.id(job),
            attempt: self.queue.run(job).attempt(),
            why: why.to_owned(),
            number_free: free,
        })
    }

    pub(super) fn ask_to_end(&mut self, folder: &Path, why: &str) {
        let asked = aris_attempt::cancel(folder, why);
        self.notice("cancel", asked.err().map(|error| error.to_string()));
    }

    /// Ends an attempt of a job that is no longer in the manifest.
    pub(super) fn end_removed(&mut self, id: String, number: u32) -> Result<(), Error> {
        let folder = format::folder(&self.place().queue, &id, number);
        self.say(&format!("{id} is no longer in the manifest: it is ended"));
        self.ask_to_end(&folder, BY_A_PERSON);
        self.happen(Event::Removed { id })
    }
}
