//! Rows of a stream out that hands out several words per clock: words that lie side by side in the memories of a node.

use super::node::BankPlace;
use super::reading::HeldWords;

/// Memories that a row is read from; one of several groups of so many words, if there are more than the stream is wide.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowSource {
    /// Own packets of the node, each in a memory of its own.
    Own {
        /// Number of the group.
        group: u32,
    },
    /// Word in the one memory of the node's own words.
    Kept {
        /// Address of the word.
        address: u32,
    },
    /// Arrivals of a step.
    Received {
        /// Step, counted from 0.
        step: u32,
        /// Number of the group.
        group: u32,
    },
}

/// Words that leave a node in one clock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StreamRow<'t> {
    /// Memories of its words.
    pub side: RowSource,
    /// Entry of each lane, if its word is handed out: an arrival that the node had already is not.
    pub lanes: Vec<Option<&'t HeldWords>>,
}

/// Rows of a table in the order of arrival. The lane of a word is the number of its input, or of its own packet, modulo the
/// number of lanes. Own words have lane 0 if one memory has all of them, and are not `direct` in memories of their own.
pub fn rows(table: &[HeldWords], lanes: u32, direct: bool) -> Vec<StreamRow<'_>> {
    let mut rows: Vec<StreamRow> = Vec::new();
    for held in table {
        let (side, lane) = match held.place {
            BankPlace::Taken(address) | BankPlace::Result(address) if !direct => (RowSource::Kept { address }, 0),
            BankPlace::Taken(_) | BankPlace::Result(_) => {
                (RowSource::Own { group: held.packet / lanes }, held.packet % lanes)
            }
            BankPlace::Received { step, input } => (RowSource::Received { step, group: input / lanes }, input % lanes),
        };
        if rows.last().is_none_or(|row| row.side != side) {
            rows.push(StreamRow { side, lanes: vec![None; lanes as usize] });
        }
        let row = rows.last_mut().expect("a row has been added");
        row.lanes[lane as usize] = Some(held);
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    fn held(packet: u32, place: BankPlace) -> HeldWords {
        HeldWords { offset: vec![packet], packet, place, is_last: true }
    }

    #[test]
    fn words_of_a_step_are_a_row_each_in_the_lane_of_its_input() {
        let arrival = |step, input| held(0, BankPlace::Received { step, input });
        let table =
            [held(0, BankPlace::Taken(0)), arrival(0, 0), arrival(0, 3), arrival(2, 1), arrival(2, 4), arrival(2, 5)];
        let sides: Vec<(RowSource, Vec<bool>)> = rows(&table, 4, true)
            .into_iter()
            .map(|row| (row.side, row.lanes.iter().map(Option::is_some).collect()))
            .collect();
        let (no, yes) = (false, true);
        assert_eq!(
            sides,
            [
                (RowSource::Own { group: 0 }, vec![yes, no, no, no]),
                (RowSource::Received { step: 0, group: 0 }, vec![yes, no, no, yes]),
                (RowSource::Received { step: 2, group: 0 }, vec![no, yes, no, no]),
                (RowSource::Received { step: 2, group: 1 }, vec![yes, yes, no, no]),
            ]
        );
        let kept = [held(0, BankPlace::Taken(3)), held(1, BankPlace::Taken(4)), arrival(0, 1)];
        let sides: Vec<RowSource> = rows(&kept, 2, false).into_iter().map(|row| row.side).collect();
        let received = RowSource::Received { step: 0, group: 0 };
        assert_eq!(sides, [RowSource::Kept { address: 3 }, RowSource::Kept { address: 4 }, received]);
    }
}
