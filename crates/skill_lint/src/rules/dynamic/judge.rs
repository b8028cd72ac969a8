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

/// A rule that a script breaks, where, and a message.
pub(super) type Problem = (&'static str, Place, String);

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
    let mut found: Vec<Problem> = Vec::new();
    let (script, flag) = (Place::Script(1), answers.unknown_flag.as_ref());
    let samples = answers.samples.iter();
    let calls = [(script, "--help", &answers.help)]
        .into_iter()
        .chain(flag.map(|answer| (script, "an unknown flag", answer)))
        .chain(samples.map(|sample| (sample.place, "the declared sample", &sample.answer)));
    for (place, name, _) in calls.filter(|(_, _, answer)| answer.timed_out()) {
        let message = format!("{name} gave no answer within {} s", answers.limit_s);
        found.push(("SR309", place, message));
    }
    let mut tell = |rule, message| found.push((rule, script, message));
    help(&answers.help, &mut tell);
    if let Some(answer) = flag.filter(|answer| !answer.timed_out() && answer.exit() != 2) {
        let (ending, because) = (answer.ending(), answer.because());
        let message = format!("an unknown flag ends with {ending}, not 2{because}");
        tell("SR303", message);
    }
    let samples = answers.samples.iter();
    for sample in samples.filter(|sample| !sample.answer.timed_out()) {
        for fault in faults(sample) {
            let message = format!("the declared sample{fault}");
            found.push(("SR306", sample.place, message));
        }
    }
    found
}

fn help(help: &Answer, tell: &mut impl FnMut(&'static str, String)) {
    if !help.left.is_empty() {
        let named = help.left.iter().take(NAMED_FILES).map(String::as_str);
        let named = named.collect::<Vec<_>>().join(", ");
        let more = match help.left.len().saturating_sub(NAMED_FILES) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        tell("SR308", format!("--help left files behind: {named}{more}"));
    }
    if help.timed_out() {
        return;
    }
    if !help.succeeded() {
        let (ending, because) = (help.ending(), help.because());
        tell("SR301", format!("--help ends with {ending}{because}"));
        return;
    }
    let text = help.text();
    if text.trim().is_empty() {
        let instead = if help.wrote_to_stderr() {
            "; its text is on stderr"
        } else {
            ""
        };
        tell("SR301", format!("--help writes nothing to stdout{instead}"));
        return;
    }
    let has = |section: &Regex| text.lines().any(|line| section.is_match(line));
    let missing = match (has(&USAGE), has(&EXAMPLES)) {
        (true, true) => return,
        (false, true) => "a Usage section",
        (true, false) => "an Examples section",
        (false, false) => "Usage and Examples sections",
    };
    tell("SR302", format!("the text of --help lacks {missing}"));
}

/// What is wrong with a sample that ran, as the end of a sentence.
fn faults(sample: &SampleAnswer) -> Vec<String> {
    let answer = &sample.answer;
    let faults = envelope::sample_faults(answer.stdout(), answer.exit()).into_iter();
    let mut faults: Vec<String> = faults.map(|fault| format!(": {fault}")).collect();
    if !sample.exits.is_empty() && !sample.exits.contains(&i64::from(answer.exit())) {
        let promised: Vec<String> = sample.exits.iter().map(ToString::to_string).collect();
        faults.push(format!(
            " ends with {}, the contract promises {}{}",
            answer.ending(),
            promised.join(" or "),
            answer.because()
        ));
    }
    faults
}
