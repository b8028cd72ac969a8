//! Appends bindings to `claims.toml` and leaves all existing bytes as they are.

use std::collections::BTreeMap;

use serde::{Serialize, Serializer};
use toml_edit::ser::ValueSerializer;

use super::{Claims, Malformed, Relation, Rounding};
use crate::decimal::Decimal;

/// A binding to be written.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Draft {
    /// `id`; left out when empty.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub id: String,
    /// The object that is bound.
    #[serde(flatten)]
    pub subject: DraftSubject,
    /// `nth`; left out if the text occurs once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nth: Option<usize>,
    /// `relation`; left out if it is equality.
    #[serde(skip_serializing_if = "is_default")]
    pub relation: Relation,
    /// `round`; left out if it is the nearest.
    #[serde(skip_serializing_if = "is_default")]
    pub round: Rounding,
    /// `tolerance`.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "number")]
    pub tolerance: Option<Decimal>,
    /// Whether it is a suggestion.
    #[serde(skip_serializing_if = "is_default")]
    pub proposed: bool,
    /// A comment above the binding; each line is written with `#`.
    #[serde(skip)]
    pub comment: String,
}

/// The object that a draft binds.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum DraftSubject {
    /// Numbers of a sentence.
    Sentence {
        /// `in`.
        #[serde(rename = "in")]
        file: String,
        /// `text`, with marks.
        text: String,
        /// `value`.
        #[serde(rename = "value", serialize_with = "one_or_all")]
        values: Vec<String>,
    },
    /// A statement.
    Statement {
        /// `in`.
        #[serde(rename = "in")]
        file: String,
        /// `text`.
        text: String,
        /// `holds`.
        #[serde(rename = "holds")]
        sql: String,
    },
    /// The number of a macro.
    Macro {
        /// Its name without backslash.
        #[serde(rename = "macro")]
        name: String,
        /// `value`.
        value: String,
    },
    /// Cells of a table.
    Table {
        /// `label`.
        label: String,
        /// `value`.
        value: String,
        /// `rows`.
        #[serde(skip_serializing_if = "BTreeMap::is_empty")]
        rows: BTreeMap<String, String>,
        /// `columns`.
        #[serde(skip_serializing_if = "BTreeMap::is_empty")]
        columns: BTreeMap<String, String>,
        /// `cell`; left out if it is the first number.
        #[serde(skip_serializing_if = "is_first")]
        cell: usize,
    },
}

impl Default for DraftSubject {
    fn default() -> Self {
        Self::Macro {
            name: String::new(),
            value: String::new(),
        }
    }
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde gives a reference")]
fn is_first(cell: &usize) -> bool {
    *cell <= 1
}

#[expect(clippy::ref_option, reason = "serde gives a reference")]
fn number<S: Serializer>(number: &Option<Decimal>, serializer: S) -> Result<S::Ok, S::Error> {
    number.as_ref().map(Decimal::to_f64).serialize(serializer)
}

fn one_or_all<S: Serializer>(values: &[String], serializer: S) -> Result<S::Ok, S::Error> {
    match values {
        [only] => only.serialize(serializer),
        all => all.serialize(serializer),
    }
}

/// The file with the drafts appended. An empty file gets its `version` first.
///
/// **Errors**: the file, or the result, is not a valid `claims.toml`.
pub fn append(text: &str, drafts: &[Draft]) -> Result<String, Malformed> {
    let mut out = text.to_owned();
    let mut lines = String::new();
    if text.trim().is_empty() {
        lines.push_str("version = 1\n");
    } else {
        Claims::read(text)?;
        if !text.ends_with('\n') {
            lines.push('\n');
        }
    }
    for draft in drafts {
        lines.extend(["\n", &draft.toml()]);
    }
    if text.contains("\r\n") {
        lines = lines.replace('\n', "\r\n");
    }
    out.push_str(&lines);
    Claims::read(&out).map_err(|wrong| Malformed {
        message: format!("the new binding is not valid: {}", wrong.message),
        ..wrong
    })?;
    Ok(out)
}

impl Draft {
    fn toml(&self) -> String {
        let comment = self.comment.lines().map(|line| format!("# {line}"));
        let mut lines: Vec<String> = comment.map(|line| line.trim_end().to_owned()).collect();
        let is_table = matches!(self.subject, DraftSubject::Table { .. });
        lines.push(String::from(if is_table {
            "[[table]]"
        } else {
            "[[claim]]"
        }));
        let written = self.serialize(ValueSerializer::new()).ok();
        for (key, value) in written
            .iter()
            .filter_map(|it| it.as_inline_table())
            .flatten()
        {
            lines.push(format!("{key} = {}", value.to_string().trim()));
        }
        lines.join("\n") + "\n"
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::bindings::Subject;

    fn sentence(text: &str, values: &[&str]) -> Draft {
        Draft {
            subject: DraftSubject::Sentence {
                file: String::from("a.tex"),
                text: text.to_owned(),
                values: values.iter().map(|value| (*value).to_owned()).collect(),
            },
            ..Draft::default()
        }
    }

    #[test]
    fn what_stood_there_stays_and_line_ends_are_kept() {
        let old = "version = 1 # mine\r\n\r\n[data]\r\nroot = \"..\"";
        let new = append(old, &[sentence("a [[5]] b", &["select 1"])]).unwrap();
        assert!(new.starts_with(old), "{new}");
        assert!(!new.replace("\r\n", "").contains('\n'), "{new:?}");
        let empty = append("", &[sentence("a [[5]] b", &["select 1"])]).unwrap();
        assert!(empty.starts_with("version = 1\n\n[[claim]]\n"), "{empty}");
        assert!(append("version = 1\nclaim = 3\n", &[]).is_err());
    }

    proptest! {
        #[test]
        fn any_text_and_query_come_back(before in "\\PC{1,20}", sql in "\\PC{0,40}") {
            prop_assume!(!before.contains("[[") && !before.trim().is_empty() && !before.ends_with('['));
            let text = format!("x{before} [[5]] ms");
            let new = append("", &[sentence(&text, &[&sql])]).unwrap();
            let read = Claims::read(&new).unwrap();
            let Subject::Sentence { anchor, values } = &read.claims[0].subject else { panic!() };
            prop_assert_eq!(&anchor.text, &text);
            prop_assert_eq!(&values[0].sql, &sql);
        }
    }
}
