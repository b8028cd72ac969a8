//! The catalogue of SR1: layout and resources.

use crate::catalogue::{Certainty, Limit, Rule, Scope, Severity};
use crate::profile::Profile;

/// The rules of this family.
pub const RULES: &[Rule] = &[
    Rule {
        id: "SR101",
        title: "body too long",
        what: "The body of SKILL.md has more than 500 lines (`max_lines`). All of it is read whenever the skill is used.",
        hint: "move detail to files under `references/`",
        source: "SPEC SRP",
        limits: &[Limit {
            key: "max_lines",
            default: 500,
        }],
        ..Rule::BASE
    },
    Rule {
        id: "SR102",
        severity: Severity::Info,
        certainty: Certainty::Heuristic,
        title: "body has too many tokens",
        what: "The body of SKILL.md has more than 5,000 tokens (`max_tokens`), estimated as a quarter of its bytes and one for each CJK code point.",
        hint: "move detail to files under `references/`",
        source: "SPEC",
        false_positives: "an estimate",
        limits: &[Limit {
            key: "max_tokens",
            default: 5000,
        }],
        ..Rule::BASE
    },
    Rule {
        id: "SR103",
        title: "long reference without contents",
        what: "A Markdown file under `references/` has more than 300 lines (`max_lines`) and no contents list in its first 80: no such title, no `[toc]`, no three items that link into the file.",
        hint: "add a contents list at the top",
        source: "SRP",
        false_positives: "none seen",
        limits: &[Limit {
            key: "max_lines",
            default: 300,
        }],
        ..Rule::BASE
    },
    Rule {
        id: "SR104",
        title: "reference name",
        what: "The stem of a Markdown file under `references/` is neither kebab-case nor all capitals.",
        hint: "rename it, `like-this.md`",
        source: "SRP",
        ..Rule::BASE
    },
    Rule {
        id: "SR105",
        severity: Severity::Info,
        certainty: Certainty::Heuristic,
        title: "name with a space, capital or other alphabet",
        what: "A script, asset or directory has such a name. Names in capitals only and names that tools prescribe are not meant.",
        hint: "rename it to lower-case letters, digits, `-` and `_`",
        source: "SRP OWN",
        false_positives: "assets copied as they were",
        ..Rule::BASE
    },
    Rule {
        id: "SR106",
        title: "resource not reachable",
        what: "No text that SKILL.md leads to mentions this file under `references/` or `assets/`, by its name or its directory.",
        hint: "mention it in SKILL.md and say when to load it, or delete it",
        source: "SRP §1 PEER",
        false_positives: "files that a script finds by a pattern",
        in_profile: &[(Profile::Project, Severity::Error)],
        ..Rule::BASE
    },
    Rule {
        id: "SR107",
        severity: Severity::Info,
        title: "resource not cited in SKILL.md",
        what: "Only other files lead to this resource. Agents may read a nested reference in part only.",
        hint: "mention it in SKILL.md itself",
        source: "SPEC",
        false_positives: "large trees on purpose",
        ..Rule::BASE
    },
    Rule {
        id: "SR108",
        title: "entry point not reachable",
        what: "No text that SKILL.md leads to mentions this script.",
        hint: "mention it in SKILL.md with a worked call",
        source: "SRP",
        false_positives: "harnesses kept under `scripts/`",
        in_profile: &[(Profile::Project, Severity::Error)],
        ..Rule::BASE
    },
    Rule {
        id: "SR109",
        severity: Severity::Info,
        title: "entry point not cited in SKILL.md",
        what: "Only other files lead to this script.",
        hint: "mention it in SKILL.md with a worked call",
        source: "SRP",
        false_positives: "skills with several instruction files at the root",
        ..Rule::BASE
    },
    Rule {
        id: "SR110",
        severity: Severity::Error,
        title: "link target missing",
        what: "A relative link of an instruction file leads to nothing, neither from the file's directory nor from the skill's.",
        hint: "correct the path; case counts",
        source: "SPEC PEER",
        false_positives: "links to files that are made at run time",
        ..Rule::BASE
    },
    Rule {
        id: "SR111",
        title: "link leaves the skill",
        what: "A relative link of an instruction file leads to something outside the skill. Plugin caches and installers copy one skill, and the target stays behind.",
        hint: "copy the target into the skill, or list its directory under `[shared] dirs` of the configuration",
        source: "CC",
        false_positives: "trees that are always installed whole",
        ..Rule::BASE
    },
    Rule {
        id: "SR112",
        severity: Severity::Info,
        certainty: Certainty::Heuristic,
        title: "fragment without heading",
        what: "The fragment of a link into a Markdown file is made by no heading and no `id` there.",
        hint: "correct the fragment",
        source: "PEER",
        false_positives: "anchors that a renderer makes",
        ..Rule::BASE
    },
    Rule {
        id: "SR113",
        severity: Severity::Error,
        title: "asset too large",
        what: "A file under `assets/` has more than 512,000 bytes (`max_bytes`).",
        hint: "shrink it, or fetch it with a checksum when it is needed",
        source: "SRP",
        limits: &[Limit {
            key: "max_bytes",
            default: 512_000,
        }],
        ..Rule::BASE
    },
    Rule {
        id: "SR114",
        title: "skill inside a skill",
        what: "A SKILL.md lies inside another skill. Codex and `npx skills` load it as a skill of its own.",
        hint: "rename it to `SKILL.md.tmpl`",
        source: "CDX",
        false_positives: "bundles of a plugin",
        ..Rule::BASE
    },
    Rule {
        id: "SR115",
        severity: Severity::Info,
        title: "file for people",
        what: "README.md, CHANGELOG.md or INSTALL* at the skill's root: no host reads it, and it is copied with every install.",
        hint: "remove it, or accept it",
        source: "PEER",
        false_positives: "repositories that people read",
        ..Rule::BASE
    },
    Rule {
        id: "SR116",
        title: "instruction file never mentioned",
        what: "No other file of the skill mentions this instruction file at its root.",
        hint: "mention it in SKILL.md and say when to read it",
        source: "PEER",
        ..Rule::BASE
    },
    Rule {
        id: "SR117",
        severity: Severity::Info,
        title: "unusual directory",
        what: "A directory at the skill's root that is none of scripts, references, assets, bin, agents, evals, tests, examples, templates. Hidden ones are not meant.",
        hint: "move its files to one of the usual directories",
        source: "PEER",
        false_positives: "the specification leaves the names free",
        scope: Scope::Off,
        ..Rule::BASE
    },
    Rule {
        id: "SR118",
        title: "symbolic link",
        what: "SKILL.md is a symbolic link, which Codex does not follow, or a link that belongs to the skill leads to nothing.",
        hint: "link the whole directory, or copy the file",
        source: "CDX",
        false_positives: "installs by Nix and similar",
        ..Rule::BASE
    },
    Rule {
        id: "SR119",
        title: "fence never closed",
        what: "A code fence is still open at the end of an instruction file; mostly an inner fence as long as the outer one has closed it too early.",
        hint: "make the outer fence one character longer",
        source: "PEER",
        ..Rule::BASE
    },
    Rule {
        id: "SR120",
        certainty: Certainty::Heuristic,
        title: "path of one machine",
        what: "An instruction file or script holds `/Users/x`, `/home/x` or `C:\\Users\\x` with a name that is no placeholder.",
        hint: "write `~`, a variable or a relative path",
        source: "OWN",
        false_positives: "examples",
        ..Rule::BASE
    },
    Rule {
        id: "SR121",
        certainty: Certainty::Heuristic,
        title: "backslashes in a path",
        what: "An instruction file writes a path into a directory of the skill with backslashes, outside fences of Windows shells.",
        hint: "write `/`, it works on every system",
        source: "PEER",
        false_positives: "samples for PowerShell",
        fixable: true,
        ..Rule::BASE
    },
    Rule {
        id: "SR122",
        certainty: Certainty::Heuristic,
        title: "template text",
        what: "`[TODO` or `TODO:` is left in an instruction file, outside code.",
        hint: "finish or delete the passage",
        source: "PEER",
        false_positives: "skills about such marks",
        ..Rule::BASE
    },
    Rule {
        id: "SR123",
        certainty: Certainty::Heuristic,
        title: "entry point without a call",
        what: "SKILL.md mentions this script, and no line in a fence or code span of an instruction file calls it with an interpreter or an argument.",
        hint: "show one whole call in a code block",
        source: "SRP",
        false_positives: "tools without arguments",
        ..Rule::BASE
    },
    Rule {
        id: "SR124",
        severity: Severity::Info,
        title: "litter",
        what: "`.DS_Store`, `__pycache__`, `*.pyc` or `node_modules` inside a skill, and not ignored by git.",
        hint: "delete it, and add it to `.gitignore`",
        source: "ANT",
        ..Rule::BASE
    },
    Rule {
        id: "SR125",
        severity: Severity::Error,
        title: "named file missing",
        what: "A command in a shell fence, or a code span, names a file under scripts/, references/ or assets/ that is neither in the skill nor in another skill or the repository. Where nothing similar exists and nothing starts it, it is a warning.",
        hint: "correct the path, or add the file",
        source: "SPEC",
        false_positives: "files that the user's project is to have",
        ..Rule::BASE
    },
];
