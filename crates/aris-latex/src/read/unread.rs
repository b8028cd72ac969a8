//! What a reader of the PDF sees and was not read here: said once, with its place.

use super::{
    env::{self, Env},
    reader::{Macro, Meaning, Reader},
    style,
    token::{Kind, Token},
};
use crate::{Include, IncludeKind, IncludeOutcome, Place, ProblemKind};

impl Reader<'_> {
    /// A control sequence that nobody defines.
    pub(super) fn undefined(&mut self, token: Token, name: u32) {
        if self.preamble && self.is_handled(token) {
            self.handled.insert(name);
        }
        // A name with `@` is of LaTeX's own workings.
        let is_inner = self.names.text(name).contains('@');
        if is_inner || self.style.has(style::MUTE) || !self.reported.insert(name) {
            return;
        }
        if !self.handled.contains(&name) {
            self.installed_names.insert(self.place(token));
        }
        let message = format!(
            "the definition of `\\{}` was not found; what it prints is not read",
            self.names.text(name)
        );
        self.problem_at(ProblemKind::UndefinedMacro, token, message);
    }

    /// Takes back what was said of names that an installed package or class defines. One of the paper's own, which may print its
    /// results, would be defined in a file that is missing or by code that was not followed; or nothing but LaTeX is installed.
    pub(super) fn settle_undefined(&mut self) {
        let is_source = |kind| !matches!(kind, IncludeKind::Graphics | IncludeKind::Bibliography);
        let is_lost = |include: &Include| {
            is_source(include.kind)
                && !matches!(
                    include.outcome,
                    IncludeOutcome::Read { .. } | IncludeOutcome::NotRead
                )
        };
        if !self.loading.installed || self.doc.includes.iter().any(is_lost) {
            return;
        }
        self.doc.problems.retain(|problem| {
            problem.kind != ProblemKind::UndefinedMacro
                || !self.installed_names.contains(&problem.place)
        });
    }

    /// Whether a name is what a command is about: `{\x}`, or `\x` right behind the command.
    fn is_handled(&mut self, token: Token) -> bool {
        let file = self.doc.files.get(token.file as usize);
        let before = file.and_then(|file| file.text.get(..token.at as usize));
        let before = before.and_then(|text| text.bytes().next_back());
        match before {
            Some(b'{') => self.peek().kind == Kind::End,
            Some(byte) => byte.is_ascii_alphabetic(),
            None => false,
        }
    }

    /// The same for those in an argument that is flattened.
    pub(super) fn undefined_in(&mut self, tokens: &[Token]) {
        for token in tokens {
            if let Kind::Name(name) = token.kind
                && matches!(self.meaning(name), Meaning::Unknown)
            {
                self.undefined(*token, name);
            }
        }
    }

    /// Notes a name that is a whole argument of a command whose work is not followed.
    pub(super) fn handles(&mut self, argument: &[Token]) {
        if let [only] = argument
            && let Kind::Name(name) = only.kind
        {
            self.handled.insert(name);
        }
    }

    /// A macro of a style file that is not expanded, where its text holds numbers.
    pub(super) fn opaque(&mut self, call: Token, name: u32, body: &Macro) {
        if self.style.has(style::MUTE) || !self.reported.insert(name) {
            return;
        }
        let count = self.numbers_in(&body.body);
        if count == 0 {
            return;
        }
        let message = format!(
            "`{}` prints text that is not read: its definition in `{}` holds {} and commands that are not known",
            self.names.text(name),
            self.doc.position(body.place).path,
            counted(count),
        );
        self.problem_at(ProblemKind::UnreadText, call, message);
    }

    /// `\apptocmd`, `\patchcmd`: a macro of the document whose text is changed by what is not followed, where numbers are in it. One
    /// letter for each argument with text behind the macro's name.
    pub(super) fn changed(&mut self, token: Token, spec: &str) {
        self.skip_optional();
        let Some((name, _)) = self.defined_name() else {
            return;
        };
        let mut count = 0;
        for _ in spec.chars() {
            let tokens = self.argument();
            count += self.numbers_in(&tokens);
        }
        let own = match self.meaning(name) {
            Meaning::Macro(body) => self.numbers_in(&body.body),
            _ => 0,
        };
        // What is done when it works, and when it does not.
        if self.command_name(token).ends_with("cmd") {
            self.skip_arguments("mm");
        }
        if count + own > 0 && self.reported.insert(name) {
            let message = format!(
                "`\\{}` is changed here; what it prints then is not read",
                self.names.text(name)
            );
            self.problem_at(ProblemKind::UnreadText, token, message);
        }
    }

    /// The document's own definition of a command that the reader depends on, where its text holds numbers. The numbers beside
    /// commands that are not known are mostly lengths and levels.
    pub(super) fn redefined(&mut self, token: Token, name: u32, body: &[Token]) {
        let count = self.numbers_in(body);
        if count > 0 && self.is_understood(body.iter()) {
            let message = format!(
                "the paper's own definition of `\\{}` is not read; it holds {}",
                self.names.text(name),
                counted(count),
            );
            self.problem_at(ProblemKind::UnreadText, token, message);
        }
    }

    fn numbers_in(&self, tokens: &[Token]) -> usize {
        let words = tokens.iter().filter(|token| token.kind == Kind::Word);
        words.map(|word| numbers(self.text(*word))).sum()
    }

    /// An environment that is passed over, up to its end, where its source holds numbers.
    pub(super) fn unread_environment(&mut self, name: &str, token: Token) {
        if self.style.has(style::MUTE) {
            return;
        }
        let here = self.here();
        let searched = |end: Place| end.file == here.file && end.offset > here.offset;
        if self.searched.is_some_and(searched) {
            return;
        }
        let rest = self.rest_of_file();
        let end = rest.find(&format!("\\end{{{name}}}")).unwrap_or(rest.len());
        let source = rest.get(..end).unwrap_or("");
        let is_picture = matches!(env::lookup(name), Some((Env::Mute, _)));
        let is_picture = is_picture && !source.contains("\\addplot");
        let count = if is_picture {
            numbers(&labels(source))
        } else {
            numbers(source)
        };
        self.searched = Some(Place {
            offset: here.offset + end,
            ..here
        });
        if count > 0 {
            let message = format!("`{name}` is not read; its source holds {}", counted(count));
            self.problem_at(ProblemKind::UnreadText, token, message);
        }
    }

    /// A file that is printed as a listing or a table.
    pub(super) fn unread_file(&mut self, place: Place, name: &str) {
        if !self.style.has(style::MUTE) {
            let message = format!("`{name}` is printed here and not read");
            self.problem(ProblemKind::UnreadText, place, message);
        }
    }
}

fn counted(count: usize) -> String {
    format!("{count} number{}", if count == 1 { "" } else { "s" })
}

/// The text in braces of a picture: what stands in parentheses and brackets are places and sizes.
fn labels(source: &str) -> String {
    let mut open = Vec::new();
    let label = |c: char| {
        match c {
            '{' | '(' | '[' => open.push(c),
            '}' | ')' | ']' => drop(open.pop()),
            _ if open.last() == Some(&'{') => return c,
            _ => {}
        }
        ' '
    };
    source.chars().map(label).collect()
}

/// Runs of digits, points and commas inside them included; those that belong to a name or are a length do not count.
fn numbers(text: &str) -> usize {
    let is_word = |c: char| c.is_alphabetic() || matches!(c, '_' | '@');
    let parts = text.split(|c: char| !c.is_ascii_digit() && !is_word(c) && !matches!(c, '.' | ','));
    parts
        .filter(|part| part.starts_with(|c: char| c.is_ascii_digit() || c == '.'))
        .filter(|part| part.contains(|c: char| c.is_ascii_digit()) && !part.contains(is_word))
        .count()
}
