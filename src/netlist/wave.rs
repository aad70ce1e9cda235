//! A number that the routers of a class are told, tick after tick, as stretches in which it stays.

/// The last tick of each stretch and the number told in it. Tick 0 is the one before the first: it lasts while nothing plays.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LastTicks(Vec<(u32, u32)>);

impl LastTicks {
    /// Joins stretches that follow each other, the first of which begins with tick 0. Where nothing is said, anything will
    /// do: what was told before stays, and what comes first is told from the beginning.
    pub fn new(stretches: impl IntoIterator<Item = (u32, Option<u32>)>) -> Self {
        let mut wave: Vec<(u32, u32)> = Vec::new();
        let mut unsaid = None;
        for (last, value) in stretches {
            match (wave.last_mut(), value) {
                (Some(stretch), None) => stretch.0 = last,
                (Some(stretch), Some(value)) if stretch.1 == value => stretch.0 = last,
                (None, None) => unsaid = Some(last),
                (_, Some(value)) => wave.push((last, value)),
            }
        }
        if wave.is_empty() {
            wave.extend(unsaid.map(|last| (last, 0)));
        }
        Self(wave)
    }

    /// The ticks after which it changes.
    pub fn changes(&self) -> impl Iterator<Item = u32> + '_ {
        self.0[..self.0.len().saturating_sub(1)].iter().map(|&(last, _)| last)
    }

    /// The number told in each of some ticks, which ascend.
    pub fn at<'w>(&'w self, ticks: impl Iterator<Item = u32> + 'w) -> impl Iterator<Item = u32> + 'w {
        let mut place = 0;
        ticks.map(move |tick| {
            while self.0[place].0 < tick {
                place += 1;
            }
            self.0[place].1
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unset_bits_keep_their_values() {
        let wave = LastTicks::new([(0, None), (3, Some(5)), (6, None), (7, Some(5)), (9, Some(2)), (12, None)]);
        assert_eq!(wave, LastTicks(vec![(7, 5), (12, 2)]));
        assert_eq!(wave.changes().collect::<Vec<_>>(), [7]);
        assert_eq!(wave.at(0..=12).collect::<Vec<_>>(), [5, 5, 5, 5, 5, 5, 5, 5, 2, 2, 2, 2, 2]);
        assert_eq!(LastTicks::new([(4, None)]), LastTicks(vec![(4, 0)]));
    }
}
