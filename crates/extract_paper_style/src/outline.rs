//! The profile of a paper that is not LaTeX, from a sequence of headings, paragraphs and floats.

use std::collections::BTreeMap;

use crate::profile::{Basis, Captions, CitationStyle, Profile, Section, StatementKind};
use crate::prose::{self, Counter, Opaque};
use crate::role::Role;

/// One piece of a paper, in reading order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Piece {
    /// A heading.
    Heading {
        /// 1 for sections, 2 for subsections.
        level: u8,
        title: String,
        numbered: bool,
    },
    /// A paragraph or a list item.
    Text { text: String, opaque: Vec<Opaque> },
    /// A figure, with its caption if it has one.
    Figure(Option<String>),
    /// A table, with its caption if it has one.
    Table(Option<String>),
    /// A theorem, a proof or the like.
    Statement(StatementKind),
}

/// Measures the pieces of a paper.
pub(crate) fn profile(basis: Basis, pieces: &[Piece], style: CitationStyle) -> Profile {
    let opening = Section {
        conventional: true,
        ..Section::default()
    };
    let mut parts = vec![(opening, Counter::default())];
    let mut roles = Vec::new();
    let mut captions = Captions::default();
    let words = |caption: &Option<String>| Some(prose::words(caption.as_deref()?, &[]));
    let mut statements: BTreeMap<StatementKind, usize> = BTreeMap::new();
    for piece in pieces {
        let Some((section, counter)) = parts.last_mut() else {
            continue;
        };
        match piece {
            Piece::Heading {
                level,
                title,
                numbered,
            } => {
                let (role, conventional) = Role::of(title);
                roles.push(role);
                if *level > 1 {
                    section.subsections += usize::from(*level == 2);
                    counter.close();
                    continue;
                }
                let after_references = parts
                    .iter()
                    .any(|(section, _)| section.appendix || section.is_bibliography());
                let section = Section {
                    role,
                    conventional,
                    title_words: prose::words(title, &[]),
                    numbered: Some(*numbered),
                    appendix: role == Role::Appendix
                        || after_references && role != Role::Statements,
                    ..Section::default()
                };
                parts.push((section, Counter::default()));
            }
            Piece::Text { text, opaque } => {
                if !section.is_bibliography() {
                    if !counter.goes_on_with(text) {
                        counter.close();
                        // The text of a PDF does not show where paragraphs end.
                        if basis != Basis::Pdf {
                            *section.paragraphs.get_or_insert(0) += 1;
                        }
                    }
                    counter.read(text, opaque);
                }
            }
            Piece::Figure(caption) => {
                *section.figures.get_or_insert(0) += 1;
                captions.figures.extend(words(caption));
            }
            Piece::Table(caption) => {
                *section.tables.get_or_insert(0) += 1;
                captions.tables.extend(words(caption));
            }
            Piece::Statement(kind) => {
                *section.statements.get_or_insert(0) += 1;
                *statements.entry(*kind).or_insert(0) += 1;
            }
        }
    }
    let mut profile = Profile {
        citation_style: style,
        ..Profile::of(basis, parts, statements, captions)
    };
    let is_one = |section: &Section| section.role != Role::Opening || section.words > 0;
    profile.sections.retain(is_one);
    profile.find_cues(&roles);
    profile
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heading(level: u8, title: &str) -> Piece {
        Piece::Heading {
            level,
            title: title.to_owned(),
            numbered: true,
        }
    }

    fn text(text: &str) -> Piece {
        Piece::Text {
            text: text.to_owned(),
            opaque: Vec::new(),
        }
    }

    #[test]
    fn pieces_become_sections() {
        let pieces = [
            heading(1, "Introduction"),
            text("One two. Three goes"),
            text("on here. Four."),
            Piece::Figure(Some(String::from("A small caption"))),
            heading(1, "Gadgets"),
            heading(2, "Limitations"),
            Piece::Statement(StatementKind::Lemma),
            heading(1, "References"),
            text("Not counted at all."),
            heading(1, "More gadgets"),
        ];
        let profile = profile(Basis::Pdf, &pieces, CitationStyle::Unknown);
        let sections: Vec<_> = profile
            .sections
            .iter()
            .map(|section| (section.role, section.words, section.appendix))
            .collect();
        assert_eq!(
            sections,
            [
                (Role::Introduction, 7, false),
                (Role::Body, 0, false),
                (Role::References, 0, false),
                (Role::Body, 0, true)
            ]
        );
        assert_eq!(profile.sentences.map(|spread| spread.count), Some(3));
        assert_eq!(profile.sections[0].figures, Some(1));
        assert_eq!(profile.sections[1].figures, None);
        assert_eq!(profile.statements[0].kind, StatementKind::Lemma);
    }
}
