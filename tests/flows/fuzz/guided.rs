//! The same parsers under libFuzzer, which keeps inputs that reach new code. `cargo xtask fuzz` builds and runs it.
#![no_main]
#![allow(clippy::disallowed_methods, reason = "a test reads its own settings")]

mod targets;

use std::sync::LazyLock;

static PARSE: LazyLock<fn(&[u8])> = LazyLock::new(|| {
    let name = std::env::var("ARIS_FUZZ_TARGET").expect("ARIS_FUZZ_TARGET names the target");
    let found = targets::TARGETS.into_iter().find(|target| target.0 == name);
    found.expect("a target").1
});

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| PARSE(bytes));
