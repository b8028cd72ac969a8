use super::*;

fn found(paths: &[&str], text: &str) -> Vec<usize> {
    Matcher::new(paths.iter().copied())
        .files(text)
        .into_iter()
        .collect()
}

#[test]
fn mentions() {
    let paths = [
        "scripts/tool.py",
        "assets/fonts/a.ttf",
        "references/guide.md",
        "assets/my file (1).png",
        "scripts/lib/x.sh",
    ];
    for (text, expected) in [
        ("run tool.py now", vec![0]),
        ("run TOOL.PY.", vec![0]),
        ("`scripts/tool.py`", vec![0]),
        ("tool.py.bak", vec![0]),
        ("mytool.py my-tool.py .tool.py tool.pyc tool.py-x", vec![]),
        ("文件tool.py", vec![0]),
        ("python -m scripts.tool", vec![0]),
        ("scripts.toolbox xscripts.tool", vec![]),
        ("see assets/fonts/ here", vec![1]),
        ("see assets/fonts/*", vec![1]),
        ("see assets/fonts.", vec![1]),
        ("${CLAUDE_SKILL_DIR}/assets/fonts", vec![1]),
        ("assets/fonts/b.ttf assets/fontsize myassets/fonts", vec![]),
        ("references/ and assets/", vec![]),
        ("GUIDE.md", vec![2]),
        ("see My File (1).png", vec![3]),
        ("x.shx", vec![]),
    ] {
        assert_eq!(found(&paths, text), expected, "{text}");
    }
}

#[test]
fn hostile_text_takes_linear_time() {
    let paths = ["scripts/a.b.c.py", "assets/x/y/z.png"];
    for piece in ["a.", "a/", "./", "a.b.c", "/"] {
        found(&paths, &piece.repeat(1_000_000 / piece.len()));
    }
}
