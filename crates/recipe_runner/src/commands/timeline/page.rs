//! The page: HTML without scripts, fonts or pictures, which fits phones and large screens.

use aris_contract::text::counted;
use askama::Template;
use jiff::Timestamp;

use super::{Bar, Row, Timeline, seconds};
use crate::agent::Usage;

/// Longest wait on the page, as a part of the time of work, so that work stays visible beside a long pause.
const LONGEST_WAIT: f64 = 0.08;

/// The scale of the bars, in seconds: work, and waits, which are shortened.
struct Scale {
    /// Gaps in the work that were shortened: begin, end, and the seconds that were cut.
    cuts: Vec<(f64, f64, f64)>,
    total: f64,
    start: Timestamp,
}

impl Scale {
    fn of(timeline: &Timeline, now: Timestamp) -> Self {
        let start = timeline.from.unwrap_or(now);
        let at = |time: Timestamp| seconds(start, time);
        let spans = timeline.steps.iter().flat_map(Row::spans);
        let mut spans: Vec<(f64, f64)> = spans.map(|(from, to)| (at(from), at(to))).collect();
        spans.sort_by(|one, other| one.0.total_cmp(&other.0));
        let most = (timeline.work_s * LONGEST_WAIT).max(0.5);
        let (mut cuts, mut end) = (Vec::new(), 0.0_f64);
        for (from, to) in spans {
            if from - end > most {
                cuts.push((end, from, from - end - most));
            }
            end = end.max(to);
        }
        let mut scale = Self {
            cuts,
            total: 1.0,
            start,
        };
        scale.total = scale.place(end).max(0.001);
        scale
    }

    /// The position and width of a bar.
    fn style(&self, bar: &Bar) -> String {
        let left = self.percent(bar.from);
        let width = self.percent(bar.to) - left;
        format!("left:{left:.2}%;width:{width:.2}%")
    }

    /// The position of a moment.
    fn point(&self, at: Timestamp) -> String {
        format!("min({:.2}%, 100% - 3px)", self.percent(at))
    }

    /// Seconds from the left, with long waits shortened.
    fn place(&self, at: f64) -> f64 {
        let before = self.cuts.iter().filter(|(from, _, _)| *from < at);
        // The cut is taken from the begin of a gap, so it never exceeds the time that has passed in the gap.
        let lost = before.map(|(from, to, lost)| {
            if at >= *to {
                *lost
            } else {
                lost.min(at - from)
            }
        });
        at - lost.sum::<f64>()
    }

    fn percent(&self, time: Timestamp) -> f64 {
        100.0 * self.place(seconds(self.start, time)) / self.total
    }
}

#[derive(Template)]
#[template(path = "timeline.html")]
struct Page<'t> {
    timeline: &'t Timeline,
    scale: Scale,
    when: String,
    sums: Vec<(&'static str, String)>,
}

/// The page. **Errors**: those of the template engine, which do not occur when it writes to memory.
pub(super) fn of(timeline: &Timeline, now: Timestamp) -> Result<String, askama::Error> {
    let tries: usize = timeline.steps.iter().map(|row| row.attempts.len()).sum();
    let usage = timeline.usage;
    let tokens = usage.map(|usage| count(usage.input_tokens + usage.output_tokens));
    let sums = [
        ("work", Some(duration(timeline.work_s))),
        ("waiting", Some(duration(timeline.waiting_s))),
        ("steps", Some(timeline.steps.len().to_string())),
        ("tries", Some(tries.to_string())),
        ("tokens", tokens),
        ("cost", usage.and_then(|usage| usage.cost_usd).map(dollars)),
    ];
    let sums = sums.into_iter();
    let sums = sums.filter_map(|(name, value)| Some((name, value?)));
    let page = Page {
        timeline,
        scale: Scale::of(timeline, now),
        when: match (timeline.from, timeline.to) {
            (Some(from), Some(to)) => format!("{} to {}, UTC", minute(from), minute(to)),
            _ => String::from("nothing was done yet"),
        },
        sums: sums.collect(),
    };
    page.render()
}

impl Bar {
    /// The text below the bar.
    fn said(&self, row: &Row) -> String {
        let several = row.attempts.len() > 1;
        let mut said: Vec<String> = self.lens.iter().cloned().collect();
        if several && (self.lens.is_none() || self.attempt > 1) {
            said.push(format!("try {}", self.attempt));
        }
        said.extend(several.then(|| self.status.clone()));
        said.push(duration(seconds(self.from, self.to)));
        said.extend(self.usage.map(cost));
        said.extend(self.note.clone().filter(|_| several));
        said.join(" · ")
    }
}

/// The style class of a status.
fn tone(status: &str) -> &'static str {
    match status {
        "success" | "completed" => "good",
        "failure" | "failed" | "halted" | "escalated" | "interrupted" | "not started" => "bad",
        "running" | "waiting" => "now",
        "stale" | "exhausted" | "context_limit" | "cancelled" | "loop_guard" => "doubtful",
        _ => "plain",
    }
}

/// Tokens and costs in one text.
pub(super) fn cost(usage: Usage) -> String {
    let [read, written] = [usage.input_tokens, usage.output_tokens].map(count);
    let tokens = format!("{read} tokens in, {written} out");
    match usage.cost_usd {
        Some(cost) => format!("{tokens}, {}", dollars(cost)),
        None => tokens,
    }
}

fn dollars(cost: f64) -> String {
    if cost < 0.1 {
        format!("${cost:.4}")
    } else {
        format!("${cost:.2}")
    }
}

/// A number with thin spaces between thousands.
fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push('\u{2009}');
        }
        out.push(digit);
    }
    out
}

/// Seconds in words.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "seconds of a run, rounded and not negative"
)]
pub(super) fn duration(seconds: f64) -> String {
    if seconds < 9.95 {
        return format!("{seconds:.1} s");
    }
    let all = seconds.round() as u64;
    let (hours, minutes, seconds) = (all / 3600, all / 60 % 60, all % 60);
    match (hours, minutes) {
        (0, 0) => format!("{seconds} s"),
        (0, _) => format!("{minutes} min {seconds:02} s"),
        (1..48, _) => format!("{hours} h {minutes:02} min"),
        _ => format!("{} {} h", counted(hours / 24, "day"), hours % 24),
    }
}

fn minute(time: Timestamp) -> String {
    let text = time.to_string();
    text.get(..16).unwrap_or(&text).replace('T', " ")
}
