//! What a `--help` text declares: its sections, its flags, its exit codes.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;

use crate::pattern::compiled;

/// A help text, taken apart.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Help {
    /// A line begins with `Usage` or `Synopsis`.
    pub(super) usage: bool,
    /// A line begins with `Example` or `Examples`.
    pub(super) examples: bool,
    /// Long flags that an option line or the usage declares.
    pub(super) declared: BTreeSet<String>,
    /// Long flags that stand anywhere.
    pub(super) mentioned: BTreeSet<String>,
    /// The documented exit codes; empty when there is no section of them.
    pub(super) exits: ExitCodes,
}

/// A set of exit codes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ExitCodes {
    single: BTreeSet<u16>,
    /// `10+`: this and all above.
    above: Option<u16>,
}

static USAGE: LazyLock<Regex> = LazyLock::new(|| compiled(r"(?i)^[\W_]*(?:usage|synopsis)\b"));
static EXAMPLES: LazyLock<Regex> = LazyLock::new(|| compiled(r"(?i)^[\W_]*examples?\b"));
static EXIT: LazyLock<Regex> = LazyLock::new(|| {
    compiled(
        r"(?i)^[\W_]*(?:exits?|exit[ -](?:codes?|status(?:es)?|values?)|return codes?)\s*(?:\([^)]*\))?\s*(?:[*_`]*:[*_`]*\s*(.*)|[*_`]*)$",
    )
});
/// A long flag where a word begins. The second form is how argparse writes a flag and its negation.
static FLAG: LazyLock<Regex> =
    LazyLock::new(|| compiled(r"(?:^|[^\w-])--(\[no-\])?([A-Za-z0-9][\w-]*)"));
/// One or more codes where a line or an item begins: `2`, `3-5`, `10+`, `1, 2`, `0/1`.
static CODES: LazyLock<Regex> = LazyLock::new(|| {
    compiled(
        r"^[\s>*•`|(-]*(?:(?i:exit|code)\s+)?`?(\d{1,3}\+?(?:\s*(?:-|–|\.\.=?|,|/|or|and)\s*`?\d{1,3}\+?)*)`?(?:[^\w.]|$)",
    )
});
static CODE: LazyLock<Regex> = LazyLock::new(|| compiled(r"(-|–|\.\.=?)?\s*`?(\d{1,3})(\+)?"));

impl Help {
    pub(super) fn of(text: &str) -> Self {
        let mut help = Self {
            exits: ExitCodes::of(text),
            ..Self::default()
        };
        let (mut in_usage, mut in_examples) = (false, false);
        for line in text.lines().map(bare) {
            let begins_usage = USAGE.is_match(line);
            help.usage |= begins_usage;
            help.examples |= EXAMPLES.is_match(line);
            in_usage = begins_usage
                || (in_usage && line.starts_with(char::is_whitespace) && !line.trim().is_empty());
            // A long call goes on in the next line, which may begin with a flag.
            in_examples = EXAMPLES.is_match(line)
                || (in_examples && (line.is_empty() || line.starts_with(char::is_whitespace)));
            let flags = flags(line);
            if in_examples {
                help.mentioned.extend(flags);
                continue;
            }
            if in_usage {
                help.declared.extend(flags.iter().cloned());
            } else {
                help.declared.extend(declared(line));
            }
            help.mentioned.extend(flags);
        }
        help
    }
}

impl ExitCodes {
    /// The codes in the section of a text whose heading says that it is about them.
    fn of(text: &str) -> Self {
        let mut codes = Self::default();
        let mut lines = text.lines().map(bare).peekable();
        while let Some(line) = lines.next() {
            let Some(heading) = EXIT.captures(line) else {
                continue;
            };
            let indent = indentation(line);
            let inline = heading.get(1).map_or("", |rest| rest.as_str());
            let mut section = vec![inline];
            // The first blank line may stand right below the heading.
            if inline.is_empty() && lines.peek().is_some_and(|next| next.trim().is_empty()) {
                lines.next();
            }
            while let Some(next) = lines.next_if(|next| {
                !next.trim().is_empty()
                    && (indentation(next) > indent || CODES.is_match(next))
                    && !EXAMPLES.is_match(next)
            }) {
                section.push(next);
            }
            if inline.is_empty() {
                for line in section {
                    codes.add(line);
                }
            } else {
                let joined = section.join(" ");
                let at = if joined.contains(';') { ';' } else { ',' };
                joined.split(at).for_each(|item| codes.add(item));
            }
        }
        codes
    }

    pub(super) fn from_numbers(numbers: impl IntoIterator<Item = u16>) -> Self {
        Self {
            single: numbers.into_iter().collect(),
            above: None,
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.single.is_empty() && self.above.is_none()
    }

    pub(super) fn contains(&self, code: u16) -> bool {
        self.single.contains(&code) || self.above.is_some_and(|from| code >= from)
    }

    /// The codes that were named one by one.
    pub(super) fn named(&self) -> impl Iterator<Item = u16> {
        self.single.iter().copied()
    }

    fn add(&mut self, item: &str) {
        let Some(codes) = CODES.captures(item).and_then(|found| found.get(1)) else {
            return;
        };
        let mut last = None;
        for code in CODE.captures_iter(codes.as_str()) {
            let Some(number) = code
                .get(2)
                .and_then(|digits| digits.as_str().parse::<u16>().ok())
            else {
                continue;
            };
            if code.get(3).is_some() {
                self.above = Some(self.above.map_or(number, |above| above.min(number)));
                continue;
            }
            match last {
                Some(from) if code.get(1).is_some() && from < number => {
                    self.single.extend(from..=number);
                }
                _ => self.single.extend([number]),
            }
            last = Some(number);
        }
    }
}

/// A line without the comment mark that a script leaves when it prints its own header.
fn bare(line: &str) -> &str {
    let line = line.trim_end();
    line.strip_prefix('#').unwrap_or(line)
}

fn indentation(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

fn flags(text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for flag in FLAG.captures_iter(text) {
        let Some(name) = flag.get(2) else { continue };
        let name = name.as_str().trim_end_matches(['-', '_']);
        found.insert(format!("--{name}"));
        if flag.get(1).is_some() {
            found.insert(format!("--no-{name}"));
        }
    }
    found
}

/// The flags that a line of an option list declares: `-q, --quiet  …`, `--out=FILE …`, `-n|--dry-run`, `* --json: …`.
///
/// Only what stands before the explanation counts, and of that only what begins an alternative.
fn declared(line: &str) -> BTreeSet<String> {
    let line = line
        .trim_start()
        .trim_start_matches(['`', '|', '['])
        .trim_start();
    let line = line
        .strip_prefix("* ")
        .or_else(|| line.strip_prefix("- "))
        .unwrap_or(line);
    let line = line.trim_start_matches([' ', '`', '*']);
    if !line.starts_with('-') {
        return BTreeSet::new();
    }
    let end = line
        .find("  ")
        .into_iter()
        .chain(line.find('\t'))
        .chain(line.find(": "))
        .min();
    let specification = end.and_then(|end| line.get(..end)).unwrap_or(line);
    specification
        .split([',', '|', '/'])
        .filter_map(|alternative| {
            let mut words = alternative
                .split_whitespace()
                .map(|word| word.trim_start_matches(['`', '[', '(']));
            let first = words.next()?;
            let is_short = first.len() == 2 && first.starts_with('-');
            if is_short { words.next() } else { Some(first) }
        })
        .filter(|word| word.starts_with("--"))
        .flat_map(|word| flags(word).into_iter().take(2))
        .collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn sections_begin_a_line_in_any_case() {
        for (text, expected) in [
            ("usage: x [-h]\n\nExamples:\n  x a\n", (true, true)),
            ("USAGE:\n  x\nEXAMPLE\n", (true, true)),
            ("# Synopsis: x\n# Example: x 1\n", (true, true)),
            ("## Usage\n**Examples**\n", (true, true)),
            ("  Usage of x:\n", (true, false)),
            ("Prints usage: never\nfor example: x\n", (false, false)),
            ("usages\nexamplesque\n", (false, false)),
            ("", (false, false)),
        ] {
            let help = Help::of(text);
            assert_eq!((help.usage, help.examples), expected, "{text:?}");
        }
    }

    #[test]
    fn option_lines_and_usage_declare_flags_and_prose_only_mentions_them() {
        for (text, declared) in [
            (
                "  -q, --quiet   be quiet, unlike --verbose",
                &["--quiet"][..],
            ),
            ("      --skill <SKILL>  Skill", &["--skill"]),
            ("  -n|--dry-run  print", &["--dry-run"]),
            ("  -h --help  print", &["--help"]),
            ("  --foo FOO, -f FOO  foo", &["--foo"]),
            ("  --out=FILE  to", &["--out"]),
            ("  --[no-]color  colour", &["--color", "--no-color"]),
            (
                "  --json one document, --quiet none",
                &["--json", "--quiet"],
            ),
            ("* `--json`: one document like --other", &["--json"]),
            ("- --json: one", &["--json"]),
            ("#   --json   one", &["--json"]),
            (
                "usage: x [--json] [-o OUT | --out OUT] FILE\n         [--more]\nother --less",
                &["--json", "--out", "--more"],
            ),
            ("calls git rev-parse --show-toplevel", &[]),
            ("  x --json FILE   in an example", &[]),
            (
                "Examples:\n  x \\\n    --other FILE\nOptions:\n  --json  a",
                &["--json"],
            ),
            ("---\n----", &[]),
            ("em--dash and a---b", &[]),
        ] {
            let expected: BTreeSet<String> =
                declared.iter().map(|flag| (*flag).to_owned()).collect();
            assert_eq!(Help::of(text).declared, expected, "{text:?}");
        }
        let help = Help::of("Reads FILE; see --json. Not a--b.");
        assert_eq!(help.mentioned.into_iter().collect::<Vec<_>>(), ["--json"]);
    }

    #[test]
    fn exit_codes_stand_in_their_section() {
        for (text, expected) in [
            (
                "EXIT CODES:\n  0   done\n  1   error\n      2 more\n  10  found\n\n 5 not here",
                &[0, 1, 2, 10][..],
            ),
            ("Exit codes\n\n0 ok\n2 usage\n\n", &[0, 2]),
            (
                "Exit: 0 kept; 1 other; 3 an\n      input; 4 bad\nUsage: 7 x",
                &[0, 1, 3, 4],
            ),
            (
                "# Exit status: 0 ok, 2 usage, 3-5 worse\n",
                &[0, 2, 3, 4, 5],
            ),
            ("Exit codes:\n  - `0`: ok\n  - `2`: usage\n", &[0, 2]),
            (
                "Exit status (as ever):\n  0, 2 or 3  x\n  exit 7 = y\n",
                &[0, 2, 3, 7],
            ),
            ("Exits:\n  0 ok\nExamples:\n  9 x\n", &[0]),
            ("exit codes differ by 7\n", &[]),
            ("Exit codes:\n  none\n", &[]),
            ("  4 things\n", &[]),
        ] {
            assert_eq!(
                Help::of(text).exits.named().collect::<Vec<_>>(),
                expected,
                "{text:?}"
            );
        }
        let open = Help::of("Exit codes:\n  0 ok\n  10+ found\n").exits;
        assert!(open.contains(0) && open.contains(10) && open.contains(200) && !open.contains(9));
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "(?s).{0,400}", parts in proptest::collection::vec(
            prop_oneof![Just("--"), Just("[no-]"), Just("Exit:"), Just("\n"), Just("3-5"), Just(" "), Just("x")], 0..40)) {
            let (plain, built) = (Help::of(&text), Help::of(&parts.concat()));
            prop_assert!(plain.declared.is_subset(&plain.mentioned));
            prop_assert!(built.declared.is_subset(&built.mentioned));
        }
    }
}
