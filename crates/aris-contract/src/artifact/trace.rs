//! Files of a review trace: `<project>/.aris/traces/<skill>/<YYYY-MM-DD>_runNN/`.
//!
//! A record is three files with a common prefix `NNN-<purpose>` and one line of `chain.jsonl`. The line is written last: a record
//! without its line is incomplete.
//!
//! **Source**: the public review-tracing protocol (file names and fields), the design of the submission gate (chain, modes).

use std::collections::BTreeMap;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::audit::Verdict;

/// How much of the conversation is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum TraceMode {
    /// Prompt and response.
    Full,
    /// Lengths and digests only.
    Meta,
    /// Nothing at all.
    Off,
}

impl FromStr for TraceMode {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "full" => Ok(Self::Full),
            "meta" => Ok(Self::Meta),
            "off" => Ok(Self::Off),
            _ => Err(format!("{text:?} is not a trace mode (full, meta or off)")),
        }
    }
}

/// `run.meta.json`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Run {
    /// Schema id; absent in runs of other programs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schema: Option<String>,
    /// Skill whose reviewer calls are kept here.
    pub skill: String,
    /// Name of the run's folder.
    pub run_id: String,
    /// RFC 3339, UTC.
    pub started_at: String,
    /// The agent that ran the skill and started the run, `claude-code`; a record may name another one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub executor: Option<String>,
    /// Absolute path of the project.
    pub project_dir: String,
}

/// `NNN-<purpose>.request.json`.
///
/// Exactly one of `prompt` and `prompt_base64` is there in full mode, neither in meta mode.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Request {
    /// Schema id; absent in records of other programs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schema: Option<String>,
    /// NNN.
    pub call_number: u64,
    /// Short label, `round-1-review`.
    pub purpose: String,
    /// RFC 3339, UTC.
    pub timestamp: String,
    /// Tool the reviewer was called through.
    pub tool: String,
    /// Reviewer model.
    pub model: String,
    /// Configuration of the call.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub config: Map<String, Value>,
    /// The agent that made the call, `claude-code`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub executor: Option<String>,
    /// Files the prompt points at, as the caller declared them.
    #[serde(default)]
    pub files_referenced: Vec<String>,
    /// SHA-256 at the moment of the call: of `files_referenced` and of every path below the project that the prompt names, of a folder
    /// or root document with all that it includes. Keys are relative to the project, absolute outside it. Absent in records of other
    /// programs and of versions before it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input_digests: Option<BTreeMap<String, String>>,
    /// Bytes of the prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt_length: Option<u64>,
    /// Bytes of the response.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response_length: Option<u64>,
    /// The prompt as sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
    /// The prompt as sent, in base64, when it is not UTF-8 or is shorter so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt_base64: Option<String>,
}

/// `NNN-<purpose>.meta.json`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ResponseMeta {
    /// Schema id; absent in records of other programs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schema: Option<String>,
    /// NNN.
    pub call_number: u64,
    /// Short label.
    pub purpose: String,
    /// RFC 3339, UTC.
    pub timestamp: String,
    /// The reviewer's conversation.
    pub thread_id: String,
    /// Reviewer model.
    pub model: String,
    /// Milliseconds the call took.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
    /// `ok`, or what the caller reports.
    pub status: String,
    /// The verdict that the response states; in meta mode only, where the response is not kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<Verdict>,
}

/// One line of `chain.jsonl`: the digests of one record and of the line before.
///
/// All digests are `sha256:<64 hex digits>`. A void line has no digests: its number was taken by a writer that was killed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ChainLine {
    /// NNN; lines are numbered 1, 2, 3, … without gaps.
    pub record: u64,
    /// The record's file prefix, `001-round-1-review`; empty on a void line.
    pub prefix: String,
    /// Full or meta; void lines say `off`.
    pub mode: TraceMode,
    /// Digest of the request file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request: Option<String>,
    /// Digest of the response, which stands in the response file in full mode only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response: Option<String>,
    /// Digest of the meta file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<String>,
    /// Digest of the prompt's bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
    /// Digest of the previous line without its line feed; of `run.meta.json` on line 1.
    pub previous: String,
}

/// One line of `.aris/meta/events.jsonl`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Event {
    /// `review_trace`.
    pub event: String,
    /// Skill.
    pub skill: String,
    /// Short label.
    pub purpose: String,
    /// The reviewer's conversation.
    pub thread_id: String,
    /// Folder of the run, relative to the project, with a final `/`.
    pub trace_path: String,
    /// NNN.
    pub call_number: u64,
    /// RFC 3339, UTC.
    pub timestamp: String,
    /// Status of the call.
    pub status: String,
    /// Digest of the record's line in the run's chain; absent in events of other programs and of versions before it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chain: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modes_are_read_as_they_are_written_and_no_other_word_is_one() {
        for mode in [TraceMode::Full, TraceMode::Meta, TraceMode::Off] {
            let word = serde_json::to_value(mode).expect("JSON");
            assert_eq!(word.as_str().map(str::parse), Some(Ok(mode)));
        }
        assert!("Full".parse::<TraceMode>().is_err());
    }
}
