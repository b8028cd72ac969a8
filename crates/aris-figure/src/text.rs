//! Measures text with the fonts that come with the program; the machine's fonts are never used.
//!
//! The width of a line is the sum of its glyphs' advances. Drawn text is never wider: shaping only moves letters closer
//! (kerning).

use std::collections::BTreeSet;
use std::sync::OnceLock;

use ttf_parser::{Face, GlyphId};
use unicode_normalization::UnicodeNormalization as _;

/// The fonts: regular and bold, then the fallbacks for characters that these lack: Chinese and kana, symbols, rarer Chinese and
/// Japanese.
pub(crate) static FONTS: [&[u8]; 5] = [
    include_bytes!("../fonts/LiberationSans-Regular.ttf"),
    include_bytes!("../fonts/LiberationSans-Bold.ttf"),
    include_bytes!("../fonts/DroidSansFallback-subset.ttf"),
    include_bytes!("../fonts/DejaVuSans-subset.ttf"),
    include_bytes!("../fonts/DroidSansFallback-more-subset.ttf"),
];
/// How many of [`FONTS`] are weights of the main font.
const WEIGHTS: usize = 2;

/// Height of capitals and ascenders above the baseline. **Unit**: the font size. **Source**: the outlines of Liberation Sans.
const CAPITALS: f64 = 0.725;
/// Height of Chinese characters above the baseline. **Unit**: the font size. **Source**: the outlines of Droid Sans Fallback.
const SQUARES: f64 = 0.83;
/// Depth of letters such as g below the baseline. **Unit**: the font size.
const DESCENT: f64 = 0.212;
/// Height of letters such as x above the baseline; accents over them need not be raised. **Unit**: the font size.
const LOW_LETTERS: f64 = 0.54;
/// Size of scripts, and their shifts above and below the baseline. **Unit**: the font size. **Source**: roughly Computer Modern.
const SCRIPT: f64 = 0.7;
const RAISED: f64 = 0.36;
const LOWERED: f64 = 0.16;
/// Extra distance between two scripts over each other, so that parentheses and capitals do not touch. **Unit**: the font size.
const APART: f64 = 0.2;

/// The two weights that figures use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Weight {
    Regular,
    Bold,
}

fn advance(face: &Face<'_>, glyph: GlyphId) -> Option<f64> {
    face.glyph_hor_advance(glyph).map(f64::from)
}

struct Fonts {
    faces: [Option<Face<'static>>; 5],
    /// Advances of ASCII, regular and bold; nearly all text of figures is ASCII.
    ascii: [[Option<f64>; 128]; 2],
}

impl Fonts {
    fn get() -> &'static Self {
        static OPENED: OnceLock<Fonts> = OnceLock::new();
        OPENED.get_or_init(|| {
            let mut fonts = Self {
                faces: FONTS.map(|bytes| Face::parse(bytes, 0).ok()),
                ascii: [[None; 128]; 2],
            };
            for weight in [Weight::Regular, Weight::Bold] {
                for code in 0..128_u8 {
                    fonts.ascii[weight as usize][usize::from(code)] =
                        fonts.look_up(char::from(code), weight, advance);
                }
            }
            fonts
        })
    }

    /// Measures a character in the first font that has it. **Unit**: the font size.
    fn look_up(
        &self,
        character: char,
        weight: Weight,
        measure: impl Fn(&Face<'_>, GlyphId) -> Option<f64>,
    ) -> Option<f64> {
        std::iter::once(&self.faces[weight as usize])
            .chain(&self.faces[WEIGHTS..])
            .flatten()
            .find_map(|face| {
                let found = measure(face, face.glyph_index(character)?)?;
                Some(found / f64::from(face.units_per_em()))
            })
    }

    fn advance(&self, character: char, weight: Weight) -> Option<f64> {
        match self.ascii[weight as usize].get(character as usize) {
            Some(advance) => *advance,
            None => self.look_up(character, weight, advance),
        }
    }
}

/// The index in [`FONTS`] of the fallback font that has a character.
pub(crate) fn fallback(character: char) -> Option<usize> {
    let has = |face: &Option<Face<'_>>| {
        face.as_ref()
            .is_some_and(|face| face.glyph_index(character).is_some())
    };
    let found = Fonts::get().faces[WEIGHTS..].iter().position(has)?;
    Some(WEIGHTS + found)
}

/// Marks that a formula leaves in a line; [`clean`] removes them from the user's text. This one begins a superscript.
pub(crate) const SUP: char = '\u{fdd0}';
/// Begins a subscript.
pub(crate) const SUB: char = '\u{fdd1}';
/// Begins bold text.
pub(crate) const BOLD_ON: char = '\u{fdd2}';
/// Ends what was begun last.
pub(crate) const END: char = '\u{fdd3}';
/// Goes back to the beginning of the script just ended: the next script stands over or under it.
pub(crate) const BACK: char = '\u{fdd4}';
/// Begins a mark over the preceding letter.
pub(crate) const OVER: char = '\u{fdd5}';

fn is_mark(character: char) -> bool {
    (SUP..=OVER).contains(&character)
}

/// A part of a line with one baseline, size and weight.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Run<'a> {
    pub(crate) text: &'a str,
    /// Distance from the beginning of the line.
    pub(crate) x: f64,
    /// Distance of its baseline below that of the line.
    pub(crate) down: f64,
    pub(crate) size: f64,
    pub(crate) weight: Weight,
}

/// The runs of a line, and its width.
pub(crate) fn runs(text: &str, size: f64, weight: Weight) -> (Vec<Run<'_>>, f64) {
    let mut style = Run {
        text: "",
        x: 0.0,
        down: 0.0,
        size,
        weight,
    };
    let (mut runs, mut open) = (Vec::new(), Vec::<(Run<'_>, f64)>::new());
    // Where the script that ended last began, and the end of the script over or under which the next one stands.
    let (mut start, mut reach) = (0.0, 0.0);
    // Width and left edge of the letter under the next piece.
    let mut under: Option<(f64, f64)> = None;
    for piece in text.split_inclusive(is_mark) {
        let mark = piece.chars().next_back().filter(|last| is_mark(*last));
        style.text = piece.trim_end_matches(is_mark);
        if let Some((base, left)) = under.take() {
            style.x = left + (base - letters(style.text, style.size, style.weight)) / 2.0;
        }
        if !style.text.is_empty() {
            runs.push(style);
            style.x += letters(style.text, style.size, style.weight);
        }
        match mark {
            Some(END) => {
                if let Some((outer, other)) = open.pop() {
                    let x = style.x.max(other);
                    (start, style) = (outer.x, Run { x, ..outer });
                }
            }
            Some(BACK) => (reach, style.x) = (style.x, start),
            Some(begins) => {
                let least = if begins == OVER { style.x } else { reach };
                let apart = if reach > 0.0 { APART } else { 0.0 };
                reach = 0.0;
                open.push((style, least));
                let step = style.size;
                match begins {
                    SUP => {
                        style.down -= (RAISED + apart) * step;
                        style.size = step * SCRIPT;
                    }
                    SUB => {
                        style.down += (LOWERED + apart) * step;
                        style.size = step * SCRIPT;
                    }
                    OVER => {
                        let last = runs
                            .last()
                            .and_then(|run: &Run<'_>| run.text.chars().next_back());
                        let last = last.unwrap_or(' ');
                        let wide = letters(last.encode_utf8(&mut [0; 4]), step, style.weight);
                        under = Some((wide, style.x - wide));
                        let high = Fonts::get().look_up(last, style.weight, |face, glyph| {
                            face.glyph_bounding_box(glyph)
                                .map(|letter| f64::from(letter.y_max))
                        });
                        style.down -= (high.unwrap_or(0.0) - LOW_LETTERS).max(0.0) * step;
                    }
                    _ => style.weight = Weight::Bold,
                }
            }
            None => {}
        }
    }
    (runs, style.x)
}

/// The width of one line. **Unit**: that of `size`. A character that no font has counts as wide as the font size.
pub(crate) fn width(text: &str, size: f64, weight: Weight) -> f64 {
    if text.contains(is_mark) {
        runs(text, size, weight).1
    } else {
        letters(text, size, weight)
    }
}

fn letters(text: &str, size: f64, weight: Weight) -> f64 {
    let fonts = Fonts::get();
    text.chars()
        .map(|character| fonts.advance(character, weight).unwrap_or(1.0))
        .sum::<f64>()
        * size
}

/// The height of a line above its baseline, its depth below it, and the size of its smallest characters. **Unit**: the font size.
pub(crate) fn extent(text: &str) -> (f64, f64, f64) {
    let above = |text: &str| {
        if text.chars().any(|character| character >= '\u{2e80}') {
            SQUARES
        } else {
            CAPITALS
        }
    };
    if !text.contains(is_mark) {
        return (above(text), DESCENT, 1.0);
    }
    let (runs, _) = runs(text, 1.0, Weight::Regular);
    runs.iter()
        .fold((CAPITALS, DESCENT, 1.0_f64), |(up, below, least), run| {
            (
                up.max(above(run.text) * run.size - run.down),
                below.max(DESCENT * run.size + run.down),
                least.min(run.size),
            )
        })
}

/// A line without the marks of its formulas.
pub(crate) fn plain(text: &str) -> String {
    text.replace(is_mark, "")
}

/// The characters of `text` that no font has.
pub(crate) fn missing(text: &str) -> BTreeSet<char> {
    let fonts = Fonts::get();
    text.chars()
        .filter(|one| !is_mark(*one) && fonts.advance(*one, Weight::Regular).is_none())
        .collect()
}

/// Whether [`clean`] removes a character.
fn is_forbidden(character: char) -> bool {
    matches!(character,
        '\0'..='\u{8}' | '\u{b}' | '\u{c}' | '\u{e}'..='\u{1f}' | '\u{7f}'..='\u{9f}'
        | '\u{fdd0}'..='\u{fdef}' | '\u{fffe}' | '\u{ffff}')
}

/// The characters of `text` that are not drawn.
pub(crate) fn forbidden(text: &str) -> BTreeSet<char> {
    text.chars().filter(|one| is_forbidden(*one)).collect()
}

/// One line as it can be drawn: without characters that XML forbids, with single spaces, as SVG collapses them, and with letters
/// and combining marks composed, because a fallback font is used only if it has the same number of characters.
pub(crate) fn clean(text: &str) -> String {
    let kept = text.chars().filter(|character| !is_forbidden(*character));
    let kept: String = kept.nfc().collect();
    kept.split(['\t', '\n', '\r', ' '])
        .filter(|word| !word.is_empty())
        .collect::<Vec<_>>()
        .join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fonts_open_and_know_their_letters() {
        let fonts = Fonts::get();
        assert!(fonts.faces.iter().all(Option::is_some));
        for face in &fonts.faces[..WEIGHTS] {
            let face = face.as_ref().expect("a font");
            let boxes = ('a'..='z').chain('A'..='Z').chain('0'..='9').map(|letter| {
                let glyph = face.glyph_index(letter).expect("a glyph");
                face.glyph_bounding_box(glyph).expect("an outline")
            });
            let (mut high, mut low) = (0, 0);
            for bounds in boxes {
                (high, low) = (high.max(bounds.y_max), low.min(bounds.y_min));
            }
            let em = f64::from(face.units_per_em());
            assert!((f64::from(high) / em - CAPITALS).abs() < 0.005, "{high}");
            assert!((-f64::from(low) / em - DESCENT).abs() < 0.005, "{low}");
        }
        assert_eq!(
            missing("Aé→≤注意力アテ，（）①🎉"),
            BTreeSet::from(['①', '🎉'])
        );
        assert_eq!(
            missing("∇∈ℝ⟨⟩xₙₖₛ10⁻⁸𝔼ℒ∀⊕x̂ᾱ 交叉熵 特徴認識言語"),
            BTreeSet::new()
        );
        assert_eq!(
            ['x', '注', '∇', '熵', '🎉'].map(fallback),
            [None, Some(2), Some(3), Some(4), None]
        );
    }

    #[test]
    fn widths_are_those_of_arial() {
        let found = width("Attention", 1000.0, Weight::Regular);
        assert!((found - 3947.3).abs() < 2.0, "{found}");
        assert!(width("Attention", 10.0, Weight::Bold) > found / 100.0);
        assert!((width("注意力", 10.0, Weight::Bold) - 30.0).abs() < 0.1);
    }

    #[test]
    fn what_cannot_be_drawn_is_taken_out() {
        assert_eq!(clean("x\u{fffe}\u{85}y"), "xy");
        assert_eq!(clean("α\u{304}ₛ x\u{302}"), "\u{1fb1}ₛ x\u{302}");
    }
}
