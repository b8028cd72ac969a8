use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::PathBuf;
use std::rc::Rc;

use aris_contract::Signal;
use serde::Serialize;

use super::*;
use crate::context::Clock;
use crate::spec::{Network, Sample};

static SPEC: Spec = Spec {
    name: "sample",
    version: "1.2.3",
    summary: "Do one of everything",
    input: "a word",
    output: "the word",
    stderr: "notes",
    examples: &["sample done  # succeed"],
    commands: &[],
    signals: &[(10, "something was found")],
    ok: "done",
    errors: &[ErrorKind::NotFound],
    schemas: &["aris.sample.word/v1"],
    samples: &[Sample {
        args: &["done"],
        exit: &[0],
    }],
    network: Network::None,
    deadline: None,
};

#[derive(clap::Args)]
struct Cli {
    /// What to do
    what: String,
    /// A line for each
    #[arg(long)]
    jsonl: bool,
    /// Where it goes
    #[arg(long)]
    output: Option<String>,
}

#[derive(Serialize)]
struct Word(Vec<String>);

impl Product for Word {
    fn schema(&self) -> &'static str {
        "aris.sample.word/v1"
    }

    fn count(&self) -> Option<usize> {
        Some(self.0.len())
    }

    fn render(&self, out: &mut dyn Write, _style: Style) -> io::Result<()> {
        writeln!(out, "{}", self.0.join(" "))
    }
}

#[derive(Debug, thiserror::Error)]
#[error("nothing is called {0}")]
struct Nothing(String);

impl Failure for Nothing {
    fn kind(&self) -> ErrorKind {
        ErrorKind::NotFound
    }

    fn hint(&self) -> Option<String> {
        Some(String::from("call something else"))
    }
}

fn helper(cli: Cli, context: &Context) -> Result<Outcome<Word>, Nothing> {
    context.note("a note");
    match cli.what.as_str() {
        "done" => Ok(Outcome::done(Word(vec![]))),
        "forms" => Ok(Outcome::done(Word(vec![format!("{}", cli.jsonl)]))),
        "found" => Ok(Outcome::found(Word(vec![cli.what]), true)),
        "block" => Ok(Outcome {
            data: Word(vec![]),
            signal: Some(Signal::BLOCK),
        }),
        "panic" => panic!("a fault"),
        "thread" => std::thread::scope(|scope| match scope.spawn(|| panic!("far away")).join() {
            Ok(()) => Ok(Outcome::done(Word(vec![]))),
            Err(payload) => panic::resume_unwind(payload),
        }),
        _ => Err(Nothing(cli.what)),
    }
}

#[derive(Clone, Default)]
struct Shared(Rc<RefCell<Vec<u8>>>);

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

struct Broken(io::ErrorKind);

impl Write for Broken {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        Err(io::Error::from(self.0))
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn with_stdout(args: &[&str], stdout: Box<dyn Write>) -> (u8, String) {
    let stderr = Shared::default();
    let process = Process {
        args: std::iter::once("sample")
            .chain(args.iter().copied())
            .map(OsString::from)
            .collect(),
        env: BTreeMap::new(),
        cwd: PathBuf::from("/"),
        clock: Clock::System,
        stdout_style: Style::plain(),
        stderr_style: Style::plain(),
        stdout,
        stderr: Box::new(stderr.clone()),
    };
    let code = run(&SPEC, helper, process).code();
    let text = String::from_utf8(stderr.0.borrow().clone()).expect("utf-8");
    (code, text)
}

fn call(args: &[&str]) -> (u8, String, String) {
    let stdout = Shared::default();
    let (code, stderr) = with_stdout(args, Box::new(stdout.clone()));
    let text = String::from_utf8(stdout.0.borrow().clone()).expect("utf-8");
    (code, text, stderr)
}

#[test]
fn outcomes_have_one_line_of_json_and_their_code() {
    assert_eq!(
        call(&["found"]),
        (10, "found\n".to_owned(), "a note\n".to_owned())
    );
    assert_eq!(call(&["-q", "found"]).2, "");
    let expected = r#"{"data":[],"meta":{"schema":"aris.sample.word/v1","helper":"sample","version":"1.2.3","count":0}}"#;
    assert_eq!(
        call(&["--json", "done"]),
        (0, format!("{expected}\n"), "a note\n".to_owned())
    );
    assert_eq!(call(&["block"]).0, 1);
}

#[test]
fn failures_have_a_line_a_hint_and_an_envelope() {
    let (code, stdout, stderr) = call(&["--json", "x"]);
    assert_eq!(code, 3);
    assert_eq!(
        stdout,
        "{\"error\":{\"code\":\"NOT_FOUND\",\"message\":\"nothing is called x\",\"hint\":\"call something else\",\"details\":{}}}\n"
    );
    assert_eq!(
        stderr,
        "a note\nsample: error: nothing is called x\n  hint: call something else\n"
    );
    assert_eq!(call(&["x"]).1, "");
}

#[test]
fn usage_errors_have_an_envelope_too() {
    for args in [
        &["--json"][..],
        &["--json", "a", "b"],
        &["a", "--no-such", "--json"],
        &["--json", "--json", "a"],
    ] {
        let (code, stdout, stderr) = call(args);
        assert_eq!(code, 2, "{args:?}");
        assert!(
            stdout.starts_with(r#"{"error":{"code":"USAGE""#) && stdout.lines().count() == 1,
            "{stdout}"
        );
        assert!(stderr.starts_with("sample: error: "), "{stderr}");
    }
    // After `--` it is an argument, not a flag.
    assert_eq!(call(&["--", "--json"]).0, 3);
}

#[test]
fn a_format_is_the_flag_of_that_name() {
    assert_eq!(call(&["forms"]).1, "false\n");
    for args in [&["forms", "--jsonl"][..], &["forms", "--format", "jsonl"]] {
        assert_eq!(call(args).1, "true\n", "{args:?}");
    }
    assert_eq!(call(&["done", "--format=json"]), call(&["done", "--json"]));
    assert_eq!(call(&["x", "--format", "json"]), call(&["x", "--json"]));
    let (code, stdout, _) = call(&["--format", "json"]);
    assert!(code == 2 && stdout.contains("USAGE"), "{stdout}");
    assert_eq!(call(&["done", "--format", "xml"]).0, 2);
    let help = call(&["--help"]).1;
    assert!(help.contains("-o, --output") && !help.contains("--jsonl"));
    assert!(help.contains("text, json, jsonl"), "{help}");
}

#[test]
fn an_example_is_never_broken_inside_quotes() {
    let flags = "--name a-long-value --of a-long-value --this a-long-value";
    let line = format!("sample done {flags} --agent 'claude -p --output-format json --more'");
    let folded = command::folded(&line);
    assert!(folded.contains(" \\\n"), "{folded}");
    assert!(
        folded.contains("'claude -p --output-format json --more'"),
        "{folded}"
    );
}

#[test]
fn a_panic_is_exit_one_with_an_envelope_wherever_it_happened() {
    for (what, text) in [("panic", "a fault"), ("thread", "far away")] {
        let (code, stdout, stderr) = call(&["--json", what]);
        assert_eq!(code, 1);
        assert!(
            stdout.contains(r#""code":"ERROR""#) && stdout.contains(text),
            "{stdout}"
        );
        assert!(stderr.contains(text), "{stderr}");
    }
}

#[test]
fn help_and_version_are_data() {
    for flag in ["--help", "-h"] {
        let (code, stdout, stderr) = call(&[flag]);
        assert_eq!((code, stderr.as_str()), (0, ""));
        for section in [
            "\nUSAGE:\n",
            "\nEXAMPLES:\n",
            "\nEXIT CODES:\n",
            "\n  10  something was found\n",
        ] {
            assert!(stdout.contains(section), "{section} in {stdout}");
        }
    }
    assert_eq!(
        call(&["--version"]).1,
        format!("sample 1.2.3 ({})\n", crate::COMMIT)
    );
}

#[test]
fn the_contract_is_json_with_every_flag() {
    let (code, stdout, _) = call(&["--print-contract"]);
    let contract: serde_json::Value = serde_json::from_str(&stdout).expect("json");
    assert_eq!(
        (code, &contract["name"], &contract["exit"][0]["code"]),
        (0, &"sample".into(), &0.into())
    );
    let flags: Vec<&str> = contract["flags"]
        .as_array()
        .expect("list")
        .iter()
        .filter_map(|flag| flag["long"].as_str())
        .collect();
    assert_eq!(
        flags,
        [
            "--format",
            "--help",
            "--json",
            "--output",
            "--quiet",
            "--version"
        ]
    );
}

#[test]
fn a_closed_stdout_keeps_the_code_and_a_full_one_does_not() {
    assert_eq!(
        with_stdout(&["block"], Box::new(Broken(io::ErrorKind::BrokenPipe))).0,
        1
    );
    assert_eq!(
        with_stdout(&["found"], Box::new(Broken(io::ErrorKind::BrokenPipe))).0,
        10
    );
    let (code, stderr) = with_stdout(&["found"], Box::new(Broken(io::ErrorKind::StorageFull)));
    assert_eq!(code, 5);
    assert!(stderr.contains("cannot write to stdout"), "{stderr}");
}
