//! One exchange on the wire, including redirects.
//!
//! The HTTP crate does not follow redirects here, because it would send a key header to another host.

use std::path::Path;
use std::time::{Duration, Instant};

use aris_contract::ErrorKind;
use percent_encoding::utf8_percent_encode;
use ureq::http::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE};
use ureq::http::{self, Method};
use ureq::tls::{PemItem, RootCerts, TlsConfig};

use crate::error::HttpError;
use crate::host::KeySent;
use crate::origin;
use crate::request::{Request, VALUE};
use crate::secret::Secret;

/// Most redirects for one answer.
const REDIRECTS: usize = 5;

/// Limit for all headers of an answer, in bytes.
const HEADERS: usize = 64 << 10;

/// Idle connections that are kept for reuse; no host gets more concurrent requests than this.
const IDLE: usize = 32;

/// Largest PEM file, in bytes; certificate bundles have some hundred kilobytes.
const PEM_LIMIT: u64 = 16 << 20;

/// The connection pool.
#[derive(Debug)]
pub(crate) struct Wire(ureq::Agent);

/// An answer whose body has not been read.
pub(crate) type Answer = http::Response<ureq::Body>;

/// The first header with this name.
pub(crate) fn header<'a>(answer: &'a Answer, name: &str) -> Option<&'a str> {
    answer.headers().get(name)?.to_str().ok()
}

/// `Content-Type` without parameters, lower case.
pub(crate) fn media_type(answer: &Answer) -> String {
    let value = header(answer, "content-type").unwrap_or_default();
    let bare = value.split(';').next().unwrap_or_default();
    bare.trim().to_ascii_lowercase()
}

/// Why an exchange brought no answer.
#[derive(Debug)]
pub(crate) enum Broken {
    /// The time was over.
    Late,
    /// The answer was rejected on purpose.
    Refused(&'static str),
    /// No connection could be made: nothing was sent.
    Unreached(&'static str),
    /// Anything else, in words.
    Trouble(String),
}

/// The target of a redirect without the key, which a host may copy from the query; `None` if the key occurs elsewhere in it.
fn without_key(mut url: String, key: Option<(KeySent, &Secret)>) -> Option<String> {
    let Some((sent, key)) = key else {
        return Some(url);
    };
    if let (KeySent::Query(name), Some((path, query))) = (sent, url.split_once('?')) {
        let named = |pair: &&str| pair.split('=').next() == Some(name);
        let others: Vec<&str> = query.split('&').filter(|pair| !named(pair)).collect();
        url = [path, &others.join("&")].join(if others.is_empty() { "" } else { "?" });
    }
    let encoded = utf8_percent_encode(key.reveal(), VALUE).to_string();
    (!url.contains(key.reveal()) && !url.contains(&encoded)).then_some(url)
}

impl Wire {
    /// A pool that trusts the built-in root certificates, or those of a PEM file.
    pub(crate) fn new(user_agent: &str, certificates: Option<&Path>) -> Result<Self, HttpError> {
        let mut config = ureq::config::Config::builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .max_response_header_size(HEADERS)
            .max_idle_connections(IDLE)
            .max_idle_connections_per_host(IDLE)
            .user_agent(user_agent);
        if let Some(path) = certificates {
            let bytes = aris_fs::read(path, PEM_LIMIT)?;
            let roots: Vec<_> = ureq::tls::parse_pem(&bytes)
                .filter_map(|item| match item {
                    Ok(PemItem::Certificate(certificate)) => Some(certificate),
                    _ => None,
                })
                .collect();
            if roots.is_empty() {
                return Err(HttpError::Setting {
                    variable: "SSL_CERT_FILE",
                    what: format!("{} holds no usable certificate", path.display()),
                    hint: "let SSL_CERT_FILE name a PEM file with CA certificates",
                    kind: ErrorKind::Precondition,
                });
            }
            let roots = RootCerts::new_with_certs(&roots);
            config = config.tls_config(TlsConfig::builder().root_certs(roots).build());
        }
        Ok(Self(config.build().new_agent()))
    }

    /// Sends `request` to `url` and follows redirects, all within `time`. Returns the answer, and the URL that gave it, without secrets.
    pub(crate) fn send(
        &self,
        request: &Request,
        url: &str,
        key: Option<&Secret>,
        more: &[(&'static str, String)],
        time: Duration,
    ) -> Result<(Answer, String), Broken> {
        let end = Instant::now() + time;
        let origin = |url: &str| origin::parse(url).map(|url| url.origin());
        let home = origin(url);
        let mut url = url.to_owned();
        for _ in 0..=REDIRECTS {
            let key = key.filter(|_| origin(&url) == home);
            let key = request.host.key.map(|(_, sent)| sent).zip(key);
            // The error's text would contain the URL with the key.
            let built = built(request, &url, key, more)
                .map_err(|_error| Broken::Refused("a request that cannot be built"))?;
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(Broken::Late);
            }
            let sent = self.0.configure_request(built);
            let sent = sent.timeout_global(Some(left)).build();
            let answer = self.0.run(sent).map_err(broken)?;
            if !matches!(answer.status().as_u16(), 301 | 302 | 303 | 307 | 308) {
                return Ok((answer, url));
            }
            if request.method != Method::GET {
                return Err(Broken::Refused("a redirect of a request with a body"));
            }
            let location = header(&answer, "location").unwrap_or_default();
            let target = origin::redirected(&url, location)
                .ok_or(Broken::Refused("a redirect to where none may lead"))?;
            url = without_key(target, key)
                .ok_or(Broken::Refused("a redirect that repeats the key"))?;
        }
        Err(Broken::Refused("more than 5 redirects"))
    }
}

/// Builds the request for the HTTP crate.
fn built(
    request: &Request,
    url: &str,
    key: Option<(KeySent, &Secret)>,
    more: &[(&'static str, String)],
) -> http::Result<http::Request<Vec<u8>>> {
    let mut full = url.to_owned();
    let mut builder = http::Request::builder()
        .method(&request.method)
        .header(ACCEPT, request.accept);
    match key {
        None => {}
        Some((KeySent::Header(name), key)) => builder = builder.header(name, key.reveal()),
        Some((KeySent::Bearer, key)) => {
            let bearer = format!("Bearer {}", key.reveal());
            builder = builder.header(AUTHORIZATION, bearer);
        }
        Some((KeySent::Query(name), key)) => {
            let begin = if full.contains('?') { '&' } else { '?' };
            let key = utf8_percent_encode(key.reveal(), VALUE);
            full = format!("{full}{begin}{name}={key}");
        }
    }
    for (name, value) in more {
        builder = builder.header(*name, value);
    }
    if !request.body.is_empty() {
        builder = builder.header(CONTENT_TYPE, "application/json");
    }
    builder.uri(full).body(request.body.clone().into_bytes())
}

/// The meaning of an error. An error while reading a body wraps another error of the HTTP crate. Error texts may contain the URL; only
/// texts that cannot are passed on.
pub(crate) fn broken(error: impl Into<ureq::Error>) -> Broken {
    use std::io::ErrorKind as Io;
    use ureq::Error;
    let what = match error.into() {
        Error::Timeout(_) => return Broken::Late,
        Error::HostNotFound => return Broken::Unreached("its name is unknown"),
        Error::ConnectionFailed => return Broken::Unreached("no connection"),
        Error::LargeResponseHeader(..) => return Broken::Refused("headers of more than 64 KiB"),
        Error::Io(source) => match source.kind() {
            Io::TimedOut | Io::WouldBlock => return Broken::Late,
            Io::ConnectionRefused => return Broken::Unreached("it refuses the connection"),
            // The system's name resolution returns an error without a kind.
            _ if source.to_string().starts_with("failed to lookup address") => {
                return Broken::Unreached("its name cannot be looked up: is there a network?");
            }
            Io::UnexpectedEof => "the body ends before its end",
            kind => return Broken::Trouble(kind.to_string()),
        },
        Error::Tls(what) => return Broken::Trouble(format!("TLS: {what}")),
        Error::Rustls(source) => return Broken::Trouble(format!("TLS: {source}")),
        Error::Protocol(_) => "it does not speak HTTP/1.1",
        Error::Decompress(..) => "a damaged gzip body",
        Error::ConnectProxyFailed(_) | Error::InvalidProxyUrl => "the proxy refuses the connection",
        _ => "the exchange broke off",
    };
    Broken::Trouble(what.to_owned())
}
