//! `skill-lint.toml`, read strictly: an unknown key, a wrong type or an unknown rule is an error with line and column.

use std::collections::BTreeMap;
use std::num::NonZeroU64;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use aris_skills::text::Text;
use clap::ValueEnum;
use ignore::gitignore::GitignoreBuilder;
use serde::{Deserialize, Deserializer};
use serde_spanned::Spanned;
use toml_edit::Datetime;

use super::{Allow, Config, FailOn, Level};
use crate::catalogue::{self, Severity};

/// Name of the configuration file.
pub const NAME: &str = "skill-lint.toml";

/// Largest configuration that is read.
const LIMIT: u64 = 1 << 20;

/// The configuration for a tree: in its root or above it, up to the top of the git work tree. Outside one only the root is
/// looked at.
pub fn search(root: &Path, top: Option<&Path>) -> Option<PathBuf> {
    let stop = top.unwrap_or(root);
    root.ancestors()
        .take_while(|folder| folder.starts_with(stop))
        .map(|folder| folder.join(NAME))
        // Whatever bears the name is read, and a FIFO or a dangling link is an error then.
        .find(|file| file.symlink_metadata().is_ok())
}

/// Reads a configuration into `config`, which the command line then overrides.
pub fn read(path: &Path, config: &mut Config) -> Result<(), crate::Error> {
    let bytes = aris_fs::read(path, LIMIT)?;
    let text = Text::new(&bytes);
    config.file = Some(path.to_path_buf());
    let fault = |at: usize, message: String| {
        let (line, col) = text.place(at);
        crate::Error::Config {
            path: path.to_path_buf(),
            line,
            col,
            message,
        }
    };
    let file: File = toml_edit::de::from_str(text.raw()).map_err(|error| {
        let message = error.message().split_whitespace().collect::<Vec<_>>();
        fault(error.span().map_or(0, |span| span.start), message.join(" "))
    })?;
    let parse = |text: Spanned<String>, check: fn(&str) -> Result<String, String>| {
        check(text.as_ref()).map_err(|message| fault(text.span().start, message))
    };
    if let Some(profile) = file.profile {
        let parsed = profile.as_ref().parse();
        config.profile = parsed.map_err(|message| fault(profile.span().start, message))?;
    }
    if let Some(fail_on) = file.fail_on {
        let parsed = fail_on.as_ref().parse();
        config.fail_on = parsed.map_err(|message| fault(fail_on.span().start, message))?;
    }
    let exclude = file.exclude.into_iter().map(|one| parse(one, pattern));
    config.exclude = exclude.collect::<Result<_, _>>()?;
    config.extra_keys = file.frontmatter.extra_keys;
    let dirs = file.shared.dirs.into_iter().map(|one| parse(one, folder));
    config.shared_dirs = dirs.collect::<Result<_, _>>()?;
    config.contract = file.integration.contract;
    if let Some(tools) = file.integration.developer_tools {
        config.developer_tools = tools;
    }
    config.timeout_s = (file.run.timeout_s).map_or(config.timeout_s, NonZeroU64::get);
    for (id, settings) in file.rules {
        let rule = catalogue::find(id.as_ref())
            .ok_or_else(|| fault(id.span().start, catalogue::unknown(id.as_ref())))?;
        let entry = config.rules.entry(rule.id).or_default();
        for (key, value) in settings {
            let at = value.span().start;
            match (key.as_ref().as_str(), value.into_inner()) {
                ("severity", Setting::Word(word)) => {
                    entry.level = Some(word.parse().map_err(|message| fault(at, message))?);
                }
                (limit, Setting::Number(number)) if rule.limits.contains_key(limit) => {
                    entry.limits.insert(limit.to_owned(), number);
                }
                (limit, _) if rule.limits.contains_key(limit) => {
                    return Err(fault(at, String::from("expected a whole number from 0 on")));
                }
                ("severity", _) => return Err(fault(at, String::from("expected a string"))),
                (other, _) => {
                    return Err(fault(key.span().start, format!("unknown key `{other}`")));
                }
            }
        }
    }
    for entry in file.allow {
        let line = text.place(entry.span().start).0;
        let entry = entry.into_inner();
        config.allow.push(Allow {
            line,
            rule: parse(entry.rule, rule_name)?,
            path: parse(entry.path, pattern)?,
            until: entry.until.map(|until| until.0),
            reason: entry.reason.trim().to_owned(),
        });
    }
    Ok(())
}

/// The file, key by key.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct File {
    profile: Option<Spanned<String>>,
    fail_on: Option<Spanned<String>>,
    exclude: Vec<Spanned<String>>,
    rules: BTreeMap<Spanned<String>, BTreeMap<Spanned<String>, Spanned<Setting>>>,
    frontmatter: Frontmatter,
    shared: Shared,
    integration: Integration,
    run: Run,
    allow: Vec<Spanned<AllowEntry>>,
}

#[derive(Deserialize)]
#[serde(untagged, expecting = "expected a string or a whole number from 0 on")]
enum Setting {
    Number(u64),
    Word(String),
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Frontmatter {
    extra_keys: Vec<String>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Shared {
    dirs: Vec<Spanned<String>>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Integration {
    contract: Option<String>,
    developer_tools: Option<Vec<String>>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Run {
    timeout_s: Option<NonZeroU64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AllowEntry {
    rule: Spanned<String>,
    path: Spanned<String>,
    #[serde(default)]
    reason: String,
    until: Option<Until>,
}

/// A pattern as in a `.gitignore`.
fn pattern(text: &str) -> Result<String, String> {
    let mut builder = GitignoreBuilder::new("");
    let tried = builder.add_line(None, text).map(|_| text.to_owned());
    tried.map_err(|error| format!("not a pattern: {error}"))
}

/// A folder relative to the root, without `./` in front and `/` behind.
fn folder(text: &str) -> Result<String, String> {
    aris_skills::names::resolve("", text)
        .filter(|_| !text.starts_with('/'))
        .ok_or_else(|| String::from("expected a folder below the root"))
}

/// Id or prefix of a rule.
fn rule_name(text: &str) -> Result<String, String> {
    if catalogue::is_known(text) {
        Ok(text.to_owned())
    } else {
        Err(catalogue::unknown(text))
    }
}

/// A day, as a string or as TOML's own.
struct Until(jiff::civil::Date);

impl<'de> Deserialize<'de> for Until {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged, expecting = "expected a date like \"2027-06-30\"")]
        enum Either {
            Text(String),
            Date(Datetime),
        }
        let text = match Either::deserialize(from)? {
            Either::Text(text) => text,
            Either::Date(date) => date.to_string(),
        };
        let wrong = |_error| serde::de::Error::custom("expected a date like \"2027-06-30\"");
        text.parse().map(Self).map_err(wrong)
    }
}

impl FromStr for FailOn {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        severity(text, "never").map(|severity| severity.map_or(Self::Never, Self::At))
    }
}

impl FromStr for Level {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        severity(text, "off").map(|severity| severity.map_or(Self::Off, Self::On))
    }
}

/// The severity of a word, or `none`.
fn severity(text: &str, none: &str) -> Result<Option<Severity>, String> {
    let severity = <Severity as ValueEnum>::from_str(text, false).ok();
    if severity.is_none() && text != none {
        return Err(format!("`{text}` is none of error, warn, info, {none}"));
    }
    Ok(severity)
}
