//! The ledger of a project's runs.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::Metadata;
use std::io::{self, BufRead as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use aris_contract::hex::hex;
use aris_fs::{EntryKind, FsError, real};
use sha2::{Digest as _, Sha256};

use crate::kept::{Damage, Record};
use crate::record::{FileSeen, Run};

/// Folder of a project's ledger.
const FOLDER: &str = ".aris/runs";
/// Largest log that is read, in bytes: lines of some ten million files.
const LOG_LIMIT: u64 = 2 << 30;

/// Stands for a digest in the log if a run wrote no file.
const NO_FILE: &str = "0000000000000000000000000000000000000000000000000000000000000000";
/// Length of a digest in characters.
const DIGEST: usize = 64;

/// The ledger of a project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ledger {
    folder: PathBuf,
}

/// A file that a run wrote, as a line of the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Its SHA-256.
    pub sha256: String,
    /// Id of the run.
    pub run: String,
    /// Relative to the project, or absolute.
    pub path: String,
}

/// A run, as a line of the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunLine {
    /// Its id.
    pub id: String,
    /// When it ended; `-` if unknown.
    pub ended: String,
    /// The job.
    pub job: String,
}

/// Why a record was not copied from another ledger.
#[derive(Debug, thiserror::Error)]
pub enum TakeError {
    /// The record does not match its id.
    #[error(transparent)]
    Record(#[from] Damage),
    /// A disk error.
    #[error(transparent)]
    Disk(#[from] FsError),
}

impl Ledger {
    /// The ledger of the project in `project`, which need not exist yet.
    pub fn of(project: &Path) -> Self {
        Self::at(&project.join(FOLDER))
    }

    /// The ledger in this folder, which is one that [`folder`](Self::folder) returns.
    pub fn at(folder: &Path) -> Self {
        Self {
            folder: folder.to_path_buf(),
        }
    }

    /// The nearest ledger at or above one of these folders. A ledger that other users put into a shared folder, such as `/tmp`, does not
    /// count.
    pub fn above<'a>(folders: impl IntoIterator<Item = &'a Path>) -> Option<Self> {
        let mut above = folders
            .into_iter()
            .flat_map(|start| start.ancestors().map(move |folder| (start, folder)));
        above.find_map(|(start, folder)| {
            let ledger = Self::of(folder);
            (ledger.folder.is_dir() && is_ours(folder, FOLDER, start)).then_some(ledger)
        })
    }

    /// The ledger for runs in `cwd`: the nearest existing one, else that of the git work tree, else of the nearest folder above with
    /// installed helpers, else of `cwd` itself.
    pub fn for_runs_in(cwd: &Path) -> Self {
        let marked = |mark: &str| {
            let mut above = cwd.ancestors();
            above.find(|folder| folder.join(mark).exists() && is_ours(folder, mark, cwd))
        };
        let project = || marked(".git").or_else(|| marked(".aris/tools"));
        Self::above([cwd]).unwrap_or_else(|| Self::of(project().unwrap_or(cwd)))
    }

    /// Its folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The project's folder.
    pub fn project(&self) -> &Path {
        let above = self.folder.ancestors().nth(2);
        above.unwrap_or(Path::new("/"))
    }

    /// A path as it is stored in records: the real path, so that a file has one name whatever links and `..` lead to it.
    pub fn name(&self, path: &Path) -> String {
        match aris_fs::display_relative(&real(path), &real(self.project())) {
            name if name.is_empty() => String::from("."),
            name => name,
        }
    }

    /// [`Ledger::name`] of many paths.
    pub(crate) fn names(&self, paths: &[PathBuf]) -> Vec<String> {
        let project = real(self.project());
        let mut last: Option<(&Path, Option<PathBuf>)> = None;
        let mut names = Vec::new();
        for path in paths {
            let parent = path.parent().unwrap_or(path);
            if last.as_ref().is_none_or(|(known, _)| *known != parent) {
                last = Some((parent, parent.canonicalize().ok()));
            }
            let folder = last.as_ref().and_then(|(_, folder)| folder.as_ref());
            names.push(match (folder, path.file_name()) {
                (Some(folder), Some(name)) if !path.is_symlink() => {
                    aris_fs::display_relative(&folder.join(name), &project)
                }
                _ => self.name(path),
            });
        }
        names
    }

    fn outputs(&self) -> PathBuf {
        self.folder.join("outputs")
    }

    fn file(&self, id: &str, ending: &str) -> PathBuf {
        let spread = id.get(..2).unwrap_or("00");
        self.folder.join(spread).join(format!("{id}.{ending}"))
    }

    /// The path of a run's record.
    pub fn record(&self, id: &str) -> PathBuf {
        self.file(id, "json")
    }

    /// The path of a patch.
    pub fn patch(&self, sha256: &str) -> PathBuf {
        self.file(sha256, "patch")
    }

    /// Stores a run that wrote these files, and returns its id. Storing the same run again changes nothing.
    pub fn keep(
        &self,
        run: &Run,
        outputs: &[FileSeen],
        patch: Option<&[u8]>,
    ) -> Result<String, FsError> {
        self.check_writable()?;
        let (id, bytes) = Record::of(run, outputs.to_vec());
        let record = self.record(&id);
        if let (Some(sha256), Some(patch)) = (run.patch(), patch) {
            self.place_patch(sha256, patch)?;
        }
        if aris_fs::holds(&record, &bytes) {
            return Ok(id);
        }
        self.place(&record, &bytes)?;
        let outputs = outputs.iter();
        let outputs = outputs.map(|output| (output.sha256.as_str(), output.path.as_str()));
        self.add_outputs(&id, outputs)?;
        self.add_run(&id, run)?;
        Ok(id)
    }

    /// Copies a record from the ledger of another machine. `bytes` may be absent if the record exists here already. The files `files` are
    /// listed as its outputs if they have a content that the run wrote. A `patch` that does not match its digest is ignored. Copying the
    /// same again changes nothing.
    ///
    /// **Errors**: the record does not match its id; disk errors.
    pub fn take(
        &self,
        id: &str,
        bytes: Option<&[u8]>,
        patch: Option<&[u8]>,
        files: &[PathBuf],
    ) -> Result<(), TakeError> {
        self.check_writable()?;
        if let Some(bytes) = bytes {
            Record::read(id, bytes.to_vec())?.outputs()?;
            self.place(&self.record(id), bytes)?;
        }
        let record = self.read(id)?;
        let run = &record.run;
        if let (Some(sha256), Some(patch)) = (run.patch(), patch)
            && hex(&Sha256::digest(patch)) == *sha256
        {
            self.place_patch(sha256, patch)?;
        }
        let outputs = record.outputs()?;
        let wrote = outputs.iter().map(|output| output.sha256.as_str());
        let wrote: BTreeSet<&str> = wrote.collect();
        let mut here = Vec::new();
        for file in files {
            if let Ok((sha256, _)) = crate::file_digest(file, || {})
                && wrote.contains(sha256.as_str())
            {
                here.push((sha256, self.name(file)));
            }
        }
        let digests = here.iter().map(|(sha256, _)| sha256.as_str()).collect();
        let known = self.find(&digests, &BTreeSet::new())?;
        let known: BTreeSet<_> = known
            .iter()
            .map(|line| (line.sha256.as_str(), line.run.as_str(), line.path.as_str()))
            .collect();
        here.retain(|(sha256, path)| !known.contains(&(sha256.as_str(), id, path.as_str())));
        let is_known = self.lists(id)?;
        if !is_known || !here.is_empty() {
            let here = here.iter();
            let here = here.map(|(sha256, path)| (sha256.as_str(), path.as_str()));
            self.add_outputs(id, here)?;
        }
        if !is_known {
            self.add_run(id, run)?;
        }
        Ok(())
    }

    /// Whether the log of runs contains this run.
    fn lists(&self, id: &str) -> Result<bool, FsError> {
        let text = log(&self.folder.join("runs"))?;
        let mut lines = text.lines();
        Ok(lines.any(|line| line.starts_with(id)))
    }

    /// Creates the folder, so that obstacles are found before a long run. **Errors**: disk errors.
    pub fn prepare(&self) -> Result<(), FsError> {
        self.check_writable()?;
        aris_fs::create_dir(&self.folder)?;
        aris_fs::append_unsynced(&self.outputs(), "")
    }

    /// Refuses to write through a link: a project from strangers must not choose where files are written.
    fn check_writable(&self) -> Result<(), FsError> {
        let logs = [self.outputs(), self.folder.join("runs")];
        let folders = [self.folder.parent(), Some(self.folder.as_path())];
        let folders = folders.into_iter().flatten();
        let mut links = folders.chain(logs.iter().map(PathBuf::as_path));
        if let Some(path) = links.find(|path| path.is_symlink()) {
            return Err(FsError::Escapes {
                path: path.to_path_buf(),
                root: self.project().to_path_buf(),
            });
        }
        // Opening a FIFO would block forever.
        let mut logs = logs.iter();
        match logs.find(|path| path.exists() && !path.is_file()) {
            Some(path) => Err(FsError::NotRegular {
                path: path.clone(),
                found: "not a file",
            }),
            None => Ok(()),
        }
    }

    /// Adds a line with digest and path for each file, or one with [`NO_FILE`] for a run without files.
    fn add_outputs<'a>(
        &self,
        id: &str,
        files: impl Iterator<Item = (&'a str, &'a str)>,
    ) -> Result<(), FsError> {
        let mut lines = String::from("\n");
        for (sha256, path) in files {
            lines.extend([sha256, " ", id, " ", &escaped(path), "\n"]);
        }
        if lines.len() == 1 {
            lines.extend([NO_FILE, " ", id, " \n"]);
        }
        aris_fs::create_dir(&self.folder)?;
        aris_fs::append_unsynced(&self.outputs(), &lines)
    }

    fn add_run(&self, id: &str, run: &Run) -> Result<(), FsError> {
        let ended = run.ended.as_deref().unwrap_or("-");
        let line = format!("\n{id} {ended} {}\n", escaped(&run.job));
        aris_fs::append_unsynced(&self.folder.join("runs"), &line)
    }

    /// Writes a file under its digest's name, completely or not at all; a power failure may damage it.
    fn place(&self, path: &Path, bytes: &[u8]) -> Result<(), FsError> {
        aris_fs::create_dir(path.parent().unwrap_or(&self.folder))?;
        aris_fs::replace_unsynced(path, bytes)
    }

    /// Writes a patch. Patches contain the text of edited files, possibly secrets, so only the user may read them.
    fn place_patch(&self, sha256: &str, bytes: &[u8]) -> Result<(), FsError> {
        let path = self.patch(sha256);
        aris_fs::create_dir(path.parent().unwrap_or(&self.folder))?;
        // The file may exist from another run, possibly incomplete.
        aris_fs::create_file(&path, bytes, 0o600).or_else(|_| aris_fs::write_unsynced(&path, bytes))
    }

    /// The lines of files with one of these digests or one of these paths, oldest first.
    pub fn find(
        &self,
        digests: &BTreeSet<&str>,
        paths: &BTreeSet<&str>,
    ) -> Result<Vec<Line>, FsError> {
        if digests.is_empty() && paths.is_empty() {
            return Ok(Vec::new());
        }
        let wanted_digests: BTreeSet<&[u8]> =
            digests.iter().map(|digest| digest.as_bytes()).collect();
        let wanted_paths: BTreeSet<&[u8]> = paths.iter().map(|path| path.as_bytes()).collect();
        let mut listed = BTreeSet::new();
        let mut found = Vec::new();
        let mut last = Vec::new();
        each_line(&self.outputs(), |line| {
            // Most lines belong to the same run as the line before and are not wanted, so comparisons come first and copies are rare.
            let (Some(sha256), Some(run), Some(path)) = (
                line.get(..DIGEST),
                line.get(DIGEST + 1..2 * DIGEST + 1),
                line.get(2 * DIGEST + 2..),
            ) else {
                return;
            };
            if last != run {
                last.clear();
                last.extend_from_slice(run);
                listed.insert(String::from_utf8_lossy(run).into_owned());
            }
            if wanted_digests.contains(sha256)
                || wanted_paths.contains(path)
                || path.contains(&b'\\')
                    && paths.contains(&*unescaped(&String::from_utf8_lossy(path)))
            {
                let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
                found.push(Line {
                    sha256: text(sha256),
                    run: text(run),
                    path: unescaped(&text(path)),
                });
            }
        })?;
        // The records have priority over the log: where it lacks a run or contradicts the record, the record is used.
        let mut known: BTreeMap<String, Option<Record>> = BTreeMap::new();
        let mut added = self.unlisted(&listed)?;
        let mut wrong = BTreeSet::new();
        // Lines with a wanted digest are checked by the caller, who reads the record.
        let by_path = |line: &&Line| !digests.contains(line.sha256.as_str());
        for line in found.iter().filter(by_path) {
            let record = known.entry(line.run.clone());
            let record = record.or_insert_with(|| self.read(&line.run).ok());
            let wrote = |record: &Record| record.wrote(&line.path, &line.sha256);
            if record.as_ref().map(wrote) == Some(Ok(false)) {
                wrong.insert(line.run.clone());
            }
        }
        found.retain(|line| !wrong.contains(&line.run));
        let wrong = wrong.into_iter();
        added.extend(wrong.filter_map(|id| Some((id.clone(), known.remove(&id)??))));
        // Lines that the log has lost are older than the lines added since.
        let mut all = Vec::new();
        for (id, record) in added {
            let outputs = record.outputs().unwrap_or_default().into_iter();
            let outputs = outputs.filter(|output| {
                digests.contains(output.sha256.as_str()) || paths.contains(output.path.as_str())
            });
            all.extend(outputs.map(|output| Line {
                sha256: output.sha256,
                run: id.clone(),
                path: output.path,
            }));
        }
        all.extend(found);
        Ok(all)
    }

    /// All runs, oldest first.
    pub fn runs(&self) -> Result<Vec<RunLine>, FsError> {
        let text = log(&self.folder.join("runs"))?;
        let lines = text.lines().filter_map(|line| {
            let (id, rest) = line.split_once(' ')?;
            let (ended, job) = rest.split_once(' ')?;
            (id.len() == 64).then(|| RunLine {
                id: id.to_owned(),
                ended: ended.to_owned(),
                job: unescaped(job),
            })
        });
        let mut runs: Vec<RunLine> = lines.collect();
        let listed = runs.iter().map(|run| run.id.clone()).collect();
        let unlisted = self.unlisted(&listed)?.into_iter();
        runs.extend(unlisted.map(|(id, record)| RunLine {
            id,
            ended: record.run.ended.unwrap_or_else(|| String::from("-")),
            job: record.run.job,
        }));
        Ok(runs)
    }

    /// The runs with intact records that are not among `listed`, oldest first.
    fn unlisted(&self, listed: &BTreeSet<String>) -> Result<Vec<(String, Record)>, FsError> {
        let mut found = Vec::new();
        if !self.folder.is_dir() {
            return Ok(found);
        }
        for folder in aris_fs::list_sorted(&self.folder)? {
            if folder.kind != EntryKind::Folder {
                continue;
            }
            for file in aris_fs::list_sorted(&folder.path)? {
                let name = file.name.to_string_lossy().into_owned();
                let id = name.strip_suffix(".json").unwrap_or_default();
                if id.is_empty() || listed.contains(id) {
                    continue;
                }
                found.extend(self.read(id).ok().map(|record| (id.to_owned(), record)));
            }
        }
        found.sort_by(|(_, one), (_, other)| one.run.ended.cmp(&other.run.ended));
        Ok(found)
    }

    /// For each of these runs, and for each run found on the way, the runs that wrote its inputs.
    pub fn sources(
        &self,
        ids: impl IntoIterator<Item = String>,
    ) -> Result<BTreeMap<String, BTreeSet<String>>, FsError> {
        let mut sources: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        let mut open: BTreeSet<String> = ids.into_iter().collect();
        while !open.is_empty() {
            let runs: BTreeMap<String, Run> = std::mem::take(&mut open)
                .into_iter()
                .filter_map(|id| Some((id.clone(), self.read(&id).ok()?.run)))
                .collect();
            let inputs = runs.values().flat_map(|run| &run.inputs);
            let digests = inputs.map(|input| input.sha256.as_str()).collect();
            let mut wrote: BTreeMap<String, Vec<Line>> = BTreeMap::new();
            for line in self.find(&digests, &BTreeSet::new())? {
                wrote.entry(line.sha256.clone()).or_default().push(line);
            }
            for (id, run) in &runs {
                let made = run.inputs.iter().filter_map(|input| {
                    let lines = wrote.get(&input.sha256)?;
                    let others = || lines.iter().rev().filter(|line| line.run != *id);
                    let here = others().find(|line| line.path == input.path);
                    here.or_else(|| others().next())
                });
                let made = made.map(|line| line.run.clone()).collect();
                sources.insert(id.clone(), made);
            }
            let found = sources.values().flatten();
            let new = found.filter(|id| !sources.contains_key(*id));
            open = new.cloned().collect();
            // The search ends at a record that cannot be read.
            for id in &open {
                if self.read(id).is_err() {
                    sources.insert(id.clone(), BTreeSet::new());
                }
            }
            open.retain(|id| !sources.contains_key(id));
        }
        Ok(sources)
    }

    /// The record of a run, if it matches its id.
    pub fn read(&self, id: &str) -> Result<Record, Damage> {
        Record::open(id, &self.record(id))
    }

    /// Checks that the run's patch exists and is unchanged; `Ok` for a run without a patch.
    pub fn check_patch(&self, run: &Run) -> Result<(), Damage> {
        let Some(sha256) = run.patch() else {
            return Ok(());
        };
        match crate::file_digest(&self.patch(sha256), || {}) {
            Ok((found, _)) if found == *sha256 => Ok(()),
            Ok(_) => Err(Damage::Edited),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Err(Damage::Gone),
            Err(error) => Err(Damage::Unreadable(error.to_string())),
        }
    }
}

/// Calls `each` for each line of a log, without its line feed; never if the log does not exist.
fn each_line(path: &Path, mut each: impl FnMut(&[u8])) -> Result<(), FsError> {
    let file = match aris_fs::open(path) {
        Err(error) if error.is_not_found() => return Ok(()),
        other => other?,
    };
    let mut line = Vec::new();
    file.stream(&mut vec![0; 1 << 18], |mut piece| {
        // Reading from memory cannot fail.
        while piece
            .read_until(b'\n', &mut line)
            .is_ok_and(|read| read > 0)
        {
            if let Some(whole) = line.strip_suffix(b"\n") {
                each(whole);
                line.clear();
            }
        }
    })?;
    each(&line);
    Ok(())
}

/// The text of a log; empty if it does not exist.
fn log(path: &Path) -> Result<String, FsError> {
    let bytes = aris_fs::read_optional(path, LOG_LIMIT)?.unwrap_or_default();
    Ok(String::from_utf8(bytes)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()))
}

/// Whether `mark` in a folder belongs to this user or to the owner of the folder `start`. A folder that everybody may write to counts
/// only if it is a work tree of one of these two, and the root of the file system never counts.
fn is_ours(folder: &Path, mark: &str, start: &Path) -> bool {
    let owner = |path: &Path| path.metadata().ok().map(|data| data.uid());
    let own = [Some(rustix::process::geteuid().as_raw()), owner(start)];
    let ours = |mark: &str| {
        let owner = owner(&folder.join(mark));
        owner.is_some() && own.contains(&owner)
    };
    let is_closed = |data: Metadata| data.mode() & 0o002 == 0;
    folder.parent().is_some()
        && ours(mark)
        && (folder.metadata().is_ok_and(is_closed) || ours(".git"))
}

/// A text on one line: backslashes and line ends are escaped as `\\`, `\n` and `\r`.
fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\")
        .replace('\n', "\\n")
        .replace('\r', "\\r")
}

fn unescaped(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(char) = chars.next() {
        if char != '\\' {
            plain.push(char);
            continue;
        }
        match chars.next() {
            Some('n') => plain.push('\n'),
            Some('r') => plain.push('\r'),
            other => plain.extend(other),
        }
    }
    plain
}

#[cfg(test)]
#[expect(
    clippy::disallowed_methods,
    reason = "tests prepare and change files directly"
)]
mod tests {
    use std::fs;

    use super::*;
    use crate::End;

    fn keep(ledger: &Ledger, job: &str, outputs: &[(&str, &str)]) -> Result<String, FsError> {
        let outputs = outputs.iter().map(|(path, content)| FileSeen {
            path: (*path).to_owned(),
            sha256: hex(&Sha256::digest(content)),
            bytes: content.len() as u64,
        });
        let run = Run {
            schema: crate::SCHEMA.to_owned(),
            origin: String::from("queue"),
            job: job.to_owned(),
            end: End::Completed,
            ..Run::default()
        };
        ledger.keep(&run, &outputs.collect::<Vec<_>>(), None)
    }

    #[test]
    fn a_file_is_found_by_its_digest_and_by_its_path() {
        let temp = tempfile::tempdir().expect("temp");
        let ledger = Ledger::of(temp.path());
        let first = keep(&ledger, "a", &[("r/a.json", "1"), ("odd\nname\\n", "2")]).expect("kept");
        let second = keep(&ledger, "b", &[("r/a.json", "3")]).expect("kept");
        assert_eq!(
            keep(&ledger, "b", &[("r/a.json", "3")]).expect("kept"),
            second
        );
        let digest = hex(&Sha256::digest("1"));
        let found = ledger
            .find(
                &BTreeSet::from([digest.as_str()]),
                &BTreeSet::from(["odd\nname\\n"]),
            )
            .expect("found");
        let found: Vec<_> = found
            .iter()
            .map(|line| (line.run.as_str(), line.path.as_str()))
            .collect();
        assert_eq!(
            found,
            [
                (first.as_str(), "r/a.json"),
                (first.as_str(), "odd\nname\\n")
            ]
        );
        let by_path = ledger
            .find(&BTreeSet::new(), &BTreeSet::from(["r/a.json"]))
            .expect("found");
        assert_eq!(
            by_path
                .iter()
                .map(|line| line.run.as_str())
                .collect::<Vec<_>>(),
            [first.as_str(), &second]
        );
        assert_eq!(ledger.runs().expect("runs").len(), 2, "the same run once");
    }

    #[test]
    fn an_edited_and_an_absent_record_are_told_apart() {
        let temp = tempfile::tempdir().expect("temp");
        let ledger = Ledger::of(temp.path());
        let id = keep(&ledger, "a", &[]).expect("kept");
        let job = ledger.read(&id).map(|record| record.run.job);
        assert_eq!(job, Ok(String::from("a")));
        let path = ledger.record(&id);
        let text = fs::read_to_string(&path).expect("read");
        fs::write(&path, text.replace("completed", "failed")).expect("write");
        assert_eq!(ledger.read(&id), Err(Damage::Edited));
        fs::remove_file(&path).expect("remove");
        assert_eq!(ledger.read(&id), Err(Damage::Gone));
    }

    #[test]
    fn a_torn_line_takes_no_other_with_it() {
        let temp = tempfile::tempdir().expect("temp");
        let ledger = Ledger::of(temp.path());
        keep(&ledger, "a", &[("a", "1")]).expect("kept");
        let log = temp.path().join(".aris/runs/outputs");
        let text = fs::read_to_string(&log).expect("read");
        fs::write(&log, text.get(..80).expect("part")).expect("write");
        keep(&ledger, "b", &[("b", "2")]).expect("kept");
        let found = ledger
            .find(&BTreeSet::new(), &BTreeSet::from(["a", "b"]))
            .expect("found");
        assert_eq!(
            found
                .iter()
                .map(|line| line.path.as_str())
                .collect::<Vec<_>>(),
            ["a", "b"],
            "the record has what the line lost, and is older"
        );
    }

    #[test]
    fn a_planted_link_is_not_written_through() {
        let temp = tempfile::tempdir().expect("temp");
        let ledger = Ledger::of(temp.path());
        fs::create_dir_all(temp.path().join("elsewhere")).expect("folder");
        fs::create_dir_all(temp.path().join(".aris")).expect("folder");
        let link = temp.path().join(".aris/runs");
        std::os::unix::fs::symlink("../elsewhere", &link).expect("link");
        assert!(keep(&ledger, "a", &[("a", "1")]).is_err());
        fs::remove_file(&link).expect("remove");
        fs::create_dir_all(&link).expect("folder");
        fs::write(temp.path().join("mine"), "mine").expect("write");
        std::os::unix::fs::symlink("../../mine", link.join("outputs")).expect("link");
        assert!(keep(&ledger, "a", &[("a", "1")]).is_err());
        assert_eq!(fs::read(temp.path().join("mine")).expect("read"), b"mine");
        assert_eq!(
            fs::read_dir(temp.path().join("elsewhere"))
                .expect("folder")
                .count(),
            0
        );
    }

    #[test]
    fn what_lies_in_a_shared_folder_is_no_ledger() {
        use std::os::unix::fs::PermissionsExt as _;

        let temp = tempfile::tempdir().expect("temp");
        let shared = Ledger::of(temp.path());
        keep(&shared, "a", &[("a", "1")]).expect("kept");
        let inner = temp.path().join("project");
        fs::create_dir(&inner).expect("folder");
        assert_eq!(Ledger::for_runs_in(&inner), shared);
        fs::set_permissions(temp.path(), fs::Permissions::from_mode(0o1777)).expect("mode");
        assert_eq!(Ledger::above([inner.as_path()]), None);
        assert_eq!(Ledger::for_runs_in(&inner), Ledger::of(&inner));
    }

    #[test]
    fn many_writers_lose_nothing() {
        let temp = tempfile::tempdir().expect("temp");
        let ledger = Ledger::of(temp.path());
        std::thread::scope(|scope| {
            for writer in 0..8 {
                let ledger = &ledger;
                scope.spawn(move || {
                    for number in 0..25 {
                        let path = format!("{writer}/{number}");
                        keep(ledger, &path, &[(&path, &path)]).expect("kept");
                    }
                });
            }
        });
        let paths: Vec<String> = (0..8)
            .flat_map(|writer| (0..25).map(move |number| format!("{writer}/{number}")))
            .collect();
        let found = ledger
            .find(
                &BTreeSet::new(),
                &paths.iter().map(String::as_str).collect(),
            )
            .expect("found");
        assert_eq!(
            (found.len(), ledger.runs().expect("runs").len()),
            (200, 200)
        );
    }

    proptest::proptest! {
        #[test]
        fn what_is_escaped_stands_on_one_line_and_comes_back(text in "[\\\\\n\ra-c ]{0,12}") {
            let line = escaped(&text);
            proptest::prop_assert!(!line.contains(['\n', '\r']));
            proptest::prop_assert_eq!(unescaped(&line), text);
        }
    }
}
