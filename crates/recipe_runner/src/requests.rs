//! Makes the request for a step: the program, its arguments and its environment variables.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use aris_recipe::engine::tokens::Reading;
use aris_recipe::engine::{Lens, Question};
use aris_recipe::model::Kind;
use aris_recipe::value::to_text;
use serde_json::{Map, Value, json};

use crate::agent;
use crate::attempt::{Request, Worker};
use crate::drive::{Call, Source};
use crate::secret;
use crate::session;

/// Schema id of what a program that carries out tools gets on standard input.
const CALL_SCHEMA: &str = "aris.recipe_runner.call/v1";
/// Longest value that is passed as an environment variable, in bytes. **Source**: Linux refuses a variable above 128 KiB.
const VARIABLE_LIMIT: usize = 96 << 10;
/// Longest value in the prompt of an agent that has to decide, in bytes.
const TOLD: usize = 1 << 10;

impl Source {
    /// The request for a step that this source carries out, or for one of its lenses.
    pub(crate) fn request(&self, call: &Call<'_>, lens: Option<&Lens>) -> Request {
        let (machine, step) = (call.machine, call.step);
        let with = machine.rendered(step, call.state, lens);
        let text = |key: &str| with.get(key).map(|value| to_text(value).into_owned());
        let mut request = Request {
            step: step.name.clone(),
            lens: lens.map(|lens| lens.name.clone()),
            worker: Worker::Command,
            command: Vec::new(),
            cwd: folder(&with, call),
            env: variables(call, lens),
            secrets: secrets(call),
            stdin: None,
            deadline_s: seconds(&with, "timeout").unwrap_or(self.args.command_timeout),
            silence_s: None,
            reading: Reading::default(),
        };
        match (step.kind(), &self.agent, &self.tools) {
            (Kind::Agent | Kind::Route, Some(agent), _) => {
                let question = Question::of(step, call.state);
                let asked = question.as_ref().map(|it| asks(call, it, &request.env));
                let prompt = asked.unwrap_or_default() + &agent::prompt(&with);
                let model = step.model.as_deref().map(str::to_owned);
                let model = model.or_else(|| text("model")).unwrap_or_default();
                request.worker = Worker::Agent;
                (request.command, request.stdin) = agent::call(agent, &prompt, &model);
                request.deadline_s = seconds(&with, "timeout")
                    .or(step.stale_threshold)
                    .or_else(|| seconds(&with, "stale_threshold"))
                    .unwrap_or(self.args.agent_timeout);
                request.silence_s = step.idle_output_timeout.filter(|seconds| *seconds > 0);
                request.reading = machine.reading(step, std::slice::from_ref(&with));
                let fields = question.iter().flat_map(Question::fields);
                request.reading.single.extend(fields.map(str::to_owned));
            }
            (kind @ (Kind::Tool(name) | Kind::Python(name)), _, Some(tools)) => {
                let key = match kind {
                    Kind::Python(_) => "python",
                    _ => "tool",
                };
                let call =
                    json!({"schema": CALL_SCHEMA, "step": step.name, key: name, "with": with});
                (request.worker, request.command) = (Worker::Tool, tools.clone());
                request.stdin = Some(call.to_string());
            }
            _ => {
                let mut command = text("cmd").unwrap_or_default();
                // A command that is too long for an argument is read from standard input, as a whole before any of it runs.
                if command.len() > VARIABLE_LIMIT {
                    let read = String::from("eval \"$(cat)\"");
                    request.stdin = Some(std::mem::replace(&mut command, read));
                }
                request.command = vec![String::from("bash"), String::from("-c"), command];
            }
        }
        request
    }
}

/// The prompt for an agent that decides where the run continues. It contains the run so far, because the agent knows nothing of it.
fn asks(call: &Call<'_>, question: &Question<'_>, env: &BTreeMap<String, String>) -> String {
    let (recipe, step) = (&call.machine.recipe.name, call.step);
    let note = step.note.as_deref().unwrap_or_default().trim_end();
    let lines = |lines: Vec<String>| lines.join("\n");
    let visits = call.state.visits.iter();
    let visits = lines(
        visits
            .map(|(step, times)| format!("{step}: {times}"))
            .collect(),
    );
    let known = env.iter().filter(|(_, value)| value.len() <= TOLD);
    let known = lines(
        known
            .map(|(name, value)| format!("{name}={value}"))
            .collect(),
    );
    let fields = question.fields();
    let fields = lines(fields.map(|field| format!("{field} = VALUE")).collect());
    format!(
        "Decide where recipe {recipe} goes on at its step {}. Look at what is there; change nothing.\n{note}\n\nThe ways:\n{question}\n\
         Steps done so far, and how often:\n{visits}\n\nWhat the run knows (longer values are in variables of the environment only):\n{known}\n\n\
         End your answer with\n{fields}\n",
        step.name
    )
}

fn folder(with: &Map<String, Value>, call: &Call<'_>) -> PathBuf {
    let given = with.get("cwd").map(to_text).unwrap_or_default();
    session::base(call.state, call.context).join(given.trim())
}

fn seconds(with: &Map<String, Value>, key: &str) -> Option<u32> {
    let seconds = to_text(with.get(key)?).trim().parse().ok();
    seconds.filter(|seconds| *seconds > 0)
}

/// Inputs and context as environment variables: `RECIPE_CTX_` and the name in capital letters. Of an input and a context variable of one
/// name, the context counts. A value that is too long is left out.
fn variables(call: &Call<'_>, lens: Option<&Lens>) -> BTreeMap<String, String> {
    let state = call.state;
    let secret: BTreeSet<&str> = secret::names(&call.machine.recipe).collect();
    let inputs = state.inputs.iter();
    let inputs = inputs
        .filter(|(input, _)| !secret.contains(input.as_str()))
        .map(|(input, value)| (variable(CONTEXT, input), value.clone()));
    let context = state.context.iter();
    let context =
        context.map(|(name, value)| (variable(CONTEXT, name), to_text(value).into_owned()));
    let mut all: BTreeMap<String, String> = inputs.chain(context).collect();
    all.insert(String::from("RECIPE_STEP"), call.step.name.clone());
    let values = lens.into_iter().flat_map(|lens| &lens.values);
    all.extend(values.map(|(key, value)| (variable("RECIPE_LENS_", key), value.clone())));
    all.retain(|_, value| value.len() <= VARIABLE_LIMIT && !value.contains('\0'));
    all
}

/// Secret inputs as environment variables, each with the place of its value.
fn secrets(call: &Call<'_>) -> BTreeMap<String, String> {
    let given = secret::given(&call.machine.recipe, &call.state.inputs);
    let given = given.map(|(input, reference)| {
        let reference = match reference.strip_prefix("file:") {
            Some(path) => {
                let path = session::base(call.state, call.context).join(path.trim());
                format!("file:{}", path.display())
            }
            None => reference.to_owned(),
        };
        (variable(CONTEXT, input), reference)
    });
    given.collect()
}

/// Prefix of the variables for inputs and context.
const CONTEXT: &str = "RECIPE_CTX_";

/// The environment variable for a name: in capital letters, with `_` for everything but letters and digits.
fn variable(before: &str, name: &str) -> String {
    let name = name.to_ascii_uppercase();
    let other = |sign: char| !sign.is_ascii_alphanumeric();
    format!("{before}{}", name.replace(other, "_"))
}
