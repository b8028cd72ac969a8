//! Numbers that macros hold.

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
        let definitions = || {
            self.document
                .definitions
                .iter()
                .filter(|known| known.name == name)
        };
        let Some(last) = definitions().next_back() else {
            return Err(format!("the paper defines no macro `\\{name}`"));
        };
        if last.arguments > 0 {
            return Err(format!(
                "`\\{name}` takes arguments, so it holds no number of its own; bind the sentence"
            ));
        }
        let at = self.document.position(last.place);
        let uses = self.expansions.get(name).cloned().unwrap_or_default();
        let mut printed: Vec<String> = Vec::new();
        for (block, range) in &uses {
            let text = self
                .document
                .blocks
                .get(*block)
                .and_then(|block| block.text.get(range.clone()));
            let text = text.unwrap_or("").trim().to_owned();
            if !printed.contains(&text) {
                printed.push(text);
            }
        }
        if printed.is_empty() {
            // Nobody prints it, so its source is all there is.
            for body in definitions().filter_map(|known| self.body(known)) {
                if !printed.contains(&body) {
                    printed.push(body);
                }
            }
        }
        let text = match printed.as_slice() {
            [only] => only.clone(),
            [] => return Err(format!("`\\{name}` holds no text that can be read")),
            several => {
                return Err(format!(
                    "`\\{name}` is defined more than once and prints {}",
                    several.join(" and ")
                ));
            }
        };
        let numbers = scan(&text);
        match numbers.as_slice() {
            [number] => Ok(MacroNumber {
                at,
                text: text.get(number.range.clone()).unwrap_or(&text).to_owned(),
                number: number.clone(),
                uses: self.alone(uses, &number.range),
            }),
            [] => Err(format!("`\\{name}` holds `{text}`, which is no number")),
            several => Err(format!(
                "`\\{name}` holds {} numbers: `{text}`",
                several.len()
            )),
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
            if scanned.as_ref().is_none_or(|(known, _)| *known != block) {
                let text = self
                    .document
                    .blocks
                    .get(block)
                    .map_or("", |block| &block.text);
                scanned = Some((block, scan(text)));
            }
            let start = range.start + number.start;
            let shown = start..(start + number.len()).min(range.end);
            let numbers = scanned.as_ref().map_or(&[][..], |(_, numbers)| numbers);
            if numbers.iter().any(|number| number.range == shown) {
                out.push((block, shown));
            }
        }
        out
    }

    /// The body of a definition, with the markup that stands inside numbers taken out.
    fn body(&self, definition: &aris_latex::Definition) -> Option<String> {
        let file = self.document.files.get(definition.place.file)?;
        let source: &str = &file.text;
        let body = source.get(definition.body.clone()?)?;
        let mut text = body.to_owned();
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
        let braces: &[char] = &['{', '}'];
        let outer = text.trim().trim_matches(braces).to_owned();
        Some(outer)
    }
}
