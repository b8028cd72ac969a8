//! SR406: tokens with a known form, and private keys.

use aris_skills::pattern::{Pattern, compiled};

/// Texts that mark a token as a placeholder, compared in lower case.
const PLACEHOLDERS: &str =
    "example placeholder dummy your xxxx 0000 1234 abcd test fake redacted ...";

/// Fewest different characters of a random token of 16 or more characters. A token with fewer is a placeholder like `aaaa…`.
const FEWEST_DIFFERENT: usize = 8;

/// Forms of tokens: issuer and pattern.
///
/// **Source**: the formats that the issuers document or publish for GitHub's secret scanning.
const FORMS: &[(&str, &str)] = &[
    ("AWS access key", r"(?:AKIA|ASIA)[A-Z0-9]{16}"),
    ("GitHub token", r"gh[pousr]_[A-Za-z0-9]{36,255}"),
    (
        "GitHub token",
        r"github_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{59}",
    ),
    (
        "Anthropic key",
        r"sk-ant-[a-z]{3,5}[0-9]{2}-[A-Za-z0-9_\-]{80,120}",
    ),
    (
        "OpenAI key",
        r"sk-(?:proj|svcacct|admin)-[A-Za-z0-9_\-]{20,200}",
    ),
    ("OpenAI key", r"sk-[A-Za-z0-9]{20}T3BlbkFJ[A-Za-z0-9]{20}"),
    ("Slack token", r"xox[abeoprs]-[A-Za-z0-9\-]{10,250}"),
    (
        "Slack webhook",
        r"hooks\.slack\.com/services/T[A-Z0-9]{8,12}/B[A-Z0-9]{8,12}/[A-Za-z0-9]{24}",
    ),
    ("Google key", r"AIza[A-Za-z0-9_\-]{35}"),
    ("GitLab token", r"gl(?:pat|dt|rt|ptt)-[A-Za-z0-9_\-]{20,}"),
    ("Hugging Face token", r"hf_[A-Za-z]{34}"),
    ("npm token", r"npm_[A-Za-z0-9]{36}"),
    ("Stripe key", r"(?:sk|rk)_live_[A-Za-z0-9]{24,247}"),
    (
        "private key",
        r"-----BEGIN (?:[A-Z]+ ){0,3}PRIVATE KEY-----",
    ),
];

/// All forms as groups of one pattern, so that a text is searched once.
static ANY: Pattern = Pattern::new(|| {
    let groups: Vec<String> = FORMS.iter().map(|(_, form)| format!("({form})")).collect();
    compiled(&format!("(?-u){}", groups.join("|")))
});

/// Every token in a text: byte offset and issuer.
pub(crate) fn find(text: &str) -> Vec<(usize, &'static str)> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    for captures in ANY.captures_iter(text) {
        let mut forms = FORMS.iter().enumerate();
        let form = forms.find_map(|(at, (owner, _))| Some((*owner, captures.get(at + 1)?)));
        let Some((owner, token)) = form else {
            continue;
        };
        let real = if owner == "private key" {
            is_key_data(bytes.get(token.end()..).unwrap_or_default())
        } else {
            stands_alone(bytes, token.start(), token.end())
                && !is_placeholder(token.as_str().as_bytes())
        };
        if real {
            found.push((token.start(), owner));
        }
    }
    found
}

/// Whether no letter, digit or `_` touches the token.
fn stands_alone(bytes: &[u8], start: usize, end: usize) -> bool {
    let part = |at: Option<&u8>| at.is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_');
    !part(start.checked_sub(1).and_then(|at| bytes.get(at))) && !part(bytes.get(end))
}

fn is_placeholder(token: &[u8]) -> bool {
    let token = token.to_ascii_lowercase();
    let mut seen = [false; 256];
    for byte in &token {
        seen[usize::from(*byte)] = true;
    }
    let different = seen.iter().filter(|seen| **seen).count();
    different < FEWEST_DIFFERENT
        || PLACEHOLDERS.split(' ').any(|word| {
            let mut windows = token.windows(word.len());
            windows.any(|window| window == word.as_bytes())
        })
}

/// Whether key data follows: a line of at least 40 base64 characters, perhaps after headers (`Proc-Type: …`). Line ends may be
/// real or escaped (`\n`).
fn is_key_data(after: &[u8]) -> bool {
    // Headers of an encrypted key are short.
    let near = after.get(..400).unwrap_or(after);
    let near = String::from_utf8_lossy(near)
        .replace("\\n", "\n")
        .replace("\\r", "");
    for line in near
        .lines()
        .map(|line| line.trim_matches(|c: char| c.is_whitespace() || "\"'+,#>*|".contains(c)))
    {
        if line.starts_with("-----END") {
            return false;
        }
        let data = line
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'='));
        if data && line.len() >= 40 {
            return !is_placeholder(line.as_bytes());
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A token without any placeholder word, computed so that no file of the project contains a token.
    fn random(length: usize) -> String {
        let letters = b"Zq7Kp2Wm9Rt4Vb8Nc3Xf6Hj5Lg";
        (0..length)
            .map(|i| char::from(letters[(i * 7 + i / 26) % letters.len()]))
            .collect()
    }

    fn upper(length: usize) -> String {
        random(length).to_ascii_uppercase()
    }

    fn letters(length: usize) -> String {
        random(length * 3)
            .chars()
            .filter(char::is_ascii_alphabetic)
            .take(length)
            .collect()
    }

    #[test]
    fn each_form_is_found_with_its_place() {
        for (owner, token) in [
            ("AWS access key", format!("AKIA{}", upper(16))),
            ("GitHub token", format!("ghp_{}", random(36))),
            (
                "GitHub token",
                format!("github_pat_{}_{}", random(22), random(59)),
            ),
            ("Anthropic key", format!("sk-ant-api03-{}", random(95))),
            ("OpenAI key", format!("sk-proj-{}", random(48))),
            (
                "OpenAI key",
                format!("sk-{}T3BlbkFJ{}", random(20), random(20)),
            ),
            ("Slack token", format!("xoxb-{}", random(40))),
            (
                "Slack webhook",
                format!(
                    "hooks.slack.com/services/T{}/B{}/{}",
                    upper(9),
                    upper(9),
                    random(24)
                ),
            ),
            ("Google key", format!("AIza{}", random(35))),
            ("GitLab token", format!("glpat-{}", random(20))),
            ("Hugging Face token", format!("hf_{}", letters(34))),
            ("npm token", format!("npm_{}", random(36))),
            ("Stripe key", format!("sk_live_{}", random(24))),
        ] {
            assert_eq!(
                find(&format!("key = \"{token}\"\n")),
                [(7, owner)],
                "{token}"
            );
            assert!(find(&format!("x{token}")).is_empty(), "{token}");
        }
    }

    #[test]
    fn placeholders_are_none() {
        for text in [
            format!("AKIA{}", "A".repeat(16)),
            String::from("AKIAIOSFODNN7EXAMPLE"),
            format!("ghp_{}", "x".repeat(36)),
            format!("ghp_your{}", random(32)),
            format!("sk_live_test{}", random(24)),
            format!("ghp_{}", random(20)),
            String::from("-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----"),
            String::from("grep -e '-----BEGIN RSA PRIVATE KEY-----'"),
        ] {
            assert!(find(&text).is_empty(), "{text}");
        }
    }

    #[test]
    fn keys_need_data() {
        let data = random(64);
        for text in [
            format!("-----BEGIN PRIVATE KEY-----\n{data}\n"),
            format!("\"-----BEGIN RSA PRIVATE KEY-----\\n{data}\\n\""),
            format!("-----BEGIN EC PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\n{data}\n"),
        ] {
            assert_eq!(find(&text).len(), 1, "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read(text in "\\PC{0,200}") {
            find(&text);
        }
    }
}
