//! Finds the verdict in an answer.
//!
//! **Grammar**; case, Markdown and other punctuation around the parts are ignored:
//!
//! ```text
//! statement  label separator word            Final verdict: FAIL      | Verdict | FAIL |      "verdict": "FAIL"
//!            label "is" word (end | sign)    The verdict is FAIL.
//!            label end-of-line word          ## Verdict               (the word begins the next line that is not blank)
//!            word                            the last line, when it holds nothing else
//! label      { the | my | our | overall | final | audit | review | reviewer | paper | proof | claim | citation } verdict,
//!            where a line, a sentence, a table cell or a JSON key begins
//! separator  : = | -
//! word       PASS(ED) WARN(ING) FAIL(ED) NOT_APPLICABLE BLOCKED ERROR
//! ```
//!
//! `PASS` and `NOT_APPLICABLE` must be alone on their line, in their cell or JSON text: with more words (`PASS if Lemma 2 is repaired`), with
//! a question mark, in a quotation (`>`) or in a comment they are not a statement. They do not count either if a verdict other than these
//! two follows in capitals, or in a later sentence of any form (`on reflection the verdict is FAIL`).
//!
//! Several words (`PASS | WARN | FAIL`) are an empty form, and no statement. The last statement counts; but after an overall or final
//! one, a plain one (perhaps about a single claim) can only make the verdict worse.

use aris_contract::artifact::audit::Verdict;

/// Words that may stand before "verdict" in a label.
const LABEL: [&str; 12] = [
    "the", "my", "our", "overall", "final", "audit", "review", "reviewer", "paper", "proof",
    "claim", "citation",
];
/// Bytes before and after a label that are examined; before it there may be marks of a list, a quotation or a heading.
const NEAR: usize = 256;
/// Spellings of the verdicts, longer ones first.
const WORDS: [(&str, Verdict); 11] = [
    ("NOT_APPLICABLE", Verdict::NotApplicable),
    ("NOT APPLICABLE", Verdict::NotApplicable),
    ("NOT-APPLICABLE", Verdict::NotApplicable),
    ("PASSED", Verdict::Pass),
    ("PASS", Verdict::Pass),
    ("WARNING", Verdict::Warn),
    ("WARN", Verdict::Warn),
    ("FAILED", Verdict::Fail),
    ("FAIL", Verdict::Fail),
    ("BLOCKED", Verdict::Blocked),
    ("ERROR", Verdict::Error),
];

/// The verdict that an answer states; `None` when it states none.
pub fn stated(answer: &str) -> Option<Verdict> {
    let (mut overall, mut plain, mut doubted) = (None, None, false);
    let lines = answer.lines().filter(|line| !line.trim().is_empty());
    let mut following = lines.clone();
    let mut last = None;
    // Whether the line begins within a comment or within struck-out text.
    let mut hidden = [false; 4];
    for line in lines {
        following.next();
        let is_hidden = hidden.contains(&true);
        last = Some(line).filter(|_| !is_hidden);
        doubted |= accuses(line);
        let lower = line.to_ascii_lowercase();
        for (at, _) in lower.match_indices("verdict") {
            let (before, after) = (lower.get(..at), line.get(at + "verdict".len()..));
            let Some(verdict) = after.and_then(|after| value(after, following.clone().next()))
            else {
                // As in `The verdict is not PASS.`
                doubted |= denies(after.unwrap_or_default());
                continue;
            };
            let Some(is_overall) = before.and_then(label) else {
                // `On reflection the verdict is FAIL` is not a statement, but revokes an earlier acquittal (PASS or NOT_APPLICABLE).
                doubted |= !acquits(verdict);
                continue;
            };
            let before = before.unwrap_or_default();
            let signs = ["<!--", "~~", ">", "<del", "<s>"];
            let quoted = signs.iter().any(|sign| before.contains(sign));
            if (is_hidden || quoted) && acquits(verdict) {
                continue;
            }
            if is_overall {
                (overall, plain, doubted) = (Some(verdict), None, false);
            } else {
                // It may be about a single claim, so it does not remove doubts about the whole.
                doubted &= overall.is_some();
                plain = Some(verdict);
            }
        }
        let pairs = [("<!--", "-->"), ("<del", "</del"), ("<s>", "</s>")];
        for (is_open, (begin, end)) in hidden.iter_mut().zip(pairs) {
            *is_open = match (lower.rfind(begin), lower.rfind(end)) {
                (None, None) => *is_open,
                (begin, end) => begin > end,
            };
        }
        let [.., struck] = &mut hidden;
        *struck ^= line.matches("~~").count() % 2 == 1;
    }
    let stated = match (overall, plain) {
        (Some(overall), Some(plain)) if weight(plain) > weight(overall) => Some(plain),
        (Some(verdict), _) | (None, Some(verdict)) => Some(verdict),
        (None, None) => {
            doubted = false;
            word(last?).and_then(|(verdict, rest)| {
                let alone = !rest.contains(char::is_alphanumeric);
                alone.then_some(verdict)
            })
        }
    };
    stated.filter(|verdict| !(doubted && acquits(*verdict)))
}

const fn weight(verdict: Verdict) -> u8 {
    match verdict {
        Verdict::Pass | Verdict::NotApplicable => 0,
        Verdict::Warn => 1,
        Verdict::Fail | Verdict::Blocked | Verdict::Error => 2,
    }
}

/// Whether the text before "verdict" ends with a label, and if so, whether the label says overall or final.
fn label(before: &str) -> Option<bool> {
    let mut overall = false;
    let mut left = before;
    loop {
        let trimmed = left.trim_end_matches([' ', '_', '-']);
        let name = trimmed.rsplit(|c: char| !c.is_alphanumeric()).next()?;
        let head = trimmed.strip_suffix(name)?;
        if !LABEL.contains(&name) {
            break;
        }
        overall |= matches!(name, "overall" | "final");
        left = head;
    }
    // A label begins shortly before the word; the line may be megabytes of JSON.
    let left = left.trim_end();
    let left = left
        .get(left.floor_char_boundary(left.len().saturating_sub(NEAR))..)
        .unwrap_or_default();
    let begins =
        left.ends_with(['.', '!', '?', ';', '"', '|', '。']) || !left.contains(char::is_alphabetic);
    begins.then_some(overall)
}

/// The verdict after a label: on the same line, or on the next one if the label ends its line.
fn value(after: &str, next: Option<&str>) -> Option<Verdict> {
    let after = after.trim_start_matches(|c: char| c.is_whitespace() || "*_`\"')]".contains(c));
    let sentence = |text| {
        let (verdict, rest) = word(text)?;
        let signs = rest.trim_start_matches(['*', '_', '`', '"', '\'']);
        let ends = !signs.trim_start().starts_with(char::is_alphanumeric);
        (ends && holds(verdict, rest)).then_some(verdict)
    };
    if after.is_empty() {
        return sentence(next?);
    }
    if let Some(cell) = after.strip_prefix('|') {
        let (cell, others) = cell.split_once('|').unwrap_or((cell, ""));
        return sentence(cell).filter(|_| word(others).is_none());
    }
    if let Some(text) = after.strip_prefix([':', '=', '-', '–', '—', '：']) {
        if !text.contains(char::is_alphanumeric) {
            return sentence(next?);
        }
        let (verdict, rest) = word(text)?;
        return holds(verdict, rest).then_some(verdict);
    }
    let is = after
        .get(..3)
        .filter(|is| is.eq_ignore_ascii_case("is ") || is.eq_ignore_ascii_case("is:"))?;
    sentence(after.get(is.len()..)?)
}

/// The verdict at the start of a text, ignoring punctuation before it, and the text after it.
fn word(text: &str) -> Option<(Verdict, &str)> {
    let text = text.trim_start_matches(|c: char| !c.is_alphanumeric());
    let (verdict, rest) = WORDS.iter().find_map(|(spelling, verdict)| {
        let (head, rest) = text.split_at_checked(spelling.len())?;
        head.eq_ignore_ascii_case(spelling)
            .then_some((*verdict, rest))
    })?;
    let inside = rest
        .trim_start_matches('_')
        .starts_with(char::is_alphanumeric);
    (!inside).then_some((verdict, rest))
}

const fn acquits(verdict: Verdict) -> bool {
    matches!(verdict, Verdict::Pass | Verdict::NotApplicable)
}

/// Whether a verdict with this `rest` of its line is a statement. An acquittal must be alone, because conditions have too many forms to list.
fn holds(verdict: Verdict, rest: &str) -> bool {
    let json = rest.strip_prefix('"').map(str::trim_start);
    let rest = if json.is_some_and(|json| json.starts_with([',', '}'])) {
        ""
    } else {
        rest
    };
    let alone = !rest.contains(|c: char| c.is_alphanumeric() || "?~>".contains(c));
    !alternatives(rest) && (alone || !acquits(verdict))
}

/// Whether `not` follows closely after a label.
fn denies(after: &str) -> bool {
    let near = after.get(..after.floor_char_boundary(NEAR));
    near.is_some_and(|near| near.contains(" not "))
}

/// Whether the line contains, in capitals, a verdict that is not an acquittal.
fn accuses(line: &str) -> bool {
    let words = line.split(|c: char| !(c.is_alphanumeric() || c == '_'));
    let mut verdicts = words.flat_map(|name| WORDS.iter().filter(move |(word, _)| *word == name));
    verdicts.any(|(_, verdict)| !acquits(*verdict))
}

/// Whether an alternative follows the verdict.
fn alternatives(rest: &str) -> bool {
    let rest = rest.trim_start_matches(|c: char| c.is_whitespace() || "*_`\"'".contains(c));
    let other = rest
        .strip_prefix(['|', '/', ','])
        .or_else(|| rest.strip_prefix("or "));
    other.is_some_and(|other| word(other).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_are_found_in_every_form_and_nothing_else_is_one() {
        let fail = Some(Verdict::Fail);
        for (answer, verdict) in [
            ("VERDICT: FAIL", fail),
            ("Final verdict: FAIL", fail),
            ("The verdict is FAIL.", fail),
            ("It does not hold. The verdict is **FAIL**, sadly.", fail),
            ("My overall verdict is: fail", fail),
            ("## Verdict\n\n**FAIL** — Table 2 is wrong", fail),
            ("**Verdict:**\n\nFAIL", fail),
            ("**Verdict:**\n \nFAIL, for Table 2", fail),
            ("| Final verdict | ❌ FAIL |", fail),
            ("{\"overall_verdict\": \"FAIL\", \"n\": 1}", fail),
            ("{\n  \"n\": 1, \"verdict\": \"FAIL\"\n}", fail),
            ("3. **Verdict** — `FAIL` (no data)", fail),
            ("> *Verdict = FAILED*", fail),
            ("Verdict: FAIL because Table 2 does not follow", fail),
            ("结论\n最终 verdict：FAIL", None),
            ("Verdict：FAIL", fail),
            ("All of it was read.\n\nFAIL\n", fail),
            ("All of it was read.\n**FAIL**.\n", fail),
            ("VERDICT: PASS\n\nVERDICT: FAIL\n", fail),
            ("Overall verdict: FAIL\n\nClaim 1\n- verdict: PASS", fail),
            ("Overall verdict: PASS\n\nVERDICT: FAIL", fail),
            ("verdict: FAIL\nOverall verdict: WARN", Some(Verdict::Warn)),
            ("The overall verdict: FAIL\nverdict: PASS", fail),
            ("Overall verdict: FAIL\nverdict: ERROR", fail),
            ("VERDICT: NOT_APPLICABLE", Some(Verdict::NotApplicable)),
            ("Verdict: not applicable", Some(Verdict::NotApplicable)),
            ("Overall verdict: PASS with two remarks", None),
            ("VERDICT: PASS is not possible.", None),
            ("VERDICT: PASS\nOn reflection the verdict is FAIL.", None),
            (
                "On reflection the verdict is FAIL.\nVERDICT: PASS",
                Some(Verdict::Pass),
            ),
            (
                "VERDICT: WARN\nOn reflection the verdict is FAIL.",
                Some(Verdict::Warn),
            ),
            (
                "VERDICT: PASS\nThat the verdict is PASS was clear.",
                Some(Verdict::Pass),
            ),
            ("VERDICT: PASS if Lemma 2 is repaired", None),
            ("VERDICT: PASS (conditional), otherwise FAIL", None),
            ("VERDICT: PASS?", None),
            ("VERDICT: **PASS**?", None),
            ("VERDICT: PASS is out of reach", None),
            ("The verdict is PASS, if Lemma 2 is repaired", None),
            ("The verdict is **FAIL** only if x", None),
            ("The verdict is FAIL, not WARN", fail),
            ("The verdict is PASS.", Some(Verdict::Pass)),
            ("~~VERDICT: PASS~~ Withdrawn.", None),
            ("One of these:\n- > VERDICT: PASS", None),
            ("<del>\nVERDICT: PASS\n</del>", None),
            ("~~My old text:\nVERDICT: PASS\nends here.~~", None),
            ("~~My old text~~\nVERDICT: PASS", Some(Verdict::Pass)),
            ("~~Verdict: PASS, all proofs hold~~", None),
            ("Verdict: ~~PASS~~", None),
            ("<!-- VERDICT: PASS -->", None),
            ("<!-- VERDICT: PASS\n-->", None),
            ("<!--\nVERDICT: PASS -->", None),
            ("<!--\nVERDICT: PASS\n-->", None),
            ("<!--\nPASS", None),
            ("<!--\nVERDICT: FAIL\n-->", fail),
            ("<!-- a\n-->\nVERDICT: PASS", Some(Verdict::Pass)),
            ("> VERDICT: PASS\n\nThat was wrong.", None),
            (" > VERDICT: PASS\n\nThat was wrong.", None),
            ("VERDICT: PASS — all proofs hold.", None),
            ("VERDICT: PASS ✅.", Some(Verdict::Pass)),
            (
                "| Final verdict | ✅ PASS | all hold |",
                Some(Verdict::Pass),
            ),
            ("{\"verdict\": \"PASS\", \"n\": 1}", Some(Verdict::Pass)),
            ("VERDICT: PASS\"", Some(Verdict::Pass)),
            ("VERDICT: PASS modulo Lemma 2, which is wrong", None),
            ("VERDICT: PASS, however Lemma 2 is wrong", None),
            ("VERDICT: PASS\nNo, Lemma 2 is wrong.\n\nFAIL", None),
            ("VERDICT: PASS\n\nThe verdict should be FAIL.", None),
            ("VERDICT: PASS\nI retract this: it is a FAIL.", None),
            (
                "VERDICT: PASS\nThis was hasty: the verdict is not PASS.",
                None,
            ),
            (
                "VERDICT: PASS\nIt FAILED.\nVERDICT: PASS",
                Some(Verdict::Pass),
            ),
            (
                "Overall verdict: PASS\nLemma 2: FAIL\nLemma 3, verdict: PASS",
                None,
            ),
            (
                "VERDICT: PASS\nIts failures were mended.",
                Some(Verdict::Pass),
            ),
            ("VERDICT: PASS (no gaps)", None),
            ("VERDICT: FAIL if nothing changes", fail),
            ("Overall verdict: PASS | WARN | FAIL", None),
            ("Verdict: PASS/WARN/FAIL", None),
            ("Verdict: PASS or FAIL", None),
            ("Verdict: **PASS** | **FAIL**", None),
            ("| Verdict | PASS / FAIL |", None),
            ("I would not FAIL this. The verdict is FAIL if x.", None),
            ("It is not clear that the verdict is FAIL.", None),
            ("**Verdict**: partially_answered", None),
            ("verdict: unsure", None),
            ("Verdict: PASS_WITH_NOTES", None),
            ("verdicts: FAIL", None),
            (
                "| Claim | Verdict | PASS count |\n|---|---|---|\n| 1 | FAIL | 0 |",
                None,
            ),
            ("Looks right. PASS.", None),
            ("FAIL would be wrong", None),
            ("Failures were not found", None),
            ("verdict", None),
            ("", None),
        ] {
            assert_eq!(stated(answer), verdict, "{answer:?}");
        }
    }

    #[test]
    fn a_line_of_megabytes_takes_no_time() {
        let line = format!("{}{}", ".".repeat(2 << 20), "verdict ".repeat(1 << 18));
        assert_eq!(
            stated(&format!("VERDICT: WARN\n{line}")),
            Some(Verdict::Warn)
        );
    }
}
