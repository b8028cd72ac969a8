//! The report as an HTML page, without scripts and external files, and with all text escaped.

use aris_contract::text::counted;
use askama::Template;
use jiff::Timestamp;

use super::facts::JobFacts;
use super::metrics::{Plot, Table};
use super::timeline::Timeline;
use super::words::{card_time, one_line};
use super::{Metrics, Report};

/// Most jobs in each list; the JSON report has all.
const LISTED: usize = 100;

/// Most jobs in the table of all jobs; those that did not complete come first.
const TABLE: usize = 2_000;

/// The page. **Errors**: those of the template engine, which do not occur when writing to memory.
pub(crate) fn page(report: &Report) -> Result<String, askama::Error> {
    let counts = &report.counts;
    let not = counts.failed + counts.blocked;
    let open = counts.running + counts.waiting;
    let all = counted(counts.jobs, "job");
    let (tone, headline) = match (not, open) {
        (0, 0) if counts.jobs == 0 => ("none", String::from("No jobs")),
        (0, 0) => ("ok", format!("All {all} completed")),
        (0, _) => ("info", format!("{} of {all} completed", counts.completed)),
        (_, 0) => ("block", format!("{not} of {all} not completed")),
        _ => ("warn", format!("{not} of {all} not completed so far")),
    };
    let (timeline, metrics) = (Timeline::of(report), report.metrics.as_ref());
    let mut jobs: Vec<&JobFacts> = report.jobs.iter().collect();
    jobs.sort_by_key(|job| job.kind());
    jobs.truncate(TABLE);
    Page {
        tone,
        headline,
        report,
        wall: report.wall_clock(),
        tiles: tiles(report),
        legend: legend(&timeline),
        timeline,
        table: metrics.map(|metrics| metrics.table(TABLE)),
        plots: metrics.map_or_else(Vec::new, Metrics::plots),
        jobs,
        jobs_left: report.jobs.len().saturating_sub(TABLE),
    }
    .render()
}

/// A time in the page's format.
fn time(time: &Timestamp) -> String {
    super::words::time(*time)
}

#[derive(Template)]
#[template(path = "queue_report.html")]
struct Page<'a> {
    tone: &'static str,
    headline: String,
    report: &'a Report,
    wall: Option<String>,
    tiles: Vec<Tile>,
    timeline: Timeline,
    legend: Vec<(&'static str, &'static str)>,
    table: Option<Table>,
    plots: Vec<Plot>,
    jobs: Vec<&'a JobFacts>,
    jobs_left: usize,
}

struct Tile {
    tone: &'static str,
    number: String,
    text: &'static str,
}

fn tiles(report: &Report) -> Vec<Tile> {
    let counts = &report.counts;
    let (retried, cards) = (counts.completed_after_retry, &report.cards);
    let tile = |tone, number: String, text| Tile { tone, number, text };
    let mut tiles = vec![tile("ok", counts.completed.to_string(), "completed")];
    for (tone, number, text) in [
        ("block", counts.failed, "failed, cancelled or lost"),
        ("warn", counts.blocked, "blocked"),
        ("info", counts.running, "running"),
        ("none", counts.waiting, "waiting"),
        ("none", retried, "completed after a retry"),
    ] {
        if number > 0 {
            tiles.push(tile(tone, number.to_string(), text));
        }
    }
    if cards.cards > 0 {
        tiles.push(tile("none", card_time(cards.busy_s), "GPU time"));
        if cards.fruitless_s > 0.0 {
            let number = card_time(cards.fruitless_s);
            tiles.push(tile("warn", number, "of it without a result"));
        }
    }
    tiles
}

/// The kinds of bars in the timeline: class and label.
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
