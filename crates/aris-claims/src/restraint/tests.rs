use aris_latex::{Document, Loaded};

use crate::{EvidenceReader, Pins, Status};

const RECORDS: &str = "model,cohort,auc,ci_low,ci_high,patients,events\n\
    forest,north,0.861,0.853,0.869,4000,505\n\
    ridge,north,0.802,0.793,0.811,4000,342\n";

/// Statuses of the numbers that read `wanted`, in a paper with this body.
fn statuses(body: &str, results: &[(&str, &str)], wanted: &str) -> Vec<Status> {
    let text = format!("\\begin{{document}}{body}\\end{{document}}");
    let mut files = |path: &str| match path {
        "main.tex" => Loaded::Text(text.as_str().into()),
        _ => Loaded::Absent,
    };
    let document = Document::read("main.tex", &mut files).unwrap();
    let mut reader = EvidenceReader::default();
    for (path, bytes) in results {
        reader.add(path, bytes.as_bytes()).unwrap();
    }
    let report = crate::audit(&document, &reader.finish(), &Pins::default());
    report
        .claims
        .iter()
        .filter(|claim| claim.text.eq_ignore_ascii_case(wanted))
        .map(|claim| claim.status)
        .collect()
}

fn table(rows: &str) -> String {
    format!(
        "\\begin{{table}}\\caption{{Cohort north.}}\\begin{{tabular}}{{lrr}}\
         Model & AUC & Events \\\\ \\midrule {rows} \\end{{tabular}}\\end{{table}}"
    )
}

#[test]
fn bounds_in_brackets_belong_to_the_value_before_them() {
    let rows = "Forest & .861 (.853, .869) & 505 \\\\ Ridge & .802 (.793, .811) & 342 \\\\";
    for bound in [".853", ".869", ".793", ".811"] {
        let found = statuses(&table(rows), &[("results/auc.csv", RECORDS)], bound);
        assert_eq!(found, [Status::ExactMatch], "{bound}");
    }
}

#[test]
fn a_bound_of_another_row_is_still_wrong() {
    let rows = "Forest & .861 (.853, .869) & 505 \\\\ Ridge & .802 (.793, .869) & 342 \\\\";
    let found = statuses(&table(rows), &[("results/auc.csv", RECORDS)], ".869");
    assert_eq!(found, [Status::ExactMatch, Status::NumberMismatch]);
}

#[test]
fn swapped_cells_are_still_wrong() {
    let rows = "Forest & .802 & 505 \\\\ Ridge & .861 & 342 \\\\";
    for cell in [".802", ".861"] {
        let found = statuses(&table(rows), &[("results/auc.csv", RECORDS)], cell);
        assert_eq!(found, [Status::NumberMismatch], "{cell}");
    }
}

#[test]
fn a_wrong_digit_is_still_wrong() {
    let rows = "Forest & .816 & 505 \\\\ Ridge & .802 & 342 \\\\";
    let found = statuses(&table(rows), &[("results/auc.csv", RECORDS)], ".816");
    assert_eq!(found, [Status::NumberMismatch]);
}

#[test]
fn the_second_value_of_a_list_is_the_next_row() {
    let body = "On the north cohort the AUC was 0.861 and 0.802.";
    let found = statuses(body, &[("results/auc.csv", RECORDS)], "0.802");
    assert!(
        found.iter().all(|status| !status.is_mismatch()),
        "{found:?}"
    );
    assert!(!found.is_empty());
}

#[test]
fn an_article_is_no_setting() {
    let results = [("results/config.yaml", "mic_dropout: 0.35\nruns: 5\n")];
    let body = "With mic dropout, if one microphone is bad, stop listening to it.";
    let found = statuses(body, &results, "one");
    assert!(
        found.iter().all(|status| !status.is_mismatch()),
        "{found:?}"
    );
}

#[test]
fn a_difference_from_a_named_row_is_no_value_of_it() {
    let results = [(
        "results/lead.csv",
        "model,median_h\nforest,21.5\nridge,9.4\n",
    )];
    let body = "The forest warns a median of 21.5 hours before, 12.1 hours sooner than the ridge.";
    let found = statuses(body, &results, "12.1");
    assert!(
        found.iter().all(|status| !status.is_mismatch()),
        "{found:?}"
    );
    assert!(!found.is_empty());
}

#[test]
fn shares_and_totals_follow_from_counts() {
    let rows = "Forest & .861 & 12.6\\% \\\\ Ridge & .802 & 8.6\\% \\\\";
    for share in ["12.6", "8.6"] {
        let found = statuses(&table(rows), &[("results/auc.csv", RECORDS)], share);
        assert!(
            found.iter().all(|status| !status.is_mismatch()),
            "{share} {found:?}"
        );
        assert!(!found.is_empty());
    }
}

#[test]
fn idioms_and_averages_are_no_statements_about_all_cases() {
    let results = [(
        "results/wer.csv",
        "system,room,wer\nours,kitchen,12.1\nours,office,14.2\nplain,kitchen,13.1\nplain,office,13.9\n",
    )];
    for body in [
        "Averaged over all rooms, ours has a lower WER.",
        "In our WER nothing at all is better than plain.",
    ] {
        assert_eq!(statuses(body, &results, "all"), [], "{body}");
    }
    let body = "Ours has a lower WER than plain in all rooms.";
    assert_eq!(statuses(body, &results, "all"), [Status::ScopeOverclaim]);
}

#[test]
fn a_mean_of_whole_ratings_may_have_decimals() {
    let results = [(
        "results/ratings.csv",
        "model,seed,rating\nforest,0,4\nforest,1,5\nridge,0,3\nridge,1,4\n",
    )];
    let table = |forest: &str| {
        format!(
            "\\begin{{table}}\\begin{{tabular}}{{lr}}Model & Rating \\\\ \\midrule \
             Forest & {forest} \\\\ Ridge & 3.50 \\\\ \\end{{tabular}}\\end{{table}}"
        )
    };
    assert_eq!(
        statuses(&table("4.50"), &results, "4.50"),
        [Status::ExactMatch]
    );
    assert_eq!(
        statuses(&table("4.05"), &results, "4.05"),
        [Status::NumberMismatch]
    );
}

mod parts {
    use super::super::scope::clause_around;
    use super::super::{digits, far};
    use crate::decimal::Decimal;

    #[test]
    fn transposed_digits_and_wrong_powers_have_the_same_digits() {
        let value = |text: &str| Decimal::parse(text).unwrap();
        for (one, other, same) in [
            ("5368", "5638", true),
            ("3.1e-15", "3.1e-18", true),
            ("0.45", "301", false),
        ] {
            assert_eq!(digits(value(one)) == digits(value(other)), same, "{one}");
        }
        assert!(far(value("0.23"), value("301")));
        assert!(!far(value("84.7"), value("82.4")));
        assert!(!far(value("0"), value("0")));
    }

    #[test]
    fn clauses_end_at_commas_and_brackets() {
        let sentence = "It needs 2, and always wins (see A).";
        let at = sentence.find("always").unwrap();
        assert_eq!(
            sentence.get(clause_around(sentence, at)),
            Some(", and always wins ")
        );
        assert_eq!(clause_around("", 0), 0..0);
    }
}
