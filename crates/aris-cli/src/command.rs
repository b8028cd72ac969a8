//! The clap command of a helper: its own arguments, the common flags, and the help sections every helper has.

use std::fmt::Write as _;

use clap::builder::{PathBufValueParser, TypedValueParser as _, ValueParser};
use clap::{Arg, ArgAction, Args, Command};

use aris_contract::Failure;

use crate::COMMIT;
use crate::context::Context;
use crate::emit::{Outcome, Product};
use crate::run::deadline;
use crate::spec::Spec;

pub(crate) const JSON: &str = "json";
pub(crate) const QUIET: &str = "quiet";
pub(crate) const DEADLINE: &str = "deadline";
const FORMAT: &str = "format";
/// Flags that choose an output format. They are the values of `--format`; as flags they still work but are hidden.
const FORMS: [&str; 4] = ["jsonl", "bibtex", "graphml", "sarif"];

/// Template without the product's name: `USAGE`, arguments, then EXAMPLES, EXIT CODES and the streams.
const TEMPLATE: &str = "{about}\n\nUSAGE:\n  {usage}\n\n{all-args}{after-help}";

/// The parser that [`run`](crate::run) uses for the helper of `run_helper`: for completions and manual pages.
pub fn parser<A: Args, D: Product, E: Failure>(
    spec: &Spec,
    _run_helper: fn(A, &Context) -> Result<Outcome<D>, E>,
) -> Command {
    command::<A>(spec)
}

pub(crate) fn command<A: Args>(spec: &Spec) -> Command {
    let version = format!("{} ({COMMIT})", spec.version);
    // `about` comes last: otherwise the doc comment of the argument type would replace it.
    let command = A::augment_args(Command::new(spec.name))
        // The helper's name, whatever the launcher calls the binary.
        .bin_name(spec.name)
        .about(spec.summary)
        .long_about(None)
        .version(version)
        .arg(
            Arg::new(JSON)
                .long("json")
                .global(true)
                .action(ArgAction::SetTrue)
                .default_value_if(FORMAT, "json", "true")
                .display_order(900)
                .help("Print one JSON envelope on stdout, also for errors; same as --format json"),
        )
        .arg(
            Arg::new(QUIET)
                .long("quiet")
                .short('q')
                .global(true)
                .action(ArgAction::SetTrue)
                .display_order(901)
                .help("Print no notes on stderr; warnings and errors stay"),
        );
    let timed = spec.deadline.map(|time| {
        let usual = time.as_secs();
        Arg::new(DEADLINE)
            .long("deadline")
            .global(true)
            .value_name("SECONDS")
            .value_parser(deadline::seconds)
            .display_order(898)
            .help(format!(
                "Stop after this many seconds: exit 6, or 7 if an outside service has not answered [default: {usual}]"
            ))
    });
    sections(command.args(timed), spec, "", &["text", "json"])
}

/// Gives the command and all its subcommands the template, their own examples, and the common flags.
fn sections(command: Command, spec: &Spec, path: &str, above: &[&'static str]) -> Command {
    let names: Vec<String> = command
        .get_subcommands()
        .map(|sub| sub.get_name().to_owned())
        .collect();
    let (command, forms) = alike(command, above);
    let mut command = command
        .help_template(TEMPLATE)
        .after_help(after_help(spec, path))
        // A call without a subcommand is an error with our own message.
        .arg_required_else_help(false)
        .disable_help_subcommand(true);
    for name in names {
        let below = if path.is_empty() {
            name.clone()
        } else {
            format!("{path} {name}")
        };
        command = command.mut_subcommand(name, |sub| sections(sub, spec, &below, &forms));
    }
    command
}

/// Adds `-o` for `--output`, and `--format` if the command lacks it. Returns the formats of the command, including those of the commands
/// `above` it, because the flags of a command with subcommands are global.
fn alike(command: Command, above: &[&'static str]) -> (Command, Vec<&'static str>) {
    let mut forms = above.to_vec();
    let mut has_format = false;
    // Do not show an empty default.
    let hidden = |arg: Arg| match arg.get_default_values() {
        values if values.iter().any(|value| value.is_empty()) => arg.hide_default_value(true),
        _ => arg,
    };
    let command = command
        .mut_args(hidden)
        .mut_args(|arg| match arg.get_long() {
            Some("output") => file(arg.short('o')),
            // So that -1 is reported as an invalid number, not as an unknown flag.
            Some(DEADLINE) => arg.allow_negative_numbers(true),
            Some("attest" | "html" | "record" | "write-baseline") => file(arg),
            Some(FORMAT) => {
                has_format = true;
                arg
            }
            Some(long) => match FORMS.into_iter().find(|form| *form == long) {
                Some(form) => {
                    forms.push(form);
                    arg.hide(true).default_value_if(FORMAT, form, "true")
                }
                None => arg,
            },
            None => arg,
        });
    let format = Arg::new(FORMAT)
        .long(FORMAT)
        .value_name("FORMAT")
        .value_parser(forms.clone())
        .display_order(899)
        .help("Output format [default: text]");
    (command.args((!has_format).then_some(format)), forms)
}

/// Refuses `-` for a plain path; a [`Sink`](crate::Sink) accepts it as standard output.
fn file(arg: Arg) -> Arg {
    if arg.get_value_parser().type_id() != ValueParser::path_buf().type_id() {
        return arg;
    }
    arg.value_parser(PathBufValueParser::new().try_map(|path| {
        if path.as_os_str() == "-" {
            return Err("this goes to a file, never to standard output; give its name, or ./- for one of that name");
        }
        Ok(path)
    }))
}

fn after_help(spec: &Spec, path: &str) -> String {
    let mut text = String::from("EXAMPLES:\n");
    let call = format!("{} {path}", spec.name);
    let is_here = |line: &str| {
        let after = line.split_once(&call).map(|(_, after)| after);
        after.is_some_and(|after| {
            !after.starts_with(|next: char| next.is_alphanumeric() || next == '-')
        })
    };
    for (line, what) in spec
        .examples()
        .filter(|(line, _)| path.is_empty() || is_here(line))
    {
        push(&mut text, format_args!("  # {what}\n  {}\n", folded(line)));
    }
    text.push_str("\nEXIT CODES:\n");
    let below = spec.command(path);
    let exits = below.map_or_else(|| spec.exits(), |command| spec.exits_of(command));
    for (code, meaning) in exits {
        let meaning = hanging(meaning);
        push(&mut text, format_args!("  {code:<3} {meaning}\n"));
    }
    let streams = match below {
        Some(command) => [command.input, command.output, ""],
        None => [spec.input, spec.output, spec.stderr],
    };
    let streams = ["INPUT", "OUTPUT", "STDERR"].into_iter().zip(streams);
    for (title, body) in streams.filter(|(_, body)| !body.is_empty()) {
        push(&mut text, format_args!("\n{title}:\n  {body}\n"));
    }
    text
}

/// The meaning of an exit code, broken into lines so that continuation lines are indented below the text, not below the code.
fn hanging(meaning: &str) -> String {
    const WIDTH: usize = 94;
    let mut text = String::new();
    let mut column = 0;
    for word in meaning.split(' ') {
        let length = word.chars().count();
        if column > 0 && column + 1 + length > WIDTH {
            text.push_str("\n      ");
            column = 0;
        } else if column > 0 {
            text.push(' ');
            column += 1;
        }
        column += length;
        text.push_str(word);
    }
    text
}

/// A long command line on several lines, in shell syntax: broken before flags, never inside quotes.
pub(crate) fn folded(line: &str) -> String {
    const WIDTH: usize = 88;
    let mut pieces: Vec<String> = Vec::new();
    for piece in line.split(" --") {
        match pieces.last_mut() {
            None => pieces.push(piece.to_owned()),
            Some(quoted) if quoted.matches(['\'', '"']).count() % 2 == 1 => {
                quoted.extend([" --", piece]);
            }
            Some(_) => pieces.push(format!("--{piece}")),
        }
    }
    let mut folded = String::new();
    let mut column = 0;
    for piece in pieces {
        if column > 0 && column + 1 + piece.len() > WIDTH {
            folded.push_str(" \\\n      ");
            column = 4;
        } else if column > 0 {
            folded.push(' ');
            column += 1;
        }
        column += piece.len();
        folded.push_str(&piece);
    }
    folded
}

fn push(text: &mut String, piece: std::fmt::Arguments<'_>) {
    // Writing to a String cannot fail.
    text.write_fmt(piece).unwrap_or_default();
}
