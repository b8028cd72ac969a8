//! Whether a paper declares that its numbers have decimal commas.

use std::sync::LazyLock;

use aris_latex::Document;
use regex::Regex;

use crate::number::compiled;

/// Languages of babel and polyglossia with decimal commas.
const LANGUAGES: &str = "german ngerman austrian naustrian swissgerman nswissgerman french spanish italian portuguese brazilian \
    portuges brazil dutch danish swedish norsk nynorsk norwegian finnish polish czech slovak russian ukrainian turkish catalan \
    romanian hungarian greek";

/// Languages with decimal points, which a paper may name as well.
const OTHERS: &str =
    "english american british usenglish ukenglish UKenglish USenglish canadian australian";

/// Places where a preamble names its languages: options of the class and of babel, the main language of babel or polyglossia, the
/// old packages `german` and `ngerman`.
static NAMED: LazyLock<Regex> = LazyLock::new(|| {
    compiled(
        r"\\(?<class>documentclass)\s*\[(?<all>[^\]]*)\]|\\usepackage\s*(?:\[(?<options>[^\]]*)\])?\s*\{babel\}|(?:\\set(?:default|main)language\s*(?:\[[^\]]*\])?|\\babelprovide\s*\[[^\]]*\bmain\b[^\]]*\])\{(?<main>\w+)\}|\\usepackage\s*\{(?<package>n?german)\}",
    )
});

/// Settings that make siunitx print decimal commas.
static COMMAS: LazyLock<Regex> =
    LazyLock::new(|| compiled(r"output-decimal-marker\s*=\s*\{?,|locale\s*=\s*(?:DE|FR|ZA|ES)"));

/// Whether the root document declares decimal commas, by its main language or by siunitx. The main language of babel is the one in
/// `main=`, else its last option.
pub(super) fn has_commas(document: &Document) -> bool {
    let root = document.files.first().map_or("", |file| &*file.text);
    let preamble = root.split("\\begin{document}").next().unwrap_or("");
    let lines = preamble.lines();
    let lines = lines.map(|line| line.split_once('%').map_or(line, |(line, _)| line));
    let preamble: Vec<&str> = lines.collect();
    let preamble = preamble.join("\n");
    let known = |list: &str, word: &str| list.split_whitespace().any(|known| known == word);
    let main_of = |options: &str| {
        let mut options = options.split(',').map(str::trim);
        let called = options
            .clone()
            .find_map(|option| option.strip_prefix("main="));
        let last = options.rfind(|word| known(LANGUAGES, word) || known(OTHERS, word));
        called.or(last).map(|language| known(LANGUAGES, language))
    };
    let (mut of_class, mut main) = (None, None);
    for named in NAMED.captures_iter(&preamble) {
        let text = |name| named.name(name).map_or("", |found| found.as_str());
        if named.name("class").is_some() {
            of_class = main_of(text("all"));
        } else if let Some(language) = named.name("main").or(named.name("package")) {
            main = Some(known(LANGUAGES, language.as_str()));
        } else {
            // babel also sees the options of the class.
            main = main_of(text("options")).or(of_class);
        }
    }
    main == Some(true) || COMMAS.is_match(&preamble)
}
