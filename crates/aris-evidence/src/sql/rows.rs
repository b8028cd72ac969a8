//! Finds the rows that a query uses.

use super::tokens::{Kind, Token, tokens};

/// Keywords after which a result does not come from exactly the rows chosen by `from` and `where`.
const BEYOND: &str = "group having union intersect except window limit offset";

/// A query for the rows that `sql` takes its value from. `None` if the text does not show them: it reads no table, groups,
/// combines several queries, or uses only some of the rows.
///
/// **Shape**: `select X from T where C order by O` gives `select * from T where C order by O`.
pub fn rows_query(sql: &str) -> Option<String> {
    let tokens = tokens(sql.trim().trim_end_matches(';'));
    if !tokens.first()?.is_any("select") {
        return None;
    }
    let mut depth = 0_usize;
    let mut from = None;
    for token in &tokens {
        match token {
            token if token.is_any("(") => depth += 1,
            token if token.is_any(")") => depth = depth.checked_sub(1)?,
            token if depth == 0 && is_word(token, BEYOND) => return None,
            token if depth == 0 && from.is_none() && is_word(token, "from") => {
                from = Some(token.start);
            }
            _ => {}
        }
    }
    let end = tokens.last()?.end();
    let rest = sql.trim().get(from?..end)?;
    Some(format!("select * {rest}"))
}

fn is_word(token: &Token<'_>, words: &str) -> bool {
    token.kind == Kind::Word && token.is_any(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_told_where_the_text_tells_them() {
        let rows = |sql: &str| rows_query(sql);
        assert_eq!(
            rows("select max(bleu) from \"a from.csv\" where seed = 1;").as_deref(),
            Some("select * from \"a from.csv\" where seed = 1")
        );
        assert_eq!(
            rows("SELECT (select 1 from x) FROM y ORDER BY z").as_deref(),
            Some("select * FROM y ORDER BY z")
        );
        for other in [
            "select 1",
            "with a as (select 1) select * from a",
            "select x from y group by z",
            "select x from y order by z limit 1",
            "select x from y union select x from z",
            "select (x from y",
            "",
        ] {
            assert_eq!(rows(other), None, "{other}");
        }
    }
}
