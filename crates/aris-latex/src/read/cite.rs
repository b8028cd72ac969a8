//! Citations, labels, references, addresses.

use super::{After, GroupKind, How, Kind, Reader, Style, Token, style};
use crate::{Citation, Holds, Label, MarkKind, ProblemKind};

/// Placeholder for the number of a cross reference.
const REFERENCE: &str = "§ref";

/// Longest label, in bytes, that is copied to the tables of its float.
const MAX_KEY: usize = 1_024;

/// `\cite{a,*b,*[before][behind]c}`: several works under one number (natbib, mciteplus, `REVTeX`). A comma in a note separates no
/// keys.
fn works(keys: Vec<Label>) -> Vec<Label> {
    let (mut works, mut open): (Vec<Label>, usize) = (Vec::new(), 0);
    for label in keys {
        let is_note = open > 0 || label.key.starts_with("*[");
        let brackets = |bracket| label.key.matches(bracket).count();
        let now = (open + brackets('[')).saturating_sub(brackets(']'));
        match works.last_mut() {
            Some(work) if open > 0 => work.key += &label.key,
            _ => works.push(label),
        }
        open = if is_note { now } else { 0 };
    }
    for work in &mut works {
        if let Some(rest) = work.key.strip_prefix('*') {
            work.key = rest.rsplit(']').next().unwrap_or(rest).trim().to_owned();
        }
    }
    works
}

impl Reader<'_> {
    pub(super) fn command_name(&self, token: Token) -> &str {
        let name = token.name().map_or("", |name| self.names.text(name));
        name.trim_start_matches('@')
    }

    /// `\cite[pre][post]{keys}`, `\cite<2>{keys}` of beamer; `behind` gives the arguments to drop after the keys, as in
    /// `commands.txt`.
    pub(super) fn cite(&mut self, token: Token, behind: How) {
        let overlay = self.delimited('<', '>').unwrap_or_default();
        self.unread_argument(token, &overlay, false);
        let mut notes = [self.optional(), self.optional()];
        let Some(keys) = self.braced_keys() else {
            let name = self.command_name(token);
            let message = format!("`\\{name}` stands without keys here; what it cites is not read");
            return self.problem_at(ProblemKind::UnreadText(Holds::CITATIONS), token, message);
        };
        let keys = works(keys);
        self.skip_arguments(token, behind);
        // A single note is the postnote.
        if notes[1].is_none() {
            notes.reverse();
        }
        let [pre, post] = notes.map(Option::unwrap_or_default);
        self.show_citation(token, keys, &pre, &post);
    }

    /// Lists the keys, and shows `[pre cite, post]`.
    fn show_citation(&mut self, token: Token, keys: Vec<Label>, pre: &[Token], post: &[Token]) {
        let is_muted = self.style.has(style::MUTE);
        let block = (!is_muted).then(|| self.writer.claim(self.place(token)));
        let named = keys.iter().map(|label| label.key.clone()).collect();
        let command = self.command_name(token).to_owned();
        let link = self.writer.link(|number| MarkKind::Cite {
            keys: named,
            command,
            number,
        });
        self.list_citations(token, keys, block);
        self.unread(token.with(Kind::Link(self.style.link)));
        if pre.is_empty() && post.is_empty() {
            self.unread_text(token, "[cite]");
        } else {
            self.unread_between(token, if post.is_empty() { "" } else { ", " }, post, "]");
            self.unread_text(token, "cite");
            self.unread_between(token, "[", pre, if pre.is_empty() { "" } else { " " });
        }
        self.unread(token.with(Kind::Link(link)));
    }

    fn list_citations(&mut self, token: Token, keys: Vec<Label>, block: Option<usize>) {
        let command = self.command_name(token).to_owned();
        let (doubt, ref_section) = (self.cause(), self.refs.section);
        self.doubt_holds(Holds::CITATIONS);
        let citations = keys.into_iter().map(|Label { key, place }| Citation {
            key,
            place,
            command: command.clone(),
            block,
            doubt,
            ref_section,
        });
        self.doc.citations.extend(citations);
    }

    /// `\cites(pre)(post)[pre][post]{key}[pre][post]{key}…`
    pub(super) fn cites(&mut self, token: Token, _: How) {
        let (mut keys, mut is_empty) = (Vec::new(), true);
        while self.spend(1) {
            let (one, two) = (self.optional(), self.optional());
            if self.peek().kind != Kind::Begin {
                // Brackets that no key follows are text.
                for tokens in [two, one].into_iter().flatten() {
                    self.unread_between(token, "[", &tokens, "]");
                }
                break;
            }
            keys.extend(self.braced_keys().unwrap_or_default());
            is_empty = false;
        }
        if !is_empty {
            self.show_citation(token, keys, &[], &[]);
        }
    }

    pub(super) fn nocite(&mut self, token: Token, _: How) {
        let tokens = self.argument();
        let mut keys = self.keys(&tokens);
        let named = keys.len();
        keys.retain(|label| label.key != "*");
        if let Some(section) = self.doc.ref_sections.get_mut(self.refs.section) {
            section.nocite_all |= keys.len() < named;
        }
        self.list_citations(token, keys, None);
    }

    /// `\defbibentryset{key}{keys}`: a bibliography entry that the document itself defines.
    pub(super) fn entry_set(&mut self, token: Token, _: How) {
        let key = self.key_argument();
        self.doc.bibitems.push(key);
        self.nocite(token, "");
    }

    pub(super) fn label(&mut self, _: Token, _: How) {
        let label = self.key_argument();
        if let Some(float) = self.floats.last_mut()
            && float.label.is_none()
            && label.key.len() <= MAX_KEY
        {
            float.label = Some(label.key.clone());
        }
        self.doc.labels.push(label);
    }

    pub(super) fn reference(&mut self, token: Token, arguments: How) {
        let keys = |_| self.braced_keys().unwrap_or_default();
        let keys: Vec<Label> = arguments.chars().flat_map(keys).collect();
        if !keys.is_empty() {
            self.write_reference(token);
        }
    }

    /// Writes the placeholder for a number that LaTeX knows and the reader does not: of labels, or `\arabic{page}`,
    /// `\thesection`, `\the\year`.
    pub(super) fn write_reference(&mut self, token: Token) {
        let link = self.writer.link(|_| MarkKind::Ref);
        self.write_as(Style { link, ..self.style }, token, REFERENCE);
    }

    pub(super) fn bib_item(&mut self, token: Token, _: How) {
        self.paragraph(token);
        let key = self.key_argument();
        self.doc.bibitems.push(key);
    }

    /// Opens the next argument as a group that ends with `after`; a single token counts as a group.
    pub(super) fn argument_group(&mut self, token: Token, after: After) {
        let next = self.next_visible();
        if next.kind != Kind::Begin {
            self.unread(next);
            let only = self.argument();
            self.unread(token.with(Kind::End));
            self.unread_all(&only);
        }
        self.open_group(GroupKind::Brace, after, token);
    }
}
