//! Secret inputs: the state and the records have the places of their values, never the values.

use std::collections::BTreeMap;
use std::path::Path;

use aris_cli::Context;
use aris_recipe::Recipe;
use aris_recipe::model::is_place;

use crate::error::Error;

/// Largest file with a secret, in bytes.
const LIMIT: u64 = 64 << 10;

/// Shortest value that is removed from texts, in bytes; shorter ones are in too many texts.
const SHORTEST: usize = 6;

/// Secret inputs that were given, each with the place of its value.
pub(crate) fn given<'a>(
    recipe: &'a Recipe,
    inputs: &'a BTreeMap<String, String>,
) -> impl Iterator<Item = (&'a str, &'a str)> {
    let given = names(recipe).filter_map(|name| Some((name, inputs.get(name)?.as_str())));
    given.filter(|(_, value)| !value.is_empty())
}

/// Names of the secret inputs.
pub(crate) fn names(recipe: &Recipe) -> impl Iterator<Item = &str> {
    let secret = recipe.ingredients.iter().filter(|input| input.secret);
    secret.map(|input| input.name.text.as_str())
}

/// The value at a place, `env:VARIABLE` or `file:PATH`.
///
/// **Errors**: why there is none, for people.
pub(crate) fn value(reference: &str, cwd: &Path) -> Result<String, String> {
    if let Some(name) = reference.strip_prefix("env:") {
        #[expect(
            clippy::disallowed_methods,
            reason = "the recipe's user names the variable"
        )]
        let value = std::env::var(name.trim());
        return value.map_err(|error| format!("{}: {error}", name.trim()));
    }
    let path = reference.strip_prefix("file:").unwrap_or(reference).trim();
    let bytes = aris_fs::read(&cwd.join(path), LIMIT).map_err(|error| error.to_string())?;
    let text = String::from_utf8(bytes).map_err(|error| format!("{path}: {error}"))?;
    Ok(text.trim_end_matches(['\n', '\r']).to_owned())
}

/// Checks that secret inputs name the places of their values, and that the values are there: every step that is carried out gets them, and
/// fails without. Where nothing is carried out, a missing value is only a warning.
///
/// **Errors**: a value is given itself, or is absent although steps are carried out.
pub(crate) fn check(
    recipe: &Recipe,
    inputs: &BTreeMap<String, String>,
    executes: bool,
    folder: &Path,
    context: &Context,
) -> Result<(), Error> {
    if let Some((name, _)) = given(recipe, inputs).find(|(_, place)| !is_place(place)) {
        let reason = format!("the input {name} is secret, and its value is written out");
        let hint = format!("say where it is: {name}=env:VARIABLE or {name}=file:PATH");
        return Err(Error::input(reason, hint));
    }
    for (name, reference) in given(recipe, inputs) {
        let Err(why) = value(reference, folder) else {
            continue;
        };
        let reason = format!("the secret input {name} has no value: {why}");
        if !executes {
            context.warn(&reason);
            continue;
        }
        return Err(match reference.strip_prefix("file:").map(Path::new) {
            Some(path) if !folder.join(path).exists() => Error::no_file(path, "secret"),
            _ => Error::input(reason, "set it, and call again"),
        });
    }
    Ok(())
}

/// Removes secret values from texts.
#[derive(Debug, Default)]
pub(crate) struct Redactor {
    values: Vec<Vec<u8>>,
    /// The end of the text so far, in which a value may have begun.
    rest: Vec<u8>,
}

/// Replaces a secret value.
const HIDDEN: &[u8] = b"[secret]";

/// A JSON string with everything that is not ASCII as `\u00e9`, as Python's `json.dumps` writes it.
fn ascii_json(text: &str) -> String {
    let spelled = |unit: u16| match u8::try_from(unit) {
        Ok(byte) if byte.is_ascii() => char::from(byte).to_string(),
        _ => format!("\\u{unit:04x}"),
    };
    text.encode_utf16().map(spelled).collect()
}

impl Redactor {
    pub(crate) fn of<'a>(values: impl Iterator<Item = &'a String>) -> Self {
        let long = values.filter(|value| value.len() >= SHORTEST);
        // A program that prints JSON escapes quotes, backslashes and line feeds, and often what is not ASCII.
        let spelled = long.flat_map(|value| {
            let json = serde_json::Value::from(value.as_str()).to_string();
            let json = json.get(1..json.len() - 1).unwrap_or_default().to_owned();
            let ascii = ascii_json(&json);
            [value.clone(), json, ascii]
        });
        let mut values: Vec<Vec<u8>> = spelled.map(String::into_bytes).collect();
        // A longer value comes first, because it may contain another one.
        values.sort_by_key(|value| std::cmp::Reverse(value.len()));
        values.dedup();
        Self {
            values,
            rest: Vec::new(),
        }
    }

    /// The next piece of a text, up to where a secret value may begin.
    pub(crate) fn next(&mut self, piece: &[u8]) -> Vec<u8> {
        if self.values.is_empty() {
            return piece.to_vec();
        }
        self.rest.extend_from_slice(piece);
        let longest = self.values.first().map_or(1, Vec::len);
        self.pass(longest - 1)
    }

    /// What is left at the end.
    pub(crate) fn end(&mut self) -> Vec<u8> {
        self.pass(0)
    }

    /// Returns the text before the last `keep` bytes, without secret values.
    fn pass(&mut self, keep: usize) -> Vec<u8> {
        let until = self.rest.len().saturating_sub(keep);
        let mut passed = Vec::new();
        let mut at = 0;
        while at < until {
            let rest = self.rest.get(at..).unwrap_or_default();
            if let Some(value) = self.values.iter().find(|value| rest.starts_with(value)) {
                passed.extend_from_slice(HIDDEN);
                at += value.len();
            } else {
                passed.extend(rest.first());
                at += 1;
            }
        }
        self.rest.drain(..at.min(self.rest.len()));
        passed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        #[test]
        fn no_cut_lets_a_secret_through(cuts in proptest::collection::vec(0_usize..40, 0..6)) {
            let values = [String::from("s3cr3t-token"), String::from("token-x")];
            let text = b"a s3cr3t-token b token-x s3cr3t-tokens3cr3t-toke end";
            let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(text.len())).collect();
            cuts.sort_unstable();
            let mut redactor = Redactor::of(values.iter());
            let (mut out, mut from) = (Vec::new(), 0);
            for cut in cuts {
                out.extend(redactor.next(&text[from..cut]));
                from = cut;
            }
            out.extend(redactor.next(&text[from..]));
            out.extend(redactor.end());
            proptest::prop_assert_eq!(String::from_utf8(out).unwrap(), "a [secret] b [secret] [secret]s3cr3t-toke end");
        }
    }

    #[test]
    fn a_secret_in_json_is_one() {
        let secret = String::from("pa\"ss\\wörd\n😀");
        for text in [
            serde_json::json!({ "k": secret }).to_string(),
            String::from(r#"{"k": "pa\"ss\\w\u00f6rd\n\ud83d\ude00"}"#),
        ] {
            let mut redactor = Redactor::of(std::iter::once(&secret));
            let mut out = redactor.next(text.as_bytes());
            out.extend(redactor.end());
            let out = String::from_utf8(out).expect("UTF-8");
            assert!(out.contains("[secret]") && !out.contains("ss"), "{out}");
        }
    }

    #[test]
    fn only_references_are_taken_for_secrets() {
        for (value, reference) in [
            ("env:X", true),
            ("file:a", true),
            ("env:", false),
            ("abc", false),
        ] {
            assert_eq!(is_place(value), reference, "{value}");
        }
    }
}
