//! Blocks that find a helper: the older template by its anchor line (SR502), generated blocks by their markers (SR518).

use super::v1;

/// A line inside a fence, with its number in the file; block-quote marks are gone.
pub(super) type Line<'a> = (usize, &'a str);

const BEGIN: &str = "# aris-resolver ";
const VERSION: &str = "v2:";
const END: &str = "# aris-resolver end";

/// `VAR=".aris/tools/…"` or `VAR=".aris/skills/…"`, alone on its line inside a fence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Anchor<'a> {
    /// Which of the fence's lines it is.
    pub(super) index: usize,
    pub(super) variable: &'a str,
    /// The path below `.aris/`.
    pub(super) path: &'a str,
}

/// The anchor on this line.
fn anchor(index: usize, line: &str) -> Option<Anchor<'_>> {
    let (variable, value) = line.trim().split_once("=\".aris/")?;
    let path = value.strip_suffix('"')?;
    let below = path
        .strip_prefix("tools/")
        .or_else(|| path.strip_prefix("skills/"))?;
    let is_path = !below.is_empty() && !below.contains(['"', '$', '`']);
    (is_variable(variable) && is_path).then_some(Anchor {
        index,
        variable,
        path,
    })
}

fn is_variable(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

/// All anchors of a fence.
pub(super) fn anchors<'a>(lines: &[Line<'a>]) -> Vec<Anchor<'a>> {
    (lines.iter().enumerate())
        .filter_map(|(index, (_, line))| anchor(index, line))
        .collect()
}

/// How a block differs from the older template.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Difference {
    /// Line of the chain, from 2 to 4, that is not the template's.
    Chain(usize),
    /// The chain is right, but what must stand before it in the fence does not.
    Prelude,
}

/// Compares the block at an anchor with the older template; `None` when it is equal. `prelude` is where the first one stands.
pub(super) fn difference(
    lines: &[Line<'_>],
    anchor: &Anchor<'_>,
    prelude: Option<usize>,
) -> Option<Difference> {
    let equal = chain_length(lines, anchor);
    if equal < 4 {
        return Some(Difference::Chain(equal + 1));
    }
    let stands = prelude.is_some_and(|at| at + v1::PRELUDE.len() <= anchor.index);
    (!stands).then_some(Difference::Prelude)
}

/// How many lines at an anchor are those of the older template's chain: 1 to 4.
pub(super) fn chain_length(lines: &[Line<'_>], anchor: &Anchor<'_>) -> usize {
    let chain = v1::chain(anchor.variable, anchor.path);
    let here = lines.get(anchor.index..).unwrap_or_default().iter();
    (here.zip(&chain))
        .take_while(|((_, line), expected)| line.trim() == expected.as_str())
        .count()
}

/// Where the older template's prelude stands first.
pub(super) fn prelude(lines: &[Line<'_>]) -> Option<usize> {
    lines.windows(v1::PRELUDE.len()).position(|window| {
        (window.iter().zip(v1::PRELUDE)).all(|((_, line), expected)| line.trim() == expected)
    })
}

/// What stands between two markers, or why it cannot be told.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Block<'a> {
    /// Which of the fence's lines holds the first marker.
    pub(super) index: usize,
    pub(super) marked: Result<Marked<'a>, &'static str>,
}

/// A block with both markers.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Marked<'a> {
    pub(super) variable: &'a str,
    pub(super) helper: &'a str,
    /// Which of the fence's lines holds the last marker.
    pub(super) end: usize,
}

/// The generated blocks of a fence.
pub(super) fn blocks<'a>(lines: &[Line<'a>]) -> Vec<Block<'a>> {
    let mut found = Vec::new();
    let mut index = 0;
    while let Some((_, line)) = lines.get(index) {
        let line = line.trim();
        if line == END {
            found.push(Block {
                index,
                marked: Err("end marker without a beginning"),
            });
        } else if line.starts_with(BEGIN) {
            let marked = marked(lines, index);
            let end = marked.as_ref().map_or(index, |marked| marked.end);
            found.push(Block { index, marked });
            index = end;
        }
        index += 1;
    }
    found
}

fn marked<'a>(lines: &[Line<'a>], index: usize) -> Result<Marked<'a>, &'static str> {
    let first = lines.get(index).map_or("", |(_, line)| line.trim());
    let mut words = first
        .strip_prefix(BEGIN)
        .unwrap_or_default()
        .split_whitespace();
    if words.next() != Some(VERSION) {
        return Err("unknown template version in the marker");
    }
    let (Some(variable), Some(helper), None) = (words.next(), words.next(), words.next()) else {
        return Err("the marker does not name one variable and one helper");
    };
    if !is_variable(variable) {
        return Err("the marker's variable is no shell variable");
    }
    for (offset, (_, line)) in lines.iter().enumerate().skip(index + 1) {
        let line = line.trim();
        if line == END {
            return Ok(Marked {
                variable,
                helper,
                end: offset,
            });
        }
        if line.starts_with(BEGIN) {
            break;
        }
    }
    Err("the block has no end marker")
}

/// The white space at the beginning of a line.
pub(super) fn indent_of(line: &str) -> &str {
    line.get(..line.len() - line.trim_start().len())
        .unwrap_or_default()
}

/// The last part of a path.
pub(super) fn last_part(path: &str) -> &str {
    path.trim_end_matches('/')
        .rsplit('/')
        .next()
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbered(text: &str) -> Vec<Line<'_>> {
        text.lines().zip(1..).map(|(line, at)| (at, line)).collect()
    }

    fn older(variable: &str, path: &str) -> String {
        let chain = v1::chain(variable, path);
        format!("{}\n{}\n", v1::PRELUDE.join("\n"), chain.join("\n"))
    }

    #[test]
    fn anchors_are_whole_lines() {
        for (line, expected) in [
            ("X=\".aris/tools/a.py\"", Some(("X", "tools/a.py"))),
            (
                "\t_Y1=\".aris/skills/s/scripts/b\" ",
                Some(("_Y1", "skills/s/scripts/b")),
            ),
            ("X=\".aris/tools/\"", None),
            ("X=\".aris/other/a\"", None),
            ("X='.aris/tools/a.py'", None),
            ("X=\".aris/tools/a.py\" # note", None),
            ("X=\".aris/tools/$N\"", None),
            ("export X=\".aris/tools/a.py\"", None),
            ("1X=\".aris/tools/a.py\"", None),
        ] {
            let found = anchor(0, line).map(|anchor| (anchor.variable, anchor.path));
            assert_eq!(found, expected, "{line}");
        }
    }

    #[test]
    fn the_older_template_is_accepted_only_whole() {
        let whole = older("WIKI", "tools/wiki.py");
        let check = |text: &str, expected: Option<Difference>| {
            let lines = numbered(text);
            let anchors = anchors(&lines);
            assert_eq!(anchors.len(), 1, "{text}");
            assert_eq!(
                difference(&lines, &anchors[0], prelude(&lines)),
                expected,
                "{text}"
            );
        };
        check(&whole, None);
        let indented = format!("   {}", whole.replace('\n', "\n   "));
        check(&indented, None);
        let with_comment = whole.replace("WIKI=\".aris", "# here\nWIKI=\".aris");
        check(&with_comment, None);
        check(
            &whole.replace("[ -f \"$WIKI\" ] || WIKI=\"\"\n", ""),
            Some(Difference::Chain(4)),
        );
        check(
            &whole.replace("WIKI=\"tools/wiki.py\"", "WIKI=\"tools/other.py\""),
            Some(Difference::Chain(2)),
        );
        check(
            &whole.replace("$ARIS_REPO/tools", "$ARIS_REPO/x"),
            Some(Difference::Chain(3)),
        );
        check(&whole.replace("|| exit 1", ""), Some(Difference::Prelude));
        check(
            &v1::chain("WIKI", "tools/wiki.py").join("\n"),
            Some(Difference::Prelude),
        );
        let split = whole.replace("\nfi\n", "\n\nfi\n");
        check(&split, Some(Difference::Prelude));
    }

    #[test]
    fn one_prelude_serves_several_chains() {
        let text = older("A", "tools/a.py") + &v1::chain("B", "tools/b.py").join("\n");
        let lines = numbered(&text);
        let found: Vec<_> = (anchors(&lines).iter())
            .map(|anchor| difference(&lines, anchor, prelude(&lines)))
            .collect();
        assert_eq!(found, [None, None]);
    }

    #[test]
    fn markers_name_one_variable_and_one_helper() {
        for (text, expected) in [
            (
                "# aris-resolver v2: A b\nx\n# aris-resolver end",
                Ok(("A", "b", 2)),
            ),
            (
                "# aris-resolver v3: A b\n# aris-resolver end",
                Err("unknown template version in the marker"),
            ),
            (
                "# aris-resolver v2: A\n# aris-resolver end",
                Err("the marker does not name one variable and one helper"),
            ),
            (
                "# aris-resolver v2: A-B c\n# aris-resolver end",
                Err("the marker's variable is no shell variable"),
            ),
            (
                "# aris-resolver v2: A b\nx",
                Err("the block has no end marker"),
            ),
            (
                "# aris-resolver v2: A b\nx\n# aris-resolver v2: C d\n# aris-resolver end",
                Err("the block has no end marker"),
            ),
            ("# aris-resolver end", Err("end marker without a beginning")),
        ] {
            let lines = numbered(text);
            let blocks = blocks(&lines);
            let found = (blocks[0].marked.as_ref())
                .map(|marked| (marked.variable, marked.helper, marked.end))
                .map_err(|message| *message);
            assert_eq!(found, expected, "{text}");
        }
        assert_eq!(blocks(&numbered("# a comment\n")), []);
    }
}
