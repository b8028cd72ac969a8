//! Origins and base URLs: the part of a URL that decides who is asked.

use crate::host::Host;

/// Scheme, host and port of a URL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Origin {
    pub(crate) secure: bool,
    /// Lower case, with brackets for an IPv6 address.
    pub(crate) host: String,
    pub(crate) port: u16,
}

impl Origin {
    /// Splits an absolute http or https URL into its origin and the rest, which is empty or begins with `/` or `?`.
    pub(crate) fn split(url: &str) -> Option<(Self, &str)> {
        let (secure, rest) = match url.split_once("://")? {
            (scheme, rest) if scheme.eq_ignore_ascii_case("https") => (true, rest),
            (scheme, rest) if scheme.eq_ignore_ascii_case("http") => (false, rest),
            _ => return None,
        };
        let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
        let (authority, path) = rest.split_at_checked(end)?;
        let path = path.split('#').next().unwrap_or_default();
        // No user name, no password: they would be secrets in a URL.
        if authority.contains('@') || !authority.bytes().all(|byte| byte.is_ascii_graphic()) {
            return None;
        }
        let (host, port) = match authority.rsplit_once(':') {
            Some((host, port)) if !port.contains(']') => (host, port.parse().ok()?),
            _ => (authority, if secure { 443 } else { 80 }),
        };
        let origin = Self {
            secure,
            host: host.to_ascii_lowercase(),
            port,
        };
        (!host.is_empty()).then_some((origin, path))
    }

    /// Whether it is this machine.
    pub(crate) fn is_loopback(&self) -> bool {
        let bare = self.host.trim_start_matches('[').trim_end_matches(']');
        bare == "localhost"
            || bare
                .parse::<std::net::IpAddr>()
                .is_ok_and(|address| address.is_loopback())
    }

    /// Whether it may be asked at all: encrypted, or this machine.
    pub(crate) fn is_allowed(&self) -> bool {
        self.secure || self.is_loopback()
    }
}

/// The base URL for `host`: its own, or the one a user gave. Without a slash at the end, without the API's prefix doubled.
pub(crate) fn base(host: &Host, given: Option<&str>) -> Result<String, &'static str> {
    let Some(given) = given else {
        return Ok(format!("{}{}", host.origin, host.prefix));
    };
    let given = given.trim();
    let (origin, path) = Origin::split(given).ok_or("it is no http or https URL")?;
    if !origin.is_allowed() {
        return Err("plain http is for loopback addresses only");
    }
    if path.contains('?') || given.contains('#') {
        return Err("it has a query or a fragment");
    }
    let path = path.trim_end_matches('/');
    let path = path.strip_suffix(host.prefix).unwrap_or(path);
    let authority_end = given.len() - given.splitn(4, '/').nth(3).map_or(0, |rest| rest.len() + 1);
    let authority = given.get(..authority_end).unwrap_or(given);
    Ok(format!(
        "{}{path}{}",
        authority.trim_end_matches('/'),
        host.prefix
    ))
}

/// Where a redirect from `from` to `location` leads. `None` when it leads nowhere that may be asked.
pub(crate) fn redirected(from: &str, location: &str) -> Option<String> {
    let location = location.trim();
    let (origin, path) = Origin::split(from)?;
    let target = if location.contains("://") {
        location.to_owned()
    } else {
        let root_end = from.len() - path_length(from, path);
        let root = from.get(..root_end)?;
        if let Some(rest) = location.strip_prefix("//") {
            format!("{}://{rest}", if origin.secure { "https" } else { "http" })
        } else if location.starts_with('/') {
            format!("{root}{location}")
        } else if location.starts_with('?') {
            let bare = path.split('?').next().unwrap_or_default();
            format!("{root}{bare}{location}")
        } else {
            let bare = path.split('?').next().unwrap_or_default();
            let folder = bare.rsplit_once('/').map_or("", |(folder, _)| folder);
            format!("{root}{folder}/{location}")
        }
    };
    let (to, _) = Origin::split(&target)?;
    // From the open network never into this machine, and never from encrypted to plain.
    let inward = to.is_loopback() && !origin.is_loopback();
    let weaker = origin.secure && !to.secure;
    (to.is_allowed() && !inward && !weaker)
        .then(|| target.split('#').next().unwrap_or_default().to_owned())
}

fn path_length(url: &str, path: &str) -> usize {
    path.len() + url.split_once('#').map_or(0, |(_, rest)| rest.len() + 1)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::host::Manners;

    const MANNERS: Manners = Manners {
        interval: Duration::ZERO,
        connections: 1,
        exclusive: false,
    };
    const HOST: Host = Host {
        name: "arxiv",
        origin: "https://export.arxiv.org",
        prefix: "/api",
        base_variable: "ARIS_ARXIV_BASE_URL",
        key: None,
        manners: MANNERS,
        manners_known: MANNERS,
        later: &[],
    };

    #[test]
    fn a_base_url_is_an_origin_with_or_without_the_prefix() {
        for (given, wanted) in [
            (None, Ok("https://export.arxiv.org/api")),
            (
                Some("https://mirror.example"),
                Ok("https://mirror.example/api"),
            ),
            (
                Some("https://mirror.example/"),
                Ok("https://mirror.example/api"),
            ),
            (
                Some("https://mirror.example/api/"),
                Ok("https://mirror.example/api"),
            ),
            (
                Some("https://mirror.example/a/b"),
                Ok("https://mirror.example/a/b/api"),
            ),
            (
                Some("http://127.0.0.1:8080"),
                Ok("http://127.0.0.1:8080/api"),
            ),
            (Some("http://[::1]:8080/api"), Ok("http://[::1]:8080/api")),
            (Some("http://localhost:1"), Ok("http://localhost:1/api")),
            (
                Some("http://example.org"),
                Err("plain http is for loopback addresses only"),
            ),
            (
                Some("http://127.0.0.1.example.org"),
                Err("plain http is for loopback addresses only"),
            ),
            (Some("ftp://x"), Err("it is no http or https URL")),
            (Some("https://user:pw@x"), Err("it is no http or https URL")),
            (Some("https://"), Err("it is no http or https URL")),
            (Some("https://x?y"), Err("it has a query or a fragment")),
        ] {
            assert_eq!(base(&HOST, given), wanted.map(str::to_owned), "{given:?}");
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
            (
                "javascript:alert(1)",
                Some("https://a.org/x/javascript:alert(1)"),
            ),
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
