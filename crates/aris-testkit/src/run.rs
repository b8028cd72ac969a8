//! The result of one run of a helper.

use aris_proc::{End, Finished, ProcError};
use serde_json::Value;

/// Exit, stdout and stderr of one run.
#[derive(Clone, Debug)]
pub struct Run {
    finished: Finished,
}

impl Run {
    pub(crate) fn of(finished: Result<Finished, ProcError>) -> Self {
        let finished = finished
            .unwrap_or_else(|error| panic!("{error}: {:?}", std::error::Error::source(&error)));
        let run = Self { finished };
        assert!(
            run.finished.end != End::TimedOut,
            "no end within {:?}: {run}",
            run.finished.deadline
        );
        assert!(
            run.finished.stdout.dropped == 0,
            "stdout is over the capture limit: {run}"
        );
        run
    }

    /// How the run ended.
    pub fn end(&self) -> End {
        self.finished.end
    }

    /// The exit code; panics when a signal ended the run.
    pub fn code(&self) -> i32 {
        self.finished
            .code()
            .unwrap_or_else(|error| panic!("{error}: {self}"))
    }

    /// stdout, which must be UTF-8.
    pub fn stdout(&self) -> &str {
        str::from_utf8(&self.finished.stdout.bytes)
            .unwrap_or_else(|error| panic!("stdout: {error}: {self}"))
    }

    /// stderr, which must be UTF-8.
    pub fn stderr(&self) -> &str {
        str::from_utf8(&self.finished.stderr.bytes)
            .unwrap_or_else(|error| panic!("stderr: {error}: {self}"))
    }

    /// stdout as the single envelope that `--json` promises: one line, an object with either `data` and `meta` or `error`, and
    /// an exit code that agrees with it.
    pub fn envelope(&self) -> Value {
        let text = self.stdout();
        let line = text
            .strip_suffix('\n')
            .unwrap_or_else(|| panic!("stdout does not end in a line feed: {self}"));
        assert!(
            !line.contains('\n'),
            "stdout has more than one line: {self}"
        );
        let value: Value =
            serde_json::from_str(line).unwrap_or_else(|error| panic!("stdout: {error}: {self}"));
        let keys: Vec<&str> = value
            .as_object()
            .into_iter()
            .flat_map(|map| map.keys())
            .map(String::as_str)
            .collect();
        match keys.as_slice() {
            ["data", "meta"] => {}
            ["error"] => assert!(self.code() != 0, "an error envelope with exit 0: {self}"),
            other => panic!("an envelope has data and meta, or error, not {other:?}: {self}"),
        }
        value
    }

    /// The data of a success envelope.
    pub fn data(&self) -> Value {
        let mut envelope = self.envelope();
        assert!(envelope.get("data").is_some(), "not a success: {self}");
        envelope["data"].take()
    }

    /// The body of an error envelope.
    pub fn error(&self) -> Value {
        let mut envelope = self.envelope();
        assert!(envelope.get("error").is_some(), "not an error: {self}");
        envelope["error"].take()
    }

    /// Panics unless the exit code is `expected`, showing both streams.
    #[track_caller]
    #[expect(
        clippy::return_self_not_must_use,
        reason = "often the code is all there is to check"
    )]
    pub fn expect_code(self, expected: i32) -> Self {
        assert!(
            self.end() == End::Exited(expected),
            "expected exit {expected}: {self}"
        );
        self
    }
}

impl std::fmt::Display for Run {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Finished {
            program,
            end,
            stdout,
            stderr,
            ..
        } = &self.finished;
        write!(
            out,
            "{program}: {end:?}\n--- stdout\n{}\n--- stderr\n{}",
            stdout.text(),
            stderr.text()
        )
    }
}

#[cfg(test)]
mod tests {
    use crate::Helper;

    fn printed(text: &str, code: i32) -> super::Run {
        Helper::at("/bin/sh")
            .call("/")
            .args(["-c", &format!("cat; exit {code}")])
            .stdin(text)
            .run()
    }

    #[test]
    fn an_envelope_is_one_line_with_data_or_an_error() {
        assert_eq!(
            printed("{\"data\":[1],\"meta\":{}}\n", 10).data(),
            serde_json::json!([1])
        );
        assert_eq!(
            printed("{\"error\":{\"code\":\"USAGE\"}}\n", 2).error()["code"],
            "USAGE"
        );
        for (text, code) in [
            ("", 0),
            ("{}\n", 0),
            ("{\"data\":1,\"meta\":{}}", 0),
            ("{\"data\":1,\"meta\":{}}\n\n", 0),
            ("{\"data\":1}\n", 0),
            ("{\"error\":{}}\n", 0),
            ("nonsense\n", 1),
        ] {
            let run = printed(text, code);
            assert!(
                std::panic::catch_unwind(move || run.envelope()).is_err(),
                "{text}"
            );
        }
    }
}
