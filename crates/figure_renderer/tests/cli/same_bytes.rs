//! The same bytes in other locales and without fonts: a small version of `cargo xtask figures`.

use std::collections::BTreeSet;

use aris_testkit::{Helper, Project, workspace_root};

#[test]
fn the_environment_does_not_change_a_picture() {
    let spec = workspace_root().join("skills/figure-spec/assets/gallery/chinese-labels.json");
    let spec = spec.display().to_string();
    let mut seen = BTreeSet::new();
    for locale in ["C", "de_DE.UTF-8", "ar_EG.UTF-8"] {
        for fonts in ["/etc/fonts", "/nonexistent"] {
            let project = Project::bare();
            Helper::at(env!("CARGO_BIN_EXE_figure_renderer"))
                .call(project.path())
                .env("LC_ALL", locale)
                .env("LANG", locale)
                .env("FONTCONFIG_PATH", fonts)
                .env("HOME", project.path())
                .env("TZ", "Asia/Shanghai")
                .args(["render", &spec, "-o", "x", "--format", "svg,pdf,png"])
                .run()
                .expect_code(0);
            seen.insert(
                ["x.svg", "x.pdf", "x.png"]
                    .map(|name| std::fs::read(project.at(name)).expect("a picture")),
            );
        }
    }
    assert_eq!(seen.len(), 1);
}
