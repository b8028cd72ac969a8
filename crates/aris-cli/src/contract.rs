//! The contract file `<helper>.contract.json`: the helper's interface as data, made from the same parser as `--help`.

use aris_contract::{helpers, schema};
use clap::{Arg, Command};
use serde_json::{Value, json};

use crate::spec::Spec;

/// The hidden argument that prints the contract; alone on the command line.
pub(crate) const FLAG: &str = "--print-contract";

/// The contract as one JSON document. It has no commit and no digest, so that it changes only with the interface.
pub(crate) fn contract(spec: &Spec, command: &Command) -> Value {
    let mut command = command.clone();
    command.build();
    let row = helpers::find(spec.name);
    json!({
        "schema": schema::id::HELPER_CONTRACT,
        "name": spec.name,
        "version": spec.version,
        "summary": spec.summary,
        "owner": row.map(|row| &row.owner),
        "policy": row.map(|row| [row.policy.letter()]),
        "usage": command.clone().render_usage().to_string().trim_start_matches("Usage: ").to_owned(),
        "input": spec.input,
        "output": spec.output,
        "stderr": spec.stderr,
        "arguments": command.get_positionals().map(positional).collect::<Vec<_>>(),
        "flags": flags(&command),
        "commands": command.get_subcommands().map(|sub| json!({
            "name": sub.get_name(),
            "summary": sub.get_about().map(ToString::to_string),
            "input": spec.command(sub.get_name()).map(|command| command.input),
            "output": spec.command(sub.get_name()).map(|command| command.output),
            "exit": spec.command(sub.get_name()).map(|command| exits(&spec.exits_of(command))),
            "arguments": sub.get_positionals().map(positional).collect::<Vec<_>>(),
            "flags": flags(sub),
        })).collect::<Vec<_>>(),
        "exit": exits(&spec.exits()),
        "json_schemas": spec.schemas,
        "network": spec.network,
        "examples": spec.examples().map(|(line, _)| line).collect::<Vec<_>>(),
        "samples": spec.samples.iter().map(|sample| json!({"args": sample.args, "exit": sample.exit})).collect::<Vec<_>>(),
    })
}

fn exits(codes: &[(u8, &str)]) -> Vec<Value> {
    let codes = codes.iter();
    codes
        .map(|(code, meaning)| json!({"code": code, "meaning": meaning}))
        .collect()
}

fn positional(arg: &Arg) -> Value {
    json!({"name": value_name(arg), "required": arg.is_required_set(), "help": help(arg)})
}

fn flags(command: &Command) -> Vec<Value> {
    let shown = command
        .get_arguments()
        .filter(|arg| !arg.is_positional() && !arg.is_hide_set());
    let mut flags: Vec<(String, Value)> = shown
        .filter_map(|arg| {
            let long = format!("--{}", arg.get_long()?);
            let takes = arg.get_action().takes_values().then(|| value_name(arg));
            let value = json!({"long": long, "arg": takes, "required": arg.is_required_set(), "help": help(arg)});
            Some((long, value))
        })
        .collect();
    flags.sort_by(|a, b| a.0.cmp(&b.0));
    flags.into_iter().map(|(_, value)| value).collect()
}

fn value_name(arg: &Arg) -> String {
    arg.get_value_names()
        .and_then(|names| names.first())
        .map_or_else(|| arg.get_id().as_str().to_uppercase(), ToString::to_string)
}

fn help(arg: &Arg) -> Option<String> {
    arg.get_help().map(ToString::to_string)
}
