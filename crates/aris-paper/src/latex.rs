//! Turns the LaTeX of bibliographies into plain text.
//!
//! Not a LaTeX parser: it knows accents, symbols, grouping, and the few commands whose argument is not text. It drops the name
//! of an unknown command and keeps the argument.
//!
//! Accents and symbols come from [`aris_latex`].

use unicode_normalization::UnicodeNormalization as _;

use crate::braces::Braces;

/// Commands that mean something else in a bibliography than in a document.
const OWN: [(&str, &str); 6] = [
    ("SS", "ẞ"),
    ("epsilon", "ε"),
    ("phi", "φ"),
    ("quad", " "),
    ("sim", "∼"),
    ("space", " "),
];

/// The text of a symbol command.
fn symbol(name: &str) -> Option<&'static str> {
    let own = OWN.iter().find(|(own, _)| *own == name);
    own.map(|(_, text)| *text)
        .or_else(|| aris_latex::symbol(name))
}

/// Commands whose first argument is not shown to the reader.
const DROPPED: [&str; 8] = [
    "cite",
    "color",
    "footnotemark",
    "href",
    "label",
    "noopsort",
    "ref",
    "textcolor",
];

/// Commands whose argument is taken literally.
const VERBATIM: [&str; 4] = ["doi", "nolinkurl", "path", "url"];

/// Turns LaTeX into the text a reader sees: accents composed, without braces and commands, `--` as dashes, runs of white space
/// as one blank. Linear in the length of the text.
pub fn to_text(latex: &str) -> String {
    if latex.is_ascii() && !latex.bytes().any(|byte| b"\\{}$~-`'".contains(&byte)) {
        return squeeze(latex);
    }
    let mut writer = Writer {
        text: latex,
        braces: None,
        out: String::with_capacity(latex.len()),
        pending: None,
        maths: false,
    };
    writer.run();
    if writer.out.is_ascii() {
        return squeeze(&writer.out);
    }
    squeeze(&writer.out.nfc().collect::<String>())
}

/// Turns LaTeX into an identifier or address: without braces and escapes; `~`, `-` and `_` stay.
pub fn verbatim(latex: &str) -> String {
    let mut out = String::with_capacity(latex.len());
    let mut rest = latex;
    while let Some(character) = rest.chars().next() {
        rest = after(rest, character.len_utf8());
        match character {
            '{' | '}' => {}
            '\\' => {
                let letters = command_length(rest);
                let (name, tail) = rest.split_at_checked(letters).unwrap_or((rest, ""));
                if letters == 0 {
                    let sign = rest.chars().next();
                    out.extend(sign);
                    rest = after(rest, sign.map_or(0, char::len_utf8));
                } else {
                    out.push_str(symbol(name).unwrap_or_default());
                    rest = tail.trim_start();
                }
            }
            _ => out.push(character),
        }
    }
    out.trim().to_owned()
}

struct Writer<'a> {
    text: &'a str,
    /// Computed when a command first needs the end of its argument.
    braces: Option<Braces>,
    out: String,
    /// An accent whose letter has not been read yet.
    pending: Option<char>,
    maths: bool,
}

impl Writer<'_> {
    fn run(&mut self) {
        let mut at = 0;
        while let Some(character) = self.rest(at).chars().next() {
            let next = at + character.len_utf8();
            at = match character {
                '\\' => self.command(next),
                '{' => next,
                '}' => {
                    self.pending = None;
                    next
                }
                '$' => {
                    self.maths = !self.maths;
                    next
                }
                '^' | '_' if self.maths => next,
                '~' => self.push_after(' ', next),
                '-' if !self.maths => self.dashes(at),
                '`' if self.rest(next).starts_with('`') => self.push_after('“', next + 1),
                '\'' if self.rest(next).starts_with('\'') => self.push_after('”', next + 1),
                _ => self.push_after(character, next),
            };
        }
    }

    fn rest(&self, at: usize) -> &str {
        self.text.get(at..).unwrap_or_default()
    }

    fn push_after(&mut self, character: char, next: usize) -> usize {
        self.push(character);
        next
    }

    /// Writes a character, with the pending accent if there is one.
    fn push(&mut self, character: char) {
        match self.pending {
            Some(_) if character.is_whitespace() => {}
            Some(mark) => {
                self.pending = None;
                self.out.push(match character {
                    'ı' => 'i',
                    'ȷ' => 'j',
                    other => other,
                });
                self.out.push(mark);
            }
            None => self.out.push(character),
        }
    }

    fn dashes(&mut self, at: usize) -> usize {
        let rest = self.rest(at);
        let (dash, length) = if rest.starts_with("---") {
            ('—', 3)
        } else if rest.starts_with("--") {
            ('–', 2)
        } else {
            ('-', 1)
        };
        self.push_after(dash, at + length)
    }

    /// Reads the command whose name begins at `at`, after the backslash.
    fn command(&mut self, at: usize) -> usize {
        let letters = command_length(self.rest(at));
        let Some(first) = self.rest(at).chars().next() else {
            return at;
        };
        let end = at
            + if letters == 0 {
                first.len_utf8()
            } else {
                letters
            };
        let name = self.text.get(at..end).unwrap_or_default();
        if let Some(mark) = aris_latex::accent(name) {
            self.pending = Some(mark);
            return if letters == 0 {
                end
            } else {
                self.skip_space(end)
            };
        }
        if letters == 0 {
            match first {
                '&' | '%' | '$' | '#' | '_' | '{' | '}' => self.push(first),
                ' ' | '\\' | ',' | ';' | ':' => self.push(' '),
                _ => {}
            }
            return end;
        }
        if let Some(text) = symbol(name) {
            for character in text.chars() {
                self.push(character);
            }
            return self.skip_space(end);
        }
        let argument = self.skip_space(end);
        if DROPPED.binary_search(&name).is_ok() {
            return self.close_of(argument).map_or(argument, |close| close + 1);
        }
        if VERBATIM.binary_search(&name).is_ok()
            && let Some(close) = self.close_of(argument)
        {
            let address = verbatim(self.text.get(argument + 1..close).unwrap_or_default());
            self.out.push_str(&address);
            return close + 1;
        }
        argument
    }

    fn skip_space(&self, at: usize) -> usize {
        let rest = self.rest(at);
        at + (rest.len() - rest.trim_start().len())
    }

    fn close_of(&mut self, open: usize) -> Option<usize> {
        let text = self.text;
        self.braces
            .get_or_insert_with(|| Braces::new(text))
            .close_of(open)
    }
}

fn command_length(text: &str) -> usize {
    text.bytes().take_while(u8::is_ascii_alphabetic).count()
}

fn after(text: &str, length: usize) -> &str {
    text.get(length..).unwrap_or_default()
}

/// Replaces each run of white space by one blank, and removes it at the ends.
pub(crate) fn squeeze(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_sorted_for_the_search() {
        assert!(DROPPED.is_sorted());
        assert!(VERBATIM.is_sorted());
    }

    #[test]
    fn texts() {
        let cases = [
            (r#"G{\"u}nter M\"uller"#, "Günter Müller"),
            (r"Pawe{\l} {\'S}wi{\k{a}}tek", "Paweł Świątek"),
            (r"{\ss} \o \O{} \aa x", "ß øØ åx"),
            (r"\c{c} \c c {\c{C}}etin \v{s} \v s", "ç ç Çetin š š"),
            (r#"Asanov\'\i{}c na\"{\i}ve \'{\i}"#, "Asanovíc naïve í"),
            (r"Aks{\i}n", "Aksın"),
            (r#"\'{}x \"{ou}"#, "x öu"),
            ("{{BERT}: {P}re-training}", "BERT: Pre-training"),
            (r"\textit{Procolophon} (\emph{P.})", "Procolophon (P.)"),
            (r"$\Sigma$$\Delta$ and $L_2$, $k^{th}$", "ΣΔ and L2, kth"),
            ("1--10, a---b, ``q'' x~y", "1–10, a—b, “q” x y"),
            (r"A \& B 50\% C\_D \{x\}", "A & B 50% C_D {x}"),
            (r"\url{http://a.b/~x_y--z} end", "http://a.b/~x_y--z end"),
            (r"\href{http://a.b}{text} \textcolor{red}{b}", "text b"),
            (r"{\noopsort{1973}}1981", "1981"),
            ("a\n\t b", "a b"),
            (r"trailing \", "trailing"),
            (r"\href{open", "open"),
            ("plain  text", "plain text"),
            ("日本語 {漢字}", "日本語 漢字"),
        ];
        for (latex, text) in cases {
            assert_eq!(to_text(latex), text, "{latex}");
        }
    }

    #[test]
    fn identifiers_keep_their_signs() {
        let cases = [
            (r"10.1000/a\_b--c", "10.1000/a_b--c"),
            (r"\url{https://x.org/~a/b\%20c}", "https://x.org/~a/b%20c"),
            ("{10.1145/3394486}", "10.1145/3394486"),
            (r"https://x.org/\textasciitilde me", "https://x.org/~me"),
        ];
        for (latex, text) in cases {
            assert_eq!(verbatim(latex), text, "{latex}");
        }
    }
}
