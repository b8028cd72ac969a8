//! What an interface that speaks JSON answers: items as it describes them, and the record made of each.

use aris_contract::artifact::papers::Paper;
use aris_http::{Client, Doubt, HttpError, Request, Response};
use serde_json::Value;

/// An answer, or several pages of one put together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answer {
    /// Each item as it came, and its record where it is a paper; `null` where a batch has none.
    pub items: Vec<(Value, Option<Paper>)>,
    /// Results there are in all.
    pub total: Option<u64>,
    /// Where the next page begins, as a number.
    pub next: Option<u64>,
    /// The same as a token of the source's.
    pub token: Option<String>,
    /// The list is there and may not be shown.
    pub withheld: bool,
}

impl Answer {
    /// An answer of these items.
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

    /// The first `count` items, of which none is the beginning of a page.
    pub(crate) fn first(mut self, count: usize) -> Self {
        self.items.truncate(count);
        self.next = None;
        self
    }

    /// Asks page by page until there are `wanted` items, or no more. `ask` gets what came so far; where it has `None` for the first page,
    /// there is nothing to list.
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
        Ok(None)
    }
}

/// Asks for many works, `most` of them in one request, and keeps the answer for each: who asks for one more asks for that one. What is kept
/// is not asked for.
///
/// `one` is the request for a work, under which its answer is kept and which `read` reads; `many` that for several. `split` makes answers for
/// each work out of the one for several, in the order of the names.
///
/// **Errors**: those of the client; what came before one stays kept.
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
        // Another process may have asked the same meanwhile.
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

/// Whether a first page may count as "nothing found": only a list without items, of which the source says that there are none in all.
///
/// **Errors**: what is no list, and an empty one whose total is not 0 or not known.
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

/// What came is no answer.
pub(crate) fn no_answer(why: impl Into<String>) -> Doubt {
    Doubt::NotAnAnswer(why.into())
}

/// Reads the answer for one work. An empty list is none, and does not say that there is no such work.
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

/// Reads an answer to a search, which is a list: that there is no such thing makes no sense there, and is not "nothing found".
pub(crate) fn listed(
    read: impl Fn(&Response) -> Result<Option<Answer>, Doubt>,
) -> impl Fn(&Response) -> Result<Option<Answer>, Doubt> {
    move |response| {
        let answer = read(response)?;
        let missing = || no_answer("404 for a search");
        answer.ok_or_else(missing).map(Some)
    }
}
