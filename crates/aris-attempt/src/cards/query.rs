//! Asking nvidia-smi.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

use aris_proc::{End, Finished, ProcError};

use super::{Card, Sample, Silence, text};
use crate::clock;

/// How long it may take. **Source**: queue design; a healthy one answers within a second, one behind a hung driver never.
const LIMIT: Duration = Duration::from_secs(10);

/// Less than this is not worth starting it for.
const LEAST: Duration = Duration::from_millis(100);

const CARDS: &str = "--query-gpu=index,uuid,memory.used,memory.total";
const PROCESSES: &str = "--query-compute-apps=gpu_uuid,pid,used_memory";
const FORMAT: &str = "--format=csv,noheader,nounits";

/// The program nvidia-smi, or one that answers like it.
#[derive(Clone, Debug)]
pub struct NvidiaSmi {
    program: PathBuf,
    limit: Duration,
}

impl Default for NvidiaSmi {
    /// `nvidia-smi` from the `PATH`, with 10 s for an answer.
    fn default() -> Self {
        Self::at("nvidia-smi", LIMIT)
    }
}

/// No answer: why, and in words.
type Unanswered = (Silence, String);

impl NvidiaSmi {
    /// A program by name or path, and the time it has for everything that one sample needs.
    pub fn at(program: impl AsRef<Path>, limit: Duration) -> Self {
        Self {
            program: program.as_ref().to_path_buf(),
            limit,
        }
    }

    /// Asks for all cards and what runs on them. Never fails: what is not answered is unknown. Takes at most the limit and the second and
    /// a half after which a program that cannot be killed is left behind.
    ///
    /// Cards in `wanted` are in the sample in any case. When the program refuses for one card that is lost, the others are asked for one
    /// by one.
    pub fn sample(&self, wanted: &BTreeSet<u32>) -> Sample {
        let asked = clock::steady();
        let until = asked + self.limit;
        let mut sample = match self.cards(None, until) {
            Ok((cards, problem)) => Sample {
                asked,
                cards,
                processes: self.processes(None, until),
                problem,
                silence: None,
            },
            Err((Silence::Failed, why)) => self.one_by_one(wanted, &why, asked, until),
            Err((silence, why)) => Sample {
                asked,
                silence: Some(silence),
                problem: Some(why),
                ..Sample::default()
            },
        };
        for index in wanted {
            let why = || {
                let problem = sample.problem.clone();
                problem.unwrap_or_else(|| String::from("nvidia-smi does not list it"))
            };
            sample
                .cards
                .entry(*index)
                .or_insert_with(|| Card::unknown(why()));
        }
        sample
    }

    fn one_by_one(
        &self,
        wanted: &BTreeSet<u32>,
        why: &str,
        asked: Duration,
        until: Duration,
    ) -> Sample {
        let mut sample = Sample {
            asked,
            problem: Some(String::from(why)),
            processes: Some(Vec::new()),
            silence: Some(Silence::Failed),
            ..Sample::default()
        };
        for index in wanted {
            match self.cards(Some(*index), until) {
                Ok((cards, _)) => {
                    sample
                        .cards
                        .extend(cards.into_iter().filter(|(one, _)| one == index));
                    let processes = self.processes(Some(*index), until);
                    sample.processes = sample.processes.zip(processes).map(|(mut all, more)| {
                        all.extend(more);
                        all
                    });
                }
                Err((silence, why)) => {
                    if silence == Silence::Late {
                        sample.silence = Some(silence);
                    }
                    sample.cards.insert(*index, Card::unknown(why));
                }
            }
        }
        sample
    }

    fn cards(
        &self,
        only: Option<u32>,
        until: Duration,
    ) -> Result<(BTreeMap<u32, Card>, Option<String>), Unanswered> {
        let with_mode = format!("{CARDS},mig.mode.current");
        let answer = match self.ask(&[&with_mode, FORMAT], only, until) {
            // Drivers before MIG refuse to be asked about it.
            Err((Silence::Failed, why)) if why.contains("mig.mode.current") => {
                self.ask(&[CARDS, FORMAT], only, until)
            }
            other => other,
        }?;
        let (mut cards, divided, problem) = text::cards(&answer);
        if !divided.is_empty() {
            let slices = self.ask(&["-L"], None, until).unwrap_or_default();
            let mut slices = text::slices(&slices);
            for index in divided {
                if let Some(card) = cards.get_mut(&index) {
                    card.slices = slices.remove(&index).unwrap_or_default();
                }
            }
        }
        Ok((cards, problem))
    }

    fn processes(&self, only: Option<u32>, until: Duration) -> Option<Vec<super::Process>> {
        let answer = self.ask(&[PROCESSES, FORMAT], only, until).ok()?;
        text::processes(&answer)
    }

    fn ask(
        &self,
        words: &[&str],
        only: Option<u32>,
        until: Duration,
    ) -> Result<Vec<u8>, Unanswered> {
        let left = until.saturating_sub(clock::steady());
        let late = || {
            let seconds = self.limit.as_secs_f64();
            let why = format!("nvidia-smi did not answer within {seconds} s");
            (Silence::Late, why)
        };
        if left < LEAST {
            return Err(late());
        }
        let mut command = aris_proc::command(&self.program, "/").args(words);
        if let Some(index) = only {
            command = command.arg(format!("--id={index}"));
        }
        match command.run(left) {
            Ok(done) => {
                answer(done).map_err(|why| why.map_or_else(late, |why| (Silence::Failed, why)))
            }
            Err(ProcError::Absent { .. }) => {
                Err((Silence::Absent, String::from("nvidia-smi is not installed")))
            }
            Err(error) => Err((Silence::Absent, error.to_string())),
        }
    }
}

/// What it said; why it said nothing, `None` for the limit.
fn answer(done: Finished) -> Result<Vec<u8>, Option<String>> {
    match done.end {
        End::Exited(0) if done.stdout.dropped == 0 => Ok(done.stdout.bytes),
        End::Exited(0) => Err(Some(String::from("nvidia-smi says more than can be read"))),
        End::Exited(code) => {
            // It explains itself on stdout.
            let said = [done.stdout.text(), done.stderr.text()].map(|text| text::shown(&text));
            let said = said.into_iter().find(|text| !text.is_empty());
            Err(Some(format!(
                "nvidia-smi failed ({code}): {}",
                said.unwrap_or_default()
            )))
        }
        End::Signalled(signal) => Err(Some(format!("nvidia-smi was ended by signal {signal}"))),
        End::TimedOut => Err(None),
    }
}
