//! GitHub through its own interface, only where a base URL is given.

use std::path::Path;
use std::time::Duration;

use aris_http::{
    Exchanged, Expect, Host, HttpError, KeyPlace, KeySent, Manners, Request, Secret, Service,
};
use jiff::Timestamp;
use serde_json::{Map, Value, json};

use super::gh::reasons;
use super::{LIMIT, PAGES, TIME, Trouble, Variable};
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
    manners_with_key: MANNERS,
};

/// Path of the REST interface on a server of an enterprise; GraphQL lies beside it.
const ENTERPRISE: &str = "/api/v3";

/// GitHub's own interface at one base URL.
#[derive(Debug)]
pub struct Rest {
    api: Service,
    graphql: Service,
    has_token: bool,
    now: Timestamp,
}

impl Rest {
    /// At `base`, asked as whom `token` belongs to. `now` is the time, which dates in `Retry-After` are compared with.
    ///
    /// **Errors**: [`HttpError::BaseUrl`], [`HttpError::Certificates`].
    pub fn new(
        base: &str,
        token: Option<&str>,
        certificates: Option<&Path>,
        now: Timestamp,
    ) -> Result<Self, HttpError> {
        let agent = concat!("aris/", env!("CARGO_PKG_VERSION"));
        let token = token.and_then(Secret::new);
        let bare = base.trim().trim_end_matches('/');
        let beside = bare
            .strip_suffix(ENTERPRISE)
            .map_or_else(|| bare.to_owned(), |server| format!("{server}/api"));
        let service =
            |base: &str| Service::new(&GITHUB, Some(base), token.clone(), agent, certificates);
        Ok(Self {
            api: service(bare)?,
            graphql: service(&beside)?,
            has_token: token.is_some(),
            now,
        })
    }

    pub(super) fn reach(&self) -> Result<Option<String>, Trouble> {
        if !self.has_token {
            return Err(Trouble::Unauthenticated(String::from(
                "neither GH_TOKEN nor GITHUB_TOKEN is set",
            )));
        }
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

    pub(super) fn diff(&self, pull: &Pull) -> Result<Vec<u8>, Trouble> {
        let request = of_pull(pull).accept("application/vnd.github.diff");
        Ok(self.get(&request)?.body)
    }

    pub(super) fn head(&self, pull: &Pull) -> Result<String, Trouble> {
        let pull = json(&self.get(&of_pull(pull))?)?;
        let sha = pull.pointer("/head/sha").and_then(Value::as_str);
        Ok(sha.unwrap_or_default().to_owned())
    }

    pub(super) fn find(
        &self,
        repository: &Repository,
        branch: &str,
        base: &str,
    ) -> Result<Vec<Value>, Trouble> {
        let request = of_repository(repository)
            .path("/pulls")
            .query("head", &format!("{}:{branch}", repository.owner))
            .query("base", base)
            .query("state", "open");
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

    pub(super) fn graphql(
        &self,
        query: &'static str,
        variables: &[(&'static str, Variable<'_>)],
    ) -> Result<Value, Trouble> {
        let variables: Map<String, Value> = variables
            .iter()
            .map(|(name, value)| ((*name).to_owned(), value.json()))
            .collect();
        let body = json!({"query": query, "variables": variables});
        let request = limited(Request::post(&GITHUB, "/graphql", &body).harmless());
        json(&self.send(&self.graphql, &request)?)
    }

    fn get(&self, request: &Request) -> Result<Exchanged, Trouble> {
        self.send(&self.api, request)
    }

    fn send(&self, service: &Service, request: &Request) -> Result<Exchanged, Trouble> {
        let answer = service.exchange(request, TIME, || self.now)?;
        if answer.is_success() {
            return Ok(answer);
        }
        let reasons = serde_json::from_slice::<Value>(&answer.body)
            .map(|body| reasons(&body))
            .unwrap_or_default();
        Err(match answer.status {
            401 => Trouble::Unauthenticated(crate::one_line(
                &format!("HTTP 401: {reasons}; check GH_TOKEN"),
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
