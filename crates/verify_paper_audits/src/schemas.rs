//! The schemas of this crate's files are current.

use aris_contract::artifact::audit::Audit;
use aris_contract::schema;
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::Value;

use crate::{Manifest, PREDICATE_SCHEMA, PolicyFile, Predicate, Report, SCHEMA};

fn check<T: JsonSchema>(id: &str) {
    let schema = SchemaSettings::draft2020_12()
        .into_generator()
        .into_root_schema_for::<T>();
    let mut value = serde_json::to_value(schema).expect("json");
    value["$id"] = Value::from(id);
    let text = format!("{value:#}\n");
    let path = format!(
        "{}/../../schemas/{}",
        env!("CARGO_MANIFEST_DIR"),
        schema::file_name(id)
    );
    let path = std::path::Path::new(&path);
    #[expect(
        clippy::disallowed_methods,
        reason = "tests read their switch directly"
    )]
    if std::env::var_os("UPDATE_SCHEMAS").is_some() {
        aris_fs::create_dir(path.parent().expect("folder")).expect("folder");
        aris_fs::write_atomic(path, text.as_bytes()).expect("written");
    }
    let found = aris_fs::read_text(path).unwrap_or_default();
    assert!(
        found == text,
        "{} is not current: run with UPDATE_SCHEMAS=1",
        path.display()
    );
}

#[test]
fn schemas_are_current() {
    check::<Report>(SCHEMA);
    check::<Predicate>(PREDICATE_SCHEMA);
    check::<PolicyFile>(schema::id::POLICY);
    check::<Manifest>(schema::id::PAPER_MANIFEST);
    check::<Audit>(schema::id::AUDIT);
}
