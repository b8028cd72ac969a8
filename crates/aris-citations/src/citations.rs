//! What the document cites, key by key, and whether each key leads anywhere.

use std::collections::{BTreeMap, BTreeSet};

use aris_latex::{Block, BlockKind, Document, Place, Position};
use aris_paper::bib::{Library, Loc, check};

use crate::finding::{Finding, Severity};
use crate::paper::Libraries;

/// Most characters of a source line that are quoted.
pub const QUOTE: usize = 160;

/// One cited key.
#[derive(Clone, Debug)]
pub struct Cited {
    /// The key.
    pub key: String,
    /// The number of the bibliographies in which it is looked up, in [`Libraries`].
    pub library: usize,
    /// Where it is cited, in reading order; empty when only `\nocite{*}` does.
    pub uses: Vec<Use>,
    /// What the key leads to.
    pub target: Target,
}

/// One citation.
#[derive(Clone, Debug)]
pub struct Use {
    /// Where it stands.
    pub position: Position,
    /// `cite`, `citep` and the like.
    pub command: String,
    /// The same place in the document, to quote it.
    pub place: Place,
    /// The cause of the doubt, if LaTeX may not print the citation.
    pub doubt: Option<Position>,
}

/// What a key leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// An entry of a bibliography.
    Entry(Loc),
    /// A `\bibitem`.
    Item(Position),
    /// Nothing.
    Nowhere,
}

/// Collects the cited keys in order of their first citation, with everything that `\nocite{*}` adds at the end.
pub(crate) fn collect(
    document: &Document,
    made: &BTreeMap<String, Position>,
    libraries: &Libraries<'_>,
) -> Vec<Cited> {
    let mut order: BTreeMap<(usize, &str), usize> = BTreeMap::new();
    let mut cited: Vec<Cited> = Vec::new();
    let made = made.iter().map(|(key, at)| (key.as_str(), at.clone()));
    let own = document.bibitems.iter().rev();
    let own = own.map(|item| (item.key.as_str(), document.position(item.place)));
    let notes = notes(document);
    let notes = notes.iter().map(|(key, at)| (key.as_str(), at.clone()));
    let items: BTreeMap<&str, Position> = notes.chain(made).chain(own).collect();
    for citation in document
        .citations
        .iter()
        .filter(|citation| citation.key != "*")
    {
        let place = Use {
            position: document.position(citation.place),
            command: citation.command.clone(),
            place: citation.place,
            doubt: citation.doubt.map(|cause| document.position(cause)),
        };
        let library = libraries.of(citation.ref_section);
        let index = *order
            .entry((library, citation.key.as_str()))
            .or_insert_with(|| {
                let key = citation.key.clone();
                let target = match (libraries.get(library).find(&key), items.get(key.as_str())) {
                    (Some(loc), _) => Target::Entry(loc),
                    (None, Some(position)) => Target::Item(position.clone()),
                    (None, None) => Target::Nowhere,
                };
                cited.push(Cited {
                    key,
                    library,
                    uses: Vec::new(),
                    target,
                });
                cited.len() - 1
            });
        if let Some(cited) = cited.get_mut(index) {
            cited.uses.push(place);
        }
    }
    let sections = document.ref_sections.iter().enumerate();
    let all = sections.filter(|(_, section)| section.nocite_all);
    let all: BTreeSet<usize> = all.map(|(at, _)| libraries.of(at)).collect();
    for library in all {
        let same = cited.iter().filter(|cited| cited.library == library);
        let known: BTreeSet<Loc> = same.filter_map(Cited::loc).collect();
        let printed = libraries.get(library).printed().into_iter();
        for loc in printed.filter(|loc| !known.contains(loc)) {
            if let Some(entry) = libraries.whole.entry(loc) {
                cited.push(Cited {
                    key: entry.key.clone(),
                    library,
                    uses: Vec::new(),
                    target: Target::Entry(loc),
                });
            }
        }
    }
    cited
}

/// The keys that `REVTeX` gives to footnotes, which it prints in the bibliography: `Note1` for the first, and so on.
///
/// **Source**: `REVTeX` 4 writes them to `JOBNAMENotes.bib` as `@FOOTNOTE{Note1, …}`, unless its option `nofootinbib` is set.
fn notes(document: &Document) -> Vec<(String, Position)> {
    let declared = document.files.iter().find_map(|file| {
        let lines = file
            .text
            .lines()
            .map(|line| line.split('%').next().unwrap_or(""));
        let bare = lines.collect::<Vec<_>>().join("\n");
        let (_, class) = bare.split_once("\\documentclass")?;
        Some(class.split('}').next().unwrap_or("").to_owned())
    });
    let is_revtex = |class: &String| class.contains("{revtex4") && !class.contains("nofootinbib");
    if !declared.as_ref().is_some_and(is_revtex) {
        return Vec::new();
    }
    // Those of tables are printed below the table.
    let in_table = |block: &Block| block.environments.iter().any(|name| name.contains("tab"));
    let notes = document.blocks.iter();
    let notes = notes.filter(|block| block.kind == BlockKind::Footnote && !in_table(block));
    let keyed = notes.zip(1..).map(|(note, number)| {
        let at = document.position(note.start);
        (format!("Note{number}"), at)
    });
    keyed.collect()
}

impl Cited {
    /// The cause of the first doubt, if every citation of the key is doubtful.
    pub fn doubt(&self) -> Option<&Position> {
        let first = self.uses.first()?.doubt.as_ref();
        first.filter(|_| self.uses.iter().all(|place| place.doubt.is_some()))
    }

    /// Its entry, if it leads to one.
    pub fn loc(&self) -> Option<Loc> {
        match self.target {
            Target::Entry(loc) => Some(loc),
            Target::Item(_) | Target::Nowhere => None,
        }
    }
}

/// Reports keys that lead nowhere in the bibliographies with this number. `whole`: every bibliography was read, so a missing entry is
/// an error.
pub(crate) fn check(
    document: &Document,
    cited: &[Cited],
    libraries: &Libraries<'_>,
    number: usize,
    whole: bool,
) -> Vec<Finding> {
    let library = libraries.get(number);
    let nowhere: Vec<(&Cited, &Use)> = cited
        .iter()
        .filter(|cited| cited.target == Target::Nowhere && cited.library == number)
        .filter_map(|cited| Some((cited, cited.uses.first()?)))
        .collect();
    let uses = nowhere
        .iter()
        .map(|(cited, _)| (cited.key.as_str(), cited.uses.len()));
    let found = check::keys(library, uses, whole);
    let firsts = nowhere.iter();
    let firsts: BTreeMap<&str, &(&Cited, &Use)> =
        firsts.map(|pair| (pair.0.key.as_str(), pair)).collect();
    let mut certain: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for cited in cited.iter().filter(|cited| cited.library == number) {
        if !cited.uses.is_empty() && cited.doubt().is_none() {
            let same = certain.entry(cited.key.to_ascii_lowercase()).or_default();
            same.push(&cited.key);
        }
    }
    let at = |found: check::Finding| {
        let (cited, first) = firsts.get(found.key.as_str())?;
        let quote = document.quote(first.place, QUOTE);
        let mut finding = Finding::from(found).position(&first.position).quote(quote);
        let same = certain.get(&finding.key.to_ascii_lowercase());
        let mut others = same.into_iter().flatten();
        // BibTeX accepts a key in one spelling only.
        if finding.id == "key_case_mismatch"
            && let Some(other) = others.find(|other| **other != finding.key)
        {
            finding.severity = Severity::Fail;
            let why = format!("; `{other}` is cited, too, and BibTeX refuses one key in two cases");
            finding.message.push_str(&why);
        }
        let elsewhere = libraries.whole.find(&finding.key);
        if let Some(elsewhere) = elsewhere.filter(|_| finding.id == "undefined_key") {
            let path = libraries.whole.path(elsewhere);
            finding.message = format!(
                "`{}` is in `{path}`, which does not count in this part of the document",
                finding.key
            );
            finding.action = format!("name `{path}` for this part, too, or correct the key");
        }
        if let Some(at) = cited.doubt() {
            finding.doubt(at);
        }
        Some(finding)
    };
    found.into_iter().filter_map(at).collect()
}

/// Turns errors and warnings about entries into questions if they are cited only in doubtful text.
pub fn question(findings: &mut [Finding], library: &Library<'_>, cited: &[Cited]) {
    let mut doubts = BTreeMap::new();
    for cited in cited {
        let Some(entry) = cited.loc().and_then(|loc| library.entry(loc)) else {
            continue;
        };
        // Another key may lead to the same entry.
        let doubt = doubts
            .entry(entry.key.as_str())
            .or_insert_with(|| cited.doubt());
        *doubt = doubt.filter(|_| cited.doubt().is_some());
    }
    for finding in findings {
        let is_of_entry = library.files().any(|file| file.path == finding.file);
        if let Some(Some(at)) = doubts.get(finding.key.as_str()).filter(|_| is_of_entry) {
            finding.doubt(at);
        }
    }
}
