//! Removes the values of secrets from commands and variables.
//!
//! A whole shell word, or the rest of one, is replaced, because half of a secret is as bad as all of it. Texts that only look like
//! secrets are replaced as well. A secret in a script that the command names is not seen.

/// The value of a name that contains one of these words is not recorded. If it is not the last word of the name, numbers are recorded:
/// `--key-frames 2` is not a secret, and neither is `MAX_TOKENS`.
const WORDS: &str = "token secret password passphrase passwd pass pw pwd key apikey pat auth authorization bearer credential \
    credentials creds cookie cookies session jwt sas sig signature webhook pin netrc secrets";
/// Such words at the end of another word: `PGPASSWORD`, `HFTOKEN`. `MYKEY` is a key, unless its value is a number, as that of `MONKEY`.
const ENDINGS: [&str; 6] = ["token", "secret", "password", "pass", "apikey", "key"];
/// Programs, with their options and commands whose value (attached or in the next word) is a secret.
const CALLS: [(&str, &str); 7] = [
    (
        "-p",
        "mysql mysqldump mysqladmin mariadb sshpass docker podman",
    ),
    ("-a", "redis-cli"),
    ("-u", "curl"),
    ("-U", "curl"),
    ("-b", "curl"),
    ("--oauth2-bearer", "curl"),
    ("login", "wandb huggingface-cli"),
];

/// Prefixes of addresses whose rest is a secret.
const ADDRESSES: [&str; 3] = ["hooks.slack.com/", "/webhooks/", "/webhook/"];
/// Options whose value is `NAME:PASSWORD`.
const LOGINS: [&str; 5] = ["-u", "-U", "--user", "--proxy-user", "--login"];
/// Words before a secret in a header without quotes.
const SCHEMES: [&str; 2] = ["bearer", "basic"];
/// Prefixes of the tokens of well-known services.
const TOKENS: &str =
    "sk- sk_ ghp_ gho_ ghu_ ghs_ ghr_ github_pat_ glpat- hf_ xoxb- xoxp- AKIA ASIA AIza eyJ npm_";
/// Least number of characters of a token after its prefix. One of them must be a digit.
const TOKEN: usize = 8;
/// Deepest nesting of shell texts that is examined: `sh -c 'sh -c "…"'`. Deeper texts are not recorded at all.
const DEPTH: u32 = 4;
/// Replaces a secret.
pub(crate) const NOT_RECORDED: &str = "(not recorded)";

/// A shell text without the values of secrets.
pub(crate) fn public(text: &str) -> String {
    public_to(text, DEPTH)
}

/// The value of a variable without secrets; nothing of it if its name is that of a secret.
pub(crate) fn public_value(name: &str, value: &str) -> String {
    if hides(name, value) {
        NOT_RECORDED.to_owned()
    } else {
        public(value)
    }
}

/// What the previous words imply for the next one.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Next {
    Shown,
    /// A secret.
    Secret,
    /// A secret, unless it is a number.
    Doubtful,
    /// Possibly the sign in `NAME = SECRET`.
    Sign,
    /// `NAME:PASSWORD`.
    Login,
    /// A secret, like all further words up to the end of the command.
    AllSecret,
    /// A shell text.
    Text,
}

fn public_to(text: &str, depth: u32) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut next = Next::Shown;
    let mut program = String::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let ends = |char: char| ";&|<>()\n".contains(char);
        if first.is_whitespace() || ends(first) {
            if ends(first) {
                next = Next::Shown;
                program.clear();
            }
            shown.push(first);
            rest = rest.get(first.len_utf8()..).unwrap_or_default();
            continue;
        }
        let (raw, word) = word(rest);
        rest = rest.get(raw.len()..).unwrap_or_default();
        let said = std::mem::replace(&mut next, Next::Shown);
        let glued = calls(&program)
            .filter(|option| option.starts_with('-') && !option.starts_with("--"))
            .find(|option| word.len() > option.len() && word.starts_with(option));
        let hidden = match said {
            Next::Secret | Next::AllSecret => Some(NOT_RECORDED.to_owned()),
            Next::Doubtful if !is_plain(&word) => Some(NOT_RECORDED.to_owned()),
            Next::Login => word
                .split_once(':')
                .map(|(name, _)| format!("{name}:{NOT_RECORDED}")),
            _ => glued.map(|option| format!("{option}{NOT_RECORDED}")),
        };
        if said == Next::AllSecret {
            next = said;
        } else if said == Next::Sign && word == "=" {
            next = Next::Secret;
        } else if hidden.is_none() {
            let is_option = calls(&program).any(|option| option == word);
            next = match following(&word) {
                Next::Shown if is_option => Next::Secret,
                other => other,
            };
        }
        let name = word.rsplit('/').next().unwrap_or_default();
        if calls(name).next().is_some() {
            name.clone_into(&mut program);
        }
        let hidden = hidden.or_else(|| hidden_in(&word, said == Next::Text, depth));
        // The output of `$(…)` is part of the secret.
        if hidden.is_some() && word.ends_with('$') && rest.starts_with('(') {
            rest = after_parentheses(rest);
        }
        shown.push_str(hidden.as_deref().unwrap_or(raw));
    }
    shown
}

/// The options and commands of a program whose value is a secret.
fn calls(program: &str) -> impl Iterator<Item = &'static str> {
    let of_program =
        move |(_, programs): &&(&str, &str)| programs.split(' ').any(|known| known == program);
    CALLS.iter().filter(of_program).map(|(option, _)| *option)
}

/// The text after the parentheses with which `text` begins and the rest of their word.
fn after_parentheses(text: &str) -> &str {
    let mut open = 0_usize;
    for (at, char) in text.char_indices() {
        match char {
            '(' => open += 1,
            ')' => open = open.saturating_sub(1),
            _ if open == 0 && (char.is_whitespace() || ";&|<>".contains(char)) => {
                return text.get(at..).unwrap_or_default();
            }
            _ => {}
        }
    }
    ""
}

/// The first word of a shell text: as written, and as the shell expands it. An unclosed quote extends to the end.
fn word(text: &str) -> (&str, String) {
    let mut word = String::new();
    let mut quote = None;
    let mut chars = text.char_indices();
    while let Some((at, char)) = chars.next() {
        match (quote, char) {
            (None, '\'' | '"' | '`') => quote = Some(char),
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

/// What a word implies for the next one.
fn following(word: &str) -> Next {
    let bare = word.trim_end_matches([':', '=']);
    if SCHEMES.contains(&word.to_ascii_lowercase().as_str()) {
        Next::Secret
    } else if LOGINS.contains(&word) {
        Next::Login
    } else if bare.len() < word.len() && word.ends_with(':') && secrecy(bare) == Secrecy::Sure {
        Next::AllSecret
    } else if word.starts_with('-') && !bare.contains('=') && secrecy(word) != Secrecy::None {
        match secrecy(word) {
            Secrecy::Doubtful => Next::Doubtful,
            _ => Next::Secret,
        }
    } else if word.starts_with('-') && !word.starts_with("--") && word.ends_with('c') {
        // As in `sh -c`, `bash -lc`.
        Next::Text
    } else if secrecy(word) != Secrecy::None {
        Next::Sign
    } else {
        Next::Shown
    }
}

/// The word to show instead of one that contains a secret. All text after `NAME=` is secret, unless it is a shell text.
fn hidden_in(word: &str, is_text: bool, depth: u32) -> Option<String> {
    let is_part = |char: char| char.is_ascii_alphanumeric() || "_-.\"'".contains(char);
    for (at, sign) in word.match_indices(['=', ':']) {
        let (before, after) = (word.get(..at)?, word.get(at + sign.len()..)?);
        if is_text || before.contains(char::is_whitespace) {
            break;
        }
        // As in `os.environ["NAME"]=`.
        let end = before.trim_end_matches(|char| !is_part(char));
        let name = end.rsplit(|char| !is_part(char)).next().unwrap_or("");
        let kept = if hides(name, after) && !after.is_empty() {
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
        without_tokens(&without_logins(&without_addresses(word)))
    };
    (shown != word).then(|| quoted(&shown))
}

/// Quotes a text that would not be a single word of the shell.
fn quoted(word: &str) -> String {
    if !word
        .replace(NOT_RECORDED, "")
        .contains([' ', '\t', '\n', '\'', '"', ';', '&', '|'])
    {
        return word.to_owned();
    }
    shlex::try_quote(word).map_or_else(|_| NOT_RECORDED.to_owned(), Into::into)
}

/// Replaces name and password in `https://NAME:PASSWORD@HOST`.
fn without_logins(word: &str) -> String {
    let mut parts = word.split("://");
    let mut shown = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        // A password may contain `@`, and even an unescaped `/`; in that case a `:` precedes it.
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

fn without_addresses(word: &str) -> String {
    let ends = ADDRESSES
        .iter()
        .filter_map(|start| Some(word.find(start)? + start.len()));
    let start = ends.min().and_then(|end| word.get(..end));
    start.map_or_else(|| word.to_owned(), |start| format!("{start}{NOT_RECORDED}"))
}

fn without_tokens(word: &str) -> String {
    let is_part = |char: char| char.is_ascii_alphanumeric() || "_-.".contains(char);
    let pieces = word.split_inclusive(|char| !is_part(char));
    let shown = pieces.map(|piece| {
        let token = piece.trim_end_matches(|char| !is_part(char));
        let long = |rest: &str| rest.len() >= TOKEN && rest.contains(|c: char| c.is_ascii_digit());
        let is_token = TOKENS
            .split(' ')
            .any(|start| token.strip_prefix(start).is_some_and(long));
        if is_token {
            piece.replacen(token, NOT_RECORDED, 1)
        } else {
            piece.to_owned()
        }
    });
    shown.collect()
}

/// What a name says about its value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Secrecy {
    None,
    /// It is a secret, unless it is a number.
    Doubtful,
    Sure,
}

fn secrecy(name: &str) -> Secrecy {
    // The shell's own variables.
    if matches!(name, "PWD" | "OLDPWD" | "$PWD") {
        return Secrecy::None;
    }
    let mut words = vec![String::new()];
    let mut before = ' ';
    for char in name.chars() {
        if !char.is_ascii_alphanumeric() || before.is_ascii_lowercase() && char.is_ascii_uppercase()
        {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| char.is_ascii_alphanumeric()) {
            word.push(char.to_ascii_lowercase());
        }
        before = char;
    }
    words.retain(|word| !word.is_empty());
    let is_secret = |word: &str| WORDS.split(' ').any(|known| known == word);
    let Some(last) = words.last() else {
        return Secrecy::None;
    };
    let ends = ENDINGS.iter().filter(|ending| last.ends_with(**ending));
    let ends: Vec<&&str> = ends.collect();
    if is_secret(last) || ends.iter().any(|ending| **ending != "key") {
        Secrecy::Sure
    } else if !ends.is_empty() || words.iter().any(|word| is_secret(word)) {
        Secrecy::Doubtful
    } else {
        Secrecy::None
    }
}

/// Whether the value of a name is not recorded.
fn hides(name: &str, value: &str) -> bool {
    match secrecy(name) {
        Secrecy::None => false,
        Secrecy::Doubtful => !is_plain(value),
        Secrecy::Sure => true,
    }
}

/// Whether the value is a number, or yes or no.
fn is_plain(value: &str) -> bool {
    value.parse::<f64>().is_ok()
        || matches!(
            value.to_ascii_lowercase().as_str(),
            "true" | "false" | "yes" | "no"
        )
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
                "t --password=$(echo a (b) c)d e",
                "t --password=(not recorded) e",
            ),
            ("t --password $(echo a) e", "t --password (not recorded) e"),
            ("mysql -u root -pa db", "mysql -u root -p(not recorded) db"),
            ("wandb login a", "wandb login (not recorded)"),
            (
                "python -p 3; docker run -v a",
                "python -p 3; docker run -v a",
            ),
            (
                "t --pin-memory true --pin 1",
                "t --pin-memory true --pin (not recorded)",
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
