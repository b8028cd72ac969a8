//! `SR2xx`: scripts. Each script is parsed once here, also for the rules about dangerous code.

mod direct;
mod helper;
mod interpreter;
mod strict;
mod syntax;
#[cfg(test)]
mod tests;

use aris_skills::binary::Binary;
use aris_skills::script::{Script, ScriptKind};
use aris_skills::{EntryKind, Skill, SourceFile, Text, Tree, names};

use crate::code::Code;
use crate::config::Config;
use crate::finding::{FILE, Sink};
use crate::fix::{Change, Fix};
use crate::rules::security;

/// Looks at one skill.
pub fn skill(skill: &Skill, tree: &Tree, config: &Config, sink: &mut Sink<'_>) {
    let called = direct::called(skill);
    for file in &skill.files {
        if let Some(binary) = &file.binary {
            compiled(skill, tree, file, binary, sink);
        }
        if let (Some(script), Some(text)) = (&file.script, &file.text) {
            let is_called = called.contains(file.skill_path.as_str());
            one_script(file, script, text, is_called, sink);
        }
    }
    if config.cli.syntax {
        syntax::check(skill, config, sink);
    }
}

fn one_script(
    file: &SourceFile,
    script: &Script,
    text: &Text,
    is_called: bool,
    sink: &mut Sink<'_>,
) {
    let code = Code::read(script.kind, text.raw());
    if let Code::Python(python) = &code
        && let Some((at, message)) = &python.error
        && names::extension(file.path()) == "py"
    {
        sink.found(
            "SR211",
            file.path(),
            text.place(*at),
            format!("does not parse: {message}"),
        );
    }
    security::program(file, text, &code, sink);
    if script.entry_point || is_called {
        // Python 2 code does not parse, and a `python3` shebang would not make it Python 3.
        let is_language = !matches!(&code, Code::Python(python) if python.error.is_some());
        first_line(file, script, text, is_language, sink);
    }
    if !script.entry_point {
        return;
    }
    if let Code::Shell(shell) = &code
        && let Some((options, command)) = strict::missing(shell, script.shebang.as_ref())
    {
        let message = format!("no `set` command gives {options}");
        let hint = format!("add `{command}` before the first command");
        sink.found("SR210", file.path(), FILE, message).hint(hint);
    }
}

/// SR201, SR202, SR209, SR221.
fn first_line(
    file: &SourceFile,
    script: &Script,
    text: &Text,
    is_language: bool,
    sink: &mut Sink<'_>,
) {
    let usual = interpreter::usual(script.kind, text);
    let Some(shebang) = &script.shebang else {
        if interpreter::is_needed(script.kind) {
            let found = sink.found("SR201", file.path(), FILE, "no shebang");
            if let Some(usual) = usual.filter(|_| is_language && !text.had_bom()) {
                // LF even in a file with CRLF: the kernel requires it.
                found.fix(Fix::replace(file.path(), 0..0, format!("{usual}\n")));
            }
        }
        return;
    };
    if file.file_name().contains('.') && !interpreter::fits(script.kind, shebang) {
        let message = format!("the shebang names `{}`", shebang.program);
        let found = sink.found("SR202", file.path(), FILE, message);
        if let Some(usual) = usual {
            let range = 0..2 + shebang.raw.len();
            if is_language && interpreter::is_plain(script.kind, shebang) {
                let found = found.hint(format!("write `{usual}`"));
                found.fix(Fix::replace(file.path(), range, usual));
            } else if interpreter::is_relative(script.kind, shebang) {
                found.hint(format!(
                    "name the interpreter of `{usual}`, once it runs the script"
                ));
            } else {
                found.hint(format!("write `{usual}`, or rename the file"));
            }
        }
    }
    let is_file = file.entry.kind == EntryKind::File;
    if is_file && !file.entry.executable && script.kind != ScriptKind::Ps1 {
        sink.found(
            "SR209",
            file.path(),
            FILE,
            "has a shebang and no execute bit",
        )
        .fix(Fix::of(file.path(), Change::MakeExecutable));
    }
    if shebang.ends_in_cr {
        let place = (1, text.line(1).chars().count() + 1);
        let new = text.raw().replace("\r\n", "\n");
        let message = "the shebang ends in a carriage return";
        sink.found("SR221", file.path(), place, message)
            .fix(Fix::replace(file.path(), 0..text.raw().len(), new));
    }
}

/// SR224 and SR225, from names and file headers only; the program is not started.
fn compiled(skill: &Skill, tree: &Tree, file: &SourceFile, binary: &Binary, sink: &mut Sink<'_>) {
    let path = file.path();
    let folder = names::folder(&file.skill_path);
    let parsed = helper::HelperName::of(file.file_name());
    let name = parsed.map_or_else(
        || file.file_name().trim_end_matches(".exe"),
        |parsed| parsed.helper,
    );
    // Launcher and contract are beside `bin/`, or inside a `bin/` at the top of the skill.
    let beside = match folder.strip_suffix("/bin") {
        Some(above) => above,
        None => folder,
    };
    let contract = format!("{beside}/{name}.contract.json");
    match skill.file(&contract) {
        None => {
            sink.found("SR224", path, FILE, format!("{contract} does not exist"));
        }
        Some(found) => {
            let text = tree.text(found.path());
            let fault = match &text {
                Ok(text) => helper::contract_fault(text.raw(), name),
                Err(error) => Some(format!("cannot be read: {error}")),
            };
            if let Some(fault) = fault {
                sink.found("SR224", found.path(), FILE, format!("the contract {fault}"));
            }
        }
    }
    let fault = match &parsed {
        None => Some(String::from("the name is not <helper>-<target triple>")),
        Some(_) if folder != "scripts/bin" && folder != "bin" => {
            Some(format!("is in {folder}, not in scripts/bin or bin"))
        }
        Some(parsed) => {
            let has_launcher = skill.file(&format!("{beside}/{name}")).is_some();
            parsed
                .disagrees(binary.format, binary.machine)
                .or_else(|| (!has_launcher).then(|| format!("no launcher {beside}/{name}")))
        }
    };
    if let Some(fault) = fault {
        sink.found("SR225", path, FILE, fault);
    }
}
