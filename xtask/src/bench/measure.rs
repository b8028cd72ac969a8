//! Measures the time of whole processes, alternating with a peer.

use std::fmt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde::Deserialize;

use super::Bench;
use super::peers::Peer;
use crate::fault::Fault;

/// Seconds of one run.
pub(super) type Seconds = Result<f64, Fault>;

/// Two commands that are run alternately. `{n}` stands for the number of the run, `{helper}` for each helper in turn.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Pair {
    what: String,
    /// Command that prepares each run; its time is not counted.
    #[serde(default)]
    before: String,
    pub(super) ours: String,
    peer: String,
    theirs: Peer,
    runs: usize,
    /// Limit for the median run, in milliseconds. **Source** of all limits: the project's own promises to users.
    median: Option<f64>,
    /// Limit for the difference between the median runs of ours and the peer, in milliseconds.
    beyond: Option<f64>,
    /// Memory limit, in MiB.
    memory: Option<f64>,
    /// Command that must succeed; otherwise the pair is skipped.
    #[serde(default)]
    when: String,
}

impl Pair {
    pub(super) fn of_helper(&self, name: &str) -> Self {
        let of = |text: &str| text.replace("{helper}", name);
        Self {
            what: of(&self.what),
            ours: of(&self.ours),
            ..self.clone()
        }
    }
}

impl Bench<'_> {
    /// Runs ours and the peer alternately, A B A B …, and prints min / median / max of both and of their ratio, and the limits. Unless there
    /// is only one run, an uncounted run of each comes first, as a warm-up.
    pub(super) fn compare(&self, pair: &Pair, folder: &Path) -> Result<(), Fault> {
        if self.once(&pair.when, folder).is_err() {
            let what = format!("{} and {}", pair.what, pair.peer);
            row(&what, format!("not measured: {} fails", pair.when));
            return Ok(());
        }
        let both = || -> Result<(f64, f64), Fault> {
            self.turn.set(self.turn.get() + 1);
            self.once(&pair.before, folder)?;
            let ours = self.once(&pair.ours, folder)?;
            if matches!(pair.theirs, Peer::Command(_)) {
                self.once(&pair.before, folder)?;
            }
            Ok((ours, self.peer(&pair.theirs, folder)?))
        };
        if pair.runs > 1 {
            both()?;
        }
        let pairs = (0..pair.runs)
            .map(|_| both())
            .collect::<Result<Vec<_>, _>>()?;
        let show = |value: fn(&(f64, f64)) -> f64| {
            let mut sorted: Vec<f64> = pairs.iter().map(value).collect();
            sorted.sort_by(f64::total_cmp);
            let at = |index: usize| sorted.get(index).copied().unwrap_or(f64::NAN);
            let (middle, last) = (sorted.len() / 2, sorted.len().saturating_sub(1));
            let text = format!("{:.2} / {:.2} / {:.2}", at(0), at(middle), at(last));
            (text, at(middle))
        };
        let (own, median) = show(|(ours, _)| ours * 1e3);
        row(&pair.what, format!("{own} ms"));
        let (theirs, _) = show(|(_, theirs)| theirs * 1e3);
        row(&format!("  {}", pair.peer), format!("{theirs} ms"));
        let (ratio, _) = show(|(ours, theirs)| ours / theirs);
        row("  ratio, pair by pair", format!("{ratio} x"));
        let against = |limit: f64, median: f64| {
            row(
                "  limit / median",
                format!("{:.1} x (limit {limit} ms)", limit / median),
            );
        };
        if let Some(limit) = pair.median {
            against(limit, median);
        }
        if let Some(limit) = pair.beyond {
            let (beyond, median) = show(|(ours, theirs)| (ours - theirs) * 1e3);
            row("  beyond it", format!("{beyond} ms"));
            against(limit, median);
        }
        if let Some(limit) = pair.memory {
            self.turn.set(self.turn.get() + 1);
            self.once(&pair.before, folder)?;
            let peak = peak(self.spawn(&pair.ours, folder)?)?;
            row(
                "  peak memory",
                format!("{peak:.1} MiB (limit {limit:.1} MiB)"),
            );
        }
        Ok(())
    }

    /// Time of one run of a command in seconds; the command must exit with 0.
    pub(super) fn once(&self, command: &str, folder: &Path) -> Seconds {
        if command.is_empty() {
            return Ok(0.0);
        }
        let start = Instant::now();
        let mut child = self.spawn(command, folder)?;
        let status = child.wait().map_err(Fault::from_error)?;
        let seconds = start.elapsed().as_secs_f64();
        if status.success() {
            return Ok(seconds);
        }
        Err(Fault::new(format!("{command}: {status}")))
    }

    /// Starts a command, with a shell only if it contains special characters.
    #[expect(
        clippy::disallowed_methods,
        reason = "a deadline's bookkeeping would be measured too"
    )]
    fn spawn(&self, command: &str, folder: &Path) -> Result<Child, Fault> {
        let command = command.replace("{n}", &self.turn.get().to_string());
        let special = ['$', '\'', '"', ';', '|', '&', '<', '>', '*', '\n'];
        let mut call = if command.contains(special) {
            let mut shell = Command::new("sh");
            shell.args(["-ec", &command]).envs(self.variables());
            shell
        } else {
            let mut words = command.split_whitespace();
            let name = words.next().unwrap_or_default();
            let built = self.built.join(name);
            let mut call = Command::new(if built.is_file() { built } else { name.into() });
            call.args(words);
            call
        };
        call.current_dir(folder)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        call.spawn()
            .map_err(|error| Fault::new(format!("cannot start {command}: {error}")))
    }
}

/// The peak resident memory of a process in MiB. The kernel's high-water mark is read while the process lives.
#[expect(
    clippy::disallowed_methods,
    reason = "reads /proc at short intervals until the process ends"
)]
fn peak(mut child: Child) -> Result<f64, Fault> {
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0;
    while child.try_wait().map_err(Fault::from_error)?.is_none() {
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        let mark = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kib = mark.and_then(|rest| rest.trim().trim_end_matches(" kB").parse().ok());
        peak = peak.max(kib.unwrap_or(0_u32));
        thread::sleep(Duration::from_micros(500));
    }
    Ok(f64::from(peak) / 1024.0)
}

/// Prints one row of the table.
pub(super) fn row(name: &str, value: impl fmt::Display) {
    println!("  {name:<44} {value}");
}
