//! Floats, captions, headings: blocks of their own; and the statements that a document declares.

use super::{After, Env, Float, Kind, Own, Reader, Style, Token, flow, style};
use crate::{BlockKind, Heading, Theorem};

/// Floats within floats that name their tables; in print there are two.
const MAX_FLOATS: usize = 8;

impl Reader<'_> {
    pub(super) fn begin_float(&mut self, name: u32) {
        let float = Float {
            name: self.names.text(name).to_owned(),
            first_table: self.doc.tables.len(),
            ..Float::default()
        };
        self.floats.push(float);
    }

    pub(super) fn end_float(&mut self) {
        // Each float looks through the tables in it.
        let looks = self.floats.len() <= MAX_FLOATS;
        if let Some(float) = self.floats.pop().filter(|_| looks) {
            for table in self.doc.tables.iter_mut().skip(float.first_table) {
                table.caption = table.caption.or(float.caption);
                table.label = table.label.take().or_else(|| float.label.clone());
            }
        }
    }

    pub(super) fn begin_caption(&mut self, token: Token, float: Option<String>) {
        // The form for lists may be printed.
        self.skip_arguments(token, "so");
        let around = self.floats.last().map(|float| float.name.clone());
        let float = float.or(around).unwrap_or_default();
        if !self.writer.fixed() {
            self.paragraph(token);
        }
        self.block_argument(token, BlockKind::Caption { float }, After::Caption);
    }

    /// Opens a block of its own for the next argument, in plain style.
    pub(super) fn block_argument(&mut self, token: Token, kind: BlockKind, after: After) {
        self.argument_group(token, after);
        self.writer.open(kind);
        let is_muted = self.style.has(style::MUTE) && !self.preamble;
        self.style = Style::default().set(if is_muted { style::MUTE } else { 0 }, 0);
    }

    /// `\subfloat[caption]{content}`
    pub(super) fn sub_float(&mut self, token: Token) {
        if let Some(caption) = self.optional() {
            self.unread_group(token, &caption);
            let float = "subfloat".to_owned();
            self.block_argument(token, BlockKind::Caption { float }, After::Close);
        }
    }

    /// A block of front matter, by the words of the tables.
    pub(super) fn front(&mut self, token: Token, kind: &str) {
        if !self.writer.fixed() {
            self.paragraph(token);
        }
        self.block_argument(token, flow(kind).unwrap_or_default(), After::Close);
    }

    pub(super) fn front_matter(&mut self, token: Token, how: &str) {
        if how == "keyed" {
            // `{key}{text}`
            let (mut key, text) = (self.argument(), self.argument());
            key.push(token.with(Kind::Space));
            key.extend(text);
            self.unread_group(token, &key);
        }
        if self.writer.fixed() && how != "noted" {
            return self.space(token);
        }
        self.front(token, "front");
    }

    pub(super) fn begin_heading(&mut self, token: Token, level: i8) {
        let starred = self.star();
        self.skip_arguments(token, "o");
        if self.preamble || self.style.has(style::MUTE) {
            return;
        }
        self.paragraph(token);
        let heading = self.doc.headings.len();
        let place = self.place(token);
        self.doc.headings.push(Heading {
            level,
            title: String::new(),
            starred,
            appendix: self.appendix,
            place,
            block: None,
        });
        self.writer.section = Some(heading);
        self.block_argument(token, BlockKind::Heading { level }, After::Heading(heading));
    }

    pub(super) fn end_heading(&mut self, heading: usize) {
        let index = self.writer.close();
        if let Some(heading) = self.doc.headings.get_mut(heading)
            && let Some(block) = index.and_then(|at| self.writer.blocks.get(at))
        {
            heading.block = index;
            heading.title.clone_from(&block.text);
        }
    }

    /// `\newtheorem{lem}[thm]{Lemma}[section]`, with options before it as `\newmdtheoremenv`, with two more arguments after it as
    /// `\spnewtheorem` of LNCS (its fonts) or `\newtcbtheorem` (its options and the prefix of its labels).
    pub(super) fn new_theorem(&mut self, more: bool) {
        let environment = self.name_argument();
        self.skip_optional();
        let title = self.name_argument();
        self.skip_optional();
        self.declare_theorem_as(&environment, &title);
        if more {
            drop((self.braced(), self.braced()));
        }
    }

    /// `\declaretheorem[name=Lemma]{lem, hilfssatz}` of thmtools; without a name it is that of the environment.
    pub(super) fn declare_theorem(&mut self) {
        let options = self.optional().unwrap_or_default();
        let environments = self.name_argument();
        let name = self.titles(&options).map(|name| self.flat(&name));
        let name = name.filter(|name| !name.is_empty());
        for environment in environments.split(',').map(str::trim) {
            self.declare_theorem_as(environment, name.as_deref().unwrap_or(environment));
        }
    }

    fn declare_theorem_as(&mut self, environment: &str, title: &str) {
        if !environment.is_empty() {
            let name = self.names.intern(environment);
            let titled = Own::Like(Env::new("titled", ""));
            self.environments.insert(name, titled);
            self.doc.theorems.push(Theorem {
                environment: environment.to_owned(),
                title: title.trim().to_owned(),
            });
        }
    }
}
