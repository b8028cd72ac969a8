//! Definitions and expansion of the document's macros.

use std::{collections::BTreeSet, ops::Range, rc::Rc};

use super::{
    Cmd, Env, Expansion, How, Kind, MAX_EXPANSION_DEPTH, Macro, Meaning, Parameter, Reader, Role,
    Token, env, narrow,
};
use crate::{Definition, Holds, Label, Place, ProblemKind, root::only};

/// Most folders of `\input@path` or `\graphicspath` that are tried.
const MAX_PATHS: usize = 64;

/// `None` if the parameter text is not understood.
type Parameters = Option<Vec<Parameter>>;

impl Macro {
    /// How many parameters it has.
    pub(super) fn count(&self) -> usize {
        self.parameters.iter().flatten().count()
    }

    /// Whether what it prints is certain.
    pub(super) fn is_certain(&self) -> bool {
        self.doubt == 0 && !self.style && self.parameters.is_some()
    }
}

impl Reader<'_> {
    /// Expands a call: puts back the macro's body with the arguments in place. A macro that is not followed is reported instead.
    pub(super) fn expand(&mut self, call: Token, name: u32, body: &Macro) {
        if self.is_followed(body) {
            self.expand_known(call, name, body);
        } else {
            self.opaque(call, name, body);
            match self.bibliography_in(body) {
                Some(named) => self.expand_known(call, name, &named),
                None => self.unknown(call),
            }
        }
    }

    /// The `\bibliography` command in the body of a macro that is not followed: its files are those of the paper.
    fn bibliography_in(&self, body: &Macro) -> Option<Macro> {
        let names = |tokens: &[Token]| matches!(tokens, [name, begin, ..] if self.what(*name) == "bibliography" && begin.kind == Kind::Begin);
        // One behind a condition, or one of several, may not be the paper's.
        let found = (0..body.body.len()).filter(|at| body.body.get(*at..).is_some_and(names));
        let at = only(found)?;
        let depth = body.body.iter().take(at).filter_map(|token| token.name());
        let depth = depth.map(|name| match self.names.text(name) {
            "fi" => -1,
            text => i32::from(text.starts_with("if")),
        });
        if depth.sum::<i32>() != 0 {
            return None;
        }
        let named = body.body.get(at..)?;
        let end = named.iter().position(|token| token.kind == Kind::End)?;
        Some(Macro {
            parameters: Some(body.parameters.clone()?),
            body: named.get(..=end)?.into(),
            ..*body
        })
    }

    /// Whether a macro is expanded rather than treated as an unknown command.
    pub(super) fn is_followed(&self, body: &Macro) -> bool {
        body.parameters.is_some() && (!body.style || self.is_understood(&*body.body))
    }

    /// Expands a call of a macro that is known to be followed.
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
        let arguments = self.arguments(body, call);
        let exp = narrow(self.writer.expansions.len());
        self.writer.expansions.push(Expansion {
            name: self.names.shared(name),
            call: self.place(call),
            depth,
        });
        if body.doubt > 0 {
            self.enter_doubt(body.doubt);
            self.unread(call.with(Kind::Certain(body.doubt)));
        }
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
    pub(super) fn arguments(&mut self, body: &Macro, call: Token) -> Vec<Vec<Token>> {
        let argument = |parameter: &Parameter| match parameter {
            Parameter::Mandatory => self.argument(),
            Parameter::Optional(default) => self.optional().unwrap_or_else(|| default.to_vec()),
            Parameter::Star if self.star() => vec![self.name_token("BooleanTrue", call)],
            Parameter::Star => vec![self.name_token("BooleanFalse", call)],
            Parameter::Until(name) => {
                let is_end = |token: Token| token.kind == Kind::Name(*name);
                let found = self.up_to(usize::MAX, |_, token| is_end(token).then_some(true));
                found.map_or_else(Vec::new, |(taken, _)| taken)
            }
        };
        body.parameters.iter().flatten().map(argument).collect()
    }

    /// The control sequence that is being defined: `\x` or `{\x}`.
    pub(super) fn defined_name(&mut self) -> Option<(u32, Token)> {
        // `\expandafter\def\csname x\endcsname`
        let (token, _) = self.next_made();
        if token.kind == Kind::Begin {
            let mut tokens = self.balanced(token).into_iter();
            return tokens.find_map(|token| Some((token.name()?, token)));
        }
        let name = token.name();
        if name.is_none() {
            self.unread(token);
        }
        Some((name?, token))
    }

    fn define(&mut self, name: (u32, Token), parameters: Parameters, body: &[Token], keep: bool) {
        let (name, token) = name;
        let place = self.place(token);
        if let Some(parameters) = &parameters {
            self.doc.definitions.push(Definition {
                name: self.names.text(name).to_owned(),
                place,
                arguments: parameters.len(),
                body: self.written_range(place.file, body),
            });
        }
        let mut defined = self.macro_of(parameters, body, place);
        let count = defined.count();
        let known = match self.meaning(name) {
            // A new definition that drops all its arguments certainly prints nothing of them.
            Meaning::Known(cmd) if !keep && self.styles == 0 && cmd.role != Role::Free => {
                let drops = count > 0 && defined.body.is_empty();
                self.redefined(token, name, &defined.body);
                let no_longer_cites = cmd.what == "cite" && defined.doubt == 0;
                !(drops || no_longer_cites && self.cites_nothing(&defined.body, 0))
            }
            // The reader knows more about a built-in command than a style file's code for it says, or a doubtful definition that
            // prints all its arguments.
            Meaning::Known(cmd) => {
                let prints = |at| defined.body.iter().any(|part| part.kind == Kind::Param(at));
                let prints = (1..=9).take(count).all(prints);
                let is_known = cmd.what != "opaque";
                keep || is_known && (self.styles > 0 || defined.doubt > 0 && prints)
            }
            Meaning::Macro(old) => {
                // Which of the two definitions counts is not known: the new one is doubtful, or both were found by searching
                // style files.
                let is_searched = old.style && self.styles > 0 && old.place != place;
                if !keep && (defined.doubt > 0 || is_searched) {
                    self.join(token, &old, &mut defined);
                }
                keep
            }
            Meaning::Unknown => false,
        };
        if !known {
            self.set_meaning(name, Meaning::Macro(Rc::new(defined)));
        }
    }

    /// Whether no command in a body, or in the macros that it calls, can cite: all are known to print or to format text.
    fn cites_nothing(&self, body: &[Token], depth: usize) -> bool {
        const DEPTH: usize = 8;
        body.iter().all(|token| {
            let Kind::Name(name) = token.kind else {
                return true;
            };
            match self.meaning(name) {
                Meaning::Known(cmd) => cmd.role == Role::Free && cmd.what != "opaque",
                Meaning::Macro(inner) => {
                    depth < DEPTH && self.cites_nothing(&inner.body, depth + 1)
                }
                Meaning::Unknown => false,
            }
        })
    }

    /// Merges an older definition into a new one, which then prints both bodies, as doubtful.
    fn join(&mut self, token: Token, old: &Macro, new: &mut Macro) {
        let is_same = self.raw(&old.body) == self.raw(&new.body);
        if is_same && old.count() == new.count() {
            new.doubt = old.doubt;
            return;
        }
        if new.doubt == 0 {
            let name = self.text(token);
            let message = format!(
                "`{name}` has several definitions, and which one counts is not decided here"
            );
            new.doubt = self.doubt(token, &message);
            self.writer.doubts.leave(new.doubt);
        }
        let kind = std::mem::discriminant;
        let kinds = old.parameters.iter().flatten().map(kind);
        let is_alike = kinds.eq(new.parameters.iter().flatten().map(kind));
        let is_alike = is_alike && old.parameters.is_some();
        new.parameters = new.parameters.take().filter(|_| is_alike);
        let space = token.with(Kind::Space);
        let both = old.body.iter().chain([&space]).chain(new.body.iter());
        let both: Rc<[Token]> = both.copied().collect();
        if self.spend(both.len()) {
            new.body = both;
        }
    }

    pub(super) fn macro_of(&self, parameters: Parameters, body: &[Token], place: Place) -> Macro {
        Macro {
            parameters,
            body: self.compile(body),
            place,
            style: self.styles > 0,
            doubt: self.doubt_number(),
        }
    }

    /// The byte range of tokens in a file, if they are written there one after another.
    fn written_range(&self, file: usize, tokens: &[Token]) -> Option<Range<usize>> {
        let (first, mut end) = (tokens.first()?.literal(), 0);
        let text = &self.doc.files.get(file)?.text;
        for token in tokens {
            let start = token.literal().offset;
            let is_next = end == 0 || !text.get(end..start)?.contains(['{', '}']);
            if token.exp != 0 || token.file as usize != file || !is_next {
                return None;
            }
            end = token.end();
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
            if let Some(digit) = digit.filter(|_| next.kind == Kind::Word) {
                let (number, word) = next.split(1);
                out.push(number.with(Kind::Param(digit - b'0')));
                out.extend((word.len > 0).then_some(word));
            } else {
                out.push(next);
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
            *first = Parameter::Optional(tokens.into());
        }
        parameters
    }

    /// Reads the parameters between the name and the body, in the notation that `form` names.
    fn parameters(&mut self, form: &str) -> Parameters {
        match form.trim_end_matches(" keep") {
            "plain" => Some(Vec::new()),
            "xparse" => {
                let spec = self.argument();
                self.apart(&spec, Self::document_parameters)
            }
            _ => Some(self.classic_parameters()),
        }
    }

    /// `\newcommand`, `\NewDocumentCommand`, `\DeclareMathOperator`
    pub(super) fn new_command(&mut self, _: Token, form: How) {
        if let Some(name) = self.defined_name() {
            let parameters = self.parameters(form);
            let body = self.argument();
            self.define(name, parameters, &body, form.ends_with("keep"));
        }
    }

    /// `\def\x#1#2\y{…}`. A macro whose parameters are delimited by characters is not followed.
    pub(super) fn def(&mut self, _: Token, how: How) {
        let Some((name, token)) = self.defined_name() else {
            return;
        };
        let mut parameters = Some(Vec::new());
        loop {
            let next = self.next();
            match next.kind {
                Kind::Begin => {
                    let mut body = self.balanced(next);
                    let mut doubt = 0;
                    // What a style file has defined until here is not known.
                    if how == "expanded" && self.styles == 0 {
                        (body, doubt) = self.expanded(&body);
                    }
                    if self.names.text(name) == "input@path" {
                        self.loading.paths = self.groups_of(&body);
                    }
                    self.enter_doubt(doubt);
                    self.define((name, token), parameters, &body, false);
                    return self.writer.doubts.leave(doubt);
                }
                Kind::Hash => {
                    let number = self.next();
                    let is_plain = number.kind == Kind::Word && number.len == 1;
                    parameters = parameters.filter(|_| is_plain);
                    if let Some(all) = &mut parameters {
                        all.push(Parameter::Mandatory);
                    }
                    // A word of more than one digit contains delimiters; it is dropped.
                    if number.kind != Kind::Word {
                        self.unread(number);
                    }
                }
                Kind::Stop | Kind::Par => return self.unread(next),
                Kind::Name(name) if let Some([.., last]) = parameters.as_deref_mut() => {
                    *last = Parameter::Until(name);
                }
                _ => parameters = None,
            }
        }
    }

    /// The body of `\edef`: its macros are expanded and its conditions decided at once. Also the number of a doubt about them, or 0.
    fn expanded(&mut self, body: &[Token]) -> (Vec<Token>, u32) {
        self.apart(body, |reader| {
            let (mut out, mut doubt) = (Vec::new(), 0);
            loop {
                let token = reader.next();
                let meaning = match token.kind {
                    Kind::Stop => return (out, doubt),
                    Kind::Name(name) => reader.meaning(name),
                    _ => Meaning::Unknown,
                };
                match (reader.command_name(token), meaning) {
                    ("noexpand" | "protect" | "string", _) => out.extend([token, reader.next()]),
                    ("unexpanded", _) => out.extend(reader.argument()),
                    (_, Meaning::Macro(body)) if reader.is_followed(&body) => {
                        doubt = doubt.max(body.doubt);
                        reader.expand(token, token.name().unwrap_or_default(), &body);
                    }
                    (_, Meaning::Known(cmd))
                        if matches!(cmd.what, "if" | "other_branch" | "end_branch") =>
                    {
                        reader.command(token, cmd);
                        doubt = doubt.max(reader.doubt_number());
                    }
                    _ => out.push(token),
                }
            }
        })
    }

    /// The texts of the groups in an argument, `{a/}{b/}`.
    pub(super) fn groups_of(&self, tokens: &[Token]) -> Vec<String> {
        let text = self.raw(tokens);
        let parts = text.split(['{', '}']).map(str::trim);
        let parts = parts.filter(|part| !part.is_empty()).take(MAX_PATHS);
        parts.map(str::to_owned).collect()
    }

    /// `s o O{default} m` of `\NewDocumentCommand`; `None` if there are other letters.
    fn document_parameters(&mut self) -> Parameters {
        let mut parameters = Vec::new();
        loop {
            let token = self.next();
            match token.kind {
                Kind::Stop => return Some(parameters).filter(|all| all.len() < 10),
                Kind::Word => parameters.push(match self.letter(token) {
                    'm' => Parameter::Mandatory,
                    'o' => Parameter::Optional([self.name_token("NoValue", token)].into()),
                    's' => Parameter::Star,
                    'O' => Parameter::Optional(self.braced().unwrap_or_default().into()),
                    '+' | '!' => continue,
                    _ => return None,
                }),
                Kind::Space => {}
                _ => return None,
            }
        }
    }

    pub(super) fn new_environment(&mut self, token: Token, form: How) {
        let Label { key: name, place } = self.key_argument();
        let parameters = self.parameters(form);
        // `\NewEnviron` has one argument, in which `\BODY` stands for the content of the environment.
        let is_body = form == "body";
        let begin = self.argument();
        let end = if is_body { Vec::new() } else { self.argument() };
        if name.is_empty() {
            return;
        }
        if is_body {
            self.doc.unknown_environments.insert(name.clone());
        }
        let index = self.names.intern(&name);
        // `{\comment}{\endcomment}`: `\comment` is the code of `\begin{comment}`, and drops the text up to the end of the new
        // environment.
        let begins = begin.iter().find(|token| token.kind != Kind::Space);
        if let Some(what) = begins.and_then(|token| self.hiding(*token)) {
            return self.set_environment(index, what);
        }
        let is_kept = |what| self.styles > 0 || env::FIXED.contains(what);
        let known = self.environments.get(&index);
        let is_known = self.built_in.contains(&index)
            && matches!(known, Some(Env::Known(what, _)) if is_kept(what))
            && !(self.is_raw(index)
                && self.groups.is_empty()
                && self.reads_as_text(&name, &begin, &end, place));
        // A box is printed where it is used, if at all.
        let mut boxed = begin.iter().chain(&end);
        let is_boxed =
            is_body || boxed.any(|token| matches!(self.text(*token), "lrbox" | "\\setbox"));
        if !is_known || is_boxed && self.styles == 0 {
            let mut begin = self.macro_of(parameters, &begin, place);
            if is_boxed {
                let message = format!("whether `{name}` prints its text is not decided here");
                begin.doubt = self.doubt(token, &message);
                self.writer.doubts.leave(begin.doubt);
            }
            let end = self.macro_of(Some(Vec::new()), &end, place);
            let own = Env::Own(Rc::new(begin), Rc::new(end));
            self.environments.insert(index, own);
        }
    }

    /// Whether an environment is one of verbatim text, unless the document redefines it.
    fn is_raw(&self, environment: u32) -> bool {
        let known = self.environments.get(&environment);
        matches!(known, Some(Env::Known("raw", _))) && self.styles == 0
    }

    /// Whether the document's redefinition of a verbatim environment sets its text as LaTeX: all its commands are known and none of them
    /// reads verbatim text. Reports a problem if a command is not known.
    fn reads_as_text(&mut self, name: &str, begin: &[Token], end: &[Token], at: Place) -> bool {
        let code = || begin.iter().chain(end);
        // With the macros of the document that the code calls.
        let (mut open, mut seen): (Vec<Token>, _) = (code().copied().collect(), BTreeSet::new());
        while let Some(token) = open.pop() {
            let word = self.text(token).trim_start_matches('\\').to_owned();
            let named = self.names.intern(&word);
            let reads = |part| word.to_ascii_lowercase().contains(part);
            if self.is_raw(named) || reads("verb") || reads("lst") {
                return false;
            }
            if let Meaning::Macro(called) = self.meaning(named)
                && token.name().is_some()
                && seen.insert(named)
            {
                open.extend(called.body.iter());
            }
        }
        let is_understood = self.is_understood(code());
        if !is_understood {
            let message = format!(
                "the document defines `{name}` anew, which is not followed; its text is not read"
            );
            self.problem(ProblemKind::UnreadText(Holds::ALL), at, message);
        }
        is_understood
    }

    /// The kind (`raw` or `hidden`) of the environment that a command begins, if its text is not read as LaTeX.
    fn hiding(&mut self, token: Token) -> Option<&'static str> {
        let name = self.command_name(token).to_owned();
        match self.environments.get(&self.names.intern(&name)) {
            Some(Env::Known(what @ ("raw" | "hidden"), _)) if self.is_unknown(token) => Some(what),
            _ => None,
        }
    }

    /// `\excludecomment{name}`, `\includecomment{name}`: the text in the environment is hidden, or shown.
    pub(super) fn declare_environment(&mut self, _: Token, like: How) {
        let name = self.named("");
        self.set_environment(name, like);
    }

    /// `\let\a=\b`
    pub(super) fn alias(&mut self, _: Token, how: How) {
        let Some((name, own)) = self.defined_name() else {
            return;
        };
        self.drop_sign('=');
        let mut target = self.next_visible();
        if how == "copy" && target.kind == Kind::Begin {
            let named = self.balanced(target);
            target = named.first().copied().unwrap_or(target);
        }
        if let Some(what) = self.hiding(target) {
            self.set_environment(name, what);
        }
        let Kind::Name(of) = target.kind else { return };
        // `\let\verbatim\quote`: the environment is now the other one.
        if self.is_raw(name)
            && self.groups.is_empty()
            && let Some(Env::Known(what, _)) = self.environments.get(&of)
        {
            self.set_environment(name, what);
        }
        let is_kept = |cmd: Cmd| cmd.role != Role::Free || self.styles > 0;
        let no_longer_cites = self.what(own) == "cite" && self.cites_nothing(&[target], 0);
        let known = self.cmd(own).is_some_and(is_kept) && !no_longer_cites;
        let [was_condition, is_condition] = [own, target].map(|token| self.what(token) == "if");
        // `\let\iffalse\iftrue` shows what was hidden.
        if is_condition && self.is_doubtful() {
            self.set_switch(name, None);
        } else if !known || self.styles == 0 && was_condition && is_condition {
            let meaning = Some(self.meaning(of)).filter(|_| !self.is_doubtful());
            self.set_meaning(name, meaning.unwrap_or_default());
            self.set_opaque(name);
        }
    }

    /// `\expandafter\cite\expandafter{\keys}`: the order of expansion makes no difference here.
    pub(super) fn expand_after(&mut self, _: Token, _: How) {
        let first = self.next();
        let second = self.next();
        if self.command_name(second) != "expandafter" {
            self.unread(second);
        }
        self.unread(first);
    }

    /// `\docsvlist{a,b}`, `\forcsvlist{\x}{a,b}`: `\do{a}\do{b}`.
    pub(super) fn each(&mut self, token: Token, how: How) {
        let mut open = match how {
            "by" => self.argument(),
            _ => vec![self.name_token("do", token)],
        };
        open.push(token.with(Kind::Begin));
        let close = token.with(Kind::End);
        let mut all = open.clone();
        for mut part in self.argument() {
            while part.kind == Kind::Word
                && let Some(at) = self.text(part).find(',')
            {
                let (before, after) = part.split(at);
                all.extend([before, close]);
                all.extend(&open);
                part = after.split(1).1;
            }
            all.push(part);
        }
        all.push(close);
        self.unread_all(&all);
    }

    /// Marks a name as defined by something that is not followed, unless it already has a meaning.
    pub(super) fn set_opaque(&mut self, name: u32) {
        if matches!(self.meaning(name), Meaning::Unknown) {
            self.set_meaning(name, Meaning::Known(Cmd::free("opaque", "")));
        }
    }

    /// `\newsavebox{\x}`, `\newlength\x`. `spec` gives the arguments after the name to drop; `g` declares a register.
    pub(super) fn declare_name(&mut self, token: Token, spec: How) {
        let Some((name, own)) = self.defined_name() else {
            return;
        };
        self.may_define(token, &[own]);
        if spec == "g" {
            self.set_meaning(name, Meaning::Known(Cmd::free("register", "")));
            return;
        }
        self.set_opaque(name);
        self.skip_arguments(token, spec);
    }

    /// The same for a name without backslash, to which `prefix` is added in front.
    pub(super) fn declare_named(&mut self, token: Token, prefix: &str, spec: &str) {
        let name = self.named(prefix);
        self.set_opaque(name);
        self.skip_arguments(token, spec);
    }

    /// `\newif\ifdraft`: declares `\drafttrue` and `\draftfalse`. It is false at first, as in TeX; one of a style file is
    /// undecided, because options may set it.
    pub(super) fn new_switch(&mut self, _: Token, _: How) {
        if let Some((name, _)) = self.defined_name() {
            self.declare_switch(name);
        }
    }

    pub(super) fn declare_switch(&mut self, name: u32) {
        self.set_switch(name, (self.styles == 0).then_some(false));
        let Some(stem) = self.names.text(name).strip_prefix("if").map(str::to_owned) else {
            return;
        };
        for (ending, value) in [("true", true), ("false", false)] {
            let setter = self.names.intern(&format!("{stem}{ending}"));
            let sets = Some((name, value));
            let cmd = Cmd::new("set", "", Role::Fixed);
            self.set_meaning(setter, Meaning::Known(Cmd { sets, ..cmd }));
        }
    }

    /// `\global\let`, `\gdef`: runs a definition that outlives every open group.
    pub(super) fn globally(&mut self, define: impl FnOnce(&mut Self)) {
        let before = self.undo.len();
        define(self);
        for (name, _) in self.undo.split_off(before.min(self.undo.len())) {
            let meaning = self.meaning(name);
            let older = self.undo.iter_mut().filter(|(older, _)| *older == name);
            older.for_each(|(_, old)| *old = meaning.clone());
        }
        self.spend(before);
    }

    /// `\global` before a definition.
    pub(super) fn global(&mut self, _: Token, _: How) {
        let mut next = self.next_visible();
        // `\long`
        while self.what(next) == "nothing" {
            next = self.next_visible();
        }
        match self.cmd(next) {
            Some(cmd) => self.globally(|reader| reader.command(next, cmd)),
            None => self.unread(next),
        }
    }

    /// `\DeclareCiteCommand{\x}…`: a command that cites.
    pub(super) fn new_cite(&mut self, token: Token, _: How) {
        if let Some((name, _)) = self.defined_name() {
            let cite = self.names.intern("cite");
            let meaning = self.meaning(cite);
            self.set_meaning(name, meaning);
            self.skip_arguments(token, "ommmm");
        }
    }

    pub(super) fn declare_unit(&mut self, _: Token, _: How) {
        if let Some((name, _)) = self.defined_name() {
            let text = self.si_unit();
            self.units.insert(name, text);
        }
    }
}
