//! Colours: reading, mixing, contrast, and how they look without colour vision.

use std::fmt;
use std::sync::LazyLock;

/// An sRGB colour, written `#RRGGBB`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Colour {
    /// Red, green, blue, 0 to 255.
    pub(crate) rgb: [u8; 3],
    /// Whether it is written with capital digits, so that a colour is written as it was read.
    capitals: bool,
}

/// Contrast that text needs. **Source**: WCAG 2.1, success criterion 1.4.3 (AA); print is too small for the rule on large text.
pub(crate) const TEXT_CONTRAST: f64 = 4.5;
/// Contrast that lines need. **Source**: WCAG 2.1, success criterion 1.4.11 (AA).
pub(crate) const LINE_CONTRAST: f64 = 3.0;

/// The linear light of each sRGB component, 0 to 1. **Source**: IEC 61966-2-1.
static LINEAR: LazyLock<[f64; 256]> = LazyLock::new(|| {
    std::array::from_fn(|part| {
        let part = f64::from(u8::try_from(part).unwrap_or(u8::MAX)) / 255.0;
        if part <= 0.04045 {
            part / 12.92
        } else {
            ((part + 0.055) / 1.055).powf(2.4)
        }
    })
});

impl Colour {
    /// A colour that is written with small digits.
    pub(crate) const fn new(red: u8, green: u8, blue: u8) -> Self {
        Self {
            rgb: [red, green, blue],
            capitals: false,
        }
    }

    /// A colour that is written with capital digits, as some defaults are.
    pub(crate) const fn capital(red: u8, green: u8, blue: u8) -> Self {
        Self {
            rgb: [red, green, blue],
            capitals: true,
        }
    }

    /// Reads exactly `#RRGGBB`.
    pub(crate) fn read(text: &str) -> Option<Self> {
        let digits = text.strip_prefix('#')?;
        if digits.len() != 6 || !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return None;
        }
        let [_, red, green, blue] = u32::from_str_radix(digits, 16).ok()?.to_be_bytes();
        Some(Self {
            rgb: [red, green, blue],
            capitals: digits.bytes().any(|byte| byte.is_ascii_uppercase()),
        })
    }

    /// The fill for a box with a border of this colour: 85 % of the way to white, rounded down.
    pub(crate) fn lighter(self) -> Self {
        let [red, green, blue] = self.rgb.map(|part| {
            let rest = u32::from(255 - part) * 85 / 100;
            part.saturating_add(u8::try_from(rest).unwrap_or(u8::MAX))
        });
        Self::new(red, green, blue)
    }

    /// Relative luminance, 0 to 1. **Source**: WCAG 2.1.
    pub(crate) fn luminance(self) -> f64 {
        let [red, green, blue] = self.linear();
        0.2126 * red + 0.7152 * green + 0.0722 * blue
    }

    /// Contrast of two colours, 1 to 21. **Source**: WCAG 2.1, contrast ratio.
    pub(crate) fn contrast(self, other: Self) -> f64 {
        let (one, two) = (self.luminance(), other.luminance());
        (one.max(two) + 0.05) / (one.min(two) + 0.05)
    }

    /// The nearest colour with enough contrast for text on `ground`: this one if it has it, else a darker or lighter one,
    /// whichever is nearer.
    pub(crate) fn legible_on(self, ground: Self) -> Self {
        let readable = |colour: &Self| colour.contrast(ground) >= TEXT_CONTRAST;
        if readable(&self) {
            return self;
        }
        let [red, green, blue] = self.rgb;
        (1..=u8::MAX)
            .flat_map(|step| {
                let darker = [red, green, blue].map(|part| part.saturating_sub(step));
                let lighter = [red, green, blue].map(|part| part.saturating_add(step));
                [darker, lighter].map(|[red, green, blue]| Self::new(red, green, blue))
            })
            .find(readable)
            .unwrap_or(self)
    }

    /// Black or white, whichever is easier to read on this one.
    pub(crate) fn ink(self) -> Self {
        let (black, white) = (Self::new(0, 0, 0), Self::capital(255, 255, 255));
        if self.contrast(black) >= self.contrast(white) {
            black
        } else {
            white
        }
    }

    /// The components in linear light, 0 to 1.
    fn linear(self) -> [f64; 3] {
        self.rgb.map(|part| LINEAR[usize::from(part)])
    }

    /// The colour as it is seen: lightness, 0 to 100, and two colour axes. **Source**: CIE 1976 L*a*b*, white point D65.
    pub(crate) fn lab(self, sight: Sight) -> [f64; 3] {
        let linear = self.linear();
        let [red, green, blue] = match sight.matrix() {
            None => linear,
            Some(matrix) => matrix.map(|row| {
                row.iter()
                    .zip(linear)
                    .map(|(weight, part)| weight * part)
                    .sum::<f64>()
                    .clamp(0.0, 1.0)
            }),
        };
        let x = (0.4124 * red + 0.3576 * green + 0.1805 * blue) / 0.9505;
        let y = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
        let z = (0.0193 * red + 0.1192 * green + 0.9505 * blue) / 1.089;
        let [x, y, z] = [x, y, z].map(|part| {
            if part > 216.0 / 24389.0 {
                part.cbrt()
            } else {
                (24389.0 / 27.0 * part + 16.0) / 116.0
            }
        });
        let seen = [116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)];
        match sight {
            Sight::Grey => [seen[0], 0.0, 0.0],
            _ => seen,
        }
    }

    /// How different two colours look: 2 is barely visible side by side, 100 is black against white. **Source**: CIE 1976 colour
    /// difference.
    pub(crate) fn distance(self, other: Self, sight: Sight) -> f64 {
        let (one, two) = (self.lab(sight), other.lab(sight));
        one.iter()
            .zip(two)
            .map(|(one, two)| (one - two) * (one - two))
            .sum::<f64>()
            .sqrt()
    }
}

impl fmt::Display for Colour {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [red, green, blue] = self.rgb;
        if self.capitals {
            write!(out, "#{red:02X}{green:02X}{blue:02X}")
        } else {
            write!(out, "#{red:02x}{green:02x}{blue:02x}")
        }
    }
}

/// The colour vision, or printing, with which a figure is seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sight {
    Full,
    Grey,
    Protan,
    Deutan,
    Tritan,
}

impl Sight {
    pub(crate) const REDUCED: [Self; 4] = [Self::Grey, Self::Protan, Self::Deutan, Self::Tritan];

    /// For messages: "… cannot be told apart *in greyscale*".
    pub(crate) const fn words(self) -> &'static str {
        match self {
            Self::Full => "on screen",
            Self::Grey => "in greyscale",
            Self::Protan => "without red receptors (protanopia)",
            Self::Deutan => "without green receptors (deuteranopia)",
            Self::Tritan => "without blue receptors (tritanopia)",
        }
    }

    /// The matrix from linear light to seen linear light; `None` for full vision and grey. **Source**: Machado, Oliveira,
    /// Fernandes 2009, severity 1.0.
    const fn matrix(self) -> Option<[[f64; 3]; 3]> {
        match self {
            Self::Full | Self::Grey => None,
            Self::Protan => Some([
                [0.152_286, 1.052_583, -0.204_868],
                [0.114_503, 0.786_281, 0.099_216],
                [-0.003_882, -0.048_116, 1.051_998],
            ]),
            Self::Deutan => Some([
                [0.367_322, 0.860_646, -0.227_968],
                [0.280_085, 0.672_501, 0.047_413],
                [-0.011_820, 0.042_940, 0.968_881],
            ]),
            Self::Tritan => Some([
                [1.255_528, -0.076_749, -0.178_779],
                [-0.078_411, 0.930_809, 0.147_602],
                [0.004_733, 0.691_367, 0.303_900],
            ]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn colour(text: &str) -> Colour {
        Colour::read(text).expect(text)
    }

    #[test]
    fn only_six_hexadecimal_digits_are_a_colour() {
        for text in [
            "red", "#fff", "#12345g", "123456", "#1234567", "#12345é", "",
        ] {
            assert_eq!(Colour::read(text), None, "{text}");
        }
        for text in ["#FFFFFF", "#0a0b0c", "#123456"] {
            assert_eq!(colour(text).to_string(), text);
        }
    }

    #[test]
    fn contrast_is_that_of_the_standard() {
        for (one, two, expected) in [
            ("#000000", "#FFFFFF", 21.0),
            ("#777777", "#FFFFFF", 4.48),
            ("#767676", "#FFFFFF", 4.54),
            ("#FF0000", "#FFFFFF", 4.0),
        ] {
            let found = colour(one).contrast(colour(two));
            assert!((found - expected).abs() < 0.01, "{one} {two}: {found}");
        }
    }

    #[test]
    fn a_grey_is_moved_until_it_can_be_read() {
        for ground in ["#FFFFFF", "#000000", "#777777", "#2563EB", "#F5F5F5"] {
            let grey = Colour::new(0x88, 0x88, 0x88).legible_on(colour(ground));
            assert!(
                grey.contrast(colour(ground)) >= TEXT_CONTRAST,
                "{ground}: {grey}"
            );
        }
        assert_eq!(
            colour("#555555").legible_on(colour("#FFFFFF")),
            colour("#555555")
        );
    }

    #[test]
    fn red_and_green_of_the_same_lightness_are_one_colour_for_many() {
        let (red, green) = (colour("#D55E5E"), colour("#5E9E4A"));
        assert!(red.distance(green, Sight::Full) > 60.0);
        assert!(red.distance(green, Sight::Grey) < 5.0);
        assert!(red.distance(green, Sight::Deutan) < red.distance(green, Sight::Full) / 3.0);
        let (black, white) = (colour("#000000"), colour("#FFFFFF"));
        assert!((black.distance(white, Sight::Grey) - 100.0).abs() < 0.1);
    }
}
