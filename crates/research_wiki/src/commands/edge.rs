//! `add_edge` and `remove_edge`.

use aris_cli::Context;

use super::connect;
use crate::cli::{AddEdgeArgs, EdgeArgs};
use crate::error::Error;
use crate::gaps;
use crate::report::{Changed, Drawn};
use crate::wiki::{Wiki, Writer};
use aris_wiki::edges::{Edge, Edges, TYPES};
use aris_wiki::node::{Kind, is_safe_name};
use aris_wiki::page::one_line;

/// `add_edge`
pub(crate) fn run(args: &AddEdgeArgs, context: &Context) -> Result<Changed, Error> {
    let AddEdgeArgs {
        edge: args,
        evidence,
        allow_missing,
    } = args;
    check_type(&args.kind)?;
    if args.from == args.to {
        return Err(Error::usage(
            format!("an edge cannot lead from {} to itself", args.from),
            "give two nodes",
        ));
    }
    let unsafe_name = |node: &&String| {
        Kind::of(node).is_some()
            && !node
                .split_once(':')
                .is_some_and(|(_, name)| is_safe_name(name))
    };
    if let Some(node) = [&args.from, &args.to].into_iter().find(unsafe_name) {
        return Err(Error::usage(
            format!("{node:?} is no node: its name cannot be that of a file"),
            "for example paper:vaswani2017_attention_all_you or gap:G1",
        ));
    }
    let mut writer = Writer::open(&args.root.folder(context), context.now())?;
    let mut edges = writer.wiki().edges()?;
    let mut changed = args.root.changed();
    let wanted = [Edge {
        from: args.from.clone(),
        to: args.to.clone(),
        kind: args.kind.clone(),
        evidence: evidence.clone(),
        added: writer.now(),
    }];
    if !allow_missing {
        check_ends(writer.wiki(), &[&args.from, &args.to])?;
    }
    draw(&mut writer, &mut edges, &wanted, &mut changed)?;
    for note in &changed.notes {
        context.warn(note);
    }
    Ok(changed)
}

/// `remove_edge`
pub(crate) fn remove(args: &EdgeArgs, context: &Context) -> Result<Changed, Error> {
    let mut writer = Writer::open(&args.root.folder(context), context.now())?;
    let key = (args.from.as_str(), args.to.as_str(), args.kind.as_str());
    let edges = writer.wiki().edges()?;
    if !edges.list().iter().any(|edge| edge.key() == key) {
        // The graph may hold an edge whose type is unknown; it can be removed.
        check_type(&args.kind)?;
        let (from, kind, to) = (&args.from, &args.kind, &args.to);
        let what = format!("there is no edge {from} --{kind}--> {to}");
        return Err(Error::absent(what, "show NODE lists the edges of a page"));
    }
    let edges = writer.rewrite_edges(&|edge| (edge.key() != key).then(|| edge.clone()))?;
    let mut changed = args.root.changed();
    let words = format!("{} --{}--> {}", args.from, args.kind, args.to);
    writer.log(&[format!("remove_edge: {words}")])?;
    connect(
        &mut writer,
        &edges,
        [args.from.as_str(), args.to.as_str()],
        &mut changed,
    )?;
    writer.refresh(&edges)?;
    changed.lines.push(format!("Edge removed: {words}"));
    for note in &changed.notes {
        context.warn(note);
    }
    Ok(changed)
}

fn check_type(kind: &str) -> Result<(), Error> {
    if TYPES.contains(&kind) {
        return Ok(());
    }
    Err(Error::usage(
        format!("{kind:?} is no type of an edge: {}", TYPES.join(", ")),
        "use one of these types",
    ))
}

/// Refuses edge ends that are not nodes or whose pages do not exist. A gap has no page: `gap_map.md` must name it. While the map
/// has no gaps, any gap is accepted.
pub(crate) fn check_ends(wiki: &Wiki, ends: &[&str]) -> Result<(), Error> {
    let gaps = gaps::parse(&wiki.gap_map()?);
    for node in ends {
        let gap = node.strip_prefix("gap:");
        let missing = |gap: &str| !gaps.is_empty() && !gaps.iter().any(|known| known.id == gap);
        if let Some(gap) = gap.filter(|gap| missing(gap)) {
            let names: Vec<&str> = gaps.iter().map(|gap| gap.id.as_str()).collect();
            return Err(Error::absent(
                format!(
                    "gap_map.md has no gap {gap}, which the edge names; it has {}",
                    names.join(", ")
                ),
                "write the gap there first, or give --allow-missing where many are imported",
            ));
        }
        let known = Kind::of(node).is_some();
        if !known && !node.starts_with("gap:") {
            return Err(Error::usage(
                format!(
                    "{node:?} is no node: a node is paper:, idea:, exp:, claim: or gap: and a name"
                ),
                "for example paper:vaswani2017_attention_all_you or gap:G1",
            ));
        }
        if known && wiki.find(node).is_none() {
            let names = wiki.pages().map(|page| page.node);
            let hint = nearest(node, names).map_or_else(
                || {
                    String::from(
                        "create its page first, or add the edge anyway with --allow-missing",
                    )
                },
                |near| format!("did you mean {near}?"),
            );
            let what = format!("{node} has no page, so that no edge to it is added");
            return Err(Error::absent(what, &hint));
        }
    }
    Ok(())
}

/// The name that shares the longest prefix with `node`; `None` unless it shares more than the kind and three bytes.
fn nearest<'a>(node: &str, names: impl Iterator<Item = &'a str>) -> Option<String> {
    let start = node.find(':').map_or(0, |at| at + 1);
    let common = |name: &str| {
        node.bytes()
            .zip(name.bytes())
            .take_while(|(one, two)| one == two)
            .count()
    };
    let best = names.max_by_key(|name| common(name))?;
    (common(best) > start + 3).then(|| best.to_owned())
}

/// Adds the edges that do not exist yet, and updates the pages at their ends.
pub(crate) fn draw(
    writer: &mut Writer,
    edges: &mut Edges,
    wanted: &[Edge],
    changed: &mut Changed,
) -> Result<(), Error> {
    let mut new = Vec::new();
    for edge in wanted {
        let Edge { from, to, kind, .. } = edge;
        for node in [from, to] {
            if node.trim().is_empty() || one_line(node) != *node {
                return Err(Error::usage(
                    format!("{node:?} is no node"),
                    "a node is a word like paper:vaswani2017_attention_all_you or gap:G1",
                ));
            }
        }
        let added = edges.insert(edge.clone());
        let word = if added { "added" } else { "already exists" };
        changed
            .lines
            .push(format!("Edge {word}: {from} --{kind}--> {to}"));
        changed.edges.push(Drawn {
            from: from.clone(),
            to: to.clone(),
            kind: kind.clone(),
            added,
        });
        if added {
            new.push(edge.clone());
        }
    }
    writer.append_edges(&new)?;
    let ends = wanted.iter().flat_map(|edge| [&edge.from, &edge.to]);
    connect(writer, edges, ends.map(String::as_str), changed)
}
