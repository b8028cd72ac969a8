//! The token for a host.

use std::path::Path;
use std::time::Duration;

use aris_proc::{End, ProcError};

use crate::text::one_line;

/// Longest wait for `gh`, which may ask the system's keyring, which may ask a person.
const TIME: Duration = Duration::from_secs(30);

/// A token, or why there is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Token {
    /// The token.
    Known(String),
    /// Why there is none, for people.
    Unknown(String),
}

/// Whether the tokens of github.com also count for a host. **Source**: `gh help environment`.
fn is_usual_host(host: &str) -> bool {
    let name = host.to_ascii_lowercase();
    matches!(name.as_str(), "github.com" | "www.github.com") || name.ends_with(".ghe.com")
}

impl Token {
    /// Environment variables for the token of a host, in order of preference. **Source**: `gh help environment`.
    pub fn variables(host: &str) -> [&'static str; 2] {
        if is_usual_host(host) {
            ["GH_TOKEN", "GITHUB_TOKEN"]
        } else {
            ["GH_ENTERPRISE_TOKEN", "GITHUB_ENTERPRISE_TOKEN"]
        }
    }

    /// The token that the program `gh` keeps for a host, and for no other host.
    pub fn of_gh(program: &str, folder: &Path, host: &str, limit: Option<Duration>) -> Self {
        let time = limit.unwrap_or(TIME).min(TIME);
        let [first, second] = Self::variables(host);
        let none =
            |why: &str| Self::Unknown(format!("neither {first} nor {second} is set, and {why}"));
        let call = aris_proc::command(program, folder)
            .args(["auth", "token", "--hostname", host])
            .env("GH_PROMPT_DISABLED", "1");
        let done = match call.run(time) {
            Ok(done) => done,
            Err(ProcError::Absent { .. }) => return none("gh is not installed"),
            Err(error) => return none(&one_line(&error.to_string(), 300)),
        };
        match done.end {
            End::Exited(0) => {
                let text = done.stdout.text();
                let token = text.trim();
                let plain = !token.is_empty() && token.bytes().all(|byte| byte.is_ascii_graphic());
                if plain {
                    Self::Known(token.to_owned())
                } else {
                    none(&format!("gh auth token prints no token for {host}"))
                }
            }
            End::TimedOut => none(&format!(
                "gh did not answer within {} s",
                time.as_secs_f64()
            )),
            End::Exited(_) | End::Signalled(_) => {
                let said = one_line(&done.stderr.text(), 200);
                none(&format!("gh has no token for {host}: {said}"))
            }
        }
    }
}
