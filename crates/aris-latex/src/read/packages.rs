//! Packages and classes that the paper brings along: their definitions count, and nothing of them is shown.
//!
//! A style file is not run: conditionals, options and hooks depend on what is installed. It is searched for definitions, whatever
//! they stand in.

use super::{Kind, Letters, Reader, Role, Token};
use crate::{Include, IncludeKind, IncludeOutcome, Label, path};

/// The classes of LaTeX itself: their commands are those that every document knows.
const OWN: [&str; 3] = ["article.cls", "report.cls", "book.cls"];

impl Reader<'_> {
    /// `\usepackage[options]{a,b}`, `\documentclass{c}`. What the paper folder does not hold is installed and no concern of ours.
    pub(super) fn packages(&mut self, kind: IncludeKind) {
        let options = self.optional().unwrap_or_default();
        self.frames_only |= self.raw(&options).contains("ignorenonframetext");
        let tokens = self.argument();
        let mut names = self.keys(&tokens);
        self.skip_optional();
        let is_class = kind == IncludeKind::Class;
        for name in &mut names {
            name.key.push_str(if is_class { ".cls" } else { ".sty" });
        }
        self.follow(kind, &names);
    }

    /// Opens the files that exist and were not read before, the first on top.
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

    /// What a token of a style file defines.
    pub(super) fn read_style(&mut self, token: Token) {
        let Some(cmd) = self.cmd(token) else {
            return;
        };
        match cmd.what {
            "input" | "inputif" => {
                let place = self.place(token);
                let (name, _) = self.file_name();
                let names = path::tex_candidates(&name).into_iter();
                let names: Vec<Label> = names.map(|key| Label { key, place }).collect();
                self.follow(IncludeKind::Package, &names);
            }
            "bibliography" => self.style_bibliography(),
            "if" if cmd.how == "false" => drop(self.skip_branch(token, true)),
            // Behind a condition it may end the file or not.
            "endinput" if !self.begins_line(token) => {}
            _ if cmd.role == Role::Defines => self.command(token, cmd),
            "atbegin" | "atend" if cmd.how == "searched" => self.hook(token),
            _ => {}
        }
    }

    /// What a style file sets where the document begins or ends is not run; it is searched like the rest.
    fn hook(&mut self, token: Token) {
        let tokens = self.argument();
        let styles = std::mem::take(&mut self.styles);
        self.unread_argument(token, &tokens, false);
        self.styles = styles;
        self.unread_all(&tokens);
    }

    /// A bibliography that a style file or a class names, itself or for the end of the document. Where a name stands in what a macro
    /// is made of, or is defined, no plain name of a file follows.
    fn style_bibliography(&mut self) {
        self.skip_optional();
        if self.peek_after_space().kind != Kind::Begin {
            return;
        }
        let tokens = self.argument();
        let is_plain = |token: &Token| matches!(token.kind, Kind::Word | Kind::Sub | Kind::Space);
        if tokens.iter().all(is_plain) {
            self.bibliographies(&tokens);
        }
    }

    fn begins_line(&self, token: Token) -> bool {
        let before = self.before(token);
        before.is_empty() || before.ends_with('\n')
    }

    /// Whether the reader knows everything that a macro is made of. What it does not know in a style file is code that looks at
    /// what follows, or computes; expanded, it would show what nobody sees.
    ///
    /// Nor is what ends an environment that it has not begun: `\newauthor` of a class goes on with its table of authors.
    pub(super) fn is_understood<'t>(&self, body: impl IntoIterator<Item = &'t Token>) -> bool {
        let mut open = 0;
        body.into_iter().all(|token| {
            match self.what(*token) {
                "begin" => open += 1,
                "end" => open -= 1,
                "opaque" => return false,
                _ => {}
            }
            open >= 0 && !self.is_unknown(*token)
        })
    }
}
