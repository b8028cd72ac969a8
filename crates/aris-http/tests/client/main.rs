#![cfg(test)]
#![allow(
    clippy::disallowed_methods,
    reason = "tests prepare files directly and start themselves as other processes"
)]
//! The client against a server that misbehaves in all ways we know.

mod answers;
mod download;
mod kept;
mod pace;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use aris_http::{Client, Doubt, Host, HttpError, KeySent, Manners, Request, Response, Settings};
use aris_testkit::Server;
use jiff::Timestamp;

pub(crate) const QUICK: Manners = Manners::every(0, 8);
pub(crate) static QUICK_HOST: Host = host("quick", QUICK);
pub(crate) static SLOW_HOST: Host = host(
    "slow",
    Manners {
        exclusive: true,
        ..Manners::every(120, 1)
    },
);
pub(crate) static PACED_HOST: Host = host("paced", Manners::every(40, 4));
pub(crate) static QUERY_KEY_HOST: Host =
    host("query", QUICK).key("TEST_KEY", KeySent::Query("api_key"));

pub(crate) const fn host(name: &'static str, manners: Manners) -> Host {
    Host {
        prefix: "/api",
        ..Host::new(name, "https://unreachable.invalid", "TEST_BASE", manners)
            .key("TEST_KEY", KeySent::Header("x-api-key"))
    }
}

pub(crate) const KEY: &str = "s3cr3t-key-0815";

pub(crate) fn settings(server: &str, cache: &Path, key: bool) -> Settings {
    let env = |name: &str| match name {
        "TEST_BASE" => Some(server.to_owned()),
        "TEST_KEY" if key => Some(KEY.to_owned()),
        "ARIS_CACHE_DIR" => Some(cache.display().to_string()),
        _ => None,
    };
    let mut settings = Settings::new(
        &[&QUICK_HOST, &SLOW_HOST, &PACED_HOST, &QUERY_KEY_HOST],
        &env,
        Path::new("/tmp"),
        "aris-test/1",
        Arc::new(Timestamp::now),
    )
    .expect("settings");
    settings.deadline = Duration::from_secs(20);
    settings
}

pub(crate) fn client(server: &Server, cache: &Path) -> Client {
    Client::new(settings(&server.url(), cache, true)).expect("client")
}

#[expect(clippy::unnecessary_wraps, reason = "a reader may doubt")]
pub(crate) fn text(response: &Response) -> Result<String, Doubt> {
    Ok(format!(
        "{} {}",
        response.status,
        String::from_utf8_lossy(&response.body)
    ))
}

pub(crate) fn ask(client: &Client, path: &'static str) -> Result<String, HttpError> {
    client.ask(&Request::get(&QUICK_HOST, path), text)
}

pub(crate) fn temp() -> tempfile::TempDir {
    tempfile::tempdir().expect("temp")
}
