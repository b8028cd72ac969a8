//! Words as papers and result files have in common: lower case, split where letters meet digits, plural and common
//! abbreviations folded together.

/// A word of a text and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Word {
    /// Canonical form.
    pub(crate) text: String,
    /// Lower-case form as written: what compound names are joined from.
    pub(crate) raw: String,
    /// Byte where it starts.
    pub(crate) start: usize,
    /// Byte after its end.
    pub(crate) end: usize,
}

/// Abbreviations that result files use for the words of papers. One direction is enough: both sides are folded.
const SYNONYMS: &[(&str, &[&str])] = &[
    ("acc", &["accuracy"]),
    ("accuracies", &["accuracy"]),
    ("auroc", &["auc"]),
    ("rocauc", &["auc"]),
    ("average", &["mean"]),
    ("averaged", &["mean"]),
    ("averages", &["mean"]),
    ("averaging", &["mean"]),
    ("avg", &["mean"]),
    ("bs", &["batch", "size"]),
    ("bsz", &["batch", "size"]),
    ("batchsize", &["batch", "size"]),
    ("cfg", &["config"]),
    ("dev", &["validation"]),
    ("development", &["validation"]),
    ("portion", &["fraction"]),
    ("proportion", &["fraction"]),
    ("share", &["fraction"]),
    ("dims", &["dimension"]),
    ("dim", &["dimension"]),
    ("dimensionality", &["dimension"]),
    ("dimensional", &["dimension"]),
    ("err", &["error"]),
    ("iters", &["iteration"]),
    ("iter", &["iteration"]),
    ("lat", &["latency"]),
    ("latencies", &["latency"]),
    ("lr", &["learning", "rate"]),
    ("max", &["maximum"]),
    ("mem", &["memory"]),
    ("min", &["minimum"]),
    ("num", &["number"]),
    ("params", &["parameter"]),
    ("param", &["parameter"]),
    ("ppl", &["perplexity"]),
    ("perplexities", &["perplexity"]),
    ("prec", &["precision"]),
    ("probability", &["prob"]),
    ("ret", &["return"]),
    ("sem", &["stderr"]),
    ("sd", &["std"]),
    ("stdev", &["std"]),
    ("stddev", &["std"]),
    ("temp", &["temperature"]),
    ("thrpt", &["throughput"]),
    ("tput", &["throughput"]),
    ("val", &["validation"]),
    ("valid", &["validation"]),
    ("wd", &["weight", "decay"]),
    ("without", &["no"]),
    ("minus", &["no"]),
    ("removed", &["no"]),
    ("removing", &["no"]),
    ("plus", &["with"]),
    ("secs", &["second"]),
    ("sec", &["second"]),
    ("compute", &["flop"]),
    ("computation", &["flop"]),
    ("flops", &["flop"]),
    ("gflops", &["flop"]),
    ("gflop", &["flop"]),
    ("macs", &["flop"]),
    ("hrs", &["hour"]),
    ("hr", &["hour"]),
    ("our", &["ours"]),
    ("proposed", &["ours"]),
    ("percentile", &["p"]),
    ("tail", &["p", "99"]),
    ("energies", &["energy"]),
    ("queries", &["query"]),
    ("memories", &["memory"]),
    ("categories", &["category"]),
];

/// Words that say nothing about which quantity is meant.
const STOP: &[&str] = &[
    "a", "an", "and", "are", "as", "at", "be", "by", "for", "from", "in", "is", "it", "its", "of",
    "on", "or", "over", "that", "the", "then", "this", "to", "was", "we", "were", "while", "which",
    "only", "all", "each", "every", "than", "our", "their", "these", "those", "can", "also",
    "both", "into", "per", "via", "has", "have", "had", "with", "using",
];

/// Whether a canonical word is a function word. `no` and `with` are not: they name ablations.
pub(crate) fn is_stop(word: &str) -> bool {
    word != "with" && STOP.contains(&word)
}

/// Splits a text into words; linear in its length.
///
/// `w/o` and `w/` become `no` and `with`; a leading `+` or `−` before a letter as in `+ Mixup` becomes `with` or `no`.
pub(crate) fn words(text: &str) -> Vec<Word> {
    let mut out = Vec::new();
    let mut current: Option<(usize, bool)> = None;
    let mut chars = text.char_indices().peekable();
    let mut previous: Option<char> = None;
    let flush = |out: &mut Vec<Word>, from: Option<(usize, bool)>, to: usize| {
        if let Some((start, _)) = from {
            push(out, text.get(start..to).unwrap_or(""), start, to);
        }
    };
    while let Some((at, c)) = chars.next() {
        if c.is_alphanumeric() {
            let digit = c.is_ascii_digit();
            match current {
                Some((_, was_digit)) if was_digit == digit => {}
                Some(_) => {
                    flush(&mut out, current, at);
                    current = Some((at, digit));
                }
                None => current = Some((at, digit)),
            }
            // `w/o` and `w/`
            if matches!(c, 'w' | 'W')
                && !previous.is_some_and(char::is_alphanumeric)
                && chars.peek().is_some_and(|(_, c)| *c == '/')
            {
                let after = text.get(at + 2..).unwrap_or("");
                let mut next = after.chars();
                let is_out = matches!(next.next(), Some('o' | 'O'))
                    && !next.next().is_some_and(char::is_alphanumeric);
                current = None;
                chars.next();
                if is_out {
                    chars.next();
                }
                let (word, length) = if is_out { ("no", 3) } else { ("with", 2) };
                out.push(Word {
                    text: word.to_owned(),
                    raw: word.to_owned(),
                    start: at,
                    end: at + length,
                });
                previous = Some('/');
                continue;
            }
        } else {
            flush(&mut out, current.take(), at);
            if matches!(c, '+' | '−' | '–') && !previous.is_some_and(char::is_alphanumeric) {
                let after = text.get(at + c.len_utf8()..).unwrap_or("").trim_start();
                if after.chars().next().is_some_and(char::is_alphabetic) {
                    let word = if c == '+' { "with" } else { "no" };
                    out.push(Word {
                        text: word.to_owned(),
                        raw: word.to_owned(),
                        start: at,
                        end: at + c.len_utf8(),
                    });
                }
            }
        }
        previous = Some(c);
    }
    flush(&mut out, current, text.len());
    out
}

/// The canonical words of a key, a file name or a head.
pub(crate) fn canonical(text: &str) -> Vec<String> {
    words(text).into_iter().map(|word| word.text).collect()
}

/// Letters and digits only, lower case: `ResNet-50`, `resnet_50` and `ResNet50` are one name.
pub(crate) fn compact(text: &str) -> String {
    text.chars()
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect()
}

fn push(out: &mut Vec<Word>, written: &str, start: usize, end: usize) {
    let raw = written.to_lowercase();
    // "99th percentile" is `p99`: the ending of the ordinal is no word.
    if matches!(raw.as_str(), "th" | "st" | "nd" | "rd")
        && out.last().is_some_and(|before| {
            before.end == start && before.raw.bytes().all(|b| b.is_ascii_digit())
        })
    {
        return;
    }
    if let Some(name) = greek(&raw) {
        out.push(Word {
            text: name.to_owned(),
            raw: name.to_owned(),
            start,
            end,
        });
        return;
    }
    // `images_per_s` and "images per second".
    if out.last().is_some_and(|before| before.raw == "per") {
        let unit = match raw.as_str() {
            "s" | "sec" => "second",
            "h" | "hr" => "hour",
            _ => "",
        };
        if !unit.is_empty() {
            out.push(Word {
                text: unit.to_owned(),
                raw: unit.to_owned(),
                start,
                end,
            });
            return;
        }
    }
    if let Some((_, replacement)) = SYNONYMS.iter().find(|(name, _)| *name == raw) {
        for word in *replacement {
            out.push(Word {
                text: stem(word),
                raw: raw.clone(),
                start,
                end,
            });
        }
        return;
    }
    // `two_views` and "2 views".
    if let Some(value) = crate::number::spelled_value(&raw) {
        out.push(Word {
            text: value.to_string(),
            raw,
            start,
            end,
        });
        return;
    }
    out.push(Word {
        text: stem(&raw),
        raw,
        start,
        end,
    });
}

/// The name of a Greek letter, as keys spell it.
fn greek(letter: &str) -> Option<&'static str> {
    const LETTERS: &[(&str, &str)] = &[
        ("α", "alpha"),
        ("β", "beta"),
        ("γ", "gamma"),
        ("δ", "delta"),
        ("ε", "epsilon"),
        ("ϵ", "epsilon"),
        ("η", "eta"),
        ("θ", "theta"),
        ("κ", "kappa"),
        ("λ", "lambda"),
        ("μ", "mu"),
        ("ν", "nu"),
        ("ρ", "rho"),
        ("σ", "sigma"),
        ("τ", "tau"),
        ("φ", "phi"),
        ("ϕ", "phi"),
        ("χ", "chi"),
        ("ω", "omega"),
        ("ψ", "psi"),
        ("π", "pi"),
    ];
    LETTERS
        .iter()
        .find(|(known, _)| *known == letter)
        .map(|(_, name)| *name)
}

/// Plural `s`, `-ing` and `-ed` removed; both sides of every comparison pass through here.
pub(crate) fn stem(word: &str) -> String {
    if !word.is_ascii() || word == "ours" {
        return word.to_owned();
    }
    let base = suffix_free(word);
    // `prune`, `pruned` and `pruning` meet without the e.
    if base.len() > 4 {
        base.strip_suffix('e').unwrap_or(&base).to_owned()
    } else {
        base
    }
}

fn suffix_free(word: &str) -> String {
    let length = word.len();
    if length >= 6
        && let Some(base) = word.strip_suffix("ing")
    {
        return base.to_owned();
    }
    if length >= 5
        && !word.ends_with("eed")
        && let Some(base) = word.strip_suffix("ed")
    {
        return base.to_owned();
    }
    if length > 3
        && !word.ends_with("ss")
        && !word.ends_with("us")
        && !word.ends_with("is")
        && let Some(base) = word.strip_suffix('s')
    {
        return base.to_owned();
    }
    word.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folds_what_papers_and_files_write_differently() {
        for (text, expected) in [
            ("top1_acc", "top 1 accuracy"),
            ("Top-1 Acc. (%)", "top 1 accuracy"),
            ("CIFAR-100", "cifar 100"),
            ("cifar100", "cifar 100"),
            ("lr", "learn rate"),
            ("w/o gating", "no gat"),
            ("w/ gating", "with gat"),
            ("+ Mixup", "with mixup"),
            ("seeds", "seed"),
            ("loss", "loss"),
            ("no_pruning", "no prun"),
            ("F1-score", "f 1 scor"),
        ] {
            assert_eq!(canonical(text).join(" "), expected, "{text}");
        }
        assert_eq!(compact("ResNet-50"), "resnet50");
    }
}
