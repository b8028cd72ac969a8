//! A thread that queries the cards, so that nothing else waits when a query hangs.

use std::collections::BTreeSet;
use std::io::{self, Read as _, Write as _};
use std::os::fd::{AsFd as _, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

use super::{CardId, Sample, Silence, Smi};
use crate::clock;
use crate::error::AttemptError;

/// How soon the next sample is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Pace {
    /// At most one per second.
    Calm,
    /// A job has just left a card: as soon as possible.
    Prompt,
}

impl Pace {
    /// Time between an answer and the next query. nvidia-smi uses CPU time, so a prompt query waits half as long as the last one took, at
    /// most 100 ms.
    ///
    /// **Source**: queue design §7 (once per second) and §13 (end to next start below 250 ms).
    fn gap(self, took: Duration) -> Duration {
        match self {
            Self::Calm => Duration::from_secs(1),
            Self::Prompt => (took / 2).min(Duration::from_millis(100)),
        }
    }
}

/// Pause after a query that timed out, because each one may leave a process behind that cannot be killed.
const AFTER_A_HANG: Duration = Duration::from_secs(30);

/// Queries the cards on request.
#[derive(Debug)]
pub struct Monitor {
    asks: Sender<Pace>,
    samples: Receiver<Sample>,
    told: UnixStream,
}

impl Monitor {
    /// Starts the thread. It queries nothing before [`Monitor::ask`], and ends when this value is dropped. Samples contain processes once
    /// per second; if `processes` is set, always.
    pub fn start(
        program: Smi,
        wanted: BTreeSet<CardId>,
        processes: bool,
    ) -> Result<Self, AttemptError> {
        let started = Self::started(program, wanted, processes);
        started.map_err(AttemptError::system("watch the cards"))
    }

    fn started(program: Smi, wanted: BTreeSet<CardId>, processes: bool) -> io::Result<Self> {
        let (told, teller) = UnixStream::pair()?;
        for end in [&told, &teller] {
            end.set_nonblocking(true)?;
        }
        let (asks, asked) = channel();
        let (answers, samples) = channel();
        thread::Builder::new()
            .name(String::from("cards"))
            .spawn(move || answer(&program, &wanted, processes, &asked, &answers, teller))?;
        Ok(Self {
            asks,
            samples,
            told,
        })
    }

    /// Requests a sample whose query starts after this call. Returns at once; several requests before the next sample give one sample.
    pub fn ask(&self, pace: Pace) {
        // Cannot fail: the thread runs for as long as this value lives.
        self.asks.send(pace).unwrap_or_default();
    }

    /// Readable when there is a new sample.
    pub fn fd(&self) -> BorrowedFd<'_> {
        self.told.as_fd()
    }

    /// The latest sample, if there is one since the last call.
    pub fn take(&mut self) -> Option<Sample> {
        let mut buffer = [0_u8; 64];
        while self.told.read(&mut buffer).is_ok_and(|count| count > 0) {}
        self.samples.try_iter().last()
    }
}

fn answer(
    program: &Smi,
    wanted: &BTreeSet<CardId>,
    always: bool,
    asked: &Receiver<Pace>,
    answers: &Sender<Sample>,
    mut teller: UnixStream,
) {
    let mut last: Option<Duration> = None;
    let mut told: Option<Duration> = None;
    let mut took = Duration::ZERO;
    let mut least = Duration::ZERO;
    while let Ok(mut pace) = asked.recv() {
        // While this request waits, further ones may arrive, one of which may be more urgent.
        loop {
            let due = last.map_or(Duration::ZERO, |last| last + pace.gap(took).max(least));
            match asked.recv_timeout(due.saturating_sub(clock::steady())) {
                Ok(other) => pace = pace.max(other),
                Err(RecvTimeoutError::Timeout) => break,
                Err(RecvTimeoutError::Disconnected) => return,
            }
        }
        let due = told.is_none_or(|told| clock::steady() >= told + Pace::Calm.gap(took));
        let sample = program.sample(wanted, always || due);
        if due {
            told = Some(sample.asked);
        }
        let ended = clock::steady();
        took = ended.saturating_sub(sample.asked);
        last = Some(ended);
        least = if sample.silence == Some(Silence::Late) {
            AFTER_A_HANG
        } else {
            Duration::ZERO
        };
        // If the monitor is gone, the next receive fails and ends this thread.
        answers.send(sample).unwrap_or_default();
        // If the socket is full, the reader is woken anyway.
        teller.write(b"s").map_or_else(drop, drop);
    }
}
