//! The files of a new helper. `@NAME@` is replaced by its name.
//!
//! The sample product counts the words of its arguments, which shows the whole path from a flag to an envelope.

/// Files of the crate.
pub(super) const CRATE: [(&str, &str); 7] = [
    ("Cargo.toml", include_str!("template/Cargo.toml.txt")),
    ("src/main.rs", include_str!("template/main.rs.txt")),
    ("src/lib.rs", include_str!("template/lib.rs.txt")),
    ("src/cli.rs", include_str!("template/cli.rs.txt")),
    ("src/error.rs", include_str!("template/error.rs.txt")),
    ("src/report.rs", include_str!("template/report.rs.txt")),
    ("tests/cli.rs", include_str!("template/tests.rs.txt")),
];

/// The schema of the sample product, as its own test would write it.
pub(super) const SCHEMA: &str = include_str!("template/schema.json.txt");
