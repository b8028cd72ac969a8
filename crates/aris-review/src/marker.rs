//! The invisible marks in comments and reviews by which a gate recognizes its own.
//!
//! A mark can be copied, so it is no proof of who wrote the text. It counts only in what the logged-in user wrote.

use serde_json::Value;
use sha2::{Digest as _, Sha256};
use strum::VariantArray as _;

use crate::finding::{Finding, Source, short_hex};
use crate::profile::{Gate, Profile};
use crate::verdict::Verdict;

/// Who has looked at the whole pull request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Looked {
    /// The rules.
    pub rules: bool,
    /// Agents.
    pub agents: bool,
}

/// The mark of a finding: its fingerprint, and who found it.
pub(crate) fn of_finding(profile: &Profile, finding: &Finding) -> String {
    let by = finding.source.unwrap_or(Source::Agent);
    let (gate, print) = (profile.marker, &finding.fingerprint);
    format!("<!-- aris:{gate} fp={print} by={by} -->")
}

/// The mark of a review that says all this, who has looked at everything, and the verdict.
pub(crate) fn of_review(
    profile: &Profile,
    digest: &str,
    looked: Looked,
    verdict: Verdict,
) -> String {
    let rules = if looked.rules { LOOKED[0] } else { "" };
    let agents = if looked.agents { LOOKED[1] } else { "" };
    let gate = profile.marker;
    format!("<!-- aris:{gate} review={digest}{rules}{agents}{VERDICT}{verdict} -->")
}

/// These follow the digest of a review: the rules have looked; agents have looked.
const LOOKED: [&str; 2] = [" looked=rules", " looked=agents"];

/// Before the verdict in the mark of a review.
const VERDICT: &str = " verdict=";

/// The latest review, of these, of one of the other gates that stands and does not approve; the marker of that gate. A review that somebody has
/// dismissed does not stand.
pub(crate) fn other_gate_open<'v>(
    profile: &Profile,
    reviews: impl Iterator<Item = &'v Value> + Clone,
) -> Option<&'static str> {
    let text = |review: &'v Value, key| review.get(key).and_then(Value::as_str);
    let others = Gate::VARIANTS.iter().map(|gate| gate.profile());
    let mut others = others.filter(|other| other.marker != profile.marker);
    let open = others.find(|other| {
        let of_it = reviews.clone().filter_map(|review| {
            let body = text(review, "body")?;
            review_in(other, body)?;
            let begin = format!("<!-- aris:{} review=", other.marker);
            let mark = body.lines().find(|line| line.trim().starts_with(&begin));
            let verdict = mark.and_then(|mark| mark.split_once(VERDICT));
            let verdict = verdict.and_then(|(_, rest)| rest.split(' ').next());
            Some((
                text(review, "submitted_at"),
                text(review, "state")?,
                verdict,
            ))
        });
        // Of equal times the last counts.
        match of_it.max_by_key(|(time, _, _)| *time) {
            None | Some((_, "DISMISSED", _)) => false,
            Some((_, _, Some(verdict))) => verdict != Verdict::Approved.to_string(),
            // As it was before the mark said the verdict.
            Some((_, state, None)) => state == "CHANGES_REQUESTED",
        }
    });
    open.map(|other| other.marker)
}

/// Who had looked at everything when a review was written; `None` where the text is not the last one of a review.
pub(crate) fn looked_in(profile: &Profile, body: &str) -> Option<Looked> {
    review_in(profile, body)?;
    let begin = format!("<!-- aris:{} review=", profile.marker);
    let mark = body.lines().find(|line| line.trim().starts_with(&begin));
    let [rules, agents] = LOOKED.map(|word| mark.is_some_and(|mark| mark.contains(word)));
    Some(Looked { rules, agents })
}

/// The mark of a text that settles a finding which is listed in the text of a review.
pub(crate) fn of_settled(profile: &Profile, number: u64) -> String {
    format!("<!-- aris:{} settled={number:016x} -->", profile.marker)
}

/// The number of the finding that a text settles.
pub(crate) fn settled_in(profile: &Profile, body: &str) -> Option<u64> {
    let number = values(profile, "settled", body).next()?;
    u64::from_str_radix(number, 16).ok()
}

/// The mark of a text of a review that is not the last one.
pub(crate) fn of_part(profile: &Profile) -> String {
    format!("<!-- aris:{} part -->", profile.marker)
}

/// Whether a text is of a review, and not the last one.
pub(crate) fn is_part(profile: &Profile, body: &str) -> bool {
    let mark = of_part(profile);
    body.lines().any(|line| line.trim() == mark)
}

/// Whether a text has any mark of this gate.
pub(crate) fn is_marked(profile: &Profile, body: &str) -> bool {
    let begin = format!("<!-- aris:{} ", profile.marker);
    body.lines().any(|line| line.trim().starts_with(&begin))
}

/// Whether a text has any mark of one of the gates.
pub(crate) fn is_marked_by_any(body: &str) -> bool {
    let mut gates = Gate::VARIANTS.iter();
    gates.any(|gate| is_marked(gate.profile(), body))
}

/// The fingerprints in the marks of a comment.
pub(crate) fn findings_in<'a>(
    profile: &'a Profile,
    body: &'a str,
) -> impl Iterator<Item = &'a str> {
    values(profile, "fp", body)
}

/// Whether a comment carries a finding of the rules; only the rules can tell whether it is gone.
pub(crate) fn is_of_rules(body: &str) -> bool {
    let mut lines = body.lines();
    lines.any(|line| line.trim().ends_with(" by=rules -->"))
}

/// Whether a comment carries a finding of an agent, or one whose mark does not say who found it.
pub(crate) fn is_of_agents(profile: &Profile, body: &str) -> bool {
    let mut lines = body.lines();
    lines.any(|line| !is_of_rules(line) && findings_in(profile, line).next().is_some())
}

/// The digest in the mark of a review.
pub(crate) fn review_in<'a>(profile: &'a Profile, body: &'a str) -> Option<&'a str> {
    values(profile, "review", body).next()
}

/// What says that a review is the same: verdict, findings, and whether it is `held`, a mere comment because another gate is open.
pub(crate) fn digest(verdict: Verdict, findings: &[Finding], held: bool) -> String {
    let prints = findings.iter().map(|finding| finding.fingerprint.as_str());
    let mut prints: Vec<&str> = prints.collect();
    prints.sort_unstable();
    let held = if held { "held " } else { "" };
    let text = format!("{verdict} {held}{}", prints.join(" "));
    short_hex(&Sha256::digest(text))
}

/// Whether the author may write in the repository: the association is one of three, and the author is known and not a bot. Missing fields
/// count as unknown, and so as no.
pub fn is_trusted(comment: &Value) -> bool {
    let text = |path| comment.pointer(path).and_then(Value::as_str);
    let association = text("/author_association");
    association.is_some_and(|word| matches!(word, "OWNER" | "MEMBER" | "COLLABORATOR"))
        && text("/user/login").is_some()
        && text("/user/type") != Some("Bot")
}

/// Whether the logged-in user wrote an entry; a copy by somebody else does not count. The token of a workflow or app has no user (`None`)
/// and writes as a bot.
pub fn is_by(entry: &Value, login: Option<&str>) -> bool {
    let text = |path| entry.pointer(path).and_then(Value::as_str);
    match login {
        Some(login) => text("/user/login") == Some(login),
        None => text("/user/type") == Some("Bot"),
    }
}

fn values<'a>(
    profile: &'a Profile,
    key: &'static str,
    body: &'a str,
) -> impl Iterator<Item = &'a str> {
    body.lines().filter_map(move |line| {
        let rest = line.trim().strip_prefix("<!-- aris:")?;
        let rest = rest.strip_prefix(profile.marker)?.strip_prefix(' ')?;
        let rest = rest.strip_prefix(key)?.strip_prefix('=')?;
        let rest = rest.strip_suffix("-->")?;
        let value = rest.split_whitespace().next()?;
        let plain = value.len() == 16 && value.bytes().all(|byte| byte.is_ascii_hexdigit());
        plain.then_some(value)
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::Severity;

    #[test]
    fn a_mark_stands_alone_on_its_line() {
        let profile = Gate::Claims.profile();
        let mut finding = Finding::of_rule("r", Severity::Info, "external", ("a", None), "m");
        finding.fingerprint = String::from("0123456789abcdef");
        let mark = of_finding(profile, &finding);
        assert!(is_of_rules(&mark));
        // The mark of an earlier version, which did not say who found it.
        let old = "<!-- aris:audit-claims fp=0123456789abcdef -->";
        assert_eq!(findings_in(profile, old).count(), 1);
        for (body, found) in [
            (format!("[warning] external: m\n{mark}"), 1),
            (format!("a\r\n{mark}\r\n"), 1),
            (format!("quoted: {mark}"), 0),
            (mark.replace("audit-claims", "review-research-pr"), 0),
            (mark.replace("0123", "01"), 0),
            (mark.replace("0123", "<b>!"), 0),
        ] {
            assert_eq!(findings_in(profile, &body).count(), found, "{body}");
        }
        let review = of_review(
            profile,
            "0123456789abcdef",
            Looked::default(),
            Verdict::Approved,
        );
        assert_eq!(review_in(profile, &review), Some("0123456789abcdef"));
        assert_eq!(findings_in(profile, &review).count(), 0);
    }

    #[test]
    fn only_who_may_write_is_trusted() {
        for (association, trusted) in [
            (json!(null), false),
            (json!("OWNER"), true),
            (json!("MEMBER"), true),
            (json!("COLLABORATOR"), true),
            (json!("CONTRIBUTOR"), false),
            (json!("NONE"), false),
            (json!("owner"), false),
        ] {
            let of = |user| json!({"author_association": association, "user": user});
            let person = of(json!({"login": "a", "type": "User"}));
            assert_eq!(is_trusted(&person), trusted, "{person}");
            for user in [json!(null), json!({"login": "b[bot]", "type": "Bot"})] {
                assert!(!is_trusted(&of(user)), "{association}");
            }
        }
        let person = json!({"user": {"login": "a", "type": "User"}});
        assert!(!is_trusted(&person));
    }
}
