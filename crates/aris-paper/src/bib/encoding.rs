//! Decodes files: UTF-8, or an error with a remedy.

use super::{Bibliography, reader};

/// Bytes that are examined for UTF-16 without a byte order mark.
const PROBE: usize = 512;

/// Why a file cannot be read as text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EncodingError {
    /// The file is UTF-16.
    #[error("the file is UTF-16 ({} endian), expected UTF-8", if *little_endian { "little" } else { "big" })]
    Utf16 {
        /// Whether the least significant byte comes first.
        little_endian: bool,
    },
    /// The file is not UTF-8.
    #[error("line {line} is not UTF-8 (byte 0x{byte:02x})")]
    NotUtf8 {
        /// Offset of the first bad byte.
        offset: usize,
        /// Line of the first bad byte, from 1.
        line: usize,
        /// The bad byte.
        byte: u8,
    },
}

impl EncodingError {
    /// The line to report, from 1.
    pub fn line(&self) -> usize {
        match self {
            Self::Utf16 { .. } => 1,
            Self::NotUtf8 { line, .. } => *line,
        }
    }

    /// What to do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Utf16 { .. } => "convert it with `iconv -f UTF-16 -t UTF-8`",
            Self::NotUtf8 { .. } => "if it is Latin-1, convert it with `iconv -f LATIN1 -t UTF-8`",
        }
    }
}

/// Decodes and reads a file's bytes.
///
/// **Errors**: [`EncodingError::Utf16`] for a UTF-16 byte order mark, or for text that is clearly UTF-16 without one;
/// [`EncodingError::NotUtf8`] for any other text that is not UTF-8.
pub fn read_bytes(bytes: &[u8]) -> Result<Bibliography, EncodingError> {
    decode(bytes).map(reader::read)
}

/// The text of a file.
///
/// **Errors**: as [`read_bytes`].
pub fn decode(bytes: &[u8]) -> Result<&str, EncodingError> {
    if let Some(little_endian) = utf16(bytes) {
        return Err(EncodingError::Utf16 { little_endian });
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => Ok(text),
        Err(error) => {
            let offset = error.valid_up_to();
            let before = bytes.get(..offset).unwrap_or_default();
            let line = before.split(|byte| *byte == b'\n').count();
            let byte = bytes.get(offset).copied().unwrap_or_default();
            Err(EncodingError::NotUtf8 { offset, line, byte })
        }
    }
}

/// Detects UTF-16 by its byte order mark, or by zeros in every other byte. Returns whether it is little-endian.
fn utf16(bytes: &[u8]) -> Option<bool> {
    match bytes {
        [0xFF, 0xFE, ..] => return Some(true),
        [0xFE, 0xFF, ..] => return Some(false),
        _ => {}
    }
    let probe = bytes.get(..PROBE).unwrap_or(bytes);
    let pairs = || probe.chunks_exact(2);
    let count = pairs().len();
    // A Latin letter in UTF-16 is a letter byte and a zero byte. Nine tenths tolerates a few other letters.
    let mostly = |index: usize| {
        let zeros = pairs().filter(|pair| pair.get(index) == Some(&0)).count();
        count >= 4 && zeros * 10 >= count * 9
    };
    match (mostly(0), mostly(1)) {
        (true, false) => Some(false),
        (false, true) => Some(true),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encodings_are_told_apart() {
        let utf16: Vec<u8> = "@misc{a, title = {x}}"
            .encode_utf16()
            .flat_map(u16::to_le_bytes)
            .collect();
        assert_eq!(
            read_bytes(&utf16).unwrap_err(),
            EncodingError::Utf16 {
                little_endian: true
            }
        );
        let utf16: Vec<u8> = "@misc{a, title = {x}}"
            .encode_utf16()
            .flat_map(u16::to_be_bytes)
            .collect();
        assert_eq!(
            read_bytes(&utf16).unwrap_err(),
            EncodingError::Utf16 {
                little_endian: false
            }
        );
        let error = read_bytes(b"% a\n@misc{a, author = {M\xfcller}}").unwrap_err();
        assert_eq!(
            error,
            EncodingError::NotUtf8 {
                offset: 24,
                line: 2,
                byte: 0xFC
            }
        );
        assert!(error.to_string().contains("line 2"), "{error}");
        assert_eq!(read_bytes("@misc{ä}".as_bytes()).unwrap().entries.len(), 1);
        assert!(read_bytes(b"").is_ok());
    }
}
