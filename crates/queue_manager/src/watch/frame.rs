//! The screen of `watch`: a pure function from a status to lines.

use aris_cli::Style;
use aris_contract::text::counted;
use jiff::Timestamp;

use super::cells::{cut, pad, width_of};
use crate::commands::status::Status;
use crate::results::words::{tallied, whole};

/// Width in cells of the progress bar.
const BAR: usize = 30;

/// Most phases that are shown; a single phase is not shown.
const PHASES: usize = 6;

/// The style of a line.
type Paint = fn(Style, &str) -> String;

/// A section of the screen: a heading, and as many rows as fit.
struct Section {
    heading: &'static str,
    /// Number of all its entries.
    count: usize,
    rows: Vec<String>,
    paint: Paint,
}

/// The lines for a terminal of this size.
pub(super) fn lines(
    status: &Status,
    now: Timestamp,
    (columns, rows): (usize, usize),
    style: Style,
) -> Vec<String> {
    let mut lines = Vec::new();
    let mut add = |paint: Paint, text: &str| lines.push(paint(style, &cut(text, columns)));
    add(Style::bold, &title(status, now));
    add(plain, &progress(status));
    add(plain, &tallied(&status.counts, "  "));
    for notice in &status.notices {
        add(Style::doubtful, &format!("! {notice}"));
    }
    if status.paused {
        add(Style::doubtful, "! paused: nothing new is started");
    }
    if let Some(cards) = cards(status) {
        add(plain, &cards);
    }
    lines.truncate(rows.max(1));
    let mut sections = vec![
        phases(status),
        running(status, columns),
        retries(status, now, columns),
        blocked(status),
        problems(status, columns),
    ];
    sections.retain(|section| !section.rows.is_empty());
    let shares = shares(&sections, rows.saturating_sub(lines.len()));
    for (section, share) in sections.iter().zip(shares) {
        if share == 0 {
            continue;
        }
        let mut heading = format!("{} ({})", section.heading, section.count);
        if section.rows.len() > share {
            heading = format!("{heading}, the first {share}");
        }
        lines.push(String::new());
        lines.push(style.bold(&cut(&heading, columns)));
        for row in section.rows.iter().take(share) {
            lines.push((section.paint)(style, &cut(row, columns)));
        }
    }
    lines
}

/// How many rows each section gets of `room` lines. The sections get one row at a time in turn. The first row of a section also costs a
/// blank line and a heading.
fn shares(sections: &[Section], room: usize) -> Vec<usize> {
    const BEFORE: usize = 2;
    let mut shares = vec![0; sections.len()];
    let mut room = room;
    loop {
        let mut any = false;
        for (share, section) in shares.iter_mut().zip(sections) {
            let cost = if *share == 0 { 1 + BEFORE } else { 1 };
            if *share < section.rows.len() && cost <= room {
                *share += 1;
                room -= cost;
                any = true;
            }
        }
        if !any {
            return shares;
        }
    }
}

fn plain(_: Style, text: &str) -> String {
    text.to_owned()
}

fn title(status: &Status, now: Timestamp) -> String {
    let who = match &status.manager {
        _ if status.over => String::from("ended"),
        Some(manager) => format!("run by {manager}"),
        None => String::from("no manager is running"),
    };
    let time = aris_contract::time::stamp(now);
    format!("{}  {}  {who}", status.project, time)
}

fn progress(status: &Status) -> String {
    let phases = status.phases.iter();
    let over: usize = phases.map(|phase| phase.completed + phase.stuck).sum();
    let full = (over * BAR).checked_div(status.jobs).unwrap_or(BAR);
    let (done, rest) = ("#".repeat(full), ".".repeat(BAR.saturating_sub(full)));
    let mut text = format!("[{done}{rest}] {over} of {} ended", status.jobs);
    if let Some(rate) = status.per_hour.filter(|_| !status.over) {
        text = format!("{text}, {rate} an hour");
    }
    if let Some(left) = status.left_s.filter(|_| !status.over) {
        text = format!("{text}, about {} left", whole(left));
    }
    text
}

fn cards(status: &Status) -> Option<String> {
    let cards = status.cards.iter().map(|card| {
        let jobs = match card.jobs.as_slice() {
            [] => String::from("idle"),
            jobs => jobs.join(" "),
        };
        format!("{}: {jobs}", card.index)
    });
    let cards: Vec<String> = cards.collect();
    (!cards.is_empty()).then(|| format!("cards  {}", cards.join("   ")))
}

impl Section {
    fn new(
        heading: &'static str,
        count: usize,
        rows: impl Iterator<Item = String>,
        paint: Paint,
    ) -> Self {
        Self {
            heading,
            count,
            rows: rows.collect(),
            paint,
        }
    }
}

/// Number of jobs in any of these states.
fn count(status: &Status, states: &[&str]) -> usize {
    let counts = states.iter().filter_map(|state| status.counts.get(state));
    counts.sum()
}

fn phases(status: &Status) -> Section {
    let shown = status.phases.iter().filter(|_| status.phases.len() > 1);
    // Running phases first.
    let mut phases: Vec<_> = shown.collect();
    phases.sort_by_key(|phase| phase.status != "running");
    let rows = phases.iter().take(PHASES);
    let rows = rows.map(|phase| format!("  {}  {}  {}", phase.name, phase.status, phase.ended()));
    Section::new("phases", phases.len(), rows, plain)
}

fn running(status: &Status, columns: usize) -> Section {
    let width = width_of(status.running.iter().map(|job| job.id.as_str()), columns);
    let rows = status.running.iter().map(|job| {
        let (id, attempt) = (pad(&job.id, width), job.attempt);
        let (cards, time) = (job.cards(), job.time());
        let line = job.last_line.as_deref().unwrap_or("");
        format!("  {id}  #{attempt}  card {cards:<4} {time:>8}  {line}")
    });
    let active = ["starting", "running", "cancelling", "unknown"];
    Section::new("running", count(status, &active), rows, plain)
}

fn retries(status: &Status, now: Timestamp, columns: usize) -> Section {
    let width = width_of(status.retries.iter().map(|job| job.id.as_str()), columns);
    let rows = status.retries.iter().map(|job| {
        let due = job.at.as_deref().and_then(crate::snapshot::moment);
        let due = due.map(|due| due.duration_since(now).as_secs().max(0));
        let due = due.and_then(|seconds| u64::try_from(seconds).ok());
        let due = due.map_or_else(|| String::from("a while"), whole);
        let (id, reason) = (pad(&job.id, width), job.reason.unwrap_or("failed"));
        let attempts = counted(job.attempts, "attempt");
        format!("  {id}  {reason} after {attempts}, again in {due}")
    });
    let all = count(status, &["backoff"]);
    Section::new("to be tried again", all, rows, Style::doubtful)
}

fn blocked(status: &Status) -> Section {
    let rows = status.blocked.iter();
    let rows = rows.map(|group| format!("  {}: {}", counted(group.jobs, "job"), group.cause));
    let all = count(status, &["blocked"]);
    Section::new("blocked", all, rows, Style::doubtful)
}

fn problems(status: &Status, columns: usize) -> Section {
    let failed = || status.problems.iter().filter(|job| job.state != "blocked");
    let width = width_of(failed().map(|job| job.id.as_str()), columns);
    let rows = failed().map(|job| {
        let (id, reason) = (pad(&job.id, width), job.reason.unwrap_or(job.state));
        format!("  {id}  {reason}  {}", job.error.as_deref().unwrap_or(""))
    });
    let all = count(status, &["failed", "lost", "cancelled"]);
    Section::new("not completed", all, rows, Style::bad)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use unicode_width::UnicodeWidthStr as _;

    use aris_attempt::cards::CardId;

    use super::*;
    use crate::commands::status::{Blocked, CardUse, Phase, Retry, Row, Running};

    fn status(running: usize) -> Status {
        Status {
            project: String::from("grid 実験"),
            over: false,
            paused: true,
            manager: Some(String::from("process 1 on here")),
            updated: None,
            jobs: 100,
            counts: BTreeMap::from([
                ("running", running),
                ("backoff", 1),
                ("blocked", 7),
                ("failed", 1),
            ]),
            phases: vec![Phase {
                name: String::from("p"),
                status: String::from("running"),
                jobs: 100,
                completed: 49,
                stuck: 1,
            }],
            running: (0..running)
                .map(|number| Running {
                    id: format!("学習-{number}-{}", "很长的名字".repeat(6)),
                    gpus: vec![CardId::whole(3)],
                    attempt: 2,
                    started: None,
                    seconds: Some(65),
                    last_line: Some(String::from("\u{1b}[31mepoch 3\tloss 0.1\u{7}")),
                })
                .collect(),
            retries: vec![Retry {
                id: String::from("again"),
                reason: Some("gpu_oom"),
                attempts: 1,
                at: Some(String::from("2026-01-01T00:01:40Z")),
            }],
            blocked: vec![Blocked {
                cause: String::from("depends on \"x\" (failed)"),
                jobs: 7,
            }],
            problems: vec![Row {
                id: String::from("x"),
                phase: String::from("p"),
                state: "failed",
                reason: Some("exit"),
                attempts: 1,
                error: Some(String::from("it exited with 3")),
            }],
            cards: vec![CardUse {
                index: CardId::whole(3),
                jobs: vec![String::from("a")],
            }],
            notices: vec![String::from("journal: disk full")],
            per_hour: Some(12),
            left_s: Some(3700),
            all: None,
        }
    }

    fn now() -> Timestamp {
        "2026-01-01T00:00:00Z".parse().expect("a time")
    }

    #[test]
    fn a_frame_says_what_a_person_must_know() {
        let text = lines(&status(3), now(), (100, 40), Style::plain()).join("\n");
        for part in [
            "grid 実験",
            "[###############...............] 50 of 100 ended, 12 an hour, about 1h 01m left",
            "! journal: disk full",
            "! paused",
            "cards  3: a",
            "running (3)",
            "#2  card 3      1m 05s   [31mepoch 3 loss 0.1 ",
            "again  gpu_oom after 1 attempt, again in 1m 40s",
            "7 jobs: depends on \"x\" (failed)",
            "x  exit  it exited with 3",
        ] {
            assert!(text.contains(part), "{part} in\n{text}");
        }
        assert!(
            !text.contains('\u{1b}'),
            "nothing of a log reaches the terminal"
        );
    }

    #[test]
    fn a_frame_fits_every_terminal() {
        for (columns, rows) in [(80, 24), (200, 50), (20, 5), (3, 2), (1, 1)] {
            let lines = lines(&status(90), now(), (columns, rows), Style::plain());
            assert!(lines.len() <= rows, "{} in {rows}", lines.len());
            for line in &lines {
                assert!(
                    line.width() <= columns,
                    "{} in {columns}: {line}",
                    line.width()
                );
            }
        }
        let text = lines(&status(90), now(), (80, 24), Style::plain()).join("\n");
        assert!(
            text.contains("running (90), the first ") && text.contains("not completed"),
            "{text}"
        );
    }
}
