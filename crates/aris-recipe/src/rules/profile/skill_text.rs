//! What the texts of skills say. Each text is read once, however many steps call the skill.

use crate::rules::Id;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use regex::Regex;

use super::super::data::SkillContract;
use super::super::findings::Findings;
use super::super::scope::Scope;

/// Phrases that tell of a success without writing. **Source**: the reference.
const NO_WRITE: [&str; 11] = [
    "may be 0",
    "nothing to do",
    "no changes needed",
    "already green",
    "graceful degradation",
    r"\bskip\b.{0,30}\bstep\b",
    "exit 0",
    r"\bif no\b.{0,30}\bfound\b",
    "if.*unavailable",
    "already complete",
    "all phases",
];

fn pattern(text: &str) -> Option<Regex> {
    Regex::new(text).ok()
}

static NO_WRITE_EXIT: LazyLock<Vec<Regex>> =
    LazyLock::new(|| NO_WRITE.iter().filter_map(|text| pattern(text)).collect());
static REMOTE_COMMAND: LazyLock<Option<Regex>> =
    LazyLock::new(|| pattern(r"\bgit\b.*?\b(?:fetch|rebase|log|show|rev-parse)\b"));
static OWN_IMPORT: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r#"(?m)^[ \t]*from[ \t]+autoskillit[\s.]|^[ \t]*import[ \t]+autoskillit[\s,.]|['"]autoskillit['"]"#,
    )
});
static PLAIN_TEXT: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(r"(?i)no\s+markdown\s+format|plain\s+text.*token|literal\s+plain\s+text")
});

fn matches(pattern: &LazyLock<Option<Regex>>, text: &str) -> bool {
    pattern
        .as_ref()
        .is_some_and(|pattern| pattern.is_match(text))
}

pub(super) fn check(scope: &Scope<'_>, out: &mut Findings) {
    let Some(skills) = &scope.data.skills else {
        return;
    };
    let contracts = scope
        .data
        .manifest
        .as_ref()
        .map(|manifest| &manifest.skills);
    let mut faults: BTreeMap<&str, Vec<(Id, String)>> = BTreeMap::new();
    for (_, facts) in scope.steps() {
        let Some(called) = &facts.skill else {
            continue;
        };
        let name = called.name;
        let Some(text) = skills.texts.get(name) else {
            continue;
        };
        let contract = contracts.and_then(|contracts| contracts.get(name));
        let exempt = |placeholder: &str| scope.data.exempt.covers(placeholder, name);
        for (rule, message) in faults
            .entry(name)
            .or_insert_with(|| of_text(text, contract, &exempt))
        {
            // The reference leaves commands with references out of this rule, and its own recipes rely on that.
            if *rule == Id::AlwaysHasNoWriteExit && called.command.contains("${{") {
                continue;
            }
            out.step(*rule, facts.step, format!("skill `{name}`: {message}"));
        }
    }
}

fn of_text(
    text: &str,
    contract: Option<&SkillContract>,
    exempt: &dyn Fn(&str) -> bool,
) -> Vec<(Id, String)> {
    let mut faults = Vec::new();
    let blocks = bash_blocks(text);
    let defined: BTreeSet<&str> = declared(text)
        .into_iter()
        .chain(assigned(&blocks))
        .collect();
    let undefined: BTreeSet<&str> = placeholders(&blocks)
        .into_iter()
        .filter(|name| {
            !defined.contains(name)
                && !defined.contains(name.to_uppercase().as_str())
                && !exempt(name)
        })
        .collect();
    if !undefined.is_empty() {
        let listed = undefined
            .iter()
            .map(|name| format!("{{{name}}}"))
            .collect::<Vec<_>>()
            .join(", ");
        let message = format!(
            "its commands use {listed}, which is neither declared under Arguments nor assigned"
        );
        faults.push((Id::UndefinedBashPlaceholder, message));
    }
    if blocks
        .iter()
        .flat_map(|block| block.lines())
        .any(names_origin)
    {
        let message =
            String::from("its commands name the remote origin, which is a stale folder in a clone");
        faults.push((Id::HardcodedOriginRemote, message));
    }
    for block in blocks.iter().filter(|block| matches(&OWN_IMPORT, block)) {
        let line = block
            .lines()
            .find(|line| line.contains("autoskillit"))
            .unwrap_or_default();
        let message = format!(
            "its commands import a package that a headless session does not have: `{}`",
            line.trim()
        );
        faults.push((Id::NoAutoskillitImportInSkillPythonBlock, message));
    }
    let Some(contract) = contract else {
        return faults;
    };
    if contract.write_behavior.as_deref() == Some("always") {
        let lower = text.to_lowercase();
        let told = NO_WRITE_EXIT
            .iter()
            .find_map(|phrase| Some(phrase.find(&lower)?.as_str().to_owned()));
        if let Some(told) = told {
            let message = format!(
                "its contract says that it always writes, and its text tells of a success without writing: `{told}`"
            );
            faults.push((Id::AlwaysHasNoWriteExit, message));
        }
    }
    let output = section(text, "Output");
    if !contract.output_patterns.is_empty()
        && output.is_some_and(|output| !matches(&PLAIN_TEXT, output))
    {
        let message = String::from(
            "its contract has expected_output_patterns, and its section Output does not say that result lines are plain text without \
             markdown formatting",
        );
        faults.push((Id::OutputSectionNoMarkdownDirective, message));
    }
    faults
}

/// Bodies of the fences that are marked `bash`.
fn bash_blocks(text: &str) -> Vec<&str> {
    let mut blocks = Vec::new();
    let mut rest = text;
    while let Some((_, after)) = rest.split_once("```bash") {
        let Some((head, body)) = after.split_once('\n') else {
            break;
        };
        if !head.trim().is_empty() {
            rest = after;
            continue;
        }
        let Some((block, behind)) = body.split_once("```") else {
            break;
        };
        blocks.push(block);
        rest = behind;
    }
    blocks
}

fn is_name(text: &str) -> bool {
    text.starts_with(|sign: char| sign.is_ascii_alphabetic() || sign == '_')
        && text
            .chars()
            .all(|sign| sign.is_ascii_alphanumeric() || matches!(sign, '_' | '-'))
}

/// Names right between `open` and `close`, each with the sign before `open`.
fn enclosed(text: &str, open: char, close: char) -> impl Iterator<Item = (Option<char>, &str)> {
    text.match_indices(open).filter_map(move |(at, sign)| {
        let before = text.get(..at)?.chars().next_back();
        let rest = text.get(at + sign.len()..)?;
        let end =
            rest.find(|sign: char| !(sign.is_ascii_alphanumeric() || matches!(sign, '_' | '-')))?;
        let (name, behind) = rest.split_at(end);
        (behind.starts_with(close) && is_name(name)).then_some((before, name))
    })
}

/// `{name}` in commands: not `${name}`, not `@{name}`, not in capitals.
fn placeholders<'a>(blocks: &[&'a str]) -> Vec<&'a str> {
    blocks
        .iter()
        .flat_map(|block| enclosed(block, '{', '}'))
        .filter(|(before, name)| {
            !matches!(before, Some('$' | '@')) && name.chars().any(char::is_lowercase)
        })
        .map(|(_, name)| name)
        .collect()
}

/// Names under Arguments, Ingredients, Parameters or Invocation, and keys below the first level of the frontmatter.
fn declared(text: &str) -> Vec<&str> {
    let mut names = Vec::new();
    for title in ["Arguments", "Ingredients", "Parameters", "Invocation"] {
        for body in sections(text, title) {
            names.extend(
                enclosed(body, '{', '}')
                    .chain(enclosed(body, '`', '`'))
                    .map(|(_, name)| name),
            );
        }
    }
    let frontmatter = text
        .strip_prefix("---\n")
        .and_then(|rest| rest.split_once("\n---"));
    for line in frontmatter
        .map(|(lines, _)| lines)
        .unwrap_or_default()
        .lines()
    {
        let key = line
            .split_once(':')
            .map(|(key, _)| key)
            .filter(|key| key.starts_with(char::is_whitespace));
        names.extend(key.map(str::trim).filter(|key| is_name(key)));
    }
    names
}

/// Bodies of the sections, of the second level or deeper, whose title begins with a word.
fn sections<'a>(text: &'a str, title: &str) -> Vec<&'a str> {
    let mut found = Vec::new();
    let mut open: Option<usize> = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if line.starts_with("##") {
            found.extend(open.take().and_then(|begin| text.get(begin..at)));
            let named = line
                .trim_start_matches('#')
                .trim_start()
                .strip_prefix(title);
            if named.is_some_and(|rest| {
                !rest.starts_with(|sign: char| sign.is_alphanumeric() || sign == '_')
            }) {
                open = Some(at + line.len());
            }
        }
        at += line.len();
    }
    found.extend(open.and_then(|begin| text.get(begin..)));
    found
}

fn section<'a>(text: &'a str, title: &str) -> Option<&'a str> {
    sections(text, title).into_iter().next()
}

/// Variables that commands assign at the beginning of a line, as written and in small letters.
fn assigned<'a>(blocks: &[&'a str]) -> Vec<&'a str> {
    blocks
        .iter()
        .flat_map(|block| block.lines())
        .filter_map(|line| line.split_once('='))
        .map(|(name, _)| name.trim_end())
        .filter(|name| is_name(name) && !name.contains('-'))
        .collect()
}

/// Whether a line of commands asks the remote `origin` by name.
fn names_origin(line: &str) -> bool {
    let line = line.trim();
    let word = |sign: char| sign.is_alphanumeric() || sign == '_';
    !line.starts_with('#')
        && matches(&REMOTE_COMMAND, line)
        && line.match_indices("origin").any(|(at, found)| {
            let before = line.get(..at).and_then(|before| before.chars().next_back());
            let after = line
                .get(at + found.len()..)
                .and_then(|after| after.chars().next());
            !before.is_some_and(|sign| word(sign) || matches!(sign, '$' | '{' | '-'))
                && !after.is_some_and(word)
        })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn rules(text: &str, contract: Option<&SkillContract>) -> Vec<Id> {
        of_text(text, contract, &|_| false)
            .into_iter()
            .map(|(rule, _)| rule)
            .collect()
    }

    #[test]
    fn placeholders_need_a_declaration() {
        for (text, fires) in [
            ("```bash\ncp {plan} x\n```\n", true),
            (
                "## Arguments\n`plan` is a file\n\n## Use\n```bash\ncp {plan} x\n```\n",
                false,
            ),
            (
                "## Argumentsplan\n`plan`\n```bash\ncp {plan} x\n```\n",
                true,
            ),
            ("```bash\nplan=$(ls)\ncp {plan} x\n```\n", false),
            ("```bash\nPLAN=$(ls)\ncp {plan} x\n```\n", false),
            ("```bash\ncp ${plan} @{upstream} {PLAN} { x }\n```\n", false),
            ("```sh\ncp {plan} x\n```\n", false),
            (
                "---\nname: x\nargs:\n  plan: file\n---\n```bash\ncp {plan} x\n```\n",
                false,
            ),
        ] {
            assert_eq!(
                rules(text, None).contains(&Id::UndefinedBashPlaceholder),
                fires,
                "{text}"
            );
        }
        assert!(of_text("```bash\ncp {plan} x\n```\n", None, &|name| name == "plan").is_empty());
    }

    #[test]
    fn all_patterns_are_regular_expressions() {
        assert_eq!(NO_WRITE_EXIT.len(), NO_WRITE.len());
        assert!(
            [&REMOTE_COMMAND, &OWN_IMPORT, &PLAIN_TEXT]
                .iter()
                .all(|pattern| pattern.is_some())
        );
    }

    #[test]
    fn origin_counts_in_commands_that_ask_a_remote() {
        for (line, fires) in [
            ("git fetch origin main", true),
            ("git log origin/main..HEAD", true),
            ("git push origin main", false),
            ("# git fetch origin", false),
            ("git fetch ${REMOTE:-origin}", false),
            ("git fetch original", false),
            ("git fetch $origin", false),
        ] {
            assert_eq!(names_origin(line), fires, "{line}");
        }
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "(```bash|```|\n|## Output|## Arguments|\\{|\\}|`|---|git fetch origin|[a-z=$@]|\\PC){0,60}") {
            let contract = SkillContract {
                write_behavior: Some(String::from("always")),
                output_patterns: vec![String::from("x")],
                ..SkillContract::default()
            };
            let _faults = of_text(&text, Some(&contract), &|_| false);
        }
    }
}
