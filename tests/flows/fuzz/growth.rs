//! Inputs of four times the size take about four times as long, not sixteen times.

use std::time::Duration;

use aris_testkit::{Mutator, setting};
use rustix::time::{ClockId, clock_gettime};

use super::{chosen, seeds};

const SMALL: usize = 8 << 10;
const TIMES: usize = 4;

/// Seconds below which a ratio means nothing.
const MEASURABLE: f64 = 0.02;

/// CPU seconds of the target for an input of `head`, `piece` repeated up to `size` bytes, and `tail`.
fn seconds(parse: fn(&[u8]), head: &[u8], piece: &[u8], tail: &[u8], size: usize) -> f64 {
    let input = [head, &piece.repeat(size / piece.len()), tail].concat();
    let now = || {
        let time = clock_gettime(ClockId::ThreadCPUTime);
        let [seconds, nanos] = [time.tv_sec, time.tv_nsec].map(u64::try_from);
        Duration::from_secs(seconds.expect("a time")) + Duration::from_nanos(nanos.expect("a time"))
    };
    let start = now();
    parse(&input);
    now().saturating_sub(start).as_secs_f64()
}

#[test]
#[ignore = "measures; by hand, on a quiet machine: ARIS_FUZZ_SECONDS=60"]
fn no_parser_takes_more_than_linear_time() {
    let mut found = Vec::new();
    for (name, parse) in chosen() {
        let seeds = seeds(name);
        let mut mutator = Mutator::new(setting("ARIS_SEED", 22), &seeds);
        let mut tried = 0;
        let start = std::time::Instant::now();
        while start.elapsed().as_secs() < setting("ARIS_FUZZ_SECONDS", 10) {
            let [source, other] = [mutator.input(), mutator.input()];
            let (head, piece) = (mutator.piece(&source), mutator.piece(&other));
            let tail = mutator.piece(&source);
            if piece.is_empty() || piece.len() > 200 {
                continue;
            }
            tried += 1;
            let large = seconds(parse, head, piece, tail, SMALL * TIMES);
            let small = seconds(parse, head, piece, tail, SMALL);
            if large < MEASURABLE || large < small * 10.0 {
                continue;
            }
            let larger = seconds(parse, head, piece, tail, SMALL * TIMES * TIMES);
            if larger > large * 10.0 {
                let [head, piece, tail] = [head, piece, tail].map(String::from_utf8_lossy);
                println!("{name} takes more than linear time");
                found.push(format!(
                    "{name}: {small:.4} s, {large:.4} s, {larger:.4} s: {head:?} {piece:?} {tail:?}"
                ));
                break;
            }
        }
        println!("{name}: {tried} tried");
    }
    assert!(found.is_empty(), "{found:#?}");
}
