//! LaTeX: the reading of `aris-latex`, for whole documents and for parts that have no preamble.

use std::sync::Arc;

use aris_latex::{BlockKind, Document, IncludeKind, Loaded, Loader, MarkKind};

use super::{Keyed, Lines, Place, Places, Prose, References, finish};
use crate::mark::{Mark, Source};

/// Put before a part of a document, on its first line, so that all of it is visible text.
const OPENING: &str = r"\begin{document}";

pub(super) fn read(
    file: &str,
    text: &str,
    loader: &mut dyn Loader,
    lines: Lines,
) -> Result<Prose, aris_latex::Error> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let shift = if begins(text) { 0 } else { OPENING.len() };
    let own: Arc<str> = if shift == 0 {
        Arc::from(text)
    } else {
        Arc::from(format!("{OPENING}{text}"))
    };
    // The reader asks by normalised names; ours goes by its own.
    let root = file.rsplit('/').next().unwrap_or(file).to_owned();
    let mut with_own = |path: &str| {
        if path == root {
            Loaded::Text(Arc::clone(&own))
        } else {
            loader.load(path)
        }
    };
    let mut document = Document::read(&root, &mut with_own)?;
    let folder = file.rsplit_once('/').map_or("", |(folder, _)| folder);
    let name = |path: &str| {
        if folder.is_empty() {
            path.to_owned()
        } else {
            format!("{folder}/{path}")
        }
    };
    for source in &mut document.files {
        source.path = name(&source.path);
    }
    document.root = name(&document.root);
    let position = |at: aris_latex::Place| place(&document, at, shift, &lines);
    let references = References {
        cited: document
            .citations
            .iter()
            .filter(|citation| citation.key != "*")
            .map(|citation| Keyed {
                key: citation.key.clone(),
                place: position(citation.place),
            })
            .collect(),
        cited_numbers: Vec::new(),
        items: document
            .bibitems
            .iter()
            .map(|item| Keyed {
                key: item.key.clone(),
                place: position(item.place),
            })
            .collect(),
        listed_numbers: Vec::new(),
        all_cited: document.nocite_all,
        files: document
            .includes
            .iter()
            .filter(|include| include.kind == IncludeKind::Bibliography)
            .map(|include| include.candidates.clone())
            .collect(),
    };
    let problems = document
        .problems
        .iter()
        .map(|problem| {
            let at = position(problem.place);
            format!("{}:{}: {}", at.file, at.line, problem.message)
        })
        .collect();
    let known = marks(&document);
    let mut paper = aris_claims::latex::paper(&document);
    let marks = finish(&mut paper, known, false);
    Ok(Prose {
        paper,
        marks,
        references,
        front_matter: None,
        whole: true,
        files: document
            .files
            .iter()
            .map(|source| source.path.clone())
            .collect(),
        problems,
        levels: document
            .headings
            .iter()
            .map(|heading| heading.level)
            .collect(),
        places: Places::Latex {
            document: Box::new(document),
            shift,
            lines,
        },
    })
}

/// Whether a line that is no comment begins the document.
fn begins(text: &str) -> bool {
    text.lines().any(|line| {
        line.find(OPENING).is_some_and(|at| {
            !line
                .get(..at)
                .unwrap_or("")
                .replace(r"\%", "")
                .contains('%')
        })
    })
}

pub(super) fn place(
    document: &Document,
    at: aris_latex::Place,
    shift: usize,
    lines: &Lines,
) -> Place {
    let position = document.position(at);
    let first = at.file == 0;
    Place {
        file: position.path,
        line: if first {
            lines.number(position.line)
        } else {
            position.line
        },
        column: if first && position.line == 1 {
            position.column.saturating_sub(shift).max(1)
        } else {
            position.column
        },
    }
}

/// The marks that LaTeX commands make. The n-th footnote mark of a block belongs to the n-th footnote behind it.
fn marks(document: &Document) -> Vec<Vec<Mark>> {
    let footnotes: Vec<usize> = document
        .blocks
        .iter()
        .enumerate()
        .filter(|(_, block)| block.kind == BlockKind::Footnote)
        .map(|(at, _)| at)
        .collect();
    document
        .blocks
        .iter()
        .enumerate()
        .map(|(at, block)| {
            let first = footnotes.partition_point(|footnote| *footnote <= at);
            let mut behind = footnotes.get(first..).unwrap_or(&[]).iter();
            block
                .marks
                .iter()
                .filter_map(|mark| {
                    let source = match &mark.kind {
                        MarkKind::Cite { keys } => Source::Keys(keys.clone()),
                        MarkKind::FootnoteMark => {
                            let names_source = behind
                                .next()
                                .and_then(|footnote| document.blocks.get(*footnote))
                                .is_none_or(|footnote| {
                                    footnote.marks.iter().any(|mark| {
                                        matches!(mark.kind, MarkKind::Cite { .. } | MarkKind::Url)
                                    }) || crate::mark::names_source(&footnote.text)
                                });
                            if !names_source {
                                return None;
                            }
                            Source::Footnote
                        }
                        _ => return None,
                    };
                    Some(Mark {
                        range: mark.range.clone(),
                        source,
                    })
                })
                .collect()
        })
        .collect()
}
