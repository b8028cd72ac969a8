//! The format of requests and answers, and how an answer is found among what a shell prints.

use std::collections::BTreeMap;

use aris_contract::hex::hex;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

/// First word of the line before an answer.
const HELLO: &[u8] = b"aris-agent ";

/// Most bytes of a request or an answer: a manifest of 200,000 jobs has about 60 MB.
pub(crate) const LIMIT: usize = 256 << 20;

/// One call on the server.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Request {
    /// Distinguishes this call's answer from everything else that is printed; set when it is sent.
    #[serde(default)]
    pub(crate) nonce: String,
    /// Name of the run's folder in `~/.aris_queue/runs/`; see [`crate::is_name`]. Created if there are files to write.
    pub folder: String,
    /// Files to write there: name and text. A file that already has this text is left alone, another is replaced.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub files: BTreeMap<String, String>,
    /// Arguments of the call, which runs in that folder; if there are none, nothing is called.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub args: Vec<String>,
}

/// The result of a call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Answer {
    /// Exit status.
    pub code: i32,
    /// Its stdout; bytes that are not UTF-8 are replaced.
    pub stdout: String,
    /// Its stderr.
    pub stderr: String,
}

impl Answer {
    /// The answer to a request that was not carried out.
    pub fn refused(code: i32, why: impl Into<String>) -> Self {
        Self {
            code,
            stdout: String::new(),
            stderr: why.into(),
        }
    }
}

impl Request {
    /// A request for the run in `folder`, without files or arguments yet.
    pub fn new(folder: impl Into<String>) -> Self {
        Self {
            folder: folder.into(),
            ..Self::default()
        }
    }

    /// The request as it is sent. The nonce is a digest of the request and the sender's process id, so that nothing else that is printed
    /// has it.
    pub(crate) fn sealed(mut self) -> Result<(String, Vec<u8>), serde_json::Error> {
        let mut digest = Sha256::new();
        digest.update(std::process::id().to_le_bytes());
        digest.update(serde_json::to_vec(&self)?);
        self.nonce = hex(digest.finalize().iter().take(16));
        let bytes = serde_json::to_vec(&self)?;
        Ok((self.nonce, bytes))
    }
}

/// The answer as it is printed.
pub(crate) fn framed(nonce: &str, answer: &Answer) -> Result<Vec<u8>, serde_json::Error> {
    let body = serde_json::to_vec(answer)?;
    // Starts with a line feed, because what was printed before may have ended without one.
    let mut bytes = format!("\naris-agent {nonce} {}\n", body.len()).into_bytes();
    bytes.extend(body);
    bytes.push(b'\n');
    Ok(bytes)
}

/// The answer with this nonce in what a connection printed; `None` if it is missing or cut off.
pub(crate) fn find(printed: &[u8], nonce: &str) -> Option<Answer> {
    let mut rest = printed;
    loop {
        let at = rest.windows(HELLO.len()).position(|bytes| bytes == HELLO)?;
        rest = rest.get(at + HELLO.len()..)?;
        if let Some(answer) = after_hello(rest, nonce) {
            return Some(answer);
        }
    }
}

fn after_hello(rest: &[u8], nonce: &str) -> Option<Answer> {
    let rest = rest.strip_prefix(nonce.as_bytes())?.strip_prefix(b" ")?;
    let end = rest.iter().take(20).position(|byte| *byte == b'\n')?;
    let length: usize = str::from_utf8(rest.get(..end)?).ok()?.parse().ok()?;
    let body = rest.get(end + 1..)?.get(..length)?;
    serde_json::from_slice(body).ok()
}
