//! URLs: which may be requested, and which redirects may be followed.

use aris_contract::ErrorKind;
use url::{Host as Name, Url};

use crate::error::HttpError;
use crate::host::Host;

/// An http or https URL without user name and password, which would be secrets in a URL.
pub(crate) fn parse(text: &str) -> Option<Url> {
    let url = Url::parse(text).ok()?;
    let bare = url.username().is_empty() && url.password().is_none();
    (matches!(url.scheme(), "http" | "https") && bare).then_some(url)
}

/// Whether the URL leads to this machine.
pub fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Name::Domain(name)) => name == "localhost",
        Some(Name::Ipv4(address)) => address.is_loopback(),
        Some(Name::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

/// The base URL for `host`: its own, or the one that the user gave. Without a trailing slash, and with the API's prefix once.
///
/// **Errors**: [`HttpError::Setting`].
pub(crate) fn base(host: &Host, given: Option<&str>) -> Result<String, HttpError> {
    match given {
        None => Ok(format!("{}{}", host.origin, host.prefix)),
        Some(given) => given_base(host, given).map_err(|why| HttpError::Setting {
            variable: host.base_variable,
            what: format!("{} is not a usable base URL: {why}", host.base_variable),
            hint: "give an https origin; plain http is for loopback addresses only",
            kind: ErrorKind::Usage,
        }),
    }
}

fn given_base(host: &Host, given: &str) -> Result<String, &'static str> {
    let url = parse(given.trim()).ok_or("it is no http or https URL")?;
    if url.scheme() != "https" && !is_loopback(&url) {
        return Err("plain http is for loopback addresses only");
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err("it has a query or a fragment");
    }
    let path = url.path().trim_end_matches('/');
    let path = path.strip_suffix(host.prefix).unwrap_or(path);
    let origin = url.origin().ascii_serialization();
    Ok(format!("{origin}{path}{}", host.prefix))
}

/// The target of a redirect from `from` to `location`; `None` if it must not be followed.
pub(crate) fn redirected(from: &str, location: &str) -> Option<String> {
    let from = parse(from)?;
    let mut to = parse(from.join(location).ok()?.as_str())?;
    to.set_fragment(None);
    // Never from the network to this machine, and never from encrypted to plain.
    let inward = is_loopback(&to) && !is_loopback(&from);
    let plain = to.scheme() == "http" && (from.scheme() == "https" || !is_loopback(&to));
    (!inward && !plain).then(|| to.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::Manners;

    const HOST: Host = Host {
        prefix: "/api",
        ..Host::new(
            "arxiv",
            "https://export.arxiv.org",
            "ARIS_ARXIV_BASE_URL",
            Manners::every(0, 1),
        )
    };

    #[test]
    fn a_base_url_is_an_origin_with_or_without_the_prefix() {
        let own = base(&HOST, None).expect("a base");
        assert_eq!(own, "https://export.arxiv.org/api");
        for (given, wanted) in [
            ("https://mirror.example", Ok("https://mirror.example/api")),
            ("https://mirror.example/", Ok("https://mirror.example/api")),
            (
                "https://mirror.example/api/",
                Ok("https://mirror.example/api"),
            ),
            (
                "https://mirror.example/a/b",
                Ok("https://mirror.example/a/b/api"),
            ),
            ("http://127.0.0.1:8080", Ok("http://127.0.0.1:8080/api")),
            ("http://[::1]:8080/api", Ok("http://[::1]:8080/api")),
            ("http://localhost:1", Ok("http://localhost:1/api")),
            (
                "http://example.org",
                Err("plain http is for loopback addresses only"),
            ),
            (
                "http://127.0.0.1.example.org",
                Err("plain http is for loopback addresses only"),
            ),
            ("ftp://x", Err("it is no http or https URL")),
            ("https://user:pw@x", Err("it is no http or https URL")),
            ("https://", Err("it is no http or https URL")),
            ("https://x?y", Err("it has a query or a fragment")),
        ] {
            let found = given_base(&HOST, given);
            assert_eq!(found, wanted.map(str::to_owned), "{given:?}");
        }
    }

    #[test]
    fn redirects_stay_where_they_may_go() {
        let from = "https://a.org/x/y?q=1";
        for (location, wanted) in [
            ("/z", Some("https://a.org/z")),
            ("z", Some("https://a.org/x/z")),
            ("?q=2", Some("https://a.org/x/y?q=2")),
            ("//b.org/z", Some("https://b.org/z")),
            ("https://b.org/z#top", Some("https://b.org/z")),
            ("http://a.org/z", None),
            ("http://127.0.0.1/z", None),
            ("https://localhost/z", None),
            ("file:///etc/passwd", None),
            ("javascript:alert(1)", None),
            ("https://user:pw@a.org/", None),
        ] {
            assert_eq!(redirected(from, location).as_deref(), wanted, "{location}");
        }
        assert_eq!(
            redirected("http://127.0.0.1:1/x", "http://127.0.0.1:2/y").as_deref(),
            Some("http://127.0.0.1:2/y")
        );
    }

    proptest::proptest! {
        #[test]
        fn no_text_makes_it_panic(from in ".{0,60}", location in ".{0,60}") {
            drop(redirected(&from, &location));
            drop(redirected("https://a.org/x", &location));
            drop(base(&HOST, Some(&from)));
        }
    }
}
