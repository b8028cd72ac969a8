//! Files that are named but not read here (graphics, data, bibliographies), and the packages and classes in the paper's folder:
//! their definitions count, their text is never shown.
//!
//! A style file is not run, because its conditionals, options and hooks depend on what is installed. It is searched for
//! definitions, including those inside conditionals.

use super::{Cmd, How, Kind, Letters, Meaning, Reader, Role, Token, is_evaluated, style, suffixed};
use crate::{Holds, Include, IncludeKind, IncludeOutcome, Label, Place, ProblemKind, path};

/// Extensions that graphics drivers guess, in the order of pdfTeX's `\DeclareGraphicsExtensions`, then those of
/// the DVI drivers and `\includesvg`.
const GRAPHICS: [&str; 8] = [
    ".pdf", ".png", ".jpg", ".jpeg", ".mps", ".eps", ".ps", ".svg",
];
/// Total bytes of candidate paths. Beyond it, graphics are tried only under the name as written.
const MAX_CANDIDATE_BYTES: usize = 64 << 20;

impl Reader<'_> {
    /// `\addplot table[…] {file};`
    pub(super) fn plot_data(&mut self, token: Token, _: How) {
        let mut is_table = false;
        for _ in 0..32 {
            let next = self.next();
            match next.kind {
                Kind::Word if self.text(next) == "table" => is_table = true,
                Kind::Word if self.text(next) == "[" => {
                    self.unread(next);
                    if self.optional().is_none() {
                        return;
                    }
                }
                Kind::Word if self.text(next).starts_with(['(', ';']) => return self.unread(next),
                Kind::Word | Kind::Space => {}
                Kind::Begin if is_table => {
                    self.unread(next);
                    let (name, known) = self.file_name();
                    let is_file = !name.is_empty() && !name.contains([' ', '\n', '\\']);
                    if is_file || !known {
                        let file = std::slice::from_ref(&name);
                        self.record(IncludeKind::Data, self.place(token), &name, known, file);
                    }
                    return;
                }
                _ => return self.unread(next),
            }
        }
    }

    /// The file that `listing file=` names among the keys of an argument, and whether its name is known.
    fn file_key(&mut self) -> (String, bool) {
        let keys = self.argument();
        let keys = self.flat(&keys);
        let mut keys = keys.split(',').filter_map(|key| key.split_once('='));
        let file = keys.find(|(key, _)| key.trim().ends_with("file"));
        let name = file.map(|(_, name)| name.trim().to_owned());
        let known = name.as_deref().is_some_and(is_evaluated);
        (name.unwrap_or_default(), known)
    }

    /// A file that is printed as a table or a listing. `how` is the word of `commands.txt`: for `table` an argument follows the
    /// file's name, for `row` the columns and the text of each row, which the data fill.
    pub(super) fn printed_file(&mut self, token: Token, kind: IncludeKind, how: &str) {
        let (name, known) = match how {
            "keys" => self.file_key(),
            // `\openin\file=name`
            "open" => {
                drop(self.argument());
                self.drop_sign('=');
                self.file_name()
            }
            _ => self.file_name(),
        };
        let place = self.place(token);
        // A table macro (`\pgfplotstabletypeset\data`) is no file, nor is data written in place.
        let is_name = !name.is_empty() && !name.contains(['\n', '&']) && !name.contains("  ");
        if is_name || !known {
            let ended = if how == "pdf" { ".pdf" } else { "" };
            self.record(kind, place, &name, known, &[suffixed(&name, ended)]);
        }
        let is_macro = name.is_empty() && kind == IncludeKind::Data && how.is_empty();
        let is_printed = is_name && !matches!(how, "name" | "table" | "open") || is_macro;
        if is_printed && known && !self.style.has(style::MUTE) {
            // Citations may stand in data; a listing prints commands as they are.
            let holds = Holds::new(true, kind == IncludeKind::Data);
            let what = if is_macro {
                "a table"
            } else {
                &format!("`{name}`")
            };
            let message = format!("{what} is printed here and not read");
            self.problem(ProblemKind::UnreadText(holds), place, message);
        }
        match how {
            // `\mytable` names the loaded data from here on, not a file.
            "table" => {
                let named = self.argument();
                if let Some(name) = named.first().and_then(|token| token.name()) {
                    self.set_meaning(name, Meaning::Known(Cmd::free("nothing", "")));
                }
            }
            "row" => drop((self.argument(), self.braced())),
            _ => {}
        }
    }

    pub(super) fn graphics(&mut self, token: Token, _: How) {
        let (name, known) = self.file_name();
        let mut names = Vec::new();
        if known {
            let is_full = self.loading.candidate_bytes >= MAX_CANDIDATE_BYTES;
            let is_ended = is_full || GRAPHICS.iter().any(|ending| name.ends_with(ending));
            let endings = GRAPHICS.into_iter().filter(|_| !is_ended);
            let whole = (is_full || path::has_extension(&name)).then_some("");
            let endings: Vec<&str> = whole.into_iter().chain(endings).collect();
            let folders = self.loading.graphics.iter().filter(|_| !is_full);
            for folder in [""].into_iter().chain(folders.map(String::as_str)) {
                let endings = endings.iter();
                names.extend(endings.map(|ending| [folder, &name, *ending].concat()));
            }
        }
        let place = self.place(token);
        self.record(IncludeKind::Graphics, place, &name, known, &names);
    }

    /// Lists a file that is not read here. `known`: whether all of its name is evaluated; `names`: the file names to try.
    pub(super) fn record(
        &mut self,
        kind: IncludeKind,
        at: Place,
        name: &str,
        known: bool,
        names: &[String],
    ) {
        let tried = self.candidates(names);
        self.loading.candidate_bytes += tried.iter().map(String::len).sum::<usize>();
        let mut include = Include::new(kind, at, name, tried);
        include.outcome = IncludeOutcome::NotRead;
        if !known {
            include.outcome = IncludeOutcome::Unresolved;
            let message =
                format!("the file name `{name}` holds a macro that the document does not define");
            self.doubt_holds(Holds::ALL);
            self.problem(ProblemKind::MissingInclude, at, message);
        }
        include.doubt = self.cause();
        self.doc.includes.push(include);
    }

    /// `\usepackage[options]{a,b}`, `\documentclass{c}`. Files that are not in the paper's folder count as installed.
    pub(super) fn packages(&mut self, kind: IncludeKind) {
        let options = self.optional().unwrap_or_default();
        self.frames_only |= self.raw(&options).contains("ignorenonframetext");
        let tokens = self.argument();
        let mut names = self.keys(&tokens);
        drop(self.optional());
        let is_class = kind == IncludeKind::Class;
        for name in &mut names {
            name.key.push_str(if is_class { ".cls" } else { ".sty" });
        }
        if is_class && self.frames.len() <= 1 && names.iter().any(|name| name.key == "subfiles.cls")
        {
            self.main_preamble(&options);
        }
        self.loads_bibliographies(&names, &options);
        self.follow(kind, &names);
    }

    /// Opens the style files that exist and were not read before, so that the first is read first.
    fn follow(&mut self, kind: IncludeKind, names: &[Label]) {
        let mut files = Vec::new();
        for Label { key: name, place } in names {
            let candidates = self.candidates(std::slice::from_ref(name));
            let target = name.trim_end_matches(".sty").trim_end_matches(".cls");
            let mut include = Include::new(kind, *place, target, candidates);
            self.locate(&mut include);
            match include.outcome {
                IncludeOutcome::Missing => {
                    self.loading.installed |= !OWN.contains(&name.as_str());
                    continue;
                }
                IncludeOutcome::Read { file } if !self.loading.styles.insert(file) => continue,
                IncludeOutcome::Read { file } => files.push((file, include.clone())),
                _ => {}
            }
            self.doc.includes.push(include);
        }
        for (file, include) in files.into_iter().rev() {
            self.open_file(file, None, &include);
            self.styles += 1;
            self.letters = Letters {
                at: true,
                expl: false,
            };
        }
    }

    /// Handles one token of a style file: only definitions and requests for files count.
    pub(super) fn read_style(&mut self, token: Token) {
        let Some(cmd) = self.cmd(token) else { return };
        match cmd.what {
            "input" | "input_if_exists" => {
                let place = self.place(token);
                let (name, _) = self.file_name();
                let names = path::tex_candidates(&name).into_iter();
                let names: Vec<Label> = names.map(|key| Label { key, place }).collect();
                self.follow(IncludeKind::Package, &names);
            }
            "bibliography" => self.style_bibliography(cmd.how),
            "if" if cmd.how == "false" => drop(self.skip_branch(token, true)),
            // In the middle of a line it may stand behind a condition: ignored.
            "end_input"
                if !matches!(self.before(token).bytes().next_back(), None | Some(b'\n')) => {}
            _ if cmd.role == Role::Defines => self.command(token, cmd),
            // Code for the beginning or end of the document is not run, but searched like the rest.
            "at_begin" | "atend" if cmd.how == "searched" => {
                let tokens = self.argument();
                let styles = std::mem::take(&mut self.styles);
                self.unread_argument(token, &tokens, false);
                self.styles = styles;
                self.unread_all(&tokens);
            }
            _ => {}
        }
    }

    /// Whether the reader knows every command of a macro's body, and the body ends no environment that it has not begun. An
    /// unknown command in a style file mostly inspects what follows, or computes; expanding it would show text that nobody sees.
    ///
    /// An unbalanced `\end` is one of a larger construction: `\newauthor` of a class goes on with its table of authors.
    pub(super) fn is_understood<'t>(&self, body: impl IntoIterator<Item = &'t Token>) -> bool {
        let mut open = 0;
        body.into_iter().all(|token| {
            match self.what(*token) {
                "begin_environment" => open += 1,
                "end_environment" => open -= 1,
                "opaque" => return false,
                _ => {}
            }
            open >= 0 && !self.is_unknown(*token)
        })
    }
}

/// LaTeX's own classes: they define no commands besides those that the reader knows.
const OWN: [&str; 3] = ["article.cls", "report.cls", "book.cls"];
