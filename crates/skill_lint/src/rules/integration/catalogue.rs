//! The table of this family.

use crate::catalogue::{Certainty, Rule, Severity};
use crate::profile::Profile;

/// The rules of this family.
pub const RULES: &[Rule] = &[
    Rule {
        id: "SR501",
        severity: Severity::Error,
        title: "helper called by a repository path",
        what: "A shell fence calls a helper as `python3 tools/x.py` or `bash skills/name/scripts/x.sh`. The path exists only in the \
               repository that ships the helper; in a project that uses the skill the call fails, often unnoticed. Lines that are \
               comments, print with echo or carry ❌ are passed over, and so are utilities for developers.",
        hint: "find the helper with a resolver block, or call it below `${CLAUDE_SKILL_DIR}`",
        source: "INT PEER",
        false_positives: "repositories whose skills are only ever used from their own root",
        ..Rule::BASE
    },
    Rule {
        id: "SR502",
        severity: Severity::Error,
        title: "resolver block is no accepted template",
        what: "A line `VAR=\".aris/tools/…\"` begins a block that finds a helper. The four lines of its chain must be those of the \
               template, and the template's first four lines must stand before them in the same fence. A block that was copied and \
               changed by hand finds the helper in some projects and not in others.",
        hint: "let --fix write the generated block",
        source: "INT",
        fixable: true,
        ..Rule::BASE
    },
    Rule {
        id: "SR503",
        severity: Severity::Error,
        title: "helper without a policy",
        what: "A SKILL.md finds a helper that has no row in the policy table, so nobody decided what happens when it is missing.",
        hint: "add the row to the policy table in the same commit",
        source: "INT",
        ..Rule::BASE
    },
    Rule {
        id: "SR504",
        severity: Severity::Error,
        title: "unknown policy",
        what: "The policy of a row does not start with A, B, C, D1, D2 or E.",
        hint: "begin the cell with one of A, B, C, D1, D2, E",
        source: "INT",
        ..Rule::BASE
    },
    Rule {
        id: "SR505",
        certainty: Certainty::Heuristic,
        title: "code does not fit the policy",
        what: "The shell after a resolver block does not do what the helper's policy says: a gate (A) leaves with a code other than 0, \
               side effects (B) and diagnostics (E) warn and go on, a forensic record (C) is written by hand, a cascade (D1) tries the \
               next source, an aggregate (D2) records what failed. A fence that ends with the block is not judged: prose decides there.",
        hint: "write the handling that the policy asks for after the block",
        source: "INT",
        false_positives: "handling in prose or in another fence",
        ..Rule::BASE
    },
    Rule {
        id: "SR506",
        severity: Severity::Error,
        title: "integration with an empty part",
        what: "A row of the integration table has nothing under Predicate, Helper, Artifact, Checklist, Backfill or Verifier: the cell \
               is empty, dashes, n/a, none, TBD or TODO. A reason, as in `n/a (one step)`, is content.",
        hint: "fill the cell, or give the reason why there is nothing",
        source: "INT",
        ..Rule::BASE
    },
    Rule {
        id: "SR507",
        severity: Severity::Error,
        title: "helper does not exist",
        what: "A helper that the policy table names, that a block looks for, or that `.aris/tools/…` calls, is in no folder called \
               tools or scripts of the tree and in no table of helpers.",
        hint: "correct the name, or add the helper",
        source: "INT",
        false_positives: "helpers of another repository",
        ..Rule::BASE
    },
    Rule {
        id: "SR508",
        title: "promise without a mechanism",
        what: "Prose that describes an integration nothing guarantees: optional and automatic at once, a skill that decides \
               intelligently, lines to be copied into each caller, evidence that one can see from the logs, users who should remember, \
               a model trusted to report on itself, or a condition on what the user seems to want. Not under headings that show what \
               to avoid, nor on lines with ❌.",
        hint: "name a condition that a program can test, one helper, the file it leaves, a way to catch up, and a verifier",
        source: "INT",
        false_positives: "quotations",
        ..Rule::BASE
    },
    Rule {
        id: "SR509",
        title: "same lines in three skills",
        what: "Three consecutive lines of prose stand in the SKILL.md of three or more skills of different directory names. White \
               space counts as one blank; blank lines, headings, code, table rules and lines under 20 characters break a run.",
        hint: "move the text to one place that the skills name",
        source: "INT",
        false_positives: "licence notes",
        ..Rule::BASE
    },
    Rule {
        id: "SR510",
        title: "phases without a checklist",
        what: "A SKILL.md has three or more headings `Phase N` and a resolver block, but no checkbox `[ ]` that makes the steps visible.",
        hint: "put a checklist with `[ ]` in front of the phases",
        source: "INT",
        ..Rule::BASE
    },
    Rule {
        id: "SR511",
        certainty: Certainty::Heuristic,
        title: "order without a receipt",
        what: "A paragraph says that another skill or helper MUST be invoked, run or called, and names no file in backticks by which \
               one could see that it happened.",
        hint: "name the file that the call leaves",
        source: "INT",
        false_positives: "prose whose next paragraph names the file",
        ..Rule::BASE
    },
    Rule {
        id: "SR512",
        severity: Severity::Error,
        title: "skill directory read as a shell variable",
        what: "A fence uses `$CLAUDE_SKILL_DIR` or `${CLAUDE_SKILL_DIR:…}` and not the exact `${CLAUDE_SKILL_DIR}`. Claude Code replaces \
               only the exact text when it renders the skill and sets no variable of that name, so the shell reads nothing.",
        hint: "let --fix put the exact form in single quotes and use what it holds",
        source: "CC",
        false_positives: "hosts that do set the variable",
        fixable: true,
        ..Rule::BASE
    },
    Rule {
        id: "SR513",
        title: "unknown Claude Code variable",
        what: "`${CLAUDE_…}` with another name than SESSION_ID, EFFORT, SKILL_DIR, PROJECT_DIR, PLUGIN_ROOT or PLUGIN_DATA stays as it is.",
        hint: "use one of the six, or a plain shell variable",
        source: "CC",
        false_positives: "variables of newer versions, and environment variables that a shell reads",
        ..Rule::BASE
    },
    Rule {
        id: "SR514",
        title: "resolver variable says nothing or two things",
        what: "The variable of a resolver is called HELPER, or one variable holds two helpers in a SKILL.md.",
        hint: "give each helper a variable named after it",
        source: "INT",
        ..Rule::BASE
    },
    Rule {
        id: "SR515",
        severity: Severity::Error,
        title: "argument placeholder in code",
        what: "A fence of SKILL.md has `$` and one digit. Claude Code replaces it by the skill's arguments before the model sees the \
               text, so `awk '{print $2}'` breaks as soon as the user passes enough words. Not in ```! blocks.",
        hint: "use cut, sed or a script file; write `\\$1` only where no other host reads the text",
        source: "CC",
        false_positives: "placeholders that are meant",
        in_profile: &[(Profile::Recommended, Severity::Warn)],
        ..Rule::BASE
    },
    Rule {
        id: "SR516",
        severity: Severity::Info,
        certainty: Certainty::Heuristic,
        title: "repository path in inline code",
        what: "Inline code calls a helper by a path of the repository, as SR501 finds it in fences.",
        hint: "name the helper without its folder",
        source: "INT",
        false_positives: "counter-examples",
        ..Rule::BASE
    },
    Rule {
        id: "SR517",
        severity: Severity::Info,
        title: "policy for a helper nobody uses",
        what: "No SKILL.md finds or names the helper of a row of the policy table.",
        hint: "delete the row",
        source: "INT",
        false_positives: "helpers that workflows use",
        ..Rule::BASE
    },
    Rule {
        id: "SR518",
        severity: Severity::Error,
        title: "generated block was changed",
        what: "What stands between the markers of a resolver block is not what is generated for the variable and the helper that the \
               first marker names, or a marker is missing or malformed.",
        hint: "let --fix write the block anew",
        source: "OWN",
        fixable: true,
        ..Rule::BASE
    },
];
