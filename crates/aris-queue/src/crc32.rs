//! The checksum of journal lines. **Source**: CRC-32 as in IEEE 802.3 and zlib, reflected polynomial 0xEDB88320.

const TABLE: [u32; 256] = table();

const fn table() -> [u32; 256] {
    let mut table = [0; 256];
    let mut at = 0;
    while at < 256 {
        #[expect(clippy::cast_possible_truncation, reason = "below 256")]
        let mut value = at as u32;
        let mut bit = 0;
        while bit < 8 {
            value = if value & 1 == 1 {
                (value >> 1) ^ 0xEDB8_8320
            } else {
                value >> 1
            };
            bit += 1;
        }
        table[at] = value;
        at += 1;
    }
    table
}

/// The checksum of `bytes`.
pub(crate) fn crc32(bytes: &[u8]) -> u32 {
    let mut value = u32::MAX;
    for byte in bytes {
        let index = (value ^ u32::from(*byte)) & 0xFF;
        value = (value >> 8) ^ TABLE[index as usize];
    }
    !value
}

#[cfg(test)]
mod tests {
    /// **Source**: the check value of the catalogue of CRC algorithms.
    #[test]
    fn the_check_value_is_right() {
        assert_eq!(super::crc32(b"123456789"), 0xCBF4_3926);
        assert_eq!(super::crc32(b""), 0);
    }
}
