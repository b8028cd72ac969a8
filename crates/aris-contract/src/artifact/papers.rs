//! A paper as a source describes it: the one record that all literature helpers exchange.
//!
//! A record contains what one source says. If two sources describe the same paper, their records are merged into one whose
//! `origins` name both. Fields that no source gives stay empty.

use serde::{Deserialize, Serialize};

use crate::ids::{ArxivId, Doi};

/// One paper.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Paper {
    /// Title as plain text: white space collapsed, markup of the source removed.
    pub title: String,
    /// Authors in the source's order.
    #[serde(default)]
    pub authors: Vec<Author>,
    /// Whether `authors` is known to be cut short by the source ("et al.", a limit of the answer).
    #[serde(default, skip_serializing_if = "is_false")]
    pub authors_cut: bool,
    /// Its title in the original language, and translations, as far as the source gives them. For comparison only.
    #[serde(skip)]
    #[schemars(skip)]
    pub other_titles: Vec<String>,
    /// Year of publication as the source gives it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub year: Option<u16>,
    /// Other years that the source gives: print beside online publication. For comparison only.
    #[serde(skip)]
    #[schemars(skip)]
    pub other_years: Vec<u16>,
    /// `2026-04-21`, `2026-04` where the source gives no day.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
    /// Journal, proceedings or publisher series, as the source names it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub venue: Option<String>,
    /// What it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<Kind>,
    /// Abstract as plain text.
    #[serde(default, rename = "abstract", skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// Everything it goes by.
    #[serde(default)]
    pub ids: Identifiers,
    /// Where to read it.
    #[serde(default)]
    pub links: Links,
    /// How often it is cited, by the source's count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub citation_count: Option<u64>,
    /// How many works it cites, by the source's count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference_count: Option<u64>,
    /// Subjects, in the source's words: `cs.LG`, `Computer Science`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<String>,
    /// Whether the source says that it was retracted; `None` where the source does not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retracted: Option<bool>,
    /// What the source adds in words: arXiv's comment and journal reference.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Who said so; more than one after a merge, the best known first.
    #[serde(default)]
    pub origins: Vec<Origin>,
}

/// One author.
#[derive(
    Clone,
    Debug,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Serialize,
    Deserialize,
    schemars::JsonSchema,
)]
pub struct Author {
    /// The whole name in reading order, `Laurens van der Maaten`.
    pub name: String,
    /// Family name with its particles, where the source tells the parts apart.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub family: Option<String>,
    /// Given names or initials, where the source tells the parts apart.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub given: Option<String>,
    /// ORCID without its URL.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub orcid: Option<String>,
}

impl Author {
    /// An author of whom only the whole name is known.
    pub fn named(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            ..Self::default()
        }
    }
}

/// What a paper is. Sources use dozens of words; these are the differences that matter to a bibliography.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// In a journal.
    Article,
    /// In proceedings.
    Proceedings,
    /// On a preprint server.
    Preprint,
    /// A book.
    Book,
    /// Part of a book.
    Chapter,
    /// A thesis.
    Thesis,
    /// A report.
    Report,
    /// Data or software.
    Dataset,
    /// Anything else.
    Other,
}

/// What a paper goes by. Empty lists and absent fields are unknown, not absent from the world.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Identifiers {
    /// arXiv, without version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub arxiv: Option<ArxivId>,
    /// The arXiv version that was described.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arxiv_version: Option<u32>,
    /// DOIs: the published version's first, then the preprint's.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Vec<String>")]
    pub doi: Vec<Doi>,
    /// OpenAlex work, `W2741809807`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub openalex: Option<String>,
    /// Semantic Scholar paper, 40 hexadecimal digits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub semantic_scholar: Option<String>,
    /// Semantic Scholar corpus number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub corpus: Option<u64>,
    /// DBLP key, `conf/nips/VaswaniSPUJGKP17`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dblp: Option<String>,
    /// PubMed number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pubmed: Option<String>,
}

/// Where a paper can be read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Links {
    /// The page about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page: Option<String>,
    /// A PDF that anybody may read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pdf: Option<String>,
}

/// Who described a paper.
#[derive(
    Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema,
)]
pub struct Origin {
    /// The source.
    pub source: Source,
    /// The record's name there: the identifier that the source's own interface takes.
    pub record: String,
    /// RFC 3339, UTC: when the source answered.
    pub retrieved_at: String,
}

/// A source of records.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// arXiv.
    Arxiv,
    /// Crossref.
    Crossref,
    /// DataCite, where arXiv's own DOIs are registered.
    Datacite,
    /// DBLP.
    Dblp,
    /// DeepXiv, through its own program.
    Deepxiv,
    /// Exa.
    Exa,
    /// OpenAlex.
    Openalex,
    /// Semantic Scholar.
    SemanticScholar,
}

impl Source {
    /// The word for it in JSON, flags and messages.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Arxiv => "arxiv",
            Self::Crossref => "crossref",
            Self::Datacite => "datacite",
            Self::Dblp => "dblp",
            Self::Deepxiv => "deepxiv",
            Self::Exa => "exa",
            Self::Openalex => "openalex",
            Self::SemanticScholar => "semantic_scholar",
        }
    }
}

impl std::fmt::Display for Source {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(self.word())
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
const fn is_false(value: &bool) -> bool {
    !*value
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_keeps_what_is_known_and_says_nothing_of_the_rest() {
        let text = r#"{"title":"Attention","authors":[{"name":"A. Vaswani"}],"year":2017,"ids":{"arxiv":"1706.03762","doi":["10.5555/3295222.3295349"]},"links":{},"origins":[{"source":"semantic_scholar","record":"204e3073870fae3d05bcbc2f6a8e263d9b72e776","retrieved_at":"2026-11-20T10:00:00Z"}]}"#;
        let paper: Paper = serde_json::from_str(text).expect("a record");
        assert_eq!(serde_json::to_string(&paper).expect("text"), text);
        let bare: Paper = serde_json::from_str("{\"title\":\"x\"}").expect("a record");
        assert!(bare.authors.is_empty() && bare.retracted.is_none());
    }

    #[test]
    fn authors_that_the_source_cut_are_said_to_be_cut() {
        let paper = Paper {
            authors: vec![Author::named("A. Vaswani")],
            authors_cut: true,
            ..Paper::default()
        };
        let written = serde_json::to_value(&paper).expect("JSON");
        assert_eq!(written["authors_cut"], true);
        assert_eq!(
            written["authors"],
            serde_json::json!([{"name": "A. Vaswani"}])
        );
    }

    #[test]
    fn words_of_sources_are_what_serde_writes() {
        for source in [
            Source::Arxiv,
            Source::Crossref,
            Source::Datacite,
            Source::Dblp,
            Source::Deepxiv,
            Source::Exa,
            Source::Openalex,
            Source::SemanticScholar,
        ] {
            assert_eq!(serde_json::to_value(source).expect("JSON"), source.word());
            assert_eq!(source.to_string(), source.word());
        }
    }
}
