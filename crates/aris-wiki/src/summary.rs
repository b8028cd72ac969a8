//! The short fields of a page, for lists, query packs and look-ups.

use aris_contract::ids::ArxivId;
use aris_paper::titles;
use serde::{Deserialize, Serialize};

use crate::identity::{ALIASES, Identity, plain_name};
use crate::node::Kind;
use crate::page::{self, Page};
use crate::papers::Papers;

/// Longest text field, in characters; lists and packs show no more.
const SHOWN: usize = 240;

/// Longest title, in characters; no paper has a longer one.
const TITLE: usize = 2_000;

/// The short fields of one page. Texts have no control characters and no line feeds; unknown is empty, or 0.
///
/// The texts are never freed: a process looks at one wiki and ends with it, and ten thousand pages from an index stay in the block of
/// bytes that they were read into.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Summary {
    /// What it describes.
    pub kind: Kind,
    /// Name of its file.
    pub file: &'static str,
    /// `paper:vaswani2017_attention_all_you`.
    pub node: &'static str,
    /// Title; the file's name where the page gives none.
    pub title: &'static str,
    /// [`titles::key`] of the page's own title.
    pub title_key: &'static str,
    /// Authors in order.
    pub authors: Vec<&'static str>,
    /// Year of publication.
    pub year: u32,
    /// Where it was published.
    pub venue: &'static str,
    /// arXiv identifier as [`arxiv_key`](crate::identity::arxiv_key) gives it.
    pub arxiv: &'static str,
    /// DOI as it is compared, in lower case; never arXiv's own.
    pub doi: &'static str,
    /// Semantic Scholar's identifier.
    pub s2: &'static str,
    /// Tags.
    pub tags: Vec<&'static str>,
    /// One-line thesis of a paper, hypothesis of an idea, statement of a claim.
    pub thesis: &'static str,
    /// How much it matters: `core`, `related`, `peripheral`.
    pub relevance: &'static str,
    /// Stage of an idea.
    pub stage: &'static str,
    /// Outcome of an idea, verdict of an experiment.
    pub outcome: &'static str,
    /// Status of a claim.
    pub status: &'static str,
    /// When it was added.
    pub added: &'static str,
    /// Why an idea failed and what was learned.
    pub lesson: &'static str,
    /// Its open questions.
    pub questions: &'static str,
    /// Nodes named in its frontmatter: `based_on`, `target_gaps`, `idea_id`.
    pub names: Vec<&'static str>,
    /// Other identifiers of the same paper, from pages that were merged into this one: `arxiv:ID`, `doi:DOI`.
    pub aliases: Vec<&'static str>,
}

impl Summary {
    /// Extracts the short fields of a page.
    pub fn of(kind: Kind, file: &str, page: &Page) -> Self {
        let stem = file.strip_suffix(".md").unwrap_or(file);
        let field = |key: &str| short(&page.scalar(key).unwrap_or_default());
        let any = |keys: &[&str]| {
            let mut texts = keys.iter().map(|key| field(key));
            texts.find(|text| !text.is_empty())
        };
        let prose = |titles: &[&str]| -> &'static str {
            let first = |title: &&str| page.prose(title).map(|body| short(without_parts(body)));
            titles.iter().find_map(first).unwrap_or_default()
        };
        let title = cut(&page.scalar("title").unwrap_or_default(), TITLE);
        let papers = Papers::of(page);
        let arxiv = papers.ids.first().map(ArxivId::as_str);
        let arxiv = arxiv.or_else(|| any(&["external_ids.arxiv", "arxiv", "arxiv_id"]));
        let ids = Identity::new(arxiv, any(&["external_ids.doi", "doi"]), "", "", 0);
        let mut sections = page.sections().iter();
        let lesson = sections.find_map(|section| {
            let (title, body) = (section.title.to_lowercase(), page.body(section));
            let is_lesson = title.contains("failure") || title.contains("lesson");
            (is_lesson && !page::is_placeholder(body)).then(|| short(body))
        });
        let lesson = lesson.or_else(|| any(&["failure_notes", "lessons", "lesson"]));
        let list = |key: &str| page.list(key).into_iter().map(|text| short(&text));
        Self {
            kind,
            file: kept(file.to_owned()),
            node: any(&["node_id"])
                .unwrap_or_else(|| kept(format!("{}:{}", kind.prefix(), short(stem)))),
            title_key: kept(titles::key(title)),
            title: if title.is_empty() { short(stem) } else { title },
            authors: list("authors").map(plain_name).collect(),
            year: page
                .scalar("year")
                .and_then(|year| year.trim().parse().ok())
                .unwrap_or(0),
            venue: field("venue"),
            arxiv: kept(ids.arxiv.unwrap_or_default()),
            doi: kept(ids.doi.unwrap_or_default()),
            s2: field("external_ids.s2"),
            tags: list("tags").collect(),
            thesis: match kind {
                Kind::Paper => prose(&["One-line thesis"]),
                Kind::Idea => any(&["hypothesis"]).unwrap_or_else(|| prose(&["Hypothesis"])),
                Kind::Claim => {
                    any(&["statement"]).unwrap_or_else(|| prose(&["Statement", "Claim"]))
                }
                Kind::Experiment => any(&["metrics"]).unwrap_or_else(|| prose(&["Results"])),
            },
            relevance: field("relevance"),
            stage: field("stage"),
            outcome: any(&["outcome", "verdict"]).unwrap_or_default(),
            status: field("status"),
            added: any(&["added", "date"]).unwrap_or_default(),
            lesson: lesson.unwrap_or_default(),
            questions: prose(&["Open Questions"]),
            names: ["based_on", "target_gaps", "idea_id"]
                .into_iter()
                .flat_map(list)
                .collect(),
            aliases: list(ALIASES).collect(),
        }
    }

    /// Its file name without `.md`.
    pub fn stem(&self) -> &'static str {
        self.file.strip_suffix(".md").unwrap_or(self.file)
    }

    /// Whether its file is named after its node.
    pub fn has_own_name(&self) -> bool {
        let name = self.node.split_once(':');
        name.is_some_and(|(_, name)| name == self.stem())
    }

    /// The path of its file, relative to the wiki.
    pub fn path(&self) -> String {
        format!("{}/{}", self.kind.folder(), self.file)
    }

    /// The year of publication; empty when it is unknown.
    pub fn shown_year(&self) -> String {
        if self.year > 0 {
            self.year.to_string()
        } else {
            String::new()
        }
    }

    /// The identity of the paper.
    pub fn identity(&self) -> Identity {
        let known = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        Identity {
            arxiv: known(self.arxiv),
            doi: known(self.doi),
            title: self.title_key.to_owned(),
            author: self.authors.first().copied().unwrap_or_default().to_owned(),
            year: self.year,
        }
    }

    /// Whether the two have a common identifier.
    fn shares_id(&self, identity: &Identity) -> bool {
        let same =
            |mine: &str, other: &Option<String>| !mine.is_empty() && other.as_deref() == Some(mine);
        let alias = |kind: &str, other: &Option<String>| {
            let other = other.as_deref().unwrap_or_default();
            let named = |alias: &&str| alias.strip_prefix(kind) == Some(other);
            !other.is_empty() && self.aliases.iter().any(named)
        };
        same(self.doi, &identity.doi)
            || same(self.arxiv, &identity.arxiv)
            || alias("doi:", &identity.doi)
            || alias("arxiv:", &identity.arxiv)
    }

    /// The paper with this identity among `pages`; cheaper than [`Known`](crate::identity::Known) for one look-up.
    pub fn find<'a>(
        mut pages: impl Iterator<Item = &'a Self> + Clone,
        identity: &Identity,
    ) -> Option<&'a Self> {
        let by_id = pages.clone().find(|page| page.shares_id(identity));
        by_id.or_else(|| {
            pages.find(|page| {
                !page.title_key.is_empty()
                    && page.title_key == identity.title
                    && identity.may_be(&page.identity())
            })
        })
    }

    /// Whether the reference counts it as a failed idea.
    pub fn has_failed(&self) -> bool {
        matches!(self.outcome, "negative" | "mixed")
    }
}

/// A section's own text, without its subsections.
fn without_parts(body: &str) -> &str {
    let end = body.find("\n#").unwrap_or(body.len());
    body.get(..end).unwrap_or(body)
}

/// The text on one line, without control characters, cut to [`SHOWN`] characters.
fn short(text: &str) -> &'static str {
    cut(text, SHOWN)
}

fn cut(text: &str, most: usize) -> &'static str {
    let words = text.split(|c: char| c.is_whitespace() || c.is_control());
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    let line = words.join(" ");
    kept(match line.char_indices().nth(most) {
        None => line,
        Some((end, _)) => format!("{}…", line.get(..end).unwrap_or_default().trim_end()),
    })
}

fn kept(text: String) -> &'static str {
    text.leak()
}
