//! A law for tests: the work grows with its size and no faster.
//!
//! A bound on time fails on a slow or busy machine. The time of some work divided by the time of a quarter of it does not depend on
//! the machine. Both are measured as processor time of this thread, so that waiting for a processor does not count.

use std::time::Duration;

use nix::time::ClockId;

/// What is linear takes four times as long for four times the size, and what is quadratic sixteen times as long.
const MOST: f64 = 8.0;
/// How often both sizes are measured at most. Other work on the machine can make a round longer, by sharing its caches, but not
/// shorter, so the shortest rounds are compared.
const ROUNDS: usize = 8;

/// Processor time of this thread for some work.
pub(crate) fn processor_time(work: impl FnOnce()) -> Duration {
    let now = || -> Duration { ClockId::CLOCK_THREAD_CPUTIME_ID.now().expect("every thread has this clock").into() };
    let began = now();
    work();
    now() - began
}

/// Panics if the work for a whole input takes too long in comparison to the work for a quarter of it. `input` makes an input of a
/// size, which is not measured.
#[track_caller]
pub(crate) fn assert_linear<I>(what: &str, size: usize, input: impl Fn(usize) -> I, work: impl Fn(&I)) {
    let inputs = [size / 4, size].map(input);
    let mut least = [Duration::MAX; 2];
    for _ in 0..ROUNDS {
        for (least, input) in least.iter_mut().zip(&inputs) {
            *least = processor_time(|| work(input)).min(*least);
        }
        if least[1].as_secs_f64() <= least[0].as_secs_f64() * MOST {
            return;
        }
    }
    panic!("{what}: {:?} for a quarter, {:?} for the whole", least[0], least[1]);
}

#[cfg(test)]
mod tests {
    use std::hint::black_box;

    use super::assert_linear;

    fn pairs(bytes: &[u8], width: usize) {
        let sum: u64 = bytes.iter().flat_map(|a| bytes[..width].iter().map(move |b| u64::from(a ^ b))).sum();
        black_box(sum);
    }

    #[test]
    fn linear_work_passes() {
        assert_linear("a fixed part of it for each byte", 4_000, |size| vec![1; size], |bytes| pairs(bytes, 100));
    }

    #[test]
    #[should_panic(expected = "for a quarter")]
    fn quadratic_work_fails() {
        assert_linear("all of it for each byte", 4_000, |size| vec![1; size], |bytes| pairs(bytes, bytes.len()));
    }
}
