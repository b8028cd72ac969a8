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
use crate::profile::Profile;

/// Name of the configuration file.
pub const NAME: &str = "skill-lint.toml";

/// Largest configuration that is read.
const LIMIT: u64 = 1 << 20;

/// What is wrong in a configuration.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}:{line}:{col}: {message}", path.display())]
pub struct ConfigFault {
    /// The file.
    pub path: PathBuf,
    /// Line from 1.
    pub line: usize,
    /// Column from 1.
    pub col: usize,
    /// What is wrong.
    pub message: String,
}

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
        crate::Error::Config(ConfigFault {
            path: path.to_path_buf(),
            line,
            col,
            message,
        })
    };
    let file: File = toml_edit::de::from_str(text.raw()).map_err(|error| {
        let message = error.message().split_whitespace().collect::<Vec<_>>();
        fault(error.span().map_or(0, |span| span.start), message.join(" "))
    })?;
    config.profile = file
        .profile
        .map_or(config.profile, |Parsed(profile)| profile);
    config.fail_on = file
        .fail_on
        .map_or(config.fail_on, |Parsed(fail_on)| fail_on);
    config.exclude = file.exclude.into_iter().map(|Parsed(one)| one.0).collect();
    config.extra_keys = file.frontmatter.extra_keys;
    let dirs = file.shared.dirs.into_iter();
    config.shared_dirs = dirs.map(|Parsed(folder)| folder.0).collect();
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
    let allow = |entry: Spanned<AllowEntry>| Allow {
        line: text.place(entry.span().start).0,
        rule: entry.as_ref().rule.0.0.clone(),
        path: entry.as_ref().path.0.0.clone(),
        until: entry.as_ref().until.as_ref().map(|until| until.0),
        reason: entry.into_inner().reason.trim().to_owned(),
    };
    config.allow = file.allow.into_iter().map(allow).collect();
    Ok(())
}

/// The file, key by key.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct File {
    profile: Option<Parsed<Profile>>,
    fail_on: Option<Parsed<FailOn>>,
    exclude: Vec<Parsed<Pattern>>,
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
    dirs: Vec<Parsed<Folder>>,
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
    rule: Parsed<RuleName>,
    path: Parsed<Pattern>,
    #[serde(default)]
    reason: String,
    until: Option<Until>,
}

/// What a string stands for.
struct Parsed<T>(T);

impl<'de, T: FromStr<Err = String>> Deserialize<'de> for Parsed<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = String::deserialize(from)?;
        text.parse().map(Self).map_err(serde::de::Error::custom)
    }
}

/// A pattern as in a `.gitignore`.
struct Pattern(String);

impl FromStr for Pattern {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut builder = GitignoreBuilder::new("");
        let tried = builder.add_line(None, text).map(|_| Self(text.to_owned()));
        tried.map_err(|error| format!("not a pattern: {error}"))
    }
}

/// A folder relative to the root, without `./` in front and `/` behind.
struct Folder(String);

impl FromStr for Folder {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        aris_skills::names::resolve("", text)
            .filter(|_| !text.starts_with('/'))
            .map(Self)
            .ok_or_else(|| String::from("expected a folder below the root"))
    }
}

/// Id or prefix of a rule.
struct RuleName(String);

impl FromStr for RuleName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if catalogue::is_known(text) {
            Ok(Self(text.to_owned()))
        } else {
            Err(catalogue::unknown(text))
        }
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
