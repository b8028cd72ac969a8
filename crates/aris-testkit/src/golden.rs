//! Golden files: expected output is stored beside the test and reviewed like code.

use std::path::Path;
use std::{env, fs};

/// Panics unless `actual` equals the file at `golden`. If the environment variable `update` is 1, writes the file instead;
/// `remedy` is the command for that, for the message.
#[track_caller]
pub fn check_golden(golden: &Path, actual: &str, update: &str, remedy: &str) {
    if env::var_os(update).is_some_and(|value| value == "1") {
        fs::create_dir_all(golden.parent().expect("a file lies in a folder")).expect("folder");
        fs::write(golden, actual).unwrap_or_else(|error| panic!("{}: {error}", golden.display()));
        return;
    }
    let expected = fs::read_to_string(golden)
        .unwrap_or_else(|error| panic!("{}: {error}; {remedy} writes it", golden.display()));
    if expected == actual {
        return;
    }
    let line = 1 + expected
        .lines()
        .zip(actual.lines())
        .take_while(|(expected, actual)| expected == actual)
        .count();
    let at = |text: &str| {
        text.lines()
            .nth(line - 1)
            .map_or_else(|| String::from("nothing"), |text| format!("`{text}`"))
    };
    panic!(
        "{}:{line}: expected {}, found {}; {remedy} writes the new text:\n{actual}",
        golden.display(),
        at(&expected),
        at(actual)
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_that_differs_is_named() {
        let folder = tempfile::tempdir().expect("temp");
        let golden = folder.path().join("a.txt");
        fs::write(&golden, "one\ntwo\n").expect("write");
        let check = |actual: &str| check_golden(&golden, actual, "ARIS_TEST_UNSET", "a command");
        check("one\ntwo\n");
        let error = std::panic::catch_unwind(|| check("one\nthree\n")).expect_err("differs");
        let message = error.downcast_ref::<String>().expect("text");
        assert!(
            message.contains("a.txt:2: expected `two`, found `three`"),
            "{message}"
        );
    }
}
