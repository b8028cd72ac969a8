//! Adds checks for texts that SQLite would treat as numbers.
//!
//! SQLite adds `NaN` and `n/a` as 0, calculates `100 * 'NaN'` as 0, sorts texts above all numbers, and takes `'n/a' > 0.5` for
//! true. This module wraps the arguments of numeric functions, the operands of arithmetic and comparisons, and sorting terms in
//! functions that refuse such texts. `min`, `max`, sorting and comparisons accept texts, too, but not texts and numbers together.
//! The rewritten query gives the result of the original, or an error.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use super::tokens::{Kind, Token, tokens};

/// Returns a number, also for a text that is a number; refuses any other text.
pub(crate) const NUMBER: &str = "__number";
/// Returns its argument; refuses `NaN` and infinities written as texts, and texts and numbers in the same comparison.
pub(crate) const ALIKE: &str = "__alike";
/// Returns its argument; refuses words for the present time or the machine's time zone.
pub(crate) const FIXED: &str = "__fixed";

/// Date functions, which use the present time unless they get a date.
const DATES: &str = "date time datetime julianday unixepoch strftime timediff";

/// Numeric functions.
const NUMERIC: &str = "abs avg ceil ceiling corr exp floor geomean ln log10 log2 mae median pow power quantile rmse \
    round sem sign sqrt stddev stddev_pop sum total";

/// Keywords that do not end an operand and are not functions.
const KEYWORDS: &str = "all and as asc between by case desc distinct else escape except exists filter following from \
    glob group groups having in intersect is isnull join like limit match not notnull offset on or order over \
    partition range regexp rows select set then union using values when where window with";

/// Operators that bind tighter than arithmetic: both sides together are one operand.
const TIGHT: &str = "-> ->> ||";

/// A query with the checks added.
#[derive(Debug)]
pub(crate) struct Guarded {
    pub(crate) sql: String,
    /// Why it is refused, if it is.
    pub(crate) refused: Option<&'static str>,
}

/// Adds the checks to a query.
pub(crate) fn guarded(sql: &str) -> Guarded {
    let tokens = tokens(sql);
    let mut hasher = DefaultHasher::new();
    sql.hash(&mut hasher);
    let mut guard = Guard {
        query: hasher.finish(),
        tokens: &tokens,
        partners: partners(&tokens),
        limits: limits(&tokens),
        wraps: Vec::new(),
        refused: None,
    };
    for at in 0..tokens.len() {
        guard.operator(at);
        guard.condition(at);
        guard.function(at);
        if guard.is(at, "natural") && guard.is(at + 1, "join left right full inner cross outer") {
            let message = "a natural join would join by `_path`, too; write `using (...)`";
            guard.refused = Some(message);
        }
    }
    // The sorting terms of a compound query can only be names or numbers of result columns.
    if !tokens
        .iter()
        .any(|token| token.is_any("union intersect except"))
    {
        guard.order();
    }
    Guarded {
        sql: guard.written(sql),
        refused: guard.refused,
    }
}

/// For each parenthesis, `case` and `end`: the index of its partner.
fn partners(tokens: &[Token<'_>]) -> Vec<Option<usize>> {
    let mut partners = vec![None; tokens.len()];
    let mut open: Vec<usize> = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        if token.is_any("( case") {
            open.push(at);
        } else if token.is_any(") end")
            && let Some(start) = open.pop()
        {
            for (one, other) in [(start, at), (at, start)] {
                if let Some(partner) = partners.get_mut(one) {
                    *partner = Some(other);
                }
            }
        }
    }
    partners
}

/// The indexes of `and` tokens that belong to `between`.
fn limits(tokens: &[Token<'_>]) -> BTreeSet<usize> {
    let mut limits = BTreeSet::new();
    let mut open = vec![0_usize];
    for (at, token) in tokens.iter().enumerate() {
        if token.is_any("( case") {
            open.push(0);
        } else if token.is_any(") end") && open.len() > 1 {
            open.pop();
        } else if let Some(waiting) = open.last_mut() {
            if token.is_any("between") {
                *waiting += 1;
            } else if token.is_any("and") && *waiting > 0 {
                *waiting -= 1;
                limits.insert(at);
            }
        }
    }
    limits
}

struct Guard<'t> {
    /// A hash of the query, to tell its comparisons from those of another query.
    query: u64,
    tokens: &'t [Token<'t>],
    partners: Vec<Option<usize>>,
    /// The indexes of `and` tokens that belong to `between`.
    limits: BTreeSet<usize>,
    wraps: Vec<Wrap<'t>>,
    refused: Option<&'static str>,
}

/// A wrap: first and last token, the function around them, a description of what needs it, and the index of the token that needs
/// it.
type Wrap<'t> = (usize, usize, &'static str, &'t str, usize);

impl<'t> Guard<'t> {
    fn is(&self, at: usize, texts: &str) -> bool {
        self.tokens.get(at).is_some_and(|token| token.is_any(texts))
    }

    fn before(&self, at: usize, texts: &str) -> bool {
        at.checked_sub(1)
            .is_some_and(|before| self.is(before, texts))
    }

    fn kind(&self, at: usize) -> Option<Kind> {
        self.tokens.get(at).map(|token| token.kind)
    }

    fn partner(&self, at: usize) -> Option<usize> {
        self.partners.get(at).copied().flatten()
    }

    fn is_name(&self, at: usize) -> bool {
        match self.kind(at) {
            Some(Kind::Quoted) => true,
            Some(Kind::Word) => !self.is(at, KEYWORDS) && !self.is(at, "end"),
            _ => false,
        }
    }

    /// Whether this token can end an operand.
    fn ends(&self, at: usize) -> bool {
        self.is_name(at)
            || matches!(self.kind(at), Some(Kind::Text | Kind::Number))
            || self.is(at, ") end")
    }

    /// First token of the operand that ends with this token.
    fn first(&self, mut end: usize) -> Option<usize> {
        loop {
            let mut start = end;
            let before = |at: usize| at.checked_sub(1);
            if self.is(end, ") end") {
                start = self.partner(end)?;
                let bracket = self.is(start, "(");
                if bracket && self.before(start, "over filter") {
                    end = start.checked_sub(2)?;
                    continue;
                }
                if bracket && self.before(start, "in exists like glob match regexp") {
                    return None;
                }
                start = before(start)
                    .filter(|at| bracket && self.is_name(*at))
                    .unwrap_or(start);
            } else if !self.ends(end) {
                return None;
            } else if self.before(end, "over") {
                end = end.checked_sub(2)?;
                continue;
            }
            while self.before(start, ".") {
                start = start.checked_sub(2)?;
            }
            if !self.before(start, TIGHT) {
                return Some(start);
            }
            end = start.checked_sub(2)?;
        }
    }

    /// Last token of the operand that begins with this token. `None` for signs and `not`, whose result is a number. A sign before
    /// the operand (`signed`) binds even tighter than [`TIGHT`].
    fn last(&self, start: usize, signed: bool) -> Option<usize> {
        let mut end = start;
        loop {
            if self.is(end, "( case") {
                end = self.partner(end)?;
            } else if self.is_name(end) {
                while self.is(end + 1, ".") {
                    end += 2;
                }
                if self.is(end + 1, "(") {
                    end = self.partner(end + 1)?;
                }
            } else if !matches!(self.kind(end), Some(Kind::Text | Kind::Number)) {
                return None;
            }
            while self.is(end + 1, "filter over") {
                end = if self.is(end + 2, "(") {
                    self.partner(end + 2)?
                } else {
                    end + 2
                };
            }
            if signed || !self.is(end + 1, TIGHT) {
                return Some(end);
            }
            end += 2;
        }
    }

    fn wrap(
        &mut self,
        first: Option<usize>,
        last: Option<usize>,
        function: &'static str,
        what: &'t str,
        by: usize,
    ) {
        if let (Some(first), Some(last)) = (first, last)
            && first <= last
            && !(first == last && self.kind(first) == Some(Kind::Number))
        {
            self.wraps.push((first, last, function, what, by));
        }
    }

    fn operator(&mut self, at: usize) {
        let mut left = at.checked_sub(1).filter(|left| self.ends(*left));
        let signed = left.is_none();
        // The result of a function has no collation, so the wrap goes inside `collate`.
        while let Some(end) = left
            && self.before(end, "collate")
        {
            left = end.checked_sub(2);
        }
        let first = left.and_then(|left| self.first(left));
        let last = self.last(at + 1, signed);
        if self.is(at, "+ - ~") || (self.is(at, "* / % & | << >>") && !signed) {
            self.wrap(first, left, NUMBER, "arithmetic", at);
            self.wrap(Some(at + 1), last, NUMBER, "arithmetic", at);
        } else if self.is(at, "< <= > >=") {
            self.comparison(at, &[(first, left), (Some(at + 1), last)]);
        } else if self.is(at, "between")
            && let Some(and) = self.last(at + 1 + usize::from(self.is(at + 1, "- +")), false)
            && self.is(and + 1, "and")
        {
            let negated = self.before(at, "not");
            let (first, left) = if negated {
                let left = at.checked_sub(2).filter(|left| self.ends(*left));
                (left.and_then(|left| self.first(left)), left)
            } else {
                (first, left)
            };
            let high = self.last(and + 2, false);
            let sides = [
                (first, left),
                (Some(at + 1), Some(and)),
                (Some(and + 2), high),
            ];
            self.comparison(at, &sides);
        }
    }

    /// Wraps a value that is used as a condition: SQLite treats a text as false, or as the number that it begins with.
    fn condition(&mut self, at: usize) {
        const BEGIN: &str = "where when and or not on having select case ( ,";
        const END: &str = "and or then else as from group order limit window having union intersect except end ) , ;";
        // The `and` of `between` joins two limits; `x is not 'a'` and `case x when 'a'` compare for equality.
        if self.limits.contains(&at) || self.is_not(at) || self.is(at, "when") && self.selects(at) {
            return;
        }
        if self.is(at, "where when and or not on having") {
            let last = self.last(at + 1, false);
            let is_end = |last: usize| last + 1 == self.tokens.len() || self.is(last + 1, END);
            if last.is_some_and(is_end) {
                self.wrap(Some(at + 1), last, NUMBER, "a condition", at);
            }
        }
        if self.is(at, "and or")
            && let Some(left) = at.checked_sub(1)
            && let Some(first) = self.first(left)
            && self.before(first, BEGIN)
            && !self.limits.contains(&first.saturating_sub(1))
            && !self.is_not(first.saturating_sub(1))
        {
            self.wrap(Some(first), Some(left), NUMBER, "a condition", at);
        }
    }

    /// Whether this is the `not` of `is not`.
    fn is_not(&self, at: usize) -> bool {
        self.is(at, "not") && self.before(at, "is")
    }

    /// Whether the `case` of this `when` has an operand, which each `when` is compared with.
    fn selects(&self, at: usize) -> bool {
        let is_around = |case: &usize| {
            self.is(*case, "case") && self.partner(*case).is_some_and(|end| end > at)
        };
        let case = (0..at).rev().find(is_around);
        case.is_some_and(|case| !self.is(case + 1, "when"))
    }

    fn comparison(&mut self, at: usize, sides: &[(Option<usize>, Option<usize>)]) {
        let is_number = |first: usize| {
            let first = first + usize::from(self.is(first, "- +"));
            self.kind(first) == Some(Kind::Number)
        };
        let against = sides.iter().any(|(first, _)| first.is_some_and(is_number));
        let function = if against { NUMBER } else { ALIKE };
        for (first, last) in sides {
            if first.is_some_and(|first| self.compares_alone(first, *last)) {
                self.wrap(*first, *last, function, "a comparison", at);
            }
        }
    }

    /// Whether a side of a comparison may be wrapped. Not a row of values, and not a cast, whose type decides how SQLite converts
    /// the other side.
    fn compares_alone(&self, first: usize, last: Option<usize>) -> bool {
        let row =
            self.is(first, "(") && last.is_some_and(|last| self.split(first + 1, last).len() > 1);
        !row && !self.is(first, "cast")
    }

    fn function(&mut self, at: usize) {
        let open = at + 1;
        let (Some(token), Some(close)) = (self.tokens.get(at), self.partner(open)) else {
            return;
        };
        if !self.is(open, "(") {
            return;
        }
        let arguments = self.split(open + 1, close);
        let check = if token.is_any("cast") {
            let word = (open..close).rfind(|at| self.is(*at, "as"));
            let texts = ["char", "clob", "text", "blob"];
            let kind = self.tokens.get(word.unwrap_or(close) + 1..close);
            let kind = kind.unwrap_or_default().iter();
            let is_text = kind
                .map(|token| token.text.to_ascii_lowercase())
                .any(|kind| texts.iter().any(|text| kind.contains(text)));
            let end = word.and_then(|word| word.checked_sub(1));
            if !is_text {
                self.wrap(Some(open + 1), end, NUMBER, token.text, at);
            }
            return;
        } else if token.is_any("iif") {
            let condition = arguments.first().copied();
            if let Some((first, last)) =
                condition.filter(|(first, last)| self.last(*first, false) == Some(*last))
            {
                self.wrap(Some(first), Some(last), NUMBER, "a condition", at);
            }
            return;
        } else if token.is_any("printf format") {
            let kinds = arguments.first().map_or("", |(first, _)| {
                self.tokens.get(*first).map_or("", |token| token.text)
            });
            // `%5.1f`, `%*d`: the letter gives the type of the argument.
            let kinds = kinds.split('%').skip(1).filter(|kind| !kind.is_empty());
            let mut letters = Vec::new();
            for kind in kinds {
                let end = kind.find(|c: char| c.is_ascii_alphabetic());
                // A star takes a number as argument.
                let stars = kind.get(..end.unwrap_or(0)).unwrap_or("").matches('*');
                letters.extend(stars.map(|_| 'd'));
                letters.extend(end.and_then(|end| kind.get(end..)?.chars().next()));
            }
            for (number, (first, last)) in arguments.iter().skip(1).enumerate() {
                let is_text =
                    matches!(letters.get(number), Some('s' | 'q' | 'Q' | 'c' | 'w' | 'z'));
                if !is_text {
                    self.wrap(Some(*first), Some(*last), NUMBER, token.text, at);
                }
            }
            return;
        } else if token.is_any(NUMERIC) {
            NUMBER
        } else if token.is_any("min max") {
            ALIKE
        } else if token.is_any(DATES) {
            if arguments.len() <= usize::from(token.is_any("strftime")) {
                let message = "a function of dates without a date gives another answer each time";
                self.refused = Some(message);
            }
            FIXED
        } else {
            return;
        };
        for (first, last) in arguments {
            let first = first + usize::from(self.is(first, "distinct all"));
            self.wrap(Some(first), Some(last), check, token.text, at);
        }
    }

    /// The non-empty pieces between commas: first and last token of each.
    fn split(&self, from: usize, to: usize) -> Vec<(usize, usize)> {
        let mut pieces = Vec::new();
        let (mut first, mut at) = (from, from);
        while at < to {
            if self.is(at, "( case") {
                at = self.partner(at).unwrap_or(at);
            } else if self.is(at, ",") {
                pieces.push((first, at));
                first = at + 1;
            }
            at += 1;
        }
        pieces.push((first, to));
        pieces.retain(|(first, end)| first < end);
        pieces
            .into_iter()
            .map(|(first, end)| (first, end - 1))
            .collect()
    }

    /// Wraps the terms of `order by`.
    fn order(&mut self) {
        const AFTER: &str = ") limit rows range groups window ;";
        for at in 0..self.tokens.len() {
            if !self.is(at, "order") || !self.is(at + 1, "by") {
                continue;
            }
            let mut end = at + 2;
            while end < self.tokens.len() && !self.is(end, AFTER) {
                if self.is(end, "( case") {
                    end = self.partner(end).unwrap_or(end);
                }
                end += 1;
            }
            for (first, mut last) in self.split(at + 2, end) {
                if self.before(last, "nulls") {
                    last = last.saturating_sub(2);
                }
                if self.is(last, "asc desc") {
                    last = last.saturating_sub(1);
                }
                if self.before(last, "collate") {
                    last = last.saturating_sub(2);
                }
                if self.kind(first) != Some(Kind::Number)
                    && !(first == last && self.is_alias(first))
                {
                    self.wrap(Some(first), Some(last), ALIKE, "sorting", first);
                }
            }
        }
    }

    /// Whether a sorting term may be the name of a result column: on its own it means the result, but inside a function the
    /// table's column.
    fn is_alias(&self, term: usize) -> bool {
        let name = |at: usize| self.tokens.get(at).map_or("", |token| token.text);
        let same = |at: &usize| name(*at).eq_ignore_ascii_case(name(term));
        (1..self.tokens.len())
            .filter(same)
            .any(|at| self.before(at, "as") || self.ends(at - 1))
    }

    fn written(&mut self, sql: &str) -> String {
        // Of two wraps that begin together, the outer one opens first and closes last.
        self.wraps
            .sort_by_key(|(first, last, ..)| (*first, Reverse(*last)));
        self.wraps
            .dedup_by_key(|(first, last, function, ..)| (*first, *last, *function));
        let mut pieces = Vec::new();
        for (number, (first, last, function, what, by)) in self.wraps.iter().enumerate() {
            if let (Some(first), Some(last)) = (self.tokens.get(*first), self.tokens.get(*last)) {
                let count = self.wraps.len();
                let place = match *function {
                    ALIKE => format!(", '{:x} {by}'", self.query),
                    _ => String::new(),
                };
                pieces.push((last.end(), count - number, format!(", '{what}'{place})")));
                pieces.push((first.start, count + number, format!("{function}(")));
            }
        }
        // A long number becomes a text, as in the tables: the quotes stand within all wraps.
        let long = |token: &&Token<'_>| {
            token.kind == Kind::Text && token.text.starts_with(|c: char| c.is_ascii_digit())
        };
        for token in self.tokens.iter().filter(long) {
            pieces.push((token.start, usize::MAX, String::from("'")));
            pieces.push((token.end(), 0, String::from("'")));
        }
        pieces.sort();
        let (mut out, mut done) = (String::with_capacity(sql.len() * 2), 0);
        for (at, _, piece) in pieces {
            out.push_str(sql.get(done..at).unwrap_or_default());
            out.push_str(&piece);
            done = at;
        }
        out.push_str(sql.get(done..).unwrap_or_default());
        out
    }
}
