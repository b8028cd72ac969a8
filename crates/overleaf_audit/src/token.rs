//! Finds access tokens in any bytes: plain, percent-encoded, as UTF-16, inside base64, inside gzip.

use std::fmt;
use std::io::{self, Write};
use std::ops::Range;
use std::sync::LazyLock;

use aris_contract::hex::hex;
use base64::Engine as _;
use base64::alphabet;
use base64::engine::general_purpose::{GeneralPurpose, NO_PAD};
use flate2::write::MultiGzDecoder;
use percent_encoding::percent_decode;
use regex::bytes::Regex;
use serde::Serialize;
use sha2::{Digest as _, Sha256};

/// The beginning of every token. **Source**: Overleaf, "Git integration authentication tokens".
const PREFIX: &[u8] = b"olp_";

/// Fewest letters and digits after the prefix. **Source**: the original script.
const FEWEST: usize = 20;

/// Most bytes of one match in any form; wrapped base64 needs most, some 1,500.
const LONGEST: usize = 2048;

/// The first bytes of a gzip file. **Source**: RFC 1952.
const GZIP: &[u8] = &[0x1f, 0x8b, 8];

/// Most unpacked bytes of one gzip file that are searched: 4 GiB.
const UNPACKED: u64 = 4 << 30;

/// The searched forms: bytes, any of them percent-encoded; UTF-16 in either byte order; base64 in each of its three alignments.
///
/// The base64 of `olp_` is `b2xwX` at the beginning of a group of three bytes, `9scF` followed by `8` or `9` after one byte of a
/// group, and `vbHBf` after two. Wrapped base64 continues on lines that hold only whole groups of four characters, which may be
/// quoted, and after escaped line breaks, as in JSON.
static FORMS: LazyLock<Result<Regex, regex::Error>> = LazyLock::new(|| {
    const WRAP: &str = r"(?:\r?\n[ \t>]{0,8})";
    const ESCAPED: &str = r"(?:(?:\\{1,4}r)?\\{1,4}n[ \t>]{0,8})";
    // A letter or digit, percent-encoded.
    const CODED: &str = "%(?:3[0-9]|[46][1-9A-Fa-f]|[57][0-9Aa])";
    let start = "b 2 x w X|9 s c F [89]|v b H B f".replace(' ', &format!("(?:{WRAP}|{ESCAPED})?"));
    Regex::new(&format!(
        r"(?-u)(?P<plain>(?:o|%6[Ff])(?:l|%6[Cc])(?:p|%70)(?:_|%5[Ff])(?:[A-Za-z0-9]|{CODED}){{20,200}})|(?P<wide>o\x00l\x00p\x00_(?:\x00[A-Za-z0-9]){{20,200}})|(?:{start})[A-Za-z0-9+/_-]{{0,280}}(?:{WRAP}(?:[A-Za-z0-9+/]{{4}}){{0,32}}[A-Za-z0-9+/]{{2}}(?:[A-Za-z0-9+/]{{2}}|[A-Za-z0-9+/]=|==)(?mR:$)|{ESCAPED}[A-Za-z0-9+/]{{1,128}}={{0,2}}){{0,8}}",
    ))
});

/// Bytes inside wrapped base64 that are not part of its alphabet.
static BREAKS: LazyLock<Result<Regex, regex::Error>> =
    LazyLock::new(|| Regex::new(r"(?-u)\\+[rn]|[^A-Za-z0-9+/_-]"));

/// Decodes a part of a base64 text.
static DECODER: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    NO_PAD.with_decode_allow_trailing_bits(true),
);

/// How a token is written where it was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Form {
    /// Byte for byte.
    Plain,
    /// Percent-encoded, as in a URL.
    Percent,
    /// As UTF-16.
    Utf16,
    /// Inside base64, as in an HTTP authorisation header.
    Base64,
    /// Inside a file that gzip compressed.
    Gzip,
}

impl Form {
    /// The words for a message; empty for the plain form.
    pub(crate) const fn said(self) -> &'static str {
        match self {
            Self::Plain => "",
            Self::Percent => ", percent-encoded",
            Self::Utf16 => " in UTF-16",
            Self::Base64 => " inside base64",
            Self::Gzip => " inside gzip",
        }
    }
}

/// A token without its secret: two of the same token are equal.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Token {
    /// The first 8 hexadecimal digits of the SHA-256 of the token; enough to tell tokens apart, far too little to find one.
    pub fingerprint: String,
    /// Characters, the prefix included.
    pub length: usize,
}

impl Token {
    fn new(secret: &[u8]) -> Self {
        let digest = Sha256::digest(secret);
        Self {
            fingerprint: hex(digest.iter().take(4)),
            length: secret.len(),
        }
    }
}

impl fmt::Display for Token {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "olp_[{} masked]", self.fingerprint)
    }
}

/// A token, the number of bytes before it, and its line, from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Hit {
    pub(crate) at: u64,
    pub(crate) line: u64,
    pub(crate) form: Form,
    pub(crate) token: Token,
}

/// Searches bytes that arrive in pieces, and what they unpack to.
#[derive(Debug, Default)]
pub(crate) struct Scanner {
    plain: Window,
    gzip: Option<MultiGzDecoder<Window>>,
    /// Why some of it could not be unpacked.
    fault: Option<io::Error>,
}

impl Scanner {
    /// Takes the next bytes.
    pub(crate) fn feed(&mut self, piece: &[u8]) {
        let is_told = self.plain.before > 0 || self.plain.kept.len() >= GZIP.len();
        self.plain.kept.extend_from_slice(piece);
        let mut packed = piece;
        if !is_told && self.plain.kept.starts_with(GZIP) {
            self.gzip = Some(MultiGzDecoder::new(Window::default()));
            packed = &self.plain.kept;
        }
        if let (Some(gzip), None) = (&mut self.gzip, &self.fault) {
            self.fault = gzip.write_all(packed).err();
        }
        self.plain.search(LONGEST);
    }

    /// The tokens found, and why some bytes could not be searched. Resets the scanner.
    pub(crate) fn finish(&mut self) -> (Vec<Hit>, Option<String>) {
        let mut scanner = std::mem::take(self);
        scanner.plain.search(0);
        let mut hits = scanner.plain.hits;
        let Some(mut gzip) = scanner.gzip else {
            return (hits, None);
        };
        let fault = scanner.fault.or_else(|| gzip.try_finish().err());
        let unpacked = gzip.get_mut();
        unpacked.search(0);
        let form = Form::Gzip;
        hits.extend(unpacked.hits.drain(..).map(|hit| Hit { form, ..hit }));
        let why = |fault| format!("it is compressed with gzip and cannot be unpacked: {fault}");
        (hits, fault.map(why))
    }
}

/// A searched stream: keeps the last bytes, because a token may continue in the next piece, and the tokens found so far.
#[derive(Debug, Default)]
struct Window {
    kept: Vec<u8>,
    /// Number of bytes before `kept`, and of line ends in them.
    before: u64,
    lines: u64,
    hits: Vec<Hit>,
}

impl Window {
    /// Finds the tokens that begin before the last `unsure` bytes. These bytes are kept, because a token there may be incomplete.
    fn search(&mut self, unsure: usize) {
        let ends = |from: usize, to: usize| {
            let bytes = self.kept.get(from..to).unwrap_or_default();
            bytes.iter().filter(|byte| **byte == b'\n').count() as u64
        };
        let safe = self.kept.len().saturating_sub(unsure);
        let (mut seen, mut done) = (0, safe);
        for (range, form, token) in finds(&self.kept).take_while(|found| found.0.start < safe) {
            self.lines += ends(seen, range.start);
            seen = range.start;
            done = done.max(range.end);
            self.hits.push(Hit {
                at: self.before + range.start as u64,
                line: self.lines + 1,
                form,
                token,
            });
        }
        self.lines += ends(seen, done);
        self.before += done as u64;
        self.kept.drain(..done);
    }
}

impl Write for Window {
    fn write(&mut self, piece: &[u8]) -> io::Result<usize> {
        if self.before > UNPACKED {
            return Err(io::Error::other("it unpacks to more than 4 GiB"));
        }
        self.kept.extend_from_slice(piece);
        self.search(LONGEST);
        Ok(piece.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A text with its tokens masked, for paths, names and messages that are shown.
pub(crate) fn masked(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut done = 0;
    for (range, _, token) in finds(text.as_bytes()) {
        shown.push_str(text.get(done..range.start).unwrap_or_default());
        shown.push_str(&token.to_string());
        done = range.end;
    }
    shown.push_str(text.get(done..).unwrap_or_default());
    shown
}

/// The tokens in order, each with its byte range.
pub(crate) fn finds(bytes: &[u8]) -> impl Iterator<Item = (Range<usize>, Form, Token)> {
    let forms = FORMS.as_ref().into_iter();
    let all = forms.flat_map(|forms| forms.captures_iter(bytes));
    all.filter_map(|captures| {
        let whole = captures.get(0)?;
        let text = whole.as_bytes();
        let (form, secret) = if captures.name("plain").is_some() {
            let secret: Vec<u8> = percent_decode(text).collect();
            let is_coded = secret.len() < text.len();
            (if is_coded { Form::Percent } else { Form::Plain }, secret)
        } else if captures.name("wide").is_some() {
            let narrow = text.iter().copied().filter(|byte| *byte != 0);
            (Form::Utf16, narrow.collect())
        } else {
            (Form::Base64, decoded(text)?)
        };
        Some((whole.range(), form, Token::new(&secret)))
    })
}

/// The token in a base64 text, if it decodes to one.
fn decoded(text: &[u8]) -> Option<Vec<u8>> {
    // Completes the first group: zero bits, and the bits of the token that precede the first character.
    let (start, zeros) = match text.first() {
        Some(b'9') => ("AG", 1),
        Some(b'v') => ("AAB", 2),
        _ => ("", 0),
    };
    let joined = BREAKS.as_ref().ok()?.replace_all(text, b"");
    let standard = start.bytes().chain(joined.iter().map(|byte| match byte {
        b'-' => b'+',
        b'_' => b'/',
        other => *other,
    }));
    let mut standard: Vec<u8> = standard.collect();
    // A single character in the last group encodes no whole byte.
    if standard.len() % 4 == 1 {
        standard.pop();
    }
    let bytes = DECODER.decode(standard).ok()?;
    let secret = bytes.get(zeros..)?;
    let tail = secret.strip_prefix(PREFIX)?.iter();
    let length = tail.take_while(|byte| byte.is_ascii_alphanumeric()).count();
    let secret = secret.get(..PREFIX.len() + length)?;
    (length >= FEWEST).then(|| secret.to_vec())
}

#[cfg(test)]
mod tests {
    use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE};
    use proptest::prelude::*;

    use super::*;

    /// Built at run time, so that no file of this project contains a token.
    fn secret(tail: &str) -> String {
        ["olp", "_", tail].concat()
    }

    const TAIL: &str = "Abc0123456789defGHIJ012345678901";

    fn tokens(bytes: &[u8]) -> Vec<Hit> {
        let mut scanner = Scanner::default();
        scanner.feed(bytes);
        scanner.finish().0
    }

    fn wide(text: &str, big: bool) -> Vec<u8> {
        text.encode_utf16()
            .flat_map(|unit| {
                if big {
                    unit.to_be_bytes()
                } else {
                    unit.to_le_bytes()
                }
            })
            .collect()
    }

    #[test]
    fn each_form_is_the_same_token() {
        let token = secret(TAIL);
        let plain = Token::new(token.as_bytes());
        let mut cases: Vec<(Vec<u8>, Form)> = vec![
            (token.clone().into_bytes(), Form::Plain),
            (
                format!("https://git:{token}@git.overleaf.com/x").into_bytes(),
                Form::Plain,
            ),
            (wide(&format!("a {token} b"), false), Form::Utf16),
            (wide(&format!("a {token} b"), true), Form::Utf16),
        ];
        for before in ["", "a", "ab", "abc", "git:", "user:", "xx:yy"] {
            for after in ["", "!", "\n", ":z"] {
                let text = format!("{before}{token}{after}");
                cases.push((STANDARD.encode(&text).into_bytes(), Form::Base64));
                cases.push((STANDARD_NO_PAD.encode(&text).into_bytes(), Form::Base64));
                cases.push((URL_SAFE.encode(&text).into_bytes(), Form::Base64));
            }
        }
        for (bytes, form) in cases {
            let hits = tokens(&bytes);
            let shown = String::from_utf8_lossy(&bytes);
            assert_eq!(hits.len(), 1, "{shown}");
            assert_eq!((hits[0].form, &hits[0].token), (form, &plain), "{shown}");
        }
    }

    #[test]
    fn wrapped_base64_is_one_token_however_its_lines_are_broken() {
        let token = secret(TAIL);
        let plain = Token::new(token.as_bytes());
        for before in 0..80 {
            let text = format!(
                "{}{token}@git.overleaf.com/0123456789abcdef",
                "x".repeat(before)
            );
            let coded = STANDARD.encode(text).into_bytes();
            let lines = || {
                coded
                    .chunks(76)
                    .map(|line| String::from_utf8_lossy(line).into_owned())
            };
            for (start, end) in [
                ("", "\n"),
                ("> ", "\r\n"),
                ("", "\\n"),
                ("", "\\r\\n"),
                ("", r"\\n"),
            ] {
                let wrapped: String = lines().fold(String::from("{\"out\":\""), |out, line| {
                    [&out, start, &line, end].concat()
                });
                let hits = tokens(format!("{wrapped}\"}}").as_bytes());
                let found = hits.iter().map(|hit| (hit.form, &hit.token));
                let wanted = [(Form::Base64, &plain)];
                assert_eq!(found.collect::<Vec<_>>(), wanted, "{before} {wrapped}");
            }
        }
    }

    #[test]
    fn what_is_too_short_or_broken_is_none() {
        for text in [
            secret("short"),
            secret("Abc0123456789defGHI"),
            format!("{}-{TAIL}", secret("")),
            ["OLP", "_", TAIL].concat(),
            STANDARD.encode(secret("short and then some more text of no importance")),
        ] {
            assert_eq!(tokens(text.as_bytes()), [], "{text}");
            assert_eq!(masked(&text), text);
        }
    }

    #[test]
    fn a_masked_text_keeps_the_rest() {
        let text = format!("a/{}/b {} ü", secret(TAIL), STANDARD.encode(secret(TAIL)));
        let shown = masked(&text);
        assert!(shown.starts_with("a/olp_["), "{shown}");
        assert!(shown.ends_with("] ü"), "{shown}");
        assert!(!shown.contains("Abc0123"), "{shown}");
        assert!(tokens(shown.as_bytes()).is_empty());
    }

    proptest! {
        #[test]
        fn pieces_do_not_matter(
            noise in prop::collection::vec(any::<u8>(), 0..3000),
            at in 0_usize..3000,
            cuts in prop::collection::vec(1_usize..700, 1..20),
            form in 0..4,
        ) {
            let token = secret(TAIL);
            let hidden = match form {
                0 => token.into_bytes(),
                1 => wide(&token, false),
                2 => wide(&token, true),
                _ => STANDARD.encode(format!("git:{token}")).into_bytes(),
            };
            let mut bytes = noise;
            let at = at.min(bytes.len());
            bytes.splice(at..at, [vec![b' '], hidden, vec![b' ']].concat());
            let whole = tokens(&bytes);
            prop_assert_eq!(whole.len(), 1);
            let mut scanner = Scanner::default();
            let mut rest = bytes.as_slice();
            for cut in cuts.iter().cycle() {
                let (piece, left) = rest.split_at((*cut).min(rest.len()));
                scanner.feed(piece);
                rest = left;
                if rest.is_empty() {
                    break;
                }
            }
            prop_assert_eq!(scanner.finish(), (whole, None));
        }

        #[test]
        fn nothing_whole_is_ever_shown(text in "(olp_|[a-zA-Z0-9/ ü]){0,40}") {
            prop_assert!(tokens(masked(&text).as_bytes()).is_empty());
        }
    }
}
