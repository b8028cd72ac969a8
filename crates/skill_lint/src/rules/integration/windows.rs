//! Text that stands in several skills (SR509): windows of three consecutive lines, as numbers that are equal when the lines are.

use std::collections::BTreeSet;

/// Lines in a window. **Source**: integration contract §2 (*the same 3+ lines of prose in more than two SKILL.md files*).
const LINES: usize = 3;

/// Skills of different directory names that must share a window. **Source**: the same.
const SKILLS: usize = 3;

/// Characters below which a line is no prose but a label.
const SHORTEST: usize = 20;

/// A window: its first line, and the hash of its lines.
pub(super) type Window = (usize, u64);

/// The windows of lines that are prose; `None` stands for a line that breaks a run (code, fences, headings).
pub(super) fn windows<'a>(lines: impl Iterator<Item = (usize, Option<&'a str>)>) -> Vec<Window> {
    let mut found = Vec::new();
    let mut run: Vec<(usize, u64)> = Vec::new();
    for (number, line) in lines {
        let Some(hash) = line.and_then(prose) else {
            run.clear();
            continue;
        };
        run.push((number, hash));
        if let Some(last) = run.len().checked_sub(LINES).and_then(|at| run.get(at..)) {
            let first = last.first().map_or(number, |(number, _)| *number);
            let hashes = last.iter().flat_map(|(_, hash)| hash.to_le_bytes());
            found.push((first, hash_of(hashes)));
        }
    }
    found
}

/// The hash of a line whose white space is one blank; `None` when it is too short to be prose, or the rule of a table.
fn prose(line: &str) -> Option<u64> {
    let words = || line.split_whitespace();
    let blanks = words().count().saturating_sub(1);
    let characters = words().map(|word| word.chars().count()).sum::<usize>() + blanks;
    if characters < SHORTEST || super::table::is_rule(line) {
        return None;
    }
    Some(hash_of(words().flat_map(|word| word.bytes().chain([b' ']))))
}

/// FNV-1a, 64 bits.
pub(super) fn hash_of(bytes: impl Iterator<Item = u8>) -> u64 {
    bytes.fold(0xCBF2_9CE4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01B3)
    })
}

/// Lines that a skill shares with others.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Shared<'a> {
    /// Position of the skill in what was given.
    pub(super) skill: usize,
    /// First shared line, and how many follow without a gap, itself included.
    pub(super) line: usize,
    pub(super) lines: usize,
    /// Directory names of the other skills that have the first window.
    pub(super) others: Vec<&'a str>,
}

/// What skills of at least three different directory names share. Mirrors of one skill have one name and count once; overlapping
/// windows are one finding.
pub(super) fn shared<'a>(skills: &[(&'a str, &[Window])]) -> Vec<Shared<'a>> {
    // Every window as hash, skill and line; equal hashes then lie together.
    let mut all: Vec<(u64, usize, usize)> = Vec::new();
    for (skill, (_, windows)) in skills.iter().enumerate() {
        all.extend(windows.iter().map(|(line, hash)| (*hash, skill, *line)));
    }
    all.sort_unstable();
    let mut common: Vec<(usize, usize, BTreeSet<&'a str>)> = Vec::new();
    for group in all.chunk_by(|one, next| one.0 == next.0) {
        if group.len() < SKILLS {
            continue;
        }
        let name = |(_, skill, _): &(u64, usize, usize)| skills.get(*skill).map(|(name, _)| *name);
        let names: BTreeSet<&str> = group.iter().filter_map(name).collect();
        if names.len() >= SKILLS {
            common.extend(
                group
                    .iter()
                    .map(|(_, skill, line)| (*skill, *line, names.clone())),
            );
        }
    }
    common.sort_unstable();
    let mut found: Vec<Shared<'a>> = Vec::new();
    for (skill, line, names) in common {
        match found.last_mut() {
            Some(last) if last.skill == skill && line < last.line + last.lines => {
                last.lines = line + LINES - last.line;
            }
            _ => {
                let own = skills.get(skill).map(|(name, _)| *name);
                found.push(Shared {
                    skill,
                    line,
                    lines: LINES,
                    others: names
                        .into_iter()
                        .filter(|name| Some(*name) != own)
                        .collect(),
                });
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Vec<Window> {
        let prose = |line: &'static str| (!line.starts_with('#')).then_some(line);
        let text: &'static str = Box::leak(text.to_owned().into_boxed_str());
        windows(text.lines().zip(1..).map(|(line, at)| (at, prose(line))))
    }

    const A: &str = "the first line of a shared part\n";
    const B: &str = "the second line  of a shared part\n";
    const C: &str = "the third line of a shared part\n";
    const D: &str = "the fourth line of a shared part\n";

    #[test]
    fn runs_are_broken_by_what_is_no_prose() {
        for (text, lines) in [
            ([A, B, C].concat(), &[1][..]),
            ([A, B, C, D].concat(), &[1, 2]),
            ([A, B, "\n", C, D].concat(), &[]),
            (
                [A, B, "# heading of a part that is long\n", C].concat(),
                &[],
            ),
            ([A, B, "short\n", C].concat(), &[]),
            ([A, "|---------|----------|------|\n", B, C].concat(), &[]),
        ] {
            let found: Vec<usize> = of(&text).iter().map(|(line, _)| *line).collect();
            assert_eq!(found, lines, "{text}");
        }
        assert_eq!(
            of(&[A, B, C].concat()),
            of(&[A, "the second line of a shared part \n", C].concat())
        );
    }

    #[test]
    fn three_directory_names_share_or_nobody_does() {
        let one = of(&["x\n", A, B, C, D].concat());
        let two = of(&[A, B, C].concat());
        let three = of(&[B, C, D].concat());
        let shared_by = |skills: &[(&'static str, &[Window])]| {
            (shared(skills).iter())
                .map(|found| (found.skill, found.line, found.lines, found.others.join(" ")))
                .collect::<Vec<_>>()
        };
        assert_eq!(shared_by(&[("a", &one), ("b", &two)]), []);
        assert_eq!(shared_by(&[("a", &one), ("b", &two), ("b", &two)]), []);
        assert_eq!(shared_by(&[("a", &one), ("b", &two), ("c", &three)]), []);
        assert_eq!(
            shared_by(&[("a", &one), ("b", &two), ("c", &two), ("d", &one)]),
            [
                (0, 2, 3, "b c d".to_owned()),
                (1, 1, 3, "a c d".to_owned()),
                (2, 1, 3, "a b d".to_owned()),
                (3, 2, 3, "a b c".to_owned()),
            ]
        );
        let found = shared_by(&[("a", &one), ("b", &one), ("c", &one)]);
        assert_eq!(found[0], (0, 2, 4, "b c".to_owned()));
        assert_eq!(found.len(), 3);
    }
}
