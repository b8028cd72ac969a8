//! Formulas in texts: `$x_i^2 \le \alpha$`, a small part of TeX's mathematics, as far as the fonts of the program allow.
//!
//! A formula becomes characters with marks in between that say where scripts begin and end; [`crate::text`] reads the marks.
//! Letters stay upright, because the fonts have no italics. An unknown command is an error, and the text is then drawn as it is
//! written.

use std::ops::Range;

use crate::text::{self, BACK, BOLD_ON, END, OVER, SUB, SUP};

/// The space around operators.
const THIN: char = '\u{2009}';

/// Commands that stand for one character.
const SIGNS: &str = "Delta Δ Gamma Γ Im ℑ Lambda Λ Omega Ω Phi Φ Pi Π Psi Ψ Re ℜ Sigma Σ Theta Θ Upsilon Υ Vert ‖ Xi Ξ aleph ℵ alpha α \
    angle ∠ backslash \\ beta β bigcap ⋂ bigcup ⋃ bigoplus ⨁ bigotimes ⨂ bigvee ⋁ bigwedge ⋀ bot ⊥ cdots ⋯ checkmark ✓ chi χ coprod ∐ \
    ddots ⋱ delta δ digamma ϝ dots … ell ℓ emptyset ∅ epsilon ϵ eta η exists ∃ forall ∀ gamma γ hbar ℏ iint ∬ imath ı infty ∞ int ∫ iota ι \
    jmath ȷ kappa κ lVert ‖ lambda λ langle ⟨ lbrace { lbrack [ lceil ⌈ ldots … lfloor ⌊ lnot ¬ lvert | mu μ nabla ∇ neg ¬ nexists ∄ nu ν \
    oint ∮ omega ω partial ∂ phi ϕ pi π prime ′ prod ∏ psi ψ rVert ‖ rangle ⟩ rbrace } rbrack ] rceil ⌉ rfloor ⌋ rho ρ rvert | sigma σ \
    square □ sum ∑ tau τ theta θ top ⊤ triangle △ upsilon υ varepsilon ε varkappa ϰ varnothing ∅ varphi φ varpi ϖ varrho ϱ varsigma ς \
    vartheta ϑ vdots ⋮ vert | wp ℘ xi ξ zeta ζ { { } } % % $ $ # # & & _ _ | ‖";

/// Commands that stand for an operator between two operands.
const OPERATORS: &str = "Downarrow ⇓ Leftarrow ⇐ Leftrightarrow ⇔ Longleftarrow ⟸ Longleftrightarrow ⟺ Longrightarrow ⟹ Rightarrow ⇒ \
    Uparrow ⇑ approx ≈ ast ∗ asymp ≍ bowtie ⋈ bullet • cap ∩ cdot · circ ∘ coloneqq ≔ cong ≅ cup ∪ dagger † dashv ⊣ ddagger ‡ div ÷ doteq ≐ \
    downarrow ↓ equiv ≡ ge ≥ geq ≥ geqslant ⩾ gets ← gg ≫ gtrsim ≳ hookrightarrow ↪ iff ⟺ impliedby ⟸ implies ⟹ in ∈ land ∧ le ≤ \
    leadsto ⇝ leftarrow ← leftrightarrow ↔ leq ≤ leqslant ⩽ lesssim ≲ ll ≪ longleftarrow ⟵ longleftrightarrow ⟷ longmapsto ⟼ \
    longrightarrow ⟶ lor ∨ ltimes ⋉ mapsto ↦ mid | models ⊨ mp ∓ ne ≠ nearrow ↗ neq ≠ ni ∋ notin ∉ nsubseteq ⊈ nwarrow ↖ odot ⊙ ominus ⊖ \
    oplus ⊕ oslash ⊘ otimes ⊗ parallel ∥ perp ⊥ pm ± prec ≺ preceq ⪯ propto ∝ rightarrow → rightleftharpoons ⇌ rightsquigarrow ⇝ rtimes ⋊ \
    searrow ↘ setminus ∖ sim ∼ simeq ≃ sqcap ⊓ sqcup ⊔ star ⋆ subset ⊂ subseteq ⊆ subsetneq ⊊ succ ≻ succeq ⪰ supset ⊃ supseteq ⊇ \
    supsetneq ⊋ swarrow ↙ therefore ∴ times × to → triangleq ≜ uparrow ↑ updownarrow ↕ uplus ⊎ vdash ⊢ vee ∨ wedge ∧";

/// Commands that stand for their own name.
const NAMES: &str =
    "arg argmax argmin cos det dim exp inf ker lim ln log max min sin sup tan tanh Pr";

/// Commands that put a mark over a letter.
const ACCENTS: &str = "acute ´ bar ˉ breve ˘ check ˇ ddot ¨ dot ˙ grave ` hat ˆ mathring ˚ overline ¯ tilde ˜ widehat ˆ widetilde ˜";

/// The character that a table gives for a name.
fn sign(table: &str, name: &str) -> Option<char> {
    let mut words = table.split_whitespace();
    while let (Some(known), Some(sign)) = (words.next(), words.next()) {
        if known == name {
            return sign.chars().next();
        }
    }
    None
}

/// Deepest nesting of braces and scripts.
const DEPTH: usize = 8;

/// Exceptions to the contiguous alphabets in Unicode: pairs of a letter and its form.
const DOUBLE: &str = "CℂHℍNℕPℙQℚRℝZℤ1𝟙";
const SCRIPT: &str = "BℬEℰFℱHℋIℐLℒMℳRℛ";

/// The byte ranges of the formulas in a text, dollars included.
///
/// **Source**: Pandoc. A formula begins at a dollar that no space follows and ends at a dollar after a non-space that no digit
/// follows, so that prices stay text. In addition, a text between two dollars that begins with a digit and contains a space is a
/// price unless it contains mathematics; and a dollar that can begin a formula but not end one begins a new formula.
fn spans(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut open: Option<usize> = None;
    let (mut before, mut escaped) = (' ', false);
    for (at, letter) in text.char_indices() {
        let next = text
            .get(at + letter.len_utf8()..)
            .and_then(|rest| rest.chars().next());
        match (letter, open) {
            ('\n', _) => open = None,
            ('$', Some(start))
                if !escaped
                    && !before.is_whitespace()
                    && !next.is_some_and(|next| next.is_ascii_digit()) =>
            {
                let inner = text.get(start + 1..at).unwrap_or_default();
                open = None;
                if is_price(inner) {
                    open = next.is_some_and(|next| !next.is_whitespace()).then_some(at);
                } else if !inner.is_empty() {
                    found.push(start..at + 1);
                }
            }
            ('$', _) if !escaped && next.is_some_and(|next| !next.is_whitespace()) => {
                open = Some(at);
            }
            _ => {}
        }
        escaped = letter == '\\' && !escaped;
        before = letter;
    }
    found
}

fn is_price(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_digit())
        && text.contains(' ')
        && !text.contains(['\\', '^', '_', '=', '+', '<', '>'])
}

/// The parts of a text in order, each with whether it is a formula.
fn parts(text: &str) -> Vec<(&str, bool)> {
    let mut parts = Vec::new();
    let mut done = 0;
    for span in spans(text) {
        parts.push((text.get(done..span.start).unwrap_or_default(), false));
        done = span.end;
        parts.push((text.get(span).unwrap_or_default(), true));
    }
    parts.push((text.get(done..).unwrap_or_default(), false));
    parts
}

/// The text from an unclosed dollar on, if it looks like mathematics.
fn unclosed(text: &str) -> Option<&str> {
    let at = text
        .find('$')
        .filter(|at| !text.get(..*at).is_some_and(|before| before.ends_with('\\')))?;
    let begun = text.get(at..)?;
    let word = begun.split_whitespace().next()?;
    (word.contains(['\\', '^']) || word.chars().nth(2) == Some('_')).then_some(begun)
}

/// A line with its formulas converted. Those that cannot be stay as written and are added to `wrong` with the reason.
pub(crate) fn set(line: &str, wrong: &mut Vec<(String, String)>) -> String {
    let parts = parts(line).into_iter().map(|(part, is_formula)| {
        if !is_formula {
            if let Some(begun) = unclosed(part) {
                wrong.push((
                    String::from(begun),
                    String::from("it has no closing dollar"),
                ));
            }
            return part.replace("\\$", "$");
        }
        let inner = part.get(1..part.len() - 1).unwrap_or_default();
        formula(inner).unwrap_or_else(|why| {
            wrong.push((String::from(part), why));
            String::from(part)
        })
    });
    parts.collect()
}

/// The lines of a label: broken at line breaks, and at `\n` written as two characters outside formulas. Empty lines are dropped.
pub(crate) fn lines(text: &str) -> Vec<String> {
    // Displayed formulas, `$$…$$`, are treated like others. Other double dollars are not touched.
    let dollars = text.split("$$");
    let is_displayed = dollars
        .clone()
        .nth(1)
        .is_some_and(|inner| inner.contains(['\\', '^', '_', '=']));
    let text = if dollars.clone().count() % 2 == 1
        && is_displayed
        && !dollars.clone().any(|part| part.contains('$'))
    {
        &text.replace("$$", "$")
    } else {
        text
    };
    let parts = parts(text).into_iter().map(|(part, is_formula)| {
        if is_formula {
            String::from(part)
        } else {
            part.replace("\\n", "\n")
        }
    });
    let broken: String = parts.collect();
    broken
        .split('\n')
        .map(text::clean)
        .filter(|line| !line.is_empty())
        .collect()
}

fn formula(source: &str) -> Result<String, String> {
    let mut reader = Reader {
        rest: source.chars(),
        out: String::new(),
        nesting: 0,
        depth: 0,
        operand: false,
    };
    reader.until(None)?;
    match text::missing(&reader.out).first() {
        Some(missing) => Err(format!("the fonts of this program do not have {missing}")),
        None => Ok(reader.out),
    }
}

struct Reader<'a> {
    rest: std::str::Chars<'a>,
    out: String,
    /// Number of open braces and scripts.
    nesting: usize,
    /// Number of scripts around; inside a script operators have no space around them.
    depth: usize,
    /// Whether an operator at this point has a left operand.
    operand: bool,
}

impl Reader<'_> {
    fn peek(&self) -> Option<char> {
        self.rest.clone().next()
    }

    fn skip(&mut self) {
        while self.peek().is_some_and(char::is_whitespace) {
            self.rest.next();
        }
    }

    /// Reads up to the brace that closes a group, or to the end.
    fn until(&mut self, close: Option<char>) -> Result<(), String> {
        loop {
            self.skip();
            match self.peek() {
                None if close.is_some() => return Err(String::from("a brace is not closed")),
                found if found == close => {
                    self.rest.next();
                    return Ok(());
                }
                _ => self.atom()?,
            }
        }
    }

    /// Reads one item, or a script.
    fn atom(&mut self) -> Result<(), String> {
        if self.nesting == DEPTH {
            return Err(format!("it lies deeper than {DEPTH} levels"));
        }
        self.nesting += 1;
        self.skip();
        let Some(letter) = self.rest.next() else {
            return Err(String::from("something is missing at its end"));
        };
        match letter {
            '{' => self.until(Some('}'))?,
            '}' => return Err(String::from("a brace closes nothing")),
            '\\' => self.command()?,
            '^' | '_' => self.scripts(letter)?,
            '+' | '=' | '<' | '>' => self.operator(letter),
            '-' => self.operator('−'),
            '*' => self.operator('∗'),
            '~' => self.out.push(' '),
            '\'' => self.out.push('′'),
            '&' | '#' | '%' => return Err(format!("{letter} has no meaning here")),
            _ => {
                self.out.push(letter);
                self.operand = !matches!(letter, '(' | '[' | ',' | '|' | '/' | ';');
            }
        }
        self.nesting -= 1;
        Ok(())
    }

    fn operator(&mut self, sign: char) {
        let room = self.operand && self.depth == 0;
        self.out.extend(room.then_some(THIN));
        self.out.push(sign);
        self.out.extend(room.then_some(THIN));
        self.operand = false;
    }

    /// Reads a script and, if one follows, the opposite one.
    fn scripts(&mut self, first: char) -> Result<(), String> {
        self.script(first)?;
        self.skip();
        match self.peek() {
            Some(second @ ('^' | '_')) if second == first => {
                Err(format!("{second} is used twice on one symbol"))
            }
            Some(second @ ('^' | '_')) => {
                self.rest.next();
                self.out.push(BACK);
                self.script(second)
            }
            _ => Ok(()),
        }
    }

    fn script(&mut self, which: char) -> Result<(), String> {
        self.out.push(if which == '^' { SUP } else { SUB });
        self.depth += 1;
        self.atom()?;
        self.depth -= 1;
        self.out.push(END);
        self.operand = true;
        Ok(())
    }

    fn command(&mut self) -> Result<(), String> {
        let mut name: String = self.rest.next().into_iter().collect();
        if name.starts_with(|letter: char| letter.is_ascii_alphabetic()) {
            while let Some(letter) = self.peek().filter(char::is_ascii_alphabetic) {
                name.push(letter);
                self.rest.next();
            }
        }
        if let Some(sign) = sign(SIGNS, &name) {
            self.out.push(sign);
            self.operand = !matches!(sign, '⟨' | '⌈' | '⌊');
        } else if let Some(sign) = sign(OPERATORS, &name) {
            self.operator(sign);
        } else if let Some(mark) = sign(ACCENTS, &name) {
            let base = self.argument()?;
            if base.chars().count() != 1 {
                return Err(format!("\\{name} takes one letter"));
            }
            self.out.push_str(&base);
            self.out.extend([OVER, mark, END]);
        } else if NAMES.split_whitespace().any(|known| known == name) {
            self.name(&name);
        } else {
            match name.as_str() {
                "mathbb" => self.alphabet(DOUBLE, '𝔸')?,
                "mathcal" => self.alphabet(SCRIPT, '𝒜')?,
                "mathbf" | "boldsymbol" | "bm" => {
                    let inner = self.argument()?;
                    self.out.push(BOLD_ON);
                    self.out.push_str(&inner);
                    self.out.push(END);
                }
                "mathrm" | "mathit" | "mathsf" => {
                    let inner = self.argument()?;
                    self.out.push_str(&inner);
                }
                "operatorname" => {
                    let inner = self.argument()?;
                    self.name(&inner);
                }
                "text" | "textrm" => self.words()?,
                "left" | "right" => {
                    self.skip();
                    if self.peek() == Some('.') {
                        self.rest.next();
                    }
                }
                "!" => {}
                "colon" => {
                    self.out.extend([':', THIN]);
                    self.operand = false;
                }
                "," | ":" | ";" => self.out.push(THIN),
                " " | "quad" => self.out.push(' '),
                _ => return Err(format!("\\{name} cannot be set")),
            }
        }
        Ok(())
    }

    /// Writes a function's name, separated from its neighbours.
    fn name(&mut self, name: &str) {
        self.out
            .extend((self.operand && self.depth == 0).then_some(THIN));
        self.out.push_str(name);
        self.skip();
        let stands_alone = self.peek().is_none_or(|next| "([{^_})],".contains(next));
        self.out.extend((!stands_alone).then_some(THIN));
        self.operand = false;
    }

    /// Reads a command's argument: a group or one item.
    fn argument(&mut self) -> Result<String, String> {
        let before = std::mem::take(&mut self.out);
        self.skip();
        self.atom()?;
        self.operand = true;
        Ok(std::mem::replace(&mut self.out, before))
    }

    /// Reads text in braces, with its spaces.
    fn words(&mut self) -> Result<(), String> {
        self.skip();
        let rest = self.rest.as_str();
        let inner = rest
            .strip_prefix('{')
            .and_then(|inner| inner.split_once('}'));
        let Some((inner, rest)) = inner.filter(|(inner, _)| !inner.contains(['{', '\\'])) else {
            return Err(String::from("\\text needs plain text in braces"));
        };
        self.out.push_str(inner);
        self.rest = rest.chars();
        self.operand = true;
        Ok(())
    }

    /// Reads letters in another alphabet, which begins at `first`; `apart` lists the exceptions.
    fn alphabet(&mut self, apart: &str, first: char) -> Result<(), String> {
        let inner = self.argument()?;
        for letter in inner.chars() {
            let own = apart.chars().skip_while(|known| *known != letter).nth(1);
            let place = u32::from(letter)
                .checked_sub(u32::from('A'))
                .filter(|place| *place < 26);
            let found = own.or_else(|| char::from_u32(u32::from(first) + place?));
            self.out
                .push(found.ok_or_else(|| format!("{letter} is not in this alphabet"))?);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_become_lines_that_can_be_drawn() {
        assert_eq!(lines("a\\nb\n\n c  d\u{1}\te "), vec!["a", "b", "c d e"]);
        assert_eq!(lines(" \n"), Vec::<String>::new());
    }
}
