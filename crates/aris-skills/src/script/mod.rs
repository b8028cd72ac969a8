//! Scripts: kind, shebang, and whether they are entry points.

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
    /// The kind by the extension; for a name without a dot, by the shebang.
    pub fn of(path: &str, text: &Text) -> Option<Self> {
        if names::file_name(path).contains('.') {
            return Self::of_extension(&names::extension(path));
        }
        Self::of_program(&Shebang::of(text)?.program)
    }

    /// The kind of a lower-case extension.
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

    /// The kind of script that an interpreter runs.
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

/// The properties of a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Script {
    /// Its language.
    pub kind: ScriptKind,
    /// Its shebang, if it has one.
    pub shebang: Option<Shebang>,
    /// Whether it is an entry point. Other scripts under `scripts/` and `bin/` are libraries.
    pub entry_point: bool,
}

impl Script {
    /// The properties of a text. `entry_point` needs the whole skill and is set later.
    pub fn of(kind: ScriptKind, text: &Text) -> Self {
        Self {
            kind,
            shebang: Shebang::of(text),
            entry_point: false,
        }
    }
}
