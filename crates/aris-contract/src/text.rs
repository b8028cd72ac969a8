//! Text of others.

/// Whether a terminal, an editor or a browser obeys this character instead of showing it: controls but line feed and tab, and the marks,
/// embeddings, overrides and isolates of the bidirectional algorithm (**Source**: Unicode UAX #9).
pub fn is_hidden(sign: char) -> bool {
    (sign.is_control() && !matches!(sign, '\n' | '\t'))
        || matches!(sign, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}
