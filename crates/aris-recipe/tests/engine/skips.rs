//! Skips in public recipes, where a note says how the work goes on, or only one way makes sense.

use std::path::PathBuf;

use aris_recipe::graph::Graph;
use aris_recipe::model::{Target, load};

/// A recipe, a step, and the step after it when it is skipped.
const SKIPS: [(&str, &str, &str); 13] = [
    ("implementation", "claim_issue", "compute_branch"),
    ("implementation-groups", "claim_issue", "compute_branch"),
    ("remediation", "claim_issue", "compute_branch"),
    ("implementation", "audit_impl", "push"),
    ("implementation-groups", "audit_impl", "push"),
    ("remediation", "audit_impl", "commit_guard"),
    ("merge-prs", "audit_impl", "compute_domain_partitions"),
    ("implementation", "review_pr", "ci_watch"),
    ("implementation-groups", "review_pr", "ci_watch"),
    ("remediation", "review_pr", "ci_watch"),
    ("research", "review_design", "create_worktree"),
    ("research", "review_research_pr", "audit_claims"),
    ("research", "audit_claims", "route_review_resolve"),
];

/// The folder of recipes of a checkout of `AutoSkillit` that the variable `AUTOSKILLIT_DIR` names, or one in `corpora` above this
/// workspace.
fn recipes() -> Option<PathBuf> {
    let named = std::env::var_os("AUTOSKILLIT_DIR").map(PathBuf::from);
    let above = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let near = above
        .ancestors()
        .map(|folder| folder.join("corpora/autoskillit"))
        .find(|folder| folder.is_dir());
    let folder = named.or(near)?.join("src/autoskillit/recipes");
    folder.is_dir().then_some(folder)
}

#[test]
fn public_recipes_go_on_where_a_person_would() {
    let Some(folder) = recipes() else {
        eprintln!("skipped: no checkout of AutoSkillit; name one with AUTOSKILLIT_DIR");
        return;
    };
    for (recipe, step, target) in SKIPS {
        let text = std::fs::read_to_string(folder.join(format!("{recipe}.yaml"))).unwrap();
        let recipe = load(&text, ".aris/temp").unwrap();
        let at = recipe.position(step).unwrap();
        let skip = &Graph::of(&recipe).skips[&at];
        let found = skip.target.as_ref().map(Target::name);
        assert_eq!(
            found,
            Some(target),
            "{} {step}: {:?}",
            recipe.name,
            skip.how
        );
    }
}
