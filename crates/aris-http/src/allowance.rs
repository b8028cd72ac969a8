//! What a service says is left of an allowance.

use std::time::Duration;

/// What an answer says about the allowance that it was paid from, in dollars.
///
/// **Source**: OpenAlex, "Authentication & Pricing" (developers.openalex.org/api-reference/authentication).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Allowance {
    /// What is left of the day's, and of what was paid for.
    pub left: f64,
    /// What this request cost, or would have cost.
    pub cost: f64,
    /// Until midnight UTC, when the day's is whole again.
    pub reset: Duration,
}

impl Allowance {
    /// Reads it from headers, looked up by their names in small letters.
    pub fn of<'a>(header: impl Fn(&str) -> Option<&'a str>) -> Option<Self> {
        let number = |name| -> Option<f64> { header(name)?.trim().parse().ok() };
        let paid = number("x-ratelimit-prepaid-remaining-usd").unwrap_or_default();
        let cost = number("x-ratelimit-cost-usd")
            .or_else(|| number("x-ratelimit-cost-required-usd"))
            .unwrap_or_default();
        let reset: u32 = header("x-ratelimit-reset")?.trim().parse().ok()?;
        Some(Self {
            left: number("x-ratelimit-remaining-usd")? + paid,
            cost,
            reset: Duration::from_secs(reset.into()),
        })
    }

    /// Whether it does not pay for another request like this one.
    pub(crate) fn is_spent(self) -> bool {
        self.left <= 0.0 || self.left < self.cost
    }
}
