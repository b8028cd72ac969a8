//! SR2.

use super::{Case, Files, body, case, check, tree};

/// A header without findings, without the first line.
const HEADER: &str =
    "# Usage: x\n# Input: a\n# Output: b\n# Stderr: c\n# Exit: 0\n# Examples: x --json --help\n";

/// The head of an ELF program for x86-64 with one section of this type: 2 is a symbol table.
fn elf(section: u8) -> Vec<u8> {
    let mut bytes = vec![0; 128];
    bytes[..6].copy_from_slice(&[0x7F, b'E', b'L', b'F', 2, 1]);
    bytes[18] = 62;
    bytes[0x28] = 64;
    bytes[0x3A] = 64;
    bytes[0x3C] = 1;
    bytes[64 + 4] = section;
    bytes
}

const BINARY: &str = "a/scripts/bin/x-x86_64-unknown-linux-musl*";
const CONTRACT: &str = r#"{"schema": "aris.helper_contract.contract/v1", "name": "x", "version": "0.1.0", "usage": "x",
    "flags": [{"long": "--json"}], "exit": [{"code": 0, "meaning": "done"}]}"#;

/// A compiled helper with launcher and contract.
fn compiled(binary: Vec<u8>, path: &'static str) -> Files {
    let mut files = tree(
        body("Body."),
        [
            ("a/scripts/x*", "#!/bin/sh\n"),
            ("a/scripts/x.contract.json", CONTRACT),
        ],
    );
    files.push((path, binary));
    files
}

pub(crate) fn cases() -> Vec<Case> {
    let called = body("Run `bash scripts/x.sh`.");
    let sh = |text: &str| tree(&called, [("a/scripts/x.sh*", text)]);
    let py = |text: &str| tree(body("Body."), [("a/scripts/x.py*", text)]);
    let code = |text: &str| sh(&format!("#!/bin/bash\n{HEADER}{text}\n"));
    let good = || code("set -uo pipefail\nexit 2");
    let syntax = |mut case: Case| {
        case.flags = &["--syntax"];
        case
    };
    let mut lone = tree(body("Body."), []);
    lone.push((BINARY, elf(3)));
    vec![
        case("SR201", "a/scripts/x.sh:1:1", sh("echo\n"), good()),
        case(
            "SR202",
            "a/scripts/x.py:1:1",
            py("#!/usr/bin/env python\n"),
            py("#!/usr/bin/env python3\n"),
        ),
        case(
            "SR209",
            "a/scripts/y.sh:1:1",
            tree(&called, [("a/scripts/y.sh", "#!/bin/sh\n")]),
            tree(&called, [("a/scripts/y.sh*", "#!/bin/sh\n")]),
        ),
        case("SR210", "a/scripts/x.sh:1:1", code("set -e"), good()),
        case(
            "SR211",
            "a/scripts/x.py:1:5",
            py("def (:\n"),
            py("def x(): pass\n"),
        ),
        syntax(case("SR212", "a/scripts/x.sh:9:1", code("if x"), good())),
        case(
            "SR221",
            "a/scripts/x.sh:1:12",
            sh("#!/bin/bash\r\necho\r\n"),
            sh("#!/bin/bash\necho\r\n"),
        ),
        case(
            "SR224",
            "a/scripts/bin/x-x86_64-unknown-linux-musl:1:1",
            lone,
            compiled(elf(3), BINARY),
        ),
        case(
            "SR225",
            "a/scripts/bin/x-aarch64-apple-darwin:1:1",
            compiled(elf(3), "a/scripts/bin/x-aarch64-apple-darwin*"),
            compiled(elf(3), BINARY),
        ),
    ]
}

#[test]
fn rules_about_scripts() {
    check(&cases());
}
