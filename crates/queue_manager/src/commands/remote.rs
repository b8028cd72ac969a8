//! `deploy` and `remote`: a queue on a server, over ssh. Its manager runs there, so this machine may sleep.
//!
//! The queue is in the folder `~/.aris_queue/runs/<run>/`, which holds the manifest and all files that a queue has. `remote` runs one
//! command of this program there. Its arguments are sent as data, and no shell reads them.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use aris_cli::{Context, Outcome};
use aris_proc::{End, ProcError};
use aris_queue::manifest::{Engine, Manifest, edit};
use aris_remote::Answer;
use serde::Serialize;
use serde_json::Value;

use crate::cli::{DeployArgs, RemoteArgs, SshFlags};
use crate::commands::there::{
    self, Remote, There, envelope, failed, is_absent, of_all, own_words, printable, said,
};
use crate::commands::{CommandResult, follow, shares};
use crate::error::Error;
use crate::{load, manager, report};

/// Deadline of a command on the server; shorter than that of the connection.
const PATIENCE: Duration = Duration::from_secs(100);

/// Most bytes of a command's output: the state of 100,000 jobs has about 60 MB.
const OUTPUT: usize = 128 << 20;

/// Commands that run until something ends. A connection serves one request with a deadline, which would cut them off.
const STAYING: [&str; 2] = ["run", "watch"];

/// Copies the program and the manifest to a server and starts a manager there; several servers each get a share of the jobs. It can be
/// repeated: a manager that already runs reads the manifest again.
pub(crate) fn deploy(args: &DeployArgs, context: &Context) -> CommandResult {
    let path = context.absolute(&args.manifest);
    let manifest = load::manifest(&path)?;
    manager::check(&manifest)?;
    let source = aris_fs::read_text(&path)?;
    let run = match &args.run {
        Some(run) => run.clone(),
        None => run_of(&path),
    };
    let servers = args.ssh.each()?;
    let connected = servers.iter().map(|ssh| There::new(ssh, &run, context));
    let connected: Vec<There<'_>> = connected.collect::<Result<_, Error>>()?;
    // All servers are reached before a manager is started on any.
    for there in &connected {
        there.deploy()?;
    }
    let texts = match connected.as_slice() {
        [_] => vec![(manifest_name(&path), source)],
        several => shares(several, &path, &manifest)?,
    };
    for there in &connected {
        there.comes_from(&path, args.run.is_some())?;
    }
    let (mut said, mut answers) = (String::new(), Vec::new());
    for (there, (name, text)) in connected.iter().zip(texts) {
        match start(there, name, text) {
            Ok((lines, data)) => {
                said.push_str(&lines);
                answers.push((there.host.to_owned(), data));
            }
            Err(error) => {
                // The managers that were started already continue.
                said.lines().for_each(|line| context.warn(line));
                return Err(error);
            }
        }
    }
    let host = &args.ssh.host;
    let text = format!("{said}ask with: queue_manager remote {host} --run {run}");
    let remote = Remote {
        host: host.clone(),
        text: (!context.json()).then_some(text),
        answer: joined(answers),
        run,
    };
    Ok(Outcome::done(remote).shown(report::id::REMOTE, report::remote))
}

/// The manifest of each server. They differ only in their jobs; jobs that a server already has stay there.
fn shares(
    servers: &[There<'_>],
    path: &Path,
    manifest: &Manifest,
) -> Result<Vec<(String, String)>, Error> {
    if manifest.engine != Engine::Local {
        return Err(Error::precondition(format!(
            "several servers share a queue of the engine local; with {} the cluster shares the jobs itself",
            manifest.engine.word()
        )));
    }
    let mut known = Vec::new();
    let mut homes: BTreeMap<String, &str> = BTreeMap::new();
    for there in servers {
        // Two names of one machine: the second manifest would remove the jobs of the first.
        if let Some(other) = homes.insert(there.home()?, there.host) {
            return Err(Error::precondition(format!(
                "{other} and {} are one machine and one user, who share no jobs: name one of the two",
                there.host
            )));
        }
        let ids = match there.ids() {
            Ok(ids) => ids,
            Err(error) if is_absent(&error) => BTreeSet::new(),
            Err(error) => return Err(error),
        };
        known.push(ids);
    }
    let hosts: Vec<&str> = servers.iter().map(|there| there.host).collect();
    let server_of = shares::divide(manifest, &hosts, &known)?;
    let root = load::tree(path)?;
    let text = |server: usize| {
        let others = manifest.jobs.iter().zip(&server_of);
        let others = others.filter(|(_, of)| **of != server);
        let others: Vec<String> = others.map(|(job, _)| job.id.to_string()).collect();
        let mut root = root.clone();
        edit::remove(&mut root, &others).map_err(Error::precondition)?;
        Ok((String::from(load::DEPLOYED[0]), edit::text(&root)))
    };
    (0..servers.len()).map(text).collect()
}

/// Starts a manager of the run, or makes a running one read the manifest again. Gives what was done, as lines and as data.
fn start(
    there: &There<'_>,
    manifest: String,
    text: String,
) -> Result<(String, Option<Value>), Error> {
    // The manifest has a temporary name until the queue has accepted it, so that a refused one is not used later.
    let manifest = manifest + load::SENT;
    there.place(manifest.clone(), text)?;
    let call = |args: &[&str]| there.call(args.iter().map(|arg| (*arg).to_owned()).collect());
    let mut answer = call(&["start", "--json", "--manifest", &manifest])?;
    let mut did = "a manager was started";
    if answer.code != 0 {
        // A manager may already run: an earlier request, perhaps with another manifest, has started it.
        let status = call(&["status", "--json"])?;
        let managed = envelope(&status.stdout).is_some_and(|data| data["manager"].is_string());
        if !managed {
            return Err(failed(there.host, &answer));
        }
        answer = call(&["reload", "--json", "--manifest", &manifest])?;
        let asked = envelope(&answer.stdout).unwrap_or_default();
        let refused = asked["refused"].as_array().into_iter().flatten();
        let refused: Vec<&str> = refused.filter_map(Value::as_str).collect();
        if !refused.is_empty() {
            let why = printable(&refused.join("; "));
            let host = there.host;
            let what = format!(
                "on {host}: the new manifest is refused, and the run continues with the one it has: {why}"
            );
            return Err(Error::precondition(what));
        }
        if answer.code != 0 {
            return Err(failed(there.host, &answer));
        }
        did = "a manager runs there already and took the manifest up";
    }
    let data = envelope(&answer.stdout);
    let lists = ["changes", "notes"].iter();
    let lists = lists.filter_map(|key| data.as_ref()?.get(key)?.as_array());
    let notes = lists.flatten().filter_map(Value::as_str);
    let notes = notes.map(|line| format!("manifest: {}\n", printable(line)));
    let lines = format!("run {} on {}: {did}\n", there.run, there.host);
    Ok((lines + &notes.collect::<String>(), data))
}

/// The answer of a single server, or those of several by name.
fn joined(mut answers: Vec<(String, Option<Value>)>) -> Option<Value> {
    if answers.len() == 1 {
        return answers.pop()?.1;
    }
    let answers = answers.into_iter();
    let answers = answers.map(|(host, answer)| (host, answer.unwrap_or_default()));
    Some(answers.collect())
}

/// Calls one command in the folder of a run.
pub(crate) fn remote(args: &RemoteArgs, context: &Context) -> CommandResult {
    let servers = args.ssh.each()?;
    if let Some(words) = follow::follows(&args.command) {
        if servers.len() > 1 {
            let what = "--follow watches one server: name the one that has the job";
            return Err(Error::unclear(what));
        }
        return follow::follow(args, &words, context);
    }
    let command = args.command.iter().find(|word| !word.starts_with('-'));
    if servers.len() > 1 && command.is_some_and(|command| command == "add") {
        let what = "add gives a job to one server, and several would each run it: name the one that is to have it";
        return Err(Error::unclear(what));
    }
    let words = args.command.as_slice();
    // The word after an option may be its value.
    let is_option = |at: usize| words[at].starts_with('-') && words[at] != "--";
    let is_name = |at: usize| at > 0 && !is_option(at) && !is_option(at - 1);
    let own = own_words(&servers, &args.run, words, is_name, context);
    let (answers, error) = of_all(&servers, |ssh| ask(ssh, &args.run, own(ssh), context));
    let is_found = answers.iter().any(|(_, answer)| answer.code == 10);
    let text = |(host, answer): &(String, Answer)| match servers.len() {
        1 => answer.stdout.clone(),
        _ => format!("{host}:\n{}\n", answer.stdout.trim_end()),
    };
    let text: String = answers.iter().map(text).collect();
    if let Some(error) = error {
        // The answers of the other servers are printed all the same.
        if !context.json() {
            text.lines().for_each(|line| context.line(line));
        }
        return Err(error);
    }
    let answers = answers.into_iter();
    let data = answers.map(|(host, answer)| (host, envelope(&answer.stdout)));
    let data = Remote {
        host: args.ssh.host.clone(),
        run: args.run.clone(),
        answer: context.json().then(|| joined(data.collect())).flatten(),
        text: (!context.json()).then_some(text),
    };
    Ok(Outcome::found(data, is_found).shown(report::id::REMOTE, report::remote))
}

/// The answer of one server.
fn ask(
    ssh: &SshFlags,
    run: &str,
    mut words: Vec<String>,
    context: &Context,
) -> Result<Answer, Error> {
    if words.is_empty() {
        words.push(String::from("status"));
    }
    if context.json() {
        // After the command's name; a word after `--` would be an argument.
        words.insert(1, String::from("--json"));
    }
    let there = There::new(ssh, run, context)?;
    let answer = there.call(words)?;
    let error = said(&answer);
    let is_error = |line: &&str| !matches!(answer.code, 0 | 10) && Some(*line) == error;
    for line in answer.stderr.lines().filter(|line| !is_error(line)) {
        context.note(&printable(line));
    }
    match answer.code {
        0 | 10 => Ok(answer),
        _ => Err(failed(&ssh.host, &answer)),
    }
}

/// The answer to a request of another machine, encoded.
#[derive(Debug, Serialize)]
pub(crate) struct Served(pub(crate) Vec<u8>);

/// Serves the request on standard input: runs one command of this program in the run's folder.
pub(crate) fn agent(context: &Context) -> CommandResult {
    let home = context.env("HOME");
    let home = Path::new(home.ok_or_else(|| Error::precondition("HOME is not set"))?);
    let (program, words) = manager::this_program(context)?;
    let mut answer = Vec::new();
    let mut serve = |folder: &Path, args: &[String]| serve(&program, &words, folder, args);
    let mut asked = std::io::stdin().lock();
    aris_remote::serve(home, &mut asked, &mut answer, &mut serve)?;
    Ok(Outcome::done(Served(answer)).boxed())
}

fn serve(program: &Path, words: &[OsString], folder: &Path, args: &[String]) -> Answer {
    match args.first().map(String::as_str) {
        Some(there::PIECE) => return there::piece(args),
        Some(there::HOME) => return there::home(folder),
        Some(there::ORIGIN) => return there::origin(folder, args),
        _ => {}
    }
    if !folder.is_dir() {
        let run = folder.file_name().unwrap_or_default().to_string_lossy();
        return Answer::refused(3, format!("error: there is no run {run:?} here"));
    }
    if let Some(word) = args.first().filter(|word| STAYING.contains(&word.as_str())) {
        let text = format!(
            "error: {word} does not end by itself, as a call on a server must; use start and status"
        );
        return Answer::refused(2, text);
    }
    let call = aris_proc::command(program, folder).args(words).args(args);
    let done = match call.capture_limit(OUTPUT).run(PATIENCE) {
        Ok(done) => done,
        Err(error @ ProcError::Absent { .. }) => return Answer::refused(5, error.to_string()),
        Err(error) => return Answer::refused(1, error.to_string()),
    };
    Answer {
        code: match done.end {
            End::Exited(code) => code,
            End::TimedOut => 6,
            End::Signalled(_) => 1,
        },
        stdout: done.stdout.text().into_owned(),
        stderr: done.stderr.text().into_owned(),
    }
}

/// The default name of a run: that of the manifest's folder, made safe, so that the same manifest gives the same run.
fn run_of(manifest: &Path) -> String {
    let folder = manifest.parent().and_then(Path::file_name);
    let folder = folder.unwrap_or_default().to_string_lossy();
    let slug = aris_attempt::format::slug(&folder);
    slug.chars().take(100).collect()
}

/// The name of the manifest on the server; a YAML file keeps its type.
fn manifest_name(path: &Path) -> String {
    let ending = path.extension().unwrap_or_default();
    let yaml = ending == "yaml" || ending == "yml";
    load::DEPLOYED[usize::from(yaml)].to_owned()
}
