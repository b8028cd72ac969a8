//! Watches the command and all its descendants until none is left.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::format::{CANCEL, CLAIM, EndedByUs, Ending, Exit, LEFT_ALONE, Spec};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitOptions, kill_process_group, wait};

use crate::clock;
use crate::error::AttemptError;
use crate::processes::{self, Member};
use crate::runner::record::Heartbeat;
use crate::runner::wake::Wake;

/// Pause between two rounds of SIGKILL, at first and at most. A tree may grow while it is killed; a process that hangs in the kernel does
/// not end sooner if it is signalled more often.
const KILL_AGAIN: [Duration; 2] = [Duration::from_millis(100), Duration::from_secs(5)];

/// The job is being ended.
#[derive(Clone, Copy, Debug)]
struct Stop {
    /// When SIGKILL is sent, on the clock of [`clock::steady`].
    kill_at: Duration,
    /// Whether processes that outlived the command have got SIGTERM, too.
    rest_told: bool,
    /// Pause until the next round of SIGKILL.
    pause: Duration,
}

/// The watch over one command.
#[derive(Debug)]
pub(super) struct Supervisor<'a> {
    spec: &'a Spec,
    folder: &'a Path,
    wake: &'a mut Wake,
    child: i32,
    began: Duration,
    ended: Option<Duration>,
    exit: &'a mut Exit,
    /// Whether the job has got the signal before its time limit.
    noticed: bool,
    stop: Option<Stop>,
    left_behind: BTreeSet<Member>,
    heartbeat: Heartbeat,
    successor: Option<PathBuf>,
}

impl<'a> Supervisor<'a> {
    /// Watches `child`, which leads a process group and was started at `began`. The result goes into `exit`.
    pub(super) fn new(
        spec: &'a Spec,
        folder: &'a Path,
        wake: &'a mut Wake,
        (child, began): (i32, Duration),
        exit: &'a mut Exit,
    ) -> Self {
        let next = spec.attempt.saturating_add(1).to_string();
        Self {
            spec,
            folder,
            wake,
            child,
            began,
            ended: None,
            exit,
            noticed: false,
            stop: None,
            left_behind: BTreeSet::new(),
            heartbeat: Heartbeat::of(folder),
            successor: folder.parent().map(|job| job.join(next).join(CLAIM)),
        }
    }

    /// Waits until the command and all its descendants are gone.
    ///
    /// While the command runs, at its time limit or on request: SIGTERM to its group, and SIGKILL to the whole tree after the grace period.
    /// After it has exited: its descendants get `linger`, then the same.
    pub(super) fn watch(&mut self) -> Result<(), AttemptError> {
        loop {
            let empty = self.reap()?;
            // While a job is being ended, all its processes must end. Otherwise they may be left alone, unless the command was killed by a
            // signal: then they may still do its work.
            let killed = matches!(self.exit.ending, Ending::Signal(_));
            let alone = self.spec.linger_ms == LEFT_ALONE && self.stop.is_none() && !killed;
            let is_over = empty || alone;
            if is_over && self.ended.is_some() {
                let left_behind = u32::try_from(self.left_behind.len());
                self.exit.left_behind = left_behind.unwrap_or(u32::MAX);
                return Ok(());
            }
            let now = clock::steady();
            let asked = self.asked();
            let until = match self.ended {
                None => self.while_it_runs(now, asked),
                Some(ended) => self.after_it_ended(now, asked, ended),
            };
            self.wake.wait(until.min(self.heartbeat.next))?;
        }
    }

    /// Reaps all processes that have ended; gives whether none is left. This process adopts orphaned descendants, so without children it
    /// has no descendants either.
    fn reap(&mut self) -> Result<bool, AttemptError> {
        loop {
            match wait(WaitOptions::NOHANG) {
                Ok(Some((pid, status))) if pid.as_raw_nonzero().get() == self.child => {
                    let ending = match (status.exit_status(), status.terminating_signal()) {
                        (Some(code), _) => Ending::Code(code),
                        (None, Some(signal)) => Ending::Signal(signal),
                        // It was stopped or continued, which is no end.
                        (None, None) => continue,
                    };
                    // The request also reached the job, which ended before this process saw the request.
                    if self.stop.is_none() && self.wake.told_to_end() {
                        self.exit.ended_by_us = EndedByUs::Cancelled;
                    }
                    let ended = clock::steady();
                    self.exit.ending = ending;
                    self.exit.ended = clock::wall();
                    self.exit.ran_ms = clock::milliseconds(ended.saturating_sub(self.began));
                    self.ended = Some(ended);
                }
                Ok(Some(_)) | Err(Errno::INTR) => {}
                Ok(None) => return Ok(false),
                Err(Errno::CHILD) => return Ok(true),
                Err(error) => return Err(AttemptError::system("wait for the job")(error)),
            }
        }
    }

    /// Whether somebody asked to end the attempt. The folder is checked after SIGUSR1 and at each heartbeat, for those who can write there
    /// and cannot send signals to this machine.
    fn asked(&mut self) -> bool {
        let beat = self.heartbeat.beat();
        let looked = self.wake.told_to_look() || beat;
        self.wake.told_to_end()
            || (looked && self.folder.join(CANCEL).exists())
            // Somebody believed this runner dead and began the next attempt; the two must not write at the same time.
            || (beat && self.successor.as_ref().is_some_and(|claim| claim.exists()))
    }

    /// Handles requests and the time limit while the command runs. Gives the time until which to wait.
    fn while_it_runs(&mut self, now: Duration, asked: bool) -> Duration {
        let limit = self.spec.time_limit_ms.map(Duration::from_millis);
        let limit = limit.map_or(Duration::MAX, |limit| self.began.saturating_add(limit));
        match self.stop {
            None if asked || now >= limit => {
                self.exit.ended_by_us = if asked {
                    EndedByUs::Cancelled
                } else {
                    EndedByUs::TimeLimit
                };
                self.signal_group(Signal::TERM);
                // A stopped process receives SIGTERM only after it is continued.
                self.signal_group(Signal::CONT);
                self.begin_stop(now, false)
            }
            None => self.notice(now, limit),
            Some(stop) if now < stop.kill_at => stop.kill_at,
            Some(stop) => {
                self.signal_group(Signal::KILL);
                signal_rest(Signal::KILL);
                self.kill_again(now, stop)
            }
        }
    }

    /// Sends the signal before the time limit, once, when it is due. Gives the time until which to wait.
    fn notice(&mut self, now: Duration, limit: Duration) -> Duration {
        let Some(notice) = self.spec.notice.filter(|_| !self.noticed) else {
            return limit;
        };
        let due = limit.saturating_sub(Duration::from_millis(notice.before_ms));
        if now < due {
            return due;
        }
        self.noticed = true;
        if let Some(signal) = Signal::from_named_raw(notice.signal) {
            // Only to those that handle it: it would end a shell that waits for its program.
            for member in processes::descendants(processes::own_pid()) {
                if processes::handles(member.pid, notice.signal) {
                    processes::send(member, signal);
                }
            }
        }
        limit
    }

    /// Handles processes that outlived the command. Gives the time until which to wait.
    fn after_it_ended(&mut self, now: Duration, asked: bool, ended: Duration) -> Duration {
        let linger = ended.saturating_add(Duration::from_millis(self.spec.linger_ms));
        match self.stop {
            None if asked || now >= linger => {
                let told = terminate_rest();
                self.left_behind.extend(told);
                self.begin_stop(now, true)
            }
            None => linger,
            // The command was ended on request. Its descendants may be ending as well, and count as left behind only if they must be
            // killed.
            Some(stop) if !stop.rest_told => {
                terminate_rest();
                self.stop_at(stop.kill_at, true, stop.pause)
            }
            Some(stop) if now < stop.kill_at => stop.kill_at,
            Some(stop) => {
                let killed = signal_rest(Signal::KILL);
                self.left_behind.extend(killed);
                self.kill_again(now, stop)
            }
        }
    }

    fn begin_stop(&mut self, now: Duration, rest_told: bool) -> Duration {
        let grace = Duration::from_millis(self.spec.kill_grace_ms);
        self.stop_at(now.saturating_add(grace), rest_told, KILL_AGAIN[0])
    }

    /// Sets the time of the next round of SIGKILL, and gives it.
    fn kill_again(&mut self, now: Duration, stop: Stop) -> Duration {
        let pause = (stop.pause * 2).min(KILL_AGAIN[1]);
        self.stop_at(now.saturating_add(stop.pause), true, pause)
    }

    fn stop_at(&mut self, kill_at: Duration, rest_told: bool, pause: Duration) -> Duration {
        self.stop = Some(Stop {
            kill_at,
            rest_told,
            pause,
        });
        kill_at
    }

    /// Signals the command's process group. Its id cannot be reused while the command is not reaped.
    fn signal_group(&self, signal: Signal) {
        if let Some(group) = Pid::from_raw(self.child) {
            // The group may already be gone, which is what the signal is for.
            kill_process_group(group, signal).unwrap_or_default();
        }
    }
}

/// Signals all descendants of this process; gives those that it reached.
fn signal_rest(signal: Signal) -> Vec<Member> {
    let mut rest = processes::descendants(processes::own_pid());
    rest.retain(|member| processes::send(*member, signal));
    rest
}

fn terminate_rest() -> Vec<Member> {
    let told = signal_rest(Signal::TERM);
    // Stopped processes receive SIGTERM only after they are continued.
    signal_rest(Signal::CONT);
    told
}
