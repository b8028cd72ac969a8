//! A shell script as a list of the commands it calls: their words with their quoting, their pipelines, and the extent of
//! here-documents. Bash is a superset of what `sh` scripts use, so one lexer reads both.
//!
//! Not a parser: it does not validate or expand anything and does not follow functions. Malformed scripts give a result too, in
//! linear time.
//!
//! **Source**: POSIX.1-2024, Shell Command Language, 2.3 (tokens), 2.4 (reserved words), 2.7.4 (here-documents), 2.10 (grammar);
//! Bash manual for `[[`, `((`, arrays, `$'…'`, `<(…)` and extended patterns.

use std::borrow::Cow;
use std::ops::Range;

use aris_skills::pattern::{Pattern, compiled};

/// Deepest nesting of substitutions and groups that is read; anything deeper is skipped as plain characters.
const DEEPEST: usize = 60;

/// Byte range of one word in the source, including its quotes.
pub(crate) type Word = Range<usize>;

/// One simple command.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Command {
    /// Name and arguments, without leading reserved words and assignments.
    pub(crate) words: Vec<Word>,
    /// `NAME=value` before the name.
    pub(crate) assignments: Vec<Word>,
    /// Files that output replaces (`>`, `>|`, `&>`), without descriptors and without files that are appended to.
    pub(crate) outputs: Vec<Word>,
    /// Texts it reads from here-strings (`<<<`).
    pub(crate) inputs: Vec<Word>,
    /// Number of the pipeline. Commands joined by `|` share it and are listed in the order of the pipe.
    pub(crate) pipeline: usize,
}

impl Command {
    fn is_empty(&self) -> bool {
        [&self.words, &self.assignments, &self.outputs, &self.inputs]
            .iter()
            .all(|words| words.is_empty())
    }
}

/// A script and its commands. The commands of a substitution come before the command that contains it.
#[derive(Debug)]
pub(crate) struct Script<'a> {
    source: &'a str,
    pub(crate) commands: Vec<Command>,
    /// Ranges where nothing is expanded: single quotes, and here-documents with a quoted delimiter.
    literal: Vec<Range<usize>>,
}

impl<'a> Script<'a> {
    /// Reads `source`.
    pub(crate) fn read(source: &'a str) -> Self {
        let mut lexer = Lexer {
            source,
            at: 0,
            depth: 0,
            backquotes: 0,
            pipelines: 0,
            commands: Vec::new(),
            heredocs: Vec::new(),
            literal: Vec::new(),
        };
        lexer.list(END, None);
        Self {
            source,
            commands: lexer.commands,
            literal: lexer.literal,
        }
    }

    /// Whether nothing is expanded at this byte: it is in single quotes or in a here-document with a quoted delimiter.
    pub(crate) fn is_literal(&self, at: usize) -> bool {
        self.literal.iter().any(|body| body.contains(&at))
    }

    /// The word's source text, including its quotes.
    pub(crate) fn raw(&self, word: &Word) -> &'a str {
        self.source.get(word.clone()).unwrap_or("")
    }

    /// The word's value, without quotes; `None` when it contains an expansion.
    pub(crate) fn literal(&self, word: &Word) -> Option<Cow<'a, str>> {
        unquote(self.raw(word))
    }

    /// The name a command is called by, without its directory (`/usr/bin/curl` gives `curl`), and its arguments. Words that
    /// only start another command (`sudo -E env A=b curl`) are skipped.
    pub(crate) fn called<'c>(&self, command: &'c Command) -> Option<(String, &'c [Word])> {
        let mut words = command.words.as_slice();
        loop {
            let (first, rest) = words.split_first()?;
            let name = self.literal(first)?;
            let name = name.rsplit('/').next().unwrap_or_default().to_owned();
            let takes_value: &[&str] = match name.as_str() {
                "sudo" => &["-u", "-g", "-h", "-p", "-C", "-T", "-U", "-D", "-R"],
                "env" => &["-u", "-C", "-S"],
                "nice" => &["-n"],
                "command" | "builtin" | "exec" | "nohup" | "doas" => &[],
                _ => return Some((name, rest)),
            };
            words = self.after_options(rest, takes_value);
            if words.is_empty() {
                return Some((name, rest));
            }
            // `command -v jq` only looks for jq.
            if name == "command" && words.len() < rest.len() {
                return Some((name, rest));
            }
        }
    }

    /// The words after leading options and assignments.
    fn after_options<'c>(&self, words: &'c [Word], takes_value: &[&str]) -> &'c [Word] {
        let mut left = words;
        while let Some((first, rest)) = left.split_first() {
            let raw = self.raw(first);
            if raw == "--" {
                return rest;
            }
            if takes_value.contains(&raw) {
                left = rest.get(1..).unwrap_or_default();
            } else if raw.starts_with('-') || is_assignment(raw) {
                left = rest;
            } else {
                break;
            }
        }
        left
    }
}

/// `NAME=…`, `NAME+=…` or `NAME[…]=…`.
static ASSIGNMENT: Pattern =
    Pattern::new(|| compiled(r"^[A-Za-z_][A-Za-z0-9_]*(?:\[[^=]*\])?\+?="));

fn is_assignment(word: &str) -> bool {
    ASSIGNMENT.is_match(word)
}

/// The word without quotes; `None` when it contains an expansion.
fn unquote(raw: &str) -> Option<Cow<'_, str>> {
    if !raw.contains(['\'', '"', '\\', '$', '`']) {
        return Some(Cow::Borrowed(raw));
    }
    let words = literal_words(raw).ok()?;
    let [word] = <[String; 1]>::try_from(words).ok()?;
    Some(Cow::Owned(word))
}

/// Text that a shell passes on without an expansion, an operator or a pattern.
static LITERAL: Pattern =
    Pattern::new(|| compiled(r#"'[^']*'|(?s:\\.)|"(?:[^"\\$`]|(?s:\\.))*"|[^$`|&;<>()*?'"\\]+"#));

/// Splits a line into words as a shell does, without expansion.
///
/// **Errors**: a quote that does not end; anything that a shell would expand or interpret, because a wrong guess could run a
/// destructive command.
pub(crate) fn literal_words(line: &str) -> Result<Vec<String>, &'static str> {
    let words = shlex::split(line).ok_or("a quote does not end")?;
    if LITERAL.replace_all(line, "").is_empty() {
        Ok(words)
    } else {
        Err("it would need a shell to expand it")
    }
}

struct Heredoc {
    delimiter: String,
    /// The delimiter is quoted: nothing in the body is expanded.
    quoted: bool,
    /// `<<-`: leading tabs are removed.
    tabs: bool,
}

struct Lexer<'a> {
    source: &'a str,
    at: usize,
    depth: usize,
    /// How many backquote substitutions are open.
    backquotes: usize,
    pipelines: usize,
    commands: Vec<Command>,
    /// Here-documents whose bodies start on the next line.
    heredocs: Vec<Heredoc>,
    literal: Vec<Range<usize>>,
}

/// Reserved words that are followed by a command or stand alone.
const RESERVED: &str = "if then else elif fi do done while until { } ! time coproc";

/// The operator of a redirection, without its word.
static REDIRECTION: Pattern = Pattern::new(|| compiled("^(?:<<<|<<-?|[<>][&>|]?)"));

/// The `close` of a list of commands that only the end of the source ends.
const END: u8 = 0;

impl Lexer<'_> {
    fn peek(&self, ahead: usize) -> u8 {
        // A script that a shell reads contains no NUL, so NUL can mark the end.
        let bytes = self.source.as_bytes();
        bytes.get(self.at + ahead).copied().unwrap_or(END)
    }

    fn done(&self) -> bool {
        self.at >= self.source.len()
    }

    fn text(&self, range: Range<usize>) -> &str {
        self.source.get(range).unwrap_or("")
    }

    /// Skips bytes.
    fn skip(&mut self, wanted: impl Fn(u8) -> bool) {
        while !self.done() && wanted(self.peek(0)) {
            self.at += 1;
        }
    }

    fn blanks(&mut self) {
        self.skip(|byte| matches!(byte, b' ' | b'\t'));
    }

    fn comment(&mut self) {
        // A comment inside backquotes ends with them.
        let quoted = self.backquotes > 0;
        self.skip(|byte| byte != b'\n' && !(quoted && byte == b'`'));
    }

    /// Whether a process substitution begins here.
    fn is_process(&self) -> bool {
        matches!(self.peek(0), b'<' | b'>') && self.peek(1) == b'('
    }

    /// Reads nested code with `read`; beyond [`DEEPEST`] it is skipped.
    fn deeper(&mut self, read: impl FnOnce(&mut Self)) {
        if self.depth < DEEPEST {
            self.depth += 1;
            read(self);
            self.depth -= 1;
        }
    }

    fn next_pipeline(&mut self) -> usize {
        self.pipelines += 1;
        self.pipelines
    }

    /// Reads commands up to and including `close`: a parenthesis, a backquote or [`END`]. The first command belongs to
    /// `pipeline`.
    fn list(&mut self, close: u8, pipeline: Option<usize>) {
        let mut command = Command {
            pipeline: pipeline.unwrap_or_else(|| self.next_pipeline()),
            ..Command::default()
        };
        // Number of open `case` statements.
        let mut cases: usize = 0;
        while !self.done() {
            match self.peek(0) {
                b' ' | b'\t' | b'\r' => self.at += 1,
                b'\\' if self.peek(1) == b'\n' => self.at += 2,
                b'#' => self.comment(),
                b'\n' => {
                    self.at += 1;
                    // A pipe at the end of a line continues on the next line.
                    if !command.is_empty() {
                        self.finish(&mut command, false);
                    }
                    self.heredoc_bodies();
                }
                b';' => {
                    self.at += 1;
                    self.finish(&mut command, false);
                    if matches!(self.peek(0), b';' | b'&') && cases > 0 {
                        self.skip(|byte| matches!(byte, b';' | b'&'));
                        self.case_pattern(&mut cases);
                    }
                }
                b'&' if self.peek(1) == b'>' => {
                    self.at += 1;
                    self.redirect(&mut command);
                }
                b'&' => {
                    self.at += 1 + usize::from(self.peek(1) == b'&');
                    self.finish(&mut command, false);
                }
                b'|' => {
                    let or = self.peek(1) == b'|';
                    self.at += 1 + usize::from(or || self.peek(1) == b'&');
                    self.finish(&mut command, !or);
                }
                b'(' => self.open(&mut command),
                byte if byte == b')' || byte == b'`' && close == b'`' => {
                    self.at += 1;
                    self.finish(&mut command, false);
                    if byte == close {
                        return;
                    }
                }
                b'<' | b'>' if !self.is_process() => self.redirect(&mut command),
                _ => {
                    let word = self.word();
                    self.place(word, &mut command, &mut cases);
                }
            }
        }
        self.finish(&mut command, false);
    }

    /// Files a finished word as reserved word, assignment, name or argument.
    fn place(&mut self, word: Word, command: &mut Command, cases: &mut usize) {
        let text = self.text(word.clone());
        // `2>file`: the descriptor is not an argument.
        let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        if is_number && matches!(self.peek(0), b'<' | b'>') && !self.is_process() {
            return;
        }
        match command.words.as_slice() {
            [] if RESERVED.split(' ').any(|reserved| reserved == text) => {}
            [] if text == "esac" => *cases = cases.saturating_sub(1),
            [] if text == "[[" => {
                command.words.push(word);
                self.words(END, |lexer, word| {
                    let last = lexer.text(word.clone()) == "]]";
                    command.words.push(word);
                    last
                });
            }
            [] if is_assignment(text) => command.assignments.push(word),
            [first, _] if text == "in" && self.text(first.clone()) == "case" => {
                command.words.clear();
                *cases += 1;
                self.case_pattern(cases);
            }
            [first, _] if text == "{" && self.text(first.clone()) == "function" => {
                command.words.clear();
            }
            _ => command.words.push(word),
        }
    }

    /// Ends a command. With `piped` the next command joins its pipeline.
    fn finish(&mut self, command: &mut Command, piped: bool) {
        let pipeline = if piped {
            command.pipeline
        } else {
            self.next_pipeline()
        };
        let next = Command {
            pipeline,
            ..Command::default()
        };
        let whole = std::mem::replace(command, next);
        if !whole.is_empty() {
            self.commands.push(whole);
        }
    }

    /// `(`: arithmetic, a function's parentheses or a subshell.
    fn open(&mut self, command: &mut Command) {
        self.at += 1;
        if self.peek(0) == b'(' && command.words.is_empty() {
            return self.pieces(b')', false);
        }
        let mark = self.at;
        self.blanks();
        if self.peek(0) == b')' && !command.words.is_empty() {
            self.at += 1;
            command.words.clear();
            return;
        }
        self.at = mark;
        self.deeper(|lexer| lexer.list(b')', Some(command.pipeline)));
    }

    /// Reads the pattern of a `case` branch including its `)`, or the `esac` that ends the statement.
    fn case_pattern(&mut self, cases: &mut usize) {
        let mut first = true;
        self.words(b')', |lexer, word| {
            let ends = first && lexer.text(word) == "esac";
            if ends {
                *cases = cases.saturating_sub(1);
            }
            first = false;
            ends
        });
    }

    /// Skips words and separators, up to and including `close`, or up to a word for which `is_last` holds.
    fn words(&mut self, close: u8, mut is_last: impl FnMut(&mut Self, Word) -> bool) {
        while !self.done() {
            match self.peek(0) {
                byte if byte == close => {
                    self.at += 1;
                    return;
                }
                b'`' if self.backquotes > 0 => return,
                b'#' if close != END => self.comment(),
                b'\\' if self.peek(1) == b'\n' => self.at += 2,
                byte if is_separator(byte) && !self.is_process() => self.at += 1,
                _ => {
                    let word = self.word();
                    if is_last(self, word) {
                        return;
                    }
                }
            }
        }
    }

    /// Reads a redirection: `<…` or `>…`.
    fn redirect(&mut self, command: &mut Command) {
        let rest = self.source.get(self.at..).unwrap_or_default();
        let operator = REDIRECTION.find(rest).map_or("", |found| found.as_str());
        self.at += operator.len();
        self.blanks();
        let word = self.word();
        match operator {
            "<<" | "<<-" => {
                let raw = self.text(word);
                let delimiter = raw.replace(['\'', '"', '\\'], "");
                let quoted = delimiter != raw;
                self.heredocs.push(Heredoc {
                    delimiter,
                    quoted,
                    tabs: operator == "<<-",
                });
            }
            "<<<" => command.inputs.push(word),
            ">" | ">|" if !word.is_empty() => command.outputs.push(word),
            _ => {}
        }
    }

    /// Skips the bodies of the here-documents that the line just read announced.
    fn heredoc_bodies(&mut self) {
        for heredoc in std::mem::take(&mut self.heredocs) {
            let body = self.at;
            let rest = self.source.get(body..).unwrap_or_default();
            for line in rest.split_inclusive('\n') {
                self.at += line.len();
                let line = line.strip_suffix('\n').unwrap_or(line);
                let line = line.strip_suffix('\r').unwrap_or(line);
                let is_tab = |c: char| heredoc.tabs && c == '\t';
                if line.trim_start_matches(is_tab) == heredoc.delimiter {
                    break;
                }
            }
            if heredoc.quoted {
                self.literal.push(body..self.at);
            }
        }
    }

    /// Reads one word. It may be empty, but a byte that is not a separator is always consumed.
    fn word(&mut self) -> Word {
        let start = self.at;
        let mut groups = 0_usize;
        while !self.done() {
            match self.peek(0) {
                b'<' | b'>' if self.at == start && self.is_process() => {
                    self.at += 2;
                    self.deeper(|lexer| lexer.list(b')', None));
                }
                b'(' => {
                    let before = self.text(start..self.at);
                    // Only the first group can begin an array: the check for each later group would read the name again.
                    let is_array = groups == 0 && before.ends_with('=') && is_assignment(before);
                    if !is_array && !before.ends_with(['?', '*', '+', '@', '!']) {
                        break;
                    }
                    self.at += 1;
                    if is_array {
                        self.deeper(|lexer| lexer.words(b')', |_, _| false));
                    } else {
                        self.pieces(b')', false);
                    }
                    groups += 1;
                }
                byte if is_separator(byte) => break,
                b'`' if self.backquotes > 0 => break,
                _ => self.piece(false),
            }
        }
        self.at = self.at.min(self.source.len());
        if self.at == start && !self.done() && !is_separator(self.peek(0)) {
            self.at += 1;
        }
        start..self.at
    }

    /// Reads one quoted part, expansion or character of a word.
    fn piece(&mut self, in_quotes: bool) {
        let (first, second, third) = (self.peek(0), self.peek(1), self.peek(2));
        self.at += 1;
        match (first, second) {
            (b'\\', _) => self.at += 1,
            (b'\'', _) if !in_quotes => self.single_quotes(false),
            (b'"', _) if !in_quotes => self.pieces(b'"', true),
            (b'$', b'\'') if !in_quotes => {
                self.at += 1;
                self.single_quotes(true);
            }
            (b'$', b'(') if third == b'(' => {
                self.at += 1;
                self.pieces(b')', false);
            }
            (b'$', b'(') => {
                self.at += 1;
                self.deeper(|lexer| lexer.list(b')', None));
            }
            (b'$', b'{') => {
                self.at += 1;
                self.pieces(b'}', in_quotes);
            }
            (b'`', _) => self.deeper(|lexer| {
                lexer.backquotes += 1;
                lexer.list(b'`', None);
                lexer.backquotes -= 1;
            }),
            _ => {}
        }
    }

    fn single_quotes(&mut self, escapes: bool) {
        let start = self.at;
        while !self.done() && self.peek(0) != b'\'' {
            self.at += 1 + usize::from(escapes && self.peek(0) == b'\\');
        }
        self.literal.push(start..self.at);
        self.at += 1;
    }

    /// Skips text that has no commands of its own but may contain substitutions, up to and including `close`: `"…"`, the braces
    /// of an expansion, or a balanced `(…)`. The opening has been read.
    fn pieces(&mut self, close: u8, in_quotes: bool) {
        self.deeper(|lexer| {
            let mut level = 1_usize;
            while !lexer.done() && level > 0 {
                match lexer.peek(0) {
                    b'`' if lexer.backquotes > 0 => return,
                    byte if byte == close => {
                        lexer.at += 1;
                        level -= 1;
                    }
                    b'(' if close == b')' => {
                        lexer.at += 1;
                        level += 1;
                    }
                    // Inside double quotes, a `"` within the braces opens a nested quote.
                    b'"' => {
                        lexer.at += 1;
                        lexer.pieces(b'"', true);
                    }
                    _ => lexer.piece(in_quotes),
                }
            }
        });
    }
}

fn is_separator(byte: u8) -> bool {
    b" \t\r\n;&|()<>".contains(&byte)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Each pipeline as `name arg arg | name arg`.
    fn seen(source: &str) -> Vec<String> {
        let script = Script::read(source);
        let mut pipelines = std::collections::BTreeMap::<usize, Vec<String>>::new();
        for command in &script.commands {
            let words: Vec<&str> = command.words.iter().map(|word| script.raw(word)).collect();
            if !words.is_empty() {
                pipelines
                    .entry(command.pipeline)
                    .or_default()
                    .push(words.join(" "));
            }
        }
        pipelines.into_values().map(|all| all.join(" | ")).collect()
    }

    #[test]
    fn commands_are_found_where_a_shell_finds_them() {
        for (source, expected) in [
            ("a b; c && d || e &\nf", vec!["a b", "c", "d", "e", "f"]),
            ("a | b |& c || d", vec!["a | b | c", "d"]),
            ("if a; then b; else c; fi", vec!["a", "b", "c"]),
            ("A=1 B='x y' cmd # not | this", vec!["cmd"]),
            (
                "echo 'a | b' \"c; $(d | e) f\"",
                vec!["echo 'a | b' \"c; $(d | e) f\"", "d | e"],
            ),
            ("x=`a \"b\" | c`; d", vec!["a \"b\" | c", "d"]),
            ("f() { a; }\nfunction g { b; }", vec!["a", "b"]),
            (
                "case $1 in a|jq) b ;; (c) d ;; *) e; esac; f",
                vec!["b", "d", "e", "f"],
            ),
            ("case x in esac; b", vec!["b"]),
            (
                "[[ $a =~ ^(x|y)$ && -f b ]] && c",
                vec!["[[ $a =~ ^ x y $ -f b ]]", "c"],
            ),
            ("(( a > b )) && c", vec!["c"]),
            ("x=$(( (1 + 2) > 3 )); y=(a $(b) 'c'); d", vec!["b", "d"]),
            ("x=(<(a b) c); d", vec!["a b", "d"]),
            ("cat <<EOF | b\nnot $(this)\nEOF\nc", vec!["cat | b", "c"]),
            ("cat <<-'E O'\n\tx\n\tE O\nc", vec!["cat", "c"]),
            ("a <<< \"$b\" 2>&1 >out <in; c", vec!["a", "c"]),
            ("a <(b c) >(d)", vec!["a <(b c) >(d)", "b c", "d"]),
            ("(a; b) | c", vec!["a | c", "b"]),
            ("a | (b; c)", vec!["a | b", "c"]),
            (
                "echo ${x:-$(a)} ${#y} \"${z:-\"q r\"}\"",
                vec!["echo ${x:-$(a)} ${#y} \"${z:-\"q r\"}\"", "a"],
            ),
            ("a \\\n  b # c\\\nd", vec!["a b", "d"]),
            ("echo $'it\\'s' ; b", vec!["echo $'it\\'s'", "b"]),
            ("a;;b", vec!["a", "b"]),
            ("echo a#b", vec!["echo a#b"]),
        ] {
            let mut found = seen(source);
            found.sort();
            let mut expected: Vec<String> = expected.into_iter().map(String::from).collect();
            expected.sort();
            assert_eq!(found, expected, "{source}");
        }
    }

    #[test]
    fn what_is_called_is_seen_through_sudo_and_env() {
        for (source, expected) in [
            ("sudo -u root /usr/bin/curl x", "curl"),
            ("env A=b -u C bash -s", "bash"),
            ("command jq .", "jq"),
            ("command -v jq", "command"),
            ("exec \"python3\" x", "python3"),
            ("sudo", "sudo"),
        ] {
            let script = Script::read(source);
            let (name, _) = script.called(&script.commands[0]).unwrap();
            assert_eq!(name, expected, "{source}");
        }
        let script = Script::read("\"$PYTHON\" x");
        assert_eq!(script.called(&script.commands[0]), None);
    }

    #[test]
    fn outputs_are_files_that_are_replaced() {
        let script = Script::read("a >\"$out\" 2>/dev/null >&2 &>all >>more >|clobbered");
        let outputs: Vec<&str> = script.commands[0]
            .outputs
            .iter()
            .map(|word| script.raw(word))
            .collect();
        assert_eq!(outputs, ["\"$out\"", "/dev/null", "all", "clobbered"]);
    }

    #[test]
    fn nesting_without_end_is_survived() {
        for part in [
            "$(",
            "`",
            "\"",
            "((",
            "${x:-",
            "case x in ",
            "a=(",
            "[[ ",
            "<(",
            "@(",
            "\"$(",
            "\"$((",
        ] {
            let _script = Script::read(&part.repeat(50_000));
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read(source in "\\PC{0,80}|[a-z $(){}<>|&;'\"`\\\\\n#=\\[\\]!*-]{0,120}") {
            let script = Script::read(&source);
            for command in &script.commands {
                for word in command.words.iter().chain(&command.assignments).chain(&command.outputs) {
                    prop_assert!(word.end <= source.len());
                    prop_assert!(source.get(word.clone()).is_some());
                    script.literal(word);
                }
            }
        }
    }
}
