//! The report as one page: no script, nothing from elsewhere, everything escaped.

use aris_attempt::cards::CardId;
use askama::Template;

use super::facts::{Facts, JobFacts};
use super::metrics::{Plot, Table};
use super::timeline::{LANE, Timeline};
use super::words::{card_time, count, duration, one_line, seconds, time};
use super::{Failure, Metrics, Phase, Report};
use aris_queue::state::State;

/// Jobs of one list that are written out; the JSON report has all.
const LISTED: usize = 100;

/// Jobs in the table of all jobs; those that are not completed come first.
const TABLE: usize = 2_000;

/// Space above the lanes for the texts of the axis, and left of them for their names, in units of the drawing.
const TOP: f64 = 22.0;
const LEFT: f64 = 120.0;
const RIGHT: f64 = 56.0;
const BARS: f64 = 960.0;

/// The page. **Errors**: the template engine's own, which writing to memory does not have.
pub(crate) fn page(report: &Report, facts: &Facts) -> Result<String, askama::Error> {
    let counts = &report.counts;
    let not = counts.failed + counts.blocked;
    let open = counts.running + counts.waiting;
    let (tone, headline) = match (not, open) {
        (0, 0) if counts.jobs == 0 => ("none", String::from("No jobs")),
        (0, 0) => ("ok", format!("All {} completed", count(counts.jobs, "job"))),
        (0, _) => (
            "info",
            format!(
                "{} of {} completed",
                counts.completed,
                count(counts.jobs, "job")
            ),
        ),
        (_, 0) => (
            "block",
            format!("{not} of {} not completed", count(counts.jobs, "job")),
        ),
        _ => (
            "warn",
            format!(
                "{not} of {} not completed so far",
                count(counts.jobs, "job")
            ),
        ),
    };
    let timeline = Timeline::of(facts);
    Page {
        tone,
        headline,
        report,
        wall: report
            .started
            .map(|started| duration(seconds(started, report.ended.unwrap_or(report.made)))),
        tiles: tiles(report),
        phases: report.phases.iter().map(PhaseRow::of).collect(),
        legend: legend(&timeline),
        drawing: Drawing::of(timeline),
        started: report.started.map(time),
        ended: report.ended.map(time),
        made: time(report.made),
        failures: report.failures.iter().take(LISTED).collect(),
        failures_left: report.failures.len().saturating_sub(LISTED),
        blocked_left: report.blocked.len().saturating_sub(LISTED),
        table: report.metrics.as_ref().map(|metrics| metrics.table(TABLE)),
        plots: report
            .metrics
            .as_ref()
            .map_or_else(Vec::new, Metrics::plots),
        jobs: rows(facts),
        jobs_left: facts.jobs.len().saturating_sub(TABLE),
    }
    .render()
}

#[derive(Template)]
#[template(path = "queue_report.html")]
struct Page<'a> {
    tone: &'static str,
    headline: String,
    report: &'a Report,
    wall: Option<String>,
    tiles: Vec<Tile>,
    phases: Vec<PhaseRow>,
    drawing: Drawing,
    started: Option<String>,
    ended: Option<String>,
    made: String,
    legend: Vec<(&'static str, &'static str)>,
    failures: Vec<&'a Failure>,
    failures_left: usize,
    blocked_left: usize,
    table: Option<Table>,
    plots: Vec<Plot>,
    jobs: Vec<Row>,
    jobs_left: usize,
}

/// The timeline as text: lengths and places in units of the drawing.
struct Drawing {
    width: String,
    height: String,
    lanes: Vec<DrawnLane>,
    /// Place and text.
    marks: Vec<(String, String)>,
    left_out: usize,
}

struct DrawnLane {
    name: String,
    busy: u32,
    /// Top of its bars.
    top: String,
    /// Foot of its texts.
    foot: String,
    bars: Vec<DrawnBar>,
}

struct DrawnBar {
    class: &'static str,
    x: String,
    width: String,
    title: String,
}

impl Drawing {
    fn of(timeline: Timeline) -> Self {
        let height = TOP + LANE * lanes(&timeline) + 4.0;
        let lanes = timeline.lanes.into_iter().map(|lane| DrawnLane {
            name: lane.name,
            busy: lane.busy,
            top: format!("{:.1}", TOP + lane.y + 3.0),
            foot: format!("{:.1}", TOP + lane.y + 17.0),
            bars: lane
                .bars
                .into_iter()
                .map(|bar| DrawnBar {
                    class: bar.class,
                    x: format!("{:.2}", LEFT + bar.x),
                    width: format!("{:.2}", bar.width),
                    title: bar.title,
                })
                .collect(),
        });
        let marks = timeline.marks.into_iter();
        Self {
            width: format!("{:.0}", LEFT + BARS + RIGHT),
            height: format!("{height:.0}"),
            lanes: lanes.collect(),
            marks: marks
                .map(|mark| (format!("{:.2}", LEFT + mark.x), mark.text))
                .collect(),
            left_out: timeline.left_out,
        }
    }
}

fn lanes(timeline: &Timeline) -> f64 {
    f64::from(u32::try_from(timeline.lanes.len()).unwrap_or(u32::MAX))
}

struct Tile {
    tone: &'static str,
    number: String,
    text: &'static str,
}

fn tiles(report: &Report) -> Vec<Tile> {
    let counts = &report.counts;
    let number = |tone, number: usize, text| Tile {
        tone,
        number: number.to_string(),
        text,
    };
    let mut tiles = vec![number("ok", counts.completed, "completed")];
    for (tone, of, text) in [
        ("block", counts.failed, "failed, cancelled or lost"),
        ("warn", counts.blocked, "blocked"),
        ("info", counts.running, "running"),
        ("none", counts.waiting, "waiting"),
        (
            "none",
            counts.completed_after_retry,
            "completed after a retry",
        ),
    ] {
        if of > 0 {
            tiles.push(number(tone, of, text));
        }
    }
    if report.cards.cards > 0 {
        tiles.push(Tile {
            tone: "none",
            number: card_time(report.cards.busy_s),
            text: "GPU time",
        });
        if report.cards.fruitless_s > 0.0 {
            tiles.push(Tile {
                tone: "warn",
                number: card_time(report.cards.fruitless_s),
                text: "of it without a result",
            });
        }
    }
    tiles
}

struct PhaseRow {
    name: String,
    jobs: usize,
    completed: usize,
    not: usize,
    open: usize,
    retries: String,
    wall: String,
    each: String,
}

impl PhaseRow {
    fn of(phase: &Phase) -> Self {
        let retries = match (phase.oom_retries, phase.other_retries) {
            (0, 0) => String::from("0"),
            (oom, 0) => format!("{oom} (memory)"),
            (0, other) => other.to_string(),
            (oom, other) => format!("{} ({oom} memory)", oom + other),
        };
        Self {
            name: one_line(&phase.name),
            jobs: phase.counts.jobs,
            completed: phase.counts.completed,
            not: phase.counts.failed + phase.counts.blocked,
            open: phase.counts.running + phase.counts.waiting,
            retries,
            wall: phase.wall(),
            each: phase.each(),
        }
    }
}

/// Kinds of bars that are there, with their words.
fn legend(timeline: &Timeline) -> Vec<(&'static str, &'static str)> {
    [
        ("completed", "completed"),
        ("oom", "out of memory"),
        ("failed", "failed"),
        ("cancelled", "cancelled"),
        ("lost", "end not seen"),
        ("running", "running"),
    ]
    .into_iter()
    .filter(|(class, _)| {
        let bars = || timeline.lanes.iter().flat_map(|lane| &lane.bars);
        bars().any(|bar| bar.class == *class)
    })
    .collect()
}

struct Row {
    id: String,
    phase: String,
    tone: &'static str,
    state: &'static str,
    reason: String,
    attempts: usize,
    cards: String,
    took: String,
}

/// Jobs for the table, those that need a look first.
fn rows(facts: &Facts) -> Vec<Row> {
    let mut jobs: Vec<&JobFacts> = facts.jobs.iter().collect();
    jobs.sort_by_key(|job| match job.state {
        State::Failed | State::Cancelled | State::Lost => 0,
        State::Blocked => 1,
        State::Starting | State::Running | State::Cancelling | State::Unknown => 2,
        State::Completed => 4,
        _ => 3,
    });
    let row = |job: &&JobFacts| {
        let last = job.attempts.last();
        let cards: Vec<String> = last
            .map(|last| last.cards.iter().map(CardId::to_string).collect())
            .unwrap_or_default();
        Row {
            id: one_line(&job.id),
            phase: facts
                .phases
                .get(job.phase)
                .map(|name| one_line(name))
                .unwrap_or_default(),
            tone: match job.state {
                State::Completed => "ok",
                State::Failed | State::Cancelled | State::Lost => "block",
                State::Blocked => "warn",
                State::Starting | State::Running | State::Cancelling | State::Unknown => "info",
                _ => "none",
            },
            state: job.state.word(),
            reason: job.reason.clone().unwrap_or_default(),
            attempts: job.attempts.len(),
            cards: cards.join(", "),
            took: last
                .and_then(|last| last.seconds(facts.now))
                .map_or_else(String::new, duration),
        }
    };
    jobs.iter().take(TABLE).map(row).collect()
}
