//! Corrections of bibliography entries, as a patch that a person reads and applies; no file is changed here.
//!
//! Corrected are fields that the sources contradict if the work itself is known: title, authors, year, and identifiers that lead to another
//! work. Venues are not corrected, because their form is the author's choice.

use aris_contract::artifact::papers::Paper;
use aris_paper::bib::{self, Entry, Field};
use aris_paper::records;

use crate::report::{Checked, Existence, Severity};

/// The unified diff that corrects the entries of a bibliography, and the number of entries that it changes; `None` if nothing has to be
/// corrected.
///
/// `text` is the file's text, `path` its name in the diff, `checked` the results for entries of this file.
pub fn patch(text: &str, path: &str, checked: &[(&Entry, &Checked)]) -> Option<(String, usize)> {
    let mut edits: Vec<(std::ops::Range<usize>, String)> = Vec::new();
    let mut touched = 0;
    for (entry, checked) in checked {
        let found = proposals(entry, checked);
        touched += usize::from(!found.is_empty());
        edits.extend(found);
    }
    edits.sort_by_key(|(range, _)| range.start);
    let mut corrected = String::with_capacity(text.len());
    let mut at = 0;
    for (range, value) in edits {
        // Ranges within a file never overlap; for a text that does not belong to these entries the edit is skipped.
        let (Some(before), true) = (text.get(at..range.start), range.end <= text.len()) else {
            continue;
        };
        corrected.push_str(before);
        corrected.push_str(&value);
        at = range.end;
    }
    corrected.push_str(text.get(at..).unwrap_or_default());
    (corrected != text).then(|| {
        let diff = diffy::DiffOptions::new()
            .set_original_filename(format!("a/{path}"))
            .set_modified_filename(format!("b/{path}"))
            .create_patch(text, &corrected)
            .to_string();
        (diff, touched)
    })
}

/// Findings about an identifier that leads to another work.
const ELSEWHERE: &[&str] = &[
    "doi_unknown",
    "identifier_of_other_work",
    "arxiv_id_unknown",
];

/// Findings about the authors.
const PEOPLE: &[&str] = &[
    "authors_missing",
    "authors_differ",
    "authors_invented",
    "authors_reordered",
];

/// Fields of an entry that may be replaced, each with the field that findings name, and the findings that require it.
const REPLACED: [(&str, &str, &[&str]); 5] = [
    ("title", "title", &["title_differs"]),
    ("author", "authors", PEOPLE),
    ("year", "year", &["year_differs"]),
    ("doi", "doi", ELSEWHERE),
    ("eprint", "arxiv_id", ELSEWHERE),
];

/// The values of an entry to replace, and their new values.
fn proposals(entry: &Entry, checked: &Checked) -> Vec<(std::ops::Range<usize>, String)> {
    let (Existence::Exists, Some(record)) = (checked.existence, checked.record.as_deref()) else {
        return Vec::new();
    };
    let replaced = REPLACED.iter().filter(|(name, about, ids)| {
        let is_cut = *name == "author" && record.authors_cut;
        let mut findings = checked.findings.iter();
        let is_wrong = findings.any(|finding| {
            finding.severity <= Severity::Doubt
                && finding.field == *about
                && ids.contains(&finding.id.as_str())
        });
        is_wrong && !is_cut
    });
    let values = replaced.filter_map(|(name, ..)| {
        let range = own(entry, name)?.value_span.clone();
        Some((range, written(record, name)?))
    });
    values.collect()
}

/// The entry's own field, because an inherited field belongs to other entries as well.
fn own<'a>(entry: &'a Entry, name: &str) -> Option<&'a Field> {
    entry.fields.iter().find(|field| field.name == name)
}

/// A field of a record in BibTeX syntax, including braces. No DOI if the record has several: a work may have one for each of its forms, and
/// it is unknown which one is meant.
fn written(record: &Paper, name: &str) -> Option<String> {
    let published = record.ids.doi.iter().filter(|doi| doi.arxiv().is_none());
    if name == "doi" && published.count() > 1 {
        return None;
    }
    let text = records::bibtex(record, "k");
    let read = bib::read(&text);
    let field = own(read.entries.first()?, name)?;
    text.get(field.value_span.clone()).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use aris_contract::artifact::papers::{Author, Origin, Source};
    use aris_contract::ids::{ArxivId, Doi};
    use aris_paper::facts::Month;

    use super::*;
    use crate::{Options, Reference, Silence, Sources, verify};

    /// Semantic Scholar has one paper; the registries have nothing for the cited DOIs.
    struct One(Paper);

    impl Sources for One {
        fn arxiv(&self, _: &[ArxivId]) -> Result<Vec<Paper>, Silence> {
            Ok(Vec::new())
        }
        fn doi(&self, _: Source, _: &Doi) -> Result<Option<Paper>, Silence> {
            Ok(None)
        }
        fn batch(&self, _: &[String]) -> Result<Vec<Option<Paper>>, Silence> {
            Ok(Vec::new())
        }
        fn title(&self, _: Source, _: &str) -> Result<Vec<Paper>, Silence> {
            Ok(vec![self.0.clone()])
        }
    }

    #[test]
    fn wrong_fields_are_proposed_and_everything_else_stays() {
        let text = "% keep me\n@article{resnet,\n  title = {Deep Residual Learning for Image Recognition}, % mine\n  author = \"Jian He and X. Zhang\",\n  year = 2011,\n  doi = {10.1109/wrong.2016},\n  note = {my own words}\n}\n@misc{other, title={Untouched}}\n";
        let record = Paper {
            title: String::from("Deep Residual Learning for Image Recognition"),
            authors: ["Kaiming He", "Xiangyu Zhang", "Shaoqing Ren", "Jian Sun"]
                .map(Author::named)
                .to_vec(),
            year: Some(2016),
            ids: aris_contract::artifact::papers::Identifiers {
                doi: vec![Doi::parse("10.1109/CVPR.2016.90").expect("a DOI")],
                ..Default::default()
            },
            origins: vec![Origin {
                source: Source::SemanticScholar,
                record: String::from("r"),
                retrieved_at: String::from("2026-11-20T00:00:00Z"),
            }],
            ..Paper::default()
        };
        let read = bib::read(text);
        let index = bib::Index::new([&read]);
        let now = Month {
            year: 2026,
            month: 11,
        };
        let entry = &read.entries[0];
        let reference = Reference::of(&index.resolve(entry), now);
        let checked =
            verify(&[reference], &One(record), &Options::default(), &mut |_| ()).remove(0);
        let (patch, touched) =
            patch(text, "refs.bib", &[(entry, &checked)]).expect("something to correct");
        assert_eq!(touched, 1);
        assert!(
            patch.starts_with("--- a/refs.bib\n+++ b/refs.bib\n"),
            "{patch}"
        );
        for line in [
            "-  author = \"Jian He and X. Zhang\",",
            "+  author = {Kaiming He and Xiangyu Zhang and Shaoqing Ren and Jian Sun},",
            "-  year = 2011,",
            "+  year = {2016},",
            "+  doi = {10.1109/CVPR.2016.90},",
        ] {
            assert!(patch.contains(line), "{line}\n{patch}");
        }
        let changed = patch.lines().filter(|line| line.starts_with(['-', '+']));
        assert_eq!(changed.count(), 8, "{patch}");
        let fixed = diffy::apply(text, &diffy::Patch::from_str(&patch).expect("a patch"))
            .expect("it applies");
        assert!(fixed.contains("my own words") && fixed.contains("% keep me"));
    }

    #[test]
    fn nothing_is_proposed_for_what_was_not_found() {
        let read = bib::read("@misc{k, title={T}}");
        let entry = &read.entries[0];
        let silent = Checked {
            existence: Existence::Inconclusive,
            ..verify(
                &[Reference::from_fields(
                    "k",
                    &[("title", "T")],
                    Month {
                        year: 2026,
                        month: 1,
                    },
                )],
                &One(Paper::default()),
                &Options::default(),
                &mut |_| (),
            )
            .remove(0)
        };
        assert_eq!(
            patch("@misc{k, title={T}}", "x.bib", &[(entry, &silent)]),
            None
        );
    }
}
