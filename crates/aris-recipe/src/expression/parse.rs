//! Parses conditions, in one pass over the text.

use strum::VariantArray as _;

use super::{
    Comparison, Expression, ExpressionError, Filter, Namespace, Operand, Reference, Segment,
};

/// Most parentheses and `not` within each other. **Source**: ours; protects the stack.
const MAX_DEPTH: usize = 64;

/// Parses a condition.
pub fn parse(text: &str) -> Result<Expression, ExpressionError> {
    let mut cursor = Cursor { text, at: 0 };
    let condition = cursor.or(0)?;
    cursor.blanks();
    match cursor.peek() {
        None => Ok(condition),
        Some(found) => Err(cursor.wrong(format!(
            "{found:?} is too much here; a text with blanks or other signs needs quotes"
        ))),
    }
}

/// Parses the text between `${{` and `}}`.
pub fn parse_reference(text: &str) -> Result<Reference, ExpressionError> {
    let mut cursor = Cursor { text, at: 0 };
    let reference = cursor.filtered()?;
    match cursor.peek() {
        None => Ok(reference),
        Some(found) => Err(cursor.wrong(format!("{found:?} is too much here"))),
    }
}

struct Cursor<'a> {
    text: &'a str,
    /// Byte offset, always at the beginning of a character.
    at: usize,
}

fn is_word(sign: char) -> bool {
    sign.is_ascii_alphanumeric() || matches!(sign, '_' | '.' | '/' | '+' | '-')
}

fn is_name(sign: char) -> bool {
    sign.is_ascii_alphanumeric() || matches!(sign, '_' | '-')
}

impl<'a> Cursor<'a> {
    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn eat(&mut self, token: &str) -> bool {
        let found = self.rest().starts_with(token);
        if found {
            self.at += token.len();
        }
        found
    }

    fn blanks(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
    }

    fn take_while(&mut self, wanted: fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let end = rest.find(|sign| !wanted(sign)).unwrap_or(rest.len());
        self.at += end;
        rest.get(..end).unwrap_or_default()
    }

    /// Takes a keyword, unless a longer word begins with it.
    fn keyword(&mut self, keyword: &str) -> bool {
        let before = self.at;
        self.blanks();
        let found = self.eat(keyword) && !self.peek().is_some_and(is_word);
        if !found {
            self.at = before;
        }
        found
    }

    fn wrong(&self, message: impl Into<String>) -> ExpressionError {
        let before = self.text.get(..self.at).unwrap_or_default();
        ExpressionError {
            column: before.chars().count() + 1,
            message: message.into(),
        }
    }

    fn or(&mut self, depth: usize) -> Result<Expression, ExpressionError> {
        let mut parts = vec![self.and(depth)?];
        while self.keyword("or") {
            parts.push(self.and(depth)?);
        }
        Ok(single(parts, Expression::Or))
    }

    fn and(&mut self, depth: usize) -> Result<Expression, ExpressionError> {
        let mut parts = vec![self.not(depth)?];
        while self.keyword("and") {
            parts.push(self.not(depth)?);
        }
        Ok(single(parts, Expression::And))
    }

    fn not(&mut self, depth: usize) -> Result<Expression, ExpressionError> {
        if depth > MAX_DEPTH {
            return Err(self.wrong("nested too deeply"));
        }
        if self.keyword("not") {
            return Ok(Expression::Not(Box::new(self.not(depth + 1)?)));
        }
        self.blanks();
        if self.eat("(") {
            let inner = self.or(depth + 1)?;
            self.blanks();
            return if self.eat(")") {
                Ok(inner)
            } else {
                Err(self.wrong("a ')' is missing"))
            };
        }
        let left = self.operand()?;
        let Some(comparison) = self.comparison() else {
            return Ok(Expression::Truth(left));
        };
        let right = self.operand()?;
        Ok(Expression::Compare {
            left,
            comparison,
            right,
        })
    }

    fn comparison(&mut self) -> Option<Comparison> {
        self.blanks();
        let mut signs = Comparison::VARIANTS.iter().copied();
        signs.find(|sign| self.eat(sign.into()))
    }

    fn operand(&mut self) -> Result<Operand, ExpressionError> {
        self.blanks();
        if self.eat("${{") {
            let reference = self.filtered()?;
            return if self.eat("}}") {
                Ok(Operand::Reference(reference))
            } else {
                Err(self.wrong("\"}}\" is missing"))
            };
        }
        if matches!(self.peek(), Some('\'' | '"')) {
            return self.quoted().map(Operand::Literal);
        }
        let before = self.at;
        if let Ok(reference) = self.reference()
            && !self.peek().is_some_and(is_word)
        {
            return Ok(Operand::Reference(reference));
        }
        self.at = before;
        match self.take_while(is_word) {
            "" => Err(self.wrong(match self.peek() {
                None => String::from("a value is missing at the end"),
                Some(found) => format!("a value is missing before {found:?}"),
            })),
            keyword @ ("and" | "or" | "not") => {
                self.at = before;
                Err(self.wrong(format!("a value is missing before {keyword:?}")))
            }
            word => Ok(Operand::Literal(word.to_owned())),
        }
    }

    /// A reference with filters and blanks around it.
    fn filtered(&mut self) -> Result<Reference, ExpressionError> {
        self.blanks();
        let mut reference = self.reference().map_err(|message| self.wrong(message))?;
        self.blanks();
        while self.eat("|") {
            self.blanks();
            let name = self.take_while(is_name).to_owned();
            if name.is_empty() {
                return Err(self.wrong("the name of a filter is missing after '|'"));
            }
            let mut argument = None;
            if self.eat("(") {
                self.blanks();
                argument = Some(self.quoted()?);
                self.blanks();
                if !self.eat(")") {
                    return Err(self.wrong("a ')' is missing"));
                }
            }
            reference.filters.push(Filter { name, argument });
            self.blanks();
        }
        Ok(reference)
    }

    /// **Errors**: what is wrong at the cursor, without the column: finding it costs time, and every bareword is tried as a reference
    /// first.
    fn reference(&mut self) -> Result<Reference, &'static str> {
        let mut namespaces = Namespace::VARIANTS.iter().copied();
        let found = namespaces.find(|namespace| self.eat(namespace.into()));
        let Some(namespace) = found.filter(|_| matches!(self.peek(), Some('.'))) else {
            return Err("a reference begins with inputs., context. or result.");
        };
        let mut path = Vec::new();
        loop {
            if self.eat(".") {
                let name = self.take_while(is_name);
                if name.is_empty() {
                    return Err("a name is missing after '.'");
                }
                path.push(Segment::Name(name.to_owned()));
            } else if self.eat("[") {
                let index = self.take_while(|sign| sign.is_ascii_digit()).parse();
                match index {
                    Ok(index) if self.eat("]") => path.push(Segment::Index(index)),
                    _ => return Err("an index is a number and ']'"),
                }
            } else {
                return Ok(Reference {
                    namespace,
                    path,
                    filters: Vec::new(),
                });
            }
        }
    }

    fn quoted(&mut self) -> Result<String, ExpressionError> {
        let Some(quote @ ('\'' | '"')) = self.peek() else {
            return Err(self.wrong("a text in quotes is missing"));
        };
        let inner = self.rest().get(1..).unwrap_or_default();
        let Some(end) = inner.find(quote) else {
            return Err(self.wrong(format!("the closing {quote} is missing")));
        };
        self.at += end + 2;
        Ok(inner.get(..end).unwrap_or_default().to_owned())
    }
}

fn single(mut parts: Vec<Expression>, many: fn(Vec<Expression>) -> Expression) -> Expression {
    match (parts.len(), parts.pop()) {
        (1, Some(only)) => only,
        (_, last) => {
            parts.extend(last);
            many(parts)
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn mistakes_have_their_column() {
        for (text, column, part) in [
            ("", 1, "missing at the end"),
            ("${{ result.x }} ==", 19, "missing at the end"),
            ("${{ result.x == GO", 14, "\"}}\""),
            ("${{ x }} == GO", 5, "begins with"),
            ("result.x == NO GO", 16, "needs quotes"),
            ("(result.x", 10, "')'"),
            ("result.x == 'GO", 13, "closing"),
            ("a and", 6, "missing at the end"),
            ("and a", 1, "before \"and\""),
            ("${{ result.x | }}", 16, "filter"),
            ("${{ result.x | default(1) }}", 24, "quotes"),
        ] {
            let error = parse(text).unwrap_err();
            assert!(
                error.column == column && error.message.contains(part),
                "{text:?}: {error}"
            );
        }
        assert!(parse(&"(".repeat(100_000)).is_err());
        assert!(parse(&"not ".repeat(100_000)).is_err());
    }

    #[test]
    fn words_that_only_begin_like_keywords_are_words() {
        let Expression::Compare { left, right, .. } = parse("order == android").unwrap() else {
            panic!("a comparison");
        };
        assert_eq!(left, Operand::Literal(String::from("order")));
        assert_eq!(right, Operand::Literal(String::from("android")));
        assert_eq!(
            parse("result.out/x").unwrap(),
            Expression::Truth(Operand::Literal(String::from("result.out/x")))
        );
        assert!(parse("true").unwrap().is_always());
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(
            text in "\\PC{0,80}",
            near in "(\\$\\{\\{|\\}\\}|result\\.a|context\\.b\\[0\\]|==|<|and|or|not|\\(|\\)|'|\\||trim| ){0,24}",
        ) {
            let _one = parse(&text);
            let _other = parse(&near);
            let _third = parse_reference(&near);
        }

        #[test]
        fn a_literal_equals_itself_only(left in "[A-Za-z0-9_./+-]{1,12}", right in "[A-Za-z0-9_./+-]{1,12}") {
            let scope = crate::expression::Scope {
                inputs: &std::collections::BTreeMap::new(),
                context: &serde_json::Map::new(),
                result: &serde_json::Value::Null,
            };
            let text = format!("'{left}' == '{right}'");
            prop_assert_eq!(parse(&text).unwrap().holds(&scope, &mut Vec::new()), left == right);
        }
    }
}
