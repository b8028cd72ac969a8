//! Compiled helpers: their names, contracts and launchers (SR224, SR225).

use aris_skills::binary::{Format, Machine};
use serde::Deserialize;

/// A file name `<helper>-<target triple>[.exe]`, split into its parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct HelperName<'a> {
    pub(crate) helper: &'a str,
    pub(crate) triple: &'a str,
}

/// The parts of target triples after the machine, with the format of programs there.
const SYSTEMS: &[(&str, Format)] = &[
    ("unknown-linux-gnu", Format::Elf),
    ("unknown-linux-musl", Format::Elf),
    ("unknown-linux-gnueabihf", Format::Elf),
    ("unknown-linux-musleabihf", Format::Elf),
    ("unknown-linux-gnueabi", Format::Elf),
    ("unknown-freebsd", Format::Elf),
    ("linux-android", Format::Elf),
    ("apple-darwin", Format::MachO),
    ("pc-windows-msvc", Format::Pe),
    ("pc-windows-gnu", Format::Pe),
    ("pc-windows-gnullvm", Format::Pe),
];

impl<'a> HelperName<'a> {
    /// Splits a file name; `None` when it has another form.
    pub(crate) fn of(file_name: &'a str) -> Option<Self> {
        let name = file_name.strip_suffix(".exe").unwrap_or(file_name);
        name.match_indices('-').find_map(|(at, _)| {
            let (helper, triple) = (name.get(..at)?, name.get(at + 1..)?);
            let known = !helper.is_empty() && target(triple).is_some();
            known.then_some(Self { helper, triple })
        })
    }

    /// How a program contradicts its name: what the name says, and what the program is.
    pub(crate) fn disagrees(&self, format: Format, machine: Option<Machine>) -> Option<String> {
        let (named_machine, named_format) = target(self.triple)?;
        if named_format != format {
            return Some(format!(
                "the name says {}, the file is {}",
                self.triple,
                container(format)
            ));
        }
        match machine {
            Some(machine) if machine != named_machine => Some(format!(
                "the name says {}, the file is for {}",
                self.triple,
                machine.word().unwrap_or("another machine")
            )),
            _ => None,
        }
    }
}

fn target(triple: &str) -> Option<(Machine, Format)> {
    let (machine, system) = triple.split_once('-')?;
    let machine = match machine {
        "universal" | "universal2" => Machine::Universal,
        word => Machine::of_word(word)?,
    };
    let (_, format) = SYSTEMS.iter().find(|(word, _)| *word == system)?;
    Some((machine, *format))
}

fn container(format: Format) -> &'static str {
    match format {
        Format::Elf => "an ELF program",
        Format::MachO => "a Mach-O program",
        Format::Pe => "a Windows program",
    }
}

/// The fields that every version of a contract has.
#[derive(Deserialize)]
#[expect(dead_code, reason = "what is only asked for is not looked at")]
struct Contract {
    schema: String,
    name: String,
    version: String,
    usage: String,
    flags: Vec<Flag>,
    exit: Vec<Exit>,
}

#[derive(Deserialize)]
#[expect(dead_code, reason = "what is only asked for is not looked at")]
struct Flag {
    long: String,
}

#[derive(Deserialize)]
#[expect(dead_code, reason = "what is only asked for is not looked at")]
struct Exit {
    code: u8,
    meaning: String,
}

/// What is wrong with a contract file for `helper`; `None` when it is correct.
pub(crate) fn contract_fault(text: &str, helper: &str) -> Option<String> {
    let contract: Contract = match serde_json::from_str(text) {
        Ok(contract) if text.trim_start().starts_with('{') => contract,
        Ok(_) => return Some(String::from("is no JSON object")),
        Err(error) => return Some(format!("is not one: {error}")),
    };
    let starts = ["aris.helper-contract/", "aris.helper_contract."];
    let schema = &contract.schema;
    if !starts.iter().any(|start| schema.starts_with(start)) {
        return Some(format!(
            "has the schema {schema}, which is no helper contract"
        ));
    }
    if contract.name != helper {
        return Some(format!("is for {}", contract.name));
    }
    (contract.exit.is_empty()).then(|| String::from("has no exit codes in `exit`"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn names_are_helper_and_target() {
        for (name, expected) in [
            (
                "save_trace-x86_64-unknown-linux-musl",
                Some(("save_trace", "x86_64-unknown-linux-musl")),
            ),
            (
                "a-b-aarch64-apple-darwin",
                Some(("a-b", "aarch64-apple-darwin")),
            ),
            (
                "x-x86_64-pc-windows-msvc.exe",
                Some(("x", "x86_64-pc-windows-msvc")),
            ),
            ("x-linux-amd64", None),
            ("save_trace", None),
            ("-x86_64-unknown-linux-musl", None),
        ] {
            let found = HelperName::of(name).map(|name| (name.helper, name.triple));
            assert_eq!(found, expected, "{name}");
        }
    }

    #[test]
    fn name_and_header_agree() {
        let name = HelperName::of("x-x86_64-unknown-linux-musl").unwrap();
        for (format, machine, agrees) in [
            (Format::Elf, Some(Machine::X86_64), true),
            (Format::Elf, None, true),
            (Format::Elf, Some(Machine::Aarch64), false),
            (Format::Elf, Some(Machine::Other(9)), false),
            (Format::Pe, Some(Machine::X86_64), false),
        ] {
            assert_eq!(
                name.disagrees(format, machine).is_none(),
                agrees,
                "{format:?} {machine:?}"
            );
        }
    }

    const GOOD: &str = r#"{"schema": "aris.helper_contract.contract/v1", "name": "x", "version": "0.1.0", "usage": "x",
        "flags": [{"long": "--json"}], "exit": [{"code": 0, "meaning": "done"}]}"#;

    #[test]
    fn contracts_have_their_parts() {
        assert_eq!(contract_fault(GOOD, "x"), None);
        for (from, to, part) in [
            ("\"name\": \"x\"", "\"name\": \"y\"", "is for y"),
            ("aris.helper_contract.contract/v1", "other/v1", "other/v1"),
            ("\"version\": \"0.1.0\",", "", "`version`"),
            (
                "\"--json\"",
                "7",
                "invalid type: integer `7`, expected a string at line 2",
            ),
            ("\"code\": 0", "\"code\": \"0\"", "expected u8"),
            ("\"code\": 0", "\"code\": 256", "expected u8"),
            ("[{\"code\": 0, \"meaning\": \"done\"}]", "[]", "`exit`"),
            ("}]}", "}]", "EOF while parsing"),
        ] {
            let fault = contract_fault(&GOOD.replace(from, to), "x").unwrap();
            assert!(fault.contains(part), "{fault}");
        }
        assert!(contract_fault("[]", "x").is_some());
        let list = r#"["aris.helper_contract.x", "x", "1", "x", [], [[0, "done"]]]"#;
        assert_eq!(
            contract_fault(list, "x").as_deref(),
            Some("is no JSON object")
        );
    }

    proptest! {
        #[test]
        fn any_name_and_text_is_read(name in "\\PC{0,40}|[a-z0-9_.-]{0,40}", text in "\\PC{0,80}") {
            HelperName::of(&name);
            contract_fault(&text, &name);
        }
    }
}
