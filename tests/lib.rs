//! Tests across helpers: `flows/` runs the real binaries in sample projects. This library is empty.
