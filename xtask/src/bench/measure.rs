//! Timing whole processes, beside a peer.

use std::fmt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use super::Bench;
use crate::fault::Fault;
use crate::workspace::variable;

/// Seconds of one run.
pub(super) type Seconds = Result<f64, Fault>;

/// A call to be timed; it must leave with 0.
pub(super) struct Call {
    program: PathBuf,
    args: Vec<String>,
    cwd: PathBuf,
}

impl Bench<'_> {
    /// A call in words, run in `cwd`; the first names a helper that was built, or another program.
    pub(super) fn call(&self, words: &str, cwd: &Path) -> Call {
        let mut words = words.split_whitespace();
        let name = words.next().unwrap_or_default();
        let built = self.path(name);
        Call {
            program: if built.is_file() { built } else { name.into() },
            args: words.map(str::to_owned).collect(),
            cwd: cwd.to_path_buf(),
        }
    }

    /// A script for `sh`; its `$0` is `argument`.
    pub(super) fn shell(&self, script: &str, argument: impl AsRef<Path>, cwd: &Path) -> Call {
        let argument = argument.as_ref().display().to_string();
        self.call("sh -ec", cwd).arg(script).arg(&argument)
    }

    /// Compares ours with a script of the reference, which is not part of this project: `name` is the variable with its path.
    pub(super) fn beside_script(
        &self,
        name: &str,
        interpreter: &str,
        args: &str,
        ours: &Call,
        runs: usize,
    ) -> Result<(), Fault> {
        let script = variable(name);
        let Some(script) = script.filter(|script| script.is_file()) else {
            row(
                "the reference's script",
                format!("not measured: {name} names no file"),
            );
            return Ok(());
        };
        let words = format!("{interpreter} {} {args}", script.display());
        let theirs = self.call(&words, &ours.cwd);
        compare(
            "once more",
            ours,
            "the reference's script",
            &theirs,
            runs,
            Limit::Unlimited,
        )
    }
}

impl Call {
    pub(super) fn arg(mut self, arg: &str) -> Self {
        self.args.push(arg.to_owned());
        self
    }

    #[expect(
        clippy::disallowed_methods,
        reason = "a deadline's bookkeeping would be measured too"
    )]
    fn spawn(&self) -> Result<Child, Fault> {
        let mut command = Command::new(&self.program);
        command.args(&self.args).current_dir(&self.cwd);
        command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let child = command.spawn();
        child.map_err(|error| {
            Fault::new(format!("cannot start {}: {error}", self.program.display()))
        })
    }

    /// Seconds of one run.
    pub(super) fn once(&self) -> Seconds {
        let start = Instant::now();
        let status = self.spawn()?.wait().map_err(Fault::from_error)?;
        let seconds = start.elapsed().as_secs_f64();
        if status.success() {
            return Ok(seconds);
        }
        let (program, args) = (self.program.display(), &self.args);
        Err(Fault::new(format!("{program} {args:?}: {status}")))
    }

    /// Prints the highest resident memory of one run, read from the kernel's own mark while the process lives.
    #[expect(
        clippy::disallowed_methods,
        reason = "reads /proc at short intervals until the process ends"
    )]
    pub(super) fn memory(&self, limit_mib: f64) -> Result<(), Fault> {
        let mut child = self.spawn()?;
        let status = format!("/proc/{}/status", child.id());
        let mut peak = 0;
        while child.try_wait().map_err(Fault::from_error)?.is_none() {
            let text = std::fs::read_to_string(&status).unwrap_or_default();
            let mark = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
            let kib = mark.and_then(|rest| rest.trim().trim_end_matches(" kB").parse().ok());
            peak = peak.max(kib.unwrap_or(0_u32));
            thread::sleep(Duration::from_micros(500));
        }
        let peak = f64::from(peak) / 1024.0;
        row(
            "  peak memory",
            format!("{peak:.1} MiB (limit {limit_mib:.1} MiB)"),
        );
        Ok(())
    }
}

/// What can be timed again and again.
pub(super) trait Timed {
    /// Seconds of one run.
    fn time(&mut self) -> Seconds;
}

impl Timed for &Call {
    fn time(&mut self) -> Seconds {
        self.once()
    }
}

impl<F: FnMut() -> Seconds> Timed for F {
    fn time(&mut self) -> Seconds {
        self()
    }
}

/// What a comparison is held against, in milliseconds. **Source** of the figures: the project's own promises to users.
#[derive(Clone, Copy)]
pub(super) enum Limit {
    Unlimited,
    /// On the median of the runs.
    Median(f64),
    /// On the median of what a run takes beyond its peer's.
    Beyond(f64),
}

/// Runs ours and a peer in turn, A B A B …, and prints min / median / max of both, of their ratio, and what the limit is of the median.
/// Of several runs, one of each before them warms up.
pub(super) fn compare(
    what: &str,
    mut ours: impl Timed,
    peer: &str,
    mut theirs: impl Timed,
    runs: usize,
    limit: Limit,
) -> Result<(), Fault> {
    if runs > 1 {
        ours.time()?;
        theirs.time()?;
    }
    let mut pairs = Vec::new();
    for _ in 0..runs {
        pairs.push((ours.time()?, theirs.time()?));
    }
    let show = |value: fn(&(f64, f64)) -> f64| {
        let mut sorted: Vec<f64> = pairs.iter().map(value).collect();
        sorted.sort_by(f64::total_cmp);
        let at = |index: usize| sorted.get(index).copied().unwrap_or(f64::NAN);
        let (min, median, max) = (
            at(0),
            at(sorted.len() / 2),
            at(sorted.len().saturating_sub(1)),
        );
        (format!("{min:.2} / {median:.2} / {max:.2}"), median)
    };
    let (own, median) = show(|(ours, _)| ours * 1e3);
    row(what, format!("{own} ms"));
    row(
        &format!("  {peer}"),
        format!("{} ms", show(|(_, theirs)| theirs * 1e3).0),
    );
    row(
        "  ratio, pair by pair",
        format!("{} x", show(|(ours, theirs)| ours / theirs).0),
    );
    let (limit, median) = match limit {
        Limit::Unlimited => return Ok(()),
        Limit::Median(limit) => (limit, median),
        Limit::Beyond(limit) => {
            let (beyond, median) = show(|(ours, theirs)| (ours - theirs) * 1e3);
            row("  beyond it", format!("{beyond} ms"));
            (limit, median)
        }
    };
    row(
        "  limit / median",
        format!("{:.1} x (limit {limit} ms)", limit / median),
    );
    Ok(())
}

/// Prints a heading.
#[expect(clippy::print_stdout, reason = "a bench prints its figures")]
pub(super) fn heading(text: impl fmt::Display) {
    println!("\n{text}; min / median / max");
}

/// Prints one row.
#[expect(clippy::print_stdout, reason = "a bench prints its figures")]
pub(super) fn row(name: &str, value: impl fmt::Display) {
    println!("  {name:<44} {value}");
}

/// Seconds that `work` takes.
pub(super) fn timed(work: impl FnOnce() -> Result<(), Fault>) -> Seconds {
    let start = Instant::now();
    work()?;
    Ok(start.elapsed().as_secs_f64())
}

/// Seconds to walk a tree and read every byte of it on all processors.
pub(super) fn read_all(root: &Path) -> Seconds {
    let start = Instant::now();
    let files = aris_fs::walk_sorted(root, &mut |_| true)?;
    let next = AtomicUsize::new(0);
    on_all_processors(|| {
        while let Some(entry) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
            if entry.kind == aris_fs::EntryKind::File {
                std::hint::black_box(aris_fs::read(&entry.path, aris_fs::READ_LIMIT)?);
            }
        }
        Ok(())
    })?;
    Ok(start.elapsed().as_secs_f64())
}

/// Does `work` once on every processor.
pub(super) fn on_all_processors(work: impl Fn() -> Result<(), Fault> + Sync) -> Result<(), Fault> {
    let workers = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        let workers: Vec<_> = (0..workers).map(|_| scope.spawn(&work)).collect();
        workers.into_iter().try_for_each(|worker| {
            let done = worker.join();
            done.unwrap_or_else(|_| Err(Fault::new("a thread stopped")))
        })
    })
}

/// Files below a folder of its own.
pub(super) struct Place(pub(super) tempfile::TempDir);

impl Place {
    pub(super) fn new() -> Result<Self, Fault> {
        Ok(Self(tempfile::tempdir().map_err(Fault::from_error)?))
    }

    pub(super) fn at(&self, path: &str) -> PathBuf {
        self.0.path().join(path)
    }

    pub(super) fn path(&self) -> &Path {
        self.0.path()
    }

    /// Writes a file, not durably, and makes the folders above it.
    pub(super) fn write(&self, path: &str, text: impl AsRef<[u8]>) -> Result<(), Fault> {
        let path = self.at(path);
        aris_fs::create_dir(path.parent().unwrap_or(&path))?;
        Ok(aris_fs::write_unsynced(&path, text.as_ref())?)
    }
}
