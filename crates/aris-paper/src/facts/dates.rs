//! Years and months.

use super::{Fact, FactKind, Month, fact};
use crate::bib::{Resolved, year_of};
use crate::tables::words;
use crate::titles::fold;

/// Years before movable type are doubtful.
const EARLIEST: u16 = 1400;

pub(super) fn check(entry: &Resolved<'_>, now: Month, found: &mut Vec<Fact>) {
    for name in ["year", "date"] {
        let Some(field) = entry.field(name) else {
            continue;
        };
        match year_of(&field.text) {
            Some(year) if year > now.year + 1 => {
                let message = format!("the year {year} has not come yet");
                found.push(fact(FactKind::YearInFuture, field, message));
            }
            Some(year) if year == now.year + 1 && !is_forthcoming(entry) => {
                let message = format!(
                    "the year {year} has not come yet; say `note = {{in press}}` if that is what is meant"
                );
                found.push(fact(FactKind::YearNext, field, message));
            }
            Some(year) if year < EARLIEST => {
                let message = format!("the year {year} lies before printing; check it");
                found.push(fact(FactKind::YearTooEarly, field, message));
            }
            None if !explains(&field.text) => {
                let message = format!("no year can be read in `{}`", field.text);
                found.push(fact(FactKind::YearUnreadable, field, message));
            }
            _ => {}
        }
    }
    months(entry, found);
}

fn months(entry: &Resolved<'_>, found: &mut Vec<Fact>) {
    let number = |text: &str| text.trim().parse::<u32>().ok();
    let bad = |month: u32| !(1..=12).contains(&month);
    if let Some(field) = entry.field("month")
        && let Some(month) = number(&field.text).filter(|month| bad(*month))
    {
        found.push(fact(
            FactKind::MonthImpossible,
            field,
            format!("there is no month {month}"),
        ));
    }
    // biblatex dates: 2009-13; 2009-21 to 2009-24 are seasons (ISO 8601-2).
    if let Some(field) = entry.field("date")
        && let Some(month) = field
            .raw
            .split('-')
            .nth(1)
            .filter(|part| part.len() == 2)
            .and_then(number)
        && bad(month)
        && !(21..=24).contains(&month)
        && year_of(field.raw.split('-').next().unwrap_or_default()).is_some()
    {
        found.push(fact(
            FactKind::MonthImpossible,
            field,
            format!("there is no month {month}"),
        ));
    }
}

/// Whether the entry says that the work has not appeared yet.
fn is_forthcoming(entry: &Resolved<'_>) -> bool {
    [
        "note",
        "addendum",
        "pubstate",
        "howpublished",
        "volume",
        "number",
        "pages",
        "year",
    ]
    .into_iter()
    .filter_map(|name| entry.text(name))
    .any(explains)
}

fn explains(text: &str) -> bool {
    let folded = fold(text);
    let ancient = folded.contains("bc") || folded.contains("century") || folded.contains("c. ");
    ancient
        || words("forthcoming")
            .iter()
            .any(|word| folded.contains(word))
}

#[cfg(test)]
mod tests {
    use crate::facts::tests::kinds;

    #[test]
    fn years_and_months() {
        let cases: [(&str, &[&str]); 17] = [
            ("year = 2026", &[]),
            ("year = 1999", &[]),
            ("date = {2026-12}", &[]),
            ("year = 2027", &["year_next"]),
            ("year = 2027, note = {To appear}", &[]),
            ("year = {forthcoming}", &[]),
            ("year = 2028", &["year_in_future"]),
            ("year = 2035, note = {in press}", &["year_in_future"]),
            ("date = {2030-01-01}", &["year_in_future"]),
            ("year = 1202", &["year_too_early"]),
            ("year = {20223}", &["year_unreadable"]),
            ("year = {350 BC}", &[]),
            ("year = {soon}", &["year_unreadable"]),
            ("month = 13, year = 2001", &["month_impossible"]),
            ("month = jan", &[]),
            ("date = {2001-13}", &["month_impossible"]),
            ("date = {2001-21/2003-02}", &[]),
        ];
        for (fields, ids) in cases {
            assert_eq!(kinds(&format!("@misc{{k, {fields}}}")), ids, "{fields}");
        }
    }
}
