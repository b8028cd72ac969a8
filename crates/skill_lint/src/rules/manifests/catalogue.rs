//! The table of this family.

use crate::catalogue::{Rule, Severity};

/// The rules of this family.
pub const RULES: &[Rule] = &[
    Rule {
        id: "SR601",
        severity: Severity::Error,
        title: "plugin manifest is no JSON object",
        what: "`.claude-plugin/plugin.json` cannot be read as JSON, or holds something other than an object. The plugin does not load.",
        hint: "correct the JSON at the place named",
        source: "CC",
        ..Rule::BASE
    },
    Rule {
        id: "SR602",
        severity: Severity::Error,
        title: "plugin without a usable name",
        what: "The manifest's `name` is absent, blank, no string, or has white space. A name that is not kebab-case is a warning.",
        hint: "name the plugin in lower case with hyphens",
        source: "CC",
        ..Rule::BASE
    },
    Rule {
        id: "SR603",
        severity: Severity::Error,
        title: "manifest field of the wrong type",
        what: "A field that the host knows has a type that it refuses, for instance `keywords` as a string or `author` as a name. The \
               plugin does not load. Fields that the host does not know are ignored there, and here.",
        hint: "give the field the type that the message names",
        source: "CC",
        false_positives: "fields whose type a newer host changed",
        ..Rule::BASE
    },
    Rule {
        id: "SR604",
        severity: Severity::Error,
        title: "component path that leads nowhere",
        what: "A path of commands, agents, hooks, servers, output styles, themes or monitors does not start with `./`, leaves the \
               plugin, or names nothing. Paths of skills are SR607.",
        hint: "write the path relative to the plugin's folder, with `./` in front",
        source: "CC",
        false_positives: "files that a build makes",
        ..Rule::BASE
    },
    Rule {
        id: "SR605",
        severity: Severity::Error,
        title: "marketplace without name, owner or plugins",
        what: "`.claude-plugin/marketplace.json` is not an object with a string `name`, an object `owner` with a string `name`, and an \
               array `plugins`.",
        hint: "add what is missing",
        source: "CC",
        ..Rule::BASE
    },
    Rule {
        id: "SR606",
        severity: Severity::Error,
        title: "plugin entry that cannot be installed",
        what: "An entry of a marketplace has no string `name` or no source, shares its name with another entry, or has a path as source \
               that contains `..`, does not start with `./`, or names no directory. Under `metadata.pluginRoot` a bare name is a path.",
        hint: "give the entry a name of its own and the plugin's folder as `./path`",
        source: "CC",
        ..Rule::BASE
    },
    Rule {
        id: "SR607",
        severity: Severity::Error,
        title: "skills path without a skill",
        what: "A path under `skills` of a manifest, or of an entry whose plugin lies in the tree, does not start with `./`, leaves the \
               plugin, or holds neither a SKILL.md nor a directory with one.",
        hint: "name the skill's folder, or the folder that holds skills, with `./` in front",
        source: "CC",
        ..Rule::BASE
    },
    Rule {
        id: "SR608",
        title: "two versions of one plugin",
        what: "The version in a marketplace's entry and the version in the plugin's manifest differ. The manifest's counts.",
        hint: "make both versions the same, or leave one out",
        source: "CC",
        ..Rule::BASE
    },
    Rule {
        id: "SR609",
        title: "component in the manifest folder",
        what: "Skills, hooks, agents or other components lie in `.claude-plugin/` or `.codex-plugin/`, where hosts look only for manifests.",
        hint: "move it to the plugin's folder",
        source: "CC CDX",
        ..Rule::BASE
    },
    Rule {
        id: "SR610",
        severity: Severity::Error,
        title: "marketplace file in the wrong folder",
        what: "`marketplace.json` lies at the root of the tree, where no host looks for it.",
        hint: "move it to .claude-plugin/marketplace.json",
        source: "CC",
        false_positives: "another tool's file of that name",
        fixable: true,
        ..Rule::BASE
    },
    Rule {
        id: "SR611",
        severity: Severity::Error,
        title: "hook that cannot run",
        what: "`hooks/hooks.json` of a plugin is not JSON, or a command names a file below `${CLAUDE_PLUGIN_ROOT}` that does not exist, \
               leaves the plugin, or is run without an interpreter and is not executable.",
        hint: "correct the path, or put the interpreter in front",
        source: "CC",
        false_positives: "files that an earlier hook makes",
        ..Rule::BASE
    },
    Rule {
        id: "SR612",
        title: "reserved marketplace name",
        what: "The marketplace has a name that the host accepts only from its maker's own repositories.",
        hint: "choose another name",
        source: "CC",
        false_positives: "those repositories themselves",
        ..Rule::BASE
    },
    Rule {
        id: "SR613",
        severity: Severity::Info,
        title: "skill in no plugin",
        what: "A marketplace lists plugins of its own tree, and none of them reaches this skill.",
        hint: "add the skill's folder to a plugin",
        source: "OWN",
        false_positives: "skills for internal use",
        ..Rule::BASE
    },
    Rule {
        id: "SR614",
        title: "Codex metadata that is ignored",
        what: "`agents/openai.yaml` is not YAML, a field has the wrong type or too many characters, an icon is not a relative path under \
               `assets/`, or the colour is not `#RRGGBB`. Codex drops the field or the file without a word.",
        hint: "correct the field at the place named",
        source: "CDX",
        ..Rule::BASE
    },
];
