//! The catalogue of SR7: portability.

use crate::catalogue::{Certainty, Rule, Severity};

/// The rules of this family.
pub const RULES: &[Rule] = &[
    Rule {
        id: "SR701",
        title: "skill too deep",
        what: "The skill lies more than one level below the nearest directory named `skills`, and no plugin manifest lists it. Claude Code and Gemini look one level deep.",
        hint: "move it up, or list its directory under `skills` of the plugin",
        source: "CC GEM",
        false_positives: "mirrors",
        ..Rule::BASE
    },
    Rule {
        id: "SR702",
        severity: Severity::Info,
        certainty: Certainty::Heuristic,
        title: "script called by its bare path",
        what: "A line of a shell fence calls a script by its path alone. Several installers drop the execute bit.",
        hint: "put the interpreter in front: `bash scripts/x.sh`",
        source: "OWN",
        ..Rule::BASE
    },
    Rule {
        id: "SR703",
        title: "mentions a file that is not installed",
        what: "SKILL.md mentions a file of its skill whose name starts with `_` or is README.md or metadata.json. `npx skills add` does not copy those.",
        hint: "rename the file",
        source: "OWN",
        false_positives: "people who install in another way",
        ..Rule::BASE
    },
    Rule {
        id: "SR704",
        severity: Severity::Info,
        certainty: Certainty::Heuristic,
        title: "relies on one host",
        what: "SKILL.md uses a command that runs at load time, `context: fork` or `hooks`, and `compatibility` does not name Claude Code. Other hosts show it as text or ignore it.",
        hint: "say so in `compatibility`, and what to do elsewhere",
        source: "CC",
        ..Rule::BASE
    },
    Rule {
        id: "SR705",
        severity: Severity::Error,
        title: "paths differ in case only",
        what: "Two files whose whole paths are equal when case is ignored: on Windows and macOS one replaces the other.",
        hint: "rename one of them",
        source: "OWN",
        ..Rule::BASE
    },
    Rule {
        id: "SR706",
        title: "name that some system refuses",
        what: "A part of a path is longer than 255 bytes, a device name of Windows, ends in a dot or space, or holds one of `< > : \" | ? *`.",
        hint: "rename it",
        source: "OWN",
        ..Rule::BASE
    },
    Rule {
        id: "SR707",
        title: "variable of another fence",
        what: "A shell fence uses a variable that only another fence of the file sets. Hosts run each command in a shell of its own, where it is empty.",
        hint: "set it in this fence, or write what it stands for",
        source: "CC CDX GEM",
        false_positives: "fences that a person is to paste into one terminal",
        ..Rule::BASE
    },
];
