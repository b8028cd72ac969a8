//! `query_pack.md`: what an agent should read before it looks for ideas, within a fixed number of characters.
//!
//! **Source** of sections, budgets and the order of pruning: the reference's skill `research-wiki`, "query". Characters are Unicode
//! characters, not bytes.

mod sections;

use std::collections::BTreeSet;

use aris_paper::titles;

use crate::error::Error;
use crate::file;
use crate::text;
use crate::wiki::Wiki;
use aris_wiki::edges::Edges;
use aris_wiki::page::Page;

/// Default length of a pack, in characters.
pub const MAX_CHARS: usize = 8000;

const HEAD: &str = "# Research Wiki Query Pack\n\n_Auto-generated. Do not edit._\n\n";

/// Topic and length of a pack.
#[derive(Clone, Debug)]
pub struct Wish {
    /// Topic; `None` for the project's direction.
    pub topic: Option<String>,
    /// Largest length, in characters.
    pub max_chars: usize,
}

impl Default for Wish {
    fn default() -> Self {
        Self {
            topic: None,
            max_chars: MAX_CHARS,
        }
    }
}

/// A pack.
#[derive(Clone, Debug)]
pub struct Pack {
    /// The file's text.
    pub text: String,
    /// Its sections in order.
    pub sections: Vec<Section>,
}

/// A section of a pack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// Heading.
    pub title: String,
    /// Largest length of its content, in characters.
    pub budget: usize,
    /// Order of pruning: sections with the lowest number are pruned first.
    pub(crate) prune: u8,
    /// Its lines, the most important first.
    pub lines: Vec<String>,
    /// Lines that did not fit.
    pub left_out: usize,
}

impl Section {
    /// A section with as many `lines` as fit the budget. The first line that does not fit is cut if more than 60 characters are
    /// left.
    fn new(title: String, budget: usize, prune: u8, lines: Vec<String>) -> Self {
        let mut section = Self {
            title,
            budget,
            prune,
            lines: Vec::new(),
            left_out: 0,
        };
        let mut left = budget;
        for line in lines {
            let need = line.chars().count() + usize::from(!section.lines.is_empty());
            if need <= left {
                left -= need;
                section.lines.push(line);
                continue;
            }
            if left > 60 && section.left_out == 0 {
                section
                    .lines
                    .push(cut(&line, left - usize::from(!section.lines.is_empty())));
            } else {
                section.left_out += 1;
            }
            left = 0;
        }
        section
    }

    fn render(&self) -> String {
        if self.lines.is_empty() {
            return String::new();
        }
        format!("## {}\n{}\n", self.title, self.lines.join("\n"))
    }
}

/// At most `limit` characters; the last one is an ellipsis if the text was cut.
pub(crate) fn cut(text: &str, limit: usize) -> String {
    if text.chars().count() <= limit {
        return text.to_owned();
    }
    let mut short: String = text.chars().take(limit.saturating_sub(1)).collect();
    short.truncate(short.trim_end().len());
    short.push('…');
    short
}

impl Pack {
    /// Makes the pack of a wiki.
    pub fn make(wiki: &Wiki, edges: &Edges, wish: &Wish) -> Result<Self, Error> {
        let folder = wiki.root().parent().unwrap_or(wiki.root());
        let text = match file::text_optional(&folder.join("RESEARCH_BRIEF.md"))? {
            None => file::text_optional(&folder.join("CLAUDE.md"))?,
            brief => brief,
        };
        let text = Page::parse(text.unwrap_or_default());
        let text = text::without_generated(text.below_front());
        let direction = text.trim();
        let gaps = wiki.gap_map()?;
        let topic = Topic::new(wish.topic.as_deref().unwrap_or(direction));
        let sections = sections::Material {
            wiki,
            edges,
            direction,
            gap_map: &gaps,
            topic: &topic,
        }
        .sections();
        Ok(Self::fit(sections, wish.max_chars))
    }

    /// Drops lines until the pack has at most `max` characters: first papers, then clusters, then chains, failed ideas last.
    fn fit(mut sections: Vec<Section>, max: usize) -> Self {
        let length = |sections: &[Section]| {
            let parts = sections
                .iter()
                .map(|section| section.render().chars().count());
            HEAD.chars().count() + parts.sum::<usize>()
        };
        let mut over = length(&sections).saturating_sub(max);
        while over > 0 {
            let next = sections
                .iter_mut()
                .filter(|section| !section.lines.is_empty())
                .min_by_key(|section| section.prune);
            let Some(section) = next else { break };
            // The only line of an important section is cut before it is dropped.
            let last = section.lines.len() == 1;
            let line = section.lines.pop().unwrap_or_default();
            let size = line.chars().count();
            if last && section.prune >= sections::NEVER_FIRST && size > over + 1 {
                section.lines.push(cut(&line, size - over));
            } else {
                section.left_out += 1;
            }
            over = length(&sections).saturating_sub(max);
        }
        let mut text: String = HEAD.chars().take(max).collect();
        for section in &sections {
            text.push_str(&section.render());
        }
        Self { text, sections }
    }
}

/// The meaningful words of a topic.
#[derive(Clone, Debug, Default)]
pub(crate) struct Topic {
    words: Vec<String>,
}

/// Words that say nothing about a topic.
const COMMON: [&str; 24] = [
    "about", "also", "and", "are", "can", "for", "from", "has", "have", "how", "into", "its",
    "not", "our", "that", "the", "their", "this", "using", "want", "what", "which", "will", "with",
];

/// Most words of a topic. Of a longer text, such as a direction, the first words are used: ranking by all of them would be slow.
const WORDS: usize = 24;

impl Topic {
    pub(crate) fn new(text: &str) -> Self {
        let text: String = text.chars().take(2000).collect();
        let mut seen = BTreeSet::new();
        let normal = titles::normalise(&text);
        let words = normal
            .split(' ')
            .filter(|word| (word.len() > 2 || !word.is_ascii()) && !COMMON.contains(word))
            .filter(|word| seen.insert(*word))
            .take(WORDS)
            .map(str::to_owned)
            .collect();
        Self { words }
    }

    /// Whether the topic has no words: then all texts fit equally well.
    pub(crate) fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// How well texts (folded, each with its weight) fit the topic.
    pub(crate) fn fit(&self, texts: &[(&str, usize)]) -> usize {
        let weight = |word: &String| {
            texts
                .iter()
                .filter(|(text, _)| text.contains(word.as_str()))
                .map(|(_, weight)| weight)
                .sum::<usize>()
        };
        self.words.iter().map(weight).sum()
    }
}

#[cfg(test)]
mod tests;
