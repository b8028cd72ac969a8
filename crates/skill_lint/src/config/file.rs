//! `skill-lint.toml`, read strictly: an unknown key, a wrong type or an unknown rule is an error with line and column.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use aris_skills::text::Text;
use clap::ValueEnum;
use ignore::gitignore::GitignoreBuilder;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use serde_spanned::Spanned;
use toml_edit::Datetime;

use super::{Allow, Config, FailOn, Level, Setting};
use crate::catalogue::{self, Severity};

/// Name of the configuration file.
pub const NAME: &str = "skill-lint.toml";

/// Largest configuration file that is read, in bytes.
const LIMIT: u64 = 1 << 20;

/// Searches the configuration for a tree: in its root and above it, up to the top of the git work tree. Outside a work tree
/// only the root is searched.
pub fn search(root: &Path, top: Option<&Path>) -> Option<PathBuf> {
    let stop = top.unwrap_or(root);
    root.ancestors()
        .take_while(|folder| folder.starts_with(stop))
        .map(|folder| folder.join(NAME))
        // A FIFO or a dangling link of this name counts too; reading it then fails with a clear error.
        .find(|file| file.symlink_metadata().is_ok())
}

/// Reads a configuration. The command line overrides it later.
pub fn read(path: &Path) -> Result<Config, crate::Error> {
    let bytes = aris_fs::read(path, LIMIT)?;
    let text = Text::new(&bytes);
    let fault = |at: usize, message: String| {
        let (line, col) = text.place(at);
        crate::Error::Config {
            path: path.to_path_buf(),
            line,
            col,
            message,
        }
    };
    let mut config: Config = toml_edit::de::from_str(text.raw()).map_err(|error| {
        let message = error.message().split_whitespace().collect::<Vec<_>>();
        fault(error.span().map_or(0, |span| span.start), message.join(" "))
    })?;
    config.file = Some(path.to_path_buf());
    for one in &config.exclude {
        is_pattern(one.get_ref()).map_err(|message| fault(one.span().start, message))?;
    }
    for one in &mut config.shared.dirs {
        let folder = folder(one.get_ref()).map_err(|message| fault(one.span().start, message))?;
        *one.get_mut() = folder;
    }
    for (id, settings) in &config.rules {
        let rule = catalogue::find(id.get_ref())
            .ok_or_else(|| fault(id.span().start, catalogue::unknown(id.get_ref())))?;
        for (key, value) in settings {
            let is_limit = rule.limits.contains_key(key.get_ref());
            let wrong = match (key.get_ref().as_str(), value.get_ref()) {
                ("severity", Setting::Word(word)) => word.parse::<Level>().err(),
                ("severity", _) => Some(String::from("expected a string")),
                (_, Setting::Number(_)) if is_limit => None,
                _ if is_limit => Some(String::from("expected a whole number from 0 on")),
                (other, _) => {
                    return Err(fault(key.span().start, format!("unknown key `{other}`")));
                }
            };
            if let Some(message) = wrong {
                return Err(fault(value.span().start, message));
            }
        }
    }
    for allow in &mut config.allow {
        allow.line = text.place(allow.line).0;
        allow.reason = allow.reason.trim().to_owned();
    }
    Ok(config)
}

/// Deserializes a word with the type's `FromStr`.
pub(super) fn parsed<'de, T: FromStr<Err = String>, D: Deserializer<'de>>(
    from: D,
) -> Result<T, D::Error> {
    String::deserialize(from)?.parse().map_err(D::Error::custom)
}

/// Entries `[[allow]]`. `line` holds the byte offset in the file for now.
pub(super) fn allowed<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Allow>, D::Error> {
    let entries = Vec::<Spanned<Allow>>::deserialize(from)?.into_iter();
    Ok(entries
        .map(|entry| Allow {
            line: entry.span().start,
            ..entry.into_inner()
        })
        .collect())
}

/// A pattern in `.gitignore` syntax.
pub(super) fn pattern<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    let text = String::deserialize(from)?;
    is_pattern(&text).map_err(D::Error::custom)?;
    Ok(text)
}

fn is_pattern(text: &str) -> Result<(), String> {
    let mut builder = GitignoreBuilder::new("");
    let tried = builder.add_line(None, text).map(|_| ());
    tried.map_err(|error| format!("not a pattern: {error}"))
}

/// A folder relative to the root, without a leading `./` or a trailing `/`.
fn folder(text: &str) -> Result<String, String> {
    aris_skills::names::resolve("", text)
        .filter(|_| !text.starts_with('/'))
        .ok_or_else(|| String::from("expected a folder below the root"))
}

/// A rule's id or a prefix of one.
pub(super) fn rule_name<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    let text = String::deserialize(from)?;
    if catalogue::is_known(&text) {
        Ok(text)
    } else {
        Err(D::Error::custom(catalogue::unknown(&text)))
    }
}

/// A date, as a string or as a TOML date.
pub(super) fn day<'de, D: Deserializer<'de>>(
    from: D,
) -> Result<Option<jiff::civil::Date>, D::Error> {
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
    let wrong = |_error| D::Error::custom("expected a date like \"2027-06-30\"");
    text.parse().map(Some).map_err(wrong)
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

/// Parses a severity; the word `none` gives `None`.
fn severity(text: &str, none: &str) -> Result<Option<Severity>, String> {
    let severity = <Severity as ValueEnum>::from_str(text, false).ok();
    if severity.is_none() && text != none {
        return Err(format!("`{text}` is none of error, warn, info, {none}"));
    }
    Ok(severity)
}
