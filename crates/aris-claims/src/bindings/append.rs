//! Appends bindings to `claims.toml` and leaves every byte that stands there as it is.

use std::collections::BTreeMap;

use super::{Claims, Malformed, Relation, Rounding, Spot};
use crate::decimal::Decimal;

/// A binding to be written.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Draft {
    /// `id`; left out when empty.
    pub id: String,
    /// What it binds.
    pub subject: DraftSubject,
    /// `relation`; left out when the values are the same.
    pub relation: Relation,
    /// `round`; left out for the nearest.
    pub round: Rounding,
    /// `tolerance`.
    pub tolerance: Option<Decimal>,
    /// Whether it is a suggestion.
    pub proposed: bool,
    /// A comment above it; each line is written with `#`.
    pub comment: String,
}

/// What a binding to be written binds.
#[derive(Debug, Clone, PartialEq)]
pub enum DraftSubject {
    /// Numbers of a sentence.
    Sentence {
        /// `in`.
        file: String,
        /// `text`, with marks.
        text: String,
        /// `value`.
        values: Vec<String>,
    },
    /// A statement.
    Statement {
        /// `in`.
        file: String,
        /// `text`.
        text: String,
        /// `holds`.
        sql: String,
    },
    /// The number of a macro.
    Macro {
        /// Its name without backslash.
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
        rows: BTreeMap<String, String>,
        /// `columns`.
        columns: BTreeMap<String, String>,
        /// `cell`; left out when it is the first number.
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

/// The file with the drafts at its end; a file that is empty becomes one.
///
/// **Errors**: the file, or what it becomes, is no `claims.toml`.
pub fn append(text: &str, drafts: &[Draft]) -> Result<String, Malformed> {
    if !text.trim().is_empty() {
        Claims::read(text)?;
    }
    let line_end = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let mut lines: Vec<String> = Vec::new();
    if text.trim().is_empty() {
        lines.push(String::from("version = 1"));
    }
    for draft in drafts {
        lines.push(String::new());
        draft.write(&mut lines);
    }
    let mut out = text.to_owned();
    if !out.is_empty() && !out.ends_with('\n') {
        out.push_str(line_end);
    }
    for line in lines {
        out.push_str(&line);
        out.push_str(line_end);
    }
    Claims::read(&out).map_err(|wrong| Malformed {
        message: format!("the new binding does not fit the file: {}", wrong.message),
        at: Spot { ..wrong.at },
    })?;
    Ok(out)
}

impl Draft {
    fn write(&self, lines: &mut Vec<String>) {
        for line in self.comment.lines() {
            lines.push(format!("# {line}").trim_end().to_owned());
        }
        let table = matches!(self.subject, DraftSubject::Table { .. });
        lines.push(String::from(if table { "[[table]]" } else { "[[claim]]" }));
        let mut put = |key: &str, value: String| lines.push(format!("{key} = {value}"));
        if !self.id.is_empty() {
            put("id", quoted(&self.id));
        }
        match &self.subject {
            DraftSubject::Sentence { file, text, values } => {
                put("in", quoted(file));
                put("text", quoted(text));
                put(
                    "value",
                    match values.as_slice() {
                        [only] => quoted(only),
                        several => {
                            let all: Vec<String> =
                                several.iter().map(|value| quoted(value)).collect();
                            format!("[{}]", all.join(", "))
                        }
                    },
                );
            }
            DraftSubject::Statement { file, text, sql } => {
                put("in", quoted(file));
                put("text", quoted(text));
                put("holds", quoted(sql));
            }
            DraftSubject::Macro { name, value } => {
                put("macro", quoted(name));
                put("value", quoted(value));
            }
            DraftSubject::Table {
                label,
                value,
                rows,
                columns,
                cell,
            } => {
                put("label", quoted(label));
                put("value", quoted(value));
                for (key, names) in [("rows", rows), ("columns", columns)] {
                    let pairs: Vec<String> = names
                        .iter()
                        .map(|(name, head)| {
                            format!("{} = {}", toml_edit::Key::new(name), quoted(head))
                        })
                        .collect();
                    if !pairs.is_empty() {
                        put(key, format!("{{ {} }}", pairs.join(", ")));
                    }
                }
                if *cell > 1 {
                    put("cell", cell.to_string());
                }
            }
        }
        let relation = match self.relation {
            Relation::Equal => "",
            Relation::Less => "<",
            Relation::AtMost => "<=",
            Relation::Greater => ">",
            Relation::AtLeast => ">=",
            Relation::About => "about",
        };
        if !relation.is_empty() {
            put("relation", quoted(relation));
        }
        let round = match self.round {
            Rounding::Nearest => "",
            Rounding::Down => "down",
            Rounding::Up => "up",
            Rounding::Truncate => "truncate",
        };
        if !round.is_empty() {
            put("round", quoted(round));
        }
        if let Some(tolerance) = self.tolerance {
            put("tolerance", tolerance.to_f64().to_string());
        }
        if self.proposed {
            put("proposed", String::from("true"));
        }
    }
}

fn quoted(text: &str) -> String {
    toml_edit::Value::from(text).to_string()
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
