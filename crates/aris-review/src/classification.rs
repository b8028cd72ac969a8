//! What was decided about a comment, and what an agent's answer must contain to decide it.

use std::collections::BTreeMap;

use serde::de::{Error as _, IgnoredAny};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use crate::finding::Severity;
use crate::findings::typed;
use crate::group::Grouped;
use crate::label::{label, severity};
use crate::profile::Profile;
use crate::signal::Signal;

/// What to do with a comment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, strum::Display)]
#[strum(serialize_all = "UPPERCASE")]
#[derive(Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
pub enum Decision {
    /// The comment is right.
    Accept,
    /// The comment is wrong.
    Reject,
    /// A person has to decide.
    #[default]
    Discuss,
}

/// What was decided about one comment, and how it was settled.
///
/// **Source**: citation gates, §2.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// What to do with the comment.
    pub verdict: Decision,
    /// Evidence for the decision.
    pub evidence: String,
    /// Why it was rejected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub category: Option<String>,
    /// The strategy that settles the comment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fix_strategy: Option<String>,
    /// Whether no edit can settle it.
    #[serde(default)]
    pub escalate: bool,
    /// What the comment is about.
    pub dimension: String,
    /// Path of the comment.
    pub path: String,
    /// Its line.
    pub line: Option<u32>,
    /// The comment, whole.
    #[serde(default)]
    pub body: String,
    /// The comment without its label; where this is empty, it is taken from the body.
    #[serde(default)]
    pub message: String,
    /// Its thread; absent when that is unknown.
    pub thread_node_id: Option<String>,
    /// Whether an edit settled it; absent before anybody tried.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub applied: Option<bool>,
    /// The commit of the edit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha: Option<String>,
    /// Why it was not settled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// What was decided, by number of the comment.
pub type Classification = BTreeMap<u64, Entry>;

/// Checks whether evidence quotes text that exists.
pub trait Quoted {
    /// Whether `evidence`, given for a comment on `path`, quotes a line, a text or a citation key that exists.
    fn exists(&self, evidence: &str, path: &str) -> bool;

    /// Whether `evidence` quotes a clause of the file `path` that is outside of `line`, the line at fault.
    fn gives_reason(&self, evidence: &str, path: &str, line: Option<u32>) -> bool;
}

impl Entry {
    /// The entry of a comment about which nothing could be decided; `why` becomes the evidence.
    pub fn discuss(finding: &Grouped, why: &str) -> Self {
        Self {
            evidence: why.to_owned(),
            dimension: finding.dimension.clone(),
            path: finding.path.clone(),
            line: finding.line,
            body: finding.body.clone(),
            message: message(&finding.body),
            thread_node_id: finding.thread_node_id.clone(),
            ..Self::default()
        }
    }

    /// The severity that the comment states itself.
    pub fn severity(&self) -> Severity {
        severity(&self.body)
    }

    /// The comment without its label.
    pub fn said(&self) -> String {
        if self.message.is_empty() {
            message(&self.body)
        } else {
            self.message.clone()
        }
    }

    /// Whether it was accepted, and no edit can settle it.
    pub fn is_escalated(&self) -> bool {
        let strategy = self.fix_strategy.as_deref();
        let beyond = strategy.is_some_and(Profile::escalates);
        self.verdict == Decision::Accept && (self.escalate || beyond)
    }

    /// Whether it was accepted, and an edit can settle it.
    pub fn is_editable(&self) -> bool {
        self.verdict == Decision::Accept && !self.is_escalated()
    }

    /// Whether an edit has settled it.
    pub fn is_settled(&self) -> bool {
        self.is_editable() && self.applied == Some(true)
    }
}

/// A comment's text without its label, on one line.
fn message(body: &str) -> String {
    let message = label(body).map_or(body, |label| label.message);
    let is_mark = |line: &&str| line.trim_start().starts_with("<!-- aris:");
    let plain: Vec<&str> = message.lines().filter(|line| !is_mark(line)).collect();
    crate::one_line(&plain.join(" "), 2000)
}

/// Reads an agent's answer about one group: a list of entries with `id`, or an object of entries by id.
///
/// An answer is taken whole or not at all. Every comment of the group is answered once and no other one is, categories and strategies are
/// those of the profile, and evidence quotes text that exists. An answer that does less than a signal asks for must quote the reason that
/// the report gives.
///
/// **Errors**: why the answer is invalid.
pub fn read_answer(
    profile: &Profile,
    findings: &[Grouped],
    signals: &[Signal],
    output: &Value,
    quoted: &dyn Quoted,
) -> Result<Classification, String> {
    let wanted = findings.iter().map(|finding| (finding.id, finding));
    let wanted: BTreeMap<u64, &Grouped> = wanted.collect();
    let mut read = Classification::new();
    for (id, given) in answers(output)? {
        let finding = wanted.get(&id);
        let finding = finding.ok_or_else(|| format!("comment {id} is not in this group"))?;
        let entry = entry(profile, finding, &given, quoted)
            .and_then(|entry| hold(signals, finding, &entry, quoted).map(|()| entry))
            .map_err(|why| format!("comment {id}: {why}"))?;
        if read.insert(id, entry).is_some() {
            return Err(format!("comment {id} is answered twice"));
        }
    }
    let missing = wanted.keys().filter(|id| !read.contains_key(id));
    let missing: Vec<String> = missing.map(u64::to_string).collect();
    if missing.is_empty() {
        return Ok(read);
    }
    Err(format!("no answer about {}", missing.join(", ")))
}

/// What an agent decided about one comment.
#[derive(Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Decision")]
pub(crate) struct Given {
    /// Number of the comment
    #[serde(default, alias = "comment_id", deserialize_with = "number")]
    id: u64,
    /// Whether the comment is right
    verdict: Decision,
    /// What it rests on; for ACCEPT and REJECT it names a line, as in "line 12", quotes the text in quotation marks, or names a citation key
    evidence: String,
    /// Why it is wrong; for REJECT only
    #[serde(default)]
    category: Option<String>,
    /// How it is settled; for ACCEPT only
    #[serde(default)]
    fix_strategy: Option<String>,
    /// true exactly for a strategy that is out of an editor's reach
    #[serde(default, deserialize_with = "crate::findings::known")]
    #[schemars(with = "bool")]
    escalate: Option<bool>,
    /// Agents may repeat fields of the comment; they are ignored.
    #[serde(default, rename = "dimension")]
    #[schemars(skip)]
    _dimension: IgnoredAny,
    #[serde(default, rename = "path")]
    #[schemars(skip)]
    _path: IgnoredAny,
    #[serde(default, rename = "line")]
    #[schemars(skip)]
    _line: IgnoredAny,
    #[serde(default, rename = "message")]
    #[schemars(skip)]
    _message: IgnoredAny,
}

/// A number, also one given as text.
fn number<'de, D: Deserializer<'de>>(from: D) -> Result<u64, D::Error> {
    let value = Value::deserialize(from)?;
    let number = value.as_u64();
    let number = number.or_else(|| value.as_str().and_then(|text| text.parse().ok()));
    number.ok_or_else(|| D::Error::custom("no number of a comment"))
}

/// The answers with the numbers of their comments: from a list of entries with `id`, or an object of entries by id.
fn answers(output: &Value) -> Result<Vec<(u64, Given)>, String> {
    let of_list = |value| match typed::<Given>(value)? {
        Given { id: 0, .. } => Err(String::from("an answer has no id")),
        given => Ok((given.id, given)),
    };
    let of_map = |(key, value): (&String, _)| {
        let id = key.parse().ok();
        let id = id.ok_or_else(|| String::from("a key is not the number of a comment; the answer must be a list, or an object by such numbers"))?;
        Ok((id, typed(value)?))
    };
    match output {
        Value::Array(list) => list.iter().map(of_list).collect(),
        Value::Object(map) => map.iter().map(of_map).collect(),
        _ => Err(String::from("the answer must be a list or an object")),
    }
}

fn entry(
    profile: &Profile,
    finding: &Grouped,
    given: &Given,
    quoted: &dyn Quoted,
) -> Result<Entry, String> {
    let evidence = given.evidence.trim();
    if evidence.is_empty() {
        return Err(String::from("it has no evidence"));
    }
    if given.verdict != Decision::Discuss && !quoted.exists(evidence, &finding.path) {
        let why = "its evidence quotes no line or key that exists";
        return Err(why.to_owned());
    }
    let strategy = match (given.verdict, given.fix_strategy.as_deref()) {
        (Decision::Accept, Some(name)) => {
            let wrong = || format!("{} is no fix_strategy", crate::one_line(name, 40));
            let known = profile.strategies().find(|known| *known == name);
            Some(known.ok_or_else(wrong)?)
        }
        (Decision::Accept, None) => return Err(String::from("it has no fix_strategy")),
        (_, Some(_)) => return Err(String::from("only ACCEPT has a fix_strategy")),
        (_, None) => None,
    };
    let category = match (given.verdict, given.category.as_deref()) {
        (Decision::Reject, Some(name)) if profile.categories.contains(&name) => Some(name),
        (Decision::Reject, _) => return Err(String::from("its category is none of the gate's")),
        (_, Some(_)) => return Err(String::from("only REJECT has a category")),
        (_, None) => None,
    };
    let escalates = strategy.is_some_and(Profile::escalates);
    if given.escalate.is_some_and(|said| said != escalates) {
        let why = "its escalate does not go with its fix_strategy";
        return Err(why.to_owned());
    }
    Ok(Entry {
        verdict: given.verdict,
        category: category.map(str::to_owned),
        fix_strategy: strategy.map(str::to_owned),
        escalate: escalates,
        ..Entry::discuss(finding, evidence)
    })
}

/// The comments that an edit settles, in the order of the edits: by strategy, critical before warning, path, line.
///
/// **Source**: citation gates, §6.4.
pub fn plan(profile: &Profile, classification: &Classification) -> Vec<u64> {
    let mut work: Vec<(&u64, &Entry)> = classification.iter().collect();
    work.retain(|(_, entry)| entry.is_editable());
    work.sort_by_key(|(id, entry)| {
        let strategy = entry.fix_strategy.as_deref();
        let rank = profile.strategies().position(|one| Some(one) == strategy);
        let rank = rank.unwrap_or(usize::MAX);
        let gravity = std::cmp::Reverse(entry.severity());
        (rank, gravity, &entry.path, entry.line, *id)
    });
    work.into_iter().map(|(id, _)| *id).collect()
}

/// Dimensions of comments that ask for a source; a signal about the sample on the same line is not about them.
const SOURCES: [&str; 2] = ["external", "comparative"];

impl Signal {
    /// Whether a signal is about the same thing as a comment: on the same line, or, for a signal without a line, of the same dimension.
    fn binds(&self, finding: &Grouped) -> bool {
        let is_source = SOURCES.contains(&finding.dimension.as_str());
        let is_same = match self.line {
            Some(_) => self.line == finding.line && !is_source,
            None => self.dimension == finding.dimension,
        };
        self.file == finding.path && is_same
    }

    /// Whether an entry does less than the signal asks for. For statistics over the wrong unit, removing the claim is enough.
    ///
    /// **Source**: citation gates, §6.3.
    fn is_weakened(&self, entry: &Entry) -> bool {
        match (entry.verdict, entry.fix_strategy.as_deref()) {
            (Decision::Discuss, _) | (Decision::Accept, Some(Profile::RERUN | Profile::DESIGN)) => {
                false
            }
            (Decision::Accept, Some("remove_claim")) => self.rule != "unit-of-analysis",
            _ => true,
        }
    }
}

/// Checks an entry against the signals. **Errors**: the signal that it weakens without quoting a reason from the report.
fn hold(
    signals: &[Signal],
    finding: &Grouped,
    entry: &Entry,
    quoted: &dyn Quoted,
) -> Result<(), String> {
    let weakened = signals.iter().find(|signal| {
        signal.binds(finding)
            && signal.is_weakened(entry)
            && !quoted.gives_reason(&entry.evidence, &signal.file, signal.line)
    });
    let Some(Signal {
        rule,
        file,
        message,
        ..
    }) = weakened
    else {
        return Ok(());
    };
    Err(format!(
        "it weakens the signal {rule} and quotes no reason from {file}: {message}"
    ))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::Gate;

    struct Anything;

    impl Quoted for Anything {
        fn exists(&self, evidence: &str, _: &str) -> bool {
            evidence.contains("line 3")
        }

        fn gives_reason(&self, evidence: &str, _: &str, _: Option<u32>) -> bool {
            evidence.contains("because")
        }
    }

    fn grouped(id: u64, severity: Severity) -> Grouped {
        let word = severity;
        Grouped {
            id,
            path: String::from("r.md"),
            line: Some(3),
            body: format!(
                "[{word}] external: no citation\n<!-- aris:audit-claims fp=0123456789abcdef -->"
            ),
            diff_hunk: String::new(),
            severity,
            dimension: String::from("external"),
            thread_node_id: Some(String::from("T")),
        }
    }

    fn read(output: &Value) -> Result<Classification, String> {
        let findings = [grouped(1, Severity::Warning), grouped(2, Severity::Warning)];
        read_answer(Gate::Claims.profile(), &findings, &[], output, &Anything)
    }

    #[test]
    fn an_answer_that_holds_becomes_entries() {
        let answer = json!([
            {"id": 1, "verdict": "ACCEPT", "evidence": "line 3 has no mark", "fix_strategy": "add_citation", "escalate": false},
            {"id": "2", "verdict": "REJECT", "evidence": "see line 3", "category": "claim_is_supported"}
        ]);
        let entries = read(&answer).expect("it holds");
        assert_eq!(entries[&1].message, "no citation");
        assert!(entries[&1].is_editable() && !entries[&2].is_editable());
        let by_id = json!({
            "1": {"verdict": "ACCEPT", "evidence": "line 3", "fix_strategy": "rerun_required"},
            "2": {"verdict": "DISCUSS", "evidence": "unsure"}
        });
        let entries = read(&by_id).expect("it holds");
        assert!(entries[&1].escalate && !entries[&1].is_editable());
        assert_eq!(entries[&2].verdict, Decision::Discuss);
    }

    #[test]
    fn an_answer_holds_whole_or_not_at_all() {
        let good = json!({"id": 2, "verdict": "DISCUSS", "evidence": "x"});
        for (first, why) in [
            (json!({"verdict": "DISCUSS", "evidence": "x"}), "no id"),
            (
                json!({"id": 3, "verdict": "DISCUSS", "evidence": "x"}),
                "not in this group",
            ),
            (
                json!({"id": 2, "verdict": "DISCUSS", "evidence": "x"}),
                "twice",
            ),
            (
                json!({"id": 1, "verdict": "accept", "evidence": "x"}),
                "verdict",
            ),
            (
                json!({"id": 1, "verdict": "DISCUSS", "evidence": " "}),
                "no evidence",
            ),
            (
                json!({"id": 1, "verdict": "ACCEPT", "evidence": "line 3"}),
                "no fix_strategy",
            ),
            (
                json!({"id": 1, "verdict": "ACCEPT", "evidence": "line 3", "fix_strategy": "config_fix"}),
                "no fix_strategy",
            ),
            (
                json!({"id": 1, "verdict": "ACCEPT", "evidence": "trust me", "fix_strategy": "add_citation"}),
                "quotes no line",
            ),
            (
                json!({"id": 1, "verdict": "ACCEPT", "evidence": "line 3", "fix_strategy": "add_citation", "escalate": true}),
                "escalate",
            ),
            (
                json!({"id": 1, "verdict": "ACCEPT", "evidence": "line 3", "fix_strategy": "design_flaw", "escalate": "yes"}),
                "escalate",
            ),
            (
                json!({"id": 1, "verdict": "REJECT", "evidence": "line 3", "category": "because"}),
                "category",
            ),
            (
                json!({"id": 1, "verdict": "REJECT", "evidence": "line 3"}),
                "category",
            ),
            (
                json!({"id": 1, "verdict": "DISCUSS", "evidence": "x", "category": "out_of_scope"}),
                "only REJECT",
            ),
            (
                json!({"id": 1, "verdict": "DISCUSS", "evidence": "x", "applied": true}),
                "unknown field",
            ),
            (json!(7), "expected an object"),
        ] {
            let error = read(&json!([first, good])).expect_err("it does not hold");
            assert!(error.contains(why), "{first}: {error}");
        }
        assert!(
            read(&json!([good]))
                .expect_err("partial")
                .contains("no answer about 1")
        );
        assert!(read(&json!("x")).is_err());
    }

    #[test]
    fn a_signal_is_weakened_only_with_a_reason() {
        let signal = |rule: &str, line: Option<u32>| Signal {
            rule: rule.to_owned(),
            file: String::from("r.md"),
            line,
            dimension: String::from("methodological"),
            severity: Severity::Critical,
            message: String::from("three of five"),
            suggested_strategy: Profile::RERUN.to_owned(),
        };
        let holds = |signal: Signal, dimension: &str, answer: Value| {
            let finding = Grouped {
                dimension: dimension.to_owned(),
                ..grouped(1, Severity::Critical)
            };
            read_answer(
                Gate::Claims.profile(),
                &[finding],
                &[signal],
                &json!([answer]),
                &Anything,
            )
        };
        let accept = |strategy: &str, evidence: &str| json!({"id": 1, "verdict": "ACCEPT", "evidence": evidence, "fix_strategy": strategy});
        let (plain, reason) = ("line 3", "line 3, because");
        let reject = json!({"id": 1, "verdict": "REJECT", "evidence": plain, "category": "claim_is_supported"});
        let discuss = json!({"id": 1, "verdict": "DISCUSS", "evidence": plain});
        for (rule, line, dimension, answer, wanted) in [
            (
                "protocol-deviation",
                None,
                "methodological",
                accept("qualify_claim", plain),
                false,
            ),
            (
                "protocol-deviation",
                None,
                "methodological",
                accept("qualify_claim", reason),
                true,
            ),
            (
                "protocol-deviation",
                None,
                "methodological",
                accept("rerun_required", plain),
                true,
            ),
            (
                "protocol-deviation",
                None,
                "methodological",
                accept("design_flaw", plain),
                true,
            ),
            ("protocol-deviation", None, "methodological", reject, false),
            ("protocol-deviation", None, "methodological", discuss, true),
            (
                "protocol-deviation",
                None,
                "external",
                accept("add_citation", plain),
                true,
            ),
            (
                "sample-size-mismatch",
                Some(3),
                "methodological",
                accept("remove_claim", plain),
                false,
            ),
            (
                "sample-size-mismatch",
                Some(3),
                "unknown",
                accept("qualify_claim", plain),
                false,
            ),
            (
                "sample-size-mismatch",
                Some(3),
                "external",
                accept("add_citation", plain),
                true,
            ),
            (
                "sample-size-mismatch",
                Some(4),
                "methodological",
                accept("qualify_claim", plain),
                true,
            ),
            (
                "unit-of-analysis",
                Some(3),
                "methodological",
                accept("qualify_claim", plain),
                false,
            ),
            (
                "unit-of-analysis",
                Some(3),
                "methodological",
                accept("remove_claim", plain),
                true,
            ),
        ] {
            let read = holds(signal(rule, line), dimension, answer.clone());
            assert_eq!(
                read.is_ok(),
                wanted,
                "{rule} {dimension} {answer}: {read:?}"
            );
        }
    }

    #[test]
    fn work_is_ordered_by_strategy_gravity_and_place() {
        let entry = |strategy: &str, severity, line| Entry {
            verdict: Decision::Accept,
            fix_strategy: Some(strategy.to_owned()),
            escalate: strategy == Profile::RERUN,
            line: Some(line),
            ..Entry::discuss(&grouped(1, severity), "line 3")
        };
        let classification = Classification::from([
            (1, entry("remove_claim", Severity::Critical, 1)),
            (2, entry("add_citation", Severity::Warning, 9)),
            (3, entry("add_citation", Severity::Warning, 4)),
            (4, entry("rerun_required", Severity::Critical, 1)),
            (5, entry("qualify_claim", Severity::Critical, 1)),
            (6, entry("add_citation", Severity::Critical, 50)),
            (7, Entry::discuss(&grouped(7, Severity::Critical), "x")),
        ]);
        assert_eq!(
            plan(Gate::Claims.profile(), &classification),
            [6, 3, 2, 5, 1]
        );
    }
}
