//! LaTeX documents and excerpts without a preamble, read by `aris-latex`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use aris_latex::{Block, BlockKind, Document, IncludeKind, Loaded, Loader, MarkKind, ProblemKind};

use super::mark::{self, Mark, Source};
use super::passage::{MaskKind, Passage, PassageKind, before};
use super::{Keyed, Lines, Place, Places, Prose, References, finish};

/// Put before an excerpt, on its first line, so that all of it counts as visible text.
const OPENING: &str = r"\begin{document}";

pub(super) fn read(
    file: &str,
    text: &str,
    loader: &mut Loader<'_>,
    lines: Lines,
) -> Result<Prose, aris_latex::Error> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let own: Arc<str> = if begins(text) {
        Arc::from(text)
    } else {
        Arc::from(format!("{OPENING}{text}"))
    };
    // The reader asks for included files by normalised paths, but for this document by its own name.
    let root = file.rsplit('/').next().unwrap_or(file).to_owned();
    let mut with_own = |path: &str| {
        if path == root {
            Loaded::Text(Arc::clone(&own))
        } else {
            loader(path)
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
    let position = |at: aris_latex::Place| place(&document, at, &lines);
    let cited = document.citations.iter().filter(|cited| cited.key != "*");
    let includes = document.includes.iter();
    let files = includes.filter(|include| include.kind == IncludeKind::Bibliography);
    let included = document
        .includes
        .iter()
        .filter(|include| match include.kind {
            IncludeKind::Input
            | IncludeKind::Include
            | IncludeKind::Subfile
            | IncludeKind::Import
            | IncludeKind::Package
            | IncludeKind::Class => true,
            IncludeKind::Bibliography
            | IncludeKind::Graphics
            | IncludeKind::Data
            | IncludeKind::Listing => false,
        });
    let included = included.flat_map(|include| &include.candidates);
    let included = included.map(|path| lexical(Path::new(folder).join(path)));
    let references = References {
        cited: cited
            .map(|cited| Keyed::new(&cited.key, position(cited.place)))
            .collect(),
        items: items(&document),
        all_cited: document.nocite_all(),
        cased: document.biber == Some(true),
        files: files.map(|include| include.candidates.clone()).collect(),
        included: included.collect(),
        ..References::default()
    };
    let problems = document.problems.iter();
    let problems = problems.filter(|problem| hides_text(problem.kind));
    let problems = problems.map(|problem| {
        let at = position(problem.place);
        format!("{}:{}: {}", at.file, at.line, problem.message)
    });
    let problems = problems.collect();
    let known = marks(&document);
    let mut passages: Vec<Passage> = document.blocks.iter().map(passage).collect();
    let marks = finish(&mut passages, known, false);
    let headings = || document.headings.iter();
    let files = document.files.iter().map(|source| source.path.clone());
    Ok(Prose {
        passages,
        sections: headings().map(|heading| heading.title.clone()).collect(),
        marks,
        references,
        front_matter: None,
        whole: true,
        files: files.collect(),
        problems,
        levels: headings().map(|heading| heading.level).collect(),
        lines,
        places: Places::Latex(Box::new(document)),
    })
}

/// A path without `.` and `..`, as findings show it.
fn lexical(path: impl AsRef<Path>) -> String {
    crate::disk::name(&aris_fs::lexical(path.as_ref()))
}

/// Lines with text or citations that may not be typeset (for example inside an undecided conditional).
pub(super) fn doubtful(document: &Document, lines: &Lines) -> BTreeSet<Place> {
    let citations = document.citations.iter();
    let citations = citations.filter(|citation| citation.doubt.is_some());
    let mut places: Vec<_> = citations.map(|citation| citation.place).collect();
    for block in &document.blocks {
        let pieces = block.pieces();
        let pieces = pieces.filter(|piece| block.doubt(&piece.text).is_some());
        places.extend(pieces.map(|piece| piece.place));
    }
    let places = places.into_iter();
    places.map(|at| place(document, at, lines)).collect()
}

/// Whether a problem of this kind may hide text.
fn hides_text(kind: ProblemKind) -> bool {
    match kind {
        // An extra brace or `\end` hides nothing.
        ProblemKind::ExtraBrace | ProblemKind::ExtraEnd => false,
        ProblemKind::UnclosedGroup
        | ProblemKind::UnclosedEnvironment
        | ProblemKind::UnclosedMath
        | ProblemKind::UnclosedConditional
        | ProblemKind::MissingInclude
        | ProblemKind::IncludeCycle
        | ProblemKind::Expansion
        | ProblemKind::UndefinedMacro
        | ProblemKind::UnreadText(_)
        | ProblemKind::Undecided(_)
        | ProblemKind::NoDocument => true,
    }
}

fn passage(block: &Block) -> Passage {
    let kind = match &block.kind {
        BlockKind::Abstract => PassageKind::Abstract,
        BlockKind::Paragraph | BlockKind::ListItem | BlockKind::Footnote => PassageKind::Text,
        BlockKind::Title | BlockKind::Heading { .. } => PassageKind::Heading,
        BlockKind::Caption { .. } => PassageKind::Caption,
        BlockKind::Cell { .. } => PassageKind::Cell,
        BlockKind::DisplayMath
        | BlockKind::FrontMatter
        | BlockKind::Keywords
        | BlockKind::BibItem => PassageKind::Other,
    };
    let masks = block.marks.iter().filter_map(|mark| {
        let kind = match mark.kind {
            MarkKind::Cite { .. } => MaskKind::Cite,
            MarkKind::Ref => MaskKind::Reference,
            MarkKind::Url | MarkKind::Code => MaskKind::Code,
            MarkKind::Math => MaskKind::Math,
            _ => return None,
        };
        Some((mark.range.clone(), kind))
    });
    Passage {
        kind,
        text: block.text.clone(),
        masks: masks.collect(),
        section: block.section,
    }
}

/// Whether a line outside comments begins the document.
fn begins(text: &str) -> bool {
    text.lines().any(|line| {
        let at = line.find(OPENING);
        at.is_some_and(|at| !before(line, at).replace(r"\%", "").contains('%'))
    })
}

pub(super) fn place(document: &Document, at: aris_latex::Place, lines: &Lines) -> Place {
    let position = document.position(at);
    Place {
        file: position.path,
        // Excerpts do not follow includes, so the line belongs to this file.
        line: lines.number(position.line),
    }
}

/// The citation marks of LaTeX commands. The n-th footnote mark of a block belongs to the n-th footnote after it.
fn marks(document: &Document) -> Vec<Vec<Mark>> {
    let blocks = || document.blocks.iter().enumerate();
    let is_footnote = |(_, block): &(usize, &Block)| block.kind == BlockKind::Footnote;
    let footnotes: Vec<(usize, &Block)> = blocks().filter(is_footnote).collect();
    let marks = blocks().map(|(at, block)| {
        let first = footnotes.partition_point(|(footnote, _)| *footnote <= at);
        let mut behind = footnotes.get(first..).unwrap_or(&[]).iter();
        let mark = |mark: &aris_latex::Mark| {
            let source = match &mark.kind {
                MarkKind::Cite { keys, .. } => {
                    let keys = keys.iter().map(|key| key.trim());
                    Source::of_keys(keys.filter(|key| *key != "*"))?
                }
                MarkKind::FootnoteMark => match behind.next() {
                    Some((_, note)) if !names_source(note) => return None,
                    note => Source::Footnote(
                        note.map_or_else(String::new, |(_, note)| note.text.clone()),
                    ),
                },
                _ => return None,
            };
            let range = mark.range.clone();
            Some(Mark { range, source })
        };
        block.marks.iter().filter_map(mark).collect()
    });
    marks.collect()
}

/// The entries of `thebibliography` by key, each with the text after its key.
fn items(document: &Document) -> BTreeMap<String, String> {
    let mut items: BTreeMap<String, String> = BTreeMap::new();
    for item in &document.bibitems {
        items.entry(item.key.clone()).or_default();
    }
    for block in &document.blocks {
        let Some(first) = block.pieces().next() else {
            continue;
        };
        let before = document
            .bibitems
            .iter()
            .filter(|item| item.place <= first.place);
        let item = before.max_by_key(|item| item.place);
        if let (BlockKind::BibItem, Some(item)) = (&block.kind, item) {
            items
                .entry(item.key.clone())
                .or_default()
                .push_str(&block.text);
        }
    }
    items
}

/// Whether a footnote contains a source.
fn names_source(footnote: &Block) -> bool {
    let is_source =
        |mark: &aris_latex::Mark| matches!(mark.kind, MarkKind::Cite { .. } | MarkKind::Url);
    footnote.marks.iter().any(is_source) || mark::names_source(&footnote.text)
}
