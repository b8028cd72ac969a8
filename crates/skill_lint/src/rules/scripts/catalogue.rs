//! What the rules SR201 to SR226 say about themselves.

use crate::catalogue::{Certainty, Limit, Rule, Severity};
use crate::profile::Profile;

/// The rules of this family.
pub const RULES: &[Rule] = &[
    Rule {
        id: "SR201",
        title: "entry point without a shebang",
        what: "A script that is called directly says in its first line which interpreter runs it. Binaries, PowerShell and TypeScript are exempt.",
        hint: "add `#!/usr/bin/env …` as the first line",
        source: "SRP",
        false_positives: "scripts that are only ever called through `uv run`",
        fixable: true,
        in_profile: &[(Profile::Project, Severity::Error)],
        ..Rule::BASE
    },
    Rule {
        id: "SR202",
        title: "shebang and extension disagree",
        what: "A shell script needs a shell, Python `python3` or `uv run`, JavaScript and TypeScript one of node, bun, deno, tsx.",
        hint: "name the interpreter that fits the extension",
        source: "SRP",
        fixable: true,
        ..Rule::BASE
    },
    Rule {
        id: "SR203",
        title: "entry point without a header",
        what: "An agent reads the comment at the top of a script before it calls it; here is none.",
        hint: "write a comment at the top: Usage, Input, Output, Stderr, Exit, Examples",
        source: "SRP",
        in_profile: &[(Profile::Project, Severity::Error)],
        ..Rule::BASE
    },
    Rule {
        id: "SR204",
        title: "header without examples",
        what: "The comment at the top has no Examples field. Not reported when there is no header at all.",
        hint: "add `Examples:` with a worked call",
        source: "SRP",
        false_positives: "modules that are run only by accident",
        in_profile: &[(Profile::Project, Severity::Error)],
        ..Rule::BASE
    },
    Rule {
        id: "SR205",
        title: "header without usage",
        what: "The comment at the top has no Usage field. Not reported when there is no header at all.",
        hint: "add `Usage:` with the form of a call",
        source: "SRP",
        false_positives: "modules that are run only by accident",
        ..Rule::BASE
    },
    Rule {
        id: "SR206",
        title: "header without exit codes",
        what: "The comment at the top has no Exit field. Not reported when there is no header at all.",
        hint: "add `Exit:` with each code and its meaning",
        source: "SRP",
        false_positives: "modules that are run only by accident",
        ..Rule::BASE
    },
    Rule {
        id: "SR207",
        severity: Severity::Info,
        title: "header without input, output or stderr",
        what: "The comment at the top lacks at least one of the fields Input, Output and Stderr. Not reported when there is no header at all.",
        hint: "add the fields that are missing",
        source: "SRP",
        ..Rule::BASE
    },
    Rule {
        id: "SR208",
        severity: Severity::Info,
        title: "header field far down",
        what: "A field of the header stands below the line that a short look at the file shows.",
        hint: "shorten the header",
        source: "SRP",
        false_positives: "long lists of options",
        limits: &[Limit {
            key: "max_line",
            default: 25,
        }],
        ..Rule::BASE
    },
    Rule {
        id: "SR209",
        severity: Severity::Error,
        title: "script without execute bit",
        what: "The file has a shebang, but its owner may not execute it. In a git work tree the mode in the index decides. PowerShell is exempt.",
        hint: "chmod +x, and git update-index --chmod=+x",
        source: "SRP",
        false_positives: "file systems without modes; there git's index is what counts",
        fixable: true,
        ..Rule::BASE
    },
    Rule {
        id: "SR210",
        title: "shell script without strict mode",
        what: "The `set` commands of a bash or zsh script give both nounset and pipefail; nounset is enough under an sh or dash shebang. Without a shebang the script counts as bash.",
        hint: "add `set -uo pipefail`, or `set -u` under sh",
        source: "SRP",
        false_positives: "hooks that must never fail",
        fixable: true,
        in_profile: &[(Profile::Project, Severity::Error)],
        ..Rule::BASE
    },
    Rule {
        id: "SR211",
        severity: Severity::Error,
        title: "Python that does not parse",
        what: "A Python file under scripts/ or bin/ is no Python: the parser of the newest grammar refuses it.",
        hint: "fix the syntax",
        source: "SRP",
        false_positives: "syntax that is newer than the parser",
        ..Rule::BASE
    },
    Rule {
        id: "SR212",
        severity: Severity::Error,
        title: "interpreter refuses the syntax",
        what: "With `--syntax`: `bash -n` refuses a shell script, `node --check` a JavaScript file, or PowerShell's parser a `.ps1` file. Nothing is executed.",
        hint: "fix the syntax",
        source: "SRP",
        ..Rule::BASE
    },
    Rule {
        id: "SR213",
        severity: Severity::Info,
        certainty: Certainty::Heuristic,
        title: "unquoted expansion",
        what: "With `--syntax` and where shellcheck is installed: its checks SC2086 and SC2046.",
        hint: "quote the expansion",
        source: "SRP",
        false_positives: "splitting on purpose",
        ..Rule::BASE
    },
    Rule {
        id: "SR214",
        title: "Python reads sys.argv by hand",
        what: "A Python entry point reads `sys.argv` and imports none of argparse, click, typer, docopt, fire, absl, cyclopts.",
        hint: "parse the arguments with argparse",
        source: "SRP",
        false_positives: "tools with one argument",
        ..Rule::BASE
    },
    Rule {
        id: "SR215",
        title: "entry point without --help",
        what: "Nothing in the text offers help: no `--help`, no argument parser, no `.SYNOPSIS`. A shell script that execs something with all its arguments is exempt.",
        hint: "answer `--help` on stdout with exit 0",
        source: "SRP",
        false_positives: "dispatchers that pass arguments on in another way; PowerShell's `-?`",
        in_profile: &[(Profile::Project, Severity::Error)],
        ..Rule::BASE
    },
    Rule {
        id: "SR216",
        severity: Severity::Info,
        title: "entry point without --json",
        what: "Nothing in the text offers output for programs. A shell script that execs something with all its arguments is exempt.",
        hint: "offer `--json`",
        source: "SRP",
        false_positives: "tools that always print JSON",
        ..Rule::BASE
    },
    Rule {
        id: "SR217",
        certainty: Certainty::Heuristic,
        title: "no exit 2 on wrong usage",
        what: "The script has no way to leave with 2, the code for wrong usage, neither by itself nor through its argument parser.",
        hint: "leave with 2 when the arguments are wrong",
        source: "SRP",
        false_positives: "a constant from elsewhere",
        ..Rule::BASE
    },
    Rule {
        id: "SR218",
        severity: Severity::Info,
        certainty: Certainty::Heuristic,
        title: "optional tool used without a check",
        what: "A shell script calls a program that many machines lack and never asks whether it is there.",
        hint: "check with `command -v` and leave with 5",
        source: "SRP",
        false_positives: "tools that the skill declares as required",
        ..Rule::BASE
    },
    Rule {
        id: "SR219",
        severity: Severity::Info,
        certainty: Certainty::Heuristic,
        title: "verifier without an offline mode",
        what: "A tool named check-… or verify-… fetches and has no `--offline`.",
        hint: "split the modes: offline by default, `--live` on request",
        source: "SRP",
        false_positives: "fetchers",
        ..Rule::BASE
    },
    Rule {
        id: "SR221",
        severity: Severity::Error,
        title: "shebang ends in a carriage return",
        what: "The kernel takes the carriage return for a part of the interpreter's name and finds none.",
        hint: "LF line ends; `*.sh text eol=lf` in .gitattributes",
        source: "OWN",
        fixable: true,
        ..Rule::BASE
    },
    Rule {
        id: "SR222",
        severity: Severity::Info,
        title: "script without an extension",
        what: "A script in scripts/ has no extension, so tools cannot tell its language. Launchers of compiled helpers are exempt.",
        hint: "add the extension",
        source: "SRP",
        false_positives: "launchers of other kinds",
        ..Rule::BASE
    },
    Rule {
        id: "SR223",
        certainty: Certainty::Heuristic,
        title: "output file replaced in place",
        what: "The script writes to a file that its caller names, without a temporary file and a rename: an interruption leaves half a file. Looked for in shell and Python.",
        hint: "write to a temporary file beside it, then rename",
        source: "SRP",
        false_positives: "files that nobody keeps",
        ..Rule::BASE
    },
    Rule {
        id: "SR224",
        severity: Severity::Error,
        title: "binary without a valid contract",
        what: "A compiled helper needs `<name>.contract.json` beside its launcher: a JSON object with a schema, its name, and its interface.",
        hint: "generate the contract file from the argument parser",
        source: "OWN",
        ..Rule::BASE
    },
    Rule {
        id: "SR225",
        title: "binary name or place",
        what: "A compiled helper is called `<helper>-<target triple>[.exe]`, lies under scripts/bin/ or bin/, is for the machine that its name says, and has a launcher.",
        hint: "rename or move it, and put the launcher beside it",
        source: "OWN",
        false_positives: "tools of other people",
        ..Rule::BASE
    },
    Rule {
        id: "SR226",
        severity: Severity::Info,
        title: "binary larger than needed",
        what: "The binary holds symbols, or is larger than 16 MiB.",
        hint: "strip it; build with lto",
        source: "OWN",
        limits: &[Limit {
            key: "max_bytes",
            default: 16 * 1024 * 1024,
        }],
        ..Rule::BASE
    },
];
