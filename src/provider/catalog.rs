//! What is public about models: context windows and list prices, for the shortest context and without discounts.

use super::model_traits::ModelTraits;
use super::vendors::{VENDORS, Vendor};
use crate::chat::Usage;

/// US dollars for a million tokens.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Price {
    pub input: f64,
    pub output: f64,
    pub cached: f64,
    pub cache_written: f64,
}

/// What is public about a vendor's models whose names begin alike.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct ModelFacts {
    pub(super) prefix: &'static str,
    pub(super) context_window: u32,
    pub(super) price: Option<Price>,
    pub(super) traits: Option<ModelTraits>,
}

impl ModelFacts {
    /// A model without a public price.
    pub(super) const fn new(prefix: &'static str, context_window: u32) -> ModelFacts {
        ModelFacts { prefix, context_window, price: None, traits: None }
    }

    /// The same model with its price.
    pub(super) const fn price(self, input: f64, output: f64, cached: f64, cache_written: f64) -> ModelFacts {
        ModelFacts { price: Some(Price { input, output, cached, cache_written }), ..self }
    }

    /// The facts about a vendor's model: the row with the longest matching prefix.
    pub(super) fn find(vendor: &Vendor, name: &str) -> Option<&'static ModelFacts> {
        let rows = vendor.models.iter().filter(|row| name.starts_with(row.prefix));
        rows.max_by_key(|row| row.prefix.len())
    }

    /// The vendor of a model name, among the acceptable ones. If several match equally well, the first in the table wins.
    pub(super) fn vendor_of(name: &str, will_do: impl Fn(&'static Vendor) -> bool) -> Option<&'static Vendor> {
        let known = VENDORS.iter().rev().filter(|vendor| will_do(vendor));
        let best = known.filter_map(|vendor| Some((ModelFacts::find(vendor, name)?.prefix.len(), vendor)));
        best.max_by_key(|(length, _)| *length).map(|(_, vendor)| vendor)
    }
}

impl Price {
    /// Input and output for a million tokens, such as `$3/$15`.
    pub(crate) fn in_short(&self) -> String {
        if self.input == 0.0 && self.output == 0.0 {
            return "free".to_owned();
        }
        format!("{}/{}", dollars(self.input), dollars(self.output))
    }

    /// What an answer cost.
    pub(crate) fn of(&self, usage: &Usage) -> f64 {
        let fresh = usage.input.saturating_sub(usage.cached + usage.cache_written);
        let parts = [
            (fresh, self.input),
            (usage.cached, self.cached),
            (usage.cache_written, self.cache_written),
            (usage.output, self.output),
        ];
        parts.iter().map(|(tokens, price)| *tokens as f64 * price).sum::<f64>() / 1e6
    }
}

/// An amount without noise: providers list prices for a single token, which are not exact for a million.
fn dollars(amount: f64) -> String {
    let places = if amount >= 1.0 { 2 } else { 4 };
    let text = format!("{amount:.places$}");
    format!("${}", text.trim_end_matches('0').trim_end_matches('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prices_are_short() {
        let price = |input, output| Price { input, output, cached: input, cache_written: input }.in_short();
        assert_eq!(price(3.0, 15.000_100_000_000_001), "$3/$15");
        assert_eq!(price(0.000_000_3 * 1e6, 0.0028), "$0.3/$0.0028");
        assert_eq!(price(0.125, 10.0), "$0.125/$10");
        assert_eq!(price(0.0, 0.5), "$0/$0.5");
        assert_eq!(price(0.0, 0.0), "free");
    }

    #[test]
    fn the_longest_matching_prefix_decides() {
        let window =
            |vendor, name| ModelFacts::find(Vendor::named(vendor).unwrap(), name).map(|model| model.context_window);
        assert_eq!(window("openai", "gpt-5-mini-2025-08-07"), Some(400_000));
        assert_eq!(window("openai", "gpt-4.1-mini"), Some(1_047_576));
        assert_eq!(window("openai", "gpt-4-turbo"), Some(128_000));
        assert_eq!(window("ollama", "gpt-5"), None);
    }

    #[test]
    fn a_cost_counts_cached_tokens_once() {
        let price = Price { input: 3.0, output: 15.0, cached: 0.3, cache_written: 3.75 };
        let usage = Usage { input: 1_000_000, output: 100_000, cached: 500_000, cache_written: 100_000, cost: None };
        assert!((price.of(&usage) - (1.2 + 0.15 + 0.375 + 1.5)).abs() < 1e-9);
    }
}
