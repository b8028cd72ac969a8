//! Analyses a command line: its words, its interpreter, and the files that it names.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use aris_contract::text::shell_line;

/// Programs that run scripts; a program's name must begin with one of these.
const INTERPRETERS: [&str; 8] = [
    "python", "pypy", "Rscript", "julia", "node", "ruby", "perl", "octave",
];

/// Deepest nesting of shell texts that is examined: `sh -c 'sh -c "…"'`.
const DEPTH: u32 = 4;

/// These words as a shell command.
pub fn command_line<W: AsRef<str>>(words: impl IntoIterator<Item = W>) -> String {
    shell_line(&words.into_iter().collect::<Vec<_>>())
}

/// The words of a shell text, as far as they can be determined without a shell.
fn words(command: &str) -> Vec<String> {
    let plain = || command.split_whitespace().map(str::to_owned).collect();
    shlex::split(command).unwrap_or_else(plain)
}

/// The word of a shell command that names the interpreter of its script; `None` if there is none.
pub fn interpreter(command: &str) -> Option<String> {
    // Words before the program set variables.
    let mut words = words(command).into_iter();
    let program = words.find(|word| !word.contains('='))?;
    is_interpreter(&program).then_some(program)
}

fn is_interpreter(word: &str) -> bool {
    let name = file_name(word);
    INTERPRETERS.iter().any(|known| name.starts_with(known))
}

pub(crate) fn file_name(word: &str) -> String {
    let name = Path::new(word).file_name().unwrap_or_default();
    name.to_string_lossy().into_owned()
}

/// Files that a command in `cwd` may read: words that are paths of regular files, also inside texts such as that of `sh -c`, after `cd`,
/// matched by a glob, and the targets of links. Programs and files only written with `>` are left out. Files that the program finds by
/// itself are unknown here.
pub(crate) fn files(cwd: &Path, command: &str) -> BTreeSet<PathBuf> {
    let mut found = BTreeSet::new();
    collect(cwd, command, DEPTH, &mut found);
    let links = found.iter().filter(|path| path.is_symlink());
    let led_to: Vec<PathBuf> = links.filter_map(|path| path.canonicalize().ok()).collect();
    found.extend(led_to);
    found
}

fn collect(cwd: &Path, command: &str, depth: u32, found: &mut BTreeSet<PathBuf>) {
    let mut folder = cwd.to_path_buf();
    let mut words = words(&spaced(command)).into_iter();
    let mut is_program = true;
    while let Some(word) = words.next() {
        match word.as_str() {
            ";" => is_program = true,
            "<" | ">>" => {}
            ">" => {
                words.next();
            }
            "cd" if is_program => {
                let target = words.next().unwrap_or_default();
                folder = aris_fs::lexical(&folder.join(target));
            }
            text => {
                let is_text = text.contains(|c: char| c.is_whitespace() || "<>;&|()".contains(c));
                if let Some(depth) = depth.checked_sub(1).filter(|_| is_text) {
                    collect(&folder, text, depth, found);
                }
                // `--config=a.yaml` names a file as well; after `X=1` the next word is still the program.
                let (is_setting, value) = match text.split_once('=') {
                    Some((_, value)) => (true, value),
                    None => (false, text),
                };
                if !is_interpreter(value) {
                    named(&folder, value, is_program, found);
                }
                is_program &= is_setting;
            }
        }
    }
}

/// Adds the regular files that a word names.
fn named(folder: &Path, word: &str, is_program: bool, found: &mut BTreeSet<PathBuf>) {
    let here = folder.display().to_string();
    let word = word.replace("${PWD}", &here).replace("$PWD", &here);
    if word.is_empty() || is_program && !word.contains('/') {
        return;
    }
    let path = aris_fs::lexical(&folder.join(&word));
    if path.is_file() {
        found.insert(path);
    } else if word.contains(['*', '?', '[']) {
        let above = if word.starts_with('/') {
            String::new()
        } else {
            format!("{}/", glob::Pattern::escape(&here))
        };
        let paths = glob::glob(&format!("{above}{word}")).into_iter().flatten();
        found.extend(paths.flatten().filter(|path| path.is_file()));
    }
}

/// The text with spaces around shell operators: `>`, `>>` and `<` stay, others become `;`.
fn spaced(command: &str) -> String {
    let mut text = String::with_capacity(command.len());
    let mut quote = None;
    let mut characters = command.chars().peekable();
    while let Some(character) = characters.next() {
        match (quote, character) {
            (None | Some('"'), '\\') => {
                text.push(character);
                text.extend(characters.next());
            }
            (None, '\'' | '"') => {
                quote = Some(character);
                text.push(character);
            }
            (Some(open), _) if open == character => {
                quote = None;
                text.push(character);
            }
            (None, '>') if characters.next_if_eq(&'>').is_some() => text.push_str(" >> "),
            (None, '>' | '<') => text.extend([' ', character, ' ']),
            (None, ';' | '&' | '|' | '(' | ')' | '`' | '\n') => text.push_str(" ; "),
            _ => text.push(character),
        }
    }
    text
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests prepare files directly")]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn files_are_found_however_a_shell_may_name_them() {
        let temp = tempfile::tempdir().expect("temp");
        let top = temp.path().canonicalize().expect("real");
        fs::create_dir(top.join("d")).expect("folder");
        for name in ["a b", "d/in.csv", "d/two.csv", "run.sh"] {
            fs::write(top.join(name), "1").expect("write");
        }
        std::os::unix::fs::symlink("../run.sh", top.join("d/link")).expect("link");
        for (command, expected) in [
            ("sh run.sh d/in.csv", "d/in.csv run.sh"),
            ("awk 1 <d/in.csv >d/two.csv", "d/in.csv"),
            ("cat d/in.csv|sort>>d/two.csv", "d/in.csv d/two.csv"),
            ("(cat d/in.csv) 2>&1", "d/in.csv"),
            ("cat d/*.csv", "d/in.csv d/two.csv"),
            ("cat ${PWD}/d/in.csv; X=1 python3 run.sh", "d/in.csv run.sh"),
            ("cd d && cat in.csv", "d/in.csv"),
            ("sh -c 'cat \"a b\" $(cat d/in.csv)'", "a b d/in.csv"),
            ("t --config=d/in.csv", "d/in.csv"),
            ("./run.sh", "run.sh"),
            ("sh d/link", "d/link run.sh"),
            ("echo 'd/in.csv > x'", "d/in.csv"),
            ("run.sh", ""),
        ] {
            let found = files(&top, command);
            let names = found
                .iter()
                .map(|path| path.strip_prefix(&top).expect("inside"));
            let names: Vec<_> = names.map(|name| name.display().to_string()).collect();
            assert_eq!(names.join(" "), expected, "{command}");
        }
    }

    proptest::proptest! {
        #[test]
        fn no_command_makes_it_panic(command in "[ -~\\n\u{e9}]{0,60}") {
            files(Path::new("/nonexistent"), &command);
        }
    }
}
