//! Faults planted into real references, by kind: those of the HALLMARK benchmark that recorded answers can reveal.

use aris_contract::ids::Doi;

use crate::replay::{Cited, Replay};

/// One kind of fault.
pub(crate) struct Fault {
    pub(crate) name: &'static str,
    /// Makes a faulty reference from a correct one; `None` if this kind does not apply.
    pub(crate) apply: fn(&Cited, &Cited, &mut Replay) -> Option<Cited>,
}

pub(crate) const FAULTS: [Fault; 11] = [
    Fault {
        name: "swapped_authors",
        apply: |cited, other, _| {
            let strangers = !other
                .authors
                .iter()
                .any(|name| cited.authors.contains(name));
            (strangers && cited.authors.len() >= 2 && other.authors.len() >= 2).then(|| Cited {
                authors: other.authors.clone(),
                ..cited.clone()
            })
        },
    },
    Fault {
        name: "invented_coauthor",
        apply: |cited, other, _| {
            let stranger = other.authors.first()?.clone();
            (cited.authors.len() >= 2 && !cited.authors.contains(&stranger)).then(|| {
                let mut made = cited.clone();
                made.authors[1] = stranger;
                made
            })
        },
    },
    Fault {
        name: "partial_author_list",
        apply: |cited, _, _| {
            let whole = !cited
                .authors
                .iter()
                .any(|name| name.to_lowercase().contains("et al"));
            (whole && cited.authors.len() >= 3).then(|| Cited {
                authors: cited.authors[..cited.authors.len() / 2].to_vec(),
                ..cited.clone()
            })
        },
    },
    Fault {
        name: "near_miss_title",
        apply: |cited, _, replay| {
            let words: Vec<&str> = cited.title.split(' ').collect();
            let at = words.len() / 2;
            let changed = if words.get(at)?.eq_ignore_ascii_case("towards") {
                "for"
            } else {
                "towards"
            };
            let mut words = words;
            if words.len() < 5 {
                return None;
            }
            words[at] = changed;
            let title = words.join(" ");
            replay.alias(&title, &cited.title);
            Some(Cited {
                title,
                ..cited.clone()
            })
        },
    },
    Fault {
        name: "chimeric_title",
        apply: |cited, other, _| {
            // The identifier and authors of one work with the title of another.
            (!cited.url.is_empty() && cited.url.contains("arxiv") || !cited.doi.is_empty()).then(
                || Cited {
                    title: other.title.clone(),
                    ..cited.clone()
                },
            )
        },
    },
    Fault {
        name: "wrong_identifier",
        apply: |cited, other, replay| {
            let ids = replay.arxiv_ids();
            let at = other.title.len() % ids.len();
            let id = ids[at].clone();
            (!cited.url.contains(&id)).then(|| Cited {
                url: format!("https://arxiv.org/abs/{id}"),
                doi: String::new(),
                ..cited.clone()
            })
        },
    },
    Fault {
        name: "fabricated_doi",
        apply: |cited, other, replay| {
            let doi = format!("10.1016/j.fab.{}.{}", other.title.len(), cited.title.len());
            replay.denied.insert(Doi::parse(&doi).expect("a DOI"));
            Some(Cited {
                doi,
                ..cited.clone()
            })
        },
    },
    Fault {
        name: "wrong_venue",
        apply: |cited, _, _| {
            let folded = cited.venue.to_lowercase();
            let preprint = cited.venue.is_empty() || folded.contains("arxiv");
            let wrong = if folded.contains("robot") {
                "SIGMOD"
            } else {
                "International Conference on Robotics and Automation"
            };
            (!preprint).then(|| Cited {
                venue: wrong.to_owned(),
                ..cited.clone()
            })
        },
    },
    Fault {
        name: "preprint_as_published",
        apply: |cited, _, _| {
            cited.venue.to_lowercase().contains("arxiv").then(|| Cited {
                venue: String::from("International Conference on Machine Learning"),
                ..cited.clone()
            })
        },
    },
    Fault {
        name: "year_shifted",
        apply: |cited, _, _| {
            let year: u32 = cited.year.parse().ok()?;
            Some(Cited {
                year: (year - 4).to_string(),
                ..cited.clone()
            })
        },
    },
    Fault {
        name: "plausible_fabrication",
        apply: |cited, other, replay| {
            let half = |text: &str, second: bool| -> Vec<String> {
                let words: Vec<String> = text.split(' ').map(str::to_owned).collect();
                let middle = words.len() / 2;
                if second {
                    words[middle..].to_vec()
                } else {
                    words[..middle].to_vec()
                }
            };
            let mut words = half(&cited.title, false);
            words.append(&mut half(&other.title, true));
            let title = words.join(" ");
            let records = replay.some_records();
            let at = other.title.len() % records.len().max(1);
            let some: Vec<_> = records.iter().cycle().skip(at).take(5).cloned().collect();
            replay.deny(&title, &some);
            Some(Cited {
                title,
                url: String::new(),
                doi: String::new(),
                venue: String::from("International Conference on Machine Learning"),
                ..cited.clone()
            })
        },
    },
];
