use proptest::prelude::*;

use super::*;

/// An index of version 2, 3 or 4, as git writes it.
fn written(version: u32, entries: &[(&str, u32)]) -> Vec<u8> {
    let mut bytes = b"DIRC".to_vec();
    bytes.extend(version.to_be_bytes());
    bytes.extend(u32::try_from(entries.len()).expect("few").to_be_bytes());
    let mut before = "";
    for (path, mode) in entries {
        let start = bytes.len();
        bytes.extend([0; 24]);
        bytes.extend(mode.to_be_bytes());
        bytes.extend([0; 12 + 20]);
        let extended = version >= 3;
        let flags = u16::try_from(path.len()).expect("short") | if extended { 0x4000 } else { 0 };
        bytes.extend(flags.to_be_bytes());
        if extended {
            bytes.extend([0, 0]);
        }
        if version == 4 {
            let shared = path
                .bytes()
                .zip(before.bytes())
                .take_while(|(a, b)| a == b)
                .count();
            bytes.push(u8::try_from(before.len() - shared).expect("short"));
            bytes.extend(&path.as_bytes()[shared..]);
            bytes.push(0);
        } else {
            bytes.extend(path.as_bytes());
            let padded = (bytes.len() - start + 1).next_multiple_of(8);
            bytes.resize(start + padded, 0);
        }
        before = path;
    }
    bytes.extend([0; 20]);
    bytes
}

#[test]
fn versions_two_to_four() {
    let entries = [
        ("a", 0o100_644),
        ("scripts/run.sh", 0o100_755),
        ("scripts/run.sh.txt", 0o100_644),
        ("z/link", 0o120_000),
    ];
    for version in 2..=4 {
        let index = Index::parse(&written(version, &entries), 20).expect("an index");
        assert_eq!(index.entries.len(), 4);
        assert_eq!(index.executable("scripts/run.sh"), Some(true));
        assert_eq!(index.executable("a"), Some(false));
        assert_eq!(index.executable("z/link"), None);
        assert!(index.has_below("scripts") && !index.has_below("script") && !index.contains("b"));
    }
    assert!(Index::parse(b"DIRC", 20).is_none());
    let mut split = written(2, &entries);
    split.truncate(split.len() - 20);
    split.extend(b"link\0\0\0\x14");
    split.extend([0; 40]);
    assert!(
        Index::parse(&split, 20).is_none(),
        "a split index is not read as empty"
    );
}

proptest! {
    #[test]
    fn no_bytes_make_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..400), version in 2_u8..5) {
        let mut index = b"DIRC\0\0\0".to_vec();
        index.push(version);
        index.extend(bytes);
        let _read = Index::parse(&index, 20);
    }
}
