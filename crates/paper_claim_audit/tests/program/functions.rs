//! Calculations in queries: the added functions, and values that are not numbers.

use std::fmt::Write as _;

use crate::support::{expect_cases, status, text};

#[test]
fn each_added_function_gives_what_its_formula_gives() {
    let (x, y) = ([3.1, 1.2, 4.7, 1.9, 5.3_f64], [2.7, 1.5, 4.1, 2.2, 6.0_f64]);
    let n = 5.0_f64;
    let mean = |values: &[f64; 5]| values.iter().sum::<f64>() / n;
    let pairs = || x.iter().zip(&y);
    let squares = |values: &[f64; 5]| {
        values
            .iter()
            .map(|value| (value - mean(values)).powi(2))
            .sum::<f64>()
    };
    let mut sorted = x;
    sorted.sort_by(f64::total_cmp);
    let quantile = |share: f64| {
        let at = share * (n - 1.0);
        let low = [0.0, 1.0, 2.0, 3.0, 4.0]
            .into_iter()
            .rposition(|index| index <= at)
            .expect("an index");
        let high = sorted.get(low + 1).unwrap_or(&sorted[4]);
        sorted[low] + (at - at.floor()) * (high - sorted[low])
    };
    let product = pairs()
        .map(|(a, b)| (a - mean(&x)) * (b - mean(&y)))
        .sum::<f64>();
    let table = [
        ("median", "median(x)", sorted[2]),
        ("quantile", "quantile(x, 0.3)", quantile(0.3)),
        ("upper", "quantile(x, 0.975)", quantile(0.975)),
        ("last", "quantile(x, 1)", sorted[4]),
        ("stddev", "stddev(x)", (squares(&x) / (n - 1.0)).sqrt()),
        ("population", "stddev_pop(x)", (squares(&x) / n).sqrt()),
        ("sem", "sem(x)", (squares(&x) / (n - 1.0) / n).sqrt()),
        (
            "geomean",
            "geomean(x)",
            (x.iter().map(|value| value.ln()).sum::<f64>() / n).exp(),
        ),
        (
            "rmse",
            "rmse(x, y)",
            (pairs().map(|(a, b)| (a - b).powi(2)).sum::<f64>() / n).sqrt(),
        ),
        (
            "mae",
            "mae(x, y)",
            pairs().map(|(a, b)| (a - b).abs()).sum::<f64>() / n,
        ),
        (
            "corr",
            "corr(x, y)",
            product / (squares(&x) * squares(&y)).sqrt(),
        ),
        ("ln", "sum(ln(x))", x.iter().map(|value| value.ln()).sum()),
        (
            "log",
            "sum(log10(x))",
            x.iter().map(|value| value.log10()).sum(),
        ),
        (
            "exp",
            "sum(exp(x))",
            x.iter().map(|value| value.exp()).sum(),
        ),
        (
            "sqrt",
            "sum(sqrt(x))",
            x.iter().map(|value| value.sqrt()).sum(),
        ),
        (
            "pow",
            "sum(pow(x, 3))",
            x.iter().map(|value| value.powi(3)).sum(),
        ),
        ("mean", "avg(x)", mean(&x)),
        (
            "even",
            "median(x + 0.0) filter (where x < 5)",
            sorted[1].midpoint(sorted[2]),
        ),
    ];
    let mut data = String::from("x,y\n");
    for (a, b) in pairs() {
        writeln!(data, "{a},{b}").expect("text");
    }
    // Rows without a value are not counted.
    data += ",\n";
    let mut cases = String::new();
    for (name, sql, value) in table {
        let shown = format!("{value:.9}").replace('-', "$-$");
        writeln!(
            cases,
            "{name} | {shown} | select {sql} from \"results/v.csv\" | agrees"
        )
        .expect("text");
    }
    expect_cases(&data, &cases);
}

#[test]
fn functions_without_a_number_to_give_are_errors_of_their_bindings() {
    let functions = r"
        single | stddev(x) filter (where x = 1)
        nobody | median(x) filter (where x > 99)
        negative | geomean(x - 5)
        logarithm | sum(ln(x - 1))
        root | sum(sqrt(x - 3))
        overflow | max(x) * 1e308 * 10
        zero | max(x) / 0
        constant | corr(x, 1)
        share | quantile(x, 1.5)
        words | median(w)
        sum | sum(w)
        mean | avg(w)
        nan | avg(n)
        infinite | max(i)
        name | max(nothing)
        syntax | max(x
        unknown | mode(x)
        several | x
        columns | max(x), min(x)
        text | max(w)
    ";
    let mut cases = String::from("good | 2 | select avg(x) from \"results/v.csv\" | exact_match\n");
    for (name, sql) in functions.lines().filter_map(|row| row.split_once(" | ")) {
        writeln!(
            cases,
            "{name} | 2 | select {sql} from \"results/v.csv\" | binding_error"
        )
        .expect("text");
    }
    let audit = expect_cases("x,w,n,i\n1,a,1,1\n2,b,NaN,2\n3,c,3,inf\n", &cases);
    assert_eq!(audit.verdict(), "ERROR", "{audit}");
    audit.expect_message(&["nothing"]);
    for entry in audit
        .bound()
        .values()
        .filter(|entry| status(entry) == "binding_error")
    {
        assert!(
            entry["value"].is_null() || text(entry, "value").is_empty(),
            "{entry}"
        );
    }
}

#[test]
fn text_in_a_mean_is_refused_with_file_and_line() {
    let mut data = String::from("k,x\n");
    for row in 0..40 {
        let value = if row == 17 {
            "n.d.".to_owned()
        } else {
            row.to_string()
        };
        writeln!(data, "a{row},{value}").expect("text");
    }
    for function in ["avg", "sum", "median", "stddev", "sem"] {
        let case =
            format!("x | 19.5 | select {function}(x) from \"results/v.csv\" | binding_error");
        let audit = expect_cases(&data, &case);
        audit.expect_message(&["results/v.csv", "19", "n.d."]);
    }
}
