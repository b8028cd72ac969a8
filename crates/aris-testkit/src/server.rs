//! A loopback server that gives the answers of a test, with faults if requested, and records every request.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// One received request.
#[derive(Clone, Debug)]
pub struct Received {
    /// Arrival, since the server started.
    pub at: Duration,
    /// End of the answer, since the server started; zero until then.
    pub until: Duration,
    /// Number of the connection, from 1.
    pub connection: usize,
    /// `GET`, `POST`.
    pub method: String,
    /// Path and query, as sent.
    pub target: String,
    /// Headers, with names in lower case.
    pub headers: BTreeMap<String, String>,
    /// The body.
    pub body: Vec<u8>,
    /// Number of earlier requests for the same target.
    pub earlier: usize,
}

impl Received {
    /// The path, without the query.
    pub fn path(&self) -> &str {
        self.target.split('?').next().unwrap_or_default()
    }

    /// A query parameter, decoded.
    pub fn query(&self, name: &str) -> Option<String> {
        let query = self.target.split_once('?')?.1;
        let value = query
            .split('&')
            .filter_map(|pair| pair.split_once('='))
            .find_map(|(key, value)| (key == name).then_some(value))?;
        Some(decoded(value))
    }
}

/// How an answer is sent.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Manner {
    Whole,
    /// Only this many bytes of the body, then the connection ends.
    Cut(usize),
    /// Nothing, until the server stops.
    Stall,
    /// The connection ends before the first byte.
    Drop,
    /// This many bytes at a time, with a pause after each piece.
    Drip(usize, Duration),
    /// After a pause.
    Late(Duration),
}

/// An answer of the server.
#[derive(Clone, Debug)]
pub struct Answer {
    status: u16,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
    manner: Manner,
}

impl Answer {
    /// A status without a body.
    pub fn status(status: u16) -> Self {
        Self {
            status,
            headers: Vec::new(),
            body: Vec::new(),
            manner: Manner::Whole,
        }
    }

    /// 200 with a body.
    pub fn ok(media_type: &str, body: impl Into<Vec<u8>>) -> Self {
        Self::status(200)
            .header("content-type", media_type)
            .body(body)
    }

    /// 200 with JSON.
    pub fn json(value: &serde_json::Value) -> Self {
        Self::ok("application/json", value.to_string())
    }

    /// 200 with an HTML page, as proxies and overloaded sites send.
    pub fn html() -> Self {
        Self::ok(
            "text/html; charset=utf-8",
            "<!DOCTYPE html><html><title>Please wait</title></html>",
        )
    }

    /// A redirect.
    pub fn redirect(location: &str) -> Self {
        Self::status(302).header("location", location)
    }

    /// Adds a header.
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Sets the body.
    #[must_use]
    pub fn body(mut self, body: impl Into<Vec<u8>>) -> Self {
        self.body = body.into();
        self
    }

    /// Sets the status.
    #[must_use]
    pub fn with_status(mut self, status: u16) -> Self {
        self.status = status;
        self
    }

    /// Announces the whole body, but ends the connection after `bytes`.
    #[must_use]
    pub fn cut(mut self, bytes: usize) -> Self {
        self.manner = Manner::Cut(bytes);
        self
    }

    /// Never answers.
    #[must_use]
    pub fn stall() -> Self {
        let mut answer = Self::status(200);
        answer.manner = Manner::Stall;
        answer
    }

    /// Ends the connection instead of answering.
    #[must_use]
    pub fn drop() -> Self {
        let mut answer = Self::status(200);
        answer.manner = Manner::Drop;
        answer
    }

    /// Sends the body in pieces of `bytes`, with a pause between them.
    #[must_use]
    pub fn drip(mut self, bytes: usize, pause: Duration) -> Self {
        self.manner = Manner::Drip(bytes.max(1), pause);
        self
    }

    /// Answers after a pause.
    #[must_use]
    pub fn late(mut self, pause: Duration) -> Self {
        self.manner = Manner::Late(pause);
        self
    }
}

struct Shared {
    start: Instant,
    stopping: AtomicBool,
    stopped: Condvar,
    log: Mutex<Vec<Received>>,
    answer: Box<dyn Fn(&Received) -> Answer + Send + Sync>,
}

impl Shared {
    fn log(&self) -> MutexGuard<'_, Vec<Received>> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits, but not longer than the server runs.
    fn wait(&self, time: Duration) {
        let end = Instant::now() + time;
        let mut log = self.log();
        while !self.stopping.load(Ordering::SeqCst) {
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return;
            }
            log = self
                .stopped
                .wait_timeout(log, left)
                .unwrap_or_else(PoisonError::into_inner)
                .0;
        }
    }
}

/// A server on its own loopback port. It stops when dropped.
pub struct Server {
    address: String,
    shared: Arc<Shared>,
}

impl Server {
    /// Starts a server. `answer` is called for every request, in order of arrival on each connection.
    pub fn start(answer: impl Fn(&Received) -> Answer + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a loopback port");
        let address = listener.local_addr().expect("an address").to_string();
        let shared = Arc::new(Shared {
            start: Instant::now(),
            stopping: AtomicBool::new(false),
            stopped: Condvar::new(),
            log: Mutex::new(Vec::new()),
            answer: Box::new(answer),
        });
        let inner = Arc::clone(&shared);
        std::thread::spawn(move || {
            let count = AtomicUsize::new(0);
            for stream in listener.incoming() {
                if inner.stopping.load(Ordering::SeqCst) {
                    return;
                }
                let Ok(stream) = stream else { continue };
                let number = count.fetch_add(1, Ordering::SeqCst) + 1;
                let inner = Arc::clone(&inner);
                std::thread::spawn(move || serve(&inner, &stream, number).unwrap_or_default());
            }
        });
        Self { address, shared }
    }

    /// `http://127.0.0.1:port`.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// All requests so far, in order of arrival.
    pub fn log(&self) -> Vec<Received> {
        self.shared.log().clone()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.shared.stopping.store(true, Ordering::SeqCst);
        self.shared.stopped.notify_all();
        // Wake the thread that accepts connections.
        drop(TcpStream::connect(&self.address));
    }
}

/// Serves one connection until it ends.
fn serve(shared: &Shared, stream: &TcpStream, connection: usize) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    while let Some(mut received) = read(&mut reader)? {
        received.at = shared.start.elapsed();
        received.connection = connection;
        let place = {
            let mut log = shared.log();
            received.earlier = log
                .iter()
                .filter(|earlier| earlier.target == received.target)
                .count();
            log.push(received.clone());
            log.len() - 1
        };
        let answer = (shared.answer)(&received);
        let goes_on = send(shared, stream, &answer)?;
        if let Some(entry) = shared.log().get_mut(place) {
            entry.until = shared.start.elapsed();
        }
        if !goes_on {
            return stream.shutdown(Shutdown::Both);
        }
    }
    Ok(())
}

/// Sends an answer. Returns whether the connection stays open.
fn send(shared: &Shared, mut stream: &TcpStream, answer: &Answer) -> std::io::Result<bool> {
    match answer.manner {
        Manner::Stall => {
            shared.wait(Duration::from_hours(1));
            return Ok(false);
        }
        Manner::Drop => return Ok(false),
        Manner::Late(pause) => shared.wait(pause),
        Manner::Whole | Manner::Cut(_) | Manner::Drip(..) => {}
    }
    let mut head = format!("HTTP/1.1 {} x\r\n", answer.status);
    for (name, value) in &answer.headers {
        write!(head, "{name}: {value}\r\n").expect("a string");
    }
    write!(head, "content-length: {}\r\n\r\n", answer.body.len()).expect("a string");
    stream.write_all(head.as_bytes())?;
    match answer.manner {
        Manner::Cut(bytes) => {
            let piece = answer.body.get(..bytes).unwrap_or(&answer.body);
            stream.write_all(piece)?;
            Ok(false)
        }
        Manner::Drip(bytes, pause) => {
            for piece in answer.body.chunks(bytes) {
                stream.write_all(piece)?;
                stream.flush()?;
                shared.wait(pause);
            }
            Ok(true)
        }
        _ => {
            stream.write_all(&answer.body)?;
            Ok(true)
        }
    }
}

/// Reads the next request of a connection; `None` when the connection has ended.
fn read(reader: &mut BufReader<TcpStream>) -> std::io::Result<Option<Received>> {
    let mut line = String::new();
    if reader.read_line(&mut line)? == 0 {
        return Ok(None);
    }
    let mut words = line.split_whitespace();
    let method = words.next().unwrap_or_default().to_owned();
    let target = words.next().unwrap_or_default().to_owned();
    let mut headers = BTreeMap::new();
    loop {
        line.clear();
        reader.read_line(&mut line)?;
        let Some((name, value)) = line.trim_end().split_once(':') else {
            break;
        };
        headers.insert(name.to_ascii_lowercase(), value.trim().to_owned());
    }
    let length = headers
        .get("content-length")
        .and_then(|text| text.parse().ok())
        .unwrap_or(0);
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    Ok(Some(Received {
        at: Duration::ZERO,
        until: Duration::ZERO,
        connection: 0,
        method,
        target,
        headers,
        body,
        earlier: 0,
    }))
}

/// Decodes percent escapes; `+` becomes a blank.
fn decoded(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        match byte {
            b'+' => bytes.push(b' '),
            b'%' => {
                let digits: Vec<u8> = rest.by_ref().take(2).collect();
                let value = std::str::from_utf8(&digits)
                    .ok()
                    .and_then(|digits| u8::from_str_radix(digits, 16).ok());
                bytes.push(value.unwrap_or(b'?'));
            }
            other => bytes.push(other),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
