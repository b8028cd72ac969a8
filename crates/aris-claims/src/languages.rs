//! Names of languages and the codes under which results keep them.
//!
//! **Source**: ISO 639-1 and 639-3, as used by FLORES, WMT, XTREME and Common Voice; languages that appear in these.

const LANGUAGES: &[(&str, &[&str])] = &[
    ("afrikaans", &["af", "afr"]),
    ("amharic", &["am", "amh"]),
    ("arabic", &["ar", "ara", "arb"]),
    ("assamese", &["as", "asm"]),
    ("basque", &["eu", "eus"]),
    ("bengali", &["bn", "ben"]),
    ("bulgarian", &["bg", "bul"]),
    ("burmese", &["my", "mya"]),
    ("catalan", &["ca", "cat"]),
    ("chinese", &["zh", "zho", "cmn"]),
    ("croatian", &["hr", "hrv"]),
    ("czech", &["cs", "ces"]),
    ("danish", &["da", "dan"]),
    ("dutch", &["nl", "nld"]),
    ("english", &["en", "eng"]),
    ("estonian", &["et", "est"]),
    ("finnish", &["fi", "fin"]),
    ("french", &["fr", "fra"]),
    ("german", &["de", "deu"]),
    ("greek", &["el", "ell"]),
    ("gujarati", &["gu", "guj"]),
    ("hausa", &["ha", "hau"]),
    ("hebrew", &["he", "heb"]),
    ("hindi", &["hi", "hin"]),
    ("hungarian", &["hu", "hun"]),
    ("icelandic", &["is", "isl"]),
    ("igbo", &["ig", "ibo"]),
    ("indonesian", &["id", "ind"]),
    ("irish", &["ga", "gle"]),
    ("italian", &["it", "ita"]),
    ("japanese", &["ja", "jpn"]),
    ("kazakh", &["kk", "kaz"]),
    ("khmer", &["km", "khm"]),
    ("kinyarwanda", &["rw", "kin"]),
    ("korean", &["ko", "kor"]),
    ("latvian", &["lv", "lav", "lvs"]),
    ("lithuanian", &["lt", "lit"]),
    ("luganda", &["lg", "lug"]),
    ("malay", &["ms", "msa", "zsm"]),
    ("malayalam", &["ml", "mal"]),
    ("maltese", &["mt", "mlt"]),
    ("marathi", &["mr", "mar"]),
    ("mongolian", &["mn", "mon"]),
    ("nepali", &["ne", "nep", "npi"]),
    ("norwegian", &["no", "nor", "nob"]),
    ("pashto", &["ps", "pus", "pbt"]),
    ("persian", &["fa", "fas", "pes"]),
    ("polish", &["pl", "pol"]),
    ("portuguese", &["pt", "por"]),
    ("punjabi", &["pa", "pan"]),
    ("romanian", &["ro", "ron"]),
    ("russian", &["ru", "rus"]),
    ("serbian", &["sr", "srp"]),
    ("sinhala", &["si", "sin"]),
    ("slovak", &["sk", "slk"]),
    ("slovenian", &["sl", "slv"]),
    ("somali", &["so", "som"]),
    ("spanish", &["es", "spa"]),
    ("swahili", &["sw", "swa", "swh"]),
    ("swedish", &["sv", "swe"]),
    ("tamil", &["ta", "tam"]),
    ("telugu", &["te", "tel"]),
    ("thai", &["th", "tha"]),
    ("turkish", &["tr", "tur"]),
    ("ukrainian", &["uk", "ukr"]),
    ("urdu", &["ur", "urd"]),
    ("uzbek", &["uz", "uzb", "uzn"]),
    ("vietnamese", &["vi", "vie"]),
    ("welsh", &["cy", "cym"]),
    ("wolof", &["wo", "wol"]),
    ("xhosa", &["xh", "xho"]),
    ("yoruba", &["yo", "yor"]),
    ("yorùbá", &["yo", "yor"]),
    ("zulu", &["zu", "zul"]),
];

/// The codes of a language; the name in lower case.
pub(crate) fn codes(name: &str) -> &'static [&'static str] {
    LANGUAGES
        .binary_search_by(|(known, _)| (*known).cmp(name))
        .ok()
        .and_then(|at| LANGUAGES.get(at))
        .map_or(&[], |(_, codes)| codes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted_and_answers() {
        assert!(LANGUAGES.is_sorted_by(|a, b| a.0 < b.0));
        assert_eq!(codes("swahili"), ["sw", "swa", "swh"]);
        assert!(codes("klingon").is_empty());
    }
}
