//! Decides which jobs to start now: a pure function of the queue, the time and the cards.
//!
//! Jobs start by priority, then in the manifest's order. A job that does not fit does not delay those that do, unless it has waited long
//! for several cards: then cards that become free are kept for it. The smallest suitable cards are taken first, so that large ones stay
//! free for jobs that need them. **Source**: queue design §7, §8.

use std::collections::BTreeMap;

use aris_attempt::cards::CardId;
use aris_contract::text::counted;

use crate::manifest::{Job, OtherGpu};
use crate::state::{Group, Queue, Reason, Usage, Verdict};

/// A card, as the monitor and the leases report it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Card {
    /// Its id.
    pub id: CardId,
    /// Its memory, MiB.
    pub total_mib: Option<u64>,
    /// Whether a job may get it.
    pub availability: Availability,
}

/// Whether a job may get a card.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Availability {
    /// Only jobs of this queue use it, or nobody.
    Free,
    /// Somebody else uses it: who, or how much.
    Busy(String),
    /// Its state is unknown: why.
    Unknown(String),
}

/// An attempt to start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Start {
    /// The job.
    pub job: u32,
    /// Its cards, sorted.
    pub cards: Vec<CardId>,
}

/// Why a ready job cannot start now.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Obstacle {
    /// The limit of jobs with cards is reached.
    #[error("only {} with cards may run at once (max_parallel)", counted(.0, "job"))]
    MaxParallel(u32),
    /// The limit of jobs without cards is reached.
    #[error("only {} without cards may run at once (max_cpu_jobs)", counted(.0, "job"))]
    CpuSlots(u32),
    /// The limit of the phase is reached.
    #[error("only {} of its phase may run at once (max_parallel of the phase)", counted(.0, "job"))]
    PhaseParallel(u32),
    /// Too few cards are free: needed, free.
    #[error("it needs {}, {} can be given", counted(.0, "card"), .1)]
    Cards(u32, u32),
    /// Too few CPUs are left: needed, left, in all.
    #[error("it needs {}, and {} of {} are left", counted(.0, "processor"), .1, .2)]
    Cpus(u32, u32, u32),
    /// Too little main memory is left, in MiB: needed, left, in all.
    #[error("it needs {0} MiB of main memory, and {1} of {2} MiB are left")]
    Memory(u64, u64, u64),
    /// It ran out of memory on a card, and no card that may be larger is free: MiB that the card must have.
    #[error(
        "it ran out of memory, and waits for a card with {0} MiB: a tenth more than it was seen to use"
    )]
    LargerCard(u64),
}

/// Most jobs that may run at once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Slots {
    /// With cards.
    pub with_cards: u32,
    /// Without.
    pub without_cards: u32,
    /// `without_cards` is a default; jobs that say how many CPUs they need are not limited by it.
    pub guessed: bool,
    /// CPUs and memory of the machine.
    pub machine: Machine,
}

/// CPUs and memory that a machine has for the jobs of a queue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Machine {
    /// Number of CPUs.
    pub processors: u32,
    /// MiB of main memory; `None`: unknown.
    pub memory_mib: Option<u64>,
}

/// The slots of a queue on a machine. In a queue that uses no cards, `max_parallel` limits the jobs without cards.
pub fn slots(queue: &Queue, cards: usize, machine: Machine) -> Slots {
    let manifest = queue.manifest();
    let all = u32::try_from(cards).unwrap_or(u32::MAX);
    let no_cards = manifest.cards.as_ref().is_some_and(Vec::is_empty) || !queue.wants_cards();
    let plain = manifest
        .max_cpu_jobs
        .or(queue.max_parallel().filter(|_| no_cards));
    Slots {
        // Several jobs may share a card, so the number of cards is no limit.
        with_cards: queue.max_parallel().unwrap_or(if queue.shares_cards() {
            u32::MAX
        } else {
            all
        }),
        without_cards: plain.unwrap_or((machine.processors / 2).max(1)),
        guessed: plain.is_none(),
        machine,
    }
}

/// What is still available while starts are chosen.
struct Room<'a> {
    queue: &'a Queue,
    cards: &'a [Card],
    slots: Slots,
    /// What running jobs and the starts chosen so far use.
    usage: Usage,
    /// Cards that are kept for a job.
    reserved: Vec<CardId>,
}

/// Jobs that lack nothing but cards, and since when, on the clock of [`Queue::tick`].
pub type Short = BTreeMap<u32, u64>;

/// Chooses the jobs to start, best first. `now` is on the clock of [`Queue::tick`]; the caller passes the same `short` to each call.
pub fn choose(
    queue: &Queue,
    now: u64,
    cards: &[Card],
    slots: Slots,
    short: &mut Short,
) -> Vec<Start> {
    let mut starts = Vec::new();
    let before = std::mem::take(short);
    if !queue.has_ready() {
        return starts;
    }
    let mut room = Room::new(queue, cards, slots);
    let groups = queue.ready_groups().groups();
    let mut groups: Vec<_> = groups
        .map(|(group, jobs)| (group, jobs.peekable()))
        .collect();
    loop {
        let heads = groups.iter_mut().enumerate();
        let heads = heads.filter_map(|(at, (_, jobs))| Some((*jobs.peek()?, at)));
        let Some(((_, job), at)) = heads.min() else {
            return starts;
        };
        let group = groups[at].0;
        match room.fit(group, job) {
            Ok(chosen) => {
                room.usage.add(group, &chosen);
                starts.push(Start { job, cards: chosen });
                groups[at].1.next();
            }
            // This obstacle concerns only this job: the next ones of its group may fit.
            Err(Obstacle::LargerCard(_)) => {
                groups[at].1.next();
            }
            Err(obstacle) => {
                let possible = capable(cards, group.gpus, group.gpu_mem_mib) >= group.gpus as usize;
                if matches!(obstacle, Obstacle::Cards(..)) && group.gpus > 1 && possible {
                    let since = before.get(&job).copied().unwrap_or(now);
                    short.insert(job, since);
                    if now.saturating_sub(since) >= queue.manifest().reserve_after_ms {
                        room.reserve(group);
                    }
                }
                drop(groups.swap_remove(at));
            }
        }
    }
}

/// Whether a job that needs `gpus` cards may get this one.
///
/// **Source**: NVIDIA, MIG User Guide, "CUDA Device Enumeration": a program sees one slice only, however many it is given.
fn serves(card: &Card, gpus: u32) -> bool {
    card.id.slice.is_none() || gpus == 1
}

/// How many cards could run a job with these needs once they are free. Cards of unknown size do not count.
fn capable(cards: &[Card], gpus: u32, gpu_mem_mib: Option<u64>) -> usize {
    let able = |card: &&Card| {
        let total = card.total_mib;
        serves(card, gpus)
            && total.is_some_and(|total| gpu_mem_mib.is_none_or(|asked| asked <= total))
    };
    cards.iter().filter(able).count()
}

/// If a job can never run on these cards: the number of cards it needs, and of those that could serve it.
pub fn impossible(job: &Job, cards: &[Card]) -> Option<(u32, usize)> {
    let needed = job.settings.gpus;
    let able = capable(cards, needed, job.settings.gpu_mem_mib);
    (needed as usize > able).then_some((needed, able))
}

/// Why a ready job cannot start now, if it were the next.
pub fn obstacle(queue: &Queue, job: u32, cards: &[Card], slots: Slots) -> Option<Obstacle> {
    let spec = queue.manifest().jobs.get(job as usize)?;
    let room = Room::new(queue, cards, slots);
    room.fit(Group::of(spec), job).err()
}

impl<'a> Room<'a> {
    fn new(queue: &'a Queue, cards: &'a [Card], slots: Slots) -> Self {
        Self {
            queue,
            cards,
            slots,
            usage: queue.usage(),
            reserved: Vec::new(),
        }
    }

    /// Cards for a job of this group, or why it cannot start.
    fn fit(&self, group: Group, job: u32) -> Result<Vec<CardId>, Obstacle> {
        phase_has_room(self.queue, group.phase, &self.usage.phases)?;
        self.machine_has_room(group)?;
        if group.gpus == 0 {
            let counted = self.slots.guessed && group.cpus.is_some();
            return if self.usage.without_cards >= self.slots.without_cards && !counted {
                Err(Obstacle::CpuSlots(self.slots.without_cards))
            } else {
                Ok(Vec::new())
            };
        }
        if self.cards.is_empty() {
            return Err(Obstacle::Cards(group.gpus, 0));
        }
        if self.usage.with_cards >= self.slots.with_cards {
            return Err(Obstacle::MaxParallel(self.slots.with_cards));
        }
        let mut fitting: Vec<&Card> = self.open_cards(group).collect();
        let avoid = self.avoid(job);
        let needed = group.gpus as usize;
        if let Some(mib) = self.outgrown(job, needed) {
            let open = fitting.len();
            fitting.retain(|card| card.total_mib.is_some_and(|total| total >= mib));
            if fitting.len() < needed && open >= needed {
                return Err(Obstacle::LargerCard(mib));
            }
        }
        // First cards that other jobs share already, then the smallest. Cards on which the job ran out of memory come last.
        fitting.sort_by_key(|card| {
            (
                avoid.contains(&card.id),
                !self.usage.cards.contains_key(&card.id),
                card.total_mib.unwrap_or(u64::MAX),
                card.id,
            )
        });
        if fitting.len() < needed {
            let free = u32::try_from(fitting.len()).unwrap_or(u32::MAX);
            return Err(Obstacle::Cards(group.gpus, free));
        }
        let mut chosen: Vec<CardId> = fitting.iter().take(needed).map(|card| card.id).collect();
        chosen.sort_unstable();
        Ok(chosen)
    }

    /// Checks the CPUs and the main memory that the job says it needs. Memory is not checked if the machine's is unknown.
    fn machine_has_room(&self, group: Group) -> Result<(), Obstacle> {
        let machine = self.slots.machine;
        let left = machine.processors.saturating_sub(self.usage.cpus);
        if let Some(needed) = group.cpus.filter(|needed| *needed > left) {
            return Err(Obstacle::Cpus(needed, left, machine.processors));
        }
        let Some((needed, all)) = group.mem_mib.zip(machine.memory_mib) else {
            return Ok(());
        };
        let left = all.saturating_sub(self.usage.mem_mib);
        if needed > left {
            return Err(Obstacle::Memory(needed, left, all));
        }
        Ok(())
    }

    fn open_cards(&self, group: Group) -> impl Iterator<Item = &'a Card> {
        let cards = self.cards.iter();
        cards.filter(move |card| self.is_open(card, group))
    }

    fn is_open(&self, card: &Card, group: Group) -> bool {
        if self.reserved.contains(&card.id)
            || card.availability != Availability::Free
            || !serves(card, group.gpus)
        {
            return false;
        }
        let asked = group.gpu_mem_mib;
        match (self.usage.cards.get(&card.id), asked) {
            (None, None) => true,
            (Some(_), None) | (Some(None), Some(_)) => false,
            (load, Some(asked)) => {
                let sum = load.copied().flatten().unwrap_or(0);
                card.total_mib.is_some_and(|total| sum + asked <= total)
            }
        }
    }

    /// The verdict of a job's last attempt, if it ran out of GPU memory.
    fn out_of_memory(&self, job: u32) -> Option<&'a Verdict> {
        let verdict = self.queue.run(job).verdict()?;
        (verdict.reason == Some(Reason::GpuOom)).then_some(verdict)
    }

    /// MiB that a card must have for a job that ran out of GPU memory: a tenth more than it used. `None` if there are not enough cards of
    /// that size, because the job would wait for ever. **Source**: queue design §7.
    fn outgrown(&self, job: u32, needed: usize) -> Option<u64> {
        let peak = self.out_of_memory(job)?.card_peak_mib?;
        let mib = peak.saturating_add(peak.div_ceil(10));
        let large = |card: &&Card| card.total_mib.is_some_and(|total| total >= mib);
        (self.cards.iter().filter(large).count() >= needed).then_some(mib)
    }

    /// Cards on which the last attempt of a job ran out of memory.
    fn avoid(&self, job: u32) -> &'a [CardId] {
        let retry = &self.queue.job(job).settings.retry;
        if retry.other_gpu == OtherGpu::Prefer && self.out_of_memory(job).is_some() {
            &self.queue.run(job).last().cards
        } else {
            &[]
        }
    }

    /// Keeps the free cards for a group that needs more of them.
    fn reserve(&mut self, group: Group) {
        let open = self.open_cards(group).map(|card| card.id);
        let open: Vec<CardId> = open.take(group.gpus as usize).collect();
        self.reserved.extend(open);
    }
}

/// Whether a phase's limit allows one more job; `running` counts the jobs of each phase.
fn phase_has_room(queue: &Queue, phase: u32, running: &[u32]) -> Result<(), Obstacle> {
    match queue.manifest().phases[phase as usize].max_parallel {
        Some(limit) if running[phase as usize] >= limit => Err(Obstacle::PhaseParallel(limit)),
        _ => Ok(()),
    }
}

/// Ready jobs for an engine that schedules by itself: best first, at most `room`, and within the limits of their phases.
pub fn choose_for_engine(queue: &Queue, room: u32) -> Vec<u32> {
    let (mut chosen, mut running) = (Vec::new(), queue.usage().phases);
    if !queue.has_ready() {
        return chosen;
    }
    for job in next_jobs(queue, usize::MAX) {
        if chosen.len() >= room as usize {
            break;
        }
        let phase = queue.job(job).phase;
        if phase_has_room(queue, phase, &running).is_ok() {
            running[phase as usize] += 1;
            chosen.push(job);
        }
    }
    chosen
}

/// The first `count` ready jobs, best first.
pub fn next_jobs(queue: &Queue, count: usize) -> Vec<u32> {
    let groups = queue.ready_groups().groups();
    let mut all: Vec<_> = groups.flat_map(|(_, jobs)| jobs.take(count)).collect();
    all.sort_unstable();
    all.into_iter().take(count).map(|(_, job)| job).collect()
}
