#![cfg(test)]
#![allow(
    clippy::disallowed_methods,
    reason = "tests prepare files directly and start themselves as other processes"
)]
//! The client against a server that misbehaves in every way we know of.

use std::fmt::Write as _;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use aris_contract::{ErrorKind, Failure as _};
use aris_http::{
    Client, Doubt, Event, Expect, Host, HttpError, KeyPlace, KeySent, Magic, Manners, Mode,
    Request, Response, Settings,
};
use aris_testkit::{Answer, Server};
use jiff::Timestamp;

const QUICK: Manners = Manners {
    interval: Duration::ZERO,
    connections: 8,
    exclusive: false,
};
static QUICK_HOST: Host = host("quick", QUICK);
static SLOW_HOST: Host = host(
    "slow",
    Manners {
        interval: Duration::from_millis(120),
        connections: 1,
        exclusive: true,
    },
);
static PACED_HOST: Host = host(
    "paced",
    Manners {
        interval: Duration::from_millis(40),
        connections: 4,
        exclusive: false,
    },
);
static QUERY_KEY_HOST: Host = Host {
    name: "query",
    key: Some(KeyPlace {
        variable: "TEST_KEY",
        sent: KeySent::Query("api_key"),
    }),
    ..host("query", QUICK)
};

const fn host(name: &'static str, manners: Manners) -> Host {
    Host {
        name,
        origin: "https://unreachable.invalid",
        prefix: "/api",
        base_variable: "TEST_BASE",
        key: Some(KeyPlace {
            variable: "TEST_KEY",
            sent: KeySent::Header("x-api-key"),
        }),
        manners,
        manners_with_key: manners,
    }
}

const KEY: &str = "s3cr3t-key-0815";

fn settings(server: &str, cache: &Path, key: bool) -> Settings {
    let env = |name: &str| match name {
        "TEST_BASE" => Some(server.to_owned()),
        "TEST_KEY" if key => Some(KEY.to_owned()),
        "ARIS_CACHE_DIR" => Some(cache.display().to_string()),
        _ => None,
    };
    Settings::new(
        &[&QUICK_HOST, &SLOW_HOST, &PACED_HOST, &QUERY_KEY_HOST],
        &env,
        Path::new("/tmp"),
        "aris-test/1",
        Arc::new(Timestamp::now),
    )
    .expect("settings")
    .deadline(Duration::from_secs(20))
}

fn client(server: &Server, cache: &Path) -> Client {
    Client::new(settings(&server.url(), cache, true)).expect("client")
}

#[expect(clippy::unnecessary_wraps, reason = "a reader may doubt")]
fn text(response: &Response) -> Result<String, Doubt> {
    Ok(format!(
        "{} {}",
        response.status,
        String::from_utf8_lossy(&response.body)
    ))
}

fn ask(client: &Client, path: &'static str) -> Result<String, HttpError> {
    client.ask(&Request::get(&QUICK_HOST, path, Expect::Json), text)
}

fn temp() -> tempfile::TempDir {
    tempfile::tempdir().expect("temp")
}

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
                let settings = settings(&server.url(), cache.path(), true);
                let client =
                    Client::new(settings.deadline(Duration::from_secs(3))).expect("client");
                let request = Request::get(&QUICK_HOST, "/x", Expect::Json)
                    .keep(Duration::from_hours(1), Duration::from_hours(1));
                let error = client.ask(&request, text).expect_err(what);
                assert_eq!(error.kind(), ErrorKind::Unavailable, "{what}: {error}");
                assert!(error.is_silence(), "{what}");
                let told = format!("{error} {error:?} {:?} {:?}", error.hint(), error.details());
                assert!(!told.contains(KEY), "{what}: {told}");
                assert_eq!(kept(cache.path()), Vec::<String>::new(), "{what}");
            });
        }
    });
}

/// Names of all files of the cache.
fn kept(cache: &Path) -> Vec<String> {
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
    let request = Request::get(&QUICK_HOST, "/x", Expect::Json);
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
        matches!(error, HttpError::TooLarge { limit, .. } if limit == 10 << 20),
        "{error}"
    );
}

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
    let settings = settings(&server.url(), cache.path(), true).listener(Arc::new(listener));
    assert!(!format!("{settings:?}").contains(KEY));
    let client = Client::new(settings).expect("client");
    ask(&client, "/away").expect("followed");
    ask(&client, "/inside").expect("followed");
    let request = Request::get(&QUERY_KEY_HOST, "/q", Expect::Json)
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
    let request =
        Request::get(&QUICK_HOST, "/x", Expect::Json).keep(Duration::from_hours(1), Duration::ZERO);
    let short =
        Request::get(&QUICK_HOST, "/y", Expect::Json).keep(Duration::from_nanos(1), Duration::ZERO);
    let with = |mode: Mode| {
        Client::new(settings(&server.url(), cache.path(), true).mode(mode)).expect("client")
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
    // Another base URL is another question.
    let other = Server::start(|_| Answer::ok("application/json", "9"));
    let other = Client::new(settings(&other.url(), cache.path(), true)).expect("client");
    assert_eq!(other.ask(&request, text).expect("asked"), "200 9");
}

#[test]
fn absences_are_kept_for_their_own_time() {
    let server = Server::start(|_| Answer::status(404));
    let cache = temp();
    let client = client(&server, cache.path());
    let keep =
        Request::get(&QUICK_HOST, "/x", Expect::Json).keep(Duration::ZERO, Duration::from_hours(1));
    let forget =
        Request::get(&QUICK_HOST, "/y", Expect::Json).keep(Duration::from_hours(1), Duration::ZERO);
    for request in [&keep, &keep, &forget, &forget] {
        client.ask(request, text).expect("an absence");
    }
    assert_eq!(server.log().len(), 3);
}

#[test]
fn a_host_that_refuses_everybody_is_left_alone_by_all_processes() {
    let server = Server::start(|_| Answer::status(429));
    let cache = temp();
    let first = Client::new(settings(&server.url(), cache.path(), true)).expect("client");
    ask(&first, "/x").expect_err("refused");
    let asked = server.log().len();
    assert!((3..=5).contains(&asked), "{asked}");
    // Another client of the same cache folder stands for another process: it does not even ask.
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
                    .ask(&Request::get(&PACED_HOST, "/x", Expect::Json), text)
                    .expect("an answer")
            });
        }
    });
    gaps(&server, Duration::from_millis(40));
    let most = server.log().iter().map(|request| request.connection).max();
    assert!(most <= Some(4), "{most:?}");
}

/// From the first beginning to the last lie as many intervals, but for one that a slow machine may take from the first.
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
        // One of the eight.
        let cache = std::env::var("ARIS_TEST_CACHE").expect("cache");
        let client = Client::new(settings(&server, Path::new(&cache), true)).expect("client");
        for _ in 0..2 {
            client
                .ask(&Request::get(&SLOW_HOST, "/x", Expect::Json), text)
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
                    "eight_processes_keep_the_pace_and_the_one_connection",
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
            // Killed wherever it is, perhaps with the lock in its hands.
            child.kill().expect("kill");
            child.wait().expect("gone");
        } else {
            assert!(child.wait().expect("a child").success());
        }
    }
    let mut log = server.log();
    assert!(log.len() >= 16, "{}", log.len());
    log.sort_by_key(|request| request.at);
    // A slow machine may delay one arrival; over all of them the pace shows.
    let span = log[log.len() - 1].at.saturating_sub(log[0].at);
    let least = Duration::from_millis(120) * u32::try_from(log.len() - 2).expect("few");
    assert!(span >= least, "{span:?} {log:?}");
    let overlaps = log
        .windows(2)
        .filter(|pair| pair[1].at < pair[0].until)
        .count();
    // Only the answer to the process that was killed may still be under way.
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
    let request = Request::get(&FAR, "/x", Expect::Json);
    client.ask(&request, text).expect("the first");
    for _ in 0..3 {
        let error = client.ask(&request, text).expect_err("too early");
        assert!(
            matches!(error, HttpError::TooLate { wait, .. } if wait < Duration::from_mins(10)),
            "{error}"
        );
    }
    // A state file of another boot, or a damaged one, stands in nobody's way.
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
fn a_download_is_checked_and_goes_on_where_it_broke_off() {
    let body: Vec<u8> = b"%PDF-1.7\n"
        .iter()
        .copied()
        .chain((0..200_000_u32).map(|n| (n % 251) as u8))
        .collect();
    let sent = body.clone();
    let server = Server::start(move |request| {
        if request.path() == "/api/missing" {
            return Answer::status(404);
        }
        if request.path() == "/api/page" {
            return Answer::html();
        }
        let whole = Answer::ok("application/pdf", sent.clone()).header("etag", "\"v1\"");
        match request.headers.get("range") {
            None => whole.cut(120_000),
            Some(range) => {
                let from: usize = range
                    .trim_start_matches("bytes=")
                    .trim_end_matches('-')
                    .parse()
                    .expect("range");
                Answer::ok("application/pdf", sent[from..].to_vec()).with_status(206)
            }
        }
    });
    let cache = temp();
    let folder = temp();
    let client = client(&server, cache.path());
    let target = folder.path().join("paper.pdf");
    let get = |path: &'static str| Request::get(&QUICK_HOST, path, Expect::File).limit(1 << 30);
    let done = client
        .download(&get("/p"), &target, Magic::Pdf)
        .expect("download")
        .expect("there");
    assert_eq!(
        (std::fs::read(&target).expect("file"), done.bytes),
        (body.clone(), body.len() as u64)
    );
    assert_eq!(server.log().len(), 2);
    // Something else than a PDF replaces nothing.
    let error = client
        .download(&get("/page"), &target, Magic::Pdf)
        .expect_err("a page");
    assert_eq!(error.kind(), ErrorKind::Unavailable);
    assert_eq!(
        client
            .download(&get("/missing"), &target, Magic::Pdf)
            .expect("an answer"),
        None
    );
    assert_eq!(std::fs::read(&target).expect("file"), body);
    let left: Vec<_> = aris_fs::list_sorted(folder.path())
        .expect("folder")
        .into_iter()
        .map(|entry| entry.name)
        .collect();
    assert_eq!(left, ["paper.pdf"]);
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
        let request = Request::get(&QUICK_HOST, "/works", Expect::Json).segments(value);
        client.ask(&request, text).expect("an answer");
        assert_eq!(server.log().pop().expect("asked").target, path, "{value}");
    }
    let request = Request::get(&QUICK_HOST, "/works", Expect::Json).segment("a/b");
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
    let request =
        Request::get(&QUICK_HOST, "/x", Expect::Json).keep(Duration::from_hours(1), Duration::ZERO);
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                let client =
                    Client::new(settings(&server.url(), cache.path(), true).mode(Mode::Refresh))
                        .expect("client");
                for _ in 0..5 {
                    client.ask(&request, text).expect("an answer");
                    let offline = Client::new(
                        settings(&server.url(), cache.path(), true).mode(Mode::Offline),
                    )
                    .expect("client");
                    let kept = offline.ask(&request, text).expect("a whole answer");
                    assert_eq!(kept.len(), 100_004);
                }
            });
        }
    });
}
