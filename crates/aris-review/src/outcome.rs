//! Derives the outcome of a settled review.

use aris_contract::json::{self, JsonError, Limits};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::profile::Profile;

/// Whether an edit was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::Display)]
#[strum(serialize_all = "snake_case")]
#[derive(Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Settlement {
    /// At least one edit was made.
    RealFix,
    /// No edit was needed, or none was possible.
    AlreadyGreen,
}

/// The three tokens that a pipeline branches on.
///
/// **Source**: citation gates, §6.7.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Tokens {
    /// Whether an experiment has to be run again.
    pub needs_rerun: bool,
    /// Whether an edit was made.
    pub verdict: Settlement,
    /// How many edits were made.
    pub fixes_applied: usize,
}

impl Tokens {
    /// Derives the tokens from the strategies of escalation records and the number of edits. A design flaw alone asks for no new run, which
    /// would have the same flaw.
    pub fn of<'a>(strategies: impl IntoIterator<Item = &'a str>, fixes_applied: usize) -> Self {
        let fixed = (fixes_applied > 0).then_some(Settlement::RealFix);
        Self {
            needs_rerun: strategies.into_iter().any(|one| one == Profile::RERUN),
            verdict: fixed.unwrap_or(Settlement::AlreadyGreen),
            fixes_applied,
        }
    }

    /// The tokens as lines, `key = value`.
    pub fn lines(self) -> String {
        format!(
            "needs_rerun = {}\nverdict = {}\nfixes_applied = {}\n",
            self.needs_rerun, self.verdict, self.fixes_applied
        )
    }
}

/// Reads escalation records, a list or an object with one under `escalations`, and returns their strategies.
///
/// **Errors**: JSON that is not strict, another form, and a record without a known strategy.
pub fn read_strategies(bytes: &[u8]) -> Result<Vec<&'static str>, JsonError> {
    let wrong = |message: String| JsonError {
        message,
        line: 1,
        column: 1,
    };
    let value = json::value(bytes, Limits::ARTIFACT)?;
    let list = match &value {
        Value::Array(list) => Some(list),
        Value::Object(object) => object.get("escalations").and_then(Value::as_array),
        _ => None,
    };
    let Some(list) = list else {
        let why =
            "neither a list of escalation records nor an object with one under \"escalations\"";
        return Err(wrong(why.to_owned()));
    };
    let strategy = |(index, record): (usize, &Value)| {
        let strategy = record.get("strategy").and_then(Value::as_str);
        let mut known = [Profile::RERUN, Profile::DESIGN].into_iter();
        let found = known.find(|known| strategy == Some(known));
        let lack = "has no strategy, which is rerun_required or design_flaw";
        found.ok_or_else(|| wrong(format!("record {index} {lack}")))
    };
    list.iter().enumerate().map(strategy).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_follow_from_records_and_edits() {
        for (records, fixes, lines) in [
            (
                "[]",
                0,
                "needs_rerun = false\nverdict = already_green\nfixes_applied = 0\n",
            ),
            (
                r#"[{"strategy":"design_flaw"}]"#,
                2,
                "needs_rerun = false\nverdict = real_fix\nfixes_applied = 2\n",
            ),
            (
                r#"{"escalations":[{"strategy":"design_flaw"},{"strategy":"rerun_required","x":1}]}"#,
                0,
                "needs_rerun = true\nverdict = already_green\nfixes_applied = 0\n",
            ),
        ] {
            let strategies = read_strategies(records.as_bytes()).expect("records");
            assert_eq!(Tokens::of(strategies, fixes).lines(), lines, "{records}");
        }
    }

    #[test]
    fn records_that_say_nothing_are_no_records() {
        for bad in [
            "",
            "{}",
            "3",
            r#"[{"strategy":"rerun"}]"#,
            r#"[{"fix_strategy":"rerun_required"}]"#,
            r#"["rerun_required"]"#,
            r#"[{"strategy":"rerun_required","strategy":"design_flaw"}]"#,
        ] {
            assert!(read_strategies(bad.as_bytes()).is_err(), "{bad}");
        }
    }

    proptest::proptest! {
        #[test]
        fn no_bytes_make_it_panic(bytes in proptest::collection::vec(proptest::num::u8::ANY, 0..100)) {
            drop(read_strategies(&bytes));
        }
    }
}
