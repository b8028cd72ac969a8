//! Names of files and directories inside a skill.

use crate::rules::frontmatter::is_kebab;

/// Directories at a skill's root that need no explanation.
const ROOT_DIRECTORIES: [&str; 9] = [
    "scripts",
    "references",
    "assets",
    "bin",
    "agents",
    "evals",
    "tests",
    "examples",
    "templates",
];

/// File names whose capitals are a convention of the tools or hosts that read them.
const CONVENTIONAL: [&str; 6] = [
    "Dockerfile",
    "Makefile",
    "Containerfile",
    "Rakefile",
    "Gemfile",
    "Procfile",
];

/// Whether the stem of a reference is kebab-case, or all capitals like `REFERENCE`.
pub(crate) fn is_reference_stem(stem: &str) -> bool {
    is_kebab(stem)
        || stem.bytes().any(|byte| byte.is_ascii_uppercase())
            && stem.bytes().all(|byte| {
                byte.is_ascii_uppercase() || byte.is_ascii_digit() || b"-_".contains(&byte)
            })
}

/// What in a name makes trouble on some system or in a shell, as the end of a sentence; none when nothing does.
///
/// Names in capitals only (`README.md`, `LICENSE`) and conventional ones (`Dockerfile`) are taken as they are.
pub(crate) fn fault(name: &str) -> Option<&'static str> {
    if name.contains(' ') {
        return Some("holds a space");
    }
    if !name.is_ascii() {
        return Some("holds a character outside ASCII");
    }
    let stem = name.split('.').next().unwrap_or_default();
    let by_convention = CONVENTIONAL.contains(&stem)
        || !stem.is_empty() && !stem.bytes().any(|byte| byte.is_ascii_lowercase());
    let judged = if by_convention {
        name.get(stem.len()..).unwrap_or_default()
    } else {
        name
    };
    judged
        .bytes()
        .any(|byte| byte.is_ascii_uppercase())
        .then_some("holds a capital")
}

/// Whether a file at a skill's root is for human readers only.
pub(crate) fn is_for_people(name: &str) -> bool {
    matches!(name, "README.md" | "CHANGELOG.md") || name.starts_with("INSTALL")
}

/// Whether a directory at a skill's root is one that people know.
pub(crate) fn is_known_directory(name: &str) -> bool {
    name.starts_with('.') || ROOT_DIRECTORIES.contains(&name)
}

#[cfg(test)]
mod tests {
    use super::{fault, is_for_people, is_known_directory, is_reference_stem};

    #[test]
    fn references_are_kebab_case_or_capitals() {
        for good in ["api", "api-v2", "REFERENCE", "FORMS_2", "A-B"] {
            assert!(is_reference_stem(good), "{good}");
        }
        for bad in ["Api", "api_v2", "a b", "v1.2", "12_34", ""] {
            assert!(!is_reference_stem(bad), "{bad}");
        }
    }

    #[test]
    fn spaces_capitals_and_other_alphabets_are_named() {
        for (name, found) in [
            ("a b.png", true),
            ("é.png", true),
            ("Logo.png", true),
            ("logo.PNG", true),
            ("README.md", false),
            ("LICENSE.txt", false),
            ("Dockerfile.dev", false),
            ("my_module.py", false),
            ("a-b", false),
            ("a.tar.gz", false),
        ] {
            assert_eq!(fault(name).is_some(), found, "{name}");
        }
    }

    #[test]
    fn root_entries_are_known_by_name() {
        assert!(is_for_people("INSTALLATION.md"));
        assert!(!is_for_people("readme.md"));
        assert!(is_known_directory("assets") && is_known_directory(".git"));
        assert!(!is_known_directory("src"));
    }
}
