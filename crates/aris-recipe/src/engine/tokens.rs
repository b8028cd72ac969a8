//! Results out of text: what a command or a session printed, as fields.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

/// Fields of a command's stdout: one for each line `name=value`; of several of one name the last counts.
pub fn of_stdout(stdout: &str) -> Map<String, Value> {
    let mut fields = Map::new();
    for line in stdout.lines() {
        if let Some((name, value)) = line.split_once('=')
            && is_name(name)
        {
            fields.insert(name.to_owned(), Value::from(value));
        }
    }
    fields
}

/// Fields of a session's final text: lines `name = value`, the name bare or between `*` or `**`.
///
/// A value is what stands on its line. Where that is nothing, and for the fields that `lists` names, it goes on over the lines that
/// follow, until the next field, a blank line or a line of a code fence. Of several fields of one name the last counts.
pub fn of_final_text(text: &str, lists: &BTreeSet<String>) -> Map<String, Value> {
    let mut fields: Map<String, Value> = Map::new();
    let mut open: Option<(String, String)> = None;
    for line in text.lines() {
        if let Some((name, value)) = field(line) {
            close(&mut fields, open.take());
            if value.is_empty() || lists.contains(&name) {
                open = Some((name, value));
            } else {
                fields.insert(name, Value::from(value));
            }
        } else if line.trim().is_empty() || line.trim_start().starts_with("```") {
            close(&mut fields, open.take());
        } else if let Some((_, value)) = &mut open {
            if !value.is_empty() {
                value.push('\n');
            }
            value.push_str(line.trim());
        }
    }
    close(&mut fields, open);
    fields
}

fn close(fields: &mut Map<String, Value>, open: Option<(String, String)>) {
    if let Some((name, value)) = open {
        fields.insert(name, Value::from(value));
    }
}

fn field(line: &str) -> Option<(String, String)> {
    let (name, value) = line.split_once('=')?;
    if value.starts_with('=') {
        return None;
    }
    // Either the name stands between the stars, or the whole line does.
    let name = name.trim();
    let stars = name.chars().take_while(|sign| *sign == '*').count();
    let bare = name.trim_matches('*').trim();
    let whole = stars > 0 && !name.ends_with('*');
    let value = value.trim();
    let value = if whole {
        value
            .strip_suffix(&"*".repeat(stars))
            .unwrap_or(value)
            .trim()
    } else {
        value
    };
    is_name(bare).then(|| (bare.to_owned(), value.to_owned()))
}

fn is_name(name: &str) -> bool {
    let mut bytes = name.bytes();
    bytes
        .next()
        .is_some_and(|first| first.is_ascii_alphabetic() || first == b'_')
        && bytes.all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn stdout_gives_fields() {
        let found = of_stdout("a=1\nnoise\nx y=2\nb=x=y\na=3\n=5\n");
        assert_eq!(Value::Object(found), json!({"a": "3", "b": "x=y"}));
    }

    #[test]
    fn final_text_gives_fields() {
        let lists = BTreeSet::from([String::from("parts")]);
        let text = "I looked. a == b holds.\n\nverdict = GO\nDone.\nparts = a\nb\n**pr_url** = https://x/1?a=b\n*n* = 3\n**whole = bold**\nplan_parts =\n  one.md\n  \
                    two.md\n\nThat is all.\n```\nlate = 1\n```\nverdict = NO GO\n";
        assert_eq!(
            Value::Object(of_final_text(text, &lists)),
            json!({"verdict": "NO GO", "parts": "a\nb", "pr_url": "https://x/1?a=b", "n": "3", "whole": "bold", "plan_parts": "one.md\ntwo.md", "late": "1"})
        );
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "(\\PC|\n|=|\\*){0,80}") {
            let _one = of_stdout(&text);
            let _other = of_final_text(&text, &BTreeSet::new());
        }
    }
}
