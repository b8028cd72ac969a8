//! `init`, `rebuild_index`, `rebuild_query_pack`, `query` and `log`.

use aris_cli::Context;

use crate::cli::{LogArgs, PackArgs, Root};
use crate::error::Error;
use crate::pack::{Pack, Wish};
use crate::report::{Changed, Packed, PackedSection};
use crate::wiki::Writer;
use aris_wiki::node::Kind;

/// The files of a new wiki, byte for byte as the reference writes them.
const FILES: [(&str, &str); 5] = [
    (
        "index.md",
        "# Research Wiki Index\n\n_Auto-generated. Do not edit._\n",
    ),
    ("log.md", "# Research Wiki Log\n\n_Append-only timeline._\n"),
    ("gap_map.md", "# Gap Map\n\n_Field gaps with stable IDs._\n"),
    (
        "query_pack.md",
        "# Query Pack\n\n_Auto-generated for /idea-creator. Max 8000 chars._\n",
    ),
    ("graph/edges.jsonl", ""),
];

/// `init`
pub(crate) fn init(root: &Root, context: &Context) -> Result<Changed, Error> {
    let folder = root.folder(context);
    crate::wiki::refuse_ways_out(&folder)?;
    // `papers` makes a folder a wiki, so it is created last: a killed `init` leaves no wiki behind.
    for kind in Kind::ALL.into_iter().rev() {
        if kind == Kind::Paper {
            aris_fs::create_dir(&folder.join("graph"))?;
            for (name, text) in FILES {
                aris_fs::write_new(&folder.join(name), text.as_bytes())?;
            }
        }
        aris_fs::create_dir(&folder.join(kind.folder()))?;
    }
    let mut writer = Writer::open(&folder, context.now())?;
    writer.log(&[String::from("Wiki initialized")])?;
    let mut changed = root.changed();
    changed
        .lines
        .push(format!("Research wiki initialized at {}", changed.wiki));
    Ok(changed)
}

/// `rebuild_index`
pub(crate) fn index(root: &Root, context: &Context) -> Result<Changed, Error> {
    let writer = Writer::open(&root.folder(context), context.now())?;
    writer.refresh_index()?;
    Ok(root.changed())
}

/// `rebuild_query_pack` and `query`
pub(crate) fn pack(
    args: &PackArgs,
    topic: Option<&str>,
    context: &Context,
) -> Result<Packed, Error> {
    let writer = Writer::open(&args.root.folder(context), context.now())?;
    let wish = Wish {
        topic: topic.map(str::to_owned),
        max_chars: args.max_chars,
    };
    let edges = writer.wiki().edges()?;
    let pack = writer.refresh_with(&edges, &wish)?;
    Ok(packed(&args.root, &pack, args.max_chars))
}

fn packed(root: &Root, pack: &Pack, max_chars: usize) -> Packed {
    Packed {
        path: root.shown().join("query_pack.md").display().to_string(),
        chars: pack.text.chars().count(),
        max_chars,
        sections: pack
            .sections
            .iter()
            .map(|section| PackedSection {
                title: section.title.clone(),
                budget: section.budget,
                chars: section.lines.join("\n").chars().count(),
                lines: section.lines.len(),
                left_out: section.left_out,
            })
            .collect(),
    }
}

/// `log`
pub(crate) fn log(args: &LogArgs, context: &Context) -> Result<Changed, Error> {
    let mut writer = Writer::open(&args.root.folder(context), context.now())?;
    writer.log(std::slice::from_ref(&args.message))?;
    Ok(args.root.changed())
}
