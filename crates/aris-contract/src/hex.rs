//! Bytes as hexadecimal digits, as in digests and git object names.

/// Two lower-case digits for each byte.
pub fn hex<'a>(bytes: impl IntoIterator<Item = &'a u8>) -> String {
    bytes
        .into_iter()
        .flat_map(|byte| [byte >> 4, byte & 15])
        .filter_map(|digit| char::from_digit(u32::from(digit), 16))
        .collect()
}

/// Decodes hexadecimal digits of either case; `None` for anything else and for an odd number of digits.
pub fn unhex(digits: &[u8]) -> Option<Vec<u8>> {
    let digit = |digit: u8| u8::try_from(char::from(digit).to_digit(16)?).ok();
    let (pairs, odd) = digits.as_chunks();
    let bytes = pairs
        .iter()
        .map(|[high, low]| Some(digit(*high)? << 4 | digit(*low)?));
    bytes.collect::<Option<_>>().filter(|_| odd.is_empty())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn digits_are_lower_case_and_read_in_either() {
        assert_eq!(hex(&[0, 255, 160]), "00ffa0");
        assert_eq!(unhex(b"00ffA0"), Some(vec![0, 255, 160]));
        assert_eq!(unhex(b""), Some(Vec::new()));
        for bad in [&b"0"[..], b"0g", b"abc", b"+1", " 1".as_bytes()] {
            assert_eq!(unhex(bad), None, "{bad:?}");
        }
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(bytes in prop::collection::vec(any::<u8>(), 0..50)) {
            prop_assert_eq!(unhex(hex(&bytes).as_bytes()), Some(bytes.clone()));
            // It must not panic, whatever the input.
            let _read = unhex(&bytes);
        }
    }
}
