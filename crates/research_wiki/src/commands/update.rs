//! `update` and `set_status`.

use aris_cli::Context;

use super::{items, touched};
use crate::cli::{NodeArgs, StatusArgs, UpdateArgs};
use crate::error::Error;
use crate::report::{Action, Changed};
use crate::wiki::Writer;
use aris_wiki::node::Kind;
use aris_wiki::page::{Page, one_line, scalar};

/// Fields that hold lists.
const LISTS: [&str; 6] = [
    "authors",
    "tags",
    "based_on",
    "target_gaps",
    "merged",
    "claims",
];

/// Fields whose values the reference writes in quotes.
const QUOTED: [&str; 3] = ["title", "venue", "statement"];

/// Status of a claim.
pub(crate) const CLAIM: [&str; 4] = ["reported", "supported", "partial", "invalidated"];
/// Outcome of an idea.
pub(crate) const OUTCOME: [&str; 4] = ["unknown", "negative", "mixed", "positive"];
/// Stage of an idea.
pub(crate) const STAGE: [&str; 4] = ["proposed", "piloted", "tested", "archived"];
/// Verdict of an experiment.
pub(crate) const VERDICT: [&str; 3] = ["yes", "partial", "no"];

/// Fields with a fixed set of values. All others hold any text.
const STATUS: [(Kind, &str, &[&str]); 4] = [
    (Kind::Claim, "status", &CLAIM),
    (Kind::Experiment, "verdict", &VERDICT),
    (Kind::Idea, "outcome", &OUTCOME),
    (Kind::Idea, "stage", &STAGE),
];

/// `update`
pub(crate) fn field(args: &UpdateArgs, context: &Context) -> Result<Changed, Error> {
    let (kind, value) = (Kind::of(&args.node.node), args.value.as_str());
    let mut fields = STATUS.iter();
    let field = fields.find(|(of, field, _)| Some(*of) == kind && *field == args.field);
    if let Some((_, field, words)) = field.filter(|(.., words)| !words.contains(&value)) {
        return Err(no_word(field, words, value));
    }
    set(&args.node, &args.field, value, context)
}

/// `set_status`
pub(crate) fn status(args: &StatusArgs, context: &Context) -> Result<Changed, Error> {
    let (kind, status) = (Kind::of(&args.node.node), args.status.as_str());
    let mut fields = STATUS.iter().filter(|(of, ..)| Some(*of) == kind);
    let Some((_, last, words)) = fields.clone().next_back() else {
        let node = &args.node.node;
        let (what, hint) = match kind {
            Some(_) => (
                format!("{node} has no status"),
                "claims, ideas and experiments have one; for a field of a paper use update",
            ),
            None => (
                format!("{node} does not say which kind of page it is"),
                "put the kind before the name, as in claim:C1",
            ),
        };
        return Err(Error::usage(what, hint));
    };
    match fields.find(|(.., words)| words.contains(&status)) {
        Some((_, field, _)) => set(&args.node, field, status, context),
        None => Err(no_word(last, words, status)),
    }
}

fn no_word(field: &str, words: &[&str], value: &str) -> Error {
    let what = format!("{value:?} is no {field}: {}", words.join(", "));
    Error::usage(what, "use one of these words")
}

fn set(node: &NodeArgs, field: &str, value: &str, context: &Context) -> Result<Changed, Error> {
    check_field(field)?;
    let mut writer = Writer::open(&node.root.folder(context), context.now())?;
    let old = node.root.find(writer.wiki(), &node.node)?.clone();
    let mut page = writer.wiki().page(old.kind, old.file)?;
    if page.scalar(field).as_deref() != Some(value) {
        set_field(&mut page, field, value);
    }
    let written = writer.write(old.kind, old.file, &page)?;
    let said = format!("{} {field}: {}", node.node, one_line(value));
    if written {
        writer.log(&[format!("update: {said}")])?;
    }
    let edges = writer.wiki().edges()?;
    writer.refresh(&edges)?;
    let mut changed = node.root.changed();
    let (action, word) = if written {
        (Action::Updated, "Updated")
    } else {
        (Action::Unchanged, "Unchanged")
    };
    changed.lines.push(format!("{word}: {said}"));
    changed
        .pages
        .push(touched(old.node, old.kind, old.file, action));
    Ok(changed)
}

/// Checks that `field` is the name of a field and may be set; the fields that identify the page may not.
pub(crate) fn check_field(field: &str) -> Result<(), Error> {
    let part = |part: &str| {
        part.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && part
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'))
    };
    if field.split('.').count() > 2 || !field.split('.').all(part) {
        return Err(Error::usage(
            format!("{field:?} is no field"),
            "for example relevance, or external_ids.doi",
        ));
    }
    if matches!(field, "node_id" | "type") {
        return Err(Error::usage(
            format!("{field} says which page it is and cannot be set"),
            "make a new page, or use merge",
        ));
    }
    Ok(())
}

/// Sets a field, as a list, quoted or plain, depending on its name or its old value.
pub(crate) fn set_field(page: &mut Page, field: &str, value: &str) {
    let value = one_line(value);
    let written = if LISTS.contains(&field) || page.list(field).len() > 1 {
        scalar::list(&items(&value))
    } else if QUOTED.contains(&field) || field.starts_with("external_ids.") {
        scalar::quoted(&value)
    } else {
        scalar::bare(&value)
    };
    page.set(field, &written);
}
