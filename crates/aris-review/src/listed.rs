//! Findings that are listed in the text of a review, because no comment on a line could carry them. They are settled like comments, each
//! under a number of its own.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use crate::marker;
use crate::profile::Profile;

/// The first number of such findings: above the numbers of comments, and small enough that a double holds each of them exactly.
const FIRST: u64 = 1 << 52;

/// Whether a number is that of a finding listed in the text of a review.
pub fn is_listed(number: u64) -> bool {
    number >= FIRST
}

/// The number of a finding with this fingerprint; `None` where that is not hexadecimal.
pub(crate) fn number(print: &str) -> Option<u64> {
    let print = u64::from_str_radix(print, 16).ok()?;
    Some(FIRST | (print & (FIRST - 1)))
}

/// The text of a review that answers a listed finding. `place` and `said` are those of the finding; `reply` says what was done about it.
pub fn answer(
    profile: &Profile,
    number: u64,
    (place, said): (&str, &str),
    reply: &str,
    settled: bool,
) -> String {
    let text = format!("`{place}` {said}\n\n{reply}");
    if settled {
        let mark = marker::of_settled(profile, number);
        return format!("{text}\n\n{mark}");
    }
    text
}

/// The findings listed in the texts of reviews that are still open, in the form of comments. `counts` says whose reviews count. A later
/// review settles a finding that it does not list any more, if those who found it have looked again. A finding in an open thread is left
/// out: it is settled there.
pub(crate) fn open(
    profile: &Profile,
    reviews: &[Value],
    in_open_threads: &[&Value],
    counts: impl Fn(&Value) -> bool,
) -> Vec<Value> {
    let mut open: BTreeMap<u64, Value> = BTreeMap::new();
    // A review may have several texts; the last one carries the mark.
    let mut part = BTreeMap::new();
    for review in reviews {
        let body = text(review);
        if !counts(review) {
            continue;
        }
        part.extend(listed(profile, review, body));
        if let Some(number) = marker::settled_in(profile, body) {
            open.remove(&number);
        }
        if let Some(looked) = marker::looked_in(profile, body) {
            open.retain(|_, finding| {
                let rules = marker::is_of_rules(text(finding));
                !(if rules { looked.rules } else { looked.agents })
            });
            open.append(&mut part);
        }
    }
    open.append(&mut part);
    let texts = in_open_threads.iter().map(|comment| text(comment));
    let prints = texts.flat_map(|body| marker::findings_in(profile, body));
    let there: BTreeSet<&str> = prints.collect();
    open.retain(|_, finding| {
        let mut prints = marker::findings_in(profile, text(finding));
        !prints.any(|print| there.contains(print))
    });
    open.into_values().collect()
}

/// The findings in one text, in the form that `Review::item` writes.
fn listed<'a>(
    profile: &'a Profile,
    review: &'a Value,
    body: &'a str,
) -> impl Iterator<Item = (u64, Value)> + 'a {
    let lines = body.lines().zip(body.lines().skip(1));
    lines.filter_map(move |(item, mark)| {
        let print = marker::findings_in(profile, mark).next()?;
        let (place, said) = item.strip_prefix("- `")?.split_once("` ")?;
        let number = number(print)?;
        let (path, line) = match place.rsplit_once(':') {
            Some((path, line)) => (path, line.parse::<u32>().ok()),
            None => (place, None),
        };
        let path = if line.is_some() { path } else { place };
        let finding = json!({
            "id": number, "path": path, "line": line, "body": format!("{said}\n\n{}", mark.trim()),
            "author_association": review["author_association"], "user": review["user"],
        });
        Some((number, finding))
    })
}

fn text(entry: &Value) -> &str {
    entry
        .get("body")
        .and_then(Value::as_str)
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Also, Finding, Gate, Looked, Review, Severity, Verdict};

    #[test]
    fn what_a_review_lists_is_read_again() {
        let profile = Gate::Claims.profile();
        let mut second = Finding::of_rule(
            "r",
            Severity::Warning,
            "external",
            ("b: c.md", None),
            "x\n- `a:1` [info] y: z",
        );
        second.also.push(Also {
            severity: Severity::Critical,
            dimension: String::from("comparative"),
            message: String::from("first?"),
            requires_decision: false,
            rule: None,
            source: None,
            fingerprint: String::new(),
        });
        let findings = [
            Finding::of_rule(
                "r",
                Severity::Critical,
                "external",
                ("a.md", Some(3)),
                "no source",
            ),
            second.identified(),
        ];
        let review = Review {
            profile,
            verdict: Verdict::ChangesRequested,
            findings: &findings,
            unreadable: 0,
            login: None,
            head: None,
            looked: Looked::default(),
            held_by: None,
            unseen: None,
        };
        let refused = findings.iter().map(|finding| finding.fingerprint.as_str());
        let texts = review.texts(&refused.collect(), true);
        let reviews: Vec<Value> = texts.iter().map(|text| json!({"body": text})).collect();
        let mut open = open(profile, &reviews, &[], |_| true);
        open.sort_by_key(|finding| finding["path"].to_string());
        let said = |at: usize| (open[at]["path"].clone(), open[at]["line"].clone());
        assert_eq!((open.len(), said(0)), (3, (json!("a.md"), json!(3))));
        assert_eq!(said(1), (json!("b: c.md"), Value::Null));
        let mut bodies = open.iter().map(text);
        assert!(
            bodies.any(|body| body.starts_with("[critical] comparative: first?")),
            "{open:?}"
        );
        assert!(
            open.iter()
                .all(|finding| finding["id"].as_u64().is_some_and(is_listed))
        );
    }
}
