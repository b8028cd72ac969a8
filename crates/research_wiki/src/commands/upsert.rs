//! `upsert_idea`, `upsert_experiment` and `upsert_claim`: a page is created, or what is given is set on the one there is.

use aris_cli::Context;

use super::edge::draw;
use super::update::{CLAIM, OUTCOME, STAGE, VERDICT, check_field, known, set_field};
use super::{items, touched};
use crate::cli::{ClaimArgs, ExperimentArgs, IdeaArgs, UpsertArgs};
use crate::error::Error;
use crate::report::{Action, Changed};
use crate::source::Source;
use crate::wiki::Writer;
use aris_wiki::edges::Edge;
use aris_wiki::node::{Kind, is_safe_name};
use aris_wiki::page::scalar::{bare, quoted};
use aris_wiki::page::{CONNECTIONS_PLACEHOLDER, Filled, Page, one_line, visible};

/// What is to be on a page.
#[derive(Default)]
struct Wanted {
    fields: Vec<(&'static str, String)>,
    sections: Vec<(&'static str, String)>,
    /// (type, whether it starts here, the other node, evidence).
    edges: Vec<(&'static str, bool, String, String)>,
}

impl Wanted {
    fn field(&mut self, name: &'static str, value: Option<&String>) {
        self.fields.extend(value.map(|value| (name, value.clone())));
    }

    fn section(&mut self, title: &'static str, text: Option<&String>) {
        self.sections.extend(text.map(|text| (title, text.clone())));
    }
}

/// `upsert_idea`
pub(crate) fn idea(args: &IdeaArgs, context: &Context) -> Result<Changed, Error> {
    let mut wanted = Wanted::default();
    if let Some(stage) = &args.stage {
        known("stage", &STAGE, stage)?;
    }
    if let Some(outcome) = &args.outcome {
        known("outcome", &OUTCOME, outcome)?;
    }
    wanted.field("stage", args.stage.as_ref());
    wanted.field("outcome", args.outcome.as_ref());
    for (field, kind, nodes, prefix) in [
        ("based_on", "inspired_by", &args.based_on, "paper:"),
        ("target_gaps", "addresses_gap", &args.target_gaps, "gap:"),
    ] {
        let nodes: Vec<String> = items(nodes)
            .iter()
            .map(|node| prefixed(node, prefix))
            .collect();
        if !nodes.is_empty() {
            wanted.fields.push((field, nodes.join(", ")));
        }
        wanted.edges.extend(
            nodes
                .into_iter()
                .map(|node| (kind, true, node, String::new())),
        );
    }
    wanted.section("Hypothesis", args.hypothesis.as_ref());
    wanted.section("Proposed Method", args.method.as_ref());
    wanted.section("Expected Outcome", args.expected.as_ref());
    wanted.section("Actual Outcome", args.actual.as_ref());
    wanted.section("Failure / Risk Notes", args.failure.as_ref());
    wanted.section("Lessons Learned", args.lessons.as_ref());
    upsert(Kind::Idea, &args.common, &wanted, context)
}

/// `upsert_experiment`
pub(crate) fn experiment(args: &ExperimentArgs, context: &Context) -> Result<Changed, Error> {
    let mut wanted = Wanted::default();
    if let Some(verdict) = &args.verdict {
        known("verdict", &VERDICT, verdict)?;
    }
    if let Some(idea) = &args.idea {
        let idea = prefixed(idea, "idea:");
        wanted.fields.push(("idea_id", idea.clone()));
        wanted.edges.push(("tested_by", false, idea, String::new()));
    }
    wanted.field("verdict", args.verdict.as_ref());
    wanted.field("confidence", args.confidence.as_ref());
    wanted.field("date", args.date.as_ref());
    wanted.field("hardware", args.hardware.as_ref());
    wanted.field("duration", args.duration.as_ref());
    wanted.field("metrics", args.metrics.as_ref());
    wanted.section("Reasoning", args.reasoning.as_ref());
    let why = args.metrics.clone().unwrap_or_default();
    for (kind, nodes) in [
        ("supports", &args.supports),
        ("invalidates", &args.invalidates),
    ] {
        let nodes = items(nodes)
            .into_iter()
            .map(|node| prefixed(&node, "claim:"));
        wanted
            .edges
            .extend(nodes.map(|node| (kind, true, node, why.clone())));
    }
    upsert(Kind::Experiment, &args.common, &wanted, context)
}

/// `upsert_claim`
pub(crate) fn claim(args: &ClaimArgs, context: &Context) -> Result<Changed, Error> {
    let mut wanted = Wanted::default();
    if let Some(status) = &args.status {
        known("status", &CLAIM, status)?;
    }
    wanted.field("status", args.status.as_ref());
    wanted.section("Statement", args.statement.as_ref());
    if let Some(text) = &args.source {
        let source = Source::parse(text)?;
        let digest = source.digest(&args.common.root.folder(context))?;
        let digest = digest.ok_or_else(|| {
            Error::usage(
                format!("{} has no such lines", source.path),
                "name lines that are there",
            )
        })?;
        wanted.fields.push(("source", source.path.clone()));
        wanted.fields.push((
            "source_lines",
            source.shown_lines().unwrap_or_else(|| String::from("all")),
        ));
        wanted.fields.push(("source_sha256", digest));
    }
    upsert(Kind::Claim, &args.common, &wanted, context)
}

/// A node with what stands before its colon.
fn prefixed(node: &str, prefix: &str) -> String {
    if node.contains(':') {
        node.to_owned()
    } else {
        format!("{prefix}{node}")
    }
}

fn upsert(
    kind: Kind,
    args: &UpsertArgs,
    wanted: &Wanted,
    context: &Context,
) -> Result<Changed, Error> {
    let prefix = format!("{}:", kind.prefix());
    let id = args.id.strip_prefix(&prefix).unwrap_or(&args.id);
    if !is_safe_name(id) {
        return Err(Error::usage(
            format!("{id:?} is no name of a page"),
            "letters, digits, _, - and . make a name, such as C1",
        ));
    }
    for (field, _) in &args.settings {
        check_field(field)?;
    }
    let node = format!("{prefix}{id}");
    let mut writer = Writer::open(&args.root.folder(context), context.now())?;
    let mut changed = args.root.changed();
    if !args.allow_missing {
        let ends: Vec<&str> = wanted.edges.iter().map(|edge| edge.2.as_str()).collect();
        super::edge::check_ends(writer.wiki(), &ends)?;
    }
    let old = writer.wiki().find(&node).map(|page| page.file);
    let file = old.map_or_else(|| format!("{id}.md"), str::to_owned);
    let path = writer.wiki().path(kind, &file);
    let created = old.is_none();
    if created && path.symlink_metadata().is_ok() {
        return Err(Error::page(&path, &format!("it is not the page of {node}")));
    }
    let mut page = if created {
        new_page(
            kind,
            &node,
            args.title.as_deref().unwrap_or(id),
            &writer.now(),
        )
    } else {
        writer.wiki().page(kind, &file)?
    };
    if let Some(title) = args.title.as_deref().map(one_line) {
        let before = page.scalar("title").unwrap_or_default();
        if before != title {
            page.set("title", &quoted(&title));
            page.retitle(&before, &title);
        }
    }
    let settings = args
        .settings
        .iter()
        .map(|(field, value)| (field.as_str(), value.as_str()));
    for (field, value) in wanted
        .fields
        .iter()
        .map(|(field, value)| (*field, value.as_str()))
        .chain(settings)
    {
        merge_field(&mut page, field, value);
    }
    if !args.tags.is_empty() {
        merge_field(&mut page, "tags", &args.tags);
    }
    let given = args
        .sections
        .iter()
        .map(|(title, text)| (title.as_str(), text.as_str()));
    for (title, text) in wanted
        .sections
        .iter()
        .map(|(title, text)| (*title, text.as_str()))
        .chain(given)
    {
        let text = visible(text);
        if args.replace {
            page.overwrite(title, &text);
        } else if page.fill(title, &text) == Filled::Kept {
            let note = format!(
                "the section \"{title}\" of {node} stays as somebody wrote it (--replace writes it)"
            );
            changed.warn(context, note);
        }
    }
    let written = writer.write(kind, &file, &page)?;
    let mut edges = writer.wiki().edges()?;
    let new = wanted.edges.iter().map(|(kind, here, other, why)| {
        let (from, to) = if *here {
            (&node, other)
        } else {
            (other, &node)
        };
        Edge {
            from: from.clone(),
            to: to.clone(),
            kind: (*kind).to_owned(),
            evidence: why.clone(),
            added: writer.now(),
        }
    });
    let new: Vec<Edge> = new.collect();
    draw(&mut writer, &mut edges, &new, &mut changed)?;
    let (action, word) = match (created, written) {
        (true, _) => (Action::Created, "created"),
        (false, true) => (Action::Updated, "updated"),
        (false, false) => (Action::Unchanged, "unchanged"),
    };
    if written || changed.edges.iter().any(|edge| edge.added) {
        writer.log(&[format!("upsert_{kind}: {word} {node}")])?;
    }
    writer.refresh(&edges)?;
    changed.lines.insert(
        0,
        format!("{node} {word}: {}", super::below(&args.root, kind, &file)),
    );
    changed.pages.push(touched(&node, kind, &file, action));
    Ok(changed)
}

/// Sets a field; to a list the items are added that it does not have.
fn merge_field(page: &mut Page, field: &str, value: &str) {
    if !matches!(field, "tags" | "based_on" | "target_gaps") {
        if page.scalar(field).as_deref() != Some(value) {
            set_field(page, field, value);
        }
        return;
    }
    page.add_items(field, items(value));
}

/// A page with the fields and headings that the skills read and write.
fn new_page(kind: Kind, node: &str, title: &str, now: &str) -> Page {
    let (fields, headings): (&[(&str, &str)], &[&str]) = match kind {
        Kind::Idea => (
            &[
                ("stage", "proposed"),
                ("outcome", "unknown"),
                ("based_on", "[]"),
                ("target_gaps", "[]"),
            ],
            &[
                "Hypothesis",
                "Proposed Method",
                "Expected Outcome",
                "Actual Outcome",
                "Failure / Risk Notes",
                "Lessons Learned",
                "Reusable Components",
            ],
        ),
        Kind::Experiment => (&[], &["Setup", "Results", "Reasoning"]),
        Kind::Claim => (&[("status", "reported")], &["Statement", "Evidence"]),
        Kind::Paper => (&[], &[]),
    };
    let word = bare(&kind.to_string());
    let title = &one_line(title);
    let mut text = format!(
        "---\ntype: {word}\nnode_id: {node}\ntitle: {}\n",
        quoted(title)
    );
    for (field, value) in fields {
        text.push_str(&[*field, ": ", *value, "\n"].concat());
    }
    text.push_str(&["tags: []\nadded: ", now, "\n---\n\n# ", title, "\n\n"].concat());
    for heading in headings {
        text.push_str(&["## ", *heading, "\n_TODO._\n\n"].concat());
    }
    text.push_str(&["## Connections\n", CONNECTIONS_PLACEHOLDER, "\n"].concat());
    Page::parse(text)
}
