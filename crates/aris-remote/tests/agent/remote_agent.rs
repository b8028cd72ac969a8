//! The program that the tests put on the server: serves one request. A call appends its arguments to `calls` and prints them.
#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::print_stderr,
    reason = "a program of the tests, with the real home folder and streams"
)]

use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use aris_remote::{Answer, serve};

fn main() {
    let home = PathBuf::from(std::env::var_os("HOME").expect("a home folder"));
    let mut call = |folder: &Path, args: &[String]| {
        let calls = folder.join("calls");
        let mut file = OpenOptions::new()
            .create(true)
            .append(true)
            .open(calls)
            .expect("a file");
        writeln!(file, "{}", args.join(" ")).expect("written");
        Answer {
            code: 10,
            stdout: args.join("\n"),
            stderr: String::from("said"),
        }
    };
    let (mut input, mut output) = (std::io::stdin(), std::io::stdout());
    if let Err(error) = serve(&home, &mut input, &mut output, &mut call) {
        eprintln!("{error}");
        std::process::exit(4);
    }
}
