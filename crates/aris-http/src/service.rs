//! A service whose answers are not cached, because requests change it or its answers change.
//!
//! [`Client`](crate::Client) asks public sources politely and caches the answers. This module sends one request for one answer and
//! returns any status. It repeats a request that must not be done twice only if the first one cannot have arrived.

use std::path::Path;
use std::time::{Duration, Instant};

use jiff::Timestamp;

use crate::error::{HttpError, Why};
use crate::exchange::Exchange;
use crate::host::Host;
use crate::origin;
use crate::request::Request;
use crate::response::Response;
use crate::secret::Secret;
use crate::wire::Wire;

/// Most requests for one answer: one, and two more where repeating does no harm.
const ATTEMPTS: u32 = 3;

/// A service at one base URL.
#[derive(Debug)]
pub struct Service {
    base: String,
    key: Option<Secret>,
    wire: Wire,
}

impl Service {
    /// The service that `host` describes, at `base` instead of its usual address if given.
    ///
    /// **Errors**: [`HttpError::Setting`].
    pub fn new(
        host: &'static Host,
        base: Option<&str>,
        key: Option<Secret>,
        user_agent: &str,
        certificates: Option<&Path>,
    ) -> Result<Self, HttpError> {
        Ok(Self {
            base: origin::base(host, base)?,
            key,
            wire: Wire::new(user_agent, certificates)?,
        })
    }

    /// Sends a request and returns the answer, all within `time`.
    ///
    /// The request is repeated, up to `ATTEMPTS` times in all, if no connection could be made and, unless it must not be done twice,
    /// after an answer that says "not now" and after a broken exchange.
    ///
    /// **Errors**: [`HttpError::Asked`].
    pub fn exchange(
        &self,
        request: &Request,
        time: Duration,
        now: impl Fn() -> Timestamp,
    ) -> Result<Response, HttpError> {
        let exchange = Exchange {
            polite: None,
            wire: &self.wire,
            request,
            url: &format!("{}{}", self.base, request.target),
            key: self.key.as_ref(),
            attempts: ATTEMPTS,
            longest: time,
            end: Instant::now() + time,
            deadline: time,
            now: &now,
        };
        exchange.run(|attempt| attempt.whole(attempt.send(&[])?))
    }

    /// The request for the page after `answer`; `None` after the last page.
    ///
    /// **Errors**: [`Why::NotAnAnswer`] when the next page is said to be on another host: then the result is incomplete, and the key is
    /// not sent there.
    pub fn next(&self, request: &Request, answer: &Response) -> Result<Option<Request>, HttpError> {
        let Some(url) = &answer.next else {
            return Ok(None);
        };
        match url.strip_prefix(&self.base) {
            Some(target) if target.starts_with(['/', '?']) => {
                let mut request = request.clone();
                target.clone_into(&mut request.target);
                Ok(Some(request))
            }
            _ => {
                let why = Why::NotAnAnswer(String::from("a next page that lies elsewhere"));
                Err(request.missed(&format!("{}{}", self.base, request.target), why))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use aris_testkit::{Answer as Sent, Server};

    use super::*;
    use crate::host::{KeySent, Manners};

    static HOST: Host = Host::new(
        "forge",
        "https://api.forge.example",
        "ARIS_FORGE_API",
        Manners::every(0, 4),
    )
    .key("FORGE_TOKEN", KeySent::Bearer);

    fn service(base: &str) -> Service {
        Service::new(&HOST, Some(base), Secret::new("k"), "test", None).expect("a service")
    }

    fn ask(service: &Service, request: &Request) -> Result<Response, HttpError> {
        service.exchange(request, Duration::from_secs(20), || Timestamp::UNIX_EPOCH)
    }

    fn post() -> Request {
        let mut request = Request::post(&HOST, "/things", &serde_json::json!({"a": 1}));
        request.once = true;
        request
    }

    #[test]
    fn any_status_is_an_answer_and_the_key_is_sent() {
        let server = Server::start(|_| Sent::status(422).body("no"));
        let answer = ask(&service(&server.url()), &post()).expect("an answer");
        assert_eq!((answer.status, answer.body.as_slice()), (422, &b"no"[..]));
        let log = server.log();
        assert_eq!(log[0].headers["authorization"], "Bearer k");
        assert_eq!(log.len(), 1);
    }

    #[test]
    fn what_must_not_be_done_twice_is_not_sent_again() {
        for (status, posts, gets) in [(502, 1, 3), (429, 1, 3), (404, 1, 1)] {
            let server = Server::start(move |_| Sent::status(status).header("retry-after", "0"));
            let service = service(&server.url());
            drop(ask(&service, &post()));
            assert_eq!(server.log().len(), posts, "{status}");
            drop(ask(&service, &Request::get(&HOST, "/things")));
            assert_eq!(server.log().len(), posts + gets, "{status}");
        }
        let server = Server::start(|_| Sent::status(502).header("retry-after", "0"));
        let harmless = Request::put(&HOST, "/things", &serde_json::json!({}));
        drop(ask(&service(&server.url()), &harmless));
        assert_eq!(server.log().len(), 3);
        let server = Server::start(|_| Sent::drop());
        assert!(matches!(
            ask(&service(&server.url()), &post()),
            Err(HttpError::Asked {
                why: Why::NoAnswer { attempts: 1, .. },
                ..
            })
        ));
        assert!(matches!(
            ask(&service("http://127.0.0.1:9"), &post()),
            Err(HttpError::Asked {
                why: Why::NoAnswer { attempts: 3, .. },
                ..
            })
        ));
    }

    #[test]
    fn pages_follow_their_links_and_stay_with_the_service() {
        let count = AtomicUsize::new(0);
        let server = Server::start(move |received| {
            let host = &received.headers["host"];
            let link = match count.fetch_add(1, Ordering::SeqCst) {
                0 => format!(r#"<http://{host}/things?page=2>; rel="next", <x>; rel="last""#),
                1 => String::from(r#"<https://elsewhere.example/things?page=3>; rel="next""#),
                _ => String::new(),
            };
            Sent::json(&serde_json::json!([])).header("link", &link)
        });
        let service = service(&server.url());
        let first = Request::get(&HOST, "/things");
        let answer = ask(&service, &first).expect("page 1");
        let second = service.next(&first, &answer).expect("a page").expect("one");
        let answer = ask(&service, &second).expect("page 2");
        assert_eq!(server.log()[1].target, "/things?page=2");
        assert!(service.next(&second, &answer).is_err());
        let last = ask(&service, &second).expect("the last page");
        assert_eq!(service.next(&second, &last).expect("none"), None);
    }

    proptest::proptest! {
        #[test]
        fn no_header_makes_it_panic(header in ".{0,80}") {
            drop(crate::response::next_of(&header));
        }
    }
}
