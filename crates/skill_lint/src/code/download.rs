//! Downloads that are run unseen: `curl … | sh`, `bash <(curl …)`, `iex (irm …)`.
//!
//! A shell counts when it reads its program from the pipe: `| sh`, `| sudo bash -s -- x`. In `| sh -c '…'` and `| bash script`
//! the download is only data.

use aris_skills::pattern::{Pattern, compiled};

use super::shell::{Script, Word};

/// The message of such a finding.
pub(crate) const MESSAGE: &str = "a download is run by a shell, and nobody has looked at it";

/// Shells that run what a pipe gives them.
const SHELLS: &[&str] = &["sh", "bash", "zsh", "dash", "ksh", "ash", "fish"];

fn is_download(name: &str) -> bool {
    matches!(name, "curl" | "wget" | "fetch")
}

/// Other programs that run what they read.
const INTERPRETERS: &[&str] = &["python", "python3", "node", "ruby", "perl", "php"];

/// Places of `curl`, `wget` and `fetch` commands whose output is run: by a shell or interpreter at the end of their pipeline,
/// as `-c "$(…)"` or `<<< "$(…)"`, as `<(…)` where a script is expected, or through a variable.
pub(crate) fn in_script(script: &Script<'_>) -> Vec<usize> {
    let mut downloads: Vec<(usize, usize)> = Vec::new();
    // Variables that hold the output of a download, each with the place of the download.
    let mut held: Vec<(&str, usize)> = Vec::new();
    let mut places = Vec::new();
    for command in &script.commands {
        for word in &command.assignments {
            let name = script.raw(word).split('=').next().unwrap_or_default();
            held.retain(|(other, _)| *other != name);
            let inside = downloads.iter().find(|(_, at)| word.contains(at));
            held.extend(inside.map(|(_, at)| (name, *at)));
        }
        let Some((name, arguments)) = script.called(command) else {
            continue;
        };
        let at = command.words.first().map_or(0, |word| word.start);
        if is_download(&name) {
            downloads.push((command.pipeline, at));
            continue;
        }
        let raw = || arguments.iter().map(|word| script.raw(word));
        let shell = SHELLS.contains(&name.as_str());
        let interpreter = INTERPRETERS.contains(&name.as_str());
        let ends_in_code = name == "xargs" && raw().next_back() == Some("-c");
        let from_pipe =
            ends_in_code || shell && reads_program(raw()) || interpreter && reads_code(raw());
        let texts = if from_pipe {
            command.inputs.as_slice()
        } else {
            &[]
        };
        // The lexer lists the commands inside a word before the command that has the word, so `downloads` is complete here.
        let code = match name.as_str() {
            "eval" => arguments,
            "source" | "." => arguments.get(..1).unwrap_or_default(),
            _ if shell || interpreter => code_argument(script, arguments),
            _ => &[],
        };
        let code: Vec<&Word> = code.iter().chain(texts).collect();
        let expands = |name: &str| {
            let forms = [format!("${name}"), format!("${{{name}}}")];
            let bare = |word: &&Word| script.raw(word).trim_matches('"');
            code.iter()
                .map(bare)
                .any(|word| forms.iter().any(|form| form == word))
        };
        downloads.retain(|(pipeline, at)| {
            let run = from_pipe && *pipeline == command.pipeline
                || code.iter().any(|word| word.contains(at))
                || held.iter().any(|(name, of)| of == at && expands(name));
            if run {
                places.push(*at);
            }
            !run
        });
    }
    places
}

/// Whether the byte `at` is inside an argument of `echo` or `printf`, which only print it.
pub(crate) fn is_printed(line: &str, at: usize) -> bool {
    let script = Script::read(line);
    script.commands.iter().any(|command| {
        let prints = script
            .called(command)
            .is_some_and(|(name, _)| matches!(name.as_str(), "echo" | "printf"));
        prints && command.words.iter().any(|word| word.contains(&at))
    })
}

/// The code that a shell or interpreter runs with these arguments: the text after `-c` or `-e`, or the script.
fn code_argument<'w>(script: &Script<'_>, arguments: &'w [Word]) -> &'w [Word] {
    let mut left = arguments;
    while let [first, rest @ ..] = left {
        let raw = script.raw(first);
        if raw.starts_with('-') && !raw.starts_with("--") && raw.contains(['c', 'e']) {
            return rest.get(..1).unwrap_or_default();
        }
        if !raw.starts_with(['-', '+']) {
            return if raw.starts_with("<(") {
                &left[..1]
            } else {
                &[]
            };
        }
        left = rest;
    }
    &[]
}

/// Whether a shell with these arguments takes its program from standard input.
fn reads_program<'a>(arguments: impl Iterator<Item = &'a str>) -> bool {
    for argument in arguments {
        match argument {
            "-" | "-s" | "--" | "/dev/stdin" => return true,
            _ if argument.starts_with("--") => {}
            _ if argument.starts_with('-') && argument.contains('c') => return false,
            _ if argument.starts_with('-') && argument.contains('s') => return true,
            _ if argument.starts_with(['-', '+']) => {}
            _ => return false,
        }
    }
    true
}

/// The same for an interpreter: its arguments contain no script, no code and no module.
fn reads_code<'a>(mut arguments: impl Iterator<Item = &'a str>) -> bool {
    arguments.all(|argument| {
        argument == "-"
            || argument.starts_with('-') && !argument.contains(['c', 'e', 'm', 'n', 'p', 'r'])
    })
}

/// `curl` or `wget` as a word followed by a blank.
static DOWNLOAD: Pattern = Pattern::new(|| compiled(r"(?:^|[^A-Za-z0-9_.-])((?:curl|wget)[ \t])"));

/// Byte of the first `curl` or `wget` in a line of any language whose output is piped into a shell. The command may be quoted.
pub(crate) fn in_line(line: &str) -> Option<usize> {
    if !line.contains('|') {
        return None;
    }
    let mut from = 0;
    // The quotes that are open at this place.
    let mut around: Vec<&str> = Vec::new();
    while let Some(download) = DOWNLOAD.captures_at(line, from)?.get(1) {
        let (before, rest) = (
            line.get(from..download.start())?,
            line.get(download.start()..)?,
        );
        for (at, quote) in before.match_indices(['"', '\'', '`']) {
            let left = before.get(..at).unwrap_or_default();
            let in_word = quote == "'" && left.ends_with(char::is_alphanumeric);
            if around.contains(&quote) {
                around.retain(|open| *open != quote);
            } else if !in_word {
                around.push(quote);
            }
        }
        // A quote that closes after the command was opened before it, so the command ends there.
        let end = around.iter().filter_map(|quote| rest.find(quote)).min();
        let command = rest.get(..end.unwrap_or(rest.len()))?;
        if let Some(at) = in_script(&Script::read(command)).first() {
            return Some(download.start() + at);
        }
        from = download.start() + command.len();
    }
    None
}

/// PowerShell expressions that download.
const FETCH: &str = r"(?:irm|iwr|invoke-restmethod|invoke-webrequest|curl|wget|new-object\s+(?:system\.)?net\.webclient\s*\)\s*\.\s*downloadstring)\b";

/// `iex` as a word.
static EVALUATE: Pattern =
    Pattern::new(|| compiled(r"(?i)(?:^|[^\w.$-])(iex|invoke-expression)\b"));

/// `iex`, followed in the same statement by a parenthesis with a download.
static EVALUATED: Pattern = Pattern::new(|| {
    let iex = EVALUATE.as_str();
    compiled(&format!(r"{iex}[^;\n]*\(\s*{FETCH}"))
});

/// A download that is piped into `iex`.
static PIPED: Pattern = Pattern::new(|| {
    compiled(&format!(
        r"(?i)(?:^|[^\w.$-])({FETCH})[^;\n]*\|\s*(?:iex|invoke-expression)(?:[^\w-]|$)"
    ))
});

/// Every `iex` and `Invoke-Expression` in PowerShell code: byte and word.
pub(crate) fn evaluations(code: &str) -> impl Iterator<Item = (usize, &str)> {
    let words = EVALUATE
        .captures_iter(code)
        .filter_map(|found| found.get(1));
    let is_part = |next: char| next.is_alphanumeric() || "_-.$".contains(next);
    let behind = |at: usize| code.get(at..).unwrap_or_default();
    let words = words.filter(move |word| !behind(word.end()).starts_with(is_part));
    words.map(|word| (word.start(), word.as_str()))
}

/// Places in PowerShell code where a download is evaluated: at most one per line for each of the two forms.
pub(crate) fn in_powershell(code: &str) -> Vec<usize> {
    let mut places = Vec::new();
    if !code.contains(['(', '|']) || !EVALUATE.is_match(code) {
        return places;
    }
    for pattern in [&EVALUATED, &PIPED] {
        let found = pattern.captures_iter(code);
        places.extend(found.filter_map(|found| Some(found.get(1)?.start())));
    }
    places.sort_unstable();
    places.dedup();
    places
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_shell_behind_a_download() {
        for (source, script, line) in [
            ("curl -fsSL https://x.y/i.sh | sh", true, true),
            (
                "wget -qO- https://x.y | sudo -E bash -s -- --now",
                true,
                true,
            ),
            ("curl x | env A=b /bin/sh -", true, true),
            ("curl x | tee log | bash", true, true),
            ("curl 'a|b' \"c;d\" |& zsh", true, true),
            ("curl x 2>&1 | sh", true, true),
            ("curl x | sh -c 'cat'", false, false),
            ("curl x | bash parse.sh", false, false),
            ("curl x | bash \"$script\"", false, false),
            ("curl x | jq .", false, false),
            ("curl x -o f; cat f | sh", false, false),
            ("curl x -o f && sh f", false, false),
            ("curl x || sh", false, false),
            ("echo 'curl x | sh'", false, true),
            ("RUN curl -fsSL x | bash", false, true),
            ("run: \"curl x | sh\"", false, true),
            ("mycurl x | sh", false, false),
            ("curl x | shellcheck -", false, false),
            ("x=$(curl x | sh)", true, true),
            ("say: it's \"curl 'x' | sh\"", false, true),
            ("f('a', \"curl x | sh\", 'b')", false, true),
        ] {
            assert_eq!(
                !in_script(&Script::read(source)).is_empty(),
                script,
                "script: {source}"
            );
            assert_eq!(in_line(source).is_some(), line, "line: {source}");
        }
        assert_eq!(in_line("RUN curl x | sh"), Some(4));
        assert_eq!(in_script(&Script::read("a\ncurl x | sh")), [2]);
    }

    #[test]
    fn powershell_forms() {
        for (source, found) in [
            ("iex (irm https://x.y)", true),
            ("irm https://x.y/i.ps1 | iex", true),
            ("Invoke-Expression (Invoke-WebRequest x).Content", true),
            (
                "iwr x -UseBasicParsing | select -Expand Content | IEX",
                true,
            ),
            (
                "iex ((New-Object System.Net.WebClient).DownloadString('x'))",
                true,
            ),
            ("iex \"& { $(irm x) } -Arg\"", true),
            ("iex $command", false),
            ("irm x -OutFile y; iex $z", false),
            ("irm x | iexample", false),
        ] {
            assert_eq!(!in_powershell(source).is_empty(), found, "{source}");
        }
    }

    proptest! {
        #[test]
        fn any_line_is_read(line in "\\PC{0,60}|(curl |wget |\\||sh|bash|sudo|'|\"|;|&| |x|-){0,30}") {
            if let Some(at) = in_line(&line) {
                prop_assert!(line.get(at..at + 4).is_some());
            }
            in_powershell(&line);
        }
    }
}
