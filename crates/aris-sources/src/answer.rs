//! The answer of a JSON interface: its items, and the record made from each.

use aris_contract::artifact::papers::Paper;
use aris_http::{Client, Doubt, HttpError, Request, Response};
use serde_json::Value;

/// An answer, or several pages combined.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answer {
    /// Each item as received, and its record if it is a paper; `null` where a batch has no paper.
    pub items: Vec<(Value, Option<Paper>)>,
    /// Total number of results.
    pub total: Option<u64>,
    /// Start of the next page, as a number.
    pub next: Option<u64>,
    /// Start of the next page, as the source's token.
    pub token: Option<String>,
    /// Whether the list exists but may not be shown.
    pub withheld: bool,
}

impl Answer {
    /// An answer with these items.
    pub fn of<'a>(
        items: impl IntoIterator<Item = &'a Value>,
        read: impl Fn(&Value) -> Option<Paper>,
    ) -> Self {
        let items = items.into_iter();
        Self {
            items: items.map(|item| (item.clone(), read(item))).collect(),
            ..Self::default()
        }
    }

    /// The records.
    pub fn papers(self) -> Vec<Paper> {
        self.items
            .into_iter()
            .filter_map(|(_, paper)| paper)
            .collect()
    }

    /// The first `count` items. The result has no position of a next page.
    pub(crate) fn first(mut self, count: usize) -> Self {
        self.items.truncate(count);
        self.next = None;
        self
    }

    /// Requests page by page until there are `wanted` items or no more. `ask` gets the items so far; it returns `None` if there is nothing
    /// (more) to list. The result is `None` if the first page is.
    ///
    /// **Errors**: those of `ask`.
    pub fn gather(
        wanted: usize,
        mut ask: impl FnMut(&Self) -> Result<Option<Self>, HttpError>,
    ) -> Result<Option<Self>, HttpError> {
        let mut all = Self::default();
        while let Some(page) = ask(&all)? {
            let is_last = page.items.is_empty() || page.next.is_none() && page.token.is_none();
            all.items.extend(page.items);
            all.total = page.total.or(all.total);
            all.next = page.next;
            all.token = page.token;
            all.withheld |= page.withheld;
            if is_last || all.items.len() >= wanted {
                return Ok(Some(all));
            }
        }
        // A source may answer that a later page is not there; what came before is the list.
        Ok((!all.items.is_empty()).then_some(all))
    }
}

/// Requests many works, `most` per request, and caches a separate answer for each, so that a later request for other works reuses them.
/// Cached works are not requested.
///
/// `one` is the request for a single work, under which its answer is cached; `read` parses that answer. `many` is the request for several
/// works; `split` makes an answer for each of them, in the order of the names.
///
/// **Errors**: those of the client; answers that came before the error stay cached.
pub(crate) fn each<N, T: Clone + Default>(
    client: &Client,
    names: &[N],
    most: usize,
    one: impl Fn(&N) -> Request,
    read: impl Fn(&Response) -> Result<T, Doubt>,
    many: impl Fn(&[&N]) -> Request,
    split: impl Fn(&[&N], &Response) -> Result<Vec<Response>, Doubt>,
) -> Result<Vec<T>, HttpError> {
    let mut found = vec![T::default(); names.len()];
    let mut unknown = Vec::new();
    for (place, name) in found.iter_mut().zip(names) {
        if client.is_kept(&one(name)) {
            *place = client.ask(&one(name), &read)?;
        } else {
            unknown.push((place, name));
        }
    }
    for part in unknown.chunks_mut(most) {
        let names: Vec<&N> = part.iter().map(|(_, name)| *name).collect();
        let request = many(&names);
        let _alone = client.alone(&request);
        // Another process may have stored the answers while this one waited.
        if names.iter().all(|name| client.is_kept(&one(name))) {
            for (place, name) in part {
                **place = client.ask(&one(name), &read)?;
            }
            continue;
        }
        let answers = client.ask(&request, |response| {
            let answers = split(&names, response)?.into_iter();
            let answers = answers.map(|answer| Ok((read(&answer)?, answer)));
            answers.collect::<Result<Vec<_>, Doubt>>()
        })?;
        for ((place, name), (value, answer)) in part.iter_mut().zip(answers) {
            client.keep(&one(name), &answer);
            **place = value;
        }
    }
    Ok(found)
}

/// Checks whether a first page may mean "nothing found": only an empty list with the total 0.
///
/// **Errors**: no list, or an empty one whose total is not 0 or missing.
pub(crate) fn whole(found: &Value, total: Option<u64>) -> Result<&[Value], Doubt> {
    let list = found.as_array();
    let list = list.ok_or_else(|| no_answer("no list where results are expected"))?;
    match total {
        _ if !list.is_empty() => Ok(list),
        Some(0) => Ok(list),
        Some(total) => Err(no_answer(format!(
            "an empty page, although {total} results are announced"
        ))),
        None => Err(no_answer(
            "an empty page that does not say how many there are",
        )),
    }
}

/// A body that is not an answer.
pub(crate) fn no_answer(why: impl Into<String>) -> Doubt {
    Doubt::NotAnAnswer(why.into())
}

/// Parses the answer for one work. An empty list is not an answer: it does not say that the work does not exist.
pub(crate) fn single(
    read: impl Fn(&Response) -> Result<Option<Answer>, Doubt>,
) -> impl Fn(&Response) -> Result<Option<Answer>, Doubt> {
    move |response| match read(response)? {
        Some(answer) if answer.items.is_empty() => {
            Err(no_answer("an empty list in place of one work"))
        }
        answer => Ok(answer),
    }
}

/// Parses an answer to a search. A search that does not exist (404) is not an answer, and does not mean "nothing found".
pub(crate) fn listed(
    read: impl Fn(&Response) -> Result<Option<Answer>, Doubt>,
) -> impl Fn(&Response) -> Result<Option<Answer>, Doubt> {
    move |response| {
        let answer = read(response)?;
        let missing = || no_answer("404 for a search");
        answer.ok_or_else(missing).map(Some)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_that_is_absent_ends_the_list_and_takes_nothing_from_it() {
        let list = |pages: usize| {
            let found = Answer::gather(100, |so_far| {
                let more = Answer {
                    items: vec![(Value::Null, None)],
                    next: Some(1),
                    ..Answer::default()
                };
                Ok((so_far.items.len() < pages).then_some(more))
            });
            found.expect("no error").map(|found| found.items.len())
        };
        assert_eq!(list(0), None);
        assert_eq!(list(2), Some(2));
    }
}
