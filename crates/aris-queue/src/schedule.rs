//! What to start now: a pure function of the queue, the time and the cards.
//!
//! Jobs go by priority, then by the manifest's order. One that does not fit does not hold up those that do, unless it has waited long
//! for several cards: then cards that fall free are kept for it. Cards are given smallest first, so that large ones stay for
//! those who need them. **Source**: queue design §7, §8.

use std::collections::BTreeMap;

use aris_attempt::cards::CardId;
use aris_contract::text::counted;

use crate::manifest::{Job, OtherGpu};
use crate::state::{Group, Queue, Reason, Usage, Verdict};

/// A card as the monitor and the leases show it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Card {
    /// Which.
    pub id: CardId,
    /// Its memory, MiB.
    pub total_mib: Option<u64>,
    /// Whether it may be given.
    pub availability: Availability,
}

/// Whether a card may be given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Availability {
    /// Nothing stands against it but jobs of this queue.
    Free,
    /// Somebody else uses it; the text says who or how much.
    Busy(String),
    /// Nobody knows; the text says why.
    Unknown(String),
}

/// One attempt to start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Start {
    /// The job.
    pub job: u32,
    /// Its cards, ascending.
    pub cards: Vec<CardId>,
}

/// What stands against a group of jobs.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Obstacle {
    /// As many jobs with cards run as may.
    #[error("only {} with cards may run at once (max_parallel)", counted(.0, "job"))]
    MaxParallel(u32),
    /// As many jobs without cards run as may.
    #[error("only {} without cards may run at once (max_cpu_jobs)", counted(.0, "job"))]
    CpuSlots(u32),
    /// As many jobs of the phase run as may.
    #[error("only {} of its phase may run at once (max_parallel of the phase)", counted(.0, "job"))]
    PhaseParallel(u32),
    /// Fewer cards are free than it needs: needed, free.
    #[error("it needs {}, {} can be given", counted(.0, "card"), .1)]
    Cards(u32, u32),
    /// Fewer processors are left than it needs: needed, left, of all.
    #[error("it needs {}, and {} of {} are left", counted(.0, "processor"), .1, .2)]
    Cpus(u32, u32, u32),
    /// Less main memory is left than it needs, MiB: needed, left, of all.
    #[error("it needs {0} MiB of main memory, and {1} of {2} MiB are left")]
    Memory(u64, u64, u64),
    /// It ran out of memory on a smaller card than may be given now: MiB that a card must have.
    #[error(
        "it ran out of memory, and waits for a card with {0} MiB: a tenth more than it was seen to use"
    )]
    LargerCard(u64),
}

/// How many jobs may run at once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Slots {
    /// With cards.
    pub with_cards: u32,
    /// Without.
    pub without_cards: u32,
    /// Nobody said how many may run without cards: jobs that say what they need are not bound by it.
    pub guessed: bool,
    /// What the machine has.
    pub machine: Machine,
}

/// What a machine has for the jobs of a queue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Machine {
    /// Processors.
    pub processors: u32,
    /// MiB of main memory; `None`: nobody knows.
    pub memory_mib: Option<u64>,
}

/// The slots of a queue on a machine. Without any card in the manifest `max_parallel` counts what there is:
/// jobs without cards.
pub fn slots(queue: &Queue, cards: usize, machine: Machine) -> Slots {
    let manifest = queue.manifest();
    let all = u32::try_from(cards).unwrap_or(u32::MAX);
    let no_cards = manifest.cards.as_ref().is_some_and(Vec::is_empty) || !queue.wants_cards();
    let plain = manifest
        .max_cpu_jobs
        .or(queue.max_parallel().filter(|_| no_cards));
    Slots {
        // Jobs that share a card are not bounded by the number of cards.
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

/// The room that is left while starts are chosen.
struct Room<'a> {
    queue: &'a Queue,
    cards: &'a [Card],
    slots: Slots,
    /// What runs, with those chosen.
    usage: Usage,
    /// Cards that are kept for somebody.
    reserved: Vec<CardId>,
}

/// Jobs for which nothing but cards has been missing, and since when, on the clock of [`Queue::tick`].
pub type Short = BTreeMap<u32, u64>;

/// Chooses what to start, best first. `now` is the clock of [`Queue::tick`]; `short` is kept from one call to the next.
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
            // This job's own trouble: those behind it may fit.
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

/// Whether a job that needs so many cards may be given this one.
///
/// **Source**: NVIDIA, MIG User Guide, "CUDA Device Enumeration": a program sees one slice, however many it is given.
fn serves(card: &Card, gpus: u32) -> bool {
    card.id.slice.is_none() || gpus == 1
}

/// Cards that could run a job with so many cards and so much memory once they are free. One of which nothing is known is none.
fn capable(cards: &[Card], gpus: u32, gpu_mem_mib: Option<u64>) -> usize {
    let able = |card: &&Card| {
        let total = card.total_mib;
        serves(card, gpus)
            && total.is_some_and(|total| gpu_mem_mib.is_none_or(|asked| asked <= total))
    };
    cards.iter().filter(able).count()
}

/// What keeps a job from ever running on these cards: cards that it needs, and those that could be given to it.
pub fn impossible(job: &Job, cards: &[Card]) -> Option<(u32, usize)> {
    let needed = job.settings.gpus;
    let able = capable(cards, needed, job.settings.gpu_mem_mib);
    (needed as usize > able).then_some((needed, able))
}

/// What stands against the start of a ready job, were it the next.
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

    /// Cards for a job of this group, or what stands against it.
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
        // One that others share already first, then the smallest; after out of memory a card of before only when nothing else is left.
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

    /// Processors and main memory, as far as jobs say what they need. Of a machine whose memory nobody knows none is counted.
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

    /// How the last attempt of a job ended, if it ran out of memory on a card.
    fn out_of_memory(&self, job: u32) -> Option<&'a Verdict> {
        let verdict = self.queue.run(job).verdict()?;
        (verdict.reason == Some(Reason::GpuOom)).then_some(verdict)
    }

    /// Memory that a card must have for a job that ran out of it: a tenth more than the job was seen to use. Where so many cards of that
    /// size do not exist nothing is asked for: the job would wait for ever. **Source**: queue design §7.
    fn outgrown(&self, job: u32, needed: usize) -> Option<u64> {
        let peak = self.out_of_memory(job)?.card_peak_mib?;
        let mib = peak.saturating_add(peak.div_ceil(10));
        let large = |card: &&Card| card.total_mib.is_some_and(|total| total >= mib);
        (self.cards.iter().filter(large).count() >= needed).then_some(mib)
    }

    /// Cards of the last attempt of a job that ran out of memory there.
    fn avoid(&self, job: u32) -> &'a [CardId] {
        let retry = &self.queue.job(job).settings.retry;
        if retry.other_gpu == OtherGpu::Prefer && self.out_of_memory(job).is_some() {
            &self.queue.run(job).last().cards
        } else {
            &[]
        }
    }

    /// Keeps what is free for a group that needs more than there is.
    fn reserve(&mut self, group: Group) {
        let open = self.open_cards(group).map(|card| card.id);
        let open: Vec<CardId> = open.take(group.gpus as usize).collect();
        self.reserved.extend(open);
    }
}

/// Whether one more job of a phase may run beside those that do, of each phase.
fn phase_has_room(queue: &Queue, phase: u32, running: &[u32]) -> Result<(), Obstacle> {
    match queue.manifest().phases[phase as usize].max_parallel {
        Some(limit) if running[phase as usize] >= limit => Err(Obstacle::PhaseParallel(limit)),
        _ => Ok(()),
    }
}

/// Ready jobs for an engine that has places of its own: best first, as many as there is room for, and no more of a phase than it allows.
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

/// Ready jobs, best first: what to show when somebody asks what is next.
pub fn next_jobs(queue: &Queue, count: usize) -> Vec<u32> {
    let groups = queue.ready_groups().groups();
    let mut all: Vec<_> = groups.flat_map(|(_, jobs)| jobs.take(count)).collect();
    all.sort_unstable();
    all.into_iter().take(count).map(|(_, job)| job).collect()
}
