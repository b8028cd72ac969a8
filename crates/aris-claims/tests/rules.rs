//! One honest and one wrong sentence for each rule that reads a number by its neighbours.
#![cfg(test)]

use std::sync::Arc;

use aris_claims::{EvidenceReader, Pins, Status};
use aris_latex::{Document, Loaded};

const RESULTS: &[(&str, &str)] = &[
    (
        "results/auc.csv",
        "method,cohort,auc,ci_low,ci_high\n\
         ours,test,0.834,0.819,0.848\n\
         forest,test,0.781,0.766,0.795\n\
         ridge,test,0.742,0.729,0.757\n",
    ),
    (
        "results/strong.csv",
        "method,nodes,steps_per_second\n\
         ours,1,11.3\nours,8,77.6\nforest,1,7.0\nforest,8,43.9\n",
    ),
    ("results/run_0.json", r#"{"failed": 0, "collisions": 0}"#),
    ("results/run_1.json", r#"{"failed": 1, "collisions": 0}"#),
    (
        "results/counts.csv",
        "group,patients\nall,1000\nsmokers,250\ndiabetics,124\nasthmatics,333\n",
    ),
];

/// The status of the number that is written as `text`; none when it is no claim.
fn status(sentence: &str, text: &str) -> Option<Status> {
    let source = format!("\\begin{{document}}\n{sentence}\n\\end{{document}}\n");
    let mut loader = |path: &str| match path {
        "main.tex" => Loaded::Text(Arc::from(source.as_str())),
        _ => Loaded::Absent,
    };
    let document = Document::read("main.tex", &mut loader).unwrap();
    let mut reader = EvidenceReader::default();
    for (path, content) in RESULTS {
        reader.add(path, content.as_bytes()).unwrap();
    }
    let report = aris_claims::audit(&document, &reader.finish(), &Pins::default());
    report
        .claims
        .iter()
        .find(|claim| claim.text == text)
        .map(|claim| claim.status)
}

#[test]
fn neighbours_decide_what_a_number_is() {
    let share = |share: &str| {
        format!(
            "\\begin{{tabular}}{{lr}}Group & Patients (\\%) \\\\ \\midrule \
             smokers & 250 (25.0) \\\\ diabetics & 124 (12.4) \\\\ asthmatics & 333 ({share}) \\\\ \
             \\end{{tabular}}"
        )
    };
    let cases: Vec<(String, &str, Option<Status>)> = vec![
        // Bounds are compared with the columns of bounds, not with the value.
        (
            "Our method has an AUC of 0.834 (95\\% CI 0.819--0.848) on the test cohort.".into(),
            "0.819",
            Some(Status::ExactMatch),
        ),
        (
            "Our method has an AUC of 0.834 (95\\% CI 0.819--0.884) on the test cohort.".into(),
            "0.884",
            Some(Status::NumberMismatch),
        ),
        // The second of two parallel numbers names only what is different.
        (
            "Our method has an AUC of 0.834, forest 0.781 and ridge 0.742.".into(),
            "0.742",
            Some(Status::ExactMatch),
        ),
        (
            "Our method has an AUC of 0.834, forest 0.781 and ridge 0.724.".into(),
            "0.724",
            Some(Status::NumberMismatch),
        ),
        // Efficiency of scaling.
        (
            "With our method, 8 nodes reach 77.6 steps per second, an efficiency of 86\\%.".into(),
            "86",
            Some(Status::RoundingOk),
        ),
        (
            "With our method, 8 nodes reach 77.6 steps per second, an efficiency of 93\\%.".into(),
            "93",
            Some(Status::DeltaError),
        ),
        // Both numbers of the share are there.
        (
            "Of the patients, 250 of 1000 (25\\%) were smokers.".into(),
            "25",
            Some(Status::ExactMatch),
        ),
        (
            "Of the patients, 250 of 1000 (27\\%) were smokers.".into(),
            "27",
            Some(Status::DeltaError),
        ),
        // "Never" is contradicted by one count.
        (
            "Every run finished without failure.".into(),
            "Every",
            Some(Status::ScopeOverclaim),
        ),
        (
            "Every run finished without collision.".into(),
            "Every",
            Some(Status::ExactMatch),
        ),
        // A column of shares has one total.
        (share("33.3"), "33.3", Some(Status::ExactMatch)),
    ];
    for (sentence, text, expected) in cases {
        assert_eq!(status(&sentence, text), expected, "{text} in {sentence}");
    }
}
