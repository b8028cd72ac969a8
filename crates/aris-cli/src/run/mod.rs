//! The runner: from arguments to an exit code.

use std::cell::RefCell;
use std::ffi::OsString;
use std::io::Write as _;
use std::panic::{self, AssertUnwindSafe};
use std::process::ExitCode;
use std::sync::Once;
use std::time::Duration;

use aris_contract::failure::ErrorBody;
use aris_contract::{ErrorKind, Exit, Failure};
use clap::{ArgMatches, Args};

use crate::command::{self, JSON, QUIET};
use crate::context::{Context, Process};
use crate::contract;
use crate::emit::{self, Outcome, Product, Stream};
use crate::shown::shown;
use crate::spec::Spec;
use crate::style::Style;

use deadline::Deadline;

pub(crate) mod deadline;

/// The `main` of a helper.
pub fn main<A: Args, D: Product, E: Failure>(
    spec: &'static Spec,
    run_helper: fn(A, &Context) -> Result<Outcome<D>, E>,
) -> ExitCode {
    ExitCode::from(run(spec, run_helper, Process::current()).code())
}

/// Moves `--json` and `--quiet` from before a subcommand to behind it. A command that has both arguments of its own and subcommands
/// would take the subcommand for an argument.
fn subcommand_first(command: &clap::Command, args: &mut [OsString]) {
    let flags = |arg: &&OsString| ["--json", "--quiet", "-q"].iter().any(|flag| *arg == flag);
    let before = args.iter().skip(1).take_while(flags).count();
    let named = args
        .get(before + 1)
        .and_then(|arg| command.find_subcommand(arg));
    if let (Some(_), Some(part)) = (named, args.get_mut(1..before + 2)) {
        part.rotate_right(1);
    }
}

/// Whether the arguments ask for JSON. Called before they are parsed, so that errors of parsing can be JSON, too.
fn asks_for_json(args: &[OsString]) -> bool {
    let flags: Vec<&OsString> = args.iter().take_while(|arg| *arg != "--").collect();
    flags
        .iter()
        .any(|arg| *arg == "--json" || *arg == "--format=json")
        || flags
            .windows(2)
            .any(|pair| matches!(pair, [flag, value] if *flag == "--format" && *value == "json"))
}

/// Runs a helper in `process` and returns its exit status.
pub fn run<A: Args, D: Product, E: Failure>(
    spec: &'static Spec,
    run_helper: fn(A, &Context) -> Result<Outcome<D>, E>,
    mut process: Process,
) -> Exit {
    let command = command::command::<A>(spec);
    if process.args.len() == 2 && process.args.iter().any(|arg| arg == contract::FLAG) {
        let text = format!("{:#}\n", contract::contract(spec, &command));
        return printed(&text, &mut process);
    }
    subcommand_first(&command, &mut process.args);
    join_texts(&command, &mut process.args);
    let asked_for_json = asks_for_json(&process.args);
    let matches = match command.clone().try_get_matches_from(&process.args) {
        Ok(matches) => matches,
        Err(error) => return usage(command, error, asked_for_json, &mut process),
    };
    let json = matches.get_flag(JSON);
    let deadline = spec.deadline.map(|usual| {
        let given = matches.get_one::<f64>(command::DEADLINE).copied();
        let time = given.map_or(usual, Duration::from_secs_f64);
        Deadline::start(spec.name, time, json)
    });
    let style = process.stdout_style;
    let context = Context::new(process, json, matches.get_flag(QUIET), deadline);
    let emitter = Emitter {
        spec,
        context: &context,
        style,
    };
    let result = caught(|| attempt(&matches, run_helper, &context));
    context.stop_deadline();
    match result {
        Ok(Ok(outcome)) => emitter.success(&outcome),
        Ok(Err(failed)) => emitter.failure(*failed),
        Err(panic) => {
            let message = format!("{} has a bug and stopped: {panic}", spec.name);
            let hint = "report this with the input that caused it";
            emitter.failure(ErrorBody::new(ErrorKind::Internal, message, hint))
        }
    }
}

/// Joins `--option` and a following text that begins with a hyphen and contains a space to `--option=text`: as in Python's argparse,
/// such a text is a value, not an option.
fn join_texts(command: &clap::Command, args: &mut Vec<OsString>) {
    let end = args.iter().position(|arg| arg == "--");
    let mut at = end.unwrap_or(args.len());
    while let Some(before) = at.checked_sub(2) {
        at -= 1;
        let pair = args.get(before..=at).and_then(|pair| match pair {
            [flag, text] => Some((flag.to_str()?, text.to_str()?)),
            _ => None,
        });
        let is_joined = |(flag, text): &(&str, &str)| {
            let is_text = text.starts_with('-') && text.contains(char::is_whitespace);
            let name = |word: &str| takes_value(command, word.split('=').next().unwrap_or(word));
            is_text && !flag.contains('=') && name(flag) && !name(text)
        };
        let joined = pair
            .filter(is_joined)
            .map(|(flag, text)| format!("{flag}={text}"));
        if let Some(joined) = joined {
            args.splice(before..=at, [OsString::from(joined)]);
        }
    }
}

/// Whether the command or one of its subcommands has an option with this name that takes a value.
fn takes_value(command: &clap::Command, flag: &str) -> bool {
    let Some(name) = flag.strip_prefix("--") else {
        return false;
    };
    let is_named = |arg: &clap::Arg| {
        let mut aliases = arg.get_all_aliases().into_iter().flatten();
        arg.get_long() == Some(name) || aliases.any(|alias| alias == name)
    };
    let mut options = command.get_arguments();
    options.any(|arg| is_named(arg) && arg.get_action().takes_values())
        || command
            .get_subcommands()
            .any(|below| takes_value(below, flag))
}

/// Prints a text that was requested instead of a run.
fn printed(text: &str, process: &mut Process) -> Exit {
    match emit::to_stdout(&mut process.stdout, text.as_bytes()) {
        Ok(()) => Exit::OK,
        Err(_) => ErrorKind::Precondition.exit(),
    }
}

fn attempt<A: Args, D: Product, E: Failure>(
    matches: &ArgMatches,
    run_helper: fn(A, &Context) -> Result<Outcome<D>, E>,
    context: &Context,
    // Boxed, so that a successful run does not pay for the size of the error.
) -> Result<Outcome<D>, Box<ErrorBody>> {
    let args =
        A::from_arg_matches(matches).map_err(|error| Box::new(misused(&error.to_string())))?;
    run_helper(args, context).map_err(|error| Box::new(ErrorBody::of(&error)))
}

struct Emitter<'a> {
    spec: &'static Spec,
    context: &'a Context,
    style: Style,
}

impl Emitter<'_> {
    fn success<D: Product>(&self, outcome: &Outcome<D>) -> Exit {
        let data = &outcome.data;
        let mut people = Vec::new();
        let rendered = match data.stream() {
            Stream::Stderr => data.render(&mut people, self.context.stderr_style()),
            Stream::Stdout if self.context.json() => Ok(()),
            Stream::Stdout => data.render(&mut people, self.style),
        };
        let mut text = Vec::new();
        match data.stream() {
            // An empty text must not become an empty line.
            Stream::Stderr if people.is_empty() => {}
            Stream::Stderr => {
                self.context
                    .note(String::from_utf8_lossy(&people).trim_end_matches('\n'));
            }
            Stream::Stdout if data.is_raw() => text = people,
            Stream::Stdout => text = shown(&people, self.style.has_colour()).into_owned(),
        }
        let mut problem = rendered.err().map(|error| error.to_string());
        if self.context.json() {
            match emit::success_line(self.spec, data) {
                Ok(line) => text = line,
                Err(error) => problem = problem.or(Some(error.to_string())),
            }
        }
        if let Some(problem) = problem {
            let message = format!("the result cannot be written: {problem}");
            return self.failure(ErrorBody::new(ErrorKind::Internal, message, ""));
        }
        match self.context.emit(&text) {
            Ok(()) => outcome.exit(),
            Err(error) => {
                self.context.write(&format!(
                    "{}: cannot write to stdout: {error}",
                    self.spec.name
                ));
                ErrorKind::Precondition.exit()
            }
        }
    }

    fn failure(&self, body: ErrorBody) -> Exit {
        let (name, kind) = (self.spec.name, body.kind);
        let word = self.context.stderr_style().bad("error:");
        self.context
            .write(&format!("{name}: {word} {}", body.message));
        if let Some(hint) = &body.hint {
            self.context.write(&format!("  hint: {hint}"));
        }
        if self.context.json() && self.context.emit(&emit::error_line(body)).is_err() {
            self.context
                .write(&format!("{name}: cannot write to stdout"));
        }
        kind.exit()
    }
}

fn usage(
    mut command: clap::Command,
    mut error: clap::Error,
    json: bool,
    process: &mut Process,
) -> Exit {
    use clap::error::{ContextKind, ContextValue, ErrorKind as Clap};
    if matches!(error.kind(), Clap::DisplayHelp | Clap::DisplayVersion) {
        return printed(&error.render().to_string(), process);
    }
    // clap suggests passing a misspelt flag as a value, and shows optional arguments that were given as required.
    error.remove(ContextKind::Suggested);
    command.build();
    let mut called = process.args.iter().skip(1);
    let called = called.find_map(|word| command.find_subcommand(word));
    let usage = called.unwrap_or(&command).clone().render_usage();
    error.insert(ContextKind::Usage, ContextValue::StyledStr(usage));
    let text = error.render().to_string();
    let first = process.args.get(1).and_then(|word| word.to_str());
    let about = about_commands(&command, &error, first.unwrap_or_default());
    let (rest, body) = if let Some((what, hint)) = about {
        let body = ErrorBody::new(ErrorKind::Usage, what.as_str(), &hint);
        (format!("{what}\n  hint: {hint}"), body)
    } else {
        let rest = text.trim_end().strip_prefix("error: ").unwrap_or(&text);
        (rest.to_owned(), misused(&text))
    };
    let said = format!("{}: error: {rest}\n", command.get_name());
    let said = shown(said.as_bytes(), false);
    process.stderr.write_all(&said).unwrap_or_default();
    if json {
        let line = emit::error_line(body);
        emit::to_stdout(&mut process.stdout, &line).unwrap_or_default();
    }
    ErrorKind::Usage.exit()
}

/// Replaces clap's message about subcommands where it misleads: clap prints the whole help when the subcommand is missing, and takes a
/// misspelt subcommand for a value and the next word for the subcommand. `first` is the first word of the call. Returns message and hint.
fn about_commands(
    command: &clap::Command,
    error: &clap::Error,
    first: &str,
) -> Option<(String, String)> {
    use clap::error::{ContextKind, ContextValue, ErrorKind as Clap};
    let (name, mut words) = (command.get_name(), Vec::new());
    for one in command.get_subcommands().filter(|one| !one.is_hide_set()) {
        words.push(one.get_name());
    }
    let words = words.join(", ");
    let what = match (error.kind(), error.get(ContextKind::InvalidSubcommand)) {
        (Clap::MissingSubcommand, _) => {
            let hint = format!("one of {words}; {name} --help explains them");
            return Some((String::from("a command is missing"), hint));
        }
        (Clap::ArgumentConflict, Some(ContextValue::String(word))) if first.starts_with('-') => {
            format!("unexpected argument {word:?}")
        }
        (Clap::ArgumentConflict, Some(ContextValue::String(word))) => {
            format!("unexpected argument {word:?} after {first:?}, which is not a command")
        }
        _ => return None,
    };
    Some((
        what,
        format!("a command comes first, and is one of {words}"),
    ))
}

/// clap's message without its tips and usage: the first paragraph on one line.
fn misused(text: &str) -> ErrorBody {
    let paragraph = text.split("\n\n").next().unwrap_or_default();
    let line = paragraph.split_whitespace().collect::<Vec<_>>().join(" ");
    let message = line.strip_prefix("error: ").unwrap_or(&line);
    ErrorBody::new(ErrorKind::Usage, message, "see --help")
}

thread_local! {
    static CAUGHT: RefCell<Caught> = const { RefCell::new(Caught::Outside) };
}

/// The state of [`caught`] on this thread.
#[derive(Default)]
enum Caught {
    /// The thread is not inside [`caught`].
    #[default]
    Outside,
    /// No panic so far.
    Calm,
    /// The message of the first panic, with its location.
    Panicked(String),
}

/// Runs `work`. A panic is returned as its message and location; nothing is printed.
fn caught<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            let place = info
                .location()
                .map(|at| format!(" ({}:{})", at.file(), at.line()))
                .unwrap_or_default();
            let what = info.payload_as_str().unwrap_or("panic without a message");
            // Panics on other threads are printed as usual: a test's, or a worker's whose payload reaches us through `join`.
            let ours = CAUGHT.with_borrow_mut(|state| {
                if matches!(state, Caught::Calm) {
                    *state = Caught::Panicked(format!("{what}{place}"));
                }
                !matches!(state, Caught::Outside)
            });
            if !ours {
                before(info);
            }
        }));
    });
    CAUGHT.set(Caught::Calm);
    let result = panic::catch_unwind(AssertUnwindSafe(work));
    let state = CAUGHT.take();
    result.map_err(|payload| match state {
        Caught::Panicked(first) => first,
        Caught::Outside | Caught::Calm => {
            // The panic was on another thread: only its payload is known.
            payload
                .downcast_ref::<&str>()
                .map(|text| (*text).to_owned())
                .or_else(|| payload.downcast_ref::<String>().cloned())
                .unwrap_or_else(|| String::from("panic on another thread"))
        }
    })
}

#[cfg(test)]
mod tests;
