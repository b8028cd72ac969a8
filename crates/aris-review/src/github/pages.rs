//! What the program `gh` prints.

use std::collections::BTreeMap;

use serde_json::Value;

use super::Trouble;

/// Asks `gh api` for the headers of the answers, which say when to come back.
pub(super) const INCLUDE: &str = "--include";

/// What `gh` prints: JSON values with nothing, or white space, between them, each after its head where [`INCLUDE`] asked for that. A head
/// is a line like `HTTP/2.0 200 OK`, headers, and an empty line.
#[derive(Debug, Default)]
pub(super) struct Pages {
    heads: usize,
    /// The status of the last head.
    pub(super) status: Option<u16>,
    /// The headers of the last head, with names in small letters.
    pub(super) headers: BTreeMap<String, String>,
    pub(super) bodies: Vec<Value>,
    /// Why not everything was read.
    odd: Option<String>,
}

impl Pages {
    pub(super) fn read(bytes: &[u8]) -> Self {
        let mut pages = Self::default();
        let mut rest = bytes.trim_ascii_start();
        while !rest.is_empty() {
            if rest.starts_with(b"HTTP/") {
                rest = pages.head(rest);
            } else {
                let mut values = serde_json::Deserializer::from_slice(rest).into_iter();
                match values.next() {
                    Some(Ok(value)) => pages.bodies.push(value),
                    Some(Err(error)) => {
                        pages.odd = Some(error.to_string());
                        break;
                    }
                    None => break,
                }
                rest = rest.get(values.byte_offset()..).unwrap_or_default();
            }
            rest = rest.trim_ascii_start();
        }
        pages
    }

    /// Reads a head; gives what follows it.
    fn head<'a>(&mut self, bytes: &'a [u8]) -> &'a [u8] {
        self.heads += 1;
        self.headers.clear();
        let mut rest = bytes;
        let mut line = || {
            let end = rest
                .iter()
                .position(|byte| *byte == b'\n')
                .unwrap_or(rest.len());
            let (line, after) = rest.split_at(end);
            rest = after.get(1..).unwrap_or_default();
            String::from_utf8_lossy(line).trim_end().to_owned()
        };
        let first = line();
        let status = first.split(' ').nth(1);
        self.status = status.and_then(|status| status.parse().ok());
        loop {
            let header = line();
            if header.is_empty() {
                return rest;
            }
            if let Some((name, value)) = header.split_once(':') {
                let name = name.trim().to_ascii_lowercase();
                self.headers.insert(name, value.trim().to_owned());
            }
        }
    }

    /// All bodies. **Errors**: a head without one, or something else was printed, too.
    pub(super) fn whole(self) -> Result<Vec<Value>, Trouble> {
        match self.odd {
            None if self.heads > self.bodies.len() => {
                Err(Trouble::malformed("gh gave an answer without a body"))
            }
            None => Ok(self.bodies),
            Some(why) => Err(Trouble::malformed(&format!("gh gave no JSON: {why}"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_head_counts() {
        let pages = Pages::read(
            b"HTTP/2.0 200 OK\nRetry-After: 1\r\n\r\n[]\nHTTP/2.0 429 Too Many Requests\nX-A:  b:c \r\nodd\r\n\r\n{\"message\":\"m\"}",
        );
        assert_eq!(pages.status, Some(429));
        assert_eq!(pages.headers.len(), 1);
        assert_eq!(pages.headers["x-a"], "b:c");
        assert_eq!(pages.bodies[1]["message"], "m");
        assert_eq!(pages.odd, None);
    }
}
