//! Citations, labels, references, addresses.

use super::{
    names::Names,
    reader::{After, GroupKind, Reader},
    style,
    token::{Kind, Literal, Op, Token},
    writer::Link,
};
use crate::{BibItem, Citation, Label, Place, Reference};

/// Placeholder for the number of a cross reference.
const REFERENCE: &str = "§ref";
/// Keys of one citation command that are listed in its mark.
const MAX_OPTIONALS: usize = 2;

/// Bytes of a label that each table of its float carries.
const MAX_KEY: usize = 1_024;

impl Reader<'_> {
    pub(super) fn command_name(&self, token: Token) -> &str {
        command_name(&self.names, token)
    }

    /// `\cite[pre][post]{keys}`
    pub(super) fn cite(&mut self, token: Token) {
        self.star();
        let mut notes = Vec::new();
        while notes.len() < MAX_OPTIONALS
            && let Some(note) = self.optional()
        {
            notes.push(note);
        }
        let Some(keys) = self.braced_keys() else {
            return;
        };
        let link = self.record_citation(token, keys);
        let (pre, post) = match notes.len() {
            0 => (Vec::new(), Vec::new()),
            1 => (Vec::new(), notes.swap_remove(0)),
            _ => (notes.swap_remove(0), notes.pop().unwrap_or_default()),
        };
        self.show_citation(token, link, &pre, &post);
    }

    /// Lists the keys; the link that marks the placeholder.
    fn record_citation(&mut self, token: Token, keys: Vec<(String, Place)>) -> u32 {
        let block = self.block_here(token);
        let command = command_name(&self.names, token);
        let first = self.doc.citations.len();
        for (key, place) in keys {
            self.doc.citations.push(Citation {
                key,
                place,
                command: command.to_owned(),
                block,
            });
        }
        self.new_link(Link::Citations(first..self.doc.citations.len()))
    }

    /// The block that text written now goes to.
    fn block_here(&mut self, token: Token) -> Option<usize> {
        if self.style.has(style::MUTE) {
            return None;
        }
        let place = self.place(token);
        Some(self.writer.claim(place))
    }

    fn show_citation(&mut self, token: Token, link: u32, pre: &[Token], post: &[Token]) {
        let old = self.style.link;
        self.unread(Self::op(token, Op::Link(old)));
        if pre.is_empty() && post.is_empty() {
            self.unread(Self::op(token, Op::Text(Literal::Citation)));
        } else {
            self.unread(Self::op(token, Op::Text(Literal::CloseBracket)));
            self.unread_all(post);
            if !post.is_empty() {
                self.unread(Self::op(token, Op::Text(Literal::Comma)));
            }
            self.unread(Self::op(token, Op::Text(Literal::Cite)));
            if !pre.is_empty() {
                self.unread(Self::op(token, Op::Text(Literal::Space)));
                self.unread_all(pre);
            }
            self.unread(Self::op(token, Op::Text(Literal::OpenBracket)));
        }
        self.unread(Self::op(token, Op::Link(link)));
    }

    /// `\cites(pre)(post)[pre][post]{key}[pre][post]{key}…`
    pub(super) fn cites(&mut self, token: Token) {
        self.star();
        self.skip_arguments("pp");
        let mut all = Vec::new();
        loop {
            let before = self.stack.len();
            let (one, two) = (self.optional(), self.optional());
            let next = self.peek();
            if next.kind != Kind::Begin {
                // Brackets that no key follows are text.
                if let Some(tokens) = two {
                    self.unread(Self::op(token, Op::Text(Literal::CloseBracket)));
                    self.unread_all(&tokens);
                    self.unread(Self::op(token, Op::Text(Literal::OpenBracket)));
                }
                if let Some(tokens) = one {
                    self.unread(Self::op(token, Op::Text(Literal::CloseBracket)));
                    self.unread_all(&tokens);
                    self.unread(Self::op(token, Op::Text(Literal::OpenBracket)));
                }
                break;
            }
            let Some(keys) = self.braced() else { break };
            all.extend(keys);
            all.push(self.comma(token));
            if !self.spend(before.abs_diff(self.stack.len()) + 1) {
                break;
            }
        }
        if !all.is_empty() {
            let keys = self.keys(&all);
            let link = self.record_citation(token, keys);
            self.show_citation(token, link, &[], &[]);
        }
    }

    fn comma(&mut self, token: Token) -> Token {
        let name = self.names.intern("aris@comma");
        self.set_meaning(
            name,
            super::reader::Meaning::Known(super::builtin::Cmd::Symbol(",")),
        );
        token.with(Kind::Name(name))
    }

    pub(super) fn nocite(&mut self, token: Token) {
        let keys = self.argument();
        let keys = self.keys(&keys);
        let command = command_name(&self.names, token);
        for (key, place) in keys {
            if key == "*" {
                self.doc.nocite_all = true;
            } else {
                self.doc.citations.push(Citation {
                    key,
                    place,
                    command: command.to_owned(),
                    block: None,
                });
            }
        }
    }

    pub(super) fn label(&mut self) {
        let (key, place) = self.argument_text();
        let place = place.unwrap_or_else(|| self.here());
        let key = trimmed(key);
        if let Some(float) = self.floats.last_mut()
            && float.label.is_none()
            && key.len() <= MAX_KEY
        {
            float.label = Some(key.clone());
        }
        self.doc.labels.push(Label {
            key,
            place,
            section: self.writer.section,
        });
    }

    pub(super) fn reference(&mut self, token: Token, arguments: usize) {
        self.star();
        let mut keys = Vec::new();
        for number in 0..arguments {
            let Some(more) = self.braced_keys() else {
                break;
            };
            if number == 0 {
                keys = more;
            } else {
                keys.extend(more);
            }
        }
        if keys.is_empty() {
            return;
        }
        let block = self.block_here(token);
        let command = command_name(&self.names, token);
        let first = self.doc.refs.len();
        for (key, place) in keys {
            self.doc.refs.push(Reference {
                key,
                place,
                command: command.to_owned(),
                block,
            });
        }
        let link = self.new_link(Link::References(first..self.doc.refs.len()));
        let old = self.style.link;
        self.style.link = link;
        self.write(token, REFERENCE);
        self.style.link = old;
    }

    pub(super) fn bib_item(&mut self, token: Token) {
        self.paragraph(token);
        self.skip_optional();
        let (key, place) = self.argument_text();
        let place = place.unwrap_or_else(|| self.here());
        let key = trimmed(key);
        self.doc.bibitems.push(BibItem { key, place });
    }

    /// A group for the next argument that ends with `after`; one token counts as a group.
    pub(super) fn argument_group(&mut self, token: Token, after: After) {
        let next = self.next_visible();
        match next.kind {
            Kind::Begin => {}
            Kind::Stop | Kind::End | Kind::Par | Kind::Align => {
                self.unread(next);
                self.unread(token.with(Kind::End));
            }
            Kind::Word => {
                let first = self.first_letter(next);
                self.unread(token.with(Kind::End));
                self.unread(first);
            }
            _ => {
                self.unread(token.with(Kind::End));
                self.unread(next);
            }
        }
        self.open_group(GroupKind::Brace, after, token);
    }
}

fn command_name(names: &Names, token: Token) -> &str {
    match token.kind {
        Kind::Name(name) => names.text(name).trim_start_matches('@'),
        _ => "",
    }
}

fn trimmed(text: String) -> String {
    let key = text.trim();
    if key.len() == text.len() {
        return text;
    }
    key.to_owned()
}
