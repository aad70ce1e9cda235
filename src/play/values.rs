//! Values that a reduction is played with: drawn so that every case of their arithmetic occurs, or given by a user.

use super::Payloads;
use crate::net::NodeId;
use crate::net::splitmix::mix;
use crate::program::{FlitId, Float, Number, Program};

/// The value of every node for every flit.
#[derive(Clone)]
pub struct Values {
    payloads: Payloads,
    number: Number,
    /// flits of all nodes
    flits: u64,
    /// one after the other for each node, if they are given
    given: Vec<u64>,
}

/// Kinds of floats that are drawn, flit by flit.
const KINDS: u64 = 8;

impl Values {
    /// Values that depend on a seed.
    pub fn drawn(program: &Program, payloads: Payloads) -> Self {
        let number = program.reduction.as_ref().map_or(Number::Word, |reduction| reduction.number);
        Self { payloads, number, flits: program.demand.flits(), given: Vec::new() }
    }

    /// Words, whatever the numbers of the program are.
    pub fn words(program: &Program, payloads: Payloads) -> Self {
        Self { number: Number::Word, ..Self::drawn(program, payloads) }
    }

    /// Values of at most 64 bits: those of the first node for every flit, then those of the next.
    pub fn given(program: &Program, width: u32, given: Vec<u64>) -> Self {
        Self { given, ..Self::drawn(program, Payloads { width, seed: 0 }) }
    }

    /// Bits of a value.
    pub fn width(&self) -> u32 {
        self.payloads.width
    }

    /// Writes the 64-bit words of the value that a node has for a flit, the least significant first.
    pub fn write(&self, node: NodeId, flit: u32, words: &mut [u64]) {
        let number = u64::from(node.0) * self.flits + u64::from(flit);
        if let Some(&value) = self.given.get(number as usize) {
            words[0] = value;
            return;
        }
        match self.number.float() {
            Some(float) if self.payloads.width == 1 + float.exponent + float.fraction => {
                let seed = mix(self.payloads.seed ^ 0xF10A_7000);
                words[0] = drawn(float, node.0, flit, mix(seed ^ number), mix(seed ^ u64::from(flit))).into();
            }
            _ => words.iter_mut().zip(self.payloads.words(FlitId(number as u32))).for_each(|(to, word)| *to = word),
        }
    }

    /// Writes the values that some nodes have, each for a flit of its own, one after the other.
    pub fn write_all(&self, nodes: &[NodeId], flits: &[u32], words: &mut [u64]) {
        let width = self.payloads.width;
        let each = nodes.iter().zip(flits);
        if width <= u64::BITS && self.number.float().is_none() && self.given.is_empty() {
            for (to, (node, &flit)) in words.iter_mut().zip(each) {
                *to = self.payloads.word(FlitId(node.0.wrapping_mul(self.flits as u32).wrapping_add(flit)));
            }
            return;
        }
        let words = words.chunks_exact_mut(width.div_ceil(u64::BITS) as usize);
        words.zip(each).for_each(|(words, (&node, &flit))| self.write(node, flit, words));
    }

    /// The 64-bit words of the value that a node has for a flit, the least significant first.
    pub fn of(&self, node: NodeId, flit: u32) -> Vec<u64> {
        let mut words = vec![0; self.payloads.width.div_ceil(64) as usize];
        self.write(node, flit, &mut words);
        words
    }
}

/// A float of a node, from a random number of its own and one that all nodes have for that flit. What kinds of floats are summed
/// for a flit its number says.
fn drawn(float: Float, node: u32, flit: u32, own: u64, common: u64) -> u32 {
    let Float { exponent, fraction } = float;
    let (width, top) = (1 + exponent + fraction, (1 << exponent) - 1);
    let of = |sign: u64, exponent: u32, digits: u64| {
        (sign as u32 & 1) << (width - 1) | exponent << fraction | digits as u32 & ((1 << fraction) - 1)
    };
    let (sign, digits, chance) = (own, own >> 1, (own >> 40) as u32);
    let near = |middle: u32, by: u32| (middle + chance % (2 * by + 1)).saturating_sub(by).min(top - 1);
    let middle = top / 2;
    match u64::from(flit).wrapping_add(common >> 61) % KINDS {
        // close together, as most data is
        0 | 1 => of(sign, near(middle, 3), digits),
        // as far apart as possible without one being lost in the other
        2 => of(sign, near(middle, fraction + 4), digits),
        // subnormal, or nearly
        3 => of(sign, chance % 4, digits),
        // on the way to infinity
        4 => of(common, top - 1 - chance % 2, digits),
        // pairs that cancel out
        5 => of(common ^ u64::from(node), near(middle, 0) + (common >> 50) as u32 % 4, common >> 1),
        // now and then a NaN, an infinity, a zero
        6 => match chance % 16 {
            0 => of(sign, top, digits | 1),
            1 | 2 => of(sign, top, 0),
            3..=8 => of(sign, 0, 0),
            _ => of(sign, near(middle, 1), digits),
        },
        _ => of(sign, (digits >> fraction) as u32 & top, digits),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_float_is_drawn() {
        for number in [Number::F32, Number::Bf16, Number::F16] {
            let float = number.float().unwrap();
            let magnitude = |bits: u32| bits & !(1 << (float.exponent + float.fraction));
            let drawn: Vec<u32> = (0..4000u32)
                .map(|n| magnitude(drawn(float, n / 100, n % 100, mix(n.into()), mix((n % 100).into()))))
                .collect();
            let count = |is_it: &dyn Fn(u32) -> bool| drawn.iter().filter(|&&bits| is_it(bits)).count();
            assert!(count(&|bits| float.is_nan(bits)) > 10, "{number}");
            assert!(count(&|bits| bits == float.infinity()) > 10, "{number}");
            assert!(count(&|bits| bits == 0) > 10, "{number}");
            assert!(count(&|bits| bits > 0 && bits < 1 << float.fraction) > 100, "{number}");
            assert!(count(&|bits| (1 << float.fraction..float.infinity()).contains(&bits)) > 2000, "{number}");
        }
    }
}
