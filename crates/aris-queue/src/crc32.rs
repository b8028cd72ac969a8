//! The checksum of journal lines. **Source**: CRC-32 as in IEEE 802.3 and zlib, reflected polynomial 0xEDB88320.

/// Bytes taken at once.
const STEP: usize = 8;

/// `TABLES[k][b]`: what the byte `b` comes to when `k` bytes of 0 follow it.
static TABLES: [[u32; 256]; STEP] = tables();

const fn tables() -> [[u32; 256]; STEP] {
    let mut tables = [[0; 256]; STEP];
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
        tables[0][at] = value;
        at += 1;
    }
    let mut step = 1;
    while step < STEP {
        let mut at = 0;
        while at < 256 {
            let before = tables[step - 1][at];
            tables[step][at] = (before >> 8) ^ tables[0][(before & 0xFF) as usize];
            at += 1;
        }
        step += 1;
    }
    tables
}

/// The checksum of `bytes`.
pub(crate) fn crc32(bytes: &[u8]) -> u32 {
    let (steps, rest) = bytes.as_chunks::<STEP>();
    let mut value = u32::MAX;
    for step in steps {
        let mixed = u64::from_le_bytes(*step) ^ u64::from(value);
        let parts = mixed.to_le_bytes().into_iter().zip(TABLES.iter().rev());
        value = parts.fold(0, |sum, (byte, table)| sum ^ table[usize::from(byte)]);
    }
    for byte in rest {
        let [low, ..] = value.to_le_bytes();
        value = (value >> 8) ^ TABLES[0][usize::from(low ^ byte)];
    }
    !value
}

#[cfg(test)]
mod tests {
    use super::crc32;

    /// **Source**: the check value of the catalogue of CRC algorithms.
    #[test]
    fn the_check_value_is_right() {
        assert_eq!(crc32(b"123456789"), 0xCBF4_3926);
        assert_eq!(crc32(b""), 0);
    }

    proptest::proptest! {
        /// The definition: bit by bit.
        #[test]
        fn steps_do_not_matter(bytes in proptest::collection::vec(proptest::num::u8::ANY, 0..100)) {
            let slow = !bytes.iter().fold(u32::MAX, |value, byte| {
                (0..8).fold(value ^ u32::from(*byte), |value, _| {
                    (value >> 1) ^ (0xEDB8_8320 * (value & 1))
                })
            });
            proptest::prop_assert_eq!(crc32(&bytes), slow);
        }
    }
}
