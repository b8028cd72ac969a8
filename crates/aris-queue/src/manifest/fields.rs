//! A map whose keys are taken one by one; what is left over is a mistake.

use std::collections::BTreeMap;
use std::fmt::Display;

use crate::problem::{MOST_PROBLEMS, Problem};
use crate::tree::{Key, Kind, Node, Value, problem};

/// Keys with this beginning are the user's own.
const OWN: &str = "x_";

/// Collects mistakes, so that one reading tells all of them.
#[derive(Debug, Default)]
pub(crate) struct Problems(pub(crate) Vec<Problem>, Vec<Problem>);

impl Problems {
    pub(crate) fn push(&mut self, problem: Problem) {
        if self.0.len() < MOST_PROBLEMS {
            self.0.push(problem);
        }
    }

    pub(crate) fn at(&mut self, node: &Node, message: impl Into<String>, hint: Option<&str>) {
        self.push(problem(node, message, hint));
    }

    /// What may be meant as it stands, and is often a slip.
    pub(crate) fn warn(&mut self, node: &Node, message: String) {
        let warning = problem(node, message, None);
        if self.1.len() < MOST_PROBLEMS && !self.1.contains(&warning) {
            self.1.push(warning);
        }
    }

    pub(crate) fn take_warnings(&mut self) -> Vec<Problem> {
        std::mem::take(&mut self.1)
    }

    pub(crate) fn full(&self) -> bool {
        self.0.len() >= MOST_PROBLEMS
    }
}

/// The keys of one map that nobody has asked for yet.
pub(crate) struct Fields<'a> {
    /// What the map is called in messages, `phase "train"`.
    what: &'a dyn Display,
    entries: &'a [(Key, Node)],
    taken: u64,
}

impl<'a> Fields<'a> {
    /// `None`, with a problem, when the node is no map.
    pub(crate) fn of(
        node: &'a Node,
        what: &'a dyn Display,
        problems: &mut Problems,
    ) -> Option<Self> {
        match &node.value {
            Value::Map(entries) if entries.len() <= 64 => Some(Self {
                what,
                entries,
                taken: 0,
            }),
            Value::Map(_) => {
                problems.at(
                    node,
                    format!("{what} has more than 64 keys"),
                    Some("see the skill experiment-queue for the keys there are"),
                );
                None
            }
            _ => {
                problems.at(
                    node,
                    format!("{what} must be a map, not {}", node.noun()),
                    None,
                );
                None
            }
        }
    }

    /// The value of `key`; null counts as absent.
    pub(crate) fn take(&mut self, key: &str) -> Option<&'a Node> {
        let at = self
            .entries
            .iter()
            .position(|(known, _)| known.text == key)?;
        self.taken |= 1 << at;
        self.entries
            .get(at)
            .map(|(_, node)| node)
            .filter(|node| !node.is_null())
    }

    /// Reports every key that was not taken, with the nearest of `known`.
    pub(crate) fn finish(self, known: &[&[&str]], problems: &mut Problems) {
        for (at, (key, _)) in self.entries.iter().enumerate() {
            if self.taken & (1 << at) != 0 || key.text.starts_with(OWN) {
                continue;
            }
            problems.push(unknown_key(self.what, key, known));
        }
    }

    pub(crate) fn text(&mut self, key: &str, problems: &mut Problems) -> Option<String> {
        let node = self.take(key)?;
        let text = node.written();
        if text.is_none() {
            problems.at(
                node,
                format!("{key} must be a text, not {}", node.noun()),
                None,
            );
        }
        text.map(str::to_owned)
    }

    pub(crate) fn whole(&mut self, key: &str, problems: &mut Problems) -> Option<u64> {
        let node = self.take(key)?;
        whole(node, key, problems)
    }

    pub(crate) fn count(&mut self, key: &str, problems: &mut Problems) -> Option<u32> {
        let node = self.take(key)?;
        let number = whole(node, key, problems)?;
        u32::try_from(number).ok().or_else(|| {
            problems.at(node, format!("{key} is too large"), None);
            None
        })
    }

    pub(crate) fn flag(&mut self, key: &str, problems: &mut Problems) -> Option<bool> {
        let node = self.take(key)?;
        if let Some(Kind::Bool(flag)) = node.kind() {
            return Some(flag);
        }
        problems.at(
            node,
            format!("{key} must be true or false, not {}", node.noun()),
            None,
        );
        None
    }

    /// One of `words`; gives the value beside it.
    pub(crate) fn word<T: Copy>(
        &mut self,
        key: &str,
        words: &[(&str, T)],
        problems: &mut Problems,
    ) -> Option<T> {
        let node = self.take(key)?;
        let text = node.written().unwrap_or_default();
        let found = words.iter().find(|(word, _)| *word == text);
        if found.is_none() {
            let list: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
            problems.at(node, format!("{key} must be {}", list.join(" or ")), None);
        }
        found.map(|(_, value)| *value)
    }

    /// One text, or a list of texts.
    pub(crate) fn texts(&mut self, key: &str, problems: &mut Problems) -> Option<Vec<String>> {
        let node = self.take(key)?;
        Some(texts(node, key, problems))
    }

    /// Seconds, or `H:MM:SS`, in milliseconds.
    pub(crate) fn duration_ms(&mut self, key: &str, problems: &mut Problems) -> Option<u64> {
        let node = self.take(key)?;
        let found = duration_ms(node);
        if found.is_none() {
            problems.at(
                node,
                format!("{key} must be a number of seconds or H:MM:SS"),
                Some("for example 3600 or 1:00:00"),
            );
        }
        found
    }

    /// A map of names to scalars.
    pub(crate) fn variables(
        &mut self,
        key: &str,
        problems: &mut Problems,
    ) -> Option<BTreeMap<String, String>> {
        let node = self.take(key)?;
        let Value::Map(entries) = &node.value else {
            problems.at(
                node,
                format!("{key} must be a map, not {}", node.noun()),
                None,
            );
            return None;
        };
        let mut variables = BTreeMap::new();
        for (name, value) in entries {
            let safe = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
            let good = name.text.bytes().all(safe)
                && name
                    .text
                    .as_bytes()
                    .first()
                    .is_some_and(|byte| !byte.is_ascii_digit());
            match value.written() {
                Some(text) if good && !text.contains('\0') => {
                    variables.insert(name.text.clone(), text.to_owned());
                }
                _ => problems.at(
                    value,
                    format!(
                        "{key} needs names of letters, digits and _ with a text each, not {:?}",
                        name.text
                    ),
                    None,
                ),
            }
        }
        Some(variables)
    }
}

/// The problem of a key that nobody knows.
pub(crate) fn unknown_key(what: &dyn Display, key: &Key, known: &[&[&str]]) -> Problem {
    let near = nearest(
        &key.text,
        known.iter().flat_map(|keys| keys.iter().copied()),
    );
    Problem {
        line: key.line,
        column: key.column,
        message: format!("{what} has the unknown key {:?}", key.text),
        hint: Some(near.map_or_else(
            || String::from("remove it, or begin its name with x_ if it is your own"),
            |near| format!("did you mean {near:?}? keys of your own begin with x_"),
        )),
    }
}

pub(crate) fn texts(node: &Node, key: &str, problems: &mut Problems) -> Vec<String> {
    let items = match &node.value {
        Value::List(items) => items.as_slice(),
        _ => std::slice::from_ref(node),
    };
    let mut texts = Vec::with_capacity(items.len());
    for item in items {
        match item.written() {
            Some(text) if !item.is_null() => texts.push(text.to_owned()),
            _ => problems.at(
                item,
                format!(
                    "{key} must be a text or a list of texts, not {}",
                    item.noun()
                ),
                None,
            ),
        }
    }
    texts
}

fn whole(node: &Node, key: &str, problems: &mut Problems) -> Option<u64> {
    if let Some(Kind::Integer(number)) = node.kind()
        && let Ok(number) = u64::try_from(number)
    {
        return Some(number);
    }
    problems.at(
        node,
        format!(
            "{key} must be a whole number from 0 on, not {}",
            node.noun()
        ),
        None,
    );
    None
}

/// **Source**: queue design §8: seconds or H:MM:SS. A year at most: more is a mistake of units.
fn duration_ms(node: &Node) -> Option<u64> {
    const YEAR_MS: u64 = 366 * 24 * 3600 * 1000;
    let found = match node.kind()? {
        Kind::Integer(seconds) => u64::try_from(seconds).ok()?.checked_mul(1000)?,
        Kind::Float(seconds) if (0.0..=31_622_400.0).contains(&seconds) => {
            u64::try_from(std::time::Duration::from_secs_f64(seconds).as_millis()).ok()?
        }
        Kind::Text(text) => {
            let mut total = 0_u64;
            let parts: Vec<&str> = text.split(':').collect();
            if !(2..=3).contains(&parts.len()) {
                return None;
            }
            for (at, part) in parts.iter().enumerate() {
                let digits = !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
                let number: u64 = part.parse().ok().filter(|_| digits)?;
                if at > 0 && (number > 59 || part.len() != 2) {
                    return None;
                }
                total = total.checked_mul(60)?.checked_add(number)?;
            }
            // Two parts would be read as hours and minutes by one and minutes and seconds by another.
            if parts.len() == 2 {
                return None;
            }
            total.checked_mul(1000)?
        }
        _ => return None,
    };
    (found <= YEAR_MS).then_some(found)
}

/// The known name that `name` most likely was meant to be. **Source**: edit distance up to a third of the length, as in
/// rustc's suggestions.
pub fn nearest<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    known
        .map(|known| (strsim::osa_distance(name, known), known))
        .filter(|(distance, known)| *distance * 3 <= name.len().max(known.len()))
        .min()
        .map(|(_, known)| known)
}
