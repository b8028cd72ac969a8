//! A queue from its files: the manifest, and what the journal says happened.

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
use aris_queue::state::{Event, Life, Outcome, Queue};
use aris_queue::tree::Node;
use jiff::Timestamp;
use sha2::{Digest as _, Sha256};

use crate::change::{Change, Kept};
use crate::error::Error;
use crate::lock::{self, Parts};
use crate::manager;
use crate::place::Place;
use crate::results::words::more;

/// A queue that is ready to go on.
pub(crate) struct Loaded {
    pub(crate) queue: Queue,
    pub(crate) journal: Journal,
    /// What a person should know about how it was found.
    pub(crate) notices: Vec<String>,
    /// How the manifest differs from what ran.
    pub(crate) changes: Vec<String>,
    /// Attempts under way of jobs that the manifest no longer has: id and number.
    pub(crate) removed: Vec<(String, u32)>,
}

/// The manifest of a queue as it is to be run: the queue's own copy, and what the user's file changes in it.
pub(crate) struct Current {
    pub(crate) manifest: Manifest,
    /// The user's file.
    pub(crate) path: PathBuf,
    /// How it differs from what the queue had before.
    pub(crate) differences: Vec<String>,
    /// What a person should know about the file.
    pub(crate) notices: Vec<String>,
    /// The text that the user's file is to have, where another machine sent it.
    sent: Option<String>,
    /// SHA-256 of the user's file when it was read last, in hex.
    sha256: String,
    /// For the copy; `None`: it says the same already.
    text: Option<String>,
    /// What was changed in it while the queue ran, to be kept beside the copy; `None`: nothing new.
    changes: Option<Vec<Kept>>,
    /// When the copy was written that this was read from; `None`: there was none.
    copied: Option<SystemTime>,
}

/// What deploy calls the manifest in the folder of a run: JSON, and YAML.
pub(crate) const DEPLOYED: [&str; 2] = ["manifest.json", "manifest.yaml"];

/// What the name of a manifest that deploy sent ends with: the file of the name before it has this text once a queue has taken it up. One
/// that is refused is nobody's manifest.
pub(crate) const SENT: &str = ".sent";

/// A manifest's text with its grids expanded, and its tree.
struct Expanded {
    text: String,
    root: Node,
}

impl Expanded {
    fn of(path: &Path, text: String) -> Result<Self, Invalid> {
        let invalid = |problems| Invalid::new(path, problems);
        let root = manifest::tree(&text).map_err(|problem| invalid(vec![problem]))?;
        if !manifest::has_grid(&root) {
            return Ok(Self { text, root });
        }
        let plan = Plan::expand(&root).map_err(invalid)?;
        Ok(Self {
            text: plan.text(),
            root: plan.into_root(),
        })
    }

    fn manifest(&self, path: &Path) -> Result<Manifest, Invalid> {
        manifest::read(&self.root).map_err(|problems| Invalid::new(path, problems))
    }
}

/// The tree of a manifest; grids in it are expanded first, and what its keys mean is not looked at.
pub(crate) fn tree(path: &Path) -> Result<Node, Error> {
    Ok(Expanded::of(path, aris_fs::read_text(path)?)?.root)
}

/// Reads a manifest; grids in it are expanded first.
pub(crate) fn manifest(path: &Path) -> Result<Manifest, Error> {
    let text = aris_fs::read_text(path)?;
    Ok(Expanded::of(path, text)?.manifest(path)?)
}

/// The manifest of a queue as it was taken up last, whatever has become of the user's file.
pub(crate) fn own(place: &Place) -> Result<Current, Error> {
    let parts = lock::parts(place);
    let copy = place.manifest();
    let copied = copied(place);
    let Some(bytes) = aris_fs::read_optional(&copy, aris_fs::READ_LIMIT)? else {
        // A queue of a version that kept no copy.
        return read_users(place, None, None);
    };
    let kept = Expanded::of(&copy, String::from_utf8_lossy(&bytes).into_owned())?;
    Ok(Current {
        manifest: anchored(kept.manifest(&copy)?, &parts),
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

/// The user's file of the last time.
fn users_file(place: &Place, parts: &Parts) -> PathBuf {
    here(place, parts, &parts.manifest)
}

/// A path that the queue remembers. When it was moved or copied together with the queue's folder, it is the one that lies there now.
pub(crate) fn here(place: &Place, parts: &Parts, known: &str) -> PathBuf {
    let folder = Path::new(&parts.state).parent();
    let inside = folder.and_then(|folder| Path::new(known).strip_prefix(folder).ok());
    let here = inside.map(|inside| place.folder().join(inside));
    here.filter(|path| path.exists())
        .unwrap_or_else(|| PathBuf::from(known))
}

/// The state file. **Errors**: [`Error::no_queue`], a file that is no state file.
pub(crate) fn state(place: &Place) -> Result<snapshot::Snapshot, Error> {
    let bytes = aris_fs::read_optional(&place.state, aris_fs::READ_LIMIT)?;
    let bytes = bytes.ok_or_else(|| Error::no_queue(place.state.clone()))?;
    Ok(snapshot::parse(&place.state, &bytes)?)
}

/// The manifest of a queue as the user's file has it now: `given`, else the file of the last time. That one may be broken or gone:
/// then the queue goes on with its own copy, and says so.
pub(crate) fn user(
    place: &Place,
    given: Option<&Path>,
    context: &Context,
) -> Result<Current, Error> {
    let deployed = given.and_then(|path| deployed(place, path, context));
    read_users(place, given, deployed)
}

/// [`user`], where deploy sent `given` for the file `deployed`.
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
    // `None`: it says what it said the last time, and no change hides any of it.
    let mut read = || -> Result<Option<(Expanded, String)>, Error> {
        let text = aris_fs::read_text(&source)?;
        sent = (source != path).then(|| text.clone());
        let sha256 = sha256(&text);
        if copy.is_some() && sha256 == parts.manifest_sha256 && changes(place).is_empty() {
            return Ok(None);
        }
        let new = Expanded::of(&path, text)?;
        // Its own mistakes are told with their lines.
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
    let mut notices = Vec::new();
    let (new, changes) = with_changes(place, new, &mut notices);
    let before = copy.and_then(|bytes| manifest::tree(&String::from_utf8_lossy(&bytes)).ok());
    let manifest = anchored(new.manifest(&path)?, &parts);
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

/// The file that gets the text of this one once the queue has taken it up; `None`: it is a file of the user's own, whatever its name.
/// Only deploy writes others, in the folder of a run on a server.
fn deployed(place: &Place, path: &Path, context: &Context) -> Option<PathBuf> {
    let name = path.file_name()?.to_str()?.strip_suffix(SENT)?;
    let folder = path.parent().filter(|folder| *folder == place.folder())?;
    let home = Path::new(context.env("HOME")?);
    let runs = aris_fs::real(&aris_remote::runs(home));
    let is_run = DEPLOYED.contains(&name) && aris_fs::real(folder.parent()?) == runs;
    is_run.then(|| folder.join(name))
}

/// What in a manifest is often a slip: its subject, and what to tell a person.
pub(crate) fn remarks(manifest: &Manifest) -> impl Iterator<Item = (&'static str, String)> {
    let empty = manifest.jobs.is_empty();
    let empty = empty.then(|| String::from("the manifest has no jobs"));
    // Slurm also gives the signal before it takes a job off its node.
    let no_end = |job: &&manifest::Job| {
        let told = job.settings.notice.is_some() && job.settings.time_limit_ms.is_none();
        told && manifest.engine != Engine::Slurm
    };
    let notice = manifest.jobs.iter().find(no_end).map(|job| {
        let id = &job.id;
        format!("job {id:?} has a notice and no time_limit, so that it is never given")
    });
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

/// Names the jobs of which nobody can tell whether they failed: `train | tee log` ends as `tee` does.
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

/// A manifest whose working directory counts from where the queue was begun, whoever calls from wherever.
fn anchored(mut manifest: Manifest, parts: &Parts) -> Manifest {
    if is_folder(&parts.cwd) {
        manifest.cwd = Path::new(&parts.cwd).join(&manifest.cwd);
    }
    manifest
}

fn is_folder(path: &str) -> bool {
    !path.is_empty() && Path::new(path).is_dir()
}

/// What was changed while the queue ran, in order.
fn changes(place: &Place) -> Vec<Kept> {
    let bytes = aris_fs::read(&place.changes(), aris_fs::READ_LIMIT).ok();
    let changes = bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok());
    changes.unwrap_or_default()
}

/// The user's file with what was changed while the queue ran; what does not fit any more is dropped, and said.
fn with_changes(place: &Place, new: Expanded, notices: &mut Vec<String>) -> (Expanded, Vec<Kept>) {
    let mut root = new.root.clone();
    let mut kept = Vec::new();
    for one in changes(place) {
        match one.change.make(&mut root) {
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
            let changes = kept.iter().map(|one| &one.change);
            for change in changes.filter(|one| !matches!(one, Change::Add { .. })) {
                change.make(&mut edited).unwrap_or_default();
            }
            let hidden = differences(&new.root, &edited);
            if !hidden.is_empty() {
                let what = "earlier commands changed these values, and they stay changed although the manifest has others";
                notices.push(format!("{what}: {}", hidden.join("; ")));
            }
            let text = edit::text(&root);
            (Expanded { text, root }, kept)
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

/// The user's file, which must be there and sound: what `reload` takes over.
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

/// Whether the user's file says something else than the queue has taken up; false when that cannot be said.
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
    /// Whether somebody has changed the queue's own copy since this was read.
    pub(crate) fn is_outdated(&self, place: &Place) -> bool {
        self.copied != copied(place)
    }

    /// The jobs that are in it under ids of jobs which the queue has no longer.
    pub(crate) fn anew(&self, queue: &Queue) -> Vec<String> {
        let ids: BTreeSet<&str> = self.manifest.jobs.iter().map(|job| &*job.id).collect();
        let gone = queue.removed().filter(|id| ids.contains(id));
        gone.map(str::to_owned).collect()
    }

    /// The same with its jobs on this engine, whatever the user's file says, now and later.
    pub(crate) fn on(self, place: &Place, engine: Option<Engine>) -> Result<Self, Error> {
        let Some(engine) = engine.filter(|engine| *engine != self.manifest.engine) else {
            return Ok(self);
        };
        let mut current = self.with(place, &Change::Engine(engine), "")?;
        // Whoever asks for it knows.
        current.differences.pop();
        Ok(current)
    }

    /// The same with one more change in it. `request` asks for it: what it asked for before is not done twice, since a manager may have
    /// been killed before it answered.
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
            // The copy of the manifest has it.
            Err(_) if again => return Ok(self),
            made => made.map_err(Error::precondition)?,
        }
        let new = Expanded::of(&place.manifest(), edit::text(&root))?;
        let manifest = manifest::read(&new.root).map_err(|problems| {
            if request.is_empty() {
                return Invalid::new(&self.path, problems).into();
            }
            // Lines of the queue's own copy say nothing to a person.
            let messages = problems.into_iter().map(|problem| problem.message);
            Error::precondition(messages.collect::<Vec<_>>().join("; "))
        })?;
        if let Change::Engine(_) = change {
            changes.retain(|known| !matches!(known.change, Change::Engine(_)));
        }
        if !again {
            let (change, request) = (change.clone(), request.to_owned());
            changes.push(Kept { change, request });
        }
        Ok(Self {
            manifest: anchored(manifest, &lock::parts(place)),
            differences: [self.differences, differences(&old.root, &new.root)].concat(),
            text: Some(new.text),
            changes: Some(changes),
            ..self
        })
    }

    /// What the queue is to remember of it.
    pub(crate) fn parts(&self, place: &Place) -> Parts {
        Parts {
            manifest: self.path.display().to_string(),
            logs: place.logs.display().to_string(),
            manifest_sha256: self.sha256.clone(),
            state: place.state.display().to_string(),
            cwd: match lock::parts(place).cwd {
                known if is_folder(&known) => known,
                _ => std::path::absolute(".")
                    .map_or_else(|_| String::new(), |folder| folder.display().to_string()),
            },
        }
    }

    /// Makes it the queue's own. Only who holds the queue's lock may.
    pub(crate) fn keep(&self, place: &Place) -> Result<(), Error> {
        // First: whose request stands here and not in the manifest is carried out again, and the other way round it would be refused.
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

/// Replays a journal that somebody else may be writing.
pub(crate) fn look(place: &Place, manifest: Manifest, now: Timestamp) -> Result<Queue, Error> {
    let entries = Journal::read(&place.queue)?;
    let mut queue = Queue::new(manifest);
    if entries.is_empty() {
        import(&mut queue, place, now)?;
    }
    replay(&mut queue, entries, place, now)?;
    Ok(queue)
}

/// A state file without a journal: the reference's, or ours whose folder is gone. Gives the events of it, and what a person should know.
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

/// Gives the attempts that were begun, not ended, and belong to no job of the manifest.
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
        // A clock that was set back does not lengthen a pause.
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

/// The digest by which a changed command is noticed: 16 hex digits of SHA-256.
pub(crate) fn command_digest(command: &str) -> String {
    hex(Sha256::digest(command).iter().take(8))
}

/// Whether the manifest is that of the last run, for those who want nothing else.
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

/// What changed in the manifest since the jobs ran.
fn changed(queue: &Queue) -> Vec<String> {
    let changed = (0..queue.len()).filter(|job| {
        let (run, spec) = (queue.run(*job), queue.job(*job));
        let command = run.last().command.as_deref();
        let other = command.is_some_and(|command| command != command_digest(&spec.cmd));
        other && (run.life == Life::Over(Outcome::Completed) || run.life.is_active())
    });
    let changed = first_of(changed.map(|job| &*queue.job(job).id)).map(|which| {
        format!(
            "the manifest has another command for {which} than the one that ran; retry runs the new one"
        )
    });
    let gone = first_of(queue.removed());
    let gone = gone.map(|which| format!("{which} ran and stands no longer in the manifest"));
    changed.into_iter().chain(gone).collect()
}

/// The first of these, and how many others there are.
fn first_of<'a>(mut ids: impl Iterator<Item = &'a str>) -> Option<String> {
    let first = ids.next()?;
    Some(match ids.count() {
        0 => format!("{first:?}"),
        more => format!("{first:?} and {more} more"),
    })
}

/// The manifest with a change in it; nothing is written.
///
/// **Errors**: why it cannot be.
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
    // Work of hours is not ended because its name was mistyped.
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
