//! How a description is worded. Heuristics, and silent where they cannot judge.

use std::sync::LazyLock;

use regex::Regex;

use crate::pattern::compiled;

/// Share of letters outside ASCII, as 1 in N, from which a description counts as written in another language.
const OTHER_LANGUAGE: usize = 5;

/// Ways to say when a skill is for use.
static CUE: LazyLock<Regex> = LazyLock::new(|| {
    compiled(
        r"(?i)\b(?:when|whenever|trigger\w*|activat\w+|invoke\w*|auto-?loads?|use(?:d|ful|s)?\s+(?:for|this|if|to|it|on|proactively|before|after|in|whenever|as|instead|only|alongside)|for\s+use\b|if\s+(?:the\s+)?user)",
    )
});

/// What somebody else says, or a name: between quotation marks or backticks.
static QUOTED: LazyLock<Regex> =
    LazyLock::new(|| compiled(r#""[^"]*"|“[^”]*”|‘[^’]*’|`[^`]*`|\B'[^'\n]*'\B"#));

/// First person. A lone `I` counts where a clause begins and a word in lower case follows: not in `Type I errors`, `I/O`.
static FIRST_PERSON: LazyLock<Regex> = LazyLock::new(|| {
    compiled(
        r"(?:^|[.!?;:,(\n]\s*|\b(?:and|so|that|then|when|what)\s+)(I)\s[a-z]|\b(I['’](?:m|ll|ve|d)|[Ww]e|[Mm]y|[Oo]urs?)\b",
    )
});

/// Second person, or a word that opens a condition: `when you need …` describes a situation and addresses nobody.
static SECOND_PERSON: LazyLock<Regex> = LazyLock::new(|| {
    compiled(r"(?i)\b(?:(yours?|you)|when|whenever|if|unless|before|after|where|while|what|that)\b")
});

/// Whether a description says when to use the skill. True as well where it is not in English: the cues are.
pub(crate) fn has_cue(description: &str) -> bool {
    is_other_language(description) || CUE.is_match(description)
}

fn is_other_language(text: &str) -> bool {
    let mut letters = 0_usize;
    let mut foreign = 0_usize;
    for letter in text.chars().filter(|char| char.is_alphabetic()) {
        letters += 1;
        foreign += usize::from(!letter.is_ascii());
    }
    foreign > 0 && foreign * OTHER_LANGUAGE >= letters
}

/// The first word that makes a description speak as, or to, a person; none when it does not.
///
/// Words between quotation marks are somebody's request, not the description's voice.
pub(crate) fn personal_word(description: &str) -> Option<String> {
    let own = QUOTED.replace_all(description, " \u{fffc} ");
    if let Some(found) = FIRST_PERSON.captures(&own) {
        let word = found.get(1).or_else(|| found.get(2))?;
        return Some(word.as_str().to_owned());
    }
    own.split(['.', '!', '?', ';', '\n'])
        .find_map(|sentence| SECOND_PERSON.captures(sentence)?.get(1))
        .map(|word| word.as_str().to_owned())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{has_cue, personal_word};

    #[test]
    fn cues_are_words_and_other_languages_are_not_judged() {
        for good in [
            "Reads PDF. Use when the user has a form.",
            "Triggers on: pdf",
            "Use for PDF forms",
            "处理 PDF 文件",
            "Helps if the user asks",
        ] {
            assert!(has_cue(good), "{good}");
        }
        for bad in [
            "Reads and writes PDF files.",
            "Swhenever",
            "A résumé writer",
        ] {
            assert!(!has_cue(bad), "{bad}");
        }
    }

    #[test]
    fn persons_are_found_outside_quotation_marks_and_conditions() {
        for (text, word) in [
            ("I can help you with PDF files", Some("I")),
            ("I'll read it", Some("I'll")),
            ("You can use this to read", Some("You")),
            ("Manages your inbox", Some("your")),
            ("We read PDF files", Some("We")),
            ("Use when you need a PDF", None),
            ("Use when the user says \"fix my paper\"", None),
            ("Use for 'check my code' requests", None),
            ("Type I errors and I/O", None),
            ("Reads PDF files", None),
            ("Use if asked. Your files stay", Some("Your")),
        ] {
            assert_eq!(personal_word(text).as_deref(), word, "{text}");
        }
    }

    proptest! {
        #[test]
        fn no_description_makes_it_panic(text in r#"([Iwy"'`.;]| you | when |\PC){0,40}"#) {
            if let Some(word) = personal_word(&text) {
                prop_assert!(text.contains(&word));
            }
            has_cue(&text);
        }
    }
}
