//! The pace across threads and processes.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use aris_http::{Client, Host, HttpError, Manners, Request, Settings};
use aris_testkit::{Answer, Server};
use jiff::Timestamp;

use crate::{PACED_HOST, SLOW_HOST, ask, client, host, settings, temp, text};

#[test]
fn a_host_that_refuses_everybody_is_left_alone_by_all_processes() {
    let server = Server::start(|_| Answer::status(429));
    let cache = temp();
    let first = Client::new(settings(&server.url(), cache.path(), true)).expect("client");
    ask(&first, "/x").expect_err("refused");
    let asked = server.log().len();
    assert!((3..=5).contains(&asked), "{asked}");
    // Another client with the same cache folder acts as another process: it sends no request.
    let second = Client::new(settings(&server.url(), cache.path(), true)).expect("client");
    let error = ask(&second, "/y").expect_err("the circuit is open");
    assert!(matches!(error, HttpError::TooLate { .. }), "{error}");
    assert_eq!(server.log().len(), asked);
}

#[test]
fn a_paced_host_is_not_asked_faster_by_threads() {
    let server = Server::start(|_| Answer::ok("application/json", "1"));
    let cache = temp();
    let client = client(&server, cache.path());
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                client
                    .ask(&Request::get(&PACED_HOST, "/x"), text)
                    .expect("an answer")
            });
        }
    });
    gaps(&server, Duration::from_millis(40));
    let most = server.log().iter().map(|request| request.connection).max();
    assert!(most <= Some(4), "{most:?}");
}

/// Checks that the requests are `interval` apart. One interval is forgiven, because a slow machine may delay the first request.
fn gaps(server: &Server, interval: Duration) {
    let mut times: Vec<Duration> = server.log().iter().map(|request| request.at).collect();
    times.sort();
    let span = times[times.len() - 1].saturating_sub(times[0]);
    let least = interval * u32::try_from(times.len() - 2).expect("few");
    assert!(span >= least, "{times:?}");
}

#[test]
fn eight_processes_keep_the_pace_and_the_one_connection() {
    if let Ok(server) = std::env::var("ARIS_TEST_SERVER") {
        // This is one of the eight processes.
        let cache = std::env::var("ARIS_TEST_CACHE").expect("cache");
        let client = Client::new(settings(&server, Path::new(&cache), true)).expect("client");
        for _ in 0..2 {
            client
                .ask(&Request::get(&SLOW_HOST, "/x"), text)
                .expect("an answer");
        }
        return;
    }
    let server =
        Server::start(|_| Answer::ok("application/json", "1").late(Duration::from_millis(30)));
    let cache = temp();
    let myself = std::env::current_exe().expect("this test");
    let children: Vec<_> = (0..9)
        .map(|number| {
            let child = std::process::Command::new(&myself)
                .args([
                    "pace::eight_processes_keep_the_pace_and_the_one_connection",
                    "--exact",
                ])
                .env("ARIS_TEST_SERVER", server.url())
                .env("ARIS_TEST_CACHE", cache.path())
                .stdout(std::process::Stdio::null())
                .stderr(std::process::Stdio::null())
                .spawn()
                .expect("a child");
            (number, child)
        })
        .collect();
    for (number, mut child) in children {
        if number == 8 {
            // Kill it wherever it is, perhaps while it holds the lock.
            child.kill().expect("kill");
            child.wait().expect("gone");
        } else {
            assert!(child.wait().expect("a child").success());
        }
    }
    let mut log = server.log();
    assert!(log.len() >= 16, "{}", log.len());
    log.sort_by_key(|request| request.at);
    // A slow machine may delay single requests; the total time shows the pace.
    let span = log[log.len() - 1].at.saturating_sub(log[0].at);
    let least = Duration::from_millis(120) * u32::try_from(log.len() - 2).expect("few");
    assert!(span >= least, "{span:?} {log:?}");
    let overlaps = log
        .windows(2)
        .filter(|pair| pair[1].at < pair[0].until)
        .count();
    // Only the answer to the killed process may overlap with others.
    assert!(overlaps <= 1, "{log:?}");
}

#[test]
fn a_deadline_before_the_next_slot_is_told_and_reserves_nothing() {
    static FAR: Host = host(
        "far",
        Manners {
            interval: Duration::from_mins(10),
            connections: 1,
            exclusive: true,
        },
    );
    let server = Server::start(|_| Answer::ok("application/json", "1"));
    let cache = temp();
    let env = |name: &str| match name {
        "TEST_BASE" => Some(server.url()),
        "ARIS_CACHE_DIR" => Some(cache.path().display().to_string()),
        _ => None,
    };
    let settings = Settings::new(
        &[&FAR],
        &env,
        Path::new("/tmp"),
        "t",
        Arc::new(Timestamp::now),
    )
    .expect("settings");
    let client = Client::new(settings).expect("client");
    let request = Request::get(&FAR, "/x");
    client.ask(&request, text).expect("the first");
    for _ in 0..3 {
        let error = client.ask(&request, text).expect_err("too early");
        assert!(
            matches!(error, HttpError::TooLate { wait, .. } if wait < Duration::from_mins(10)),
            "{error}"
        );
    }
    // A state file of another boot or a damaged one is ignored.
    for text_of_state in [
        "{\"boot\":\"x\",\"next\":99999999999}",
        "{",
        "{\"next\":18446744073709551615}",
    ] {
        std::fs::write(cache.path().join("pace/far.json"), text_of_state).expect("state");
        client.ask(&request, text).expect("asked");
    }
}

#[test]
fn a_question_that_counts_for_several_takes_as_many_intervals() {
    let server = Server::start(|_| Answer::ok("application/json", "1"));
    let cache = temp();
    let client = client(&server, cache.path());
    for _ in 0..4 {
        let mut list = Request::get(&PACED_HOST, "/x");
        list.slots = 3;
        client.ask(&list, text).expect("an answer");
    }
    gaps(&server, 3 * Duration::from_millis(40));
}

/// Crossref and DataCite allow more to callers whose user agent contains an address.
#[test]
fn a_contact_address_gives_the_pace_of_those_who_are_known() {
    static POLITE: Host = Host {
        key: None,
        manners_known: crate::QUICK,
        ..host(
            "polite",
            Manners {
                interval: Duration::from_mins(10),
                connections: 1,
                exclusive: false,
            },
        )
    };
    let server = Server::start(|_| Answer::ok("application/json", "1"));
    for (agent, served) in [("t/1", false), ("t/1 (x; mailto:a@example.org)", true)] {
        let cache = temp();
        let env = |name: &str| match name {
            "TEST_BASE" => Some(server.url()),
            "ARIS_CACHE_DIR" => Some(cache.path().display().to_string()),
            _ => None,
        };
        let clock = Arc::new(Timestamp::now);
        let settings = Settings::new(&[&POLITE], &env, Path::new("/tmp"), agent, clock);
        let client = Client::new(settings.expect("settings")).expect("client");
        let request = Request::get(&POLITE, "/x");
        client.ask(&request, text).expect("the first");
        assert_eq!(client.ask(&request, text).is_ok(), served, "{agent}");
    }
}
