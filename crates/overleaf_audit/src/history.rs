//! Searches every object of a repository: of all branches, tags, stashes and reflogs, loose and packed, and those that nothing
//! refers to.
//!
//! Objects are read through the program `git`, which knows all its formats, by as many processes as there are processors. Nothing
//! in the repository's settings is run: `cat-file` and `rev-list` use no filters and hooks, and what else they or `log` would run
//! is turned off.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::io::BufRead as _;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use aris_cli::Context;
use aris_contract::hex::hex;
use aris_fs::FsError;
use aris_proc::{Command, ProcError};
use sha2::{Digest as _, Sha256};

use crate::report::{Leak, Object, Part, Report, Unseen};
use crate::token::{Hit, Scanner, masked};
use crate::tree::{self, Found, Repository, why};

/// Objects per process of git: few enough that all processors finish together, enough that starting git costs nothing.
const SLICE: usize = 4096;

/// Most leaking objects for which the commit is looked up: each takes a walk through the history.
const COMMITS: usize = 20;

/// The advice if git itself complains, if the folder is damaged, and if an object is packed in an unknown way.
const FSCK: &str = "see what `git fsck` says";
const INIT: &str = "`git init` puts back HEAD and refs/; then look again";
const UNPACK: &str = "unpack the object, as `git cat-file -p` prints it, and look at what it holds";

/// Lists all objects that are reachable.
const REACHED: &str = "rev-list --objects --all --reflog --indexed-objects";

/// Reasons why git cannot be used.
const ABSENT: &str = "the program git is not installed";
const DAMAGED: &str = "HEAD, refs/ or objects/ is damaged or gone";

/// Kind and tokens of leaking objects, by object name.
type Leaking = BTreeMap<String, (String, Vec<Hit>)>;

/// The program git for one repository; `deadline` is for each call.
pub(crate) struct Git {
    pub(crate) repository: Repository,
    pub(crate) deadline: Duration,
}

impl Git {
    /// The files outside `root` that the settings name: included settings, and hooks.
    ///
    /// **Errors**: the folder of hooks exists and cannot be listed.
    pub(crate) fn named_by_settings(&self, root: &Path) -> Result<Vec<Found>, Unseen> {
        let folder = &self.repository.folder;
        let mut files = Vec::new();
        let mut has_hooks = false;
        // If git cannot be called, `read` reports it.
        let told = self.told("config --list --local --includes --show-origin -z");
        let told = told.unwrap_or_default();
        let mut parts = told.split(|byte| *byte == 0);
        while let (Some(origin), Some(setting)) = (parts.next(), parts.next()) {
            let origin = origin.strip_prefix(b"file:");
            files.extend(origin.map(|path| folder.join(OsStr::from_bytes(path))));
            has_hooks |= setting.starts_with(b"core.hookspath\n");
        }
        if has_hooks {
            let told = self.told("config --local --includes --type=path --get core.hooksPath")?;
            let named = OsStr::from_bytes(told.trim_ascii_end());
            let above = folder.parent().filter(|_| folder.ends_with(".git"));
            let hooks = above.unwrap_or(folder).join(named);
            match aris_fs::list_sorted(&hooks) {
                Ok(listed) => files.extend(listed.into_iter().map(|entry| entry.path)),
                // As with `/dev/null`: git finds no hook there and runs none.
                Err(FsError::NotFound { .. } | FsError::NotFolder { .. }) => {}
                Err(error) => {
                    let why = format!("core.hooksPath leads there: {}", why(&error));
                    return Err(Unseen::new(&aris_fs::real(&hooks), &why, ""));
                }
            }
        }
        let outside = files.iter().filter_map(|path| {
            let path = tree::outside(path, &[root, folder])?;
            let (shown, part) = (path.clone(), Part::Git);
            Some(Found { path, shown, part })
        });
        Ok(outside.collect())
    }

    /// Searches the objects that are not in `known`, adds what was found, and stores the names of clean objects.
    pub(crate) fn read(&self, known: &Known, found: &mut Report) {
        let before = found.unseen.len();
        found.unseen.extend(self.elsewhere());
        found.looked.repositories += 1;
        let is_whole = found.unseen.len() == before;
        // Objects that branches, tags or the index refer to but that are missing are in no list. Meanwhile git looks for them.
        let mut gone = Ok(());
        let (clean, leaking, mut unseen) = std::thread::scope(|scope| {
            if is_whole {
                scope.spawn(|| gone = self.lines(&format!("{REACHED} --quiet"), &mut drop));
            }
            self.unknown(known, found)
        });
        unseen.extend(gone.err());
        found.unseen.extend(unseen);
        if found.unseen.len() == before {
            known.keep(clean);
        }
        found.leaks.extend(self.places(leaking));
    }

    /// Searches the objects that are not in `known`. Returns all clean ones, the leaking ones, and what could not be read.
    fn unknown(
        &self,
        known: &Known,
        found: &mut Report,
    ) -> (Vec<String>, Leaking, BTreeSet<Unseen>) {
        // `--unordered` lists them in the order in which they are packed.
        let all = "cat-file --batch-all-objects --batch-check=%(objectname) --unordered --buffer";
        let (mut clean, mut new) = (Vec::new(), Vec::new());
        let listed = self.lines(all, &mut |id| {
            let known = if known.has(&id) { &mut clean } else { &mut new };
            known.push(id);
        });
        found.looked.known += clean.len();
        found.looked.objects += clean.len() + new.len();
        let (leaking, mut unseen) = self.objects(&new);
        unseen.extend(listed.err());
        clean.extend(new.into_iter().filter(|id| !leaking.contains_key(id)));
        (clean, leaking, unseen)
    }

    /// The command git with these arguments, separated by spaces.
    fn command(&self, args: &str) -> Command {
        const SETTINGS: &str = "WORK_TREE INDEX_FILE OBJECT_DIRECTORY ALTERNATE_OBJECT_DIRECTORIES COMMON_DIR NAMESPACE";
        let git = aris_proc::command("git", &self.repository.folder);
        let unset = |git: Command, name| git.env_remove(format!("GIT_{name}"));
        let settings = SETTINGS.split(' ').fold(git, unset);
        settings
            // With `GIT_DIR` git does not check who owns the folder, so another user's repository is read, too.
            .env("GIT_DIR", ".")
            .env("GIT_NO_REPLACE_OBJECTS", "1")
            .env("GIT_NO_LAZY_FETCH", "1")
            // An older git knows no `GIT_NO_LAZY_FETCH`.
            .env("GIT_ALLOW_PROTOCOL", "none")
            .env("GIT_OPTIONAL_LOCKS", "0")
            .env("GIT_TERMINAL_PROMPT", "0")
            .env("LC_ALL", "C")
            .args(["-c", "core.quotePath=false"])
            .args([
                "-c",
                "core.fsmonitor=false",
                "-c",
                "log.showSignature=false",
            ])
            .args(args.split(' '))
    }

    fn unseen(&self, why: &str, hint: &str) -> Unseen {
        Unseen::new(&self.repository.shown, &format!("history: {why}"), hint)
    }

    /// Reports parts of the history that are not in this folder: of a shallow or partial clone.
    fn elsewhere(&self) -> Vec<Unseen> {
        let folder = &self.repository.folder;
        let shallow = folder.join("shallow").symlink_metadata();
        let is_shallow = shallow.is_ok_and(|file| file.len() > 0);
        let packs = aris_fs::list_sorted(&folder.join("objects/pack")).unwrap_or_default();
        let is_promised =
            |pack: &aris_fs::Entry| pack.path.extension() == Some("promisor".as_ref());
        let is_partial = packs.iter().any(is_promised);
        let partial = "partial, objects that were not needed";
        let missing = [
            (is_shallow, "shallow, older commits", "--unshallow"),
            (is_partial, partial, "--refetch --no-filter"),
        ];
        let missing = missing.into_iter().filter(|(is_missing, ..)| *is_missing);
        let unseen = |(_, what, option)| {
            let hint = format!("fetch them with `git fetch {option}` and look again");
            self.unseen(&format!("the clone is {what} are not here"), &hint)
        };
        missing.map(unseen).collect()
    }

    /// The whole output of git.
    fn told(&self, args: &str) -> Result<Vec<u8>, Unseen> {
        let mut told = Vec::new();
        self.run(args, Vec::new(), &mut |piece| told.extend(piece))?;
        Ok(told)
    }

    /// Passes each line of git's output to `each`.
    fn lines(&self, args: &str, each: &mut dyn FnMut(String)) -> Result<(), Unseen> {
        let mut begun = Vec::new();
        self.run(args, Vec::new(), &mut |mut piece| {
            std::iter::from_fn(|| line(&mut begun, &mut piece)).for_each(&mut *each);
        })
    }

    fn run(&self, args: &str, stdin: Vec<u8>, take: &mut dyn FnMut(&[u8])) -> Result<(), Unseen> {
        let command = self.command(args).stdin(stdin);
        let failed = |why: &str, hint| Err(self.unseen(why, hint));
        let done = match command.run_streamed(self.deadline, take) {
            Ok(done) => done,
            Err(ProcError::Absent { .. }) => return failed(ABSENT, "install git"),
            Err(other) => return failed(&other.to_string(), ""),
        };
        let said = done.stderr.text();
        let said = said.lines().next().unwrap_or_default().trim();
        match done.code() {
            Ok(0) => Ok(()),
            Ok(_) if said.contains("not a git repository") => failed(DAMAGED, INIT),
            Ok(_) => failed(&format!("git says: {said}"), FSCK),
            Err(error) => failed(&error.to_string(), "give it longer with --command-timeout"),
        }
    }

    /// Searches these objects, on all processors.
    fn objects(&self, ids: &[String]) -> (Leaking, BTreeSet<Unseen>) {
        let slice = ids.len().div_ceil(aris_fs::processors()).clamp(1, SLICE);
        let slices: Vec<&[String]> = ids.chunks(slice).collect();
        let start = || (Leaking::new(), Vec::new());
        let workers = aris_fs::in_parallel(&slices, start, |(leaking, unseen), _, ids| {
            let names = ids.join("\n") + "\n";
            let mut stream = Stream::default();
            let args = "cat-file --batch --buffer";
            let done = self.run(args, names.into_bytes(), &mut |piece| stream.feed(piece));
            unseen.extend(done.err());
            let packed = stream.packed.drain(..);
            unseen.extend(packed.map(|why| self.unseen(&why, UNPACK)));
            let fault = stream.fault(ids.len());
            unseen.extend(fault.map(|why| self.unseen(&why, FSCK)));
            leaking.append(&mut stream.leaking);
        });
        // A set, because several slices of one repository fail in the same way.
        let (all, unseen): (Vec<_>, Vec<_>) = workers.into_iter().unzip();
        let (all, unseen) = (all.into_iter().flatten(), unseen.into_iter().flatten());
        (all.collect(), unseen.collect())
    }

    /// One leak for each token, with the path and commit of its object if known.
    fn places(&self, leaking: Leaking) -> Vec<Leak> {
        if leaking.is_empty() {
            return Vec::new();
        }
        let paths = self.paths(&leaking);
        let mut leaks = Vec::new();
        for (at, (id, (kind, hits))) in leaking.into_iter().enumerate() {
            let path = paths.as_ref().and_then(|paths| paths.get(&id));
            let named = path.filter(|path| !path.is_empty());
            // If git cannot list the objects, none is called unreachable.
            let reachable = paths.is_none() || path.is_some();
            let has_commit = reachable && at < COMMITS && matches!(kind.as_str(), "blob" | "tree");
            let object = Object {
                commit: has_commit.then(|| self.commit(&id)).flatten(),
                path: named.map(|path| masked(path)),
                reachable,
                id,
                kind,
            };
            leaks.extend(hits.into_iter().map(|hit| Leak {
                byte: Some(hit.at),
                object: Some(object.clone()),
                ..Leak::new(Part::History, &self.repository.shown, hit.form, hit.token)
            }));
        }
        leaks
    }

    /// The path of each reachable object; empty for commits, tags and root folders. `None` if git fails.
    fn paths(&self, leaking: &Leaking) -> Option<BTreeMap<String, String>> {
        let mut paths = BTreeMap::new();
        let read = self.lines(REACHED, &mut |line| {
            let (id, path) = line.split_once(' ').unwrap_or((&line, ""));
            if leaking.contains_key(id) {
                paths.insert(id.to_owned(), path.to_owned());
            }
        });
        read.ok().map(|()| paths)
    }

    /// The last commit that added or removed an object.
    fn commit(&self, id: &str) -> Option<String> {
        let args = format!("log --all --reflog -t -1 --format=%h --find-object={id}");
        let told = self.told(&args).ok()?;
        let commit = str::from_utf8(&told).ok()?.trim_end();
        (!commit.is_empty()).then(|| commit.to_owned())
    }
}

/// Parses the output of `git cat-file --batch`: a line `name kind size`, that many bytes and a line feed; or `name missing`.
#[derive(Debug, Default)]
struct Stream {
    scanner: Scanner,
    /// The part of the current header line read so far.
    line: Vec<u8>,
    /// The current object: its name, its kind, and its bytes left to read, including the line feed.
    object: Option<(String, String, u64)>,
    leaking: Leaking,
    /// Reasons why objects cannot be unpacked.
    packed: Vec<String>,
    /// Number of complete objects.
    whole: usize,
    /// The first header line that is not as expected.
    odd: Option<String>,
}

impl Stream {
    fn feed(&mut self, mut piece: &[u8]) {
        while !piece.is_empty() {
            let Some((id, kind, left)) = &mut self.object else {
                if let Some(line) = line(&mut self.line, &mut piece) {
                    self.head(line);
                }
                continue;
            };
            let take = usize::try_from(*left).map_or(piece.len(), |left| left.min(piece.len()));
            let (body, rest) = piece.split_at_checked(take).unwrap_or((piece, &[]));
            *left -= body.len() as u64;
            let is_end = *left == 0;
            // The line feed after an object does not belong to it.
            let held = body.get(..body.len() - usize::from(is_end));
            self.scanner.feed(held.unwrap_or(body));
            if is_end {
                let (hits, fault) = self.scanner.finish();
                let why = fault.map(|why| format!("{kind} {id}: {why}"));
                self.packed.extend(why);
                if !hits.is_empty() {
                    self.leaking.insert(id.clone(), (kind.clone(), hits));
                }
                self.object = None;
                self.whole += 1;
            }
            piece = rest;
        }
    }

    /// Parses the header line of an object.
    fn head(&mut self, line: String) {
        match *line.split(' ').collect::<Vec<_>>() {
            [id, kind, size] if let Ok(size) = size.parse::<u64>() => {
                self.object = Some((id.to_owned(), kind.to_owned(), size.saturating_add(1)));
            }
            _ => drop(self.odd.get_or_insert(line)),
        }
    }

    /// Why not all of the `asked` objects were read; `None` if they were.
    fn fault(&self, asked: usize) -> Option<String> {
        (self.whole != asked).then(|| match &self.odd {
            Some(line) => format!("git says: {line}"),
            None => format!("{} of {asked} objects were read", self.whole),
        })
    }
}

/// Takes the next line from `piece`; `begun` holds its part from earlier pieces. `None` if the line does not end yet.
fn line(begun: &mut Vec<u8>, piece: &mut &[u8]) -> Option<String> {
    piece.read_until(b'\n', begun).ok()?;
    begun.pop_if(|byte| *byte == b'\n')?;
    Some(String::from_utf8_lossy(&std::mem::take(begun)).into_owned())
}

// The cache of clean objects. An object's name depends on its content, so a verdict never becomes outdated.

/// First line of a cache file. The number changes when other forms of tokens are searched for.
const MAGIC: &str = "aris overleaf_audit clean 4\n";

/// Most bytes of a cache file: some 12 million objects.
const LIMIT: u64 = 512 << 20;

/// The cached verdicts for one repository.
#[derive(Debug, Default)]
pub(crate) struct Known {
    /// The cache file; `None` without a folder for caches.
    file: Option<PathBuf>,
    /// Sorted names of clean objects.
    clean: Vec<String>,
}

impl Known {
    /// Reads the cache of a repository; empty if there is no folder for caches or the file is damaged.
    pub(crate) fn of(repository: &Path, context: &Context) -> Self {
        let digest = Sha256::digest(repository.as_os_str().as_encoded_bytes());
        let name = hex(digest.iter().take(16));
        let file = folder(context).map(|folder| folder.join(format!("{name}.clean")));
        let kept = (file.as_deref()).and_then(|file| aris_fs::read_optional(file, LIMIT).ok()?);
        let clean = kept.and_then(|bytes| names(&bytes)).unwrap_or_default();
        Self { file, clean }
    }

    /// Whether an object is known to be clean.
    pub(crate) fn has(&self, id: &String) -> bool {
        self.clean.binary_search(id).is_ok()
    }

    /// Replaces the cached names. A failure is ignored, because it only costs time later.
    pub(crate) fn keep(&self, mut clean: Vec<String>) {
        clean.sort_unstable();
        clean.dedup();
        if let Some(file) = &self.file {
            aris_fs::write_changed(file, written(&clean).as_bytes()).unwrap_or_default();
        }
    }
}

/// The content of a cache file: a digest of the names, and the names.
fn written(clean: &[String]) -> String {
    let names = clean.join("\n");
    format!("{MAGIC}{}\n{names}", hex(&Sha256::digest(&names)))
}

/// The names in a cache file, if it is undamaged.
fn names(bytes: &[u8]) -> Option<Vec<String>> {
    let text = str::from_utf8(bytes).ok()?;
    let (_, names) = text.strip_prefix(MAGIC)?.split_once('\n')?;
    let clean: Vec<String> = names.lines().map(str::to_owned).collect();
    (written(&clean) == text).then_some(clean)
}

/// This helper's folder among the user's caches, chosen like that of the other helpers.
fn folder(context: &Context) -> Option<PathBuf> {
    let below = |name: &str, place: &str| Some(Path::new(context.env(name)?).join(place));
    let usual = [("XDG_CACHE_HOME", "aris"), ("HOME", ".cache/aris")];
    let mut usual = usual
        .into_iter()
        .filter_map(|(name, place)| below(name, place));
    let named = below("ARIS_CACHE_DIR", "");
    let caches = named.or_else(|| usual.find(|path| path.is_absolute()))?;
    Some(context.absolute(&caches).join("overleaf_audit"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn output(objects: &[Vec<u8>]) -> Vec<u8> {
        let mut bytes = Vec::new();
        for (at, object) in objects.iter().enumerate() {
            bytes.extend_from_slice(format!("{at:040x} blob {}\n", object.len()).as_bytes());
            bytes.extend_from_slice(object);
            bytes.push(b'\n');
        }
        bytes
    }

    proptest! {
        #[test]
        fn objects_are_told_apart_however_they_come(
            mut objects in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..200), 1..12),
            cut in 1_usize..400,
            leaking in 0_usize..12,
        ) {
            let leaking = leaking % objects.len();
            objects[leaking].extend_from_slice(["\nolp", "_", "0123456789abcdefghij0123\n"].concat().as_bytes());
            let bytes = output(&objects);
            let mut stream = Stream::default();
            for piece in bytes.chunks(cut) {
                stream.feed(piece);
            }
            prop_assert_eq!(stream.fault(objects.len()), None);
            let found: Vec<&String> = stream.leaking.keys().collect();
            prop_assert_eq!(found, [&format!("{leaking:040x}")]);
        }

        #[test]
        fn no_bytes_panic_and_a_cut_is_noticed(bytes in prop::collection::vec(any::<u8>(), 0..400), keep in any::<prop::sample::Index>()) {
            let mut stream = Stream::default();
            stream.feed(&bytes);
            let whole = output(&[b"one".to_vec(), b"two".to_vec()]);
            let mut stream = Stream::default();
            stream.feed(&whole[..keep.index(whole.len())]);
            prop_assert!(stream.fault(2).is_some());
        }
    }

    #[test]
    fn a_missing_object_is_no_clean_one() {
        let mut stream = Stream::default();
        stream.feed(format!("{:040x} missing\n", 1).as_bytes());
        assert!(stream.fault(1).is_some_and(|why| why.ends_with("missing")));
    }

    proptest! {
        #[test]
        fn exactly_what_was_kept_is_known(ids in prop::collection::btree_set("[0-9a-f]{4}", 0..60), other in "[0-9a-f]{4}") {
            let clean: Vec<String> = ids.iter().cloned().collect();
            let known = Known { file: None, clean: names(written(&clean).as_bytes()).expect("whole") };
            prop_assert_eq!(&known.clean, &clean);
            prop_assert_eq!(known.has(&other), ids.contains(&other));
            prop_assert!(!known.has(&String::from("012")));
        }

        #[test]
        fn damaged_verdicts_count_for_nothing(bytes in prop::collection::vec(any::<u8>(), 0..200), cut in 0_usize..120) {
            names(&bytes);
            let mut whole = written(&[String::from("07"), String::from("08")]).into_bytes();
            let cut = cut.min(whole.len() - 1);
            prop_assert_eq!(names(&whole[..cut]), None);
            whole[cut] ^= 1;
            prop_assert_eq!(names(&whole), None);
        }
    }
}
