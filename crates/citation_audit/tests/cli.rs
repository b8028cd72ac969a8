//! The program from outside: papers in, artifact and exit code out.
#![cfg(test)]
#![allow(
    clippy::disallowed_methods,
    reason = "tests prepare files and start the program directly"
)]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use aris_contract::schema::id;
use aris_testkit::{Project, assert_valid};
use serde_json::Value;

const SOUND: &str = "@article{knuth84, author = {Knuth, Donald E.}, title = {Literate Programming}, journal = {The \
                     Computer Journal}, year = 1984, volume = 27, pages = {97--111}, doi = {10.1093/comjnl/27.2.97}}\n";

/// File names and contents.
type Files<'a> = &'a [(&'a str, &'a [u8])];

/// A paper in a project of its own.
struct Paper {
    project: Project,
}

struct Answer {
    exit: i32,
    artifact: Value,
    output: Output,
}

impl Paper {
    fn new(files: &[(&str, &str)]) -> Self {
        let paper = Self {
            project: Project::new(),
        };
        fs::create_dir(paper.folder()).unwrap();
        for (name, text) in files {
            paper.write(name, text.as_bytes());
        }
        paper
    }

    /// A document with this body and bibliography.
    fn citing(body: &str, bib: &str) -> Self {
        Self::new(&[
            (
                "main.tex",
                &document(&format!("{body}\n\\bibliography{{refs}}")),
            ),
            ("refs.bib", bib),
        ])
    }

    fn folder(&self) -> PathBuf {
        self.project.at("paper")
    }

    fn write(&self, name: &str, bytes: &[u8]) {
        self.project.write(&format!("paper/{name}"), bytes);
    }

    fn audit(&self, args: &[&str]) -> Answer {
        let output = run(
            self.project.path(),
            &[&["paper", "--as-of", "2026-11-20"], args].concat(),
        );
        let bytes = fs::read(self.folder().join("CITATION_AUDIT.json")).unwrap();
        let artifact = serde_json::from_slice(&bytes).unwrap();
        Answer {
            exit: output.status.code().unwrap(),
            artifact,
            output,
        }
    }

    fn traces(&self) -> usize {
        let folder = self.project.at(".aris/traces/citation-audit");
        fs::read_dir(folder).map_or(0, |runs| {
            runs.map(|run| run.unwrap().path())
                .filter(|path| path.is_dir())
                .map(|run| fs::read_dir(run).unwrap().count())
                .sum()
        })
    }
}

impl Answer {
    fn verdict(&self) -> (&str, &str) {
        (
            self.artifact["verdict"].as_str().unwrap(),
            self.artifact["reason_code"].as_str().unwrap(),
        )
    }

    /// `severity id key file:line` of each finding.
    fn findings(&self) -> Vec<String> {
        let text = |finding: &Value, name: &str| finding[name].as_str().unwrap().to_owned();
        self.artifact["details"]["findings"]
            .as_array()
            .unwrap()
            .iter()
            .map(|f| {
                let place = format!("{}:{}", text(f, "file"), f["line"]);
                [text(f, "severity"), text(f, "id"), text(f, "key"), place].join(" ")
            })
            .collect()
    }
}

fn document(body: &str) -> String {
    format!("\\documentclass{{article}}\n\\begin{{document}}\n{body}\n\\end{{document}}\n")
}

fn run(folder: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_citation_audit"))
        .current_dir(folder)
        .args(args)
        .output()
        .unwrap()
}

#[test]
fn a_sound_paper_is_unverified_and_a_second_run_changes_no_byte() {
    let paper = Paper::citing("As \\citet[p.~1]{knuth84} says.", SOUND);
    let first = paper.audit(&[]);
    assert_eq!(first.verdict(), ("WARN", "existence_unverified"));
    assert_eq!((first.exit, first.findings()), (0, vec![]));
    let row = &first.artifact["details"]["per_entry"][0];
    assert_eq!(
        (row["existence"].as_str(), row["reason"].as_str()),
        (Some("inconclusive"), Some("offline"))
    );
    assert_eq!(
        (row["key"].as_str(), row["uses"][0]["line"].as_u64()),
        (Some("knuth84"), Some(3))
    );
    assert_eq!(first.artifact["audit_skill"], "citation-audit");
    assert!(
        first.artifact["reviewer_model"]
            .as_str()
            .unwrap()
            .starts_with("deterministic/citation_audit@")
    );
    let hashed: Vec<&String> = first.artifact["audited_input_hashes"]
        .as_object()
        .unwrap()
        .keys()
        .collect();
    assert_eq!(hashed, ["main.tex", "refs.bib"]);

    let read = |name: &str| fs::read(paper.folder().join(name)).unwrap();
    let (json, markdown, traces) = (
        read("CITATION_AUDIT.json"),
        read("CITATION_AUDIT.md"),
        paper.traces(),
    );
    assert_eq!(paper.audit(&[]).exit, 0);
    assert_eq!(
        (
            read("CITATION_AUDIT.json"),
            read("CITATION_AUDIT.md"),
            paper.traces()
        ),
        (json, markdown, traces)
    );
    paper.write("refs.bib", format!("{SOUND}% more\n").as_bytes());
    assert_ne!(
        paper.audit(&[]).artifact["audited_input_hashes"],
        first.artifact["audited_input_hashes"]
    );
}

/// To biber, keys that differ in case are two entries; to BibTeX they are one.
#[test]
fn keys_that_differ_in_case_are_two_entries_to_biber() {
    let bib = "@article{Li2020, author={Li, Wei}, title={First thing}, journal={Nature}, year=2020}\n\
        @article{li2020, author={Li, Hua}, title={Second thing}, journal={Science}, year=2020}\n";
    let biblatex =
        |options: &str| format!("\\usepackage[{options}]{{biblatex}}\\addbibresource{{refs.bib}}");
    let two = ["fail duplicate_key li2020 refs.bib:2"];
    for (preamble, end, expected) in [
        (biblatex("backend=biber"), "", &[][..]),
        (biblatex("style=apa"), "", &[]),
        (String::from("\\addbibresource{refs.bib}"), "", &[]),
        (biblatex("style=apa, backend = bibtex8"), "", &two),
        (String::new(), "\\bibliography{refs}", &two),
    ] {
        let tex = format!(
            "\\documentclass{{article}}{preamble}\\begin{{document}}\\cite{{Li2020}} \\cite{{li2020}}{end}\\end{{document}}\n"
        );
        let paper = Paper::new(&[("main.tex", &tex), ("refs.bib", bib)]);
        assert_eq!(paper.audit(&[]).findings(), expected, "{preamble}");
    }
    let same = bib
        .replace("Hua", "Wei")
        .replace("Second", "The very first")
        .replace("First", "The very first");
    let tex = format!(
        "\\documentclass{{article}}{}\\begin{{document}}\\cite{{Li2020}} \\cite{{li2020}}\\end{{document}}\n",
        biblatex("")
    );
    let paper = Paper::new(&[("main.tex", &tex), ("refs.bib", &same)]);
    assert_eq!(
        paper.audit(&[]).findings(),
        ["warn duplicate_work li2020 refs.bib:2"]
    );
}

/// What an entry takes over from its parent identifies the parent.
#[test]
fn an_entry_is_not_the_same_work_as_its_parent() {
    let bib = "@software{cgal, title={The Computational Geometry Algorithms Library}, author={{The CGAL Project}}, doi={10.1000/cgal}, year={1996}}\n\
        @softwareversion{cgal:5, crossref={cgal}, version={5.0.2}, year={2020}}\n\
        @softwareversion{cgal:6, crossref={cgal}, version={6.0}, year={2024}}\n";
    let tex = "\\documentclass{article}\\begin{document}\\cite{cgal,cgal:5,cgal:6}\\bibliography{refs}\\end{document}\n";
    let findings = Paper::new(&[("main.tex", tex), ("refs.bib", bib)])
        .audit(&[])
        .findings();
    assert!(
        !findings
            .iter()
            .any(|found| found.contains("duplicate_work")),
        "{findings:?}"
    );
}

#[test]
fn years_of_three_digits_are_read() {
    let entry = |key: &str, year: &str| {
        format!(
            "@book{{{key}, author={{A B}}, title={{T {key}}}, publisher={{P}}, year={{{year}}}}}\n"
        )
    };
    let bib = [
        entry("a", "947"),
        entry("b", "c. 947 BC"),
        entry("c", "47"),
        entry("d", "19987"),
    ]
    .concat();
    let tex = "\\documentclass{article}\\begin{document}\\cite{a,b,c,d}\\bibliography{refs}\\end{document}\n";
    assert_eq!(
        Paper::new(&[("main.tex", tex), ("refs.bib", &bib)])
            .audit(&[])
            .findings(),
        [
            "warn year_too_early a refs.bib:1",
            "warn year_unreadable c refs.bib:3",
            "warn year_unreadable d refs.bib:4",
        ]
    );
}

#[test]
fn findings_have_kind_severity_and_place() {
    let second = "@book{knuth84, author = {Knuth, Donald E.}, title = {The {\\TeX}book}, publisher = {AW}, year = 1984}\n";
    let cases: [(&str, String, &str, &[&str]); 17] = [
        ("\\cite{knuth85}", SOUND.into(), "FAIL", &["fail undefined_key knuth85 main.tex:3"]),
        ("\\cite{Knuth84}", SOUND.into(), "WARN", &["warn key_case_mismatch Knuth84 main.tex:3"]),
        ("\\cite{knuth84}", format!("{SOUND}{second}"), "FAIL", &["fail duplicate_key knuth84 refs.bib:2"]),
        ("\\cite{knuth84}", format!("{SOUND}{SOUND}"), "WARN", &["warn duplicate_key knuth84 refs.bib:2"]),
        (
            "\\cite{b}",
            format!("{SOUND}{SOUND}@misc{{b, title = {{B}}}}"),
            "WARN",
            &["info duplicate_key knuth84 refs.bib:2"],
        ),
        (
            "\\cite{knuth84,again}",
            format!("{SOUND}\n{}", SOUND.replace("{knuth84", "{again").replace(".2.97", ".2.98")),
            "WARN",
            &["warn duplicate_work again refs.bib:3"],
        ),
        (
            "\\cite{k}",
            "@article{k, author = {A B},\n title = {T}}".into(),
            "WARN",
            &["warn missing_field k refs.bib:1", "warn missing_field k refs.bib:1"],
        ),
        (
            "\\cite{k}",
            "@inproceedings{k, author={A B}, title={T}, crossref={p}}\n@proceedings{p, title={P}, year=2001}".into(),
            "WARN",
            &[],
        ),
        (
            "\\cite{k}",
            "@misc{k, title={T}, crossref={gone}}".into(),
            "WARN",
            &["warn missing_parent k refs.bib:1"],
        ),
        (
            "\\cite{k}",
            "@misc{k,\n author={John Doe},\n eprint={2413.00001}, archiveprefix={arXiv},\n year=2033}".into(),
            "FAIL",
            &[
                "fail placeholder_author k refs.bib:2",
                "fail arxiv_id_impossible k refs.bib:3",
                "fail year_in_future k refs.bib:4",
            ],
        ),
        (
            "\\cite{knuth84}",
            format!("{SOUND}@misc{{unused, author={{John Doe}}, year=2033}}"),
            "WARN",
            &[],
        ),
        (
            "\\cite{k}",
            "@misc{k, doi = {10.1145/1}, url = {https://doi.org/10.1145/2}}".into(),
            "WARN",
            &["warn dois_contradict k refs.bib:1"],
        ),
        (
            "\\cite{k}",
            "@misc{k, title = {open\n}\n@misc{l, title = {L}}".into(),
            "WARN",
            &["warn bibtex_unclosed_entry k refs.bib:1"],
        ),
        (
            "\\cite{k}",
            "@misc{k, title = nope}\n@misc{l, title = nope}".into(),
            "WARN",
            &["warn bibtex_unknown_macro k refs.bib:1", "info bibtex_unknown_macro l refs.bib:2"],
        ),
        (
            "\\nocite{*}",
            "@misc{k, author={TODO}}".into(),
            "FAIL",
            &["fail placeholder_author k refs.bib:1"],
        ),
        ("%\\cite{gone}\n\\cite{knuth84}", SOUND.into(), "WARN", &[]),
        ("\\iffalse\n\\cite{gone}", SOUND.into(), "WARN", &["warn latex_incomplete  main.tex:3"]),
    ];
    for (body, bib, verdict, wanted) in cases {
        let paper = Paper::citing(body, &bib);
        let answer = paper.audit(&[]);
        assert_eq!(answer.findings(), wanted, "{body}\n{bib}");
        assert_eq!(answer.verdict().0, verdict, "{body}\n{bib}");
        let found = wanted.iter().any(|line| !line.starts_with("info"));
        assert_eq!(answer.exit, if found { 10 } else { 0 }, "{body}\n{bib}");
        for finding in answer.artifact["details"]["findings"].as_array().unwrap() {
            assert!(
                !finding["message"].as_str().unwrap().is_empty()
                    && !finding["action"].as_str().unwrap().is_empty()
            );
            assert!(finding["column"].as_u64().unwrap() > 0, "{finding}");
        }
    }
}

#[test]
fn a_key_or_name_is_what_tex_makes_of_it_or_open() {
    let bib = "@misc{main, title = {M}}\n@misc{L1, title = {L}}\n";
    let cases: [(&str, &[&str]); 7] = [
        ("\\cite{\\jobname}", &[]),
        (
            "\\cite{gone-\\jobname}",
            &["fail undefined_key gone-main main.tex:4"],
        ),
        (
            "\\cite{L1,L\\arabic{i}}",
            &["warn unresolved_citation L\\arabic{i} main.tex:4"],
        ),
        (
            "\\newcommand\\key{\\romannumeral3}\\cite{\\key}",
            &["warn unresolved_citation \\romannumeral 3 main.tex:4"],
        ),
        (
            "\\cite{\\today}",
            &["warn unresolved_citation \\today main.tex:4"],
        ),
        ("\\cite{main}\\input{\\jobname-part}", &[]),
        (
            "\\cite{main}\\input{part-\\arabic{i}}",
            &["block source_missing  main.tex:4"],
        ),
    ];
    for (body, wanted) in cases {
        let text = document(&format!(
            "\\newcounter{{i}}\n{body}\n\\bibliography{{\\jobname}}"
        ));
        let files = [
            ("main.tex", &*text),
            ("main.bib", bib),
            ("main-part.tex", "Text."),
        ];
        assert_eq!(Paper::new(&files).audit(&[]).findings(), wanted, "{body}");
    }
}

#[test]
fn standard_citation_commands_are_read() {
    for body in [
        "\\citetext{see \\citealp{gone}}",
        "\\citefield{gone}{title}",
        "\\citelist{gone}[x]{author}",
        "\\cite<2>{gone}",
    ] {
        let answer = Paper::citing(body, SOUND).audit(&[]);
        assert_eq!(
            answer.findings(),
            ["fail undefined_key gone main.tex:3"],
            "{body}"
        );
    }
}

#[test]
fn entries_are_those_that_bibtex_finds() {
    let k = "@misc{k, title = {K}}";
    let late = "warn bibtex_last_line k refs.bib";
    for (bib, wanted) in [
        (format!("@comment x: {k}\n"), Some(":1")),
        (format!("@comment x: {k}\n\n"), None),
        (format!("@misc{{j, title = {{J}}}} {k}"), Some(":1")),
        (format!("@misc{{j, title = {{J}}}}\n{k}\n"), None),
        (format!("@comment{{x\n{k}\n}}\n"), None),
        (k.replace("{k,", "{k=1,"), None),
    ] {
        let key = if bib.contains("k=1") { "k=1" } else { "k" };
        let answer = Paper::citing(&format!("\\cite{{{key}}}"), &bib).audit(&[]);
        let wanted: Vec<String> = wanted
            .map(|line| [late, line].concat())
            .into_iter()
            .collect();
        assert_eq!(answer.findings(), wanted, "{bib}");
    }
}

#[test]
fn one_key_cited_in_two_cases_is_an_error() {
    let answer = Paper::citing("\\cite{knuth84}\\cite{Knuth84}", SOUND).audit(&[]);
    assert_eq!(
        answer.findings(),
        ["fail key_case_mismatch Knuth84 main.tex:3"]
    );
}

#[test]
fn a_file_in_filecontents_begins_on_the_next_line() {
    let body =
        "\\begin{filecontents*}{part.tex}\n\\cite{gone}\n\\end{filecontents*}\n\\input{part}";
    let answer = Paper::citing(body, SOUND).audit(&[]);
    assert_eq!(answer.findings(), ["fail undefined_key gone part.tex:1"]);
}

/// `REVTeX` prints footnotes in the bibliography, under keys of its own.
#[test]
fn the_keys_of_revtex_for_footnotes_are_defined() {
    let text = |class: &str, cited: &str| {
        format!(
            "\\documentclass{class}\n\\begin{{document}}\nA claim.\\footnote{{A note.}} See \\cite{{{cited},knuth84}}.\n\\bibliography{{refs}}\n\\end{{document}}\n"
        )
    };
    let sound = SOUND.to_owned();
    for (class, cited, is_defined) in [
        ("[aps,prx]{revtex4-2}", "Note1", true),
        ("[aps,prx]{revtex4-2}", "Note2", false),
        ("[aps,nofootinbib]{revtex4-2}", "Note1", false),
        ("{article}", "Note1", false),
    ] {
        let main = text(class, cited);
        let answer = Paper::new(&[("main.tex", &main), ("refs.bib", &sound)]).audit(&[]);
        let is_undefined = answer.artifact.to_string().contains("undefined_key");
        assert_eq!(is_undefined, !is_defined, "{main}");
    }
}

#[test]
fn an_undefined_key_names_its_neighbours() {
    let answer = Paper::citing("\\cite{knuth_84}", SOUND).audit(&[]);
    let finding = &answer.artifact["details"]["findings"][0];
    assert!(
        finding["action"]
            .as_str()
            .unwrap()
            .contains("did you mean `knuth84`"),
        "{finding}"
    );
    assert_eq!(finding["quote"], "\\cite{knuth_84}");
    assert_eq!(
        (finding["line"].as_u64(), finding["column"].as_u64()),
        (Some(3), Some(7))
    );
    assert_eq!(
        answer.artifact["details"]["per_entry"][0]["verdict"],
        "UNDEFINED"
    );
}

#[test]
fn latin_1_and_a_bibliography_in_the_root_document_are_read() {
    let body = "\\input{old}\\bibliography{refs}";
    let written = "\\begin{filecontents}{refs.bib}\n@misc{k, title={A B}, author={C D}, year={2020}}\n\\end{filecontents}\n";
    let paper = Paper::new(&[("main.tex", &(written.to_owned() + &document(body)))]);
    paper.write("old.tex", b"Caf\xe9 \\cite{k}");
    let answer = paper.audit(&[]);
    assert_eq!(
        answer.verdict(),
        ("WARN", "existence_unverified"),
        "{:?}",
        answer.findings()
    );
}

#[test]
fn what_cannot_be_read_blocks_and_is_named() {
    let cite = "\\cite{k}\\bibliography{refs}";
    let latin = b"@misc{k,\n author = {M\xfcller}}".as_slice();
    let utf16: Vec<u8> = "@misc{k, title = {x}}"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    let cases: [(&str, Files<'_>, &str, &str); 8] = [
        (cite, &[], "bibliography_missing", "main.tex:3"),
        (
            cite,
            &[("refs.bib", latin)],
            "bibliography_not_utf8",
            "refs.bib:2",
        ),
        (
            cite,
            &[("refs.bib", &utf16)],
            "bibliography_not_utf8",
            "refs.bib:1",
        ),
        (
            "\\cite{k}\\bibliography{../../../../../../../../etc/hosts}",
            &[],
            "bibliography_missing",
            "main.tex:3",
        ),
        (
            "\\cite{k}",
            &[("refs.bib", b"@misc{k}")],
            "no_bibliography",
            "main.tex:3",
        ),
        (
            "\\input{gone}\\cite{k}\\bibliography{refs}",
            &[("refs.bib", b"@misc{k}")],
            "source_missing",
            "main.tex:3",
        ),
        (
            "\\input{old}\\cite{k}\\bibliography{refs}",
            &[("refs.bib", b"@misc{k}"), ("old.tex", &utf16)],
            "source_unreadable",
            "main.tex:3",
        ),
        (
            "x",
            &[("main.tex", b"no document")],
            "no_root_document",
            ":0",
        ),
    ];
    for (body, files, reason, place) in cases {
        let paper = Paper::new(&[("main.tex", &document(body))]);
        for (name, bytes) in files {
            paper.write(name, bytes);
        }
        let answer = paper.audit(&[]);
        assert_eq!(
            answer.verdict(),
            ("BLOCKED", reason),
            "{body} {:?}",
            answer.findings()
        );
        assert_eq!(answer.exit, 10, "{body}");
        let finding = answer
            .findings()
            .into_iter()
            .find(|line| line.contains(reason))
            .unwrap();
        assert!(finding.ends_with(place), "{finding}, wanted {place}");
        assert!(finding.starts_with("block"), "{finding}");
    }
}

#[test]
fn nothing_outside_the_project_is_read() {
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("refs.bib"), SOUND).unwrap();
    let name = outside.path().join("refs.bib");
    let paper = Paper::new(&[(
        "main.tex",
        &document(&format!(
            "\\cite{{k}}\\addbibresource{{{}}}",
            name.display()
        )),
    )]);
    assert_eq!(paper.audit(&[]).verdict().0, "BLOCKED");
    let paper = Paper::new(&[("main.tex", &document("\\cite{k}\\bibliography{refs}"))]);
    std::os::unix::fs::symlink(&name, paper.folder().join("refs.bib")).unwrap();
    assert_eq!(
        paper.audit(&[]).verdict(),
        ("BLOCKED", "bibliography_unreadable")
    );
}

#[test]
fn several_roots_are_listed_and_one_can_be_chosen() {
    let paper = Paper::new(&[
        ("a.tex", &document("\\cite{knuth84}\\bibliography{refs}")),
        ("b.tex", &document("nothing")),
        ("refs.bib", SOUND),
    ]);
    let answer = paper.audit(&[]);
    assert_eq!(answer.verdict(), ("BLOCKED", "several_root_documents"));
    let message = answer.artifact["details"]["findings"][0]["message"]
        .as_str()
        .unwrap();
    assert!(
        message.contains("a.tex") && message.contains("b.tex"),
        "{message}"
    );
    assert_eq!(
        paper.audit(&["--root", "a.tex"]).verdict(),
        ("WARN", "existence_unverified")
    );
    // Relative to the paper's folder, and relative to the working directory.
    for root in ["b.tex", "./b.tex", "paper/b.tex"] {
        assert_eq!(
            paper.audit(&["--root", root]).verdict(),
            ("NOT_APPLICABLE", "no_citations")
        );
    }
}

#[test]
fn files_and_macros_of_several_bibliographies_belong_together() {
    let paper = Paper::new(&[
        (
            "main.tex",
            &document("\\input{sec/intro}\\bibliography{IEEEabrv,bib/strings,../shared/refs}"),
        ),
        (
            "sec/intro.tex",
            "\\newcommand{\\seen}[1]{see \\citep{#1}}\n\\seen{k} \\autocite{l}",
        ),
        (
            "bib/strings.bib",
            "@string{acm = {ACM}}\n@misc{l, title = {L one}}",
        ),
    ]);
    let shared = paper.project.at("shared");
    fs::create_dir(&shared).unwrap();
    fs::write(
        shared.join("refs.bib"),
        "@misc{k, title={K}, publisher = acm, journal = IEEE_J_PAMI}\n@misc{l, title={L two}}",
    )
    .unwrap();
    let answer = paper.audit(&[]);
    assert_eq!(
        answer.findings(),
        ["fail duplicate_key l ../shared/refs.bib:2"]
    );
    let hashed: BTreeSet<&str> = answer.artifact["audited_input_hashes"]
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect();
    assert_eq!(
        hashed,
        BTreeSet::from([
            "main.tex",
            "sec/intro.tex",
            "bib/strings.bib",
            "../shared/refs.bib"
        ])
    );
    let uses = &answer.artifact["details"]["per_entry"][0]["uses"][0];
    assert_eq!(
        (uses["file"].as_str(), uses["line"].as_u64()),
        (Some("sec/intro.tex"), Some(2))
    );
}

#[test]
fn a_bibliography_by_hand_defines_keys() {
    let items =
        "\\cite{a,b}\\begin{thebibliography}{9}\\bibitem{a} A. Author.\\end{thebibliography}";
    let answer = Paper::new(&[("main.tex", &document(items))]).audit(&[]);
    assert_eq!(answer.findings(), ["fail undefined_key b main.tex:3"]);
    assert_eq!(
        answer.artifact["details"]["per_entry"][0]["entry_type"],
        "bibitem"
    );
}

#[test]
fn entries_of_amsrefs_define_keys() {
    let items = "\\cite{a,b}\\begin{bibdiv}\\begin{biblist}\n\
        \\bib{a}{article}{author={Author, A.},title={One},date={2001}}\n\\end{biblist}\\end{bibdiv}";
    let answer = Paper::new(&[("main.tex", &document(items))]).audit(&[]);
    assert_eq!(answer.findings(), ["fail undefined_key b main.tex:3"]);
}

#[test]
fn a_bibliography_may_stand_in_quotes_or_on_a_server() {
    let quoted = document("\\cite{a}\\bibliography{\"my refs\"}");
    let entry = "@misc{a, author = {Lamport, Leslie}, title = {The First}, year = 2020}\n";
    let answer = Paper::new(&[("main.tex", &quoted), ("my refs.bib", entry)]).audit(&[]);
    assert!(answer.findings().is_empty(), "{:?}", answer.findings());
    let remote = "\\cite{a}\\addbibresource[location=remote]{https://example.org/r.bib}";
    let answer = Paper::new(&[("main.tex", &document(remote))]).audit(&[]);
    assert_eq!(answer.verdict().0, "BLOCKED");
    let message = answer.artifact["details"]["findings"][0]["message"].as_str();
    let said = "bibliography `https://example.org/r.bib` is on a server and is not read";
    assert_eq!(message, Some(said));
}

#[test]
fn a_lone_bbl_stands_for_its_bibliography() {
    let natbib = "\\begin{thebibliography}{9}\n\\bibitem[Knuth(1984)]{a}\nD. Knuth.\n\n\\bibitem[{de Bruin et~al.(2001)de Bruin, and Other}]{b}\nOther.\n\\end{thebibliography}\n";
    let biblatex = "\\begingroup\n  \\datalist[entry]{nty/global//global/global}\n    \\entry{a}{book}{}\n    \\endentry\n    \\entry{b}{article}{}\n    \\endentry\n  \\enddatalist\n\\endgroup\n";
    for (bbl, line) in [(natbib, 5), (biblatex, 5)] {
        let main = document("\\cite{a,b}\\cite{c}\\bibliography{refs}");
        let answer = Paper::new(&[("main.tex", &main), ("main.bbl", bbl)]).audit(&[]);
        assert_eq!(answer.findings(), ["fail undefined_key c main.tex:3"]);
        let artifact = &answer.artifact;
        assert!(artifact["audited_input_hashes"]["main.bbl"].is_string());
        let row = &artifact["details"]["per_entry"][1];
        assert_eq!(
            (&row["file"], &row["line"]),
            (&"main.bbl".into(), &line.into())
        );
    }
}

#[test]
fn uncited_entries_are_listed_and_change_nothing() {
    let bib = format!(
        "{SOUND}@misc{{left, title={{L}}}}\n@misc{{later, title={{M}}}}\n@misc{{Par, title={{P}}}}"
    );
    let paper = Paper::citing("\\cite{knuth84}\n% TODO: cite later.", &bib);
    let without = paper.audit(&[]);
    assert!(without.artifact["details"].get("uncited_entries").is_none());
    let with = paper.audit(&["--uncited"]);
    assert_eq!((with.exit, with.verdict()), (0, without.verdict()));
    let listed: Vec<(&str, &str)> = with.artifact["details"]["uncited_entries"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| {
            (
                entry["key"].as_str().unwrap(),
                entry["suggestion"].as_str().unwrap(),
            )
        })
        .collect();
    assert_eq!(
        listed,
        [("left", "prune"), ("later", "check"), ("Par", "prune")]
    );
    assert_eq!(with.artifact["details"]["uncited_entries_status"], "ok");
    let markdown = fs::read_to_string(paper.folder().join("CITATION_AUDIT.md")).unwrap();
    assert!(markdown.contains("## Uncited entries (3)"), "{markdown}");
    let stdout = |args: &[&str]| String::from_utf8(paper.audit(args).output.stdout).unwrap();
    let envelope = stdout(&["--uncited", "--json"]);
    assert!(envelope.contains("\"key\":\"left\""), "{envelope}");
    let text = stdout(&["--uncited"]);
    assert!(text.contains("uncited: nothing cites `left`"), "{text}");
}

#[test]
fn a_bibliography_that_a_macro_of_the_papers_class_names_is_read() {
    for before in [
        "\\if@twocolumn\\raggedbottom\\fi",
        "\\setkeys{own}{x=y}",
        "\\own@thing",
    ] {
        let class = format!(
            "\\ProvidesClass{{own}}\\LoadClass{{article}}\\newcommand{{\\sources}}[1]{{{before}\\bibliography{{#1}}}}"
        );
        let main =
            "\\documentclass{own}\\begin{document}\\cite{knuth84}\\sources{refs}\\end{document}";
        let answer =
            Paper::new(&[("main.tex", main), ("own.cls", &class), ("refs.bib", SOUND)]).audit(&[]);
        assert_eq!(
            answer.artifact["details"]["bibliographies"][0], "refs.bib",
            "{before}"
        );
    }
}

#[test]
fn the_keys_of_short_captions_and_quotations_are_cited_and_a_command_that_begins_with_if_takes_its_arguments()
 {
    let body = "\\begin{figure}\\caption[Short \\cite{gone}]{Long \\cite{knuth84}}\\end{figure}\\begin{displaycquote}[p. 3]{away}To be.\\end{displaycquote}\\begin{foreigndisplaycquote}{german}{weg}Sein.\\end{foreigndisplaycquote}\\cite{knuth84,*starred,*[{See }][{}]noted} \\ifown[bg]{x}{}{y} \\cite{knuth84}";
    let main = format!(
        "\\documentclass{{beamer}}\\begin{{document}}{body}\\bibliography{{refs}}\\end{{document}}"
    );
    let answer = Paper::new(&[("main.tex", &main), ("refs.bib", SOUND)]).audit(&[]);
    let findings = answer.artifact["details"]["findings"].to_string();
    for key in ["gone", "away", "weg", "starred", "noted"] {
        let told = format!("`{key}` is in no");
        assert!(findings.contains(&told), "{findings}");
    }
    assert!(!findings.contains("\\\\fi"), "{findings}");
}

#[test]
fn a_document_without_citations_is_not_applicable() {
    let answer = Paper::new(&[("main.tex", &document("Nothing. % \\cite{x}"))]).audit(&[]);
    assert_eq!(
        (answer.exit, answer.verdict()),
        (0, ("NOT_APPLICABLE", "no_citations"))
    );
    assert_eq!(
        answer.artifact["audited_input_hashes"]
            .as_object()
            .unwrap()
            .len(),
        1
    );
}

#[test]
fn dates_are_judged_as_of_the_given_day() {
    let paper = Paper::citing("\\cite{k}", "@misc{k, title={T}, year=2029}");
    assert_eq!(
        paper.audit(&[]).findings(),
        ["fail year_in_future k refs.bib:1"]
    );
    let later = run(paper.project.path(), &["paper", "--as-of", "2029-01-01"]);
    assert_eq!(later.status.code(), Some(0), "{later:?}");
}

#[test]
fn usage_and_writing_errors_have_their_codes() {
    let temp = tempfile::tempdir().unwrap();
    fs::write(temp.path().join("file"), "").unwrap();
    let cases: [(&[&str], i32, &str); 5] = [
        (&["--json", "gone"], 3, "NOT_FOUND"),
        (&["--json", "file"], 4, "VALIDATION"),
        (&["--json", ".", "--as-of", "yesterday"], 2, "USAGE"),
        (&["--json", ".", "--as-of", "0005-01-01"], 2, "USAGE"),
        (&["--json", ".", "--nonsense"], 2, "USAGE"),
    ];
    for (args, exit, word) in cases {
        let output = run(temp.path(), args);
        assert_eq!(output.status.code(), Some(exit), "{args:?}");
        let envelope: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(envelope["error"]["code"], word, "{args:?}");
    }
    assert_eq!(
        fs::read_dir(temp.path()).unwrap().count(),
        1,
        "nothing is written"
    );
    // A file is in the way of the traces' folder.
    fs::create_dir_all(temp.path().join("paper")).unwrap();
    fs::write(
        temp.path().join("paper/main.tex"),
        "\\documentclass{article}\\begin{document}A.\\end{document}",
    )
    .unwrap();
    fs::write(temp.path().join(".aris"), "").unwrap();
    let output = run(temp.path(), &["paper"]);
    assert_eq!(output.status.code(), Some(5), "{output:?}");
    assert!(!temp.path().join("paper/CITATION_AUDIT.json").exists());
}

#[test]
fn the_envelope_carries_the_findings() {
    let paper = Paper::citing("\\cite{gone}", SOUND);
    let answer = paper.audit(&["--json"]);
    let envelope: Value = serde_json::from_slice(&answer.output.stdout).unwrap();
    assert_eq!(envelope["data"]["verdict"], "FAIL");
    assert_eq!(
        envelope["data"]["findings"],
        answer.artifact["details"]["findings"]
    );
    assert_eq!(envelope["meta"]["helper"], "citation_audit");
    let plain = String::from_utf8(paper.audit(&[]).output.stdout).unwrap();
    assert!(
        plain.contains("main.tex:3:7: error: `gone` is in no bibliography"),
        "{plain}"
    );
}

#[test]
fn bibliographies_of_preambles_styles_and_classes_are_found() {
    let cite = "\\begin{document}\\cite{knuth84}.\\end{document}";
    let start = "\\documentclass{article}";
    for (main, more, text) in [
        (
            format!("\\input{{pre}}{cite}"),
            "pre.tex",
            "\\documentclass{article}\\addbibresource{refs.bib}",
        ),
        (
            format!("{start}\\input{{sub/pre}}{cite}"),
            "sub/pre.tex",
            "\\bibliography{refs}",
        ),
        (
            format!("{start}\\usepackage{{mine}}{cite}"),
            "mine.sty",
            "\\RequirePackage{biblatex}\\addbibresource[label=x]{refs.bib}",
        ),
        (
            format!("{start}\\usepackage{{sty/mine}}{cite}"),
            "sty/mine.sty",
            "\\AtEndDocument{\\bibliographystyle{plain}\\bibliography{refs}}",
        ),
        (
            format!("\\documentclass{{mine}}{cite}"),
            "mine.cls",
            "\\LoadClass{article}\\AtEndDocument{\\bibliography{refs}}",
        ),
        // A missing bibliography may stand behind a condition, or in the body of a macro.
        (
            format!("{start}\\usepackage{{mine}}{cite}"),
            "mine.sty",
            "\\let\\old\\bibliography\\renewcommand\\bibliography[1]{\\old{#1}}\\@ifclassloaded{x}{\\bibliography{gone}}{\\bibliography{refs}}",
        ),
    ] {
        let paper = Paper::new(&[("main.tex", &main), ("refs.bib", SOUND)]);
        paper.write(more, text.as_bytes());
        let answer = paper.audit(&[]);
        assert_eq!(
            answer.verdict(),
            ("WARN", "existence_unverified"),
            "{more}: {text}: {:?}",
            answer.findings()
        );
        assert_eq!(
            answer.artifact["details"]["counts"]["bibliography_entries"], 1,
            "{text}"
        );
    }
}

#[test]
fn findings_without_end_are_counted_and_not_all_listed() {
    let comments = "% a remark\n".repeat(200_000);
    let bib = format!(
        "@article{{a, title = {{A Sound Title of Things}},\n{comments} author = {{Knuth, Donald E.}}, journal = {{J}}, year = 2020}}\n"
    );
    let paper = Paper::citing("\\cite{a}", &bib);
    let answer = paper.audit(&["--json"]);
    assert_eq!(answer.exit, 10, "{:?}", answer.output);
    assert_eq!(answer.verdict(), ("WARN", "bibtex_comment_in_entry"));
    let findings = answer.findings();
    assert_eq!(findings.len(), 101);
    assert_eq!(findings[100], "warn bibtex_comment_in_entry  refs.bib:102");
    let details = &answer.artifact["details"];
    assert_eq!(details["counts"]["warn"], 200_000);
    assert_eq!(details["per_entry"][0]["verdict"], "FIX");
    let last = details["findings"][100]["message"].as_str().unwrap();
    assert!(last.starts_with("199900 more of this kind"), "{last}");
    let envelope: Value = serde_json::from_slice(&answer.output.stdout).unwrap();
    assert_eq!(envelope["data"]["findings"].as_array().unwrap().len(), 101);
    assert!(answer.output.stdout.len() < 100_000);
}

#[test]
fn a_bbl_of_many_items_or_with_a_long_label_is_read() {
    // Quadratic reading would take minutes and exceed the deadline.
    let items: Vec<String> = (0..100_000)
        .map(|number| format!("\\bibitem{{k{number}}} Somebody.\n"))
        .collect();
    let long = format!("\\bibitem[{}]{{long}} Somebody.\n", "x".repeat(100_000));
    let paper = Paper::new(&[
        (
            "main.tex",
            &document("\\cite{long} \\cite{k99999}\\bibliography{gone}"),
        ),
        ("main.bbl", &[long, items.concat()].concat()),
    ]);
    assert_eq!(paper.audit(&[]).verdict(), ("WARN", "existence_unverified"));
}

#[test]
fn keys_with_an_at_sign_are_found_and_another_entry_is_named() {
    let bib = "@misc{doe@2020, author = {Knuth, Donald E.}, title = {Gadgets by Night}, year = 2020}\n\
        @misc{a, author = {Lamport, Leslie}, title = {The First One of Them}, year = 2020}\n\
        @misc{a, author = {Dijkstra, Edsger}, title = {The Second One}, year = 2021}\n\
        @misc{@c, author = {Hopper, Grace}, title = {A Third of Them}, year = 2019}\n";
    let answer = Paper::citing("\\cite{doe@2020} \\cite{a} \\cite{@c}", bib).audit(&[]);
    assert_eq!(answer.findings(), ["fail duplicate_key a refs.bib:3"]);
    let message = answer.artifact["details"]["findings"][0]["message"]
        .as_str()
        .unwrap();
    assert!(
        message.ends_with("at refs.bib:2:7, for another entry, \"The First One of Them\""),
        "{message}"
    );
}

#[test]
fn real_bibliographies_are_never_proved_wrong() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/fixtures/bib");
    if !root.is_dir() {
        println!("skipped: {} does not exist", root.display());
        return;
    }
    // Two are UTF-16, and one holds an entry titled `Paper title`.
    let special = ["tiny-BE-noBOM.bib", "tiny-LE-withBOM.bib", "crossref.bib"];
    for folder in ["jabref", "refchecker"] {
        for entry in fs::read_dir(root.join(folder)).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            let paper = Paper::new(&[("main.tex", &document("\\nocite{*}\\bibliography{refs}"))]);
            paper.write("refs.bib", &fs::read(&path).unwrap());
            let answer = paper.audit(&[]);
            let (verdict, reason) = answer.verdict();
            println!("{name}: {verdict} {reason} {}", answer.findings().len());
            match special.iter().position(|special| *special == name) {
                None => assert_eq!(verdict, "WARN", "{name}: {:?}", answer.findings()),
                Some(2) => assert_eq!(reason, "placeholder_title"),
                Some(_) => assert_eq!(reason, "bibliography_not_utf8"),
            }
        }
    }
}

#[test]
fn artifact_and_envelope_follow_their_schemas() {
    let bib = format!("{SOUND}@misc{{k, author = {{TODO}}, year = soon}}");
    let answer = Paper::citing("\\cite{knuth84,k,gone}", &bib).audit(&["--json", "--uncited"]);
    let envelope: Value = serde_json::from_slice(&answer.output.stdout).unwrap();
    for (id, value) in [
        (id::AUDIT, &answer.artifact),
        (
            "aris.citation_audit.details/v1",
            &answer.artifact["details"],
        ),
        ("aris.citation_audit.report/v1", &envelope["data"]),
    ] {
        assert_valid(id, value, "the answer");
    }
}

mod properties {
    use aris_cli::Context;
    use citation_audit::{Cli, run};
    use proptest::prelude::*;

    use super::{Paper, document};

    /// Pieces of LaTeX and BibTeX with a meaning for the audit, and a few without.
    fn pieces(of: &'static [&'static str]) -> impl Strategy<Value = String> {
        let piece = prop_oneof![
            prop::sample::select(of).prop_map(String::from),
            "[ -~\n]{0,6}",
            any::<char>().prop_map(String::from)
        ];
        prop::collection::vec(piece, 0..20).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn every_paper_gets_an_artifact(
            body in pieces(&["\\cite{a}", "\\cite{a,b}", "\\nocite{*}", "\\input{x}", "%", "{", "}", "\\bibitem{c}", "\\newcommand{\\x}[1]{\\cite{#1}}", "\\x{b}"]),
            bib in pieces(&["@misc{a,", "@article{b,", "title={T},", "author={A and B},", "year=2031}", "crossref={b}}", "doi={10.1109/CVPR.2019.1},", "eprint={2413.1},", "pages={9-1},", "\n@string{s="]),
        ) {
            let paper = Paper::new(&[("main.tex", &document(&format!("{body}\n\\bibliography{{refs}}"))), ("refs.bib", &bib)]);
            let context = Context::for_test(paper.project.path(), "2026-11-20T12:00:00Z".parse().unwrap());
            let cli = || Cli { paper: Some("paper".into()), root: None, uncited: true, as_of: None, live: false, offline: false };
            let report = run(cli(), &context).unwrap();
            let written = std::fs::read(paper.folder().join("CITATION_AUDIT.json")).unwrap();
            let artifact: serde_json::Value = serde_json::from_slice(&written).unwrap();
            prop_assert_ne!(&artifact["verdict"], "PASS");
            let again = run(cli(), &context).unwrap();
            prop_assert_eq!(report.exit(), again.exit());
            prop_assert_eq!(written, std::fs::read(paper.folder().join("CITATION_AUDIT.json")).unwrap());
        }
    }
}

#[cfg(unix)]
#[test]
fn a_link_to_the_paper_leads_to_its_project_and_a_finding_about_no_file_names_the_folder() {
    let paper = Paper::citing("As \\citet{knuth84} says.", SOUND);
    let elsewhere = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink(paper.folder(), elsewhere.path().join("link")).unwrap();
    run(elsewhere.path(), &["link", "--as-of", "2026-11-20"]);
    let said = String::from_utf8_lossy(&paper.audit(&[]).output.stdout).into_owned();
    assert!(
        said.contains("(unchanged)"),
        "the link gave another audit: {said}"
    );
    assert!(
        !elsewhere.path().join(".aris").exists(),
        "the trace belongs to the project"
    );
    fs::remove_file(paper.folder().join("main.tex")).unwrap();
    let said = String::from_utf8_lossy(&paper.audit(&[]).output.stdout).into_owned();
    let folder = paper.folder().canonicalize().unwrap();
    assert!(
        said.starts_with(&format!("{}: blocked: no root", folder.display())),
        "{said}"
    );
}

/// A run past its deadline ends with one envelope, exit 6 and no partial files; with more time it succeeds.
#[test]
fn a_run_ends_at_its_deadline() {
    let paper = Paper::citing(&"As \\citet{knuth84} says. ".repeat(2_000_000), SOUND);
    let output = run(
        paper.project.path(),
        &["paper", "--deadline", "0.05", "--json"],
    );
    assert_eq!(output.status.code(), Some(6));
    let stdout = String::from_utf8(output.stdout).unwrap();
    assert_eq!(stdout.lines().count(), 1, "{stdout}");
    let envelope: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(envelope["error"]["code"], "TIMEOUT");
    assert_eq!(envelope["error"]["details"]["deadline_seconds"], 0.05);
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(
        stderr,
        "citation_audit: error: not done after 0.05 s, the deadline\n  hint: look for what makes the input so large, or give more time with \
         --deadline SECONDS\n"
    );
    assert!(!paper.folder().join("CITATION_AUDIT.json").exists());
    let silent = run(paper.project.path(), &["paper", "--deadline", "0.05"]);
    assert_eq!(silent.status.code(), Some(6));
    assert!(silent.stdout.is_empty());

    paper.write(
        "main.tex",
        document("As \\citet{knuth84} says.\n\\bibliography{refs}").as_bytes(),
    );
    paper.audit(&["--deadline", "50"]);
}

/// For each cited key without an entry, `fail` or `question`; and whether the audit reports text that is not read or
/// undecided.
fn said(preamble: &str, body: &str, files: &[(&str, &str)]) -> (Vec<String>, bool) {
    let main = format!(
        "\\documentclass{{article}}\n\\usepackage{{any}}\n{preamble}\n\\begin{{document}}\n\\cite{{knuth84}} {body}\n\\bibliography{{refs}}\n\\end{{document}}\n"
    );
    let paper = Paper::new(&[files, &[("main.tex", &main), ("refs.bib", SOUND)]].concat());
    let answer = paper.audit(&[]);
    let found = answer.findings();
    let is_told = |line: &String| line.contains(" text_not_read ") || line.contains(" undecided ");
    let keys = found.iter().filter(|line| line.contains(" undefined_key "));
    let short = |line: &String| {
        let mut words = line.split(' ');
        format!("{} {}", words.next().unwrap(), words.nth(1).unwrap())
    };
    let mut keys: Vec<String> = keys.map(short).collect();
    keys.sort();
    assert!(keys.is_empty() || answer.verdict().0 != "PASS", "{found:?}");
    (keys, found.iter().any(is_told))
}

#[test]
fn what_may_not_be_set_is_a_question() {
    for (preamble, body, keys) in [
        (
            "",
            "\\ifluatex\\cite{a}\\else\\cite{b}\\fi\\cite{c}",
            "fail c,question a,question b",
        ),
        ("", "\\shown{\\cite{a}}", "question a"),
        (
            "",
            "\\begin{somewhere}\\cite{a}\\end{somewhere}",
            "question a",
        ),
        (
            "\\newcounter{n}",
            "\\ifnum\\value{n}<2 \\cite{a}\\fi",
            "question a",
        ),
        (
            "\\ifdefined\\final\\newcommand{\\x}[1]{}\\else\\newcommand{\\x}[1]{#1}\\fi",
            "\\x{\\cite{a}}",
            "question a",
        ),
        (
            "\\newenvironment{hide}{\\comment}{\\endcomment}",
            "\\begin{hide}\n\\cite{a}\n\\end{hide}\\cite{b}",
            "fail b",
        ),
        (
            "\\let\\hid\\comment\\let\\endhid\\endcomment",
            "\\begin{hid}\n\\cite{a}\n\\end{hid}\\cite{b}",
            "fail b",
        ),
        (
            "\\excludecomment{hide}",
            "\\comment\n\\cite{a}\n\\endcomment\n\\cite{b}\\hide\n\\cite{c}\n\\endhide",
            "fail b",
        ),
        ("\\defbibentryset{a}{knuth84}", "\\cite{a}", ""),
        ("", "\\cite{\\keyprefix a}", ""),
        (
            "\\def\\skipto#1\\stopskip{}",
            "\\skipto \\cite{a}\n\n\\stopskip \\cite{b} \\skipto \\cite{c}",
            "fail b,fail c",
        ),
        (
            "\\newmint{latex}{}\\newmintinline[tx]{latex}{}\\newmintinline{c}{}",
            "\\latex|\\cite{a}| \\tx|\\cite{b}| \\cinline|\\cite{c}| \\cite{d}",
            "fail d",
        ),
        (
            "\\DefineShortVerb{\\|}",
            "|\\cite{a}| \\UndefineShortVerb{\\|} |\\cite{b}|",
            "fail b",
        ),
        ("", "\\expandafter\\cite\\expandafter{a}", "fail a"),
        ("", "\\forcsvlist{\\cite}{knuth84,a}", "fail a"),
        (
            "",
            "\\def\\do#1{\\cite{#1}}\\docsvlist{a,knuth84}",
            "fail a",
        ),
        ("", "\\nobibliography*\\bibentry{a}", "fail a"),
        (
            "",
            "\\mode<article>{\\cite{a}}\\mode<presentation>{\\cite{b}}",
            "fail b,question a",
        ),
        (
            "",
            "\\begin{frame}<0>\\cite{a}\\end{frame}\\begin{frame}<1->[t]\\cite{b}\\end{frame}",
            "fail b,question a",
        ),
        // A key that is also cited in certain text is certain.
        ("", "\\shown{\\cite{a}} \\cite{a}", "fail a"),
        // Conditions that the paper itself decides.
        (
            "\\newif\\ifx",
            "\\ifx\\cite{a}\\else\\cite{b}\\fi",
            "fail b",
        ),
        (
            "\\newif\\iflong",
            "{\\longtrue} \\iflong\\cite{a}\\else\\cite{b}\\fi",
            "fail b",
        ),
        (
            "\\newif\\iflong",
            "{\\global\\longtrue} \\iflong\\cite{a}\\else\\cite{b}\\fi",
            "fail a",
        ),
        (
            "\\newtoggle{t}\\settoggle{t}{true}",
            "\\iftoggle{t}{\\cite{a}}{\\cite{b}}",
            "fail a",
        ),
        (
            "",
            "\\ifnum 1<2 \\cite{a}\\else\\cite{b}\\fi \\unless\\iftrue\\cite{c}\\fi",
            "fail a",
        ),
        (
            "\\newcommand{\\mode}{b}",
            "\\ifthenelse{\\equal{\\mode}{a}}{\\cite{a}}{\\cite{b}}",
            "fail b",
        ),
        ("\\renewcommand{\\section}[1]{}", "\\section{\\cite{a}}", ""),
        (
            "\\excludeversion{long}",
            "\\begin{long}\n\\cite{a}\n\\end{long}",
            "",
        ),
    ] {
        let (found, _) = said(preamble, body, &[]);
        assert_eq!(found.join(","), keys, "{preamble} {body}");
    }
}

#[test]
fn a_citation_command_that_cites_no_longer_cites_nothing() {
    for (preamble, body, expected) in [
        ("\\def\\cite#1{X}", "\\cite{q}", ""),
        ("\\renewcommand\\cite[1]{\\texttt{#1}}", "\\cite{q}", ""),
        (
            "\\newcommand\\mono[1]{\\texttt{#1}}\\renewcommand\\cite[1]{\\mono{#1}}",
            "\\cite{q}",
            "",
        ),
        ("\\let\\citep\\relax", "\\citep{q}", ""),
        (
            "\\makeatletter\\let\\cite\\@gobble\\makeatother",
            "\\cite{q}",
            "",
        ),
        ("", "\\detokenize{\\cite{q}}", ""),
        (
            "\\let\\old\\cite\\renewcommand\\cite[1]{\\old{#1}}",
            "\\cite{q}",
            "fail q",
        ),
        ("\\let\\cite\\citep", "\\cite{q}", "fail q"),
        (
            "\\newcommand\\mine[1]{\\citet{#1}}\\renewcommand\\cite[1]{\\mine{#1}}",
            "\\cite{q}",
            "fail q",
        ),
    ] {
        let (found, _) = said(preamble, body, &[]);
        assert_eq!(found.join(","), expected, "{preamble} {body}");
    }
}

#[test]
fn text_that_is_not_read_is_said_where_it_cites() {
    for (preamble, body) in [
        ("", "\\begin{alltt} \\cite{a} \\end{alltt}"),
        (
            "\\fvset{commandchars=\\\\\\{\\}}",
            "\\begin{Verbatim}\n\\cite{a}\n\\end{Verbatim}",
        ),
        (
            "\\newcommand{\\x}{a}\\makeatletter\\g@addto@macro\\x{\\cite{a}}\\makeatother",
            "\\x",
        ),
        ("\\def\\x#1.{\\cite{a}#1}", "\\x b."),
        ("\\newacronym{n}{N}{long \\cite{a}}", "\\gls{n}"),
        ("", "\\lastcites{a}"),
        ("", "{\\catcode`\\%=12 50% \\cite{a}}"),
    ] {
        let (found, is_told) = said(preamble, body, &[]);
        assert!(is_told, "{preamble} {body}: {found:?}");
    }
    for body in [
        "\\begin{verbatim}\n\\cite{a}\n\\end{verbatim}",
        "\\begin{lstlisting}\n\\cite{a}\n\\end{lstlisting}",
    ] {
        assert_eq!(said("", body, &[]), (vec![], false), "{body}");
    }
}

#[test]
fn titles_of_statements_boxes_and_listings_are_read() {
    let preamble = "\\newtheorem{satz}{Satz}\\declaretheorem[name=Fact]{fact}";
    for body in [
        "\\begin{satz}[See \\cite{a}] x \\end{satz}",
        "\\begin{fact}[label=f,name={By \\cite{a}}] x \\end{fact}",
        "\\begin{tcolorbox}[enhanced,title={\\cite{a}}] x \\end{tcolorbox}",
        "\\begin{lstlisting}[caption={\\cite{a}}]\nx\n\\end{lstlisting}",
    ] {
        assert_eq!(said(preamble, body, &[]).0, ["fail a"], "{body}");
    }
}

#[test]
fn files_are_read_as_tex_finds_and_ends_them() {
    let part = |text| [("parts/one.tex", text)];
    let path = "\\makeatletter\\def\\input@path{{parts/}}\\makeatother";
    let plain = "\\cite{a}\n\\ifdim\\textwidth>9pt\\endinput\\fi\n\\cite{b}\n";
    let (found, _) = said(path, "\\input{one} \\cite{c}", &part(plain));
    assert_eq!(found, ["fail a", "fail c", "question b"]);
    let each = "\\foreach \\n in {one}{\\input{parts/\\n}}";
    let (found, is_told) = said("", &format!("{each} \\cite{{b}}"), &part("\\cite{a}"));
    assert_eq!((found.join(","), is_told), (String::from("fail b"), true));
    let own = [
        ("parts/one.tex", "\\cite{a}"),
        ("more.bib", "@book{more, title={T}}\n"),
    ];
    let (found, is_told) = said(
        "\\excludeonly{parts/one}",
        "\\include{parts/one}\\cite{b}",
        &own,
    );
    assert_eq!((found.join(","), is_told), (String::from("fail b"), false));
    let body = "\\begin{refsection}[more.bib]\\cite{more}\\cite{a}\\end{refsection}";
    assert_eq!(said("", body, &own).0, ["fail a"]);
    // A short heading for the contents, a property of an acronym, the caption of a listing, a citation whose keys are elsewhere.
    for body in [
        "\\section[\\cite{a}]{A}",
        "\\DeclareAcronym{x}{short=X,cite=a}",
        "\\lstinputlisting[caption={\\cite{a}}]{main.tex}",
        "{\\cite}\\x",
    ] {
        let (found, is_told) = said("", body, &[]);
        assert_eq!((found.join(","), is_told), (String::new(), true), "{body}");
    }
    // LaTeX may not ask for the missing file.
    let (found, is_told) = said("", "\\ifluatex\\input{gone}\\fi\\cite{a}", &[]);
    assert_eq!((found.join(","), is_told), (String::from("fail a"), true));
    let body = "\\iffalse\\newif\\ifother\\fi \\texttt{\\string\\iffalse} \\cite{a}";
    assert_eq!(said("", body, &[]).0, ["fail a"]);
}

#[test]
fn a_document_may_begin_in_another_file() {
    let paper = Paper::new(&[
        (
            "main.tex",
            "\\input{pre}\n\\cite{gone}\n\\bibliography{refs}\\end{document}\n",
        ),
        ("pre.tex", "\\documentclass{article}\n\\begin{document}\n"),
        ("refs.bib", SOUND),
    ]);
    assert_eq!(
        paper.audit(&[]).findings(),
        ["fail undefined_key gone main.tex:2"]
    );
}

#[test]
fn a_bibliography_is_no_root_and_other_roots_are_named() {
    let paper = Paper::citing("\\cite{knuth84}", SOUND);
    let absent = run(paper.project.path(), &["paper", "--root", "no.tex"]);
    assert_eq!(absent.status.code(), Some(3));
    let refused = run(paper.project.path(), &["paper", "--root", "refs.bib"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(
        String::from_utf8_lossy(&refused.stderr).contains("a bibliography is no root document")
    );
    paper.write("supplement.tex", document("\\cite{other}").as_bytes());
    let answer = paper.audit(&[]);
    let said = String::from_utf8_lossy(&answer.output.stderr).into_owned();
    assert!(
        said.contains("main.tex is audited") && said.contains("supplement.tex"),
        "{said}"
    );
}

#[test]
fn each_part_of_a_document_has_its_own_bibliographies() {
    const BIBLATEX: &str = "\\usepackage{biblatex}\\addbibresource{refs.bib}";
    const UNITS: &str = "\\usepackage{bibunits}";
    let entry = |title| {
        format!(
            "@book{{two, author = {{Ada Poe}}, title = {{{title}}}, publisher = {{P}}, year = 1998}}\n"
        )
    };
    let (one, other) = (entry("One"), entry("Other"));
    let own = format!("@book{{own, crossref = {{two}}}}\n{one}");
    let files = [
        ("refs.bib", SOUND),
        ("a.bib", &own),
        ("b.bib", &other),
        ("one.tex", "\\cite{two}\\cite{knuth84}\\bibliography{a}"),
        ("other.tex", "\\cite{own}\\bibliography{b}"),
    ];
    let parts = |preamble: &str, body: &str| {
        let class = format!("\\documentclass{{book}}{preamble}\\begin{{document}}");
        let main = format!("{class}\\cite{{knuth84}} {body}\\end{{document}}");
        let paper = Paper::new(&[&files[..], &[("main.tex", &main)]].concat());
        let found = paper.audit(&[]).findings();
        let short = |line: &String| {
            line.split(' ')
                .skip(1)
                .take(2)
                .collect::<Vec<_>>()
                .join(" ")
        };
        found.iter().map(short).collect::<Vec<_>>().join(", ")
    };
    let section = "\\begin{refsection}[a.bib]\\cite{two}\\cite{own}\\end{refsection}";
    let label = "\\addsectionbib[label=mine]{a.bib}";
    let global = "\\addglobalbib{b.bib}";
    let auto = "\\usepackage[refsection=chapter]{biblatex}\\addbibresource{refs.bib}";
    for (preamble, body, found) in [
        // Outside, the keys of a part lead nowhere, and in it those of the document; one key may mean two works.
        (BIBLATEX, section, ""),
        (
            BIBLATEX,
            &format!("{section}\\cite{{two}}"),
            "undefined_key two",
        ),
        (
            BIBLATEX,
            "\\newrefsection[b]\\cite{two,knuth84}",
            "undefined_key knuth84",
        ),
        (
            BIBLATEX,
            "\\newrefsection[b]\\endrefsection\\cite{two}",
            "undefined_key two",
        ),
        (
            BIBLATEX,
            "{\\newrefsection[b]}\\cite{two}\\newrefsection\\cite{knuth84}",
            "",
        ),
        (
            BIBLATEX,
            &format!("{section}\\begin{{refsection}}[b]\\cite{{two}}\\end{{refsection}}"),
            "",
        ),
        (
            BIBLATEX,
            "\\begin{refsection}[a,b]\\cite{two}\\end{refsection}",
            "duplicate_key two",
        ),
        (
            BIBLATEX,
            "\\begin{refsection}[b]\\nocite{*}\\end{refsection}",
            "",
        ),
        // Labels and global bibliographies.
        (
            &[BIBLATEX, label].concat(),
            "\\begin{refsection}[mine]\\cite{two}\\end{refsection}",
            "",
        ),
        (
            &[BIBLATEX, label].concat(),
            "\\cite{two}",
            "undefined_key two",
        ),
        (
            &[BIBLATEX, global].concat(),
            "\\begin{refsection}[refs]\\cite{two,knuth84}\\end{refsection}",
            "",
        ),
        (
            "\\usepackage{subfiles}",
            "\\bibliography{\\subfix{refs},\\subfix{b}}\\cite{two,gone}",
            "undefined_key gone",
        ),
        // Which part it is, is not decided.
        (
            BIBLATEX,
            "\\ifluatex\\newrefsection[b]\\fi\\cite{two,knuth84}",
            "undecided ",
        ),
        // Chapters as parts.
        (
            auto,
            "\\newrefsection[b]\\cite{two}\\chapter{A}\\cite{knuth84}",
            "",
        ),
        (
            auto,
            "\\chapter{A}\\newrefsection[b]\\section{B}\\cite{knuth84}",
            "undefined_key knuth84",
        ),
        // Units.
        (
            UNITS,
            "\\begin{bibunit}[plain]\\cite{two,gone}\\putbib[a]\\end{bibunit}\\bibliography{refs}",
            "undefined_key gone",
        ),
        (
            UNITS,
            "\\defaultbibliography{b}\\begin{bibunit}\\cite{two,own}\\putbib\\end{bibunit}\\bibliography{refs,a}",
            "undefined_key own",
        ),
        (
            UNITS,
            "\\bibliographyunit[\\chapter]\\chapter{A}\\cite{two,own}\\putbib[b]\\chapter{B}\\cite{own}\\putbib[a]\\bibliographyunit\\bibliography{refs}",
            "undefined_key own",
        ),
        (
            "\\usepackage{chapterbib}",
            "\\include{one}\\include{other}\\bibliography{refs}",
            "undefined_key knuth84, undefined_key own",
        ),
        (
            "",
            "\\include{one}\\include{other}\\bibliography{refs}",
            "duplicate_key two",
        ),
        (
            "\\usepackage{bibtopic}",
            "\\cite{own}\\begin{btSect}[plain]{refs,a}\\btPrintCited\\end{btSect}",
            "",
        ),
    ] {
        assert_eq!(parts(preamble, body), found, "{preamble} {body}");
    }
}

#[test]
fn a_definition_that_expands_adds_to_what_was_before() {
    for (preamble, body, found) in [
        (
            "\\def\\base{}\\edef\\base{\\base sub/}",
            "\\input{\\base part}",
            "fail a",
        ),
        (
            "\\def\\k{b}\\xdef\\all{\\k}\\def\\k{c}",
            "\\cite{\\all}\\cite{\\k}",
            "fail b,fail c",
        ),
        (
            "\\def\\k{}\\edef\\k{\\ifx\\k\\empty\\else\\k,\\fi b}\\edef\\k{\\ifx\\k\\empty\\else\\k,\\fi c}",
            "\\cite{\\k}",
            "fail b,fail c",
        ),
        (
            "\\def\\k{b}\\edef\\with#1{\\noexpand\\cite{\\k,#1}}\\def\\k{d}",
            "\\with{c}\\edef\\k{\\noexpand\\x}\\def\\x{e}\\cite{\\k}",
            "fail b,fail c,fail e",
        ),
        (
            "\\makeatletter\\def\\k{b}\\protected@edef\\k{\\k,c}\\csedef{k}{\\k,d}\\makeatother",
            "\\cite{\\k}",
            "fail b,fail c,fail d",
        ),
    ] {
        let (keys, is_told) = said(preamble, body, &[("sub/part.tex", "\\cite{a}")]);
        assert_eq!(
            (keys.join(","), is_told),
            (String::from(found), false),
            "{preamble}"
        );
    }
}
