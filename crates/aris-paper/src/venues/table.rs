//! Venues that many papers cite.

use Held::{Journal, Meeting};

/// What a venue is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Held {
    /// A conference, whose papers stand in proceedings.
    Meeting,
    /// A journal.
    Journal,
}

/// A venue: a code of its own, what it is, and ways (normal form, whole words) to name it.
pub(super) type Venue = (&'static str, Held, &'static [&'static str]);

/// **Source**: the venues' own names and their abbreviations in DBLP and Semantic Scholar.
pub(super) const VENUES: [Venue; 71] = [
    ("aaai", Meeting, &["aaai"]),
    (
        "accv",
        Meeting,
        &["accv", "asian conference on computer vision"],
    ),
    (
        "acl",
        Meeting,
        &[
            "acl",
            "annual meeting of the association for computational linguistics",
        ],
    ),
    (
        "aistats",
        Meeting,
        &["aistats", "artificial intelligence and statistics"],
    ),
    ("alt", Meeting, &["algorithmic learning theory"]),
    (
        "bmvc",
        Meeting,
        &["bmvc", "british machine vision conference"],
    ),
    ("chi", Meeting, &["human factors in computing systems"]),
    (
        "cikm",
        Meeting,
        &["cikm", "information and knowledge management"],
    ),
    (
        "coling",
        Meeting,
        &[
            "coling",
            "international conference on computational linguistics",
        ],
    ),
    (
        "colt",
        Meeting,
        &[
            "colt",
            "conference on learning theory",
            "computational learning theory",
        ],
    ),
    (
        "conll",
        Meeting,
        &["conll", "computational natural language learning"],
    ),
    ("corl", Meeting, &["corl", "conference on robot learning"]),
    (
        "cvpr",
        Meeting,
        &["cvpr", "computer vision and pattern recognition"],
    ),
    ("dac", Meeting, &["design automation conference"]),
    (
        "eacl",
        Meeting,
        &[
            "eacl",
            "european chapter of the association for computational linguistics",
        ],
    ),
    (
        "ecai",
        Meeting,
        &["ecai", "european conference on artificial intelligence"],
    ),
    (
        "eccv",
        Meeting,
        &["eccv", "european conference on computer vision"],
    ),
    (
        "ecml",
        Meeting,
        &["ecml", "pkdd", "european conference on machine learning"],
    ),
    (
        "emnlp",
        Meeting,
        &["emnlp", "empirical methods in natural language processing"],
    ),
    (
        "focs",
        Meeting,
        &["focs", "foundations of computer science"],
    ),
    (
        "icassp",
        Meeting,
        &["icassp", "acoustics speech and signal processing"],
    ),
    (
        "iccv",
        Meeting,
        &["iccv", "international conference on computer vision"],
    ),
    (
        "icdm",
        Meeting,
        &["icdm", "international conference on data mining"],
    ),
    (
        "icip",
        Meeting,
        &["icip", "international conference on image processing"],
    ),
    ("iclr", Meeting, &["iclr", "learning representations"]),
    (
        "icml",
        Meeting,
        &["icml", "international conference on machine learning"],
    ),
    (
        "icpr",
        Meeting,
        &["icpr", "international conference on pattern recognition"],
    ),
    (
        "icra",
        Meeting,
        &[
            "icra",
            "international conference on robotics and automation",
        ],
    ),
    (
        "icse",
        Meeting,
        &["icse", "international conference on software engineering"],
    ),
    (
        "ijcai",
        Meeting,
        &[
            "ijcai",
            "international joint conference on artificial intelligence",
        ],
    ),
    (
        "ijcv",
        Journal,
        &[
            "ijcv",
            "international journal of computer vision",
            "int j comput vis",
        ],
    ),
    (
        "infocom",
        Meeting,
        &[
            "infocom",
            "international conference on computer communications",
        ],
    ),
    ("interspeech", Meeting, &["interspeech"]),
    ("iros", Meeting, &["iros", "intelligent robots and systems"]),
    (
        "isca",
        Meeting,
        &["isca", "international symposium on computer architecture"],
    ),
    (
        "jair",
        Journal,
        &["jair", "journal of artificial intelligence research"],
    ),
    (
        "jasa",
        Journal,
        &["journal of the american statistical association"],
    ),
    (
        "jmlr",
        Journal,
        &[
            "jmlr",
            "journal of machine learning research",
            "j mach learn res",
        ],
    ),
    (
        "kdd",
        Meeting,
        &["kdd", "knowledge discovery and data mining"],
    ),
    (
        "lrec",
        Meeting,
        &[
            "lrec",
            "language resources and evaluation conference",
            "international conference on language resources and evaluation",
        ],
    ),
    (
        "miccai",
        Meeting,
        &[
            "miccai",
            "medical image computing and computer assisted intervention",
        ],
    ),
    ("mlsys", Meeting, &["mlsys", "machine learning and systems"]),
    (
        "naacl",
        Meeting,
        &[
            "naacl",
            "north american chapter of the association for computational linguistics",
        ],
    ),
    ("nejm", Journal, &["new england journal of medicine"]),
    (
        "neurips",
        Meeting,
        &["neurips", "nips", "neural information processing systems"],
    ),
    (
        "nsdi",
        Meeting,
        &["nsdi", "networked systems design and implementation"],
    ),
    (
        "osdi",
        Meeting,
        &["osdi", "operating systems design and implementation"],
    ),
    (
        "pnas",
        Journal,
        &["pnas", "proceedings of the national academy of sciences"],
    ),
    ("ral", Journal, &["robotics and automation letters"]),
    ("recsys", Meeting, &["recsys", "recommender systems"]),
    ("rss", Meeting, &["robotics science and systems"]),
    (
        "siggraph",
        Meeting,
        &["siggraph", "computer graphics and interactive techniques"],
    ),
    ("sigir", Meeting, &["sigir"]),
    ("sigmod", Meeting, &["sigmod", "management of data"]),
    (
        "soda",
        Meeting,
        &["soda", "symposium on discrete algorithms"],
    ),
    ("sosp", Meeting, &["sosp", "operating systems principles"]),
    (
        "stoc",
        Meeting,
        &[
            "stoc",
            "symposium on theory of computing",
            "theory of computing",
        ],
    ),
    (
        "tacl",
        Journal,
        &[
            "tacl",
            "transactions of the association for computational linguistics",
        ],
    ),
    ("tip", Journal, &["transactions on image processing"]),
    (
        "tkde",
        Journal,
        &["transactions on knowledge and data engineering"],
    ),
    (
        "tmlr",
        Journal,
        &[
            "tmlr",
            "transactions on machine learning research",
            "trans mach learn res",
        ],
    ),
    (
        "tnnls",
        Journal,
        &[
            "tnnls",
            "transactions on neural networks and learning systems",
        ],
    ),
    (
        "tog",
        Journal,
        &["tog", "transactions on graphics", "acm trans graph"],
    ),
    (
        "tpami",
        Journal,
        &[
            "tpami",
            "transactions on pattern analysis and machine intelligence",
        ],
    ),
    ("tro", Journal, &["transactions on robotics"]),
    (
        "uai",
        Meeting,
        &["uai", "uncertainty in artificial intelligence"],
    ),
    (
        "usenix atc",
        Meeting,
        &["usenix annual technical conference"],
    ),
    ("vldb", Meeting, &["vldb", "very large data bases"]),
    (
        "wacv",
        Meeting,
        &[
            "wacv",
            "winter conference on applications of computer vision",
        ],
    ),
    ("wsdm", Meeting, &["wsdm", "web search and data mining"]),
    (
        "www",
        Meeting,
        &["www", "world wide web", "the web conference"],
    ),
];
