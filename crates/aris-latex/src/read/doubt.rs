//! Text of which nobody here knows whether it is set: it is read and marked, and what decides about it is named.

use indexmap::IndexMap;

use super::{After, GroupKind, Kind, Op, Reader, Token, narrow, style};
use crate::{Holds, Place, ProblemKind};

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

impl Reader<'_> {
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
        self.unread(token.with(Kind::Op(Op::Certain(number))));
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
    pub(super) fn beamer_mode(&mut self, token: Token) {
        let modes = self.delimited('<', '>').unwrap_or_default();
        let modes = self.raw(&modes);
        let is_shown = ["presentation", "beamer", "all"].contains(&modes.trim());
        if !is_shown && self.peek().kind == Kind::Begin {
            self.doubtful_argument(token);
        }
    }

    /// `\setbox0=\hbox{…}`: what the box holds is set where it is used, if it is.
    pub(super) fn set_box(&mut self, token: Token) {
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
    pub(super) fn for_each(&mut self, token: Token) {
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
        let message = format!(
            "`\\{}` changes how characters are read here; what follows may be read wrongly",
            self.command_name(token)
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
