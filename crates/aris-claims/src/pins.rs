//! `claims.toml`: what the author says a number means.
