//! SR412: long runs of base64 or hexadecimal digits that look random.

/// Shortest run of base64 that is reported, in characters. **Source**: ours; about 90 bytes of data, longer than any digest.
const BASE64: usize = 120;

/// Shortest run of hexadecimal digits that is reported: longer than SHA-512 written out (128).
const HEX: usize = 129;

/// Least entropy in bits for each character. **Source**: ours; random base64 of 120 characters has about 5.5, words of a
/// natural language joined by `/` stay below 4.4; random hexadecimal digits have just under 4.
const BASE64_BITS: f64 = 4.8;
const HEX_BITS: f64 = 3.3;

/// The first such run of a line: byte offset and length.
pub(crate) fn find(line: &str) -> Option<(usize, usize)> {
    let bytes = line.as_bytes();
    if bytes.len() < BASE64 {
        return None;
    }
    let mut start = 0;
    for end in 0..=bytes.len() {
        if bytes.get(end).copied().is_some_and(is_digit) {
            continue;
        }
        let run = bytes.get(start..end).unwrap_or_default();
        if is_blob(run) {
            return Some((start, run.len()));
        }
        start = end + 1;
    }
    None
}

fn is_digit(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=' | b'-' | b'_')
}

fn is_blob(run: &[u8]) -> bool {
    if run.iter().all(u8::is_ascii_hexdigit) {
        return run.len() >= HEX && entropy(run) >= HEX_BITS;
    }
    run.len() >= BASE64
        && run.iter().any(u8::is_ascii_digit)
        && run.iter().any(u8::is_ascii_uppercase)
        && run.iter().any(u8::is_ascii_lowercase)
        && entropy(run) >= BASE64_BITS
}

/// Bits for each character by how often each occurs.
fn entropy(run: &[u8]) -> f64 {
    let mut counts = [0_u32; 256];
    for byte in run {
        counts[usize::from(*byte)] += 1;
    }
    let total: f64 = counts.iter().map(|count| f64::from(*count)).sum();
    counts
        .iter()
        .filter(|count| **count > 0)
        .map(|count| {
            let share = f64::from(*count) / total;
            -share * share.log2()
        })
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Digits of an alphabet in an order without a pattern (a linear congruence).
    fn random(alphabet: &str, length: usize) -> String {
        let alphabet = alphabet.as_bytes();
        let mut state: u32 = 7;
        (0..length)
            .map(|_| {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                char::from(alphabet[(state >> 16) as usize % alphabet.len()])
            })
            .collect()
    }

    #[test]
    fn blobs_are_long_and_random() {
        let base64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        let hex = "0123456789abcdef";
        for (line, expected) in [
            (format!("x {} y", random(base64, 160)), Some((2, 160))),
            (random(base64, 100), None),
            (format!("sha512: {}", random(hex, 128)), None),
            (format!("{} ", random(hex, 256)), Some((0, 256))),
            ("Ab3".repeat(80), None),
            (format!("https://a/{}", "docs/Guide2/".repeat(15)), None),
            ("-".repeat(200), None),
        ] {
            assert_eq!(find(&line), expected, "{line}");
        }
    }
}
