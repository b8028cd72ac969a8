//! References in real papers that are wrong as published. Each was flagged and then compared with the recorded answers by a person.
//! These are faults of the papers' authors, so flagging them is no false alarm.

/// The reference, and what is wrong with it.
pub(crate) const WRONG: [(&str, &str); 28] = [
    (
        "openreview_0FhrtdKLtD#0",
        "arXiv:2401.12168 is SpatialVLM, not a system card",
    ),
    (
        "openreview_0FhrtdKLtD#7",
        "by Yang Liu and others; none of the cited people",
    ),
    (
        "openreview_0FhrtdKLtD#16",
        "the second author is not Jie Wang",
    ),
    (
        "openreview_0FhrtdKLtD#18",
        "both records say 360-degree view synthesis",
    ),
    (
        "openreview_0FhrtdKLtD#51",
        "by Wangbo Yu and others; none of the cited people",
    ),
    (
        "openreview_5vdw8Qmrre#3",
        "given and family names mixed up; the second author is Jimmy Ba",
    ),
    ("openreview_5vdw8Qmrre#14", "a misspelt title: sepcific"),
    ("openreview_5vdw8Qmrre#40", "a misspelt title: Splines"),
    (
        "openreview_H8tismBT3Q#4",
        "the first author is Justin, not John",
    ),
    (
        "openreview_H8tismBT3Q#24",
        "arXiv:2311.08719 is another paper",
    ),
    (
        "openreview_H8tismBT3Q#30",
        "arXiv:2404.02285 is another paper",
    ),
    (
        "openreview_H8tismBT3Q#32",
        "four of five authors are not those of the record",
    ),
    (
        "openreview_H8tismBT3Q#36",
        "words in the title that the work does not have",
    ),
    (
        "openreview_H8tismBT3Q#42",
        "arXiv:2304.02285 is another paper",
    ),
    (
        "openreview_H8tismBT3Q#82",
        "arXiv:2406.13163 is another paper",
    ),
    (
        "openreview_H8tismBT3Q#86",
        "by Ningyu Zhang and others; none of the cited people",
    ),
    (
        "openreview_ioYdy7aghG#14",
        "five of eight authors left out without a word",
    ),
    (
        "openreview_ioYdy7aghG#19",
        "the first author is Yury, not Vadim",
    ),
    (
        "openreview_ioYdy7aghG#23",
        "arXiv:2309.00722 is another paper",
    ),
    ("openreview_ioYdy7aghG#36", "the records name other people"),
    (
        "openreview_ioYdy7aghG#41",
        "arXiv:2305.00029 is another paper",
    ),
    (
        "openreview_ioYdy7aghG#54",
        "arXiv:2402.01234 is another paper",
    ),
    (
        "openreview_lfsjVdi72l#54",
        "arXiv:2310.06682 is another paper",
    ),
    (
        "openreview_lfsjVdi72l#59",
        "arXiv:2210.01152 is another paper, and the title is by other people",
    ),
    (
        "openreview_nspzrcvzcB#12",
        "the title is by Yufan Liu and others; none of the cited people",
    ),
    (
        "openreview_nspzrcvzcB#21",
        "the title is by Zekun Wang and others; none of the cited people",
    ),
    (
        "openreview_nspzrcvzcB#28",
        "the title is by Lingjun Zhao and others; none of the cited people",
    ),
    (
        "openreview_nspzrcvzcB#68",
        "two of three cited people are not among the authors",
    ),
];
