//! The rules of this family in words.

use crate::catalogue::{Rule, Severity};

/// The rules of this family.
pub const RULES: &[Rule] = &[
    Rule {
        id: "SR301",
        severity: Severity::Error,
        title: "--help fails or says nothing",
        what: "Called with --help, the program does not leave with 0, or writes nothing to stdout.",
        hint: "answer --help before anything else: text on stdout, exit 0",
        source: "SRP",
        false_positives: "a program that needs something the sandbox takes away even to print its help",
        ..Rule::BASE
    },
    Rule {
        id: "SR302",
        severity: Severity::Error,
        title: "help without usage or examples",
        what: "The text of --help has no line that begins with Usage or Synopsis, or none that begins with Example or Examples. \
               Leaving with 0 alone proves nothing: some programs take --help for an ordinary argument and succeed.",
        hint: "add `Usage:` and `Examples:` sections with one complete call each",
        source: "SRP",
        false_positives: "help in another language than English",
        ..Rule::BASE
    },
    Rule {
        id: "SR303",
        severity: Severity::Error,
        title: "unknown flag is not refused",
        what: "Called with --skill-lint-no-such-flag, the program does not leave with 2.",
        hint: "refuse unknown flags with exit 2 before doing anything",
        source: "SRP",
        false_positives: "programs that pass all arguments on to another one",
        ..Rule::BASE
    },
    Rule {
        id: "SR304",
        severity: Severity::Warn,
        title: "-h is not --help",
        what: "--help leaves with 0 and -h does not.",
        hint: "accept -h like --help",
        source: "SRP",
        false_positives: "tools in which -h has another meaning",
        ..Rule::BASE
    },
    Rule {
        id: "SR305",
        severity: Severity::Error,
        title: "usage error on stdout",
        what: "The program fails on an unknown flag and writes something else than one JSON document with `error` to stdout.",
        hint: "write messages to stderr; with JSON output, one document {\"error\": …}",
        source: "SRP",
        ..Rule::BASE
    },
    Rule {
        id: "SR306",
        severity: Severity::Error,
        title: "sample breaks the output contract",
        what: "A declared sample does not write exactly one JSON document to stdout, the document is neither {data, meta} with a \
               schema nor {error} with code and message, an error comes with exit 0, meta.count is not the length of data, or \
               data is null. Also a sample that leaves with an exit code its contract does not list.",
        hint: "run the sample by hand in a copy of the skill and compare its output with the protocol",
        source: "SRP",
        false_positives: "samples that need the network or an optional tool",
        ..Rule::BASE
    },
    Rule {
        id: "SR307",
        severity: Severity::Warn,
        title: "escape sequences without a terminal",
        what: "Any of the calls writes terminal escape sequences to stdout, which is a pipe, with NO_COLOR and TERM=dumb set.",
        hint: "use colour only when stdout is a terminal",
        source: "SRP",
        ..Rule::BASE
    },
    Rule {
        id: "SR308",
        severity: Severity::Error,
        title: "--help leaves files behind",
        what: "After --help a file, link or pipe lies in the working directory or in HOME, both of which were empty.",
        hint: "parse arguments first; create nothing before",
        source: "OWN",
        false_positives: "caches that an interpreter keeps for itself",
        ..Rule::BASE
    },
    Rule {
        id: "SR309",
        severity: Severity::Error,
        title: "no answer in time",
        what: "A call did not end within the limit (5 seconds, `timeout_s`) and was killed. Its input is empty, so waiting for \
               input is no reason.",
        hint: "answer flags before slow work; read stdin only when asked to",
        source: "OWN",
        false_positives: "a machine under heavy load",
        ..Rule::BASE
    },
    Rule {
        id: "SR311",
        severity: Severity::Warn,
        title: "contract and help disagree",
        what: "A flag or an exit code is in the contract file and not in the text of --help, or the other way round. Flags of the \
               help are those of option lines and the usage; flags of subcommands need not be in the help of the program.",
        hint: "generate the contract file again from the argument parser",
        source: "OWN",
        false_positives: "a help text that writes its options in an unusual way",
        ..Rule::BASE
    },
    Rule {
        id: "SR312",
        severity: Severity::Info,
        title: "version in another form",
        what: "--version of a compiled helper, or of its launcher, does not begin with `<name> <semantic version>`.",
        hint: "print the name, a blank and the version",
        source: "OWN",
        ..Rule::BASE
    },
    Rule {
        id: "SR313",
        severity: Severity::Warn,
        title: "help needs an optional dependency",
        what: "--help fails on an import or on a tool that is not installed.",
        hint: "parse arguments first, import later",
        source: "SRP",
        false_positives: "a dependency that the sandbox hides, such as packages in the user's home",
        ..Rule::BASE
    },
];
