use aris_testkit::check_schema;

use super::*;

#[test]
fn schemas_are_current() {
    check_schema::<Vec<report::Item>>(report::SCHEMA);
    check_schema::<Vec<report::RuleView>>(report::RULES_SCHEMA);
    check_schema::<report::RulePage>(report::RULE_SCHEMA);
    check_schema::<Vec<baseline::Entry>>(baseline::SCHEMA);
}
