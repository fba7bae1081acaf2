//! Durations, sizes and ages as people read them.

use std::time::Duration;

/// `12ms`, `1.2s`, `42s`, `3m05s`, `2h10m`, `3d04h`.
pub(crate) fn duration(duration: Duration) -> String {
    let seconds = duration.as_secs();
    match seconds {
        0 => format!("{}ms", duration.as_millis()),
        // Truncated rather than rounded, so that 9.99 s does not become 10.0 s.
        1..10 => format!("{seconds}.{}s", duration.subsec_millis() / 100),
        10..60 => format!("{seconds}s"),
        60..3_600 => format!("{}m{:02}s", seconds / 60, seconds % 60),
        3_600..86_400 => format!("{}h{:02}m", seconds / 3_600, seconds / 60 % 60),
        86_400.. => format!("{}d{:02}h", seconds / 86_400, seconds / 3_600 % 24),
    }
}

/// `0 B`, `1.5 KiB`, `340 KiB`, `1.1 GiB`.
pub(crate) fn size(bytes: u64) -> String {
    const UNITS: [&str; 6] = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
    if bytes < 1024 {
        return format!("{bytes} B");
    }
    let mut value = bytes as f64 / 1024.0;
    let mut unit = 0;
    // A value that would be rounded to 1024 is written in the next larger unit.
    while value >= 1023.5 {
        value /= 1024.0;
        unit += 1;
    }
    let decimals = usize::from(value < 9.95);
    format!("{value:.decimals$} {}", UNITS[unit])
}

/// How long ago, in one unit: `now`, `42s`, `5m`, `3h`, `2d`, `6w`, `2y`.
pub(crate) fn age(age: Duration) -> String {
    let seconds = age.as_secs();
    let days = seconds / 86_400;
    match seconds {
        0..2 => "now".to_owned(),
        2..60 => format!("{seconds}s"),
        60..3_600 => format!("{}m", seconds / 60),
        3_600..86_400 => format!("{}h", seconds / 3_600),
        86_400.. if days < 14 => format!("{days}d"),
        86_400.. if days < 365 => format!("{}w", days / 7),
        86_400.. => format!("{}y", days / 365),
    }
}

/// The cost of tokens: `$0.0042`, `$1.20`, or `local` for a model without a price.
pub(crate) fn cost(cost: Option<f64>) -> String {
    match cost {
        Some(cost) if cost > 0.0 && cost < 0.01 => format!("${cost:.4}"),
        Some(cost) => format!("${cost:.2}"),
        None => "local".to_owned(),
    }
}

/// A number of tokens or of something else that can be large: `950`, `1.2k`, `34k`, `1.5M`.
pub(crate) fn count(tokens: u64) -> String {
    match tokens {
        0..1_000 => tokens.to_string(),
        1_000..10_000 => format!("{}.{}k", tokens / 1_000, tokens / 100 % 10),
        10_000..1_000_000 => format!("{}k", tokens / 1_000),
        1_000_000.. => format!("{}.{}M", tokens / 1_000_000, tokens / 100_000 % 10),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_at_most_two_units() {
        let written = |millis| duration(Duration::from_millis(millis));
        assert_eq!(
            [0, 12, 999, 1_250, 9_999, 42_900, 185_000, 7_800_000, 273_600_000].map(written),
            ["0ms", "12ms", "999ms", "1.2s", "9.9s", "42s", "3m05s", "2h10m", "3d04h"]
        );
    }

    #[test]
    fn sizes_below_ten_units_have_one_decimal() {
        assert_eq!(
            [0, 1023, 1024, 1536, 10_188, 348_160, 1_048_575, 1_181_116_006, u64::MAX].map(size),
            ["0 B", "1023 B", "1.0 KiB", "1.5 KiB", "9.9 KiB", "340 KiB", "1.0 MiB", "1.1 GiB", "16 EiB"]
        );
    }

    #[test]
    fn counts_are_short() {
        assert_eq!([0, 950, 1_234, 34_999, 1_560_000].map(count), ["0", "950", "1.2k", "34k", "1.5M"]);
    }

    #[test]
    fn ages_have_one_unit() {
        let written = |seconds| age(Duration::from_secs(seconds));
        assert_eq!(
            [1, 59, 60, 7_199, 86_400, 13 * 86_400, 14 * 86_400, 800 * 86_400].map(written),
            ["now", "59s", "1m", "1h", "1d", "13d", "2w", "2y"]
        );
    }
}
