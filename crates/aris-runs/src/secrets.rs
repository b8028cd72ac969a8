//! Commands and variables without the values of secrets.
//!
//! A whole word of the shell is left out, or the rest of one: half of a secret is as bad as all of it. What is no secret and looks like
//! one is left out, too. A secret that looks like any other word (`mysql -phunter`) is kept: nothing tells it.

/// The value of a name that ends so is not recorded. `MAX_TOKENS` and `--key-frames` are no secrets.
const SECRETS: [&str; 10] = [
    "TOKEN",
    "SECRET",
    "PASSWORD",
    "PASSPHRASE",
    "PASSWD",
    "PASS",
    "APIKEY",
    "CREDENTIAL",
    "CREDENTIALS",
    "COOKIE",
];
/// The same where it is a word of its own in the name: `MONKEY` is no key.
const WORDS: [&str; 4] = ["KEY", "AUTH", "AUTHORIZATION", "PWD"];
/// Options whose value is `NAME:PASSWORD`.
const LOGINS: [&str; 5] = ["-u", "-U", "--user", "--proxy-user", "--login"];
/// Words before a secret in a header that has no quotes.
const SCHEMES: [&str; 2] = ["bearer", "basic"];
/// Beginnings of the tokens of well-known services.
const TOKENS: [&str; 17] = [
    "sk-",
    "sk_",
    "ghp_",
    "gho_",
    "ghu_",
    "ghs_",
    "ghr_",
    "github_pat_",
    "glpat-",
    "hf_",
    "xoxb-",
    "xoxp-",
    "AKIA",
    "ASIA",
    "AIza",
    "eyJ",
    "npm_",
];
/// Characters of a token behind its beginning, at least. One of them is a digit.
const TOKEN: usize = 8;
/// Texts in texts that are looked into: `sh -c 'sh -c "…"'`. Of a deeper one nothing is recorded.
const DEPTH: u32 = 4;
/// What stands in place of a secret.
pub(crate) const NOT_RECORDED: &str = "(not recorded)";

/// A shell's text without the values of secrets.
pub(crate) fn public(text: &str) -> String {
    public_to(text, DEPTH)
}

/// The value of a variable, unless its name is that of a secret.
pub(crate) fn public_value(name: &str, value: &str) -> String {
    if is_secret(name) {
        NOT_RECORDED.to_owned()
    } else {
        public(value)
    }
}

/// What the words before say of the next one.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Next {
    Shown,
    /// It is a secret.
    Secret,
    /// It is `NAME:PASSWORD`.
    Login,
    /// So is everything up to the end of the command.
    AllSecret,
    /// It is a shell's text.
    Text,
}

fn public_to(text: &str, depth: u32) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut next = Next::Shown;
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let ends = |char: char| ";&|<>()\n".contains(char);
        if first.is_whitespace() || ends(first) {
            if ends(first) {
                next = Next::Shown;
            }
            shown.push(first);
            rest = rest.get(first.len_utf8()..).unwrap_or_default();
            continue;
        }
        let (raw, word) = word(rest);
        rest = rest.get(raw.len()..).unwrap_or_default();
        let said = std::mem::replace(&mut next, Next::Shown);
        let hidden = match said {
            Next::Secret | Next::AllSecret => Some(NOT_RECORDED.to_owned()),
            Next::Login => word
                .split_once(':')
                .map(|(name, _)| format!("{name}:{NOT_RECORDED}")),
            Next::Shown | Next::Text => None,
        };
        if said == Next::AllSecret {
            next = said;
        } else if hidden.is_none() {
            next = following(&word);
        }
        let hidden = hidden.or_else(|| hidden_in(&word, said == Next::Text, depth));
        shown.push_str(hidden.as_deref().unwrap_or(raw));
    }
    shown
}

/// The first word of a shell's text as it stands there, and what the shell makes of it. A quote that does not end reaches to the end.
fn word(text: &str) -> (&str, String) {
    let mut word = String::new();
    let mut quote = None;
    let mut chars = text.char_indices();
    while let Some((at, char)) = chars.next() {
        match (quote, char) {
            (None, '\'' | '"') => quote = Some(char),
            (Some(open), _) if open == char => quote = None,
            (None | Some('"'), '\\') => word.extend(chars.next().map(|(_, char)| char)),
            (None, _) if char.is_whitespace() || ";&|<>()".contains(char) => {
                return (text.get(..at).unwrap_or(text), word);
            }
            _ => word.push(char),
        }
    }
    (text, word)
}

/// What a word says of the next one.
fn following(word: &str) -> Next {
    let bare = word.trim_end_matches([':', '=']);
    if SCHEMES.contains(&word.to_ascii_lowercase().as_str()) {
        Next::Secret
    } else if LOGINS.contains(&word) {
        Next::Login
    } else if bare.len() < word.len() && word.ends_with(':') && is_secret(bare) {
        Next::AllSecret
    } else if word.starts_with('-') && is_secret(word) {
        Next::Secret
    } else if word.starts_with('-') && !word.starts_with("--") && word.ends_with('c') {
        // `sh -c`, `bash -lc`
        Next::Text
    } else {
        Next::Shown
    }
}

/// The word as it is shown, where it holds a secret. After `NAME=` all of it is one, unless it is a shell's text.
fn hidden_in(word: &str, is_text: bool, depth: u32) -> Option<String> {
    let is_part = |char: char| char.is_ascii_alphanumeric() || "_-.\"'".contains(char);
    for (at, sign) in word.match_indices(['=', ':']) {
        let (before, after) = (word.get(..at)?, word.get(at + sign.len()..)?);
        if is_text || before.contains(char::is_whitespace) {
            break;
        }
        let name = before.rsplit(|char| !is_part(char)).next().unwrap_or("");
        let kept = if is_secret(name) && !after.is_empty() {
            ""
        } else if LOGINS.contains(&before) && after.contains(':') {
            after.split_inclusive(':').next().unwrap_or("")
        } else {
            continue;
        };
        return Some(quoted(&format!("{before}{sign}{kept}{NOT_RECORDED}")));
    }
    let shown = if word.contains(char::is_whitespace) {
        match depth.checked_sub(1) {
            Some(depth) => public_to(word, depth),
            None => NOT_RECORDED.to_owned(),
        }
    } else {
        without_tokens(&without_logins(word))
    };
    (shown != word).then(|| quoted(&shown))
}

/// A word for a shell, where it would not be one.
fn quoted(word: &str) -> String {
    if !word
        .replace(NOT_RECORDED, "")
        .contains([' ', '\t', '\n', '\'', '"', ';', '&', '|'])
    {
        return word.to_owned();
    }
    shlex::try_quote(word).map_or_else(|_| NOT_RECORDED.to_owned(), Into::into)
}

/// `https://NAME:PASSWORD@HOST` without name and password.
fn without_logins(word: &str) -> String {
    let mut parts = word.split("://");
    let mut shown = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        // A password may hold `@`, and one that nobody escaped `/`, too: then it has a `:` before it.
        let host = part.find(['/', '?', '#']).unwrap_or(part.len());
        let within = match part.find(':').filter(|colon| *colon < host) {
            Some(_) => part,
            None => part.get(..host).unwrap_or(part),
        };
        shown.push_str("://");
        match within.rfind('@') {
            Some(at) => shown.extend([NOT_RECORDED, part.get(at..).unwrap_or_default()]),
            None => shown.push_str(part),
        }
    }
    shown
}

fn without_tokens(word: &str) -> String {
    let is_part = |char: char| char.is_ascii_alphanumeric() || "_-.".contains(char);
    let pieces = word.split_inclusive(|char| !is_part(char));
    let shown = pieces.map(|piece| {
        let token = piece.trim_end_matches(|char| !is_part(char));
        let long = |rest: &str| rest.len() >= TOKEN && rest.contains(|c: char| c.is_ascii_digit());
        let is_token = TOKENS
            .iter()
            .any(|start| token.strip_prefix(start).is_some_and(long));
        if is_token {
            piece.replacen(token, NOT_RECORDED, 1)
        } else {
            piece.to_owned()
        }
    });
    shown.collect()
}

fn is_secret(name: &str) -> bool {
    let name = name
        .trim_matches(|char: char| !char.is_ascii_alphanumeric())
        .to_ascii_uppercase();
    let is_word = |secret: &&str| {
        let before = name.strip_suffix(*secret);
        before.is_some_and(|before| before.is_empty() || before.ends_with(['_', '-', '.']))
    };
    // The shell's own variable.
    name != "PWD"
        && (SECRETS.iter().any(|secret| name.ends_with(secret)) || WORDS.iter().any(is_word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_in_a_command_are_not_recorded() {
        for (command, shown) in [
            (
                "WANDB_API_KEY=abc python t.py",
                "WANDB_API_KEY=(not recorded) python t.py",
            ),
            (
                "python t.py --token abc --lr 1",
                "python t.py --token (not recorded) --lr 1",
            ),
            (
                "t --api-key='a' --max-tokens=5 --key-frames 2",
                "t --api-key=(not recorded) --max-tokens=5 --key-frames 2",
            ),
            ("t --monkey=1  --seed\t2", "t --monkey=1  --seed\t2"),
            ("export HF_TOKEN=", "export HF_TOKEN="),
            ("TOKEN=a; echo 'b'", "TOKEN=(not recorded); echo 'b'"),
            ("cd \"$PWD\"; PWD=/x t", "cd \"$PWD\"; PWD=/x t"),
            ("t --password 'a b' c", "t --password (not recorded) c"),
            ("t --password=\"a b\" c", "t --password=(not recorded) c"),
            ("curl -u joe:pw h", "curl -u joe:(not recorded) h"),
            ("python -u t.py", "python -u t.py"),
            ("t http://a:b/c@h/x", "t http://(not recorded)@h/x"),
            ("t http://h/a@b", "t http://h/a@b"),
            ("pip install sk-learn", "pip install sk-learn"),
            ("t --password 'a b", "t --password (not recorded)"),
            ("t '--password=a b' c", "t --password=(not recorded) c"),
            (
                "sh -c 'A_PASSWORD=\"a b\" t; u'",
                "sh -c 'A_PASSWORD=(not recorded) t; u'",
            ),
            (
                "curl -H 'Authorization: Bearer a' h",
                "curl -H Authorization:(not recorded) h",
            ),
        ] {
            assert_eq!(public(command), shown);
        }
    }
}
