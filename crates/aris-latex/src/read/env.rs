//! Environments.

use std::sync::Arc;

use super::{After, Env, GroupKind, How, Kind, Macro, Meaning, Reader, Style, Token, style};
use crate::{BlockKind, Environment, ProblemKind, Written, path};

/// Kinds of environments (words of `environments.txt`) that keep their built-in meaning even if the document redefines them.
pub(super) const FIXED: [&str; 10] = [
    "document",
    "grid",
    "tabu",
    "long",
    "keys",
    "nice",
    "float",
    "raw",
    "display",
    "bibliography",
];
/// Kinds of environments that are also read before the document begins.
const EARLY: [&str; 7] = [
    "document", "raw", "hidden", "note", "abstract", "keywords", "front",
];

/// The kind of block that a word of the tables stands for.
pub(super) fn flow(word: &str) -> Option<&'static BlockKind> {
    Some(match word {
        "title" => &BlockKind::Title,
        "list" => &BlockKind::ListItem,
        "note" => &BlockKind::Footnote,
        "abstract" => &BlockKind::Abstract,
        "keywords" => &BlockKind::Keywords,
        "front" => &BlockKind::FrontMatter,
        "bibliography" => &BlockKind::BibItem,
        _ => return None,
    })
}

/// Most bytes of an undefined environment that are examined. A longer one is read as text.
const LONGEST: usize = 1 << 16;

/// The text that ends an environment whose content is not read as LaTeX.
pub(super) fn end_of(name: &str) -> String {
    format!("\\end{{{name}}}")
}

impl Reader<'_> {
    pub(super) fn begin_environment(&mut self, token: Token, _: How) {
        let index = self.named("");
        let name = self.names.shared(index);
        let known = match self.environments.get(&index).cloned() {
            Some(Env::Own(begin, end)) => return self.begin_own(token, index, &begin, &end),
            Some(Env::Known(what, arguments)) => Some((what, arguments)),
            None => None,
        };
        if self.preamble && !known.is_some_and(|(what, _)| EARLY.contains(&what)) {
            return self.enter(index, After::Nothing, token);
        }
        let (what, arguments) = match known {
            Some(known) => known,
            None if self.is_code(&name) => ("raw", ""),
            // `\begin{x}` runs `\x`.
            None if !matches!(self.meaning(index), Meaning::Unknown) => {
                if self.what(token.with(Kind::Name(index))) == "opaque" {
                    self.doc.unknown_environments.insert(name.to_string());
                }
                self.paragraph(token);
                self.enter(index, After::Paragraph, token);
                return self.unread(token.with(Kind::Name(index)));
            }
            None => {
                self.doc.unknown_environments.insert(name.to_string());
                ("unknown", "")
            }
        };
        self.skip_arguments(token, arguments);
        match what {
            "document" => self.begin_document(token),
            "raw" => self.raw_environment(&name, token),
            "hidden" => {
                if name.starts_with("filecontents") {
                    self.write_file(&name);
                }
                self.skip_raw(&name, token);
            }
            "display" => self.begin_display(token, Some(index)),
            "maths" => {
                self.enter(index, After::Nothing, token);
                self.begin_formula(style::MATH, 0);
            }
            "inner" => {
                self.enter(index, After::Align, token);
                self.alignments.push(None);
            }
            "grid" | "tabu" | "long" | "keys" | "nice" => self.begin_grid(token, index, what),
            "float" => {
                self.paragraph(token);
                self.enter(index, After::Float, token);
                self.begin_float(index);
            }
            "overlay" => {
                let slides = self.delimited('<', '>').unwrap_or_default();
                drop(self.optional());
                self.begin_text(token, index, "plain");
                if self.raw(&slides).contains('0') {
                    let message = "whether this frame is shown on a slide is not decided here";
                    self.doubt_group(token, message);
                }
            }
            "sources" | "unit" | "topic" => {
                match what {
                    "sources" => self.sources(token, ""),
                    "unit" => self.ref_section(Some(Vec::new())),
                    _ => self.bibliography(token, ""),
                }
                self.begin_text(token, index, "plain");
            }
            "cites" => {
                self.begin_text(token, index, "plain");
                self.cite(token, "");
            }
            "pictured" => {
                self.graphics(token, "");
                self.begin_text(token, index, "plain");
            }
            what => self.begin_text(token, index, what),
        }
    }

    fn begin_text(&mut self, token: Token, index: u32, what: &str) {
        if what == "mute" {
            self.unread_environment(&self.names.shared(index), None, token);
        }
        self.paragraph(token);
        let has_options = matches!(what, "titled" | "options" | "unknown");
        let options = has_options.then(|| self.optional()).flatten();
        self.enter(index, After::Paragraph, token);
        let is_running = self.writer.flow.is_none();
        if let Some(flow) = flow(what).filter(|_| what != "list" || is_running) {
            self.writer.flow = Some(flow);
            if self.preamble {
                self.style = self.style.set(0, style::MUTE);
            }
        }
        match what {
            "appendix" => self.appendix = true,
            "mute" => self.style = self.style.set(style::MUTE, 0),
            // An installed package defines it and may hide its text.
            "unknown" | "boxed" => {
                let name = self.names.text(index);
                let message = format!("whether `{name}` prints its text is not decided here");
                self.doubt_group(token, &message);
            }
            _ => {}
        }
        if let Some(options) = options {
            let title = match what {
                "unknown" => self.text_among(&options),
                "titled" => self.titles(&options).unwrap_or_else(|| options.clone()),
                _ => self.titles(&options).unwrap_or_default(),
            };
            if title.is_empty() {
                self.unread_argument(token, &options, false);
            } else {
                self.unread_between(token, "(", &title, ") ");
            }
        }
    }

    /// The printed text among options: the values of `title=` and similar keys, and those that read like text. `None` if this is
    /// no list of options.
    pub(super) fn titles(&mut self, options: &[Token]) -> Option<Vec<Token>> {
        /// Endings of the keys of theorems, boxes, tables and listings that print their value, as `frametitle`.
        const PRINTED: [&str; 4] = ["title", "note", "caption", "heading"];
        let first = self.raw(options);
        let first = first.split_once('=')?.0.rsplit(',').next()?;
        let key = |text: &str| text.split('{').next().unwrap_or("").trim().to_owned();
        // `x=3` is text.
        let first = key(first);
        if first.len() < 4 || !first.bytes().all(|byte| byte.is_ascii_alphabetic()) {
            return None;
        }
        let mut found: Vec<Token> = Vec::new();
        for option in self.split(options, ',') {
            let mut parts = self.split(&option, '=').into_iter();
            let name = parts.next().map(|name| key(&self.raw(&name)));
            let name = name.unwrap_or_default();
            let value = parts.next().unwrap_or_default();
            let is_printed = name == "name" || PRINTED.iter().any(|end| name.ends_with(end));
            if let Some(first) = value.first()
                && (is_printed || self.reads_like_text(&value))
            {
                let space = first.with(Kind::Space);
                found.extend((!found.is_empty()).then_some(space));
                found.extend(value);
            }
        }
        Some(found)
    }

    /// The text among the options of an unknown command or environment, if it holds numbers or citations.
    pub(super) fn text_among(&mut self, options: &[Token]) -> Vec<Token> {
        let is_text = |reader: &Self| reader.reads_like_text(options);
        let found = match self.titles(options) {
            None if is_text(self) => options.to_vec(),
            found => found.unwrap_or_default(),
        };
        let holds = self.holds(&found);
        Some(found)
            .filter(|_| !holds.is_empty())
            .unwrap_or_default()
    }

    /// The parts between the characters `sign` outside groups.
    pub(super) fn split(&self, tokens: &[Token], sign: char) -> Vec<Vec<Token>> {
        let (mut parts, mut part, mut depth) = (Vec::new(), Vec::new(), 0_usize);
        for token in tokens {
            let mut rest = *token;
            match token.kind {
                Kind::Begin => depth += 1,
                Kind::End => depth = depth.saturating_sub(1),
                Kind::Word if depth == 0 => {
                    while let Some(at) = self.text(rest).find(sign) {
                        let (before, after) = rest.split(at);
                        part.extend((before.len > 0).then_some(before));
                        parts.push(std::mem::take(&mut part));
                        rest = after.split(sign.len_utf8()).1;
                    }
                }
                _ => {}
            }
            part.extend((rest.len > 0 || token.kind != Kind::Word).then_some(rest));
        }
        parts.push(part);
        parts
    }

    /// Begins an environment that the document defines.
    fn begin_own(&mut self, token: Token, index: u32, begin: &Macro, end: &Macro) {
        if self.follows(begin, end) {
            self.enter(index, After::Nothing, token);
            self.enter_doubt(begin.doubt);
            self.end_with_group(begin.doubt);
            self.expand_known(token, index, begin);
            return;
        }
        let opens_maths = begin.body.iter().any(|part| part.kind == Kind::Math);
        if !opens_maths {
            self.opaque(token, index, begin);
        }
        self.arguments(begin, token);
        if opens_maths {
            self.begin_display(token, Some(index));
        } else {
            self.enter(index, After::Nothing, token);
        }
        if begin.parameters.is_none() {
            self.doubt_group(token, "the arguments of this environment are not followed");
        }
    }

    /// Whether the code of an environment is run. That of a style file is only if all of it is understood and none of it opens
    /// maths, which stands in boxes there.
    fn follows(&self, begin: &Macro, end: &Macro) -> bool {
        let mut code = begin.body.iter().chain(&*end.body);
        begin.parameters.is_some() && !begin.style
            || begin.style
                && self.is_understood(code.clone())
                && code.all(|part| part.kind != Kind::Math)
    }

    /// Whether the content of an undefined environment cannot be LaTeX: its braces or dollars do not balance.
    fn is_code(&mut self, name: &str) -> bool {
        /// Parts of names of commands whose argument may hold unbalanced braces or dollars. An environment that contains one is
        /// not judged.
        const WITHIN: [&str; 6] = ["erb", "lst", "mint", "\\url", "\\href", "\\path"];
        if !self.may_judge() {
            return false;
        }
        let rest = self.rest_of_file();
        let (rest, _) = rest.split_at(rest.floor_char_boundary(LONGEST));
        let found = rest.find(&end_of(name));
        let (body, _) = rest.split_at(found.unwrap_or(0));
        let (mut depth, mut dollars, mut bytes) = (Some(0_usize), 0, body.bytes());
        while let Some(byte) = bytes.next() {
            match byte {
                b'\\' => drop(bytes.next()),
                b'%' => drop(bytes.find(|byte| *byte == b'\n')),
                b'{' => depth = depth.map(|depth| depth + 1),
                b'}' => depth = depth.and_then(|depth| depth.checked_sub(1)),
                b'$' => dollars += 1,
                _ => {}
            }
        }
        let fits = depth == Some(0) && dollars % 2 == 0;
        let is_plain = !WITHIN.iter().any(|within| body.contains(within));
        let length = found.unwrap_or(rest.len());
        self.judged += length;
        !fits && is_plain
    }

    /// Whether the rest of the file may be searched: in total only a few times the bytes read, so that the time stays linear.
    fn may_judge(&self) -> bool {
        self.at_file() && self.judged <= 4 * self.loading.bytes + LONGEST
    }

    /// Opens an environment's group.
    pub(super) fn enter(&mut self, name: u32, after: After, token: Token) {
        self.open_group(GroupKind::Environment(name), after, token);
        *self.open.entry(name).or_default() += 1;
        let name = self.names.shared(name);
        let outer = self.writer.environments.last();
        let environment = Environment {
            name: Arc::clone(&name),
            place: self.place(token),
            section: self.writer.section,
            outer: outer.map(|(number, _)| *number),
        };
        self.writer.enter(self.doc.environments.len(), name);
        self.doc.environments.push(environment);
    }

    pub(super) fn end_environment(&mut self, token: Token, _: How) {
        let index = self.named("");
        if self.names.text(index) == "document" {
            return self.end_document(token, "");
        }
        if let Some(inner) = self.in_argument() {
            // In the argument of an unknown command: the code there began the environment elsewhere.
            let mut inner = self.groups.iter().rev().take(inner);
            if !inner.any(|group| group.kind == GroupKind::Environment(index)) {
                return;
            }
        }
        if !self.is_entered(index) {
            let name = self.names.text(index);
            let message = format!("`\\end{{{name}}}` has no `\\begin{{{name}}}`");
            return self.problem_at(ProblemKind::ExtraEnd, token, message);
        }
        if let Some(Env::Own(begin, end)) = self.environments.get(&index).cloned()
            && self.follows(&begin, &end)
        {
            self.unread(token.with(Kind::EndEnvironment(index)));
            self.expand_known(token, index, &end);
        } else {
            self.leave(index, token);
        }
    }

    /// Ends the innermost environment of a name, and everything open inside it.
    pub(super) fn leave(&mut self, index: u32, token: Token) {
        if self.is_entered(index) {
            self.unwind(token, |kind| kind == GroupKind::Environment(index));
            self.close_group(token);
        }
    }

    /// Whether an environment of a name is open.
    pub(super) fn is_entered(&self, index: u32) -> bool {
        self.open.get(&index).is_some_and(|count| *count > 0)
    }

    fn begin_document(&mut self, token: Token) {
        if self.preamble {
            self.preamble = false;
            self.style = Style::default().set(self.style.bits & style::ROUNDED, 0);
            let hooks = std::mem::take(&mut self.begin_hooks);
            self.unread_all(&hooks);
            if self.frames_only {
                let message = "`ignorenonframetext` hides text outside frames; which text that is, is not decided here";
                self.doubt_file(token, message);
            }
        }
    }

    pub(super) fn end_document(&mut self, token: Token, _: How) {
        if self.is_doubtful() {
            // It stands behind an undecided condition.
            return self.doubt_file(token, "it is not decided here whether the document ends");
        }
        if !self.end_hooks.is_empty() {
            let hooks = std::mem::take(&mut self.end_hooks);
            let end = self.name_token("enddocument", token);
            self.unread(end);
            return self.unread_all(&hooks);
        }
        let is_part = self.frames.len() > 1 && self.file().is_some_and(|file| file.own);
        if is_part {
            self.skip_bytes(self.rest_of_file().len());
        }
        self.finished |= !is_part;
    }

    /// `\endinput`: nothing more of this file after the current line, which TeX has already read.
    pub(super) fn end_input(&mut self, token: Token, _: How) {
        if self.is_doubtful() {
            self.doubt_file(token, "it is not decided here whether the file ends");
        } else if let Some(file) = self.file_mut() {
            // The line end right after a control sequence was already read with it.
            let rest = if file.fresh { "" } else { file.rest() };
            file.end = file.pos + rest.find('\n').unwrap_or(rest.len());
        }
    }

    /// Starts a displayed formula: a block of its own in running text, part of the block elsewhere.
    pub(super) fn begin_display(&mut self, token: Token, environment: Option<u32>) {
        let running = !self.writer.fixed();
        if running {
            self.paragraph(token);
        } else {
            self.space(token);
        }
        match environment {
            Some(name) => self.enter(name, After::Display, token),
            None => self.open_group(GroupKind::Math, After::Display, token),
        }
        self.alignments.push(None);
        self.begin_formula(style::DISPLAY, style::MATH);
        if running {
            self.writer.flow = Some(&BlockKind::DisplayMath);
        }
    }

    /// `\begin{filecontents}[options]{refs.bib}`: the text up to the end is a file.
    fn write_file(&mut self, name: &str) {
        let options = self.optional().unwrap_or_default();
        let options = self.raw(&options);
        let overwrites = options.contains("overwrite") || options.contains("force");
        let path = path::normalise(&self.name_argument());
        let here = self.here();
        let rest = self.rest_of_file();
        if let Some(length) = rest.find(&end_of(name)) {
            // The file begins on the next line.
            let begin = rest.split_once('\n').map_or("", |(line, _)| line);
            let is_blank = begin.trim().is_empty();
            let before = if is_blank { begin.len() + 1 } else { 0 };
            let start = here.offset + before.min(length);
            let (file, body) = (here.file, start..here.offset + length);
            self.doc.written.push(Written {
                path,
                file,
                body,
                overwrites,
            });
        }
    }

    /// A listing: its source is dropped, its caption is read.
    fn raw_environment(&mut self, name: &str, token: Token) {
        let is_listing = self.rest_of_file().starts_with('[');
        let options = is_listing.then(|| self.optional()).flatten();
        let options = options.unwrap_or_default();
        self.unread_environment(name, Some(&self.raw(&options)), token);
        self.skip_raw(name, token);
        let caption = self.titles(&options).unwrap_or_default();
        if !caption.is_empty() {
            self.unread_group(token, &caption);
            self.begin_caption(token, Some(name.to_owned()));
        }
    }

    /// Drops a hidden environment that is written as commands, `\comment … \endcomment`; returns whether it was one.
    pub(super) fn skip_hidden(&mut self, name: u32) -> bool {
        let is_hidden = matches!(self.environments.get(&name), Some(Env::Known("hidden", _)));
        if !is_hidden || !self.may_judge() {
            return false;
        }
        let end = format!("\\end{}", self.names.text(name));
        let rest = self.rest_of_file();
        let is_whole = |at: &usize| {
            let behind = rest.get(at + end.len()..).unwrap_or("");
            !behind.starts_with(|c: char| c.is_ascii_alphabetic())
        };
        let mut found = rest.match_indices(&end).map(|(at, _)| at);
        let length = found.find(is_whole).map(|at| at + end.len());
        self.judged += length.unwrap_or(rest.len());
        if let Some(length) = length {
            self.skip_bytes(length);
        }
        length.is_some()
    }

    /// Drops a verbatim or comment environment up to its end.
    pub(super) fn skip_raw(&mut self, name: &str, token: Token) {
        let end = end_of(name);
        let is_found = if self.at_file() {
            let rest = self.rest_of_file();
            let found = rest.find(&end).map(|at| at + end.len());
            let length = found.unwrap_or(rest.len());
            self.skip_bytes(length);
            found.is_some()
        } else {
            loop {
                let token = self.next();
                if token.kind == Kind::Stop {
                    break false;
                }
                if self.what(token) == "end_environment" {
                    let tokens = self.argument();
                    if self.raw(&tokens) == name {
                        break true;
                    }
                }
            }
        };
        if !is_found {
            let message =
                format!("`\\begin{{{name}}}` has no `{end}`; the rest of the file is not read");
            self.problem_at(ProblemKind::UnclosedEnvironment, token, message);
        }
    }
}
