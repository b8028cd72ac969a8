//! `skill-lint.toml`, read strictly: an unknown key, a wrong type or an unknown rule is an error with line and column.

use std::path::{Path, PathBuf};

use aris_skills::text::Text;
use ignore::gitignore::GitignoreBuilder;
use toml_edit::{Document, Item, TableLike};

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
    let reader = Reader { path, text: &text };
    config.file = Some(path.to_path_buf());
    reader.file(config).map_err(crate::Error::Config)
}

type Read<T> = Result<T, ConfigFault>;

/// A key of a table and what to do with its value.
type Key<'k> = (&'k str, &'k mut dyn FnMut(&Item) -> Read<()>);

struct Reader<'a> {
    path: &'a Path,
    text: &'a Text,
}

impl Reader<'_> {
    fn fault(&self, at: Option<std::ops::Range<usize>>, message: impl Into<String>) -> ConfigFault {
        let (line, col) = self.text.place(at.map_or(0, |range| range.start));
        ConfigFault {
            path: self.path.to_path_buf(),
            line,
            col,
            message: message.into(),
        }
    }

    fn file(&self, config: &mut Config) -> Read<()> {
        let document = Document::parse(self.text.raw())
            .map_err(|error| self.fault(error.span(), one_line(error.message())))?;
        for (key, item) in document.iter() {
            match key {
                "profile" => config.profile = self.parsed(item, str::parse::<Profile>)?,
                "fail_on" => config.fail_on = self.parsed(item, str::parse::<FailOn>)?,
                "exclude" => config.exclude = self.patterns(item)?,
                "rules" => self.rules(item, config)?,
                "frontmatter" => self.only(
                    item,
                    &mut [("extra_keys", &mut |item| {
                        config.extra_keys = self.strings(item)?;
                        Ok(())
                    })],
                )?,
                "shared" => self.only(
                    item,
                    &mut [("dirs", &mut |item| {
                        config.shared_dirs = self.folders(item)?;
                        Ok(())
                    })],
                )?,
                "integration" => {
                    let (mut contract, mut tools) = (None, None);
                    self.only(
                        item,
                        &mut [
                            ("contract", &mut |item| {
                                contract = Some(self.string(item)?);
                                Ok(())
                            }),
                            ("developer_tools", &mut |item| {
                                tools = Some(self.strings(item)?);
                                Ok(())
                            }),
                        ],
                    )?;
                    config.contract = contract;
                    config.developer_tools =
                        tools.unwrap_or(std::mem::take(&mut config.developer_tools));
                }
                "run" => self.only(
                    item,
                    &mut [("timeout_s", &mut |item| {
                        config.timeout_s = self.number(item, 1)?;
                        Ok(())
                    })],
                )?,
                "allow" => config.allow = self.allows(item)?,
                _ => return Err(self.unknown(document.as_table(), key)),
            }
        }
        Ok(())
    }

    fn unknown(&self, table: &dyn TableLike, key: &str) -> ConfigFault {
        let span = table.key(key).and_then(toml_edit::Key::span);
        self.fault(span, format!("unknown key `{key}`"))
    }

    fn table<'i>(&self, item: &'i Item) -> Read<&'i dyn TableLike> {
        item.as_table_like().ok_or_else(|| {
            self.fault(
                item.span(),
                format!("expected a table, found {}", kind(item)),
            )
        })
    }

    /// A table with these keys and no other.
    fn only(&self, item: &Item, keys: &mut [Key<'_>]) -> Read<()> {
        let table = self.table(item)?;
        for (key, item) in table.iter() {
            match keys.iter_mut().find(|(name, _)| *name == key) {
                Some((_, read)) => read(item)?,
                None => return Err(self.unknown(table, key)),
            }
        }
        Ok(())
    }

    fn string(&self, item: &Item) -> Read<String> {
        item.as_str().map(str::to_owned).ok_or_else(|| {
            self.fault(
                item.span(),
                format!("expected a string, found {}", kind(item)),
            )
        })
    }

    fn parsed<T>(&self, item: &Item, parse: impl Fn(&str) -> Result<T, String>) -> Read<T> {
        parse(&self.string(item)?).map_err(|message| self.fault(item.span(), message))
    }

    fn number(&self, item: &Item, least: u64) -> Read<u64> {
        let number = item
            .as_integer()
            .and_then(|number| u64::try_from(number).ok());
        number.filter(|number| *number >= least).ok_or_else(|| {
            self.fault(
                item.span(),
                format!("expected a whole number from {least} on"),
            )
        })
    }

    fn list<T>(&self, item: &Item, each: impl Fn(&Item) -> Read<T>) -> Read<Vec<T>> {
        let list = item.as_array().ok_or_else(|| {
            self.fault(
                item.span(),
                format!("expected a list, found {}", kind(item)),
            )
        })?;
        list.iter()
            .map(|value| each(&Item::Value(value.clone())))
            .collect()
    }

    fn strings(&self, item: &Item) -> Read<Vec<String>> {
        self.list(item, |item| self.string(item))
    }

    /// Folders relative to the root, without `./` in front and `/` behind.
    fn folders(&self, item: &Item) -> Read<Vec<String>> {
        self.list(item, |item| {
            let folder = self.string(item)?;
            aris_skills::names::resolve("", &folder)
                .filter(|_| !folder.starts_with('/'))
                .ok_or_else(|| self.fault(item.span(), "expected a folder below the root"))
        })
    }

    fn patterns(&self, item: &Item) -> Read<Vec<String>> {
        self.list(item, |item| {
            let pattern = self.string(item)?;
            self.pattern(item, &pattern)?;
            Ok(pattern)
        })
    }

    fn pattern(&self, item: &Item, pattern: &str) -> Read<()> {
        let tried = GitignoreBuilder::new("")
            .add_line(None, pattern)
            .map(|_| ());
        tried.map_err(|error| self.fault(item.span(), format!("not a pattern: {error}")))
    }

    fn rules(&self, item: &Item, config: &mut Config) -> Read<()> {
        let table = self.table(item)?;
        for (id, item) in table.iter() {
            let Some(rule) = catalogue::find(id) else {
                let span = table.key(id).and_then(toml_edit::Key::span);
                return Err(self.fault(span, catalogue::unknown(id)));
            };
            let entry = config.rules.entry(rule.id).or_default();
            let settings = self.table(item)?;
            for (key, item) in settings.iter() {
                if key == "severity" {
                    entry.level = Some(self.parsed(item, str::parse::<Level>)?);
                } else if rule.limits.contains_key(key) {
                    entry.limits.insert(key.to_owned(), self.number(item, 0)?);
                } else {
                    return Err(self.unknown(settings, key));
                }
            }
        }
        Ok(())
    }

    fn allows(&self, item: &Item) -> Read<Vec<Allow>> {
        if let Some(tables) = item.as_array_of_tables() {
            return tables
                .iter()
                .map(|table| self.allow(&Item::Table(table.clone()), table.span()))
                .collect();
        }
        self.list(item, |item| self.allow(item, item.span()))
    }

    fn allow(&self, item: &Item, span: Option<std::ops::Range<usize>>) -> Read<Allow> {
        let (mut rule, mut path, mut reason, mut until) = (None, None, String::new(), None);
        self.only(
            item,
            &mut [
                ("rule", &mut |item| {
                    let name = self.string(item)?;
                    if !catalogue::is_known(&name) {
                        return Err(self.fault(item.span(), catalogue::unknown(&name)));
                    }
                    rule = Some(name);
                    Ok(())
                }),
                ("path", &mut |item| {
                    let name = self.string(item)?;
                    self.pattern(item, &name)?;
                    path = Some(name);
                    Ok(())
                }),
                ("reason", &mut |item| {
                    reason = self.string(item)?;
                    Ok(())
                }),
                ("until", &mut |item| {
                    let text = match (item.as_str(), item.as_datetime()) {
                        (Some(text), _) => text.to_owned(),
                        (None, Some(date)) => date.to_string(),
                        (None, None) => String::new(),
                    };
                    until = Some(text.parse::<jiff::civil::Date>().map_err(|_error| {
                        self.fault(item.span(), "expected a date like \"2027-06-30\"")
                    })?);
                    Ok(())
                }),
            ],
        )?;
        let missing =
            |key: &str| self.fault(span.clone(), format!("`{key}` is missing in [[allow]]"));
        Ok(Allow {
            rule: rule.ok_or_else(|| missing("rule"))?,
            path: path.ok_or_else(|| missing("path"))?,
            reason: reason.trim().to_owned(),
            until,
            line: self
                .text
                .place(span.clone().map_or(0, |range| range.start))
                .0,
        })
    }
}

fn kind(item: &Item) -> String {
    item.type_name().to_owned()
}

fn one_line(message: &str) -> String {
    message.split_whitespace().collect::<Vec<_>>().join(" ")
}

impl std::str::FromStr for FailOn {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "never" {
            return Ok(Self::Never);
        }
        let found = Severity::ALL
            .into_iter()
            .find(|severity| severity.word() == text);
        found
            .map(Self::At)
            .ok_or_else(|| format!("`{text}` is none of error, warn, info, never"))
    }
}

impl std::str::FromStr for Level {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "off" {
            return Ok(Self::Off);
        }
        let found = Severity::ALL
            .into_iter()
            .find(|severity| severity.word() == text);
        found
            .map(Self::On)
            .ok_or_else(|| format!("`{text}` is none of error, warn, info, off"))
    }
}

impl std::str::FromStr for super::RunLevel {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "help" => Ok(Self::Help),
            "flags" => Ok(Self::Flags),
            "all" => Ok(Self::All),
            _ => Err(format!("`{text}` is none of help, flags, all")),
        }
    }
}
