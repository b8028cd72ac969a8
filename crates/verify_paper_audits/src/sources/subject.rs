//! Decides which files of a paper are the subject of which audit.

use std::path::Path;

use aris_latex::{Block, BlockKind, Document, MarkKind, ProblemKind};

/// Environments that occur only in papers with something to prove, with their usual short forms. **Source**: the applicability
/// rule of the proof and kill-argument audits.
const THEOREMS: &str =
    "theorem lemma proposition corollary proof IEEEproof thm lem prop cor restatable";

/// Parts of titles of declared statements that need a proof, as in `\newtheorem{satz}{Main Theorem}`. Definitions, remarks,
/// examples and boxes need none.
const TITLES: &str =
    "theorem théor teorem теорем 定理 lemm lema лемм 引理 proposi 命题 命題 corol korol 推论 satz";

/// The contents of a file that matter to audits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Holds {
    /// Theorems, proofs, or an unknown environment.
    pub proofs: bool,
    /// Citations or bibliography entries.
    pub citations: bool,
    /// Printed numbers.
    pub numbers: bool,
    /// Visible text.
    pub text: bool,
    /// A style, a class or the bindings of numbers: it can change the meaning of every other file.
    pub support: bool,
}

impl Holds {
    /// For a file that was not read, so that it may contain anything.
    pub(crate) const ALL: Self = Self {
        proofs: true,
        citations: true,
        numbers: true,
        text: true,
        support: false,
    };
    /// For a supporting file, see [`Holds::support`].
    pub(crate) const SUPPORT: Self = Self {
        proofs: false,
        citations: false,
        numbers: false,
        text: false,
        support: true,
    };

    /// Whether the file is a subject of the skill's audit; every file is a subject of an audit that the gate does not know.
    pub(crate) fn concerns(self, skill: &str) -> bool {
        match skill {
            "proof-checker" => self.proofs,
            "citation-audit" => self.citations,
            "paper-claim-audit" => self.numbers,
            _ => true,
        }
    }
}

/// The contents of each file of a document, in the order of [`Document::files`].
pub(super) fn of(document: &Document) -> Vec<Holds> {
    let mut files = vec![Holds::default(); document.files.len()];
    let mut mark = |file: usize, set: fn(&mut Holds)| files.get_mut(file).map(set);
    let citations = document.citations.iter().map(|citation| citation.place);
    for place in citations.chain(document.bibitems.iter().map(|item| item.place)) {
        mark(place.file, |holds| holds.citations = true);
    }
    for problem in &document.problems {
        let may_hold: fn(&mut Holds) = match problem.kind {
            // An undefined macro may print numbers.
            ProblemKind::UndefinedMacro => |holds| holds.numbers = true,
            ProblemKind::UnreadText(unread) | ProblemKind::Undecided(unread) => {
                match (unread.numbers, unread.citations) {
                    (true, true) => |holds| (holds.numbers, holds.citations) = (true, true),
                    (true, false) => |holds| holds.numbers = true,
                    (false, true) => |holds| holds.citations = true,
                    (false, false) => continue,
                }
            }
            // Text after it may not have been read.
            ProblemKind::Expansion | ProblemKind::UnclosedConditional => {
                |holds| *holds = Holds::ALL
            }
            // The text was read anyway; missing files are reported by the includes.
            ProblemKind::UnclosedGroup
            | ProblemKind::ExtraBrace
            | ProblemKind::UnclosedEnvironment
            | ProblemKind::ExtraEnd
            | ProblemKind::UnclosedMath
            | ProblemKind::MissingInclude
            | ProblemKind::IncludeCycle
            | ProblemKind::NoDocument => continue,
        };
        mark(problem.place.file, may_hold);
    }
    for block in &document.blocks {
        let mut environments = block.environments.iter();
        let proves = statement(document, block).is_some()
            || below_proof(document, block)
            || environments.any(|name| document.unknown_environments.contains(&**name));
        let counts = !matches!(
            block.kind,
            BlockKind::FrontMatter | BlockKind::Keywords | BlockKind::BibItem
        );
        if proves {
            mark(block.start.file, |holds| holds.proofs = true);
        }
        for piece in block.pieces() {
            let text = block.text.get(piece.text.clone()).unwrap_or("");
            mark(piece.place.file, |holds| holds.text = true);
            if proves {
                mark(piece.place.file, |holds| holds.proofs = true);
            }
            if counts && text.contains(|c: char| c.is_ascii_digit()) {
                mark(piece.place.file, |holds| holds.numbers = true);
            }
        }
        for (at, text, literal) in expanded(block) {
            if proves {
                mark(literal, |holds| holds.proofs = true);
            }
            let in_math = block.marks.iter().any(|mark| {
                let is_math = matches!(mark.kind, MarkKind::Math | MarkKind::DisplayMath);
                is_math && mark.range.contains(&at)
            });
            let is_formula = in_math || matches!(block.kind, BlockKind::DisplayMath);
            if counts && prints_number(text, is_formula) {
                mark(literal, |holds| holds.numbers = true);
            }
        }
    }
    for written in &document.written {
        let mut all = document.files.iter();
        let at = all.position(|file| file.path == written.path);
        let inner = at.and_then(|at| files.get(at)).copied().unwrap_or_default();
        // The bibliography file itself is not parsed here.
        let extension = Path::new(&written.path).extension();
        let is_bib = extension.is_some_and(|extension| extension.eq_ignore_ascii_case("bib"));
        if let Some(outer) = files.get_mut(written.file) {
            outer.proofs |= inner.proofs;
            outer.citations |= inner.citations || is_bib;
            outer.numbers |= inner.numbers;
            outer.text |= inner.text;
        }
    }
    files
}

/// Whether a title is that of a statement that needs a proof.
fn has_title(text: &str) -> bool {
    TITLES.split(' ').any(|known| text.contains(known))
}

/// The name of the theorem-like environment around a block.
pub(super) fn statement<'a>(document: &Document, block: &'a Block) -> Option<&'a str> {
    let wants_proof = |name: &str| {
        let mut declared = document.theorems.iter();
        THEOREMS.split(' ').any(|known| known == name)
            || declared.any(|theorem| {
                let title = theorem.title.to_lowercase();
                theorem.environment == name && has_title(&title)
            })
    };
    let mut names = block.environments.iter().map(|name| &**name);
    names.find(|name| wants_proof(name.trim_end_matches('*')))
}

/// Whether a block is below a heading such as "Proof of Theorem 1" or "Proofs".
fn below_proof(document: &Document, block: &Block) -> bool {
    let heading = block.section.and_then(|at| document.headings.get(at));
    heading.is_some_and(|heading| {
        let title = heading.title.to_lowercase();
        let title = title.trim_end_matches('.');
        let of = title
            .strip_prefix("proof of ")
            .or_else(|| title.strip_prefix("proofs of "));
        matches!(
            title,
            "proof" | "proofs" | "omitted proofs" | "missing proofs"
        ) || of.is_some_and(has_title)
    })
}

/// Text that macros expand to in a block: (offset in the block, text, index of the file in which it is written).
fn expanded(block: &Block) -> impl Iterator<Item = (usize, &str, usize)> {
    block.marks.iter().filter_map(|mark| match &mark.kind {
        MarkKind::Expanded { literal, .. } => {
            let text = block.text.get(mark.range.clone())?;
            Some((mark.range.start, text, literal.file))
        }
        _ => None,
    })
}

/// Whether a macro prints a number. Single digits in a formula do not count: they are indices and exponents.
fn prints_number(text: &str, is_formula: bool) -> bool {
    let is_number = |c: char| c.is_ascii_digit() || matches!(c, '.' | ',' | '%' | '-' | ' ');
    let mut runs = text.split(|c: char| !c.is_ascii_digit() && c != '.');
    let digits = |text: &str| text.bytes().filter(u8::is_ascii_digit).count();
    let least = if is_formula && !text.chars().all(is_number) {
        2
    } else {
        1
    };
    runs.any(|run| digits(run) >= least)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indices_of_a_formula_are_no_numbers() {
        for (text, is_formula, expected) in [
            ("84.7", false, true),
            ("9", true, true),
            ("x_2", true, false),
            ("x_2", false, true),
            ("p < 0.05", true, true),
            ("GateNet", false, false),
            ("L_{12}", true, true),
            ("x_1y_2", true, false),
        ] {
            assert_eq!(prints_number(text, is_formula), expected, "{text}");
        }
    }
}
