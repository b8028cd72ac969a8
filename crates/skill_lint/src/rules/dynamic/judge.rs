//! The dynamic rules as a function of what the calls of one script gave.

use std::sync::LazyLock;

use aris_skills::pattern::compiled;
use regex::Regex;

use super::answer::Answer;
use super::envelope;

/// Files that a message names; the rest is counted.
const NAMED_FILES: usize = 3;

/// Where a problem belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// This line of the script, from 1.
    Script(usize),
    /// Where the contract file has its samples.
    Contract,
}

/// A rule that a script breaks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Problem {
    pub(super) rule: &'static str,
    pub(super) place: Place,
    pub(super) message: String,
}

/// A sample that ran.
#[derive(Clone, Debug)]
pub(super) struct SampleAnswer {
    pub(super) place: Place,
    /// Exit codes the contract allows; empty when nothing is promised.
    pub(super) exits: Vec<i64>,
    pub(super) answer: Answer,
}

/// What the calls of one script gave. `None` for calls that were not made.
#[derive(Clone, Debug)]
pub(super) struct Answers {
    pub(super) help: Answer,
    pub(super) unknown_flag: Option<Answer>,
    pub(super) samples: Vec<SampleAnswer>,
    /// Seconds a call had.
    pub(super) limit_s: u64,
}

static USAGE: LazyLock<Regex> = LazyLock::new(|| compiled(r"(?i)^[\W_]*(?:usage|synopsis)\b"));
static EXAMPLES: LazyLock<Regex> = LazyLock::new(|| compiled(r"(?i)^[\W_]*examples?\b"));

/// The flag that no program has.
pub(super) const UNKNOWN_FLAG: &str = "--skill-lint-no-such-flag";

/// The problems of one script.
pub(super) fn problems(answers: &Answers) -> Vec<Problem> {
    let mut found = Vec::new();
    time(answers, &mut found);
    help(answers, &mut found);
    unknown_flag(answers, &mut found);
    for sample in &answers.samples {
        self::sample(sample, &mut found);
    }
    found
}

fn script(rule: &'static str, message: String) -> Problem {
    Problem {
        rule,
        place: Place::Script(1),
        message,
    }
}

fn time(answers: &Answers, found: &mut Vec<Problem>) {
    let mut late = |name: &str, place: Place, answer: &Answer| {
        if answer.timed_out() {
            let message = format!("{name} gave no answer within {} s", answers.limit_s);
            found.push(Problem {
                rule: "SR309",
                place,
                message,
            });
        }
    };
    late("--help", Place::Script(1), &answers.help);
    if let Some(answer) = &answers.unknown_flag {
        late("an unknown flag", Place::Script(1), answer);
    }
    for sample in &answers.samples {
        late("the declared sample", sample.place, &sample.answer);
    }
}

fn help(answers: &Answers, found: &mut Vec<Problem>) {
    let help = &answers.help;
    if !help.left.is_empty() {
        let named = help.left.iter().take(NAMED_FILES).map(String::as_str);
        let named = named.collect::<Vec<_>>().join(", ");
        let more = match help.left.len().saturating_sub(NAMED_FILES) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        found.push(script(
            "SR308",
            format!("--help left files behind: {named}{more}"),
        ));
    }
    if help.timed_out() {
        return;
    }
    if !help.succeeded() {
        found.push(script(
            "SR301",
            format!("--help leaves with {}{}", help.ending(), help.because()),
        ));
    } else if !help.is_help() {
        let instead = if help.wrote_only_to_stderr() {
            "; its text is on stderr"
        } else {
            ""
        };
        found.push(script(
            "SR301",
            format!("--help writes nothing to stdout{instead}"),
        ));
    }
    if !help.is_help() {
        return;
    }
    let text = help.text();
    let has = |section: &Regex| text.lines().any(|line| section.is_match(line));
    let missing = match (has(&USAGE), has(&EXAMPLES)) {
        (true, true) => None,
        (false, true) => Some("a Usage section"),
        (true, false) => Some("an Examples section"),
        (false, false) => Some("Usage and Examples sections"),
    };
    if let Some(missing) = missing {
        found.push(script(
            "SR302",
            format!("the text of --help lacks {missing}"),
        ));
    }
}

fn unknown_flag(answers: &Answers, found: &mut Vec<Problem>) {
    let Some(answer) = answers
        .unknown_flag
        .as_ref()
        .filter(|answer| !answer.timed_out())
    else {
        return;
    };
    if answer.exit() != 2 {
        found.push(script(
            "SR303",
            format!(
                "an unknown flag leaves with {}, not 2{}",
                answer.ending(),
                answer.because()
            ),
        ));
    }
}

fn sample(sample: &SampleAnswer, found: &mut Vec<Problem>) {
    if sample.answer.timed_out() {
        return;
    }
    let exit = sample.answer.exit();
    let mut report = |message| {
        found.push(Problem {
            rule: "SR306",
            place: sample.place,
            message,
        });
    };
    for fault in envelope::sample_faults(sample.answer.stdout(), exit) {
        report(format!("the declared sample: {fault}"));
    }
    if !sample.exits.is_empty() && !sample.exits.contains(&i64::from(exit)) {
        let promised: Vec<String> = sample.exits.iter().map(ToString::to_string).collect();
        report(format!(
            "the declared sample leaves with {}, the contract promises {}{}",
            sample.answer.ending(),
            promised.join(" or "),
            sample.answer.because()
        ));
    }
}
