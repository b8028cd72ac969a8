//! Which responses are answers.

use std::path::Path;
use std::time::Duration;

use aris_contract::{ErrorKind, Failure as _};
use aris_http::{Client, Doubt, HttpError, Mode, Request, Response, Why};
use aris_testkit::{Answer, Server};

use crate::{KEY, QUICK, QUICK_HOST, ask, client, settings, temp, text};

#[test]
fn a_host_that_recovers_is_asked_again() {
    type Case = (&'static str, fn() -> Answer);
    let first: [Case; 7] = [
        ("429 with seconds", || {
            Answer::status(429).header("retry-after", "1")
        }),
        ("429", || Answer::status(429)),
        ("503", || Answer::status(503)),
        ("a page", Answer::html),
        ("a cut body", || {
            Answer::ok("application/json", "0123456789").cut(4)
        }),
        ("a dropped connection", Answer::drop),
        ("an empty body", || Answer::ok("application/json", "")),
    ];
    for (what, answer) in first {
        let server = Server::start(move |request| {
            if request.earlier == 0 {
                answer()
            } else {
                Answer::ok("application/json", "7")
            }
        });
        let cache = temp();
        let got = ask(&client(&server, cache.path()), "/x")
            .unwrap_or_else(|error| panic!("{what}: {error}"));
        assert_eq!((got.as_str(), server.log().len()), ("200 7", 2), "{what}");
    }
}

#[test]
fn a_pause_that_was_asked_for_is_kept() {
    let server = Server::start(|request| match request.earlier {
        0 => Answer::status(429).header("retry-after", "1"),
        _ => Answer::ok("application/json", "7"),
    });
    let cache = temp();
    ask(&client(&server, cache.path()), "/x").expect("an answer");
    let log = server.log();
    assert!(
        log[1].at.saturating_sub(log[0].until) >= Duration::from_millis(990),
        "{log:?}"
    );
}

#[test]
fn what_never_answers_is_unavailable_and_never_not_found() {
    type Case = (&'static str, fn() -> Answer);
    let always: [Case; 9] = [
        ("429", || Answer::status(429).header("retry-after", "30")),
        ("429 without a time", || Answer::status(429)),
        ("503", || Answer::status(503)),
        ("500", || Answer::status(500)),
        ("a stall", Answer::stall),
        ("a page", Answer::html),
        ("a page of another type", || {
            Answer::ok("application/json", " <!doctype HTML><p>")
        }),
        ("a cut body", || {
            Answer::ok("application/json", "0123456789").cut(4)
        }),
        ("a redirect loop", || Answer::redirect("/api/x")),
    ];
    std::thread::scope(|scope| {
        for (what, answer) in always {
            scope.spawn(move || {
                let server = Server::start(move |_| answer());
                let cache = temp();
                let mut settings = settings(&server.url(), cache.path(), true);
                settings.deadline = Duration::from_secs(3);
                let client = Client::new(settings).expect("client");
                let request = Request::get(&QUICK_HOST, "/x")
                    .keep(Duration::from_hours(1), Duration::from_hours(1));
                let error = client.ask(&request, text).expect_err(what);
                assert_eq!(error.kind(), ErrorKind::Unavailable, "{what}: {error}");
                let told = format!("{error} {error:?} {:?} {:?}", error.hint(), error.details());
                assert!(!told.contains(KEY), "{what}: {told}");
                assert_eq!(kept(cache.path()), Vec::<String>::new(), "{what}");
            });
        }
    });
}

/// Names of all files in the cache.
pub(crate) fn kept(cache: &Path) -> Vec<String> {
    let files = aris_fs::walk_sorted(&cache.join("http"), &mut |_| true).expect("cache");
    files
        .iter()
        .filter(|entry| entry.kind == aris_fs::EntryKind::File)
        .map(|entry| entry.path.display().to_string())
        .collect()
}

#[test]
fn answers_that_decide_something_reach_the_reader() {
    let server = Server::start(|request| match request.path() {
        "/api/gone" => Answer::status(410).body("gone"),
        "/api/none" => Answer::status(404)
            .header("content-type", "text/plain")
            .body("Resource not found."),
        "/api/bad" => Answer::status(400).body("{\"error\":1}"),
        _ => Answer::ok("text/plain", "{}"),
    });
    let cache = temp();
    let client = client(&server, cache.path());
    for (path, wanted) in [
        ("/gone", "410 gone"),
        ("/none", "404 Resource not found."),
        ("/bad", "400 {\"error\":1}"),
        ("/odd-type", "200 {}"),
    ] {
        assert_eq!(ask(&client, path).expect(path), wanted);
    }
    assert_eq!(server.log().len(), 4);
}

#[test]
fn a_doubted_answer_is_asked_for_again_and_a_malformed_one_is_not() {
    let server = Server::start(|request| {
        Answer::ok(
            "application/json",
            if request.earlier == 0 {
                "empty"
            } else {
                "full"
            },
        )
    });
    let cache = temp();
    let client = client(&server, cache.path());
    let request = Request::get(&QUICK_HOST, "/x");
    let read = |response: &Response| match response.body.as_slice() {
        b"empty" => Err(Doubt::NotAnAnswer(String::from(
            "no entries, although 12 were announced",
        ))),
        _ => Ok(()),
    };
    client.ask(&request, read).expect("the second answer");
    let malformed = |_: &Response| Err::<(), _>(Doubt::Malformed(String::from("line 3: a comma")));
    let error = client.ask(&request, malformed).expect_err("malformed");
    assert_eq!(error.kind(), ErrorKind::Validation);
    assert_eq!(server.log().len(), 3);
    let doubted = |_: &Response| Err::<(), _>(Doubt::NotAnAnswer(String::from("an empty page")));
    let error = client.ask(&request, doubted).expect_err("doubted");
    assert_eq!(error.kind(), ErrorKind::Unavailable);
    assert_eq!(server.log().len(), 6);
}

#[test]
fn a_large_answer_is_an_error_and_not_cut() {
    let server = Server::start(|_| Answer::ok("application/json", vec![b'1'; 50 << 20]));
    let cache = temp();
    let error = ask(&client(&server, cache.path()), "/x").expect_err("too large");
    assert!(
        matches!(error, HttpError::Asked { why: Why::TooLarge(limit), .. } if limit == 10 << 20),
        "{error}"
    );
}

#[test]
fn values_cannot_leave_their_place_in_a_url() {
    let server = Server::start(|_| Answer::ok("application/json", "1"));
    let cache = temp();
    let client = client(&server, cache.path());
    for (value, path) in [
        ("10.1000/x", "/api/works/10.1000/x"),
        (
            "10.1000/../../admin",
            "/api/works/10.1000/%2E%2E/%2E%2E/admin",
        ),
        ("10.1000/a?b#c", "/api/works/10.1000/a%3Fb%23c"),
        (
            "10.1000/(SICI)1:2<3::AID>4.0;2-#",
            "/api/works/10.1000/%28SICI%291:2%3C3::AID%3E4.0%3B2-%23",
        ),
        ("a b\r\nX: y", "/api/works/a%20b%0D%0AX:%20y"),
    ] {
        let request = Request::get(&QUICK_HOST, "/works").segments(value);
        client.ask(&request, text).expect("an answer");
        assert_eq!(server.log().pop().expect("asked").target, path, "{value}");
    }
    let request = Request::get(&QUICK_HOST, "/works").segment("a/b");
    client.ask(&request, text).expect("an answer");
    assert_eq!(
        server.log().pop().expect("asked").target,
        "/api/works/a%2Fb"
    );
}

#[test]
fn five_hundred_questions_share_a_few_connections() {
    let server = Server::start(|_| Answer::ok("application/json", "1"));
    let cache = temp();
    let client = client(&server, cache.path());
    let next = std::sync::atomic::AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..16 {
            scope.spawn(|| {
                while next.fetch_add(1, std::sync::atomic::Ordering::SeqCst) < 500 {
                    ask(&client, "/x").expect("an answer");
                }
            });
        }
    });
    let log = server.log();
    let connections = log
        .iter()
        .map(|request| request.connection)
        .max()
        .unwrap_or(0);
    assert_eq!(log.len(), 500);
    assert!(connections <= QUICK.connections, "{connections}");
}

#[test]
fn many_writers_of_one_answer_leave_a_whole_one() {
    let server = Server::start(|request| {
        Answer::ok(
            "application/json",
            (request.earlier % 10).to_string().repeat(100_000),
        )
    });
    let cache = temp();
    let request = Request::get(&QUICK_HOST, "/x").keep(Duration::from_hours(1), Duration::ZERO);
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                let with = |mode| {
                    let mut settings = settings(&server.url(), cache.path(), true);
                    settings.mode = mode;
                    Client::new(settings).expect("client")
                };
                let client = with(Mode::Refresh);
                for _ in 0..5 {
                    client.ask(&request, text).expect("an answer");
                    let offline = with(Mode::Offline);
                    let kept = offline.ask(&request, text).expect("a whole answer");
                    assert_eq!(kept.len(), 100_004);
                }
            });
        }
    });
}
