//! Checks that a file which this program is to write is no file of the queue or of its jobs.

use std::path::{Path, PathBuf};

use aris_cli::Context;
use aris_fs::real;
use aris_queue::manifest::Manifest;
use aris_queue::reserved;
use aris_queue::state::Queue;

use crate::error::Error;
use crate::load::{self, Current};
use crate::place::Place;

/// What the file at `path` is, if it may not be replaced or appended to. `file` is the user's manifest; `grows`: see
/// [`reserved::owner`].
pub(crate) fn owner(
    path: &Path,
    place: &Place,
    file: &Path,
    manifest: &Manifest,
    queue: Option<&Queue>,
    grows: bool,
    context: &Context,
) -> Option<String> {
    let target = real(path);
    let own = [&place.state, file].map(real);
    if own.contains(&target) || target.starts_with(real(&place.queue)) {
        return Some(String::from("a file of the queue"));
    }
    let is_log = |queue: &Queue, job: &u32| {
        let attempts = queue.run(*job).attempts.iter();
        let mut logs = attempts.filter_map(|attempt| Some(PathBuf::from(&**attempt.log.as_ref()?)));
        logs.any(|log| target == real(&log))
    };
    let logged = queue.and_then(|queue| {
        let job = (0..queue.len()).find(|job| is_log(queue, job))?;
        Some(format!("a file of job {:?}", queue.job(job).id))
    });
    logged.or_else(|| reserved::owner(path, manifest, context.cwd(), grows))
}

/// Checks that the manager may append its messages to this file.
pub(crate) fn log(
    path: &Path,
    place: &Place,
    current: &Current,
    context: &Context,
) -> Result<(), Error> {
    let (file, manifest) = (&current.path, &current.manifest);
    let queue = Place::is_queue(&place.queue)
        // A journal that cannot be read is the manager's to report.
        .then(|| load::look(place, manifest.clone(), context.now()).ok())
        .flatten();
    match owner(path, place, file, manifest, queue.as_ref(), true, context) {
        None => Ok(()),
        Some(what) => Err(Error::unclear(format!(
            "{} is {what}, to which the log of the manager would be appended: give --log another name; nothing was started",
            path.display()
        ))),
    }
}
