//! Tests across helpers: `flows/` runs the real binaries in sample projects. There is nothing here to import.
