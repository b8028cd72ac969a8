//! Macros that may be redefined by a command whose effect is not followed: from there on their output is doubtful.

use std::rc::Rc;

use super::{How, Kind, Macro, Meaning, Reader, Token};

impl Reader<'_> {
    /// Makes the macro that `named` names, `\x` or `x`, doubtful: `token` is a command that is not followed and may redefine it.
    pub(super) fn may_define(&mut self, token: Token, named: &[Token]) {
        let [only] = named else { return };
        let name = match only.kind {
            Kind::Name(name) => name,
            Kind::Word => self.names.intern(only.of(&self.doc.files)),
            _ => return,
        };
        self.handled.insert(name);
        let old = match self.meaning(name) {
            Meaning::Macro(old) if old.doubt == 0 && self.styles == 0 => old,
            _ => return,
        };
        let (text, by) = (self.names.text(name), self.text(token));
        let message =
            format!("`{by}` may define `\\{text}` anew here, and what it does is not followed");
        let doubt = self.doubt(token, &message);
        self.writer.doubts.leave(doubt);
        let in_doubt = Macro {
            doubt,
            ..Macro::clone(&old)
        };
        self.set_meaning(name, Meaning::Macro(Rc::new(in_doubt)));
    }

    /// [`Reader::may_define`] for the names after an unknown command of the preamble: `\x`, or an argument that is `{\x}`, `[\x]`
    /// or `{x}`.
    pub(super) fn may_define_next(&mut self, token: Token) {
        /// Most tokens of all arguments together.
        const MOST: usize = 64;
        let (mut taken, mut depth) = (Vec::new(), 0_usize);
        while taken.len() < MOST {
            let next = self.next();
            taken.push(next);
            let is_bracket = |bracket| next.kind == Kind::Word && self.text(next).contains(bracket);
            match next.kind {
                Kind::Begin => depth += 1,
                Kind::End if depth > 0 => depth -= 1,
                Kind::Word if is_bracket('[') => depth += 1,
                Kind::Word if is_bracket(']') && depth > 0 => depth -= 1,
                Kind::Stop | Kind::Par | Kind::End => break,
                _ if depth == 0 && next.kind != Kind::Space => break,
                _ => {}
            }
        }
        self.unread_all(&taken);
        if let Some(first) = taken.first().filter(|first| first.name().is_some()) {
            self.may_define(token, &[*first]);
        }
        for around in taken.windows(3) {
            if let [open, named, close] = *around
                && (open.kind == Kind::Begin || self.text(open).ends_with('['))
                && (close.kind == Kind::End || self.text(close).starts_with(']'))
            {
                self.may_define(token, &[named]);
            }
        }
    }

    /// `\read\file to\x`
    pub(super) fn read_line(&mut self, token: Token, _: How) {
        drop(self.argument());
        let to = self.next_visible();
        if self.text(to) != "to" {
            return self.unread(to);
        }
        let named = self.argument();
        self.may_define(token, &named);
    }

    /// [`Reader::may_define`] for every definition in an argument that is dropped: LaTeX may run it later.
    pub(super) fn may_define_within(&mut self, by: Token, dropped: &[Token]) {
        for (at, token) in dropped.iter().enumerate() {
            let is_text = match self.what(*token) {
                "new_command" | "def" | "gdef" | "alias" => false,
                "namedef" => true,
                _ => continue,
            };
            let mut rest = dropped.iter().skip(at + 1);
            let name = rest.find(|token| token.kind != Kind::Begin);
            if let Some(name) = name.filter(|name| is_text || name.name().is_some()) {
                self.may_define(by, &[*name]);
            }
        }
    }
}
