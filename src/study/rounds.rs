//! All-reduce as software plays it, round by round: what the algorithms that everybody uses take on a torus, by formula.
//!
//! The model is that of our own ticks: a link carries a word per direction and tick, and a router takes in and sends out by all its
//! ports at once. Each algorithm splits the vector into as many parts as a node has ports, and runs a copy on each part:
//! copies differ in the axis that they begin with, and each has a mirror image. A round begins when all messages of the one
//! before have arrived; a message takes a shortest way along an axis, a word behind the other, and messages that share a link
//! take turns. What it takes to split a vector into parts that are not whole words is rounded up, once a message, in favour of nobody.

use std::fmt;

use serde::{Serialize, Serializer};

use crate::net::Topology;

/// An algorithm for reduce-scatter; the same backwards is the all-gather, and both make an all-reduce.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Algorithm {
    /// Round Hamiltonian cycles that share no link, to the next node each round.
    Ring,
    /// Round the rings of one axis after the other.
    Bucket,
    /// Between nodes ever farther apart, to and fro.
    Swing,
    /// Between nodes whose places differ in one bit, the least first.
    Doubling,
}

/// The messages of a copy and of its mirror image in one round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MessageRound {
    /// The axis, or cycle, along which they go.
    pub axis: usize,
    /// Number of links each crosses.
    pub hops: u64,
    /// Number of messages on the busiest link.
    pub load: u64,
    /// Words of the longest.
    pub words: u64,
}

impl Algorithm {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Ring, Self::Bucket, Self::Swing, Self::Doubling];

    /// Name to show.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ring => "ring",
            Self::Bucket => "bucket",
            Self::Swing => "swing",
            Self::Doubling => "halving-doubling",
        }
    }

    /// Publication that describes the algorithm.
    pub const fn source(self) -> &'static str {
        match self {
            Self::Ring => {
                "Patarasuk and Yuan, JPDC 2009, on each of d edge-disjoint Hamiltonian cycles, both ways round"
            }
            Self::Bucket => "Jain and Sabharwal, ICS 2010; Sack and Gropp, TOPC 2015",
            Self::Swing => "De Sensi, Bonato, Saam and Hoefler, NSDI 2024",
            Self::Doubling => "Rabenseifner, ICCS 2004; mirrored as De Sensi et al. do",
        }
    }

    /// The rounds of its reduce-scatter, in words: V = L P / 2d of each copy's part, rounded up as a message is.
    pub const fn formula(self) -> &'static str {
        match self {
            Self::Ring => "P - 1 rounds of V/P words",
            Self::Bucket => "along the i-th axis n_i - 1 rounds of V/(n_1 ... n_i) words",
            Self::Swing => {
                "in round s V/2^(s+1) words over (2^(j+1) + (-1)^j)/3 links, as many to a link, j the rounds on that axis before"
            }
            Self::Doubling => {
                "in round s V/2^(s+1) words over 2^j links, 2^(j+1) - 1 to a link, in the last round of an axis 2^j"
            }
        }
    }

    /// Checks that the algorithm runs on a network; the error names what it needs.
    pub fn fits(self, topology: &Topology) -> Result<(), &'static str> {
        let all = |test: fn(u32) -> bool| topology.dims().iter().all(|&side| test(side));
        if !topology.is_product_of_cycles() {
            return Err("links that wrap around");
        }
        match self {
            Self::Ring if !all(|side| side > 2) => Err("sides of 3 or more"),
            Self::Swing | Self::Doubling if !all(u32::is_power_of_two) => Err("sides that are powers of two"),
            _ => Ok(()),
        }
    }

    /// The rounds of its reduce-scatter of so many words per node, copy by copy, each with its mirror image.
    pub fn rounds(self, topology: &Topology, words: u64) -> Vec<Vec<MessageRound>> {
        let copies = topology.axes();
        let part = words.div_ceil(2 * copies as u64);
        (0..copies).map(|copy| self.of_copy(topology, copy, part)).collect()
    }

    fn of_copy(self, topology: &Topology, copy: usize, part: u64) -> Vec<MessageRound> {
        let next = |axis, words| MessageRound { axis, hops: 1, load: 1, words };
        match self {
            Self::Ring => {
                let nodes = topology.nodes();
                vec![next(copy, part.div_ceil(nodes.into())); nodes as usize - 1]
            }
            Self::Bucket => {
                let mut split = 1;
                let along = |axis: usize| {
                    let side = topology.side(axis);
                    split *= u64::from(side);
                    vec![next(axis, part.div_ceil(split)); side as usize - 1]
                };
                axes_from(topology, copy).flat_map(along).collect()
            }
            Self::Swing | Self::Doubling => {
                let along = |(round, (axis, turn)): (u32, (usize, u32))| {
                    let (hops, load) = self.exchange(topology.side(axis), turn);
                    MessageRound { axis, hops, load, words: part.div_ceil(2 << round) }
                };
                (0..).zip(turns(topology, copy)).map(along).collect()
            }
        }
    }

    /// Returns the distance to the partner in a round along an axis, and the number of messages that share a link.
    fn exchange(self, side: u32, turn: u32) -> (u64, u64) {
        if self == Self::Swing {
            let hops = swing(turn).unsigned_abs();
            // every second node sends this far in one direction, and the others in the mirror image
            (hops, hops)
        } else {
            let hops = 1u64 << turn;
            // the middle of a block is crossed by all of its lower half, and the mirror image's blocks begin a node later;
            // half way round the copy goes one way and its mirror image the other
            (hops, if 2 * hops == u64::from(side) { hops } else { 2 * hops - 1 })
        }
    }

    /// The ticks of its reduce-scatter over links of such a latency, and as many of the all-gather.
    pub fn ticks(self, topology: &Topology, words: u64, latency: u32) -> u64 {
        let copies = self.rounds(topology, words);
        let rounds = copies[0].len();
        let at = |round| copies.iter().map(|copy| copy[round]).collect::<Vec<_>>();
        (0..rounds).map(|round| ticks(&at(round), latency)).sum()
    }

    /// Number of messages a node sends one after the other.
    pub fn messages(self, topology: &Topology) -> u64 {
        self.of_copy(topology, 0, 1).len() as u64
    }
}

/// A round is over when the busiest link has carried all, and when the last word has come all the way.
fn ticks(copies: &[MessageRound], latency: u32) -> u64 {
    let latency = u64::from(latency);
    let on_the_way = copies.iter().map(|MessageRound { hops, words, .. }| (hops - 1) * latency + words);
    let carried = copies.iter().map(|MessageRound { axis, .. }| {
        copies.iter().filter(|copy| copy.axis == *axis).map(|MessageRound { load, words, .. }| load * words).sum()
    });
    on_the_way.chain(carried).max().unwrap_or(0) + latency - 1
}

/// Signed distance to the partner of an even place in the n-th round of Swing: 1, -1, 3, -5, ...
pub fn swing(turn: u32) -> i64 {
    (0..=turn).map(|power| (-2i64).pow(power)).sum()
}

/// The axes in the order of a copy.
pub fn axes_from(topology: &Topology, copy: usize) -> impl Iterator<Item = usize> + use<> {
    let axes = topology.axes();
    (0..axes).map(move |at| (copy + at) % axes)
}

/// Along which axis each round of a copy goes that exchanges, and how many rounds along that axis came before: the axes in
/// turn, as long as there are bits left.
pub fn turns(topology: &Topology, copy: usize) -> Vec<(usize, u32)> {
    let bits = |axis| topology.side(axis).ilog2();
    let most = (0..topology.axes()).map(bits).max().unwrap_or(0);
    let in_turn = |turn| axes_from(topology, copy).map(move |axis| (axis, turn));
    (0..most).flat_map(in_turn).filter(|&(axis, turn)| turn < bits(axis)).collect()
}

impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl Serialize for Algorithm {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::ShapeName;

    fn ticks(algorithm: Algorithm, dims: &[u32], words: u64, latency: u32) -> u64 {
        algorithm.ticks(&Topology::new(ShapeName::Torus, dims).unwrap(), words, latency)
    }

    /// Each for itself takes what its paper says: all volume of a ring and a bucket, Swing's 1.19 times and more of doubling.
    #[test]
    fn link_volume_over_the_bound_is_that_of_the_papers() {
        let words = 1 << 40;
        let bound = words as f64 * (1.0 - 1.0 / 4096.0) / 4.0;
        let ratio = |algorithm| format!("{:.3}", ticks(algorithm, &[64, 64], words, 1) as f64 / bound);
        assert_eq!(Algorithm::ALL.map(ratio), ["1.000", "1.000", "1.185", "1.931"]);
    }

    #[test]
    fn rounds_of_few_words_are_counted() {
        let of = |algorithm, latency| [8, 16].map(|n| 2 * ticks(algorithm, &[n, n], u64::from(n * n), latency));
        assert_eq!([of(Algorithm::Bucket, 1), of(Algorithm::Bucket, 8)], [[42, 150], [238, 570]]);
        assert_eq!([of(Algorithm::Swing, 1)[0], of(Algorithm::Swing, 8)[0]], [42, 182]);
        assert_eq!((0..5).map(swing).collect::<Vec<_>>(), [1, -1, 3, -5, 11]);
    }

    /// A ring of all nodes, a ring an axis, a partner a bit of each side.
    #[test]
    fn messages_follow_one_another() {
        let messages = |dims: &[u32]| {
            let torus = Topology::new(ShapeName::Torus, dims).unwrap();
            Algorithm::ALL.map(|algorithm| algorithm.messages(&torus))
        };
        assert_eq!([Algorithm::Ring, Algorithm::Bucket, Algorithm::Swing, Algorithm::Doubling], Algorithm::ALL);
        assert_eq!([messages(&[4, 4]), messages(&[8, 4])], [[15, 6, 4, 4], [31, 10, 5, 5]]);
    }

    #[test]
    fn unmet_conditions_of_algorithms_are_named() {
        let fits = |shape, dims: &[u32]| {
            let topology = Topology::new(shape, dims).unwrap();
            Algorithm::ALL.map(|algorithm| algorithm.fits(&topology).is_ok())
        };
        assert_eq!(fits(ShapeName::Torus, &[8, 4]), [true; 4]);
        assert_eq!(fits(ShapeName::Torus, &[6, 8]), [true, true, false, false]);
        assert_eq!(fits(ShapeName::Torus, &[2, 8]), [false, true, true, true]);
        assert_eq!(fits(ShapeName::Mesh, &[8, 8]), [false; 4]);
    }
}
