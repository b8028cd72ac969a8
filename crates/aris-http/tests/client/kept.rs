//! API keys, and cached answers.

use std::fmt::Write as _;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use aris_contract::{ErrorKind, Failure as _};
use aris_http::{Client, Event, Mode, Request};
use aris_testkit::{Answer, Server};

use crate::answers::kept;
use crate::{KEY, QUERY_KEY_HOST, QUICK_HOST, ask, client, settings, temp, text};

#[test]
fn a_key_goes_to_its_host_only_and_nowhere_else() {
    let foreign = Server::start(|_| Answer::ok("application/json", "1"));
    let there = foreign.url();
    let server = Server::start(move |request| match request.path() {
        "/api/away" => Answer::redirect(&format!("{there}/landed")),
        "/api/inside" => Answer::redirect("/api/x?y=1"),
        _ => Answer::ok("application/json", "1"),
    });
    let cache = temp();
    let events = Arc::new(Mutex::new(String::new()));
    let heard = Arc::clone(&events);
    let listener = move |event: &Event| {
        write!(heard.lock().expect("events"), "{event:?}").expect("a string");
    };
    let mut settings = settings(&server.url(), cache.path(), true);
    settings.listener = Arc::new(listener);
    let client = Client::new(settings).expect("client");
    ask(&client, "/away").expect("followed");
    ask(&client, "/inside").expect("followed");
    let request = Request::get(&QUERY_KEY_HOST, "/q")
        .query("search", "a b&c=d/é")
        .keep(Duration::from_hours(1), Duration::ZERO);
    client.ask(&request, text).expect("an answer");
    for request in server.log() {
        let sent = format!("{:?} {}", request.headers.get("x-api-key"), request.target);
        assert!(sent.contains(KEY), "{sent}");
    }
    let last = server.log().pop().expect("asked");
    assert_eq!(last.query("search").as_deref(), Some("a b&c=d/é"));
    assert_eq!(last.query("api_key").as_deref(), Some(KEY));
    for request in foreign.log() {
        assert_eq!(request.headers.get("x-api-key"), None);
        assert!(!request.target.contains(KEY));
    }
    assert_eq!(foreign.log().len(), 1);
    assert!(!events.lock().expect("events").contains(KEY));
    for entry in aris_fs::walk_sorted(cache.path(), &mut |_| true).expect("cache") {
        assert!(!entry.path.display().to_string().contains(KEY));
        if entry.kind == aris_fs::EntryKind::File {
            let bytes = std::fs::read(&entry.path).expect("file");
            assert!(
                !String::from_utf8_lossy(&bytes).contains(KEY),
                "{}",
                entry.path.display()
            );
        }
    }
}

#[test]
fn refusals_say_which_key_is_wanted() {
    let server = Server::start(|_| Answer::status(401));
    let cache = temp();
    let error = ask(&client(&server, cache.path()), "/x").expect_err("refused");
    assert_eq!(error.kind(), ErrorKind::Precondition);
    assert!(error.hint().is_some_and(|hint| hint.contains("TEST_KEY")));
    assert_eq!(server.log().len(), 1);
}

#[test]
fn the_cache_answers_for_its_time_offline_for_ever_and_never_when_damaged() {
    let server =
        Server::start(|request| Answer::ok("application/json", request.earlier.to_string()));
    let cache = temp();
    let request = Request::get(&QUICK_HOST, "/x").keep(Duration::from_hours(1), Duration::ZERO);
    let short = Request::get(&QUICK_HOST, "/y").keep(Duration::from_nanos(1), Duration::ZERO);
    let with = |mode: Mode| {
        let mut settings = settings(&server.url(), cache.path(), true);
        settings.mode = mode;
        Client::new(settings).expect("client")
    };
    let live = with(Mode::Live);
    assert_eq!(live.ask(&request, text).expect("asked"), "200 0");
    assert_eq!(live.ask(&request, text).expect("kept"), "200 0");
    assert_eq!(live.ask(&short, text).expect("asked"), "200 0");
    assert_eq!(live.ask(&short, text).expect("too old"), "200 1");
    let offline = with(Mode::Offline);
    assert_eq!(offline.ask(&short, text).expect("any age"), "200 1");
    let error = ask(&offline, "/z").expect_err("not there");
    assert_eq!(error.kind(), ErrorKind::Unavailable);
    assert!(error.to_string().contains("/api/z"), "{error}");
    assert_eq!(
        with(Mode::Refresh).ask(&request, text).expect("renewed"),
        "200 1"
    );
    assert_eq!(live.ask(&request, text).expect("kept"), "200 1");
    for path in kept(cache.path()) {
        let bytes = std::fs::read(&path).expect("file");
        std::fs::write(&path, &bytes[..bytes.len() - 1]).expect("cut");
    }
    assert_eq!(live.ask(&request, text).expect("asked again"), "200 2");
    // Another base URL makes another request.
    let other = Server::start(|_| Answer::ok("application/json", "9"));
    let other = Client::new(settings(&other.url(), cache.path(), true)).expect("client");
    assert_eq!(other.ask(&request, text).expect("asked"), "200 9");
}

#[test]
fn absences_are_kept_for_their_own_time() {
    let server = Server::start(|_| Answer::status(404));
    let cache = temp();
    let client = client(&server, cache.path());
    let keep = Request::get(&QUICK_HOST, "/x").keep(Duration::ZERO, Duration::from_hours(1));
    let forget = Request::get(&QUICK_HOST, "/y").keep(Duration::from_hours(1), Duration::ZERO);
    for request in [&keep, &keep, &forget, &forget] {
        client.ask(request, text).expect("an absence");
    }
    assert_eq!(server.log().len(), 3);
}

#[test]
fn a_key_that_a_host_repeats_is_neither_read_nor_kept() {
    let server = Server::start(|request| Answer::ok("application/json", request.target.clone()));
    let cache = temp();
    let client = client(&server, cache.path());
    let request = Request::get(&QUERY_KEY_HOST, "/q").keep(Duration::from_hours(1), Duration::ZERO);
    for _ in 0..2 {
        let said = client.ask(&request, text).expect("an answer");
        assert_eq!(said, "200 /api/q?api_key=***");
    }
    assert_eq!(server.log().len(), 1);
    let kept = aris_fs::walk_sorted(cache.path(), &mut |_| true).expect("cache");
    for entry in kept
        .iter()
        .filter(|entry| entry.kind == aris_fs::EntryKind::File)
    {
        let bytes = std::fs::read(&entry.path).expect("file");
        assert!(!String::from_utf8_lossy(&bytes).contains(KEY));
    }
}
