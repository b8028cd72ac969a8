//! Tables: which cell a row of a query belongs to.

use crate::support::{Audit, Paper, status, text};

/// A table labelled `t` with these lines, and data in the long form `r,c,v`.
fn paper(columns: &str, lines: &str, data: &str, bindings: &str) -> Paper {
    let body = format!(
        "\\begin{{table}}\n\\caption{{Scores.}}\\label{{t}}\n\\begin{{tabular}}{{{columns}}}\n\\toprule\n{lines}\n\\bottomrule\n\\end{{tabular}}\n\\end{{table}}"
    );
    Paper::new(&body)
        .with("results/t.csv", format!("r,c,v\n{data}"))
        .claims(bindings)
}

/// The usual binding.
const ALL: &str = "[[table]]\nlabel = \"t\"\nvalue = 'select r, c, v from \"results/t.csv\"'\n";

/// Panics unless each cell `row/column` of the first binding has its status, and no other cell is bound.
#[track_caller]
fn expect(audit: &Audit, cells: &[(&str, &str)]) {
    for (cell, status) in cells {
        audit.expect(&format!("t/{cell}"), status);
    }
    assert_eq!(audit.bound().len(), cells.len(), "{audit}");
}

#[test]
fn cells_are_found_by_row_and_column_whatever_their_order() {
    let audit = paper(
        "lrr",
        "Method & BLEU & Time \\\\\n\\midrule\nBase & 31.2 & 7.25 \\\\\nLattice & 34.2 & 5.50 \\\\",
        "Lattice,Time,5.5\nBase,BLEU,31.21\nLattice,BLEU,34.2\nBase,Time,7.26\n",
        ALL,
    )
    .audit();
    expect(
        &audit,
        &[
            ("Base/BLEU", "rounding_ok"),
            ("Base/Time", "number_mismatch"),
            ("Lattice/BLEU", "exact_match"),
            ("Lattice/Time", "exact_match"),
        ],
    );
    let entry = audit.one("t/Base/Time");
    assert_eq!(
        (text(entry, "shown"), text(entry, "value")),
        ("7.25", "7.26"),
        "{entry}"
    );
    assert_eq!(
        (entry["line"].as_u64(), entry["column"].as_u64()),
        (Some(9), Some(15)),
        "{entry}"
    );
    assert!(text(entry, "query").contains("results/t.csv"), "{entry}");
}

#[test]
fn a_cell_shows_its_sign_and_all_of_its_digits_or_it_is_not_known_what_it_shows() {
    let audit = paper(
        "lr",
        "Method & X \\\\\n\\midrule\nA & 12,9 \\\\\nB & $34{,}9$ \\\\\nC & $-$ 1.5 \\\\\nD & - 3.5 \\\\\nE & \\textminus~4.5 \\\\\nF & 3.141\\,59 \\\\\nG & 12 000 \\\\\nH & 12 (3) \\\\\nI & 5 -- 9 \\\\",
        "A,X,12.3\nB,X,34.4\nC,X,1.5\nD,X,-3.5\nE,X,4.5\nF,X,3.1412\nG,X,12\nH,X,12\nI,X,5\n",
        ALL,
    )
    .audit();
    expect(
        &audit,
        &[
            ("A/X", "binding_lost"),
            ("B/X", "binding_lost"),
            ("C/X", "number_mismatch"),
            ("D/X", "exact_match"),
            ("E/X", "number_mismatch"),
            ("F/X", "binding_lost"),
            ("G/X", "binding_lost"),
            ("H/X", "exact_match"),
            ("I/X", "exact_match"),
        ],
    );
    let lost = audit.one("t/A/X");
    assert!(text(lost, "detail").contains("`12,9`"), "{lost}");
}

#[test]
fn what_columns_print_at_their_cells_is_said_and_columns_that_touch_are_one_number() {
    for (columns, before) in [
        ("l>{$-}r<{$}", ""),
        ("lN", "\\newcolumntype{N}{>{$-}r<{$}}"),
        ("lM", "\\newcolumntype{M}{>{0}r}"),
        ("lr<{$\\times 10^{3}$}", ""),
        ("lr@{$\\cdot10^2$}", ""),
        ("lr!{e-3}", ""),
        ("lS[round-mode=places,round-precision=1]", ""),
    ] {
        let lines = "{Method} & {X} \\\\\n\\midrule\nA & 1.5 \\\\";
        let body = format!(
            "{before}\n\\begin{{table}}\n\\caption{{Scores.}}\\label{{t}}\n\\begin{{tabular}}{{{columns}}}\n{lines}\n\\end{{tabular}}\n\\end{{table}}"
        );
        let paper = Paper::new(&body).with("results/t.csv", "r,c,v\nA,X,1.5\n");
        let audit = paper.claims(ALL).audit();
        assert_eq!(audit.verdict(), "WARN", "{columns}: {audit}");
        assert!(audit.said().contains("text_not_read"), "{columns}: {audit}");
    }
    let plain = "Method & & X \\\\\n\\midrule\nA & $-$ & 1.5 \\\\\nB & 1 & 3.5 \\\\\nC & & 4.5 \\\\\nD & n & 5.5 \\\\";
    let data = "A,X,1.5\nB,X,3.5\nC,X,4.5\nD,X,5.5\n";
    let statuses = |columns: &str| {
        let audit = paper(columns, plain, data, ALL).audit();
        let cells =
            ["A", "B", "C", "D"].map(|row| status(audit.one(&format!("t/{row}/X"))).to_owned());
        cells.join(" ")
    };
    let lost = "binding_lost binding_lost exact_match exact_match";
    for columns in ["@{}lr@{}l@{}", "lr@{.}l", "lr@{,}l", "lr@{\\,}l"] {
        assert_eq!(statuses(columns), lost, "{columns}");
    }
    let apart = "exact_match exact_match exact_match exact_match";
    assert_eq!(statuses("@{}lrl@{}"), apart);
}

#[test]
fn heads_keep_percent_signs_and_no_blanks_at_relations_and_rows_above_a_late_rule_are_rows() {
    let audit = paper(
        "lr",
        "Method & $\\gamma = 2.0$ \\\\ \\cmidrule(lr){2-2}\nA & 1.5 \\\\\n\\midrule\n5 & 4.5 \\\\\n5\\% trimmed & 9.9 \\\\",
        "A,γ = 2.0,1.5\ntrimmed,γ = 2.0,4.5\n",
        &format!("{ALL}rows = {{ trimmed = \"5% trimmed\" }}\n"),
    )
    .audit();
    expect(
        &audit,
        &[
            ("A/γ = 2.0", "exact_match"),
            ("trimmed/γ = 2.0", "number_mismatch"),
        ],
    );
}

#[test]
fn heads_are_compared_without_markup_and_as_one_line() {
    let audit = paper(
        "lrrrr",
        r"\textbf{Method} & \makecell{Accuracy \\ (\%)} & \begin{tabular}{c}Mean\\time\end{tabular} & \textit{p}-value & $\alpha$ rate\textsuperscript{a} \\
\midrule
\quad \emph{Base line}~A & 31.2 & 7.25 & 0.04 & 1.5 \\
\rowcolor{gray} \cite{x} Lattice\footnote{Ours.} (\texttt{v2}) & 34.2 & 5.50 & 0.03 & 2.5 \\",
        "Base line A,Accuracy (%),31.2\nBase line A,Mean time,7.25\nBase line A,p-value,0.04\nLattice (v2),Accuracy (%),34.2\n",
        ALL,
    )
    .audit();
    expect(
        &audit,
        &[
            ("Base line A/Accuracy (%)", "exact_match"),
            ("Base line A/Mean time", "exact_match"),
            ("Base line A/p-value", "exact_match"),
            ("Lattice (v2)/Accuracy (%)", "exact_match"),
        ],
    );
}

#[test]
fn names_of_the_data_are_mapped_to_heads_also_as_they_stand_in_the_source() {
    let audit = paper(
        "lrr",
        "Method & Prevalence, \\% (95\\% CI) & \\(d_{\\max}\\) \\\\\nLattice (ours) & 9.0 & 6 \\\\\nHigh ($\\geq$28 mg/day) & 3.5 & 7 \\\\",
        "lattice,prev,9\nlattice,dmax,6\nhigh,prev,3.5\nhigh,dmax,7\n",
        &format!(
            "{ALL}columns = {{ prev = 'Prevalence, \\% (95\\% CI)', dmax = '\\(d_{{\\max}}\\)' }}\n[table.rows]\nlattice = \"Lattice (ours)\"\nhigh = 'High ($\\geq$28 mg/day)'\n"
        ),
    )
    .audit();
    expect(
        &audit,
        &[
            ("lattice/prev", "exact_match"),
            ("lattice/dmax", "exact_match"),
            ("high/prev", "exact_match"),
            ("high/dmax", "exact_match"),
        ],
    );
}

#[test]
fn a_column_under_two_heads_is_either_of_them_or_both() {
    let lines = r"& \multicolumn{2}{c}{WMT14} & \multicolumn{2}{c}{WMT16} & \multirow{2}{*}{Size} \\
\cmidrule(lr){2-3} \cmidrule(lr){4-5}
Method & BLEU & chrF & BLEU & TER & \\
\midrule
Base & 31.2 & 55.1 & 28.4 & 61.3 & 65 \\";
    let data = "Base,WMT14 / BLEU,31.2\nBase,chrF,55.1\nBase,WMT14 / chrF,55.1\nBase,WMT16 / BLEU,28.4\nBase,TER,61.3\nBase,Size,65\n";
    let audit = paper("lrrrrr", lines, data, ALL).audit();
    expect(
        &audit,
        &[
            ("Base/WMT14 / BLEU", "exact_match"),
            ("Base/chrF", "exact_match"),
            ("Base/WMT14 / chrF", "exact_match"),
            ("Base/WMT16 / BLEU", "exact_match"),
            ("Base/TER", "exact_match"),
            ("Base/Size", "exact_match"),
        ],
    );
    for ambiguous in ["BLEU", "WMT14"] {
        let audit = paper("lrrrrr", lines, &format!("Base,{ambiguous},31.2\n"), ALL).audit();
        assert_eq!(audit.verdict(), "FAIL", "{audit}");
        assert!(
            audit
                .bound()
                .values()
                .all(|entry| status(entry) == "binding_lost"),
            "{audit}"
        );
    }
}

#[test]
fn where_row_heads_repeat_the_head_of_the_panel_comes_first() {
    let panels = r"Method & BLEU \\
\midrule
\multicolumn{2}{l}{\textbf{Panel A}} \\
Lattice & 34.2 \\
Base & 31.2 \\
\midrule
\multicolumn{2}{l}{\textbf{Panel B}} \\
Lattice & 29.9 \\
Greedy & 28.1 \\";
    let audit = paper("lr", panels, "Panel A / Lattice,BLEU,34.2\nPanel B / Lattice,BLEU,29.9\nBase,BLEU,31.2\nGreedy,BLEU,28.1\n", ALL).audit();
    expect(
        &audit,
        &[
            ("Panel A / Lattice/BLEU", "exact_match"),
            ("Panel B / Lattice/BLEU", "exact_match"),
            ("Base/BLEU", "exact_match"),
            ("Greedy/BLEU", "exact_match"),
        ],
    );
    let audit = paper("lr", panels, "Lattice,BLEU,34.2\n", ALL).audit();
    assert!(
        audit
            .bound()
            .values()
            .all(|entry| status(entry) == "binding_lost"),
        "{audit}"
    );
    assert_eq!(audit.verdict(), "FAIL", "{audit}");
}

#[test]
fn a_head_over_several_rows_is_the_head_of_their_panel() {
    let lines = r"Set & Method & BLEU \\
\midrule
\multirow{2}{*}{WMT14} & Lattice & 34.2 \\
 & Base & 31.2 \\
\multirow{2}{*}{WMT16} & Lattice & 29.9 \\
 & Base & 28.1 \\";
    let audit = paper("llr", lines, "WMT14 / Lattice,BLEU,34.2\nWMT14 / Base,BLEU,31.2\nWMT16 / Lattice,BLEU,29.9\nWMT16 / Base,BLEU,28.2\n", ALL).audit();
    expect(
        &audit,
        &[
            ("WMT14 / Lattice/BLEU", "exact_match"),
            ("WMT14 / Base/BLEU", "exact_match"),
            ("WMT16 / Lattice/BLEU", "exact_match"),
            ("WMT16 / Base/BLEU", "number_mismatch"),
        ],
    );
}

#[test]
fn numbers_are_read_through_markup_and_notes() {
    let lines = r"Method & A & B & C & D & E & F & G \\
Base & \textbf{34.2} & 34.2$^{**}$ & $34.2^{*}$ & \underline{34.2}\,\% & \cellcolor{gray!20}34.2 & p=34.2 & \num{34.2} \\
Minus & $-$34.2 & $-34.2$ & −34.2 & \(-3.42\times 10^{1}\) & -34.2 & 34.2\textsuperscript{a} & \SI{-34.2}{ms} \\";
    let mut data = String::new();
    for column in ["A", "B", "C", "D", "E", "F", "G"] {
        let other = if column == "F" { 34.2 } else { -34.2 };
        data = format!("{data}Base,{column},34.2\nMinus,{column},{other}\n");
    }
    let audit = paper("lrrrrrrr", lines, &data, ALL).audit();
    for entry in audit.bound().values() {
        assert_eq!(status(entry), "exact_match", "{entry}");
    }
    assert_eq!(
        (audit.bound().len(), audit.verdict()),
        (14, "PASS"),
        "{audit}"
    );
    // The same numbers with the opposite sign.
    let data = data
        .replace(",-34.2", ",x")
        .replace(",34.2", ",-34.2")
        .replace(",x", ",34.2");
    let audit = paper("lrrrrrrr", lines, &data, ALL).audit();
    for entry in audit.bound().values() {
        assert_eq!(status(entry), "number_mismatch", "{entry}");
    }
}

#[test]
fn cell_says_which_number_of_a_cell() {
    let lines = r"Method & A & B & C & D & E \\
Base & 34.2 $\pm$ 0.3 & 34.2 (0.3) & [8.3, 9.7] & 2--6 & 9.0 [8.3, 9.7] \\";
    let data = "Base,A,34.2\nBase,B,34.2\nBase,C,8.3\nBase,D,2\nBase,E,9\n";
    let second = "Base,A,0.3\nBase,B,0.3\nBase,C,9.7\nBase,D,6\nBase,E,8.3\n";
    let binding = |file: &str, cell: u8| {
        format!(
            "[[table]]\nlabel = \"t\"\ncell = {cell}\nvalue = 'select r, c, v from \"results/{file}.csv\"'\n"
        )
    };
    let audit = paper(
        "lrrrrr",
        lines,
        data,
        &[binding("t", 1), binding("second", 2), binding("third", 3)].concat(),
    )
    .with("results/second.csv", format!("r,c,v\n{second}"))
    .with("results/third.csv", "r,c,v\nBase,E,9.7\nBase,A,1\n")
    .audit();
    for column in ["A", "B", "C", "D", "E"] {
        audit.expect(&format!("t/Base/{column}"), "exact_match");
        audit.expect(&format!("t#2/Base/{column}"), "exact_match");
    }
    audit.expect("t#3/Base/E", "exact_match");
    // There is no third number.
    audit.expect("t#3/Base/A", "binding_lost");
}

#[test]
fn several_entries_may_bind_one_label_each_with_its_own_relation() {
    let lines =
        "Method & BLEU & p \\\\\nBase & 31.2 & $<$0.001 \\\\\nLattice & 34.2 & $<$0.05 \\\\";
    let entry = |more: &str, column: &str| {
        format!(
            "[[table]]\nlabel = \"t\"\n{more}value = '''select r, c, v from \"results/t.csv\" where c = '{column}' '''\n"
        )
    };
    let data = "Base,BLEU,31.2\nLattice,BLEU,34.2\nBase,p,0.0002\nLattice,p,0.06\n";
    let audit = paper(
        "lrr",
        lines,
        data,
        &[entry("", "BLEU"), entry("relation = \"<\"\n", "p")].concat(),
    )
    .audit();
    audit.expect("t/Base/BLEU", "exact_match");
    audit.expect("t/Lattice/BLEU", "exact_match");
    audit.expect("t@2/Base/p", "agrees");
    audit.expect("t@2/Lattice/p", "number_mismatch");
    let audit = paper(
        "lrr",
        lines,
        data,
        &[
            entry("id = \"scores\"\n", "BLEU"),
            entry("id = \"ps\"\ntolerance = 0.02\n", "p"),
        ]
        .concat(),
    )
    .audit();
    audit.expect("scores/Base/BLEU", "exact_match");
    audit.expect("ps/Base/p", "agrees");
    audit.expect("ps/Lattice/p", "agrees");
    let rounded = "Base,BLEU,31.29\nLattice,BLEU,34.21\n";
    let audit = paper("lrr", lines, rounded, &entry("round = \"down\"\n", "BLEU")).audit();
    audit.expect("t/Base/BLEU", "rounding_ok");
}

#[test]
fn the_label_of_a_sub_float_names_the_tabular_before_it() {
    let part = |label: &str, value: &str| {
        format!(
            "\\begin{{subtable}}{{0.4\\textwidth}}\n\\begin{{tabular}}{{lr}}\nMethod & BLEU \\\\\nBase & {value} \\\\\n\\end{{tabular}}\n\\caption{{Part.}}\\label{{{label}}}\n\\end{{subtable}}\n"
        )
    };
    let body = format!(
        "\\begin{{table}}\n{}{}\\caption{{Both.}}\\label{{whole}}\n\\end{{table}}",
        part("a", "31.2"),
        part("b", "34.2")
    );
    let binding = |label: &str, value: &str| {
        format!(
            "[[table]]\nlabel = \"{label}\"\nvalue = \"select 'Base', 'BLEU', max(v) from \\\"results/t.csv\\\" where v < {value}\"\n"
        )
    };
    let audit = Paper::new(&body)
        .with("results/t.csv", "v\n31.2\n34.2\n")
        .claims(&[binding("a", "32"), binding("b", "99")].concat())
        .audit();
    audit.expect("a/Base/BLEU", "exact_match");
    audit.expect("b/Base/BLEU", "exact_match");
    assert_eq!(audit.verdict(), "PASS", "{audit}");
}

#[test]
fn other_environments_of_tables_are_read_too() {
    let rows = "Method & BLEU \\\\\nBase & 31.2 \\\\\n";
    for table in [
        format!(
            "\\begin{{table*}}\n\\caption{{S.}}\\label{{t}}\n\\begin{{tabular*}}{{\\textwidth}}{{lr}}\n{rows}\\end{{tabular*}}\n\\end{{table*}}"
        ),
        format!(
            "\\begin{{table}}\n\\caption{{S.}}\n\\label{{t}}\n\\begin{{tabularx}}{{\\textwidth}}{{lX}}\n{rows}\\end{{tabularx}}\n\\end{{table}}"
        ),
        format!(
            "\\begin{{longtable}}{{lr}}\n\\caption{{S.}}\\label{{t}}\\\\\n{rows}\\end{{longtable}}"
        ),
        format!(
            "\\begin{{table}}\n\\resizebox{{\\textwidth}}{{!}}{{%\n\\begin{{tabular}}{{l S[table-format=2.1]}}\n{rows}\\end{{tabular}}}}\n\\caption{{S.}}\\label{{t}}\n\\end{{table}}"
        ),
        format!(
            "\\begin{{table}}\n\\begin{{threeparttable}}\n\\caption{{S.}}\\label{{t}}\n\\begin{{tabular}}{{lr}}\n{rows}\\end{{tabular}}\n\\end{{threeparttable}}\n\\end{{table}}"
        ),
    ] {
        let audit = Paper::new(&table)
            .with("results/t.csv", "r,c,v\nBase,BLEU,31.2\n")
            .claims(ALL)
            .audit();
        expect(&audit, &[("Base/BLEU", "exact_match")]);
    }
}

#[test]
fn a_row_of_the_query_without_a_cell_is_lost() {
    let lines = "Method & BLEU & Time \\\\\nBase & 31.2 & --- \\\\\nLattice & 34.2 & n/a \\\\";
    for (row, column) in [
        ("Greedy", "BLEU"),
        ("Base", "chrF"),
        ("Base", "Time"),
        ("Lattice", "Time"),
        ("Method", "BLEU"),
    ] {
        let audit = paper(
            "lrr",
            lines,
            &format!("Base,BLEU,31.2\n{row},{column},1\n"),
            ALL,
        )
        .audit();
        let lost: Vec<&str> = audit
            .bound()
            .values()
            .filter(|entry| status(entry) == "binding_lost")
            .map(|entry| text(entry, "id"))
            .collect();
        assert!(
            lost.contains(&"t") || lost.contains(&format!("t/{row}/{column}").as_str()),
            "{row} {column}: {audit}"
        );
        assert_eq!(audit.verdict(), "FAIL", "{audit}");
        audit.expect_message(&[row, column]);
    }
    let gone = paper(
        "lrr",
        lines,
        "Base,BLEU,31.2\n",
        &ALL.replace("\"t\"", "\"gone\""),
    )
    .audit();
    assert!(
        gone.bound()
            .values()
            .all(|entry| status(entry) == "binding_lost"),
        "{gone}"
    );
    assert_eq!(gone.verdict(), "FAIL", "{gone}");
}

#[test]
fn numbers_of_a_table_that_no_query_covers_are_unbound() {
    let audit = paper(
        "lrr",
        "Method & BLEU & Time \\\\\nBase & 31.2 & 7.25 \\\\\nLattice & 34.2 & 5.50 \\\\",
        "Base,BLEU,31.2\nLattice,BLEU,34.2\n",
        ALL,
    )
    .audit();
    assert_eq!(audit.unbound(), ["7.25", "5.50"], "{audit}");
    assert_eq!(audit.verdict(), "WARN");
    let tables = &audit.artifact["details"]["coverage"]["tables"];
    assert_eq!(
        (tables["bound"].as_u64(), tables["unbound"].as_u64()),
        (Some(2), Some(2)),
        "{tables}"
    );
}

#[test]
fn a_query_that_does_not_give_row_column_and_value_is_an_error_of_its_table_alone() {
    let lines = "Method & BLEU \\\\\nBase & 31.2 \\\\";
    for query in [
        "select r, v from \"results/t.csv\"",
        "select r, c, v, v from \"results/t.csv\"",
        "select r, c, 'high' from \"results/t.csv\"",
        "select r, c, null from \"results/t.csv\"",
        "select r, c, v from \"results/t.csv\" where v > 99",
        "select r, c, w from \"results/t.csv\"",
    ] {
        let audit = paper(
            "lr",
            lines,
            "Base,BLEU,31.2\n",
            &format!("[[table]]\nlabel = \"t\"\nid = \"bad\"\nvalue = '''{query}'''\n\n{ALL}"),
        )
        .audit();
        assert_eq!(audit.verdict(), "ERROR", "{query}: {audit}");
        for (key, entry) in audit.bound() {
            let wanted = if key.0.starts_with("bad") {
                "binding_error"
            } else {
                "exact_match"
            };
            assert_eq!(status(entry), wanted, "{query}: {entry}");
        }
        assert_eq!(audit.bound().len(), 2, "{query}: {audit}");
    }
}

/// A mark at the beginning or end of an anchor is one cell, and never extends into the row or paragraph before.
#[test]
fn a_mark_at_the_edge_of_an_anchor_is_the_number_next_to_it() {
    let body = "It fell by $-1$ point.\n\n\\begin{tabular}{lrr}\nTau & x & y \\\\\n16 & 12.4 & 0 \\\\\n64 & 46.1 & 0 \\\\\n\
                $5\\times10^{-4}$ & 52.5 & 0 \\\\\n$1\\times10^{-3}$ & 54.7 & 0 \\\\\n2 views & 83.9 & 7 \\\\\n\\end{tabular}";
    let bind = |id: &str, text: &str, value: &str| {
        format!(
            "[[claim]]\nid = \"{id}\"\nin = \"main.tex\"\ntext = '{text}'\nvalue = \"select {value}\"\n\n"
        )
    };
    let claims = [
        bind("first", "[[64]] & 46.1 & 0", "64"),
        bind("power", r"$[[1\times10^{-3}]]$ & 54.7 & 0", "0.001"),
        bind("word", "[[2]] views & 83.9", "2"),
        bind("last", "views & 83.9 & [[7]]", "7"),
    ];
    let audit = Paper::new(body).claims(&claims.concat()).audit();
    for id in ["first", "power", "word", "last"] {
        audit.expect(id, "exact_match");
    }
}
