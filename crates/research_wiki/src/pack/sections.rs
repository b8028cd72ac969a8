//! The lines of each section of a pack, the most important first.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use aris_paper::titles;

use super::{Section, Topic, cut};
use crate::gaps;
use crate::wiki::Wiki;
use aris_wiki::edges::{Edge, Edges};
use aris_wiki::node::Kind;
use aris_wiki::page::one_line;
use aris_wiki::summary::Summary;

/// Sections with at least this order of pruning are important: their last line is cut, not dropped, while that is enough.
pub(super) const NEVER_FIRST: u8 = 5;

/// What a pack is made from.
pub(super) struct Material<'a> {
    pub(super) wiki: &'a Wiki,
    pub(super) edges: &'a Edges,
    pub(super) direction: &'a str,
    pub(super) gap_map: &'a str,
    pub(super) topic: &'a Topic,
}

impl Material<'_> {
    /// The sections in the order of the file, with the reference's budgets and headings.
    pub(super) fn sections(&self) -> Vec<Section> {
        let links = self.links();
        let papers = self.ranked_papers(&links);
        let count = self.wiki.of_kind(Kind::Paper).count();
        let named = |title: &str| title.to_owned();
        vec![
            Section::new(named("Project Direction"), 300, 4, self.direction()),
            Section::new(named("Open Gaps"), 1200, 5, self.gaps(&links)),
            Section::new(named("Paper Clusters"), 1600, 1, self.clusters()),
            Section::new(
                named("Failed Ideas (avoid repeating)"),
                1400,
                6,
                self.failed(),
            ),
            Section::new(
                format!("Key Papers ({count} total)"),
                1800,
                0,
                key_papers(&papers),
            ),
            Section::new(
                format!("Recent Relationships ({} total)", self.edges.list().len()),
                900,
                2,
                self.chains(),
            ),
            Section::new(named("Open Unknowns"), 500, 3, unknowns(&papers)),
        ]
    }

    fn direction(&self) -> Vec<String> {
        let start: String = self.direction.chars().take(300).collect();
        one_or_none(start.trim_end())
    }

    /// The nodes that each node is linked with, by edges and by fields of its page.
    fn links(&self) -> BTreeMap<&str, BTreeSet<&str>> {
        let mut links: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        let mut join = |one, two| {
            links.entry(one).or_default().insert(two);
            links.entry(two).or_default().insert(one);
        };
        for edge in self.edges.list() {
            join(edge.from.as_str(), edge.to.as_str());
        }
        for page in self.wiki.pages() {
            for name in &page.names {
                join(page.node, name);
            }
        }
        links
    }

    /// Up to five unresolved gaps. Those that fit the topic best come first, then those with more linked ideas and failed experiments.
    fn gaps(&self, links: &BTreeMap<&str, BTreeSet<&str>>) -> Vec<String> {
        let mut gaps = gaps::parse(self.gap_map);
        if gaps.is_empty() {
            // A map without recognisable gaps: its text is used, as the reference does.
            let own = self
                .gap_map
                .lines()
                .filter(|line| !line.starts_with("# ") && !line.starts_with('_'));
            return one_or_none(own.collect::<Vec<_>>().join("\n").trim());
        }
        let failed: BTreeSet<&str> = self
            .wiki
            .pages()
            .filter(|page| page.has_failed())
            .map(|page| page.node)
            .collect();
        let weight = |id: &str| {
            let node = format!("gap:{id}");
            links.get(node.as_str()).map_or(0, |linked| {
                linked.len() + linked.iter().filter(|node| failed.contains(**node)).count()
            })
        };
        gaps.sort_by_cached_key(|gap| {
            (
                gap.resolved,
                Reverse(self.topic.fit(&[(&titles::fold(&gap.text), 1)])),
                Reverse(weight(&gap.id)),
            )
        });
        let kept = gaps.iter().filter(|gap| !gap.resolved).take(5);
        kept.map(|gap| format!("- {}", cut(&gap.text, 400)))
            .collect()
    }

    /// All failed ideas, the most relevant first, then the latest.
    fn failed(&self) -> Vec<String> {
        let mut failed: Vec<&Summary> = self
            .wiki
            .of_kind(Kind::Idea)
            .filter(|page| page.has_failed())
            .collect();
        failed.sort_by_cached_key(|page| {
            (
                Reverse(self.relevance(page)),
                Reverse(page.added),
                page.node,
            )
        });
        let line = |page: &&Summary| about(format!("- **{}**", page.title), page.lesson, 200);
        failed.iter().map(line).collect()
    }

    fn relevance(&self, page: &Summary) -> usize {
        if self.topic.is_empty() {
            return 0;
        }
        let (tags, thesis) = (
            titles::fold(&page.tags.join(" ")),
            titles::fold(page.thesis),
        );
        self.topic
            .fit(&[(page.title_key, 3), (&tags, 2), (&thesis, 1)])
    }

    /// Papers ranked by topic, by the relevance that a person gave them, and by their links to gaps, ideas and other nodes.
    fn ranked_papers(&self, links: &BTreeMap<&str, BTreeSet<&str>>) -> Vec<&Summary> {
        let mut papers: Vec<&Summary> = self.wiki.of_kind(Kind::Paper).collect();
        papers.sort_by_cached_key(|page| {
            let flag = match page.relevance {
                "core" => 6,
                "related" => 2,
                _ => 0,
            };
            let linked = links.get(page.node);
            let share = |prefix: &str| {
                linked.map_or(0, |nodes| {
                    nodes.iter().filter(|node| node.starts_with(prefix)).count()
                })
            };
            let central = linked.map_or(0, BTreeSet::len).min(8);
            let score = 3 * self.relevance(page)
                + flag
                + 2 * share("gap:").min(3)
                + 2 * share("idea:").min(3)
                + central;
            (
                page.relevance == "peripheral",
                Reverse(score),
                Reverse(page.year),
            )
        });
        papers
    }

    /// Three to five tags that cover the most papers, each with a line about its papers.
    fn clusters(&self) -> Vec<String> {
        let papers: Vec<&Summary> = self.wiki.of_kind(Kind::Paper).collect();
        // Positions in `papers`.
        let mut tagged: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (at, page) in papers.iter().enumerate() {
            for tag in &page.tags {
                let places = tagged.entry(tag).or_default();
                if places.last() != Some(&at) {
                    places.push(at);
                }
            }
        }
        // Each tag with how well it fits the topic.
        let mut tagged: Vec<(usize, &str, Vec<usize>)> = tagged
            .into_iter()
            .filter(|(_, places)| places.len() > 1)
            .map(|(tag, places)| (self.topic.fit(&[(&titles::fold(tag), 1)]), tag, places))
            .collect();
        let mut covered: Vec<bool> = vec![false; papers.len()];
        let mut lines = Vec::new();
        while lines.len() < 5 {
            let fresh = |places: &[usize]| {
                let open = |at: &&usize| covered.get(**at) == Some(&false);
                places.iter().filter(open).count()
            };
            let best = tagged
                .iter()
                .enumerate()
                .map(|(at, (fit, tag, places))| ((*fit, fresh(places), Reverse(*tag)), at))
                .filter(|((_, fresh, _), _)| *fresh > 1)
                .max();
            let Some((_, at)) = best else { break };
            let (_, tag, places) = tagged.swap_remove(at);
            let listed = places.iter().filter_map(|at| papers.get(*at));
            let shown = listed.take(3);
            let shown = shown.map(|page| about(cut(page.title, 60), page.thesis, 60));
            let (count, shown) = (places.len(), shown.collect::<Vec<_>>().join("; "));
            lines.push(format!("- **{tag}** ({count} papers): {shown}"));
            for at in places {
                if let Some(covered) = covered.get_mut(at) {
                    *covered = true;
                }
            }
        }
        lines
    }

    /// The latest edges, each with the next step where there is one.
    fn chains(&self) -> Vec<String> {
        let mut from: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (at, edge) in self.edges.list().iter().enumerate() {
            from.entry(edge.from.as_str()).or_default().push(at);
        }
        let mut told: BTreeSet<usize> = BTreeSet::new();
        let mut lines = Vec::new();
        for (at, edge) in self.edges.list().iter().enumerate().rev() {
            if lines.len() == 20 {
                break;
            }
            if !told.insert(at) {
                continue;
            }
            let step = |edge: &Edge| {
                let (kind, to) = (one_line(&edge.kind), one_line(&edge.to));
                format!(" --{kind}--> {to}")
            };
            let mut line = format!("  {}{}", one_line(&edge.from), step(edge));
            let mut further = from.get(edge.to.as_str()).into_iter().flatten();
            if let Some(next) = further.find(|next| !told.contains(next)) {
                told.insert(*next);
                line.extend(self.edges.list().get(*next).map(step));
            }
            lines.push(line);
        }
        lines
    }
}

/// The text as the only line of a section; no line if it is empty.
fn one_or_none(text: &str) -> Vec<String> {
    let mut lines = vec![text.to_owned()];
    lines.retain(|line| !line.is_empty());
    lines
}

/// `what`, followed by a colon and at most `limit` characters of `text`.
fn about(what: String, text: &str, limit: usize) -> String {
    match text {
        "" => what,
        text => format!("{what}: {}", cut(text, limit)),
    }
}

fn key_papers(papers: &[&Summary]) -> Vec<String> {
    let line = |page: &&Summary| {
        let title = format!("- [{}] {}", page.node, cut(page.title, 120));
        about(title, page.thesis, 150)
    };
    papers.iter().take(12).map(line).collect()
}

fn unknowns(papers: &[&Summary]) -> Vec<String> {
    let asked = papers.iter().filter(|page| !page.questions.is_empty());
    asked
        .take(8)
        .map(|page| format!("- {} [{}]", cut(page.questions, 140), page.node))
        .collect()
}
