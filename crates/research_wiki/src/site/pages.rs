//! The pages of the site, from templates that escape every text.

use std::collections::{BTreeMap, BTreeSet};

use askama::Template;

use crate::node::Kind;
use crate::site::gaps::Gap;
use crate::site::graph::{below, most_connected};
use crate::site::model::{Model, Node};
use crate::summary::Summary;
use crate::text::{clean, percent};

/// Entries of one page of a list.
const LISTED: usize = 100;
/// Relations of one kind that a page shows; the graph's data has all.
const SHOWN: usize = 500;
/// Entries of the lists on the first page.
const RECENT: usize = 8;

/// The entries of the menu, and where they lead from the site's root.
const MENU: [(&str, &str); 6] = [
    ("Papers", "lists/papers.html"),
    ("Ideas", "lists/ideas.html"),
    ("Experiments", "lists/experiments.html"),
    ("Claims", "lists/claims.html"),
    ("Gaps", "gaps.html"),
    ("Graph", "graph.html"),
];

/// What all pages have.
#[derive(Debug)]
pub(crate) struct Frame<'a> {
    pub(crate) site: &'a str,
    /// Leads from the page to the site's root.
    pub(crate) root: &'static str,
    pub(crate) heading: String,
    /// The entry of the menu that it belongs to.
    pub(crate) current: &'static str,
    pub(crate) scripts: &'static [&'static str],
}

impl Frame<'_> {
    fn search_label(&self) -> &'static str {
        if self.current == "Graph" {
            "Find a node"
        } else {
            "Search the wiki"
        }
    }
}

struct Row {
    href: String,
    title: String,
    facts: String,
    below: String,
}

fn row(node: &Node, page: &Summary) -> Row {
    let mut facts: Vec<String> = Vec::new();
    match page.kind {
        Kind::Paper => {
            facts.extend(page.authors.first().cloned());
            if page.authors.len() > 1 {
                facts.push(format!("and {} more", page.authors.len() - 1));
            }
            facts.push(page.venue.clone());
        }
        Kind::Idea => facts.extend([page.stage.clone(), page.outcome.clone()]),
        Kind::Experiment => facts.push(page.outcome.clone()),
        Kind::Claim => facts.push(page.status.clone()),
    }
    if page.year > 0 {
        facts.push(page.year.to_string());
    }
    match node.relations.len() {
        0 => {}
        1 => facts.push(String::from("1 relation")),
        count => facts.push(format!("{count} relations")),
    }
    facts.retain(|fact| !fact.is_empty());
    Row {
        href: node.href.clone(),
        title: node.title.clone(),
        facts: clean(&facts.join(" · ")),
        below: if page.thesis.is_empty() {
            String::new()
        } else {
            below(node)
        },
    }
}

#[derive(Template)]
#[template(path = "home.html")]
struct Home<'a> {
    frame: Frame<'a>,
    counts: Vec<Count>,
    lists: Vec<List>,
}

struct Count {
    href: &'static str,
    kind: &'static str,
    number: usize,
    label: &'static str,
}

struct List {
    title: &'static str,
    rows: Vec<Row>,
}

/// The first page: how much there is, the search, what is new and what matters most.
pub(crate) fn home(site: &str, model: &Model, gaps: &[Gap]) -> askama::Result<String> {
    let number = |kind| model.of_kind(kind).count();
    let mut counts: Vec<Count> = [
        (Kind::Paper, "lists/papers.html", "paper", "papers"),
        (Kind::Idea, "lists/ideas.html", "idea", "ideas"),
        (
            Kind::Experiment,
            "lists/experiments.html",
            "experiment",
            "experiments",
        ),
        (Kind::Claim, "lists/claims.html", "claim", "claims"),
    ]
    .map(|(kind, href, class, label)| Count {
        href,
        kind: class,
        number: number(kind),
        label,
    })
    .into();
    counts.push(Count {
        href: "gaps.html",
        kind: "gap",
        number: gaps.len(),
        label: "gaps",
    });
    counts.push(Count {
        href: "graph.html",
        kind: "other",
        number: model.relations.len(),
        label: "relations",
    });
    let mut newest: Vec<(&Node, &Summary)> = model
        .nodes
        .iter()
        .filter_map(|node| {
            Some((
                node,
                node.page.as_ref().filter(|page| !page.added.is_empty())?,
            ))
        })
        .collect();
    newest.sort_by(|(one, first), (two, second)| {
        second
            .added
            .cmp(&first.added)
            .then_with(|| one.name.cmp(&two.name))
    });
    let connected = most_connected(model, RECENT);
    let connected = connected.iter().filter_map(|(_, node)| {
        let page = node.page.as_ref()?;
        (!node.relations.is_empty()).then(|| row(node, page))
    });
    let mut lists = vec![
        List {
            title: "Added last",
            rows: newest
                .iter()
                .take(RECENT)
                .map(|(node, page)| row(node, page))
                .collect(),
        },
        List {
            title: "Most connected",
            rows: connected.collect(),
        },
    ];
    lists.retain(|list| !list.rows.is_empty());
    let frame = Frame {
        site,
        root: "",
        heading: String::from("Overview"),
        current: "",
        scripts: &["search.js", "home.js"],
    };
    Home {
        frame,
        counts,
        lists,
    }
    .render()
}

#[derive(Template)]
#[template(path = "list.html")]
struct ListPage<'a> {
    frame: Frame<'a>,
    lead: String,
    start: usize,
    rows: Vec<Row>,
    pages: Vec<Link>,
}

struct Link {
    href: String,
    label: String,
    current: bool,
}

/// The list of one kind, in pages: papers from the newest to the oldest, the others by name. Path and content of each.
pub(crate) fn lists(
    site: &str,
    model: &Model,
    kind: Kind,
) -> askama::Result<Vec<(String, String)>> {
    let mut all: Vec<(&Node, &Summary)> = model
        .of_kind(kind)
        .map(|(_, node, page)| (node, page))
        .collect();
    if kind == Kind::Paper {
        all.sort_by(|(one, first), (two, second)| {
            second
                .year
                .cmp(&first.year)
                .then_with(|| one.title.cmp(&two.title))
                .then_with(|| one.name.cmp(&two.name))
        });
    }
    let name = |number: usize| match number {
        0 => format!("{}.html", kind.folder()),
        number => format!("{}-{}.html", kind.folder(), number + 1),
    };
    let label = |part: &[(&Node, &Summary)], number: usize| {
        let years = || Some((part.first()?.1.year, part.last()?.1.year));
        match years().filter(|_| kind == Kind::Paper) {
            Some((first, last)) if first == last => format!("{} ({first})", number + 1),
            Some((first, last)) => format!("{} ({first}–{last})", number + 1),
            None => (number + 1).to_string(),
        }
    };
    let mut parts: Vec<&[(&Node, &Summary)]> = all.chunks(LISTED).collect();
    if parts.is_empty() {
        parts.push(&[]);
    }
    let labels: Vec<String> = parts
        .iter()
        .zip(0..)
        .map(|(part, number)| label(part, number))
        .collect();
    let noun = if all.len() == 1 {
        kind.to_string()
    } else {
        format!("{kind}s")
    };
    let render = |(number, part): (usize, &&[(&Node, &Summary)])| {
        let pages = labels.iter().zip(0..).map(|(label, other)| Link {
            href: name(other),
            label: label.clone(),
            current: other == number,
        });
        let heading = match number {
            0 => kind.heading().to_owned(),
            number => format!("{}, page {}", kind.heading(), number + 1),
        };
        let page = ListPage {
            frame: Frame {
                site,
                root: "../",
                heading,
                current: kind.heading(),
                scripts: &[],
            },
            lead: format!(
                "{} {noun}{}.",
                all.len(),
                if kind == Kind::Paper {
                    ", newest first"
                } else {
                    ""
                }
            ),
            start: number * LISTED + 1,
            rows: part.iter().map(|(node, page)| row(node, page)).collect(),
            pages: pages.collect(),
        };
        Ok((format!("lists/{}", name(number)), page.render()?))
    };
    parts.iter().enumerate().map(render).collect()
}

/// Relations with one type and direction, or the pages that mention this one.
pub(crate) struct Group {
    title: String,
    relations: Vec<Related>,
}

struct Related {
    href: String,
    title: String,
    why: String,
}

fn groups(model: &Model, number: usize, mentions: Option<&BTreeSet<usize>>) -> Vec<Group> {
    let mut found: BTreeMap<(bool, &str), Vec<Related>> = BTreeMap::new();
    let node = model.nodes.get(number);
    let relations = node.into_iter().flat_map(|node| &node.relations);
    let mut related = BTreeSet::new();
    for relation in relations.filter_map(|at| model.relations.get(*at)) {
        let arrives = relation.from != number;
        let other = if arrives { relation.from } else { relation.to };
        related.insert(other);
        if let Some(node) = model.nodes.get(other) {
            found
                .entry((arrives, &relation.kind))
                .or_default()
                .push(Related {
                    href: node.href.clone(),
                    title: node.title.clone(),
                    why: relation.evidence.clone(),
                });
        }
    }
    let mut groups: Vec<Group> = found
        .into_iter()
        .map(|((arrives, kind), relations)| {
            let kind = kind.replace('_', " ");
            let title = if arrives {
                format!("← {kind} this")
            } else {
                format!("This {kind} →")
            };
            Group { title, relations }
        })
        .collect();
    let mentions = mentions
        .into_iter()
        .flatten()
        .filter(|other| **other != number && !related.contains(other));
    let mentions: Vec<Related> = mentions
        .filter_map(|other| model.nodes.get(*other))
        .map(|node| Related {
            href: node.href.clone(),
            title: node.title.clone(),
            why: String::new(),
        })
        .collect();
    if !mentions.is_empty() {
        groups.push(Group {
            title: String::from("Mentioned by"),
            relations: mentions,
        });
    }
    for group in &mut groups {
        if group.relations.len() > SHOWN {
            group.title = format!(
                "{} (first {SHOWN} of {})",
                group.title,
                group.relations.len()
            );
            group.relations.truncate(SHOWN);
        }
    }
    groups
}

#[derive(Template)]
#[template(path = "page.html")]
struct NodePage<'a> {
    frame: Frame<'a>,
    kind: String,
    kind_label: &'static str,
    facts: Vec<Fact>,
    body: &'a str,
    empty: String,
    graph: String,
    groups: Vec<Group>,
}

struct Fact {
    label: &'static str,
    /// Text, and where it leads; empty for nowhere.
    values: Vec<(String, String)>,
}

fn facts(page: &Summary) -> Vec<Fact> {
    let year = if page.year > 0 {
        page.year.to_string()
    } else {
        String::new()
    };
    let plain = |label, text: &str| Fact {
        label,
        values: vec![(clean(text), String::new())],
    };
    let outcome = if page.kind == Kind::Experiment {
        "Verdict"
    } else {
        "Outcome"
    };
    let search = |tag: &String| (clean(tag), format!("../index.html?q={}", percent(tag)));
    let authors = page
        .authors
        .iter()
        .map(|name| (clean(name), String::new()))
        .collect();
    let mut facts = vec![
        Fact {
            label: "Authors",
            values: authors,
        },
        plain("Year", &year),
        plain("Venue", &page.venue),
        Fact {
            label: "arXiv",
            values: vec![(
                clean(&page.arxiv),
                format!("https://arxiv.org/abs/{}", percent(&page.arxiv)),
            )],
        },
        Fact {
            label: "DOI",
            values: vec![(
                clean(&page.doi),
                format!("https://doi.org/{}", percent(&page.doi)),
            )],
        },
        plain("Status", &page.status),
        plain("Stage", &page.stage),
        plain(outcome, &page.outcome),
        plain("Relevance", &page.relevance),
        Fact {
            label: "Tags",
            values: page.tags.iter().map(search).collect(),
        },
        plain("Added", &page.added),
    ];
    facts.retain(|fact| fact.values.iter().any(|(text, _)| !text.is_empty()));
    facts
}

/// The page of node `number`, with `body` as rendered.
pub(crate) fn node(
    site: &str,
    model: &Model,
    number: usize,
    page: &Summary,
    (body, empty): (&str, &[String]),
    mentions: Option<&BTreeSet<usize>>,
) -> askama::Result<String> {
    let (name, title) = model
        .nodes
        .get(number)
        .map_or(("", ""), |node| (node.name.as_str(), node.title.as_str()));
    NodePage {
        frame: Frame {
            site,
            root: "../",
            heading: title.to_owned(),
            current: page.kind.heading(),
            scripts: &[],
        },
        kind: page.kind.to_string(),
        kind_label: match page.kind {
            Kind::Paper => "Paper",
            Kind::Idea => "Idea",
            Kind::Experiment => "Experiment",
            Kind::Claim => "Claim",
        },
        facts: facts(page),
        body,
        empty: clean(&empty.join(", ")),
        graph: percent(name),
        groups: groups(model, number, mentions),
    }
    .render()
}

#[derive(Template)]
#[template(path = "gaps.html")]
struct GapsPage<'a> {
    frame: Frame<'a>,
    gaps: Vec<GapPart>,
    body: &'a str,
}

struct GapPart {
    anchor: String,
    id: String,
    title: String,
    graph: String,
    groups: Vec<Group>,
}

/// The page of the gaps, with the whole map as rendered in `body`.
pub(crate) fn gaps(
    site: &str,
    model: &Model,
    gaps: &[Gap],
    body: &str,
    mentions: &BTreeMap<usize, BTreeSet<usize>>,
) -> askama::Result<String> {
    let parts = gaps.iter().filter_map(|gap| {
        let name = format!("gap:{}", gap.id);
        let number = model.number(&name)?;
        Some(GapPart {
            anchor: gap.anchor(),
            id: gap.id.clone(),
            title: clean(&gap.title),
            graph: percent(&name),
            groups: groups(model, number, mentions.get(&number)),
        })
    });
    let frame = Frame {
        site,
        root: "",
        heading: String::from("Gaps"),
        current: "Gaps",
        scripts: &[],
    };
    GapsPage {
        frame,
        gaps: parts.collect(),
        body,
    }
    .render()
}

#[derive(Template)]
#[template(path = "graph.html")]
struct GraphPage<'a> {
    frame: Frame<'a>,
    starts: Vec<(String, String, String)>,
    shapes: [(&'static str, &'static str); 6],
}

/// The page of the graph.
pub(crate) fn graph(site: &str, model: &Model) -> askama::Result<String> {
    let starts = most_connected(model, 20)
        .into_iter()
        .filter(|(_, node)| !node.relations.is_empty());
    let starts = starts.map(|(_, node)| {
        let count = format!(
            "{} relation{}",
            node.relations.len(),
            if node.relations.len() == 1 { "" } else { "s" }
        );
        (percent(&node.name), node.title.clone(), count)
    });
    GraphPage {
        frame: Frame {
            site,
            root: "",
            heading: String::from("Graph"),
            current: "Graph",
            scripts: &["search.js", "graph.js"],
        },
        starts: starts.collect(),
        // The same as `SHAPES` in `graph.js`.
        shapes: [
            ("Paper", "M-7-7h14v14h-14z"),
            ("Idea", "M0-9 9 0 0 9-9 0z"),
            ("Experiment", "M0-8.5 8.5 7h-17z"),
            ("Claim", "M-8 0a8 8 0 1 0 16 0a8 8 0 1 0-16 0z"),
            ("Gap", "M-4.5-8h9l4.5 8-4.5 8h-9l-4.5-8z"),
            ("Other", "M-5 0a5 5 0 1 0 10 0a5 5 0 1 0-10 0z"),
        ],
    }
    .render()
}
