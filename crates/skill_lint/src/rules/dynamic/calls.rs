//! Makes the calls of one program, each in a fresh sandbox.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::time::Duration;

use aris_fs::{EntryKind, FsError};

use super::answer::{Answer, copy_name};
use super::judge::{self, Fault};
use super::program::{Place, Program, Start};
use crate::Error;
use crate::config::RunLevel;
use crate::sandbox::{Sandbox, Scratch};

/// Most bytes and entries of a skill that is copied for a sample. The samples of a larger skill do not run.
const COPIED_BYTES: u64 = 256 * 1024 * 1024;
const COPIED_ENTRIES: usize = 20_000;

/// How often, and after which pause, a copy that is still busy is tried again.
const BUSY_TRIES: usize = 20;
const BUSY_PAUSE: Duration = Duration::from_millis(50);

/// The exit code of a launcher that has no binary for this machine.
///
/// **Source**: the exit codes of the resource protocol: 5, the environment forbids it.
const NO_BINARY: i32 = 5;

/// A flag that no program has.
const UNKNOWN_FLAG: &str = "--skill-lint-no-such-flag";

/// A fault and its place.
pub(super) type Problem = (Place, Fault);

/// The command line that starts each interpreter; `None` for those that are absent or do not work.
pub(super) type Interpreters = BTreeMap<&'static str, Option<Vec<OsString>>>;

/// Runs a program as far as `level` allows, and checks the results.
///
/// **Errors**: the reason why it was not run.
pub(super) fn problems(
    program: &Program,
    level: RunLevel,
    sandbox: &Sandbox,
    interpreters: &Interpreters,
) -> Result<Vec<Problem>, String> {
    let caller = Caller {
        program,
        sandbox,
        words: words(program, interpreters)?,
    };
    caller
        .problems(level)
        .map_err(|error| match std::error::Error::source(&error) {
            Some(cause) => format!("{error}: {cause}"),
            None => error.to_string(),
        })?
        .ok_or_else(|| String::from("its launcher finds no binary for this machine"))
}

fn words(program: &Program, interpreters: &Interpreters) -> Result<Vec<OsString>, String> {
    match &program.start {
        Start::Itself => Ok(Vec::new()),
        Start::Never(reason) => Err((*reason).to_owned()),
        Start::Interpreter(candidates) => {
            let found = candidates
                .iter()
                .find_map(|one| interpreters.get(one)?.clone());
            found.ok_or_else(|| {
                let names = candidates.join(" or ");
                format!("{names} is not installed or does not run in the sandbox")
            })
        }
    }
}

struct Caller<'a> {
    program: &'a Program,
    sandbox: &'a Sandbox,
    /// The interpreter's command line; empty for a binary.
    words: Vec<OsString>,
}

impl Caller<'_> {
    /// `None` when a launcher reports that it has no binary for this machine.
    fn problems(&self, level: RunLevel) -> Result<Option<Vec<Problem>>, Error> {
        let help = self.call("--help")?;
        if self.program.has_contract && help.exit() == NO_BINARY {
            return Ok(None);
        }
        let mut problems = Vec::new();
        let mut add = |place: &Place, faults: Vec<Fault>| {
            problems.extend(faults.into_iter().map(|fault| (place.clone(), fault)));
        };
        let script = (self.program.path.clone(), 1);
        add(&script, judge::help(&help));
        if level >= RunLevel::Flags {
            add(&script, judge::unknown_flag(&self.call(UNKNOWN_FLAG)?));
        }
        for sample in &self.program.samples {
            if level >= RunLevel::All {
                let answer = self.sample(&sample.args)?;
                add(&sample.place, judge::sample(&answer, &sample.exits));
            }
        }
        Ok(Some(problems))
    }

    fn call(&self, flag: &str) -> Result<Answer, Error> {
        let scratch = self.sandbox.scratch()?;
        let cwd = scratch.cwd();
        self.run(&self.program.skill, &[flag.to_owned()], &cwd, scratch)
    }

    /// Calls the program in a copy of its skill.
    fn sample(&self, args: &[String]) -> Result<Answer, Error> {
        let scratch = self.sandbox.scratch()?;
        let copy = scratch.cwd().join(copy_name(&self.program.skill));
        copy_skill(&self.program.skill, &copy)?;
        self.run(&copy, args, &copy, scratch)
    }

    fn run(
        &self,
        skill: &Path,
        args: &[String],
        cwd: &Path,
        scratch: Scratch,
    ) -> Result<Answer, Error> {
        let mut command = self.words.clone();
        command.push(skill.join(&self.program.skill_path).into_os_string());
        command.extend(args.iter().map(OsString::from));
        let mut finished = self.sandbox.run(&command, cwd, &scratch)?;
        // A process that another thread forked while the copy was written may still hold it open. **Source**: `execve(2)`,
        // ETXTBSY.
        for _ in 0..BUSY_TRIES {
            let stderr = finished.stderr.text();
            if cwd == scratch.cwd() || !stderr.contains("Text file busy") {
                break;
            }
            #[expect(
                clippy::disallowed_methods,
                reason = "the sandbox runs by the real clock, too"
            )]
            std::thread::sleep(BUSY_PAUSE);
            finished = self.sandbox.run(&command, cwd, &scratch)?;
        }
        let left = scratch.left_behind();
        let answer = Answer::new(finished, left, &scratch, &self.program.skill);
        scratch.remove()?;
        Ok(answer)
    }
}

/// Copies a skill from the disk without `.git`. Links stay links.
fn copy_skill(from: &Path, to: &Path) -> Result<(), FsError> {
    aris_fs::create_dir(to)?;
    let entries = aris_fs::walk_sorted(from, &mut |entry| entry.name != ".git")?;
    let mut bytes = 0_u64;
    for (count, entry) in entries.iter().enumerate() {
        let Ok(inner) = entry.path.strip_prefix(from) else {
            continue;
        };
        let target = to.join(inner);
        let failed = |source| FsError::Write {
            action: "copy",
            path: entry.path.clone(),
            source,
        };
        match entry.kind {
            EntryKind::Folder => aris_fs::create_dir(&target)?,
            EntryKind::Link => {
                let points_to = entry.path.read_link().map_err(failed)?;
                std::os::unix::fs::symlink(points_to, &target).map_err(failed)?;
            }
            EntryKind::File => {
                let file = aris_fs::open(&entry.path)?;
                let mode = file.metadata().permissions().mode() & 0o777;
                bytes = bytes.saturating_add(file.metadata().len());
                if bytes > COPIED_BYTES || count > COPIED_ENTRIES {
                    return Err(FsError::TooLarge {
                        path: from.to_path_buf(),
                        limit: COPIED_BYTES,
                    });
                }
                aris_fs::write_unsynced(&target, &file.read_all(COPIED_BYTES)?)?;
                std::fs::set_permissions(&target, Permissions::from_mode(mode | 0o600))
                    .map_err(failed)?;
            }
            EntryKind::Special => {}
        }
    }
    Ok(())
}
