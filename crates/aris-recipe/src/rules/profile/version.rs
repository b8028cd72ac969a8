//! The version that a recipe was written for.

use super::super::findings::Findings;
use super::super::scope::Scope;
use crate::rules::Id;

/// Version of the reference when no manifest names the installed one. **Source**: the version whose rules these are.
const REFERENCE_VERSION: &str = "0.9.0";

pub(super) fn check(scope: &Scope<'_>, out: &mut Findings) {
    let manifest = scope.data.manifest.as_ref();
    let installed = manifest
        .and_then(|manifest| manifest.package_version.as_deref())
        .unwrap_or(REFERENCE_VERSION);
    let (line, message) = match &scope.recipe.version {
        None => (
            0,
            format!(
                "the recipe does not say by autoskillit_version which version it is for; {installed} is installed"
            ),
        ),
        Some(version) => match (numbers(&version.text), numbers(installed)) {
            (None, _) => (
                version.line,
                format!("`{}` is no version; {installed} is installed", version.text),
            ),
            (Some(own), Some(now)) if own < now => (
                version.line,
                format!(
                    "the recipe is for version {}, and {installed} is installed",
                    version.text
                ),
            ),
            _ => return,
        },
    };
    out.file(Id::OutdatedRecipeVersion, line, message);
}

/// The numbers of a version without zeros at the end; `None` when it is none. What follows them (`rc1`, `.dev0`) is left out.
fn numbers(version: &str) -> Option<Vec<u64>> {
    let version = version.trim();
    let version = version.strip_prefix('v').unwrap_or(version);
    let end = version
        .find(|sign: char| !(sign.is_ascii_digit() || sign == '.'))
        .unwrap_or(version.len());
    let head = version.get(..end)?.trim_end_matches('.');
    let mut numbers: Vec<u64> = head
        .split('.')
        .map(|part| part.parse().ok())
        .collect::<Option<_>>()?;
    while numbers.last() == Some(&0) {
        numbers.pop();
    }
    Some(numbers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_as_numbers() {
        for (older, newer) in [
            ("0.8.0", "0.9.0"),
            ("0.9", "0.9.1"),
            ("0.9.0", "0.10"),
            ("0.9rc1", "1"),
        ] {
            assert!(numbers(older) < numbers(newer), "{older} {newer}");
        }
        assert_eq!(numbers("0.9"), numbers("v0.9.0"));
        for odd in ["", "latest", "1..2", "."] {
            assert_eq!(numbers(odd), None, "{odd}");
        }
    }
}
