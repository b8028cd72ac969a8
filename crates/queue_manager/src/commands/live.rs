//! `reload`, `add`, `edit`, `remove`: changes of a queue's manifest, whether a manager runs it or not.

use std::collections::BTreeSet;
use std::path::PathBuf;

use aris_cli::Context;
use aris_contract::ErrorKind;
use aris_queue::manifest::edit::{self, map, quoted};
use aris_queue::manifest::named;
use aris_queue::problem::Invalid;
use aris_queue::state::State;
use aris_queue::tree::{self, Node, Value};

use super::control::{Asked, ask, by_name, nobody, select};
use super::{Look, look, used_by};
use crate::change::Change;
use crate::cli::{AddArgs, EditArgs, QueueArgs, SelectArgs};
use crate::commands::CommandResult;
use crate::error::Error;
use crate::load;
use crate::lock;
use crate::manager::{self, Request};
use crate::place::Place;

/// Reads the user's manifest again.
pub(crate) fn reload(
    args: &QueueArgs,
    manifest: Option<PathBuf>,
    context: &Context,
) -> CommandResult {
    let place = super::place(args, context)?;
    let manifest = manifest.map(|path| context.absolute(&path));
    // Checked here, so that errors have lines of the user's file.
    let current = load::reread(&place, manifest.as_deref(), context)?;
    let queue = load::look(&place, current.manifest.clone(), context.now())?;
    manager::check(&load::left(&current.manifest, &queue))?;
    let request = Request::Change(Change::Reload { manifest });
    let mut asked = ask("reload", request, Vec::new(), &place, context)?;
    let mut notes = [current.differences, current.notices].concat();
    if notes.is_empty() {
        notes.push(String::from("the manifest says what the queue has already"));
    }
    if asked.refused.is_empty() {
        asked.notes.splice(..0, notes);
    }
    Ok(asked.outcome())
}

/// Adds jobs.
pub(crate) fn add(args: &AddArgs, context: &Context) -> CommandResult {
    let Look { place, queue, .. } = look(&args.queue, context)?;
    let more = match (&args.from, &args.job, &args.cmd) {
        (Some(path), ..) => load::joining(&context.absolute(path), &place)?,
        (None, Some(id), Some(cmd)) => one(id, cmd, args, &place)?,
        _ => return Err(Error::nothing()),
    };
    let ids: Vec<String> = edit::ids(&more);
    let mut known = ids.clone();
    known.retain(|id| queue.removed().any(|gone| gone == id));
    let manifest = edit::text(&more);
    let replaces = BTreeSet::new();
    let request = Request::Change(Change::Add { manifest, replaces });
    let mut asked = ask("add", request, ids, &place, context)?;
    if asked.refused.is_empty() && !known.is_empty() {
        asked.notes.push(format!(
            "{}: a job that is gone had this id; the new one runs, and numbers of attempts go on",
            named(&known)
        ));
    }
    idle(&mut asked, &place, context);
    Ok(asked.outcome())
}

/// A manifest with this single job.
fn one(id: &str, cmd: &str, args: &AddArgs, place: &Place) -> Result<Node, Error> {
    let own = load::tree(&place.manifest())?;
    let phases = edit::phase_names(&own);
    let phase = match (&args.phase, phases.as_slice()) {
        (Some(name), _) if phases.contains(name) => name,
        (None, [only]) => only,
        (None, _) => {
            let what = "name the phase of the job with --phase; there are";
            return Err(Error::unclear(format!("{what} {}", named(&phases))));
        }
        (Some(name), _) => {
            return Err(Error::no_phase(name, phases.iter().map(String::as_str)));
        }
    };
    let mut entries = vec![("id", quoted(id)), ("cmd", quoted(cmd))];
    entries.extend(values(&args.set)?);
    let list = |node| Node {
        value: Value::List(vec![node]),
        ..Node::default()
    };
    let jobs = list(map(entries));
    if own.get("phases").is_none() {
        return Ok(map(vec![("jobs", jobs)]));
    }
    let phase = map(vec![("name", quoted(phase)), ("jobs", jobs)]);
    Ok(map(vec![("phases", list(phase))]))
}

/// The values of `--set`, read as in a manifest.
fn values(set: &[(String, String)]) -> Result<Vec<(&str, Node)>, Error> {
    let read = |(key, text): &'_ (String, String)| {
        let name = format!("--set {key}");
        if text.trim().is_empty() {
            let message = "has no value: write null to remove the key, or \"\" for an empty text";
            let message = format!("{name} {message}");
            return Err(Error::told(ErrorKind::Usage, message, ""));
        }
        let node = tree::read(text).map_err(|problem| Invalid::new(name.as_ref(), vec![problem]));
        Ok(node?)
    };
    set.iter()
        .map(|one| Ok((one.0.as_str(), read(one)?)))
        .collect()
}

/// Sets keys of jobs.
pub(crate) fn edit(args: &EditArgs, context: &Context) -> CommandResult {
    let look = look(&args.queue, context)?;
    let chosen = by_name(|_| true, &args.jobs, &look.queue)?;
    let mut keys = values(&args.set)?;
    keys.extend(args.cmd.as_ref().map(|cmd| ("cmd", quoted(cmd))));
    let keys = edit::text(&map(keys));
    let edit = |ids| Request::Change(Change::Edit { ids, keys });
    let mut asked = chosen.ask("edit", edit, &look.place, context)?;
    if asked.refused.is_empty() {
        asked.notes.extend(when_used(&look, &asked.jobs));
    }
    idle(&mut asked, &look.place, context);
    Ok(asked.outcome())
}

/// When jobs that have already started use a change.
fn when_used(look: &Look, ids: &[String]) -> Vec<String> {
    let (mut running, mut over) = (Vec::new(), Vec::new());
    for id in ids {
        if let Some(job) = look.queue.find(id) {
            let life = look.queue.run(job).life;
            if life.is_active() {
                running.push(id.clone());
            } else if look.queue.state(job).is_final() {
                over.push(id.clone());
            }
        }
    }
    let under_way = "under way as before; the next attempt takes the change";
    let all = [(running, under_way), (over, "over; retry takes the change")];
    let some = all.into_iter().filter(|(ids, _)| !ids.is_empty());
    some.map(|(ids, what)| format!("{}: {what}", named(&ids)))
        .collect()
}

/// Removes jobs.
pub(crate) fn remove(args: &SelectArgs, context: &Context) -> CommandResult {
    let look = look(&args.queue, context)?;
    let removable = |job| {
        use State::{Cancelling, Queued, Running, Starting, Submitting, Unknown};
        let busy = [Starting, Running, Cancelling, Unknown, Submitting, Queued];
        !busy.contains(&look.queue.state(job))
    };
    let chosen = select(removable, args, &look.queue)?;
    used_by::warn(&chosen.ids, look.place.folder(), "removing", context);
    let remove = |ids| Request::Change(Change::Remove { ids });
    let mut asked = chosen.ask("remove", remove, &look.place, context)?;
    idle(&mut asked, &look.place, context);
    Ok(asked.outcome())
}

/// Adds a note on how to run the queue, if a change was made, no manager runs and jobs are left.
fn idle(asked: &mut Asked, place: &Place, context: &Context) {
    let over = load::state(place).is_ok_and(|state| state.meta.over);
    if asked.refused.is_empty() && !over && lock::holder(place, context.now()).is_none() {
        asked.notes.push(nobody(place));
    }
}
