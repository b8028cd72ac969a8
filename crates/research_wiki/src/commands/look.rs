//! Commands that only read.

use aris_cli::Context;

use crate::cli::{NodeArgs, Root, SlugArgs};
use crate::error::Error;
use crate::report::{Shown, Slug, Stats};
use crate::slug::slug;
use crate::wiki::Wiki;
use aris_wiki::node::Kind;

/// `slug`
pub(crate) fn slug_of(args: &SlugArgs) -> Slug {
    Slug {
        slug: slug(&args.title, &args.author, args.year),
    }
}

/// `stats`
pub(crate) fn stats(root: &Root, context: &Context) -> Result<Stats, Error> {
    let wiki = Wiki::open(&root.folder(context))?;
    for problem in wiki.unreadable() {
        context.warn(&format!("{}: {}", problem.path, problem.why));
    }
    let count = |kind| wiki.of_kind(kind).count();
    let ideas = |outcome| {
        let ideas = wiki.of_kind(Kind::Idea);
        ideas.filter(|page| page.outcome == outcome).count()
    };
    let claims = |status| {
        let claims = wiki.of_kind(Kind::Claim);
        claims.filter(|page| page.status == status).count()
    };
    Ok(Stats {
        wiki: root.shown().display().to_string(),
        papers: count(Kind::Paper),
        ideas: count(Kind::Idea),
        ideas_failed: ideas("negative"),
        ideas_succeeded: ideas("positive"),
        experiments: count(Kind::Experiment),
        claims: count(Kind::Claim),
        claims_supported: claims("supported"),
        claims_invalidated: claims("invalidated"),
        edges: wiki.edges()?.list().len(),
        unreadable: wiki.unreadable().len(),
    })
}

/// `show`
pub(crate) fn show(args: &NodeArgs, context: &Context) -> Result<Shown, Error> {
    let wiki = Wiki::open(&args.root.folder(context))?;
    let page = args.root.find(&wiki, &args.node)?;
    let edges = wiki.edges()?;
    Ok(Shown {
        node: page.node.to_owned(),
        path: page.path(),
        title: page.title.to_owned(),
        text: wiki.page(page.kind, page.file)?.text().to_owned(),
        edges: edges.of(page.node).cloned().collect(),
    })
}
