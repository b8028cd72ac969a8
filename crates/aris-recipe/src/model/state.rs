//! Who may write a variable, and where a run is taken up again.

use std::fmt;

use aris_yaml::Text;

/// Who writes a context variable.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// Nobody after the start of the run.
    InitOnly,
    /// The first capture that is not empty.
    InitPreserve,
    /// Every capture.
    #[default]
    Mutable,
    /// Every capture adds, nothing is taken away.
    AppendOnly,
    /// Nobody: it is computed anew whenever it is read.
    Derived,
}

impl Class {
    /// All classes.
    pub const ALL: [Self; 5] = [
        Self::InitOnly,
        Self::InitPreserve,
        Self::Mutable,
        Self::AppendOnly,
        Self::Derived,
    ];

    /// As written in a recipe.
    pub const fn word(self) -> &'static str {
        match self {
            Self::InitOnly => "INIT_ONLY",
            Self::InitPreserve => "INIT_PRESERVE",
            Self::Mutable => "MUTABLE",
            Self::AppendOnly => "APPEND_ONLY",
            Self::Derived => "DERIVED",
        }
    }

    /// The class of this name.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|class| class.word() == word)
    }
}

impl fmt::Display for Class {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.word())
    }
}

/// One entry of `state`.
#[derive(Clone, Debug)]
pub struct Declaration {
    /// The variable.
    pub variable: Text,
    /// What it is declared as, as written.
    pub word: Text,
    /// The class of that name, if there is one.
    pub class: Option<Class>,
}

/// One entry of `resume`.
#[derive(Clone, Debug)]
pub struct Tier {
    /// Its number; higher ones are tried first. `None` when it is no whole number.
    pub tier: Option<i64>,
    /// The variable that must not be blank.
    pub present: Text,
    /// The step to go on with.
    pub start: Text,
}
