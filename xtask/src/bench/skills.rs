//! Installing all skills of this tree, looking after an installation, starting helpers as skills do, and linting trees of skills.

use std::path::Path;

use super::Bench;
use super::measure::{Limit::Beyond, Limit::Median, Place, compare, heading, read_all};
use crate::cargo;
use crate::fault::Fault;
use crate::random::Random;

/// A source with the programs of this machine, beside which a project is made anew for each run.
fn source(bench: &Bench<'_>) -> Result<Place, Fault> {
    let place = Place::new()?;
    let copy = "mkdir source && cp -R \"$0\" source/skills && rm -rf source/skills/*/scripts/bin";
    bench
        .shell(copy, bench.workspace.at("skills"), place.path())
        .once()?;
    let triple = cargo::host_triple(bench.workspace)?;
    for row in &bench.workspace.rows {
        let (folder, name) = (format!("source/{}/bin", row.scripts()), &row.name);
        let copy = format!("mkdir -p {folder} && cp \"$0\" {folder}/{name}-{triple}");
        bench.shell(&copy, bench.path(name), place.path()).once()?;
    }
    Ok(place)
}

/// Empties the project, then times `script`, whose `$0` is the installer.
fn anew(bench: &Bench<'_>, place: &Place, script: &str) -> Result<f64, Fault> {
    let run = |script: &str| {
        bench
            .shell(script, bench.path("install_aris"), place.path())
            .once()
    };
    run("rm -rf project && mkdir project")?;
    run(script)
}

pub(super) fn install(bench: &Bench<'_>) -> Result<(), Fault> {
    heading("install_aris and contract_check: all skills, 30 runs");
    let place = source(bench)?;
    let nothing = bench.call("true", Path::new("/"));
    for (mode, by_hand) in [
        (
            "symlink",
            "ln -s ../../../source/skills/* .agents/skills; ln -s ../../../source/skills/* .claude/skills",
        ),
        (
            "copy",
            "cp -R ../source/skills/* .agents/skills; for s in .agents/skills/*; do ln -s ../../$s .claude/skills; done; sync -f .",
        ),
    ] {
        let by_hand = format!("cd project; mkdir -p .agents/skills .claude/skills; {by_hand}");
        let install = format!("exec \"$0\" project --quiet --aris-repo source --mode {mode}");
        let ours = || anew(bench, &place, &install);
        let theirs = || anew(bench, &place, &by_hand);
        compare(
            &format!("install, {mode} (with sh)"),
            ours,
            "ln or cp, and sync",
            theirs,
            30,
            Median(50.0),
        )?;
        ours()?;
        for words in [
            "install_aris --reconcile --quiet --aris-repo ../source",
            "contract_check doctor",
            "contract_check status",
        ] {
            let call = bench.call(words, &place.at("project"));
            compare(
                &format!("{words}, {mode}"),
                &call,
                "true",
                &nothing,
                30,
                Median(30.0),
            )?;
        }
    }
    Ok(())
}

/// What it costs to start a helper as skills do: through its launcher, and through a name under `.aris/tools`.
pub(super) fn launcher(bench: &Bench<'_>) -> Result<(), Fault> {
    heading("launcher: save_trace --version, 200 runs");
    let place = source(bench)?;
    anew(
        bench,
        &place,
        "exec \"$0\" project --quiet --aris-repo source --mode copy",
    )?;
    let binary = bench.call("save_trace --version", &place.at("project"));
    for script in [
        ".claude/skills/review-tracing/scripts/save_trace",
        ".aris/tools/save_trace",
        ".aris/tools/save_trace.sh",
    ] {
        let call = bench.call(&format!("sh {script} --version"), &place.at("project"));
        compare(script, &call, "the binary", &binary, 200, Beyond(3.0))?;
    }
    Ok(())
}

/// The linter over trees of 1,000 and 10,000 files, beside reading every byte of the same trees.
pub(super) fn lint(bench: &Bench<'_>) -> Result<(), Fault> {
    for (skills, limit) in [(100, 150.0), (1_000, 1_500.0)] {
        heading(format!(
            "skill_lint: {skills} skills, {} files, 9 runs",
            skills * 10
        ));
        let place = Place::new()?;
        for skill in 0..skills {
            write_skill(&place, skill)?;
        }
        let lint = bench.call(
            "skill_lint --json --no-config --profile all --fail-on never .",
            place.path(),
        );
        let reading = || read_all(place.path());
        compare(
            "skill_lint, all rules",
            &lint,
            "reading, all processors",
            reading,
            9,
            Median(limit),
        )?;
        lint.memory(100.0)?;
    }
    Ok(())
}

/// One skill of ten files: its page, five references, three scripts and an asset, about 100 KiB.
fn write_skill(place: &Place, seed: u64) -> Result<(), Fault> {
    let mut random = Random(seed);
    let folder = format!("skills/skill-{seed}");
    let mut page = format!(
        "---\nname: skill-{seed}\ndescription: Reads pages and counts words. Use when a text must be counted.\n---\n\n# Skill {seed}\n\n\
         ```sh\npython3 scripts/count.py --json FILE\nbash scripts/list.sh\nnode scripts/show.js\n```\n\n"
    );
    for part in 0..5 {
        page.extend([format!(
            "Read [part {part}](references/part-{part}.md) for the details.\n\n"
        )]);
        place.write(
            &format!("{folder}/references/part-{part}.md"),
            reference(&mut random),
        )?;
    }
    page.push_str(&lines(&mut random, 60, "@ @ @ @ @ @ @ @ @ @ @ @ @ @.\n"));
    place.write(&format!("{folder}/SKILL.md"), page)?;
    for (path, head, line, count) in [
        (
            "scripts/count.py",
            "#!/usr/bin/env python3\n\"\"\"Count words.\n\nUsage: count.py FILE\nExamples: count.py a\nExit: 0\n\"\"\"\nimport argparse\n\n",
            "def @_@(value):\n    return [value, \"@\"]\n",
            150,
        ),
        (
            "scripts/list.sh",
            "#!/usr/bin/env bash\n# Usage: list.sh\n# Examples: list.sh\n# Exit: 0\nset -uo pipefail\n",
            "@=\"${1:-@}\"; printf '%s\\n' \"$@\" | sort -u\n",
            150,
        ),
        (
            "scripts/show.js",
            "#!/usr/bin/env node\n// Usage: show.js\n",
            "const @_@ = (x) => `${x} @`;\n",
            150,
        ),
        ("assets/table.csv", "", "@,@\n", 300),
    ] {
        place.write(
            &format!("{folder}/{path}"),
            head.to_owned() + &lines(&mut random, count, line),
        )?;
    }
    Ok(())
}

/// So many copies of `form`, with a word for each `@`.
fn lines(random: &mut Random, count: usize, form: &str) -> String {
    const WORDS: [&str; 23] = [
        "the", "page", "counts", "reader", "with", "table", "some", "every", "text", "rule",
        "file", "when", "result", "takes", "plain", "before", "section", "number", "writes",
        "value", "model", "paper", "check",
    ];
    let parts: Vec<&str> = form.split('@').collect();
    let mut text = String::new();
    for _ in 0..count {
        for (at, part) in parts.iter().enumerate() {
            text.push_str(if at == 0 { "" } else { random.pick(&WORDS) });
            text.push_str(part);
        }
    }
    text
}

/// A page with headings, lists, code and links to its headings.
fn reference(random: &mut Random) -> String {
    let mut page = String::new();
    for part in 0..25 {
        let heading = lines(random, 1, "@ @ ") + &part.to_string();
        let anchor = heading.replace(' ', "-");
        page.extend([
            format!("\n## {heading}\n\n"),
            lines(random, 1, "- `@` and **@**, see "),
        ]);
        page.extend([
            format!("[it](#{anchor})\n"),
            lines(random, 1, "\n```sh\n@ --@ \"$X\"\n```\n\n"),
        ]);
        page.push_str(&lines(random, 5, "@ @ @ @ @ @ @ @ @ @ @ @ @ @.\n"));
    }
    page
}
