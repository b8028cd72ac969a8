//! Values: braced, quoted, numbers, macro names, and `#` between them.

use super::ProblemKind;
use super::reader::{Read, Reader};

impl Reader<'_> {
    /// Reads the value at `at`, after blanks. Returns its text and its end.
    pub(super) fn value(&mut self, at: usize) -> Result<(String, usize), usize> {
        let mut raw = String::new();
        let mut at = self.source.space(at);
        loop {
            let end = self.piece(at, &mut raw)?;
            let sign = self.source.space(end);
            if self.source.byte(sign) != Some(b'#') {
                // White space as BibTeX defines it.
                let words: Vec<&str> = raw.split_ascii_whitespace().collect();
                return Ok((words.join(" "), end));
            }
            at = self.source.space(sign + 1);
        }
    }

    /// Reads one piece of a value and appends it.
    fn piece(&mut self, at: usize, raw: &mut String) -> Read {
        let (sign, close) = match self.source.byte(at) {
            Some(b'{') => ("`{`", self.source.close_of(at)),
            Some(b'"') => ("`\"`", self.source.closing_quote(at)),
            _ => {
                let end = self.source.word_end(at);
                self.word(at, end, raw);
                return Ok(end);
            }
        };
        let Some(close) = close else {
            let message = format!("the {sign} here is never closed");
            self.problem(ProblemKind::Unclosed, at, message);
            return Err(at);
        };
        if let Some(swallowed) = self.source.entry_start(at + 1, close) {
            // Copy only when the value is certain to be kept; otherwise nested damage costs quadratic time.
            if !self.ends_well(close + 1) {
                let message = format!("the {sign} here is not closed before the next entry begins");
                self.problem(ProblemKind::Unclosed, at, message);
                return Err(at);
            }
            let message = format!(
                "the value that opens with {sign} runs over what looks like another entry; look for a missing closing sign"
            );
            self.problem(ProblemKind::SwallowedEntry, swallowed, message);
        }
        raw.push_str(self.source.slice(at + 1, close));
        Ok(close + 1)
    }

    /// Appends a number or a macro's text. Any other word is appended as it is.
    fn word(&mut self, at: usize, end: usize, raw: &mut String) {
        let word = self.source.slice(at, end);
        let is_digit = |byte: u8| byte.is_ascii_digit();
        if !word.is_empty() && word.bytes().all(is_digit) {
            return raw.push_str(word);
        }
        let known = self.macros.get(&word.to_ascii_lowercase());
        let (kind, message) = if word.is_empty() {
            let message = String::from("a value is missing; write it in braces");
            (ProblemKind::NoValue, message)
        } else if word.bytes().next().is_some_and(is_digit) {
            raw.push_str(word);
            let message = format!("`{word}` is neither a number nor a macro; write it in braces");
            (ProblemKind::BareWord, message)
        } else if let Some(text) = known {
            if let Some(left) = self.expansion.checked_sub(text.len()) {
                self.expansion = left;
                return raw.push_str(text);
            }
            let message =
                format!("macro `{word}` is not expanded: macros would fill more than the limit");
            (ProblemKind::UnknownMacro, message)
        } else {
            raw.push_str(word);
            let message = format!(
                "macro `{word}` is not defined above; add @string{{{word} = …}} or write the value in braces"
            );
            (ProblemKind::UnknownMacro, message)
        };
        self.problem(kind, at, message);
    }

    /// Whether the text after a value may follow a value.
    fn ends_well(&self, at: usize) -> bool {
        let next = self.source.space(at);
        let byte = self.source.byte(next);
        byte.is_some_and(|byte| b",})#%".contains(&byte)) || self.source.named(next).is_some()
    }
}
