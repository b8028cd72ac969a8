//! Where the keys of a JSON object stand in its text.

use std::collections::BTreeMap;

/// Line and column, from 1, of the keys of a document's top object and of the objects directly below it.
///
/// Works on text that the strict reader has accepted; on anything else it gives what it finds and never panics.
#[derive(Debug, Default)]
pub(crate) struct Places {
    keys: BTreeMap<(Option<String>, String), (usize, usize)>,
}

impl Places {
    /// Scans `text` once.
    pub(crate) fn of(text: &str) -> Self {
        let mut places = Self::default();
        let mut scan = Scan {
            bytes: text.as_bytes(),
            at: 0,
            line: 1,
            counted: 0,
            column: 1,
        };
        // One entry per open bracket: whether it is an object, and whether a key comes next.
        let mut open: Vec<(bool, bool)> = Vec::new();
        let mut outer: Option<String> = None;
        while let Some(byte) = scan.bytes.get(scan.at).copied() {
            match byte {
                b'"' => {
                    let place = (scan.line, scan.column(text));
                    let string = scan.string();
                    if let Some((true, expects_key)) = open.last_mut()
                        && *expects_key
                    {
                        *expects_key = false;
                        let objects = open.iter().all(|(object, _)| *object);
                        if objects && open.len() <= 2 {
                            let key: String = serde_json::from_str(string).unwrap_or_default();
                            let parent = if open.len() == 1 { None } else { outer.clone() };
                            if open.len() == 1 {
                                outer = Some(key.clone());
                            }
                            places.keys.entry((parent, key)).or_insert(place);
                        }
                    }
                    continue;
                }
                b'{' => open.push((true, true)),
                b'[' => open.push((false, false)),
                b'}' | b']' => {
                    open.pop();
                }
                b',' => {
                    if let Some((object, expects_key)) = open.last_mut() {
                        *expects_key = *object;
                    }
                }
                b'\n' => {
                    scan.line += 1;
                    (scan.counted, scan.column) = (scan.at + 1, 1);
                }
                _ => {}
            }
            scan.at += 1;
        }
        places
    }

    /// The place of a key of the top object.
    pub(crate) fn key(&self, key: &str) -> Option<(usize, usize)> {
        self.keys.get(&(None, key.to_owned())).copied()
    }

    /// The place of a key in an object below the top object.
    pub(crate) fn inner(&self, outer: &str, key: &str) -> Option<(usize, usize)> {
        self.keys
            .get(&(Some(outer.to_owned()), key.to_owned()))
            .copied()
    }
}

struct Scan<'a> {
    bytes: &'a [u8],
    at: usize,
    line: usize,
    /// Byte up to which the characters of this line are counted, and the column there.
    counted: usize,
    column: usize,
}

impl<'a> Scan<'a> {
    /// The column of the present place. Counts on from where it was last asked, so that a long line is counted once.
    fn column(&mut self, text: &str) -> usize {
        let between = text.get(self.counted..self.at).unwrap_or("");
        self.column += between.chars().count();
        self.counted = self.at;
        self.column
    }

    /// The string at the present place with its quotes; moves behind it.
    fn string(&mut self) -> &'a str {
        let start = self.at;
        self.at += 1;
        while let Some(byte) = self.bytes.get(self.at) {
            self.at += match byte {
                b'\\' => 2,
                b'"' => break,
                _ => 1,
            };
        }
        self.at = (self.at + 1).min(self.bytes.len());
        self.bytes
            .get(start..self.at)
            .and_then(|bytes| std::str::from_utf8(bytes).ok())
            .unwrap_or("")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_have_places_and_strings_that_look_like_keys_do_not() {
        let text = "{\n  \"a\": \"{\\\"b\\\": 1}\",\n  \"h\": {\"x\": \"y\", \"é\\u0061\": 2},\n  \"l\": [{\"x\": 1}], \"x\": {\"d\": {\"h\": 1}}}";
        let places = Places::of(text);
        assert_eq!(places.key("a"), Some((2, 3)));
        assert_eq!(places.inner("h", "x"), Some((3, 9)));
        assert_eq!(places.inner("h", "éa"), Some((3, 19)));
        assert_eq!(places.key("x"), Some((4, 20)));
        assert_eq!(
            (
                places.key("b"),
                places.inner("l", "x"),
                places.inner("x", "h")
            ),
            (None, None, None)
        );
    }

    proptest::proptest! {
        #[test]
        fn never_panics(text in "[\\[\\]{}:,\"a-c\\\\\n é]{0,60}") {
            drop(Places::of(&text));
        }
    }
}
