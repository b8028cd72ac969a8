//! The timeline: a lane for each card and for jobs without one, and a bar for each attempt. This computes places and sizes; the page draws
//! them.

use std::collections::BTreeMap;

use aris_attempt::cards::CardId;
use jiff::Timestamp;

use super::words::{duration, one_line, seconds};
use super::{JobFacts, Report};
use aris_queue::state::{Attempt, Outcome, Reason};

/// Width of the part with bars, in units of the drawing.
const WIDTH: f64 = 960.0;

/// Height of a lane, in the same units.
const LANE: f64 = 26.0;

/// Space left of the bars for the lanes' names, and above them for the labels of the axis.
const LEFT: f64 = 120.0;
const TOP: f64 = 22.0;

/// Least width of a bar, so that it is visible.
const NARROWEST: f64 = 0.8;

/// Neighbouring bars of one kind are merged if both are narrower than this and closer than [`NARROWEST`], so that 10,000 short jobs are not
/// 10,000 shapes.
const MERGED: f64 = 1.5;

/// Most lanes for jobs without a card; attempts that need more are left out and counted.
const PLAIN_LANES: usize = 32;

/// Possible distances between two marks of the axis, in seconds. The first that gives at most [`MARKS`] marks is used.
const STEPS: [&[f64]; 4] = [
    &[0.1, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0],
    &[60.0, 120.0, 300.0, 600.0, 1_800.0],
    &[3_600.0, 7_200.0, 10_800.0, 21_600.0, 43_200.0],
    &[86_400.0, 172_800.0, 604_800.0, 2_592_000.0],
];

/// Most marks of the axis.
const MARKS: f64 = 10.0;

/// The drawing.
#[derive(Debug, Default)]
pub(super) struct Timeline {
    pub(super) lanes: Vec<Lane>,
    pub(super) marks: Vec<Mark>,
    /// Number of attempts without a card for which there was no lane.
    pub(super) left_out: usize,
}

#[derive(Debug)]
pub(super) struct Lane {
    pub(super) name: String,
    pub(super) bars: Vec<Bar>,
    /// Part of the whole time with attempts on it, in percent.
    pub(super) busy: u32,
    /// y of its upper edge.
    pub(super) y: f64,
}

#[derive(Debug)]
pub(super) struct Bar {
    pub(super) x: f64,
    pub(super) width: f64,
    /// CSS class of its colour and pattern.
    pub(super) class: &'static str,
    /// Its text for the mouse pointer and for screen readers.
    pub(super) title: String,
    attempts: usize,
    seconds: f64,
}

/// A mark of the axis.
#[derive(Debug)]
pub(super) struct Mark {
    pub(super) x: f64,
    pub(super) text: String,
}

/// An attempt with its place in time, in seconds from the start.
struct Span<'a> {
    job: &'a JobFacts,
    attempt: &'a Attempt,
    from: f64,
    to: f64,
}

impl Timeline {
    /// The timeline from the queue's start, or its first attempt, to the last end or to now.
    pub(super) fn of(report: &Report) -> Self {
        let begun = report.attempts();
        let Some(begun) = begun.filter_map(|(_, attempt)| attempt.started).min() else {
            return Self::default();
        };
        let start = report.started.map_or(begun, |start| start.min(begun));
        let spans = report.attempts();
        let spans = spans.filter_map(|(job, attempt)| span(job, attempt, start, report.made));
        let mut spans: Vec<Span<'_>> = spans.collect();
        spans.sort_by(|a, b| a.from.total_cmp(&b.from));
        let end = spans.iter().map(|span| span.to).fold(0.0, f64::max);
        let scale = WIDTH / end.max(0.001);
        let mut timeline = Self {
            marks: marks(end, scale),
            ..Self::default()
        };
        let mut cards: BTreeMap<CardId, Vec<&Span<'_>>> = BTreeMap::new();
        // An attempt without a card goes to the first lane that is free.
        let mut plain: Vec<(f64, Vec<&Span<'_>>)> = Vec::new();
        for span in &spans {
            for card in &span.attempt.cards {
                cards.entry(*card).or_default().push(span);
            }
            if span.attempt.cards.is_empty() {
                let free = plain.iter().position(|(free, _)| *free <= span.from);
                if free.is_none() && plain.len() == PLAIN_LANES {
                    timeline.left_out += 1;
                    continue;
                }
                let at = free.unwrap_or_else(|| {
                    plain.push((0.0, Vec::new()));
                    plain.len() - 1
                });
                if let Some((free, lane)) = plain.get_mut(at) {
                    *free = span.to;
                    lane.push(span);
                }
            }
        }
        let cards = cards.into_iter();
        let cards = cards.map(|(card, spans)| (format!("GPU {card}"), spans));
        let plain = (1..).zip(plain);
        let plain = plain.map(|(at, (_, spans))| (format!("CPU {at}"), spans));
        for (at, (name, spans)) in (0..).zip(cards.chain(plain)) {
            let y = TOP + f64::from(at) * LANE;
            timeline.lanes.push(Lane::of(name, &spans, scale, y));
        }
        timeline
    }

    /// Height of the drawing.
    pub(super) fn height(&self) -> f64 {
        self.lanes.last().map_or(TOP, |lane| lane.y + LANE) + 4.0
    }
}

fn span<'a>(
    job: &'a JobFacts,
    attempt: &'a Attempt,
    start: Timestamp,
    now: Timestamp,
) -> Option<Span<'a>> {
    let from = seconds(start, attempt.started?);
    // The end of a lost attempt is unknown, so it is shown as a mark where it began.
    let to = from + attempt.seconds(now).unwrap_or(0.0);
    Some(Span {
        job,
        attempt,
        from,
        to,
    })
}

fn marks(end: f64, scale: f64) -> Vec<Mark> {
    let mut steps = STEPS.into_iter().flatten().copied();
    let step = steps.find(|step| end / step <= MARKS);
    let step = step.unwrap_or(end / MARKS);
    let mut marks = Vec::new();
    let mut at = 0.0;
    while at <= end && marks.len() < 100 {
        let x = LEFT + at * scale;
        marks.push(Mark { x, text: axis(at) });
        at += step;
    }
    marks
}

/// The label of a time on the axis: `0`, `0.5s`, `30s`, `5m`, `2h`, `1h 30m`, `3d`.
fn axis(seconds: f64) -> String {
    if seconds <= 0.0 {
        return String::from("0");
    }
    let text = duration(seconds);
    for (zero, rest) in [("m 00s", "m"), ("h 00m", "h"), ("d 00h", "d"), (".0s", "s")] {
        if let Some(text) = text.strip_suffix(zero) {
            return format!("{text}{rest}");
        }
    }
    text
}

impl Lane {
    fn of(name: String, spans: &[&Span<'_>], scale: f64, y: f64) -> Self {
        let mut lane = Self {
            name,
            bars: Vec::new(),
            busy: 0,
            y,
        };
        let mut busy = 0.0;
        for span in spans {
            busy += span.to - span.from;
            lane.add(span, scale);
        }
        for bar in lane.bars.iter_mut().filter(|bar| bar.attempts > 1) {
            let (count, seconds) = (bar.attempts, duration(bar.seconds));
            bar.title = format!("{count} attempts, {seconds} in all, {}", bar.class);
        }
        lane.busy = percent(busy * scale / WIDTH);
        lane
    }

    fn add(&mut self, span: &Span<'_>, scale: f64) {
        let seconds = span.to - span.from;
        let (x, width) = (LEFT + span.from * scale, (seconds * scale).max(NARROWEST));
        let class = class(span.attempt);
        if let Some(last) = self.bars.last_mut()
            && last.class == class
            && x - (last.x + last.width) < NARROWEST
            && width < MERGED
            && (last.attempts > 1 || last.width < MERGED)
        {
            last.width = (x + width - last.x).max(last.width);
            last.attempts += 1;
            last.seconds += seconds;
            return;
        }
        self.bars.push(Bar {
            x,
            width,
            class,
            title: title(span, seconds),
            attempts: 1,
            seconds,
        });
    }
}

fn title(span: &Span<'_>, seconds: f64) -> String {
    let (attempt, took) = (span.attempt, duration(seconds));
    let which = match span.job.attempts.len() {
        0 | 1 => String::new(),
        _ => format!(", attempt {}", attempt.number),
    };
    let reason = attempt.reason().map(Reason::word);
    let how = match attempt.outcome() {
        Some(Outcome::Lost) => String::from("nobody saw its end"),
        None => format!("running for {took}"),
        _ => format!("{took}, {}", reason.unwrap_or(class(attempt))),
    };
    format!("{}{which}, {how}", one_line(&span.job.id))
}

/// The CSS class of a bar, which is also its label.
fn class(attempt: &Attempt) -> &'static str {
    match attempt.outcome() {
        Some(Outcome::Completed) => "completed",
        Some(Outcome::Failed) if attempt.ran_out_of_memory() => "oom",
        Some(Outcome::Failed) => "failed",
        Some(Outcome::Cancelled) => "cancelled",
        Some(Outcome::Lost) => "lost",
        None => "running",
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a part between 0 and 1"
)]
fn percent(part: f64) -> u32 {
    (part * 100.0).round().clamp(0.0, 100.0) as u32
}
