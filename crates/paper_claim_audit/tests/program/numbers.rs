//! Numbers as LaTeX shows them, compared with the data.

use std::fmt::Write as _;

use crate::support::{Paper, expect_cases, status, text};

/// Checks rows `name | value | shown | status`, optionally with `| key = value` for the binding; several marks have several values.
fn expect(rows: &str) {
    let (mut data, mut cases) = (String::from("k,v\n"), String::new());
    for row in rows
        .lines()
        .map(str::trim)
        .filter(|row| !row.is_empty() && !row.starts_with('#'))
    {
        let (name, rest) = row.split_once(" | ").expect("a name");
        let (values, rest) = rest.split_once(" | ").expect("values");
        let mut queries = Vec::new();
        for (number, value) in values.split(' ').enumerate() {
            writeln!(data, "{name}-{number},{value}").expect("text");
            queries.push(format!(
                "select v from \"results/v.csv\" where k = '{name}-{number}'"
            ));
        }
        let query = match queries.as_slice() {
            [one] => one.clone(),
            many => format!("['''{}''']", many.join("''', '''")),
        };
        let (shown, rest) = rest.split_once(" | ").expect("what is shown");
        writeln!(cases, "{name} | {shown} | {query} | {rest}").expect("text");
    }
    expect_cases(&data, &cases);
}

#[test]
fn signs_separators_powers_units_and_words_are_read() {
    expect(
        r"
        plain | 12.4 | 12.4 | exact_match
        zeros | 12.4 | 12.400 | exact_match
        hyphen | -0.5 | -0.5 | exact_match
        dollars | -0.5 | $-$0.5 | exact_match
        minus | -0.5 | −0.5 | exact_match
        math | -0.5 | $[[-0.5]]$ | exact_match
        wholemath | -0.5 | [[$-0.5$]] | exact_match
        parentheses | -0.5 | \([[-0.5]]\) | exact_match
        comma | 1234 | 1,234 | exact_match
        commas | 1234567 | 1,234,567 | exact_match
        braced | 1234567 | 1{,}234{,}567 | exact_match
        small | 1234567 | 1\,234\,567 | exact_match
        thin | 1234567 | 1\u{2009}234\u{2009}567 | exact_match
        narrow | 1234567 | 1\u{202f}234\u{202f}567 | exact_match
        both | 1234567.89 | 1,234,567.89 | exact_match
        power | 6e-17 | $[[6\times 10^{-17}]]$ | exact_match
        close | 6e-17 | \([[6\times10^{-17}]]\) | exact_match
        mantissa | 6e-17 | $[[6.0\times 10^{-17}]]$ | exact_match
        large | 600000 | $[[6.0\times 10^{5}]]$ | exact_match
        num | 1234.5 | \num{1234.5} | exact_match
        numpower | 0.0012 | \num{1.2e-3} | exact_match
        numoptions | 1234.5 | \num[round-mode=none]{1234.5} | exact_match
        si | 12.4 | \SI{12.4}{ms} | exact_match
        sioptions | 12.4 | \SI[per-mode=symbol]{12.4}{\milli\second} | exact_match
        qty | 12.4 | \qty{12.4}{\milli\second} | exact_match
        word | 8 | eight | exact_match
        capital | 8 | Eight | exact_match
        tens | 21 | twenty-one | exact_match
        dozen | 12 | twelve | exact_match
        zero | 0 | zero | exact_match
        ordinal | 25 | [[25]]th | exact_match
        percent | 58.8 | [[58.8]]\% | exact_match
        bold | 12.4 | \textbf{[[12.4]]} | exact_match
        tilde | 12.4 | [[12.4]]~ms | exact_match
        point | 0.048 | .048 | exact_match
    ",
    );
}

#[test]
fn sets_ranges_and_intervals_need_no_rule_of_their_own() {
    expect(
        r"
        range | 36 40 | [[36]]--[[40]] | exact_match exact_match
        hyphened | 36 40 | [[36]]-[[40]] | exact_match exact_match
        set | 36 40 | \(n\in\{[[36]],[[40]]\}\) | exact_match exact_match
        dots | 36 40 | \(d=[[36]],\ldots,[[40]]\) | exact_match exact_match
        interval | 14.3 15.9 | [[[14.3]], [[15.9]]] | exact_match exact_match
        upper | 15.9 | [14.3, [[15.9]]] | exact_match
        lower | 14.3 | [[[14.3]], 15.9] | exact_match
        negative | -3 8 | [[$-$3]]--[[8]] | exact_match exact_match
        brackets | -3 8 | [$[[-3]]$, $[[8]]$] | exact_match exact_match
        inverted | 36 40 | [[40]]--[[36]] | number_mismatch number_mismatch
        second | 36 40 | [[36]]--[[41]] | exact_match number_mismatch
    ",
    );
}

#[test]
fn digits_that_touch_a_number_leave_open_what_readers_see() {
    expect(
        r"
        decimals | 56 | [[56]],7 | binding_lost
        braced | 56 | [[56]]{,}7 | binding_lost
        blank | 56 | [[56]] 000 | binding_lost
        tie | 56 | [[56]]~000 | binding_lost
        half | 56 | [[56]]½ | binding_lost
        square | 56 | [[56]]² | binding_lost
        germantail | 5 | 1.779,[[5]] | binding_lost
        pair | 5 | (0.1,[[5]]) | exact_match
        german | 1.779 | [[1.779]],5 | binding_lost
        version | 56.000 | [[56.000]].000 | binding_lost
        before | 5 | 1,[[5]] | binding_lost
        bracedbefore | 5 | 12{,}[[5]] | binding_lost
        last | 500 | 12 [[500]] | binding_lost
        thirds | 3.141 | [[3.141]]\,59 | binding_lost
        tail | 59 | 3.141\,[[59]] | binding_lost
        apostrophe | 56 | [[56]]'000 | binding_lost
        list | 56 7 | [[56]],[[7]] | exact_match exact_match
        spaced | 56 | [[56]], 7 | exact_match
        points | 0.1 | ([[0.1]],5) | exact_match
        thousandths | 0.125 | ([[0.125]],5) | exact_match
        name | 405 | Llama 3 [[405]] | exact_match
        hyphen | 500 | CIFAR-10 [[500]] | exact_match
        pointer | 100 | Table 2 [[100]] | exact_match
        grouped | 500 | reached 12 [[500]] | binding_lost
        zeros | 5 | Ulm 1 [[005]] | binding_lost
        year | 300 | in 2019 [[300]] | exact_match
        sentence | 56 | [[56]]. 7 | exact_match
        ratio | 12 | [[12]]/64 | exact_match
    ",
    );
}

#[test]
fn what_differs_is_a_mismatch_however_it_is_shown() {
    expect(
        r"
        digit | 12.4 | 12.5 | number_mismatch
        coarse | 12.4 | 13 | number_mismatch
        unsigned | -0.5 | 0.5 | number_mismatch
        signed | 12.4 | $-$12.4 | number_mismatch
        dash | 12.4 | −12.4 | number_mismatch
        thousands | 1234567 | 1,234,568 | number_mismatch
        power | 6e-17 | $[[6\times 10^{-16}]]$ | number_mismatch
        signless | 6e-17 | $[[6\times 10^{17}]]$ | number_mismatch
        mantissa | 6e-17 | $[[6.1\times 10^{-17}]]$ | number_mismatch
        num | 1234.5 | \num{1234.6} | number_mismatch
        word | 8 | nine | number_mismatch
        share | 58.8 | 0.588 | number_mismatch
        hundreds | 1234 | 1,200 | number_mismatch
        zeros | 12.4 | 12.40001 | number_mismatch
    ",
    );
}

#[test]
fn a_value_agrees_when_it_rounds_to_the_digits_shown_and_a_half_goes_either_way() {
    expect(
        r"
        down | 12.43 | 12.4 | rounding_ok
        halfup | 12.35 | 12.4 | rounding_ok
        halfdown | 12.35 | 12.3 | rounding_ok
        halfeven | 12.45 | 12.4 | rounding_ok
        halfodd | 12.45 | 12.5 | rounding_ok
        beyond | 12.4500001 | 12.4 | number_mismatch
        above | 12.4500001 | 12.5 | rounding_ok
        binaryup | 0.285 | 0.29 | rounding_ok
        binarydown | 0.285 | 0.28 | rounding_ok
        wholeup | 2.5 | 3 | rounding_ok
        wholedown | 2.5 | 2 | rounding_ok
        wordup | 2.5 | three | rounding_ok
        eighth | 0.125 | 0.12 | rounding_ok
        eighthup | 0.125 | 0.13 | rounding_ok
        cent | 1.005 | 1.01 | rounding_ok
        centdown | 1.005 | 1.00 | rounding_ok
        negative | -2.5 | $-$2 | rounding_ok
        negativedown | -2.5 | $-$3 | rounding_ok
        vanishing | -0.0004 | 0.000 | rounding_ok
        vanishingsign | -0.0004 | $-$0.000 | rounding_ok
        carried | 999.96 | 1,000.0 | rounding_ok
        power | 8.8818e-16 | $[[8.88\times 10^{-16}]]$ | rounding_ok
        powerup | 8.8818e-16 | $[[8.9\times 10^{-16}]]$ | rounding_ok
        powerwrong | 8.8818e-16 | $[[8.8\times 10^{-16}]]$ | number_mismatch
        famous | 2.675 | 2.68 | rounding_ok
        famousdown | 2.675 | 2.67 | rounding_ok
        big | 1e15 | 1,000,000,000,000,000 | exact_match
        once | 0.0449 | 0.04 | rounding_ok
        notwice | 0.0449 | 0.05 | number_mismatch
    ",
    );
}

#[test]
fn rounding_tolerance_and_relation_are_said_and_never_inferred() {
    expect(
        r#"
        down | 2.49 | 2.4 | rounding_ok | round = "down"
        notdown | 2.49 | 2.5 | number_mismatch | round = "down"
        plain | 2.49 | 2.4 | number_mismatch
        up | 2.41 | 2.5 | rounding_ok | round = "up"
        notup | 2.41 | 2.4 | number_mismatch | round = "up"
        truncate | -2.49 | $-$2.4 | rounding_ok | round = "truncate"
        nottruncate | -2.49 | $-$2.5 | number_mismatch | round = "truncate"
        negativedown | -2.41 | $-$2.5 | rounding_ok | round = "down"
        negativeup | -2.49 | $-$2.4 | rounding_ok | round = "up"
        within | 31.4 | 30 | agrees | tolerance = 2
        without | 31.4 | 30 | number_mismatch | tolerance = 1
        fraction | 31.4 | 31 | agrees | tolerance = 0.4
        about | 31.4 | 30 | agrees | relation = "about"; tolerance = 2
        notabout | 31.4 | 30 | number_mismatch | relation = "about"; tolerance = 1
        less | 0.0004 | $<$[[0.001]] | agrees | relation = "<"
        equal | 0.001 | $<$[[0.001]] | number_mismatch | relation = "<"
        more | 0.0012 | $<$[[0.001]] | number_mismatch | relation = "<"
        atmost | 0.001 | $\leq$[[0.001]] | agrees | relation = "<="
        notatmost | 0.0012 | $\leq$[[0.001]] | number_mismatch | relation = "<="
        greater | 2.81 | above [[2.8]] | agrees | relation = ">"
        notgreater | 2.81 | above [[2.81]] | number_mismatch | relation = ">"
        atleast | 2.81 | at least [[2.81]] | agrees | relation = ">="
        notatleast | 2.81 | at least [[2.9]] | number_mismatch | relation = ">="
        # A sign in the text is not a relation of the binding.
        unsaid | 0.0004 | $<$[[0.001]] | number_mismatch
    "#,
    );
}

#[test]
fn each_number_of_a_binding_may_have_a_relation_of_its_own() {
    expect(
        r#"
        both | 31.4 0.0004 | [[31.4]] (p $<$ [[0.001]]) | exact_match agrees | relation = ["=", "<"]
        first | 31.4 0.0004 | [[31.5]] (p $<$ [[0.001]]) | number_mismatch agrees | relation = ["=", "<"]
        second | 31.4 0.0004 | [[31.4]] (p $<$ [[0.0001]]) | exact_match number_mismatch | relation = ["=", "<"]
    "#,
    );
}

#[test]
fn an_anchor_is_found_over_line_ends_ties_and_comments_and_its_marks_hold_whatever_stands_there_now()
 {
    let body = "Latency~falls from 12.4\n  to % a remark with 99.9 in it\n  9.1~ms in all.\n\nA \\% sign of 58.8\\% is no comment.";
    let audit = Paper::new(body)
        .with("results/v.csv", "v\n12.4\n9.1\n58.8\n")
        .claims(
            "[[claim]]\nid = \"folded\"\nin = \"main.tex\"\ntext = 'Latency falls from [[1]] to [[2]] ms in all.'\n\
             value = ['select max(v) from \"results/v.csv\" where v < 20', 'select min(v) from \"results/v.csv\"']\n\n\
             [[claim]]\nid = \"percent\"\nin = \"main.tex\"\ntext = 'A \\% sign of [[3]]\\% is no comment.'\nvalue = 'select max(v) from \"results/v.csv\"'\n",
        )
        .audit();
    audit.expect("folded", "exact_match");
    audit.expect("percent", "exact_match");
    let entries = audit.of("folded");
    let places: Vec<_> = entries
        .iter()
        .map(|entry| (entry["line"].as_u64(), entry["column"].as_u64()))
        .collect();
    assert_eq!(places, [(Some(3), Some(20)), (Some(5), Some(3))], "{audit}");
    assert!(audit.unbound().is_empty(), "{audit}");
    assert_eq!(audit.verdict(), "PASS", "{audit}");
}

#[test]
fn an_anchor_that_fits_never_or_twice_is_lost_unless_it_says_which() {
    let claim = |id: &str, text: &str, more: &str| {
        format!(
            "[[claim]]\nid = \"{id}\"\nin = \"main.tex\"\ntext = '{text}'\nvalue = 'select v from \"results/v.csv\"'\n{more}\n"
        )
    };
    let audit = Paper::new("We saw 12.4 here. Later we saw 12.4 there, and in all 12.4 were seen.\n% only a comment has 12.4 apples")
        .with("results/v.csv", "v\n12.4\n")
        .claims(
            &[
                claim("once", "we saw [[12.4]]", ""),
                claim("never", "they saw [[12.4]]", ""),
                claim("ambiguous", "saw [[12.4]]", ""),
                claim("first", "saw [[12.4]]", "nth = 1"),
                claim("second", "saw [[12.4]]", "nth = 2"),
                claim("third", "saw [[12.4]]", "nth = 3"),
                claim("comment", "only a comment has [[12.4]] apples", ""),
                claim("longer", "Later we saw [[12.4]] there", ""),
            ]
            .concat(),
        )
        .audit();
    for (id, status) in [
        ("once", "exact_match"),
        ("never", "binding_lost"),
        ("ambiguous", "binding_lost"),
        ("first", "exact_match"),
        ("second", "exact_match"),
        ("third", "binding_lost"),
        ("comment", "binding_lost"),
        ("longer", "exact_match"),
    ] {
        audit.expect(id, status);
    }
    assert_eq!(audit.verdict(), "FAIL");
    audit.expect_message(&["claims.toml", "never"]);
}

#[test]
fn a_mark_that_holds_no_single_number_is_lost() {
    for now in [
        "many",
        "12.4 and 9.1",
        "12.4 ms",
        "",
        "12.4.1",
        "about 12.4",
        r"\undefined",
    ] {
        let audit = Paper::new(&format!("Latency is {now} now."))
            .with("results/v.csv", "v\n12.4\n")
            .claims("[[claim]]\nid = \"x\"\nin = \"main.tex\"\ntext = 'Latency is [[12.4]] now.'\nvalue = 'select v from \"results/v.csv\"'\n")
            .audit();
        audit.expect("x", "binding_lost");
        assert_eq!(audit.verdict(), "FAIL", "{now}: {audit}");
    }
}

#[test]
fn a_number_in_a_macro_is_compared_where_it_is_defined() {
    let preamble = "\\documentclass{article}\n\\usepackage{local}\n\\input{preamble}\n\\def\\plain{9.1}\n\\begin{document}\nWe reach \\best, \\plain{} and \\far.\n\\end{document}\n";
    let paper = Paper::new("")
        .with("main.tex", preamble)
        .with("preamble.tex", "\\newcommand{\\best}{34.2}\n")
        .with("local.sty", "\\newcommand*{\\far}{7.5}\n")
        .with("results/v.csv", "k,v\na,34.2\nb,9.1\nc,7.5\n")
        .claims(
            &[("best", "a"), ("plain", "b"), ("far", "c")]
                .map(|(name, key)| {
                    format!(
                        "[[claim]]\nid = \"{name}\"\nmacro = \"{name}\"\nvalue = '''select v from \"results/v.csv\" where k = '{key}''''\n"
                    )
                })
                .concat(),
        );
    let audit = paper.audit();
    for (name, file) in [
        ("best", "preamble.tex"),
        ("plain", "main.tex"),
        ("far", "local.sty"),
    ] {
        audit.expect(name, "exact_match");
        assert_eq!(text(audit.one(name), "file"), file);
    }
    let hashes = audit.artifact["audited_input_hashes"]
        .as_object()
        .expect("hashes");
    for file in [
        "main.tex",
        "preamble.tex",
        "local.sty",
        "claims.toml",
        "results/v.csv",
    ] {
        assert!(hashes.contains_key(file), "{file} is not in {hashes:?}");
    }
    paper.write("preamble.tex", "\\newcommand{\\best}{34.3}\n");
    paper.write("local.sty", "");
    let audit = paper.audit();
    audit.expect("best", "number_mismatch");
    audit.expect("far", "binding_lost");
    audit.expect("plain", "exact_match");
}

#[test]
fn a_mismatch_gives_both_values_the_query_and_both_places_and_gives_no_orders() {
    let case = "wrong | 12.9 | select v from \"results/v.csv\" where k = 'a' | number_mismatch";
    let audit = expect_cases("k,v\na,12.4\n", case);
    let entry = audit.one("wrong");
    assert_eq!(
        (text(entry, "shown"), text(entry, "value")),
        ("12.9", "12.4"),
        "{entry}"
    );
    assert_eq!(
        (text(entry, "file"), entry["line"].as_u64()),
        ("main.tex", Some(3)),
        "{entry}"
    );
    assert!(text(entry, "query").contains("where k = 'a'"), "{entry}");
    assert!(text(entry, "text").contains("shows 12.9 of it"), "{entry}");
    let evidence = &entry["evidence"][0];
    assert_eq!(text(evidence, "path"), "results/v.csv", "{entry}");
    assert!(
        evidence["rows"].as_u64().is_some_and(|rows| rows > 0),
        "{entry}"
    );
    assert!(text(evidence, "sha256").len() >= 64, "{entry}");
    // The fields that unmodified skills read.
    for (field, value) in [
        ("paper_value", "12.9"),
        ("evidence_value", "12.4"),
        ("evidence_file", "results/v.csv"),
        ("location", "main.tex"),
        ("paper_text", "12.9"),
    ] {
        let field = entry[field].to_string();
        assert!(
            field.contains(value),
            "{field} does not hold {value}: {entry}"
        );
    }
    audit.expect_message(&["main.tex:3:", "12.9", "12.4"]);
    audit.expect_message(&["claims.toml:"]);
    assert!(
        !audit.said().to_lowercase().contains("replace"),
        "{}",
        audit.said()
    );
    assert_eq!(audit.verdict(), "FAIL");
    assert_eq!(status(entry), "number_mismatch");
}

/// A table may have more digits than binary arithmetic; digits beyond the known precision are not confirmed.
#[test]
fn digits_beyond_what_a_value_is_known_to_are_not_called_right() {
    expect(
        r"
        exact-integer | 9007199254740991 | 9,007,199,254,740,991 | exact_match
        exact-beyond-64-bits | 20261130123456000002 | 20261130123456000002 | exact_match
        neighbour-beyond-64-bits | 20261130123456000002 | 20261130123456000001 | number_mismatch
        one-off | 9223372036854775808.0 | 9223372036854775900 | binding_error
        far-off | 9223372036854775808.0 | 9223372036854000000 | number_mismatch
        same-digits | 9223372036854775808.0 | 9223372036854776000 | binding_error
        rounded | 9223372036854775808 | $[[9.22\times 10^{18}]]$ | rounding_ok
        printed-in-full | 0.30000000000000004 | 0.30000000000000004 | exact_match
        ",
    );
}
