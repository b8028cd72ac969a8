//! Positions of the keys of a JSON object in its text.

use aris_yaml::{Node, Text};

/// Line and column, from 1, of the keys of the top-level object and of the objects directly in it.
#[derive(Debug, Default)]
pub(crate) struct Places(Node);

impl Places {
    /// The positions in `text`; none if it is not JSON.
    pub(crate) fn of(text: &str) -> Self {
        Self(aris_yaml::read_json(text).unwrap_or_default())
    }

    /// The position of a key in the top-level object.
    pub(crate) fn key(&self, key: &str) -> Option<(usize, usize)> {
        find(&self.0, key).map(|(place, _)| place)
    }

    /// The position of a key in an object that is a value of the top-level object.
    pub(crate) fn inner(&self, outer: &str, key: &str) -> Option<(usize, usize)> {
        find(find(&self.0, outer)?.1, key).map(|(place, _)| place)
    }
}

/// The position of a key, which of repeated ones is the first, and its value.
fn find<'n>(node: &'n Node, key: &str) -> Option<((usize, usize), &'n Node)> {
    let mut entries = node.entries().iter();
    let (Text { line, column, .. }, value) = entries.find(|(name, _)| name.text == key)?;
    let number = |number: &u32| usize::try_from(*number).unwrap_or(1);
    Some(((number(line), number(column)), value))
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
