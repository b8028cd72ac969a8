//! Makes text from sources plain: removes markup, resolves entities, collapses white space.

use aris_contract::text::is_hidden;

/// Collapses white space of any kind to single spaces and trims the text; removes control characters and those that change the
/// direction of text.
pub(crate) fn collapsed(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !plain.is_empty() {
            plain.push(' ');
        }
        plain.extend(word.chars().filter(|sign| !is_hidden(*sign)));
    }
    plain
}

/// Removes HTML, JATS and `MathML` tags, resolves entities, and collapses white space. A `<` that begins no tag stays.
pub(crate) fn untagged(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['<', '&']) {
        let (before, from) = rest.split_at_checked(at).unwrap_or((rest, ""));
        plain.push_str(before);
        rest = if let Some(length) = tag(from).or_else(|| entity(from, &mut plain)) {
            from.get(length..).unwrap_or_default()
        } else {
            let mut characters = from.chars();
            plain.extend(characters.next());
            characters.as_str()
        };
    }
    plain.push_str(rest);
    collapsed(&plain)
}

/// Longest tag, in bytes.
const TAG: usize = 400;

/// Length of the tag at the start of `text`.
fn tag(text: &str) -> Option<usize> {
    let mut bytes = text.bytes();
    (bytes.next() == Some(b'<')).then_some(())?;
    let named = match bytes.next()? {
        b'/' | b'!' | b'?' => bytes
            .next()
            .is_some_and(|byte| byte.is_ascii_alphabetic() || byte == b'-'),
        byte => byte.is_ascii_alphabetic(),
    };
    named.then_some(())?;
    let end = text.bytes().take(TAG).position(|byte| byte == b'>')?;
    Some(end + 1)
}

/// Appends the character of the entity at the start of `text` to `plain`; returns the entity's length.
fn entity(text: &str, plain: &mut String) -> Option<usize> {
    let inner = text.strip_prefix('&')?;
    let end = inner.bytes().take(12).position(|byte| byte == b';')?;
    let name = inner.get(..end)?;
    let character = match name {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "apos" => '\'',
        "nbsp" => ' ',
        _ => {
            let digits = name.strip_prefix('#')?;
            let number = match digits.strip_prefix(['x', 'X']) {
                Some(hex) => u32::from_str_radix(hex, 16).ok()?,
                None => digits.parse().ok()?,
            };
            char::from_u32(number).filter(|character| !character.is_control())?
        }
    };
    plain.push(character);
    Some(end + 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_goes_and_mathematics_stays() {
        for (text, wanted) in [
            ("  A\n  title ", "A title"),
            (
                "<jats:p>We show</jats:p><jats:p> that</jats:p>",
                "We show that",
            ),
            ("H<sub>2</sub>O &amp; CO<sub>2</sub>", "H2O & CO2"),
            ("x < y and y > z", "x < y and y > z"),
            ("p<0.05", "p<0.05"),
            ("&#233;t&#xe9; &unknown; & &;", "été &unknown; & &;"),
            ("<!-- note -->kept", "kept"),
            ("a <", "a <"),
        ] {
            assert_eq!(untagged(text), wanted, "{text:?}");
        }
    }

    proptest::proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "\\PC{0,200}") {
            drop(untagged(&text));
        }
    }
}
