//! Collects the facts about a run before it starts and after it ends.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use aris_contract::hex::hex;
use aris_fs::EntryKind;
use sha2::{Digest as _, Sha256};

use crate::command::{self, file_name};
use crate::record::{End, FileSeen, Run};
use crate::secrets::{public, public_value};
use crate::source;
use crate::{Ledger, Source};

/// Limits for files that a command names and that are hashed before it starts: (number of files, bytes of each).
const INPUTS: (usize, u64) = (1_000, 256 << 20);
/// Folders of system files.
const SYSTEM: &str = "/bin /dev /etc /lib /lib64 /proc /sbin /sys /usr";
/// Most output files of a run that are hashed.
const OUTPUTS: usize = 100_000;
/// Most unreadable output files whose names are recorded.
const UNREAD: usize = 20;
/// How long the state of a work tree is cached: jobs of a queue start faster than anybody edits.
const FRESH: Duration = Duration::from_secs(1);
/// Time limit for asking an interpreter for its version.
const VERSION: Duration = Duration::from_secs(10);

/// Environment variables that name the cards of a job.
const CARDS: [&str; 3] = [
    "CUDA_VISIBLE_DEVICES",
    "HIP_VISIBLE_DEVICES",
    "ROCR_VISIBLE_DEVICES",
];

/// The collected facts about a run.
#[derive(Debug)]
pub struct Look {
    /// The ledger for the record.
    pub ledger: Ledger,
    patch: Option<Vec<u8>>,
    /// The files of the commit that the command names, with their modification times.
    held: BTreeMap<PathBuf, SystemTime>,
    /// The facts so far; more are added when the run ends.
    pub run: Run,
    /// The files that it wrote.
    pub wrote: Vec<FileSeen>,
}

/// The cached state of a work tree, and when it was taken.
type Looked = (PathBuf, Instant, Source, Option<Vec<u8>>);

static LAST: Mutex<Option<Looked>> = Mutex::new(None);
static VERSIONS: Mutex<BTreeMap<PathBuf, String>> = Mutex::new(BTreeMap::new());

impl Look {
    /// A run of which only the folder is known.
    pub fn empty(ledger: Ledger, cwd: &Path) -> Self {
        let run = Run {
            schema: crate::SCHEMA.to_owned(),
            cwd: ledger.name(cwd),
            ..Run::default()
        };
        Self {
            ledger,
            patch: None,
            held: BTreeMap::new(),
            run,
            wrote: Vec::new(),
        }
    }

    /// Collects what a command in `cwd` starts with: the work tree, the files it names, drivers. `command` is a shell command, `env`
    /// are its variables in addition to this process's environment. The state of the work tree may be a second old.
    pub fn now(ledger: Ledger, cwd: &Path, command: &str, env: &BTreeMap<String, String>) -> Self {
        let (inputs, inputs_left_out) = inputs(&ledger, &command::files(cwd, command));
        let mut look = Self::empty(ledger, cwd);
        let cards = CARDS.iter().find_map(|name| env.get(*name));
        look.run = Run {
            env: recorded(env),
            cards: cards.cloned().unwrap_or_default(),
            command: public(command),
            inputs,
            inputs_left_out,
            versions: drivers(),
            ..look.run
        };
        let Some(top) = source::top(cwd) else {
            return look;
        };
        let (mut source, patch) = work_tree(top, &look.ledger);
        let project = look.ledger.project();
        let named = look.run.inputs.iter();
        let named: Vec<PathBuf> = named.map(|file| project.join(&file.path)).collect();
        let not_committed = source::not_committed(top, &named);
        let names = not_committed.iter().map(|file| look.ledger.name(file));
        source.not_committed = names.collect();
        let committed = named
            .into_iter()
            .filter(|file| file.starts_with(top) && !not_committed.contains(file));
        look.held = committed
            .filter_map(|file| Some((file.clone(), changed_at(&file)?)))
            .collect();
        look.run.source = Some(source);
        look.patch = patch;
        look
    }

    /// Records the version of an interpreter, as a command with this environment would find it in `cwd`.
    pub fn ask(&mut self, interpreter: &str, cwd: &Path, env: &BTreeMap<String, String>) {
        if let Some(version) = version_of(cwd, interpreter, env) {
            self.run.versions.insert(file_name(interpreter), version);
        }
    }

    /// Sets the lines before the command, without the values of secrets.
    pub fn setup(&mut self, lines: &[String]) {
        self.run.setup = lines.iter().map(|line| public(line)).collect();
    }

    /// Sets the command, without the values of secrets.
    pub fn command(&mut self, command: &str) {
        self.run.command = public(command);
    }

    /// Adds the files that the run wrote, with their digests; a folder stands for the files in it. `each` is called from time to time
    /// during reading.
    pub fn outputs(&mut self, files: &[PathBuf], each: impl FnMut() + Send) {
        let mut found = Vec::new();
        for path in files {
            if !path.is_dir() {
                found.push(path.clone());
                continue;
            }
            match aris_fs::walk_sorted(path, &mut |_| true) {
                Ok(inside) => {
                    let inside = inside.into_iter();
                    let files = inside.filter(|entry| entry.kind == EntryKind::File);
                    found.extend(files.map(|entry| entry.path));
                }
                Err(error) => self.unread(path, &error),
            }
        }
        found.sort();
        found.dedup();
        let each = Mutex::new(each);
        let digests = aris_fs::map_in_parallel(aris_fs::processors(), &found, |path| {
            file_digest(path, || {
                each.lock().unwrap_or_else(PoisonError::into_inner)();
            })
        });
        let names = self.ledger.names(&found);
        for ((path, name), digest) in found.iter().zip(names).zip(digests) {
            match digest {
                Ok(seen) if self.wrote.len() < OUTPUTS => self.wrote.push(seen_at(name, seen)),
                Ok(_) => self.run.outputs_left_out += 1,
                Err(error) => self.unread(path, &error),
            }
        }
        let edited = self.held.iter().filter(|(file, changed)| {
            !found.contains(file) && changed_at(file).as_ref() != Some(changed)
        });
        self.run.edited = edited.map(|(file, _)| self.ledger.name(file)).collect();
    }

    fn unread(&mut self, path: &Path, error: &impl ToString) {
        self.run.outputs_left_out += 1;
        if self.run.outputs_unread.len() < UNREAD {
            let name = self.ledger.name(path);
            let why = format!("{name}: {}", error.to_string());
            self.run.outputs_unread.push(why);
        }
    }

    /// Records how the run ended. A run that exited with 0 failed if a declared output does not exist or cannot be read.
    pub fn ended(&mut self, end: End, how: String, unwritten: &[&str]) {
        let mut missing = Vec::new();
        if !unwritten.is_empty() {
            missing.push(format!("did not write {}", unwritten.join(", ")));
        }
        if !self.run.outputs_unread.is_empty() {
            let unread = self.run.outputs_unread.join(", ");
            missing.push(format!("what it wrote cannot be read: {unread}"));
        }
        (self.run.end, self.run.how) = match end {
            End::Completed if !missing.is_empty() => {
                (End::Failed, format!("{how}, but {}", missing.join("; ")))
            }
            _ => (end, how),
        };
    }

    /// Stores the record and returns its id. **Errors**: disk errors.
    pub fn keep(&self) -> Result<String, aris_fs::FsError> {
        self.ledger
            .keep(&self.run, &self.wrote, self.patch.as_deref())
    }
}

fn changed_at(file: &Path) -> Option<SystemTime> {
    file.metadata().ok()?.modified().ok()
}

/// SHA-256 and size of a regular file. `each` is called from time to time.
pub fn file_digest(path: &Path, mut each: impl FnMut()) -> io::Result<(String, u64)> {
    let file = aris_fs::open(path).map_err(|error| match error {
        aris_fs::FsError::Read { source, .. } => source,
        gone if gone.is_not_found() => io::Error::new(io::ErrorKind::NotFound, gone.to_string()),
        other => io::Error::other(other.to_string()),
    })?;
    let (mut hasher, mut bytes) = (Sha256::new(), 0);
    let read = file.stream(&mut vec![0; 1 << 16], |piece| {
        hasher.update(piece);
        bytes += piece.len() as u64;
        each();
    });
    read.map_err(|error| io::Error::other(error.to_string()))?;
    Ok((hex(&hasher.finalize()), bytes))
}

fn work_tree(top: &Path, ledger: &Ledger) -> (Source, Option<Vec<u8>>) {
    let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((of, when, source, patch)) = &*last
        && of == top
        && when.elapsed() < FRESH
    {
        return (source.clone(), patch.clone());
    }
    let (mut source, patch) = source::look(top, |path| ledger.name(path));
    for path in &source.changed {
        let file = ledger.project().join(path);
        let fits = file.metadata().is_ok_and(|data| data.len() <= INPUTS.1);
        if let Some((sha256, _)) = fits.then(|| file_digest(&file, || {}).ok()).flatten() {
            source.changed_sha256.insert(path.clone(), sha256);
        }
    }
    let (top, now) = (top.to_path_buf(), Instant::now());
    *last = Some((top, now, source.clone(), patch.clone()));
    (source, patch)
}

fn recorded(env: &BTreeMap<String, String>) -> BTreeMap<String, String> {
    // Variables that the queue sets for every job are not specific to this run.
    let own = |name: &str| {
        let set = ["GPU", "CUDA_DEVICE_ORDER"].contains(&name) || CARDS.contains(&name);
        set || name.starts_with("ARIS_")
    };
    let named = env.iter().filter(|(name, _)| !own(name));
    let value = |(name, value): (&String, &String)| (name.clone(), public_value(name, value));
    named.map(value).collect()
}

/// The files that a command names, without system files, and the number of those that are too large or too many to be hashed.
fn inputs(ledger: &Ledger, files: &BTreeSet<PathBuf>) -> (Vec<FileSeen>, u64) {
    let (mut found, mut left_out) = (Vec::new(), 0);
    for path in files {
        if SYSTEM.split(' ').any(|folder| path.starts_with(folder)) {
            continue;
        }
        let fits = path.metadata().is_ok_and(|data| data.len() <= INPUTS.1);
        let digest = (fits && found.len() < INPUTS.0).then(|| file_digest(path, || {}).ok());
        match digest.flatten() {
            Some(seen) => found.push(seen_at(ledger.name(path), seen)),
            None => left_out += 1,
        }
    }
    (found, left_out)
}

fn seen_at(path: String, (sha256, bytes): (String, u64)) -> FileSeen {
    FileSeen {
        path,
        sha256,
        bytes,
    }
}

/// The versions of the drivers of this machine's cards.
fn drivers() -> BTreeMap<String, String> {
    let files = [
        ("nvidia", "/proc/driver/nvidia/version"),
        ("amdgpu", "/sys/module/amdgpu/version"),
    ];
    let version = |(name, file): (&str, &str)| {
        let text = aris_fs::read_text(Path::new(file)).ok()?;
        Some((name.to_owned(), text.lines().next()?.trim().to_owned()))
    };
    files.into_iter().filter_map(version).collect()
}

/// The output of `PROGRAM --version`, cached for each program.
fn version_of(cwd: &Path, word: &str, env: &BTreeMap<String, String>) -> Option<String> {
    let path = if word.contains('/') {
        cwd.join(word)
    } else {
        #[expect(
            clippy::disallowed_methods,
            reason = "the command finds its program by the same variable"
        )]
        let own = std::env::var("PATH").unwrap_or_default();
        aris_fs::on_path(word, env.get("PATH").unwrap_or(&own), cwd)?
    };
    let mut known = VERSIONS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(version) = known.get(&path) {
        return Some(version.clone()).filter(|version| !version.is_empty());
    }
    let done = aris_proc::command(&path, cwd).arg("--version").run(VERSION);
    let text = done.ok().filter(aris_proc::Finished::success).map(|done| {
        // Python 2 prints its version to stderr.
        let streams = [done.stdout.text(), done.stderr.text()];
        let line = streams.iter().find_map(|text| text.lines().next());
        line.unwrap_or_default().trim().to_owned()
    });
    let version = text.unwrap_or_default();
    known.insert(path, version.clone());
    Some(version).filter(|version| !version.is_empty())
}

#[cfg(test)]
#[expect(
    clippy::disallowed_methods,
    reason = "tests prepare and change files directly"
)]
mod tests {
    use std::fs;

    use super::*;
    use crate::command::interpreter;

    fn git(top: &Path, args: &[&str]) {
        let done = aris_proc::command("git", top)
            .args(["-c", "user.name=a", "-c", "user.email=a@b.c"])
            .args(args)
            .run(Duration::from_secs(20))
            .expect("git");
        assert!(done.success(), "{done:?}");
    }

    #[test]
    fn the_commit_and_what_differs_from_it_are_recorded_and_apply() {
        let temp = tempfile::tempdir().expect("temp");
        let top = temp.path();
        git(top, &["init", "-q"]);
        fs::write(top.join("a b.py"), "print(1)\n").expect("write");
        git(top, &["add", "."]);
        git(top, &["commit", "-qm", "x"]);
        fs::write(top.join("a b.py"), "print(2)\n").expect("write");
        fs::write(top.join("new.py"), "print(3)\n").expect("write");
        let command = command::command_line(["python3", "a b.py", "--config=new.py", "absent"]);
        let env = BTreeMap::from([
            (String::from("HF_TOKEN"), String::from("hf_secret")),
            (String::from("SEED"), String::from("1")),
        ]);
        let mut look = Look::now(Ledger::of(top), top, &command, &env);
        assert_eq!(
            interpreter("X=1 /opt/bin/python3.9 a.py").as_deref(),
            Some("/opt/bin/python3.9")
        );
        assert_eq!(interpreter("./a.out --python python3"), None);
        look.ask(&interpreter(&command).expect("one"), top, &env);
        fs::write(top.join("out.json"), "{}").expect("write");
        look.outputs(&[top.join("out.json"), top.join("gone")], || {});
        let id = look.keep().expect("kept");
        let run = Ledger::of(top).read(&id).expect("read").run;
        let source = run.source.clone().expect("a work tree");
        assert_eq!(source.commit.len(), 40, "{source:?}");
        assert_eq!(
            (source.changed, source.untracked),
            (vec![String::from("a b.py")], vec![String::from("new.py")])
        );
        assert_eq!(
            run.inputs
                .iter()
                .map(|file| file.path.as_str())
                .collect::<Vec<_>>(),
            ["a b.py", "new.py"]
        );
        assert_eq!(run.env["HF_TOKEN"], "(not recorded)");
        assert!(
            run.versions["python3"].starts_with("Python 3"),
            "{:?}",
            run.versions
        );
        assert_eq!((look.wrote.len(), run.outputs_left_out), (1, 1));
        let ledger = Ledger::of(top);
        assert_eq!(ledger.check_patch(&run), Ok(()));
        // Applying the patch to the commit gives the files that the run saw.
        let patch = ledger.patch(&source.patch.expect("a patch"));
        git(top, &["checkout", "-q", "a b.py"]);
        git(top, &["apply", &patch.display().to_string()]);
        assert_eq!(
            fs::read_to_string(top.join("a b.py")).expect("read"),
            "print(2)\n"
        );
        fs::write(&patch, "other").expect("write");
        assert_eq!(ledger.check_patch(&run), Err(crate::Damage::Edited));
        fs::remove_file(&patch).expect("remove");
        assert_eq!(ledger.check_patch(&run), Err(crate::Damage::Gone));
    }

    #[test]
    fn outside_a_work_tree_there_is_no_commit() {
        let temp = tempfile::tempdir().expect("temp");
        let look = Look::now(Ledger::of(temp.path()), temp.path(), "", &BTreeMap::new());
        assert_eq!(look.run.source, None);
    }

    #[test]
    fn schemas_are_current() {
        aris_testkit::check_schema::<Run>(crate::SCHEMA);
    }
}
