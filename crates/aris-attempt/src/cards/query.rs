//! Queries of nvidia-smi, or of rocm-smi where nvidia-smi is not installed.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use aris_proc::{End, Finished, ProcError};

use super::{Card, CardId, Memory, Process, Sample, Silence, nvidia, rocm};
use crate::clock;

/// Deadline of one sample. **Source**: queue design; a healthy nvidia-smi answers within a second, one with a hung driver never.
const LIMIT: Duration = Duration::from_secs(10);

/// If less time than this is left, the program is not started.
const LEAST: Duration = Duration::from_millis(100);

const CARDS: &str = "--query-gpu=index,uuid,memory.used,memory.total";
const PROCESSES: &str = "--query-compute-apps=gpu_uuid,pid,used_memory";
const FORMAT: &str = "--format=csv,noheader,nounits";

/// Exit code of nvidia-smi if there is no device. Exit code 9 is another case: a driver that is not loaded yet may be loaded later.
///
/// **Source**: `man nvidia-smi`, "Return value".
const NO_CARD: i32 = 6;

/// Exit code of nvidia-smi if a card has fallen off the bus. It then reports no card at all.
///
/// **Source**: as above.
const LOST_CARD: i32 = 15;

/// Why the memory of a slice is unknown.
const UNTOLD: &str = "nvidia-smi does not tell its memory";

/// Most cards that are queried one by one.
const MOST: u32 = 64;

/// The programs that report cards, or replacements for tests.
#[derive(Clone, Debug)]
pub struct Smi {
    nvidia: PathBuf,
    rocm: PathBuf,
    limit: Duration,
}

impl Default for Smi {
    /// `nvidia-smi` and `rocm-smi` from the `PATH`, with a limit of 10 s.
    fn default() -> Self {
        Self::at("nvidia-smi", "rocm-smi", LIMIT)
    }
}

/// There is no answer: the kind of failure, and a message.
type Unanswered = (Silence, String);

/// Cards, processes on slices, and what was wrong with the answer as a whole.
type Told = (BTreeMap<CardId, Card>, Vec<Process>, Option<String>);

impl Smi {
    /// Programs by name or path, and the time limit of one sample.
    pub fn at(nvidia: impl AsRef<Path>, rocm: impl AsRef<Path>, limit: Duration) -> Self {
        Self {
            nvidia: nvidia.as_ref().to_path_buf(),
            rocm: rocm.as_ref().to_path_buf(),
            limit,
        }
    }

    /// Queries all cards, and with `processes` also what runs on them. It never fails: what is not answered is unknown. It takes at most
    /// the limit, plus the 1.5 s after which a program that cannot be killed is left behind.
    ///
    /// Cards in `wanted` are always in the sample. If the program fails because one card is lost, the cards are queried one by one: those
    /// that answer are known, and [`Sample::problem`] reports the lost one.
    pub fn sample(&self, wanted: &BTreeSet<CardId>, processes: bool) -> Sample {
        let asked = clock::steady();
        let until = asked + self.limit;
        // In parallel, so that a job waits only for the slower answer.
        let (cards, told) = thread::scope(|scope| {
            let told = processes.then(|| scope.spawn(|| self.processes(None, until)));
            let cards = self.cards(None, until);
            (cards, told.and_then(|told| told.join().unwrap_or(None)))
        });
        let mut sample = match cards {
            Ok((cards, on_slices, problem)) => Sample {
                problem,
                processes: with_those_on_slices(told, on_slices),
                cards,
                ..Sample::default()
            },
            Err((silence @ (Silence::Failed | Silence::Lost), why)) => {
                let numbers = wanted.iter().map(|id| id.card);
                let mut numbers: BTreeSet<u32> = numbers.collect();
                if numbers.is_empty() && silence == Silence::Lost {
                    numbers.extend(0..MOST);
                }
                self.one_by_one(numbers, why, until)
            }
            Err((Silence::Absent, why)) => self.amd(why, until),
            Err((silence, why)) => silent(silence, why),
        };
        sample.asked = asked;
        for id in wanted {
            if sample.cards.keys().any(|listed| id.has(*listed)) {
                continue;
            }
            let whole = sample.cards.get(&CardId::whole(id.card));
            let why = match (&sample.problem, whole) {
                (None, Some(_)) => String::from("the card is not divided"),
                (None, None) => String::from("nvidia-smi does not list it"),
                (Some(problem), _) => problem.clone(),
            };
            sample.cards.insert(*id, Card::unknown(why));
        }
        sample
    }

    /// The cards of AMD. If rocm-smi is not installed either, the sample says `why` nvidia-smi did not answer.
    fn amd(&self, why: String, until: Duration) -> Sample {
        let (cards, problem) = match self.ask(&self.rocm, &rocm::QUESTION, None, until) {
            Ok(answer) => rocm::cards(&answer),
            Err((Silence::Absent, _)) => return silent(Silence::Absent, why),
            Err((silence, why)) => return silent(silence, why),
        };
        Sample {
            cards,
            problem,
            ..Sample::default()
        }
    }

    fn one_by_one(&self, numbers: BTreeSet<u32>, why: String, until: Duration) -> Sample {
        let mut sample = Sample {
            processes: Some(Vec::new()),
            ..silent(Silence::Failed, why)
        };
        for number in numbers {
            match self.cards(Some(number), until) {
                Ok((cards, on_slices, _)) => {
                    let this = |(id, _): &(CardId, Card)| id.card == number;
                    sample.cards.extend(cards.into_iter().filter(this));
                    let processes = self.processes(Some(number), until);
                    let processes = with_those_on_slices(processes, on_slices);
                    sample.processes = sample.processes.zip(processes).map(|(mut all, more)| {
                        all.extend(more);
                        all
                    });
                    if sample.silence == Some(Silence::Failed) {
                        sample.silence = None;
                    }
                }
                // There are no further cards.
                Err((Silence::Absent, _)) => break,
                Err((silence, why)) => {
                    if silence == Silence::Late {
                        sample.silence = Some(silence);
                    }
                    let id = CardId::whole(number);
                    sample.cards.insert(id, Card::unknown(why));
                }
            }
        }
        sample
    }

    fn cards(&self, only: Option<u32>, until: Duration) -> Result<Told, Unanswered> {
        let with_mode = format!("{CARDS},mig.mode.current");
        let answer = match self.ask(&self.nvidia, &[&with_mode, FORMAT], only, until) {
            // Drivers older than MIG refuse to answer this.
            Err((_, why)) if why.contains("mig.mode.current") => {
                self.ask(&self.nvidia, &[CARDS, FORMAT], only, until)
            }
            other => other,
        }?;
        let (mut cards, divided, problem) = nvidia::cards(&answer);
        let mut processes = Vec::new();
        if !divided.is_empty() {
            let names = self.ask(&self.nvidia, &["-L"], None, until);
            let details = self.ask(&self.nvidia, &["-q", "-x"], None, until);
            for number in divided {
                let Some(card) = cards.remove(&CardId::whole(number)) else {
                    continue;
                };
                let (slices, on_them) = divide(number, card, &names, &details);
                cards.extend(slices);
                processes.extend(on_them);
            }
        }
        Ok((cards, processes, problem))
    }

    fn processes(&self, only: Option<u32>, until: Duration) -> Option<Vec<Process>> {
        let answer = self.ask(&self.nvidia, &[PROCESSES, FORMAT], only, until);
        nvidia::processes(&answer.ok()?)
    }

    fn ask(
        &self,
        program: &Path,
        words: &[&str],
        only: Option<u32>,
        until: Duration,
    ) -> Result<Vec<u8>, Unanswered> {
        let left = until.saturating_sub(clock::steady());
        let name = program.file_name().unwrap_or_default().to_string_lossy();
        let late = || {
            let seconds = self.limit.as_secs_f64();
            let why = format!("{name} did not answer within {seconds} s");
            (Silence::Late, why)
        };
        if left < LEAST {
            return Err(late());
        }
        let mut command = aris_proc::command(program, "/").args(words);
        if let Some(index) = only {
            command = command.arg(format!("--id={index}"));
        }
        match command.run(left) {
            Ok(done) => {
                let silence = match done.end {
                    End::Exited(NO_CARD) => Silence::Absent,
                    End::Exited(LOST_CARD) => Silence::Lost,
                    _ => Silence::Failed,
                };
                answer(&name, done).map_err(|why| why.map_or_else(late, |why| (silence, why)))
            }
            Err(error) => {
                let is_absent = matches!(error, ProcError::Absent { .. });
                let absent = is_absent.then(|| format!("{name} is not installed"));
                Err((Silence::Absent, absent.unwrap_or_else(|| error.to_string())))
            }
        }
    }
}

/// A sample without an answer.
fn silent(silence: Silence, why: String) -> Sample {
    Sample {
        silence: Some(silence),
        problem: Some(why),
        ..Sample::default()
    }
}

/// The slices of a divided card, and the processes on them. If the slices are not reported, or there are none, the card is unknown: a
/// program that is given the whole card would find no device.
fn divide(
    number: u32,
    card: Card,
    names: &Result<Vec<u8>, Unanswered>,
    details: &Result<Vec<u8>, Unanswered>,
) -> (BTreeMap<CardId, Card>, Vec<Process>) {
    let whole = |why: String| {
        let unknown = (CardId::whole(number), Card::unknown(why));
        (BTreeMap::from([unknown]), Vec::new())
    };
    let mut mine = match names {
        Ok(answer) => nvidia::names(answer),
        Err((_, why)) => {
            let what = "it is divided (MIG), and its slices are not told";
            return whole(format!("{what}: {why}"));
        }
    };
    mine.retain(|id, _| id.card == number);
    if mine.is_empty() {
        return whole(String::from("it is divided (MIG) and has no slices"));
    }
    let (details, why) = match details {
        Ok(answer) => (nvidia::slices(answer), UNTOLD),
        Err((_, why)) => (None, why.as_str()),
    };
    let details = details.and_then(|mut cards| cards.remove(card.uuid.as_ref()?));
    let mut details = details.unwrap_or_default();
    let processes = details.processes.iter().filter_map(|(slice, pid, used)| {
        Some(Process {
            uuid: mine.get(&CardId::slice(number, *slice))?.clone(),
            pid: *pid,
            used: *used,
        })
    });
    let processes = processes.collect();
    let slices = mine.into_iter().map(|(id, name)| {
        let memory = id.slice.and_then(|slice| details.memory.remove(&slice));
        let slice = Card {
            uuid: Some(name),
            of: card.uuid.clone(),
            maker: card.maker,
            memory: memory.unwrap_or_else(|| Memory::Unknown(why.to_owned())),
        };
        (id, slice)
    });
    (slices.collect(), processes)
}

/// Merges both lists. A process on a slice is listed twice, once for the card, which is left out here.
fn with_those_on_slices(
    processes: Option<Vec<Process>>,
    on_slices: Vec<Process>,
) -> Option<Vec<Process>> {
    let pids: BTreeSet<i32> = on_slices.iter().map(|process| process.pid).collect();
    let mut processes = processes?;
    processes.retain(|process| !pids.contains(&process.pid));
    processes.extend(on_slices);
    Some(processes)
}

/// The output, or why there is none; `None` for a timeout.
fn answer(name: &str, done: Finished) -> Result<Vec<u8>, Option<String>> {
    match done.end {
        End::Exited(0) if done.stdout.dropped == 0 => Ok(done.stdout.bytes),
        End::Exited(0) => Err(Some(format!("{name} says more than can be read"))),
        End::Exited(code) => {
            // nvidia-smi prints its error messages on stdout.
            let said = [done.stdout.text(), done.stderr.text()].map(|text| nvidia::shown(&text));
            let said = said.into_iter().find(|text| !text.is_empty());
            let said = said.unwrap_or_default();
            Err(Some(format!("{name} failed ({code}): {said}")))
        }
        End::Signalled(signal) => Err(Some(format!("{name} was ended by signal {signal}"))),
        End::TimedOut => Err(None),
    }
}
