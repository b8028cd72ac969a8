//! Definitions and expansion of the document's macros.

use std::{ops::Range, rc::Rc};

use super::{
    commands::{Act, Cmd},
    env::{self, Env},
    reader::{Expansion, MAX_EXPANSION_DEPTH, Macro, Meaning, Parameter, Reader, UserEnvironment},
    token::{Kind, Token, narrow},
};
use crate::{Definition, Place, ProblemKind};

impl Reader<'_> {
    /// Puts a macro's body before what follows, arguments in place.
    pub(super) fn expand(&mut self, call: Token, name: u32, body: &Macro) {
        if body.style && !self.is_understood(body.body.iter()) {
            self.opaque(call, name, body);
            self.unknown();
        } else {
            self.expand_known(call, name, body);
        }
    }

    /// The same for what is known to be understood.
    pub(super) fn expand_known(&mut self, call: Token, name: u32, body: &Macro) {
        let around = self.writer.expansions.get(call.exp as usize);
        let depth = around.map_or(0, |exp| exp.depth) + 1;
        if depth > MAX_EXPANSION_DEPTH {
            let place = self.place(call);
            if self.endless.insert(place) {
                let message = format!("`\\{}` expands without end", self.names.text(name));
                self.problem(ProblemKind::Expansion, place, message);
            }
            return;
        }
        if !self.spend(body.body.len() + 1) {
            return;
        }
        let arguments = self.arguments(&body.parameters, call);
        let exp = narrow(self.writer.expansions.len());
        self.writer.expansions.push(Expansion {
            name: self.names.shared(name),
            definition: body.place,
            call: self.place(call),
            depth,
        });
        let before = self.stack.len();
        for token in body.body.iter().rev() {
            if let Kind::Param(number) = token.kind {
                let argument = arguments.get(usize::from(number).wrapping_sub(1));
                self.stack.extend(argument.into_iter().flatten().rev());
            } else {
                self.stack.push(Token { exp, ..*token });
            }
        }
        self.spend(self.stack.len() - before);
    }

    /// The arguments of a call.
    pub(super) fn arguments(&mut self, parameters: &[Parameter], call: Token) -> Vec<Vec<Token>> {
        let mut arguments = Vec::with_capacity(parameters.len());
        for parameter in parameters {
            arguments.push(match parameter {
                Parameter::Mandatory => self.argument(),
                Parameter::Optional(default) => match (self.optional(), default) {
                    (Some(tokens), _) => tokens,
                    (None, Some(default)) => default.to_vec(),
                    (None, None) => vec![self.name_token("NoValue", call)],
                },
                Parameter::Star => {
                    let name = if self.star() {
                        "BooleanTrue"
                    } else {
                        "BooleanFalse"
                    };
                    vec![self.name_token(name, call)]
                }
            });
        }
        arguments
    }

    /// The control sequence that is being defined: `\x` or `{\x}`.
    pub(super) fn defined_name(&mut self) -> Option<(u32, Token)> {
        let mut token = self.next_visible();
        // `\expandafter\def\csname x\endcsname`
        if matches!(self.act(token), Some(Act::CsName)) {
            self.cs_name(token);
            token = self.next_visible();
        }
        match token.kind {
            Kind::Name(name) => Some((name, token)),
            Kind::Begin => {
                let tokens = self.balanced(token);
                tokens.iter().find_map(|token| match token.kind {
                    Kind::Name(name) => Some((name, *token)),
                    _ => None,
                })
            }
            _ => {
                self.unread(token);
                None
            }
        }
    }

    fn define(
        &mut self,
        (name, token): (u32, Token),
        parameters: Vec<Parameter>,
        body: &[Token],
        keep: bool,
    ) {
        let place = self.place(token);
        self.doc.definitions.push(Definition {
            name: self.names.text(name).to_owned(),
            place,
            arguments: parameters.len(),
            body: self.written_range(place.file, body),
        });
        let defined = self.macro_of(parameters, body, place);
        let known = match self.meaning(name) {
            Meaning::Known(cmd) if !keep && self.styles == 0 && cmd.is_fixed() => {
                self.redefined(token, name, &defined.body);
                true
            }
            // What the reader knows of a command says more than a style file's code for it.
            Meaning::Known(cmd) => keep || (self.styles > 0 && !matches!(cmd.act, Act::Opaque)),
            Meaning::Macro(_) => keep,
            Meaning::Unknown => false,
        };
        if !known {
            self.set_meaning(name, Meaning::Macro(Rc::new(defined)));
        }
    }

    fn macro_of(&self, parameters: Vec<Parameter>, body: &[Token], place: Place) -> Macro {
        Macro {
            parameters,
            body: self.compile(body),
            place,
            style: self.styles > 0,
        }
    }

    /// Where tokens stand in a file, when they are written there one after another.
    fn written_range(&self, file: usize, tokens: &[Token]) -> Option<Range<usize>> {
        let (first, mut end) = (Self::literal(*tokens.first()?), 0);
        let text = &self.doc.files.get(file)?.text;
        for token in tokens {
            let start = Self::literal(*token).offset;
            let is_next = end == 0 || !text.get(end..start)?.contains(['{', '}']);
            if token.exp != 0 || token.file as usize != file || !is_next {
                return None;
            }
            end = start + token.len as usize;
        }
        Some(first.offset..end)
    }

    /// Turns `#1` into parameters and `##` into `#`.
    fn compile(&self, tokens: &[Token]) -> Rc<[Token]> {
        let mut out = Vec::with_capacity(tokens.len());
        let mut rest = tokens.iter().copied();
        while let Some(token) = rest.next() {
            if token.kind != Kind::Hash {
                out.push(token);
                continue;
            }
            let Some(next) = rest.next() else { break };
            let digit = self.text(next).bytes().next().filter(u8::is_ascii_digit);
            match (next.kind, digit) {
                (Kind::Word, Some(digit)) => {
                    let (number, word) = next.split(1);
                    out.push(number.with(Kind::Param(digit - b'0')));
                    if word.len > 0 {
                        out.push(word);
                    }
                }
                _ => out.push(next),
            }
        }
        out.into()
    }

    /// `[n][default]` of `\newcommand`.
    fn classic_parameters(&mut self) -> Vec<Parameter> {
        let count = self.optional().unwrap_or_default();
        let count = self.flat(&count).trim().parse().unwrap_or(0).min(9);
        let mut parameters: Vec<Parameter> = (0..count).map(|_| Parameter::Mandatory).collect();
        if let Some(first) = parameters.first_mut()
            && let Some(mut tokens) = self.optional()
        {
            // xargs writes `[1=default]`.
            if let Some(word) = tokens.first_mut()
                && self.text(*word).starts_with("1=")
            {
                *word = word.split(2).1;
            }
            tokens.retain(|token| token.kind != Kind::Word || token.len > 0);
            *first = Parameter::Optional(Some(tokens.into()));
        }
        parameters
    }

    pub(super) fn new_command(&mut self, keep: bool) {
        self.star();
        if let Some(name) = self.defined_name() {
            let parameters = self.classic_parameters();
            let body = self.argument();
            self.define(name, parameters, &body, keep);
        }
    }

    /// `\def\x#1#2{…}`; with delimited parameters the macro stays unknown, so that its arguments' text is kept.
    pub(super) fn def(&mut self) {
        let Some((name, token)) = self.defined_name() else {
            return;
        };
        let (mut count, mut simple) = (0_u8, true);
        loop {
            let next = self.next();
            match next.kind {
                Kind::Begin => {
                    let body = self.balanced(next);
                    if simple {
                        let parameters = (0..count).map(|_| Parameter::Mandatory).collect();
                        self.define((name, token), parameters, &body, false);
                    } else {
                        self.set_opaque(name);
                    }
                    return;
                }
                Kind::Hash => {
                    let number = self.next();
                    simple &= number.kind == Kind::Word && number.len == 1;
                    count = count.saturating_add(1);
                    // `#1#2`: the digits of one word would be delimiters.
                    if number.kind != Kind::Word {
                        self.unread(number);
                    }
                }
                Kind::Stop | Kind::Par => {
                    self.unread(next);
                    return;
                }
                _ => simple = false,
            }
        }
    }

    /// `s o O{default} m` of `\NewDocumentCommand`.
    fn document_parameters(&mut self) -> Vec<Parameter> {
        let spec = self.argument();
        let mut parameters = self.apart(&spec, Self::all_parameters);
        parameters.truncate(9);
        parameters
    }

    fn all_parameters(&mut self) -> Vec<Parameter> {
        let mut parameters = Vec::new();
        loop {
            let token = self.next();
            match token.kind {
                Kind::Stop => return parameters,
                Kind::Word => parameters.extend(match self.letter(token) {
                    'm' => Some(Parameter::Mandatory),
                    'o' => Some(Parameter::Optional(None)),
                    's' => Some(Parameter::Star),
                    'O' => Some(Parameter::Optional(Some(
                        self.braced().unwrap_or_default().into(),
                    ))),
                    _ => None,
                }),
                _ => {}
            }
        }
    }

    pub(super) fn document_command(&mut self, keep: bool) {
        if let Some(name) = self.defined_name() {
            let parameters = self.document_parameters();
            let body = self.argument();
            self.define(name, parameters, &body, keep);
        }
    }

    pub(super) fn new_environment(&mut self, classic: bool) {
        self.star();
        let (name, place) = self.key_argument();
        let parameters = if classic {
            self.classic_parameters()
        } else {
            self.document_parameters()
        };
        let (begin, end) = (self.argument(), self.argument());
        let known = env::lookup(&name);
        let known = known.is_some_and(|(env, _)| self.styles > 0 || env.is_fixed());
        if !known && !name.is_empty() {
            let begin = self.macro_of(parameters, &begin, place);
            let end = self.macro_of(Vec::new(), &end, place);
            let name = self.names.intern(&name);
            let user = Rc::new(UserEnvironment { begin, end });
            self.environments.insert(name, user);
        }
    }

    /// `\excludecomment{name}`: what stands in the environment is hidden.
    pub(super) fn hide_environment(&mut self) {
        let name = self.environment_name();
        self.environments.remove(&name);
        self.special.insert(name, Env::Hidden);
    }

    /// `\includecomment{name}`: what stands in the environment is shown.
    pub(super) fn show_environment(&mut self, token: Token) {
        let name = self.environment_name();
        self.special.remove(&name);
        let place = self.place(token);
        let empty = || Macro {
            parameters: Vec::new(),
            body: Rc::new([]),
            place,
            style: false,
        };
        let (begin, end) = (empty(), empty());
        self.environments
            .insert(name, Rc::new(UserEnvironment { begin, end }));
    }

    /// `\let\a=\b`
    pub(super) fn alias(&mut self) {
        let Some((name, _)) = self.defined_name() else {
            return;
        };
        let mut target = self.next_visible();
        if target.kind == Kind::Word && self.text(target) == "=" {
            target = self.next_visible();
        }
        let Kind::Name(target) = target.kind else {
            return;
        };
        let meaning = self.meaning(target);
        let is_condition = |meaning: &Meaning| matches!(meaning, Meaning::Known(cmd) if matches!(cmd.act, Act::If(_) | Act::Switch(_)));
        let old = self.meaning(name);
        let known = matches!(old, Meaning::Known(cmd) if cmd.is_fixed() || self.styles > 0);
        // `\let\iffalse\iftrue` shows what was hidden.
        if !known || self.styles == 0 && is_condition(&old) && is_condition(&meaning) {
            self.set_meaning(name, meaning);
            self.set_opaque(name);
        }
    }

    /// Something defines a name, unless it has a meaning already.
    pub(super) fn set_opaque(&mut self, name: u32) {
        if matches!(self.meaning(name), Meaning::Unknown) {
            self.set_meaning(name, Meaning::Known(Cmd::OPAQUE));
        }
    }

    /// `\newsavebox{\x}`, `\newlength\x`: arguments behind the name to drop; `g` for a register.
    pub(super) fn declare_name(&mut self, spec: &str) {
        let Some((name, _)) = self.defined_name() else {
            return;
        };
        if spec == "g" {
            self.set_meaning(name, Meaning::Known(Cmd::register()));
            return;
        }
        self.set_opaque(name);
        self.skip_arguments(spec);
    }

    /// The same for a name without backslash: what is put in front of it, and the arguments behind it to drop.
    pub(super) fn declare_named(&mut self, prefix: &str, spec: &str) {
        let name = [prefix, &self.name_argument()].concat();
        let name = self.names.intern(&name);
        self.set_opaque(name);
        self.skip_arguments(spec);
    }

    /// `\newif\ifdraft`: `\drafttrue`, `\draftfalse`; false at first, as in TeX. Those of a style file are set by its options.
    pub(super) fn new_switch(&mut self) {
        let Some((name, _)) = self.defined_name() else {
            return;
        };
        let Some(stem) = self.names.text(name).strip_prefix("if").map(str::to_owned) else {
            return;
        };
        let number = narrow(self.switches.len());
        self.switches.push((self.styles == 0).then_some(false));
        self.set_meaning(name, Meaning::Known(Cmd::fixed(Act::Switch(number))));
        for (ending, value) in [("true", true), ("false", false)] {
            let setter = self.names.intern(&format!("{stem}{ending}"));
            let act = Act::SetSwitch(number, value);
            self.set_meaning(setter, Meaning::Known(Cmd::fixed(act)));
        }
    }

    /// `\DeclareMathOperator{\x}{text}`
    pub(super) fn math_operator(&mut self) {
        self.star();
        if let Some(name) = self.defined_name() {
            let body = self.argument();
            self.define(name, Vec::new(), &body, false);
        }
    }

    pub(super) fn declare_unit(&mut self) {
        self.skip_optional();
        if let Some((name, _)) = self.defined_name() {
            let body = self.argument();
            let text = super::si::unit(self, &body);
            self.units.insert(name, text);
        }
    }
}
