//! Recall, mean reciprocal rank and discounted gain, each over the first ten.

pub const DEPTH: usize = 10;

#[derive(Debug, Clone, Copy, Default)]
pub struct Measures {
    n: f64,
    recall: f64,
    reciprocal_rank: f64,
    gain: f64,
}

impl Measures {
    /// Adds one query: which of the first ten answers it, of how many that do.
    pub fn add(&mut self, is_relevant: &[bool], n_relevant: usize) {
        let found = || {
            is_relevant.iter().take(DEPTH).enumerate().filter(|(_, hit)| **hit).map(|(at, _)| at)
        };
        let discount = |at: usize| 1.0 / (at as f64 + 2.0).log2();
        let ideal: f64 = (0..n_relevant.min(DEPTH)).map(discount).sum();
        self.n += 1.0;
        self.recall += found().count() as f64 / n_relevant.max(1) as f64;
        self.reciprocal_rank += found().next().map_or(0.0, |at| 1.0 / (at as f64 + 1.0));
        self.gain += if ideal > 0.0 { found().map(discount).sum::<f64>() / ideal } else { 0.0 };
    }

    pub fn row(&self) -> String {
        let mean = |sum: f64| sum / self.n.max(1.0);
        format!(
            "{:.3} / {:.3} / {:.3}",
            mean(self.recall),
            mean(self.reciprocal_rank),
            mean(self.gain)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_place_is_worth_half_a_rank() {
        let mut measures = Measures::default();
        measures.add(&[false, true], 1);
        assert_eq!(measures.row(), "1.000 / 0.500 / 0.631");
        measures.add(&[false; 10], 1);
        assert_eq!(measures.row(), "0.500 / 0.250 / 0.315");
    }
}
