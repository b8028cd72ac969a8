//! Reads a queue from its files: the manifest, and the events in the journal.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::snapshot;
use aris_cli::Context;
use aris_contract::ErrorKind;
use aris_contract::hex::hex;
use aris_contract::text::shell_line;
use aris_queue::grid::Plan;
use aris_queue::journal::{Entry, Journal};
use aris_queue::manifest::{self, Engine, Manifest, differences, edit, named};
use aris_queue::problem::Invalid;
use aris_queue::shell;
use aris_queue::state::{Event, Life, Outcome, Queue, State};
use aris_queue::tree::Node;
use jiff::Timestamp;
use sha2::{Digest as _, Sha256};

use crate::change::{self, Change, Kept};
use crate::error::Error;
use crate::lock::{self, Parts};
use crate::manager;
use crate::place::Place;
use crate::results::words::more;

/// A queue, ready to be run.
pub(crate) struct Loaded {
    pub(crate) queue: Queue,
    pub(crate) journal: Journal,
    /// Notes for people about how the queue was found.
    pub(crate) notices: Vec<String>,
    /// How the manifest differs from what ran.
    pub(crate) changes: Vec<String>,
    /// Running attempts of jobs that the manifest no longer has: id and number.
    pub(crate) removed: Vec<(String, u32)>,
}

/// The manifest that a queue uses: its own copy, updated from the user's file.
pub(crate) struct Current {
    pub(crate) manifest: Manifest,
    /// The user's file.
    pub(crate) path: PathBuf,
    /// How it differs from the queue's earlier manifest.
    pub(crate) differences: Vec<String>,
    /// Notes for people about the file.
    pub(crate) notices: Vec<String>,
    /// The new text of the user's file, if another machine sent it.
    sent: Option<String>,
    /// SHA-256 of the user's file when it was last read, in hex.
    sha256: String,
    /// The new text of the queue's copy; `None`: it has not changed.
    text: Option<String>,
    /// Changes that were made while the queue ran, to be stored beside the copy; `None`: they are stored already.
    changes: Option<Vec<Kept>>,
    /// Modification time of the copy from which this was read; `None`: there was none.
    copied: Option<SystemTime>,
}

/// The manifest's name in the folder of a run on a server, as JSON and as YAML.
pub(crate) const DEPLOYED: [&str; 2] = ["manifest.json", "manifest.yaml"];

/// Suffix of a manifest that deploy sent. Once the queue has accepted it, the file without the suffix gets its text. A refused one is used
/// by nobody.
pub(crate) const SENT: &str = ".sent";

/// A manifest's text with its grids expanded, and its tree.
struct Expanded {
    text: String,
    root: Node,
    /// Probable mistakes in the grids.
    warnings: Vec<String>,
}

impl Expanded {
    fn of(path: &Path, text: String) -> Result<Self, Invalid> {
        let invalid = |problems| Invalid::new(path, problems);
        let root = manifest::tree(&text).map_err(|problem| invalid(vec![problem]))?;
        if !manifest::has_grid(&root) {
            return Ok(Self {
                text,
                root,
                warnings: Vec::new(),
            });
        }
        let plan = Plan::expand(&root).map_err(invalid)?;
        let warnings = plan.warnings().iter();
        let warnings = warnings.map(|warning| format!("{}:{warning}", path.display()));
        Ok(Self {
            warnings: warnings.collect(),
            text: plan.text(),
            root: plan.into_root(),
        })
    }

    fn manifest(&self, path: &Path) -> Result<Manifest, Invalid> {
        manifest::read(&self.root).map_err(|problems| Invalid::new(path, problems))
    }
}

/// The tree of a manifest with its grids expanded. What its keys mean is not checked.
pub(crate) fn tree(path: &Path) -> Result<Node, Error> {
    Ok(Expanded::of(path, aris_fs::read_text(path)?)?.root)
}

/// Reads the jobs and phases of a file that are to be added to a queue's manifest.
pub(crate) fn joining(path: &Path, place: &Place) -> Result<Node, Error> {
    let (more, own) = (tree(path)?, tree(&place.manifest())?);
    Ok(manifest::joining(&more, &own).map_err(|problems| Invalid::new(path, problems))?)
}

/// Reads a manifest and expands its grids.
pub(crate) fn manifest(path: &Path) -> Result<Manifest, Error> {
    let text = aris_fs::read_text(path)?;
    Ok(Expanded::of(path, text)?.manifest(path)?)
}

/// The queue's own copy of its manifest, independent of the user's file.
pub(crate) fn own(place: &Place) -> Result<Current, Error> {
    let parts = lock::parts(place);
    let copy = place.manifest();
    let copied = copied(place);
    let Some(bytes) = aris_fs::read_optional(&copy, aris_fs::READ_LIMIT)? else {
        // The queue of an older version, which kept no copy.
        return read_users(place, None, None);
    };
    let kept = Expanded::of(&copy, String::from_utf8_lossy(&bytes).into_owned())?;
    Ok(Current {
        manifest: anchored(kept.manifest(&copy)?, place, &parts),
        path: users_file(place, &parts),
        differences: Vec::new(),
        notices: Vec::new(),
        sent: None,
        sha256: parts.manifest_sha256,
        text: None,
        changes: None,
        copied,
    })
}

/// The user's file that was read last.
fn users_file(place: &Place, parts: &Parts) -> PathBuf {
    here(place, parts, &parts.manifest)
}

/// A path that the queue recorded. If it was moved or copied together with the queue's folder, its current path.
pub(crate) fn here(place: &Place, parts: &Parts, known: &str) -> PathBuf {
    let folder = Path::new(&parts.state).parent();
    let inside = folder.and_then(|folder| Path::new(known).strip_prefix(folder).ok());
    // Without the slash that an empty path leaves at the end.
    let here = inside.map(|inside| {
        place
            .folder()
            .join(inside)
            .components()
            .collect::<PathBuf>()
    });
    here.filter(|path| path.exists())
        .unwrap_or_else(|| PathBuf::from(known))
}

/// Reads the state file. **Errors**: [`Error::no_queue`], or the file is no state file.
pub(crate) fn state(place: &Place) -> Result<snapshot::Snapshot, Error> {
    let bytes = aris_fs::read_optional(&place.state, aris_fs::READ_LIMIT)?;
    let bytes = bytes.ok_or_else(|| Error::no_queue(place.state.clone()))?;
    Ok(snapshot::parse(&place.state, &bytes)?)
}

/// The manifest of a queue from the user's file: `given`, else the one that was read last. If that one is invalid or missing, the queue
/// continues with its own copy, and a notice says so.
pub(crate) fn user(
    place: &Place,
    given: Option<&Path>,
    context: &Context,
) -> Result<Current, Error> {
    let deployed = given.and_then(|path| deployed(place, path, context));
    read_users(place, given, deployed)
}

/// As [`user`]; if deploy sent `given`, `deployed` is the file that gets its text.
fn read_users(
    place: &Place,
    given: Option<&Path>,
    deployed: Option<PathBuf>,
) -> Result<Current, Error> {
    let parts = lock::parts(place);
    let path = match given {
        Some(path) => path.to_path_buf(),
        None if parts.manifest.is_empty() => PathBuf::from(state(place)?.meta.manifest_path),
        None => users_file(place, &parts),
    };
    let (source, path) = (path.clone(), deployed.unwrap_or(path));
    let copied = copied(place);
    let copy = aris_fs::read_optional(&place.manifest(), aris_fs::READ_LIMIT)?;
    let mut sent = None;
    // `None`: the file has not changed, and no change was made while the queue ran.
    let mut read = || -> Result<Option<(Expanded, String)>, Error> {
        let text = aris_fs::read_text(&source)?;
        sent = (source != path).then(|| text.clone());
        let sha256 = sha256(&text);
        if copy.is_some() && sha256 == parts.manifest_sha256 && changes(place).is_empty() {
            return Ok(None);
        }
        let new = Expanded::of(&path, text)?;
        // Checked before the changes are applied, so that errors have lines of the user's file.
        new.manifest(&path)?;
        Ok(Some((new, sha256)))
    };
    let (new, sha256) = match read() {
        Ok(Some(new)) => new,
        Ok(None) => {
            let own = own(place)?;
            return Ok(Current { path, sent, ..own });
        }
        Err(error) if given.is_none() && copy.is_some() => {
            let what =
                "the manifest cannot be used, so that the queue continues with its own copy of it";
            let mut current = own(place)?;
            current.notices.push(format!("{what}: {error}"));
            return Ok(current);
        }
        Err(error) => return Err(error),
    };
    let mut notices = new.warnings.clone();
    let (new, changes) = with_changes(place, new, &mut notices);
    let before = copy.and_then(|bytes| manifest::tree(&String::from_utf8_lossy(&bytes)).ok());
    let manifest = anchored(new.manifest(&path)?, place, &parts);
    notices.extend(remarks(&manifest).map(|(_, remark)| remark));
    Ok(Current {
        manifest,
        path,
        differences: before.map_or_else(Vec::new, |before| differences(&before, &new.root)),
        notices,
        sent,
        sha256,
        text: Some(new.text),
        changes: (!changes.is_empty() || place.changes().exists()).then_some(changes),
        copied,
    })
}

/// The file that gets this one's text once the queue has accepted it; `None`: this is a user's own file, whatever its name. Only deploy
/// writes such files, in the folder of a run on a server.
fn deployed(place: &Place, path: &Path, context: &Context) -> Option<PathBuf> {
    let name = path.file_name()?.to_str()?.strip_suffix(SENT)?;
    let folder = path.parent().filter(|folder| *folder == place.folder())?;
    let home = Path::new(context.env("HOME")?);
    let runs = aris_fs::real(&aris_remote::runs(home));
    let is_run = DEPLOYED.contains(&name) && aris_fs::real(folder.parent()?) == runs;
    is_run.then(|| folder.join(name))
}

/// Probable mistakes in a manifest: subject and message.
pub(crate) fn remarks(manifest: &Manifest) -> impl Iterator<Item = (&'static str, String)> {
    let empty = manifest.jobs.is_empty();
    let empty = empty.then(|| String::from("the manifest has no jobs"));
    let amiss = |job: &manifest::Job| match (job.settings.notice?, job.settings.time_limit_ms) {
        (notice, Some(limit)) if notice.before_ms >= limit => Some(
            "a notice that is due when it begins: before is not less than time_limit, and the program may not wait for it yet",
        ),
        // Slurm also sends the signal before it preempts a job.
        (_, None) if manifest.engine != Engine::Slurm => {
            Some("a notice and no time_limit, so that it is never given")
        }
        _ => None,
    };
    let mut jobs = manifest.jobs.iter();
    let notice = jobs.find_map(|job| Some(format!("job {:?} has {}", job.id, amiss(job)?)));
    let pipes = hidden_ends(manifest);
    let shared = manifest.shared_output();
    let all = [
        ("jobs", empty),
        ("notice", notice),
        ("pipes", pipes),
        ("outputs", shared),
    ];
    let said = |(subject, remark): (_, Option<String>)| Some((subject, remark?));
    all.into_iter().filter_map(said)
}

/// Names the jobs whose failure cannot be noticed: `train | tee log` exits with the status of `tee`.
fn hidden_ends(manifest: &Manifest) -> Option<String> {
    let hidden = |job: &&manifest::Job| {
        job.outputs.is_empty() && shell::pipes(&job.cmd) && !job.cmd.contains("pipefail")
    };
    let mut jobs = manifest.jobs.iter().filter(hidden);
    let first = jobs.next()?;
    let more = more(jobs.count(), "more");
    Some(format!(
        "job {:?}{more} sends a program's output to another one, so that its failure is not seen: declare its expected_output, or begin its command with `set -o pipefail;`",
        first.id
    ))
}

/// The folder in which the queue was started; `None`: not recorded.
fn begun_in(place: &Place, parts: &Parts) -> Option<PathBuf> {
    if parts.cwd.is_empty() {
        return None;
    }
    let known = here(place, parts, &parts.cwd);
    // The queue lies in it, and both were moved.
    let moved = || {
        let mut above = place.folder().ancestors();
        above.find(|folder| parts.cwd_id.is_some() && lock::identity(folder) == parts.cwd_id)
    };
    let found = if known.is_dir() { None } else { moved() };
    Some(found.map_or(known, Path::to_path_buf))
}

/// Resolves the working directory against the folder in which the queue was started, wherever the caller is.
fn anchored(mut manifest: Manifest, place: &Place, parts: &Parts) -> Manifest {
    if let Some(folder) = begun_in(place, parts) {
        manifest.cwd = folder.join(&manifest.cwd);
    }
    manifest
}

/// Checks that the folder exists in which the queue was started and its jobs run.
///
/// **Errors**: [`Error::precondition`] with the folder.
pub(crate) fn check_folder(place: &Place, manifest: &Manifest) -> Result<(), Error> {
    let folder = begun_in(place, &lock::parts(place));
    let away = folder.filter(|folder| {
        let gone = |path: &Path| !path.is_dir();
        manifest.cwd.starts_with(folder) && gone(folder) && gone(&aris_fs::lexical(&manifest.cwd))
    });
    away.map_or(Ok(()), |folder| {
        let message = format!(
            "{} is not there, where the queue was begun and its jobs run",
            folder.display()
        );
        let hint = "bring it back, or name the working directory of the jobs in the manifest: cwd: /FOLDER";
        Err(Error::told(ErrorKind::Precondition, message, hint).about(folder))
    })
}

/// The changes made while the queue ran, in order.
fn changes(place: &Place) -> Vec<Kept> {
    let bytes = aris_fs::read(&place.changes(), aris_fs::READ_LIMIT).ok();
    let read = bytes.and_then(|bytes| serde_json::from_slice::<Vec<Kept>>(&bytes).ok());
    let mut changes = Vec::new();
    for one in read.unwrap_or_default() {
        change::push(&mut changes, one);
    }
    changes
}

/// Applies the changes made while the queue ran to the user's file. Those that no longer fit are dropped, with a notice.
fn with_changes(place: &Place, new: Expanded, notices: &mut Vec<String>) -> (Expanded, Vec<Kept>) {
    let mut root = new.root.clone();
    let mut kept = Vec::new();
    for one in changes(place) {
        match one.change.make_anew(&mut root) {
            Ok(()) => kept.push(one),
            Err(why) => {
                let what = "a change made while the queue ran is dropped";
                notices.push(format!("{what}: {why}"));
            }
        }
    }
    if kept.is_empty() {
        return (new, kept);
    }
    match manifest::read(&root) {
        Ok(_) => {
            let mut edited = new.root.clone();
            for change in kept.iter().filter_map(|one| one.change.of_the_file()) {
                change.make_anew(&mut edited).unwrap_or_default();
            }
            let hidden = differences(&new.root, &edited);
            if !hidden.is_empty() {
                let what = "earlier commands changed these values (add, edit, remove), and the changes stay although the manifest has others";
                notices.push(format!("{what}: {}", hidden.join("; ")));
            }
            let text = edit::text(&root);
            let new = Expanded { text, root, ..new };
            (new, kept)
        }
        Err(problems) => {
            let first = problems.first();
            let why = first.map_or("", |problem| problem.message.as_str());
            notices.push(format!(
                "the {} changes made while the queue ran do not fit the manifest any more and are dropped: {why}",
                kept.len()
            ));
            (new, Vec::new())
        }
    }
}

/// The user's file for `reload`; it must exist and be valid.
pub(crate) fn reread(
    place: &Place,
    given: Option<&Path>,
    context: &Context,
) -> Result<Current, Error> {
    if given.is_some() {
        return user(place, given, context);
    }
    let path = own(place)?.path;
    if !path.exists() {
        let message = format!("{}, the manifest of the last run, is gone", path.display());
        let state = shell_line(&[place.state.to_string_lossy()]);
        let hint = format!("queue_manager reload --state {state} --manifest FILE names another");
        return Err(Error::told(ErrorKind::NotFound, message, &hint).about(path));
    }
    user(place, Some(&path), context)
}

/// Whether the user's file differs from what the queue last read; false if that is unknown.
pub(crate) fn is_stale(place: &Place) -> bool {
    let parts = lock::parts(place);
    let text = aris_fs::read_text(&users_file(place, &parts)).ok();
    !parts.manifest_sha256.is_empty()
        && text.is_some_and(|text| sha256(&text) != parts.manifest_sha256)
}

fn sha256(text: &str) -> String {
    hex(&Sha256::digest(text))
}

fn copied(place: &Place) -> Option<SystemTime> {
    place.manifest().metadata().ok()?.modified().ok()
}

impl Current {
    /// Whether the queue's copy was changed since this was read.
    pub(crate) fn is_outdated(&self, place: &Place) -> bool {
        self.copied != copied(place)
    }

    /// Ids of its jobs that the queue once had for jobs that were removed.
    pub(crate) fn anew(&self, queue: &Queue) -> Vec<String> {
        let ids: BTreeSet<&str> = self.manifest.jobs.iter().map(|job| &*job.id).collect();
        let gone = queue.removed().filter(|id| ids.contains(id));
        gone.map(str::to_owned).collect()
    }

    /// Sets the engine of the jobs, also for later runs, whatever the user's file says.
    pub(crate) fn on(self, place: &Place, engine: Option<Engine>) -> Result<Self, Error> {
        let Some(engine) = engine.filter(|engine| *engine != self.manifest.engine) else {
            return Ok(self);
        };
        let mut current = self.with(place, &Change::Engine(engine), "")?;
        // The user has just asked for this difference.
        current.differences.pop();
        Ok(current)
    }

    /// Adds one more change. `request` names the request for it: a request that was carried out before is not carried out twice, because a
    /// manager may have been killed before it answered.
    fn with(self, place: &Place, change: &Change, request: &str) -> Result<Self, Error> {
        let mut changes = self.changes.clone().unwrap_or_else(|| changes(place));
        let asked = |kept: &Kept| !request.is_empty() && kept.request == request;
        let again = changes.iter().any(asked);
        let text = match &self.text {
            Some(text) => text.clone(),
            None => aris_fs::read_text(&place.manifest())?,
        };
        let old = Expanded::of(&place.manifest(), text)?;
        let mut root = old.root.clone();
        match change.make(&mut root) {
            // The copy of the manifest already has the change.
            Err(_) if again => return Ok(self),
            made => made.map_err(Error::precondition)?,
        }
        let new = Expanded::of(&place.manifest(), edit::text(&root))?;
        let manifest = manifest::read(&new.root).map_err(|problems| {
            if request.is_empty() {
                return Invalid::new(&self.path, problems).into();
            }
            // Lines of the queue's own copy mean nothing to a person.
            let messages = problems.into_iter().map(|problem| problem.message);
            Error::precondition(messages.collect::<Vec<_>>().join("; "))
        })?;
        if let Change::Engine(_) = change {
            changes.retain(|known| !matches!(known.change, Change::Engine(_)));
        }
        if !again {
            let (change, request) = (change.clone(), request.to_owned());
            change::push(&mut changes, Kept { change, request });
        }
        Ok(Self {
            manifest: anchored(manifest, place, &lock::parts(place)),
            differences: [self.differences, differences(&old.root, &new.root)].concat(),
            text: Some(new.text),
            changes: Some(changes),
            ..self
        })
    }

    /// What the queue records about it.
    pub(crate) fn parts(&self, place: &Place) -> Parts {
        let before = lock::parts(place);
        let cwd = begun_in(place, &before).or_else(|| std::path::absolute(".").ok());
        let cwd = cwd.unwrap_or_default();
        Parts {
            cwd_id: lock::identity(&cwd).or(before.cwd_id),
            cwd: cwd.display().to_string(),
            manifest: self.path.display().to_string(),
            logs: place.logs.display().to_string(),
            manifest_sha256: self.sha256.clone(),
            state: place.state.display().to_string(),
        }
    }

    /// Stores it as the queue's own. Only the holder of the queue's lock may do that.
    pub(crate) fn keep(&self, place: &Place) -> Result<(), Error> {
        // Written first: a change that is only here is made again, while one that is only in the manifest would be refused.
        if let Some(changes) = &self.changes {
            let text = serde_json::to_vec(changes).unwrap_or_default();
            aris_fs::write_atomic(&place.changes(), &text)?;
        }
        if let Some(text) = &self.text {
            aris_fs::write_atomic(&place.manifest(), text.as_bytes())?;
        }
        if let Some(text) = &self.sent {
            aris_fs::write_atomic(&self.path, text.as_bytes())?;
        }
        let parts = self.parts(place);
        if lock::parts(place) != parts {
            let text = serde_json::to_vec(&parts).unwrap_or_default();
            aris_fs::write_atomic(&place.parts(), &text)?;
        }
        Ok(())
    }
}

/// Opens a queue for its manager, which holds its lock.
pub(crate) fn open(place: &Place, manifest: Manifest, now: Timestamp) -> Result<Loaded, Error> {
    let opened = Journal::open(&place.queue)?;
    let (mut queue, mut journal) = (Queue::new(manifest), opened.journal);
    let (mut notices, mut changes, mut removed) = (Vec::new(), Vec::new(), Vec::new());
    if opened.torn > 0 {
        notices.push(format!(
            "the journal ended in {} bytes of a line that was never finished; they were cut off",
            opened.torn
        ));
    }
    if opened.entries.is_empty() {
        let (events, more) = import(&mut queue, place, now)?;
        for event in &events {
            journal.push(event, now);
        }
        if !events.is_empty() {
            let (count, file) = (events.len(), place.state.display());
            notices.push(format!("{count} jobs were taken over as {file} says"));
        }
        notices.extend(more);
    } else {
        removed = replay(&mut queue, opened.entries, place, now)?;
        changes = changed(&queue);
    }
    Ok(Loaded {
        queue,
        journal,
        notices,
        changes,
        removed,
    })
}

/// Replays a journal without opening it for writing; a manager may be writing to it.
pub(crate) fn look(place: &Place, manifest: Manifest, now: Timestamp) -> Result<Queue, Error> {
    let entries = Journal::read(&place.queue)?;
    let mut queue = Queue::new(manifest);
    if entries.is_empty() {
        import(&mut queue, place, now)?;
    }
    replay(&mut queue, entries, place, now)?;
    Ok(queue)
}

/// The manifest without jobs that have ended: the machine need not be able to run those.
pub(crate) fn left(manifest: &Manifest, queue: &Queue) -> Manifest {
    let mut left = manifest.clone();
    left.jobs.retain(|job| {
        let job = queue.find(&job.id);
        !job.is_some_and(|job| matches!(queue.run(job).life, Life::Over(_)))
    });
    left
}

/// Imports a state file without a journal: the reference's, or ours after its folder was removed. Gives its events, and notices for people.
fn import(queue: &mut Queue, place: &Place, now: Timestamp) -> Result<snapshot::Taken, Error> {
    let Some(bytes) = aris_fs::read_optional(&place.state, aris_fs::READ_LIMIT)? else {
        return Ok(Default::default());
    };
    let text = String::from_utf8_lossy(&bytes);
    let (events, notices) = snapshot::import(&place.state, &text, queue)?;
    for event in &events {
        let done = queue.apply(event, now, manager::now_ms(), 0);
        done.map_err(Error::illegal(&place.state))?;
    }
    Ok((events, notices))
}

/// Replays the journal. Gives the attempts that were begun, did not end, and belong to no job of the manifest.
fn replay(
    queue: &mut Queue,
    entries: Vec<Entry>,
    place: &Place,
    now: Timestamp,
) -> Result<Vec<(String, u32)>, Error> {
    let (mut removed, steady) = (Vec::new(), manager::now_ms());
    for mut entry in entries {
        if let Event::Start { log, .. } = &mut entry.event {
            place.find_log(log);
        }
        // If the clock was set back, the pause does not become longer.
        let late = now.duration_since(entry.time).as_millis().max(0);
        let late = u64::try_from(late).unwrap_or(u64::MAX);
        let done = queue.apply(&entry.event, entry.time, steady, late);
        done.map_err(Error::illegal(&place.queue))?;
        match &entry.event {
            Event::Start { id, attempt, .. } if queue.find(id).is_none() => {
                removed.push((id.clone(), *attempt));
            }
            Event::Ended { id, .. } | Event::Withdrawn { id, .. } | Event::Removed { id } => {
                removed.retain(|(known, _)| known != id);
            }
            _ => {}
        }
    }
    queue.tick(steady);
    Ok(removed)
}

/// Digest for noticing a changed command: 16 hex digits of SHA-256.
pub(crate) fn command_digest(command: &str) -> String {
    hex(Sha256::digest(command).iter().take(8))
}

/// Checks, for `--strict`, that the manifest is that of the last run.
///
/// **Errors**: it is another one.
pub(crate) fn unchanged(
    loaded: &Loaded,
    manifest: &Path,
    now: &Parts,
    before: &Parts,
) -> Result<(), Error> {
    if !before.manifest_sha256.is_empty() && before.manifest_sha256 == now.manifest_sha256 {
        return Ok(());
    }
    let what = match loaded.changes.as_slice() {
        [] if before.manifest_sha256.is_empty() => return Ok(()),
        [] => String::from("only in jobs that have not run"),
        changes => changes.join("; "),
    };
    let path = manifest.display();
    let message = format!("{path} has changed since the last run: {what}");
    let hint = "leave out --strict to apply the change; jobs that have ended run again only with queue_manager retry";
    Err(Error::told(ErrorKind::Validation, message, hint).about(manifest))
}

/// Whether the last attempt of a job ran another command than the manifest has now.
pub(crate) fn is_other_command(queue: &Queue, job: u32) -> bool {
    let command = queue.run(job).last().command.as_deref();
    command.is_some_and(|command| command != command_digest(&queue.job(job).cmd))
}

/// What is said of a completed job for which [`is_other_command`] holds.
pub(crate) const OTHER_COMMAND: &str =
    "it completed with another command than the manifest has now; retry --again runs that one";

/// Jobs that completed or run with another command than the manifest has now.
fn others(queue: &Queue) -> impl Iterator<Item = u32> + '_ {
    (0..queue.len()).filter(|job| {
        let life = queue.run(*job).life;
        let counts = life == Life::Over(Outcome::Completed) || life.is_active();
        counts && is_other_command(queue, *job)
    })
}

/// Refuses a second manifest for the queue of another one, if jobs of equal ids ran with other commands or for other outputs: they would
/// count as completed.
pub(crate) fn same_queue(place: &Place, current: &Current, context: &Context) -> Result<(), Error> {
    let known = users_file(place, &lock::parts(place));
    let is_known = aris_fs::real(&known) == aris_fs::real(&current.path);
    // A manifest that is gone was renamed; deploy takes care of its own.
    if is_known || !known.is_file() || current.sent.is_some() || !Place::is_queue(&place.queue) {
        return Ok(());
    }
    let queue = look(place, current.manifest.clone(), context.now())?;
    let for_others = |job: &u32| {
        let same = queue.declared(*job).1 == queue.job(*job).outputs;
        !same && queue.state(*job) == State::Completed
    };
    let other = others(&queue).next();
    let other = other.or_else(|| (0..queue.len()).find(for_others));
    let Some(id) = other.map(|job| &queue.job(job).id) else {
        return Ok(());
    };
    let (new, known) = (current.path.display(), known.display());
    let path = shell_line(&[current.path.to_string_lossy()]);
    let message = format!(
        "{new} is another manifest than {known}, whose queue this is: job {id:?} ran there with another command or for other outputs, and would count as that of {new}"
    );
    let hint = format!(
        "run it with --state FILE for a queue of its own; queue_manager reload --manifest {path} makes it the manifest of this queue"
    );
    Err(Error::told(ErrorKind::Precondition, message, &hint).about(&current.path))
}

/// How the manifest differs from what the jobs ran.
fn changed(queue: &Queue) -> Vec<String> {
    let changed = others(queue);
    let changed = first_of(changed.map(|job| &*queue.job(job).id)).map(|which| {
        format!(
            "the manifest has another command for {which} than the one that ran; retry runs the new one"
        )
    });
    let gone = first_of(queue.removed());
    let gone = gone.map(|which| format!("{which} ran and is no longer in the manifest"));
    changed.into_iter().chain(gone).collect()
}

/// The first id, and the number of the others.
fn first_of<'a>(mut ids: impl Iterator<Item = &'a str>) -> Option<String> {
    let first = ids.next()?;
    Some(match ids.count() {
        0 => format!("{first:?}"),
        more => format!("{first:?} and {more} more"),
    })
}

/// The manifest with a change in it. Writes nothing.
///
/// **Errors**: why the change cannot be made.
pub(crate) fn apply(
    change: &Change,
    request: &str,
    place: &Place,
    queue: &Queue,
    context: &Context,
) -> Result<Current, Error> {
    let current = match change {
        Change::Reload { manifest } => reread(place, manifest.as_deref(), context)?,
        Change::Remove { ids } => {
            let runs = |id: &&String| {
                let job = queue.find(id);
                job.is_some_and(|job| queue.run(job).life.is_active())
            };
            let running: Vec<String> = ids.iter().filter(runs).cloned().collect();
            if !running.is_empty() {
                let what = "still running; cancel it before you remove it";
                return Err(Error::precondition(format!("{what}: {}", named(&running))));
            }
            own(place)?.with(place, change, request)?
        }
        Change::Add { .. } | Change::Edit { .. } | Change::Engine(_) => {
            own(place)?.with(place, change, request)?
        }
    };
    // A running job is not ended because its id is missing, perhaps by mistake.
    let active = queue.active().map(|job| queue.job(job).id.to_string());
    let absent = |id: &String| !current.manifest.jobs.iter().any(|job| *job.id == **id);
    let lost: Vec<String> = active.filter(absent).collect();
    if !lost.is_empty() {
        return Err(Error::precondition(format!(
            "under way, and the manifest does not have them any more: {}; cancel them first, or give them their ids back",
            named(&lost)
        )));
    }
    if current.manifest.engine != queue.manifest().engine && queue.active().next().is_some() {
        return Err(Error::precondition(
            "the engine cannot be changed while jobs run; wait for them or cancel them",
        ));
    }
    Ok(current)
}
