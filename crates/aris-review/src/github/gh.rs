//! GitHub through the program `gh`. Argument lists only, never a shell; bodies go through standard input.

use std::path::{Path, PathBuf};
use std::time::Duration;

use aris_http::{Again, attempts};
use aris_proc::{End, Finished};
use jiff::Timestamp;
use serde_json::Value;

use super::pages::{INCLUDE, Pages};
use super::{LIMIT, TIME, Trouble, Variable, pull_path};
use crate::pull::{Pull, Repository};

/// `gh` leaves with it when it has no credentials (measured with 2.23).
const NO_CREDENTIALS: i32 = 4;

/// The program `gh`.
#[derive(Clone, Debug)]
pub struct Gh {
    program: String,
    folder: PathBuf,
    now: Timestamp,
}

impl Gh {
    pub(super) fn new(program: &str, folder: &Path, now: Timestamp) -> Self {
        Self {
            program: program.to_owned(),
            folder: folder.to_path_buf(),
            now,
        }
    }

    pub(super) fn reach(&self) -> Result<Option<String>, Trouble> {
        let done = self.call(&["auth", "status"], None, TIME)?;
        let said = format!("{}\n{}", done.stdout.text(), done.stderr.text());
        match done.end {
            End::Exited(0) => Ok(login(&said)),
            _ => Err(Trouble::Unauthenticated(crate::one_line(
                &format!("gh is not logged in: {said}"),
                300,
            ))),
        }
    }

    pub(super) fn diff(&self, pull: &Pull) -> Result<Vec<u8>, Trouble> {
        let (number, repository) = (pull.number.to_string(), pull.repository.to_string());
        self.output(&["pr", "diff", &number, "-R", &repository])
    }

    pub(super) fn head(&self, pull: &Pull) -> Result<String, Trouble> {
        let (number, repository) = (pull.number.to_string(), pull.repository.to_string());
        let arguments = [
            "pr",
            "view",
            &number,
            "-R",
            &repository,
            "--json",
            "headRefOid",
        ];
        let value = one(&self.output(&arguments)?)?;
        Ok(text(&value, "headRefOid"))
    }

    pub(super) fn repository(&self, worktree: &Path) -> Result<Repository, Trouble> {
        let there = Self::new(&self.program, worktree, self.now);
        let said = there.output(&["repo", "view", "--json", "nameWithOwner"])?;
        text(&one(&said)?, "nameWithOwner")
            .parse()
            .map_err(|why: String| Trouble::malformed(&format!("the repository's name: {why}")))
    }

    pub(super) fn find(
        &self,
        _: &Repository,
        branch: &str,
        base: &str,
    ) -> Result<Vec<Value>, Trouble> {
        // git has no branch that begins with a dash, and neither of the two may be read as a flag.
        if [branch, base].iter().any(|name| name.starts_with('-')) {
            return Err(Trouble::refused(None, "no branch begins with a dash"));
        }
        let arguments = [
            "pr",
            "list",
            "--head",
            branch,
            "--base",
            base,
            "--json",
            "number,url",
        ];
        lists(&self.output(&arguments)?)
    }

    pub(super) fn list(&self, pull: &Pull, what: &str) -> Result<Vec<Value>, Trouble> {
        let mut arguments = api(&pull.repository, &pull_path(pull, &[what]));
        arguments.extend(["--method", "GET", "--paginate", INCLUDE].map(str::to_owned));
        lists(&self.output(&arguments)?)
    }

    pub(super) fn post(&self, pull: &Pull, below: &[&str], body: &Value) -> Result<(), Trouble> {
        let mut arguments = api(&pull.repository, &pull_path(pull, below));
        arguments.extend(["--method", "POST", "--input", "-", INCLUDE].map(str::to_owned));
        self.asked(&arguments, Some(body.to_string().into_bytes()))
            .map(drop)
    }

    pub(super) fn graphql(
        &self,
        repository: Option<&Repository>,
        query: &str,
        variables: &[(&'static str, Variable<'_>)],
    ) -> Result<Value, Trouble> {
        let mut arguments = vec![String::from("api"), String::from("graphql")];
        arguments.extend(repository.map(host).unwrap_or_default());
        arguments.extend([String::from("-f"), format!("query={query}")]);
        for (name, value) in variables {
            // -F makes numbers of digits; with -f a text stays one, and `@file` is nothing special.
            let (flag, value) = match value {
                Variable::Number(number) => ("-F", number.to_string()),
                Variable::Text(text) => ("-f", (*text).to_owned()),
            };
            arguments.extend([flag.to_owned(), format!("{name}={value}")]);
        }
        arguments.push(INCLUDE.to_owned());
        one(&self.output(&arguments)?)
    }

    /// What a call that worked wrote, of something that may be done twice.
    fn output<A: AsRef<str>>(&self, arguments: &[A]) -> Result<Vec<u8>, Trouble> {
        self.asked(arguments, None)
    }

    /// What a call that worked wrote; again as for GitHub's own interface. With a body it must not be done twice.
    fn asked<A: AsRef<str>>(
        &self,
        arguments: &[A],
        body: Option<Vec<u8>>,
    ) -> Result<Vec<u8>, Trouble> {
        let words: Vec<&str> = arguments.iter().map(AsRef::as_ref).collect();
        attempts(TIME, &words.join(" "), |_, left| {
            let done = self
                .call(&words, body.clone(), left)
                .map_err(|trouble| (trouble, Again::No))?;
            let last = |trouble| Err((trouble, Again::No));
            match done.end {
                End::Exited(0) if done.stdout.dropped > 0 => {
                    last(Trouble::malformed("gh gave more than 64 MiB"))
                }
                End::Exited(0) => Ok(done.stdout.bytes),
                End::Exited(NO_CREDENTIALS) => last(Trouble::Unauthenticated(crate::one_line(
                    &format!("gh is not logged in: {}", done.stderr.text()),
                    300,
                ))),
                _ => Err(failed(&done, body.is_none(), self.now)),
            }
        })
    }

    fn call<A: AsRef<str>>(
        &self,
        arguments: &[A],
        stdin: Option<Vec<u8>>,
        time: Duration,
    ) -> Result<Finished, Trouble> {
        let mut command = aris_proc::command(&self.program, &self.folder)
            .args(arguments.iter().map(AsRef::as_ref))
            .env("GH_PROMPT_DISABLED", "1")
            .env("GH_NO_UPDATE_NOTIFIER", "1")
            .env("NO_COLOR", "1")
            .capture_limit(LIMIT);
        if let Some(stdin) = stdin {
            command = command.stdin(stdin);
        }
        let done = command.run(time)?;
        match done.end {
            End::TimedOut => Err(Trouble::Unreachable(format!(
                "gh gave no answer within {} s",
                TIME.as_secs()
            ))),
            _ => Ok(done),
        }
    }
}

/// `api`, the host where it is not the usual one, the path.
fn api(repository: &Repository, path: &str) -> Vec<String> {
    let mut arguments = vec![String::from("api"), path.trim_start_matches('/').to_owned()];
    arguments.extend(host(repository));
    arguments
}

fn host(repository: &Repository) -> Vec<String> {
    repository
        .unusual_host()
        .map(|host| vec![String::from("--hostname"), host.to_owned()])
        .unwrap_or_default()
}

/// What a call that did not work says, and whether it may be made again: the status on stderr, the reason there and in the body on stdout.
fn failed(done: &Finished, harmless: bool, now: Timestamp) -> (Trouble, Again) {
    let stderr = done.stderr.text();
    let pages = Pages::read(&done.stdout.bytes);
    let status = stderr
        .split("HTTP ")
        .skip(1)
        .find_map(|rest| rest.get(..3)?.parse::<u16>().ok())
        .or(pages.status);
    let reasons = pages.bodies.last().map(reasons).unwrap_or_default();
    let text = format!("{} {reasons}", stderr.trim());
    let says = |words: &[&str]| words.iter().any(|words| stderr.contains(words));
    let Some(status) = status else {
        let unseen = says(&["error connecting to", "no such host", "dial tcp"]);
        let broken = says(&[
            "i/o timeout",
            "connection refused",
            "network is unreachable",
            "TLS handshake",
        ]);
        return if unseen || (broken && harmless) {
            (unreachable(&text), Again::Soon)
        } else if broken {
            (unreachable(&text), Again::No)
        } else {
            (Trouble::refused(None, &text), Again::No)
        };
    };
    if status == 401 {
        let trouble = Trouble::Unauthenticated(crate::one_line(&text, 300));
        return (trouble, Again::No);
    }
    let header = |name: &str| pages.headers.get(name).map(String::as_str);
    let again = Again::after(status, header, harmless, now);
    (Trouble::refused(Some(status), &text), again)
}

fn unreachable(text: &str) -> Trouble {
    Trouble::Unreachable(crate::one_line(text, 300))
}

/// The reasons in the body of a refusal: `message`, and `errors`, which are texts or objects with one.
pub(super) fn reasons(body: &Value) -> String {
    let mut words = vec![text(body, "message")];
    for error in body
        .get("errors")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
    {
        words.push(match error {
            Value::String(text) => text.clone(),
            other => text(other, "message"),
        });
    }
    words.retain(|word| !word.is_empty());
    words.join("; ")
}

fn text(value: &Value, key: &str) -> String {
    let text = value.get(key).and_then(Value::as_str);
    text.unwrap_or_default().to_owned()
}

/// The only value that was printed.
fn one(bytes: &[u8]) -> Result<Value, Trouble> {
    let mut bodies = Pages::read(bytes).whole()?;
    match (bodies.pop(), bodies.is_empty()) {
        (Some(value), true) => Ok(value),
        _ => Err(Trouble::malformed("gh gave not one JSON value")),
    }
}

/// The entries of all lists that were printed. Nothing at all is an empty list.
fn lists(bytes: &[u8]) -> Result<Vec<Value>, Trouble> {
    let mut entries = Vec::new();
    for page in Pages::read(bytes).whole()? {
        match page {
            Value::Array(mut page) => entries.append(&mut page),
            _ => return Err(Trouble::malformed("gh gave something else than lists")),
        }
    }
    Ok(entries)
}

/// The login in the words of `gh auth status`: `… account NAME (…)`, and in older versions `… as NAME (…)`.
fn login(said: &str) -> Option<String> {
    said.lines()
        .filter_map(|line| line.split_once("Logged in to "))
        .find_map(|(_, rest)| {
            let words: Vec<&str> = rest.split_whitespace().collect();
            let at = words
                .iter()
                .position(|word| matches!(*word, "account" | "as"))?;
            let name = words.get(at + 1)?;
            let plain =
                |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'[' | b']');
            name.bytes().all(plain).then(|| (*name).to_owned())
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_without_anything_between_them_are_one_list() {
        for (text, count) in [
            ("", Some(0)),
            ("[]", Some(0)),
            ("[1,2][3]", Some(3)),
            ("[1]\n[]\n[2]\n", Some(2)),
            ("{}", None),
            ("[1][", None),
            ("[1]x", None),
            (
                "HTTP/2.0 200 OK\nA: b\r\n\r\n[1]\nHTTP/2.0 200 OK\r\n\r\n[2]",
                Some(2),
            ),
            ("HTTP/2.0 200 OK\n\r\n", None),
            ("HTTP/2.0 200 OK\n\r\n<html>", None),
            ("HTTP/2.0 200 OK\nA: b", None),
        ] {
            assert_eq!(
                lists(text.as_bytes()).ok().map(|list| list.len()),
                count,
                "{text}"
            );
        }
    }

    #[test]
    fn the_login_is_read_where_it_stands() {
        for (said, wanted) in [
            (
                "  ✓ Logged in to github.com account mona-lisa (keyring)",
                Some("mona-lisa"),
            ),
            (
                "  ✓ Logged in to github.com as hubot (GH_TOKEN)",
                Some("hubot"),
            ),
            ("logged in", None),
            ("Logged in to github.com", None),
            ("Logged in to x account <b>", None),
        ] {
            assert_eq!(login(said).as_deref(), wanted, "{said}");
        }
    }

    proptest::proptest! {
        #[test]
        fn no_bytes_make_it_panic(bytes in proptest::collection::vec(proptest::num::u8::ANY, 0..100)) {
            drop(lists(&bytes));
            drop(lists(&[b"HTTP/2.0 200 OK\n", bytes.as_slice()].concat()));
            drop(login(&String::from_utf8_lossy(&bytes)));
        }
    }
}
