//! Timing whole processes.

use crate::fault::Fault;
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A call to be timed.
#[derive(Clone)]
pub(super) struct Call {
    program: String,
    args: Vec<String>,
    cwd: String,
}

impl Call {
    /// A program with its arguments, run in `cwd`; it must leave with 0.
    pub(super) fn new(program: impl AsRef<Path>, args: &[&str], cwd: &Path) -> Self {
        Self {
            program: program.as_ref().display().to_string(),
            args: args.iter().map(|arg| (*arg).to_owned()).collect(),
            cwd: cwd.display().to_string(),
        }
    }

    /// A pipeline for `sh`.
    pub(super) fn shell(script: &str, cwd: &Path) -> Self {
        Self::new("sh", &["-c", script], cwd)
    }

    #[expect(
        clippy::disallowed_methods,
        reason = "a deadline's bookkeeping would be measured too"
    )]
    fn spawn(&self) -> Result<Child, Fault> {
        Command::new(&self.program)
            .args(&self.args)
            .current_dir(&self.cwd)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| Fault::new(format!("cannot start {}: {error}", self.program)))
    }

    /// Seconds of one run.
    pub(super) fn once(&self) -> Result<f64, Fault> {
        let start = Instant::now();
        let status = self
            .spawn()?
            .wait()
            .map_err(|error| Fault::new(format!("{}: {error}", self.program)))?;
        let seconds = start.elapsed().as_secs_f64();
        match status.code() {
            Some(0) => Ok(seconds),
            other => Err(Fault::new(format!(
                "{} {:?} left with {other:?}",
                self.program, self.args
            ))),
        }
    }

    /// Highest resident memory of one run, in bytes, read from the kernel's own mark while the process lives.
    #[expect(
        clippy::disallowed_methods,
        reason = "reads /proc at short intervals until the process ends"
    )]
    pub(super) fn peak_memory(&self) -> Result<u64, Fault> {
        let mut child = self.spawn()?;
        let status = format!("/proc/{}/status", child.id());
        let mut peak = 0;
        while child.try_wait().map_err(Fault::from_error)?.is_none() {
            if let Ok(text) = std::fs::read_to_string(&status) {
                let mark = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
                let kib =
                    mark.and_then(|rest| rest.trim().trim_end_matches(" kB").parse::<u64>().ok());
                peak = peak.max(kib.unwrap_or(0) * 1024);
            }
            std::thread::sleep(Duration::from_micros(500));
        }
        Ok(peak)
    }
}

/// Figures of several runs, in seconds.
#[derive(Clone, Default)]
pub(super) struct Figures(Vec<f64>);

impl Figures {
    pub(super) fn push(&mut self, seconds: f64) {
        self.0.push(seconds);
    }

    fn sorted(&self) -> Vec<f64> {
        let mut sorted = self.0.clone();
        sorted.sort_by(f64::total_cmp);
        sorted
    }

    pub(super) fn median(&self) -> f64 {
        let sorted = self.sorted();
        sorted.get(sorted.len() / 2).copied().unwrap_or(f64::NAN)
    }

    /// Ratios of paired runs.
    pub(super) fn over(&self, other: &Self) -> Self {
        Self(self.0.iter().zip(&other.0).map(|(a, b)| a / b).collect())
    }

    /// Differences of paired runs.
    pub(super) fn beyond(&self, other: &Self) -> Self {
        Self(self.0.iter().zip(&other.0).map(|(a, b)| a - b).collect())
    }

    /// min / median / max, scaled.
    pub(super) fn show(&self, scale: f64, unit: &str) -> String {
        let sorted = self.sorted();
        let (min, max) = (
            sorted.first().copied().unwrap_or(f64::NAN),
            sorted.last().copied().unwrap_or(f64::NAN),
        );
        format!(
            "{:.2} / {:.2} / {:.2} {unit}",
            min * scale,
            self.median() * scale,
            max * scale
        )
    }

    pub(super) fn millis(&self) -> String {
        self.show(1e3, "ms")
    }

    pub(super) fn ratio(&self) -> String {
        self.show(1.0, "x")
    }
}

/// Runs two calls in turn, A B A B …, after one warm-up of each.
pub(super) fn pair(a: &Call, b: &Call, runs: usize) -> Result<(Figures, Figures), Fault> {
    a.once()?;
    b.once()?;
    let (mut of_a, mut of_b) = (Figures::default(), Figures::default());
    for _ in 0..runs {
        of_a.push(a.once()?);
        of_b.push(b.once()?);
    }
    Ok((of_a, of_b))
}

/// Prints a heading.
#[expect(clippy::print_stdout, reason = "a bench prints its figures")]
pub(super) fn heading(text: &str) {
    println!("\n{text}\n{}", "-".repeat(text.chars().count()));
}

/// Prints one row.
#[expect(clippy::print_stdout, reason = "a bench prints its figures")]
pub(super) fn row(name: &str, value: impl fmt::Display) {
    println!("  {name:<44} {value}");
}

/// Pairs of ours and a script of the reference, which is not part of this project: `variable` names the script's path.
pub(super) fn beside_script(
    variable: &str,
    interpreter: &str,
    args: &[&str],
    (folder, ours): (&Path, &Call),
    runs: usize,
) -> Result<(), Fault> {
    #[expect(clippy::disallowed_methods, reason = "a setting of a bench alone")]
    let script = std::env::var_os(variable).map(PathBuf::from);
    let Some(script) = script.filter(|script| script.is_file()) else {
        row(
            "the reference's script",
            format!("not measured: {variable} names no file"),
        );
        return Ok(());
    };
    let script = script.display().to_string();
    let args: Vec<&str> = std::iter::once(script.as_str())
        .chain(args.iter().copied())
        .collect();
    let (of_ours, of_theirs) = pair(ours, &Call::new(interpreter, &args, folder), runs)?;
    row("the reference's script", of_theirs.millis());
    row(
        "the reference's script / ours, pair by pair",
        of_theirs.over(&of_ours).ratio(),
    );
    Ok(())
}

/// A sequence that is the same in every run. **Source**: Knuth, MMIX.
pub(super) struct Random(pub(super) u64);

impl Random {
    /// The next number, below `limit`.
    pub(super) fn below(&mut self, limit: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }
}
