//! DOIs whose suffix contains venue and year.
//!
//! | publisher | suffix | means |
//! |---|---|---|
//! | IEEE conferences | `CVPR52729.2023.00373` | CVPR 2023 |
//! | AAAI | `aaai.v36i2.20128` | AAAI, volume 36: 2022 |
//! | IJCAI | `ijcai.2021/123` | IJCAI 2021 |
//! | ACL Anthology | `v1/2023.acl-long.1`, `v1/N19-1357` | ACL 2023; NAACL 2019 |
//! | JOSS | `joss.01234` | Journal of Open Source Software |
//!
//! The table has only codes that belong to a single venue. An entry contradicts a code when it names another venue of the
//! table, or a venue without any word that belongs to the code.
//!
//! **Source**: the DOIs themselves; <https://aclanthology.org/info/ids/> for the Anthology's letters

use aris_contract::ids::Doi;

use super::{Fact, FactKind, fact, venue, year};
use crate::bib::{Field, Resolved};
use crate::tables::{row, table, words};
use crate::titles::normalise;

/// The venue and year of a suffix.
struct Code {
    venue: &'static str,
    year: Option<u16>,
}

/// Compares venue and year with the DOI's code. Returns whether the venue is wrong or could be compared.
pub(super) fn check(entry: &Resolved<'_>, field: &Field, doi: &Doi, found: &mut Vec<Fact>) -> bool {
    let Some(code) = read(doi) else { return false };
    if let Some(named) = venue(entry)
        && contradicts(code.venue, &normalise(&named.text))
    {
        let message = format!(
            "DOI {doi} belongs to {}, but the entry names `{}`",
            code.venue.to_uppercase(),
            named.text
        );
        found.push(fact(FactKind::DoiVenueMismatch, field, message));
        return true;
    }
    if let (Some(theirs), Some((ours, _))) = (code.year, year(entry))
        && theirs != ours
    {
        let message = format!("DOI {doi} belongs to {theirs}, but the entry gives the year {ours}");
        found.push(fact(FactKind::DoiYearMismatch, field, message));
    }
    true
}

fn contradicts(code: &str, named: &str) -> bool {
    let padded = format!(" {named} ");
    let has = |word: &str| padded.contains(&format!(" {word} "));
    // Preprints and workshops of a venue have many names; only clear contradictions count.
    if named.is_empty() || has("arxiv") || has("corr") || has(code) {
        return false;
    }
    let any = |words: &[&str]| words.iter().any(|word| has(word));
    let mut others = table("venue codes").iter().map(|(other, _)| *other);
    others.any(|other| other != code && has(other))
        || any(words("venues without codes"))
        || !any(row("venue codes", code))
}

/// Reads the code from a suffix.
fn read(doi: &Doi) -> Option<Code> {
    let suffix = doi.folded().split_once('/')?.1;
    match doi.prefix() {
        "10.1109" => ieee(suffix),
        "10.1609" => {
            let volume = suffix
                .strip_prefix("aaai.v")?
                .split_once('i')?
                .0
                .parse::<u16>()
                .ok()?;
            // Volume 33 was in 2019; earlier DOIs have the same form and follow the same rule.
            (30..=99).contains(&volume).then_some(Code {
                venue: "aaai",
                year: Some(volume + 1986),
            })
        }
        "10.24963" => {
            let year = suffix.strip_prefix("ijcai.")?.split('/').next()?;
            Some(Code {
                venue: "ijcai",
                year: Some(four_digits(year)?),
            })
        }
        "10.18653" => anthology(suffix.strip_prefix("v1/")?),
        "10.21105" => suffix.starts_with("joss.").then_some(Code {
            venue: "joss",
            year: None,
        }),
        _ => None,
    }
}

/// Reads `cvpr52729.2023.00373`, `cvpr.2019.00528`, `iccvw54120.2021.00001`.
fn ieee(suffix: &str) -> Option<Code> {
    let mut parts = suffix.split('.');
    let head = parts.next()?;
    let year = four_digits(parts.next()?)?;
    let number = parts.next()?;
    let letters = head.trim_end_matches(|c: char| c.is_ascii_digit());
    let name = letters.strip_suffix('w').unwrap_or(letters);
    let venue = with_word(name, "ieee")?;
    (parts.next().is_none() && number.bytes().all(|b| b.is_ascii_digit())).then_some(Code {
        venue,
        year: Some(year),
    })
}

/// The code, if this word belongs to its venue's name.
fn with_word(code: &str, word: &str) -> Option<&'static str> {
    let mut venues = table("venue codes").iter();
    venues.find_map(|(known, words)| (*known == code && words.contains(&word)).then_some(*known))
}

/// Reads `2023.acl-long.1`, `n19-1357`. `2021.findings-emnlp.3` gives no code: Findings is a venue of its own.
fn anthology(id: &str) -> Option<Code> {
    if let Some((year, rest)) = id.split_once('.') {
        let volume = rest.split('.').next()?;
        let venue = volume.split('-').next()?;
        return Some(Code {
            venue: with_word(venue, "linguistics")?,
            year: Some(four_digits(year)?),
        });
    }
    let venue = match id.as_bytes().first()? {
        b'p' => "acl",
        b'n' => "naacl",
        b'd' => "emnlp",
        b'e' => "eacl",
        b'k' => "conll",
        _ => return None,
    };
    let digits = id.get(1..3)?.parse::<u16>().ok()?;
    // Old identifiers have DOIs only from 2012 to 2020.
    ((10..=20).contains(&digits) && id.as_bytes().get(3) == Some(&b'-')).then_some(Code {
        venue,
        year: Some(2000 + digits),
    })
}

fn four_digits(text: &str) -> Option<u16> {
    (text.len() == 4 && text.bytes().all(|b| b.is_ascii_digit()))
        .then(|| text.parse().ok())
        .flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::tests::kinds;

    #[test]
    fn codes_against_venue_and_year() {
        let cases: [(&str, &str, u16, &[&str]); 22] = [
            ("10.1109/CVPR52729.2023.00373", "CVPR", 2023, &[]),
            (
                "10.1109/CVPR52729.2023.00373",
                "Proc. IEEE Conf. Comp. Vis. Patt. Recog.",
                2023,
                &[],
            ),
            (
                "10.1109/CVPR52729.2023.00373",
                "ICML",
                2023,
                &["doi_venue_mismatch"],
            ),
            (
                "10.1109/CVPR52729.2023.00373",
                "Conference on Reward Learning",
                2023,
                &["doi_venue_mismatch"],
            ),
            (
                "10.1109/CVPR.2019.00528",
                "CVPR",
                2022,
                &["doi_year_mismatch"],
            ),
            ("10.1109/CVPRW53098.2021.00001", "CVPR Workshops", 2021, &[]),
            (
                "10.1109/ICCV48922.2021.00001",
                "CVPR",
                2021,
                &["doi_venue_mismatch"],
            ),
            ("10.1109/TPAMI.2021.3054719", "CVPR", 2020, &[]),
            ("10.1109/MIC.2008.67", "IEEE Internet Computing", 2009, &[]),
            ("10.1609/AAAI.V36I11.21484", "AAAI", 2022, &[]),
            (
                "10.1609/aaai.v36i11.21484",
                "Proceedings of the AAAI Conference on Artificial Intelligence",
                2022,
                &[],
            ),
            (
                "10.1609/aaai.v36i11.21484",
                "CVPR",
                2022,
                &["doi_venue_mismatch"],
            ),
            (
                "10.1609/aaai.v36i11.21484",
                "AAAI",
                2020,
                &["doi_year_mismatch"],
            ),
            ("10.24963/ijcai.2021/123", "IJCAI", 2021, &[]),
            (
                "10.24963/ijcai.2021/123",
                "ICLR",
                2021,
                &["doi_venue_mismatch"],
            ),
            ("10.18653/v1/N19-1357", "NAACL", 2019, &[]),
            (
                "10.18653/v1/N19-1357",
                "NAACL",
                2023,
                &["doi_year_mismatch"],
            ),
            (
                "10.18653/v1/2023.acl-long.1",
                "Annual Meeting of the Association for Computational Linguistics",
                2023,
                &[],
            ),
            (
                "10.18653/v1/2023.acl-long.1",
                "ICLR",
                2023,
                &["doi_venue_mismatch"],
            ),
            (
                "10.18653/v1/2023.findings-acl.1",
                "Findings of ACL",
                2022,
                &[],
            ),
            (
                "10.21105/joss.01234",
                "Journal of Open Source Software",
                2019,
                &[],
            ),
            (
                "10.21105/joss.01234",
                "Nature",
                2019,
                &["doi_venue_mismatch"],
            ),
        ];
        for (doi, venue, year, ids) in cases {
            let text =
                format!("@article{{k, journal = {{{venue}}}, year = {year}, doi = {{{doi}}}}}");
            assert_eq!(kinds(&text), ids, "{text}");
        }
    }

    #[test]
    fn every_code_is_a_word_of_its_venue() {
        for (code, words) in table("venue codes") {
            assert!(words.contains(code), "{code}");
        }
    }
}
