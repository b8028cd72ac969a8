//! `add_edge`.

use aris_cli::Context;

use super::connect;
use crate::cli::EdgeArgs;
use crate::edges::{Edge, Edges, TYPES};
use crate::error::Error;
use crate::page::one_line;
use crate::report::{Changed, Drawn};
use crate::wiki::Writer;

/// `add_edge`
pub(crate) fn run(args: &EdgeArgs, context: &Context) -> Result<Changed, Error> {
    if !TYPES.contains(&args.kind.as_str()) {
        context.warn(&format!(
            "unknown edge type '{}'; known: {}",
            args.kind,
            TYPES.join(", ")
        ));
    }
    let mut writer = Writer::open(&args.root.folder(context), context.now())?;
    let mut edges = writer.wiki().edges()?;
    let mut changed = args.root.changed();
    let wanted = [(
        args.from.as_str(),
        args.to.as_str(),
        args.kind.as_str(),
        args.evidence.as_str(),
    )];
    draw(&mut writer, &mut edges, &wanted, &mut changed)?;
    for note in &changed.notes {
        context.warn(note);
    }
    Ok(changed)
}

/// Draws the edges (from, to, type, evidence) that are not there, and brings the pages at their ends in line.
pub(crate) fn draw(
    writer: &mut Writer,
    edges: &mut Edges,
    wanted: &[(&str, &str, &str, &str)],
    changed: &mut Changed,
) -> Result<(), Error> {
    let mut new = Vec::new();
    for (from, to, kind, evidence) in wanted {
        for node in [from, to] {
            if node.trim().is_empty() || one_line(node) != **node {
                return Err(Error::usage(
                    format!("{node:?} is no node"),
                    "a node is a word like paper:vaswani2017_attention_all_you or gap:G1",
                ));
            }
        }
        let edge = Edge {
            from: (*from).to_owned(),
            to: (*to).to_owned(),
            kind: (*kind).to_owned(),
            evidence: (*evidence).to_owned(),
            added: writer.now(),
        };
        let added = edges.insert(edge.clone());
        let word = if added { "added" } else { "already exists" };
        changed
            .lines
            .push(format!("Edge {word}: {from} --{kind}--> {to}"));
        changed.edges.push(Drawn {
            from: edge.from.clone(),
            to: edge.to.clone(),
            kind: edge.kind.clone(),
            added,
        });
        if added {
            new.push(edge);
        }
    }
    writer.append_edges(&new)?;
    let mut ends: Vec<&str> = wanted
        .iter()
        .flat_map(|(from, to, _, _)| [*from, *to])
        .collect();
    ends.sort_unstable();
    ends.dedup();
    connect(writer, edges, ends, changed)
}
