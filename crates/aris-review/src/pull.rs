//! The address of a pull request.

use std::fmt;
use std::sync::LazyLock;

use regex::Regex;
use serde::{Deserialize, Serialize};

/// A repository on GitHub, on GitLab or on an enterprise server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repository {
    /// Which service its host runs, where its address says so.
    pub kind: Option<Kind>,
    /// Its host; `None` where the default host is meant.
    pub host: Option<String>,
    /// The user, organisation or group; subgroups follow after `/`.
    pub owner: String,
    /// Its name.
    pub name: String,
}

/// A service that hosts pull requests.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    strum::EnumString,
    Serialize,
    Deserialize,
    schemars::JsonSchema,
)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase", parse_err_ty = String, parse_err_fn = no_kind)]
pub enum Kind {
    /// GitHub.
    GitHub,
    /// GitLab.
    GitLab,
}

fn no_kind(_: &str) -> String {
    String::from("github or gitlab")
}

/// A pull request; on GitLab it is called a merge request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pull {
    /// Its repository.
    pub repository: Repository,
    /// Its number, from 1.
    pub number: u64,
}

/// The default host.
const USUAL: &str = "github.com";

impl std::str::FromStr for Repository {
    type Err = String;

    /// Reads `owner/name` or `group/group/name`, with or without `host/` in front; a host has a `.` or a port.
    fn from_str(text: &str) -> Result<Self, String> {
        let parts: Vec<&str> = text.split('/').collect();
        match parts.as_slice() {
            [host, owners @ .., _] if is_host(host) && !owners.is_empty() => {
                Self::at(None, Some(host), &parts[1..])
            }
            _ => Self::at(None, None, &parts),
        }
    }
}

impl std::str::FromStr for Pull {
    type Err = String;

    /// Reads `https://host/owner/name/pull/number` or `https://host/group/name/-/merge_requests/number`; what follows after `/`, `?` or `#`
    /// is ignored.
    fn from_str(text: &str) -> Result<Self, String> {
        let read = || {
            let found = ADDRESS.as_ref()?.captures(text)?;
            let part = |at| found.get(at).map(|part| part.as_str());
            let (host, names) = (part(1)?, part(2)?.split('/').collect::<Vec<&str>>());
            let kind = match (part(3)?, names.len()) {
                ("pull", 2) => Kind::GitHub,
                ("pull", _) => return None,
                _ => Kind::GitLab,
            };
            let number = part(4)?.parse().ok().filter(|number| *number > 0)?;
            let (name, port) = host.split_once(':').unwrap_or((host, "0"));
            let repository = Repository::at(Some(kind), Some(host), &names).ok()?;
            (is_name(name) && is_port(port)).then_some(Self { repository, number })
        };
        let wrong = "it must look like https://github.com/owner/name/pull/1 or https://gitlab.com/group/name/-/merge_requests/1";
        read().ok_or_else(|| wrong.to_owned())
    }
}

/// Captures the host, the owner or groups with the name, the word for the service, and the number.
static ADDRESS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"^https?://([^/?#]+)/([^?#]+?)/(pull|-/merge_requests)/([0-9]+)(?:[/?#]|$)").ok()
});

impl Repository {
    fn at(kind: Option<Kind>, host: Option<&str>, names: &[&str]) -> Result<Self, String> {
        let Some((name, owners)) = names.split_last().filter(|(_, owners)| !owners.is_empty())
        else {
            return Err(String::from("owner/name is needed"));
        };
        if !names.iter().all(|name| is_name(name)) {
            let why = "owner and name have letters, digits, -, _ and . only, and no - in front";
            return Err(why.to_owned());
        }
        Ok(Self {
            kind,
            host: host.map(str::to_owned),
            owner: owners.join("/"),
            name: (*name).to_owned(),
        })
    }

    fn host(&self) -> String {
        self.host.as_deref().unwrap_or(USUAL).to_ascii_lowercase()
    }

    /// Which service its host runs: as the address says, else GitLab where a part of the host's name is `gitlab`, else GitHub.
    pub fn kind(&self) -> Kind {
        let host = self.host();
        let named = host.split(['.', ':']).any(|label| label == "gitlab");
        self.kind
            .unwrap_or(if named { Kind::GitLab } else { Kind::GitHub })
    }

    /// The host, unless it is the default one.
    pub fn unusual_host(&self) -> Option<&str> {
        let host = self.host.as_deref();
        host.filter(|host| !host.eq_ignore_ascii_case(USUAL))
    }

    /// Whether both are on one host.
    pub fn is_beside(&self, other: &Self) -> bool {
        self.host() == other.host()
    }
}

impl fmt::Display for Repository {
    /// `owner/name`, with the host in front unless it is the default one.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(host) = self.unusual_host() {
            write!(out, "{host}/")?;
        }
        write!(out, "{}/{}", self.owner, self.name)
    }
}

/// Whether a part of an address is plain: it cannot be read as an option or as another path.
fn is_name(text: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    (1..=100).contains(&text.len())
        && text.bytes().all(plain)
        && !text.starts_with('-')
        && !matches!(text, "." | "..")
}

fn is_port(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether a part is a host and not a group: it has a dot or a port.
fn is_host(text: &str) -> bool {
    match text.split_once(':') {
        Some((name, port)) => is_name(name) && is_port(port),
        None => is_name(text) && text.contains('.'),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_names_one_pull_request_or_none() {
        for (url, wanted) in [
            ("https://github.com/o/r/pull/7", Some(("o/r", 7))),
            ("http://github.com/o/r/pull/7/files", Some(("o/r", 7))),
            ("https://github.com/o/r/pull/7?a=b", Some(("o/r", 7))),
            ("https://github.com/o/r/pull/7#x/y", Some(("o/r", 7))),
            ("https://GitHub.com/o.p/r_s/pull/12/", Some(("o.p/r_s", 12))),
            (
                "https://ghe.example:8443/o/r/pull/1",
                Some(("ghe.example:8443/o/r", 1)),
            ),
            (
                "https://gitlab.com/g/sub/r/-/merge_requests/7/diffs",
                Some(("gitlab.com/g/sub/r", 7)),
            ),
            ("https://gitlab.com/r/-/merge_requests/7", None),
            ("https://gitlab.com/g/r/-/merge_requests", None),
            ("https://gitlab.com/g/../-/merge_requests/7", None),
            ("https://github.com/o/r/pull/0", None),
            ("https://github.com/o/r/pull/7x", None),
            ("https://github.com/o/r/pull/+7", None),
            ("https://github.com/o/r/pull/", None),
            ("https://github.com/o/r/pulls/7", None),
            ("https://github.com/o/r/issues/7", None),
            ("https://github.com/-o/r/pull/7", None),
            ("https://github.com/../r/pull/7", None),
            ("https://github.com/o/r;x/pull/7", None),
            ("https:///o/r/pull/7", None),
            ("ftp://github.com/o/r/pull/7", None),
            ("github.com/o/r/pull/7", None),
            (" https://github.com/o/r/pull/7", None),
            ("https://github.com/o/r/pull/99999999999999999999", None),
            ("", None),
        ] {
            let read = url.parse::<Pull>().ok();
            let read = read.map(|pull| (pull.repository.to_string(), pull.number));
            let wanted = wanted.map(|(repository, number)| (repository.to_owned(), number));
            assert_eq!(read, wanted, "{url}");
        }
    }

    #[test]
    fn a_repository_may_carry_its_host() {
        for (text, wanted) in [
            ("o/r", Some("o/r")),
            ("github.com/o/r", Some("o/r")),
            ("ghe.example/o/r", Some("ghe.example/o/r")),
            ("gitlab.com/g/sub/r", Some("gitlab.com/g/sub/r")),
            ("g/sub/r", Some("g/sub/r")),
            ("o", None),
            ("-R/x", None),
            ("a/../c/d", None),
            ("o/", None),
        ] {
            let read = text.parse::<Repository>().ok().map(|read| read.to_string());
            assert_eq!(read.as_deref(), wanted, "{text}");
        }
    }

    proptest::proptest! {
        #[test]
        fn no_text_makes_it_panic(text in ".{0,60}") {
            drop(text.parse::<Pull>());
            drop(format!("https://{text}").parse::<Pull>());
            drop(text.parse::<Repository>());
        }
    }
}
