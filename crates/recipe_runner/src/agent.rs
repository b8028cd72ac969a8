//! The command that carries out agent steps: its configuration, its prompt, and how its answer is read.

use std::path::Path;

use aris_cli::Context;
use aris_proc::End;
use aris_recipe::engine::outcome::RetryReason;
use aris_recipe::engine::tokens::Reading;
use aris_recipe::engine::{Outcome, OutcomeStatus, tokens};
use serde::Deserialize as _;
use serde_json::{Map, Value};

use crate::attempt::Request;
use crate::error::Error;

/// Where a project configures its agent command.
const CONFIG: &str = ".aris/config.yaml";
/// Largest configuration, in bytes.
const CONFIG_LIMIT: u64 = 1 << 20;
/// Replaced by the prompt in an argument; without it the prompt goes to standard input.
pub(crate) const PROMPT: &str = "{prompt}";
/// Replaced by the step's model in an argument.
const MODEL: &str = "{model}";
/// Arguments of `run_skill` that say where and how a session runs, and are not part of the prompt.
const SETTINGS: [&str; 6] = [
    "skill_command",
    "cwd",
    "model",
    "step_name",
    "timeout",
    "stale_threshold",
];

/// The agent command: from the flag, else from the project's configuration.
pub(crate) fn command(flag: &str, context: &Context) -> Result<Vec<String>, Error> {
    let words = if flag.trim().is_empty() {
        configured(&context.absolute(Path::new(CONFIG)))?
    } else {
        let open = || format!("--agent: a quote is not closed in {flag:?}");
        words(flag).ok_or_else(|| Error::input(open(), "close it"))?
    };
    if words.is_empty() {
        let hint = "add --agent 'PROGRAM ARGUMENTS', or agent: [PROGRAM, ARGUMENT] below recipe_runner: in .aris/config.yaml";
        return Err(Error::input("no agent command is configured".into(), hint));
    }
    Ok(words)
}

fn configured(path: &Path) -> Result<Vec<String>, Error> {
    let Some(bytes) = aris_fs::read_optional(path, CONFIG_LIMIT)? else {
        return Ok(Vec::new());
    };
    let wrong = |line, why: &str| Error::malformed(path, format!("line {line}: {why}"));
    let text = String::from_utf8(bytes).map_err(|error| Error::malformed(path, error))?;
    let config = aris_yaml::read(&text).map_err(|error| wrong(error.line, &error.message))?;
    let config = config.unwrap_or_default();
    let agent = config.get("recipe_runner").and_then(|own| own.get("agent"));
    match agent {
        None => Ok(Vec::new()),
        Some(list) if list.is_list() => {
            let words = list.items().iter().filter_map(aris_yaml::Node::text);
            Ok(words.map(str::to_owned).collect())
        }
        Some(node) => {
            let words = node.text().and_then(words);
            words.ok_or_else(|| wrong(node.line, "agent must be a list or a text"))
        }
    }
}

/// Splits the command that `--exec-tools` gives into words.
pub(crate) fn split(flag: &str) -> Result<Vec<String>, Error> {
    let words = words(flag).filter(|words| !words.is_empty());
    words.ok_or_else(|| {
        let reason = format!("--exec-tools: {flag:?} is no command");
        Error::input(reason, "give a program and its arguments; close all quotes")
    })
}

/// Splits a command at blanks; text in quotes stays together. No other character has a meaning. `None` when a quote is not closed.
pub(crate) fn words(text: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote: Option<char> = None;
    for sign in text.chars() {
        match (quote, sign) {
            (Some(open), sign) if open == sign => quote = None,
            (None, '\'' | '"') => {
                quote = Some(sign);
                word.get_or_insert_default();
            }
            (None, sign) if sign.is_whitespace() => words.extend(word.take()),
            (_, sign) => word.get_or_insert_default().push(sign),
        }
    }
    words.extend(word);
    quote.is_none().then_some(words)
}

/// The prompt: the skill command, then the other arguments of the step, one on each line.
pub(crate) fn prompt(with: &Map<String, Value>) -> String {
    let text = |value: &Value| aris_recipe::value::to_text(value).into_owned();
    let mut prompt = with.get("skill_command").map(text).unwrap_or_default();
    let more = with
        .iter()
        .filter(|(key, _)| !SETTINGS.contains(&key.as_str()));
    let more = more.map(|(key, value)| format!("\n{key} = {}", text(value)));
    let more: String = more.collect();
    if !more.is_empty() {
        prompt.extend(["\n", &more]);
    }
    prompt
}

/// The command with prompt and model filled in, and what goes to its standard input.
pub(crate) fn call(command: &[String], prompt: &str, model: &str) -> (Vec<String>, Option<String>) {
    let as_argument = command.iter().any(|word| word.contains(PROMPT));
    let words = command.iter().map(|word| {
        // Both are replaced in one pass, because a prompt may contain `{model}`.
        let parts = word.split(PROMPT).map(|part| part.replace(MODEL, model));
        parts.collect::<Vec<_>>().join(prompt)
    });
    (words.collect(), (!as_argument).then(|| prompt.to_owned()))
}

/// The outcome of a session: the result that it printed as JSON, else the fields of its final text.
pub(crate) fn outcome(end: End, stdout: &str, silent: bool, request: &Request) -> Outcome {
    let told = match end {
        End::TimedOut => {
            let note = match request.silence_s.filter(|_| silent) {
                Some(seconds) => format!("silent for {seconds} s"),
                None => format!("not over after {} s", request.deadline_s),
            };
            return Outcome::noted(OutcomeStatus::Stale, note);
        }
        End::Signalled(signal) => {
            return Outcome::noted(OutcomeStatus::Failure, format!("signal {signal}"));
        }
        End::Exited(0) => None,
        End::Exited(code) => Some(format!("exit {code}")),
    };
    let mut outcome = of_text(stdout, &request.reading);
    if let Some(note) = told {
        // A status that the program reports itself counts, unless it is a success.
        if outcome.status == OutcomeStatus::Success {
            outcome.status = OutcomeStatus::Failure;
            outcome.retry_reason = None;
        }
        outcome.note.get_or_insert(note);
    }
    outcome
}

/// Reads a session's output. The note says where a helper could not look.
///
/// **Source**: `claude -p --output-format json` prints one object with `type: result`, `is_error`, `subtype` and the final text under
/// `result`; with `stream-json` it is the last line. A session that ran out of context says that its prompt is too long.
pub(crate) fn of_text(text: &str, reading: &Reading) -> Outcome {
    if text.trim().is_empty() {
        return Outcome {
            retry_reason: Some(RetryReason::EmptyOutput),
            ..Outcome::noted(OutcomeStatus::Failure, "no output")
        };
    }
    let object = |text: &str| tokens::of_object(text, reading);
    let is_report =
        |found: &Map<String, Value>| found.get("type").and_then(Value::as_str) == Some("result");
    if let Some(found) = object(text) {
        if is_report(&found) {
            return of_report(&found, reading);
        }
        return noted("", found);
    }
    let last = text.lines().rev().find(|line| !line.trim().is_empty());
    match last.and_then(object).filter(is_report) {
        Some(report) => of_report(&report, reading),
        None => noted(text, tokens::of_final_text(text, reading)),
    }
}

/// A success; the note says where a helper could not look.
fn noted(text: &str, fields: Map<String, Value>) -> Outcome {
    let note = tokens::degraded(text, &fields);
    Outcome {
        note,
        ..Outcome::success(fields)
    }
}

/// What a session cost, as far as it reports this.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize, schemars::JsonSchema)]
pub(crate) struct Usage {
    /// Tokens that it read, those from a cache included.
    pub(crate) input_tokens: u64,
    /// Tokens that it wrote.
    pub(crate) output_tokens: u64,
    /// US dollars; absent where the session does not report them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) cost_usd: Option<f64>,
}

impl Usage {
    /// The sum of both.
    pub(crate) fn and(self, other: Self) -> Self {
        let costs = [self.cost_usd, other.cost_usd];
        Self {
            input_tokens: self.input_tokens + other.input_tokens,
            output_tokens: self.output_tokens + other.output_tokens,
            cost_usd: costs.into_iter().flatten().reduce(|one, more| one + more),
        }
    }
}

/// What a session reports as its cost; `None` where it reports nothing.
///
/// **Source**: the report of `claude -p --output-format json`: `usage` with its counts of tokens, and `total_cost_usd`.
pub(crate) fn usage(text: &str) -> Option<Usage> {
    let object = |text: &str| serde_json::from_str::<Map<String, Value>>(text.trim()).ok();
    let last = text.lines().rev().find(|line| !line.trim().is_empty());
    let report = object(text).or_else(|| last.and_then(object))?;
    let tokens = report.get("usage").and_then(Value::as_object);
    let count = |key: &str| {
        let count = tokens.and_then(|tokens| tokens.get(key)?.as_u64());
        count.unwrap_or(0)
    };
    let cost_usd = report.get("total_cost_usd").and_then(Value::as_f64);
    (tokens.is_some() || cost_usd.is_some()).then(|| Usage {
        input_tokens: count("input_tokens")
            + count("cache_creation_input_tokens")
            + count("cache_read_input_tokens"),
        output_tokens: count("output_tokens"),
        cost_usd,
    })
}

/// Longest note about a session that failed, in characters.
const NOTE: usize = 200;

fn of_report(report: &Map<String, Value>, reading: &Reading) -> Outcome {
    let text = report.get("result").and_then(Value::as_str);
    let text = text.unwrap_or_default();
    let subtype = report.get("subtype").and_then(Value::as_str);
    let reason = report.get("retry_reason");
    let reason = reason.and_then(|reason| RetryReason::deserialize(reason).ok());
    let failed = report.get("is_error") == Some(&Value::Bool(true))
        || subtype.is_some_and(|subtype| subtype.starts_with("error"));
    let mut outcome = noted(text, tokens::of_final_text(text, reading));
    if reason.is_some() {
        outcome.retry_reason = reason;
        outcome.subtype = subtype.map(str::to_owned);
    } else if failed {
        // A session that used up its turns has left unfinished work, as one whose context is full.
        let full = subtype == Some("error_max_turns")
            || text.to_ascii_lowercase().contains("prompt is too long");
        let full = full.then_some(OutcomeStatus::ContextLimit);
        outcome.status = full.unwrap_or(OutcomeStatus::Failure);
        let why = subtype.filter(|subtype| *subtype != "success");
        let why = why.or_else(|| text.lines().find(|line| !line.trim().is_empty()));
        outcome.note = why.map(|why| why.trim().chars().take(NOTE).collect());
    } else if text.trim().is_empty() {
        outcome.retry_reason = Some(RetryReason::EmptyOutput);
        outcome.note = Some(String::from("no final text"));
    }
    outcome
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn commands_are_split_at_blanks_and_nothing_is_expanded() {
        assert_eq!(
            words("claude  -p '--x=a b' \"\" $HOME").unwrap(),
            ["claude", "-p", "--x=a b", "", "$HOME"]
        );
        assert_eq!(words("a 'b"), None);
        let command: Vec<String> = ["p", "--m={model}", "say {prompt}!"]
            .map(str::to_owned)
            .to_vec();
        let (called, stdin) = call(&command, "hi {model}", "big");
        assert_eq!(called, ["p", "--m=big", "say hi {model}!"]);
        assert_eq!(stdin, None);
        assert_eq!(call(&command[..1], "hi", "").1.as_deref(), Some("hi"));
    }

    #[test]
    fn answers_are_read_as_what_they_say() {
        let report = |more: Value| {
            let mut report = json!({"type": "result", "subtype": "success", "is_error": false, "result": "done\nverdict = GO"});
            report
                .as_object_mut()
                .unwrap()
                .extend(more.as_object().unwrap().clone());
            report.to_string()
        };
        let failed = report(json!({"is_error": true, "result": "\nAPI Error: 529\nx"}));
        let note = of_text(&failed, &Reading::default()).note;
        assert_eq!(note.as_deref(), Some("API Error: 529"));
        for (text, status, verdict) in [
            (
                String::from("fine\n**verdict** = GO\n"),
                OutcomeStatus::Success,
                Some("GO"),
            ),
            (
                json!({"verdict": "GO"}).to_string(),
                OutcomeStatus::Success,
                Some("GO"),
            ),
            (report(json!({})), OutcomeStatus::Success, Some("GO")),
            (
                format!("{}\n{}\n", json!({"type": "system"}), report(json!({}))),
                OutcomeStatus::Success,
                Some("GO"),
            ),
            (
                report(json!({"is_error": true})),
                OutcomeStatus::Failure,
                Some("GO"),
            ),
            (
                report(json!({"subtype": "error_max_turns"})),
                OutcomeStatus::ContextLimit,
                Some("GO"),
            ),
            (
                report(json!({"is_error": true, "result": "Prompt is too long"})),
                OutcomeStatus::ContextLimit,
                None,
            ),
        ] {
            let outcome = of_text(&text, &Reading::default());
            let found = outcome
                .result
                .as_ref()
                .and_then(|result| result.get("verdict"));
            assert_eq!(
                (outcome.status, found.and_then(Value::as_str)),
                (status, verdict),
                "{text}"
            );
        }
        assert_eq!(
            of_text(" \n", &Reading::default()).retry_reason,
            Some(RetryReason::EmptyOutput)
        );
        assert_eq!(
            of_text(&report(json!({"result": ""})), &Reading::default()).retry_reason,
            Some(RetryReason::EmptyOutput)
        );
        let told = of_text(
            &report(json!({"retry_reason": "resume", "subtype": "stale"})),
            &Reading::default(),
        );
        assert_eq!(
            (told.retry_reason, told.subtype.as_deref()),
            (Some(RetryReason::Resume), Some("stale"))
        );
    }
}
