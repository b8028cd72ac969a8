//! An invented paper without outside data, and faults in it with consequences that are known by hand.

use crate::support::{Paper, agrees, status};

/// A self-contained paper: sentences, a macro, a table, CSV and JSON.
pub(crate) fn invented() -> Paper {
    let runs = |system: &str, values: [f64; 8]| {
        let line = |(run, value): (usize, f64)| format!("{system},{run},{value}\n");
        values.into_iter().enumerate().map(line).collect::<String>()
    };
    let base = runs("base", [12.0, 12.8, 12.4, 12.4, 12.1, 12.7, 12.3, 12.5]);
    let ours = runs("lattice", [9.0, 9.3, 9.15, 9.15, 8.95, 9.35, 9.1, 9.2]);
    Paper::new(INVENTED)
        .with("sections/detail.tex", DETAIL)
        .with(
            "results/runs.csv",
            format!("system,run,latency\n{base}{ours}"),
        )
        .with("results/scores.csv", SCORES)
        .with(
            "results/meta.json",
            r#"{"eval": {"sentences": 1536, "max_error": 4.2e-6}, "test": {"p": 0.0004}}"#,
        )
        .claims(INVENTED_CLAIMS)
}

const INVENTED: &str = r"\begin{abstract}
Lattice lowers the mean latency from 12.40 to 9.15 ms, a change of $-$3.25 ms.
\end{abstract}
\newcommand{\bestBleu}{34.2}
\section{Results}
We measured eight runs of each system on 1,536~sentences.  % all of them
The largest error is \(4.2\times 10^{-6}\), and the difference is significant (p~$<$~0.001).
The best score is \bestBleu.
\input{sections/detail}
\begin{table}
\caption{Scores of the systems.}\label{tab:main}
\begin{tabular}{lrr}
System & BLEU & Time (s) \\
\hline
Base & 31.2 $\pm$ 0.4 & 7.25 \\
Lattice (ours) & \textbf{34.2} $\pm$ 0.3 & 5.50 \\
Greedy & 28.9 $\pm$ 0.6 & 3.75 \\
\end{tabular}
\end{table}";

const DETAIL: &str = "Greedy needs only 3.75 seconds, less than the\n7.25 of the base system. Lattice is never slower.\n";

const SCORES: &str = "system,seed,bleu,time\nbase,1,30.8,7\nbase,2,31.2,7.25\nbase,3,31.6,7.5\nlattice,1,33.9,5.25\nlattice,2,34.2,5.5\n\
                      lattice,3,34.5,5.75\ngreedy,1,28.3,3.5\ngreedy,2,28.9,3.75\ngreedy,3,29.5,4\n";

const INVENTED_CLAIMS: &str = r#"
[data.view]
means = 'select system, avg(bleu) as bleu, stddev(bleu) as spread, avg(time) as time from "results/scores.csv" group by system'

[[claim]]
id = "latency"
in = "main.tex"
text = 'mean latency from [[12.40]] to [[9.15]] ms, a change of [[$-$3.25]] ms'
value = [
  '''select avg(latency) from "results/runs.csv" where system = 'base' ''',
  '''select avg(latency) from "results/runs.csv" where system = 'lattice' ''',
  '''select (select avg(latency) from "results/runs.csv" where system = 'lattice') - (select avg(latency) from "results/runs.csv" where system = 'base')''',
]

[[claim]]
id = "runs"
in = "main.tex"
text = 'We measured [[eight]] runs of each system on [[1,536]] sentences.'
value = ['''select count(*) from "results/runs.csv" where system = 'base' ''', '''select doc ->> '$.eval.sentences' from "results/meta.json"''']

[[claim]]
id = "error"
in = "main.tex"
text = 'The largest error is \([[4.2\times 10^{-6}]]\)'
value = '''select doc ->> '$.eval.max_error' from "results/meta.json"'''

[[claim]]
id = "p"
in = "main.tex"
text = 'significant (p $<$ [[0.001]])'
value = '''select doc ->> '$.test.p' from "results/meta.json"'''
relation = "<"

[[claim]]
id = "best"
macro = "bestBleu"
value = 'select max(bleu) from means'

[[claim]]
id = "times"
in = "sections/detail.tex"
text = 'needs only [[3.75]] seconds, less than the [[7.25]] of the base system'
value = ["select time from means where system = 'greedy'", "select time from means where system = 'base'"]

[[claim]]
id = "never"
in = "sections/detail.tex"
text = 'Lattice is never slower.'
holds = '''select (select max(latency) from "results/runs.csv" where system = 'lattice') < (select min(latency) from "results/runs.csv" where system = 'base')'''

[[table]]
label = "tab:main"
value = """
select system, 'BLEU', bleu from means
union all select system, 'time', time from means"""
rows = { lattice = "Lattice (ours)", base = "Base", greedy = "Greedy" }
columns = { time = "Time (s)" }

[[table]]
label = "tab:main"
cell = 2
value = "select system, 'BLEU', spread from means"
rows = { lattice = "Lattice (ours)", base = "Base", greedy = "Greedy" }
"#;

#[test]
fn what_a_binding_names_is_lost_when_it_is_gone() {
    for (what, from, to, lost) in [
        ("macro", r"\newcommand{\bestBleu}{34.2}", "", &["best"][..]),
        (
            "macro's number",
            r"\bestBleu}{34.2}",
            r"\bestBleu}{good}",
            &["best"],
        ),
        (
            "label",
            r"\label{tab:main}",
            "",
            &["tab:main/base/BLEU", "tab:main/greedy/time"],
        ),
        (
            "label, twice",
            r"\section{Results}",
            r"\section{Results}\label{tab:main}",
            &[],
        ),
        (
            "cell",
            "& 3.75 \\\\",
            "& --- \\\\",
            &["tab:main/greedy/time"],
        ),
        (
            "second number",
            r"28.9 $\pm$ 0.6",
            "28.9",
            &["tab:main#2/greedy/BLEU"],
        ),
        (
            "row",
            "Greedy & 28.9 $\\pm$ 0.6 & 3.75 \\\\\n",
            "",
            &["tab:main/greedy/BLEU", "tab:main/greedy/time"],
        ),
        (
            "row's head",
            "Greedy & 28.9",
            "Beam & 28.9",
            &["tab:main/greedy/BLEU"],
        ),
        (
            "column's head",
            "Time (s)",
            "Seconds",
            &["tab:main/base/time", "tab:main/greedy/time"],
        ),
    ] {
        let paper = invented();
        let source = paper.read("main.tex");
        assert!(source.contains(from), "{what}");
        paper.write("main.tex", source.replace(from, to));
        let audit = paper.audit();
        for id in lost {
            let entry = audit.of(id);
            // A missing table may be reported once, for its label.
            if entry.is_empty() && id.starts_with("tab:main/") {
                audit.expect("tab:main", "binding_lost");
            } else {
                audit.expect(id, "binding_lost");
            }
        }
        assert!(
            lost.is_empty() || audit.verdict() == "FAIL",
            "{what}: {audit}"
        );
        let may = |id: &str| {
            lost.contains(&id)
                || (!lost.is_empty()
                    && id.starts_with("tab:main")
                    && lost[0].starts_with("tab:main"))
        };
        for ((id, number), entry) in audit.bound() {
            assert!(
                agrees(status(entry)) || may(&id) || lost.is_empty(),
                "{what}: {id} {number} {entry}"
            );
        }
    }
}

#[test]
fn changed_data_is_a_mismatch_of_what_follows_from_it_and_of_nothing_else() {
    type Change<'a> = (&'a str, &'a str, &'a str, &'a [(&'a str, &'a str)]);
    let cases: [Change<'_>; 8] = [
        (
            "runs.csv",
            "base,1,12.8",
            "base,1,21.8",
            &[("latency", "number_mismatch agrees number_mismatch")],
        ),
        (
            "runs.csv",
            "base,0,12\n",
            "",
            &[
                ("latency", "number_mismatch agrees number_mismatch"),
                ("runs", "number_mismatch agrees"),
            ],
        ),
        (
            "runs.csv",
            "base,7,12.5\n",
            "base,7,12.5\nbase,7,12.5\n",
            &[
                ("latency", "number_mismatch agrees number_mismatch"),
                ("runs", "number_mismatch agrees"),
            ],
        ),
        (
            "runs.csv",
            "lattice,0,9\n",
            "lattice,0,12\n",
            &[
                ("latency", "agrees number_mismatch number_mismatch"),
                ("never", "scope_overclaim"),
            ],
        ),
        (
            "scores.csv",
            "lattice,2,34.2",
            "lattice,2,43.2",
            &[
                ("best", "number_mismatch"),
                ("tab:main/lattice/BLEU", "number_mismatch"),
                ("tab:main#2/lattice/BLEU", "number_mismatch"),
            ],
        ),
        (
            "scores.csv",
            "greedy,3,29.5,4",
            "greedy,3,29.5,7",
            &[
                ("times", "number_mismatch agrees"),
                ("tab:main/greedy/time", "number_mismatch"),
            ],
        ),
        (
            "meta.json",
            "4.2e-6",
            "4.2e-5",
            &[("error", "number_mismatch")],
        ),
        ("meta.json", "0.0004", "0.004", &[("p", "number_mismatch")]),
    ];
    for (file, from, to, expected) in cases {
        let paper = invented();
        let file = format!("results/{file}");
        let data = paper.read(&file);
        assert!(data.contains(from), "{from}");
        paper.write(&file, data.replace(from, to));
        let audit = paper.audit();
        for (id, statuses) in expected {
            audit.expect(id, statuses);
        }
        assert_eq!(audit.verdict(), "FAIL", "{from}: {audit}");
        for ((id, _), entry) in audit.bound() {
            assert!(
                agrees(status(entry)) || expected.iter().any(|(name, _)| *name == id),
                "{from}: {entry}"
            );
        }
    }
}
