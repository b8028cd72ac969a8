use aris_contract::schema;
use strum::VariantArray as _;

use super::*;

fn read(body: &str) -> Result<Policy, PolicyError> {
    Policy::read(
        format!("{{\"schema\": \"{}\"{body}}}", schema::id::POLICY).as_bytes(),
        "test",
    )
}

#[test]
fn the_built_in_policy_weighs_every_id_and_is_not_weaker_than_itself() {
    let policy = Policy::built_in().expect("valid");
    for id in FindingId::VARIANTS {
        assert!(policy.severity.contains_key(id), "{}", id.word());
    }
    assert_eq!(read("").expect("valid").weakened, Vec::<String>::new());
    assert_eq!(
        policy.audits.iter().filter(|rule| rule.mandatory).count(),
        3
    );
}

#[test]
fn the_copy_for_people_is_the_built_in_policy() {
    let copy = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../skills/paper-writing/assets/audit-policy.json"
    );
    let bytes = aris_fs::read(std::path::Path::new(copy), 1 << 20).expect("copy");
    assert!(bytes == BUILT_IN, "copy assets/policy.json to {copy}");
}

#[test]
fn everything_weaker_is_named() {
    let cases = [
        (
            r#", "severity": {"stale_input": "warn"}"#,
            "severity.stale_input",
        ),
        (
            r#", "severity": {"trace_unchained": "info"}"#,
            "severity.trace_unchained",
        ),
        (r#", "clock_skew_seconds": 86400"#, "clock_skew_seconds"),
        (r#", "allowed_roots": ["/data"]"#, "allowed_roots"),
        (
            r#", "coverage": [{"kind": "tex"}, {"kind": "bibliography", "audits": ["citation-audit"]}, {"kind": "data", "audits": ["paper-claim-audit"]}]"#,
            "coverage.tex",
        ),
        (r#", "families": {}"#, "families.anthropic"),
        (
            r#", "audits": [{"artifact": "PROOF_AUDIT.json", "skill": "proof-checker", "mandatory": true, "deterministic": ["x"]}], "coverage": []"#,
            "audits.proof-checker.deterministic",
        ),
        (
            r#", "audits": [{"artifact": "PROOF_AUDIT.json", "skill": "proof-checker", "mandatory": true}], "coverage": []"#,
            "audits.citation-audit",
        ),
        (
            r#", "audits": [{"artifact": "OTHER.json", "skill": "proof-checker", "mandatory": true}], "coverage": []"#,
            "audits.proof-checker",
        ),
    ];
    for (body, expected) in cases {
        let weakened = read(body).expect(body).weakened;
        assert!(
            weakened.iter().any(|name| name == expected),
            "{expected} in {weakened:?}"
        );
    }
    for stronger in [
        r#", "severity": {"trace_unchained": "block"}"#,
        r#", "require_chain": true, "clock_skew_seconds": 0"#,
    ] {
        assert!(read(stronger).expect(stronger).weakened.is_empty());
    }
}

#[test]
fn a_chain_that_is_no_longer_required_is_weaker() {
    let base = read(r#", "require_chain": true"#).expect("valid");
    assert_eq!(compare::weaker(&base, &base), [""; 0]);
    let lax = read(r#", "require_chain": false"#).expect("valid");
    assert_eq!(compare::weaker(&lax, &base), ["require_chain"]);
}

#[test]
fn a_smaller_share_of_bound_numbers_is_weaker() {
    let asks = |text: &str| read(&format!(r#", "min_bound": {text}"#)).expect(text);
    let base = asks(r#"{"abstract": 1, "tables": 0.9}"#);
    assert!(
        base.weakened.is_empty(),
        "the built-in policy asks for nothing"
    );
    for (text, weaker) in [
        (r#"{"abstract": 1, "tables": 0.9, "text": 0.5}"#, vec![]),
        (
            r#"{"abstract": 0.99, "tables": 0.9}"#,
            vec!["min_bound.abstract"],
        ),
        ("{}", vec!["min_bound.abstract", "min_bound.tables"]),
    ] {
        assert_eq!(compare::weaker(&asks(text), &base), weaker, "{text}");
    }
}

#[test]
fn invalid_policies_name_the_place() {
    let cases = [
        ("{}", "missing field `schema`", 1),
        ("{\"schema\": \"other/v1\"}", "schema is \"other/v1\"", 1),
        (
            "{\n\"schema\": \"aris.verify_paper_audits.policy/v1\",\n\"severity\": {\"no_such\": \"warn\"}}",
            "unknown variant",
            3,
        ),
        (
            "{\n\"schema\": \"aris.verify_paper_audits.policy/v1\",\n\"sevverity\": {}}",
            "unknown field",
            3,
        ),
        (
            "{\n\"schema\": \"aris.verify_paper_audits.policy/v1\",\n\"audits\": []}",
            "no audit is mandatory",
            3,
        ),
        (
            "{\n\"schema\": \"aris.verify_paper_audits.policy/v1\",\n\n\"clock_skew_seconds\": -1}",
            "0 to 86400",
            4,
        ),
        (
            "{\n\"schema\": \"aris.verify_paper_audits.policy/v1\",\n\"coverage\": [{\"kind\": \"tex\",\n \"audits\": [\"nobody\"]}]}",
            "no skill of an audit",
            4,
        ),
        (
            "{\n\"schema\": \"aris.verify_paper_audits.policy/v1\",\n\"audits\": [{\"artifact\": \"../X.json\", \"skill\": \"x\", \"mandatory\": true}]}",
            "not the name of",
            3,
        ),
        (
            "{\n\"schema\": \"aris.verify_paper_audits.policy/v1\",\n\"min_bound\": {\"tables\": 90}}",
            "a share of 90 in tables",
            3,
        ),
        (
            "{\n\"schema\": \"aris.verify_paper_audits.policy/v1\",\n\"min_bound\": {\"captions\": 0.5}}",
            "unknown field",
            3,
        ),
        (
            "{\n\"schema\": \"aris.verify_paper_audits.policy/v1\",\n\"allowed_roots\": [\"\"]}",
            "\"\" is not a folder",
            3,
        ),
        (
            "{\n\"schema\": \"aris.verify_paper_audits.policy/v1\",\n\"allowed_roots\": [\"a\\u0000\"]}",
            "is not a folder",
            3,
        ),
        (
            "{\n\"schema\": \"aris.verify_paper_audits.policy/v1\",\n\"families\": {\"openai\": [\"\"]}}",
            "\"\" is not the beginning",
            3,
        ),
        (
            "{\n\"schema\": \"aris.verify_paper_audits.policy/v1\",\n\"families\": {\"openai\": [\"GPT\"]}}",
            "\"GPT\" is not the beginning",
            3,
        ),
        ("{\"schema\": 1, \"schema\": 2}", "duplicate key", 1),
    ];
    for (text, message, line) in cases {
        let error = Policy::read(text.as_bytes(), "test").expect_err(text);
        assert!(
            error.message.contains(message) && error.line == line,
            "{error:?} for {text}"
        );
        if message == "no skill of an audit" {
            assert_eq!(error.column, 13);
        }
    }
}

#[test]
fn families_are_known_by_the_beginnings_of_names() {
    let policy = Policy::built_in().expect("valid");
    for (name, family) in [
        ("claude-code", Some("anthropic")),
        ("Claude Opus 4", Some("anthropic")),
        ("gpt-5.5", Some("openai")),
        ("openai/gpt-5", Some("openai")),
        ("openrouter/anthropic/claude-opus", Some("anthropic")),
        ("codex", Some("openai")),
        ("gemini-3-pro", Some("google")),
        ("cursor", None),
        ("", None),
        ("deterministic/paper_claim_audit@0.1.0", None),
    ] {
        assert_eq!(policy.family(name), family, "{name}");
    }
}
