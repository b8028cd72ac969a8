//! The cards as the scheduler sees them: the last sample, and whether leases are held.

use std::collections::{BTreeMap, BTreeSet};
use std::os::fd::BorrowedFd;
use std::path::Path;
use std::thread::park_timeout;
use std::time::Duration;

use aris_attempt::AttemptError;
use aris_attempt::cards::lease::{Lease, Leases};
use aris_attempt::cards::{self, CardId, Maker, Memory, Monitor, Pace, Sample, Silence, Smi};
use aris_cli::Context;
use aris_contract::text::counted;
use aris_queue::manifest::{Engine, Manifest};
use aris_queue::schedule::{Availability, Card};

use super::machine::none_lacks;
use crate::error::Error;
use crate::explain::needs_more;

/// Variables that select the cards a program can see.
///
/// **Source**: CUDA C++ Programming Guide, environment variables; `ROCm` documentation, "Setting the number of GPUs": the first variable of
/// AMD has the numbers of cards; the later ones have indices into the cards that it selects.
const CUDA: &str = "CUDA_VISIBLE_DEVICES";
const ROCR: &str = "ROCR_VISIBLE_DEVICES";
const HIP: &str = "HIP_VISIBLE_DEVICES";

/// Older samples are not used. nvidia-smi has 10 s to answer.
const STALE: Duration = Duration::from_secs(15);
/// How long a card must be seen free after another user's process has left it. **Source**: queue design §7.
const SETTLED: Duration = Duration::from_secs(2);
/// How long memory in use after one of our own jobs is attributed to that job.
const OWN_REMAINS: Duration = Duration::from_mins(1);
/// How long to wait before trying again to take a lease that somebody else holds.
const LEASE_AGAIN: Duration = Duration::from_millis(100);

/// The cards of this machine.
#[derive(Default)]
pub(crate) struct Cards {
    monitor: Option<Monitor>,
    leases: Option<Leases>,
    wanted: Option<Vec<CardId>>,
    visible: Visible,
    threshold: u64,
    exclusive: bool,
    sample: Sample,
    looked: bool,
    known: BTreeMap<CardId, Known>,
    asked: bool,
}

/// The cards that the caller lets this process see.
///
/// **Source**: CUDA C++ Programming Guide, environment variables: a list of numbers or UUIDs, which may be abbreviated; it ends at the
/// first word that is neither. `ROCm` does the same.
#[derive(Clone, Default)]
pub(crate) struct Visible {
    nvidia: Option<Vec<String>>,
    amd: Option<Vec<String>>,
    /// The variable that `amd` comes from.
    amd_variable: &'static str,
}

impl Visible {
    fn given() -> Self {
        let word = |word: &&str| {
            let number = !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
            number || word.starts_with("GPU-") || word.starts_with("MIG-")
        };
        let words = |variable| {
            #[expect(
                clippy::disallowed_methods,
                reason = "set to nothing it hides all cards, which a context that leaves empty variables out cannot tell"
            )]
            let text = std::env::var(variable).ok()?;
            let words = text.split(',').map(str::trim).take_while(word);
            Some(words.map(str::to_owned).collect())
        };
        let rocr = words(ROCR);
        let amd_variable = if rocr.is_some() { ROCR } else { HIP };
        Self {
            nvidia: words(CUDA),
            amd: rocr.or_else(|| words(HIP)),
            amd_variable,
        }
    }

    /// Whether the card may be used, by its number or its name; a slice also by those of its card. If the list names slices, only these may
    /// be used.
    fn has(&self, id: CardId, card: Option<&cards::Card>) -> bool {
        let words = match card.map(|card| card.maker) {
            Some(Maker::Amd) => &self.amd,
            Some(Maker::Nvidia) | None => &self.nvidia,
        };
        let Some(words) = words else {
            return true;
        };
        let any = |fits: &dyn Fn(&String) -> bool| words.iter().any(fits);
        let named =
            |name: Option<&String>| name.is_some_and(|name| any(&|word| name.starts_with(word)));
        let slices_only = id.slice.is_some() && any(&|word| word.starts_with("MIG-"));
        let by_card = any(&|word| word.parse() == Ok(id.card))
            || named(card.and_then(|card| card.of.as_ref()));
        named(card.and_then(|card| card.uuid.as_ref())) || !slices_only && by_card
    }
}

/// The situation in which a queue's cards are checked.
#[derive(Clone, Copy)]
pub(crate) enum Stage<'a> {
    /// The queue is not about to run.
    Looking,
    /// It is about to run. If the driver is just being loaded, it is asked again for some seconds, and the user is told.
    Beginning(&'a Context),
    /// It is running.
    Working,
}

/// How long a driver may answer with errors when a queue begins.
const LOADING: Duration = Duration::from_secs(10);
/// Pause between two queries meanwhile.
const ASK_AGAIN: Duration = Duration::from_secs(1);

/// Refuses a queue with a job that this machine's cards can never run, and a queue whose driver answers with an error when it begins. A
/// timeout proves nothing; neither does an error while the queue runs. In these cases, and if a card is lost, gives a notice for the user.
///
/// **Errors**: [`Error::precondition`] with the job, what it needs and which cards there are, or with the driver's message.
pub(crate) fn check_cards(manifest: &Manifest, stage: Stage<'_>) -> Result<Option<String>, Error> {
    if manifest.engine != Engine::Local || !manifest.wants_cards() {
        return Ok(None);
    }
    let mut cards = Cards::bare(manifest);
    let wanted = cards.wanted.iter().flatten().copied().collect();
    cards.sample = Smi::default().sample(&wanted, manifest.exclusive);
    if let Stage::Beginning(context) = stage {
        let until = Cards::now() + LOADING;
        let mut told = false;
        while cards.sample.silence == Some(Silence::Failed) && Cards::now() < until {
            let problem = cards.sample.problem.as_deref().unwrap_or_default();
            if !std::mem::replace(&mut told, true) {
                context.note(&format!("{problem}; it is asked again for {LOADING:?}"));
            }
            park_timeout(ASK_AGAIN);
            cards.sample = Smi::default().sample(&wanted, manifest.exclusive);
        }
    }
    let at_work = matches!(stage, Stage::Working);
    match cards.sample.silence {
        Some(silence) if silence == Silence::Late || at_work && silence != Silence::Absent => {
            let problem = cards.sample.problem.unwrap_or_default();
            return Ok(Some(problem + "; jobs with cards wait until it answers"));
        }
        _ => {}
    }
    let mut listed = cards.sample.cards.values();
    if manifest.exclusive && listed.any(|card| card.maker == Maker::Amd) {
        return Err(Error::precondition(
            "exclusive: true cannot be kept: rocm-smi does not tell which processes are on a card",
        ));
    }
    let lost = cards.sample.problem.as_ref();
    let lost = lost.map(|problem| format!("{problem}; jobs run on the cards that answer"));
    let views = cards.views(&BTreeSet::new(), Cards::now());
    let here = cards.here();
    none_lacks(manifest, |job| {
        let why = needs_more(job, &views)?;
        Some(format!("{why} can be given to it: {here}"))
    })?;
    Ok(lost)
}

/// Cards in the form in which a job gets them.
pub(crate) struct Given {
    /// The numbers of cards and the UUIDs of slices, separated by commas.
    pub(crate) names: String,
    /// Variables of the environment.
    pub(crate) variables: Vec<(&'static str, String)>,
}

/// What is remembered about a card.
#[derive(Default)]
struct Known {
    /// When one of our jobs last left it.
    released: Option<Duration>,
    /// Whether somebody else's process was seen on it, and has not been gone for long enough.
    stranger: bool,
    /// Since when it has been seen free.
    clear_since: Option<Duration>,
    /// When to try its lease again, which somebody else held.
    leased_until: Option<Duration>,
}

impl Cards {
    /// Queries nothing before [`Cards::want`]. A queue without jobs on cards needs no nvidia-smi.
    pub(crate) fn open(
        manifest: &Manifest,
        leases: &Path,
        needed: bool,
    ) -> Result<Self, AttemptError> {
        let mut cards = Self::bare(manifest);
        if needed {
            let wanted = cards.wanted.iter().flatten().copied().collect();
            cards.monitor = Some(Monitor::start(Smi::default(), wanted, cards.exclusive)?);
            cards.leases = Some(Leases::open(leases)?);
        }
        Ok(cards)
    }

    /// Without the monitor thread and without leases.
    fn bare(manifest: &Manifest) -> Self {
        Self {
            wanted: manifest.cards.clone(),
            visible: Visible::given(),
            threshold: manifest.gpu_free_threshold_mib,
            exclusive: manifest.exclusive,
            ..Self::default()
        }
    }

    /// The cards of the last sample, for people.
    fn here(&self) -> String {
        if self.sample.silence.is_some() || self.sample.cards.is_empty() {
            let problem = self.sample.problem.as_deref();
            let problem = problem.unwrap_or("neither nvidia-smi nor rocm-smi lists a card");
            return problem.to_owned();
        }
        let cards = self.sample.cards.iter().map(|(index, card)| {
            let what = match &card.memory {
                _ if !self.wants(*index) => String::from("is not listed in gpus"),
                _ if !self.visible.has(*index, Some(card)) => match card.maker {
                    Maker::Nvidia => format!("is not in {CUDA} of the caller"),
                    Maker::Amd => format!("is not in {} of the caller", self.visible.amd_variable),
                },
                _ if card.uuid.is_none() && matches!(card.memory, Memory::Known { .. }) => {
                    String::from("is told without an id by which a job could be given it alone")
                }
                Memory::Known { total, .. } if index.slice.is_some() => {
                    format!("is a slice with {total} MiB; a job has one of them at most")
                }
                Memory::Known { total, .. } => format!("has {total} MiB"),
                Memory::Unknown(why) => format!("is unknown: {why}"),
            };
            format!("card {index} {what}")
        });
        cards.collect::<Vec<_>>().join("; ")
    }

    fn wants(&self, id: CardId) -> bool {
        let wanted = self.wanted.as_ref();
        wanted.is_none_or(|wanted| wanted.iter().any(|one| one.has(id)))
    }

    pub(crate) fn fd(&self) -> Option<BorrowedFd<'_>> {
        self.monitor.as_ref().map(Monitor::fd)
    }

    /// Requests a sample, because jobs wait for a card; a prompt one if one of our jobs has just left a card.
    pub(crate) fn want(&mut self, now: Duration) {
        let mut left = self.known.values().filter_map(|known| known.released);
        let just_left = left.any(|left| left >= self.sample.asked && now < left + OWN_REMAINS);
        let pace = if just_left || !self.looked {
            Pace::Prompt
        } else {
            Pace::Calm
        };
        if let Some(monitor) = self.monitor.as_ref().filter(|_| !self.asked) {
            monitor.ask(pace);
            self.asked = true;
        }
    }

    /// One of our jobs has left these cards.
    pub(crate) fn released(&mut self, cards: &[CardId], now: Duration) {
        for card in cards {
            self.known.entry(*card).or_default().released = Some(now);
        }
        self.asked = false;
    }

    /// Uses a new sample, if there is one; gives whether there was. [`Cards::problem`] then refers to it.
    pub(crate) fn look(&mut self, ours: &BTreeSet<CardId>) -> bool {
        let sample = self.monitor.as_mut().and_then(Monitor::take);
        let sample = sample.map(|sample| self.take_in(sample, ours));
        sample.is_some()
    }

    /// Queries the cards and waits for the answer, for commands that need a single sample.
    pub(crate) fn look_now(&mut self, ours: &BTreeSet<CardId>) {
        let wanted = self.wanted.iter().flatten().copied().collect();
        let sample = Smi::default().sample(&wanted, true);
        self.take_in(sample, ours);
        let now = Self::now();
        for index in self.allowed() {
            // Released again at once; this only finds out whether somebody else holds it.
            if !ours.contains(&index) {
                self.lease(&[index], None, now).map_or_else(drop, drop);
            }
        }
    }

    fn take_in(&mut self, sample: Sample, ours: &BTreeSet<CardId>) {
        self.asked = false;
        self.looked = true;
        for (index, card) in &sample.cards {
            let known = self.known.entry(*index).or_default();
            let Memory::Known { used, .. } = card.memory else {
                known.clear_since = None;
                continue;
            };
            let left = known.released;
            let own =
                ours.contains(index) || left.is_some_and(|left| sample.asked < left + OWN_REMAINS);
            if used >= self.threshold {
                known.stranger |= !own;
                known.clear_since = None;
            } else {
                let since = *known.clear_since.get_or_insert(sample.asked);
                if sample.asked >= since + SETTLED {
                    known.stranger = false;
                }
            }
        }
        self.sample = sample;
    }

    /// MiB on all cards together that the descendants of each of these processes used in the last sample.
    pub(crate) fn used_by(&self, processes: &BTreeSet<i32>) -> BTreeMap<i32, u64> {
        cards::used_by(&self.sample, processes)
    }

    /// What is wrong with the last sample, for people.
    pub(crate) fn problem(&self) -> Option<String> {
        let unknown = |id: CardId| match &self.sample.cards.get(&id)?.memory {
            Memory::Unknown(why) => Some(format!("card {id}: {why}")),
            Memory::Known { .. } => None,
        };
        let problem = self.sample.problem.clone().or_else(|| {
            let unknown = self.allowed().into_iter().filter_map(unknown);
            let unknown: Vec<String> = unknown.collect();
            (!unknown.is_empty()).then(|| unknown.join("; "))
        })?;
        let is_named = problem.contains("-smi");
        let program = if is_named { "" } else { "nvidia-smi: " };
        Some(format!("{program}{problem}"))
    }

    /// Cards that may be used, as far as is known.
    pub(crate) fn allowed(&self) -> Vec<CardId> {
        let mut cards: Vec<CardId> = self.sample.cards.keys().copied().collect();
        if cards.is_empty() {
            // Before the first sample it is unknown which cards are divided.
            cards.extend(self.wanted.iter().flatten());
        }
        cards.retain(|id| self.wants(*id) && self.visible.has(*id, self.sample.cards.get(id)));
        cards
    }

    /// The cards for the scheduler.
    pub(crate) fn views(&self, ours: &BTreeSet<CardId>, now: Duration) -> Vec<Card> {
        let total = |id| match self.sample.cards.get(&id) {
            Some(card) if card.uuid.is_none() => None,
            Some(card) => card.memory.total(),
            None => None,
        };
        let cards = self.allowed().into_iter().map(|id| Card {
            id,
            total_mib: total(id),
            availability: self.availability(id, ours.contains(&id), now),
        });
        cards.collect()
    }

    fn availability(&self, id: CardId, ours: bool, now: Duration) -> Availability {
        let unknown = |why: &str| Availability::Unknown(why.to_owned());
        if !self.looked || now > self.sample.asked + STALE {
            return unknown("nothing is known of it lately");
        }
        let Some(card) = self.sample.cards.get(&id) else {
            let why = self.sample.problem.as_deref();
            return unknown(why.unwrap_or("it is not listed"));
        };
        let used = match &card.memory {
            Memory::Known { used, .. } => *used,
            Memory::Unknown(why) => return unknown(why),
        };
        if card.uuid.is_none() {
            return unknown("it has no UUID");
        }
        let known = self.known.get(&id);
        if let Some(until) = known.and_then(|known| known.leased_until)
            && now < until
        {
            return Availability::Busy(String::from(
                "another queue, or what an ended job left behind, holds its lease",
            ));
        }
        if ours {
            // Jobs that share it are counted by the memory that they ask for.
            return Availability::Free;
        }
        if known
            .and_then(|known| known.released)
            .is_some_and(|left| self.sample.asked <= left)
        {
            return unknown("not looked at since a job of this queue left it");
        }
        if used >= self.threshold {
            return Availability::Busy(format!("{used} MiB in use"));
        }
        if self.exclusive {
            let Some(processes) = &self.sample.processes else {
                return unknown("nvidia-smi does not tell which processes are on it");
            };
            let on_it = processes
                .iter()
                .filter(|process| Some(&process.uuid) == card.uuid.as_ref());
            let strangers = on_it.count();
            if strangers > 0 {
                let strangers = counted(strangers, "other program");
                return Availability::Busy(format!("{strangers} on it"));
            }
        }
        if known.is_some_and(|known| known.stranger) {
            return Availability::Busy(String::from("somebody else has just left it"));
        }
        Availability::Free
    }

    /// When to check again although nothing may have been reported.
    pub(crate) fn next_look(&self, now: Duration) -> Option<Duration> {
        let again = self.known.values().filter_map(|known| known.leased_until);
        again.filter(|until| *until > now).min()
    }

    /// Takes the leases of these cards; `None` if somebody else holds one of them. `sharer`: the queue whose other jobs may share the
    /// cards.
    pub(crate) fn lease(
        &mut self,
        wanted: &[CardId],
        sharer: Option<&str>,
        now: Duration,
    ) -> Result<Option<Vec<Lease>>, AttemptError> {
        let mut taken = Vec::new();
        for card in wanted {
            let uuid = self.sample.cards.get(card).and_then(|it| it.uuid.as_ref());
            let (Some(leases), Some(uuid)) = (&self.leases, uuid) else {
                return Ok(None);
            };
            // Older drivers name a slice by its card and two numbers, separated by slashes.
            let name = uuid.replace('/', "-");
            let lease = match sharer {
                Some(queue) => leases.share(&name, queue)?,
                None => leases.take(&name)?,
            };
            let Some(lease) = lease else {
                let known = self.known.entry(*card).or_default();
                known.leased_until = Some(now + LEASE_AGAIN);
                return Ok(None);
            };
            taken.push(lease);
        }
        Ok(Some(taken))
    }

    /// The variables that give these cards to a job, and their names for its placeholder.
    pub(crate) fn given(&self, cards: &[CardId]) -> Given {
        let found = |id: &CardId| self.sample.cards.get(id);
        let mut known = cards.iter().filter_map(found);
        let amd = known.any(|card| card.maker == Maker::Amd);
        let name = |id: &CardId| match (id.slice, found(id).and_then(|card| card.uuid.clone())) {
            (Some(_), Some(uuid)) => uuid,
            _ => id.card.to_string(),
        };
        let names = cards.iter().map(name).collect::<Vec<_>>().join(",");
        let variables = if cards.is_empty() {
            // For AMD's programs, a variable that is set to nothing is not set.
            vec![(CUDA, String::new()), (HIP, String::from("-1"))]
        } else if amd {
            let among: Vec<String> = (0..cards.len()).map(|at| at.to_string()).collect();
            let among = among.join(",");
            vec![(ROCR, names.clone()), (HIP, among.clone()), (CUDA, among)]
        } else {
            vec![(CUDA, names.clone())]
        };
        Given { names, variables }
    }

    /// The current time on the clock of all samples.
    pub(crate) fn now() -> Duration {
        cards::now()
    }
}
