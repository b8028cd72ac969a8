//! The profile: numbers and fixed words. No field can hold text of the source, so none can leak.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::prose::{Counter, Spread};
use crate::role::Role;

/// Schema id of [`Profile`].
pub(crate) const SCHEMA: &str = "aris.extract_paper_style.profile/v1";

/// What a profile was measured on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) enum Basis {
    /// LaTeX sources: everything is counted.
    Latex,
    /// The text of a PDF: headings and sentences are recognised by their looks; what is null cannot be known.
    Pdf,
    /// The elements of an HTML page; what is null cannot be known.
    Html,
}

/// How works are cited.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) enum CitationStyle {
    /// (Author, year).
    AuthorYear,
    /// [1].
    Numeric,
    /// [Ab12].
    Labels,
    /// Nothing says how.
    Unknown,
}

/// Kinds of statements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) enum StatementKind {
    Theorem,
    Lemma,
    Proposition,
    Corollary,
    Definition,
    Assumption,
    Remark,
    Example,
    Claim,
    Conjecture,
    Proof,
    /// Declared by the source, called something else.
    Other,
}

/// Every named kind: its plural in the profile, and the names of its environments; the first one is also looked for in printed
/// titles.
const STATEMENTS: [(StatementKind, &str, &str); 12] = {
    use StatementKind as Kind;
    [
        (Kind::Theorem, "Theorems", "theorem thm"),
        (Kind::Lemma, "Lemmas", "lemma lem"),
        (Kind::Proposition, "Propositions", "proposition prop"),
        (Kind::Corollary, "Corollaries", "corollary cor coro"),
        (Kind::Definition, "Definitions", "definition defn defi"),
        (Kind::Assumption, "Assumptions", "assumption assump ass"),
        (Kind::Assumption, "Assumptions", "hypothesis"),
        (Kind::Remark, "Remarks", "remark rem rmk"),
        (Kind::Example, "Examples", "example exmp"),
        (Kind::Claim, "Claims", "claim clm"),
        (Kind::Conjecture, "Conjectures", "conjecture conj"),
        (Kind::Proof, "Proofs", "proof pf"),
    ]
};

impl StatementKind {
    fn find(is_one: impl Fn(&str) -> bool) -> Option<Self> {
        let found = STATEMENTS.iter().find(|(_, _, names)| is_one(names));
        found.map(|(kind, ..)| *kind)
    }

    /// The kind of a statement with this name, whatever its case.
    pub(crate) fn named(name: &str) -> Option<Self> {
        Self::find(|names| names.split(' ').any(|own| own.eq_ignore_ascii_case(name)))
    }

    /// The kind of a statement from the title that is printed before it.
    pub(crate) fn titled(title: &str) -> Self {
        let title = title.to_lowercase();
        let printed = |names: &str| {
            let mut names = names.split(' ');
            names.next().is_some_and(|own| title.contains(own))
        };
        Self::find(printed).unwrap_or(Self::Other)
    }

    /// Its plural in the profile.
    pub(crate) fn plural(self) -> &'static str {
        let found = STATEMENTS.iter().find(|(kind, ..)| *kind == self);
        found.map_or("Statements of other kinds", |(_, plural, _)| plural)
    }
}

/// How many statements of a kind there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Statements {
    pub(crate) kind: StatementKind,
    pub(crate) count: usize,
}

/// One section with what belongs to it, subsections included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Section {
    /// What it is for.
    pub(crate) role: Role,
    /// Whether its heading is the conventional one for that; if not, it is the source's own and not repeated here.
    pub(crate) conventional: bool,
    /// Words of its heading.
    pub(crate) title_words: usize,
    /// Whether its heading has a number.
    pub(crate) numbered: Option<bool>,
    /// Whether it stands in the appendix.
    pub(crate) appendix: bool,
    /// Words of running text: paragraphs and lists, without headings, captions, tables, footnotes and displayed formulas.
    pub(crate) words: usize,
    /// Words of its sentences; null when there is no sentence.
    pub(crate) sentences: Option<Spread>,
    pub(crate) paragraphs: Option<usize>,
    pub(crate) subsections: usize,
    /// Headings inside a line, `\paragraph`.
    pub(crate) run_in_headings: Option<usize>,
    pub(crate) figures: Option<usize>,
    pub(crate) tables: Option<usize>,
    pub(crate) algorithms: Option<usize>,
    /// Statements of all kinds, proofs included.
    pub(crate) statements: Option<usize>,
    pub(crate) displayed_formulas: Option<usize>,
    pub(crate) inline_formulas: Option<usize>,
    /// Places where something is cited.
    pub(crate) citations: Option<usize>,
    pub(crate) footnotes: Option<usize>,
    pub(crate) lists: Option<usize>,
}

/// How often a citation is part of its sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Textual {
    /// `\citet`, `\textcite`.
    pub(crate) textual: usize,
    /// These, and `\citep`, `\parencite`.
    pub(crate) all: usize,
}

/// Structural habits that the sections' numbers do not show.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) enum Cue {
    /// A list in the introduction.
    ListInIntroduction,
    /// A heading for the contributions.
    ContributionsHeading,
    /// Related work stands before the method.
    RelatedWorkEarly,
    /// Related work stands after the results.
    RelatedWorkLate,
    /// A figure before the end of the introduction.
    EarlyFigure,
    /// A heading for the limitations.
    LimitationsHeading,
    /// A heading for ethics or broader impact.
    ImpactHeading,
    /// An appendix.
    Appendix,
    /// Titled paragraphs.
    RunInHeadings,
    /// Algorithms as floats.
    Algorithms,
    /// Most statements are followed by a proof.
    ProofsFollow,
}

/// A profile of one paper.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Profile {
    /// [`SCHEMA`].
    pub(crate) schema: &'static str,
    /// Version of the helper that measured it.
    pub(crate) version: &'static str,
    pub(crate) basis: Basis,
    /// Top-level sections in order, the abstract first.
    pub(crate) sections: Vec<Section>,
    /// Running text of the whole paper.
    pub(crate) words: usize,
    /// Words of the sentences of the whole paper; null when there is no sentence.
    pub(crate) sentences: Option<Spread>,
    /// Words of figure captions; null when there is none.
    pub(crate) figure_captions: Option<Spread>,
    /// Words of table captions; null when there is none.
    pub(crate) table_captions: Option<Spread>,
    /// Statements by kind, in a fixed order; kinds that are not found are left out. Whether they can be known the sections say.
    pub(crate) statements: Vec<Statements>,
    pub(crate) citation_style: CitationStyle,
    /// Different works that are cited.
    pub(crate) cited_works: Option<usize>,
    /// Citations as parts of sentences; null when the commands do not say.
    pub(crate) textual_citations: Option<Textual>,
    pub(crate) cues: Vec<Cue>,
}

/// Number of words of each caption.
#[derive(Default)]
pub(crate) struct Captions {
    pub(crate) figures: Vec<usize>,
    pub(crate) tables: Vec<usize>,
}

impl Section {
    /// Whether it is a list of references, which is not running text.
    pub(crate) fn is_bibliography(&self) -> bool {
        self.role == Role::References && self.conventional
    }
}

impl Profile {
    /// A profile from sections with their running text, statements and captions; everything else is unknown.
    pub(crate) fn of(
        basis: Basis,
        parts: Vec<(Section, Counter)>,
        statements: BTreeMap<StatementKind, usize>,
        captions: Captions,
    ) -> Self {
        let (mut sections, mut lengths) = (Vec::new(), Vec::new());
        for (mut section, counter) in parts {
            section.words = counter.words();
            let sentences = counter.sentences();
            lengths.extend_from_slice(&sentences);
            section.sentences = Spread::of(sentences);
            sections.push(section);
        }
        let statements = statements.into_iter();
        let statements = statements.map(|(kind, count)| Statements { kind, count });
        Self {
            schema: SCHEMA,
            version: env!("CARGO_PKG_VERSION"),
            basis,
            words: sections.iter().map(|section| section.words).sum(),
            sections,
            sentences: Spread::of(lengths),
            figure_captions: Spread::of(captions.figures),
            table_captions: Spread::of(captions.tables),
            statements: statements.collect(),
            citation_style: CitationStyle::Unknown,
            cited_works: None,
            textual_citations: None,
            cues: Vec::new(),
        }
    }

    /// The sum of a number over all sections; `None` if no section knows it.
    pub(crate) fn total(&self, of: impl Fn(&Section) -> Option<usize>) -> Option<usize> {
        let known = self.sections.iter().filter_map(of);
        known.reduce(|sum, number| sum + number)
    }

    /// Finds the habits from the sections and from the roles of all headings, including subsections.
    pub(crate) fn find_cues(&mut self, headings: &[Role]) {
        let roles: Vec<Role> = self.sections.iter().map(|section| section.role).collect();
        let position = |role| roles.iter().position(|own| *own == role);
        let has = |role| headings.contains(&role);
        let before =
            |one, other| matches!((position(one), position(other)), (Some(a), Some(b)) if a < b);
        let some = |of: fn(&Section) -> Option<usize>| self.total(of) > Some(0);
        let introduction = position(Role::Introduction);
        let lists = introduction.and_then(|at| self.sections.get(at)?.lists);
        let early_figures = introduction.map_or(0, |at| {
            let early = self.sections.iter().take(at + 1);
            early.filter_map(|section| section.figures).sum()
        });
        let count = |kinds: &[StatementKind]| -> usize {
            let found = self.statements.iter();
            let of_kind = found.filter(|found| kinds.contains(&found.kind));
            of_kind.map(|found| found.count).sum()
        };
        let proofs = count(&[StatementKind::Proof]);
        let proved = count(&[
            StatementKind::Theorem,
            StatementKind::Lemma,
            StatementKind::Proposition,
            StatementKind::Corollary,
        ]);
        let late = before(Role::Results, Role::RelatedWork)
            || before(Role::Experiments, Role::RelatedWork);
        let has_appendix = self.sections.iter().any(|section| section.appendix);
        let early = before(Role::RelatedWork, Role::Method);
        let found = [
            (lists > Some(0)).then_some(Cue::ListInIntroduction),
            has(Role::Contributions).then_some(Cue::ContributionsHeading),
            early.then_some(Cue::RelatedWorkEarly),
            late.then_some(Cue::RelatedWorkLate),
            (early_figures > 0).then_some(Cue::EarlyFigure),
            has(Role::Limitations).then_some(Cue::LimitationsHeading),
            has(Role::Impact).then_some(Cue::ImpactHeading),
            has_appendix.then_some(Cue::Appendix),
            some(|section| section.run_in_headings).then_some(Cue::RunInHeadings),
            some(|section| section.algorithms).then_some(Cue::Algorithms),
            (proofs > 0 && 2 * proofs >= proved).then_some(Cue::ProofsFollow),
        ];
        self.cues = found.into_iter().flatten().collect();
    }
}
