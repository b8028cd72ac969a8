//! The class of a section, by its title.

use crate::feature::Feature;
use crate::prose::passage::before;
use crate::words;

/// Beginnings of words in titles, for each class. The first list with a match decides: "Experimental setup" is about methods.
const TITLES: [(Feature, &str); 6] = [
    (Feature::InBackMatter, "title in_back_matter"),
    (Feature::InDiscussion, "title in_discussion"),
    (Feature::InMethods, "title setup"),
    (Feature::InResults, "title in_results"),
    (Feature::InBackground, "title in_background"),
    (Feature::InMethods, "title in_methods"),
];

/// The class of a section; `None` when its title does not show it.
pub(crate) fn class(title: &str) -> Option<Feature> {
    let title = title.to_lowercase();
    let begins_a_word = |stem: &&str| {
        let mut places = title.match_indices(stem);
        places.any(|(at, _)| !before(&title, at).ends_with(char::is_alphabetic))
    };
    let told = |(_, list): &&(Feature, &str)| words::list(list).iter().any(begins_a_word);
    TITLES.iter().find(told).map(|(feature, _)| *feature)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_tell_what_sections_are_for() {
        for (title, expected) in [
            ("4. Results", Some(Feature::InResults)),
            ("Related work", Some(Feature::InBackground)),
            ("Materials and methods", Some(Feature::InMethods)),
            ("Experimental setup", Some(Feature::InMethods)),
            ("Abstract", Some(Feature::InDiscussion)),
            ("Acknowledgements", Some(Feature::InBackMatter)),
            ("Tail latency", None),
        ] {
            assert_eq!(class(title), expected, "{title}");
        }
    }
}
