//! `resolve`: the result of each layer.

use aris_testkit::Project;
use serde_json::{Value, json};

use super::{call, program};

fn states(data: &Value) -> Vec<(u64, String)> {
    data["layers"]
        .as_array()
        .expect("layers")
        .iter()
        .map(|layer| {
            (
                layer["layer"].as_u64().expect("number"),
                layer["state"].as_str().expect("state").to_owned(),
            )
        })
        .collect()
}

fn expected(states: &[(u64, &str)]) -> Vec<(u64, String)> {
    let hosts = [(4, "absent"); 3];
    states
        .iter()
        .chain(&hosts)
        .map(|(layer, state)| (*layer, (*state).to_owned()))
        .collect()
}

#[test]
fn every_layer_is_shown_with_what_it_has() {
    let project = Project::new()
        .file("skill/research-wiki/scripts/none", "x")
        .file("tools/research_wiki.py", "x")
        .file("repo here/tools/research_wiki.py", "other");
    let resolve = |repository: &str| {
        program()
            .call(project.path())
            .args([
                "resolve",
                "research_wiki",
                "--json",
                "--skill-dir",
                "skill/research-wiki",
            ])
            .env("ARIS_REPO", repository)
            .run()
    };
    let data = resolve("repo here").expect_code(0).data();
    assert_eq!(
        states(&data),
        expected(&[(0, "absent"), (1, "absent"), (2, "used"), (3, "hidden")])
    );
    assert_eq!(
        data["argv"],
        json!(["python3", project.at("tools/research_wiki.py")])
    );
    assert_eq!(data["shipped"], true);
    // An unusable file stops the chain; the next layer does not replace it.
    project.write(".aris/tools/research_wiki.py/folder", "");
    let data = resolve("repo here").expect_code(10).data();
    assert_eq!(
        states(&data),
        expected(&[(0, "absent"), (1, "unusable"), (2, "hidden"), (3, "hidden")])
    );
    assert_eq!(data["layers"][1]["reason"], "is a directory");
    assert_eq!(
        (data["found"].clone(), data["argv"].clone()),
        (json!(false), json!([]))
    );
}

#[test]
fn the_record_of_an_installation_names_the_repository() {
    let project = Project::new().file("elsewhere/tools/save_trace.sh", "x");
    let record = format!(
        "version\t1\nrepo_root\t{}\n",
        project.at("elsewhere").display()
    );
    project.write(".aris/installed-skills.txt", record);
    let data = call(&project, &["resolve", "save_trace.sh", "--json"])
        .expect_code(0)
        .data();
    assert_eq!(
        states(&data),
        expected(&[(1, "absent"), (2, "absent"), (3, "used")])
    );
}

#[test]
fn layer_zero_is_the_owner_beside_the_skill_and_a_variable_that_nobody_replaced_is_none() {
    let project = Project::new()
        .file("s/review-tracing/scripts/save_trace", "#!/bin/sh\n")
        .file("s/paper-writing/SKILL.md", "");
    for (folder, layers) in [
        (
            "s/review-tracing",
            &[(0, "used"), (1, "absent"), (2, "absent")][..],
        ),
        (
            "s/review-tracing/../paper-writing",
            &[(0, "used"), (1, "absent"), (2, "absent")],
        ),
        (
            "t/paper-writing",
            &[(0, "absent"), (1, "absent"), (2, "absent")],
        ),
        ("${CLAUDE_SKILL_DIR}", &[(1, "absent"), (2, "absent")]),
    ] {
        let run = call(
            &project,
            &["resolve", "save_trace", "--json", "--skill-dir", folder],
        );
        assert_eq!(states(&run.data()), expected(layers), "{folder}");
    }
}

#[test]
fn copies_in_the_folders_of_hosts_are_found_where_nothing_is_installed() {
    let launcher = "skills/review-tracing/scripts/save_trace";
    let project = Project::new().file(&format!(".gemini/{launcher}"), "#!/bin/sh\n");
    let found = || {
        let data = call(&project, &["resolve", "save_trace", "--json"])
            .expect_code(0)
            .data();
        data["argv"][1].as_str().expect("a path").to_owned()
    };
    for host in [".gemini", ".claude", ".agents"] {
        project.write(&format!("{host}/{launcher}"), "#!/bin/sh\n");
        assert!(found().ends_with(&format!("/{host}/{launcher}")), "{host}");
    }
}

#[test]
fn people_see_what_to_do() {
    let project = Project::new();
    let run = call(&project, &["resolve", "paper_illustration_image2"]).expect_code(10);
    assert!(!run.stdout().contains("not shipped"), "{run}");
    assert!(run.stdout().contains("policy A\t"), "{run}");
}
