//! Identifiers of papers at Semantic Scholar.

use aris_contract::ids::{ArxivId, Doi};

use crate::Error;

/// The identifier in the form that the interface accepts: bare DOIs and arXiv identifiers get a prefix.
pub(crate) fn name(text: &str) -> Result<String, Error> {
    let text = text.trim();
    let kind = text
        .split_once(':')
        .map(|(kind, _)| kind.to_ascii_uppercase());
    if let Some(kind) = kind
        && ["CORPUSID", "MAG", "ACL", "PMID", "PMCID", "DBLP", "URL"].contains(&kind.as_str())
    {
        return Ok(text.to_owned());
    }
    if let Ok(id) = ArxivId::parse(text) {
        return Ok(format!("ARXIV:{}", id.without_version()));
    }
    if let Ok(doi) = Doi::parse(text) {
        return Ok(format!("DOI:{}", doi.as_str()));
    }
    let hash = text.len() == 40 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    if hash {
        Ok(text.to_owned())
    } else {
        Err(Error::usage(
            format!("{text:?} is not an identifier of a paper"),
            "give a DOI, an arXiv identifier, or one with its kind such as CorpusId:219792180; to find a title: semantic_scholar_fetch match",
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_get_their_kind() {
        for (text, wanted) in [
            ("10.1109/JSAC.2021.3126077", "DOI:10.1109/JSAC.2021.3126077"),
            (
                "DOI:10.1093/mind/LIX.236.433",
                "DOI:10.1093/mind/LIX.236.433",
            ),
            ("ARXIV:2006.10685", "ARXIV:2006.10685"),
            ("2006.10685v2", "ARXIV:2006.10685"),
            ("https://arxiv.org/abs/cs/0601001", "ARXIV:cs/0601001"),
            ("CorpusId:219792180", "CorpusId:219792180"),
            ("pmid:19872477", "pmid:19872477"),
            (
                "f9314fd99be5f2b1b3efcfab87197d578160d553",
                "f9314fd99be5f2b1b3efcfab87197d578160d553",
            ),
        ] {
            assert_eq!(name(text).expect("a name"), wanted, "{text}");
        }
        for bad in ["", "attention is all you need", "2413.00001", "../author/1"] {
            assert!(name(bad).is_err(), "{bad}");
        }
    }
}
