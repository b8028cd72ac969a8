//! A thread that asks for the cards, so that nothing else waits when it hangs.

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
    /// At most one in a second.
    Calm,
    /// A job has just left a card: as soon as the last answer allows.
    Prompt,
}

impl Pace {
    /// Between an answer and the next question. nvidia-smi costs processor time: it rests for half as long as it took, and at most 100 ms.
    ///
    /// **Source**: queue design §7 (once per second) and §13 (end to next start below 250 ms).
    fn gap(self, took: Duration) -> Duration {
        match self {
            Self::Calm => Duration::from_secs(1),
            Self::Prompt => (took / 2).min(Duration::from_millis(100)),
        }
    }
}

/// After an answer that did not come in time: each further try may leave a process behind that nobody can end.
const AFTER_A_HANG: Duration = Duration::from_secs(30);

/// Samples the cards when it is asked to.
#[derive(Debug)]
pub struct Monitor {
    asks: Sender<Pace>,
    samples: Receiver<Sample>,
    told: UnixStream,
}

impl Monitor {
    /// Starts the thread; it asks nothing before [`Monitor::ask`], and ends when this is dropped. A sample tells of processes once a second,
    /// or with `processes` always.
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

    /// Wants a sample that is asked for after this call. Returns at once; several wants before the next sample are one.
    pub fn ask(&self, pace: Pace) {
        // The thread ends with this value and not before.
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
        // Further wants may come while this one waits for its turn, and one of them may be in more of a hurry.
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
        // Of a monitor that is gone the next question tells.
        answers.send(sample).unwrap_or_default();
        // A full socket tells as much as one byte more would.
        teller.write(b"s").map_or_else(drop, drop);
    }
}
