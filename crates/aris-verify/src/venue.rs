//! Whether two names of a venue can mean the same.
//!
//! **Source**: the venues' own names and their abbreviations in DBLP and Semantic Scholar.

use aris_paper::titles;

/// What the comparison gave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum VenueMatch {
    /// One venue.
    Same,
    /// Two venues.
    Different,
    /// Cannot be told.
    Unknown,
}

/// Ways (normal form, whole words) to name a venue, under a code of its own.
const NAMES: [(&str, &[&str]); 48] = [
    ("aaai", &["aaai"]),
    ("accv", &["accv", "asian conference on computer vision"]),
    (
        "acl",
        &[
            "acl",
            "annual meeting of the association for computational linguistics",
        ],
    ),
    (
        "aistats",
        &["aistats", "artificial intelligence and statistics"],
    ),
    ("bmvc", &["bmvc", "british machine vision conference"]),
    ("chi", &["human factors in computing systems"]),
    ("cikm", &["cikm", "information and knowledge management"]),
    (
        "colt",
        &[
            "colt",
            "conference on learning theory",
            "computational learning theory",
        ],
    ),
    ("corl", &["corl", "conference on robot learning"]),
    ("cvpr", &["cvpr", "computer vision and pattern recognition"]),
    (
        "eacl",
        &[
            "eacl",
            "european chapter of the association for computational linguistics",
        ],
    ),
    ("eccv", &["eccv", "european conference on computer vision"]),
    (
        "emnlp",
        &["emnlp", "empirical methods in natural language processing"],
    ),
    ("focs", &["focs", "foundations of computer science"]),
    (
        "icassp",
        &["icassp", "acoustics speech and signal processing"],
    ),
    (
        "iccv",
        &["iccv", "international conference on computer vision"],
    ),
    ("iclr", &["iclr", "learning representations"]),
    (
        "icml",
        &["icml", "international conference on machine learning"],
    ),
    (
        "icra",
        &[
            "icra",
            "international conference on robotics and automation",
        ],
    ),
    (
        "icse",
        &["icse", "international conference on software engineering"],
    ),
    (
        "ijcai",
        &[
            "ijcai",
            "international joint conference on artificial intelligence",
        ],
    ),
    (
        "ijcv",
        &[
            "ijcv",
            "international journal of computer vision",
            "int j comput vis",
        ],
    ),
    ("interspeech", &["interspeech"]),
    ("iros", &["iros", "intelligent robots and systems"]),
    (
        "jmlr",
        &[
            "jmlr",
            "journal of machine learning research",
            "j mach learn res",
        ],
    ),
    ("kdd", &["kdd", "knowledge discovery and data mining"]),
    (
        "miccai",
        &[
            "miccai",
            "medical image computing and computer assisted intervention",
        ],
    ),
    ("mlsys", &["mlsys", "machine learning and systems"]),
    (
        "naacl",
        &[
            "naacl",
            "north american chapter of the association for computational linguistics",
        ],
    ),
    (
        "neurips",
        &["neurips", "nips", "neural information processing systems"],
    ),
    (
        "osdi",
        &["osdi", "operating systems design and implementation"],
    ),
    ("recsys", &["recsys", "recommender systems"]),
    ("sigir", &["sigir"]),
    (
        "siggraph",
        &["siggraph", "computer graphics and interactive techniques"],
    ),
    ("sigmod", &["sigmod", "management of data"]),
    ("soda", &["soda", "symposium on discrete algorithms"]),
    ("sosp", &["sosp", "operating systems principles"]),
    (
        "stoc",
        &[
            "stoc",
            "symposium on theory of computing",
            "theory of computing",
        ],
    ),
    (
        "tacl",
        &[
            "tacl",
            "transactions of the association for computational linguistics",
        ],
    ),
    (
        "tmlr",
        &[
            "tmlr",
            "transactions on machine learning research",
            "trans mach learn res",
        ],
    ),
    (
        "tnnls",
        &[
            "tnnls",
            "transactions on neural networks and learning systems",
        ],
    ),
    (
        "tog",
        &["tog", "transactions on graphics", "acm trans graph"],
    ),
    (
        "tpami",
        &[
            "tpami",
            "transactions on pattern analysis and machine intelligence",
        ],
    ),
    ("uai", &["uai", "uncertainty in artificial intelligence"]),
    ("vldb", &["vldb", "very large data bases"]),
    (
        "wacv",
        &[
            "wacv",
            "winter conference on applications of computer vision",
        ],
    ),
    ("wsdm", &["wsdm", "web search and data mining"]),
    ("www", &["www", "world wide web", "the web conference"]),
];

/// Words that many venues share, or that say nothing of which one it is.
const COMMON: [&str; 48] = [
    "acm",
    "advances",
    "and",
    "annual",
    "applied",
    "chapter",
    "computer",
    "conf",
    "conference",
    "edition",
    "eighth",
    "eleventh",
    "fifth",
    "first",
    "for",
    "fourteenth",
    "fourth",
    "from",
    "ieee",
    "cvf",
    "inc",
    "int",
    "international",
    "journal",
    "lecture",
    "letters",
    "meeting",
    "ninth",
    "notes",
    "of",
    "on",
    "part",
    "press",
    "proc",
    "proceedings",
    "review",
    "science",
    "second",
    "series",
    "seventh",
    "sixth",
    "studies",
    "symposium",
    "the",
    "third",
    "trans",
    "transactions",
    "vol",
];

/// Whether the name stands for a preprint server.
pub(crate) fn is_preprint(name: &str) -> bool {
    let normal = format!(" {} ", titles::normalise(name));
    [
        "arxiv",
        "corr",
        "preprint",
        "biorxiv",
        "medrxiv",
        "ssrn",
        "openreview",
    ]
    .iter()
    .any(|word| normal.contains(&format!(" {word} ")))
}

/// Whether the name is one of the venues of the table.
pub(crate) fn is_known(name: &str) -> bool {
    !codes(&titles::normalise(name)).is_empty()
}

/// Compares two names of venues.
pub(crate) fn compare(cited: &str, theirs: &str) -> VenueMatch {
    let (a, b) = (titles::normalise(cited), titles::normalise(theirs));
    if a.is_empty() || b.is_empty() {
        return VenueMatch::Unknown;
    }
    // A workshop is named after its conference, findings after the meeting.
    let beside = ["workshop", "workshops", "findings", "companion", "track"];
    if beside.iter().any(|word| has(&a, word) || has(&b, word)) {
        return VenueMatch::Unknown;
    }
    if a == b {
        return VenueMatch::Same;
    }
    let (codes_a, codes_b) = (codes(&a), codes(&b));
    if !codes_a.is_empty() && !codes_b.is_empty() {
        return if codes_a.iter().any(|code| codes_b.contains(code)) {
            VenueMatch::Same
        } else {
            VenueMatch::Different
        };
    }
    let (words_a, words_b) = (words(&a), words(&b));
    if words_a.is_empty() || words_b.is_empty() {
        return VenueMatch::Unknown;
    }
    let shared = words_a
        .iter()
        .filter(|one| words_b.iter().any(|two| begins(one, two)))
        .count();
    if shared * 2 >= words_a.len().min(words_b.len()) && shared > 0 {
        VenueMatch::Same
    } else if shared == 0 && !is_initials(&a, &b) && !is_initials(&b, &a) {
        VenueMatch::Different
    } else {
        VenueMatch::Unknown
    }
}

fn codes(normal: &str) -> Vec<&'static str> {
    NAMES
        .iter()
        .filter(|(_, names)| names.iter().any(|name| has(normal, name)))
        .map(|(code, _)| *code)
        .collect()
}

fn has(normal: &str, words: &str) -> bool {
    format!(" {normal} ").contains(&format!(" {words} "))
}

fn words(normal: &str) -> Vec<&str> {
    normal
        .split(' ')
        .filter(|word| {
            word.len() >= 3 && !COMMON.contains(word) && !word.bytes().all(|b| b.is_ascii_digit())
        })
        .collect()
}

/// Whether one word begins the other, as abbreviations do.
fn begins(one: &str, two: &str) -> bool {
    let short = one.len().min(two.len());
    short >= 3 && (one.starts_with(two) || two.starts_with(one))
}

/// Whether a name holds the initials of the other: `PNAS`, `TPAMI`.
fn is_initials(short: &str, long: &str) -> bool {
    let initials: String = long
        .split(' ')
        .filter(|word| !matches!(*word, "of" | "the" | "and" | "on" | "for" | "in"))
        .filter_map(|word| word.chars().next())
        .collect();
    initials.chars().count() >= 3
        && short.split(' ').any(|word| {
            word.chars().count() >= 3 && (initials.contains(word) || word.contains(&initials))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn venues() {
        use VenueMatch::{Different, Same, Unknown};
        let cases = [
            ("CVPR", "Computer Vision and Pattern Recognition", Same),
            (
                "Proceedings of the 36th International Conference on Machine Learning",
                "ICML",
                Same,
            ),
            (
                "NeurIPS",
                "Advances in Neural Information Processing Systems 30",
                Same,
            ),
            ("ICML", "Neural Information Processing Systems", Different),
            (
                "IEEE Trans. Biomed. Eng.",
                "IEEE Transactions on Biomedical Engineering",
                Same,
            ),
            (
                "Mathematics of Control, Signals and Systems",
                "Math. Control. Signals Syst.",
                Same,
            ),
            (
                "PNAS",
                "Proceedings of the National Academy of Sciences",
                Unknown,
            ),
            (
                "Journal of Impossible Reference Checking",
                "Neural Information Processing Systems",
                Different,
            ),
            ("ICCV Workshops", "CVPR", Unknown),
            (
                "International Conference on Computer Vision",
                "European Conference on Computer Vision",
                Different,
            ),
            ("", "ICML", Unknown),
        ];
        for (one, two, wanted) in cases {
            assert_eq!(compare(one, two), wanted, "{one} / {two}");
            assert_eq!(compare(two, one), wanted, "{two} / {one}");
        }
        assert!(is_preprint("arXiv preprint arXiv:1706.03762") && !is_preprint("Nature"));
    }
}
