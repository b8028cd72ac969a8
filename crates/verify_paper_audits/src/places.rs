//! Positions of the keys of a JSON object in its text.

use std::collections::BTreeMap;

use aris_yaml::Text;

/// Line and column, from 1, of the keys of the top-level object and of the objects directly in it.
#[derive(Debug, Default)]
pub(crate) struct Places {
    keys: BTreeMap<(Option<String>, String), (usize, usize)>,
}

impl Places {
    /// The positions in `text`; none if it is not JSON.
    pub(crate) fn of(text: &str) -> Self {
        let mut places = Self::default();
        let top = aris_yaml::read_json(text).unwrap_or_default();
        for (outer, value) in top.entries() {
            places.add(None, outer);
            for (inner, _) in value.entries() {
                places.add(Some(outer.text.clone()), inner);
            }
        }
        places
    }

    fn add(&mut self, outer: Option<String>, key: &Text) {
        let number = |number: u32| usize::try_from(number).unwrap_or(1);
        let place = (number(key.line), number(key.column));
        self.keys.entry((outer, key.text.clone())).or_insert(place);
    }

    /// The position of a key in the top-level object.
    pub(crate) fn key(&self, key: &str) -> Option<(usize, usize)> {
        self.keys.get(&(None, key.to_owned())).copied()
    }

    /// The position of a key in an object that is a value of the top-level object.
    pub(crate) fn inner(&self, outer: &str, key: &str) -> Option<(usize, usize)> {
        self.keys
            .get(&(Some(outer.to_owned()), key.to_owned()))
            .copied()
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
