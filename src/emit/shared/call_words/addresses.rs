//! Addresses of words that go out, at a read port, and the codes that name their blocks.

use std::collections::HashMap;

use super::WordOut;
use crate::net::Topology;
use crate::netlist::{BlockOrder, bits_for};

/// Addresses of the words that a node gives, at its read port: the node of the block and the place among its words, or in the order of
/// arrival the number of the block and the place in it, or that of the word if there is one block, or words are read in a row.
pub fn addresses(
    topology: &Topology,
    given: &[WordOut],
    order: Option<BlockOrder>,
    in_a_row: bool,
    place_bits: u32,
) -> Vec<u64> {
    let mut blocks: Vec<u64> = given.iter().filter(|word| word.is_last).map(|_| 0).collect();
    let (mut block, mut places) = (0, HashMap::new());
    for word in given {
        blocks[block] += 1;
        block += usize::from(word.is_last);
    }
    let is_even = !in_a_row && blocks.len() > 1 && blocks.iter().all(|&words| words == blocks[0]);
    let address = |(number, word): (u64, &WordOut)| match order {
        None | Some(BlockOrder::Origin) => {
            let place = places.entry(word.origin).or_insert(0);
            *place += 1;
            user_of(topology, word, 0) << place_bits | (*place - 1)
        }
        Some(BlockOrder::Arrival) if is_even => ((number / blocks[0]) << place_bits) | (number % blocks[0]),
        Some(BlockOrder::Arrival) => number,
    };
    (0..).zip(given).map(address).collect()
}

/// `tuser` of a word: the coordinates of its node, and the number of the block in so many bits.
pub fn user_of(topology: &Topology, word: &WordOut, number_bits: u32) -> u64 {
    let code = topology.coords(word.origin).into_iter().zip(topology.dims());
    let code = code.fold(0, |code, (x, &side)| code << bits_for(side.into()) | u64::from(x));
    if number_bits == 0 { code } else { code << number_bits | u64::from(word.block) }
}
