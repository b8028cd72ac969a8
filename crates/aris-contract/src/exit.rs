//! Exit codes of every helper, and the signals a successful run may exit with.
//!
//! **Source**: the skill resource protocol §5 (0–7 and 10+), the integration contract §6 (a gate blocks with 1).

use std::num::NonZeroU8;

/// The status a helper process exits with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Exit(u8);

impl Exit {
    /// Done; for verifiers: nothing found.
    pub const OK: Self = Self(0);

    /// The number the operating system sees.
    pub const fn code(self) -> u8 {
        self.0
    }

    pub(crate) const fn new(code: u8) -> Self {
        Self(code)
    }
}

/// A result on which the caller should branch.
///
/// A signal is not an error: the data product is complete, and the envelope on stdout is a success envelope.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Signal(u8);

impl Signal {
    /// Exit 10: the helper ran and found something.
    pub const FINDINGS: Self = Self(10);

    /// Exit 1: a gate blocks. Only helpers with policy A in the helper table may use it. The success envelope tells it apart from
    /// an error with exit 1.
    pub const BLOCK: Self = Self(1);

    /// A signal of the helper's own, documented in its `--help`.
    ///
    /// Returns `None` outside 11..=125: 10 is [`Signal::FINDINGS`], and shells use 126 and above.
    pub const fn own(code: u8) -> Option<Self> {
        if code > 10 && code < 126 {
            Some(Self(code))
        } else {
            None
        }
    }

    /// The exit code of another program, unchanged: for a runner that replaces that program.
    pub const fn passed_on(code: NonZeroU8) -> Self {
        Self(code.get())
    }

    /// The exit status of this signal.
    pub const fn exit(self) -> Exit {
        Exit::new(self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_signals_stay_clear_of_errors_and_of_shell_codes() {
        for code in 0..=u8::MAX {
            assert_eq!(
                Signal::own(code).is_some(),
                (11..=125).contains(&code),
                "{code}"
            );
        }
        assert_eq!(Signal::FINDINGS.exit().code(), 10);
        assert_eq!(Signal::BLOCK.exit().code(), 1);
    }
}
