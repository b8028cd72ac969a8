//! `style_profile.md`: the profile in words, for the writer. It contains no words of the paper.

use crate::profile::{Basis, CitationStyle, Cue, Profile, Section, Textual};
use crate::prose::{Spread, tenths};

/// The whole file.
pub(crate) fn text(profile: &Profile) -> String {
    let total = |of: fn(&Section) -> Option<usize>| profile.total(of);
    let per_thousand = |number| per_thousand(number, profile.words);
    let item = |name: &str, value: String| format!("- {name}: {value}");
    let mut lines = vec![format!(
        "# Style profile\n\n\
         Structure only, measured on {}. It holds no sentence, heading, name or result of the reference paper.\n\
         Let it guide how your text is built, never what it says.\n\n\
         ## Sections\n\n\
         | # | section | words | share | sentences, mean words | subsections | figures | tables | citations |\n\
         |---|---|---|---|---|---|---|---|---|",
        basis(profile.basis)
    )];
    let sections = (1..).zip(&profile.sections);
    lines.extend(sections.map(|(number, section)| row(number, section, profile.words)));
    lines.extend([
        String::from(
            "\nA section in parentheses has a heading of its own that is not conventional; only its role is given. Words are running text.\n\n\
             ## Sentences\n",
        ),
        item("Running text", format!("{} words", profile.words)),
        item("Sentences", spread(profile.sentences.as_ref())),
    ]);
    if let Some(paragraphs) = total(|section| section.paragraphs)
        && let Some(mean) = tenths(profile.words, paragraphs)
    {
        lines.push(item(
            "Paragraphs",
            format!("{paragraphs}, mean {mean:.1} words"),
        ));
    }
    lines.extend([
        String::from("\n## Figures and tables\n"),
        item("Figures", known(total(|section| section.figures))),
        item("Tables", known(total(|section| section.tables))),
        item("Algorithms", known(total(|section| section.algorithms))),
        item("Figure captions", spread(profile.figure_captions.as_ref())),
        item("Table captions", spread(profile.table_captions.as_ref())),
        String::from("\n## Formulas and statements\n"),
        item(
            "Displayed formulas",
            per_thousand(total(|section| section.displayed_formulas)),
        ),
        item(
            "Inline formulas",
            per_thousand(total(|section| section.inline_formulas)),
        ),
    ]);
    if profile.statements.is_empty() {
        let total = total(|section| section.statements);
        lines.push(item("Theorems and the like", known(total)));
    }
    let statements = profile.statements.iter();
    lines.extend(statements.map(|found| item(found.kind.plural(), found.count.to_string())));
    lines.extend([
        String::from("\n## Citations\n"),
        item("Style", citations(profile.citation_style).to_owned()),
        item("Places", per_thousand(total(|section| section.citations))),
        item("Works cited", known(profile.cited_works)),
    ]);
    if let Some(Textual { textual, all }) = profile.textual_citations {
        lines.push(item("Part of the sentence", format!("{textual} of {all}")));
    }
    lines.push(String::from("\n## Habits\n"));
    if profile.cues.is_empty() {
        lines.push(String::from("- none that stand out"));
    }
    lines.extend(profile.cues.iter().map(|cue| format!("- {}", habit(*cue))));
    let (lists, notes) = (
        total(|section| section.lists),
        total(|section| section.footnotes),
    );
    lines.push(format!(
        "- Lists: {}; footnotes: {}\n\n\
         ## For the writer\n\n\
         Match order and share of the sections, length of sentences, paragraphs and captions, and density of formulas, figures and\n\
         citations. Content comes from your own outline and results alone. Do not hand this file to reviewers or auditors.\n",
        known(lists),
        known(notes)
    ));
    lines.join("\n")
}

fn row(number: usize, section: &Section, all: usize) -> String {
    let (open, close) = if section.conventional {
        ("", "")
    } else {
        ("(", ")")
    };
    let name = section.role.name();
    let place = if section.appendix { ", appendix" } else { "" };
    let share = tenths(100 * section.words, all).unwrap_or_default();
    let sentences = section.sentences.map_or_else(
        || String::from("0"),
        |spread| format!("{}, {:.1}", spread.count, spread.mean),
    );
    format!(
        "| {number} | {open}{name}{close}{place} | {} | {share:.1} % | {sentences} | {} | {} | {} | {} |",
        section.words,
        section.subsections,
        known(section.figures),
        known(section.tables),
        known(section.citations)
    )
}

fn known(number: Option<usize>) -> String {
    number.map_or_else(|| String::from("not known"), |number| number.to_string())
}

fn per_thousand(number: Option<usize>, words: usize) -> String {
    let rate = number.and_then(|number| tenths(1000 * number, words));
    match rate {
        Some(rate) => format!("{}, {rate:.1} in 1,000 words", known(number)),
        None => known(number),
    }
}

fn spread(spread: Option<&Spread>) -> String {
    let Some(found) = spread else {
        return String::from("none found");
    };
    let (mean, median) = (found.mean, found.median);
    let words = format!(
        "mean {mean:.1}, median {median}, nine tenths up to {}",
        found.p90
    );
    format!("{}; words: {words}", found.count)
}

const fn basis(basis: Basis) -> &'static str {
    match basis {
        Basis::Latex => "LaTeX sources",
        Basis::Pdf => {
            "the text of a PDF: headings and sentences are recognised by their looks, so take the numbers as estimates"
        }
        Basis::Html => "an HTML page",
    }
}

const fn citations(style: CitationStyle) -> &'static str {
    match style {
        CitationStyle::AuthorYear => "authors and year",
        CitationStyle::Numeric => "numbers",
        CitationStyle::Labels => "labels of letters and digits",
        CitationStyle::Unknown => "not known",
    }
}

const fn habit(cue: Cue) -> &'static str {
    match cue {
        Cue::ListInIntroduction => "the introduction holds a list",
        Cue::ContributionsHeading => "contributions or an overview have a heading",
        Cue::RelatedWorkEarly => "related work comes before the method",
        Cue::RelatedWorkLate => "related work comes after the experiments",
        Cue::EarlyFigure => "the first figure comes before the introduction ends",
        Cue::LimitationsHeading => "limitations have a heading",
        Cue::ImpactHeading => "ethics or broader impact have a heading",
        Cue::Appendix => "there is an appendix",
        Cue::RunInHeadings => "paragraphs have titles",
        Cue::Algorithms => "algorithms are set as floats",
        Cue::ProofsFollow => "most statements are proved in place or in the appendix",
    }
}
