//! Functions for questions: those that SQLite lacks, and replacements for some of SQLite's.
//!
//! **Source**: `quantile` interpolates linearly (type 7 of Hyndman and Fan 1996, the default of R and NumPy); `stddev` and `sem` divide by n - 1;
//! means and moments are computed by the method of Welford (1962).

use std::collections::{BTreeMap, BTreeSet};

use rusqlite::functions::{Aggregate, Context, FunctionFlags, SqlFnArg};
use rusqlite::types::{Value, ValueRef};
use rusqlite::{Connection, Error, Result};

use super::guard::{ALIKE, FIXED, NUMBER};
use super::permission::{Shared, with};
use crate::QueryErrorKind::{self, Memory, NotFinite, NotNumber, Refused, TooLarge};
use crate::read::cell::{Cell, is_not_finite, sort_apart};
use crate::settings::VALUE_BYTES;

const PURE: FunctionFlags = FunctionFlags::SQLITE_UTF8
    .union(FunctionFlags::SQLITE_DETERMINISTIC)
    .union(FunctionFlags::SQLITE_INNOCUOUS);

/// Why texts that are whole numbers of different lengths are not sorted.
const LENGTHS: &str = "; whole numbers beyond 64 bits are texts, which sort like numbers only if all have the same number of digits";

/// Why a function refused its argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Failure {
    pub(crate) kind: QueryErrorKind,
    /// The text that was found where a number is needed.
    pub(crate) text: Option<String>,
    pub(crate) message: String,
}

/// State of the running query: its first failure, and the values that it compared.
#[derive(Clone, Default)]
pub(crate) struct Slot {
    failure: Shared<Option<Failure>>,
    /// For each comparison in the query: whether it met a number, and the first text that it met.
    met: Shared<BTreeMap<String, (bool, Option<String>)>>,
}

impl Slot {
    /// Takes the failure out.
    pub(crate) fn take(&self) -> Option<Failure> {
        with(&self.failure, Option::take)
    }

    /// Clears the state for the next query.
    pub(crate) fn begin(&self) {
        with(&self.failure, Option::take);
        with(&self.met, BTreeMap::clear);
    }

    /// Refuses numbers and texts in the same comparison or sorting of a query.
    fn alike(&self, value: ValueRef<'_>, what: &str, place: &str) -> Result<()> {
        let text = match value {
            ValueRef::Null => return Ok(()),
            ValueRef::Integer(_) | ValueRef::Real(_) => None,
            ValueRef::Text(text) | ValueRef::Blob(text) => Some(String::from_utf8_lossy(text)),
        };
        if let Some(text) = text.as_deref().filter(|text| is_not_finite(text)) {
            return Err(self.no_number(what, text));
        }
        let mixed = with(&self.met, |met| {
            if !met.contains_key(place) {
                met.insert(place.to_owned(), (false, None));
            }
            let (number, known) = met.get_mut(place)?;
            match (text, &known) {
                (Some(text), None) => *known = Some(text.into_owned()),
                (Some(text), Some(first)) if sort_apart(first, &text) => {
                    return Some((text.into_owned(), LENGTHS));
                }
                (Some(_), _) => {}
                (None, _) => *number = true,
            }
            known.clone().filter(|_| *number).zip(Some(""))
        });
        mixed.map_or(Ok(()), |(text, why)| {
            let message = format!("{what} needs numbers, or texts alone{why}");
            Err(self.refuse(NotNumber, Some(&text), message))
        })
    }

    fn refuse(&self, kind: QueryErrorKind, text: Option<&str>, message: String) -> Error {
        let error = Error::UserFunctionError(message.clone().into());
        let text = text.map(str::to_owned);
        with(&self.failure, |slot| {
            slot.get_or_insert(Failure {
                kind,
                text,
                message,
            });
        });
        error
    }

    /// Refuses a text where `what` needs numbers.
    fn no_number(&self, what: &str, text: &str) -> Error {
        let kind = if is_not_finite(text) {
            NotFinite
        } else {
            NotNumber
        };
        self.refuse(kind, Some(text), format!("{what} needs numbers"))
    }

    /// A number. `None` for NULL. **Errors**: any other value.
    fn number(&self, context: &Context<'_>, at: usize) -> Result<Option<f64>> {
        match context.get_raw(at) {
            ValueRef::Null => Ok(None),
            #[expect(clippy::cast_precision_loss, reason = "SQLite calculates so, too")]
            ValueRef::Integer(number) => Ok(Some(number as f64)),
            ValueRef::Real(number) => self.finite(number, || "an argument".to_owned()).map(Some),
            ValueRef::Text(_) | ValueRef::Blob(_) => {
                let message = "a function of numbers has a text";
                Err(self.refuse(NotNumber, None, message.to_owned()))
            }
        }
    }

    fn finite(&self, result: f64, what: impl Fn() -> String) -> Result<f64> {
        if result.is_finite() {
            return Ok(result);
        }
        let message = format!("{} is not a finite number", what());
        Err(self.refuse(NotFinite, None, message))
    }

    /// A text or whole number as text. `None` for NULL. **Errors**: any other value.
    fn text(&self, context: &Context<'_>, at: usize) -> Result<Option<String>> {
        match context.get_raw(at) {
            ValueRef::Null => Ok(None),
            ValueRef::Integer(number) => Ok(Some(number.to_string())),
            ValueRef::Text(text) => Ok(Some(String::from_utf8_lossy(text).into_owned())),
            ValueRef::Real(_) | ValueRef::Blob(_) => {
                let message = "a function of texts has something else; write cast(x as text)";
                Err(self.refuse(NotNumber, None, message.to_owned()))
            }
        }
    }
}

/// A function of one number.
type Real = fn(f64) -> f64;

/// Registers all functions on a connection. `most`: how many numbers `median` and `quantile` may hold.
pub(crate) fn register(connection: &Connection, slot: &Slot, most: usize) -> Result<()> {
    for (name, arguments, kind) in [
        ("median", 1, Kind::Quantile),
        ("quantile", 2, Kind::Quantile),
        ("stddev", 1, Kind::Stddev),
        ("stddev_pop", 1, Kind::StddevPop),
        ("sem", 1, Kind::Sem),
        ("geomean", 1, Kind::Geomean),
        ("rmse", 2, Kind::Rmse),
        ("mae", 2, Kind::Mae),
        ("corr", 2, Kind::Corr),
    ] {
        let slot = slot.clone();
        let statistic = Statistic {
            name,
            kind,
            most,
            slot,
        };
        connection.create_aggregate_function(name, arguments, PURE, statistic)?;
    }
    let of_one: [(_, Real); 8] = [
        ("ln", f64::ln),
        ("log10", f64::log10),
        ("log2", f64::log2),
        ("exp", f64::exp),
        ("sqrt", f64::sqrt),
        ("floor", f64::floor),
        ("ceil", f64::ceil),
        ("ceiling", f64::ceil),
    ];
    for (name, function) in of_one {
        let slot = slot.clone();
        connection.create_scalar_function(name, 1, PURE, move |context| {
            let result = |x| slot.finite(function(x), || format!("{name}({x})"));
            slot.number(context, 0)?.map(result).transpose()
        })?;
    }
    for name in ["pow", "power"] {
        let slot = slot.clone();
        connection.create_scalar_function(name, 2, PURE, move |context| {
            let numbers = slot.number(context, 0)?.zip(slot.number(context, 1)?);
            let result =
                |(x, y): (f64, f64)| slot.finite(x.powf(y), || format!("{name}({x}, {y})"));
            numbers.map(result).transpose()
        })?;
    }
    texts(connection, slot)?;
    checks(connection, slot)
}

/// Replacements that take time linear in the length of their arguments; SQLite's own take time in the product of the lengths.
fn texts(connection: &Connection, slot: &Slot) -> Result<()> {
    for (name, start, end) in [
        ("trim", true, true),
        ("ltrim", true, false),
        ("rtrim", false, true),
    ] {
        let slot = slot.clone();
        connection.create_scalar_function(name, 2, PURE, move |context| {
            let trimmed = |(text, set): (String, String)| {
                let set: BTreeSet<char> = set.chars().collect();
                let is_cut = |c| set.contains(&c);
                let mut text = text.as_str();
                if start {
                    text = text.trim_start_matches(is_cut);
                }
                if end {
                    text = text.trim_end_matches(is_cut);
                }
                text.to_owned()
            };
            let given = slot.text(context, 0)?.zip(slot.text(context, 1)?);
            Ok(given.map(trimmed))
        })?;
    }
    let own = slot.clone();
    connection.create_scalar_function("instr", 2, PURE, move |context| {
        let place = |(text, part): (String, String)| {
            text.split_once(&part)
                .map_or(0, |(before, _)| 1 + before.chars().count())
        };
        let place = own.text(context, 0)?.zip(own.text(context, 1)?).map(place);
        Ok(place.map(|place| i64::try_from(place).unwrap_or(i64::MAX)))
    })?;
    let own = slot.clone();
    connection.create_scalar_function("replace", 3, PURE, move |context| {
        let given = own.text(context, 0)?.zip(own.text(context, 1)?);
        let Some(((text, from), to)) = given.zip(own.text(context, 2)?) else {
            return Ok(None);
        };
        if from.is_empty() {
            return Ok(Some(text));
        }
        // Checks the length of the result before building it.
        if text.len() + text.matches(&from).count() * to.len() > VALUE_BYTES {
            let message = String::from("replace() gives a text that is too long");
            return Err(own.refuse(TooLarge, None, message));
        }
        Ok(Some(text.replace(&from, &to)))
    })
}

/// The checks that [`super::guard`] adds to queries. The second argument names what needs the first.
fn checks(connection: &Connection, slot: &Slot) -> Result<()> {
    let what = |context: &Context<'_>| context.get::<String>(1);
    let own = slot.clone();
    connection.create_scalar_function(NUMBER, 2, PURE, move |context| {
        match context.get_raw(0) {
            ValueRef::Integer(number) => Ok(Value::Integer(number)),
            ValueRef::Text(text) => {
                let text = String::from_utf8_lossy(text);
                match Cell::number(text.trim_ascii()) {
                    Some(Cell::Integer(number)) => Ok(Value::Integer(number)),
                    Some(Cell::Real(number)) => Ok(Value::Real(number)),
                    _ => Err(own.no_number(&what(context)?, &text)),
                }
            }
            _ => Ok(own.number(context, 0)?.map_or(Value::Null, Value::Real)),
        }
    })?;
    let own = slot.clone();
    connection.create_scalar_function(ALIKE, 3, PURE, move |context| -> Result<SqlFnArg> {
        let word = |at| context.get_raw(at).as_str().unwrap_or_default();
        own.alike(context.get_raw(0), word(1), word(2))?;
        Ok(context.get_arg(0))
    })?;
    let own = slot.clone();
    connection.create_scalar_function(FIXED, 2, PURE, move |context| -> Result<SqlFnArg> {
        const MOVING: [&str; 5] = ["now", "subsec", "subsecond", "localtime", "utc"];
        match context.get_raw(0).as_str() {
            Ok(text) if MOVING.iter().any(|word| text.eq_ignore_ascii_case(word)) => {
                let message =
                    format!("`{text}` gives another answer each time, or on each machine");
                Err(own.refuse(Refused, None, message))
            }
            _ => Ok(context.get_arg(0)),
        }
    })
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Quantile,
    Stddev,
    StddevPop,
    Sem,
    Geomean,
    Rmse,
    Mae,
    Corr,
}

/// An aggregate that SQLite lacks. Skips NULL; with two arguments, pairs that contain a NULL.
struct Statistic {
    name: &'static str,
    kind: Kind,
    most: usize,
    slot: Slot,
}

/// Count, means and moments of the values so far; for quantiles, the values themselves.
#[derive(Default)]
struct Moments {
    values: Vec<f64>,
    share: f64,
    count: f64,
    mean: (f64, f64),
    squares: (f64, f64),
    products: f64,
    zero: bool,
}

impl Moments {
    fn add(&mut self, x: f64, y: f64) {
        self.count += 1.0;
        let (from_x, from_y) = (x - self.mean.0, y - self.mean.1);
        self.mean.0 += from_x / self.count;
        self.mean.1 += from_y / self.count;
        self.squares.0 += from_x * (x - self.mean.0);
        self.squares.1 += from_y * (y - self.mean.1);
        self.products += from_x * (y - self.mean.1);
    }
}

impl Aggregate<Moments, Option<f64>> for Statistic {
    fn init(&self, _: &mut Context<'_>) -> Result<Moments> {
        Ok(Moments::default())
    }

    fn step(&self, context: &mut Context<'_>, moments: &mut Moments) -> Result<()> {
        let x = self.slot.number(context, 0)?;
        let y = if context.len() > 1 {
            self.slot.number(context, 1)?
        } else {
            Some(0.5)
        };
        let Some((x, y)) = x.zip(y) else {
            return Ok(());
        };
        let wrong = |kind, message: String| Err(self.slot.refuse(kind, None, message));
        match self.kind {
            Kind::Quantile if !(0.0..=1.0).contains(&y) => {
                let message = format!("quantile(x, {y}): the share lies between 0 and 1");
                return wrong(NotFinite, message);
            }
            Kind::Quantile if moments.values.len() >= self.most => {
                let message = format!("{} holds at most {} numbers", self.name, self.most);
                return wrong(Memory, message);
            }
            Kind::Quantile => {
                moments.share = y;
                moments.values.push(x);
            }
            Kind::Geomean if x < 0.0 => {
                let message = format!("geomean has no value with {x}, which is negative");
                return wrong(NotFinite, message);
            }
            Kind::Geomean if x == 0.0 => moments.zero = true,
            Kind::Geomean => moments.add(x.ln(), 0.0),
            Kind::Rmse => moments.add((x - y) * (x - y), 0.0),
            Kind::Mae => moments.add((x - y).abs(), 0.0),
            Kind::Stddev | Kind::StddevPop | Kind::Sem | Kind::Corr => moments.add(x, y),
        }
        Ok(())
    }

    fn finalize(&self, _: &mut Context<'_>, moments: Option<Moments>) -> Result<Option<f64>> {
        let Some(mut moments) = moments else {
            return Ok(None);
        };
        let (n, mean, squares) = (moments.count, moments.mean.0, moments.squares.0);
        let result = match self.kind {
            Kind::Quantile if moments.values.is_empty() => return Ok(None),
            Kind::Quantile => quantile(&mut moments.values, moments.share),
            Kind::Geomean if moments.zero => 0.0,
            _ if n == 0.0 => return Ok(None),
            Kind::Stddev | Kind::Sem | Kind::Corr if n < 2.0 => return Ok(None),
            Kind::Stddev => (squares / (n - 1.0)).sqrt(),
            Kind::StddevPop => (squares / n).sqrt(),
            Kind::Sem => (squares / (n - 1.0) / n).sqrt(),
            Kind::Geomean => mean.exp(),
            Kind::Rmse => mean.sqrt(),
            Kind::Mae => mean,
            Kind::Corr => {
                (moments.products / squares.sqrt() / moments.squares.1.sqrt()).clamp(-1.0, 1.0)
            }
        };
        let what = || format!("the result of {}", self.name);
        let result = self.slot.finite(result, what);
        result.map(Some)
    }
}

/// Needs at least one value; reorders the values.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a place in a list that fits into memory, and not negative"
)]
fn quantile(values: &mut [f64], share: f64) -> f64 {
    let place = share * (values.len() - 1) as f64;
    let below = place.floor();
    let (_, low, above) = values.select_nth_unstable_by(below as usize, f64::total_cmp);
    let high = above.iter().copied().min_by(f64::total_cmp).unwrap_or(*low);
    *low + (high - *low) * (place - below)
}
