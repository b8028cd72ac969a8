//! Visible text that was not read: each is reported once, with its place. Doubts: text that LaTeX may or may not print is read
//! and marked, with the cause of the doubt.

use std::rc::Rc;

use indexmap::IndexMap;

use super::{After, GroupKind, How, Kind, Macro, Meaning, Reader, Token, env, narrow, style};
use crate::IncludeKind::{Bibliography, Graphics};
use crate::IncludeOutcome::{NotRead, Read};
use crate::{Holds, Include, Place, ProblemKind};

impl Reader<'_> {
    /// Reports a control sequence without a definition.
    pub(super) fn undefined(&mut self, token: Token, name: u32) {
        if self.preamble && self.is_handled(token) {
            self.handled.insert(name);
        }
        let text = self.names.shared(name);
        // A name with `@` is internal to LaTeX.
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

    /// Drops the reports of names that an installed package or class may define. All stay if a file is missing or nothing but
    /// LaTeX is installed, and so does that of a name that code which is not followed may define: it may be the paper's own and
    /// print its results.
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

    /// Whether a token is the argument of a command: `{\x}`, or `\x` right behind the command.
    fn is_handled(&mut self, token: Token) -> bool {
        match self.before(token).bytes().next_back() {
            Some(b'{') => self.peek().kind == Kind::End,
            Some(byte) => byte.is_ascii_alphabetic(),
            None => false,
        }
    }

    /// [`Reader::undefined`] for the names in an argument that is flattened.
    pub(super) fn undefined_in(&mut self, tokens: &[Token]) {
        for token in tokens {
            if let Some(name) = token.name().filter(|_| self.is_unknown(*token)) {
                self.undefined(*token, name);
            }
        }
    }

    /// Reports an argument that is dropped, if it holds citations, or numbers and `is_text`.
    pub(super) fn unread_argument(&mut self, token: Token, argument: &[Token], is_text: bool) {
        self.may_define_within(token, argument);
        let mut holds = self.holds(argument);
        holds.numbers &= is_text;
        if !holds.is_empty() {
            let message = format!("an argument of `{}` is not read", self.text(token));
            self.problem_at(ProblemKind::UnreadText(holds), token, message);
        }
    }

    /// Reports a macro that is not expanded, if its body holds numbers or citations.
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

    /// `\apptocmd`, `\patchcmd`: reports a macro that is changed in a way that is not followed, if it holds numbers or citations.
    /// `spec` has one letter for each argument with text behind the macro's name.
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
        // The code for success and for failure.
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

    /// Reports the document's own definition of a command that the reader depends on, if it holds numbers or citations. Numbers
    /// beside unknown commands are mostly lengths and levels, and are not reported.
    pub(super) fn redefined(&mut self, token: Token, name: u32, body: &[Token]) {
        let (count, mut holds) = self.held(body);
        // A citation command is mostly defined by others.
        holds.citations &= !is_citation(self.names.text(name));
        if !holds.is_empty() && self.is_understood(body) {
            let (name, held) = (self.names.text(name), counted(count, holds));
            let message =
                format!("the paper's own definition of `\\{name}` is not read; it holds {held}");
            self.problem_at(ProblemKind::UnreadText(holds), token, message);
        }
    }

    /// How many numbers tokens hold, and whether they hold numbers and citations.
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

    /// Whether tokens hold numbers and citations.
    pub(super) fn holds(&self, tokens: &[Token]) -> Holds {
        self.held(tokens).1
    }

    /// Whether an option is a text with a number: more than a length, a position or a list of settings. Settings of pictures are
    /// searched with the picture.
    pub(super) fn reads_like_text(&self, option: &[Token]) -> bool {
        let text = self.raw(option);
        let words = text.split(|c: char| c.is_whitespace() || "{}~,;:".contains(c));
        let is_word = |word: &&str| word.len() > 2 && word.chars().all(char::is_alphabetic);
        let is_glue = text.contains(" plus ") || text.contains(" minus ");
        let is_prose = text.contains("\\%") || words.filter(is_word).count() > 1 && !is_glue;
        is_prose && !text.contains('=') && numbers(&text) > 0 && !self.style.has(style::MUTE)
    }

    /// `\tikz[options]{…}`, `\tikz … ;`: a picture within a line.
    pub(super) fn small_picture(&mut self, token: Token, _: How) {
        /// Most tokens of a picture without braces.
        const MOST: usize = 1_000;
        drop(self.optional());
        let picture = self.braced().or_else(|| {
            let (mut picture, end) = self.up_to(MOST, |reader, token| match token.kind {
                Kind::Word => reader.text(token).contains(';').then_some(true),
                Kind::Par => Some(false),
                _ => None,
            })?;
            let (before, after) = end.split(self.text(end).find(';')?);
            picture.push(before);
            self.unread(after.split(1).1);
            Some(picture)
        });
        let mut picture = picture.unwrap_or_default();
        let citations = self.holds(&picture).citations;
        picture.retain(|token| token.name().is_none() || self.command_name(*token) == "%");
        let shown = labels(&self.raw(&picture));
        // A whole number alone marks a step or a place: `\circled{2}`.
        let is_more = |c: char| !c.is_ascii_digit() && !c.is_whitespace();
        let count = numbers(&shown);
        let holds = Holds::new(count > 0 && shown.contains(is_more), citations);
        if !holds.is_empty() && !self.style.has(style::MUTE) {
            let message = format!(
                "`\\tikz` is not read; its source holds {}",
                counted(count, holds)
            );
            self.problem_at(ProblemKind::UnreadText(holds), token, message);
        }
    }

    /// Whether tokens hold a citation command with keys.
    fn cites_keys(&self, tokens: &[Token]) -> bool {
        /// Most tokens before the keys.
        const NEAR: usize = 64;
        tokens.iter().enumerate().any(|(at, token)| {
            let rest = tokens.get(at + 1..).unwrap_or_default().iter().take(NEAR);
            let mut rest = rest.skip_while(|token| token.kind != Kind::Begin).skip(1);
            matches!(token.kind, Kind::Name(name) if is_citation(self.names.text(name)))
                && (rest.next()).is_some_and(|key| matches!(key.kind, Kind::Word | Kind::Param(_)))
        })
    }

    /// Reports an environment whose source is dropped, if it holds numbers or citations: a listing (with `options`) or a picture.
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
        // Citations in pictures are read elsewhere.
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

    /// Whether commands in a listing may be run: those of `alltt` are, others if an option allows it.
    fn runs_code(&self, name: &str, options: &str) -> bool {
        const LETTING: &str = "escapeinside escapechar commandchars mathescape texcl";
        let lets = |text: &str| LETTING.split(' ').any(|key| text.contains(key));
        name == "alltt"
            || lets(options)
            || name != "verbatim" && self.doc.files.iter().any(|file| lets(&file.text))
    }

    /// Begins a doubt and returns its number; 0 if the text is already doubtful and there is no message.
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

    /// The number of the innermost open doubt; 0 if there is none.
    pub(super) fn doubt_number(&self) -> u32 {
        self.writer.doubts.open.last().copied().unwrap_or(0)
    }

    /// The cause of the innermost open doubt.
    pub(super) fn cause(&mut self) -> Option<Place> {
        Some(self.writer.doubts.current_mut()?.1.place)
    }

    /// Marks the innermost open doubt as one to report, and adds what its text holds.
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

    /// Puts tokens back as doubtful text.
    pub(super) fn unread_doubtful(&mut self, token: Token, message: &str, tokens: &[Token]) {
        let number = self.doubt(token, message);
        self.unread(token.with(Kind::Certain(number)));
        self.unread_all(tokens);
    }

    /// Puts the next argument back as doubtful text.
    pub(super) fn doubtful_argument(&mut self, token: Token) {
        let tokens = self.argument();
        if self.style.has(style::MUTE) {
            self.unread_argument(token, &tokens, true);
        }
        let name = self.command_name(token);
        let message = format!("whether `\\{name}` prints its argument is not decided here");
        self.unread_doubtful(token, &message, &tokens);
    }

    /// `\mode<article>{…}` of beamer: printed only in that form of the document.
    pub(super) fn beamer_mode(&mut self, token: Token, _: How) {
        let modes = self.delimited('<', '>').unwrap_or_default();
        let modes = self.raw(&modes);
        let is_shown = ["presentation", "beamer", "all"].contains(&modes.trim());
        if !is_shown && self.peek().kind == Kind::Begin {
            self.doubtful_argument(token);
        }
    }

    /// `\setbox0=\hbox{…}`: the box is printed where it is used, if at all.
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

    /// `\foreach \i in {a,b}{…}`, `\foreach \i/\j in {1/a,2/b}{…}`, `\@for\x:=a,b\do{…}`: the repeated text is read once, as
    /// doubtful; each variable prints all that it stands for.
    pub(super) fn for_each(&mut self, token: Token, _: How) {
        /// Most tokens up to the first group.
        const MOST: usize = 64;
        let Some((head, begin)) = self.up_to(MOST, |_, token| match token.kind {
            Kind::Begin => Some(true),
            Kind::Par => Some(false),
            _ => None,
        }) else {
            return;
        };
        let mut body = self.balanced(begin);
        let (mut names, mut list, mut brackets) = (Vec::new(), None, 0_usize);
        for part in head {
            match (self.text(part), &mut list) {
                ("[", None) => brackets += 1,
                ("]", None) => brackets = brackets.saturating_sub(1),
                ("in", None) if brackets == 0 => list = Some(Vec::new()),
                (text, None) if text.starts_with(":=") => list = Some(vec![part.split(2).1]),
                (_, None) if brackets == 0 => names.extend(part.name()),
                ("\\do", _) | (_, None) => {}
                (_, Some(list)) => list.push(part),
            }
        }
        let is_blank = |part: &Token| part.kind == Kind::Space;
        if list.as_ref().is_some_and(|list| list.iter().all(is_blank)) {
            list = Some(std::mem::replace(&mut body, self.argument()));
        }
        let name = self.command_name(token);
        let message = format!("`\\{name}` is not followed here; what it repeats is read once");
        self.open_group(GroupKind::Brace, After::Nothing, token);
        self.doubt_group(token, &message);
        self.define_each(token, &names, &list.unwrap_or_default());
        self.unread(token.with(Kind::End));
        self.unread_all(&body);
    }

    /// Lets each variable of a loop print its part, `a/b`, of all items of the list.
    fn define_each(&mut self, token: Token, names: &[u32], list: &[Token]) {
        let comma = list.iter().find_map(|word| {
            let at = self.text(*word).find(',')?;
            Some(word.split(at).1.split(1).0)
        });
        let items = self.split(list, ',');
        let items: Vec<_> = items.iter().map(|item| self.split(item, '/')).collect();
        for (at, name) in names.iter().enumerate() {
            let mut printed = Vec::new();
            for item in &items {
                if !printed.is_empty() {
                    printed.extend(comma);
                    printed.push(token.with(Kind::Space));
                }
                printed.extend(item.get(at).or(item.last()).into_iter().flatten());
            }
            let printed = self.macro_of(Some(Vec::new()), &printed, self.place(token));
            self.set_meaning(*name, Meaning::Macro(Rc::new(printed)));
        }
    }

    /// Reports a command that changes how characters are read: text up to the end of the group may be read wrongly.
    pub(super) fn changes_reading(&mut self, token: Token) {
        let name = self.command_name(token);
        let message = format!(
            "`\\{name}` changes how characters are read here; what follows may be read wrongly"
        );
        self.doubt_group(token, "");
        self.problem_at(ProblemKind::UnreadText(Holds::ALL), token, message);
    }

    /// Lists the doubts that have text. Equal messages are listed once, at the first place.
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

/// Whether a command's name looks like one that cites. Only the letters at the beginning of `name` count.
fn is_citation(name: &str) -> bool {
    let mut parts = name.split(|c: char| !c.is_ascii_alphabetic());
    let name = parts.next().unwrap_or("");
    let mut parts = name.as_bytes().windows(4);
    parts.any(|part| matches!(part, b"cite" | b"Cite"))
        && !name.ends_with("style")
        && !name.starts_with("bib")
}

/// The text in braces of a picture; parentheses and brackets hold positions and sizes.
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

/// Counts the numbers in a text: runs of digits, with points and commas inside. Runs in a name or a length do not count.
fn numbers(text: &str) -> usize {
    let is_word = |c: char| c.is_alphabetic() || matches!(c, '_' | '@');
    let parts = text.split(|c: char| !c.is_ascii_digit() && !is_word(c) && !matches!(c, '.' | ','));
    let parts = parts.filter(|part| part.contains(|c: char| c.is_ascii_digit()));
    let parts = parts.filter(|part| part.starts_with(|c: char| c.is_ascii_digit() || c == '.'));
    parts.filter(|part| !part.contains(is_word)).count()
}

/// A reason why LaTeX may not print some text.
pub(crate) struct Doubt {
    pub(crate) place: Place,
    /// The message, if the doubt is reported; empty if something else reports it.
    message: String,
    pub(crate) is_told: bool,
    pub(crate) holds: Holds,
}

/// All doubts, numbered from 1, and the numbers of the open ones, the innermost last.
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
