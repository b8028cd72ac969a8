//! Numbers that macros hold.

use std::collections::BTreeSet;
use std::ops::Range;

use aris_latex::Position;

use super::{Paper, Shown};
use crate::number::{Number, scan};

/// The number of a macro.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct MacroNumber {
    /// Where the macro is defined.
    pub(crate) at: Position,
    /// The number as printed.
    pub(crate) text: String,
    pub(crate) number: Number,
    /// Where it is printed: blocks and byte ranges of their text.
    pub(crate) uses: Vec<(usize, Range<usize>)>,
}

impl Paper<'_> {
    /// The one number that a macro holds. **Errors**: why there is not exactly one.
    pub(crate) fn macro_number(&self, name: &str) -> Result<MacroNumber, String> {
        let definitions = self.document.definitions.iter();
        let definitions = definitions.filter(|known| known.name == name);
        let Some(last) = definitions.clone().next_back() else {
            return Err(format!("the paper defines no macro `\\{name}`"));
        };
        if last.arguments > 0 {
            return Err(format!(
                "`\\{name}` takes arguments, so it holds no number of its own; bind the sentence"
            ));
        }
        let uses = self.whole_uses(name);
        let text = |(block, range): &(usize, Range<usize>)| {
            let text = self.text(*block).get(range.clone());
            text.unwrap_or("").trim().to_owned()
        };
        let mut printed: Vec<String> = uses.iter().map(text).collect();
        if printed.is_empty() {
            // It is not printed, so only its source can be read.
            printed.extend(definitions.filter_map(|known| self.body(known)));
        }
        let mut seen = BTreeSet::new();
        printed.retain(|text| seen.insert(text.clone()));
        let text = match printed.as_slice() {
            [only] => only,
            [] => return Err(format!("`\\{name}` holds no text that can be read")),
            several => {
                let several = several.join(" and ");
                return Err(format!(
                    "`\\{name}` is defined more than once and prints {several}"
                ));
            }
        };
        match scan(text).as_slice() {
            [number] => Ok(MacroNumber {
                at: self.document.position(last.place),
                text: text.get(number.range.clone()).unwrap_or(text).to_owned(),
                number: number.clone(),
                uses: uses
                    .into_iter()
                    .map(|(block, range)| (block, within(&range, &number.range)))
                    .collect(),
            }),
            [] => Err(format!("`\\{name}` holds `{text}`, which is no number")),
            several => {
                let several = several.len();
                Err(format!("`\\{name}` holds {several} numbers: `{text}`"))
            }
        }
    }

    /// The places where a macro prints a number of its own. Not among them: `10\acc`, `-\acc` and `\num{\acc e3}`, which make it
    /// part of another number.
    fn whole_uses(&self, name: &str) -> Vec<(usize, Range<usize>)> {
        let mut uses = self.expansions.get(name).cloned().unwrap_or_default();
        let mut scanned: Option<(usize, Vec<Number>)> = None;
        uses.retain(|(block, range)| {
            let known = scanned.take().filter(|(known, _)| known == block);
            let known = known.unwrap_or_else(|| (*block, scan(self.text(*block))));
            let (_, numbers) = scanned.insert(known);
            let crosses = |number: &Range<usize>| {
                number.start < range.end
                    && range.start < number.end
                    && (number.start < range.start || range.end < number.end)
            };
            let touched = |number: &Number| {
                let (block, number) = (*block, number.clone());
                let range = number.range.clone();
                let shown = Shown {
                    block,
                    range,
                    number,
                };
                self.touched(&shown, &[]).is_some()
            };
            let mut near = numbers
                .iter()
                .filter(|number| number.range.start < range.end && range.start < number.range.end);
            !near.any(|number| crosses(&number.range) || touched(number))
        });
        uses
    }

    /// The body of a definition without the markup that is common in numbers.
    fn body(&self, definition: &aris_latex::Definition) -> Option<String> {
        let file = self.document.files.get(definition.place.file)?;
        let mut text = file.text.get(definition.body.clone()?)?.to_owned();
        for (markup, plain) in [
            ("{,}", ","),
            ("\\,", ","),
            ("\\xspace", ""),
            ("\\ensuremath", ""),
            ("\\times", "×"),
            ("\\%", "%"),
            ("$", ""),
            ("~", " "),
        ] {
            text = text.replace(markup, plain);
        }
        let text = text.trim();
        let inner = text
            .strip_prefix('{')
            .and_then(|text| text.strip_suffix('}'));
        Some(inner.unwrap_or(text).to_owned())
    }
}

/// The range of a part that is given relative to the start of `range`.
fn within(range: &Range<usize>, part: &Range<usize>) -> Range<usize> {
    let start = range.start + part.start;
    start..(start + part.len()).min(range.end)
}
