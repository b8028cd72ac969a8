//! Every object of a repository: of all branches, tags, stashes and reflogs, loose and packed, and what nothing refers to any more.
//!
//! Read through the program `git`, which knows all its formats, by as many processes as there are processors. Nothing of the
//! repository's settings is run: `cat-file` and `rev-list` know no filters, hooks or monitors.

use std::collections::{BTreeMap, BTreeSet};
use std::io::BufRead as _;
use std::time::Duration;

use aris_proc::{Command, ProcError};

use crate::known::Known;
use crate::report::{Findings, Leak, Object, Part, Unseen};
use crate::token::{Hit, Scanner, masked};
use crate::tree::Repository;

/// Objects that one process of git reads: few enough that all processors end together, enough that starting git is nothing.
const SLICE: usize = 4096;

/// Leaking objects for which the commit is looked up: each takes a walk through the history.
const COMMITS: usize = 20;

/// What to do where git itself complains, and where an object is packed in a way that is not known here.
const FSCK: &str = "see what `git fsck` says";
const UNPACK: &str = "unpack the object, as `git cat-file -p` prints it, and look at what it holds";

/// Reads the objects of `repository` that `known` does not have, and remembers those that are clean.
pub(crate) fn read(repository: &Repository, known: &Known, deadline: Duration) -> Findings {
    let git = Git {
        repository,
        deadline,
    };
    let unseen = git.elsewhere();
    let mut found = Findings {
        unseen,
        ..Findings::default()
    };
    found.looked.repositories = 1;
    let mut ids = Vec::new();
    // In the order in which they are packed.
    let args = "cat-file --batch-all-objects --batch-check=%(objectname) --unordered --buffer";
    if let Err(unseen) = git.lines(args, &mut |line| ids.push(line)) {
        found.unseen.push(unseen);
        return found;
    }
    found.looked.objects = ids.len();
    let (old, new): (Vec<String>, Vec<String>) = ids.into_iter().partition(|id| known.has(id));
    found.looked.known = old.len();
    if new.is_empty() {
        return found;
    }
    let (leaking, unseen) = git.objects(&new);
    found.unseen.extend(unseen);
    if found.unseen.is_empty() {
        let clean = new.into_iter().filter(|id| !leaking.contains_key(id));
        known.keep(old.into_iter().chain(clean).collect());
    }
    found.leaks = git.places(leaking);
    found
}

/// Kind and tokens of objects, by name.
type Leaking = BTreeMap<String, (String, Vec<Hit>)>;

struct Git<'a> {
    repository: &'a Repository,
    deadline: Duration,
}

impl Git<'_> {
    fn command(&self, args: &[&str]) -> Command {
        const SETTINGS: &str = "WORK_TREE INDEX_FILE OBJECT_DIRECTORY ALTERNATE_OBJECT_DIRECTORIES COMMON_DIR NAMESPACE";
        let git = aris_proc::command("git", &self.repository.folder);
        let unset = |git: Command, name| git.env_remove(format!("GIT_{name}"));
        let settings = SETTINGS.split(' ').fold(git, unset);
        settings
            // Said outright, git asks neither where it is nor whose folder it is: the repository of another user is read, too.
            .env("GIT_DIR", ".")
            .env("GIT_NO_REPLACE_OBJECTS", "1")
            .env("GIT_NO_LAZY_FETCH", "1")
            .env("GIT_OPTIONAL_LOCKS", "0")
            .env("GIT_TERMINAL_PROMPT", "0")
            .env("LC_ALL", "C")
            .args(["-c", "core.quotePath=false"])
            .args(args)
    }

    fn unseen(&self, why: &str) -> Unseen {
        Unseen::new(&self.repository.shown, &format!("history: {why}"))
    }

    /// What belongs to the history and is not in this folder.
    fn elsewhere(&self) -> Vec<Unseen> {
        let folder = &self.repository.folder;
        let shallow = folder.join("shallow").symlink_metadata();
        let is_shallow = shallow.is_ok_and(|file| file.len() > 0);
        let packs = aris_fs::list_sorted(&folder.join("objects/pack")).unwrap_or_default();
        let promised = |pack: &aris_fs::Entry| pack.path.extension() == Some("promisor".as_ref());
        let missing = |is: bool, why, option| {
            let hint = format!("fetch them with `git fetch {option}` and look again");
            is.then(|| self.unseen(why).hint(&hint))
        };
        let shallow = "the clone is shallow, older commits are not here";
        let partial = "the clone is partial, objects that were not needed are not here";
        let shallow = missing(is_shallow, shallow, "--unshallow");
        let partial = missing(packs.iter().any(promised), partial, "--refetch --no-filter");
        shallow.into_iter().chain(partial).collect()
    }

    /// Gives each line that git prints; `args` are parted by blanks.
    fn lines(&self, args: &str, each: &mut dyn FnMut(String)) -> Result<(), Unseen> {
        let mut begun = Vec::new();
        let args: Vec<&str> = args.split(' ').collect();
        self.run(&args, Vec::new(), &mut |mut piece| {
            std::iter::from_fn(|| line(&mut begun, &mut piece)).for_each(&mut *each);
        })
    }

    fn run(
        &self,
        args: &[&str],
        stdin: Vec<u8>,
        take: &mut dyn FnMut(&[u8]),
    ) -> Result<(), Unseen> {
        let command = self.command(args).stdin(stdin);
        let failed = |why: &str| Err(self.unseen(why));
        let hinted = |why: &str, hint| Err(self.unseen(why).hint(hint));
        match command.run_streamed(self.deadline, take) {
            Err(ProcError::Absent { .. }) => {
                hinted("the program git is not installed", "install git")
            }
            Err(other) => failed(&other.to_string()),
            Ok(done) => match done.code() {
                Ok(0) => Ok(()),
                Ok(_) => {
                    let said = done.stderr.text();
                    let said = said.lines().next().unwrap_or_default().trim();
                    if said.contains("not a git repository") {
                        let why = "HEAD, refs/ or objects/ is damaged or gone";
                        return hinted(why, "`git init` puts back HEAD and refs/; then look again");
                    }
                    hinted(&format!("git says: {said}"), FSCK)
                }
                Err(error) => hinted(&error.to_string(), "give it longer with --deadline"),
            },
        }
    }

    /// Reads these objects, on all processors.
    fn objects(&self, ids: &[String]) -> (Leaking, BTreeSet<Unseen>) {
        let slice = ids.len().div_ceil(aris_fs::processors()).clamp(1, SLICE);
        let slices: Vec<&[String]> = ids.chunks(slice).collect();
        let start = || (Leaking::new(), Vec::new());
        let workers = aris_fs::in_parallel(&slices, start, |(leaking, unseen), _, ids| {
            let names = ids.join("\n") + "\n";
            let mut stream = Stream::default();
            let args = ["cat-file", "--batch", "--buffer"];
            let done = self.run(&args, names.into_bytes(), &mut |piece| stream.feed(piece));
            unseen.extend(done.err());
            let packed = stream.packed.drain(..);
            unseen.extend(packed.map(|why| self.unseen(&why).hint(UNPACK)));
            let fault = stream.fault(ids.len());
            unseen.extend(fault.map(|why| self.unseen(&why).hint(FSCK)));
            leaking.append(&mut stream.leaking);
        });
        // Several slices of one repository fail alike.
        let (all, unseen): (Vec<_>, Vec<_>) = workers.into_iter().unzip();
        let (all, unseen) = (all.into_iter().flatten(), unseen.into_iter().flatten());
        (all.collect(), unseen.collect())
    }

    /// One leak for each token, with path and commit of its object where it has one.
    fn places(&self, leaking: Leaking) -> Vec<Leak> {
        if leaking.is_empty() {
            return Vec::new();
        }
        let paths = self.paths(&leaking);
        let mut leaks = Vec::new();
        for (at, (id, (kind, hits))) in leaking.into_iter().enumerate() {
            let path = paths.as_ref().and_then(|paths| paths.get(&id));
            let named = path.filter(|path| !path.is_empty());
            let mut object = Object {
                commit: None,
                path: named.map(|path| masked(path)),
                // What cannot be listed is not called unreachable.
                reachable: paths.is_none() || path.is_some(),
                id,
                kind,
            };
            if object.reachable && at < COMMITS && matches!(object.kind.as_str(), "blob" | "tree") {
                object.commit = self.commit(&object.id);
            }
            leaks.extend(hits.into_iter().map(|hit| Leak {
                byte: Some(hit.at),
                object: Some(object.clone()),
                ..Leak::new(Part::History, &self.repository.shown, hit.form, hit.token)
            }));
        }
        leaks
    }

    /// The path of each object to which something leads; empty for commits, tags and root folders. `None` when git does not say.
    fn paths(&self, leaking: &Leaking) -> Option<BTreeMap<String, String>> {
        let mut paths = BTreeMap::new();
        let args = "rev-list --objects --all --reflog --indexed-objects";
        let read = self.lines(args, &mut |line| {
            let (id, path) = line.split_once(' ').unwrap_or((&line, ""));
            if leaking.contains_key(id) {
                paths.insert(id.to_owned(), path.to_owned());
            }
        });
        read.ok().map(|()| paths)
    }

    /// The last commit that brought or took an object.
    fn commit(&self, id: &str) -> Option<String> {
        let find = format!("--find-object={id}");
        let args = ["log", "--all", "--reflog", "-t", "-1", "--format=%h", &find];
        let done = self.command(&args).run(self.deadline).ok()?;
        let text = done.stdout.whole_text()?.lines().next()?.to_owned();
        (done.success() && !text.is_empty()).then_some(text)
    }
}

/// What `git cat-file --batch` prints: a line `name kind size`, that many bytes, and a line feed; or `name missing`.
#[derive(Debug, Default)]
struct Stream {
    scanner: Scanner,
    /// The line that is being read, when no object is.
    line: Vec<u8>,
    /// The object that is being read: its name, its kind, and the bytes that are left of it, the line feed included.
    object: Option<(String, String, u64)>,
    leaking: Leaking,
    /// What says of objects that they cannot be unpacked.
    packed: Vec<String>,
    /// Objects that were whole.
    whole: usize,
    /// The first line that is not as it should be.
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
            // The line feed behind an object is no part of it.
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

    /// Takes the line before an object.
    fn head(&mut self, line: String) {
        match *line.split(' ').collect::<Vec<_>>() {
            [id, kind, size] if let Ok(size) = size.parse::<u64>() => {
                self.object = Some((id.to_owned(), kind.to_owned(), size.saturating_add(1)));
            }
            _ => drop(self.odd.get_or_insert(line)),
        }
    }

    /// Why not all of `asked` objects were read.
    fn fault(&self, asked: usize) -> Option<String> {
        (self.whole != asked).then(|| match &self.odd {
            Some(line) => format!("git says: {line}"),
            None => format!("{} of {asked} objects were read", self.whole),
        })
    }
}

/// Takes the next line from `piece`, the part of it in front that came before, `begun`; none where it does not end yet.
fn line(begun: &mut Vec<u8>, piece: &mut &[u8]) -> Option<String> {
    piece.read_until(b'\n', begun).ok()?;
    begun.pop_if(|byte| *byte == b'\n')?;
    Some(String::from_utf8_lossy(&std::mem::take(begun)).into_owned())
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
}
