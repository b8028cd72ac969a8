//! The catalogue of SR0: frontmatter.

use crate::catalogue::{Certainty, Rule, Severity};
use crate::profile::Profile;

/// The rules of this family.
pub const RULES: &[Rule] = &[
    Rule {
        id: "SR001",
        severity: Severity::Error,
        title: "frontmatter missing",
        what: "SKILL.md does not begin with a block between two lines `---`. Codex, Gemini and the reference validator then refuse the skill.",
        hint: "begin the file with `---`, the fields, and `---`",
        source: "SPEC CDX GEM",
        false_positives: "prompt files named SKILL.md that a program injects itself",
        ..Rule::BASE
    },
    Rule {
        id: "SR002",
        severity: Severity::Error,
        title: "SKILL.md in other case",
        what: "A directory without SKILL.md has a file of that name in other case. Only the reference validator reads `skill.md`; hosts do not see the skill.",
        hint: "rename the file to `SKILL.md`",
        source: "SPEC",
        false_positives: "none seen",
        fixable: true,
        ..Rule::BASE
    },
    Rule {
        id: "SR003",
        severity: Severity::Error,
        title: "frontmatter is not a YAML mapping",
        what: "The frontmatter does not parse, has a key twice at some level, or is a list or a scalar.",
        hint: "quote values that hold `: ` or begin with a bracket, and keep each key once",
        source: "SPEC CC CDX",
        false_positives: "hosts with a lenient reader load it all the same (Gemini)",
        ..Rule::BASE
    },
    Rule {
        id: "SR004",
        severity: Severity::Error,
        title: "name missing",
        what: "`name` is absent, null or blank.",
        hint: "add `name:` with the directory's name",
        source: "SPEC",
        false_positives: "Claude Code and Codex take the directory's name instead",
        fixable: true,
        ..Rule::BASE
    },
    Rule {
        id: "SR005",
        severity: Severity::Error,
        title: "name malformed",
        what: "`name` is no string, has other characters than lower-case letters, digits and single hyphens between them, or more than 64 of them.",
        hint: "choose a name of lower-case letters, digits and hyphens",
        source: "SPEC",
        false_positives: "the reference validator takes lower-case letters of all alphabets",
        ..Rule::BASE
    },
    Rule {
        id: "SR006",
        severity: Severity::Error,
        title: "name differs from the directory",
        what: "`name` is not the name of the directory, both normalised (NFKC). Not checked for a skill that is the root of the run.",
        hint: "rename the directory, or change `name`",
        source: "SPEC",
        false_positives: "templates",
        ..Rule::BASE
    },
    Rule {
        id: "SR007",
        severity: Severity::Error,
        title: "description missing",
        what: "`description` is absent, no string, or blank.",
        hint: "say in `description` what the skill does and when to use it",
        source: "SPEC CDX GEM",
        false_positives: "Claude Code takes the first paragraph instead",
        ..Rule::BASE
    },
    Rule {
        id: "SR008",
        severity: Severity::Error,
        title: "description too long",
        what: "The trimmed `description` has more than 1,024 code points. Codex drops such a skill.",
        hint: "shorten `description` to 1,024 characters, and move detail to the body",
        source: "SPEC CDX",
        ..Rule::BASE
    },
    Rule {
        id: "SR009",
        title: "listing is cut",
        what: "`description` and `when_to_use`, trimmed, have more than 1,536 code points together: Claude Code's listing shows no more.",
        hint: "shorten `description` and `when_to_use` to 1,536 characters together",
        source: "CC",
        ..Rule::BASE
    },
    Rule {
        id: "SR010",
        severity: Severity::Error,
        title: "compatibility malformed",
        what: "`compatibility` is there and is no string, blank, or longer than 500 code points.",
        hint: "write `compatibility` as one string of up to 500 characters, or leave it out",
        source: "SPEC",
        ..Rule::BASE
    },
    Rule {
        id: "SR011",
        title: "unknown key",
        what: "A top-level key that neither the specification nor Claude Code knows. Packaging and upload refuse it.",
        hint: "move the key under `metadata`, or list it under `[frontmatter] extra_keys` of the configuration",
        source: "SPEC CC",
        false_positives: "private engines with keys of their own: list them in the configuration",
        ..Rule::BASE
    },
    Rule {
        id: "SR012",
        severity: Severity::Info,
        title: "key of one host",
        what: "A top-level key that only Claude Code reads.",
        hint: "keep it for Claude Code, or drop it for upload; under `metadata` it has no effect",
        source: "CC",
        false_positives: "wanted in a repository for Claude Code",
        in_profile: &[(Profile::Portable, Severity::Error)],
        ..Rule::BASE
    },
    Rule {
        id: "SR013",
        title: "value not understood",
        what: "A switch that is no switch, an unknown `effort`, `context` or `shell`, or `metadata` that is no mapping.",
        hint: "write one of the values that the message names",
        source: "CC",
        false_positives: "newer hosts take more values",
        ..Rule::BASE
    },
    Rule {
        id: "SR014",
        title: "angle bracket in description",
        what: "`description` holds `<` or `>`. Upload refuses it, because the text is put into a prompt with tags.",
        hint: "say it in words",
        source: "ANT",
        false_positives: "arrows and operators (`->`, `|>`): refused all the same",
        ..Rule::BASE
    },
    Rule {
        id: "SR015",
        severity: Severity::Info,
        title: "vendor word in name",
        what: "`name` holds `claude` or `anthropic`, which upload reserves.",
        hint: "rename the skill before upload",
        source: "ANT",
        false_positives: "Anthropic's own `claude-api`",
        in_profile: &[(Profile::Portable, Severity::Error)],
        ..Rule::BASE
    },
    Rule {
        id: "SR016",
        severity: Severity::Info,
        certainty: Certainty::Heuristic,
        title: "no cue when to use it",
        what: "`description` has no words such as *use when*, *when the user*, *triggers*. Hosts choose a skill by its description alone.",
        hint: "add a sentence that begins with `Use when`",
        source: "SPEC PEER",
        false_positives: "other phrasings; other languages are not judged",
        ..Rule::BASE
    },
    Rule {
        id: "SR017",
        severity: Severity::Info,
        certainty: Certainty::Heuristic,
        title: "description in first or second person",
        what: "`description` says I, we, my, our, or you outside a condition. It is put into the prompt among descriptions in the third person.",
        hint: "write in the third person: `Reads …`, not `I read …`",
        source: "ANT",
        false_positives: "quotations without quotation marks",
        ..Rule::BASE
    },
    Rule {
        id: "SR018",
        severity: Severity::Info,
        title: "name used twice",
        what: "Another skill of the tree has the same `name`. Reported on all but the first, directories sorted as strings.",
        hint: "rename one, or keep copies out of one install root",
        source: "CDX CC",
        false_positives: "mirrors for each host on purpose",
        ..Rule::BASE
    },
    Rule {
        id: "SR019",
        severity: Severity::Error,
        title: "byte order mark",
        what: "SKILL.md begins with a byte order mark. Codex and Gemini then do not see the frontmatter.",
        hint: "save the file as UTF-8 without a byte order mark",
        source: "CDX GEM",
        fixable: true,
        ..Rule::BASE
    },
    Rule {
        id: "SR020",
        title: "flow collection in frontmatter",
        what: "The frontmatter holds `[…]` or `{…}`, which the strict YAML reader of the reference validator refuses.",
        hint: "write the list or mapping in block style, or quote the text",
        source: "SPEC",
        false_positives: "Claude Code's documentation itself writes `argument-hint: [issue-number]`",
        fixable: true,
        in_profile: &[(Profile::Portable, Severity::Error)],
        ..Rule::BASE
    },
    Rule {
        id: "SR021",
        severity: Severity::Info,
        title: "metadata value is no string",
        what: "A value under `metadata` is a number, a boolean, empty, a list or a mapping; the specification maps strings to strings.",
        hint: "put quotation marks around the value",
        source: "SPEC",
        false_positives: "`gh skill` writes keys of its own there",
        fixable: true,
        ..Rule::BASE
    },
];
