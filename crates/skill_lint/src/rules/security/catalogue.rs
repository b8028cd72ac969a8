//! What the rules SR401 to SR412 say about themselves.

use crate::catalogue::{Certainty, Limit, Rule, Severity};

/// The rules of this family.
pub const RULES: &[Rule] = &[
    Rule {
        id: "SR401",
        severity: Severity::Error,
        title: "shell runs a computed command (Python)",
        what: "A Python call with `shell=True` whose command is no literal. A literal is a text without substitutions, also such texts joined by `+`, in a list, or chosen by a condition.",
        hint: "give a list of arguments, without shell=True",
        source: "SRP",
        false_positives: "trusted constants in variables",
        ..Rule::BASE
    },
    Rule {
        id: "SR402",
        severity: Severity::Info,
        title: "shell where none is needed (Python)",
        what: "A Python call with `shell=True`, or of os.system, os.popen, subprocess.getoutput or getstatusoutput, with a literal command.",
        hint: "give a list of arguments to subprocess.run",
        source: "SRP",
        ..Rule::BASE
    },
    Rule {
        id: "SR403",
        severity: Severity::Error,
        title: "shell runs a computed command",
        what: "os.system, os.popen, subprocess.getoutput or getstatusoutput with a command that is no literal; `exec` or `execSync` of Node's child_process with a template, a concatenation or a bare variable.",
        hint: "use execFile, or a list of arguments",
        source: "SRP",
        ..Rule::BASE
    },
    Rule {
        id: "SR404",
        severity: Severity::Error,
        title: "text is run as code",
        what: "`eval` or `exec` of a value in Python, `eval` with an expansion in a shell, `eval(` or `new Function(` in JavaScript, Invoke-Expression in PowerShell.",
        hint: "parse the text instead of running it",
        source: "SRP",
        false_positives: "`eval \"$(tool shellenv)\"`",
        ..Rule::BASE
    },
    Rule {
        id: "SR405",
        severity: Severity::Error,
        title: "download is run unseen",
        what: "curl or wget piped into a shell that reads its program from the pipe, or Invoke-Expression of a download; in scripts, and in fences of instruction files, where it is a warning at most.",
        hint: "download to a file, check its digest, then run it",
        source: "OWN",
        false_positives: "official installers quoted in prose",
        ..Rule::BASE
    },
    Rule {
        id: "SR406",
        severity: Severity::Error,
        title: "secret in a file",
        what: "A token in the form of a known service, or a private key with its data. Placeholders are passed over.",
        hint: "revoke it, and read it from the environment",
        source: "PEER",
        false_positives: "samples for secret scanners",
        limits: &[Limit {
            key: "max_bytes",
            default: 1_000_000,
        }],
        ..Rule::BASE
    },
    Rule {
        id: "SR407",
        certainty: Certainty::Heuristic,
        title: "rm -rf on a variable",
        what: "`rm -rf` on a bare variable, or on a path that begins with one, without `${VAR:?}`: an empty variable removes something else. A variable whose value in the same script is never empty is passed over.",
        hint: "write ${VAR:?}, or check the path first",
        source: "SRP",
        false_positives: "variables that are checked before",
        ..Rule::BASE
    },
    Rule {
        id: "SR408",
        severity: Severity::Info,
        title: "allowed-tools grants all of Bash",
        what: "The skill may run any command without a question: `Bash`, `Bash(*)` or `Bash(:*)` in allowed-tools.",
        hint: "name the commands: Bash(git status *)",
        source: "CC",
        false_positives: "skills that are whole workflows",
        ..Rule::BASE
    },
    Rule {
        id: "SR409",
        severity: Severity::Error,
        title: "hidden character",
        what: "A character that nobody sees and that changes what is read: direction controls, tag characters outside flags, zero-width space, word joiner, Mongolian vowel separator.",
        hint: "remove it, or write it as an escape",
        source: "PEER",
        false_positives: "a zero-width space that breaks a fence in an example",
        limits: &[Limit {
            key: "max_bytes",
            default: 1_000_000,
        }],
        ..Rule::BASE
    },
    Rule {
        id: "SR410",
        title: "arguments in a command that runs on loading",
        what: "A command that the host runs when it loads the skill holds `$ARGUMENTS` or `$` and a digit, so the user's words become shell code. Without them it is advice only.",
        hint: "pass the arguments to a script that checks them",
        source: "CC",
        ..Rule::BASE
    },
    Rule {
        id: "SR411",
        certainty: Certainty::Heuristic,
        title: "protection switched off",
        what: "Certificates that are not checked, chmod 777, yaml.load without a loader, pickle.load.",
        hint: "leave the protection on",
        source: "SRP",
        false_positives: "test servers on the same machine; files that the tool wrote itself",
        ..Rule::BASE
    },
    Rule {
        id: "SR412",
        severity: Severity::Info,
        certainty: Certainty::Heuristic,
        title: "opaque data in instructions",
        what: "A long run of base64 or hexadecimal digits that looks random, in a file that a model reads.",
        hint: "say what it is, or move it to assets/",
        source: "PEER",
        false_positives: "long digests and keys",
        ..Rule::BASE
    },
];
