//! The requests to GitHub.

use std::path::Path;
use std::time::Duration;

use aris_http::{
    Exchanged, Expect, Host, HttpError, KeyPlace, KeySent, Manners, Request, Secret, Service,
};
use jiff::Timestamp;
use serde_json::Value;

use super::{LIMIT, PAGES, TIME, Token, Trouble};
use crate::pull::{Pull, Repository};

/// No pace of our own: a call is one of a handful, and GitHub says itself when it is too much.
const MANNERS: Manners = Manners {
    interval: Duration::ZERO,
    connections: 1,
    exclusive: false,
};

/// **Source**: GitHub's REST documentation.
static GITHUB: Host = Host {
    name: "github",
    origin: "https://api.github.com",
    prefix: "",
    base_variable: "ARIS_GITHUB_API",
    key: Some(KeyPlace {
        variable: "GH_TOKEN",
        sent: KeySent::Bearer,
    }),
    manners: MANNERS,
    manners_known: MANNERS,
    later: &[],
};

/// Path of the REST interface on a server of an enterprise; GraphQL lies beside it.
const ENTERPRISE: &str = "/api/v3";

/// The base URL of the interface of a host. **Source**: GitHub's REST documentation for github.com, for GHE.com and for Enterprise Server.
pub fn api_of(host: &str) -> String {
    let name = host.to_ascii_lowercase();
    match name.as_str() {
        "github.com" | "www.github.com" => String::from("https://api.github.com"),
        _ if name.ends_with(".ghe.com") => format!("https://api.{name}"),
        _ => format!("https://{name}{ENTERPRISE}"),
    }
}

/// A GitHub at one base URL.
#[derive(Debug)]
pub struct GitHub {
    api: Service,
    graphql: Service,
    /// Why there is nobody to ask as; then nothing is sent.
    unknown: Option<Trouble>,
    now: Timestamp,
}

impl GitHub {
    /// At `base`, asked as whom `token` belongs to. `now` is the time, which dates in `Retry-After` are compared with.
    ///
    /// **Errors**: [`HttpError::BaseUrl`], [`HttpError::Certificates`].
    pub fn new(
        base: &str,
        token: Token,
        certificates: Option<&Path>,
        now: Timestamp,
    ) -> Result<Self, HttpError> {
        let agent = concat!("aris/", env!("CARGO_PKG_VERSION"));
        let (token, unknown) = match token {
            Token::Known(token) => (Secret::new(&token), None),
            Token::Unknown(why) => (None, Some(Trouble::Unauthenticated(why))),
        };
        let bare = base.trim().trim_end_matches('/');
        let beside = bare
            .strip_suffix(ENTERPRISE)
            .map_or_else(|| bare.to_owned(), |server| format!("{server}/api"));
        let service =
            |base: &str| Service::new(&GITHUB, Some(base), token.clone(), agent, certificates);
        Ok(Self {
            api: service(bare)?,
            graphql: service(&beside)?,
            unknown,
            now,
        })
    }

    /// Whether it answers and knows who asks; the login when it says so.
    ///
    /// **Errors**: a [`Trouble`] for which [`Trouble::is_away`] holds.
    pub fn reach(&self) -> Result<Option<String>, Trouble> {
        match self.get(&request("/user")) {
            Ok(answer) => Ok(json(&answer)?
                .get("login")
                .and_then(Value::as_str)
                .map(str::to_owned)),
            // Tokens of workflows and apps belong to no user, and are known all the same.
            Err(Trouble::Refused {
                status: Some(403), ..
            }) => Ok(None),
            Err(trouble) if trouble.is_away() => Err(trouble),
            Err(trouble) => Err(Trouble::Unreachable(trouble.to_string())),
        }
    }

    /// The diff of a pull request.
    pub fn diff(&self, pull: &Pull) -> Result<Vec<u8>, Trouble> {
        let request = of_pull(pull).accept("application/vnd.github.diff");
        Ok(self.get(&request)?.body)
    }

    pub(super) fn head_of(&self, pull: &Pull) -> Result<String, Trouble> {
        let pull = json(&self.get(&of_pull(pull))?)?;
        let sha = pull.pointer("/head/sha").and_then(Value::as_str);
        Ok(sha.unwrap_or_default().to_owned())
    }

    /// Open pull requests of a repository. **Source**: REST, "List pull requests": `head` is `user:branch`.
    pub(super) fn pulls(
        &self,
        repository: &Repository,
        owner: &str,
        branch: &str,
        base: &str,
    ) -> Result<Vec<Value>, Trouble> {
        let request = of_repository(repository)
            .path("/pulls")
            .query("head", &format!("{owner}:{branch}"))
            .query("base", base)
            .query("state", "open")
            .query("per_page", "100");
        match json(&self.get(&request)?)? {
            Value::Array(list) => Ok(list),
            _ => Err(Trouble::malformed("the pull requests are no list")),
        }
    }

    pub(super) fn list(&self, pull: &Pull, what: &'static str) -> Result<Vec<Value>, Trouble> {
        let mut next = Some(of_pull(pull).segment(what).query("per_page", "100"));
        let mut entries = Vec::new();
        for _ in 0..PAGES {
            let Some(request) = next else {
                return Ok(entries);
            };
            let answer = self.get(&request)?;
            match json(&answer)? {
                Value::Array(mut page) => entries.append(&mut page),
                _ => return Err(Trouble::malformed("a page that is no list")),
            }
            next = self.api.next(&request, &answer)?;
        }
        Err(Trouble::malformed("more pages than there can be"))
    }

    pub(super) fn post(&self, pull: &Pull, below: &[&str], body: &Value) -> Result<(), Trouble> {
        let mut request = Request::post(&GITHUB, "", body);
        request = place(request, pull);
        for part in below {
            request = request.segment(part);
        }
        self.send(&self.api, &request).map(drop)
    }

    /// Sends a GraphQL query, or a mutation that may be done twice.
    pub(super) fn query(&self, body: &Value) -> Result<Value, Trouble> {
        let request = limited(Request::post(&GITHUB, "/graphql", body).harmless());
        json(&self.send(&self.graphql, &request)?)
    }

    fn get(&self, request: &Request) -> Result<Exchanged, Trouble> {
        self.send(&self.api, request)
    }

    fn send(&self, service: &Service, request: &Request) -> Result<Exchanged, Trouble> {
        if let Some(trouble) = &self.unknown {
            return Err(trouble.clone());
        }
        let answer = service.exchange(request, TIME, || self.now)?;
        if answer.is_success() {
            return Ok(answer);
        }
        let reasons = serde_json::from_slice::<Value>(&answer.body)
            .map(|body| reasons(&body))
            .unwrap_or_default();
        Err(match answer.status {
            401 => Trouble::Unauthenticated(crate::one_line(
                &format!("HTTP 401: {reasons}; the token is not accepted"),
                300,
            )),
            status => Trouble::refused(Some(status), &reasons),
        })
    }
}

fn request(path: &'static str) -> Request {
    limited(Request::get(&GITHUB, path, Expect::Json).accept("application/vnd.github+json"))
}

fn limited(request: Request) -> Request {
    request.limit(LIMIT as u64)
}

fn of_repository(repository: &Repository) -> Request {
    request("/repos")
        .segment(&repository.owner)
        .segment(&repository.name)
}

fn of_pull(pull: &Pull) -> Request {
    place(request(""), pull)
}

fn place(request: Request, pull: &Pull) -> Request {
    limited(request)
        .path("/repos")
        .segment(&pull.repository.owner)
        .segment(&pull.repository.name)
        .path("/pulls")
        .segment(&pull.number.to_string())
}

fn json(answer: &Exchanged) -> Result<Value, Trouble> {
    serde_json::from_slice(&answer.body)
        .map_err(|error| Trouble::malformed(&format!("GitHub gave no JSON: {error}")))
}

/// The reasons in the body of a refusal: `message`, and `errors`, which are texts or objects with one.
fn reasons(body: &Value) -> String {
    let message = |value: &Value| {
        value
            .get("message")
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_owned()
    };
    let errors = body.get("errors").and_then(Value::as_array);
    let mut words = vec![message(body)];
    words.extend(errors.into_iter().flatten().map(|error| match error {
        Value::String(text) => text.clone(),
        other => message(other),
    }));
    words.retain(|word| !word.is_empty());
    words.join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_have_their_interfaces() {
        for (host, base) in [
            ("GitHub.com", "https://api.github.com"),
            ("acme.ghe.com", "https://api.acme.ghe.com"),
            ("ghe.example:8443", "https://ghe.example:8443/api/v3"),
        ] {
            assert_eq!(api_of(host), base);
        }
    }

    #[test]
    fn all_reasons_are_told() {
        let body = serde_json::json!({"message": "Refused", "errors": ["a", {"message": "b"}, {"code": 1}]});
        assert_eq!(reasons(&body), "Refused; a; b");
    }
}
