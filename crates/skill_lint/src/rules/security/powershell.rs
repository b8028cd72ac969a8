//! Dangerous calls in PowerShell: SR404 (`Invoke-Expression`), SR405 (of a download).

use crate::code::{Hit, download};

/// The dangerous commands of a script. Strings and comments in `code` are blanked.
pub(crate) fn hits(code: &str) -> Vec<Hit> {
    let downloads = download::in_powershell(code).into_iter();
    let downloads = downloads.map(|at| Hit::new("SR405", at, "a download is evaluated"));
    let evaluations = download::evaluations(code).map(|(at, word)| {
        let is_short = word.len() == 3;
        let name = if is_short { "iex" } else { "Invoke-Expression" };
        Hit::new("SR404", at, format!("{name} runs a text as code"))
    });
    downloads.chain(evaluations).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_code_count() {
        for (source, expected) in [
            ("iex $x", vec![("SR404", 0)]),
            ("a | Invoke-Expression", vec![("SR404", 4)]),
            ("iex (irm $u)", vec![("SR405", 0), ("SR404", 0)]),
            ("# iex $x\n<# iex #> 'iex' \"iex\"", vec![]),
            ("$iex = 1; Get-iex; iexample", vec![]),
        ] {
            let found: Vec<(&str, usize)> = hits(&crate::code::powershell::code(source))
                .iter()
                .map(|hit| (hit.rule, hit.at))
                .collect();
            assert_eq!(found, expected, "{source}");
        }
    }
}
