//! Conditionals. One that the document itself decides is followed; of any other both branches are read.

use std::ops::Not;

use super::{Branch, Cmd, How, Kind, Meaning, Reader, Role, Token, style};
use crate::ProblemKind;

impl Reader<'_> {
    /// Whether an unknown name is a conditional of a package or class (`\ifCLASSINFOpdf`) rather than a command with arguments
    /// (`\ifstrempty{…}`); LaTeX's own conditionals are in the table.
    pub(super) fn is_unknown_conditional(&mut self, token: Token) -> bool {
        let text = token.name().map_or("", |name| self.names.text(name));
        text.len() > 2
            && text.starts_with("if")
            && (self.loading.installed || text.contains('@'))
            && self.is_unknown(token)
            && !self.takes_argument()
    }

    /// Whether a braced or an optional argument follows.
    fn takes_argument(&mut self) -> bool {
        let next = self.peek();
        next.kind == Kind::Begin || next.kind == Kind::Word && self.text(next).starts_with('[')
    }

    /// Evaluates a conditional; `None` if undecided. `tested` is the table's word for the test; any other word gives arguments to
    /// drop.
    pub(super) fn truth(&mut self, tested: &str, token: Token) -> Option<bool> {
        if let Some(tested) = tested.strip_prefix("not ") {
            return self.truth(tested, token).map(Not::not);
        }
        match tested {
            "true" | "false" => tested.parse().ok(),
            "maths" => Some(self.style.has(style::MATHS)),
            "same" => self.same(true),
            "letters" => self.same(false),
            "one" => {
                let tested = self.next_visible();
                self.is_defined(tested)
            }
            "csname" => {
                self.cs_name(token);
                let made = self.next();
                self.is_defined(made)
            }
            "lengths" => {
                self.relation();
                self.skip_glue();
                None
            }
            "numbers" => self.compared(),
            "odd" => self.number().map(|number| number % 2 != 0),
            "number" => self.number().and(None),
            "test" => {
                let test = self.argument();
                self.apart(&test, Self::test)
            }
            "equal" => self.equal(),
            "blank" => Some(self.name_argument().is_empty()),
            "starred" => Some(self.next_holds("true")),
            "missing" => Some(self.next_holds("none")),
            "defined" => self.defined_argument(),
            "bool" | "toggle" => self.switch(tested),
            arguments => {
                self.skip_arguments(token, arguments);
                None
            }
        }
    }

    /// Takes the branch that `truth` selects; both, as doubtful, if it is `None`.
    pub(super) fn branch(&mut self, truth: Option<bool>, token: Token) {
        let place = self.place(token);
        let negated = std::mem::take(&mut self.negated);
        let truth = truth.map(|truth| truth != negated);
        let message = truth.is_none().then(|| self.undecided(token));
        let doubt = message.map_or(0, |message| self.doubt(token, &message));
        if truth != Some(false) || self.skip_branch(token, true) {
            self.branches.push(Branch { place, doubt });
        }
    }

    /// The message for an undecided condition.
    fn undecided(&self, token: Token) -> String {
        format!(
            "`\\{}` is not decided here, and its text may not be set; to decide it, write `\\iftrue` or `\\iffalse`, or test a switch that the paper sets",
            self.command_name(token)
        )
    }

    pub(super) fn other_branch(&mut self, token: Token, _: How) {
        if (self.branches.pop_if(|branch| branch.doubt == 0)).is_some() {
            self.skip_branch(token, false);
        } else {
            self.space(token);
        }
    }

    pub(super) fn end_branch(&mut self, _: Token, _: How) {
        let doubt = self.branches.pop().map_or(0, |branch| branch.doubt);
        self.writer.doubts.leave(doubt);
    }

    /// Drops tokens to the matching `\fi`, or to `\else` if `stop_at_else`; returns whether it stopped at `\else`.
    pub(super) fn skip_branch(&mut self, start: Token, stop_at_else: bool) -> bool {
        let (mut depth, mut is_declared) = (0_usize, false);
        loop {
            let token = self.next();
            if token.kind == Kind::Stop {
                let message =
                    "the conditional has no `\\fi` in this file; what follows is not read";
                self.problem_at(ProblemKind::UnclosedConditional, start, message);
                return false;
            }
            match self.what(token) {
                "if" => depth += 1,
                "end_branch" if depth == 0 => return false,
                "end_branch" => depth -= 1,
                "other_branch" if depth == 0 && stop_at_else => return true,
                "" if !is_declared && self.is_unknown_conditional(token) => depth += 1,
                _ => {}
            }
            is_declared = self.command_name(token) == "newif";
        }
    }

    /// Compares the next two tokens as `\ifx` does, or as `\if` does if `whole` is false.
    fn same(&mut self, whole: bool) -> Option<bool> {
        let (one, one_means) = self.operand();
        let (two, two_means) = self.operand();
        match (one.kind, two.kind) {
            (Kind::Name(a), Kind::Name(b)) if a == b => Some(true),
            (Kind::Name(_), Kind::Name(_)) if whole => Some(one_means? == two_means?),
            (Kind::Word, Kind::Word) => {
                let ((a, rest_a), (b, rest_b)) = (self.split_letter(one), self.split_letter(two));
                let same = self.text(a) == self.text(b);
                // `\if ab`: both characters may stand in one word.
                self.unread_all(&[rest_a, rest_b]);
                (rest_a.len == 0).then_some(same)
            }
            // A built-in command never equals a character; for `\if` a macro may expand to one.
            (Kind::Name(_), Kind::Word) | (Kind::Word, Kind::Name(_)) => {
                if two.kind == Kind::Word {
                    self.first_letter(two);
                }
                let is_known = self.cmd(one).or(self.cmd(two)).is_some();
                (whole || is_known).then_some(false)
            }
            (Kind::Word, Kind::Par) => Some(false),
            (_, Kind::End | Kind::Stop | Kind::Par | Kind::Align) => {
                self.unread(two);
                None
            }
            _ => None,
        }
    }

    /// The next operand of `\ifx`, and a text for its meaning that only equal meanings share; `None` if the meaning is not
    /// certain.
    fn operand(&mut self) -> (Token, Option<String>) {
        let (token, is_made) = self.next_made();
        let Some(name) = token.name() else {
            return (token, None);
        };
        let means = match (self.names.text(name), self.meaning(name)) {
            ("relax", _) => Some("relax".to_owned()),
            ("empty" | "@empty", _) => Some("macro 0 ".to_owned()),
            ("undefined" | "@undefined", Meaning::Unknown) => Some("undefined".to_owned()),
            (_, Meaning::Macro(body)) => body.is_certain().then(|| {
                let text = self.raw(&body.body);
                format!("macro {} {text}", body.count())
            }),
            (_, Meaning::Unknown) => (self.is_defined(token) == Some(false))
                .then(|| if is_made { "relax" } else { "undefined" }.to_owned()),
            _ => None,
        };
        (token, means)
    }

    /// Whether a control sequence is defined, where that is certain.
    fn is_defined(&self, token: Token) -> Option<bool> {
        let Kind::Name(name) = token.kind else {
            return Some(true);
        };
        match self.meaning(name) {
            Meaning::Macro(body) => body.is_certain().then_some(true),
            Meaning::Known(cmd) => (cmd.truth().is_some() || cmd.sets.is_some()).then_some(true),
            // An installed package may define it, and LaTeX itself defines names with `@`.
            Meaning::Unknown => (!self.loading.installed
                && self.loading.styles.is_empty()
                && !self.names.text(name).contains('@'))
            .then_some(false),
        }
    }

    /// Whether the control sequence named in the next argument, with backslash or without, is defined.
    fn defined_argument(&mut self) -> Option<bool> {
        let tokens = self.argument();
        let first = *tokens.first()?;
        let name = self.names.intern(&self.raw(&tokens));
        let made = first.with(Kind::Name(name));
        self.is_defined(first.name().map_or(made, |_| first))
    }

    /// A number: decimal digits, hexadecimal ones after `"`, octal ones after `'`, a character after a backquote, or a macro that
    /// expands to one of these. `None` for registers and counters, which are not followed. **Source**: The `TeXbook`, chapter 8.
    pub(super) fn number(&mut self) -> Option<i64> {
        loop {
            let token = self.next_visible();
            let Kind::Name(name) = token.kind else {
                let (sign, rest) = token.split(1);
                let number = match self.text(sign) {
                    "\"" => self.digits(rest, 16),
                    "'" => self.digits(rest, 8),
                    "`" => {
                        // The character itself, even a brace, or the one of a control sequence of one character.
                        let named = if rest.len > 0 { rest } else { self.next() };
                        if named.kind == Kind::Word {
                            self.unread(self.split_letter(named).1);
                        }
                        let text = self.text(named);
                        let behind = text.strip_prefix('\\').filter(|text| !text.is_empty());
                        let character = behind.unwrap_or(text).chars().next();
                        character.map(|character| u32::from(character).into())
                    }
                    _ => self.digits(token, 10),
                };
                if number.is_some() {
                    // A space ends the number.
                    self.drop_kind(Kind::Space);
                }
                return number;
            };
            match self.meaning(name) {
                Meaning::Macro(body) if body.is_certain() && self.spend(1) => {
                    self.expand_known(token, name, &body);
                }
                _ => {
                    if self.command_name(token) == "value" {
                        drop(self.argument());
                    }
                    return None;
                }
            }
        }
    }

    /// The character whose code is the next number.
    pub(super) fn code(&mut self) -> Option<char> {
        let number = u32::try_from(self.number()?).ok()?;
        char::from_u32(number)
    }

    /// The number at the beginning of a word; the rest of the word is put back.
    fn digits(&mut self, word: Token, radix: u32) -> Option<i64> {
        let is_part = |c: char| match c {
            '-' | '+' => radix == 10,
            _ => c.is_digit(radix) && !c.is_ascii_lowercase(),
        };
        let text = self.text(word);
        let length = text.find(|c| !is_part(c)).unwrap_or(text.len());
        let number = i64::from_str_radix(text.get(..length)?, radix).ok();
        self.unread(word.split(length).1);
        number
    }

    /// `\ifnum a < b`
    fn compared(&mut self) -> Option<bool> {
        let (left, sign, right) = (self.number(), self.relation(), self.number());
        let order = left?.cmp(&right?);
        Some(match sign? {
            '<' => order.is_lt(),
            '>' => order.is_gt(),
            _ => order.is_eq(),
        })
    }

    /// Drops the left side of `\ifnum a < b` and the relation. Returns the relation if only spaces stood before it.
    fn relation(&mut self) -> Option<char> {
        let relation = |text: &str| text.find(['<', '>', '=']);
        let (before, end) = self.up_to(64, |reader, token| match token.kind {
            Kind::Word => relation(reader.text(token)).and(Some(true)),
            Kind::Par | Kind::Align => Some(false),
            _ => None,
        })?;
        let at = relation(self.text(end))?;
        self.unread(end.split(at + 1).1);
        let is_next = at == 0 && before.iter().all(|token| token.kind == Kind::Space);
        self.text(end).chars().next().filter(|_| is_next)
    }

    /// `\@ifstar{yes}{no}`
    pub(super) fn if_star(&mut self, _: Token, _: How) {
        let (yes, no) = (self.argument(), self.argument());
        let chosen = if self.star() { yes } else { no };
        self.unread_all(&chosen);
    }

    /// `\@ifnextchar[{yes}{no}`
    pub(super) fn if_next(&mut self, _: Token, _: How) {
        let wanted = match self.next_visible() {
            // A character such as `[`.
            word if word.kind == Kind::Word => self.first_letter(word),
            other => other,
        };
        let (yes, no) = (self.argument(), self.argument());
        let next = self.peek_after_space();
        let text = self.text(wanted);
        let is_next = match next.kind {
            Kind::Word => !text.is_empty() && self.text(next).starts_with(text),
            Kind::Begin => self.what(wanted) == "open",
            _ => next.kind == wanted.kind,
        };
        self.unread_all(if is_next { &yes } else { &no });
    }

    /// Keeps one of the next two arguments; both, as doubtful, if `first` is `None`.
    pub(super) fn choose(&mut self, token: Token, first: Option<bool>) {
        let (mut yes, no) = (self.argument(), self.argument());
        if let Some(first) = first {
            return self.unread_all(if first { &yes } else { &no });
        }
        yes.push(token.with(Kind::Space));
        yes.extend(no);
        let message = self.undecided(token);
        self.unread_doubtful(token, &message, &yes);
    }

    /// The test of `\ifthenelse`; `None` if it cannot be decided.
    fn test(&mut self) -> Option<bool> {
        let mut token = self.next_visible();
        let negated = matches!(self.command_name(token), "NOT" | "not");
        if negated {
            token = self.next_visible();
        }
        let truth = match self.command_name(token) {
            "boolean" => self.switch("bool"),
            "equal" => self.equal(),
            "isempty" => {
                let tokens = self.argument();
                let (text, known) = self.exact(&tokens);
                known.then_some(text.is_empty())
            }
            "isundefined" => self.defined_argument().map(Not::not),
            _ => {
                self.unread(token);
                self.compared()
            }
        };
        let is_whole = self.next_visible().kind == Kind::Stop;
        truth.filter(|_| is_whole).map(|truth| truth != negated)
    }

    /// Whether the texts of the next two arguments are the same.
    fn equal(&mut self) -> Option<bool> {
        let (one, two) = (self.argument(), self.argument());
        let (one, two) = (self.exact(&one), self.exact(&two));
        (one.1 && two.1).then_some(one.0 == two.0)
    }

    /// The value of the switch in the next argument.
    fn switch(&mut self, kind: &str) -> Option<bool> {
        let name = self.switch_name(kind);
        match self.meaning(name) {
            Meaning::Known(cmd) => cmd.truth(),
            _ => None,
        }
    }

    /// The interned name of a switch: `\newbool{x}` declares `\ifx`; toggles have names of their own.
    fn switch_name(&mut self, kind: &str) -> u32 {
        self.named(if kind == "bool" { "if" } else { "toggle " })
    }

    /// `\newbool{x}`, `\newtoggle{x}`
    pub(super) fn new_named_switch(&mut self, _: Token, kind: How) {
        let name = self.switch_name(kind);
        if matches!(self.meaning(name), Meaning::Unknown) {
            self.declare_switch(name);
        }
    }

    /// `\setbool{x}{true}`, `\booltrue{x}`
    pub(super) fn set_named_switch(&mut self, _: Token, how: How) {
        let (kind, value) = how.split_once(' ').unwrap_or((how, ""));
        let name = self.switch_name(kind);
        let given = value.is_empty().then(|| self.name_argument());
        self.set_switch(name, given.as_deref().unwrap_or(value).parse().ok());
    }

    /// Stores a switch as a conditional with a fixed value, as TeX does: `\drafttrue` is `\let\ifdraft\iftrue`. In doubtful text
    /// the value becomes unknown.
    pub(super) fn set_switch(&mut self, name: u32, value: Option<bool>) {
        let word = match value {
            Some(value) if !self.is_doubtful() => ["false", "true"][usize::from(value)],
            _ => "",
        };
        self.set_meaning(name, Meaning::Known(Cmd::new("if", word, Role::Fixed)));
    }

    /// Whether the next argument, `#1` of `\IfBooleanTF` and its kind, holds a command whose table word is `what`.
    fn next_holds(&mut self, what: &str) -> bool {
        let argument = self.argument();
        argument.iter().any(|token| self.what(*token) == what)
    }
}
