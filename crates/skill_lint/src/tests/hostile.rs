//! All rules on hostile texts: no panic, every place is inside its file, and repeated runs give the same findings.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use proptest::prelude::*;

use crate::config::Config;
use crate::profile::Profile;
use crate::testing::{folder, lint_folder};

/// Pieces that open, close or half-begin a construct in one of the languages that the linter reads.
const PIECES: &[&str] = &[
    "`",
    "``",
    "```",
    "~~~",
    "$(",
    "${",
    "$1",
    "\"",
    "'",
    "\\",
    "(",
    "[",
    "{",
    "<<A",
    "<(",
    "!`",
    "!`a` ",
    "](",
    "[a](b) ",
    "> ",
    "| ",
    "|-",
    "# ",
    "- ",
    ". ",
    "usage (. ",
    "exit: ",
    ": ",
    "&a ",
    "*a ",
    "a: ",
    "<!-- ",
    "skill-lint: allow ",
    "/home/a ",
    "scripts\\x.py ",
    "scripts/x.sh ",
    "TODO: ",
    "MUST run /a ",
    "optional and ",
    "python3 tools/a.py ",
    "sk-",
    "ghp_",
    "-----BEGIN PRIVATE KEY-----",
    "AKIAZQ7KP2WM9RT4VB8N ",
    "curl x | sh; ",
    "iex (irm ",
    "eval ",
    "rm -rf $x ",
    "exec(",
    "${CLAUDE_X} ",
    ".aris/tools/a",
    "X=\".aris/tools/a\" ",
    "# aris-find: a b",
    "# aris-find end",
    "aB3+/9zQ",
    "\u{202E}",
    "é",
    "\u{E0041}",
    "{\"a\":",
    "<a id=\"x\">",
    "%41",
    "../",
];

/// The findings in files of every kind that is read, each with this text.
fn found(text: &str) -> Vec<(String, usize, usize)> {
    let skill = format!("---\nname: a\ndescription: Counts. {text}\n---\n{text}\n");
    let fenced = format!("```sh\n{text}\n```\n");
    let files = [
        ("skills/a/SKILL.md", skill.as_str()),
        ("skills/a/references/b.md", text),
        ("skills/a/references/c.md", &fenced),
        (
            "skills/a/scripts/x.sh",
            &format!("#!/bin/sh\n# {text}\n{text}\n"),
        ),
        (
            "skills/a/scripts/x.py",
            &format!("#!/usr/bin/env python3\n\"\"\"{text}\"\"\"\n{text}\n"),
        ),
        (
            "skills/a/scripts/x.js",
            &format!("#!/usr/bin/env node\n// {text}\n{text}\n"),
        ),
        ("skills/a/scripts/x.ps1", &format!("# {text}\n{text}\n")),
        (
            "skills/a/scripts/x.rb",
            &format!("#!/usr/bin/env ruby\n# {text}\n"),
        ),
        ("skills/a/agents/openai.yaml", text),
        ("skills/shared-references/integration-contract.md", text),
        ("skills/shared-references/helpers.toml", text),
        (".claude-plugin/plugin.json", text),
        (".claude-plugin/marketplace.json", text),
        ("hooks/hooks.json", text),
    ];
    let folder = folder(&files);
    let config = Config {
        profile: Profile::All,
        cli: crate::Cli {
            threads: Some(1),
            ..crate::Cli::default()
        },
        ..Config::default()
    };
    let found = lint_folder(folder.path(), &config);
    // Lengths of each line, in characters.
    let lengths: BTreeMap<&str, Vec<usize>> = files
        .iter()
        .map(|(path, text)| {
            let lines = text.split('\n').map(|line| line.chars().count());
            (*path, lines.collect())
        })
        .collect();
    for one in &found {
        let Some(lengths) = lengths.get(one.path.as_str()) else {
            continue;
        };
        let length = lengths.get(one.line - 1);
        assert!(
            length.is_some_and(|length| one.col <= length + 1) || one.line == 1,
            "{} {}:{}:{}",
            one.rule,
            one.path,
            one.line,
            one.col
        );
    }
    found
        .into_iter()
        .map(|one| (one.path, one.line, one.col))
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn no_text_breaks_a_family(
        pieces in proptest::collection::vec((prop::sample::select(PIECES), prop::bool::weighted(0.3)), 0..60),
    ) {
        let mut text = String::new();
        for (piece, ends) in pieces {
            write!(text, "{piece}{}", if ends { "\n" } else { "" }).expect("a text");
        }
        // The same tree gives the same findings.
        prop_assert_eq!(found(&text), found(&text));
    }
}
