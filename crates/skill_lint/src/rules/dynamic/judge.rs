//! The dynamic rules, each as a function of one call's result.

use aris_proc::End;
use aris_skills::pattern::{Pattern, compiled};
use regex::Regex;

use super::answer::Answer;
use super::envelope;

/// Most files that a message names; it counts the others.
const NAMED_FILES: usize = 3;

/// A rule that a call breaks, and a message.
pub(super) type Fault = (&'static str, String);

static USAGE: Pattern = Pattern::new(|| compiled(r"(?i)^[\W_]*(?:usage|synopsis)\b"));
static EXAMPLES: Pattern = Pattern::new(|| compiled(r"(?i)^[\W_]*examples?\b"));

/// What is wrong with the result of `--help`.
pub(super) fn help(help: &Answer) -> Vec<Fault> {
    let mut faults = Vec::new();
    if !help.left.is_empty() {
        let named = help.left.iter().take(NAMED_FILES).map(String::as_str);
        let named = named.collect::<Vec<_>>().join(", ");
        let more = match help.left.len().saturating_sub(NAMED_FILES) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        faults.push(("SR308", format!("--help left files behind: {named}{more}")));
    }
    faults.extend(late(help, "--help").or_else(|| page(help)));
    faults
}

/// What is wrong with the help's exit code and text.
fn page(help: &Answer) -> Option<Fault> {
    if !help.finished.success() {
        let (ending, because) = (help.ending(), help.because());
        return Some(("SR301", format!("--help ends with {ending}{because}")));
    }
    let text = help.finished.stdout.text();
    if text.trim().is_empty() {
        let instead = match help.finished.stderr.text().trim() {
            "" => "",
            _ => "; its text is on stderr",
        };
        return Some(("SR301", format!("--help writes nothing to stdout{instead}")));
    }
    let has = |section: &Regex| text.lines().any(|line| section.is_match(line));
    let missing = match (has(&USAGE), has(&EXAMPLES)) {
        (true, true) => return None,
        (false, true) => "a Usage section",
        (true, false) => "an Examples section",
        (false, false) => "Usage and Examples sections",
    };
    Some(("SR302", format!("the text of --help lacks {missing}")))
}

/// What is wrong with the result of a flag that no program has.
pub(super) fn unknown_flag(answer: &Answer) -> Vec<Fault> {
    let accepted = || {
        let (ending, because) = (answer.ending(), answer.because());
        let message = format!("an unknown flag ends with {ending}, not 2{because}");
        (answer.exit() != 2).then_some(("SR303", message))
    };
    let fault = late(answer, "an unknown flag").or_else(accepted);
    fault.into_iter().collect()
}

/// What is wrong with the result of a declared sample. `exits` lists the allowed exit codes; empty allows any.
pub(super) fn sample(answer: &Answer, exits: &[i64]) -> Vec<Fault> {
    if let Some(late) = late(answer, "the declared sample") {
        return vec![late];
    }
    let faults = envelope::sample_faults(&answer.finished.stdout.bytes, answer.exit()).into_iter();
    let mut faults: Vec<String> = faults.map(|fault| format!(": {fault}")).collect();
    if !exits.is_empty() && !exits.contains(&i64::from(answer.exit())) {
        let promised: Vec<String> = exits.iter().map(ToString::to_string).collect();
        let (ending, because) = (answer.ending(), answer.because());
        let promised = promised.join(" or ");
        faults.push(format!(
            " ends with {ending}, the contract promises {promised}{because}"
        ));
    }
    let message = |fault| ("SR306", format!("the declared sample{fault}"));
    faults.into_iter().map(message).collect()
}

/// A call that did not end in time.
fn late(answer: &Answer, name: &str) -> Option<Fault> {
    let limit = answer.finished.deadline.as_secs();
    let message = format!("{name} gave no answer within {limit} s");
    (answer.finished.end == End::TimedOut).then_some(("SR309", message))
}
