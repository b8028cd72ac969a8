//! The guide's pages about helpers: one for each helper, made from its contract, and the table of all.

use serde::Deserialize;

use crate::cargo::Contracts;
use crate::fault::Fault;
use crate::sync::Plan;
use crate::workspace::{Row, Workspace};

const FOLDER: &str = "crates/aris/guide/src/helpers";
const SUMMARY: &str = "crates/aris/guide/src/SUMMARY.md";
const MARKERS: (&str, &str) = ("<!-- helpers:begin -->", "<!-- helpers:end -->");

/// The parts of a contract that a page shows.
#[derive(Deserialize)]
struct Contract {
    summary: String,
    usage: String,
    input: String,
    output: String,
    stderr: String,
    exit: Vec<Exit>,
    json_schemas: Vec<String>,
    examples: Vec<String>,
    #[serde(flatten)]
    own: Arguments,
    #[serde(default)]
    commands: Vec<Command>,
}

#[derive(Deserialize)]
struct Exit {
    code: u8,
    meaning: String,
}

#[derive(Deserialize)]
struct Arguments {
    #[serde(default)]
    arguments: Vec<Argument>,
    #[serde(default)]
    flags: Vec<Flag>,
}

#[derive(Deserialize)]
struct Argument {
    name: String,
    help: String,
}

#[derive(Deserialize)]
struct Flag {
    long: String,
    arg: Option<String>,
    help: String,
}

#[derive(Deserialize)]
struct Command {
    name: String,
    summary: String,
    #[serde(default)]
    input: String,
    #[serde(default)]
    output: String,
    #[serde(default)]
    exit: Vec<Exit>,
    #[serde(flatten)]
    own: Arguments,
}

/// Adds the pages. They are made from the helpers' contracts, so all helpers must build.
pub(crate) fn plan(
    workspace: &Workspace,
    contracts: &Contracts,
    plan: &mut Plan,
) -> Result<(), Fault> {
    let (mut table, mut list) = (
        String::from(
            "# The helpers\n\nPolicy: what a caller does when a helper is missing or fails, see [Policies](../concepts/policies.md).\n\n\
             | Helper | What it does | Skill | Policy | Without it |\n|---|---|---|---|---|\n",
        ),
        String::from("- [The helpers](helpers/index.md)\n"),
    );
    for row in &workspace.rows {
        let Some(Ok(text)) = contracts.get(&row.name) else {
            return Ok(());
        };
        let contract: Contract = serde_json::from_str(text)
            .map_err(|error| Fault::new(format!("contract of {}: {error}", row.name)))?;
        let policy = format!("{} ({})", row.policy.letter(), row.policy.title());
        let (name, owner) = (&row.name, &row.owner);
        let (summary, without) = (cell(&contract.summary), cell(&row.fallback));
        table.extend([format!(
            "| [`{name}`]({name}.md) | {summary} | `{owner}` | {policy} | {without} |\n"
        )]);
        list.extend([format!("  - [{name}](helpers/{name}.md)\n")]);
        plan.file(format!("{FOLDER}/{name}.md"), page(row, &contract));
    }
    plan.file(format!("{FOLDER}/index.md"), table);
    plan.renew(workspace, SUMMARY, MARKERS, &list, None)
}

fn page(row: &Row, contract: &Contract) -> String {
    let mut text = format!("# {}\n\n{}.\n\n", row.name, contract.summary);
    let names: Vec<String> = row.aliases.iter().map(|name| format!("`{name}`")).collect();
    let facts = [
        ("Also called", names.join(", ")),
        ("Skill", format!("`{}`", row.owner)),
        (
            "Policy",
            format!("{} ({})", row.policy.letter(), row.policy.title()),
        ),
        ("Without it", row.fallback.clone()),
        ("Reads", contract.input.clone()),
        ("Standard output", contract.output.clone()),
        ("Standard error", contract.stderr.clone()),
    ];
    text.push_str("| | |\n|---|---|\n");
    for (what, fact) in facts.into_iter().filter(|(_, fact)| !fact.is_empty()) {
        text.extend(["| ", what, " | ", &cell(&fact), " |\n"]);
    }
    let usage: Vec<&str> = contract.usage.lines().map(str::trim).collect();
    text.extend([
        "\n```text\n",
        &usage.join("\n"),
        "\n```\n\n## Examples\n\n```console\n",
    ]);
    for example in &contract.examples {
        text.extend(["$ ", example, "\n"]);
    }
    text.push_str("```\n\n## Arguments and flags\n\n");
    table(
        &mut text,
        &contract.own.arguments,
        contract.own.flags.iter(),
    );
    for command in &contract.commands {
        // Flags that all commands have are described above.
        let own = |flag: &&Flag| {
            !contract.own.flags.iter().any(|known| {
                known.long == flag.long && (known.help == flag.help || known.long == "--help")
            })
        };
        text.extend(["\n## ", &command.name, "\n\n", &command.summary, ".\n\n"]);
        // The codes 1 and 2 mean the same everywhere.
        let exits = command
            .exit
            .iter()
            .filter(|exit| ![1, 2].contains(&exit.code));
        let exits: Vec<String> = exits
            .map(|exit| format!("{} {}", exit.code, exit.meaning))
            .collect();
        for (what, fact) in [
            ("Reads", &command.input),
            ("Prints", &command.output),
            ("Exit codes", &exits.join("; ")),
        ] {
            text.extend(["* ", what, ": ", &fact.replace('<', "&lt;"), "\n"]);
        }
        text.push('\n');
        table(
            &mut text,
            &command.own.arguments,
            command.own.flags.iter().filter(own),
        );
    }
    text.push_str("\n## Exit codes\n\n| Code | Meaning |\n|---|---|\n");
    for exit in &contract.exit {
        text.extend([format!("| {} | {} |\n", exit.code, cell(&exit.meaning))]);
    }
    if !contract.json_schemas.is_empty() {
        text.push_str("\n## Schemas\n\n");
        for id in &contract.json_schemas {
            let file = id.replace('/', ".");
            text.extend([format!("* `{id}`: `schemas/{file}.json`\n")]);
        }
    }
    text
}

fn table<'a>(text: &mut String, arguments: &[Argument], flags: impl Iterator<Item = &'a Flag>) {
    let mut rows = String::new();
    for argument in arguments {
        rows.extend([format!(
            "| `{}` | {} |\n",
            argument.name,
            cell(&argument.help)
        )]);
    }
    for flag in flags {
        let value = flag
            .arg
            .as_ref()
            .map_or(String::new(), |arg| format!(" {arg}"));
        rows.extend([format!(
            "| `{}{value}` | {} |\n",
            flag.long,
            cell(&flag.help)
        )]);
    }
    if rows.is_empty() {
        text.push_str("No arguments and flags of its own.\n");
    } else {
        text.extend(["| Name | Meaning |\n|---|---|\n", &rows]);
    }
}

/// Text as a cell of a Markdown table.
pub(crate) fn cell(text: &str) -> String {
    let text = text.replace('|', "\\|").replace('\n', " ");
    // Markdown would interpret text that looks like a tag.
    text.replace('<', "&lt;")
}
