//! What a reader of the PDF sees and was not read here, said once, with its place; and text of which nobody here knows whether it is
//! set: it is read and marked, and what decides about it is named.

use indexmap::IndexMap;

use super::{After, GroupKind, How, Kind, Macro, Meaning, Reader, Token, env, narrow, style};
use crate::IncludeKind::{Bibliography, Graphics};
use crate::IncludeOutcome::{NotRead, Read};
use crate::{Holds, Include, Place, ProblemKind};

impl Reader<'_> {
    /// A control sequence that nobody defines.
    pub(super) fn undefined(&mut self, token: Token, name: u32) {
        if self.preamble && self.is_handled(token) {
            self.handled.insert(name);
        }
        let text = self.names.shared(name);
        // A name with `@` is of LaTeX's own workings.
        let is_inner = text.contains('@');
        if is_inner || self.style.has(style::MUTE) || !self.reported.insert(name) {
            return;
        }
        if is_citation(&text) && self.peek_after_space().kind == Kind::Begin {
            let message = format!("`\\{text}` looks like a citation; its keys are not read");
            self.problem_at(ProblemKind::UnreadText(Holds::CITATIONS), token, message);
        } else {
            if !self.handled.contains(&name) {
                self.installed_names.insert(self.place(token));
            }
            let message =
                format!("the definition of `\\{text}` was not found; what it prints is not read");
            self.problem_at(ProblemKind::UndefinedMacro, token, message);
        }
    }

    /// Takes back what was said of names that an installed package or class defines. One of the paper's own, which may print its
    /// results, would be defined in a file that is missing or by code that was not followed; or nothing but LaTeX is installed.
    pub(super) fn settle_undefined(&mut self) {
        let is_lost = |include: &Include| {
            !matches!(include.kind, Graphics | Bibliography)
                && !matches!(include.outcome, Read { .. } | NotRead)
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
        match self.before(token).bytes().next_back() {
            Some(b'{') => self.peek().kind == Kind::End,
            Some(byte) => byte.is_ascii_alphabetic(),
            None => false,
        }
    }

    /// The same for those in an argument that is flattened.
    pub(super) fn undefined_in(&mut self, tokens: &[Token]) {
        for token in tokens {
            if let Some(name) = token.name().filter(|_| self.is_unknown(*token)) {
                self.undefined(*token, name);
            }
        }
    }

    /// An argument that is dropped: citations in it are told, and numbers where it `is_text`.
    pub(super) fn unread_argument(&mut self, token: Token, argument: &[Token], is_text: bool) {
        self.may_define_within(token, argument);
        let (_, mut holds) = self.held(argument);
        holds.numbers &= is_text;
        if !holds.is_empty() {
            let message = format!("an argument of `{}` is not read", self.text(token));
            self.problem_at(ProblemKind::UnreadText(holds), token, message);
        }
    }

    /// A macro that is not expanded, where its text holds anything.
    pub(super) fn opaque(&mut self, call: Token, name: u32, body: &Macro) {
        if self.style.has(style::MUTE) || !self.reported.insert(name) {
            return;
        }
        let (count, holds) = self.held(&body.body);
        if holds.is_empty() {
            return;
        }
        let message = format!(
            "`{}` prints text that is not read: its definition in `{}` holds {} and is not followed",
            self.names.text(name),
            self.doc.position(body.place).path,
            counted(count, holds),
        );
        self.problem_at(ProblemKind::UnreadText(holds), call, message);
    }

    /// `\apptocmd`, `\patchcmd`: a macro of the document whose text is changed by what is not followed, where it holds anything. One
    /// letter for each argument with text behind the macro's name.
    pub(super) fn changed(&mut self, token: Token, spec: How) {
        let Some((name, _)) = self.defined_name() else {
            return;
        };
        let mut all = Vec::new();
        for _ in spec.chars() {
            all.extend(self.argument());
        }
        if let Meaning::Macro(body) = self.meaning(name) {
            all.extend(body.body.iter());
        }
        // What is done when it works, and when it does not.
        if self.command_name(token).ends_with("cmd") {
            self.skip_arguments(token, "mm");
        }
        let (_, holds) = self.held(&all);
        if !holds.is_empty() && self.reported.insert(name) {
            let name = self.names.text(name);
            let message = format!("`\\{name}` is changed here; what it prints then is not read");
            self.problem_at(ProblemKind::UnreadText(holds), token, message);
        }
    }

    /// The document's own definition of a command that the reader depends on, where its text holds anything. The numbers beside
    /// commands that are not known are mostly lengths and levels.
    pub(super) fn redefined(&mut self, token: Token, name: u32, body: &[Token]) {
        let (count, mut holds) = self.held(body);
        // A citation command is mostly made of others.
        holds.citations &= !is_citation(self.names.text(name));
        if !holds.is_empty() && self.is_understood(body) {
            let (name, held) = (self.names.text(name), counted(count, holds));
            let message =
                format!("the paper's own definition of `\\{name}` is not read; it holds {held}");
            self.problem_at(ProblemKind::UnreadText(holds), token, message);
        }
    }

    /// How many numbers tokens hold, and what else.
    fn held(&self, tokens: &[Token]) -> (usize, Holds) {
        let words = tokens.iter().filter(|token| token.kind == Kind::Word);
        let words = words.map(|word| self.text(*word));
        let count = words.clone().map(numbers).sum();
        // `cite = key` among the properties of an acronym.
        let is_property = words.clone().any(|word| word.contains("cite")) && {
            let all: String = words.collect();
            all.starts_with("cite=") || all.contains(",cite=")
        };
        (
            count,
            Holds::new(count > 0, is_property || self.cites_keys(tokens)),
        )
    }

    /// Whether a command that cites has keys there.
    fn cites_keys(&self, tokens: &[Token]) -> bool {
        /// Tokens of the options before the keys.
        const NEAR: usize = 64;
        tokens.iter().enumerate().any(|(at, token)| {
            let rest = tokens.get(at + 1..).unwrap_or_default().iter().take(NEAR);
            let mut rest = rest.skip_while(|token| token.kind != Kind::Begin).skip(1);
            matches!(token.kind, Kind::Name(name) if is_citation(self.names.text(name)))
                && (rest.next()).is_some_and(|key| matches!(key.kind, Kind::Word | Kind::Param(_)))
        })
    }

    /// An environment that is passed over, up to its end, where its source holds anything: a listing with its options, or a picture.
    pub(super) fn unread_environment(&mut self, name: &str, options: Option<&str>, token: Token) {
        if self.style.has(style::MUTE) {
            return;
        }
        let here = self.here();
        let searched = |end: Place| end.file == here.file && end.offset > here.offset;
        if self.searched.is_some_and(searched) {
            return;
        }
        let rest = self.rest_of_file();
        let end = rest.find(&env::end_of(name)).unwrap_or(rest.len());
        let source = rest.get(..end).unwrap_or("");
        let is_drawn = options.is_none() && !source.contains("\\addplot");
        let drawn = is_drawn.then(|| labels(source));
        let count = numbers(drawn.as_deref().unwrap_or(source));
        // Citations in pictures are read.
        let mut commands = source.split('\\').skip(1);
        let runs = |options| commands.any(is_citation) && self.runs_code(name, options);
        let citations = options.is_some_and(runs);
        self.searched = Some(Place::new(here.file, here.offset + end));
        let holds = Holds::new(count > 0, citations);
        if !holds.is_empty() {
            let held = counted(count, holds);
            let message = format!("`{name}` is not read; its source holds {held}");
            self.problem_at(ProblemKind::UnreadText(holds), token, message);
        }
    }

    /// Whether commands in a listing may count: those of `alltt` do, others where an option lets them.
    fn runs_code(&self, name: &str, options: &str) -> bool {
        const LETTING: &str = "escapeinside escapechar commandchars mathescape texcl";
        let lets = |text: &str| LETTING.split(' ').any(|key| text.contains(key));
        name == "alltt"
            || lets(options)
            || name != "verbatim" && self.doc.files.iter().any(|file| lets(&file.text))
    }

    /// Begins a doubt and returns its number; 0 where text is in doubt already and this says nothing new.
    pub(super) fn doubt(&mut self, token: Token, message: &str) -> u32 {
        if message.is_empty() && self.is_doubtful() {
            return 0;
        }
        let doubt = Doubt {
            place: self.place(token),
            message: message.to_owned(),
            is_told: false,
            holds: Holds::default(),
        };
        self.writer.doubts.all.push(doubt);
        let number = narrow(self.writer.doubts.all.len());
        self.enter_doubt(number);
        number
    }

    pub(super) fn enter_doubt(&mut self, number: u32) {
        if number > 0 {
            self.writer.doubts.open.push(number);
        }
    }

    pub(super) fn is_doubtful(&self) -> bool {
        !self.writer.doubts.open.is_empty()
    }

    /// The number of the innermost open doubt; 0 where there is none.
    pub(super) fn doubt_number(&self) -> u32 {
        self.writer.doubts.open.last().copied().unwrap_or(0)
    }

    /// What decides about what stands here.
    pub(super) fn cause(&mut self) -> Option<Place> {
        Some(self.writer.doubts.current_mut()?.1.place)
    }

    /// The open doubt is told, because of this.
    pub(super) fn doubt_holds(&mut self, holds: Holds) {
        if let Some((_, doubt)) = self.writer.doubts.current_mut() {
            doubt.is_told = true;
            doubt.holds.add(holds);
        }
    }

    /// Ends a doubt with the innermost group.
    pub(super) fn end_with_group(&mut self, number: u32) {
        if let Some(group) = self.groups.last_mut()
            && group.doubt == 0
        {
            group.doubt = number;
        }
    }

    /// Doubts everything up to the end of the innermost group.
    pub(super) fn doubt_group(&mut self, token: Token, message: &str) {
        let number = self.doubt(token, message);
        self.end_with_group(number);
    }

    /// Doubts everything up to the end of the innermost file.
    pub(super) fn doubt_file(&mut self, token: Token, message: &str) {
        let number = self.doubt(token, message);
        if let Some(file) = self.file_mut().filter(|file| file.doubt == 0) {
            file.doubt = number;
        }
    }

    /// Puts tokens back that are doubted.
    pub(super) fn unread_doubtful(&mut self, token: Token, message: &str, tokens: &[Token]) {
        let number = self.doubt(token, message);
        self.unread(token.with(Kind::Certain(number)));
        self.unread_all(tokens);
    }

    /// The next argument follows, in doubt.
    pub(super) fn doubtful_argument(&mut self, token: Token) {
        let tokens = self.argument();
        if self.style.has(style::MUTE) {
            self.unread_argument(token, &tokens, true);
        }
        let name = self.command_name(token);
        let message = format!("whether `\\{name}` prints its argument is not decided here");
        self.unread_doubtful(token, &message, &tokens);
    }

    /// `\mode<article>{…}` of beamer: set in that form of the document.
    pub(super) fn beamer_mode(&mut self, token: Token, _: How) {
        let modes = self.delimited('<', '>').unwrap_or_default();
        let modes = self.raw(&modes);
        let is_shown = ["presentation", "beamer", "all"].contains(&modes.trim());
        if !is_shown && self.peek().kind == Kind::Begin {
            self.doubtful_argument(token);
        }
    }

    /// `\setbox0=\hbox{…}`: what the box holds is set where it is used, if it is.
    pub(super) fn set_box(&mut self, token: Token, _: How) {
        self.skip_glue();
        self.drop_sign('=');
        let mut next = self.next_visible();
        if matches!(self.command_name(next), "hbox" | "vbox" | "vtop") {
            next = self.next_visible();
        }
        if next.kind == Kind::Begin || self.what(next) == "open" {
            self.open_group(GroupKind::Brace, After::Nothing, next);
            self.doubt_group(token, "whether this box is printed is not decided here");
        } else {
            self.unread(next);
        }
    }

    /// `\foreach \i in {a,b}{…}`, `\@for\x:=a,b\do{…}`: what is repeated is read once, in doubt.
    pub(super) fn for_each(&mut self, token: Token, _: How) {
        /// Tokens up to the first group.
        const MOST: usize = 64;
        let Some((head, begin)) = self.up_to(MOST, |_, token| match token.kind {
            Kind::Begin => Some(true),
            Kind::Par => Some(false),
            _ => None,
        }) else {
            return;
        };
        let mut body = self.balanced(begin);
        if self.raw(&head).trim().ends_with("in") {
            body = self.argument();
        }
        let name = self.command_name(token);
        let message = format!("`\\{name}` is not followed here; what it repeats is read once");
        self.unread_doubtful(token, &message, &body);
    }

    /// What follows may be read wrongly, up to the end of the group: `what` changes how.
    pub(super) fn changes_reading(&mut self, token: Token) {
        let name = self.command_name(token);
        let message = format!(
            "`\\{name}` changes how characters are read here; what follows may be read wrongly"
        );
        self.doubt_group(token, "");
        self.problem_at(ProblemKind::UnreadText(Holds::ALL), token, message);
    }

    /// Lists the doubts that are about anything, what is the same once, at its first place.
    pub(super) fn list_doubts(&mut self) {
        let mut listed: IndexMap<String, (Place, Holds, usize)> = IndexMap::new();
        for doubt in std::mem::take(&mut self.writer.doubts).all {
            if doubt.is_told && !doubt.message.is_empty() {
                let first = (doubt.place, Holds::default(), 0);
                let (_, holds, count) = listed.entry(doubt.message).or_insert(first);
                holds.add(doubt.holds);
                *count += 1;
            }
        }
        for (mut message, (place, holds, count)) in listed {
            if count > 1 {
                message = format!("{message} (here and in {} more places)", count - 1);
            }
            self.problem(ProblemKind::Undecided(holds), place, message);
        }
    }
}

fn counted(count: usize, holds: Holds) -> String {
    let numbers = format!("{count} number{}", if count == 1 { "" } else { "s" });
    match (holds.numbers, holds.citations) {
        (true, true) => numbers + " and citations",
        (false, true) => "citations".to_owned(),
        _ => numbers,
    }
}

/// Whether a command looks like one that cites, by its name; what follows the name does not matter.
fn is_citation(name: &str) -> bool {
    let mut parts = name.split(|c: char| !c.is_ascii_alphabetic());
    let name = parts.next().unwrap_or("");
    let mut parts = name.as_bytes().windows(4);
    parts.any(|part| matches!(part, b"cite" | b"Cite"))
        && !name.ends_with("style")
        && !name.starts_with("bib")
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
    let parts = parts.filter(|part| part.contains(|c: char| c.is_ascii_digit()));
    let parts = parts.filter(|part| part.starts_with(|c: char| c.is_ascii_digit() || c == '.'));
    parts.filter(|part| !part.contains(is_word)).count()
}

/// Why it is not known whether text is set.
pub(crate) struct Doubt {
    pub(crate) place: Place,
    /// What is said of it, when it holds anything; empty where something else says it.
    message: String,
    pub(crate) is_told: bool,
    pub(crate) holds: Holds,
}

/// All doubts, which others name by number from 1, and the open ones, the innermost last.
#[derive(Default)]
pub(crate) struct Doubts {
    all: Vec<Doubt>,
    open: Vec<u32>,
}

impl Doubts {
    /// The innermost open one with its number.
    pub(crate) fn current_mut(&mut self) -> Option<(u32, &mut Doubt)> {
        let number = *self.open.last()?;
        Some((number, self.all.get_mut(number as usize - 1)?))
    }

    pub(crate) fn leave(&mut self, number: u32) {
        if let Some(at) = self.open.iter().rposition(|open| *open == number) {
            self.open.remove(at);
        }
    }
}
