//! The specification of an attempt, for its runner.

use std::path::{Path, PathBuf};

use aris_attempt::cards::lease::Lease;
use aris_attempt::format::{self, Command, SPEC_SCHEMA, Spec};
use aris_cli::Context;
use aris_contract::text::shell_line;
use aris_queue::judge::OOM_PATTERNS;
use aris_queue::manifest::{Conda, Manifest};
use aris_queue::state::{Queue, Run};
use aris_runs::Ledger;
use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;

use super::cards::Given;
use super::machine::on_path;
use crate::error::Error;
use crate::place::Place;

/// Usual places of conda, checked before `CONDA_EXE` and the `PATH`. **Source**: the defaults of the installers, and the reference's list.
const CONDA: [&str; 8] = [
    "anaconda3",
    "miniconda3",
    "miniforge3",
    "mambaforge",
    "/opt/anaconda3",
    "/opt/miniconda3",
    "/opt/conda",
    "/usr/local/anaconda3",
];

/// What all attempts of a queue have in common.
pub(crate) struct Common {
    pub(crate) cwd: PathBuf,
    /// Shell lines that define and activate conda.
    conda: Vec<String>,
    /// The ledger for the records of runs.
    ledger: Option<PathBuf>,
}

/// What is activated before each job, for people; `None`: nothing.
pub(crate) fn environment(manifest: &Manifest, common: &Common) -> Option<String> {
    let env = &manifest.conda.as_ref()?.env;
    Some(match common.conda.first() {
        Some(hook) => format!("each job activates {env:?}, by: {hook}"),
        None => format!(
            "conda not found: jobs run without environment {env:?} (set ARIS_CONDA_HOOK to use one)"
        ),
    })
}

impl Common {
    /// **Errors**: [`Error::precondition`] if the manifest needs conda and it is not found.
    pub(crate) fn of(manifest: &Manifest, context: &Context) -> Result<Self, Error> {
        let conda = match &manifest.conda {
            None => Vec::new(),
            Some(conda) => conda_lines(conda, context)?,
        };
        let cwd = aris_fs::lexical(&context.absolute(&manifest.cwd));
        let ledger = Ledger::for_runs_in(&cwd);
        Ok(Self {
            ledger: manifest.provenance.then(|| ledger.folder().to_path_buf()),
            cwd,
            conda,
        })
    }

    /// The working directory of a job.
    pub(crate) fn cwd(&self, manifest: &Manifest, job: u32) -> PathBuf {
        let own = manifest.jobs[job as usize].settings.cwd.as_ref();
        own.map_or_else(|| self.cwd.clone(), |own| self.cwd.join(own))
    }

    /// The specification of an attempt. `given` has its cards; `None`: the engine gives them.
    pub(crate) fn spec(
        &self,
        queue: &Queue,
        job: u32,
        folder: &Path,
        log: PathBuf,
        given: Option<&Given>,
        leases: &[Lease],
    ) -> Spec {
        let (manifest, run) = (queue.manifest(), queue.run(job));
        let spec = &manifest.jobs[job as usize];
        let settings = &spec.settings;
        let mut env = settings.env.clone();
        let run_dir = run_folder(folder, run).display().to_string();
        let mut set = |name: &str, value: &str| env.insert(name.to_owned(), value.to_owned());
        set("ARIS_ATTEMPT", &run.attempt().to_string());
        set("ARIS_RUN_DIR", &run_dir);
        if let Some(end) = run.last_end {
            set("ARIS_LAST_END", end);
        }
        // Number 0 in nvidia-smi is number 0 in CUDA only with this order, if cards differ.
        set("CUDA_DEVICE_ORDER", "PCI_BUS_ID");
        // On a cluster, the engine sets these variables.
        if let Some(given) = given {
            for (name, value) in &given.variables {
                set(name, value);
            }
            // The reference's placeholder `${GPU}` in commands.
            set("GPU", &given.names);
        }
        let patterns = OOM_PATTERNS.iter().map(|pattern| (*pattern).to_owned());
        Spec {
            schema: SPEC_SCHEMA.to_owned(),
            id: spec.id.to_string(),
            attempt: run.attempt(),
            command: Command::Shell(spec.cmd.to_string()),
            setup: [self.conda.as_slice(), settings.setup.as_slice()].concat(),
            cwd: self.cwd(manifest, job),
            env,
            outputs: spec.outputs.iter().map(ToString::to_string).collect(),
            output_wait_ms: settings.output_wait_ms,
            time_limit_ms: settings.time_limit_ms,
            notice: settings.notice,
            kill_grace_ms: settings.kill_grace_ms,
            linger_ms: settings.linger_ms,
            oom_patterns: patterns.chain(settings.oom_patterns.clone()).collect(),
            log,
            leases: leases.iter().map(|it| it.path().to_path_buf()).collect(),
            ledger: self.ledger.clone(),
            // Cards given here need no check.
            cards: if given.is_some() { 0 } else { settings.gpus },
        }
    }

    /// The first precondition of a job that does not hold.
    pub(crate) fn missing(&self, manifest: &Manifest, job: u32) -> Option<String> {
        let spec = &manifest.jobs[job as usize];
        let cwd = self.cwd(manifest, job);
        spec.settings.preconditions.iter().find_map(|pattern| {
            let mut path = pattern.clone();
            for (name, value) in &spec.params {
                path = path.replace(&format!("${{{name}}}"), value);
                path = path.replace(&format!("{{{name}}}"), value);
            }
            let found = aris_attempt::output_files(&cwd, &path);
            found
                .is_empty()
                .then(|| path.clone() + &unfilled(&path, &spec.params))
        })
    }
}

/// A note about the first placeholder in a path that is no parameter of the job; empty if there is none.
fn unfilled(path: &str, params: &[(Box<str>, Box<str>)]) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let parts = path.split('{').skip(1);
    let mut names = parts.filter_map(|part| part.split_once('}').map(|(name, _)| name));
    let Some(name) = names.find(|name| !name.is_empty() && name.chars().all(plain)) else {
        return String::new();
    };
    let known: Vec<&str> = params.iter().map(|(name, _)| &**name).collect();
    let known = if known.is_empty() {
        String::from("none")
    } else {
        known.join(", ")
    };
    format!(", in which {{{name}}} is no parameter of the job (it has {known}),")
}

fn conda_lines(conda: &Conda, context: &Context) -> Result<Vec<String>, Error> {
    let given = conda.hook.as_deref().or(context.env("ARIS_CONDA_HOOK"));
    let hook = match given {
        // A single word is a conda program; anything else is shell text.
        Some(text) if text.contains(char::is_whitespace) => Some(text.to_owned()),
        Some(path) if path.contains('/') && !Path::new(path).is_file() => {
            let why = "which conda_hook or ARIS_CONDA_HOOK names";
            return Err(Error::precondition(format!(
                "there is no conda at {path}, {why}"
            )));
        }
        Some(path) => Some(from_program(path)),
        None => None,
    };
    let hook = hook.or_else(|| {
        let home = Path::new(context.env("HOME").unwrap_or("/"));
        let places = CONDA.iter().map(|place| home.join(place).join("bin/conda"));
        let mut places = places.chain(context.env("CONDA_EXE").map(PathBuf::from));
        let program = places.find(|program| program.is_file());
        let program = program.or_else(|| on_path("conda", context))?;
        Some(from_program(&program.display().to_string()))
    });
    let env = &conda.env;
    match hook {
        Some(hook) => Ok(vec![hook, format!("conda activate {}", shell_line(&[env]))]),
        None if conda.if_there => Ok(Vec::new()),
        None => Err(Error::precondition(format!(
            "conda not found, and the manifest wants its environment {env:?}: name it with conda_hook or ARIS_CONDA_HOOK"
        ))),
    }
}

fn from_program(program: &str) -> String {
    format!("eval \"$({} shell.bash hook)\"", shell_line(&[program]))
}

/// The folder that all attempts of a job share, from the folder of one of them. A removed job with the same id had another one.
pub(crate) fn run_folder(folder: &Path, run: &Run) -> PathBuf {
    let name = match run.before {
        0 => String::from("run"),
        before => format!("run-{}", before + 1),
    };
    folder.with_file_name(name)
}

/// Creates the log of an attempt that is to be begun. If the usual name is taken, by another queue or by an earlier one of this place, it
/// gets a further number: a log belongs to one attempt. If it cannot be created, the runner says why.
pub(crate) fn new_log(place: &Place, id: &str, number: u32) -> PathBuf {
    // The folder may have been removed.
    aris_fs::create_dir(&place.logs).unwrap_or_default();
    let slug = format::slug(id);
    let again = (2..).map(|more| format!("-{more}"));
    let names = std::iter::once(String::new()).chain(again);
    let mut logs = names.map(|more| place.logs.join(format!("{slug}.{number}{more}.log")));
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
    let mode = Mode::from_raw_mode(0o666);
    let own = logs.find(|log| rustix::fs::open(log, flags, mode).err() != Some(Errno::EXIST));
    own.unwrap_or_else(|| place.logs.clone())
}

/// Path of a link to the log of a job's last attempt, named by the job's id for people.
pub(crate) fn log_link(place: &Place, id: &str) -> PathBuf {
    let safe = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
    let plain = id.len() <= 100
        && id.bytes().all(safe)
        && id.as_bytes().first().is_some_and(u8::is_ascii_alphanumeric);
    let slug = format::slug(id);
    let name = if plain { id } else { &slug };
    place.logs.join(format!("{name}.log"))
}

/// Sets the link to a log. A file that is no link is kept.
pub(crate) fn link_log(place: &Place, id: &str, log: &Path) {
    let link = log_link(place, id);
    let target = Path::new(log.file_name().unwrap_or_default());
    if link.is_symlink() {
        aris_fs::remove_file(&link).unwrap_or_default();
    }
    // If this fails, the state file still names the log.
    aris_fs::create_link(target, &link).unwrap_or_default();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cards_are_counted_only_where_somebody_else_gives_them() {
        let text = "jobs: [{id: a, cmd: x, gpus: 1}]";
        let manifest = aris_queue::manifest::parse(Path::new("m"), text).expect("manifest");
        let common = Common {
            cwd: PathBuf::from("/"),
            conda: Vec::new(),
            ledger: None,
        };
        let queue = Queue::new(manifest);
        let spec = |given: Option<&Given>| {
            let log = PathBuf::from("/l");
            common.spec(&queue, 0, Path::new("/a/1"), log, given, &[])
        };
        let here = spec(Some(&Given {
            names: String::from("MIG-a"),
            variables: vec![("CUDA_VISIBLE_DEVICES", String::from("MIG-a"))],
        }));
        assert_eq!(
            (here.cards, here.env["CUDA_VISIBLE_DEVICES"].as_str()),
            (0, "MIG-a")
        );
        assert_eq!(spec(None).cards, 1);
    }

    #[test]
    fn logs_are_found_under_the_id_and_stay_in_their_folder() {
        let place = Place::of(Path::new("/q/s.json"), None);
        assert_eq!(
            log_link(&place, "s200_N64"),
            Path::new("/q/logs/s200_N64.log")
        );
        for id in ["../x", "a b", "-dash", ".hidden", "a/b"] {
            assert_eq!(
                log_link(&place, id).parent(),
                Some(Path::new("/q/logs")),
                "{id}"
            );
        }
    }
}
