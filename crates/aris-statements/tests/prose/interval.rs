//! Bootstrap intervals: resamples the documents' sentences with a generator that has a fixed seed.

/// Resamples of the bootstrap.
const DRAWS: usize = 1_000;

/// `SplitMix64`. **Source**: Steele, Lea and Flood 2014.
pub(crate) struct Draws(pub(crate) u64);

impl Draws {
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((z ^ (z >> 31)) % bound as u64).unwrap()
    }
}

/// The value of a statistic with its 95 % interval: `0.912 [0.890, 0.931]`.
pub(crate) fn with_interval<T>(rows: &[T], statistic: &dyn Fn(&[&T]) -> f64) -> String {
    let all: Vec<&T> = rows.iter().collect();
    let mut draws = Draws(20_261_120);
    let mut values: Vec<f64> = (0..DRAWS)
        .map(|_| {
            let sample: Vec<&T> = (0..all.len())
                .map(|_| all[draws.below(all.len())])
                .collect();
            statistic(&sample)
        })
        .collect();
    values.sort_by(f64::total_cmp);
    format!(
        "{:.3} [{:.3}, {:.3}]",
        statistic(&all),
        values[DRAWS * 25 / 1_000],
        values[DRAWS * 975 / 1_000]
    )
}

/// A part as a fraction of a whole; 0 when the whole is 0.
pub(crate) fn ratio(part: usize, whole: usize) -> f64 {
    let float = |count: usize| f64::from(u32::try_from(count).unwrap());
    if whole == 0 {
        0.0
    } else {
        float(part) / float(whole)
    }
}
