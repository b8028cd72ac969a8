//! Drives a browser through its debugging pipe.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// How long a condition may take.
const PATIENCE: Duration = Duration::from_mins(1);
/// Pause between two checks of a condition.
const PAUSE: Duration = Duration::from_millis(10);

/// Chromium with one empty page. It ends when dropped, and after at most four minutes.
#[derive(Debug)]
pub struct Browser {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    session: String,
    number: u64,
    /// Events that the browser sent between its answers.
    events: Vec<Value>,
    _profile: tempfile::TempDir,
}

impl Browser {
    /// Starts the browser; `None` when this machine has none.
    pub fn start() -> Option<Self> {
        let found = Command::new("sh")
            .args([
                "-c",
                "command -v chromium || command -v chromium-browser || command -v google-chrome",
            ])
            .output()
            .expect("a shell");
        let program = String::from_utf8_lossy(&found.stdout).trim().to_owned();
        if program.is_empty() {
            return None;
        }
        let profile = tempfile::tempdir().expect("temp");
        // The debugging pipe uses descriptors 3 and 4. `timeout` ends a browser that hangs.
        let script = r#"exec timeout 240 "$0" --headless --no-sandbox --disable-gpu --disable-background-networking \
            --disable-dev-shm-usage --no-first-run --remote-debugging-pipe --user-data-dir="$1" about:blank 3<&0 4>&1 2>/dev/null"#;
        let mut child = Command::new("sh")
            .args(["-c", script, &program])
            .arg(profile.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the browser");
        let input = child.stdin.take().expect("its input");
        let output = BufReader::new(child.stdout.take().expect("its output"));
        let mut browser = Self {
            child,
            input,
            output,
            session: String::new(),
            number: 0,
            events: Vec::new(),
            _profile: profile,
        };
        let target = browser.call("Target.createTarget", json!({"url": "about:blank"}));
        let attach = json!({"targetId": target["targetId"], "flatten": true});
        let session = browser.call("Target.attachToTarget", attach);
        browser.session = String::from(session["sessionId"].as_str().expect("a session"));
        for domain in ["Page", "Runtime", "Log", "Network", "Accessibility"] {
            browser.call(&format!("{domain}.enable"), json!({}));
        }
        Some(browser)
    }

    /// Calls a method of the protocol and waits for its result.
    pub fn call(&mut self, method: &str, parameters: Value) -> Value {
        let mut answer = self.ask(method, parameters);
        let error = answer.get("error");
        assert!(error.is_none(), "{method}: {error:?}");
        answer["result"].take()
    }

    fn ask(&mut self, method: &str, parameters: Value) -> Value {
        self.number += 1;
        let mut message = json!({"id": self.number, "method": method, "params": parameters});
        if !self.session.is_empty() {
            message["sessionId"] = json!(self.session);
        }
        write!(self.input, "{message}\0").expect("the browser listens");
        self.input.flush().expect("the browser listens");
        loop {
            let mut bytes = Vec::new();
            self.output
                .read_until(0, &mut bytes)
                .expect("the browser answers");
            assert_eq!(bytes.pop(), Some(0), "the browser ended at {method}");
            let answer: Value = serde_json::from_slice(&bytes).expect("JSON");
            if answer["id"] == json!(self.number) {
                return answer;
            }
            self.events.push(answer);
        }
    }

    /// Sets the size of the page and the colour scheme.
    pub fn screen(&mut self, width: u32, height: u32, dark: bool) {
        self.call(
            "Emulation.setDeviceMetricsOverride",
            json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false}),
        );
        let scheme = if dark { "dark" } else { "light" };
        self.call(
            "Emulation.setEmulatedMedia",
            json!({"features": [{"name": "prefers-color-scheme", "value": scheme}]}),
        );
    }

    /// Opens an address and waits until the page is loaded.
    pub fn open(&mut self, address: &str) {
        self.call("Page.navigate", json!({"url": "about:blank"}));
        self.call("Page.navigate", json!({"url": address}));
        self.until("location.href !== 'about:blank' && document.readyState === 'complete'");
    }

    /// The value of an expression in the page. Waits for a promise.
    pub fn value(&mut self, expression: &str) -> Value {
        let mut answer = self.call(
            "Runtime.evaluate",
            json!({"expression": expression, "awaitPromise": true, "returnByValue": true}),
        );
        assert!(
            answer.get("exceptionDetails").is_none(),
            "{expression}: {answer}"
        );
        answer["result"]["value"].take()
    }

    /// The value of an expression that is a text.
    pub fn text(&mut self, expression: &str) -> String {
        let value = self.value(expression);
        value
            .as_str()
            .unwrap_or_else(|| panic!("{expression} is {value}"))
            .to_owned()
    }

    /// The visible texts with too little contrast to their background for people with low vision.
    pub fn low_contrast(&mut self) -> Value {
        self.value(include_str!("contrast.js"))
    }

    /// Waits until `condition` holds in the page; fails after a minute. The test does the polling, because a page without
    /// script has no timers.
    pub fn until(&mut self, condition: &str) {
        let expression = format!(
            "(() => {{ try {{ return Boolean({condition}); }} catch {{ return false; }} }})()"
        );
        let begun = Instant::now();
        // While a page is being replaced, the answer may be an error.
        let ask = json!({"expression": expression, "returnByValue": true});
        while self.ask("Runtime.evaluate", ask.clone())["result"]["result"]["value"] != true {
            assert!(begun.elapsed() < PATIENCE, "never: {condition}");
            std::thread::sleep(PAUSE);
        }
    }

    /// Presses a key like a person.
    pub fn press(&mut self, key: &str) {
        let (code, text) = match key {
            "Tab" => (9, ""),
            "Enter" => (13, "\r"),
            "Escape" => (27, ""),
            "ArrowLeft" => (37, ""),
            "ArrowUp" => (38, ""),
            "ArrowRight" => (39, ""),
            "ArrowDown" => (40, ""),
            other => (0, other),
        };
        let kind = if text.is_empty() {
            "rawKeyDown"
        } else {
            "keyDown"
        };
        self.call(
            "Input.dispatchKeyEvent",
            json!({"type": kind, "key": key, "text": text, "windowsVirtualKeyCode": code}),
        );
        self.call(
            "Input.dispatchKeyEvent",
            json!({"type": "keyUp", "key": key, "windowsVirtualKeyCode": code}),
        );
    }

    /// Types text at the focus.
    pub fn insert(&mut self, text: &str) {
        self.call("Input.insertText", json!({"text": text}));
    }

    /// Faults in the pages so far: exceptions, console messages, and requests to anything but files.
    pub fn complaints(&mut self) -> Vec<String> {
        self.value("0");
        let complaint = |event: &Value| {
            let parameters = &event["params"];
            match event["method"].as_str()? {
                "Runtime.exceptionThrown" | "Runtime.consoleAPICalled" | "Log.entryAdded" => {
                    Some(parameters.to_string())
                }
                "Network.requestWillBeSent" => {
                    let address = parameters["request"]["url"].as_str()?;
                    let local = ["file:", "data:", "about:"]
                        .iter()
                        .any(|scheme| address.starts_with(scheme));
                    (!local).then(|| address.to_owned())
                }
                _ => None,
            }
        };
        self.events.iter().filter_map(complaint).collect()
    }

    /// Discards the recorded faults.
    pub fn forget(&mut self) {
        self.value("0");
        self.events.clear();
    }

    /// Names and roles that a screen reader sees.
    pub fn spoken(&mut self) -> Vec<(String, String)> {
        let tree = self.call("Accessibility.getFullAXTree", json!({}));
        let nodes = tree["nodes"].as_array().expect("nodes");
        let text =
            |node: &Value, what: &str| node[what]["value"].as_str().unwrap_or_default().to_owned();
        nodes
            .iter()
            .filter(|node| node["ignored"] != json!(true))
            .map(|node| (text(node, "role"), text(node, "name")))
            .collect()
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        self.child.kill().unwrap_or_default();
        self.child.wait().map(|_| ()).unwrap_or_default();
    }
}
