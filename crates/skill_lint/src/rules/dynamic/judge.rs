//! The dynamic rules as a function of what the calls of one script gave.

use std::sync::LazyLock;

use regex::Regex;

use crate::pattern::compiled;

use super::answer::Answer;
use super::contract::Contract;
use super::envelope;
use super::help::Help;

/// Files that a message names; the rest is counted.
const NAMED_FILES: usize = 3;

/// Where a problem belongs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// The script.
    Script,
    /// This line of the script, from 1.
    ScriptLine(usize),
    /// The line of the contract file where this text stands first, or else its first line.
    Contract(String),
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
    pub(super) short_help: Option<Answer>,
    pub(super) unknown_flag: Option<Answer>,
    /// `--version`, with the name it should print.
    pub(super) version: Option<(String, Answer)>,
    pub(super) samples: Vec<SampleAnswer>,
    /// Seconds a call had.
    pub(super) limit_s: u64,
}

/// The flag that no program has.
pub(super) const UNKNOWN_FLAG: &str = "--skill-lint-no-such-flag";

static VERSION: LazyLock<Regex> = LazyLock::new(|| {
    compiled(
        r"^(\S+) v?(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?(\s|$)",
    )
});

/// The problems of one script.
pub(super) fn problems(answers: &Answers, contract: Option<&Contract>) -> Vec<Problem> {
    let mut found = Vec::new();
    time(answers, &mut found);
    help(answers, contract, &mut found);
    unknown_flag(answers, &mut found);
    version(answers, &mut found);
    for sample in &answers.samples {
        self::sample(sample, &mut found);
    }
    escapes(answers, &mut found);
    found
}

fn script(rule: &'static str, message: String) -> Problem {
    Problem {
        rule,
        place: Place::Script,
        message,
    }
}

/// The calls with their names and places, in the order they were made.
fn calls(answers: &Answers) -> impl Iterator<Item = (&'static str, Place, &Answer)> {
    let named = [
        Some(("--help", &answers.help)),
        answers.short_help.as_ref().map(|answer| ("-h", answer)),
        answers
            .unknown_flag
            .as_ref()
            .map(|answer| ("an unknown flag", answer)),
        answers
            .version
            .as_ref()
            .map(|(_, answer)| ("--version", answer)),
    ];
    let samples = answers
        .samples
        .iter()
        .map(|sample| ("the declared sample", sample.place.clone(), &sample.answer));
    named
        .into_iter()
        .flatten()
        .map(|(name, answer)| (name, Place::Script, answer))
        .chain(samples)
}

fn time(answers: &Answers, found: &mut Vec<Problem>) {
    for (name, place, _) in calls(answers).filter(|(_, _, answer)| answer.timed_out()) {
        let message = format!("{name} gave no answer within {} s", answers.limit_s);
        found.push(Problem {
            rule: "SR309",
            place,
            message,
        });
    }
}

fn help(answers: &Answers, contract: Option<&Contract>, found: &mut Vec<Problem>) {
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
    if let Some(line) = help.missing_dependency() {
        found.push(script(
            "SR313",
            format!("--help needs something that is not there: {line}"),
        ));
    }
    if !help.is_help() {
        return;
    }
    let text = Help::of(&help.text());
    let missing = match (text.usage, text.examples) {
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
    if let Some(short) = answers
        .short_help
        .as_ref()
        .filter(|short| !short.succeeded() && !short.timed_out())
    {
        found.push(script(
            "SR304",
            format!(
                "--help works and -h leaves with {}{}",
                short.ending(),
                short.because()
            ),
        ));
    }
    for (word, message) in contract
        .into_iter()
        .flat_map(|contract| contract.disagreements(&text))
    {
        found.push(Problem {
            rule: "SR311",
            place: Place::Contract(word),
            message,
        });
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
    // A program that took the flag for something else and succeeded made no usage error.
    if answer.exit() != 0
        && let Some(fault) = envelope::usage_error_fault(answer.stdout())
    {
        found.push(script("SR305", format!("on a usage error {fault}")));
    }
}

fn version(answers: &Answers, found: &mut Vec<Problem>) {
    let Some((name, answer)) = answers
        .version
        .as_ref()
        .filter(|(_, answer)| !answer.timed_out())
    else {
        return;
    };
    let text = answer.text();
    let first = text.lines().next().unwrap_or_default();
    let printed = VERSION.captures(first).and_then(|version| version.get(1));
    if !answer.succeeded() {
        found.push(script(
            "SR312",
            format!(
                "--version leaves with {}{}",
                answer.ending(),
                answer.because()
            ),
        ));
    } else if printed.is_none_or(|printed| printed.as_str() != name) {
        found.push(script(
            "SR312",
            format!("--version does not print `{name} <version>`"),
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
            place: sample.place.clone(),
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

fn escapes(answers: &Answers, found: &mut Vec<Problem>) {
    if let Some((name, place, _)) =
        calls(answers).find(|(_, _, answer)| envelope::has_escape(answer.stdout()))
    {
        let message =
            format!("{name} writes terminal escape sequences to a stdout that is no terminal");
        found.push(Problem {
            rule: "SR307",
            place,
            message,
        });
    }
}

#[cfg(test)]
mod tests {
    use aris_proc::End;

    use super::super::answer::tests::answer;
    use super::*;

    const GOOD: &str = "Usage: x\nExamples:\n  x 1\n";

    fn good() -> Answers {
        Answers {
            help: answer(End::Exited(0), GOOD, ""),
            short_help: Some(answer(End::Exited(0), GOOD, "")),
            unknown_flag: Some(answer(End::Exited(2), "", "x: error")),
            version: Some((
                String::from("x"),
                answer(End::Exited(0), "x 1.2.3 (abc)\n", ""),
            )),
            samples: vec![SampleAnswer {
                place: Place::ScriptLine(7),
                exits: vec![0],
                answer: answer(
                    End::Exited(0),
                    r#"{"data": [], "meta": {"schema": "a", "count": 0}}"#,
                    "",
                ),
            }],
            limit_s: 5,
        }
    }

    fn rules(answers: &Answers) -> Vec<String> {
        problems(answers, None)
            .into_iter()
            .map(|problem| format!("{} {}", problem.rule, problem.message))
            .collect()
    }

    #[test]
    fn a_script_that_keeps_the_contract_has_no_problem() {
        assert_eq!(rules(&good()), Vec::<String>::new());
    }

    #[test]
    fn each_rule_fires_on_its_case_and_alone() {
        type Case = (fn(&mut Answers), &'static [&'static str]);
        let cases: Vec<Case> = vec![
            (
                |a| a.help = answer(End::Exited(1), GOOD, "x: bad"),
                &["SR301 --help leaves with exit 1: x: bad"],
            ),
            (
                |a| a.help = answer(End::Exited(0), " \n", ""),
                &["SR301 --help writes nothing to stdout"],
            ),
            (
                |a| a.help = answer(End::Exited(0), "", GOOD),
                &["SR301 --help writes nothing to stdout; its text is on stderr"],
            ),
            (
                |a| a.help = answer(End::Exited(0), "Usage: x", ""),
                &["SR302 the text of --help lacks an Examples section"],
            ),
            (
                |a| a.help = answer(End::Exited(0), "done", ""),
                &["SR302 the text of --help lacks Usage and Examples sections"],
            ),
            (
                |a| a.unknown_flag = Some(answer(End::Exited(0), "done", "")),
                &["SR303 an unknown flag leaves with exit 0, not 2"],
            ),
            (
                |a| a.unknown_flag = Some(answer(End::Exited(1), "", "")),
                &["SR303 an unknown flag leaves with exit 1, not 2"],
            ),
            (
                |a| a.short_help = Some(answer(End::Exited(2), "", "")),
                &["SR304 --help works and -h leaves with exit 2"],
            ),
            (
                |a| a.unknown_flag = Some(answer(End::Exited(2), "usage", "")),
                &[
                    "SR305 on a usage error stdout holds something else than one JSON document with error",
                ],
            ),
            (
                |a| a.samples[0].answer = answer(End::Exited(0), "", ""),
                &["SR306 the declared sample: stdout is empty"],
            ),
            (
                |a| a.samples[0].exits = vec![3, 4],
                &["SR306 the declared sample leaves with exit 0, the contract promises 3 or 4"],
            ),
            (
                |a| a.help = answer(End::Exited(0), "Usage: \u{1b}[1mx\nExamples:", ""),
                &["SR307 --help writes terminal escape sequences to a stdout that is no terminal"],
            ),
            (
                |a| a.help.left = ["a", "b", "c", "d"].map(String::from).to_vec(),
                &["SR308 --help left files behind: a, b, c and 1 more"],
            ),
            (
                |a| a.help.left = vec![String::from("~/x")],
                &["SR308 --help left files behind: ~/x"],
            ),
            (
                |a| a.help = answer(End::TimedOut, "", ""),
                &["SR309 --help gave no answer within 5 s"],
            ),
            (
                |a| a.unknown_flag = Some(answer(End::TimedOut, "x", "")),
                &["SR309 an unknown flag gave no answer within 5 s"],
            ),
            (
                |a| a.samples[0].answer = answer(End::TimedOut, "", ""),
                &["SR309 the declared sample gave no answer within 5 s"],
            ),
            (
                |a| a.version = Some((String::from("y"), answer(End::Exited(0), "x 1.2.3", ""))),
                &["SR312 --version does not print `y <version>`"],
            ),
            (
                |a| a.version = Some((String::from("x"), answer(End::Exited(0), "x 1.2", ""))),
                &["SR312 --version does not print `x <version>`"],
            ),
            (
                |a| a.version = Some((String::from("x"), answer(End::Exited(2), "", ""))),
                &["SR312 --version leaves with exit 2"],
            ),
        ];
        for (change, expected) in cases {
            let mut answers = good();
            change(&mut answers);
            assert_eq!(rules(&answers), expected);
        }
    }

    #[test]
    fn a_failed_help_may_have_a_cause_that_is_named_too() {
        let mut answers = good();
        answers.help = answer(
            End::Exited(1),
            "",
            "ModuleNotFoundError: No module named 'torch'",
        );
        let found: Vec<_> = problems(&answers, None)
            .into_iter()
            .map(|problem| problem.rule)
            .collect();
        assert_eq!(found, ["SR301", "SR313"]);
    }

    #[test]
    fn the_contract_is_compared_only_with_a_help_that_came() {
        let contract =
            Contract::of(r#"{"name": "x", "flags": [{"long": "--json"}]}"#).expect("contract");
        let mut answers = good();
        let found = problems(&answers, Some(&contract));
        assert_eq!(found.len(), 1);
        assert_eq!(
            (found[0].rule, &found[0].place),
            ("SR311", &Place::Contract(String::from("\"--json\"")))
        );
        answers.help = answer(End::TimedOut, "", "");
        assert!(
            problems(&answers, Some(&contract))
                .iter()
                .all(|problem| problem.rule != "SR311")
        );
    }

    #[test]
    fn calls_that_were_not_made_prove_nothing() {
        let mut answers = good();
        (answers.short_help, answers.unknown_flag, answers.version) = (None, None, None);
        answers.samples.clear();
        assert_eq!(rules(&answers), Vec::<String>::new());
    }
}
