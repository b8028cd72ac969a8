//! Numbers that macros hold.

use std::collections::BTreeSet;
use std::ops::Range;

use aris_latex::Position;

use super::Paper;
use crate::number::{Number, scan};

/// The number of a macro.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct MacroNumber {
    /// Where the macro is defined.
    pub(crate) at: Position,
    /// The number as printed.
    pub(crate) text: String,
    pub(crate) number: Number,
    /// Where it is printed: block and bytes of its text.
    pub(crate) uses: Vec<(usize, Range<usize>)>,
}

impl Paper<'_> {
    /// The one number that a macro holds. **Errors**: why there is none.
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
        let uses = self.expansions.get(name).cloned().unwrap_or_default();
        let text = |(block, range): &(usize, Range<usize>)| {
            let text = self.text(*block).get(range.clone());
            text.unwrap_or("").trim().to_owned()
        };
        let mut printed: Vec<String> = uses.iter().map(text).collect();
        if printed.is_empty() {
            // Nobody prints it, so its source is all there is.
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
                uses: self.alone(uses, &number.range),
            }),
            [] => Err(format!("`\\{name}` holds `{text}`, which is no number")),
            several => {
                let several = several.len();
                Err(format!("`\\{name}` holds {several} numbers: `{text}`"))
            }
        }
    }

    /// The uses that print the macro's number and nothing that makes another number of it: `10\\acc`, `-\\acc` and `\\acc7` do.
    fn alone(
        &self,
        uses: Vec<(usize, Range<usize>)>,
        number: &Range<usize>,
    ) -> Vec<(usize, Range<usize>)> {
        let mut out = Vec::new();
        let mut scanned: Option<(usize, Vec<Number>)> = None;
        for (block, range) in uses {
            let known = scanned.take().filter(|(known, _)| *known == block);
            let (_, numbers) =
                scanned.insert(known.unwrap_or_else(|| (block, scan(self.text(block)))));
            let start = range.start + number.start;
            let shown = start..(start + number.len()).min(range.end);
            if numbers.iter().any(|number| number.range == shown) {
                out.push((block, shown));
            }
        }
        out
    }

    /// The body of a definition, with the markup that stands inside numbers taken out.
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
        Some(text.trim().trim_matches(['{', '}']).to_owned())
    }
}
