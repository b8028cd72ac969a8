//! Scripts: their kind and shebang, and which of them are entry points.

mod shebang;
#[cfg(test)]
mod tests;

pub use shebang::Shebang;

use crate::names;
use crate::text::Text;

/// The language of a script.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScriptKind {
    /// `.sh`, `.bash`
    Sh,
    /// `.py`
    Py,
    /// `.js`, `.mjs`, `.cjs`
    Js,
    /// `.ts`
    Ts,
    /// `.ps1`
    Ps1,
    /// `.rb`
    Rb,
    /// `.pl`
    Pl,
}

impl ScriptKind {
    /// The kind by extension; without a dot in the name, by the shebang.
    pub fn of(path: &str, text: &Text) -> Option<Self> {
        if names::file_name(path).contains('.') {
            return Self::of_extension(&names::extension(path));
        }
        Self::of_program(&Shebang::of(text)?.program)
    }

    /// The kind of an extension in lower case.
    pub fn of_extension(extension: &str) -> Option<Self> {
        Some(match extension {
            "sh" | "bash" => Self::Sh,
            "py" => Self::Py,
            "js" | "mjs" | "cjs" => Self::Js,
            "ts" => Self::Ts,
            "ps1" => Self::Ps1,
            "rb" => Self::Rb,
            "pl" => Self::Pl,
            _ => return None,
        })
    }

    /// The kind that an interpreter runs.
    fn of_program(program: &str) -> Option<Self> {
        let bare = program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
        Some(match bare {
            "sh" | "bash" | "dash" | "zsh" | "ksh" | "ash" => Self::Sh,
            "python" | "pypy" | "uv" => Self::Py,
            "node" | "nodejs" | "bun" => Self::Js,
            "deno" | "tsx" | "ts-node" => Self::Ts,
            "pwsh" | "powershell" => Self::Ps1,
            "ruby" => Self::Rb,
            "perl" => Self::Pl,
            _ => return None,
        })
    }
}

/// What is known about a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Script {
    /// Its language.
    pub kind: ScriptKind,
    /// Its first line, when that is a shebang.
    pub shebang: Option<Shebang>,
    /// Whether it is an entry point; everything else under `scripts/` and `bin/` is library.
    pub entry_point: bool,
}

impl Script {
    /// The facts of a text; whether it is an entry point needs the whole skill.
    pub fn of(kind: ScriptKind, text: &Text) -> Self {
        Self {
            kind,
            shebang: Shebang::of(text),
            entry_point: false,
        }
    }
}
