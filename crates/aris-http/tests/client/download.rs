//! Downloads.

use aris_contract::{ErrorKind, Failure as _};
use aris_http::Request;
use aris_testkit::{Answer, Server};

use crate::{QUICK_HOST, client, temp};

fn is_pdf(start: &[u8]) -> bool {
    start.len() >= 100 && start.starts_with(b"%PDF-")
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
                // RFC 9110 §15.3.7: a 206 states its range.
                let range = format!("bytes {from}-{}/{}", sent.len() - 1, sent.len());
                Answer::ok("application/pdf", sent[from..].to_vec())
                    .with_status(206)
                    .header("content-range", &range)
                    .header("etag", "\"v1\"")
            }
        }
    });
    let cache = temp();
    let folder = temp();
    let client = client(&server, cache.path());
    let target = folder.path().join("paper.pdf");
    let get = |path: &'static str| Request::get(&QUICK_HOST, path).accept("*/*").limit(1 << 30);
    let done = client
        .download(&get("/p"), &target, |start, _| is_pdf(start), |_| true)
        .expect("download")
        .expect("there");
    assert_eq!(
        (std::fs::read(&target).expect("file"), done.bytes),
        (body.clone(), body.len() as u64)
    );
    assert_eq!(server.log().len(), 2);
    // An existing file is not requested again, whoever made it, and never replaced.
    let again = client
        .download(&get("/p"), &target, |start, _| is_pdf(start), |_| true)
        .expect("nothing to do")
        .expect("there");
    assert_eq!((again.sha256, again.bytes), (done.sha256, done.bytes));
    assert_eq!(server.log().len(), 2);
    // A response that is not a PDF creates no file.
    let other = folder.path().join("other.pdf");
    let error = client
        .download(&get("/page"), &other, |start, _| is_pdf(start), |_| true)
        .expect_err("a page");
    assert_eq!(error.kind(), ErrorKind::Unavailable);
    assert_eq!(
        client
            .download(&get("/missing"), &other, |start, _| is_pdf(start), |_| true)
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
fn what_is_too_short_to_be_the_file_makes_none() {
    let body: Vec<u8> = b"%PDF-1.7\n0123456789"
        .iter()
        .copied()
        .cycle()
        .take(5000)
        .collect();
    let sent = body.clone();
    let server = Server::start(move |request| {
        if request.path() == "/api/tiny" {
            return Answer::ok("application/pdf", "%PDF-1.7\nabc\n");
        }
        let whole = Answer::ok("application/pdf", sent.clone()).header("etag", "\"v1\"");
        let Some(range) = request.headers.get("range") else {
            return whole.cut(3000);
        };
        let from: usize = range
            .trim_start_matches("bytes=")
            .trim_end_matches('-')
            .parse()
            .expect("range");
        // A shorter range than requested; RFC 9110 §15.3.7 allows it.
        let to = sent.len().min(from + 1200);
        Answer::ok("application/pdf", sent[from..to].to_vec())
            .with_status(206)
            .header(
                "content-range",
                &format!("bytes {from}-{}/{}", to - 1, sent.len()),
            )
            .header("etag", "\"v1\"")
    });
    let (cache, folder) = (temp(), temp());
    let client = client(&server, cache.path());
    let request = |path: &'static str| Request::get(&QUICK_HOST, path).accept("*/*").limit(1 << 30);
    let target = folder.path().join("paper.pdf");
    let error = client
        .download(
            &request("/tiny"),
            &target,
            |start, _| is_pdf(start),
            |_| true,
        )
        .expect_err("no PDF");
    assert_eq!(error.kind(), ErrorKind::Unavailable, "{error}");
    assert!(!target.exists());
    client
        .download(
            &request("/parts"),
            &target,
            |start, _| is_pdf(start),
            |_| true,
        )
        .expect("download")
        .expect("there");
    assert_eq!(std::fs::read(&target).expect("file"), body);
    assert!(
        server
            .log()
            .iter()
            .all(|request| request.headers["accept-encoding"] == "identity")
    );
}

/// The host sends a range that starts `shift` bytes too late, or one of another or unnamed version of the file; its whole files end early before that.
#[test]
fn a_part_that_does_not_belong_to_the_file_is_not_joined() {
    let body: Vec<u8> = b"%PDF-1.7\n0123456789"
        .iter()
        .copied()
        .cycle()
        .take(5000)
        .collect();
    for (shift, tag) in [(5, "\"v1\""), (0, "\"v2\""), (0, "")] {
        let sent = body.clone();
        let asked = std::sync::atomic::AtomicUsize::new(0);
        let server = Server::start(move |request| {
            let whole = Answer::ok("application/pdf", sent.clone()).header("etag", "\"v1\"");
            match request.headers.get("range") {
                None if asked.fetch_add(1, std::sync::atomic::Ordering::Relaxed) == 0 => {
                    whole.cut(3000)
                }
                None => whole,
                Some(range) => {
                    let from = range.trim_start_matches("bytes=").trim_end_matches('-');
                    let from = from.parse::<usize>().expect("a number") + shift;
                    let range = format!(
                        "bytes {from}-{}/{}",
                        sent.len() + shift - 1,
                        sent.len() + shift
                    );
                    let part = [&sent[from..], &sent[..shift]].concat();
                    let part = Answer::ok("application/pdf", part)
                        .with_status(206)
                        .header("content-range", &range);
                    if tag.is_empty() {
                        part
                    } else {
                        part.header("etag", tag)
                    }
                }
            }
        });
        let (cache, folder) = (temp(), temp());
        let target = folder.path().join("paper.pdf");
        let request = Request::get(&QUICK_HOST, "/p").accept("*/*").limit(1 << 30);
        client(&server, cache.path())
            .download(&request, &target, |start, _| is_pdf(start), |_| true)
            .expect("download")
            .expect("there");
        assert_eq!(std::fs::read(&target).expect("file"), body, "{shift} {tag}");
        assert_eq!(server.log().len(), 3);
    }
}
