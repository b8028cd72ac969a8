//! Every parser that reads other people's bytes. A panic, a hang or unlimited memory is a fault.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::time::Duration;

use aris_contract::json::Limits;
use aris_latex::{Document, Loaded};
use aris_paper::bib::{self, BibFile, Library};
use aris_skills::text::Text;
use aris_slurm::{Access, BatchSystem as _, SlurmEngine, Task};
use aris_sources::Response;
use aris_testkit::{Project, executable};
use serde_json::Value;

/// A name and the parser. Its seed inputs are in `corpus/<name>`.
pub(crate) type Target = (&'static str, fn(&[u8]));

/// All targets.
pub(crate) const TARGETS: [Target; 26] = [
    ("latex", latex),
    ("bibtex", bibtex),
    ("yaml", yaml),
    ("json", json),
    ("prose", prose),
    ("skill", skill),
    ("git-index", git_index),
    ("wiki-page", wiki_page),
    ("wiki-edges", wiki_edges),
    ("table", table),
    ("sql", sql),
    ("claims", claims),
    ("trace", trace),
    ("journal", journal),
    ("runs", runs),
    ("manifest", manifest),
    ("recipe", recipe),
    ("figure", figure),
    ("diff", diff),
    ("findings", findings),
    ("install-record", install_record),
    ("smi", smi),
    ("slurm", slurm),
    ("http-json", http_json),
    ("http-arxiv", http_arxiv),
    ("http-archive", http_archive),
];

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The document includes itself.
fn latex(bytes: &[u8]) {
    let text = text(bytes);
    let mut files = |path: &str| match path {
        "m.tex" => Loaded::Text(text.as_str().into()),
        _ => Loaded::Absent,
    };
    if let Ok(document) = Document::read("m.tex", &mut files) {
        for block in &document.blocks {
            let place = block.place(block.text.len() / 2);
            assert!(place.offset <= document.files[place.file].text.len());
        }
    }
}

fn bibtex(bytes: &[u8]) {
    if bib::read_bytes(bytes).is_err() {
        return;
    }
    let text = text(bytes);
    let files = [BibFile::read("refs.bib".into(), &text, &[])];
    let library = Library::new(&files);
    let entries = files[0].read.entries.iter();
    let cited: BTreeSet<_> = entries
        .filter_map(|entry| library.find(&entry.key))
        .collect();
    let _findings = bib::check::entries(&library, &cited, None, false);
    let _names = aris_paper::names::parse_list(&text);
    let _same = aris_paper::titles::compare(&text, &aris_paper::latex::to_text(&text));
}

/// Both parsers give the same value for bytes that both accept.
fn json(bytes: &[u8]) {
    let strict = aris_contract::json::value(bytes, Limits::ARTIFACT);
    if let (Ok(strict), Ok(tree)) = (&strict, aris_yaml::read_json(&text(bytes))) {
        let tree = tree.to_json();
        assert!(same(strict, &tree), "{strict} and {tree}");
    }
}

/// Equality in which `-0` equals 0: `serde_json` makes it a float, the tree an integer, as Python's `json` does.
fn same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| same(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            let in_other = |(key, value)| other.get(key).is_some_and(|other| same(value, other));
            one.len() == other.len() && one.iter().all(in_other)
        }
        (Value::Number(one), Value::Number(other)) => {
            one == other || (one.as_f64() == Some(0.0) && other.as_f64() == Some(0.0))
        }
        _ => one == other,
    }
}

fn yaml(bytes: &[u8]) {
    if let Ok(Some(tree)) = aris_yaml::read(&text(bytes)) {
        let _value = tree.to_json();
    }
}

fn prose(bytes: &[u8]) {
    let text = text(bytes);
    for file in ["report.md", "paper.tex"] {
        let read = aris_statements::prose::Prose::read(file, &text, &mut |_: &str| Loaded::Absent);
        if let Ok(prose) = read {
            let _statements = aris_statements::statement::statements(&prose);
        }
    }
    let _numbers = aris_claims::number::scan(&text);
    let _verdict = aris_audit::verdict::stated(&text);
}

/// Frontmatter, Markdown, and the shebang of a script.
fn skill(bytes: &[u8]) {
    let text = Text::new(bytes);
    let _document = aris_skills::markdown::Document::parse(&text);
    let _kind = aris_skills::script::ScriptKind::of("a", &text);
}

fn git_index(bytes: &[u8]) {
    let _index = aris_skills::git::Index::parse(bytes, 20);
    let _binary = aris_skills::binary::Binary::of(bytes);
}

fn wiki_page(bytes: &[u8]) {
    let page = aris_wiki::page::Page::read(text(bytes));
    for kind in [aris_wiki::node::Kind::Paper, aris_wiki::node::Kind::Idea] {
        let _identity = aris_wiki::summary::Summary::of(kind, "a.md", &page).identity();
    }
    let _titles = aris_wiki::papers::Papers::of(&page);
}

fn wiki_edges(bytes: &[u8]) {
    let _edges = aris_wiki::edges::Edges::parse(&text(bytes));
}

fn table(bytes: &[u8]) {
    for name in ["a.csv", "a.tsv", "a.jsonl", "a.json", "a.yaml", "a.toml"] {
        let _rows = aris_evidence::read_table(name, bytes, None);
    }
}

fn sql(bytes: &[u8]) {
    let question = aris_evidence::Question {
        sql: text(bytes),
        most_rows: 10,
    };
    let limits = aris_evidence::Limits {
        time: Duration::from_millis(200),
        bytes: 64 << 20,
    };
    let root = fs::canonicalize(folder("data.csv", b"a,b\n1,2.5\n3,x\n,NaN\n")).expect("folder");
    let settings = aris_evidence::Settings {
        allowed: vec![root.clone()],
        root,
        ..aris_evidence::Settings::default()
    };
    let _answers = aris_evidence::evaluate(&settings, &[question], &limits);
}

fn claims(bytes: &[u8]) {
    let _claims = aris_claims::Claims::read(&text(bytes));
}

/// A single response, and the chain of a run.
fn trace(bytes: &[u8]) {
    let folder = folder(aris_audit::trace::CHAIN, bytes);
    let chain = folder.join(aris_audit::trace::CHAIN);
    for path in [folder.as_path(), &chain] {
        let _trace = aris_audit::trace::read(path, None);
    }
}

/// Lines with a correct seal, so that their content is parsed.
fn journal(bytes: &[u8]) {
    let mut lines = String::new();
    for line in text(bytes).lines() {
        aris_fs::seal(&mut lines, line);
    }
    for bytes in [bytes, lines.as_bytes()] {
        let _entries =
            aris_queue::journal::Journal::read(&folder(aris_queue::journal::FILE, bytes));
    }
}

fn runs(bytes: &[u8]) {
    let ledger = aris_runs::Ledger::at(&folder("outputs", bytes));
    let _lines = ledger.find(&BTreeSet::new(), &BTreeSet::from(["a"]));
    let _runs = aris_runs::Ledger::at(&folder("runs", bytes)).runs();
    let _run: Result<aris_runs::Run, _> = aris_contract::json::typed(bytes, Limits::ARTIFACT);
}

fn manifest(bytes: &[u8]) {
    let text = text(bytes);
    let _manifest = aris_queue::manifest::parse(Path::new("m.json"), &text);
    if let Ok(Some(root)) = aris_yaml::read(&text) {
        let _plan = aris_queue::grid::Plan::read(&root).map(|plan| plan.text());
    }
}

fn recipe(bytes: &[u8]) {
    let text = text(bytes);
    let _template = aris_recipe::template::Template::parse(&text);
    let _expression = aris_recipe::expression::parse(&text);
    if let Ok(recipe) = aris_recipe::load(&text, "/tmp") {
        let data = aris_recipe::Data::default();
        let _report = aris_recipe::check(&recipe, &data, aris_recipe::Profile::Core);
    }
}

fn figure(bytes: &[u8]) {
    let _figure = aris_figure::Figure::read(bytes);
}

fn diff(bytes: &[u8]) {
    let _diff = aris_review::Diff::read(bytes);
}

fn findings(bytes: &[u8]) {
    let _findings = aris_review::Findings::read(bytes);
    let _strategies = aris_review::read_strategies(bytes);
    let _label = aris_review::label(&text(bytes));
}

fn install_record(bytes: &[u8]) {
    let _manifest = aris_contract::artifact::record::manifest(bytes);
    let _reference = aris_contract::artifact::record::reference(bytes);
}

/// The output of nvidia-smi, and of rocm-smi where there is no nvidia-smi.
fn smi(bytes: &[u8]) {
    let program = programs(&["smi"], bytes).join("smi");
    let limit = Duration::from_secs(20);
    for (nvidia, rocm) in [
        (&*program, Path::new("/none")),
        (Path::new("/none"), &*program),
    ] {
        let _sample =
            aris_attempt::cards::Smi::at(nvidia, rocm, limit).sample(&BTreeSet::new(), true);
    }
}

fn slurm(bytes: &[u8]) {
    let commands = programs(&["squeue", "sacct", "scontrol"], bytes);
    let mut engine = SlurmEngine::new(Access {
        run: commands.clone(),
        commands: Some(commands),
        environment: Vec::new(),
        task_program: vec![String::from("true")],
    });
    let _config = engine.config();
    let task = Task {
        job: String::from("7"),
        index: 0,
        token: String::from("aris-1"),
    };
    let _said = engine.observe(&[task]);
}

fn http_json(bytes: &[u8]) {
    use aris_sources::{crossref, datacite, dblp, deepxiv, exa, openalex, semantic_scholar};
    let response = response("application/json", bytes);
    let _papers = crossref::parse_one(&response);
    let _papers = crossref::parse_list(&response);
    let _papers = datacite::parse(&response);
    let _papers = dblp::parse(&response);
    let _papers = exa::read(&response);
    let _papers = openalex::read(&response);
    let _papers = semantic_scholar::read(&response);
    if let Ok(value) = serde_json::from_slice(bytes) {
        let _papers = deepxiv::records(&value, response.fetched_at);
    }
}

fn http_arxiv(bytes: &[u8]) {
    let _feed = aris_sources::arxiv::parse(&response("application/atom+xml", bytes));
}

fn http_archive(bytes: &[u8]) {
    let _source = aris_sources::unpack::read(bytes, "2301.00001");
}

fn response(media_type: &str, body: &[u8]) -> Response {
    Response {
        status: 200,
        media_type: String::from(media_type),
        body: body.to_vec(),
        url: String::from("https://example.org/"),
        ..Response::default()
    }
}

thread_local! {
    static SCRATCH: Project = Project::bare();
}

/// A folder with this single file.
fn folder(name: &str, bytes: &[u8]) -> std::path::PathBuf {
    SCRATCH.with(|scratch| {
        scratch.write(&format!("{name}.d/{name}"), bytes);
        scratch.at(&format!("{name}.d"))
    })
}

/// A folder with programs that print the bytes.
fn programs(names: &[&str], bytes: &[u8]) -> std::path::PathBuf {
    let folder = folder("answer", bytes);
    for program in names.iter().map(|name| folder.join(name)) {
        if !program.exists() {
            fs::write(&program, "#!/bin/sh\nexec cat \"${0%/*}/answer\"\n").expect("program");
            executable(&program);
        }
    }
    folder
}
