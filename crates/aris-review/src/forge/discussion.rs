//! Threads in the form of GitLab.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::Trouble;

/// A thread: notes on a line of the diff, or on none.
pub(super) struct Discussion {
    pub(super) id: String,
    pub(super) notes: Vec<Value>,
}

impl Discussion {
    pub(super) fn read(entry: &Value) -> Result<Self, Trouble> {
        let wrong = || Trouble::malformed("a thread that has no id or no notes");
        let id = entry.get("id").and_then(Value::as_str).ok_or_else(wrong)?;
        let notes = entry.get("notes").and_then(Value::as_array);
        Ok(Self {
            id: id.to_owned(),
            notes: notes.ok_or_else(wrong)?.clone(),
        })
    }

    pub(super) fn first(&self) -> Option<u64> {
        self.notes.first()?.get("id")?.as_u64()
    }

    /// The position of its first note in the diff; `None` for a note on no line.
    pub(super) fn position(&self) -> Option<&Value> {
        let position = self.notes.first()?.get("position")?;
        position.get("new_path")?.as_str()?;
        Some(position)
    }

    pub(super) fn is_resolved(&self) -> bool {
        let flag = |note: &Value, key: &str| note.get(key) == Some(&Value::Bool(true));
        let mut open = self.notes.clone();
        open.retain(|note| flag(note, "resolvable"));
        !open.is_empty() && open.iter().all(|note| flag(note, "resolved"))
    }
}

/// The fields that comments and reviews of GitHub have in common.
pub(super) fn as_github(note: &Value, associations: &BTreeMap<u64, &'static str>) -> Value {
    let author = note.pointer("/author/id").and_then(Value::as_u64);
    let association = author.and_then(|id| associations.get(&id)).copied();
    json!({
        "id": note["id"], "body": note["body"], "author_association": association.unwrap_or("NONE"),
        "user": {"login": note.pointer("/author/username")},
    })
}
