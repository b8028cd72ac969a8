//! `run`: finds a helper, runs it on the caller's own streams, and applies the policy to the result. A one-line form for
//! skills.

use std::io::{self, Write};
use std::num::NonZeroU8;
use std::ops::RangeInclusive;

use aris_cli::{Context, Outcome, Product, Stream, Style};
use aris_contract::Signal;
use aris_contract::helpers::Helper;
use aris_contract::policy::Policy;
use aris_proc::{End, Stdout};
use serde::Serialize;

use super::asked;
use crate::cli::RunArgs;
use crate::error::Error;
use crate::project::Project;

/// Schema id of [`Ran`].
pub(crate) const SCHEMA: &str = "aris.contract_check.outcome/v1";

/// Exit 20, policy C: the record is missing, and the caller writes it itself.
pub(crate) const OWED: u8 = 20;

/// Exit 21, policy D1: the caller tries its next source.
pub(crate) const NEXT_SOURCE: u8 = 21;

/// Exit 22, policy D2: the caller records the source as skipped.
pub(crate) const SOURCE_SKIPPED: u8 = 22;

/// What a shell adds to a signal's number to make an exit code.
const SIGNALLED: i32 = 128;

/// Exit codes of a helper that did its work and reported findings. **Source**: the contract of exit codes; shells use 126 and
/// above.
const FOUND: RangeInclusive<u8> = 10..=125;

/// The result of one attempt to run a helper.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Attempt {
    /// No layer of the resolver chain had a usable file. The text lists what was tried.
    Unresolved(String),
    /// The process could not be started, or the deadline ended it.
    NotRun(String),
    /// The helper ran and exited with this code.
    Exited(u8),
}

/// The outcome under the policy.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Ran {
    /// Canonical name.
    helper: &'static str,
    /// Letter of the policy.
    policy: &'static str,
    /// What the outcome means for the caller.
    outcome: Verdict,
    /// Exit code of the helper, 128 plus the signal's number when one ended it; absent when it did not run to its end.
    #[serde(skip_serializing_if = "Option::is_none")]
    helper_exit: Option<u8>,
    /// Why it is not a plain success.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    /// What the caller must do now, if anything.
    #[serde(skip_serializing_if = "Option::is_none")]
    then: Option<String>,
}

/// What an outcome means for the caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
enum Verdict {
    /// The helper exited with 0.
    Done,
    /// All but A: the helper did its work and reported findings, 10 to 125. B and E exit with its code, the others with 0.
    Found,
    /// A: stop; the exit code is the helper's, or 1.
    Blocked,
    /// B: go on without the side effect.
    WithoutSideEffect,
    /// C: write the record.
    RecordOwed,
    /// D1: try the next source.
    NextSource,
    /// D2: record the source as skipped.
    SourceSkipped,
    /// E: note it in the report and go on.
    Noted,
}

pub(crate) fn run(
    args: &RunArgs,
    project: &Project,
    context: &Context,
) -> Result<Outcome<Ran>, Error> {
    let (helper, policy) = asked(&args.helper)?;
    let attempt = attempt(helper, args, project, context);
    let (ran, signal) = judge(helper, policy, &attempt);
    if let Some(reason) = &ran.reason {
        let then = ran.then.as_ref().map(|then| format!("; {then}"));
        let (helper, policy, then) = (ran.helper, ran.policy, then.unwrap_or_default());
        context.warn(&format!("{helper} (policy {policy}): {reason}{then}"));
    }
    if let Some(file) = &args.record {
        let line = serde_json::to_string(&ran).unwrap_or_default();
        aris_fs::append_line(&context.absolute(file), &line).map_err(Error::Record)?;
    }
    Ok(Outcome { data: ran, signal })
}

/// Runs the helper in the caller's working directory.
fn attempt(helper: &Helper, args: &RunArgs, project: &Project, context: &Context) -> Attempt {
    let argv = match project.argv(helper) {
        Ok(argv) => argv,
        Err(why) => return Attempt::Unresolved(why),
    };
    let Some((program, first)) = argv.split_first() else {
        return Attempt::Unresolved(String::from("nothing to start"));
    };
    let stdout = if context.json() {
        Stdout::Stderr
    } else {
        Stdout::Same
    };
    let command = aris_proc::command(program, context.cwd())
        .args(first)
        .args(&args.args);
    match command.run_attached(stdout, args.deadline) {
        Ok(End::Exited(code)) => exited(code),
        Ok(End::Signalled(signal)) => exited(SIGNALLED + signal),
        Ok(End::TimedOut) => {
            let limit = args.deadline.unwrap_or_default().as_secs();
            Attempt::NotRun(format!("no end within {limit} s"))
        }
        Err(error) => Attempt::NotRun(error.to_string()),
    }
}

fn exited(code: i32) -> Attempt {
    match u8::try_from(code) {
        Ok(code) => Attempt::Exited(code),
        Err(_) => Attempt::NotRun(format!("exit code {code} is none")),
    }
}

/// Applies the policy to an attempt: the outcome, and the exit signal.
fn judge(helper: &'static Helper, policy: Policy, attempt: &Attempt) -> (Ran, Option<Signal>) {
    let passed_on = |code: u8| NonZeroU8::new(code).map(Signal::passed_on);
    let (outcome, signal) = match (policy, attempt) {
        (_, Attempt::Exited(0)) => (Verdict::Done, None),
        (Policy::A, Attempt::Exited(code)) => (Verdict::Blocked, passed_on(*code)),
        (Policy::A, _) => (Verdict::Blocked, Some(Signal::BLOCK)),
        (Policy::B | Policy::E, Attempt::Exited(code)) if FOUND.contains(code) => {
            (Verdict::Found, passed_on(*code))
        }
        (_, Attempt::Exited(code)) if FOUND.contains(code) => (Verdict::Found, None),
        (Policy::B, _) => (Verdict::WithoutSideEffect, None),
        (Policy::C, _) => (Verdict::RecordOwed, Signal::own(OWED)),
        (Policy::D1, _) => (Verdict::NextSource, Signal::own(NEXT_SOURCE)),
        (Policy::D2, _) => (Verdict::SourceSkipped, Signal::own(SOURCE_SKIPPED)),
        (Policy::E, _) => (Verdict::Noted, None),
    };
    let reason = match attempt {
        Attempt::Exited(0) => None,
        Attempt::Exited(code) if outcome == Verdict::Found => {
            Some(format!("helper found something, exit code {code}"))
        }
        Attempt::Exited(code) => Some(format!("helper exited with {code}")),
        Attempt::NotRun(why) => Some(format!("helper did not finish: {why}")),
        Attempt::Unresolved(why) => Some(format!("helper not found: {why}")),
    };
    let then = (outcome != Verdict::Done).then(|| match attempt {
        _ if outcome == Verdict::Found => {
            String::from("it finished: read its output, and do not overwrite its files")
        }
        // A gate that ran has already printed what is wrong.
        Attempt::Exited(_) if policy == Policy::A => policy.when_failed().to_owned(),
        Attempt::Exited(_) => format!("{}. {}", policy.when_failed(), helper.fallback),
        Attempt::Unresolved(_) | Attempt::NotRun(_) => {
            format!("{}. {}", policy.when_unresolved(), helper.fallback)
        }
    });
    let helper_exit = match attempt {
        Attempt::Exited(code) => Some(*code),
        Attempt::Unresolved(_) | Attempt::NotRun(_) => None,
    };
    let ran = Ran {
        helper: &helper.name,
        policy: policy.letter(),
        outcome,
        helper_exit,
        reason,
        then,
    };
    (ran, signal)
}

impl Product for Ran {
    fn schema(&self) -> &'static str {
        SCHEMA
    }

    /// stdout belongs to the helper's own output.
    fn stream(&self) -> Stream {
        Stream::Stderr
    }

    /// Nothing: the warning has said it.
    fn render(&self, _out: &mut dyn Write, _style: Style) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use aris_contract::helpers;

    use super::*;

    #[test]
    fn each_policy_has_its_own_outcome_for_each_end() {
        let helper = &helpers::all()[0];
        let attempts = [
            Attempt::Exited(0),
            Attempt::Exited(9),
            Attempt::Exited(137),
            Attempt::NotRun(String::from("x")),
            Attempt::Unresolved(String::from("x")),
        ];
        for (policy, verdict, codes) in [
            (Policy::A, Verdict::Blocked, [9, 137, 1, 1]),
            (Policy::B, Verdict::WithoutSideEffect, [0; 4]),
            (Policy::C, Verdict::RecordOwed, [OWED; 4]),
            (Policy::D1, Verdict::NextSource, [NEXT_SOURCE; 4]),
            (Policy::D2, Verdict::SourceSkipped, [SOURCE_SKIPPED; 4]),
            (Policy::E, Verdict::Noted, [0; 4]),
        ] {
            let (ran, signal) = judge(helper, policy, &attempts[0]);
            assert_eq!(
                (ran.outcome, ran.reason, signal),
                (Verdict::Done, None, None)
            );
            for (attempt, code) in attempts[1..].iter().zip(codes) {
                let (ran, signal) = judge(helper, policy, attempt);
                let left = signal.map_or(0, |signal| signal.exit().code());
                assert_eq!(
                    (ran.outcome, left),
                    (verdict, code),
                    "{policy:?} {attempt:?}"
                );
                assert!(
                    ran.reason.is_some() && ran.then.is_some(),
                    "{policy:?} {attempt:?}"
                );
            }
        }
    }
}
