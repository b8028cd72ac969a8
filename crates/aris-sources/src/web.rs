//! Web pages and files at addresses that the user gives.

use std::time::Duration;

use aris_http::{Host, Manners, Request, is_loopback};
use url::Url;

/// One request a second and one at a time, because the server's own limits are unknown.
const MANNERS: Manners = Manners::every(1000, 1);

/// Largest body, in bytes: somewhat more than arXiv accepts for a paper without asking (50 MB).
const LIMIT: u64 = 64 << 20;

/// An answer is cached for a day, an absence for an hour.
const KEEP: (Duration, Duration) = (Duration::from_hours(24), Duration::from_hours(1));

/// The request for an address, and its host.
///
/// Plain `http` becomes `https`, except on this machine. The host and its texts are leaked: they stay in memory until the program
/// ends.
///
/// **Errors**: why the address is refused, in lower case: it is no http or https address, or contains a user name or password.
pub fn page(address: &str) -> Result<(Request, &'static Host), &'static str> {
    const NO_ADDRESS: &str = "it is no http or https address";
    let mut url = Url::parse(address)
        .ok()
        .filter(|url| matches!(url.scheme(), "http" | "https"))
        .ok_or(NO_ADDRESS)?;
    if !url.username().is_empty() || url.password().is_some() {
        return Err("it holds a user name or password");
    }
    if !is_loopback(&url) {
        url.set_scheme("https").map_err(|()| NO_ADDRESS)?;
    }
    let origin = url.origin().ascii_serialization();
    let authority = origin.split("://").last().unwrap_or_default();
    let named = authority.replace(|letter: char| !letter.is_ascii_alphanumeric(), "-");
    let target = url.query().map_or_else(
        || url.path().to_owned(),
        |query| format!("{}?{query}", url.path()),
    );
    // Pace and circuit breaker are separate for each host.
    let name = leaked(format!("web-{named}"));
    let host: &'static Host = Box::leak(Box::new(Host::new(name, leaked(origin), "", MANNERS)));
    let request = Request::get(host, leaked(target)).accept("*/*");
    let mut request = request.limit(LIMIT).keep(KEEP.0, KEEP.1);
    request.pages = true;
    Ok((request, host))
}

fn leaked(text: String) -> &'static str {
    Box::leak(text.into_boxed_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_asked_as_it_is_or_not_at_all() {
        for (address, origin, target) in [
            ("https://A.org", "https://a.org", "/"),
            (
                "http://a.org/x/y.pdf?q=1#top",
                "https://a.org",
                "/x/y.pdf?q=1",
            ),
            ("https://a.org?x", "https://a.org", "/?x"),
            ("https://a.org/a b", "https://a.org", "/a%20b"),
            ("http://127.0.0.1:8000/p", "http://127.0.0.1:8000", "/p"),
            ("http://[::1]:1/p", "http://[::1]:1", "/p"),
            ("http://127.0.0.1.a.org/p", "https://127.0.0.1.a.org", "/p"),
        ] {
            let (request, host) = page(address).expect(address);
            assert_eq!(host.origin, origin, "{address}");
            let request = format!("{request:?}");
            assert!(
                request.contains(&format!("target: {target:?}")),
                "{request}"
            );
        }
        for bad in [
            "ftp://a.org/x",
            "https://user:secret@a.org/",
            "https://",
            "a.org/x",
        ] {
            assert!(page(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn two_hosts_have_a_pace_of_their_own() {
        let name = |address| page(address).expect("an address").1.name;
        assert_ne!(name("https://a.org/"), name("https://b.org/"));
        assert_eq!(name("https://a.org/1"), name("https://a.org/2"));
    }

    proptest::proptest! {
        #[test]
        fn no_text_makes_it_panic(text in ".{0,60}") {
            drop(page(&text));
            drop(page(&format!("https://{text}")));
        }
    }
}
