//! Requests to a service: what is the same for GitHub and GitLab.

use std::path::Path;
use std::time::{Duration, Instant};

use aris_http::{Host, HttpError, Manners, Request, Response, Secret, Service};
use jiff::Timestamp;
use serde_json::{Value, json};

use super::{Token, Trouble};

/// Longest call. **Source**: citation gates, §11.
const TIME: Duration = Duration::from_secs(30);

/// Largest answer, in bytes. GitHub cuts diffs at 20,000 lines, and comments at 64 KiB each.
const LIMIT: u64 = 64 << 20;

/// Most pages of a list, with 20 entries or more each: far above what a pull request can have. It ends a list that has no end.
pub(super) const PAGES: usize = 400;

/// No pause between calls: there are only a few, and the services say when there are too many.
pub(super) const MANNERS: Manners = Manners::every(0, 1);

/// A service at its base URLs.
#[derive(Debug)]
pub(super) struct Wire {
    host: &'static Host,
    api: Service,
    graphql: Service,
    /// Why there is no token; then nothing is sent.
    unknown: Option<Trouble>,
    times: Times,
}

/// Dates in `Retry-After` are compared with the first; after the second nothing is waited for.
pub(super) type Times = (Timestamp, Option<Instant>);

impl Wire {
    /// The REST interface of `host` is at `base`, GraphQL at `beside` and `/graphql`.
    pub(super) fn new(
        host: &'static Host,
        (base, beside): (&str, &str),
        token: Token,
        certificates: Option<&Path>,
        times: Times,
    ) -> Result<Self, HttpError> {
        let agent = concat!("aris/", env!("CARGO_PKG_VERSION"));
        let (token, unknown) = match token {
            Token::Known(token) => (Secret::new(&token), None),
            Token::Unknown(why) => (None, Some(Trouble::Nobody(why))),
        };
        let service = |base| Service::new(host, Some(base), token.clone(), agent, certificates);
        Ok(Self {
            host,
            api: service(base)?,
            graphql: service(beside)?,
            unknown,
            times,
        })
    }

    pub(super) fn request(&self, path: &'static str) -> Request {
        Request::get(self.host, path).limit(LIMIT)
    }

    pub(super) fn posted(&self, path: &'static str, body: &Value) -> Request {
        let mut request = Request::post(self.host, path, body).limit(LIMIT);
        request.once = true;
        request
    }

    pub(super) fn put(&self, path: &'static str, body: &Value) -> Request {
        Request::put(self.host, path, body).limit(LIMIT)
    }

    /// See [`super::Forge::reach`]; `login` is the field of the answer that has the login.
    pub(super) fn reach(&self, login: &str) -> Result<Option<String>, Trouble> {
        match self.json(&self.request("/user")) {
            Ok(user) => Ok(user.get(login).and_then(Value::as_str).map(str::to_owned)),
            // The token of a workflow or app has no user, but is valid.
            Err(trouble) if trouble.status() == Some(403) && !trouble.is_busy() => Ok(None),
            Err(trouble) if trouble.is_away() => Err(trouble),
            Err(trouble) => Err(Trouble::Unreachable(trouble.to_string())),
        }
    }

    pub(super) fn json(&self, request: &Request) -> Result<Value, Trouble> {
        parsed(&self.send(request)?)
    }

    /// The same for something that may be absent; `None` for 404.
    pub(super) fn json_if_there(&self, request: &Request) -> Result<Option<Value>, Trouble> {
        match self.json(request) {
            Err(trouble) if trouble.status() == Some(404) => Ok(None),
            other => other.map(Some),
        }
    }

    /// Sends a request to a path `below` its own.
    pub(super) fn send_below(&self, request: Request, below: &[&str]) -> Result<(), Trouble> {
        let segments = below.iter();
        let request = segments.fold(request, |request, part| request.segment(part));
        self.send(&request).map(drop)
    }

    /// All pages of a list.
    pub(super) fn list(&self, request: Request) -> Result<Vec<Value>, Trouble> {
        let mut next = Some(request.query("per_page", "100"));
        let mut entries = Vec::new();
        for _ in 0..PAGES {
            let Some(request) = next else {
                return Ok(entries);
            };
            let answer = self.send(&request)?;
            match parsed(&answer)? {
                Value::Array(mut page) => entries.append(&mut page),
                _ => return Err(Trouble::malformed("a page that is no list")),
            }
            next = self.api.next(&request, &answer)?;
        }
        Err(Trouble::malformed("more pages than there can be"))
    }

    /// Sends a GraphQL query, or a mutation that may be repeated: it is sent again when no answer comes.
    pub(super) fn query(&self, query: &'static str, variables: &Value) -> Result<Value, Trouble> {
        let body = json!({"query": query, "variables": variables});
        let request = Request::post(self.host, "/graphql", &body);
        let answer = parsed(&self.exchange(&self.graphql, &request.limit(LIMIT))?)?;
        if let Some(first) = answer.pointer("/errors/0") {
            let words = first.get("message").and_then(Value::as_str);
            let words = words.unwrap_or("an error without words");
            return Err(Trouble::refused(None, words));
        }
        Ok(answer)
    }

    pub(super) fn send(&self, request: &Request) -> Result<Response, Trouble> {
        self.exchange(&self.api, request)
    }

    fn exchange(&self, service: &Service, request: &Request) -> Result<Response, Trouble> {
        if let Some(trouble) = &self.unknown {
            return Err(trouble.clone());
        }
        let (now, until) = self.times;
        let left = until.map(|until| until.saturating_duration_since(Instant::now()));
        let answer = service.exchange(request, left.unwrap_or(TIME).min(TIME), || now)?;
        if answer.is_success() {
            return Ok(answer);
        }
        let body = serde_json::from_slice::<Value>(&answer.body);
        let reasons = body.map(|body| reasons(&body)).unwrap_or_default();
        Err(match answer.status {
            401 => {
                let why = format!("HTTP 401: {reasons}; the token is not accepted");
                Trouble::Unauthenticated(crate::one_line(&why, 300))
            }
            _ => Trouble::of_answer(&answer, &reasons),
        })
    }
}

fn parsed(answer: &Response) -> Result<Value, Trouble> {
    serde_json::from_slice(&answer.body)
        .map_err(|error| Trouble::malformed(&format!("the answer is no JSON: {error}")))
}

/// The reasons in the body of a refusal. GitHub has `message`, and `errors`, which are texts or objects with a `message`; GitLab has
/// `error`, or `message`, which is a text or an object of lists of texts.
fn reasons(body: &Value) -> String {
    let mut words = Vec::new();
    for key in ["message", "error", "errors"] {
        if let Some(value) = body.get(key) {
            texts(value, &mut words);
        }
    }
    words.join("; ")
}

/// Collects the texts in a value; of an object with a `message` only that one.
fn texts(value: &Value, words: &mut Vec<String>) {
    match value {
        Value::String(text) if !text.is_empty() => words.push(text.clone()),
        Value::Array(list) => list.iter().for_each(|value| texts(value, words)),
        Value::Object(map) => match map.get("message") {
            Some(message) => texts(message, words),
            None => map.values().for_each(|value| texts(value, words)),
        },
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_reasons_are_told() {
        for (body, wanted) in [
            (
                json!({"message": "Refused", "errors": ["a", {"message": "b"}, {"code": 1}]}),
                "Refused; a; b",
            ),
            (
                json!({"message": {"position": ["is invalid", "is far"]}}),
                "is invalid; is far",
            ),
            (json!({"error": "404 Not found"}), "404 Not found"),
            (json!([]), ""),
        ] {
            assert_eq!(reasons(&body), wanted);
        }
    }
}
