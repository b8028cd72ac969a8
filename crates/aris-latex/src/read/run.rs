//! The main loop: what each token and command does.

use super::{
    builtin::Cmd,
    env::Env,
    reader::{After, GroupKind, Meaning, Reader},
    style::{self, Style},
    token::{Kind, Literal, Op, Token},
};
use crate::{BlockKind, Error, ProblemKind};

impl Reader<'_> {
    pub(super) fn run(&mut self) -> Result<(), Error> {
        while !self.finished {
            let token = self.next();
            if self.styles > 0 && token.kind != Kind::Stop {
                self.read_style(token)?;
                continue;
            }
            match token.kind {
                Kind::Word => self.write_word(token),
                Kind::Space | Kind::Tie => self.space(token),
                Kind::Name(name) => match self.meaning(name) {
                    Meaning::Known(cmd) => self.command(token, cmd)?,
                    Meaning::Macro(body) => self.expand(token, name, &body),
                    Meaning::Unknown if self.unknown_conditional(name) => self.branch(None, token),
                    Meaning::Unknown => {
                        self.undefined(token, name);
                        self.unknown();
                    }
                },
                Kind::Par => self.blank_line(token),
                Kind::Begin => self.open_group(GroupKind::Brace, After::Nothing, token),
                Kind::End => self.close_brace(token),
                Kind::Math => self.math_shift(token),
                Kind::Align => self.next_cell(token),
                Kind::Hash | Kind::Param(_) => self.write(token, "#"),
                Kind::Super if self.style.has(style::MATHS) => self.script(token, true),
                Kind::Sub if self.style.has(style::MATHS) => self.script(token, false),
                Kind::Super => self.write(token, "^"),
                Kind::Sub => self.write(token, "_"),
                Kind::Op(op) => self.instruction(token, op),
                Kind::Stop => {
                    if !self.close_file(token) {
                        break;
                    }
                }
            }
        }
        Ok(())
    }

    /// Ends everything that is open.
    pub(super) fn finish(&mut self, document_expected: bool) {
        let here = self.here();
        let end = Token::new(Kind::Stop, super::token::narrow(here.file), here.offset, 0);
        self.unwind(end, |_| false);
        while let Some(branch) = self.branches.pop() {
            self.problem(
                ProblemKind::UnclosedConditional,
                branch.place,
                "the conditional has no `\\fi`",
            );
        }
        self.paragraph(end);
        if self.preamble && document_expected {
            self.problem(
                ProblemKind::NoDocument,
                here,
                "there is no `\\begin{document}`",
            );
        }
        self.settle_undefined();
        self.doc.blocks = std::mem::take(&mut self.writer.blocks);
    }

    fn instruction(&mut self, token: Token, op: Op) {
        match op {
            Op::Text(text) => self.write(token, text.text()),
            Op::RowEnd => self.row_end(token),
            Op::HeadEnd => self.head_end(),
            Op::Link(link) => self.style.link = link,
            Op::EndEnvironment(name) => self.leave(name, token),
            Op::EndDocument => self.end_document(token),
            Op::Over => {
                self.bracketed_group(token, "/", "/(");
            }
        }
    }

    /// An argument behind `sign`; one that is more than a letter or a number in brackets, behind `opened`.
    fn bracketed_group(&mut self, token: Token, sign: &'static str, opened: &'static str) {
        let (before, after) = if self.simple_group() {
            (sign, After::Nothing)
        } else {
            (opened, After::Text(")"))
        };
        self.write(token, before);
        self.argument_group(token, after);
    }

    /// What follows a command that is not known: a star, options, and arguments, whose text is kept.
    pub(super) fn unknown(&mut self) {
        let next = self.next();
        if next.kind != Kind::Word || self.style.has(style::MATHS) {
            self.unread(next);
        } else {
            self.unknown_options(next);
        }
        self.unknown_argument();
    }

    /// Opens the next argument of a command that is not known, if one follows.
    pub(super) fn unknown_argument(&mut self) {
        let next = self.next();
        if next.kind == Kind::Begin {
            self.open_group(GroupKind::Brace, After::Argument, next);
        } else if next.kind == Kind::Space && self.peek().kind == Kind::Begin {
            self.space(next);
            self.unknown_argument();
        } else {
            self.unread(next);
        }
    }

    fn unknown_options(&mut self, next: Token) {
        match self.text(next) {
            "*" => {}
            "[" => {
                // Options when an argument follows; otherwise text.
                self.unread(next);
                if let Some(tokens) = self.optional()
                    && self.peek().kind != Kind::Begin
                {
                    self.unread(Self::op(next, Op::Text(Literal::CloseBracket)));
                    self.unread_all(&tokens);
                    self.unread(Self::op(next, Op::Text(Literal::OpenBracket)));
                }
            }
            _ => self.unread(next),
        }
    }

    pub(super) fn command(&mut self, token: Token, cmd: Cmd) -> Result<(), Error> {
        match cmd {
            Cmd::AtBegin if self.preamble => {
                let tokens = self.argument();
                self.begin_hooks.extend(tokens);
            }
            // In the text the argument follows as a group.
            Cmd::Nothing | Cmd::NoValue | Cmd::True | Cmd::AtBegin => {}
            Cmd::Opaque => self.unknown(),
            Cmd::Declares(spec) => self.declare_name(spec),
            Cmd::DeclaresNamed(prefix, spec) => {
                let (name, _) = self.argument_text();
                let name = self.names.intern(&[prefix, name.trim()].concat());
                self.set_opaque(name);
                self.skip_arguments(spec);
            }
            Cmd::First(count) => {
                let first = self.argument();
                (1..count).for_each(|_| drop(self.argument()));
                self.unread_all(&first);
            }
            Cmd::IfNext(star) => self.if_next(star),
            Cmd::MathPalette => {
                let (name, argument) = (self.argument(), self.argument());
                self.unread(token.with(Kind::End));
                self.unread_all(&argument);
                self.unread(token.with(Kind::Begin));
                let style = self.name_token("textstyle", token);
                self.unread(style);
                self.unread_all(&name);
            }
            Cmd::Either(spec) => {
                self.skip_arguments(spec);
                let (yes, no) = (self.argument(), self.argument());
                self.unread_all(&no);
                self.unread(Self::op(token, Op::Text(Literal::Space)));
                self.unread_all(&yes);
            }
            Cmd::Changes(spec) => {
                self.skip_optional();
                if let Some((name, _)) = self.defined_name() {
                    self.changed(token, name, spec);
                }
            }
            Cmd::Skip(spec) => self.skip_arguments(spec),
            Cmd::Space => self.space(token),
            Cmd::ThinSpace => self.thin_space(token),
            Cmd::HSpace => {
                self.star();
                let length = self.argument();
                if !self.raw(&length).trim_start().starts_with('-') {
                    self.space(token);
                }
            }
            Cmd::Par => self.blank_line(token),
            Cmd::Symbol(text) => self.write(token, text),
            Cmd::Operator(text) => self.operator(token, text),
            Cmd::Function(text) => self.function(token, text),
            // Tab stops.
            Cmd::Accent("=" | "`" | "'") if self.is_open("tabbing") => self.space(token),
            Cmd::Accent(accent) => {
                let argument = self.argument();
                let base = self.flat(&argument);
                self.write(token, &super::accents::apply(accent, &base));
            }
            Cmd::Declare(set, clear) => self.style = self.style.set(set, clear),
            Cmd::Font(set, clear) => {
                self.argument_group(token, After::Nothing);
                self.style = self.style.set(set, clear);
            }
            Cmd::Script(up) => self.script(token, up),
            Cmd::Heading(level) => self.begin_heading(token, level),
            Cmd::Appendix => self.appendix |= !self.preamble,
            Cmd::Title => {
                self.skip_optional();
                self.front(token, BlockKind::Title);
            }
            Cmd::Front => self.front_matter(token),
            Cmd::Keywords => self.front(token, BlockKind::Keywords),
            Cmd::Abstract => self.front(token, BlockKind::Abstract),
            Cmd::Caption => self.begin_caption(token, None),
            Cmd::SubFloat => {
                // `\subfloat[caption]{content}`
                if let Some(caption) = self.optional() {
                    self.unread(token.with(Kind::End));
                    self.unread_all(&caption);
                    self.unread(token.with(Kind::Begin));
                    self.block_argument(
                        token,
                        BlockKind::Caption {
                            float: "subfloat".to_owned(),
                        },
                        After::Close,
                    );
                }
            }
            Cmd::CaptionOf => {
                self.star();
                let tokens = self.argument();
                let float = self.flat(&tokens).trim().to_owned();
                self.begin_caption(token, Some(float));
            }
            Cmd::Footnote => {
                self.skip_optional();
                self.writer.footnote_mark();
                self.block_argument(token, BlockKind::Footnote, After::Close);
            }
            Cmd::FootnoteMark => {
                self.skip_optional();
                if self.peek().kind == Kind::Begin {
                    drop(self.argument());
                }
                self.writer.footnote_mark();
            }
            Cmd::FootnoteText => {
                self.skip_optional();
                self.block_argument(token, BlockKind::Footnote, After::Close);
            }
            Cmd::Item => {
                self.paragraph(token);
                if let Some(label) = self.optional() {
                    self.unread(token.with(Kind::Space));
                    self.unread_all(&label);
                }
            }
            Cmd::BibItem => self.bib_item(token),
            Cmd::And => {
                self.write(token, ",");
                self.space(token);
            }
            Cmd::Label => self.label(),
            Cmd::Ref => self.reference(token, 1),
            Cmd::RefRange => self.reference(token, 2),
            Cmd::Cite | Cmd::CiteAlias => self.cite(token),
            Cmd::Cites => self.cites(token),
            Cmd::NoCite => self.nocite(token),
            Cmd::Url => self.url(),
            Cmd::Href => self.href(),
            Cmd::Verb => self.verb(token, false),
            Cmd::Listing => self.verb(token, true),
            Cmd::Begin => self.begin_environment(token),
            Cmd::End => self.end_environment(token),
            Cmd::BGroup => self.open_group(GroupKind::Brace, After::Nothing, token),
            Cmd::EGroup => self.close_brace(token),
            Cmd::Include(kind) => self.include(token, kind)?,
            Cmd::InputIf => self.input_if_exists(token)?,
            Cmd::Import(relative) => self.import(token, relative)?,
            Cmd::IncludeOnly => self.include_only(),
            Cmd::GraphicsPath => self.graphics_path(),
            Cmd::PlotData => self.plot_data(token),
            Cmd::NewCommand(keep) => self.new_command(keep),
            Cmd::Def => self.def(),
            Cmd::DocumentCommand(keep) => self.document_command(keep),
            Cmd::NewListing(spec) => self.new_listing(token, spec),
            Cmd::NewEnvironment => self.new_environment(true),
            Cmd::DocumentEnvironment => self.new_environment(false),
            Cmd::Let => self.alias(),
            Cmd::NewIf => self.new_switch(),
            Cmd::Operatorname => self.math_operator(),
            Cmd::SiUnit => self.declare_unit(),
            Cmd::Switch(number) => {
                let value = self.switches.get(number as usize).copied().flatten();
                self.branch(value, token);
            }
            Cmd::SetSwitch(number, value) => {
                if let Some(switch) = self.switches.get_mut(number as usize) {
                    *switch = Some(value);
                }
            }
            Cmd::If(form) => self.conditional(form, token),
            Cmd::Else => self.other_branch(token),
            Cmd::Fi => self.end_conditional(),
            Cmd::BlankArg => self.blank_argument(),
            Cmd::Toggle => self.toggle(),
            Cmd::SetToggle(value) => self.set_toggle(value),
            Cmd::StarArg => self.star_argument(),
            Cmd::NoValueArg(given) => self.value_argument(given),
            Cmd::ExcludeComment => {
                let name = self.environment_name();
                self.environments.remove(&name);
                self.special.insert(name, Env::Hidden);
            }
            Cmd::IncludeComment => {
                let name = self.environment_name();
                self.special.remove(&name);
                self.show_environment(name, token);
            }
            Cmd::AtEnd => {
                let tokens = self.argument();
                self.end_hooks.extend(tokens);
            }
            Cmd::NameDef => {
                self.name_argument(token);
                self.def();
            }
            Cmd::NameUse => self.name_argument(token),
            Cmd::MathOpen(false) => self.open_math(token),
            Cmd::MathOpen(true) => self.begin_display(token, None),
            Cmd::MathClose(_) => self.close_math(token),
            Cmd::Frac => {
                let wrapped = !self.simple_group();
                if wrapped {
                    self.write(token, "(");
                }
                self.argument_group(token, After::Over(wrapped));
            }
            Cmd::Sqrt => {
                self.skip_optional();
                self.bracketed_group(token, "√", "√(");
            }
            Cmd::Binom => self.argument_group(token, After::Text(" choose ")),
            Cmd::Delimiter => self.delimiter(token),
            Cmd::Num => self.si_number(token),
            Cmd::SiSetup => {
                let options = self.argument();
                self.si_rounding(token, &options);
            }
            Cmd::NumList => self.si_list(token, false),
            Cmd::NumRange => self.si_range(token, false),
            Cmd::Quantity => self.si_quantity(token),
            Cmd::QuantityRange => self.si_range(token, true),
            Cmd::QuantityList => self.si_list(token, true),
            Cmd::Unit => self.si_only_unit(token),
            Cmd::Angle => self.si_angle(token),
            Cmd::MultiColumn => self.multi_column(),
            Cmd::MultiRow => {
                let has_width = !self.text(token).ends_with("cell");
                self.multi_row(has_width);
            }
            Cmd::RowEnd => self.line_end(token),
            Cmd::Rule => self.rule(),
            Cmd::HeadEnd => self.head_end(),
            Cmd::TableHead => {
                let tokens = self.argument();
                self.unread(Self::op(token, Op::HeadEnd));
                self.unread(Self::op(token, Op::RowEnd));
                self.unread_all(&tokens);
            }
            Cmd::XSpace => self.x_space(token),
            Cmd::AtLetter(on) => self.letters.at = on,
            Cmd::Expl(on) => self.letters.expl = on,
            Cmd::EndInput => self.end_input(),
            Cmd::DocumentClass => self.document_class(token)?,
            Cmd::Package(kind) => self.packages(kind)?,
            Cmd::NewTheorem(fonts) => self.new_theorem(fonts),
            Cmd::DeclareTheorem => self.declare_theorem(),
            Cmd::CsName => self.cs_name(token),
        }
        Ok(())
    }

    /// `\csname input\endcsname` is `\input`; a name made by macros is not known, and its parts are passed over.
    /// Turns an argument into the control sequence of that name.
    fn name_argument(&mut self, token: Token) {
        let tokens = self.argument();
        let name = self.flat(&tokens);
        let kind = Kind::Name(self.names.intern(name.trim()));
        self.unread(Token { kind, ..token });
    }

    pub(super) fn cs_name(&mut self, token: Token) {
        let end = self.names.intern("endcsname");
        let mut name = Some(String::new());
        loop {
            let next = self.next();
            match next.kind {
                Kind::Stop | Kind::Par => {
                    self.unread(next);
                    return;
                }
                Kind::Name(found) if found == end => {
                    match name.filter(|name| !name.is_empty()) {
                        Some(name) => {
                            let kind = Kind::Name(self.names.intern(&name));
                            self.unread(Token { kind, ..token });
                        }
                        None => self.unread(next),
                    }
                    return;
                }
                Kind::Word => {
                    let part = self.text(next).to_owned();
                    if let Some(name) = &mut name {
                        name.push_str(&part);
                    }
                }
                _ => name = None,
            }
        }
    }

    fn front(&mut self, token: Token, kind: BlockKind) {
        if !self.writer.fixed() {
            self.paragraph(token);
        }
        self.block_argument(token, kind, After::Close);
    }

    fn front_matter(&mut self, token: Token) {
        self.skip_optional();
        let name = self.text(token).to_owned();
        if name.starts_with("\\icml") || name == "\\altaffiltext" {
            // `{key}{text}`
            let (key, text) = (self.argument(), self.argument());
            self.unread(token.with(Kind::End));
            self.unread_all(&text);
            self.unread(token.with(Kind::Space));
            self.unread_all(&key);
            self.unread(token.with(Kind::Begin));
        }
        if self.writer.fixed() && name != "\\thanks" {
            self.space(token);
            return;
        }
        self.front(token, BlockKind::FrontMatter);
    }
}

/// The style before `\begin{document}`.
pub(super) fn preamble_style() -> Style {
    Style {
        bits: style::MUTE,
        link: 0,
    }
}
