//! Clauses of a sentence: how near a word stands to a number, and what the sentence is about.

/// Part of the weight that each word between a label and the number leaves.
pub(crate) const PER_WORD: f64 = 0.975;

/// Part that a boundary between them leaves.
pub(crate) const PER_BOUNDARY: f64 = 0.82;

/// Further part that a bracket or a semicolon leaves.
pub(crate) const PER_BRACKET: f64 = 0.8;

/// Weight of what stands directly beside the number: `90 epochs`, `batch size of 256`.
pub(crate) const APART: f64 = 0.92;

/// Bytes where clauses end: punctuation, brackets, conjunctions.
pub(crate) fn boundaries(sentence: &str, offset: usize) -> Vec<usize> {
    let mut out: Vec<usize> = Vec::new();
    let bytes = sentence.as_bytes();
    for (at, c) in sentence.char_indices() {
        let splits = match c {
            ';' | '(' | ')' | ':' | '—' => true,
            // A comma inside a number does not.
            ',' => !bytes.get(at + 1).is_some_and(u8::is_ascii_digit),
            _ => false,
        };
        if splits {
            out.push(offset + at);
        }
    }
    for word in [
        " and ",
        " while ",
        " whereas ",
        " but ",
        " against ",
        " versus ",
        " vs",
        " than ",
        " compared ",
        " instead of ",
        " from ",
        " to ",
        " over ",
    ] {
        out.extend(sentence.match_indices(word).map(|(at, _)| offset + at));
    }
    out.sort_unstable();
    out
}

pub(crate) fn proximity(
    text: &str,
    boundaries: &[usize],
    place: usize,
    start: usize,
    end: usize,
) -> f64 {
    let (from, to) = if place < start {
        (place, start)
    } else {
        (end.min(place), place)
    };
    let crossed = boundaries
        .iter()
        .filter(|at| from <= **at && **at < to)
        .count();
    // Brackets and semicolons separate more than commas.
    let hard = text
        .get(from..to)
        .map_or(0, |between| between.matches(['(', ')', ';']).count());
    let words = text
        .get(from..to)
        .map_or(0, |between| between.split_whitespace().count());
    let power = |base: f64, times: usize| base.powi(i32::try_from(times.min(40)).unwrap_or(40));
    // The noun that is counted, or the name right before the value.
    let beside = crossed == 0
        && if place < start {
            words <= 3
        } else {
            words <= 2
        };
    if beside {
        return 1.0;
    }
    (APART * power(PER_WORD, words) * power(PER_BOUNDARY, crossed) * power(PER_BRACKET, hard))
        .max(0.25)
}

/// The sentence names a baseline in general, or the number follows a word of contrast.
pub(crate) fn speaks_of_rivals(sentence: &str, at: usize) -> bool {
    rival_place(sentence).is_some() || contrasted(sentence.get(..at).unwrap_or(""))
}

/// The sentence continues the one before: it has a pronoun, or begins with a place or a case ("On Ant it scores …").
pub(crate) fn goes_on(sentence: &str) -> bool {
    let words = crate::claim::after_words(
        &format!(" {}", sentence.replace(['.', ',', ';', ':', '(', ')'], " ")),
        0,
        60,
    );
    let first = words.first().map_or("", String::as_str);
    let fronted = matches!(
        first,
        "on" | "for"
            | "at"
            | "over"
            | "in"
            | "with"
            | "under"
            | "after"
            | "against"
            | "across"
            | "without"
            | "when"
    );
    let pronoun = words.iter().any(|word| {
        matches!(
            word.as_str(),
            "it" | "its"
                | "this"
                | "that"
                | "these"
                | "those"
                | "they"
                | "their"
                | "them"
                | "we"
                | "our"
                | "ours"
                | "both"
                | "latter"
                | "former"
        )
    });
    fronted || pronoun
}

/// The number directly follows a word of contrast.
pub(crate) fn contrasted(before: &str) -> bool {
    let before = before
        .trim_end_matches(['$', '(', '~', '≈', ' '])
        .to_lowercase();
    [
        "from",
        "instead of",
        "against",
        "versus",
        "vs",
        "vs.",
        "compared with",
        "compared to",
        "rather than",
        "than",
        "not",
    ]
    .iter()
    .any(|word| {
        before
            .strip_suffix(word)
            .is_some_and(|rest| rest.ends_with(' '))
    })
}

/// Where a sentence speaks of something that is not the paper's own.
pub(crate) fn rival_place(sentence: &str) -> Option<usize> {
    let lower = sentence.to_lowercase();
    [
        "baseline",
        "competitor",
        "rival",
        "conventional",
        "vanilla",
        "strongest",
        "runner-up",
        "previous",
        "prior",
        "others",
    ]
    .iter()
    .filter_map(|word| lower.find(word))
    .min()
}

/// The symbol that the number is the value of: `d = 256`, `β_1=0.9` → `beta`.
pub(crate) fn assigned_symbol(text: &str, start: usize) -> Option<String> {
    let before = text.get(..start)?.trim_end().strip_suffix('=')?.trim_end();
    let from = before.rfind(|c: char| c.is_whitespace() || matches!(c, '$' | '(' | ','))?;
    let symbol = before.get(from + 1..)?;
    let words = crate::words::canonical(symbol);
    words.into_iter().next()
}
